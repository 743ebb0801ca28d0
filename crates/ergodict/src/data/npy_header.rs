//! The header of numpy's `.npy`: the dictionary it holds, its number types, and the matrix it describes.
//!
//! | in the file | here |
//! |---|---|
//! | shape `(n, d)` | n samples of d features; `(n, a, b, …)` is `(n, a·b·…)`, as by `reshape(n, -1)` |
//! | `descr` | [`Dtype`]: `f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1` in either byte order |
//! | `fortran_order` | read through the memory map only: its rows do not lie together |

use crate::linalg::Scalar;
use crate::{Error, Result};
use std::io::Read;
use std::path::Path;

/// The first bytes of every `.npy` file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// numpy refuses headers beyond 10 000 bytes by default; nothing that is one matrix comes near.
const LONGEST_HEADER: u64 = 1 << 20;

/// The most features of a matrix without samples, which takes no bytes whatever its header says.
const MOST_EMPTY: usize = 1 << 24;

/// The number types that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

/// A number type with its byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dtype {
    pub(crate) kind: Kind,
    pub(crate) big_endian: bool,
}

impl Dtype {
    /// Understands a `descr` such as `<f8`; otherwise says what is the matter with it.
    pub(crate) fn parse(descr: &str) -> std::result::Result<Self, String> {
        let (order, code) = match descr.as_bytes() {
            [b'<' | b'>' | b'=' | b'|', ..] => descr.split_at(1),
            _ => ("=", descr),
        };
        let kind = match code {
            "b1" | "?" => Kind::Bool,
            "i1" => Kind::I8,
            "i2" => Kind::I16,
            "i4" => Kind::I32,
            "i8" => Kind::I64,
            "u1" => Kind::U8,
            "u2" => Kind::U16,
            "u4" => Kind::U32,
            "u8" => Kind::U64,
            "f4" => Kind::F32,
            "f8" => Kind::F64,
            _ => {
                let what = match code.as_bytes().first() {
                    Some(b'c') => "complex numbers",
                    Some(b'O') => "Python objects",
                    Some(b'U' | b'S' | b'a' | b'T') => "strings",
                    Some(b'M' | b'm') => "dates or durations",
                    Some(b'V') => "raw or structured records",
                    Some(b'f') => "floating-point numbers of a width that is not supported",
                    _ => "a type that is not known",
                };
                return Err(format!(
                    "holds {what} (dtype `{}`): expected real numbers, for instance \
                     X.astype('float64') or 'float32'",
                    shorten(descr)
                ));
            }
        };
        Ok(Self { kind, big_endian: order == ">" || (order == "=" && cfg!(target_endian = "big")) })
    }

    /// Bytes a number takes.
    pub(crate) fn size(self) -> usize {
        match self.kind {
            Kind::Bool | Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 => 8,
        }
    }

    /// Converts as many numbers as both `bytes` and `out` have. Integers beyond 2⁵³ are rounded.
    pub(crate) fn decode<'a, T: Scalar>(self, bytes: &[u8], out: impl Iterator<Item = &'a mut T>) {
        macro_rules! numbers {
            ($t:ty) => {{
                let chunks = bytes.as_chunks::<{ size_of::<$t>() }>().0.iter();
                if self.big_endian {
                    chunks.zip(out).for_each(|(c, o)| *o = T::from_f64(<$t>::from_be_bytes(*c) as f64));
                } else {
                    chunks.zip(out).for_each(|(c, o)| *o = T::from_f64(<$t>::from_le_bytes(*c) as f64));
                }
            }};
        }
        #[allow(clippy::cast_lossless)]
        match self.kind {
            Kind::Bool => {
                bytes.iter().zip(out).for_each(|(b, o)| *o = T::from_f64(if *b == 0 { 0.0 } else { 1.0 }));
            }
            Kind::I8 => numbers!(i8),
            Kind::I16 => numbers!(i16),
            Kind::I32 => numbers!(i32),
            Kind::I64 => numbers!(i64),
            Kind::U8 => numbers!(u8),
            Kind::U16 => numbers!(u16),
            Kind::U32 => numbers!(u32),
            Kind::U64 => numbers!(u64),
            Kind::F32 => numbers!(f32),
            Kind::F64 => numbers!(f64),
        }
    }
}

/// At most 60 characters of something out of a file, for a message.
pub(crate) fn shorten(text: &str) -> String {
    if text.chars().count() <= 60 {
        text.to_owned()
    } else {
        text.chars().take(57).chain("...".chars()).collect()
    }
}

/// A header as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) descr: String,
    pub(crate) fortran_order: bool,
    pub(crate) shape: Vec<u64>,
    /// Bytes before the numbers.
    pub(crate) length: u64,
}

