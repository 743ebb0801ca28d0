//! What is measured on homomorphisms while they are drawn.

use super::NetworkPatches;
use crate::Result;
use crate::chain::{Extension, Macc, Motif, MotifObservable};
use crate::data::{Adjacency, Network};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is measured on every homomorphism.
///
/// ```
/// use ergodict::{chain::{Motif, MotifObservable}, data::Network, patch::Measures};
/// let network = std::sync::Arc::new(Network::simple(4, &[(0, 1), (1, 2), (2, 0), (2, 3)])?);
/// let mut measures = Measures::new(&network, &Motif::path(3)?, Some(&Motif::cycle(3)?), false)?;
/// measures.scalars = vec![MotifObservable::Degree];
/// let mut measured = measures.none_yet();
/// measures.measure(&[0, 1, 2, 0, 2, 3], &mut measured); // two homomorphisms
/// assert_eq!(measured.series, [vec![2.0, 2.0], vec![1.0, 0.0]]); // degrees; whether they close
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Measures {
    /// What patches are made by.
    pub patches: Arc<NetworkPatches>,
    motif: Motif,
    /// Numbers, one for each homomorphism.
    pub scalars: Vec<MotifObservable>,
    /// The density of a larger motif, where it is asked for.
    conditional: Option<Extension>,
    macc: bool,
}

/// What was measured.
///
/// ```
/// use ergodict::{chain::Motif, data::Network, patch::Measures};
/// let triangle = std::sync::Arc::new(Network::simple(3, &[(0, 1), (1, 2), (2, 0)])?);
/// let measures = Measures::new(&triangle, &Motif::path(3)?, None, true)?;
/// let mut measured = measures.none_yet();
/// measures.measure(&[0, 1, 2], &mut measured);
/// assert!(!measured.moved && measured.macc.is_some());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MeasureSeries {
    /// A series for each scalar, and that of the conditional density where it is asked for.
    pub series: Vec<Vec<f64>>,
    /// Clustering coefficients, where they are asked for.
    pub macc: Option<Macc>,
    /// The first homomorphism.
    first: Vec<u32>,
    /// Whether another was seen.
    pub moved: bool,
}

impl Measures {
    /// Of homomorphisms of a motif; with a larger motif, its conditional density.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a larger motif that has not all edges of the motif.
    pub fn new(network: &Arc<Network>, motif: &Motif, larger: Option<&Motif>, macc: bool) -> Result<Self> {
        Self::with(Adjacency::new(network, Adjacency::BUDGET), motif, larger, macc)
    }

    /// The same with a test of adjacency that is there already.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a larger motif that has not all edges of the motif.
    pub fn with(adjacency: Adjacency, motif: &Motif, larger: Option<&Motif>, macc: bool) -> Result<Self> {
        // Of a motif that has all pairs nothing is left to count.
        let pairs: BTreeSet<(u32, u32)> = motif.edges().iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
        let all = pairs.len() == motif.k() * (motif.k() - 1) / 2 && !adjacency.network().is_directed();
        let scalars =
            MotifObservable::ALL.into_iter().filter(|o| !all || *o != MotifObservable::Density).collect();
        Ok(Self {
            patches: Arc::new(NetworkPatches::with(adjacency, motif.k())),
            motif: motif.clone(),
            scalars,
            conditional: larger.map(|larger| Extension::new(motif, larger)).transpose()?,
            macc,
        })
    }

    /// Nothing measured yet.
    pub fn none_yet(&self) -> MeasureSeries {
        let series = vec![Vec::new(); self.scalars.len() + usize::from(self.conditional.is_some())];
        let macc = self.macc.then(|| Macc::new(self.motif.k()));
        MeasureSeries { series, macc, first: Vec::new(), moved: false }
    }

    /// The matrix of average clustering coefficients, row by row.
    pub fn coefficients(&self, macc: &Macc) -> Vec<f64> {
        let (k, matrix) = (self.motif.k(), macc.matrix(&self.motif, self.patches.network().is_directed()));
        (0..k * k).map(|at| matrix.col(at % k)[at / k]).collect()
    }

    /// Measures some homomorphisms more.
    pub fn measure(&self, xs: &[u32], measured: &mut MeasureSeries) {
        let (k, adjacency) = (self.motif.k(), self.patches.adjacency());
        if measured.first.is_empty() {
            measured.first.extend(xs.iter().take(k));
        }
        measured.moved |= xs.chunks_exact(k).any(|x| x != measured.first);
        for (scalar, series) in self.scalars.iter().zip(&mut measured.series) {
            series.extend(xs.chunks_exact(k).map(|x| scalar.measure(&self.motif, adjacency, x)));
        }
        if let (Some(extension), Some(series)) = (&self.conditional, measured.series.last_mut()) {
            series.extend(xs.chunks_exact(k).map(|x| extension.value(self.patches.network(), x)));
        }
        let Some(macc) = &mut measured.macc else { return };
        let words = self.patches.words();
        if self.patches.are_bits() && words > 0 {
            let mut masks = vec![0; xs.len() / k * words];
            self.patches.bits_all(xs, &mut masks);
            masks.chunks_exact(words).for_each(|mask| macc.add_bits(mask));
        } else {
            let mut patch = vec![0.0f64; k * k];
            for x in xs.chunks_exact(k) {
                self.patches.write(x, &mut patch);
                macc.add(&patch);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Build, NodeIds};

    #[test]
    fn edges_of_motifs_that_have_all_pairs_are_not_counted() {
        let build = |directed| Build { directed, ..Build::default() };
        let edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0)];
        let network = |directed| {
            Arc::new(Network::build(NodeIds::numbered(3), &edges, false, build(directed)).unwrap().0)
        };
        let scalars =
            |directed, motif: &Motif| Measures::new(&network(directed), motif, None, false).unwrap().scalars;
        let [path, triangle] = [Motif::path(3).unwrap(), Motif::cycle(3).unwrap()];
        let counts =
            |scalars: Vec<MotifObservable>| (scalars.len(), scalars.contains(&MotifObservable::Density));
        assert_eq!(counts(scalars(false, &path)), (3, true));
        assert_eq!(counts(scalars(false, &triangle)), (2, false));
        // The other direction of an edge may be there or not.
        assert_eq!(counts(scalars(true, &triangle)), (3, true));
    }

    #[test]
    fn coefficients_are_shares_of_homomorphisms_row_by_row() {
        // 0→1→2→0, and 2→3: of the paths 0→1→2 and 1→2→3 one closes, from its last node to its first.
        let edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (2, 3, 1.0)];
        let build = Build { directed: true, ..Build::default() };
        let network = Arc::new(Network::build(NodeIds::numbered(4), &edges, false, build).unwrap().0);
        let measures = Measures::new(&network, &Motif::path(3).unwrap(), None, true).unwrap();
        let mut measured = measures.none_yet();
        measures.measure(&[0, 1, 2], &mut measured);
        assert!(!measured.moved);
        measures.measure(&[1, 2, 3], &mut measured);
        assert!(measured.moved);
        let found = measures.coefficients(measured.macc.as_ref().unwrap());
        assert_eq!((found.len(), found[2], found[6]), (9, 0.0, 0.5));
    }
}
