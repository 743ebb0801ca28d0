//! Defects that a review found, each by what it was.

use ergodict::Error;
use ergodict::factor::code::{CodeSet, CodeSolver, Coder, Penalty};
use ergodict::factor::diagnostics::{Window, expected_loss, stationarity_gap};
use ergodict::factor::{
    ColumnSet, ConvexSet, DictionarySet, FactorSettings, Factorizer, Normalize, Schedule, Statistics,
    UnusedAtoms,
};
use ergodict::linalg::Mat;
use ergodict::model::Model;

fn data(d: usize, n: usize, salt: usize) -> Mat<f64> {
    Mat::from_fn(d, n, |i, j| (((i * 31 + j * 17 + salt * 7) % 23) as f64 / 23.0).powi(2))
}

#[test]
#[should_panic(expected = "columns 0..9 of 3")]
fn a_view_of_columns_that_are_not_there_is_refused() {
    let _ = data(2, 3, 0).as_ref().columns(0, 9);
}

#[test]
#[should_panic(expected = "fits no memory")]
fn a_matrix_whose_size_overflows_is_refused() {
    let _ = Mat::<f64>::zeros(16, 1 << 63);
}

#[test]
fn statistics_of_other_shapes_do_not_merge() {
    let mut total = Statistics::zero(7, 3);
    assert!(matches!(total.merge(&Statistics::zero(8, 3)), Err(Error::Shape { .. })));
    assert_eq!(total, Statistics::zero(7, 3));
}

#[test]
fn empirical_loss_is_below_the_surrogate_under_both_normalizations() {
    for normalize in [Normalize::Sum, Normalize::PerColumn] {
        let mut parameters = FactorSettings::new(4);
        (parameters.normalize, parameters.lambda) = (normalize, 0.1);
        let mut factorizer = Factorizer::<f64>::random(parameters, 6, 1).unwrap();
        let mut window = Window::new(usize::MAX);
        for t in 0..12 {
            let x = data(6, 3 + t % 5, t);
            let seen = factorizer.step(&x).unwrap();
            window.push(x.as_ref(), seen.weight);
        }
        let surrogate = factorizer.surrogate();
        let empirical = window.empirical_loss(&mut factorizer).unwrap();
        assert!(
            empirical <= surrogate && empirical > 0.5 * surrogate,
            "{normalize:?}: {empirical} {surrogate}"
        );
    }
}

#[test]
fn surrogate_per_sample_is_right_for_minibatches_of_unequal_width() {
    let mut parameters = FactorSettings::new(2);
    (parameters.schedule, parameters.lambda) = (Schedule::Linear, 0.01);
    let mut factorizer = Factorizer::<f64>::random(parameters, 6, 4).unwrap();
    let (mut width, mut samples) = (0.0, 0.0);
    for (t, n) in (1..).zip([256usize, 1, 40, 3, 256, 2]) {
        let weight = if t == 1 { 1.0 } else { 2.0 / (f64::from(t) + 1.0) };
        factorizer.step(&data(6, n, t as usize)).unwrap();
        width = (1.0 - weight) * width + weight * n as f64;
        samples += n as f64;
    }
    let surrogate = factorizer.surrogate();
    let got = factorizer.aggregates().per_sample(surrogate);
    assert!((got / (surrogate / width) - 1.0).abs() < 1e-12);
    assert!((width / (samples / 6.0) - 1.0).abs() > 0.1, "the plain mean would have done as well");
}

#[test]
fn expected_loss_is_the_mean_over_samples_with_its_standard_error() {
    let mut factorizer = Factorizer::<f64>::random(FactorSettings::new(3), 6, 2).unwrap();
    let (x, y) = (data(6, 5, 1), data(6, 9, 2));
    let estimate = expected_loss(&mut factorizer, [x.as_ref(), y.as_ref()]).unwrap();
    let mut all = Vec::new();
    for m in [&x, &y] {
        all.extend((0..m.cols()).map(|j| factorizer.loss(m.as_ref().columns(j, j + 1)).unwrap()));
    }
    let mean = all.iter().sum::<f64>() / 14.0;
    let variance = all.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / 13.0;
    assert!((estimate.mean - mean).abs() < 1e-12 * mean && estimate.samples == 14);
    assert!((estimate.standard_error - (variance / 14.0).sqrt()).abs() < 1e-12);
}

