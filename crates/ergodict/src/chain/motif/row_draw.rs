//! A random neighbour: uniform in networks without weights, by alias tables in weighted ones.

use super::super::heat_bath::split;
use super::super::rng::{below_u32, fraction};
use super::alias::AliasTables;
use crate::data::{Network, Rows};
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

/// How a neighbour is drawn from a row that has one.
pub(super) trait RowDraw {
    /// A neighbour.
    fn plain(&self, v: u32, rng: &mut ChaCha8Rng) -> u32;

    /// A neighbour, and a number uniform in [0, 1) whether to take it.
    fn candidate(&self, v: u32, rng: &mut ChaCha8Rng) -> (u32, f64);
}

/// Of rows without weights.
pub(super) struct Uniform<'a>(pub(super) &'a Rows);

impl RowDraw for Uniform<'_> {
    #[inline(always)]
    fn plain(&self, v: u32, rng: &mut ChaCha8Rng) -> u32 {
        let span = self.0.span(v as usize);
        self.0.neighbours[span.start + below_u32(rng, span.len() as u32) as usize]
    }

    /// By one word: given the neighbour, what is left of it is uniform but for `d·2⁻⁶⁴`.
    #[inline(always)]
    fn candidate(&self, v: u32, rng: &mut ChaCha8Rng) -> (u32, f64) {
        let span = self.0.span(v as usize);
        let (j, rest) = split(rng.next_u64(), span.len() as u64);
        (self.0.neighbours[span.start + j as usize], fraction(rest))
    }
}

/// Of rows with weights.
pub(super) struct Weighted<'a>(pub(super) &'a Rows, pub(super) &'a AliasTables);

impl RowDraw for Weighted<'_> {
    #[inline(always)]
    fn plain(&self, v: u32, rng: &mut ChaCha8Rng) -> u32 {
        let span = self.0.span(v as usize);
        self.1.draw(span.start, span.len(), rng.next_u64())
    }

    #[inline(always)]
    fn candidate(&self, v: u32, rng: &mut ChaCha8Rng) -> (u32, f64) {
        (self.plain(v, rng), fraction(rng.next_u64()))
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

    /// Bytes of the tables.
    pub(super) fn bytes(&self) -> usize {
        [&self.out, &self.incoming].into_iter().flatten().map(AliasTables::bytes).sum()
    }
}
