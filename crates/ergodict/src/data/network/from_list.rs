//! The fast way from an edge list to compressed sparse rows; [`Network::build`] is the readable one that it is tested
//! against.
//!
//! 1. Every edge becomes an entry of a row: row, neighbor, and the direction in which it was listed. An undirected edge
//!    becomes an entry of the rows of both ends.
//! 2. These are distributed over buckets of rows, in the order of the file ([`distribute`]).
//! 3. Each bucket is sorted by rows and neighbors, digit by digit ([`sort`]), and what is listed several times is
//!    united ([`Bucket`]): a bucket stays in the cache, all edges would not.
//! 4. The buckets one after the other are the rows.
//!
//! Weights are added in the order of the file, whatever the number of threads.

use super::build::{Build, EdgeCounts, Loops};
use super::{EdgeList, Network, NodeIds, Rows};
use crate::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;

/// Entries that a bucket holds about: a quarter of a MiB, which is less than the second level of cache.
const BUCKET: usize = 1 << 15;
/// Most buckets, as every one is a place that is written to while edges are distributed.
const MOST_BUCKETS: usize = 1 << 10;
/// Bits that are sorted by at a time.
const DIGIT: u32 = 11;
/// Fewer edges are not worth a thread.
const SEGMENT: usize = 1 << 16;
/// Nodes that have room in addition to the bit of the direction.
const MOST_NODES: usize = 1 << 31;

impl Network {
    /// A network out of an edge list, whose `directed` is not looked at.
    ///
    /// ```
    /// use ergodict::data::{Build, EdgeList, Network, NodeIds};
    /// let ends = vec![(0, 1), (1, 0), (1, 2), (2, 2)];
    /// let list = EdgeList { ids: NodeIds::numbered(3), ends, weights: None, directed: None };
    /// let (network, found) = Network::from_list(list, Build::default())?;
    /// assert_eq!((network.edges(), found.loops, found.duplicates), (2, 1, 1));
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for an edge to a node that does not exist, for a weight that is negative or not finite, and
    /// for weights that add up to more than a number can be; [`Error::Shape`] when there is not a weight for each edge.
    pub fn from_list(list: EdgeList, build: Build) -> Result<(Self, EdgeCounts)> {
        let EdgeList { ids, ends, weights, .. } = list;
        if let Some(weights) = weights.as_ref().filter(|weights| weights.len() != ends.len()) {
            return Err(Error::shape(
                "the weights",
                weights.len().to_string(),
                format!("{} edges", ends.len()),
            ));
        }
        let n = ids.len();
        if n > MOST_NODES {
            let weighted = weights.is_some();
            let weight = |i: usize| weights.as_ref().map_or(1.0, |weights| weights[i]);
            let edges: Vec<_> = ends.iter().enumerate().map(|(i, &(u, v))| (u, v, weight(i))).collect();
            return Self::build(ids, &edges, weighted, build);
        }
        let (rows, loops, found) = match weights {
            None => rows::<u64>(&ids, ends, None, build)?,
            Some(weights) => rows::<(u64, f64)>(&ids, ends, Some(weights), build)?,
        };
        Ok((Self::of_rows(rows, build.directed, ids, loops), found))
    }
}

/// An edge with its weight, if there are weights.
trait Entry: Copy + Send + Sync {
    fn new(key: u64, weight: f64) -> Self;
    fn key(self) -> u64;
    fn weight(self) -> f64;
}

impl Entry for u64 {
    fn new(key: u64, _: f64) -> Self {
        key
    }
    fn key(self) -> u64 {
        self
    }
    fn weight(self) -> f64 {
        1.0
    }
}

impl Entry for (u64, f64) {
    fn new(key: u64, weight: f64) -> Self {
        (key, weight)
    }
    fn key(self) -> u64 {
        self.0
    }
    fn weight(self) -> f64 {
        self.1
    }
}

/// The key of an entry; the order of keys is that of rows, then neighbors, then directions.
fn key(row: u32, neighbor: u32, backward: bool) -> u64 {
    u64::from(row) << 32 | u64::from(neighbor) << 1 | u64::from(backward)
}

