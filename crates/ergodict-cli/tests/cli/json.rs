//! `--json`: every summary has the keys that `docs/json.md` tells of, and no others.

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
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn the_docs_tell_of_every_key() {
    let docs = std::fs::read_to_string(DOCS).unwrap();
    let bench = image::bench();
    bench.put_npy("x.npy", &numbers(4, 30));
    bench.put("labels.tsv", "1 2 1\n1 3 1\n2 3 0\n1 4 0\n");
    let json = |words: &str| bench.run(&format!("{words} --json -q")).fine().json();
    let factor = documented(&docs, "ergodict.factor/1");
    for words in [
        "demo -o tour",
        "factor x.npy -r 2 -o f",
        "transform f x.npy -o h.npy",
        "model show f",
        "model export f -o f.csv",
        "spins simulate --size 16 --updates 1000 --every 100 -o t.npy",
        &format!("spins learn {} -o s", spins::SMALL),
        "spins reconstruct s t.npy -o again.npy",
        &format!("image learn grey.png {} -o i", image::SMALL),
        "image reconstruct i grey.png -o again.png",
        "network info @karate",
        "network info labels.tsv --timestamps --windows 2",
        "network list",
        #[cfg(feature = "fetch")]
        "network fetch enron --from labels.tsv --unchecked -o k.txt",
        "network convert @karate -o k.egr",
        "network generate er --nodes 9 --edges 12 -o e.txt",
        "network corrupt @karate --add 0.5 -o c.txt",
        "network sample @karate -k 4 --count 50 --observables density,conditional-density,macc",
        "network learn @karate -k 4 -r 3 --steps 3 -o n",
        "network learn @kite --static -k 3 -r 3 -o t",
        "network reconstruct @karate --model n --samples 200 -o n.tsv",
        "network compare @karate @kite --unweighted -k 4 -r 3 --steps 3 --samples 200",
        "network denoise @karate --method common-neighbours -o d.tsv",
        "evaluate d.tsv labels.tsv",
        "report n s -o r.html",
        "paper convergence --quick -o p",
        "paper figure-image --quick -o p",
        "paper figure-ising --quick -o p",
        "paper figure-ndl --quick -o p",
        "paper figure-denoising --quick -o p",
        "paper table-denoising --quick --methods jaccard -o p",
        "paper all --quick --methods jaccard -o p",
    ] {
        let summary = json(words);
        let schema = summary["schema"].as_str().unwrap();
        let mut told = documented(&docs, schema);
        match schema {
            "ergodict.spins-learn/1" => {
                let own = ["schema", "seconds", "runs"].map(str::to_owned);
                let top = own.iter().cloned().chain(["config".to_owned()]).collect::<BTreeSet<_>>();
                assert_eq!(keys(&summary), top, "{words}");
                assert!(own.iter().all(|key| told.contains(key)));
                told.extend(factor.clone());
                own.iter().for_each(|key| assert!(told.remove(key)));
                assert_eq!(keys(&summary["runs"][0]), told, "a run of {words}");
                continue;
            }
            "ergodict.spins-simulate/1" => {
                for key in keys(&summary["observables"][0]) {
                    assert!(docs.contains(&format!("`{key}`")), "{key} of an observable");
                }
            }
            "ergodict.image-learn/1" => told.extend(factor.clone()),
            _ => {}
        }
        assert_eq!(keys(&summary), told, "{words}");
    }
}
