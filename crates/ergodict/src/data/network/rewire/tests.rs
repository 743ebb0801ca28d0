//! The law of the chain on all tiny networks, and what every rewired network keeps.

use super::*;
use crate::data::{NodeIds, differences, embedded};
use crate::rng::below;
use std::collections::{BTreeMap, BTreeSet};

type Edges = Vec<(u32, u32)>;

fn pairs(n: u32, directed: bool) -> Edges {
    let all = (0..n).flat_map(|u| (0..n).map(move |v| (u, v)));
    all.filter(|(u, v)| if directed { u != v } else { u < v }).collect()
}

/// Out- and in-degrees; of undirected networks, their sums are the degrees.
fn degrees(n: u32, edges: &[(u32, u32)], directed: bool) -> Vec<(u32, u32)> {
    let mut degrees = vec![(0, 0); n as usize];
    for &(u, v) in edges {
        degrees[u as usize].0 += 1;
        degrees[v as usize].1 += 1;
        if !directed {
            degrees[v as usize].0 += 1;
            degrees[u as usize].1 += 1;
        }
    }
    degrees
}

/// All networks of `n` nodes, by their degrees.
fn by_degrees(n: u32, directed: bool) -> BTreeMap<Vec<(u32, u32)>, Vec<Edges>> {
    let pairs = pairs(n, directed);
    let mut classes: BTreeMap<_, Vec<Edges>> = BTreeMap::new();
    for code in 0..1u32 << pairs.len() {
        let edges: Edges =
            pairs.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1).map(|(_, pair)| *pair).collect();
        classes.entry(degrees(n, &edges, directed)).or_default().push(edges);
    }
    classes
}

fn sorted(mut edges: Edges, directed: bool) -> Edges {
    if !directed {
        edges.iter_mut().for_each(|edge| *edge = (edge.0.min(edge.1), edge.0.max(edge.1)));
    }
    edges.sort_unstable();
    edges
}

/// For every network, how many of all equally probable proposals lead to every other one.
fn transitions(networks: &[Edges], directed: bool) -> Vec<Vec<u64>> {
    let index: BTreeMap<&Edges, usize> = networks.iter().zip(0..).collect();
    let row = |edges: &Edges| {
        let mut row = vec![0; networks.len()];
        for i in 0..edges.len() {
            for j in 0..edges.len() {
                for turned in [false, true] {
                    let mut chain = Switching::new(edges.clone(), directed);
                    // Arcs are not turned; each counts twice.
                    chain.propose((i, j, turned && !directed));
                    row[index[&sorted(chain.into_edges(), directed)]] += 1;
                }
            }
        }
        row
    };
    networks.iter().map(row).collect()
}

/// Whether every network is reached from the first.
fn is_irreducible(matrix: &[Vec<u64>]) -> bool {
    let (mut reached, mut next) = (BTreeSet::from([0]), vec![0]);
    while let Some(from) = next.pop() {
        let ways = matrix[from].iter().enumerate().filter(|(_, ways)| **ways > 0);
        next.extend(ways.map(|(to, _)| to).filter(|to| reached.insert(*to)));
    }
    reached.len() == matrix.len()
}

#[test]
fn moves_are_as_probable_as_their_reverses_and_reach_every_network_of_the_degrees() {
    for (n, directed, most) in
        [(4, false, usize::MAX), (5, false, usize::MAX), (6, false, 3), (4, true, usize::MAX)]
    {
        // Of networks with six nodes, the largest classes would take long in a debug build, and are much like the others.
        let mut classes: Vec<_> = by_degrees(n, directed).into_values().collect();
        classes.sort_by_key(|networks| std::cmp::Reverse(networks.len()));
        for networks in classes.into_iter().take(most) {
            let matrix = transitions(&networks, directed);
            for (s, row) in matrix.iter().enumerate() {
                let proposals = 2 * networks[s].len().pow(2) as u64;
                assert_eq!(row.iter().sum::<u64>(), proposals);
                assert!(proposals == 0 || row[s] > 0, "a chain without period");
                assert!((0..s).all(|t| row[t] == matrix[t][s]), "{:?}", networks[s]);
            }
            assert!(networks[0].is_empty() || is_irreducible(&matrix), "{:?}", networks[0]);
        }
    }
}

