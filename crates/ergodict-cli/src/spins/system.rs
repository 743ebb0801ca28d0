//! The flags of spin systems, and the systems they describe.

use crate::edge::Edge;
use crate::model::size;
use crate::paths::Given;
use crate::{input, output};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use ergodict::chain::onsager;
use ergodict::chain::rng::{Purpose, ids, stream};
use ergodict::chain::{
    Boundary, CellularPotts, CellularPottsParameters, Checkerboard, Field, Ising, IsingGraph, Lattice,
    MOST_LABELS, Potts, Proposal, Rbm, SpinWalk, Walker,
};
use ergodict::data::{Batch, digest, read_edge_list};
use ergodict::dictionary::Input;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Most cells: the medium is a label too.
pub(super) const MOST_CELLS: usize = MOST_LABELS as usize - 1;

/// Sides from which on the energy of the infinite lattice is worth telling; a strip is another system.
const NEARLY_INFINITE: usize = 8;

/// Which system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Kind {
    Ising,
    Potts,
    CellularPotts,
    Rbm,
}

/// In which order sites are updated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Update {
    /// One site at random at a time
    Random,
    /// All even sites, then all odd sites: the same law, many times faster
    Checkerboard,
}

/// The flags.
#[derive(clap::Args)]
#[command(next_help_heading = "The spin system")]
pub(super) struct System {
    /// The system [default: ising]
    #[arg(long, value_enum, value_name = "MODEL")]
    model: Option<Kind>,
    /// Rows and columns of the lattice (of the visible units, for rbm): N or NxM [default: 200; 28 for rbm]
    #[arg(long, value_name = "N", value_parser = size)]
    size: Option<(usize, usize)>,
    /// What lies beyond the edge of the lattice [default: periodic; the units of an rbm have no neighbours]
    #[arg(long, value_enum, value_name = "HOW")]
    boundary: Option<Edge>,
    /// Order of updates [default: random]
    #[arg(long, value_enum, value_name = "HOW")]
    update: Option<Update>,
    /// External field: a number, or a matrix of them in a file (ising); a positive number favours state 0 (potts)
    /// [default: 0]
    #[arg(long, value_name = "H|FILE", allow_negative_numbers = true)]
    field: Option<String>,
    /// Coupling J; negative for an antiferromagnet (ising, potts) [default: 1]
    #[arg(long, value_name = "J", allow_negative_numbers = true)]
    coupling: Option<f64>,
    /// Edge list of a graph to be on instead of a lattice; a third column is the coupling of the edge (ising;
    /// `spins simulate` only)
    #[arg(long, value_name = "EDGES", conflicts_with = "size")]
    graph: Option<PathBuf>,
    /// States (potts) [default: 3]
    #[arg(long, value_name = "Q", allow_negative_numbers = true)]
    states: Option<usize>,
    /// Cells besides the medium (cellular-potts) [default: 36]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    cells: Option<usize>,
    /// Adhesion energies of a bond between types of cells, type 0 being the medium: J01,J11 for one type,
    /// J01,J02,J11,J12,J22 for two, and so on; types are dealt out to the cells in turn (cellular-potts)
    /// [default: 16,14]
    #[arg(long, value_name = "J,J,…", value_delimiter = ',', allow_negative_numbers = true)]
    adhesion: Vec<f64>,
    /// Volume that cells aim at, in sites (cellular-potts) [default: cells take half of the lattice]
    #[arg(long, value_name = "V", allow_negative_numbers = true)]
    volume: Option<f64>,
    /// Strength of the volume constraint (cellular-potts) [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    volume_strength: Option<f64>,
    /// Perimeter that cells aim at, in bonds (cellular-potts) [default: that of a square of the volume]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    perimeter: Option<f64>,
    /// Strength of the perimeter constraint (cellular-potts) [default: 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    perimeter_strength: Option<f64>,
    /// What a site may turn into (cellular-potts) [default: neighbour]
    #[arg(long, value_enum, value_name = "HOW")]
    proposal: Option<ProposalKind>,
    /// Weights: .npz with W (visible × hidden), b, c (rbm) [default: random ones]
    #[arg(long, value_name = "FILE.npz")]
    weights: Option<PathBuf>,
    /// Hidden units of a machine with random weights (rbm) [default: 64]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    hidden: Option<usize>,
    /// Standard deviation of random weights (rbm) [default: 0.5]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    weight_scale: Option<f64>,
}

