//! One run, watched: all that the theorem speaks of, with nothing estimated.

use super::cases::{Case, Weights};
use super::exact::mean_square;
use super::setting::{
    ATOMS, FEATURES, KAPPA1, LAW, Movement, STATES, Size, Square, half, parameters, pictures, shapes,
};
use anyhow::Result;
use ergodict::chain::Chain;
use ergodict::factor::diagnostics::smallest_eigenvalue;
use ergodict::factor::{Factorizer, Schedule};
use ergodict::linalg::Mat;
use ergodict::rng::{Purpose, stream, uniform};
use ergodict::run::{self as learn, Form, RunPlan};

/// Noise on the shapes that runs start from. With 0.5 some runs ended at other critical points.
const NOISE: f64 = 0.2;
/// Streams of chains from here on: the others of this page are those of the bars and of the two pictures.
const CHAINS: u64 = 16;

/// What is seen at one time.
pub(super) struct Look {
    /// `f̂_t(W_t)`.
    pub(super) surrogate: f64,
    /// `f_t(W_t)`.
    pub(super) empirical: f64,
    /// `f(W_t)`.
    pub(super) expected: f64,
    /// Exact standard deviation of `f_t(W) − f(W)` at `W = W_t`, were it fixed.
    pub(super) deviation: f64,
    /// The same for independent pictures and weights 1/t.
    pub(super) reference: f64,
    /// `‖∇f(W_t) − 2(W_t A_t − B_tᵀ)‖`.
    pub(super) gradient: f64,
    /// Exact root mean square of `‖∇f_t(W) − ∇f(W)‖` at `W = W_t`, were it fixed.
    pub(super) gradient_deviation: f64,
    /// `‖W − Π_C(W − ∇(f + κ₁‖·‖²)(W))‖` at `W_t`.
    pub(super) gap: f64,
    /// Largest `‖W_s − W_{s−1}‖/w_s` since the look before.
    pub(super) speed: f64,
}

/// One run.
pub(super) struct Run {
    pub(super) looks: Vec<Look>,
    /// The half that it starts in.
    pub(super) half: usize,
    /// The dictionary at the end, an atom after the other.
    pub(super) atoms: Vec<Vec<f64>>,
    /// `λ_min(A_t)` at the end.
    pub(super) smallest: f64,
}

/// Times to look at, with the exact covariances of the occupation: of the case itself, and of independent pictures with weights 1/t.
pub(super) struct Times {
    pub(super) at: Vec<u64>,
    pub(super) covariances: Vec<(Square, Square)>,
}

/// Runs a case; runs of the same number see the same trajectory of their chain.
pub(super) fn run(case: &Case, size: Size, times: &Times, seed: u64, number: u64) -> Result<Run> {
    let mut rng = stream(seed, Purpose::Init, 1 + number);
    let shapes = shapes();
    let first = Mat::from_fn(FEATURES, ATOMS, |i, k| {
        let random = uniform(&mut rng);
        if case.anywhere { random } else { shapes.get(i, k) + NOISE * random }
    });
    let schedule = match &case.weights {
        Weights::Of(schedule) => schedule.clone(),
        Weights::Summable => Schedule::Balanced,
    };
    let parameters = parameters(schedule);
    let first = Factorizer::<f64>::from_dictionary(parameters.clone(), first.as_ref())?;
    let form = Form::Samples { features: FEATURES, names: None };
    let plan = RunPlan::new("paper convergence", parameters, seed);
    let mut learning = learn::Run::pushed(plan, form, Some(first))?;
    let all = pictures();
    let (chain, law) = (case.movement.chain(size)?, Movement::Independent.chain(size)?);
    let mut rng = stream(seed, Purpose::Chain, CHAINS + number);
    // The first state is drawn from the law, wherever one starts from here.
    let mut state = 0;
    law.step(&mut state, &mut rng);
    let begun = half(state);
    let mut occupation = [0.0; STATES];
    let (mut looks, mut speed) = (Vec::with_capacity(times.at.len()), 0.0f64);
    let mut due = times.at.iter().zip(&times.covariances).peekable();
    for t in 1..=case.minibatches(size) {
        let picture = all.as_ref().columns(state, state + 1);
        let weight = (case.weights == Weights::Summable).then(|| case.weights.at(t));
        let step = learning.push(picture.into(), weight)?;
        for (y, share) in occupation.iter_mut().enumerate() {
            *share += step.weight * (f64::from(u8::from(y == state)) - *share);
        }
        speed = speed.max(step.change / step.weight);
        if let Some((_, covariances)) = due.next_if(|(at, _)| **at == t) {
            looks.push(Look { speed, ..look(learning.coder()?, &all, &occupation, covariances)? });
            speed = 0.0;
        }
        for _ in 0..case.keep {
            chain.step(&mut state, &mut rng);
        }
    }
    let dictionary = learning.coder()?;
    let w = dictionary.dictionary();
    let atoms = (0..ATOMS).map(|k| w.col(k).to_vec()).collect();
    Ok(Run { looks, half: begun, atoms, smallest: smallest_eigenvalue(dictionary) })
}

