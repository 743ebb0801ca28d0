//! `ergodict network reconstruct`: a network rebuilt from latent motifs, its own or another's.

use super::reading::{self, Opened, Reading};
use super::rebuilt::{Inside, Rebuilt, Writer};
use super::sampling::{Chosen, Sampling};
use crate::args::{Common, count};
use crate::progress::{Progress, say};
use crate::saving::{self, Saving};
use crate::showing::{self, Showing};
use crate::{input, interrupt, memory, output, paths};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use ergodict::chain::MotifWalker;
use ergodict::chain::rng::ids;
use ergodict::data::{Adjacency, Network, NodeIds, PairTable, digest, open};
use ergodict::dictionary::{Input, Model};
use ergodict::reconstruct::network::{
    Accuracy, Mode, NetworkReconstruction, PartsFolder, ReconstructionPoint, Reconstructor, Targets,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Homomorphisms between two looks at the clock, some tens of milliseconds.
const BLOCK: u64 = 20_000;
/// Edges that are looked at to tell how many were seen so far.
const LOOKED_AT: u64 = 500;
/// Bytes of sums and counts, unless said otherwise.
const SUMS: usize = 2 << 30;
/// Whose checkpoints they are.
const SCHEMA: &str = "ergodict.network-reconstruct-checkpoint/1";

const HELP: &str = "\
Example:
  ergodict network learn @karate -k 8 -r 9 -o karate.safetensors
  ergodict network reconstruct @karate --model karate.safetensors -o rebuilt.tsv --report rebuilt.html

Another network by the same atoms, only some pairs, or only what comes out as an edge:
  ergodict network reconstruct @lesmis --unweighted --model karate.safetensors -o cross.tsv
  ergodict network reconstruct @karate --model karate.safetensors --pairs pairs.tsv -o some.tsv
  ergodict network reconstruct @karate --model karate.safetensors --threshold 0.5 -o edges.tsv

A network larger than memory, mapped from .egr, into a folder of eight files:
  ergodict network reconstruct big.egr --model m --partitions 8 -o rebuilt";

/// Which entries of patches count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Which {
    /// All, as in the paper
    Plain,
    /// Not those at edges of the motif itself, nor others of the same pair of nodes: there is always an edge at them
    OffChain,
}

impl Which {
    pub(super) fn mode(self) -> Mode {
        match self {
            Self::Plain => Mode::Plain,
            Self::OffChain => Mode::OffChain,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::OffChain => "off-chain",
        }
    }
}

/// Rebuild a network from latent motifs: the weight of a pair is what atoms make of it, on average over random patches
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The network: an edge list, MatrixMarket, scipy .npz or .egr, - for standard input, or a name such as @karate
    #[arg(value_name = "NET")]
    net: PathBuf,
    /// The dictionary, as `network learn` writes it; it may come from another network
    #[arg(long, value_name = "MODEL")]
    model: PathBuf,
    /// The table to write, `u v weight count` a line with tabs, or .parquet; - is standard output
    #[arg(short, long, value_name = "OUT")]
    out: PathBuf,
    /// Homomorphisms, over all chains
    #[arg(long, value_name = "T", default_value_t = 200_000, value_parser = count, allow_negative_numbers = true)]
    samples: u64,
    /// Weight of the ℓ₁ norm of the code
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true)]
    lambda: f64,
    /// Which entries of patches count: plain (all, as in the paper) or off-chain (not those at edges of the motif itself)
    #[arg(
        long,
        value_enum,
        value_name = "plain|off-chain",
        default_value = "plain",
        hide_possible_values = true
    )]
    mode: Which,
    /// The weight is S/(C + A), sum by count, so that pairs seen more often are trusted more
    #[arg(long, value_name = "A", default_value_t = 0.0, allow_negative_numbers = true)]
    alpha: f64,
    /// Use every atom also from end to end, for a chain has no direction
    #[arg(long)]
    reversal: bool,
    /// Only these pairs, `u v` a line, in their order, with those that were not seen
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    /// Write only pairs of a larger weight; the Jaccard accuracy is of those [default: all are written, 0.5]
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Write a folder OUT of so many files instead, part-00000.tsv and so on, .parquet if OUT ends so: each has the pairs whose first node
    /// is in a range, and _index.json lists them
    #[arg(long, value_name = "P", value_parser = crate::args::number, conflicts_with = "pairs", hide_short_help = true, allow_negative_numbers = true)]
    partitions: Option<usize>,
    #[command(flatten)]
    sampling: Sampling,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    saving: Saving,
    #[command(flatten)]
    showing: Showing,
}

