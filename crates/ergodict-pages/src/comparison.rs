//! The report of a comparison of networks.

use crate::rerun;
use crate::text::{input, short};
use ergodict::chain::{SampledNetwork, SamplerKind};
use ergodict::model::Input;
use ergodict::reconstruct::network::{ComparisonOutcome, Measure};
use ergodict::{Error, Hint};
use ergodict_report::words::number;
use ergodict_report::{Figure, Heat, PictureError, Report, Table, Tree};
use serde_json::Value;

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

/// A finished comparison.
pub struct ComparisonPage {
    /// Names of the networks.
    pub names: Vec<String>,
    /// The numbers.
    pub outcome: ComparisonOutcome,
    /// The sampler.
    pub kind: SamplerKind,
    /// Settings by their keys.
    pub config: Value,
    /// Files that were read.
    pub inputs: Vec<Input>,
    /// Why networks have no rewired copy, and whether some are much denser than others.
    pub notes: Vec<String>,
    /// Time of all.
    pub seconds: f64,
}

/// Mean degrees that differ by this factor may change distances as much as structure does: two thirds of the edges of a network of communities
/// were closer to another network of as few edges than to all of them.
const DENSER: f64 = 1.5;

impl ComparisonPage {
    /// A note of networks of which some are much denser than others.
    pub fn densities(networks: &[SampledNetwork]) -> Option<String> {
        let degree =
            |(network, _): &SampledNetwork| 2.0 * network.edges() as f64 / network.nodes().max(1) as f64;
        let (least, most) = networks
            .iter()
            .map(degree)
            .fold((f64::INFINITY, 0.0f64), |(least, most), degree| (least.min(degree), most.max(degree)));
        (most >= DENSER * least && most > 0.0).then(|| {
            format!(
                "mean degrees are {least:.1} to {most:.1}, and distances measure density as well: to compare structure alone, remove edges of the denser \
                 networks at random first"
            )
        })
    }

    /// The rewired copies that there are, and why there are no others, with settings spelled as `spell` does.
    pub fn yardsticks(
        copies: Vec<Result<SampledNetwork, Error>>,
        names: &[String],
        spell: &dyn Fn(&Hint) -> String,
    ) -> (Vec<Option<SampledNetwork>>, Vec<String>) {
        let mut notes = Vec::new();
        let copy = |(copy, name): (Result<SampledNetwork, Error>, &String)| {
            let missing = |error: Error| {
                notes.push(format!("{name}: no rewired copy to compare with: {}", error.spelled(spell)));
            };
            copy.map_err(missing).ok()
        };
        (copies.into_iter().zip(names).map(copy).collect(), notes)
    }

    /// The finding, by the names of the networks.
    pub fn finding(&self) -> String {
        self.sentence(self.names.clone())
    }

    /// The names that files have without their endings, where these differ.
    fn short_names(&self) -> Vec<String> {
        let names: Vec<String> = self.names.iter().map(|name| short(name)).collect();
        let unique = names.iter().collect::<std::collections::BTreeSet<_>>().len() == names.len();
        if unique { names } else { self.names.clone() }
    }

    /// The finding, by these names.
    fn sentence(&self, names: Vec<String>) -> String {
        let outcome = ComparisonOutcome { names, ..self.outcome.clone() };
        let help = if outcome.finding.is_conclusive() { "" } else { " (--steps)" };
        outcome.sentence() + help
    }

