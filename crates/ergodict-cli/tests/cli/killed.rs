//! Runs killed by SIGKILL at random moments: what is resumed ends in the bytes of the run that was left alone, and outputs are whole or absent
//! after every kill.

#![cfg(unix)]

use crate::bench::{Bench, numbers};
use crate::image;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Rounds of each command at least, every third of which is spared until it writes; and at most, where few kills come in time.
const ROUNDS: std::ops::Range<usize> = 3..10;
/// Kills of each command at least.
const LEAST_KILLS: usize = 5;
/// Kills in a round, after which it is left alone.
const MOST_KILLS: usize = 6;

/// How an output is compared with that of the run that was left alone.
#[derive(Clone, Copy)]
enum Form {
    /// The same bytes.
    Same,
    /// A report, which has times: it must be whole.
    Page,
}

/// A command with its outputs, which are named as `-o` and other flags in `words` have them.
struct Case {
    words: String,
    outputs: Vec<(&'static str, Form)>,
}

fn case(words: &str, outputs: &[(&'static str, Form)]) -> Case {
    Case { words: words.into(), outputs: outputs.to_vec() }
}

/// A generator of fixed numbers in 0..1.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1u64 << 24) as f64
    }
}

/// What is comparable in an output.
fn plain(form: Form, bytes: &[u8]) -> Vec<String> {
    let text = || String::from_utf8(bytes.to_vec()).unwrap();
    match form {
        Form::Same => vec![format!("{bytes:?}")],
        Form::Page => {
            assert!(text().trim_end().ends_with("</html>"), "half a page");
            vec!["whole".into()]
        }
    }
}

/// Refuses outputs that are there but not whole.
fn check(bench: &Bench, case: &Case, whole: &[Vec<String>], finished: bool, told: &str) {
    for ((name, form), whole) in case.outputs.iter().zip(whole) {
        let path = bench.path(name);
        if !path.exists() {
            assert!(!finished, "{told}: {name} is missing");
            continue;
        }
        let found = plain(*form, &std::fs::read(path).unwrap());
        assert!(found == *whole, "{told}: {name} differs from that of the run that was left alone");
    }
}

/// When to kill.
enum Moment {
    After(Duration),
    /// So long after the first output, or a temporary file of one, is seen.
    Writing(Duration),
}

/// Waits for the end of a process or for its moment; whether it came to its end. `saved` becomes true when a checkpoint is seen.
fn await_or_kill(bench: &Bench, case: &Case, child: &mut Child, moment: &Moment, saved: &mut bool) -> bool {
    let started = Instant::now();
    let there = |name: &str| {
        let (folder, name) = name.rsplit_once('/').unwrap_or((".", name));
        let Ok(entries) = std::fs::read_dir(bench.path(folder)) else { return false };
        entries.flatten().any(|entry| {
            let found = entry.file_name().into_string().unwrap();
            // Whether a file can be written is found out with an empty one.
            let begun =
                || found.starts_with(&format!(".{name}.")) && entry.metadata().is_ok_and(|m| m.len() > 0);
            found == name || begun()
        })
    };
    let before: Vec<bool> = case.outputs.iter().map(|(name, _)| there(name)).collect();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{}: {status}", case.words);
            return true;
        }
        *saved |= bench.files().iter().any(|name| name.starts_with("state"));
        let now = match moment {
            Moment::After(time) => started.elapsed() >= *time,
            Moment::Writing(_) => {
                case.outputs.iter().zip(&before).any(|((name, _), before)| !before && there(name))
            }
        };
        if now {
            if let Moment::Writing(later) = moment {
                std::thread::sleep(*later);
            }
            let _ = child.kill();
            return child.wait().unwrap().success();
        }
        // What is being written may be there for a millisecond only.
        let pause = if matches!(moment, Moment::Writing(_)) { 200 } else { 1000 };
        std::thread::sleep(Duration::from_micros(pause));
    }
}

/// All files, also those in folders.
fn files(bench: &Bench) -> Vec<String> {
    let inside = |name: String| {
        let entries = std::fs::read_dir(bench.path(&name)).into_iter().flatten();
        let mut all: Vec<String> =
            entries.map(|entry| format!("{name}/{}", entry.unwrap().file_name().display())).collect();
        all.sort();
        all.insert(0, name);
        all
    };
    bench.files().into_iter().flat_map(inside).collect()
}

