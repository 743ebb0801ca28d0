//! Hazards by name: input that breaks factorizations, and what ours does with it.

use crate::common::{Random, dot, kkt};
use ergodict::Error;
use ergodict::factor::code::{CodeSet, Coder, Penalty};
use ergodict::factor::diagnostics::stationarity_gap;
use ergodict::factor::{
    ColumnSet, DictionarySet, FactorSettings, Factorizer, Mask, Minibatch, Normalize, SparseRef, StepReport,
    UnusedAtoms,
};
use ergodict::linalg::{Mat, Scalar};

fn code_sets() -> [CodeSet; 4] {
    [CodeSet::Nonnegative, CodeSet::Free, CodeSet::Box { upper: 1.0 }, CodeSet::Simplex { bound: 1.0 }]
}

fn dictionary_sets() -> Vec<DictionarySet> {
    DictionarySet::names().into_iter().map(|name| name.parse().unwrap()).collect()
}

/// All combinations of sets with and without penalty, three steps each; everything must stay finite and in its set.
fn survives<T: Scalar>(x: &Mat<T>, atoms: usize) {
    survives_with(x, atoms, false);
}

fn survives_with<T: Scalar>(x: &Mat<T>, atoms: usize, may_cap: bool) {
    for code in code_sets() {
        for set in dictionary_sets() {
            for (lambda, kappa1) in [(0.0, 0.0), (1.0, 0.0), (0.1, 0.1)] {
                for unused in [UnusedAtoms::Keep, UnusedAtoms::Reseed] {
                    let mut p = FactorSettings::new(atoms);
                    (p.lambda, p.kappa1, p.code, p.unused) = (lambda, kappa1, Some(code), unused);
                    p.dictionary = Some(set.clone());
                    let mut model = Factorizer::<T>::random(p, x.rows(), 1).unwrap();
                    for _ in 0..3 {
                        let seen = model.step(x).unwrap();
                        sane(&model, &seen);
                        assert!(may_cap || seen.code.capped == 0, "{:?}\n{seen:?}", model.parameters());
                    }
                }
            }
        }
    }
}

fn sane<T: Scalar>(model: &Factorizer<T>, seen: &StepReport) {
    let context = || format!("{:?}\n{seen:?}", model.parameters());
    for value in [seen.loss_before, seen.surrogate, seen.change, seen.code.kkt, seen.update.last_change] {
        assert!(value.is_finite(), "{}", context());
    }
    let w: Mat<f64> = model.dictionary().cast();
    assert!(w.padded().iter().all(|x| x.is_finite()), "{}", context());
    assert!(model.code().padded().iter().all(|h| h.is_finite()), "{}", context());
    let totals = model.aggregates();
    assert!(
        totals.a.padded().iter().chain(totals.b_transposed.padded()).all(|x| x.is_finite()),
        "{}",
        context()
    );
    assert!(totals.r.is_finite(), "{}", context());
    let outside = model.parameters().dictionary().nearest(&w).1;
    assert!(
        outside <= 64.0 * T::EPSILON * (1.0 + crate::common::frobenius(&w)),
        "{outside:e} outside, {}",
        context()
    );
    // A loss is never negative, but for the rounding of what it is the difference of.
    assert!(seen.loss_before >= -64.0 * T::EPSILON * totals.r, "{}", context());
}

fn random<T: Scalar>(rows: usize, cols: usize, seed: u64) -> Mat<T> {
    Random::new(seed).uniforms(rows, cols).cast()
}

#[test]
fn zero_columns() {
    let mut x = random::<f64>(6, 70, 1);
    for j in (0..70).step_by(3) {
        x.col_mut(j).fill(0.0);
    }
    survives(&x, 3);
    survives(&x.cast::<f32>(), 3);
    let mut model = Factorizer::<f64>::random(FactorSettings::new(3), 6, 0).unwrap();
    model.step(&x).unwrap();
    assert!((0..70).step_by(3).all(|j| model.code().col(j).iter().all(|h| *h == 0.0)));
}

