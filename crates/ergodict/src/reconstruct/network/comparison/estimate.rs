//! Linear combinations of scores of cells, with standard errors over dictionaries and blocks of walks.
//!
//! | symbol | here |
//! |---|---|
//! | `e_s(i,j)`: `log₂ E_s(i,j)`, or minus the accuracy | `scores` |
//! | `Σ c_ij ē(i,j)`, the mean over dictionaries | [`Cells::contrast`], `terms` |
//! | `Var_s(Σ_j c_ij e_s(i,j)) / S`, for each row | dictionaries of one network are fitted to the same data, those of two are independent |
//! | `Var_b` of the sum over rows, for each column | all dictionaries see the same walks, so that their scatter cancels in differences |
//! | degrees of freedom `(Σ v)² / Σ v²/ν` | Welch and Satterthwaite |

use super::Measurement;
use crate::reconstruct::network::Measure;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, LN_2};

/// Smaller errors are rounding.
const SMALLEST: f64 = 1e-6;
/// Probability below which a difference is more than chance.
const LEVEL: f64 = 0.05;
/// Intervals of the integrals of the distribution.
const INTERVALS: u32 = 400;

/// A number with its standard error and the degrees of freedom that the latter has.
///
/// ```
/// use ergodict::reconstruct::network::Estimate;
/// let far = Estimate { value: 0.3, standard_error: 0.01, degrees: 4.0 };
/// let near = Estimate { value: 0.02, ..far };
/// assert!(far.is_above_zero() && !near.is_above_zero());
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Degrees of freedom of the standard error.
    pub degrees: f64,
}

impl Estimate {
    /// The probability of a value as far from 0 if the truth is 0, by Student's t.
    pub(crate) fn p_value(&self) -> f64 {
        let t = self.value.abs() / self.standard_error;
        match t {
            t if t.is_nan() => 1.0,
            t if t.is_infinite() => 0.0,
            t => two_tails(t, self.degrees),
        }
    }

    /// Whether it is above 0 by more than chance, at 5 % on both sides.
    pub fn is_above_zero(&self) -> bool {
        self.value > 0.0 && self.p_value() < LEVEL
    }

    /// Whether it is below 0 by more than chance, where it is one of `tests`.
    pub(super) fn is_below_zero(&self, tests: usize) -> bool {
        self.value < 0.0 && self.p_value() < LEVEL / tests.max(1) as f64
    }
}

/// `P(|T| > t)` of Student's t with `degrees` degrees of freedom: with `u = atan(t/√ν)` the density is `cos^{ν−1} u`.
fn two_tails(t: f64, degrees: f64) -> f64 {
    let degrees = degrees.clamp(1.0, 1000.0);
    let area = |from: f64| {
        let step = (FRAC_PI_2 - from) / f64::from(INTERVALS);
        let at = |k: u32| (from + f64::from(k) * step).cos().max(0.0).powf(degrees - 1.0);
        let inner: f64 = (1..INTERVALS).map(|k| at(k) * if k % 2 == 1 { 4.0 } else { 2.0 }).sum();
        (at(0) + inner + at(INTERVALS)) * step / 3.0
    };
    area((t / degrees.sqrt()).atan()) / area(0.0)
}

/// The scores of all cells.
pub(super) struct Cells {
    measure: Measure,
    seeds: usize,
    by_place: BTreeMap<(usize, usize), Cell>,
}

struct Cell {
    /// The mean over dictionaries of what was measured.
    value: f64,
    edge_coverage: Option<f64>,
    scores: Vec<f64>,
    /// Mean over dictionaries of how far each block moves the score.
    blocks: Vec<f64>,
}

impl Cells {
    /// Of measurements of `seeds` dictionaries for each of the places.
    ///
    /// # Errors
    /// [`Error::Parameter`] when they are not complete.
    pub(super) fn new(
        places: &[(usize, usize)],
        seeds: usize,
        measure: Measure,
        measured: &[Measurement],
    ) -> Result<Self> {
        if measured.len() != places.len() * seeds {
            let expected = format!("{} are needed", places.len() * seeds);
            return Err(Error::parameter("the number of cells", measured.len(), expected));
        }
        let score = |cell: &Measurement| match measure {
            Measure::Error => cell.value.max(SMALLEST).log2(),
            _ => -cell.value,
        };
        let n = seeds as f64;
        let cell = |all: &[Measurement]| Cell {
            value: all.iter().map(|one| one.value).sum::<f64>() / n,
            edge_coverage: all.iter().map(|one| one.edge_coverage).sum::<Option<f64>>().map(|sum| sum / n),
            scores: all.iter().map(score).collect(),
            blocks: (0..all[0].blocks.len())
                .map(|b| all.iter().map(|one| one.blocks[b]).sum::<f64>() / n / LN_2)
                .collect(),
        };
        let by_place = places.iter().copied().zip(measured.chunks(seeds).map(cell)).collect();
        Ok(Self { measure, seeds, by_place })
    }

