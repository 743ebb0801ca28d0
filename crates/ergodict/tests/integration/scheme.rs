//! The online scheme: aggregates, surrogate, weights, merging, resuming, errors, masks.

use crate::common::{Random, distance, eigen, frobenius, inner, times, total_objective};
use ergodict::factor::code::{CodeSet, Penalty};
use ergodict::factor::diagnostics::Window;
use ergodict::factor::{
    Aggregates, ColumnSet, ConvexSet, DictionarySet, FactorSettings, Factorizer, Mask, Minibatch, Normalize,
    Schedule, SparseRef, Statistics,
};
use ergodict::linalg::{Mat, Scalar};
use ergodict::{Error, Result};
use proptest::prelude::*;

fn schedules() -> Vec<Schedule> {
    vec![
        Schedule::Balanced,
        Schedule::Linear,
        Schedule::Power { beta: 0.8 },
        Schedule::Constant { floor: 0.2 },
        Schedule::List { weights: vec![0.7, 0.5, 0.1, 1.0, 0.3] },
    ]
}

fn code_sets() -> [CodeSet; 4] {
    [CodeSet::Nonnegative, CodeSet::Free, CodeSet::Box { upper: 0.8 }, CodeSet::Simplex { bound: 1.5 }]
}

/// What the test keeps of a run: every minibatch with its code and its weight in the running average.
struct Kept {
    parts: Vec<(f64, Mat<f64>, Mat<f64>)>,
}

impl Kept {
    fn push<T: Scalar>(&mut self, weight: f64, scale: f64, x: &Mat<T>, h: &Mat<T>) {
        self.parts.iter_mut().for_each(|p| p.0 *= 1.0 - weight);
        self.parts.push((weight * scale, x.cast(), h.cast()));
    }
}

/// Runs a stream of unequal widths and checks after each step all that must hold.
fn invariants_hold<T: Scalar>(p: &FactorSettings, seed: u64, tolerance: f64) {
    let (d, r) = (9, p.atoms);
    let mut random = Random::new(seed);
    let planted = random.uniforms(d, r);
    let mut model = Factorizer::<T>::random(p.clone(), d, seed).unwrap();
    let mut kept = Kept { parts: Vec::new() };
    let mut window = Window::new(100);
    let mut samples = 0;
    for t in 1..=10u64 {
        let n = 1 + random.below(if t == 4 { 300 } else { 30 });
        let x: Mat<T> = random.planted(&planted, n, 0.3).cast();
        let before: Mat<f64> = model.dictionary().cast();
        let seen = model.step(&x).unwrap();
        samples += n as u64;
        let weight = if t == 1 { 1.0 } else { p.schedule.weight(t) };
        let scale = if p.normalize == Normalize::PerColumn { 1.0 / n as f64 } else { 1.0 };
        let context = format!("step {t}, {}, {}, {}", p.schedule, p.code(), T::NAME);
        assert_eq!((seen.t, seen.samples, seen.weight), (t, n, weight), "{context}");
        assert_eq!((model.aggregates().t, model.aggregates().samples), (t, samples), "{context}");

        let h: Mat<f64> = model.code().cast();
        let loss = total_objective(&before, &x.cast(), &h, penalty(p)) / n as f64;
        let error = total_objective(&before, &x.cast(), &h, Penalty::default()) / n as f64;
        assert!((seen.squared_error - error).abs() <= tolerance * loss, "{context}");
        assert!(
            (seen.loss_before - loss).abs() <= tolerance * loss,
            "{context}: {} ≠ {loss}",
            seen.loss_before
        );
        let used = h.padded().iter().filter(|h| **h != 0.0).count();
        assert!((seen.density - used as f64 / (n * r) as f64).abs() < 1e-12, "{context}");

        kept.push(weight, scale, &x, model.code());
        let w: Mat<f64> = model.dictionary().cast();
        assert!((seen.change - distance(&w, &before)).abs() <= 1e-6 * (1.0 + seen.change), "{context}");
        let summed: f64 = kept.parts.iter().map(|(c, x, h)| c * total_objective(&w, x, h, penalty(p))).sum();
        let Aggregates { a, b_transposed, r: rest, .. } = &model.aggregates().clone();
        let surrogate = inner(&times(&w, a), &w) - 2.0 * inner(b_transposed, &w) + rest;
        for (name, value) in [
            ("report", seen.surrogate * model.aggregates().width),
            ("method", model.surrogate()),
            ("formula", surrogate),
        ] {
            assert!((value - summed).abs() <= tolerance * rest, "{context}, {name}: {value} ≠ {summed}");
        }

        for k in 0..r {
            for l in 0..k {
                assert_eq!(a.get(k, l), a.get(l, k), "{context}: A is not symmetric");
            }
        }
        let trace: f64 = (0..r).map(|k| a.get(k, k)).sum();
        let least = eigen(a).0.into_iter().fold(f64::INFINITY, f64::min);
        assert!(least >= -tolerance * trace, "{context}: A has eigenvalue {least:e}");

        // f̂_t ≥ f_t, and the window is the same f_t while it holds everything.
        let mut empirical = 0.0;
        for (c, x, _) in &kept.parts {
            empirical += c * model.loss(&x.cast::<T>()).unwrap();
        }
        assert!(empirical <= summed + tolerance * rest, "{context}: f_t {empirical} > f̂_t {summed}");
        if p.normalize == Normalize::Sum {
            window.push(x.as_ref(), weight);
            let window = window.empirical_loss(&mut model).unwrap();
            assert!(
                (window - empirical).abs() <= 1e-9 * empirical,
                "{context}: window {window} ≠ {empirical}"
            );
        }
    }
}

