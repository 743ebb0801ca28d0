//! What the pages say: every command that has something to look at, and what models keep for their pages.

use crate::bench::{Bench, Done, numbers};
use crate::{image, spins};
use ergodict::model::Model;
use serde_json::Value;
#[cfg(unix)]
use std::path::Path;
#[cfg(unix)]
use std::process::Command;
use std::process::Stdio;

const NETWORK: &str = "-k 5 -r 4 --steps 20 --batch 40";

fn page(bench: &Bench, words: &str) -> String {
    page_with(bench, words, &[])
}

/// The same with words that may have spaces.
fn page_with(bench: &Bench, words: &str, more: &[&str]) -> String {
    let mut command = bench.command(&format!("{words} --report page.html -q"));
    Done::from(command.args(more).stdin(Stdio::null()).output().unwrap()).fine();
    String::from_utf8(bench.bytes("page.html")).unwrap()
}

/// Runs what a page says to run again, in a shell.
#[cfg(unix)]
fn run_again(bench: &Bench, page: &str) {
    let (_, rest) = page.split_once("<code>ergodict ").unwrap();
    let mut command = format!("ergodict {} -q", rest.split_once("</code>").unwrap().0);
    for (escaped, plain) in [("&#x27;", "'"), ("&#x2f;", "/"), ("&quot;", "\""), ("&amp;", "&")] {
        command = command.replace(escaped, plain);
    }
    let program = bench.command("");
    let folder = Path::new(program.get_program()).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).current_dir(bench.path("")).env("PATH", path).stdin(Stdio::null());
    let done = Done::from(shell.output().unwrap());
    assert_eq!(done.code, Some(0), "{command}: {}", done.stderr);
}

/// Refuses pages that lack any of these.
fn has(page: &str, all: &[&str]) {
    for one in all {
        assert!(page.contains(one), "{one} is not on the page");
    }
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
}

#[test]
fn reports_of_network_dictionaries_are_complete() {
    let bench = Bench::new();
    let one = page(&bench, &format!("network learn @lesmis {NETWORK} --sampler pivot --chains 2 -o m"));
    has(
        &one,
        &[
            "Latent motifs of @lesmis",
            "77 nodes and 254 edges",
            "class=\"numbers\"",
            "class=\"badge",
            "Latent motifs",
            "share off the motif",
            "of this subgraph",
            "Valjean",
            "Loss",
            "Convergence",
            "Convergence diagnostics",
            "Autocorrelation",
            "% of its proposals",
            "Degree distribution",
            "Run details",
            "Reproduce",
            "ergodict network learn @lesmis",
            "--sampler pivot",
            "reading and set-up",
        ],
    );
    let exact =
        page(&bench, &format!("network learn @karate @kite --unweighted {NETWORK} -o m --examples 0"));
    has(
        &exact,
        &["Latent motifs of @karate and @kite", "drawn independently of each other", "effective nodes</th>"],
    );
    assert!(!exact.contains("Walks cover"), "a table has it");
    assert!(!exact.contains("of this subgraph"));
    let all = page(&bench, "network learn @kite --static -k 3 -r 3 -o m");
    has(&all, &["weighted by probability", "of this subgraph", "--static", "Degree distribution"]);
    let later =
        page(&bench, &format!("network learn @karate @karate --snapshots --sampler pivot {NETWORK} -o m"));
    has(
        &later,
        &["Latent motifs of 2 snapshots (@karate to @karate)", "In the next network chains continued once"],
    );
    assert_eq!(
        later.matches("data-name=\"@karate\"").count(),
        2,
        "one curve of degrees and its entry in the legend"
    );
    let contacts = (0..3).map(|day| 10 * day).flat_map(|at| {
        let pairs = ["a b", "b c", "c d", "d a", "x y"].into_iter().zip(at..);
        pairs.map(|(pair, time)| format!("{pair} {time}\n"))
    });
    bench.put("contacts.txt", contacts.collect::<String>());
    let timed = page(&bench, "network learn contacts.txt --timestamps --window 10 -k 3 -r 2 --steps 4 -o m");
    has(&timed, &["the largest component of its last window has 4 nodes and 4 edges", ">atom 1</text>"]);
}