/// Above the 0.9999 quantile of chi² (Wilson and Hilferty).
fn far(chi2: f64, freedom: f64) -> bool {
    let spread = 2.0 / (9.0 * freedom);
    chi2 > freedom * (1.0 - spread + 3.72 * spread.sqrt()).powi(3)
}

fn network(n: u32, edges: &[(u32, u32)], directed: bool) -> Network {
    with_ids(NodeIds::numbered(n as usize), edges, directed)
}

fn edges(network: &Network) -> Edges {
    network.each_edge().map(|(u, v, _)| (u, v)).collect()
}

#[test]
fn rewired_networks_are_uniform_over_all_of_the_degrees() {
    let complete_but_one: Edges = pairs(4, true).into_iter().filter(|pair| *pair != (0, 1)).collect();
    for (n, start, directed, number) in [
        (6, vec![(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)], false, 70),
        (6, vec![(0, 1), (0, 2), (0, 3), (1, 2), (3, 4), (4, 5)], false, 36),
        (5, vec![(0, 1), (0, 2), (0, 3), (1, 2), (3, 4)], false, 6),
        (6, vec![(0, 1), (2, 3), (4, 5)], false, 15),
        (3, vec![(0, 1), (1, 2), (2, 0)], true, 2),
        (4, vec![(0, 1), (1, 2), (2, 0), (0, 3), (3, 1)], true, 7),
        (4, complete_but_one, true, 1),
    ] {
        let networks = &by_degrees(n, directed)[&degrees(n, &start, directed)];
        assert_eq!(networks.len(), number, "{start:?}");
        // The exact law after the proposals that are made.
        let proposals = 10;
        let matrix = transitions(networks, directed);
        let of_one = 1.0 / (2 * start.len().pow(2)) as f64;
        let first = sorted(start.clone(), directed);
        let mut law: Vec<f64> = networks.iter().map(|edges| f64::from(u8::from(*edges == first))).collect();
        for _ in 0..proposals * start.len() as u64 {
            let into = |to: usize| (0..number).map(|from| law[from] * matrix[from][to] as f64 * of_one).sum();
            law = (0..number).map(into).collect();
        }
        let away: f64 = law.iter().map(|p| (p - 1.0 / number as f64).abs()).sum::<f64>() / 2.0;
        assert!(away < 0.01, "{start:?}: total variation {away}");
        let (draws, original) = (200 * number as u64, network(n, &start, directed));
        let mut counts = vec![0.0; number];
        for seed in 0..draws {
            let copy = edges(&rewired(&original, proposals, seed).unwrap());
            counts[networks.iter().position(|edges| *edges == copy).unwrap()] += 1.0;
        }
        let expected = law.iter().map(|p| p * draws as f64);
        let chi2: f64 = counts.iter().zip(expected).map(|(count, e)| (count - e).powi(2) / e).sum();
        assert!(number == 1 || !far(chi2, number as f64 - 1.0), "{start:?}: chi² {chi2} for {number}");
    }
}