fn row(key: u64) -> usize {
    (key >> 32) as usize
}

fn neighbor(key: u64) -> u32 {
    key as u32 >> 1
}

fn rows<E: Entry>(
    ids: &NodeIds,
    ends: Vec<(u32, u32)>,
    weights: Option<Vec<f64>>,
    build: Build,
) -> Result<(Rows, u64, EdgeCounts)> {
    let (n, weighted) = (ids.len(), weights.is_some());
    let wanted = (ends.len() / BUCKET).clamp(1, MOST_BUCKETS);
    let shift = n.div_ceil(wanted).next_power_of_two().ilog2();
    // One of few nodes, so that no thread is woken for it.
    let count = n.div_ceil(1 << shift).max(1);
    let segments = distribute::<E>(n, &ends, weights.as_deref(), build, shift, count)?;
    drop((ends, weights));
    let mut found = EdgeCounts::default();
    for segment in &segments {
        found.loops += segment.found.loops;
        found.zeros += segment.found.zeros;
    }
    let listed: u64 = segments.iter().map(|segment| segment.listed).sum();
    // Of a neighbor and the direction.
    let bits = n.next_power_of_two().ilog2() + 1;
    let work = || Work { entries: Vec::new(), other: Vec::new(), places: Vec::new() };
    let mut buckets: Vec<Bucket> = (0..count)
        .into_par_iter()
        .map_init(work, |work, bucket| {
            let rows = (bucket << shift).min(n)..((bucket + 1) << shift).min(n);
            sort(&segments, bucket, &rows, bits, work);
            Bucket::unite(&work.entries, rows, weighted, build.directed)
        })
        .collect();
    drop(segments);
    let stored: u64 = buckets.iter().map(|bucket| bucket.neighbors.len() as u64).sum();
    let loops: u64 = buckets.iter().map(|bucket| bucket.loops).sum();
    found.both_directions =
        !build.directed && stored > loops && buckets.iter().all(|bucket| bucket.both_directions);
    // What would be listed if nothing were listed again.
    let once = if build.directed || found.both_directions { stored } else { u64::midpoint(stored, loops) };
    found.duplicates = listed - once;
    if weighted && !build.directed && !found.both_directions {
        buckets.par_iter_mut().filter(|bucket| bucket.both_directions).for_each(Bucket::add_directions);
    }
    let all = || buckets.par_iter().flat_map_iter(|bucket| bucket.weights.iter().copied());
    if let Some((u, v)) = buckets.par_iter().find_map_first(Bucket::infinite) {
        return Err(super::build::too_large(ids, u, v));
    }
    let weighted = !all().all(|weight| weight == 1.0);
    Ok((one_after_the_other(n, buckets, weighted), loops, found))
}

/// A part of the edges, sorted by bucket.
struct Segment<E> {
    entries: Vec<E>,
    /// Where each bucket begins; the end at last.
    begins: Vec<usize>,
    /// Edges that are not left out.
    listed: u64,
    found: EdgeCounts,
}

impl<E> Segment<E> {
    fn part(&self, bucket: usize) -> &[E] {
        &self.entries[self.begins[bucket]..self.begins[bucket + 1]]
    }
}