/// The first line of a checkpoint; sums and counts follow.
#[derive(Serialize, Deserialize)]
struct Head {
    schema: String,
    version: String,
    config: Value,
    inputs: Vec<Input>,
    point: ReconstructionPoint,
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
    let motif = args.sampling.motif_of(&form)?;
    let form_of = |directed: bool, weighted: bool| {
        let direction = if directed { "directed" } else { "undirected" };
        format!("{direction}, {}", if weighted { "with weights" } else { "without weights" })
    };
    let sampling = args.sampling.clone().for_rebuilding(&motif);
    let opened = args.reading.open(&args.net, common.quiet)?;
    let mut inputs =
        vec![reading::input(&opened), Input { name: input::name(&args.model), digest: digest(&args.model)? }];
    let Opened { network, name, .. } = opened;
    let table = args.pairs.as_deref().map(PairTable::read).transpose().with_context(|| "--pairs")?;
    if let Some(path) = &args.pairs {
        inputs.push(Input { name: input::name(path), digest: digest(path)? });
    }
    // Pairs are those of the whole network, of which one component may be rebuilt.
    let asked = table.as_ref().map(|table| table.nodes(&network)).transpose()?;
    let ids = network.ids().clone();
    let Chosen { network, kind, sampler, notes } = sampling.choose(network, &motif, common.seed)?;
    if !common.quiet {
        notes.iter().for_each(|note| say(&format!("{name}: {note}")));
    }
    if (form.directed, form.weighted) != (network.is_directed(), network.is_weighted()) && !common.quiet {
        say(&format!(
            "{name}: is {}, and the model was learned from networks {}",
            form_of(network.is_directed(), network.is_weighted()),
            form_of(form.directed, form.weighted)
        ));
    }
    let pairs = asked.as_ref().map(|asked| inside(asked, &ids, &network));
    let parameters = args.parameters();
    let targets = match &pairs {
        Some(pairs) => Targets::Only(pairs.iter().flatten().copied().collect()),
        None => Targets::All,
    };
    args.check_memory(&network)?;
    let then = model.run["config"]["sampler"].as_str().unwrap_or_default();
    if !common.quiet && !then.is_empty() && then != kind.to_string() {
        say(&format!(
            "the atoms were learned from patches of the {then} sampler, and the network is rebuilt from those of {kind}, which see it \
             differently: --sampler sets it, here and in network learn"
        ));
    }
    let adjacency = Adjacency::of_bytes(&network, args.sampling.memory_of_adjacency());
    let mut rebuilding = Reconstructor::<f32>::with(&model.w, adjacency, &motif, &parameters, targets)?;
    let walkers =
        (0..sampling.chains()).map(|id| sampling.walker(&sampler, common.seed, ids::REBUILDING + id));
    let mut walkers = walkers.collect::<Result<Vec<_>>>()?;
    let mut config = args.config(common);
    sampling.config(&mut config, &motif, kind);
    args.reading.config(&mut config);
    crate::resolved::settle(&config);
    interrupt::listen();
    let resumed = args.resume(common, &config, &inputs, &mut rebuilding, &mut walkers)?;
    let set_up = started.elapsed();
    let rebuilding_started = Instant::now();
    if let Some(code) = args.rebuild(common, &config, &inputs, &mut rebuilding, &mut walkers)? {
        return Ok(code);
    }
    let seconds = rebuilding_started.elapsed();
    let threshold = args.threshold.unwrap_or(0.5);
    let accuracy = Accuracy::of(rebuilding.sums(), &network, threshold, args.alpha)?;
    let writer = Writer {
        ids: if asked.is_some() { &ids } else { network.ids() },
        sums: rebuilding.sums(),
        alpha: args.alpha,
        threshold: args.threshold,
        asked: asked.as_deref().zip(pairs.as_deref()),
    };
    // What was rebuilt is not lost if it cannot be written.
    let writing = Instant::now();
    let Some(written) = args.writing(&config, &inputs, &rebuilding, &walkers, &writer)? else {
        return Ok(interrupt::code());
    };
    let rebuilt = Rebuilt {
        out: &args.out,
        network: name,
        of: &network,
        model: &args.model,
        form: &form,
        kind,
        sums: rebuilding.sums(),
        accuracy,
        alpha: args.alpha,
        threshold,
        samples: rebuilding.taken(),
        before: resumed.unwrap_or(0),
        capped: rebuilding.report().capped,
        written,
        set_up,
        seconds,
        writing: writing.elapsed(),
        config: crate::resolved::config(),
        inputs,
    };
    if let Err(error) = args.showing.write(|| rebuilt.page(&model)) {
        args.saving.tried(args.save(&config, &rebuilt.inputs, &rebuilding, &walkers), false)?;
        return Err(error);
    }
    if let Some(path) = &args.saving.checkpoint {
        saving::remove(path)?;
    }
    if !common.quiet {
        say(&rebuilt.words(args.showing.lines()));
    }
    if common.json {
        output::print(&format!("{:#}\n", rebuilt.json(resumed.is_some())))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The pairs as nodes of the part that is rebuilt; none for those outside of it.
fn inside(pairs: &[(u32, u32)], ids: &NodeIds, part: &Network) -> Vec<Inside> {
    let find = |v: u32| part.ids().find(&ids.name(v as usize)).map(|v| v as u32);
    pairs.iter().map(|&(u, v)| Some((find(u)?, find(v)?))).collect()
}

/// The share of edges seen so far, from some of them.
fn seen(rebuilding: &Reconstructor<f32>) -> String {
    let network = rebuilding.network();
    let some = network.some_entries(LOOKED_AT).filter(|&(u, v)| rebuilding.sums().has(u, v));
    let (mut all, mut found) = (0u32, 0u32);
    for (u, v) in some {
        all += 1;
        found += u32::from(rebuilding.sums().get(u, v).1 > 0);
    }
    if all == 0 {
        String::new()
    } else {
        format!("{:.0} % of edges seen", 100.0 * f64::from(found) / f64::from(all))
    }
}

impl Args {
    fn parameters(&self) -> NetworkReconstruction {
        let (lambda, reversal) = (self.lambda, self.reversal);
        NetworkReconstruction {
            mode: self.mode.mode(),
            lambda,
            reversal,
            memory: self.memory_of_sums(),
            ..NetworkReconstruction::default()
        }
    }

    /// Bytes that sums and counts may take. Going through them, and telling edges from other pairs, takes some more, and so does the test of
    /// adjacency: what was said is for all.
    fn memory_of_sums(&self) -> usize {
        self.sampling.memory().map_or(SUMS, |bytes| bytes / 2)
    }

    fn check(&self, common: &Common) -> Result<()> {
        self.saving.check()?;
        self.sampling.check()?;
        if self.samples == 0 {
            bail!("--samples is 0, but at least one homomorphism is needed");
        }
        if !(self.alpha >= 0.0 && self.alpha.is_finite()) {
            bail!("--alpha is {}, but it must be a number that is not negative", self.alpha);
        }
        if self.threshold.is_some_and(|w| !w.is_finite()) {
            bail!("--threshold is no finite number");
        }
        if self.sampling.memory().is_some_and(|bytes| bytes < 1 << 20) {
            bail!("--memory is less than 1M, but at least one mebibyte is needed");
        }
        if self.partitions == Some(0) {
            bail!("--partitions is 0, but at least one file is needed");
        }
        if output::is_standard(&self.model) {
            bail!("--model is -, but a model is a file: name it");
        }
        self.parameters().check()?;
        let mut inputs: Vec<paths::Given<'_>> = reading::file(&self.net).into_iter().collect();
        inputs.push(("--model", &self.model));
        inputs.extend(self.pairs.as_deref().map(|path| ("--pairs", path)));
        inputs.extend(self.sampling.files());
        let mut outputs: Vec<paths::Given<'_>> = vec![("-o", &*self.out)];
        outputs.extend(self.saving.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
        outputs.extend(self.showing.outputs());
        paths::check(common, &inputs, &outputs)?;
        Writer::check_name(&self.out)?;
        if self.pairs.as_deref().is_some_and(output::is_standard) {
            bail!("--pairs is -, but pairs are a file: name it");
        }
        if self.saving.checkpoint.is_some() && output::is_standard(&self.net) {
            bail!("NET is -, which cannot be read again to resume: --checkpoint needs a file");
        }
        match self.partitions {
            Some(_) if output::is_standard(&self.out) => {
                bail!("-o is -, but --partitions are a folder: name it")
            }
            Some(_) => {
                PartsFolder::check(&self.out)?;
                showing::probe(&outputs[1..])
            }
            None => showing::probe(&outputs),
        }
    }

    /// Refuses what would not fit; sums that do not fit their share go to a file.
    fn check_memory(&self, network: &Arc<Network>) -> Result<()> {
        let n = network.nodes() as u64;
        let dense = n.saturating_mul(n) / if network.is_directed() { 1 } else { 2 } * 8;
        let needed = dense.min(self.memory_of_sums() as u64);
        memory::check(
            needed,
            &format!("sums of the pairs of {n} nodes"),
            "lower --memory SIZE, which puts the rest into a file, or name some --pairs",
        )
    }

    /// Every flag that has a say in the result, with its value.
    fn config(&self, common: &Common) -> Value {
        let mut config = json!({
            "samples": self.samples,
            "lambda": self.lambda,
            "mode": self.mode.name(),
            "alpha": self.alpha,
            "seed": common.seed,
        });
        if let Some(parts) = self.partitions {
            config["partitions"] = json!(parts);
        }
        // When sums go to a file has a say in how they are rounded.
        if let Some(memory) = self.sampling.memory_value() {
            config["memory"] = memory;
        }
        if self.reversal {
            config["reversal"] = json!(true);
        }
        if let Some(threshold) = self.threshold {
            config["threshold"] = json!(threshold);
        }
        config
    }

    /// Goes to where an interrupted run was: after how many homomorphisms.
    fn resume(
        &self,
        common: &Common,
        config: &Value,
        inputs: &[Input],
        rebuilding: &mut Reconstructor<f32>,
        walkers: &mut [MotifWalker],
    ) -> Result<Option<u64>> {
        let Some(path) = &self.saving.checkpoint else { return Ok(None) };
        if !self.saving.goes_on(path, common.quiet)? {
            return Ok(None);
        }
        let at = path.display();
        let mut file = BufReader::new(open(path)?);
        let mut line = Vec::new();
        file.read_until(b'\n', &mut line).map_err(ergodict::Error::io(path))?;
        let head: Option<Head> = serde_json::from_slice(&line).ok();
        let head = head
            .filter(|head| head.schema == SCHEMA)
            .with_context(|| format!("{at}: is no checkpoint of `ergodict network reconstruct`"))?;
        if let Some(difference) = saving::other_run(&head.config, config) {
            bail!("{at}: {difference}");
        }
        saving::same_inputs(path, &head.inputs, inputs)?;
        if head.point.taken > self.samples {
            bail!("{at}: damaged checkpoint: it is further than the run goes");
        }
        rebuilding.seek(&head.point, walkers, &mut file, path)?;
        if !common.quiet {
            say(&format!("resumed after {} homomorphisms", head.point.taken));
        }
        Ok(Some(head.point.taken))
    }

    fn save(
        &self,
        config: &Value,
        inputs: &[Input],
        rebuilding: &Reconstructor<f32>,
        walkers: &[MotifWalker],
    ) -> Result<()> {
        let Some(path) = &self.saving.checkpoint else { return Ok(()) };
        let head = Head {
            schema: SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            config: config.clone(),
            inputs: inputs.to_vec(),
            point: rebuilding.point(walkers),
        };
        let head = serde_json::to_string(&head)?;
        output::stream(path, |mut file| {
            writeln!(file, "{head}").map_err(ergodict::Error::io(path))?;
            Ok(rebuilding.sums().write(&mut file, path)?)
        })
    }

    /// Goes on until all homomorphisms are taken, or until interrupted: the exit code then.
    fn rebuild(
        &self,
        common: &Common,
        config: &Value,
        inputs: &[Input],
        rebuilding: &mut Reconstructor<f32>,
        walkers: &mut [MotifWalker],
    ) -> Result<Option<ExitCode>> {
        let mut progress =
            Progress::of("homomorphisms", common.quiet, Some(self.samples), rebuilding.taken());
        let mut saved = Instant::now();
        while rebuilding.taken() < self.samples {
            rebuilding.absorb(walkers, BLOCK.min(self.samples - rebuilding.taken()))?;
            progress.update(rebuilding.taken(), || seen(rebuilding));
            let over = rebuilding.taken() >= self.samples;
            let stopped = !over && (interrupt::asked() || interrupt::due(rebuilding.taken() / BLOCK));
            if stopped || !over && saved.elapsed() >= self.saving.every() {
                self.saving.tried(self.save(config, inputs, rebuilding, walkers), stopped)?;
                saved = Instant::now();
            }
            if stopped {
                progress.finish();
                let place = self.saving.checkpoint.as_deref();
                say(&saving::interrupted(&format!("{} homomorphisms", rebuilding.taken()), place, 0));
                return Ok(Some(interrupt::code()));
            }
        }
        progress.finish();
        Ok(None)
    }

    /// Writes the table: how many pairs, or none when it was interrupted.
    fn writing(
        &self,
        config: &Value,
        inputs: &[Input],
        rebuilding: &Reconstructor<f32>,
        walkers: &[MotifWalker],
        writer: &Writer<'_>,
    ) -> Result<Option<u64>> {
        let written = writer.write(&self.out, self.partitions);
        match written {
            Ok(Some(pairs)) => Ok(Some(pairs)),
            Ok(None) => {
                self.saving.tried(self.save(config, inputs, rebuilding, walkers), true)?;
                let after = format!("{} homomorphisms, before all was written", rebuilding.taken());
                say(&saving::interrupted(&after, self.saving.checkpoint.as_deref(), 0));
                Ok(None)
            }
            Err(error) => {
                self.saving.tried(self.save(config, inputs, rebuilding, walkers), false)?;
                Err(error)
            }
        }
    }
}
