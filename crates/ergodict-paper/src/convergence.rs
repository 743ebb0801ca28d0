//! `ergodict-paper convergence`: the theorem at work, on chains of which everything is known.

mod bars;
mod theorem;
mod two_pictures;

use super::outcome::{Claim, Outcome, present};
use super::place::{Place, Where};
use anyhow::Result;
use bars::BarsRun;
use ergodict_report::Report;
use ergodict_terminal::Common;
use ergodict_terminal::paths;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use theorem::Theorem;
use two_pictures::TwoPictures;

/// The name in records and of the page.
pub(crate) const VERB: &str = "convergence";

/// The theorem at work: chains small enough to know the truth, and what goes wrong without its assumptions
///
/// Six pictures: a chain so small that the expected loss, its gradient and the variance of every average are known exactly, with
/// balanced and forgetting weights, with and without dependence and subsampling, and with assumptions broken. Two pictures: the
/// smallest chain there is. Bars: pictures that hardly change from one to the next, sums of bars that are found. Writes
/// DIR/convergence.html, DIR/bars.npy (the pictures) and DIR/bars.safetensors (the atoms found in them).
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  ergodict-paper convergence -o paper\n  ergodict-paper convergence --quick -o paper"
)]
pub(crate) struct Args {
    #[command(flatten)]
    at: Where,
}

const LEAD: &str = "
    The paper's Theorem 4.1 on synthetic data with known distributions. Each experiment learns from a Markov chain, minibatch by
    minibatch, however correlated successive minibatches are.";

const TWO: &str = "
    Two pictures that take turns in three ways, so that the expected loss is known exactly: the surrogate converges to it
    in each.";

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let files = ["convergence.html", bars::DATA, bars::MODEL].map(|name| args.at.out.join(name));
    paths::check(common, &[], &files.each_ref().map(|path| ("-o", &**path)))?;
    let mut place = Place::open(&args.at, common)?;
    present(measure(&mut place)?, &place)
}

/// The three experiments.
pub(crate) struct Convergence {
    theorem: Theorem,
    two: TwoPictures,
    bars: BarsRun,
    model: PathBuf,
    data: PathBuf,
}

/// Runs what is missing; none when interrupted.
pub(crate) fn measure(place: &mut Place<'_>) -> Result<Option<Convergence>> {
    let Some(theorem) = Theorem::measure(place)? else { return Ok(None) };
    let Some(two) = TwoPictures::measure(place)? else { return Ok(None) };
    let Some(bars) = BarsRun::measure(place)? else { return Ok(None) };
    let (model, data) = (place.folder.join(bars::MODEL), place.folder.join(bars::DATA));
    Ok(Some(Convergence { theorem, two, bars, model, data }))
}

impl Outcome for Convergence {
    fn verb(&self) -> &'static str {
        VERB
    }

    fn title(&self) -> String {
        "The theorem at work".into()
    }

    fn lead(&self) -> String {
        LEAD.into()
    }

    fn show(&self, report: Report) -> Result<Report> {
        let mut report = self.theorem.show(report)?;
        for (title, words, figures) in [
            ("Two pictures", TWO.to_owned(), self.two.figures()?),
            ("Bars", self.bars.lead(), self.bars.figures()?),
        ] {
            report = figures.into_iter().fold(report.section(title, words), Report::figure);
        }
        Ok(report.table(self.bars.settings()))
    }

    fn claims(&self) -> Vec<Claim> {
        self.theorem.claims()
    }

    fn json(&self) -> Value {
        json!({
            "theorem": self.theorem.json(),
            "bars": self.bars.json(),
            "two_pictures": self.two.json(),
            "model": self.model,
            "data": self.data,
            "seconds": self.theorem.seconds() + self.two.seconds() + self.bars.seconds(),
        })
    }

    fn cpu_seconds(&self) -> f64 {
        self.theorem.cpu_seconds() + self.two.cpu_seconds() + self.bars.cpu_seconds()
    }
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