/// Sorts edges by bucket, segments of them in parallel; those that are none are left out.
fn distribute<E: Entry>(
    n: usize,
    ends: &[(u32, u32)],
    weights: Option<&[f64]>,
    build: Build,
    shift: u32,
    buckets: usize,
) -> Result<Vec<Segment<E>>> {
    let size = ends.len().div_ceil(rayon::current_num_threads()).max(SEGMENT);
    let keep_loops = build.loops == Loops::Keep;
    let segment = |(number, ends): (usize, &[(u32, u32)])| {
        let weights = weights.map(|weights| &weights[number * size..][..ends.len()]);
        let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
        let kept = |u: u32, v: u32, weight: f64| weight > 0.0 && (u != v || keep_loops);
        let mirrored = |u: u32, v: u32| !build.directed && u != v;
        let (mut begins, mut found, mut listed) = (vec![0; buckets + 1], EdgeCounts::default(), 0);
        for (i, &(u, v)) in ends.iter().enumerate() {
            let weight = weight(i);
            super::build::check(n, u, v, weight)?;
            found.zeros += u64::from(weight == 0.0);
            found.loops += u64::from(u == v);
            if kept(u, v, weight) {
                listed += 1;
                begins[(u >> shift) as usize + 1] += 1;
                begins[(v >> shift) as usize + 1] += usize::from(mirrored(u, v));
            }
        }
        for bucket in 0..buckets {
            begins[bucket + 1] += begins[bucket];
        }
        let mut entries = vec![E::new(0, 0.0); begins[buckets]];
        let mut places = begins.clone();
        for (i, &(u, v)) in ends.iter().enumerate() {
            let weight = weight(i);
            if kept(u, v, weight) {
                let mut put = |row: u32, neighbor: u32, backward: bool| {
                    let place = &mut places[(row >> shift) as usize];
                    entries[*place] = E::new(key(row, neighbor, backward), weight);
                    *place += 1;
                };
                put(u, v, false);
                if mirrored(u, v) {
                    put(v, u, true);
                }
            }
        }
        Ok(Segment { entries, begins, listed, found })
    };
    // Of several errors the first in the list is reported: collecting into a result would take any.
    let segments: Vec<Result<Segment<E>>> = ends.par_chunks(size).enumerate().map(segment).collect();
    segments.into_iter().collect()
}

/// The entries of a bucket in the order of their keys, those of equal ones in the order of the file: by the lowest digits
/// of the neighbors and the direction, by the next ones, at last by rows.
fn sort<E: Entry>(
    segments: &[Segment<E>],
    bucket: usize,
    rows: &Range<usize>,
    bits: u32,
    work: &mut Work<E>,
) {
    let Work { entries, other, places } = work;
    entries.clear();
    segments.iter().for_each(|segment| entries.extend_from_slice(segment.part(bucket)));
    other.resize(entries.len(), E::new(0, 0.0));
    for shift in (0..bits).step_by(DIGIT as usize) {
        pass(entries, other, places, 1 << DIGIT, |key| (key as u32 >> shift) as usize & ((1 << DIGIT) - 1));
        std::mem::swap(entries, other);
    }
    pass(entries, other, places, rows.len(), |key| row(key) - rows.start);
    std::mem::swap(entries, other);
}

/// What sorting needs, kept from bucket to bucket.
struct Work<E> {
    entries: Vec<E>,
    other: Vec<E>,
    places: Vec<usize>,
}

/// Sorts by a digit and nothing else.
#[inline]
fn pass<E: Entry>(
    from: &[E],
    to: &mut [E],
    places: &mut Vec<usize>,
    digits: usize,
    digit: impl Fn(u64) -> usize,
) {
    places.clear();
    places.resize(digits + 1, 0);
    for entry in from {
        places[digit(entry.key()) + 1] += 1;
    }
    for digit in 0..digits {
        places[digit + 1] += places[digit];
    }
    for entry in from {
        let place = &mut places[digit(entry.key())];
        to[*place] = *entry;
        *place += 1;
    }
}

/// Some consecutive rows.
struct Bucket {
    rows: Range<usize>,
    /// Entries of each row.
    degrees: Vec<u32>,
    neighbors: Vec<u32>,
    /// Empty where all are 1. The sum of both directions; or, when `both_directions`, of one of them.
    weights: Vec<f64>,
    loops: u64,
    /// Whether every edge but loops is listed in both directions, with equal weights.
    both_directions: bool,
}

