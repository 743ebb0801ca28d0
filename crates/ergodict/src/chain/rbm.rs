//! Restricted Boltzmann machines, by block Gibbs sampling between the layers.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `Y_t`: visible units `v` | `Vec<i8>` of 0 and 1 | docs/maths.md, Chains; the hidden units are redrawn from them in each step |
//! | `W`, `b`, `c` | `weights` (visible × hidden), `visible_bias`, `hidden_bias` | |
//! | `E(v, h) = −b·v − c·h − vᵀWh`, law `exp(−E/T)` | | |
//! | `P(h_j = 1 given v) = σ((c_j + (Wᵀv)_j)/T)` | first half of a step | |
//! | `P(v_i = 1 given h) = σ((b_i + (Wh)_i)/T)` | second half | |
//! | `F(v) = −b·v − T Σ_j log(1 + exp((c_j + (Wᵀv)_j)/T))` | [`SpinSystem::energy`] | free energy: `P(v) ∝ exp(−F(v)/T)` |
//!
//! The paper only names the model. At T = 1 these are the usual formulas; T enters as for the other systems, by E/T.
//!
//! Products with a layer of 0 and 1 are sums of columns of the units that are on, taken in their order whatever the instruction set, so that the states are the same with
//! every one; several chains go through the weights together ([`Rbm::steps_together`]). A probability is computed only where a table of its bounds leaves open
//! what a random number decides.

use super::spins::{check_energy, check_temperature};
use super::{Alphabet, Boundary, Chain, SpinSystem};
use crate::data::{Batch, MatrixStream, StreamOptions, npz};
use crate::linalg::simd::{Lanes, Simd, WithSimd};
use crate::linalg::{Isa, Mat};
use crate::rng::{below, normal, uniform};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use std::path::Path;
use std::sync::LazyLock;

/// Bytes of the columns that several chains add from one after another: they stay in the cache of a core.
const SLAB: usize = 1 << 17;

/// Drives between which probabilities are bounded by a table, in steps of 1/8; beyond them one is computed.
const MOST_DRIVE: f64 = 40.0;
const STEPS: f64 = 8.0;
/// More than the rounding of drives and probabilities.
const SLACK: f64 = 1e-12;
static BOUNDS: LazyLock<Vec<f64>> = LazyLock::new(|| {
    (0..=(2.0 * MOST_DRIVE * STEPS) as usize).map(|k| sigmoid(k as f64 / STEPS - MOST_DRIVE)).collect()
});

/// The chain: all hidden units are drawn given the visible ones, then all visible ones given the hidden ones.
///
/// `E(v, h) = −b·v − c·h − vᵀWh` with law `exp(−E/T)`: `P(h_j = 1 | v) = σ((c_j + (Wᵀv)_j)/T)` and `P(v_i = 1 | h) = σ((b_i + (Wh)_i)/T)`, where
/// `σ(z) = 1/(1 + e^{−z})` and `W` is visible × hidden. The state is `v`.
#[derive(Clone, Debug)]
pub(crate) struct Rbm {
    /// `W/T`, a column for each hidden unit.
    of_hidden: Mat<f64>,
    /// `Wᵀ/T`, a column for each visible unit.
    of_visible: Mat<f64>,
    /// `b/T`.
    visible_bias: Vec<f64>,
    /// `c/T`.
    hidden_bias: Vec<f64>,
    temperature: f64,
    shape: (usize, usize),
    isa: Isa,
}

