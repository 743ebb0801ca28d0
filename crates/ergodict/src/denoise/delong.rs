//! Confidence intervals of areas under ROC curves, alone and compared on the same pairs (DeLong, DeLong and Clarke-Pearson 1988).
//!
//! | symbol | here | what |
//! |---|---|---|
//! | `V₁₀(i)` | placement of a positive | share of negatives below it, ties ½ |
//! | `V₀₁(j)` | placement of a negative | share of positives above it, ties ½ |
//! | `S₁₀/m + S₀₁/n` | [`Area::variance`] | sample variances of the placements |
//! | `θ₁ − θ₂` | [`compare`] | the same with differences of placements, pair by pair, which is DeLong's quadratic form |
//!
//! Placements come from one sort, O(n log n), as integers (Sun and Xu 2014 do it with midranks). Departure: the interval of one area is symmetric on
//! the scale of `ln θ/(1−θ)`, not of θ. It stays inside of [0, 1], and near 1, where most of our areas are, it covers better.
//!
//! Where the classes do not overlap, θ is 0 or 1 and DeLong's variance is 0, which is no reason to be certain. The interval is then Newcombe's
//! method 5 (Statistics in Medicine 2006, 25:559), which Wilson's interval of a proportion is the pattern of: all θ with
//! `(θ̂ − θ)² ≤ z² V(θ)`, `V(θ) = θ(1−θ) (1 + ((m+n)/2 − 1) ((1−θ)/(2−θ) + θ/(1+θ))) / (mn)`.

use super::roc::{Ranked, check, descending};
use crate::{Error, Result};

/// An area under the curve, or a difference of two, with its standard error.
///
/// ```
/// use ergodict::denoise::delong::Area;
/// let difference = Area { value: 0.03, variance: 0.0001, positives: 50, negatives: 50 };
/// let (lower, upper) = difference.plain_interval(0.95)?;
/// assert!((lower - (0.03 - 1.96 * 0.01)).abs() < 1e-4 && upper > lower);
/// assert!((difference.p_value() - 0.0027).abs() < 1e-4); // three standard errors
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Area {
    /// The estimate.
    pub value: f64,
    /// DeLong's variance of it. 0 when the classes do not overlap: then the data do not determine it.
    pub variance: f64,
    /// Pairs with label true.
    pub positives: u64,
    /// Pairs with label false.
    pub negatives: u64,
}

/// Lower and upper end of a confidence interval.
pub type Interval = (f64, f64);

/// The area under the curve with DeLong's variance.
///
/// ```
/// use ergodict::denoise::delong::area;
/// let area = area(&[0.9, 0.8, 0.3, 0.7, 0.2, 0.1], &[true, true, true, false, false, false])?;
/// let (lower, upper) = area.interval(0.95)?;
/// assert!(lower < area.value && area.value < upper && upper < 1.0);
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// Those of [`Ranked::new`], and [`Error::Parameter`] when a class has fewer than two pairs, of which there is no variance.
pub fn area(scores: &[f64], labels: &[bool]) -> Result<Area> {
    let ranked = Ranked::new(scores, labels)?;
    enough(ranked.positives(), ranked.negatives())?;
    let (m, n) = (ranked.positives() as f64, ranked.negatives() as f64);
    let value = ranked.auc();
    let (mut above, mut below) = (0, ranked.negatives());
    let (mut of_positives, mut of_negatives) = (0.0, 0.0);
    for group in ranked.groups() {
        below -= group.negatives;
        let of_positive = (2 * below + group.negatives) as f64 / (2.0 * n);
        let of_negative = (2 * above + group.positives) as f64 / (2.0 * m);
        of_positives += group.positives as f64 * (of_positive - value).powi(2);
        of_negatives += group.negatives as f64 * (of_negative - value).powi(2);
        above += group.positives;
    }
    let variance = of_positives / (m - 1.0) / m + of_negatives / (n - 1.0) / n;
    Ok(Area { value, variance, positives: ranked.positives(), negatives: ranked.negatives() })
}

