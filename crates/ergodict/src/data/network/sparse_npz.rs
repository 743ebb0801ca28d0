//! scipy's sparse matrices (`scipy.sparse.save_npz`) as networks: entry `(i, j)` is the edge from node `i` to `j`.

use super::NodeIds;
use super::matrix_list::{self, Entries};
use crate::data::npy;
use crate::data::npy_header::{Kind, shorten};
use crate::data::npz::{Cells, Member, integer, members};
use crate::{Error, Result};
use std::io::Read;
use std::path::Path;

/// Bytes decoded at a time; a multiple of the size of every number.
const BLOCK: usize = 1 << 16;

/// Reads the network of a sparse matrix in csr, csc or coo format. Nodes are called `0..n`; entries of the same place
/// add up, as in scipy; zeros are no edges.
///
/// # Errors
/// [`Error::Format`] for an archive that is no square sparse matrix of finite numbers; [`Error::Io`].
pub(crate) fn read(path: &Path, ignore_weights: bool) -> Result<Entries> {
    let bad = |problem: String| Error::format(path, None, problem);
    let members = members(path)?;
    let find = |name: &str| members.iter().find(|member| member.name == name);
    let (Some(format), Some(shape)) = (find("format"), find("shape")) else {
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
    let data = Cells::open(part("data")?, None)?;
    let entries = data.length;
    let n = matrix_list::nodes(path, None, rows, columns, entries)?;
    let (one, two) = match format.as_str() {
        "csr" | "csc" => {
            let starts = integers(part("indptr")?, Some(rows + 1), entries)?;
            let minor = integers(part("indices")?, Some(entries), (n as u64).saturating_sub(1))?;
            let major = expand(path, &starts, entries)?;
            if format == "csr" { (major, minor) } else { (minor, major) }
        }
        "coo" => {
            let last = (n as u64).saturating_sub(1);
            (integers(part("row")?, Some(entries), last)?, integers(part("col")?, Some(entries), last)?)
        }
        _ => {
            return Err(bad(format!(
                "is a scipy sparse matrix in `{}` format: expected csr, csc or coo, for instance \
                 scipy.sparse.save_npz(path, A.tocsr())",
                shorten(&format)
            )));
        }
    };
    if n == 0 && entries > 0 {
        return Err(bad(format!("has {entries} entries but no rows")));
    }
    let weights = numbers(data)?;
    let ends = one.into_iter().zip(two).map(|(u, v)| (u as u32, v as u32)).collect();
    matrix_list::edges(NodeIds::numbered(n), ends, Some(weights), ignore_weights)
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

/// All of an array, in blocks, with the checksum compared.
fn each_block(cells: &mut Cells, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut left = cells.length * cells.dtype.size() as u64;
    let mut buffer = vec![0; BLOCK];
    while left > 0 {
        let bytes = &mut buffer[..left.min(BLOCK as u64) as usize];
        cells.reader.read_exact(bytes).map_err(Error::io(&cells.label))?;
        take(bytes)?;
        left -= bytes.len() as u64;
    }
    // Reading on compares the checksum.
    npy::read_fully(&cells.label, &mut cells.reader, &mut [0]).map(|_| ())
}

/// Whole numbers from 0 to `last`.
fn integers(member: Member, length: Option<u64>, last: u64) -> Result<Vec<u64>> {
    let mut cells = Cells::open(member, None)?;
    let (label, dtype) = (cells.label.clone(), cells.dtype);
    let bad = |problem: String| Error::format(&label, None, problem);
    if !matches!(dtype.kind, Kind::I32 | Kind::I64) {
        return Err(bad("is not of int32 or int64".into()));
    }
    if let Some(length) = length.filter(|length| *length != cells.length) {
        return Err(bad(format!("has {} entries: expected {length}", cells.length)));
    }
    let mut found = Vec::with_capacity(cells.length.min(1 << 24) as usize);
    each_block(&mut cells, |bytes| {
        for number in bytes.chunks_exact(dtype.size()) {
            let value = integer(dtype, number).unwrap_or(-1);
            match u64::try_from(value) {
                Ok(value) if value <= last => found.push(value),
                _ => return Err(bad(format!("has {value} at {}: expected 0 to {last}", found.len()))),
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// Finite numbers.
fn numbers(mut cells: Cells) -> Result<Vec<f64>> {
    let (label, dtype) = (cells.label.clone(), cells.dtype);
    let mut found = Vec::with_capacity(cells.length.min(1 << 24) as usize);
    each_block(&mut cells, |bytes| {
        let before = found.len();
        found.resize(before + bytes.len() / dtype.size(), 0.0);
        dtype.decode(bytes, found[before..].iter_mut());
        match found[before..].iter().position(|x: &f64| !x.is_finite()) {
            None => Ok(()),
            Some(at) => {
                let (value, at) = (found[before + at], before + at);
                Err(Error::format(&label, None, format!("has {value} at {at}: expected finite numbers")))
            }
        }
    })?;
    Ok(found)
}

/// For each entry its row.
fn expand(path: &Path, starts: &[u64], entries: u64) -> Result<Vec<u64>> {
    let rising = starts.is_sorted() && starts[0] == 0 && starts[starts.len() - 1] == entries;
    if !rising {
        let problem =
            format!("has an `indptr` that does not ascend from 0 to {entries}, the number of entries");
        return Err(Error::format(path, None, problem));
    }
    let mut rows = Vec::with_capacity(entries as usize);
    for (row, pair) in starts.windows(2).enumerate() {
        rows.resize(pair[1] as usize, row as u64);
    }
    Ok(rows)
}
