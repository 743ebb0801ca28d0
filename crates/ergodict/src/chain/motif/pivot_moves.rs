//! The moves of a pivot: Metropolis steps along edges, for a law on the nodes.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `ℓ ∼ A(x(1),·)/d(x(1))` | [`PivotMoves::step`] | docs/maths.md, Homomorphisms, "Pivot" |
//! | `p(v)`, the law of the pivot | `law` given to [`PivotMoves::new`]: `b_1`, or 1 | |
//! | `p(v)/d(v)` | `density` | |
//! | `min(1, [p(ℓ)/d(ℓ)]/[p(x)/d(x)] · A(ℓ,x)/A(x,ℓ))` | [`PivotMoves::ratio`] | |
//!
//! On a directed network a move along an edge that does not go both ways would have no way back: it is
//! rejected. On a bipartite network a pivot may come back only after an even number of moves: there, by
//! default, it stays with probability 1/2 before a move is proposed.

use super::super::diagnostics::Acceptance;
use super::row_draw::{RowDraw, RowDraws, Uniform, Weighted};
use super::walk::{LANES, Walk};
use super::wide::Wide;
use crate::data::Network;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::sync::Arc;

/// Densities that spread over at least this number of powers of 2 get exponents: quotients of others are normal
/// numbers. Chosen, not tuned.
const SPREAD: i32 = 1000;

/// How a pivot moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PivotParameters {
    /// Whether it stays with probability 1/2 before each move. None: exactly when the edges that it moves
    /// along make a bipartite network, where it could be periodic otherwise.
    pub lazy: Option<bool>,
}

/// Metropolis moves along the edges of a network.
#[derive(Clone, Debug)]
pub(super) struct PivotMoves {
    draws: Arc<RowDraws>,
    /// `p(v)/d(v)` up to a factor; 0 where no pivot can be. None where it is one by the number of neighbors, which needs
    /// no table.
    density: Option<Vec<f64>>,
    /// Exponents of the densities; none where f64 does without.
    exponents: Vec<i32>,
    lazy: bool,
    /// Whether the edges that it moves along make a bipartite network.
    bipartite: bool,
}

impl PivotMoves {
    /// Moves with the stationary law `law`, 0 for nodes that can be no pivot.
    pub(super) fn new(
        draws: Arc<RowDraws>,
        law: impl Fn(usize) -> Wide,
        parameters: PivotParameters,
    ) -> Result<Self> {
        Self::with_spread(draws, law, parameters, SPREAD)
    }

    /// Moves with the uniform law. Without weights they need no table.
    pub(super) fn uniform(draws: Arc<RowDraws>, parameters: PivotParameters) -> Result<Self> {
        if draws.network.is_weighted() {
            return Self::new(draws, |_| Wide::from_f64(1.0), parameters);
        }
        let bipartite = if draws.network.is_directed() {
            is_bipartite(&draws.network, &vec![true; draws.network.nodes()])?
        } else {
            is_whole_and_bipartite(&draws.network)?
        };
        let lazy = parameters.lazy.unwrap_or(bipartite);
        Ok(Self { draws, density: None, exponents: Vec::new(), lazy, bipartite })
    }

