//! Generated networks against the exact laws of their models, and what is refused.

use ergodict::data::generate::{
    BarabasiAlbert, BlockModel, Configuration, Density, ErdosRenyi, Generator, Multiple, RMat, WattsStrogatz,
};
use ergodict::data::{Network, embedded};
use std::collections::BTreeMap;

/// The quadrants of Graph500.
const GRAPH500: [f64; 4] = [0.57, 0.19, 0.19, 0.05];

type Edges = Vec<(u32, u32)>;

fn edges(network: &Network) -> Edges {
    network.each_edge().map(|(u, v, _)| (u, v)).collect()
}

/// Above the 0.9999 quantile of chi² (Wilson and Hilferty).
fn far(chi2: f64, freedom: f64) -> bool {
    let spread = 2.0 / (9.0 * freedom);
    chi2 > freedom * (1.0 - spread + 3.72 * spread.sqrt()).powi(3)
}

/// Networks of seeds `0..draws` against the law of their edges. Edges that should never be are an error, cells of fewer than
/// five draws are put together.
fn check_law(name: &str, generator: &Generator, law: &BTreeMap<Edges, f64>, draws: u64) {
    assert!((law.values().sum::<f64>() - 1.0).abs() < 1e-12, "{name}: a law");
    let mut counts: BTreeMap<Edges, f64> = BTreeMap::new();
    for seed in 0..draws {
        *counts.entry(edges(&generator.generate(seed))).or_default() += 1.0;
    }
    for seen in counts.keys() {
        assert!(law.get(seen).is_some_and(|p| *p > 0.0), "{name}: {seen:?} has no chance");
    }
    let (mut chi2, mut cells, mut rest) = (0.0, 0.0, (0.0, 0.0));
    for (edges, p) in law {
        let (count, expected) = (counts.get(edges).unwrap_or(&0.0), p * draws as f64);
        if expected < 5.0 {
            rest = (rest.0 + count, rest.1 + expected);
        } else {
            chi2 += (count - expected).powi(2) / expected;
            cells += 1.0;
        }
    }
    if rest.1 >= 5.0 {
        chi2 += (rest.0 - rest.1).powi(2) / rest.1;
        cells += 1.0;
    }
    assert!(!far(chi2, cells - 1.0), "{name}: chi² {chi2} for {} degrees of freedom", cells - 1.0);
}

fn pairs(n: u32, directed: bool) -> Edges {
    let all = (0..n).flat_map(|u| (0..n).map(move |v| (u, v)));
    all.filter(|(u, v)| if directed { u != v } else { u < v }).collect()
}

/// Every set of pairs with a probability.
fn over_sets(pairs: &Edges, probability: impl Fn(&Edges) -> f64) -> BTreeMap<Edges, f64> {
    let set = |code: u32| -> Edges {
        pairs.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1).map(|(_, pair)| *pair).collect()
    };
    let law = (0..1u32 << pairs.len()).map(set).map(|set| (probability(&set), set));
    law.filter(|(p, _)| *p > 0.0).map(|(p, set)| (set, p)).collect()
}

#[test]
fn independent_edges_have_their_exact_law() {
    for directed in [false, true] {
        let n = if directed { 3 } else { 4 };
        for p in [0.0f64, 0.4, 0.85, 1.0] {
            let law = over_sets(&pairs(n, directed), |set| {
                p.powi(set.len() as i32) * (1.0 - p).powi(6 - set.len() as i32)
            });
            let model = ErdosRenyi::new(n as usize, Density::Probability(p), directed).unwrap();
            check_law(&format!("G({n}, {p})"), &model.into(), &law, 10_000);
        }
    }
}

#[test]
fn numbers_of_independent_edges_are_binomial() {
    for (n, p, directed) in [(60, 0.1, false), (60, 0.97, false), (40, 0.02, true), (3000, 1e-5, false)] {
        let model: Generator = ErdosRenyi::new(n, Density::Probability(p), directed).unwrap().into();
        let pairs = (n * (n - 1)) as f64 / if directed { 1.0 } else { 2.0 };
        let (networks, mut total, mut squares) = (300, 0.0, 0.0);
        for seed in 0..networks {
            let z = (model.generate(seed).edges() as f64 - pairs * p) / (pairs * p * (1.0 - p)).sqrt();
            total += z;
            squares += z * z;
        }
        let networks = networks as f64;
        assert!(total.abs() < 3.9 * networks.sqrt(), "{n}, {p}: {}", total / networks.sqrt());
        // The variance of z² is 2 and a little more, as a binomial number has heavier tails than a normal one.
        let off = (squares - networks) / ((2.0 + 1.0 / (pairs * p * (1.0 - p))) * networks).sqrt();
        assert!(off.abs() < 4.5, "{n}, {p}: {off}");
    }
}

