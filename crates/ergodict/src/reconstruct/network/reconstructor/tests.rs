//! Network reconstruction against Algorithm NR line by line, and what must not depend on threads, stops or accumulators.

use crate::chain::{Motif, MotifWalker, SamplerBuilder, SamplerKind};
use crate::common::{Random, cases};
use crate::data::{Build, Edge, Loops, Network, NodeIds};
use crate::linalg::{Mat, Scalar};
use crate::reconstruct::network::reference::by_the_book;
use crate::reconstruct::network::{
    Mode, PairSums, ReconstructionRun, ReconstructionSettings, Reconstructor, SortedSums, Targets,
};
use crate::run::{Job, Status, Stop};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What kind of network: directed, weighted, with loops.
type Kind = (bool, bool, bool);

/// A connected network of random edges: a cycle through all nodes, both ways, and more.
fn network(random: &mut Random, n: usize, edges: usize, (directed, weighted, loops): Kind) -> Arc<Network> {
    let mut edges: Vec<Edge> = (0..edges)
        .map(|_| (random.below(n) as u32, random.below(n) as u32, random.between(0.1, 4.0)))
        .collect();
    for u in 0..n as u32 {
        edges.push((u, (u + 1) % n as u32, 1.0));
        if directed {
            edges.push(((u + 1) % n as u32, u, 0.5));
        }
    }
    let loops = if loops { Loops::Keep } else { Loops::Drop };
    Arc::new(Network::build(NodeIds::numbered(n), &edges, weighted, Build { directed, loops }).unwrap().0)
}

fn dictionary(random: &mut Random, k: usize, atoms: usize) -> Mat<f64> {
    Mat::from_fn(k * k, atoms, |_, _| if random.below(3) == 0 { 0.0 } else { random.between(0.0, 1.0) })
}

fn walkers(network: &Arc<Network>, motif: &Motif, kind: SamplerKind, count: u64) -> Vec<MotifWalker> {
    let sampler = SamplerBuilder::default().build(kind, network, motif, 1).unwrap();
    (0..count).map(|id| MotifWalker::new(Arc::clone(&sampler), 3, id, 5, 1).unwrap()).collect()
}

fn rebuilt<T: Scalar>(
    network: &Arc<Network>,
    motif: &Motif,
    w: &Mat<f64>,
    parameters: &ReconstructionSettings,
    targets: Targets,
    samples: u64,
) -> PairSums {
    let kind = if motif.tree().is_some() { SamplerKind::Exact } else { SamplerKind::Glauber };
    let mut walkers = walkers(network, motif, kind, 1);
    let mut all = Reconstructor::<T>::new(w, network, motif, parameters, targets).unwrap();
    all.absorb(&mut walkers, samples).unwrap();
    assert_eq!((all.taken(), all.report().capped), (samples, 0));
    all.into_sums()
}

fn bytes(sums: &PairSums) -> Vec<u8> {
    let mut bytes = Vec::new();
    sums.write(&mut bytes, Path::new("memory")).unwrap();
    bytes
}

