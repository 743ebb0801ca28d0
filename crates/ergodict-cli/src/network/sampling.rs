//! The flags of motifs and samplers, and the sampler they ask for.

use crate::args::{Size, count};
use crate::{memory, paths};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use ergodict::chain::{Motif, MotifSampler, MotifWalker, SamplerKind, Samplers};
use ergodict::data::Network;
use ergodict::dictionary::SamplingConfig;
use ergodict::patch::NetworkForm;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Chains that rebuild networks: enough for as many threads as most machines have.
const REBUILDING_CHAINS: u64 = 8;
/// Most steps between two homomorphisms.
const MOST_STEPS: u64 = 1 << 40;
/// Most chains.
const MOST_CHAINS: u64 = 1 << 16;

/// Which nodes homomorphisms may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Component {
    /// Those of the largest component
    Largest,
    /// All
    All,
}

/// Whether the pivot stays where it is in half of the steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Lazy {
    /// Where the component is bipartite, so that a walk would never forget on which side it began
    Auto,
    /// Always
    Yes,
    /// Never
    No,
}

/// The flags.
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "Motif and sampler")]
pub(crate) struct Sampling {
    /// Nodes of the motif [default: 21, or those of the file or of --model]
    #[arg(short, long = "k", value_name = "K", allow_negative_numbers = true)]
    k: Option<usize>,
    /// The motif: chain, star, cycle, complete, or a file with its edges [default: chain, or that of --model]
    #[arg(long, value_name = "SHAPE|FILE")]
    motif: Option<String>,
    /// How homomorphisms are drawn [default: exact, glauber for motifs with cycles that are rare; pivot-approx for reconstruct and compare]
    ///
    /// exact: independent draws; those of motifs with cycles are draws of a spanning tree that happen to close. pivot: a random walk of the first node, the rest drawn anew in each step;
    /// tree motifs. pivot-approx: the same without set-up, by plain random walks; its law is uniform in the first node, and
    /// not the one of the others. glauber: one node in each step, any motif. rejection: nodes at random until all edges are
    /// there, for tiny motifs.
    #[arg(long, value_name = "NAME")]
    sampler: Option<SamplerKind>,
    /// Keep only homomorphisms whose nodes are all different
    #[arg(long)]
    injective: bool,
    /// Steps of the sampler from one kept homomorphism to the next
    #[arg(long, value_name = "TAU", default_value_t = 1, value_parser = count, allow_negative_numbers = true)]
    every: u64,
    /// Steps before the first
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count, allow_negative_numbers = true)]
    burn_in: u64,
    /// Independent chains, which share the work; each has its own random numbers [default: 1; 8 for reconstruct and compare]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    chains: Option<u64>,
    /// Where homomorphisms go: into the largest component, or anywhere
    #[arg(long, value_name = "largest|all", default_value = "largest", hide_possible_values = true)]
    component: Component,
    /// Whether pivots rest in half of their steps
    #[arg(long, value_name = "auto|yes|no", default_value = "auto", hide_possible_values = true)]
    #[arg(hide_short_help = true)]
    lazy: Lazy,
    /// Memory that tables beside the network may take, such as 2G or 500M, a number alone in mebibytes [default: what is available; 2G
    /// for sums and counts of reconstruct, the rest of which goes to a temporary file]
    ///
    /// Samplers that need more are refused. A network in .egr is mapped: what is read of it is not counted.
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    memory: Option<Size>,
    /// What is taken where nothing is said, if it is valid on the network.
    #[arg(skip)]
    preferred: Option<SamplerKind>,
}

/// What the flags come to on a network.
pub(crate) struct Chosen {
    pub(crate) network: Arc<Network>,
    pub(crate) kind: SamplerKind,
    pub(crate) sampler: Arc<dyn MotifSampler>,
    /// What there is to say of the choice.
    pub(crate) notes: Vec<String>,
}

