//! Network denoising by reconstruction: latent motifs of the observed network reconstruct it, and what they make of a pair is its score.
//!
//! | paper, docs/denoising.md | here |
//! |---|---|
//! | the dictionary of the observed network | [`Ndr::learning`], `k` |
//! | `S`, `C` of a pair: sum and number of its rebuilt entries | [`Rebuilt`] |
//! | the paper's score, the mean over all entries | [`Mode::Plain`] and `S/C` |
//! | off-motif: entries at edges of the walk itself and folded ones left out | [`Mode::OffMotif`] |
//! | shrinkage | [`Rebuilt::shrunk`], `S/(C + α)` |
//! | co-visits, the ablation without a dictionary | [`Rebuilt::visits`], `C` |
//!
//! Walks go on until enough of the pairs asked for were seen, not for a fixed number of samples. A pair that was never seen
//! scores 0, the lowest score: entries are not negative.

use super::{Progress, Stage};
use crate::chain::{Motif, MotifWalker, SamplerBuilder, SamplerKind};
use crate::data::Network;
use crate::linalg::Mat;
use crate::reconstruct::network::{Mode, ReconstructionSettings, Reconstructor, Targets};
use crate::rng::ids;
use crate::run::NetworkLearning;
use crate::{Error, Result};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time between two states that a checkpoint could have.
const BETWEEN: Duration = Duration::from_secs(2);

/// Parameters of denoising by reconstruction.
///
/// A pair scores `S/C`, the mean of its reconstructed entries in patches of sampled walks, or `S/(C + α)`.
///
/// ```
/// use ergodict::run::NetworkLearning;
/// use ergodict::{denoise::{Ndr, Progress}, reconstruct::network::Mode};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let learning = NetworkLearning { steps: 10, ..NetworkLearning::new(9) };
/// let ndr = Ndr { k: 5, learning, walks: 2000, ..Ndr::new(Mode::Plain) };
/// let scores = ndr.rebuild(&karate, &[(0, 1), (11, 26)], 0, &mut Progress::none())?.shrunk(0.0);
/// assert!(scores[0] > scores[1]); // an edge, and none
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ndr {
    /// Nodes of a walk.
    pub k: usize,
    /// How walks are drawn.
    pub sampler: SamplerKind,
    /// How the dictionary is learned.
    pub learning: NetworkLearning,
    /// How patches are reconstructed.
    pub reconstruction: ReconstructionSettings,
    /// The share of pairs to be seen.
    pub coverage: f64,
    /// How often a pair is to be seen to count.
    pub visits: u64,
    /// Most walks, whatever was seen by then.
    pub walks: u64,
}

impl Ndr {
    /// Walkers that share the walks; a fixed number, so that threads change nothing.
    pub const WALKERS: u64 = 8;
    /// Walks between two looks at how many pairs were seen.
    pub const BLOCK: u64 = 50_000;

    /// The paper's dictionary, 25 atoms of walks of 21 nodes.
    pub fn new(mode: Mode) -> Self {
        let reconstruction = ReconstructionSettings { mode, ..ReconstructionSettings::default() };
        let learning = NetworkLearning::new(25);
        Self {
            k: 21,
            sampler: SamplerKind::Walk,
            learning,
            reconstruction,
            coverage: 0.95,
            visits: 20,
            walks: 4_000_000,
        }
    }

