//! Spin patches: how spins are encoded as numbers.
//!
//! The paper factorizes configurations of ±1 with nonnegative atoms without saying what becomes of −1; here it is said:
//!
//! | encoding | alphabet | numbers of a site |
//! |---|---|---|
//! | `zero-one` | −1, 1 or 0, 1 | 0 or 1, for nonnegative atoms |
//! | `signed` | −1, 1 or 0, 1 | −1 or 1, for atoms of both signs |
//! | `one-hot` | labels `0..q` | q channels, 1 in that of the label |
//! | `borders` | labels `0..q` | 1 where labels meet, 0 elsewhere, see [`borders`](super::borders()) |
//! | `vector` | angles | cosine and sine, for atoms of both signs |
//! | `real` | real numbers | the number, for atoms of both signs |

use super::Grid;
use super::real::vectors;
use crate::chain::{Alphabet, MOST_LABELS};
use crate::data::Frame;
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
    /// 1 where labels meet and 0 elsewhere, for labels that only distinguish cells. The numbers are those of the map of
    /// [`borders`](super::borders()), which is to be cut into patches instead of the configuration.
    Borders,
    /// Cosine and sine of an angle.
    Vector,
    /// The number itself, of fields of real numbers.
    Real,
}

impl SpinValues {
    /// All there are.
    const ALL: [Self; 6] =
        [Self::ZeroOne, Self::Signed, Self::OneHot, Self::Borders, Self::Vector, Self::Real];

    /// The default encoding of a spin: a channel for each label, the vector of an angle, the real number; 0 and 1 for two values.
    pub fn for_alphabet(alphabet: Alphabet) -> Self {
        match alphabet {
            Alphabet::Labels(_) => Self::OneHot,
            Alphabet::PlusMinus | Alphabet::ZeroOne => Self::ZeroOne,
            Alphabet::Angle => Self::Vector,
            Alphabet::Real => Self::Real,
        }
    }

    /// Whether numbers of both signs stand for spins, which nonnegative atoms and codes cannot make.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Signed | Self::Vector | Self::Real)
    }
}

impl fmt::Display for SpinValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ZeroOne => "zero-one",
            Self::Signed => "signed",
            Self::OneHot => "one-hot",
            Self::Borders => "borders",
            Self::Vector => "vector",
            Self::Real => "real",
        })
    }
}

