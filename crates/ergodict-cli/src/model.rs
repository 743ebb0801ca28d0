//! `ergodict model`: what is in a model file, and its parts in other formats.

use crate::args::Common;
use crate::output::write;
use crate::paths;
use crate::summary::{Summary, emit};
use anyhow::{Context, Result, bail};
use clap::{Subcommand, ValueEnum};
use ergodict::data::{NpzWriter, write_atomic, write_npy};
use ergodict::factor::FactorSettings;
use ergodict::factor::diagnostics::{stationarity_gap, unused};
use ergodict::model::{History, Input, Model, Precision, Provenance};
use ergodict::patch::PatchKind;
use ergodict_report::words::number;
use ergodict_report::{AtomGrid, AtomProfile, atoms_png};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Show or export the contents of a model file
#[derive(clap::Args)]
#[command(arg_required_else_help = true, subcommand_required = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: ModelVerb,
}

#[derive(Subcommand)]
enum ModelVerb {
    /// Show what is in a model: shapes, parameters, provenance, dominance of the atoms
    #[command(after_help = "Example:\n  ergodict model show bars.safetensors")]
    Show {
        /// The model file
        model: PathBuf,
    },
    /// Write the dictionary in another format, or draw its atoms
    #[command(after_help = EXPORT_HELP)]
    Export(Export),
}

const EXPORT_HELP: &str = "\
Formats:
  .npz  the arrays W (d×r), A (r×r) and B (r×d), for numpy
  .npy  W
  .csv  W: one row per feature, one column per atom, under a header
  .png  the atoms as small pictures
  .svg  the same with their dominance below; profiles where no shape is known

Example:
  ergodict model export bars.safetensors -o atoms.png --shape 8x8";

#[derive(clap::Args)]
struct Export {
    /// The model file
    model: PathBuf,
    /// The file to write; its extension says the format
    #[arg(short, long, value_name = "OUT")]
    out: PathBuf,
    /// The format, where the extension does not say it (`-o -`)
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Rows and columns of an atom's picture [default: square, if the number of features is one]
    #[arg(long, value_name = "HxW", value_parser = shape)]
    shape: Option<(usize, usize)>,
    /// Order of the atoms in pictures
    #[arg(long, value_enum, default_value_t = Order::Dominance)]
    order: Order,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Npz,
    Npy,
    Csv,
    Png,
    Svg,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    /// Most dominant first
    Dominance,
    /// As in the file
    Index,
}

