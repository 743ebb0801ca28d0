//! For tests: counts against the law they should have.

/// Least number of draws that a cell expects. With 5, and 1 for all rarer ones together, tails are too long: of
/// 200 000 runs of 1000 right Glauber steps 240 were beyond the quantile of 0.999 and 31 beyond that of 0.9999,
/// with this 178 and 12, where 200 and 20 are due.
const LEAST: f64 = 25.0;

/// A sum of chi² statistics of independent counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChiSquared {
    pub(crate) statistic: f64,
    pub(crate) freedom: f64,
}

impl ChiSquared {
    /// Adds counts of independent draws from a law. Cells that expect too few are taken together, the rarest
    /// first; where all of them do, nothing is added.
    pub(crate) fn add(&mut self, counts: &[u64], law: &[f64]) {
        let draws = counts.iter().sum::<u64>() as f64;
        let mut cells: Vec<(f64, f64)> = Vec::new();
        for (&count, &p) in counts.iter().zip(law) {
            assert!(p > 0.0 || count == 0, "{count} draws of what has probability 0");
            cells.push((draws * p, count as f64));
        }
        cells.sort_by(|one, two| one.0.total_cmp(&two.0));
        let mut pooled: Vec<(f64, f64)> = Vec::new();
        for cell in cells {
            match pooled.last_mut() {
                Some(last) if last.0 < LEAST => *last = (last.0 + cell.0, last.1 + cell.1),
                _ => pooled.push(cell),
            }
        }
        // Cells come in ascending order, so that the last is too small only when all are one cell, or when it
        // is nothing.
        if pooled.len() > 1 && pooled.last().is_some_and(|last| last.0 < LEAST) {
            let last = pooled.pop().unwrap_or_default();
            let before = pooled.len() - 1;
            pooled[before] = (pooled[before].0 + last.0, pooled[before].1 + last.1);
        }
        if pooled.len() > 1 {
            self.statistic +=
                pooled.iter().map(|(expected, count)| (count - expected).powi(2) / expected).sum::<f64>();
            self.freedom += (pooled.len() - 1) as f64;
        }
    }

    /// Adds another sum.
    pub(crate) fn merge(&mut self, other: Self) {
        self.statistic += other.statistic;
        self.freedom += other.freedom;
    }

    /// How far out it is, as a standard normal number, by Wilson and Hilferty.
    pub(crate) fn normal(&self) -> f64 {
        let width = 2.0 / (9.0 * self.freedom);
        ((self.statistic / self.freedom).cbrt() - (1.0 - width)) / width.sqrt()
    }

    /// That it is below the quantile of `1 − 10⁻⁵`.
    pub(crate) fn assert(&self, case: &str) {
        let Self { statistic, freedom } = *self;
        let out = if freedom > 0.0 { self.normal() } else { 0.0 };
        assert!(
            out < 4.265,
            "{case}: chi² {statistic} for {freedom} degrees is {out} standard deviations out"
        );
    }
}

#[test]
fn cells_are_pooled_and_wrong_counts_are_detected() {
    let law = [0.001, 0.3, 0.199, 0.001, 0.499, 0.0];
    let mut chi2 = ChiSquared::default();
    // 1 and 1 go with the 199.
    chi2.add(&[3, 290, 190, 0, 517, 0], &law);
    let expected = 100.0 / 300.0 + 64.0 / 201.0 + 18f64.powi(2) / 499.0;
    assert!((chi2.statistic - expected).abs() < 1e-9 && chi2.freedom == 2.0, "{chi2:?}");
    chi2.assert("near");
    // Too few draws for two cells say nothing.
    chi2.add(&[0, 9, 6, 0, 15, 0], &law);
    assert!(chi2.freedom == 2.0);
    let mut off = ChiSquared::default();
    off.add(&[1, 380, 199, 1, 419, 0], &law);
    off.merge(chi2);
    assert!(off.freedom == 4.0 && off.normal() > 4.265, "{off:?}");
}