#[test]
fn rewired_bipartite_networks_are_uniform_over_all_of_the_degrees_and_sides() {
    for (n, start, directed, number) in [
        // Matrices of three by three with two ones in every row and column.
        (6, vec![(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)], false, 6),
        (7, vec![(0, 1), (0, 3), (0, 5), (1, 2), (2, 3), (4, 5), (4, 6)], false, 12),
        (4, vec![(0, 2), (1, 3), (2, 1), (3, 0)], true, 4),
    ] {
        let original = network(n, &start, directed);
        let sides = original.sides().unwrap();
        let between: Edges =
            pairs(n, directed).into_iter().filter(|&(u, v)| sides.of(u).1 != sides.of(v).1).collect();
        let subsets = (0..1u32 << between.len()).map(|code| {
            let chosen = between.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1);
            chosen.map(|(_, pair)| *pair).collect::<Edges>()
        });
        let kept = degrees(n, &start, directed);
        let networks: Vec<Edges> = subsets.filter(|edges| degrees(n, edges, directed) == kept).collect();
        assert_eq!(networks.len(), number, "{start:?}");
        let mut counts = vec![0.0; number];
        for seed in 0..200 * number as u64 {
            let copy = edges(&rewired(&original, 20, seed).unwrap());
            counts[networks.iter().position(|edges| *edges == copy).unwrap()] += 1.0;
        }
        let chi2: f64 = counts.iter().map(|count| (count - 200.0f64).powi(2) / 200.0).sum();
        assert!(!far(chi2, number as f64 - 1.0), "{start:?}: chi² {chi2} for {number}");
    }
    // Forests are rewired like any other network: this path can become a triangle and an edge.
    let path = network(5, &[(0, 1), (1, 2), (2, 3), (3, 4)], false);
    assert!((0..50).any(|seed| !rewired(&path, 10, seed).unwrap().components().bipartite[0]));
}

/// Degrees without loops, loops, names and sorted weights.
fn check_kept(original: &Network, copy: &Network) {
    assert_eq!(copy.ids(), original.ids());
    let flags =
        |network: &Network| (network.is_directed(), network.is_weighted(), network.loops(), network.edges());
    assert_eq!(flags(copy), flags(original));
    for u in 0..original.nodes() {
        assert_eq!(copy.neighbors(u).len(), original.neighbors(u).len());
        assert_eq!(copy.incoming().neighbors(u).len(), original.incoming().neighbors(u).len());
        assert_eq!(copy.weight(u, u), original.weight(u, u));
        assert!(copy.neighbors(u).is_sorted_by(|v, w| v < w));
    }
    let weights = |network: &Network| {
        let mut weights: Vec<f64> = network.each_edge().map(|edge| edge.2).collect();
        weights.sort_by(f64::total_cmp);
        weights
    };
    assert_eq!(weights(copy), weights(original));
}

#[test]
fn degrees_loops_names_and_weights_are_kept() {
    let mut rng = stream(6, Purpose::Synthetic, 77);
    for case in 0..200u64 {
        let n = 1 + below(&mut rng, 30);
        let m = below(&mut rng, 4 * n);
        let edges: Vec<Edge> = (0..m)
            .map(|_| (below(&mut rng, n) as u32, below(&mut rng, n) as u32, 1.0 + below(&mut rng, 5) as f64))
            .collect();
        let (directed, weighted) = (case % 2 == 0, case % 4 < 2);
        let loops = if case % 8 < 4 { Loops::Keep } else { Loops::Drop };
        let names: Vec<String> = (0..n).map(|v| format!("node {v:02}")).collect();
        let ids = NodeIds::words(names.iter().map(String::as_str));
        let original = Network::build(ids, &edges, weighted, Build { directed, loops }).unwrap().0;
        let copy = rewired(&original, 5, case).unwrap();
        check_kept(&original, &copy);
        assert_eq!(copy, rewired(&original, 5, case).unwrap());
        // Weights have no influence on who is joined to whom.
        assert_eq!(copy.unweighted(), rewired(&original.unweighted(), 5, case).unwrap());
    }
}

#[test]
fn networks_that_are_the_only_ones_of_their_degrees_stay() {
    let star: Edges = (1..6).map(|v| (0, v)).collect();
    for (n, edges) in [(0, vec![]), (4, vec![]), (3, vec![(0, 2)]), (6, star), (6, pairs(6, false))] {
        let original = network(n, &edges, false);
        assert_eq!(rewired(&original, 10, 0).unwrap(), original);
        let original = network(n, &edges, true);
        assert_eq!(rewired(&original, 10, 0).unwrap(), original);
    }
    let original = network(5, &pairs(5, true), true);
    assert_eq!(rewired(&original, 10, 0).unwrap(), original);
}

#[test]
fn disconnected_and_bipartite_networks_stay_simple() {
    let triangles = network(7, &[(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)], false);
    let davis = embedded("@davis").unwrap();
    for seed in 0..20 {
        for original in [&triangles, &davis] {
            let copy = rewired(original, 10, seed).unwrap();
            check_kept(original, &copy);
            assert!(copy.is_simple());
            // Two triangles can become a ring of six.
            assert!(copy.is_two_sided() || !original.is_two_sided());
        }
    }
}