pub(crate) fn run(args: Args, common: &Common) -> Result<ExitCode> {
    match args.verb {
        ModelVerb::Show { model } => show(&model, common)?,
        ModelVerb::Export(export) => export.run(common)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Rows and columns: `200` or `200x100`.
pub(crate) fn size(text: &str) -> Result<(usize, usize), String> {
    match text.parse::<usize>() {
        Ok(0) => Err("it must be at least 1".into()),
        Ok(side) => Ok((side, side)),
        Err(_) => shape(text),
    }
}

/// `HxW`, also `H×W`.
pub(crate) fn shape(text: &str) -> Result<(usize, usize), String> {
    let sides = text.split_once(['x', 'X', '×']);
    let sides = sides.and_then(|(h, w)| Some((h.trim().parse().ok()?, w.trim().parse().ok()?)));
    sides.filter(|&(h, w)| h > 0 && w > 0).ok_or_else(|| "expected HxW, for instance 8x8".to_owned())
}

/// `ergodict model show`
#[derive(Serialize)]
struct ModelSummary<'a> {
    /// Model file
    file: &'a Path,
    /// What the model was learned from: `factor` for matrices, `spins`, `image` or `network`
    kind: &'a str,
    /// Entries of an atom, d
    features: usize,
    /// Number of atoms, r
    atoms: usize,
    /// `f32` or `f64`
    precision: Precision,
    /// Parameters of the online scheme, under the names of the flags
    parameters: &'a FactorSettings,
    /// Seed of the run
    seed: u64,
    /// Version of ergodict that wrote the file
    version: &'a str,
    /// Files that were learned from
    inputs: &'a [Input],
    /// Names of the features, where the data had them
    feature_names: Option<&'a [String]>,
    /// Minibatches learned from
    steps: u64,
    /// Samples learned from
    samples: u64,
    /// Last loss in the history; `null` without history
    loss_per_sample: Option<f64>,
    /// f̂_t(W_t) over the mean width of a minibatch; `null` before the first step
    surrogate_per_sample: Option<f64>,
    /// ‖W − Π(W − ∇g(W)/2λ_max(A))‖ / ‖W‖; `null` before the first step
    stationarity_gap: Option<f64>,
    /// Dominance of each atom, in the order of the columns of W
    dominance: Vec<f64>,
    /// Atoms from the most dominant on
    order: Vec<usize>,
    /// Number of atoms that no code has used
    unused_atoms: usize,
    /// Those atoms
    unused: Vec<usize>,
    /// Losses while learning
    history: &'a History,
    /// What the model keeps of its run, as in its file: without times and paths, so that the same run gives the same bytes
    run: &'a Provenance,
    #[serde(skip)]
    patch: Option<PatchKind>,
}

impl<'a> ModelSummary<'a> {
    fn new(file: &'a Path, model: &'a Model) -> Result<Self> {
        let factorizer = model.factorizer::<f64>().with_context(|| file.display().to_string())?;
        let learned = model.aggregates.t > 0;
        let (dominance, order) = model.dominance();
        let unused = unused(&model.aggregates.a);
        Ok(Self {
            file,
            kind: &model.kind,
            features: model.w.rows(),
            atoms: model.w.cols(),
            precision: model.precision,
            parameters: &model.parameters,
            seed: model.seed,
            version: &model.version,
            inputs: &model.inputs,
            feature_names: model.feature_names.as_deref(),
            steps: model.aggregates.t,
            samples: model.aggregates.samples,
            loss_per_sample: model.history.points.last().map(|point| point.loss),
            surrogate_per_sample: learned.then(|| model.aggregates.per_sample(factorizer.surrogate())),
            stationarity_gap: learned.then(|| stationarity_gap(&factorizer)),
            dominance,
            order,
            unused_atoms: unused.len(),
            unused,
            history: &model.history,
            run: &model.provenance,
            patch: model.patch,
        })
    }
}

impl Summary for ModelSummary<'_> {
    const SCHEMA: &'static str = "ergodict.model/1";

    /// Names on the left, one fact a line.
    fn text(&self) -> String {
        let (d, r) = (self.features, self.atoms);
        let precision = if self.precision == Precision::F32 { "f32" } else { "f64" };
        let mut rows = vec![
            ("model", self.file.display().to_string()),
            ("kind", self.kind.to_owned()),
            (
                "dictionary",
                format!("{}, {}, {precision}", counted(d as u64, "feature"), counted(r as u64, "atom")),
            ),
            ("learned", format!("{}, {}", counted(self.steps, "step"), counted(self.samples, "sample"))),
        ];
        if let Some(patch) = self.patch {
            let of = match patch.spins {
                Some((values, _)) => format!("sites, spins {values}"),
                None if patch.channels == 3 => "pixels, in color".to_owned(),
                None => "pixels, gray".to_owned(),
            };
            rows.push(("patches", format!("{}×{} {of}", patch.window.rows, patch.window.cols)));
        }
        if let Some(last) = self.history.points.last() {
            rows.push(("last loss", format!("{} per sample, at step {}", number(last.loss), last.t)));
        }
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "no step yet".to_owned());
        rows.push((
            "surrogate",
            or_none(self.surrogate_per_sample.map(|x| format!("{} per sample", number(x)))),
        ));
        rows.push(("stationarity gap", or_none(self.stationarity_gap.map(|x| format!("{x:.2e}")))));
        rows.push((
            "unused atoms",
            match self.unused_atoms {
                0 => "none".to_owned(),
                n => format!("{n} of {r}"),
            },
        ));
        rows.push(("seed", self.seed.to_string()));
        rows.push(("version", format!("ergodict {}", self.version)));
        for (i, input) in self.inputs.iter().enumerate() {
            rows.push((if i == 0 { "input" } else { "" }, ergodict_pages::text::input(input)));
        }
        if let Ok(Value::Object(parameters)) = serde_json::to_value(self.parameters) {
            let given = parameters.iter().filter(|(name, value)| *name != "atoms" && !value.is_null());
            let words = given.map(|(name, value)| match value {
                Value::String(text) => format!("{name} {text}"),
                value => format!("{name} {value}"),
            });
            for (i, line) in wrapped(words, 76).into_iter().enumerate() {
                rows.push((if i == 0 { "parameters" } else { "" }, line));
            }
            let own = self.run.config.iter();
            let own = own.filter(|(key, value)| !parameters.contains_key(*key) && !value.is_null());
            let words = own.map(|(name, value)| match value {
                Value::String(text) => format!("{name} {text}"),
                value => format!("{name} {value}"),
            });
            for (i, line) in wrapped(words, 76).into_iter().enumerate() {
                rows.push((if i == 0 { "run" } else { "" }, line));
            }
        }
        let mut text = String::new();
        for (name, value) in rows {
            let _ = writeln!(text, "{name:<17} {value}");
        }
        let shown = self.order.len().min(10);
        let title = if shown < r { format!("top {shown} of {r}") } else { "all".to_owned() };
        let _ = writeln!(text, "\natom  dominance ({title})");
        let largest = self.order.first().map_or(0.0, |&k| self.dominance[k]);
        for &k in &self.order[..shown] {
            let part = if largest > 0.0 { self.dominance[k] / largest } else { 0.0 };
            let _ = writeln!(
                text,
                "{k:>4}  {:.4} {}",
                self.dominance[k],
                "▪".repeat((30.0 * part).round() as usize)
            );
        }
        text
    }
}