    /// The same, with exponents from another spread on.
    pub(super) fn with_spread(
        draws: Arc<RowDraws>,
        law: impl Fn(usize) -> Wide,
        parameters: PivotParameters,
        spread: i32,
    ) -> Result<Self> {
        let network = &*draws.network;
        let possible: Vec<bool> = (0..network.nodes()).map(|v| law(v) != Wide::ZERO).collect();
        let bipartite = is_bipartite(network, &possible)?;
        let lazy = parameters.lazy.unwrap_or(bipartite);
        let mut quotients = Vec::with_capacity(network.nodes());
        for v in 0..network.nodes() {
            let strength = network.rows().strength(v);
            if strength.is_infinite() {
                let value = format!("one where those at node {} add up to infinity", network.ids().name(v));
                return Err(Error::parameter(
                    "the weights of the network",
                    value,
                    "their sums must be finite: scale them down",
                ));
            }
            // Nothing is proposed from a node without edges, nor to it.
            quotients.push(if strength == 0.0 { Wide::ZERO } else { law(v).over(Wide::from_f64(strength)) });
        }
        let used =
            || quotients.iter().filter(|quotient| **quotient != Wide::ZERO).map(|quotient| quotient.exponent);
        let (least, most) = (used().min().unwrap_or(0), used().max().unwrap_or(0));
        let (density, exponents): (Vec<f64>, Vec<i32>) = if most - least < spread {
            (quotients.iter().map(|quotient| quotient.relative_to(most)).collect(), Vec::new())
        } else {
            quotients.iter().map(|quotient| (quotient.mantissa, quotient.exponent)).unzip()
        };
        Ok(Self { draws, density: Some(density), exponents, lazy, bipartite })
    }

    /// `p(v)/d(v)` up to a factor and a power of 2, by which rounding does not differ.
    #[inline(always)]
    fn density(&self, v: u32) -> f64 {
        match &self.density {
            Some(density) => density[v as usize],
            None => match self.draws.network.rows().degree(v as usize) {
                0 => 0.0,
                degree => 1.0 / degree as f64,
            },
        }
    }

    /// Whether the densities have exponents.
    #[cfg(test)]
    pub(super) fn is_wide(&self) -> bool {
        !self.exponents.is_empty()
    }

    /// Bytes of memory in addition to the draws.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        8 * self.density.as_ref().map_or(0, Vec::len) + 4 * self.exponents.len()
    }

    /// The most bytes for a node.
    pub(super) const BYTES: usize = 8 + 4;

    #[cfg(test)]
    pub(super) fn is_lazy(&self) -> bool {
        self.lazy
    }

    /// What a user should know of the moves.
    pub(super) fn notes(&self) -> Vec<String> {
        let note = match (self.lazy, self.bipartite) {
            (true, true) => {
                "pivots rest in half of their steps, as on a bipartite network a walk never forgets its side"
            }
            (true, false) => {
                "pivots rest in half of their steps, as asked for: the network is not bipartite, and they need not"
            }
            (false, true) => {
                "pivots do not rest, as asked for: the network is bipartite, so that the chain may be periodic, \
                 with one side at even steps and the other at odd ones"
            }
            (false, false) => return Vec::new(),
        };
        vec![note.to_owned()]
    }

    /// As many steps of a chain as `out` has room for, whose pivots go by these moves and whose rest is filled by `walk`, some at a
    /// time: where the pivot goes does not depend on the rest.
    pub(super) fn sample(
        &self,
        walk: &Walk,
        state: &mut [u32],
        rng: &mut ChaCha8Rng,
        out: &mut [u32],
    ) -> Acceptance {
        let k = state.len();
        let mut info = Acceptance::default();
        let mut pivot = state[0];
        for block in out.chunks_mut(LANES * k) {
            for x in block.chunks_exact_mut(k) {
                pivot = self.step(pivot, rng, &mut info);
                x[0] = pivot;
            }
            walk.fill_block(block, rng);
        }
        if let Some(last) = out.chunks_exact(k).last() {
            state.copy_from_slice(last);
        }
        info
    }

    /// One move.
    #[inline(always)]
    pub(super) fn step(&self, from: u32, rng: &mut ChaCha8Rng, info: &mut Acceptance) -> u32 {
        let rows = self.draws.network.rows();
        if rows.degree(from as usize) == 0 || self.lazy && rng.next_u32() >> 31 == 0 {
            return from;
        }
        let (to, u, most) = match self.draws.tables(true) {
            None => {
                let row = Uniform(rows);
                row.candidate(row.place(from, rng))
            }
            Some(tables) => {
                let row = Weighted(rows, tables);
                row.candidate(row.place(from, rng))
            }
        };
        let accepted = if self.exponents.is_empty() && !self.draws.network.is_directed() {
            u * self.density(from) < self.density(to) * most
        } else {
            u < self.ratio(from, to) * most
        };
        info.record(accepted);
        if accepted { to } else { from }
    }

    /// What a proposal is accepted with, or 1 if that is less.
    fn ratio(&self, from: u32, to: u32) -> f64 {
        let density = |v: u32| {
            let (mantissa, v) = (self.density(v), v as usize);
            self.exponents.get(v).map_or(Wide::from_f64(mantissa), |&exponent| Wide { mantissa, exponent })
        };
        let network = &*self.draws.network;
        let there = network.weight(from as usize, to as usize);
        let back = if network.is_directed() { network.weight(to as usize, from as usize) } else { there };
        if back == 0.0 || density(to) == Wide::ZERO {
            return 0.0;
        }
        density(to).over(density(from)).times(Wide::from_f64(back)).over(Wide::from_f64(there)).relative_to(0)
    }

    /// The probability of a move from `from` to `to`.
    pub(super) fn probability(&self, from: u32, to: u32) -> f64 {
        let rows = self.draws.network.rows();
        let moving = if self.lazy { 0.5 } else { 1.0 };
        let strength = rows.strength(from as usize);
        let leave = |to: u32, weight: f64| moving * weight / strength * self.ratio(from, to).min(1.0);
        if to != from {
            return match rows.weight(from as usize, to as usize) {
                0.0 => 0.0,
                weight => leave(to, weight),
            };
        }
        let others = rows.entries(from as usize).filter(|entry| entry.0 != from);
        1.0 - others.map(|(to, weight)| leave(to, weight)).sum::<f64>()
    }
}

