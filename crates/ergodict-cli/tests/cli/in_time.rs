//! `ergodict network learn --timestamps` and `--snapshots`: networks in time.

use crate::bench::Bench;
use serde_json::{Value, json};
use std::fmt::Write;

/// Nodes.
const N: u32 = 30;

/// A ring lattice, or cliques of five in a ring.
fn edges(blocks: bool) -> Vec<(u32, u32)> {
    if blocks {
        let within = |u: u32| (u + 1..5 * (u / 5 + 1)).map(move |v| (u, v));
        (0..N).flat_map(within).chain((0..N / 5).map(|b| (5 * b, (5 * b + 7) % N))).collect()
    } else {
        (0..N).flat_map(|u| [(u, (u + 1) % N), (u, (u + 2) % N)]).collect()
    }
}

/// A day of one network after the other, the last rows first; `time` writes a moment of a day.
fn rows(days: &[bool], time: impl Fn(usize, usize) -> String) -> String {
    let mut text = String::new();
    for (day, blocks) in days.iter().enumerate().rev() {
        for (at, (u, v)) in edges(*blocks).into_iter().enumerate() {
            let _ = writeln!(text, "{u},{v},{}", time(day, at));
        }
    }
    text
}

fn dated(day: usize, at: usize) -> String {
    format!("2004-05-{:02}T00:{:02}:{:02}Z", day + 1, at / 60, at % 60)
}

const SMALL: &str = "-k 5 -r 4 --steps 12 --batch 40 --schedule constant:0.1";

#[test]
fn a_lattice_that_becomes_cliques_has_its_largest_change_score_there() {
    let bench = Bench::new();
    let days = [false, false, false, false, true, true, true];
    bench.put("days.csv", rows(&days, dated));
    let run = format!("network learn days.csv --timestamps --window 1d {SMALL} --chains 4");
    let done = bench.run(&format!("{run} -o m --report page.html --json")).fine();
    let told = done.json();
    let windows = told["windows"].as_array().unwrap();
    assert_eq!((windows.len(), told["steps"].clone()), (7, json!(84)));
    let change = |at: usize, key: &str| windows[at]["change"][key].as_f64();
    assert_eq!(change(0, "value"), None);
    let peak = change(4, "value").unwrap();
    assert!(peak > 10.0 * change(4, "standard_error").unwrap(), "{windows:?}");
    assert!((1..7).filter(|at| *at != 4).all(|at| change(at, "value").unwrap() < peak / 3.0), "{windows:?}");
    assert_eq!(windows[1]["edges_came"], 0);
    // A clique of five has three edges that the lattice has not, and there are six bridges.
    assert_eq!((&windows[4]["edges_came"], &windows[4]["edges_went"]), (&json!(24), &json!(18)));
    assert!(windows[4]["chains_restarted"].as_u64() > Some(0));
    assert_eq!(windows[4]["name"], "2004-05-05 to 2004-05-06");
    // The lattice itself is in one window of seven of each permutation: nothing else is called changed.
    let changed: Vec<usize> = (0..7).filter(|at| windows[*at]["changed"] == true).collect();
    assert_eq!((changed, &told["null_permutations"]), (vec![4], &json!(20)), "{windows:?}");
    assert!(windows[4]["null"]["high"].as_f64().unwrap() < peak && windows[0]["null"].is_null());
    for words in ["Change beyond volume in 1 of 6 windows", "window 5 (2004-05-05): score"] {
        assert!(done.stderr.contains(words), "{}", done.stderr);
    }
    let page = String::from_utf8(bench.bytes("page.html")).unwrap();
    for words in [
        "Change from window to window",
        "Dominance over time",
        "Atoms over time",
        "The clearest change is in window 5",
    ] {
        assert!(page.contains(words), "{words}");
    }
    // The model is one like any other, has all of it, and gives the run again.
    let model = bench.model("m");
    let kept = model.over_time.as_ref().unwrap();
    assert_eq!((kept.windows.len(), kept.dictionaries.len(), kept.windows[6].dominance.len()), (7, 7, 4));
    bench.run("model show m").fine();
    bench.run("network reconstruct @karate --model m --samples 200 -o r -q").fine();
    bench.run("network learn days.csv --config m -o again -q -j 3").fine();
    assert!(bench.bytes("m") == bench.bytes("again"));
    bench.run("report m -o again.html").fine();
    assert!(String::from_utf8(bench.bytes("again.html")).unwrap().contains("Dominance over time"));
}

