//! Manners in a shell: readers that leave, terminals and what is none, what goes where, exit codes.

use crate::bench::{Bench, numbers};
use crate::image;
use std::process::{Command, Stdio};

/// What prints more than a line on standard output.
const PRINTS: [&str; 14] = [
    "--help",
    "network learn --help",
    "completions bash",
    "man",
    "network list",
    "network list --json",
    "network info @karate",
    "network info @karate --json",
    "model show f",
    "model show f --json",
    "evaluate pairs.tsv pairs.tsv",
    "network sample @karate -k 4 --count 20000 -o -",
    "network generate er --nodes 2000 --edges 9000 -o -",
    "network compare @karate @kite --unweighted -k 4 -r 3 --steps 3 --samples 200",
];

fn bench() -> Bench {
    let bench = image::bench();
    bench.put_npy("x.npy", &numbers(4, 30));
    bench.put("pairs.tsv", "u\tv\tlabel\n1\t2\t1\n1\t3\t1\n2\t10\t0\n1\t34\t0\n");
    bench.run("factor x.npy -r 2 -o f -q").fine();
    bench
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_is_no_error() {
    let bench = bench();
    let program = assert_cmd::cargo::cargo_bin!("ergodict").display().to_string();
    for words in PRINTS {
        // `true` has left before anything is written, `head` after the first line.
        for reader in ["head -n 1", "true"] {
            let line = format!("set -o pipefail; '{program}' {words} -q | {reader} > /dev/null");
            let done =
                Command::new("bash").args(["-c", &line]).current_dir(bench.path(".")).output().unwrap();
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(
                done.status.code() == Some(0) && said.is_empty(),
                "{words} | {reader}: {:?} {said}",
                done.status
            );
        }
    }
}

/// What a program shows on a terminal of its own, made by `script`; none where that is not installed.
#[cfg(target_os = "linux")]
fn on_a_terminal(bench: &Bench, words: &str, environment: &[(&str, &str)]) -> Option<String> {
    let program = assert_cmd::cargo::cargo_bin!("ergodict").display().to_string();
    let mut script = Command::new("script");
    script.args(["-qec", &format!("'{program}' {words}"), "/dev/null"]).current_dir(bench.path("."));
    ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"].iter().for_each(|name| {
        script.env_remove(name);
    });
    let done = script.env("TERM", "xterm").envs(environment.iter().copied()).stdin(Stdio::null()).output();
    if done.is_err() {
        eprintln!("SKIPPED: script is not installed, so that nothing was shown on a terminal");
    }
    Some(String::from_utf8_lossy(&done.ok()?.stdout).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn colors_are_for_terminals_that_want_them() {
    let bench = bench();
    let colored =
        |text: &str| text.contains("\u{1b}[1m") || text.contains("\u{1b}[3") || text.contains("\u{1b}[4m");
    let Some(plain) = on_a_terminal(&bench, "--help", &[]) else { return };
    assert!(colored(&plain), "help on a terminal has no style: {plain:?}");
    for environment in [("NO_COLOR", "1"), ("TERM", "dumb"), ("CLICOLOR", "0")] {
        for words in ["--help", "network learn -h", "nonsense", "network info nothing"] {
            let text = on_a_terminal(&bench, words, &[environment]).unwrap_or_default();
            assert!(!text.is_empty() && !text.contains('\u{1b}'), "{words} with {environment:?}: {text:?}");
        }
    }
    for words in PRINTS.iter().chain(&["nonsense", "factor x.npy -r 2 -o g", "factor x.npy -r 2 -o g -v"]) {
        let done = bench.run(words);
        let bytes = [&done.stdout[..], done.stderr.as_bytes()].concat();
        assert!(!bytes.contains(&0x1b), "{words} has terminal codes in a pipe");
    }
}

#[test]
fn data_goes_to_stdout_and_talk_to_stderr() {
    let bench = bench();
    for words in [
        "factor x.npy -r 2 -o a",
        "transform f x.npy -o a.npy",
        "model export f -o a.csv",
        "spins simulate --size 16 --updates 1000 --every 100 -o t.npy",
        &format!("image learn gray.png {} -o i", image::SMALL),
        "image reconstruct i gray.png -o again.png",
        "image denoise gray.png --patch 4 -r 9 -o denoised.png",
        "network convert @karate -o k.txt",
        "network generate er --nodes 9 --edges 12 -o e.txt",
        "network corrupt @karate --add 0.5 -o c.txt",
        "network sample @karate -k 4 --count 50 -o w.tsv",
        "network learn @karate -k 4 -r 3 --steps 3 -o n",
        "network reconstruct @karate --model n --samples 200 -o n.tsv",
        "network denoise @karate --method jaccard -o d.tsv",
        "man -o pages",
    ] {
        let done = bench.run(words).fine();
        assert!(done.stdout.is_empty(), "{words} writes {:?}", String::from_utf8_lossy(&done.stdout));
        assert!(!done.stderr.is_empty(), "{words} says nothing");
        let quiet = bench.run(&format!("{words} -q")).fine();
        assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty(), "{words} -q: {}", quiet.stderr);
    }
    // What is asked for is data, and -q never silences it.
    for words in PRINTS {
        let (done, quiet) = (bench.run(words).fine(), bench.run(&format!("{words} -q")).fine());
        assert!(!quiet.stdout.is_empty() && quiet.stderr.is_empty(), "{words} -q: {}", quiet.stderr);
        if !words.contains("--json") {
            assert!(done.stdout == quiet.stdout, "{words} prints other data with -q");
        }
    }
}

