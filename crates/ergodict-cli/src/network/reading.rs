//! The flags of networks that are read, and how they are read.

use crate::output::is_standard;
use crate::progress::{Progress, say};
use crate::{input, paths};
use anyhow::{Result, bail};
use ergodict::Error;
use ergodict::data::{Decisions, Loops, Network, ReadOptions, digest, embedded, read_network};
use ergodict::dictionary::Input;
use serde_json::{Value, json};
use std::path::Path;

/// The flags.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Reading")]
#[expect(clippy::struct_excessive_bools, reason = "they are flags")]
pub(crate) struct Reading {
    /// Edges have a direction [default: as the file says, else they have none]
    #[arg(long, conflicts_with = "undirected")]
    directed: bool,
    /// Edges have no direction
    #[arg(long, conflicts_with = "directed")]
    undirected: bool,
    /// Edges must have weights [default: they are used where there are any]
    #[arg(long, conflicts_with = "unweighted")]
    weighted: bool,
    /// Weights are ignored
    #[arg(long, conflicts_with = "weighted")]
    unweighted: bool,
    /// Keep edges from a node to itself, which are dropped by default
    #[arg(long)]
    loops: bool,
}

/// A network that was read.
pub(crate) struct Opened {
    pub(crate) network: Network,
    /// What was decided; none for embedded ones.
    pub(crate) decisions: Option<Decisions>,
    /// The file; none for embedded networks and standard input.
    pub(crate) input: Option<Input>,
    /// What to call it.
    pub(crate) name: String,
}

impl Reading {
    /// How to read.
    pub(crate) fn options(&self) -> ReadOptions {
        let either = |yes: bool, no: bool| if yes == no { None } else { Some(yes) };
        ReadOptions {
            directed: either(self.directed, self.undirected),
            weighted: either(self.weighted, self.unweighted),
            loops: if self.loops { Loops::Keep } else { Loops::Drop },
        }
    }

    /// Reads a network, embedded or from a file, and tells in one line what was decided.
    pub(crate) fn open(&self, path: &Path, quiet: bool) -> Result<Opened> {
        let opened = Progress::reading(quiet, path, || self.opened(path))?;
        if let Some(decisions) = opened.decisions.as_ref().filter(|_| !quiet) {
            say(&format!("{}: {decisions}", opened.name));
            if decisions.weight_column == Some(3) && are_times(&opened.network, decisions.found.duplicates) {
                say(&format!(
                    "{}: column 3 looks like times (seconds since 1970), and is read as weights: --timestamps of `network learn` reads them so",
                    opened.name
                ));
            }
        }
        if let Some(input) = opened.input.as_ref().filter(|_| !quiet) {
            crate::verbose::say_more(|| format!("{}: BLAKE3 {}", opened.name, input.digest));
        }
        Ok(opened)
    }

    fn opened(&self, path: &Path) -> Result<Opened> {
        if let Some(name) = embedded_name(path) {
            let options = self.options();
            let network = embedded(name)?;
            if options.directed == Some(true) || options.weighted == Some(true) && !network.is_weighted() {
                bail!("{name} is {}: --directed and --weighted are for files", kind(&network));
            }
            let network = if options.weighted == Some(false) { network.unweighted() } else { network };
            return Ok(Opened { network, decisions: None, input: None, name: name.to_owned() });
        }
        let (network, decisions) = explained(path, read_network(path, &self.options()))?;
        let (name, from_file) = (input::name(path), !is_standard(path) && path.is_file());
        let input = from_file.then(|| Ok::<_, Error>(Input { name: name.clone(), digest: digest(path)? }));
        Ok(Opened { network, decisions: Some(decisions), input: input.transpose()?, name })
    }

    /// Every flag that has a say in the result, with its value.
    pub(crate) fn config(&self, config: &mut Value) {
        for (key, on) in [
            ("directed", self.directed),
            ("undirected", self.undirected),
            ("weighted", self.weighted),
            ("unweighted", self.unweighted),
            ("loops", self.loops),
        ] {
            if on {
                config[key] = json!(true);
            }
        }
    }
}

/// Whether weights look like seconds since 1970, from 1973 to 2128, and are not all the same. Those of edges that are listed several times, `duplicates` in
/// all, were added up, so that it is the mean of a line that is looked at.
fn are_times(network: &Network, duplicates: u64) -> bool {
    let (mut sum, mut low, mut high) = (0.0, f64::INFINITY, 0.0_f64);
    for (_, _, weight) in network.each_edge() {
        // One look tells nearly always.
        if weight < 1e8 {
            return false;
        }
        (sum, low, high) = (sum + weight, low.min(weight), high.max(weight));
    }
    high > low && sum / ((network.edges() + duplicates) as f64) < 5e9
}

/// What a checkpoint or model keeps of a network; embedded ones are those of this version.
pub(crate) fn input(opened: &Opened) -> Input {
    opened.input.clone().unwrap_or_else(|| unnamed(&opened.name))
}

/// What is kept of what is no file.
pub(crate) fn unnamed(name: &str) -> Input {
    Input { name: name.to_owned(), digest: format!("ergodict {}", env!("CARGO_PKG_VERSION")) }
}

/// The name of an embedded network, if that is what is given.
pub(crate) fn embedded_name(path: &Path) -> Option<&str> {
    path.to_str().filter(|name| name.starts_with('@'))
}

/// The network among the files that are read, unless it is embedded.
pub(crate) fn file(path: &Path) -> Option<paths::Given<'_>> {
    embedded_name(path).is_none().then_some(("NET", path))
}

/// `undirected, weighted`.
pub(crate) fn kind(network: &Network) -> String {
    let direction = if network.is_directed() { "directed" } else { "undirected" };
    let weights = if network.is_weighted() { "weighted" } else { "unweighted" };
    format!("{direction}, {weights}")
}

/// What came of reading a network; of a file that is not there, what would have been right.
pub(crate) fn explained<T>(path: &Path, read: ergodict::Result<T>) -> Result<T> {
    match read {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => bail!(
            "{}: there is no such file: expected an edge list, MatrixMarket, scipy .npz or .egr, - for standard input, \
             or a name such as @karate (`ergodict network list` has them all){}",
            path.display(),
            crate::nearest::file_hint(path)
        ),
        read => Ok(read?),
    }
}
