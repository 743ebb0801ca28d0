//! What a network falls into: components, sides of bipartite ones, and networks of some of the nodes.

use super::egr_record::Known;
use super::generate::sparse::with_ids;
use super::{Network, Rows, Section};
use crate::Result;
use std::sync::OnceLock;

/// A component with more than this fraction (1/64) of the nodes is large: all nodes are gone through at most 64 times.
const LARGE: usize = 64;

/// The components of a network, directions ignored, by descending number of nodes; of equal ones the one with the
/// smallest node comes first.
///
/// ```
/// use ergodict::data::Network;
/// let components = Network::simple(5, &[(0, 1), (2, 3), (3, 4), (4, 2)])?.components();
/// assert_eq!((&components.labels[..], &components.sizes[..]), (&[1, 1, 0, 0, 0][..], &[3, 2][..]));
/// assert_eq!(components.bipartite, [false, true]);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Components {
    /// The component of each node.
    pub labels: Vec<u32>,
    /// Nodes of each component.
    pub sizes: Vec<u64>,
    /// Whether each component is bipartite, directions ignored. One with a loop is not; a single node is.
    pub bipartite: Vec<bool>,
}

impl Components {
    /// The nodes of a component, ascending.
    pub fn nodes(&self, component: usize) -> Vec<u32> {
        (0..self.labels.len() as u32).filter(|&v| self.labels[v as usize] as usize == component).collect()
    }
}

/// The sides of the nodes of a bipartite network. Which side of one component goes with which of another is unknown.
pub(crate) struct Sides {
    components: Vec<u32>,
    second: Vec<bool>,
}

impl Sides {
    /// Bytes per node while they are found: a label, two sides and the nodes that were met.
    pub(crate) const BYTES: u64 = 16;

    /// The component of a node, and whether the node is on the other side than the component's first.
    pub(crate) fn of(&self, node: u32) -> (u32, bool) {
        (self.components[node as usize], self.second[node as usize])
    }
}

impl Network {
    /// The simple network: directions, weights and loops are left out, and arcs in both directions are one edge.
    ///
    /// ```
    /// # use ergodict::data::{Network, embedded};
    /// let simple = embedded("@lesmis")?.to_simple();
    /// assert!(simple.is_simple() && simple.edges() == 254);
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    #[must_use]
    pub fn to_simple(&self) -> Self {
        if self.is_simple() {
            return self.clone();
        }
        let edges: Vec<(u32, u32)> = self.each_edge().map(|(u, v, _)| (u, v)).collect();
        with_ids(self.ids().clone(), &edges, false)
    }

