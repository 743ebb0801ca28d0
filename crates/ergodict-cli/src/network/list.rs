//! `ergodict network list`: the networks that come with the program.

use crate::args::Common;
use crate::output;
use anyhow::Result;
use ergodict::data::embedded_names;
use serde_json::json;
use std::process::ExitCode;

/// Name the networks that come with ergodict
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
        let summary = json!({ "schema": "ergodict.network-list/1", "networks": all, "config": crate::resolved::config() });
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
    output::print(&lines.collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}
