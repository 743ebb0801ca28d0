use super::*;
use crate::data::{TimedEdges, WindowCut, WindowOptions};
use std::collections::{BTreeMap, HashMap};

fn windows(rows: Vec<(u32, u32)>, times: Vec<f64>, options: WindowOptions) -> Windows {
    let nodes = rows.iter().map(|(u, v)| u.max(v) + 1).max().unwrap() as usize;
    let rows = TimedEdges::new(NodeIds::numbered(nodes), rows, times).unwrap();
    Windows::new(Arc::new(rows), options).unwrap()
}

fn permuted(windows: &Windows, permutation: u64) -> PermutedTimes {
    let all = Arc::new(Appearances::from_windows(windows).unwrap());
    all.permuted(3, permutation, &|| false).unwrap()
}

/// Bursts: every row of an edge is near the others.
fn bursts(options: WindowOptions) -> Windows {
    let rows = (0..400_u32).map(|row| ((row / 3) % 20, 20 + (row / 3 * 7) % 31)).collect();
    windows(rows, (0..400).map(|row| f64::from(row * row)).collect(), options)
}

#[test]
fn every_window_keeps_its_edges_and_every_edge_its_windows() {
    let edges = |network: Network| -> Vec<(String, String)> {
        let name = |v: u32| network.ids().name(v as usize).into_owned();
        network.each_edge().map(|(u, v, _)| (name(u), name(v))).collect()
    };
    let count = |all: &[Vec<(String, String)>]| {
        let mut found = BTreeMap::new();
        all.iter().flatten().for_each(|edge| *found.entry(edge.clone()).or_insert(0) += 1);
        found
    };
    let options = WindowOptions { cut: WindowCut::Into(7), ..WindowOptions::default() };
    let observed = bursts(options);
    let before: Vec<_> = (0..7).map(|at| edges(observed.network(at).unwrap())).collect();
    for permutation in 0..5 {
        let permuted = permuted(&observed, permutation);
        let after: Vec<_> = (0..7).map(|at| edges(permuted.network(at).unwrap())).collect();
        assert!(before.iter().zip(&after).all(|(before, after)| before.len() == after.len()));
        assert_eq!(count(&before), count(&after));
        assert_ne!(before, after);
    }
    // As many edges come to cumulative windows as came.
    let observed = bursts(WindowOptions { cumulative: true, ..options });
    let permuted = permuted(&observed, 0);
    for at in 0..7 {
        assert_eq!(permuted.network(at).unwrap().edges(), observed.network(at).unwrap().edges());
    }
    let last = (observed.network(6).unwrap(), permuted.network(6).unwrap());
    assert_eq!(edges(last.0), edges(last.1));
}

#[test]
fn windows_that_overlap_or_leave_gaps_are_of_the_same_rows() {
    for (window, stride) in [(40_000.0, 20_000.0), (10_000.0, 25_000.0)] {
        let cut = WindowCut::Every { window, stride };
        let observed = bursts(WindowOptions { cut, ..WindowOptions::default() });
        let all = Appearances::from_windows(&observed).unwrap();
        // Before anything is permuted, the appearances are those of the windows.
        let cells = all.cells.clone();
        let same = PermutedTimes { all: Arc::new(all), cells };
        for at in 0..observed.len() {
            assert!(same.network(at).unwrap() == observed.network(at).unwrap(), "{window} {at}");
        }
        let permuted = permuted(&observed, 0);
        for at in 0..observed.len() {
            let (new, old) = (permuted.network(at).unwrap().edges(), observed.network(at).unwrap().edges());
            assert!(new.abs_diff(old) <= old / 4 + 2, "{new} {old}");
        }
    }
}

#[test]
fn weights_stay_with_their_edges() {
    let rows: Vec<(u32, u32)> = (0..90).map(|row| (row % 9, 9 + row % 10)).collect();
    let weights: Vec<f64> = rows.iter().map(|(u, v)| f64::from(100 * u + v)).collect();
    let rows = TimedEdges::with(
        NodeIds::numbered(19),
        rows,
        (0..90).map(f64::from).collect(),
        Some(weights),
        None,
        crate::data::Times::Numbers,
    );
    let options = WindowOptions { cut: WindowCut::Into(3), ..WindowOptions::default() };
    let observed = Windows::new(Arc::new(rows.unwrap()), options).unwrap();
    let network = permuted(&observed, 0).network(1).unwrap();
    assert!(network.is_weighted() && network.edges() == observed.network(1).unwrap().edges());
    for (u, v, weight) in network.each_edge() {
        let name = |v: u32| network.ids().integer(v as usize).unwrap();
        assert_eq!(weight, (100 * name(u) + name(v)) as f64);
    }
}

#[test]
fn tables_of_given_sums_are_equally_likely() {
    // Edges a, b, c on days of 2, 1 and 1 edges, a on two of them: two tables have a on the first two days, two on the first and the last, one on
    // the last two.
    let day = |edges: &[(u32, u32)]| Arc::new(Network::simple(4, edges).unwrap());
    let days = [day(&[(0, 1), (1, 2)]), day(&[(0, 1)]), day(&[(2, 3)])];
    let all = Arc::new(Appearances::from_snapshots(&days));
    let (draws, mut found) = (2000, HashMap::new());
    for permutation in 0..draws {
        let permuted = Arc::clone(&all).permuted(0, permutation, &|| false).unwrap();
        let pairs = |cell: &Vec<u32>| cell.iter().map(|at| all.pairs[*at as usize]).collect::<Vec<_>>();
        *found.entry(permuted.cells.iter().map(pairs).collect::<Vec<_>>()).or_insert(0) += 1;
    }
    assert_eq!(found.len(), 5, "{found:?}");
    // Five standard deviations of a count of probability 1/5.
    let (mean, most) = (draws as f64 / 5.0, 5.0 * (draws as f64 * 0.16).sqrt());
    assert!(found.values().all(|count: &i32| (f64::from(*count) - mean).abs() < most), "{found:?}");
}

#[test]
fn a_request_to_stop_is_heard() {
    let observed = bursts(WindowOptions { cut: WindowCut::Into(7), ..WindowOptions::default() });
    let all = Arc::new(Appearances::from_windows(&observed).unwrap());
    assert!(matches!(all.permuted(0, 0, &|| true), Err(Error::Interrupted)));
}

#[test]
fn one_moment_and_empty_windows_stay_as_they_are() {
    let rows = vec![(0, 1), (1, 2), (2, 3)];
    let one = windows(rows.clone(), vec![5.0; 3], WindowOptions::default());
    assert_eq!((one.len(), permuted(&one, 0).network(0).unwrap().edges()), (1, 3));
    let cut = WindowCut::Every { window: 1.0, stride: 1.0 };
    let gaps = windows(rows, vec![0.0, 0.5, 9.0], WindowOptions { cut, ..WindowOptions::default() });
    let permuted = permuted(&gaps, 0);
    let edges: Vec<u64> = (0..gaps.len()).map(|at| permuted.network(at).unwrap().edges()).collect();
    assert_eq!(edges, [2, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
}
