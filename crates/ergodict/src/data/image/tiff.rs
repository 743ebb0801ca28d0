//! TIFF, by the tiff crate.

use super::orientation;
use super::pixels::{DECODER_BYTES, Pixels, Problem, Samples, shape};
use ::tiff::decoder::{Decoder, DecodingResult, Limits};
use ::tiff::tags::Tag;
use ::tiff::{ColorType, TiffError};
use std::io::Cursor;

/// Gray and colors of 8 and 16 bits and of 32-bit floats, opacity, single bits, and CMYK of 8 and 16 bits. Of several images,
/// the first.
pub(super) fn decode(bytes: &[u8]) -> Result<Pixels, Problem> {
    let mut decoder = Decoder::new(Cursor::new(bytes)).map_err(problem)?;
    let (width, height) = decoder.dimensions().map_err(problem)?;
    let kind = decoder.colortype().map_err(problem)?;
    let (colors, alpha) = match kind {
        ColorType::Gray(1 | 8 | 16 | 32) => (1, false),
        ColorType::GrayA(8 | 16 | 32) => (1, true),
        ColorType::RGB(8 | 16 | 32) | ColorType::CMYK(8 | 16) => (3, false),
        ColorType::RGBA(8 | 16 | 32) => (3, true),
        other => return Err(Problem::Unsupported(format!("{other:?}"))),
    };
    let shape = shape(width.into(), height.into())?;
    let channels = if matches!(kind, ColorType::CMYK(_)) { 4 } else { colors + usize::from(alpha) };
    let mut limits = Limits::default();
    limits.decoding_buffer_size = shape.0 * shape.1 * channels * usize::from(kind.bit_depth().div_ceil(8));
    limits.intermediate_buffer_size = DECODER_BYTES.saturating_sub(limits.decoding_buffer_size);
    limits.ifd_value_size = limits.intermediate_buffer_size;
    let mut decoder = decoder.with_limits(limits);
    let tag = decoder.find_tag(Tag::Orientation).ok().flatten().and_then(|value| value.into_u16().ok());
    let mut result = DecodingResult::U8(Vec::new());
    let layout = decoder.read_image_to_buffer(&mut result).map_err(problem)?;
    if result.as_buffer(0).byte_len() < layout.complete_len {
        return Err(Problem::Memory(format!("{width}×{height} pixels of {kind:?}")));
    }
    let planes = layout.planes;
    let samples = match (kind, result) {
        (ColorType::CMYK(_), _) if planes > 1 => {
            return Err(Problem::Unsupported("planes of CMYK".into()));
        }
        (ColorType::CMYK(8), DecodingResult::U8(v)) => Samples::Bits8(
            v.as_chunks()
                .0
                .iter()
                .flat_map(|inks| rgb(inks.map(f32::from), 255.0).map(|c| c as u8))
                .collect(),
        ),
        (ColorType::CMYK(16), DecodingResult::U16(v)) => Samples::Bits16(
            v.as_chunks()
                .0
                .iter()
                .flat_map(|inks| rgb(inks.map(f32::from), 65535.0).map(|c| c as u16))
                .collect(),
        ),
        (ColorType::Gray(1), DecodingResult::U8(v)) => Samples::Bits8(
            v.chunks_exact(shape.1.div_ceil(8))
                .flat_map(|row| (0..shape.1).map(|j| if row[j / 8] << (j % 8) & 0x80 == 0 { 0 } else { 255 }))
                .collect(),
        ),
        (_, DecodingResult::U8(v)) => Samples::Bits8(together(v, planes, channels)),
        (_, DecodingResult::U16(v)) => Samples::Bits16(together(v, planes, channels)),
        (_, DecodingResult::F32(v)) => Samples::Float(together(v, planes, channels)),
        _ => {
            let format = layout.sample_format;
            return Err(Problem::Unsupported(format!("{kind:?} of the format {format:?}")));
        }
    };
    let found = match &samples {
        Samples::Bits8(v) => v.len(),
        Samples::Bits16(v) => v.len(),
        Samples::Float(v) => v.len(),
    };
    if found != shape.0 * shape.1 * (colors + usize::from(alpha)) {
        return Err(Problem::Damaged(format!("{found} numbers for {width}×{height} pixels of {kind:?}")));
    }
    Ok(Pixels { shape, colors, alpha, samples, orientation: tag.map_or(1, orientation::known) })
}

/// The channels of each pixel together, of channels that may be stored one after the other.
fn together<T: Copy>(samples: Vec<T>, planes: usize, channels: usize) -> Vec<T> {
    if planes < 2 {
        return samples;
    }
    let plane = samples.len() / planes;
    (0..plane).flat_map(|at| samples[at..].iter().step_by(plane).take(channels).copied()).collect()
}

/// Red, green and blue of four inks, where all have this maximum.
fn rgb([cyan, magenta, yellow, key]: [f32; 4], most: f32) -> [f32; 3] {
    [cyan, magenta, yellow].map(|ink| (most - ink) * (1.0 - key / most))
}

fn problem(error: TiffError) -> Problem {
    match error {
        TiffError::LimitsExceeded => Problem::Memory(error.to_string()),
        TiffError::UnsupportedError(what) => Problem::Unsupported(what.to_string()),
        other => Problem::Damaged(other.to_string()),
    }
}