#[test]
fn all_zero_data() {
    let x = Mat::<f64>::zeros(5, 8);
    survives(&x, 3);
    survives(&x.cast::<f32>(), 3);
    let mut model = Factorizer::<f64>::random(FactorSettings::new(3), 5, 0).unwrap();
    let start = model.dictionary().clone();
    for _ in 0..3 {
        let seen = model.step(&x).unwrap();
        assert_eq!((seen.loss_before, seen.surrogate, seen.change, seen.density), (0.0, 0.0, 0.0, 0.0));
        assert_eq!(seen.update.unused, 3);
    }
    assert_eq!(&start, model.dictionary());
}

#[test]
fn duplicate_atoms() {
    let x = random::<f64>(6, 20, 2);
    for code in code_sets() {
        for lambda in [0.0, 0.1] {
            let mut p = FactorSettings::new(4);
            (p.lambda, p.code) = (lambda, Some(code));
            let w = Mat::from_fn(6, 4, |i, _| 0.1 + 0.1 * i as f64);
            let mut model = Factorizer::<f64>::from_dictionary(p.clone(), w.as_ref()).unwrap();
            for _ in 0..5 {
                let seen = model.step(&x).unwrap();
                sane(&model, &seen);
            }
            // Four copies of an atom are worth as much as one, where codes have no upper bound.
            if matches!(code, CodeSet::Nonnegative | CodeSet::Free) {
                let one = w.as_ref().columns(0, 1);
                let mut alone =
                    Factorizer::from_dictionary(FactorSettings { atoms: 1, ..p.clone() }, one).unwrap();
                let mut four = Factorizer::<f64>::from_dictionary(p, w.as_ref()).unwrap();
                let (a, b) = (alone.loss(&x).unwrap(), four.loss(&x).unwrap());
                assert!((a - b).abs() <= 1e-9 * a, "{code}, λ = {lambda}: {b} ≠ {a}");
            }
        }
    }
}

#[test]
fn more_atoms_than_features() {
    let x = random::<f64>(4, 30, 3);
    survives(&x, 11);
    survives(&x.cast::<f32>(), 11);
}

#[test]
fn one_sample() {
    let x = random::<f64>(7, 1, 4);
    survives(&x, 3);
    survives(&x.cast::<f32>(), 3);
}

/// An empty minibatch has no loss to learn from: it is refused, and nothing has changed. Coding nothing is fine, and its
/// statistics are neutral.
#[test]
fn no_samples() {
    for normalize in [Normalize::Sum, Normalize::PerColumn] {
        let mut p = FactorSettings::new(2);
        p.normalize = normalize;
        let mut model = Factorizer::<f64>::random(p, 5, 0).unwrap();
        let x = random::<f64>(5, 9, 5);
        model.step(&x).unwrap();
        let (w, totals) = (model.dictionary().clone(), model.aggregates().clone());
        let empty = Mat::<f64>::zeros(5, 0);
        assert!(matches!(model.step(&empty), Err(Error::Parameter { .. })));
        assert!(matches!(
            model.step(SparseRef::new(5, &[0], &[], &[]).unwrap()),
            Err(Error::Parameter { .. })
        ));
        let mask = Mask::from_fn(5, 0, |_, _| true);
        let masked = Minibatch::Masked { values: empty.as_ref(), observed: &mask };
        assert!(matches!(model.step(masked), Err(Error::Parameter { .. })));
        let nothing = model.statistics(&empty).unwrap();
        assert_eq!(nothing, ergodict::factor::Statistics::zero(5, 2));
        assert!(matches!(model.absorb(&nothing), Err(Error::Parameter { .. })));
        assert_eq!((&w, &totals), (model.dictionary(), model.aggregates()));
        assert_eq!(model.loss(&empty).unwrap(), 0.0);
        assert_eq!(model.transform(&empty).unwrap().1, 0.0);
        assert_eq!((model.code().rows(), model.code().cols()), (2, 0));
    }
}

