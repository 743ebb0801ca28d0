//! Chains: the Markov chains `Y_t` that are observed, their generators, and how well they mix.
//!
//! | chain | state | file |
//! |---|---|---|
//! | positions on images | one position per image | `image_walk.rs` |
//! | Ising model on a lattice, random scan and checkerboard | spins ±1 | `ising.rs`, `checkerboard.rs` |
//! | Ising model on any graph | spins ±1 | `ising_graph.rs` |
//! | Ising and Potts models by clusters | as theirs | `cluster/` |
//! | Potts model | labels `0..q` | `potts.rs` |
//! | XY model | angles | `xy.rs`, clusters in `cluster/reflection.rs` |
//! | cellular Potts model | labels, volumes, perimeters | `cellular_potts.rs` |
//! | restricted Boltzmann machine | visible units 0, 1 | `rbm.rs`, several chains at once in `persistent.rs` |
//! | homomorphisms of a motif into a network | the node at each node of the motif | `motif/` |
//! | any transition matrix | its index | `finite.rs` |
//! | bars that switch, for the demo | brightness of each bar | `bars.rs` |

mod bars;
mod cellular_potts;
mod checkerboard;
mod cluster;
mod derived;
pub mod diagnostics;
mod finite;
mod heat_bath;
mod image_walk;
mod ising;
mod ising_graph;
mod ising_scan;
mod lattice;
mod motif;
mod neighborhood;
pub mod observables;
pub mod onsager;
mod persistent;
mod potts;
mod potts_checkerboard;
mod rbm;
mod rhythm;
mod spins;
mod subsampled;
mod system;
mod trace;
mod walker;
mod watched;
mod xy;

pub use bars::{Bars, BarsState};
pub use cellular_potts::Proposal;
pub(crate) use cellular_potts::{CellularPotts, CellularPottsParameters};
pub use checkerboard::Checkerboard;
pub use cluster::ClusterSizes;
pub(crate) use cluster::{ReflectedClusters, Reflection, SwendsenWang, Wolff};
pub use derived::{Derived, Quantity, SampledSystem};
use diagnostics::Acceptance;
pub use finite::FiniteChain;
pub use image_walk::{ImageWalk, Placement, Walkers};
pub use ising::{Field, Ising};
pub(crate) use ising_graph::IsingGraph;
pub use lattice::{Boundary, Lattice};
pub(crate) use motif::Extension;
pub use motif::{
    ChosenSampler, Component, Density, ExactSampler, Lazy, Macc, Motif, MotifObservable, MotifPoint,
    MotifSampler, MotifWalker, RootedTree, SampledNetwork, SamplerBuilder, SamplerKind, SamplingSettings,
    Use,
};
pub use observables::Observable;
pub use persistent::PersistentChains;
pub use potts::Potts;
pub use potts_checkerboard::PottsCheckerboard;
use rand_chacha::ChaCha8Rng;
pub(crate) use rbm::Rbm;
pub use rhythm::Thinning;
pub(crate) use spins::MOST_LABELS;
pub use spins::{Alphabet, SpinSystem};
pub use subsampled::Subsampled;
pub use system::{SystemData, SystemKind, SystemSettings, Update};
pub use trace::Trace;
pub use walker::{ChainPoint, SpinWalk, Walker};
pub(crate) use watched::{MEAN_PIXEL, SITE_ENERGY, mixed};
pub use watched::{MixingReport, TraceSet};
pub use xy::{Xy, XyState};

/// A Markov chain: a kernel with its data. It owns no generator, no counter and no output; subsampling, burn-in and
/// recording are written once, around it.
///
/// ```
/// use ergodict::{chain::{Chain, Walker}, rng::{ChaCha8Rng, below}};
///
/// /// A walk on a ring of n places, one place to the left or to the right.
/// struct Ring(usize);
///
/// impl Chain for Ring {
///     type State = usize;
///     type Info = ();
///
///     fn init(&self, _: &mut ChaCha8Rng) -> usize {
///         0
///     }
///
///     fn step(&self, place: &mut usize, rng: &mut ChaCha8Rng) {
///         *place = (*place + [1, self.0 - 1][below(rng, 2) as usize]) % self.0;
///     }
/// }
///
/// let mut walker = Walker::new(Ring(10), 0, 0);
/// walker.take(3);
/// assert!(*walker.state() % 2 == 1 && walker.steps() == 3); // an odd number of steps from 0
/// ```
pub trait Chain {
    /// All that the next step needs.
    type State: Clone;
    /// What a diagnostic may want to know of a step, and of several when added up.
    type Info: Tally;

    /// A state to start from.
    fn init(&self, rng: &mut ChaCha8Rng) -> Self::State;

    /// One step.
    fn step(&self, state: &mut Self::State, rng: &mut ChaCha8Rng) -> Self::Info;

    /// Many steps: the same states from the same random numbers as `count` calls of [`Chain::step`]. Chains that can
    /// do better than one by one say how.
    fn steps(&self, state: &mut Self::State, count: u64, rng: &mut ChaCha8Rng) -> Self::Info {
        let mut info = Self::Info::default();
        for _ in 0..count {
            info.add(self.step(state, rng));
        }
        info
    }
}

/// What is known of several steps, from what is known of each.
///
/// ```
/// use ergodict::chain::{Tally, diagnostics::Acceptance};
/// let mut sum = Acceptance { accepted: 1, proposed: 2 };
/// sum.add(Acceptance { accepted: 3, proposed: 4 });
/// assert_eq!(sum, Acceptance { accepted: 4, proposed: 6 });
/// ```
pub trait Tally: Default {
    /// Adds what is known of later steps.
    fn add(&mut self, later: Self);
}

impl Tally for () {
    fn add(&mut self, (): ()) {}
}

impl Tally for usize {
    fn add(&mut self, later: usize) {
        *self += later;
    }
}

impl Tally for Acceptance {
    fn add(&mut self, later: Self) {
        self.accepted += later.accepted;
        self.proposed += later.proposed;
    }
}
