//! numpy's `.npy`: the header, arrays in a memory map, arrays from a byte stream, and a streaming writer.
//!
//! | in the file | here |
//! |---|---|
//! | shape `(n, d)` | n samples of d features; `(n, a, b, …)` is `(n, a·b·…)`, as by `reshape(n, -1)` |
//! | `descr` | [`Dtype`]: `f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1` in either byte order |
//! | `fortran_order` | read through the memory map only: its rows do not lie together |

use super::batch::Batch;
use super::write::Staged;
use crate::linalg::{MatRef, Scalar};
use crate::{Error, Result};
use memmap2::Mmap;
use std::fs::File;
use std::io::{Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The first bytes of every `.npy` file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// numpy refuses headers beyond 10 000 bytes unless told otherwise; nothing that is one matrix comes near.
const LONGEST_HEADER: u64 = 1 << 20;

/// Bytes of a map that may be resident before they are given back, so that streaming a large file stays
/// small.
const RESIDENT: u64 = 64 << 20;

/// What a page fault may bring in around itself on Linux (`fault_around_bytes`).
const FAULT_AROUND: u64 = 64 << 10;

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
    trailing: Vec<u64>,
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
    fn fortran_places(&self) -> Vec<usize> {
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

/// A matrix in a memory map.
pub(crate) struct Mapped {
    map: Mmap,
    /// Of the first number.
    start: usize,
    layout: Layout,
    /// In Fortran order: where each feature lies.
    places: Vec<usize>,
    next: u64,
    touched: AtomicU64,
}

impl Mapped {
    /// Maps the array that takes the bytes `from..from + length` of the file, or all from there on.
    pub(crate) fn open(path: &Path, label: &Path, from: u64, length: Option<u64>) -> Result<Self> {
        let file = File::open(path).map_err(Error::io(path))?;
        // SAFETY: the map is read-only. As for every memory-mapped file, that nobody shortens or rewrites it
        // meanwhile cannot be enforced; our own writers never do, they replace files by renaming.
        let map = unsafe { Mmap::map(&file) }.map_err(Error::io(path))?;
        let end = length.map_or(Some(map.len() as u64), |length| from.checked_add(length));
        let bytes =
            end.and_then(|end| map.get(usize::try_from(from).ok()?..usize::try_from(end).ok()?)).ok_or_else(
                || Error::format(label, None, "lies beyond the end of the file, which is truncated"),
            )?;
        let header = Header::read(label, &mut &bytes[..])?;
        let layout = header.layout(label)?;
        layout.check_length(label, bytes.len() as u64 - header.length)?;
        let start = (from + header.length) as usize;
        let places = if layout.fortran { layout.fortran_places() } else { Vec::new() };
        Ok(Self { map, start, layout, places, next: 0, touched: AtomicU64::new(0) })
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    fn numbers(&self) -> &[u8] {
        &self.map[self.start..][..self.layout.bytes as usize]
    }

    pub(crate) fn seek(&mut self, sample: u64) {
        self.next = sample;
    }

    pub(crate) fn fill<T: Scalar>(&mut self, count: usize, batch: &mut Batch<T>) -> Result<()> {
        let count = (self.layout.samples - self.next).min(count as u64) as usize;
        self.copy(self.next, count, batch)?;
        self.next += count as u64;
        self.touch(count as u64 * self.layout.features as u64 * self.layout.dtype.size() as u64);
        Ok(())
    }

    pub(crate) fn gather<T: Scalar>(&mut self, samples: &[u64], batch: &mut Batch<T>) -> Result<()> {
        let (features, size) = (self.layout.features as u64, self.layout.dtype.size() as u64);
        let faults = if self.layout.fortran { features } else { 1 };
        for &sample in samples {
            self.copy(sample, 1, batch)?;
            self.touch((faults * FAULT_AROUND).max(features * size));
        }
        Ok(())
    }

    /// Appends the samples `from..from + count`, which exist.
    fn copy<T: Scalar>(&self, from: u64, count: usize, batch: &mut Batch<T>) -> Result<()> {
        let (dtype, features) = (self.layout.dtype, self.layout.features);
        let (size, from, bytes) = (dtype.size(), from as usize, self.numbers());
        if !self.layout.fortran {
            for row in bytes[from * features * size..].chunks_exact(features * size).take(count) {
                dtype.decode(row, batch.push()?.iter_mut());
            }
            return Ok(());
        }
        let (out, stride) = batch.extend(count)?;
        for (feature, place) in self.places.iter().enumerate() {
            let run = &bytes[(place * self.layout.samples as usize + from) * size..][..count * size];
            dtype.decode(run, out.iter_mut().skip(feature).step_by(stride));
        }
        Ok(())
    }

    /// The samples `from..to` where they lie, when the file has them as `T` wants them.
    pub(crate) fn view<T: Scalar>(&self, from: u64, to: u64) -> Option<MatRef<'_, T>> {
        let Layout { dtype, fortran, samples, features, .. } = self.layout;
        let same = matches!((dtype.kind, T::NAME), (Kind::F32, "f32") | (Kind::F64, "f64"));
        if !same || fortran || dtype.big_endian != cfg!(target_endian = "big") || from > to || to > samples {
            return None;
        }
        let row = features * dtype.size();
        let bytes = &self.numbers()[from as usize * row..to as usize * row];
        if !bytes.as_ptr().cast::<T>().is_aligned() {
            return None;
        }
        self.touch(bytes.len() as u64);
        // SAFETY: `bytes` is aligned for `T` and a whole number of `T` long, `T` is the f32 or f64 that
        // `dtype` names, of which any bits are a value, and the slice lives no longer than the map.
        let numbers =
            unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<T>(), bytes.len() / size_of::<T>()) };
        MatRef::from_column_major(numbers, features, (to - from) as usize).ok()
    }

    /// Notes that bytes were read, and gives the pages back when they are many.
    fn touch(&self, bytes: u64) {
        if self.touched.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > RESIDENT {
            self.touched.store(0, Ordering::Relaxed);
            #[cfg(unix)]
            // SAFETY: a read-only map of a file: pages given back are read again from the file when touched.
            let _ = unsafe { self.map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }
}

/// Opens a byte stream from its beginning.
pub(crate) type Opener = Box<dyn Fn() -> Result<Box<dyn Read + Send>> + Send>;

/// A matrix from a byte stream.
pub(crate) struct Sequential {
    label: PathBuf,
    reader: Box<dyn Read + Send>,
    layout: Layout,
    next: u64,
    /// Bytes of numbers read.
    read: u64,
    ended: bool,
    buffer: Vec<u8>,
}

impl Sequential {
    /// Starts at the header. `length` is that of the stream where it is known.
    pub(crate) fn open(label: &Path, mut reader: Box<dyn Read + Send>, length: Option<u64>) -> Result<Self> {
        let header = Header::read(label, &mut reader)?;
        let layout = header.layout(label)?;
        if let Some(length) = length {
            layout.check_length(label, length.saturating_sub(header.length))?;
        }
        if layout.fortran {
            return Err(Error::format(
                label,
                None,
                "is in Fortran order, whose samples cannot be streamed out of a compressed file or \
                 a pipe: expected C order (numpy.ascontiguousarray), or an uncompressed file",
            ));
        }
        // A multiple of every number's size.
        Ok(Self {
            label: label.to_owned(),
            reader,
            layout,
            next: 0,
            read: 0,
            ended: false,
            buffer: vec![0; 1 << 16],
        })
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn fill<T: Scalar>(&mut self, count: usize, batch: &mut Batch<T>) -> Result<()> {
        let count = (self.layout.samples - self.next).min(count as u64);
        let dtype = self.layout.dtype;
        for _ in 0..count {
            let column = batch.push()?;
            for part in column.chunks_mut(self.buffer.len() / dtype.size()) {
                let length = part.len() * dtype.size();
                self.read_part(length)?;
                dtype.decode(&self.buffer[..length], part.iter_mut());
            }
            self.next += 1;
        }
        self.check_end()
    }

    pub(crate) fn skip(&mut self, count: u64) -> Result<()> {
        let mut left = count * self.layout.features as u64 * self.layout.dtype.size() as u64;
        while left > 0 {
            let length = left.min(self.buffer.len() as u64);
            self.read_part(length as usize)?;
            left -= length;
        }
        self.next += count;
        self.check_end()
    }

    fn read_part(&mut self, length: usize) -> Result<()> {
        let found = read_fully(&self.label, &mut self.reader, &mut self.buffer[..length])?;
        self.read += found as u64;
        if found < length { self.layout.check_length(&self.label, self.read) } else { Ok(()) }
    }

    /// After the last sample the stream must end; reading on also lets a decompressor check its checksum.
    fn check_end(&mut self) -> Result<()> {
        if self.next < self.layout.samples || self.ended {
            return Ok(());
        }
        self.ended = true;
        let more = read_fully(&self.label, &mut self.reader, &mut self.buffer[..1])?;
        if more > 0 {
            return Err(Error::format(
                &self.label,
                None,
                format!("is too long: something follows the {} bytes of the array", self.layout.bytes),
            ));
        }
        Ok(())
    }
}

/// Reads until the buffer is full or the stream ends; gives the number of bytes.
pub(crate) fn read_fully(label: &Path, reader: &mut dyn Read, buffer: &mut [u8]) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Error::io(label)(e)),
        }
    }
    Ok(filled)
}

