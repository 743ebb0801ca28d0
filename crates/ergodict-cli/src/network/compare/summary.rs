//! What comparing networks came to: as a table, a summary and a report.

use crate::page::short;
use crate::rerun;
use crate::summary::Summary;
use anyhow::Result;
use ergodict::chain::SamplerKind;
use ergodict::model::Input;
use ergodict::reconstruct::network::{ComparisonOutcome, Estimate, Finding, Measure};
use ergodict_report::{Figure, Heat, Report, Table, Tree};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// Networks whose nearest ones are printed.
const LISTED: usize = 12;

const ERRORS: &str = "Row: dictionary. Column: network. Compare within a column, by which cells are colored: share of the network's walks that the dictionary \
    leaves unexplained, on walks that nothing was learned from. Last row: dictionary of a degree-preserving rewiring of the column's network.";
const ACCURACIES: &str = "Row: dictionary. Column: network. Compare within a column, by which cells are colored: how well the network is reconstructed. Last row: \
    dictionary of a degree-preserving rewiring of the column's network.";
const DISTANCES: &str = "Distance 1 means that exchanged dictionaries have twice the error of own ones, 0 that they fit as well; \
    ± is the standard error over dictionaries and walks. Last row: distance of a network from its rewired copy; two rewired \
    copies are at a small distance from each other, too, as every dictionary fits its own network best.";
const LOSSES: &str = "Accuracy lost when two networks exchange dictionaries; ± is the standard error over dictionaries. Last row: the \
    same for a network and its rewired copy.";
const TREE: &str = "Average linkage of the distances. A branch is drawn only where it is longer than its error: networks that join \
    at 0 are not distinguishable.";

/// What comparing came to.
pub(in crate::network) struct Compared {
    pub(in crate::network) names: Vec<String>,
    pub(in crate::network) outcome: ComparisonOutcome,
    pub(in crate::network) kind: SamplerKind,
    pub(in crate::network) config: Value,
    pub(in crate::network) inputs: Vec<Input>,
    pub(in crate::network) seconds: f64,
}

/// A distance with its error.
fn plus_minus(estimate: Estimate) -> String {
    format!("{:.4} ± {:.4}", estimate.value, estimate.standard_error)
}

impl Compared {
    fn square<T>(&self, cell: impl Fn(usize) -> T) -> Vec<Vec<T>> {
        let n = self.names.len();
        (0..n).map(|row| (0..n).map(|column| cell(row * n + column)).collect()).collect()
    }

    pub(in crate::network) fn table(&self) -> String {
        let plain: Vec<String> = self.names.iter().map(|name| name.replace(['\t', '\n'], " ")).collect();
        let mut text = format!("dictionary\t{}\n", plain.join("\t"));
        let mut line = |name: &str, cells: &mut dyn Iterator<Item = String>| {
            let _ = writeln!(text, "{name}\t{}", cells.collect::<Vec<_>>().join("\t"));
        };
        for (name, row) in plain.iter().zip(self.square(|at| self.outcome.matrix[at].value)) {
            line(name, &mut row.iter().map(|value| format!("{value:.6}")));
        }
        if self.outcome.rewired.iter().any(Option::is_some) {
            let value = |copy: &Option<_>| -> String {
                copy.as_ref()
                    .map_or_else(String::new, |copy: &ergodict::reconstruct::network::RewiredCopy| {
                        format!("{:.6}", copy.value.value)
                    })
            };
            line("rewired", &mut self.outcome.rewired.iter().map(value));
        }
        text
    }

    /// The finding, by the names that files have without their endings.
    fn finding(&self) -> String {
        let names: Vec<String> = self.names.iter().map(|name| short(name)).collect();
        let unique = names.iter().collect::<std::collections::BTreeSet<_>>().len() == names.len();
        let names = if unique { names } else { self.names.clone() };
        let outcome = ComparisonOutcome { names, ..self.outcome.clone() };
        let help = if outcome.finding.is_conclusive() { "" } else { " (--steps)" };
        outcome.sentence() + help
    }

    pub(in crate::network) fn summary<'a>(
        &'a self,
        out: Option<&'a Path>,
        written: Vec<(&'static str, String)>,
    ) -> CompareSummary<'a> {
        let ComparisonOutcome { measure, matrix, distances, .. } = &self.outcome;
        let coverage = self.square(|at| self.outcome.edge_coverage[at]);
        CompareSummary {
            networks: &self.names,
            inputs: &self.inputs,
            measure: measure.to_string(),
            finding: self.finding(),
            conclusive: self.outcome.finding.is_conclusive(),
            closest: match &self.outcome.finding {
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
            sampler: self.kind,
            seconds: self.seconds,
            compared: self,
            out,
            written,
        }
    }

