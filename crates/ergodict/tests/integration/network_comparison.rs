//! Networks compared by held-out error: nothing is found where there is nothing, and what is known of real networks is.

use super::common::public;
use ergodict::chain::{SampledNetwork, SamplingSettings, Use};
use ergodict::data::generate::{Density, ErdosRenyi, Generator, WattsStrogatz};
use ergodict::data::{Build, Network, NodeIds};
use ergodict::reconstruct::network::{CompareSettings, Comparison, ComparisonOutcome, Finding, Measure};
use ergodict::rng::{Purpose, shuffle, stream};
use ergodict::run::{Job, Resumable, Sections, Status, Stop, drive};
use std::time::Duration;

fn sampled(settings: &SamplingSettings, network: Network) -> SampledNetwork {
    let motif = settings.motif().unwrap();
    let chosen = settings.choose(Use::Reconstruct, network, &motif, 0).unwrap();
    (chosen.network, chosen.sampler)
}

fn compared(settings: CompareSettings, networks: Vec<(&str, Network)>, seed: u64) -> ComparisonOutcome {
    let mut job = comparison(settings, networks, seed);
    drive(&mut [&mut job], None, &Stop::default(), &mut ()).unwrap();
    job.outcome().unwrap()
}

fn comparison(settings: CompareSettings, networks: Vec<(&str, Network)>, seed: u64) -> Comparison {
    let settings = settings.decided(seed);
    let names = networks.iter().map(|(name, _)| (*name).to_owned()).collect();
    let drawn: Vec<SampledNetwork> =
        networks.into_iter().map(|(_, network)| sampled(&settings.sampling, network)).collect();
    let copy = |(at, (network, _)): (usize, &SampledNetwork)| {
        let copy = Comparison::rewired_copy(network, seed, at, &|| false).unwrap();
        settings.rewired.then(|| sampled(&settings.sampling, copy))
    };
    let rewired = drawn.iter().enumerate().map(copy).collect();
    Comparison::new(settings.comparison(), drawn, rewired, names, seed)
}

/// Small dictionaries, which take little time.
fn small() -> CompareSettings {
    let mut settings = CompareSettings { steps: 40, samples: Some(2000), ..CompareSettings::default() };
    settings.sampling.k = Some(6);
    settings.learning.factor.atoms = 6;
    settings
}

fn random(seed: u64) -> Network {
    Generator::from(ErdosRenyi::new(400, Density::Edges(2400), false).unwrap()).generate(seed)
}

/// The same network with its nodes in another order.
fn relabelled(network: &Network, seed: u64) -> Network {
    let mut order: Vec<u32> = (0..network.nodes() as u32).collect();
    shuffle(&mut order, &mut stream(seed, Purpose::Synthetic, 0));
    let moved: Vec<_> =
        network.each_edge().map(|(u, v, w)| (order[u as usize], order[v as usize], w)).collect();
    let ids = NodeIds::numbered(network.nodes());
    Network::build(ids, &moved, false, Build::default()).unwrap().0
}

#[test]
fn networks_of_one_model_are_not_distinguished() {
    let settings = CompareSettings { rewired: false, ..small() };
    let (mut distinct, mut inconclusive) = ([0, 0], [0, 0]);
    let repeats = 20;
    for seed in 0..repeats {
        let one = random(seed);
        let copy = relabelled(&one, seed);
        let pairs = [(random(1000 + 2 * seed), random(1001 + 2 * seed)), (one, copy)];
        for (kind, (a, b)) in pairs.into_iter().enumerate() {
            let found = compared(settings.clone(), vec![("a", a), ("b", b)], seed);
            distinct[kind] += u32::from(found.finding == Finding::Pair { distinct: true });
            inconclusive[kind] += u32::from(!found.finding.is_conclusive());
            let distance = found.distances[1];
            assert!(distance.value.abs() < 5.0 * distance.standard_error, "{distance:?}");
        }
    }
    // Either is meant to happen in 2.5 % of the cases; more than three of twenty are then a chance of one in a thousand.
    assert!(distinct.iter().chain(&inconclusive).all(|&count| count <= 3), "{distinct:?} {inconclusive:?}");
}

