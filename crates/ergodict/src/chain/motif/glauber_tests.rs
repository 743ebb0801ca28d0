//! Glauber, rejection and injective samplers on real networks: the production path against exact draws, and
//! how fast it is.

use super::connectedness::Connectedness;
use super::{ExactSampler, Glauber, Injective, Motif, MotifSampler, RejectionSampler};
use crate::chain::Chain;
use crate::chain::diagnostics::Acceptance;
use crate::common::public;
use crate::data::{Build, Network, NodeIds};
use crate::rng::{ChaCha8Rng, Purpose, stream};
use std::sync::Arc;
use std::time::Instant;

/// The same edges with other weights, or directed.
fn rebuilt(network: &Network, weighted: bool, directed: bool) -> Arc<Network> {
    let arcs = network.each_edge().flat_map(|(u, v, _)| {
        let weight = if weighted { 1.0 + f64::from((u + v) % 7) / 2.0 } else { 1.0 };
        // Of a directed network the most part goes both ways.
        let back = directed && (u + v) % 5 != 0;
        std::iter::once((u, v, weight)).chain(back.then_some((v, u, weight)))
    });
    let ids = NodeIds::numbered(network.nodes());
    let build = Build { directed, ..Build::default() };
    Arc::new(Network::build(ids, &arcs.collect::<Vec<_>>(), weighted, build).unwrap().0)
}

/// Mean and squared standard error of independent values.
fn estimate(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n * (n - 1.0)))
}

#[test]
fn updates_of_exact_draws_are_exact_draws() {
    let Some(network) = public("fb100_Caltech36.txt.gz") else { return };
    for (weighted, directed) in [(false, false), (true, false), (false, true), (true, true)] {
        let network = rebuilt(&network, weighted, directed);
        let motif = Motif::from_parents(&[0, 1, 1, 0, 4]).unwrap();
        for motif in [Motif::path(6).unwrap(), motif] {
            let exact = ExactSampler::new(Arc::clone(&network), &motif).unwrap();
            let glauber = Glauber::new(Arc::clone(&network), motif).unwrap();
            let mut rng = stream(71, Purpose::Chain, u64::from(weighted) + 2 * u64::from(directed));
            let (mut before, mut after) = (Vec::new(), Vec::new());
            let observe = |x: &[u32], values: &mut Vec<[f64; 3]>| {
                let degree = |i: usize| network.neighbors(x[i] as usize).len() as f64;
                values.push([
                    degree(0),
                    degree(3),
                    f64::from(u8::from(network.weight(x[0] as usize, x[5] as usize) > 0.0)),
                ]);
            };
            for _ in 0..1_000 {
                observe(&exact.init(&mut rng), &mut before);
                let mut x = exact.init(&mut rng);
                glauber.steps(&mut x, 40, &mut rng);
                assert!(glauber.weight(&x) > 0.0);
                observe(&x, &mut after);
            }
            for i in 0..3 {
                let of = |values: &[[f64; 3]]| estimate(&values.iter().map(|x| x[i]).collect::<Vec<_>>());
                let ((one, e1), (two, e2)) = (of(&before), of(&after));
                // 24 comparisons: 4.5 standard errors are passed by chance once in 6000 runs.
                assert!(
                    (one - two).abs() < 4.5 * (e1 + e2).sqrt(),
                    "{i}: {one} {two} ± {}",
                    (e1 + e2).sqrt()
                );
            }
        }
    }
}

