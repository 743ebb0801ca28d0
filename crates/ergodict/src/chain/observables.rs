//! Observables: the numbers by which one sees how a spin system mixes.

use super::cluster::Clusters;
use super::{Alphabet, Boundary, Lattice, SpinSystem};
use crate::data::Frame;
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
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
#[serde(rename_all = "kebab-case")]
pub enum Observable {
    /// The energy, by site.
    Energy,
    /// See [`magnetization`].
    Magnetization,
    /// The share of the sites in the largest cluster of equal neighbors; the medium of cellular Potts models counts as any label.
    #[serde(rename = "cluster")]
    LargestCluster,
    /// The square of the energy by site.
    EnergySquared,
    /// The absolute value of the magnetization.
    AbsMagnetization,
    /// The square of the magnetization.
    MagnetizationSquared,
    /// The fourth power of the magnetization.
    MagnetizationFourth,
    /// The mean size of the cluster of a site, where clusters are those of random bonds (Fortuin and Kasteleyn).
    BondClusterMean,
    /// The share of the sites in the largest of them.
    BondClusterLargest,
    /// The structure factor at wave vector 0, see [`structure_factors`].
    #[serde(rename = "structure-0")]
    StructureZero,
    /// The structure factor at the least other wave vector of a periodic lattice.
    #[serde(rename = "structure-1")]
    StructureFirst,
    /// Vortices and antivortices of angles, by plaquette.
    Vortices,
    /// The squared current of angles on a periodic lattice, by site: what the helicity modulus is made from besides the energy.
    CurrentSquared,
}

impl Observable {
    /// All there are.
    pub(crate) const ALL: [Self; 13] = [
        Self::Energy,
        Self::Magnetization,
        Self::LargestCluster,
        Self::EnergySquared,
        Self::AbsMagnetization,
        Self::MagnetizationSquared,
        Self::MagnetizationFourth,
        Self::BondClusterMean,
        Self::BondClusterLargest,
        Self::StructureZero,
        Self::StructureFirst,
        Self::Vortices,
        Self::CurrentSquared,
    ];

    /// Its value for a state; what is drawn for it comes from the generator.
    ///
    /// # Errors
    /// [`Error::Parameter`] for clusters and structure factors of a system that has none.
    pub(crate) fn measure<S: SpinSystem>(
        self,
        system: &S,
        state: &S::State,
        rng: &mut ChaCha8Rng,
    ) -> Result<f64> {
        let frame = Frame::from(system.spins(state));
        let energy = || system.energy(state) / frame.len() as f64;
        let magnetization = || frame_magnetization(&frame, system.alphabet());
        let none = |why: &'static str| Error::parameter("the observable", self, why);
        let on_no_lattice = || none("clusters follow bonds, and this system is on no lattice");
        let no_bonds = || none("clusters of random bonds are those of ising and ferromagnetic potts");
        Ok(match self {
            Self::Energy => energy(),
            Self::EnergySquared => energy().powi(2),
            Self::Magnetization => magnetization(),
            Self::AbsMagnetization => magnetization().abs(),
            Self::MagnetizationSquared => magnetization().powi(2),
            Self::MagnetizationFourth => magnetization().powi(4),
            Self::LargestCluster => {
                let Frame::Whole(spins) = &frame else {
                    return Err(none("clusters are those of equal neighbors, and these are angles"));
                };
                let lattice = system.lattice().ok_or_else(on_no_lattice)?;
                Clusters::of_equal_spins(lattice, spins).sizes().largest
            }
            Self::BondClusterMean => system.bond_clusters(state, rng).ok_or_else(no_bonds)?.mean,
            Self::BondClusterLargest => system.bond_clusters(state, rng).ok_or_else(no_bonds)?.largest,
            Self::StructureZero | Self::StructureFirst => {
                let torus = system.lattice().filter(|lattice| lattice.boundary() == Boundary::Periodic);
                let torus = torus.ok_or_else(|| none("structure factors are those of periodic lattices"))?;
                let (zero, first) = match &frame {
                    Frame::Whole(spins) => structure_factors(spins, system.alphabet(), torus.shape()),
                    Frame::Real(angles) => structure_factors_of_angles(angles, torus.shape()),
                };
                if self == Self::StructureZero { zero } else { first }
            }
            Self::Vortices => system
                .own_observable(state, self)
                .ok_or_else(|| none("vortices are those of xy, on at least two rows and columns"))?,
            Self::CurrentSquared => system.own_observable(state, self).ok_or_else(|| {
                none("currents and the helicity modulus are those of xy on a periodic lattice")
            })?,
        })
    }
}

