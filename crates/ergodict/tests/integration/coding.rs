//! The coder against brute force, against its own conditions, against the reference, and against itself.

use crate::common::{
    KINDS, Kind, Random, admissible, dot, eigen, frobenius, kkt, norm, objective, rounded, solve,
};
use ergodict::factor::code::{CodeReport, CodeSet, CodeSolver, Coder, Penalty};
use ergodict::factor::{Mask, Minibatch, SparseRef};
use ergodict::linalg::{Isa, Mat, Scalar};
use proptest::prelude::*;

/// One random problem: a dictionary, columns, penalties and a set, all from a few numbers that shrink well.
#[derive(Clone, Copy, Debug)]
struct Instance {
    seed: u64,
    kind: Kind,
    d: usize,
    r: usize,
    n: usize,
    penalty: Penalty,
    set: CodeSet,
}

struct Problem {
    w: Mat<f64>,
    x: Mat<f64>,
    penalty: Penalty,
    set: CodeSet,
}

impl Instance {
    /// Problems that the Gram matrix in the precision at hand does not show: what nearly dependent atoms do against each
    /// other without a penalty, and sums of codes of atoms that differ in size by more than it has digits for.
    fn is_blind(&self, single: bool) -> bool {
        match self.set {
            CodeSet::Free => self.penalty.lambda < 1e-3 && (single || self.kind == Kind::Collinear),
            CodeSet::Simplex { .. } => single && matches!(self.kind, Kind::Unequal | Kind::Opposites),
            _ => false,
        }
    }

    fn problem<T: Scalar>(&self) -> Problem {
        let mut random = Random::new(self.seed);
        let w = crate::common::dictionary(self.kind, self.d, self.r, &mut random);
        let x = crate::common::columns(&w, self.n, &mut random);
        Problem { w: rounded::<T>(&w), x: rounded::<T>(&x), penalty: self.penalty, set: self.set }
    }
}

impl Problem {
    fn coder<T: Scalar>(&self, tolerance: f64) -> Coder<T> {
        let mut coder = Coder::new(self.penalty, self.set);
        coder.tolerance = tolerance;
        coder.set_dictionary(&self.w.cast());
        coder
    }

    fn code<T: Scalar>(&self, coder: &mut Coder<T>) -> (Mat<f64>, Vec<f64>, CodeReport) {
        let (w, x) = (self.w.cast::<T>(), self.x.cast::<T>());
        code(coder, &w, (&x).into())
    }

    fn objective(&self, h: &Mat<f64>, j: usize) -> f64 {
        objective(&self.w, self.x.col(j), h.col(j), self.penalty)
    }

    /// How far apart objectives of two codes may be that are the same to f64: 1e-9, or the rounding of the parts that a
    /// fit is made of, which free codes of nearly collinear atoms make huge.
    fn rounding(&self, j: usize, h: &Mat<f64>) -> f64 {
        let x = self.x.col(j);
        let size = kkt(&self.w, x, h.col(j), self.penalty, self.set).size;
        (1e-14 * size * size).max(1e-9 * dot(x, x))
    }
}

fn code<T: Scalar>(
    coder: &mut Coder<T>,
    w: &Mat<T>,
    x: Minibatch<'_, T>,
) -> (Mat<f64>, Vec<f64>, CodeReport) {
    let (mut h, mut costs) = (Mat::zeros(0, 0), Vec::new());
    let report = coder.code(x, w, &mut h, false, &mut costs).unwrap();
    (h.cast(), costs, report)
}

fn penalties() -> impl Strategy<Value = Penalty> {
    let lambda = prop_oneof![Just(0.0), Just(1e-6), Just(0.1), Just(1.0), Just(1e6)];
    let kappa2 = prop_oneof![3 => Just(0.0), 1 => Just(1e-3), 1 => Just(2.0)];
    (lambda, kappa2).prop_map(|(lambda, kappa2)| Penalty { lambda, kappa2 })
}

fn sets() -> impl Strategy<Value = CodeSet> {
    prop_oneof![
        Just(CodeSet::Nonnegative),
        Just(CodeSet::Free),
        prop_oneof![Just(0.1), Just(1.0), Just(100.0)].prop_map(|upper| CodeSet::Box { upper }),
        prop_oneof![Just(0.1), Just(2.0), Just(100.0)].prop_map(|bound| CodeSet::Simplex { bound }),
    ]
}

