//! What the pages say: every command that has something to look at, and what models keep for their pages.

use crate::bench::{Bench, numbers};
use crate::{image, spins};
use ergodict::dictionary::Model;
use serde_json::Value;

const NETWORK: &str = "-k 5 -r 4 --steps 20 --batch 40";

fn page(bench: &Bench, words: &str) -> String {
    bench.run(&format!("{words} --report page.html -q")).fine();
    String::from_utf8(bench.bytes("page.html")).unwrap()
}

/// Refuses pages that lack any of these.
fn has(page: &str, all: &[&str]) {
    for one in all {
        assert!(page.contains(one), "{one} is not on the page");
    }
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
}

#[test]
fn pages_of_network_dictionaries_have_all_there_is_to_see() {
    let bench = Bench::new();
    let one = page(&bench, &format!("network learn @lesmis {NETWORK} --sampler pivot --chains 2 -o m"));
    has(
        &one,
        &[
            "What @lesmis is made of",
            "77 nodes, 254 edges",
            "Latent motifs",
            "share off the motif",
            "of this subgraph",
            "Valjean",
            "Loss",
            "Coming to rest",
            "How well the chain mixes",
            "Autocorrelation",
            "% of its proposals",
            "Degrees",
            "What was run",
            "Run it again",
            "ergodict network learn @lesmis",
            "--sampler pivot",
            "reading and set-up",
        ],
    );
    let exact =
        page(&bench, &format!("network learn @karate @kite --unweighted {NETWORK} -o m --examples 0"));
    has(&exact, &["What @karate and @kite is made of", "drawn independently of each other"]);
    assert!(!exact.contains("of this subgraph"));
    let all = page(&bench, "network learn @kite --static -k 3 -r 3 -o m");
    has(&all, &["homomorphisms at once", "of this subgraph", "--static", "Degrees"]);
    let later =
        page(&bench, &format!("network learn @karate @karate --snapshots --sampler pivot {NETWORK} -o m"));
    has(&later, &["2 snapshots (@karate to @karate)", "From one snapshot to the next a chain went on once"]);
}

#[test]
fn models_of_networks_keep_what_their_pages_need() {
    let bench = Bench::new();
    bench.put("arcs.txt", "a b 2\nb c 1\nc a 3\nc d 1\nd a 1\n");
    let kept = |words: &str| {
        bench.run(&format!("network learn {words} -o m -q")).fine();
        let model: Model = bench.model("m");
        (model.run.clone(), model)
    };
    let (run, model) = kept(&format!("@lesmis {NETWORK} --sampler pivot --chains 3"));
    assert_eq!(run["networks"][0]["nodes"], 77);
    let bins = run["networks"][0]["degrees"].as_array().unwrap();
    assert_eq!(bins.iter().map(|bin| bin[2].as_u64().unwrap()).sum::<u64>(), 77);
    let mixing = &run["chain"]["mixing"][0];
    assert_eq!((&mixing["chains"], &mixing["every"]), (&Value::from(3), &Value::from(1)));
    // 800 patches among three chains: 266 each, and one more for those that come first in a minibatch.
    assert_eq!(mixing["values"], 20 * 13);
    assert_eq!(mixing["autocorrelation"][0], 1.0);
    assert_eq!(model.history.gaps.len(), 12, "1 to 8, 10, 12, 15, 18");
    for atom in run["examples"].as_array().unwrap() {
        for example in atom.as_array().unwrap() {
            assert_eq!(example["nodes"].as_array().unwrap().len(), 5);
            assert!((0.0..=1.0).contains(&example["share"].as_f64().unwrap()));
        }
    }
    let (run, _) = kept(&format!("arcs.txt --directed --weighted {NETWORK} --examples 2"));
    let first = run["examples"].as_array().unwrap().iter().find_map(|atom| atom.get(0)).unwrap();
    assert!(first["values"].as_array().unwrap().contains(&Value::from(3.0)), "{first}");
    assert_eq!(first["values"].as_array().unwrap().len(), first["entries"].as_array().unwrap().len());
    assert!(run["examples"].as_array().unwrap().iter().all(|atom| atom.as_array().unwrap().len() <= 2));
    let (run, _) = kept(&format!("@karate {NETWORK} --examples 0"));
    assert_eq!(run.get("examples"), None);
}