#[test]
fn the_surrogate_is_the_summed_loss_and_majorizes() {
    for (i, schedule) in schedules().into_iter().enumerate() {
        for (j, code) in code_sets().into_iter().enumerate() {
            for normalize in [Normalize::Sum, Normalize::PerColumn] {
                let mut p = FactorSettings::new(5);
                (p.lambda, p.kappa1, p.kappa2) = (0.2, 0.1 * (i % 2) as f64, 0.3 * (j % 2) as f64);
                (p.schedule, p.code, p.normalize) = (schedule.clone(), Some(code), normalize);
                p.tolerance = 1e-10;
                let seed = (10 * i + j) as u64;
                invariants_hold::<f64>(&p, seed, 1e-9);
                invariants_hold::<f32>(&p, seed, 2e-4);
            }
        }
    }
}

/// Identity atoms and λ = 2: the code of a column is `x − 1`, so integer data have integer sums, exact in any order.
fn integer_model<T: Scalar>(d: usize, normalize: Normalize) -> Factorizer<T> {
    let mut p = FactorSettings::new(d);
    p.lambda = 2.0;
    p.normalize = normalize;
    let identity = Mat::from_fn(d, d, |i, j| T::from_f64(f64::from(i == j)));
    Factorizer::from_dictionary(p, identity.as_ref()).unwrap()
}

fn concatenated<T: Scalar>(parts: &[Mat<T>]) -> Mat<T> {
    let places: Vec<(usize, usize)> =
        parts.iter().enumerate().flat_map(|(i, part)| (0..part.cols()).map(move |j| (i, j))).collect();
    Mat::from_fn(parts[0].rows(), places.len(), |row, j| parts[places[j].0].get(row, places[j].1))
}

fn merged(parts: &[&Statistics]) -> Statistics {
    let mut total = Statistics::zero(parts[0].b_transposed.rows(), parts[0].a.cols());
    parts.iter().for_each(|part| total.merge(part).unwrap());
    total
}

