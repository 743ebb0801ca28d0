//! Theorem 4.1, seen: on a finite chain with known stationary law `π` the expected loss `f(W) = Σ π_i ℓ(X_i, W)` is
//! computed exactly, and the surrogate converges to it.
//!
//! Where the tolerances come from. With `ω_s` the weight of minibatch `s` in the running averages,
//! `f̂_t(W_t) − f(W_t)` is the sum of
//! - what old codes cost, `f̂_t(W_t) − f_t(W_t) ≥ 0`: no randomness to speak of, shown to fall as `t` grows;
//! - what the sample missed, `f_t(W_t) − f(W_t) = Σ_i (π̂_i − π_i) ℓ(X_i, W_t)`: an average of a function of the chain,
//!   of variance `τ · Var_π(ℓ) · Σ ω_s²` by the central limit theorem, `τ` the integrated autocorrelation time, known
//!   exactly for the chains here. Five standard errors are allowed.
//!
//! The stationarity gap of `f` splits in the same way, with gradients for losses.

use crate::common::{Random, combine, distance, frobenius, times};
use ergodict::chain::{Chain, FiniteChain};
use ergodict::factor::diagnostics::stationarity_gap;
use ergodict::factor::{FactorSettings, Factorizer, Schedule};
use ergodict::linalg::Mat;
use ergodict::rng::{Purpose, stream};

const STEPS: usize = 200_000;
/// Where the run is looked at.
const LOOKS: [usize; 5] = [200, 2000, 20_000, 100_000, STEPS];

/// What is seen at one of the looks.
#[derive(Debug)]
struct Look {
    t: usize,
    /// `f̂_t(W_t) − f(W_t)`.
    difference: f64,
    /// `f̂_t(W_t) − f_t(W_t)`: what old codes cost.
    stale: f64,
    /// One standard error of `f_t(W_t) − f(W_t)`.
    error: f64,
    /// `‖W − Π_C(W − ∇f(W))‖`.
    gap: f64,
    /// `‖∇f̂_t − ∇f_t‖`: what old codes do to the gradient.
    stale_gradient: f64,
    /// One standard error of `∇f_t(W_t) − ∇f(W_t)`, in norm.
    gradient_error: f64,
    /// The gap of the surrogate itself, which the update closes at every step.
    surrogate_gap: f64,
    loss: f64,
}

struct Run {
    looks: Vec<Look>,
    /// `‖W_t − W_{t−1}‖/w_t`, all of them.
    speeds: Vec<f64>,
}

/// Gradient of `ℓ(X, ·)` at `W` with the optimal code: `2(WH − X)Hᵀ`.
fn gradient(w: &Mat<f64>, x: &Mat<f64>, h: &Mat<f64>) -> Mat<f64> {
    times(&combine(2.0, &times(w, h), -2.0, x), &h.transposed())
}

/// `spread(Σω²)` is one standard error of an average per unit of the observable's standard deviation.
fn run(rows: &[Vec<f64>], schedule: Schedule, seed: u64, spread: impl Fn(f64, f64) -> f64) -> Run {
    let (d, n, r) = (6, 4, 3);
    let chain = FiniteChain::new(rows).unwrap();
    let pi = chain.stationary();
    let states = pi.len();
    let mut random = Random::new(31);
    // Each state shows its own mixture of three planted atoms and something of its own. The atoms lie apart and λ holds
    // them there: where codes can make up for a change of atoms, old ones fade as slowly as one likes (at λ = 0.1 here,
    // as t^-0.1).
    let planted = Mat::from_fn(d, r, |i, k| if i / 2 == k { 0.5 + random.uniform() } else { 0.0 });
    let data: Vec<Mat<f64>> = (0..states)
        .map(|i| {
            let h = Mat::from_fn(r, n, |k, j| if k == (i + j) % r { 2.0 } else { 0.3 } * random.uniform());
            combine(1.0, &times(&planted, &h), 0.3, &random.uniforms(d, n))
        })
        .collect();
    let mut p = FactorSettings::new(r);
    (p.lambda, p.kappa2, p.schedule) = (1.0, 0.1, schedule);
    (p.tolerance, p.dictionary_tolerance, p.dictionary_sweeps) = (1e-10, 1e-10, Some(500));
    let set = p.dictionary().clone();
    // From somewhere near the planted atoms: from anywhere, a saddle may hold a run for longer than a test can wait.
    let start = combine(1.0, &planted, 0.2, &Random::new(seed).uniforms(d, r));
    let mut model = Factorizer::<f64>::from_dictionary(p, start.as_ref()).unwrap();
    let mut rng = stream(seed, Purpose::Chain, 0);
    let mut state = chain.init(&mut rng);
    let mut shares = vec![0.0; states];
    let mut squares = 0.0;
    let mut out = Run { looks: Vec::new(), speeds: Vec::new() };
    for t in 1..=STEPS {
        let seen = model.step(&data[state]).unwrap();
        shares.iter_mut().for_each(|s| *s *= 1.0 - seen.weight);
        shares[state] += seen.weight;
        squares = squares * (1.0 - seen.weight).powi(2) + seen.weight.powi(2);
        out.speeds.push(seen.change / seen.weight);
        chain.step(&mut state, &mut rng);
        if !LOOKS.contains(&t) {
            continue;
        }
        let w = model.dictionary().clone();
        let losses: Vec<f64> = data.iter().map(|x| model.loss(x).unwrap()).collect();
        let gradients: Vec<Mat<f64>> = data
            .iter()
            .map(|x| {
                model.transform(x).unwrap();
                gradient(&w, x, model.code())
            })
            .collect();
        let mean = |law: &[f64]| -> f64 { law.iter().zip(&losses).map(|(p, l)| p * l).sum() };
        let mean_gradient = |law: &[f64]| {
            law.iter().zip(&gradients).fold(Mat::zeros(d, r), |sum, (p, g)| combine(1.0, &sum, *p, g))
        };
        let (f, f_t) = (mean(&pi), mean(&shares));
        let variance: f64 = pi.iter().zip(&losses).map(|(p, l)| p * (l - f).powi(2)).sum();
        let (slope, slope_t) = (mean_gradient(&pi), mean_gradient(&shares));
        let slope_variance: f64 =
            pi.iter().zip(&gradients).map(|(p, g)| p * distance(g, &slope).powi(2)).sum();
        let totals = model.aggregates();
        let surrogate_slope = combine(2.0, &times(&w, &totals.a), -2.0, &totals.b_transposed);
        let mut moved = combine(1.0, &w, -1.0, &slope);
        set.project(&mut moved);
        out.looks.push(Look {
            t,
            difference: model.surrogate() - f,
            stale: model.surrogate() - f_t,
            error: spread(squares, seen.weight) * variance.sqrt(),
            gap: distance(&w, &moved),
            stale_gradient: distance(&surrogate_slope, &slope_t),
            gradient_error: spread(squares, seen.weight) * slope_variance.sqrt(),
            surrogate_gap: stationarity_gap(&model),
            loss: f,
        });
        assert!(frobenius(&w) > 0.5, "a dictionary that has collapsed shows nothing");
    }
    out
}

