//! scipy's sparse matrices (`scipy.sparse.save_npz`) as networks: entry `(i, j)` is the edge from node `i` to `j`.

use super::NodeIds;
use super::edge_list::IntegerEdges;
use super::matrix_list::{self, Entries};
use crate::data::npy;
use crate::data::npy_header::{Kind, shorten};
use crate::data::npz::{Cells, Member, integer, members};
use crate::{Error, Result};
use std::io::Read;
use std::path::Path;

/// Entries read at a time.
const BLOCK: usize = 1 << 13;

/// Reads the network of a sparse matrix in csr, csc or coo format. Nodes are called `0..n`; entries of the same place
/// add up, as in scipy; zeros are no edges.
///
/// # Errors
/// [`Error::Format`] for an archive that is no square sparse matrix of finite numbers; [`Error::Io`].
pub(crate) fn read(path: &Path, ignore_weights: bool) -> Result<Entries> {
    let mut stream = Stream::open(path)?;
    let room = stream.entries.min(1 << 24) as usize;
    let (mut ends, mut weights) = (Vec::with_capacity(room), Vec::with_capacity(room));
    while let Some((some, their)) = stream.next()? {
        ends.extend_from_slice(&some);
        weights.extend_from_slice(&their);
    }
    matrix_list::edges(NodeIds::numbered(stream.nodes), ends, Some(weights), ignore_weights)
}

/// The entries of a sparse matrix, some at a time: the arrays of the archive are read side by side.
pub(super) struct Stream {
    pub(super) nodes: usize,
    entries: u64,
    major: Major,
    minor: Whole,
    /// Whether the first array is that of the rows.
    by_rows: bool,
    data: Numbers,
    /// Entries so far.
    at: u64,
}

/// Rows, or of csc columns.
enum Major {
    /// One for each entry.
    Each(Whole),
    /// Where the entries of each begin; which it is, and where its entries end.
    Starts { starts: Whole, now: u32, end: u64 },
}

impl Stream {
    /// Begins to read.
    ///
    /// # Errors
    /// As [`read`].
    pub(super) fn open(path: &Path) -> Result<Self> {
        let bad = |problem: String| Error::format(path, None, problem);
        let members = members(path)?;
        let find = |name: &str| members.iter().find(|member| member.name == name);
        let (Some(format), Some(shape)) = (find("format"), find("shape")) else {
            if find("[Content_Types].xml").is_some() {
                return Err(bad(
                    "is a spreadsheet or document of an office program: save the table as CSV".into()
                ));
            }
            return Err(bad("is no sparse matrix: expected one saved by scipy.sparse.save_npz".into()));
        };
        let (_, format) = format.small()?;
        // scipy writes the bytes `csr`; older versions under Python 2 wrote four bytes a character.
        let format: String = format.iter().filter(|b| **b != 0).map(|b| char::from(*b)).collect();
        let part = |name: &str| {
            find(name)
                .cloned()
                .ok_or_else(|| bad(format!("is a scipy {} matrix without `{name}`", shorten(&format))))
        };
        let (rows, columns) = axes(path, shape)?;
        let data = Numbers::open(part("data")?)?;
        let entries = data.cells.length;
        let nodes = matrix_list::nodes(path, None, rows, columns, entries)?;
        let last = (nodes as u64).saturating_sub(1);
        let (major, minor) = match format.as_str() {
            "csr" | "csc" => {
                let starts = || Whole::open(part("indptr")?, rows + 1, entries);
                check(path, starts()?, entries)?;
                let minor = Whole::open(part("indices")?, entries, last)?;
                let mut starts = starts()?;
                starts.next()?;
                let end = starts.next()?.unwrap_or(0);
                (Major::Starts { starts, now: 0, end }, minor)
            }
            "coo" => {
                let major = Whole::open(part("row")?, entries, last)?;
                (Major::Each(major), Whole::open(part("col")?, entries, last)?)
            }
            _ => {
                return Err(bad(format!(
                    "is a scipy sparse matrix in `{}` format: expected csr, csc or coo, for instance \
                     scipy.sparse.save_npz(path, A.tocsr())",
                    shorten(&format)
                )));
            }
        };
        if nodes == 0 && entries > 0 {
            return Err(bad(format!("has {entries} entries but no rows")));
        }
        Ok(Self { nodes, entries, major, minor, by_rows: format != "csc", data, at: 0 })
    }

    /// The places and weights of the next entries; none at the end.
    ///
    /// # Errors
    /// As [`read`].
    pub(super) fn next(&mut self) -> Result<Option<IntegerEdges>> {
        let weights = self.data.block()?;
        if weights.is_empty() {
            // Checksums are compared at the end of each array.
            let (Major::Starts { starts: major, .. } | Major::Each(major)) = &mut self.major;
            while major.next()?.is_some() {}
            self.minor.next()?;
            return Ok(None);
        }
        let mut ends = Vec::with_capacity(weights.len());
        for _ in 0..weights.len() {
            let major = match &mut self.major {
                Major::Each(each) => each.next()?.unwrap_or(0) as u32,
                Major::Starts { starts, now, end } => {
                    while self.at == *end {
                        // Starts were found to ascend to the number of entries.
                        *end = starts.next()?.unwrap_or(u64::MAX);
                        *now += 1;
                    }
                    *now
                }
            };
            let minor = self.minor.next()?.unwrap_or(0) as u32;
            ends.push(if self.by_rows { (major, minor) } else { (minor, major) });
            self.at += 1;
        }
        Ok(Some((ends, weights)))
    }
}

