//! `--json`: every summary has the keys that `docs/json.md` documents, and no others.

use crate::bench::numbers;
use crate::{image, spins};
use serde_json::Value;
use std::collections::BTreeSet;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md");

/// The keys in the first column of the tables under a heading.
fn documented(docs: &str, schema: &str) -> BTreeSet<String> {
    let heading = format!("## `{schema}`\n");
    let section = docs.split(&heading).nth(1).unwrap_or_else(|| panic!("{schema} is not in the docs"));
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.map(|row| format!("`{}", row.split(" | ").next().unwrap()));
    let keys =
        cells.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>());
    keys.chain(["schema", "config"].map(str::to_owned)).collect()
}

/// Checks the keys of inner objects, where the docs have any: `outer.inner`, `list[].inner`.
fn check_inner(value: &Value, path: &str, told: &BTreeSet<String>, words: &str) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| check_inner(one, &format!("{path}[]"), told, words)),
        Value::Object(object)
            if path.is_empty() || told.iter().any(|key| key.starts_with(&format!("{path}."))) =>
        {
            for (key, value) in object {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                assert!(told.contains(&path), "{words}: {path} is not in the docs");
                check_inner(value, &path, told, words);
            }
        }
        _ => {}
    }
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn the_docs_list_every_key() {
    let docs = std::fs::read_to_string(DOCS).unwrap();
    let bench = image::bench();
    bench.put_npy("x.npy", &numbers(4, 30));
    bench.put("labels.tsv", "1 2 1\n1 3 1\n2 3 0\n1 4 0\n");
    let json = |words: &str| bench.run(&format!("{words} --json -q")).fine().json();
    for words in [
        "demo -o tour",
        "factor x.npy -r 2 -o f",
        "transform f x.npy -o h.npy",
        "model show f",
        "model export f -o f.csv",
        "spins simulate --size 16 --updates 1000 --every 100 -o t.npy",
        &format!("spins learn {} -o s", spins::SMALL),
        "spins reconstruct s t.npy -o again.npy",
        &format!("image learn gray.png {} -o i", image::SMALL),
        "image reconstruct i gray.png -o again.png",
        "image denoise gray.png --patch 4 -r 9 -o denoised.png",
        "network info @karate",
        "network info labels.tsv --timestamps --windows 2",
        "network list",
        #[cfg(feature = "fetch")]
        "network fetch enron --from labels.tsv --unchecked -o k.txt",
        "network convert @karate -o k.egr",
        "network generate er --nodes 9 --edges 12 -o e.txt",
        "network generate rewired @karate -o w.txt",
        "network corrupt @karate --add 0.5 -o c.txt",
        "network sample @karate -k 4 --count 50 --observables density,conditional-density,macc",
        "network learn @karate -k 4 -r 3 --steps 3 -o n",
        "network learn @kite --static -k 3 -r 3 -o t",
        "network reconstruct @karate --model n --samples 200 -o n.tsv",
        "network compare @karate @kite --unweighted -k 4 -r 3 --steps 3 --samples 200",
        "network denoise @karate --method common-neighbors -o d.tsv",
        "evaluate d.tsv labels.tsv",
        "report n s -o r.html",
    ] {
        let summary = json(words);
        let schema = summary["schema"].as_str().unwrap();
        let told = documented(&docs, schema);
        let top: BTreeSet<String> = told.iter().filter(|key| !key.contains('.')).cloned().collect();
        assert!(keys(&summary).is_subset(&top), "{words}");
        // Windows and their test are of networks over time alone.
        let missing: Vec<_> = top.difference(&keys(&summary)).cloned().collect();
        assert!(missing.is_empty() || missing == ["null_permutations", "windows"], "{words}: {missing:?}");
        check_inner(&summary, "", &told, words);
    }
}
