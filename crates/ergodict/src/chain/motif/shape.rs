//! Motifs `F = ([k], A_F)`: path, star, cycle, complete graph, tree, or any edge list.

use crate::data::open;
use crate::{Error, Result};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{BufRead, Read};
use std::path::Path;

/// Bytes of the largest motif file: far more than the edges of the largest motif take.
const LARGEST_FILE: u64 = 1 << 28;

/// A connected motif: nodes `0..k` and edges `(i, j)` with `A_F(i,j) = 1`, each counted once, in the
/// direction given.
///
/// ```
/// use ergodict::chain::Motif;
/// let path = Motif::path(3)?;
/// assert_eq!(path.edges(), [(0, 1), (1, 2)]);
/// assert!(path.tree().is_some() && Motif::cycle(3)?.tree().is_none());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Motif {
    name: String,
    k: usize,
    edges: Vec<(u32, u32)>,
    tree: Option<RootedTree>,
    /// Edges `(i, j)` with `i < j` whose reverse is an edge as well.
    both_ways: Vec<(u32, u32)>,
}

/// A tree motif rooted at node 0: the order in which it is filled.
///
/// ```
/// use ergodict::chain::Motif;
/// let star = Motif::star(4)?;
/// let tree = star.tree().expect("a star is a tree");
/// assert_eq!((&tree.order[..], &tree.parent[..]), (&[1, 2, 3][..], &[0, 0, 0, 0][..]));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RootedTree {
    /// All nodes but the root; each comes after its parent.
    pub order: Vec<u32>,
    /// The parent of each node; that of the root is the root.
    pub parent: Vec<u32>,
    /// Whether the edge between a node and its parent points to the node, so that `A(x(parent), x(node))`
    /// counts; else `A(x(node), x(parent))` does.
    pub downward: Vec<bool>,
}

impl Motif {
    /// Most nodes of a motif: a patch has `k²` numbers.
    pub(crate) const LARGEST: usize = 1 << 12;

    /// The path `0 → 1 → … → k−1`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no node or more than `Motif::LARGEST`.
    pub fn path(k: usize) -> Result<Self> {
        let k = size(k, 1, "path")?;
        Self::named("path", k as usize, (1..k).map(|i| (i - 1, i)).collect())
    }

    /// Node 0 with edges to all others.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no node or more than `Motif::LARGEST`.
    pub fn star(k: usize) -> Result<Self> {
        let k = size(k, 1, "star")?;
        Self::named("star", k as usize, (1..k).map(|i| (0, i)).collect())
    }

    /// The cycle `0 → 1 → … → k−1 → 0`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than three nodes or more than `Motif::LARGEST`.
    pub fn cycle(k: usize) -> Result<Self> {
        let k = size(k, 3, "cycle")?;
        Self::named("cycle", k as usize, (0..k).map(|i| (i, (i + 1) % k)).collect())
    }

