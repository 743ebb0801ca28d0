//! `ergodict network denoise` and `evaluate`: scores of pairs, and how good they are.

use crate::bad_networks::refused;
use crate::bench::Bench;
use ergodict::denoise::Method;
use serde_json::json;

fn corrupted(how: &str) -> Bench {
    let bench = Bench::new();
    bench.run(&format!("network corrupt @lesmis {how} -o obs.txt --truth truth.tsv -q")).fine();
    bench
}

#[test]
fn false_edges_are_found_and_every_step_says_what_it_did() {
    let bench = corrupted("--add 0.5");
    let done = bench.run("network denoise obs.txt -o scores.tsv --json -q").fine().json();
    assert_eq!((done["noise"].clone(), done["method"].clone()), (json!("added"), json!("ensemble")));
    assert_eq!((done["pairs"].clone(), done["observed_pairs"].clone()), (json!(381), json!(381)));
    assert!(!done["heads"][0]["features"].as_array().unwrap().is_empty());
    bench.run("network denoise obs.txt -o again.tsv -q -j 1").fine();
    assert!(bench.bytes("again.tsv") == bench.bytes("scores.tsv"));
    bench.run("network denoise obs.txt --method ndr -o ndr.tsv -q").fine();
    let found = bench.run("evaluate scores.tsv ndr.tsv truth.tsv --json -q --report roc.html").fine().json();
    let group = &found["groups"][0];
    assert_eq!((group["positive_pairs"].clone(), group["negative_pairs"].clone()), (json!(254), json!(127)));
    let auc = |at: usize| group["results"][at]["auc"].as_f64().unwrap();
    assert!(auc(0) > 0.87 && auc(0) > auc(1), "{} and {}", auc(0), auc(1));
    let interval = group["results"][0]["auc_interval"].as_array().unwrap();
    assert!(interval[0].as_f64().unwrap() < auc(0) && auc(0) < interval[1].as_f64().unwrap());
    assert!((group["differences"][0]["auc_difference"].as_f64().unwrap() - (auc(1) - auc(0))).abs() < 1e-12);
    assert!(String::from_utf8(bench.bytes("roc.html")).unwrap().contains("<svg"));
}