#[test]
fn windows_and_snapshots_of_the_same_rows_are_the_same_run() {
    let bench = Bench::new();
    let days = [false, true, false];
    bench.put("all.csv", rows(&days, |day, at| (100 * day + at).to_string()));
    for (day, blocks) in days.into_iter().enumerate() {
        let one: Vec<String> = edges(blocks).into_iter().map(|(u, v)| format!("{u} {v}")).collect();
        bench.put(&format!("{day}.txt"), one.join("\n"));
    }
    let windows = format!("network learn all.csv --timestamps=3 --window 100 {SMALL} --chains 2 -q --json");
    let windows = bench.run(&format!("{windows} -o windows")).fine().json();
    let snapshots = format!("network learn 0.txt 1.txt 2.txt --snapshots {SMALL} --chains 2 -q --json");
    let snapshots = bench.run(&format!("{snapshots} -o snapshots")).fine().json();
    let (one, other) = (bench.model("windows"), bench.model("snapshots"));
    assert!(one.w == other.w && one.aggregates == other.aggregates);
    let of = |done: &Value, key: &str| -> Vec<Value> {
        done["windows"].as_array().unwrap().iter().map(|window| window[key].clone()).collect()
    };
    for key in [
        "nodes",
        "edges",
        "edges_came",
        "edges_went",
        "chains_restarted",
        "error_before",
        "change",
        "dominance",
    ] {
        assert_eq!(of(&windows, key), of(&snapshots, key), "{key}");
    }
}

#[test]
fn an_interrupted_run_through_windows_goes_on_to_the_same_bytes() {
    let bench = Bench::new();
    // The third day is empty: of the later rows those of the last two days are taken, a lattice and cliques.
    let mut text = rows(&[false, true], dated);
    text += &rows(&[false, false, false, true, false], dated)
        .lines()
        .take(60 + 66)
        .collect::<Vec<_>>()
        .join("\n");
    bench.put("days.csv", text);
    let run =
        format!("network learn days.csv --timestamps --window 24h {SMALL} --sampler pivot --chains 2 -o m");
    let whole = bench.run(&run).fine();
    assert!(
        whole.stderr.contains("window 3 of 5 (2004-05-03 to 2004-05-04): skipped: it has no edge"),
        "{}",
        whole.stderr
    );
    let bytes = bench.bytes("m");
    for steps in [1, 12, 13, 24, 30, 47] {
        std::fs::remove_file(bench.path("m")).unwrap();
        let stopped = bench.stopped_after(&format!("{run} -q --checkpoint c"), steps);
        assert_eq!(stopped.code, Some(130), "{}", stopped.stderr);
        bench.run(&format!("{run} -q --checkpoint c --resume")).fine();
        assert!(bench.bytes("m") == bytes, "after {steps}");
    }
}

#[test]
fn rows_a_tenth_apart_are_one_in_each_window() {
    let bench = Bench::new();
    let row = |at: u32| format!("{at} {} {}.{}\n", at + 1, at / 10, at % 10);
    bench.put("tenths.txt", (0..101).map(row).collect::<String>());
    let told = bench.run("network info tenths.txt --timestamps --window 0.1 --json -q").fine().json();
    let edges: Vec<_> = told["windows"].as_array().unwrap().iter().map(|one| one["edges"].as_u64()).collect();
    assert_eq!(edges, [Some(1); 101]);
}

