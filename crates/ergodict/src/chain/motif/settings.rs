//! Motif and sampler, as users set them, and the sampler they come to on a network.

use super::{Motif, MotifSampler, MotifWalker, SamplerBuilder, SamplerKind};
use crate::data::Network;
use crate::text::Size;
use crate::{Error, Hint, Note, Result, memory};
use serde::{Deserialize, Deserializer, Serialize};
use std::path::Path;
use std::sync::Arc;

/// Chains that reconstruct networks: enough for as many threads as most machines have.
const RECONSTRUCTING_CHAINS: u64 = 8;
/// Most steps between two homomorphisms.
const MOST_STEPS: u64 = 1 << 40;
/// Most chains.
const MOST_CHAINS: u64 = 1 << 16;

/// Which nodes homomorphisms may use.
///
/// ```
/// use ergodict::chain::{Component, SamplingSettings};
/// assert_eq!(SamplingSettings::default().component, Component::Largest);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Component {
    /// Those of the largest component
    #[default]
    Largest,
    /// All
    All,
}

/// Whether the pivot stays where it is in half of the steps.
///
/// ```
/// use ergodict::chain::{Lazy, SamplingSettings};
/// assert_eq!(SamplingSettings::default().lazy, Lazy::Auto);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Lazy {
    /// Where the component is bipartite, so that a walk would never forget on which side it began
    #[default]
    Auto,
    /// Always
    Yes,
    /// Never
    No,
}

/// What homomorphisms are sampled for.
///
/// ```
/// use ergodict::chain::{SamplingSettings, Use};
/// let chains = |usage| SamplingSettings::default().decided(usage).chains();
/// assert_eq!((chains(Use::Learn), chains(Use::Reconstruct)), (1, 8));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Learning: walks that start anywhere.
    Learn,
    /// Reconstructing: the same, on several chains.
    Reconstruct,
    /// Estimating observables of the motif, which are means over all homomorphisms.
    Estimate,
}

/// Settings of motif and sampler.
///
/// ```
/// use ergodict::chain::{SamplingSettings, Use};
/// let settings = SamplingSettings { k: Some(5), ..SamplingSettings::default() };
/// let motif = settings.motif()?;
/// let chosen = settings.choose(Use::Learn, ergodict::data::embedded("karate")?, &motif, 0)?;
/// assert_eq!((chosen.kind.to_string().as_str(), motif.k()), ("walk", 5));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "Motif and sampler"))]
pub struct SamplingSettings {
    /// Nodes of the motif [default: 10, or those of the file or the model]
    #[cfg_attr(feature = "clap", arg(short, long = "k", value_name = "K", allow_negative_numbers = true))]
    pub k: Option<usize>,
    /// The motif: path, star, cycle, complete, or a file of its edges [default: path, or that of the model]
    #[serde(deserialize_with = "current_motif")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHAPE|FILE", value_parser = motif_text))]
    pub motif: Option<String>,
    /// walk, exact, pivot, pivot-approx, glauber or rejection [default: walk; exact for sample; exact or glauber for motifs with cycles]
    ///
    /// walk: independent random walks from a uniform start, without set-up; tree motifs. exact: independent draws, uniform over
    /// all motif samples, most of which are in the densest part of a network. pivot: a Markov chain with the distribution of
    /// exact; tree motifs. pivot-approx: the paper's chain, with the distribution of walk. glauber: a Markov chain that changes
    /// one node a step; any motif. rejection: nodes at random until all edges are there; tiny motifs.
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub sampler: Option<SamplerKind>,
    /// Keep only samples with distinct nodes
    #[cfg_attr(feature = "clap", arg(long, hide_short_help = true))]
    pub injective: bool,
    /// Steps of the sampler between kept samples
    #[cfg_attr(feature = "clap", arg(long, value_name = "TAU", default_value_t = d().every, value_parser = crate::text::count, allow_negative_numbers = true, hide_short_help = true))]
    pub every: u64,
    /// Steps before the first kept sample
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = d().burn_in, value_parser = crate::text::count, allow_negative_numbers = true, hide_short_help = true))]
    pub burn_in: u64,
    /// Independent chains, which share the work [default: 1; 8 to reconstruct]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", allow_negative_numbers = true))]
    pub chains: Option<u64>,
    /// Sample the largest component only, or the whole network
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "largest|all", default_value_t = d().component, hide_possible_values = true, hide_short_help = true))]
    pub component: Component,
    /// Whether pivots rest in half of their steps
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "auto|yes|no", default_value_t = d().lazy, hide_possible_values = true, hide_short_help = true))]
    pub lazy: Lazy,
    /// Memory for tables, without the network, such as 2G or 500M, a number alone in mebibytes [default: what is available; 2G
    /// for the sums of a reconstruction, the rest of which goes to a temporary file]
    ///
    /// Samplers that need more are refused. A network in .egr is mapped: what is read of it is not counted.
    #[serde(skip_serializing)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", hide_short_help = true))]
    pub memory: Option<Size>,
}

