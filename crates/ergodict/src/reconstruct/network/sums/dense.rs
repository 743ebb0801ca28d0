//! A cell for every pair: the upper triangle by rows of the smaller node, or the square of a directed network.
//!
//! The place of `{u, v}` in the triangle, diagonal included, is the smaller of `start(u) + v` and `start(v) + u` with
//! `start(u) = u·n − u(u+1)/2`, whichever node is the smaller.

use super::pages::Pages;
use super::store::{Cell, Part, PutDown, Raw, Store};
use crate::Result;
use crate::data::Network;
use crate::linalg::simd::{Simd, WithSimd};
use crate::linalg::{Isa, Scalar, prefetch};
use crate::reconstruct::network::positions::Positions;
use std::collections::HashMap;

/// How many visits ahead cells are fetched.
const AHEAD: usize = 128;

/// All cells.
#[derive(Debug)]
pub(in crate::reconstruct::network) struct Dense<C> {
    nodes: usize,
    square: bool,
    cells: Pages<C>,
    /// What short cells have put down.
    put_down: HashMap<u32, PutDown>,
    /// What the parts of a round put down, to be added.
    pending: Vec<Vec<(u32, PutDown)>>,
    /// Share of visits that rows before each have, estimated from degrees.
    loads: Vec<f64>,
    isa: Isa,
}

/// The number of cells; none when keys would be too few.
fn cells(nodes: usize, square: bool) -> Option<usize> {
    let all = if square { nodes.checked_mul(nodes)? } else { nodes.checked_mul(nodes + 1)? / 2 };
    u32::try_from(all).ok().map(|_| all)
}

impl<C: Cell> Dense<C> {
    /// Bytes of the cells; none when there are too many.
    pub(super) fn bytes(nodes: usize, square: bool) -> Option<usize> {
        cells(nodes, square)?.checked_mul(size_of::<C>())
    }

    /// No visits yet. There must not be too many cells.
    ///
    /// # Errors
    /// [`crate::Error::Parameter`] when there is not so much memory.
    pub(super) fn new(network: &Network) -> Result<Self> {
        let (nodes, square) = (network.nodes(), network.is_directed());
        let count = cells(nodes, square).unwrap_or(0);
        let degree = |u: usize| network.rows().degree(u) as f64 + 1e-3;
        let mut after: f64 = (0..nodes).map(degree).sum();
        let (mut loads, mut load) = (Vec::with_capacity(nodes + 1), 0.0);
        for u in 0..nodes {
            loads.push(load);
            if !square {
                after -= degree(u);
            }
            load += degree(u) * after;
        }
        loads.push(load);
        let (cells, put_down, pending) = (Pages::zeros(count)?, HashMap::new(), Vec::new());
        Ok(Self { nodes, square, cells, put_down, pending, loads, isa: Isa::detect() })
    }

    fn start(&self, u: u32) -> u32 {
        start(self.nodes as u32, self.square, u)
    }

    fn key(&self, u: u32, v: u32) -> u32 {
        if self.square { self.start(u) + v } else { self.start(u.min(v)) + u.max(v) }
    }

    /// The sum and the count of a pair.
    pub(super) fn get(&self, u: u32, v: u32) -> (f64, u64) {
        self.at(self.key(u, v))
    }

    #[inline]
    fn at(&self, key: u32) -> (f64, u64) {
        let cell = self.cells[key as usize];
        let (sum, count) = cell.read();
        let down = if cell.has_put_down() { self.put_down.get(&key) } else { None };
        down.map_or((sum, count), |down| (down.sum + sum, down.count + count))
    }

    /// The pairs that were visited, ascending, with the bits of the cell and what it has put down.
    pub(super) fn raw(&self) -> impl Iterator<Item = (u32, u32, Raw)> + '_ {
        (0..self.nodes as u32).flat_map(move |u| {
            let (start, first) = (self.start(u), if self.square { 0 } else { u });
            (first..self.nodes as u32).filter_map(move |v| {
                let key = start + v;
                let cell = self.cells[key as usize];
                let (sum, count) = cell.bits();
                let down = if cell.has_put_down() { self.put_down.get(&key).copied() } else { None };
                (count > 0 || down.is_some()).then_some((u, v, Raw { sum, count, down }))
            })
        })
    }

    /// Puts back what [`Dense::raw`] gave.
    pub(super) fn set_raw(&mut self, u: u32, v: u32, raw: Raw) {
        let key = self.key(u, v);
        self.cells[key as usize] = C::from_bits(raw.sum, raw.count);
        if let Some(down) = raw.down {
            self.put_down.insert(key, down);
        }
    }

    /// Adds visits of a pair.
    pub(super) fn add(&mut self, u: u32, v: u32, more: PutDown) {
        let key = self.key(u, v);
        if let Some(down) = self.cells[key as usize].absorb(more) {
            self.put_down.entry(key).or_default().add(down);
        }
    }

    /// The pairs that were visited, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32, f64, u64)> + '_ {
        (0..self.nodes as u32).flat_map(move |u| {
            let (start, first) = (self.start(u), if self.square { 0 } else { u });
            (first..self.nodes as u32).filter_map(move |v| {
                let (sum, count) = self.at(start + v);
                (count > 0).then_some((u, v, sum, count))
            })
        })
    }
}

