//! Benchmarks of network reconstruction: seconds for so many homomorphisms, with one thread and two, and the memory it takes.

use crate::clock::{cpu_seconds, median};
use crate::inputs::open;
use crate::learning::{ATOMS, K, REPEATS};
use anyhow::{Context, Result, bail};
use ergodict::chain::{Motif, MotifSampler, MotifWalker, SamplerBuilder, SamplerKind};
use ergodict::data::Network;
use ergodict::linalg::Mat;
use ergodict::reconstruct::network::{Mode, PairSums, ReconstructionSettings, Reconstructor, Targets};
use ergodict::run::NetworkLearning;
use serde_json::{Value, json};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

/// Homomorphisms of one reconstruction.
const SAMPLES: u64 = 200_000;

/// What is measured on which network: all pairs; the same with every atom reversed too, as ndlearn has it; off-motif entries alone;
/// all entries of the pairs that are edges.
const ROWS: [(&str, &[&str]); 3] = [
    ("facebook", &["plain", "reversal", "off-motif", "edges"]),
    ("arxiv", &["plain", "edges"]),
    ("ppi_pathways", &["plain", "edges"]),
];

/// `reconstruct [--json] [NETWORK [WHAT [THREADS]]]`: the rows that agree with the words. Each is measured in a process of its own,
/// as a process knows only the most memory it ever had: the one that is given all three words.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let json = arguments.iter().any(|argument| argument == "--json");
    let wanted: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    if let [network, what, threads] = wanted[..] {
        let threads = threads.parse().context("the number of threads must be a whole number")?;
        show(json, &measure(network, what, threads)?);
        return Ok(());
    }
    if !json {
        println!("| network | what | threads | wall s | best | CPU s | pairs | peak MB |");
        println!("|---|---|---|---|---|---|---|---|");
    }
    let agrees = |at: usize, found: &str| wanted.get(at).is_none_or(|wanted| *wanted == found);
    for (network, whats) in ROWS {
        for what in whats {
            for threads in ["1", "2"] {
                if agrees(0, network) && agrees(1, what) {
                    show(json, &child(network, what, threads)?);
                }
            }
        }
    }
    Ok(())
}

fn show(json: bool, row: &Value) {
    if json {
        println!("{row}");
        return;
    }
    let text = |key: &str| row[key].as_str().unwrap_or("?").to_owned();
    let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
    println!(
        "| {} | {} | {} | {:.3} | {:.3} | {:.3} | {} | {:.0} |",
        text("network"),
        text("what"),
        row["threads"],
        number("seconds"),
        number("best_seconds"),
        number("cpu_seconds"),
        row["pairs"],
        number("peak_mb")
    );
}

/// The row that another process of this program measures.
fn child(network: &str, what: &str, threads: &str) -> Result<Value> {
    let mut child = Command::new(std::env::current_exe()?);
    let output = child.args(["reconstruct", "--json", network, what, threads]).output()?;
    if !output.status.success() {
        bail!("{network}, {what}: {}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    serde_json::from_slice(&output.stdout).context("a row is one line of JSON")
}

/// One row: medians of reconstructions of the same homomorphisms. The walkers are ready when the clock starts, the
/// test of adjacency and the sums are not.
fn measure(name: &str, what: &str, threads: usize) -> Result<Value> {
    let network = Arc::new(open(&format!("{name}.txt.gz"))?.largest_component());
    let motif = Motif::path(K)?;
    let sampler = SamplerBuilder::default().build(SamplerKind::PivotApprox, &network, &motif, 1)?;
    let w = learn(&network, &sampler)?;
    let mut parameters = ReconstructionSettings::default();
    match what {
        "plain" | "edges" => {}
        "reversal" => parameters.reversal = true,
        "off-motif" => parameters.mode = Mode::OffMotif,
        other => bail!("no reconstruction `{other}`: there are plain, reversal, off-motif and edges"),
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let (mut walls, mut cpus, mut pairs) = (Vec::new(), Vec::new(), 0);
    for _ in 0..REPEATS {
        let targets = if what == "edges" {
            Targets::Only(network.each_edge().map(|(u, v, _)| (u, v)).collect())
        } else {
            Targets::All
        };
        let walkers = (0..2).map(|id| MotifWalker::new(Arc::clone(&sampler), 2, id, 0, 1));
        let mut walkers = walkers.collect::<ergodict::Result<Vec<_>>>()?;
        let (started, before) = (Instant::now(), cpu_seconds());
        let sums: PairSums = pool.install(|| -> Result<PairSums> {
            let mut rebuilt = Reconstructor::<f32>::new(&w, &network, &motif, &parameters, targets)?;
            rebuilt.absorb(&mut walkers, SAMPLES)?;
            Ok(rebuilt.into_sums())
        })?;
        walls.push(started.elapsed().as_secs_f64());
        cpus.push(cpu_seconds() - before);
        pairs = sums.visited();
    }
    let best = walls.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(
        json!({ "part": "reconstruction", "network": name, "what": what, "threads": threads, "samples": SAMPLES,
        "repeats": REPEATS, "seconds": median(walls), "best_seconds": best, "cpu_seconds": median(cpus),
        "pairs": pairs, "peak_mb": peak() }),
    )
}

/// The dictionary of the paper's setting.
fn learn(network: &Arc<Network>, sampler: &Arc<dyn MotifSampler>) -> Result<Mat<f64>> {
    let learned =
        NetworkLearning::new(ATOMS).learn::<f64>(&[(Arc::clone(network), Arc::clone(sampler))], 1)?;
    Ok(learned.dictionary().clone())
}

/// The most memory this process has had, in millions of bytes, where the system tells.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}