#[cfg(feature = "clap")]
fn d() -> SamplingSettings {
    SamplingSettings::default()
}

impl Default for SamplingSettings {
    fn default() -> Self {
        Self {
            k: None,
            motif: None,
            sampler: None,
            injective: false,
            every: 1,
            burn_in: 0,
            chains: None,
            component: Component::default(),
            lazy: Lazy::default(),
            memory: None,
        }
    }
}

/// The sampler that settings come to on a network.
///
/// ```
/// use ergodict::chain::{ChosenSampler, SamplingSettings, Use};
/// let settings = SamplingSettings { k: Some(3), ..SamplingSettings::default() };
/// let davis = ergodict::data::embedded("davis")?;
/// let ChosenSampler { sampler, .. } = settings.choose(Use::Reconstruct, davis, &settings.motif()?, 0)?;
/// assert!(sampler.is_independent());
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct ChosenSampler {
    /// The network, or its largest component.
    pub network: Arc<Network>,
    /// What was chosen.
    pub kind: SamplerKind,
    /// The sampler itself.
    pub sampler: Arc<dyn MotifSampler>,
    /// The numbers of its nodes in the whole network, where [`SamplingSettings::choose_shared`] took a part of one.
    pub nodes: Option<Vec<u32>>,
    /// What a user should know of the choice.
    pub notes: Vec<Note>,
}

/// A motif from a configuration, by its name today.
fn current_motif<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<String>, D::Error> {
    let name = Option::<String>::deserialize(from)?;
    Ok(name.map(|name| Motif::current_name(&name).to_owned()))
}

/// A motif from the command line, by its name today.
#[cfg(feature = "clap")]
#[expect(clippy::unnecessary_wraps, reason = "clap's parsers can fail")]
fn motif_text(name: &str) -> std::result::Result<String, std::convert::Infallible> {
    Ok(Motif::current_name(name).to_owned())
}

impl SamplingSettings {
    /// Checks what does not need the network.
    ///
    /// # Errors
    /// [`Error::Parameter`], naming the first that is out of range.
    pub fn check(&self) -> Result<()> {
        if self.chains() == 0 || self.chains() > MOST_CHAINS {
            let expected = format!("it must be between 1 and {MOST_CHAINS}");
            return Err(Error::parameter("chains", self.chains(), expected));
        }
        if self.every == 0 {
            return Err(Error::parameter("every", 0, "it must be at least 1"));
        }
        for (name, steps) in [("every", self.every), ("burn-in", self.burn_in)] {
            if steps > MOST_STEPS {
                let expected = format!("it must be at most {MOST_STEPS} steps: more would take days");
                return Err(Error::parameter(name, steps, expected));
            }
        }
        Ok(())
    }

    /// Independent chains.
    pub fn chains(&self) -> u64 {
        self.chains.unwrap_or(1)
    }

    /// The motif's name.
    pub fn motif_name(&self) -> &str {
        self.motif.as_deref().map_or("path", Motif::current_name)
    }

    /// The file of the motif's edges, if it is given by one.
    pub fn motif_file(&self) -> Option<&Path> {
        let name = self.motif_name();
        (!Motif::SHAPES.contains(&name)).then(|| Path::new(name))
    }

    /// The motif.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a name that is neither a shape nor a file, or another number of nodes than that of the file.
    pub fn motif(&self) -> Result<Motif> {
        let Some(path) = self.motif_file() else {
            return Motif::named_shape(self.motif_name(), self.k.unwrap_or(Motif::NODES));
        };
        if !path.exists() {
            let near = crate::text::nearest(self.motif_name(), Motif::SHAPES);
            let near = near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
            let shapes = Motif::SHAPES.join(", ");
            let expected =
                format!("it must be one of {shapes}, or a file that lists the motif's edges{near}");
            return Err(Error::parameter("motif", self.motif_name(), expected));
        }
        let motif = Motif::read(path)?;
        match self.k {
            Some(k) if k != motif.k() => {
                let expected =
                    format!("the motif {} has {} nodes: leave it out", self.motif_name(), motif.k());
                Err(Error::parameter("k", k, expected))
            }
            _ => Ok(motif),
        }
    }

