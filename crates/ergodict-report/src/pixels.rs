//! Pixels to PNG files and data URIs.

use crate::error::PictureError;

/// Most pixels of a picture: 256 MB while it is painted.
const MOST: usize = 1 << 26;

/// An image, row by row from the top.
pub(crate) struct Pixels {
    width: usize,
    height: usize,
    rgba: Vec<[u8; 4]>,
}

impl Pixels {
    /// A `width` × `height` image of one color, of 2²⁶ pixels at most.
    pub(crate) fn filled(width: usize, height: usize, color: [u8; 4]) -> Result<Self, PictureError> {
        if width.saturating_mul(height) > MOST {
            return Err(PictureError::TooLarge { width, height });
        }
        Ok(Self { width, height, rgba: vec![color; width * height] })
    }

    /// The image that shows `colors`, rows of `cols`, each as a square of `cell` pixels.
    pub(crate) fn from_colors(colors: &[[u8; 4]], cols: usize, cell: usize) -> Result<Self, PictureError> {
        let rows = colors.len() / cols;
        let mut image = Self::filled(cols.saturating_mul(cell), rows.saturating_mul(cell), [0; 4])?;
        image.paint((0, 0), colors, cols, cell);
        Ok(image)
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn height(&self) -> usize {
        self.height
    }

    /// Paints `colors`, rows of `cols`, with the top left corner at (`x`, `y`), each as a square of `cell` pixels.
    pub(crate) fn paint(&mut self, (x, y): (usize, usize), colors: &[[u8; 4]], cols: usize, cell: usize) {
        for (k, &color) in colors.iter().enumerate() {
            let (left, top) = (x + k % cols * cell, y + k / cols * cell);
            for row in top..top + cell {
                self.rgba[row * self.width + left..][..cell].fill(color);
            }
        }
    }

    /// The image as a PNG file: gray, a palette, RGB or RGBA, whichever takes the fewest bytes before compression.
    /// Fails only when a side does not fit the format.
    pub(crate) fn png(&self) -> Result<Vec<u8>, PictureError> {
        let stored = Stored::from_pixels(self);
        let too_large = |_| PictureError::TooLarge { width: self.width, height: self.height };
        let plain = self.encoded(&stored, png::Filter::NoFilter).map_err(too_large)?;
        if stored.color == png::ColorType::Indexed {
            return Ok(plain);
        }
        // Filters help photographs and hurt drawings.
        let filtered = self.encoded(&stored, png::Filter::Adaptive).map_err(too_large)?;
        Ok(if filtered.len() < plain.len() { filtered } else { plain })
    }

    fn encoded(&self, stored: &Stored, filter: png::Filter) -> Result<Vec<u8>, png::EncodingError> {
        let side = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, side(self.width), side(self.height));
        encoder.set_color(stored.color);
        encoder.set_depth(stored.depth);
        encoder.set_compression(png::Compression::High);
        encoder.set_filter(filter);
        if stored.color == png::ColorType::Indexed {
            encoder.set_palette(stored.palette.iter().flat_map(|c| [c[0], c[1], c[2]]).collect::<Vec<_>>());
            if stored.palette.iter().any(|c| c[3] < 255) {
                encoder.set_trns(stored.palette.iter().map(|c| c[3]).collect::<Vec<_>>());
            }
        }
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&stored.bytes)?;
        writer.finish()?;
        Ok(file)
    }
}

/// An image as the PNG format stores it.
struct Stored {
    color: png::ColorType,
    depth: png::BitDepth,
    palette: Vec<[u8; 4]>,
    bytes: Vec<u8>,
}

impl Stored {
    fn from_pixels(image: &Pixels) -> Self {
        use png::{BitDepth, ColorType};
        let pixels = &image.rgba;
        let opaque = pixels.iter().all(|c| c[3] == 255);
        let gray = opaque && pixels.iter().all(|c| c[0] == c[1] && c[1] == c[2]);
        let full = pixels.len() * if gray { 1 } else { 3 + usize::from(!opaque) };
        if let Some(palette) = palette(pixels) {
            let depths = [(1, BitDepth::One), (2, BitDepth::Two), (4, BitDepth::Four)];
            let enough = depths.into_iter().find(|(bits, _)| palette.len() <= 1 << bits);
            let (bits, depth) = enough.unwrap_or((8, BitDepth::Eight));
            if 4 * palette.len() + (image.width * bits).div_ceil(8) * image.height < full {
                let bytes = packed(image, &palette, bits);
                return Self { color: ColorType::Indexed, depth, palette, bytes };
            }
        }
        let (color, bytes) = match (gray, opaque) {
            (true, _) => (ColorType::Grayscale, pixels.iter().map(|c| c[0]).collect()),
            (_, true) => (ColorType::Rgb, pixels.iter().flat_map(|c| [c[0], c[1], c[2]]).collect()),
            _ => (ColorType::Rgba, pixels.iter().flatten().copied().collect()),
        };
        Self { color, depth: BitDepth::Eight, palette: Vec::new(), bytes }
    }
}

/// The colors of `pixels` in ascending order, if there are at most 256.
fn palette(pixels: &[[u8; 4]]) -> Option<Vec<[u8; 4]>> {
    let mut colors: Vec<[u8; 4]> = Vec::new();
    for &pixel in pixels.chunk_by(|a, b| a == b).filter_map(<[_]>::first) {
        if let Err(at) = colors.binary_search(&pixel) {
            if colors.len() == 256 {
                return None;
            }
            colors.insert(at, pixel);
        }
    }
    Some(colors)
}

/// Places in the sorted `palette`, `bits` for each pixel; each row begins with a new byte.
fn packed(image: &Pixels, palette: &[[u8; 4]], bits: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity((image.width * bits).div_ceil(8) * image.height);
    for row in image.rgba.chunks_exact(image.width) {
        for group in row.chunks(8 / bits) {
            let index =
                |k: usize, pixel: &[u8; 4]| palette.binary_search(pixel).unwrap_or(0) << (8 - bits * (k + 1));
            bytes.push(group.iter().enumerate().fold(0, |byte, (k, pixel)| byte | index(k, pixel)) as u8);
        }
    }
    bytes
}

/// `bytes` in base 64 (RFC 4648, padded): 15 lines against a dependency.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0u32, |w, i| w << 8 | u32::from(chunk.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_follows_the_rfc_vectors() {
        let pairs = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xbf]), "+/+/");
    }
}