/// Counts are the book's, sums are to a tolerance; nothing else is there.
fn equals_the_book<T: Scalar>(
    network: &Arc<Network>,
    motif: &Motif,
    w: &Mat<f64>,
    parameters: &ReconstructionSettings,
    tolerance: f64,
) {
    let samples = 40;
    let fast = rebuilt::<T>(network, motif, w, parameters, Targets::All, samples);
    let kind = if motif.tree().is_some() { SamplerKind::Exact } else { SamplerKind::Glauber };
    let mut xs = vec![0; samples as usize * motif.k()];
    walkers(network, motif, kind, 1)[0].fill(&mut xs);
    let book = by_the_book(network, motif, w, parameters, &xs).unwrap();
    let wanted = |u: u32, v: u32| network.loops() > 0 || u != v;
    let scale = book.values().fold(1.0, |most: f64, pair| most.max(pair.mean.abs()));
    let mut visited = 0;
    for (&(u, v), pair) in book.iter().filter(|&(&(u, v), _)| wanted(u, v)) {
        let (sum, count) = fast.get(u, v);
        assert_eq!(count, pair.count, "({u}, {v})");
        let mean = if network.is_directed() {
            pair.mean
        } else {
            let back = book[&(v, u)];
            assert_eq!(back.count, pair.count);
            0.5 * (pair.mean + back.mean)
        };
        let error = (sum / count as f64 - mean).abs();
        assert!(error <= tolerance * scale, "({u}, {v}): {} for {mean}", sum / count as f64);
        visited += u64::from(network.is_directed() || u <= v);
    }
    assert_eq!(fast.visited(), visited);
    let pairs: Vec<_> = fast.iter().map(|pair| (pair.u, pair.v)).collect();
    assert!(pairs.is_sorted() && pairs.iter().all(|&(u, v)| network.is_directed() || u <= v));
    assert!(fast.iter().all(|pair| fast.get(pair.u, pair.v) == (pair.sum, pair.count)));
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn it_is_the_algorithm_of_the_paper(
        seed in any::<u64>(),
        n in 4usize..40,
        k in prop_oneof![1usize..7, Just(9usize)],
        atoms in 1usize..7,
        density in 0.0f64..0.3,
        kind in any::<Kind>(),
        off_motif in any::<bool>(),
        reversal in any::<bool>(),
        lambda in prop_oneof![Just(0.0), 0.0f64..1.0],
        shape in 0usize..3,
    ) {
        let mut random = Random::new(seed);
        let network = network(&mut random, n, (density * (n * n) as f64) as usize, kind);
        let motif = match shape {
            0 => Motif::path(k).unwrap(),
            1 => Motif::star(k.max(2)).unwrap(),
            _ => Motif::from_parents(&(1..k.max(3) as u32).map(|i| i / 2).collect::<Vec<_>>()).unwrap(),
        };
        let w = dictionary(&mut random, motif.k(), atoms);
        let mode = if off_motif { Mode::OffMotif } else { Mode::Plain };
        let parameters = ReconstructionSettings {
            mode, lambda, reversal: reversal && motif.is_path(), tolerance: 1e-11, ..ReconstructionSettings::default()
        };
        equals_the_book::<f64>(&network, &motif, &w, &parameters, 1e-6);
        let parameters = ReconstructionSettings { tolerance: 1e-6, ..parameters };
        equals_the_book::<f32>(&network, &motif, &w, &parameters, 3e-3);
    }
}

#[test]
fn long_motifs_and_motifs_with_cycles_are_those_of_the_paper_too() {
    let mut random = Random::new(4);
    for kind in [(false, false, false), (false, false, true), (true, false, false), (false, true, false)] {
        let network = network(&mut random, 30, 200, kind);
        for mode in [Mode::Plain, Mode::OffMotif] {
            let parameters =
                ReconstructionSettings { mode, tolerance: 1e-11, ..ReconstructionSettings::default() };
            for motif in [Motif::path(66).unwrap(), Motif::cycle(4).unwrap(), Motif::path(21).unwrap()] {
                let w = dictionary(&mut random, motif.k(), 3);
                equals_the_book::<f64>(&network, &motif, &w, &parameters, 1e-6);
            }
        }
    }
}

#[test]
fn a_full_dictionary_gives_the_network_back_where_it_was_visited() {
    let mut random = Random::new(5);
    for kind in [
        (false, false, false),
        (false, false, true),
        (false, true, false),
        (false, true, true),
        (true, false, false),
        (true, true, true),
    ] {
        let network = network(&mut random, 50, 120, kind);
        let motif = Motif::path(5).unwrap();
        let w = Mat::from_fn(25, 25, |i, j| f64::from(i == j));
        for mode in [Mode::Plain, Mode::OffMotif] {
            let parameters = ReconstructionSettings { mode, ..ReconstructionSettings::default() };
            let sums = rebuilt::<f64>(&network, &motif, &w, &parameters, Targets::All, 2000);
            assert!(sums.visited() > 300);
            for pair in sums.iter() {
                let exact = network.weight(pair.u as usize, pair.v as usize);
                assert!((pair.mean() - exact).abs() < 1e-9, "{pair:?} for {exact}");
            }
        }
    }
}

