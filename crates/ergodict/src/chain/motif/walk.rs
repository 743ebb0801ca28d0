//! Filling a tree motif from its root down: children drawn given their parents, one homomorphism or many side
//! by side.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `x(c) ∼ A(x(i),·) b_c(·)`, the exact conditionals | a [`Walk`] with backward weights | docs/maths.md, Homomorphisms, "Exact" |
//! | `x(c) ∼ A(x(i),·)/d(x(i))`, the plain random walk | a [`Walk`] without | docs/maths.md, Homomorphisms, "Pivot (approximate)" |
//!
//! Exact conditionals go by rejection: a neighbor `w` drawn by its edge is taken with probability `b_c(w)`
//! over a bound of all neighbors' weights; or it is drawn from a table that leans to large weights already
//! (`reference.rs`). After [`TRIES`] the row is summed up instead. Both draw from the same law, so what comes
//! out has it too. A try is decided by 53 random bits, so that a conditional probability is off by at most
//! [`TRIES`]`·2⁻⁵³ = 2⁻⁴⁸` by tries, and by `d·2⁻⁵³` where a row of `d` entries is summed up, next to the
//! rounding of `b` itself.

use super::Motif;
use super::backward::{Backward, Level, bound};
use super::reference::{Reference, References, WORTH, WORTH_WEIGHTED};
use super::row_draw::{RowDraw, RowDraws, Uniform, Weighted};
use super::wide::Wide;
use crate::linalg::prefetch;
use crate::rng::uniform;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Homomorphisms that are filled side by side, so that memory is waited for by all at once. On SNAP's
/// Facebook network, exact draws of chains of 21 took 0.40 µs each by 32 and 0.32 µs by 64; plain walks 0.08
/// µs by either.
pub(super) const LANES: usize = 64;

/// Tries before a row is summed up.
const TRIES: usize = 32;

/// Fills the nodes of a tree motif but the root.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    draws: Arc<RowDraws>,
    k: usize,
    steps: Vec<Step>,
    backward: Option<Arc<Backward>>,
    references: References,
    /// [`TRIES`], unless a test wants others.
    pub(super) tries: usize,
}

/// A node of the motif, filled after its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: usize,
    pub(super) parent: usize,
    /// Whether the edge goes to the node.
    pub(super) down: bool,
}

impl Walk {
    /// A walk through a tree motif; with backward weights by the exact conditionals, else by edges alone.
    pub(super) fn new(draws: Arc<RowDraws>, motif: &Motif, backward: Option<Arc<Backward>>) -> Self {
        let steps = motif.tree().map_or(Vec::new(), |tree| {
            let step = |&i: &u32| {
                let node = i as usize;
                Step { node, parent: tree.parent[node] as usize, down: tree.downward[node] }
            };
            tree.order.iter().map(step).collect()
        });
        let mut walk =
            Self { draws, k: motif.k(), steps, backward, references: References::default(), tries: TRIES };
        walk.lean(if walk.draws.network.is_weighted() { WORTH_WEIGHTED } else { WORTH });
        walk
    }

    /// Makes tables of a reference level where they save tries, if without them it takes `worth` or more.
    pub(super) fn lean(&mut self, worth: f64) {
        if let Some(backward) = &self.backward {
            self.references = References::new(&self.draws, &self.steps, backward, worth);
        }
    }

    pub(super) fn draws(&self) -> &Arc<RowDraws> {
        &self.draws
    }

