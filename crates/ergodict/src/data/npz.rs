//! numpy's `.npz`: one matrix out of the archive, dense or a scipy CSR matrix.

use super::InputFile;
use super::batch::Batch;
use super::npy;
use super::npy_header::{Dtype, Header, Kind, shorten};
use crate::linalg::Scalar;
use crate::{Error, Result};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes of a mapped array whose checksum is compared before it is used, which reads it once more.
const MOST_CHECKED: u64 = 1 << 30;

/// What an archive holds for us.
pub(crate) enum Archive {
    /// A member stored as it is.
    Stored(npy::Mapped),
    /// A compressed member, with what opens it again.
    Deflated(npy::Sequential, Member),
    /// A sparse matrix.
    Csr(Box<Csr>),
}

/// A member of the archive.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    archive: PathBuf,
    pub(crate) name: String,
    start: u64,
    packed: u64,
    size: u64,
    crc: u32,
    deflated: bool,
}

impl Member {
    /// `data.npz:X`, which is also how it is asked for.
    fn label(&self) -> PathBuf {
        let mut label = self.archive.clone().into_os_string();
        label.push(":");
        label.push(&self.name);
        label.into()
    }

    /// Its bytes, decompressed, with the checksum compared at the end.
    pub(crate) fn reader(&self) -> Result<Box<dyn Read + Send>> {
        let mut file = InputFile::open(&self.archive)?;
        file.seek(SeekFrom::Start(self.start)).map_err(Error::io(&self.archive))?;
        let packed = BufReader::with_capacity(1 << 16, file).take(self.packed);
        let bytes: Box<dyn Read + Send> = if self.deflated {
            Box::new(BufReader::with_capacity(1 << 16, flate2::bufread::DeflateDecoder::new(packed)))
        } else {
            Box::new(packed)
        };
        Ok(Box::new(Checked { inner: bytes, crc: flate2::Crc::new(), expected: self.crc }))
    }

    /// Its bytes from the beginning, as a stream of samples.
    pub(crate) fn sequential(&self) -> Result<npy::Sequential> {
        npy::Sequential::open(&self.label(), self.reader()?, Some(self.size))
    }

    fn header(&self) -> Result<Header> {
        Header::read(&self.label(), &mut self.reader()?)
    }

    /// All of a small array: numbers of one or two dozen bytes.
    pub(crate) fn small(&self) -> Result<(Header, Vec<u8>)> {
        let (label, mut reader) = (self.label(), self.reader()?);
        let header = Header::read(&label, &mut reader)?;
        let mut bytes = Vec::new();
        reader.take(1 << 12).read_to_end(&mut bytes).map_err(Error::io(&label))?;
        Ok((header, bytes))
    }
}

struct Checked {
    inner: Box<dyn Read + Send>,
    crc: flate2::Crc,
    expected: u32,
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.crc.update(&buffer[..n]);
        if n == 0 && !buffer.is_empty() && self.crc.sum() != self.expected {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the checksum is wrong: the archive is damaged",
            ));
        }
        Ok(n)
    }
}

/// Opens the member `wanted`, the sparse matrix, or the only matrix of the archive.
pub(crate) fn open(path: &Path, wanted: Option<&str>) -> Result<Archive> {
    let bad = |problem: String| Error::format(path, None, problem);
    let members = members(path)?;
    let find = |name: &str| members.iter().find(|m| m.name == name);
    let list =
        |members: &[&Member]| members.iter().map(|m| format!("`{}`", m.name)).collect::<Vec<_>>().join(", ");
    let all: Vec<&Member> = members.iter().collect();
    if members.is_empty() {
        return Err(bad("is an archive without arrays: expected .npy members, as numpy.savez writes".into()));
    }
    if let Some(wanted) = wanted {
        let member = find(wanted.strip_suffix(".npy").unwrap_or(wanted));
        return dense(member.ok_or_else(|| bad(format!("has no array `{wanted}`; it has {}", list(&all))))?);
    }
    if let (Some(format), Some(shape)) = (find("format"), find("shape")) {
        return sparse(path, format, shape, find);
    }
    let is_matrix = |m: &Member| m.header().and_then(|h| h.layout(path)).is_ok();
    let matrices: Vec<&Member> = members.iter().filter(|m| is_matrix(m)).collect();
    match matrices[..] {
        [one] => dense(one),
        [] => {
            // A single array that is no matrix: say what is wrong with it.
            if let [one] = &members[..] {
                return dense(one);
            }
            Err(bad(format!("has no array of shape (samples, features); it has {}", list(&all))))
        }
        [first, ..] => Err(bad(format!(
            "has several matrices, {}: add `:NAME` after the file, e.g. {}:{}",
            list(&matrices),
            path.display(),
            first.name
        ))),
    }
}

