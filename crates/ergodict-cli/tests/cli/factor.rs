//! `ergodict factor`: every format, any number of threads and any order of flags give the same bytes.

use crate::bench::{Bench, gzip, numbers, over, parquet, text};
use ergodict::linalg::Mat;
use std::process::Stdio;

#[test]
fn every_format_gives_the_same_model() {
    let bench = Bench::new();
    let x = numbers(6, 300);
    let header = "f0,f1,f2,f3,f4,f5";
    bench.put_npy("x.npy", &x);
    bench.put_npz("x.npz", &x);
    bench.put("x.npy.gz", gzip(&bench.bytes("x.npy")));
    bench.put("x.csv", text(&x, ",", None));
    bench.put("named.csv", text(&x, ",", Some(header)));
    bench.put("x.tsv", text(&x, "\t", None));
    bench.put("x.txt.gz", gzip(text(&x, "  ", None).as_bytes()));
    parquet(&bench.path("x.parquet"), &x);
    // Text does not know its number of samples, on which the order and the weights of the defaults depend.
    for flags in ["--batch 32", "--batch 32 --holdout 0.2 --epochs 2", "--f32 --init data"] {
        let flags = &over("--epochs 1 --shuffle=false --schedule linear", flags);
        bench.run(&format!("factor x.npy -r 3 -o want -q {flags}")).fine();
        let mut want = bench.model("want");
        for name in ["x.npz", "x.npz:X", "x.npy.gz", "x.csv", "named.csv", "x.tsv", "x.txt.gz", "x.parquet"] {
            bench.run(&format!("factor {name} -r 3 -o got -q {flags}")).fine();
            let got = bench.model("got");
            assert!(got.inputs[0].digest.starts_with("blake3:"));
            let names = got.feature_names.as_ref().map(|names| names.join(","));
            assert_eq!(
                names.as_deref(),
                ["named.csv", "x.parquet"].contains(&name).then_some(header),
                "{name}"
            );
            want.inputs.clone_from(&got.inputs);
            want.feature_names.clone_from(&got.feature_names);
            assert!(got == want, "{name} {flags}");
        }
        let stdin = bench.run_with(
            &over(&format!("factor - -r 3 -o got -q {flags}"), "--epochs 1 --holdout 0"),
            &bench.bytes("x.csv"),
        );
        stdin.fine();
        bench.run(&over(&format!("factor x.csv -r 3 -o want -q {flags}"), "--epochs 1 --holdout 0")).fine();
        let (mut want, got) = (bench.model("want"), bench.model("got"));
        assert_eq!(want.inputs[0].digest, got.inputs[0].digest);
        want.inputs.clone_from(&got.inputs);
        assert!(got == want, "standard input {flags}");
    }
}

#[test]
fn formats_that_are_read_in_order_shuffle_equally() {
    let bench = Bench::new();
    let x = numbers(3, 200);
    bench.put("x.csv", text(&x, ",", None));
    bench.put_npy("x.npy", &x);
    bench.put("x.npy.gz", gzip(&bench.bytes("x.npy")));
    for name in ["x.csv", "x.npy.gz"] {
        bench
            .run(&format!(
                "factor {name} -r 2 -o {name}.m -q --shuffle --batch 16 --epochs 3 --schedule linear"
            ))
            .fine();
    }
    let (mut a, b) = (bench.model("x.csv.m"), bench.model("x.npy.gz.m"));
    a.inputs.clone_from(&b.inputs);
    assert!(a == b);
}

#[test]
fn one_seed_gives_one_model_whatever_the_threads() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(20, 2000));
    let run = |flags: &str| {
        bench.run(&format!("factor x.npy -r 7 -o m -q --shuffle --epochs 2 --holdout 0.1 {flags}")).fine();
        bench.bytes("m")
    };
    let one = run("-j 1");
    assert!(one == run("-j 2") && one == run("-j 5") && one == run("") && one == run("--seed 0"));
    assert!(one != run("--seed 1"));
    assert!(run("--f32 -j 1") == run("--f32 -j 3"));
    assert!(run("--f32") != one && run("--f32 --f64") == one);
}

