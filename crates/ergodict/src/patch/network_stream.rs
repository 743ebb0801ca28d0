//! Minibatches of network patches: chains of homomorphisms in one network or several, observed together.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `X_t`, `N` patches as columns | [`NetworkStream::fill`], `batch` | docs/maths.md, Patches |
//! | the chain between minibatches | a [`MotifWalker`] for each network and chain | docs/maths.md, Homomorphisms |
//! | a network that changes | [`NetworkStream::follow`] | docs/maths.md, Patches, temporal networks |
//!
//! The `N` columns are shared among all networks and all chains of each, in a fixed order: the chains of the first network, then those of
//! the second, and so on; where `N` is no multiple of their number, the first have one column more. So one step learns from all of
//! them alike, and its statistics are the sum of those of each chain.

use super::NetworkPatches;
use crate::chain::diagnostics::Acceptance;
use crate::chain::{MotifPoint, MotifSampler, MotifWalker, SamplingSettings, Tally};
use crate::data::{Adjacency, Network};
use crate::linalg::{Mat, Scalar};
use crate::{Error, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Chains of all networks of a stream, and networks that follow each other, are fewer: their numbers share a stream's id.
const MOST: usize = 1 << 16;

/// How chains are watched.
///
/// ```
/// use ergodict::patch::BatchPlan;
/// let watching = BatchPlan { chains: 4, every: 10, ..BatchPlan::default() };
/// assert_eq!((watching.batch, watching.burn_in), (100, 0)); // the paper's hundred patches
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BatchPlan {
    /// Columns of a minibatch, `N`.
    pub batch: usize,
    /// Chains in each network.
    pub chains: usize,
    /// Steps of a chain before the first homomorphism that is kept.
    pub burn_in: u64,
    /// Steps from one that is kept to the next.
    pub every: u64,
    /// Bytes that the tests of adjacency of all networks may take, if it was said: see [`Adjacency::of_bytes`]. No result depends on it.
    pub memory: Option<usize>,
}

impl BatchPlan {
    /// Minibatches of `batch` columns, from chains as they are set.
    pub(crate) fn new(batch: usize, sampling: &SamplingSettings) -> Self {
        let memory = sampling.memory_of_adjacency();
        let chains = sampling.chains() as usize;
        Self { batch, chains, burn_in: sampling.burn_in, every: sampling.every, memory }
    }
}

impl Default for BatchPlan {
    /// One chain, a hundred columns, every homomorphism: the paper's setting.
    fn default() -> Self {
        Self { batch: 100, chains: 1, burn_in: 0, every: 1, memory: None }
    }
}

/// Where a stream is, so that it can go on later: all but the networks and their samplers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct NetworkPoint {
    /// Networks that were left behind by [`NetworkStream::follow`].
    pub passed: u64,
    /// Chains that went on into another network, and that had to start again there.
    pub moved: ChainTransfer,
    /// Where the chains are.
    pub chains: Vec<MotifPoint>,
}

/// What became of the chains of networks that changed.
///
/// ```
/// use ergodict::patch::ChainTransfer;
/// let nothing = ChainTransfer::default();
/// assert_eq!((nothing.continued, nothing.restarted), (0, 0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ChainTransfer {
    /// Their homomorphisms were still homomorphisms, and they went on from there.
    pub continued: u64,
    /// Their homomorphisms were none any more, and they started again.
    pub restarted: u64,
}

/// Patches of networks, minibatch by minibatch.
///
/// A minibatch is k² × N: N homomorphisms, shared among all networks and all chains of each in a fixed order, as the columns `A_x`.
pub(crate) struct NetworkStream {
    patches: Vec<NetworkPatches>,
    /// Those of the first network come first.
    walkers: Vec<MotifWalker>,
    watching: BatchPlan,
    seed: u64,
    k: usize,
    xs: Vec<u32>,
    passed: u64,
    moved: ChainTransfer,
}

/// What one chain does of a minibatch.
struct Task<'a, T> {
    patches: &'a NetworkPatches,
    walker: &'a mut MotifWalker,
    xs: &'a mut [u32],
    columns: &'a mut [T],
}

