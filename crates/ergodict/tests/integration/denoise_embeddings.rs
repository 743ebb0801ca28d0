//! Embeddings on real networks, by the protocol of denoising: what they score, and that they are what they say at that size.

use ergodict::data::corrupt::{Amount, Corrupted, Kind, remove};
use ergodict::data::{Network, ReadOptions, read_network};
use ergodict::denoise::embedding::prone;
use ergodict::denoise::roc::auc;
use ergodict::linalg::Mat;
use std::path::{Path, PathBuf};

/// A public network; none, loudly, where it is not at hand.
fn public(file: &str) -> Option<Network> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("ERGODICT_DATA").map_or(beside, PathBuf::from);
    let path = folder.join(file);
    if !path.exists() {
        assert!(std::env::var_os("CI").is_none(), "{} is missing", path.display());
        eprintln!("SKIPPED: {} is missing; set ERGODICT_DATA", path.display());
        return None;
    }
    Some(read_network(&path, &ReadOptions::default()).unwrap().0)
}

fn pairs(corrupted: &Corrupted) -> Vec<(u32, u32)> {
    corrupted.truth.iter().map(|&(u, v, _)| (u, v)).collect()
}

/// AUC of deleted edges against uniform non-edges, and against those by degree.
fn both(corrupted: &Corrupted, scores: &[f64]) -> (f64, f64) {
    let against = |kind: Kind| {
        let kept = corrupted.truth.iter().zip(scores).filter(|(truth, _)| truth.2.label() || truth.2 == kind);
        let (labels, scores): (Vec<bool>, Vec<f64>) =
            kept.map(|(truth, score)| (truth.2.label(), *score)).unzip();
        auc(&scores, &labels).unwrap()
    };
    (against(Kind::Uniform), against(Kind::Degree))
}

fn dots(columns: &Mat<f64>, pairs: &[(u32, u32)]) -> Vec<f64> {
    let dot = |u: u32, v: u32| {
        columns.col(u as usize).iter().zip(columns.col(v as usize)).map(|(a, b)| a * b).sum()
    };
    pairs.iter().map(|&(u, v)| dot(u, v)).collect()
}

/// Facebook less half of its edges. In seeds 0 to 4 of the corruption ProNE had .9812 to .9825 and .9830 to .9844.
#[test]
fn embeddings_find_deleted_edges_of_facebook() {
    let Some(network) = public("facebook.txt.gz") else { return };
    let corrupted = remove(&network, Amount::Fraction(0.5), 0).unwrap();
    let pairs = pairs(&corrupted);
    let (uniform, degree) = both(&corrupted, &dots(&prone(&corrupted.observed, 64, 0).unwrap(), &pairs));
    assert!((0.978..0.986).contains(&uniform) && (0.98..0.988).contains(&degree), "ProNE {uniform} {degree}");
}