fn survives(put: impl Fn(&Bench), case: &Case) {
    let words = format!("{} --checkpoint state --checkpoint-every 0.01 --resume -q", case.words);
    let left_alone = Bench::new();
    put(&left_alone);
    let inputs: Vec<(String, Vec<u8>)> =
        left_alone.files().into_iter().map(|name| (name.clone(), left_alone.bytes(&name))).collect();
    let started = Instant::now();
    left_alone.run(&words).fine();
    let length = started.elapsed();
    let whole: Vec<Vec<String>> =
        case.outputs.iter().map(|(name, form)| plain(*form, &left_alone.bytes(name))).collect();
    let (expected, mut chance) = (files(&left_alone), Chance(words.len() as u64));
    assert!(!expected.contains(&"state".to_owned()) && expected.len() > inputs.len());
    let mut killed = 0;
    for round in 0..ROUNDS.end {
        if round >= ROUNDS.start && killed >= LEAST_KILLS {
            break;
        }
        let bench = Bench::new();
        inputs.iter().for_each(|(name, bytes)| bench.put(name, bytes));
        let mut saved = false;
        for kill in 0.. {
            let told = format!("{words}, round {round}, kill {kill}");
            let mut command = bench.command(&words);
            let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
            let moment = match (kill, round % 3) {
                (MOST_KILLS.., _) => Moment::After(Duration::from_secs(600)),
                (_, 2) => Moment::Writing(Duration::from_secs_f64(0.004 * chance.next())),
                // What is resumed goes on from where it was: some five kills along the way of one run hit all of its parts.
                _ => Moment::After(length.mul_f64(0.4 * chance.next())),
            };
            let finished = await_or_kill(&bench, case, &mut child, &moment, &mut saved);
            check(&bench, case, &whole, finished, &told);
            if finished {
                break;
            }
            killed += 1;
            // A state that was saved stays until all is written.
            let all_there = case.outputs.iter().all(|(name, _)| bench.path(name).exists());
            let there = bench.files().iter().any(|name| name.starts_with("state"));
            assert!(!saved || there || all_there, "{told}: the state is gone before all is written");
        }
        assert_eq!(files(&bench), expected, "{words}, round {round}: other files are left");
    }
    assert!(killed >= LEAST_KILLS, "{words}: only {killed} kills came in time");
}

#[test]
fn factor() {
    let case = case(
        "factor x.npy -r 6 --batch 4 --epochs 40 --shuffle -o m --report r.html",
        &[("m", Form::Same), ("r.html", Form::Page)],
    );
    survives(|bench| bench.put_npy("x.npy", &numbers(12, 400)), &case);
}

#[test]
fn image_learn() {
    let words = "image learn gray.png -r 6 --patch 5 --patches 60 --steps 500 -o m --report r.html";
    survives(
        |bench| bench.put_image("gray.png", (24, 30), 1, image::stripes),
        &case(words, &[("m", Form::Same), ("r.html", Form::Page)]),
    );
}

#[test]
fn spins_simulate() {
    let words = "spins simulate --size 24 --updates 6e4 --every 1000 --chains 2 -o t.npy --report r.html --frames f.gif";
    let outputs = [
        ("t-chain0.npy", Form::Same),
        ("t-chain1.npy", Form::Same),
        ("f-chain0.gif", Form::Same),
        ("f-chain1.gif", Form::Same),
        ("r.html", Form::Page),
    ];
    survives(|_| {}, &case(words, &outputs));
}

#[test]
fn spins_learn() {
    let words = "spins learn --size 16 --updates 20000 --patch 4 --patches 30 -r 5 --temperature 1 --temperature 3 \
                 --every 300 --fixed=40 -o m --report r.html";
    let outputs = [
        ("m-T1", Form::Same),
        ("m-T3", Form::Same),
        ("m-T1-fixed", Form::Same),
        ("m-T3-fixed", Form::Same),
        ("r.html", Form::Page),
    ];
    survives(|_| {}, &case(words, &outputs));
}

#[test]
fn network_sample() {
    let words = "network sample @karate -k 6 --sampler pivot --chains 2 --count 60000 --every 2 -o s.npy --patches p.npy \
                 --report r.html";
    survives(|_| {}, &case(words, &[("s.npy", Form::Same), ("p.npy", Form::Same), ("r.html", Form::Page)]));
}

#[test]
fn network_learn() {
    let words =
        "network learn @karate -k 6 -r 5 --steps 700 --batch 40 -o m --report r.html --figures figures";
    survives(|_| {}, &case(words, &[("m", Form::Same), ("r.html", Form::Page)]));
}

#[test]
fn network_reconstruct() {
    let put = |bench: &Bench| {
        bench.run("network learn @karate -k 6 -r 5 --steps 20 --batch 20 -o atoms -q").fine();
    };
    let words = "network reconstruct @karate --model atoms --samples 300000 -o t.tsv --report r.html";
    survives(put, &case(words, &[("t.tsv", Form::Same), ("r.html", Form::Page)]));
}

#[test]
fn network_reconstruct_with_sums_in_files() {
    let put = |bench: &Bench| {
        bench.run("network generate er -n 600 --edges 3000 -o net.txt -q").fine();
        bench.run("network learn net.txt -k 6 -r 5 --steps 5 --batch 20 -o atoms -q").fine();
    };
    let words = "network reconstruct net.txt --model atoms --samples 60000 --memory 2 -o t.tsv";
    survives(put, &case(words, &[("t.tsv", Form::Same)]));
}

#[test]
fn network_compare() {
    let words = "network compare @karate @kite @florentine -k 5 -r 3 --steps 30 --batch 20 --samples 20000 --unweighted \
                 -o m.tsv --report r.html";
    survives(|_| {}, &case(words, &[("m.tsv", Form::Same), ("r.html", Form::Page)]));
}