fn instances(
    d: impl Strategy<Value = usize>,
    r: impl Strategy<Value = usize>,
    n: impl Strategy<Value = usize>,
) -> impl Strategy<Value = Instance> {
    (any::<u64>(), prop::sample::select(KINDS.to_vec()), d, r, n, penalties(), sets())
        .prop_map(|(seed, kind, d, r, n, penalty, set)| Instance { seed, kind, d, r, n, penalty, set })
}

/// The least objective over all faces of the set. Every candidate is moved into the set and judged by the definition,
/// so the result is never below the minimum, and a minimizer with independent atoms is among the candidates.
fn brute_force(p: &Problem, j: usize) -> (f64, Vec<f64>) {
    let r = p.w.cols();
    let ridge = p.penalty.kappa2 / 2.0;
    let half = p.penalty.lambda / 2.0;
    let x = p.x.col(j);
    let g: Vec<Vec<f64>> = (0..r)
        .map(|k| (0..r).map(|l| dot(p.w.col(k), p.w.col(l)) + f64::from(k == l) * ridge).collect())
        .collect();
    let c: Vec<f64> = (0..r).map(|k| dot(p.w.col(k), x)).collect();
    let mut best = (objective(&p.w, x, &vec![0.0; r], p.penalty), vec![0.0; r]);
    // 0: zero; 1: inside (positive); 2: at the upper bound, or inside and negative.
    let states: usize = if matches!(p.set, CodeSet::Nonnegative | CodeSet::Simplex { .. }) { 2 } else { 3 };
    for face in 0..states.pow(r as u32) {
        let state: Vec<usize> = (0..r).map(|k| face / states.pow(k as u32) % states).collect();
        let upper = if let CodeSet::Box { upper } = p.set { upper } else { 0.0 };
        let boxed = matches!(p.set, CodeSet::Box { .. });
        let inside: Vec<usize> = (0..r).filter(|&k| state[k] == 1 || (state[k] == 2 && !boxed)).collect();
        let m: Vec<Vec<f64>> = inside.iter().map(|&k| inside.iter().map(|&l| g[k][l]).collect()).collect();
        let b: Vec<f64> = inside
            .iter()
            .map(|&k| {
                let fixed: f64 = (0..r).filter(|&l| boxed && state[l] == 2).map(|l| g[k][l] * upper).sum();
                c[k] - fixed - if state[k] == 2 { -half } else { half }
            })
            .collect();
        let mut offer = |inner: &[f64]| {
            let mut h = vec![0.0; r];
            inside.iter().zip(inner).for_each(|(&k, &y)| h[k] = y);
            match p.set {
                CodeSet::Nonnegative => h.iter_mut().for_each(|h| *h = h.max(0.0)),
                CodeSet::Box { upper } => {
                    (0..r).filter(|&k| state[k] == 2).for_each(|k| h[k] = upper);
                    h.iter_mut().for_each(|h| *h = h.clamp(0.0, upper));
                }
                CodeSet::Simplex { bound } => {
                    h.iter_mut().for_each(|h| *h = h.max(0.0));
                    let sum: f64 = h.iter().sum();
                    if sum > bound {
                        h.iter_mut().for_each(|h| *h *= bound / sum);
                    }
                }
                _ => {}
            }
            let value = objective(&p.w, x, &h, p.penalty);
            if value < best.0 {
                best = (value, h);
            }
        };
        if let Some(inner) = solve(&m, &b) {
            offer(&inner);
        }
        if let CodeSet::Simplex { bound } = p.set {
            // The sum is tight: one more unknown, its multiplier.
            let mut m: Vec<Vec<f64>> = m.iter().map(|row| [&row[..], &[1.0]].concat()).collect();
            m.push((0..=inside.len()).map(|i| f64::from(i < inside.len())).collect());
            if let Some(inner) = solve(&m, &[&b[..], &[bound]].concat()) {
                offer(&inner[..inside.len()]);
            }
        }
    }
    best
}