#[test]
fn a_clustered_network_differs_from_a_random_one() {
    let ring = || Generator::from(WattsStrogatz::new(400, 12, 0.05).unwrap()).generate(0);
    let found = compared(small(), vec![("random", random(1)), ("ring", ring()), ("other", random(2))], 0);
    assert_eq!(found.finding, Finding::Closest { pair: (0, 2), distinct: false }, "{found:?}");
    assert!(found.distances[1].is_above_zero() && found.distances[1].value > 0.1);
    assert!(found.has_tree() && !found.merges[0].distinct && found.merges[1].distinct);
    assert_eq!((found.merges[0].drawn, found.merges[0].a, found.merges[0].b), (0.0, 0, 2));
    // The clusters of the ring are beyond its degrees, the edges of a random network are not.
    let copies: Vec<_> = found.rewired.iter().map(|copy| copy.unwrap().distance).collect();
    assert!(copies[1].is_above_zero() && copies[1].value > 0.1 && copies[0].value.abs() < 0.02, "{copies:?}");
    // The sentence names the pair and the yardstick.
    let sentence = found.sentence();
    assert!(
        sentence.starts_with("Most similar: random and other") && sentence.contains("rewired"),
        "{sentence}"
    );
}

#[test]
fn reconstructions_have_the_same_rule() {
    let ring = || Generator::from(WattsStrogatz::new(300, 12, 0.05).unwrap()).generate(0);
    let settings =
        CompareSettings { measure: Measure::WeightedJaccard, samples: Some(4000), rewired: false, ..small() };
    let found = compared(settings, vec![("random", random(1)), ("ring", ring())], 0);
    assert!(found.matrix.iter().all(|cell| cell.value > 0.0 && cell.standard_error > 0.0), "{found:?}");
    let half =
        (found.matrix[0].value - found.matrix[2].value + found.matrix[3].value - found.matrix[1].value) / 2.0;
    assert!((found.distances[1].value - half).abs() < 1e-12);
    assert!(found.edge_coverage.iter().all(Option::is_some));
}

#[test]
fn a_comparison_that_was_saved_ends_as_one_that_was_not() {
    for (measure, rewired, units) in [(Measure::Error, true, 4 + 10), (Measure::Auc, false, 2 + 4)] {
        let new = || {
            let networks = ["karate", "lesmis"].map(|name| (name, ergodict::data::embedded(name).unwrap()));
            let settings = CompareSettings { measure, rewired, steps: 3, samples: Some(300), ..small() };
            comparison(settings, networks.into(), 4)
        };
        let (mut whole, mut states, mut before) = (new(), Vec::new(), (0, 0, ""));
        let seeds = whole.learned().1 / if rewired { 4 } else { 2 };
        loop {
            let ((done, total), unit) = (whole.done(), whole.unit());
            assert!(
                done <= total.unwrap() && (unit != before.2 || done >= before.0),
                "{done} of {total:?} {unit}"
            );
            before = (done, total.unwrap(), unit);
            let count = whole.learned().0 + whole.measured().0;
            if states.last().is_none_or(|(other, _)| *other != count) {
                let mut state = Sections::default();
                whole.save(&mut state).unwrap();
                states.push((count, state));
            }
            assert_eq!(whole.outcome().is_ok(), whole.measured().0 == whole.measured().1);
            if whole.advance(Duration::ZERO, &Stop::default()).unwrap() == Status::Finished {
                break;
            }
        }
        assert_eq!((whole.learned().0 + whole.measured().0, whole.unit()), (units * seeds, "walks"));
        assert_eq!(whole.done().0, whole.done().1.unwrap());
        let outcome = whole.outcome().unwrap();
        for (count, state) in states.iter().step_by(3).chain(states.last()) {
            let mut again = new();
            again.restore(state).unwrap();
            assert_eq!(again.learned().0 + again.measured().0, *count);
            drive(&mut [&mut again], None, &Stop::default(), &mut ()).unwrap();
            assert_eq!(again.outcome().unwrap(), outcome);
        }
        let mut last = Sections::default();
        whole.save(&mut last).unwrap();
        new().restore(&last).unwrap();
        let mut cells: Vec<serde_json::Value> = last.json("cells").unwrap();
        cells.push(cells[0].clone());
        last.put_json("cells", &cells).unwrap();
        assert!(new().restore(&last).unwrap_err().to_string().contains("cells"));
        let mut alone = Sections::default();
        cells.truncate(1);
        alone.put_json("cells", &cells).unwrap();
        assert!(new().restore(&alone).is_err());
    }
}

