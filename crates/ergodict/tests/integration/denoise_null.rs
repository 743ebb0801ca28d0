//! What cannot be known: on Erdős–Rényi networks every method of denoising scores as chance does, in every column of the protocol.
//!
//! Given the observed network, which of its edges were added is uniformly random, and so is which other pairs were deleted, but for the spanning tree
//! that is kept (a tenth of the edges here; the product of degrees gains .005 by it). A method that is off here is rewarded for how pairs are drawn, not for what it knows.

use ergodict::data::Network;
use ergodict::data::corrupt::{AddModel, Amount, Corrupted, Kind, add, remove};
use ergodict::data::generate::{Density, ErdosRenyi, Generator};
use ergodict::denoise::ensemble::NoiseModel;
use ergodict::denoise::roc::auc;
use ergodict::denoise::{Denoiser, Method, Ndr, Progress};
use ergodict::reconstruct::network::Mode;
use ergodict::run::NetworkLearning;
use std::sync::Arc;

/// Standard errors that a mean may be off by: of 42 means, one is further off in a run of two hundred, if all is right.
const ERRORS: f64 = 3.9;

/// Erdős–Rényi networks that means are over: how many there are, nodes, edges.
type Networks = (u64, usize, u64);
/// For methods that take no time, and for others.
const MANY: Networks = (40, 100, 1000);
const FEW: Networks = (8, 80, 640);

/// What a method makes of the pairs of the truth.
type Score<'a> = &'a dyn Fn(&Arc<Network>, &[(u32, u32)], NoiseModel, u64) -> Vec<f64>;

/// Scores of all pairs of the truth.
fn scores(corrupted: &Corrupted, score: Score<'_>, assumed: NoiseModel, seed: u64) -> Vec<f64> {
    let pairs: Vec<(u32, u32)> = corrupted.truth.iter().map(|&(u, v, _)| (u, v)).collect();
    score(&Arc::new(corrupted.observed.clone()), &pairs, assumed, seed)
}

/// The AUC of true pairs against false ones of a kind.
fn against(corrupted: &Corrupted, scores: &[f64], kind: Kind) -> f64 {
    let kept = corrupted.truth.iter().zip(scores).filter(|(truth, _)| truth.2.label() || truth.2 == kind);
    let (labels, scores): (Vec<bool>, Vec<f64>) =
        kept.map(|(truth, score)| (truth.2.label(), *score)).unzip();
    auc(&scores, &labels).unwrap()
}

/// How many standard errors the mean is from a half, and the mean. The standard error is that of the spread over networks, or, if that is
/// larger, that of as many independent Mann–Whitney statistics with the same pairs a class.
fn off(areas: &[f64], pairs: f64) -> (f64, f64) {
    let count = areas.len() as f64;
    let mean = areas.iter().sum::<f64>() / count;
    let squares: f64 = areas.iter().map(|area| (area - mean).powi(2)).sum();
    let variance = (squares / (count - 1.0)).max((2.0 * pairs + 1.0) / (12.0 * pairs * pairs));
    ((mean - 0.5) / (variance / count).sqrt(), mean)
}

/// AUCs of a method on the networks: removed edges against uniform and degree-matched pairs, true edges against added ones.
fn columns(score: Score<'_>, (count, nodes, edges): Networks) -> [Vec<f64>; 3] {
    let mut areas: [Vec<f64>; 3] = Default::default();
    for seed in 0..count {
        let generator = Generator::from(ErdosRenyi::new(nodes, Density::Edges(edges), false).unwrap());
        let network = generator.generate(seed);
        let sparse = remove(&network, Amount::Fraction(0.5), seed).unwrap();
        let found = scores(&sparse, score, NoiseModel::Removed, seed);
        areas[0].push(against(&sparse, &found, Kind::Uniform));
        areas[1].push(against(&sparse, &found, Kind::Degree));
        let noisy = add(&network, Amount::Fraction(0.5), AddModel::ErdosRenyi, seed).unwrap();
        let found = scores(&noisy, score, NoiseModel::Added, seed);
        areas[2].push(against(&noisy, &found, Kind::Added));
    }
    areas
}

fn check(name: &str, score: Score<'_>, networks: Networks) {
    let columns = columns(score, networks).map(|areas| off(&areas, networks.2 as f64 / 2.0));
    let words = columns.map(|(errors, mean)| format!("{mean:.4} ({errors:+.1})")).join(", ");
    eprintln!("{name}: −50 % uniform, degree-matched; +50 %: {words}");
    let right = columns.iter().all(|(errors, _)| errors.abs() < ERRORS);
    assert!(right, "AUC (standard errors from ½) of {name}: {words}");
}

fn check_method(method: Method, networks: Networks) {
    let score = |network: &Arc<Network>, pairs: &[(u32, u32)], assumed: NoiseModel, seed: u64| {
        let denoiser = Denoiser::new(method, assumed, seed);
        denoiser.scores(network, pairs, &mut Progress::none()).unwrap().scores
    };
    check(&method.to_string(), &score, networks);
}

#[test]
fn paths_and_degrees_score_as_chance_on_random_networks() {
    let all = Method::all();
    let heuristics = all.into_iter().filter(|method| matches!(method, Method::Heuristic(_)));
    heuristics.for_each(|method| check_method(method, MANY));
}

/// `ndr`, `ndr-off-motif` and `co-visits`, with a smaller dictionary and fewer walks than their own, which take minutes here.
#[test]
fn walks_score_as_chance_on_random_networks() {
    let rebuilt = |mode: Mode, network: &Arc<Network>, pairs: &[(u32, u32)], seed: u64| {
        let learning = NetworkLearning { steps: 20, ..NetworkLearning::new(9) };
        let ndr = Ndr { k: 8, learning, walks: 5_000, ..Ndr::new(mode) };
        ndr.rebuild(network, pairs, seed, &mut Progress::none()).unwrap()
    };
    check("ndr", &|network, pairs, _, seed| rebuilt(Mode::Plain, network, pairs, seed).shrunk(0.0), FEW);
    let off_motif =
        |network: &Arc<Network>, pairs: &[(u32, u32)], seed| rebuilt(Mode::OffMotif, network, pairs, seed);
    check("ndr-off-motif", &|network, pairs, _, seed| off_motif(network, pairs, seed).shrunk(0.4), FEW);
    check("co-visits", &|network, pairs, _, seed| off_motif(network, pairs, seed).visits(), FEW);
}

#[test]
fn embeddings_score_as_chance_on_random_networks() {
    check_method(Method::ProNE, FEW);
}

#[test]
fn motif_codes_score_as_chance_on_random_networks() {
    check_method(Method::MotifCodes, FEW);
}

#[test]
fn the_ensemble_scores_as_chance_on_random_networks() {
    check_method(Method::Ensemble, FEW);
}
