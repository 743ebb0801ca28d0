//! Double stars and their codes against enumeration, and what codes must not depend on.

use crate::common::Random;
use crate::data::Network;
use crate::denoise::roc::auc;
use crate::denoise::splits::Noise;
use crate::denoise::{MotifCodes, MotifCodesParameters, MotifScores, Progress, Stage};
use crate::linalg::Mat;
use std::sync::Arc;

fn small() -> MotifCodesParameters {
    MotifCodesParameters { atoms: 6, steps: 15, batch: 64, ..MotifCodesParameters::default() }
}

/// Two dense groups and edges between them at random; the last three nodes are a tail and an isolated one.
fn network(seed: u64) -> Arc<Network> {
    let mut random = Random::new(seed);
    let mut edges = Vec::new();
    for v in 0..57u32 {
        for u in 0..v {
            let p = if (u < 28) == (v < 28) { 0.3 } else { 0.03 };
            if random.chance(p) {
                edges.push((u, v));
            }
        }
    }
    edges.extend([(0, 57), (57, 58)]);
    Arc::new(Network::simple(60, &edges).unwrap())
}

fn all_pairs(n: u32) -> Vec<(u32, u32)> {
    (0..n).flat_map(|v| (0..v).map(move |u| (u, v))).collect()
}

fn edges(network: &Network) -> Vec<(u32, u32)> {
    network.each_edge().map(|(u, v, _)| (u, v)).collect()
}

#[test]
fn codes_do_not_see_the_pair_itself() {
    let network = network(1);
    let motifs = MotifCodes::learn(&network, &edges(&network), &small(), 3, 0).unwrap();
    let listed = edges(&network);
    for pair in all_pairs(60).into_iter().step_by(17).chain([(57, 58), (58, 59), (0, 57)]) {
        let without: Vec<_> = listed.iter().copied().filter(|edge| *edge != pair).collect();
        let with: Vec<_> = without.iter().copied().chain([pair]).collect();
        let [one, two] = [without, with].map(|edges| Arc::new(Network::simple(60, &edges).unwrap()));
        assert_eq!(one.edges() + 1, two.edges());
        assert_eq!(
            motifs.codes(&one, &[pair], &mut Progress::none()).unwrap(),
            motifs.codes(&two, &[pair], &mut Progress::none()).unwrap(),
            "{pair:?}"
        );
    }
}

#[test]
fn codes_depend_on_nothing_but_the_pair() {
    let network = network(2);
    let pairs = all_pairs(60);
    let motifs = MotifCodes::learn(&network, &pairs, &small(), 3, 0).unwrap();
    let codes = motifs.codes(&network, &pairs, &mut Progress::none()).unwrap();
    let mut random = Random::new(4);
    // Any order and company, either way round.
    let chosen: Vec<usize> = (0..2000).map(|_| random.below(pairs.len())).collect();
    let turned = |i: &usize| if i.is_multiple_of(2) { pairs[*i] } else { (pairs[*i].1, pairs[*i].0) };
    let others = motifs
        .codes(&network, &chosen.iter().map(turned).collect::<Vec<_>>(), &mut Progress::none())
        .unwrap();
    for (j, &i) in chosen.iter().enumerate() {
        assert_eq!(others.col(j), codes.col(i));
    }
    // What is learned does not depend on the order of the pairs either; it does on the seed and the split.
    let backwards: Vec<_> = pairs.iter().rev().map(|&(u, v)| (v, u)).collect();
    let learn =
        |pairs, seed, split| MotifCodes::learn(&network, pairs, &small(), seed, split).unwrap().dictionary();
    assert_eq!(learn(&backwards, 3, 0), motifs.dictionary());
    assert_ne!(learn(&pairs, 4, 0), motifs.dictionary());
    assert_ne!(learn(&pairs, 3, 1), motifs.dictionary());
}

