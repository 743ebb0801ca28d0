//! How embeddings score pairs in their literature: the Hadamard product of two columns and a logistic regression, or their dot product.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `f(u) ⊡ f(v) = (f_i(u) f_i(v))_i` | [`Pairing::Hadamard`] | Grover and Leskovec 2016, table 1 |
//! | `f(u)·f(v)` | [`Pairing::Dot`] | |
//!
//! Labels are made from the observed network alone: a sample of its edges is 1, as many uniform pairs without an edge are 0, whatever the
//! noise. With edges removed some of the zeros are wrong, with edges added some of the ones; nothing is done about that. Nor can
//! the regression know that the edges it learns from were embedded as edges, and that those it is to find were not.

use super::{Line, Progress, SkipGram, Walks, prone, spectral};
use crate::chain::rng::{ChaCha8Rng, Purpose, below, ids, shuffle, stream};
use crate::data::Network;
use crate::denoise::logistic::{FitOptions, Head};
use crate::linalg::Mat;
use crate::{Error, Result};

/// Most edges that are learned from.
const LEARNED: usize = 50_000;

/// Pairs whose products are held at a time.
const HELD: usize = 8192;

/// Draws for each pair without an edge.
const DRAWS: u64 = 1000;

/// A way to embed the nodes of a network, at the settings of its paper.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Embedding {
    /// [`spectral`], 128 dimensions.
    Spectral,
    /// [`prone`], 64 dimensions.
    ProNE,
    /// [`SkipGram`] on walks of the first order, 128 dimensions.
    DeepWalk,
    /// [`SkipGram`] on walks of the second order, 128 dimensions.
    Node2vec {
        /// How seldom a step goes back where the last came from.
        p: f64,
        /// How seldom a step goes away from there.
        q: f64,
    },
    /// [`Line`], 128 dimensions.
    Line,
}

/// How two columns become a score.
///
/// ```
/// use ergodict::{data::embedded, denoise::embedding::{Embedding, Pairing}};
/// let scores = Embedding::ProNE.scores(&embedded("karate")?, &[(0, 4), (0, 15)], Pairing::Dot, 0, &mut |_| true)?;
/// assert!(scores.is_some_and(|scores| scores[0] > scores[1]));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pairing {
    /// Their Hadamard product, by a logistic regression.
    #[default]
    Hadamard,
    /// Their dot product.
    Dot,
}

impl Embedding {
    /// The embedding of a simple network: one column a node. None when `progress` stopped it.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a network that is not simple, and for `p` or `q` out of range.
    pub fn columns(
        self,
        network: &Network,
        seed: u64,
        progress: &mut Progress<'_>,
    ) -> Result<Option<Mat<f64>>> {
        let (p, q) = if let Self::Node2vec { p, q } = self { (p, q) } else { (1.0, 1.0) };
        match self {
            Self::Spectral => Ok(spectral(network, 128, progress)?.map(|spectrum| spectrum.vectors)),
            Self::ProNE => prone(network, 64, seed).map(Some),
            Self::DeepWalk | Self::Node2vec { .. } => {
                SkipGram::default().embed(network, &Walks { p, q, ..Walks::default() }, seed, progress)
            }
            Self::Line => Line::default().embed(network, seed, progress),
        }
    }