impl Bucket {
    /// Unites sorted entries of the same edge.
    fn unite<E: Entry>(entries: &[E], rows: Range<usize>, weighted: bool, directed: bool) -> Self {
        let mut degrees = vec![0; rows.len()];
        let mut neighbors = Vec::with_capacity(entries.len());
        let (mut weights, mut backward) = (Vec::new(), Vec::new());
        let (mut loops, mut both_directions) = (0, true);
        let mut rest = entries;
        while let [first, ..] = rest {
            // Directions of a pair of nodes: forward, backward.
            let pair = first.key() | 1;
            let (mut sums, mut seen) = ([0.0; 2], [false; 2]);
            while let [entry, tail @ ..] = rest
                && entry.key() | 1 == pair
            {
                let direction = (entry.key() & 1) as usize;
                sums[direction] += entry.weight();
                seen[direction] = true;
                rest = tail;
            }
            let (u, v) = (row(pair), neighbor(pair));
            let is_loop = u == v as usize;
            degrees[u - rows.start] += 1;
            neighbors.push(v);
            loops += u64::from(is_loop);
            both_directions &= is_loop || (seen == [true; 2] && (!weighted || sums[0] == sums[1]));
            if weighted {
                weights.push(sums[0]);
                backward.push(sums[1]);
            }
        }
        if !directed && !both_directions {
            weights.iter_mut().zip(&backward).for_each(|(weight, backward)| *weight += backward);
        }
        Self { rows, degrees, neighbors, weights, loops, both_directions }
    }

    /// The first edge whose weight is not finite.
    fn infinite(&self) -> Option<(u32, u32)> {
        let at = self.weights.iter().position(|weight| !weight.is_finite())?;
        let mut end = 0;
        let row = self.degrees.iter().position(|&degree| {
            end += degree as usize;
            at < end
        })?;
        Some(((self.rows.start + row) as u32, self.neighbors[at]))
    }

    /// Adds the other direction, which is equal.
    fn add_directions(&mut self) {
        let mut at = 0;
        for (u, &degree) in self.rows.clone().zip(&self.degrees) {
            for i in at..at + degree as usize {
                if self.neighbors[i] as usize != u {
                    self.weights[i] *= 2.0;
                }
            }
            at += degree as usize;
        }
    }
}

/// The rows of all buckets, which are freed on the way.
fn one_after_the_other(n: usize, buckets: Vec<Bucket>, weighted: bool) -> Rows {
    let stored = buckets.iter().map(|bucket| bucket.neighbors.len()).sum();
    let (mut starts, mut neighbors) = (Vec::with_capacity(n + 1), Vec::with_capacity(stored));
    let mut weights = Vec::with_capacity(if weighted { stored } else { 0 });
    let mut end = 0;
    starts.push(end);
    for bucket in buckets {
        for degree in bucket.degrees {
            end += u64::from(degree);
            starts.push(end);
        }
        neighbors.extend_from_slice(&bucket.neighbors);
        if weighted {
            weights.extend_from_slice(&bucket.weights);
        }
    }
    let weights = weighted.then(|| weights.into());
    Rows { starts: starts.into(), neighbors: neighbors.into(), weights }
}

#[cfg(test)]
mod tests {
    use super::super::Edge;
    use super::*;
    use proptest::prelude::*;

    fn both_ways(
        n: usize,
        edges: &[Edge],
        weighted: bool,
        build: Build,
    ) -> [Result<(Network, EdgeCounts)>; 2] {
        let list = EdgeList {
            ids: NodeIds::numbered(n),
            ends: edges.iter().map(|edge| (edge.0, edge.1)).collect(),
            weights: weighted.then(|| edges.iter().map(|edge| edge.2).collect()),
            directed: None,
        };
        [Network::from_list(list, build), Network::build(NodeIds::numbered(n), edges, weighted, build)]
    }

