//! The cellular Potts model: cells that adhere, and keep their volume and perimeter.
//!
//! | symbol | here | where |
//! |---|---|---|
//! | `Y_t`: labels `σ(v)`, volumes, perimeters | [`Cells`] | docs/maths.md, Chains |
//! | `τ(σ)` | [`CellularPottsParameters::types`] | type of a cell; the medium, label 0, is of type 0 |
//! | `J(τ, τ')` | [`CellularPottsParameters::adhesion`] | docs/maths.md, Chains |
//! | `λ_V`, `V`, `λ_P`, `P` | `volume_strength`, `volume`, `perimeter_strength`, `perimeter` | |
//! | `H = Σ_{pairs} J(τ(σ_u), τ(σ_v)) 1[σ_u ≠ σ_v] + λ_V Σ_σ (V_σ − V)² + λ_P Σ_σ (P_σ − P)²` | [`SpinSystem::energy`] | Graner and Glazier, 1992, and a perimeter |
//! | `min(1, exp(−ΔH/T))` | [`CellularPotts::transitions`] | Metropolis |
//!
//! Pairs are neighbors by one neighborhood, four or eight, which also says what can be copied. `V_σ` is the number of
//! sites of cell σ, `P_σ` the number of pairs of which one site is of σ and the other is not; the sums are over the
//! cells, so the medium is not constrained, while a cell that vanished still costs `λ_V V² + λ_P P²`. On a torus with a
//! side of 2 a pair counts as often as it is joined; a site is never its own neighbor. Beyond a free edge there is
//! nothing, which costs nothing.
//!
//! The usual rule ([`Proposal::Neighbor`]) proposes the label of a neighbor. The way back is proposed with another
//! probability, so the chain is not reversible and its law is not `exp(−H/T)`; labels that vanished never return. Every
//! configuration of one label is absorbing, though far away while the constraints are strong. [`Proposal::Any`] proposes
//! all labels alike; that chain is reversible and has the law `exp(−H/T)`.

use super::diagnostics::Acceptance;
use super::neighborhood::{Around, Neighborhood};
use super::spins::{check_energy, check_temperature};
use super::{Alphabet, Chain, Lattice, MOST_LABELS, SpinSystem};
use crate::rng::{digit, shuffle, uniform};
use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use serde::{Deserialize, Serialize};

/// Which label is proposed for a site.
///
/// ```
/// use ergodict::chain::Proposal;
/// assert_eq!(Proposal::default(), Proposal::Neighbor);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Proposal {
    /// That of a neighbor chosen uniformly: the usual rule, not reversible, without a Boltzmann distribution.
    #[default]
    Neighbor,
    /// Any label, uniformly: reversible, with the distribution `exp(−H/T)`.
    Any,
}

/// What the model is made of.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct CellularPottsParameters {
    /// Where the cells are.
    pub lattice: Lattice,
    /// `T`, by default 10.
    pub temperature: f64,
    /// Type of each label, type 0 being that of the medium, which is label 0. By default all cells are of type 1.
    pub types: Vec<usize>,
    /// `J(τ, τ')`, symmetric, a row for each type. By default 16 between a cell and the medium and 14 between cells, as of
    /// Graner and Glazier's light cells. `J(0, 0)` is never used, as there is one medium.
    pub adhesion: Vec<Vec<f64>>,
    /// Target volume `V`, by default such that the cells take half of the lattice.
    pub volume: f64,
    /// `λ_V`, by default 1.
    pub volume_strength: f64,
    /// Target perimeter `P`, by default that of a square of the target volume in the plane.
    pub perimeter: f64,
    /// `λ_P`, by default 0: no constraint.
    pub perimeter_strength: f64,
    /// Neighbors for adhesion, perimeters and proposals alike, by default eight. The target perimeter counts pairs of
    /// them: [`with_neighborhood`](Self::with_neighborhood) sets both.
    pub neighborhood: Neighborhood,
    /// Which labels are proposed, by default those of neighbors.
    pub proposal: Proposal,
}