impl Rbm {
    /// The machine with these weights (visible × hidden) and biases; its visible units are drawn in `shape`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a temperature that is not positive, weights or biases that are not finite, also after
    /// division by it, energies that can overflow, or no units; [`Error::Shape`] when a bias or `shape` has another number of units than the weights.
    pub(crate) fn new(
        weights: &Mat<f64>,
        visible_bias: &[f64],
        hidden_bias: &[f64],
        temperature: f64,
        shape: (usize, usize),
    ) -> Result<Self> {
        check_temperature(temperature)?;
        let (visible, hidden) = (weights.rows(), weights.cols());
        if visible == 0 || hidden == 0 {
            let found = format!("{visible}×{hidden}");
            return Err(Error::parameter("the weights", found, "there must be visible and hidden units"));
        }
        for (what, length, units, layer) in [
            ("the visible bias", visible_bias.len(), visible, "visible"),
            ("the hidden bias", hidden_bias.len(), hidden, "hidden"),
        ] {
            if length != units {
                let expected = format!("one for each of {units} {layer} units");
                return Err(Error::shape(what, format!("{length} numbers"), expected));
            }
        }
        if shape.0.checked_mul(shape.1) != Some(visible) {
            let found = format!("{}×{}", shape.0, shape.1);
            let expected = format!("one place for each of {visible} visible units");
            return Err(Error::shape("the shape of the visible units", found, expected));
        }
        for j in 0..hidden {
            check_finite("the weights", weights.col(j), temperature, |i| format!("row {i}, column {j}"))?;
        }
        check_finite("the visible bias", visible_bias, temperature, |i| format!("unit {i}"))?;
        check_finite("the hidden bias", hidden_bias, temperature, |j| format!("unit {j}"))?;
        // No sum of the chain is beyond that of all there is, nor is the free energy, whose every logarithm adds at most T.
        let sum = |numbers: &[f64]| numbers.iter().map(|x| x.abs()).sum::<f64>();
        let all =
            (0..hidden).map(|j| sum(weights.col(j))).sum::<f64>() + sum(visible_bias) + sum(hidden_bias);
        check_energy("the weights and biases", (all / temperature).max(all + temperature * hidden as f64))?;
        Ok(Self {
            of_hidden: Mat::from_fn(visible, hidden, |i, j| weights.get(i, j) / temperature),
            of_visible: Mat::from_fn(hidden, visible, |j, i| weights.get(i, j) / temperature),
            visible_bias: visible_bias.iter().map(|b| b / temperature).collect(),
            hidden_bias: hidden_bias.iter().map(|c| c / temperature).collect(),
            temperature,
            shape,
            isa: Isa::detect(),
        })
    }

    /// A machine without biases whose weights are independent Gaussians of mean 0 and standard deviation `scale`.
    ///
    /// # Errors
    /// As [`Rbm::new`], and [`Error::Parameter`] for a scale that is not finite.
    pub(crate) fn random(
        shape: (usize, usize),
        hidden: usize,
        scale: f64,
        temperature: f64,
        rng: &mut ChaCha8Rng,
    ) -> Result<Self> {
        if !scale.is_finite() {
            return Err(Error::parameter("the scale of the weights", scale, "it must be finite"));
        }
        let entries = shape.0.checked_mul(shape.1).and_then(|visible| visible.checked_mul(hidden));
        if entries.is_none_or(|entries| entries > 1 << 31) {
            let found = format!("{}×{} and {hidden} hidden", shape.0, shape.1);
            return Err(Error::parameter("the units", found, "there must be at most 2³¹ weights"));
        }
        let visible = shape.0 * shape.1;
        let weights = Mat::from_fn(visible, hidden, |_, _| scale * normal(rng));
        Self::new(&weights, &vec![0.0; visible], &vec![0.0; hidden], temperature, shape)
    }

    /// The machine saved in a `.npz` archive, as by `numpy.savez(path, W=W, b=b, c=c)`: `W` of shape (visible, hidden),
    /// `b` or `visible_bias`, and `c` or `hidden_bias`, of one axis each.
    ///
    /// # Errors
    /// [`Error::Format`] with the path, when an array is missing, has another shape or entries that are not finite;
    /// [`Error::Io`]; [`Error::Parameter`] for a temperature that is not positive.
    pub(crate) fn open(path: &Path, temperature: f64, shape: (usize, usize)) -> Result<Self> {
        check_temperature(temperature)?;
        let visible_bias = npz::vector(path, &["b", "visible_bias"])?;
        let hidden_bias = npz::vector(path, &["c", "hidden_bias"])?;
        let mut stream = MatrixStream::open(path, &StreamOptions { member: Some("W".into()) })?;
        let visible = stream.samples().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        if (visible, stream.features()) != (visible_bias.len(), hidden_bias.len()) || visible == 0 {
            let problem = format!(
                "has `W` of shape ({visible}, {}) with {} visible and {} hidden biases: expected (visible, hidden)",
                stream.features(),
                visible_bias.len(),
                hidden_bias.len()
            );
            return Err(Error::format(path, None, problem));
        }
        let mut rows = Batch::<f64>::new();
        stream.next_batch(visible, &mut rows)?;
        let weights = rows.as_mat_ref().to_owned().transposed();
        Self::new(&weights, &visible_bias, &hidden_bias, temperature, shape)
            .map_err(|error| Error::format(path, None, error.to_string()))
    }