    pub(in crate::network) fn page(&self) -> Result<Report> {
        let (n, outcome) = (self.names.len(), &self.outcome);
        let names: Vec<String> = self.names.iter().map(|name| short(name)).collect();
        let copies = outcome.rewired.iter().any(Option::is_some);
        let (mut rows, mut values) =
            (names.clone(), outcome.matrix.iter().map(|cell| Some(cell.value)).collect::<Vec<_>>());
        if copies {
            rows.push("rewired".into());
            values.extend(outcome.rewired.iter().map(|copy| copy.map(|copy| copy.value.value)));
        }
        let heat = Heat {
            row_label: "dictionary".into(),
            col_label: "network".into(),
            by_column: true,
            ..Heat::new(rows.clone(), names.clone(), values)
        };
        let is_error = outcome.measure == Measure::Error;
        let heat = Figure {
            title: if is_error { "Relative error".into() } else { "Cross-reconstruction".into() },
            svg: heat.svg()?,
            words: if is_error { ERRORS } else { ACCURACIES }.into(),
        };
        let line = |at: usize| {
            let cells = (0..n).map(|other| match other {
                other if other == at => "–".to_owned(),
                other => plus_minus(outcome.distance((at, other))),
            });
            std::iter::once(names[at].clone()).chain(cells).collect::<Vec<_>>()
        };
        let mut lines: Vec<Vec<String>> = (0..n).map(line).collect();
        if copies {
            let cell = outcome
                .rewired
                .iter()
                .map(|copy| copy.map_or_else(|| "–".to_owned(), |c| plus_minus(c.distance)));
            lines.push(std::iter::once("rewired".to_owned()).chain(cell).collect());
        }
        let distances = Table {
            title: "Distances".into(),
            head: std::iter::once(String::new()).chain(names.clone()).collect(),
            rows: lines,
            words: if is_error { DISTANCES } else { LOSSES }.into(),
        };
        let facts: Vec<(&str, String)> = [
            ("measure", outcome.measure.noun().to_owned()),
            (
                "motif",
                format!("{} of {} nodes", self.config["motif"].as_str().unwrap_or("motif"), self.config["k"]),
            ),
            ("atoms", self.config["atoms"].to_string()),
            ("dictionaries per network", self.config["seeds"].to_string()),
            ("fresh walks", self.config["samples"].to_string()),
            ("sampler", self.kind.to_string()),
            ("seed", self.config["seed"].to_string()),
            ("time", format!("{:.1} s", self.seconds)),
            ("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))),
        ]
        .into_iter()
        .chain(self.inputs.iter().map(|input| ("input", crate::page::input(input))))
        .collect();
        let mut report = Report::new(format!("Network similarity ({n} networks)"))
            .lead(format!("{}.", self.finding()))
            .figure(heat)
            .table(distances);
        if outcome.has_tree() {
            let merges: Vec<(usize, usize, f64)> =
                outcome.merges.iter().map(|merge| (merge.a, merge.b, merge.drawn)).collect();
            let x_label = if is_error { "distance" } else { "loss of accuracy" };
            let tree = Tree { x_label: x_label.into(), ..Tree::new(names, merges) };
            report =
                report.figure(Figure { title: "Clustering".into(), svg: tree.svg()?, words: TREE.into() });
        }
        let again = rerun::command("network compare", &self.config, &self.names, "--report compare.html");
        Ok(report.facts(&facts).code("Reproduce", again))
    }

    /// The nearest network of each, where they are few.
    fn nearest(&self) -> Vec<(&str, String)> {
        if self.names.len() > LISTED || self.names.len() < 3 {
            return Vec::new();
        }
        let one = |at: usize| {
            let other = self.outcome.nearest(at)?;
            let distance = plus_minus(self.outcome.distance((at, other)));
            let copy = self.outcome.rewired[at]
                .map_or_else(String::new, |copy| format!("; rewired {}", plus_minus(copy.distance)));
            let text = format!("{}: {} {distance}{copy}", short(&self.names[at]), short(&self.names[other]));
            Some(("nearest", text))
        };
        (0..self.names.len()).filter_map(one).collect()
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
        let (config, n) = (&self.compared.config, self.networks.len());
        let each = if self.measure == "error" { "network" } else { "reconstruction" };
        let compared = format!(
            "{n} networks by {}, {} walks per {each} ({}), {} dictionaries per network, in {:.1} s",
            self.compared.outcome.measure.noun(),
            config["samples"],
            self.sampler,
            config["seeds"],
            self.seconds
        );
        let mut lines = self.compared.nearest();
        lines.push(("compared", compared));
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

    fn text(&self) -> String {
        if self.out.is_none() { self.compared.table() } else { String::new() }
    }

    fn config(&self) -> Value {
        self.compared.config.clone()
    }
}