    fn compare(n: usize, edges: &[Edge], weighted: bool) {
        for directed in [false, true] {
            for loops in [Loops::Drop, Loops::Keep] {
                let build = Build { directed, loops };
                let [fast, simple] = both_ways(n, edges, weighted, build);
                match (fast, simple) {
                    (Ok(fast), Ok(simple)) => {
                        assert_eq!(fast.1, simple.1, "{build:?} {edges:?}");
                        assert!(fast.0 == simple.0, "{build:?} {edges:?}");
                        assert_eq!(fast.0.loops(), simple.0.loops());
                        assert_eq!(fast.0.is_weighted(), simple.0.is_weighted());
                        for u in 0..n {
                            for (v, weight) in fast.0.rows().entries(u) {
                                assert_eq!(fast.0.incoming().weight(v as usize, u), weight);
                            }
                        }
                        assert_eq!(fast.0.incoming().neighbors.len() as u64, fast.0.stored());
                    }
                    (fast, simple) => {
                        assert_eq!(fast.unwrap_err().to_string(), simple.unwrap_err().to_string());
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn it_is_the_network_of_the_simple_way(
            n in 1u32..12,
            edges in proptest::collection::vec((0u32..12, 0u32..12, 0u8..5), 0..60),
            mirrored: bool,
            weighted: bool,
        ) {
            let mut edges: Vec<Edge> = edges.iter().map(|&(u, v, w)| (u % n, v % n, f64::from(w) * 0.1)).collect();
            if mirrored {
                let other: Vec<Edge> = edges.iter().map(|&(u, v, w)| (v, u, w)).collect();
                edges.extend(other);
            }
            compare(n as usize, &edges, weighted);
        }
    }

    /// Enough edges for many buckets, segments and ranges, most of them at few nodes.
    #[test]
    fn many_edges_are_as_few() {
        let n = 5000u64;
        let mut state = 1u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let mut edges = Vec::new();
        for _ in 0..200_000 {
            let hub = below(3) == 0;
            let (u, v) = (below(if hub { 9 } else { n }), below(n));
            let (u, v) = if below(2) == 0 { (u, v) } else { (v, u) };
            edges.push((u as u32, v as u32, below(1000) as f64 / 7.0));
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for weighted in [false, true] {
                for directed in [false, true] {
                    let build = Build { directed, loops: Loops::Keep };
                    let [fast, simple] = pool.install(|| both_ways(n as usize, &edges, weighted, build));
                    let (fast, simple) = (fast.unwrap(), simple.unwrap());
                    assert!(fast.0 == simple.0 && fast.1 == simple.1, "{threads} {weighted} {directed}");
                }
            }
        }
    }

    /// Some buckets hold nothing but edges listed in both directions, the last one does not.
    #[test]
    fn one_edge_listed_once_makes_all_directions_add_up() {
        let n = 4 * BUCKET as u32;
        let mut edges = Vec::new();
        for u in (0..n - 2).step_by(2) {
            edges.extend([(u, u + 1, 0.3), (u + 1, u, 0.3)]);
        }
        for last in [None, Some((n - 2, n - 1, 0.3))] {
            edges.extend(last);
            let [fast, simple] = both_ways(n as usize, &edges, true, Build::default());
            let (fast, simple) = (fast.unwrap(), simple.unwrap());
            assert_eq!((fast.1, fast.1.both_directions), (simple.1, last.is_none()));
            assert!(fast.0 == simple.0 && fast.0.weight(0, 1) == if last.is_none() { 0.3 } else { 0.6 });
        }
    }

    #[test]
    fn what_cannot_be_a_network_is_refused() {
        compare(2, &[(0, 1, 1.0), (0, 2, 1.0), (5, 5, 1.0)], false);
        compare(2, &[(0, 1, 1.0), (0, 1, -1.0), (5, 5, 1.0)], true);
        compare(2, &[(0, 1, f64::NAN)], true);
        compare(2, &[(0, 1, f64::MAX), (0, 1, f64::MAX)], true);
        compare(2, &[(0, 1, f64::MAX), (1, 0, f64::MAX)], true);
        compare(3, &[(0, 1, f64::MAX), (1, 0, f64::MAX), (1, 2, 1.0)], true);
        compare(0, &[], false);
        compare(3, &[], true);
        compare(3, &[(1, 1, 1.0)], true);
        let list =
            EdgeList { ids: NodeIds::numbered(2), ends: vec![(0, 1)], weights: Some(vec![]), directed: None };
        assert!(matches!(Network::from_list(list, Build::default()), Err(Error::Shape { .. })));
    }
}
