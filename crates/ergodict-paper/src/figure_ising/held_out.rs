//! Configurations of other chains at the same temperature, which no dictionary was learned from: the expected loss is estimated on them.
//!
//! From a start of fair coins the cold chains order for the whole run, so that a configuration's age matters. There are three sets: one of all ages
//! up to the end of the trajectory, whose law is that of what was learned from; one of the age of its last configuration; and a later one,
//! up to twice its length.

use super::setting::{Setting, advance};
use anyhow::Result;
use ergodict::factor::Factorizer;
use ergodict::linalg::Mat;

/// Configurations of each chain in the first set, at the middles of as many parts of the trajectory.
const AGES: u64 = 10;
/// Those in the later set.
const LATER: u64 = 5;

/// Patches of the sets, a matrix for each chain: chains are independent, what comes of one is not.
pub(super) struct HeldOut {
    pub(super) along: Vec<Mat<f64>>,
    pub(super) end: Vec<Mat<f64>>,
    pub(super) later: Vec<Mat<f64>>,
    /// Other patches than those learned from of the last configuration of the trajectory.
    pub(super) own: Mat<f64>,
}

impl HeldOut {
    /// The sets of a temperature, made unless they are there; none when interrupted.
    pub(super) fn once<'a>(
        kept: &'a mut Option<Self>,
        setting: &Setting,
        (temperature, seed): (f64, u64),
        last: &[i8],
    ) -> Result<Option<&'a Self>> {
        if kept.is_none() {
            *kept = Self::new(setting, (temperature, seed), last)?;
        }
        Ok(kept.as_ref())
    }

    fn new(setting: &Setting, (temperature, seed): (f64, u64), last: &[i8]) -> Result<Option<Self>> {
        let (updates, each) = (setting.updates, setting.held_out);
        // As many patches of the end as of all ages together.
        let at_end = each * AGES as usize;
        let along = (0..AGES).map(|k| ((2 * k + 1) * updates / (2 * AGES), each));
        let later = (1..=LATER).map(|k| (updates + k * updates / LATER, each));
        let ages: Vec<(u64, usize)> = along.chain([(updates, at_end)]).chain(later).collect();
        let mut own = Mat::zeros(0, 0);
        let chains = setting.chains;
        setting.cutter(seed, chains + 1)?.cut(
            &last.into(),
            setting.shape(),
            at_end * chains as usize,
            &mut own,
        )?;
        let mut all = Self { along: Vec::new(), end: Vec::new(), later: Vec::new(), own };
        // Chain 0 is the one that is learned from.
        for id in 1..=chains {
            let mut walker = setting.walker(temperature, seed, id)?;
            let mut cutter = setting.cutter(seed, id)?;
            let mut cut = Vec::new();
            for &(age, count) in &ages {
                if !advance(&mut walker, age) {
                    return Ok(None);
                }
                let mut x = Mat::zeros(0, 0);
                cutter.cut(&walker.spins().into(), setting.shape(), count, &mut x)?;
                cut.push(x);
            }
            let later = cut.split_off(AGES as usize + 1);
            all.end.extend(cut.pop());
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
pub(super) fn losses(factorizer: &mut Factorizer<f64>, set: &[Mat<f64>]) -> Result<Vec<f64>> {
    set.iter().map(|x| Ok(factorizer.loss(x)? / x.cols() as f64)).collect()
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