/// How much larger the area of the first scores is than that of the second, on the same pairs.
///
/// `θ₁ − θ₂` with the variance `S₁₀/m + S₀₁/n` of the differences of placements, pair by pair.
///
/// ```
/// use ergodict::denoise::delong::{area, compare};
/// let labels = [true, true, true, false, false, false];
/// let (good, poor) = ([0.9, 0.8, 0.3, 0.7, 0.2, 0.1], [0.9, 0.1, 0.3, 0.7, 0.2, 0.8]);
/// let difference = compare(&good, &poor, &labels)?;
/// assert!((difference.value - (area(&good, &labels)?.value - area(&poor, &labels)?.value)).abs() < 1e-12);
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`area`], for either.
pub fn compare(first: &[f64], second: &[f64], labels: &[bool]) -> Result<Area> {
    let (one, two) = (placements(first, labels)?, placements(second, labels)?);
    let positives = labels.iter().filter(|label| **label).count() as u64;
    let negatives = labels.len() as u64 - positives;
    enough(positives, negatives)?;
    let (m, n) = (positives as f64, negatives as f64);
    // The mean of either class's differences is the difference of the areas; exact in integers.
    let sum: i128 = labels
        .iter()
        .zip(one.iter().zip(&two))
        .filter(|pair| *pair.0)
        .map(|(_, (a, b))| i128::from(*a) - i128::from(*b))
        .sum();
    let value = sum as f64 / (2.0 * m * n);
    let (mut of_positives, mut of_negatives) = (0.0, 0.0);
    for (label, (a, b)) in labels.iter().zip(one.iter().zip(&two)) {
        let difference = (*a as i64 - *b as i64) as f64 / (2.0 * if *label { n } else { m });
        *(if *label { &mut of_positives } else { &mut of_negatives }) += (difference - value).powi(2);
    }
    let variance = of_positives / (m - 1.0) / m + of_negatives / (n - 1.0) / n;
    Ok(Area { value, variance, positives, negatives })
}

/// Twice the number of negatives below each positive, and of positives above each negative; ties once.
fn placements(scores: &[f64], labels: &[bool]) -> Result<Vec<u64>> {
    check(scores, labels)?;
    let mut order: Vec<(u64, u32)> =
        scores.iter().zip(0..).map(|(&score, at)| (descending(score), at)).collect();
    order.sort_unstable();
    let mut twice = vec![0; scores.len()];
    let mut below = labels.iter().filter(|label| !**label).count() as u64;
    let mut above = 0;
    for group in order.chunk_by(|a, b| a.0 == b.0) {
        let positives = group.iter().filter(|item| labels[item.1 as usize]).count() as u64;
        let negatives = group.len() as u64 - positives;
        below -= negatives;
        for item in group {
            let at = item.1 as usize;
            twice[at] = if labels[at] { 2 * below + negatives } else { 2 * above + positives };
        }
        above += positives;
    }
    Ok(twice)
}

fn enough(positives: u64, negatives: u64) -> Result<()> {
    if positives.min(negatives) < 2 {
        let found = format!("{positives} true and {negatives} false");
        return Err(Error::parameter("the number of labels", found, "at least two of each class are needed"));
    }
    Ok(())
}

impl Area {
    /// The standard error.
    pub fn standard_error(&self) -> f64 {
        self.variance.sqrt()
    }

    /// A confidence interval of an area: symmetric on the logit scale, or, where the variance is 0 as it is for areas of exactly 0 and 1,
    /// Newcombe's method 5, which depends on the numbers of pairs.
    ///
    /// ```
    /// use ergodict::denoise::delong::area;
    /// let perfect = area(&[0.9, 0.8, 0.2, 0.1], &[true, true, false, false])?;
    /// let (lower, upper) = perfect.interval(0.95)?;
    /// assert!(perfect.value == 1.0 && lower < 0.5 && upper == 1.0); // four pairs say little
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `0 < confidence < 1`.
    pub fn interval(&self, confidence: f64) -> Result<Interval> {
        let z = quantile(confidence)?;
        let scale = self.value * (1.0 - self.value);
        if self.variance == 0.0 || scale <= 0.0 {
            return Ok((self.score_end(z, 0.0), self.score_end(z, 1.0)));
        }
        let (logit, reach) = ((self.value / (1.0 - self.value)).ln(), z * self.standard_error() / scale);
        let back = |x: f64| 1.0 / (1.0 + (-x).exp());
        Ok((back(logit - reach), back(logit + reach)))
    }