/// Nodes of the networks that accumulators are compared on: their numbers of nodes differ enough to need different ones.
const NODES: usize = 1000;

/// A core of many edges and a long ring, so that some pairs are visited often and many seldom.
fn ring_with_core(random: &mut Random, kind: Kind) -> Arc<Network> {
    let ring = network(random, NODES, 0, kind);
    let core = (0..400).map(|_| (random.below(12) as u32, random.below(60) as u32, random.between(0.5, 2.0)));
    let back: Vec<Edge> = core.flat_map(|(u, v, weight)| [(u, v, weight), (v, u, weight + 0.1)]).collect();
    let edges: Vec<Edge> = ring.each_edge().chain(back).collect();
    let (directed, weighted, loops) = kind;
    let loops = if loops { Loops::Keep } else { Loops::Drop };
    let ids = NodeIds::numbered(NODES);
    Arc::new(Network::build(ids, &edges, weighted, Build { directed, loops }).unwrap().0)
}

/// Memory for which the sums of a network of [`NODES`] are `f64` in cells, `f32` in cells, in tables, and in runs.
fn accumulators(directed: bool) -> [(&'static str, ReconstructionSettings); 4] {
    let with = |memory| ReconstructionSettings { memory, ..ReconstructionSettings::default() };
    let cells = if directed { NODES * NODES } else { NODES * (NODES + 1) / 2 };
    [
        ("long", with(16 * cells)),
        ("short", with(8 * cells)),
        ("tables", with(8 * cells - 1)),
        ("runs", with(0)),
    ]
}

#[test]
fn every_accumulator_has_the_same_counts_and_sums() {
    let mut random = Random::new(6);
    let kinds = [(false, false, false), (true, false, false), (false, false, true), (true, true, true)];
    for (kind, mode) in kinds.into_iter().flat_map(|kind| [(kind, Mode::Plain), (kind, Mode::OffMotif)]) {
        let network = ring_with_core(&mut random, kind);
        let motif = Motif::path(6).unwrap();
        let w = dictionary(&mut random, 6, 4);
        let all: Vec<PairSums> = accumulators(kind.0)
            .iter()
            .map(|(_, parameters)| ReconstructionSettings { mode, ..*parameters })
            .map(|parameters| rebuilt::<f32>(&network, &motif, &w, &parameters, Targets::All, 6000))
            .collect();
        let first: Vec<_> = all[0].iter().collect();
        assert!(first.len() > 1000);
        assert!(mode == Mode::OffMotif || first.iter().any(|pair| pair.count > 300));
        for (sums, (name, _)) in all.iter().zip(accumulators(kind.0)) {
            let other: Vec<_> = sums.iter().collect();
            assert_eq!(other.len(), first.len(), "{name}");
            for (one, two) in first.iter().zip(&other) {
                assert_eq!((one.u, one.v, one.count), (two.u, two.v, two.count), "{name}");
                assert!(
                    (one.mean() - two.mean()).abs() < 2e-5 * (1.0 + one.mean()),
                    "{name}: {one:?} {two:?}"
                );
                assert_eq!(sums.get(one.u, one.v), (two.sum, two.count), "{name}");
            }
            // In a file, by ranges of first nodes.
            let folder = tempfile::tempdir().unwrap();
            let file = SortedSums::write(&folder.path().join("sums"), sums).unwrap();
            let ranges = [0..1, 1..NODES as u32 / 2, NODES as u32 / 2..NODES as u32];
            let parts = ranges.map(|range| file.range(range).collect::<Result<Vec<_>, _>>().unwrap());
            assert_eq!(parts.concat(), other, "{name}");
        }
    }
}

#[test]
fn restricted_pairs_are_those_pairs_of_all() {
    let mut random = Random::new(7);
    for kind in [(false, false, false), (true, false, false), (false, false, true), (true, true, true)] {
        let network = network(&mut random, 150, 300, kind);
        let motif = Motif::path(5).unwrap();
        let w = dictionary(&mut random, 5, 4);
        for mode in [Mode::Plain, Mode::OffMotif] {
            let with = |memory| ReconstructionSettings { memory, ..ReconstructionSettings::default() };
            for (name, parameters) in [("cells", with(1 << 30)), ("tables", with(80_000)), ("runs", with(0))]
            {
                let parameters = ReconstructionSettings { mode, ..parameters };
                let all = rebuilt::<f32>(&network, &motif, &w, &parameters, Targets::All, 2000);
                // Edges, pairs at random in either order, some twice, loops.
                let mut pairs: Vec<(u32, u32)> = network.each_edge().map(|(u, v, _)| (v, u)).collect();
                pairs.extend((0..500).map(|_| (random.below(150) as u32, random.below(150) as u32)));
                pairs.extend([(3, 3), (4, 5), (5, 4)]);
                let some =
                    rebuilt::<f32>(&network, &motif, &w, &parameters, Targets::Only(pairs.clone()), 2000);
                let mut seen = 0;
                for (u, v) in (0..150).flat_map(|u| (0..150).map(move |v| (u, v))) {
                    let wanted = pairs.contains(&(u, v)) || !kind.0 && pairs.contains(&(v, u));
                    let (sum, count) = some.get(u, v);
                    let (exact, expected) = if wanted { all.get(u, v) } else { (0.0, 0) };
                    assert_eq!(count, expected, "{name}: ({u}, {v})");
                    assert!((sum - exact).abs() <= 2e-5 * (1.0 + exact.abs()), "{name}: ({u}, {v})");
                    seen += u64::from(count > 0 && (kind.0 || u <= v));
                }
                assert_eq!(some.visited(), seen);
                assert!(seen > 200);
            }
        }
    }
}

#[test]
fn the_number_of_threads_and_the_cut_into_pieces_change_no_byte() {
    let mut random = Random::new(8);
    let network = ring_with_core(&mut random, (false, false, false));
    let motif = Motif::path(8).unwrap();
    let w = dictionary(&mut random, 8, 5);
    for mode in [Mode::Plain, Mode::OffMotif] {
        for (name, parameters) in accumulators(false) {
            let parameters = ReconstructionSettings { mode, ..parameters };
            let run = |threads: usize, pieces: &[u64]| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut walkers = walkers(&network, &motif, SamplerKind::PivotApprox, 3);
                    let mut all =
                        Reconstructor::<f32>::new(&w, &network, &motif, &parameters, Targets::All).unwrap();
                    pieces.iter().for_each(|&piece| all.absorb(&mut walkers, piece).unwrap());
                    bytes(all.sums())
                })
            };
            let one = run(1, &[3000]);
            for threads in [2, 3, 8] {
                assert!(run(threads, &[3000]) == one, "{name}: {threads} threads");
            }
            assert!(run(2, &[1, 63, 65, 0, 700, 2171]) == one, "{name}: pieces");
            assert!(run(2, &[2999]) != one);
        }
    }
}

