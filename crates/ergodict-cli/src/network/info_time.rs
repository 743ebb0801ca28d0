//! `ergodict network info --timestamps`: the windows that rows with times are cut into.

use super::info::Args;
use super::timing::{self, Timed, long};
use crate::args::Common;
use crate::summary::{Summary, emit};
use crate::text::table;
use anyhow::{Context, Result, bail};
use ergodict::data::{Network, Times, differences};
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

pub(super) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    timing::check(&args.timing, std::slice::from_ref(&args.net))?;
    if args.reports.outputs().next().is_some() {
        bail!(
            "--report is of one network: leave --timestamps out (`network learn --timestamps` draws windows)"
        );
    }
    let Timed { windows, decisions, name, input } =
        timing::open(&args.timing, &args.net, &args.reading, common.quiet)?;
    let mut listed = Vec::new();
    let mut before: Option<Network> = None;
    for at in 0..windows.len() {
        let network = windows.network(at).with_context(|| name.clone())?;
        let changed = before.as_ref().map(|before| differences(before, &network));
        let (from, to) = windows.span(at);
        listed.push(WindowInfo {
            window: at + 1,
            name: windows.name(at),
            from,
            to,
            rows: windows.rows_of(at).len(),
            nodes: network.nodes(),
            edges: network.edges(),
            edges_came: changed.map(|d| d.came),
            edges_went: changed.map(|d| d.went),
        });
        before = Some(network);
    }
    let (from, to) = decisions.span;
    let (begin, end) = windows.span(0);
    let summary = InfoTimeSummary {
        network: name,
        digest: input.map(|input| input.digest),
        decisions: decisions.to_string(),
        rows: decisions.rows,
        removals: decisions.removals,
        nodes: windows.rows().ids().len(),
        times: decisions.times,
        from,
        to,
        windows: listed,
        length: end - begin,
    };
    emit(&summary, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict network info --timestamps`
#[derive(Serialize)]
struct InfoTimeSummary {
    /// File without folders
    network: String,
    /// Digest of the file's bytes; `null` for standard input
    digest: Option<String>,
    /// How the file was read, as one line
    decisions: String,
    /// Rows of the file
    rows: u64,
    /// Rows that remove their edge
    removals: u64,
    /// Nodes of all rows
    nodes: usize,
    /// `numbers`, `unix` or `dates`
    times: Times,
    /// First time
    from: f64,
    /// Last time
    to: f64,
    /// Windows, in their order
    windows: Vec<WindowInfo>,
    #[serde(skip)]
    length: f64,
}

#[derive(Serialize)]
struct WindowInfo {
    /// Number of the window, from 1
    window: usize,
    /// Its span of time
    name: String,
    /// When it begins
    from: f64,
    /// When it ends
    to: f64,
    /// Rows with times in it
    rows: usize,
    /// Nodes of its network
    nodes: usize,
    /// Edges of its network
    edges: u64,
    /// Edges that the window before does not have; `null` for the first
    edges_came: Option<u64>,
    /// Edges of the window before that it does not have; `null` for the first
    edges_went: Option<u64>,
}

impl Summary for InfoTimeSummary {
    const SCHEMA: &'static str = "ergodict.network-info-time/1";

    fn text(&self) -> String {
        let (times, length) = (self.times, long(self.length, self.times));
        let lines = [
            ("network", self.network.clone()),
            ("rows", self.rows.to_string()),
            ("nodes", self.nodes.to_string()),
            ("times", format!("{} to {}", times.show(self.from), times.show(self.to))),
            ("windows", format!("{} of {length}", self.windows.len())),
        ];
        let mut text = table(&lines) + "\n";
        for WindowInfo { window, name, rows, nodes, edges, edges_came, edges_went, .. } in &self.windows {
            let _ = write!(text, "  {window:>5}  {name}  {rows} rows, {nodes} nodes, {edges} edges");
            if let (Some(came), Some(went)) = (edges_came, edges_went) {
                let _ = write!(text, ", {came} added, {went} removed");
            }
            text.push('\n');
        }
        text
    }
}
