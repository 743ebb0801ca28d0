//! `ergodict paper convergence`: the theorem at work, on chains of which everything is known.

mod bars;
mod two_pictures;

use crate::args::Common;
use crate::progress::say;
use crate::showing::probe_folder;
use crate::{output, paths};
use anyhow::Result;
use bars::BarsRun;
use ergodict_report::Report;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use two_pictures::TwoPictures;

/// The theorem at work: dependent data whose atoms, and whose expected loss, are known exactly
///
/// Bars: pictures that hardly change from one to the next, made of bars that are found. Two pictures: a chain so small that
/// the expected loss is known exactly, which the surrogate comes to tell. Writes DIR/convergence.html, DIR/bars.npy (the
/// pictures) and DIR/bars.safetensors (the atoms found in them).
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  ergodict paper convergence -o paper")]
pub(crate) struct Args {
    /// The folder to write to, which is made where it is missing
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

const LEAD: &str = "
    Two experiments on data made by this program, of which everything is known. Each watches a Markov chain, minibatch by
    minibatch, and learns the pieces that what it sees is made of, however much each minibatch resembles the one before.";

const TWO: &str = "
    Two pictures that take turns in three ways, so that the expected loss is known exactly: the surrogate comes to tell it
    in each.";

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    let files = ["convergence.html", "bars.npy", "bars.safetensors"].map(|name| args.out.join(name));
    let [page, pictures, model] = &files;
    paths::check(common, &[], &files.each_ref().map(|path| ("-o", &**path)))?;
    probe_folder("-o", &args.out)?;
    std::fs::create_dir_all(&args.out).map_err(ergodict::Error::io(&args.out))?;
    let bars = BarsRun::new(common.seed, pictures)?;
    bars.model.save(model)?;
    let two = TwoPictures::new(common.seed)?;
    let seconds = started.elapsed().as_secs_f64();
    let mut report = Report::new("The theorem at work").lead(LEAD);
    for (title, words, figures) in
        [("Bars", bars.lead(), bars.figures()?), ("Two pictures", TWO.to_owned(), two.figures()?)]
    {
        report = figures.into_iter().fold(report.section(title, words), Report::figure);
    }
    let mut facts = bars.facts();
    facts.push(("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))));
    facts.push(("time", format!("{seconds:.2} s, of which learning the bars {:.2} s", bars.seconds)));
    output::write(page, &report.facts(&facts).render())?;
    if !common.quiet {
        say(&format!("{}\n\n{}\n\nwrote {}", bars.account(), two.account(), page.display()));
    }
    if common.json {
        let summary = json!({
            "schema": "ergodict.paper-convergence/1",
            "version": env!("CARGO_PKG_VERSION"),
            "seed": common.seed,
            "config": crate::resolved::config(),
            "bars": bars.json(),
            "two_pictures": two.json(),
            "report": page,
            "model": model,
            "data": pictures,
            "seconds": seconds,
        });
        output::print(&format!("{summary:#}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
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
    fn log_spaced_times_rise_from_one_to_the_last() {
        for last in [1, 2, 9, 1000, 30_000] {
            let times = log_spaced(last, 10);
            assert_eq!((times.first(), times.last()), (Some(&1), Some(&last)));
            assert!(times.windows(2).all(|w| w[0] < w[1]), "{times:?}");
        }
    }
}