#[test]
fn unused_atoms_do_not_keep_the_gap_open_under_kappa1() {
    let mut parameters = FactorSettings::new(3);
    (parameters.kappa1, parameters.lambda) = (0.5, 0.1);
    (parameters.dictionary_tolerance, parameters.dictionary_sweeps) = (1e-13, Some(100_000));
    // The third atom points where no data are.
    let w0 = Mat::from_fn(4, 3, |i, k| f64::from(i == k || (k == 2 && i == 3)));
    let mut factorizer = Factorizer::<f64>::from_dictionary(parameters, w0.as_ref()).unwrap();
    let resting = factorizer.dictionary().col(2).to_vec();
    for t in 0..5 {
        let x = Mat::from_fn(4, 8, |i, j| if i < 2 { ((i + j + t) % 3) as f64 } else { 0.0 });
        let seen = factorizer.step(&x).unwrap();
        assert_eq!(seen.update.unused, 1);
    }
    assert_eq!(factorizer.dictionary().col(2), resting);
    assert!(stationarity_gap(&factorizer) < 1e-9, "{}", stationarity_gap(&factorizer));
}

#[test]
fn unused_atoms_are_counted_for_unions_and_cannot_be_reseeded_there() {
    let near =
        |x: f64| ConvexSet::Near { center: Mat::from_fn(3, 2, |_, _| x), radius: 0.4, nonnegative: true };
    let mut parameters = FactorSettings::new(2);
    parameters.dictionary = Some(DictionarySet::Union(vec![near(0.5), near(2.0)]));
    parameters.lambda = 1e6;
    let mut factorizer = Factorizer::<f64>::random(parameters.clone(), 3, 0).unwrap();
    assert_eq!(factorizer.step(&data(3, 4, 0)).unwrap().update.unused, 2);
    parameters.unused = UnusedAtoms::Reseed;
    assert!(Factorizer::<f64>::random(parameters, 3, 0).is_err());
}

#[test]
fn models_with_program_given_sets_open_again_only_with_the_set() {
    let near =
        |x: f64| ConvexSet::Near { center: Mat::from_fn(3, 2, |_, _| x), radius: 0.9, nonnegative: true };
    let set = DictionarySet::Union(vec![near(0.3), near(3.0)]);
    let mut parameters = FactorSettings::new(2);
    (parameters.dictionary, parameters.lambda) = (Some(set.clone()), 0.05);
    let mut factorizer = Factorizer::<f64>::random(parameters, 3, 0).unwrap();
    factorizer.step(&data(3, 6, 0)).unwrap();
    let file = std::env::temp_dir().join(format!("ergodict-union-{}.safetensors", std::process::id()));
    Model::from_factorizer(&factorizer, "factor", 0).save(&file).unwrap();
    let refused = Model::load(&file).unwrap_err().to_string();
    let mut again = Model::load_with(&file, set).unwrap().factorizer::<f64>().unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(refused.contains("union of 2 sets") && refused.contains("load_with"), "{refused}");
    for t in 1..4 {
        factorizer.step(&data(3, 6, t)).unwrap();
        again.step(&data(3, 6, t)).unwrap();
    }
    assert_eq!(factorizer.dictionary(), again.dictionary());
    assert_eq!(factorizer.aggregates(), again.aggregates());
}

#[test]
fn the_reference_answers_zero_columns_with_zero_whatever_the_start() {
    let w = data(5, 3, 1);
    for solver in [CodeSolver::Fast, CodeSolver::ProjectedGradient] {
        let mut coder = Coder::<f64>::new(Penalty { lambda: 1.0, kappa2: 0.0 }, CodeSet::Nonnegative);
        coder.solver = solver;
        coder.set_dictionary(&w);
        let (mut h, mut costs) = (Mat::from_fn(3, 1, |_, _| 2.0), Vec::new());
        coder.code((&Mat::zeros(5, 1)).into(), &w, &mut h, true, &mut costs).unwrap();
        assert_eq!(h, Mat::zeros(3, 1), "{solver:?}");
    }
}