impl NetworkStream {
    /// Watches samplers of the same motif in their networks, all from the streams of one seed.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no network, when motifs differ in size, and for a rhythm or numbers of chains
    /// and columns that cannot be.
    pub(crate) fn new(
        networks: &[(Arc<Network>, Arc<dyn MotifSampler>)],
        watching: BatchPlan,
        seed: u64,
    ) -> Result<Self> {
        let chains = networks.len().saturating_mul(watching.chains);
        let Some(k) = networks.first().map(|(_, sampler)| sampler.motif().k()) else {
            return Err(Error::parameter("the number of networks", 0, "at least one is needed"));
        };
        if let Some((_, other)) = networks.iter().find(|(_, sampler)| sampler.motif().k() != k) {
            let k = format!("{k} and {}", other.motif().k());
            return Err(Error::parameter("the nodes of motifs", k, "they must be the same in all networks"));
        }
        if chains == 0 || chains >= MOST {
            let expected = format!("it must be at least 1 and below {MOST} in all networks together");
            return Err(Error::parameter("chains", chains, expected));
        }
        if watching.batch < chains {
            let expected = format!("each of {chains} chains needs at least one column of a minibatch");
            return Err(Error::parameter("batch", watching.batch, expected));
        }
        let walkers = networks.iter().enumerate().flat_map(|(at, (_, sampler))| {
            (0..watching.chains).map(move |chain| {
                let id = (at * watching.chains + chain) as u64;
                MotifWalker::new(Arc::clone(sampler), seed, id, watching.burn_in, watching.every)
            })
        });
        let walkers = walkers.collect::<Result<Vec<_>>>()?;
        let each = watching.memory.map(|bytes| bytes / networks.len());
        let patches =
            networks.iter().map(|(network, _)| NetworkPatches::with(Adjacency::of_bytes(network, each), k));
        let (patches, moved) = (patches.collect(), ChainTransfer::default());
        Ok(Self { patches, walkers, watching, seed, k, xs: Vec::new(), passed: 0, moved })
    }