impl FromStr for SpinValues {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|values| values.to_string() == text).ok_or_else(|| {
            let expected = "it must be zero-one, signed, one-hot, borders, vector or real";
            Error::parameter("the encoding of spins", text, expected)
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
    values: SpinValues,
    channels: usize,
    /// The alphabet; empty for real numbers.
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
            Self { values, channels: 1, spins: vec![low, 1], table }
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
                Ok(Self { values, channels, spins: (0..labels).map(|v| v as i8).collect(), table })
            }
            (SpinValues::Vector, Alphabet::Angle) | (SpinValues::Real, Alphabet::Real) => {
                let channels = if values == SpinValues::Vector { 2 } else { 1 };
                Ok(Self { values, channels, spins: Vec::new(), table: vec![0.0; 256 * channels] })
            }
            _ => Err(Error::parameter(
                "the encoding of spins",
                values,
                "two-valued spins are zero-one or signed, labels are one-hot or borders, angles are vector, other real numbers real",
            )),
        }
    }

    /// The encoding of spins.
    pub fn values(&self) -> SpinValues {
        self.values
    }

    /// The numbers of a configuration, those of a site together.
    pub fn numbers(&self, frame: &Frame<'_>) -> Vec<f64> {
        match frame {
            Frame::Whole(spins) => spins.iter().flat_map(|&spin| self.encode(spin)).copied().collect(),
            Frame::Real(angles) if self.values == SpinValues::Vector => vectors(angles),
            Frame::Real(values) => values.to_vec(),
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
        let mut best = (self.spins.first().copied().unwrap_or(0), f64::NEG_INFINITY);
        for (k, &spin) in self.spins.iter().enumerate() {
            let score = score(k, spin);
            if score > best.1 {
                best = (spin, score);
            }
        }
        best.0
    }

    /// The share of sites whose spin is recovered from `values`, a reconstruction with [`channels`](Self::channels) numbers a
    /// site: 1 when all are right. NaN unless both are of the same number of sites, and for real numbers.
    pub fn agreement(&self, values: &[f64], spins: &Frame<'_>) -> f64 {
        let Frame::Whole(spins) = spins else { return f64::NAN };
        if values.len() != spins.len() * self.channels {
            return f64::NAN;
        }
        let right = values.chunks_exact(self.channels).zip(&**spins).filter(|(v, s)| self.decode(v) == **s);
        right.count() as f64 / spins.len() as f64
    }

    /// Whether whole or real numbers are what is encoded.
    pub(super) fn check_form(&self, frame: &Frame<'_>) -> Result<()> {
        let (found, expected) = match (frame, self.spins.is_empty()) {
            (Frame::Real(_), false) => {
                ("one of real numbers", "the atoms are of spins or labels, which are whole numbers")
            }
            (Frame::Whole(_), true) => ("one of whole numbers", "the atoms are of real numbers"),
            _ => return Ok(()),
        };
        Err(Error::parameter("the configuration", found, expected))
    }

    /// Whether a configuration is made of the alphabet.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the first spin that is not.
    pub fn check(&self, frame: &Frame<'_>) -> Result<()> {
        self.check_form(frame)?;
        let spins = match frame {
            Frame::Whole(spins) => spins,
            Frame::Real(values) => {
                let bad = values.iter().position(|value| !value.is_finite());
                return bad.map_or(Ok(()), |site| {
                    let found = format!("{} (site {site})", values[site]);
                    Err(Error::parameter("a value of the configuration", found, "it must be a finite number"))
                });
            }
        };
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
    /// The number that encodes a spin.
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
        for values in SpinValues::ALL {
            assert_eq!(values.to_string().parse::<SpinValues>().unwrap(), values);
            assert_eq!(serde_json::to_string(&values).unwrap(), format!("\"{values}\""));
        }
        let message = "zeroone".parse::<SpinValues>().unwrap_err().to_string();
        assert!(message.contains("zero-one, signed, one-hot, borders, vector or real"), "{message}");
    }

    #[test]
    fn every_spin_of_every_alphabet_is_recovered_from_its_numbers() {
        for (values, alphabet, spins) in [
            (SpinValues::ZeroOne, Alphabet::PlusMinus, vec![-1, 1]),
            (SpinValues::Signed, Alphabet::PlusMinus, vec![-1, 1]),
            (SpinValues::ZeroOne, Alphabet::ZeroOne, vec![0, 1]),
            (SpinValues::Signed, Alphabet::ZeroOne, vec![0, 1]),
            (SpinValues::OneHot, Alphabet::Labels(MOST_LABELS), (0..=127).collect()),
            // The encoding is whether labels meet there.
            (SpinValues::Borders, Alphabet::Labels(7), vec![0, 1]),
        ] {
            let encoding = Encoding::new(values, alphabet).unwrap();
            for &spin in &spins {
                let numbers: Vec<f64> = encoding.encode(spin).iter().map(|x| 0.7 * x - 0.1).collect();
                assert_eq!(encoding.decode(&numbers), spin, "{values} {alphabet:?}");
            }
            encoding.check(&spins.into()).unwrap();
            assert!(encoding.check(&vec![-2i8].into()).unwrap_err().to_string().contains("a spin is -2"));
        }
        let encoding = Encoding::new(SpinValues::Signed, Alphabet::PlusMinus).unwrap();
        assert_eq!(encoding.agreement(&[0.3, -0.2, 2.0, 0.1], &vec![1i8, -1, 1, -1].into()), 0.75);
        assert!(encoding.agreement(&[0.3], &vec![1i8, 1].into()).is_nan());
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
