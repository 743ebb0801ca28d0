//! Spin patches: what number stands for a spin.
//!
//! The paper factorizes configurations of ±1 with nonnegative atoms without saying what becomes of −1; here it is said:
//!
//! | encoding | alphabet | numbers of a site |
//! |---|---|---|
//! | `zero-one` | −1, 1 or 0, 1 | 0 or 1, for nonnegative atoms |
//! | `signed` | −1, 1 or 0, 1 | −1 or 1, for atoms of both signs |
//! | `one-hot` | labels `0..q` | q channels, 1 in that of the label |
//! | `borders` | labels `0..q` | 1 where labels meet, 0 elsewhere, see [`borders`](super::borders()) |

use super::Grid;
use crate::chain::{Alphabet, MOST_LABELS};
use crate::linalg::Scalar;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How spins become numbers.
///
/// ```
/// use ergodict::patch::SpinValues;
/// assert_eq!("one-hot".parse::<SpinValues>()?, SpinValues::OneHot);
/// assert_eq!(SpinValues::default().to_string(), "zero-one");
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpinValues {
    /// −1 becomes 0, so that everything is nonnegative.
    #[default]
    ZeroOne,
    /// ±1, for dictionaries with both signs; 0 of units 0 and 1 becomes −1.
    Signed,
    /// A channel for each label, 1 in that of the site's label.
    OneHot,
    /// 1 where labels meet and 0 elsewhere, for labels that only tell cells apart. The numbers are those of the map of
    /// [`borders`](super::borders()), which is to be cut into patches instead of the configuration.
    Borders,
}

impl fmt::Display for SpinValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ZeroOne => "zero-one",
            Self::Signed => "signed",
            Self::OneHot => "one-hot",
            Self::Borders => "borders",
        })
    }
}

impl FromStr for SpinValues {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let all = [Self::ZeroOne, Self::Signed, Self::OneHot, Self::Borders];
        all.into_iter().find(|values| values.to_string() == text).ok_or_else(|| {
            Error::parameter("the encoding of spins", text, "it must be zero-one, signed, one-hot or borders")
        })
    }
}

/// A table from spins to numbers.
///
/// ```
/// use ergodict::{chain::Alphabet, patch::{Encoding, SpinValues}};
/// let ising = Encoding::new(SpinValues::ZeroOne, Alphabet::PlusMinus)?;
/// assert_eq!((ising.encode(-1), ising.encode(1)), (&[0.0][..], &[1.0][..]));
/// assert_eq!(ising.decode(&[0.7]), 1);
/// let potts = Encoding::new(SpinValues::OneHot, Alphabet::Labels(3))?;
/// assert_eq!((potts.encode(2), potts.decode(&[0.2, 0.5, 0.3])), (&[0.0, 0.0, 1.0][..], 1));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Encoding {
    channels: usize,
    /// The alphabet.
    spins: Vec<i8>,
    /// Numbers of value `v` at `(v as u8)·channels`.
    table: Vec<f64>,
}

impl Encoding {
    /// The numbers for an alphabet.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the values make no sense of the alphabet, or the alphabet is none.
    pub fn new(values: SpinValues, alphabet: Alphabet) -> Result<Self> {
        let binary = |low: i8| {
            let zero = if values == SpinValues::Signed { -1.0 } else { 0.0 };
            let mut table = vec![0.0; 256];
            table[low as u8 as usize] = zero;
            table[1] = 1.0;
            Self { channels: 1, spins: vec![low, 1], table }
        };
        match (values, alphabet) {
            (SpinValues::ZeroOne | SpinValues::Signed, Alphabet::PlusMinus) => Ok(binary(-1)),
            (SpinValues::ZeroOne | SpinValues::Signed, Alphabet::ZeroOne)
            | (SpinValues::Borders, Alphabet::Labels(_)) => Ok(binary(0)),
            (SpinValues::OneHot, Alphabet::Labels(labels)) => {
                if labels == 0 || labels > MOST_LABELS {
                    let expected = format!("it must be at least 1 and at most {MOST_LABELS}");
                    return Err(Error::parameter("the number of labels", labels, expected));
                }
                let channels = usize::from(labels);
                let mut table = vec![0.0; 256 * channels];
                (0..channels).for_each(|v| table[v * channels + v] = 1.0);
                Ok(Self { channels, spins: (0..labels).map(|v| v as i8).collect(), table })
            }
            _ => Err(Error::parameter(
                "the encoding of spins",
                values,
                "two-valued spins are zero-one or signed, labels are one-hot or borders",
            )),
        }
    }

