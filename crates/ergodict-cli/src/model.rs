//! `ergodict model`: what is in a model file, and its parts in other formats.

use crate::args::Common;
use crate::output::{print, write};
use crate::paths;
use crate::progress::say;
use anyhow::{Context, Result, bail};
use clap::{Subcommand, ValueEnum};
use ergodict::data::{NpzWriter, write_atomic, write_npy};
use ergodict::dictionary::{Model, Precision};
use ergodict::factor::diagnostics::{stationarity_gap, unused};
use ergodict_report::{AtomGrid, AtomProfile, atoms_png};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Look into a model file, or take its parts out
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

/// What `model show` tells.
struct Summary<'a> {
    file: &'a Path,
    model: &'a Model,
    /// None before the first step, as the gap.
    surrogate: Option<f64>,
    gap: Option<f64>,
    dominance: Vec<f64>,
    order: Vec<usize>,
    unused: Vec<usize>,
}

impl<'a> Summary<'a> {
    fn of(file: &'a Path, model: &'a Model) -> Result<Self> {
        let factoriser = model.factoriser::<f64>().with_context(|| file.display().to_string())?;
        let learned = model.aggregates.t > 0;
        let (dominance, order) = model.dominance();
        Ok(Self {
            file,
            model,
            surrogate: learned.then(|| model.aggregates.per_sample(factoriser.surrogate())),
            gap: learned.then(|| stationarity_gap(&factoriser)),
            dominance,
            order,
            unused: unused(&model.aggregates.a),
        })
    }

    fn json(&self) -> Value {
        let m = self.model;
        let last = m.history.points.last();
        json!({
            "schema": "ergodict.model/1",
            "file": self.file,
            "kind": m.kind,
            "features": m.w.rows(),
            "atoms": m.w.cols(),
            "precision": m.precision,
            "parameters": m.parameters,
            "seed": m.seed,
            "version": m.version,
            "inputs": m.inputs,
            "feature_names": m.feature_names,
            "steps": m.aggregates.t,
            "samples": m.aggregates.samples,
            "loss_per_sample": last.map(|p| p.loss),
            "surrogate_per_sample": self.surrogate,
            "stationarity_gap": self.gap,
            "dominance": self.dominance,
            "order": self.order,
            "unused_atoms": self.unused.len(),
            "unused": self.unused,
            "cursor": m.cursor,
            "history": m.history,
            "run": m.run,
            "config": crate::resolved::config(),
        })
    }

    /// The same for people. Names on the left, one fact a line.
    fn table(&self) -> String {
        let m = self.model;
        let (d, r) = (m.w.rows(), m.w.cols());
        let precision = if m.precision == Precision::F32 { "f32" } else { "f64" };
        let mut rows = vec![
            ("model", self.file.display().to_string()),
            ("kind", m.kind.clone()),
            (
                "dictionary",
                format!("{}, {}, {precision}", counted(d as u64, "feature"), counted(r as u64, "atom")),
            ),
            (
                "learned",
                format!("{}, {}", counted(m.aggregates.t, "step"), counted(m.aggregates.samples, "sample")),
            ),
        ];
        if let Some(patch) = m.patch {
            let of = match patch.spins {
                Some((values, _)) => format!("sites, spins {values}"),
                None if patch.channels == 3 => "pixels, in colour".to_owned(),
                None => "pixels, grey".to_owned(),
            };
            rows.push(("patches", format!("{}×{} {of}", patch.window.rows, patch.window.cols)));
        }
        if let Some(last) = m.history.points.last() {
            rows.push(("last loss", format!("{:.6} per sample, at step {}", last.loss, last.t)));
        }
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "no step yet".to_owned());
        rows.push(("surrogate", or_none(self.surrogate.map(|x| format!("{x:.6} per sample")))));
        rows.push(("stationarity gap", or_none(self.gap.map(|x| format!("{x:.3e}")))));
        rows.push((
            "unused atoms",
            match self.unused.len() {
                0 => "none".to_owned(),
                n => format!("{n} of {r}"),
            },
        ));
        if let Some(cursor) = m.cursor {
            rows.push(("checkpoint", format!("after epoch {}, minibatch {}", cursor.epoch, cursor.batch)));
        }
        rows.push(("seed", m.seed.to_string()));
        rows.push(("version", format!("ergodict {}", m.version)));
        for (i, input) in m.inputs.iter().enumerate() {
            rows.push((if i == 0 { "input" } else { "" }, crate::page::input(input)));
        }
        if let Ok(Value::Object(parameters)) = serde_json::to_value(&m.parameters) {
            let words =
                parameters.iter().filter(|(name, _)| *name != "atoms").map(|(name, value)| match value {
                    Value::String(text) => format!("{name} {text}"),
                    value => format!("{name} {value}"),
                });
            for (i, line) in wrapped(words, 76).into_iter().enumerate() {
                rows.push((if i == 0 { "parameters" } else { "" }, line));
            }
            if let Some(config) = m.run["config"].as_object() {
                let own =
                    config.iter().filter(|(key, value)| !parameters.contains_key(*key) && !value.is_null());
                let words = own.map(|(name, value)| match value {
                    Value::String(text) => format!("{name} {text}"),
                    value => format!("{name} {value}"),
                });
                for (i, line) in wrapped(words, 76).into_iter().enumerate() {
                    rows.push((if i == 0 { "run" } else { "" }, line));
                }
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
    let summary = Summary::of(path, &model)?;
    print(&if common.json { format!("{:#}\n", summary.json()) } else { summary.table() })
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
        if common.json {
            let summary = json!({
                "schema": "ergodict.model-export/1",
                "model": self.model,
                "out": out,
                "features": model.w.rows(),
                "atoms": model.w.cols(),
                "config": crate::resolved::config(),
            });
            print(&format!("{summary:#}\n"))?;
        } else if !common.quiet {
            say(&format!("wrote      {}", out.display()));
        }
        Ok(())
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