fn equals_brute_force<T: Scalar>(instance: &Instance, tolerance: f64) -> Result<(), TestCaseError> {
    if T::EPSILON > 1e-10 && instance.is_blind(true) {
        return Ok(());
    }
    let p = instance.problem::<T>();
    let (h, _, report) = p.code(&mut p.coder::<T>(tolerance));
    let gram = Mat::from_fn(instance.r, instance.r, |k, l| {
        dot(p.w.col(k), p.w.col(l)) + f64::from(k == l) * p.penalty.kappa2 / 2.0
    });
    let curvature = eigen(&gram).0.into_iter().fold(f64::INFINITY, f64::min);
    for j in 0..instance.n {
        let x = p.x.col(j);
        let (least, best) = brute_force(&p, j);
        let found = p.objective(&h, j);
        let conditions = kkt(&p.w, x, h.col(j), p.penalty, p.set);
        // By convexity f(h) − f(h*) ≤ ⟨∇f(h), h − h*⟩, at most twice the residual times ‖h − h*‖₁.
        let reach = conditions.length + kkt(&p.w, x, &best, p.penalty, p.set).length;
        let bound = 2.0 * conditions.allowed(tolerance, T::EPSILON) * reach;
        let rounding = p.rounding(j, &h);
        prop_assert!(
            found <= least + rounding.max(if T::EPSILON > 1e-10 { bound } else { 0.0 }),
            "column {j}: {found} > {least}, {report:?}, h = {:?}, best = {best:?}",
            h.col(j)
        );
        prop_assert!(found >= least - rounding - bound, "column {j}: {found} beats brute force {least}");
        // With curvature the minimizer is unique: ‖h − h*‖² ≤ (f(h) − f*)/λ_min.
        if T::EPSILON < 1e-10 && curvature > 1e-3 {
            let apart = norm(&h.col(j).iter().zip(&best).map(|(a, b)| a - b).collect::<Vec<_>>());
            prop_assert!(apart <= 1e-6 * (1.0 + norm(x)), "column {j}: {:?} ≠ {best:?}", h.col(j));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::common::cases(160))]

    #[test]
    fn codes_are_the_best_of_all_faces(instance in instances(1usize..40, 1usize..=5, 1usize..5)) {
        equals_brute_force::<f64>(&instance, 1e-12)?;
        equals_brute_force::<f32>(&instance, 1e-12)?;
    }

    #[test]
    fn nonnegative_codes_are_the_best_of_all_supports(
        instance in instances(1usize..40, 6usize..=11, 1usize..3),
        bound in prop::option::of(0.05..5.0f64),
    ) {
        let set = bound.map_or(CodeSet::Nonnegative, |bound| CodeSet::Simplex { bound });
        let r = if bound.is_some() { instance.r.min(9) } else { instance.r };
        equals_brute_force::<f64>(&Instance { r, set, ..instance }, 1e-12)?;
    }
}

fn conditions_hold<T: Scalar>(instance: &Instance) -> Result<(), TestCaseError> {
    const TOLERANCE: f64 = 1e-6;
    let p = instance.problem::<T>();
    let (h, costs, report) = p.code(&mut p.coder::<T>(TOLERANCE));
    let single = T::EPSILON > 1e-10;
    let blind = instance.is_blind(single);
    prop_assert!(report.capped == 0 || blind, "{:?}", report);
    let mut worst = TOLERANCE.max(64.0 * T::EPSILON);
    for j in 0..instance.n {
        let x = p.x.col(j);
        prop_assert!(admissible(h.col(j), p.set, T::EPSILON), "column {}: {:?}", j, h.col(j));
        let conditions = kkt(&p.w, x, h.col(j), p.penalty, p.set);
        let mut allowed = conditions.allowed(TOLERANCE, T::EPSILON);
        if matches!(p.set, CodeSet::Simplex { .. }) {
            // The test's choice of the multiplier is within twice the best.
            allowed *= 2.0;
        }
        if p.set == CodeSet::Free && p.penalty.lambda == 0.0 {
            // Least squares leaves out directions whose eigenvalue is below r ε of the largest, whatever their atoms' size.
            let left_out = (instance.r as f64 * T::EPSILON).sqrt() * conditions.size;
            allowed = allowed.max(left_out * crate::common::spread(&p.w));
        }
        prop_assert!(
            conditions.residual <= allowed || blind,
            "column {j}: residual {:e} at scale {:e}, size {:e}, {report:?}, h = {:?}",
            conditions.residual,
            conditions.scale,
            conditions.size,
            h.col(j)
        );
        worst = worst.max(allowed / conditions.scale);
        for k in 0..instance.r {
            let used = h.get(k, j).abs() > if blind { 1e-2 } else { 1e-10 } * norm(h.col(j));
            prop_assert!(norm(p.w.col(k)) > 0.0 || !used, "zero atom {k} is used: {:?}", h.col(j));
        }
        let cost = p.objective(&h, j) - dot(x, x);
        let allowed = 64.0 * T::EPSILON * conditions.size.powi(2);
        prop_assert!(
            (costs[j] - cost).abs() <= allowed,
            "column {j}: cost {} ≠ {cost} ± {allowed:e}",
            costs[j]
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::common::cases(300))]

    #[test]
    fn conditions_hold_and_costs_are_true(
        instance in instances(1usize..40, 1usize..40, 1usize..70),
    ) {
        conditions_hold::<f64>(&instance)?;
        conditions_hold::<f32>(&instance)?;
    }
}

