//! Reconstructing and comparing networks, as users set them.

use super::{Accuracy, ComparisonSettings, Mode, ReconstructionSettings};
use crate::chain::{SamplingSettings, Use};
use crate::data::{ReadSettings, WeightSettings};
use crate::factor::{Init, LearnSettings};
use crate::patch::BatchPlan;
use crate::run::NetworkLearning;
use crate::settings::{NetworkSettings, Settings, at_least};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Bytes of sums and counts by default.
const SUMS: usize = 2 << 30;
/// Fresh walks of each network that dictionaries are compared on by default.
const WALKS: u64 = 10_000;
/// Atoms of the dictionaries of comparisons by default.
const COMPARED_ATOMS: usize = 25;
/// Most dictionaries of a network.
const MOST_SEEDS: usize = 1000;

/// Settings of reconstructing a network.
///
/// ```
/// use ergodict::{reconstruct::network::RebuildSettings, settings::Settings};
/// let settings = RebuildSettings { alpha: -1.0, ..RebuildSettings::default() };
/// assert!(settings.check().unwrap_err().to_string().starts_with("alpha is -1"));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct RebuildSettings {
    /// Motif samples over all chains
    #[cfg_attr(feature = "clap", arg(long, value_name = "T", default_value_t = d().samples, value_parser = crate::text::count, allow_negative_numbers = true))]
    pub samples: u64,
    /// Weight of the ℓ₁ norm of the code
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", default_value_t = d().lambda, allow_negative_numbers = true, hide_short_help = true))]
    pub lambda: f64,
    /// Entries of patches to use: plain (all, as in the paper) or off-motif (those off the motif's own edges)
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "plain|off-motif", default_value_t = d().mode, hide_possible_values = true))]
    pub mode: Mode,
    /// The weight is S/(C + A), sum by count, so that pairs seen more often are trusted more
    #[cfg_attr(feature = "clap", arg(long, value_name = "A", default_value_t = d().alpha, allow_negative_numbers = true, hide_short_help = true))]
    pub alpha: f64,
    /// Use every atom also from end to end, for a chain has no direction
    #[serde(skip_serializing_if = "crate::text::is_off")]
    #[cfg_attr(feature = "clap", arg(long, hide_short_help = true))]
    pub reversal: bool,
    /// Write only pairs of a larger weight; the Jaccard accuracy is of those [default: all are written, 0.5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "W", allow_negative_numbers = true))]
    pub threshold: Option<f64>,
    /// Write a folder of this number of files instead, each with the pairs whose first node is in a range
    ///
    /// They are called part-00000.tsv and so on, .parquet if the output ends so, and _index.json lists them.
    #[cfg_attr(feature = "clap", arg(long, value_name = "P", value_parser = crate::text::number, conflicts_with = "pairs", hide_short_help = true, allow_negative_numbers = true))]
    pub partitions: Option<usize>,
    /// Seed of every random stream
    #[cfg_attr(feature = "clap", arg(skip))]
    pub seed: u64,
    /// Motif and sampler.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub sampling: SamplingSettings,
    /// How the network is read.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub reading: ReadSettings,
    /// How weights are used.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub weights: WeightSettings,
}

#[cfg(feature = "clap")]
fn d() -> RebuildSettings {
    RebuildSettings::default()
}

impl Default for RebuildSettings {
    fn default() -> Self {
        let ReconstructionSettings { mode, lambda, reversal, .. } = ReconstructionSettings::default();
        Self {
            samples: 200_000,
            lambda,
            mode,
            alpha: 0.0,
            reversal,
            threshold: None,
            partitions: None,
            seed: 0,
            sampling: SamplingSettings::default(),
            reading: ReadSettings::default(),
            weights: WeightSettings::default(),
        }
    }
}

impl RebuildSettings {
    /// Those of the reconstruction itself.
    pub fn reconstruction(&self) -> ReconstructionSettings {
        let (mode, lambda, reversal, memory) = (self.mode, self.lambda, self.reversal, self.memory_of_sums());
        ReconstructionSettings { mode, lambda, reversal, memory, ..ReconstructionSettings::default() }
    }

    /// Bytes that sums and counts may take. Going through them, and telling edges from other pairs, takes some more, and so does
    /// the test of adjacency: what was set is for all.
    pub fn memory_of_sums(&self) -> usize {
        self.sampling.memory().map_or(SUMS, |bytes| bytes / 2)
    }
}

impl Settings for RebuildSettings {
    const COMMAND: &'static str = "network reconstruct";

