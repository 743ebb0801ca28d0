//! `--config`: what a run was resolved to gives the same run again, and flags override it.

use crate::bench::{Bench, numbers};

const FLAGS: &str = "-r 3 --lambda 0.3 --kappa1 0.01 --batch 17 --epochs 2 --shuffle --schedule power:0.9 --dictionary ball \
                     --code free --init w.npy --holdout 0.25 --normalize per-column --unused reseed --f32 --seed 9";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(5, 150));
    bench.put_npy("w.npy", &numbers(3, 5));
    bench.run(&format!("factor x.npy -o m -q {FLAGS}")).fine();
    bench
}

#[test]
fn a_model_or_its_json_gives_the_run_again() {
    let bench = bench();
    bench.run("factor x.npy -o again -q --config m").fine();
    assert!(bench.bytes("again") == bench.bytes("m"));
    bench.put("run.json", serde_json::json!(bench.model("m").provenance).to_string());
    bench.run("--config run.json factor x.npy -o again -q").fine();
    assert!(bench.bytes("again") == bench.bytes("m"));
    bench.put("config.json", serde_json::json!(bench.model("m").provenance.config).to_string());
    bench.run("factor x.npy -o again -q --config=config.json").fine();
    assert!(bench.bytes("again") == bench.bytes("m"));
}

#[test]
fn the_same_as_toml() {
    let bench = bench();
    let config = serde_json::json!(bench.model("m").provenance.config);
    let lines = config.as_object().unwrap().iter().map(|(key, value)| format!("{key} = {value}\n"));
    bench.put("run.toml", lines.collect::<String>());
    bench.run("factor x.npy -o again -q --config run.toml").fine();
    assert!(bench.bytes("again") == bench.bytes("m"));
}

#[test]
fn an_option_that_is_given_twice_is_refused() {
    let bench = bench();
    for (words, said) in [
        ("spins simulate --temperature 2 --temperature 3 -o t.npy", "--temperature is given twice: 2 and 3"),
        (
            "spins learn --trajectory a.npy --trajectory=b.npy -o m",
            "--trajectory is given twice: a.npy and b.npy",
        ),
        ("factor x.npy -r 2 -qr3 -o m", "--atoms is given twice: 2 and 3"),
        ("--seed 1 factor x.npy -r 2 --seed 2 -o m", "--seed is given twice: 1 and 2"),
        ("factor x.npy --config run.toml --config m -o again", "--config is given twice: run.toml and m"),
    ] {
        let done = bench.run(words);
        assert!(done.code == Some(2) && done.stderr.contains(said), "{words}: {}", done.stderr);
    }
    // Lists go on, and flags without a value say the same again.
    bench.run("spins learn --size 8 --updates 400 --every 100 --patch 3 --patches 9 -r 2 --temperature 2 --temperature 3 -q -q -o s").fine();
}

#[test]
fn flags_override_it() {
    let bench = bench();
    let plain = "--kappa1 0 --shuffle=false --schedule balanced --f64 --seed 4";
    bench.run(&format!("factor x.npy -o over -q {plain} --config m")).fine();
    let others = ["--kappa1 0.01", "--schedule power:0.9", "--seed 9"]
        .iter()
        .fold(FLAGS.to_owned(), |all, one| all.replace(one, ""));
    bench.run(&format!("factor x.npy -o want -q {others} {plain}")).fine();
    assert!(bench.bytes("over") == bench.bytes("want"));
    bench.run("--seed 4 factor x.npy -o over -q --config m").fine();
    assert_eq!(bench.model("over").seed, 4);
}

#[test]
fn a_value_that_is_named_like_a_verb_is_no_verb() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(5, 150));
    bench.put("model", "atoms = 2\nseed = 5\nshuffle = false\n");
    bench.run("factor x.npy -r 2 --seed 5 --shuffle=false -o want -q").fine();
    for words in [
        "--config model factor x.npy -o got -q",
        "-q --config=model factor x.npy -o got",
        "-qj 1 --config model factor x.npy -o got",
        "-qj1 --config model factor x.npy -o got",
        "factor x.npy --config model -q -o got",
        "factor x.npy --config model -q --shuffle=false -o got",
    ] {
        bench.run(words).fine();
        assert!(bench.bytes("got") == bench.bytes("want"), "{words}");
    }
    bench.run("factor -o demo x.npy --config model -q").fine();
    bench.run("factor -qo factor x.npy --config model").fine();
    bench.run("factor -q -o transform --config model -- x.npy").fine();
    for name in ["demo", "factor", "transform"] {
        assert!(bench.bytes(name) == bench.bytes("want"), "{name}");
    }
}

#[test]
fn flags_without_values_and_paths_are_taken_too() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(5, 150));
    bench.put("run.toml", "atoms = 2\nout = \"m\"\nreport = \"page.html\"\nquiet = true\njson = true\nresume = false\nthreads = 1");
    let done = bench.run("factor x.npy --config run.toml").fine();
    assert!(done.stderr.is_empty() && done.json()["atoms"] == 2);
    assert_eq!(bench.files(), ["m", "page.html", "run.toml", "x.npy"]);
}
