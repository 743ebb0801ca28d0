//! The untrained scores on a public network against the table of docs/denoising.md.

use crate::data::corrupt::{AddModel, Amount, Kind, add, remove};
use crate::data::{Network, ReadOptions, read_network};
use crate::denoise::ensemble::NoiseModel;
use crate::denoise::heuristics::Heuristic;
use crate::denoise::paths::{OwnEdge, PairPaths};
use crate::denoise::roc::auc;
use crate::denoise::{Denoiser, Method, Progress};
use std::path::{Path, PathBuf};

/// A public network; none, loudly, where it is not at hand.
fn public(file: &str) -> Option<Network> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("ERGODICT_DATA").map_or(beside, PathBuf::from).join(file);
    if !path.exists() {
        assert!(std::env::var_os("CI").is_none(), "{} is missing", path.display());
        eprintln!("SKIPPED: {} is missing; set ERGODICT_DATA", path.display());
        return None;
    }
    Some(read_network(&path, &ReadOptions::default()).unwrap().0)
}

/// Means of two seeds were measured by another implementation with other generators: half a hundredth is some five times what seeds differ by.
const NEAR: f64 = 0.005;

#[test]
fn heuristics_on_facebook_are_those_of_the_table() {
    let Some(facebook) = public("facebook.txt.gz") else { return };
    let half = Amount::Fraction(0.5);
    let sparse = remove(&facebook, half, 0).unwrap();
    let noisy = add(&facebook, half, AddModel::ErdosRenyi, 0).unwrap();
    let table = [
        (Heuristic::CommonNeighbors, [0.978, 0.960, 0.991]),
        (Heuristic::ResourceAllocation, [0.981, 0.970, 0.991]),
        (Heuristic::PreferentialAttachment, [0.839, 0.526, 0.815]),
        (Heuristic::L3, [0.992, 0.968, 0.976]),
        (Heuristic::RaL3, [0.994, 0.981, 0.991]),
    ];
    let measure = |made: &crate::data::corrupt::Corrupted, left_out: Kind| -> Vec<f64> {
        let kept: Vec<_> = made.truth.iter().filter(|pair| pair.2 != left_out).collect();
        let pairs: Vec<(u32, u32)> = kept.iter().map(|pair| (pair.0, pair.1)).collect();
        let labels: Vec<bool> = kept.iter().map(|pair| pair.2.label()).collect();
        let paths = PairPaths::new(&made.observed).unwrap().paths(&pairs, OwnEdge::Excluded).unwrap();
        let scores = |h: Heuristic| paths.iter().map(|p| h.score(p)).collect::<Vec<f64>>();
        table.iter().map(|row| auc(&scores(row.0), &labels).unwrap()).collect()
    };
    let columns =
        [measure(&sparse, Kind::Degree), measure(&sparse, Kind::Uniform), measure(&noisy, Kind::Degree)];
    for (i, (heuristic, wanted)) in table.iter().enumerate() {
        for (column, wanted) in columns.iter().zip(wanted) {
            assert!((column[i] - wanted).abs() < NEAR, "{}: {} for {wanted}", heuristic.name(), column[i]);
        }
    }
}

/// Measured on Facebook against uniform and degree-matched pairs, seed 977: .9954 and .9901.
#[test]
fn the_default_method_is_at_least_the_recipe_it_had_to_beat() {
    let (Some(facebook), Some(caltech)) = (public("facebook.txt.gz"), public("fb100_Caltech36.txt.gz"))
    else {
        return;
    };
    let half = Amount::Fraction(0.5);
    let sparse = remove(&facebook, half, 0).unwrap();
    let noisy = add(&caltech, half, AddModel::ErdosRenyi, 0).unwrap();
    let measure =
        |made: &crate::data::corrupt::Corrupted, assumed: NoiseModel, left_out: &[Kind]| -> Vec<f64> {
            let pairs: Vec<(u32, u32)> = made.truth.iter().map(|&(u, v, _)| (u, v)).collect();
            let observed = std::sync::Arc::new(made.observed.clone());
            let denoising = Denoiser::new(Method::Ensemble, assumed, 0);
            let scored = denoising.scores(&observed, &pairs, &mut Progress::none()).unwrap();
            let area = |left_out: &Kind| {
                let kept = made.truth.iter().zip(&scored.scores).filter(|(pair, _)| pair.2 != *left_out);
                let (scores, labels): (Vec<f64>, Vec<bool>) =
                    kept.map(|(pair, score)| (*score, pair.2.label())).unzip();
                auc(&scores, &labels).unwrap()
            };
            left_out.iter().map(area).collect()
        };
    let found = measure(&sparse, NoiseModel::Removed, &[Kind::Degree, Kind::Uniform]);
    assert!(found[0] > 0.9955 && found[1] > 0.988, "{found:?}");
    let found = measure(&noisy, NoiseModel::Added, &[Kind::Degree]);
    assert!(found[0] > 0.94, "{found:?}");
}