impl Header {
    /// Reads the header and leaves `reader` at the first number.
    pub(crate) fn read(label: &Path, reader: &mut dyn Read) -> Result<Self> {
        let bad = |problem: String| Error::format(label, None, problem);
        let mut take = |count: u64| -> Result<Vec<u8>> {
            let mut bytes = Vec::new();
            (&mut *reader).take(count).read_to_end(&mut bytes).map_err(Error::io(label))?;
            if bytes.len() as u64 == count {
                return Ok(bytes);
            }
            Err(bad(format!(
                "is truncated in the .npy header: expected {count} more bytes, found {}",
                bytes.len()
            )))
        };
        let start = take(8)?;
        if !start.starts_with(MAGIC) {
            return Err(bad("is not a .npy array: expected it to begin with \\x93NUMPY".into()));
        }
        let width: u64 = match start[6] {
            1 => 2,
            2 | 3 => 4,
            major => {
                return Err(bad(format!(
                    "is .npy version {major}.{}: expected version 1.0, 2.0 or 3.0",
                    start[7]
                )));
            }
        };
        let length = take(width)?.iter().rev().fold(0, |length, byte| length << 8 | u64::from(*byte));
        if length > LONGEST_HEADER {
            return Err(bad(format!(
                "has a .npy header of {length} bytes: expected at most {LONGEST_HEADER}; the file is damaged"
            )));
        }
        let text = take(length)?;
        let mut header = Literal { text: &text, at: 0 }
            .header()
            .map_err(|problem| bad(format!("has a .npy header that cannot be understood: {problem}")))?;
        header.length = 8 + width + length;
        Ok(header)
    }

    /// The shape as Python prints it.
    pub(crate) fn shape_text(&self) -> String {
        match self.shape[..] {
            [n] => format!("({n},)"),
            _ => format!("({})", self.shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
        }
    }

    /// The number type, or an error that says which it is.
    pub(crate) fn dtype(&self, label: &Path) -> Result<Dtype> {
        Dtype::parse(&self.descr).map_err(|problem| Error::format(label, None, problem))
    }

    /// The header as that of a matrix.
    pub(crate) fn layout(&self, label: &Path) -> Result<Layout> {
        let bad = |problem: String| Error::format(label, None, problem);
        let dtype = self.dtype(label)?;
        let shape = self.shape_text();
        let (samples, trailing) = match &self.shape[..] {
            [] => {
                return Err(bad(
                    "holds a single number (shape ()): expected a matrix of shape (samples, features)".into(),
                ));
            }
            [n] => {
                return Err(bad(format!(
                    "has shape {shape}: expected (samples, features); X.reshape(-1, 1) makes {n} \
                     samples of one feature, X.reshape(1, -1) one sample of {n}"
                )));
            }
            [n, trailing @ ..] => (*n, trailing),
        };
        let features = trailing.iter().try_fold(1_u64, |product, n| product.checked_mul(*n));
        let bytes =
            features.and_then(|d| d.checked_mul(dtype.size() as u64)).and_then(|b| b.checked_mul(samples));
        let features = features.and_then(|d| usize::try_from(d).ok());
        let (Some(features), Some(bytes)) = (features, bytes.filter(|b| *b < i64::MAX as u64)) else {
            return Err(bad(format!("has shape {shape}, more than any file holds; the header is damaged")));
        };
        if features == 0 {
            return Err(bad(format!("has shape {shape}, without features: expected (samples, features)")));
        }
        // A matrix without samples takes no bytes, whatever the other axes say.
        if samples == 0 && features > MOST_EMPTY {
            return Err(bad(format!("has shape {shape}, which holds no number; the header is damaged")));
        }
        // With one sample or one feature both orders are the same.
        let apart = trailing.len() > 1 || (samples > 1 && features > 1);
        let fortran = self.fortran_order && samples > 0 && apart;
        let trailing = trailing.to_vec();
        Ok(Layout { dtype, fortran, samples, features, trailing, shape, bytes })
    }
}

/// A matrix in an array.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) dtype: Dtype,
    /// Whether the numbers of a sample lie apart.
    pub(crate) fortran: bool,
    pub(crate) samples: u64,
    pub(crate) features: usize,
    /// The axes after the first.
    pub(crate) trailing: Vec<u64>,
    shape: String,
    /// Of all numbers.
    pub(crate) bytes: u64,
}

impl Layout {
    /// Whether as many bytes follow the header as the shape needs.
    pub(crate) fn check_length(&self, label: &Path, found: u64) -> Result<()> {
        let (shape, size, expected) = (&self.shape, self.dtype.size(), self.bytes);
        if found < expected {
            return Err(Error::format(
                label,
                None,
                format!(
                    "is truncated: shape {shape} of {size}-byte numbers needs {expected} bytes \
                     after the header, found {found}"
                ),
            ));
        }
        if found > expected {
            return Err(Error::format(
                label,
                None,
                format!(
                    "is too long: shape {shape} of {size}-byte numbers needs {expected} bytes after \
                     the header, found {found}"
                ),
            ));
        }
        Ok(())
    }

