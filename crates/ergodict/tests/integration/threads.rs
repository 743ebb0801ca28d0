//! The number of threads changes no bit.

use crate::common::Random;
use ergodict::factor::code::CodeSet;
use ergodict::factor::{FactorSettings, Factorizer, Mask, Minibatch, StepReport};
use ergodict::linalg::{Mat, Scalar};

type Learned<T> = (Mat<T>, Mat<f64>, Mat<f64>, Vec<StepReport>);

fn run<T: Scalar>(
    p: &FactorSettings,
    shape: (usize, usize, usize),
    masked: bool,
    threads: usize,
) -> Learned<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        assert_eq!(rayon::current_num_threads(), threads);
        run_here(p, shape, masked)
    })
}

fn run_here<T: Scalar>(p: &FactorSettings, (d, n, steps): (usize, usize, usize), masked: bool) -> Learned<T> {
    let mut random = Random::new(4);
    let planted = random.uniforms(d, p.atoms);
    let mut model = Factorizer::<T>::random(p.clone(), d, 0).unwrap();
    let mut seen = Vec::new();
    for _ in 0..steps {
        let x: Mat<T> = random.planted(&planted, n, 0.2).cast();
        let mask = Mask::from_fn(d, n, |_, _| random.chance(0.8));
        let minibatch =
            if masked { Minibatch::Masked { values: x.as_ref(), observed: &mask } } else { (&x).into() };
        seen.push(model.step(minibatch).unwrap());
    }
    let totals = model.aggregates();
    (model.dictionary().clone(), totals.a.clone(), totals.b_transposed.clone(), seen)
}

fn threads_change_nothing<T: Scalar>() {
    let sets =
        [CodeSet::Nonnegative, CodeSet::Free, CodeSet::Box { upper: 1.0 }, CodeSet::Simplex { bound: 2.0 }];
    for code in sets {
        for (lambda, masked) in [(0.2, false), (0.0, false), (0.2, true)] {
            let mut p = FactorSettings::new(8);
            (p.lambda, p.code) = (lambda, Some(code));
            let one = run::<T>(&p, (30, 300, 5), masked, 1);
            for threads in [2, 3] {
                let more = run::<T>(&p, (30, 300, 5), masked, threads);
                assert!(one == more, "{threads} threads, {code}, λ = {lambda}, {}", T::NAME);
            }
        }
    }
}

/// Sums of a size that threads share within a step.
#[test]
fn nor_where_threads_share_products() {
    fn check<T: Scalar>() {
        let mut p = FactorSettings::new(150);
        (p.lambda, p.dictionary_sweeps) = (5.0, Some(2));
        let of = |threads| run::<T>(&p, (2000, 150, 2), false, threads);
        assert!(of(1) == of(3), "{}", T::NAME);
        // A thread outside of every pool hands such steps to the pool of the process.
        assert!(rayon::current_thread_index().is_none());
        assert!(of(1) == run_here::<T>(&p, (2000, 150, 2), false), "outside, {}", T::NAME);
    }
    check::<f64>();
    check::<f32>();
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    threads_change_nothing::<f64>();
    threads_change_nothing::<f32>();
}
