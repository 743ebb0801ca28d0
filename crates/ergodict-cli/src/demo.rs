//! `ergodict demo`: three examples on built-in data: a network, an Ising model, an image.
//!
//! Each example runs the command it prints, measures the result, and has lines for the terminal and figures for the report.

mod network;
mod picture;
mod spins;

use crate::args::{Cli, Common};
use crate::output::{is_standard, write};
use crate::progress::say;
use crate::reports::probe_folder;
use crate::summary::{Summary, emit};
use crate::{interrupt, paths, shell};
use anyhow::{Result, bail};
use clap::Parser;
use ergodict_report::Report;
use network::{NetworkResult, NetworkRun};
use picture::{PictureResult, PictureRun};
use serde::Serialize;
use spins::{SpinsResult, SpinsRun};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Run three examples on built-in data: a network, an Ising model and an image
///
/// Learns atoms of a network of characters of a novel, of Ising spins at three temperatures, and of an image. Writes
/// DIR/report.html and the learned models, and ends with three commands to try next. It takes a few seconds.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  ergodict demo -o demo --seed 7")]
pub(crate) struct Args {
    /// The folder to write into; created if missing
    #[arg(short, long, value_name = "DIR", default_value = "ergodict-demo")]
    out: PathBuf,
}

const LEAD: &str = "
    ergodict learns recurring patterns (atoms) online, from patches sampled along random walks and Markov chains, where each
    patch depends on the one before.

    Three examples: a network, an Ising model and an image. All results below were computed in this run, on your machine.";

