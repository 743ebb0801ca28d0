//! Only the pairs that were visited, in hash tables; what the tables have no room for goes to sorted runs in a file.
//!
//! Pairs are shared out among a fixed number of tables by their hash, so that threads have tables of their own. A table that would
//! outgrow its share of the memory writes its pairs, sorted, to a run, and restarts empty; sums of a pair add up over runs and table.

use super::pages::Pages;
use super::runs::{Record, Run, merge};
use super::store::{Cell, Part, PutDown, Raw, Short, Store};
use crate::Result;
use crate::linalg::{Scalar, prefetch};
use crate::reconstruct::network::positions::Positions;
use rayon::slice::ParallelSliceMut;
use std::collections::HashMap;

/// Tables, as a power of two.
const TABLES: u32 = 4;

/// How many visits ahead places are fetched.
const AHEAD: usize = 32;

/// Places of a new table, as a power of two.
const FIRST: u32 = 6;

/// Runs of a table at which they become one: each is searched for a pair.
const MOST_RUNS: usize = 16;

/// Spreads keys over all bits.
#[inline(always)]
fn mix(key: u64) -> u64 {
    let mixed = (key ^ key >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// A pair, one more than its key so that zeros are free, and its cell.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
struct Place {
    key: u64,
    cell: Short,
}

/// One table, with open addressing.
#[derive(Debug)]
pub(in crate::reconstruct::network) struct Table {
    /// Their number is a power of two.
    places: Pages<[u64; 2]>,
    taken: usize,
    /// What cells have put down.
    put_down: HashMap<u64, PutDown>,
    /// Most bytes of places.
    share: usize,
    runs: Vec<Run>,
}

impl Place {
    #[inline(always)]
    fn read(words: [u64; 2]) -> Self {
        Self { key: words[0], cell: [words[1] as u32, (words[1] >> 32) as u32] }
    }

    #[inline(always)]
    fn words(self) -> [u64; 2] {
        [self.key, u64::from(self.cell[0]) | u64::from(self.cell[1]) << 32]
    }
}

impl Table {
    fn new(share: usize) -> Result<Self> {
        let (put_down, runs) = (HashMap::new(), Vec::new());
        Ok(Self { places: Pages::zeros(1 << FIRST)?, taken: 0, put_down, share, runs })
    }

    #[inline(always)]
    fn home(&self, key: u64) -> usize {
        // The highest bits chose the table.
        (mix(key) << TABLES >> (64 - self.places.len().trailing_zeros())) as usize
    }

    /// Where the key is or would be.
    #[inline(always)]
    fn find(&self, key: u64) -> usize {
        let last = self.places.len() - 1;
        let mut at = self.home(key);
        while self.places[at][0] != 0 && self.places[at][0] != key + 1 {
            at = (at + 1) & last;
        }
        at
    }

    fn get(&self, key: u64) -> (f64, u64) {
        let (mut sum, mut count) = (0.0, 0);
        for run in &self.runs {
            if let Some(record) = run.find(key) {
                sum += record.sum;
                count += record.count;
            }
        }
        let (more, times) = self.in_table(key);
        (sum + more, count + times)
    }

    /// What the table itself has of a key.
    fn in_table(&self, key: u64) -> (f64, u64) {
        self.with_put_down(key, Place::read(self.places[self.find(key)]).cell)
    }

    /// What a cell of the key has, and has put down.
    fn with_put_down(&self, key: u64, cell: Short) -> (f64, u64) {
        let (sum, count) = cell.read();
        let down = if cell.has_put_down() { self.put_down.get(&key) } else { None };
        down.map_or((sum, count), |down| (down.sum + sum, down.count + count))
    }

    /// Where the key is, from now on.
    #[inline(always)]
    fn place(&mut self, key: u64) -> Result<usize> {
        let mut at = self.find(key);
        if self.places[at][0] == 0 {
            // 0.7 of the places taken at most.
            if 10 * (self.taken + 1) > 7 * self.places.len() {
                self.make_room()?;
                at = self.find(key);
            }
            self.places[at][0] = key + 1;
            self.taken += 1;
        }
        Ok(at)
    }

    /// Changes a cell, and puts down what it gives back.
    #[inline(always)]
    fn change(&mut self, key: u64, change: impl FnOnce(&mut Short) -> Option<PutDown>) -> Result<()> {
        let at = self.place(key)?;
        let mut place = Place::read(self.places[at]);
        let down = change(&mut place.cell);
        self.places[at] = place.words();
        if let Some(down) = down {
            self.put_down.entry(key).or_default().add(down);
        }
        Ok(())
    }

    /// Twice the places, or none taken.
    #[cold]
    fn make_room(&mut self) -> Result<()> {
        let places = 2 * self.places.len();
        if places * size_of::<[u64; 2]>() > self.share {
            let run = Run::write(self.sorted().into_iter().map(|place| self.record(place)))?;
            self.runs.push(run);
            if self.runs.len() == MOST_RUNS {
                let runs: Vec<&Run> = self.runs.iter().collect();
                self.runs = vec![Run::write(merge(&runs, std::iter::empty()))?];
            }
            self.places.fill([0; 2]);
            self.put_down.clear();
            self.taken = 0;
            return Ok(());
        }
        let old = std::mem::replace(&mut self.places, Pages::zeros(places)?);
        for &words in old.iter().filter(|words| words[0] != 0) {
            let at = self.find(words[0] - 1);
            self.places[at] = words;
        }
        Ok(())
    }

    /// The places of the table itself that are taken, by ascending key. Cells go with their keys: to look for them again in the order of
    /// the keys would be a cache miss each, and took a third of a reconstruction of 10⁷ pairs.
    fn sorted(&self) -> Vec<[u64; 2]> {
        let mut places = Vec::with_capacity(self.taken);
        places.extend(self.taken_places());
        places.sort_unstable_by_key(|words| words[0]);
        places
    }

    fn taken_places(&self) -> impl Iterator<Item = [u64; 2]> + '_ {
        self.places.iter().copied().filter(|words| words[0] != 0)
    }

    /// What a place that is taken has.
    fn record(&self, words: [u64; 2]) -> Record {
        let (key, cell) = (words[0] - 1, Place::read(words).cell);
        let (sum, count) = self.with_put_down(key, cell);
        Record { key, sum, count }
    }
}

/// All tables.
#[derive(Debug)]
pub(in crate::reconstruct::network) struct Hashed {
    tables: Vec<Table>,
    directed: bool,
}

impl Hashed {
    /// No visits yet; `memory` is the bytes that tables may take.
    pub(super) fn new(directed: bool, memory: usize) -> Result<Self> {
        let tables = (0..1 << TABLES).map(|_| Table::new(memory >> TABLES)).collect::<Result<_>>()?;
        Ok(Self { tables, directed })
    }

    #[inline(always)]
    fn table(key: u64) -> usize {
        (mix(key) >> (64 - TABLES)) as usize
    }

    fn key(&self, u: u32, v: u32) -> u64 {
        if self.directed { join(u, v) } else { join(u.min(v), u.max(v)) }
    }

    /// The sum and the count of a pair.
    pub(super) fn get(&self, u: u32, v: u32) -> (f64, u64) {
        let key = self.key(u, v);
        self.tables[Self::table(key)].get(key)
    }

    /// The pairs that were visited, ascending.
    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = (u32, u32, f64, u64)> + '_> {
        let runs: Vec<&Run> = self.tables.iter().flat_map(|table| &table.runs).collect();
        let here =
            self.sorted().into_iter().map(|words| self.tables[Self::table(words[0] - 1)].record(words));
        let pair = |record: Record| ((record.key >> 32) as u32, record.key as u32, record.sum, record.count);
        if runs.is_empty() {
            return Box::new(here.map(pair));
        }
        Box::new(merge(&runs, here).map(pair))
    }

    /// The places of all tables that are taken, by ascending key.
    fn sorted(&self) -> Vec<[u64; 2]> {
        let mut places = Vec::with_capacity(self.tables.iter().map(|table| table.taken).sum());
        places.extend(self.tables.iter().flat_map(Table::taken_places));
        places.par_sort_unstable_by_key(|words| words[0]);
        places
    }

    /// The pairs in the tables themselves, ascending, with the bits of their cells; [`Hashed::runs`] has the others.
    pub(super) fn raw(&self) -> impl Iterator<Item = (u32, u32, Raw)> + '_ {
        self.sorted().into_iter().map(|words| {
            let key = words[0] - 1;
            let (sum, count) = Place::read(words).cell.bits();
            let down = self.tables[Self::table(key)].put_down.get(&key).copied();
            ((key >> 32) as u32, key as u32, Raw { sum, count, down })
        })
    }

    /// The runs of each table.
    pub(super) fn runs(&self) -> impl Iterator<Item = &[Run]> {
        self.tables.iter().map(|table| &*table.runs)
    }

    /// Puts back the runs of a table, which were written by [`Hashed::runs`]: when a table is full next depends on what is in it, not on
    /// its runs.
    pub(super) fn set_runs(&mut self, table: usize, runs: Vec<Run>) {
        if let Some(table) = self.tables.get_mut(table) {
            table.runs = runs;
        }
    }

    /// Puts back what [`Hashed::raw`] gave.
    pub(super) fn set_raw(&mut self, u: u32, v: u32, raw: Raw) -> Result<()> {
        let key = self.key(u, v);
        self.tables[Self::table(key)].change(key, |cell| {
            *cell = Cell::from_bits(raw.sum, raw.count);
            raw.down
        })
    }

    /// Adds visits of a pair.
    pub(super) fn add(&mut self, u: u32, v: u32, more: PutDown) -> Result<()> {
        let key = self.key(u, v);
        self.tables[Self::table(key)].change(key, |cell| cell.absorb(more))
    }
}

