//! Baselines on real networks, by the protocol of denoising: what they score, and that they are what they say at that size.

use super::skip_gram::SkipGram;
use super::spectral::spectral;
use super::walks::Walks;
use super::{Baseline, Progress};
use ergodict::data::corrupt::{Amount, Corrupted, Kind, remove};
use ergodict::data::{Network, ReadOptions, read_network};
use ergodict::denoise::roc::auc;
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

#[test]
fn the_first_eigenvector_of_facebook_is_the_square_root_of_the_degrees() {
    let Some(network) = public("facebook.txt.gz") else { return };
    let observed = remove(&network, Amount::Fraction(0.5), 0).unwrap().observed;
    let spectrum = spectral(&observed, 32, &mut |_| true).unwrap().unwrap();
    assert!(
        spectrum.residual < 1e-6
            && (spectrum.values[0] - 1.0).abs() < 1e-10
            && spectrum.values.is_sorted_by(|a, b| a >= b)
    );
    let first = |u: usize| spectrum.vectors.get(0, u) / (observed.neighbors(u).len() as f64).sqrt();
    let (one, length) = (first(0), 1.0 / (2.0 * observed.edges() as f64).sqrt());
    assert!((one - length).abs() < 1e-8 && (1..4039).all(|u| (first(u) - one).abs() < 1e-6));
}

/// A small network, so that walks take no time: Facebook of Caltech. In seeds 0 to 11 of the corruption walks had .791 to .822 and
/// .713 to .735, spectral .850 to .872 and .712 to .745.
#[test]
fn walks_and_regression_find_deleted_edges_of_caltech() {
    let Some(network) = public("fb100_Caltech36.txt.gz") else { return };
    let corrupted = remove(&network, Amount::Fraction(0.5), 0).unwrap();
    let pairs: Vec<(u32, u32)> = corrupted.truth.iter().map(|&(u, v, _)| (u, v)).collect();
    let settings = SkipGram { dimensions: 32, window: 5, ..SkipGram::default() };
    let walks = Walks { per_node: 4, length: 40, ..Walks::default() };
    let go: &mut Progress<'_> = &mut |_| true;
    let columns = settings.embed(&corrupted.observed, &walks, 0, go).unwrap().unwrap();
    let dot = |&(u, v): &(u32, u32)| {
        columns.col(u as usize).iter().zip(columns.col(v as usize)).map(|(a, b)| a * b).sum()
    };
    let walked = both(&corrupted, &pairs.iter().map(dot).collect::<Vec<f64>>());
    let judged = both(&corrupted, &Baseline::Spectral.scores(&corrupted.observed, &pairs, 0, go).unwrap());
    assert!(walked.0 > 0.77 && walked.1 > 0.69, "{walked:?}");
    assert!(judged.0 > 0.83 && judged.1 > 0.69, "{judged:?}");
}
