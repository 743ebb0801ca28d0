//! A random neighbor: uniform in networks without weights, by alias tables in weighted ones.

use super::super::heat_bath::split;
use super::alias::AliasTables;
use crate::data::{Network, Rows};
use crate::rng::{below_u32, fraction};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::sync::Arc;

/// Draws from the rows of a network, `w ∼ A(v,·)/d(v)`, and of its transpose.
#[derive(Clone, Debug)]
pub(super) struct RowDraws {
    pub(super) network: Arc<Network>,
    /// Tables of a weighted network; of `Aᵀ` only where asked for, and of an undirected one never.
    out: Option<AliasTables>,
    incoming: Option<AliasTables>,
}

/// How a neighbor is drawn from a row that has one. First a place in memory is chosen, then it is looked at:
/// between, the places of other draws can be chosen, so that memory is waited for by all at once.
pub(super) trait RowDraw {
    /// Where to look for a neighbor, and what is left of the word that chose.
    fn place(&self, v: u32, rng: &mut ChaCha8Rng) -> (usize, u64);

    /// The neighbor there.
    fn neighbor(&self, place: (usize, u64)) -> u32;

    /// The neighbor, and what is still left of the word to decide whether to take it: a number uniform in
    /// [0, 1) but for `d·2⁻⁶⁴`, as a quotient.
    fn candidate(&self, place: (usize, u64)) -> (u32, f64, f64);

    /// The place when nothing needs to be left of the word.
    #[inline(always)]
    fn plain_place(&self, v: u32, rng: &mut ChaCha8Rng) -> (usize, u64) {
        self.place(v, rng)
    }
}

/// Of rows without weights.
pub(super) struct Uniform<'a>(pub(super) &'a Rows);

impl RowDraw for Uniform<'_> {
    #[inline(always)]
    fn place(&self, v: u32, rng: &mut ChaCha8Rng) -> (usize, u64) {
        let span = self.0.span(v as usize);
        let (j, rest) = split(rng.next_u64(), span.len() as u64);
        (span.start + j as usize, rest)
    }

    /// Half a word will do.
    #[inline(always)]
    fn plain_place(&self, v: u32, rng: &mut ChaCha8Rng) -> (usize, u64) {
        let span = self.0.span(v as usize);
        (span.start + below_u32(rng, span.len() as u32) as usize, 0)
    }

    #[inline(always)]
    fn neighbor(&self, (at, _): (usize, u64)) -> u32 {
        self.0.neighbors[at]
    }

    #[inline(always)]
    fn candidate(&self, (at, rest): (usize, u64)) -> (u32, f64, f64) {
        (self.0.neighbors[at], fraction(rest), 1.0)
    }
}

/// By tables in the places of the entries.
pub(super) struct Weighted<'a>(pub(super) &'a Rows, pub(super) &'a AliasTables);

impl RowDraw for Weighted<'_> {
    #[inline(always)]
    fn place(&self, v: u32, rng: &mut ChaCha8Rng) -> (usize, u64) {
        Uniform(self.0).place(v, rng)
    }

    #[inline(always)]
    fn neighbor(&self, place: (usize, u64)) -> u32 {
        self.1.entry(place)
    }

    #[inline(always)]
    fn candidate(&self, place: (usize, u64)) -> (u32, f64, f64) {
        self.1.entry_and_rest(place)
    }
}

impl RowDraws {
    /// Draws from the rows, and from those of the transpose where `upward` says so.
    pub(super) fn new(network: Arc<Network>, downward: bool, upward: bool) -> Self {
        let both = !network.is_directed();
        let tables = |rows| network.is_weighted().then(|| AliasTables::of_rows(rows));
        let out = if downward || both { tables(network.rows()) } else { None };
        let incoming = if upward && !both { tables(network.incoming()) } else { None };
        Self { network, out, incoming }
    }

    /// The rows of edges away from a node (`down`) or to it.
    #[inline]
    pub(super) fn rows(&self, down: bool) -> &Rows {
        if down { self.network.rows() } else { self.network.incoming() }
    }

    /// Their tables; none without weights.
    #[inline]
    pub(super) fn tables(&self, down: bool) -> Option<&AliasTables> {
        if down || !self.network.is_directed() { self.out.as_ref() } else { self.incoming.as_ref() }
    }

    /// The most bytes that the tables of a network take.
    pub(super) fn bytes_needed(network: &Network) -> usize {
        let ways = if network.is_directed() { 2 } else { 1 };
        let tables = if network.is_weighted() { ways } else { 0 };
        tables * AliasTables::CELL * network.stored() as usize
    }

    /// Bytes of the tables.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        [&self.out, &self.incoming].into_iter().flatten().map(AliasTables::bytes).sum()
    }
}
