//! How two networks differ: edges that came, and edges that went.

use crate::data::network::{Network, NodeIds};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// How a network differs from the one before.
///
/// ```
/// use ergodict::data::{Differences, Network, differences};
/// let (before, after) = (Network::simple(3, &[(0, 1), (1, 2)])?, Network::simple(3, &[(1, 2), (0, 2)])?);
/// assert_eq!(differences(&before, &after), Differences { came: 1, went: 1, stayed: 1 });
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Differences {
    /// Edges that were not there before.
    pub came: u64,
    /// Edges that are not there any more.
    pub went: u64,
    /// Edges that are in both, whatever their weights.
    pub stayed: u64,
}

/// Compares the edges of networks, node by node under the same name.
///
/// ```
/// use ergodict::data::{Network, differences};
/// let (before, after) = (Network::simple(3, &[(0, 1)])?, Network::simple(4, &[(0, 1), (2, 3)])?);
/// let changed = differences(&before, &after);
/// assert_eq!((changed.came, changed.went, changed.stayed), (1, 0, 1));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub fn differences(before: &Network, after: &Network) -> Differences {
    let map = places(before.ids(), after.ids());
    let there = |(u, v, _): &(u32, u32, f64)| match (map[*u as usize], map[*v as usize]) {
        (Some(u), Some(v)) => after.rows().neighbors(u as usize).binary_search(&v).is_ok(),
        _ => false,
    };
    let stayed = before.each_edge().filter(there).count() as u64;
    Differences { came: after.edges() - stayed.min(after.edges()), went: before.edges() - stayed, stayed }
}

/// Where each name of one list is in the other.
pub(super) fn places(from: &NodeIds, to: &NodeIds) -> Vec<Option<u32>> {
    if from.are_words() != to.are_words() {
        return (0..from.len()).map(|v| to.find(&from.name(v)).map(|v| v as u32)).collect();
    }
    let compare = |v: usize, w: usize| match (from.integer(v), to.integer(w)) {
        (Some(v), Some(w)) => v.cmp(&w),
        _ => from.name(v).as_bytes().cmp(to.name(w).as_bytes()),
    };
    let mut w = 0;
    let place = |v: usize| {
        while w < to.len() && compare(v, w) == Ordering::Greater {
            w += 1;
        }
        (w < to.len() && compare(v, w) == Ordering::Equal).then_some(w as u32)
    };
    (0..from.len()).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, parse_network};

    #[test]
    fn nodes_are_the_same_where_they_are_written_the_same() {
        let network = |text: &str| parse_network(text.as_bytes(), &ReadOptions::default()).unwrap().0;
        // Words, for `01` is none of the integers.
        let (words, integers) = (network("01 2\n2 3\n3 01\n3 4\n"), network("1 2\n2 3\n3 1\n3 4\n"));
        let expected = Differences { came: 2, went: 2, stayed: 2 };
        assert_eq!((differences(&words, &integers), differences(&integers, &words)), (expected, expected));
        assert_eq!(differences(&words, &words), Differences { came: 0, went: 0, stayed: 4 });
        let more = network("1 2\n2 3\n3 1\n3 4\n4 x\n");
        assert_eq!(differences(&integers, &more), Differences { came: 1, went: 0, stayed: 4 });
    }
}
