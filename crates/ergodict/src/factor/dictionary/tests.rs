//! Projections, the update over convex sets, and the update over unions under the ellipsoid.

use crate::common::{Random, combine, distance, frobenius, inner, norm, times};
use crate::factor::code::CodeSet;
use crate::factor::ellipsoid::{Accuracy, Quadratic};
use crate::factor::sets::Projection;
use crate::factor::{ColumnSet, ConvexSet, DictionarySet, FactorSettings, Factorizer, UnusedAtoms};
use crate::linalg::{Mat, Scalar};
use proptest::prelude::*;
use std::sync::Arc;

const TIGHT: Accuracy = Accuracy { tolerance: 1e-13, max_steps: 50_000 };

/// The half-space `x_0 ≥ 1/4`, as a program would give it.
fn half_space() -> Projection {
    Projection { name: "half-space".into(), project: Arc::new(|x| x[0] = x[0].max(0.25)) }
}

fn column_sets() -> Vec<ColumnSet> {
    vec![
        ColumnSet::NonnegBall { radius: 1.0 },
        ColumnSet::NonnegBall { radius: 0.3 },
        ColumnSet::Ball { radius: 1.0 },
        ColumnSet::Ball { radius: 7.0 },
        ColumnSet::Simplex { sum: 1.0 },
        ColumnSet::Simplex { sum: 4.0 },
        ColumnSet::Box { lower: 0.0, upper: 1.0 },
        ColumnSet::Box { lower: -0.5, upper: 0.25 },
        ColumnSet::L1Ball { radius: 1.0 },
        ColumnSet::L1Ball { radius: 3.0 },
        ColumnSet::Free,
        ColumnSet::User(half_space()),
    ]
}

/// How far an atom is outside the set, by the definition of the set.
fn violation(set: &ColumnSet, x: &[f64]) -> f64 {
    let negative = x.iter().fold(0.0f64, |a, x| a.max(-x));
    match set {
        ColumnSet::NonnegBall { radius } => negative.max(norm(x) - radius),
        ColumnSet::Ball { radius } => norm(x) - radius,
        ColumnSet::Simplex { sum } => negative.max((x.iter().sum::<f64>() - sum).abs()),
        ColumnSet::Box { lower, upper } => x.iter().fold(0.0, |a, x| a.max(lower - x).max(x - upper)),
        ColumnSet::L1Ball { radius } => x.iter().map(|x| x.abs()).sum::<f64>() - radius,
        ColumnSet::Free => 0.0,
        ColumnSet::User(_) => 0.25 - x[0],
    }
}

/// A point of the set, made without its projection.
fn member(set: &ColumnSet, d: usize, random: &mut Random) -> Vec<f64> {
    let mut x: Vec<f64> = (0..d).map(|_| random.normal()).collect();
    let scale = |x: &mut Vec<f64>, size: f64| x.iter_mut().for_each(|x| *x *= size);
    match set {
        ColumnSet::NonnegBall { radius } | ColumnSet::Ball { radius } => {
            if matches!(set, ColumnSet::NonnegBall { .. }) {
                x.iter_mut().for_each(|x| *x = x.abs() * f64::from(random.chance(0.7)));
            }
            let size = radius * random.uniform().sqrt() / norm(&x).max(1e-9);
            scale(&mut x, size);
        }
        ColumnSet::Simplex { sum } => {
            x.iter_mut()
                .for_each(|x| *x = -random.uniform().max(1e-300).ln() * f64::from(random.chance(0.7)));
            x[random.below(d)] += 1e-3;
            let size = sum / x.iter().sum::<f64>();
            scale(&mut x, size);
        }
        ColumnSet::Box { lower, upper } => x.iter_mut().for_each(|x| *x = random.between(*lower, *upper)),
        ColumnSet::L1Ball { radius } => {
            let size = radius * random.uniform() / x.iter().map(|x| x.abs()).sum::<f64>();
            scale(&mut x, size);
        }
        ColumnSet::Free => scale(&mut x, 10.0),
        ColumnSet::User(_) => x[0] = 0.25 + x[0].abs(),
    }
    x
}

/// A point of a ball around a center, cut with the orthant if that is asked for: clipping only comes closer, since the
/// center is nonnegative.
fn near_member(center: &Mat<f64>, radius: f64, nonnegative: bool, random: &mut Random) -> Mat<f64> {
    let mut step = random.normals(center.rows(), center.cols());
    let size = radius * random.uniform().powf(0.3) / frobenius(&step);
    step = combine(size, &step, 1.0, center);
    for j in 0..step.cols() {
        step.col_mut(j).iter_mut().for_each(|x| *x = if nonnegative { x.max(0.0) } else { *x });
    }
    step
}

