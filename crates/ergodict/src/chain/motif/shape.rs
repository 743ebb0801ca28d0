//! Motifs `F = ([k], A_F)`: chain, star, cycle, complete graph, tree, or any edge list.

use crate::{Error, Result};

/// A connected motif: nodes `0..k` and edges `(i, j)` with `A_F(i,j) = 1`, each counted once, in the direction given.
///
/// ```
/// use ergodict::chain::Motif;
/// let chain = Motif::chain(3)?;
/// assert_eq!(chain.edges(), [(0, 1), (1, 2)]);
/// assert!(chain.tree().is_some() && Motif::cycle(3)?.tree().is_none());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Motif {
    name: String,
    k: usize,
    edges: Vec<(u32, u32)>,
    tree: Option<RootedTree>,
}

/// A tree motif rooted at node 0: the order in which it is filled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RootedTree {
    /// All nodes but the root; each comes after its parent.
    pub order: Vec<u32>,
    /// The parent of each node; that of the root is the root.
    pub parent: Vec<u32>,
    /// Whether the edge between a node and its parent points to the node, so that `A(x(parent), x(node))` counts; else
    /// `A(x(node), x(parent))` does.
    pub downward: Vec<bool>,
}

impl Motif {
    /// Most nodes of a motif: a patch has `k²` numbers.
    pub const LARGEST: usize = 1 << 12;

    /// The path `0 → 1 → … → k−1`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no node or more than [`Motif::LARGEST`].
    pub fn chain(k: usize) -> Result<Self> {
        let k = size(k, 1, "chain")?;
        Self::named("chain", k as usize, (1..k).map(|i| (i - 1, i)).collect())
    }

    /// Node 0 with edges to all others.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no node or more than [`Motif::LARGEST`].
    pub fn star(k: usize) -> Result<Self> {
        let k = size(k, 1, "star")?;
        Self::named("star", k as usize, (1..k).map(|i| (0, i)).collect())
    }

    /// The cycle `0 → 1 → … → k−1 → 0`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than three nodes or more than [`Motif::LARGEST`].
    pub fn cycle(k: usize) -> Result<Self> {
        let k = size(k, 3, "cycle")?;
        Self::named("cycle", k as usize, (0..k).map(|i| (i, (i + 1) % k)).collect())
    }

    /// All edges `(i, j)` with `i < j`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no node or more than [`Motif::LARGEST`].
    pub fn complete(k: usize) -> Result<Self> {
        let k = size(k, 1, "complete graph")?;
        Self::named("complete", k as usize, (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))).collect())
    }

    /// Any motif of `k` nodes.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no node or more than [`Motif::LARGEST`], an edge to a node that does not exist, a loop, an edge given
    /// twice, and a motif that is not connected.
    pub fn new(k: usize, edges: Vec<(u32, u32)>) -> Result<Self> {
        size(k, 1, "motif")?;
        Self::named("edges", k, edges)
    }

    fn named(name: &str, k: usize, edges: Vec<(u32, u32)>) -> Result<Self> {
        let refuse = |(i, j): (u32, u32), expected: String| {
            Err(Error::parameter("an edge of the motif", format!("({i}, {j})"), expected))
        };
        let mut seen = std::collections::HashSet::new();
        for &edge in &edges {
            if edge.0.max(edge.1) as usize >= k {
                return refuse(edge, format!("its nodes are numbered from 0 to {}", k - 1));
            }
            if edge.0 == edge.1 {
                return refuse(edge, "it must join two different nodes".into());
            }
            if !seen.insert(edge) {
                return refuse(edge, "it is given twice: each edge counts once".into());
            }
        }
        let tree = RootedTree::spanning(k, &edges)?;
        let tree = (edges.len() + 1 == k).then_some(tree);
        Ok(Self { name: name.to_owned(), k, edges, tree })
    }

    /// What it is called: chain, star, cycle, complete, or edges.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of nodes.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The edges, as they were given.
    pub fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    /// How to fill it from the root down, if it is a tree.
    pub fn tree(&self) -> Option<&RootedTree> {
        self.tree.as_ref()
    }

    /// Whether it is the chain `0 → 1 → … → k−1`.
    pub fn is_chain(&self) -> bool {
        self.edges.iter().copied().eq((1..self.k as u32).map(|i| (i - 1, i)))
    }
}

impl RootedTree {
    /// A spanning tree by breadth-first search from node 0.
    ///
    /// # Errors
    /// [`Error::Parameter`] when not all nodes are reached.
    pub(crate) fn spanning(k: usize, edges: &[(u32, u32)]) -> Result<Self> {
        let mut order = vec![0];
        let (mut parent, mut downward) = (vec![u32::MAX; k], vec![true; k]);
        parent[0] = 0;
        let mut at = 0;
        while let Some(&i) = order.get(at) {
            at += 1;
            for &(from, to) in edges {
                for (end, other, down) in [(from, to, true), (to, from, false)] {
                    if end == i && parent[other as usize] == u32::MAX {
                        (parent[other as usize], downward[other as usize]) = (i, down);
                        order.push(other);
                    }
                }
            }
        }
        if let Some(apart) = parent.iter().position(|&p| p == u32::MAX) {
            return Err(Error::parameter(
                "the motif",
                format!("a graph in which no path joins the nodes 0 and {apart}"),
                "it must be connected",
            ));
        }
        order.remove(0);
        Ok(Self { order, parent, downward })
    }
}

fn size(k: usize, least: usize, what: &str) -> Result<u32> {
    if (least..=Motif::LARGEST).contains(&k) {
        return Ok(k as u32);
    }
    let expected = format!("a {what} must have between {least} and {} nodes", Motif::LARGEST);
    Err(Error::parameter("k", k, expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_their_edges_and_trees_their_order() {
        assert_eq!(Motif::cycle(4).unwrap().edges(), [(0, 1), (1, 2), (2, 3), (3, 0)]);
        assert_eq!(Motif::complete(3).unwrap().edges(), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(Motif::star(4).unwrap().tree().unwrap().parent, [0, 0, 0, 0]);
        let tree = Motif::new(4, vec![(3, 1), (1, 0), (2, 3)]).unwrap();
        let rooted = tree.tree().unwrap();
        assert_eq!((&rooted.order[..], &rooted.parent[..]), (&[1, 3, 2][..], &[0, 0, 3, 1][..]));
        assert_eq!(rooted.downward, [true, false, false, false]);
        let one = Motif::chain(1).unwrap();
        assert!(one.edges().is_empty() && one.is_chain() && one.tree().unwrap().order.is_empty());
        assert!(Motif::new(2, vec![(0, 1), (1, 0)]).unwrap().tree().is_none(), "both directions are no tree");
        assert!(Motif::chain(5).unwrap().is_chain() && !Motif::star(5).unwrap().is_chain());
    }

    #[test]
    fn what_is_no_motif_is_told() {
        for (k, edges, words) in [
            (0, vec![], "k is 0"),
            (3, vec![(0, 1)], "connected"),
            (2, vec![(0, 2)], "from 0 to 1"),
            (2, vec![(0, 1), (0, 1)], "twice"),
            (2, vec![(0, 1), (1, 1)], "two different"),
        ] {
            let message = Motif::new(k, edges).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
        assert!(Motif::cycle(2).is_err() && Motif::chain(1 << 13).is_err());
    }
}
