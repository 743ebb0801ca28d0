//! Our side of the comparison with other libraries: the minibatches of a case, one pass unless steps are given, CPU time of the loop alone.

use crate::clock::cpu_seconds;
use anyhow::{Context, Result, bail};
use ergodict::data::{Batch, MatrixStream, StreamOptions, write_npy};
use ergodict::factor::{FactorSettings, Factorizer};
use ergodict::linalg::{Mat, MatRef, Scalar};
use std::path::{Path, PathBuf};
use std::time::Instant;

const USAGE: &str = "usage: benchsuite step --data DIR --case a|b|c --precision f32|f64 --out W.npy \
                     [--schedule S] [--sweeps N|auto] [--sweep-tolerance X] [--repeats N] [--warm N] [--steps N]";

struct Options {
    data: PathBuf,
    case: String,
    out: PathBuf,
    repeats: usize,
    /// Steps before those that are timed, and how many these are: all minibatches once by default.
    warm: usize,
    steps: Option<usize>,
    parameters: FactorSettings,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let value = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1).cloned()
    };
    let need = |name: &str| value(name).with_context(|| format!("{name} is missing\n{USAGE}"));
    let mut parameters = FactorSettings::new(1);
    parameters.schedule = value("--schedule").unwrap_or("constant:0.5".into()).parse()?;
    if let Some(sweeps) = value("--sweeps").filter(|sweeps| sweeps != "auto") {
        parameters.dictionary_sweeps = Some(sweeps.parse()?);
    }
    if let Some(tolerance) = value("--sweep-tolerance") {
        parameters.dictionary_tolerance = tolerance.parse()?;
    }
    let options = Options {
        data: need("--data")?.into(),
        case: need("--case")?,
        out: need("--out")?.into(),
        repeats: value("--repeats").map_or(Ok(1), |n| n.parse())?,
        warm: value("--warm").map_or(Ok(0), |n| n.parse())?,
        steps: value("--steps").map(|n| n.parse()).transpose()?,
        parameters,
    };
    match need("--precision")?.as_str() {
        "f32" => measure::<f32>(options),
        "f64" => measure::<f64>(options),
        other => bail!("no precision `{other}`\n{USAGE}"),
    }
}

/// All samples of a file, each flattened.
fn load(path: &Path) -> Result<Mat<f64>> {
    let mut stream = MatrixStream::open(path, &StreamOptions::default())?;
    let mut batch = Batch::<f64>::new();
    stream.next_batch(usize::MAX >> 1, &mut batch)?;
    Ok(batch.as_mat_ref().to_owned())
}

fn measure<T: Scalar>(mut options: Options) -> Result<()> {
    let file = |what: &str| options.data.join(format!("{}_{what}.npy", options.case));
    // W0 is d×r, so its rows are our samples; the train file is T×d×n, a minibatch a sample.
    let w0 = load(&file("W0"))?.transposed();
    let train = load(&file("train"))?;
    let (d, r) = (w0.rows(), w0.cols());
    let (warm, steps) = (options.warm, options.steps.unwrap_or(train.cols()));
    let n = train.rows() / d;
    let minibatches: Vec<Vec<T>> = (0..train.cols())
        .map(|t| (0..d * n).map(|k| T::from_f64(train.get((k % d) * n + k / d, t))).collect())
        .collect();
    options.parameters.atoms = r;
    let w0: Mat<T> = w0.cast();
    for _ in 0..options.repeats {
        let mut factorizer = Factorizer::from_dictionary(options.parameters.clone(), w0.as_ref())?;
        let (mut sweeps, mut capped, mut kkt) = (0, 0, 0.0f64);
        let begin = cpu_seconds();
        let (mut wall, mut cpu) = (Instant::now(), begin);
        for (t, x) in minibatches.iter().cycle().take(warm + steps).enumerate() {
            if t == warm {
                (wall, cpu) = (Instant::now(), cpu_seconds());
            }
            let report = factorizer.step(MatRef::from_column_major(x, d, n)?)?;
            sweeps += report.update.sweeps;
            capped += report.code.capped;
            kkt = kkt.max(report.code.kkt);
        }
        let (cpu, wall) = (cpu_seconds() - cpu, wall.elapsed().as_secs_f64());
        let all = cpu_seconds() - begin;
        let line = serde_json::json!({
            "case": options.case, "precision": T::NAME, "isa": factorizer.isa().name(),
            "steps": steps, "cpu": cpu, "wall": wall, "cpu_ms": 1e3 * cpu / steps as f64,
            "wall_ms": 1e3 * wall / steps as f64, "cpu_ms_all": 1e3 * all / (warm + steps) as f64,
            "sweeps": f64::from(sweeps) / (warm + steps) as f64, "columns_capped": capped, "kkt": kkt,
            "schedule": options.parameters.schedule.to_string(),
            "surrogate": factorizer.surrogate(),
        });
        println!("{line}");
        write_npy(&options.out, factorizer.dictionary().cast::<f64>().transposed().as_ref())?;
    }
    Ok(())
}