proptest! {
    #![proptest_config(crate::common::cases(200))]

    #[test]
    fn column_projections_give_the_nearest_point(
        seed in any::<u64>(), which in 0..column_sets().len(), d in 1usize..30, size in -3i32..4,
    ) {
        let set = &column_sets()[which];
        let mut random = Random::new(seed);
        let v: Vec<f64> = (0..d).map(|_| 10f64.powi(size) * random.normal()).collect();
        let mut p = v.clone();
        set.project(&mut p);
        let scale = norm(&v) + norm(&p) + 1.0;
        prop_assert!(violation(set, &p) <= 1e-14 * scale, "{set:?} outside by {:e}", violation(set, &p));
        let mut again = p.clone();
        set.project(&mut again);
        let apart = norm(&again.iter().zip(&p).map(|(a, b)| a - b).collect::<Vec<_>>());
        prop_assert!(apart <= 1e-14 * scale, "{set:?} is not idempotent");
        // ⟨v − Πv, y − Πv⟩ ≤ 0 for all y of the set says that Πv is the nearest point.
        for _ in 0..40 {
            let y = member(set, d, &mut random);
            let gain: f64 = (0..d).map(|i| (v[i] - p[i]) * (y[i] - p[i])).sum();
            prop_assert!(gain <= 1e-12 * scale * (scale + norm(&y)), "{set:?}: {y:?} is nearer, {gain:e}");
        }
        // The same in f32.
        let mut narrow: Vec<f32> = v.iter().map(|v| *v as f32).collect();
        set.project(&mut narrow);
        for (a, b) in narrow.iter().zip(&p) {
            prop_assert!((f64::from(*a) - b).abs() <= 1e-6 * scale, "{set:?} in f32: {a} ≠ {b}");
        }
    }

    #[test]
    fn projections_near_a_center_give_the_nearest_point(
        seed in any::<u64>(), d in 1usize..8, r in 1usize..5, nonnegative in any::<bool>(), size in -2i32..3,
    ) {
        let mut random = Random::new(seed);
        let center = random.uniforms(d, r);
        let radius = 10f64.powf(random.between(-2.0, 1.0));
        let set = ConvexSet::Near { center: center.clone(), radius, nonnegative };
        let v = combine(10f64.powi(size), &random.normals(d, r), 1.0, &center);
        let mut p = v.clone();
        set.project(&mut p);
        let scale = frobenius(&v) + frobenius(&p) + 1.0;
        prop_assert!(distance(&p, &center) <= radius * (1.0 + 1e-12), "outside the ball");
        prop_assert!(!nonnegative || p.padded().iter().all(|x| *x >= 0.0), "negative");
        prop_assert!((set.distance(&v) - distance(&v, &p)).abs() <= 1e-13 * scale);
        let mut again = p.clone();
        set.project(&mut again);
        prop_assert!(distance(&again, &p) <= 1e-12 * scale, "not idempotent");
        for _ in 0..40 {
            let y = near_member(&center, radius, nonnegative, &mut random);
            let gain = inner(&combine(1.0, &v, -1.0, &p), &combine(1.0, &y, -1.0, &p));
            prop_assert!(gain <= 1e-11 * scale * (scale + frobenius(&y)), "nearer by {gain:e}");
        }
    }
}

#[test]
fn unions_project_onto_the_nearest_piece() {
    let near =
        |at: f64| ConvexSet::Near { center: Mat::from_fn(2, 2, |_, _| at), radius: 0.5, nonnegative: true };
    let union = DictionarySet::Union(vec![near(0.5), near(3.0), ConvexSet::User(half_space())]);
    let mut w = Mat::from_fn(2, 2, |i, j| if (i, j) == (0, 0) { -4.0 } else { 3.4 });
    // 4.25 from the half-space, more from either ball.
    assert_eq!(union.nearest(&w).0, 2);
    assert!((union.nearest(&w).1 - 4.25).abs() < 1e-14);
    assert_eq!(union.project(&mut w), 2);
    assert_eq!(w.get(0, 0), 0.25);
}

/// A well-conditioned random quadratic.
fn quadratic(d: usize, r: usize, random: &mut Random) -> (Mat<f64>, Mat<f64>) {
    let h = random.normals(r, r + 3);
    let mut a =
        Mat::from_fn(r, r, |k, l| (0..r + 3).map(|j| h.get(k, j) * h.get(l, j)).sum::<f64>() / r as f64);
    (0..r).for_each(|k| a.col_mut(k)[k] += 0.2);
    (a, random.normals(d, r))
}

fn value(a: &Mat<f64>, b: &Mat<f64>, w: &Mat<f64>) -> f64 {
    inner(&times(w, a), w) - 2.0 * inner(b, w)
}

/// `tr((Bᵀ − WA)(W_{t−1} − W)ᵀ)` from the definition.
fn ellipsoid(a: &Mat<f64>, b: &Mat<f64>, previous: &Mat<f64>, w: &Mat<f64>) -> f64 {
    inner(&combine(1.0, b, -1.0, &times(w, a)), &combine(1.0, previous, -1.0, w))
}

/// The minimizer of `tr(WAWᵀ) − 2tr(WB)` over the set by plain projected gradient.
fn plain_minimizer(a: &Mat<f64>, b: &Mat<f64>, set: &ConvexSet, start: &Mat<f64>) -> Mat<f64> {
    let trace: f64 =
        (0..a.cols()).map(|k| (0..a.cols()).map(|l| a.get(k, l).abs()).sum::<f64>()).fold(0.0, f64::max);
    let mut w = start.clone();
    set.project(&mut w);
    for _ in 0..20_000 {
        let mut next = combine(1.0, &w, -1.0 / trace, &combine(1.0, &times(&w, a), -1.0, b));
        set.project(&mut next);
        let moved = distance(&next, &w);
        w = next;
        if moved <= 1e-14 * (1.0 + frobenius(&w)) {
            break;
        }
    }
    w
}

fn all_sets(d: usize, r: usize, random: &mut Random) -> Vec<ConvexSet> {
    let mut sets: Vec<ConvexSet> = column_sets().into_iter().map(ConvexSet::Columns).collect();
    sets.push(ConvexSet::Near { center: random.uniforms(d, r), radius: 0.5, nonnegative: true });
    sets.push(ConvexSet::Near { center: random.normals(d, r), radius: 2.0, nonnegative: false });
    sets.push(ConvexSet::User(half_space()));
    sets
}