fn merging_is_exact<T: Scalar>(seed: u64, widths: &[usize], normalize: Normalize) {
    let d = 6;
    let mut random = Random::new(seed);
    let parts: Vec<Mat<T>> =
        widths.iter().map(|&n| Mat::from_fn(d, n, |_, _| T::from_f64(random.below(9) as f64))).collect();
    let mut whole = integer_model::<T>(d, normalize);
    let mut merging = integer_model::<T>(d, normalize);
    for _ in 0..2 {
        let statistics: Vec<Statistics> = parts.iter().map(|x| merging.statistics(x).unwrap()).collect();
        // Commutative and associative, zero is neutral: exactly, on these data.
        let all: Vec<&Statistics> = statistics.iter().collect();
        let total = merged(&all);
        let backwards: Vec<&Statistics> = statistics.iter().rev().collect();
        assert_eq!(total, merged(&backwards));
        let (left, right) = all.split_at(all.len() / 2);
        if !left.is_empty() {
            assert_eq!(total, merged(&[&merged(left), &merged(right)]));
            assert_eq!(merged(&[&merged(left), &merged(right)]), merged(&[&merged(right), &merged(left)]));
        }
        assert_eq!(total, merged(&[&Statistics::zero(d, d), &total]));
        assert_eq!(total, merged(&[&total, &Statistics::zero(d, d)]));
        assert_eq!(total, whole.statistics(&concatenated(&parts)).unwrap());

        let a = whole.step(&concatenated(&parts)).unwrap();
        let b = merging.absorb(&total).unwrap();
        assert_eq!((a.t, a.samples, a.weight), (b.t, b.samples, b.weight));
        assert!((a.loss_before - b.loss_before).abs() <= 1e-6 * a.loss_before.abs());
        assert_eq!(whole.aggregates(), merging.aggregates());
        assert_eq!(whole.dictionary(), merging.dictionary());
        // The second round would not be on integers: start again from the same state.
        let state = integer_model::<T>(d, normalize);
        whole = Factorizer::resume(
            state.parameters().clone(),
            state.dictionary().clone(),
            whole.aggregates().clone(),
        )
        .unwrap();
        merging = Factorizer::resume(
            state.parameters().clone(),
            state.dictionary().clone(),
            whole.aggregates().clone(),
        )
        .unwrap();
    }
}

proptest! {
    #![proptest_config(crate::common::cases(40))]

    #[test]
    fn merging_integer_statistics_is_exact(
        seed in any::<u64>(),
        widths in prop::collection::vec(1usize..90, 1..6),
        per_column in any::<bool>(),
    ) {
        let normalize = if per_column { Normalize::PerColumn } else { Normalize::Sum };
        merging_is_exact::<f64>(seed, &widths, normalize);
        merging_is_exact::<f32>(seed, &widths, normalize);
    }

    #[test]
    fn merging_any_statistics_is_exact_to_rounding(
        seed in any::<u64>(),
        widths in prop::collection::vec(1usize..90, 2..6),
        code in 0usize..4,
    ) {
        let mut random = Random::new(seed);
        let planted = random.uniforms(7, 4);
        let mut p = FactorSettings::new(4);
        (p.lambda, p.code) = (0.3, Some(code_sets()[code]));
        let mut one = Factorizer::<f64>::random(p.clone(), 7, seed).unwrap();
        let mut other = Factorizer::<f64>::random(p, 7, seed).unwrap();
        for _ in 0..3 {
            let parts: Vec<Mat<f64>> = widths.iter().map(|&n| random.planted(&planted, n, 0.2)).collect();
            let statistics: Vec<Statistics> = parts.iter().map(|x| other.statistics(x).unwrap()).collect();
            let total = merged(&statistics.iter().collect::<Vec<_>>());
            let (mut ab, mut ba) = (statistics[0].clone(), statistics[1].clone());
            ab.merge(&statistics[1]).unwrap();
            ba.merge(&statistics[0]).unwrap();
            prop_assert_eq!(ab, ba, "merging does not commute");
            let x = concatenated(&parts);
            let a = one.step(&x).unwrap();
            let b = other.absorb(&total).unwrap();
            let scale = 1e-12 * one.aggregates().r;
            prop_assert!((a.surrogate - b.surrogate).abs() <= scale);
            prop_assert!((a.loss_before - b.loss_before).abs() <= scale);
            prop_assert!(b.squared_error.is_nan(), "statistics do not know it");
            prop_assert!(distance(&one.aggregates().a, &other.aggregates().a) <= scale);
            prop_assert!(distance(&one.aggregates().b_transposed, &other.aggregates().b_transposed) <= scale);
            prop_assert!(distance(one.dictionary(), other.dictionary()) <= 1e-9);
            // Roundings must not pile up over the steps: go on from one and the same state.
            other = Factorizer::resume(
                one.parameters().clone(),
                one.dictionary().clone(),
                one.aggregates().clone(),
            ).unwrap();
        }
    }
}