proptest! {
    // Fewer where each takes long.
    #![proptest_config(crate::common::cases(75))]

    #[test]
    fn conditions_hold_for_many_atoms(instance in instances(1usize..90, 60usize..=130, 1usize..20)) {
        conditions_hold::<f64>(&instance)?;
        conditions_hold::<f32>(&instance)?;
    }
}

proptest! {
    #![proptest_config(crate::common::cases(30))]

    #[test]
    fn fast_equals_the_reference(instance in instances(1usize..60, 1usize..=130, 1usize..4)) {
        let p = instance.problem::<f64>();
        let (fast, ..) = p.code(&mut p.coder::<f64>(1e-12));
        let mut reference = p.coder::<f64>(1e-11);
        reference.solver = CodeSolver::ProjectedGradient;
        reference.max_rounds = 4;
        let (slow, costs, _) = p.code(&mut reference);
        for j in 0..instance.n {
            let x = p.x.col(j);
            let (f, s) = (p.objective(&fast, j), p.objective(&slow, j));
            prop_assert!(admissible(slow.col(j), p.set, 1e-9));
            prop_assert!((costs[j] + dot(x, x) - s).abs() <= 1e-11 * (dot(x, x) + s), "cost of the reference");
            prop_assert!(f <= s + p.rounding(j, &fast), "column {j}: fast {f} > reference {s}");
            // What the reference has left to gain: by convexity, at most its residual times the way to go.
            let (left, done) =
                (kkt(&p.w, x, slow.col(j), p.penalty, p.set), kkt(&p.w, x, fast.col(j), p.penalty, p.set));
            let gain = 2.0 * left.residual * (left.length + done.length);
            prop_assert!(s <= f + gain + p.rounding(j, &fast), "column {j}: reference {s} > fast {f} + {gain:e}");
        }
    }

}

