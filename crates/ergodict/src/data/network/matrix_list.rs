//! The edges of a network out of the entries of a square matrix, which may or may not be symmetric.

use super::build::too_large;
use super::{EdgeCounts, EdgeList, NodeIds};
use crate::{Error, Result};
use rayon::prelude::*;
use std::path::Path;

/// Nodes without entries that a file may claim in its first line alone: the sizes of a damaged file would otherwise
/// take all memory. Chosen so that what they take stays below some hundreds of megabytes.
const ISOLATED: u64 = 1 << 24;

/// The number of nodes of a matrix of this shape with this many entries.
pub(super) fn nodes(path: &Path, line: Option<u64>, rows: u64, columns: u64, entries: u64) -> Result<usize> {
    let bad = |problem: String| Err(Error::format(path, line, problem));
    if rows != columns {
        return bad(format!("has {rows} rows and {columns} columns: the matrix of a network is square"));
    }
    if rows > u64::from(u32::MAX) {
        return bad(format!("has {rows} nodes: expected fewer than 2³²"));
    }
    if rows > ISOLATED.saturating_add(entries.saturating_mul(64)) {
        return bad(format!(
            "has {rows} nodes but {entries} entries: expected no more than 2²⁴ isolated nodes"
        ));
    }
    Ok(rows as usize)
}

/// The entries of a matrix as edges, with what was found among them.
#[derive(Debug)]
pub(super) struct Entries {
    pub(super) list: EdgeList,
    /// Whether the file has weights, which may have been left out.
    pub(super) weighted: bool,
    /// Entries of a place that has one already, and zeros.
    pub(super) found: EdgeCounts,
}

/// The edges of a matrix. Entries of the same place add up, without weights they count once; zeros are no edges, weights or
/// not. A symmetric matrix is an undirected network, of which the upper triangle is handed over, any other a directed one;
/// without weights the places alone decide.
///
/// # Errors
/// [`Error::Parameter`] for a sum that is not finite.
pub(super) fn edges(
    ids: NodeIds,
    mut ends: Vec<(u32, u32)>,
    weights: Option<Vec<f64>>,
    ignore_weights: bool,
) -> Result<Entries> {
    let (weighted, mut found) = (weights.is_some(), EdgeCounts::default());
    let mut weights = match weights {
        Some(weights) if ignore_weights => {
            found.zeros = without_zeros(&mut ends, &weights);
            None
        }
        weights => weights,
    };
    match &mut weights {
        None => found.duplicates = ascending(&mut ends),
        Some(weights) => united(&mut ends, weights, &mut found),
    }
    if let Some(at) = weights.iter().flatten().position(|sum| !sum.is_finite()) {
        return Err(too_large(&ids, ends[at].0, ends[at].1));
    }
    let symmetric = is_symmetric(ids.len(), &ends, weights.as_deref());
    if symmetric {
        if let Some(weights) = &mut weights {
            let mut upper = ends.iter().map(|(u, v)| u <= v);
            weights.retain(|_| upper.next().unwrap_or(false));
        }
        ends.retain(|(u, v)| u <= v);
    }
    Ok(Entries { list: EdgeList { ids, ends, weights, directed: Some(!symmetric) }, weighted, found })
}

/// The edges of a matrix that is said to be symmetric, of which one triangle is there.
pub(super) fn triangle(
    ids: NodeIds,
    mut ends: Vec<(u32, u32)>,
    weights: Option<Vec<f64>>,
    ignore_weights: bool,
) -> Entries {
    let (weighted, mut found) = (weights.is_some(), EdgeCounts::default());
    if let Some(weights) = weights.as_ref().filter(|_| ignore_weights) {
        found.zeros = without_zeros(&mut ends, weights);
    }
    let weights = weights.filter(|_| !ignore_weights);
    Entries { list: EdgeList { ids, ends, weights, directed: Some(false) }, weighted, found }
}

/// Leaves out entries that are zero; how many.
fn without_zeros(ends: &mut Vec<(u32, u32)>, weights: &[f64]) -> u64 {
    let (before, mut weights) = (ends.len(), weights.iter());
    ends.retain(|_| weights.next().is_some_and(|&weight| weight != 0.0));
    (before - ends.len()) as u64
}

/// Sorts, and leaves every place once; how many were left out.
fn ascending(ends: &mut Vec<(u32, u32)>) -> u64 {
    if !ends.is_sorted() {
        ends.par_sort_unstable();
    }
    let before = ends.len();
    ends.dedup();
    (before - ends.len()) as u64
}

/// Sorts, and adds up what is at the same place.
fn united(ends: &mut Vec<(u32, u32)>, weights: &mut Vec<f64>, found: &mut EdgeCounts) {
    let mut entries: Vec<((u32, u32), f64)> = ends.drain(..).zip(weights.drain(..)).collect();
    let before = entries.len();
    entries.retain(|entry| entry.1 != 0.0);
    found.zeros = (before - entries.len()) as u64;
    if !entries.is_sorted_by_key(|entry| entry.0) {
        entries.par_sort_by_key(|entry| entry.0);
    }
    let before = entries.len();
    entries.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            first.1 += next.1;
        }
        same
    });
    found.duplicates = (before - entries.len()) as u64;
    // Negative entries of archives may have taken others away.
    entries.retain(|entry| entry.1 != 0.0);
    (*ends, *weights) = entries.into_iter().unzip();
}