    /// Checks that the settings ask for no other motif than that of a model.
    ///
    /// # Errors
    /// [`Error::Parameter`] where they do.
    pub fn check_motif(&self, motif: &Motif) -> Result<()> {
        if let Some(k) = self.k.filter(|k| *k != motif.k()) {
            let expected = format!("the model is of {} nodes: leave it out", motif.k());
            return Err(Error::parameter("k", k, expected));
        }
        if self.motif.is_some() && self.motif()?.edges() != motif.edges() {
            let model = format!("the model is of another ({} of {} nodes)", motif.name(), motif.k());
            return Err(Error::parameter("motif", self.motif_name(), format!("{model}: leave it out")));
        }
        Ok(())
    }

    /// With the chains of this use.
    #[must_use]
    pub fn decided(mut self, usage: Use) -> Self {
        self.chains.get_or_insert(match usage {
            Use::Learn | Use::Estimate => 1,
            Use::Reconstruct => RECONSTRUCTING_CHAINS,
        });
        self
    }

    /// Records what was chosen on the data.
    pub fn record(&mut self, motif: &Motif, kind: SamplerKind) {
        self.k = Some(motif.k());
        self.motif.get_or_insert_with(|| "path".to_owned());
        self.sampler = Some(kind);
    }

    /// Bytes that tables may take, if it was set.
    pub(crate) fn memory(&self) -> Option<usize> {
        self.memory.map(Size::bytes)
    }

    /// Bytes of that for a test of adjacency, of which a run has at most a few: one of the sampler, one of patches.
    pub fn memory_of_adjacency(&self) -> Option<usize> {
        self.memory().map(|bytes| bytes / 8)
    }

    /// The part of a network that is sampled, with a note where it is not all.
    ///
    /// # Errors
    /// Of making the part.
    pub fn part(&self, network: Network) -> Result<(Network, Option<Note>)> {
        if self.component == Component::All {
            return Ok((network, None));
        }
        let whole = (network.nodes(), network.edges());
        let (largest, parts) = network.into_largest_component()?;
        let note = (parts > 1).then(|| part_note(parts, &largest, whole));
        Ok((largest, note))
    }

    /// The sampler to take where none is set and it is valid on the network; others are chosen by `SamplerBuilder::natural`.
    pub(crate) fn preferred(usage: Use, motif: &Motif) -> Option<SamplerKind> {
        let tree = motif.tree().filter(|_| usage != Use::Estimate);
        tree.map(|_| SamplerKind::Walk)
    }

