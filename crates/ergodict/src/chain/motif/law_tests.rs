//! Homomorphisms of trees into networks of some hundred nodes, too large for transition matrices: where each
//! node of the motif goes, against its exact law.

use super::chi_squared::ChiSquared;
use super::{ApproximatePivot, Backward, ExactSampler, Motif, MotifSampler, Pivot, PivotParameters};
use crate::Result;
use crate::chain::Chain;
use crate::data::{Build, Network, NodeIds};
use crate::rng::{Purpose, below, stream};
use std::sync::Arc;

/// A network with hubs: each new node joins three, drawn as often as they have edges. Every edge goes both
/// ways, with weights that differ if it is directed.
fn hubs(n: u32, weighted: bool, directed: bool) -> Arc<Network> {
    let mut rng = stream(1, Purpose::Synthetic, 0);
    let (mut ends, mut edges) = (vec![0, 1, 1, 2, 2, 0], vec![(0, 1), (1, 2), (2, 0)]);
    for v in 3..n {
        for _ in 0..3 {
            let u = ends[below(&mut rng, ends.len() as u64) as usize];
            edges.push((u, v));
            ends.extend([u, v]);
        }
    }
    edges.sort_unstable();
    edges.dedup();
    let weight = |(u, v): (u32, u32)| 0.2 + f64::from((7 * u + 3 * v) % 11);
    let arcs: Vec<_> = edges.iter().map(|&(u, v)| (u, v, weight((u, v)))).collect();
    let back = edges.iter().map(|&(u, v)| (v, u, weight((v, u))));
    let arcs = if directed { arcs.iter().copied().chain(back).collect() } else { arcs };
    let build = Build { directed, ..Build::default() };
    Arc::new(Network::build(NodeIds::numbered(n as usize), &arcs, weighted, build).unwrap().0)
}

/// The law of every `x(i)` under `π`, or under the law of plain walks from a uniform pivot.
fn marginals(network: &Network, motif: &Motif, plain: bool) -> Vec<Vec<f64>> {
    let (n, tree) = (network.nodes(), motif.tree().unwrap());
    let backward = Backward::new(network, motif).unwrap();
    let weights = |i: usize| -> Vec<f64> {
        let logs: Vec<f64> = (0..n).map(|v| backward.log_weight(i, v)).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        logs.iter().map(|log| if plain { 1.0 } else { (log - most).exp() }).collect()
    };
    let mut law = vec![vec![0.0; n]; motif.k()];
    let total: f64 = weights(0).iter().sum();
    law[0] = weights(0).iter().map(|weight| weight / total).collect();
    for &i in &tree.order {
        let (i, b) = (i as usize, weights(i as usize));
        let rows = if tree.downward[i] { network.rows() } else { network.incoming() };
        let above = law[tree.parent[i] as usize].clone();
        for v in (0..n).filter(|&v| above[v] > 0.0) {
            let sum: f64 = rows.entries(v).map(|(w, weight)| weight * b[w as usize]).sum();
            rows.entries(v)
                .for_each(|(w, weight)| law[i][w as usize] += above[v] * weight * b[w as usize] / sum);
        }
    }
    law
}

/// Chi² of each `x(i)`, from the ends of short runs that start in the law.
fn check(name: &str, sampler: &dyn MotifSampler, law: &[Vec<f64>], steps: usize, runs: u32) {
    let k = sampler.motif().k();
    let seed = std::env::var("SEED").map_or(1, |seed| seed.parse().unwrap());
    let mut rng = stream(seed, Purpose::Chain, 0);
    let mut counts = vec![vec![0; law[0].len()]; k];
    let mut out = vec![0; steps * k];
    for _ in 0..runs {
        let mut x = sampler.init(&mut rng);
        if steps == 0 {
            sampler.step(&mut x, &mut rng);
        } else {
            sampler.sample(&mut x, &mut rng, &mut out);
        }
        assert!(sampler.weight(&x) > 0.0);
        x.iter().zip(&mut counts).for_each(|(&v, counts)| counts[v as usize] += 1);
    }
    for (i, (counts, law)) in counts.iter().zip(law).enumerate() {
        let mut chi2 = ChiSquared::default();
        chi2.add(counts, law);
        chi2.assert(&format!("{name}, node {i}"));
    }
}

#[test]
fn every_node_of_the_motif_has_its_law() -> Result<()> {
    let tree = Motif::new(7, vec![(0, 1), (2, 0), (2, 3), (4, 2), (4, 5), (1, 6)])?;
    for (name, network) in [
        ("plain", hubs(400, false, false)),
        ("weighted", hubs(400, true, false)),
        ("directed", hubs(400, false, true)),
        ("directed, weighted", hubs(400, true, true)),
    ] {
        for motif in [Motif::path(21)?, tree.clone()] {
            let (exact, plain) = (marginals(&network, &motif, false), marginals(&network, &motif, true));
            let parameters = PivotParameters::default();
            let draws = ExactSampler::new(network.clone(), &motif)?;
            let pivot = Pivot::new(network.clone(), &motif, parameters)?;
            let approximate = ApproximatePivot::new(network.clone(), &motif, parameters)?;
            for steps in [0, 5] {
                check(&format!("{name}, exact"), &draws, &exact, steps, 3000);
                check(&format!("{name}, pivot"), &pivot, &exact, steps, 3000);
                check(&format!("{name}, approximate pivot"), &approximate, &plain, steps, 3000);
            }
        }
    }
    Ok(())
}