/// A ring of `nodes` nodes.
fn ring(nodes: u32, day: usize) -> String {
    let row = |u: u32| format!("{u},{},2004-05-{:02}\n", (u + 1) % nodes, day + 1);
    (0..nodes).map(row).collect()
}

#[test]
fn windows_that_do_not_fit_are_named_and_nothing_learned_is_lost() {
    let bench = Bench::new();
    let run = format!(
        "network learn days.csv --timestamps --window 1d {SMALL} --sampler exact -o m --checkpoint c"
    );
    // The window with the most nodes is known to be too large before anything is learned.
    bench.put("days.csv", ring(20, 0) + &ring(50, 1) + &ring(5000, 2));
    let refused = bench.run(&format!("{run} --memory 100K"));
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let parts = ["the sampler exact in the window 2004-05-03 to 2004-05-04 would take", "available"];
    assert!(parts.iter().all(|part| refused.stderr.contains(part)), "{}", refused.stderr);
    assert!(!refused.stderr.contains("stopped after") && !bench.path("c").exists(), "{}", refused.stderr);
    // The third has more nodes, but in small components: the second needs more.
    let pair = |u: u32| format!("{},{},2004-05-03\n", 2 * u, 2 * u + 1);
    let pairs: String = (0..4000).map(pair).collect();
    bench.put("days.csv", ring(20, 0) + &ring(5000, 1) + &pairs + &ring(20, 3));
    let stopped = bench.run(&format!("{run} --memory 100K"));
    assert_eq!(stopped.code, Some(2), "{}", stopped.stderr);
    let parts =
        ["stopped after step 12; the state is in", "in the window 2004-05-02 to 2004-05-03 would take"];
    assert!(parts.iter().all(|part| stopped.stderr.contains(part)), "{}", stopped.stderr);
    let resumed = bench.run(&format!("{run} --memory 100M --resume")).fine();
    assert!(resumed.stderr.contains("resumed after step 12"), "{}", resumed.stderr);
    let bytes = bench.bytes("m");
    bench.run(&run.replace(" --checkpoint c", "")).fine();
    assert!(bench.bytes("m") == bytes);
}

#[test]
fn bad_input_is_one_clear_error() {
    let bench = Bench::new();
    bench.put("t.txt", "1 2 5\n2 3 6\n3 1 soon\n");
    bench.put("few.txt", "1 2 0\n2 3 1000000000\n");
    bench.put("plain.txt", "1 2\n2 3\n");
    bench.put("ms.txt", "1 2 1700000000000\n2 3 1700172800000\n");
    bench.put("head.csv", "source,target,time\n1,2,3\n");
    for (words, expected) in [
        ("ms.txt --timestamps --window 1d", &["--window is 1d", "milliseconds", "here 86400000"][..]),
        (
            "few.txt --timestamps --window 9 --stride 1h",
            &["--stride is 1h", "neither seconds since 1970 nor dates"],
        ),
        ("head.csv --timestamps=2", &["head.csv:1", "an end of the edges"]),
        ("t.txt --timestamps", &["t.txt:3", "`soon`"][..]),
        ("plain.txt --timestamps", &["plain.txt:1", "two fields"]),
        ("few.txt --timestamps --window 1", &["at most 65535"]),
        ("few.txt --timestamps --window 0", &["--window"]),
        ("few.txt --timestamps --windows 0", &["--windows is 0"]),
        ("few.txt --timestamps=time", &["is no header"]),
        ("few.txt few.txt --timestamps", &["reads one file"]),
        ("@karate --timestamps", &["@karate has no times"]),
        ("few.txt --window 1", &["--timestamps"]),
        ("few.txt --timestamps --snapshots", &["--snapshots"]),
        ("few.txt --timestamps --windows 2 --injective", &["no window can be learned from"]),
        ("missing.txt --timestamps", &["missing.txt", "file not found"]),
        ("few.txt --timestamps --score-patches 3", &["--score-patches"]),
    ] {
        let done = bench.run(&format!("network learn {words} -k 5 -r 3 -o x -q"));
        assert_eq!(done.code, Some(2), "{words}: {}", done.stderr);
        assert!(expected.iter().all(|part| done.stderr.contains(part)), "{words}: {}", done.stderr);
        assert!(!bench.path("x").exists());
    }
}

