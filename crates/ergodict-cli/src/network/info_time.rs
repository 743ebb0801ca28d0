//! `ergodict network info --timestamps`: the windows that rows with times are cut into.

use super::info::Args;
use super::timing::{Timed, long};
use crate::args::Common;
use crate::output;
use crate::words::table;
use anyhow::{Context, Result, bail};
use ergodict::data::{Network, differences};
use serde_json::{Value, json};
use std::fmt::Write;
use std::process::ExitCode;

pub(super) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    args.timing.check(std::slice::from_ref(&args.net))?;
    if args.showing.outputs().next().is_some() {
        bail!(
            "--report is of one network: leave --timestamps out (`network learn --timestamps` draws windows)"
        );
    }
    let Timed { windows, decisions, name, input } =
        args.timing.open(&args.net, &args.reading, common.quiet)?;
    let (mut listed, mut text) = (Vec::new(), String::new());
    let mut before: Option<Network> = None;
    for at in 0..windows.len() {
        let network = windows.network(at).with_context(|| name.clone())?;
        let changed = before.as_ref().map(|before| differences(before, &network));
        let (from, to) = windows.span(at);
        let rows = windows.rows_of(at).len();
        let differs = changed.map_or_else(String::new, |d| format!(", {} came, {} went", d.came, d.went));
        let (nodes, edges) = (network.nodes(), network.edges());
        let _ = writeln!(
            text,
            "  {:>5}  {}  {rows} rows, {nodes} nodes, {edges} edges{differs}",
            at + 1,
            windows.name(at)
        );
        let one = json!({
            "window": at + 1,
            "name": windows.name(at),
            "from": from,
            "to": to,
            "rows": rows,
            "nodes": nodes,
            "edges": edges,
            "edges_came": changed.map(|d| d.came),
            "edges_went": changed.map(|d| d.went),
        });
        listed.push(one);
        before = Some(network);
    }
    let (first, last) = decisions.span;
    if common.json {
        let all: Value = json!({
            "schema": "ergodict.network-info-time/1",
            "network": name,
            "digest": input.map(|input| input.digest),
            "decisions": decisions.to_string(),
            "rows": decisions.rows,
            "removals": decisions.removals,
            "nodes": windows.rows().ids().len(),
            "times": decisions.times,
            "from": first,
            "to": last,
            "windows": listed,
            "config": crate::resolved::config(),
        });
        output::print(&format!("{all:#}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let times = decisions.times;
    let (begin, end) = windows.span(0);
    let lines = [
        ("network", name),
        ("rows", decisions.rows.to_string()),
        ("nodes", windows.rows().ids().len().to_string()),
        ("times", format!("{} to {}", times.show(first), times.show(last))),
        ("windows", format!("{} of {}", windows.len(), long(end - begin, times))),
    ];
    output::print(&format!("{}\n{text}", table(&lines)))?;
    Ok(ExitCode::SUCCESS)
}
