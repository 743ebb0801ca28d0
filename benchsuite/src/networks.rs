//! Benchmarks of networks: reading, set-up, homomorphisms with their patches a second, all on one thread unless said.

use crate::clock::{cpu_seconds, median_ms};
use crate::inputs::open;
use anyhow::Result;
use ergodict::chain::{Motif, SamplerBuilder, SamplerKind};
use ergodict::data::{Build, Edge, Network, NodeIds, ReadOptions, read_network};
use ergodict::patch::NetworkPatches;
use ergodict::rng::{Purpose, below, stream, uniform};
use serde_json::json;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

/// Nodes of the motif.
const K: usize = 21;
/// Homomorphisms drawn at a time, as the walkers do.
const BLOCK: usize = 64;
/// Bytes of the adjacency test.
const BUDGET: usize = ergodict::data::Adjacency::BUDGET;

/// Where rows go: a table, or JSON lines.
#[derive(Clone, Copy)]
struct Out {
    json: bool,
}

impl Out {
    /// A rate, in things a second, of something that may have needed a set-up.
    fn rate(self, network: &str, what: &str, per_second: f64, set_up_ms: Option<f64>) {
        if self.json {
            println!(
                "{}",
                json!({ "network": network, "what": what, "per_second": per_second, "set_up_ms": set_up_ms })
            );
            return;
        }
        let set_up = set_up_ms.map_or_else(String::new, |ms| format!("{ms:.1}"));
        println!("| {network} | {what} | {:.2} | {:.3} | {set_up} |", per_second / 1e6, 1e6 / per_second);
    }

    /// Something that has no rate.
    fn note(self, network: &str, what: &str, note: &str, set_up_ms: Option<f64>) {
        if self.json {
            println!("{}", json!({ "network": network, "what": what, "note": note, "set_up_ms": set_up_ms }));
            return;
        }
        let set_up = set_up_ms.map_or_else(String::new, |ms| format!("{ms:.1}"));
        println!("| {network} | {what} | {note} | | {set_up} |");
    }
}

/// Prints the tables.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let out = Out { json: arguments.iter().any(|argument| argument == "--json") };
    if !out.json {
        println!("| network | what | million/s | µs each | set-up ms |\n|---|---|---|---|---|");
    }
    let facebook = open("facebook.txt.gz")?;
    let tenth = |network: &Network| variant(network, false);
    for (name, network) in [
        ("facebook", facebook.clone()),
        ("facebook, weighted", variant(&facebook, true)?),
        ("facebook, directed", tenth(&facebook)?),
        ("twitter", open("snap_ego-twitter-undirected.txt.gz")?.largest_component()),
    ] {
        samplers(out, name, &Arc::new(network))?;
    }
    reading(out)
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
fn samplers(out: Out, name: &str, network: &Arc<Network>) -> Result<()> {
    let motif = Motif::path(K)?;
    let started = cpu_seconds();
    let patches = NetworkPatches::new(network, K, BUDGET);
    let set_up = 1e3 * (cpu_seconds() - started);
    out.note(name, "adjacency test", "", Some(set_up));
    for kind in [SamplerKind::PivotApprox, SamplerKind::Pivot, SamplerKind::Exact] {
        let started = cpu_seconds();
        let sampler = match SamplerBuilder::default().build(kind, network, &motif, 0) {
            Ok(sampler) => sampler,
            Err(reason) => {
                out.note(name, &kind.to_string(), &format!("refused: {reason}"), None);
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
        row(out, name, &kind.to_string(), rounds * BLOCK, alone, Some(set_up));
        if network.is_simple() {
            let words = patches.words();
            let mut bits = vec![0u64; BLOCK * words];
            let both = median_ms(20, || {
                (0..rounds).for_each(|_| {
                    sampler.sample(&mut state, &mut rng, &mut block);
                    patches.bits_all(&block, &mut bits);
                });
            });
            row(out, name, &format!("{kind} + patch bits"), rounds * BLOCK, both, None);
        }
        let mut column = vec![0.0f64; K * K];
        let rounds = rounds / 8;
        let dense = median_ms(10, || {
            (0..rounds).for_each(|_| {
                sampler.sample(&mut state, &mut rng, &mut block);
                block.chunks_exact(K).for_each(|x| patches.write(x, &mut column));
            });
        });
        row(out, name, &format!("{kind} + dense patch, f64"), rounds * BLOCK, dense, None);
    }
    let glauber = SamplerBuilder::default().build(SamplerKind::Glauber, network, &motif, 0)?;
    let mut rng = stream(1, Purpose::Chain, 0);
    let mut state = glauber.init(&mut rng);
    let count = if network.is_weighted() { 500_000 } else { 5_000_000 };
    let ms = median_ms(20, || {
        glauber.steps(&mut state, count, &mut rng);
    });
    row(out, name, "glauber updates", count as usize, ms, None);
    Ok(())
}

fn row(out: Out, network: &str, what: &str, count: usize, ms: f64, set_up: Option<f64>) {
    out.rate(network, what, count as f64 / ms * 1e3, set_up);
}

/// An edge list of 5 million random pairs below a million.
fn reading(out: Out) -> Result<()> {
    let edges = 5_000_000u64;
    let mut file = tempfile::NamedTempFile::new()?;
    let mut rng = stream(2, Purpose::Synthetic, 0);
    let mut text = std::io::BufWriter::new(&mut file);
    for _ in 0..edges {
        writeln!(text, "{} {}", below(&mut rng, 1_000_000), below(&mut rng, 1_000_000))?;
    }
    text.flush()?;
    drop(text);
    let read = || read_network(file.path(), &ReadOptions::default()).map(|_| ());
    let best = |measure: &dyn Fn() -> f64, work: &dyn Fn() -> ergodict::Result<()>| -> Result<f64> {
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let before = measure();
            work()?;
            best = best.min(measure() - before);
        }
        Ok(best)
    };
    let started = Instant::now();
    let wall = move || started.elapsed().as_secs_f64();
    let single = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let (name, edges) = ("5 million pairs", edges as f64);
    out.rate(name, "read", edges / best(&cpu_seconds, &|| single.install(read))?, None);
    let (all, one) = (best(&wall, &read)?, best(&wall, &|| single.install(read))?);
    out.rate(name, "read, wall clock, all threads", edges / all, None);
    out.rate(name, "read, wall clock, one thread", edges / one, None);
    Ok(())
}