#[test]
fn a_third_column_of_times_read_as_weights_is_noted() {
    let bench = Bench::new();
    bench.put(
        "t.txt",
        "1 2 1082040961\n2 3 1082155839\n1 2 1082155839\n2 1 1082155840\n2 1 1082155841\n2 1 1082155842\n",
    );
    let done = bench.run("network info t.txt").fine();
    assert!(done.stderr.contains("column 3 looks like times"), "{}", done.stderr);
    bench.put("w.txt", "1 2 10\n2 3 1082155839\n");
    assert!(!bench.run("network info w.txt").fine().stderr.contains("looks like times"));
}

#[test]
fn what_cannot_be_tested_is_said_and_nothing_is_called_changed() {
    let bench = Bench::new();
    bench.put("days.csv", rows(&[false, true, true], dated));
    bench.put("moment.csv", rows(&[false], |_, _| "7".to_owned()));
    let row = |(u, v): &(u32, u32)| format!("{u} {v} 1 {u}\n{u} {v} -1 {}\n", u + 20);
    let removing: String = edges(false).iter().map(row).collect();
    bench.put("removing.txt", removing);
    for (files, reason) in [
        ("days.csv --timestamps --window 1d --null-permutations 0", "no permutations are asked for"),
        ("moment.csv --timestamps", "there is only one window"),
        ("removing.txt --timestamps --windows 3", "rows that remove edges have no times to permute"),
    ] {
        let done = bench.run(&format!("network learn {files} {SMALL} -o m --json")).fine();
        let line = format!("Change not tested against permuted times: {reason}");
        assert!(done.stderr.contains(&line), "{}", done.stderr);
        let told = done.json();
        assert_eq!(told["null_permutations"], 0);
        assert!(told["windows"].as_array().unwrap().iter().all(|window| window["changed"].is_null()));
    }
    let refused =
        bench.run(&format!("network learn days.csv --timestamps --null-permutations 5 {SMALL} -o n"));
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("it must be 0, or at least 19 to find any change"), "{}", refused.stderr);
    assert!(!bench.files().contains(&"n".to_owned()));
}

#[cfg(debug_assertions)] // only then tests can stop it
#[test]
fn snapshots_are_tested_and_an_interrupted_test_ends_in_the_same_bytes() {
    let bench = Bench::new();
    let list = |blocks| edges(blocks).iter().fold(String::new(), |text, (u, v)| format!("{text}{u} {v}\n"));
    bench.put("ring.txt", list(false));
    bench.put("groups.txt", list(true));
    let run = format!("network learn ring.txt ring.txt ring.txt groups.txt groups.txt --snapshots {SMALL}");
    let told = bench.run(&format!("{run} -o m --json --threads 1")).fine().json();
    let changed: Vec<bool> =
        told["windows"].as_array().unwrap().iter().map(|one| one["changed"] == true).collect();
    assert_eq!(changed, [false, false, false, true, false], "{told:#}");
    bench.run(&format!("{run} -o n --threads 3")).fine();
    assert_eq!(bench.bytes("m"), bench.bytes("n"));
    // In the run itself, and among the permutations.
    for steps in [30, 100, 900] {
        bench.stopped_after(&format!("{run} -o o --checkpoint c"), steps);
        bench.run(&format!("{run} -o o --checkpoint c --resume")).fine();
        assert_eq!(bench.bytes("m"), bench.bytes("o"), "after {steps}");
    }
}