    /// Numbers for each site.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The numbers of a spin; zeros for what is not in the alphabet.
    pub fn encode(&self, spin: i8) -> &[f64] {
        &self.table[usize::from(spin as u8) * self.channels..][..self.channels]
    }

    /// The spin whose numbers are nearest to `values`, of which there are [`channels`](Self::channels): the nearest
    /// value, or the label of the largest. Of equally near ones the first of the alphabet.
    pub fn decode(&self, values: &[f64]) -> i8 {
        let score = |k: usize, spin: i8| match (values, self.encode(spin)) {
            ([value], [number]) => -(number - value).abs(),
            // Nearest to one of the unit vectors is where the entry is largest.
            _ => values.get(k).copied().unwrap_or(f64::NAN),
        };
        let mut best = (self.spins[0], f64::NEG_INFINITY);
        for (k, &spin) in self.spins.iter().enumerate() {
            let score = score(k, spin);
            if score > best.1 {
                best = (spin, score);
            }
        }
        best.0
    }

    /// The share of sites whose spin is told by `values`, a reconstruction with [`channels`](Self::channels) numbers a
    /// site: 1 when all are right. NaN unless both are of the same number of sites.
    pub fn agreement(&self, values: &[f64], spins: &[i8]) -> f64 {
        if values.len() != spins.len() * self.channels {
            return f64::NAN;
        }
        let right = values.chunks_exact(self.channels).zip(spins).filter(|(v, s)| self.decode(v) == **s);
        right.count() as f64 / spins.len() as f64
    }

    /// Whether a configuration is made of the alphabet.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the first spin that is not.
    pub fn check(&self, spins: &[i8]) -> Result<()> {
        match spins.iter().find(|spin| !self.spins.contains(spin)) {
            None => Ok(()),
            Some(spin) => {
                let (first, last) = (self.spins[0], self.spins[self.spins.len() - 1]);
                let expected = match self.spins.len() {
                    0..=2 => format!("it must be {first} or {last}"),
                    _ => format!("it must be a label from {first} to {last}"),
                };
                Err(Error::parameter("a spin", spin, expected))
            }
        }
    }
}

/// A configuration as numbers on a grid.
///
/// ```
/// use ergodict::chain::{Alphabet, Boundary};
/// use ergodict::patch::{Encoding, SpinGrid, SpinValues, Window};
/// let encoding = Encoding::new(SpinValues::ZeroOne, Alphabet::PlusMinus)?;
/// let grid = SpinGrid { spins: &[1, -1, 1, 1, -1, -1], shape: (2, 3), encoding: &encoding };
/// let mut column = [0.0; 4];
/// Window { rows: 2, cols: 2, boundary: Boundary::Free }.copy(&grid, (0, 1), &mut column);
/// assert_eq!(column, [0.0, 1.0, 0.0, 0.0]);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SpinGrid<'a> {
    /// The configuration, row by row.
    pub spins: &'a [i8],
    /// Its rows and columns.
    pub shape: (usize, usize),
    /// What number stands for a spin.
    pub encoding: &'a Encoding,
}

