//! Simple and directed networks out of lists of edges in linear time: scattered into rows twice, which sorts them.

use super::super::{Network, NodeIds, Rows};

/// The network of nodes `0..n` with these edges; loops are left out, and edges listed more than once count once, in
/// either direction unless it is directed. Ends must be below `n`.
///
/// Scattering arcs by their ends leaves rows in the order of the list. Scattering those rows once more, by the other
/// ends, meets first ends in ascending order, and so leaves every row sorted.
pub(in super::super) fn network(n: usize, edges: &[(u32, u32)], directed: bool) -> Network {
    with_ids(NodeIds::numbered(n), edges, directed)
}

/// The same, with names for the nodes.
pub(in super::super) fn with_ids(ids: NodeIds, edges: &[(u32, u32)], directed: bool) -> Network {
    let n = ids.len();
    let proper = || edges.iter().copied().filter(|(u, v)| u != v);
    // In a list that ascends, with first ends below the second ones, every node is met as a second end, by ascending
    // first ends, before it is a first end.
    let ascending =
        edges.windows(2).all(|pair| pair[0] < pair[1]) && (directed || edges.iter().all(|(u, v)| u < v));
    let (mut starts, mut neighbors) = match (directed, ascending) {
        (true, true) => scatter(n, &proper),
        (false, true) => scatter(n, &|| proper().flat_map(|(u, v)| [(u, v), (v, u)])),
        (true, false) => {
            let incoming = scatter(n, &|| proper().map(|(u, v)| (v, u)));
            scatter(n, &|| transposed(&incoming))
        }
        (false, false) => {
            let unsorted = scatter(n, &|| proper().flat_map(|(u, v)| [(u, v), (v, u)]));
            scatter(n, &|| transposed(&unsorted))
        }
    };
    if !ascending {
        unite(&mut starts, &mut neighbors);
    }
    let rows = Rows { starts: starts.into(), neighbors: neighbors.into(), weights: None };
    Network::of_rows(rows, directed, ids, 0)
}

/// Rows of the second ends of arcs, in the order of the arcs, and where they start.
fn scatter<I: Iterator<Item = (u32, u32)>>(n: usize, arcs: &impl Fn() -> I) -> (Vec<u64>, Vec<u32>) {
    let mut starts = vec![0u64; n + 2];
    // One place further than the row's own, so that after the second pass every entry has moved to its row's start.
    arcs().for_each(|(u, _)| starts[u as usize + 2] += 1);
    for u in 2..n + 2 {
        starts[u] += starts[u - 1];
    }
    let mut ends = vec![0u32; starts[n + 1] as usize];
    arcs().for_each(|(u, v)| {
        let at = &mut starts[u as usize + 1];
        ends[*at as usize] = v;
        *at += 1;
    });
    starts.pop();
    (starts, ends)
}

/// The arcs `(v, u)` of rows `u` by ascending `u`.
fn transposed((starts, ends): &(Vec<u64>, Vec<u32>)) -> impl Iterator<Item = (u32, u32)> + '_ {
    let row = |u: usize| &ends[starts[u] as usize..starts[u + 1] as usize];
    (0..starts.len() - 1).flat_map(move |u| row(u).iter().map(move |&v| (v, u as u32)))
}

/// Leaves every entry of sorted rows once.
fn unite(starts: &mut [u64], ends: &mut Vec<u32>) {
    let (mut kept, mut from) = (0, 0);
    for u in 0..starts.len() - 1 {
        let (start, to) = (kept, starts[u + 1] as usize);
        for at in from..to {
            let v = ends[at];
            if kept == start || ends[kept - 1] != v {
                ends[kept] = v;
                kept += 1;
            }
        }
        (from, starts[u + 1]) = (to, kept as u64);
    }
    ends.truncate(kept);
    ends.shrink_to_fit();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Build, Edge};
    use crate::rng::{Purpose, below, stream};

    #[test]
    fn networks_are_those_of_the_reference() {
        let mut rng = stream(1, Purpose::Synthetic, 77);
        for case in 0..400 {
            let n = 1 + below(&mut rng, 12) as usize;
            let m = below(&mut rng, 40);
            let mut node = || below(&mut rng, n as u64) as u32;
            let mut edges: Vec<(u32, u32)> = (0..m).map(|_| (node(), node())).collect();
            if case % 2 == 0 {
                edges.iter_mut().for_each(|e| *e = (e.0.min(e.1), e.0.max(e.1)));
                edges.sort_unstable();
                edges.dedup();
                edges.retain(|(u, v)| u != v || case % 4 == 0);
            }
            let listed: Vec<Edge> = edges.iter().map(|&(u, v)| (u, v, 1.0)).collect();
            for directed in [false, true] {
                let build = Build { directed, ..Build::default() };
                let (expected, _) = Network::build(NodeIds::numbered(n), &listed, false, build).unwrap();
                let got = network(n, &edges, directed);
                assert_eq!(got, expected, "{edges:?}, {directed}");
                assert_eq!((got.edges(), got.loops()), (expected.edges(), 0));
            }
        }
        assert_eq!(network(0, &[], false).nodes(), 0);
        assert_eq!(network(3, &[], true).edges(), 0);
    }
}