#[test]
fn sets_of_a_number_of_edges_are_uniform() {
    for (n, m, directed, sets) in
        [(5, 3, false, 120.0), (5, 7, false, 120.0), (3, 2, true, 15.0), (4, 6, false, 1.0)]
    {
        let law = over_sets(&pairs(n, directed), |set| if set.len() == m { 1.0 / sets } else { 0.0 });
        let model = ErdosRenyi::new(n as usize, Density::Edges(m as u64), directed).unwrap();
        check_law(&format!("G({n}, {m})"), &model.into(), &law, 9_600);
    }
}

/// The law of preferential attachment, by all ways the nodes may join.
fn attachment(n: u32, m: u32) -> BTreeMap<Edges, f64> {
    let mut law = BTreeMap::from([((0..m).map(|v| (v, m)).collect::<Edges>(), 1.0)]);
    for new in m + 1..n {
        let mut next = BTreeMap::new();
        for (old, p) in &law {
            let degree = |w: u32| old.iter().filter(|(u, v)| *u == w || *v == w).count() as f64;
            // Ordered choices of different nodes.
            let mut choices = vec![(Vec::new(), 1.0)];
            for _ in 0..m {
                let mut longer = Vec::new();
                for (chosen, q) in &choices {
                    let left = |w: &u32| !chosen.contains(w);
                    let total: f64 = (0..new).filter(left).map(degree).sum();
                    for w in (0..new).filter(left) {
                        let mut chosen: Vec<u32> = chosen.clone();
                        chosen.push(w);
                        longer.push((chosen, q * degree(w) / total));
                    }
                }
                choices = longer;
            }
            for (chosen, q) in choices {
                let mut edges = old.clone();
                edges.extend(chosen.iter().map(|&w| (w, new)));
                edges.sort_unstable();
                *next.entry(edges).or_insert(0.0) += p * q;
            }
        }
        law = next;
    }
    law
}

#[test]
fn preferential_attachment_has_its_exact_law() {
    for (n, m) in [(4, 1), (5, 1), (5, 2), (5, 3), (3, 2)] {
        let model = BarabasiAlbert::new(n as usize, m as usize).unwrap();
        check_law(&format!("BA({n}, {m})"), &model.into(), &attachment(n, m), 8_000);
    }
    // By hand: the star around 0 or around 1, and four paths.
    let law = attachment(4, 1);
    assert_eq!(
        (law.len(), law[&vec![(0, 1), (0, 2), (0, 3)]], law[&vec![(0, 1), (0, 2), (2, 3)]]),
        (6, 0.25, 0.125)
    );
    let network = Generator::from(BarabasiAlbert::new(2000, 7).unwrap()).generate(1);
    assert_eq!((network.edges(), network.components().sizes.len()), (7 * 1993, 1));
    assert!((8..2000).all(|u| network.rows().degree(u) >= 7));
}

/// The law of a rewired ring with two neighbors a node, by all ways of rewiring.
fn rewired(n: u32, p: f64) -> BTreeMap<Edges, f64> {
    let ordered = |(u, v): (u32, u32)| (u.min(v), u.max(v));
    let mut states: BTreeMap<Edges, f64> =
        BTreeMap::from([((0..n).map(|u| (u, (u + 1) % n)).collect(), 1.0)]);
    for u in 0..n {
        let mut next = BTreeMap::new();
        for (state, q) in states {
            let joined = |w: u32| state.iter().any(|&edge| ordered(edge) == ordered((u, w)));
            let free: Vec<u32> = (0..n).filter(|&w| w != u && !joined(w)).collect();
            let moved = if free.is_empty() { 0.0 } else { p };
            for w in &free {
                let mut state = state.clone();
                state[u as usize] = (u, *w);
                *next.entry(state).or_insert(0.0) += q * moved / free.len() as f64;
            }
            *next.entry(state).or_insert(0.0) += q * (1.0 - moved);
        }
        states = next;
    }
    let mut law = BTreeMap::new();
    for (state, q) in states.into_iter().filter(|(_, q)| *q > 0.0) {
        let mut edges: Edges = state.into_iter().map(ordered).collect();
        edges.sort_unstable();
        *law.entry(edges).or_insert(0.0) += q;
    }
    law
}