proptest! {
    #![proptest_config(crate::common::cases(60))]

    #[test]
    fn updates_reach_the_minimizer(seed in any::<u64>(), d in 1usize..12, r in 1usize..8, which in 0usize..15) {
        let mut random = Random::new(seed);
        let (a, b) = quadratic(d, r, &mut random);
        let set = &all_sets(d, r, &mut random)[which];
        let start = random.normals(d, r);
        let (w, report) = Quadratic { a: &a, b_transposed: &b }.minimize(set, &start, TIGHT);
        prop_assert!(!report.capped, "{set:?}: {report:?}");
        prop_assert!(set.distance(&w) <= 1e-12 * (1.0 + frobenius(&w)), "{set:?}: outside");
        let want = plain_minimizer(&a, &b, set, &start);
        let scale = 1.0 + value(&a, &b, &want).abs() + frobenius(&b).powi(2);
        let (got, least) = (value(&a, &b, &w), value(&a, &b, &want));
        prop_assert!((got - least).abs() <= 1e-9 * scale, "{set:?}: {got} ≠ {least}");
        // g is strongly convex here (λ_min ≥ 0.2), so the minimizer is unique.
        prop_assert!(distance(&w, &want) <= 1e-6 * scale, "{set:?}: another point");
        let reported = Quadratic { a: &a, b_transposed: &b }.value(&w);
        prop_assert!((reported - got).abs() <= 1e-12 * scale);
    }

    /// The update of the factorizer itself, after real steps: stationary, inside, and not beaten by projected gradient.
    #[test]
    fn the_factorizers_update_is_stationary(seed in any::<u64>(), d in 1usize..12, r in 1usize..6, which in 0usize..15) {
        let mut random = Random::new(seed);
        let set = all_sets(d, r, &mut random)[which].clone();
        let mut p = FactorSettings::new(r);
        (p.lambda, p.kappa1, p.kappa2) = (0.1, 0.05, 0.1);
        (p.dictionary_tolerance, p.dictionary_sweeps) = (1e-12, Some(20_000));
        p.dictionary = Some(DictionarySet::Convex(set.clone()));
        let mut model = Factorizer::<f64>::random(p, d, seed).unwrap();
        let planted = random.uniforms(d, r);
        for t in 1..=4 {
            let before = model.dictionary().clone();
            let seen = model.step(&random.planted(&planted, 12, 0.1)).unwrap();
            prop_assert!(!seen.update.capped, "{set:?}: {:?}", seen.update);
            let w = model.dictionary();
            prop_assert!(set.distance(w) <= 1e-12 * (1.0 + frobenius(w)), "step {t}: outside {set:?}");
            let used = (0..r).filter(|&k| model.aggregates().a.get(k, k) > 0.0).count();
            if used < r {
                continue;
            }
            let mut a = model.aggregates().a.clone();
            (0..r).for_each(|k| a.col_mut(k)[k] += 0.05);
            let b = &model.aggregates().b_transposed;
            let want = plain_minimizer(&a, b, &set, &before);
            let scale = 1.0 + value(&a, b, &want).abs() + frobenius(b).powi(2);
            prop_assert!(value(&a, b, w) <= value(&a, b, &want) + 1e-9 * scale, "step {t}: {set:?}");
            let gap = crate::factor::diagnostics::stationarity_gap(&model);
            prop_assert!(gap <= 1e-7 * scale, "step {t}: gap {gap:e}, {set:?}");
        }
    }
}

fn unused_atoms_are_left_alone<T: Scalar>() {
    // Data live on the first four features; atoms 1 and 3 on the others.
    let w = Mat::from_fn(8, 4, |i, k| {
        T::from_f64(if (i < 4) == (k % 2 == 0) { 0.1 + 0.2 * ((i * 3 + k) % 4) as f64 } else { 0.0 })
    });
    let mut random = Random::new(5);
    let x: Mat<T> = Mat::from_fn(8, 20, |i, _| T::from_f64(if i < 4 { random.uniform() } else { 0.0 }));
    let mut p = FactorSettings::new(4);
    p.lambda = 0.01;
    p.kappa1 = 0.5;
    let mut model = Factorizer::<T>::from_dictionary(p.clone(), w.as_ref()).unwrap();
    let start = model.dictionary().clone();
    for _ in 0..5 {
        let seen = model.step(&x).unwrap();
        assert_eq!((seen.update.unused, seen.reseeded), (2, 0));
        for k in [1, 3] {
            assert_eq!(model.dictionary().col(k), start.col(k), "an unused atom moved");
        }
        assert_ne!(model.dictionary().col(0), start.col(0));
    }
    assert_eq!(model.aggregates().a.get(1, 1), 0.0);

    p.unused = UnusedAtoms::Reseed;
    let mut model = Factorizer::<T>::from_dictionary(p, w.as_ref()).unwrap();
    let loss_before = model.transform(&x).unwrap().1 / 20.0;
    let code: Mat<f64> = model.code().cast();
    let (start, data): (Mat<f64>, Mat<f64>) = (start.cast(), x.cast());
    let penalty = crate::factor::code::Penalty { lambda: 0.01, kappa2: 0.0 };
    let mut order: Vec<usize> = (0..20).collect();
    let loss = |j: usize| crate::common::objective(&start, data.col(j), code.col(j), penalty);
    order.sort_by(|&i, &j| loss(j).total_cmp(&loss(i)));
    let seen = model.step(&x).unwrap();
    assert_eq!((seen.update.unused, seen.reseeded), (2, 2));
    assert!((seen.loss_before - loss_before).abs() < 1e-6 * loss_before);
    for (k, j) in [(1, order[0]), (3, order[1])] {
        let size = norm(data.col(j));
        for i in 0..8 {
            let (atom, worst) = (model.dictionary().get(i, k).to_f64(), data.get(i, j) / size);
            assert!((atom - worst).abs() < 1e-6, "atom {k} is not the worst column {j}");
        }
        // Nothing is left in the aggregates of what the atom was before.
        assert!(
            (0..4).all(|l| model.aggregates().a.get(l, k) == 0.0 && model.aggregates().a.get(k, l) == 0.0)
        );
        assert!(model.aggregates().b_transposed.col(k).iter().all(|b| *b == 0.0));
    }
    let first = seen.loss_before;
    let mut last = first;
    for _ in 0..10 {
        last = model.step(&x).unwrap().loss_before;
    }
    assert!(last < 0.8 * first, "new atoms did not help: {first} → {last}");
}

