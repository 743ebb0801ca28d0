//! What the atoms of a network dictionary are: which motif their rows and columns stand for.

use crate::chain::Motif;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// The form of the atoms: matrices whose row and column `a` stand for node `a` of a motif.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NetworkForm {
    /// Nodes of the motif.
    pub k: usize,
    /// Its name: that of its shape or of its file.
    pub motif: String,
    /// Its edges.
    pub edges: Vec<(u32, u32)>,
    /// Whether the networks it was learned from are directed.
    pub directed: bool,
    /// Whether they have weights.
    pub weighted: bool,
}

impl NetworkForm {
    /// Patches of a motif.
    pub fn new(motif: &Motif, directed: bool, weighted: bool) -> Self {
        let (k, motif, edges) = (motif.k(), motif.name().to_owned(), motif.edges().to_vec());
        Self { k, motif, edges, directed, weighted }
    }

    /// Numbers of a patch; none when that overflows.
    pub fn features(&self) -> Option<usize> {
        self.k.checked_mul(self.k)
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
    fn motifs_come_back() {
        for motif in [Motif::chain(5).unwrap(), Motif::star(4).unwrap(), Motif::cycle(3).unwrap()] {
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
