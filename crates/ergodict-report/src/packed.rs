//! Numbers as short text that the script of the page reads back.

use crate::pixels::base64;

/// Entries in base 64, as whole parts of the largest.
#[derive(Debug, PartialEq)]
pub(crate) struct Packed {
    /// Bits of an entry: 1, 8 or 16; at more than one, entries are signed and little-endian.
    pub(crate) bits: u8,
    /// The largest absolute entry, which is the largest whole number that fits.
    pub(crate) scale: f64,
    /// The entries.
    pub(crate) text: String,
}

/// `values` at the given number of bits (8 or 16), or at 1 where all are zero or the same positive number. Entries that
/// are not finite become the lowest whole number.
pub(crate) fn packed(values: &[f64], bits: u8) -> Packed {
    let scale = crate::shade::largest(values);
    if values.iter().all(|&v| v == 0.0 || v == scale) {
        let byte = |chunk: &[f64]| chunk.iter().rev().fold(0u8, |byte, &v| byte << 1 | u8::from(v > 0.0));
        return Packed { bits: 1, scale, text: base64(&values.chunks(8).map(byte).collect::<Vec<_>>()) };
    }
    let part = |v: f64, most: f64| if v.is_finite() { (v / scale * most).round() } else { -most - 1.0 };
    let bytes: Vec<u8> = match bits {
        16 => values.iter().flat_map(|&v| (part(v, 32767.0) as i16).to_le_bytes()).collect(),
        _ => values.iter().flat_map(|&v| (part(v, 127.0) as i8).to_le_bytes()).collect(),
    };
    Packed { bits: if bits == 16 { 16 } else { 8 }, scale, text: base64(&bytes) }
}

/// Places between 0 and `size`, 12 bits for each coordinate, so four letters for each place.
pub(crate) fn packed_places(places: &[[f64; 2]], size: (f64, f64)) -> String {
    let part = |v: f64, most: f64| ((v / most).clamp(0.0, 1.0) * 4095.0).round() as u32;
    let place = |p: &[f64; 2]| {
        let [_, bytes @ ..] = (part(p[0], size.0) << 12 | part(p[1], size.1)).to_be_bytes();
        bytes
    };
    base64(&places.iter().flat_map(place).collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_whole_parts_of_the_largest() {
        let bytes = packed(&[2.0, -2.0, 1.0, f64::NAN], 8);
        assert_eq!((bytes.bits, bytes.scale), (8, 2.0));
        assert_eq!(bytes.text, base64(&[127, 129, 64, 128]));
        let words = packed(&[1.0, 0.25], 16);
        assert_eq!(words.text, base64(&[0xff, 0x7f, 0x00, 0x20]));
        let bits = packed(&[0.0, 3.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0], 8);
        assert_eq!((bits.bits, bits.scale, bits.text), (1, 3.0, base64(&[6, 1])));
        assert_eq!(packed(&[0.0; 3], 16), Packed { bits: 1, scale: 0.0, text: base64(&[0]) });
        assert_eq!(packed(&[-1.0, -1.0], 8).bits, 8, "a sign needs more than a bit");
    }

    #[test]
    fn places_take_four_letters() {
        assert_eq!(packed_places(&[[0.0, 340.0], [400.0, 0.0]], (400.0, 340.0)), "AA////AA");
        assert_eq!(packed_places(&[[200.0, 170.0]; 3], (400.0, 340.0)).len(), 12);
    }
}