#[test]
fn unused_atoms_are_counted_kept_or_reseeded() {
    unused_atoms_are_left_alone::<f64>();
    unused_atoms_are_left_alone::<f32>();
}

/// One instance of the update in a ball under the ellipsoid.
struct Cut {
    a: Mat<f64>,
    b: Mat<f64>,
    previous: Mat<f64>,
    set: ConvexSet,
    center: Mat<f64>,
    radius: f64,
    nonnegative: bool,
}

impl Cut {
    fn random(seed: u64, d: usize, r: usize) -> Self {
        let mut random = Random::new(seed);
        let (a, b) = quadratic(d, r, &mut random);
        let nonnegative = random.chance(0.5);
        let previous = random.uniforms(d, r);
        // Balls of all sizes at all distances, so that all three outcomes occur.
        let away = 10f64.powf(random.between(-2.0, 1.0));
        let mut center = combine(away, &random.normals(d, r), 1.0, &previous);
        if nonnegative {
            (0..r).for_each(|j| center.col_mut(j).iter_mut().for_each(|x| *x = x.max(0.0)));
        }
        let radius = away * random.between(0.1, 2.0) * ((d * r) as f64).sqrt();
        let set = ConvexSet::Near { center: center.clone(), radius, nonnegative };
        Self { a, b, previous, set, center, radius, nonnegative }
    }

    fn scale(&self) -> f64 {
        1.0 + frobenius(&self.b).powi(2) + frobenius(&times(&self.previous, &self.a)).powi(2)
    }

    fn inside(&self, w: &Mat<f64>) -> bool {
        ellipsoid(&self.a, &self.b, &self.previous, w) <= 0.0
    }

    /// Points of the set and the ellipsoid, by rejection.
    fn feasible(&self, count: usize, random: &mut Random) -> Vec<Mat<f64>> {
        let middle = combine(
            0.5,
            &plain_minimizer(&self.a, &self.b, &ConvexSet::Columns(ColumnSet::Free), &self.previous),
            0.5,
            &self.previous,
        );
        let reach = distance(&middle, &self.previous);
        let mut found = Vec::new();
        for i in 0..count {
            // Half from inside the ball of the set, half from about the ellipsoid and projected onto the set.
            let mut w = near_member(&self.center, self.radius, self.nonnegative, random);
            if i % 2 == 0 {
                let step = random.normals(w.rows(), w.cols());
                w = combine(reach * 2.0 * random.uniform() / frobenius(&step), &step, 1.0, &middle);
                self.set.project(&mut w);
            }
            if self.inside(&w) {
                found.push(w);
            }
        }
        found
    }

    /// The best lower bound on `g` over set ∩ ellipsoid that weak duality gives:
    /// `max_μ min_{W ∈ set} g(W) + μ·ellipsoid(W)`, by golden section in `θ = μ/(1+μ)`.
    fn dual_bound(&self) -> f64 {
        let anchor = times(&self.previous, &self.a);
        let dual = |theta: f64| {
            let mu = theta / (1.0 - theta);
            let a = combine(1.0 + mu, &self.a, 0.0, &self.a);
            let b = combine(1.0 + mu / 2.0, &self.b, mu / 2.0, &anchor);
            let w = plain_minimizer(&a, &b, &self.set, &self.center);
            value(&a, &b, &w) + mu * inner(&self.b, &self.previous)
        };
        let ratio = (5f64.sqrt() - 1.0) / 2.0;
        let (mut low, mut high) = (0.0, 0.9999);
        let mut best = dual(0.0);
        for _ in 0..40 {
            let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
            let (l, r) = (dual(left), dual(right));
            best = best.max(l).max(r);
            if l > r { high = right } else { low = left }
        }
        best
    }
}

proptest! {
    #![proptest_config(crate::common::cases(100))]

    #[test]
    fn ellipsoid_solutions_are_feasible_and_unbeaten(seed in any::<u64>(), d in 1usize..5, r in 1usize..4) {
        let cut = Cut::random(seed, d, r);
        let (a, b) = (&cut.a, &cut.b);
        let q = Quadratic { a, b_transposed: b };
        let mut random = Random::new(seed ^ 1);
        let scale = cut.scale();
        let feasible = cut.feasible(400, &mut random);
        let found = q.minimize_in_ellipsoid(&cut.set, &cut.previous, TIGHT);
        let Some((w, _)) = found else {
            prop_assert!(feasible.is_empty(), "called empty, but {:?} is a member", feasible[0]);
            // The least value of the condition over the set, by projected gradient: it is tr(WAWᵀ) − tr(W(B + AW'ᵀ)).
            let pull = combine(0.5, b, 0.5, &times(&cut.previous, a));
            let nearest = plain_minimizer(a, &pull, &cut.set, &cut.center);
            let least = ellipsoid(a, b, &cut.previous, &nearest);
            prop_assert!(least > -1e-9 * scale, "called empty, but the condition is {least:e} at {nearest:?}");
            return Ok(());
        };
        prop_assert!(cut.set.distance(&w) <= 1e-11 * (1.0 + frobenius(&w)), "outside the set");
        let condition = ellipsoid(a, b, &cut.previous, &w);
        prop_assert!((q.ellipsoid(&cut.previous, &w) - condition).abs() <= 1e-12 * scale);
        prop_assert!(condition <= 1e-11 * scale, "outside the ellipsoid by {condition:e}");
        let least = value(a, b, &w);
        for y in feasible.iter().chain([&cut.previous].into_iter().filter(|w| cut.set.distance(w) == 0.0)) {
            for share in [1.0, 0.5, 0.1, 0.01] {
                let y = combine(share, y, 1.0 - share, &w);
                prop_assert!(value(a, b, &y) >= least - 1e-8 * scale, "beaten: {} < {least}", value(a, b, &y));
            }
        }
        let bound = cut.dual_bound();
        prop_assert!(least <= bound + 1e-6 * scale, "{least} is over the dual bound {bound}");
        // Where the plain minimizer is in the ellipsoid anyway, it is the answer.
        let plain = plain_minimizer(a, b, &cut.set, &cut.previous);
        if ellipsoid(a, b, &cut.previous, &plain) < -1e-9 * scale {
            prop_assert!(distance(&plain, &w) <= 1e-6 * scale, "θ = 0, but another point");
        }
    }
}

