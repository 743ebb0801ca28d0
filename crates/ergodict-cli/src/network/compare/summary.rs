//! The result of comparing networks: as a table and a summary.

use crate::summary::Summary;
use ergodict::chain::SamplerKind;
use ergodict::model::Input;
use ergodict::reconstruct::network::{ComparisonOutcome, Finding, Measure};
use ergodict_pages::comparison::ComparisonPage;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// Networks whose nearest ones are printed.
const LISTED: usize = 12;

/// A finished comparison.
pub(in crate::network) struct Compared(pub(in crate::network) ComparisonPage);

impl Compared {
    fn square<T>(&self, cell: impl Fn(usize) -> T) -> Vec<Vec<T>> {
        let n = self.0.names.len();
        (0..n).map(|row| (0..n).map(|column| cell(row * n + column)).collect()).collect()
    }

    pub(in crate::network) fn table(&self) -> String {
        let plain: Vec<String> = self.0.names.iter().map(|name| name.replace(['\t', '\n'], " ")).collect();
        let mut text = format!("dictionary\t{}\n", plain.join("\t"));
        let mut line = |name: &str, cells: &mut dyn Iterator<Item = String>| {
            let _ = writeln!(text, "{name}\t{}", cells.collect::<Vec<_>>().join("\t"));
        };
        for (name, row) in plain.iter().zip(self.square(|at| self.0.outcome.matrix[at].value)) {
            line(name, &mut row.iter().map(|value| format!("{value:.6}")));
        }
        if self.0.outcome.rewired.iter().any(Option::is_some) {
            let value = |copy: &Option<_>| -> String {
                copy.as_ref()
                    .map_or_else(String::new, |copy: &ergodict::reconstruct::network::RewiredCopy| {
                        format!("{:.6}", copy.value.value)
                    })
            };
            line("rewired", &mut self.0.outcome.rewired.iter().map(value));
        }
        text
    }

    pub(in crate::network) fn summary<'a>(
        &'a self,
        out: Option<&'a Path>,
        written: Vec<(&'static str, String)>,
    ) -> CompareSummary<'a> {
        let ComparisonOutcome { measure, matrix, distances, .. } = &self.0.outcome;
        let coverage = self.square(|at| self.0.outcome.edge_coverage[at]);
        CompareSummary {
            networks: &self.0.names,
            inputs: &self.0.inputs,
            measure: measure.to_string(),
            finding: self.0.finding(),
            conclusive: self.0.outcome.finding.is_conclusive(),
            closest: match &self.0.outcome.finding {
                Finding::Inconclusive { .. } => Vec::new(),
                Finding::Pair { .. } => vec![(0, 1)],
                Finding::Closest { pair, .. } => vec![*pair],
                Finding::Tied { pairs } => pairs.clone(),
            },
            matrix: self.square(|at| matrix[at].value),
            matrix_standard_errors: self.square(|at| matrix[at].standard_error),
            distances: self.square(|at| distances[at].value),
            standard_errors: self.square(|at| distances[at].standard_error),
            rewired: self
                .0
                .outcome
                .rewired
                .iter()
                .map(|copy| {
                    copy.map(|copy| RewiredSummary {
                        value: copy.value.value,
                        value_standard_error: copy.value.standard_error,
                        distance: copy.distance.value,
                        standard_error: copy.distance.standard_error,
                    })
                })
                .collect(),
            edge_coverage: (*measure != Measure::Error).then_some(coverage),
            merges: self
                .0
                .outcome
                .merges
                .iter()
                .map(|merge| MergeSummary {
                    a: merge.a,
                    b: merge.b,
                    height: merge.height.value,
                    standard_error: merge.height.standard_error,
                    distinct: merge.distinct,
                    grouped: merge.grouped,
                })
                .collect(),
            sampler: self.0.kind,
            notes: &self.0.notes,
            seconds: self.0.seconds,
            compared: self,
            out,
            written,
        }
    }

    /// The nearest network of each, where they are few.
    fn nearest(&self) -> Vec<(&str, String)> {
        if self.0.names.len() > LISTED || self.0.names.len() < 3 {
            return Vec::new();
        }
        let one = |at: usize| {
            let other = self.0.outcome.nearest(at)?;
            let distance = self.0.outcome.distance((at, other));
            let copy = self.0.outcome.rewired[at]
                .map_or_else(String::new, |copy| format!("; rewired {}", copy.distance));
            let text = format!("{}: {} {distance}{copy}", self.0.names[at], self.0.names[other]);
            Some(("nearest", text))
        };
        (0..self.0.names.len()).filter_map(one).collect()
    }
}

