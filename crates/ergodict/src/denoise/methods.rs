//! The methods of denoising by their names, and what each makes of pairs.

use super::embedding::{prone, score_pairs};
use super::ensemble::{EnsembleOptions, HeadReport, NoiseModel, Reasons, ensemble_with_progress};
use super::heuristics::Heuristic;
use super::ndr::{Ndr, Rebuilt};
use super::paths::{check_pairs, simple};
use super::splits::Negatives;
use super::{MotifScores, Progress, Stage};
use crate::data::{Network, Sides};
use crate::linalg::products::check_room;
use crate::reconstruct::network::Mode;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// What pairs are shrunk by for each walk, `S/(C + α)` with `α = 20` for a million of them (docs/denoising.md): counts grow as walks do.
pub const SHRINKAGE: f64 = 20e-6;

/// Numbers of a node in the embedding of [`Method::ProNE`].
const DIMENSIONS: usize = 64;

/// Bytes of a pair, its score, its features, and those of the heads.
pub const PER_PAIR: u64 = 600;

/// A method.
///
/// ```
/// use ergodict::denoise::{Method, heuristics::Heuristic};
/// assert_eq!("l3".parse::<Method>()?, Method::Heuristic(Heuristic::L3));
/// assert!(Method::all().iter().any(|method| method.to_string() == "ensemble"));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Method {
    /// The paper's: the mean over all reconstructed entries.
    Ndr,
    /// The same without entries at edges of the walk, shrunk.
    NdrOffMotif,
    /// How often walks had both nodes, without an edge of theirs between: NDR without a dictionary.
    CoVisits,
    /// A number of paths and degrees.
    Heuristic(Heuristic),
    /// ProNE embeddings of nodes, with a head on products of columns.
    ProNE,
    /// A head on latent-motif codes and degrees.
    MotifCodes,
    /// A head on everything.
    Ensemble,
}

impl Method {
    /// All that the command line names, by name.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::Ensemble, Self::MotifCodes, Self::NdrOffMotif, Self::Ndr, Self::CoVisits];
        all.extend(Heuristic::ALL.map(Self::Heuristic));
        all.push(Self::ProNE);
        all
    }

    /// Whether pairs that few short walks join score low, so that missing edges can be looked for among [`Candidates`](super::Candidates).
    pub fn is_local(self) -> bool {
        match self {
            Self::Heuristic(heuristic) => {
                !matches!(heuristic, Heuristic::PreferentialAttachment | Heuristic::Jaccard)
            }
            Self::Ensemble | Self::MotifCodes => true,
            _ => false,
        }
    }

    /// Estimated bytes for scoring `pairs` pairs, on a network of `n` nodes and `m` edges.
    pub fn memory(self, n: u64, m: u64, pairs: u64) -> u64 {
        // Numbers of eight bytes for each node: embeddings with the panels they are made from, and the sums of walks. Reconstruction has
        // where rows of wanted pairs begin, and before that the components; common neighbors are read off the rows.
        let numbers = match self {
            Self::Heuristic(heuristic) if !heuristic.is_of_three_edges() => 0,
            Self::Ndr | Self::NdrOffMotif | Self::CoVisits => 3,
            Self::ProNE => 4 * 64,
            Self::Ensemble => 4 * 64 + 128,
            _ => 32,
        };
        // Heads learn from edges, which are pairs as well, and from some ten thousand rows of features at a time.
        let learns = matches!(self, Self::Ensemble | Self::MotifCodes);
        let rows = if learns { pairs.saturating_add(m) } else { pairs };
        let heads = if learns || self == Self::ProNE { 64 << 20 } else { 0 };
        // On 6000 nodes with 60 000 pairs the peak was 94 MB for prone and 143 MB for the ensemble, on 60 000 with 200 000 it was 243 MB for
        // prone, besides the 13 MB of the program; this estimates 97, 122 and 250.
        let needed = n.saturating_mul(8 * numbers).saturating_add(rows.saturating_mul(PER_PAIR / 2));
        needed.saturating_add(heads)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ndr => "ndr",
            Self::NdrOffMotif => "ndr-off-motif",
            Self::CoVisits => "co-visits",
            Self::Heuristic(heuristic) => heuristic.name(),
            Self::ProNE => "prone",
            Self::MotifCodes => "motif-codes",
            Self::Ensemble => "ensemble",
        })
    }
}

