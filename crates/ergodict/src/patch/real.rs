//! Configurations of real numbers: angles as unit vectors, fields as they are, and the grid of their numbers that patches are cut from.

use super::Grid;
use crate::linalg::Scalar;

/// Cosine and sine of each angle, together.
pub(super) fn vectors(angles: &[f64]) -> Vec<f64> {
    angles.iter().flat_map(|angle| [angle.cos(), angle.sin()]).collect()
}

/// Numbers on a grid, those of a place together.
///
/// ```
/// use ergodict::chain::Boundary;
/// use ergodict::patch::{NumberGrid, Window};
/// let grid = NumberGrid { numbers: &[0.5, -1.0, 2.0, 3.0], shape: (1, 2), channels: 2 };
/// let mut column = [0.0; 2];
/// Window { rows: 1, cols: 1, boundary: Boundary::Free }.copy(&grid, (0, 1), &mut column);
/// assert_eq!(column, [2.0, 3.0]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NumberGrid<'a> {
    /// The numbers, row by row.
    pub numbers: &'a [f64],
    /// Rows and columns.
    pub shape: (usize, usize),
    /// Numbers of a place.
    pub channels: usize,
}

impl Grid for NumberGrid<'_> {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }
    fn channels(&self) -> usize {
        self.channels
    }
    fn value(&self, row: usize, col: usize, channel: usize) -> f64 {
        self.numbers[(row * self.shape.1 + col) * self.channels + channel]
    }
    fn copy_run<T: Scalar>(&self, row: usize, col: usize, out: &mut [T]) {
        let start = (row * self.shape.1 + col) * self.channels;
        let numbers = &self.numbers[start..][..out.len()];
        out.iter_mut().zip(numbers).for_each(|(out, number)| *out = T::from_f64(*number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Alphabet;
    use crate::data::Frame;
    use crate::patch::{Encoding, SpinValues};

    #[test]
    fn angles_are_vectors_and_fields_are_as_they_are() {
        let angles: Vec<f64> = (0..12).map(|k| f64::from(k) - 5.5).collect();
        let xy = Encoding::new(SpinValues::Vector, Alphabet::Angle).unwrap();
        let numbers = xy.numbers(&Frame::from(&*angles));
        for (pair, angle) in numbers.chunks_exact(2).zip(&angles) {
            assert!(
                (pair[1].atan2(pair[0]) - angle).sin().abs() < 1e-12 && (pair[0] - angle.cos()).abs() < 1e-15
            );
        }
        let field = Encoding::new(SpinValues::Real, Alphabet::Real).unwrap();
        assert_eq!(field.numbers(&Frame::from(&*angles)), angles);
        let grid = NumberGrid { numbers: &numbers, shape: (3, 4), channels: 2 };
        let mut run = [0.0f32; 6];
        grid.copy_run(1, 1, &mut run);
        for (k, number) in run.iter().enumerate() {
            assert_eq!(*number, grid.value(1, 1 + k / 2, k % 2) as f32);
        }
    }

    #[test]
    fn whole_numbers_have_no_angles_and_angles_are_no_field() {
        for (values, alphabet) in [
            (SpinValues::Vector, Alphabet::PlusMinus),
            (SpinValues::Vector, Alphabet::Real),
            (SpinValues::Real, Alphabet::Angle),
            (SpinValues::ZeroOne, Alphabet::Angle),
            (SpinValues::OneHot, Alphabet::Real),
        ] {
            assert!(Encoding::new(values, alphabet).is_err(), "{values} {alphabet:?}");
        }
        let xy = Encoding::new(SpinValues::Vector, Alphabet::Angle).unwrap();
        assert!(xy.check(&Frame::from(&[0i8, 1][..])).is_err());
        assert!(xy.check(&Frame::from(&[0.0, f64::NAN][..])).unwrap_err().to_string().contains("site 1"));
        assert!(xy.check(&Frame::from(&[0.0, 7.0][..])).is_ok());
        assert!(xy.agreement(&[1.0, 0.0], &Frame::from(&[0.0][..])).is_nan());
    }
}
