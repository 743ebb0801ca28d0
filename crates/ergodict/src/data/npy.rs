//! Arrays in numpy's `.npy`, read from a memory map or from a stream of bytes.

use super::MappedFile;
use super::batch::Batch;
use super::npy_header::{Header, Kind, Layout};
use crate::linalg::{MatRef, Scalar};
use crate::{Error, Result};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a map that may be resident before they are given back, so that streaming a large file stays
/// small.
const RESIDENT: u64 = 64 << 20;

/// What a page fault may bring in around itself on Linux (`fault_around_bytes`).
const FAULT_AROUND: u64 = 64 << 10;

/// A matrix in a memory map.
pub(crate) struct Mapped {
    map: MappedFile,
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
        let map = MappedFile::map(path, &file, true)?;
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
        if self.next == self.layout.samples {
            self.map.check()?;
        }
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
            let _ = unsafe { self.map.as_map().unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
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