    /// Number of visible units.
    pub(crate) fn visible(&self) -> usize {
        self.visible_bias.len()
    }

    /// Number of hidden units.
    pub(crate) fn hidden(&self) -> usize {
        self.hidden_bias.len()
    }

    /// Writes the probability that each hidden unit is 1, given the visible ones.
    ///
    /// # Panics
    /// Unless there is a number for each unit.
    #[cfg(test)]
    pub(crate) fn hidden_given_visible(&self, visible: &[i8], probabilities: &mut [f64]) {
        let mut layer = Layer::new(&self.of_visible, 1);
        layer.drive(self.isa, &self.of_visible, &self.hidden_bias, &[visible]);
        probabilities.iter_mut().zip(layer.of_chain(0)).for_each(|(p, x)| *p = sigmoid(*x));
    }

    /// Writes the probability that each visible unit is 1, given the hidden ones.
    ///
    /// # Panics
    /// Unless there is a number for each unit.
    #[cfg(test)]
    pub(crate) fn visible_given_hidden(&self, hidden: &[i8], probabilities: &mut [f64]) {
        let mut layer = Layer::new(&self.of_hidden, 1);
        layer.drive(self.isa, &self.of_hidden, &self.visible_bias, &[hidden]);
        probabilities.iter_mut().zip(layer.of_chain(0)).for_each(|(p, x)| *p = sigmoid(*x));
    }

    /// So many steps of several chains, each with its own generator: the states that each would have alone.
    pub(crate) fn steps_together(&self, states: &mut [&mut [i8]], rngs: &mut [ChaCha8Rng], count: u64) {
        let chains = states.len();
        let (mut to_hidden, mut to_visible) =
            (Layer::new(&self.of_visible, chains), Layer::new(&self.of_hidden, chains));
        let mut hidden = vec![vec![0i8; self.hidden()]; chains];
        for _ in 0..count {
            let from: Vec<&[i8]> = states.iter().map(|state| &**state).collect();
            to_hidden.drive(self.isa, &self.of_visible, &self.hidden_bias, &from);
            for (chain, (units, rng)) in hidden.iter_mut().zip(&mut *rngs).enumerate() {
                units.iter_mut().zip(to_hidden.of_chain(chain)).for_each(|(h, x)| *h = draw(*x, rng));
            }
            let from: Vec<&[i8]> = hidden.iter().map(|units| &**units).collect();
            to_visible.drive(self.isa, &self.of_hidden, &self.visible_bias, &from);
            for (chain, (units, rng)) in states.iter_mut().zip(&mut *rngs).enumerate() {
                units.iter_mut().zip(to_visible.of_chain(chain)).for_each(|(v, x)| *v = draw(*x, rng));
            }
        }
    }
}

/// The sums that drive the units of a layer, for several chains.
struct Layer {
    /// A column for each chain.
    drives: Mat<f64>,
    /// The units that are on in the layer before.
    on: Vec<u32>,
}

impl Layer {
    /// For a layer whose units have the rows of these columns.
    fn new(columns: &Mat<f64>, chains: usize) -> Self {
        Self { drives: Mat::zeros(columns.rows(), chains), on: Vec::with_capacity(columns.cols()) }
    }

    fn of_chain(&self, chain: usize) -> &[f64] {
        self.drives.col(chain)
    }

