//! The Glauber chain: one node of a homomorphism at a time is redrawn given the others.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `x(v)`, `v ∈ [k]` | the state | the paper's Glauber chain; docs/maths.md, Homomorphisms |
//! | `Π_{(u,v) ∈ F} A(x(u), w) Π_{(v,u) ∈ F} A(w, x(u))` | [`Glauber::conditional`] | the law of the new `x(v) = w`, up to a constant |
//! | edges of `F` at `v` | [`Tie`] | each counts once, in its direction |
//!
//! Valid for every motif, and for weighted and directed networks. Candidates are common neighbors of the
//! nodes around `v`: the reference goes through the shortest of the rows and looks each entry up in the
//! others, twice: once for the sum of the weights, once for the draw.
//!
//! A draw need not know all candidates: an entry of the shortest row at random is one of them, uniformly, if
//! it is in the other rows; where there are weights it is then accepted with the product of them, each over
//! the largest of its row. Only when [`most_tries`] of these have failed the reference decides. A try that
//! succeeds has the conditional law, and so has the reference, whenever it is asked: so has their mixture,
//! but for what a try is off. Chains and cycles in undirected networks without weights have a file of their
//! own, `glauber_chain.rs`.
//!
//! A word of the generator gives the node of the motif and the first entry; every further try takes another
//! one. No outcome of a word is off its probability by more than 2⁻⁶⁴. Acceptance of a weight takes a word
//! more, of which 53 bits are used, so that each try is off by at most 2⁻⁵³.
//!
//! Each edge of the motif counts once, as it is given: with a symmetrized motif the weights of undirected
//! networks would be squared.

use super::super::Chain;
use super::super::diagnostics::Acceptance;
use super::connectedness::{Connectedness, connectedness};
use super::glauber_chain::Pairs;
use super::search::{STEPS, homomorphism, settled};
use super::{ExactSampler, Motif, MotifSampler};
use crate::Result;
use crate::data::{Adjacency, Network, Rows};
use crate::rng::{digit, fraction, uniform};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::sync::{Arc, OnceLock};

/// Tries before the reference decides. On the Facebook network of SNAP, with a chain of 21 nodes, 0.5 % of
/// all updates need more.
const TRIES: u32 = 16;

/// The same for a row: to go through a long one takes longer than some tries. (With 16 tries alone an update
/// of a chain in the Twitter network of SNAP took 2.6 µs, with these 0.18.)
#[inline(always)]
pub(super) fn most_tries(tries: u32, row: usize) -> u32 {
    tries + (row / 8) as u32
}

/// Most bytes of exact draws for the sake of a start.
const EXACT_BYTES: usize = 1 << 30;

/// Products of weights between 2 to the minus this and 2 to this are numbers, and so are the sums of a row of
/// them.
const REACH: f64 = 960.0;

/// An edge of the motif, seen from one of its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tie {
    /// The other end.
    pub(super) node: u32,
    /// Whether the edge comes from there, so that `A(x(node), w)` counts; else `A(w, x(node))` does.
    pub(super) inward: bool,
}

/// The Glauber chain of a motif in a network. A step is one update of one node of the motif.
///
/// A node `v` of the motif is chosen uniformly, and its place drawn with probability proportional to
/// `Π_{(u,v) ∈ F} A(x(u), ·) Π_{(v,u) ∈ F} A(·, x(u))`; `π(x) ∝ Π A(x(i),x(j))` is stationary.
///
/// Every update is a draw from the conditional law and accepted. Which homomorphisms can be reached is given
/// by [`Glauber::connectedness`].
#[derive(Clone, Debug)]
pub(crate) struct Glauber {
    network: Arc<Network>,
    motif: Motif,
    /// The ties of node `v` are at `starts[v]..starts[v + 1]`.
    starts: Vec<usize>,
    ties: Vec<Tie>,
    adjacency: Adjacency,
    /// Of a weighted network the largest weight of each row of `A`, and of `Aᵀ` if it is directed.
    largest: [Vec<f64>; 2],
    pairs: Option<Pairs>,
    tries: u32,
    /// The largest `|log₂ A(u,v)|`.
    reach: f64,
    /// A homomorphism that was found, for the start when no other is.
    found: Vec<u32>,
    /// Draws the start, where the motif is a tree; made when first asked for.
    exact: OnceLock<Option<ExactSampler>>,
}

