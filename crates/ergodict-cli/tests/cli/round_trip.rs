//! `--config` for every command: what an output or a summary keeps of its run gives the same bytes again.

use crate::bench::{Bench, numbers};
use crate::{image, spins};

/// A command, its inputs, its flags, what it writes, and whether that keeps the flags.
type Case<'a> = (&'a str, &'a str, &'a str, &'a str, bool);

const CASES: [Case<'_>; 33] = [
    ("factor", "x.npy", "-r 2 --batch 7 --seed 3 --init w.npy --shuffle", "f", true),
    ("transform", "f x.npy", "--reconstruct --batch 5", "h.npy", false),
    ("transform", "f x.npy", "--nonzero 1 --tol 0.1", "few.npy", false),
    ("model export", "f", "--shape 2x2", "f.png", true),
    ("model export", "f", "--shape 2x2 --order index", "f.svg", true),
    ("model export", "f", "", "f.npz", true),
    ("model export", "f", "", "f.csv", false),
    ("spins simulate", "", "--size 16 --updates 1000 --every 100 --temperature 3 --seed 2", "t.npy", false),
    ("spins learn", "", spins::SMALL, "s", true),
    ("spins learn", "", "--trajectory t.npy --patch 4 --patches 30 -r 5 --every 2", "s2", true),
    ("spins reconstruct", "s t.npy", "--stride 2 --frame 1", "again.npy", false),
    ("image learn", "gray.png", image::SMALL, "i", true),
    ("image reconstruct", "i gray.png", "--stride 2 --lambda 0.1", "one.png", true),
    ("image denoise", "gray.png", "--patch 4 -r 20 --sigma 0.1 --seed 2", "two.png", true),
    ("network convert", "@lesmis", "--unweighted", "k.mtx", true),
    ("network convert", "@lesmis", "--unweighted", "k.egr", false),
    ("network generate er", "", "--nodes 9 --edges 12 --seed 4", "er.txt", true),
    ("network generate ba", "", "--nodes 9 --joins 2", "ba.tsv.gz", true),
    ("network generate ws", "", "--nodes 20 --neighbors 4 --rewired 0.1", "ws.npz", true),
    ("network generate sbm", "", "--sizes 5,6 --matrix 0.9,0.1;0.1,0.8", "sbm.mtx", true),
    ("network generate configuration", "", "--like @karate --erased", "conf.txt", true),
    ("network generate rmat", "", "--scale 4 --edge-factor 2", "rmat.txt", true),
    ("network generate rewired", "@lesmis", "--proposals 3 --seed 4", "rewired.txt", true),
    ("network corrupt", "@karate", "--remove 0.3 --seed 5", "removed.txt", true),
    ("network corrupt", "@karate", "--add 0.5 --add-model ws", "added.npz", true),
    ("network sample", "@karate", "-k 4 --count 50 --sampler pivot --chains 2 --seed 6", "w.tsv", false),
    ("network learn", "@karate", "--motif motif.txt -r 3 --steps 3 --sampler glauber", "n", true),
    ("network learn", "@kite", "--static -k 3 -r 3", "all", true),
    ("network reconstruct", "@karate", "--model n --samples 300 --seed 2", "n.tsv", false),
    (
        "network reconstruct",
        "@karate",
        "--model n --samples 300 --pairs pairs.tsv --alpha 2",
        "n.parquet",
        true,
    ),
    ("network compare", "@karate @kite", "--unweighted -k 4 -r 3 --steps 3 --samples 200", "c.tsv", false),
    ("network denoise", "@karate", "--method jaccard --pairs pairs.tsv", "d.tsv", false),
    ("network denoise", "@karate", "--method adamic-adar --top 5 --pairs non-edges", "e.tsv", false),
];

fn bench() -> Bench {
    let bench = image::bench();
    bench.put_npy("x.npy", &numbers(4, 30));
    bench.put_npy("w.npy", &numbers(2, 4));
    bench.put("motif.txt", "0 1\n1 2\n2 3\n");
    bench.put("pairs.tsv", "u\tv\tlabel\n1\t2\t1\n1\t3\t1\n2\t10\t0\n1\t34\t0\n");
    bench
}