/// The instances of the test above show all outcomes; and balls far away are never reached.
#[test]
fn empty_cut_and_inactive_ellipsoids_all_occur() {
    let (mut empty, mut cut_off, mut inactive) = (0, 0, 0);
    for seed in 0..60 {
        let cut = Cut::random(seed, 3, 2);
        let q = Quadratic { a: &cut.a, b_transposed: &cut.b };
        match q.minimize_in_ellipsoid(&cut.set, &cut.previous, TIGHT) {
            None => empty += 1,
            Some((w, _)) if ellipsoid(&cut.a, &cut.b, &cut.previous, &w) > -1e-7 => cut_off += 1,
            Some(_) => inactive += 1,
        }
        let far = ConvexSet::Near { center: Mat::from_fn(3, 2, |_, _| 1e3), radius: 1.0, nonnegative: true };
        assert!(q.minimize_in_ellipsoid(&far, &cut.previous, TIGHT).is_none(), "seed {seed}");
    }
    assert!(empty > 3 && cut_off > 3 && inactive > 3, "{empty} {cut_off} {inactive}");
}

/// `g(W_{t−1}) − g(W_t) − ‖W_t − W_{t−1}‖²_A`, with the Hessian `A + κ₁I` in both, and the size it is made of.
fn growth(model: &Factorizer<f64>, before: &Mat<f64>) -> (f64, f64) {
    let mut a = model.aggregates().a.clone();
    let kappa1 = model.parameters().kappa1;
    (0..a.cols()).for_each(|k| a.col_mut(k)[k] += kappa1);
    let b = &model.aggregates().b_transposed;
    let after = model.dictionary();
    let step = combine(1.0, after, -1.0, before);
    let gain = value(&a, b, before) - value(&a, b, after) - inner(&times(&step, &a), &step);
    (gain, value(&a, b, before).abs() + inner(&times(before, &a), before))
}

#[test]
fn second_order_growth_over_convex_sets() {
    for kappa1 in [0.0, 0.3] {
        let mut random = Random::new(8);
        let planted = random.uniforms(10, 4);
        for set in all_sets(10, 4, &mut random) {
            let mut p = FactorSettings::new(4);
            (p.lambda, p.kappa1) = (0.1, kappa1);
            (p.dictionary_tolerance, p.dictionary_sweeps) = (1e-12, Some(100_000));
            p.dictionary = Some(DictionarySet::Convex(set.clone()));
            let mut model = Factorizer::<f64>::random(p, 10, 1).unwrap();
            for t in 1..=15 {
                let before = model.dictionary().clone();
                let x = random.planted(&planted, 15, 0.3);
                model.step(&x).unwrap();
                let (gain, scale) = growth(&model, &before);
                assert!(gain >= -1e-9 * scale, "step {t}, κ₁ = {kappa1}, {set:?}: {gain:e} of {scale:e}");
            }
        }
    }
}

/// Two disjoint balls of nonnegative dictionaries; the run starts in the wrong one. Columns show one atom each, large
/// enough that the codes, bounded by 1, are 1 in either ball: so the minimizer over all dictionaries is in the right one.
fn two_balls(random: &mut Random, kappa1: f64) -> (Mat<f64>, Factorizer<f64>) {
    let right = Mat::from_fn(6, 2, |i, k| if i / 3 == k { 1.0 + random.uniform() } else { 0.0 });
    let wrong = Mat::from_fn(6, 2, |i, k| 0.4 * right.get(i, k) + 0.1 * random.uniform());
    let radius = 0.49 * distance(&right, &wrong);
    let near = |center: &Mat<f64>| ConvexSet::Near { center: center.clone(), radius, nonnegative: true };
    let mut p = FactorSettings::new(2);
    (p.lambda, p.kappa1, p.code) = (0.05, kappa1, Some(CodeSet::Box { upper: 1.0 }));
    p.dictionary = Some(DictionarySet::Union(vec![near(&wrong), near(&right)]));
    let model = Factorizer::from_dictionary(p, wrong.as_ref()).unwrap();
    assert_eq!(model.piece(), 0);
    (right, model)
}

fn one_atom_columns(right: &Mat<f64>, n: usize, random: &mut Random) -> Mat<f64> {
    let mut x = Mat::zeros(right.rows(), n);
    for j in 0..n {
        let (atom, size) = (right.col(j % right.cols()), random.between(0.9, 1.2));
        x.col_mut(j).iter_mut().zip(atom).for_each(|(x, a)| *x = a * size + 0.05 * random.uniform());
    }
    x
}

