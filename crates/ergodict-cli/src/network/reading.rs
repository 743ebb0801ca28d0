//! Networks that commands read.

use crate::output::is_standard;
use crate::progress::{Progress, say};
use crate::{input, output, paths};
use anyhow::{Result, bail};
use ergodict::Error;
use ergodict::data::{
    Network, NetworkFormat, ReadDecisions, ReadSettings, WeightSettings, digest, embedded, read_network,
};
use ergodict::model::Input;
use std::path::Path;

/// A network that was read.
pub(crate) struct OpenedNetwork {
    pub(crate) network: Network,
    /// What was decided; none for embedded ones.
    pub(crate) decisions: Option<ReadDecisions>,
    /// The file; none for embedded networks and standard input.
    pub(crate) input: Option<Input>,
    /// What to call it.
    pub(crate) name: String,
}

/// Reads a network, embedded or from a file, and says in one line what was decided, and in others what may not be as it was meant.
pub(crate) fn open(settings: &ReadSettings, path: &Path, quiet: bool) -> Result<OpenedNetwork> {
    let opened = Progress::reading(quiet, path, || opened(settings, path))?;
    if let Some(decisions) = opened.decisions.as_ref().filter(|_| !quiet) {
        explain(settings, &opened.name, decisions);
    }
    if let Some(input) = opened.input.as_ref().filter(|_| !quiet) {
        crate::verbose::say_more(|| format!("{}: BLAKE3 {}", opened.name, input.digest));
    }
    Ok(opened)
}

/// Says how a network was read, and what may not be as it was meant.
pub(super) fn explain(settings: &ReadSettings, name: &str, decisions: &ReadDecisions) {
    say(&format!("{name}: {decisions}"));
    for note in output::spelled(&decisions.warnings(&settings.options())) {
        say(&format!("{name}: {note}"));
    }
}

/// Reads a network to learn from, whose weights are used only where `weighted` says so.
pub(crate) fn open_weighed(
    settings: &ReadSettings,
    (weighted, weights): (bool, WeightSettings),
    path: &Path,
    quiet: bool,
) -> Result<OpenedNetwork> {
    let opened = open(settings, path, quiet)?;
    let (network, note) = weights.apply(weighted, opened.network);
    if let Some(note) = note.filter(|_| !quiet && !settings.unweighted) {
        output::spelled(&[note]).iter().for_each(|note| say(&format!("{}: {note}", opened.name)));
    }
    Ok(OpenedNetwork { network, ..opened })
}

fn opened(settings: &ReadSettings, path: &Path) -> Result<OpenedNetwork> {
    if let Some(name) = embedded_name(path) {
        let options = settings.options();
        let network = embedded(name)?;
        if options.directed == Some(true) || options.weighted == Some(true) && !network.is_weighted() {
            bail!("{name} is {}: --directed and --weighted are for files", kind(&network));
        }
        let network = if options.weighted == Some(false) { network.unweighted() } else { network };
        return Ok(OpenedNetwork { network, decisions: None, input: None, name: name.to_owned() });
    }
    let (network, decisions) = explained(path, read_network(path, &settings.options()))?;
    let (name, from_file) = (input::name(path), !is_standard(path) && path.is_file());
    let input = from_file.then(|| Ok::<_, Error>(Input { name: name.clone(), digest: digest(path)? }));
    Ok(OpenedNetwork { network, decisions: Some(decisions), input: input.transpose()?, name })
}

/// What a checkpoint or model keeps of a network; embedded ones are those of this version.
pub(crate) fn input(opened: &OpenedNetwork) -> Input {
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
pub(crate) fn file(path: &Path) -> Option<paths::NamedPath<'_>> {
    embedded_name(path).is_none().then_some(("NET", path))
}

/// `undirected, weighted`.
pub(crate) fn kind(network: &Network) -> String {
    let direction = if network.is_directed() { "directed" } else { "undirected" };
    let weights = if network.is_weighted() { "weighted" } else { "unweighted" };
    format!("{direction}, {weights}")
}

/// What a network may be given as, after these words.
pub(crate) fn expected(words: &str) -> String {
    format!("{words}{}, - for standard input, or a name such as @karate", NetworkFormat::READ)
}

/// What came of reading a network; of a file that is not there, what would have been right.
pub(crate) fn explained<T>(path: &Path, read: ergodict::Result<T>) -> Result<T> {
    match read {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => bail!(
            "{}: file not found; {} (`ergodict network list` has them all){}",
            path.display(),
            expected("expected "),
            crate::nearest::file_hint(path)
        ),
        read => Ok(read?),
    }
}
