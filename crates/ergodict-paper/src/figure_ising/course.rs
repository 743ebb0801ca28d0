//! The trajectory of one temperature: its energy, and how much of a configuration is another one an epoch later.

use super::held_out::{HeldOut, of_the_mean};
use super::setting::{Setting, advance};
use anyhow::Result;
use ergodict::chain::diagnostics::Mixing;
use ergodict::chain::{Observable, SpinWalk, onsager};
use ergodict_terminal::interrupt;
use serde::{Deserialize, Serialize};

/// Energies that are looked at along the second half.
const ENERGIES: u64 = 200;

/// What is recorded.
#[derive(Serialize, Deserialize)]
pub(super) struct Course {
    /// Mean energy per site over the second half of the trajectory, with its standard error.
    pub(super) energy: (f64, f64),
    /// That of the infinite lattice in equilibrium.
    pub(super) energy_exact: f64,
    /// Mean spin at the end.
    pub(super) magnetization: f64,
    /// For each τ, the mean share of sites whose spins are others after τ updates; of independent fair coins it is ½.
    pub(super) changed: Vec<(u64, f64)>,
    /// Loss of a patch when the mean patch replaces it, on the held-out sets.
    pub(super) mean_patch: MeanPatch,
}

/// Loss of the mean patch on the held-out sets.
#[derive(Serialize, Deserialize)]
pub(super) struct MeanPatch {
    pub(super) along: f64,
    pub(super) end: f64,
    pub(super) later: f64,
}

/// Goes along the trajectory; none when interrupted.
pub(super) fn follow(
    setting: &Setting,
    (temperature, seed): (f64, u64),
    held_out: &HeldOut,
) -> Result<Option<Course>> {
    let mut walker = setting.walker(temperature, seed, 0)?;
    let half = setting.updates / 2;
    // All epochs and the places of the energies are multiples of the shortest epoch.
    let pace = setting.epochs[0];
    let between = (half / ENERGIES).next_multiple_of(pace);
    let start = || walker_spins(setting, temperature, seed);
    let mut before = setting.epochs.iter().map(|_| start()).collect::<Result<Vec<_>>>()?;
    let mut changed = vec![(0.0, 0.0); setting.epochs.len()];
    let mut energies = Vec::new();
    for k in 1..=setting.updates / pace {
        if interrupt::asked() || !advance(&mut walker, k * pace) {
            return Ok(None);
        }
        for ((every, before), (sum, count)) in setting.epochs.iter().zip(&mut before).zip(&mut changed) {
            if (k * pace).is_multiple_of(*every) {
                *sum += differing(before, walker.spins());
                *count += 1.0;
                before.copy_from_slice(walker.spins());
            }
        }
        if k * pace > half && (k * pace).is_multiple_of(between) {
            energies.push(walker.measure(Observable::Energy)?);
        }
    }
    let energy = Mixing::from_series(&[&energies]);
    let changed = setting.epochs.iter().zip(changed).map(|(every, (sum, count))| (*every, sum / count));
    Ok(Some(Course {
        energy: (energy.mean, energy.error),
        energy_exact: onsager::energy_per_site(temperature),
        magnetization: walker.measure(Observable::Magnetization)?,
        changed: changed.collect(),
        mean_patch: MeanPatch {
            along: of_the_mean(&held_out.along),
            end: of_the_mean(&held_out.end),
            later: of_the_mean(&held_out.later),
        },
    }))
}

/// The first configuration.
fn walker_spins(setting: &Setting, temperature: f64, seed: u64) -> Result<Vec<i8>> {
    Ok(setting.walker(temperature, seed, 0)?.spins().to_vec())
}

/// The share of sites that are not alike.
fn differing(a: &[i8], b: &[i8]) -> f64 {
    a.iter().zip(b).filter(|(a, b)| a != b).count() as f64 / a.len() as f64
}
