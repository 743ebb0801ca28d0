//! The Ising model by checkerboard sweeps: all even sites, then all odd ones.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `x(v)`, `T`, `J`, `h`, `π ∝ exp(−H/T)` | [`Checkerboard::model`] | `ising.rs`, docs/maths.md, Chains |
//! | color of `v = (i, j)`, `(i + j) mod 2` | `Planes::colors` | docs/maths.md, Chains ("checkerboard sweeps") |
//! | `P(x(v) = +1 \| rest)` | `Ising::threshold`, as `p·2⁶⁴` | docs/maths.md, Chains |
//! | one sweep | [`Chain::step`] | the paper has the random scan only, a site at a time |
//!
//! Sites of one color have neighbors of the other color only, so given the others they are independent, and a
//! half-sweep draws all of them at once. It keeps `π ∝ exp(−H/T)` as each single update does; the sweep is not
//! reversible, but its law is the same.
//!
//! While sweeping, each color has a plane of its own, in which the neighbors of a run of sites are four runs of bytes:
//! those above, below, and two that overlap. An update takes one random byte, compared with the highest byte of the
//! site's 64-bit threshold. When they are equal (1 in 256), a word from the generator decides with the other 56
//! bits, so that the law is exact to `2⁻⁶⁴`.
//!
//! Order of the random numbers: a half-sweep goes by blocks of whole rows; a block takes one byte for each of its sites
//! from `fill_bytes`, then one word for each tie, in the order of its sites.

use super::heat_bath::decide;
use super::ising::Thresholds;
use super::spins::delegate_to_model;
use super::{Boundary, Chain, Ising, Lattice, SpinSystem};
use crate::linalg::Isa;
use crate::linalg::simd::{Simd, WithSimd};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Sites updated by one turn of the vector loop.
pub(super) const RUN: usize = 64;
/// Random bytes to a block, if a row has no more.
const BLOCK: usize = 8192;

/// Checkerboard sweeps of an Ising model; a step is one sweep.
///
/// The law is that of [`Ising`]; all even sites are drawn given the odd ones, then all odd ones given the even ones.
///
/// ```
/// use ergodict::{chain::{Boundary, Chain, Checkerboard, Field, Ising, Lattice, SpinSystem}, rng};
/// let lattice = Lattice::new(64, 64, Boundary::Periodic)?;
/// let chain = Checkerboard::new(Ising::new(lattice, 2.26, 1.0, Field::Uniform(0.0))?)?;
/// let mut rng = rng::stream(0, rng::Purpose::Chain, 0);
/// let mut state = chain.state(&[1; 64 * 64])?;
/// chain.steps(&mut state, 10, &mut rng);
/// assert_eq!(chain.updates(), 64 * 64);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Checkerboard {
    model: Ising,
    lattice: Lattice,
    isa: Isa,
}

impl Checkerboard {
    /// Sweeps of a model.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a torus with an odd side, which has no two colors.
    pub fn new(model: Ising) -> Result<Self> {
        let lattice = model.on();
        check_two_colors(lattice)?;
        // AVX-512 was no faster: 1639 million updates a second against 1734 with AVX2 at 200×200, 2207 against 2230 at
        // 1024×1024 (Zen 4, benchsuite/runs/2026-11-15).
        Ok(Self { model, lattice, isa: Isa::detect().narrower() })
    }

    /// The same with a given instruction set; the states are the same with every one.
    pub fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }
}

/// Refuses a torus with an odd side, which has no two colors.
pub(super) fn check_two_colors(lattice: Lattice) -> Result<()> {
    let (rows, cols) = lattice.shape();
    if lattice.boundary() == Boundary::Periodic && (rows % 2 == 1 || cols % 2 == 1) {
        let expected =
            "checkerboard sweeps need even sides on a torus (or a free boundary, or the random scan)";
        return Err(Error::parameter("the lattice", format!("a torus of {rows}×{cols} sites"), expected));
    }
    Ok(())
}

/// Rows to a block of random numbers.
pub(super) fn rows_to_a_block(lattice: Lattice) -> usize {
    (BLOCK / lattice.cols().div_ceil(2)).max(1)
}

impl Chain for Checkerboard {
    type State = Vec<i8>;
    type Info = ();

    /// Every spin is + or − with probability 1/2.
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
        assert_eq!(state.len(), self.lattice.sites(), "a state has one spin for each site");
        let planes = Planes::new(self.lattice, 0);
        let rows_to_a_block = rows_to_a_block(self.lattice);
        // A run may begin at the last byte of a block.
        let bytes = vec![0; rows_to_a_block * planes.half + RUN];
        let ties = vec![0; planes.stride];
        let sweeps =
            Sweeps { model: &self.model, spins: state, planes, bytes, ties, rows_to_a_block, count, rng };
        self.isa.run(sweeps);
    }
}

