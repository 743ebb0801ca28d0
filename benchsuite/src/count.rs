//! Eight kernels, each a number of times over the same data: what `cargo xtask bench --compare` counts the instructions of.

use anyhow::{Context, Result, bail};
use ergodict::chain::{
    Boundary, Chain, Checkerboard, Field, Ising, Lattice, Motif, SamplerBuilder, SamplerKind,
};
use ergodict::data::{Adjacency, Build, Edge, Network, NodeIds};
use ergodict::factor::{FactorSettings, Factorizer};
use ergodict::linalg::{Mat, Scalar};
use ergodict::patch::NetworkPatches;
use ergodict::rng::{Purpose, below, stream, uniform};
use std::sync::Arc;

const USAGE: &str = "usage: benchsuite count [KERNEL TIMES]";

/// Their names, which `benchsuite count` prints.
const KERNELS: [&str; 8] = [
    "step-f64",
    "step-f32",
    "step-many-atoms-f64",
    "walk-and-patch",
    "exact-draw",
    "glauber",
    "ising-random-scan",
    "ising-checkerboard",
];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let (kernel, times) = match arguments {
        [] => {
            KERNELS.iter().for_each(|kernel| println!("{kernel}"));
            return Ok(());
        }
        [kernel, times] => (kernel.as_str(), times.parse::<u64>().context(USAGE)?),
        _ => bail!(USAGE),
    };
    // Counts are of one thread.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    match kernel {
        "step-f64" => steps::<f64>(300, 128, 50, times),
        "step-f32" => steps::<f32>(300, 128, 50, times),
        "step-many-atoms-f64" => steps::<f64>(400, 32, 200, times),
        "walk-and-patch" => draws(SamplerKind::PivotApprox, true, times),
        "exact-draw" => draws(SamplerKind::Exact, false, times),
        "glauber" => draws(SamplerKind::Glauber, false, times),
        "ising-random-scan" => {
            let (chain, mut rng) = (ising()?, stream(1, Purpose::Synthetic, 0));
            let mut state = chain.init(&mut rng);
            chain.steps(&mut state, 100_000 * times, &mut rng);
            Ok(())
        }
        "ising-checkerboard" => {
            let (chain, mut rng) = (Checkerboard::new(ising()?)?, stream(1, Purpose::Synthetic, 0));
            let mut state = chain.init(&mut rng);
            chain.steps(&mut state, 20 * times, &mut rng);
            Ok(())
        }
        other => bail!("no kernel `{other}`: they are {}", KERNELS.join(", ")),
    }
}

/// Steps over planted samples of five atoms.
fn steps<T: Scalar>(d: usize, n: usize, r: usize, times: u64) -> Result<()> {
    let mut rng = stream(1, Purpose::Synthetic, 0);
    let atoms =
        Mat::<f64>::from_fn(d, r, |_, _| if uniform(&mut rng) < 0.1 { uniform(&mut rng) } else { 0.0 });
    let mut x = Mat::<T>::zeros(d, n);
    for j in 0..n {
        for _ in 0..5 {
            let (k, code) = (below(&mut rng, r as u64) as usize, T::from_f64(1.0 + uniform(&mut rng)));
            x.col_mut(j).iter_mut().zip(atoms.col(k)).for_each(|(x, &w)| *x += code * T::from_f64(w));
        }
    }
    let settings = FactorSettings { dictionary_sweeps: Some(2), lambda: 0.2, ..FactorSettings::new(r) };
    let mut factorizer = Factorizer::<T>::random(settings, d, 0)?;
    for _ in 0..3 + times {
        factorizer.step(&x)?;
    }
    Ok(())
}

/// 6400 homomorphisms of a walk of ten nodes in a random network, or updates of its Glauber chain.
fn draws(kind: SamplerKind, patches: bool, times: u64) -> Result<()> {
    let (nodes, mut rng) = (2000, stream(2, Purpose::Synthetic, 0));
    let mut draw = || below(&mut rng, nodes) as u32;
    // A ring keeps it in one piece.
    let ring = (0..nodes as u32).map(|u| (u, (u + 1) % nodes as u32, 1.0));
    let others = (0..20_000).map(|_| (draw(), draw(), 1.0));
    let edges: Vec<Edge> = ring.chain(others).filter(|(u, v, _)| u != v).collect();
    let ids = NodeIds::numbered(nodes as usize);
    let network = Arc::new(Network::build(ids, &edges, false, Build::default())?.0);
    let motif = Motif::path(10)?;
    let (patch, sampler) = (
        NetworkPatches::new(&network, 10, Adjacency::BUDGET),
        SamplerBuilder::default().build(kind, &network, &motif, 0)?,
    );
    let mut rng = stream(1, Purpose::Chain, 0);
    let mut state = sampler.init(&mut rng);
    if kind == SamplerKind::Glauber {
        sampler.steps(&mut state, 20_000 * times, &mut rng);
        return Ok(());
    }
    let (mut block, mut bits) = (vec![0; 64 * 10], vec![0u64; 64 * patch.words()]);
    for _ in 0..100 * times {
        sampler.sample(&mut state, &mut rng, &mut block);
        if patches {
            patch.bits_all(&block, &mut bits);
        }
    }
    Ok(())
}

fn ising() -> Result<Ising> {
    Ok(Ising::new(Lattice::new(128, 128, Boundary::Periodic)?, 2.26, 1.0, Field::Uniform(0.0))?)
}