impl Store for Hashed {
    type Key = u64;
    type Part<'a> = &'a mut [Table];
    /// How many tables a part has, as a power of two.
    type Cuts = u32;

    fn keys(&self, xs: &[u32], positions: &Positions, out: &mut [u64]) {
        for (x, out) in xs.chunks_exact(positions.k).zip(out.chunks_exact_mut(positions.len().max(1))) {
            for (out, &(a, b)) in out.iter_mut().zip(positions.places()) {
                let (u, v) = (x[a as usize], x[b as usize]);
                *out = if self.directed { join(u, v) } else { join(u.min(v), u.max(v)) };
            }
        }
    }

    fn cuts(&self, threads: usize) -> u32 {
        TABLES - (usize::BITS - (threads.max(1) - 1).leading_zeros()).min(TABLES)
    }

    fn parts(cuts: &u32) -> usize {
        1 << (TABLES - cuts)
    }

    #[inline(always)]
    fn part(cuts: &u32, key: u64) -> usize {
        Self::table(key) >> cuts
    }

    fn split<'a>(&'a mut self, cuts: &u32) -> Vec<&'a mut [Table]> {
        self.tables.chunks_mut(1 << cuts).collect()
    }
}

impl Part<u64> for &mut [Table] {
    fn add<T: Scalar>(&mut self, keys: &[u64], values: &[T]) -> Result<()> {
        let (count, mask) = (keys.len().min(values.len()), self.len() - 1);
        for i in 0..count {
            if let Some(&later) = keys.get(i + AHEAD) {
                let table = &self[Hashed::table(later) & mask];
                prefetch(&table.places, table.home(later));
            }
            let value = values[i];
            self[Hashed::table(keys[i]) & mask].change(keys[i], |cell| cell.visit(value))?;
        }
        Ok(())
    }
}

