//! Image patches: the pixels of an image as numbers on a grid.

use super::Grid;
use crate::data::Image;
use crate::linalg::Scalar;

impl Grid for Image {
    fn shape(&self) -> (usize, usize) {
        Image::shape(self)
    }
    fn channels(&self) -> usize {
        Image::channels(self)
    }
    fn value(&self, row: usize, col: usize, channel: usize) -> f64 {
        f64::from(self.values()[(row * Image::shape(self).1 + col) * Image::channels(self) + channel])
    }
    fn copy_run<T: Scalar>(&self, row: usize, col: usize, out: &mut [T]) {
        let start = (row * Image::shape(self).1 + col) * Image::channels(self);
        let pixels = &self.values()[start..start + out.len()];
        out.iter_mut().zip(pixels).for_each(|(out, value)| *out = T::from_f64(f64::from(*value)));
    }
}