#[test]
fn per_column_normalization_forgets_widths() {
    // The same minibatch repeated side by side is the same minibatch under per-column normalization.
    let mut random = Random::new(3);
    let planted = random.uniforms(8, 3);
    let mut p = FactorSettings::new(3);
    (p.lambda, p.normalize) = (0.2, Normalize::PerColumn);
    let mut narrow = Factorizer::<f64>::random(p.clone(), 8, 1).unwrap();
    let mut wide = Factorizer::<f64>::random(p, 8, 1).unwrap();
    for t in 1..=8 {
        let x = random.planted(&planted, 5, 0.2);
        let copies: Vec<Mat<f64>> = (0..=t % 4).map(|_| x.clone()).collect();
        let a = narrow.step(&x).unwrap();
        let b = wide.step(&concatenated(&copies)).unwrap();
        assert!((a.surrogate - b.surrogate).abs() <= 1e-9 * a.surrogate);
        assert!((a.loss_before - b.loss_before).abs() <= 1e-9 * a.loss_before);
        assert!(distance(narrow.dictionary(), wide.dictionary()) <= 1e-7);
    }
}

#[test]
fn single_precision_agrees() {
    for code in code_sets() {
        let mut random = Random::new(6);
        let planted = random.uniforms(20, 6);
        let mut p = FactorSettings::new(6);
        (p.lambda, p.code) = (0.2, Some(code));
        let mut double = Factorizer::<f64>::random(p.clone(), 20, 2).unwrap();
        let mut single = Factorizer::<f32>::random(p, 20, 2).unwrap();
        for t in 1..=20 {
            let x = random.planted(&planted, 40, 0.2);
            let (a, b) = (double.step(&x).unwrap(), single.step(&x.cast::<f32>()).unwrap());
            assert!((a.surrogate - b.surrogate).abs() <= 1e-3 * a.surrogate, "step {t}, {code}");
            assert!((a.loss_before - b.loss_before).abs() <= 1e-3 * a.loss_before, "step {t}, {code}");
        }
    }
}

fn resumes_bit_for_bit<T: Scalar>(p: &FactorSettings) {
    let mut random = Random::new(9);
    let planted = random.uniforms(10, p.atoms);
    let data: Vec<Mat<T>> = (0..12).map(|i| random.planted(&planted, 10 + 7 * (i % 3), 0.2).cast()).collect();
    let mut straight = Factorizer::<T>::random(p.clone(), 10, 4).unwrap();
    let mut stopped = Factorizer::<T>::random(p.clone(), 10, 4).unwrap();
    for (t, x) in data.iter().enumerate() {
        let a = straight.step(x).unwrap();
        let b = stopped.step(x).unwrap();
        assert_eq!(a, b, "step {t} of {p:?}");
        assert_eq!(straight.dictionary(), stopped.dictionary(), "step {t} of {p:?}");
        assert_eq!(straight.aggregates(), stopped.aggregates());
        assert_eq!(straight.piece(), stopped.piece());
        if t % 3 == 1 {
            let (w, aggregates) = (stopped.dictionary().clone(), stopped.aggregates().clone());
            stopped = Factorizer::resume(stopped.parameters().clone(), w, aggregates).unwrap();
        }
    }
}