#[test]
fn exit_codes_are_those_of_the_docs() {
    let bench = bench();
    for (words, code) in [
        ("network list", 0),
        ("--help", 0),
        ("--version", 0),
        ("", 2),
        ("network", 2),
        ("nonsense", 2),
        ("network info", 2),
        ("network info no-such-file", 2),
        ("factor x.npy -r 0 -o a", 2),
        ("evaluate pairs.tsv pairs.tsv --column label --at-least 0.9", 0),
        ("evaluate scores.tsv pairs.tsv --at-least 0.9", 1),
    ] {
        bench.put("scores.tsv", "1 2 0.1\n1 3 0.2\n2 10 0.3\n1 34 0.4\n");
        assert_eq!(bench.run(words).code, Some(code), "{words}");
    }
}

#[test]
fn verbose_says_what_is_read_and_what_it_took() {
    let bench = bench();
    bench.put("edges.txt", "1 2\n2 3\n");
    let said = bench.run("network info edges.txt -v").fine().stderr;
    for words in ["edges.txt: BLAKE3 blake3:", " s, ", "thread", "of memory"] {
        assert!(
            said.contains(words) || words == "of memory" && !cfg!(target_os = "linux"),
            "{words}: {said}"
        );
    }
    assert!(bench.run("network info edges.txt -v -q").fine().stderr.is_empty());
    assert!(!bench.run("network info edges.txt").fine().stderr.contains("BLAKE3"));
}

#[test]
fn headers_of_other_words_are_distinguished_from_edges_where_ids_are_integers() {
    let bench = Bench::new();
    for (text, nodes, said) in [
        ("person,friend\n1,2\n2,3\n", 3, "header on line 1 skipped"),
        ("u,v\n1,2\n2,3\n", 3, "header on line 1 skipped"),
        ("source,target\nann,bob\nbob,cyd\n", 3, "header on line 1 skipped"),
        ("ann,bob\nbob,cyd\n", 3, "ids"),
        ("ann,bob\n1,2\nbob,3\n", 5, "ids"),
    ] {
        bench.put("net.csv", text);
        let done = bench.run("network info net.csv --json").fine();
        assert_eq!(done.json()["summary"]["nodes"], nodes, "{text}");
        assert!(
            done.stderr.contains(said) && done.stderr.contains("header") == said.contains("header"),
            "{text}: {}",
            done.stderr
        );
    }
}

#[test]
fn tables_of_parquet_are_evaluated_too() {
    let bench = bench();
    bench.run("network learn @karate -k 4 -r 3 --steps 3 -o n -q").fine();
    for out in ["r.parquet", "r.tsv"] {
        bench.run(&format!("network reconstruct @karate --model n --samples 300 -o {out} -q")).fine();
    }
    let area = |file: &str| {
        bench.run(&format!("evaluate {file} pairs.tsv --json -q")).fine().json()["groups"][0]["results"][0]["auc"].clone()
    };
    assert!(area("r.parquet").is_number());
    assert_eq!(area("r.parquet"), area("r.tsv"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_files_is_named_itself() {
    let bench = bench();
    let done = bench.run("network learn @karate -k 4 -r 3 -o n --figures /proc/figures");
    assert!(
        done.code == Some(2)
            && done.stderr.contains("--figures /proc/figures: nothing can be written into /proc"),
        "{}",
        done.stderr
    );
    assert!(!done.stderr.contains("figure.svg"));
}