#[test]
fn rewired_rings_have_their_exact_law() {
    for (n, p) in [(3, 0.5), (4, 0.7), (5, 0.3), (5, 1.0)] {
        let model = WattsStrogatz::new(n as usize, 2, p).unwrap();
        check_law(&format!("WS({n}, 2, {p})"), &model.into(), &rewired(n, p), 8_000);
    }
}

#[test]
fn rings_keep_their_edges_unless_they_are_rewired() {
    let make = |n, k, p, seed| Generator::from(WattsStrogatz::new(n, k, p).unwrap()).generate(seed);
    let ring = make(11, 6, 0.0, 3);
    for u in 0..11usize {
        for v in 0..11usize {
            let apart = u.abs_diff(v).min(11 - u.abs_diff(v));
            assert_eq!(ring.weight(u, v) > 0.0, (1..=3).contains(&apart), "{u} {v}");
        }
    }
    let random = make(1000, 10, 1.0, 3);
    assert_eq!((random.edges(), random.components().sizes.len()), (5000, 1));
    assert!(random.is_simple() && (0..1000).all(|u| random.rows().degree(u) >= 5));
    // Complete: there is nowhere to move an edge.
    assert_eq!(make(7, 6, 1.0, 0).edges(), 21);
    assert_eq!(
        (make(5, 0, 0.5, 0).edges(), make(0, 0, 0.5, 0).nodes(), make(1, 0, 1.0, 0).nodes()),
        (0, 0, 1)
    );
}

#[test]
fn blocks_have_their_densities_and_all_their_pairs() {
    let matrix = vec![vec![0.3, 0.05, 0.0], vec![0.05, 0.6, 0.2], vec![0.0, 0.2, 1.0]];
    let sizes = vec![30, 50, 20];
    let model = BlockModel::new(sizes.clone(), matrix.clone()).unwrap();
    let labels = model.labels();
    let generator = Generator::from(model);
    let (networks, mut counts) = (40, [[0.0; 3]; 3]);
    for seed in 0..networks {
        for (u, v) in edges(&generator.generate(seed)) {
            counts[labels[u as usize] as usize][labels[v as usize] as usize] += 1.0;
        }
    }
    let (mut chi2, mut freedom) = (0.0, 0.0);
    for a in 0..3 {
        for b in a..3 {
            let n = (sizes[a] * if a == b { sizes[a] - 1 } else { sizes[b] }) as f64;
            let (all, p) = (networks as f64 * if a == b { n / 2.0 } else { n }, matrix[a][b]);
            if p == 0.0 || p == 1.0 {
                assert_eq!(counts[a][b], all * p);
            } else {
                chi2 += (counts[a][b] - all * p).powi(2) / (all * p * (1.0 - p));
                freedom += 1.0;
            }
        }
    }
    assert!(!far(chi2, freedom), "{chi2} for {freedom}");
    // Two and three nodes: the exact law of all 1024 networks would have small cells; those of two and two nodes have none.
    let law = over_sets(&pairs(4, false), |set| {
        let p = |(u, v): &(u32, u32)| if (*u < 2) == (*v < 2) { 0.7 } else { 0.3 };
        pairs(4, false).iter().map(|pair| if set.contains(pair) { p(pair) } else { 1.0 - p(pair) }).product()
    });
    let planted = BlockModel::planted(vec![2, 0, 2], 0.7, 0.3).unwrap();
    check_law("blocks", &planted.into(), &law, 12_000);
    let none = Generator::from(BlockModel::new(vec![], vec![]).unwrap()).generate(0);
    assert_eq!(none.nodes(), 0);
}

#[test]
fn degrees_are_kept_exactly_or_never_exceeded() {
    let exact = Multiple::Exact { swaps: 10 };
    for name in ["karate", "lesmis", "florentine", "kite"] {
        let network = embedded(name).unwrap();
        let degree =
            |network: &Network| (0..network.nodes()).map(|u| network.rows().degree(u)).collect::<Vec<_>>();
        for seed in 0..5 {
            let same = Generator::from(Configuration::like(&network, exact).unwrap()).generate(seed);
            assert_eq!(degree(&same), degree(&network), "{name}");
            assert!(same.is_simple());
            let erased =
                Generator::from(Configuration::like(&network, Multiple::Erased).unwrap()).generate(seed);
            assert!(degree(&erased).iter().zip(degree(&network)).all(|(a, b)| *a <= b), "{name}");
        }
    }
    // Of four edges a node, loops and repeated edges are about Poisson numbers of means 3/2 and 9/4: forty are out of the question.
    let regular = Generator::from(Configuration::new(vec![4; 2000], Multiple::Erased).unwrap()).generate(0);
    assert!((3960..=4000).contains(&regular.edges()), "{} edges", regular.edges());
    // The only network of these degrees: no swap can do anything.
    let star = Generator::from(Configuration::new(vec![4, 1, 1, 1, 1], exact).unwrap()).generate(0);
    assert_eq!(star.neighbors(0), [1, 2, 3, 4]);
    let complete = Generator::from(Configuration::new(vec![9; 10], exact).unwrap()).generate(0);
    assert_eq!(complete.edges(), 45);
    for (nodes, degrees) in [(0, vec![]), (1, vec![0]), (3, vec![0; 3])] {
        let empty = Generator::from(Configuration::new(degrees, exact).unwrap()).generate(0);
        assert_eq!((empty.nodes(), empty.edges()), (nodes, 0));
    }
}