#[test]
fn resuming_changes_no_bit() {
    let near =
        |at: f64| ConvexSet::Near { center: Mat::from_fn(10, 4, |_, _| at), radius: 1.0, nonnegative: true };
    for schedule in schedules() {
        for code in code_sets() {
            let mut p = FactorSettings::new(4);
            (p.lambda, p.schedule, p.code) = (0.1, schedule.clone(), Some(code));
            resumes_bit_for_bit::<f64>(&p);
            resumes_bit_for_bit::<f32>(&p);
        }
    }
    let mut p = FactorSettings::new(4);
    p.dictionary = Some(DictionarySet::Union(vec![near(0.2), near(0.8)]));
    resumes_bit_for_bit::<f64>(&p);
    resumes_bit_for_bit::<f32>(&p);
    p.dictionary = Some(ColumnSet::Simplex { sum: 1.0 }.into());
    (p.kappa1, p.normalize) = (0.1, Normalize::PerColumn);
    resumes_bit_for_bit::<f64>(&p);
}

#[test]
fn parts_of_states_that_do_not_fit_are_refused() {
    let p = FactorSettings::new(2);
    let state = |d: usize, r: usize| {
        Factorizer::<f64>::random(FactorSettings::new(r), d, 0).unwrap().aggregates().clone()
    };
    assert!(Factorizer::<f64>::resume(p.clone(), Mat::zeros(3, 2), state(3, 2)).is_ok());
    assert!(Factorizer::<f64>::resume(p.clone(), Mat::zeros(3, 2), state(4, 2)).is_err());
    assert!(Factorizer::<f64>::resume(p.clone(), Mat::zeros(3, 3), state(3, 3)).is_err());
    let mut model = Factorizer::<f64>::random(p, 3, 0).unwrap();
    assert!(model.absorb(&Statistics::zero(3, 3)).is_err());
    assert!(model.step(&Mat::zeros(4, 2)).is_err());
}

#[test]
fn given_weights_are_used_and_checked() {
    let mut random = Random::new(1);
    let planted = random.uniforms(6, 3);
    let mut p = FactorSettings::new(3);
    p.lambda = 0.1;
    let weights = [0.4, 0.9, 0.2, 1.0, 0.05];
    let mut by_hand = Factorizer::<f64>::random(p.clone(), 6, 0).unwrap();
    p.schedule = Schedule::List { weights: weights.to_vec() };
    let mut scheduled = Factorizer::<f64>::random(p, 6, 0).unwrap();
    for (t, w) in weights.into_iter().enumerate() {
        let x = random.planted(&planted, 9, 0.1);
        if t > 0 {
            for bad in [0.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
                assert!(matches!(by_hand.step_weighted(&x, bad), Err(Error::Parameter { .. })), "{bad}");
            }
        }
        let (a, b) = (by_hand.step_weighted(&x, w).unwrap(), scheduled.step(&x).unwrap());
        assert_eq!(a, b);
        assert_eq!(a.weight, if t == 0 { 1.0 } else { w });
        assert_eq!(by_hand.dictionary(), scheduled.dictionary());
        if w == 1.0 {
            // All else is forgotten.
            let h: Mat<f64> = by_hand.code().clone();
            let alone = times(&h, &h.transposed());
            assert!(distance(&by_hand.aggregates().a, &alone) <= 1e-12 * frobenius(&alone));
        }
    }
}