#[test]
fn missing_edges_are_found_in_the_order_of_the_pairs() {
    let bench = corrupted("--remove 0.3");
    let done = bench.run("network denoise obs.txt --pairs truth.tsv -o scores.tsv --json -q").fine().json();
    assert_eq!(done["noise"], "removed");
    let first = |name: &str| -> Vec<String> {
        let text = String::from_utf8(bench.bytes(name)).unwrap();
        text.lines().skip(1).map(|line| line.split('\t').take(2).collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!(first("scores.tsv"), first("truth.tsv"));
    let found = bench.run("evaluate scores.tsv truth.tsv --json -q").fine().json();
    let kinds: Vec<&str> =
        found["groups"].as_array().unwrap().iter().map(|g| g["negatives"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["uniform", "degree"]);
    assert!(found["groups"][0]["results"][0]["auc"].as_f64().unwrap() > 0.85, "{found}");
    // The words have the same numbers.
    let words = String::from_utf8(bench.run("evaluate scores.tsv truth.tsv -q").fine().stdout).unwrap();
    let auc = format!("{:.4}", found["groups"][0]["results"][0]["auc"].as_f64().unwrap());
    assert!(words.contains(&auc) && words.contains("(degree)"), "{words}");
}

#[test]
fn both_kinds_of_noise_and_every_method() {
    let bench = corrupted("--remove 0.3");
    let both =
        bench.run("network denoise obs.txt --pairs truth.tsv --noise both -o s.tsv --json -q").fine().json();
    assert_eq!(both["heads"].as_array().unwrap().len(), 1, "no pair of the truth is observed");
    bench.put("mixed.tsv", "Valjean\tJavert\nValjean\tNapoleon\n");
    let both =
        bench.run("network denoise @lesmis --pairs mixed.tsv --noise both -o s.tsv --json -q").fine().json();
    assert_eq!(both["heads"].as_array().unwrap().len(), 2);
    for method in Method::all().into_iter().filter(|method| *method != Method::Ensemble) {
        bench.run(&format!("network denoise obs.txt --pairs truth.tsv --method {method} -o s.tsv -q")).fine();
        assert_eq!(String::from_utf8(bench.bytes("s.tsv")).unwrap().lines().count(), 3 * 76 + 1, "{method}");
    }
}

#[test]
fn the_pairs_that_matter_most_are_written_first() {
    let bench = Bench::new();
    let scores = |name: &str| -> Vec<f64> {
        let text = String::from_utf8(bench.bytes(name)).unwrap();
        text.lines().skip(1).map(|line| line.split('\t').nth(2).unwrap().parse().unwrap()).collect()
    };
    bench.run("network denoise @lesmis --method resource-allocation -o all.tsv -q").fine();
    bench.run("network denoise @lesmis --method resource-allocation --top 9 -o least.tsv -q").fine();
    let (mut all, least) = (scores("all.tsv"), scores("least.tsv"));
    all.sort_by(f64::total_cmp);
    assert_eq!(least, all[..9]);
    let words = "network denoise @lesmis --pairs non-edges --method resource-allocation";
    let done = bench.run(&format!("{words} --top 9999 -o all.tsv --json -q")).fine().json();
    assert_eq!((done["pairs"].clone(), done["observed_pairs"].clone()), (json!(77 * 76 / 2 - 254), json!(0)));
    bench.run(&format!("{words} -o some.tsv -q")).fine();
    assert_eq!(scores("some.tsv").len(), 50);
    bench.run(&format!("{words} --top 9 -o most.tsv -q")).fine();
    let (mut all, most) = (scores("all.tsv"), scores("most.tsv"));
    all.sort_by(|a, b| b.total_cmp(a));
    assert_eq!(most, all[..9]);
}

#[test]
fn pairs_without_a_score_rank_last_and_are_counted() {
    let bench = Bench::new();
    bench.put("labels.tsv", "a b 1\nb c 1\nc d 0\nd e 0\n");
    bench.put("some.tsv", "u v score count\nb a 0.5 3\nc d 0.25 9\n");
    let done = bench.run("evaluate some.tsv labels.tsv --json");
    assert!(done.stderr.contains("2 of 4 pairs"), "{}", done.stderr);
    let found = done.fine().json();
    // Scores 0.5 and none against 0.25 and none: one wins twice, one loses and ties.
    assert_eq!(found["groups"][0]["results"][0]["auc"], 0.625);
    assert_eq!(found["groups"][0]["results"][0]["missing"], 2);
    let other = bench.run("evaluate some.tsv labels.tsv --column count --json -q").fine().json();
    assert_eq!(other["groups"][0]["results"][0]["auc"], 0.375);
    // Log odds, among which 0 would be high, and cells that are empty.
    bench.put("odds.tsv", "u\tv\tscore\tn\na\tb\t-1\t1\nb\tc\t-2\t1\nc\td\t\t1\n");
    let done = bench.run("evaluate odds.tsv labels.tsv --json");
    assert!(done.stderr.contains("no score for 2 of 4 pairs, which rank last"), "{}", done.stderr);
    let found = done.fine().json();
    assert_eq!(found["groups"][0]["results"][0]["auc"], 1.0);
    // Two against two pairs are no certainty.
    let interval = &found["groups"][0]["results"][0]["auc_interval"];
    assert!(interval[0].as_f64().unwrap() < 0.5 && interval[1] == 1.0, "{interval}");
    assert!(found["groups"][0]["results"][0]["precision_at_20"].is_null());
}

#[test]
fn pairs_that_walks_cannot_see_have_empty_scores() {
    let bench = Bench::new();
    bench.put("parts.txt", "a b\nb c\nc a\nc d\nd e\ne a\nx y\n");
    let done = bench.run("network denoise parts.txt --method ndr -o s.tsv --json -q").fine().json();
    let note = "1 pair has a node outside of the largest component: it has no score, and the last rank";
    assert_eq!(done["notes"][1], note);
    let text = String::from_utf8(bench.bytes("s.tsv")).unwrap();
    assert!(text.contains("x\ty\t\t1\t1\t0\n"), "{text}");
    bench.run("network denoise parts.txt --method ndr --top 7 -o s.tsv -q").fine();
    let text = String::from_utf8(bench.bytes("s.tsv")).unwrap();
    assert!(text.lines().last().unwrap().starts_with("x\ty\t\t"), "last of the suspects: {text}");
}

#[test]
fn probabilities_are_checked_against_shares() {
    let bench = corrupted("--add 0.5");
    bench.run("network denoise obs.txt -o scores.tsv -q").fine();
    bench.run("network denoise obs.txt --method jaccard -o jaccard.tsv -q").fine();
    let run = "evaluate scores.tsv jaccard.tsv truth.tsv";
    let found = bench.run(&format!("{run} --json -q --report page.html")).fine().json();
    let (first, second) = (&found["groups"][0]["results"][0], &found["groups"][0]["results"][1]);
    let bins = first["calibration"].as_array().unwrap();
    assert_eq!(bins.iter().map(|bin| bin["pairs"].as_u64().unwrap()).sum::<u64>(), 381);
    assert!(first["calibration_error"].as_f64().unwrap() < 0.25 && second["calibration_error"].is_null());
    assert!(
        first["precision_at_20"].as_f64().unwrap() > 0.9
            && first["false_share_at_20"].as_f64().unwrap() > 0.6
    );
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    assert!(page.contains("Reliability") && page.contains(r#"class="errors""#));
    let words = String::from_utf8(bench.run(&format!("{run} -q")).fine().stdout).unwrap();
    assert!(words.contains("P@20") && words.contains("F@100") && words.contains("ECE"), "{words}");
    let plain = String::from_utf8(bench.run("evaluate jaccard.tsv truth.tsv -q").fine().stdout).unwrap();
    assert!(!plain.contains("ECE"), "{plain}");
    bench.put("wrong.tsv", "u v score probability\na b 1 0.5\nb c 0 1.5\n");
    bench.put("labels.tsv", "a b 1\nb c 0\n");
    refused(&bench, "evaluate wrong.tsv labels.tsv", &["wrong.tsv:3", "probability 1.5", "0 to 1"]);
}

#[test]
fn scores_of_a_random_network_are_reported_as_uninformative() {
    let bench = corrupted("--add 0.5");
    let words = "true and false edges are not distinguishable in this network";
    let done = bench.run("network denoise obs.txt -o scores.tsv").fine();
    assert!(!done.stderr.contains(words), "{}", done.stderr);
    for seed in 0..3 {
        bench.run(&format!("network generate er --nodes 100 --edges 300 --seed {seed} -o er.txt -q")).fine();
        let done = bench.run("network denoise er.txt -o scores.tsv").fine();
        assert!(done.stderr.contains(words), "{}", done.stderr);
    }
}

#[test]
fn what_denoising_ignores_is_named() {
    let bench = Bench::new();
    bench.put("arcs.txt", "a b 2\nb a 3\nb c 1\nc a 1\n");
    let done = bench.run("network denoise arcs.txt --directed --weighted --method jaccard -o s.tsv");
    let said =
        "arcs.txt: ignored by denoising: directions (1 pair of opposite arcs becomes one edge), weights\n";
    assert!(done.stderr.contains(said), "{}", done.stderr);
}

#[test]
fn what_cannot_be_scored_or_evaluated_is_refused() {
    let bench = corrupted("--add 0.5");
    bench.put("unknown.tsv", "Valjean Nobody\n");
    bench.put("self.tsv", "Valjean Javert\nJavert Javert\n");
    bench.put("labels.tsv", "a b 1\nb c 2\n");
    bench.put("unsure.tsv", "a b 1\nb c 0\nb a 0\n");
    bench.put("ones.tsv", "a b 1\nb c 1\n");
    bench.put("fine.tsv", "a b 1\nb c 0\n");
    bench.put("words.tsv", "u v score\na b high\n");
    bench.put("twice.tsv", "a b 0.5\nb a 0.25\n");
    bench.put("others.tsv", "x y 0.5\n");
    for (words, said) in [
        ("network denoise obs.txt --pairs unknown.tsv -o x", &["unknown.tsv:1", "Nobody"][..]),
        ("network denoise obs.txt --pairs self.tsv -o x", &["self.tsv:2", "itself"]),
        ("network denoise obs.txt --noise removed -o x", &["--noise removed", "non-edges"]),
        ("network denoise obs.txt --top 0 -o x", &["--top is 0"]),
        ("network denoise obs.txt --method best -o x", &["best", "ensemble"]),
        (
            "network denoise obs.txt --method node2vec -o x",
            &["--method is node2vec", "`ergodict-paper score` has node2vec"],
        ),
        ("network denoise obs.txt -o x.npy", &["x.npy", "text"]),
        ("network denoise obs.txt --pairs - -o x", &["--pairs is -"]),
        ("evaluate fine.tsv labels.tsv", &["labels.tsv:2", "expected 1 or 0"]),
        ("evaluate fine.tsv unsure.tsv", &["unsure.tsv:3", "b a 0, and 1 before"]),
        ("evaluate fine.tsv ones.tsv", &["ones.tsv", "all labels are 1"]),
        ("evaluate words.tsv fine.tsv", &["words.tsv:2", "high"]),
        ("evaluate twice.tsv fine.tsv", &["twice.tsv:2", "0.25", "0.5"]),
        ("evaluate others.tsv fine.tsv", &["others.tsv", "none of the labeled pairs"]),
        ("evaluate fine.tsv fine.tsv --column weight", &["column weight not found"]),
        ("evaluate fine.tsv fine.tsv --confidence 1", &["--confidence is 1"]),
        ("evaluate nowhere.tsv fine.tsv", &["nowhere.tsv"]),
    ] {
        refused(&bench, &format!("{words} -q"), said);
    }
}
