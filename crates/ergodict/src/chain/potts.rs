//! The Potts model on a lattice, by random-scan heat bath.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `Y_t` | the labels, `Vec<i8>` | docs/maths.md, Chains |
//! | `q` | `states` | docs/maths.md, Chains |
//! | `T`, `J`, `h` | `temperature`, `coupling`, `field` | as for Ising |
//! | `H(x) = −J Σ_bonds 1[x_u = x_v] − h Σ_v 1[x_v = 0]` | [`SpinSystem::energy`] | |
//! | `π(x) ∝ exp(−H(x)/T)` | kept by [`Chain::step`] | |
//! | `P(x_v = k given the rest) ∝ exp((J n_k + h 1[k = 0])/T)` | [`Potts::transitions`] | `n_k` neighbors have label k |
//!
//! The paper only names the model. With q = 2, coupling 2J and field 2h it is the Ising model with coupling J and field h,
//! label 0 being spin +1.
//!
//! Only the labels of the neighbors and label 0 differ in weight from the others. Which of these five are alike decides
//! the weights of all, so the exponentials are taken once, in a table by that pattern.

use super::cluster::{Bonds, ClusterModel, ClusterSizes};
use super::neighborhood::{Around, Neighborhood};
use super::spins::{check_energy, check_temperature};
use super::{Alphabet, Chain, Lattice, MOST_LABELS, SpinSystem};
use crate::rng::{below, digit, fraction};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Places of a label to choose from: those of up to four neighbors, and label 0, which the field favors. All other labels
/// weigh the same.
pub(super) const PLACES: usize = 5;

/// Labels at the places when there are no neighbors: none that is anywhere, no two alike, and 0.
pub(super) const NOBODY: [i8; PLACES] = [-1, -2, -3, -4, 0];

/// Which of the places hold the same label, a bit for each of ten pairs, and how many neighbors there are.
const PATTERNS: usize = 5 << 10;

/// The chain: a site is chosen uniformly and its label redrawn, given the neighbors.
///
/// Labels `0..q` with energy `H(x) = −J Σ_bonds 1[x_u = x_v] − h Σ_v 1[x_v = 0]` and law `π(x) ∝ exp(−H(x)/T)`.
///
/// ```
/// use ergodict::{chain::{Boundary, Chain, Lattice, Potts, SpinSystem}, rng};
/// let potts = Potts::new(Lattice::new(16, 16, Boundary::Periodic)?, 3, 0.2, 1.0, 0.0)?;
/// let mut rng = rng::stream(0, rng::Purpose::Chain, 0);
/// let mut state = potts.init(&mut rng);
/// let before = potts.energy(&state);
/// potts.steps(&mut state, 10_000, &mut rng);
/// assert!(potts.energy(&state) < before);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Potts {
    lattice: Lattice,
    around: Around,
    states: usize,
    temperature: f64,
    coupling: f64,
    field: f64,
    /// Cumulative probabilities of the places, by pattern; what is missing to one is left to the other labels.
    tables: Vec<[f64; PLACES]>,
}

impl Potts {
    /// `states` labels at the sites of `lattice`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there are 2 to 128 states, the temperature is positive, and coupling and field are
    /// finite and not so large that energies can overflow.
    pub fn new(lattice: Lattice, states: usize, temperature: f64, coupling: f64, field: f64) -> Result<Self> {
        if !(2..=usize::from(MOST_LABELS)).contains(&states) {
            let expected = format!("it must be 2 to {MOST_LABELS}");
            return Err(Error::parameter("the number of states", states, expected));
        }
        check_temperature(temperature)?;
        let sites = lattice.sites() as f64;
        check_energy("coupling and field", sites * (2.0 * coupling.abs() + field.abs()))?;
        let mut potts = Self {
            lattice,
            around: Around::new(lattice, Neighborhood::Four),
            states,
            temperature,
            coupling,
            field,
            tables: vec![[0.0; PLACES]; PATTERNS],
        };
        for count in 0..=4 {
            for labels in potts.patterns(count) {
                potts.tables[pattern(labels, count)] = potts.cumulate(labels, count, temperature);
            }
        }
        Ok(potts)
    }