    pub(super) fn measure(&self) -> Measure {
        self.measure
    }

    pub(super) fn edge_coverage(&self, row: usize, column: usize) -> Option<f64> {
        self.by_place[&(row, column)].edge_coverage
    }

    /// What was measured in a cell: the mean over dictionaries, with its error.
    pub(super) fn value(&self, row: usize, column: usize) -> Estimate {
        let value = self.by_place[&(row, column)].value;
        let score = self.contrast(&[(1.0, row, column)]);
        // An error is on a logarithmic scale, an accuracy on its own.
        let scale = if self.measure == Measure::Error { value * LN_2 } else { 1.0 };
        Estimate { value, standard_error: scale * score.standard_error, degrees: score.degrees }
    }

    /// The sum of coefficients times mean scores of cells.
    pub(super) fn contrast(&self, terms: &[(f64, usize, usize)]) -> Estimate {
        let (mut rows, mut columns) = (BTreeMap::new(), BTreeMap::new());
        for &(factor, row, column) in terms {
            let cell = &self.by_place[&(row, column)];
            add(rows.entry(row).or_insert_with(|| vec![0.0; self.seeds]), factor, &cell.scores);
            let blocks = columns.entry(column).or_insert_with(|| vec![0.0; cell.blocks.len()]);
            add(blocks, factor, &cell.blocks);
        }
        let value = rows.values().map(|scores| mean(scores)).sum();
        let of_dictionaries = rows.values().map(|scores| {
            let n = scores.len() as f64;
            (scatter(scores) / (n * (n - 1.0)), n - 1.0)
        });
        let of_walks = columns.values().filter(|blocks| !blocks.is_empty()).map(|blocks| {
            let n = blocks.len() as f64;
            (scatter(blocks) * n / (n - 1.0), n - 1.0)
        });
        let parts: Vec<(f64, f64)> = of_dictionaries.chain(of_walks).collect();
        let variance: f64 = parts.iter().map(|part| part.0).sum();
        let fourth: f64 = parts.iter().map(|(variance, degrees)| variance * variance / degrees).sum();
        let degrees = if fourth > 0.0 { variance * variance / fourth } else { 1.0 };
        Estimate { value, standard_error: variance.sqrt(), degrees }
    }
}

