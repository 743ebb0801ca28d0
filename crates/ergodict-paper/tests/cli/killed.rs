//! A table killed by SIGKILL at many moments: what was recorded stays, is whole, and is not done again.

#![cfg(unix)]

use crate::bench::Bench;
use crate::figures::untimed;
use std::process::Stdio;
use std::time::{Duration, Instant};

const WORDS: &str = "table-denoising --quick --methods jaccard,l3,rw3 -o paper -q";

/// The table without its last column, which is times.
fn table(bench: &Bench) -> Vec<String> {
    let text = String::from_utf8(bench.bytes("paper/table-denoising.md")).unwrap();
    text.lines().map(|line| line.trim_end_matches('|').rsplit_once('|').unwrap().0.to_owned()).collect()
}

#[test]
fn what_was_recorded_survives() {
    let whole = Bench::new();
    let started = Instant::now();
    whole.run(WORDS).fine();
    let (length, expected) = (started.elapsed(), untimed(&whole.bytes("paper/records.jsonl")));
    let bench = Bench::new();
    let mut killed = 0;
    for part in 1..40u32 {
        let mut child = bench.command(WORDS).stdout(Stdio::null()).spawn().unwrap();
        // Later each time, so that all parts of the run are hit.
        let moment = Instant::now() + length.mul_f64(f64::from(part) / 40.0);
        while Instant::now() < moment && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        if child.wait().unwrap().success() {
            break;
        }
        killed += 1;
        let records = bench.path("paper/records.jsonl");
        if records.exists() {
            let found = untimed(&std::fs::read(records).unwrap());
            assert!(expected.starts_with(&found), "after {killed} kills");
        }
    }
    assert!(killed >= 5, "only {killed} kills came in time");
    bench.run(WORDS).fine();
    assert_eq!(untimed(&bench.bytes("paper/records.jsonl")), expected);
    assert_eq!(table(&bench), table(&whole));
    let page = String::from_utf8(bench.bytes("paper/table-denoising.html")).unwrap();
    assert!(page.trim_end().ends_with("</html>"), "half a page");
}
