//! `ergodict transform`: codes and reconstructions of new data.

use crate::bench::{Bench, numbers, text};
use ergodict::data::{Batch, MatrixStream, StreamOptions};
use ergodict::linalg::Mat;

fn read(bench: &Bench, name: &str) -> Mat<f64> {
    let mut stream = MatrixStream::open(&bench.path(name), &StreamOptions::default()).unwrap();
    let mut batch = Batch::new();
    stream.next_batch(100_000, &mut batch).unwrap();
    batch.as_mat_ref().to_owned()
}

#[test]
fn codes_and_reconstructions_fit_together() {
    let bench = Bench::new();
    let x = numbers(5, 120);
    bench.put_npy("x.npy", &x);
    bench.put("x.csv", text(&x, ",", None));
    for precision in ["--f64", "--f32"] {
        bench.run(&format!("factor x.npy -r 3 -o m -q --lambda 0.1 {precision}")).fine();
        let done = bench.run("transform m x.npy -o h.npy --batch 7 --json").fine();
        bench.run("transform m x.csv -o wh.npy -q --reconstruct").fine();
        let (h, wh, w) = (read(&bench, "h.npy"), read(&bench, "wh.npy"), bench.model("m").w);
        assert_eq!((h.rows(), h.cols(), wh.rows(), wh.cols()), (3, 120, 5, 120));
        let (mut residual, mut squares, mut zeros) = (0.0, 0.0, 0.0);
        for j in 0..120 {
            for i in 0..5 {
                let product: f64 = (0..3).map(|k| w.get(i, k) * h.get(k, j)).sum();
                assert!((product - wh.get(i, j)).abs() < 1e-5, "{precision} ({i}, {j})");
                residual += (x.get(i, j) - wh.get(i, j)).powi(2);
                squares += x.get(i, j).powi(2);
            }
            zeros += h.col(j).iter().filter(|h| **h == 0.0).count() as f64;
        }
        let summary = done.json();
        assert_eq!(summary["schema"], "ergodict.transform/1");
        let close =
            |key: &str, want: f64| (summary[key].as_f64().unwrap() - want).abs() < 1e-5 * want.max(0.1);
        assert!(close("relative_error", residual / squares) && close("sparsity", zeros / 360.0), "{summary}");
        assert!(
            done.stderr.contains("relative error") && done.stderr.contains("% are zero"),
            "{}",
            done.stderr
        );
        let descr: &[u8] = if precision == "--f32" { b"'<f4'" } else { b"'<f8'" };
        assert!(bench.bytes("h.npy").windows(5).any(|w| w == descr));
    }
}

#[test]
fn pursuit_takes_few_atoms_or_stops_at_an_error() {
    let bench = Bench::new();
    let x = numbers(8, 60);
    bench.put_npy("x.npy", &x);
    for (sets, negative) in [("--dictionary ball --code free", true), ("", false)] {
        bench.run(&format!("factor x.npy -r 12 -o m -q --lambda 0.1 {sets}")).fine();
        bench.run("transform m x.npy -o few.npy -q --nonzero 2").fine();
        let few = read(&bench, "few.npy");
        assert!((0..60).all(|j| few.col(j).iter().filter(|h| **h != 0.0).count() <= 2), "{sets}");
        assert!(few.padded().iter().any(|h| *h < 0.0) == negative, "{sets}");
    }
    bench.run("factor x.npy -r 12 -o m -q --lambda 0.1 --dictionary ball --code free").fine();
    bench.run("transform m x.npy -o near.npy -q --tol 1.5 --reconstruct").fine();
    let near = read(&bench, "near.npy");
    for j in 0..60 {
        let left: f64 = x.col(j).iter().zip(near.col(j)).map(|(a, b)| (a - b).powi(2)).sum();
        assert!(left <= 1.5 + 1e-6, "{left}");
    }
    for (flags, words) in
        [("--nonzero 0", "at least 1"), ("--tol -1", "not negative"), ("--nonzero x", "--nonzero")]
    {
        let said = bench.run(&format!("transform m x.npy -o no.npy {flags}")).stderr;
        assert!(said.contains(words), "{flags}: {said}");
    }
    // Learning by pursuit, and coding as it was learned.
    bench.run("factor x.npy -r 6 -o p -q --dictionary ball --code omp:2").fine();
    bench.run("transform p x.npy -o h.npy -q").fine();
    let h = read(&bench, "h.npy");
    assert!((0..60).all(|j| h.col(j).iter().filter(|h| **h != 0.0).count() <= 2));
}

#[test]
fn standard_streams_and_threads_change_nothing() {
    let bench = Bench::new();
    let x = numbers(5, 700);
    bench.put_npy("x.npy", &x);
    bench.run("factor x.npy -r 3 -o m -q").fine();
    bench.run("transform m x.npy -o h.npy -q -j 1").fine();
    let done = bench.run_with("transform m - -o - -q -j 3", text(&x, " ", None).as_bytes()).fine();
    assert!(done.stdout == bench.bytes("h.npy"));
}

#[test]
fn other_names_of_features_are_remarked() {
    let bench = Bench::new();
    let x = numbers(2, 20);
    bench.put("x.csv", text(&x, ",", Some("a,b")));
    bench.put("y.csv", text(&x, ",", Some("a,c")));
    bench.run("factor x.csv -r 1 -o m -q").fine();
    let done = bench.run("transform m y.csv -o h.npy").fine();
    assert!(done.stderr.contains("feature 1 is `c`, but `b` in the model"), "{}", done.stderr);
}
