//! Makes indices `0..n` of the ids that were found, in ascending order of the ids.

use super::chunk::{Chunk, Ends};
use crate::data::network::NodeIds;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Ids that lie closer than this, on average over all ends of edges, get a bit each: 24 bytes for 64 ids while the table of
/// ranks is made, so at most 12 bytes an end, less than sorting would take.
const BITS_PER_END: u64 = 32;

/// The ids of all chunks, and the ends of all edges as indices; none when there are more than 2³² nodes.
pub(super) fn indices(mut chunks: Vec<Chunk>) -> Option<(NodeIds, Vec<(u32, u32)>)> {
    if chunks.iter().any(|chunk| matches!(chunk.ends, Ends::Words(..))) {
        return words(&mut chunks);
    }
    let extremes = chunks.par_iter().filter_map(|chunk| match &chunk.ends {
        Ends::Small(ends) => extremes(ends),
        Ends::Wide(ends) => extremes(ends),
        Ends::Words(..) => None,
    });
    let (lowest, highest) = extremes.reduce(|| (i64::MAX, i64::MIN), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    let total: usize = chunks.iter().map(|chunk| chunk.ends.len()).sum();
    if total == 0 {
        return Some((NodeIds::numbered(0), Vec::new()));
    }
    let range = highest.wrapping_sub(lowest) as u64;
    if range < BITS_PER_END * 2 * total as u64 + (1 << 16) {
        let ranks = Ranks::new(&chunks, lowest, range);
        let ids = ranks.ids(lowest);
        let ends = mapped(chunks, total, |id| ranks.rank(id.wrapping_sub(lowest) as u64));
        return (ids.len() <= 1 << 32).then(|| (NodeIds::integers(ids), ends));
    }
    let sorted = IdTable::new(&chunks, total, lowest, range);
    if sorted.ids.len() > 1 << 32 {
        return None;
    }
    let ends = mapped(chunks, total, |id| sorted.rank(id));
    Some((NodeIds::integers(sorted.ids), ends))
}

/// The ids of some ends, and the ends as indices; none when there are more than 2³² nodes.
pub(in crate::data::network) fn integer_indices(ends: Vec<(i64, i64)>) -> Option<(NodeIds, Vec<(u32, u32)>)> {
    indices(vec![Chunk::of_integers(ends)])
}

fn extremes<T: Copy + Into<i64>>(ends: &[(T, T)]) -> Option<(i64, i64)> {
    let (mut lowest, mut highest) = (i64::MAX, i64::MIN);
    for &(u, v) in ends {
        let (u, v) = (u.into(), v.into());
        (lowest, highest) = (lowest.min(u).min(v), highest.max(u).max(v));
    }
    (!ends.is_empty()).then_some((lowest, highest))
}

/// Calls `each` with every id of a chunk.
fn each_id(chunk: &Chunk, mut each: impl FnMut(i64)) {
    match &chunk.ends {
        Ends::Small(ends) => {
            for &(u, v) in ends {
                each(u.into());
                each(v.into());
            }
        }
        Ends::Wide(ends) => {
            for &(u, v) in ends {
                each(u);
                each(v);
            }
        }
        Ends::Words(..) => {}
    }
}

/// All ends one after the other, by a rule for each id. Chunks are freed as they are used.
fn mapped(chunks: Vec<Chunk>, total: usize, index: impl Fn(i64) -> u32 + Sync) -> Vec<(u32, u32)> {
    let mut ends = vec![(0, 0); total];
    let mut rest = &mut ends[..];
    let mut places = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        let (place, after) = rest.split_at_mut(chunk.ends.len());
        places.push((place, chunk));
        rest = after;
    }
    places.into_par_iter().for_each(|(place, chunk)| match chunk.ends {
        Ends::Small(from) => fill(place, &from, &index),
        Ends::Wide(from) => fill(place, &from, &index),
        Ends::Words(..) => {}
    });
    ends
}

fn fill<T: Copy + Into<i64>>(place: &mut [(u32, u32)], from: &[(T, T)], index: impl Fn(i64) -> u32) {
    for (edge, &(u, v)) in place.iter_mut().zip(from) {
        *edge = (index(u.into()), index(v.into()));
    }
}

/// A bit for each id in a range, and the number of ids before every 64.
struct Ranks(Vec<(u64, u64)>);