/// Methods that only the paper's table needs.
const PAPER: [&str; 4] = ["spectral", "deepwalk", "node2vec", "line"];

/// Spellings of the release before, and today's.
const FORMER: [(&str, &str); 2] =
    [("common-neighbours", "common-neighbors"), ("ndr-off-chain", "ndr-off-motif")];

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let all = Self::all();
        let names = || all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let name = FORMER.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new);
        if PAPER.contains(&name) {
            let went = format!("it is a baseline of the paper's table: `ergodict-paper score` has {name}");
            return Err(Error::parameter("the method", name, went));
        }
        let found = all.iter().find(|method| method.to_string() == name);
        found
            .copied()
            .ok_or_else(|| Error::parameter("the method", name, format!("it must be one of {}", names())))
    }
}

/// How pairs are scored.
///
/// ```
/// use ergodict::denoise::{Denoiser, Progress, ensemble::NoiseModel};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let denoising = Denoiser::new("resource-allocation".parse()?, NoiseModel::Removed, 0);
/// let scored = denoising.scores(&karate, &[(0, 9), (11, 26)], &mut Progress::none())?;
/// assert!(scored.scores[0] > 0.0 && scored.scores[1] == 0.0);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Denoiser {
    /// By what.
    pub method: Method,
    /// What is assumed to be wrong with the network. Only methods that train a head on made-up labels look at it.
    pub assumed: NoiseModel,
    /// What missing edges are to be distinguished from; of `ensemble` alone.
    pub negatives: Negatives,
    /// The share of edges that is believed to be wrong: missing ones among the true edges, false ones among the observed. Where it is not given, a tenth of the true edges is
    /// taken to be missing, and the share of false ones is estimated. It sets probabilities, not the order; of `ensemble` alone.
    pub share: Option<f64>,
    /// The seed of whatever is drawn.
    pub seed: u64,
}

/// What came of it.
///
/// ```
/// use ergodict::denoise::{Denoiser, Method, Progress, ensemble::NoiseModel};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let denoising = Denoiser::new("jaccard".parse()?, NoiseModel::Both, 0);
/// let scored = denoising.scores(&karate, &[(0, 9), (11, 26)], &mut Progress::none())?;
/// assert!(scored.scores.len() == 2 && scored.heads.is_empty()); // nothing was trained
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scores {
    /// A score for each pair, for ranking: of `ensemble` and `motif-codes` between 0 and 1, of the others what their tables say. NaN for pairs
    /// that the method cannot judge, with a note that counts them: nodes outside of the largest component where walks are taken,
    /// and nodes without edges where they are embedded. All scores but the log odds of `prone` are 0 or more.
    pub scores: Vec<f64>,
    /// The probability that each pair is a true edge, of `ensemble` alone.
    pub probabilities: Option<Vec<f64>>,
    /// What there is to say.
    pub notes: Vec<String>,
    /// Reports of the heads of methods that have them: one for each noise that was assumed.
    pub heads: Vec<HeadReport>,
    /// What speaks for the likeliest missing edges by the places of the pairs, of `ensemble` alone.
    pub reasons: BTreeMap<usize, Reasons>,
}

impl Denoiser {
    /// With the defaults of everything else.
    ///
    /// ```
    /// use ergodict::denoise::{Denoiser, Method, ensemble::NoiseModel};
    /// assert_eq!(Denoiser::new(Method::Ensemble, NoiseModel::Removed, 0).share, None);
    /// ```
    pub fn new(method: Method, assumed: NoiseModel, seed: u64) -> Self {
        Self { method, assumed, negatives: Negatives::Mixed, share: None, seed }
    }

