//! Observables: the numbers by which one sees how a spin system mixes.

use super::{Alphabet, Lattice, SpinSystem};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A number that a state has.
///
/// ```
/// use ergodict::chain::observables::Observable;
/// assert_eq!("cluster".parse::<Observable>()?, Observable::LargestCluster);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Observable {
    /// The energy, by site.
    #[serde(rename = "energy")]
    Energy,
    /// See [`magnetization`].
    #[serde(rename = "magnetization")]
    Magnetization,
    /// See `Clusters::largest`.
    #[serde(rename = "cluster")]
    LargestCluster,
}

impl Observable {
    /// All there are.
    pub(crate) const ALL: [Self; 3] = [Self::Energy, Self::Magnetization, Self::LargestCluster];

    /// Its value for a state.
    ///
    /// # Errors
    /// [`Error::Parameter`] for clusters of a system without the bonds of a lattice.
    pub(crate) fn measure<S: SpinSystem>(self, system: &S, state: &S::State) -> Result<f64> {
        let spins = system.spins(state);
        match self {
            Self::Energy => Ok(system.energy(state) / spins.len() as f64),
            Self::Magnetization => Ok(magnetization(spins, system.alphabet())),
            Self::LargestCluster => match system.lattice() {
                Some(lattice) => Ok(Clusters::default().largest(lattice, spins)),
                None => Err(Error::parameter(
                    "the observable",
                    self,
                    "clusters follow bonds, and this system is on no lattice",
                )),
            },
        }
    }
}

impl fmt::Display for Observable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Energy => "energy",
            Self::Magnetization => "magnetization",
            Self::LargestCluster => "cluster",
        })
    }
}

impl FromStr for Observable {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|observable| observable.to_string() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(|observable| observable.to_string()).join(", ");
            Error::parameter("the observable", format!("`{name}`"), format!("it must be one of {names}"))
        })
    }
}

/// How much the spins agree: their mean for ±1 and for 0 and 1; for q labels `(q·share − 1)/(q − 1)`, where `share` is
/// that of the most frequent label: 0 when all are equally frequent, 1 when there is but one.
///
/// NaN without spins.
///
/// ```
/// use ergodict::chain::{Alphabet, observables::magnetization};
/// assert_eq!(magnetization(&[1, 1, 1, -1], Alphabet::PlusMinus), 0.5);
/// assert_eq!(magnetization(&[2, 2, 2, 2], Alphabet::Labels(3)), 1.0);
/// ```
pub fn magnetization(spins: &[i8], alphabet: Alphabet) -> f64 {
    let n = spins.len() as f64;
    let Alphabet::Labels(labels) = alphabet else {
        return spins.iter().map(|x| i64::from(*x)).sum::<i64>() as f64 / n;
    };
    if labels < 2 {
        return if spins.is_empty() { f64::NAN } else { 1.0 };
    }
    let mut counts = [0u64; 256];
    spins.iter().for_each(|x| counts[usize::from(*x as u8)] += 1);
    let most = counts.iter().copied().max().unwrap_or(0) as f64;
    (f64::from(labels) * most / n - 1.0) / (f64::from(labels) - 1.0)
}

/// Clusters of equal spins. One that is kept uses its buffers again; [`Observable::measure`] makes a fresh one each time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clusters {
    /// A site of the same cluster, itself for the root; roots come before the sites that lead to them.
    parents: Vec<u32>,
    /// Size, by root.
    sizes: Vec<u32>,
}

impl Clusters {
    /// The share of the sites that the largest cluster takes: sites joined by the lattice's bonds between equal spins.
    /// The medium of cellular Potts models counts as any label. 0 unless there is a spin for each site.
    pub(crate) fn largest(&mut self, lattice: Lattice, spins: &[i8]) -> f64 {
        let n = lattice.sites();
        if spins.len() != n {
            return 0.0;
        }
        self.parents.clear();
        self.parents.extend(0..n as u32);
        for (u, v) in lattice.bonds().filter(|&(u, v)| spins[u] == spins[v]) {
            let (a, b) = (self.root(u as u32), self.root(v as u32));
            self.parents[a.max(b) as usize] = a.min(b);
        }
        self.sizes.clear();
        self.sizes.resize(n, 0);
        for site in 0..n as u32 {
            let root = self.root(site);
            self.sizes[root as usize] += 1;
        }
        f64::from(self.sizes.iter().copied().max().unwrap_or(0)) / n as f64
    }

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
}

#[cfg(test)]
mod tests {
    use super::super::Boundary;
    use super::*;
    use crate::rng::{Purpose, below, stream};

    /// By painting: everything that is reached from a site.
    fn painted(lattice: Lattice, spins: &[i8]) -> usize {
        let reached = |start: usize| {
            let mut seen = vec![false; spins.len()];
            let mut open = vec![start];
            seen[start] = true;
            while let Some(site) = open.pop() {
                for next in lattice.neighbors(site) {
                    if !seen[next] && spins[next] == spins[site] {
                        seen[next] = true;
                        open.push(next);
                    }
                }
            }
            seen.iter().filter(|s| **s).count()
        };
        (0..spins.len()).map(reached).max().unwrap_or(0)
    }

    #[test]
    fn largest_clusters_are_those_found_by_painting() {
        let mut rng = stream(4, Purpose::Synthetic, 0);
        let mut clusters = Clusters::default();
        for case in 0..300u64 {
            let boundary = if case % 2 == 0 { Boundary::Periodic } else { Boundary::Free };
            let (rows, cols) = (1 + below(&mut rng, 9) as usize, 1 + below(&mut rng, 9) as usize);
            let lattice = Lattice::new(rows, cols, boundary).unwrap();
            let labels = 1 + case % 4;
            let spins: Vec<i8> = (0..rows * cols).map(|_| below(&mut rng, labels) as i8).collect();
            let exact = painted(lattice, &spins) as f64 / spins.len() as f64;
            assert_eq!(clusters.largest(lattice, &spins), exact, "{rows}×{cols} {boundary:?} {spins:?}");
        }
    }

    #[test]
    fn magnetizations_are_what_the_formulas_say() {
        assert_eq!(magnetization(&[1, -1, -1, -1], Alphabet::PlusMinus), -0.5);
        assert_eq!(magnetization(&[1, 0, 0, 0], Alphabet::ZeroOne), 0.25);
        assert_eq!(magnetization(&[0, 1, 2], Alphabet::Labels(3)), 0.0);
        assert_eq!(magnetization(&[2, 2, 2], Alphabet::Labels(3)), 1.0);
        assert_eq!(magnetization(&[2, 2, 1, 0], Alphabet::Labels(3)), 0.25);
        assert_eq!(magnetization(&[0, 0], Alphabet::Labels(1)), 1.0);
    }

    #[test]
    fn names_go_both_ways_and_others_are_refused() {
        for observable in Observable::ALL {
            assert_eq!(observable.to_string().parse::<Observable>().unwrap(), observable);
            assert_eq!(serde_json::to_string(&observable).unwrap(), format!("\"{observable}\""));
        }
        let error = "entropy".parse::<Observable>().unwrap_err().to_string();
        assert!(error.contains("`entropy`") && error.contains("energy, magnetization, cluster"), "{error}");
    }
}
