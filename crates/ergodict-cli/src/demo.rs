//! `ergodict demo`: a tour on data made here, of which everything is known, so that one can see what is found.
//!
//! Every part runs, gives an account of itself for the terminal, and draws its figures for the report.

mod bars;
mod ising;
mod network;
mod picture;
mod two_pictures;

use crate::args::Common;
use crate::output::{is_standard, print, write};
use crate::paths;
use crate::progress::say;
use anyhow::{Result, bail};
use bars::BarsRun;
use ergodict::dictionary::Model;
use ergodict::factor::Parameters;
use ergodict_report::Report;
use ising::IsingRun;
use network::NetworkRun;
use picture::PictureRun;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use two_pictures::TwoPictures;

/// Take a tour on data made here: atoms of bars, of a network, of Ising spins and of a picture, and the theory at work
///
/// Writes DIR/report.html to look at, DIR/bars.npy (the pictures of the bars) and DIR/bars.safetensors (their model), and
/// ends with commands to try next. It takes a few seconds.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  ergodict demo -o tour --seed 7")]
pub(crate) struct Args {
    /// The folder to write into; it is made where it is missing
    #[arg(short, long, value_name = "DIR", default_value = "ergodict-demo")]
    out: PathBuf,
}

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
    let files = Files::within(&dir);
    let written = [&files.report, &files.model, &files.pictures].map(|path| ("-o", &**path));
    paths::check(common, &[], &written)?;
    std::fs::create_dir_all(&dir).map_err(ergodict::Error::io(&dir))?;

    talk("1. Bars: atoms from pictures that hardly change from one to the next");
    let bars = BarsRun::new(common.seed, &files.pictures)?;
    bars.model.save(&files.model)?;
    talk(&indented(&bars.account()));

    talk("\n2. Two pictures: the surrogate tells the true loss, however dependent the data");
    let two = TwoPictures::new(common.seed)?;
    talk(&indented(&two.account()));

    talk("\n3. Ising: atoms of a spin system below, near and above its critical temperature");
    let ising = IsingRun::new(common.seed)?;
    talk(&indented(&ising.account()));

    talk("\n4. A picture: atoms from independent patches, and from patches along a random walk");
    let picture = PictureRun::new(common.seed)?;
    talk(&indented(&picture.account()));

    talk("\n5. A network: its latent motifs, the network rebuilt from them, and false edges found");
    let network = NetworkRun::new(common.seed)?;
    talk(&indented(&network.account()));

    let seconds = started.elapsed().as_secs_f64();
    let parts = Parts { bars: &bars, two: &two, ising: &ising, picture: &picture, network: &network };
    let page = parts.page(&files.commands("ergodict", common.seed), seconds)?;
    write(&files.report, &page)?;

    // As this program was called, so that they work from the shell that called it.
    let program = std::env::args().next().filter(|name| name.contains('/'));
    let program = program.map_or("ergodict".to_owned(), |name| quoted(Path::new(&name)));
    let commands = files.commands(&program, common.seed);
    talk(&format!("\nThe report: {}\nTry next:", files.report.display()));
    talk(&indented(&commands));
    if common.json {
        let summary = json!({
            "schema": "ergodict.demo/1",
            "version": env!("CARGO_PKG_VERSION"),
            "seed": common.seed,
            "bars": bars.json(),
            "two_pictures": two.json(),
            "ising": ising.json(),
            "picture": picture.json(),
            "network": network.json(),
            "report": files.report,
            "model": files.model,
            "data": files.pictures,
            "try_next": commands.replace(CONTINUED, " ").lines().collect::<Vec<_>>(),
            "seconds": seconds,
            "config": crate::resolved::config(),
        });
        print(&format!("{summary:#}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

const LEAD: &str = "
    Five small experiments on data made by this program. Each watches a Markov chain, minibatch by minibatch, and learns
    the pieces that what it sees is made of, however much each minibatch resembles the one before.";

const TWO: &str = "
    Two pictures that take turns in three ways, so that the expected loss is known exactly: the surrogate comes to tell it
    in each.";

/// The parts of the tour.
struct Parts<'a> {
    bars: &'a BarsRun,
    two: &'a TwoPictures,
    ising: &'a IsingRun,
    picture: &'a PictureRun,
    network: &'a NetworkRun,
}

impl Parts<'_> {
    fn page(&self, commands: &str, seconds: f64) -> Result<String> {
        let mut report = Report::new("What dependent data is made of").lead(LEAD);
        let parts = [
            ("Bars", self.bars.lead(), self.bars.figures()?),
            ("The theorem at work", TWO.to_owned(), self.two.figures()?),
            ("Spins", self.ising.account(), self.ising.figures()?),
            ("A picture", self.picture.account(), self.picture.figures()?),
            ("A network", self.network.account(), self.network.figures()?),
        ];
        for (title, words, figures) in parts {
            report = figures.into_iter().fold(report.section(title, words), Report::figure);
        }
        let mut facts = self.bars.facts();
        facts.push(("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))));
        facts
            .push(("time", format!("{seconds:.2} s, of which learning the bars {:.2} s", self.bars.seconds)));
        Ok(report.code("Four commands to try next", commands).facts(&facts).render())
    }
}

/// What the demo writes, and what the commands it ends with write.
struct Files {
    report: PathBuf,
    model: PathBuf,
    pictures: PathBuf,
    again: PathBuf,
    ising: PathBuf,
    picture: PathBuf,
    network: PathBuf,
}

impl Files {
    fn within(dir: &Path) -> Self {
        Self {
            report: dir.join("report.html"),
            model: dir.join("bars.safetensors"),
            pictures: dir.join("bars.npy"),
            again: dir.join("again"),
            ising: dir.join("ising"),
            picture: dir.join("picture"),
            network: dir.join("network"),
        }
    }

    /// Four commands that work as they stand and learn again what the tour did.
    fn commands(&self, program: &str, seed: u64) -> String {
        let data = quoted(&self.pictures);
        let [again, ising, picture, network] =
            [&self.again, &self.ising, &self.picture, &self.network].map(|stem| {
                let [model, page] = ["safetensors", "html"].map(|e| quoted(&stem.with_extension(e)));
                format!("-o {model} --report {page}")
            });
        let Parameters { atoms: r, lambda, schedule, .. } = bars::parameters();
        let (batch, spins, image, paths) =
            (bars::BATCH, IsingRun::flags(), PictureRun::flags(), NetworkRun::flags());
        let seed = if seed == 0 { String::new() } else { format!(" --seed {seed}") };
        format!(
            "{program} factor {data} -r {r} --batch {batch} --lambda {lambda} --schedule {schedule}\
             {CONTINUED}--normalise per-column{seed} {again}\n\
             {program} spins learn {spins}\
             {CONTINUED}{ising}{seed}\n\
             {program} image learn {image}\
             {CONTINUED}{picture}{seed}\n\
             {program} network learn {paths}\
             {CONTINUED}{network}{seed}"
        )
    }
}

/// Breaks a long command into two lines.
const CONTINUED: &str = " \\\n    ";

/// A path as a POSIX shell takes it.
fn quoted(path: &Path) -> String {
    let mut text = path.to_string_lossy();
    if text.starts_with('-') {
        text = format!("./{text}").into();
    }
    let plain = |c: char| c.is_alphanumeric() || "/._-+:,@".contains(c);
    if text.chars().all(plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// The atoms of a model, the most dominant first.
fn atoms(model: &Model) -> Vec<Vec<f64>> {
    model.dominance().1.iter().map(|&k| model.w.col(k).to_vec()).collect()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("   {line}")).collect::<Vec<_>>().join("\n")
}

/// Whole numbers from 1 to `last`, about `per_decade` of them in a decade.
fn log_spaced(last: u64, per_decade: u32) -> Vec<u64> {
    let decades = (last as f64).log10();
    let count = (decades * f64::from(per_decade)).ceil().max(1.0);
    let time = |i: u32| 10f64.powf(decades * f64::from(i) / count).round() as u64;
    let mut times: Vec<u64> = (0..=count as u32).map(time).collect();
    times.dedup();
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_shell() {
        for (path, expected) in [
            ("a/b-1.npy", "a/b-1.npy"),
            ("it's a place", r"'it'\''s a place'"),
            ("-x", "./-x"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(quoted(Path::new(path)), expected);
        }
    }

    #[test]
    fn log_spaced_times_rise_from_one_to_the_last() {
        for last in [1, 2, 9, 1000, 30_000] {
            let times = log_spaced(last, 10);
            assert_eq!((times.first(), times.last()), (Some(&1), Some(&last)));
            assert!(times.windows(2).all(|w| w[0] < w[1]), "{times:?}");
        }
    }
}
