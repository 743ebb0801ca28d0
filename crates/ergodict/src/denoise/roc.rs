//! Curves of scores against labels: ROC, its exact area, average precision, and the best threshold.
//!
//! | symbol | here | what |
//! |---|---|---|
//! | `m`, `n` | [`Ranked::positives`], [`Ranked::negatives`] | pairs with label true, false |
//! | `U/(mn)` | [`Ranked::auc`], [`auc`] | Mann–Whitney: the chance that a positive scores above a negative, ties ½ |
//! | `TPR`, `FPR` | [`Point`] | shares of positives and of negatives at or above a threshold |
//! | `Σ (R_k − R_{k−1}) P_k` | [`Ranked::average_precision`] | recall and precision after each group of equal scores |
//! | precision at n | [`Ranked::precision_at`], [`Ranked::false_share_at`] | the share of positives among the n highest scores, of negatives among the n lowest |
//! | `max TPR − FPR` | [`Ranked::best_threshold`] | Youden's J |
//!
//! Higher scores are more likely true; nothing is ever flipped. Counts are integers, so that ties are ties and areas are exact up to one
//! division. A score that is NaN has no place in any order and is refused; infinities and both zeros (which are equal) are scores.

use crate::{Error, Result};
use rayon::slice::ParallelSliceMut;

/// The area under the ROC curve, ties counted ½; none when a class is missing, when a score is NaN, or when there are not as many
/// labels as scores. [`Ranked::new`] reports which.
///
/// `P(score of a positive > score of a negative) + ½ P(equal)`.
///
/// ```
/// use ergodict::denoise::roc::auc;
/// assert_eq!(auc(&[0.9, 0.4, 0.4, 0.1], &[true, true, false, false]), Some(0.875));
/// assert_eq!(auc(&[0.9, 0.4], &[true, true]), None);
/// ```
pub fn auc(scores: &[f64], labels: &[bool]) -> Option<f64> {
    Ranked::new(scores, labels).ok().map(|ranked| ranked.auc())
}

/// Scores with labels, sorted once: equal scores are one group.
///
/// With m positives and n negatives, `AUC = U/(mn)`, where `U` counts the pairs of a positive above a negative, ties as ½.
///
/// ```
/// use ergodict::denoise::roc::Ranked;
/// let ranked = Ranked::new(&[0.9, 0.8, 0.4, 0.1], &[true, false, true, false])?;
/// assert_eq!((ranked.auc(), ranked.average_precision()), (0.75, (1.0 + 2.0 / 3.0) / 2.0));
/// assert_eq!(ranked.curve().len(), 5);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Ranked {
    /// By descending score.
    groups: Vec<Group>,
    positives: u64,
    negatives: u64,
}

/// Pairs of equal score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Group {
    pub(super) score: f64,
    pub(super) positives: u64,
    pub(super) negatives: u64,
}

/// A point of the ROC curve: what is found when everything with `score ≥ threshold` is called true.
///
/// ```
/// use ergodict::denoise::roc::Ranked;
/// let best = Ranked::new(&[0.9, 0.8, 0.4, 0.1], &[true, true, false, false])?.best_threshold();
/// assert_eq!((best.threshold, best.true_positive_rate, best.false_positive_rate), (0.8, 1.0, 0.0));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// The lowest score that is called true; infinite at the origin.
    pub threshold: f64,
    /// The share of negatives called true.
    pub false_positive_rate: f64,
    /// The share of positives called true.
    pub true_positive_rate: f64,
}

impl Ranked {
    /// Sorts scores with their labels.
    ///
    /// # Errors
    /// [`Error::Shape`] when there are not as many labels as scores, [`Error::Parameter`] when a score is NaN or a class is missing.
    pub fn new(scores: &[f64], labels: &[bool]) -> Result<Self> {
        check(scores, labels)?;
        let mut keys: Vec<(u64, bool)> =
            scores.iter().zip(labels).map(|(&score, &label)| (descending(score), label)).collect();
        keys.par_sort_unstable();
        let mut groups: Vec<Group> = Vec::new();
        let mut last = None;
        for (key, label) in keys {
            if last != Some(key) {
                groups.push(Group { score: score_of(key), positives: 0, negatives: 0 });
                last = Some(key);
            }
            if let Some(group) = groups.last_mut() {
                group.positives += u64::from(label);
                group.negatives += u64::from(!label);
            }
        }
        let positives = labels.iter().filter(|label| **label).count() as u64;
        Ok(Self { groups, positives, negatives: labels.len() as u64 - positives })
    }

    /// Number of pairs with label true.
    pub fn positives(&self) -> u64 {
        self.positives
    }