pub(crate) fn run(args: Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    let print = |text: &str| {
        if !common.quiet {
            say(text);
        }
    };
    let dir = args.out;
    if is_standard(&dir) || dir.is_file() {
        bail!("{}: expected a folder to write into", dir.display());
    }
    let page = dir.join("report.html");
    let models =
        [network::FILE, spins::FILE, picture::FILES[0], picture::FILES[1]].map(|name| dir.join(name));
    let written: Vec<paths::NamedPath<'_>> =
        models.iter().chain([&page]).map(|path| ("-o", &**path)).collect();
    paths::check(common, &[], &written)?;
    probe_folder("-o", &dir)?;
    std::fs::create_dir_all(&dir).map_err(ergodict::Error::io(&dir))?;
    let seed = common.seed;
    let mut report = Report::new("ergodict demo: a network, an Ising model and an image").lead(LEAD);

    print("1/3 Network: Les Misérables, 77 characters, 254 co-appearances");
    let Some(network) = NetworkRun::new(&dir, common)? else { return Ok(stopped()) };
    print(&indented(&network.account()));
    report = network.show(report)?;

    print("\n2/3 Ising model: spins below, near and above the critical temperature");
    let Some(spins) = SpinsRun::new(&dir, common)? else { return Ok(stopped()) };
    print(&indented(&spins.account()));
    report = spins.show(report)?;

    print("\n3/3 Image: patches along a random walk of a window");
    let Some(picture) = PictureRun::new(&dir, common)? else { return Ok(stopped()) };
    print(&indented(&picture.account()));
    report = picture.show(report)?;

    report = report.numbers([network.number(), spins.number(), picture.number()]);
    let seconds = started.elapsed().as_secs_f64();
    let ran = [network.command(), spins.command(), picture.command()];
    let facts = [
        ("seed", seed.to_string()),
        ("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))),
        ("time", format!("{seconds:.2} s")),
    ];
    let ran: Vec<String> = ran.iter().map(|words| in_shell("ergodict", words)).collect();
    report = report.code("Reproduce", ran.join("\n"));
    let next = commands(&dir, seed);
    let shown: Vec<String> = next.iter().map(|(why, words)| commented("ergodict", why, words)).collect();
    report = report.code("Next", shown.join("\n\n")).facts(&facts);
    write(&page, &report.render())?;

    // As this program was called, so that they work from the shell that called it.
    let program = std::env::args().next().filter(|name| name.contains('/'));
    let program = program.map_or("ergodict".to_owned(), |name| shell::path(Path::new(&name)));
    let shown: Vec<String> = next.iter().map(|(why, words)| commented(&program, why, words)).collect();
    print(&format!("\nReport: {}\nNext:", page.display()));
    print(&indented(&shown.join("\n")));
    let summary = DemoSummary {
        version: env!("CARGO_PKG_VERSION"),
        seed,
        network: network.summary(),
        ising: spins.summary(),
        picture: picture.summary(),
        report: page,
        models: [network.files(), spins.files(), picture.files()].concat(),
        try_next: next.iter().map(|(_, words)| in_shell(&program, words)).collect(),
        seconds,
    };
    emit(&summary, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict demo`
#[derive(Serialize)]
struct DemoSummary {
    /// Version of ergodict
    version: &'static str,
    /// Seed, as given
    seed: u64,
    /// Result on the network
    network: NetworkResult,
    /// Result on the Ising model, one for each temperature
    ising: Vec<SpinsResult>,
    /// Result on the image
    picture: PictureResult,
    /// Report that was written
    report: PathBuf,
    /// Model files that were written
    models: Vec<PathBuf>,
    /// Three commands for a POSIX shell
    try_next: Vec<String>,
    /// Time of all
    seconds: f64,
}

impl Summary for DemoSummary {
    const SCHEMA: &'static str = "ergodict.demo/1";
}

fn stopped() -> ExitCode {
    say("ergodict: the demo was interrupted: models of finished examples were written, the report was not");
    interrupt::code()
}

/// Runs a command quietly, with the seed and threads of the demo; false when it was interrupted.
fn perform(words: &[String], common: &Common) -> Result<bool> {
    let all = ["ergodict", "-q"].map(str::to_owned).into_iter().chain(words.iter().cloned());
    let Cli { verb, .. } = Cli::try_parse_from(all)?;
    let quiet = Common { quiet: true, json: false, config: None, ..common.clone() };
    crate::perform(verb, &quiet)?;
    Ok(!interrupt::asked())
}

/// Words of a command, from a text without spaces in its words, and the paths that go after it.
fn words(text: &str, rest: &[(&str, &Path)], seed: u64) -> Vec<String> {
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    for (flag, path) in rest {
        words.extend((!flag.is_empty()).then(|| (*flag).to_owned()));
        words.push(path.display().to_string());
    }
    if seed != 0 {
        words.extend(["--seed".to_owned(), seed.to_string()]);
    }
    words
}

/// Three commands that work as they stand, and what each is for.
fn commands(dir: &Path, seed: u64) -> Vec<(&'static str, Vec<String>)> {
    let [karate, page, model, reconstruction, both] = [
        "karate.safetensors",
        "karate.html",
        "network.safetensors",
        "reconstruction.html",
        "comparison.html",
    ]
    .map(|name| dir.join(name));
    let table = dir.join("reconstruction.tsv");
    vec![
        (
            "another network; replace @karate with the path of your edge list",
            words(
                "network learn @karate --unweighted -k 10 -r 9",
                &[("-o", &karate), ("--report", &page)],
                seed,
            ),
        ),
        (
            "reconstruct it from the motifs of the novel",
            words(
                "network reconstruct @karate --unweighted",
                &[("--model", &model), ("-o", &table), ("--report", &reconstruction)],
                seed,
            ),
        ),
        ("compare both sets of motifs", words("report", &[("", &model), ("", &karate), ("-o", &both)], 0)),
    ]
}

/// A command with what it is for, as a comment.
fn commented(program: &str, why: &str, words: &[String]) -> String {
    format!("# {why}\n{}", in_shell(program, words))
}

/// A command as a POSIX shell takes it.
fn in_shell(program: &str, words: &[String]) -> String {
    let words = words.iter().map(|word| match word.strip_prefix('-') {
        Some(_) => word.clone(),
        None => shell::quoted(word),
    });
    std::iter::once(program.to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("   {line}")).collect::<Vec<_>>().join("\n")
}
