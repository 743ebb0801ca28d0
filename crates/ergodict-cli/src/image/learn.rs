//! `ergodict image learn`: a dictionary of patches from one or several images.

use super::open::open;
use super::page;
use super::source::ImageSource;
use crate::args::Common;
use crate::edge::Edge;
use crate::progress::say;
use crate::runs::{Form, Plan, Run, learn as learn_all};
use crate::saving::Saving;
use crate::scheme::Scheme;
use crate::showing::{self, Showing};
use crate::words::table;
use crate::{interrupt, memory, output, paths};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use ergodict::chain::Sampling;
use ergodict::data::Image;
use ergodict::linalg::Scalar;
use ergodict::patch::{ImageStream, PatchKind, Window};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

const HELP: &str = "\
Example:
  ergodict image learn @tessellation -r 25 --patch 10 -o atoms.safetensors --report atoms.html

The paper's comparison, independent patches and a random walk:
  ergodict image learn picture.png -r 100 --patch 10 --patches 1000 --steps 500 -o iid.safetensors
  ergodict image learn picture.png -r 100 --patch 10 --patches 1000 --steps 500 --sampling walk -o walk.safetensors";

/// How positions of patches follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum How {
    /// Independently of each other
    Iid,
    /// By a random walk, one pixel up, down, left or right at a time
    Walk,
}

/// Learn a dictionary of patches from images
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The images: PNG, JPEG, PNM or TIFF; - is standard input, @tessellation and @tessellation-noisy are embedded
    #[arg(required = true, value_name = "IMG")]
    images: Vec<PathBuf>,
    /// The model file to write; - is standard output
    #[arg(short, long, value_name = "MODEL")]
    out: PathBuf,
    /// Rows and columns of a patch, in pixels: K or KxL
    #[arg(long, value_name = "K", value_parser = crate::model::size, default_value = "10")]
    patch: (usize, usize),
    /// How positions of patches follow each other
    #[arg(long, value_enum, value_name = "HOW", default_value_t = How::Iid)]
    sampling: How,
    /// What lies beyond the edge of an image
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Edge::Periodic)]
    boundary: Edge,
    /// Patches of a minibatch
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = crate::args::number, allow_negative_numbers = true)]
    patches: usize,
    /// Minibatches
    #[arg(long, value_name = "T", default_value_t = 100, value_parser = crate::args::count, allow_negative_numbers = true)]
    steps: u64,
    /// Learn from red, green and blue; otherwise from grey
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    #[arg(default_value_t = false, hide_possible_values = true, hide_default_value = true)]
    colour: bool,
    #[command(flatten)]
    scheme: Scheme,
    #[command(flatten)]
    saving: Saving,
    #[command(flatten)]
    showing: Showing,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    if args.scheme.f32 { learn::<f32>(args, common) } else { learn::<f64>(args, common) }
}

fn learn<T: Scalar>(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    args.check(common)?;
    let parameters = args.scheme.parameters(&crate::scheme::defaults());
    let (mut images, mut inputs) = (Vec::new(), Vec::new());
    let mut largest = 0_u64;
    let window = args.window();
    for path in &args.images {
        let (image, input) = open(path, args.colour, common.quiet)?;
        window.corners(image.shape()).with_context(|| path.display().to_string())?;
        if args.showing.wanted() {
            largest = largest.max(image.values().len() as u64);
        }
        images.push(image);
        inputs.push(input);
    }
    let kind = PatchKind { window, channels: if args.colour { 3 } else { 1 }, spins: None };
    let d = kind.features().context("a patch has too many numbers")?;
    parameters.check(d)?;
    let minibatch = (d as u64).saturating_mul(args.patches as u64).saturating_mul(8);
    // The images are in memory already, and so not in what is available; the report has one at a time as numbers: given,
    // rebuilt, its sums and weights, its errors.
    let shown = largest.saturating_mul(5 * 8);
    let learning = args.scheme.memory::<T>(d, args.patches as u64).saturating_add(minibatch);
    let needed = learning.saturating_add(shown);
    memory::check(
        needed,
        &format!("{} atoms of {d} numbers in minibatches of {}", parameters.atoms, args.patches),
        "lower -r, --patch or --patches, or use --f32",
    )?;
    let plan = Plan {
        kind: "image",
        command: "image learn",
        common,
        saving: &args.saving,
        scheme: &args.scheme,
        parameters: &parameters,
        batch: args.patches as u64,
    };
    interrupt::listen();
    let images: Arc<[Image]> = images.into();
    let stream = ImageStream::new(Arc::clone(&images), window, args.sampling(), common.seed, 0)?;
    let source =
        ImageSource { stream, patches: args.patches, minibatches: args.steps, chain: Duration::ZERO };
    let config = args.config(&plan)?;
    let mut runs =
        [Run::<T>::new(&plan, "", &args.out, Form::Patch(kind), config, inputs, Box::new(source))?];
    if let Some(code) = learn_all(&plan, &mut runs)? {
        return Ok(code);
    }
    args.finish(&plan, &runs[0], &images, started.elapsed())
}

