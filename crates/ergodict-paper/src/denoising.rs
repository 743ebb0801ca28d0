//! Denoising at ±50 % noise, method by method: what the paper's table and its ROC curves are made of.

use super::baselines::{Baseline, parameter};
use super::cases::Read;
use super::place::{Done, Place};
use anyhow::{Context, Result, bail};
use ergodict::Error;
use ergodict::chain::SamplerKind;
use ergodict::data::corrupt::{AddModel, Amount, Corrupted, Kind, add, remove};
use ergodict::denoise::ensemble::{Noise, NoiseModel};
use ergodict::denoise::roc::Ranked;
use ergodict::denoise::{Denoiser, Method, Ndr, Progress};
use ergodict::reconstruct::network::Mode;
use ergodict_terminal::interrupt;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The name in records.
const EXPERIMENT: &str = "denoising";
/// The share of edges that are added or removed.
const SHARE: f64 = 0.5;
/// Points of a curve that are kept.
const CURVE: usize = 60;
/// Walks of the paper's reconstruction, and of one that is quick.
pub(crate) const PRINTED_WALKS: u64 = 200_000;
const QUICK_WALKS: u64 = 20_000;

pub(crate) const PROTOCOL: &str = "
    AUC with ties at ½, a higher score meaning a true edge, never flipped; a pair that was never seen scores 0 and is not dropped. −50 %: half of the
    edges are removed, a random spanning tree stays; removed edges against as many non-edges, uniform ones and (after the stroke) ones whose ends are drawn by
    degree. +50 %: half as many non-edges are added; true edges against added ones, all of them observed.";

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Row {
    /// A method as `network denoise` has it.
    Ours(Method),
    /// An embedding that only the table needs.
    Rival(Baseline),
    /// NDL and NDR at the printed settings, whatever was seen by then.
    Printed,
}

impl Row {
    /// All methods, and the paper's at its settings.
    pub(crate) fn all() -> Vec<Self> {
        let mut all: Vec<Self> = Method::all().into_iter().map(Self::Ours).collect();
        let place = all.iter().position(|row| *row == Self::Ours(Method::Ndr)).unwrap_or(0);
        all.insert(place, Self::Printed);
        // The embeddings stand together, ours second.
        let prone = all.len() - 1;
        all.insert(prone, Self::Rival(Baseline::Spectral));
        all.extend([Baseline::DeepWalk, Baseline::Node2vec, Baseline::Line].map(Self::Rival));
        all
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ours(method) => method.fmt(f),
            Self::Rival(baseline) => baseline.fmt(f),
            Self::Printed => f.write_str("ndr-as-printed"),
        }
    }
}

impl FromStr for Row {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        if let Ok(method) = name.parse() {
            let row = Self::Ours(method);
            return Ok(row);
        }
        let all = Self::all();
        let names = || all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let found = all.iter().find(|row| row.to_string() == name).copied();
        found.ok_or_else(|| parameter("the method", name, format!("it must be one of {}", names())))
    }
}

/// One measurement.
#[derive(Serialize, Deserialize)]
pub(crate) struct DenoisingRecord {
    /// Removed edges against uniform non-edges, or true edges against added ones.
    pub(crate) auc: f64,
    /// Removed edges against non-edges by degree.
    pub(crate) degree: Option<f64>,
    /// The ROC curve of `auc`.
    pub(crate) curve: Vec<(f64, f64)>,
}

/// A measurement, and what it is of.
pub(crate) struct Cell {
    pub(crate) network: &'static str,
    pub(crate) noise: Noise,
    pub(crate) row: Row,
    pub(crate) seed: u64,
    pub(crate) done: Done<DenoisingRecord>,
}

