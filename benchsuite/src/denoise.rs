//! Denoising by the protocol of docs/denoising.md: AUC and seconds of methods on public networks.

use crate::clock::cpu_seconds;
use anyhow::{Context, Result, bail};
use ergodict::data::corrupt::{AddModel, Amount, Corrupted, Kind, add, remove};
use ergodict::data::{ReadOptions, read_network};
use ergodict::denoise::ensemble::{EnsembleOptions, NoiseModel, ensemble};
use ergodict::denoise::features::Group;
use ergodict::denoise::heuristics::Heuristic;
use ergodict::denoise::roc::auc;
use ergodict::denoise::{Denoiser, Method, Progress};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

const USAGE: &str = "denoise [--data FOLDER] [--networks a,b] [--methods a,b] [--noise removed,added] \
[--seeds 0,1] [--draws N] [--json] [--details]; a method is a heuristic or \
ensemble[:groups=PDWNEh][:negatives=all|uniform|mixed|degree][:splits=N][:c=X][:reweight=true|false][:draws=N][:hidden=X][:injected=X][:most=N][:both]";

/// What is run.
struct Options {
    data: PathBuf,
    networks: Vec<String>,
    methods: Vec<String>,
    noises: Vec<String>,
    seeds: Vec<u64>,
    /// How often a method is run on the same noisy network, with other seeds of its own.
    draws: u64,
    json: bool,
    details: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let beside = std::env::var_os("ERGODICT_DATA").map_or_else(|| "../shared/data".into(), PathBuf::from);
        let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        let mut options = Self {
            data: beside,
            networks: list("facebook,ppi_pathways,arxiv"),
            methods: Heuristic::ALL.iter().map(|h| h.name()).chain(["ensemble"]).map(str::to_owned).collect(),
            noises: list("removed,added"),
            seeds: vec![0, 1],
            draws: 1,
            json: false,
            details: false,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if let "--json" | "--details" = argument.as_str() {
                *(if argument == "--json" { &mut options.json } else { &mut options.details }) = true;
                continue;
            }
            let value = rest.next().with_context(|| format!("{argument} needs a value; {USAGE}"))?;
            match argument.as_str() {
                "--data" => options.data = value.into(),
                "--networks" => options.networks = list(value),
                "--methods" => options.methods = list(value),
                "--noise" => options.noises = list(value),
                "--draws" => options.draws = value.parse()?,
                "--seeds" => {
                    options.seeds = list(value).iter().map(|s| s.parse()).collect::<Result<_, _>>()?;
                }
                _ => bail!("{argument} is no option; {USAGE}"),
            }
        }
        Ok(options)
    }
}

/// Prints the table: one row for each network, noise and method, means over the seeds.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = Options::parse(arguments)?;
    if !options.json {
        println!(
            "| network | noise | method | AUC | degree-matched | seconds | CPU seconds |\n|---|---|---|---|---|---|---|"
        );
    }
    for name in &options.networks {
        let path = options.data.join(format!("{name}.txt.gz"));
        let (network, _) = read_network(&path, &ReadOptions::default())
            .with_context(|| format!("{name}: --data or $ERGODICT_DATA says where it is"))?;
        for noise in &options.noises {
            let half = Amount::Fraction(0.5);
            let noisy: Vec<(u64, Corrupted)> = options
                .seeds
                .iter()
                .map(|&seed| {
                    let noisy = match noise.as_str() {
                        "removed" => remove(&network, half, seed)?,
                        "added" => add(&network, half, AddModel::ErdosRenyi, seed)?,
                        _ => bail!("{noise} is no noise; {USAGE}"),
                    };
                    Ok((seed, noisy))
                })
                .collect::<Result<_>>()?;
            for method in &options.methods {
                // The seed of a method is its own: that of the noise is not for it to know.
                let rows: Vec<Row> = noisy
                    .iter()
                    .flat_map(|noisy| (0..options.draws).map(move |draw| (noisy, draw)))
                    .map(|((seed, noisy), draw)| {
                        measured(method, noise, noisy, 1000 * (seed + 1) + draw, options.details)
                    })
                    .collect::<Result<_>>()?;
                report(&options, name, noise, method, &rows);
            }
        }
    }
    Ok(())
}