fn show(path: &Path, common: &Common) -> Result<()> {
    let model = Model::load(path)?;
    emit(&ModelSummary::new(path, &model)?, common)
}

impl Export {
    fn run(&self, common: &Common) -> Result<()> {
        paths::check(common, &[("MODEL", &self.model)], &[("-o", &self.out)])?;
        let format = self.format()?;
        let picture = matches!(format, Format::Png | Format::Svg);
        if !picture && self.shape.is_some() {
            bail!("--shape is for pictures: leave it out, or export to .png or .svg");
        }
        let model = Model::load(&self.model)?;
        let narrow = model.precision == Precision::F32;
        let out = &self.out;
        match format {
            // Rows of the file are columns of the matrix that is handed over.
            Format::Npy if narrow => write_npy(out, model.w.transposed().cast::<f32>().as_ref())?,
            Format::Npy => write_npy(out, model.w.transposed().as_ref())?,
            Format::Npz => {
                let mut npz = NpzWriter::new();
                let w = model.w.transposed();
                if narrow {
                    npz.array("W", w.cast::<f32>().as_ref());
                } else {
                    npz.array("W", w.as_ref());
                }
                npz.array("A", model.aggregates.a.transposed().as_ref());
                npz.array("B", model.aggregates.b_transposed.as_ref());
                if let Some(note) = crate::resolved::note() {
                    npz.note(&note);
                }
                npz.save(out)?;
            }
            Format::Csv => write(out, &csv(&model, narrow))?,
            Format::Png | Format::Svg => {
                let picture = crate::resolved::noted(self.picture(&model, format)?);
                write_atomic(out, |file| file.write_all(&picture).map_err(ergodict::Error::io(out)))?;
            }
        }
        let (features, atoms) = (model.w.rows(), model.w.cols());
        emit(&ExportSummary { model: &self.model, out, features, atoms }, common)
    }