#[test]
fn what_was_written_or_said_gives_the_run_again() {
    let bench = bench();
    let end = |name: &str| name.find('.').map_or(String::new(), |at| name[at..].to_owned());
    for (verb, inputs, flags, out, keeps) in CASES {
        let what = format!("{verb} {inputs} {flags} -o {out}");
        let summary = bench.run(&format!("{what} --json -q")).fine();
        bench.put("run.json", &summary.stdout);
        let config = &summary.json()["config"];
        assert!(config.is_object() && config.get("seed").is_some(), "{what}: {config}");
        let again = format!("again{}", end(out));
        let mut from = vec!["run.json"];
        from.extend(keeps.then_some(out));
        for file in from {
            let done = bench.run(&format!("{verb} {inputs} -o {again} -q --config {file}"));
            assert_eq!(done.code, Some(0), "{what}, again from {file}: {}", done.stderr);
            assert!(bench.bytes(out) == bench.bytes(&again), "{what}, again from {file}");
        }
        if !keeps {
            let done = bench.run(&format!("{verb} {inputs} -o {again} -q --config {out}"));
            assert_eq!(done.code, Some(2), "{what}: {out} keeps flags, it seems");
        }
        // What it would be written as by hand, for another run of the same.
        let toml = bench.run(&format!("{what} --show-config")).fine();
        bench.put("run.toml", &toml.stdout);
        bench.run(&format!("{verb} {inputs} -o {again} -q --config run.toml")).fine();
        assert!(bench.bytes(out) == bench.bytes(&again), "{what}, again from TOML");
    }
}

#[test]
fn commands_that_only_print_too() {
    let bench = bench();
    bench.run("factor x.npy -r 2 -o f -q").fine();
    bench.run("network denoise @karate --method jaccard --pairs pairs.tsv -o d.tsv -q").fine();
    for (verb, inputs, flags) in [
        ("network info", "@lesmis", "--unweighted"),
        ("network list", "", ""),
        ("network sample", "@karate", "-k 4 --count 90 --observables density,macc --seed 3"),
        ("model show", "f", ""),
        ("evaluate", "d.tsv pairs.tsv", "--confidence 0.9 --column score"),
    ] {
        let json = format!("{verb} {inputs} --json -q");
        let mut said = bench.run(&format!("{json} {flags}")).fine();
        bench.put("run.json", &said.stdout);
        let mut again = bench.run(&format!("{json} --config run.json")).fine();
        for done in [&mut said, &mut again] {
            let mut value = done.json();
            if let Some(all) = value.as_object_mut() {
                ["seconds", "set_up_seconds", "per_second"].iter().for_each(|key| drop(all.remove(*key)));
            }
            done.stdout = value.to_string().into_bytes();
        }
        assert_eq!(String::from_utf8(said.stdout), String::from_utf8(again.stdout), "{verb}");
    }
}

#[test]
fn a_file_that_a_configuration_names_may_be_next_to_it() {
    let bench = bench();
    std::fs::create_dir(bench.path("sub")).unwrap();
    std::fs::rename(bench.path("motif.txt"), bench.path("sub/own.txt")).unwrap();
    bench.put("sub/run.toml", "motif = \"own.txt\"\natoms = 3\nsteps = 2\n");
    bench.run("network learn @karate --config sub/run.toml -o m -q").fine();
    assert_eq!(bench.model("m").network.unwrap().k, 4);
}

#[test]
fn a_flag_that_rules_another_out_overrides_it() {
    let bench = bench();
    bench.run("network corrupt @karate --remove 0.3 -o a.txt -q").fine();
    let done = bench.run("network corrupt @karate --add 0.5 -o b.txt --json -q --config a.txt").fine();
    assert_eq!(
        (done.json()["config"]["add"].as_f64(), &done.json()["config"]["remove"]),
        (Some(0.5), &serde_json::Value::Null)
    );
    bench.put("net.toml", "directed = true\nnodes = 9\nedges = 12\n");
    bench.run("network generate er -p 0.5 --config net.toml -o c.txt -q").fine();
}

#[test]
fn what_keeps_no_flags_or_others_is_refused() {
    let bench = bench();
    bench.run("network corrupt @karate --remove 0.3 -o a.txt -q").fine();
    for (words, problem) in [
        ("network generate er -o b.txt --config a.txt", "is the configuration of `ergodict network corrupt`"),
        ("factor x.npy -o b --config gray.png", "says nothing of how it was made"),
        ("factor x.npy -o b --config pairs.tsv", "pairs.tsv: says nothing of how it was made"),
        ("factor x.npy -o b --config no.toml", "file not found"),
    ] {
        let done = bench.run(words);
        assert!(done.code == Some(2) && done.stderr.contains(problem), "{words}: {}", done.stderr);
    }
}