#[test]
fn a_long_chain_in_components_that_grow_apart_is_drawn_where_it_is() -> Result<()> {
    // A clique of 40 and a triangle; after 300 steps the triangle has a share of (2/39)³⁰⁰·3/40, below what
    // f64 holds.
    let mut edges: Vec<(u32, u32)> = (0..40).flat_map(|u| (0..u).map(move |v| (v, u))).collect();
    edges.extend([(40, 41), (41, 42), (42, 40)]);
    let network = Arc::new(Network::simple(43, &edges)?);
    let motif = Motif::path(301)?;
    let sampler = ExactSampler::new(network.clone(), &motif)?;
    check("clique", &sampler, &marginals(&network, &motif, false), 3, 500);
    let apart = Pivot::new(network, &motif, PivotParameters::default()).unwrap_err().to_string();
    assert!(apart.contains("40 of 43 nodes") && apart.contains("largest component"), "{apart}");
    Ok(())
}

#[test]
fn there_may_be_fewer_nodes_than_the_motif_has() -> Result<()> {
    let edge = Arc::new(Network::simple(2, &[(0, 1)])?);
    let motif = Motif::path(9)?;
    let pivot = Pivot::new(edge.clone(), &motif, PivotParameters::default())?;
    assert!(
        pivot.is_lazy() && ApproximatePivot::new(edge.clone(), &motif, PivotParameters::default())?.is_lazy()
    );
    assert!((pivot.exact().backward().log_total() - 2f64.ln()).abs() < 1e-15);
    check("edge", &pivot, &marginals(&edge, &motif, false), 40, 3000);
    Ok(())
}

#[test]
fn long_chains_at_a_hub_are_homomorphisms_that_start_by_their_law() -> Result<()> {
    let mut edges: Vec<(u32, u32)> = (1..=200).map(|v| (0, v)).collect();
    edges.extend([(1, 2), (3, 4)]);
    edges.extend((200..230).map(|v| (v, v + 1)));
    let network = Arc::new(Network::simple(231, &edges)?);
    let motif = Motif::path(101)?;
    let law = marginals(&network, &motif, false);
    // Chains from the end of the path come to the hub late, if ever.
    assert!(law[0][230] > 0.0 && law[0][230] < 1e-3 * law[0][1]);
    check("exact", &ExactSampler::new(network.clone(), &motif)?, &law, 64, 2000);
    check("pivot", &Pivot::new(network, &motif, PivotParameters::default())?, &law, 5, 2000);
    Ok(())
}

#[test]
fn k_2() -> Result<()> {
    // Edges by their weights, in both directions.
    let edges = [(0, 1, 1.0), (1, 2, 2.0), (2, 0, 0.5), (2, 3, 1.5)];
    let network = Arc::new(Network::build(NodeIds::numbered(4), &edges, true, Build::default())?.0);
    let motif = Motif::path(2)?;
    let law = marginals(&network, &motif, false);
    (0..4).for_each(|v| assert!((law[0][v] - network.rows().strength(v) / 10.0).abs() < 1e-15));
    let samplers: [Box<dyn MotifSampler>; 2] = [
        Box::new(ExactSampler::new(network.clone(), &motif)?),
        Box::new(Pivot::new(network.clone(), &motif, PivotParameters::default())?),
    ];
    for sampler in samplers {
        for &(u, v, weight) in &edges {
            let probability: f64 = [[u, v], [v, u]].iter().map(|to| sampler.weight(to)).sum();
            assert!((probability - 2.0 * weight).abs() < 1e-15);
        }
        check("k = 2", &*sampler, &law, 1, 3000);
        check("k = 2", &*sampler, &law, 10, 3000);
    }
    Ok(())
}

#[test]
fn isolated_start() -> Result<()> {
    // Node 0 has no edge: a single node may be there, a chain never.
    let network = Arc::new(Network::simple(4, &[(1, 2), (2, 3), (3, 1)])?);
    let mut rng = stream(1, Purpose::Chain, 0);
    let single = ExactSampler::new(network.clone(), &Motif::path(1)?)?;
    assert!((0..200).any(|_| single.init(&mut rng) == [0]));
    let motif = Motif::path(3)?;
    let exact = ExactSampler::new(network.clone(), &motif)?;
    let pivot = Pivot::new(network.clone(), &motif, PivotParameters::default())?;
    for sampler in [&exact as &dyn MotifSampler, &pivot] {
        let mut out = vec![0; 3 * 500];
        let mut x = sampler.init(&mut rng);
        sampler.sample(&mut x, &mut rng, &mut out);
        assert!(!out.contains(&0) && !sampler.is_state(&[0, 0, 0]));
        // From a state that is none, exact draws do not care.
        if sampler.is_independent() {
            let mut lost = vec![0; 3];
            sampler.step(&mut lost, &mut rng);
            assert!(sampler.is_state(&lost));
        }
    }
    let refused = Pivot::new(network, &Motif::path(1)?, PivotParameters::default()).unwrap_err().to_string();
    assert!(refused.contains("largest component"), "{refused}");
    Ok(())
}
