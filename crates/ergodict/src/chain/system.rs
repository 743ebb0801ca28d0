//! The spin systems by name, with their parameters as users set them: all that a front end needs to start one.
//!
//! A new system is a variant of [`SystemKind`], its parameters among those of [`SystemSettings`], and an arm in each `match` below.

use super::cluster::ClusterModel;
use super::{
    Alphabet, Boundary, CellularPotts, CellularPottsParameters, Checkerboard, Field, Ising, IsingGraph,
    Lattice, MOST_LABELS, PersistentChains, Potts, PottsCheckerboard, Proposal, Rbm, ReflectedClusters,
    Reflection, SpinWalk, SwendsenWang, Walker, Wolff, Xy, onsager,
};
use crate::linalg::Mat;
use crate::rng::{Purpose, ids, stream};
use crate::text::Shape;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Most cells: the medium is a label too.
const MOST_CELLS: usize = MOST_LABELS as usize - 1;

const COUPLING: f64 = 1.0;
const STATES: usize = 3;
const CELLS: usize = 36;
const HIDDEN: usize = 64;
const WEIGHT_SCALE: f64 = 0.5;
/// Where vortices unbind in the XY model on the infinite square lattice with J = 1 (Hasenbusch 2005: β = 1.1199(1)).
const XY_TRANSITION: f64 = 0.8929;

/// Which system.
///
/// ```
/// use ergodict::chain::SystemKind;
/// assert_eq!((SystemKind::default().title(), SystemKind::Potts.temperature()), ("Ising model", 1.0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum SystemKind {
    /// Spins -1 and 1; temperature 2.26 unless given
    #[default]
    Ising,
    /// Labels 0 to Q-1; temperature 1
    Potts,
    /// Labels of cells, 0 being the medium; temperature 10
    CellularPotts,
    /// Visible units 0 and 1 of a restricted Boltzmann machine; temperature 1
    Rbm,
    /// Angles; temperature 0.9
    Xy,
}

impl SystemKind {
    /// What it is called in words.
    pub fn title(self) -> &'static str {
        match self {
            Self::Ising => "Ising model",
            Self::Potts => "Potts model",
            Self::CellularPotts => "cellular Potts model",
            Self::Rbm => "restricted Boltzmann machine",
            Self::Xy => "XY model",
        }
    }

    /// The temperature where none is given.
    pub fn temperature(self) -> f64 {
        match self {
            Self::Ising => 2.26,
            Self::CellularPotts => 10.0,
            Self::Potts | Self::Rbm => 1.0,
            Self::Xy => 0.9,
        }
    }

    /// The parameters it has besides its size, by their keys.
    pub fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Ising => &["boundary", "coupling", "field", "graph", "update"],
            Self::Potts => &["boundary", "coupling", "field", "states", "update"],
            Self::CellularPotts => &[
                "adhesion",
                "boundary",
                "cells",
                "perimeter",
                "perimeter-strength",
                "proposal",
                "volume",
                "volume-strength",
            ],
            Self::Rbm => &["hidden", "weight-scale", "weights"],
            Self::Xy => &["boundary", "coupling", "update"],
        }
    }

    /// Whether labels only distinguish cells, so that the borders between them are what is learned.
    pub fn is_cellular(self) -> bool {
        self == Self::CellularPotts
    }

    /// Whether its field may differ from site to site.
    pub fn has_field_map(self) -> bool {
        self == Self::Ising
    }

    fn size(self) -> Shape {
        if self == Self::Rbm { Shape(28, 28) } else { Shape(200, 200) }
    }
}

/// In which order sites are updated.
///
/// ```
/// assert_eq!(ergodict::chain::Update::default(), ergodict::chain::Update::Random);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Update {
    /// One site at random at a time
    #[default]
    Random,
    /// All even sites, then all odd sites: the same distribution, 1.8 to 21 times faster (ising and potts on lattices)
    Checkerboard,
    /// One cluster, grown from a random site: mixes fast at and below the critical temperature (ising, potts, xy)
    Wolff,
    /// All clusters at once: mixes fast at every temperature (ising, potts, xy)
    SwendsenWang,
}