    /// Refuses a sampler whose tables on a network take more memory than they may.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn fits(&self, usage: Use, network: &Network, motif: &Motif) -> Result<()> {
        let asked = self.sampler.or(Self::preferred(usage, motif)).unwrap_or(SamplerKind::Exact);
        let within = self.memory().map(|bytes| bytes as u64);
        let needed = asked.bytes(network, motif)?;
        let other = asked.fitting(network, motif, within)?;
        let way_out = match other {
            Some(kind) => format!("the sampler {kind} takes little{}", kind.differs_from(asked)),
            None => "no sampler of this motif takes less".to_owned(),
        };
        let checked = memory::check_within(needed, within, &format!("the sampler {asked}"), &way_out);
        checked.map_err(|error| match error {
            Error::Memory { what, needed, available, way_out, .. } => {
                let hint = other.map(|kind| Box::new(Hint { setting: "sampler", value: kind.to_string() }));
                Error::Memory { what, needed, available, way_out, hint }
            }
            error => error,
        })
    }

    /// The sampler on a network.
    ///
    /// # Errors
    /// As [`SamplerBuilder::build`]; [`Error::Memory`] for tables larger than they may be.
    pub fn choose(&self, usage: Use, network: Network, motif: &Motif, seed: u64) -> Result<ChosenSampler> {
        let (network, note) = self.part(network)?;
        let mut chosen = self.choose_in(usage, Arc::new(network), motif, seed)?;
        chosen.notes.splice(0..0, note);
        Ok(chosen)
    }

    /// The same for a network that others have as well: a largest component is a copy, and its nodes are known.
    ///
    /// # Errors
    /// As [`choose`](Self::choose).
    pub fn choose_shared(
        &self,
        usage: Use,
        network: &Arc<Network>,
        motif: &Motif,
        seed: u64,
    ) -> Result<ChosenSampler> {
        let parts = (self.component == Component::Largest).then(|| network.components());
        let Some(parts) = parts.filter(|parts| parts.sizes.len() > 1) else {
            return self.choose_in(usage, Arc::clone(network), motif, seed);
        };
        let nodes = parts.nodes(0);
        let largest = network.part_alike(&nodes)?;
        let note = part_note(parts.sizes.len(), &largest, (network.nodes(), network.edges()));
        let mut chosen = self.choose_in(usage, Arc::new(largest), motif, seed)?;
        chosen.notes.insert(0, note);
        Ok(ChosenSampler { nodes: Some(nodes), ..chosen })
    }

    /// The sampler on all of a network, whatever its components.
    ///
    /// # Errors
    /// As [`choose`](Self::choose).
    fn choose_in(
        &self,
        usage: Use,
        network: Arc<Network>,
        motif: &Motif,
        seed: u64,
    ) -> Result<ChosenSampler> {
        self.fits(usage, &network, motif)?;
        let lazy = match self.lazy {
            Lazy::Auto => None,
            Lazy::Yes => Some(true),
            Lazy::No => Some(false),
        };
        let memory = self.memory_of_adjacency();
        let builder = SamplerBuilder { lazy, injective: self.injective, memory, ..SamplerBuilder::default() };
        let preferred = Self::preferred(usage, motif);
        let (kind, sampler) = builder.choose(self.sampler, preferred, &network, motif, seed)?;
        let mut notes = Vec::new();
        if let Some(other) = preferred.filter(|other| self.sampler.is_none() && *other != kind)
            && let Err(reason) = builder.build(other, &network, motif, seed)
        {
            notes.push(format!("sampled by {kind} instead of {other}: {reason}").into());
        }
        if kind == SamplerKind::Glauber && self.chains() == 1 {
            let text = "convergence cannot be checked with one Glauber chain; use several, {}";
            notes.push(Note::hinting(text, Hint { setting: "chains", value: "4".into() }));
        }
        notes.extend(sampler.notes().into_iter().map(Note::from));
        Ok(ChosenSampler { network, kind, sampler, nodes: None, notes })
    }

    /// Chain `id` at its start.
    ///
    /// # Errors
    /// As [`MotifWalker::new`].
    pub fn walker(&self, sampler: &Arc<dyn MotifSampler>, seed: u64, id: u64) -> Result<MotifWalker> {
        MotifWalker::new(Arc::clone(sampler), seed, id, self.burn_in, self.every)
    }
}

