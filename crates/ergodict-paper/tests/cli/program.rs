//! What all experiments share: flags from a file, summaries as documented, help as it is printed, errors of one line. After a change of help:
//! `TRYCMD=overwrite cargo test -p ergodict-paper --test cli help`.

use crate::bench::Bench;
use std::collections::BTreeSet;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/paper-json.md");

#[test]
fn help() {
    trycmd::TestCases::new().case("tests/cli/help/*.trycmd");
}

#[test]
fn papers_keep_their_flags() {
    let bench = Bench::new();
    let run = bench.run("figure-ndl --quick --seed 4 -o p --json -q").fine();
    bench.put("run.json", &run.stdout);
    for from in ["run.json", "p/figure-ndl-karate.safetensors"] {
        bench.run(&format!("figure-ndl -o again -q --config {from}")).fine();
        let model = "figure-ndl-karate.safetensors";
        assert!(bench.bytes(&format!("p/{model}")) == bench.bytes(&format!("again/{model}")), "{from}");
    }
    let other = bench.run("figure-ising -o x --config run.json");
    let said = "is the configuration of `ergodict-paper figure-ndl`, not of `ergodict-paper figure-ising`";
    assert!(other.code == Some(2) && other.stderr.contains(said), "{}", other.stderr);
}

#[test]
fn errors_are_of_one_line() {
    let bench = Bench::new();
    for (words, said) in [
        ("table-denoising --data nowhere -o x", &["facebook", "--data", "network fetch"][..]),
        ("table-denoising --quick --methods jacard -o x", &["jacard", "did you mean 'jaccard'?"]),
        ("table-denoising --quick --seeds 0 -o x", &["--seeds is 0"]),
        ("figure-imge --quick -o x", &["figure-imge", "did you mean 'figure-image'?"]),
        ("figure-image --quick", &["`ergodict-paper figure-image` needs --out"]),
    ] {
        let done = bench.run(&format!("{words} -q"));
        let line = done.stderr.trim_end();
        assert!(done.code == Some(2) && line.starts_with("ergodict-paper: error: "), "{words}: {line}");
        assert!(!line.contains('\n') && said.iter().all(|said| line.contains(said)), "{words}: {line}");
        assert!(!bench.path("x").exists(), "{words}");
    }
}

/// The keys in the first column of the tables under a heading.
fn documented(docs: &str, heading: &str) -> BTreeSet<String> {
    let section = docs.split(&format!("## {heading}\n")).nth(1).unwrap_or_else(|| panic!("no {heading}"));
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.map(|row| format!("`{}", row.split(" | ").next().unwrap()));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn the_docs_list_every_key() {
    let docs = std::fs::read_to_string(DOCS).unwrap();
    let (bench, common) = (Bench::new(), documented(&docs, "Common"));
    for words in [
        "convergence",
        "figure-image",
        "figure-ising",
        "figure-ndl",
        "figure-denoising",
        "table-denoising --methods jaccard",
        "all --methods jaccard",
    ] {
        let summary = bench.run(&format!("{words} --quick -o p --json -q")).fine().json();
        let schema = summary["schema"].as_str().unwrap();
        let told: BTreeSet<String> = &documented(&docs, &format!("`{schema}`")) | &common;
        let keys: BTreeSet<String> = summary.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, told, "{words}");
    }
    let score = bench.run("score @karate --method spectral -o s.tsv --json -q").fine().json();
    let keys: BTreeSet<String> = score.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, documented(&docs, "`ergodict.paper-score/1`"));
}
