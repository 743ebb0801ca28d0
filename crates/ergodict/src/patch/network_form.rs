//! What the atoms of a network dictionary are: which motif their rows and columns stand for.

use crate::chain::Motif;
use crate::linalg::Scalar;
use crate::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize};

/// The form of the atoms: matrices whose row and column `a` stand for node `a` of a motif.
///
/// ```
/// use ergodict::{chain::Motif, patch::NetworkForm};
/// let form = NetworkForm::new(&Motif::path(3)?, false, false);
/// assert_eq!((form.k, form.weighted), (3, false));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NetworkForm {
    /// Nodes of the motif.
    pub k: usize,
    /// Its name: that of its shape or of its file.
    #[serde(deserialize_with = "named")]
    pub motif: String,
    /// Its edges.
    pub edges: Vec<(u32, u32)>,
    /// Whether the networks it was learned from are directed.
    pub directed: bool,
    /// Whether they have weights.
    pub weighted: bool,
}

/// The name of a motif; older models call paths chains.
fn named<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<String, D::Error> {
    Ok(Motif::current_name(&String::deserialize(from)?).to_owned())
}

impl NetworkForm {
    /// Patches of a motif.
    pub fn new(motif: &Motif, directed: bool, weighted: bool) -> Self {
        let (k, motif, edges) = (motif.k(), motif.name().to_owned(), motif.edges().to_vec());
        Self { k, motif, edges, directed, weighted }
    }

    /// Numbers of a patch; none when that overflows.
    pub(crate) fn features(&self) -> Option<usize> {
        self.k.checked_mul(self.k)
    }

    /// The weight of a patch that is not at the motif's own edges: in networks without weights, the number of pairs of places, besides those that
    /// the motif joins, whose nodes have an edge. Of an undirected network each pair counts once, and a loop at a place once too. Where
    /// a homomorphism has the same node in several places, one edge of the network may be at several pairs. All that a dictionary learns
    /// beyond the motif itself is there, and one look at each entry of a patch computes it: so it is what chains are judged by.
    pub(crate) fn off_motif<T: Scalar>(&self, patch: &[T]) -> f64 {
        let at = |a: u32, b: u32| patch[a as usize * self.k + b as usize].to_f64();
        // A motif may have an edge both ways, which is one pair of an undirected network.
        let again = |a: u32, b: u32| a > b && self.edges.contains(&(b, a));
        let own = |&(a, b): &(u32, u32)| {
            if self.directed {
                at(a, b)
            } else if again(a, b) {
                0.0
            } else {
                at(a, b) + at(b, a)
            }
        };
        // Eight sums side by side do not wait for each other.
        let (eights, rest) = patch.as_chunks::<8>();
        let mut sums = [T::ZERO; 8];
        for eight in eights {
            sums.iter_mut().zip(eight).for_each(|(sum, x)| *sum += *x);
        }
        let all: f64 = sums.iter().chain(rest).map(|x| x.to_f64()).sum();
        let off = all - self.edges.iter().map(own).sum::<f64>();
        if self.directed {
            return off;
        }
        let loops: f64 = (0..self.k as u32).map(|a| at(a, a)).sum();
        // Everything else is there twice.
        f64::midpoint(off, loops)
    }

    /// The motif.
    ///
    /// # Errors
    /// [`Error::Parameter`] when these are no edges of a motif.
    pub fn motif(&self) -> Result<Motif> {
        if Motif::SHAPES.contains(&&*self.motif)
            && let Ok(motif) = Motif::named_shape(&self.motif, self.k)
            && motif.edges() == self.edges
        {
            return Ok(motif);
        }
        Motif::new(self.k, self.edges.clone())
            .map_err(|error| Error::parameter("the motif", &self.motif, error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_older_models_have_their_name_of_today() {
        let form = NetworkForm::new(&Motif::path(3).unwrap(), false, false);
        let older = serde_json::to_string(&form).unwrap().replace("\"path\"", "\"chain\"");
        assert!(older.contains("\"chain\""));
        assert_eq!(serde_json::from_str::<NetworkForm>(&older).unwrap(), form);
    }

    #[test]
    fn edges_off_the_motif_are_counted_once() {
        let chain = Motif::path(3).unwrap();
        let triangle = [0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0];
        assert_eq!(NetworkForm::new(&chain, false, false).off_motif(&triangle), 1.0);
        // Directed: 0→1 and 1→2 are the motif's, the way back and 0–2 are not.
        assert_eq!(NetworkForm::new(&chain, true, false).off_motif(&triangle), 4.0);
        let weighted = [0.0f32, 2.0, 0.5, 2.0, 0.0, 3.0, 0.5, 3.0, 0.0];
        assert_eq!(NetworkForm::new(&chain, false, true).off_motif(&weighted), 0.5);
        // A motif with an edge both ways.
        let both = Motif::new(3, vec![(0, 1), (1, 0), (2, 1)]).unwrap();
        assert_eq!(NetworkForm::new(&both, false, false).off_motif(&triangle), 1.0);
        assert_eq!(NetworkForm::new(&both, true, false).off_motif(&triangle), 3.0);
        let path = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0];
        assert_eq!(NetworkForm::new(&both, false, false).off_motif(&path), 0.0);
        // A path with a loop at its first place.
        let looped = [1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0];
        assert_eq!(NetworkForm::new(&chain, false, false).off_motif(&looped), 1.0);
        assert_eq!(NetworkForm::new(&chain, true, false).off_motif(&looped), 3.0);
    }

    #[test]
    fn motifs_come_back() {
        for motif in [Motif::path(5).unwrap(), Motif::star(4).unwrap(), Motif::cycle(3).unwrap()] {
            let form = NetworkForm::new(&motif, false, false);
            assert_eq!(
                (form.motif().unwrap().edges(), form.features()),
                (motif.edges(), Some(motif.k().pow(2)))
            );
            assert_eq!(form.motif().unwrap().name(), motif.name());
        }
        let own = Motif::new(3, vec![(0, 1), (0, 2), (1, 2)]).unwrap();
        assert_eq!(NetworkForm::new(&own, true, true).motif().unwrap().edges(), own.edges());
        let bad = NetworkForm { edges: vec![(0, 7)], ..NetworkForm::new(&own, false, false) };
        assert!(bad.motif().is_err());
    }
}