/// Whether an undirected network is bipartite, if it is connected.
fn is_whole_and_bipartite(network: &Network) -> Result<bool> {
    let parts = network.components();
    match (&parts.sizes[..], &parts.bipartite[..]) {
        ([], _) => Ok(true),
        ([_], [bipartite]) => Ok(*bipartite),
        (sizes, _) => Err(unreached(network, sizes[parts.labels[0] as usize] as usize, network.nodes(), 0)),
    }
}

/// Whether the edges that a pivot moves along are bipartite, if it can reach all nodes that are possible by
/// them.
fn is_bipartite(network: &Network, possible: &[bool]) -> Result<bool> {
    let mut sides = vec![None; possible.len()];
    let Some(start) = possible.iter().position(|possible| *possible) else {
        return Ok(true);
    };
    let (mut bipartite, mut queue) = (true, vec![start]);
    sides[start] = Some(false);
    let mut at = 0;
    while let Some(&u) = queue.get(at) {
        at += 1;
        for &v in network.neighbors(u) {
            let v = v as usize;
            if !possible[v] || network.is_directed() && network.weight(v, u) == 0.0 {
                continue;
            }
            if sides[v].is_none() {
                sides[v] = sides[u].map(|side: bool| !side);
                queue.push(v);
            } else if sides[v] == sides[u] {
                bipartite = false;
            }
        }
    }
    let pivots = possible.iter().filter(|possible| **possible).count();
    if queue.len() == pivots {
        return Ok(bipartite);
    }
    Err(unreached(network, queue.len(), pivots, start))
}

/// What is wrong when a pivot does not reach all nodes.
fn unreached(network: &Network, reached: usize, pivots: usize, start: usize) -> Error {
    let reached = format!("{reached} of {pivots} nodes are reached from node {}", network.ids().name(start));
    let (value, advice) = if network.is_directed() {
        (
            format!("one where {reached} along edges that go both ways"),
            "a pivot moves along those alone and must reach every node that it can be at: the exact sampler needs no such edges",
        )
    } else {
        (
            format!("one where {reached}"),
            "a pivot moves along edges and must reach every node that it can be at: take the largest component, or the exact sampler",
        )
    };
    Error::parameter("the network", value, advice)
}