impl CellularPottsParameters {
    /// The defaults for `cells` cells on a lattice.
    pub(crate) fn new(lattice: Lattice, cells: usize) -> Self {
        let neighborhood = Neighborhood::default();
        let volume = lattice.sites() as f64 / 2.0 / cells.max(1) as f64;
        Self {
            lattice,
            temperature: 10.0,
            // More labels than are allowed are refused later, but not allocated.
            types: (0..=cells.min(LABELS)).map(|label| usize::from(label > 0)).collect(),
            adhesion: vec![vec![0.0, 16.0], vec![16.0, 14.0]],
            volume,
            volume_strength: 1.0,
            perimeter: square_perimeter(neighborhood, volume),
            perimeter_strength: 0.0,
            neighborhood,
            proposal: Proposal::default(),
        }
    }

    /// The same with another target volume, and the target perimeter of a square of it.
    pub(crate) fn with_volume(self, volume: f64) -> Self {
        let perimeter = square_perimeter(self.neighborhood, volume);
        Self { volume, perimeter, ..self }
    }

    /// The same with the adhesion energies `J01, J02, …, J11, J12, …` between types of cells, row by row without the medium's own, which is never
    /// used; types are dealt out to the cells in turn. None for a number of energies that no number of types has: one type needs 2, two
    /// need 5, three need 9.
    #[must_use]
    pub(crate) fn with_adhesion(mut self, energies: &[f64]) -> Option<Self> {
        let count = |types: usize| types + types * (types + 1) / 2;
        let types = (1..LABELS).find(|&types| count(types) == energies.len())?;
        let mut energies = energies.iter();
        self.adhesion = vec![vec![0.0; types + 1]; types + 1];
        for i in 0..=types {
            for j in i.max(1)..=types {
                let energy = *energies.next()?;
                self.adhesion[i][j] = energy;
                self.adhesion[j][i] = energy;
            }
        }
        (1..self.types.len()).for_each(|label| self.types[label] = 1 + (label - 1) % types);
        Some(self)
    }

    /// The same with another neighborhood, and the target perimeter of a square by it.
    #[cfg(test)]
    pub(crate) fn with_neighborhood(self, neighborhood: Neighborhood) -> Self {
        let perimeter = square_perimeter(neighborhood, self.volume);
        Self { perimeter, neighborhood, ..self }
    }

    fn check(&self) -> Result<()> {
        let Self { types, adhesion, .. } = self;
        let cells = types.len().saturating_sub(1);
        if !(1..LABELS).contains(&cells) || cells > self.lattice.sites() {
            let expected = format!("it must be 1 to {}, and at most the number of sites", LABELS - 1);
            return Err(Error::parameter("the number of cells", cells, expected));
        }
        check_temperature(self.temperature)?;
        for (label, &kind) in types.iter().enumerate() {
            if kind >= adhesion.len() || (label == 0) != (kind == 0) {
                let last = adhesion.len().saturating_sub(1);
                let expected = format!("the medium, label 0, is of type 0 and cells of type 1 to {last}");
                return Err(Error::parameter("a type", format!("{kind} (label {label})"), expected));
            }
        }
        for (i, row) in adhesion.iter().enumerate() {
            if row.len() != adhesion.len() {
                let found = format!("{} types by {}", adhesion.len(), row.len());
                return Err(Error::shape("the adhesion", found, "a square matrix"));
            }
            for (j, &x) in row.iter().enumerate() {
                if !x.is_finite() || adhesion.get(j).and_then(|row| row.get(i)) != Some(&x) {
                    let place = format!("{x} (types {i} and {j})");
                    return Err(Error::parameter("the adhesion", place, "it must be symmetric and finite"));
                }
            }
        }
        for (name, x) in [
            ("the volume", self.volume),
            ("the strength of the volume", self.volume_strength),
            ("the perimeter", self.perimeter),
            ("the strength of the perimeter", self.perimeter_strength),
        ] {
            if !(x.is_finite() && x >= 0.0) {
                return Err(Error::parameter(name, x, "it must be a number that is not negative"));
            }
        }
        self.check_energies()
    }