    fn check(&self) -> Result<()> {
        self.sampling.check()?;
        at_least("samples", self.samples, 1, "at least one sample is needed")?;
        if !(self.alpha >= 0.0 && self.alpha.is_finite()) {
            return Err(Error::parameter("alpha", self.alpha, "it must be a number that is not negative"));
        }
        if let Some(threshold) = self.threshold.filter(|w| !w.is_finite()) {
            return Err(Error::parameter("threshold", threshold, "it must be a finite number"));
        }
        if let Some(memory) = self.sampling.memory.filter(|size| size.bytes() < 1 << 20) {
            return Err(Error::parameter("memory", memory, "at least one mebibyte is needed"));
        }
        if self.partitions == Some(0) {
            return Err(Error::parameter("partitions", 0, "at least one file is needed"));
        }
        self.reconstruction().check()
    }

    /// With the memory: when sums go to a file has a say in how they are rounded.
    fn config(&self) -> serde_json::Map<String, serde_json::Value> {
        let mut config = crate::settings::plain(self);
        if let Some(memory) = self.sampling.memory {
            config.insert("memory".to_owned(), serde_json::json!(memory));
        }
        config
    }
}

/// How well a dictionary fits a network.
///
/// ```
/// use ergodict::reconstruct::network::{CompareSettings, Measure};
/// assert_eq!(CompareSettings::default().measure, Measure::Error);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Measure {
    /// Relative error of the patches of fresh walks
    #[default]
    Error,
    /// Edges found, divided by all edges and all pairs called so
    Jaccard,
    /// Σ min(A, reconstruction) / Σ max(A, reconstruction)
    WeightedJaccard,
    /// How often an edge has a larger weight than another pair
    Auc,
}

impl Measure {
    /// The accuracy that is meant; none for the error, and where it is not defined.
    pub(super) fn accuracy(self, accuracy: &Accuracy) -> Option<f64> {
        match self {
            Self::Error => None,
            Self::Jaccard => accuracy.jaccard,
            Self::WeightedJaccard => accuracy.weighted_jaccard,
            Self::Auc => accuracy.auc,
        }
    }

    /// The quantity that is measured.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Error => "relative error",
            Self::Jaccard => "Jaccard index",
            Self::WeightedJaccard => "weighted Jaccard index",
            Self::Auc => "AUC",
        }
    }
}

impl std::fmt::Display for Measure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Jaccard => "jaccard",
            Self::WeightedJaccard => "weighted-jaccard",
            Self::Auc => "auc",
        })
    }
}

impl std::str::FromStr for Measure {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let all = [Self::Error, Self::Jaccard, Self::WeightedJaccard, Self::Auc];
        all.into_iter().find(|measure| measure.to_string() == text).ok_or_else(|| {
            Error::parameter("measure", text, "it must be error, jaccard, weighted-jaccard or auc")
        })
    }
}

/// Settings of comparing networks by their dictionaries.
///
/// ```
/// use ergodict::{reconstruct::network::CompareSettings, settings::Settings};
/// assert_eq!(CompareSettings::default().config()["measure"], "error");
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct CompareSettings {
    /// Minibatches that each dictionary is learned from
    #[cfg_attr(feature = "clap", arg(long, value_name = "T", default_value_t = c().steps, value_parser = crate::text::count, allow_negative_numbers = true))]
    pub steps: u64,
    /// Patches per minibatch
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = c().batch, value_parser = crate::text::number, allow_negative_numbers = true))]
    pub batch: usize,
    /// Dictionaries per network, from different seeds, for standard errors
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", default_value_t = c().seeds, value_parser = crate::text::number, allow_negative_numbers = true))]
    pub seeds: usize,
    /// Fresh walks per network [default: 10000; 200000 per reconstruction]
    #[cfg_attr(feature = "clap", arg(long, value_name = "T", value_parser = crate::text::count, allow_negative_numbers = true))]
    pub samples: Option<u64>,
    /// Compare with a degree-preserving rewiring of each network
    #[cfg_attr(feature = "clap", arg(long, action = clap::ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", default_value_t = c().rewired, hide_possible_values = true, hide_short_help = true))]
    pub rewired: bool,
    /// Measure of fit: error, or jaccard, weighted-jaccard or auc of reconstructions
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "WHAT", default_value_t = c().measure, hide_possible_values = true))]
    pub measure: Measure,
    /// Entries of patches to use: plain (all, as in the paper) or off-motif (those off the motif's own edges)
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "plain|off-motif", default_value_t = c().mode, hide_possible_values = true, hide_short_help = true))]
    pub mode: Mode,
    /// Pairs of a larger weight are called edges
    #[cfg_attr(feature = "clap", arg(long, value_name = "W", default_value_t = c().threshold, allow_negative_numbers = true, hide_short_help = true))]
    pub threshold: f64,
    /// Seed of every random stream
    #[cfg_attr(feature = "clap", arg(skip))]
    pub seed: u64,
    /// The online scheme.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub learning: LearnSettings,
    /// Motif and sampler.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub sampling: SamplingSettings,
    /// How networks are read.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub reading: ReadSettings,
    /// How weights are used.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub weights: WeightSettings,
}

