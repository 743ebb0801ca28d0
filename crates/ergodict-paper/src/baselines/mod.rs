//! The rivals in the paper's Table 1: embeddings of nodes, with the regression on products of columns that the library has for its own.

mod line;
mod panel;
#[cfg(test)]
mod public;
mod skip_gram;
mod spectral;
mod walks;

use ergodict::data::Network;
use ergodict::denoise::embedding::score_pairs;
use ergodict::linalg::Mat;
use ergodict::rng::ChaCha8Rng;
use ergodict::{Error, Result};
use line::Line;
use rand_chacha::rand_core::Rng;
use skip_gram::SkipGram;
use spectral::spectral;
use std::fmt;
use std::str::FromStr;
use walks::Walks;

/// Told how much is done, from 0 to 1; work stops when it answers false.
pub(crate) type Progress<'a> = dyn FnMut(f64) -> bool + 'a;

/// A way to embed the nodes of a network in 128 dimensions, at the settings of its paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Baseline {
    /// Leading eigenvectors of the normalized adjacency matrix.
    Spectral,
    /// Skip-gram on walks of the first order.
    DeepWalk,
    /// Skip-gram on walks of the second order, p = 1 and q = ½.
    Node2vec,
    /// Edges of the first and of the second order.
    Line,
}

impl Baseline {
    pub(crate) const ALL: [Self; 4] = [Self::Spectral, Self::DeepWalk, Self::Node2vec, Self::Line];

    /// The embedding of a simple network: one column a node. None when `progress` stopped it.
    fn columns(self, network: &Network, seed: u64, progress: &mut Progress<'_>) -> Result<Option<Mat<f64>>> {
        match self {
            Self::Spectral => Ok(spectral(network, 128, progress)?.map(|found| {
                let vectors = &found.vectors;
                Mat::from_fn(vectors.rows(), vectors.cols(), |i, j| vectors.get(i, j))
            })),
            Self::DeepWalk => SkipGram::default().embed(network, &Walks::default(), seed, progress),
            Self::Node2vec => {
                SkipGram::default().embed(network, &Walks { q: 0.5, ..Walks::default() }, seed, progress)
            }
            Self::Line => Line::default().embed(network, seed, progress),
        }
    }

    /// Scores of pairs from the observed network, which is simple: higher is more likely an edge.
    pub(crate) fn scores(
        self,
        network: &Network,
        pairs: &[(u32, u32)],
        seed: u64,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<f64>> {
        let columns = self.columns(network, seed, progress)?.ok_or(Error::Interrupted)?;
        score_pairs(network, &columns, pairs, seed)
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Spectral => "spectral",
            Self::DeepWalk => "deepwalk",
            Self::Node2vec => "node2vec",
            Self::Line => "line",
        })
    }
}

impl FromStr for Baseline {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|baseline| baseline.to_string() == name);
        let names = Self::ALL.map(|baseline| baseline.to_string()).join(", ");
        found.ok_or_else(|| parameter("the method", name, format!("it must be one of {names}")))
    }
}

/// What a parameter must be.
#[expect(clippy::needless_pass_by_value, reason = "both numbers and names")]
pub(crate) fn parameter(name: &'static str, value: impl ToString, expected: impl Into<String>) -> Error {
    Error::Parameter { name, value: value.to_string(), expected: expected.into() }
}

/// That there are dimensions, and that the network is simple.
fn check(network: &Network, dimensions: usize) -> Result<()> {
    if dimensions == 0 {
        return Err(parameter("dimensions", 0, "it must be at least 1"));
    }
    if !network.is_simple() {
        return Err(parameter("the network", "not simple", "embeddings are of simple undirected networks"));
    }
    Ok(())
}

/// A uniform number below `below`, from half a word.
fn below_u32(rng: &mut ChaCha8Rng, below: u32) -> u32 {
    let threshold = below.wrapping_neg() % below.max(1);
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(below);
        if product as u32 >= threshold {
            return (product >> 32) as u32;
        }
    }
}

/// The next digit of a random fraction `word / 2⁶⁴` in a base; what is left in `word` is uniform again.
fn digit(word: &mut u64, base: usize) -> usize {
    let product = u128::from(*word) * base as u128;
    *word = product as u64;
    (product >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use ergodict::denoise::roc::auc;
    use ergodict::rng::{Purpose, below, stream};

    /// That at least a share of the columns is nearer to the mean of its own half of the nodes than to that of the other.
    pub(super) fn assert_groups_are_separated(columns: &Mat<f64>, share: f64) {
        let half = columns.cols() / 2;
        let mean =
            |from: usize, i: usize| (from..from + half).map(|u| columns.get(i, u)).sum::<f64>() / half as f64;
        let means: Vec<(f64, f64)> = (0..columns.rows()).map(|i| (mean(0, i), mean(half, i))).collect();
        let side = |u: usize| -> f64 {
            means.iter().zip(columns.col(u)).map(|((a, b), x)| (a - b) * (x - f64::midpoint(*a, *b))).sum()
        };
        let right = (0..2 * half).filter(|&u| (side(u) > 0.0) == (u < half)).count();
        assert!(right as f64 >= share * 2.0 * half as f64, "{right} of {}", 2 * half);
    }

    /// Two halves with many edges inside and few between, and a ring through all nodes of each half.
    pub(super) fn two_groups(nodes: u32, seed: u64) -> Network {
        let mut rng = stream(seed, Purpose::Denoise, 998);
        let half = nodes / 2;
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for u in 0..nodes {
            let first = u / half * half;
            edges.push((u, first + (u + 1 - first) % half));
            for _ in 0..4 {
                edges.push((u, first + below(&mut rng, u64::from(half)) as u32));
            }
        }
        edges.extend((0..half / 20).map(|u| (u, half + u)));
        edges.iter_mut().for_each(|edge| *edge = (edge.0.min(edge.1), edge.0.max(edge.1)));
        edges.retain(|(u, v)| u < v);
        edges.sort_unstable();
        edges.dedup();
        Network::simple(nodes as usize, &edges).unwrap()
    }

    #[test]
    fn every_name_is_that_of_a_baseline() {
        for baseline in Baseline::ALL {
            assert_eq!(baseline.to_string().parse::<Baseline>().unwrap(), baseline);
        }
        assert!("best".parse::<Baseline>().unwrap_err().to_string().contains("spectral, deepwalk"));
    }

    #[test]
    fn pairs_within_groups_score_higher_than_between_them() {
        let network = two_groups(200, 6);
        let mut rng = stream(0, Purpose::Denoise, 940);
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for i in 0..400 {
            let (u, v) = (below(&mut rng, 100) as u32, below(&mut rng, 100) as u32);
            pairs.push(if i % 2 == 0 { (u, v) } else { (u, v + 100) });
        }
        pairs.retain(|(u, v)| u != v && network.weight(*u as usize, *v as usize) == 0.0);
        let labels: Vec<bool> = pairs.iter().map(|(_, v)| *v < 100).collect();
        for (baseline, least) in [(Baseline::Spectral, 0.6), (Baseline::Node2vec, 0.95)] {
            let scores = baseline.scores(&network, &pairs, 1, &mut |_| true).unwrap();
            let found = auc(&scores, &labels).unwrap();
            assert!(found > least, "{baseline}: {found}");
        }
        let stopped = Baseline::Line.scores(&network, &pairs, 1, &mut |_| false);
        assert!(matches!(stopped, Err(Error::Interrupted)));
    }
}
