//! Benchmarks of networks: reading, set-up, homomorphisms with their patches a second, all on one thread unless said.

use crate::clock::{cpu_seconds, median_ms};
use anyhow::{Context, Result};
use ergodict::chain::rng::{Purpose, below, stream, uniform};
use ergodict::chain::{Chain, Glauber, Motif, SamplerKind, Samplers};
use ergodict::data::{Build, Edge, Network, NodeIds, ReadOptions, read_network};
use ergodict::patch::NetworkPatches;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Nodes of the motif.
const K: usize = 21;
/// Homomorphisms drawn at a time, as the walkers do.
const BLOCK: usize = 64;
/// Bytes of the adjacency test.
const BUDGET: usize = ergodict::data::Adjacency::BUDGET;

/// Prints the tables.
pub(crate) fn run() -> Result<()> {
    println!("| network | what | million/s | µs each | set-up ms |\n|---|---|---|---|---|");
    let facebook = open("facebook.txt.gz")?;
    let tenth = |network: &Network| variant(network, false);
    for (name, network) in [
        ("facebook", facebook.clone()),
        ("facebook, weighted", variant(&facebook, true)?),
        ("facebook, directed", tenth(&facebook)?),
        ("twitter", open("snap_ego-twitter-undirected.txt.gz")?.largest_component()),
    ] {
        samplers(name, &Arc::new(network))?;
    }
    println!(
        "\n| edge list | edges | MB | wall s, all threads | wall s, one thread | CPU s, one thread |\n|---|---|---|---|---|---|"
    );
    reading()?;
    Ok(())
}

fn open(name: &str) -> Result<Network> {
    let folder =
        std::env::var_os("ERGODICT_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let path = folder.join(name);
    let (network, _) = read_network(&path, &ReadOptions::default())
        .with_context(|| format!("{name}: needed in ../shared/data or $ERGODICT_DATA"))?;
    Ok(network)
}

/// The network with random weights, or with a direction for one edge in ten.
fn variant(network: &Network, weighted: bool) -> Result<Network> {
    let mut rng = stream(1, Purpose::Synthetic, 0);
    let mut edges: Vec<Edge> = Vec::new();
    for (u, v, _) in network.each_edge() {
        if weighted {
            edges.push((u, v, 0.5 + uniform(&mut rng)));
        } else {
            edges.push((u, v, 1.0));
            if below(&mut rng, 10) > 0 {
                edges.push((v, u, 1.0));
            }
        }
    }
    let ids = NodeIds::numbered(network.nodes());
    let build = Build { directed: !weighted, ..Build::default() };
    Ok(Network::build(ids, &edges, weighted, build)?.0)
}

/// One row for each sampler, with patches and without.
fn samplers(name: &str, network: &Arc<Network>) -> Result<()> {
    let motif = Motif::chain(K)?;
    let started = cpu_seconds();
    let patches = NetworkPatches::new(network, K, BUDGET);
    let set_up = 1e3 * (cpu_seconds() - started);
    println!("| {name} | adjacency test | | | {set_up:.1} |");
    for kind in [SamplerKind::PivotApprox, SamplerKind::Pivot, SamplerKind::Exact] {
        let started = cpu_seconds();
        let sampler = match Samplers::default().build(kind, network, &motif, 0) {
            Ok(sampler) => sampler,
            Err(reason) => {
                println!("| {name} | {kind} | refused: {reason} | | |");
                continue;
            }
        };
        let set_up = 1e3 * (cpu_seconds() - started);
        let mut rng = stream(1, Purpose::Chain, 0);
        let mut state = sampler.init(&mut rng);
        let count = 200_000;
        let mut block = vec![0; BLOCK * K];
        let rounds = count / BLOCK;
        let alone = median_ms(20, || {
            (0..rounds).for_each(|_| {
                sampler.sample(&mut state, &mut rng, &mut block);
            });
        });
        row(name, &kind.to_string(), rounds * BLOCK, alone, Some(set_up));
        if network.is_simple() {
            let words = patches.words();
            let mut bits = vec![0u64; BLOCK * words];
            let both = median_ms(20, || {
                (0..rounds).for_each(|_| {
                    sampler.sample(&mut state, &mut rng, &mut block);
                    patches.bits_all(&block, &mut bits);
                });
            });
            row(name, &format!("{kind} + patch bits"), rounds * BLOCK, both, None);
        }
        let mut column = vec![0.0f64; K * K];
        let rounds = rounds / 8;
        let dense = median_ms(10, || {
            (0..rounds).for_each(|_| {
                sampler.sample(&mut state, &mut rng, &mut block);
                block.chunks_exact(K).for_each(|x| patches.write(x, &mut column));
            });
        });
        row(name, &format!("{kind} + dense patch, f64"), rounds * BLOCK, dense, None);
    }
    let glauber = Glauber::new(Arc::clone(network), motif)?;
    let mut rng = stream(1, Purpose::Chain, 0);
    let mut state = glauber.init(&mut rng);
    let count = if network.is_weighted() { 500_000 } else { 5_000_000 };
    let ms = median_ms(20, || {
        glauber.steps(&mut state, count, &mut rng);
    });
    row(name, "glauber updates", count as usize, ms, None);
    Ok(())
}

fn row(network: &str, what: &str, count: usize, ms: f64, set_up: Option<f64>) {
    let rate = count as f64 / ms / 1e3;
    let set_up = set_up.map_or_else(String::new, |ms| format!("{ms:.1}"));
    println!("| {network} | {what} | {rate:.2} | {:.3} | {set_up} |", 1.0 / rate);
}

/// An edge list of 5 million random pairs below a million.
fn reading() -> Result<()> {
    let edges = 5_000_000u64;
    let mut file = tempfile::NamedTempFile::new()?;
    let mut rng = stream(2, Purpose::Synthetic, 0);
    let mut out = std::io::BufWriter::new(&mut file);
    for _ in 0..edges {
        writeln!(out, "{} {}", below(&mut rng, 1_000_000), below(&mut rng, 1_000_000))?;
    }
    out.flush()?;
    drop(out);
    let size = file.path().metadata()?.len() as f64 / 1e6;
    let read = || -> Result<f64> {
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let started = Instant::now();
            read_network(file.path(), &ReadOptions::default())?;
            best = best.min(started.elapsed().as_secs_f64());
        }
        Ok(best)
    };
    let all = read()?;
    let single = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let one = single.install(read)?;
    let started = cpu_seconds();
    single.install(|| read_network(file.path(), &ReadOptions::default()))?;
    let cpu = cpu_seconds() - started;
    println!("| 5 million pairs below a million | {edges} | {size:.1} | {all:.3} | {one:.3} | {cpu:.3} |");
    Ok(())
}
