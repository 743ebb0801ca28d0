//! The Potts model on a lattice, by random-scan heat bath.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `Y_t` | the labels, `Vec<i8>` | MATH.md 5 |
//! | `q` | `states` | MATH.md 5 |
//! | `T`, `J`, `h` | `temperature`, `coupling`, `field` | as for Ising |
//! | `H(x) = −J Σ_bonds 1[x_u = x_v] − h Σ_v 1[x_v = 0]` | [`SpinSystem::energy`] | |
//! | `π(x) ∝ exp(−H(x)/T)` | kept by [`Chain::step`] | |
//! | `P(x_v = k given the rest) ∝ exp((J n_k + h 1[k = 0])/T)` | [`Potts::transitions`] | `n_k` neighbours have label k |
//!
//! The paper only names the model. With q = 2, coupling 2J and field 2h it is the Ising model with coupling J and field h,
//! label 0 being spin +1.

use super::neighbourhood::{Around, Neighbourhood};
use super::rng::{below, digit, fraction};
use super::{Alphabet, Chain, Lattice, SpinSystem};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Kinds of labels by what decides their weight: `n` neighbours have it (0 to 4), and 5 more for label 0.
const KINDS: usize = 10;

/// The chain: a site is chosen uniformly and its label drawn anew, given the neighbours.
///
/// ```
/// use ergodict::chain::{Boundary, Chain, Lattice, Potts, SpinSystem, rng};
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
    coupling: f64,
    field: f64,
    /// `J n + h 1[k = 0]` of each kind.
    gains: [f64; KINDS],
    /// Weight of kind `k` as a share of that of kind `top`, at `[top][k]`. Where `top` is the greatest at hand, nothing
    /// overflows and not everything is 0, at any temperature.
    ratios: [[f64; KINDS]; KINDS],
}

/// The labels that differ in weight: 0 and those of the neighbours one by one, the others together.
struct Choice {
    labels: [i8; 5],
    weights: [f64; 5],
    len: usize,
    /// How many other labels there are, and the weight of each.
    others: usize,
    other: f64,
}

impl Potts {
    /// `states` labels at the sites of `lattice`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there are 2 to 127 states, the temperature is positive, and coupling and field are
    /// finite.
    pub fn new(lattice: Lattice, states: usize, temperature: f64, coupling: f64, field: f64) -> Result<Self> {
        if !(2..=127).contains(&states) {
            return Err(Error::parameter("the number of states", states, "it must be 2 to 127"));
        }
        if !(temperature.is_finite() && temperature > 0.0) {
            return Err(Error::parameter("the temperature", temperature, "it must be a positive number"));
        }
        let gains: [f64; KINDS] =
            std::array::from_fn(|k| coupling * (k % 5) as f64 + if k >= 5 { field } else { 0.0 });
        for (name, value) in [("the coupling", coupling), ("the field", field)] {
            if !value.is_finite() || gains.iter().any(|g| !g.is_finite()) {
                return Err(Error::parameter(name, value, "the energy of a site must be finite"));
            }
        }
        let ratio = |k: usize, top: usize| ((gains[k] - gains[top]) / temperature).exp();
        Ok(Self {
            lattice,
            around: Around::new(lattice, Neighbourhood::Four),
            states,
            coupling,
            field,
            gains,
            ratios: std::array::from_fn(|top| std::array::from_fn(|k| ratio(k, top))),
        })
    }

    /// Number of labels, q.
    pub fn states(&self) -> usize {
        self.states
    }

    /// The probability of each change that a step can make, as site, new label and probability. What is missing to one is
    /// the probability that nothing changes.
    pub fn transitions(&self, state: &[i8]) -> Vec<(usize, i8, f64)> {
        let mut changes = Vec::with_capacity(self.lattice.sites() * (self.states - 1));
        let cols = self.lattice.cols();
        for (site, present) in state.iter().enumerate() {
            let choice = self.choice(state, site / cols, site % cols);
            let total = choice.total() * self.lattice.sites() as f64;
            for label in (0..self.states as i8).filter(|label| label != present) {
                let known = choice.labels[..choice.len].iter().position(|l| *l == label);
                let weight = known.map_or(choice.other, |k| choice.weights[k]);
                changes.push((site, label, weight / total));
            }
        }
        changes
    }

