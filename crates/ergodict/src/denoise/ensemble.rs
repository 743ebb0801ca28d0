//! The default method: heads that learn from the observed network alone what a true edge looks like.
//!
//! | step | here | docs/denoising.md |
//! |---|---|---|
//! | labels | [`Split`]: hidden edges, non-edges or injected ones, several times | "Labels" |
//! | features | [`features`]: P, D, N, E, h in the network of the split | "Features of a pair" |
//! | head | `Head`: quadratic logistic regression with a ridge | "Head" |
//! | missing edges | `missing`: heads and single numbers of paths, blended by the average precision of hidden edges among all non-edges | "What the ensemble looks at" |
//! | false edges | logits by features in the observed network, averaged over the splits; then edges count by the probability that they are true, and second heads learn the P and D that result | "What the ensemble looks at" |
//!
//! For [`Noise::Added`] nothing is injected for the first heads, as that moves the
//! features of all pairs away from those in the observed network (facebook .9953 against .9950, Caltech36 .9407 against .9414; one split, P and D); for the second heads it must be; atoms are learned once, from the first split, so that the pairs to score are coded once; the
//! weight of an edge is not the head's probability, which is that of being observed. With `ρ` the ratio of the densities of observed edges and of non-edges, which is
//! the odds of a head on classes of equal weight, and `π` the share of false edges, `ρ = π + (1 − π)·(density of true edges)/(density of false ones)`. So the probability of a true edge is
//! `1 − π/ρ`, and `π` is the least value of `ρ`: the 0.2-quantile of it over non-edges is taken.
//!
//! The noise is assumed, not estimated. With [`NoiseModel::Both`] a pair that is an observed edge is judged by the heads for added edges and any other by
//! those for removed ones: the order within each kind means more than that between them.

use super::features::{self, Features, Group};
use super::folds::{self, Folds};
use super::logistic::{FitOptions, Head, Importance};
use super::missing;
use super::paths::check_pairs;
use super::roc::auc;
pub use super::splits::Noise;
use super::splits::{Negatives, Split, SplitOptions};
use super::{MotifCodes, MotifCodesParameters, Progress, Stage, order};
use crate::data::Network;
use crate::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is assumed to be wrong with the observed network.
///
/// ```
/// use ergodict::{data::embedded, denoise::ensemble::{NoiseModel, EnsembleOptions, ensemble}};
/// let karate = std::sync::Arc::new(embedded("karate")?);
/// let options = EnsembleOptions { splits: [1, 1], ..EnsembleOptions::new(NoiseModel::Added) };
/// let scores = ensemble(&karate, &[(32, 33), (13, 33)], &options, 0)?.scores;
/// assert!(scores[0] > scores[1]); // ten common friends against two
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum NoiseModel {
    /// True edges are missing.
    Removed,
    /// False edges are there.
    Added,
    /// Either: observed edges are judged as by `Added`, other pairs as by `Removed`.
    Both,
}

impl NoiseModel {
    /// The places of the pairs that are judged under each noise, of those that have any.
    pub(super) fn places(self, observed: &Network, pairs: &[(u32, u32)]) -> Vec<(Noise, Vec<usize>)> {
        let is_edge = |&(u, v): &(u32, u32)| observed.neighbors(u as usize).binary_search(&v).is_ok();
        let added = |pair: &(u32, u32)| self == Self::Added || self == Self::Both && is_edge(pair);
        let (added, removed): (Vec<usize>, Vec<usize>) = (0..pairs.len()).partition(|&at| added(&pairs[at]));
        [(Noise::Removed, removed), (Noise::Added, added)]
            .into_iter()
            .filter(|(_, places)| !places.is_empty())
            .collect()
    }
}

/// The share of the true edges that is taken to be missing where none is given.
pub const MISSING: f64 = 0.1;

/// What goes into the ensemble.
///
/// ```
/// use ergodict::denoise::{ensemble::{NoiseModel, EnsembleOptions}, features::Group};
/// let few = EnsembleOptions { removed: vec![Group::Paths, Group::Degrees], ..EnsembleOptions::new(NoiseModel::Removed) };
/// assert!(few.removed.len() < EnsembleOptions::new(NoiseModel::Removed).removed.len());
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct EnsembleOptions {
    /// The noise that is assumed.
    pub assumed: NoiseModel,
    /// Splits whose heads are averaged, for removed edges and for added ones.
    pub splits: [usize; 2],
    /// Groups of features for pairs that may be missing edges.
    pub removed: Vec<Group>,
    /// Groups of features for edges that may be false: paths, degrees and motifs, as the others see the edge itself.
    pub added: Vec<Group>,
    /// How labels are made.
    pub split: SplitOptions,
    /// `C` of the heads for removed edges, and for added ones.
    pub c: [f64; 2],
    /// Whether edges are re-weighted, for added edges.
    pub reweight: bool,
    /// False edges that are injected when second heads are fitted, as a share of the observed edges.
    pub injected: f64,
    /// How pairs are coded.
    pub motifs: MotifCodesParameters,
    /// The share of edges that is believed to be wrong, for probabilities: missing ones among the true edges ([`MISSING`] where it is not given), false ones among the
    /// observed (estimated where it is not given).
    pub share: Option<f64>,
    /// What missing edges are to be distinguished from.
    pub negatives: Negatives,
}

