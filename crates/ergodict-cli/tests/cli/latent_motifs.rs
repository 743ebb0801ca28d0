//! `ergodict network learn`, `reconstruct` and `compare`: atoms of networks, and networks of atoms.

use crate::bench::Bench;
use ergodict::model::Model;
use serde_json::{Value, json};

/// Four cliques of five nodes in a ring, as an edge list.
fn cliques() -> String {
    let mut lines = Vec::new();
    for c in 0..4 {
        for u in 0..5 {
            lines.extend((0..u).map(|v| format!("{} {}", 5 * c + v, 5 * c + u)));
        }
        lines.push(format!("{} {}", 5 * c, (5 * (c + 1) + 1) % 20));
    }
    lines.join("\n") + "\n"
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.put("net.txt", cliques());
    bench.put("ring.txt", (0..20).map(|u| format!("{u} {}", (u + 1) % 20)).collect::<Vec<_>>().join("\n"));
    bench
}

const SMALL: &str = "-k 5 -r 4 --steps 12 --batch 40";

fn learn(bench: &Bench, flags: &str) -> Value {
    bench.run(&format!("network learn {flags} --json -q")).fine().json()
}

/// The rows of a table.
fn rows(bench: &Bench, name: &str) -> Vec<Vec<String>> {
    let text = String::from_utf8(bench.bytes(name)).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn findings_come_first_and_the_optimizer_only_when_verbose() {
    let bench = bench();
    let words = format!("network learn @karate {SMALL} -o m");
    let usual = bench.run(&words).fine().stderr;
    let first: Vec<&str> = usual.lines().take(2).collect();
    assert!(first[0].starts_with("No structure detected beyond node degrees in @karate: "), "{usual}");
    assert!(first[1].starts_with("4 latent motifs explain "), "{usual}");
    assert!(usual.trim_end().ends_with("wrote      m"), "{usual}");
    let verbose = bench.run(&format!("{words} -v")).fine().stderr;
    for detail in ["\nloss ", "\nstationarity ", "\nsampler ", "\ntime "] {
        assert!(!usual.contains(detail) && verbose.contains(detail), "{detail}: {usual}\n{verbose}");
    }
}

#[test]
fn atoms_are_listed_by_dominance_and_the_model_keeps_its_motif() {
    let bench = bench();
    let done = learn(&bench, &format!("net.txt {SMALL} -o m"));
    let model: Model = bench.model("m");
    let form = model.network.unwrap();
    assert_eq!((form.k, &*form.motif, form.edges.len(), form.directed), (5, "path", 4, false));
    assert_eq!((model.w.rows(), model.w.cols(), model.aggregates.t), (25, 4, 12));
    let of = |key: &str| -> Vec<f64> {
        done[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let (dominance, order) = (of("dominance"), of("order"));
    assert!((dominance.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(order.windows(2).all(|two| dominance[two[0] as usize] >= dominance[two[1] as usize]));
    // Chain edges are in every patch, so that atoms are larger there than elsewhere on average.
    let mean = |at: &dyn Fn(usize, usize) -> bool| {
        let entries = (0..25).filter(|i| at(i / 5, i % 5)).flat_map(|i| (0..4).map(move |j| (i, j)));
        let entries: Vec<f64> = entries.map(|(i, j)| model.w.get(i, j)).collect();
        entries.iter().sum::<f64>() / entries.len() as f64
    };
    assert!(mean(&|a, b| a.abs_diff(b) == 1) > mean(&|a, b| a.abs_diff(b) > 1));
    assert!(mean(&|a, b| a == b) < 1e-9, "there are no loops");
}

#[test]
fn threads_change_nothing_and_the_configuration_gives_the_run_again() {
    let bench = bench();
    for flags in
        ["", "--chains 3 --sampler pivot --every 2", "--sampler glauber --motif cycle --chains 2", "--f32"]
    {
        learn(&bench, &format!("net.txt {SMALL} {flags} -o one -j 1"));
        for threads in [2, 3] {
            learn(&bench, &format!("net.txt {SMALL} {flags} -o other -j {threads}"));
            assert!(bench.bytes("one") == bench.bytes("other"), "{flags} with {threads} threads");
        }
        learn(&bench, "net.txt -o again --config one");
        assert!(bench.bytes("one") == bench.bytes("again"), "{flags}");
    }
    learn(&bench, &format!("net.txt {SMALL} -o other --seed 1"));
    learn(&bench, &format!("net.txt {SMALL} -o one"));
    assert!(bench.bytes("one") != bench.bytes("other"));
}

#[test]
fn several_networks_and_snapshots_are_one_stream() {
    let bench = bench();
    let both = learn(&bench, &format!("net.txt ring.txt {SMALL} -o both"));
    assert_eq!(
        (both["samples"].clone(), both["networks"].clone()),
        (json!(480), json!(["net.txt", "ring.txt"]))
    );
    let later = learn(&bench, &format!("net.txt ring.txt net.txt --snapshots {SMALL} --chains 5 -o later"));
    assert_eq!((later["steps"].clone(), later["samples"].clone()), (json!(36), json!(1440)));
    let moved = |key: &str| later[key].as_u64().unwrap();
    assert_eq!(moved("chains_went_on") + moved("chains_restarted"), 10);
    // No path in the ring but a few stays one among the cliques, and the other way round.
    assert!(moved("chains_restarted") > 0);
    // The same network again: every chain goes on.
    let same = learn(&bench, &format!("net.txt net.txt --snapshots {SMALL} --chains 5 -o same"));
    assert_eq!((same["chains_went_on"].clone(), same["chains_restarted"].clone()), (json!(5), json!(0)));
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_bytes() {
    let bench = bench();
    for (name, words) in [
        ("one", format!("network learn net.txt {SMALL} --chains 3 --sampler pivot -o m -q")),
        (
            "snapshots",
            format!("network learn net.txt ring.txt net.txt --snapshots {SMALL} --chains 2 -o m -q"),
        ),
    ] {
        bench.run(&words).fine();
        let whole = bench.bytes("m");
        for steps in [1, 12, 13, 20].into_iter().filter(|steps| name != "one" || *steps < 12) {
            std::fs::remove_file(bench.path("m")).unwrap();
            let stopped = bench.stopped_after(&format!("{words} --checkpoint c"), steps);
            assert_eq!(stopped.code, Some(130), "{name}: {}", stopped.stderr);
            bench.run(&format!("{words} --checkpoint c --resume")).fine();
            assert!(bench.bytes("m") == whole, "{name} after {steps}");
            assert!(!bench.path("c").exists());
        }
    }
}

#[test]
fn all_homomorphisms_at_once_give_what_random_ones_come_to() {
    let bench = bench();
    let all = learn(&bench, "net.txt --static -k 3 -r 3 -o all");
    assert_eq!(all["converged"], true);
    // Walks of two steps: the sum of squared degrees, 12 nodes of degree 4 and 8 of degree 5.
    assert_eq!(all["homomorphisms"], 12 * 16 + 8 * 25);
    let random = learn(&bench, "net.txt -k 3 -r 3 --steps 400 -o random");
    let (all, random) = (all["loss"].as_f64().unwrap(), random["surrogate_per_sample"].as_f64().unwrap());
    assert!((random / all - 1.0).abs() < 0.1, "{random} and {all}");
    learn(&bench, "net.txt -o again --config all");
    assert!(bench.bytes("again") == bench.bytes("all"));
}

#[test]
fn networks_are_reconstructed_and_pairs_keep_their_order() {
    let bench = bench();
    learn(&bench, &format!("net.txt {SMALL} -o m"));
    let words = "network reconstruct net.txt --model m --samples 5000";
    let done = bench.run(&format!("{words} -o all.tsv --json -q")).fine().json();
    let all = rows(&bench, "all.tsv");
    assert_eq!(all[0], ["u", "v", "weight", "count"]);
    assert_eq!(done["pairs_written"], all.len() as u64 - 1);
    assert!(done["jaccard"].as_f64().unwrap() > 0.3 && done["auc"].as_f64().unwrap() > 0.95, "{done}");
    assert_eq!(done["edge_coverage"], 1.0);
    let known = |u: &str, v: &str| all.iter().find(|row| row[0] == u && row[1] == v).cloned();
    // Restricted pairs are the same numbers, in the order asked for, with those never seen.
    bench.put("pairs.tsv", "u\tv\n3\t0\n0\t10\n0\t1\n");
    bench.run(&format!("{words} --pairs pairs.tsv -o some.tsv -q")).fine();
    let some = rows(&bench, "some.tsv");
    assert_eq!(some.len(), 4);
    for (row, (u, v)) in some[1..].iter().zip([("3", "0"), ("0", "10"), ("0", "1")]) {
        assert_eq!((&*row[0], &*row[1]), (u, v));
        let expected = known(u.min(v), u.max(v))
            .map_or(("0".into(), "0".into()), |row| (row[2].clone(), row[3].clone()));
        assert_eq!((row[2].clone(), row[3].clone()), expected);
    }
    // A threshold leaves the edges, which can be read as a network.
    bench.run(&format!("{words} --threshold 0.5 -o edges.tsv -q")).fine();
    let edges = rows(&bench, "edges.tsv");
    assert!(edges.len() < all.len() && edges[1..].iter().all(|row| row[2].parse::<f64>().unwrap() > 0.5));
    let info = bench.run("network info edges.tsv --json -q").fine().json();
    assert_eq!(info["summary"]["edges"], edges.len() as u64 - 1);
    // The same as Parquet.
    bench.run(&format!("{words} -o all.parquet -q")).fine();
    assert_eq!(&bench.bytes("all.parquet")[..4], b"PAR1");
    // Off the chain there are fewer visits.
    bench.run(&format!("{words} --mode off-motif --reversal --alpha 3 -o off.tsv -q")).fine();
    let counts =
        |rows: &[Vec<String>]| rows[1..].iter().map(|row| row[3].parse::<u64>().unwrap()).sum::<u64>();
    assert!(counts(&rows(&bench, "off.tsv")) < counts(&all));
}

#[test]
fn reconstruction_is_the_same_at_any_number_of_threads_and_after_a_stop() {
    let bench = bench();
    learn(&bench, &format!("net.txt {SMALL} -o m"));
    for flags in ["", "--mode off-motif", "--sampler exact --chains 3", "--pairs net.txt"] {
        let words = format!("network reconstruct net.txt --model m --samples 50000 {flags} -o x.tsv -q");
        bench.run(&format!("{words} -j 1")).fine();
        let whole = bench.bytes("x.tsv");
        bench.run(&format!("{words} -j 3")).fine();
        assert!(bench.bytes("x.tsv") == whole, "{flags}");
        std::fs::remove_file(bench.path("x.tsv")).unwrap();
        let stopped = bench.stopped_after(&format!("{words} --checkpoint c"), 1);
        assert_eq!(stopped.code, Some(130), "{}", stopped.stderr);
        assert!(!bench.path("x.tsv").exists());
        bench.run(&format!("{words} --checkpoint c --resume")).fine();
        assert!(bench.bytes("x.tsv") == whole, "{flags} after a stop");
        assert!(!bench.path("c").exists());
    }
}

#[test]
fn networks_are_close_to_those_that_are_like_them() {
    let bench = bench();
    bench.put("more.txt", cliques() + "0 7\n");
    for (flags, of_reconstruction) in [("--samples 4000", false), ("--measure jaccard --samples 4000", true)]
    {
        let words = format!("network compare net.txt ring.txt more.txt -k 5 -r 4 --steps 10 {flags}");
        let done = bench.run(&format!("{words} -o m.tsv --report r.html --json -q")).fine().json();
        let matrix: Vec<Vec<f64>> = serde_json::from_value(done["matrix"].clone()).unwrap();
        if of_reconstruction {
            assert!((0..3).all(|i| matrix[i][i] > 0.8), "{matrix:?}");
            assert!(matrix[0][1] < matrix[1][1], "the atoms of cliques see triangles in a ring: {matrix:?}");
        } else {
            assert!((0..3).all(|i| (0.0..0.5).contains(&matrix[i][i])), "{matrix:?}");
            assert!(matrix[0][1] > matrix[1][1] && matrix[1][0] > matrix[0][0], "{matrix:?}");
            assert_eq!((&done["closest"], &done["edge_coverage"]), (&json!([[0, 2]]), &json!(null)));
            assert!(
                done["finding"].as_str().unwrap().starts_with("Most similar: net.txt and more.txt"),
                "{done}"
            );
        }
        assert_eq!((&done["merges"][0]["a"], &done["merges"][0]["b"]), (&json!(0), &json!(2)), "{done}");
        let table = rows(&bench, "m.tsv");
        assert_eq!((table.len(), table[0].len(), &*table[1][0], &*table[4][0]), (5, 4, "net.txt", "rewired"));
        let again = bench.run(&format!("{words} -j 1 -q")).fine();
        assert!(again.stdout == bench.bytes("m.tsv"));
        let stopped = bench.stopped_after(&format!("{words} -o s.tsv --checkpoint c -q"), 20);
        assert!(stopped.code == Some(130) && !bench.path("s.tsv").exists(), "{}", stopped.stderr);
        bench.run(&format!("{words} -o s.tsv --checkpoint c --resume -q")).fine();
        assert!(bench.bytes("s.tsv") == bench.bytes("m.tsv") && !bench.path("c").exists());
        std::fs::remove_file(bench.path("s.tsv")).unwrap();
    }
}

#[test]
fn former_words_are_understood() {
    let bench = bench();
    let learn = |motif: &str, out: &str| {
        bench.run(&format!("network learn net.txt {SMALL} --motif {motif} -o {out} -q")).fine();
        bench.bytes(out)
    };
    assert_eq!(learn("chain", "old"), learn("path", "new"));
    for (words, output) in [
        ("reconstruct net.txt --model new --samples 2000 -o x.tsv --mode", ["off-chain", "off-motif"]),
        ("denoise net.txt -o x.tsv --method", ["ndr-off-chain", "ndr-off-motif"]),
    ] {
        let [old, new] = output.map(|word| {
            let said = bench.run(&format!("network {words} {word} --json -q")).fine().json();
            (bench.bytes("x.tsv"), said["config"].clone())
        });
        assert_eq!(old, new, "{words}");
    }
    // A run that was begun with one word is resumed with the other.
    let run =
        |motif: &str| format!("network learn net.txt {SMALL} --motif {motif} -o again --checkpoint c -q");
    assert_eq!(bench.stopped_after(&run("chain"), 2).code, Some(130));
    bench.run(&format!("{} --resume", run("path"))).fine();
    assert_eq!(bench.bytes("again"), bench.bytes("new"));
}

#[test]
fn what_cannot_be_learned_or_reconstructed_is_refused() {
    let bench = bench();
    learn(&bench, &format!("net.txt {SMALL} -o m"));
    bench.put("bad-pairs.tsv", "0 1\n0 77\n");
    bench.put_npy("x.npy", &crate::bench::numbers(4, 30));
    bench.run("factor x.npy -r 2 -o plain -q").fine();
    for (words, said) in [
        ("network learn net.txt -r 3 --steps 0 -o x", &["--steps is 0"][..]),
        ("network learn net.txt -r 3 --batch 0 -o x", &["--batch is 0"]),
        ("network learn net.txt -r 3 -k 5 --batch 3 --chains 4 -o x", &["--batch is 3", "4 chains"]),
        ("network learn net.txt ring.txt -r 3 -k 5 --batch 3 --chains 2 -o x", &["--batch is 3", "4 chains"]),
        ("network learn net.txt --snapshots -r 3 -k 5 -o x", &["--snapshots", "two networks"]),
        ("network learn net.txt ring.txt --static -r 3 -k 3 -o x", &["--static", "one network"]),
        ("network learn net.txt --static -r 3 -k 30 -o x", &["net.txt", "motif samples"]),
        ("network learn - - -r 3 -k 5 -o x", &["more than once"]),
        ("network learn net.txt -r 3 -k 5 -o net.txt", &["net.txt"]),
        ("network learn ring.txt --motif complete -k 3 -r 3 -o x", &["ring.txt"]),
        ("network reconstruct net.txt --model plain -o x", &["plain", "network learn"]),
        ("network reconstruct net.txt --model nowhere -o x", &["nowhere"]),
        ("network reconstruct net.txt --model m -k 7 -o x", &["-k is 7", "5 nodes"]),
        ("network reconstruct net.txt --model m --motif star -o x", &["--motif is star", "path"]),
        ("network reconstruct net.txt --model m --samples 0 -o x", &["--samples is 0"]),
        ("network reconstruct net.txt --model m --alpha -1 -o x", &["--alpha is -1"]),
        ("network reconstruct net.txt --model m --lambda -1 -o x", &["lambda is -1"]),
        ("network reconstruct net.txt --model m -o x.npz", &["x.npz", ".parquet"]),
        ("network reconstruct net.txt --model m --pairs bad-pairs.tsv -o x", &["bad-pairs.tsv:2", "77"]),
        ("network compare net.txt ring.txt -r 3 -k 5 --samples 0", &["--samples is 0"]),
        ("network compare net.txt ring.txt -r 3 -k 5 --seeds 1", &["--seeds is 1", "two dictionaries"]),
        ("network compare net.txt ring.txt -r 3 -k 5 --init w.npy", &["--init", "its own"]),
    ] {
        crate::bad_networks::refused(&bench, &format!("{words} -q"), said);
    }
}

#[cfg(debug_assertions)] // only then tests can stop the program
#[test]
fn a_comparison_with_rewired_copies_that_is_interrupted_is_resumed_or_left_out_in_words() {
    let bench = Bench::new();
    let run = "network learn @karate -k 5 -r 4 --steps 6 --batch 20";
    bench.run(&format!("{run} -o whole -q")).fine();
    // Six steps are those of the network, six more those of a copy.
    for steps in [9, 13, 23] {
        let said = bench.stopped_after(&format!("{run} -o again --checkpoint state"), steps).stderr;
        let copies = format!("step 6 and {} of 3 rewired copies", (steps - 6) / 6);
        assert!(said.contains(&copies), "{steps}: {said}");
        assert!(!bench.path("again").exists());
        bench.run(&format!("{run} -o again --checkpoint state --resume -q")).fine();
        assert_eq!(bench.bytes("again"), bench.bytes("whole"), "{steps}");
        assert!(!bench.path("state").exists());
        std::fs::remove_file(bench.path("again")).unwrap();
    }
    // Without a checkpoint what was learned is kept, and what is missing is said in one line.
    let said = bench.stopped_after(&format!("{run} -o part -q"), 9).stderr;
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.contains("interrupted after 0 of 3 rewired copies; part was written without them"),
        "{said}"
    );
    let explained = Model::load(&bench.path("part")).unwrap().provenance.networks[0].explained.unwrap();
    assert_eq!((explained.rewired, explained.copies), (None, 0));
}

#[test]
fn a_sampler_that_is_not_the_usual_one_says_why() {
    let bench = Bench::new();
    // Nine steps of a walk must not leave the cycle of two nodes, each of which has 19 dead ends.
    let ends: Vec<String> = (0..38).map(|at| format!("{} {}", at % 2, 2 + at)).collect();
    bench.put("ends.txt", format!("0 1\n1 0\n{}\n", ends.join("\n")));
    let done = bench.run("network learn ends.txt --directed -k 10 -r 2 --steps 3 -o m").fine();
    assert!(done.stderr.contains("sampled by exact instead of walk: "), "{}", done.stderr);
}

#[test]
fn both_sides_of_bipartite_networks_are_accounted_for() {
    let bench = Bench::new();
    let learned = |network: &str| {
        bench.run(&format!("network learn {network} -k 4 -r 3 --steps 10 --batch 20 -o m")).fine().stderr
    };
    assert!(learned("@davis").contains("beyond node degrees and the two sides"));
    assert!(!learned("@karate").contains("sides"));
    let scored = |network: &str, flags: &str| {
        bench.run(&format!("network denoise {network} {flags} -o scores.tsv")).fine().stderr
    };
    let note = "pairs of nodes on one side are treated as possible edges";
    bench.put("tree.txt", "0 1\n0 2\n1 3\n1 4\n");
    for (network, flags, expected) in [
        ("@davis", "", true),
        ("@davis", "--pairs non-edges --method resource-allocation", true),
        ("@davis", "--method resource-allocation", false),
        ("@karate", "--pairs non-edges --method resource-allocation", false),
        ("tree.txt", "--pairs non-edges --method jaccard", false),
    ] {
        assert_eq!(scored(network, flags).contains(note), expected, "{network} {flags}");
    }
    // Three different nodes are three in every sample, of a chain that nothing holds.
    let said = bench.run("network sample @karate -k 3 --injective --count 200 -o s.npy").fine();
    assert!(said.stderr.contains("3.00, the same in all samples"), "{}", said.stderr);
}
