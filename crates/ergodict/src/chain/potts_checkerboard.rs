//! The Potts model by checkerboard sweeps: all even sites, then all odd ones, from the conditionals of `potts.rs`.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `x(v)`, `q`, `T`, `J`, `h`, `π ∝ exp(−H/T)` | [`PottsCheckerboard::model`] | `potts.rs`, docs/maths.md, Chains |
//! | colors, half-sweeps | [`Planes`] | `checkerboard.rs` |
//! | `P(x(v) = k given the rest)` | [`Potts::pick`] of a uniform `u` | `potts.rs` |
//!
//! The first eight bits of `u` are one random byte. Where they decide which neighbor's label (or label 0) is taken, a table by the pattern of the
//! neighbors and the byte has the answer; else a word from the generator gives the other bits, and [`Potts::pick`] decides. Sites at a free edge and
//! labels that no neighbor has always take the word. So labels are those that `pick` would give, with its law.
//!
//! Order of the random numbers: that of `checkerboard.rs`, with one word for each site that the byte does not decide.

use super::checkerboard::{Planes, RUN, check_two_colors, for_each_mark, rows_to_a_block};
use super::potts::{NOBODY, PLACES, pattern};
use super::spins::delegate_to_model;
use super::{Chain, Lattice, Potts, SpinSystem};
use crate::Result;
use crate::linalg::Isa;
use crate::linalg::simd::{Simd, WithSimd};
use crate::rng::fraction;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Patterns of four neighbors, by [`code`], up to a power of two.
const CODES: usize = 128;
/// The code where a neighbor is missing.
const MISSING: u8 = 127;
/// What a table has where a byte does not decide.
const OPEN: u8 = 255;

/// Places of labels by pattern and random byte.
type Tables = Vec<[u8; 256]>;

/// Checkerboard sweeps of a Potts model; a step is one sweep.
///
/// The law is that of [`Potts`]; all even sites are drawn given the odd ones, then all odd ones given the even ones.
///
/// ```
/// use ergodict::{chain::{Boundary, Chain, Lattice, Potts, PottsCheckerboard, SpinSystem}, rng};
/// let lattice = Lattice::new(64, 64, Boundary::Periodic)?;
/// let chain = PottsCheckerboard::new(Potts::new(lattice, 3, 1.0, 1.0, 0.0)?)?;
/// let mut rng = rng::stream(0, rng::Purpose::Chain, 0);
/// let mut state = chain.state(&[2; 64 * 64])?;
/// chain.steps(&mut state, 10, &mut rng);
/// assert_eq!(chain.updates(), 64 * 64);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PottsCheckerboard {
    model: Potts,
    lattice: Lattice,
    tables: Tables,
    isa: Isa,
}

impl PottsCheckerboard {
    /// Sweeps of a model.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a torus with an odd side, which has no two colors.
    pub fn new(model: Potts) -> Result<Self> {
        let lattice = model.on();
        check_two_colors(lattice)?;
        let mut tables = vec![[OPEN; 256]; CODES];
        for labels in model.patterns(4) {
            let cumulative = model.cumulative(pattern(labels, 4));
            let row = &mut tables[usize::from(code([labels[0], labels[1], labels[2], labels[3]]))];
            for (byte, place) in row.iter_mut().enumerate() {
                let (low, high) = (byte as f64 / 256.0, (byte + 1) as f64 / 256.0);
                let first = cumulative.iter().filter(|t| **t <= low).count();
                let last = cumulative.iter().filter(|t| **t < high).count();
                *place = if first == last && first < PLACES { first as u8 } else { OPEN };
            }
        }
        Ok(Self { model, lattice, tables, isa: Isa::detect().narrower() })
    }

    /// The same with a given instruction set; the states are the same with every one.
    pub fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// The probabilities of all labels given the neighbors (negative where one is missing), from the tables of bytes and what words decide.
    #[cfg(test)]
    pub(crate) fn probabilities(&self, around: [i8; 4]) -> Vec<f64> {
        let super::Alphabet::Labels(states) = self.alphabet() else { return Vec::new() };
        let (labels, cumulative) = self.model.look_at(around);
        let mut probabilities = vec![0.0; usize::from(states)];
        for (byte, place) in self.tables[usize::from(code(around))].iter().enumerate() {
            if *place != OPEN {
                let taken = [around[0], around[1], around[2], around[3], 0][usize::from(*place)];
                probabilities[taken as usize] += 1.0 / 256.0;
                continue;
            }
            let (mut low, high) = (byte as f64 / 256.0, (byte + 1) as f64 / 256.0);
            for (place, end) in cumulative.iter().enumerate() {
                let end = end.clamp(low, high);
                if end > low {
                    probabilities[labels[place] as usize] += end - low;
                }
                low = end;
            }
            let others: Vec<usize> =
                (0..usize::from(states)).filter(|k| !labels.contains(&(*k as i8))).collect();
            others.iter().for_each(|k| probabilities[*k] += (high - low) / others.len() as f64);
        }
        probabilities
    }
}