#[test]
fn models_of_networks_keep_what_their_pages_need() {
    let bench = Bench::new();
    bench.put("arcs.txt", "a b 2\nb c 1\nc a 3\nc d 1\nd a 1\n");
    let kept = |words: &str| {
        bench.run(&format!("network learn {words} -o m -q")).fine();
        let model: Model = bench.model("m");
        (serde_json::to_value(&model.provenance).unwrap(), model)
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
    let least = ["ess_bulk", "ess_tail"]
        .map(|key| mixing[key].as_f64().unwrap())
        .into_iter()
        .fold(f64::MAX, f64::min);
    assert_eq!(mixing["mixed"], mixing["r_hat"].as_f64().unwrap() <= 1.01 && least >= 300.0);
    let gaps: Vec<u64> = model.history.gaps.iter().map(|gap| gap.t).collect();
    assert_eq!(gaps, [1, 10, 18], "four times a decade of steps, after the first");
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
            "Reconstruction of @karate",
            "Accuracy by threshold",
            "Weights",
            "Degree distribution",
            "Coverage",
            "Latent motifs",
            "Jaccard",
            "Reproduce",
            "--model atoms.safetensors",
        ],
    );
    let sample = page(&bench, "network sample @karate -k 4 --sampler pivot --count 400 --chains 2");
    has(&sample, &["Autocorrelation", "R̂", "Reproduce", "Accepted"]);
    let info = page(&bench, "network info @karate");
    has(&info, &["34 nodes and 78 edges", "Degree distribution", "Run details", "transitivity"]);
}

/// On a path, walks without a return have nothing off the motif.
#[test]
fn constant_chains_are_not_reported_as_converged() {
    let bench = Bench::new();
    bench.put("path.txt", "a b\nb c\nc d\nd e\n");
    let words = "network learn path.txt -k 3 -r 2 --steps 9 --batch 10 --injective --sampler pivot -o m";
    let still = page(&bench, words);
    has(&still, &["Constant values are inconclusive", "Convergence diagnostics"]);
    assert!(!still.contains("speaks against"));
    let told = bench.run(&format!("{words} --json -v")).fine();
    assert!(told.stderr.contains("convergence is unknown"), "{}", told.stderr);
    let mixing = &told.json()["mixing"][0];
    assert_eq!((&mixing["mean"], &mixing["constant"]), (&Value::from(0.0), &Value::from(true)));
    for unknown in ["error", "autocorrelation_time", "effective_sample_size", "r_hat", "mixed"] {
        assert!(mixing[unknown].is_null(), "{unknown}: {mixing}");
    }
}

/// Independent draws that are more than a model keeps values of.
#[test]
fn independent_draws_are_worth_as_many_samples() {
    let bench = Bench::new();
    let run =
        "network learn @karate -k 3 -r 2 --steps 40 --batch 1000 --sampler exact -o m --examples 0 -q --json";
    let told = bench.run(run).fine().json();
    let mixing = &told["mixing"][0];
    assert_eq!(["values", "every", "lag"].map(|key| mixing[key].as_u64()), [Some(40_000), Some(4), Some(1)]);
    let number = |key: &str| mixing[key].as_f64().unwrap();
    // Six standard errors of √(6τ/n) for n = 16384.
    assert!((number("autocorrelation_time") - 1.0).abs() < 0.115, "{mixing}");
    assert!((number("effective_sample_size") * number("autocorrelation_time") - 4e4).abs() < 1.0, "{mixing}");
}

