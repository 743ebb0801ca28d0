//! `ergodict spins reconstruct`: a configuration reconstructed from atoms.

use crate::args::Common;
use crate::checkpoints::CheckpointArgs;
use crate::driver::Driver;
use crate::reports::{self, ReportArgs};
use crate::summary::{Summary, emit};
use crate::{input, maps, output, paths, rerun};
use anyhow::{Context, Result, bail};
use ergodict::Error;
use ergodict::chain::Lattice;
use ergodict::data::{Frame, Trajectory, digest, write_npy};
use ergodict::linalg::{MatRef, Scalar};
use ergodict::model::{Input, Model, Precision};
use ergodict::patch::{Encoding, NumberGrid, SpinValues, borders};
use ergodict::reconstruct::{Overlap, OverlapRun, relative_error, with_lambda};
use ergodict::run::Identity;
use ergodict_pages::maps::{error_shade, off};
use ergodict_pages::spins::{Outcome, of_reconstruction};
use ergodict_report::Picture;
use ergodict_report::words::{grouped, number};
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
Example:
  ergodict spins reconstruct atoms.safetensors ising.npy -o reconstruction.npy --error-map error.png --report reconstruction.html";

/// Reconstruct a configuration from the atoms of a dictionary
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The model file, of `ergodict spins learn`
    model: PathBuf,
    /// The configuration: .npy of shape (rows, columns), or a trajectory of which one frame is taken
    #[arg(value_name = "CONFIG.npy")]
    configuration: PathBuf,
    /// The .npy file to write: float64 of shape (rows, columns), or (rows, columns·channels) for one-hot and vector patches
    #[arg(short, long, value_name = "OUT.npy")]
    out: PathBuf,
    /// Which frame of a trajectory, from 0 [default: the last]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    frame: Option<u64>,
    /// Sites between neighboring patches, which are averaged where they overlap
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    stride: usize,
    /// Weight of the ℓ₁ norm of the codes; 0 fits most closely
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true)]
    lambda: f64,
    /// Draw the error at each site
    #[arg(long, value_name = "FILE.png")]
    error_map: Option<PathBuf>,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let model = Model::load(&args.model)?;
    match model.precision {
        Precision::F32 => reconstruct::<f32>(args, common, &model),
        Precision::F64 => reconstruct::<f64>(args, common, &model),
    }
}

