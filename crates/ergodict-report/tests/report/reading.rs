//! How tests read pictures back.

use roxmltree::Document;

pub(crate) fn parsed(svg: &str) -> Document<'_> {
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"));
    Document::parse(svg).unwrap_or_else(|e| panic!("{e} in\n{svg}"))
}

/// Width, height and RGBA pixels of a PNG file.
pub(crate) fn decoded(file: &[u8]) -> (u32, u32, Vec<[u8; 4]>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let pixels = match info.color_type {
        png::ColorType::Rgba => bytes.chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]]).collect(),
        png::ColorType::GrayscaleAlpha => bytes.chunks_exact(2).map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        other => panic!("{other:?}"),
    };
    (info.width, info.height, pixels)
}

pub(crate) fn base64_decoded(text: &str) -> Vec<u8> {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<usize> = text.trim_end_matches('=').chars().map(|c| digits.find(c).unwrap()).collect();
    let word = |chunk: &[usize]| (0..4).fold(0, |w, i| w << 6 | chunk.get(i).copied().unwrap_or(0));
    bits.chunks(4).flat_map(|c| (0..c.len() - 1).map(move |i| (word(c) >> (16 - 8 * i)) as u8)).collect()
}
