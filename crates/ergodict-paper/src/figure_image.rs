//! `ergodict-paper figure-image`: a dictionary of a picture, from independent patches and along a random walk.

mod claims;
mod learn;
mod page;

use super::outcome::{Claim, Outcome, present};
use super::place::{Done, Place, Where};
use super::spread::Spread;
use anyhow::{Context, Result, anyhow};
use ergodict::chain::{Boundary, Placement};
use ergodict::data::{EMBEDDED_IMAGES, Image, embedded_image, tessellation};
use ergodict::model::{Input, Model};
use ergodict::patch::{PatchKind, Window};
use ergodict_report::Report;
use ergodict_terminal::Common;
use ergodict_terminal::nearest::hint;
use ergodict_terminal::progress::say;
use learn::{Learned, Mark};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The name in records and of the page.
pub(crate) const VERB: &str = "figure-image";

/// Both ways to draw patches, (a) and (b) of the paper's figure.
const SAMPLINGS: [Placement; 2] = [Placement::Iid, Placement::Walk];

/// Pixels are at most 1 and patches small, so the penalty is small, too; the paper does not print its λ.
const LAMBDA: f64 = 0.1;

/// What is run.
#[derive(Clone, Copy)]
struct Setting {
    patch: usize,
    patches: usize,
    /// Minibatches.
    steps: u64,
    atoms: usize,
    /// Repetitions, each with a seed of its own: what the error of a difference is known from.
    seeds: u64,
    /// Patches that the expected loss is estimated from.
    held_out: usize,
    /// Minibatches after which the dictionaries are shown as well.
    early: u64,
}

/// As in the paper, but for the repetitions.
const PAPER: Setting =
    Setting { patch: 10, patches: 1000, steps: 500, atoms: 100, seeds: 5, held_out: 4000, early: 5 };
/// The walk has some twenty times its relaxation time on the small picture, which is 934 steps.
const QUICK: Setting =
    Setting { patch: 8, patches: 200, steps: 100, atoms: 16, seeds: 4, held_out: 500, early: 5 };
/// Pixels a side of the picture that is quick.
const QUICK_SIDE: usize = 96;

/// The picture to learn from.
#[derive(clap::Args)]
pub(crate) struct Picture {
    /// The picture of figure-image, in gray: PNG, JPEG, PNM or TIFF (without it `@tessellation`, for Escher's is not free)
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,
}

/// The figure of a picture: 100 atoms from independent patches and from a random walk, and the reconstructed picture
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  ergodict-paper figure-image -o paper\n  ergodict-paper figure-image --image cycle.png -o paper\n  ergodict-paper figure-image --quick -o paper"
)]
pub(crate) struct Args {
    #[command(flatten)]
    picture: Picture,
    #[command(flatten)]
    at: Where,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let ground = args.picture.ground(&args.at, common)?;
    let mut place = Place::open(&args.at, common)?;
    present(measure(ground, &mut place)?, &place)
}

/// The picture that was read, and what is done with it.
pub(crate) struct Ground {
    setting: Setting,
    quick: bool,
    image: Image,
    input: Input,
    kind: PatchKind,
}

impl Picture {
    /// Opens the picture.
    pub(crate) fn ground(&self, at: &Where, common: &Common) -> Result<Ground> {
        let setting = if at.quick { QUICK } else { PAPER };
        let (image, input) = match &self.image {
            Some(path) => open(path, common.quiet)?,
            None if at.quick => {
                let name = format!("@tessellation of {QUICK_SIDE}×{QUICK_SIDE}");
                let digest = format!("embedded:tessellation-{QUICK_SIDE}");
                (tessellation(QUICK_SIDE, QUICK_SIDE, false, 0)?, Input { name, digest })
            }
            None => open("@tessellation".as_ref(), common.quiet)?,
        };
        let window = Window { rows: setting.patch, cols: setting.patch, boundary: Boundary::Periodic };
        window.corners(image.shape()).with_context(|| input.name.clone())?;
        let kind = PatchKind { window, channels: 1, spins: None };
        Ok(Ground { setting, quick: at.quick, image, input, kind })
    }
}

/// A picture by the name of its file, in gray, or an embedded one by its own.
fn open(path: &Path, quiet: bool) -> Result<(Image, Input)> {
    let name = path.to_string_lossy();
    if let Some(embedded) = name.strip_prefix('@') {
        let image =
            embedded_image(&name, false).map_err(|e| anyhow!("{e}{}", hint(&name, EMBEDDED_IMAGES)))?;
        return Ok((image, Input { digest: format!("embedded:{embedded}"), name: name.into_owned() }));
    }
    let (image, notes) = Image::open(path, false)?;
    if !quiet {
        say(&format!("{name}: {notes}"));
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok((image, Input { name, digest: notes.digest }))
}

/// Dictionaries of both kinds, and what they are worth.
pub(crate) struct FigureImage {
    ground: Ground,
    seed: u64,
    both: [Repeated; 2],
}

/// The repetitions of one way to draw patches, and what the first of them leaves.
struct Repeated {
    sampling: Placement,
    runs: Vec<Done<Learned>>,
    files: [String; 2],
    model: Model,
    early: Model,
}

/// The name of a way to draw patches.
fn name(sampling: Placement) -> &'static str {
    match sampling {
        Placement::Iid => "independent",
        Placement::Walk => "walk",
    }
}

