//! What one thread makes of some homomorphisms: their patches, codes, and what is to be added to which pair.

use super::atoms::Atoms;
use super::positions::Positions;
use super::sums::store::Store;
use crate::factor::code::{CodeReport, CorrelatedCoder};
use crate::linalg::products::Op;
use crate::linalg::{Mat, Scalar};
use crate::patch::NetworkPatches;

/// Homomorphisms that are coded together, as the coder of minibatches has it.
pub(super) const CHUNK: usize = 128;

/// What all threads share.
pub(super) struct Shared<'a, T, S: Store> {
    pub(super) patches: &'a NetworkPatches,
    pub(super) positions: &'a Positions,
    pub(super) atoms: &'a Atoms<T>,
    pub(super) store: &'a S,
    pub(super) cuts: &'a S::Cuts,
}

/// Keys and values for one part.
pub(super) struct List<T, K> {
    keys: Vec<K>,
    values: Vec<T>,
    len: usize,
}

impl<T: Scalar, K: Copy + Default> List<T, K> {
    fn new() -> Self {
        Self { keys: Vec::new(), values: Vec::new(), len: 0 }
    }

    pub(super) fn keys(&self) -> &[K] {
        &self.keys[..self.len]
    }

    pub(super) fn values(&self) -> &[T] {
        &self.values[..self.len]
    }

    /// Makes room for `more` entries.
    fn reserve(&mut self, more: usize) {
        if self.keys.len() < self.len + more {
            self.keys.resize(self.len + more, K::default());
            self.values.resize(self.len + more, T::ZERO);
        }
    }

    #[inline(always)]
    fn push(&mut self, key: K, value: T) {
        self.keys[self.len] = key;
        self.values[self.len] = value;
        self.len += 1;
    }
}

/// A thread's buffers.
pub(super) struct Worker<T, K> {
    coder: CorrelatedCoder<T>,
    /// Bits of patches; patches that are not bits.
    bits: Vec<u64>,
    columns: Mat<T>,
    /// Atoms and codes of a chunk one after the other, and where those of each homomorphism end.
    used: Vec<u32>,
    codes: Vec<T>,
    ends: Vec<usize>,
    /// Of a chunk, before it is shared out among the parts.
    keys: Vec<K>,
    values: Vec<T>,
    mask: Vec<u64>,
    wanted: Vec<u64>,
    /// One for each part.
    pub(super) lists: Vec<List<T, K>>,
    pub(super) report: CodeReport,
}

impl<T: Scalar, K: Copy + Default> Worker<T, K> {
    pub(super) fn new(coder: CorrelatedCoder<T>, parts: usize) -> Self {
        Self {
            coder,
            bits: Vec::new(),
            columns: Mat::zeros(0, 0),
            used: Vec::new(),
            codes: Vec::new(),
            ends: Vec::new(),
            keys: Vec::new(),
            values: Vec::new(),
            mask: Vec::new(),
            wanted: Vec::new(),
            lists: (0..parts).map(|_| List::new()).collect(),
            report: CodeReport::default(),
        }
    }

    /// Fills the lists with what homomorphisms add.
    pub(super) fn work<S: Store<Key = K>>(&mut self, xs: &[u32], shared: &Shared<'_, T, S>) {
        self.lists.iter_mut().for_each(|list| list.len = 0);
        let k = shared.positions.k;
        for xs in xs.chunks(CHUNK * k) {
            self.code(xs, shared);
            if shared.positions.all_count() && self.lists.len() == 1 {
                self.list_all(xs, shared);
            } else {
                self.share_out(xs, shared);
            }
        }
    }

    /// Patches, correlations and codes of a chunk.
    fn code<S: Store>(&mut self, xs: &[u32], shared: &Shared<'_, T, S>) {
        let Shared { patches, atoms, .. } = shared;
        let count = xs.len() / patches.k();
        let correlations = self.coder.correlations(count);
        if patches.are_bits() {
            self.bits.resize(count * patches.words(), 0);
            patches.bits_all(xs, &mut self.bits);
            atoms.correlate(&self.bits, patches.words(), correlations);
        } else {
            patches.write_all(xs, &mut self.columns);
            let (w, x) = ((Op::Transposed, atoms.w.as_ref()), (Op::Plain, self.columns.as_ref()));
            T::product(correlations, false, w, x, 1.0);
        }
        let report = self.coder.solve();
        self.report = add(self.report, report);
        let r = atoms.len();
        self.used.resize(count * r, 0);
        self.codes.resize(count * r, T::ZERO);
        self.ends.clear();
        let mut end = 0;
        for j in 0..count {
            end += self.coder.code(j, &mut self.used[end..end + r], &mut self.codes[end..end + r]);
            self.ends.push(end);
        }
    }

    /// All positions of a chunk, for the only part.
    fn list_all<S: Store<Key = K>>(&mut self, xs: &[u32], shared: &Shared<'_, T, S>) {
        let Shared { positions, atoms, store, .. } = shared;
        let (count, step) = (self.ends.len(), positions.len());
        let list = &mut self.lists[0];
        list.reserve(count * step + atoms.padded());
        let end = self.ends[count - 1];
        let codes = (&self.used[..end], &self.codes[..end]);
        atoms.rebuild(codes, &self.ends, &mut list.values[list.len..], step);
        store.keys(xs, positions, &mut list.keys[list.len..][..count * step]);
        list.len += count * step;
    }

