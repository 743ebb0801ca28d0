//! The default method: heads that learn from the observed network alone what a true edge looks like, averaged.
//!
//! | step | here | DENOISING.md |
//! |---|---|---|
//! | labels | [`Split`]: hidden edges or injected pairs, several times | "Labels" |
//! | features | [`features`](super::features): P, D, N, E, h in the network of the split | "Features of a pair" |
//! | head | [`Head`]: quadratic logistic regression with a ridge | "Head" |
//! | scores | logits by features in the observed network, averaged over the splits | "average several hide/inject splits" |
//! | re-weighting | edges count by the probability that they are true; second heads on the P and D that result | "Re-weighting (+50 %)" |
//!
//! Departures. [`Noise::Removed`]: the ridge is stronger and logarithms are of `x + ε` (see [`features`](super::features)). [`Noise::Added`]: nothing is injected, as that moves the
//! features of all pairs away from those in the observed network; atoms are learned once, from the first split, so that the pairs to score are coded once; the
//! weight of an edge is not the head's probability, which is that of being observed. With `ρ` the ratio of the densities of observed edges and of non-edges, which is
//! the odds of a head on classes of equal weight, and `π` the share of false edges, `ρ = π + (1 − π)·(density of true edges)/(density of false ones)`. So the probability of a true edge is
//! `1 − π/ρ`, and `π` is the least value of `ρ`: the 0.2-quantile of it over non-edges is taken.
//!
//! The noise is assumed, not estimated. With [`Assumed::Both`] a pair that is an observed edge is judged by the head for added edges and any other by
//! the head for removed ones; both give log odds, but odds of labels that were made in different shares, so the order within each kind means more than that
//! between them.

use super::features::{self, Features, Group};
use super::logistic::{FitOptions, Head, Importance};
use super::paths::check_pairs;
use super::roc::auc;
pub use super::splits::Noise;
use super::splits::{Split, SplitOptions};
use super::{MotifCodes, MotifCodesParameters};
use crate::data::Network;
use crate::{Error, Result};
use std::sync::Arc;

/// What is assumed to be wrong with the observed network.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Assumed {
    /// True edges are missing.
    Removed,
    /// False edges are there.
    Added,
    /// Either: observed edges are judged as by `Added`, other pairs as by `Removed`.
    Both,
}

/// What goes into the ensemble.
#[derive(Clone, PartialEq, Debug)]
pub struct EnsembleOptions {
    /// The noise that is assumed.
    pub assumed: Assumed,
    /// Splits whose heads are averaged.
    pub splits: usize,
    /// Groups of features for pairs that may be missing edges.
    pub removed: Vec<Group>,
    /// Groups of features for edges that may be false. Those of nodes and embeddings see the edge itself, which gives labels away.
    pub added: Vec<Group>,
    /// How labels are made.
    pub split: SplitOptions,
    /// `C` of the heads for removed edges, and for added ones.
    pub c: [f64; 2],
    /// Whether edges are re-weighted, for added edges.
    pub reweight: bool,
    /// How pairs are coded.
    pub motifs: MotifCodesParameters,
}

impl EnsembleOptions {
    /// The defaults under an assumption.
    pub fn new(assumed: Assumed) -> Self {
        Self {
            assumed,
            splits: 4,
            removed: vec![Group::Paths, Group::Degrees, Group::Nodes, Group::Embedding],
            added: vec![Group::Paths, Group::Degrees, Group::Motifs],
            split: SplitOptions::default(),
            // λ = 1/C: 10 was as good as 1 on large networks and steadier on small ones.
            c: [0.1, 1.0],
            reweight: true,
            motifs: MotifCodesParameters::default(),
        }
    }
}

/// Scores, and what they are made of.
#[derive(Clone, PartialEq, Debug)]
pub struct Ensemble {
    /// One for each pair: the mean logit of the heads.
    pub scores: Vec<f64>,
    /// One for each noise that was assumed and had pairs.
    pub reports: Vec<HeadReport>,
}

/// What is told of the heads for a noise.
#[derive(Clone, PartialEq, Debug)]
pub struct HeadReport {
    /// The noise.
    pub noise: Noise,
    /// Splits whose heads were averaged.
    pub splits: usize,
    /// Pairs of the last split.
    pub training_pairs: usize,
    /// The mean AUC of heads on the pairs of the next split; none of a single split. It is of made-up labels and comparable between methods only.
    pub held_out: Option<f64>,
    /// Every feature, and how much the last head needs it alone.
    pub features: Vec<(String, Group, Importance)>,
    /// Every group, and how much the last head needs it.
    pub groups: Vec<(Group, Importance)>,
    /// The share of observed edges that are false, estimated where edges are re-weighted.
    pub false_share: Option<f64>,
}