fn errors_leave_no_trace<T: Scalar>() {
    let mut random = Random::new(2);
    let planted = random.uniforms(7, 3);
    let mut p = FactorSettings::new(3);
    p.lambda = 0.1;
    let mut clean = Factorizer::<T>::random(p.clone(), 7, 0).unwrap();
    let mut hurt = Factorizer::<T>::random(p, 7, 0).unwrap();
    // Squares of any f32 fit the sums, which are f64; of f32 only what is not finite is wrong.
    let double = T::EPSILON < 1e-10;
    let huge = T::from_f64(if double { 1e200 } else { f64::NEG_INFINITY });
    for t in 0..6 {
        let x: Mat<T> = random.planted(&planted, 80, 0.1).cast();
        for (row, column, value) in
            [(3, 70, T::from_f64(f64::NAN)), (6, 0, T::from_f64(f64::INFINITY)), (0, 79, huge)]
        {
            let mut bad = x.clone();
            bad.col_mut(column)[row] = value;
            let (w, aggregates) = (hurt.dictionary().clone(), hurt.aggregates().clone());
            let error = hurt.step(&bad).unwrap_err();
            match error {
                Error::NotFinite { sample, feature, .. } => {
                    assert!(!value.is_finite());
                    assert_eq!((sample, feature), (column as u64, row as u64));
                }
                Error::Overflow { largest, .. } => {
                    assert!(value.is_finite() && largest.is_finite() && largest > 1e29, "{error}");
                }
                _ => panic!("{error}"),
            }
            assert!(
                hurt.statistics(&bad).is_err() && hurt.loss(&bad).is_err() && hurt.transform(&bad).is_err()
            );
            assert!(hurt.step(&Mat::<T>::zeros(8, 2)).is_err());
            assert_eq!((&w, &aggregates), (hurt.dictionary(), hurt.aggregates()));
        }
        // Columns that are fine one by one, but not their sum.
        if double {
            let large = T::from_f64(1e153);
            let (w, aggregates) = (hurt.dictionary().clone(), hurt.aggregates().clone());
            let error = hurt.step(&Mat::from_fn(7, 80, |_, _| large)).unwrap_err();
            assert!(matches!(error, Error::Overflow { .. }), "{error}");
            assert_eq!((&w, &aggregates), (hurt.dictionary(), hurt.aggregates()));
        }
        assert_eq!(clean.step(&x).unwrap(), hurt.step(&x).unwrap(), "step {t}");
        assert_eq!(clean.dictionary(), hurt.dictionary());
        assert_eq!(clean.aggregates(), hurt.aggregates());
    }
}

#[test]
fn failed_steps_are_as_if_they_never_happened() {
    errors_leave_no_trace::<f64>();
    errors_leave_no_trace::<f32>();
}

#[test]
fn evaluating_changes_nothing() {
    let mut random = Random::new(12);
    let planted = random.uniforms(7, 3);
    let mut p = FactorSettings::new(3);
    p.lambda = 0.1;
    let mut clean = Factorizer::<f64>::random(p.clone(), 7, 0).unwrap();
    let mut watched = Factorizer::<f64>::random(p, 7, 0).unwrap();
    for _ in 0..4 {
        let x = random.planted(&planted, 30, 0.1);
        watched.loss(&random.planted(&planted, 5, 0.1)).unwrap();
        watched.transform(&random.planted(&planted, 50, 0.1)).unwrap();
        watched.statistics(&random.planted(&planted, 1, 0.1)).unwrap();
        assert_eq!(clean.step(&x).unwrap(), watched.step(&x).unwrap());
        assert_eq!(clean.dictionary(), watched.dictionary());
    }
}

/// Sparse columns, dense ones and a full mask drive the same run.
#[test]
fn sparse_and_fully_observed_steps_are_dense_steps() {
    let mut random = Random::new(13);
    let planted = random.uniforms(30, 5);
    let mut p = FactorSettings::new(5);
    p.lambda = 0.3;
    let mut models: Vec<Factorizer<f64>> =
        (0..3).map(|_| Factorizer::random(p.clone(), 30, 0).unwrap()).collect();
    for t in 1..=6 {
        let mut x = random.planted(&planted, 70, 0.1);
        (0..70).for_each(|j| x.col_mut(j).iter_mut().for_each(|x| *x *= f64::from(random.chance(0.4))));
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for j in 0..70 {
            for (i, &x) in x.col(j).iter().enumerate().filter(|(_, x)| **x != 0.0) {
                indices.push(i as u32);
                values.push(x);
            }
            starts.push(indices.len());
        }
        let full = Mask::from_fn(30, 70, |_, _| true);
        let a = models[0].step(&x).unwrap();
        let b = models[1].step(SparseRef::new(30, &starts, &indices, &values).unwrap()).unwrap();
        let c = models[2].step(Minibatch::Masked { values: x.as_ref(), observed: &full }).unwrap();
        for (name, seen, model) in [("sparse", b, &models[1]), ("masked", c, &models[2])] {
            assert!((a.surrogate - seen.surrogate).abs() <= 1e-8 * a.surrogate, "{name}, step {t}");
            assert!((a.loss_before - seen.loss_before).abs() <= 1e-8 * a.loss_before, "{name}, step {t}");
            assert!(distance(models[0].dictionary(), model.dictionary()) <= 1e-6, "{name}, step {t}");
        }
    }
}