/// A pair as a number; the order is that of pairs.
#[inline(always)]
fn join(u: u32, v: u32) -> u64 {
    u64::from(u) << 32 | u64::from(v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, below, stream};
    use std::collections::BTreeMap;

    #[test]
    fn tables_and_runs_hold_what_was_added() {
        for (memory, runs) in [(1 << 20, 0), (30_000, 3), (0, 1)] {
            let (mut hashed, mut exact) = (Hashed::new(true, memory).unwrap(), BTreeMap::new());
            let mut rng = stream(memory as u64, Purpose::Synthetic, 0);
            for _ in 0..40 {
                let keys: Vec<u64> = (0..1000)
                    .map(|_| join(below(&mut rng, 4) as u32, below(&mut rng, 700) as u32 + 7))
                    .collect();
                // One pair so often that its sum is put down.
                let keys: Vec<u64> = keys.iter().flat_map(|&key| [key, join(u32::MAX - 1, 0)]).collect();
                let cuts = hashed.cuts(2);
                for (i, mut part) in hashed.split(&cuts).into_iter().enumerate() {
                    let keys: Vec<u64> =
                        keys.iter().copied().filter(|&key| Hashed::part(&cuts, key) == i).collect();
                    let values: Vec<f64> = keys.iter().map(|&key| (key % 8) as f64).collect();
                    part.add(&keys, &values).unwrap();
                }
                for key in keys {
                    let (sum, count) = exact.entry(key).or_insert((0.0, 0u64));
                    *sum += (key % 8) as f64;
                    *count += 1;
                }
            }
            let most = hashed.tables.iter().map(|table| table.runs.len()).max().unwrap();
            assert!(if runs == 0 { most == 0 } else { most >= runs && most < MOST_RUNS }, "{most}");
            let pair =
                |(&key, &(sum, count)): (&u64, &(f64, u64))| ((key >> 32) as u32, key as u32, sum, count);
            // Small whole numbers add up exactly.
            assert!(hashed.iter().eq(exact.iter().map(pair)));
            assert!(exact.iter().map(pair).all(|(u, v, sum, count)| hashed.get(u, v) == (sum, count)));
            assert_eq!(hashed.get(9, 9), (0.0, 0));
            let mut again = Hashed::new(true, memory).unwrap();
            for (u, v, raw) in hashed.raw() {
                again.set_raw(u, v, raw).unwrap();
            }
            for (table, runs) in hashed.runs().enumerate() {
                let copied = runs.iter().map(|run| Run::write(run.iter()).unwrap());
                again.set_runs(table, copied.collect());
            }
            assert!(again.iter().eq(hashed.iter()));
        }
    }
}