/// What there is to know where a component is sampled instead of the whole, which has these nodes and edges.
fn part_note(parts: usize, largest: &Network, (nodes, edges): (usize, u64)) -> Note {
    let (own_nodes, own_edges) = (largest.nodes(), largest.edges());
    let text = format!(
        "the largest of {parts} components is sampled: {own_nodes} of {nodes} nodes, {own_edges} of {edges} edges ({{}} takes all)"
    );
    Note::hinting(text, Hint { setting: "component", value: "all".into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut SamplingSettings)) -> SamplingSettings {
        let mut settings = SamplingSettings::default();
        change(&mut settings);
        settings
    }

    #[test]
    fn numbers_are_within_their_limits() {
        let chains = |chains| with(|settings| settings.chains = Some(chains)).check().is_ok();
        assert_eq!([0, 1, MOST_CHAINS, MOST_CHAINS + 1].map(chains), [false, true, true, false]);
        let every = |every| with(|settings| settings.every = every).check().is_ok();
        assert_eq!([0, 1, MOST_STEPS, MOST_STEPS + 1].map(every), [false, true, true, false]);
        let burn_in = |burn_in| with(|settings| settings.burn_in = burn_in).check().is_ok();
        assert_eq!([0, MOST_STEPS, MOST_STEPS + 1].map(burn_in), [true, true, false]);
        assert!(SamplingSettings::default().check().is_ok());
        let decided = |chains, usage| with(|settings| settings.chains = chains).decided(usage).chains();
        for usage in [Use::Learn, Use::Estimate] {
            assert_eq!((decided(None, usage), decided(Some(3), usage)), (1, 3));
        }
        assert_eq!((decided(None, Use::Reconstruct), decided(Some(3), Use::Reconstruct)), (8, 3));
        let memory = with(|settings| settings.memory = Some("8M".parse().unwrap()));
        assert_eq!((memory.memory(), memory.memory_of_adjacency()), (Some(8 << 20), Some(1 << 20)));
        assert_eq!(SamplingSettings::default().memory_of_adjacency(), None);
    }

    #[test]
    fn motifs_are_those_of_the_model_or_refused() {
        let star = Motif::star(5).unwrap();
        let told =
            |settings: SamplingSettings| settings.check_motif(&star).map_err(|error| error.to_string());
        assert!(told(SamplingSettings::default()).is_ok());
        assert!(told(with(|settings| settings.k = Some(5))).is_ok());
        assert!(told(with(|settings| settings.k = Some(4))).unwrap_err().contains("the model is of 5 nodes"));
        let named =
            |name: &str, k| with(|settings| (settings.motif, settings.k) = (Some(name.to_owned()), Some(k)));
        assert!(told(named("star", 5)).is_ok());
        assert!(told(named("path", 5)).unwrap_err().contains("leave it out"));
        let near = named("pathh", 5).motif().unwrap_err().to_string();
        assert!(near.contains("did you mean 'path'"), "{near}");
        let mut recorded = SamplingSettings::default();
        recorded.record(&star, SamplerKind::Exact);
        assert_eq!((recorded.k, recorded.sampler), (Some(5), Some(SamplerKind::Exact)));
        assert_eq!(recorded.motif.as_deref(), Some("path"));
    }

    #[test]
    fn the_largest_component_is_sampled_unless_all_is_asked_for() {
        // A triangle with a tail, an edge, and a node alone.
        let network = || Network::simple(7, &[(4, 5), (0, 1), (1, 2), (2, 0), (2, 3)]).unwrap();
        let motif = Motif::path(3).unwrap();
        let settings = SamplingSettings::default();
        let chosen = settings.choose(Use::Learn, network(), &motif, 0).unwrap();
        assert_eq!((chosen.network.nodes(), chosen.network.edges(), chosen.kind), (4, 4, SamplerKind::Walk));
        let text = format!("{:?}", chosen.notes);
        assert!(
            text.contains("the largest of 3 components is sampled: 4 of 7 nodes, 4 of 5 edges"),
            "{text}"
        );
        assert!(chosen.nodes.is_none());
        let shared = Arc::new(network());
        let again = settings.choose_shared(Use::Learn, &shared, &motif, 0).unwrap();
        assert_eq!((again.network.nodes(), again.nodes), (4, Some(vec![0, 1, 2, 3])));
        assert_eq!(format!("{:?}", again.notes), text);
        let whole = Arc::new(Network::simple(3, &[(0, 1), (1, 2)]).unwrap());
        let same = settings.choose_shared(Use::Learn, &whole, &motif, 0).unwrap();
        assert!(
            Arc::ptr_eq(&same.network, &whole)
                && same.nodes.is_none()
                && !format!("{:?}", same.notes).contains("components")
        );
        let (part, note) = settings.part(Network::simple(3, &[(0, 1), (1, 2)]).unwrap()).unwrap();
        assert!(part.nodes() == 3 && note.is_none());
        let all = with(|settings| settings.component = Component::All);
        let chosen = all.choose(Use::Estimate, network(), &motif, 0).unwrap();
        assert_eq!((chosen.network.nodes(), chosen.kind), (7, SamplerKind::Exact));
        assert!(!format!("{:?}", chosen.notes).contains("components"));
    }

    #[test]
    fn one_glauber_chain_and_tables_beyond_the_memory_are_told() {
        let karate = || crate::data::embedded("karate").unwrap();
        let motif = Motif::cycle(4).unwrap();
        let glauber = |chains| {
            let settings = with(|settings| {
                (settings.sampler, settings.chains) = (Some(SamplerKind::Glauber), chains);
            });
            let chosen = settings.choose(Use::Learn, karate(), &motif, 0).unwrap();
            format!("{:?}", chosen.notes)
        };
        let one = "convergence cannot be checked with one Glauber chain";
        assert!(glauber(None).contains(one) && glauber(Some(1)).contains(one));
        assert!(!glauber(Some(2)).contains(one));
        // A limit of as much as is needed, and of less.
        let path = Motif::path(6).unwrap();
        let network = karate();
        let needed = SamplerKind::Exact.bytes(&network, &path).unwrap();
        let fits = |bytes: u64| {
            let settings = with(|settings| {
                settings.sampler = Some(SamplerKind::Exact);
                settings.memory = Some(format!("{bytes}B").parse().unwrap());
            });
            settings.fits(Use::Learn, &network, &path)
        };
        assert!(fits(needed).is_ok());
        assert!(matches!(fits(needed / 2), Err(Error::Memory { .. })));
    }
}