/// Writes a `.npy` array of shape `(n, d)` sample by sample; it appears whole at [`NpyWriter::finish`], and a
/// writer dropped before leaves nothing.
///
/// ```
/// use ergodict::{data::NpyWriter, linalg::MatRef};
/// let path = std::env::temp_dir().join(format!("ergodict-{}.npy", std::process::id()));
/// let mut out = NpyWriter::<f64>::create(&path, 2, None)?;
/// out.write(MatRef::from_column_major(&[1.0, 2.0, 3.0, 4.0], 2, 2)?)?; // two samples
/// out.finish()?;
/// # assert_eq!(std::fs::metadata(&path).unwrap().len(), 128 + 32);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct NpyWriter<T> {
    staged: Staged,
    path: PathBuf,
    features: usize,
    promised: Option<u64>,
    written: u64,
    bytes: Vec<u8>,
    marker: PhantomData<fn(T)>,
}

impl<T> std::fmt::Debug for NpyWriter<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NpyWriter")
            .field("path", &self.path)
            .field("written", &self.written)
            .finish_non_exhaustive()
    }
}

impl<T: Scalar> NpyWriter<T> {
    /// Begins a file of samples of `features` numbers; `-` is standard output. When the number of samples
    /// is not known yet, standard output receives nothing before the end.
    ///
    /// # Errors
    /// As [`write_atomic`](super::write_atomic).
    pub fn create(path: &Path, features: usize, samples: Option<u64>) -> Result<Self> {
        let mut staged = Staged::create(path, samples.is_none())?;
        staged.write_all(&header::<T>(samples.unwrap_or(0), features)).map_err(Error::io(path))?;
        let (path, bytes) = (path.to_owned(), Vec::new());
        Ok(Self { staged, path, features, promised: samples, written: 0, bytes, marker: PhantomData })
    }