#[test]
fn no_penalty_and_a_rank_deficient_dictionary() {
    for seed in 0..20 {
        let mut rng = Random::new(seed);
        let base = rng.uniforms(8, 2);
        let w = Mat::from_fn(8, 5, |i, k| {
            0.3 * (base.get(i, k % 2) + f64::from(k > 1) * base.get(i, (k + 1) % 2))
        });
        let x = rng.uniforms(8, 12);
        for code in code_sets() {
            let mut p = FactorSettings::new(5);
            (p.lambda, p.code) = (0.0, Some(code));
            let mut model = Factorizer::<f64>::from_dictionary(p.clone(), w.as_ref()).unwrap();
            for _ in 0..4 {
                let seen = model.step(&x).unwrap();
                sane(&model, &seen);
            }
            let mut model = Factorizer::<f32>::from_dictionary(p, w.cast::<f32>().as_ref()).unwrap();
            for _ in 0..4 {
                let seen = model.step(&x.cast::<f32>()).unwrap();
                sane(&model, &seen);
            }
        }
    }
}

#[test]
fn not_a_number_and_infinity_are_named() {
    fn check<T: Scalar>() {
        let mut model = Factorizer::<T>::random(FactorSettings::new(2), 6, 0).unwrap();
        for (sample, feature, bad) in
            [(0, 0, f64::NAN), (4, 5, f64::INFINITY), (69, 2, f64::NEG_INFINITY), (64, 1, f64::NAN)]
        {
            let mut x = random::<T>(6, 70, 6);
            x.col_mut(sample)[feature] = T::from_f64(bad);
            let error = model.step(&x).unwrap_err();
            let text = error.to_string();
            assert!(text.contains(&format!("sample {sample}, feature {feature}")), "{text}");
            assert!(matches!(error, Error::NotFinite { sample: s, feature: f, value }
                if (s, f) == (sample as u64, feature as u64) && value.to_bits() == bad.to_bits()
                    || value.is_nan() && bad.is_nan()));
            // In sparse columns the feature is named by its index, not its place.
            let starts: Vec<usize> = (0..=70).map(|j| if j > sample { 2 } else { 0 }).collect();
            let other = (feature + 1) % 6;
            let entries = [other as u32, feature as u32];
            let values = [T::ONE, T::from_f64(bad)];
            let sparse = SparseRef::new(6, &starts, &entries, &values).unwrap();
            let text = model.step(sparse).unwrap_err().to_string();
            assert!(text.contains(&format!("sample {sample}, feature {feature}")), "{text}");
            // Behind a mask it is never read.
            let mask = Mask::not_nan(x.as_ref());
            let hidden = Mask::from_fn(6, 70, |i, j| mask.get(i, j) && (i, j) != (feature, sample));
            model.step(Minibatch::Masked { values: x.as_ref(), observed: &hidden }).unwrap();
            if !bad.is_nan() {
                let text = model
                    .step(Minibatch::Masked { values: x.as_ref(), observed: &mask })
                    .unwrap_err()
                    .to_string();
                assert!(text.contains(&format!("sample {sample}, feature {feature}")), "{text}");
            }
        }
        let mut w = random::<T>(6, 2, 1);
        w.col_mut(1)[3] = T::from_f64(f64::NAN);
        assert!(matches!(
            Factorizer::from_dictionary(FactorSettings::new(2), w.as_ref()),
            Err(Error::NotFinite { sample: 1, feature: 3, .. })
        ));
        assert!(Factorizer::from_data(FactorSettings::new(2), w.as_ref(), 0).is_err());
    }
    check::<f64>();
    check::<f32>();
}