    /// Learns the dictionary of the network and reconstructs the pairs with it.
    ///
    /// Walks are in the largest component, where there are several.
    ///
    /// # Errors
    /// Those of learning and reconstructing: [`Error::Parameter`] for parameters out of range; [`Error::Interrupted`] when `progress`
    /// asks to stop.
    pub fn rebuild(
        &self,
        network: &Arc<Network>,
        pairs: &[(u32, u32)],
        seed: u64,
        progress: &mut Progress<'_>,
    ) -> Result<Rebuilt> {
        let nodes = network.nodes() as u32;
        if let Some(&(u, v)) = pairs.iter().find(|(u, v)| *u.max(v) >= nodes) {
            let expected = format!("the network has {nodes} nodes");
            return Err(Error::parameter("a pair", format!("({u}, {v})"), expected));
        }
        let (part, inside) = inside(network, pairs)?;
        let motif = Motif::path(self.k)?;
        let sampler = SamplerBuilder::default().build(self.sampler, &part, &motif, seed)?;
        let learned = self.learning.learn::<f64>(&[(Arc::clone(&part), Arc::clone(&sampler))], seed)?;
        let dictionary = learned.dictionary().clone();
        let targets: Vec<(u32, u32)> = inside.iter().flatten().copied().filter(|(u, v)| u != v).collect();
        let mut rebuilt = Reconstructor::<f32>::new(
            &dictionary,
            &part,
            &motif,
            &self.reconstruction,
            Targets::Only(targets.clone()),
        )?;
        let walkers = (0..Self::WALKERS)
            .map(|id| MotifWalker::new(Arc::clone(&sampler), seed, ids::REBUILDING + id, 0, 1));
        let mut walkers = walkers.collect::<Result<Vec<_>>>()?;
        let enough = (self.coverage * targets.len() as f64).ceil() as usize;
        let seen = |rebuilt: &Reconstructor<f32>, visits| {
            targets.iter().filter(|&&(u, v)| rebuilt.sums().get(u, v).1 >= visits).count()
        };
        if let Some(saved) = progress.recall_all("walks/").filter(|saved| saved.has("point")) {
            let point = saved.json("point")?;
            rebuilt.seek(&point, &mut walkers, &mut saved.reader("sums")?, saved.path())?;
        }
        let mut kept = Instant::now();
        while rebuilt.taken() < self.walks && seen(&rebuilt, self.visits) < enough {
            rebuilt.absorb(&mut walkers, Self::BLOCK.min(self.walks - rebuilt.taken()))?;
            if kept.elapsed() >= BETWEEN
                && let Some(mut state) = progress.recall_all("nothing/")
            {
                state.put_json("point", &rebuilt.point(&walkers))?;
                let path = state.path().to_owned();
                state.put_stream("sums", |mut out| rebuilt.sums().write(&mut out, &path))?;
                progress.keep_all("walks/", state);
                kept = Instant::now();
            }
            progress.at(Stage::Walks, rebuilt.taken() as f64 / self.walks as f64)?;
        }
        let sums = inside.iter().map(|pair| match pair {
            Some((u, v)) if u != v => rebuilt.sums().get(*u, *v),
            _ => (0.0, 0),
        });
        let sums = sums.collect();
        Ok(Rebuilt {
            sums,
            walks: rebuilt.taken(),
            dictionary,
            outside: inside.iter().map(Option::is_none).collect(),
        })
    }
}

/// What became of the pairs.
///
/// ```
/// use ergodict::{denoise::Rebuilt, linalg::Mat};
/// let rebuilt = Rebuilt { sums: vec![(3.0, 4), (0.0, 0)], walks: 9, dictionary: Mat::zeros(9, 1), outside: vec![false; 2] };
/// assert_eq!((rebuilt.shrunk(0.0), rebuilt.shrunk(2.0)), (vec![0.75, 0.0], vec![0.5, 0.0]));
/// assert_eq!((rebuilt.visits(), rebuilt.coverage()), (vec![4.0, 0.0], 0.5));
/// ```
#[derive(Clone, Debug)]
pub struct Rebuilt {
    /// `S` and `C` of each pair.
    pub sums: Vec<(f64, u64)>,
    /// Walks that were taken.
    pub walks: u64,
    /// The dictionary that reconstructed them, `k² × r`.
    pub dictionary: Mat<f64>,
    /// Whether a pair has a node outside of the largest component, where no walk sees it.
    pub outside: Vec<bool>,
}

impl Rebuilt {
    /// `S/(C + α)` of each pair; `S/C` for `α = 0`.
    pub fn shrunk(&self, alpha: f64) -> Vec<f64> {
        let score = |&(sum, count): &(f64, u64)| if count == 0 { 0.0 } else { sum / (count as f64 + alpha) };
        self.sums.iter().map(score).collect()
    }

    /// `C` of each pair.
    pub fn visits(&self) -> Vec<f64> {
        self.sums.iter().map(|&(_, count)| count as f64).collect()
    }

    /// The share of pairs that were seen.
    pub fn coverage(&self) -> f64 {
        let seen = self.sums.iter().filter(|(_, count)| *count > 0).count();
        seen as f64 / self.sums.len().max(1) as f64
    }
}

/// The largest component, and the pairs in it.
type Inside = (Arc<Network>, Vec<Option<(u32, u32)>>);