    /// Appends the columns of `samples`, each as one row of the file.
    ///
    /// # Errors
    /// [`Error::Shape`] when they do not have `features` rows; [`Error::Io`].
    pub fn write(&mut self, samples: MatRef<'_, T>) -> Result<()> {
        if samples.rows() != self.features {
            let (found, expected) = (samples.rows(), self.features);
            return Err(Error::shape("a sample", format!("{found} numbers"), format!("{expected} numbers")));
        }
        for j in 0..samples.cols() {
            self.bytes.clear();
            append_row(&mut self.bytes, samples.col(j));
            self.staged.write_all(&self.bytes).map_err(Error::io(&self.path))?;
        }
        self.written += samples.cols() as u64;
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// [`Error::Shape`] when another number of samples was promised; [`Error::Io`].
    pub fn finish(mut self) -> Result<()> {
        match self.promised {
            Some(promised) if promised != self.written => {
                let (found, expected) = (self.written, promised);
                return Err(Error::shape(
                    "the output",
                    format!("{found} samples"),
                    format!("{expected} samples"),
                ));
            }
            Some(_) => {}
            None => self.staged.patch_start(&header::<T>(self.written, self.features))?,
        }
        self.staged.commit()
    }
}

/// Writes a matrix as a `.npy` array, each column of `samples` as one row of the file.
///
/// # Errors
/// As [`write_atomic`](super::write_atomic).
pub fn write_npy<T: Scalar>(path: &Path, samples: MatRef<'_, T>) -> Result<()> {
    let mut out = NpyWriter::create(path, samples.rows(), Some(samples.cols() as u64))?;
    out.write(samples)?;
    out.finish()
}

/// Appends numbers as they stand in a file.
pub(crate) fn append_row<T: Scalar>(bytes: &mut Vec<u8>, row: &[T]) {
    for x in row {
        if T::NAME == "f32" {
            bytes.extend_from_slice(&(x.to_f64() as f32).to_le_bytes());
        } else {
            bytes.extend_from_slice(&x.to_f64().to_le_bytes());
        }
    }
}

/// A version 1 header whose length does not depend on `samples`.
pub(crate) fn header<T: Scalar>(samples: u64, features: usize) -> Vec<u8> {
    let descr = if T::NAME == "f32" { "<f4" } else { "<f8" };
    let dictionary =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({samples}, {features}), }}");
    // u64::MAX has 20 digits; numpy wants the numbers to begin at a multiple of 64.
    let room = 20 - samples.to_string().len();
    let length = (10 + dictionary.len() + room + 1).next_multiple_of(64);
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&[1, 0]);
    bytes.extend_from_slice(&((length - 10) as u16).to_le_bytes());
    bytes.extend_from_slice(dictionary.as_bytes());
    bytes.resize(length - 1, b' ');
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
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
