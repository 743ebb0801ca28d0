//! Networks that are mapped: the same results as in memory, in little of it, and tables in parts.

use crate::bench::{Bench, Done};
use serde_json::Value;

/// A network with some components, as text and mapped, and a model of it.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.run("network generate er -n 500 --edges 1100 --seed 3 -o net.txt -q").fine();
    bench.run("network convert net.txt -o net.egr -q").fine();
    bench.run("network learn net.txt -k 6 -r 4 --steps 4 --seed 1 -o m -q").fine();
    bench
}

/// A network that is too large for a bit matrix in an eighth of a megabyte: with `HASHED` rows are hashed, with `SEARCHED` they are searched.
fn larger() -> Bench {
    let bench = Bench::new();
    bench.run("network generate er -n 1100 --edges 2400 --seed 3 -o net.txt -q").fine();
    bench.run("network convert net.txt -o net.egr -q").fine();
    bench
}

const HASHED: &str = "--memory 1M";
const SEARCHED: &str = "--memory 400K";

/// The peak memory besides mapped files that `-v` prints, in MiB; none where the system does not report it.
fn anonymous(done: &Done) -> Option<f64> {
    let line = done.stderr.lines().find_map(|line| line.strip_suffix(" of it beside mapped files"))?;
    let (number, unit) = line.rsplit_once(", ")?.1.split_once(' ')?;
    let bytes = match unit {
        "KiB" => 1.0 / 1024.0,
        "MiB" => 1.0,
        "GiB" => 1024.0,
        _ => panic!("{unit}"),
    };
    Some(number.parse::<f64>().unwrap() * bytes)
}

#[test]
fn every_sampler_draws_the_same() {
    let bench = bench();
    for sampler in ["exact", "pivot", "pivot-approx", "glauber"] {
        for net in ["net.txt", "net.egr"] {
            let words = "-k 5 --count 300 --chains 2 --seed 5 -q";
            bench.run(&format!("network sample {net} --sampler {sampler} {words} -o {net}.tsv")).fine();
        }
        assert_eq!(bench.bytes("net.txt.tsv"), bench.bytes("net.egr.tsv"), "{sampler}");
    }
    for net in ["net.txt", "net.egr"] {
        let words = "-k 2 --sampler rejection --count 200 --seed 5 -q";
        bench.run(&format!("network sample {net} {words} -o {net}.tsv")).fine();
    }
    assert_eq!(bench.bytes("net.txt.tsv"), bench.bytes("net.egr.tsv"));
}

#[test]
fn learning_reconstruction_and_denoising_are_the_same() {
    let bench = bench();
    bench.run("network learn net.egr -k 6 -r 4 --steps 4 --seed 1 -o mapped -q").fine();
    let (one, two) = (bench.model("m"), bench.model("mapped"));
    assert!(one.w.cols() == 4 && (0..4).all(|atom| one.w.col(atom) == two.w.col(atom)));
    for flags in ["", "--mode off-motif --reversal", "--memory 1M", "--directed --sampler exact"] {
        for net in ["net.txt", "net.egr"] {
            if flags.contains("--directed") && net == "net.egr" {
                bench.run("network convert net.txt --directed -o net.egr -q").fine();
            }
            let words = format!("network reconstruct {net} --model m --samples 3000 {flags} -o {net}.tsv -q");
            bench.run(&words).fine();
        }
        assert_eq!(bench.bytes("net.txt.tsv"), bench.bytes("net.egr.tsv"), "{flags}");
    }
    bench.run("network convert net.txt -o net.egr -q").fine();
    bench.run("network corrupt net.txt --remove 0.1 -o less.txt --truth truth.tsv -q").fine();
    bench.run("network convert less.txt -o less.egr -q").fine();
    for method in ["resource-allocation", "l3", "co-visits"] {
        for net in ["less.txt", "less.egr"] {
            let words = format!("network denoise {net} --pairs truth.tsv --method {method} -o {net}.tsv -q");
            bench.run(&words).fine();
        }
        assert_eq!(bench.bytes("less.txt.tsv"), bench.bytes("less.egr.tsv"), "{method}");
    }
}