    /// Scores pairs of nodes of a simple network.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a network that is not simple, for pairs that are none of its nodes, or of one node, and where the
    /// method cannot work: for one without edges, say. [`Error::Interrupted`].
    pub fn scores(
        &self,
        network: &Arc<Network>,
        pairs: &[(u32, u32)],
        progress: &mut Progress<'_>,
    ) -> Result<Scores> {
        simple(network)?;
        check_pairs(network, pairs)?;
        check_room()?;
        let plain = |scores| Scores { scores, ..Scores::default() };
        let mut scored = match self.method {
            Method::Heuristic(heuristic) => plain(heuristic.scores(network, pairs)?),
            Method::Ndr => {
                self.rebuilt(Mode::Plain, network, pairs, progress, |rebuilt| rebuilt.shrunk(0.0))?
            }
            Method::NdrOffMotif => self.rebuilt(Mode::OffMotif, network, pairs, progress, |rebuilt| {
                rebuilt.shrunk(SHRINKAGE * rebuilt.walks as f64)
            })?,
            Method::CoVisits => self.rebuilt(Mode::OffMotif, network, pairs, progress, Rebuilt::visits)?,
            Method::ProNE => {
                progress.at(Stage::Embedding, 0.0)?;
                let columns = prone(network, DIMENSIONS, self.seed)?;
                progress.at(Stage::Heads, 0.0)?;
                let mut scores = score_pairs(network, &columns, pairs, self.seed)?;
                let alone = |v: u32| network.neighbors(v as usize).is_empty();
                let mut count = 0;
                for (score, _) in scores.iter_mut().zip(pairs).filter(|(_, (u, v))| alone(*u) || alone(*v)) {
                    *score = f64::NAN;
                    count += 1;
                }
                Scores { scores, notes: without(count, "without edges"), ..Scores::default() }
            }
            Method::MotifCodes => self.by_motifs(network, pairs, progress)?,
            Method::Ensemble => {
                let options = EnsembleOptions {
                    negatives: self.negatives,
                    share: self.share,
                    ..EnsembleOptions::new(self.assumed)
                };
                let found = ensemble_with_progress(network, pairs, &options, self.seed, progress)?;
                Scores {
                    scores: squashed(&found.scores),
                    probabilities: Some(found.probabilities),
                    notes: Vec::new(),
                    heads: found.reports,
                    reasons: found.reasons,
                }
            }
        };
        let one_sided = |sides: &Sides| pairs.iter().any(|&(u, v)| sides.of(u) == sides.of(v));
        if network.sides().is_some_and(|sides| self.is_trained() || one_sided(&sides)) {
            scored.notes.push(ONE_SIDED.into());
        }
        Ok(scored)
    }

    /// Whether it learns from non-edges of the network.
    fn is_trained(&self) -> bool {
        matches!(self.method, Method::Ensemble | Method::MotifCodes | Method::ProNE)
    }

    /// Observed edges under one assumption, other pairs under the other, where both are made.
    fn by_motifs(
        &self,
        network: &Arc<Network>,
        pairs: &[(u32, u32)],
        progress: &mut Progress<'_>,
    ) -> Result<Scores> {
        let mut logits = vec![f64::NAN; pairs.len()];
        for (noise, rows) in self.assumed.places(network, pairs) {
            progress.at(Stage::Heads, 0.0)?;
            let some: Vec<(u32, u32)> = rows.iter().map(|&row| pairs[row]).collect();
            let name = format!("motif-codes/{}", noise.word());
            let scores = match progress.recall(&name)? {
                Some(scores) => scores,
                None => MotifScores::default().scores(network, &some, noise, self.seed, progress)?,
            };
            progress.keep(&name, &scores)?;
            rows.iter().zip(scores).for_each(|(&row, logit)| logits[row] = logit);
        }
        Ok(Scores { scores: squashed(&logits), ..Scores::default() })
    }

