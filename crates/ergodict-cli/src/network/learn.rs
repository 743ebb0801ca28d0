//! `ergodict network learn`: the latent motifs of a network, by network dictionary learning.

mod summary;

use super::opened::{self, OpenedData};
use super::reading;
use super::timing;
use crate::args::{Common, defaults};
use crate::checkpoints::CheckpointArgs;
use crate::learning::Learning;
use crate::progress::say;
use crate::reports::{self, ReportArgs};
use crate::summary::emit;
use crate::{interrupt, memory, output, paths};
use anyhow::{Context, Result, bail};
use ergodict::chain::SamplerKind;
use ergodict::factor::Factorizer;
use ergodict::linalg::Scalar;
use ergodict::model::Examples;
use ergodict::run::{ExhaustiveSource, Run, RunPlan, StaticOptions, Stop, Yardstick};
use ergodict::settings::{NetworkSettings, Settings};
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use summary::{Learned, StaticLearnSummary};

const HELP: &str = "\
Example:
  ergodict network learn @lesmis -o lesmis.safetensors --report lesmis.html
  ergodict network learn edges.txt.gz -k 21 -r 25 --weighted --weights log -o atoms.safetensors

One dictionary of several networks, and of one that changes:
  ergodict network learn @karate @lesmis @kite -k 6 -r 9 -o three.safetensors
  ergodict network learn monday.txt tuesday.txt wednesday.txt --snapshots --schedule power:0.8 -o week.safetensors

Windows of a month of rows `u v t`, two weeks apart; a constant weight forgets what is long past:
  ergodict network learn messages.txt.gz --timestamps --window 30d --stride 14d --schedule constant:0.02 -o months.safetensors";

/// Learn latent motifs of networks: atoms of patches along random walks
///
/// Random walks of k nodes (or samples of another motif) are drawn from the network; the k×k adjacency matrix of the nodes of
/// a walk is a patch, and a hundred patches are a minibatch. Atoms are listed by dominance, their share of usage.
#[derive(clap::Args)]
#[command(after_long_help = HELP, mut_args(defaults::of_command::<NetworkSettings>()))]
pub(crate) struct Args {
    #[arg(required = true, value_name = "NET", help = reading::expected("Networks: "))]
    pub(super) nets: Vec<PathBuf>,
    /// The model file to write; - is standard output
    #[arg(short, long, value_name = "MODEL")]
    out: PathBuf,
    #[command(flatten)]
    pub(super) settings: NetworkSettings,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    if args.settings.exhaustive {
        return of_all(args, common);
    }
    if args.settings.learning.f32 { learn::<f32>(args, common) } else { learn::<f64>(args, common) }
}

fn learn<T: Scalar>(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    args.check(common)?;
    let mut settings = args.settings.clone().decided(common.seed);
    let motif = settings.sampling.motif()?;
    if motif.k() < 2 {
        bail!("-k is 1, but a patch of one node has no pair to learn from");
    }
    let parameters = settings.learning.factor.clone();
    let d = motif.k().saturating_mul(motif.k());
    parameters.check(d)?;
    let minibatch = (d as u64).saturating_mul(settings.batch as u64).saturating_mul(8);
    let needed = parameters.memory::<T>(d, settings.batch as u64).saturating_add(minibatch);
    let what = format!(
        "{} atoms of {k}×{k} numbers in minibatches of {}",
        parameters.atoms,
        settings.batch,
        k = motif.k()
    );
    memory::check(needed, &what, "lower -k, -r or --batch, or use --f32")?;
    let opened = OpenedData::open_settings(&args.nets, &settings, &motif, common)?;
    let (kind, motif) = opened.data.chosen()?;
    settings.sampling.record(motif, kind);
    let (names, from) = (opened.names.clone(), opened.from.clone());
    let (_, init) = settings.learning.start::<T>(d, common.seed)?;
    let plan = RunPlan {
        settings: Value::Object(settings.config()),
        inputs: opened.inputs.iter().cloned().chain(init).collect(),
        examples: Examples::from_settings(&settings),
        yardstick: Some(Yardstick { copies: settings.rewired_copies, sampling: settings.sampling.clone() }),
        ..RunPlan::new("network learn", parameters, common.seed)
    };
    let mut learning = Learning::<T>::open(&plan.identity(), &args.checkpoints, common)?;
    learning.runs.push(opened.run(&settings, plan, d)?);
    let set_up = started.elapsed();
    if let Some(code) = learning.drive()? {
        return Ok(code);
    }
    let run = &learning.runs[0];
    let before = Instant::now();
    let (model, results) = (run.finish()?, run.results()?);
    let looking = before.elapsed();
    let stats = run.source().stats();
    model.save(&args.out)?;
    let learned = Learned {
        out: &args.out,
        names: &names,
        from,
        model: &model,
        results: &results,
        kind,
        independent: stats.independent,
        acceptance: stats.acceptance,
        transfer: stats.transfer,
        set_up,
        sampling: run.times().0,
        learning: run.times().1,
        looking,
        time: started.elapsed(),
        resumed: run.resumed(),
    };
    let unfinished = run.unfinished();
    args.reports.write(|| Ok(crate::page::of_model(learned.model, &learned.timings())?))?;
    learning.close()?;
    emit(&learned.summary(args.reports.lines()), common)?;
    let Some(done) = unfinished else { return Ok(ExitCode::SUCCESS) };
    say(&format!(
        "ergodict: interrupted after {done}; {} was written without them (add --checkpoint FILE to be able to resume)",
        args.out.display()
    ));
    Ok(interrupt::code())
}