impl EnsembleOptions {
    /// The defaults under an assumption.
    pub fn new(assumed: NoiseModel) -> Self {
        Self {
            assumed,
            splits: [8, 2],
            removed: vec![Group::Paths, Group::Degrees, Group::Walks, Group::Nodes, Group::Embedding],
            added: vec![Group::Paths, Group::Degrees, Group::Motifs],
            split: SplitOptions::default(),
            // 1/C = 10 in place of 1 gained .005/.017 on email-Enron and .005/.007 on Caltech36 (half of the edges removed, one seed, log1p).
            c: [0.1, 1.0],
            reweight: true,
            injected: 0.2,
            motifs: MotifCodesParameters::default(),
            share: None,
            negatives: Negatives::Mixed,
        }
    }
}

/// Scores, and what they are made of.
///
/// ```
/// use ergodict::{data::embedded, denoise::{ensemble::{NoiseModel, EnsembleOptions, ensemble}, features::Group}};
/// let karate = std::sync::Arc::new(embedded("karate")?);
/// let options = EnsembleOptions { removed: vec![Group::Paths], splits: [2, 1], ..EnsembleOptions::new(NoiseModel::Removed) };
/// let found = ensemble(&karate, &[(0, 9), (11, 26)], &options, 0)?;
/// assert_eq!((found.scores.len(), found.reports.len()), (2, 1));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Ensemble {
    /// One for each pair: log odds of a true edge, as if there were as many true pairs as false ones.
    pub scores: Vec<f64>,
    /// The probability that each pair is a true edge: of an observed edge with the estimated share of false ones, of any other with the share of
    /// missing ones that is assumed.
    pub probabilities: Vec<f64>,
    /// One for each noise that was assumed and had pairs.
    pub reports: Vec<HeadReport>,
    /// What speaks most for each of the likeliest missing edges, and against each of the most suspicious observed ones, by the places of the pairs; of no others.
    pub reasons: BTreeMap<usize, Reasons>,
}

/// Names of features and what each adds to the log odds of a pair, the strongest first: positive numbers for a missing edge, negative ones for a false edge.
pub type Reasons = Vec<(String, f64)>;

/// Missing or false edges whose reasons are given.
const REASONED: usize = 1000;

/// The report of the heads for a noise.
///
/// ```
/// use ergodict::{data::embedded, denoise::{ensemble::{NoiseModel, EnsembleOptions, ensemble}, features::Group}};
/// let karate = std::sync::Arc::new(embedded("karate")?);
/// let options = EnsembleOptions { removed: vec![Group::Paths], splits: [2, 1], ..EnsembleOptions::new(NoiseModel::Removed) };
/// let report = &ensemble(&karate, &[(0, 9)], &options, 0)?.reports[0];
/// assert!(report.splits == 2 && report.held_out.is_some() && report.groups[0].0 == Group::Paths);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct HeadReport {
    /// The noise.
    pub noise: Noise,
    /// Splits whose heads were averaged.
    pub splits: usize,
    /// Pairs of the last split.
    pub training_pairs: usize,
    /// The AUC on pairs that heads were not trained on. It is of made-up labels: where edges are missing, hidden
    /// edges against all non-edges; where there are false ones, observed edges against non-edges, so that false ones among the former count against it.
    pub held_out: Option<f64>,
    /// The average precision of hidden edges among all non-edges, where edges are missing.
    pub average_precision: Option<f64>,
    /// What is averaged where edges are missing, and its share.
    pub blend: Vec<(String, f64)>,
    /// Every feature, and how much the last head needs it alone.
    pub features: Vec<(String, Group, Importance)>,
    /// Every group, and how much the last head needs it.
    pub groups: Vec<(Group, Importance)>,
    /// The share of observed edges that are false, estimated where edges are re-weighted.
    pub false_share: Option<f64>,
    /// Where edges are missing, how probabilities fare on hidden edges they were not fitted on.
    pub reliability: Vec<Reliability>,
}