impl SpinSystem for Checkerboard {
    delegate_to_model!(Vec<i8>, i8);
}

/// The two colors apart. Row `i` of color `c` holds the sites `(i, 2k + p)`, `p = (i + c) mod 2`, at `1 + k`; before the
/// first and after the last of them is what lies beyond the edge: the other end of the row on a torus, else nothing (0 for spins, a negative number for
/// labels).
pub(super) struct Planes {
    lattice: Lattice,
    /// Sites of a color in a row, at most.
    half: usize,
    /// Bytes to a row: whole runs, and one before and after.
    stride: usize,
    colors: [Vec<i8>; 2],
    /// A row of what is above and below a free lattice.
    nothing: Vec<i8>,
}

impl Planes {
    pub(super) fn new(lattice: Lattice, nothing: i8) -> Self {
        let half = lattice.cols().div_ceil(2);
        let stride = half.next_multiple_of(RUN) + 2;
        let plane = vec![0; stride * lattice.rows()];
        Self { lattice, half, stride, colors: [plane.clone(), plane], nothing: vec![nothing; stride] }
    }

    /// Sites of a color in a row, at most.
    pub(super) fn half(&self) -> usize {
        self.half
    }

    /// The same in whole runs.
    pub(super) fn width(&self) -> usize {
        self.stride - 2
    }

    /// Column of the first site of a color in a row, and the number of its sites there.
    #[inline(always)]
    pub(super) fn run(&self, row: usize, color: usize) -> (usize, usize) {
        let first = (row + color) % 2;
        (first, (self.lattice.cols() + 1 - first) / 2)
    }

    #[inline(always)]
    pub(super) fn pack(&mut self, spins: &[i8]) {
        for (row, line) in spins.chunks_exact(self.lattice.cols()).enumerate() {
            let (pairs, last) = line.as_chunks::<2>();
            let place = row * self.stride + 1;
            let [even, odd] = &mut self.colors;
            let (first, second) = if row % 2 == 0 { (even, odd) } else { (odd, even) };
            let (into, other) = (&mut first[place..][..self.half], &mut second[place..][..self.half]);
            for ((pair, into), other) in pairs.iter().zip(&mut *into).zip(other) {
                [*into, *other] = *pair;
            }
            into[pairs.len()..].copy_from_slice(last);
            self.close(row, 0);
            self.close(row, 1);
        }
    }

    #[inline(always)]
    pub(super) fn unpack(&self, spins: &mut [i8]) {
        for (row, line) in spins.chunks_exact_mut(self.lattice.cols()).enumerate() {
            let (pairs, last) = line.as_chunks_mut::<2>();
            let place = row * self.stride + 1;
            let [even, odd] = &self.colors;
            let (first, second) = if row % 2 == 0 { (even, odd) } else { (odd, even) };
            let (from, other) = (&first[place..][..self.half], &second[place..][..self.half]);
            last.copy_from_slice(&from[pairs.len()..]);
            for ((pair, from), other) in pairs.iter_mut().zip(from).zip(other) {
                *pair = [*from, *other];
            }
        }
    }

    /// Sets what lies beyond both ends of a row.
    #[inline(always)]
    pub(super) fn close(&mut self, row: usize, color: usize) {
        let count = self.run(row, color).1;
        let line = &mut self.colors[color][row * self.stride..][..self.stride];
        (line[0], line[count + 1]) = match self.lattice.boundary() {
            Boundary::Periodic => (line[count], line[1]),
            Boundary::Free => (self.nothing[0], self.nothing[0]),
        };
    }

    /// The sites of a color in a row, and the four runs of their neighbors, all of whole length.
    #[inline(always)]
    pub(super) fn around(&mut self, row: usize, color: usize) -> (&mut [i8], [&[i8]; 4]) {
        let rows = self.lattice.rows();
        let wrap = self.lattice.boundary() == Boundary::Periodic;
        let (width, stride) = (self.stride - 2, self.stride);
        let [even, odd] = &mut self.colors;
        let (own, other) = if color == 0 { (even, &*odd) } else { (odd, &*even) };
        let line = |row: usize| &other[row * stride..][..stride];
        let above = if row > 0 {
            line(row - 1)
        } else if wrap {
            line(rows - 1)
        } else {
            &self.nothing
        };
        let below = if row + 1 < rows {
            line(row + 1)
        } else if wrap {
            line(0)
        } else {
            &self.nothing
        };
        // Left and right of column 2k are the other color's k − 1 and k; of column 2k + 1 they are k and k + 1.
        let left = (row + color) % 2;
        let beside = line(row);
        let neighbors =
            [&above[1..=width], &below[1..=width], &beside[left..][..width], &beside[left + 1..][..width]];
        (&mut own[row * stride + 1..][..width], neighbors)
    }
}