/// Scaling the data by `s` and λ by `s` scales losses by `s²` and leaves dictionaries as they are.
fn scales<T: Scalar>(size: f64, tolerance: f64) {
    for code in [CodeSet::Nonnegative, CodeSet::Free] {
        for lambda in [0.0, 0.2] {
            let mut p = FactorSettings::new(4);
            (p.lambda, p.code) = (lambda, Some(code));
            let mut plain = Factorizer::<T>::random(p.clone(), 9, 1).unwrap();
            p.lambda = lambda * size;
            let mut scaled = Factorizer::<T>::random(p, 9, 1).unwrap();
            for t in 1..=5 {
                let x = random::<T>(9, 30, t);
                let a = plain.step(&x).unwrap();
                let big = Mat::from_fn(9, 30, |i, j| T::from_f64(x.get(i, j).to_f64() * size));
                let b = scaled.step(&big).unwrap();
                sane(&scaled, &b);
                let context = format!("step {t}, {code}, λ = {lambda}, size {size:e}, {}", T::NAME);
                assert!(
                    ((b.loss_before / size) / size - a.loss_before).abs() <= tolerance * a.loss_before,
                    "{context}"
                );
                let apart = crate::common::distance(&plain.dictionary().cast(), &scaled.dictionary().cast());
                assert!(apart <= tolerance, "{context}: {apart:e}");
            }
        }
    }
}

#[test]
fn huge_and_tiny_scales() {
    for size in [1e150, 1e100, 1e-100, 1e-140, 1e-150] {
        scales::<f64>(size, 1e-6);
    }
    for size in [1e37, 1e30, 1e20, 1e15, 1e-15, 1e-19, 1e-21, 1e-25, 1e-30, 1e-35] {
        scales::<f32>(size, 2e-2);
    }
}

/// Data times a power of two have the same dictionaries to the last bit, the codes and the stationarity gap likewise, for all sets and kinds of
/// minibatches; and the dictionary has moved.
fn equivariant<T: Scalar>(exponents: &[i32]) {
    for (at, set) in dictionary_sets().into_iter().enumerate() {
        for (code, lambda) in [(CodeSet::Nonnegative, 0.0), (CodeSet::Nonnegative, 0.2), (CodeSet::Free, 0.2)]
        {
            let mut p = FactorSettings::new(4);
            (p.lambda, p.code, p.dictionary) = (lambda, Some(code), Some(set.clone()));
            let mut plain = Factorizer::<T>::random(p.clone(), 9, 1).unwrap();
            let start = plain.dictionary().clone();
            let x: Vec<Mat<T>> = (1..=4).map(|t| random(9, 30, 10 * at as u64 + t)).collect();
            let seen: Vec<StepReport> = x.iter().map(|x| plain.step(x).unwrap()).collect();
            assert_ne!(plain.dictionary(), &start);
            for &exponent in exponents {
                let by = 2f64.powi(exponent);
                p.lambda = lambda * by;
                let mut scaled = Factorizer::<T>::random(p.clone(), 9, 1).unwrap();
                let context = format!("2^{exponent}, {set}, {code}, λ = {lambda}, {}", T::NAME);
                for (x, want) in x.iter().zip(&seen) {
                    let times = |x: T| T::from_f64(x.to_f64() * by);
                    let x = Mat::from_fn(9, 30, |i, j| times(x.get(i, j)));
                    let found = scaled.step(&x).unwrap();
                    sane(&scaled, &found);
                    assert_eq!(found.change, want.change, "{context}");
                    assert_eq!(found.loss_before / by / by, want.loss_before, "{context}");
                    assert_eq!(found.squared_error / by / by, want.squared_error, "{context}");
                }
                assert_eq!(scaled.dictionary(), plain.dictionary(), "{context}");
                assert_eq!(stationarity_gap(&scaled), stationarity_gap(&plain), "{context}");
                for j in 0..30 {
                    for (a, b) in plain.code().col(j).iter().zip(scaled.code().col(j)) {
                        assert_eq!(a.to_f64() * by, b.to_f64(), "{context}");
                    }
                }
            }
        }
    }
}

#[test]
fn data_times_a_power_of_two_have_the_same_dictionaries_to_the_last_bit() {
    equivariant::<f32>(&[-110, -70, -35, -12, 3, 33, 70, 110]);
    equivariant::<f64>(&[-490, -110, -12, 3, 110, 490]);
}