/// Pairs of similar probability, and the share of them that are hidden edges.
///
/// ```
/// let bin = ergodict::denoise::ensemble::Reliability { predicted: 0.3, observed: 0.25, hidden: 20 };
/// assert!((bin.predicted - bin.observed).abs() < 0.1);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reliability {
    /// Their mean probability.
    pub predicted: f64,
    /// The share of hidden edges.
    pub observed: f64,
    /// Hidden edges among them, over all splits.
    pub hidden: usize,
}

/// Scores pairs of an observed network.
///
/// ```
/// use ergodict::{data::embedded, denoise::ensemble::{NoiseModel, EnsembleOptions, ensemble}};
/// let karate = std::sync::Arc::new(embedded("karate")?);
/// let found = ensemble(&karate, &[(0, 9), (11, 26)], &EnsembleOptions::new(NoiseModel::Removed), 0)?;
/// assert!(found.scores[0] > found.scores[1]);
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for pairs that are none, for no splits or no groups, and those of [`Split::new`], `Head::fit` and of the features.
pub fn ensemble(
    observed: &Arc<Network>,
    pairs: &[(u32, u32)],
    options: &EnsembleOptions,
    seed: u64,
) -> Result<Ensemble> {
    ensemble_with_progress(observed, pairs, options, seed, &mut Progress::none())
}

/// The same, telling how far it is after each head, and stopping when asked to.
///
/// # Errors
/// As [`ensemble`]; [`Error::Interrupted`].
pub(crate) fn ensemble_with_progress(
    observed: &Arc<Network>,
    pairs: &[(u32, u32)],
    options: &EnsembleOptions,
    seed: u64,
    progress: &mut Progress<'_>,
) -> Result<Ensemble> {
    check_pairs(observed, pairs)?;
    if options.splits.contains(&0) {
        return Err(Error::parameter("the number of splits", 0, "it must be at least 1"));
    }
    if let Some(share) = options.share.filter(|share| !(*share > 0.0 && *share < 1.0)) {
        return Err(Error::parameter("the share of wrong edges", share, "it must be between 0 and 1"));
    }
    let zeros = vec![0.0; pairs.len()];
    let reasons = BTreeMap::new();
    let mut found = Ensemble { scores: zeros.clone(), probabilities: zeros, reports: Vec::new(), reasons };
    for (noise, places) in options.assumed.places(observed, pairs) {
        let some: Vec<(u32, u32)> = places.iter().map(|&at| pairs[at]).collect();
        progress.at(Stage::Heads, 0.0)?;
        let first = |scores: &[f64]| -> (Vec<usize>, Vec<(u32, u32)>) {
            let first = order(scores, noise == Noise::Removed).into_iter().take(REASONED);
            first.map(|at| (places[at], some[at])).unzip()
        };
        let (scores, probabilities, report) = match noise {
            Noise::Removed => {
                let model = missing::Model::fit(observed, options, seed, progress)?;
                let scored = model.scores(&some, progress)?;
                let (places, likely) = first(&scored.logits);
                found.reasons.extend(places.into_iter().zip(model.reasons(&likely)?));
                (scored.logits, scored.probabilities, model.report)
            }
            Noise::Added => {
                let mut heads = Heads::new(observed, options, seed, progress)?;
                let (scores, probabilities, report) = heads.scores(&some)?;
                let (places, doubtful) = first(&scores);
                found.reasons.extend(places.into_iter().zip(heads.reasons(&doubtful)?));
                (scores, probabilities, report)
            }
        };
        for ((&at, score), probability) in places.iter().zip(scores).zip(probabilities) {
            (found.scores[at], found.probabilities[at]) = (score, probability);
        }
        found.reports.push(report);
    }
    Ok(found)
}

/// The heads for false edges.
struct Heads<'a, 'p> {
    observed: &'a Arc<Network>,
    options: &'a EnsembleOptions,
    groups: &'a [Group],
    splits: usize,
    seed: u64,
    motifs: Option<MotifCodes>,
    /// Heads of all features, and those of P and D in re-weighted networks.
    fits: [Vec<Head>; 2],
    /// What each observed edge weighs, where edges are re-weighted.
    weights: Vec<f64>,
    /// Number of fitted heads, and where progress is reported.
    fitted: Cell<usize>,
    progress: RefCell<&'a mut Progress<'p>>,
}

/// What the probability of an edge is computed with.
struct Weigher {
    heads: Vec<Head>,
    false_share: f64,
}

/// Splits with injected edges have numbers from here on.
const INJECTED: usize = 1 << 12;