    /// The numbers at the top: the smallest distance, and that of a rewired copy.
    fn numbers(&self, names: &[String]) -> Vec<(String, String)> {
        let outcome = &self.outcome;
        let n = names.len();
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        let closest = pairs.min_by(|a, b| outcome.distance(*a).value.total_cmp(&outcome.distance(*b).value));
        let mut numbers = Vec::new();
        if let Some((a, b)) = closest {
            let text = format!("smallest distance: {} and {}", names[a], names[b]);
            numbers.push((outcome.distance((a, b)).to_string(), text));
        }
        let copies = outcome.rewired.iter().flatten().map(|copy| copy.distance.value);
        let (low, high) =
            copies.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), d| (low.min(d), high.max(d)));
        if low <= high {
            // Zero without a sign.
            let [low, high] = [low, high].map(|d| format!("{:.3}", (1e3 * d).round() / 1e3 + 0.0));
            let range = if low == high { low } else { format!("{low} to {high}") };
            numbers.push((range, "distance of rewired copies".to_owned()));
        }
        numbers.push((n.to_string(), "networks".to_owned()));
        numbers
    }

    /// Values of a column that differ by less have the same color: two standard errors of each, and a twentieth of the largest value.
    fn least_span(&self) -> f64 {
        let copies = self.outcome.rewired.iter().flatten().map(|copy| &copy.value);
        let cells = || self.outcome.matrix.iter().chain(copies.clone());
        let error = cells().map(|cell| cell.standard_error).filter(|e| e.is_finite()).fold(0.0, f64::max);
        let value = cells().map(|cell| cell.value.abs()).fold(0.0, f64::max);
        // To hundredths.
        (100.0 * (4.0 * error).max(0.05 * value)).ceil() / 100.0
    }

    /// The words of walks, for motifs of which samples are none.
    fn said(&self, words: &str) -> String {
        if self.config["motif"] == "path" { words.to_owned() } else { words.replace("walks", "samples") }
    }

    /// The page.
    ///
    /// # Errors
    /// Names or trees that cannot be drawn.
    pub fn report(&self) -> Result<Report, PictureError> {
        let (n, outcome) = (self.names.len(), &self.outcome);
        let names = self.short_names();
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
            least_span: self.least_span(),
            ..Heat::new(rows.clone(), names.clone(), values)
        };
        let is_error = outcome.measure == Measure::Error;
        let heat = Figure {
            title: if is_error { "Relative error".into() } else { "Cross-reconstruction".into() },
            svg: heat.svg()?,
            words: format!(
                "{} Colors of a column span {} at least.",
                self.said(if is_error { ERRORS } else { ACCURACIES }),
                number(self.least_span()),
            ),
        };
        let line = |at: usize| {
            let cells = (0..n).map(|other| match other {
                other if other == at => "–".to_owned(),
                other => outcome.distance((at, other)).to_string(),
            });
            std::iter::once(names[at].clone()).chain(cells).collect::<Vec<_>>()
        };
        let mut lines: Vec<Vec<String>> = (0..n).map(line).collect();
        if copies {
            let cell = outcome
                .rewired
                .iter()
                .map(|copy| copy.map_or_else(|| "–".to_owned(), |c| c.distance.to_string()));
            lines.push(std::iter::once("rewired".to_owned()).chain(cell).collect());
        }
        let distances = Table {
            title: "Distances".into(),
            head: std::iter::once(String::new()).chain(names.clone()).collect(),
            rows: lines,
            words: self.said(if is_error { DISTANCES } else { LOSSES }),
        };
        let facts: Vec<(&str, String)> = [
            ("measure", outcome.measure.noun().to_owned()),
            (
                "motif",
                format!("{} of {} nodes", self.config["motif"].as_str().unwrap_or("motif"), self.config["k"]),
            ),
            ("atoms", self.config["atoms"].to_string()),
            ("dictionaries per network", self.config["seeds"].to_string()),
            (
                if self.config["motif"] == "path" { "fresh walks" } else { "fresh samples" },
                self.config["samples"].to_string(),
            ),
            ("sampler", self.kind.to_string()),
            ("seed", self.config["seed"].to_string()),
            ("time", format!("{:.1} s", self.seconds)),
            ("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))),
        ]
        .into_iter()
        .chain(self.inputs.iter().map(|one| ("input", input(one))))
        .collect();
        let notes: Vec<String> = self.notes.iter().map(|note| format!("\n\nNote: {note}.")).collect();
        let mut report = Report::new(format!("Network similarity ({n} networks)"))
            .lead(format!("{}.{}", self.sentence(self.short_names()), notes.concat()))
            .numbers(self.numbers(&names))
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use ergodict::chain::{ExactSampler, Motif};
    use ergodict::data::embedded;
    use std::sync::Arc;

    /// Mean degrees of 4.59, 6.60 and 3.60.
    #[test]
    fn densities_are_noted_from_a_factor_of_one_and_a_half_on() {
        let network = |name: &str| -> SampledNetwork {
            let network = Arc::new(embedded(name).unwrap().unweighted());
            (network.clone(), Arc::new(ExactSampler::new(network, &Motif::path(3).unwrap()).unwrap()))
        };
        let [karate, lesmis, kite] = ["karate", "lesmis", "kite"].map(network);
        assert_eq!(ComparisonPage::densities(&[karate.clone(), lesmis.clone()]), None);
        let note = ComparisonPage::densities(&[kite, karate, lesmis]).unwrap();
        assert!(note.starts_with("mean degrees are 3.6 to 6.6"), "{note}");
        assert_eq!(ComparisonPage::densities(&[]), None);
    }
}