impl Glauber {
    /// The chain of a motif in a network.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no homomorphism, with the reason, and when
    /// none was found.
    #[cfg(test)]
    pub(crate) fn new(network: Arc<Network>, motif: Motif) -> Result<Self> {
        Self::within(network, motif, None)
    }

    /// The same with a test of adjacency of at most `memory` bytes, if given.
    pub(super) fn within(network: Arc<Network>, motif: Motif, memory: Option<usize>) -> Result<Self> {
        let found = homomorphism(&network, &motif, false, STEPS, &mut settled())?;
        let k = motif.k();
        let mut starts = vec![0; k + 1];
        motif.edges().iter().flat_map(|&(i, j)| [i, j]).for_each(|i| starts[i as usize + 1] += 1);
        (0..k).for_each(|i| starts[i + 1] += starts[i]);
        let (mut free, mut ties) = (starts.clone(), vec![Tie { node: 0, inward: true }; starts[k]]);
        for &(from, to) in motif.edges() {
            for (end, node, inward) in [(to, from, true), (from, to, false)] {
                ties[free[end as usize]] = Tie { node, inward };
                free[end as usize] += 1;
            }
        }
        let adjacency = Adjacency::of_bytes(&network, memory);
        let pairs = Pairs::new(&network, &adjacency, &starts, &ties);
        let largest = |rows: &Rows| {
            let of = |v| rows.weights(v).map(|row| row.iter().copied().fold(0.0, f64::max));
            (0..rows.len()).map_while(of).collect::<Vec<_>>()
        };
        let outward = if network.is_directed() { largest(network.incoming()) } else { Vec::new() };
        let largest = [largest(network.rows()), outward];
        let weights = network.rows().weights.as_deref().unwrap_or(&[]);
        let reach = weights.iter().map(|weight| weight.log2().abs()).fold(0.0, f64::max);
        let exact = OnceLock::new();
        Ok(Self {
            network,
            motif,
            starts,
            ties,
            adjacency,
            largest,
            pairs,
            tries: TRIES,
            reach,
            found,
            exact,
        })
    }

    /// Whether every homomorphism can be reached from every other.
    pub(crate) fn connectedness(&self) -> Connectedness {
        connectedness(&self.network, &self.motif)
    }

    /// The law of the new `x(v)` given the others: nodes, ascending, with their probabilities. Empty when no
    /// node fits, which does not happen to a homomorphism.
    pub(crate) fn conditional(&self, x: &[u32], v: usize) -> Vec<(u32, f64)> {
        let mut law = Vec::new();
        if self.ties(v).is_empty() {
            let n = self.network.nodes() as u32;
            law.extend((0..n).map(|w| (w, 1.0 / f64::from(n))));
            return law;
        }
        self.each_weight(x, v, |w, weight| law.push((w, weight)));
        let total: f64 = law.iter().map(|(_, weight)| weight).sum();
        law.iter_mut().for_each(|(_, weight)| *weight /= total);
        law
    }

    fn exact(&self) -> Option<ExactSampler> {
        Self::start_bytes(&self.network, &self.motif)?;
        ExactSampler::new(Arc::clone(&self.network), &self.motif).ok()
    }

    /// Bytes of exact draws for the start; none where it is searched for.
    fn start_bytes(network: &Network, motif: &Motif) -> Option<usize> {
        ExactSampler::bytes_needed(network, motif).ok().filter(|bytes| *bytes <= EXACT_BYTES)
    }

