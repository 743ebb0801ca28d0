//! `ergodict-paper table-denoising` and `figure-ndl`, quick: what chance allows, what is there by hand, and nothing done twice.

use crate::bench::Bench;
use serde_json::Value;

#[test]
fn the_quick_paper_is_resumed_and_its_pages_are_written() {
    let bench = Bench::new();
    let words = "table-denoising --quick --methods ensemble,ndr,common-neighbors -o out";
    let first = bench.run(&format!("{words} -q")).fine();
    let kept = bench.bytes("out/records.jsonl");
    assert_eq!(String::from_utf8(kept.clone()).unwrap().lines().count(), 2 * 2 * 3);
    let second = bench.run(&format!("{words} -q")).fine();
    assert!(
        first.stdout == second.stdout && bench.bytes("out/records.jsonl") == kept,
        "nothing is measured twice"
    );
    let text = String::from_utf8(first.stdout).unwrap();
    assert!(text.contains("| ensemble |") && text.contains("karate +50 %"), "{text}");
    assert!(bench.bytes("out/table-denoising.md") == text.as_bytes());
    let figure = bench.run("figure-ndl --quick -o out --json -q").fine().json();
    assert_eq!(figure["networks"].as_array().unwrap().len(), 4, "two networks, two laws");
    assert_eq!(bench.model("out/figure-ndl-karate.safetensors").w.cols(), 25);
}

/// AUC of a cell of the quick table: removed edges against uniform non-edges, or true against added ones.
fn cell<'a>(summary: &'a Value, network: &str, noise: &str, method: &str) -> &'a Value {
    let of = |cell: &&Value| cell["network"] == network && cell["noise"] == noise && cell["method"] == method;
    summary["measured"].as_array().unwrap().iter().find(of).unwrap()
}

#[test]
fn the_table_has_what_the_commands_give_by_hand() {
    let bench = Bench::new();
    let words = "table-denoising --quick --methods resource-allocation,l3 --seed 3 -o out --json -q";
    let table = bench.run(words).fine().json();
    bench
        .ergodict("network corrupt @lesmis --unweighted --add 0.5 --seed 3 -o noisy.txt --truth truth.tsv -q")
        .fine();
    for method in ["resource-allocation", "l3"] {
        bench.ergodict(&format!("network denoise noisy.txt --method {method} -o {method}.tsv -q")).fine();
        let judged = bench.ergodict(&format!("evaluate {method}.tsv truth.tsv --json -q")).fine().json();
        let by_hand = judged["groups"][0]["results"][0]["auc"].as_f64().unwrap();
        let told = cell(&table, "lesmis", "added", method)["auc"].as_f64().unwrap();
        assert!((told - by_hand).abs() < 1e-12, "{method}: {told} and {by_hand} by hand");
    }
}

#[test]
fn quick_curves_are_what_chance_allows() {
    let bench = Bench::new();
    let mut differences = Vec::new();
    for seed in 0..3 {
        let words = format!(
            "table-denoising --quick --methods ndr-as-printed,ndr-off-motif --seed {seed} -o {seed} --json -q"
        );
        let table = bench.run(&words).fine().json();
        let auc = |method: &str| cell(&table, "lesmis", "added", method)["auc"].as_f64().unwrap();
        // False edges are seen on the walk itself: off the motif they are separated.
        differences.push(auc("ndr-off-motif") - auc("ndr-as-printed"));
    }
    let spread = |of: &[f64]| {
        let n = of.len() as f64;
        let mean = of.iter().sum::<f64>() / n;
        (mean, (of.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt())
    };
    let off_motif = spread(&differences);
    assert!(off_motif.0 > 3.0 * off_motif.1, "{off_motif:?}");
}

#[test]
fn quick_atoms_of_the_denser_network_have_more_off_the_chain() {
    let bench = Bench::new();
    let mut apart = Vec::new();
    for seed in 0..3 {
        let words = format!("figure-ndl --quick --seed {seed} -o {seed} --json -q");
        let figure = bench.run(&words).fine().json();
        let networks = figure["networks"].as_array().unwrap();
        for network in networks {
            let dominance: Vec<f64> =
                network["dominance"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
            assert!(
                (dominance.iter().sum::<f64>() - 1.0).abs() < 1e-9 && dominance.is_sorted_by(|a, b| a >= b)
            );
        }
        let mean = |name: &str| {
            let of = |network: &&Value| network["network"] == name && network["sampler"] == "exact";
            networks.iter().find(of).unwrap()["off_motif"]["mean"].as_f64().unwrap()
        };
        apart.push(mean("lesmis") - mean("karate"));
    }
    let least = apart.iter().copied().fold(f64::INFINITY, f64::min);
    let most = apart.iter().copied().fold(0.0, f64::max);
    // Walks in lesmis keep to its dense part: 0.087 of all pairs are edges there, 0.139 in karate, yet atoms are denser.
    assert!(least > 3.0 * (most - least), "{apart:?}");
}

#[test]
fn rivals_write_the_tables_that_evaluate_reads() {
    let bench = Bench::new();
    let words =
        "network corrupt @lesmis --unweighted --remove 0.3 --seed 2 -o noisy.txt --truth truth.tsv -q";
    bench.ergodict(words).fine();
    for method in ["spectral", "deepwalk", "node2vec", "line"] {
        let words = format!("score noisy.txt --method {method} --pairs truth.tsv --seed 1 -q");
        bench.run(&format!("{words} -o {method}.tsv")).fine();
        bench.run(&format!("{words} -o again.tsv -j 1")).fine();
        assert!(bench.bytes("again.tsv") == bench.bytes(&format!("{method}.tsv")), "{method}");
        let text = String::from_utf8(bench.bytes("again.tsv")).unwrap();
        assert!(text.starts_with("u\tv\tscore\n") && text.lines().count() == 3 * 76 + 1, "{method}: {text}");
    }
    let judged =
        bench.ergodict("evaluate spectral.tsv node2vec.tsv line.tsv truth.tsv --json -q").fine().json();
    let results = judged["groups"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    // Edges that were removed are mostly within groups, which embeddings detect.
    assert!(results.iter().all(|one| one["auc"].as_f64().unwrap() > 0.6), "{judged}");
    bench.run("score @karate --method line --pairs non-edges -o rest.tsv -q").fine();
    let rest = String::from_utf8(bench.bytes("rest.tsv")).unwrap();
    assert_eq!(rest.lines().count(), 34 * 33 / 2 - 78 + 1);
    let refused = bench.run("score @karate --method prone -o x -q");
    let said = "--method is prone, but it must be one of spectral, deepwalk, node2vec, line";
    assert!(refused.code == Some(2) && refused.stderr.contains(said), "{}", refused.stderr);
}
