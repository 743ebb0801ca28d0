//! `ergodict network convert`: a network in another format.

use super::reading;
use crate::args::{Common, Size};
use crate::progress::{Progress, say};
use crate::summary::{Summary, emit};
use crate::{checkpoints, input, interrupt, output, paths};
use anyhow::{Result, bail};
use ergodict::data::{
    Conversion, Converting, NetworkFormat, ReadDecisions, ReadSettings, bytes_read, check_network_name,
    write_network_with_note,
};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
The file extension sets the format: .egr (memory-mapped, native), .mtx (MatrixMarket), .npz
(scipy), .graphml, .json (node-link, as networkx has it), anything else is an edge list, compressed where the name ends in .gz or .zst.

A conversion to .egr that was interrupted or killed leaves what it has sorted in the folder
FILE.converting, and the same command with --resume continues, to the same bytes. The
folder is gone when the file is there.

Example:
  ergodict network convert edges.txt.gz -o network.egr
  ergodict network convert edges.txt.gz -o network.egr --memory 2G --resume
  ergodict network convert network.egr -o network.mtx";

/// Write a network in another format, such as .egr, which opens at once
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    #[arg(value_name = "NET", help = reading::expected("The network: "))]
    net: PathBuf,
    #[arg(short, long, value_name = "FILE", help = format!("The file to write: {}", NetworkFormat::WRITTEN))]
    out: PathBuf,
    /// Memory on the way to .egr, such as 2G or 500M, a number alone in mebibytes; what does not fit is sorted on disk, next to the output
    #[arg(long, value_name = "SIZE", default_value = "1G", hide_short_help = true)]
    memory: Size,
    /// Continue from the folder FILE.converting of an interrupted conversion, if it is there
    #[arg(long, hide_short_help = true)]
    resume: bool,
    #[command(flatten)]
    reading: ReadSettings,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let inputs: Vec<paths::NamedPath<'_>> = reading::file(&args.net).into_iter().collect();
    paths::check(common, &inputs, &[("-o", &args.out)])?;
    check_network_name(&args.out)?;
    output::probe(&args.out)?;
    let started = Instant::now();
    let as_egr = args.out.extension().is_some_and(|e| e.eq_ignore_ascii_case("egr"));
    if args.memory.bytes() < 1 << 20 {
        bail!("--memory is {}, but at least one mebibyte is needed", args.memory);
    }
    let embedded = reading::embedded_name(&args.net).is_some();
    if args.resume && (!as_egr || embedded || output::is_standard(&args.net)) {
        bail!(
            "--resume is for conversions of files to .egr: others take little time or cannot be read again"
        );
    }
    let mut lost = None;
    let decisions;
    if as_egr && !embedded {
        let Some(made) = to_egr(args, common)? else { return Ok(interrupt::code()) };
        decisions = Some(made.to_string());
        if !common.quiet {
            reading::explain(&args.reading, &input::name(&args.net), &made);
        }
    } else {
        let opened = reading::open(&args.reading, &args.net, common.quiet)?;
        decisions = opened.decisions.map(|made| made.to_string());
        lost = write_network_with_note(&args.out, &opened.network, crate::resolved::note().as_deref())?.lost;
    }
    let seconds = started.elapsed().as_secs_f64();
    emit(
        &ConvertSummary { network: input::name(&args.net), out: &args.out, decisions, lost, seconds },
        common,
    )?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict network convert`
#[derive(Serialize)]
struct ConvertSummary<'a> {
    /// File without folders, or `@name`
    network: String,
    /// File that was written
    out: &'a Path,
    /// How the network was read, as one line; `null` for embedded networks
    decisions: Option<String>,
    /// What the format cannot keep, as a sentence, or `null`
    lost: Option<String>,
    /// Time of this run
    seconds: f64,
}

impl Summary for ConvertSummary<'_> {
    const SCHEMA: &'static str = "ergodict.network-convert/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let mut lines = vec![("wrote", format!("{} in {:.2} s", self.out.display(), self.seconds))];
        lines.extend(self.lost.iter().map(|lost| ("note", lost.clone())));
        lines
    }
}

/// Converts in bounded memory; none where it was interrupted.
fn to_egr(args: &Args, common: &Common) -> Result<Option<ReadDecisions>> {
    interrupt::listen();
    interrupt::waits_for("this part of the file");
    let folder = Conversion::folder(&args.out);
    if args.resume && !common.quiet && !folder.exists() {
        say(&format!("{}: nothing to resume; starting a new conversion", folder.display()));
    }
    let (before, mut steps) = (bytes_read(), 0);
    let total = args.net.metadata().ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len());
    let mut progress = Progress::with_unit("bytes", common.quiet, total, 0);
    let mut merging = false;
    let mut seen = |now: Converting| {
        match now {
            Converting::Reading(_) => progress.update(bytes_read() - before, || "reading".to_owned()),
            Converting::Merging(arcs, of) => {
                if !merging {
                    progress.finish();
                    progress = Progress::with_unit("arcs", common.quiet, Some(of), 0);
                    merging = true;
                }
                progress.update(arcs, || "merging".to_owned());
            }
            _ => {}
        }
        steps += 1;
        !(interrupt::asked() || interrupt::due(steps))
    };
    let conversion = Conversion { memory: args.memory.bytes(), keep: true, resume: args.resume };
    let converted = conversion.run(&args.net, &args.reading.options(), &args.out, &mut seen);
    progress.finish();
    let made = reading::explained(&args.net, converted)?;
    if made.is_none() {
        say(&if folder.exists() {
            let after = if merging { "reading all of the file" } else { "reading a part of the file" };
            checkpoints::interrupted(after, Some(&folder), 0)
        } else {
            "ergodict: interrupted; nothing was written".to_owned()
        });
    }
    Ok(made)
}