#[test]
fn motifs_are_found_in_real_networks() {
    let Some(network) = public("facebook.txt.gz") else { return };
    let mut rng = stream(72, Purpose::Chain, 0);
    for motif in [
        Motif::path(101).unwrap(),
        Motif::cycle(21).unwrap(),
        Motif::complete(12).unwrap(),
        Motif::star(50).unwrap(),
        Motif::new(5, vec![(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]).unwrap(),
    ] {
        let tree = motif.tree().is_some();
        let glauber = Glauber::new(Arc::clone(&network), motif).unwrap();
        let known = if tree { Connectedness::Irreducible } else { Connectedness::Unknown };
        assert_eq!(glauber.connectedness(), known);
        let mut x = glauber.init(&mut rng);
        assert_eq!(glauber.weight(&x), 1.0);
        glauber.steps(&mut x, 2_000, &mut rng);
        assert_eq!(glauber.weight(&x), 1.0);
    }
    // The largest clique of this network has 69 nodes.
    let message = Glauber::new(Arc::clone(&network), Motif::complete(150).unwrap()).unwrap_err().to_string();
    assert!(message.contains("the network has none"), "{message}");
    let exact = ExactSampler::new(Arc::clone(&network), &Motif::path(21).unwrap()).unwrap();
    let paths = Injective::new(exact, 10_000, &mut rng).unwrap();
    let mut x = paths.init(&mut rng);
    let info: Acceptance = paths.steps(&mut x, 200, &mut rng);
    // The trial has seen 64, the steps 200: standard errors of an eighth and a fourteenth.
    assert!((info.rate() / paths.rate() - 1.0).abs() < 0.7, "{info:?} {}", paths.rate());
}

#[test]
fn named_borders() {
    let network = |n: usize, edges: &[(u32, u32)]| Arc::new(Network::simple(n, edges).unwrap());
    let refused = |network: Arc<Network>, motif: Motif| Glauber::new(network, motif).unwrap_err().to_string();
    let triangle = Motif::cycle(3).unwrap();
    let path = network(3, &[(0, 1), (1, 2)]);
    assert_eq!(
        refused(Arc::clone(&path), triangle.clone()),
        "the motif is a triangle, but the network has none: a triangle cannot be mapped into a bipartite network"
    );
    assert!(refused(network(0, &[]), Motif::path(1).unwrap()).contains("no node"));
    assert!(refused(network(2, &[(0, 0), (1, 1)]), Motif::path(2).unwrap()).contains("no edge"));
    assert!(RejectionSampler::new(Arc::clone(&path), triangle, 1000).is_err());
    // k = 1 is uniform over all nodes, isolated ones too.
    let mut rng: ChaCha8Rng = stream(73, Purpose::Chain, 0);
    let single = Glauber::new(network(3, &[(0, 1)]), Motif::path(1).unwrap()).unwrap();
    assert_eq!(single.conditional(&[0], 0), [(0, 1.0 / 3.0), (1, 1.0 / 3.0), (2, 1.0 / 3.0)]);
    let mut x = single.init(&mut rng);
    let mut seen = [0; 3];
    for _ in 0..300 {
        single.step(&mut x, &mut rng);
        seen[x[0] as usize] += 1;
    }
    assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
    // k = 2, and k > n.
    for k in [2, 9] {
        let glauber = Glauber::new(Arc::clone(&path), Motif::path(k).unwrap()).unwrap();
        assert_eq!(glauber.connectedness(), Connectedness::TwoClasses);
        let mut x = glauber.init(&mut rng);
        let side = x[0] % 2;
        glauber.steps(&mut x, 500, &mut rng);
        assert_eq!((glauber.weight(&x), x[0] % 2), (1.0, side));
    }
}

/// `cargo test --release -p ergodict --lib glauber_tests -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    for file in ["facebook.txt.gz", "snap_ego-twitter-undirected.txt.gz"] {
        let Some(network) = public(file) else { continue };
        for (name, network) in [
            ("simple", Arc::clone(&network)),
            ("weighted", rebuilt(&network, true, false)),
            ("directed", rebuilt(&network, false, true)),
        ] {
            for motif in ["path", "star", "cycle", "complete"] {
                let k = if motif == "complete" { 6 } else { 21 };
                let glauber = Glauber::new(Arc::clone(&network), Motif::named_shape(motif, k).unwrap());
                let Ok(glauber) = glauber else {
                    println!("{file} {name} {motif} {k}: {}", glauber.unwrap_err());
                    continue;
                };
                let mut rng = stream(74, Purpose::Chain, 0);
                let started = Instant::now();
                let mut x = glauber.init(&mut rng);
                let start = started.elapsed().as_secs_f64();
                glauber.steps(&mut x, 10_000, &mut rng);
                let (mut best, mut count) = (f64::INFINITY, 10_000);
                for _ in 0..6 {
                    let started = Instant::now();
                    glauber.steps(&mut x, count, &mut rng);
                    let each = started.elapsed().as_secs_f64() / count as f64;
                    best = best.min(each);
                    count = (0.2 / each) as u64;
                }
                println!(
                    "{file} {name} {motif} {k}: {:.2} M/s, {:.1} ns, start {start:.3} s",
                    1e-6 / best,
                    1e9 * best
                );
            }
        }
    }
}
