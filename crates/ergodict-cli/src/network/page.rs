//! The report of a network: its degrees and the samplers that can be used.

use super::info::Validity;
use ergodict::data::Summary;
use ergodict::model::NetworkReport;
use ergodict_pages::network::degrees;
use ergodict_pages::text::short;
use ergodict_report::{Report, Table};

/// The page of a network.
pub(super) fn of_network(
    name: &str,
    summary: &Summary,
    lines: &[(&str, String)],
    samplers: &[Validity],
    facts: &[(&str, String)],
    command: &str,
) -> Report {
    let mean = summary.degrees.as_ref().map_or_else(String::new, |degrees| {
        format!(" A node has {:.1} neighbors on average, and at most {}.", degrees.mean, degrees.max)
    });
    let closed = summary.transitivity.map_or_else(String::new, |closed| {
        format!(
            " Two neighbors of a node are neighbors of each other in {:.1} % of the cases (the transitivity): near 0 means a network of \
             trees, some tenths one of communities.",
            100.0 * closed
        )
    });
    let parts = if summary.components > 1 {
        format!(
            " It has {} components; the largest holds {:.1} % of the nodes, and homomorphisms go there unless --component all is given.",
            summary.components,
            100.0 * summary.largest_nodes as f64 / summary.nodes.max(1) as f64
        )
    } else {
        String::new()
    };
    let lead = format!("{} nodes and {} edges.{mean}{closed}{parts}", summary.nodes, summary.edges);
    let rows = samplers.iter().map(|one| {
        vec![one.kind.to_string(), if one.valid { "yes" } else { "no" }.into(), one.words.clone()]
    });
    let of = NetworkReport {
        name: name.to_owned(),
        nodes: summary.nodes,
        edges: summary.edges,
        directed: summary.directed,
        weighted: summary.weighted,
        degrees: summary.histogram.iter().map(|bin| (bin.from, bin.to, bin.nodes)).collect(),
        effective_nodes: None,
        explained: None,
    };
    Report::new(format!("The network {}", short(name)))
        .lead(lead)
        .table(Table {
            title: "What it is like".into(),
            head: ["what".to_owned(), String::new()].to_vec(),
            rows: lines.iter().map(|(name, words)| vec![(*name).to_owned(), words.clone()]).collect(),
            words: String::new(),
        })
        .figure(degrees(&[of]))
        .table(Table {
            title: "Samplers".into(),
            head: ["sampler", "valid", "what to know"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
            words: "Which samplers of homomorphisms can be used for chain motifs on the largest component."
                .into(),
        })
        .facts(facts)
        .code("What to try next", command)
}