/// What can be said of a dictionary. By the envelope theorem the gradient of `ℓ(X, ·)` is `2(WH − X)Hᵀ` with the optimal code.
fn look(
    factorizer: &mut Factorizer<f64>,
    all: &Mat<f64>,
    occupation: &[f64; STATES],
    (covariance, reference): &(Square, Square),
) -> Result<Look> {
    factorizer.transform(all.as_ref())?;
    let losses: Vec<f64> = factorizer.losses().collect();
    let mut residual = Mat::zeros(FEATURES, STATES);
    factorizer.reconstruct(&mut residual);
    for y in 0..STATES {
        residual.col_mut(y).iter_mut().zip(all.col(y)).for_each(|(made, seen)| *made -= seen);
    }
    let code = factorizer.code().clone();
    let mean = |law: &[f64; STATES]| law.iter().zip(&losses).map(|(p, loss)| p * loss).sum::<f64>();
    let slope = Mat::from_fn(FEATURES, ATOMS, |i, k| {
        (0..STATES).map(|y| 2.0 * LAW[y] * residual.get(i, y) * code.get(k, y)).sum::<f64>()
    });
    let (w, totals) = (factorizer.dictionary(), factorizer.aggregates());
    let surrogate_slope = |i: usize, k: usize| {
        let product: f64 = (0..ATOMS).map(|j| w.get(i, j) * totals.a.get(j, k)).sum();
        2.0 * (product - totals.b_transposed.get(i, k))
    };
    let mut moved =
        Mat::from_fn(FEATURES, ATOMS, |i, k| (1.0 - 2.0 * KAPPA1) * w.get(i, k) - slope.get(i, k));
    factorizer.parameters().dictionary().project(&mut moved);
    let entries = || (0..ATOMS).flat_map(|k| (0..FEATURES).map(move |i| (i, k)));
    let norm =
        |entry: &dyn Fn(usize, usize) -> f64| entries().map(|(i, k)| entry(i, k).powi(2)).sum::<f64>().sqrt();
    // ⟨∇ℓ(x, W), ∇ℓ(y, W)⟩ = 4⟨residuals⟩⟨codes⟩.
    let gradients =
        |x: usize, y: usize| 4.0 * dot(residual.col(x), residual.col(y)) * dot(code.col(x), code.col(y));
    let of_losses = |x: usize, y: usize| losses[x] * losses[y];
    Ok(Look {
        surrogate: factorizer.surrogate(),
        empirical: mean(occupation),
        expected: mean(&LAW),
        deviation: mean_square(covariance, of_losses).sqrt(),
        reference: mean_square(reference, of_losses).sqrt(),
        gradient: norm(&|i, k| slope.get(i, k) - surrogate_slope(i, k)),
        gradient_deviation: mean_square(covariance, gradients).sqrt(),
        gap: norm(&|i, k| w.get(i, k) - moved.get(i, k)),
        speed: 0.0,
    })
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