    /// Bytes of memory in addition to backward weights.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.draws.bytes() + self.references.bytes()
    }

    /// Tables of reference levels.
    #[cfg(test)]
    pub(super) fn tables(&self) -> usize {
        self.references.tables()
    }

    fn level(&self, step: Step) -> Level<'_> {
        self.backward.as_ref().map_or(Level::Ones, |backward| backward.level(step.node, step.down))
    }

    fn reference(&self, step: Step) -> Option<Reference<'_>> {
        let down = step.down || !self.draws.network.is_directed();
        let message = self.backward.as_ref()?.message(step.node, down)?;
        self.references.table(message, down, self.draws.network.nodes())
    }

    /// Fills one homomorphism given `x[0]`, where every node can be left.
    pub(super) fn fill(&self, x: &mut [u32], rng: &mut ChaCha8Rng) {
        let filled = self.try_fill(x, rng);
        debug_assert!(filled, "a walk has come to an end");
    }

    /// The same where a walk may come to a node that it cannot leave; whether it was completed.
    pub(super) fn try_fill(&self, x: &mut [u32], rng: &mut ChaCha8Rng) -> bool {
        self.steps.iter().all(|&step| {
            let rows = self.draws.rows(step.down);
            if rows.degree(x[step.parent] as usize) == 0 {
                return false;
            }
            x[step.node] = match self.draws.tables(step.down) {
                None => self.draw(step, &Uniform(rows), x[step.parent], rng),
                Some(tables) => self.draw(step, &Weighted(rows, tables), x[step.parent], rng),
            };
            true
        })
    }

    fn draw(&self, step: Step, row: &impl RowDraw, v: u32, rng: &mut ChaCha8Rng) -> u32 {
        let drawn = match (self.level(step), self.reference(step)) {
            (Level::Ones, _) => Some(row.neighbor(row.plain_place(v, rng))),
            (Level::Plain { weights, .. }, Some(Reference { table, weights: h, bounds })) => {
                let bound = bound(bounds[v as usize]);
                let row = Weighted(self.draws.rows(step.down), table);
                self.reject(&row, v, rng, |w| (bound * h[w as usize], weights[w as usize]))
            }
            (Level::Plain { weights, bounds }, None) => {
                let bound = bound(bounds[v as usize]);
                self.reject(row, v, rng, |w| (bound, weights[w as usize]))
            }
            (Level::Wide { .. }, _) => None,
        };
        drawn.unwrap_or_else(|| self.scan(step, v, rng))
    }

    /// A neighbor that is taken with probability `weight/bound`, for `(bound, weight)` as a function of it,
    /// if one is within the tries.
    fn reject(
        &self,
        row: &impl RowDraw,
        v: u32,
        rng: &mut ChaCha8Rng,
        odds: impl Fn(u32) -> (f64, f64),
    ) -> Option<u32> {
        (0..self.tries).find_map(|_| {
            let (w, u, most) = row.candidate(row.place(v, rng));
            let (bound, weight) = odds(w);
            (u * bound < weight * most).then_some(w)
        })
    }

    /// Fills several homomorphisms of `k` nodes each, at most [`LANES`], given the first node of each.
    pub(super) fn fill_block(&self, out: &mut [u32], rng: &mut ChaCha8Rng) {
        for &step in &self.steps {
            let rows = self.draws.rows(step.down);
            match self.draws.tables(step.down) {
                None => self.fill_level(step, &Uniform(rows), out, rng),
                Some(tables) => self.fill_level(step, &Weighted(rows, tables), out, rng),
            }
        }
    }

    /// One node of the motif in all of them.
    #[inline]
    fn fill_level(&self, step: Step, row: &impl RowDraw, out: &mut [u32], rng: &mut ChaCha8Rng) {
        let Step { node, parent, .. } = step;
        match (self.level(step), self.reference(step)) {
            (Level::Ones, _) => {
                let mut places = [(0, 0); LANES];
                let lanes = out.chunks_exact_mut(self.k).zip(&mut places);
                let rows = self.draws.rows(step.down);
                lanes.for_each(|(x, place)| {
                    *place = row.plain_place(x[parent], rng);
                    // A weighted row looks elsewhere; then it is in vain.
                    prefetch(&rows.neighbors, place.0);
                });
                let lanes = out.chunks_exact_mut(self.k).zip(places);
                lanes.for_each(|(x, place)| x[node] = row.neighbor(place));
            }
            (Level::Wide { .. }, _) => {
                out.chunks_exact_mut(self.k).for_each(|x| x[node] = self.scan(step, x[parent], rng));
            }
            (Level::Plain { weights, .. }, Some(Reference { table, weights: h, bounds })) => {
                let row = Weighted(self.draws.rows(step.down), table);
                let odds = |v, w| (bound(bounds[v as usize]) * h[w as usize], weights[w as usize]);
                self.reject_level(step, &row, out, rng, odds);
            }
            (Level::Plain { weights, bounds }, None) => {
                let odds = |v, w| (bound(bounds[v as usize]), weights[w as usize]);
                self.reject_level(step, row, out, rng, odds);
            }
        }
    }

    /// The same by rejection. Whether a try succeeds cannot be predicted: no branch asks.
    #[inline]
    fn reject_level(
        &self,
        step: Step,
        row: &impl RowDraw,
        out: &mut [u32],
        rng: &mut ChaCha8Rng,
        odds: impl Fn(u32, u32) -> (f64, f64),
    ) {
        // Where those begin that still need a node; places they look at; what they find there.
        let mut waiting: [u32; LANES] = std::array::from_fn(|lane| (lane * self.k) as u32);
        let mut places = [(0, 0); LANES];
        let mut found = [(0, 0.0, 0.0); LANES];
        let mut count = out.len() / self.k;
        for _ in 0..self.tries {
            for (&at, place) in waiting[..count].iter().zip(&mut places) {
                *place = row.place(out[at as usize + step.parent], rng);
            }
            for (found, &place) in found[..count].iter_mut().zip(&places) {
                *found = row.candidate(place);
            }
            let mut left = 0;
            for i in 0..count {
                let (at, (w, u, most)) = (waiting[i], found[i]);
                let x = &mut out[at as usize..][..self.k];
                x[step.node] = w;
                let (bound, weight) = odds(x[step.parent], w);
                waiting[left] = at;
                left += usize::from(u * bound >= weight * most);
            }
            count = left;
            if count == 0 {
                return;
            }
        }
        for &at in &waiting[..count] {
            let x = &mut out[at as usize..][..self.k];
            x[step.node] = self.scan(step, x[step.parent], rng);
        }
    }

    /// A draw from the exact conditional by summing up the row.
    #[cold]
    fn scan(&self, step: Step, v: u32, rng: &mut ChaCha8Rng) -> u32 {
        let mut total = 0.0;
        self.each_term(step, v, |_, term| total += term);
        let (mut left, mut drawn, mut done) = (uniform(rng) * total, v, false);
        self.each_term(step, v, |w, term| {
            // The last one that can be is kept for when rounding leaves something at the end.
            if !done && term > 0.0 {
                (drawn, done) = (w, left < term);
                left -= term;
            }
        });
        drawn
    }

    /// The neighbors `w` of a node with `A(v,w) b(w)`, up to a factor.
    fn each_term(&self, step: Step, v: u32, mut work: impl FnMut(u32, f64)) {
        let entries = || self.draws.rows(step.down).entries(v as usize);
        match self.level(step) {
            Level::Ones => {
                let largest = entries().map(|entry| entry.1).fold(0.0, f64::max);
                entries().for_each(|(w, weight)| work(w, weight / largest));
            }
            Level::Plain { weights, .. } => {
                entries().for_each(|(w, weight)| work(w, weight * weights[w as usize]));
            }
            Level::Wide { mantissas, exponents } => {
                let term = |w: u32, weight: f64| {
                    let at = w as usize;
                    Wide::from_f64(weight).times(Wide { mantissa: mantissas[at], exponent: exponents[at] })
                };
                let largest = entries().map(|(w, weight)| term(w, weight).exponent).max().unwrap_or(0);
                entries().for_each(|(w, weight)| work(w, term(w, weight).relative_to(largest)));
            }
        }
    }

    /// The probability that a homomorphism is filled like `x`, given `x[0]`.
    pub(super) fn probability(&self, x: &[u32]) -> f64 {
        let conditional = |&step: &Step| {
            let (mut total, mut term) = (0.0, 0.0);
            self.each_term(step, x[step.parent], |w, weight| {
                total += weight;
                term += if w == x[step.node] { weight } else { 0.0 };
            });
            if term > 0.0 { term / total } else { 0.0 }
        };
        self.steps.iter().map(conditional).product()
    }
}
