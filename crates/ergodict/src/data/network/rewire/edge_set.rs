//! The edges of a network of which the number never changes, as a hash table.

use crate::linalg::prefetch;

/// No edge: a loop of node 0, and there are no loops.
const FREE: u64 = 0;

/// A set of packed edges without loops: open addressing with linear probing, at most half full.
pub(super) struct EdgeSet {
    slots: Vec<u64>,
}

impl EdgeSet {
    /// Bytes per edge.
    pub(super) const BYTES: u64 = 16;

    /// An empty set with room for this many edges.
    pub(super) fn with_room(edges: usize) -> Self {
        Self { slots: vec![FREE; 2 * edges + 1] }
    }

    /// Where an edge is, or where it would be inserted.
    #[inline]
    fn slot(&self, edge: u64) -> usize {
        let mut at = self.home(edge);
        while self.slots[at] != FREE && self.slots[at] != edge {
            at = self.after(at);
        }
        at
    }

    /// The slot an edge is first looked for in.
    #[inline]
    fn home(&self, edge: u64) -> usize {
        // The finalizer of MurmurHash3 but for its last step, which only concerns low bits.
        let mut hash = (edge ^ edge >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash = (hash ^ hash >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() { 0 } else { at + 1 }
    }

    #[inline]
    pub(super) fn contains(&self, edge: u64) -> bool {
        self.slots[self.slot(edge)] == edge
    }

    #[inline]
    pub(super) fn insert(&mut self, edge: u64) {
        let at = self.slot(edge);
        self.slots[at] = edge;
    }

    /// Removes an edge that is in the set, and moves up those that were displaced by it.
    #[inline]
    pub(super) fn remove(&mut self, edge: u64) {
        let size = self.slots.len();
        let mut hole = self.slot(edge);
        let mut at = self.after(hole);
        while self.slots[at] != FREE {
            let distance = |from: usize| if at >= from { at - from } else { at + size - from };
            if distance(self.home(self.slots[at])) >= distance(hole) {
                self.slots[hole] = self.slots[at];
                hole = at;
            }
            at = self.after(at);
        }
        self.slots[hole] = FREE;
    }

    /// Starts loading what a look for an edge will need.
    #[inline]
    pub(super) fn prefetch(&self, edge: u64) {
        prefetch(&self.slots, self.home(edge));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, below, stream};
    use std::collections::BTreeSet;

    #[test]
    fn the_set_agrees_with_that_of_the_standard_library() {
        let mut rng = stream(5, Purpose::Synthetic, 77);
        for room in [1, 2, 7, 40] {
            let (mut set, mut reference) = (EdgeSet::with_room(room), BTreeSet::new());
            for _ in 0..4000 {
                let edge = 1 + below(&mut rng, 3 * room as u64);
                assert_eq!(set.contains(edge), reference.contains(&edge));
                if reference.remove(&edge) {
                    set.remove(edge);
                } else if reference.len() < room {
                    set.insert(edge);
                    reference.insert(edge);
                }
            }
            assert!((1..=3 * room as u64).all(|edge| set.contains(edge) == reference.contains(&edge)));
        }
    }
}