struct Sweeps<'a> {
    model: &'a Ising,
    spins: &'a mut [i8],
    planes: Planes,
    bytes: Vec<u8>,
    ties: Vec<u8>,
    rows_to_a_block: usize,
    count: u64,
    rng: &'a mut ChaCha8Rng,
}

impl WithSimd for Sweeps<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        let thresholds = self.model.uniform_thresholds().copied();
        self.planes.pack(self.spins);
        for _ in 0..self.count {
            for color in 0..2 {
                self.half_sweep(color, thresholds.as_ref());
            }
        }
        self.planes.unpack(self.spins);
    }
}

impl Sweeps<'_> {
    #[inline(always)]
    fn half_sweep(&mut self, color: usize, uniform: Option<&Thresholds>) {
        let (rows, cols) = self.planes.lattice.shape();
        let wrap = self.planes.lattice.boundary() == Boundary::Periodic;
        let mut first_row = 0;
        while first_row < rows {
            let block = first_row..rows.min(first_row + self.rows_to_a_block);
            let sites = block.clone().map(|row| self.planes.run(row, color).1).sum();
            self.rng.fill_bytes(&mut self.bytes[..sites]);
            let mut used = 0;
            for row in block.clone() {
                let (first, count) = self.planes.run(row, color);
                let (own, neighbors) = self.planes.around(row, color);
                let bytes = &self.bytes[used..];
                let site = |k: usize| row * cols + first + 2 * k;
                let sum = |k: usize| neighbors.iter().map(|run| i32::from(run[k])).sum::<i32>();
                let model = self.model;
                let threshold = |k: usize| match uniform {
                    Some(thresholds) => thresholds[(sum(k) + 4) as usize],
                    None => model.threshold(site(k), sum(k)),
                };
                if let Some(thresholds) = uniform {
                    if wrap {
                        update_runs::<2>(own, neighbors, bytes, thresholds, &mut self.ties, count);
                    } else {
                        update_runs::<1>(own, neighbors, bytes, thresholds, &mut self.ties, count);
                    }
                } else {
                    for k in 0..count {
                        let high = (threshold(k) >> 56) as u8;
                        own[k] = if bytes[k] < high { 1 } else { -1 };
                        self.ties[k] = u8::from(bytes[k] == high);
                    }
                }
                let rng = &mut *self.rng;
                for_each_mark(&self.ties[..count.next_multiple_of(8)], |k| {
                    if k < count {
                        own[k] = if decide(rng.next_u64(), threshold(k)) { 1 } else { -1 };
                    }
                });
                self.planes.close(row, color);
                used += count;
            }
            first_row = block.end;
        }
    }
}

/// Whole runs that cover the first `count` sites: a spin is +1 where its byte is below the highest byte of the
/// threshold of its sum; ties are marked. Sums go by `STEP`: with four neighbors everywhere they are even.
#[inline(always)]
fn update_runs<const STEP: usize>(
    own: &mut [i8],
    neighbors: [&[i8]; 4],
    bytes: &[u8],
    thresholds: &Thresholds,
    ties: &mut [u8],
    count: usize,
) {
    let high = thresholds.map(|t| (t >> 56) as u8);
    let [above, below, left, right] = neighbors.map(|run| run.as_chunks::<RUN>().0);
    let (own, ties) = (own.as_chunks_mut::<RUN>().0, ties.as_chunks_mut::<RUN>().0);
    for run in 0..count.div_ceil(RUN) {
        let (above, below, left, right) = (&above[run], &below[run], &left[run], &right[run]);
        let Some(bytes) = bytes[run * RUN..].first_chunk::<RUN>() else { return };
        let (own, ties) = (&mut own[run], &mut ties[run]);
        for i in 0..RUN {
            let sum = above[i] + below[i] + left[i] + right[i];
            // A look-up in steps, each a comparison, which vectors have.
            let mut threshold = high[0];
            for k in (STEP..9).step_by(STEP) {
                let more = high[k].wrapping_sub(high[k - STEP]);
                threshold = threshold.wrapping_add(if sum >= k as i8 - 4 { more } else { 0 });
            }
            own[i] = if bytes[i] < threshold { 1 } else { -1 };
            ties[i] = u8::from(bytes[i] == threshold);
        }
    }
}

