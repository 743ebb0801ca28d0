//! PNG, by the png crate.

use super::orientation;
use super::pixels::{DECODER_BYTES, Pixels, Problem, Samples, shape};
use ::png::{
    BitDepth, ColorType, Compression, Decoder, DecodingError, Encoder, EncodingError, Filter, Limits,
    Transformations,
};
use std::io::Cursor;

/// Palettes become colors, fewer than 8 bits become 8, and a transparent color a channel of opacity.
pub(super) fn decode(bytes: &[u8]) -> Result<Pixels, Problem> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: DECODER_BYTES });
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(problem)?;
    let (width, height) = reader.info().size();
    let shape = shape(width.into(), height.into())?;
    let orientation = reader.info().exif_metadata.as_ref().map_or(1, |exif| orientation::find(exif));
    let (kind, bits) = reader.output_color_type();
    let (colors, alpha) = match kind {
        ColorType::Grayscale => (1, false),
        ColorType::GrayscaleAlpha => (1, true),
        ColorType::Rgb => (3, false),
        ColorType::Rgba => (3, true),
        ColorType::Indexed => return Err(Problem::Unsupported("a palette that is not there".into())),
    };
    let Some(room) = reader.output_buffer_size() else {
        return Err(Problem::Memory(format!("{width}×{height} pixels of {kind:?}")));
    };
    let mut buffer = vec![0; room];
    reader.next_frame(&mut buffer).map_err(problem)?;
    let samples = match bits {
        BitDepth::Sixteen => {
            Samples::Bits16(buffer.as_chunks().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect())
        }
        _ => Samples::Bits8(buffer),
    };
    Ok(Pixels { shape, colors, alpha, samples, orientation })
}

fn problem(error: DecodingError) -> Problem {
    match error {
        DecodingError::LimitsExceeded => Problem::Memory(error.to_string()),
        other => Problem::Damaged(other.to_string()),
    }
}

/// A file of 8 bits a channel, 1 of them or 3.
pub(super) fn encode(
    bytes: &[u8],
    (rows, cols): (usize, usize),
    channels: usize,
) -> Result<Vec<u8>, EncodingError> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, cols as u32, rows as u32);
    encoder.set_color(if channels == 1 { ColorType::Grayscale } else { ColorType::Rgb });
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    encoder.set_filter(Filter::Adaptive);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bytes)?;
    writer.finish()?;
    Ok(file)
}