#[test]
fn every_flag_has_its_say() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(5, 200));
    bench.put_npy("w.npy", &numbers(3, 5));
    let run = |flags: &str| {
        let base = "--batch 20 --epochs 1 --shuffle=false --lambda 1 --schedule balanced --init random";
        bench.run(&over(&format!("factor x.npy -r 3 -o m -q {base}"), flags)).fine();
        bench.model("m")
    };
    let plain = run("");
    for flags in [
        "--lambda 0.5",
        "--kappa1 0.1",
        "--kappa2 0.1",
        "--batch 50",
        "--epochs 2",
        "--epochs 9 --tol 0.5 --max-no-improvement 10",
        "--lambda auto",
        "--schedule auto",
        "--schedule power:0.8:0.3",
        "--shuffle",
        "--schedule linear",
        "--schedule power:0.8",
        "--schedule constant:0.3",
        "--dictionary ball:2",
        "--dictionary simplex",
        "--dictionary box",
        "--dictionary l1-ball",
        "--dictionary free --kappa1 1",
        "--code free",
        "--code box:0.5",
        "--code simplex:1",
        "--init w.npy",
        "--init data",
        "--holdout 0.3",
        "--normalize per-column",
        "--solver projected-gradient",
        "--tolerance 0.1",
        "--dictionary-tolerance 0.5",
        "--dictionary-sweeps 1",
    ] {
        let model = run(flags);
        assert!(model.w != plain.w || model.aggregates != plain.aggregates, "{flags} changes nothing");
    }
    let inputs = run("--init w.npy").inputs;
    assert_eq!([&inputs[0].name, &inputs[1].name], ["x.npy", "w.npy"]);
    assert!(run("--shuffle=false --missing=false") == plain);
}

#[test]
fn the_summary_is_on_stderr_and_json_on_stdout() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(9, 500));
    let done = bench.run("factor x.npy -r 4 -o m --holdout 0.2 --epochs 2").fine();
    assert!(done.stdout.is_empty() && !done.stderr.contains('\u{1b}'), "{}", done.stderr);
    assert!(done.stderr.starts_with("4 atoms explain "), "{}", done.stderr);
    for word in [" samples × 9 features; mean sample alone: ", "held out", "dominance", "wrote      m"] {
        assert!(done.stderr.contains(word), "{word} is not in {}", done.stderr);
    }
    assert!(!done.stderr.contains("\nloss"), "that of the last minibatch: {}", done.stderr);
    assert!(bench.run("-v factor x.npy -r 4 -o m --epochs 2").fine().stderr.contains("\nloss"));
    let done = bench.run("factor x.npy -r 4 -o m --holdout 0.2 --epochs 2 --json -q").fine();
    let summary = done.json();
    assert!(done.stderr.is_empty());
    let model = bench.model("m");
    assert_eq!(summary["schema"], "ergodict.factor/1");
    let keys: Vec<&String> = summary.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "atoms",
            "capped_code_steps",
            "capped_update_steps",
            "config",
            "dominance",
            "effective_minibatches",
            "explained",
            "explained_by_mean",
            "features",
            "held_out_loss_per_sample",
            "held_out_samples",
            "inputs",
            "lambda",
            "loss_per_sample",
            "model",
            "reseeded",
            "resumed_after_step",
            "samples",
            "samples_of_data",
            "schema",
            "seconds",
            "smallest_eigenvalue",
            "stationarity_gap",
            "steps",
            "surrogate_per_sample",
            "unused_atoms",
        ]
    );
    assert_eq!(summary["steps"], model.aggregates.t);
    assert_eq!(summary["samples"].as_u64().unwrap() / 2 + summary["held_out_samples"].as_u64().unwrap(), 500);
    assert_eq!(summary["config"].as_object(), Some(&model.provenance.config));
    let held_out = model.provenance.results.unwrap().held_out_loss_per_sample;
    assert_eq!(summary["held_out_loss_per_sample"].as_f64(), held_out);
    assert!(summary["held_out_loss_per_sample"].as_f64().unwrap() > 0.0);
    let loss = model.history.points.last().unwrap().loss;
    assert_eq!(summary["loss_per_sample"].as_f64().unwrap(), loss);
    assert_eq!(summary["samples_of_data"].as_u64().unwrap() * 2, summary["samples"].as_u64().unwrap());
}

