//! Patches of networks against the matrix entry by entry, and what is measured on them against enumeration.

use crate::chain::{Macc, Motif};
use crate::common::{Random, cases};
use crate::data::{Adjacency, Build, Edge, Loops, Network, NodeIds};
use crate::linalg::{Isa, Mat};
use crate::patch::NetworkPatches;
use proptest::prelude::*;
use std::sync::Arc;

/// What kind of network: directed, weighted, with loops.
type Kind = (bool, bool, bool);

fn network(random: &mut Random, n: usize, edges: usize, (directed, weighted, loops): Kind) -> Arc<Network> {
    let edges: Vec<Edge> = (0..edges)
        .map(|_| (random.below(n) as u32, random.below(n) as u32, random.between(0.1, 4.0)))
        .collect();
    let loops = if loops { Loops::Keep } else { Loops::Drop };
    Arc::new(Network::build(NodeIds::numbered(n), &edges, weighted, Build { directed, loops }).unwrap().0)
}

/// `A_x`, entry by entry.
fn plain(network: &Network, x: &[u32]) -> Vec<f64> {
    x.iter().flat_map(|&u| x.iter().map(move |&v| network.weight(u as usize, v as usize))).collect()
}

/// The bits of a patch, pair by pair.
fn plain_bits(network: &Network, x: &[u32]) -> Vec<bool> {
    let joined = |a: usize, b: usize| network.weight(x[a] as usize, x[b] as usize) > 0.0;
    let mut bits: Vec<bool> =
        (0..x.len()).flat_map(|b| (0..b).map(move |a| (a, b))).map(|(a, b)| joined(a, b)).collect();
    if network.loops() > 0 {
        bits.extend((0..x.len()).map(|a| joined(a, a)));
    }
    bits
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn patches_are_the_matrix_entry_by_entry(
        seed in any::<u64>(),
        n in 1usize..90,
        k in prop_oneof![Just(1usize), 2usize..12, Just(21), Just(63), Just(64), Just(65), Just(70)],
        count in 0usize..8,
        density in 0.0f64..0.7,
        kind in any::<Kind>(),
        budget in prop_oneof![Just(0usize), Just(1), Just(Adjacency::BUDGET)],
    ) {
        let mut random = Random::new(seed);
        let network = network(&mut random, n, (density * (n * n) as f64) as usize, kind);
        let xs: Vec<u32> = (0..count * k).map(|_| random.below(n) as u32).collect();
        let patches = NetworkPatches::new(&network, k, budget);
        let exact: Vec<Vec<f64>> = xs.chunks_exact(k).map(|x| plain(&network, x)).collect();

        let mut dense = Mat::<f64>::zeros(3, 2);
        patches.write_all(&xs, &mut dense);
        prop_assert_eq!((dense.rows(), dense.cols()), (k * k, count));
        let mut masks = vec![u64::MAX; count * patches.words()];
        patches.bits_all(&xs, &mut masks);
        let (mut column, mut mask) = (vec![f64::NAN; k * k], vec![u64::MAX; patches.words()]);
        for (j, (x, exact)) in xs.chunks_exact(k).zip(&exact).enumerate() {
            prop_assert_eq!(dense.col(j), &exact[..]);
            patches.write(x, &mut column);
            prop_assert_eq!(&column, exact);
            patches.bits(x, &mut mask);
            prop_assert_eq!(&mask, &masks[j * patches.words()..][..patches.words()]);
            let bits = plain_bits(&network, x);
            prop_assert_eq!(patches.bit_count(), bits.len());
            for at in 0..64 * mask.len() {
                prop_assert_eq!(mask[at / 64] >> (at % 64) & 1 == 1, bits.get(at) == Some(&true), "bit {}", at);
            }
            if patches.are_bits() {
                column.fill(f64::NAN);
                patches.expand(&mask, &mut column);
                prop_assert_eq!(&column, exact);
            }
        }
    }
}

