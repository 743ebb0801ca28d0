//! What comparing networks came to: as a table, in words, as JSON and as a page.

use crate::again;
use crate::page::short;
use anyhow::Result;
use clap::ValueEnum;
use ergodict::chain::SamplerKind;
use ergodict::dictionary::Input;
use ergodict::reconstruct::Merge;
use ergodict::reconstruct::network::Accuracy;
use ergodict_report::{Figure, Heat, Report, Tree};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Which number says how well a network is rebuilt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Measure {
    /// Edges found, divided by all edges and all pairs called so
    Jaccard,
    /// Σ min(A, rebuilt) / Σ max(A, rebuilt)
    WeightedJaccard,
    /// How often an edge has a larger weight than another pair
    Auc,
}

/// What comparing came to.
pub(super) struct Compared {
    pub(super) names: Vec<String>,
    /// Row by row: the dictionary of the row's network on that of the column.
    pub(super) accuracy: Vec<Accuracy>,
    pub(super) merges: Vec<Merge>,
    pub(super) measure: Measure,
    pub(super) kind: SamplerKind,
    pub(super) config: Value,
    pub(super) inputs: Vec<Input>,
    pub(super) seconds: f64,
}

impl Compared {
    fn value(&self, accuracy: &Accuracy) -> f64 {
        let value = match self.measure {
            Measure::Jaccard => accuracy.jaccard,
            Measure::WeightedJaccard => accuracy.weighted_jaccard,
            Measure::Auc => accuracy.auc,
        };
        value.unwrap_or(f64::NAN)
    }

    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        self.value(&self.accuracy[row * self.names.len() + column])
    }

    /// How much worse two networks are rebuilt by each other's atoms than by their own, on average; 0 where they are not worse.
    pub(super) fn distances(&self) -> Vec<f64> {
        let n = self.names.len();
        let accuracy: Vec<f64> = self.accuracy.iter().map(|accuracy| self.value(accuracy)).collect();
        ergodict::reconstruct::network::distances(&accuracy, n)
    }

    pub(super) fn table(&self) -> String {
        let plain: Vec<String> = self.names.iter().map(|name| name.replace(['\t', '\n'], " ")).collect();
        let mut text = format!("dictionary\t{}\n", plain.join("\t"));
        for (row, name) in plain.iter().enumerate() {
            let cells = (0..self.names.len()).map(|column| format!("{:.6}", self.at(row, column)));
            let _ = writeln!(text, "{name}\t{}", cells.collect::<Vec<_>>().join("\t"));
        }
        text
    }

    pub(super) fn measure(&self) -> String {
        self.measure.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
    }

    pub(super) fn words(&self, out: Option<&Path>, showing: Vec<(&'static str, String)>) -> String {
        let compared = format!(
            "{} networks by {} ({} homomorphisms each, {}) in {:.1} s",
            self.names.len(),
            self.measure(),
            self.config["samples"],
            self.kind,
            self.seconds
        );
        let mut lines = vec![("compared", compared)];
        let n = self.names.len();
        let coverage = self.accuracy.iter().filter_map(|accuracy| accuracy.edge_coverage).fold(1.0, f64::min);
        lines.push((
            "coverage",
            format!("at least {:.1} % of the edges of each network were seen", 100.0 * coverage),
        ));
        if let Some(first) = self.merges.first().filter(|first| first.a < n && first.b < n) {
            let closest = format!(
                "{} and {}, which lose {:.4} of accuracy by exchanging atoms (a gain counts as 0)",
                self.names[first.a], self.names[first.b], first.height
            );
            lines.push(("closest", closest));
        }
        lines.extend(out.map(|out| ("wrote", out.display().to_string())));
        lines.extend(showing);
        crate::words::table(&lines)
    }

    pub(super) fn json(&self) -> Value {
        let n = self.names.len();
        let matrix: Vec<Vec<f64>> =
            (0..n).map(|row| (0..n).map(|column| self.at(row, column)).collect()).collect();
        let merges = self.merges.iter().map(|merge| json!([merge.a, merge.b, merge.height]));
        let coverage: Vec<Vec<Option<f64>>> =
            self.accuracy.chunks(n).map(|row| row.iter().map(|a| a.edge_coverage).collect()).collect();
        json!({
            "schema": "ergodict.network-compare/1",
            "networks": self.names,
            "inputs": self.inputs,
            "measure": self.measure(),
            "matrix": matrix,
            "edge_coverage": coverage,
            "merges": merges.collect::<Vec<_>>(),
            "sampler": self.kind.to_string(),
            "seconds": self.seconds,
            "config": self.config,
        })
    }

    pub(super) fn page(&self) -> Result<Report> {
        let n = self.names.len();
        let names: Vec<String> = self.names.iter().map(|name| short(name)).collect();
        let values = (0..n * n).map(|at| Some(self.at(at / n, at % n)).filter(|x| x.is_finite()));
        let heat = Heat {
            row_label: "atoms of".into(),
            col_label: "rebuilt".into(),
            ..Heat::new(names.clone(), names.clone(), values.collect::<Vec<_>>())
        };
        let merges: Vec<(usize, usize, f64)> = self.merges.iter().map(|m| (m.a, m.b, m.height)).collect();
        let tree = Tree { x_label: "loss of accuracy".into(), ..Tree::new(names.clone(), merges) };
        let facts: Vec<(&str, String)> = [
            ("measure", self.measure()),
            ("mode", self.config["mode"].as_str().unwrap_or_default().to_owned()),
            (
                "motif",
                format!("{} of {} nodes", self.config["motif"].as_str().unwrap_or("motif"), self.config["k"]),
            ),
            ("atoms", self.config["atoms"].to_string()),
            ("homomorphisms", self.config["samples"].to_string()),
            ("seed", self.config["seed"].to_string()),
            ("time", format!("{:.1} s", self.seconds)),
            ("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))),
        ]
        .into_iter()
        .chain(self.inputs.iter().map(|input| ("input", crate::page::input(input))))
        .collect();
        let own = (0..n).map(|at| self.at(at, at)).sum::<f64>() / n as f64;
        let others = (0..n * n).filter(|at| at / n != at % n).map(|at| self.at(at / n, at % n));
        let others = others.sum::<f64>() / (n * n - n).max(1) as f64;
        let closest = self.merges.first().filter(|first| first.a < n && first.b < n);
        let closest = closest.map_or_else(String::new, |first| {
            format!(
                " {} and {} are the most alike: they lose {:.4} by exchanging atoms.",
                names[first.a], names[first.b], first.height
            )
        });
        let lead = format!(
            "{n} networks, each rebuilt by the latent motifs of every one of them. By its own atoms a network is rebuilt with {} {own:.4} on average, by those \
             of others with {others:.4}.{closest}",
            self.measure()
        );
        let heat = Figure {
            title: "Accuracy".into(),
            svg: heat.svg()?,
            words: "Rows: the network whose atoms are used. Columns: the network that is rebuilt. A row of high values has atoms that fit \
                    everywhere; a column of high values is a network that any atoms rebuild."
                .into(),
        };
        let tree = Figure {
            title: "Which are alike".into(),
            svg: tree.svg()?,
            words: "Networks joined far to the left rebuild each other nearly as well as themselves: the distance of two is the accuracy that is \
                    lost when they exchange atoms, on average, or 0 where exchanging gains; groups are joined by the mean over their pairs."
                .into(),
        };
        Ok(Report::new("Networks by each other's latent motifs")
            .lead(lead)
            .figure(heat)
            .figure(tree)
            .facts(&facts)
            .code(
                "Run it again",
                again::command("network compare", &self.config, &self.names, "--report compare.html"),
            ))
    }
}