    /// Whether all energies are finite, and their changes, which would else be ∞ − ∞.
    fn check_energies(&self) -> Result<()> {
        let (sites, cells) = (self.lattice.sites() as f64, self.types.len() as f64);
        let largest = self.adhesion.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
        // Of a quadratic constraint; also of one without strength, as 0·∞ is no energy either. A change of a cell is at most
        // three times its bound, and room is left for the sum of all.
        let squares = |most: f64, target: f64, strength: f64| {
            8.0 * cells * most.max(target) * most.max(target) * strength.max(1.0)
        };
        check_energy("the adhesion", 64.0 * sites * largest)?;
        check_energy("the volume and its strength", squares(sites, self.volume, self.volume_strength))?;
        let most = 8.0 * sites;
        check_energy("the perimeter and its strength", squares(most, self.perimeter, self.perimeter_strength))
    }
}

/// Bonds that leave a square of `volume` sites in the plane.
fn square_perimeter(neighborhood: Neighborhood, volume: f64) -> f64 {
    match neighborhood {
        Neighborhood::Four => 4.0 * volume.sqrt(),
        // Three pairs for each site of an edge, less one where two edges meet.
        // A volume below 1/9 has no square, and its perimeter is not below nothing.
        Neighborhood::Eight => (12.0 * volume.sqrt() - 4.0).max(0.0),
    }
}

/// Labels there can be, the medium among them.
const LABELS: usize = MOST_LABELS as usize;

/// A configuration with what follows from it and would be slow to count. One that was read from a file is checked, and
/// recounted, by giving its labels to [`SpinSystem::state`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Cells {
    labels: Vec<i8>,
    volumes: Vec<i64>,
    perimeters: Vec<i64>,
}

impl Cells {
    /// The label of each site, row by row; 0 is the medium.
    #[cfg(test)]
    pub(crate) fn labels(&self) -> &[i8] {
        &self.labels
    }

    /// Sites of each label, the medium first.
    #[cfg(test)]
    pub(crate) fn volumes(&self) -> &[i64] {
        &self.volumes
    }

    /// Pairs of neighbors, of each label, of which one site has the label and the other has not.
    #[cfg(test)]
    pub(crate) fn perimeters(&self) -> &[i64] {
        &self.perimeters
    }
}

/// The chain: a site is chosen uniformly, a label is proposed for it and accepted with probability `min(1, exp(−ΔH/T))`.
///
/// `H = Σ_{pairs} J(τ(σ_u), τ(σ_v)) 1[σ_u ≠ σ_v] + λ_V Σ_σ (V_σ − V)² + λ_P Σ_σ (P_σ − P)²`, summed over pairs of neighbors with labels `σ` of types `τ`, and
/// over cells of volume `V_σ` (sites) and perimeter `P_σ` (pairs with another label).
#[derive(Clone, Debug)]
pub(crate) struct CellularPotts {
    parameters: CellularPottsParameters,
    around: Around,
    count: usize,
    /// `J` by labels, row by row; 0 between equal ones.
    pairs: Vec<f64>,
}

/// What happens when a site changes its label.
struct Change {
    energy: f64,
    /// By how much the perimeters of the old and of the new label grow.
    perimeters: (i64, i64),
}

impl CellularPotts {
    /// The chain with these parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there are 1 to 127 cells (labels but for the medium's) and at most one a site, the
    /// temperature is positive, the adhesion symmetric and finite, targets and strengths not negative, no energy can
    /// overflow, and every type has a row of the adhesion;
    /// [`Error::Shape`] when the adhesion is not square.
    pub(crate) fn new(parameters: CellularPottsParameters) -> Result<Self> {
        parameters.check()?;
        let CellularPottsParameters { types, adhesion, .. } = &parameters;
        let count = types.len();
        let pair = |(a, b): (usize, usize)| if a == b { 0.0 } else { adhesion[types[a]][types[b]] };
        let pairs = (0..count * count).map(|at| pair((at / count, at % count))).collect();
        let around = Around::new(parameters.lattice, parameters.neighborhood);
        Ok(Self { parameters, around, count, pairs })
    }

    /// Its parameters.
    #[cfg(test)]
    pub(crate) fn parameters(&self) -> &CellularPottsParameters {
        &self.parameters
    }

