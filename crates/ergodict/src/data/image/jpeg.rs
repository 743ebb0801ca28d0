//! JPEG, by zune-jpeg.

use super::orientation;
use super::pixels::{Pixels, Problem, Samples, shape};
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Gray stays gray; all else, CMYK too, becomes red, green and blue.
pub(super) fn decode(bytes: &[u8]) -> Result<Pixels, Problem> {
    if !is_whole(bytes) {
        return Err(Problem::WindowCut("it lacks the end marker".into()));
    }
    // Neither side has more than 65535 pixels; how many there are is checked before they are decoded.
    let options =
        DecoderOptions::default().set_strict_mode(false).set_max_width(usize::MAX).set_max_height(usize::MAX);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(problem)?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    let shape = shape(width as u64, height as u64)?;
    // Each block of 8×8 pixels takes a bit at least. The decoder fills up what is missing with gray, whatever the size.
    if width.div_ceil(8) * height.div_ceil(8) > 8 * bytes.len() {
        let there = bytes.len();
        return Err(Problem::Damaged(format!("{there} bytes are too few for {width}×{height} pixels")));
    }
    let gray = decoder.input_colorspace() == Some(ColorSpace::Luma);
    let orientation = decoder.exif().map_or(1, |exif| orientation::find(exif));
    let space = if gray { ColorSpace::Luma } else { ColorSpace::RGB };
    decoder.set_options(options.jpeg_set_out_colorspace(space));
    let samples = Samples::Bits8(decoder.decode().map_err(problem)?);
    Ok(Pixels { shape, colors: if gray { 1 } else { 3 }, alpha: false, samples, orientation })
}

fn problem(error: DecodeErrors) -> Problem {
    match error {
        DecodeErrors::Unsupported(what) => Problem::Unsupported(format!("{what:?}")),
        other => Problem::Damaged(other.to_string()),
    }
}

/// Whether the markers of a JPEG file lead to that of its end. The decoder would fill up what is missing with gray and
/// say nothing. Markers inside segments, such as those of a thumbnail, do not count.
fn is_whole(bytes: &[u8]) -> bool {
    let mut at = 2;
    while let Some(&[first, marker]) = bytes.get(at..at + 2) {
        at += match (first, marker) {
            (0xff, 0xd9) => return true,
            // Between markers there may be filling, and after the start of a scan its numbers, in which 0 follows 0xff.
            (0xff, 0x01..=0xcf | 0xda..=0xfe) => {
                let Some(&[high, low]) = bytes.get(at + 2..at + 4) else { return false };
                2 + usize::from(u16::from_be_bytes([high, low]))
            }
            (0xff, 0x00 | 0xd0..=0xd8) => 2,
            _ => 1,
        };
    }
    false
}