    /// The most bytes that it would take in addition to the network and its [`Adjacency`].
    pub(crate) fn bytes_needed(network: &Network, motif: &Motif) -> usize {
        // Where rows start and how long they are; or the largest weight of each, in both directions.
        let largest = if network.is_weighted() { 16 } else { 0 };
        Self::start_bytes(network, motif).unwrap_or(0) + (8 + largest) * network.nodes()
    }

    fn ties(&self, v: usize) -> &[Tie] {
        &self.ties[self.starts[v]..self.starts[v + 1]]
    }

    /// The rows of what fits an end of a tie.
    fn rows(&self, tie: Tie) -> &Rows {
        if tie.inward { self.network.rows() } else { self.network.incoming() }
    }

    /// The tie with the shortest row.
    fn shortest(&self, x: &[u32], v: usize) -> Option<usize> {
        let degree = |tie: Tie| self.rows(tie).degree(x[tie.node as usize] as usize);
        let ties = self.ties(v);
        (0..ties.len()).min_by_key(|&t| degree(ties[t]))
    }

    /// Goes through the nodes that fit at `v`, ascending, with what `fold` makes of their weights.
    fn each_candidate(
        &self,
        x: &[u32],
        v: usize,
        start: f64,
        fold: impl Fn(f64, f64) -> f64,
        mut each: impl FnMut(u32, f64),
    ) {
        let ties = self.ties(v);
        let Some(shortest) = self.shortest(x, v) else { return };
        let at = |tie: Tie| x[tie.node as usize] as usize;
        'candidates: for (w, weight) in self.rows(ties[shortest]).entries(at(ties[shortest])) {
            let mut value = fold(start, weight);
            for (_, &tie) in ties.iter().enumerate().filter(|(t, _)| *t != shortest) {
                let weight = self.rows(tie).weight(at(tie), w as usize);
                if weight == 0.0 {
                    continue 'candidates;
                }
                value = fold(value, weight);
            }
            each(w, value);
        }
    }

    /// Goes through the nodes that fit at `v`, ascending, with their weights up to a common factor.
    fn each_weight(&self, x: &[u32], v: usize, mut each: impl FnMut(u32, f64)) {
        if self.ties(v).len() as f64 * self.reach <= REACH {
            return self.each_candidate(x, v, 1.0, |product, weight| product * weight, each);
        }
        // Products of many weights leave what numbers can hold, their logarithms do not.
        let add = |sum: f64, weight: f64| sum + weight.ln();
        let mut largest = f64::NEG_INFINITY;
        self.each_candidate(x, v, 0.0, add, |_, log| largest = largest.max(log));
        self.each_candidate(x, v, 0.0, add, |w, log| each(w, (log - largest).exp()));
    }

    /// The reference: a draw from the conditional law by a random word; none when no node fits.
    fn draw(&self, x: &[u32], v: usize, word: u64) -> Option<u32> {
        let mut total = 0.0;
        self.each_weight(x, v, |_, weight| total += weight);
        let (mut left, mut drawn) = (fraction(word) * total, None);
        self.each_weight(x, v, |w, weight| {
            // Rounding may leave something over: then it is the last one with a weight.
            if left >= 0.0 && weight > 0.0 {
                drawn = Some(w);
                left -= weight;
            }
        });
        drawn
    }

    /// Whether a node that fits is taken, by its weights.
    fn accepts(&self, x: &[u32], v: usize, w: u32, rng: &mut ChaCha8Rng) -> bool {
        if !self.network.is_weighted() {
            return true;
        }
        let mut left = 1.0;
        let threshold = uniform(rng);
        self.ties(v).iter().all(|&tie| {
            let u = x[tie.node as usize] as usize;
            let way = usize::from(!tie.inward && self.network.is_directed());
            left *= self.rows(tie).weight(u, w as usize) / self.largest[way][u];
            threshold < left
        })
    }

    /// A draw from the conditional law by tries, and by the reference when they fail; none when no node fits.
    fn draw_by_tries(&self, x: &[u32], v: usize, mut word: u64, rng: &mut ChaCha8Rng) -> Option<u32> {
        let ties = self.ties(v);
        let shortest = self.shortest(x, v)?;
        let at = |tie: Tie| x[tie.node as usize];
        let row = self.rows(ties[shortest]).neighbors(at(ties[shortest]) as usize);
        let fits = |w: u32| {
            ties.iter().enumerate().all(|(t, &tie)| {
                let (from, to) = if tie.inward { (at(tie), w) } else { (w, at(tie)) };
                t == shortest || self.adjacency.contains(from, to)
            })
        };
        if row.is_empty() {
            return None;
        }
        for _ in 0..most_tries(self.tries, row.len()) {
            let w = row[digit(&mut word, row.len())];
            if fits(w) && self.accepts(x, v, w, rng) {
                return Some(w);
            }
            word = rng.next_u64();
        }
        if self.network.is_weighted() { self.draw(x, v, word) } else { one_of(row, fits, word) }
    }

    /// An update for any motif and network.
    fn update(&self, x: &mut [u32], rng: &mut ChaCha8Rng) {
        let mut word = rng.next_u64();
        let v = digit(&mut word, self.motif.k());
        let drawn = if self.ties(v).is_empty() {
            Some(digit(&mut word, self.network.nodes()) as u32)
        } else {
            self.draw_by_tries(x, v, word, rng)
        };
        if let Some(w) = drawn {
            x[v] = w;
        }
    }
}