/// Which of the odds of non-edges, ascending, is taken for the share of false edges: in a prototype it gave .30 to .34 on six networks with a third of
/// false edges; at .5 and .8 areas differed by less than .0003.
const QUANTILE: f64 = 0.2;

/// Groups of features that leave the edge of a pair out.
const WITHOUT_EDGE: [Group; 3] = [Group::Paths, Group::Degrees, Group::Motifs];

/// The least weight of an edge.
const LEAST: f64 = 0.02;

impl<'a, 'p> Heads<'a, 'p> {
    fn new(
        observed: &'a Arc<Network>,
        options: &'a EnsembleOptions,
        seed: u64,
        progress: &'a mut Progress<'p>,
    ) -> Result<Self> {
        let (groups, splits) = (&options.added[..], options.splits[1]);
        if groups.is_empty() {
            return Err(Error::parameter("the groups of features", "empty", "there must be at least one"));
        }
        if let Some(group) = groups.iter().find(|group| !WITHOUT_EDGE.contains(group)) {
            let expected = "features of edges that may be false are P, D and h: others see the edge itself";
            return Err(Error::parameter("a group of features", group.letter(), expected));
        }
        let (fitted, progress) = (Cell::new(0), RefCell::new(progress));
        let (fits, weights) = ([Vec::new(), Vec::new()], Vec::new());
        let mut this =
            Self { observed, options, groups, splits, seed, motifs: None, fits, weights, fitted, progress };
        if groups.contains(&Group::Motifs) {
            let split = this.split(0)?;
            this.motifs = Some(MotifCodes::learn(&split.network, &split.pairs, &options.motifs, seed, 0)?);
        }
        Ok(this)
    }

    fn split(&self, split: usize) -> Result<Split> {
        Split::new(self.observed, Noise::Added, &self.options.split, self.seed, split as u64)
    }

    fn fit_options(&self, features: &Features) -> FitOptions {
        FitOptions { quadratic: features.quadratic(), c: self.options.c[1], ..FitOptions::default() }
    }

    fn fit(&self, features: &Features, split: &Split) -> Result<Head> {
        let options = self.fit_options(features);
        let head = Head::fit(&options, features.columns.as_ref(), &split.labels, &split.weights)?;
        self.count()?;
        Ok(head)
    }

    /// Counts a head.
    fn count(&self) -> Result<()> {
        self.fitted.set(self.fitted.get() + 1);
        self.advance()
    }

    /// Tells how many heads there are, and stops when asked to.
    fn advance(&self) -> Result<()> {
        // Heads of all features; where edges are re-weighted, those that weigh them, and those after it.
        let passes = if self.options.reweight { 3 } else { 2 };
        self.progress.borrow_mut().at(Stage::Heads, self.fitted.get() as f64 / (passes * self.splits) as f64)
    }

    /// What was found for a split in a pass, now or before the run was interrupted.
    fn once<V: Serialize + DeserializeOwned>(
        &self,
        pass: &str,
        split: usize,
        find: impl FnOnce() -> Result<V>,
    ) -> Result<V> {
        let name = format!("added/{pass}/{split}");
        let found = self.progress.borrow().recall(&name)?;
        if let Some(found) = found {
            self.count()?;
            return Ok(found);
        }
        let found = find()?;
        self.progress.borrow().keep(&name, &found)?;
        Ok(found)
    }

    /// The features of pairs in a network.
    fn features(&self, network: &Arc<Network>, pairs: &[(u32, u32)]) -> Result<Features> {
        let groups = self.groups;
        let mut all = features::paths_and_degrees(network, None, pairs, Noise::Added, groups)?;
        if let Some(motifs) = &self.motifs {
            all = all.and(features::motifs(motifs, network, pairs)?)?;
        }
        Ok(all)
    }

    /// The mean logits of pairs, and the probabilities of true edges.
    fn scores(&mut self, pairs: &[(u32, u32)]) -> Result<(Vec<f64>, Vec<f64>, HeadReport)> {
        let (mut scores, mut report) = self.first(pairs)?;
        let weigher = self.weigher()?;
        let false_share = weigher.false_share;
        if self.options.reweight {
            let second = self.second(pairs, &weigher)?;
            scores.iter_mut().zip(second).for_each(|(score, second)| *score = 0.5 * (*score + second));
        }
        report.false_share = Some(false_share);
        let believed = self.options.share.unwrap_or(false_share);
        // Of as many false edges as are believed in none was true: by the rule of succession, that is no probability of 0.
        let least = 1.0 / (2.0 + believed * self.observed.edges() as f64);
        let probability = |logit: &f64| (1.0 - believed * (-logit).exp()).clamp(least, 1.0);
        let probabilities = scores.iter().map(probability).collect();
        Ok((scores, probabilities, report))
    }