/// Where the row of a node would begin if it began with node 0.
#[inline(always)]
fn start(nodes: u32, square: bool, u: u32) -> u32 {
    // Products wrap where n²  is beyond 32 bits, and come back: half of it is not.
    let whole = u64::from(u) * u64::from(nodes);
    (if square { whole } else { whole - u64::from(u) * (u64::from(u) + 1) / 2 }) as u32
}

impl<C: Cell> Store for Dense<C> {
    type Key = u32;
    type Part<'a> = DensePart<'a, C>;
    /// Where parts begin but the first, ascending.
    type Cuts = Vec<u32>;

    fn keys(&self, xs: &[u32], positions: &Positions, out: &mut [u32]) {
        self.isa.run(Keys { nodes: self.nodes as u32, xs, positions, out });
    }

    fn cuts(&self, threads: usize) -> Vec<u32> {
        let total = self.loads.last().copied().unwrap_or(0.0);
        let mut cuts: Vec<u32> = (1..threads)
            .map(|part| total * part as f64 / threads as f64)
            .map(|load| self.loads.partition_point(|&before| before < load).min(self.nodes))
            .filter(|&row| row < self.nodes)
            .map(|row| self.key(row as u32, if self.square { 0 } else { row as u32 }))
            .collect();
        cuts.dedup();
        cuts
    }

    fn parts(cuts: &Vec<u32>) -> usize {
        cuts.len() + 1
    }

    #[inline(always)]
    fn part(cuts: &Vec<u32>, key: u32) -> usize {
        cuts.iter().map(|&cut| usize::from(key >= cut)).sum()
    }

    fn split<'a>(&'a mut self, cuts: &Vec<u32>) -> Vec<DensePart<'a, C>> {
        self.pending.resize(cuts.len() + 1, Vec::new());
        let (mut left, mut first) = (&mut self.cells[..], 0);
        let mut parts = Vec::new();
        let mut pending = self.pending.iter_mut();
        for &end in cuts.iter().chain([&u32::MAX]) {
            let size = ((end - first) as usize).min(left.len());
            let (cells, rest) = left.split_at_mut(size);
            left = rest;
            if let Some(pending) = pending.next() {
                parts.push(DensePart { first, cells, pending });
            }
            first = end;
        }
        parts
    }

    fn settle(&mut self) -> Result<()> {
        for (key, down) in self.pending.iter_mut().flat_map(|pending| pending.drain(..)) {
            self.put_down.entry(key).or_default().add(down);
        }
        Ok(())
    }
}

/// Rows that one thread adds to.
pub(in crate::reconstruct::network) struct DensePart<'a, C> {
    first: u32,
    cells: &'a mut [C],
    pending: &'a mut Vec<(u32, PutDown)>,
}

impl<C: Cell> Part<u32> for DensePart<'_, C> {
    fn add<T: Scalar>(&mut self, keys: &[u32], values: &[T]) -> Result<()> {
        assert_eq!(keys.len(), values.len(), "keys and values");
        let (first, cells) = (self.first, &mut *self.cells);
        let mut visit = |key: u32, value: T, cells: &mut [C]| {
            if let Some(down) = cells[(key - first) as usize].visit(value) {
                self.pending.push((key, down));
            }
        };
        let far = keys.len().saturating_sub(AHEAD);
        for ((&key, &value), &later) in keys.iter().zip(values).zip(&keys[keys.len() - far..]) {
            prefetch(cells, (later - first) as usize);
            visit(key, value, cells);
        }
        for (&key, &value) in keys[far..].iter().zip(&values[far..]) {
            visit(key, value, cells);
        }
        Ok(())
    }
}

/// The keys of homomorphisms. It has no lanes of its own; the instruction set lends it wide vectors.
struct Keys<'a> {
    nodes: u32,
    xs: &'a [u32],
    positions: &'a Positions,
    out: &'a mut [u32],
}

impl WithSimd for Keys<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { nodes, xs, positions, out } = self;
        let k = positions.k;
        if positions.directed {
            for (x, out) in xs.chunks_exact(k).zip(out.chunks_exact_mut(positions.len().max(1))) {
                for (out, &(a, b)) in out.iter_mut().zip(positions.places()) {
                    *out = start(nodes, true, x[a as usize]) + x[b as usize];
                }
            }
            return;
        }
        let mut starts = vec![0u32; k];
        for (x, out) in xs.chunks_exact(k).zip(out.chunks_exact_mut(positions.len().max(1))) {
            for (row, &u) in starts.iter_mut().zip(x) {
                *row = start(nodes, false, u);
            }
            let mut left = out;
            for (b, (&v, &row)) in x.iter().zip(&starts).enumerate() {
                let (column, rest) = left.split_at_mut(b);
                left = rest;
                for (key, (&u, &other)) in column.iter_mut().zip(x.iter().zip(&starts)) {
                    *key = (other + v).min(row + u);
                }
            }
            if positions.loops {
                for (key, (&u, &row)) in left.iter_mut().zip(x.iter().zip(&starts)) {
                    *key = row + u;
                }
            }
        }
    }
}
