//! `ergodict network reconstruct`: a network reconstructed from latent motifs, its own or another's.

pub(super) mod writer;

use super::reading::{self, OpenedNetwork};
use crate::args::Common;
use crate::checkpoints::CheckpointArgs;
use crate::driver::Driver;
use crate::progress::say;
use crate::recorded::RecordedSettings;
use crate::reports::{self, ReportArgs};
use crate::summary::emit;
use crate::{input, interrupt, memory, output, paths};
use anyhow::{Context, Result, bail};
use ergodict::chain::{ChosenSampler, Use};
use ergodict::data::{Adjacency, Network, NodeIds, PairTable, WeightSettings, digest};
use ergodict::model::{Input, Model};
use ergodict::reconstruct::network::{
    Accuracy, PartsFolder, RebuildSettings, ReconstructionRun, Reconstructor, Targets,
};
use ergodict::rng::ids;
use ergodict::run::{Identity, Status};
use ergodict::settings::Settings;
use ergodict_pages::reconstruction::ReconstructionPage;
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use writer::{Inside, Reconstruction, Writer};

const HELP: &str = "\
Example:
  ergodict network learn @karate -k 8 -r 9 -o karate.safetensors
  ergodict network reconstruct @karate --model karate.safetensors -o reconstruction.tsv --report reconstruction.html

Another network by the same atoms, only some pairs, or only what comes out as an edge:
  ergodict network reconstruct @lesmis --model karate.safetensors -o cross.tsv
  ergodict network reconstruct @karate --model karate.safetensors --pairs pairs.tsv -o some.tsv
  ergodict network reconstruct @karate --model karate.safetensors --threshold 0.5 -o edges.tsv

A network larger than memory, mapped from .egr, into a folder of eight files:
  ergodict network reconstruct big.egr --model m --partitions 8 -o reconstruction";

/// Reconstruct a network from latent motifs
///
/// The weight of a pair of nodes is the mean of its reconstruction over all sampled patches with both.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    #[arg(value_name = "NET", help = reading::expected("The network: "))]
    net: PathBuf,
    /// The dictionary, as `network learn` writes it; it may come from another network
    #[arg(long, value_name = "MODEL")]
    model: PathBuf,
    /// The table to write, `u v weight count` a line with tabs, or .parquet; - is standard output
    #[arg(short, long, value_name = "OUT")]
    out: PathBuf,
    /// Only these pairs, `u v` a line, in their order, with those that were not seen
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    #[command(flatten)]
    settings: RebuildSettings,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    args.check(common)?;
    let model = Model::load(&args.model).with_context(|| "--model")?;
    let Some(form) = model.network.clone() else {
        bail!(
            "{}: is a model of {}, not of networks: make one with `ergodict network learn`",
            args.model.display(),
            model.kind
        );
    };
    let motif = form.motif()?;
    args.settings.sampling.check_motif(&motif)?;
    let form_of = |directed: bool, weighted: bool| {
        let direction = if directed { "directed" } else { "undirected" };
        format!("{direction}, {}", if weighted { "with weights" } else { "without weights" })
    };
    let mut settings = args.settings.clone();
    settings.seed = common.seed;
    settings.sampling = settings.sampling.decided(Use::Reconstruct);
    // Weights are used where the model was learned from weights, on the same scale.
    let weighted = settings.reading.weighted || form.weighted && !settings.reading.unweighted;
    if settings.weights == WeightSettings::default() {
        settings.weights.weights = RecordedSettings::new(&model.provenance.config).weights;
    }
    let opened =
        reading::open_weighed(&settings.reading, (weighted, settings.weights), &args.net, common.quiet)?;
    let mut inputs =
        vec![reading::input(&opened), Input { name: input::name(&args.model), digest: digest(&args.model)? }];
    let OpenedNetwork { network, name, .. } = opened;
    let table = args.pairs.as_deref().map(PairTable::read).transpose().with_context(|| "--pairs")?;
    if let Some(path) = &args.pairs {
        inputs.push(Input { name: input::name(path), digest: digest(path)? });
    }
    // Pairs are those of the whole network, of which one component may be reconstructed.
    let asked = table.as_ref().map(|table| table.nodes(&network)).transpose()?;
    let ids = network.ids().clone();
    let ChosenSampler { network, kind, sampler, notes, .. } =
        settings.sampling.choose(Use::Reconstruct, network, &motif, common.seed)?;
    if !common.quiet {
        output::spelled(&notes).iter().for_each(|note| say(&format!("{name}: {note}")));
    }
    if (form.directed, form.weighted) != (network.is_directed(), network.is_weighted()) && !common.quiet {
        say(&format!(
            "{name}: is {}, and the model was learned from networks {}",
            form_of(network.is_directed(), network.is_weighted()),
            form_of(form.directed, form.weighted)
        ));
    }
    let pairs = asked.as_ref().map(|asked| inside(asked, &ids, &network));
    let parameters = settings.reconstruction();
    let targets = match &pairs {
        Some(pairs) => Targets::Only(pairs.iter().flatten().copied().collect()),
        None => Targets::All,
    };
    args.check_memory(&network)?;
    let then = RecordedSettings::new(&model.provenance.config).sampler;
    if !common.quiet && !then.is_empty() && then != kind.to_string() {
        say(&format!(
            "the atoms were learned from patches of the {then} sampler, and the network is reconstructed from those of {kind}, which weight it \
             differently: --sampler sets it, here and in network learn"
        ));
    }
    let adjacency = Adjacency::of_bytes(&network, args.settings.sampling.memory_of_adjacency());
    let empty = Reconstructor::<f32>::with(&model.w, adjacency, &motif, &parameters, targets)?;
    let walkers = (0..settings.sampling.chains())
        .map(|id| settings.sampling.walker(&sampler, common.seed, ids::REBUILDING + id));
    let walkers = walkers.collect::<ergodict::Result<Vec<_>>>()?;
    settings.sampling.record(&motif, kind);
    let config = Value::Object(settings.config());
    crate::resolved::settle(&config);
    interrupt::listen();
    let command = "network reconstruct".into();
    let identity = Identity { command, settings: config, inputs: inputs.clone(), seed: common.seed };
    let mut driver = Driver::open(&args.checkpoints, common, &identity)?;
    let mut job = ReconstructionRun::new(empty, walkers, args.settings.samples);
    let resumed = driver.restore(&mut [&mut job])?;
    let before = job.reconstructor().taken();
    if resumed && !common.quiet {
        say(&format!("resumed after {before} samples"));
    }
    let set_up = started.elapsed();
    let reconstruction_started = Instant::now();
    if driver.drive(&mut [&mut job])? == Status::Stopped {
        return Ok(driver.interrupted(&format!("{} samples", job.reconstructor().taken())));
    }
    let reconstructor = job.reconstructor();
    let seconds = reconstruction_started.elapsed();
    let writing = Instant::now();
    let threshold = args.settings.threshold.unwrap_or(0.5);
    let accuracy = Accuracy::measure(reconstructor.sums(), &network, threshold, args.settings.alpha)?;
    let writer = Writer {
        ids: if asked.is_some() { &ids } else { network.ids() },
        sums: reconstructor.sums(),
        alpha: args.settings.alpha,
        threshold: args.settings.threshold,
        asked: asked.as_deref().zip(pairs.as_deref()),
    };
    let Some(written) = writer.write(&args.out, args.settings.partitions)? else {
        let after = format!("{} samples, before all was written", reconstructor.taken());
        return Ok(driver.interrupted(&after));
    };
    let page = ReconstructionPage {
        network: name,
        of: &network,
        atoms_of: input::name(&args.model),
        form: &form,
        sampler: kind.to_string(),
        sums: reconstructor.sums(),
        accuracy,
        alpha: args.settings.alpha,
        threshold,
        samples: reconstructor.taken(),
        seconds: seconds.as_secs_f64(),
        config: crate::resolved::config(),
        inputs,
    };
    let reconstruction = Reconstruction {
        out: &args.out,
        model: &args.model,
        kind,
        page,
        before,
        capped: reconstructor.report().capped,
        written,
        set_up,
        seconds,
        writing: writing.elapsed(),
    };
    args.reports.write(|| Ok(reconstruction.page.report(&model)?))?;
    driver.remove()?;
    emit(&reconstruction.summary(resumed, args.reports.lines()), common)?;
    Ok(ExitCode::SUCCESS)
}

