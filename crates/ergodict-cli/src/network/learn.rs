//! `ergodict network learn`: the latent motifs of a network, by network dictionary learning.

use super::learned::Learned;
use super::prepared::Prepared;
use super::reading::{self, Reading};
use super::sampling::Sampling;
use super::several;
use super::source::{Drawn, TellingSource, Told};
use super::timing::{DEFAULT_SCORE, Timing};
use crate::args::Common;
use crate::progress::say;
use crate::runs::{Form, Plan, Run, learn as learn_all};
use crate::saving::Saving;
use crate::scheme::Scheme;
use crate::showing::{self, Showing};
use crate::{interrupt, memory, output, page, paths, watched};
use anyhow::{Context, Result, bail};
use ergodict::chain::{Motif, SamplerKind, Samplers};
use ergodict::dictionary::{
    Examples, HistoryPoint, Kept, KeptChain, KeptNetwork, Model, StaticOptions, learn_static,
};
use ergodict::linalg::Scalar;
use ergodict::patch::{NetworkForm, Watching};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

const HELP: &str = "\
Example:
  ergodict network learn @lesmis -k 10 -r 9 -o lesmis.safetensors --report lesmis.html
  ergodict network learn edges.txt.gz -k 21 -r 25 --sampler pivot-approx -o atoms.safetensors

One dictionary of several networks, and of one that changes:
  ergodict network learn @karate @lesmis @kite --unweighted -k 6 -r 9 -o three.safetensors
  ergodict network learn monday.txt tuesday.txt wednesday.txt --snapshots --schedule power:0.8 -r 9 -o week.safetensors

Windows of a month of rows `u v t`, two weeks apart; a constant weight forgets what is long past:
  ergodict network learn messages.txt.gz --timestamps --window 30d --stride 14d --schedule constant:0.02 -k 10 -r 9 -o months.safetensors";

/// Learn the latent motifs of networks: atoms that the patches of random homomorphisms are made of
///
/// A motif (a path of k nodes, unless said otherwise) is placed into the network at random, again and again; the k×k
/// matrix of the edges among its nodes is a patch, and a hundred patches are a minibatch. Atoms are told in the order of their
/// dominance, how strongly patches use them.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The networks: edge lists, MatrixMarket, scipy .npz or .egr, - for standard input, or names such as @karate
    #[arg(required = true, value_name = "NET")]
    pub(super) nets: Vec<PathBuf>,
    /// The model file to write; - is standard output
    #[arg(short, long, value_name = "MODEL")]
    out: PathBuf,
    /// Minibatches, T; with --snapshots and --timestamps, of each
    #[arg(long, value_name = "T", default_value_t = 100, value_parser = crate::args::count, allow_negative_numbers = true)]
    pub(super) steps: u64,
    /// Patches of a minibatch, N, shared among all networks and chains
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = crate::args::number, allow_negative_numbers = true)]
    batch: usize,
    /// The networks are one at several times, in their order: chains go on from each to the next where they can, and start again
    /// where their homomorphism is none any more
    ///
    /// Otherwise several networks are learned from at once, each minibatch having patches of all. With --schedule constant:C the dictionary
    /// forgets networks that are long past; the others weigh all alike in the end.
    #[arg(long, conflicts_with = "timestamps")]
    pub(super) snapshots: bool,
    /// Learn from all homomorphisms of a small network at once, each by its probability, instead of from random ones
    #[arg(long = "static", id = "static", conflicts_with_all = ["snapshots", "timestamps", "checkpoint", "chains", "every", "burn_in", "sampler", "steps", "batch"])]
    all: bool,
    /// Keep so many examples of each atom in the model: subgraphs of the networks that it makes the largest share of; 0 for none
    #[arg(
        long,
        value_name = "N",
        default_value_t = 4,
        hide_short_help = true,
        allow_negative_numbers = true
    )]
    examples: usize,
    /// Fresh patches of each snapshot or window that the change score is measured on
    #[arg(
        long,
        value_name = "N",
        default_value_t = DEFAULT_SCORE,
        hide_short_help = true,
        allow_negative_numbers = true
    )]
    pub(super) score_patches: usize,
    #[command(flatten)]
    pub(super) timing: Timing,
    #[command(flatten)]
    scheme: Scheme,
    #[command(flatten)]
    pub(super) sampling: Sampling,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    saving: Saving,
    #[command(flatten)]
    showing: Showing,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    if args.all {
        return of_all(args, common);
    }
    if args.scheme.f32 { learn::<f32>(args, common) } else { learn::<f64>(args, common) }
}