#[test]
fn a_stop_changes_nothing() {
    let mut random = Random::new(9);
    let network = ring_with_core(&mut random, (false, false, false));
    let motif = Motif::path(7).unwrap();
    let w = dictionary(&mut random, 7, 4);
    for (name, parameters) in accumulators(false) {
        let new = || Reconstructor::<f32>::new(&w, &network, &motif, &parameters, Targets::All).unwrap();
        let start = || walkers(&network, &motif, SamplerKind::Pivot, 2);
        let (mut whole, mut steady) = (new(), start());
        whole.absorb(&mut steady, 2500).unwrap();

        let (mut first, mut early) = (new(), start());
        first.absorb(&mut early, 1111).unwrap();
        let (point, saved) = (first.point(&early), bytes(first.sums()));
        let point = serde_json::from_str(&serde_json::to_string(&point).unwrap()).unwrap();
        let (mut later, mut late) = (new(), start());
        later.absorb(&mut late, 77).unwrap();
        later.seek(&point, &mut late, &mut &saved[..], Path::new("memory")).unwrap();
        assert_eq!(bytes(later.sums()), saved, "{name}");
        later.absorb(&mut late, 2500 - 1111).unwrap();
        assert_eq!(later.point(&late), whole.point(&steady));
        assert_eq!(bytes(later.sums()), bytes(whole.sums()), "{name}");

        // Damage is found.
        for at in [0, 5, saved.len() / 2, saved.len() - 1] {
            let mut damaged = saved.clone();
            damaged[at] ^= 1;
            assert!(later.seek(&point, &mut late, &mut &damaged[..], Path::new("memory")).is_err(), "{at}");
        }
        let short = &saved[..saved.len() - 40];
        let message = later.seek(&point, &mut late, &mut &*short, Path::new("sums")).unwrap_err().to_string();
        assert!(message.starts_with("sums: "), "{message}");
        assert!(later.seek(&point, &mut late[..1], &mut &saved[..], Path::new("sums")).is_err());
    }
}

