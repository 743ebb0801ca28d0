//! Steps allocate nothing once the buffers have their sizes.

use crate::common::Random;
use crate::counting::{allocations, trap};
use ergodict::factor::{FactorSettings, Factorizer};
use ergodict::linalg::{Mat, Scalar};

fn steps_allocate_nothing<T: Scalar>(d: usize, n: usize, r: usize, lambda: f64) {
    let mut random = Random::new(1);
    let planted = random.uniforms(d, r);
    let batches: Vec<Mat<T>> = (0..4).map(|_| random.planted(&planted, n, 0.2).cast()).collect();
    let mut p = FactorSettings::new(r);
    p.lambda = lambda;
    let mut model = Factorizer::<T>::random(p, d, 0).unwrap();
    let mut batches = batches.iter().cycle();
    for x in batches.by_ref().take(3) {
        model.step(x).unwrap();
    }
    let mut counts = Vec::with_capacity(20);
    for x in batches.take(20) {
        // Shows where the first allocation comes from.
        let trapped = std::env::var_os("ERGODICT_TRAP").is_some();
        let before = allocations();
        trap(trapped);
        model.step(x).unwrap();
        trap(false);
        counts.push(allocations() - before);
    }
    assert!(counts.iter().all(|c| *c == 0), "{d}×{n}, {r} atoms, {}: {counts:?}", T::NAME);
}

/// On one thread, the one that counts.
#[test]
fn steps_in_steady_state_allocate_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        // Case b of the benchmarks, and case a at a quarter of its width.
        for lambda in [1.0, 0.1] {
            steps_allocate_nothing::<f64>(441, 100, 25, lambda);
            steps_allocate_nothing::<f32>(441, 100, 25, lambda);
        }
        steps_allocate_nothing::<f64>(400, 250, 100, 1.0);
        steps_allocate_nothing::<f32>(400, 250, 100, 1.0);
    });
}