impl Ranks {
    fn new(chunks: &[Chunk], lowest: i64, range: u64) -> Self {
        // One table for all threads, whose size is bounded by the edges, not by the edges times the threads.
        let bits: Vec<AtomicU64> = (0..=range / 64).map(|_| AtomicU64::new(0)).collect();
        chunks.par_iter().for_each(|chunk| {
            each_id(chunk, |id| {
                let id = id.wrapping_sub(lowest) as u64;
                let (word, bit) = (&bits[(id / 64) as usize], 1 << (id % 64));
                // Most ids were seen before, and looking is cheaper than writing.
                if word.load(Relaxed) & bit == 0 {
                    word.fetch_or(bit, Relaxed);
                }
            });
        });
        let mut before = 0;
        let count = |word: u64| {
            let here = before;
            before += u64::from(word.count_ones());
            (word, here)
        };
        Self(bits.into_iter().map(AtomicU64::into_inner).map(count).collect())
    }

    #[inline]
    fn rank(&self, id: u64) -> u32 {
        let (word, before) = self.0[(id / 64) as usize];
        before as u32 + (word & ((1 << (id % 64)) - 1)).count_ones()
    }

    fn ids(&self, lowest: i64) -> Vec<i64> {
        let mut ids = Vec::with_capacity(
            self.0.last().map_or(0, |(word, before)| *before as usize + word.count_ones() as usize),
        );
        for (place, &(word, _)) in self.0.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                let bit = place as u64 * 64 + u64::from(word.trailing_zeros());
                ids.push(lowest.wrapping_add(bit as i64));
                word &= word - 1;
            }
        }
        ids
    }
}

/// Ids in order, with a table of where each stretch of the range begins, so that few are searched through.
struct IdTable {
    ids: Vec<i64>,
    lowest: i64,
    shift: u32,
    begins: Vec<usize>,
}

impl IdTable {
    fn new(chunks: &[Chunk], total: usize, lowest: i64, range: u64) -> Self {
        let mut ids = Vec::with_capacity(2 * total);
        chunks.iter().for_each(|chunk| each_id(chunk, |id| ids.push(id)));
        ids.par_sort_unstable();
        ids.dedup();
        ids.shrink_to_fit();
        let bits = 64 - range.leading_zeros();
        let shift = bits.saturating_sub(ids.len().ilog2() + 1);
        let stretches = (range >> shift) as usize + 1;
        let mut begins = vec![0; stretches + 1];
        for id in &ids {
            begins[(id.wrapping_sub(lowest) as u64 >> shift) as usize + 1] += 1;
        }
        for stretch in 0..stretches {
            begins[stretch + 1] += begins[stretch];
        }
        Self { ids, lowest, shift, begins }
    }

    fn rank(&self, id: i64) -> u32 {
        let stretch = (id.wrapping_sub(self.lowest) as u64 >> self.shift) as usize;
        let (begin, end) = (self.begins[stretch], self.begins[stretch + 1]);
        (begin + self.ids[begin..end].partition_point(|&other| other < id)) as u32
    }
}

fn words(chunks: &mut Vec<Chunk>) -> Option<(NodeIds, Vec<(u32, u32)>)> {
    let chunks: Vec<_> = chunks.par_iter_mut().map(|chunk| chunk.ends.take_words()).collect();
    // The first bytes decide nearly always; words themselves lie anywhere in memory.
    let prefix = |word: &str| {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(word.bytes()).for_each(|(to, byte)| *to = byte);
        u64::from_be_bytes(bytes)
    };
    let mut found: Vec<(u64, &str, usize, u32)> = Vec::new();
    for (number, (words, _)) in chunks.iter().enumerate() {
        found.extend(words.iter().map(|(word, &local)| (prefix(word), &**word, number, local)));
    }
    found.par_sort_unstable();
    let mut index: Vec<Vec<u32>> = chunks.iter().map(|(words, _)| vec![0; words.len()]).collect();
    let mut all: Vec<&str> = Vec::new();
    for (_, word, number, local) in found {
        if all.last() != Some(&word) {
            all.push(word);
        }
        index[number][local as usize] = (all.len() - 1) as u32;
    }
    if all.len() > 1 << 32 {
        return None;
    }
    let total = chunks.iter().map(|(_, ends)| ends.len()).sum();
    let ends = chunks.par_iter().zip(&index).map(|((_, ends), index)| {
        ends.iter().map(|&(u, v)| (index[u as usize], index[v as usize])).collect::<Vec<_>>()
    });
    let ends: Vec<Vec<(u32, u32)>> = ends.collect();
    let mut united = Vec::with_capacity(total);
    ends.iter().for_each(|ends| united.extend_from_slice(ends));
    Some((NodeIds::words(all), united))
}