fn learn<T: Scalar>(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    args.check(common)?;
    let motif = args.sampling.motif()?;
    if motif.k() < 2 {
        bail!("-k is 1, but a patch of one node has no pair to learn from");
    }
    let parameters = args.scheme.parameters(&crate::scheme::defaults());
    let d = motif.k().saturating_mul(motif.k());
    parameters.check(d)?;
    let minibatch = (d as u64).saturating_mul(args.batch as u64).saturating_mul(8);
    let needed = args.scheme.memory::<T>(d, args.batch as u64).saturating_add(minibatch);
    let what = format!(
        "{} atoms of {k}×{k} numbers in minibatches of {}",
        parameters.atoms,
        args.batch,
        k = motif.k()
    );
    memory::check(needed, &what, "lower -k, -r or --batch, or use --f32")?;
    let mut prepared = Prepared::open(args, &motif, common)?;
    let plan = Plan {
        kind: "network",
        command: "network learn",
        common,
        saving: &args.saving,
        scheme: &args.scheme,
        parameters: &parameters,
        batch: args.batch as u64,
    };
    let (kind, independent) = (prepared.kind, prepared.independent);
    let config = args.config(&plan, &prepared.motif, kind)?;
    let (form, inputs) = (prepared.form.clone(), prepared.inputs.clone());
    interrupt::listen();
    let told = Arc::new(Mutex::new(Told::default()));
    let patches = prepared.patches(args, common.seed)?;
    let source = Box::new(TellingSource::new(patches, Arc::clone(&told)));
    let mut runs = [Run::<T>::new(&plan, "", &args.out, Form::Network(form), config, inputs, source)?];
    let set_up = started.elapsed();
    if let Some(code) = learn_all(&plan, &mut runs)? {
        return Ok(code);
    }
    let run = &runs[0];
    let mut outcome = run.learned(&plan)?;
    let told = told.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let Prepared { mut drawn, names, from, .. } = prepared;
    if drawn.is_empty() {
        // Of windows the last one is looked at, which the dictionary is of.
        drawn.extend(told.last.clone());
    }
    let before = Instant::now();
    let examples = args.examples().kept::<T>(&outcome.model, &drawn)?;
    let looking = before.elapsed();
    let of = |(drawn, name): (&Drawn, &String)| KeptNetwork::of(name, drawn, &args.examples(), common.seed);
    let rate = told.acceptance.rate();
    Kept {
        networks: drawn.iter().zip(&names).map(of).collect::<ergodict::Result<_>>()?,
        chain: Some(KeptChain {
            sampler: kind.to_string(),
            independent,
            acceptance: (!independent && rate.is_finite()).then_some(rate),
            went_on: told.moved.went_on,
            restarted: told.moved.restarted,
            mixing: watched::mixed(run.source.watched()),
            all: None,
        }),
        examples,
    }
    .put(&mut outcome.model);
    outcome.model.save(&args.out)?;
    let learned = Learned {
        out: &args.out,
        names: &names,
        from,
        model: &outcome.model,
        results: &outcome.results,
        kind,
        independent,
        told,
        set_up,
        sampling: run.filling,
        learning: run.learning,
        looking,
        time: started.elapsed(),
        resumed: run.resumed,
    };
    args.showing.write(|| page::of_model(learned.model, &learned.timings()))?;
    run.forget()?;
    if !common.quiet {
        say(&learned.words(args.showing.lines()));
    }
    if common.json {
        output::print(&format!("{:#}\n", learned.json()?))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The static version: all homomorphisms of one small network.
fn of_all(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    args.check(common)?;
    let [net] = &args.nets[..] else {
        bail!("--static learns from one network, but {} are given", args.nets.len())
    };
    if args.scheme.f32 || args.scheme.file().is_some() {
        bail!("--static calculates in 64 bits from a random dictionary: leave --f32 and --init out");
    }
    let motif = args.sampling.motif()?;
    let parameters = args.scheme.parameters(&crate::scheme::defaults());
    let opened = args.reading.open(net, common.quiet)?;
    let (name, given) = (opened.name.clone(), reading::input(&opened));
    let (network, note) = args.sampling.part(opened.network)?;
    if let Some(note) = note.filter(|_| !common.quiet) {
        say(&format!("{name}: {note}"));
    }
    let network = Arc::new(network);
    let options = StaticOptions { injective: args.sampling.injective(), ..StaticOptions::default() };
    let learned =
        learn_static(&network, &motif, &parameters, &options, common.seed).with_context(|| name.clone())?;
    let mut model = Model::of(&learned.factoriser, "network", common.seed);
    model.network = Some(NetworkForm::new(&motif, network.is_directed(), network.is_weighted()));
    model.inputs = vec![given];
    for (t, &loss) in (1u64..).zip(&learned.losses) {
        model.history.push(HistoryPoint { t, samples: t * learned.homomorphisms, loss, surrogate: loss });
    }
    let mut config = args.scheme.config(&parameters)?;
    config["static"] = json!(true);
    config["examples"] = json!(args.examples);
    config["seed"] = json!(common.seed);
    args.sampling.config(&mut config, &motif, SamplerKind::Exact);
    ["sampler", "every", "burn-in", "chains"].iter().for_each(|key| {
        config.as_object_mut().map(|config| config.remove(*key));
    });
    args.reading.config(&mut config);
    let loss = learned.losses.last().copied().unwrap_or(f64::NAN);
    let rounds = learned.losses.len();
    model.run = json!({ "command": "network learn", "config": config });
    let memory = args.sampling.memory_of_adjacency();
    let chosen = Samplers { injective: args.sampling.injective(), memory, ..Samplers::default() };
    // All are learned from; some are drawn to look for examples among them.
    let (_, sampler) = chosen.natural(&network, &motif, common.seed)?;
    let drawn = [(Arc::clone(&network), sampler)];
    Kept {
        networks: vec![KeptNetwork::of(&name, &drawn[0], &args.examples(), common.seed)?],
        chain: Some(KeptChain { all: Some(learned.homomorphisms), ..KeptChain::default() }),
        examples: args.examples().kept::<f64>(&model, &drawn)?,
    }
    .put(&mut model);
    model.save(&args.out)?;
    let seconds = started.elapsed().as_secs_f64();
    args.showing.write(|| page::of_model(&model, &[("time", format!("{seconds:.2} s"))]))?;
    let (dominance, order) = model.dominance();
    if !common.quiet {
        let rest = if learned.converged { "" } else { "; the loss had not come to rest" };
        let first: Vec<String> =
            order.iter().take(5).map(|&atom| format!("{:.3}", dominance[atom])).collect();
        let mut lines = vec![
            (
                "learned",
                format!(
                    "{} atoms from all {} homomorphisms of {} of {} nodes into {name}, {} different patches",
                    model.w.cols(),
                    learned.homomorphisms,
                    motif.name(),
                    motif.k(),
                    learned.patches.cols()
                ),
            ),
            ("loss", format!("{loss:.6} in {rounds} rounds{rest}")),
            ("dominance", first.join(", ")),
            ("time", format!("{seconds:.2} s")),
            ("wrote", args.out.display().to_string()),
        ];
        lines.extend(args.showing.lines());
        say(&crate::words::table(&lines));
    }
    if common.json {
        let all = json!({
            "schema": "ergodict.network-learn-static/1",
            "model": args.out,
            "network": name,
            "inputs": model.inputs,
            "motif": model.network,
            "atoms": model.w.cols(),
            "homomorphisms": learned.homomorphisms,
            "patches": learned.patches.cols(),
            "rounds": rounds,
            "converged": learned.converged,
            "loss": loss,
            "dominance": dominance,
            "order": order,
            "seconds": seconds,
            "config": config,
        });
        output::print(&format!("{all:#}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    pub(super) fn watching(&self) -> Watching {
        let (chains, burn_in, every) =
            (self.sampling.chains() as usize, self.sampling.burn_in(), self.sampling.every());
        Watching { batch: self.batch, chains, burn_in, every, memory: self.sampling.memory_of_adjacency() }
    }

    fn examples(&self) -> Examples {
        let (burn_in, every) = (self.sampling.burn_in(), self.sampling.every());
        let memory = self.sampling.memory_of_adjacency();
        Examples { each: self.examples, burn_in, every, memory, ..Examples::default() }
    }

    fn check(&self, common: &Common) -> Result<()> {
        self.saving.check()?;
        self.sampling.check()?;
        if self.steps == 0 {
            bail!("--steps is 0, but at least one is needed");
        }
        if self.batch == 0 {
            bail!("--batch is 0, but a minibatch needs at least one patch");
        }
        if self.score_patches < 20 {
            bail!(
                "--score-patches is {}, but an error is from twenty batches of at least one",
                self.score_patches
            );
        }
        self.timing.check(&self.nets)?;
        let side_by_side = if self.snapshots { 1 } else { self.nets.len() };
        let chains = (self.sampling.chains() as usize).saturating_mul(side_by_side);
        if self.batch < chains {
            bail!("--batch is {}, but each of {chains} chains needs at least one patch of it", self.batch);
        }
        if self.snapshots && self.nets.len() < 2 {
            bail!("--snapshots needs at least two networks, but one is given");
        }
        several::check(&self.nets)?;
        if self.saving.checkpoint.is_some() && self.nets.iter().any(|path| output::is_standard(path)) {
            bail!("NET is -, which cannot be read again to resume: --checkpoint needs a file");
        }
        let mut inputs: Vec<paths::Given<'_>> =
            self.nets.iter().filter_map(|net| reading::file(net)).collect();
        inputs.extend(self.sampling.files());
        inputs.extend(self.scheme.file().map(|path| ("--init", path)));
        let mut outputs: Vec<paths::Given<'_>> = vec![("-o", &*self.out)];
        outputs.extend(self.saving.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
        outputs.extend(self.showing.outputs());
        paths::check(common, &inputs, &outputs)?;
        showing::probe(&outputs)
    }

    /// Every flag that has a say in the result, with its value.
    fn config(&self, plan: &Plan<'_>, motif: &Motif, kind: SamplerKind) -> Result<Value> {
        let mut config = self.scheme.config(plan.parameters)?;
        config["steps"] = json!(self.steps);
        config["batch"] = json!(self.batch);
        config["examples"] = json!(self.examples);
        if self.snapshots {
            config["snapshots"] = json!(true);
        }
        self.timing.config(&mut config);
        if self.snapshots || self.timing.is_asked() {
            config["score-patches"] = json!(self.score_patches);
        }
        config["seed"] = json!(plan.common.seed);
        self.sampling.config(&mut config, motif, kind);
        self.reading.config(&mut config);
        Ok(config)
    }
}
