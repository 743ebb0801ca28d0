//! The default method: heads that learn from the observed network alone what a true edge looks like, averaged.
//!
//! | step | here | DENOISING.md |
//! |---|---|---|
//! | labels | [`Split`]: hidden edges or injected pairs, several times | "Labels" |
//! | features | [`features`](super::features): P, D, N, E, h in the network of the split | "Features of a pair" |
//! | head | [`Head`]: quadratic logistic regression with a ridge | "Head" |
//! | scores | logits by features in the observed network, averaged over the splits | "average several hide/inject splits" |
//! | re-weighting | edges count by the probability that a head of P and D gives them; a second head on the P and D that result | "Re-weighting (+50 %)" |
//!
//! Departures: the ridge is stronger and logarithms are of `x + ε` for [`Noise::Removed`] (see [`features`](super::features)); atoms are learned once, from the first split,
//! so that the pairs to score are coded once; the weights come from the average of the heads of P and D over all splits, one function for every network, and
//! re-weighting is used where it raises the AUC of pairs of other splits than a head was fitted on.
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

/// Whether edges are re-weighted and a second head is fitted. For [`Noise::Added`] only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reweight {
    /// No.
    Never,
    /// When it raises the AUC of held-out pairs.
    IfBetter,
    /// Yes.
    Always,
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
    /// Whether edges are re-weighted.
    pub reweight: Reweight,
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
            reweight: Reweight::IfBetter,
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
    /// What re-weighting added to the AUC of held-out pairs, and whether it was used; none when it was not tried.
    pub reweighting: Option<(f64, bool)>,
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

/// What the first heads leave for the second ones.
struct First {
    /// Heads of P and D alone.
    weighers: Vec<Head>,
    /// Logits, for the pairs of every split, of the head of the split before.
    held_out: Vec<Vec<f64>>,
}

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

    /// The features of pairs in a network.
    fn features(
        &self,
        network: &Arc<Network>,
        edge_weights: Option<&[f64]>,
        pairs: &[(u32, u32)],
        groups: &[Group],
    ) -> Result<Features> {
        let mut all = features::paths_and_degrees(network, edge_weights, pairs, self.noise, groups)?;
        if groups.contains(&Group::Nodes) {
            all = all.and(features::nodes(network, pairs)?)?;
        }
        if groups.contains(&Group::Embedding) {
            all = all.and(features::embedding(network, pairs, self.seed)?)?;
        }
        if let Some(motifs) = &self.motifs
            && groups.contains(&Group::Motifs)
        {
            all = all.and(features::motifs(motifs, network, pairs)?)?;
        }
        Ok(all)
    }

    /// The mean logits of pairs.
    fn scores(&self, pairs: &[(u32, u32)]) -> Result<(Vec<f64>, HeadReport)> {
        let target = self.features(self.observed, None, pairs, self.groups)?;
        let splits = self.options.splits;
        let mut scores = vec![0.0; pairs.len()];
        let mut first = First { weighers: Vec::new(), held_out: Vec::new() };
        let reweight = self.noise == Noise::Added
            && self.options.reweight != Reweight::Never
            && self.plain_groups().len() == 2;
        let mut report = None;
        let mut before: Option<Head> = None;
        let mut held_out = Vec::new();
        for number in 0..splits {
            let split = self.split(number)?;
            let features = self.features(&split.network, None, &split.pairs, self.groups)?;
            let head = self.fit(&features, &split)?;
            add(&mut scores, &head.logits(target.columns.as_ref())?, 1.0 / splits as f64);
            if let Some(before) = &before {
                let logits = before.logits(features.columns.as_ref())?;
                held_out.extend(auc(&logits, &split.labels));
                if reweight {
                    first.held_out.push(logits);
                }
            }
            if reweight {
                let plain = features::only(&features, &self.plain_groups());
                first.weighers.push(self.fit(&plain, &split)?);
            }
            if number + 1 == splits {
                report = Some(self.report(&head, &features, &split)?);
            }
            before = Some(head);
        }
        let Some(mut report) = report else {
            return Err(Error::parameter("the number of splits", 0, "it must be at least 1"));
        };
        if !held_out.is_empty() {
            report.held_out = Some(held_out.iter().sum::<f64>() / held_out.len() as f64);
        }
        if reweight {
            let (second, gain) = self.second(pairs, &first)?;
            let used = match self.options.reweight {
                Reweight::Always => true,
                _ => gain.is_some_and(|gain| gain > 0.0),
            };
            if used {
                scores.iter_mut().zip(second).for_each(|(score, second)| *score = 0.5 * (*score + second));
            }
            report.reweighting = gain.map(|gain| (gain, used));
        }
        Ok((scores, report))
    }

    /// The groups that change when edges are re-weighted.
    fn plain_groups(&self) -> Vec<Group> {
        self.groups.iter().copied().filter(|g| matches!(g, Group::Paths | Group::Degrees)).collect()
    }

    /// The probability that each edge of a network is a true one, by the weighers together.
    fn edge_weights(&self, network: &Arc<Network>, weighers: &[Head]) -> Result<Vec<f64>> {
        let edges: Vec<(u32, u32)> = network.each_edge().map(|(u, v, _)| (u, v)).collect();
        let features = self.features(network, None, &edges, &self.plain_groups())?;
        let mut logits = vec![0.0; edges.len()];
        for weigher in weighers {
            add(&mut logits, &weigher.logits(features.columns.as_ref())?, 1.0 / weighers.len() as f64);
        }
        // Never quite 0, which would be no edge.
        Ok(logits.iter().map(|logit| (1.0 / (1.0 + (-logit).exp())).max(1e-6)).collect())
    }

    /// The mean logits of pairs by second heads, and what they add to the first ones on held-out pairs.
    fn second(&self, pairs: &[(u32, u32)], first: &First) -> Result<(Vec<f64>, Option<f64>)> {
        let groups = self.plain_groups();
        let weights = self.edge_weights(self.observed, &first.weighers)?;
        let target = self.features(self.observed, Some(&weights), pairs, &groups)?;
        let mut scores = vec![0.0; pairs.len()];
        let mut gains = Vec::new();
        let mut before: Option<Head> = None;
        for number in 0..self.options.splits {
            let split = self.split(number)?;
            let weights = self.edge_weights(&split.network, &first.weighers)?;
            let features = self.features(&split.network, Some(&weights), &split.pairs, &groups)?;
            let head = self.fit(&features, &split)?;
            add(&mut scores, &head.logits(target.columns.as_ref())?, 1.0 / self.options.splits as f64);
            if let Some(before) = &before {
                let mut both = before.logits(features.columns.as_ref())?;
                let alone = &first.held_out[number - 1];
                add(&mut both, alone, 1.0);
                let gain = auc(&both, &split.labels).zip(auc(alone, &split.labels));
                gains.extend(gain.map(|(both, alone)| both - alone));
            }
            before = Some(head);
        }
        let gain = (!gains.is_empty()).then(|| gains.iter().sum::<f64>() / gains.len() as f64);
        Ok((scores, gain))
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
            reweighting: None,
        })
    }
}

fn add(sums: &mut [f64], values: &[f64], share: f64) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += share * value);
}
