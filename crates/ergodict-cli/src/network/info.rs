//! `ergodict network info`: size, degrees and components of a network, and which samplers are valid on it.

use super::info_time;
use super::reading::{self, OpenedNetwork};
use crate::args::Common;
use crate::paths;
use crate::reports::{self, ReportArgs};
use crate::summary::{Summary, emit};
use crate::text::table;
use anyhow::Result;
use ergodict::data::{self, EdgeCounts, ReadSettings, WindowSettings};
use ergodict_pages::info::{NetworkPage, SamplerValidity};
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

const HELP: &str = "\
Example:
  ergodict network info @karate
  ergodict network info edges.txt.gz --json
  ergodict network info edges.txt.gz --report degrees.html
  ergodict network info messages.txt.gz --timestamps --window 30d";

/// Show size, degrees, components and valid samplers of a network
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    #[arg(value_name = "NET", help = reading::expected("The network: "))]
    pub(super) net: PathBuf,
    #[command(flatten)]
    pub(super) timing: WindowSettings,
    #[command(flatten)]
    pub(super) reading: ReadSettings,
    #[command(flatten)]
    pub(super) reports: ReportArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    let inputs: Vec<paths::NamedPath<'_>> = reading::file(&args.net).into_iter().collect();
    let outputs: Vec<paths::NamedPath<'_>> = args.reports.outputs().collect();
    paths::check(common, &inputs, &outputs)?;
    reports::probe(&outputs)?;
    if args.timing.timestamps.is_some() {
        return info_time::run(args, common);
    }
    let OpenedNetwork { network, decisions, name, input } =
        reading::open(&args.reading, &args.net, common.quiet)?;
    let page = NetworkPage::new(&name, &Arc::new(network))?;
    let seconds = started.elapsed().as_secs_f64();
    let page = NetworkPage { input, decisions: decisions.as_ref().map(ToString::to_string), seconds, ..page };
    args.reports.write(|| Ok(page.report()))?;
    let info = InfoSummary {
        network: &page.name,
        digest: page.input.as_ref().map(|input| input.digest.as_str()),
        decisions: page.decisions.as_deref(),
        found: decisions.map(|decisions| decisions.found),
        summary: &page.summary,
        samplers: &page.samplers,
        facts: page.lines(),
    };
    emit(&info, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict network info`
#[derive(Serialize)]
struct InfoSummary<'a> {
    /// File without folders, or `@name`
    network: &'a str,
    /// Digest of the file's bytes; `null` for embedded networks and standard input
    digest: Option<&'a str>,
    /// How the file was read, as one line; `null` for embedded networks
    decisions: Option<&'a str>,
    /// What was found in the file; `null` for embedded networks
    found: Option<EdgeCounts>,
    /// Measures of the network
    summary: &'a data::Summary,
    /// Samplers, for path motifs on the largest component
    samplers: &'a [SamplerValidity],
    #[serde(skip)]
    facts: Vec<(&'static str, String)>,
}

impl Summary for InfoSummary<'_> {
    const SCHEMA: &'static str = "ergodict.network-info/1";

    fn text(&self) -> String {
        let mut text = table(&self.facts);
        text.push_str("\nsamplers, for path motifs on the largest component:\n");
        for one in self.samplers {
            let mark = if one.valid { "yes" } else { "no " };
            let _ = writeln!(text, "  {:<13} {mark}  {}", one.kind, one.words);
        }
        text
    }
}