/// A spin system; parameters that are not given have the default of the system.
///
/// ```
/// use ergodict::chain::{SystemData, SystemKind, SystemSettings};
/// let potts = SystemSettings { model: Some(SystemKind::Potts), states: Some(5), ..SystemSettings::default() };
/// let mut walk = potts.walk(SystemData::default(), 0.8, 0, 0)?;
/// walk.advance(1000);
/// assert_eq!((walk.shape(), &potts.config()["coupling"]), ((200, 200), &1.0.into()));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "The spin system"))]
pub struct SystemSettings {
    /// The system [default: ising]
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "MODEL"))]
    pub model: Option<SystemKind>,
    /// Rows and columns: N or NxM [default: 200; 28 for rbm]
    ///
    /// Those of the lattice; for rbm those of the visible units.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub size: Option<Shape>,
    /// What lies beyond the edge [default: periodic]
    ///
    /// The units of an rbm have no neighbors.
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "HOW"))]
    pub boundary: Option<Boundary>,
    /// Order of updates [default: random; of `spins scan` swendsen-wang, where clusters can be updated]
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "HOW"))]
    pub update: Option<Update>,
    /// External field: a number, or a matrix in a file [default: 0]
    ///
    /// A matrix has a number for each site (ising); a positive number favors state 0 (potts).
    #[cfg_attr(feature = "clap", arg(long, value_name = "H|FILE", allow_negative_numbers = true))]
    pub field: Option<String>,
    /// Coupling J; negative for an antiferromagnet (ising, potts, xy) [default: 1]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "J", allow_negative_numbers = true, hide_short_help = true)
    )]
    pub coupling: Option<f64>,
    /// Edge list of a graph to be on instead of a lattice; a third column is the coupling of the edge (ising;
    /// `spins simulate` only)
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "EDGES", conflicts_with = "size", hide_short_help = true)
    )]
    pub graph: Option<PathBuf>,
    /// States (potts) [default: 3]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "Q", allow_negative_numbers = true, hide_short_help = true)
    )]
    pub states: Option<usize>,
    /// Cells besides the medium (cellular-potts) [default: 36]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true)
    )]
    pub cells: Option<usize>,
    /// Adhesion energies of a bond between types of cells, type 0 being the medium: J01,J11 for one type,
    /// J01,J02,J11,J12,J22 for two, and so on; types are dealt out to the cells in turn (cellular-potts)
    /// [default: 16,14]
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "J,J,…",
            value_delimiter = ',',
            allow_negative_numbers = true,
            hide_short_help = true
        )
    )]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub adhesion: Vec<f64>,
    /// Volume that cells aim at, in sites (cellular-potts) [default: cells take half of the lattice]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "V", allow_negative_numbers = true, hide_short_help = true)
    )]
    pub volume: Option<f64>,
    /// Strength of the volume constraint (cellular-potts) [default: 1]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "X", allow_negative_numbers = true, hide_short_help = true)
    )]
    pub volume_strength: Option<f64>,
    /// Perimeter that cells aim at, in bonds (cellular-potts) [default: that of a square of the volume]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "P", allow_negative_numbers = true, hide_short_help = true)
    )]
    pub perimeter: Option<f64>,
    /// Strength of the perimeter constraint (cellular-potts) [default: 0]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "X", allow_negative_numbers = true, hide_short_help = true)
    )]
    pub perimeter_strength: Option<f64>,
    /// What a site may turn into (cellular-potts) [default: neighbor]
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "HOW", hide_short_help = true))]
    pub proposal: Option<Proposal>,
    /// Weights: .npz with W (visible × hidden), b, c (rbm) [default: random ones]
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE.npz", hide_short_help = true))]
    pub weights: Option<PathBuf>,
    /// Hidden units of a machine with random weights (rbm) [default: 64]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true)
    )]
    pub hidden: Option<usize>,
    /// Standard deviation of random weights (rbm) [default: 0.5]
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "X", allow_negative_numbers = true, hide_short_help = true)
    )]
    pub weight_scale: Option<f64>,
}