#[cfg(unix)]
#[test]
fn what_pages_say_to_run_again_runs() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("sub dir")).unwrap();
    bench.run(&format!("network learn @karate {NETWORK} -o atoms.safetensors -q")).fine();
    std::fs::rename(bench.path("atoms.safetensors"), bench.path("sub dir/atoms.safetensors")).unwrap();
    bench.put("sub dir/pairs.tsv", "u\tv\n1\t2\n1\t34\n3\t4\n");
    let files = ["--model", "sub dir/atoms.safetensors", "--pairs", "sub dir/pairs.tsv"];
    let rebuilt = page_with(&bench, "network reconstruct @karate --samples 500 -o out.tsv", &files);
    assert_eq!(rebuilt.matches("--model").count(), 1);
    run_again(&bench, &rebuilt);
    assert!(bench.bytes("reconstruction.tsv") == bench.bytes("out.tsv"));
    let labels = "u\tv\tlabel\n1\t2\t1\n1\t3\t1\n1\t34\t0\n2\t34\t0\n";
    bench.put("sub dir/truth.tsv", labels);
    let scored = "network denoise @karate --method jaccard -o out.tsv";
    let doubtful = page_with(&bench, scored, &["--pairs", "sub dir/truth.tsv"]);
    run_again(&bench, &doubtful);
    assert!(bench.bytes("scores.tsv") == bench.bytes("out.tsv"));
    // A shell would take the name of this column for another.
    bench.put("sub dir/other.tsv", labels.replace("label", "score$1"));
    let files = ["sub dir/other.tsv", "sub dir/truth.tsv", "--column", "score$1"];
    let methods = page_with(&bench, "evaluate", &files);
    run_again(&bench, &methods);
    assert!(bench.path("methods.html").exists());
}

#[test]
fn configurations_are_labeled_by_their_updates() {
    let bench = Bench::new();
    let learn = format!("spins learn {} --burn-in 1000", spins::SMALL);
    let whole = page(&bench, &format!("{learn} -o s"));
    has(&whole, &["update 1400", "update 5000"]);
    assert!(!whole.contains("these begin there"));
    bench.put_spins("t.npy", 12, (12, 12), |t, i, j| if (t + i * j) % 3 == 0 { 1 } else { -1 });
    let file =
        page(&bench, "spins learn --trajectory t.npy --burn-in 4 --every 2 --patch 3 --patches 20 -r 4 -o s");
    has(&file, &["frame 6", "frame 12"]);
}

#[cfg(debug_assertions)] // only then tests can stop the program
#[test]
fn pages_of_resumed_runs_say_where_their_pictures_begin() {
    let bench = Bench::new();
    let learn = format!("spins learn {} -o s --checkpoint state --checkpoint-every 1000", spins::SMALL);
    bench.stopped_after(&learn, 4);
    let resumed = page(&bench, &format!("{learn} --resume"));
    has(&resumed, &["these begin there", "update 4000"]);
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
            "Suspicious edges in observed",
            "Ranked edges",
            "common neighbors",
            "Feature importance",
            "Score distribution",
            "of the observed edges look like random pairs",
            "Reproduce",
            "--pairs truth.tsv",
        ],
    );
    bench.run("network denoise observed.txt --method jaccard -o jaccard.tsv --pairs truth.tsv -q").fine();
    let missing = page(&bench, "network denoise @karate --method jaccard --pairs non-edges -o missing.tsv");
    has(&missing, &["Ranked pairs", "Most likely missing edges first"]);
    let methods = page(&bench, "evaluate ensemble.tsv jaccard.tsv truth.tsv");
    has(
        &methods,
        &[
            "Evaluation against truth",
            "Highest AUC: ",
            "ROC curves",
            "Precision and recall",
            "Score distribution: ensemble",
            "Score distribution: jaccard",
            "Run details",
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
            "Ising model at T = ",
            "Configurations over time",
            "Convergence diagnostics",
            "energy per site",
            "magnetization",
            "Convergence",
            "Reproduce",
            "ergodict spins learn",
        ],
    );
    let kept: Model = bench.model("s");
    assert_eq!(kept.provenance.chain.unwrap().mixing.len(), 2);
    let pixels = page(&bench, &format!("image learn gray.png {} -o i", image::SMALL));
    has(&pixels, &["Atoms of gray", "Reconstruction of gray", "Loss", "ergodict image learn gray.png"]);
    let matrix = page(&bench, "factor x.npy -r 3 -o f --batch 5 --shape 1x9");
    has(&matrix, &["Atoms of x", "Atoms", "ergodict factor x.npy -r 3"]);
    let kept: Model = bench.model("f");
    assert_eq!(kept.provenance.shape, Some((1, 9)));
}
