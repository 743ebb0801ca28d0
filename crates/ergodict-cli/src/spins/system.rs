//! The flags of spin systems: those of another system are refused, and the files they name are read.

use crate::paths::NamedPath;
use crate::{input, output};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use ergodict::chain::{SpinWalk, SystemData, SystemKind, SystemSettings, Update};
use ergodict::data::{Batch, digest, read_edge_list};
use ergodict::model::Input;
use serde_json::{Value, json};
use std::path::Path;

/// The flags.
#[derive(Clone, clap::Args)]
pub(super) struct System {
    #[command(flatten)]
    settings: SystemSettings,
}

impl std::ops::Deref for System {
    type Target = SystemSettings;

    fn deref(&self) -> &SystemSettings {
        &self.settings
    }
}

/// The number of nodes, and the edges with their couplings.
type Graph = (usize, Vec<(u32, u32, f64)>);

/// The name of a system on the command line.
pub(super) fn name(kind: SystemKind) -> String {
    kind.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The systems that have a parameter.
fn with(key: &str) -> String {
    let having = SystemKind::value_variants().iter().filter(|kind| kind.parameters().contains(&key));
    having.map(|kind| name(*kind)).collect::<Vec<_>>().join(" or ")
}

impl System {
    /// The same with an update.
    pub(super) fn with_update(&self, update: Option<Update>) -> Self {
        Self { settings: SystemSettings { update, ..self.settings.clone() } }
    }

    /// The parameters that were given and that not every system on a lattice has.
    fn given(&self) -> Vec<String> {
        let Value::Object(settings) = json!(self.settings) else { return Vec::new() };
        let given = settings.into_iter().filter(|(_, value)| !value.is_null()).map(|(key, _)| key);
        given.filter(|key| !["model", "size", "boundary"].contains(&&**key)).collect()
    }

    /// Refuses flags of other systems.
    fn check(&self) -> Result<()> {
        let kind = self.kind();
        for key in self.given() {
            if !kind.parameters().contains(&&*key) {
                bail!("--{key} is for --model {}, not for {}", with(&key), name(kind));
            }
        }
        if self.weights.is_some() && (self.hidden.is_some() || self.weight_scale.is_some()) {
            bail!("--weights comes with its own hidden units: leave --hidden and --weight-scale out");
        }
        let lattice = kind.parameters().contains(&"boundary");
        if self.boundary.is_some() && (self.graph.is_some() || !lattice) {
            let what =
                if self.graph.is_some() { "--graph".to_owned() } else { format!("--model {}", name(kind)) };
            bail!("--boundary is for lattices, but {what} has no neighbors beyond an edge: leave it out");
        }
        if self.graph.is_some() && self.update == Some(Update::Checkerboard) {
            bail!("--update checkerboard is for lattices, not for --graph");
        }
        if let Some(path) = self.field_file().filter(|_| !kind.has_field_map()) {
            let kind = name(kind);
            bail!("--field {} is no number: a field of {kind} is the same everywhere", path.display());
        }
        if let Some((flag, _)) = self.files().into_iter().find(|(_, path)| output::is_standard(path)) {
            bail!("{flag} is -, but it is read once for each chain: name a file");
        }
        Ok(())
    }

    /// Refuses flags that a trajectory from a file makes meaningless: of what it is, only `--model` and `--states` apply.
    pub(super) fn refuse_beside_trajectory(&self, temperatures: &[f64]) -> Result<()> {
        let size = self.size.map(|_| "size".to_owned());
        let hot = (!temperatures.is_empty()).then(|| "temperature".to_owned());
        let other = self.given().into_iter().find(|key| *key != "states");
        if let Some(key) = other.or(size).or(hot) {
            bail!("--{key} says how to simulate, but --trajectory is there already: leave one of them out");
        }
        if self.states.is_some() && !self.model.is_some_and(|kind| kind.parameters().contains(&"states")) {
            bail!("--states is for --model {}: add that, or leave --states out", with("states"));
        }
        Ok(())
    }

    /// The flags that have a say in a trajectory from a file, into a configuration.
    pub(super) fn config_of_trajectory(&self, config: &mut Value) {
        config["boundary"] = json!(self.boundary());
        if let Some(model) = self.model {
            config["model"] = json!(model);
        }
        if let Some(states) = self.states {
            config["states"] = json!(states);
        }
    }

    /// Every flag that has a say, with its value, into a configuration.
    pub(super) fn config(&self, config: &mut Value) {
        for (key, value) in self.settings.config() {
            config[key] = value;
        }
    }

    /// The files that describe the system.
    pub(super) fn files(&self) -> Vec<NamedPath<'_>> {
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

    /// The system at its start, at a temperature, with stream `id` of the seed.
    pub(super) fn walk(&self, temperature: f64, seed: u64, id: u64) -> Result<Box<dyn SpinWalk>> {
        self.check()?;
        let graph = self.graph.as_deref().map(|path| self.edges(path)).transpose()?;
        let (rows, cols) = self.shape();
        let sites = graph.as_ref().map_or(rows.saturating_mul(cols), |(nodes, _)| *nodes);
        let field = self.field_file().map(|path| field(path, sites)).transpose()?;
        let (nodes, edges) = graph.unzip();
        let data = SystemData { field, nodes: nodes.unwrap_or(0), edges, weights: None };
        let walk = self.settings.walk(data, temperature, seed, id);
        Ok(match (&self.graph, &self.weights) {
            (Some(path), _) => walk.with_context(|| path.display().to_string())?,
            (_, Some(path)) => {
                walk.with_context(|| unusable("--weights", path, ".npz with W (visible × hidden), b and c"))?
            }
            _ => walk?,
        })
    }

    /// The nodes and edges of a graph; the coupling is that of edges without one.
    fn edges(&self, path: &Path) -> Result<Graph> {
        let graph = read_edge_list(path).with_context(|| {
            unusable("--graph", path, "an edge list: two names a line, and a coupling if need be")
        })?;
        let own = |i: usize| graph.weights.as_ref().map_or(self.coupling(), |couplings| couplings[i]);
        let edges = graph.ends.iter().enumerate().map(|(i, &(u, v))| (u, v, own(i))).collect();
        Ok((graph.ids.len(), edges))
    }
}

/// The field at each of these sites.
fn field(path: &Path, sites: usize) -> Result<Vec<f64>> {
    let numbers = numbers(path)
        .with_context(|| unusable("--field", path, "a number, or a matrix of numbers in a file"))?;
    if numbers.len() != sites {
        bail!("{}: has {} numbers, but there are {sites} sites", path.display(), numbers.len());
    }
    Ok(numbers)
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