    /// The mean logits of pairs by heads of all features.
    fn first(&mut self, pairs: &[(u32, u32)]) -> Result<(Vec<f64>, HeadReport)> {
        let target = self.features(self.observed, pairs)?;
        let mut scores = vec![0.0; pairs.len()];
        let (mut heads, mut report): (Vec<Head>, _) = (Vec::new(), None);
        for number in 0..self.splits {
            let last = number + 1 == self.splits;
            let mut find = || {
                let split = self.split(number)?;
                let features = self.features(&split.network, &split.pairs)?;
                let head = self.fit(&features, &split)?;
                if last {
                    let mut measured = HeadReport::new(Noise::Added, self.splits, split.pairs.len());
                    measured.measure(&head, &features, &split.labels)?;
                    measured.held_out = self.held_out(&head, &features, &split)?;
                    report = Some(measured);
                }
                Ok(head)
            };
            // The report of the last one needs its features.
            let head = if last { find()? } else { self.once("whole", number, find)? };
            add(&mut scores, &head.logits(target.columns.as_ref())?, 1.0 / self.splits as f64);
            heads.push(head);
        }
        self.fits[0] = heads;
        match report {
            Some(report) => Ok((scores, report)),
            None => Err(Error::parameter("the number of splits", 0, "it must be at least 1")),
        }
    }

    /// The AUC of a split by heads like one of it, each fitted without a fold of the pairs and asked for these.
    fn held_out(&self, head: &Head, features: &Features, split: &Split) -> Result<Option<f64>> {
        let options = self.fit_options(features);
        let folds: Vec<usize> = split.pairs.iter().map(|&pair| Folds::by_pair(pair)).collect();
        let logits = folds::cross(
            &features.columns,
            &split.labels,
            &split.weights,
            &folds,
            |_, some, labels, weights| {
                self.advance()?;
                head.refit(&options, some, labels, weights)
            },
        )?;
        Ok(auc(&logits, &split.labels))
    }

    /// The mean logits of pairs by heads of P and D in re-weighted networks.
    ///
    /// The weights of the edges around an observed pair were found with its edge there. So here false edges have to be injected, that theirs
    /// are found in the same way.
    fn second(&mut self, pairs: &[(u32, u32)], weigher: &Weigher) -> Result<Vec<f64>> {
        self.weights = Self::weights(weigher, self.observed)?;
        let target = Self::plain(self.observed, Some(&self.weights), pairs)?;
        let mut scores = vec![0.0; pairs.len()];
        let options = SplitOptions { injected: self.options.injected, ..self.options.split.clone() };
        for number in 0..self.splits {
            let head = self.once("second", number, || {
                let id = (INJECTED + number) as u64;
                let split = Split::new(self.observed, Noise::Added, &options, self.seed, id)?;
                let weights = Self::weights(weigher, &split.network)?;
                self.fit(&Self::plain(&split.network, Some(&weights), &split.pairs)?, &split)
            })?;
            add(&mut scores, &head.logits(target.columns.as_ref())?, 1.0 / self.splits as f64);
            self.fits[1].push(head);
        }
        Ok(scores)
    }

    /// What speaks most against each pair: features by what they take from the log odds, in the mean over the heads.
    fn reasons(&self, pairs: &[(u32, u32)]) -> Result<Vec<Reasons>> {
        let whole = self.features(self.observed, pairs)?;
        let mut added = vec![vec![0.0; whole.names.len()]; pairs.len()];
        let mut collect = |heads: &[Head], features: &Features| {
            let all = self.fits.iter().map(Vec::len).sum::<usize>() as f64;
            for (j, added) in added.iter_mut().enumerate() {
                let x = features.columns.col(j);
                heads.iter().for_each(|head| add(added, &head.contributions(x), 1.0 / all));
            }
        };
        collect(&self.fits[0], &whole);
        if !self.fits[1].is_empty() {
            // P and D are the first rows of the whole.
            collect(&self.fits[1], &Self::plain(self.observed, Some(&self.weights), pairs)?);
        }
        Ok(added.into_iter().map(|added| strongest(&whole.names, added, false)).collect())
    }

    /// P and D of pairs.
    fn plain(network: &Network, weights: Option<&[f64]>, pairs: &[(u32, u32)]) -> Result<Features> {
        let groups = [Group::Paths, Group::Degrees];
        features::paths_and_degrees(network, weights, pairs, Noise::Added, &groups)
    }