fn theorem_holds(name: &str, run: &Run) {
    let looks = &run.looks;
    for look in looks {
        let context = format!("{name} at {}: {look:?}", look.t);
        assert!(look.stale >= -1e-9 * look.loss, "f̂ under f_t. {context}");
        assert!(
            (look.difference - look.stale).abs() <= 5.0 * look.error + 1e-9,
            "the sample is off. {context}"
        );
        assert!(look.difference.abs() <= look.stale + 5.0 * look.error + 1e-9, "{context}");
        assert!(look.surrogate_gap <= 1e-5, "the update left a gap. {context}");
        let explained = look.surrogate_gap + look.stale_gradient + 5.0 * look.gradient_error;
        assert!(look.gap <= explained + 1e-9, "the gap is over {explained:e}. {context}");
    }
    // What is allowed goes to zero: as t grows a thousandfold, standard errors fall by √1000 = 32 (balanced) or
    // √(1000^0.8) = 16. Old codes cost the square of how far W has come since, and tilt the gradient by as much as that:
    // they fall like the square of the standard errors, and like them.
    let (first, last) = (&looks[0], &looks[looks.len() - 1]);
    assert!(last.stale <= first.stale / 10.0 + 1e-9, "{name}: {first:?} → {last:?}");
    assert!(last.stale_gradient <= first.stale_gradient / 3.0 + 1e-9, "{name}: {first:?} → {last:?}");
    assert!(last.error <= first.error / 10.0 && last.gradient_error <= first.gradient_error / 10.0, "{name}");
    assert!(last.difference.abs() <= 0.02 * last.loss, "{name}: {last:?}");
    // ‖W_t − W_{t−1}‖/w_t stays bounded.
    let top = |speeds: &[f64]| speeds.iter().copied().fold(0.0, f64::max);
    let (early, late) = (top(&run.speeds[10..200]), top(&run.speeds[STEPS / 2..]));
    assert!(late <= 2.0 * early, "{name}: speed {early} → {late}");
}

fn schedules() -> [Schedule; 2] {
    [Schedule::Balanced, Schedule::Power { beta: 0.8 }]
}

/// The chain of the paper's introduction: it never looks independent at any distance.
#[test]
fn alternating_chain() {
    let rows = [vec![0.0, 1.0], vec![1.0, 0.0]];
    for schedule in schedules() {
        // Neighbors cancel: the average is off by at most one weight times the difference of two states, which is two
        // standard deviations.
        let run = run(&rows, schedule.clone(), 1, |_, weight| 2.0 * weight);
        theorem_holds(&format!("alternating, {schedule}"), &run);
    }
}

/// Stays where it is but for one step in twenty-five: every observable has autocorrelations `(1−ε)^k`, so the
/// integrated autocorrelation time is `(2−ε)/ε = 50` exactly.
#[test]
fn sticky_chain() {
    let leave = 2.0 / 51.0;
    let pi = [0.1, 0.2, 0.3, 0.4];
    let rows: Vec<Vec<f64>> =
        (0..4).map(|i| (0..4).map(|j| leave * pi[j] + (1.0 - leave) * f64::from(i == j)).collect()).collect();
    for (schedule, seed) in schedules().into_iter().zip(1..) {
        let run = run(&rows, schedule.clone(), seed, |squares, _| (50.0 * squares).sqrt());
        theorem_holds(&format!("sticky, {schedule}, seed {seed}"), &run);
    }
}

#[test]
fn independent_draws() {
    let pi = vec![0.1, 0.2, 0.3, 0.4];
    let rows = vec![pi; 4];
    for (schedule, seed) in schedules().into_iter().zip(1..) {
        let run = run(&rows, schedule.clone(), seed, |squares, _| squares.sqrt());
        theorem_holds(&format!("independent, {schedule}, seed {seed}"), &run);
    }
}
