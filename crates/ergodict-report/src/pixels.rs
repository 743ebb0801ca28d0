//! Pixels to PNG files and data URIs.

/// An RGBA image, row by row from the top.
pub(crate) struct Pixels {
    width: usize,
    height: usize,
    rgba: Vec<u8>,
}

impl Pixels {
    /// A `width` × `height` image of one colour.
    pub(crate) fn filled(width: usize, height: usize, colour: [u8; 4]) -> Self {
        Self { width, height, rgba: colour.repeat(width * height) }
    }

    /// Paints the `size` × `size` square whose top left pixel is (`x`, `y`).
    pub(crate) fn square(&mut self, x: usize, y: usize, size: usize, colour: [u8; 4]) {
        for row in y..y + size {
            let from = 4 * (row * self.width + x);
            for pixel in self.rgba[from..from + 4 * size].chunks_exact_mut(4) {
                pixel.copy_from_slice(&colour);
            }
        }
    }

    /// The image as a PNG file. Fails only when a side is zero or does not fit the format.
    pub(crate) fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let side = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, side(self.width), side(self.height));
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgba)?;
        writer.finish()?;
        Ok(file)
    }
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
