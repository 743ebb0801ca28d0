//! Pictures as files, written by the crates that read them, and those in `tests/pictures`.

use tiff::encoder::colortype::{
    ColorType, Gray8, Gray16, Gray32Float, RGB8, RGB16, RGB32Float, RGBA8, RGBA16, RGBA32Float,
};
use tiff::encoder::{TiffEncoder, TiffValue};

/// Formats that are written here. Of JPEG there are the files.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Format {
    Png,
    Pnm,
    Tiff,
}

/// Pixels, row by row, the channels of a pixel together.
pub(crate) struct Picture<T> {
    size: (u32, u32),
    channels: usize,
    pub(crate) samples: Vec<T>,
}

/// Kinds of numbers that pixels are made of.
pub(crate) trait Sample: Copy + 'static
where
    [Self]: TiffValue,
{
    const BITS: u8;
    type Gray: ColorType<Inner = Self>;
    type Color: ColorType<Inner = Self>;
    type ColorAlpha: ColorType<Inner = Self>;
    fn big_endian(self) -> Vec<u8>;
}

macro_rules! sample {
    ($type:ty, $bits:expr, $gray:ty, $color:ty, $alpha:ty) => {
        impl Sample for $type {
            const BITS: u8 = $bits;
            type Gray = $gray;
            type Color = $color;
            type ColorAlpha = $alpha;
            fn big_endian(self) -> Vec<u8> {
                self.to_be_bytes().to_vec()
            }
        }
    };
}
sample!(u8, 8, Gray8, RGB8, RGBA8);
sample!(u16, 16, Gray16, RGB16, RGBA16);
sample!(f32, 32, Gray32Float, RGB32Float, RGBA32Float);

impl<T: Sample> Picture<T>
where
    [T]: TiffValue,
{
    /// A picture of this width and height whose pixel at column `x` and row `y` is `pixel(x, y)`.
    pub(crate) fn new<const C: usize>(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [T; C]) -> Self {
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        Self { size: (width, height), channels: C, samples: places.flat_map(|(x, y)| pixel(x, y)).collect() }
    }

    pub(crate) fn pixel(&self, x: u32, y: u32) -> &[T] {
        &self.samples[(y * self.size.0 + x) as usize * self.channels..][..self.channels]
    }

    pub(crate) fn encoded(&self, format: Format) -> Vec<u8> {
        let (width, height) = self.size;
        let bytes: Vec<u8> = self.samples.iter().flat_map(|v| v.big_endian()).collect();
        match format {
            Format::Png => {
                let mut file = Vec::new();
                let mut encoder = png::Encoder::new(&mut file, width, height);
                encoder.set_depth(png::BitDepth::from_u8(T::BITS).unwrap());
                encoder.set_color(match self.channels {
                    1 => png::ColorType::Grayscale,
                    2 => png::ColorType::GrayscaleAlpha,
                    3 => png::ColorType::Rgb,
                    _ => png::ColorType::Rgba,
                });
                encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
                file
            }
            Format::Pnm => {
                let kind = if self.channels == 1 { 5 } else { 6 };
                let head = format!("P{kind}\n{width} {height}\n{}\n", (1_u32 << T::BITS) - 1);
                [head.into_bytes(), bytes].concat()
            }
            Format::Tiff => {
                let mut file = std::io::Cursor::new(Vec::new());
                let mut encoder = TiffEncoder::new(&mut file).unwrap();
                match self.channels {
                    1 => encoder.write_image::<T::Gray>(width, height, &self.samples),
                    3 => encoder.write_image::<T::Color>(width, height, &self.samples),
                    _ => encoder.write_image::<T::ColorAlpha>(width, height, &self.samples),
                }
                .unwrap();
                file.into_inner()
            }
        }
    }
}

/// The picture of the files in `tests/pictures`; gray ones have the first of its channels.
pub(crate) fn shown() -> Picture<u8> {
    Picture::new(40, 30, |x, y| [(x * 6) as u8, (y * 8) as u8, 7])
}

/// A file in `tests/pictures`.
pub(crate) fn stored(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/pictures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}
