//! `ergodict network sample`: homomorphisms by every sampler, what is estimated from them, the same bytes for the same seed.

use crate::bench::{Bench, npy_header};
use crate::network::WORDS;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn sample(bench: &Bench, flags: &str) -> Value {
    bench.run(&format!("network sample {flags} --json -q")).fine().json()
}

/// The lines of a text file of homomorphisms.
fn lines(bench: &Bench, name: &str) -> Vec<Vec<String>> {
    let text = String::from_utf8(bench.bytes(name)).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// The numbers of an int64 array.
fn integers(bench: &Bench, name: &str) -> Vec<i64> {
    let bytes = bench.bytes(name);
    let data = &bytes[10 + npy_header(&bytes).len()..];
    data.chunks_exact(8).map(|eight| i64::from_le_bytes(eight.try_into().unwrap())).collect()
}

fn pairs(text: &str) -> BTreeSet<(String, String)> {
    let mut pairs = BTreeSet::new();
    for line in text.lines() {
        let (u, v) = line.split_once(' ').unwrap();
        pairs.insert((u.to_owned(), v.to_owned()));
        pairs.insert((v.to_owned(), u.to_owned()));
    }
    pairs
}

#[test]
fn every_sampler_draws_homomorphisms_into_the_largest_component() {
    let bench = Bench::new();
    bench.put("net.txt", WORDS);
    let joined = pairs(WORDS);
    for (kind, flags) in [
        ("exact", ""),
        ("pivot", "--chains 3 --every 2 --burn-in 10"),
        ("pivot-approx", "--lazy yes"),
        ("glauber", "--every 7"),
        ("rejection", ""),
    ] {
        let words = format!("net.txt -k 4 --count 1500 --sampler {kind} {flags} -o x.tsv");
        let done = sample(&bench, &words);
        assert_eq!((done["count"].clone(), done["k"].clone()), (json!(1500), json!(4)), "{kind}");
        assert_eq!(done["nodes"], 4, "{kind}");
        let all = lines(&bench, "x.tsv");
        assert_eq!(all.len(), 1500);
        for x in &all {
            assert!(x.windows(2).all(|pair| joined.contains(&(pair[0].clone(), pair[1].clone()))), "{x:?}");
            assert!(!x.contains(&"eva".to_owned()), "{x:?}");
        }
        let different: BTreeSet<_> = all.iter().collect();
        assert!(different.len() > 25, "{kind} gave only {} different ones", different.len());
        let chains: Vec<u64> =
            done["chains"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        assert_eq!(chains, if kind == "pivot" { vec![500; 3] } else { vec![1500] });
        let rate = done["acceptance"].as_f64();
        assert_eq!(rate.is_some(), !["exact", "glauber"].contains(&kind), "{kind}");
        assert!(rate.is_none_or(|rate| rate > 0.0 && rate <= 1.0));
        assert_eq!(done["independent"], ["exact", "rejection"].contains(&kind), "{kind}");
        let again = bench.bytes("x.tsv");
        bench.run(&format!("network sample {words} -q -j 1")).fine();
        assert!(bench.bytes("x.tsv") == again, "{kind} at one thread");
        bench.run(&format!("network sample {words} -q --seed 5")).fine();
        assert!(bench.bytes("x.tsv") != again, "{kind} with another seed");
    }
    let everywhere = sample(&bench, "net.txt -k 2 --count 500 --component all -o x.tsv");
    assert_eq!(everywhere["nodes"], 6);
    assert!(lines(&bench, "x.tsv").iter().any(|x| x.contains(&"eva".to_owned())));
}

#[test]
fn a_shorter_run_is_the_beginning_of_a_longer_one() {
    let bench = Bench::new();
    for kind in ["exact", "pivot", "pivot-approx", "glauber"] {
        sample(&bench, &format!("@karate -k 6 --sampler {kind} --count 100 -o short.tsv"));
        sample(&bench, &format!("@karate -k 6 --sampler {kind} --count 3000 -o long.tsv"));
        assert_eq!(lines(&bench, "short.tsv"), lines(&bench, "long.tsv")[..100], "{kind}");
    }
}

#[test]
fn errors_of_pivots_that_swing_to_and_fro_on_a_star_cover_the_truth() {
    // A hub with 200 leaves, two of which are joined: the walk comes back to the hub at every second step, but for a step between those two.
    let bench = Bench::new();
    let star: Vec<String> = (1..=200).map(|leaf| format!("hub {leaf}")).collect();
    bench.put("star.txt", format!("{}\n1 2\n", star.join("\n")));
    // The first node of an edge drawn uniformly, in a random direction: Σ d²/Σ d.
    let truth = f64::from(200 * 200 + 198 + 2 * 4) / 402.0;
    for seed in 0..12 {
        let done = sample(&bench, &format!("star.txt -k 2 --sampler pivot --count 4000 --seed {seed}"));
        let observables = done["observables"].as_array().unwrap();
        let degree = observables.iter().find(|one| one["observable"] == "first-degree").unwrap();
        let (mean, error) = (degree["mean"].as_f64().unwrap(), degree["error"].as_f64().unwrap());
        assert!((mean - truth).abs() < 4.0 * error, "seed {seed}: {mean} ± {error} instead of {truth}");
        // At most N log₁₀ N effective draws.
        assert!(degree["effective_sample_size"].as_f64().unwrap() < 4000.0 * 4000f64.log10() + 1.0);
    }
}

#[test]
fn arrays_hold_the_names_of_nodes_and_patches_the_matrix() {
    let bench = Bench::new();
    bench.put("net.txt", "10 20 0.5\n20 30 2\n30 10 3\n30 40 1\n");
    sample(&bench, "net.txt -k 3 --count 200 -o x.npy --patches p.npy");
    let array = bench.bytes("x.npy");
    let header = npy_header(&array);
    assert!(header.contains("'<i8'") && header.contains("(200, 3)"), "{header}");
    let x = integers(&bench, "x.npy");
    assert!(x.len() == 600 && x.iter().all(|id| [10, 20, 30, 40].contains(id)));
    let bytes = bench.bytes("p.npy");
    let header = npy_header(&bytes);
    assert!(header.contains("'<f8'") && header.contains("(200, 9)"), "{header}");
    let weight = |u: i64, v: i64| match (u.min(v), u.max(v)) {
        (10, 20) => 0.5,
        (20, 30) => 2.0,
        (10, 30) => 3.0,
        (30, 40) => 1.0,
        _ => 0.0,
    };
    let patches =
        bytes[10 + header.len()..].chunks_exact(8).map(|eight| f64::from_le_bytes(eight.try_into().unwrap()));
    for (at, value) in patches.enumerate() {
        let (x, i, j) = (&x[at / 9 * 3..], at % 9 / 3, at % 3);
        assert_eq!(value, weight(x[i], x[j]), "sample {}", at / 9);
    }
    // Patches go straight to `factor`; those without weights are bytes.
    sample(&bench, "@karate -k 5 --count 300 --patches p.npy");
    assert!(npy_header(&bench.bytes("p.npy")).contains("'|u1'"));
    bench.run("factor p.npy -r 4 -o atoms -q").fine();
    assert_eq!(bench.model("atoms").w.rows(), 25);
    // Words have no numbers: places in the order of names.
    bench.put("words.txt", WORDS);
    sample(&bench, "words.txt -k 2 --count 50 -o x.npy");
    assert!(integers(&bench, "x.npy").iter().all(|v| (0..4).contains(v)));
}

#[test]
fn densities_are_those_of_the_complete_graph() {
    let bench = Bench::new();
    let text: String = (0..6).flat_map(|i| (0..i).map(move |j| format!("{i} {j}\n"))).collect();
    bench.put("k6.txt", text);
    let done = sample(&bench, "k6.txt -k 4 --count 20000 --observables density,conditional-density,macc");
    let close = |value: &Value, exact: f64, within: f64| {
        let value = value.as_f64().unwrap();
        assert!((value - exact).abs() <= within, "{value} for {exact} ± {within}");
    };
    // t(path) = (5/6)³, and a walk of three steps closes to a cycle with probability 105/125·... = hom(C₄)/hom(P₄).
    close(&done["density"]["mean"], (5.0f64 / 6.0).powi(3), 1e-12);
    assert_eq!(done["density"]["exact"], true);
    let closes = (5f64.powi(4) + 5.0) / (6.0 * 125.0);
    let error = (closes * (1.0 - closes) / 20_000.0).sqrt();
    close(&done["conditional_density"]["mean"], closes, 4.5 * error);
    close(&done["conditional_density"]["error"], error, 0.3 * error);
    let macc = &done["macc"];
    assert_eq!((&macc[0][1], &macc[2][1]), (&json!(1.0), &json!(1.0)));
    close(&macc[0][3], closes, 4.5 * error);
    close(&macc[0][2], 0.8, 4.5 * 0.4 / 20_000f64.sqrt());
    let cycle = sample(&bench, "k6.txt --motif cycle -k 4 --count 20000 --observables density");
    assert_eq!((&cycle["sampler"], &cycle["density"]["exact"]), (&json!("exact"), &json!(false)));
    assert_eq!(cycle["independent"], true);
    let exact = (5f64.powi(4) + 5.0) / 6f64.powi(4);
    let error = cycle["density"]["relative_error"].as_f64().unwrap();
    close(&cycle["density"]["mean"], exact, 4.5 * error * exact);
}

#[test]
fn motifs_come_by_name_and_from_files_and_can_be_injective() {
    let bench = Bench::new();
    bench.put("claw.txt", "c a\nc b\nc d\n");
    let done = sample(&bench, "@karate --motif claw.txt --injective --count 500 -o x.tsv");
    assert_eq!((done["k"].clone(), done["sampler"].clone()), (json!(4), json!("exact")));
    assert!(done["acceptance"].as_f64().unwrap() < 1.0);
    for x in lines(&bench, "x.tsv") {
        assert_eq!(x.iter().collect::<BTreeSet<_>>().len(), 4, "{x:?}");
    }
    bench.run("network convert @karate -o k.txt -q").fine();
    let text = String::from_utf8(bench.bytes("k.txt")).unwrap();
    let listed: Vec<String> =
        text.lines().filter(|l| !l.starts_with('#')).map(|l| l.replace('\t', " ")).collect();
    let karate = pairs(&listed.join("\n"));
    for (motif, k) in [("star", 4), ("complete", 4), ("cycle", 5)] {
        let done = sample(&bench, &format!("@karate --motif {motif} -k {k} --count 300 --every 5 -o x.tsv"));
        assert_eq!(done["motif"], motif);
        let edges: Vec<(usize, usize)> = match motif {
            "star" => (1..k).map(|i| (0, i)).collect(),
            "cycle" => (0..k).map(|i| (i, (i + 1) % k)).collect(),
            _ => (0..k).flat_map(|i| (0..i).map(move |j| (j, i))).collect(),
        };
        for x in lines(&bench, "x.tsv") {
            assert!(
                edges.iter().all(|&(i, j)| karate.contains(&(x[i].clone(), x[j].clone()))),
                "{motif}: {x:?}"
            );
        }
    }
}

#[test]
fn a_run_is_made_again_from_its_configuration() {
    let bench = Bench::new();
    for flags in [
        "--sampler pivot --chains 2 --count 300",
        "--motif cycle -k 4 --observables density,macc --count 200",
    ] {
        let done = sample(&bench, &format!("@karate {flags} -o a.tsv"));
        bench.put("run.json", done["config"].to_string());
        sample(&bench, "@karate --config run.json -o b.tsv");
        assert_eq!(bench.bytes("a.tsv"), bench.bytes("b.tsv"), "{flags}");
    }
}

#[test]
fn single_chains_warn_that_convergence_is_unknown() {
    let bench = Bench::new();
    // One triangle that single nodes cannot turn round.
    bench.put("net.txt", "a b\nb c\nc a\nc d\n");
    let frozen =
        bench.run("network sample net.txt --motif cycle -k 3 --sampler glauber --count 1000 --json").fine();
    assert!(frozen.stderr.contains("never left its first sample"), "{}", frozen.stderr);
    assert_eq!(frozen.json()["observables"][0]["mixed"], false);
    let exact = sample(&bench, "net.txt --motif cycle -k 3 --count 1000 -o x.csv");
    assert_eq!((&exact["sampler"], &exact["observables"][0]["mixed"]), (&json!("exact"), &json!(true)));
    let text = String::from_utf8(bench.bytes("x.csv")).unwrap();
    assert_eq!(text.lines().collect::<BTreeSet<_>>().len(), 6, "all ways to lay a triangle on a triangle");
    assert_eq!(text.lines().next().unwrap().split(',').count(), 3);
    // One chain whose steps depend on each other says nothing of its mixing; a complete motif leaves no pairs to count.
    let one = sample(&bench, "@karate --motif complete -k 3 --sampler glauber --count 1000");
    assert!(one["observables"].as_array().unwrap().iter().all(|o| o["observable"] != "patch-density"));
    assert!(one["observables"][0]["mixed"].is_null() || one["observables"][0]["mixed"] == false, "{one}");
}

#[test]
fn a_node_alone_is_a_motif() {
    let bench = Bench::new();
    let done = sample(&bench, "@karate -k 1 --count 500 --observables density,macc");
    assert_eq!((&done["macc"], &done["density"]["mean"]), (&json!([[0.0]]), &json!(1.0)));
}

#[test]
fn reports_show_patches_and_curves() {
    let bench = Bench::new();
    bench
        .run(
            "network sample @karate -k 5 --sampler pivot --chains 2 --count 2000 --observables macc,density \
              --report page.html --figures figures -q",
        )
        .fine();
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    for words in ["Motif samples of @karate", "Patches", "Clustering", "chain 1", "homomorphism density"] {
        assert!(page.contains(words), "{words}");
    }
    assert!(bench.path("figures/patches.svg").exists() && bench.path("figures/clustering.svg").exists());
    assert_eq!(bench.files().len(), 2, "{:?}", bench.files());
}

#[test]
fn messages_name_the_component_and_the_laziness() {
    let bench = Bench::new();
    bench.put("net.txt", WORDS);
    let said = bench.run("network sample net.txt -k 3 --count 10").fine().stderr;
    assert!(said.contains("largest of 2 components") && said.contains("4 of 6 nodes"), "{said}");
    let said = bench.run("network sample @davis -k 3 --count 100 --sampler pivot").fine().stderr;
    assert!(said.contains("bipartite"), "{said}");
    let said = bench.run("network sample @davis -k 3 --count 100 --sampler glauber").fine().stderr;
    assert!(said.contains("bipartite"), "{said}");
}