#[cfg(feature = "clap")]
fn c() -> CompareSettings {
    CompareSettings::default()
}

impl Default for CompareSettings {
    fn default() -> Self {
        let mut learning = NetworkSettings::default();
        learning.learning.factor.atoms = COMPARED_ATOMS;
        // With a penalty a dictionary is not the one of the smallest error, and foreign ones may do better.
        learning.learning.factor.lambda = 0.0;
        Self {
            steps: 300,
            batch: 100,
            seeds: 3,
            samples: None,
            rewired: true,
            measure: Measure::default(),
            mode: Mode::default(),
            threshold: 0.5,
            seed: 0,
            learning: learning.learning,
            sampling: learning.sampling,
            reading: learning.reading,
            weights: learning.weights,
        }
    }
}

impl CompareSettings {
    /// Nodes of the motif, where it is not in a file.
    pub const NODES: usize = 21;

    /// With everything decided that does not need the data.
    #[must_use]
    pub fn decided(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.learning = self.learning.decided(false);
        self.sampling = self.sampling.decided(Use::Reconstruct);
        if self.sampling.motif_file().is_none() {
            self.sampling.k.get_or_insert(Self::NODES);
        }
        self.samples = Some(self.samples());
        self
    }

    /// Walks of each network, or of each reconstruction.
    pub fn samples(&self) -> u64 {
        let default = if self.measure == Measure::Error { WALKS } else { RebuildSettings::default().samples };
        self.samples.unwrap_or(default)
    }

    /// How networks are compared.
    pub fn comparison(&self) -> ComparisonSettings {
        let watching = BatchPlan::new(self.batch, &self.sampling);
        let parameters = self.learning.factor.clone();
        ComparisonSettings {
            learning: NetworkLearning { steps: self.steps, watching, parameters },
            precision: self.learning.precision(),
            seeds: self.seeds,
            samples: self.samples(),
            measure: self.measure,
            mode: self.mode,
            threshold: self.threshold,
        }
    }
}

impl Settings for CompareSettings {
    const COMMAND: &'static str = "network compare";

    fn check(&self) -> Result<()> {
        self.weights.check(self.reading.weighted)?;
        self.sampling.check()?;
        for (name, value) in
            [("steps", self.steps), ("batch", self.batch as u64), ("samples", self.samples())]
        {
            at_least(name, value, 1, "at least one is needed")?;
        }
        at_least("seeds", self.seeds as u64, 2, "an error is from at least two dictionaries")?;
        if self.seeds > MOST_SEEDS {
            return Err(Error::parameter("seeds", self.seeds, format!("it must be at most {MOST_SEEDS}")));
        }
        if !self.threshold.is_finite() {
            return Err(Error::parameter("threshold", self.threshold, "it must be a finite number"));
        }
        if self.learning.init != Init::Random {
            let expected = "each network starts from a random dictionary of its own";
            return Err(Error::parameter("init", &self.learning.init, expected));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_cannot_be_are_refused() {
        let fine = RebuildSettings::default;
        let message = |settings: RebuildSettings| settings.check().err().map(|error| error.to_string());
        assert_eq!(message(fine()), None);
        assert_eq!(message(RebuildSettings { partitions: Some(1), alpha: 0.0, samples: 1, ..fine() }), None);
        for (settings, name) in [
            (RebuildSettings { partitions: Some(0), ..fine() }, "partitions"),
            (RebuildSettings { samples: 0, ..fine() }, "samples"),
            (RebuildSettings { alpha: -0.1, ..fine() }, "alpha"),
            (RebuildSettings { alpha: f64::INFINITY, ..fine() }, "alpha"),
            (RebuildSettings { threshold: Some(f64::NAN), ..fine() }, "threshold"),
        ] {
            let message = message(settings).unwrap();
            assert!(message.contains(name), "{message}");
        }
    }
}