/// The AUC against uniform negatives or added edges, against degree-matched ones, and seconds, by the clock and of all cores.
struct Row {
    auc: f64,
    matched: Option<f64>,
    seconds: f64,
    cpu_seconds: f64,
}

fn measured(method: &str, noise: &str, noisy: &Corrupted, seed: u64, details: bool) -> Result<Row> {
    let pairs: Vec<(u32, u32)> = noisy.truth.iter().map(|&(u, v, _)| (u, v)).collect();
    let (started, cpu) = (Instant::now(), cpu_seconds());
    let scores = scored(method, noise, noisy, &pairs, seed, details)?;
    let (seconds, cpu_seconds) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let without = |left_out: Kind| {
        let kept = noisy.truth.iter().zip(&scores).filter(|(pair, _)| pair.2 != left_out);
        let (scores, labels): (Vec<f64>, Vec<bool>) =
            kept.map(|(pair, score)| (*score, pair.2.label())).unzip();
        auc(&scores, &labels).context("a class is missing")
    };
    let matched = if noise == "removed" { Some(without(Kind::Uniform)?) } else { None };
    Ok(Row { auc: without(Kind::Degree)?, matched, seconds, cpu_seconds })
}

fn scored(
    method: &str,
    noise: &str,
    noisy: &Corrupted,
    pairs: &[(u32, u32)],
    seed: u64,
    details: bool,
) -> Result<Vec<f64>> {
    let assumed = if noise == "removed" { NoiseModel::Removed } else { NoiseModel::Added };
    let mut parts = method.split(':');
    if parts.next() != Some("ensemble") {
        let method: Method = method.parse().with_context(|| USAGE)?;
        let (observed, denoising) = (Arc::new(noisy.observed.clone()), Denoiser::new(method, assumed, seed));
        return Ok(denoising.scores(&observed, pairs, &mut Progress::none())?.scores);
    }
    let mut options = EnsembleOptions::new(assumed);
    for part in parts {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        match key {
            "both" => options.assumed = NoiseModel::Both,
            "groups" => {
                let groups: Vec<Group> =
                    Group::ALL.into_iter().filter(|group| value.contains(group.letter())).collect();
                *(if assumed == NoiseModel::Removed { &mut options.removed } else { &mut options.added }) =
                    groups;
            }
            "splits" => options.splits = [value.parse()?; 2],
            "c" => options.c = [value.parse()?; 2],
            "draws" => options.split.draws = value.parse()?,
            "negatives" => options.negatives = value.parse()?,
            "hidden" => options.split.hidden = value.parse()?,
            "injected" => options.injected = value.parse()?,
            "most" => options.split.most = value.parse()?,
            "reweight" => options.reweight = value.parse()?,
            _ => bail!("{key} is no part of a method; {USAGE}"),
        }
    }
    let found = ensemble(&Arc::new(noisy.observed.clone()), pairs, &options, seed)?;
    if details {
        eprintln!("{:#?}", found.reports);
    }
    Ok(found.scores)
}

fn report(options: &Options, network: &str, noise: &str, method: &str, rows: &[Row]) {
    let mean = |f: &dyn Fn(&Row) -> f64| rows.iter().map(f).sum::<f64>() / rows.len() as f64;
    let matched =
        rows.iter().all(|row| row.matched.is_some()).then(|| mean(&|row| row.matched.unwrap_or(0.0)));
    let (area, seconds) = (mean(&|row| row.auc), mean(&|row| row.seconds));
    let cpu = mean(&|row| row.cpu_seconds);
    if options.json {
        println!(
            "{}",
            json!({ "network": network, "noise": noise, "method": method, "seeds": options.seeds,
                "auc": area, "degree_matched": matched, "seconds": seconds, "cpu_seconds": cpu })
        );
        return;
    }
    let each = |f: &dyn Fn(&Row) -> f64| {
        rows.iter().map(|row| format!("{:.4}", f(row))).collect::<Vec<_>>().join(" ")
    };
    let matched = matched.map_or_else(String::new, |matched| {
        format!("{matched:.4} ({})", each(&|row| row.matched.unwrap_or(0.0)))
    });
    println!(
        "| {network} | {noise} | {method} | {area:.4} ({}) | {matched} | {seconds:.2} | {cpu:.2} |",
        each(&|row| row.auc)
    );
}
