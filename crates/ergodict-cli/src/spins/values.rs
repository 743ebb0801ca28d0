//! The values of a trajectory from a file: those that `--model` states, or those it seems to have.

use super::system::{System, name};
use crate::paths::NamedPath;
use anyhow::{Context, Result, bail};
use ergodict::chain::Alphabet;
use ergodict::data::Trajectory;

/// The alphabet of a trajectory given by a flag, all of whose values are looked at.
pub(super) fn alphabet(
    system: &System,
    trajectory: &mut Trajectory,
    (flag, path): NamedPath<'_>,
) -> Result<Alphabet> {
    let (mut frame, mut seen) = (Vec::new(), ValueSet([false; 256]));
    while trajectory.next_frame(&mut frame)? {
        frame.iter().for_each(|&value| seen.0[usize::from(value as u8)] = true);
    }
    let Some(stated) = system.alphabet(seen.highest())? else {
        return seen.guess().with_context(|| path.display().to_string());
    };
    let values: Vec<i8> = seen.values().collect();
    stated.check(&values, values.len()).map_err(|_| ()).or_else(|()| {
        bail!("{flag} {}: holds {}, but {}", path.display(), seen.words(), expected(system, stated))
    })?;
    Ok(stated)
}

/// What the alphabet that was stated asks for.
fn expected(system: &System, alphabet: Alphabet) -> String {
    let model = name(system.kind());
    match alphabet {
        Alphabet::PlusMinus => format!("the spins of --model {model} are -1 and 1"),
        Alphabet::ZeroOne => format!("the units of --model {model} are 0 and 1"),
        Alphabet::Labels(labels) => format!("the labels of that --model are 0 to {}", labels - 1),
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