    /// Number of pairs with label false.
    pub fn negatives(&self) -> u64 {
        self.negatives
    }

    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The area under the curve: `U/(mn)` with ties ½, from integers and one division.
    pub fn auc(&self) -> f64 {
        let mut below = self.negatives;
        let mut doubled = 0u128;
        for group in &self.groups {
            below -= group.negatives;
            doubled += u128::from(group.positives) * u128::from(2 * below + group.negatives);
        }
        doubled as f64 / (2 * u128::from(self.positives) * u128::from(self.negatives)) as f64
    }

    /// Average precision: the step function of precision over recall, with one step for each group of equal scores.
    pub fn average_precision(&self) -> f64 {
        let (mut hits, mut called, mut sum) = (0, 0, 0.0);
        for group in &self.groups {
            hits += group.positives;
            called += group.positives + group.negatives;
            sum += group.positives as f64 * (hits as f64 / called as f64);
        }
        sum / self.positives as f64
    }

    /// The share of positives among the `n` highest scores: what is true of a list of that length. Of equal scores that do not all fit,
    /// it is the mean over their orders. None when `n` is 0 or larger than the number of pairs.
    ///
    /// ```
    /// use ergodict::denoise::roc::Ranked;
    /// let ranked = Ranked::new(&[0.9, 0.5, 0.5, 0.1], &[true, true, false, false])?;
    /// assert_eq!((ranked.precision_at(1), ranked.precision_at(2), ranked.precision_at(5)), (Some(1.0), Some(0.75), None));
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    pub fn precision_at(&self, n: u64) -> Option<f64> {
        let all = self.positives + self.negatives;
        (1..=all).contains(&n).then(|| positives_among(self.groups.iter(), n) / n as f64)
    }

    /// The share of negatives among the `n` lowest scores: what is false of a list of the most suspicious. Equal scores and lengths are
    /// treated as by [`precision_at`](Self::precision_at).
    ///
    /// ```
    /// use ergodict::denoise::roc::Ranked;
    /// let ranked = Ranked::new(&[0.9, 0.5, 0.5, 0.1], &[true, true, false, false])?;
    /// assert_eq!((ranked.false_share_at(1), ranked.false_share_at(2)), (Some(1.0), Some(0.75)));
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    pub fn false_share_at(&self, n: u64) -> Option<f64> {
        let all = self.positives + self.negatives;
        (1..=all).contains(&n).then(|| 1.0 - positives_among(self.groups.iter().rev(), n) / n as f64)
    }

    /// The ROC curve: the origin, and one point for each different score, descending. The last is (1, 1).
    pub fn curve(&self) -> Vec<Point> {
        self.counts().map(|counts| self.point(counts)).collect()
    }

    /// The curve for drawing, of at most `most + 2` points (`most ≥ 1`). Points on straight lines between others are left out; when
    /// there are still too many, the last of each of `most` equal stretches of `TPR + FPR` is kept, so that no point of the curve is
    /// further than `2/most` from the drawn one in either coordinate.
    pub fn thinned_curve(&self, most: usize) -> Vec<Point> {
        let most = most.max(1);
        let mut corners: Vec<Counts> = Vec::new();
        for next in self.counts() {
            if let [.., a, b] = corners[..] {
                let cross = i128::from(b.0 - a.0) * i128::from(next.1 - b.1)
                    - i128::from(b.1 - a.1) * i128::from(next.0 - b.0);
                if cross == 0 {
                    corners.pop();
                }
            }
            corners.push(next);
        }
        if corners.len() > most + 2 {
            let along = |counts: &Counts| {
                counts.0 as f64 / self.negatives as f64 + counts.1 as f64 / self.positives as f64
            };
            let stretch = |counts: &Counts| (along(counts) * most as f64 / 2.0) as usize;
            let (first, last) = (corners[0], corners[corners.len() - 1]);
            let kept = corners.windows(2).filter(|pair| stretch(&pair[0]) != stretch(&pair[1])).map(|p| p[0]);
            let mut thinned: Vec<Counts> = std::iter::once(first).chain(kept).chain([last]).collect();
            thinned.dedup_by_key(|counts| (counts.0, counts.1));
            corners = thinned;
        }
        corners.into_iter().map(|counts| self.point(counts)).collect()
    }

    /// The point of the largest `TPR − FPR` (Youden's J); of equal ones that with the highest threshold. When no threshold does better
    /// than calling nothing true, that is the origin.
    pub fn best_threshold(&self) -> Point {
        let mut best = (0i128, (0, 0, f64::INFINITY));
        for counts in self.counts() {
            let gain = i128::from(counts.1) * i128::from(self.negatives)
                - i128::from(counts.0) * i128::from(self.positives);
            if gain > best.0 {
                best = (gain, counts);
            }
        }
        self.point(best.1)
    }

