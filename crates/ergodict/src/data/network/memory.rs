//! Networks out of arrays in memory, decided on as the readers of files decide.

use super::edge_list::{integer_indices, integer_of};
use super::matrix_list::{self, Entries};
use super::read::from_matrix;
use super::{EdgeCounts, EdgeList, Network, NetworkFormat, NodeIds, ReadDecisions, ReadOptions};
use crate::{Error, Result};
use std::path::Path;

/// What messages call edges in memory.
const EDGES: &str = "edges";
/// What messages call a matrix in memory.
const MATRIX: &str = "matrix";

impl Network {
    /// The network of edges that are listed, as [`read_network`](super::read_network) makes it of a file that lists them. Where the list
    /// says that edges have no direction, and directions are asked for, each becomes one in both.
    ///
    /// ```
    /// use ergodict::data::{EdgeList, Network, NodeIds, ReadOptions};
    /// let list = EdgeList { ids: NodeIds::numbered(3), ends: vec![(0, 1), (2, 2)], weights: None, directed: Some(false) };
    /// let (network, decisions) = Network::of_edges(list, &ReadOptions::default())?;
    /// assert_eq!((network.nodes(), network.edges(), decisions.found.loops), (3, 1, 1));
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Network::from_list`]; [`Error::Format`] for weights that are negative, or wanted but not there.
    pub fn of_edges(mut list: EdgeList, options: &ReadOptions) -> Result<(Self, ReadDecisions)> {
        let weighted = list.weights.is_some();
        let format = if list.directed.is_some() { NetworkFormat::Graph } else { NetworkFormat::EdgeList };
        if let Some(weights) = list.weights.as_ref().filter(|weights| weights.len() != list.ends.len()) {
            let (found, edges) = (weights.len().to_string(), format!("{} edges", list.ends.len()));
            return Err(Error::shape("the weights", found, edges));
        }
        if options.weighted == Some(false) {
            list.weights = None;
        }
        if list.directed == Some(false) {
            // Otherwise parallel edges that go to and fro would be taken for one edge listed in both directions.
            list.ends.iter_mut().for_each(|(u, v)| (*u, *v) = ((*u).min(*v), (*u).max(*v)));
        }
        let entries = Entries { list, weighted, found: EdgeCounts::default() };
        from_matrix(Path::new(EDGES), entries, format, options)
    }

    /// The network of a square matrix whose entries are given, as [`read_network`](super::read_network) makes it of a `.npz` file: entries of
    /// the same place add up, zeros are no edges, and a symmetric matrix is an undirected network.
    ///
    /// # Errors
    /// [`Error::Format`] for a shape that is not square, and for entries that are negative or not finite.
    pub fn of_matrix(
        shape: (u64, u64),
        ends: Vec<(u32, u32)>,
        entries: Option<Vec<f64>>,
        options: &ReadOptions,
    ) -> Result<(Self, ReadDecisions)> {
        let path = Path::new(MATRIX);
        let n = matrix_list::nodes(path, None, shape.0, shape.1, ends.len() as u64)?;
        if let Some(&(u, v)) = ends.iter().find(|(u, v)| (*u).max(*v) as usize >= n) {
            return Err(Error::format(
                path,
                None,
                format!("has an entry at ({u}, {v}): expected 0 to {}", n.saturating_sub(1)),
            ));
        }
        if let Some(at) = entries.iter().flatten().position(|x| !x.is_finite()) {
            let value = entries.iter().flatten().nth(at).copied().unwrap_or(f64::NAN);
            let (u, v) = ends.get(at).copied().unwrap_or_default();
            return Err(Error::format(
                path,
                None,
                format!("has {value} at ({u}, {v}): expected finite numbers"),
            ));
        }
        let entries =
            matrix_list::edges(NodeIds::numbered(n), ends, entries, options.weighted == Some(false))?;
        from_matrix(path, entries, NetworkFormat::Matrix, options)
    }
}

impl EdgeList {
    /// The edges between nodes that are called by integers; the `isolated` ones are nodes as well, whether they have edges or not. None
    /// when there are more than 2³² nodes.
    pub fn of_integers(
        mut ends: Vec<(i64, i64)>,
        isolated: &[i64],
        weights: Option<Vec<f64>>,
        directed: Option<bool>,
    ) -> Option<Self> {
        let edges = ends.len();
        ends.extend(isolated.iter().map(|&v| (v, v)));
        let (ids, mut ends) = integer_indices(ends)?;
        ends.truncate(edges);
        Some(Self { ids, ends, weights, directed })
    }
}

impl NodeIds {
    /// The places of some different names in the order in which nodes are numbered (integers by value where all are integers as files
    /// have them, else by their bytes) and the names in that order; none where two are the same.
    ///
    /// ```
    /// # use ergodict::data::NodeIds;
    /// let (order, ids) = NodeIds::in_order(&["10", "9"]).unwrap();
    /// assert_eq!((order, ids.integer(0)), (vec![1, 0], Some(9)));
    /// assert_eq!(NodeIds::in_order(&["10", "9", "x"]).unwrap().0, [0, 1, 2]);
    /// ```
    pub fn in_order(names: &[impl AsRef<str>]) -> Option<(Vec<u32>, Self)> {
        let mut order: Vec<u32> = (0..u32::try_from(names.len()).ok()?).collect();
        let integers: Option<Vec<i64>> = names.iter().map(|name| integer_of(name.as_ref())).collect();
        if let Some(integers) = integers {
            order.sort_unstable_by_key(|&v| integers[v as usize]);
            let ids: Vec<i64> = order.iter().map(|&v| integers[v as usize]).collect();
            return ids.is_sorted_by(|a, b| a < b).then(|| (order, Self::integers(ids)));
        }
        order.sort_unstable_by_key(|&v| names[v as usize].as_ref());
        let words = || order.iter().map(|&v| names[v as usize].as_ref());
        let ids = words().is_sorted_by(|a, b| a < b).then(|| Self::words(words()))?;
        Some((order, ids))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Loops, Reason};
    use super::*;

