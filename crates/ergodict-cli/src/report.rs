//! `ergodict report`: a report of one model or run record, or a comparison of several.

mod comparison;
mod curves;
mod likeness;
mod record;

use crate::args::Common;
use crate::reports::{names, probe_folder};
use crate::summary::{Summary, emit};
use crate::{output, page, paths};
use anyhow::{Result, bail};
use ergodict_report::Report;
use record::Run;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
Example:
  ergodict network learn @karate -k 6 -r 9 -o karate.safetensors
  ergodict report karate.safetensors -o karate.html

Several models and JSON summaries:
  ergodict network learn @karate -k 6 -r 9 --seed 1 -o other.safetensors --json > other.json
  ergodict report karate.safetensors other.safetensors -o both.html";

/// Write a report on models and run records; several are compared
///
/// Models contain parameters, atoms, losses and, for networks, example subgraphs of each atom. A run
/// record is the JSON summary that any command prints with --json, saved to a file. The report of several runs compares their
/// settings, results, curves and atoms.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// Models and JSON summaries of runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Report to write; - is standard output
    #[arg(short, long, value_name = "FILE.html")]
    out: PathBuf,
    /// Title of the report
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Write each figure of the report as an .svg file into this folder, created if missing
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    figures: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let inputs: Vec<paths::NamedPath<'_>> = args.runs.iter().map(|path| ("RUN", &**path)).collect();
    let mut outputs = vec![("-o", &*args.out)];
    outputs.extend(args.figures.as_deref().map(|path| ("--figures", path)));
    paths::check(common, &inputs, &outputs)?;
    output::probe(&args.out)?;
    args.figures.as_deref().map_or(Ok(()), |folder| probe_folder("--figures", folder))?;
    if args.runs.iter().filter(|path| output::is_standard(path)).count() > 1 {
        bail!("RUN is - twice, but standard input can be read only once");
    }
    let runs = args.runs.iter().map(|path| Run::open(path)).collect::<Result<Vec<_>>>()?;
    let runs = record::named_apart(runs);
    let page = match &runs[..] {
        [one] => of_one(one)?,
        several => comparison::page(several)?,
    };
    let page = match &args.title {
        Some(title) => page.title(title),
        None => page,
    };
    let html = page.render();
    output::write(&args.out, &html)?;
    if let Some(folder) = &args.figures {
        std::fs::create_dir_all(folder).map_err(ergodict::Error::io(folder))?;
        let titles = page.figures().iter().map(|(title, _)| &**title);
        for (name, (_, svg)) in names(titles).iter().zip(page.figures()) {
            output::write(&folder.join(name), svg)?;
        }
    }
    let summary = ReportSummary {
        out: &args.out,
        bytes: html.len(),
        runs: runs.iter().map(RunEntry::new).collect(),
        differing: comparison::differing(&runs).into_iter().map(|row| row.name).collect(),
    };
    emit(&summary, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict report`
#[derive(Serialize)]
struct ReportSummary<'a> {
    /// Report that was written
    out: &'a Path,
    /// Size of the report
    bytes: usize,
    /// Runs in the report
    runs: Vec<RunEntry<'a>>,
    /// Settings that are not the same in all runs: names of flags, `command`, `input`, `version`
    differing: Vec<String>,
}

#[derive(Serialize)]
struct RunEntry<'a> {
    /// File of the run
    file: &'a Path,
    /// Its name in the report
    name: &'a str,
    /// Command that made it
    command: &'a str,
}

impl<'a> RunEntry<'a> {
    fn new(run: &'a Run) -> Self {
        Self { file: &run.file, name: &run.name, command: &run.command }
    }
}

impl Summary for ReportSummary<'_> {
    const SCHEMA: &'static str = "ergodict.report/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let runs = ergodict_report::words::count(self.runs.len(), "run", "runs");
        vec![("wrote", format!("{}: {runs}, {} kB", self.out.display(), self.bytes.div_ceil(1000)))]
    }
}

/// The page of one run.
fn of_one(run: &Run) -> Result<Report> {
    match &run.model {
        Some(model) => Ok(page::of_model(model, &[])?),
        None => Ok(record::page(run)),
    }
}