/// Whether rows begin one after the other, from the first entry to the last.
fn check(path: &Path, mut starts: Whole, entries: u64) -> Result<()> {
    let (mut first, mut last, mut rising) = (None, 0, true);
    while let Some(start) = starts.next()? {
        first.get_or_insert(start);
        rising &= start >= last;
        last = start;
    }
    if rising && first == Some(0) && last == entries {
        return Ok(());
    }
    let problem = format!("has an `indptr` that does not ascend from 0 to {entries}, the number of entries");
    Err(Error::format(path, None, problem))
}

/// Rows and columns.
fn axes(path: &Path, shape: &Member) -> Result<(u64, u64)> {
    let (header, bytes) = shape.small()?;
    let dtype = header.dtype(path)?;
    let axes: Vec<i64> =
        bytes.chunks_exact(dtype.size()).filter_map(|number| integer(dtype, number)).collect();
    match axes[..] {
        [rows, columns] if rows >= 0 && columns >= 0 => Ok((rows as u64, columns as u64)),
        _ => Err(Error::format(path, None, format!("is a sparse matrix of shape {axes:?}: expected [n, n]"))),
    }
}

/// The next numbers of an array, as bytes; none at its end, where the checksum is compared.
fn block(cells: &mut Cells, left: &mut u64) -> Result<Vec<u8>> {
    let count = (*left).min(BLOCK as u64);
    let mut bytes = vec![0; count as usize * cells.dtype.size()];
    if count == 0 {
        // Reading on compares the checksum.
        npy::read_fully(&cells.label, &mut cells.reader, &mut [0])?;
    }
    cells.reader.read_exact(&mut bytes).map_err(Error::io(&cells.label))?;
    *left -= count;
    Ok(bytes)
}

/// Whole numbers from 0 to `last`.
struct Whole {
    cells: Cells,
    last: u64,
    /// Numbers that are not read yet, and those that are read and not taken.
    left: u64,
    numbers: std::vec::IntoIter<u64>,
}

impl Whole {
    fn open(member: Member, length: u64, last: u64) -> Result<Self> {
        let cells = Cells::open(member, None)?;
        let bad = |problem: String| Err(Error::format(&cells.label, None, problem));
        if !matches!(cells.dtype.kind, Kind::I32 | Kind::I64) {
            return bad("is not of int32 or int64".into());
        }
        if length != cells.length {
            return bad(format!("has {} entries: expected {length}", cells.length));
        }
        let left = cells.length;
        Ok(Self { cells, last, left, numbers: Vec::new().into_iter() })
    }

    #[inline]
    fn next(&mut self) -> Result<Option<u64>> {
        let next = self.numbers.next();
        if next.is_some() { Ok(next) } else { self.refill() }
    }

    #[cold]
    fn refill(&mut self) -> Result<Option<u64>> {
        let (last, dtype) = (self.last, self.cells.dtype);
        let at = self.cells.length - self.left;
        let bytes = block(&mut self.cells, &mut self.left)?;
        let whole = |(i, number): (usize, &[u8])| {
            let value = integer(dtype, number).unwrap_or(-1);
            u64::try_from(value).ok().filter(|value| *value <= last).ok_or_else(|| {
                let problem = format!("has {value} at {}: expected 0 to {last}", at + i as u64);
                Error::format(&self.cells.label, None, problem)
            })
        };
        let numbers: Vec<u64> =
            bytes.chunks_exact(dtype.size()).enumerate().map(whole).collect::<Result<_>>()?;
        self.numbers = numbers.into_iter();
        Ok(self.numbers.next())
    }
}

/// Finite numbers.
struct Numbers {
    cells: Cells,
    left: u64,
}

impl Numbers {
    fn open(member: Member) -> Result<Self> {
        let cells = Cells::open(member, None)?;
        let left = cells.length;
        Ok(Self { cells, left })
    }

    /// The next ones; none at the end.
    fn block(&mut self) -> Result<Vec<f64>> {
        let at = self.cells.length - self.left;
        let (bytes, dtype) = (block(&mut self.cells, &mut self.left)?, self.cells.dtype);
        let mut found = vec![0.0; bytes.len() / dtype.size()];
        dtype.decode(&bytes, found.iter_mut());
        match found.iter().position(|x: &f64| !x.is_finite()) {
            None => Ok(found),
            Some(place) => {
                let (value, at) = (found[place], at + place as u64);
                let problem = format!("has {value} at {at}: expected finite numbers");
                Err(Error::format(&self.cells.label, None, problem))
            }
        }
    }
}
