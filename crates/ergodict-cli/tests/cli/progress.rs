//! Progress where there is no terminal: plain lines with the rate, the time left and the figure that matters; nothing with -q.

#![cfg(debug_assertions)] // only then lines can be asked for more often

use crate::bench::{Bench, Done, numbers};
use std::process::Stdio;

fn told(bench: &Bench, words: &str) -> Done {
    let mut command = bench.command(words);
    command.env("ERGODICT_SECONDS_BETWEEN_LINES", "0");
    let done: Done = command.stdin(Stdio::null()).output().unwrap().into();
    done.fine()
}

#[test]
fn lines_have_the_figure_that_matters() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(6, 400));
    bench.run("network learn @karate -k 6 -r 5 --steps 5 --batch 20 -o atoms -q").fine();
    bench.run("network generate er -n 2000 --edges 8000 -o big.txt -q").fine();
    bench.run("factor x.npy -r 4 -o m -q").fine();
    for (words, figures) in [
        ("factor x.npy -r 4 --batch 40 --epochs 1 -o m", ["of 400 samples", "surrogate"]),
        ("transform m x.npy --batch 40 -o h.npy", ["of 400 samples", "relative error"]),
        ("spins simulate --size 32 --updates 5e5 --every 1e5 -o t.npy", ["frames", "energy"]),
        ("spins simulate --size 32 --updates 5e5 --every 1e5 -o t.npy", ["left", "magnetization"]),
        ("network sample @karate -k 5 --sampler pivot --count 9000 -o s.tsv", ["samples", "% accepted"]),
        ("network learn @karate -k 6 -r 5 --steps 9 --batch 20 -o l", ["samples", "surrogate"]),
        (
            "network reconstruct @karate --model atoms --samples 90000 -o t.tsv",
            ["samples", "% of edges seen"],
        ),
        (
            "network compare @karate @kite -k 5 -r 3 --steps 5 --samples 20000 --seeds 2 --measure jaccard --rewired=false",
            ["cell 8 of 8", "@kite by"],
        ),
        (
            "network compare @karate @kite -k 5 -r 3 --steps 5 --samples 20000 --unweighted",
            ["learning @kite", "surrogate"],
        ),
        (
            "network compare @karate @kite -k 5 -r 3 --steps 5 --samples 20000 --unweighted",
            ["column 2 of 4", "walks"],
        ),
        ("network denoise @lesmis --method prone -o s.tsv", [" %, ", "embedding"]),
        ("network convert big.txt -o big.egr", ["arcs", "merging"]),
    ] {
        let done = told(&bench, words);
        for figure in figures {
            assert!(done.stderr.contains(figure), "{words}: no {figure} in\n{}", done.stderr);
        }
        assert!(!done.stderr.contains('\u{1b}') && !done.stderr.contains('\r'), "{words}: {}", done.stderr);
        assert_eq!(told(&bench, &format!("{words} -q")).stderr, "", "{words}");
    }
}