proptest! {
    #![proptest_config(crate::common::cases(60))]

    #[test]
    fn warm_starts_change_nothing(instance in instances(1usize..40, 1usize..30, 1usize..70)) {
        let p = instance.problem::<f64>();
        let (cold, ..) = p.code(&mut p.coder::<f64>(1e-12));
        let mut random = Random::new(instance.seed ^ 1);
        let other = Problem { x: crate::common::columns(&p.w, instance.n, &mut random), w: p.w.clone(), ..p };
        let (elsewhere, ..) = other.code(&mut other.coder::<f64>(1e-6));
        let inside = Mat::from_fn(instance.r, instance.n, |_, _| match p.set {
            CodeSet::Box { upper } => upper * random.uniform(),
            CodeSet::Simplex { bound } => bound * random.uniform() / instance.r as f64,
            CodeSet::Free => 10.0 * random.normal(),
            _ => 10.0 * random.uniform(),
        });
        for (name, start) in [("solution", &cold), ("other problem", &elsewhere), ("garbage", &inside)] {
            let mut coder = p.coder::<f64>(1e-12);
            let (mut h, mut costs) = (start.clone(), Vec::new());
            let report = coder.code((&p.x).into(), &p.w, &mut h, true, &mut costs).unwrap();
            for j in 0..instance.n {
                let x = p.x.col(j);
                let (a, b) = (p.objective(&cold, j), p.objective(&h, j));
                prop_assert!(admissible(h.col(j), p.set, 1e-15), "{name}: {:?}", h.col(j));
                prop_assert!((a - b).abs() <= p.rounding(j, &cold), "{name}, column {j}: {b} ≠ {a}, {report:?}");
                let size = kkt(&p.w, x, h.col(j), p.penalty, p.set).size;
                prop_assert!((costs[j] + dot(x, x) - b).abs() <= 1e-13 * size * size, "{name}: cost");
            }
        }
    }

    #[test]
    fn masked_columns_are_coded_as_if_their_rows_were_deleted(
        instance in instances(1usize..40, 1usize..20, 1usize..10),
        observed in prop_oneof![Just(0.1), Just(0.5), Just(0.9)],
        uneven in any::<bool>(),
    ) {
        let mut p = instance.problem::<f64>();
        let mut random = Random::new(instance.seed ^ 2);
        if uneven && p.set != CodeSet::Free {
            // Features of very different size: subtracting the missing rows from the Gram matrix would cancel.
            for i in 0..instance.d {
                let size = 10f64.powf(random.between(-4.0, 4.0));
                (0..instance.r).for_each(|k| p.w.col_mut(k)[i] *= size);
            }
        }
        let mask = Mask::from_fn(instance.d, instance.n, |_, _| random.chance(observed));
        let mut values = p.x.clone();
        for j in 0..instance.n {
            for i in (0..instance.d).filter(|&i| !mask.get(i, j)) {
                values.col_mut(j)[i] = f64::NAN;
            }
        }
        let minibatch = Minibatch::Masked { values: values.as_ref(), observed: &mask };
        let (h, costs, report) = code(&mut p.coder::<f64>(1e-12), &p.w, minibatch);
        for j in 0..instance.n {
            let seen: Vec<usize> = (0..instance.d).filter(|&i| mask.get(i, j)).collect();
            let part = Problem {
                w: Mat::from_fn(seen.len(), instance.r, |i, k| p.w.get(seen[i], k)),
                x: Mat::from_fn(seen.len(), 1, |i, _| p.x.get(seen[i], j)),
                ..p
            };
            let x = part.x.col(0);
            let least = if seen.is_empty() {
                0.0
            } else {
                let (alone, ..) = part.code(&mut part.coder::<f64>(1e-12));
                part.objective(&alone, 0)
            };
            let found = objective(&part.w, x, h.col(j), p.penalty);
            // Rounding is relative to the parts that fits are made of; free codes of nearly collinear atoms are huge.
            let size = kkt(&part.w, x, h.col(j), p.penalty, p.set).size;
            prop_assert!(
                (found - least).abs() <= (1e-14 * size * size).max(1e-9 * dot(x, x)),
                "column {j}, {} of {} seen: {found} ≠ {least}, {report:?}, h = {:?}",
                seen.len(),
                instance.d,
                h.col(j)
            );
            prop_assert!((costs[j] + dot(x, x) - found).abs() <= 1e-12 * size * size, "cost of column {j}");
        }
    }

    #[test]
    fn full_masks_and_sparse_columns_equal_dense_ones(
        instance in instances(1usize..80, 1usize..30, 1usize..70),
        single in any::<bool>(),
    ) {
        fn check<T: Scalar>(instance: &Instance) -> Result<(), TestCaseError> {
            let mut p = instance.problem::<T>();
            let mut random = Random::new(instance.seed ^ 3);
            (0..instance.n).for_each(|j| p.x.col_mut(j).iter_mut().for_each(|x| {
                if random.chance(0.6) { *x = 0.0; }
            }));
            let (w, x) = (p.w.cast::<T>(), p.x.cast::<T>());
            let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for j in 0..instance.n {
                for (i, &x) in x.col(j).iter().enumerate().filter(|(_, x)| **x != T::ZERO) {
                    indices.push(i as u32);
                    values.push(x);
                }
                starts.push(indices.len());
            }
            let sparse = SparseRef::new(instance.d, &starts, &indices, &values).unwrap();
            let full = Mask::from_fn(instance.d, instance.n, |_, _| true);
            assert!(full.is_full());
            let (dense, costs, _) = p.code(&mut p.coder::<T>(1e-12));
            let masked = Minibatch::Masked { values: x.as_ref(), observed: &full };
            for (name, minibatch) in [("sparse", sparse.into()), ("masked", masked)] {
                let (h, other, _) = code(&mut p.coder::<T>(1e-12), &w, minibatch);
                for j in 0..instance.n {
                    let conditions = kkt(&p.w, p.x.col(j), h.col(j), p.penalty, p.set);
                    let reach = conditions.length + kkt(&p.w, p.x.col(j), dense.col(j), p.penalty, p.set).length;
                    let allowed = 2.0 * conditions.allowed(0.0, T::EPSILON) * reach
                        + 64.0 * T::EPSILON * conditions.size.powi(2);
                    let (a, b) = (p.objective(&dense, j), p.objective(&h, j));
                    prop_assert!((a - b).abs() <= allowed, "{name}, column {j}: {b} ≠ {a}");
                    prop_assert!((costs[j] - other[j]).abs() <= 2.0 * allowed, "{name}, column {j}: costs");
                }
            }
            Ok(())
        }
        if single { check::<f32>(&instance)? } else { check::<f64>(&instance)? }
    }

    #[test]
    fn instruction_sets_agree(instance in instances(1usize..40, 1usize..70, 1usize..70)) {
        let p = instance.problem::<f64>();
        let mut all = Isa::available().into_iter();
        let mut coder = p.coder::<f64>(1e-12);
        coder.isa = all.next().unwrap();
        prop_assert_eq!(coder.isa.name(), "scalar");
        let (plain, ..) = p.code(&mut coder);
        for isa in all {
            coder.isa = isa;
            let (h, ..) = p.code(&mut coder);
            for j in 0..instance.n {
                let (a, b) = (p.objective(&plain, j), p.objective(&h, j));
                prop_assert!((a - b).abs() <= p.rounding(j, &h), "{} column {j}: {b} ≠ {a}", isa.name());
            }
        }
    }

    /// Free codes without penalties: least squares, of minimum norm where the dictionary is rank-deficient. The oracle
    /// is the pseudo-inverse by Gram–Schmidt: `W = QR` with `Q` orthonormal, then the minimum-norm solution of `Rh = Qᵀx`
    /// as `Rᵀ(RRᵀ)⁻¹Qᵀx`.
    #[test]
    fn unpenalized_free_codes_have_minimum_norm(
        seed in any::<u64>(), d in 1usize..300, rank in 1usize..8, extra in 0usize..6, n in 1usize..5, single in any::<bool>(),
    ) {
        fn check<T: Scalar>(seed: u64, d: usize, rank: usize, extra: usize, n: usize) -> Result<(), TestCaseError> {
            let mut random = Random::new(seed);
            let base = random.normals(d, rank);
            // Small integers over a power of two: the dependent atoms are exact combinations in f32 too.
            let base = Mat::from_fn(d, rank, |i, k| (base.get(i, k) * 8.0).round() / 8.0);
            let w = Mat::from_fn(d, rank + extra, |i, k| {
                if k < rank { base.get(i, k) } else { base.get(i, k % rank) - base.get(i, (k + 1) % rank) * 0.5 }
            });
            let r = w.cols();
            let x = rounded::<T>(&random.normals(d, n));
            let p = Problem { w, x, penalty: Penalty::default(), set: CodeSet::Free };
            let (h, costs, _) = p.code(&mut p.coder::<T>(1e-12));
            // Orthonormal basis of the column space, by modified Gram–Schmidt done twice.
            let mut q: Vec<Vec<f64>> = Vec::new();
            let largest = (0..r).map(|k| norm(p.w.col(k))).fold(0.0, f64::max);
            for k in 0..r {
                let mut v = p.w.col(k).to_vec();
                for _ in 0..2 {
                    for u in &q {
                        let along = dot(u, &v);
                        v.iter_mut().zip(u).for_each(|(v, u)| *v -= along * u);
                    }
                }
                let size = norm(&v);
                if size > 1e-9 * largest {
                    q.push(v.into_iter().map(|v| v / size).collect());
                }
            }
            let m = q.len();
            let triangle: Vec<Vec<f64>> = q.iter().map(|q| (0..r).map(|k| dot(q, p.w.col(k))).collect()).collect();
            let outer = Mat::from_fn(m, m, |a, b| dot(&triangle[a], &triangle[b]));
            let (values, _) = eigen(&outer);
            let condition = values.iter().fold(0.0f64, |a, b| a.max(*b)) / values.iter().fold(f64::INFINITY, |a, b| a.min(*b));
            // Worse ones are indistinguishable from rank-deficient in f32, where the Gram matrix is known to 1e-7.
            prop_assume!(condition * T::EPSILON < 1e-4);
            let rows: Vec<Vec<f64>> = (0..m).map(|a| (0..m).map(|b| outer.get(a, b)).collect()).collect();
            for j in 0..n {
                let qx: Vec<f64> = q.iter().map(|q| dot(q, p.x.col(j))).collect();
                let y = if m == 0 { vec![] } else { solve(&rows, &qx).unwrap() };
                let want: Vec<f64> = (0..r).map(|k| (0..m).map(|a| triangle[a][k] * y[a]).sum()).collect();
                let got = h.col(j);
                prop_assert!(got.iter().all(|h| h.is_finite()), "{got:?}");
                let apart = norm(&got.iter().zip(&want).map(|(a, b)| a - b).collect::<Vec<_>>());
                // Rounding of the Gram matrix, ε√d of it, acts through its condition.
                let allowed = 64.0 * T::EPSILON * condition * (d as f64).sqrt() * (norm(&want) + norm(p.x.col(j)) / values.iter().fold(f64::INFINITY, |a, b| a.min(*b)).sqrt());
                prop_assert!(apart <= allowed, "column {j}: {got:?} ≠ {want:?} by {apart:e} > {allowed:e}, rank {m}");
                let x = p.x.col(j);
                let size = norm(x) + (0..r).map(|k| norm(p.w.col(k)) * got[k].abs()).sum::<f64>();
                let cost = p.objective(&h, j) - dot(x, x);
                prop_assert!((costs[j] - cost).abs() <= 64.0 * T::EPSILON * size * size);
            }
            Ok(())
        }
        if single { check::<f32>(seed, d, rank, extra, n)? } else { check::<f64>(seed, d, rank, extra, n)? }
    }
}