/// What a site may turn into.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum ProposalKind {
    /// The label of a neighbour: the usual rule, not reversible, without a Boltzmann law
    Neighbour,
    /// Any label: reversible, with the law exp(−H/T)
    Any,
}

impl Kind {
    /// Its name on the command line.
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The temperature where none is given.
    pub(super) fn temperature(self) -> f64 {
        match self {
            Self::Ising => 2.26,
            Self::CellularPotts => 10.0,
            Self::Potts | Self::Rbm => 1.0,
        }
    }
}

impl System {
    /// Which system.
    pub(super) fn kind(&self) -> Kind {
        self.model.unwrap_or(Kind::Ising)
    }

    /// What lies beyond the edge; patches of the units of an rbm stay inside.
    pub(super) fn boundary(&self) -> Boundary {
        let own = if self.kind() == Kind::Rbm { Boundary::Free } else { Boundary::Periodic };
        self.boundary.map_or(own, Boundary::from)
    }

    /// Whether neighbours are a matter of the edge.
    fn has_edge(&self) -> bool {
        self.graph.is_none() && self.kind() != Kind::Rbm
    }

    /// The flags that were given, with the systems they are for.
    fn given(&self) -> Vec<(&'static str, &'static [Kind])> {
        let flags: [(&str, bool, &[Kind]); 15] = [
            ("--update", self.update.is_some(), &[Kind::Ising]),
            ("--field", self.field.is_some(), &[Kind::Ising, Kind::Potts]),
            ("--coupling", self.coupling.is_some(), &[Kind::Ising, Kind::Potts]),
            ("--graph", self.graph.is_some(), &[Kind::Ising]),
            ("--states", self.states.is_some(), &[Kind::Potts]),
            ("--cells", self.cells.is_some(), &[Kind::CellularPotts]),
            ("--adhesion", !self.adhesion.is_empty(), &[Kind::CellularPotts]),
            ("--volume", self.volume.is_some(), &[Kind::CellularPotts]),
            ("--volume-strength", self.volume_strength.is_some(), &[Kind::CellularPotts]),
            ("--perimeter", self.perimeter.is_some(), &[Kind::CellularPotts]),
            ("--perimeter-strength", self.perimeter_strength.is_some(), &[Kind::CellularPotts]),
            ("--proposal", self.proposal.is_some(), &[Kind::CellularPotts]),
            ("--weights", self.weights.is_some(), &[Kind::Rbm]),
            ("--hidden", self.hidden.is_some(), &[Kind::Rbm]),
            ("--weight-scale", self.weight_scale.is_some(), &[Kind::Rbm]),
        ];
        flags.into_iter().filter(|flag| flag.1).map(|(name, _, of)| (name, of)).collect()
    }

    /// Refuses flags of other systems.
    fn check(&self) -> Result<()> {
        for (flag, of) in self.given() {
            if !of.contains(&self.kind()) {
                let names: Vec<String> = of.iter().map(|kind| kind.name()).collect();
                bail!("{flag} is for --model {}, not for {}", names.join(" or "), self.kind().name());
            }
        }
        if self.weights.is_some() && (self.hidden.is_some() || self.weight_scale.is_some()) {
            bail!("--weights comes with its own hidden units: leave --hidden and --weight-scale out");
        }
        if self.hidden == Some(0) {
            bail!("--hidden is 0, but a machine needs at least one hidden unit");
        }
        if self.boundary.is_some() && !self.has_edge() {
            let what = if self.graph.is_some() { "--graph has" } else { "--model rbm has" };
            bail!("--boundary is for lattices, but {what} no neighbours beyond an edge: leave it out");
        }
        if let Some((flag, _)) = self.files().into_iter().find(|(_, path)| output::is_standard(path)) {
            bail!("{flag} is -, but it is read once for each chain: name a file");
        }
        Ok(())
    }