    /// What [`to_simple`](Self::to_simple) leaves out, in words: directions, with the number of opposite arcs that become one edge, weights, and loops.
    /// None of a simple network.
    ///
    /// ```
    /// # use ergodict::data::{Network, embedded};
    /// let lesmis = embedded("@lesmis")?;
    /// assert_eq!(lesmis.lost_as_simple().as_deref(), Some("weights"));
    /// assert_eq!(lesmis.to_simple().lost_as_simple(), None);
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    pub fn lost_as_simple(&self) -> Option<String> {
        let counted = |count: u64, one: &str, many: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {many}"),
        };
        let mut parts = Vec::new();
        if self.is_directed() {
            let arcs = self.each_edge().filter(|(u, v, _)| u != v).map(|(u, v, _)| (u.min(v), u.max(v)));
            let mut arcs: Vec<(u32, u32)> = arcs.collect();
            arcs.sort_unstable();
            let opposite = arcs.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
            let merged = counted(
                opposite,
                "pair of opposite arcs becomes one edge",
                "pairs of opposite arcs become one edge each",
            );
            parts.push(if opposite > 0 { format!("directions ({merged})") } else { "directions".to_owned() });
        }
        if self.is_weighted() {
            parts.push("weights".to_owned());
        }
        if self.loops() > 0 {
            parts.push(counted(self.loops(), "loop", "loops"));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Whether all edges join two sides, and there are cycles: forests are always bipartite.
    ///
    /// ```
    /// # use ergodict::data::embedded;
    /// assert!(embedded("@davis")?.is_two_sided() && !embedded("@karate")?.is_two_sided());
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    pub fn is_two_sided(&self) -> bool {
        self.is_two_sided_in(&self.components())
    }

    fn is_two_sided_in(&self, parts: &Components) -> bool {
        // Two opposite arcs are no cycle.
        let joined = || {
            let once = |u: u32, v: u32| u < v || self.neighbors(v as usize).binary_search(&u).is_err();
            self.each_edge().filter(|&(u, v, _)| once(u, v)).count() as u64
        };
        parts.bipartite.iter().all(|two_sided| *two_sided)
            && if self.is_directed() { joined() } else { self.edges() }
                > (self.nodes() - parts.sizes.len()) as u64
    }

    /// The sides of the nodes of a [two-sided](Self::is_two_sided) network.
    pub(crate) fn sides(&self) -> Option<Sides> {
        let parts = self.components();
        if !self.is_two_sided_in(&parts) {
            return None;
        }
        let mut sides = vec![None; self.nodes()];
        let mut met = Vec::new();
        for start in 0..self.nodes() {
            if sides[start].is_none() {
                sides[start] = Some(false);
                met.push(start);
            }
            while let Some(u) = met.pop() {
                let other = sides[u].map(|side| !side);
                for &v in self.neighbors(u).iter().chain(self.incoming().neighbors(u)) {
                    if sides[v as usize].is_none() {
                        sides[v as usize] = other;
                        met.push(v as usize);
                    }
                }
            }
        }
        let second = sides.into_iter().map(|side| side == Some(true)).collect();
        Some(Sides { components: parts.labels, second })
    }

    /// The components. Directions ignored, breadth first; in an undirected network, as soon as a component is known to be large and
    /// not bipartite, by asking the nodes that are left whether they are next to it, which for most follows from their first neighbors.
    pub fn components(&self) -> Components {
        let n = self.nodes();
        if let Some(&bipartite) = self.known.bipartite.get() {
            return Components { labels: vec![0; n], sizes: vec![n as u64], bipartite: vec![bipartite] };
        }
        let ways: &[&Rows] =
            if self.is_directed() { &[self.rows(), self.incoming()] } else { &[self.rows()] };
        // A node's side is 1 or 2; 0 before it is met, so that one byte answers most lookups of a node.
        let (mut labels, mut sides) = (vec![0; n], vec![0_u8; n]);
        let (mut sizes, mut bipartite) = (Vec::new(), Vec::new());
        // Room that is not used is never touched.
        let mut met: Vec<u32> = Vec::with_capacity(n);
        for start in 0..n {
            if sides[start] != 0 {
                continue;
            }
            let label = sizes.len() as u32;
            let mut two_sided = true;
            sides[start] = 1;
            met.clear();
            met.push(start as u32);
            let (mut next, mut asked) = (0, self.is_directed());
            while let Some(&u) = met.get(next) {
                next += 1;
                let (u, side) = (u as usize, sides[u as usize]);
                for &v in ways.iter().flat_map(|rows| rows.neighbors(u)) {
                    let other = &mut sides[v as usize];
                    two_sided &= *other != side;
                    if *other == 0 {
                        *other = 3 - side;
                        met.push(v);
                    }
                }
                if !asked && !two_sided && met.len() > n / LARGE {
                    next = self.ask_others(&mut sides, &mut met);
                    asked = true;
                }
            }
            met.iter().for_each(|&u| labels[u as usize] = label);
            sizes.push(met.len() as u64);
            bipartite.push(two_sided);
        }
        let mut order: Vec<u32> = (0..sizes.len() as u32).collect();
        order.sort_by_key(|&c| std::cmp::Reverse(sizes[c as usize]));
        let mut rank = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&c, place)| rank[c as usize] = place);
        labels.iter_mut().for_each(|label| *label = rank[*label as usize]);
        let (sizes, bipartite): (Vec<_>, Vec<_>) =
            order.iter().map(|&c| (sizes[c as usize], bipartite[c as usize])).unzip();
        if let [bipartite] = bipartite[..] {
            let _ = self.known.bipartite.set(bipartite);
        }
        Components { labels, sizes, bipartite }
    }

    /// Goes through the nodes that were not met, and meets those next to one that was, until few are left to be met so: from where on in
    /// `met` neighbors may not have been met. Nodes that were met before the last round have all been asked about by their neighbors.
    fn ask_others(&self, sides: &mut [u8], met: &mut Vec<u32>) -> usize {
        loop {
            let before = met.len();
            // Nodes that were met in earlier components are next to none of this one.
            for u in 0..self.nodes() {
                if sides[u] == 0 && self.neighbors(u).iter().any(|&v| sides[v as usize] != 0) {
                    sides[u] = 1;
                    met.push(u as u32);
                }
            }
            if met.len() - before <= self.nodes() / LARGE {
                return before;
            }
        }
    }

    /// Whether its rows are in a mapped file.
    pub(crate) fn is_mapped(&self) -> bool {
        matches!(self.rows().neighbors, Section::Mapped(_))
    }

    /// The largest component, and how many there are; the network itself where that is all. What a mapped network has of it goes to a
    /// temporary file that is mapped as well, so that it takes no more memory, or of a large file to one that is kept beside it.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) of the temporary file.
    pub(crate) fn into_largest_component(self) -> Result<(Self, usize)> {
        let (origin, weighted) = (self.known.origin.clone(), self.is_weighted());
        if let Some((largest, count, bipartite)) = origin.as_ref().and_then(|file| file.largest(weighted)) {
            return Ok((largest.unwrap_or(self).connected(bipartite), count));
        }
        let parts = self.components();
        let (count, bipartite) = (parts.sizes.len(), parts.bipartite.first().copied());
        let Some(bipartite) = bipartite.filter(|_| count > 1) else {
            origin.iter().zip(bipartite).for_each(|(file, bipartite)| file.keep_connected(bipartite));
            return Ok((self, count));
        };
        let nodes = parts.nodes(0);
        drop(parts);
        let largest = self.part_alike(&nodes)?;
        let kept = origin.and_then(|file| file.keep_largest(&largest, weighted, (count, bipartite)));
        Ok((kept.unwrap_or(largest).connected(bipartite), count))
    }

    /// The same, of which it is known that it is one component, and whether that is bipartite.
    fn connected(self, bipartite: bool) -> Self {
        let _ = self.known.bipartite.set(bipartite);
        self
    }

    /// The network of some nodes as [`Network::part`] has it, kept as this one is: in memory, or in a mapped file, a temporary one.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) of the temporary file.
    pub fn part_alike(&self, nodes: &[u32]) -> Result<Self> {
        if self.is_mapped() { self.part_in_file(nodes) } else { Ok(self.part(nodes)) }
    }

    /// The network of some nodes, given in strictly ascending order, and all edges between them.
    pub fn part(&self, nodes: &[u32]) -> Self {
        debug_assert!(nodes.windows(2).all(|pair| pair[0] < pair[1]));
        let mut renamed = vec![u32::MAX; self.nodes()];
        nodes.iter().zip(0..).for_each(|(&v, new)| renamed[v as usize] = new);
        let (mut starts, mut neighbors, mut weights) = (vec![0], Vec::new(), Vec::new());
        let mut loops = 0;
        for (&u, new) in nodes.iter().zip(0..) {
            for (v, weight) in self.rows().entries(u as usize) {
                let v = renamed[v as usize];
                if v != u32::MAX {
                    loops += u64::from(v == new);
                    neighbors.push(v);
                    if self.is_weighted() {
                        weights.push(weight);
                    }
                }
            }
            starts.push(neighbors.len() as u64);
        }
        let weights = weights.iter().any(|weight| *weight != 1.0).then(|| weights.into());
        let rows = Rows { starts: starts.into(), neighbors: neighbors.into(), weights };
        let ids = self.ids().part(nodes);
        Self {
            rows,
            directed: self.is_directed(),
            ids,
            loops,
            incoming: OnceLock::new(),
            known: Known::default(),
        }
    }

    /// The largest component as a network of its own.
    pub fn largest_component(&self) -> Self {
        self.part(&self.components().nodes(0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Build, Loops, NodeIds};
    use super::*;

    #[test]
    fn components_are_ordered_by_size_and_know_whether_they_are_bipartite() {
        // An isolated node, an edge, a triangle, a square.
        let edges = [(1, 2), (3, 4), (4, 5), (5, 3), (6, 7), (7, 8), (8, 9), (9, 6)];
        let network = Network::simple(10, &edges).unwrap();
        let parts = network.components();
        assert_eq!(parts.sizes, [4, 3, 2, 1]);
        assert_eq!(parts.bipartite, [true, false, true, true]);
        assert_eq!(parts.labels, [3, 2, 2, 1, 1, 1, 0, 0, 0, 0]);
        let largest = network.largest_component();
        assert_eq!((largest.nodes(), largest.edges()), (4, 4));
        assert_eq!(largest.ids().name(0), "6");
        assert!(Network::simple(0, &[]).unwrap().components().sizes.is_empty());
        assert_eq!(Network::simple(0, &[]).unwrap().largest_component().nodes(), 0);
    }

    #[test]
    fn opposite_arcs_are_no_cycle_between_two_sides() {
        let two_sided = |edges: &[(u32, u32)]| {
            let edges: Vec<_> = edges.iter().map(|&(u, v)| (u, v, 1.0)).collect();
            let build = Build { directed: true, loops: Loops::Keep };
            Network::build(NodeIds::numbered(4), &edges, false, build).unwrap().0.is_two_sided()
        };
        assert!(!two_sided(&[(0, 1), (1, 0), (1, 2), (2, 3)]));
        assert!(!two_sided(&[(1, 0), (0, 1), (2, 1), (3, 2), (2, 3)]));
        assert!(two_sided(&[(0, 1), (1, 2), (2, 3), (3, 0)]));
        assert!(two_sided(&[(0, 1), (1, 0), (1, 2), (2, 3), (3, 0)]));
    }

    #[test]
    fn directions_are_ignored_and_a_loop_is_an_odd_cycle() {
        let build = Build { directed: true, loops: Loops::Keep };
        let edges = [(0, 2, 1.0), (1, 2, 2.5), (3, 3, 1.0)];
        let (network, _) = Network::build(NodeIds::numbered(4), &edges, true, build).unwrap();
        let parts = network.components();
        assert_eq!((&parts.sizes[..], &parts.bipartite[..]), (&[3, 1][..], &[true, false][..]));
        let part = network.part(&[1, 2, 3]);
        assert_eq!(part.each_edge().collect::<Vec<_>>(), [(0, 1, 2.5), (2, 2, 1.0)]);
        assert_eq!((part.loops(), part.is_directed(), part.is_weighted()), (1, true, true));
        assert!(!network.part(&[0, 2]).is_weighted());
    }
}