    /// The probability of each change that a step can make, as site, new label and probability. What is missing to one is
    /// the probability that nothing changes.
    #[cfg(test)]
    pub(crate) fn transitions(&self, state: &Cells) -> Vec<(usize, i8, f64)> {
        let (sites, cols) = (state.labels.len(), self.parameters.lattice.cols());
        let mut changes = Vec::new();
        for (site, &old) in state.labels.iter().enumerate() {
            let mut around = [0; 8];
            let n = self.around.gather(site / cols, site % cols, &mut around);
            for new in (0..self.count).map(|new| new as i8).filter(|new| *new != old) {
                let proposed = match self.parameters.proposal {
                    Proposal::Any => 1.0 / self.count as f64,
                    Proposal::Neighbor => {
                        let alike = around[..n].iter().filter(|u| state.labels[**u] == new).count();
                        alike as f64 / n.max(1) as f64
                    }
                };
                if proposed > 0.0 {
                    let accepted = self.accepted(self.change(state, old, new, &around[..n]).energy);
                    changes.push((site, new, proposed * accepted / sites as f64));
                }
            }
        }
        changes
    }

    #[inline]
    fn accepted(&self, energy: f64) -> f64 {
        (-energy / self.parameters.temperature).exp().min(1.0)
    }

    /// What follows when a site with these neighbors goes from label `old` to another label `new`.
    #[inline]
    fn change(&self, state: &Cells, old: i8, new: i8, around: &[usize]) -> Change {
        let p = &self.parameters;
        let (a, b) = (old as usize, new as usize);
        let (before, after) = (&self.pairs[a * self.count..], &self.pairs[b * self.count..]);
        let (mut energy, mut of_old, mut of_new) = (0.0, 0, 0);
        for &neighbor in around {
            let label = state.labels[neighbor];
            energy += after[label as usize] - before[label as usize];
            of_old += i64::from(label == old);
            of_new += i64::from(label == new);
        }
        // Pairs of the site with others of its label become boundary, the rest stops being that of its label.
        let n = around.len() as i64;
        let perimeters = (2 * of_old - n, n - 2 * of_new);
        for (label, volume, perimeter) in [(a, -1, perimeters.0), (b, 1, perimeters.1)] {
            if label > 0 {
                energy += p.volume_strength * growth(state.volumes[label], p.volume, volume)
                    + p.perimeter_strength * growth(state.perimeters[label], p.perimeter, perimeter);
            }
        }
        Change { energy, perimeters }
    }

    fn count_all(&self, labels: Vec<i8>) -> Cells {
        let (mut volumes, mut perimeters) = (vec![0; self.count], vec![0; self.count]);
        let cols = self.parameters.lattice.cols();
        let mut around = [0; 8];
        for (site, &label) in labels.iter().enumerate() {
            let n = self.around.gather(site / cols, site % cols, &mut around);
            volumes[label as usize] += 1;
            perimeters[label as usize] += around[..n].iter().filter(|u| labels[**u] != label).count() as i64;
        }
        Cells { labels, volumes, perimeters }
    }
}

/// By how much `(x − target)²` grows when `x` grows by `by`.
#[inline]
fn growth(x: i64, target: f64, by: i64) -> f64 {
    let by = by as f64;
    by * (2.0 * (x as f64 - target) + by)
}

impl Chain for CellularPotts {
    type State = Cells;
    /// Proposals to change a label. A step that proposes the label already there proposes nothing: so most steps do inside
    /// a cell, and the rate would depend on the size of the cells rather than on the energy.
    type Info = Acceptance;

    /// Square cells of the target volume, or as large as there is room, each in the middle of a tile of the lattice;
    /// medium between them. Which cell is where is random, so that types are mixed.
    fn init(&self, rng: &mut ChaCha8Rng) -> Cells {
        let (rows, cols) = self.parameters.lattice.shape();
        let cells = self.count - 1;
        let mut order: Vec<i8> = (1..=cells as i8).collect();
        shuffle(&mut order, rng);
        // Tiles as near to squares as can be.
        let across = |down: usize| cells.div_ceil(down);
        let room = |down: &usize| (rows / down).min(cols / across(*down));
        let down = (1..=cells.min(rows)).max_by_key(room).unwrap_or(1);
        let (height, width) = (rows / down, cols / across(down));
        let side = (self.parameters.volume.sqrt().round() as usize).clamp(1, height.max(1));
        let breadth = ((self.parameters.volume / side as f64).round() as usize).clamp(1, width.max(1));
        let mut labels = vec![0; rows * cols];
        for (tile, &label) in order.iter().enumerate() {
            let top = tile / across(down) * height + (height - side) / 2;
            let left = tile % across(down) * width + (width - breadth) / 2;
            for row in top..top + side {
                labels[row * cols + left..][..breadth].fill(label);
            }
        }
        self.count_all(labels)
    }