    /// Heads of P and D alone, which weigh edges.
    fn weigher(&self) -> Result<Weigher> {
        let mut weigher = Weigher { heads: Vec::new(), false_share: 0.0 };
        for number in 0..self.splits {
            let (head, share): (Head, f64) = self.once("weigher", number, || {
                let split = self.split(number)?;
                let features = Self::plain(&split.network, None, &split.pairs)?;
                let head = self.fit(&features, &split)?;
                let fitted = head.logits(features.columns.as_ref())?;
                let odds = fitted.iter().zip(&split.labels).filter(|pair| !pair.1);
                let mut odds: Vec<f64> = odds.map(|(logit, _)| logit.exp()).collect();
                let at = (QUANTILE * odds.len() as f64) as usize;
                let least = *odds.select_nth_unstable_by(at, f64::total_cmp).1;
                Ok((head, least.min(1.0)))
            })?;
            weigher.false_share += share / self.splits as f64;
            weigher.heads.push(head);
        }
        Ok(weigher)
    }

    /// The probability that each edge of a network is a true one, in the order of [`Network::each_edge`].
    fn weights(weigher: &Weigher, network: &Network) -> Result<Vec<f64>> {
        let edges: Vec<(u32, u32)> = network.each_edge().map(|(u, v, _)| (u, v)).collect();
        let features = Self::plain(network, None, &edges)?;
        let mut logits = vec![0.0; edges.len()];
        for head in &weigher.heads {
            add(&mut logits, &head.logits(features.columns.as_ref())?, 1.0 / weigher.heads.len() as f64);
        }
        let weight = |logit: &f64| (1.0 - weigher.false_share * (-logit).exp()).clamp(LEAST, 1.0);
        Ok(logits.iter().map(weight).collect())
    }
}

impl HeadReport {
    pub(super) fn new(noise: Noise, splits: usize, training_pairs: usize) -> Self {
        Self {
            noise,
            splits,
            training_pairs,
            held_out: None,
            average_precision: None,
            blend: Vec::new(),
            features: Vec::new(),
            groups: Vec::new(),
            false_share: None,
            reliability: Vec::new(),
        }
    }

    /// What a head needs of its features.
    pub(super) fn measure(&mut self, head: &Head, features: &Features, labels: &[bool]) -> Result<()> {
        let importance = |which: &[usize]| head.importance(features.columns.as_ref(), labels, which);
        self.features = (0..features.names.len())
            .map(|row| Ok((features.names[row].clone(), features.groups[row], importance(&[row])?)))
            .collect::<Result<_>>()?;
        self.groups = Group::ALL
            .into_iter()
            .filter(|group| features.groups.contains(group))
            .map(|group| Ok((group, importance(&features.rows_of(group))?)))
            .collect::<Result<_>>()?;
        Ok(())
    }
}

/// Features with what they add to log odds, summed by name, of those that speak for a pair or against it, the strongest first.
pub(super) fn strongest(names: &[String], added: Vec<f64>, speaks_for: bool) -> Reasons {
    let mut reasons: Reasons = Vec::new();
    for (name, added) in names.iter().zip(added) {
        match reasons.iter_mut().find(|reason| reason.0 == *name) {
            Some(reason) => reason.1 += added,
            None => reasons.push((name.clone(), added)),
        }
    }
    reasons.retain(|reason| if speaks_for { reason.1 > 0.0 } else { reason.1 < 0.0 });
    reasons.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    reasons
}