impl fmt::Display for Observable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Energy => "energy",
            Self::Magnetization => "magnetization",
            Self::LargestCluster => "cluster",
            Self::EnergySquared => "energy-squared",
            Self::AbsMagnetization => "abs-magnetization",
            Self::MagnetizationSquared => "magnetization-squared",
            Self::MagnetizationFourth => "magnetization-fourth",
            Self::BondClusterMean => "bond-cluster-mean",
            Self::BondClusterLargest => "bond-cluster-largest",
            Self::StructureZero => "structure-0",
            Self::StructureFirst => "structure-1",
            Self::Vortices => "vortices",
            Self::CurrentSquared => "current-squared",
        })
    }
}

impl FromStr for Observable {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|observable| observable.to_string() == name);
        found.ok_or_else(|| unknown(name, &Self::ALL))
    }
}

/// The error for a name that is none of these.
pub(super) fn unknown(name: &str, all: &[impl ToString]) -> Error {
    let names = all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    Error::parameter("the observable", format!("`{name}`"), format!("it must be one of {names}"))
}

/// Structure factors `S(k) = |Σ_v s(v) e^{ik·v}|²/N` of spins on a torus at `k = 0` and at the least other wave vector, along the longer side, or the
/// mean over both where they are equal. For q labels, `S(k) = q/(q − 1) Σ_l |Σ_v (1[x_v = l] − 1/q) e^{ik·v}|²/N`, which is that of spins for q = 2.
///
/// ```
/// use ergodict::chain::{Alphabet, observables::structure_factors};
/// let (zero, first) = structure_factors(&[1, 1, 1, 1], Alphabet::PlusMinus, (1, 4));
/// assert!(zero == 4.0 && first < 1e-12);
/// let (zero, first) = structure_factors(&[1, 1, -1, -1], Alphabet::PlusMinus, (1, 4));
/// assert!(zero == 0.0 && (first - 2.0).abs() < 1e-12);
/// ```
pub fn structure_factors(spins: &[i8], alphabet: Alphabet, (rows, cols): (usize, usize)) -> (f64, f64) {
    let sites = spins.len() as f64;
    let Alphabet::Labels(labels) = alphabet else {
        let (zero, first) = factors_of(spins, f64::from, (rows, cols));
        return (zero / sites, first / sites);
    };
    let mut sums = (0.0, 0.0);
    for label in (0..labels).map(|label| label as i8) {
        let (zero, first) = factors_of(spins, |x| f64::from(u8::from(x == label)), (rows, cols));
        sums = (sums.0 + zero, sums.1 + first);
    }
    let q = f64::from(labels);
    // The mean share of a label, 1/q, is a part of k = 0 alone.
    (((q * sums.0 - sites * sites) / (q - 1.0)) / sites, q * sums.1 / (q - 1.0) / sites)
}

/// The same of unit vectors: the sum over both components.
fn structure_factors_of_angles(angles: &[f64], shape: (usize, usize)) -> (f64, f64) {
    let (cos, sin) = (factors_of(angles, f64::cos, shape), factors_of(angles, f64::sin, shape));
    let sites = angles.len() as f64;
    ((cos.0 + sin.0) / sites, (cos.1 + sin.1) / sites)
}

