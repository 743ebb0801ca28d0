//! `ergodict network info`, `list`, `convert`, `generate` and `corrupt`.

use crate::bench::Bench;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A tail, a triangle and a pair apart, with names that are words.
pub(crate) const WORDS: &str = "ada bea\nbea cem\ncem ada\ncem dia\neva fay\n";

fn stdout(bench: &Bench, words: &str) -> String {
    String::from_utf8(bench.run(words).fine().stdout).unwrap()
}

fn info(bench: &Bench, net: &str) -> Value {
    bench.run(&format!("network info {net} --json -q")).fine().json()
}

/// The edges in a text file, as they stand.
fn edges(bench: &Bench, name: &str) -> BTreeSet<Vec<String>> {
    let text = String::from_utf8(bench.bytes(name)).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn networks_that_come_with_the_program_are_named_and_known() {
    let bench = Bench::new();
    let listed = stdout(&bench, "network list");
    let summary = bench.run("network list --json").fine().json();
    for network in summary["networks"].as_array().unwrap() {
        let name = network["name"].as_str().unwrap();
        assert!(listed.lines().any(|line| line.starts_with(&format!("{name} "))), "{name} in {listed}");
        let found = info(&bench, name);
        assert_eq!(found["summary"]["nodes"], network["nodes"], "{name}");
        assert_eq!(found["summary"]["edges"], network["edges"], "{name}");
    }
    let karate = info(&bench, "@karate");
    assert_eq!(karate["summary"]["triangles"], 45);
    assert_eq!(karate["summary"]["components"], 1);
    let all = karate["samplers"].as_array().unwrap();
    assert!(all.len() == 6 && all.iter().all(|one| one["valid"] == true), "{all:?}");
    let wrong = bench.run("network info @karat");
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("karate") && wrong.stderr.lines().count() == 1, "{}", wrong.stderr);
}

