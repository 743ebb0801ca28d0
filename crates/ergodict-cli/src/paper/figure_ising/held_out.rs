//! Configurations of other chains at the same temperature, which no dictionary was learned from: the expected loss is estimated on them.
//!
//! From a start of fair coins the cold chains order for the whole run, so that a configuration's age matters. There are two sets: one of all ages
//! up to the end of the trajectory, whose law is that of what was learned from; and a later one, from the end of the trajectory to
//! twice its length.

use super::setting::{Setting, advance};
use anyhow::Result;
use ergodict::chain::SpinWalk;
use ergodict::factor::Factoriser;
use ergodict::linalg::Mat;

/// Configurations of each chain in the first set, at the middles of as many parts of the trajectory.
const AGES: u64 = 10;
/// Those in the later set.
const LATER: u64 = 5;

/// Patches of both sets, a matrix for each chain: chains are independent, what comes of one is not.
pub(super) struct HeldOut {
    pub(super) along: Vec<Mat<f64>>,
    pub(super) later: Vec<Mat<f64>>,
}

impl HeldOut {
    /// The sets of a temperature, made unless they are there; none when interrupted.
    pub(super) fn once<'a>(
        kept: &'a mut Option<Self>,
        setting: &Setting,
        temperature: f64,
        seed: u64,
    ) -> Result<Option<&'a Self>> {
        if kept.is_none() {
            *kept = Self::new(setting, temperature, seed)?;
        }
        Ok(kept.as_ref())
    }

    fn new(setting: &Setting, temperature: f64, seed: u64) -> Result<Option<Self>> {
        let updates = setting.updates;
        let ages: Vec<u64> = (0..AGES)
            .map(|k| (2 * k + 1) * updates / (2 * AGES))
            .chain((1..=LATER).map(|k| updates + k * updates / LATER))
            .collect();
        let mut all = Self { along: Vec::new(), later: Vec::new() };
        // Chain 0 is the one that is learned from.
        for id in 1..=setting.chains {
            let mut walker = setting.walker(temperature, seed, id)?;
            let mut cutter = setting.cutter(seed, id)?;
            let mut cut = Vec::new();
            for &age in &ages {
                if !advance(&mut walker, age) {
                    return Ok(None);
                }
                let mut x = Mat::zeros(0, 0);
                cutter.cut(walker.spins(), setting.shape(), setting.held_out, &mut x)?;
                cut.push(x);
            }
            let later = cut.split_off(AGES as usize);
            all.along.push(together(&cut));
            all.later.push(together(&later));
        }
        Ok(Some(all))
    }
}

/// Matrices of as many rows and columns side by side.
fn together(parts: &[Mat<f64>]) -> Mat<f64> {
    let (rows, cols) = parts.first().map_or((0, 0), |part| (part.rows(), part.cols()));
    Mat::from_fn(rows, cols * parts.len(), |i, j| parts[j / cols].get(i, j % cols))
}

/// The mean loss of the patches of each chain.
pub(super) fn losses(factoriser: &mut Factoriser<f64>, set: &[Mat<f64>]) -> Result<Vec<f64>> {
    set.iter().map(|x| Ok(factoriser.loss(x)? / x.cols() as f64)).collect()
}

/// The mean squared distance of the patches of all chains from their mean: the loss of a prediction without atoms.
pub(super) fn of_the_mean(set: &[Mat<f64>]) -> f64 {
    let columns = || set.iter().flat_map(|x| (0..x.cols()).map(move |j| x.col(j)));
    let (rows, count) = (set.first().map_or(0, Mat::rows), columns().count() as f64);
    let mut mean = vec![0.0; rows];
    for column in columns() {
        mean.iter_mut().zip(column).for_each(|(mean, x)| *mean += x / count);
    }
    columns().flat_map(|column| column.iter().zip(&mean)).map(|(x, m)| (x - m).powi(2)).sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_explains_nothing_but_itself() {
        let set = [Mat::from_fn(2, 2, |i, j| (i + j) as f64), Mat::from_fn(2, 1, |_, _| 2.0)];
        // Columns (0, 1), (1, 2), (2, 2) with mean (1, 5/3).
        let expected = (1.0 + 4.0 / 9.0 + 1.0 / 9.0 + 1.0 + 1.0 / 9.0) / 3.0;
        assert!((of_the_mean(&set) - expected).abs() < 1e-12);
        assert_eq!(together(&[set[0].clone(), set[0].clone()]).col(3), set[0].col(1));
    }
}