/// `ergodict network compare`
#[derive(Serialize)]
pub(in crate::network) struct CompareSummary<'a> {
    /// Names of the networks
    networks: &'a [String],
    /// Files that were read
    inputs: &'a [Input],
    /// `error`, `jaccard`, `weighted-jaccard` or `auc`
    measure: String,
    /// Conclusion in one sentence
    finding: String,
    /// Whether no network is fitted better by a foreign dictionary than by its own, beyond error
    conclusive: bool,
    /// Closest pairs `[a, b]` of networks: more than one where they are within error of each other, none where inconclusive
    closest: Vec<(usize, usize)>,
    /// Relative error or accuracy; rows: dictionaries, columns: networks
    matrix: Vec<Vec<f64>>,
    /// Standard errors of the matrix
    matrix_standard_errors: Vec<Vec<f64>>,
    /// Distances: half the sum of log₂ E(i,j)/E(j,j) and log₂ E(j,i)/E(i,i), or the mean loss of accuracy
    distances: Vec<Vec<f64>>,
    /// Standard errors of the distances, over dictionaries and walks
    standard_errors: Vec<Vec<f64>>,
    /// Yardstick of each network: a degree-preserving rewiring of it, or `null`
    rewired: Vec<Option<RewiredSummary>>,
    /// Share of edges that were visited, in the cells of the matrix; `null` for `error`
    edge_coverage: Option<Vec<Vec<Option<f64>>>>,
    /// Average linkage, from the closest clusters to the farthest; the n-th merge makes cluster `networks + n`
    merges: Vec<MergeSummary>,
    /// Sampler of the walks
    sampler: SamplerKind,
    /// Why networks have no rewired copy
    notes: &'a [String],
    /// Time of all
    seconds: f64,
    #[serde(skip)]
    compared: &'a Compared,
    #[serde(skip)]
    out: Option<&'a Path>,
    #[serde(skip)]
    written: Vec<(&'static str, String)>,
}

/// A rewired copy of a network.
#[derive(Serialize)]
struct RewiredSummary {
    /// Relative error or accuracy of the copy's dictionaries on the network
    value: f64,
    /// Its standard error
    value_standard_error: f64,
    /// Distance of the network from the copy
    distance: f64,
    /// Its standard error
    standard_error: f64,
}

/// A merge of two clusters.
#[derive(Serialize)]
struct MergeSummary {
    /// First cluster
    a: usize,
    /// Second cluster
    b: usize,
    /// Mean distance of their networks
    height: f64,
    /// Its standard error
    standard_error: f64,
    /// Whether the height is above 0 beyond error
    distinct: bool,
    /// Whether the next merge is higher beyond error
    grouped: bool,
}

impl Summary for CompareSummary<'_> {
    const SCHEMA: &'static str = "ergodict.network-compare/2";

    fn finding(&self) -> Option<String> {
        Some(self.finding.clone())
    }

    fn lines(&self) -> Vec<(&str, String)> {
        let (config, n) = (&self.compared.0.config, self.networks.len());
        let each = if self.measure == "error" { "network" } else { "reconstruction" };
        let compared = format!(
            "{n} networks by {}, {} walks per {each} ({}), {} dictionaries per network",
            self.compared.0.outcome.measure.noun(),
            config["samples"],
            self.sampler,
            config["seeds"],
        );
        let mut lines = self.compared.nearest();
        lines.push(("data", compared));
        if let Some(coverage) = &self.edge_coverage {
            let coverage = coverage.iter().flatten().flatten().copied().fold(1.0, f64::min);
            lines.push((
                "coverage",
                format!("at least {:.1} % of the edges of each network", 100.0 * coverage),
            ));
        }
        lines.extend(self.out.map(|out| ("wrote", out.display().to_string())));
        lines.extend(self.written.clone());
        lines
    }

    fn details(&self) -> Vec<(&str, String)> {
        vec![("time", format!("{:.1} s", self.seconds))]
    }

    fn text(&self) -> String {
        if self.out.is_none() { self.compared.table() } else { String::new() }
    }

    fn config(&self) -> Value {
        self.compared.0.config.clone()
    }
}