/// Learns the dictionaries that are missing; none when interrupted.
pub(crate) fn measure(ground: Ground, place: &mut Place<'_>) -> Result<Option<FigureImage>> {
    let seed = place.common.seed;
    let mut both = Vec::new();
    for sampling in SAMPLINGS {
        let files = ["", "-early"].map(|early| format!("{VERB}-{}{early}.safetensors", name(sampling)));
        let paths = files.each_ref().map(|file| place.folder.join(file));
        let mut runs = Vec::new();
        for repetition in 0..ground.setting.seeds {
            let first = repetition == 0;
            let own = seed.wrapping_add(repetition);
            let unit = format!("{}-seed{own}", name(sampling));
            let settings = ground.settings(sampling, seed);
            let written: &[String] = if first { &files } else { &[] };
            let quiet = place.common.quiet;
            let learn = || ground.learn(sampling, (own, seed), first.then_some(&paths), quiet);
            let Some(done) = place.unit((VERB, &unit, own), settings, written, learn)? else {
                return Ok(None);
            };
            if done.new {
                let Learned { psnr, marks, .. } = &done.outcome;
                let loss = marks.last().map_or(f64::NAN, |mark| mark.held_out);
                place.talk(&format!("{unit}: {:.2} s, loss {loss:.4}, {psnr:.2} dB", done.seconds));
            }
            runs.push(done);
        }
        let [model, early] = [Model::load(&paths[0])?, Model::load(&paths[1])?];
        both.push(Repeated { sampling, runs, files, model, early });
    }
    let both = both.try_into().map_err(|_| anyhow::anyhow!("there are two ways to draw patches"))?;
    Ok(Some(FigureImage { ground, seed, both }))
}

impl Ground {
    /// All that an outcome depends on, but for the seed of the repetition.
    fn settings(&self, sampling: Placement, seed: u64) -> Value {
        let Setting { patch, patches, steps, atoms, held_out, early, .. } = self.setting;
        json!({
            "digest": self.input.digest, "sampling": name(sampling), "patch": patch, "patches": patches, "steps": steps,
            "atoms": atoms, "lambda": LAMBDA, "held_out": held_out, "early": early, "held_out_seed": seed,
        })
    }
}

impl FigureImage {
    /// A number of the given mark of all repetitions, of independent patches and of the walk.
    fn at(&self, t: u64, number: impl Fn(&Mark) -> f64 + Copy) -> [Vec<f64>; 2] {
        self.both.each_ref().map(|one| {
            let marks = one.runs.iter().filter_map(|run| run.outcome.marks.iter().find(|mark| mark.t == t));
            marks.map(number).collect()
        })
    }

    /// By how much the loss of the walk is above that of independent patches, as a share of that.
    fn behind(&self, t: u64) -> Spread {
        let [iid, walk] = self.at(t, |mark| mark.held_out);
        Spread::between(&walk, &iid).over(Spread::from_samples(&iid).mean)
    }

    /// Minibatches after which was measured.
    fn marks(&self) -> Vec<u64> {
        self.both[0].runs.first().map_or(Vec::new(), |run| run.outcome.marks.iter().map(|m| m.t).collect())
    }
}

impl Outcome for FigureImage {
    fn verb(&self) -> &'static str {
        VERB
    }

    fn title(&self) -> String {
        "A picture".into()
    }

    fn lead(&self) -> String {
        let Setting { patch, patches, steps, atoms, seeds, .. } = self.ground.setting;
        let (rows, cols) = self.ground.image.shape();
        format!(
            "{atoms} atoms of {patch}×{patch} pixels from {steps} minibatches of {patches} patches of {} ({rows}×{cols} \
             pixels; the paper has Escher's Cycle, which is not free), λ = {LAMBDA} (the paper prints none), w = 1/t. Corners of \
             patches are independent and uniform, or take a simple random walk on the torus. Both were done {seeds} times, with \
             seeds from {} on; pictures are of the first.",
            self.ground.input.name, self.seed
        )
    }

    fn show(&self, report: Report) -> Result<Report> {
        page::show(self, report)
    }

    fn claims(&self) -> Vec<Claim> {
        claims::judge(self)
    }

    fn json(&self) -> Value {
        let Setting { patch, patches, steps, atoms, early, .. } = self.ground.setting;
        let runs =
            self.both.iter().flat_map(|one| (0u64..).zip(&one.runs).map(move |(k, run)| (one, k, run)));
        let runs = runs.map(|(one, k, run)| {
            let Learned { marks, psnr, relative_error } = &run.outcome;
            let files: &[String] = if k == 0 { &one.files } else { &[] };
            json!({
                "sampling": name(one.sampling), "seed": self.seed.wrapping_add(k), "marks": marks, "psnr": psnr,
                "relative_error": relative_error, "models": files, "seconds": run.seconds,
            })
        });
        json!({
            "image": self.ground.input.name, "shape": self.ground.image.shape(), "patch": patch, "patches": patches,
            "steps": steps, "atoms": atoms, "lambda": LAMBDA, "early": early,
            "runs": runs.collect::<Vec<_>>(),
            "walk_behind": { "early": self.behind(early), "end": self.behind(steps) },
        })
    }

    fn cpu_seconds(&self) -> f64 {
        self.both.iter().flat_map(|one| &one.runs).map(|run| run.cpu_seconds).sum()
    }
}
