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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_place_are_the_channels_of_its_pixel() {
        let values: Vec<f32> = (0..4 * 5 * 3).map(|i| i as f32 / 64.0).collect();
        let image = Image::new((4, 5), 3, values.clone()).unwrap();
        assert_eq!((Grid::shape(&image), Grid::channels(&image)), ((4, 5), 3));
        let places = (0..4).flat_map(|row| (0..5).map(move |col| (row, col)));
        let one_by_one: Vec<f32> = places
            .flat_map(|(row, col)| (0..3).map(move |channel| (row, col, channel)))
            .map(|(row, col, channel)| image.value(row, col, channel) as f32)
            .collect();
        assert_eq!(one_by_one, values);
        let mut run = [0.0f32; 9];
        image.copy_run(2, 1, &mut run);
        assert_eq!(run, values[(2 * 5 + 1) * 3..][..9]);
    }
}
