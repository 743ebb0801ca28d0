//! Steps allocate nothing once the buffers have their sizes.

mod common;

use common::Random;
use ergodict::factor::{Factoriser, Parameters};
use ergodict::linalg::{Mat, Scalar};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
/// Set to see where allocations come from: the first one then panics with its place.
static TRAP: AtomicBool = AtomicBool::new(false);

// SAFETY: all calls go to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        if TRAP.swap(false, Ordering::Relaxed) {
            eprintln!("{} bytes at\n{}", layout.size(), std::backtrace::Backtrace::force_capture());
        }
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn steps_allocate_nothing<T: Scalar>(d: usize, n: usize, r: usize, lambda: f64) {
    let mut random = Random::new(1);
    let planted = random.uniforms(d, r);
    let batches: Vec<Mat<T>> = (0..23).map(|_| random.planted(&planted, n, 0.2).cast()).collect();
    let mut p = Parameters::new(r);
    p.lambda = lambda;
    let mut model = Factoriser::<T>::random(p, d, 0).unwrap();
    for x in &batches[..3] {
        model.step(x).unwrap();
    }
    let mut counts = Vec::with_capacity(20);
    for x in &batches[3..] {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        TRAP.store(std::env::var_os("ERGODICT_TRAP").is_some(), Ordering::Relaxed);
        let before = before + usize::from(ALLOCATIONS.load(Ordering::Relaxed) > before);
        model.step(x).unwrap();
        TRAP.store(false, Ordering::Relaxed);
        counts.push(ALLOCATIONS.load(Ordering::Relaxed) - before);
    }
    assert!(counts.iter().all(|c| *c == 0), "{d}×{n}, {r} atoms, {}: {counts:?}", T::NAME);
}

/// The only test of this file: another thread would be counted too.
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