fn penalty(p: &FactorSettings) -> Penalty {
    Penalty { lambda: p.lambda, kappa2: p.kappa2 }
}

/// `Σ over observed (x − Wh)² + λ‖h‖₁ + (κ₂/2)‖h‖²` with the codes given.
fn observed_loss(w: &Mat<f64>, x: &Mat<f64>, mask: &Mask, h: &Mat<f64>, p: &FactorSettings) -> f64 {
    let filled = times(w, h);
    let x =
        Mat::from_fn(x.rows(), x.cols(), |i, j| if mask.get(i, j) { x.get(i, j) } else { filled.get(i, j) });
    total_objective(w, &x, h, penalty(p))
}

#[test]
fn masked_steps_majorize_the_observed_loss_and_learn() -> Result<()> {
    for (code, kappa2) in code_sets().into_iter().zip([0.0, 0.1, 0.0, 0.2]) {
        let mut random = Random::new(21);
        let planted = {
            let mut w = random.uniforms(20, 3);
            (0..3).for_each(|k| {
                w.col_mut(k).iter_mut().enumerate().for_each(|(i, x)| {
                    *x *= f64::from((i + 7 * k) % 20 < 9);
                });
            });
            w
        };
        let mut p = FactorSettings::new(3);
        (p.lambda, p.kappa2, p.code, p.tolerance) = (0.01, kappa2, Some(code), 1e-10);
        let mut model = Factorizer::<f64>::random(p.clone(), 20, 5)?;
        let mut kept: Vec<(f64, Mat<f64>, Mask)> = Vec::new();
        // Held-out columns, seen whole: what filling in the missing entries must not spoil.
        let held_out = random.planted(&planted, 100, 0.01);
        let start = model.loss(&held_out)?;
        let mut first = 0.0;
        let mut last = 0.0;
        for t in 1..=60 {
            let mut x = random.planted(&planted, 40, 0.01);
            let mask = Mask::from_fn(20, 40, |_, _| random.chance(0.7));
            (0..40)
                .for_each(|j| (0..20).filter(|&i| !mask.get(i, j)).for_each(|i| x.col_mut(j)[i] = f64::NAN));
            let before = model.dictionary().clone();
            let seen = model.step(Minibatch::Masked { values: x.as_ref(), observed: &mask })?;
            let loss = observed_loss(&before, &x, &mask, model.code(), &p);
            assert!(
                (seen.loss_before - loss / 40.0).abs() <= 1e-9 * loss,
                "step {t}: {} ≠ {loss} / 40",
                seen.loss_before
            );
            kept.iter_mut().for_each(|k| k.0 *= 1.0 - seen.weight);
            kept.push((seen.weight, x, mask));
            if t == 1 {
                first = loss;
            }
            last = loss;
            if t % 10 == 1 {
                let mut empirical = 0.0;
                for (c, x, mask) in &kept {
                    empirical += c * model.loss(Minibatch::Masked { values: x.as_ref(), observed: mask })?;
                }
                let size = model.aggregates().r;
                assert!(
                    empirical <= 40.0 * seen.surrogate + 1e-9 * size,
                    "step {t}: {empirical} > 40 · {}",
                    seen.surrogate
                );
            }
        }
        let end = model.loss(&held_out)?;
        let bounded = matches!(code, CodeSet::Box { .. } | CodeSet::Simplex { .. });
        let share = if bounded { 0.97 } else { 0.2 };
        assert!(last < share * first, "{code}: observed loss {first} → {last}");
        assert!(end < share * start, "{code}: held-out loss {start} → {end}");
    }
    Ok(())
}

#[test]
fn masks_of_another_shape_are_refused() {
    let mut model = Factorizer::<f64>::random(FactorSettings::new(2), 4, 0).unwrap();
    let x = Mat::zeros(4, 3);
    let mask = Mask::from_fn(4, 2, |_, _| true);
    assert!(model.step(Minibatch::Masked { values: x.as_ref(), observed: &mask }).is_err());
}