    /// Negatives and positives at or above each threshold, from the origin on.
    fn counts(&self) -> impl Iterator<Item = Counts> + '_ {
        let (mut negatives, mut positives) = (0, 0);
        std::iter::once((0, 0, f64::INFINITY)).chain(self.groups.iter().map(move |group| {
            negatives += group.negatives as i64;
            positives += group.positives as i64;
            (negatives, positives, group.score)
        }))
    }

    fn point(&self, (negatives, positives, threshold): Counts) -> Point {
        Point {
            threshold,
            false_positive_rate: negatives as f64 / self.negatives as f64,
            true_positive_rate: positives as f64 / self.positives as f64,
        }
    }
}

/// The mean number of positives among the first `n` pairs, over the orders of pairs of a group.
fn positives_among<'a>(groups: impl Iterator<Item = &'a Group>, n: u64) -> f64 {
    let (mut left, mut found) = (n, 0.0);
    for group in groups {
        let size = group.positives + group.negatives;
        let taken = size.min(left);
        found += group.positives as f64 * (taken as f64 / size as f64);
        left -= taken;
    }
    found
}

/// Negatives and positives at or above a threshold, and the threshold.
type Counts = (i64, i64, f64);

/// What every function here asks of its input.
pub(super) fn check(scores: &[f64], labels: &[bool]) -> Result<()> {
    if scores.len() != labels.len() {
        return Err(Error::shape(
            "the labels",
            format!("{} long", labels.len()),
            format!("one for each of the {} scores", scores.len()),
        ));
    }
    if let Some(at) = scores.iter().position(|score| score.is_nan()) {
        return Err(Error::parameter("a score", format!("NaN (of pair {at})"), "it must be a number"));
    }
    if !labels.contains(&true) || !labels.contains(&false) {
        let found = if labels.is_empty() { "none" } else { "of one class" };
        return Err(Error::parameter("the set of labels", found, "both true and false ones are needed"));
    }
    Ok(())
}

/// A word that is the smaller the higher the score; of −0 the same as of 0.
pub(super) fn descending(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    // Sign bit set: the bits of negative numbers ascend as they descend.
    if bits >> 63 == 1 { bits } else { !bits & (u64::MAX >> 1) }
}

