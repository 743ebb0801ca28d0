//! Benchmarks of network reconstruction: seconds for so many homomorphisms, with one thread and two, and the memory it takes.

use crate::clock::cpu_seconds;
use anyhow::{Context, Result};
use ergodict::chain::{Motif, MotifWalker, SamplerKind, Samplers};
use ergodict::data::{Adjacency, Network, ReadOptions, read_network};
use ergodict::factor::{Factoriser, Parameters};
use ergodict::linalg::Mat;
use ergodict::patch::NetworkPatches;
use ergodict::reconstruct::network::{
    Accuracy, Mode, NetworkReconstruction, PairSums, Reconstructor, Targets,
};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// The paper's setting.
const K: usize = 21;
const ATOMS: usize = 25;
const SAMPLES: u64 = 200_000;

/// One row: `reconstruct [--json] [NETWORK [WHAT [THREADS]]]`, as memory can only be told of one at a time; all rows without.
/// `ERGODICT_BENCH_MEMORY` is the bytes that sums may take.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let json = arguments.iter().any(|argument| argument == "--json");
    let mut wanted = arguments.iter().filter(|argument| !argument.starts_with('-'));
    let (network, what, threads) = (wanted.next(), wanted.next(), wanted.next());
    if !json {
        println!(
            "| network | what | threads | wall s, best of 5 | CPU s | pairs | peak MB | Jaccard at .5 | edges visited | AUC |\n|---|---|---|---|---|---|---|---|---|---|"
        );
    }
    for name in ["facebook", "arxiv", "ppi_pathways"] {
        if network.is_some_and(|wanted| wanted != name) {
            continue;
        }
        let open = open(&format!("{name}.txt.gz"))?;
        let open = Arc::new(open.largest_component());
        let (w, ms) = learn(&open)?;
        if !json {
            println!("| {name} | learning, T = N = 100 | 1 | {:.3} | | | {:.0} | | | |", ms / 1e3, peak());
        }
        for task in ["plain", "off-chain", "edges"] {
            for count in [1, 2] {
                let skip =
                    |wanted: Option<&String>, found: &str| wanted.is_some_and(|wanted| wanted != found);
                if !skip(what, task) && !skip(threads, &count.to_string()) {
                    row(json, name, &open, &w, task, count)?;
                }
            }
        }
    }
    Ok(())
}

fn open(name: &str) -> Result<Network> {
    let folder =
        std::env::var_os("ERGODICT_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let (network, _) = read_network(&folder.join(name), &ReadOptions::default())
        .with_context(|| format!("{name}: needed in ../shared/data or $ERGODICT_DATA"))?;
    Ok(network)
}

fn walkers(network: &Arc<Network>, seed: u64, count: u64) -> Result<Vec<MotifWalker>> {
    let sampler = Samplers::default().build(SamplerKind::PivotApprox, network, &Motif::chain(K)?, seed)?;
    Ok((0..count)
        .map(|id| MotifWalker::new(Arc::clone(&sampler), seed, id, 0, 1))
        .collect::<ergodict::Result<_>>()?)
}

/// The dictionary of the paper's setting, and the milliseconds it took.
fn learn(network: &Arc<Network>) -> Result<(Mat<f64>, f64)> {
    let started = Instant::now();
    let patches = NetworkPatches::new(network, K, Adjacency::BUDGET);
    let mut walker = walkers(network, 1, 1)?;
    let mut model = Factoriser::<f64>::random(Parameters::new(ATOMS), K * K, 1)?;
    let (mut xs, mut x) = (vec![0; 100 * K], Mat::zeros(0, 0));
    for _ in 0..100 {
        walker[0].fill(&mut xs);
        patches.write_all(&xs, &mut x);
        model.step(&x)?;
    }
    Ok((model.dictionary().clone(), 1e3 * started.elapsed().as_secs_f64()))
}

fn row(
    json: bool,
    name: &str,
    network: &Arc<Network>,
    w: &Mat<f64>,
    what: &str,
    threads: usize,
) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let motif = Motif::chain(K)?;
    let mode = if what == "off-chain" { Mode::OffChain } else { Mode::Plain };
    let mut parameters = NetworkReconstruction { mode, ..NetworkReconstruction::default() };
    if let Some(memory) = std::env::var("ERGODICT_BENCH_MEMORY").ok().and_then(|bytes| bytes.parse().ok()) {
        parameters.memory = memory;
    }
    let (mut wall, mut cpu) = (f64::INFINITY, f64::INFINITY);
    let mut measured = None;
    for _ in 0..5 {
        let targets = if what == "edges" {
            Targets::Only(network.each_edge().map(|(u, v, _)| (u, v)).collect())
        } else {
            Targets::All
        };
        let mut walkers = walkers(network, 2, 2)?;
        let (started, before) = (Instant::now(), cpu_seconds());
        let sums: PairSums = pool.install(|| -> Result<PairSums> {
            let mut rebuilt = Reconstructor::<f32>::new(w, network, &motif, &parameters, targets)?;
            rebuilt.absorb(&mut walkers, SAMPLES)?;
            Ok(rebuilt.into_sums())
        })?;
        wall = wall.min(started.elapsed().as_secs_f64());
        cpu = cpu.min(cpu_seconds() - before);
        if measured.is_none() {
            measured = Some(Accuracy::of(&sums, network, 0.5, 0.0)?);
        }
    }
    let accuracy = measured.context("five runs")?;
    let memory = peak();
    if json {
        println!(
            "{}",
            json!({ "network": name, "what": what, "threads": threads, "samples": SAMPLES, "seconds": wall,
                "cpu_seconds": cpu, "pairs": accuracy.visited, "peak_mb": memory, "jaccard": accuracy.jaccard, "edges_visited": accuracy.edge_coverage,
                "auc": accuracy.auc })
        );
    } else {
        let visited = accuracy.visited;
        let [jaccard, edge_coverage, auc] =
            [accuracy.jaccard, accuracy.edge_coverage, accuracy.auc].map(|of| of.unwrap_or(f64::NAN));
        println!(
            "| {name} | {what} | {threads} | {wall:.3} | {cpu:.3} | {visited} | {memory:.0} | {jaccard:.4} | {edge_coverage:.4} | {auc:.4} |"
        );
    }
    Ok(())
}

/// The most memory this process has had, in MB; 0 where the system does not tell.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse::<f64>().unwrap_or(0.0) / 1024.0
}
