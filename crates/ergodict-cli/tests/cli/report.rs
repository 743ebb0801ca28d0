//! `ergodict report`: pages from models and run records, alone and side by side.

use crate::bench::Bench;

/// Two models of the same network that differ in their seed, one of another network, and the summary of the first.
fn runs() -> Bench {
    let bench = Bench::new();
    let learn =
        |net: &str, rest: &str| bench.run(&format!("network learn {net} --steps 20 {rest} -q --json")).fine();
    let first = learn("@karate", "-k 6 -r 4 -o a.safetensors");
    bench.put("a.json", &first.stdout);
    learn("@karate", "-k 6 -r 4 --seed 1 -o b.safetensors");
    learn("@davis", "-k 6 -r 4 -o c.safetensors");
    learn("@karate", "-k 5 -r 4 -o d.safetensors");
    bench
}

fn page(bench: &Bench, words: &str) -> String {
    bench.run(&format!("report {words} -o page.html -q")).fine();
    String::from_utf8(bench.bytes("page.html")).unwrap()
}

#[test]
fn a_page_is_made_from_a_model_alone_and_from_a_summary_alone() {
    let bench = runs();
    let of_model = page(&bench, "a.safetensors");
    for part in ["@karate", "Loss", "seed", "ergodict 0"] {
        assert!(of_model.contains(part), "{part}");
    }
    let of_summary = page(&bench, "a.json");
    for part in ["network learn", "surrogate per sample", "lambda", "@karate"] {
        assert!(of_summary.contains(part), "{part}");
    }
    assert!(page(&bench, "a.json --title Mine").contains("<h1>Mine</h1>"));
}

#[test]
fn several_runs_list_their_differences() {
    let bench = runs();
    let differing = |words: &str| {
        let told = bench.run(&format!("report {words} -o page.html -q --json")).fine().json();
        told["differing"]
            .as_array()
            .unwrap()
            .iter()
            .map(|d| d.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(differing("a.safetensors b.safetensors"), ["seed"]);
    assert_eq!(differing("a.safetensors c.safetensors"), ["input"]);
    assert_eq!(differing("a.safetensors a.safetensors"), Vec::<String>::new());
    assert!(differing("a.safetensors b.safetensors d.safetensors").contains(&"k".to_owned()));
    let three = page(&bench, "a.safetensors b.safetensors d.safetensors");
    for part in ["Comparison of 3 runs", "Differences", "Similarity of atoms", "Run details"] {
        assert!(three.contains(part), "{part}");
    }
    // Atoms of 5 and of 6 nodes cannot be compared.
    assert!(!page(&bench, "a.safetensors d.safetensors").contains("Similarity of atoms"));
    assert!(page(&bench, "a.safetensors a.json").contains("Comparison of 2 runs"));
}

#[test]
fn evaluations_are_drawn_into_one_chart() {
    let bench = Bench::new();
    bench.run("network corrupt @lesmis --add 0.5 -o noisy.txt --truth truth.tsv -q").fine();
    for method in ["jaccard", "common-neighbors"] {
        bench.run(&format!("network denoise noisy.txt --method {method} -o {method}.tsv -q")).fine();
        let told = bench.run(&format!("evaluate {method}.tsv truth.tsv --json -q")).fine();
        bench.put(&format!("{method}.json"), &told.stdout);
    }
    let auc = |page: &str| page.matches("class=\"series").count();
    let (one, both) = (page(&bench, "jaccard.json"), page(&bench, "jaccard.json common-neighbors.json"));
    assert!(one.contains("ROC curves") && both.contains("common-neighbors: common-neighbors 0."));
    assert_eq!((auc(&one), auc(&both)), (1, 2));
}

#[test]
fn the_same_runs_give_the_same_bytes_and_figures_are_files() {
    let bench = runs();
    let first = page(&bench, "a.safetensors b.safetensors --figures figures");
    assert!(first == page(&bench, "a.safetensors b.safetensors"));
    let svg = String::from_utf8(bench.bytes("figures/similarity-of-atoms.svg")).unwrap();
    assert!(svg.starts_with("<svg"));
}

#[test]
fn what_is_no_run_is_refused_in_one_line() {
    let bench = runs();
    bench.put("empty", "");
    bench.put("text", "1 2\n");
    bench.put("other.json", "{\"a\": 1}");
    bench.put("broken.json", "{\"schema\": ");
    bench.put("zeros", [0u8; 64]);
    bench.put("page.html", "<!DOCTYPE html>");
    for file in ["empty", "text", "other.json", "broken.json", "zeros", "page.html", "not-there", "."] {
        let done = bench.run(&format!("report {file} -o out.html"));
        assert_eq!((done.code, done.stderr.lines().count()), (Some(2), 1), "{file}: {}", done.stderr);
        assert!(done.stderr.contains(file) && !bench.path("out.html").exists(), "{file}: {}", done.stderr);
    }
    assert_eq!(bench.run("report a.safetensors -o a.safetensors").code, Some(2));
}