fn add(to: &mut [f64], factor: f64, values: &[f64]) {
    to.iter_mut().zip(values).for_each(|(to, value)| *to += factor * value);
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sum of squared deviations from the mean.
fn scatter(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, normal, stream};

    #[test]
    fn tails_are_those_of_tables() {
        for (t, degrees, tails) in [
            (12.706_204_736, 1.0, 0.05),
            (4.302_652_73, 2.0, 0.05),
            (2.776_445_105, 4.0, 0.05),
            (8.610_301_581, 4.0, 0.001),
            (2.228_138_852, 10.0, 0.05),
            (2.000_297_822, 60.0, 0.05),
            (0.0, 3.0, 1.0),
        ] {
            assert!((two_tails(t, degrees) - tails).abs() < 1e-5 * tails, "{t}, {degrees}");
        }
    }

    /// Cells of `n` networks whose scores scatter by `seeds` and `walks` around 0.
    fn noise(n: usize, seeds: usize, (by_seeds, by_walks): (f64, f64), seed: u64) -> Cells {
        let mut rng = stream(seed, Purpose::Synthetic, 0);
        let places: Vec<(usize, usize)> = (0..n).flat_map(|c| (0..n).map(move |r| (r, c))).collect();
        let mut measured = Vec::new();
        for column in 0..n {
            // All rows see the same walks, up to a part of their own.
            let shared: Vec<f64> = (0..20).map(|_| normal(&mut rng)).collect();
            for row in 0..n {
                let own: Vec<f64> = shared.iter().map(|x| by_walks * (x + normal(&mut rng))).collect();
                let walks = own.iter().sum::<f64>() / 20.0;
                for _ in 0..seeds {
                    let score = by_seeds * normal(&mut rng) + walks;
                    let blocks = own.iter().map(|x| (x - walks) / 20.0 * LN_2).collect();
                    measured.push(Measurement { value: score.exp2(), blocks, edge_coverage: None });
                }
                let _ = (row, column);
            }
        }
        Cells::new(&places, seeds, Measure::Error, &measured).unwrap()
    }

    #[test]
    fn differences_of_nothing_are_called_so() {
        for (seeds, scatter) in [(2, (0.01, 0.0)), (3, (0.01, 0.02)), (3, (0.0, 0.05)), (5, (0.01, 0.01))] {
            let (mut above, mut all) = (0, 0);
            for seed in 0..1500 {
                let cells = noise(2, seeds, scatter, seed);
                let terms = [(0.5, 0, 1), (-0.5, 1, 1), (0.5, 1, 0), (-0.5, 0, 0)];
                above += usize::from(cells.contrast(&terms).p_value() < 0.05);
                all += 1;
            }
            // At 5 % with a standard error of 0.6 %; with few degrees of freedom the test errs on the side of caution.
            let share = f64::from(above as u32) / f64::from(all);
            assert!((0.005..0.075).contains(&share), "{seeds} seeds, {scatter:?}: {share}");
        }
    }

    #[test]
    fn contrasts_are_those_of_their_formulas() {
        // Rows 0 and 1, columns 0 and 1; two dictionaries, and two blocks of walks that differ between columns.
        let cell = |values: [f64; 2], block: f64| {
            values.map(|score| Measurement {
                value: f64::exp2(score),
                blocks: vec![block * LN_2, -block * LN_2],
                edge_coverage: Some(0.5 + block),
            })
        };
        let measured =
            [cell([1.0, 3.0], 0.125), cell([0.5, 0.5], 0.25), cell([4.0, 5.0], 0.0), cell([2.0, 1.0], 0.0)];
        let places = [(0, 0), (1, 0), (0, 1), (1, 1)];
        let cells = Cells::new(&places, 2, Measure::Error, measured.as_flattened()).unwrap();
        assert!(Cells::new(&places, 2, Measure::Error, &measured.as_flattened()[1..]).is_err());
        let near = |found: f64, exact: f64| assert!((found - exact).abs() < 1e-12, "{found} for {exact}");
        // Scores of row 0: 0.5·(4, 5) − 0.5·(1, 3) = (1.5, 1), mean 1.25, scatter 0.125. Of row 1: (−0.75, −0.25), mean −0.5, scatter 0.125.
        // Blocks of column 0: −0.5·0.125 + 0.5·0.25 = ±0.0625, scatter 2·0.0625².
        let found = cells.contrast(&[(0.5, 0, 1), (-0.5, 1, 1), (0.5, 1, 0), (-0.5, 0, 0)]);
        near(found.value, 0.75);
        let parts = [0.125 / 2.0, 0.125 / 2.0, 2.0 * 2.0 * 0.0625 * 0.0625, 0.0];
        let variance: f64 = parts.iter().sum();
        near(found.standard_error, variance.sqrt());
        near(found.degrees, variance * variance / parts.iter().map(|part| part * part).sum::<f64>());
        // An error is quoted as it is, with its error on the same scale: here 2 and 8 of the first cell.
        let first = cells.value(0, 0);
        near(first.value, 5.0);
        near(first.standard_error, 5.0 * LN_2 * (2.0 / 2.0 + 2.0 * 2.0 * 0.125 * 0.125f64).sqrt());
        near(cells.edge_coverage(1, 0).unwrap(), 0.75);
        let accuracy = Cells::new(&places, 2, Measure::Jaccard, measured.as_flattened()).unwrap();
        near(accuracy.value(0, 0).value, 5.0);
        near(accuracy.contrast(&[(1.0, 0, 0)]).value, -5.0);
    }

    #[test]
    fn what_is_beyond_chance_depends_on_the_sign_and_on_the_number_of_tests() {
        // P(|T| > 4.3) is 0.05 with two degrees of freedom.
        let of = |value: f64| Estimate { value, standard_error: 1.0, degrees: 2.0 };
        assert!(of(4.31).is_above_zero() && !of(4.29).is_above_zero() && !of(-4.31).is_above_zero());
        assert!(of(-4.31).is_below_zero(1) && of(-4.31).is_below_zero(0) && !of(-4.31).is_below_zero(2));
        assert!(!of(4.31).is_below_zero(1) && !of(-4.29).is_below_zero(1));
        let sure = |value: f64| Estimate { value, standard_error: 0.0, degrees: 1.0 };
        assert_eq!((sure(0.0).p_value(), sure(1.0).p_value()), (1.0, 0.0));
    }
}