fn add(sums: &mut [f64], values: &[f64], share: f64) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += share * value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::corrupt::{AddModel, Amount, Corrupted, add, remove};
    use crate::data::generate::{Density, ErdosRenyi, Generator, WattsStrogatz};
    use crate::denoise::heuristics::Heuristic;

    fn ring() -> Network {
        let ring: Generator = WattsStrogatz::new(240, 12, 0.1).unwrap().into();
        ring.generate(1)
    }

    fn small(assumed: NoiseModel) -> EnsembleOptions {
        let motifs = MotifCodesParameters { patches: 5, atoms: 6, steps: 10, ..Default::default() };
        EnsembleOptions { splits: [2, 2], motifs, ..EnsembleOptions::new(assumed) }
    }

    fn pairs_of(noisy: &Corrupted) -> (Vec<(u32, u32)>, Vec<bool>) {
        noisy.truth.iter().map(|&(u, v, kind)| ((u, v), kind.label())).unzip()
    }

    #[test]
    fn missing_and_false_edges_are_found_better_than_by_common_neighbors() {
        for seed in 0..2 {
            let sparse = remove(&ring(), Amount::Fraction(0.5), seed).unwrap();
            let noisy = add(&ring(), Amount::Fraction(0.5), AddModel::ErdosRenyi, seed).unwrap();
            for (assumed, made) in [(NoiseModel::Removed, sparse), (NoiseModel::Added, noisy)] {
                let (pairs, labels) = pairs_of(&made);
                let plain = Heuristic::CommonNeighbors.scores(&made.observed, &pairs).unwrap();
                let found = ensemble(&Arc::new(made.observed), &pairs, &small(assumed), seed).unwrap();
                let (plain, ours) = (auc(&plain, &labels).unwrap(), auc(&found.scores, &labels).unwrap());
                assert!(ours > plain + 0.005, "{assumed:?}: {ours} against {plain}");
                let report = &found.reports[0];
                // What a head needs is said of one that has a say.
                let has_say = |name: &str| report.blend.iter().any(|(other, _)| other == name);
                let measured =
                    assumed == NoiseModel::Added || has_say("classifier") || has_say("linear classifier");
                let groups = if measured { report_groups(assumed) } else { 0 };
                assert_eq!(report.groups.len(), groups, "{report:?}");
                let held_out = report.held_out.unwrap();
                if assumed == NoiseModel::Added {
                    // A third of the edges is false, and beats half of the non-edges whatever the head.
                    let share = report.false_share.unwrap();
                    assert!((share - 1.0 / 3.0).abs() < 0.12, "{share}");
                    assert!(held_out > 0.75 && held_out < 5.0 / 6.0 + 0.02, "{held_out}");
                } else {
                    assert!(held_out > 0.8, "{held_out}");
                }
            }
        }
    }

    #[test]
    fn on_erdos_renyi_networks_the_held_out_auc_is_chance() {
        for seed in 0..3 {
            let network = ErdosRenyi::new(200, Density::Edges(1000), false).unwrap();
            let network = Arc::new(Generator::from(network).generate(seed));
            let pairs: Vec<(u32, u32)> = network.each_edge().map(|(u, v, _)| (u, v)).collect();
            let found = ensemble(&network, &pairs, &EnsembleOptions::new(NoiseModel::Added), seed).unwrap();
            // Four standard errors of 1000 edges against as many others.
            let auc = found.reports[0].held_out.unwrap();
            assert!((auc - 0.5).abs() < 0.052, "{auc}");
        }
    }

    fn report_groups(assumed: NoiseModel) -> usize {
        let options = EnsembleOptions::new(assumed);
        if assumed == NoiseModel::Removed { options.removed.len() } else { options.added.len() }
    }

    #[test]
    fn scores_do_not_depend_on_threads_and_both_is_each_where_it_applies() {
        let noisy = add(&ring(), Amount::Fraction(0.3), AddModel::ErdosRenyi, 0).unwrap();
        let observed = Arc::new(noisy.observed);
        let pairs: Vec<(u32, u32)> = observed
            .each_edge()
            .map(|(u, v, _)| (u, v))
            .step_by(9)
            .chain((1..60).map(|u| (u, 239 - u)))
            .collect();
        let run = |assumed, threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| ensemble(&observed, &pairs, &small(assumed), 5).unwrap().scores)
        };
        let (removed, added) = (run(NoiseModel::Removed, 1), run(NoiseModel::Added, 1));
        assert_eq!((&removed, &added), (&run(NoiseModel::Removed, 3), &run(NoiseModel::Added, 3)));
        let both = run(NoiseModel::Both, 2);
        for (at, &(u, v)) in pairs.iter().enumerate() {
            let edge = observed.neighbors(u as usize).contains(&v);
            let one = if edge { added[at] } else { removed[at] };
            // Paths are summed from whichever end serves more of the pairs.
            assert!((both[at] - one).abs() < 1e-6 * (1.0 + one.abs()), "{u} {v}: {} for {one}", both[at]);
        }
    }

    #[test]
    fn what_cannot_be_done_is_refused() {
        let karate = Arc::new(crate::data::embedded("karate").unwrap());
        let told = |pair, options: EnsembleOptions, text: &str| {
            let message = ensemble(&karate, &[pair], &options, 0).unwrap_err().to_string();
            assert!(message.contains(text), "{message}");
        };
        let options = || EnsembleOptions::new(NoiseModel::Both);
        told((0, 34), options(), "(0, 34)");
        told((0, 1), EnsembleOptions { splits: [0, 1], ..options() }, "splits");
        told((0, 1), EnsembleOptions { added: Vec::new(), ..options() }, "groups");
        assert!(ensemble(&karate, &[], &options(), 0).unwrap().scores.is_empty());
    }

    #[test]
    fn reasons_are_summed_by_name_and_those_of_the_other_side_are_left_out() {
        let names = ["a", "b", "a", "c", "d", "e"].map(String::from);
        let added = || vec![-2.0, 0.5, 1.0, -3.0, 0.0, 0.75];
        let of = |found: Reasons| -> Vec<(String, f64)> { found };
        let named = |found: &[(&str, f64)]| -> Vec<(String, f64)> {
            found.iter().map(|&(name, added)| (name.to_owned(), added)).collect()
        };
        assert_eq!(of(strongest(&names, added(), false)), named(&[("c", -3.0), ("a", -1.0)]));
        assert_eq!(of(strongest(&names, added(), true)), named(&[("e", 0.75), ("b", 0.5)]));
    }

    #[test]
    fn scores_reasons_and_reports_are_those_of_the_heads() {
        let small_ring = Generator::from(WattsStrogatz::new(100, 8, 0.1).unwrap()).generate(1);
        let noisy = add(&small_ring, Amount::Fraction(0.3), AddModel::ErdosRenyi, 0).unwrap();
        let observed = Arc::new(noisy.observed);
        let pairs: Vec<(u32, u32)> = observed.each_edge().map(|(u, v, _)| (u, v)).step_by(50).collect();
        for (splits, share) in [(2, None), (1, Some(0.05))] {
            let added = vec![Group::Paths, Group::Degrees];
            let options = EnsembleOptions { added, share, splits: [1, splits], ..small(NoiseModel::Added) };
            let mut progress = Progress::none();
            let mut heads = Heads::new(&observed, &options, 3, &mut progress).unwrap();
            let (scores, probabilities, report) = heads.scores(&pairs).unwrap();
            assert_eq!(heads.fits.each_ref().map(Vec::len), [splits; 2]);
            let whole = heads.features(&observed, &pairs).unwrap();
            let plain = Heads::plain(&observed, Some(&heads.weights), &pairs).unwrap();
            let both = [(&heads.fits[0], &whole), (&heads.fits[1], &plain)];
            let believed = share.unwrap_or(report.false_share.unwrap());
            let least = 1.0 / (2.0 + believed * observed.edges() as f64);
            let reasons = heads.reasons(&pairs).unwrap();
            for j in 0..pairs.len() {
                let (mut score, mut against) = (0.0, BTreeMap::<&str, f64>::new());
                for (heads, features) in both {
                    for head in heads {
                        let share = 0.5 / splits as f64;
                        score += share * head.logits(features.columns.as_ref()).unwrap()[j];
                        let added = head.contributions(features.columns.col(j));
                        for (name, added) in features.names.iter().zip(added) {
                            *against.entry(name).or_default() += share * added;
                        }
                    }
                }
                assert!((scores[j] - score).abs() < 1e-9, "{} for {score}", scores[j]);
                let probability = (1.0 - believed * (-score).exp()).clamp(least, 1.0);
                assert!((probabilities[j] - probability).abs() < 1e-9);
                against.retain(|_, added| *added < 0.0);
                assert_eq!(reasons[j].len(), against.len());
                for (name, added) in &reasons[j] {
                    assert!((added - against[name.as_str()]).abs() < 1e-9, "{name}: {added}");
                }
                assert!(reasons[j].is_sorted_by(|a, b| a.1 <= b.1));
            }
            // The report is of the last split.
            let split = heads.split(splits - 1).unwrap();
            let features = heads.features(&split.network, &split.pairs).unwrap();
            let head = heads.fit(&features, &split).unwrap();
            let mut expected = HeadReport::new(Noise::Added, splits, split.pairs.len());
            expected.measure(&head, &features, &split.labels).unwrap();
            expected.held_out = heads.held_out(&head, &features, &split).unwrap();
            expected.false_share = report.false_share;
            assert_eq!(report, expected);
            // A fifth of the odds of non-edges is below the share of false edges.
            let mut sum = 0.0;
            for number in 0..splits {
                let split = heads.split(number).unwrap();
                let features = Heads::plain(&split.network, None, &split.pairs).unwrap();
                let logits = heads.fit(&features, &split).unwrap().logits(features.columns.as_ref()).unwrap();
                let mut odds: Vec<f64> =
                    (0..logits.len()).filter(|&i| !split.labels[i]).map(|i| logits[i].exp()).collect();
                odds.sort_by(f64::total_cmp);
                sum += odds[odds.len() / 5].min(1.0);
            }
            assert!((report.false_share.unwrap() - sum / splits as f64).abs() < 1e-12);
            assert_eq!(heads.weights.len() as u64, observed.edges() as u64);
            assert!(heads.weights.iter().all(|weight| (LEAST..=1.0).contains(weight)));
            assert!(heads.weights.iter().any(|weight| *weight < 0.5));
        }
    }
}