/// Sparse and masked minibatches of tiny single-precision numbers are learned from as dense ones are.
#[test]
fn tiny_sparse_and_masked_minibatches() {
    for size in [1e-30, 1e-21, 1e21, 1e30] {
        let x: Mat<f32> = random(9, 30, 3);
        let times = |x: f32| (f64::from(x) * size) as f32;
        let scaled = Mat::from_fn(9, 30, |i, j| times(x.get(i, j)));
        let (starts, indices): (Vec<usize>, Vec<u32>) =
            ((0..=30).map(|j| 9 * j).collect(), (0..30).flat_map(|_| 0..9).collect());
        let values: Vec<f32> = (0..30).flat_map(|j| scaled.col(j).to_vec()).collect();
        let sparse = SparseRef::new(9, &starts, &indices, &values).unwrap();
        let full = Mask::from_fn(9, 30, |i, j| (i, j) != (0, 0));
        let p = FactorSettings { lambda: 0.0, ..FactorSettings::new(4) };
        let step = |x: Minibatch<'_, f32>| {
            let mut model = Factorizer::<f32>::random(p.clone(), 9, 1).unwrap();
            let seen = (0..3).map(|_| model.step(x).unwrap()).last().unwrap();
            sane(&model, &seen);
            model.dictionary().cast::<f64>()
        };
        let want = step((&x).into());
        for x in [Minibatch::from(&scaled), sparse.into()] {
            assert!(crate::common::distance(&step(x), &want) < 1e-3, "{size:e}");
        }
        let masked = |x: &Mat<f32>| step(Minibatch::Masked { values: x.as_ref(), observed: &full });
        assert!(crate::common::distance(&masked(&scaled), &masked(&x)) < 1e-3, "{size:e}");
    }
}

/// A minibatch of any size may follow one of any other: what is small next to the rest counts for little, and nothing is lost on the way.
#[test]
fn minibatches_of_very_different_sizes() {
    let mut model =
        Factorizer::<f32>::random(FactorSettings { lambda: 0.0, ..FactorSettings::new(3) }, 6, 0).unwrap();
    for (t, size) in [0.0, 1e-35, 1e30, 1.0, 1e-30, 1e35].into_iter().enumerate() {
        let x = random::<f64>(6, 20, t as u64);
        let x = Mat::from_fn(6, 20, |i, j| (x.get(i, j) * size) as f32);
        let seen = model.step(&x).unwrap();
        sane(&model, &seen);
        assert_eq!(seen.change > 0.0, size > 0.0, "step {t}");
    }
}

/// Counts of samples are as good as copies of them, for all kinds of minibatches and penalties.
#[test]
fn a_count_of_samples_is_as_good_as_copies() {
    let x: Mat<f64> = random(7, 5, 2);
    let counts = [2.0, 0.0, 1.0, 3.0, 1.0];
    let picked: Vec<usize> = [0, 0, 2, 3, 3, 3, 4].to_vec();
    let copies = Mat::from_fn(7, 7, |i, j| x.get(i, picked[j]));
    for (code, normalize) in
        code_sets().into_iter().flat_map(|c| [(c, Normalize::Sum), (c, Normalize::PerColumn)])
    {
        let p = FactorSettings {
            lambda: 0.2,
            kappa2: 0.1,
            code: Some(code),
            normalize,
            ..FactorSettings::new(3)
        };
        let mut one = Factorizer::<f64>::random(p.clone(), 7, 0).unwrap();
        let mut other = Factorizer::<f64>::random(p, 7, 0).unwrap();
        for t in 1..=4 {
            let (a, b) = (one.step_counted(&x, &counts).unwrap(), other.step(&copies).unwrap());
            let context = format!("step {t}, {code}");
            assert!((a.loss_before - b.loss_before).abs() <= 1e-9 * b.loss_before, "{context}");
            assert!((a.squared_error - b.squared_error).abs() <= 1e-9 * b.loss_before, "{context}");
            assert!((a.surrogate - b.surrogate).abs() <= 1e-9 * b.surrogate, "{context}");
            assert!(crate::common::distance(one.dictionary(), other.dictionary()) <= 1e-9, "{context}");
            assert_eq!((a.samples, one.code().cols()), (5, 5));
        }
    }
    let mut model = Factorizer::<f64>::random(FactorSettings::new(3), 7, 0).unwrap();
    for bad in [&[1.0; 4][..], &[-1.0; 5], &[f64::NAN; 5], &[f64::INFINITY; 5], &[0.0; 5]] {
        assert!(model.step_counted(&x, bad).is_err(), "{bad:?}");
    }
    assert_eq!(model.aggregates().t, 0);
}

