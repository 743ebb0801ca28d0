//! Clusters of joined sites: a forest in which every site leads to a root, its least site.

use super::super::Lattice;

/// How large the clusters of a configuration are.
///
/// ```
/// use ergodict::chain::{Boundary, Field, Ising, Lattice, SpinSystem};
/// use ergodict::rng::{Purpose, stream};
/// // So cold that every bond between equal spins holds.
/// let ising = Ising::new(Lattice::new(1, 4, Boundary::Free)?, 0.01, 1.0, Field::Uniform(0.0))?;
/// let sizes = ising.bond_clusters(&vec![1, 1, 1, -1], &mut stream(0, Purpose::Measurement, 0)).unwrap();
/// assert_eq!((sizes.largest, sizes.mean), (0.75, (9.0 + 1.0) / 4.0));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ClusterSizes {
    /// The share of the sites in the largest.
    pub largest: f64,
    /// The mean size of the cluster that a site is in, `Σ_C |C|²/N`.
    pub mean: f64,
}

/// Which sites are joined, by union of trees with halved paths. A root is the least site of its cluster, so that in ascending order it comes first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clusters {
    /// A site of the same cluster that is not greater; itself for the root.
    parents: Vec<u32>,
}

impl Clusters {
    /// Sites that are not joined yet.
    pub(super) fn new(sites: usize) -> Self {
        Self { parents: (0..sites as u32).collect() }
    }

    /// All apart again.
    pub(super) fn part(&mut self) {
        self.parents.iter_mut().zip(0..).for_each(|(parent, site)| *parent = site);
    }

    /// Clusters of equal spins on a lattice.
    pub(crate) fn of_equal_spins(lattice: Lattice, spins: &[i8]) -> Self {
        let mut clusters = Self::new(lattice.sites());
        lattice.bonds().filter(|&(u, v)| spins[u] == spins[v]).for_each(|(u, v)| clusters.join(u, v));
        clusters
    }

    /// Joins the clusters of two sites.
    #[inline]
    pub(super) fn join(&mut self, u: usize, v: usize) {
        let (a, b) = (self.root(u as u32), self.root(v as u32));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// Joins a site that is alone to the cluster of one before it.
    #[inline]
    pub(super) fn follow(&mut self, site: usize, earlier: usize) {
        self.parents[site] = self.root(earlier as u32);
    }

    #[inline]
    fn root(&mut self, mut site: u32) -> u32 {
        loop {
            let parent = self.parents[site as usize];
            if parent == site {
                return site;
            }
            // Each look halves the way for the next one.
            let beyond = self.parents[parent as usize];
            self.parents[site as usize] = beyond;
            site = beyond;
        }
    }

    /// The root of every site.
    pub(super) fn roots(&mut self) -> &[u32] {
        // A parent comes before its children, and leads to the root by then.
        for site in 0..self.parents.len() {
            self.parents[site] = self.parents[self.parents[site] as usize];
        }
        &self.parents
    }

    /// How large they are.
    pub(crate) fn sizes(mut self) -> ClusterSizes {
        let mut sizes = vec![0_u32; self.parents.len()];
        self.roots().iter().for_each(|&root| sizes[root as usize] += 1);
        let sites = sizes.len() as f64;
        let squares = sizes.iter().map(|size| f64::from(*size).powi(2)).sum::<f64>();
        let largest = sizes.iter().max().map_or(0.0, |size| f64::from(*size));
        ClusterSizes { largest: largest / sites, mean: squares / sites }
    }
}