#[test]
fn the_share_that_is_explained_is_that_of_the_whole_data() {
    let bench = Bench::new();
    let x = numbers(6, 90);
    bench.put_npy("x.npy", &x);
    let columns = || (0..90).map(|j| x.col(j));
    let squares: f64 = columns().flatten().map(|x| x * x).sum();
    let mean: Vec<f64> = (0..6).map(|i| columns().map(|x| x[i]).sum::<f64>() / 90.0).collect();
    let norm: f64 = mean.iter().map(|m| m * m).sum();
    let product = |x: &[f64]| x.iter().zip(&mean).map(|(x, m)| x * m).sum::<f64>();
    // The mean of norm 1 as the only atom, with the penalty of the others.
    let by_mean = |lambda: f64| {
        let taken = |x: &[f64]| {
            let correlation = product(x) / norm.sqrt();
            let code = (correlation - 0.5 * lambda).max(0.0);
            code * (2.0 * correlation - code)
        };
        columns().map(taken).sum::<f64>() / squares
    };
    for flags in ["", "--lambda 0.7", "--batch 7 --shuffle=false --epochs 3", "--f32"] {
        let summary = bench.run(&format!("factor x.npy -r 3 -o m --json -q {flags}")).fine().json();
        let lambda = summary["lambda"].as_f64().unwrap();
        let coded = bench.run("transform m x.npy -o codes.npy --json -q").fine().json();
        let error = coded["relative_error"].as_f64().unwrap();
        let (atoms, mean) =
            (summary["explained"].as_f64().unwrap(), summary["explained_by_mean"].as_f64().unwrap());
        assert!((atoms - (1.0 - error)).abs() < 1e-5, "{flags}: {atoms}, {error} left, λ {lambda}");
        let by_mean = by_mean(lambda);
        assert!((mean - by_mean).abs() < 1e-5, "{flags}: {mean} for {by_mean}");
        assert_eq!(summary["samples_of_data"], 90);
    }
    // What comes once is not there to be looked at again.
    let once = bench.run("factor x.npy -r 3 -o m --epochs 1 --json").fine();
    assert!(
        once.json()["explained"].is_null()
            && once.stderr.contains("3 atoms learned from 90 samples × 6 features")
    );
}

#[test]
fn zeros_have_a_penalty_that_is_a_number() {
    let bench = Bench::new();
    bench.put_npy("zero.npy", &Mat::<f64>::zeros(4, 20));
    for flags in ["", "--dictionary ball --code free"] {
        let summary = bench.run(&format!("factor zero.npy -r 2 -o m --json -q {flags}")).fine().json();
        assert_eq!(summary["lambda"], 0.0, "{flags}");
        assert!(summary["explained"].is_null());
    }
}

#[test]
fn a_surrogate_per_sample_knows_the_widths_of_the_minibatches() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(5, 30));
    // Minibatches of 20 and 10 samples, of weights 1/3 and 2/3 in the end.
    for (flags, width) in [("", 20.0 / 3.0 + 20.0 / 3.0), ("--normalize per-column", 1.0)] {
        let words =
            format!("factor x.npy -r 2 --batch 20 --epochs 1 --schedule linear -o m --json -q {flags}");
        let summary = bench.run(&words).fine().json();
        let model = bench.model("m");
        let want = model.factorizer::<f64>().unwrap().surrogate() / width;
        let shown = bench.run("model show m --json").fine().json();
        let last = model.history.points.last().unwrap().surrogate;
        for (name, got) in [
            ("summary", summary["surrogate_per_sample"].as_f64().unwrap()),
            ("model show", shown["surrogate_per_sample"].as_f64().unwrap()),
            ("history", last),
        ] {
            assert!((got / want - 1.0).abs() < 1e-9, "{flags} {name}: {got} for {want}");
        }
    }
}

#[test]
fn a_model_goes_to_standard_output_and_a_closed_pipe_is_silent() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(4, 50));
    bench.run("factor x.npy -r 2 -o m -q").fine();
    let done = bench.run("factor x.npy -r 2 -o - -q").fine();
    assert!(done.stdout == bench.bytes("m"));
    for words in ["factor x.npy -r 2 -o - -q", "factor x.npy -r 2 -o m -q --json", "factor --help"] {
        let mut command = bench.command(words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{words}");
    }
}