    /// Labels at the places for every pattern of `count` neighbors; five are enough.
    pub(super) fn patterns(&self, count: usize) -> impl Iterator<Item = [i8; PLACES]> + use<> {
        let kinds = self.states.min(5);
        (0..kinds.pow(count as u32)).map(move |index| {
            let mut labels = NOBODY;
            (0..count).for_each(|k| labels[k] = (index / kinds.pow(k as u32) % kinds) as i8);
            labels
        })
    }

    /// The lattice.
    pub(super) fn on(&self) -> Lattice {
        self.lattice
    }

    /// Cumulative probabilities of the places in a pattern.
    #[inline]
    pub(super) fn cumulative(&self, pattern: usize) -> &[f64; PLACES] {
        &self.tables[pattern]
    }

    /// Cumulative probabilities of the places, where each label counts at the first place that holds it.
    fn cumulate(&self, labels: [i8; PLACES], count: usize, temperature: f64) -> [f64; PLACES] {
        let gain = |label: i8| {
            let alike = labels[..count].iter().filter(|l| **l == label).count();
            self.coupling * alike as f64 + if label == 0 { self.field } else { 0.0 }
        };
        let first = |k: usize| labels[k] >= 0 && !labels[..k].contains(&labels[k]);
        let firsts: Vec<usize> = (0..PLACES).filter(|k| first(*k)).collect();
        let others = self.others(present(labels));
        // Next to the greatest, nothing overflows and not everything is 0, at any temperature.
        let none = if others > 0 { 0.0 } else { f64::NEG_INFINITY };
        let top = firsts.iter().map(|k| gain(labels[*k])).fold(none, f64::max);
        let weight = |gain: f64| ((gain - top) / temperature).exp();
        let rest = if others > 0 { others as f64 * weight(0.0) } else { 0.0 };
        let total = rest + firsts.iter().map(|k| weight(gain(labels[*k]))).sum::<f64>();
        let mut sum = 0.0;
        let mut table = std::array::from_fn(|k| {
            sum += if firsts.contains(&k) { weight(gain(labels[k])) } else { 0.0 };
            (sum / total).min(1.0)
        });
        if rest == 0.0 {
            // Rounding must not leave anything where there is nothing more to choose.
            let last = firsts.iter().rposition(|k| weight(gain(labels[*k])) > 0.0).map_or(0, |at| firsts[at]);
            table[last..].fill(1.0);
        }
        table
    }

    /// The probability of each change that a step can make, as site, new label and probability. What is missing to one is
    /// the probability that nothing changes.
    #[cfg(test)]
    pub(crate) fn transitions(&self, state: &[i8]) -> Vec<(usize, i8, f64)> {
        let mut changes = Vec::with_capacity(self.lattice.sites() * (self.states - 1));
        let cols = self.lattice.cols();
        for (site, old) in state.iter().enumerate() {
            let (labels, table) = self.look(state, site / cols, site % cols);
            for label in (0..self.states).map(|label| label as i8).filter(|label| label != old) {
                let probability = match labels.iter().position(|l| *l == label) {
                    Some(0) => table[0],
                    Some(k) => table[k] - table[k - 1],
                    None => (1.0 - table[PLACES - 1]) / self.others(present(labels)) as f64,
                };
                changes.push((site, label, probability / self.lattice.sites() as f64));
            }
        }
        changes
    }

    /// The labels at the places around a site, and their cumulative probabilities.
    #[inline]
    pub(super) fn look(&self, spins: &[i8], row: usize, col: usize) -> ([i8; PLACES], &[f64; PLACES]) {
        let mut around = [0; 8];
        let count = self.around.gather(row, col, &mut around).min(4);
        let mut labels = NOBODY;
        labels.iter_mut().zip(&around[..count]).for_each(|(label, site)| *label = spins[*site]);
        (labels, self.cumulative(pattern(labels, count)))
    }

    /// The same from the labels of the neighbors above, below, left and right, negative where there is none.
    #[inline]
    pub(super) fn look_at(&self, around: [i8; 4]) -> ([i8; PLACES], &[f64; PLACES]) {
        let (mut labels, mut count) = (NOBODY, 0);
        for label in around.into_iter().filter(|label| *label >= 0) {
            labels[count] = label;
            count += 1;
        }
        (labels, self.cumulative(pattern(labels, count)))
    }

