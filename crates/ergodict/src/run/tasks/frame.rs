//! Bytes that travel between processes: a few lines of JSON and matrices, checked from end to end.
//!
//! | bytes | |
//! |---|---|
//! | 4 | what it is, such as `ERTK` for a task of a round |
//! | 4 | version of this layout, 1 |
//! | 8 | length of the JSON |
//! | … | JSON |
//! | … | matrices, column by column without padding |
//! | 32 | BLAKE3 of all that is before |
//!
//! All numbers are little-endian.

use crate::linalg::Mat;
use crate::model::Precision;
use crate::{Error, Result};
use serde::{Serialize, de::DeserializeOwned};
use std::path::Path;

const VERSION: u32 = 1;
/// Bytes before the JSON, and of the checksum.
const HEAD: usize = 16;
const SUM: usize = 32;

/// Bytes that are not what was written.
pub(crate) fn damaged(what: &str, problem: impl std::fmt::Display) -> Error {
    Error::format(Path::new(what), None, format!("the bytes are damaged: {problem}"))
}

/// Head, JSON, whatever `body` appends, and the checksum.
pub(crate) fn sealed(
    magic: [u8; 4],
    header: &impl Serialize,
    body: impl FnOnce(&mut Vec<u8>),
) -> Result<Vec<u8>> {
    let json = serde_json::to_vec(header)
        .map_err(|e| Error::format(Path::new("a round"), None, format!("no bytes can hold it: {e}")))?;
    let mut bytes = magic.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((json.len() as u64).to_le_bytes());
    bytes.extend(json);
    body(&mut bytes);
    let sum = blake3::hash(&bytes);
    bytes.extend(sum.as_bytes());
    Ok(bytes)
}

/// The JSON, and what follows it but for the checksum.
pub(crate) fn opened<'a, H: DeserializeOwned>(
    magic: [u8; 4],
    what: &str,
    bytes: &'a [u8],
) -> Result<(H, &'a [u8])> {
    if bytes.len() < HEAD + SUM || !bytes.starts_with(&magic) {
        return Err(damaged(what, format!("{} of them, which do not begin as they should", bytes.len())));
    }
    let (told, sum) = bytes.split_at(bytes.len() - SUM);
    if blake3::hash(told) != *sum {
        return Err(damaged(what, "their checksum is wrong"));
    }
    let version = u32::from_le_bytes(array(&told[4..8]));
    if version != VERSION {
        let problem = format!("is of version {version}, but this version of ergodict reads {VERSION}");
        return Err(Error::format(Path::new(what), None, problem));
    }
    let length = usize::try_from(u64::from_le_bytes(array(&told[8..HEAD]))).ok();
    let Some((json, body)) = length.and_then(|length| told[HEAD..].split_at_checked(length)) else {
        return Err(damaged(what, "the header is longer than all of them"));
    };
    Ok((serde_json::from_slice(json).map_err(|e| damaged(what, e))?, body))
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(bytes);
    out
}

/// Appends a matrix, column by column without padding.
pub(crate) fn put(bytes: &mut Vec<u8>, m: &Mat<f64>, precision: Precision) {
    for x in (0..m.cols()).flat_map(|j| m.col(j)) {
        match precision {
            Precision::F32 => bytes.extend((*x as f32).to_le_bytes()),
            Precision::F64 => bytes.extend(x.to_le_bytes()),
        }
    }
}

/// The longest side that a matrix without numbers may have.
const MOST_EMPTY: usize = 1 << 16;

/// What is left to be read.
pub(crate) struct Body<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) what: &'static str,
}

impl Body<'_> {
    /// The next matrix.
    pub(crate) fn matrix(&mut self, (rows, cols): (usize, usize), precision: Precision) -> Result<Mat<f64>> {
        let size = if precision == Precision::F32 { 4 } else { 8 };
        let length = rows.checked_mul(cols).and_then(|numbers| numbers.checked_mul(size));
        // A side of many columns without rows takes no bytes, and as long to go through as one with them.
        let length = length.filter(|&length| length > 0 || rows.max(cols) <= MOST_EMPTY);
        let Some((own, rest)) = length.and_then(|length| self.bytes.split_at_checked(length)) else {
            return Err(damaged(self.what, format!("too few for a matrix of {rows}×{cols}")));
        };
        self.bytes = rest;
        let number = |at: usize| match precision {
            Precision::F32 => f64::from(f32::from_le_bytes(array(&own[at * size..][..size]))),
            Precision::F64 => f64::from_le_bytes(array(&own[at * size..][..size])),
        };
        Ok(Mat::from_fn(rows, cols, |i, j| number(j * rows + i)))
    }

    /// Refuses to have anything left.
    pub(crate) fn end(&self) -> Result<()> {
        if self.bytes.is_empty() { Ok(()) } else { Err(damaged(self.what, "there are too many")) }
    }
}
