//! Algorithm NR line by line: slow and short, what the fast one is tested against.
//!
//! | paper, Algorithm NR | here |
//! |---|---|
//! | `x_t`, sampled elsewhere | `xs`, `k` nodes each |
//! | `A_{x_t}` as a column | `patch` |
//! | `H_t` | `h`, by the coder of minibatches, which is tested against the paper's projected gradient |
//! | `A_count`, `A_recons` | [`ByTheBook::count`], [`ByTheBook::mean`], by ordered pairs |
//!
//! Next to the print: the mode leaves entries out, and the atoms may be there reversed too.

use super::{Mode, ReconstructionSettings};
use crate::Result;
use crate::chain::Motif;
use crate::data::Network;
use crate::factor::code::{CodeSet, Coder, Penalty};
use crate::linalg::Mat;
use std::collections::BTreeMap;

/// What Algorithm NR knows of an ordered pair of nodes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct ByTheBook {
    /// How often it was at an entry that counts.
    pub count: u64,
    /// The mean of those entries, reconstructed.
    pub mean: f64,
}

/// Algorithm NR for homomorphisms that are given: every ordered pair that was at an entry that counts. Entries at a node and itself
/// count as in the paper, also where the network has no loops.
///
/// `S(x(a), x(b)) += (Wh)_ab` and `C(x(a), x(b)) += 1` for every homomorphism `x` with the code `h` of its patch; the mean is `S/C`.
///
/// # Errors
/// [`crate::Error::Shape`] for a dictionary of other than `k²` rows.
pub(crate) fn by_the_book(
    network: &Network,
    motif: &Motif,
    dictionary: &Mat<f64>,
    parameters: &ReconstructionSettings,
    xs: &[u32],
) -> Result<BTreeMap<(u32, u32), ByTheBook>> {
    let (k, atoms, d) = (motif.k(), dictionary.cols(), dictionary.rows());
    let w = if parameters.reversal {
        Mat::from_fn(d, 2 * atoms, |i, j| {
            let (a, b) = (i / k, i % k);
            if j < atoms {
                dictionary.get(i, j)
            } else {
                dictionary.get((k - 1 - a) * k + k - 1 - b, j - atoms)
            }
        })
    } else {
        dictionary.clone()
    };
    let mut coder = Coder::new(Penalty { lambda: parameters.lambda, kappa2: 0.0 }, CodeSet::Nonnegative);
    coder.tolerance = 1e-12;
    coder.set_dictionary(&w);
    let (mut h, mut costs) = (Mat::zeros(0, 0), Vec::new());
    let mut rebuilt: BTreeMap<(u32, u32), ByTheBook> = BTreeMap::new();
    for x in xs.chunks_exact(k) {
        let patch = Mat::from_fn(k * k, 1, |i, _| network.weight(x[i / k] as usize, x[i % k] as usize));
        coder.code((&patch).into(), &w, &mut h, false, &mut costs)?;
        for (a, b) in (0..k).flat_map(|a| (0..k).map(move |b| (a, b))) {
            let (u, v) = (x[a], x[b]);
            let is_edge = |&(i, j): &(u32, u32)| {
                let (s, t) = (x[i as usize], x[j as usize]);
                (s, t) == (u, v) || (t, s) == (u, v)
            };
            if parameters.mode == Mode::OffMotif && motif.edges().iter().any(is_edge) {
                continue;
            }
            let entry: f64 = (0..w.cols()).map(|j| w.get(a * k + b, j) * h.get(j, 0)).sum();
            let pair = rebuilt.entry((u, v)).or_default();
            pair.count += 1;
            let share = 1.0 / pair.count as f64;
            pair.mean = (1.0 - share) * pair.mean + share * entry;
        }
    }
    Ok(rebuilt)
}