/// A long column of nearly equal data and a small dictionary: the rounding of the Gram matrix is well over `r ε` of
/// its largest eigenvalue, and must still not pass for a direction of its own.
#[test]
fn minimum_norm_with_few_atoms_and_many_features() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let d = 20_000;
        let base = random.uniforms(d, 2);
        let w = Mat::from_fn(d, 3, |i, k| match k {
            2 => base.get(i, 0) / 3.0 + base.get(i, 1) / 7.0,
            _ => base.get(i, k),
        });
        let x = random.uniforms(d, 1);
        let p = Problem { w, x, penalty: Penalty::default(), set: CodeSet::Free };
        let (h, ..) = p.code(&mut p.coder::<f64>(1e-6));
        // The null direction is (1/3, 1/7, −1); a minimum-norm code has no part along it.
        let along = (h.get(0, 0) / 3.0 + h.get(1, 0) / 7.0 - h.get(2, 0)).abs();
        assert!(along <= 1e-9 * frobenius(&h), "seed {seed}: {h:?}");
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let (w, x) = (Mat::<f64>::zeros(3, 2), Mat::<f64>::zeros(4, 5));
    let mut coder = Coder::new(Penalty::default(), CodeSet::Nonnegative);
    coder.set_dictionary(&w);
    let (mut h, mut costs) = (Mat::zeros(0, 0), Vec::new());
    assert!(coder.code((&x).into(), &w, &mut h, false, &mut costs).is_err());
    let x = Mat::<f64>::zeros(3, 5);
    assert!(coder.code((&x).into(), &w, &mut h, true, &mut costs).is_err(), "a warm start of another shape");
    let mask = Mask::from_fn(3, 4, |_, _| true);
    let masked = Minibatch::Masked { values: x.as_ref(), observed: &mask };
    assert!(coder.code(masked, &w, &mut h, false, &mut costs).is_err(), "a mask of another shape");
    assert!(coder.code((&x).into(), &w, &mut h, false, &mut costs).is_ok());
}