#[test]
fn threads_change_nothing() {
    let network = network(5);
    let pairs = all_pairs(60);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let motifs = MotifCodes::learn(&network, &pairs, &small(), 3, 0).unwrap();
            let method = MotifScores { codes: small(), ..MotifScores::default() };
            let scores = [Noise::Added, Noise::Removed]
                .map(|noise| method.scores(&network, &pairs, noise, 1, &mut Progress::none()).unwrap());
            (motifs.dictionary(), motifs.features(&network, &pairs, &mut Progress::none()).unwrap(), scores)
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn atoms_are_symmetric_patches_of_norm_one_without_what_is_known() {
    let network = network(6);
    let motifs = MotifCodes::learn(&network, &all_pairs(60), &small(), 0, 0).unwrap();
    let (k, atoms) = (motifs.k(), motifs.dictionary());
    assert_eq!((k, atoms.rows(), atoms.cols()), (10, 100, 6));
    for j in 0..6 {
        let entry = |a: usize, b: usize| atoms.get(a * k + b, j);
        for a in 0..k {
            for b in 0..k {
                assert_eq!(entry(a, b), entry(b, a));
            }
            assert_eq!(entry(a, a), 0.0);
        }
        assert!(
            entry(0, 1) == 0.0 && (2..6).all(|a| entry(0, a) == 0.0) && (6..10).all(|b| entry(1, b) == 0.0)
        );
        let norm: f64 = atoms.col(j).iter().map(|x| x * x).sum();
        assert!(norm < 1.0 + 1e-9, "{norm}");
    }
}

/// A code is the argmin of the stated objective for the patch, here of pairs whose patch is known without a draw.
#[test]
fn codes_are_those_of_the_mean_patch_over_all_its_entries() {
    // In a complete network all entries but the pair's are ones, where no leaf comes twice at both ends: with one leaf at each end, and
    // two nodes besides the pair, leaves are the same in half of the stars. With three besides, in a third; so the mean of many is known.
    let complete: Vec<_> = all_pairs(5);
    let network = Arc::new(Network::simple(5, &complete).unwrap());
    let parameters = MotifCodesParameters {
        patches: 100_000,
        leaves: 1,
        atoms: 1,
        steps: 2,
        batch: 10,
        ..Default::default()
    };
    let motifs = MotifCodes::learn(&network, &complete, &parameters, 0, 0).unwrap();
    let atoms = motifs.dictionary();
    // Entries (0,3) and (1,2) are 1, entry (2,3) is 2/3: the one atom points there.
    let norm = (2.0f64 * (1.0 + 1.0 + 4.0 / 9.0)).sqrt();
    let deviation = 4.5 * (2.0f64 / 9.0 / 1e5).sqrt();
    for (a, b, value) in [(0, 3, 1.0), (1, 2, 1.0), (2, 3, 2.0 / 3.0), (0, 1, 0.0), (0, 2, 0.0), (1, 3, 0.0)]
    {
        assert!(
            (atoms.get(a * 4 + b, 0) - value / norm).abs() < deviation,
            "({a}, {b}): {}",
            atoms.get(a * 4 + b, 0)
        );
    }
    // Its code is what the threshold leaves of the norm.
    let code = motifs.codes(&network, &[(0, 1)], &mut Progress::none()).unwrap().get(0, 0);
    assert!((code - (norm - parameters.lambda / 2.0)).abs() < 2.0 * deviation, "{code}");
}

#[test]
fn pairs_without_leaves_have_no_code_and_stars_have_plain_ones() {
    let parameters = MotifCodesParameters { atoms: 3, steps: 5, batch: 16, ..Default::default() };
    let network = network(7);
    let motifs = MotifCodes::learn(&network, &all_pairs(57), &parameters, 0, 0).unwrap();
    // A star with hub 0, and node 9 isolated. Of hub and leaf, and of node 9 and another, one end has no leaves and those of the other are
    // joined to nothing. Two leaves of the star see the hub from both sides.
    let star: Vec<_> = (1..9).map(|v| (0, v)).collect();
    let star = Arc::new(Network::simple(10, &star).unwrap());
    let zero = |codes: &Mat<f64>| (0..codes.cols()).all(|j| codes.col(j).iter().all(|h| *h == 0.0));
    assert!(zero(&motifs.codes(&star, &[(0, 1), (9, 0)], &mut Progress::none()).unwrap()));
    let codes = motifs.codes(&star, &[(1, 2), (3, 7), (9, 2)], &mut Progress::none()).unwrap();
    assert_eq!(codes.col(0), codes.col(1));
    assert!(codes.col(0).iter().any(|h| *h > 0.0));
    assert!(codes.col(2).iter().all(|h| *h == 0.0));
}

#[test]
fn what_cannot_be_coded_is_refused() {
    let network = network(8);
    let pairs = edges(&network);
    let learn = |parameters: MotifCodesParameters| MotifCodes::learn(&network, &pairs, &parameters, 0, 0);
    assert!(learn(MotifCodesParameters { patches: 0, ..small() }).is_err());
    assert!(learn(MotifCodesParameters { leaves: 0, ..small() }).is_err());
    assert!(learn(MotifCodesParameters { leaves: 32, ..small() }).is_err());
    assert!(learn(MotifCodesParameters { leaves: 31, patches: 3, ..small() }).is_ok());
    assert!(learn(MotifCodesParameters { atoms: 0, ..small() }).is_err());
    assert!(learn(MotifCodesParameters { steps: 0, ..small() }).is_err());
    assert!(learn(MotifCodesParameters { batch: 0, ..small() }).is_err());
    assert!(learn(MotifCodesParameters { lambda: f64::NAN, ..small() }).is_err());
    assert!(MotifCodes::learn(&network, &[], &small(), 0, 0).is_err());
    let motifs = learn(small()).unwrap();
    for pair in [(3, 3), (0, 60), (u32::MAX, 0)] {
        let message = motifs.codes(&network, &[(0, 1), pair], &mut Progress::none()).unwrap_err().to_string();
        assert!(message.contains(&format!("{pair:?}")), "{message}");
    }
    assert_eq!(motifs.codes(&network, &[], &mut Progress::none()).unwrap().cols(), 0);
    let directed = crate::data::Build { directed: true, ..Default::default() };
    let ids = crate::data::NodeIds::numbered(3);
    let directed = Network::build(ids, &[(0, 1, 1.0), (1, 2, 1.0)], false, directed).unwrap().0;
    assert!(
        motifs
            .codes(&directed.into(), &[(0, 1)], &mut Progress::none())
            .unwrap_err()
            .to_string()
            .contains("directed")
    );
    let method = MotifScores { splits: 0, ..MotifScores::default() };
    assert!(method.scores(&network, &pairs, Noise::Added, 0, &mut Progress::none()).is_err());
    let empty = Arc::new(Network::simple(4, &[]).unwrap());
    assert!(
        MotifScores::default().scores(&empty, &[(0, 1)], Noise::Added, 0, &mut Progress::none()).is_err()
    );
}

#[test]
fn false_edges_between_groups_are_found() {
    // Eight groups of twelve, half of the pairs within joined; then as many false edges as a third of these.
    let mut random = Random::new(9);
    let mut listed: Vec<(u32, u32)> = all_pairs(96).into_iter().filter(|(u, v)| u / 12 == v / 12).collect();
    listed.retain(|_| random.chance(0.5));
    let true_edges = listed.len();
    while listed.len() < true_edges * 4 / 3 {
        let (u, v) = (random.below(96) as u32, random.below(96) as u32);
        if u < v && u / 12 != v / 12 && !listed.contains(&(u, v)) {
            listed.push((u, v));
        }
    }
    let network = Arc::new(Network::simple(96, &listed).unwrap());
    let method =
        MotifScores { codes: MotifCodesParameters { atoms: 8, ..small() }, ..MotifScores::default() };
    let scores = method.scores(&network, &listed, Noise::Added, 0, &mut Progress::none()).unwrap();
    let labels: Vec<bool> = (0..listed.len()).map(|i| i < true_edges).collect();
    let area = auc(&scores, &labels).unwrap();
    assert!(area > 0.95, "{area}");
    let pairs = all_pairs(96);
    let labels: Vec<bool> = pairs.iter().map(|(u, v)| u / 12 == v / 12).collect();
    let area =
        auc(&method.scores(&network, &pairs, Noise::Removed, 0, &mut Progress::none()).unwrap(), &labels)
            .unwrap();
    assert!(area > 0.95, "{area}");
}

#[test]
fn pairs_of_the_next_block_have_codes_of_their_own_and_progress_is_the_share_of_pairs() {
    let network = network(3);
    let parameters = MotifCodesParameters { patches: 2, ..small() };
    let motifs = MotifCodes::learn(&network, &edges(&network), &parameters, 3, 0).unwrap();
    let pairs: Vec<(u32, u32)> = all_pairs(60).into_iter().cycle().take(8192 + 8).collect();
    let mut seen = Vec::new();
    let mut note = |stage, done| {
        seen.push((stage, done));
        true
    };
    let codes = motifs.codes(&network, &pairs, &mut Progress::new(&mut note)).unwrap();
    assert_eq!(seen, [(Stage::Features, 0.0), (Stage::Features, 8192.0 / 8200.0)]);
    for at in [0, 1000, 8191, 8192, 8199] {
        let alone = motifs.codes(&network, &pairs[at..=at], &mut Progress::none()).unwrap();
        let far = codes.col(at).iter().zip(alone.col(0)).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(far < 1e-9, "{at}: {far}");
    }
}

#[test]
fn a_pair_that_is_alone_has_the_same_code_with_its_edge_and_without() {
    let mut listed = edges(&network(1));
    let without = Arc::new(Network::simple(62, &listed).unwrap());
    listed.push((60, 61));
    let with = Arc::new(Network::simple(62, &listed).unwrap());
    let motifs = MotifCodes::learn(&without, &all_pairs(62), &small(), 3, 0).unwrap();
    let [one, two] =
        [without, with].map(|network| motifs.codes(&network, &[(60, 61)], &mut Progress::none()).unwrap());
    assert_eq!(one, two);
}