    /// Refuses flags that a trajectory from a file makes meaningless: of what it is, only `--model` and `--states` tell.
    pub(super) fn refuse_beside_trajectory(&self, temperatures: &[f64]) -> Result<()> {
        let size = self.size.map(|_| "--size");
        let hot = (!temperatures.is_empty()).then_some("--temperature");
        let other = self.given().into_iter().map(|given| given.0).find(|flag| *flag != "--states");
        if let Some(flag) = other.or(size).or(hot) {
            bail!("{flag} says how to simulate, but --trajectory is there already: leave one of them out");
        }
        if self.states.is_some() && self.model != Some(Kind::Potts) {
            bail!("--states is for --model potts: add that, or leave --states out");
        }
        Ok(())
    }

    /// What the flags state of a trajectory from a file: `--model` and `--states`.
    pub(super) fn stated(&self) -> (Option<Kind>, Option<usize>) {
        (self.model, self.states)
    }

    /// The flags that have a say in a trajectory from a file, into a configuration.
    pub(super) fn config_of_trajectory(&self, config: &mut Value) {
        config["boundary"] = json!(self.boundary());
        if let Some(model) = self.model {
            config["model"] = json!(model.name());
        }
        if let Some(states) = self.states {
            config["states"] = json!(states);
        }
    }

    /// About how many bytes a chain takes, where the flags tell.
    pub(super) fn memory(&self) -> Result<u64> {
        if self.graph.is_some() {
            return Ok(0);
        }
        self.lattice()?;
        let (rows, cols) = self.shape();
        let sites = (rows as u64).saturating_mul(cols as u64);
        let field = if self.field_file().is_some() { 8 } else { 0 };
        let weights = match (self.kind(), &self.weights) {
            // The weights both ways round, and those they are made from.
            (Kind::Rbm, None) => sites.saturating_mul(self.hidden.unwrap_or(64) as u64).saturating_mul(3 * 8),
            (Kind::Rbm, Some(path)) => path.metadata().map_or(0, |meta| meta.len()).saturating_mul(3),
            _ => 0,
        };
        // The configuration, and copies of it to be written and saved.
        Ok(sites.saturating_mul(4 + field).saturating_add(weights))
    }

    /// Whether sites only ever take the label of a neighbour.
    pub(super) fn only_copies(&self) -> bool {
        self.kind() == Kind::CellularPotts && self.proposal != Some(ProposalKind::Any)
    }

    fn shape(&self) -> (usize, usize) {
        self.size.unwrap_or(if self.kind() == Kind::Rbm { (28, 28) } else { (200, 200) })
    }

    fn lattice(&self) -> Result<Lattice> {
        let (rows, cols) = self.shape();
        Ok(Lattice::new(rows, cols, self.boundary())?)
    }