    #[inline]
    fn step(&self, state: &mut Cells, rng: &mut ChaCha8Rng) -> Acceptance {
        let lattice = self.parameters.lattice;
        let mut word = rng.next_u64();
        let (row, col) = (digit(&mut word, lattice.rows()), digit(&mut word, lattice.cols()));
        let site = row * lattice.cols() + col;
        let mut around = [0; 8];
        let n = self.around.gather(row, col, &mut around);
        let old = state.labels[site];
        let new = match self.parameters.proposal {
            Proposal::Any => digit(&mut word, self.count) as i8,
            Proposal::Neighbor if n == 0 => old,
            Proposal::Neighbor => state.labels[around[digit(&mut word, n)]],
        };
        if new == old {
            return Acceptance::default();
        }
        let change = self.change(state, old, new, &around[..n]);
        let accepted = change.energy <= 0.0 || uniform(rng) < self.accepted(change.energy);
        if accepted {
            state.labels[site] = new;
            for (label, volume, perimeter) in [(old, -1, change.perimeters.0), (new, 1, change.perimeters.1)]
            {
                state.volumes[label as usize] += volume;
                state.perimeters[label as usize] += perimeter;
            }
        }
        Acceptance { accepted: u64::from(accepted), proposed: 1 }
    }
}

impl SpinSystem for CellularPotts {
    type Value = i8;

    fn shape(&self) -> (usize, usize) {
        self.parameters.lattice.shape()
    }
    fn lattice(&self) -> Option<Lattice> {
        Some(self.parameters.lattice)
    }
    fn alphabet(&self) -> Alphabet {
        Alphabet::Labels(self.count as u8)
    }
    fn spins<'a>(&self, state: &'a Cells) -> &'a [i8] {
        &state.labels
    }
    fn state(&self, spins: &[i8]) -> Result<Cells> {
        self.alphabet().check(spins, self.parameters.lattice.sites())?;
        Ok(self.count_all(spins.to_vec()))
    }
    fn energy(&self, state: &Cells) -> f64 {
        let p = &self.parameters;
        let (cols, mut around, mut twice) = (p.lattice.cols(), [0; 8], 0.0);
        for (site, &label) in state.labels.iter().enumerate() {
            let n = self.around.gather(site / cols, site % cols, &mut around);
            let row = &self.pairs[label as usize * self.count..];
            twice += around[..n].iter().map(|u| row[state.labels[*u] as usize]).sum::<f64>();
        }
        let squares = |counts: &[i64], target: f64| {
            counts[1..].iter().map(|x| (*x as f64 - target).powi(2)).sum::<f64>()
        };
        twice / 2.0
            + p.volume_strength * squares(&state.volumes, p.volume)
            + p.perimeter_strength * squares(&state.perimeters, p.perimeter)
    }

    fn acceptance(info: &Acceptance) -> Option<Acceptance> {
        Some(*info)
    }

    fn tally(acceptance: Acceptance) -> Acceptance {
        acceptance
    }
}

#[cfg(test)]
mod tests {
    use super::super::Boundary;
    use super::*;
    use crate::rng::{Purpose, stream};

    fn parameters(rows: usize, cols: usize, cells: usize) -> CellularPottsParameters {
        CellularPottsParameters::new(Lattice::new(rows, cols, Boundary::Periodic).unwrap(), cells)
    }