    /// The end of the interval of Newcombe's method 5 on the side of `far`, by bisection.
    fn score_end(&self, z: f64, far: f64) -> f64 {
        let (m, n) = (self.positives as f64, self.negatives as f64);
        let outside = |theta: f64| {
            let shape = (1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta);
            let variance = theta * (1.0 - theta) * (1.0 + (0.5 * (m + n) - 1.0) * shape) / (m * n);
            (self.value - theta).powi(2) > z * z * variance
        };
        let (mut inside, mut beyond) = (self.value, far);
        for _ in 0..60 {
            let middle = 0.5 * (inside + beyond);
            *(if outside(middle) { &mut beyond } else { &mut inside }) = middle;
        }
        inside
    }

    /// A confidence interval of a difference: plainly `value ± z·standard error`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `0 < confidence < 1`.
    pub fn plain_interval(&self, confidence: f64) -> Result<Interval> {
        let reach = quantile(confidence)? * self.standard_error();
        Ok((self.value - reach, self.value + reach))
    }

    /// The two-sided p-value of a difference of 0; 1 when value and variance are both 0.
    pub fn p_value(&self) -> f64 {
        if self.value == 0.0 {
            return 1.0;
        }
        2.0 * upper_tail(self.value.abs() / self.standard_error())
    }
}

/// `z` such that a standard normal number is within ±z with this probability.
pub(super) fn quantile(confidence: f64) -> Result<f64> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(Error::parameter("the confidence", confidence, "it must be between 0 and 1"));
    }
    let tail = (1.0 - confidence) / 2.0;
    let (mut low, mut high) = (0.0, 40.0);
    while high - low > 1e-13 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        *(if upper_tail(middle) > tail { &mut low } else { &mut high }) = middle;
    }
    Ok(0.5 * (low + high))
}