    /// The next minibatch, `k²` × `batch`; resizes `x`.
    pub(crate) fn fill<T: Scalar>(&mut self, x: &mut Mat<T>) {
        let (k, batch, chains) = (self.k, self.watching.batch, self.walkers.len());
        x.shape_to(k * k, batch);
        self.xs.resize(k * batch, 0);
        let (stride, patches, each) = (x.stride(), &self.patches, self.watching.chains);
        let (mut xs, mut columns) = (&mut self.xs[..], x.padded_mut());
        let mut tasks = self.walkers.iter_mut().enumerate().map(|(at, walker)| {
            let share = batch / chains + usize::from(at < batch % chains);
            let (own, rest) = std::mem::take(&mut xs).split_at_mut(share * k);
            xs = rest;
            let (own_columns, rest) = std::mem::take(&mut columns).split_at_mut(share * stride);
            columns = rest;
            Task { patches: &patches[at / each], walker, xs: own, columns: own_columns }
        });
        let work = |task: Task<'_, T>| {
            task.walker.fill(task.xs);
            task.patches.write_strided(task.xs, task.columns, stride);
        };
        if chains == 1 {
            tasks.for_each(work);
        } else {
            let tasks: Vec<_> = tasks.by_ref().collect();
            tasks.into_par_iter().for_each(work);
        }
    }

    /// Goes over to the network that this one became, with a sampler of the same motif in it: a chain goes on where it is, node by
    /// node under the same name, if that is a homomorphism there, and else starts again. Tells what the chains did.
    ///
    /// # Errors
    /// [`Error::Parameter`] for streams of several networks, for another size of the motif, and after too many networks.
    pub(crate) fn follow(
        &mut self,
        network: &Arc<Network>,
        sampler: &Arc<dyn MotifSampler>,
    ) -> Result<ChainTransfer> {
        if self.patches.len() != 1 {
            let expected = "only a stream of one network follows its changes";
            return Err(Error::parameter("the number of networks", self.patches.len(), expected));
        }
        if sampler.motif().k() != self.k {
            let expected = format!("it must have {} nodes as before", self.k);
            return Err(Error::parameter("the motif", sampler.motif().k(), expected));
        }
        if self.passed + 1 >= MOST as u64 {
            let expected = format!("a stream follows fewer than {MOST}");
            return Err(Error::parameter("the number of networks", self.passed + 1, expected));
        }
        self.passed += 1;
        let before = self.patches[0].network();
        let mut moved = ChainTransfer::default();
        for (chain, walker) in self.walkers.iter_mut().enumerate() {
            let id = self.passed * MOST as u64 + chain as u64;
            let named = |&v: &u32| network.ids().find(&before.ids().name(v as usize)).map(|v| v as u32);
            let state: Option<Vec<u32>> = walker.state().iter().map(named).collect();
            let watching = &self.watching;
            let there = state.filter(|state| sampler.is_state(state));
            // Who goes on is where it should be, and needs no burn-in.
            let burn_in = if there.is_some() { 0 } else { watching.burn_in };
            let mut next = MotifWalker::new(Arc::clone(sampler), self.seed, id, burn_in, watching.every)?;
            *(if there.is_some() { &mut moved.continued } else { &mut moved.restarted }) += 1;
            let point = next.point();
            let mut acceptance = walker.acceptance();
            acceptance.add(point.acceptance);
            let state = there.unwrap_or_else(|| point.state.clone());
            next.seek(&MotifPoint { state, acceptance, ..point })?;
            *walker = next;
        }
        // Never the tables of both.
        self.patches.clear();
        let adjacency = Adjacency::of_bytes(network, self.watching.memory);
        self.patches.push(NetworkPatches::with(adjacency, self.k));
        self.moved.continued = self.moved.continued.saturating_add(moved.continued);
        self.moved.restarted = self.moved.restarted.saturating_add(moved.restarted);
        Ok(moved)
    }

    /// The homomorphisms of the last minibatch, `k` nodes each.
    #[cfg(test)]
    pub(crate) fn homomorphisms(&self) -> &[u32] {
        &self.xs
    }

    /// The columns of each chain in a minibatch, in the order of the columns.
    pub(crate) fn shares(&self) -> impl Iterator<Item = usize> {
        let (batch, chains) = (self.watching.batch, self.walkers.len());
        (0..chains).map(move |at| batch / chains + usize::from(at < batch % chains))
    }

    /// Proposals accepted and made by all chains.
    pub(crate) fn acceptance(&self) -> Acceptance {
        let mut all = Acceptance::default();
        self.walkers.iter().for_each(|walker| all.add(walker.acceptance()));
        all
    }

    /// What became of chains in networks that changed.
    pub(crate) fn moved(&self) -> ChainTransfer {
        self.moved
    }

    /// Where it is.
    pub(crate) fn point(&self) -> NetworkPoint {
        let chains = self.walkers.iter().map(MotifWalker::point).collect();
        NetworkPoint { passed: self.passed, moved: self.moved, chains }
    }

    /// Goes to where a stream of the same networks, seed and watching was. After [`NetworkStream::follow`] this stream must be one of the network that
    /// the other had come to.
    ///
    /// # Errors
    /// As [`MotifWalker::seek`]; [`Error::Shape`] for another number of chains.
    pub(crate) fn seek(&mut self, point: &NetworkPoint) -> Result<()> {
        if point.chains.len() != self.walkers.len() {
            let found = format!("{} chains", point.chains.len());
            return Err(Error::shape("the state", found, format!("{} chains", self.walkers.len())));
        }
        if point.passed >= MOST as u64 {
            let expected = format!("a stream follows fewer than {MOST}");
            return Err(Error::parameter("the number of networks", point.passed, expected));
        }
        if point.passed != self.passed {
            // The chains of later networks have streams of their own.
            let sampler = self.walkers[0].shared_sampler();
            for (chain, walker) in self.walkers.iter_mut().enumerate() {
                let id = point.passed * MOST as u64 + chain as u64;
                *walker = MotifWalker::new(Arc::clone(&sampler), self.seed, id, 0, self.watching.every)?;
            }
        }
        for (walker, point) in self.walkers.iter_mut().zip(&point.chains) {
            walker.seek(point)?;
        }
        (self.passed, self.moved) = (point.passed, point.moved);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{Motif, SamplerBuilder, SamplerKind};
    use crate::data::{Build, NodeIds, embedded};

    fn sampled(network: &Arc<Network>, k: usize) -> (Arc<Network>, Arc<dyn MotifSampler>) {
        let motif = Motif::path(k).unwrap();
        let sampler = SamplerBuilder::default().build(SamplerKind::Pivot, network, &motif, 0).unwrap();
        (Arc::clone(network), sampler)
    }

    fn some(name: &str) -> Arc<Network> {
        Arc::new(embedded(name).unwrap().unweighted())
    }

    #[test]
    fn columns_are_the_patches_of_every_chain_in_their_order() {
        let (first, second) = (some("@karate"), some("@kite"));
        for memory in [None, Some(0)] {
            let watching = BatchPlan { batch: 11, chains: 2, burn_in: 3, every: 2, memory };
            let mut stream =
                NetworkStream::new(&[sampled(&first, 4), sampled(&second, 4)], watching, 5).unwrap();
            let mut x = Mat::<f64>::zeros(0, 0);
            let walker =
                |network: &Arc<Network>, id| MotifWalker::new(sampled(network, 4).1, 5, id, 3, 2).unwrap();
            let mut walkers = [walker(&first, 0), walker(&first, 1), walker(&second, 2), walker(&second, 3)];
            for _ in 0..3 {
                stream.fill(&mut x);
                assert_eq!((x.rows(), x.cols()), (16, 11));
                let mut at = 0;
                for ((walker, share), network) in
                    walkers.iter_mut().zip([3, 3, 3, 2]).zip([&first, &first, &second, &second])
                {
                    let mut xs = vec![0; 4 * share];
                    walker.fill(&mut xs);
                    for h in xs.chunks_exact(4) {
                        assert_eq!(&stream.homomorphisms()[4 * at..][..4], h);
                        for a in 0..4 {
                            for b in 0..4 {
                                let weight = network.weight(h[a] as usize, h[b] as usize);
                                assert_eq!(x.col(at)[4 * a + b], weight);
                            }
                        }
                        at += 1;
                    }
                }
                assert_eq!(at, 11);
            }
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same() {
        let network = some("@lesmis");
        let all = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let watching = BatchPlan { batch: 50, chains: 7, ..BatchPlan::default() };
                let mut stream = NetworkStream::new(&[sampled(&network, 6)], watching, 1).unwrap();
                let mut x = Mat::<f32>::zeros(0, 0);
                (0..4)
                    .map(|_| {
                        stream.fill(&mut x);
                        x.clone()
                    })
                    .collect::<Vec<_>>()
            })
        };
        let one = all(1);
        assert!([2, 3, 8].into_iter().all(|threads| all(threads) == one));
        assert_ne!(one[0], one[1]);
    }

    #[test]
    fn chains_follow_their_network_where_they_can() {
        let path = |names: [&str; 3]| {
            let edges = [(0, 1, 1.0), (1, 2, 1.0)];
            Arc::new(Network::build(NodeIds::words(names), &edges, false, Build::default()).unwrap().0)
        };
        // b–c is an edge of both, a–b only of the first.
        let (before, after) = (path(["a", "b", "c"]), path(["b", "c", "d"]));
        let watching = BatchPlan { batch: 40, chains: 40, ..BatchPlan::default() };
        let mut stream = NetworkStream::new(&[sampled(&before, 2)], watching, 3).unwrap();
        let mut x = Mat::<f64>::zeros(0, 0);
        stream.fill(&mut x);
        let stays = |walker: &MotifWalker| walker.state().iter().all(|&v| v > 0);
        let expected: Vec<Option<Vec<u32>>> = (stream.walkers.iter())
            .map(|walker| stays(walker).then(|| walker.state().iter().map(|v| v - 1).collect()))
            .collect();
        let on = expected.iter().flatten().count() as u64;
        assert!(on > 5 && on < 35, "{on} of 40");
        let (network, sampler) = sampled(&after, 2);
        let moved = stream.follow(&network, &sampler).unwrap();
        assert_eq!((moved, stream.moved()), (ChainTransfer { continued: on, restarted: 40 - on }, moved));
        for (walker, expected) in stream.walkers.iter().zip(&expected) {
            assert!(expected.as_ref().is_none_or(|state| walker.state() == state));
        }
        // A stream that begins with the second network can go to where this one is.
        let point = stream.point();
        let mut other = NetworkStream::new(&[sampled(&after, 2)], watching, 3).unwrap();
        other.seek(&point).unwrap();
        let mut y = x.clone();
        for _ in 0..3 {
            stream.fill(&mut x);
            other.fill(&mut y);
            assert_eq!((&x, stream.homomorphisms()), (&y, other.homomorphisms()));
        }
        assert_eq!(stream.point(), other.point());
    }

    #[test]
    fn a_node_written_in_another_way_is_another() {
        let edges = [(0, 1, 1.0)];
        let of_names = |ids| Arc::new(Network::build(ids, &edges, false, Build::default()).unwrap().0);
        let watching = BatchPlan { batch: 1, ..BatchPlan::default() };
        // `01` of a network of words is not the 1 of one of integers.
        for (names, on) in [(["01", "2"], 0), (["1", "2"], 1)] {
            let mut stream =
                NetworkStream::new(&[sampled(&of_names(NodeIds::words(names)), 2)], watching, 3).unwrap();
            let (network, sampler) = sampled(&of_names(NodeIds::integers(vec![1, 2])), 2);
            let moved = stream.follow(&network, &sampler).unwrap();
            assert_eq!(moved, ChainTransfer { continued: on, restarted: 1 - on });
        }
    }

    #[test]
    fn the_default_is_the_papers_setting() {
        let paper = BatchPlan { batch: 100, chains: 1, burn_in: 0, every: 1, memory: None };
        assert_eq!(BatchPlan::default(), paper);
    }

    #[test]
    fn networks_that_follow_each_other_are_limited() {
        let karate = sampled(&some("@karate"), 2);
        let watching = BatchPlan { batch: 1, ..BatchPlan::default() };
        let mut stream = NetworkStream::new(std::slice::from_ref(&karate), watching, 3).unwrap();
        let at = |passed| NetworkPoint { passed, ..stream.point() };
        let [before, last, beyond] = [MOST as u64 - 2, MOST as u64 - 1, MOST as u64].map(at);
        assert!(stream.seek(&beyond).is_err());
        stream.seek(&last).unwrap();
        assert!(stream.follow(&karate.0, &karate.1).is_err());
        stream.seek(&before).unwrap();
        stream.follow(&karate.0, &karate.1).unwrap();
        assert_eq!(stream.point().passed, last.passed);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let network = some("@kite");
        let new = |networks: &[_], batch, chains| {
            let watching = BatchPlan { batch, chains, ..BatchPlan::default() };
            NetworkStream::new(networks, watching, 0).err().map(|error| error.to_string())
        };
        assert!(new(&[], 1, 1).unwrap().contains("at least one"));
        assert!(new(&[sampled(&network, 2), sampled(&network, 3)], 9, 1).unwrap().contains("same in all"));
        assert!(new(&[sampled(&network, 2)], 9, 0).unwrap().contains("chains"));
        assert!(
            new(&[sampled(&network, 2), sampled(&network, 2)], 3, 2).unwrap().contains("at least one column")
        );
        let two = BatchPlan { batch: 2, ..BatchPlan::default() };
        let mut several = NetworkStream::new(&[sampled(&network, 2), sampled(&network, 2)], two, 0).unwrap();
        let (network, sampler) = sampled(&network, 2);
        assert!(several.follow(&network, &sampler).is_err());
        let mut one = NetworkStream::new(&[(network, sampler)], two, 0).unwrap();
        assert!(one.seek(&several.point()).is_err());
    }
}