    /// Scores of pairs from the observed network: higher is more likely an edge. None when `progress` stopped it.
    ///
    /// ```
    /// use ergodict::{data::embedded, denoise::embedding::{Embedding, Pairing}};
    /// let network = embedded("karate")?.unweighted();
    /// let pairs = [(0, 4), (0, 15)];
    /// let scores = Embedding::Spectral.scores(&network, &pairs, Pairing::Hadamard, 0, &mut |_| true)?.unwrap();
    /// assert!(scores[0] > scores[1]);
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Embedding::columns`]; [`Error::Parameter`] for a pair that is not of the network's nodes, and for a network that has no edge, or
    /// hardly a pair without one, to learn from.
    pub fn scores(
        self,
        network: &Network,
        pairs: &[(u32, u32)],
        pairing: Pairing,
        seed: u64,
        progress: &mut Progress<'_>,
    ) -> Result<Option<Vec<f64>>> {
        let n = network.nodes() as u32;
        if let Some((u, v)) = pairs.iter().find(|(u, v)| u.max(v) >= &n) {
            return Err(Error::parameter(
                "a pair",
                format!("({u}, {v})"),
                format!("there are {n} nodes, from 0"),
            ));
        }
        let Some(columns) = self.columns(network, seed, progress)? else { return Ok(None) };
        match pairing {
            Pairing::Dot => Ok(Some(pairs.iter().map(|pair| products(&columns, *pair).sum()).collect())),
            Pairing::Hadamard => judged(network, &columns, pairs, seed).map(Some),
        }
    }
}

fn products(columns: &Mat<f64>, (u, v): (u32, u32)) -> impl Iterator<Item = f64> + '_ {
    columns.col(u as usize).iter().zip(columns.col(v as usize)).map(|(a, b)| a * b)
}

fn hadamard(columns: &Mat<f64>, pairs: &[(u32, u32)]) -> Mat<f64> {
    let mut features = Mat::zeros(columns.rows(), pairs.len());
    for (j, pair) in pairs.iter().enumerate() {
        features.col_mut(j).iter_mut().zip(products(columns, *pair)).for_each(|(into, x)| *into = x);
    }
    features
}

/// Logits of a regression on the edges of a network and as many pairs without one.
fn judged(network: &Network, columns: &Mat<f64>, pairs: &[(u32, u32)], seed: u64) -> Result<Vec<f64>> {
    let mut rng = stream(seed, Purpose::Denoise, ids::EMBEDDING + 7);
    let mut learned: Vec<(u32, u32)> = network.each_edge().map(|(u, v, _)| (u, v)).collect();
    if learned.len() > LEARNED {
        shuffle(&mut learned, &mut rng);
        learned.truncate(LEARNED);
    }
    let edges = learned.len();
    learned.extend(non_edges(network, edges, &mut rng)?);
    let labels: Vec<bool> = (0..learned.len()).map(|i| i < edges).collect();
    let options = FitOptions { tolerance: 1e-6, ..FitOptions::default() };
    let features = hadamard(columns, &learned);
    let head = Head::fit(&options, features.as_ref(), &labels, &vec![1.0; labels.len()])?;
    let mut logits = Vec::with_capacity(pairs.len());
    for held in pairs.chunks(HELD) {
        logits.extend(head.logits(hadamard(columns, held).as_ref())?);
    }
    Ok(logits)
}

/// Independent uniform pairs without an edge.
fn non_edges(network: &Network, wanted: usize, rng: &mut ChaCha8Rng) -> Result<Vec<(u32, u32)>> {
    let n = network.nodes() as u64;
    let mut found = Vec::with_capacity(wanted);
    for _ in 0..DRAWS * wanted as u64 {
        let (u, v) = (below(rng, n) as u32, below(rng, n) as u32);
        if u != v && network.neighbours(u as usize).binary_search(&v).is_err() {
            found.push((u, v));
            if found.len() == wanted {
                break;
            }
        }
    }
    if wanted == 0 || found.len() < wanted {
        let found = format!("of {n} nodes and {} edges", network.edges());
        return Err(Error::parameter(
            "the network",
            found,
            "edges and pairs without an edge are needed to learn from",
        ));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::tests::two_groups;
    use super::*;

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
        // Of so few edges a regression on ProNE's learns little, and the dot product of most eigenvectors is that of none.
        let cases = [
            (Embedding::Spectral, Pairing::Hadamard, 0.6),
            (Embedding::ProNE, Pairing::Dot, 0.65),
            (Embedding::Node2vec { p: 2.0, q: 0.5 }, Pairing::Hadamard, 0.95),
        ];
        for (embedding, pairing, least) in cases {
            let scores = embedding.scores(&network, &pairs, pairing, 1, &mut |_| true).unwrap().unwrap();
            let auc = crate::denoise::roc::auc(&scores, &labels).unwrap();
            assert!(auc > least, "{embedding:?} {pairing:?}: {auc}");
        }
    }

    #[test]
    fn pairs_to_learn_from_have_no_edge_and_are_uniform() {
        let network = Network::simple(4, &[(0, 1), (1, 2), (2, 3)]).unwrap();
        let mut rng = stream(0, Purpose::Denoise, 941);
        let found = non_edges(&network, 6000, &mut rng).unwrap();
        let count = |a, b| found.iter().filter(|(u, v)| (*u.min(v), *u.max(v)) == (a, b)).count() as f64;
        let counts = [count(0, 2), count(0, 3), count(1, 3)];
        assert_eq!(counts.iter().sum::<f64>(), 6000.0);
        let chi2: f64 = counts.iter().map(|c| (c - 2000.0).powi(2) / 2000.0).sum();
        assert!(chi2 < 18.4, "chi² {chi2} over the 0.9999 quantile for 2 degrees of freedom");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let go = &mut |_: f64| true;
        let score = |network: &Network, pairs: &[(u32, u32)], go: &mut Progress<'_>| {
            Embedding::ProNE
                .scores(network, pairs, Pairing::Hadamard, 0, go)
                .map_err(|error| error.to_string())
        };
        let all = Network::simple(3, &[(0, 1), (1, 2), (0, 2)]).unwrap();
        assert!(score(&all, &[(0, 1)], go).unwrap_err().contains("without an edge"));
        assert!(score(&all, &[(0, 3)], go).unwrap_err().contains("(0, 3)"));
        assert!(score(&Network::simple(3, &[]).unwrap(), &[], go).is_err());
        let stopped = Embedding::Line.scores(&all, &[], Pairing::Dot, 0, &mut |_| false).unwrap();
        assert!(stopped.is_none());
    }
}