#[test]
fn info_reports_decisions_and_valid_samplers() {
    let bench = Bench::new();
    bench.put("net.txt", format!("% people\n{WORDS}ada ada\nbea ada\n"));
    let done = bench.run("network info net.txt").fine();
    let text = String::from_utf8(done.stdout).unwrap();
    assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
    for word in ["undirected", "loop", "duplicate"] {
        assert!(done.stderr.contains(word), "{word} in {}", done.stderr);
    }
    for words in
        ["nodes      6", "edges      5", "components 2, the largest of 4 nodes and 4 edges", "bipartite  no"]
    {
        assert!(text.contains(words), "{words} in {text}");
    }
    // A directed cycle: pivots could never step back.
    bench.put("cycle.txt", "0 1\n1 2\n2 0\n");
    let found = info(&bench, "cycle.txt --directed");
    let valid: BTreeMap<&str, bool> = found["samplers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["sampler"].as_str().unwrap(), one["valid"].as_bool().unwrap()))
        .collect();
    assert_eq!((valid["exact"], valid["pivot"], valid["pivot-approx"]), (true, false, false));
    // On a bipartite network pivots rest, and Glauber updates stay on their side.
    let davis = info(&bench, "@davis");
    assert_eq!(davis["summary"]["bipartite"], true);
    let words = |kind: &str| {
        let all = davis["samplers"].as_array().unwrap();
        all.iter().find(|one| one["sampler"] == kind).unwrap()["words"].as_str().unwrap().to_owned()
    };
    assert!(words("pivot").contains("half of"), "{}", words("pivot"));
    assert!(words("glauber").contains("bipartite"), "{}", words("glauber"));
}

#[test]
fn reports_of_networks_have_their_degrees() {
    let bench = Bench::new();
    bench.run("network info @lesmis --report page.html --figures figures -q").fine();
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    assert!(page.contains("Network @lesmis") && page.contains("pivot-approx"));
    assert!(bench.path("figures/degree-distribution.svg").exists());
}

#[test]
fn every_format_keeps_the_network() {
    let bench = Bench::new();
    bench.put("net.txt", "5 7 0.5\n7 9 2\n9 5 1e-3\n9 -2 4\n");
    let before = info(&bench, "net.txt")["summary"].clone();
    for name in ["a.egr", "a.mtx", "a.npz", "a.tsv", "a.txt.gz", "a.tsv.zst"] {
        bench.run(&format!("network convert net.txt -o {name}")).fine();
        assert_eq!(info(&bench, name)["summary"], before, "{name}");
        bench.run(&format!("network convert {name} -o back.txt -q")).fine();
        let names: BTreeSet<String> =
            edges(&bench, "back.txt").into_iter().flat_map(|edge| edge[..2].to_vec()).collect();
        if !name.ends_with("mtx") && !name.ends_with("npz") {
            assert_eq!(names, ["-2", "5", "7", "9"].map(str::to_owned).into(), "{name}");
        }
    }
    // Through a pipe, and in little memory.
    bench.run("network convert net.txt -o whole.egr -q").fine();
    let piped =
        bench.run_with("network convert - -o piped.egr --memory 1 -q", &bench.bytes("net.txt")).fine();
    assert!(piped.stderr.is_empty());
    assert_eq!(bench.bytes("piped.egr"), bench.bytes("whole.egr"));
    let lost = bench.run("network convert @lesmis -o matrix.mtx --json -q").fine().json();
    assert!(lost["lost"].as_str().unwrap().contains("are called 1 to 77"), "{lost}");
}

#[test]
fn generated_networks_are_those_of_their_seed() {
    let bench = Bench::new();
    let cases = [
        ("er --nodes 50 --edges 100", Some((50, 100))),
        ("er --nodes 50 --probability 0.1 --directed", None),
        ("ba --nodes 50 --joins 3", None),
        ("ws --nodes 50 --neighbors 4 --rewired 0.2", Some((50, 100))),
        ("sbm --sizes 20,30 --within 0.5 --between 0.05", None),
        ("sbm --sizes 20,30 --matrix 0.5,0.05;0.05,0.2", None),
        ("configuration --degrees 3,3,2,2,2", Some((5, 6))),
        ("configuration --like @karate --erased", None),
        ("rmat --scale 6 --edge-factor 4", None),
    ];
    for (words, size) in cases {
        let made = bench.run(&format!("network generate {words} -o a.egr --json -q")).fine().json();
        bench.run(&format!("network generate {words} -o b.egr -q -j 1")).fine();
        assert_eq!(bench.bytes("a.egr"), bench.bytes("b.egr"), "{words}");
        bench.run(&format!("network generate {words} -o b.egr -q --seed 1")).fine();
        if !words.contains("degrees") {
            assert_ne!(bench.bytes("a.egr"), bench.bytes("b.egr"), "{words}");
        }
        let found = info(&bench, "a.egr");
        assert_eq!(found["summary"]["nodes"], made["nodes"], "{words}");
        assert_eq!(found["summary"]["edges"], made["edges"], "{words}");
        assert_eq!(found["summary"]["directed"], words.contains("--directed"), "{words}");
        if let Some((nodes, edges)) = size {
            assert_eq!(
                (made["nodes"].clone(), made["edges"].clone()),
                (json!(nodes), json!(edges)),
                "{words}"
            );
        }
        // What it was made with makes it again.
        let model = words.split(' ').next().unwrap();
        bench.put("run.json", made["config"].to_string());
        bench.run(&format!("network generate {model} --config run.json -o c.egr -q")).fine();
        assert_eq!(bench.bytes("c.egr"), bench.bytes("a.egr"), "{words}");
    }
    bench.run("network generate sbm --sizes 2,3 --within 1 --between 0 -o a.txt --labels l.txt -q").fine();
    assert_eq!(bench.bytes("l.txt"), b"node\tblock\n0\t0\n1\t0\n2\t1\n3\t1\n4\t1\n");
}

#[test]
fn rewired_networks_keep_names_degrees_loops_and_weights() {
    let bench = Bench::new();
    // A directed network with weights and a loop.
    bench.put("net.txt", "a b 1\nb c 2\nc d 3\nd e 4\ne a 5\na c 6\nf f 7\n");
    bench.run("network convert net.txt --directed --loops -o net.egr -q").fine();
    let made = bench.run("network generate rewired net.egr -o a.egr --json").fine();
    assert!(made.stderr.contains(" % of 7 edges are new, all in- and out-degrees kept"), "{}", made.stderr);
    assert!(made.stderr.contains("loops stay in place: 1"), "{}", made.stderr);
    let made = made.json();
    assert!(made["new_edges"].as_u64().unwrap() > 0, "{made}");
    bench.run("network generate rewired net.egr -o b.egr -q -j 1").fine();
    assert_eq!(bench.bytes("a.egr"), bench.bytes("b.egr"));
    bench.run("network generate rewired net.egr -o b.egr -q --seed 1").fine();
    assert_ne!(bench.bytes("a.egr"), bench.bytes("b.egr"));
    let kept = |name: &str| {
        bench.run(&format!("network convert {name} -o list.txt -q")).fine();
        let text = String::from_utf8(bench.bytes("list.txt")).unwrap();
        let mut fields: [Vec<String>; 3] = Default::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            line.split_whitespace().zip(&mut fields).for_each(|(word, column)| column.push(word.to_owned()));
        }
        // Sorted, the columns are out-degrees, in-degrees and weights.
        fields.iter_mut().for_each(|column| column.sort());
        (fields, text.contains("f\tf\t7") || text.contains("f f 7"))
    };
    assert_eq!(kept("a.egr"), kept("net.egr"));
    assert!(kept("a.egr").1);
    // The only network with its degrees.
    bench.put("star.txt", "0 1\n0 2\n0 3\n");
    let star = bench.run("network generate rewired star.txt -o same.txt").fine();
    assert!(star.stderr.contains("0 % of 3 edges are new") && star.stderr.contains("no edge changed"));
}

