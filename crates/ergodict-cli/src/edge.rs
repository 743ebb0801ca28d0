//! `--boundary`: what lies beyond the edge, of lattices and of images.

use clap::ValueEnum;
use ergodict::chain::Boundary;

/// The values of the flag; those of the library, which knows no command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Edge {
    /// The opposite edge
    Periodic,
    /// Nothing: patches stay inside
    Free,
}

impl From<Edge> for Boundary {
    fn from(edge: Edge) -> Self {
        match edge {
            Edge::Periodic => Self::Periodic,
            Edge::Free => Self::Free,
        }
    }
}