#[test]
fn recursive_quadrants_have_their_law() {
    // Two nodes and two draws: either arc is there unless both draws miss it.
    let [b, c] = [0.3, 0.2];
    let law = over_sets(&pairs(2, true), |set| {
        let neither = (1.0f64 - b - c).powi(2);
        let (only_b, only_c) = ((1.0 - c).powi(2) - neither, (1.0 - b).powi(2) - neither);
        match (set.contains(&(0, 1)), set.contains(&(1, 0))) {
            (false, false) => neither,
            (true, false) => only_b,
            (false, true) => only_c,
            (true, true) => 1.0 - neither - only_b - only_c,
        }
    });
    check_law("R-MAT", &RMat::new(1, 1, [0.4, b, c, 0.1], true).unwrap().into(), &law, 8_000);
    let make = |directed| Generator::from(RMat::new(10, 16, GRAPH500, directed).unwrap()).generate(1);
    let (network, directed) = (make(false), make(true));
    assert!(network.is_simple() && directed.is_directed() && directed.loops() == 0);
    assert_eq!((network.nodes(), directed.nodes()), (1024, 1024));
    // The same draws, with or without directions.
    assert!(directed.each_edge().all(|(u, v, _)| network.weight(u as usize, v as usize) == 1.0));
    assert!(network.edges() < directed.edges() && directed.edges() < 16 * 1024);
    let single = Generator::from(RMat::new(0, 5, GRAPH500, false).unwrap()).generate(0);
    assert_eq!((single.nodes(), single.edges()), (1, 0));
}

#[test]
fn tiny_networks_are_made() {
    let er =
        |n, density, directed| Generator::from(ErdosRenyi::new(n, density, directed).unwrap()).generate(0);
    for n in [0, 1] {
        for directed in [false, true] {
            for density in [Density::Probability(0.0), Density::Probability(1.0), Density::Edges(0)] {
                assert_eq!((er(n, density, directed).nodes(), er(n, density, directed).edges()), (n, 0));
            }
        }
    }
    assert_eq!(er(5, Density::Probability(1.0), false).edges(), 10);
    assert_eq!(er(5, Density::Probability(1.0), true).edges(), 20);
    assert_eq!((er(5, Density::Edges(10), false).edges(), er(5, Density::Edges(20), true).edges()), (10, 20));
    // So small a probability that the network has no edges, but so large a network that gaps must not overflow.
    assert_eq!(er(100_000, Density::Probability(f64::MIN_POSITIVE), false).edges(), 0);
}

