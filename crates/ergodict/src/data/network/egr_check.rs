//! Whether what an `.egr` file holds is a network, whoever made the file.
//!
//! Symmetry is a matter of sets: the entries above the diagonal are those below it, turned. Both sets are compared by sums
//! of hashes of their entries, which needs one pass over the rows in any order and no memory; looking for each entry's
//! mirror would jump through all of the file. The keys of the hash are new each time, so that no one can craft a file for
//! them: one that is not symmetric passes with a chance of about 2⁻⁶⁴.

use super::ids::Names;
use super::{NodeIds, Rows};
use crate::{Error, Result};
use rayon::prelude::*;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

/// Rows that one thread checks at a time.
const CHUNK: usize = 4096;

/// The keys of a hash of entries.
pub(super) struct Keys([u64; 4]);

impl Keys {
    pub(super) fn random() -> Self {
        let random = RandomState::new();
        Self([0u8, 1, 2, 3].map(|key| random.hash_one(key)))
    }

    /// The hash of the entry `(u, v)` with the bits of its weight.
    #[inline]
    pub(super) fn hash(&self, u: u32, v: u32, weight: u64) -> u64 {
        let [one, two, three, four] = self.0;
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        fold(fold((u64::from(u) << 32 | u64::from(v)) ^ one, weight ^ two) ^ three, four)
    }

    /// The same for an entry above the diagonal, its negative for the entry's mirror, nothing on the diagonal.
    #[inline]
    pub(super) fn of_side(&self, u: u32, v: u32, weight: u64) -> u64 {
        match u.cmp(&v) {
            std::cmp::Ordering::Less => self.hash(u, v, weight),
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => self.hash(v, u, weight).wrapping_neg(),
        }
    }
}

/// Whether rows can be walked: places ascending, neighbors ascending and in range, weights positive and finite. The
/// number of loops, and the sum of a hash of all entries.
pub(super) fn rows(
    path: &Path,
    rows: &Rows,
    hash: impl Fn(u32, u32, u64) -> u64 + Sync,
) -> Result<(u64, u64)> {
    let bad = |problem: String| Error::format(path, None, format!("{problem}: the file is damaged"));
    let (n, starts, neighbors) = (rows.len(), &rows.starts[..], &rows.neighbors[..]);
    if starts[0] != 0 || starts[n] != neighbors.len() as u64 {
        let (first, last, stored) = (starts[0], starts[n], neighbors.len());
        return Err(bad(format!("has rows from {first} to {last}, expected 0 to {stored}")));
    }
    // All of them before the first is used, so that every span is inside the array.
    let ascending = |chunk: usize| {
        let last = (chunk + CHUNK).min(n);
        starts[chunk..=last].windows(2).position(|pair| pair[0] > pair[1]).map(|u| chunk + u)
    };
    let chunks = || (0..n.div_ceil(CHUNK)).into_par_iter().map(|chunk| chunk * CHUNK);
    if let Some(u) = chunks().find_map_first(ascending) {
        return Err(bad(format!(
            "has row {u} that ends at {} before it begins at {}",
            starts[u + 1],
            starts[u]
        )));
    }
    let checked = chunks().map(|chunk| {
        let (mut loops, mut sum) = (0, 0_u64);
        for u in chunk..(chunk + CHUNK).min(n) {
            let row = rows.neighbors(u);
            if !row.is_sorted_by(|v, w| v < w) {
                return Err(bad(format!("has row {u} whose neighbors do not ascend")));
            }
            let Some(&last) = row.last() else { continue };
            if last as usize >= n {
                return Err(bad(format!("has row {u} with a neighbor {last}, but {n} nodes")));
            }
            let mut add = |v: u32, weight: u64| {
                loops += u64::from(v as usize == u);
                sum = sum.wrapping_add(hash(u as u32, v, weight));
            };
            match rows.weights(u) {
                None => row.iter().for_each(|&v| add(v, 0)),
                Some(weights) => {
                    if !weights.iter().all(|w| *w > 0.0 && *w < f64::INFINITY) {
                        return Err(bad(format!(
                            "has row {u} with a weight that is not positive and finite"
                        )));
                    }
                    row.iter().zip(weights).for_each(|(&v, weight)| add(v, weight.to_bits()));
                }
            }
        }
        Ok((loops, sum))
    });
    checked.try_reduce(|| (0, 0), |one, two| Ok((one.0 + two.0, one.1.wrapping_add(two.1))))
}

/// What is wrong with rows that were found not to be symmetric.
pub(super) fn not_symmetric(rows: &Rows) -> String {
    let alone = (0..rows.len()).find_map(|u| {
        rows.entries(u).find(|&(v, weight)| rows.weight(v as usize, u) != weight).map(|(v, _)| (u, v))
    });
    let (u, v) = alone.unwrap_or_default();
    let same = if rows.weights.is_some() { " with the same weight" } else { "" };
    format!(
        "is undirected but not symmetric: node {u} has an edge to node {v}, but not back{same}: the file is damaged"
    )
}

/// Whether names are words of UTF-8, and ascend.
pub(super) fn names(path: &Path, ids: &NodeIds) -> Result<()> {
    let bad = |problem: &str| {
        Err(Error::format(path, None, format!("has names that {problem}: the file is damaged")))
    };
    match &ids.0 {
        Names::Numbered(_) => {}
        Names::Integers(ids) => {
            if !ids.is_sorted_by(|a, b| a < b) {
                return bad("do not ascend");
            }
        }
        Names::Small(ids) => {
            if !ids.is_sorted_by(|a, b| a < b) {
                return bad("do not ascend");
            }
        }
        Names::Words { starts, bytes } => {
            let Ok(text) = std::str::from_utf8(bytes) else { return bad("are not UTF-8") };
            if starts[0] != 0 || starts[starts.len() - 1] != bytes.len() as u64 {
                return bad("do not fill their section");
            }
            let mut before = None;
            for pair in starts.windows(2) {
                // `get` refuses what lies outside, descends, or parts a character.
                let Some(word) = text.get(pair[0] as usize..pair[1] as usize) else {
                    return bad("have no place in their section");
                };
                if before.is_some_and(|before| before >= word) {
                    return bad("do not ascend");
                }
                before = Some(word);
            }
        }
    }
    Ok(())
}