/// Scores pairs of an observed network.
///
/// ```
/// use ergodict::{data::embedded, denoise::ensemble::{Assumed, EnsembleOptions, ensemble}};
/// let karate = std::sync::Arc::new(embedded("karate")?);
/// let found = ensemble(&karate, &[(0, 9), (11, 26)], &EnsembleOptions::new(Assumed::Removed), 0)?;
/// assert!(found.scores[0] > found.scores[1]);
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for pairs that are none, for no splits or no groups, and those of [`Split::new`], [`Head::fit`] and of the features.
pub fn ensemble(
    observed: &Arc<Network>,
    pairs: &[(u32, u32)],
    options: &EnsembleOptions,
    seed: u64,
) -> Result<Ensemble> {
    check_pairs(observed, pairs)?;
    if options.splits == 0 {
        return Err(Error::parameter("the number of splits", 0, "it must be at least 1"));
    }
    let is_edge = |&(u, v): &(u32, u32)| observed.neighbours(u as usize).binary_search(&v).is_ok();
    let noise_of = |pair: &(u32, u32)| match options.assumed {
        Assumed::Added => Noise::Added,
        Assumed::Both if is_edge(pair) => Noise::Added,
        Assumed::Removed | Assumed::Both => Noise::Removed,
    };
    let mut found = Ensemble { scores: vec![0.0; pairs.len()], reports: Vec::new() };
    for noise in [Noise::Removed, Noise::Added] {
        let places: Vec<usize> = (0..pairs.len()).filter(|&at| noise_of(&pairs[at]) == noise).collect();
        if places.is_empty() {
            continue;
        }
        let some: Vec<(u32, u32)> = places.iter().map(|&at| pairs[at]).collect();
        let (scores, report) = Heads::new(observed, noise, options, seed)?.scores(&some)?;
        places.iter().zip(scores).for_each(|(&at, score)| found.scores[at] = score);
        found.reports.push(report);
    }
    Ok(found)
}

/// The heads of one noise.
struct Heads<'a> {
    observed: &'a Arc<Network>,
    noise: Noise,
    options: &'a EnsembleOptions,
    groups: &'a [Group],
    seed: u64,
    motifs: Option<MotifCodes>,
}

/// Weights of the observed edges.
struct Reweighted {
    /// In the order of [`Network::each_edge`].
    weights: Vec<f64>,
    false_share: f64,
}

/// Which of the odds of non-edges, ascending, is taken for the share of false edges: measured on six networks with a third of
/// false edges it gave .30 to .35.
const QUANTILE: f64 = 0.2;

/// The least weight of an edge.
const LEAST: f64 = 0.02;

impl<'a> Heads<'a> {
    fn new(
        observed: &'a Arc<Network>,
        noise: Noise,
        options: &'a EnsembleOptions,
        seed: u64,
    ) -> Result<Self> {
        let groups = match noise {
            Noise::Removed => &options.removed[..],
            Noise::Added => &options.added[..],
        };
        if groups.is_empty() {
            return Err(Error::parameter("the groups of features", "empty", "there must be at least one"));
        }
        let mut this = Self { observed, noise, options, groups, seed, motifs: None };
        if groups.contains(&Group::Motifs) {
            let split = this.split(0)?;
            this.motifs = Some(MotifCodes::learn(&split.network, &split.pairs, &options.motifs, seed, 0)?);
        }
        Ok(this)
    }

    fn split(&self, split: usize) -> Result<Split> {
        Split::new(self.observed, self.noise, &self.options.split, self.seed, split as u64)
    }

    fn fit(&self, features: &Features, split: &Split) -> Result<Head> {
        let c = self.options.c[usize::from(self.noise == Noise::Added)];
        let options = FitOptions { quadratic: features.quadratic(), c, ..FitOptions::default() };
        Head::fit(&options, features.columns.as_ref(), &split.labels, &split.weights)
    }

    /// The features of pairs in a network, but for motifs. Weights are those of the observed network, whose edges in the same order that of a split must have.
    fn features(
        &self,
        network: &Arc<Network>,
        edge_weights: Option<&[f64]>,
        pairs: &[(u32, u32)],
    ) -> Result<Features> {
        let groups = self.groups;
        let mut all = features::paths_and_degrees(network, edge_weights, pairs, self.noise, groups)?;
        if groups.contains(&Group::Nodes) {
            all = all.and(features::nodes(network, pairs)?)?;
        }
        if groups.contains(&Group::Embedding) {
            all = all.and(features::embedding(network, pairs, self.seed)?)?;
        }
        Ok(all)
    }