/// `|Σ_v f(v) e^{ik·v}|²` at k = 0 and at the least other wave vector.
fn factors_of<V: Copy>(spins: &[V], value: impl Fn(V) -> f64, (rows, cols): (usize, usize)) -> (f64, f64) {
    let mut down = vec![0.0; cols];
    let mut across = Vec::with_capacity(rows);
    for row in spins.chunks_exact(cols) {
        down.iter_mut().zip(row).for_each(|(sum, x)| *sum += value(*x));
        across.push(row.iter().map(|x| value(*x)).sum::<f64>());
    }
    let at = |sums: &[f64]| {
        let turn = std::f64::consts::TAU / sums.len() as f64;
        let (mut re, mut im) = (0.0, 0.0);
        for (j, sum) in sums.iter().enumerate() {
            let (sin, cos) = (turn * j as f64).sin_cos();
            re += *sum * cos;
            im += *sum * sin;
        }
        re * re + im * im
    };
    let total: f64 = across.iter().sum();
    let first = match cols.cmp(&rows) {
        std::cmp::Ordering::Greater => at(&down),
        std::cmp::Ordering::Less => at(&across),
        std::cmp::Ordering::Equal => f64::midpoint(at(&down), at(&across)),
    };
    (total * total, first)
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

/// The magnetization of a frame: as [`magnetization`]; of angles the length of the mean unit vector, of other real numbers their mean.
pub(crate) fn frame_magnetization(frame: &Frame<'_>, alphabet: Alphabet) -> f64 {
    match frame {
        Frame::Whole(spins) => magnetization(spins, alphabet),
        Frame::Real(angles) if alphabet == Alphabet::Angle => {
            let mean = |of: fn(f64) -> f64| angles.iter().map(|x| of(*x)).sum::<f64>() / angles.len() as f64;
            mean(f64::cos).hypot(mean(f64::sin))
        }
        Frame::Real(values) => values.iter().sum::<f64>() / values.len() as f64,
    }
}

/// Labels whose shares are watched: the first.
const MOST_SHARES: u8 = 16;

/// Names of [`order_parameters`].
pub(crate) fn order_names(alphabet: Alphabet) -> Vec<String> {
    match alphabet {
        Alphabet::Labels(labels) => {
            (0..labels.min(MOST_SHARES)).map(|label| format!("share of label {label}")).collect()
        }
        Alphabet::Angle => vec!["mean cosine".to_owned(), "mean sine".to_owned()],
        _ => Vec::new(),
    }
}

/// What the magnetization leaves out where the symmetry is broken: the shares of labels, the mean cosine and sine of angles.
pub(crate) fn order_parameters(frame: &Frame<'_>, alphabet: Alphabet) -> Vec<f64> {
    let sites = frame.len() as f64;
    match (frame, alphabet) {
        (Frame::Whole(spins), Alphabet::Labels(labels)) => {
            let mut counts = [0u64; 256];
            spins.iter().for_each(|x| counts[usize::from(*x as u8)] += 1);
            counts[..usize::from(labels.min(MOST_SHARES))].iter().map(|n| *n as f64 / sites).collect()
        }
        (Frame::Real(angles), Alphabet::Angle) => {
            [f64::cos, f64::sin].map(|of| angles.iter().map(|x| of(*x)).sum::<f64>() / sites).to_vec()
        }
        _ => Vec::new(),
    }
}

/// Name of [`neighbor_mean`].
pub(crate) fn neighbor_name(alphabet: Alphabet) -> &'static str {
    match alphabet {
        Alphabet::Labels(_) => "share of equal neighbors",
        Alphabet::Angle => "mean cosine between neighbors",
        _ => "mean product of neighbors",
    }
}

/// Mean over all bonds, for frames whose energy is not known: whether labels are equal, the cosine between angles, the product of other values.
pub(crate) fn neighbor_mean(frame: &Frame<'_>, alphabet: Alphabet, lattice: Lattice) -> f64 {
    let bonds = lattice.bonds().count().max(1) as f64;
    let sum = match frame {
        Frame::Whole(spins) if matches!(alphabet, Alphabet::Labels(_)) => {
            lattice.over_bonds(spins, |a, b| i32::from(a == b)) as f64
        }
        Frame::Whole(spins) => lattice.over_bonds(spins, |a, b| i32::from(a) * i32::from(b)) as f64,
        Frame::Real(values) => {
            let of = |a: f64, b: f64| if alphabet == Alphabet::Angle { (a - b).cos() } else { a * b };
            lattice.bonds().map(|(a, b)| of(values[a], values[b])).sum()
        }
    };
    sum / bonds
}