fn inside(network: &Arc<Network>, pairs: &[(u32, u32)]) -> Result<Inside> {
    let parts = network.components();
    if parts.sizes.len() == 1 {
        return Ok((Arc::clone(network), pairs.iter().copied().map(Some).collect()));
    }
    let nodes = parts.nodes(0);
    drop(parts);
    let place = |v: u32| nodes.binary_search(&v).ok().map(|at| at as u32);
    let pair = |&(u, v): &(u32, u32)| Some((place(u)?, place(v)?));
    let pairs = pairs.iter().map(pair).collect();
    Ok((Arc::new(network.part_alike(&nodes)?), pairs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::denoise::roc::auc;

    fn small(mode: Mode) -> Ndr {
        Ndr {
            k: 6,
            walks: 100_000,
            learning: NetworkLearning { steps: 30, ..NetworkLearning::new(6) },
            ..Ndr::new(mode)
        }
    }

    /// Three cliques of nine nodes in a ring, with false edges between them.
    fn noisy_cliques() -> (Arc<Network>, Vec<(u32, u32)>, Vec<bool>) {
        let (mut pairs, mut labels) = (Vec::new(), Vec::new());
        for c in 0..3u32 {
            for u in 0..9 {
                for v in 0..u {
                    pairs.push((9 * c + v, 9 * c + u));
                    labels.push(true);
                }
                for step in [1, 4] {
                    pairs.push((9 * c + u, (9 * (c + 1) + (u + step) % 9) % 27));
                    labels.push(false);
                }
            }
        }
        (Arc::new(Network::simple(27, &pairs).unwrap()), pairs, labels)
    }

    #[test]
    fn off_motif_scores_and_visits_find_false_edges() {
        let (network, pairs, labels) = noisy_cliques();
        let rebuilt = small(Mode::OffMotif).rebuild(&network, &pairs, 1, &mut Progress::none()).unwrap();
        assert!(auc(&rebuilt.shrunk(20.0), &labels).unwrap() > 0.99);
        assert!(auc(&rebuilt.visits(), &labels).unwrap() > 0.9);
        // Pairs on walks themselves are not separated: the paper's mean is larger on all of them.
        let plain = small(Mode::Plain).rebuild(&network, &pairs, 1, &mut Progress::none()).unwrap();
        let sums = |rebuilt: &Rebuilt| rebuilt.shrunk(0.0).iter().sum::<f64>();
        assert!(sums(&plain) > sums(&rebuilt));
    }

    #[test]
    fn pairs_outside_of_the_largest_component_score_nothing() {
        let mut edges = vec![(0, 1), (1, 2), (2, 3), (0, 3), (3, 4), (0, 2)];
        edges.push((5, 6));
        let network = Arc::new(Network::simple(7, &edges).unwrap());
        let pairs = [(5, 6), (0, 4), (0, 5), (2, 0), (1, 1)];
        let rebuilt = small(Mode::Plain).rebuild(&network, &pairs, 0, &mut Progress::none()).unwrap();
        assert_eq!(rebuilt.outside, [true, false, true, false, false]);
        assert_eq!((rebuilt.sums[0], rebuilt.sums[2], rebuilt.sums[4]), ((0.0, 0), (0.0, 0), (0.0, 0)));
        assert!(rebuilt.sums[1].1 > 0 && rebuilt.sums[3].1 > 0);
        assert_eq!(rebuilt.coverage(), 0.4);
        let said = small(Mode::Plain).rebuild(&network, &[(0, 9)], 0, &mut Progress::none()).unwrap_err();
        assert!(said.to_string().contains("7 nodes"), "{said}");
    }

    #[test]
    fn it_can_be_stopped() {
        let (network, pairs, _) = noisy_cliques();
        let mut stop = |_: Stage, _: f64| false;
        let stopped = small(Mode::Plain).rebuild(&network, &pairs, 1, &mut Progress::new(&mut stop));
        assert!(matches!(stopped, Err(Error::Interrupted)));
    }

    #[test]
    fn defaults_are_the_dictionary_of_the_paper() {
        let ndr = Ndr::new(Mode::OffMotif);
        assert_eq!((ndr.k, ndr.learning.parameters.atoms), (21, 25));
        assert_eq!((ndr.coverage, ndr.visits, ndr.walks), (0.95, 20, 4_000_000));
        assert_eq!((ndr.sampler, ndr.reconstruction.mode), (SamplerKind::Walk, Mode::OffMotif));
    }

    #[test]
    fn walks_end_when_enough_was_seen_or_with_the_most() {
        let (network, pairs, _) = noisy_cliques();
        let walks = |walks, visits| {
            let ndr = Ndr { visits, walks, ..small(Mode::Plain) };
            ndr.rebuild(&network, &pairs, 1, &mut Progress::none()).unwrap().walks
        };
        assert_eq!(walks(1_000_000, 5), Ndr::BLOCK);
        assert_eq!(walks(60_000, u64::MAX), 60_000);
    }
}
