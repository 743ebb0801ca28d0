//! `ergodict network list`: the networks that come with the program, and those that can be fetched.

use crate::args::Common;
use crate::output;
use anyhow::Result;
use ergodict::data::embedded_names;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Name the networks that come with ergodict, and those it can fetch
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  ergodict network list\n  ergodict network info @karate")]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, common: &Common) -> Result<ExitCode> {
    let all = embedded_names();
    if common.json {
        let all: Vec<_> = all
            .iter()
            .map(|one| {
                json!({
                    "name": format!("@{}", one.name),
                    "nodes": one.nodes,
                    "edges": one.edges,
                    "description": one.description,
                    "citation": one.citation,
                })
            })
            .collect();
        let summary = json!({
            "schema": "ergodict.network-list/1",
            "networks": all,
            "to_fetch": to_fetch(),
            "config": crate::resolved::config(),
        });
        output::print(&format!("{summary:#}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = all.iter().map(|one| one.name.len() + 1).max().unwrap_or(0);
    let lines = all.iter().map(|one| {
        format!(
            "{:<width$}  {:>3} nodes  {:>3} edges  {} ({})\n",
            format!("@{}", one.name),
            one.nodes,
            one.edges,
            one.description,
            one.citation
        )
    });
    let mut text: String = lines.collect();
    let to_fetch = to_fetch();
    text += if to_fetch.is_empty() {
        "\n`ergodict network fetch` downloads others, in a program built with `--features fetch`\n"
    } else {
        "\nto be fetched from their publishers, by `ergodict network fetch NAME`:\n"
    };
    text.extend(to_fetch.iter().map(|one| {
        let word = |key: &str| one[key].as_str().unwrap_or_default();
        // As text: JSON values pay no heed to widths.
        let (nodes, edges) = (one["nodes"].to_string(), one["edges"].to_string());
        let (name, what, who) = (word("name"), word("description"), word("citation"));
        format!("{name:<12}  {nodes:>5} nodes  {edges:>7} edges  {what} ({who})\n")
    }));
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The networks that can be fetched: none by a program that was built without `fetch`.
fn to_fetch() -> Vec<Value> {
    #[cfg(feature = "fetch")]
    let originals = ergodict::data::fetch::originals().iter().map(|one| {
        json!({
            "name": one.name,
            "nodes": one.content.nodes,
            "edges": one.content.edges,
            "description": one.description,
            "citation": one.citation,
            "url": one.url,
            "page": one.page,
            "content_sha256": one.content.sha256,
        })
    });
    #[cfg(not(feature = "fetch"))]
    let originals = std::iter::empty();
    originals.collect()
}