fn reconstruct<T: Scalar>(args: &Args, common: &Common, model: &Model) -> Result<ExitCode> {
    args.checkpoints.check()?;
    let error_map = args.error_map.as_deref().map(|path| ("--error-map", path));
    let checkpoint = args.checkpoints.checkpoint.as_deref().map(|path| ("--checkpoint", path));
    let own = [Some(("-o", &*args.out)), error_map, checkpoint].into_iter().flatten();
    let outputs: Vec<_> = own.chain(args.reports.outputs()).collect();
    paths::check(common, &[("MODEL", &*args.model), ("CONFIG", &*args.configuration)], &outputs)?;
    output::named(&args.out, "npy", "configurations")?;
    args.error_map.iter().try_for_each(|path| output::named(path, "png", "error maps"))?;
    let Some((patch, (values, alphabet))) = model.patch.and_then(|patch| Some((patch, patch.spins?))) else {
        bail!(
            "{}: its atoms are {}, not patches of spins: learn some with `ergodict spins learn`",
            args.model.display(),
            match &*model.kind {
                "image" => "patches of images",
                "network" => "patches of networks",
                _ => "plain samples",
            }
        );
    };
    let mut trajectory = Trajectory::open(&args.configuration)?;
    let (frames, shape) = (trajectory.len(), trajectory.shape());
    let at = args.frame.unwrap_or(frames.saturating_sub(1));
    if at >= frames {
        bail!("{}: has {frames} frames, so there is no frame {at}", args.configuration.display());
    }
    let mut spins = trajectory.frame(at, alphabet.is_real())?;
    if let (SpinValues::Borders, Frame::Whole(labels)) = (values, &spins) {
        spins = borders(Lattice::new(shape.0, shape.1, patch.window.boundary)?, labels).into();
    }
    let encoding = Encoding::new(values, alphabet)?;
    encoding.check(&spins).with_context(|| args.configuration.display().to_string())?;
    let overlap = Overlap { window: patch.window, stride: args.stride };
    overlap.corners(shape).with_context(|| args.configuration.display().to_string())?;
    args.reports.drawable(shape)?;
    error_map.map_or(Ok(()), |(flag, _)| maps::drawable(flag, shape))?;
    reports::probe(&outputs)?;
    let (truth, channels) = (encoding.numbers(&spins), encoding.channels());
    let grid = NumberGrid { numbers: &truth, shape, channels };
    let mut dictionary = with_lambda(&model.factorizer::<T>()?, args.lambda)?;
    let mut job = OverlapRun::new(overlap, &mut dictionary, &grid)?;
    let input = |path: &Path| Ok::<_, Error>(Input { name: input::name(path), digest: digest(path)? });
    let inputs = if args.checkpoints.checkpoint.is_some() {
        vec![input(&args.model)?, input(&args.configuration)?]
    } else {
        Vec::new()
    };
    let identity = Identity {
        command: "spins reconstruct".into(),
        settings: json!({ "frame": at, "stride": args.stride, "lambda": args.lambda }),
        inputs,
        seed: common.seed,
    };
    let driver = match Driver::finished(&args.checkpoints, common, &identity, &mut job)? {
        Ok(driver) => driver,
        Err(code) => return Ok(code),
    };
    let reconstruction = job.finish().context("nothing was reconstructed")?;
    let error = relative_error(&reconstruction.values, &truth);
    let right = encoding.agreement(&reconstruction.values, &spins);
    let map = off(&reconstruction.values, &truth, channels);
    write_npy(&args.out, MatRef::from_column_major(&reconstruction.values, shape.1 * channels, shape.0)?)?;
    let heat = Picture::new(&map, shape, error_shade(&encoding, &truth));
    if let Some(path) = &args.error_map {
        output::write_bytes(path, &crate::resolved::noted(heat.png((400 / shape.0.max(shape.1)).max(1))?))?;
    }
    args.reports.write(|| {
        let names = [input::name(&args.model), input::name(&args.configuration)];
        let config = json!({ "frame": args.frame, "stride": args.stride, "lambda": args.lambda });
        let command = rerun::command("spins reconstruct", &config, &names, "-o reconstruction.npy");
        let done =
            Outcome { spins: &spins, shape, encoding: &encoding, reconstruction: &reconstruction.values };
        let more = [("frame", at.to_string()), ("stride", args.stride.to_string())];
        Ok(of_reconstruction(model, &done, &more, &command)?)
    })?;
    driver.remove()?;
    let summary = SpinsReconstructSummary {
        out: &args.out,
        model: &args.model,
        configuration: &args.configuration,
        frame: at,
        shape,
        stride: args.stride,
        patches: reconstruction.patches,
        lambda: args.lambda,
        relative_error: error,
        sites_right: right,
        atoms: model.w.cols(),
        error_map: args.error_map.as_deref(),
        written: args.reports.lines(),
    };
    emit(&summary, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict spins reconstruct`
#[derive(Serialize)]
struct SpinsReconstructSummary<'a> {
    /// File that was written
    out: &'a Path,
    /// Model file
    model: &'a Path,
    /// File of the configuration
    configuration: &'a Path,
    /// Frame of that file, from 0
    frame: u64,
    /// Rows and columns
    shape: (usize, usize),
    /// Sites between neighboring patches
    stride: usize,
    /// Patches that were averaged
    patches: u64,
    /// Weight of the ℓ₁ norm of the codes
    lambda: f64,
    /// ‖X̂ − X‖ / ‖X‖
    relative_error: f64,
    /// Share of the sites whose reconstructed value is nearest to the true spin; `null` for real numbers
    sites_right: f64,
    #[serde(skip)]
    atoms: usize,
    #[serde(skip)]
    error_map: Option<&'a Path>,
    #[serde(skip)]
    written: Vec<(&'static str, String)>,
}

impl Summary for SpinsReconstructSummary<'_> {
    const SCHEMA: &'static str = "ergodict.spins-reconstruct/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let Self { patches, atoms, stride, frame, relative_error: error, .. } = self;
        let right = match self.sites_right {
            right if right.is_nan() => String::new(),
            right => format!(", {:.1} % of its sites correct", 100.0 * right),
        };
        let mut lines = vec![
            (
                "",
                format!("{atoms} atoms reconstruct frame {frame}: relative error {}{right}", number(*error)),
            ),
            ("data", format!("{} patches, stride {stride}", grouped(*patches))),
            ("wrote", self.out.display().to_string()),
        ];
        lines.extend(self.error_map.map(|path| ("error map", path.display().to_string())));
        lines.extend(self.written.clone());
        lines
    }
}
