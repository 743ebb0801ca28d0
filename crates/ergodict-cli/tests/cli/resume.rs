//! Interrupted runs: what is resumed ends in the bytes of the run that was never interrupted.

use crate::bench::{Bench, numbers, over, text};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

fn bench() -> Bench {
    let bench = Bench::new();
    let x = numbers(6, 400);
    bench.put_npy("x.npy", &x);
    bench.put("x.csv", text(&x, ",", None));
    bench
}

#[cfg(debug_assertions)] // only then tests can stop the program
#[test]
fn stops_and_resumes_at_any_step() {
    let bench = bench();
    for data in ["x.npy", "x.csv"] {
        for flags in ["", "--shuffle --holdout 0.1", "--f32 --unused reseed --init data --schedule linear"] {
            let run = format!("factor {data} -r 4 --batch 30 --epochs 2 {flags} -o");
            bench.run(&format!("{run} whole -q")).fine();
            // 14 minibatches an epoch; one more or less with samples held out.
            for stop in [1, 5, 13, 14, 15, 24] {
                let words = format!("{run} m --checkpoint state --checkpoint-every 1000");
                let mut command = bench.command(&words);
                let stopped = command.env("ERGODICT_STOP_AFTER_STEPS", stop.to_string()).output().unwrap();
                let stderr = String::from_utf8(stopped.stderr).unwrap();
                assert_eq!(stopped.status.code(), Some(130), "{stderr}");
                let last = stderr.lines().last().unwrap();
                assert!(
                    last.contains(&format!("after step {stop};")) && last.contains("--resume"),
                    "{stderr}"
                );
                assert!(!bench.path("m").exists() && bench.path("state").exists());
                let resumed = bench.run(&format!("{words} --resume")).fine();
                assert!(resumed.stderr.contains(&format!("resumed after step {stop}")), "{}", resumed.stderr);
                assert!(bench.bytes("m") == bench.bytes("whole"), "{words} stopped at {stop}");
                assert!(!bench.path("state").exists(), "the checkpoint stays");
                std::fs::remove_file(bench.path("m")).unwrap();
            }
        }
    }
}

#[cfg(debug_assertions)] // only then tests can stop the program
#[test]
fn without_a_checkpoint_nothing_is_written() {
    let bench = bench();
    let before = bench.files();
    let mut command = bench.command("factor x.npy -r 2 --batch 10 -o m");
    let stopped = command.env("ERGODICT_STOP_AFTER_STEPS", "3").output().unwrap();
    assert_eq!(stopped.status.code(), Some(130));
    assert!(String::from_utf8(stopped.stderr).unwrap().contains("nothing was written"));
    assert_eq!(bench.files(), before);
}

#[test]
fn resuming_without_a_checkpoint_starts_afresh_and_says_so() {
    let bench = bench();
    bench.run("factor x.npy -r 2 -o whole -q").fine();
    let done = bench.run("factor x.npy -r 2 -o m --checkpoint state --resume").fine();
    assert!(done.stderr.contains("state: no checkpoint found; starting a new run"), "{}", done.stderr);
    assert!(bench.bytes("m") == bench.bytes("whole"));
}

#[cfg(debug_assertions)] // only then tests can stop the program
#[test]
fn another_run_is_not_resumed() {
    let bench = bench();
    let run = "factor x.npy -r 2 --batch 10 -o m --checkpoint state";
    bench.command(run).env("ERGODICT_STOP_AFTER_STEPS", "3").output().unwrap();
    let state = bench.bytes("state");
    for (flags, said) in [
        ("--lambda 3", "lambda was \"auto\" there and is 3.0 here"),
        ("--batch 20", "batch was 10 there and is 20 here"),
        ("--seed 1", "seed was 0 there and is 1 here"),
        ("--f32", "f64 was true there and is null here"),
        ("-r 3", "atoms was 2 there and is 3 here"),
        ("--epochs 2", "epochs was 200 there and is 2 here"),
    ] {
        let done = bench.run(&over(run, &format!("{flags} --resume")));
        assert_eq!((done.code, done.stderr.lines().count()), (Some(2), 1), "{}", done.stderr);
        assert!(done.stderr.contains(said) && done.stderr.contains("state"), "{}", done.stderr);
    }
    let done = bench.run(run);
    assert!(done.code == Some(2) && done.stderr.contains("use --resume"), "{}", done.stderr);
    bench.put_npy("x.npy", &numbers(6, 399));
    let done = bench.run(&format!("{run} --resume"));
    assert!(done.code == Some(2) && done.stderr.contains("x.npy has changed"), "{}", done.stderr);
    assert!(bench.bytes("state") == state, "a refused checkpoint was touched");
}

/// Starts a long run that saves its state after every step, and waits for the first one.
#[cfg(unix)]
fn long_run(bench: &Bench, words: &str) -> Child {
    let mut command = bench.command(&format!("{words} --checkpoint state --checkpoint-every 0"));
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while !bench.path("state").exists() && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(20));
    child
}

#[cfg(unix)]
#[test]
fn killed_runs_resume() {
    let bench = bench();
    let run = "factor x.npy -r 4 --batch 2 --epochs 20 --shuffle -o";
    bench.run(&format!("{run} whole -q")).fine();
    let mut child = long_run(&bench, &format!("{run} m"));
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "the run ended before it could be killed");
    assert!(!bench.path("m").exists());
    bench.run(&format!("{run} m --checkpoint state --resume -q")).fine();
    assert!(bench.bytes("m") == bench.bytes("whole"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_finishes_the_step() {
    let bench = bench();
    let run = "factor x.npy -r 4 --batch 2 --epochs 20 -o";
    bench.run(&format!("{run} whole -q")).fine();
    let child = long_run(&bench, &format!("{run} m"));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("interrupted after step") && stderr.contains("--resume"), "{stderr}");
    assert_eq!(bench.files(), ["state", "whole", "x.csv", "x.npy"]);
    bench.run(&format!("{run} m --checkpoint state --resume -q")).fine();
    assert!(bench.bytes("m") == bench.bytes("whole"));
}