impl Sampling {
    /// The motif's file, among what is read.
    pub(crate) fn files(&self) -> Option<paths::Given<'_>> {
        self.motif_file().map(|path| ("--motif", path))
    }

    fn motif_name(&self) -> &str {
        self.motif.as_deref().unwrap_or("chain")
    }

    fn motif_file(&self) -> Option<&Path> {
        let name = self.motif_name();
        (!Motif::SHAPES.contains(&name)).then(|| Path::new(name))
    }

    /// Independent chains.
    pub(crate) fn chains(&self) -> u64 {
        self.chains.unwrap_or(1)
    }

    /// Checks what does not need the network.
    pub(crate) fn check(&self) -> Result<()> {
        if self.chains() == 0 || self.chains() > MOST_CHAINS {
            bail!("--chains is {}, but it must be between 1 and {MOST_CHAINS}", self.chains());
        }
        if self.every == 0 {
            bail!("--every is 0, but it must be at least 1");
        }
        if self.every > MOST_STEPS || self.burn_in > MOST_STEPS {
            bail!("--every and --burn-in are at most {MOST_STEPS} steps: more would take days");
        }
        Ok(())
    }

    /// The motif.
    pub(crate) fn motif(&self) -> Result<Motif> {
        let Some(path) = self.motif_file() else {
            return Ok(Motif::named_shape(self.motif_name(), self.k.unwrap_or(Motif::NODES))?);
        };
        if !path.exists() {
            bail!(
                "--motif is {}, but it must be one of {}, or a file that lists the motif's edges{}",
                self.motif_name(),
                Motif::SHAPES.join(", "),
                crate::nearest::hint(self.motif_name(), Motif::SHAPES)
            );
        }
        let motif = Motif::read(path).with_context(|| format!("--motif {}", self.motif_name()))?;
        match self.k {
            Some(k) if k != motif.k() => {
                bail!("-k is {k}, but the motif {} has {} nodes: leave -k out", self.motif_name(), motif.k())
            }
            _ => Ok(motif),
        }
    }

    /// The motif of a model, of which the flags may say nothing else.
    pub(crate) fn motif_of(&self, form: &NetworkForm) -> Result<Motif> {
        let motif = form.motif()?;
        if let Some(k) = self.k.filter(|k| *k != motif.k()) {
            bail!("-k is {k}, but the model is of {} nodes: leave -k out", motif.k());
        }
        if self.motif.is_some() && self.motif()?.edges() != motif.edges() {
            bail!(
                "--motif is {}, but the model is of another ({} of {} nodes): leave --motif out",
                self.motif_name(),
                motif.name(),
                motif.k()
            );
        }
        Ok(motif)
    }

    /// The same flags for rebuilding, where many walks matter more than independent ones: the approximate pivot for trees, and several
    /// chains.
    pub(crate) fn for_rebuilding(mut self, motif: &Motif) -> Self {
        self.chains.get_or_insert(REBUILDING_CHAINS);
        self.preferred = motif.tree().map(|_| SamplerKind::PivotApprox);
        self
    }

    /// The same flags with this sampler.
    pub(crate) fn fixed(mut self, kind: SamplerKind) -> Self {
        self.sampler = Some(kind);
        self
    }

    /// What was said of memory, as `--config` takes it.
    pub(crate) fn memory_value(&self) -> Option<Value> {
        self.memory.map(Size::value)
    }

    /// Bytes that tables may take, if it was said.
    pub(crate) fn memory(&self) -> Option<usize> {
        self.memory.map(Size::bytes)
    }

    /// Bytes of that for a test of adjacency, of which a run has at most a few: one of the sampler, one of patches.
    pub(crate) fn memory_of_adjacency(&self) -> Option<usize> {
        self.memory().map(|bytes| bytes / 8)
    }

    /// The part of a network that is looked at, and what there is to say of that.
    pub(crate) fn part(&self, network: Network) -> Result<(Network, Option<String>)> {
        if self.component == Component::All {
            return Ok((network, None));
        }
        let (nodes, edges) = (network.nodes(), network.edges());
        let (largest, parts) = network.into_largest_component()?;
        let note = (parts > 1).then(|| {
            format!(
                "the largest of {parts} components is sampled: {} of {nodes} nodes, {} of {edges} edges (--component all takes all)",
                largest.nodes(),
                largest.edges(),
            )
        });
        Ok((largest, note))
    }

    /// Refuses a sampler whose tables on the part of a network that is looked at take more memory than they may.
    pub(crate) fn check_memory(&self, network: Network, motif: &Motif) -> Result<()> {
        self.fits(&self.part(network)?.0, motif)
    }

    fn fits(&self, network: &Network, motif: &Motif) -> Result<()> {
        let asked = self.sampler.or(self.preferred).unwrap_or(SamplerKind::Exact);
        let within = self.memory().map(|bytes| bytes as u64);
        let needed = asked.bytes(network, motif)?;
        let fits = asked.fitting(network, motif, within)?;
        let way_out = match fits {
            Some(kind) => format!("--sampler {kind} takes little{}", kind.differs_from(asked)),
            None => "no sampler of this motif takes less".to_owned(),
        };
        memory::check_within(needed, within, &format!("--sampler {asked}"), &way_out)
    }

    /// The sampler on a network.
    pub(crate) fn choose(&self, network: Network, motif: &Motif, seed: u64) -> Result<Chosen> {
        let (network, note) = self.part(network)?;
        let mut notes: Vec<String> = note.into_iter().collect();
        self.fits(&network, motif)?;
        let network = Arc::new(network);
        let lazy = match self.lazy {
            Lazy::Auto => None,
            Lazy::Yes => Some(true),
            Lazy::No => Some(false),
        };
        let memory = self.memory_of_adjacency();
        let samplers = Samplers { lazy, injective: self.injective, memory, ..Samplers::default() };
        let (kind, sampler) = samplers.choose(self.sampler, self.preferred, &network, motif, seed)?;
        if kind == SamplerKind::Glauber && self.chains() == 1 {
            notes.push(
                "one Glauber chain cannot tell whether it has mixed: compare several, --chains 4".into(),
            );
        }
        notes.extend(sampler.notes());
        Ok(Chosen { network, kind, sampler, notes })
    }

    /// Chain `id` at its start.
    pub(crate) fn walker(&self, sampler: &Arc<dyn MotifSampler>, seed: u64, id: u64) -> Result<MotifWalker> {
        Ok(MotifWalker::new(Arc::clone(sampler), seed, id, self.burn_in, self.every)?)
    }

    /// Every flag that has a say in the result, with its value.
    pub(crate) fn config(&self, config: &mut Value, motif: &Motif, kind: SamplerKind) {
        let lower = |text: &dyn std::fmt::Debug| format!("{text:?}").to_lowercase();
        let own = SamplingConfig {
            k: motif.k(),
            motif: self.motif_name().to_owned(),
            sampler: kind,
            injective: self.injective,
            every: self.every,
            burn_in: self.burn_in,
            chains: self.chains(),
            component: lower(&self.component),
            lazy: lower(&self.lazy),
        };
        own.put(config);
    }

    /// Whether all nodes of a homomorphism are different.
    pub(crate) fn injective(&self) -> bool {
        self.injective
    }

    /// Steps before the first homomorphism.
    pub(crate) fn burn_in(&self) -> u64 {
        self.burn_in
    }

    /// Steps between kept homomorphisms.
    pub(crate) fn every(&self) -> u64 {
        self.every
    }
}

/// The motif of `--conditional`.
pub(crate) fn larger(name: &str, motif: &Motif) -> Result<Motif> {
    if Motif::SHAPES.contains(&name) {
        return Motif::named_shape(name, motif.k()).with_context(|| format!("--conditional {name}"));
    }
    Motif::read(Path::new(name)).with_context(|| format!("--conditional {name}"))
}