/// A model at its start, by one of the updates that all models with clusters have; `what` is one that has no checkerboard sweeps.
fn begin<M: ClusterModel + Send + 'static>(
    model: M,
    update: Option<Update>,
    seed: u64,
    id: u64,
    what: &str,
) -> Result<Box<dyn SpinWalk>>
where
    M::Info: Send + Sync,
{
    Ok(match update.unwrap_or_default() {
        Update::Random => Box::new(Walker::new(model, seed, id)),
        Update::Wolff => Box::new(Walker::new(Wolff::new(model)?, seed, id)),
        Update::SwendsenWang => Box::new(Walker::new(SwendsenWang::new(model)?, seed, id)),
        Update::Checkerboard => return Err(no_checkerboard(what)),
    })
}

fn no_checkerboard(what: &str) -> Error {
    let expected = format!("{what} has random, wolff and swendsen-wang");
    Error::parameter("the update", "checkerboard", expected)
}

/// What a system is made of besides numbers: that of files which a front end read, or arrays it was given.
///
/// ```
/// let data = ergodict::chain::SystemData { nodes: 2, edges: Some(vec![(0, 1, 1.0)]), ..Default::default() };
/// let walk = ergodict::chain::SystemSettings::default().walk(data, 2.0, 0, 0)?;
/// assert_eq!(walk.frame().len(), 2);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SystemData {
    /// The field at each site.
    pub field: Option<Vec<f64>>,
    /// The nodes of a graph.
    pub nodes: usize,
    /// Its edges with their couplings, of a system that is on one.
    pub edges: Option<Vec<(u32, u32, f64)>>,
    /// Weights (visible × hidden), visible and hidden bias of a machine that is in no file.
    pub weights: Option<(Mat<f64>, Vec<f64>, Vec<f64>)>,
}

impl SystemSettings {
    /// Which system.
    pub fn kind(&self) -> SystemKind {
        self.model.unwrap_or_default()
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        let Shape(rows, cols) = self.size.unwrap_or(self.kind().size());
        (rows, cols)
    }

    /// What lies beyond the edge; patches of what has no neighbors stay inside.
    pub fn boundary(&self) -> Boundary {
        let lattice = self.kind().parameters().contains(&"boundary");
        self.boundary.unwrap_or(if lattice { Boundary::Periodic } else { Boundary::Free })
    }

    /// The file of the field, unless it is a number.
    pub fn field_file(&self) -> Option<&Path> {
        self.field.as_deref().filter(|text| text.parse::<f64>().is_err()).map(Path::new)
    }

    fn uniform_field(&self) -> f64 {
        self.field.as_deref().and_then(|text| text.parse().ok()).unwrap_or(0.0)
    }

    /// The coupling.
    pub fn coupling(&self) -> f64 {
        self.coupling.unwrap_or(COUPLING)
    }

    fn lattice(&self) -> Result<Lattice> {
        let (rows, cols) = self.shape();
        Lattice::new(rows, cols, self.boundary())
    }

    /// Estimated bytes of a chain, as far as the settings determine them.
    ///
    /// # Errors
    /// As [`Lattice::new`].
    pub fn memory(&self) -> Result<u64> {
        if self.graph.is_some() {
            return Ok(0);
        }
        let sites = self.lattice()?.sites() as u64;
        let field = if self.field_file().is_some() { 8 } else { 0 };
        let weights = match (self.kind(), &self.weights) {
            // The weights both ways round, and those they are made from.
            (SystemKind::Rbm, None) => {
                sites.saturating_mul(self.hidden.unwrap_or(HIDDEN) as u64).saturating_mul(3 * 8)
            }
            (SystemKind::Rbm, Some(path)) => path.metadata().map_or(0, |meta| meta.len()).saturating_mul(3),
            _ => 0,
        };
        // The configuration, and copies of it to be written and saved; angles have their cosines and sines next to them.
        let site = if self.kind() == SystemKind::Xy { 48 } else { 4 };
        Ok(sites.saturating_mul(site + field).saturating_add(weights))
    }

    /// Whether sites only ever take the label of a neighbor.
    pub fn only_copies(&self) -> bool {
        self.kind() == SystemKind::CellularPotts && self.proposal != Some(Proposal::Any)
    }