/// Which of label 0 and four neighbors are alike: of each neighbor the first among label 0 and those before it that has its label, as digits.
#[inline(always)]
fn code([a, b, c, d]: [i8; 4]) -> u8 {
    let choose = |alike: bool, yes: u8, no: u8| if alike { yes } else { no };
    let first = choose(a == 0, 0, 1);
    let second = choose(b == 0, 0, choose(b == a, 2, 4));
    let third = choose(c == 0, 0, choose(c == a, 6, choose(c == b, 12, 18)));
    let fourth = choose(d == 0, 0, choose(d == a, 24, choose(d == b, 48, choose(d == c, 72, 96))));
    choose(a | b | c | d < 0, MISSING, first + second + third + fourth)
}

impl Chain for PottsCheckerboard {
    type State = Vec<i8>;
    type Info = ();

    /// Every label uniformly at random.
    fn init(&self, rng: &mut ChaCha8Rng) -> Vec<i8> {
        self.model.init(rng)
    }

    fn step(&self, state: &mut Vec<i8>, rng: &mut ChaCha8Rng) {
        self.steps(state, 1, rng);
    }

    fn steps(&self, state: &mut Vec<i8>, count: u64, rng: &mut ChaCha8Rng) {
        if count == 0 {
            return;
        }
        assert_eq!(state.len(), self.lattice.sites(), "a state has one label for each site");
        let planes = Planes::new(self.lattice, NOBODY[0]);
        // A run may begin at the last byte of a block.
        let bytes = vec![0; rows_to_a_block(self.lattice) * planes.half() + RUN];
        let open = vec![0; planes.width()];
        self.isa.run(Sweeps { chain: self, spins: state, planes, bytes, open, count, rng });
    }
}

impl SpinSystem for PottsCheckerboard {
    delegate_to_model!(Vec<i8>, i8);
}

struct Sweeps<'a> {
    chain: &'a PottsCheckerboard,
    spins: &'a mut [i8],
    planes: Planes,
    bytes: Vec<u8>,
    /// Where in a row a byte did not decide.
    open: Vec<u8>,
    count: u64,
    rng: &'a mut ChaCha8Rng,
}

impl WithSimd for Sweeps<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        self.planes.pack(self.spins);
        for _ in 0..self.count {
            (0..2).for_each(|color| self.half_sweep(color));
        }
        self.planes.unpack(self.spins);
    }
}

impl Sweeps<'_> {
    #[inline(always)]
    fn half_sweep(&mut self, color: usize) {
        let PottsCheckerboard { model, lattice, tables, .. } = self.chain;
        for first in (0..lattice.rows()).step_by(rows_to_a_block(*lattice)) {
            let block = first..lattice.rows().min(first + rows_to_a_block(*lattice));
            let sites = block.clone().map(|row| self.planes.run(row, color).1).sum();
            self.rng.fill_bytes(&mut self.bytes[..sites]);
            let mut used = 0;
            for row in block {
                let count = self.planes.run(row, color).1;
                let (own, neighbors) = self.planes.around(row, color);
                let bytes = &self.bytes[used..];
                update_runs(own, neighbors, bytes, tables, &mut self.open, count);
                let rng = &mut *self.rng;
                for_each_mark(&self.open[..count.next_multiple_of(8)], |k| {
                    if k < count {
                        let word = u64::from(bytes[k]) << 56 | rng.next_u64() >> 8;
                        let look = model.look_at(neighbors.map(|run| run[k]));
                        own[k] = model.pick(look, fraction(word));
                    }
                });
                self.planes.close(row, color);
                used += count;
            }
        }
    }
}