/// Calls `work` with the places of the bytes that are not 0, in order.
#[inline(always)]
pub(super) fn for_each_mark(marks: &[u8], mut work: impl FnMut(usize)) {
    for (at, eight) in marks.as_chunks().0.iter().enumerate() {
        let mut eight = u64::from_le_bytes(*eight);
        while eight != 0 {
            work(8 * at + eight.trailing_zeros() as usize / 8);
            eight &= eight - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Field;
    use crate::rng::{Purpose, stream};

    /// A sweep site by site, with the random numbers in the order the file's head says.
    fn plain_sweep(chain: &Checkerboard, spins: &mut [i8], rng: &mut ChaCha8Rng) {
        let (rows, cols) = chain.shape();
        let mut bytes = vec![0; cols * rows_to_a_block(chain.lattice)];
        for color in 0..2 {
            for first in (0..rows).step_by(rows_to_a_block(chain.lattice)) {
                let last = rows.min(first + rows_to_a_block(chain.lattice));
                let sites = (first * cols..last * cols).filter(|v| (v / cols + v % cols) % 2 == color);
                let count = sites.clone().count();
                rng.fill_bytes(&mut bytes[..count]);
                for (site, byte) in sites.zip(&bytes) {
                    let threshold = chain.model.threshold(site, chain.model.neighbor_sum(spins, site));
                    let high = (threshold >> 56) as u8;
                    let plus = *byte < high || *byte == high && decide(rng.next_u64(), threshold);
                    spins[site] = if plus { 1 } else { -1 };
                }
            }
        }
    }

    #[test]
    fn every_instruction_set_gives_the_spins_and_generator_of_the_plain_sweep() {
        let shapes =
            [(2, 2), (2, 8), (4, 6), (6, 130), (3, 3), (1, 9), (7, 1), (5, 64), (9, 257), (16, 5000)];
        for (rows, cols) in shapes {
            for boundary in [Boundary::Periodic, Boundary::Free] {
                let sites = rows * cols;
                let map = Field::Map((0..sites).map(|v| f64::from((v % 7) as u8) / 2.0 - 1.0).collect());
                for (coupling, field) in [(1.0, Field::Uniform(0.0)), (-0.8, Field::Uniform(0.4)), (1.0, map)]
                {
                    let lattice = Lattice::new(rows, cols, boundary).unwrap();
                    let model = Ising::new(lattice, 2.0, coupling, field).unwrap();
                    let Ok(chain) = Checkerboard::new(model) else { continue };
                    let mut rng = stream(5, Purpose::Chain, sites as u64);
                    let start = chain.init(&mut rng);
                    let (mut plain, mut plain_rng) = (start.clone(), rng.clone());
                    (0..3).for_each(|_| plain_sweep(&chain, &mut plain, &mut plain_rng));
                    for isa in Isa::available() {
                        let chain = chain.clone().with_isa(isa);
                        let (mut state, mut rng) = (start.clone(), rng.clone());
                        chain.step(&mut state, &mut rng);
                        chain.steps(&mut state, 2, &mut rng);
                        let case = format!("{rows}×{cols} {boundary:?} {} {coupling}", isa.name());
                        assert!(state == plain, "{case}");
                        assert_eq!(rng.get_word_pos(), plain_rng.get_word_pos(), "{case}");
                    }
                }
            }
        }
    }

    #[test]
    fn bytes_and_ties_have_the_law_of_the_whole_threshold() {
        // Of the 2⁶⁴ cases of byte and seven more, exactly `threshold` are +1.
        for threshold in [0, 1, 1 << 63, 0x1234_5678_9abc_def0, u64::MAX] {
            let low = threshold & (u64::MAX >> 8);
            assert_eq!((threshold >> 56 << 56) + low, threshold);
            assert!(!decide(low << 8, threshold), "the first word that is not below");
            assert!(low == 0 || decide((low - 1) << 8 | 255, threshold), "the last word below");
        }
    }

    #[test]
    fn a_torus_with_an_odd_side_is_refused_and_a_free_lattice_is_not() {
        for (rows, cols) in [(3, 4), (4, 3), (5, 5), (1, 4)] {
            let ising = |boundary| {
                Ising::new(Lattice::new(rows, cols, boundary).unwrap(), 2.0, 1.0, Field::Uniform(0.0))
                    .unwrap()
            };
            let refusal = Checkerboard::new(ising(Boundary::Periodic)).unwrap_err().to_string();
            assert!(
                refusal.contains(&format!("{rows}×{cols}")) && refusal.contains("even sides"),
                "{refusal}"
            );
            assert!(Checkerboard::new(ising(Boundary::Free)).is_ok());
        }
    }
}