/// All measurements of a run.
pub(crate) struct Cells {
    pub(crate) rows: Vec<Row>,
    pub(crate) networks: Vec<(&'static str, bool)>,
    pub(crate) seeds: std::ops::Range<u64>,
    pub(crate) all: Vec<Cell>,
}

impl Cells {
    /// Measures what is missing; none when interrupted.
    pub(crate) fn measure(
        networks: &[Read],
        rows: &[Row],
        seeds: u64,
        place: &mut Place<'_>,
    ) -> Result<Option<Self>> {
        let first = place.common.seed;
        let Some(end) = first.checked_add(seeds) else {
            bail!("--seed {first} with --seeds {seeds}: there is no seed beyond {}", u64::MAX);
        };
        let seeds = first..end;
        let mut all = Vec::new();
        // Seed by seed, so that a run that is stopped has one whole table rather than parts of several.
        for seed in seeds.clone() {
            for read in networks {
                for noise in [Noise::Removed, Noise::Added] {
                    let mut noisy = None;
                    for &row in rows {
                        let name = format!("{} {} {row}", read.name(), noise.word());
                        let mut settings = json!({ "digest": read.input.digest, "share": SHARE });
                        let walks = if place.quick { QUICK_WALKS } else { PRINTED_WALKS };
                        if row == Row::Printed {
                            settings["walks"] = json!(walks);
                        }
                        let make = || {
                            let noisy = match &mut noisy {
                                Some(noisy) => noisy,
                                none => none.insert(corrupted(read, noise, seed)?),
                            };
                            measured(noisy, noise, row, (seed, walks))
                        };
                        let Some(done) = place.unit((EXPERIMENT, &name, seed), settings, &[], make)? else {
                            return Ok(None);
                        };
                        if done.new {
                            let DenoisingRecord { auc, degree, .. } = &done.outcome;
                            let degree = degree.map_or(String::new(), |auc| format!(" / {auc:.4}"));
                            place.talk(&format!(
                                "{name}, seed {seed}: {auc:.4}{degree} ({:.1} s)",
                                done.seconds
                            ));
                        }
                        all.push(Cell { network: read.name(), noise, row, seed, done });
                    }
                }
            }
        }
        let networks = networks.iter().map(|read| (read.name(), read.case.printed.is_some())).collect();
        Ok(Some(Self { rows: rows.to_vec(), networks, seeds, all }))
    }

    /// The measurements of all seeds.
    pub(crate) fn select(&self, network: &str, noise: Noise, row: Row) -> impl Iterator<Item = &Cell> {
        self.all.iter().filter(move |cell| (cell.network, cell.noise, cell.row) == (network, noise, row))
    }

    /// The mean over all seeds.
    pub(crate) fn mean(
        &self,
        (network, noise, row): (&str, Noise, Row),
        of: impl Fn(&Done<DenoisingRecord>) -> Option<f64>,
    ) -> Option<f64> {
        let all =
            self.select(network, noise, row).map(|cell| of(&cell.done)).collect::<Option<Vec<f64>>>()?;
        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
    }

    /// Processor time of all.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        self.all.iter().map(|cell| cell.done.cpu_seconds).sum()
    }
}

fn corrupted(read: &Read, noise: Noise, seed: u64) -> Result<Corrupted> {
    let share = Amount::Fraction(SHARE);
    let noisy = match noise {
        Noise::Removed => remove(&read.network, share, seed),
        Noise::Added => add(&read.network, share, AddModel::ErdosRenyi, seed),
    };
    noisy.with_context(|| read.case.name)
}

/// A method on a corruption, with the paper's taking a number of walks; none when interrupted.
fn measured(
    noisy: &Corrupted,
    noise: Noise,
    row: Row,
    (seed, walks): (u64, u64),
) -> Result<Option<DenoisingRecord>> {
    let observed = Arc::new(noisy.observed.clone());
    let pairs: Vec<(u32, u32)> = noisy.truth.iter().map(|&(u, v, _)| (u, v)).collect();
    let assumed = match noise {
        Noise::Removed => NoiseModel::Removed,
        Noise::Added => NoiseModel::Added,
    };
    let mut go_on = |_, _| !interrupt::asked();
    let mut progress = Progress::new(&mut go_on);
    let scores = match row {
        Row::Ours(method) => {
            let denoising = Denoiser::new(method, assumed, seed);
            denoising.scores(&observed, &pairs, &mut progress).map(|scored| scored.scores)
        }
        Row::Rival(baseline) => baseline.scores(&observed, &pairs, seed, &mut |_| !interrupt::asked()),
        Row::Printed => {
            let ndr =
                Ndr { walks, visits: u64::MAX, sampler: SamplerKind::PivotApprox, ..Ndr::new(Mode::Plain) };
            ndr.rebuild(&observed, &pairs, seed, &mut progress).map(|rebuilt| rebuilt.shrunk(0.0))
        }
    };
    let scores = match scores {
        Err(Error::Interrupted) => return Ok(None),
        scores => scores?,
    };
    let against = |left_out: Kind| {
        let rows = noisy.truth.iter().zip(&scores).filter(|(pair, _)| pair.2 != left_out);
        let (labels, scores): (Vec<bool>, Vec<f64>) =
            rows.map(|(pair, score)| (pair.2.label(), *score)).unzip();
        Ranked::new(&scores, &labels)
    };
    let ranked = against(Kind::Degree)?;
    let degree = if noise == Noise::Removed { Some(against(Kind::Uniform)?.auc()) } else { None };
    let curve = ranked.thinned_curve(CURVE);
    let round = |x: f64| (x * 1e4).round() / 1e4;
    let curve = curve.iter().map(|p| (round(p.false_positive_rate), round(p.true_positive_rate))).collect();
    Ok(Some(DenoisingRecord { auc: ranked.auc(), degree, curve }))
}