/// What a clipped step leaves has a round of its own, even if one is all that is allowed.
#[test]
fn one_round_follows_what_clipping_leaves() {
    let penalty = Penalty { lambda: 0.1, kappa2: 0.0 };
    let instance =
        Instance { seed: 1, kind: KINDS[0], d: 40, r: 60, n: 20, penalty, set: CodeSet::Nonnegative };
    let p = instance.problem::<f64>();
    let mut coder = p.coder::<f64>(1e-6);
    let mut rounds = |rounds| {
        coder.max_rounds = rounds;
        p.code(&mut coder).2
    };
    let [none, one, all] = [rounds(0), rounds(1), rounds(100)];
    assert_eq!((none.newton_steps, none.capped), (0, 20));
    assert!(one.newton_steps > 20 && one.capped < 20 && one.capped > all.capped, "{one:?} {all:?}");
    assert_eq!(all.capped, 0);
}

/// Of an atom that is nearly all in a missing row the rest is not what is left of a difference.
#[test]
fn atoms_that_are_mostly_missing_keep_their_digits() {
    let w = Mat::from_fn(5, 1, |i, _| if i == 0 { 1.0 } else { 1e-6 });
    let values = Mat::from_fn(5, 2, |i, _| if i == 0 { f64::NAN } else { 3e-6 });
    let observed = Mask::not_nan(values.as_ref());
    for set in [CodeSet::Nonnegative, CodeSet::Free] {
        let mut coder = Coder::new(Penalty::default(), set);
        coder.set_dictionary(&w);
        let masked = Minibatch::Masked { values: values.as_ref(), observed: &observed };
        let (h, _, _) = code(&mut coder, &w, masked);
        assert!((h.get(0, 0) - 3.0).abs() < 1e-9, "{set:?}: {}", h.get(0, 0));
    }
}

