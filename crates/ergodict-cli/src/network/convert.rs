//! `ergodict network convert`: a network in another format.

use super::reading::{self, Reading};
use crate::args::Common;
use crate::progress::{Progress, say};
use crate::words::table;
use crate::{input, interrupt, output, paths};
use anyhow::Result;
use ergodict::data::{check_network_name, convert_network, write_network_with_note};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
The format to write is told by the name: .egr (ours, opened without reading it: a memory map), .mtx (MatrixMarket), .npz
(scipy), anything else is an edge list, compressed where the name ends in .gz or .zst.

Example:
  ergodict network convert edges.txt.gz -o network.egr
  ergodict network convert network.egr -o network.mtx";

/// Write a network in another format, such as .egr, which opens at once
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The network: an edge list, MatrixMarket, scipy .npz or .egr, - for standard input, or a name such as @karate
    #[arg(value_name = "NET")]
    net: PathBuf,
    /// The file to write: .egr, .mtx, .npz, or an edge list
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Memory for sorting an edge list on its way to .egr; what does not fit is sorted on disk, beside the output
    #[arg(long, value_name = "MIB", default_value_t = 1024, hide_short_help = true)]
    memory: u64,
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let inputs: Vec<paths::Given<'_>> = reading::file(&args.net).into_iter().collect();
    paths::check(common, &inputs, &[("-o", &args.out)])?;
    check_network_name(&args.out)?;
    output::probe(&args.out)?;
    let started = Instant::now();
    let as_egr = args.out.extension().is_some_and(|e| e.eq_ignore_ascii_case("egr"));
    let mut lost = None;
    let decisions;
    if as_egr && reading::embedded_name(&args.net).is_none() {
        interrupt::listen();
        interrupt::waits_for("this part of the file");
        let budget = usize::try_from(args.memory.saturating_mul(1 << 20)).unwrap_or(usize::MAX);
        let mut progress = Progress::of("arcs moved", common.quiet, None, 0);
        let mut seen = |edges| {
            progress.update(edges, String::new);
            !interrupt::asked()
        };
        let converted = convert_network(&args.net, &args.reading.options(), &args.out, budget, &mut seen);
        progress.finish();
        let Some(made) = reading::explained(&args.net, converted)? else { return Ok(stopped()) };
        decisions = Some(made.to_string());
        if !common.quiet {
            say(&format!("{}: {made}", input::name(&args.net)));
        }
    } else {
        let opened = args.reading.open(&args.net, common.quiet)?;
        decisions = opened.decisions.map(|made| made.to_string());
        lost = write_network_with_note(&args.out, &opened.network, crate::resolved::note().as_deref())?.lost;
    }
    let seconds = started.elapsed().as_secs_f64();
    if !common.quiet {
        let mut lines = vec![("wrote", format!("{} in {seconds:.2} s", args.out.display()))];
        lines.extend(lost.iter().map(|lost| ("note", lost.clone())));
        say(&table(&lines));
    }
    if common.json {
        let summary = json!({
            "schema": "ergodict.network-convert/1",
            "network": input::name(&args.net),
            "out": args.out,
            "decisions": decisions,
            "lost": lost,
            "config": crate::resolved::config(),
            "seconds": seconds,
        });
        output::print(&format!("{summary:#}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The end of a conversion that was interrupted.
fn stopped() -> ExitCode {
    say("ergodict: interrupted; nothing was written");
    interrupt::code()
}