/// Growth where sweeps end at their cap, some of them summed from moves.
#[test]
fn second_order_growth_at_the_cap() {
    let mut random = Random::new(18);
    for (atoms, sweeps, tolerance) in [
        (4, 1, 1e-12),
        (4, 3, 1e-12),
        (4, 60, 0.0),
        (20, 2, 1e-4),
        (150, 1, 1e-4),
        (150, 3, 1e-4),
        (150, 60, 0.0),
    ] {
        let planted = random.uniforms(30, atoms);
        let mut p = FactorSettings::new(atoms);
        (p.dictionary_tolerance, p.dictionary_sweeps, p.lambda) = (tolerance, Some(sweeps), 0.1);
        let mut model = Factorizer::<f64>::random(p, 30, 1).unwrap();
        for t in 1..=8 {
            let before = model.dictionary().clone();
            model.step(&random.planted(&planted, 40, 0.3)).unwrap();
            let (gain, scale) = growth(&model, &before);
            assert!(
                gain >= -1e-12 * scale,
                "step {t}, {atoms} atoms, {sweeps} sweeps: {gain:e} of {scale:e}"
            );
        }
    }
}

/// Sweeps by the plain loop, with all sums recomputed, and the step along them that minimizes the quadratic.
fn plain_sweeps(
    a: &Mat<f64>,
    b: &Mat<f64>,
    start: &Mat<f64>,
    set: &ColumnSet,
    sweeps: u32,
) -> (Mat<f64>, f64) {
    let mut w = start.clone();
    for _ in 0..sweeps {
        for j in (0..w.cols()).filter(|&j| a.get(j, j) > 0.0) {
            let mut atom = w.col(j).to_vec();
            for (i, x) in atom.iter_mut().enumerate() {
                let fitted: f64 = (0..w.cols()).map(|k| w.get(i, k) * a.get(k, j)).sum();
                *x += (b.get(i, j) - fitted) / a.get(j, j);
            }
            set.project(&mut atom);
            w.col_mut(j).copy_from_slice(&atom);
        }
    }
    let path = combine(1.0, &w, -1.0, start);
    let fall = inner(&combine(1.0, b, -1.0, &times(start, a)), &path);
    (w, fall / inner(&times(&path, a), &path))
}

/// The norm in which an atom counts as much as it is used.
fn weighed(w: &Mat<f64>, a: &Mat<f64>) -> f64 {
    let squares = |j: usize| w.col(j).iter().map(|x| x * x).sum::<f64>();
    (0..w.cols()).map(|j| a.get(j, j) * squares(j)).sum::<f64>().sqrt()
}

#[test]
fn sweeps_are_those_of_the_plain_loop() {
    fn check<T: Scalar>() {
        let mut random = Random::new(28);
        for (d, r, sweeps) in [(9, 5, 1), (9, 5, 4), (21, 40, 3), (24, 140, 1), (24, 140, 3)] {
            for set in [ColumnSet::NonnegBall { radius: 1.0 }, ColumnSet::Ball { radius: 1.0 }] {
                let planted = random.uniforms(d, r);
                let mut p = FactorSettings::new(r);
                (p.dictionary_tolerance, p.dictionary_sweeps, p.lambda) = (1e-5, Some(sweeps), 0.1);
                p.dictionary = Some(DictionarySet::Convex(ConvexSet::Columns(set.clone())));
                let mut model = Factorizer::<T>::random(p, d, 3).unwrap();
                for _ in 0..3 {
                    let before: Mat<f64> = model.dictionary().cast();
                    let update = model.step(&random.planted(&planted, 60, 0.1).cast::<T>()).unwrap().update;
                    assert_eq!((update.sweeps, update.capped), (sweeps, sweeps > 1));
                    let totals = model.aggregates();
                    let (want, share) = plain_sweeps(&totals.a, &totals.b_transposed, &before, &set, sweeps);
                    let found: Mat<f64> = model.dictionary().cast();
                    // Steps that are shortened by an estimate are shorter yet.
                    let wanted = [share, share * (1.0 - 1024.0 * T::EPSILON)]
                        .map(|share| combine(share.min(1.0), &want, (1.0 - share).max(0.0), &before));
                    let size = weighed(&before, &totals.a);
                    let off = wanted
                        .iter()
                        .map(|want| weighed(&combine(1.0, &found, -1.0, want), &totals.a) / size);
                    let off = off.fold(f64::INFINITY, f64::min);
                    assert!(
                        off <= 16.0 * T::EPSILON * (r as f64).sqrt(),
                        "{}: {d}×{r}, {sweeps} sweeps, {set:?}: off by {off:e}",
                        T::NAME
                    );
                    let g = |w: &Mat<f64>| value(&totals.a, &totals.b_transposed, w);
                    let (worse, fall) = (g(&found) - g(&wanted[1]), g(&before) - g(&wanted[1]));
                    let rounding = 16.0 * f64::EPSILON * (g(&before).abs() + size * size);
                    assert!(
                        worse <= 1024.0 * T::EPSILON * fall + rounding,
                        "{}: {d}×{r}, {sweeps} sweeps: worse by {worse:e} of {fall:e}",
                        T::NAME
                    );
                }
            }
        }
    }
    check::<f64>();
    check::<f32>();
}