#[cfg(test)]
mod tests {
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
        for case in 0..300u64 {
            let boundary = if case % 2 == 0 { Boundary::Periodic } else { Boundary::Free };
            let (rows, cols) = (1 + below(&mut rng, 9) as usize, 1 + below(&mut rng, 9) as usize);
            let lattice = Lattice::new(rows, cols, boundary).unwrap();
            let labels = 1 + case % 4;
            let spins: Vec<i8> = (0..rows * cols).map(|_| below(&mut rng, labels) as i8).collect();
            let exact = painted(lattice, &spins) as f64 / spins.len() as f64;
            let found = Clusters::of_equal_spins(lattice, &spins).sizes().largest;
            assert_eq!(found, exact, "{rows}×{cols} {boundary:?} {spins:?}");
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
    fn order_parameters_see_which_label_or_direction_is_ahead() {
        let labels: [Frame<'_>; 2] = [vec![2i8, 2, 1, 2].into(), vec![0i8, 0, 1, 0].into()];
        let alphabet = Alphabet::Labels(3);
        assert_eq!(frame_magnetization(&labels[0], alphabet), frame_magnetization(&labels[1], alphabet));
        assert_eq!(order_parameters(&labels[0], alphabet), [0.0, 0.25, 0.75]);
        assert_eq!(order_parameters(&labels[1], alphabet), [0.75, 0.25, 0.0]);
        assert_eq!(order_names(Alphabet::Labels(100)).len(), 16);
        let angles: Frame<'_> = vec![std::f64::consts::FRAC_PI_2; 4].into();
        let mean = order_parameters(&angles, Alphabet::Angle);
        assert!(mean[0].abs() < 1e-12 && (mean[1] - 1.0).abs() < 1e-12);
        assert!(order_parameters(&vec![1i8, -1].into(), Alphabet::PlusMinus).is_empty());
    }

    #[test]
    fn means_over_neighbors_count_every_bond_once() {
        let open = Lattice::new(1, 3, Boundary::Free).unwrap();
        assert_eq!(neighbor_mean(&vec![1i8, 1, -1].into(), Alphabet::PlusMinus, open), 0.0);
        assert_eq!(neighbor_mean(&vec![2i8, 2, 0].into(), Alphabet::Labels(3), open), 0.5);
        assert_eq!(neighbor_mean(&vec![2.0, 3.0, 1.0].into(), Alphabet::Real, open), 4.5);
        let equal = neighbor_mean(&vec![0.3, 0.3, 0.3].into(), Alphabet::Angle, open);
        assert!((equal - 1.0).abs() < 1e-12);
    }

    #[test]
    fn names_go_both_ways_and_others_are_refused() {
        for observable in Observable::ALL {
            assert_eq!(observable.to_string().parse::<Observable>().unwrap(), observable);
            assert_eq!(serde_json::to_string(&observable).unwrap(), format!("\"{observable}\""));
        }
        let error = "entropy".parse::<Observable>().unwrap_err().to_string();
        assert!(
            error.contains("`entropy`") && error.contains("energy, magnetization, cluster, energy-squared"),
            "{error}"
        );
    }

    #[test]
    fn structure_factors_are_the_sums_over_all_sites() {
        let mut rng = stream(6, Purpose::Synthetic, 0);
        for (rows, cols) in [(1, 5), (4, 4), (3, 6), (6, 2)] {
            let spins: Vec<i8> = (0..rows * cols).map(|_| 2 * below(&mut rng, 2) as i8 - 1).collect();
            let wave = |turns_down: f64, turns_right: f64, values: &[f64]| {
                let phase = |v: usize| {
                    let (i, j) = ((v / cols) as f64, (v % cols) as f64);
                    std::f64::consts::TAU * (turns_down * i / rows as f64 + turns_right * j / cols as f64)
                };
                let re: f64 = values.iter().enumerate().map(|(v, x)| x * phase(v).cos()).sum();
                let im: f64 = values.iter().enumerate().map(|(v, x)| x * phase(v).sin()).sum();
                (re * re + im * im) / values.len() as f64
            };
            let least = |values: &[f64]| match rows.cmp(&cols) {
                std::cmp::Ordering::Less => wave(0.0, 1.0, values),
                std::cmp::Ordering::Greater => wave(1.0, 0.0, values),
                std::cmp::Ordering::Equal => f64::midpoint(wave(0.0, 1.0, values), wave(1.0, 0.0, values)),
            };
            let angles: Vec<f64> =
                spins.iter().enumerate().map(|(v, x)| (v * v) as f64 + f64::from(*x)).collect();
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-10, "{rows}×{cols}: {a} {b}");
            let values: Vec<f64> = spins.iter().map(|x| f64::from(*x)).collect();
            let (zero, first) = structure_factors(&spins, Alphabet::PlusMinus, (rows, cols));
            close(zero, wave(0.0, 0.0, &values));
            close(first, least(&values));
            let of = |component: fn(f64) -> f64| angles.iter().map(|x| component(*x)).collect::<Vec<f64>>();
            let (of_angles, first_of_angles) = structure_factors_of_angles(&angles, (rows, cols));
            close(of_angles, wave(0.0, 0.0, &of(f64::cos)) + wave(0.0, 0.0, &of(f64::sin)));
            close(first_of_angles, least(&of(f64::cos)) + least(&of(f64::sin)));
            let squared = frame_magnetization(&angles.clone().into(), Alphabet::Angle).powi(2);
            close(of_angles, squared * angles.len() as f64);
            // Two labels are spins.
            let labels: Vec<i8> = spins.iter().map(|x| (1 - x) / 2).collect();
            let (of_labels, first_of_labels) = structure_factors(&labels, Alphabet::Labels(2), (rows, cols));
            close(of_labels, zero);
            close(first_of_labels, first);
            for q in [3u8, 128] {
                let many: Vec<i8> = (0..rows * cols).map(|_| below(&mut rng, u64::from(q)) as i8).collect();
                let (states, norm) = (f64::from(q), f64::from(q) / f64::from(q - 1));
                let share = |label: u8| -> Vec<f64> {
                    many.iter().map(|x| f64::from(u8::from(*x == label as i8)) - 1.0 / states).collect()
                };
                let (zero, first) = structure_factors(&many, Alphabet::Labels(q), (rows, cols));
                close(zero, (0..q).map(|l| norm * wave(0.0, 0.0, &share(l))).sum());
                close(first, (0..q).map(|l| norm * least(&share(l))).sum());
            }
        }
    }
}