    /// The bias and the columns of the units that are on, for each chain. The chains take turns at some columns before they go on to the next.
    fn drive(&mut self, isa: Isa, columns: &Mat<f64>, bias: &[f64], layers: &[&[i8]]) {
        let slab = match layers.len() {
            1 => columns.cols(),
            _ => (SLAB / (8 * columns.stride())).max(1),
        };
        for chain in 0..layers.len() {
            self.drives.col_mut(chain).copy_from_slice(bias);
        }
        let stride = self.drives.stride();
        for first in (0..columns.cols()).step_by(slab) {
            let last = (first + slab).min(columns.cols());
            for (layer, drive) in layers.iter().zip(self.drives.padded_mut().chunks_exact_mut(stride)) {
                self.on.clear();
                let units = (first as u32..).zip(&layer[first..last]);
                self.on.extend(units.filter(|(_, unit)| **unit != 0).map(|(at, _)| at));
                isa.run(ColumnSum { columns, on: &self.on, sum: drive });
            }
        }
    }
}

/// Adds columns, one after another: entries by entries, so that the sums do not depend on the instruction set.
struct ColumnSum<'a> {
    columns: &'a Mat<f64>,
    on: &'a [u32],
    /// As long as a padded column.
    sum: &'a mut [f64],
}

impl WithSimd for ColumnSum<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        const REGISTERS: usize = 8;
        let (stride, lanes) = (self.columns.stride(), f64::lanes::<S>());
        assert!(self.sum.len() == stride && stride % lanes == 0);
        assert!(self.on.iter().all(|&unit| (unit as usize) < self.columns.cols()));
        let data = self.columns.padded().as_ptr();
        let sum = self.sum.as_mut_ptr();
        let mut start = 0;
        while start < stride {
            let registers = ((stride - start) / lanes).min(REGISTERS);
            // SAFETY: `registers·lanes` numbers from `start` on lie within the sum and within every padded column, and all units are columns.
            unsafe {
                if registers == REGISTERS {
                    let mut all: [_; REGISTERS] =
                        std::array::from_fn(|k| f64::load::<S>(sum.add(start + k * lanes)));
                    for &unit in self.on {
                        let from = data.add(unit as usize * stride + start);
                        for (k, register) in all.iter_mut().enumerate() {
                            *register = f64::plus::<S>(simd, *register, f64::load::<S>(from.add(k * lanes)));
                        }
                    }
                    for (k, register) in all.into_iter().enumerate() {
                        f64::store::<S>(sum.add(start + k * lanes), register);
                    }
                } else {
                    for k in 0..registers {
                        let at = start + k * lanes;
                        let mut register = f64::load::<S>(sum.add(at));
                        for &unit in self.on {
                            let from = data.add(unit as usize * stride + at);
                            register = f64::plus::<S>(simd, register, f64::load::<S>(from));
                        }
                        f64::store::<S>(sum.add(at), register);
                    }
                }
            }
            start += registers * lanes;
        }
    }
}

/// 1 with the probability `σ(x)`, from one random number that is compared with it.
#[inline]
fn draw(x: f64, rng: &mut ChaCha8Rng) -> i8 {
    let u = uniform(rng);
    let at = (x + MOST_DRIVE) * STEPS;
    if let (true, Some([low, high])) =
        (at >= 0.0, BOUNDS.get(at as usize..).and_then(|rest| rest.first_chunk()))
    {
        if u < low - SLACK {
            return 1;
        }
        if u >= high + SLACK {
            return 0;
        }
    }
    i8::from(u < sigmoid(x))
}

fn check_finite(
    what: &'static str,
    numbers: &[f64],
    temperature: f64,
    place: impl Fn(usize) -> String,
) -> Result<()> {
    let Some(bad) = numbers.iter().position(|x| !(x / temperature).is_finite()) else { return Ok(()) };
    let found = format!("{} ({})", numbers[bad], place(bad));
    Err(Error::parameter(what, found, "every entry, and its quotient by the temperature, must be finite"))
}