#[test]
fn coders_refuse_other_dictionaries_and_say_when_no_round_was_allowed() {
    let (w, x) = (data(5, 3, 1), data(5, 4, 2));
    let mut coder = Coder::<f64>::new(Penalty { lambda: 0.1, kappa2: 0.0 }, CodeSet::Nonnegative);
    let (mut h, mut costs) = (Mat::zeros(0, 0), Vec::new());
    assert!(coder.code((&x).into(), &w, &mut h, false, &mut costs).is_err(), "no dictionary was set");
    coder.set_dictionary(&Mat::zeros(5, 0));
    assert!(coder.code((&x).into(), &Mat::zeros(5, 0), &mut h, false, &mut costs).is_err(), "no atoms");
    coder.set_dictionary(&w);
    coder.max_rounds = 0;
    assert_eq!(coder.code((&x).into(), &w, &mut h, false, &mut costs).unwrap().capped, 4);
}

/// `g(W_{t−1}) − g(W_t) ≥ ‖W_t − W_{t−1}‖²_A` where sweeps end at their cap, however few they are.
#[test]
fn updates_that_end_at_their_cap_have_the_growth_property() {
    for (sweeps, kappa1, code) in
        [(1, 0.0, CodeSet::Nonnegative), (2, 0.0, CodeSet::Free), (5, 0.3, CodeSet::Nonnegative)]
    {
        let mut parameters = FactorSettings {
            kappa1,
            dictionary_sweeps: Some(sweeps),
            dictionary_tolerance: 0.0,
            ..FactorSettings::new(5)
        };
        (parameters.code, parameters.lambda) = (Some(code), 0.05);
        let signed = if code == CodeSet::Free { "ball" } else { "nonneg-ball" };
        parameters.dictionary = Some(signed.parse().unwrap());
        let mut factorizer = Factorizer::<f64>::random(parameters, 8, 3).unwrap();
        let mut full = 0;
        for t in 0..40 {
            let before = factorizer.dictionary().clone();
            full += u32::from(factorizer.step(&data(8, 10, t)).unwrap().update.sweeps == sweeps);
            let totals = factorizer.aggregates();
            let mut a = totals.a.clone();
            (0..5).for_each(|k| a.col_mut(k)[k] += kappa1);
            let w = factorizer.dictionary();
            let moved = Mat::from_fn(8, 5, |i, k| w.get(i, k) - before.get(i, k));
            let form = |v: &Mat<f64>, w: &Mat<f64>| {
                let entry = |i: usize, k: usize| (0..5).map(|l| v.get(i, l) * a.get(l, k)).sum::<f64>();
                (0..8)
                    .flat_map(|i| (0..5).map(move |k| (i, k)))
                    .map(|(i, k)| entry(i, k) * w.get(i, k))
                    .sum::<f64>()
            };
            let linear: f64 =
                (0..5).map(|k| crate::common::dot(moved.col(k), totals.b_transposed.col(k))).sum();
            // g(W_{t−1}) − g(W_t) = 2⟨Bᵀ, D⟩ − 2⟨W_{t−1}A, D⟩ − ‖D‖²_A.
            let (fall, growth) =
                (2.0 * (linear - form(&before, &moved)) - form(&moved, &moved), form(&moved, &moved));
            assert!(fall >= growth - 1e-10 * totals.r, "step {t}, {sweeps} sweeps: {fall:e} < {growth:e}");
        }
        assert!(full > 20, "{full}");
    }
}

#[test]
fn at_the_defaults_every_step_lowers_the_surrogate() {
    let mut parameters = FactorSettings::new(5);
    parameters.dictionary = Some(ColumnSet::default().into());
    parameters.lambda = 0.1;
    let mut factorizer = Factorizer::<f64>::random(parameters, 8, 3).unwrap();
    for t in 0..30 {
        let x = data(8, 10, t);
        let before = factorizer.dictionary().clone();
        let seen = factorizer.step(&x).unwrap();
        let totals = factorizer.aggregates().clone();
        let old = Factorizer::resume(factorizer.parameters().clone(), before, totals).unwrap();
        assert!(10.0 * seen.surrogate <= old.surrogate() * (1.0 + 1e-12), "step {t}");
    }
}
