//! Benchmarks of the parts, on data made here: each line is a median of CPU time and a ratio against its baseline.

use crate::clock::median_ms;
use anyhow::Result;
use ergodict::factor::code::{CodeSet, CodeSolver, Coder, Penalty};
use ergodict::factor::{FactorSettings, Factorizer};
use ergodict::linalg::{Isa, Mat, Scalar};
use ergodict::rng::{Purpose, stream, uniform};

/// Columns made of few atoms of a planted nonnegative dictionary, with noise: `(W, X)`.
fn planted<T: Scalar>(d: usize, n: usize, r: usize) -> (Mat<T>, Mat<T>) {
    let mut rng = stream(1, Purpose::Synthetic, (d * n * r) as u64);
    let mut w = Mat::from_fn(d, r, |_, _| if uniform(&mut rng) < 0.1 { uniform(&mut rng) } else { 0.0 });
    for k in 0..r {
        let norm = w.col(k).iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-12);
        w.col_mut(k).iter_mut().for_each(|x| *x /= norm);
    }
    let h =
        Mat::from_fn(r, n, |_, _| if uniform(&mut rng) < 0.1 { 1.0 + 4.0 * uniform(&mut rng) } else { 0.0 });
    let x = Mat::from_fn(d, n, |i, j| {
        let clean: f64 = (0..r).map(|k| w.get(i, k) * h.get(k, j)).sum();
        (clean + 0.05 * (uniform(&mut rng) - 0.5)).max(0.0)
    });
    (w.cast(), x.cast())
}

pub(crate) fn run(filter: &[String]) -> Result<()> {
    let wanted = |name: &str| filter.is_empty() || filter.iter().any(|f| name.contains(f.as_str()));
    println!("| benchmark | CPU ms | baseline | ratio |\n|---|---|---|---|");
    for (name, d, n, r) in [("patches", 400, 1000, 100), ("network", 441, 100, 25), ("wide", 1024, 256, 256)]
    {
        if wanted(&format!("code/{name}")) {
            code::<f64>(name, d, n, r)?;
            code::<f32>(name, d, n, r)?;
        }
        if wanted(&format!("step/{name}")) {
            step::<f64>(name, d, n, r)?;
            step::<f32>(name, d, n, r)?;
        }
    }
    Ok(())
}

fn row(name: &str, ms: f64, baseline: &str, baseline_ms: f64) {
    println!("| {name} | {ms:.3} | {baseline} {baseline_ms:.3} | {:.2}× |", baseline_ms / ms);
}

/// The coder: each instruction set against the scalar path, each set of codes, and the reference on few columns.
fn code<T: Scalar>(name: &str, d: usize, n: usize, r: usize) -> Result<()> {
    let (w, x) = planted::<T>(d, n, r);
    let (mut h, mut costs) = (Mat::zeros(0, 0), Vec::new());
    let mut time = |set: CodeSet, isa: Isa, solver: CodeSolver, columns: usize| -> Result<f64> {
        let mut coder = Coder::<T>::new(Penalty { lambda: 1.0, kappa2: 0.0 }, set);
        (coder.isa, coder.solver) = (isa, solver);
        coder.set_dictionary(&w);
        let part = x.as_ref().columns(0, columns);
        coder.code(part.into(), &w, &mut h, false, &mut costs)?;
        Ok(median_ms(200, || {
            // The same call just succeeded.
            let _ = coder.code(part.into(), &w, &mut h, false, &mut costs);
        }))
    };
    let isas = Isa::available();
    let scalar = time(CodeSet::Nonnegative, isas[0], CodeSolver::Fast, n)?;
    for isa in isas.into_iter().skip(1) {
        let ms = time(CodeSet::Nonnegative, isa, CodeSolver::Fast, n)?;
        row(&format!("code/{name}/{}/{}", T::NAME, isa.name()), ms, "scalar", scalar);
    }
    let plain = time(CodeSet::Nonnegative, Isa::detect(), CodeSolver::Fast, n)?;
    let others = [
        ("free", CodeSet::Free),
        ("box", CodeSet::Box { upper: 3.0 }),
        ("simplex", CodeSet::Simplex { bound: 10.0 }),
    ];
    for (set_name, set) in others {
        let ms = time(set, Isa::detect(), CodeSolver::Fast, n)?;
        row(&format!("code/{name}/{}/{set_name}", T::NAME), ms, "nonneg", plain);
    }
    let few = 4.min(n);
    let fast = time(CodeSet::Nonnegative, Isa::detect(), CodeSolver::Fast, few)?;
    let slow = time(CodeSet::Nonnegative, Isa::detect(), CodeSolver::ProjectedGradient, few)?;
    row(&format!("code/{name}/{}/{few} columns", T::NAME), fast, "projected gradient", slow);
    Ok(())
}

/// A whole step, against the coding that is part of it.
fn step<T: Scalar>(name: &str, d: usize, n: usize, r: usize) -> Result<()> {
    let (_, x) = planted::<T>(d, n, r);
    let mut factorizer = Factorizer::<T>::random(FactorSettings::new(r), d, 0)?;
    for _ in 0..5 {
        factorizer.step(&x)?;
    }
    let whole = median_ms(200, || {
        // The same call just succeeded.
        let _ = factorizer.step(&x);
    });
    let coding = median_ms(200, || {
        let _ = factorizer.loss(&x);
    });
    row(&format!("step/{name}/{}", T::NAME), whole, "its coding", coding);
    Ok(())
}