/// The probability that a standard normal number is above `z ≥ 0`: the series of Φ − ½ below 3, the continued fraction of Mills' ratio above.
fn upper_tail(z: f64) -> f64 {
    let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
    if z < 3.0 {
        let (mut term, mut sum, mut odd) = (z, z, 1.0);
        while term > 1e-17 * sum {
            odd += 2.0;
            term *= z * z / odd;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    // z + 1/(z + 2/(z + 3/(z + …))), from far enough inside.
    let fraction = (1..=200).rev().fold(z, |inner, k| z + f64::from(k) / inner);
    density / fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, below, normal, stream};

    #[test]
    fn the_normal_law_is_that_of_tables() {
        for (z, tail) in [
            (0.0, 0.5),
            (1.0, 0.158_655_253_931_457_05),
            (1.959_963_984_540_054, 0.025),
            (3.0, 0.001_349_898_031_630_094_6),
            (5.0, 2.866_515_718_791_939e-7),
            (10.0, 7.619_853_024_160_527e-24),
        ] {
            assert!((upper_tail(z) - tail).abs() < 1e-12 * tail.max(1e-3), "{z}: {}", upper_tail(z));
            assert!((upper_tail(z) / tail - 1.0).abs() < 1e-9, "{z}: {}", upper_tail(z));
        }
        assert!((quantile(0.95).unwrap() - 1.959_963_984_540_054).abs() < 1e-11);
        assert!((quantile(0.999).unwrap() - 3.290_526_731_491_926).abs() < 1e-10);
        assert!(quantile(1.0).is_err() && quantile(f64::NAN).is_err());
    }

    /// DeLong by definition, in quadratic time.
    fn placement(scores: &[f64], labels: &[bool], i: usize) -> f64 {
        let others: Vec<f64> = (0..scores.len())
            .filter(|&j| labels[j] != labels[i])
            .map(|j| {
                let sign = if labels[i] { scores[i] - scores[j] } else { scores[j] - scores[i] };
                if sign > 0.0 {
                    1.0
                } else if sign == 0.0 {
                    0.5
                } else {
                    0.0
                }
            })
            .collect();
        others.iter().sum::<f64>() / others.len() as f64
    }

    fn covariance(x: &[f64], y: &[f64]) -> f64 {
        let n = x.len() as f64;
        let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
        x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>() / (n - 1.0)
    }

    #[test]
    fn variances_are_those_of_the_definition() {
        let mut rng = stream(3, Purpose::Synthetic, 91);
        let labels: Vec<bool> = (0..90).map(|i| i % 3 == 0).collect();
        let mut draw = || -> Vec<f64> {
            labels.iter().map(|&label| below(&mut rng, 8) as f64 + 2.0 * f64::from(u8::from(label))).collect()
        };
        let (one, two) = (draw(), draw());
        let of = |scores: &[f64], class: bool| -> Vec<f64> {
            (0..90).filter(|&i| labels[i] == class).map(|i| placement(scores, &labels, i)).collect()
        };
        let s = |x: &[f64], y: &[f64]| {
            covariance(&of(x, true), &of(y, true)) / 30.0 + covariance(&of(x, false), &of(y, false)) / 60.0
        };
        let (a, b, both) = (
            area(&one, &labels).unwrap(),
            area(&two, &labels).unwrap(),
            compare(&one, &two, &labels).unwrap(),
        );
        assert!((a.variance - s(&one, &one)).abs() < 1e-15 && (b.variance - s(&two, &two)).abs() < 1e-15);
        assert!((both.value - (a.value - b.value)).abs() < 1e-14);
        assert!((both.variance - (s(&one, &one) + s(&two, &two) - 2.0 * s(&one, &two))).abs() < 1e-15);
        let none = compare(&one, &one, &labels).unwrap();
        assert_eq!((none.value, none.variance, none.p_value()), (0.0, 0.0, 1.0));
        assert!(area(&[1.0, 2.0, 3.0], &[true, false, false]).is_err());
        assert!(compare(&one, &two[1..], &labels).is_err());
    }

    #[test]
    fn intervals_cover_as_often_as_they_say() {
        // Normal scores a unit apart: the area is Φ(1/√2), and two noisy copies of one signal have the same area.
        let truth = 1.0 - upper_tail(std::f64::consts::FRAC_1_SQRT_2);
        let mut rng = stream(4, Purpose::Synthetic, 91);
        let labels: Vec<bool> = (0..160).map(|i| i % 2 == 0).collect();
        let (runs, mut covered, mut same) = (1500, 0.0, 0.0);
        for _ in 0..runs {
            let (mut one, mut two) = (Vec::new(), Vec::new());
            for &label in &labels {
                let signal = f64::from(u8::from(label)) + normal(&mut rng) * 0.8;
                one.push(signal + 0.6 * normal(&mut rng));
                two.push(signal + 0.6 * normal(&mut rng));
            }
            let (low, high) = area(&one, &labels).unwrap().interval(0.9).unwrap();
            covered += f64::from(u8::from(low < truth && truth < high));
            let (low, high) = compare(&one, &two, &labels).unwrap().plain_interval(0.9).unwrap();
            same += f64::from(u8::from(low < 0.0 && 0.0 < high));
        }
        // Binomial: 3.9 standard errors, and a hundredth for 80 pairs a class not being infinitely many.
        for hits in [covered, same] {
            let share = hits / f64::from(runs);
            let error = (0.09 / f64::from(runs)).sqrt();
            assert!((share - 0.9).abs() < 3.9 * error + 0.01, "{share}");
        }
    }

    #[test]
    fn intervals_near_one_cover_as_often_as_they_say() {
        // Normal scores far apart: with 15 pairs a class, many samples are separated, where a point as interval would not cover.
        let mut rng = stream(5, Purpose::Synthetic, 91);
        for (apart, spread) in [(2.5, 1.0), (3.3, 1.0), (5.5, 2.0)] {
            let truth = 1.0 - upper_tail(apart / f64::hypot(1.0, spread));
            let labels: Vec<bool> = (0..30).map(|i| i % 2 == 0).collect();
            let (runs, mut covered, mut perfect) = (2000, 0.0, 0.0);
            for _ in 0..runs {
                let score =
                    |&label: &bool| if label { apart + spread * normal(&mut rng) } else { normal(&mut rng) };
                let scores: Vec<f64> = labels.iter().map(score).collect();
                let found = area(&scores, &labels).unwrap();
                let (low, high) = found.interval(0.9).unwrap();
                covered += f64::from(u8::from(low <= truth && truth <= high));
                perfect += f64::from(u8::from(found.value == 1.0));
            }
            let (covered, perfect) = (covered / f64::from(runs), perfect / f64::from(runs));
            let error = (0.09 / f64::from(runs)).sqrt();
            assert!(perfect > 0.05, "{perfect} of the samples are separated: too few for a test");
            assert!(covered > 0.9 - 3.9 * error - 0.02, "{truth}: {covered}, {perfect} of them separated");
        }
    }

    #[test]
    fn intervals_stay_inside_and_separated_classes_give_more_than_a_point() {
        let close = area(&[0.9, 0.8, 0.3, 0.7, 0.2, 0.1], &[true, true, true, false, false, false]).unwrap();
        let (low, high) = close.interval(0.999).unwrap();
        assert!(low > 0.0 && high < 1.0 && low < close.value && close.value < high);
        let apart = |m: usize, n: usize, sign: f64| {
            let labels: Vec<bool> = (0..m + n).map(|i| i < m).collect();
            let scores: Vec<f64> = labels.iter().map(|&label| sign * f64::from(u8::from(label))).collect();
            let found = area(&scores, &labels).unwrap();
            assert_eq!(found.variance, 0.0);
            found.interval(0.95).unwrap()
        };
        // The end is where (1 − θ)² = z² V(θ), and symmetric in the classes and for areas of 0.
        let (low, high) = apart(20, 30, 1.0);
        let variance =
            low * (1.0 - low) * (1.0 + 24.0 * ((1.0 - low) / (2.0 - low) + low / (1.0 + low))) / 600.0;
        assert!(high == 1.0 && (1.0 - low - 1.959_963_984_540_054 * variance.sqrt()).abs() < 1e-9, "{low}");
        assert!((apart(30, 20, 1.0).0 - low).abs() < 1e-12);
        assert!(apart(20, 30, -1.0).0 == 0.0 && (apart(20, 30, -1.0).1 - (1.0 - low)).abs() < 1e-12);
        // More pairs, more certainty.
        let ends = [(2, 2), (5, 5), (50, 50), (5000, 5000)].map(|(m, n)| apart(m, n, 1.0).0);
        assert!(ends.is_sorted() && ends[0] < 0.5 && ends[3] > 0.999, "{ends:?}");
    }

    #[test]
    fn p_values_and_plain_intervals_are_those_of_the_normal_law() {
        let of = |value: f64, variance: f64| Area { value, variance, positives: 9, negatives: 9 };
        for sign in [1.0, -1.0] {
            assert!((of(sign * 0.2 * 1.959_963_984_540_054, 0.04).p_value() - 0.05).abs() < 1e-9);
            assert!((of(sign * 0.3, 0.01).p_value() - 0.002_699_796_063_260_189).abs() < 1e-9);
        }
        assert_eq!([of(0.0, 0.0).p_value(), of(0.0, 0.1).p_value(), of(0.1, 0.0).p_value()], [1.0, 1.0, 0.0]);
        let (low, high) = of(0.1, 0.04).plain_interval(0.95).unwrap();
        assert!((low + 0.291_992_796_908).abs() < 1e-9 && (high - 0.491_992_796_908).abs() < 1e-9);
    }

    #[test]
    fn scores_that_are_all_equal_have_an_interval_of_a_width() {
        let labels: Vec<bool> = (0..40).map(|i| i % 2 == 0).collect();
        let found = area(&[0.5; 40], &labels).unwrap();
        assert_eq!((found.value, found.variance), (0.5, 0.0));
        let (lower, upper) = found.interval(0.95).unwrap();
        // About as wide as that of an area of a half of twenty pairs each.
        assert!(lower > 0.3 && lower < 0.35 && (lower + upper - 1.0).abs() < 1e-9, "{lower} {upper}");
    }
}
