//! `ergodict-paper figure-ising`: dictionaries from trajectories of the Ising model, at three temperatures and four epochs.

mod claims;
mod course;
mod held_out;
mod learn;
mod page;
mod setting;

use super::outcome::{Claim, Outcome, present};
use super::place::{Done, Place, Where};
use anyhow::Result;
use course::Course;
use ergodict::model::Model;
use ergodict_report::Report;
use ergodict_report::words::grouped;
use ergodict_terminal::Common;
use held_out::HeldOut;
use learn::Learned;
use serde_json::{Value, json};
use setting::{Setting, TEMPERATURES};
use std::process::ExitCode;

/// The name in records and of the page.
pub(crate) const VERB: &str = "figure-ising";

/// The figures of the Ising model: 12 loss curves and dictionaries, those of fixed configurations, and reconstructions
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  ergodict-paper figure-ising -o paper\n  ergodict-paper figure-ising --quick -o paper"
)]
pub(crate) struct Args {
    #[command(flatten)]
    at: Where,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let mut place = Place::open(&args.at, common)?;
    present(measure(&mut place)?, &place)
}

/// All runs.
pub(crate) struct FigureIsing {
    setting: &'static Setting,
    quick: bool,
    all: Vec<At>,
}

/// The runs at one temperature.
struct At {
    temperature: f64,
    course: Done<Course>,
    /// Of the trajectory, from the shortest epoch to the longest.
    runs: Vec<Run>,
    /// Of its last configuration alone.
    fixed: Run,
    /// That configuration.
    last: Vec<i8>,
}

/// A dictionary.
struct Run {
    /// Updates between kept configurations; none of one configuration.
    every: Option<u64>,
    done: Done<Learned>,
    model: Model,
}

impl Run {
    /// What it is called among those of its temperature.
    fn name(&self) -> String {
        self.every.map_or("one configuration".into(), |every| format!("τ = {}", grouped(every)))
    }
}

impl At {
    /// The dictionary of the trajectory that stands next to that of one configuration: as many minibatches, or else the nearest number.
    fn beside(&self) -> &Run {
        let wanted = self.fixed.done.outcome.minibatches;
        let apart = |run: &&Run| run.done.outcome.minibatches.abs_diff(wanted);
        self.runs.iter().min_by_key(apart).unwrap_or(&self.fixed)
    }

    fn dictionaries(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().chain([&self.fixed])
    }
}

/// Learns the dictionaries that are missing; none when interrupted.
pub(crate) fn measure(place: &mut Place<'_>) -> Result<Option<FigureIsing>> {
    let setting = if place.quick { &setting::QUICK } else { &setting::PAPER };
    let mut all = Vec::new();
    for temperature in TEMPERATURES {
        match at(setting, temperature, place)? {
            Some(one) => all.push(one),
            None => return Ok(None),
        }
    }
    Ok(Some(FigureIsing { setting, quick: place.quick, all }))
}

fn at(setting: &'static Setting, temperature: f64, place: &mut Place<'_>) -> Result<Option<At>> {
    let (seed, quiet) = (place.common.seed, place.common.quiet);
    // Made where it is first needed, and never when all is recorded.
    let mut held_out: Option<HeldOut> = None;
    let settings = setting.json(temperature, &json!("trajectory"));
    let name = format!("T{temperature}-trajectory");
    let Some(last) = setting.last(temperature, seed)? else { return Ok(None) };
    let follow = || {
        let held_out = HeldOut::once(&mut held_out, setting, (temperature, seed), &last)?;
        let Some(held_out) = held_out else { return Ok(None) };
        course::follow(setting, (temperature, seed), held_out)
    };
    let Some(course) = place.unit((VERB, &name, seed), settings, &[], follow)? else { return Ok(None) };
    if course.new {
        let (mean, error) = course.outcome.energy;
        place.talk(&format!(
            "T = {temperature}: {:.2} s, energy per site {mean:.4} ± {error:.4}",
            course.seconds
        ));
    }
    // The short runs first.
    let epochs = setting.epochs.iter().rev().map(|&every| Some(every)).chain([None]);
    let mut runs = Vec::new();
    for every in epochs {
        let tag = every.map_or("fixed".to_owned(), |every| format!("every{every}"));
        let name = format!("T{temperature}-{tag}");
        let file = format!("{VERB}-{name}.safetensors");
        let path = place.folder.join(&file);
        let settings = setting.json(temperature, &every.map_or(json!("fixed"), |every| json!(every)));
        let learn = || {
            let held_out = HeldOut::once(&mut held_out, setting, (temperature, seed), &last)?;
            let Some(held_out) = held_out else { return Ok(None) };
            learn::learn(setting, (temperature, every, seed), (&last, held_out), (&path, &file), quiet)
        };
        let Some(done) = place.unit((VERB, &name, seed), settings, std::slice::from_ref(&file), learn)?
        else {
            return Ok(None);
        };
        if done.new {
            let Learned { relative_error, .. } = &done.outcome;
            let loss = done.outcome.last();
            place.talk(&format!(
                "{name}: {:.2} s, surrogate {loss:.3}, error {relative_error:.4}",
                done.seconds
            ));
        }
        runs.push(Run { every, done, model: Model::load(&path)? });
    }
    let Some(fixed) = runs.pop() else { return Ok(None) };
    runs.reverse();
    Ok(Some(At { temperature, course, runs, fixed, last }))
}

impl Outcome for FigureIsing {
    fn verb(&self) -> &'static str {
        VERB
    }

    fn title(&self) -> String {
        "Ising trajectories".into()
    }

    fn lead(&self) -> String {
        let Setting { side, updates, patch, patches, atoms, .. } = *self.setting;
        format!(
            "The Ising model on {side}×{side} sites with periodic boundary at T = 0.5, 2.26 and 5: single-spin Gibbs updates from spins that are \
             fair coins, {} of them (the paper's text says both 5·10⁶ and 5·10⁷; the shape of its array is that of the former). Every τ updates \
             {patches} patches of {patch}×{patch} sites are cut from the configuration; −1 counts as 0, so that all is nonnegative. \
             {atoms} atoms, λ = 1 (the paper prints none), w = 1/t. The printed update rule has the sign of the \
             antiferromagnet; ours is the ferromagnet's.\n\n\
             Losses are per patch: ‖x − Wh‖² + λ‖h‖₁ of its {} numbers; the paper divides sums over 1000 patches by 4·10⁴.",
            grouped(updates),
            patch * patch
        )
    }

    fn show(&self, report: Report) -> Result<Report> {
        page::show(self, report)
    }

    fn claims(&self) -> Vec<Claim> {
        claims::judge(self)
    }

    fn json(&self) -> Value {
        let run = |run: &Run| {
            let mut one = json!(run.done.outcome);
            one["every"] = json!(run.every);
            one["seconds"] = json!(run.done.seconds);
            one
        };
        let one = |at: &At| {
            let mut one = json!(at.course.outcome);
            one["temperature"] = json!(at.temperature);
            one["dictionaries"] = at.dictionaries().map(run).collect();
            one
        };
        let Setting { side, updates, patch, patches, atoms, .. } = *self.setting;
        json!({
            "side": side, "updates": updates, "patch": patch, "patches": patches, "atoms": atoms,
            "temperatures": self.all.iter().map(one).collect::<Vec<_>>(),
        })
    }

    fn cpu_seconds(&self) -> f64 {
        let of =
            |at: &At| at.course.cpu_seconds + at.dictionaries().map(|run| run.done.cpu_seconds).sum::<f64>();
        self.all.iter().map(of).sum()
    }
}
