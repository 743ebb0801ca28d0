//! `ergodict demo`: a tour on embedded data in three parts: a network, spins, a picture.
//!
//! Every part runs the command it prints, looks closer at what was learned, gives an account for the terminal, and draws
//! its figures for the report.

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
use network::{NetworkRun, NetworkTour};
use picture::{PictureRun, PictureTour};
use serde::Serialize;
use spins::{SpinsRun, SpinsTour};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Take a tour on embedded data: what a network, a magnet and a picture are made of
///
/// Learns the atoms of a network of characters of a novel, of Ising spins at three temperatures, and of a picture. Writes
/// DIR/report.html to look at and the models it learned, and ends with three commands to try next. It takes a few seconds.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  ergodict demo -o tour --seed 7")]
pub(crate) struct Args {
    /// The folder to write into; it is made where it is missing
    #[arg(short, long, value_name = "DIR", default_value = "ergodict-demo")]
    out: PathBuf,
}

const LEAD: &str = "
    Most things we see are made of a few kinds of pieces. ergodict watches something change, or walks through it, one small
    glimpse after another, and learns pieces (atoms) that all the glimpses can be put together from, although each glimpse
    resembles the one before.

    Here it does so three times: with a network, with a magnet, and with a picture. Everything below was made in this run, on your machine.";

pub(crate) fn run(args: Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    let talk = |text: &str| {
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
    let mut report = Report::new("What networks, magnets and pictures are made of").lead(LEAD);

    talk("1. A network: who meets whom in a novel");
    let Some(network) = NetworkRun::new(&dir, common)? else { return Ok(stopped()) };
    talk(&indented(&network.account()));
    report = network.show(report)?;

    talk("\n2. A magnet: spins below, near and above the temperature at which they fall into order");
    let Some(spins) = SpinsRun::new(&dir, common)? else { return Ok(stopped()) };
    talk(&indented(&spins.account()));
    report = spins.show(report)?;

    talk("\n3. A picture: seen through a small window that wanders about in it");
    let Some(picture) = PictureRun::new(&dir, common)? else { return Ok(stopped()) };
    talk(&indented(&picture.account()));
    report = picture.show(report)?;

    let seconds = started.elapsed().as_secs_f64();
    let ran = [network.command(), spins.command(), picture.command()];
    let facts = [
        ("seed", seed.to_string()),
        ("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))),
        ("time", format!("{seconds:.2} s")),
    ];
    let ran: Vec<String> = ran.iter().map(|words| in_shell("ergodict", words)).collect();
    report = report.code("The commands of this page", ran.join("\n"));
    let next = commands(&dir, seed);
    let shown: Vec<String> = next.iter().map(|(why, words)| told("ergodict", why, words)).collect();
    report = report.code("Three commands to try next", shown.join("\n\n")).facts(&facts);
    write(&page, &report.render())?;

    // As this program was called, so that they work from the shell that called it.
    let program = std::env::args().next().filter(|name| name.contains('/'));
    let program = program.map_or("ergodict".to_owned(), |name| shell::path(Path::new(&name)));
    let shown: Vec<String> = next.iter().map(|(why, words)| told(&program, why, words)).collect();
    talk(&format!("\nLook at {} in a browser. Try next:", page.display()));
    talk(&indented(&shown.join("\n")));
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
    /// Network of the tour
    network: NetworkTour,
    /// Spins of the tour, one for each temperature
    ising: Vec<SpinsTour>,
    /// Picture of the tour
    picture: PictureTour,
    /// Page that was written
    report: PathBuf,
    /// Model files that were written
    models: Vec<PathBuf>,
    /// Three commands for a POSIX shell
    try_next: Vec<String>,
    /// Time of the whole tour
    seconds: f64,
}

impl Summary for DemoSummary {
    const SCHEMA: &'static str = "ergodict.demo/1";
}

fn stopped() -> ExitCode {
    say(
        "ergodict: the tour was interrupted: its report is not written, the models of parts that were over are",
    );
    interrupt::code()
}

/// Runs a command quietly, with the seed and threads of the tour; false when it was interrupted.
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
    let [karate, page, model, rebuilt, both] =
        ["karate.safetensors", "karate.html", "network.safetensors", "rebuilt.html", "side-by-side.html"]
            .map(|name| dir.join(name));
    let table = dir.join("rebuilt.tsv");
    vec![
        (
            "another network: put the path of your own edge list in place of @karate",
            words(
                "network learn @karate --unweighted -k 10 -r 9",
                &[("-o", &karate), ("--report", &page)],
                seed,
            ),
        ),
        (
            "rebuilt from the atoms of the novel: which of its edges would one not expect?",
            words(
                "network reconstruct @karate --unweighted",
                &[("--model", &model), ("-o", &table), ("--report", &rebuilt)],
                seed,
            ),
        ),
        (
            "both sets of atoms side by side",
            words("report", &[("", &model), ("", &karate), ("-o", &both)], 0),
        ),
    ]
}

/// A command with what it is for, as a comment.
fn told(program: &str, why: &str, words: &[String]) -> String {
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