    /// For each feature its place among the axes in Fortran order, where the first of the trailing axes runs
    /// fastest; features are numbered as in C order, where the last does.
    pub(crate) fn fortran_places(&self) -> Vec<usize> {
        let place = |feature: usize| {
            let (mut rest, mut place) = (feature, 0);
            for &axis in self.trailing.iter().rev() {
                place = place * axis as usize + rest % axis as usize;
                rest /= axis as usize;
            }
            place
        };
        (0..self.features).map(place).collect()
    }
}

/// The part of a Python literal that headers consist of.
struct Literal<'a> {
    text: &'a [u8],
    at: usize,
}

impl Literal<'_> {
    /// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`
    fn header(&mut self) -> std::result::Result<Header, String> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        self.expect(b'{')?;
        while !self.accept(b'}') {
            let key = self.string()?;
            self.expect(b':')?;
            match key.as_str() {
                "descr" => descr = Some(self.descr()?),
                "fortran_order" => fortran_order = Some(self.boolean()?),
                "shape" => shape = Some(self.tuple()?),
                _ => {
                    return Err(format!(
                        "the key `{}` is not one of descr, fortran_order, shape",
                        shorten(&key)
                    ));
                }
            }
            if !self.accept(b',') {
                self.expect(b'}')?;
                break;
            }
        }
        if self.peek().is_some() {
            return Err(format!("something follows the dictionary at byte {}", self.at));
        }
        match (descr, fortran_order, shape) {
            (Some(descr), Some(fortran_order), Some(shape)) => {
                Ok(Header { descr, fortran_order, shape, length: 0 })
            }
            _ => Err("it lacks one of descr, fortran_order, shape".into()),
        }
    }

    /// A string; of a structured type, which is a list, all that follows.
    fn descr(&mut self) -> std::result::Result<String, String> {
        if self.peek() != Some(b'[') {
            return self.string();
        }
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(&byte) = self.text.get(self.at) {
            self.at += 1;
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(format!("V{}", String::from_utf8_lossy(&self.text[start..self.at])));
            }
        }
        Err("the list after descr is not closed".into())
    }

    fn boolean(&mut self) -> std::result::Result<bool, String> {
        self.peek();
        for (word, value) in [("True", true), ("False", false)] {
            if self.text[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(format!("expected True or False at byte {}", self.at))
    }

    fn tuple(&mut self) -> std::result::Result<Vec<u64>, String> {
        let mut numbers = Vec::new();
        self.expect(b'(')?;
        while !self.accept(b')') {
            numbers.push(self.number()?);
            if !self.accept(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(numbers)
    }

    fn number(&mut self) -> std::result::Result<u64, String> {
        if self.peek() == Some(b'-') {
            return Err("an axis has a negative length".into());
        }
        let digits = self.text[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let text = &self.text[self.at..self.at + digits];
        self.at += digits;
        // Python 2 wrote 3L.
        self.accept(b'L');
        std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| format!("expected the length of an axis at byte {}", self.at))
    }

    fn string(&mut self) -> std::result::Result<String, String> {
        let Some(quote @ (b'\'' | b'"')) = self.peek() else {
            return Err(format!("expected a quoted string at byte {}", self.at));
        };
        let start = self.at + 1;
        let Some(length) = self.text[start..].iter().position(|b| *b == quote) else {
            return Err(format!("the string at byte {} is not closed", self.at));
        };
        self.at = start + length + 1;
        Ok(String::from_utf8_lossy(&self.text[start..start + length]).into_owned())
    }

    fn expect(&mut self, byte: u8) -> std::result::Result<(), String> {
        if self.accept(byte) {
            return Ok(());
        }
        Err(format!("expected `{}` at byte {}", char::from(byte), self.at))
    }

    fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::npy_write::header;
    use proptest::prelude::*;

    fn parse(bytes: &[u8]) -> Result<Header> {
        Header::read(Path::new("x.npy"), &mut &bytes[..])
    }

    fn with_dictionary(dictionary: &str) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend_from_slice(&(dictionary.len() as u16).to_le_bytes());
        bytes.extend_from_slice(dictionary.as_bytes());
        bytes
    }

    #[test]
    fn headers_of_every_spelling_are_understood() {
        for text in [
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n",
            "{\"shape\":(3,4),\"fortran_order\":False,\"descr\":\"<f8\"}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 4L)}",
        ] {
            let header = parse(&with_dictionary(text)).unwrap();
            assert_eq!(
                (header.descr.as_str(), header.fortran_order, &header.shape[..]),
                ("<f8", false, &[3, 4][..])
            );
            assert_eq!(header.length, 10 + text.len() as u64);
        }
    }

    #[test]
    fn damaged_headers_are_refused_with_a_reason() {
        let fine = "'descr': '<f8', 'fortran_order': False";
        for (text, reason) in [
            (format!("{{{fine}, 'shape': (-1, 4)}}"), "negative"),
            (format!("{{{fine}, 'shape': (99999999999999999999, 4)}}"), "length of an axis"),
            (format!("{{{fine}, 'shape': (1 2)}}"), "expected `)`"),
            (format!("{{{fine}}}"), "lacks"),
            (format!("{{{fine}, 'shape': (1, 2)}} x"), "follows"),
            (format!("{{{fine}, 'shape': (1, 2)"), "expected `}`"),
            ("{'descr': '<f8, 'fortran_order': ".into(), "expected"),
            ("{'other': 1}".into(), "`other`"),
            (String::new(), "expected `{`"),
        ] {
            let message = parse(&with_dictionary(&text)).unwrap_err().to_string();
            assert!(message.contains(reason), "{text}: {message}");
        }
        let mut bytes = with_dictionary("");
        bytes[6] = 9;
        assert!(parse(&bytes).unwrap_err().to_string().contains("version 9.0"));
        let long = [&b"\x93NUMPY\x02\x00"[..], &[255; 4]].concat();
        assert!(parse(&long).unwrap_err().to_string().contains("4294967295 bytes"));
        assert!(
            parse(b"\x93NUMPY\x01\x00\xff\x00{")
                .unwrap_err()
                .to_string()
                .contains("expected 255 more bytes, found 1")
        );
    }

    #[test]
    fn shapes_and_types_that_are_no_matrix_are_refused() {
        for (descr, shape, reason) in [
            ("<f8", "()", "single number"),
            ("<f8", "(5,)", "X.reshape(-1, 1) makes 5 samples"),
            ("<f8", "(4294967296, 4294967296)", "more than any file holds"),
            ("<f8", "(0, 18446744073709551615, 2)", "more than any file holds"),
            ("<f8", "(5, 0)", "without features"),
            ("<f8", "(0, 1000000000000000000)", "holds no number"),
            ("<f8", "(0, 17179869184)", "holds no number"),
            ("|i1", "(0, 65536, 65536)", "holds no number"),
            ("<c16", "(5, 2)", "complex numbers (dtype `<c16`)"),
            ("|O", "(5, 2)", "Python objects (dtype `|O`)"),
            ("<U7", "(5, 2)", "strings (dtype `<U7`)"),
            ("<f2", "(5, 2)", "not supported (dtype `<f2`)"),
            ("<M8[ns]", "(5, 2)", "dates"),
        ] {
            let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}}}");
            let header = parse(&with_dictionary(&text)).unwrap();
            let message = header.layout(Path::new("x.npy")).unwrap_err().to_string();
            assert!(message.contains(reason), "{descr} {shape}: {message}");
        }
        let text = "{'descr': [('a', '<f8'), ('b', '<i4', (2,))], 'fortran_order': False, 'shape': (3, 2)}";
        let message = parse(&with_dictionary(text)).unwrap().layout(Path::new("x")).unwrap_err().to_string();
        assert!(message.contains("structured records (dtype `V[('a', '<f8')"), "{message}");
    }

    #[test]
    fn a_written_header_keeps_its_length_and_is_read_back() {
        for samples in [0, 1, 99, u64::MAX] {
            let bytes = header::<f32>(samples, 7);
            assert_eq!((bytes.len(), bytes.len() % 64), (header::<f32>(0, 7).len(), 0));
            let read = parse(&bytes).unwrap();
            assert_eq!((read.descr.as_str(), &read.shape[..]), ("<f4", &[samples, 7][..]));
        }
    }

    proptest! {
        #[test]
        fn arbitrary_headers_never_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
            text in "[{}()\\[\\]'\",:a-fLTrueFals0-9<>| -]{0,120}",
        ) {
            let _ = parse(&bytes).and_then(|h| h.layout(Path::new("x")));
            let _ = parse(&[b"\x93NUMPY", &bytes[..]].concat()).and_then(|h| h.layout(Path::new("x")));
            let _ = parse(&with_dictionary(&text)).and_then(|h| h.layout(Path::new("x")));
        }

        #[test]
        fn arbitrary_values_of_the_right_keys_never_panic(descr in "[<>|=]?[a-zA-Z?]{0,2}[0-9]{0,3}", shape in "[0-9, -]{0,60}") {
            let text = format!("{{'descr': '{descr}', 'fortran_order': True, 'shape': ({shape})}}");
            let _ = parse(&with_dictionary(&text)).and_then(|h| h.layout(Path::new("x")));
        }
    }
}