/// All numbers of an array with one axis, which may have any of these names.
pub(crate) fn vector(path: &Path, names: &[&str]) -> Result<Vec<f64>> {
    let members = members(path)?;
    let Some(member) = members.iter().find(|m| names.contains(&m.name.as_str())) else {
        let quoted = |names: &mut dyn Iterator<Item = &str>| {
            names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        let wanted = quoted(&mut names.iter().copied());
        let found = quoted(&mut members.iter().map(|m| m.name.as_str()));
        return Err(Error::format(path, None, format!("has no array {wanted}; it has {found}")));
    };
    let mut cells = Cells::open(member.clone(), None)?;
    let numbers = (0..cells.length).map(|_| cells.number()).collect::<Result<_>>()?;
    // Reading on compares the checksum.
    npy::read_fully(&cells.label, &mut cells.reader, &mut [0])?;
    Ok(numbers)
}

fn dense(member: &Member) -> Result<Archive> {
    if member.deflated {
        return Ok(Archive::Deflated(member.sequential()?, member.clone()));
    }
    // Reading a mapped member does not compare its checksum.
    if member.size <= MOST_CHECKED {
        io::copy(&mut member.reader()?, &mut io::sink()).map_err(Error::io(&member.label()))?;
    }
    npy::Mapped::open(&member.archive, &member.label(), member.start, Some(member.size)).map(Archive::Stored)
}

/// The `.npy` members.
pub(crate) fn members(path: &Path) -> Result<Vec<Member>> {
    let bad = |problem: String| Error::format(path, None, problem);
    let damaged = |e: zip::result::ZipError| match e {
        zip::result::ZipError::Io(e) => Error::io(path)(e),
        e => bad(format!("is not a .npz archive that can be read: {e}")),
    };
    let file = InputFile::open(path)?;
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    let mut members = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(damaged)?;
        let full = String::from_utf8_lossy(entry.name_raw()).into_owned();
        let Some(name) = full.strip_suffix(".npy") else { continue };
        let deflated = match entry.compression() {
            zip::CompressionMethod::Stored => false,
            zip::CompressionMethod::Deflated => true,
            other => {
                return Err(bad(format!(
                    "has the array `{name}` compressed by {other}: expected numpy.savez or \
                     numpy.savez_compressed"
                )));
            }
        };
        if entry.encrypted() {
            return Err(bad(format!(
                "has the array `{name}` encrypted: expected an archive without password"
            )));
        }
        let Some(start) = entry.data_start() else {
            return Err(bad(format!("does not say where the array `{name}` begins: the archive is damaged")));
        };
        members.push(Member {
            archive: path.to_owned(),
            name: name.to_owned(),
            start,
            packed: entry.compressed_size(),
            size: entry.size(),
            crc: entry.crc32(),
            deflated,
        });
    }
    Ok(members)
}