    /// The positions of a chunk that count, part by part.
    fn share_out<S: Store<Key = K>>(&mut self, xs: &[u32], shared: &Shared<'_, T, S>) {
        let Shared { positions, atoms, store, cuts, .. } = shared;
        let (count, step) = (self.ends.len(), positions.len());
        self.values.resize(CHUNK * step + atoms.padded(), T::ZERO);
        self.keys.resize(count * step, K::default());
        let end = self.ends[count - 1];
        let codes = (&self.used[..end], &self.codes[..end]);
        atoms.rebuild(codes, &self.ends, &mut self.values, step);
        store.keys(xs, positions, &mut self.keys);
        for list in &mut self.lists {
            // A position of a node twice there may count twice.
            list.reserve(2 * count * step);
        }
        let lists = &mut self.lists[..];
        let samples = self.keys.chunks_exact(step).zip(self.values.chunks_exact(step));
        if positions.all_count() {
            if let [first, second] = lists {
                share_in_two(&self.keys, &self.values, |key| S::part(cuts, key), first, second);
                return;
            }
            for (&key, &value) in self.keys.iter().zip(&self.values) {
                lists[S::part(cuts, key)].push(key, value);
            }
            return;
        }
        self.mask.resize(positions.words(), 0);
        let twice = positions.loops && !positions.directed;
        positions.wanted(xs, &mut self.wanted);
        let words = positions.wanted_words();
        for (i, (x, (keys, values))) in xs.chunks_exact(positions.k).zip(samples).enumerate() {
            positions.mask(x, &self.wanted[i * words..][..words], &mut self.mask);
            for (word, &ones) in self.mask.iter().enumerate() {
                let mut ones = ones;
                while ones != 0 {
                    let i = 64 * word + ones.trailing_zeros() as usize;
                    ones &= ones - 1;
                    let list = &mut lists[S::part(cuts, keys[i])];
                    list.push(keys[i], values[i]);
                    if twice {
                        let (a, b) = positions.places()[i];
                        // (a,b) and (b,a) are both of this node and itself.
                        if a != b && x[a as usize] == x[b as usize] {
                            list.push(keys[i], values[i]);
                        }
                    }
                }
            }
        }
    }
}

/// Shares out among two parts without a branch: written to both, and gone on in one.
#[inline]
fn share_in_two<T: Scalar, K: Copy>(
    keys: &[K],
    values: &[T],
    part: impl Fn(K) -> usize,
    first: &mut List<T, K>,
    second: &mut List<T, K>,
) {
    let room = keys.len();
    let (one, two) = (&mut first.keys[first.len..][..room], &mut second.keys[second.len..][..room]);
    let (with_one, with_two) =
        (&mut first.values[first.len..][..room], &mut second.values[second.len..][..room]);
    let (mut i, mut j) = (0, 0);
    for (&key, &value) in keys.iter().zip(values) {
        (one[i], with_one[i], two[j], with_two[j]) = (key, value, key, value);
        let second = part(key);
        i += 1 - second;
        j += second;
    }
    first.len += i;
    second.len += j;
}

/// What two codings took together.
pub(super) fn add(one: CodeReport, two: CodeReport) -> CodeReport {
    CodeReport {
        steps: one.steps + two.steps,
        newton_steps: one.newton_steps + two.newton_steps,
        capped: one.capped + two.capped,
        kkt: one.kkt.max(two.kkt),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_parts_get_what_is_theirs_in_order_after_what_they_had() {
        for count in [0, 1, 2, 63, 200] {
            let keys: Vec<u32> = (0..count).map(|i| i * i % 7).collect();
            let values: Vec<f64> = (0..count).map(f64::from).collect();
            let (mut first, mut second) = (List::new(), List::new());
            for list in [&mut first, &mut second] {
                list.reserve(1 + keys.len());
                list.push(9, -1.0);
            }
            share_in_two(&keys, &values, |key| (key % 2) as usize, &mut first, &mut second);
            for (part, list) in [(0, &first), (1, &second)] {
                let own = keys.iter().zip(&values).filter(|(key, _)| **key % 2 == part);
                let (keys, values): (Vec<u32>, Vec<f64>) =
                    [(9, -1.0)].into_iter().chain(own.map(|(key, value)| (*key, *value))).unzip();
                assert_eq!((&list.keys[..list.len], &list.values[..list.len]), (&keys[..], &values[..]));
            }
        }
        let one = CodeReport { steps: 1, newton_steps: 20, capped: 3, kkt: 0.5 };
        let two = CodeReport { steps: 10, newton_steps: 2, capped: 4, kkt: 0.25 };
        let both = CodeReport { steps: 11, newton_steps: 22, capped: 7, kkt: 0.5 };
        assert_eq!((add(one, two), add(two, one)), (both, both));
    }
}
