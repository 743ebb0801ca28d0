//! scratch
use ergodict::factor::*;
use ergodict::linalg::*;
use std::time::Instant;
fn npy(path: &str) -> (Vec<usize>, Vec<f64>) {
    let b = std::fs::read(path).unwrap();
    let hl = u16::from_le_bytes([b[8], b[9]]) as usize;
    let h = std::str::from_utf8(&b[10..10 + hl]).unwrap().to_string();
    let sh = h.split("(").nth(1).unwrap().split(")").next().unwrap();
    let shape: Vec<usize> = sh.split(",").filter_map(|s| s.trim().parse().ok()).collect();
    let d = &b[10 + hl..];
    let v: Vec<f64> = if h.contains("f4") {
        d.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap()) as f64).collect()
    } else {
        d.chunks(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect()
    };
    (shape, v)
}
fn save(path: &str, w: &Mat<f64>) {
    let mut h = format!("{{'descr': '<f8', 'fortran_order': True, 'shape': ({}, {}), }}", w.rows(), w.cols());
    while (h.len() + 11) % 64 != 0 {
        h.push(' ');
    }
    h.push('\n');
    let mut o = b"\x93NUMPY\x01\x00".to_vec();
    o.extend((h.len() as u16).to_le_bytes());
    o.extend(h.as_bytes());
    for j in 0..w.cols() {
        for x in w.col(j) {
            o.extend(x.to_le_bytes());
        }
    }
    std::fs::write(path, o).unwrap();
}
fn go<T: Scalar>(case: &str, schedule: &str, sweeps: u32, tol: f64) {
    let d = std::env::var("PEERS").unwrap();
    let (ws, w) = npy(&format!("{d}/data/{case}_W0.npy"));
    let (xs, x) = npy(&format!("{d}/data/{case}_train.npy"));
    let (t, dd, n) = (xs[0], xs[1], xs[2]);
    let w = Mat::<T>::from_fn(ws[0], ws[1], |i, j| T::from_f64(w[i * ws[1] + j]));
    let xs: Vec<Vec<T>> = (0..t)
        .map(|t| {
            let mut v = vec![T::ZERO; dd * n];
            for i in 0..dd {
                for j in 0..n {
                    v[j * dd + i] = T::from_f64(x[t * dd * n + i * n + j]);
                }
            }
            v
        })
        .collect();
    let mut p = Parameters::new(ws[1]);
    p.schedule = schedule.parse().unwrap();
    p.dictionary_sweeps = sweeps;
    p.dictionary_tolerance = tol;
    let reps = std::env::var("REPS").map(|r| r.parse().unwrap()).unwrap_or(1);
    for _ in 0..reps {
        let mut f = Factoriser::<T>::from_dictionary(p.clone(), w.as_ref()).unwrap();
        let t0 = Instant::now();
        let mut sw = 0;
        let mut capped = 0;
        let mut kkt = 0f64;
        let mut last = None;
        for x in &xs {
            let r = f.step(MatRef::from_column_major(x, dd, n).unwrap()).unwrap();
            sw += r.update.sweeps;
            capped += r.code.capped;
            kkt = kkt.max(r.code.kkt);
            last = Some(r);
        }
        let e = t0.elapsed().as_secs_f64();
        println!(
            "{case} {} {schedule} {} ms/step {:.4} sweeps/step {:.2} capped {capped} kkt {kkt:.1e} surrogate {:.4} density {:.3}",
            T::NAME,
            f.isa().name(),
            e / t as f64 * 1e3,
            sw as f64 / t as f64,
            last.unwrap().surrogate,
            last.unwrap().density
        );
        save(&format!("{d}/out_{case}_ours_{}.npy", T::NAME), &f.dictionary().cast());
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (c, ty, s) = (&a[1], &a[2], &a[3]);
    let sw = a[4].parse().unwrap();
    let tol = a[5].parse().unwrap();
    if ty == "f64" { go::<f64>(c, s, sw, tol) } else { go::<f32>(c, s, sw, tol) }
}