fn sparse<'a>(
    path: &Path,
    format: &Member,
    shape: &Member,
    find: impl Fn(&str) -> Option<&'a Member>,
) -> Result<Archive> {
    let bad = |problem: String| Error::format(path, None, problem);
    let (_, name) = format.small()?;
    // scipy writes the bytes `csr`; older versions under Python 2 wrote four bytes a character.
    let name: String = name.iter().filter(|b| **b != 0).map(|b| char::from(*b)).collect();
    if name != "csr" {
        return Err(bad(format!(
            "is a scipy sparse matrix in `{}` format, whose samples do not lie together: expected \
             csr, for instance scipy.sparse.save_npz(path, X.tocsr())",
            shorten(&name)
        )));
    }
    let part = |name: &str| {
        find(name).cloned().ok_or_else(|| bad(format!("is a scipy csr matrix without `{name}`")))
    };
    let (header, bytes) = shape.small()?;
    let dtype = header.dtype(path)?;
    let axes: Vec<i64> =
        bytes.chunks_exact(dtype.size()).filter_map(|number| integer(dtype, number)).collect();
    let (Some(samples), Some(features)) = (match axes[..] {
        [n, d] => (u64::try_from(n).ok(), usize::try_from(d).ok().filter(|d| *d > 0)),
        _ => (None, None),
    }) else {
        return Err(bad(format!("is a scipy csr matrix of shape {axes:?}: expected [samples, features]")));
    };
    let csr = Csr {
        indptr: Cells::open(part("indptr")?, samples.checked_add(1))?,
        indices: Cells::open(part("indices")?, None)?,
        data: Cells::open(part("data")?, None)?,
        path: path.to_owned(),
        samples,
        features,
        next: 0,
        pointer: 0,
    };
    for cells in [&csr.indptr, &csr.indices] {
        if !matches!(cells.dtype.kind, Kind::I32 | Kind::I64) {
            return Err(bad(format!(
                "is a scipy csr matrix whose `{}` are not int32 or int64",
                cells.member.name
            )));
        }
    }
    if csr.indices.length != csr.data.length {
        return Err(bad(format!(
            "is a scipy csr matrix with {} indices and {} numbers: expected as many",
            csr.indices.length, csr.data.length
        )));
    }
    let mut csr = Box::new(csr);
    csr.start()?;
    Ok(Archive::Csr(csr))
}

pub(crate) fn integer(dtype: Dtype, bytes: &[u8]) -> Option<i64> {
    let value = match dtype.kind {
        Kind::I32 => {
            let bytes = bytes.try_into().ok()?;
            i64::from(if dtype.big_endian { i32::from_be_bytes(bytes) } else { i32::from_le_bytes(bytes) })
        }
        Kind::I64 => {
            let bytes = bytes.try_into().ok()?;
            if dtype.big_endian { i64::from_be_bytes(bytes) } else { i64::from_le_bytes(bytes) }
        }
        _ => return None,
    };
    Some(value)
}

/// One of the three arrays of a CSR matrix, read from its beginning.
pub(crate) struct Cells {
    member: Member,
    pub(crate) label: PathBuf,
    pub(crate) reader: BufReader<Box<dyn Read + Send>>,
    pub(crate) dtype: Dtype,
    pub(crate) length: u64,
}

impl Cells {
    pub(crate) fn open(member: Member, expected: Option<u64>) -> Result<Self> {
        let label = member.label();
        let mut reader = BufReader::with_capacity(1 << 16, member.reader()?);
        let header = Header::read(&label, &mut reader)?;
        let dtype = header.dtype(&label)?;
        let [length] = header.shape[..] else {
            return Err(Error::format(
                &label,
                None,
                format!("has shape {}: expected one axis", header.shape_text()),
            ));
        };
        if expected.is_some_and(|expected| expected != length) {
            let problem = format!("has {length} entries: expected one more than the samples of `shape`");
            return Err(Error::format(&label, None, problem));
        }
        let bytes = length.checked_mul(dtype.size() as u64).and_then(|b| b.checked_add(header.length));
        if bytes != Some(member.size) {
            let problem = format!("takes {} bytes, which is not what {length} entries need", member.size);
            return Err(Error::format(&label, None, problem));
        }
        Ok(Self { member, label, reader, dtype, length })
    }