/// Codes of nearly equal atoms that are larger than rounding lets one judge: no worse than none at all.
#[test]
fn codes_that_rounding_hides_are_no_worse_than_none() {
    for near in [5e-8, 1e-7, 1.5e-7, 2e-7, 3e-7, 4e-7, 6e-7, 1e-6] {
        for lambda in [1e-15, 1e-12, 1e-9] {
            let w = Mat::from_fn(2, 2, |i, k| [[1.0, 1.0], [0.0, near]][i][k]);
            let x = Mat::from_fn(2, 3, |i, j| if i == 1 { 1.0 } else { 0.1 * j as f64 });
            let p = Problem { w, x, penalty: Penalty { lambda, kappa2: 0.0 }, set: CodeSet::Free };
            let (h, ..) = p.code(&mut p.coder::<f64>(1e-6));
            for j in 0..3 {
                let none = dot(p.x.col(j), p.x.col(j));
                assert!(p.objective(&h, j) <= none * (1.0 + 1e-6), "{near} {lambda}: {:?}", h.col(j));
            }
        }
    }
}

/// Without a penalty two dependent atoms explain a column with different sums of codes; a sum between them is met, with the same fit.
#[test]
fn sums_that_jump_are_met_between_two_minimizers() {
    let w = Mat::from_fn(2, 2, |i, k| if i == 0 { [1.0, 0.5][k] } else { 0.0 });
    let x = Mat::from_fn(2, 1, |i, _| f64::from(u8::from(i == 0)));
    for bound in [1.2, 1.5, 1.9] {
        let mut coder = Coder::new(Penalty::default(), CodeSet::Simplex { bound });
        coder.set_dictionary(&w);
        // From the minimizer whose sum is too large.
        let (mut h, mut costs) = (Mat::from_fn(2, 1, |k, _| [0.0, 2.0][k]), Vec::new());
        coder.code((&x).into(), &w, &mut h, true, &mut costs).unwrap();
        let (sum, fit) = (h.get(0, 0) + h.get(1, 0), h.get(0, 0) + 0.5 * h.get(1, 0));
        assert!(sum <= bound * (1.0 + 1e-9) && (fit - 1.0).abs() < 1e-3, "{bound}: {:?}", h.col(0));
    }
}