/// Codes under another penalty are those of a dictionary that was learned with it, and leave no trace.
#[test]
fn codes_under_another_penalty() {
    let x: Mat<f64> = random(7, 20, 4);
    let p = FactorSettings { lambda: 0.1, ..FactorSettings::new(4) };
    let mut model = Factorizer::<f64>::random(p.clone(), 7, 0).unwrap();
    let before = model.transform(&x).unwrap();
    for lambda in [0.0, 0.5, 1e9] {
        let mut other = Factorizer::<f64>::random(FactorSettings { lambda, ..p.clone() }, 7, 0).unwrap();
        assert_eq!(model.transform_with(&x, lambda).unwrap(), other.transform(&x).unwrap());
        assert_eq!(model.code(), other.code());
    }
    assert!(model.transform_with(&x, -1.0).is_err());
    assert_eq!(model.transform(&x).unwrap(), before);
}

/// With λ = 1 data of 1e-150 have no code, data of 1e150 no penalty to speak of.
#[test]
fn huge_and_tiny_scales_at_the_default_penalty() {
    for size in [1e150, 1e-150] {
        let mut x = random::<f64>(6, 9, 7);
        (0..9).for_each(|j| x.col_mut(j).iter_mut().for_each(|x| *x *= size));
        survives(&x, 3);
    }
    for size in [1e15f32, 1e-15] {
        let mut x = random::<f32>(6, 9, 7);
        (0..9).for_each(|j| x.col_mut(j).iter_mut().for_each(|x| *x *= size));
        survives(&x, 3);
    }
}

/// Squares that leave the range are an error, not an infinity.
#[test]
fn overflow_is_an_error() {
    let x = Mat::from_fn(3, 4, |_, _| 1e160);
    let mut model = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0).unwrap();
    let error = model.step(&x).unwrap_err();
    assert!(matches!(error, Error::Overflow { largest: 1e160, .. }), "{error}");
    // Half of the range of f64 is left to squares: below it they vanish.
    let x = Mat::from_fn(3, 4, |_, _| 1e-160);
    let error = model.step(&x).unwrap_err();
    assert!(matches!(error, Error::Underflow { largest: 1e-160, .. }), "{error}");
    assert_eq!(model.aggregates().t, 0);
}

/// Squares that single precision cannot hold are taken in another unit.
#[test]
fn squares_beyond_single_precision_are_learned_from() {
    for size in [1e18f32, 1e20, 1e25, 1e30, 1e37] {
        for code in code_sets() {
            // One atom in ten is used: statistics then take the sparse way, in f64.
            let x = Mat::from_fn(10, 40, |i, j| if i == j % 10 { size } else { 0.0 });
            let w = Mat::from_fn(10, 10, |i, j| f32::from(i == j));
            let mut p = FactorSettings::new(10);
            p.code = Some(code);
            let mut model = Factorizer::<f32>::from_dictionary(p, w.as_ref()).unwrap();
            for _ in 0..3 {
                let seen = model.step(&x).unwrap();
                sane(&model, &seen);
            }
        }
    }
}