fn score_of(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key } else { !key & (u64::MAX >> 1) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, below, stream, uniform};

    /// Scores of few levels, so that there are ties, and labels that follow them a little.
    pub(crate) fn tied(count: usize, levels: u64, seed: u64) -> (Vec<f64>, Vec<bool>) {
        let mut rng = stream(seed, Purpose::Synthetic, 90);
        let scores: Vec<f64> = (0..count).map(|_| below(&mut rng, levels) as f64 - 3.0).collect();
        let mut labels: Vec<bool> =
            scores.iter().map(|s| uniform(&mut rng) * levels as f64 > 3.0 - s / 2.0).collect();
        (labels[0], labels[1]) = (true, false);
        (scores, labels)
    }

    #[test]
    fn area_equals_the_quadratic_count() {
        for (seed, levels) in [(0, 3), (1, 7), (2, 1000), (3, 1)] {
            let (scores, labels) = tied(150, levels, seed);
            let (mut doubled, mut pairs) = (0, 0);
            for i in 0..scores.len() {
                for j in 0..scores.len() {
                    if labels[i] && !labels[j] {
                        pairs += 1;
                        doubled += if scores[i] > scores[j] { 2 } else { i32::from(scores[i] == scores[j]) };
                    }
                }
            }
            assert_eq!(auc(&scores, &labels), Some(f64::from(doubled) / f64::from(2 * pairs)));
            // Under the curve by trapezia it is the same, thinned or not so much that corners go.
            let area = |points: &[Point]| -> f64 {
                points
                    .windows(2)
                    .map(|p| {
                        (p[1].false_positive_rate - p[0].false_positive_rate)
                            * (p[1].true_positive_rate + p[0].true_positive_rate)
                            / 2.0
                    })
                    .sum()
            };
            let ranked = Ranked::new(&scores, &labels).unwrap();
            assert!((area(&ranked.curve()) - ranked.auc()).abs() < 1e-12);
            assert!((area(&ranked.thinned_curve(1000)) - ranked.auc()).abs() < 1e-12);
            assert!(ranked.thinned_curve(1000).len() <= ranked.curve().len());
            assert!((area(&ranked.thinned_curve(20)) - ranked.auc()).abs() < 0.1);
            assert!(ranked.thinned_curve(20).len() <= 22);
        }
    }

    #[test]
    fn average_precision_steps_at_groups() {
        // One after another: (1/1 + 2/3)/2. With the first three tied: 2/3 for both.
        let labels = [true, false, true, false];
        let ap = |scores: &[f64]| Ranked::new(scores, &labels).unwrap().average_precision();
        assert!((ap(&[4.0, 3.0, 2.0, 1.0]) - 5.0 / 6.0).abs() < 1e-15);
        assert!((ap(&[4.0, 4.0, 4.0, 1.0]) - 2.0 / 3.0).abs() < 1e-15);
        assert!((ap(&[0.0; 4]) - 0.5).abs() < 1e-15);
        assert_eq!(ap(&[4.0, 1.0, 3.0, 2.0]), 1.0);
        // By definition, with the precision at each positive's own threshold.
        let (scores, labels) = tied(200, 9, 5);
        let positives = labels.iter().filter(|l| **l).count() as f64;
        let mut want = 0.0;
        for i in (0..scores.len()).filter(|&i| labels[i]) {
            let called: Vec<usize> = (0..scores.len()).filter(|&j| scores[j] >= scores[i]).collect();
            want += called.iter().filter(|&&j| labels[j]).count() as f64 / called.len() as f64;
        }
        let found = Ranked::new(&scores, &labels).unwrap().average_precision();
        assert!((found - want / positives).abs() < 1e-12);
    }

    #[test]
    fn precision_at_n_is_the_mean_over_orders_of_equal_scores() {
        let (scores, labels) = tied(60, 5, 6);
        let ranked = Ranked::new(&scores, &labels).unwrap();
        let mut rng = stream(7, Purpose::Synthetic, 90);
        for n in [1, 7, 20, 59, 60] {
            let (mut top, mut last, draws) = (0.0, 0.0, 4000);
            for _ in 0..draws {
                let mut order: Vec<(f64, f64, bool)> =
                    scores.iter().zip(&labels).map(|(s, l)| (*s, uniform(&mut rng), *l)).collect();
                order.sort_by(|a, b| b.partial_cmp(a).unwrap());
                top += order[..n].iter().filter(|item| item.2).count() as f64 / (n * draws) as f64;
                last += order[60 - n..].iter().filter(|item| !item.2).count() as f64 / (n * draws) as f64;
            }
            // A share has a standard deviation of at most a half.
            let bound = 3.9 * 0.5 / (draws as f64).sqrt();
            assert!((ranked.precision_at(n as u64).unwrap() - top).abs() < bound, "{n}: {top}");
            assert!((ranked.false_share_at(n as u64).unwrap() - last).abs() < bound, "{n}: {last}");
        }
        let all = ranked.positives() as f64 / 60.0;
        assert!((ranked.precision_at(60).unwrap() - all).abs() < 1e-15);
        assert_eq!(
            (ranked.precision_at(0), ranked.precision_at(61), ranked.false_share_at(61)),
            (None, None, None)
        );
    }

    #[test]
    fn closed_cases_of_curve_and_threshold() {
        let ranked = Ranked::new(&[3.0, 2.0, 1.0, 0.0], &[true, true, false, false]).unwrap();
        assert_eq!(ranked.auc(), 1.0);
        assert_eq!(
            ranked.best_threshold(),
            Point { threshold: 2.0, false_positive_rate: 0.0, true_positive_rate: 1.0 }
        );
        let rates: Vec<(f64, f64)> =
            ranked.curve().iter().map(|p| (p.false_positive_rate, p.true_positive_rate)).collect();
        assert_eq!(rates, [(0.0, 0.0), (0.0, 0.5), (0.0, 1.0), (0.5, 1.0), (1.0, 1.0)]);
        // Straight parts go: only the corner is left.
        assert_eq!(ranked.thinned_curve(100).len(), 3);
        // Two thresholds are as good: the higher one.
        let tied = Ranked::new(&[4.0, 3.0, 2.0, 1.0], &[true, false, true, false]).unwrap();
        assert_eq!(tied.best_threshold().threshold, 4.0);
        let upside_down = Ranked::new(&[0.0, 1.0], &[true, false]).unwrap();
        assert_eq!((upside_down.auc(), upside_down.best_threshold().threshold), (0.0, f64::INFINITY));
    }

    #[test]
    fn zeros_are_equal_infinities_are_scores_and_the_rest_is_refused() {
        assert_eq!(auc(&[0.0, -0.0], &[true, false]), Some(0.5));
        assert_eq!(auc(&[f64::INFINITY, 1e300, f64::NEG_INFINITY], &[true, false, false]), Some(1.0));
        assert_eq!(auc(&[-1.0, -2.0, 1.0, 2.0], &[false, false, true, true]), Some(1.0));
        for (scores, labels, told) in [
            (&[f64::NAN, 0.0][..], &[true, false][..], "NaN (of pair 0)"),
            (&[1.0, 0.0], &[true, true], "both true and false"),
            (&[], &[], "none"),
            (&[1.0], &[true, false], "2 long"),
        ] {
            assert_eq!(auc(scores, labels), None);
            let message = Ranked::new(scores, labels).unwrap_err().to_string();
            assert!(message.contains(told), "{message}");
        }
        for score in [-1.5, 0.0, 2.5, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(score_of(descending(score)), score);
        }
    }
}
