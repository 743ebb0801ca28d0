//! The values of a trajectory from a file: those that `--model` states, or those it seems to have.

use super::system::{System, name};
use crate::paths::NamedPath;
use anyhow::{Context, Result, bail};
use ergodict::chain::{Alphabet, SystemKind};
use ergodict::data::Trajectory;
use ergodict::patch::SpinValues;

/// The alphabet of a trajectory given by a flag, all of whose values are looked at, and the least and the greatest value. Real numbers are those that
/// `--model` or `--spins` ask for, or that a first frame suggests which is not of whole numbers.
pub(super) fn alphabet(
    system: &System,
    spins: Option<SpinValues>,
    trajectory: &mut Trajectory,
    (flag, path): NamedPath<'_>,
) -> Result<(Alphabet, (f64, f64))> {
    let named = || path.display().to_string();
    let (mut values, mut range) = (Vec::new(), (f64::INFINITY, f64::NEG_INFINITY));
    let mut widen = |values: &[f64]| {
        range = values.iter().fold(range, |(low, high), &value| (low.min(value), high.max(value)));
        range
    };
    let is_spin = |value: &f64| value.fract() == 0.0 && (-128.0..=127.0).contains(value);
    let stated = match (system.model, spins) {
        (Some(SystemKind::Xy), _) | (None, Some(SpinValues::Vector)) => Some(Alphabet::Angle),
        (None, Some(SpinValues::Real)) => Some(Alphabet::Real),
        _ => None,
    };
    let is_first = trajectory.next_real_frame(&mut values)?;
    let guessed = system.model.is_none() && spins.is_none() && !values.iter().all(is_spin);
    if let Some(real) = stated.or(guessed.then_some(Alphabet::Real)) {
        let mut range = widen(&values);
        let mut are_whole = values.iter().all(is_spin);
        while trajectory.next_real_frame(&mut values)? {
            range = widen(&values);
            are_whole = are_whole && values.iter().all(is_spin);
        }
        if real == Alphabet::Angle && are_whole {
            check_radians(range, (flag, path))?;
        }
        return Ok((real, range));
    }
    let mut seen = ValueSet([false; 256]);
    if let Some(site) = values.iter().position(|value| !is_spin(value)) {
        let (row, col) = (site / trajectory.shape().1, site % trajectory.shape().1);
        bail!(
            "{flag} {}: holds {} in frame 0, row {row}, column {col} (all counted from 0): spins are whole numbers from -128 to 127; \
             real numbers need --spins real, angles --model xy",
            path.display(),
            values[site]
        );
    }
    values.iter().for_each(|&value| seen.0[usize::from(value as i8 as u8)] = true);
    let mut frame = Vec::new();
    while is_first
        && trajectory.next_frame(&mut frame).context("real numbers need --spins real, angles --model xy")?
    {
        frame.iter().for_each(|&value| seen.0[usize::from(value as u8)] = true);
    }
    let range = (f64::from(seen.values().min().unwrap_or(0)), f64::from(seen.highest()));
    let Some(stated) = system.alphabet(seen.highest())? else {
        return Ok((seen.guess().with_context(named)?, range));
    };
    let values: Vec<i8> = seen.values().collect();
    stated.check(&values, values.len()).map_err(|_| ()).or_else(|()| {
        bail!("{flag} {}: holds {}, but {}", path.display(), seen.words(), expected(system, stated))
    })?;
    Ok((stated, range))
}

/// Refuses whole numbers that differ: directions that are numbered, and not angles.
pub(super) fn check_radians((low, high): (f64, f64), (flag, path): NamedPath<'_>) -> Result<()> {
    if low < high {
        bail!(
            "{flag} {}: holds whole numbers from {low} to {high}, but angles are in radians: multiply numbered directions by 2π/q",
            path.display()
        );
    }
    Ok(())
}

/// What the alphabet that was stated asks for.
fn expected(system: &System, alphabet: Alphabet) -> String {
    let model = name(system.kind());
    match alphabet {
        Alphabet::PlusMinus => format!("the spins of --model {model} are -1 and 1"),
        Alphabet::ZeroOne => format!("the units of --model {model} are 0 and 1"),
        Alphabet::Labels(labels) => format!("the labels of that --model are 0 to {}", labels - 1),
        Alphabet::Angle | Alphabet::Real => format!("the values of --model {model} are real numbers"),
    }
}

/// Which values occur.
struct ValueSet([bool; 256]);

impl ValueSet {
    fn values(&self) -> impl Iterator<Item = i8> {
        (i8::MIN..=i8::MAX).filter(|value| self.0[usize::from(*value as u8)])
    }

    fn highest(&self) -> i8 {
        self.values().max().unwrap_or(0)
    }

    /// The first few of them.
    fn words(&self) -> String {
        let mut values: Vec<String> = self.values().take(6).map(|value| value.to_string()).collect();
        if self.values().nth(6).is_some() {
            values.push("…".into());
        }
        values.join(", ")
    }

    /// The alphabet they suggest.
    fn guess(&self) -> Result<Alphabet> {
        let (low, high) = (self.values().min().unwrap_or(0), self.highest());
        Ok(match (low, high) {
            (-1, ..=1) if self.0[0] => {
                bail!(
                    "holds -1, 0 and 1 together: expected -1 and 1, 0 and 1, or labels from 0 (add 1 for labels; other numbers: --spins real)"
                )
            }
            (-1, ..=1) => Alphabet::PlusMinus,
            (0.., ..=1) => Alphabet::ZeroOne,
            (0.., _) => Alphabet::Labels(high.unsigned_abs() + 1),
            _ => bail!(
                "the values of the trajectory go from {low} to {high}: expected -1 and 1, 0 and 1, or labels from 0 (other numbers: --spins real)"
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(values: &[i8]) -> Option<Alphabet> {
        let mut seen = ValueSet([false; 256]);
        values.iter().for_each(|&value| seen.0[usize::from(value as u8)] = true);
        seen.guess().ok()
    }

    #[test]
    fn values_suggest_an_alphabet_or_none() {
        for values in [&[-1, 1][..], &[-1]] {
            assert_eq!(guess(values), Some(Alphabet::PlusMinus), "{values:?}");
        }
        for values in [&[0, 1][..], &[0], &[1], &[]] {
            assert_eq!(guess(values), Some(Alphabet::ZeroOne), "{values:?}");
        }
        assert_eq!(guess(&[0, 4]), Some(Alphabet::Labels(5)));
        assert_eq!(guess(&[127]), Some(Alphabet::Labels(128)));
        for values in [&[-1, 0, 1][..], &[-1, 0], &[-1, 2], &[-2, 1], &[-128]] {
            assert_eq!(guess(values), None, "{values:?}");
        }
    }
}