    #[test]
    fn adhesion_is_read_row_by_row_without_the_medium_s_own() {
        let of = |energies: &[f64]| parameters(4, 4, 3).with_adhesion(energies);
        let one = of(&[16.0, 14.0]).unwrap();
        assert_eq!((one.adhesion, one.types), (vec![vec![0.0, 16.0], vec![16.0, 14.0]], vec![0, 1, 1, 1]));
        let two = of(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert_eq!(two.adhesion, [[0.0, 1.0, 2.0], [1.0, 3.0, 4.0], [2.0, 4.0, 5.0]]);
        assert_eq!(two.types, [0, 1, 2, 1]);
        // Types go round.
        let three = parameters(4, 4, 4).with_adhesion(&[1.0; 9]).unwrap();
        assert_eq!(three.types, [0, 1, 2, 3, 1]);
        assert!(of(&[1.0; 3]).is_none() && of(&[]).is_none());
    }

    #[test]
    fn the_start_has_every_cell_at_its_volume_where_there_is_room() {
        let mut rng = stream(1, Purpose::Chain, 0);
        for (rows, cols, cells, volume) in [(40, 40, 16, 25.0), (30, 60, 7, 36.0), (8, 100, 12, 9.0)] {
            let chain =
                CellularPotts::new(CellularPottsParameters { volume, ..parameters(rows, cols, cells) });
            let state = chain.unwrap().init(&mut rng);
            assert!(state.volumes()[1..].iter().all(|v| *v as f64 == volume), "{:?}", state.volumes());
        }
        for (rows, cols, cells) in [(1, 1, 1), (2, 3, 6), (3, 3, 5), (1, 127, 127), (12, 11, 127), (5, 5, 1)]
        {
            let chain = CellularPotts::new(parameters(rows, cols, cells)).unwrap();
            let state = chain.init(&mut rng);
            assert!(state.volumes()[1..].iter().all(|v| *v > 0), "{rows}×{cols}, {cells} cells");
            assert_eq!(state, chain.state(state.labels()).unwrap());
        }
    }

    #[test]
    fn the_default_perimeter_is_that_of_a_square() {
        for neighborhood in [Neighborhood::Four, Neighborhood::Eight] {
            let given = parameters(20, 20, 2).with_neighborhood(neighborhood);
            let chain = CellularPotts::new(given).unwrap();
            let state = chain.init(&mut stream(1, Purpose::Chain, 0));
            assert_eq!(state.volumes()[1], 100);
            assert_eq!(state.perimeters()[1] as f64, chain.parameters().perimeter, "{neighborhood:?}");
        }
        let tiny = parameters(2, 2, 1).with_volume(0.01);
        assert_eq!(tiny.perimeter, 0.0);
        assert!(CellularPotts::new(tiny).is_ok());
    }

    #[test]
    fn bad_parameters_are_refused() {
        type Break = fn(&mut CellularPottsParameters);
        let breaks: [(&str, Break); 19] = [
            ("temperature 0", |p| p.temperature = 0.0),
            ("temperature NaN", |p| p.temperature = f64::NAN),
            ("asymmetric", |p| p.adhesion[0][1] = 3.0),
            ("NaN adhesion", |p| p.adhesion[1][1] = f64::NAN),
            ("not square", |p| p.adhesion[0].push(1.0)),
            ("ragged", |p| p.adhesion[1].truncate(1)),
            ("no adhesion", |p| p.adhesion.clear()),
            ("unknown type", |p| p.types[2] = 2),
            ("medium of a cell's type", |p| p.types[0] = 1),
            ("cell of the medium's type", |p| p.types[1] = 0),
            ("no cells", |p| p.types.truncate(1)),
            ("no labels", |p| p.types.clear()),
            ("too many cells", |p| p.types.resize(129, 1)),
            ("adhesion overflows", |p| p.adhesion[1][1] = -1e307),
            ("strength overflows", |p| p.volume_strength = 1e305),
            ("volume overflows", |p| p.volume = 1e160),
            ("perimeter overflows without strength", |p| p.perimeter = 1e160),
            ("perimeter's strength overflows", |p| p.perimeter_strength = 1e303),
            ("negative strength", |p| p.volume_strength = -1.0),
        ];
        assert!(CellularPotts::new(parameters(20, 20, 3)).is_ok());
        for (name, spoil) in breaks {
            let mut p = parameters(20, 20, 3);
            spoil(&mut p);
            assert!(CellularPotts::new(p).is_err(), "{name}");
        }
        assert!(CellularPotts::new(parameters(2, 2, 5)).is_err(), "more cells than sites");
        assert!(CellularPotts::new(parameters(200, 200, usize::MAX)).is_err());
        let chain = CellularPotts::new(parameters(2, 2, 2)).unwrap();
        assert!(chain.state(&[0, 1, 2, 3]).is_err() && chain.state(&[0, 1]).is_err());
    }
}