/// Uniformly one of the entries that fit; none when none does.
pub(super) fn one_of(row: &[u32], fits: impl Fn(u32) -> bool, mut word: u64) -> Option<u32> {
    // As many as this are kept on the way, so that a second one is seldom needed.
    let (mut first, mut count) = ([0; 64], 0);
    for &w in row.iter().filter(|w| fits(**w)) {
        if let Some(place) = first.get_mut(count) {
            *place = w;
        }
        count += 1;
    }
    let chosen = digit(&mut word, count);
    if count <= first.len() {
        return (count > 0).then(|| first[chosen]);
    }
    row.iter().copied().filter(|w| fits(*w)).nth(chosen)
}

impl Chain for Glauber {
    type State = Vec<u32>;
    type Info = Acceptance;

    /// A draw from the law `π` where the motif is a tree, unless that would take more than a gigabyte; else
    /// one by search, whose law is another one.
    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        if let Some(exact) = self.exact.get_or_init(|| self.exact()) {
            return exact.init(rng);
        }
        homomorphism(&self.network, &self.motif, false, STEPS, rng).unwrap_or_else(|_| self.found.clone())
    }

    fn step(&self, state: &mut Vec<u32>, rng: &mut ChaCha8Rng) -> Acceptance {
        self.steps(state, 1, rng)
    }

    fn steps(&self, state: &mut Vec<u32>, count: u64, rng: &mut ChaCha8Rng) -> Acceptance {
        match &self.pairs {
            Some(pairs) => pairs.updates(state, count, self.tries, rng),
            None => (0..count).for_each(|_| self.update(state, rng)),
        }
        Acceptance { accepted: count, proposed: count }
    }
}

impl MotifSampler for Glauber {
    fn motif(&self) -> &Motif {
        &self.motif
    }

    fn network(&self) -> &Network {
        &self.network
    }

    fn notes(&self) -> Vec<String> {
        let reach = self.connectedness();
        if reach == Connectedness::Irreducible { Vec::new() } else { vec![reach.to_string()] }
    }