/// Numbers whose squares vanish: nothing can be learned from them alone, they count for nothing after others, and have codes.
#[test]
fn denormals() {
    for size in [5e-324, 1e-310, 1e-200, 1e-165, 1e-161, 1e-158, 1e-155, 1e-152] {
        let whole = random::<f64>(6, 9, 8);
        let x = Mat::from_fn(6, 9, |i, j| whole.get(i, j) * size);
        let mut model =
            Factorizer::<f64>::random(FactorSettings { lambda: 0.0, ..FactorSettings::new(3) }, 6, 0)
                .unwrap();
        assert!(matches!(model.step(&x).unwrap_err(), Error::Underflow { .. }), "{size:e}");
        assert_eq!(model.aggregates().t, 0);
        model.transform(&whole).unwrap();
        let codes = model.code().clone();
        model.transform(&x).unwrap();
        for (a, b) in codes.padded().iter().zip(model.code().padded()) {
            assert!(
                (a * size - b).abs() <= 1e-9 * (a * size).abs() + 1e-3 * size.max(1e-310) + 1e-320,
                "{size:e}: {a:e} {b:e}"
            );
        }
        model.step(&whole).unwrap();
        let seen = model.step(&x).unwrap();
        sane(&model, &seen);
    }
    for size in [1e-45f32, 1e-40, 1e-30, 1e-24, 1e-22, 1e-20, 1e-18] {
        let mut x = random::<f32>(6, 9, 8);
        (0..9).for_each(|j| x.col_mut(j).iter_mut().for_each(|x| *x *= size));
        survives_with(&x, 3, true);
    }
}

#[test]
fn a_zero_atom() {
    let x = random::<f64>(6, 12, 9);
    for code in code_sets() {
        for (lambda, kappa2) in [(0.0, 0.0), (0.1, 0.0), (0.1, 0.5)] {
            let mut p = FactorSettings::new(3);
            (p.lambda, p.kappa2, p.code) = (lambda, kappa2, Some(code));
            let w = Mat::from_fn(6, 3, |i, k| if k == 1 { 0.0 } else { 0.1 + 0.1 * (i + k) as f64 });
            let mut model = Factorizer::<f64>::from_dictionary(p.clone(), w.as_ref()).unwrap();
            let seen = model.step(&x).unwrap();
            sane(&model, &seen);
            assert!((0..12).all(|j| model.code().get(1, j) == 0.0), "{code}: a zero atom is used");
            assert_eq!(seen.update.unused, 1);
            assert!(model.dictionary().col(1).iter().all(|w| *w == 0.0));
            p.unused = UnusedAtoms::Reseed;
            let mut model = Factorizer::<f64>::from_dictionary(p, w.as_ref()).unwrap();
            assert_eq!(model.step(&x).unwrap().reseeded, 1);
            assert!(model.dictionary().col(1).iter().any(|w| *w > 0.0));
        }
    }
    // All of them.
    let mut p = FactorSettings::new(3);
    p.dictionary = Some(ColumnSet::Free.into());
    let mut model = Factorizer::<f64>::from_dictionary(p, Mat::zeros(6, 3).as_ref()).unwrap();
    let seen = model.step(&x).unwrap();
    sane(&model, &seen);
    assert_eq!(seen.update.unused, 3);
}

#[test]
fn constant_data() {
    let x = Mat::<f64>::from_fn(6, 70, |_, _| 2.5);
    survives(&x, 3);
    survives(&x.cast::<f32>(), 3);
    let mut p = FactorSettings::new(3);
    p.lambda = 0.0;
    let mut model = Factorizer::<f64>::random(p, 6, 0).unwrap();
    for _ in 0..200 {
        model.step(&x).unwrap();
    }
    let size: f64 = (0..70).map(|j| dot(x.col(j), x.col(j))).sum();
    let loss = model.loss(&x).unwrap();
    assert!(loss <= 1e-3 * size, "one atom explains constant data: {loss} of {size}");
}

#[test]
fn a_penalty_so_large_that_every_code_is_zero() {
    for code in code_sets() {
        for lambda in [1e3, 1e100, 1e300] {
            let x = random::<f64>(6, 9, 10);
            let mut p = FactorSettings::new(3);
            (p.lambda, p.code) = (lambda, Some(code));
            let mut model = Factorizer::<f64>::random(p, 6, 0).unwrap();
            let start = model.dictionary().clone();
            for t in 1..=10 {
                let seen = model.step(&x).unwrap();
                sane(&model, &seen);
                assert_eq!((seen.density, seen.update.unused, seen.change), (0.0, 3, 0.0), "step {t}");
                let size: f64 = (0..9).map(|j| dot(x.col(j), x.col(j))).sum();
                assert!((9.0 * seen.surrogate - size).abs() <= 1e-12 * size);
            }
            assert_eq!(&start, model.dictionary());
        }
    }
    let x = random::<f32>(6, 9, 10);
    let mut p = FactorSettings::new(3);
    p.lambda = 1e38;
    let mut model = Factorizer::<f32>::random(p, 6, 0).unwrap();
    let seen = model.step(&x).unwrap();
    sane(&model, &seen);
}