    /// The label where the cumulative probability passes `u`.
    #[inline]
    pub(super) fn pick(&self, (labels, table): ([i8; PLACES], &[f64; PLACES]), u: f64) -> i8 {
        let place: usize = table.iter().map(|t| usize::from(u >= *t)).sum();
        if place < PLACES {
            return labels[place];
        }
        let mut taken = present(labels);
        let others = self.others(taken) as f64;
        let share = (u - table[PLACES - 1]) / (1.0 - table[PLACES - 1]);
        let mut label = (share * others).min(others - 1.0) as u32;
        // The labels around are left out in turn, the least first.
        while taken != 0 {
            label += u32::from(taken.trailing_zeros() <= label);
            taken &= taken - 1;
        }
        label as i8
    }

    fn others(&self, present: u128) -> usize {
        self.states - present.count_ones() as usize
    }
}

/// Index of the table for labels of which the first `count` are those of neighbors.
#[inline]
pub(super) fn pattern(labels: [i8; PLACES], count: usize) -> usize {
    let mut bits = count;
    for k in 1..PLACES {
        for earlier in 0..k {
            bits = bits << 1 | usize::from(labels[k] == labels[earlier]);
        }
    }
    bits
}

/// The labels that are there, as bits.
#[inline]
fn present(labels: [i8; PLACES]) -> u128 {
    labels.iter().fold(0, |bits, label| bits | u128::from(*label >= 0) << (label & i8::MAX))
}

impl Chain for Potts {
    type State = Vec<i8>;
    type Info = ();

    /// Every label uniformly at random.
    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<i8> {
        (0..self.lattice.sites()).map(|_| below(rng, self.states as u64) as i8).collect()
    }

    /// Redraws the label of one site from one random word: row, column and choice are its digits.
    #[inline]
    fn step(&self, state: &mut Vec<i8>, rng: &mut ChaCha8Rng) {
        let mut word = rng.next_u64();
        let (row, col) = (digit(&mut word, self.lattice.rows()), digit(&mut word, self.lattice.cols()));
        state[row * self.lattice.cols() + col] = self.pick(self.look(state, row, col), fraction(word));
    }
}

impl SpinSystem for Potts {
    type Value = i8;

    fn shape(&self) -> (usize, usize) {
        self.lattice.shape()
    }
    fn lattice(&self) -> Option<Lattice> {
        Some(self.lattice)
    }
    fn alphabet(&self) -> Alphabet {
        Alphabet::Labels(self.states as u8)
    }
    fn spins<'a>(&self, state: &'a Vec<i8>) -> &'a [i8] {
        state
    }
    fn state(&self, spins: &[i8]) -> Result<Vec<i8>> {
        self.alphabet().check(spins, self.lattice.sites())?;
        Ok(spins.to_vec())
    }
    /// `H(x)`; the bonds of a site with itself, on a torus with a side of 1, add a constant.
    fn energy(&self, state: &Vec<i8>) -> f64 {
        let equal = self.lattice.over_bonds(state, |a, b| i32::from(a == b));
        let first = state.iter().filter(|x| **x == 0).count();
        -self.coupling * equal as f64 - self.field * first as f64
    }
    fn bond_clusters(&self, state: &Vec<i8>, rng: &mut ChaCha8Rng) -> Option<ClusterSizes> {
        Some(self.bonds().ok()?.clusters(state, rng).sizes())
    }
}

