//! Benchmark of network dictionary learning in the paper's setting, with one thread: CPU time with the sampler's set-up and without.

use crate::clock::{cpu_seconds, median};
use crate::inputs::open;
use anyhow::Result;
use ergodict::chain::{Motif, SamplerBuilder, SamplerKind};
use ergodict::data::Network;
use ergodict::linalg::Scalar;
use ergodict::run::NetworkLearning;
use serde_json::json;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// The paper's setting: nodes of the chain motif, and atoms. Minibatches, their columns and λ are the library's defaults.
pub(crate) const K: usize = 21;
pub(crate) const ATOMS: usize = 25;

/// Runs that are timed, after one that is not.
pub(crate) const REPEATS: usize = 7;

/// What one run took, or the medians of several, in milliseconds.
struct Times {
    set_up: f64,
    learn: f64,
    both: f64,
    wall: f64,
}

/// Prints the table; JSON lines with `--json`.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let json = arguments.iter().any(|argument| argument == "--json");
    let network = Arc::new(open("facebook.txt.gz")?);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    if !json {
        println!(
            "| network | sampler | precision | CPU ms | with set-up | wall ms with set-up | set-up ms |"
        );
        println!("|---|---|---|---|---|---|---|");
    }
    for kind in [SamplerKind::PivotApprox, SamplerKind::Exact] {
        for precision in ["f64", "f32"] {
            let times = pool.install(|| match precision {
                "f64" => measure::<f64>(kind, &network),
                _ => measure::<f32>(kind, &network),
            })?;
            let Times { set_up: set_up_ms, learn: learn_ms, both: both_ms, wall: wall_ms } = times;
            let kind = kind.to_string();
            if json {
                println!(
                    "{}",
                    json!({ "part": "learning", "network": "facebook", "sampler": kind, "precision": precision,
                        "threads": 1, "repeats": REPEATS, "cpu_ms": learn_ms, "cpu_ms_with_set_up": both_ms,
                        "wall_ms_with_set_up": wall_ms, "set_up_ms": set_up_ms })
                );
            } else {
                println!(
                    "| facebook | {kind} | {precision} | {learn_ms:.2} | {both_ms:.2} | {wall_ms:.2} | {set_up_ms:.2} |"
                );
            }
        }
    }
    Ok(())
}

/// Medians over the repeats, each of the same work.
fn measure<T: Scalar>(kind: SamplerKind, network: &Arc<Network>) -> Result<Times> {
    once::<T>(kind, network)?;
    let runs = (0..REPEATS).map(|_| once::<T>(kind, network)).collect::<Result<Vec<_>>>()?;
    let of = |field: fn(&Times) -> f64| median(runs.iter().map(field).collect());
    Ok(Times {
        set_up: of(|run| run.set_up),
        learn: of(|run| run.learn),
        both: of(|run| run.both),
        wall: of(|run| run.wall),
    })
}

/// One run. The table for testing adjacency is made while learning, so it counts in either case.
fn once<T: Scalar>(kind: SamplerKind, network: &Arc<Network>) -> Result<Times> {
    let (wall, begin) = (Instant::now(), cpu_seconds());
    let sampler = SamplerBuilder::default().build(kind, network, &Motif::path(K)?, 1)?;
    let ready = cpu_seconds();
    let learned = NetworkLearning::new(ATOMS).learn::<T>(&[(Arc::clone(network), sampler)], 1)?;
    black_box(learned.dictionary());
    let end = cpu_seconds();
    Ok(Times {
        set_up: 1e3 * (ready - begin),
        learn: 1e3 * (end - ready),
        both: 1e3 * (end - begin),
        wall: 1e3 * wall.elapsed().as_secs_f64(),
    })
}