    fn format(&self) -> Result<Format> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        let extension = self.out.extension().map(|e| e.to_string_lossy().to_lowercase());
        let known = extension.as_deref().and_then(|e| Format::from_str(e, true).ok());
        known.with_context(|| {
            let out = self.out.display();
            let found = extension.map_or("no extension".to_owned(), |e| format!("the extension .{e}"));
            format!(
                "{out} has {found}: a model can be exported to .npz, .npy, .csv, .png or .svg (or name one of \
                 them by --format)"
            )
        })
    }

    fn picture(&self, model: &Model, format: Format) -> Result<Vec<u8>> {
        let (scores, by_dominance) = model.dominance();
        let order = match self.order {
            Order::Dominance => by_dominance,
            Order::Index => (0..model.w.cols()).collect(),
        };
        let atoms: Vec<Vec<f64>> = order.iter().map(|&k| model.w.col(k).to_vec()).collect();
        let labels = Some(order.iter().map(|&k| format!("{:.3}", scores[k])).collect());
        let d = model.w.rows();
        Ok(match (format, crate::page::grid(model, &atoms, self.shape)) {
            (Format::Png, Some(grid)) => {
                // Atoms of about a hundred pixels, and small ones not blown up beyond recognition.
                let cell = (96 / grid.shape.0.max(grid.shape.1)).clamp(1, 24);
                atoms_png(&grid, cell)?
            }
            (Format::Png, None) => bail!(
                "{}: {d} features are no square: say --shape HxW with H·W = {d}, or export to .svg for profiles",
                self.model.display()
            ),
            (_, Some(grid)) => AtomGrid { labels, ..grid }.svg()?.into_bytes(),
            (_, None) => AtomProfile { labels, ..AtomProfile::new(&atoms) }.svg()?.into_bytes(),
        })
    }
}

/// `ergodict model export`
#[derive(Serialize)]
struct ExportSummary<'a> {
    /// Model file
    model: &'a Path,
    /// File that was written
    out: &'a Path,
    /// Entries of an atom, d
    features: usize,
    /// Number of atoms, r
    atoms: usize,
}

impl Summary for ExportSummary<'_> {
    const SCHEMA: &'static str = "ergodict.model-export/1";

    fn lines(&self) -> Vec<(&str, String)> {
        vec![("wrote", self.out.display().to_string())]
    }
}

/// `W` with a header `atom0,atom1,…`; numbers that read back to the same bits.
fn csv(model: &Model, narrow: bool) -> String {
    let names = model.feature_names.as_ref();
    let mut text = String::new();
    let header = names.map(|_| "feature".to_owned()).into_iter();
    let header: Vec<String> = header.chain((0..model.w.cols()).map(|k| format!("atom{k}"))).collect();
    let _ = writeln!(text, "{}", header.join(","));
    for i in 0..model.w.rows() {
        let name = names.map(|names| quoted(names.get(i).map_or("", String::as_str))).into_iter();
        let numbers = (0..model.w.cols()).map(|k| match model.w.get(i, k) {
            w if narrow => (w as f32).to_string(),
            w => w.to_string(),
        });
        let _ = writeln!(text, "{}", name.chain(numbers).collect::<Vec<_>>().join(","));
    }
    text
}

/// A text field as RFC 4180 has it.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// `1 atom`, `16 atoms`.
fn counted(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// Words in lines of at most `width` characters, where they fit, parted by commas.
fn wrapped(words: impl Iterator<Item = String>, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + word.chars().count() <= width => {
                line.push_str(", ");
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_one_side_or_two() {
        assert_eq!(size("20"), Ok((20, 20)));
        assert_eq!(size("20x30"), Ok((20, 30)));
        assert!(size("0").is_err() && size("x").is_err() && size("3x0").is_err());
    }
}