    /// The mean logits of pairs.
    fn scores(&self, pairs: &[(u32, u32)]) -> Result<(Vec<f64>, HeadReport)> {
        let reweighted =
            if self.noise == Noise::Added && self.options.reweight { Some(self.reweighted()?) } else { None };
        // The second heads, if any, have the same features but for those that change with the weights of edges.
        let passes: Vec<Option<&[f64]>> =
            std::iter::once(None).chain(reweighted.iter().map(|r| Some(&r.weights[..]))).collect();
        let codes = |network: &Arc<Network>, pairs: &[(u32, u32)]| match &self.motifs {
            Some(motifs) => features::motifs(motifs, network, pairs),
            None => Ok(Features::none(pairs.len())),
        };
        let all = |network: &Arc<Network>, pairs: &[(u32, u32)]| -> Result<Vec<Features>> {
            let codes = codes(network, pairs)?;
            let one = |weights: &Option<&[f64]>| self.features(network, *weights, pairs)?.and(codes.clone());
            passes.iter().map(one).collect()
        };
        let mean = |heads: &[Head], features: &[Features]| -> Result<Vec<f64>> {
            let mut logits = vec![0.0; features[0].columns.cols()];
            for (head, features) in heads.iter().zip(features) {
                add(&mut logits, &head.logits(features.columns.as_ref())?, 1.0 / heads.len() as f64);
            }
            Ok(logits)
        };
        let target = all(self.observed, pairs)?;
        let mut scores = vec![0.0; pairs.len()];
        let (mut held_out, mut before, mut report) = (Vec::new(), Vec::new(), None);
        for number in 0..self.options.splits {
            let split = self.split(number)?;
            let features = all(&split.network, &split.pairs)?;
            if number > 0 {
                held_out.extend(auc(&mean(&before, &features)?, &split.labels));
            }
            let heads: Vec<Head> = features.iter().map(|f| self.fit(f, &split)).collect::<Result<_>>()?;
            add(&mut scores, &mean(&heads, &target)?, 1.0 / self.options.splits as f64);
            if number + 1 == self.options.splits {
                report = Some(self.report(&heads[0], &features[0], &split)?);
            }
            before = heads;
        }
        let Some(mut report) = report else {
            return Err(Error::parameter("the number of splits", 0, "it must be at least 1"));
        };
        report.held_out =
            (!held_out.is_empty()).then(|| held_out.iter().sum::<f64>() / held_out.len() as f64);
        report.false_share = reweighted.map(|reweighted| reweighted.false_share);
        Ok((scores, report))
    }

    /// The probability that each observed edge is a true one, by heads of P and D alone.
    fn reweighted(&self) -> Result<Reweighted> {
        let groups = [Group::Paths, Group::Degrees];
        let plain = |network: &Network, pairs: &[(u32, u32)]| {
            features::paths_and_degrees(network, None, pairs, self.noise, &groups)
        };
        let edges: Vec<(u32, u32)> = self.observed.each_edge().map(|(u, v, _)| (u, v)).collect();
        let target = plain(self.observed, &edges)?;
        let mut logits = vec![0.0; edges.len()];
        let (splits, mut false_share) = (self.options.splits as f64, 0.0);
        for number in 0..self.options.splits {
            let split = self.split(number)?;
            let features = plain(&split.network, &split.pairs)?;
            let head = self.fit(&features, &split)?;
            add(&mut logits, &head.logits(target.columns.as_ref())?, 1.0 / splits);
            let fitted = head.logits(features.columns.as_ref())?;
            let odds = fitted.iter().zip(&split.labels).filter(|pair| !pair.1);
            let mut odds: Vec<f64> = odds.map(|(logit, _)| logit.exp()).collect();
            let at = (QUANTILE * odds.len() as f64) as usize;
            false_share += odds.select_nth_unstable_by(at, f64::total_cmp).1.min(1.0) / splits;
        }
        let weight = |logit: &f64| (1.0 - false_share * (-logit).exp()).clamp(LEAST, 1.0);
        Ok(Reweighted { weights: logits.iter().map(weight).collect(), false_share })
    }

    fn report(&self, head: &Head, features: &Features, split: &Split) -> Result<HeadReport> {
        let importance = |which: &[usize]| head.importance(features.columns.as_ref(), &split.labels, which);
        let alone = (0..features.names.len())
            .map(|row| Ok((features.names[row].clone(), features.groups[row], importance(&[row])?)))
            .collect::<Result<_>>()?;
        let together = Group::ALL
            .into_iter()
            .filter(|group| features.groups.contains(group))
            .map(|group| Ok((group, importance(&features.rows_of(group))?)))
            .collect::<Result<_>>()?;
        Ok(HeadReport {
            noise: self.noise,
            splits: self.options.splits,
            training_pairs: split.pairs.len(),
            held_out: None,
            features: alone,
            groups: together,
            false_share: None,
        })
    }
}

fn add(sums: &mut [f64], values: &[f64], share: f64) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += share * value);
}