/// The pairs as nodes of the part that is reconstructed; none for those outside of it.
fn inside(pairs: &[(u32, u32)], ids: &NodeIds, part: &Network) -> Vec<Inside> {
    let find = |v: u32| part.ids().find(&ids.name(v as usize)).map(|v| v as u32);
    pairs.iter().map(|&(u, v)| Some((find(u)?, find(v)?))).collect()
}

impl Args {
    fn check(&self, common: &Common) -> Result<()> {
        self.checkpoints.check()?;
        self.settings.check()?;
        if output::is_standard(&self.model) {
            bail!("--model is -, but a model is a file: name it");
        }
        let mut inputs: Vec<paths::NamedPath<'_>> = reading::file(&self.net).into_iter().collect();
        inputs.push(("--model", &self.model));
        inputs.extend(self.pairs.as_deref().map(|path| ("--pairs", path)));
        inputs.extend(self.settings.sampling.motif_file().map(|path| ("--motif", path)));
        let mut outputs: Vec<paths::NamedPath<'_>> = vec![("-o", &*self.out)];
        outputs.extend(self.checkpoints.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
        outputs.extend(self.reports.outputs());
        paths::check(common, &inputs, &outputs)?;
        Writer::check_name(&self.out)?;
        if self.pairs.as_deref().is_some_and(output::is_standard) {
            bail!("--pairs is -, but pairs are a file: name it");
        }
        if self.checkpoints.checkpoint.is_some() && output::is_standard(&self.net) {
            bail!("NET is -, which cannot be read again to resume: --checkpoint needs a file");
        }
        match self.settings.partitions {
            Some(_) if output::is_standard(&self.out) => {
                bail!("-o is -, but --partitions are a folder: name it")
            }
            Some(_) => {
                PartsFolder::check(&self.out)?;
                reports::probe(&outputs[1..])
            }
            None => reports::probe(&outputs),
        }
    }

    /// Refuses what would not fit; sums that do not fit their share go to a file.
    fn check_memory(&self, network: &Arc<Network>) -> Result<()> {
        let n = network.nodes() as u64;
        let dense = n.saturating_mul(n) / if network.is_directed() { 1 } else { 2 } * 8;
        let needed = dense.min(self.settings.memory_of_sums() as u64);
        memory::check(
            needed,
            &format!("sums of the pairs of {n} nodes"),
            "lower --memory SIZE, which puts the rest into a file, or name some --pairs",
        )
    }
}
