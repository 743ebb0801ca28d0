//! `network learn`: latent motifs of networks, of networks over time, and of all homomorphisms of a small one.

use super::{Settings, at_least, plain};
use crate::chain::{SamplingSettings, Use};
use crate::data::{ReadSettings, WeightScale, WeightSettings, WindowSettings};
use crate::factor::{FactorSettings, LearnSettings, Schedule};
use crate::model::FEWEST_PERMUTATIONS;
use crate::patch::BatchPlan;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Settings of learning from networks.
///
/// ```
/// use ergodict::settings::{NetworkSettings, Settings};
/// let config = NetworkSettings::default().config();
/// assert_eq!((config["atoms"].as_u64(), config["schedule"].as_str()), (Some(9), Some("linear")));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct NetworkSettings {
    /// Minibatches; with snapshots or windows, of each
    #[cfg_attr(feature = "clap", arg(long, value_name = "T", default_value_t = d().steps, value_parser = crate::text::count, allow_negative_numbers = true))]
    pub steps: u64,
    /// Patches per minibatch, shared by all networks and chains
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = d().batch, value_parser = crate::text::number, allow_negative_numbers = true))]
    pub batch: usize,
    /// The networks are snapshots of one that changes, in their order
    ///
    /// Chains continue from each to the next where they can, and restart where their motif sample is no longer valid. Otherwise
    /// several networks are learned from at once, each minibatch having patches of all. With --schedule constant:C the dictionary
    /// forgets networks that are long past; balanced weighs all networks equally.
    #[serde(skip_serializing_if = "crate::text::is_off")]
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "timestamps"))]
    pub snapshots: bool,
    /// Learn from all motif samples of a small network, weighted by probability, instead of random ones
    #[serde(rename = "static", skip_serializing_if = "crate::text::is_off")]
    #[cfg_attr(feature = "clap", arg(long = "static", id = "static", conflicts_with_all = ["snapshots", "timestamps", "chains", "every", "burn_in", "sampler", "steps", "batch"], hide_short_help = true))]
    pub exhaustive: bool,
    /// Example subgraphs stored per atom; 0 for none
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = d().examples, hide_short_help = true, allow_negative_numbers = true))]
    pub examples: usize,
    /// Rewired copies with the same degrees to compare with [default: 3; 0 above 500,000 edges]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", hide_short_help = true, allow_negative_numbers = true)
    )]
    pub rewired_copies: Option<usize>,
    /// Fresh patches of each snapshot or window for the change score
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = d().score_patches, hide_short_help = true, allow_negative_numbers = true))]
    pub score_patches: usize,
    /// Permutations of times that changes are tested against; 0 for no test
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = d().null_permutations, hide_short_help = true, allow_negative_numbers = true))]
    pub null_permutations: u64,
    /// Seed of every random stream
    #[cfg_attr(feature = "clap", arg(skip))]
    pub seed: u64,
    /// Networks in time.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub windows: WindowSettings,
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
fn d() -> NetworkSettings {
    NetworkSettings::default()
}

impl Default for NetworkSettings {
    fn default() -> Self {
        let plan = BatchPlan::default();
        Self {
            steps: 100,
            batch: plan.batch,
            snapshots: false,
            exhaustive: false,
            examples: 4,
            rewired_copies: None,
            // A tenth of those that a window of a hundred minibatches of a hundred is learned from.
            score_patches: 1000,
            // One more than is needed to detect a change at the 5 % level.
            null_permutations: 20,
            seed: 0,
            windows: WindowSettings::default(),
            learning: LearnSettings {
                // With ten nodes, atoms that are stable over seeds; recent minibatches know better.
                factor: FactorSettings { schedule: Schedule::Linear, ..FactorSettings::new(9) },
                ..LearnSettings::default()
            },
            sampling: SamplingSettings::default(),
            reading: ReadSettings::default(),
            weights: WeightSettings::default(),
        }
    }
}

impl NetworkSettings {
    /// Whether the network is one that changes.
    pub(crate) fn is_over_time(&self) -> bool {
        self.snapshots || self.windows.timestamps.is_some()
    }

    /// Checks that every chain has a patch of each minibatch, with as many networks side by side.
    ///
    /// # Errors
    /// [`Error::Parameter`] where there are fewer patches than chains.
    pub fn check_batch(&self, networks: usize) -> Result<()> {
        let side_by_side = if self.snapshots { 1 } else { networks };
        let chains = (self.sampling.chains() as usize).saturating_mul(side_by_side);
        let expected = format!("each of {chains} chains needs at least one patch of it");
        at_least("batch", self.batch as u64, chains as u64, &expected)
    }

    /// With everything decided that does not need the data.
    #[must_use]
    pub fn decided(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.learning = self.learning.decided(false);
        self.sampling = self.sampling.decided(Use::Learn);
        self.windows = self.windows.decided();
        self
    }

    /// How chains fill minibatches.
    pub fn plan(&self) -> BatchPlan {
        BatchPlan::new(self.batch, &self.sampling)
    }
}

impl Settings for NetworkSettings {
    const COMMAND: &'static str = "network learn";

    fn check(&self) -> Result<()> {
        self.sampling.check()?;
        at_least("steps", self.steps, 1, "at least one is needed")?;
        at_least("batch", self.batch as u64, 1, "a minibatch needs at least one patch")?;
        let expected = "an error is from twenty batches of at least one";
        at_least("score-patches", self.score_patches as u64, 20, expected)?;
        self.weights.check(self.reading.weighted)?;
        if self.windows.timestamps.is_some() && self.weights.weights != WeightScale::Linear {
            let expected = "rows with times have their weights as they are: leave it out";
            return Err(Error::parameter("weights", "on another scale", expected));
        }
        if self.exhaustive && (self.learning.f32 || self.learning.init != crate::factor::Init::Random) {
            let expected = "it calculates in 64 bits from a random dictionary: leave f32 and init out";
            return Err(Error::parameter("static", "on", expected));
        }
        if (1..FEWEST_PERMUTATIONS).contains(&self.null_permutations) {
            let expected = format!("it must be 0, or at least {FEWEST_PERMUTATIONS} to find any change");
            return Err(Error::parameter("null-permutations", self.null_permutations, expected));
        }
        self.windows.check()
    }

    /// Without what has no say: fresh patches where there are no windows, samplers where nothing is sampled.
    fn config(&self) -> Map<String, Value> {
        let mut config = plain(self);
        let without: &[&str] = if self.exhaustive {
            &[
                "steps",
                "batch",
                "rewired-copies",
                "score-patches",
                "null-permutations",
                "sampler",
                "every",
                "burn-in",
                "chains",
            ]
        } else if self.is_over_time() {
            &["rewired-copies"]
        } else {
            &["score-patches", "null-permutations"]
        };
        without.iter().for_each(|key| {
            config.remove(*key);
        });
        config
    }
}