#[test]
fn unequal_widths() {
    for normalize in [Normalize::Sum, Normalize::PerColumn] {
        let mut p = FactorSettings::new(3);
        (p.lambda, p.normalize) = (0.1, normalize);
        let mut model = Factorizer::<f64>::random(p.clone(), 7, 0).unwrap();
        for (t, n) in [1, 300, 64, 65, 2, 128, 63, 1].into_iter().enumerate() {
            let x = random::<f64>(7, n, t as u64);
            let seen = model.step(&x).unwrap();
            sane(&model, &seen);
            assert_eq!((model.code().cols(), seen.samples), (n, n));
            // A buffer left over from a wider minibatch must not show.
            let mut fresh =
                Factorizer::resume(p.clone(), model.dictionary().clone(), model.aggregates().clone())
                    .unwrap();
            assert_eq!(fresh.loss(&x).unwrap(), model.loss(&x).unwrap());
            assert_eq!(fresh.code(), model.code());
        }
    }
}

#[test]
fn one_feature() {
    let x = random::<f64>(1, 40, 11);
    survives(&x, 1);
    survives(&x, 5);
    survives(&x.cast::<f32>(), 5);
}

#[test]
fn one_atom() {
    let x = random::<f64>(9, 40, 12);
    survives(&x, 1);
    survives(&x.cast::<f32>(), 1);
}

#[test]
fn negative_data_with_nonnegative_sets() {
    let x = Mat::from_fn(5, 12, |i, j| -random::<f64>(5, 12, 13).get(i, j));
    survives(&x, 3);
    survives(&x.cast::<f32>(), 3);
    let mut model = Factorizer::<f64>::random(FactorSettings::new(3), 5, 0).unwrap();
    let seen = model.step(&x).unwrap();
    assert_eq!((seen.density, seen.update.unused), (0.0, 3));
    let size: f64 = (0..12).map(|j| dot(x.col(j), x.col(j))).sum();
    assert!((12.0 * seen.loss_before - size).abs() <= 1e-12 * size, "nothing of it can be explained");
}

/// Dictionaries whose atoms differ by many orders of magnitude.
#[test]
fn atoms_of_very_different_size() {
    for code in code_sets() {
        let mut rng = Random::new(14);
        let w = Mat::from_fn(8, 6, |_, k| rng.uniform() * 10f64.powi(4 * k as i32 - 10));
        let x = rng.uniforms(8, 10);
        for penalty in [Penalty::default(), Penalty { lambda: 1e-3, kappa2: 0.0 }] {
            let mut coder = Coder::<f64>::new(penalty, code);
            coder.set_dictionary(&w);
            let (mut h, mut costs) = (Mat::zeros(0, 0), Vec::new());
            let report = coder.code((&x).into(), &w, &mut h, false, &mut costs).unwrap();
            // Least squares drops directions below ε of the largest, which these atoms are, and says so.
            let blind = code == CodeSet::Free && penalty.lambda == 0.0;
            assert_eq!(report.capped > 0, blind, "{code}: {report:?}");
            for j in 0..10 {
                let conditions = kkt(&w, x.col(j), h.col(j), penalty, code);
                let allowed = 2.0 * conditions.allowed(1e-6, f64::EPSILON);
                if !blind {
                    assert!(
                        conditions.residual <= allowed,
                        "{code}: {:e} > {allowed:e}",
                        conditions.residual
                    );
                }
                assert!(h.col(j).iter().all(|h| h.is_finite()));
            }
        }
    }
}