#[test]
fn own_dictionaries_fit_best_and_colleges_are_closest() {
    let files = [
        "fb100_Caltech36.txt.gz",
        "fb100_Haverford76.txt.gz",
        "fb100_MIT8.txt.gz",
        "facebook.txt.gz",
        "arxiv.txt.gz",
        "snap_as-caida20071105.txt.gz",
        "ppi_pathways.txt.gz",
    ];
    let mut networks = Vec::new();
    for file in files {
        let Some(network) = public(file) else { return };
        networks.push((file, Network::clone(&network)));
    }
    // Half of the walks by default, and no copies, of which nothing is asserted.
    let settings = CompareSettings { rewired: false, samples: Some(5000), ..CompareSettings::default() };
    let found = compared(settings, networks, 0);
    // Beyond error no foreign dictionary is better.
    assert!(found.finding.is_conclusive(), "{}", found.sentence());
    for college in 0..3 {
        let nearest = found.nearest(college).unwrap();
        assert!(nearest < 3, "{}: {}", files[college], files[nearest]);
    }
    // No other network is nearer to a college than a second college beyond error. (By value alone MIT is nearer to the proteins
    // than to Caltech, 0.105 ± 0.004 and 0.110 ± 0.008.)
    for (college, second) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
        for other in 3..files.len() {
            let (near, far) = (found.distance((college, second)), found.distance((college, other)));
            let error = near.standard_error.hypot(far.standard_error);
            assert!(
                near.value - far.value < 2.0 * error,
                "{}: {near:?}, {}: {far:?}",
                files[college],
                files[other]
            );
        }
    }
    // The first two merges are those of the colleges.
    let merged: Vec<usize> = found.merges[..2].iter().flat_map(|merge| [merge.a, merge.b]).collect();
    assert!((0..3).all(|college| merged.contains(&college)), "{:?}", found.merges);
    assert!(found.merges.iter().all(|merge| merge.distinct) && found.has_tree());
    // Two of three colleges, or all three within error.
    let pairs = match &found.finding {
        Finding::Closest { pair, .. } => vec![*pair],
        Finding::Tied { pairs } => pairs.clone(),
        other => panic!("{other:?}"),
    };
    assert!(pairs.iter().all(|&(a, b)| a < 3 && b < 3), "{}", found.sentence());
}

#[test]
fn as_many_walks_are_taken_as_are_told() {
    for samples in [20, 41] {
        let settings = CompareSettings { samples: Some(samples), steps: 3, rewired: false, ..small() };
        let mut job = comparison(settings, vec![("a", random(1)), ("b", random(2))], 0);
        while !matches!(job.advance(Duration::ZERO, &Stop::default()).unwrap(), Status::Finished) {
            let (done, total) = job.done();
            assert!(done <= total.unwrap(), "{done} of {total:?}");
        }
        // Twenty blocks on each network.
        let walks = 2 * samples.div_ceil(20) * 20;
        assert_eq!(job.done(), (walks, Some(walks)));
    }
}