/// The static version: all homomorphisms of one small network.
fn of_all(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    args.check(common)?;
    let [net] = &args.nets[..] else {
        bail!("--static learns from one network, but {} are given", args.nets.len())
    };
    let mut settings = args.settings.clone().decided(common.seed);
    let motif = settings.sampling.motif()?;
    let opened = reading::open_weighed(
        &settings.reading,
        (settings.reading.weighted, settings.weights),
        net,
        common.quiet,
    )?;
    let (name, given) = (opened.name.clone(), reading::input(&opened));
    let (network, note) = settings.sampling.part(opened.network)?;
    if let Some(note) = note.filter(|_| !common.quiet) {
        output::spelled(&[note]).iter().for_each(|note| say(&format!("{name}: {note}")));
    }
    let network = Arc::new(network);
    settings.sampling.record(&motif, SamplerKind::Exact);
    let config = Value::Object(settings.config());
    let memory = settings.sampling.memory_of_adjacency();
    let options =
        StaticOptions { injective: settings.sampling.injective, memory, ..StaticOptions::default() };
    let source = ExhaustiveSource::new(&name, &network, &motif, &options, common.seed)
        .with_context(|| name.clone())?;
    let parameters = ExhaustiveSource::parameters(settings.learning.factor.clone());
    let first = Factorizer::random(parameters.clone(), motif.k() * motif.k(), common.seed)?;
    let plan = RunPlan {
        settings: config.clone(),
        inputs: vec![given],
        examples: Examples::from_settings(&settings),
        ..RunPlan::new("network learn", parameters, common.seed)
    };
    let mut run = Run::<f64>::new(plan, Box::new(source), Some(first))?;
    run.run(None, &Stop::default())?;
    let model = run.finish()?;
    let Some(learned) = run.source().stats().exhaustive else { bail!("{name}: nothing was learned") };
    model.save(&args.out)?;
    let seconds = started.elapsed().as_secs_f64();
    args.reports.write(|| Ok(crate::page::of_model(&model, &[("time", format!("{seconds:.2} s"))])?))?;
    let (dominance, order) = model.dominance();
    let summary = StaticLearnSummary {
        model: &args.out,
        network: &name,
        inputs: &model.inputs,
        motif: model.network.as_ref(),
        atoms: model.w.cols(),
        homomorphisms: learned.homomorphisms,
        patches: learned.patches,
        rounds: learned.rounds,
        converged: learned.converged,
        loss: learned.loss,
        dominance,
        order,
        seconds,
        config,
        shown: args.reports.lines(),
    };
    emit(&summary, common)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn check(&self, common: &Common) -> Result<()> {
        self.checkpoints.check()?;
        let settings = &self.settings;
        settings.check()?;
        timing::check(&settings.windows, &self.nets)?;
        settings.check_batch(self.nets.len())?;
        if settings.snapshots && self.nets.len() < 2 {
            bail!("--snapshots needs at least two networks, but one is given");
        }
        if settings.exhaustive && self.checkpoints.checkpoint.is_some() {
            bail!("--static and --checkpoint do not go together: leave one of them out");
        }
        opened::check(&self.nets)?;
        if self.checkpoints.checkpoint.is_some() && self.nets.iter().any(|path| output::is_standard(path)) {
            bail!("NET is -, which cannot be read again to resume: --checkpoint needs a file");
        }
        let mut inputs: Vec<paths::NamedPath<'_>> =
            self.nets.iter().filter_map(|net| reading::file(net)).collect();
        inputs.extend(settings.sampling.motif_file().map(|path| ("--motif", path)));
        inputs.extend(settings.learning.init.file().map(|path| ("--init", path)));
        let mut outputs: Vec<paths::NamedPath<'_>> = vec![("-o", &*self.out)];
        outputs.extend(self.checkpoints.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
        outputs.extend(self.reports.outputs());
        paths::check(common, &inputs, &outputs)?;
        paths::check_model(&self.out)?;
        reports::probe(&outputs)
    }
}

#[cfg(test)]
mod tests {
    use crate::page;
    use ergodict::model::{Model, Provenance};

    /// A page without what it says of times.
    fn timeless(page: &str) -> String {
        let (before, rest) = page.split_once("<div><dt>time</dt>").unwrap_or((page, ""));
        format!("{before}{}", rest.split_once("</div>\n").map_or("", |(_, after)| after))
    }

    /// The only test here that runs a command, since Ctrl-C can be listened to but once.
    #[test]
    fn the_page_of_a_model_is_that_of_its_run_but_for_times() {
        use clap::Parser;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (model, page) = (path("m"), path("p.html"));
        let words = "ergodict network learn @karate -k 4 -r 3 --steps 9 --sampler pivot -q -o";
        let words = words.split(' ').chain([&*model, "--report", &page]);
        let cli = crate::args::Cli::try_parse_from(words).unwrap();
        let crate::args::Verb::Network(args) = &cli.verb else { panic!("another verb") };
        crate::network::run(args, &cli.common).unwrap();
        let of_run = std::fs::read_to_string(&page).unwrap();
        let mut model = Model::load(std::path::Path::new(&model)).unwrap();
        let of_model = page::of_model(&model, &[]).unwrap().render();
        assert!(of_run.contains("<dt>time</dt>") && !of_model.contains("<dt>time</dt>"));
        assert_eq!(timeless(&of_run), of_model);
        // A model of an earlier version, which kept none of this, has a page with what there is.
        model.history.gaps.clear();
        let Provenance { command, config, results, .. } = model.provenance;
        model.provenance = Provenance { command, config, results, ..Provenance::default() };
        let old = page::of_model(&model, &[]).unwrap().render();
        assert!(
            old.contains("Latent motifs of @karate")
                && old.contains("Loss")
                && !old.contains("Degree distribution")
        );
    }
}