impl ClusterModel for Potts {
    fn bonds(&self) -> Result<Bonds> {
        if self.coupling < 0.0 {
            let expected = "clusters of a Potts model need one that is not negative (use the random scan)";
            return Err(Error::parameter("the coupling", self.coupling, expected));
        }
        Ok(Bonds::of_lattice(self.lattice, self.coupling / self.temperature))
    }
    fn pull(&self, _: usize) -> f64 {
        self.field / self.temperature
    }
    fn has_field(&self) -> bool {
        self.field != 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::Boundary;
    use super::*;

    #[test]
    fn choices_go_through_every_label_in_proportion_to_its_weight() {
        let lattice = Lattice::new(3, 3, Boundary::Free).unwrap();
        let potts = Potts::new(lattice, 7, 0.8, 0.5, 0.3).unwrap();
        // Neighbors of the middle: 5, 2, 2, 6.
        let look = potts.look(&[0, 5, 0, 2, 1, 2, 0, 6, 0], 1, 1);
        let weight = |label: i8| match label {
            2 => (1.0f64 / 0.8).exp(),
            5 | 6 => (0.5f64 / 0.8).exp(),
            0 => (0.3f64 / 0.8).exp(),
            _ => 1.0,
        };
        let total: f64 = (0..7).map(weight).sum();
        let n = 700_000;
        let mut counts = [0.0; 7];
        (0..n).for_each(|i| counts[potts.pick(look, (f64::from(i) + 0.5) / f64::from(n)) as usize] += 1.0);
        for label in 0..7 {
            let share = counts[label as usize] / f64::from(n);
            assert!((share - weight(label) / total).abs() < 2.0 / f64::from(n), "{label}: {share}");
        }
    }

    #[test]
    fn extreme_temperatures_give_probabilities() {
        let lattice = Lattice::new(3, 3, Boundary::Periodic).unwrap();
        for temperature in [1e-300, 1e-3, 1e300] {
            for coupling in [-1e3, 0.0, 1e3] {
                let potts = Potts::new(lattice, 4, temperature, coupling, -2.0).unwrap();
                let state = [0, 1, 2, 3, 3, 2, 1, 0, 0];
                let look = potts.look(&state, 1, 1);
                assert!(look.1.is_sorted() && look.1.iter().all(|p| (0.0..=1.0).contains(p)));
                for u in [0.0, 0.5, 1.0 - f64::EPSILON] {
                    assert!((0..4).contains(&potts.pick(look, u)));
                }
                assert!(potts.transitions(&state).iter().all(|(_, _, p)| (0.0..=1.0).contains(p)));
            }
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        let lattice = Lattice::new(3, 3, Boundary::Periodic).unwrap();
        for (q, t, j, h) in [
            (1, 1.0, 1.0, 0.0),
            (200, 1.0, 1.0, 0.0),
            (3, 0.0, 1.0, 0.0),
            (3, -1.0, 1.0, 0.0),
            (3, f64::NAN, 1.0, 0.0),
            (3, f64::INFINITY, 1.0, 0.0),
            (3, 1.0, f64::NAN, 0.0),
            (3, 1.0, f64::MAX, 0.0),
            (3, 1.0, 1.0, f64::INFINITY),
        ] {
            assert!(Potts::new(lattice, q, t, j, h).is_err(), "{q} {t} {j} {h}");
        }
        let potts = Potts::new(lattice, 3, 1.0, 1.0, 0.0).unwrap();
        for spins in [&[0i8; 8][..], &[3; 9], &[-1; 9]] {
            assert!(potts.state(spins).is_err(), "{spins:?}");
        }
        assert!(potts.state(&[2; 9]).is_ok());
    }

    #[test]
    fn the_greatest_label_there_can_be_is_drawn_like_others() {
        let lattice = Lattice::new(3, 3, Boundary::Periodic).unwrap();
        let potts = Potts::new(lattice, usize::from(MOST_LABELS), 1.0, 1.0, 0.0).unwrap();
        let state = [127, 1, 2, 3, 127, 5, 6, 7, 127];
        assert_eq!(potts.alphabet().check(&state, 9).ok(), Some(()));
        let changes = potts.transitions(&state);
        assert_eq!(changes.len(), 9 * 127);
        let to =
            |label: i8| changes.iter().filter(move |c| c.0 == 1 && c.1 == label).map(|c| c.2).sum::<f64>();
        // Site 1 has neighbors 127, 2, 127 and 5.
        assert!((to(127) / to(2) - 1f64.exp()).abs() < 1e-12 && to(126) > 0.0);
        let look = potts.look(&state, 0, 1);
        assert_eq!(potts.pick(look, 1.0 - f64::EPSILON), 126, "the last of those not around");
    }
}
