//! Checkpoints of every command that can be resumed: one process at a time, and nothing that is damaged is believed.

use crate::bench::{Bench, numbers};
use crate::image;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Files for all commands.
fn bench() -> Bench {
    let bench = image::bench();
    bench.put_npy("x.npy", &numbers(6, 400));
    bench.run("network learn @karate -k 5 -r 4 --steps 5 --batch 20 -o atoms -q").fine();
    bench.run("network generate er -n 4000 --edges 60000 -o big.txt -q").fine();
    bench
}

/// Each command without `-o`, with an amount of work of this many units.
fn commands(work: u64) -> Vec<String> {
    vec![
        format!("factor x.npy -r 3 --batch 10 --epochs {work} --tol 0"),
        format!("image learn gray.png -r 5 --patch 4 --patches 20 --steps {work}"),
        format!("spins learn --size 12 --every 40 --updates {} --patch 4 --patches 20 -r 4", 40 * work),
        format!("spins simulate --size 12 --every 100 --updates {}", 100 * work),
        format!("network learn @karate -k 5 -r 4 --batch 20 --steps {work}"),
        format!("network sample @karate -k 5 --sampler pivot --count {}", 2000 * work.min(20_000)),
        format!("network reconstruct @karate --model atoms --samples {}", 20_000 * work),
        format!("network compare @karate @kite -k 4 -r 3 --steps 5 --samples {}", 5000 * work),
        format!("network denoise {}", if work > 1000 { "big.txt" } else { "@lesmis" }),
    ]
}

/// The output of a command, by the ending that it wants.
fn out(words: &str, name: &str) -> String {
    let end = match words.split(' ').nth(1) {
        Some("simulate") => "npy",
        Some("sample" | "compare" | "reconstruct" | "denoise") => "tsv",
        _ => "safetensors",
    };
    format!("{name}.{end}")
}

#[test]
fn a_second_process_is_refused() {
    let bench = bench();
    for words in commands(10_000_000) {
        let first =
            format!("{words} -o {} --checkpoint state --checkpoint-every 0.05 -q", out(&words, "first"));
        let mut child = bench.command(&first).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let started = Instant::now();
        while !bench.path("state.lock").exists() && started.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(child.try_wait().unwrap().is_none(), "{words}: is over already");
        let second = out(&words, "second");
        for resume in ["", "--resume"] {
            let done = bench.run(&format!("{words} -o {second} --checkpoint state {resume} -q"));
            assert_eq!((done.code, done.stderr.lines().count()), (Some(2), 1), "{words}: {}", done.stderr);
            assert!(done.stderr.contains("state: is in use by another process"), "{words}: {}", done.stderr);
            assert!(done.stdout.is_empty() && !bench.path(&second).exists(), "{words}: wrote something");
        }
        assert!(child.try_wait().unwrap().is_none(), "{words}: the first one was disturbed");
        child.kill().unwrap();
        child.wait().unwrap();
        // What was killed does not block others.
        for name in bench.files().iter().filter(|name| name.starts_with("state")) {
            std::fs::remove_file(bench.path(name)).unwrap();
        }
    }
}

#[cfg(debug_assertions)] // only then tests can stop the program
#[test]
fn a_flipped_byte_is_refused_and_the_rest_is_resumed() {
    let bench = bench();
    for words in commands(6) {
        let (whole, again) = (out(&words, "whole"), out(&words, "again"));
        bench.run(&format!("{words} -o {whole} -q")).fine();
        let run = format!("{words} -o {again} --checkpoint state");
        bench.stopped_after(&run, 2);
        let state = bench.bytes("state");
        for part in 0..7 {
            let mut damaged = state.clone();
            let at = part * (state.len() - 1) / 6;
            damaged[at] ^= 1 << part;
            bench.put("state", damaged);
            let done = bench.run(&format!("{run} --resume -q"));
            let said = &done.stderr;
            assert_eq!((done.code, said.lines().count()), (Some(2), 1), "{words}, byte {at}: {said}");
            assert!(said.contains("damaged checkpoint") || said.contains("not a checkpoint"), "{said}");
            assert!(done.stdout.is_empty() && !bench.path(&again).exists(), "{words}: wrote something");
        }
        bench.put("state", state);
        let spool = bench.files().into_iter().find(|name| name.starts_with("state."));
        if let Some(spool) = spool {
            let bytes = bench.bytes(&spool);
            let mut damaged = bytes.clone();
            damaged[bytes.len() / 2] ^= 4;
            bench.put(&spool, damaged);
            let done = bench.run(&format!("{run} --resume -q"));
            assert!(done.code == Some(2) && done.stderr.contains("is damaged"), "{words}: {}", done.stderr);
            bench.put(&spool, bytes);
        }
        bench.run(&format!("{run} --resume -q")).fine();
        assert!(bench.bytes(&again) == bench.bytes(&whole), "{words}: another result");
        let left: Vec<String> = bench.files().into_iter().filter(|name| name.starts_with("state")).collect();
        assert!(left.is_empty(), "{words} leaves {left:?}");
        [&whole, &again].iter().for_each(|name| std::fs::remove_file(bench.path(name)).unwrap());
    }
}