#[test]
fn components_of_bipartite_networks_with_opposite_first_nodes_keep_their_sides() {
    // Two cycles of six: people 0, 1, 2 at events 3, 4, 5, and people 9, 10, 11 at events 6, 7, 8. The first node of one is a person, of the other an event.
    let cycle = |people: u32, events: u32| {
        (0..3).flat_map(move |i| [(people + i, events + i), (people + i, events + (i + 1) % 3)])
    };
    let start: Edges = cycle(0, 3).chain(cycle(9, 6)).collect();
    let original = network(12, &sorted(start, false), false);
    let component = |node: u32| (node / 6, (3..9).contains(&node));
    // Each has six copies: what is left of all pairs without a perfect matching.
    let mut counts: BTreeMap<Edges, f64> = BTreeMap::new();
    for seed in 0..7200 {
        let copy = edges(&rewired(&original, 20, seed).unwrap());
        for &(u, v) in &copy {
            assert!(u / 6 == v / 6 && component(u).1 != component(v).1, "{copy:?}");
        }
        *counts.entry(copy).or_default() += 1.0;
    }
    let chi2: f64 = counts.values().map(|count| (count - 200.0).powi(2) / 200.0).sum();
    assert!(counts.len() == 36 && !far(chi2, 35.0), "{} copies, chi² {chi2}", counts.len());
}

#[test]
fn arcs_from_one_kind_of_nodes_to_another_mix_components() {
    // Two squares: 0 and 1 lead to 2 and 3, 4 and 5 to 6 and 7. Of four senders with two arcs each to four receivers with two each there are 90.
    let original = network(8, &[(0, 2), (0, 3), (1, 2), (1, 3), (4, 6), (4, 7), (5, 6), (5, 7)], true);
    let sends = |node: u32| [0, 1, 4, 5].contains(&node);
    let mut counts: BTreeMap<Edges, f64> = BTreeMap::new();
    for seed in 0..9000 {
        let copy = edges(&rewired(&original, 20, seed).unwrap());
        assert!(copy.iter().all(|&(u, v)| sends(u) && !sends(v)), "{copy:?}");
        *counts.entry(copy).or_default() += 1.0;
    }
    let chi2: f64 = counts.values().map(|count| (count - 100.0).powi(2) / 100.0).sum();
    assert!(counts.len() == 90 && !far(chi2, 89.0), "{} copies, chi² {chi2}", counts.len());
}

#[test]
fn one_proposal_per_edge_is_the_least() {
    let karate = embedded("@karate").unwrap();
    let message = rewired(&karate, 0, 0).unwrap_err().to_string();
    assert_eq!(message, "the number of proposals per edge is 0, but it must be at least 1");
    let changed = |seed| differences(&karate, &rewired(&karate, 1, seed).unwrap()).came;
    assert!((0..5).all(|seed| changed(seed) > 0));
}

#[test]
fn weights_are_in_uniformly_random_order() {
    // The complete network has no other, so that only weights move: 6 orders of three.
    let ends = [(0, 1), (0, 2), (1, 2)];
    let listed: Vec<Edge> =
        ends.iter().zip([1.0, 2.0, 3.0]).map(|(&(u, v), weight)| (u, v, weight)).collect();
    let original = Network::build(NodeIds::numbered(3), &listed, true, Build::default()).unwrap().0;
    let mut counts: BTreeMap<Vec<u64>, f64> = BTreeMap::new();
    for seed in 0..6000 {
        let copy = rewired(&original, 1, seed).unwrap();
        *counts.entry(copy.each_edge().map(|edge| edge.2 as u64).collect()).or_default() += 1.0;
    }
    let chi2: f64 = counts.values().map(|count| (count - 1000.0).powi(2) / 1000.0).sum();
    assert!(counts.len() == 6 && !far(chi2, 5.0), "{counts:?}");
}