    /// The values of a trajectory that was written before, whose highest value this is; none where the system is not given. Labels
    /// that are not counted go up to the highest.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a number of states that cannot be.
    pub fn alphabet(&self, highest: i8) -> Result<Option<Alphabet>> {
        let found = highest.max(1).unsigned_abs() + 1;
        Ok(match (self.model, self.states) {
            (None, _) => None,
            (Some(SystemKind::Ising), _) => Some(Alphabet::PlusMinus),
            (Some(SystemKind::Rbm), _) => Some(Alphabet::ZeroOne),
            (Some(SystemKind::Xy), _) => Some(Alphabet::Angle),
            (Some(SystemKind::Potts), Some(states)) => {
                if !(2..=usize::from(MOST_LABELS)).contains(&states) {
                    let expected = format!("it must be from 2 to {MOST_LABELS}");
                    return Err(Error::parameter("states", states, expected));
                }
                Some(Alphabet::Labels(states as u8))
            }
            (Some(SystemKind::Potts | SystemKind::CellularPotts), _) => Some(Alphabet::Labels(found)),
        })
    }

    /// Every setting that has a say, with its value.
    pub fn config(&self) -> Map<String, Value> {
        let mut full = self.clone();
        (full.model, full.size, full.boundary) =
            (Some(self.kind()), self.size.or(Some(self.kind().size())), Some(self.boundary()));
        match self.kind() {
            SystemKind::Ising | SystemKind::Potts => {
                full.coupling = Some(self.coupling());
                full.field.get_or_insert_with(|| "0".to_owned());
                full.update.get_or_insert_default();
                full.states.get_or_insert(STATES);
            }
            SystemKind::CellularPotts => {
                full.cells.get_or_insert(CELLS);
                if let Ok(cells) = self.cells(1.0) {
                    let pairs = cells.adhesion.iter().enumerate();
                    full.adhesion = pairs.flat_map(|(i, row)| row.iter().skip(i.max(1))).copied().collect();
                    full.volume = Some(cells.volume);
                    full.volume_strength = Some(cells.volume_strength);
                    full.perimeter = Some(cells.perimeter);
                    full.perimeter_strength = Some(cells.perimeter_strength);
                    full.proposal = Some(cells.proposal);
                }
            }
            SystemKind::Xy => {
                full.coupling = Some(self.coupling());
                full.update.get_or_insert_default();
            }
            SystemKind::Rbm if self.weights.is_some() => {}
            SystemKind::Rbm => {
                full.hidden.get_or_insert(HIDDEN);
                full.weight_scale.get_or_insert(WEIGHT_SCALE);
            }
        }
        let on_graph = self.graph.is_some();
        let has_say = |key: &str| match key {
            "model" => true,
            "size" => !on_graph,
            "boundary" if on_graph => false,
            key => self.kind().parameters().contains(&key),
        };
        let mut config = json!(full).as_object().cloned().unwrap_or_default();
        config.retain(|key, value| has_say(key) && !value.is_null());
        if let Some(adhesion) = config.get_mut("adhesion") {
            *adhesion = json!(full.adhesion.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
        }
        config
    }

    /// Whether it is an Ising ferromagnet on a lattice, without a field.
    fn is_plain_ising(&self) -> bool {
        self.kind() == SystemKind::Ising
            && self.graph.is_none()
            && self.coupling() > 0.0
            && self.field_file().is_none()
            && self.uniform_field() == 0.0
    }

    /// The exact energy and specific heat per site of the torus, where they are known: of Ising ferromagnets without a field.
    pub fn exact_torus(&self, temperature: f64) -> Option<(f64, f64)> {
        let known = self.is_plain_ising() && self.boundary() == Boundary::Periodic;
        known.then(|| {
            let (energy, heat) = onsager::torus(self.shape(), temperature / self.coupling());
            (self.coupling() * energy, heat)
        })
    }

    /// The critical temperature of the infinite lattice, where it is known: of ferromagnets without a field, `T_c = 2J/ln(1 + √2)` for Ising and
    /// `J/ln(1 + √q)` for Potts models, and for the XY model where vortices unbind, about 0.8929 J.
    ///
    /// ```
    /// use ergodict::chain::{SystemKind, SystemSettings};
    /// let potts = SystemSettings { model: Some(SystemKind::Potts), states: Some(4), ..SystemSettings::default() };
    /// assert!((potts.critical_temperature().unwrap() - 1.0 / f64::ln(3.0)).abs() < 1e-12);
    /// ```
    pub fn critical_temperature(&self) -> Option<f64> {
        let has_field = self.uniform_field() != 0.0 || self.field_file().is_some();
        let coupling =
            Some(self.coupling()).filter(|coupling| *coupling > 0.0 && self.graph.is_none() && !has_field)?;
        match self.kind() {
            SystemKind::Ising => Some(coupling * onsager::critical_temperature()),
            SystemKind::Potts => Some(coupling / (1.0 + (self.states.unwrap_or(STATES) as f64).sqrt()).ln()),
            SystemKind::Xy => Some(coupling * XY_TRANSITION),
            SystemKind::CellularPotts | SystemKind::Rbm => None,
        }
    }

    /// The system at its start, at a temperature, with stream `id` of the seed. Files of fields and graphs come in `data`; one of
    /// weights is opened.
    ///
    /// # Errors
    /// [`Error::Parameter`] for parameters that cannot be, and what opening the weights may give.
    pub fn walk(&self, data: SystemData, temperature: f64, seed: u64, id: u64) -> Result<Box<dyn SpinWalk>> {
        Ok(match self.kind() {
            SystemKind::Ising => self.ising(data, temperature, seed, id)?,
            SystemKind::Potts => {
                let (states, field) = (self.states.unwrap_or(STATES), self.uniform_field());
                let potts = Potts::new(self.lattice()?, states, temperature, self.coupling(), field)?;
                if self.update == Some(Update::Checkerboard) {
                    return Ok(Box::new(Walker::new(PottsCheckerboard::new(potts)?, seed, id)));
                }
                begin(potts, self.update, seed, id, "the lattice")?
            }
            SystemKind::CellularPotts => {
                Box::new(Walker::new(CellularPotts::new(self.cells(temperature)?)?, seed, id))
            }
            SystemKind::Rbm => Box::new(Walker::new(self.rbm(data, temperature, seed)?, seed, id)),
            SystemKind::Xy => self.xy(temperature, seed, id)?,
        })
    }

    fn ising(&self, data: SystemData, temperature: f64, seed: u64, id: u64) -> Result<Box<dyn SpinWalk>> {
        let field = data.field.map_or_else(|| Field::Uniform(self.uniform_field()), Field::Map);
        if let Some(edges) = data.edges {
            let ising = IsingGraph::new(data.nodes, &edges, temperature, &field)?;
            return begin(ising, self.update, seed, id, "a graph");
        }
        let ising = Ising::new(self.lattice()?, temperature, self.coupling(), field)?;
        if self.update == Some(Update::Checkerboard) {
            return Ok(Box::new(Walker::new(Checkerboard::new(ising)?, seed, id)));
        }
        begin(ising, self.update, seed, id, "the lattice")
    }

    fn xy(&self, temperature: f64, seed: u64, id: u64) -> Result<Box<dyn SpinWalk>> {
        let lattice = self.lattice()?;
        let xy = Xy::new(lattice, temperature, self.coupling())?;
        let reflection = match self.update.unwrap_or_default() {
            Update::Random => return Ok(Box::new(Walker::new(xy, seed, id))),
            Update::Wolff => Reflection::One,
            Update::SwendsenWang => Reflection::All,
            Update::Checkerboard => return Err(no_checkerboard("an XY model")),
        };
        Ok(Box::new(Walker::new(ReflectedClusters::new(xy, lattice, reflection), seed, id)))
    }

    fn cells(&self, temperature: f64) -> Result<CellularPottsParameters> {
        let count = self.cells.unwrap_or(CELLS);
        if count == 0 || count > MOST_CELLS {
            return Err(Error::parameter("cells", count, format!("it must be between 1 and {MOST_CELLS}")));
        }
        let mut cells = CellularPottsParameters::new(self.lattice()?, count);
        cells.temperature = temperature;
        if !self.adhesion.is_empty() {
            let numbers = self.adhesion.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
            let found = format!("{numbers} ({} numbers)", self.adhesion.len());
            let expected = "one type of cells needs 2, two need 5, three need 9: J01,J02,…,J11,J12,…";
            let adhering = cells.with_adhesion(&self.adhesion);
            cells = adhering.ok_or_else(|| Error::parameter("adhesion", found, expected))?;
        }
        if let Some(volume) = self.volume {
            cells = cells.with_volume(volume);
        }
        cells.volume_strength = self.volume_strength.unwrap_or(cells.volume_strength);
        cells.perimeter = self.perimeter.unwrap_or(cells.perimeter);
        cells.perimeter_strength = self.perimeter_strength.unwrap_or(cells.perimeter_strength);
        cells.proposal = self.proposal.unwrap_or(cells.proposal);
        Ok(cells)
    }

    /// Several chains of a restricted Boltzmann machine, chains `0..count` of the seed.
    ///
    /// # Errors
    /// As [`SystemSettings::walk`]; [`Error::Parameter`] for another system, and for no chains.
    pub fn persistent_chains(
        &self,
        data: SystemData,
        temperature: f64,
        seed: u64,
        count: usize,
    ) -> Result<PersistentChains> {
        if self.kind() != SystemKind::Rbm {
            let expected = "persistent chains are those of restricted Boltzmann machines";
            return Err(Error::parameter("the system", self.kind().title(), expected));
        }
        PersistentChains::new(self.rbm(data, temperature, seed)?, seed, count)
    }

    fn rbm(&self, data: SystemData, temperature: f64, seed: u64) -> Result<Rbm> {
        let shape = self.shape();
        if let Some(path) = &self.weights {
            return Rbm::open(path, temperature, shape);
        }
        if let Some((weights, visible_bias, hidden_bias)) = data.weights {
            return Rbm::new(&weights, &visible_bias, &hidden_bias, temperature, shape);
        }
        if self.hidden == Some(0) {
            return Err(Error::parameter("hidden", 0, "a machine needs at least one hidden unit"));
        }
        let mut rng = stream(seed, Purpose::Synthetic, ids::WEIGHTS);
        let (hidden, scale) = (self.hidden.unwrap_or(HIDDEN), self.weight_scale.unwrap_or(WEIGHT_SCALE));
        Rbm::random(shape, hidden, scale, temperature, &mut rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_energies_and_critical_temperatures_are_those_of_plain_ferromagnets() {
        let plain = || SystemSettings { size: Some(Shape(5, 7)), ..SystemSettings::default() };
        let (energy, heat) = plain().exact_torus(2.5).unwrap();
        assert_eq!((energy, heat), onsager::torus((5, 7), 2.5));
        // Twice the coupling is half of the temperature, with twice the energy.
        let strong = SystemSettings { coupling: Some(2.0), ..plain() };
        let (twice, same) = strong.exact_torus(5.0).unwrap();
        assert!((twice - 2.0 * energy).abs() < 1e-12 && (same - heat).abs() < 1e-12);
        let critical = 2.0 / f64::ln(1.0 + f64::sqrt(2.0));
        assert!((plain().critical_temperature().unwrap() - critical).abs() < 1e-12);
        assert!((strong.critical_temperature().unwrap() - 2.0 * critical).abs() < 1e-12);
        let of = |model, states| SystemSettings { model: Some(model), states, ..plain() };
        for (settings, expected) in [
            (of(SystemKind::Potts, None), Some(1.0 / f64::ln(1.0 + f64::sqrt(3.0)))),
            (of(SystemKind::Potts, Some(4)), Some(1.0 / f64::ln(3.0))),
            (of(SystemKind::Xy, None), Some(0.8929)),
            (of(SystemKind::CellularPotts, None), None),
            (of(SystemKind::Rbm, None), None),
        ] {
            assert!(settings.exact_torus(2.5).is_none());
            let found = settings.critical_temperature();
            assert_eq!(found.is_some(), expected.is_some());
            assert!(found.is_none_or(|found| (found - expected.unwrap()).abs() < 1e-12), "{found:?}");
        }
        let free = SystemSettings { boundary: Some(Boundary::Free), ..plain() };
        assert!(free.exact_torus(2.5).is_none() && free.critical_temperature().is_some());
        for other in [
            SystemSettings { coupling: Some(-1.0), ..plain() },
            SystemSettings { coupling: Some(0.0), ..plain() },
            SystemSettings { field: Some("0.5".into()), ..plain() },
            SystemSettings { field: Some("field.csv".into()), ..plain() },
            SystemSettings { graph: Some("graph.txt".into()), ..plain() },
        ] {
            assert!(other.exact_torus(2.5).is_none() && other.critical_temperature().is_none());
        }
    }
}