#[test]
fn corrupted_networks_come_with_the_truth() {
    let bench = Bench::new();
    let rows = |name: &str| -> Vec<Vec<String>> {
        let text = String::from_utf8(bench.bytes(name)).unwrap();
        let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(lines.next().unwrap(), ["u", "v", "label", "kind"]);
        lines.collect()
    };
    let clean = {
        bench.run("network convert @karate -o clean.txt -q").fine();
        edges(&bench, "clean.txt")
    };
    for model in ["er", "ws", "ba"] {
        let words = format!(
            "network corrupt @karate --add 0.5 --add-model {model} -o obs.txt --truth truth.tsv --json -q"
        );
        let done = bench.run(&words).fine().json();
        assert_eq!((done["edges_before"].clone(), done["edges"].clone()), (json!(78), json!(117)));
        let observed = edges(&bench, "obs.txt");
        assert!(observed.len() == 117 && clean.is_subset(&observed), "{model}");
        let truth = rows("truth.tsv");
        let pairs: BTreeSet<Vec<String>> = truth.iter().map(|row| row[..2].to_vec()).collect();
        assert_eq!(pairs, observed);
        for row in &truth {
            assert_eq!(row[2] == "1", clean.contains(&row[..2]), "{row:?}");
        }
    }
    let done = bench
        .run("network corrupt @karate --remove 0.5 -o obs.egr --truth truth.tsv --json -q")
        .fine()
        .json();
    assert_eq!((done["changed"].clone(), done["edges"].clone()), (json!(39), json!(39)));
    assert_eq!(info(&bench, "obs.egr")["summary"]["components"], 1);
    let truth = rows("truth.tsv");
    let of = |label: &str| truth.iter().filter(|row| row[2] == label).count();
    assert_eq!((of("1"), of("0")), (39, 78));
    assert!(truth.iter().all(|row| (row[2] == "1") == clean.contains(&row[..2])));
    bench.run("network corrupt @karate --remove 0.5 -o again.egr -j 1 -q").fine();
    assert_eq!(bench.bytes("obs.egr"), bench.bytes("again.egr"));
}