/// Whole runs that cover the first `count` sites: labels that bytes decide, and marks where they do not.
#[inline(always)]
fn update_runs(
    own: &mut [i8],
    neighbors: [&[i8]; 4],
    bytes: &[u8],
    tables: &[[u8; 256]],
    open: &mut [u8],
    count: usize,
) {
    // Of a length that is known, so that no look-up checks it.
    let Some(tables) = tables.first_chunk::<CODES>() else { return };
    let [above, below, left, right] = neighbors.map(|run| run.as_chunks::<RUN>().0);
    let (own, open) = (own.as_chunks_mut::<RUN>().0, open.as_chunks_mut::<RUN>().0);
    for run in 0..count.div_ceil(RUN) {
        let (above, below, left, right) = (&above[run], &below[run], &left[run], &right[run]);
        let Some(bytes) = bytes[run * RUN..].first_chunk::<RUN>() else { return };
        let (own, open) = (&mut own[run], &mut open[run]);
        // Vectors, but for the look-up between them.
        let mut places = [0; RUN];
        for i in 0..RUN {
            places[i] = code([above[i], below[i], left[i], right[i]]);
        }
        for i in 0..RUN {
            places[i] = tables[usize::from(places[i]) % CODES][usize::from(bytes[i])];
        }
        for i in 0..RUN {
            let beside = if places[i] == 2 { left[i] } else { right[i] };
            let taken = if places[i] == 1 { below[i] } else { beside };
            let taken = if places[i] == 0 { above[i] } else { taken };
            own[i] = if places[i] == 4 { 0 } else { taken };
            open[i] = u8::from(places[i] == OPEN);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Boundary;
    use crate::rng::{Purpose, stream};

    /// A sweep site by site, with the random numbers in the order the file's head says; a word is taken where a byte with the lowest and the
    /// highest of words gives two labels, or one that is not around.
    fn plain_sweep(chain: &PottsCheckerboard, spins: &mut [i8], rng: &mut ChaCha8Rng) {
        let (rows, cols) = chain.shape();
        let block = rows_to_a_block(chain.lattice);
        let mut bytes = vec![0; cols * block];
        for color in 0..2 {
            for first in (0..rows).step_by(block) {
                let last = rows.min(first + block);
                let sites = (first * cols..last * cols).filter(|v| (v / cols + v % cols) % 2 == color);
                let count = sites.clone().count();
                rng.fill_bytes(&mut bytes[..count]);
                for (site, byte) in sites.zip(&bytes) {
                    let look = chain.model.look(spins, site / cols, site % cols);
                    let with = |word: u64| fraction(u64::from(*byte) << 56 | word >> 8);
                    let place = |u: f64| look.1.iter().filter(|t| u >= **t).count();
                    let (low, high) = (place(with(0)), place(with(u64::MAX)));
                    let whole = chain.lattice.neighbors(site).count() == 4;
                    let word = if whole && low == high && low < PLACES { 0 } else { rng.next_u64() };
                    spins[site] = chain.model.pick(look, with(word));
                }
            }
        }
    }

    #[test]
    fn every_instruction_set_gives_the_labels_and_generator_of_the_plain_sweep() {
        let shapes = [(2, 2), (2, 8), (4, 6), (6, 130), (3, 3), (1, 9), (7, 1), (1, 1), (9, 257), (16, 5000)];
        for (rows, cols) in shapes {
            for boundary in [Boundary::Periodic, Boundary::Free] {
                for (states, coupling, field) in
                    [(2, 1.0, 0.0), (3, 1.2, 0.4), (7, -0.8, -0.3), (128, 4.0, 0.0)]
                {
                    let lattice = Lattice::new(rows, cols, boundary).unwrap();
                    let model = Potts::new(lattice, states, 0.9, coupling, field).unwrap();
                    let Ok(chain) = PottsCheckerboard::new(model) else { continue };
                    let mut rng = stream(5, Purpose::Chain, (rows * cols) as u64);
                    let start = chain.init(&mut rng);
                    let (mut plain, mut plain_rng) = (start.clone(), rng.clone());
                    (0..3).for_each(|_| plain_sweep(&chain, &mut plain, &mut plain_rng));
                    for isa in Isa::available() {
                        let chain = chain.clone().with_isa(isa);
                        let (mut state, mut rng) = (start.clone(), rng.clone());
                        chain.step(&mut state, &mut rng);
                        chain.steps(&mut state, 2, &mut rng);
                        let case = format!("{rows}×{cols} {boundary:?} {} {states}", isa.name());
                        assert!(state == plain, "{case}");
                        assert_eq!(rng.get_word_pos(), plain_rng.get_word_pos(), "{case}");
                    }
                }
            }
        }
    }

    #[test]
    fn neighbors_have_one_code_where_they_have_one_pattern() {
        let mut of = std::collections::HashMap::new();
        let mut codes = std::collections::HashSet::new();
        for index in 0..6usize.pow(4) {
            let around = [0, 1, 2, 3].map(|k| (index / 6usize.pow(k) % 6) as i8);
            let pattern = pattern([around[0], around[1], around[2], around[3], 0], 4);
            let code = code(around);
            assert!(code < MISSING && *of.entry(pattern).or_insert(code) == code, "{around:?}");
            codes.insert(code);
        }
        // Partitions of a set of five.
        assert_eq!((of.len(), codes.len()), (52, 52));
        assert_eq!([code([-1, 0, 1, 127]), code([3, 0, 1, -1])], [MISSING; 2]);
    }

    #[test]
    fn a_torus_with_an_odd_side_is_refused_and_a_free_lattice_is_not() {
        for (rows, cols) in [(3, 4), (4, 3), (1, 4)] {
            let potts =
                |boundary| Potts::new(Lattice::new(rows, cols, boundary).unwrap(), 3, 1.0, 1.0, 0.0).unwrap();
            let refusal = PottsCheckerboard::new(potts(Boundary::Periodic)).unwrap_err().to_string();
            assert!(
                refusal.contains(&format!("{rows}×{cols}")) && refusal.contains("even sides"),
                "{refusal}"
            );
            assert!(PottsCheckerboard::new(potts(Boundary::Free)).is_ok());
        }
    }
}
