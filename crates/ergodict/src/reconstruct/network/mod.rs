//! Networks reconstructed from atoms: the mean, over sampled homomorphisms, of what the dictionary makes of each pair.
//!
//! A homomorphism `x` of the motif has the patch `A_x`; `h = argmin_{h ≥ 0} ‖A_x − Wh‖² + λ‖h‖₁`; entry `(a,b)` of `Wh` is added to the
//! sum `S` of the pair `(x(a), x(b))`, and one to its count `C`. The reconstructed network has the weight `S/C` there (Algorithm NR).

mod accuracy;
mod atoms;
mod block;
mod comparison;
mod parameters;
mod parts;
mod positions;
mod reconstructor;
#[cfg(test)]
mod reference;
mod replace;
mod run;
mod settings;
mod shares;
mod sums;

pub use accuracy::Accuracy;
pub use comparison::{
    Comparison, ComparisonOutcome, ComparisonSettings, Estimate, Finding, Measurement, RewiredCopy, TreeMerge,
};
pub use parameters::{Mode, ReconstructionSettings, Targets};
pub use parts::{PairFormat, PairPart, PairRow, PartsFolder, write_pairs};
use reconstructor::ReconstructionPoint;
pub use reconstructor::Reconstructor;
pub use run::ReconstructionRun;
pub use settings::{CompareSettings, Measure, RebuildSettings};
pub use shares::{ShareOutcome, SharePlace, ShareTask, share_of};
pub use sums::{PairSum, PairSums, SortedSums, merged_sums, source_ranges};