    fn bytes<'a>(&mut self, buffer: &'a mut [u8; 8]) -> Result<&'a [u8]> {
        let bytes = &mut buffer[..self.dtype.size()];
        self.reader.read_exact(bytes).map_err(Error::io(&self.label))?;
        Ok(bytes)
    }

    fn integer(&mut self) -> Result<i64> {
        let dtype = self.dtype;
        Ok(integer(dtype, self.bytes(&mut [0; 8])?).unwrap_or(-1))
    }

    fn number(&mut self) -> Result<f64> {
        let (dtype, mut x) = (self.dtype, [0.0_f64]);
        dtype.decode(self.bytes(&mut [0; 8])?, x.iter_mut());
        Ok(x[0])
    }

    fn skip(&mut self, count: u64) -> Result<()> {
        let bytes = count.saturating_mul(self.dtype.size() as u64);
        let skipped = io::copy(&mut self.reader.by_ref().take(bytes), &mut io::sink());
        if skipped.map_err(Error::io(&self.label))? < bytes {
            return Err(Error::format(&self.label, None, "is truncated"));
        }
        Ok(())
    }
}

/// A scipy CSR matrix, whose rows are streamed as dense samples; only a row's place is kept in memory.
pub(crate) struct Csr {
    path: PathBuf,
    indptr: Cells,
    indices: Cells,
    data: Cells,
    samples: u64,
    features: usize,
    next: u64,
    pointer: u64,
}

impl Csr {
    pub(crate) fn samples(&self) -> u64 {
        self.samples
    }

    pub(crate) fn features(&self) -> usize {
        self.features
    }

    fn start(&mut self) -> Result<()> {
        (self.next, self.pointer) = (0, 0);
        match self.indptr.integer()? {
            0 => self.check_end(),
            first => Err(self.bad(format!("begins with {first}: expected 0"))),
        }
    }

    fn bad(&self, problem: String) -> Error {
        Error::format(&self.indptr.label, None, problem)
    }

    pub(crate) fn rewind(&mut self) -> Result<()> {
        for cells in [&mut self.indptr, &mut self.indices, &mut self.data] {
            *cells = Cells::open(cells.member.clone(), Some(cells.length))?;
        }
        self.start()
    }

    /// The number of entries of the next row.
    fn row(&mut self) -> Result<u64> {
        let end = self.indptr.integer()?;
        let length = u64::try_from(end).ok().and_then(|end| end.checked_sub(self.pointer));
        let Some(length) = length.filter(|n| self.pointer + n <= self.indices.length) else {
            let (row, pointer, last) = (self.next, self.pointer, self.indices.length);
            return Err(
                self.bad(format!("says that sample {row} ends at {end}: expected {pointer} to {last}"))
            );
        };
        self.pointer += length;
        Ok(length)
    }

    pub(crate) fn fill<T: Scalar>(&mut self, count: usize, batch: &mut Batch<T>) -> Result<()> {
        for _ in 0..(self.samples - self.next).min(count as u64) {
            let length = self.row()?;
            let column = batch.push()?;
            column.fill(T::from_f64(0.0));
            for _ in 0..length {
                let index = self.indices.integer()?;
                let value = self.data.number()?;
                let Some(entry) = usize::try_from(index).ok().and_then(|index| column.get_mut(index)) else {
                    let (row, d) = (self.next, self.features);
                    let problem = format!("has feature {index} in sample {row}: expected 0 to {}", d - 1);
                    return Err(Error::format(&self.indices.label, None, problem));
                };
                // scipy takes entries of the same place as a sum.
                *entry = T::from_f64(entry.to_f64() + value);
            }
            self.next += 1;
        }
        self.check_end()
    }

    pub(crate) fn skip(&mut self, count: u64) -> Result<()> {
        let before = self.pointer;
        for _ in 0..count {
            self.row()?;
            self.next += 1;
        }
        self.indices.skip(self.pointer - before)?;
        self.data.skip(self.pointer - before)?;
        self.check_end()
    }

    /// After the last row nothing may be left; reading on also compares the checksums.
    fn check_end(&mut self) -> Result<()> {
        if self.next < self.samples {
            return Ok(());
        }
        if self.pointer != self.indices.length {
            let (pointer, length) = (self.pointer, self.indices.length);
            return Err(self.bad(format!("ends with {pointer}: expected {length}, the number of indices")));
        }
        for cells in [&mut self.indptr, &mut self.indices, &mut self.data] {
            npy::read_fully(&self.path, &mut cells.reader, &mut [0])?;
        }
        Ok(())
    }
}