impl Args {
    fn window(&self) -> Window {
        Window { rows: self.patch.0, cols: self.patch.1, boundary: self.boundary.into() }
    }

    fn sampling(&self) -> Sampling {
        match self.sampling {
            How::Iid => Sampling::Iid,
            How::Walk => Sampling::Walk,
        }
    }

    fn check(&self, common: &Common) -> Result<()> {
        self.saving.check()?;
        if self.patches == 0 {
            bail!("--patches is 0, but a minibatch needs at least one");
        }
        if self.steps == 0 {
            bail!("--steps is 0, but at least one is needed");
        }
        if self.images.iter().filter(|path| output::is_standard(path)).count() > 1 {
            bail!("standard input holds one image, but - is given more than once");
        }
        let mut inputs: Vec<paths::Given<'_>> = self.images.iter().map(|path| ("IMG", &**path)).collect();
        inputs.extend(self.scheme.file().map(|path| ("--init", path)));
        let checkpoint = self.saving.checkpoint.as_deref().map(|path| ("--checkpoint", path));
        let outputs = [("-o", &*self.out)].into_iter().chain(self.showing.outputs()).chain(checkpoint);
        let outputs: Vec<_> = outputs.collect();
        paths::check(common, &inputs, &outputs)?;
        showing::probe(&outputs)
    }

    /// Every flag that has a say in the result, with its value.
    fn config(&self, plan: &Plan<'_>) -> Result<Value> {
        let mut config = self.scheme.config(plan.parameters)?;
        let name = |value: Option<clap::builder::PossibleValue>| value.map(|v| v.get_name().to_owned());
        config["patch"] = json!(format!("{}x{}", self.patch.0, self.patch.1));
        config["sampling"] = json!(name(self.sampling.to_possible_value()));
        config["boundary"] = json!(name(self.boundary.to_possible_value()));
        config["patches"] = json!(self.patches);
        config["steps"] = json!(self.steps);
        config["colour"] = json!(self.colour);
        config["seed"] = json!(plan.common.seed);
        Ok(config)
    }

    fn finish<T: Scalar>(
        &self,
        plan: &Plan<'_>,
        run: &Run<T>,
        images: &[Image],
        time: Duration,
    ) -> Result<ExitCode> {
        let learned = run.learned(plan)?;
        let (model, results) = (&learned.model, &learned.results);
        model.save(&self.out)?;
        if !self
            .showing
            .write_unless_stopped(|| page::of_learning::<T>(model, images, time, plan.common.quiet))?
        {
            let written = self.out.display();
            let place =
                self.saving.checkpoint.as_deref().map(|_| "; with --resume the same command makes it");
            say(&format!(
                "ergodict: interrupted; {written} is written, the report is not{}",
                place.unwrap_or_default()
            ));
            return Ok(interrupt::code());
        }
        run.forget()?;
        let totals = &model.aggregates;
        let chain = run.source.chain_time().as_secs_f64();
        let (filling, learning) = (run.filling.as_secs_f64(), run.learning.as_secs_f64());
        if !plan.common.quiet {
            let learned = format!(
                "{} atoms of {}×{} pixels from {} patches in {} steps",
                model.w.cols(),
                self.patch.0,
                self.patch.1,
                totals.samples,
                totals.t
            );
            let mut lines = vec![("learned", learned)];
            lines.extend(crate::words::lines(results, model));
            let all = time.as_secs_f64();
            let patches = filling - chain;
            lines.push((
                "time",
                format!("{all:.1} s: chain {chain:.2}, patches {patches:.2}, learning {learning:.2}"),
            ));
            lines.push(("wrote", self.out.display().to_string()));
            lines.extend(self.showing.lines());
            say(&table(&lines));
        }
        if plan.common.json {
            let mut all = json!({
                "schema": "ergodict.image-learn/1",
                "model": self.out,
                "inputs": model.inputs,
                "features": model.w.rows(),
                "atoms": model.w.cols(),
                "steps": totals.t,
                "samples": totals.samples,
                "seconds": time.as_secs_f64(),
                "chain_seconds": chain,
                "patch_seconds": filling - chain,
                "learning_seconds": learning,
                "resumed_after_step": run.resumed,
                "dominance": model.dominance().0,
                "config": run.config,
            });
            if let (Value::Object(all), Value::Object(results)) = (&mut all, serde_json::to_value(results)?) {
                all.extend(results);
            }
            output::print(&format!("{all:#}\n"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
