//! What `ergodict spins learn` learns from: the shape and the values of its configurations, and where they come from.

use ergodict::chain::{Alphabet, Lattice};
use ergodict::dictionary::Input;
use ergodict::patch::{Encoding, PatchKind};

/// What is learned from: a system or a file.
pub(super) struct Ground {
    pub(super) shape: (usize, usize),
    pub(super) kind: PatchKind,
    pub(super) encoding: Encoding,
    /// Where the borders between labels are looked for, instead of the labels themselves.
    pub(super) borders: Option<Lattice>,
    pub(super) inputs: Vec<Input>,
    /// Updates of single sites in a step (frames, for a file).
    pub(super) step: u64,
}

impl Ground {
    /// The values at the sites.
    pub(super) fn alphabet(&self) -> Alphabet {
        self.kind.spins.map_or(Alphabet::PlusMinus, |(_, alphabet)| alphabet)
    }

    /// A configuration as numbers.
    pub(super) fn values(&self, spins: &[i8]) -> Vec<f64> {
        spins.iter().flat_map(|&spin| self.encoding.encode(spin)).copied().collect()
    }
}
