//! Ctrl-C, SIGTERM and SIGHUP sent to real processes: they stop after a step, print how to resume, and exit at once after a second signal.

#![cfg(unix)]

use crate::bench::{Bench, numbers};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn wait_for(what: impl Fn() -> bool) {
    let started = Instant::now();
    while !what() && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn the_printed_command_resumes() {
    // What this process ignores, as under `nohup`, its children ignore, too; what it handles they do not.
    // SAFETY: the handler does nothing.
    unsafe { signal_hook::low_level::register(signal_hook::consts::SIGHUP, || ()) }.unwrap();
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(12, 3000));
    bench.run("network learn @karate -k 6 -r 5 --steps 20 --batch 20 -o atoms -q").fine();
    // About a second each where nothing else runs: long against the wait for the first checkpoint.
    let cases = [
        ("factor x.npy -r 6 --batch 4 --epochs 60 -o m", "m", "INT", 130),
        ("spins simulate --size 32 --updates 8e6 --every 8e4 -o m.npy", "m.npy", "TERM", 143),
        ("network sample @karate -k 6 --sampler pivot --every 5 --count 3e5 -o m.npy", "m.npy", "HUP", 129),
        ("network learn @karate -k 10 -r 9 --steps 1000 -o m", "m", "TERM", 143),
        ("network reconstruct @karate --model atoms --samples 4e5 -o m.tsv", "m.tsv", "INT", 130),
        (
            "network compare @karate @kite @florentine -k 8 -r 5 --unweighted --samples 3e4 -o m.tsv",
            "m.tsv",
            "INT",
            130,
        ),
    ];
    for (words, out, signal, code) in cases {
        bench.run(&format!("{words} -q")).fine();
        let whole = bench.bytes(out);
        std::fs::remove_file(bench.path(out)).unwrap();
        // A name that a shell would take apart.
        let mut command = bench.command(words);
        command.args(["--checkpoint", "it's a state", "--checkpoint-every", "0.02"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(|| bench.path("it's a state").exists());
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{words}: {told}");
        assert!(bench.path("it's a state").exists() && !bench.path(out).exists(), "{words}: {told}");
        let again = told.lines().last().unwrap().split("continue with ").nth(1).unwrap();
        assert!(
            again.ends_with(r"--checkpoint 'it'\''s a state' --checkpoint-every 0.02 --resume"),
            "{told}"
        );
        let resumed = Command::new("sh").args(["-c", again]).current_dir(bench.path("")).output().unwrap();
        let told = String::from_utf8(resumed.stderr).unwrap();
        assert!(resumed.status.success(), "{told}");
        assert!(bench.bytes(out) == whole, "{words}");
        std::fs::remove_file(bench.path(out)).unwrap();
        assert_eq!(bench.files(), ["atoms", "x.npy"], "{words}");
    }
}

#[test]
fn a_long_step_is_waited_for_and_left_at_the_second_signal() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(300, 20_000));
    let run = "factor x.npy -r 600 --batch 20000 --lambda 0.01 -o m --checkpoint state -v";
    let mut child = bench.command(run).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    assert!(line.contains("about") && line.contains("of memory"), "{line}");
    // Listening begins with the first step; before it a signal is the end.
    std::thread::sleep(Duration::from_secs(1));
    send(&child, "INT");
    line.clear();
    told.read_line(&mut line).unwrap();
    assert!(
        line.contains("about to stop, waiting for the end of this step; once more leaves at once"),
        "{line}"
    );
    send(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(bench.files(), ["x.npy"]);
}

#[test]
fn what_cannot_stop_half_way_leaves_nothing() {
    let bench = Bench::new();
    for words in
        ["network generate er -n 2e5 --edges 3e6 -o big.txt", "network generate ba -n 2e5 -m 15 -o big.mtx"]
    {
        let mut child = bench.command(words).stderr(Stdio::null()).spawn().unwrap();
        wait_for(|| !bench.files().is_empty());
        send(&child, "INT");
        assert_eq!(child.wait().unwrap().code(), Some(130), "{words}");
        assert_eq!(bench.files(), [""; 0], "{words}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_hangup_that_is_ignored_stays_so() {
    let bench = Bench::new();
    let ergodict = assert_cmd::cargo::cargo_bin!("ergodict");
    let words = "spins simulate --size 32 --updates 1e7 --every 1e5 -o m.npy -q --checkpoint state --checkpoint-every 0";
    let script = format!("trap '' HUP; exec '{}' {words}", ergodict.display());
    let mut command = Command::new("sh");
    let mut child = command.args(["-c", &script]).current_dir(bench.path("")).spawn().unwrap();
    wait_for(|| bench.path("state").exists());
    send(&child, "HUP");
    assert!(child.wait().unwrap().success());
    assert_eq!(bench.files(), ["m.npy"]);
}