/// Entries are equal up to rounding where they differ by no more than this share: two ways to the same number, as those of a matrix of correlations, may round differently.
const ROUNDING: f64 = 1e-6;

/// Whether two entries are the same number but for rounding.
pub(super) fn equal_up_to_rounding(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= ROUNDING * a.abs().min(b.abs())
}

/// Whether entries in ascending order are those of a symmetric matrix, up to rounding. Going through them by rows, those of column `v`
/// come in the order of row `v`, so that one place for each row is enough to compare.
fn is_symmetric(nodes: usize, ends: &[(u32, u32)], weights: Option<&[f64]>) -> bool {
    let mut next = vec![0_usize; nodes + 1];
    ends.iter().for_each(|&(u, _)| next[u as usize + 1] += 1);
    (0..nodes).for_each(|u| next[u + 1] += next[u]);
    ends.iter().enumerate().all(|(at, &(u, v))| {
        let mirror = next[v as usize];
        next[v as usize] += 1;
        ends.get(mirror) == Some(&(v, u))
            && weights.is_none_or(|weights| equal_up_to_rounding(weights[mirror], weights[at]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(ends: &[(u32, u32)], weights: Option<&[f64]>) -> EdgeList {
        edges(NodeIds::numbered(4), ends.to_vec(), weights.map(<[f64]>::to_vec), false).unwrap().list
    }

    #[test]
    fn ignored_weights_do_not_decide_symmetry() {
        let (ends, weights) = ([(0, 1), (1, 0), (0, 1), (2, 3), (1, 2)], [1.0, 7.0, 2.0, 0.0, 0.0]);
        let read =
            |ignore| edges(NodeIds::numbered(4), ends.to_vec(), Some(weights.to_vec()), ignore).unwrap();
        for (ignore, directed) in [(false, true), (true, false)] {
            let entries = read(ignore);
            assert_eq!((entries.list.directed, entries.weighted), (Some(directed), true));
            assert_eq!((entries.found.duplicates, entries.found.zeros), (1, 2));
        }
        assert_eq!((read(true).list.ends, read(true).list.weights), (vec![(0, 1)], None));
    }

    #[test]
    fn rounding_does_not_give_edges_a_direction() {
        let ends = [(0, 1), (1, 0), (1, 2), (2, 1)];
        let near = list(&ends, Some(&[0.1 + 0.2, 0.3, 2.0, 2.0]));
        assert_eq!((near.directed, near.weights), (Some(false), Some(vec![0.1 + 0.2, 2.0])));
        assert_eq!(list(&ends, Some(&[0.3, 0.301, 2.0, 2.0])).directed, Some(true));
    }

    #[test]
    fn sums_that_are_too_large_are_reported_with_their_nodes() {
        let ends = vec![(0, 1), (2, 3), (2, 3)];
        let error =
            edges(NodeIds::integers(vec![1, 2, 3, 4]), ends, Some(vec![f64::MAX; 3]), false).unwrap_err();
        assert!(error.to_string().contains("from 3 to 4"), "{error}");
    }

    #[test]
    fn symmetric_matrices_are_undirected() {
        let found = list(&[(1, 0), (0, 1), (2, 2), (1, 3), (3, 1), (1, 3)], None);
        assert_eq!((&found.ends[..], found.directed), (&[(0, 1), (1, 3), (2, 2)][..], Some(false)));
        for ends in
            [&[(0, 1)][..], &[(0, 1), (1, 2), (2, 0)], &[(0, 1), (1, 0), (3, 0)], &[(3, 2), (1, 2), (2, 1)]]
        {
            assert_eq!(list(ends, None).directed, Some(true), "{ends:?}");
        }
        assert_eq!(list(&[], None).directed, Some(false));
    }

    #[test]
    fn weights_decide_symmetry_once_they_are_added_up() {
        let ends = [(0, 1), (1, 0), (0, 1), (2, 3)];
        let found = list(&ends, Some(&[1.0, 3.5, 2.5, 0.0]));
        assert_eq!(
            (&found.ends[..], found.weights.as_deref(), found.directed),
            (&[(0, 1)][..], Some(&[3.5][..]), Some(false))
        );
        let found = list(&ends, Some(&[1.0, 3.5, 2.0, 0.0]));
        assert_eq!(found.weights.as_deref(), Some(&[3.0, 3.5][..]));
        assert_eq!(found.directed, Some(true));
    }

    #[test]
    fn sizes_that_no_network_has_are_refused() {
        let path = Path::new("x");
        assert_eq!(nodes(path, None, 9, 9, 0).unwrap(), 9);
        assert_eq!(nodes(path, None, 1 << 30, 1 << 30, 1 << 24).unwrap(), 1 << 30);
        for (rows, columns, entries, words) in
            [(2, 3, 0, "square"), (1 << 32, 1 << 32, 1 << 40, "2³²"), (1 << 30, 1 << 30, 5, "isolated")]
        {
            let message = nodes(path, Some(2), rows, columns, entries).unwrap_err().to_string();
            assert!(message.starts_with("x:2: ") && message.contains(words), "{message}");
        }
    }
}