    /// All edges `(i, j)` with `i < j`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no node or more than `Motif::LARGEST`.
    pub(crate) fn complete(k: usize) -> Result<Self> {
        let k = size(k, 1, "complete graph")?;
        Self::named("complete", k as usize, (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))).collect())
    }

    /// Nodes of a shape by default: few enough to read, and more stable over seeds than the paper's 21.
    pub const NODES: usize = 10;

    /// The shapes that have a name, for [`Motif::named_shape`].
    pub const SHAPES: [&'static str; 4] = ["path", "star", "cycle", "complete"];

    /// The name of a shape today: `path`, which was called `chain`; other names are unchanged.
    pub(crate) fn current_name(name: &str) -> &str {
        if name == "chain" { "path" } else { name }
    }

    /// The path, star, cycle or complete graph of `k` nodes, by its name.
    ///
    /// ```
    /// use ergodict::chain::Motif;
    /// assert_eq!(Motif::named_shape("star", 5)?, Motif::star(5)?);
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for another name, and for a number of nodes that the shape cannot have.
    pub fn named_shape(name: &str, k: usize) -> Result<Self> {
        match Self::current_name(name) {
            "path" => Self::path(k),
            "star" => Self::star(k),
            "cycle" => Self::cycle(k),
            "complete" => Self::complete(k),
            _ => {
                let known = Self::SHAPES.join(", ");
                let expected =
                    format!("it must be one of {known}; other motifs are read from a list of edges");
                Err(Error::parameter("the shape of the motif", name, expected))
            }
        }
    }

    /// The tree in which `parents[i]` is the parent of node `i + 1`, with edges from the parents to the
    /// children; node 0 is the root.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than `Motif::LARGEST` nodes, a parent that does not exist, and parents
    /// that go round in a circle.
    #[cfg(test)]
    pub(crate) fn from_parents(parents: &[u32]) -> Result<Self> {
        let k = size(parents.len() + 1, 1, "tree")?;
        Self::named("tree", k as usize, parents.iter().copied().zip(1..k).collect())
    }

    /// A motif from a list of edges, one `from to` a line, separated by blanks, tabs or commas. Blank lines
    /// and lines that begin with `#` or `%` are skipped. Nodes are the names that occur, in ascending order:
    /// by value if all are integers, else by their bytes. gzip and zstd are recognized; `-` is standard
    /// input.
    ///
    /// Both directions of an edge are two edges, as `A_F` may have both. In an undirected network they mean
    /// the same, so that its weight counts twice, as a square: list each edge once there.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Format`], with the line, for a line that does not hold two names, a loop, an
    /// edge given twice; without a line for a file with no edge or of more than 256 MiB, with too many nodes,
    /// and for a motif that is not connected.
    pub fn read(path: &Path) -> Result<Self> {
        Self::read_at_most(path, LARGEST_FILE)
    }

    fn read_at_most(path: &Path, most: u64) -> Result<Self> {
        let wrong = |line: Option<u64>, problem: String| Err(Error::format(path, line, problem));
        let mut named: Vec<(String, String)> = Vec::new();
        let mut seen = HashMap::new();
        let mut lines = open(path)?.take(most + 1);
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            if lines.read_until(b'\n', &mut bytes).map_err(Error::io(path))? == 0 {
                break;
            }
            if lines.limit() == 0 {
                let problem = format!("is longer than {most} bytes: expected a motif as a list of edges");
                return wrong(None, problem);
            }
            let Ok(line) = std::str::from_utf8(&bytes) else {
                return wrong(Some(number), "is not text: expected an edge, as two names".into());
            };
            let line = line.trim_start_matches('\u{feff}').trim();
            if line.is_empty() || line.starts_with(['#', '%']) {
                continue;
            }
            let names: Vec<&str> = line.split([' ', '\t', ',']).filter(|name| !name.is_empty()).collect();
            let &[from, to] = &names[..] else {
                let count = names.len();
                let problem = format!(
                    "holds {count} name{}: expected the two ends of an edge (a motif has no weights)",
                    if count == 1 { "" } else { "s" }
                );
                return wrong(Some(number), problem);
            };
            if from == to {
                return wrong(
                    Some(number),
                    format!("joins {from} to itself: an edge must join two different nodes"),
                );
            }
            let edge = (from.to_owned(), to.to_owned());
            if let Some(first) = seen.insert(edge.clone(), number) {
                return wrong(
                    Some(number),
                    format!("repeats the edge of line {first}: each edge counts once"),
                );
            }
            named.push(edge);
        }
        if named.is_empty() {
            return wrong(
                None,
                "holds no edge: expected a motif as a list of edges, two names a line".into(),
            );
        }
        let names: BTreeSet<&str> = named.iter().flat_map(|(from, to)| [&from[..], &to[..]]).collect();
        if names.len() > Self::LARGEST {
            let (k, most) = (names.len(), Self::LARGEST);
            return wrong(None, format!("is a motif of {k} nodes: a motif may have at most {most}"));
        }
        let mut names: Vec<&str> = names.into_iter().collect();
        // As in networks: what is written with leading zeros or a plus is a word.
        let integer = |name: &str| name.parse().ok().filter(|id: &i64| id.to_string() == name);
        if names.iter().all(|name| integer(name).is_some()) {
            names.sort_by_key(|name| integer(name));
        }
        let index: HashMap<&str, u32> = names.iter().copied().zip(0..).collect();
        let edges: Vec<(u32, u32)> =
            named.iter().map(|(from, to)| (index[&from[..]], index[&to[..]])).collect();
        if let Err(apart) = RootedTree::reach(names.len(), &edges) {
            let (first, apart) = (names[0], names[apart]);
            return wrong(None, format!("is not connected: no path joins {first} and {apart}"));
        }
        Self::new(names.len(), edges)
    }

    /// Any motif of `k` nodes.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no node or more than `Motif::LARGEST`, an edge to a node that does not
    /// exist, a loop, an edge given twice, and a motif that is not connected.
    pub fn new(k: usize, edges: Vec<(u32, u32)>) -> Result<Self> {
        size(k, 1, "motif")?;
        Self::named("edges", k, edges)
    }

    fn named(name: &str, k: usize, edges: Vec<(u32, u32)>) -> Result<Self> {
        let refuse = |(i, j): (u32, u32), expected: String| {
            Err(Error::parameter("an edge of the motif", format!("({i}, {j})"), expected))
        };
        let mut seen = HashSet::new();
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
        let reversed = |&&(i, j): &&(u32, u32)| i < j && seen.contains(&(j, i));
        let both_ways = edges.iter().filter(reversed).copied().collect();
        Ok(Self { name: name.to_owned(), k, edges, tree, both_ways })
    }

    /// What it is called: path, star, cycle, complete, tree, or edges.
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

    /// The edges `(i, j)` with `i < j` whose reverse is an edge as well.
    pub(crate) fn both_ways(&self) -> &[(u32, u32)] {
        &self.both_ways
    }

    /// How to fill it from the root down, if it is a tree.
    pub fn tree(&self) -> Option<&RootedTree> {
        self.tree.as_ref()
    }

    /// The same, for samplers of trees alone.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a motif with a cycle.
    pub(super) fn require_tree(&self) -> Result<&RootedTree> {
        self.tree().ok_or_else(|| {
            let value = format!("a graph with {} nodes and {} edges", self.k, self.edges.len());
            Error::parameter(
                "the motif",
                value,
                "it must be a tree here: motifs with cycles need the sampler glauber",
            )
        })
    }

    /// A spanning tree, as a motif of the same nodes, and the edges that it leaves.
    ///
    /// # Errors
    /// None: a motif is connected.
    pub(crate) fn spanning_tree(&self) -> Result<(Self, Vec<(u32, u32)>)> {
        let tree = RootedTree::spanning(self.k, &self.edges)?;
        let of_tree = |&(i, j): &(u32, u32)| {
            [(i, j, true), (j, i, false)].into_iter().any(|(parent, child, downward)| {
                let at = child as usize;
                at != 0 && tree.parent[at] == parent && tree.downward[at] == downward
            })
        };
        let (edges, rest) = self.edges.iter().copied().partition(of_tree);
        Ok((Self::new(self.k, edges)?, rest))
    }

    /// What it is, for messages: "a path of 21 nodes".
    pub(crate) fn describe(&self) -> String {
        let (k, m) = (self.k, self.edges.len());
        match &self.name[..] {
            _ if k == 1 => "a single node".into(),
            _ if k == 2 && m == 1 => "a single edge".into(),
            "cycle" | "complete" if k == 3 => "a triangle".into(),
            "complete" => format!("a complete graph of {k} nodes"),
            "edges" => format!("a motif of {k} nodes and {m} edges"),
            name => format!("a {name} of {k} nodes"),
        }
    }

    /// The neighbors of each node, directions ignored, ascending, each once.
    pub(crate) fn around(&self) -> Vec<Vec<u32>> {
        let mut around = vec![Vec::new(); self.k];
        for &(i, j) in &self.edges {
            around[i as usize].push(j);
            around[j as usize].push(i);
        }
        for row in &mut around {
            row.sort_unstable();
            row.dedup();
        }
        around
    }

    /// The side of each node, if no edge, directions ignored, joins nodes of one side; none if there is a
    /// cycle of odd length.
    pub(crate) fn sides(&self) -> Option<Vec<bool>> {
        let around = self.around();
        let mut sides = vec![None; self.k];
        let mut stack = vec![0];
        sides[0] = Some(false);
        while let Some(i) = stack.pop() {
            let other = sides[i].map(|side: bool| !side);
            for &j in &around[i] {
                let j = j as usize;
                if sides[j].is_none() {
                    sides[j] = other;
                    stack.push(j);
                } else if sides[j] != other {
                    return None;
                }
            }
        }
        sides.into_iter().collect()
    }

    /// Whether it is the path `0 → 1 → … → k−1`.
    pub(crate) fn is_path(&self) -> bool {
        self.edges.iter().copied().eq((1..self.k as u32).map(|i| (i - 1, i)))
    }
}

