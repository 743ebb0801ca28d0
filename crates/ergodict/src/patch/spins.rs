//! Spin patches: what number stands for a spin.

use super::Grid;
use crate::chain::Alphabet;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// How spins become numbers.
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
}

/// A table from spins to numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Encoding {
    channels: usize,
    /// Numbers of value `v` at `(v as u8)·channels`.
    table: Vec<f64>,
}

impl Encoding {
    /// The numbers for an alphabet.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the values make no sense of the alphabet.
    pub fn new(values: SpinValues, alphabet: Alphabet) -> Result<Self> {
        let binary = |low: i8| {
            let zero = if values == SpinValues::Signed { -1.0 } else { 0.0 };
            let mut table = vec![0.0; 256];
            table[low as u8 as usize] = zero;
            table[1] = 1.0;
            Self { channels: 1, table }
        };
        match (values, alphabet) {
            (SpinValues::ZeroOne | SpinValues::Signed, Alphabet::PlusMinus) => Ok(binary(-1)),
            (SpinValues::ZeroOne | SpinValues::Signed, Alphabet::ZeroOne) => Ok(binary(0)),
            (SpinValues::OneHot, Alphabet::Labels(labels)) => {
                let labels = usize::from(labels);
                let mut table = vec![0.0; 256 * labels];
                (0..labels).for_each(|v| table[v * labels + v] = 1.0);
                Ok(Self { channels: labels, table })
            }
            _ => Err(Error::parameter(
                "the encoding of spins",
                format!("{values:?}"),
                "two-valued spins are zero-one or signed, labels are one-hot",
            )),
        }
    }

    /// Numbers for each site.
    pub fn channels(&self) -> usize {
        self.channels
    }
}

/// A configuration as numbers on a grid.
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
        let spin = self.spins[row * self.shape.1 + col];
        self.encoding.table[usize::from(spin as u8) * self.encoding.channels + channel]
    }
}
