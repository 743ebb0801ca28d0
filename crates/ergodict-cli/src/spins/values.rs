//! The values of a trajectory from a file: those that `--model` states, or those it seems to have.

use super::system::{Kind, System};
use crate::paths::Given;
use anyhow::{Context, Result, bail};
use ergodict::chain::{Alphabet, MOST_LABELS};
use ergodict::data::Trajectory;

/// The alphabet of a trajectory given by a flag, all of whose values are looked at.
pub(super) fn alphabet(
    system: &System,
    trajectory: &mut Trajectory,
    (flag, path): Given<'_>,
) -> Result<Alphabet> {
    let (mut frame, mut seen) = (Vec::new(), Seen([false; 256]));
    while trajectory.next_frame(&mut frame)? {
        frame.iter().for_each(|&value| seen.0[usize::from(value as u8)] = true);
    }
    let Some(stated) = stated(system, seen.highest())? else {
        return seen.guess().with_context(|| path.display().to_string());
    };
    let values: Vec<i8> = seen.values().collect();
    stated
        .check(&values, values.len())
        .map_err(|_| ())
        .or_else(|()| bail!("{flag} {}: holds {}, but {}", path.display(), seen.words(), expected(stated)))?;
    Ok(stated)
}

/// The alphabet according to `--model` and `--states`; none where the values themselves are to tell. Labels that nobody
/// has counted go up to the highest.
fn stated(system: &System, highest: i8) -> Result<Option<Alphabet>> {
    let found = highest.max(1).unsigned_abs() + 1;
    Ok(match system.stated() {
        (None, _) => None,
        (Some(Kind::Ising), _) => Some(Alphabet::PlusMinus),
        (Some(Kind::Rbm), _) => Some(Alphabet::ZeroOne),
        (Some(Kind::Potts), Some(states)) if (2..=usize::from(MOST_LABELS)).contains(&states) => {
            Some(Alphabet::Labels(states as u8))
        }
        (Some(Kind::Potts), Some(states)) => {
            bail!("--states is {states}, but it must be from 2 to {MOST_LABELS}")
        }
        (Some(Kind::Potts | Kind::CellularPotts), _) => Some(Alphabet::Labels(found)),
    })
}

/// What the alphabet that was stated asks for.
fn expected(alphabet: Alphabet) -> String {
    match alphabet {
        Alphabet::PlusMinus => "the spins of --model ising are -1 and 1".into(),
        Alphabet::ZeroOne => "the units of --model rbm are 0 and 1".into(),
        Alphabet::Labels(labels) => format!("the labels of that --model are 0 to {}", labels - 1),
    }
}

/// Which values occur.
struct Seen([bool; 256]);

impl Seen {
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
                bail!("holds -1, 0 and 1 together: expected -1 and 1, 0 and 1, or labels from 0")
            }
            (-1, ..=1) => Alphabet::PlusMinus,
            (0.., ..=1) => Alphabet::ZeroOne,
            (0.., _) => Alphabet::Labels(high.unsigned_abs() + 1),
            _ => bail!(
                "the values of the trajectory go from {low} to {high}: expected -1 and 1, 0 and 1, or labels from 0"
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(values: &[i8]) -> Option<Alphabet> {
        let mut seen = Seen([false; 256]);
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