#[test]
fn a_minibatch_smaller_than_the_dictionary_has_one_sweep_by_default() {
    let sweeps = |dictionary_sweeps, samples| {
        let p = FactorSettings { dictionary_sweeps, dictionary_tolerance: 0.0, ..FactorSettings::new(8) };
        let mut model = Factorizer::<f64>::random(p, 6, 1).unwrap();
        model.step(&Random::new(5).normals(6, samples)).unwrap().update.sweeps
    };
    assert_eq!([sweeps(None, 7), sweeps(None, 8), sweeps(Some(3), 7), sweeps(Some(3), 8)], [1, 5, 3, 3]);
    // Seven samples, one of which counts twice, are eight.
    let p = FactorSettings { dictionary_tolerance: 0.0, ..FactorSettings::new(8) };
    let mut model = Factorizer::<f64>::random(p, 6, 1).unwrap();
    let counts = [2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    assert_eq!(model.step_counted(&Random::new(5).normals(6, 7), &counts).unwrap().update.sweeps, 5);
}

/// A minimum inside the set is not left again because the cap was met.
#[test]
fn a_step_that_ends_at_its_minimum_is_not_shortened() {
    fn check<T: Scalar>(limit: f64) {
        let mut random = Random::new(5);
        let mut p = FactorSettings::new(4);
        (p.dictionary_tolerance, p.dictionary_sweeps, p.lambda) = (0.0, Some(500), 0.1);
        p.dictionary = Some(DictionarySet::Convex(ConvexSet::Columns(ColumnSet::Ball { radius: 1e3 })));
        let planted = random.uniforms(10, 4);
        let mut model = Factorizer::<T>::random(p, 10, 1).unwrap();
        for t in 1..=5 {
            model.step(&random.planted(&planted, 40, 0.5).cast::<T>()).unwrap();
            let (totals, w) = (model.aggregates(), model.dictionary().cast::<f64>());
            let slope = combine(1.0, &totals.b_transposed, -1.0, &times(&w, &totals.a));
            let off = inner(&slope, &slope).sqrt() / inner(&totals.b_transposed, &totals.b_transposed).sqrt();
            assert!(off <= limit, "{} step {t}: {off:e}", T::NAME);
        }
    }
    check::<f64>(1e-10);
    check::<f32>(1e-5);
}

/// `(tolerance, sweeps)` of the inner minimizations: growth must hold for loose ones too, since the ellipsoid is checked
/// and not hoped for.
#[test]
fn second_order_growth_over_unions_while_pieces_switch() {
    for (tolerance, sweeps) in [(1e-11, 500), (1e-3, 5)] {
        let mut switches = 0;
        for (seed, kappa1) in (0..12).zip([0.0, 0.05].into_iter().cycle()) {
            let mut random = Random::new(seed);
            let (right, model) = two_balls(&mut random, kappa1);
            let mut p = model.parameters().clone();
            let union = p.dictionary().clone();
            (p.dictionary_tolerance, p.dictionary_sweeps) = (tolerance, Some(sweeps));
            let mut model = Factorizer::from_dictionary(p, model.dictionary().as_ref()).unwrap();
            for t in 1..=25 {
                let (before, piece) = (model.dictionary().clone(), model.piece());
                model.step(&one_atom_columns(&right, 20, &mut random)).unwrap();
                let (gain, scale) = growth(&model, &before);
                assert!(gain >= -1e-12 * scale, "seed {seed}, step {t}: {gain:e} of {scale:e}");
                let inside = union.pieces()[model.piece()].distance(model.dictionary());
                assert!(inside <= 1e-12, "seed {seed}, step {t}: {inside:e} outside piece {}", model.piece());
                switches += usize::from(model.piece() != piece);
            }
        }
        assert!(switches >= 6, "only {switches} switches: the test does not show what it should");
    }
}

#[test]
fn a_union_of_one_set_is_that_set() {
    for kappa1 in [0.0, 0.1] {
        let mut random = Random::new(4);
        let planted = random.uniforms(9, 4);
        let mut sets = all_sets(9, 4, &mut random);
        sets.truncate(14);
        for set in sets {
            let mut p = FactorSettings::new(4);
            (p.lambda, p.kappa1) = (0.1, kappa1);
            (p.dictionary_tolerance, p.dictionary_sweeps) = (1e-12, Some(20_000));
            p.dictionary = Some(DictionarySet::Convex(set.clone()));
            let mut plain = Factorizer::<f64>::random(p.clone(), 9, 3).unwrap();
            p.dictionary = Some(DictionarySet::Union(vec![set.clone()]));
            let mut union = Factorizer::<f64>::random(p, 9, 3).unwrap();
            for t in 1..=6 {
                let x = random.planted(&planted, 25, 0.2);
                plain.step(&x).unwrap();
                union.step(&x).unwrap();
                let apart = distance(plain.dictionary(), union.dictionary());
                assert!(
                    apart <= 1e-6 * (1.0 + frobenius(plain.dictionary())),
                    "step {t}, {set:?}: {apart:e}"
                );
            }
        }
    }
}

#[test]
fn sets_that_cannot_be_are_refused() {
    let near = |rows, radius, entry| ConvexSet::Near {
        center: Mat::from_fn(rows, 2, |_, _| entry),
        radius,
        nonnegative: true,
    };
    for set in [
        DictionarySet::Union(vec![]),
        DictionarySet::Convex(near(4, 1.0, 0.5)),
        DictionarySet::Convex(near(3, 0.0, 0.5)),
        DictionarySet::Convex(near(3, f64::NAN, 0.5)),
        DictionarySet::Convex(near(3, 1.0, -0.5)),
        ColumnSet::Ball { radius: -1.0 }.into(),
        ColumnSet::Box { lower: 1.0, upper: 1.0 }.into(),
        ColumnSet::Simplex { sum: f64::INFINITY }.into(),
    ] {
        let mut p = FactorSettings::new(2);
        p.dictionary = Some(set);
        assert!(p.check(3).is_err(), "{:?}", p.dictionary());
    }
}

#[test]
fn paths_are_in_a_unit_of_their_own_unless_it_has_no_inverse() {
    let mut descent = super::ColumnDescent::<f32>::new();
    let isa = crate::linalg::Isa::available()[0];
    let at =
        |size: f32, shift: usize| Mat::<f32>::from_fn(5, 3, |i, j| size * ((3 * i + shift * j) % 7) as f32);
    for size in [1e-30, 1.0, 1e30] {
        let (w, previous) = (at(size, 2), at(size, 1));
        assert!(descent.take_path(isa, &w, &previous));
        let unit = descent.unit_of_path;
        let mut longest = 0.0f32;
        for (i, j) in (0..5).flat_map(|i| (0..3).map(move |j| (i, j))) {
            let step = descent.path.get(i, j);
            assert_eq!(f64::from(step) * unit, f64::from(w.get(i, j) - previous.get(i, j)));
            longest = longest.max(step.abs());
        }
        assert!((1.0..2.0).contains(&longest), "{longest}");
    }
    for (w, previous) in [(at(1.0, 2), at(1.0, 2)), (at(1e-44, 2), at(0.0, 1)), (at(6e37, 1), at(-6e37, 1))] {
        assert!(!descent.take_path(isa, &w, &previous));
    }
}

#[test]
fn shares_of_a_path_are_where_the_quadratic_is_least() {
    for (d, r) in [(3, 1), (5, 3), (4, 8), (6, 9), (5, 17), (7, 130)] {
        let mut random = Random::new((d * r) as u64);
        let h = random.uniforms(r, 2 * r + 3);
        let a = Mat::from_fn(r, r, |i, j| (0..h.cols()).map(|n| h.get(i, n) * h.get(j, n)).sum::<f64>());
        let b_transposed = random.uniforms(d, r);
        let previous = random.uniforms(d, r);
        let set = ColumnSet::Box { lower: 0.0, upper: 0.8 };
        let goal =
            super::Descent { a: &a, b_transposed: &b_transposed, kappa1: 0.5, tolerance: 0.0, max_sweeps: 0 };
        for isa in crate::linalg::Isa::available() {
            let mut descent = super::ColumnDescent::<f64>::new();
            let mut w = previous.clone();
            descent.minimize(isa, &mut w, &previous, &set, &goal);
            assert_eq!(distance(&w, &previous), 0.0, "no sweep");
            let unit = descent.unit;
            let swept = descent.sweep(isa, &mut w, &set, &b_transposed);
            let path = combine(1.0, &w, -1.0, &previous);
            let weighed = Mat::from_fn(r, r, |i, j| a.get(i, j) + if i == j { 0.5 } else { 0.0 });
            let value = |w: &Mat<f64>| inner(&times(w, &weighed), w) - 2.0 * inner(w, &b_transposed);
            let gain = value(&previous) - value(&w);
            assert!((swept.gain / unit / gain - 1.0).abs() < 1e-8, "{} for {gain}", swept.gain / unit);
            assert!((swept.moved / inner(&path, &path) - 1.0).abs() < 1e-9);
            assert!((swept.norm / inner(&w, &w) - 1.0).abs() < 1e-9);
            let fall = inner(&combine(1.0, &b_transposed, -1.0, &times(&previous, &weighed)), &path);
            let expected = fall / inner(&times(&path, &weighed), &path);
            let quick = descent.quick_share(isa, &w, &previous, swept.gain).unwrap();
            assert!((quick / expected - 1.0).abs() < 1e-8 && quick < expected, "{quick} for {expected}");
            let exact = descent.exact_share(isa, &w, &previous, &b_transposed).unwrap();
            assert!((exact / expected - 1.0).abs() < 1e-8, "{exact} for {expected}");
            assert!(descent.exact_share(isa, &previous, &previous, &b_transposed).is_none());
        }
    }
}

#[test]
fn sweeps_are_those_of_the_plain_loop_across_blocks() {
    for (d, r) in [(3, 7), (4, 8), (5, 9), (4, 16), (5, 17), (3, 33), (4, 128), (3, 129), (2, 200)] {
        let mut random = Random::new((3 * d * r) as u64);
        let h = random.uniforms(r, r + 3);
        let a = Mat::from_fn(r, r, |i, j| (0..h.cols()).map(|n| h.get(i, n) * h.get(j, n)).sum::<f64>());
        let b_transposed = Mat::from_fn(d, r, |_, _| random.between(0.0, r as f64));
        let previous = random.uniforms(d, r);
        let set = ColumnSet::NonnegBall { radius: 0.7 };
        let goal =
            super::Descent { a: &a, b_transposed: &b_transposed, kappa1: 0.0, tolerance: 0.0, max_sweeps: 0 };
        let mut plain = previous.clone();
        for j in 0..r {
            let mut column: Vec<f64> = (0..d)
                .map(|i| {
                    let along: f64 = (0..r).map(|k| plain.get(i, k) * a.get(k, j)).sum();
                    plain.get(i, j) - (along - b_transposed.get(i, j)) / a.get(j, j)
                })
                .collect();
            set.project(&mut column);
            plain.col_mut(j).copy_from_slice(&column);
        }
        for isa in crate::linalg::Isa::available() {
            let (mut descent, mut w) = (super::ColumnDescent::<f64>::new(), previous.clone());
            descent.minimize(isa, &mut w, &previous, &set, &goal);
            descent.sweep(isa, &mut w, &set, &b_transposed);
            assert!(distance(&w, &plain) < 1e-9, "{d}×{r}: {}", distance(&w, &plain));
        }
    }
}