impl Grid for SpinGrid<'_> {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }
    fn channels(&self) -> usize {
        self.encoding.channels
    }
    fn value(&self, row: usize, col: usize, channel: usize) -> f64 {
        self.encoding.encode(self.spins[row * self.shape.1 + col])[channel]
    }
    fn copy_run<T: Scalar>(&self, row: usize, col: usize, out: &mut [T]) {
        let Encoding { channels, table, .. } = self.encoding;
        let start = row * self.shape.1 + col;
        let spins = &self.spins[start..start + out.len() / channels];
        if let (1, Some(table)) = (channels, table.first_chunk::<256>()) {
            out.iter_mut().zip(spins).for_each(|(out, spin)| *out = T::from_f64(table[*spin as u8 as usize]));
            return;
        }
        for (out, spin) in out.chunks_exact_mut(*channels).zip(spins) {
            out.iter_mut().zip(self.encoding.encode(*spin)).for_each(|(out, x)| *out = T::from_f64(*x));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for values in [SpinValues::ZeroOne, SpinValues::Signed, SpinValues::OneHot, SpinValues::Borders] {
            assert_eq!(values.to_string().parse::<SpinValues>().unwrap(), values);
            assert_eq!(serde_json::to_string(&values).unwrap(), format!("\"{values}\""));
        }
        let message = "zeroone".parse::<SpinValues>().unwrap_err().to_string();
        assert!(message.contains("zero-one, signed, one-hot or borders"), "{message}");
    }

    #[test]
    fn every_spin_of_every_alphabet_is_told_from_its_numbers() {
        for (values, alphabet, spins) in [
            (SpinValues::ZeroOne, Alphabet::PlusMinus, vec![-1, 1]),
            (SpinValues::Signed, Alphabet::PlusMinus, vec![-1, 1]),
            (SpinValues::ZeroOne, Alphabet::ZeroOne, vec![0, 1]),
            (SpinValues::Signed, Alphabet::ZeroOne, vec![0, 1]),
            (SpinValues::OneHot, Alphabet::Labels(MOST_LABELS), (0..=127).collect()),
            // What is told is whether labels meet there.
            (SpinValues::Borders, Alphabet::Labels(7), vec![0, 1]),
        ] {
            let encoding = Encoding::new(values, alphabet).unwrap();
            for &spin in &spins {
                let numbers: Vec<f64> = encoding.encode(spin).iter().map(|x| 0.7 * x - 0.1).collect();
                assert_eq!(encoding.decode(&numbers), spin, "{values} {alphabet:?}");
            }
            encoding.check(&spins).unwrap();
            assert!(encoding.check(&[-2]).unwrap_err().to_string().contains("a spin is -2"));
        }
        let encoding = Encoding::new(SpinValues::Signed, Alphabet::PlusMinus).unwrap();
        assert_eq!(encoding.agreement(&[0.3, -0.2, 2.0, 0.1], &[1, -1, 1, -1]), 0.75);
        assert!(encoding.agreement(&[0.3], &[1, 1]).is_nan());
    }

    #[test]
    fn runs_of_a_grid_are_its_values_one_by_one() {
        let spins: Vec<i8> = (0..35).map(|i| (i * i % 3) as i8).collect();
        let potts = Encoding::new(SpinValues::OneHot, Alphabet::Labels(3)).unwrap();
        let ising = Encoding::new(SpinValues::Signed, Alphabet::ZeroOne).unwrap();
        for encoding in [&potts, &ising] {
            let grid = SpinGrid { spins: &spins, shape: (5, 7), encoding };
            let mut run = vec![0.0; 4 * encoding.channels];
            grid.copy_run(3, 2, &mut run);
            for (k, value) in run.iter().enumerate() {
                let (place, channel) = (k / encoding.channels, k % encoding.channels);
                assert_eq!(*value, grid.value(3, 2 + place, channel));
            }
        }
    }

    #[test]
    fn alphabets_that_cannot_be_encoded_so_are_refused() {
        for (values, alphabet) in [
            (SpinValues::OneHot, Alphabet::PlusMinus),
            (SpinValues::ZeroOne, Alphabet::Labels(3)),
            (SpinValues::OneHot, Alphabet::Labels(0)),
            (SpinValues::OneHot, Alphabet::Labels(MOST_LABELS + 1)),
            (SpinValues::Borders, Alphabet::PlusMinus),
        ] {
            assert!(Encoding::new(values, alphabet).is_err(), "{values} {alphabet:?}");
        }
    }
}