impl RootedTree {
    /// A spanning tree by breadth-first search from node 0.
    ///
    /// # Errors
    /// [`Error::Parameter`] when not all nodes are reached.
    pub(crate) fn spanning(k: usize, edges: &[(u32, u32)]) -> Result<Self> {
        Self::reach(k, edges).map_err(|apart| {
            Error::parameter(
                "the motif",
                format!("a graph in which no path joins the nodes 0 and {apart}"),
                "it must be connected",
            )
        })
    }

    /// The same, or the first node that is not reached.
    fn reach(k: usize, edges: &[(u32, u32)]) -> std::result::Result<Self, usize> {
        // Edges by either end, in the order given: the largest motifs have millions.
        let mut starts = vec![0; k + 1];
        edges.iter().flat_map(|&(i, j)| [i, j]).for_each(|i| starts[i as usize + 1] += 1);
        (0..k).for_each(|i| starts[i + 1] += starts[i]);
        let (mut free, mut ends) = (starts.clone(), vec![(0, true); 2 * edges.len()]);
        for &(from, to) in edges {
            for (end, other, down) in [(from, to, true), (to, from, false)] {
                ends[free[end as usize]] = (other, down);
                free[end as usize] += 1;
            }
        }
        let mut order = vec![0];
        let (mut parent, mut downward) = (vec![u32::MAX; k], vec![true; k]);
        parent[0] = 0;
        let mut at = 0;
        while let Some(&i) = order.get(at) {
            at += 1;
            for &(other, down) in &ends[starts[i as usize]..starts[i as usize + 1]] {
                if parent[other as usize] == u32::MAX {
                    (parent[other as usize], downward[other as usize]) = (i, down);
                    order.push(other);
                }
            }
        }
        if let Some(apart) = parent.iter().position(|&p| p == u32::MAX) {
            return Err(apart);
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
        let one = Motif::path(1).unwrap();
        assert!(one.edges().is_empty() && one.is_path() && one.tree().unwrap().order.is_empty());
        assert!(Motif::new(2, vec![(0, 1), (1, 0)]).unwrap().tree().is_none(), "both directions are no tree");
        assert!(Motif::path(5).unwrap().is_path() && !Motif::star(5).unwrap().is_path());
    }

    #[test]
    fn invalid_motifs_are_refused() {
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
        assert!(Motif::cycle(2).is_err() && Motif::path(1 << 13).is_err());
        assert!(Motif::complete(0).is_err());
    }

    #[test]
    fn shapes_have_names_and_trees_parents() {
        for name in Motif::SHAPES {
            assert_eq!(Motif::named_shape(name, 4).unwrap().name(), name);
        }
        let message = Motif::named_shape("ring", 4).unwrap_err().to_string();
        assert!(message.contains("ring") && message.contains("path, star, cycle, complete"), "{message}");
        let tree = Motif::from_parents(&[0, 0, 1, 1]).unwrap();
        assert_eq!((tree.k(), tree.name(), tree.tree().unwrap().order.len()), (5, "tree", 4));
        assert_eq!(Motif::from_parents(&[]).unwrap().k(), 1);
        assert!(Motif::from_parents(&[4]).is_err(), "no such parent");
        assert!(Motif::from_parents(&[2, 1]).is_err(), "a circle");
    }

    #[test]
    fn spanning_trees_leave_the_other_edges() {
        for (motif, left) in [
            (Motif::path(5).unwrap(), 0),
            (Motif::cycle(5).unwrap(), 1),
            (Motif::complete(5).unwrap(), 6),
            (Motif::new(2, vec![(0, 1), (1, 0)]).unwrap(), 1),
            (Motif::new(3, vec![(1, 0), (0, 1), (2, 1), (1, 2), (2, 0)]).unwrap(), 3),
        ] {
            let (tree, rest) = motif.spanning_tree().unwrap();
            assert!(tree.tree().is_some() && tree.k() == motif.k() && rest.len() == left, "{motif:?}");
            let mut all = [tree.edges(), &rest].concat();
            let mut expected = motif.edges().to_vec();
            all.sort_unstable();
            expected.sort_unstable();
            assert_eq!(all, expected);
        }
    }

    #[test]
    fn sides_are_those_of_a_bipartite_motif() {
        assert_eq!(Motif::path(3).unwrap().sides(), Some(vec![false, true, false]));
        assert_eq!(Motif::cycle(4).unwrap().sides(), Some(vec![false, true, false, true]));
        assert_eq!(Motif::cycle(5).unwrap().sides(), None);
        assert_eq!(Motif::new(2, vec![(0, 1), (1, 0)]).unwrap().around(), [[1], [0]]);
    }

    fn file(text: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn motif_files_are_read() {
        let integers = file(b"\xef\xbb\xbf# a cycle\r\n10 2\r\n\r\n2,-1\r\n% end\n-1\t10");
        assert_eq!(Motif::read(integers.path()).unwrap().edges(), [(2, 1), (1, 0), (0, 2)]);
        let words = file(b"10 2\n2 b\n");
        let motif = Motif::read(words.path()).unwrap();
        assert_eq!((motif.name(), motif.edges()), ("edges", &[(0, 1), (1, 2)][..]));
    }

    #[test]
    fn faults_of_motif_files_are_reported_with_their_line() {
        for (text, line, words) in [
            (&b""[..], None, "no edge"),
            (b"# nothing\n", None, "no edge"),
            (b"0 1\n\n1\n", Some(3), "1 name:"),
            (b"0 1 0.5\n", Some(1), "no weights"),
            (b"0 1\n1 1\n", Some(2), "itself"),
            (b"0 1\n1 2\n0 1\n", Some(3), "line 1"),
            (b"0 1\n\xff 2\n", Some(2), "not text"),
            (b"0 1\n2 3\n", None, "no path joins 0 and 2"),
        ] {
            let file = file(text);
            match Motif::read(file.path()).unwrap_err() {
                Error::Format { line: found, problem, .. } => {
                    assert_eq!(found, line, "{problem}");
                    assert!(problem.contains(words), "{problem}");
                }
                other => panic!("{other}"),
            }
        }
        let many: Vec<String> = (0..=Motif::LARGEST).map(|i| format!("{i} {}", i + 1)).collect();
        let many = many.join("\n");
        let message = Motif::read(file(many.as_bytes()).path()).unwrap_err().to_string();
        assert!(message.contains("at most 4096"), "{message}");
        let six = file(b"0 1\n1 2\n");
        assert_eq!(Motif::read_at_most(six.path(), 8).unwrap().k(), 3);
        let message = Motif::read_at_most(six.path(), 7).unwrap_err().to_string();
        assert!(message.contains("longer than 7 bytes"), "{message}");
        assert!(matches!(Motif::read(Path::new("no/such/file")), Err(Error::Io { .. })));
    }
}
