//! The report of motif samples: patches, clustering, observables and convergence diagnostics.

use crate::text::short;
use crate::{mixing, rerun};
use ergodict::chain::diagnostics::Mixing;
use ergodict::chain::{Density, SamplerKind};
use ergodict_report::words::{count, grouped, measured};
use ergodict_report::{AtomGrid, Figure, Heat, LineChart, PictureError, Report, Series};
use serde_json::Value;

/// Patches that are drawn.
pub const PATCHES: usize = 24;
/// Most points of a curve: more would show only the noise of single samples.
const POINTS: usize = 400;

const PATCHES_WORDS: &str = "
    Some of the samples x, evenly spaced over all chains, as k×k patches with entries A(x(i), x(j)). The motif's own edges are in every patch; the others are
    edges of the network. Dictionaries are learned from such patches. Row and column a are node a of the motif; white: no edge, black: an edge, or the patch's largest weight.";

const MACC: &str = "
    Matrix of average clustering coefficients: entry (i, j) is the conditional density of the motif with an edge from i to j added, the mean of A(x(i), x(j)) over samples, and 1 at
    the motif's own edges.";

const SERIES: &str = "
    The observable along each chain, averaged over stretches. A converged chain fluctuates about its mean, without a trend.";

/// What the page shows.
pub struct SamplePage<'a> {
    /// The network.
    pub name: String,
    /// Directed or not, weighted or not.
    pub what: String,
    /// Nodes of what is sampled.
    pub nodes: usize,
    /// Its edges.
    pub edges: u64,
    /// The name of the motif.
    pub motif: String,
    /// Its nodes.
    pub k: usize,
    /// The sampler.
    pub kind: SamplerKind,
    /// Whether its draws are independent.
    pub independent: bool,
    /// Samples of each chain.
    pub kept: Vec<u64>,
    /// The share of accepted proposals, of samplers that reject any.
    pub rate: Option<f64>,
    /// Observables and how well they mix.
    pub mixing: Vec<(String, Mixing)>,
    /// The observables of each chain, sample by sample.
    pub series: Vec<&'a [Vec<f64>]>,
    /// Some patches, at most [`PATCHES`].
    pub patches: Vec<Vec<f64>>,
    /// The conditional density of a larger motif.
    pub conditional: Option<Mixing>,
    /// The density of the motif.
    pub density: Option<Density>,
    /// Average clustering coefficients, row by row.
    pub macc: Option<Vec<f64>>,
    /// The settings, by their keys.
    pub config: Value,
    /// Whether a command with these settings gives the same.
    pub is_repeatable: bool,
    /// The digest of the network's file.
    pub digest: Option<String>,
    /// Notes on the sampler.
    pub notes: Vec<String>,
    /// Seconds before the first sample, and from there to the last.
    pub set_up: f64,
    /// The latter.
    pub seconds: f64,
}