    fn list(ends: &[(u32, u32)], weights: Option<&[f64]>, directed: Option<bool>) -> EdgeList {
        EdgeList {
            ids: NodeIds::numbered(4),
            ends: ends.to_vec(),
            weights: weights.map(<[f64]>::to_vec),
            directed,
        }
    }

    #[test]
    fn parallel_edges_of_a_graph_add_up_whatever_their_ends_order() {
        let ends = [(0, 1), (1, 0), (1, 2), (2, 1)];
        let weights = [1.0; 4];
        let of = |directed, asked| {
            let options = ReadOptions { directed: asked, ..ReadOptions::default() };
            Network::of_edges(list(&ends, Some(&weights), directed), &options).unwrap().0
        };
        assert_eq!(of(Some(false), None).weight(0, 1), 2.0);
        // A list as files have it: every edge is there in both directions.
        assert_eq!(of(None, None).weight(0, 1), 1.0);
        let both = of(Some(false), Some(true));
        assert!(both.is_directed() && both.weight(0, 1) == 2.0 && both.weight(1, 0) == 2.0);
    }

    #[test]
    fn a_matrix_is_taken_as_its_file_is() {
        let of = |ends: &[(u32, u32)], entries: &[f64]| {
            Network::of_matrix((3, 3), ends.to_vec(), Some(entries.to_vec()), &ReadOptions::default())
        };
        let (network, decisions) = of(&[(0, 1), (1, 0), (2, 2)], &[2.0, 2.0, 1.0]).unwrap();
        assert!(!network.is_directed() && network.weight(1, 0) == 2.0 && network.nodes() == 3);
        assert_eq!(
            (decisions.reason, decisions.loops, decisions.found.loops),
            (Reason::Said, Loops::Drop, 1)
        );
        assert!(of(&[(0, 1)], &[1.0]).unwrap().0.is_directed());
        for (ends, entry, words) in
            [((0, 1), f64::NAN, "NaN at (0, 1)"), ((0, 3), 1.0, "(0, 3)"), ((0, 1), -1.0, "-1")]
        {
            let message = of(&[ends], &[entry]).unwrap_err().to_string();
            assert!(message.starts_with("matrix: ") && message.contains(words), "{message}");
        }
        let square = Network::of_matrix((2, 3), Vec::new(), None, &ReadOptions::default());
        assert!(square.unwrap_err().to_string().contains("square"));
    }

    #[test]
    fn integers_are_numbered_in_their_order_isolated_ones_too() {
        let found = EdgeList::of_integers(vec![(5, -1), (5, 9)], &[7, 5], None, None).unwrap();
        assert_eq!((found.ends, found.ids.len(), found.ids.integer(2)), (vec![(1, 0), (1, 3)], 4, Some(7)));
        assert!(EdgeList::of_integers(Vec::new(), &[], None, None).unwrap().ids.is_empty());
        assert!(NodeIds::in_order(&["a", "a"]).is_none() && NodeIds::in_order(&[""; 0]).is_some());
        // One way of writing an integer is an integer.
        assert!(NodeIds::in_order(&["01", "1"]).unwrap().1.are_words());
    }
}