    #[inline]
    fn choice(&self, spins: &[i8], row: usize, col: usize) -> Choice {
        let mut around = [0; 8];
        let count = self.around.gather(row, col, &mut around);
        let (mut labels, mut kinds, mut len) = ([0i8; 5], [0usize; 5], 1);
        kinds[0] = 5;
        for &neighbour in &around[..count.min(4)] {
            let label = spins[neighbour];
            let known = labels[..len].iter().position(|l| *l == label);
            let k = known.unwrap_or(len);
            labels[k] = label;
            kinds[k] += 1;
            len = len.max(k + 1);
        }
        let others = self.states - len;
        let mut top = if others > 0 { 0 } else { kinds[0] };
        for &kind in &kinds[..len] {
            if self.gains[kind] > self.gains[top] {
                top = kind;
            }
        }
        let ratios = &self.ratios[top];
        // A kind that is not at hand may weigh infinitely much beside the greatest one that is.
        let other = if others > 0 { ratios[0] } else { 0.0 };
        Choice { labels, weights: kinds.map(|kind| ratios[kind]), len, others, other }
    }
}

impl Choice {
    #[inline]
    fn total(&self) -> f64 {
        self.weights[..self.len].iter().sum::<f64>() + self.others as f64 * self.other
    }

    /// The label where the cumulative weight reaches the share `u` of the whole.
    #[inline]
    fn pick(&self, u: f64) -> i8 {
        let mut left = u * self.total();
        let mut last = 0;
        for (&label, &weight) in self.labels[..self.len].iter().zip(&self.weights) {
            if left < weight {
                return label;
            }
            left -= weight;
            last = if weight > 0.0 { label } else { last };
        }
        // Rounding can leave a little where there is nothing more to choose.
        if self.others == 0 || self.other == 0.0 {
            return last;
        }
        let mut label = ((left / self.other) as i8).min(self.others as i8 - 1);
        let mut taken = self.labels;
        taken[..self.len].sort_unstable();
        for taken in &taken[..self.len] {
            label += i8::from(*taken <= label);
        }
        label
    }
}

impl Chain for Potts {
    type State = Vec<i8>;
    type Info = ();

    /// Every label uniformly at random.
    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<i8> {
        (0..self.lattice.sites()).map(|_| below(rng, self.states as u64) as i8).collect()
    }

    /// Draws the label of one site anew, from one random word: row, column and choice are its digits.
    #[inline]
    fn step(&self, state: &mut Vec<i8>, rng: &mut ChaCha8Rng) {
        let mut word = rng.next_u64();
        let (row, col) = (digit(&mut word, self.lattice.rows()), digit(&mut word, self.lattice.cols()));
        state[row * self.lattice.cols() + col] = self.choice(state, row, col).pick(fraction(word));
    }
}

impl SpinSystem for Potts {
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
        let equal = self.lattice.bonds().filter(|&(u, v)| state[u] == state[v]).count();
        let first = state.iter().filter(|x| **x == 0).count();
        -self.coupling * equal as f64 - self.field * first as f64
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
        // Neighbours of the middle: 5, 2, 2, 6.
        let choice = potts.choice(&[0, 5, 0, 2, 1, 2, 0, 6, 0], 1, 1);
        let weight = |label: i8| match label {
            2 => (1.0f64 / 0.8).exp(),
            5 | 6 => (0.5f64 / 0.8).exp(),
            0 => (0.3f64 / 0.8).exp(),
            _ => 1.0,
        };
        let total: f64 = (0..7).map(weight).sum();
        let n = 700_000;
        let mut counts = [0.0; 7];
        (0..n).for_each(|i| counts[choice.pick((f64::from(i) + 0.5) / f64::from(n)) as usize] += 1.0);
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
                let choice = potts.choice(&state, 1, 1);
                assert!(choice.total().is_finite() && choice.total() >= 1.0);
                for u in [0.0, 0.5, 1.0 - f64::EPSILON] {
                    assert!((0..4).contains(&choice.pick(u)));
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
}