#[test]
fn every_table_of_neighbors_gives_the_same() {
    let bench = larger();
    let nets = [("net.txt", ""), ("net.txt", SEARCHED), ("net.egr", HASHED), ("net.egr", SEARCHED)];
    for (net, memory) in nets {
        let words = "-k 6 -r 4 --steps 4 --seed 1 -q";
        bench.run(&format!("network learn {net} {words} {memory} -o m")).fine();
        let words = "--motif cycle -k 4 --sampler glauber --count 300 --seed 5 -q";
        bench.run(&format!("network sample {net} {words} {memory} -o s.tsv")).fine();
        for mode in ["plain", "off-motif"] {
            let words = format!("--model m --samples 2000 --mode {mode} -q");
            // Sums need a mebibyte at least, whose eighth is too little for a matrix of bits.
            let memory = if memory.is_empty() { "" } else { HASHED };
            bench.run(&format!("network reconstruct {net} {words} {memory} -o {mode}.tsv")).fine();
        }
        if memory.is_empty() {
            for name in ["s.tsv", "plain.tsv", "off-motif.tsv"] {
                std::fs::rename(bench.path(name), bench.path(&format!("first-{name}"))).unwrap();
            }
            bench.run(&format!("network learn {net} -k 6 -r 4 --steps 4 --seed 1 -q -o first")).fine();
        }
        let (one, two) = (bench.model("first"), bench.model("m"));
        assert!(one.w.cols() == 4 && (0..4).all(|atom| one.w.col(atom) == two.w.col(atom)), "{net} {memory}");
        if !memory.is_empty() {
            assert_eq!(bench.bytes("s.tsv"), bench.bytes("first-s.tsv"), "{net} {memory}");
            for name in ["plain.tsv", "off-motif.tsv"] {
                let (now, first) = (rebuilt(&bench, name), rebuilt(&bench, &format!("first-{name}")));
                assert!(now.len() == first.len() && first.len() > 1000, "{net} {memory} {name}");
                for (now, first) in now.iter().zip(&first) {
                    assert_eq!((&now.0, now.2), (&first.0, first.2), "{net} {memory} {name}");
                    // Little memory has another table of sums, which rounds otherwise.
                    assert!((now.1 - first.1).abs() < 1e-5, "{net} {memory} {name}: {now:?} {first:?}");
                }
            }
        }
    }
}

/// The pairs of a reconstructed table with their weights and counts.
fn rebuilt(bench: &Bench, name: &str) -> Vec<(String, f64, u64)> {
    let text = String::from_utf8(bench.bytes(name)).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[..2].join(" "), fields[2].parse().unwrap(), fields[3].parse().unwrap())
    })
    .collect()
}

