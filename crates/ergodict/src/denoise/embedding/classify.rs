//! How embeddings score pairs in their literature: the Hadamard product of two columns and a logistic regression.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `f(u) ⊡ f(v) = (f_i(u) f_i(v))_i` | [`hadamard`] | Grover and Leskovec 2016, table 1 |
//!
//! Labels are made from the observed network alone: a sample of its edges is 1, as many uniform pairs without an edge are 0, whatever the
//! noise. With edges removed some of the zeros are wrong, with edges added some of the ones; nothing is done about that. Nor can
//! the regression know that the edges it learns from were embedded as edges, and that those it is to find were not.

use crate::data::Network;
use crate::denoise::logistic::{FitOptions, Head};
use crate::linalg::Mat;
use crate::rng::{ChaCha8Rng, Purpose, below, ids, shuffle, stream};
use crate::{Error, Result};

/// Most edges that are learned from.
const LEARNED: usize = 50_000;

/// Pairs whose products are held at a time.
const HELD: usize = 8192;

/// Draws for each pair without an edge.
const DRAWS: u64 = 1000;

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

/// Scores of pairs from an embedding of the observed network, a column a node: higher is more likely an edge.
///
/// They are logits of a regression on the edges of the network and as many pairs without one.
///
/// ```
/// use ergodict::{data::embedded, denoise::embedding::{prone, score_pairs}};
/// let network = embedded("karate")?.unweighted();
/// let scores = score_pairs(&network, &prone(&network, 16, 0)?, &[(0, 4), (0, 15)], 0)?;
/// assert!(scores[0] > scores[1]);
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for a pair or a number of columns that is not of the network's nodes, and for a network that has no edge, or hardly a
/// pair without one, to learn from.
pub fn score_pairs(
    network: &Network,
    columns: &Mat<f64>,
    pairs: &[(u32, u32)],
    seed: u64,
) -> Result<Vec<f64>> {
    let n = network.nodes();
    if columns.cols() != n {
        return Err(Error::parameter("columns", columns.cols(), format!("there are {n} nodes")));
    }
    if let Some((u, v)) = pairs.iter().find(|(u, v)| *u.max(v) as usize >= n) {
        return Err(Error::parameter(
            "a pair",
            format!("({u}, {v})"),
            format!("there are {n} nodes, from 0"),
        ));
    }
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
        if u != v && network.neighbors(u as usize).binary_search(&v).is_err() {
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
    use super::*;
    use crate::denoise::embedding::prone;

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
        let score = |network: &Network, pairs: &[(u32, u32)]| {
            let columns = prone(network, 4, 0).unwrap();
            score_pairs(network, &columns, pairs, 0).map_err(|error| error.to_string())
        };
        let all = Network::simple(3, &[(0, 1), (1, 2), (0, 2)]).unwrap();
        assert!(score(&all, &[(0, 1)]).unwrap_err().contains("without an edge"));
        assert!(score(&all, &[(0, 3)]).unwrap_err().contains("(0, 3)"));
        assert!(score(&Network::simple(3, &[]).unwrap(), &[]).is_err());
        assert!(score_pairs(&all, &Mat::zeros(4, 2), &[], 0).is_err());
    }
}