#[test]
fn parts_add_up_to_the_whole() {
    let mut random = Random::new(10);
    let network = ring_with_core(&mut random, (false, false, false));
    let motif = Motif::path(5).unwrap();
    let w = dictionary(&mut random, 5, 4);
    for (name, parameters) in accumulators(false) {
        let new = || Reconstructor::<f32>::new(&w, &network, &motif, &parameters, Targets::All).unwrap();
        let mut one = walkers(&network, &motif, SamplerKind::Pivot, 1);
        let (mut whole, mut first, mut second) = (new(), new(), new());
        whole.absorb(&mut one.clone(), 4000).unwrap();
        first.absorb(&mut one, 1500).unwrap();
        second.absorb(&mut one, 2500).unwrap();
        let mut sums = first.into_sums();
        sums.merge(second.sums()).unwrap();
        for (one, two) in whole.sums().iter().zip(sums.iter()) {
            assert_eq!((one.u, one.v, one.count), (two.u, two.v, two.count), "{name}");
            assert!((one.sum - two.sum).abs() < 2e-5 * one.sum.abs().max(1.0), "{name}");
        }
        assert_eq!(whole.sums().visited(), sums.visited());
    }
    let other = self::network(&mut random, 61, 100, (false, false, false));
    let other = rebuilt::<f32>(&other, &motif, &w, &ReconstructionSettings::default(), Targets::All, 10);
    let mut sums = rebuilt::<f32>(&network, &motif, &w, &ReconstructionSettings::default(), Targets::All, 10);
    assert!(sums.merge(&other).is_err());
}

#[test]
fn small_and_odd_networks_are_reconstructed() {
    let simple = |n, edges: &[(u32, u32)]| Arc::new(Network::simple(n, edges).unwrap());
    let star: Vec<(u32, u32)> = (1..9).map(|v| (0, v)).collect();
    let bipartite: Vec<(u32, u32)> = (0..3).flat_map(|u| (3..7).map(move |v| (u, v))).collect();
    let parameters = ReconstructionSettings { tolerance: 1e-11, ..ReconstructionSettings::default() };
    let mut random = Random::new(11);
    for (network, k) in [
        (simple(5, &[(1, 2), (2, 4)]), 4), // isolated nodes
        (simple(9, &star), 6),
        (simple(7, &bipartite), 5),
        (simple(2, &[(0, 1)]), 7),
        (simple(3, &[(0, 1), (1, 2)]), 2),
        (simple(3, &[(0, 1), (1, 2)]), 1),
    ] {
        let motif = Motif::path(k).unwrap();
        let w = dictionary(&mut random, k, 3);
        equals_the_book::<f64>(&network, &motif, &w, &parameters, 1e-6);
        // A zero is a visit like any other.
        let zero = Mat::zeros(k * k, 2);
        let sums = rebuilt::<f32>(&network, &motif, &zero, &parameters, Targets::All, 50);
        assert!(sums.iter().all(|pair| pair.sum == 0.0 && pair.count > 0));
        assert_eq!(sums.visited() > 0, k > 1);
        let isolated = sums.iter().all(|pair| network.rows().degree(pair.u as usize) > 0);
        assert!(isolated);
        // Chains of two nodes have nothing else.
        if k == 2 {
            let parameters = ReconstructionSettings { mode: Mode::OffMotif, ..parameters };
            assert_eq!(rebuilt::<f32>(&network, &motif, &w, &parameters, Targets::All, 50).visited(), 0);
        }
    }
}