#[test]
fn pages_of_what_comes_after_learning() {
    let bench = Bench::new();
    bench.run(&format!("network learn @karate {NETWORK} -o atoms.safetensors -q")).fine();
    let rebuilt =
        page(&bench, "network reconstruct @karate --model atoms.safetensors --samples 2000 -o out.tsv");
    has(
        &rebuilt,
        &[
            "@karate rebuilt",
            "Accuracy over the threshold",
            "Weights",
            "Degrees",
            "Coverage",
            "Latent motifs",
            "Jaccard",
            "Run it again",
            "--model atoms.safetensors",
        ],
    );
    let sample = page(&bench, "network sample @karate -k 4 --sampler pivot --count 400 --chains 2");
    has(&sample, &["Autocorrelation", "R̂", "Run it again", "Accepted"]);
    let info = page(&bench, "network info @karate");
    has(&info, &["34 nodes and 78 edges", "Degrees", "What was run", "transitivity"]);
}

#[test]
fn pages_of_denoising_and_of_scores() {
    let bench = Bench::new();
    bench.run("network corrupt @lesmis --add 0.3 -o observed.txt --truth truth.tsv -q").fine();
    let doubtful =
        page(&bench, "network denoise observed.txt --method ensemble -o ensemble.tsv --pairs truth.tsv");
    has(
        &doubtful,
        &[
            "Doubtful pairs of observed",
            "Most suspicious",
            "common neighbours",
            "What the scores rest on",
            "Scores",
            "of the observed edges are false",
            "Run it again",
            "--pairs truth.tsv",
        ],
    );
    bench.run("network denoise observed.txt --method jaccard -o jaccard.tsv --pairs truth.tsv -q").fine();
    let missing = page(&bench, "network denoise @karate --method jaccard --pairs non-edges -o missing.tsv");
    has(&missing, &["Most likely missing", "The pairs that look most like edges"]);
    let methods = page(&bench, "evaluate ensemble.tsv jaccard.tsv truth.tsv");
    has(
        &methods,
        &[
            "Scores against truth",
            "The best are those of",
            "ROC curves",
            "Precision and recall",
            "Scores of ensemble",
            "Scores of jaccard",
            "What was run",
            "ergodict evaluate ensemble.tsv jaccard.tsv truth.tsv",
        ],
    );
    assert_eq!(methods.matches("<h1>").count(), 1);
}

#[test]
fn pages_of_lattices_images_and_matrices() {
    let bench = image::bench();
    bench.put_npy("x.npy", &numbers(9, 30));
    let ising = page(&bench, &format!("spins learn {} -o s", spins::SMALL));
    has(
        &ising,
        &[
            "What the Ising model",
            "Configurations over time",
            "How well the chain mixes",
            "energy per site",
            "magnetisation",
            "Coming to rest",
            "Run it again",
            "ergodict spins learn",
        ],
    );
    let kept: Model = bench.model("s");
    assert_eq!(kept.run["chain"]["mixing"].as_array().unwrap().len(), 2);
    let pixels = page(&bench, &format!("image learn grey.png {} -o i", image::SMALL));
    has(&pixels, &["What grey is made of", "grey rebuilt", "Loss", "ergodict image learn grey.png"]);
    let matrix = page(&bench, "factor x.npy -r 3 -o f --batch 5 --shape 1x9");
    has(&matrix, &["What x is made of", "Atoms", "ergodict factor x.npy -r 3"]);
    let kept: Model = bench.model("f");
    assert_eq!(kept.run["shape"], serde_json::json!([1, 9]));
}