impl SamplePage<'_> {
    /// The page.
    ///
    /// # Errors
    /// Patches that cannot be drawn.
    pub fn report(&self) -> Result<Report, PictureError> {
        let lead = format!(
            "{} samples of a {} of {} nodes in {} ({}, {} nodes, {} edges), drawn by the {} sampler, {}.",
            grouped(self.kept.iter().sum()),
            self.motif,
            self.k,
            short(&self.name),
            self.what,
            grouped(self.nodes as u64),
            grouped(self.edges),
            self.kind,
            if self.independent {
                "independently".to_owned()
            } else {
                format!("along {}", count(self.kept.len(), "chain", "chains"))
            },
        );
        let mut report =
            Report::new(format!("Motif samples of {}", short(&self.name))).lead(lead).numbers(self.numbers());
        if !self.patches.is_empty() {
            let svg = AtomGrid::new(&self.patches, (self.k, self.k)).svg()?;
            report = report.figure(Figure { title: "Patches".into(), svg, words: PATCHES_WORDS.into() });
        }
        if let Some(macc) = &self.macc {
            let high = macc.iter().fold(0.0f64, |m, v| m.max(*v)).max(f64::MIN_POSITIVE);
            let names = || (1..=self.k).map(|node| node.to_string());
            let values: Vec<Option<f64>> = macc.iter().copied().map(Some).collect();
            let heat = Heat {
                row_label: "node i".into(),
                col_label: "node j".into(),
                range: Some((0.0, high)),
                ..Heat::new(names(), names(), values)
            };
            let svg = heat.svg()?;
            report = report.figure(Figure { title: "Clustering".into(), svg, words: MACC.into() });
        }
        let kept = self.kept.len();
        let failed = mixing::warning(self.mixing.iter().map(|(_, mixing)| mixing), kept);
        report = report.details(Some(mixing::check_of(failed)));
        for (i, (name, _)) in self.mixing.iter().enumerate() {
            let series = self.series.iter().enumerate().map(|(c, series)| {
                let label = if self.series.len() > 1 { format!("chain {c}") } else { String::new() };
                Series::new(label, averaged(&series[i]))
            });
            let chart = LineChart {
                x_label: "samples".into(),
                y_label: name.clone(),
                series: series.collect(),
                ..LineChart::default()
            };
            let title = format!("Trace: {name}");
            let words = if i == 0 { SERIES } else { "" };
            report = report.figure(Figure { title, svg: chart.svg(), words: words.into() });
        }
        let curves = self.mixing.iter().enumerate().map(|(i, (name, _))| {
            let series: Vec<&[f64]> = self.series.iter().map(|series| series[i].as_slice()).collect();
            mixing::autocorrelation_of(name, &series)
        });
        let curves: Vec<Series> = curves.flatten().collect();
        if !curves.is_empty() {
            report = report.figure(mixing::autocorrelations(curves, "kept samples"));
        }
        let rows = self.mixing.iter().map(|(name, mixing)| (name.clone(), mixing));
        report = report.table(mixing::diagnostics_table(rows, &self.verdict()));
        let report = report.facts(&self.facts());
        if !self.is_repeatable {
            return Ok(report);
        }
        let names = std::slice::from_ref(&self.name);
        let command = rerun::command("network sample", &self.config, names, "-o samples.npy");
        Ok(report.code("Reproduce", command))
    }

    /// The numbers at the top: observables.
    fn numbers(&self) -> Vec<(String, String)> {
        let mut numbers = vec![(grouped(self.kept.iter().sum()), "samples".to_owned())];
        let name = |name: &str| match name {
            "patch-density" => "patch density (edges off the motif)".to_owned(),
            other => other.replace('-', " "),
        };
        numbers.extend(self.mixing.iter().take(2).map(|(of, one)| (measured(one.mean, one.error), name(of))));
        numbers
    }

    /// Whether the chains have mixed, and how many proposals were accepted, in words.
    fn verdict(&self) -> String {
        let failed = mixing::warning(self.mixing.iter().map(|(_, mixing)| mixing), self.kept.len());
        let mixed = if self.independent {
            "Samples are independent.".to_owned()
        } else if let Some(why) = failed {
            format!("Warning: {why}; run longer, thin more, or use another sampler.")
        } else if self.kept.len() == 1 {
            "No diagnostic speaks against convergence, but a single chain is weak evidence; several chains are better.".to_owned()
        } else {
            "No diagnostic speaks against convergence.".to_owned()
        };
        let rate = self.rate.map_or_else(String::new, |rate| format!(" Accepted: {}.", rate_words(rate)));
        format!("{mixed}{rate}")
    }

    fn facts(&self) -> Vec<(String, String)> {
        let mut facts: Vec<(String, String)> = Vec::new();
        if let Some(config) = self.config.as_object() {
            let text = |v: &serde_json::Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
            let given = config.iter().filter(|(_, value)| !value.is_null());
            facts.extend(given.map(|(key, value)| (key.clone(), text(value))));
        }
        if let Some(rate) = self.rate {
            facts.push(("accepted".into(), rate_words(rate)));
        }
        if let Some(density) = &self.density {
            facts.push(("homomorphism density".into(), density_words(density)));
        }
        if let Some(mixing) = &self.conditional {
            facts.push(("conditional density".into(), format!("{:.6} ± {:.6}", mixing.mean, mixing.error)));
        }
        facts.extend(self.digest.iter().map(|digest| ("input".into(), format!("{} {digest}", self.name))));
        facts.extend(self.notes.iter().map(|note| ("note".to_owned(), note.clone())));
        facts.push(("version".into(), format!("ergodict {}", env!("CARGO_PKG_VERSION"))));
        facts.push(("time".into(), format!("{:.2} s after a set-up of {:.3} s", self.seconds, self.set_up)));
        facts
    }
}

/// A series over its places, averaged over stretches so that there are at most `POINTS`.
fn averaged(values: &[f64]) -> Vec<(f64, f64)> {
    let stretch = values.len().div_ceil(POINTS).max(1);
    let points = values.chunks(stretch).enumerate().map(|(i, part)| {
        let middle = i as f64 * stretch as f64 + (part.len() + 1) as f64 / 2.0;
        (middle, part.iter().sum::<f64>() / part.len() as f64)
    });
    points.collect()
}

/// A share of proposals in words.
#[must_use]
pub fn rate_words(rate: f64) -> String {
    if rate < 1e-3 {
        format!("1 in {:.0} proposals", 1.0 / rate)
    } else {
        format!("{:.2} % of the proposals", 100.0 * rate)
    }
}

/// A density in words; small ones as a power of ten, which may be beyond the range of numbers.
#[must_use]
pub fn density_words(density: &Density) -> String {
    let value = density.log / std::f64::consts::LN_10;
    let size = if density.log == f64::NEG_INFINITY {
        "0".to_owned()
    } else if density.value() >= 1e-3 {
        format!("{:.6}", density.value())
    } else {
        format!("{:.6}e{}", 10f64.powf(value - value.floor()), value.floor())
    };
    let error = match density.relative_error {
        _ if density.exact => "exact".to_owned(),
        error if error.is_nan() => "no draw closed the motif: the error is not known".to_owned(),
        error => format!("± {:.2} %", 100.0 * error),
    };
    format!("{size} ({error})")
}