/// `1/(1 + e^{−x})`, without overflow.
fn sigmoid(x: f64) -> f64 {
    let e = (-x.abs()).exp();
    if x >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// `log(1 + eˣ)`, without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

impl Chain for Rbm {
    type State = Vec<i8>;
    type Info = ();

    /// Every visible unit by a fair coin.
    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<i8> {
        (0..self.visible()).map(|_| below(rng, 2) as i8).collect()
    }

    fn step(&self, state: &mut Vec<i8>, rng: &mut ChaCha8Rng) {
        self.steps(state, 1, rng);
    }

    /// The buffers for the layers are made once for all steps.
    fn steps(&self, state: &mut Vec<i8>, count: u64, rng: &mut ChaCha8Rng) {
        self.steps_together(&mut [state], std::slice::from_mut(rng), count);
    }
}

impl SpinSystem for Rbm {
    type Value = i8;

    fn shape(&self) -> (usize, usize) {
        self.shape
    }
    /// The visible units as they are drawn; there are no bonds between them, and so no lattice.
    fn grid(&self) -> Option<(usize, usize, Boundary)> {
        Some((self.shape.0, self.shape.1, Boundary::Free))
    }
    /// Visible and hidden units.
    fn updates(&self) -> u64 {
        (self.visible() + self.hidden()) as u64
    }
    fn alphabet(&self) -> Alphabet {
        Alphabet::ZeroOne
    }
    fn spins<'a>(&self, state: &'a Vec<i8>) -> &'a [i8] {
        state
    }
    fn state(&self, spins: &[i8]) -> Result<Vec<i8>> {
        self.alphabet().check(spins, self.visible())?;
        Ok(spins.to_vec())
    }
    /// The free energy `F(v)`.
    fn energy(&self, state: &Vec<i8>) -> f64 {
        let mut layer = Layer::new(&self.of_visible, 1);
        layer.drive(self.isa, &self.of_visible, &self.hidden_bias, &[state]);
        let bias: f64 = state.iter().zip(&self.visible_bias).map(|(v, b)| f64::from(*v) * b).sum();
        -self.temperature * (bias + layer.of_chain(0).iter().copied().map(softplus).sum::<f64>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};
    use std::io::Write;

    fn weights() -> Mat<f64> {
        Mat::from_fn(3, 2, |i, j| i as f64 - 1.5 * j as f64)
    }

    #[test]
    fn extreme_drives_give_probabilities_and_energies() {
        for (x, p, s) in [
            (1e4, 1.0, 1e4),
            (-1e4, 0.0, 0.0),
            (0.0, 0.5, 2f64.ln()),
            (800.0, 1.0, 800.0),
            (1.0, 0.731_058_578_630_004_9, 1.313_261_687_518_222_8),
        ] {
            assert!((sigmoid(x) - p).abs() < 1e-15 && (softplus(x) - s).abs() < 1e-15, "{x}");
        }
        assert!((sigmoid(-1.0) + sigmoid(1.0) - 1.0).abs() < 1e-16);
        assert!((sigmoid(-700.0) / (-700.0f64).exp() - 1.0).abs() < 1e-15);
        let rbm = Rbm::new(&Mat::from_fn(2, 2, |_, _| 1e305), &[0.0; 2], &[0.0; 2], 1.0, (1, 2)).unwrap();
        assert!(rbm.energy(&vec![1, 1]).is_finite());
    }

    #[test]
    fn many_steps_are_as_many_single_ones() {
        let rbm = Rbm::random((3, 4), 7, 1.0, 1.0, &mut stream(1, Purpose::Synthetic, 0)).unwrap();
        let (mut one, mut all) = (stream(2, Purpose::Chain, 0), stream(2, Purpose::Chain, 0));
        let (mut a, mut b) = (rbm.init(&mut one), rbm.init(&mut all));
        (0..50).for_each(|_| rbm.step(&mut a, &mut one));
        rbm.steps(&mut b, 50, &mut all);
        assert_eq!((a, one), (b, all));
    }

    #[test]
    fn chains_together_have_the_states_they_have_alone_with_every_instruction_set() {
        // More columns than fit a slab, and layers that are no multiples of a register.
        let mut made = stream(4, Purpose::Synthetic, 0);
        for (shape, hidden) in [((3, 4), 7), ((30, 31), 203), ((1, 1), 1)] {
            let rbm = Rbm::random(shape, hidden, 0.3, 1.0, &mut made).unwrap();
            let alone = |chain: u64| {
                let mut rng = stream(5, Purpose::Chain, chain);
                let mut state = rbm.init(&mut rng);
                // By the definition: sums in the order of units, and a probability for each.
                for _ in 0..6 {
                    let sums = |columns: &Mat<f64>, bias: &[f64], layer: &[i8]| -> Vec<f64> {
                        let on: Vec<usize> = (0..layer.len()).filter(|k| layer[*k] != 0).collect();
                        (0..bias.len())
                            .map(|i| on.iter().fold(bias[i], |sum, k| sum + columns.get(i, *k)))
                            .collect()
                    };
                    let mut decide = |x: f64| i8::from(uniform(&mut rng) < sigmoid(x));
                    let h: Vec<i8> = sums(&rbm.of_visible, &rbm.hidden_bias, &state)
                        .into_iter()
                        .map(&mut decide)
                        .collect();
                    state =
                        sums(&rbm.of_hidden, &rbm.visible_bias, &h).into_iter().map(&mut decide).collect();
                }
                (state, rng)
            };
            for isa in Isa::available() {
                let rbm = Rbm { isa, ..rbm.clone() };
                let mut rngs: Vec<ChaCha8Rng> =
                    (0..5).map(|chain| stream(5, Purpose::Chain, chain)).collect();
                let mut states: Vec<Vec<i8>> = rngs.iter_mut().map(|rng| rbm.init(rng)).collect();
                let mut views: Vec<&mut [i8]> = states.iter_mut().map(|state| &mut **state).collect();
                rbm.steps_together(&mut views, &mut rngs, 6);
                for (chain, found) in states.into_iter().zip(rngs).enumerate() {
                    assert!(found == alone(chain as u64), "{shape:?} {} chain {chain}", isa.name());
                }
            }
        }
    }

    #[test]
    fn draws_are_those_of_the_probability() {
        let mut rng = stream(6, Purpose::Synthetic, 0);
        for k in 0..200_000 {
            let x = match k % 4 {
                0 => 100.0 * (uniform(&mut rng) - 0.5),
                1 => 4.0 * normal(&mut rng),
                2 => f64::from(k % 700 - 350) / 8.0,
                _ => [f64::MAX, f64::MIN, 1e4, -1e4, 40.0, -40.0][k as usize % 6],
            };
            let mut same = rng.clone();
            assert_eq!(draw(x, &mut rng), i8::from(uniform(&mut same) < sigmoid(x)), "{x}");
        }
    }

    #[test]
    fn random_weights_have_their_scale() {
        let rbm = Rbm::random((10, 10), 100, 0.3, 1.0, &mut stream(3, Purpose::Synthetic, 0)).unwrap();
        let squares: f64 = (0..100).flat_map(|j| rbm.of_hidden.col(j)).map(|w| w * w).sum();
        // A sum of n squares of Gaussians has the standard deviation √(2n); four of them.
        let n = 1e4;
        assert!((squares / 0.09 - n).abs() < 4.0 * (2.0 * n).sqrt(), "{squares}");
    }

    type Given = (Mat<f64>, Vec<f64>, Vec<f64>, f64, (usize, usize));
    type Break = fn(&mut Given);
    /// Name, shape and numbers.
    type Array<'a> = (&'a str, &'a str, &'a [f64]);

    #[test]
    fn bad_parameters_are_refused() {
        let fine = || (weights(), vec![0.0; 3], vec![0.0; 2], 1.0, (1, 3));
        let breaks: [(&str, Break); 11] = [
            ("temperature 0", |g| g.3 = 0.0),
            ("temperature NaN", |g| g.3 = f64::NAN),
            ("quotient overflows", |g| (g.3, g.1[0]) = (1e-300, 1e300)),
            ("sums overflow", |g| (g.0.col_mut(0)[1], g.0.col_mut(0)[2]) = (1e308, -1e308)),
            ("free energy overflows", |g| g.3 = 1e308),
            ("NaN weight", |g| g.0.col_mut(1)[2] = f64::NAN),
            ("infinite bias", |g| g.2[0] = f64::INFINITY),
            ("visible bias too short", |g| g.1.truncate(2)),
            ("hidden bias too long", |g| g.2.push(0.0)),
            ("another shape", |g| g.4 = (2, 2)),
            ("no units", |g| *g = (Mat::zeros(0, 2), vec![], vec![0.0; 2], 1.0, (0, 0))),
        ];
        let build = |g: &Given| Rbm::new(&g.0, &g.1, &g.2, g.3, g.4);
        assert!(build(&fine()).is_ok());
        for (name, spoil) in breaks {
            let mut given = fine();
            spoil(&mut given);
            assert!(build(&given).is_err(), "{name}");
        }
        let rng = &mut stream(1, Purpose::Synthetic, 0);
        assert!(Rbm::random((2, 2), 3, f64::NAN, 1.0, rng).is_err());
        assert!(Rbm::random((2, 2), 0, 1.0, 1.0, rng).is_err());
        assert!(Rbm::random((usize::MAX, 2), 3, 1.0, 1.0, rng).is_err());
        assert!(build(&fine()).unwrap().state(&[0, 1, 2]).is_err());
    }

    /// Writes arrays of `f64` with any shapes, as numpy.savez does.
    fn savez(path: &Path, arrays: &[Array]) {
        let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
        for (name, shape, numbers) in arrays {
            let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
            while (header.len() + 11) % 64 != 0 {
                header.push(' ');
            }
            header.push('\n');
            zip.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(b"\x93NUMPY\x01\x00").unwrap();
            zip.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
            zip.write_all(header.as_bytes()).unwrap();
            numbers.iter().for_each(|x| zip.write_all(&x.to_le_bytes()).unwrap());
        }
        zip.finish().unwrap();
    }

    #[test]
    fn archives_of_numpy_are_read_and_bad_ones_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rbm.npz");
        let w: [f64; 6] = [0.0, -1.5, 1.0, -0.5, 2.0, 0.5];
        let (b, c): ([f64; 3], [f64; 2]) = ([0.1, 0.2, 0.3], [-1.0, 1.0]);
        let expected = Rbm::new(&weights(), &b, &c, 2.0, (3, 1)).unwrap();
        for (b_name, c_name) in [("b", "c"), ("visible_bias", "hidden_bias")] {
            savez(&path, &[("W", "(3, 2)", &w), (b_name, "(3,)", &b), (c_name, "(2,)", &c)]);
            let rbm = Rbm::open(&path, 2.0, (3, 1)).unwrap();
            assert_eq!((&rbm.of_hidden, &rbm.of_visible), (&expected.of_hidden, &expected.of_visible));
            assert_eq!(
                (&rbm.visible_bias, &rbm.hidden_bias),
                (&expected.visible_bias, &expected.hidden_bias)
            );
        }
        assert!(Rbm::open(&path, 2.0, (2, 2)).unwrap_err().to_string().contains("rbm.npz: the shape"));
        let mut nan = w;
        nan[3] = f64::NAN;
        let bad: [(&str, &[Array]); 6] = [
            ("has no array `W`", &[("b", "(3,)", &b), ("c", "(2,)", &c)]),
            ("has no array `c`, `hidden_bias`; it has `W`, `b`", &[("W", "(3, 2)", &w), ("b", "(3,)", &b)]),
            ("NaN (row 1, column 1)", &[("W", "(3, 2)", &nan), ("b", "(3,)", &b), ("c", "(2,)", &c)]),
            ("of shape (2, 3)", &[("W", "(2, 3)", &w), ("b", "(3,)", &b), ("c", "(2,)", &c)]),
            ("of shape (3, 2) with 2", &[("W", "(3, 2)", &w), ("b", "(2,)", &c), ("c", "(2,)", &c)]),
            ("expected one axis", &[("W", "(3, 2)", &w), ("b", "(3, 1)", &b), ("c", "(2,)", &c)]),
        ];
        for (problem, arrays) in bad {
            savez(&path, arrays);
            let error = Rbm::open(&path, 1.0, (3, 1)).unwrap_err().to_string();
            assert!(error.contains(problem) && error.contains("rbm.npz"), "{error}");
        }
        std::fs::write(&path, "W,b,c\n").unwrap();
        assert!(Rbm::open(&path, 1.0, (3, 1)).unwrap_err().to_string().contains("is not a .npz archive"));
        assert!(matches!(Rbm::open(&folder.path().join("none.npz"), 1.0, (3, 1)), Err(Error::Io { .. })));
        assert!(matches!(Rbm::open(&path, 0.0, (3, 1)), Err(Error::Parameter { .. })));
    }
}