#[test]
fn what_cannot_be_done_is_refused_with_the_reason() {
    let network = Arc::new(Network::simple(4, &[(0, 1), (1, 2), (2, 3)]).unwrap());
    let chain = Motif::path(3).unwrap();
    let good = Mat::from_fn(9, 2, |i, j| (i + j) as f64);
    let plain = ReconstructionSettings::default();
    let refused = |w: &Mat<f64>, motif: &Motif, parameters: &ReconstructionSettings, targets: Targets| {
        Reconstructor::<f32>::new(w, &network, motif, parameters, targets).err().unwrap().to_string()
    };
    for bad in [f64::NAN, f64::INFINITY] {
        let w = Mat::from_fn(9, 2, |i, j| if (i, j) == (5, 1) { bad } else { 1.0 });
        let message = refused(&w, &chain, &plain, Targets::All);
        assert!(message.contains("entry (1, 2) of atom 1"), "{message}");
    }
    assert!(refused(&Mat::from_fn(9, 1, |_, _| 1e30), &chain, &plain, Targets::All).contains("rescale"));
    assert!(refused(&Mat::zeros(8, 2), &chain, &plain, Targets::All).contains("9×r"));
    assert!(refused(&Mat::zeros(9, 0), &chain, &plain, Targets::All).contains("9×r"));
    for lambda in [-1.0, f64::NAN] {
        let parameters = ReconstructionSettings { lambda, ..plain };
        assert!(refused(&good, &chain, &parameters, Targets::All).contains("lambda"));
    }
    let reversal = ReconstructionSettings { reversal: true, ..plain };
    let star = Motif::star(3).unwrap();
    // A star of three is a chain in another order of its nodes, not one that can be reversed.
    assert!(refused(&good, &star, &reversal, Targets::All).contains("reversed"));
    assert!(refused(&good, &chain, &plain, Targets::Only(vec![(0, 4)])).contains("(0, 4)"));
    let mut all = Reconstructor::<f32>::new(&good, &network, &chain, &plain, Targets::All).unwrap();
    assert!(all.absorb(&mut [], 1).is_err());
    let longer = Motif::path(4).unwrap();
    assert!(all.absorb(&mut walkers(&network, &longer, SamplerKind::Exact, 1), 1).is_err());
    assert_eq!(all.taken(), 0);
}

#[test]
fn the_share_of_edges_seen_is_that_of_the_sums() {
    let mut random = Random::new(12);
    let network = network(&mut random, 40, 60, (false, false, false));
    let (motif, w) = (Motif::path(3).unwrap(), dictionary(&mut random, 3, 2));
    let parameters = ReconstructionSettings::default();
    let empty = Reconstructor::<f32>::new(&w, &network, &motif, &parameters, Targets::All).unwrap();
    let mut run = ReconstructionRun::new(empty, walkers(&network, &motif, SamplerKind::Exact, 1), 30);
    assert_eq!((run.text(), run.done()), ("0 % of edges seen".to_owned(), (0, Some(30))));
    assert_eq!(run.advance(Duration::ZERO, &Stop::default()).unwrap(), Status::Finished);
    let sums = run.reconstructor().sums();
    let counts: Vec<u64> = network.each_edge().map(|(u, v, _)| sums.get(u, v).1).collect();
    assert!([0, 1].iter().all(|count| counts.contains(count)));
    let seen = counts.iter().filter(|count| **count > 0).count();
    assert_eq!(run.text(), format!("{:.0} % of edges seen", 100.0 * seen as f64 / counts.len() as f64));
}