    fn rebuilt(
        &self,
        mode: Mode,
        network: &Arc<Network>,
        pairs: &[(u32, u32)],
        progress: &mut Progress<'_>,
        score: impl FnOnce(&Rebuilt) -> Vec<f64>,
    ) -> Result<Scores> {
        let rebuilt = Ndr::new(mode).rebuild(network, pairs, self.seed, progress)?;
        let mut notes = vec![format!(
            "{} walks saw {:.1} % of the pairs; those never seen score 0",
            rebuilt.walks,
            100.0 * rebuilt.coverage()
        )];
        notes.extend(without(
            rebuilt.outside.iter().filter(|out| **out).count(),
            "outside of the largest component",
        ));
        let scores = score(&rebuilt).into_iter().zip(&rebuilt.outside);
        let scores = scores.map(|(score, &outside)| if outside { f64::NAN } else { score }).collect();
        Ok(Scores { scores, notes, ..Scores::default() })
    }
}

/// What there is to say of a network with two kinds of nodes.
const ONE_SIDED: &str = "the network is bipartite, but pairs of nodes on one side are treated as possible edges: they may rank first, and AUCs and expected numbers are too favorable";

/// What there is to say of pairs without a score.
fn without(count: usize, node: &str) -> Vec<String> {
    let (pairs, rank) = if count == 1 { ("pair has", "it has") } else { ("pairs have", "they have") };
    let note = || format!("{count} {pairs} a node {node}: {rank} no score, and the last rank");
    (count > 0).then(note).into_iter().collect()
}