#[test]
fn bad_parameters_are_refused_with_what_would_be_right() {
    let er = |n, density| ErdosRenyi::new(n, density, false).unwrap_err().to_string();
    for p in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(er(5, Density::Probability(p)).contains("from 0 to 1"));
        assert!(WattsStrogatz::new(9, 2, p).is_err() && BlockModel::planted(vec![2], p, 0.0).is_err());
    }
    assert!(er(5, Density::Edges(11)).contains("5 nodes have 10 pairs"));
    assert!(er(0, Density::Edges(1)).contains("0 pairs"));
    for (n, m) in [(0, 0), (0, 1), (1, 1), (5, 0), (5, 5), (5, 9)] {
        let text = BarabasiAlbert::new(n, m).unwrap_err().to_string();
        assert!(text.contains("at least 1 and less than"), "{text}");
    }
    for (n, k) in [(5, 3), (4, 4), (5, 6), (1, 2), (0, 2), (2, 2)] {
        let text = WattsStrogatz::new(n, k, 0.5).unwrap_err().to_string();
        assert!(text.contains("even and less than"), "{text}");
    }
    let blocks = |sizes, matrix| BlockModel::new(sizes, matrix).unwrap_err().to_string();
    assert!(blocks(vec![2, 2], vec![vec![0.5, 0.1]]).contains("2×2 is needed"));
    assert!(blocks(vec![2, 2], vec![vec![0.5, 0.1], vec![0.1]]).contains("2×2 is needed"));
    assert!(blocks(vec![2, 2], vec![vec![0.5, 0.1], vec![0.2, 0.5]]).contains("symmetric"));
    let exact = Multiple::Exact { swaps: 1 };
    let degrees =
        |list: &[u32], multiple| Configuration::new(list.to_vec(), multiple).unwrap_err().to_string();
    assert!(degrees(&[1, 1, 1], Multiple::Erased).contains("must be even"));
    assert!(degrees(&[3, 1, 2], Multiple::Erased).contains("at most 2 others"));
    assert!(degrees(&[3, 3, 1, 1], exact).contains("no simple network"));
    assert!(Configuration::new(vec![3, 3, 1, 1], Multiple::Erased).is_ok());
    assert!(RMat::new(3, 1, [0.5, 0.5, 0.5, 0.5], false).is_err());
    assert!(RMat::new(3, 1, [1.5, -0.5, 0.0, 0.0], false).is_err());
    assert!(RMat::new(3, 1, [f64::NAN; 4], false).is_err());
    let directed = Generator::from(RMat::new(3, 1, GRAPH500, true).unwrap()).generate(0);
    assert!(Configuration::like(&directed, exact).is_err());
}

fn one_of_each() -> Vec<Generator> {
    vec![
        ErdosRenyi::new(200, Density::Probability(0.05), false).unwrap().into(),
        ErdosRenyi::new(200, Density::Edges(700), true).unwrap().into(),
        BarabasiAlbert::new(200, 3).unwrap().into(),
        WattsStrogatz::new(200, 6, 0.3).unwrap().into(),
        BlockModel::planted(vec![80, 120], 0.1, 0.02).unwrap().into(),
        Configuration::new(vec![5; 200], Multiple::Erased).unwrap().into(),
        Configuration::new(vec![40; 200], Multiple::Exact { swaps: 5 }).unwrap().into(),
        RMat::new(8, 8, GRAPH500, false).unwrap().into(),
    ]
}

#[test]
fn a_seed_gives_one_network_and_another_seed_another() {
    for generator in one_of_each() {
        let network = generator.generate(7);
        assert_eq!(network, generator.generate(7), "{generator:?}");
        assert_ne!(network, generator.generate(8), "{generator:?}");
        assert_eq!(network.is_directed(), generator.is_directed());
        assert!(network.loops() == 0 && !network.is_weighted());
        assert_eq!(network.ids().name(network.nodes() - 1), (network.nodes() - 1).to_string());
    }
}

/// `cargo test --release -p ergodict --test integration network_models -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn speed() {
    let n = 1_000_000;
    let generators: [(&str, Generator); 10] = [
        ("G(n, p)", ErdosRenyi::new(n, Density::Probability(2e-5), false).unwrap().into()),
        ("G(n, m)", ErdosRenyi::new(n, Density::Edges(10_000_000), false).unwrap().into()),
        ("Barabási–Albert", BarabasiAlbert::new(n, 10).unwrap().into()),
        ("Watts–Strogatz p = 0.1", WattsStrogatz::new(n, 20, 0.1).unwrap().into()),
        ("blocks", BlockModel::planted(vec![n / 10; 10], 1e-4, 1.1e-5).unwrap().into()),
        ("configuration, erased", Configuration::new(vec![20; n], Multiple::Erased).unwrap().into()),
        (
            "configuration, 1e6 edges, 10 swaps",
            Configuration::new(vec![20; n / 10], Multiple::Exact { swaps: 10 }).unwrap().into(),
        ),
        ("R-MAT scale 20, 10", RMat::new(20, 10, GRAPH500, false).unwrap().into()),
        ("R-MAT scale 20, 10, directed", RMat::new(20, 10, GRAPH500, true).unwrap().into()),
        ("R-MAT scale 20, 16", RMat::new(20, 16, GRAPH500, false).unwrap().into()),
    ];
    for (name, generator) in generators {
        let start = std::time::Instant::now();
        let network = generator.generate(1);
        let made = start.elapsed().as_secs_f64();
        let start = std::time::Instant::now();
        let summary = network.summary();
        println!(
            "{name}: {} edges in {made:.2} s; summary {:.2} s, {:?} triangles",
            network.edges(),
            start.elapsed().as_secs_f64(),
            summary.triangles
        );
    }
}