#[test]
fn missing_entries_are_left_out() {
    let bench = Bench::new();
    // Rank one, so that what is missing follows from what is there.
    let whole = Mat::<f64>::from_fn(4, 200, |i, j| (1.0 + i as f64) * (1.0 + (j % 7) as f64));
    let mut x = whole.clone();
    for j in 0..200 {
        if j % 3 == 0 {
            x.col_mut(j)[j % 4] = f64::NAN;
        }
    }
    bench.put_npy("x.npy", &x);
    bench.put("x.csv", text(&x, ",", None).replace("NaN", ""));
    for name in ["x.npy", "x.csv"] {
        bench
            .run(&format!("factor {name} -r 1 -o {name}.m -q --missing --lambda 0 --epochs 5 --batch 20 --shuffle=false --schedule linear"))
            .fine();
    }
    assert!(bench.model("x.npy.m").w == bench.model("x.csv.m").w);
    let flags = "--missing --reconstruct --json -q";
    let done = bench.run(&format!("transform x.npy.m x.npy -o again.npy {flags}")).fine();
    assert!(done.json()["relative_error"].as_f64().unwrap() < 1e-3, "{:?}", done.json());
    let again = bench.bytes("again.npy");
    let value = |i: usize, j: usize| {
        let at = again.len() - 8 * 4 * 200 + 8 * (4 * j + i);
        f64::from_le_bytes(again[at..at + 8].try_into().unwrap())
    };
    for j in (0..200).step_by(3) {
        let (got, want) = (value(j % 4, j), whole.get(j % 4, j));
        assert!((got - want).abs() < 0.05 * want, "sample {j}: {got} for {want}");
    }
    bench.run("factor x.npy -r 2 -o m -q --missing --init data").fine();
}

#[test]
fn a_report_is_one_page() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(9, 100));
    bench.run("factor x.npy -r 3 -o m -q --report square.html --batch 10").fine();
    bench.run("factor x.npy -r 3 -o m -q --report row.html --shape 1x9").fine();
    bench.put_npy("y.npy", &numbers(5, 100));
    bench.run("factor y.npy -r 3 -o m -q --report profile.html").fine();
    for (name, words) in
        [("square", "picture of 3 × 3"), ("row", "picture of 1 × 9"), ("profile", "entry by entry")]
    {
        let page = String::from_utf8(bench.bytes(&format!("{name}.html"))).unwrap();
        assert!(page.starts_with("<!DOCTYPE html>") && page.contains(words), "{name}");
        for part in ["blake3:", "Dominance", "surrogate", "stationarity gap", "<svg"] {
            assert!(page.contains(part), "{part} is not on the page {name}");
        }
    }
}

#[test]
fn a_penalty_that_leaves_no_code_is_warned_of() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(5, 20));
    let said = bench.run("factor x.npy -r 2 -o m --lambda 1e9").fine();
    assert!(said.stderr.contains("every code is zero"), "{}", said.stderr);
    let said = bench.run("factor x.npy -r 2 -o m --lambda 0.01").fine();
    assert!(!said.stderr.contains("every code is zero"), "{}", said.stderr);
}

#[test]
fn going_over_the_data_ends_where_it_gains_little() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(6, 300));
    let steps = |flags: &str| {
        bench.run(&format!("factor x.npy -r 3 -o m -q --batch 30 {flags}")).fine();
        bench.model("m").aggregates.t
    };
    assert_eq!(steps("--tol 0 --epochs 90"), 900);
    // Stretches of 26 epochs have at least 256 minibatches.
    let stopped = steps("");
    assert!(stopped < 2000 && stopped % 260 == 0, "{stopped}");
    assert_eq!(steps("--tol 0.9 --max-no-improvement 10"), 20);
}

#[test]
fn a_pipe_is_gone_over_once() {
    let bench = Bench::new();
    bench.put("x.csv", text(&numbers(4, 100), ",", None));
    bench.run_with("factor - -r 2 -o m -q --batch 10", &bench.bytes("x.csv")).fine();
    assert_eq!(bench.model("m").aggregates.t, 10);
}

#[test]
fn a_penalty_that_the_data_decide_is_reported() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(6, 50));
    let words = "factor x.npy -r 3 -o m --json --dictionary ball --code free";
    let done = bench.run(words).fine();
    let lambda = done.json()["lambda"].as_f64().unwrap();
    let model = bench.model("m");
    assert!(lambda > 0.0 && model.parameters.lambda == lambda && model.provenance.config["lambda"] == lambda);
    assert!(
        done.stderr.contains(&format!("penalty    λ = {}", ergodict_report::words::number(lambda))),
        "{}",
        done.stderr
    );
    bench.run("factor x.npy -o again -q --config m").fine();
    assert!(bench.model("again").w == model.w);
    assert_eq!(bench.run("factor x.npy -r 3 -o m --json -q").fine().json()["lambda"], 0.0);
    let codes = |flags: &str| {
        bench.run(&format!("transform m x.npy -o h.npy --json -q {flags}")).fine().json()["sparsity"]
            .as_f64()
            .unwrap()
    };
    assert!(codes("--lambda 1") > codes(""));
}