/// Log odds as numbers between 0 and 1.
fn squashed(logits: &[f64]) -> Vec<f64> {
    logits.iter().map(|logit| 1.0 / (1.0 + (-logit).exp())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::corrupt::{AddModel, Amount, add};
    use crate::data::embedded;
    use crate::denoise::roc::auc;

    #[test]
    fn every_name_is_that_of_a_method() {
        for method in Method::all() {
            assert_eq!(method.to_string().parse::<Method>().unwrap(), method);
        }
        let said = "best".parse::<Method>().unwrap_err().to_string();
        assert!(said.contains("best") && said.contains("ensemble") && said.contains("ra-l3"), "{said}");
        let said = "node2vec".parse::<Method>().unwrap_err().to_string();
        assert!(said.ends_with("`ergodict-paper score` has node2vec"), "{said}");
    }

    #[test]
    fn every_method_scores_every_pair_and_refuses_what_is_none() {
        let lesmis = embedded("@lesmis").unwrap();
        let noisy = add(&lesmis, Amount::Fraction(0.3), AddModel::ErdosRenyi, 3).unwrap();
        let (network, pairs) = (Arc::new(noisy.observed), noisy.truth);
        let labels: Vec<bool> = pairs.iter().map(|pair| pair.2.label()).collect();
        let pairs: Vec<(u32, u32)> = pairs.iter().map(|&(u, v, _)| (u, v)).collect();
        for method in Method::all() {
            let denoising = Denoiser::new(method, NoiseModel::Added, 1);
            let scored = denoising.scores(&network, &pairs, &mut Progress::none()).unwrap();
            assert_eq!(scored.scores.len(), pairs.len(), "{method}");
            assert!(scored.scores.iter().all(|score| score.is_finite()), "{method}");
            // What is never seen scores 0, which has to be the lowest: only the log odds of embeddings may be below.
            let lowest = scored.scores.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(lowest >= 0.0 || method == Method::ProNE, "{method}: {lowest}");
            let found = auc(&scored.scores, &labels).unwrap();
            // The paper's mean over all entries cannot detect false edges, and embeddings of so few nodes may not.
            let may_fail = matches!(method, Method::Ndr | Method::ProNE);
            assert!(found > 0.6 || may_fail, "{method}: {found}");
            assert!(denoising.scores(&network, &[(0, 9999)], &mut Progress::none()).is_err(), "{method}");
            let weighted = Arc::new(lesmis.clone());
            assert!(denoising.scores(&weighted, &[(0, 1)], &mut Progress::none()).is_err(), "{method}");
        }
    }

    #[test]
    fn pairs_that_cannot_be_judged_have_no_score_and_are_last() {
        // A clique with a tail, an edge of its own, and a node without edges.
        let mut edges: Vec<(u32, u32)> = (0..8).flat_map(|u| (0..u).map(move |v| (v, u))).collect();
        edges.extend([(7, 8), (8, 9), (9, 10), (10, 11), (11, 12), (13, 14)]);
        let network = Arc::new(Network::simple(16, &edges).unwrap());
        let pairs = [(13, 14), (0, 9), (0, 13), (2, 15), (0, 12), (8, 10), (1, 8)];
        for method in Method::all() {
            let denoising = Denoiser::new(method, NoiseModel::Removed, 0);
            let scored = denoising.scores(&network, &pairs, &mut Progress::none()).unwrap();
            let none: Vec<usize> = (0..pairs.len()).filter(|&row| scored.scores[row].is_nan()).collect();
            let wanted: &[usize] = match method {
                Method::Ndr | Method::NdrOffMotif | Method::CoVisits => &[0, 2, 3],
                Method::ProNE => &[3],
                _ => &[],
            };
            assert_eq!(none, wanted, "{method}");
            assert_eq!(
                scored.notes.iter().any(|note| note.contains("no score")),
                !none.is_empty(),
                "{method}"
            );
            for likely in [true, false] {
                let order = crate::denoise::order(&scored.scores, likely);
                let mut last = order[pairs.len() - none.len()..].to_vec();
                last.sort_unstable();
                assert_eq!(last, none, "{method}");
            }
        }
    }

    #[test]
    fn memory_is_near_the_peaks_that_were_measured() {
        // The comment in `memory` has both: the networks of 6000 and 60 000 nodes have ten edges a node.
        let megabytes = |method: Method, n, pairs| (method.memory(n, 10 * n, pairs) as f64 / 1e6).round();
        assert_eq!(megabytes(Method::ProNE, 6_000, 60_000), 97.0);
        assert_eq!(megabytes(Method::Ensemble, 6_000, 60_000), 122.0);
        assert_eq!(megabytes(Method::ProNE, 60_000, 200_000), 250.0);
    }

    #[test]
    fn pairs_without_a_score_are_counted_in_a_note() {
        assert!(without(0, "without an edge").is_empty());
        assert_eq!(
            [without(1, "x"), without(2, "x")].concat(),
            [
                "1 pair has a node x: it has no score, and the last rank",
                "2 pairs have a node x: they have no score, and the last rank"
            ]
        );
        let squashed = squashed(&[0.0, 3f64.ln(), f64::NEG_INFINITY]);
        assert!(squashed[0] == 0.5 && (squashed[1] - 0.75).abs() < 1e-15 && squashed[2] == 0.0);
    }

    #[test]
    fn memory_is_its_formula_and_few_methods_score_pairs_that_walks_do_not_join() {
        let (n, m, pairs) = (1000, 5000, 300);
        for method in Method::all() {
            let (numbers, learns, heads) = match method {
                Method::Heuristic(heuristic) => {
                    (if heuristic.is_of_three_edges() { 32 } else { 0 }, false, 0)
                }
                Method::Ndr | Method::NdrOffMotif | Method::CoVisits => (3, false, 0),
                Method::ProNE => (256, false, 1),
                Method::MotifCodes => (32, true, 1),
                Method::Ensemble => (384, true, 1),
            };
            let rows = if learns { pairs + m } else { pairs };
            let expected = 8 * n * numbers + rows * (PER_PAIR / 2) + heads * (64 << 20);
            assert_eq!(method.memory(n, m, pairs), expected, "{method}");
            assert_eq!(method.memory(u64::MAX, m, pairs) == u64::MAX, numbers > 0, "{method}");
        }
        let distant: Vec<String> = Method::all()
            .into_iter()
            .filter(|method| !method.is_local())
            .map(|one| one.to_string())
            .collect();
        assert!(distant.iter().any(|name| name == "jaccard") && distant.iter().any(|name| name == "prone"));
        for name in ["common-neighbors", "adamic-adar", "l3", "ensemble", "motif-codes"] {
            assert!(!distant.iter().any(|other| other == name), "{name}");
        }
        assert!(distant.iter().any(|name| name == "preferential-attachment"));
        let squares = squashed(&[0.0, 2.0, -2.0]);
        assert!(squares[0] == 0.5 && (squares[1] + squares[2] - 1.0).abs() < 1e-15);
        assert!((squares[1] - 1.0 / (1.0 + (-2f64).exp())).abs() < 1e-15);
    }
}