    fn probability(&self, from: &[u32], to: &[u32]) -> f64 {
        let k = self.motif.k();
        let differ: Vec<usize> = (0..k).filter(|&v| from[v] != to[v]).collect();
        let of = |v: usize| {
            let law = self.conditional(from, v);
            // A node that nothing fits stays.
            let stays = f64::from(u8::from(law.is_empty() && from[v] == to[v]));
            law.iter().find(|(w, _)| *w == to[v]).map_or(stays, |(_, p)| *p) / k as f64
        };
        match differ[..] {
            [] => (0..k).map(of).sum(),
            [v] => of(v),
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{ChiSquared, check, check_from, check_transitions, tiny_motifs, tiny_networks};
    use super::*;
    use crate::data::{Build, Loops, NodeIds};
    use crate::rng::{Purpose, below, stream};

    fn seed(usual: u64) -> u64 {
        std::env::var("SEED").map_or(usual, |seed| seed.parse().unwrap())
    }

    /// All cases of tiny networks and motifs that have a homomorphism.
    fn each_case(mut each: impl FnMut(&str, Glauber)) {
        for (network_name, network) in tiny_networks() {
            for (motif_name, motif) in tiny_motifs() {
                if let Ok(glauber) = Glauber::new(Arc::clone(&network), motif) {
                    each(&format!("{motif_name} in {network_name}"), glauber);
                }
            }
        }
    }

    #[test]
    fn the_law_is_stationary_and_what_is_said_of_the_classes_is_true() {
        let mut seen = [0; 4];
        let mut unknown_of_one_class = 0;
        each_case(|case, glauber| {
            let Some(checked) = check(&glauber) else { return };
            checked.assert_stationary(case);
            assert_eq!(checked.period, 1, "{case}: a node may always stay");
            match glauber.connectedness() {
                Connectedness::Irreducible => {
                    assert_eq!(checked.classes, 1, "{case}");
                    seen[0] += 1;
                }
                Connectedness::TwoClasses => {
                    assert_eq!(checked.classes, 2, "{case}");
                    seen[1] += 1;
                }
                Connectedness::Several(classes) => {
                    assert_eq!(checked.classes as u64, classes, "{case}");
                    seen[2] += 1;
                }
                Connectedness::Unknown => {
                    seen[3] += 1;
                    unknown_of_one_class += i32::from(checked.classes == 1);
                }
            }
        });
        assert!(seen.iter().all(|count| *count > 3), "{seen:?}");
        assert!((1..seen[3]).contains(&unknown_of_one_class), "unknown may be either");
    }

    #[test]
    fn steps_follow_the_rows_of_the_matrix_with_and_without_tries() {
        let mut chi2 = ChiSquared::default();
        let mut rng = stream(seed(41), Purpose::Chain, 0);
        each_case(|case, mut glauber| {
            let Some(checked) = check(&glauber) else { return };
            for (tries, pairs) in
                [(TRIES, true), (1, true), (0, true), (TRIES, false), (1, false), (0, false)]
            {
                glauber.tries = tries;
                if !pairs && glauber.pairs.take().is_none() && tries == TRIES {
                    // Has been looked at already.
                    return;
                }
                // A run, and steps from one state: of many states none is visited often enough by a short
                // run.
                let from = below(&mut rng, checked.states.len() as u64) as usize;
                for one in [
                    check_transitions(&glauber, &checked, &mut rng, 3_000, 0),
                    check_from(&glauber, &checked, &mut rng, from, 3_000, 0),
                ] {
                    one.assert(case);
                    chi2.merge(one);
                }
            }
        });
        assert!(chi2.freedom > 1000.0);
        chi2.assert("all together");
    }

    #[test]
    fn the_reference_draws_from_the_conditional_law() {
        let mut chi2 = ChiSquared::default();
        let mut rng = stream(seed(42), Purpose::Chain, 0);
        each_case(|_, glauber| {
            if glauber.motif.k() == 1 {
                return;
            }
            let x = glauber.init(&mut rng);
            for v in 0..x.len() {
                let law = glauber.conditional(&x, v);
                let mut counts = vec![0; law.len()];
                for _ in 0..1_000 {
                    let drawn = glauber.draw(&x, v, rng.next_u64()).unwrap();
                    counts[law.iter().position(|(w, _)| *w == drawn).unwrap()] += 1;
                }
                chi2.add(&counts, &law.iter().map(|(_, p)| *p).collect::<Vec<_>>());
            }
        });
        assert!(chi2.freedom > 300.0);
        chi2.assert("reference");
    }

    #[test]
    fn fast_updates_have_the_states_and_random_numbers_of_general_ones() {
        let mut rng = stream(43, Purpose::Chain, 0);
        each_case(|case, fast| {
            for tries in [0, 1, TRIES] {
                let fast = Glauber { tries, ..fast.clone() };
                let general = Glauber { pairs: None, ..fast.clone() };
                let mut x = fast.init(&mut rng);
                let mut y = x.clone();
                let mut other = rng.clone();
                let info = fast.steps(&mut x, 200, &mut rng);
                (0..200).for_each(|_| {
                    general.step(&mut y, &mut other);
                });
                assert_eq!((&x, rng.get_word_pos()), (&y, other.get_word_pos()), "{case}");
                assert_eq!((info.accepted, info.proposed), (200, 200));
            }
        });
    }

    #[test]
    fn one_of_many_or_few_is_uniform() {
        let row: Vec<u32> = (0..300).collect();
        for step in [1, 3, 10, 301] {
            let fits = |w: u32| (w + 1).is_multiple_of(step);
            let count = row.iter().filter(|w| fits(**w)).count() as u64;
            let drawn: Vec<u32> =
                (0..count).map(|i| one_of(&row, fits, (u64::MAX / count) * i + (1 << 40)).unwrap()).collect();
            assert!(drawn.iter().copied().eq(row.iter().copied().filter(|w| fits(*w))), "{drawn:?}");
        }
        assert_eq!(one_of(&row, |_| false, 77), None);
    }

    #[test]
    fn products_of_many_weights_neither_vanish_nor_overflow() {
        for scale in [1e-30, 1e30] {
            let edges = [(0, 1, scale), (1, 2, 1.5 * scale), (2, 0, scale), (2, 3, scale)];
            let (network, _) = Network::build(NodeIds::numbered(4), &edges, true, Build::default()).unwrap();
            let glauber = Glauber::new(network.into(), Motif::star(41).unwrap()).unwrap();
            let mut x = vec![1; 41];
            x[0] = 0;
            // The center may be at 0 or, with a weight larger by 1.5⁴⁰, at 2.
            let law = glauber.conditional(&x, 0);
            assert_eq!(law.iter().map(|(w, _)| *w).collect::<Vec<_>>(), [0, 2]);
            // Logarithms of some thousands have lost three digits.
            assert!((law[0].1 * 1.5f64.powi(40) / law[1].1 - 1.0).abs() < 1e-10);
            assert_eq!(glauber.draw(&x, 0, u64::MAX / 2), Some(2));
            assert_eq!(glauber.draw(&x, 0, 0), Some(0));
        }
    }

    #[test]
    fn states_that_are_no_homomorphisms_stay_where_nothing_fits() {
        // Isolated start: node 3 has no edge.
        let build = Build { directed: false, loops: Loops::Drop };
        for weight in [1.0, 2.0] {
            let edges = [(0, 1, weight), (1, 2, 1.0), (2, 0, 1.0)];
            let (network, _) = Network::build(NodeIds::numbered(4), &edges, true, build).unwrap();
            let glauber = Glauber::new(network.into(), Motif::path(3).unwrap()).unwrap();
            let mut rng = stream(44, Purpose::Chain, 0);
            let mut x = vec![3; 3];
            glauber.steps(&mut x, 100, &mut rng);
            assert_eq!(x, [3; 3]);
            assert_eq!(glauber.probability(&x, &x), 1.0);
            for _ in 0..50 {
                assert!(!glauber.init(&mut rng).contains(&3));
            }
        }
    }
}