#[test]
fn every_instruction_set_gives_the_same_patches() {
    let mut random = Random::new(3);
    let network = network(&mut random, 200, 3000, (false, false, false));
    let xs: Vec<u32> = (0..50 * 21).map(|_| random.below(200) as u32).collect();
    for budget in [1, Adjacency::BUDGET] {
        let mut seen: Option<Vec<u64>> = None;
        for isa in Isa::available() {
            let patches = NetworkPatches::with(Adjacency::new(&network, budget).with_isa(isa), 21);
            let mut masks = vec![0; 50 * 4];
            patches.bits_all(&xs, &mut masks);
            assert!(masks.iter().any(|&mask| mask != 0));
            assert_eq!(*seen.get_or_insert_with(|| masks.clone()), masks, "{}", isa.name());
        }
    }
}

/// All homomorphisms with their probabilities.
fn law(network: &Network, motif: &Motif) -> Vec<(Vec<u32>, f64)> {
    let (n, k) = (network.nodes(), motif.k());
    let map = |i: usize| (0..k).map(|d| (i / n.pow(d as u32) % n) as u32).collect::<Vec<u32>>();
    let weight = |x: &[u32]| -> f64 {
        motif
            .edges()
            .iter()
            .map(|&(i, j)| network.weight(x[i as usize] as usize, x[j as usize] as usize))
            .product()
    };
    let all: Vec<(Vec<u32>, f64)> =
        (0..n.pow(k as u32)).map(map).map(|x| (weight(&x), x)).map(|(w, x)| (x, w)).collect();
    let total: f64 = all.iter().map(|(_, w)| w).sum();
    all.into_iter().filter(|(_, w)| *w > 0.0).map(|(x, w)| (x, w / total)).collect()
}

/// On a network without weights and a law that is uniform, the mean over all homomorphisms is exact: every entry is the
/// density of the motif with that edge over that of the motif.
#[test]
fn means_over_all_homomorphisms_are_conditional_densities() {
    let mut random = Random::new(9);
    for kind in [(false, false, false), (false, false, true), (true, false, false), (true, false, true)] {
        let network = network(&mut random, 5, 14, kind);
        for motif in [Motif::path(4).unwrap(), Motif::star(4).unwrap(), Motif::cycle(3).unwrap()] {
            let k = motif.k();
            let all = law(&network, &motif);
            if all.is_empty() {
                continue;
            }
            let patches = NetworkPatches::new(&network, k, Adjacency::BUDGET);
            let (mut by_bits, mut by_numbers) = (Macc::new(k), Macc::new(k));
            let (mut column, mut mask) = (vec![0.0f32; k * k], vec![0; patches.words()]);
            for (x, _) in &all {
                patches.write(x, &mut column);
                by_numbers.add(&column);
                patches.bits(x, &mut mask);
                by_bits.add_bits(&mask);
            }
            let macc = by_numbers.matrix(&motif, kind.0);
            if patches.are_bits() {
                assert_eq!(by_bits.matrix(&motif, kind.0), macc);
                assert_eq!(by_bits.mean(), by_numbers.mean());
            }
            for (i, j) in (0..k as u32).flat_map(|i| (0..k as u32).map(move |j| (i, j))) {
                // Homomorphisms of the motif with (i, j) among all; a loop of the motif is no motif of ours, so by hand.
                let kept = all
                    .iter()
                    .filter(|(x, _)| network.weight(x[i as usize] as usize, x[j as usize] as usize) > 0.0);
                let exact = kept.count() as f64 / all.len() as f64;
                assert!((macc.get(i as usize, j as usize) - exact).abs() < 1e-12, "{kind:?} ({i}, {j})");
            }
        }
    }
}

#[test]
fn patches_are_bits_where_the_network_is_undirected_and_has_no_weights() {
    let mut random = Random::new(3);
    for kind in (0..8).map(|i| (i & 1 == 1, i & 2 == 2, i & 4 == 4)) {
        let network = network(&mut random, 9, 30, kind);
        let patches = NetworkPatches::new(&network, 4, Adjacency::BUDGET);
        assert_eq!(patches.are_bits(), !kind.0 && !kind.1, "{kind:?}");
        let loops = if kind.2 { 4 } else { 0 };
        assert_eq!((patches.bit_count(), patches.features()), (6 + loops, 16), "{kind:?}");
    }
}