    /// The files that describe the system.
    pub(super) fn files(&self) -> Vec<Given<'_>> {
        let field = self.field_file().map(|path| ("--field", path));
        let graph = self.graph.as_deref().map(|path| ("--graph", path));
        let weights = self.weights.as_deref().map(|path| ("--weights", path));
        [field, graph, weights].into_iter().flatten().collect()
    }

    /// What models keep of those files.
    pub(super) fn inputs(&self) -> Result<Vec<Input>> {
        let of = |(_, path): (_, &Path)| Ok(Input { name: input::name(path), digest: digest(path)? });
        self.files().into_iter().map(of).collect()
    }

    fn field_file(&self) -> Option<&Path> {
        self.field.as_deref().filter(|text| text.parse::<f64>().is_err()).map(Path::new)
    }

    fn uniform_field(&self) -> f64 {
        self.field.as_deref().and_then(|text| text.parse().ok()).unwrap_or(0.0)
    }

    fn field(&self, sites: usize) -> Result<Field> {
        let Some(path) = self.field_file() else { return Ok(Field::Uniform(self.uniform_field())) };
        let numbers = numbers(path)
            .with_context(|| unusable("--field", path, "a number, or a matrix of numbers in a file"))?;
        if numbers.len() != sites {
            bail!("{}: has {} numbers, but there are {sites} sites", path.display(), numbers.len());
        }
        Ok(Field::Map(numbers))
    }

    /// Every flag that has a say, with its value, into a configuration.
    pub(super) fn config(&self, config: &mut Value) {
        let name = |value: Option<clap::builder::PossibleValue>| value.map(|v| v.get_name().to_owned());
        config["model"] = json!(self.kind().name());
        if self.graph.is_none() {
            let (rows, cols) = self.shape();
            config["size"] = json!(format!("{rows}x{cols}"));
        }
        if self.has_edge() {
            config["boundary"] = json!(self.boundary());
        }
        match self.kind() {
            Kind::Ising => {
                config["coupling"] = json!(self.coupling.unwrap_or(1.0));
                config["field"] = json!(self.field.as_deref().unwrap_or("0"));
                config["graph"] = json!(self.graph);
                config["update"] = json!(name(self.update.unwrap_or(Update::Random).to_possible_value()));
            }
            Kind::Potts => {
                config["states"] = json!(self.states.unwrap_or(3));
                config["coupling"] = json!(self.coupling.unwrap_or(1.0));
                config["field"] = json!(self.field.as_deref().unwrap_or("0"));
            }
            Kind::CellularPotts => self.config_of_cells(config),
            Kind::Rbm if self.weights.is_some() => config["weights"] = json!(self.weights),
            Kind::Rbm => {
                config["hidden"] = json!(self.hidden.unwrap_or(64));
                config["weight-scale"] = json!(self.weight_scale.unwrap_or(0.5));
            }
        }
        if let Value::Object(config) = config {
            config.retain(|_, value| !value.is_null());
        }
    }

    /// The same for cells, whose defaults follow from the lattice.
    fn config_of_cells(&self, config: &mut Value) {
        config["cells"] = json!(self.cells.unwrap_or(36));
        let Ok(cells) = self.cells(1.0) else { return };
        let pairs = cells.adhesion.iter().enumerate();
        let numbers = pairs.flat_map(|(i, row)| row.iter().skip(i.max(1))).map(f64::to_string);
        config["adhesion"] = json!(numbers.collect::<Vec<_>>().join(","));
        config["volume"] = json!(cells.volume);
        config["volume-strength"] = json!(cells.volume_strength);
        config["perimeter"] = json!(cells.perimeter);
        config["perimeter-strength"] = json!(cells.perimeter_strength);
        config["proposal"] = json!(cells.proposal);
    }

    /// The system at its start, at a temperature, with stream `id` of the seed.
    pub(super) fn walk(&self, temperature: f64, seed: u64, id: u64) -> Result<Box<dyn SpinWalk>> {
        self.check()?;
        Ok(match self.kind() {
            Kind::Ising => self.ising(temperature, seed, id)?,
            Kind::Potts => {
                if let Some(path) = self.field_file() {
                    bail!("--field {} is no number: a field of potts is the same everywhere", path.display());
                }
                let (states, coupling) = (self.states.unwrap_or(3), self.coupling.unwrap_or(1.0));
                let potts = Potts::new(self.lattice()?, states, temperature, coupling, self.uniform_field())?;
                Box::new(Walker::new(potts, seed, id))
            }
            Kind::CellularPotts => {
                Box::new(Walker::new(CellularPotts::new(self.cells(temperature)?)?, seed, id))
            }
            Kind::Rbm => Box::new(Walker::new(self.rbm(temperature, seed)?, seed, id)),
        })
    }

    /// The exact energy per site of an infinite lattice, where it is known.
    pub(super) fn exact_energy(&self, temperature: f64) -> Option<f64> {
        let plain = self.kind() == Kind::Ising
            && self.graph.is_none()
            && self.coupling.unwrap_or(1.0) == 1.0
            && self.field_file().is_none()
            && self.uniform_field() == 0.0
            && self.shape().0.min(self.shape().1) >= NEARLY_INFINITE;
        plain.then(|| onsager::energy_per_site(temperature))
    }

    fn ising(&self, temperature: f64, seed: u64, id: u64) -> Result<Box<dyn SpinWalk>> {
        let coupling = self.coupling.unwrap_or(1.0);
        let checkerboard = self.update == Some(Update::Checkerboard);
        if let Some(path) = &self.graph {
            if checkerboard {
                bail!("--update checkerboard is for lattices, not for --graph");
            }
            let graph = read_edge_list(path).with_context(|| {
                unusable("--graph", path, "an edge list: two names a line, and a coupling if need be")
            })?;
            let nodes = graph.ids.len();
            let own = |i: usize| graph.weights.as_ref().map_or(coupling, |couplings| couplings[i]);
            let edges: Vec<_> = graph.ends.iter().enumerate().map(|(i, &(u, v))| (u, v, own(i))).collect();
            let ising = IsingGraph::new(nodes, &edges, temperature, &self.field(nodes)?)
                .with_context(|| path.display().to_string())?;
            return Ok(Box::new(Walker::new(ising, seed, id)));
        }
        let lattice = self.lattice()?;
        let ising = Ising::new(lattice, temperature, coupling, self.field(lattice.sites())?)?;
        Ok(if checkerboard {
            Box::new(Walker::new(Checkerboard::new(ising)?, seed, id))
        } else {
            Box::new(Walker::new(ising, seed, id))
        })
    }

    fn cells(&self, temperature: f64) -> Result<CellularPottsParameters> {
        let count = self.cells.unwrap_or(36);
        if count == 0 || count > MOST_CELLS {
            bail!("--cells is {count}, but it must be between 1 and {MOST_CELLS}");
        }
        let mut cells = CellularPottsParameters::new(self.lattice()?, count);
        cells.temperature = temperature;
        if !self.adhesion.is_empty() {
            let Some(adhering) = cells.with_adhesion(&self.adhesion) else {
                bail!(
                    "--adhesion has {} numbers, but one type of cells needs 2, two need 5, three need 9: J01,J02,…,J11,J12,…",
                    self.adhesion.len()
                );
            };
            cells = adhering;
        }
        if let Some(volume) = self.volume {
            cells = cells.with_volume(volume);
        }
        cells.volume_strength = self.volume_strength.unwrap_or(cells.volume_strength);
        cells.perimeter = self.perimeter.unwrap_or(cells.perimeter);
        cells.perimeter_strength = self.perimeter_strength.unwrap_or(cells.perimeter_strength);
        cells.proposal = match self.proposal {
            Some(ProposalKind::Any) => Proposal::Any,
            Some(ProposalKind::Neighbour) => Proposal::Neighbour,
            None => cells.proposal,
        };
        Ok(cells)
    }

    fn rbm(&self, temperature: f64, seed: u64) -> Result<Rbm> {
        let shape = self.shape();
        if let Some(path) = &self.weights {
            return Rbm::open(path, temperature, shape)
                .with_context(|| unusable("--weights", path, ".npz with W (visible × hidden), b and c"));
        }
        let mut rng = stream(seed, Purpose::Synthetic, ids::WEIGHTS);
        let (hidden, scale) = (self.hidden.unwrap_or(64), self.weight_scale.unwrap_or(0.5));
        Ok(Rbm::random(shape, hidden, scale, temperature, &mut rng)?)
    }
}

/// What to say before the reason why a file cannot be used.
pub(super) fn unusable(flag: &str, path: &Path, expected: &str) -> String {
    format!("{flag} {} cannot be used (expected {expected})", path.display())
}

/// All numbers of a matrix, row by row.
fn numbers(path: &Path) -> Result<Vec<f64>> {
    let mut stream = input::open(path)?;
    let (mut batch, mut all) = (Batch::<f64>::new(), Vec::new());
    while stream.next_batch(1024, &mut batch)? > 0 {
        let x = batch.as_mat_ref();
        (0..x.cols()).for_each(|j| all.extend_from_slice(x.col(j)));
    }
    Ok(all)
}
