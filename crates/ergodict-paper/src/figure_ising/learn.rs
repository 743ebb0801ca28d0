//! One dictionary, of a trajectory seen every τ updates or of one configuration, with what it is worth on others.

use super::held_out::{HeldOut, losses};
use super::setting::{Setting, advance};
use anyhow::Result;
use ergodict::chain::{Ising, Walker};
use ergodict::factor::{FactorSettings, Factorizer};
use ergodict::linalg::Mat;
use ergodict::model::Model;
use ergodict::patch::{SpinCutter, SpinGrid};
use ergodict::reconstruct::{Overlap, relative_error, with_lambda};
use ergodict::rng::ids;
use ergodict::run::{Form, Run, RunPlan};
use ergodict_terminal::progress::{Progress, figure};
use ergodict_terminal::{interrupt, resolved};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Most points of a curve of the surrogate; they lie at the same updates for every τ.
const POINTS: u64 = 100;
/// Points of a curve of the expected loss, each at a tenth of the run.
const HELD_OUT_POINTS: u64 = 10;

/// What is recorded; the atoms are in the model.
#[derive(Serialize, Deserialize)]
pub(super) struct Learned {
    pub(super) model: String,
    pub(super) minibatches: u64,
    /// Updates (minibatches, of one configuration) and the surrogate per patch.
    pub(super) surrogate: Vec<(u64, f64)>,
    /// The same and the mean loss of held-out patches of all ages.
    pub(super) held_out: Vec<(u64, f64)>,
    /// Mean loss at the end on each held-out chain: of configurations of all ages, of the age of the last one, and of later ones.
    pub(super) along: Vec<f64>,
    pub(super) end: Vec<f64>,
    pub(super) later: Vec<f64>,
    /// And on other patches of the last configuration of the trajectory itself.
    pub(super) own: f64,
    /// Of the last configuration of the trajectory, reconstructed; and the share of its sites whose nearest value is right.
    #[serde(with = "crate::number")]
    pub(super) relative_error: f64,
    pub(super) sites_right: f64,
}

impl Learned {
    /// The surrogate at the end.
    pub(super) fn last(&self) -> f64 {
        self.surrogate.last().map_or(f64::NAN, |point| point.1)
    }

    /// The surrogate after some updates.
    pub(super) fn surrogate_at(&self, updates: u64) -> Option<f64> {
        self.surrogate.iter().find(|point| point.0 == updates).map(|point| point.1)
    }
}

/// Where minibatches come from.
enum Source<'a> {
    Trajectory { walker: Box<Walker<Ising>>, every: u64 },
    One { spins: &'a [i8] },
}

impl Source<'_> {
    /// The next minibatch; false when someone asked to stop.
    fn fill(&mut self, setting: &Setting, cutter: &mut SpinCutter, x: &mut Mat<f64>) -> Result<bool> {
        let spins = match self {
            Self::Trajectory { walker, every } => {
                let next = walker.steps() + *every;
                if !advance(walker, next) {
                    return Ok(false);
                }
                walker.spins()
            }
            Self::One { spins } => spins,
        };
        cutter.cut(&spins.into(), setting.shape(), setting.patches, x)?;
        Ok(true)
    }
}

/// Learns one dictionary and writes its model; none when interrupted. The chain, the places of patches and the first dictionary are those of
/// `ergodict spins learn` with the same seed.
pub(super) fn learn(
    setting: &Setting,
    (temperature, every, seed): (f64, Option<u64>, u64),
    (last, held_out): (&[i8], &HeldOut),
    (path, file): (&Path, &str),
    quiet: bool,
) -> Result<Option<Learned>> {
    let (mut source, minibatches, mut cutter) = match every {
        Some(every) => {
            let walker = Box::new(setting.walker(temperature, seed, 0)?);
            (Source::Trajectory { walker, every }, setting.updates / every, setting.cutter(seed, 0)?)
        }
        // Other places than those of the trajectory's own runs.
        None => (Source::One { spins: last }, setting.fixed, setting.cutter(seed, ids::FIXED)?),
    };
    let unit = every.unwrap_or(1);
    let (between, tenth) = ((unit * minibatches / POINTS).max(1), unit * minibatches / HELD_OUT_POINTS);
    let batch = setting.patches as u64;
    let mut progress = Progress::new(quiet, Some(minibatches * batch), 0);
    let (parameters, form) = (FactorSettings::new(setting.atoms), Form::Patch(setting.kind()));
    let first = Factorizer::<f64>::random(parameters.clone(), form.features().unwrap_or(0), seed)?;
    let plan =
        RunPlan { settings: resolved::config(), ..RunPlan::new("paper figure-ising", parameters, seed) };
    let mut run = Run::pushed(plan, form, Some(first))?;
    let (mut x, mut curve, mut expected) = (Mat::zeros(0, 0), Vec::new(), Vec::new());
    for t in 1..=minibatches {
        let go_on = !(interrupt::asked() || interrupt::due(t));
        if !go_on || !source.fill(setting, &mut cutter, &mut x)? {
            progress.finish();
            return Ok(None);
        }
        let report = run.push((&x).into(), None)?;
        let dictionary = run.coder()?;
        let surrogate = dictionary.aggregates().per_sample(report.surrogate);
        let at = t * unit;
        if at.is_multiple_of(between) || unit > between || t == minibatches {
            curve.push((at, surrogate));
        }
        if at.is_multiple_of(tenth.max(1)) {
            let all = losses(dictionary, &held_out.along)?;
            expected.push((at, all.iter().sum::<f64>() / all.len() as f64));
        }
        progress.update(t * batch, || {
            let what = every.map_or("one configuration".to_owned(), |every| format!("τ = {every}"));
            format!("surrogate {}, T = {temperature}, {what}", figure(surrogate))
        });
    }
    progress.finish();
    let model = run.model()?;
    model.save(path)?;
    let mut factorizer = model.factorizer::<f64>()?;
    let [along, end, later] = [&held_out.along, &held_out.end, &held_out.later];
    let (along, end) = (losses(&mut factorizer, along)?, losses(&mut factorizer, end)?);
    let later = losses(&mut factorizer, later)?;
    let own = factorizer.loss(&held_out.own)? / held_out.own.cols() as f64;
    let Some(rebuilt) = rebuilt(setting, &model, last)? else { return Ok(None) };
    let encoding = Setting::encoding()?;
    let truth: Vec<f64> = last.iter().map(|&spin| encoding.encode(spin)[0]).collect();
    Ok(Some(Learned {
        model: file.to_owned(),
        minibatches,
        surrogate: curve,
        held_out: expected,
        along,
        end,
        later,
        own,
        relative_error: relative_error(&rebuilt, &truth),
        sites_right: encoding.agreement(&rebuilt, &last.into()),
    }))
}

/// A configuration put together from patches that are reconstructed without a penalty; none when interrupted.
pub(super) fn rebuilt(setting: &Setting, model: &Model, spins: &[i8]) -> Result<Option<Vec<f64>>> {
    let encoding = Setting::encoding()?;
    let grid = SpinGrid { spins, shape: setting.shape(), encoding: &encoding };
    let overlap = Overlap { window: setting.kind().window, stride: (setting.patch / 4).max(1) };
    let mut plain = with_lambda(&model.factorizer::<f64>()?, 0.0)?;
    let rebuilt = overlap.reconstruct(&mut plain, &grid, &mut |_, _| !interrupt::asked())?;
    Ok(rebuilt.map(|rebuilt| rebuilt.values))
}