#[test]
fn parts_are_the_table() {
    let bench = bench();
    let words = "network reconstruct net.egr --model m --samples 2000 -q";
    bench.run(&format!("{words} -o whole.tsv")).fine();
    let whole = String::from_utf8(bench.bytes("whole.tsv")).unwrap();
    let lines = |name: &str| -> Vec<String> {
        let text = String::from_utf8(bench.bytes(name)).unwrap();
        text.lines().skip(1).map(str::to_owned).collect()
    };
    // The second time in place of the first.
    for count in [3, 2] {
        let done = bench.run(&format!("{words} --partitions {count} -o parts --json")).fine();
        let index: Value = serde_json::from_slice(&bench.bytes("parts/_index.json")).unwrap();
        let parts = index["parts"].as_array().unwrap();
        assert_eq!(parts.len(), count);
        let all: Vec<String> = parts
            .iter()
            .flat_map(|part| lines(&format!("parts/{}", part["file"].as_str().unwrap())))
            .collect();
        assert!(all.iter().map(String::as_str).eq(whole.lines().skip(1)));
        assert_eq!(index["pairs"].as_u64(), Some(all.len() as u64));
        assert_eq!(done.json()["pairs_written"], index["pairs"]);
        let even = |part: &Value| part["pairs"].as_u64().unwrap() * count as u64 > all.len() as u64 / 2;
        assert!(parts.iter().all(even), "{index}");
        assert!(!bench.path("parts/part-00003.tsv").exists());
    }
    bench.run(&format!("{words} --partitions 2 --threshold 0.9 -o parts.parquet")).fine();
    assert_eq!(&bench.bytes("parts.parquet/part-00001.parquet")[..4], b"PAR1");
    let before = bench.files();
    bench.put("net.tsv", "0\t1\n");
    for (flags, told) in [
        ("--partitions 0 -o x", "--partitions is 0"),
        ("--partitions 2 -o -", "--partitions"),
        ("--partitions 2 -o whole.tsv", "whole.tsv"),
        ("--partitions 2 -o no/where", "no/where"),
        ("--partitions 2 --pairs net.tsv -o x", "--pairs"),
    ] {
        let done = bench.run(&format!("{words} {flags}"));
        assert_eq!(done.code, Some(2), "{flags}: {}", done.stderr);
        assert!(done.stderr.contains(told), "{flags}: {}", done.stderr);
    }
    std::fs::remove_file(bench.path("net.tsv")).unwrap();
    assert_eq!(bench.files(), before);
}

#[test]
fn what_does_not_fit_is_refused_with_the_sampler_that_does() {
    let bench = Bench::new();
    bench.run("network generate er -n 20000 --edges 60000 -o net.egr -q").fine();
    let done = bench.run("network learn net.egr -k 21 -r 3 --sampler exact --memory 4M -o m -q");
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    for words in [
        "the sampler exact would take about 8.",
        "4.0 MiB are available",
        "--sampler walk",
        "another stationary distribution",
    ] {
        assert!(done.stderr.contains(words), "{words}: {}", done.stderr);
    }
    let done = bench.run("network denoise net.egr --method prone --memory 4M -o s.tsv -q");
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(done.stderr.contains("resource-allocation"), "{}", done.stderr);
    // Learning keeps to it too: a bit matrix would be 48 MiB, hashed rows a few.
    let words = "network learn net.egr -k 9 -r 3 --steps 2 --sampler pivot-approx --memory 4M -o m -v";
    if let Some(learned) = anonymous(&bench.run(words).fine()) {
        eprintln!("learning {learned} MiB");
        assert!(learned < 25.0, "{learned} MiB");
    }
    // Pairs are counted before they are listed.
    bench.run("network generate er -n 2000 --edges 4000 -o small.egr -q").fine();
    let words =
        "network denoise small.egr --pairs non-edges --method resource-allocation --memory 4M -o s.tsv -q";
    let done = bench.run(words);
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    for words in ["1995000 pairs without an edge would take", "4.0 MiB are available", "--pairs FILE"] {
        assert!(done.stderr.contains(words), "{words}: {}", done.stderr);
    }
}

#[test]
fn a_mapped_network_takes_little_memory() {
    let bench = Bench::new();
    bench.run("network generate rmat --scale 17 --edge-factor 8 -o net.egr -q").fine();
    // Four bytes for each of 2 million entries of A are 7.4 MiB. Learning was seen with 61 MiB when it had hashed rows of them twice, a copy of
    // the largest component besides would have been 22 more.
    let words = "network learn net.egr -k 21 -r 9 --steps 2 --sampler pivot-approx -o m -v";
    let learned = bench.run(words).fine();
    let rebuilt =
        bench.run("network reconstruct net.egr --model m --samples 500 --memory 4M -o t.parquet -v").fine();
    let Some((learned, rebuilt)) = anonymous(&learned).zip(anonymous(&rebuilt)) else {
        eprintln!("SKIPPED: this system does not report the memory of a process");
        return;
    };
    eprintln!("learning {learned} MiB, rebuilding {rebuilt} MiB");
    assert!(learned < 55.0, "{learned} MiB");
    assert!(rebuilt < 25.0, "{rebuilt} MiB");
}
