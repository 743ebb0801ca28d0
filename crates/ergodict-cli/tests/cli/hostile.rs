//! What files, other processes and the environment can do to a run: an error of one line with exit code 2, or the right result.

#![cfg(unix)]

use crate::bench::{Bench, Done, gzip, numbers};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn refused(done: &Done, words: &str) {
    let told = &done.stderr;
    let line = told.lines().last().unwrap_or_default();
    assert!(
        done.code == Some(2) && line.contains(words) && line.contains("error: "),
        "{:?}: {told}",
        done.code
    );
}

fn wait_for(what: impl Fn() -> bool) {
    let started = Instant::now();
    while !what() && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_checkpoint_that_is_in_use_is_refused_by_every_command_that_has_one() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(12, 3000));
    bench.put_image("gray.png", (40, 40), 1, crate::image::stripes);
    bench.put_image("large.png", (450, 450), 1, crate::image::stripes);
    bench.put_spins("t.npy", 1, (400, 400), |_, i, j| if i * j % 3 == 0 { 1 } else { -1 });
    bench.run("network learn @karate -k 6 -r 5 --steps 20 --batch 20 -o atoms -q").fine();
    bench.run("image learn gray.png -r 16 --patch 6 --steps 20 -o image-atoms -q").fine();
    bench.run("spins learn --trajectory t.npy --patch 6 --patches 50 -r 16 -o spin-atoms -q").fine();
    let before = bench.files();
    for (words, out) in [
        ("image reconstruct image-atoms large.png --stride 1 -o m.png", "m.png"),
        ("image denoise large.png --sigma 0.1 --stride 1 -o m.png", "m.png"),
        ("spins reconstruct spin-atoms t.npy -o m.npy", "m.npy"),
        ("factor x.npy -r 6 --batch 4 --epochs 40 -o m", "m"),
        ("image learn gray.png -r 9 --patch 6 --patches 200 --steps 400 -o m", "m"),
        ("spins learn --size 32 --patch 5 -r 9 --patches 50 --updates 2e6 --every 1e4 -o m", "m"),
        ("spins simulate --size 32 --updates 8e6 --every 8e4 -o m.npy", "m.npy"),
        ("spins scan --size 12 --from 2 --to 3 --temperatures 3 --sweeps 8000 -o m.csv", "m.csv"),
        ("network sample @karate -k 6 --sampler pivot --every 5 --count 2e5 -o m.npy", "m.npy"),
        ("network learn @karate -k 10 -r 9 --steps 600 -o m", "m"),
        ("network reconstruct @karate --model atoms --samples 3e5 -o m.tsv", "m.tsv"),
        ("network compare @karate @kite -k 8 -r 5 --unweighted --samples 2e4 -o m.tsv", "m.tsv"),
        ("network denoise @lesmis -o m.tsv", "m.tsv"),
    ] {
        bench.run(&format!("{words} -q")).fine();
        let whole = bench.bytes(out);
        fs::remove_file(bench.path(out)).unwrap();
        let words = format!("{words} -q --checkpoint state --checkpoint-every 0.1 --resume");
        let first = bench.command(&words).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(|| bench.path("state.lock").exists());
        let second = bench.run(&words);
        let first: Done = first.wait_with_output().unwrap().into();
        refused(&second, "state: is in use by another process");
        first.fine();
        assert!(bench.bytes(out) == whole, "{words}");
        fs::remove_file(bench.path(out)).unwrap();
        assert_eq!(bench.files(), before, "{words}");
    }
}

/// A `.npy` file that says a shape.
fn npy(shape: &str, fortran: &str) -> Vec<u8> {
    let head = format!("{{'descr': '<f8', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.as_bytes());
    bytes
}

#[test]
fn sizes_without_contents_are_no_loops() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(4, 20));
    bench.run("factor x.npy -r 2 -o m -q").fine();
    for shape in ["(0, 1000000000000000000)", "(0, 17179869184)", "(0, 1000000, 1000000000000)"] {
        for fortran in ["False", "True"] {
            bench.put("z.npy", npy(shape, fortran));
            for words in [
                "factor z.npy -r 2 -o o",
                "factor x.npy -r 2 --init z.npy -o o",
                "transform m z.npy -o o.npy",
                "spins learn --trajectory z.npy --patch 2 -r 2 -o o",
                "spins simulate --model rbm --weights z.npy -o o.npy",
                "spins simulate --start z.npy --size 4 -o o.npy",
            ] {
                let started = Instant::now();
                let done = bench.run(words);
                refused(&done, "");
                assert!(started.elapsed() < Duration::from_secs(20), "{words}");
            }
        }
    }
    assert_eq!(bench.files(), ["m", "x.npy", "z.npy"]);
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_endless_is_refused() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(4, 20));
    for words in [
        "factor x.npy -r 2 -o o --config /dev/zero",
        "model show /dev/zero",
        "transform /dev/zero x.npy -o o.npy",
        "report /dev/zero -o o.html",
        "network reconstruct @karate --model /dev/zero -o o.tsv",
    ] {
        refused(&bench.run(words), "has more than 67108864 bytes");
    }
    assert_eq!(bench.files(), ["x.npy"]);
}

/// The peak memory that `-v` prints, in MiB.
fn peak(done: &Done) -> Option<f64> {
    let line = done.stderr.lines().find_map(|line| line.split_once(", at most "))?.1;
    let (number, rest) = line.split_once(' ')?;
    let unit = if rest.starts_with("GiB") { 1024.0 } else { 1.0 };
    Some(unit * number.parse::<f64>().unwrap())
}

#[test]
fn a_list_that_says_the_same_again_and_again_takes_little_memory() {
    let bench = Bench::new();
    bench.put("same.gz", gzip(&b"1 2\n2 3\n3 1\n".repeat(1 << 20)));
    let done = bench.run("network info same.gz -v").fine();
    let told = String::from_utf8(done.stdout.clone()).unwrap();
    assert!(told.contains("edges      3 "), "{told}");
    assert!(done.stderr.contains("3145725 duplicates united"), "{}", done.stderr);
    // 150 MiB when all were kept.
    assert!(peak(&done).is_none_or(|peak| peak < 80.0), "{}", done.stderr);
    // Loops are counted, each of them.
    bench.put("loops.txt", "1 2\n1 1\n".repeat(10_000));
    let done = bench.run("network info loops.txt").fine();
    assert!(done.stderr.contains("10000 loops dropped, 9999 duplicates united"), "{}", done.stderr);
}

#[cfg(debug_assertions)] // only then it can be said how much there is
#[test]
fn a_list_or_table_beyond_memory_is_refused_while_it_is_read() {
    let bench = Bench::new();
    let list = (0..400_000).map(|i| format!("{i} {}", i + 1)).collect::<Vec<_>>().join("\n");
    bench.put("long.gz", gzip(list.as_bytes()));
    bench.put("labels.tsv", "u\tv\tlabel\n0\t1\t1\n1\t2\t0\n");
    for words in ["network info long.gz", "evaluate long.gz labels.tsv"] {
        let mut command = bench.command(words);
        command.env("ERGODICT_AVAILABLE_BYTES", "5000000").stdin(Stdio::null());
        let done = command.output().unwrap().into();
        refused(&done, "but 4.8 MiB are available");
    }
}

/// Runs a command with `--checkpoint`, does something to its input on the way, and gives what came of it.
fn disturbed(bench: &Bench, words: &str, disturb: impl Fn()) -> Done {
    let words = format!("{words} -q --checkpoint state --checkpoint-every 0.02");
    let child = bench.command(&words).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| bench.path("state").exists());
    disturb();
    let done = child.wait_with_output().unwrap().into();
    let _ = fs::remove_file(bench.path("state"));
    done
}

/// Writes into a file as it is.
fn overwrite(path: &Path, bytes: &[u8]) {
    std::thread::sleep(Duration::from_millis(20));
    File::options().write(true).open(path).unwrap().write_all(bytes).unwrap();
}

#[test]
fn a_matrix_that_changes_while_it_is_read_is_an_error_and_one_that_is_replaced_is_read_to_its_end() {
    let bench = Bench::new();
    let x = numbers(12, 3000);
    bench.put_npy("x.npy", &x);
    let (whole, path) = (bench.bytes("x.npy"), bench.path("x.npy"));
    let words = "factor x.npy -r 6 --batch 4 --tol 0 --epochs 200 -o m";
    bench.run(&format!("{words} -q")).fine();
    let expected = bench.model("m");
    fs::remove_file(bench.path("m")).unwrap();

    let done = disturbed(&bench, words, || {
        // The same numbers in another order.
        let (head, numbers) = whole.split_at(128);
        overwrite(&path, &[head, &numbers.chunks(8).rev().flatten().copied().collect::<Vec<u8>>()].concat());
    });
    refused(&done, "x.npy: changed while it was read");
    assert_eq!(bench.files(), ["x.npy"]);

    bench.put("x.npy", &whole);
    let cut = || File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
    let done = disturbed(&bench, words, cut);
    refused(&done, "x.npy: ");
    assert!(done.stderr.contains("cut off while it was read") || done.stderr.contains("changed while"));
    assert_eq!(bench.files(), ["x.npy"]);

    bench.put("x.npy", &whole);
    let replace = || {
        bench.put_npy("y.npy", &numbers(12, 2999));
        fs::rename(bench.path("y.npy"), &path).unwrap();
    };
    disturbed(&bench, words, replace).fine();
    let learned = bench.model("m");
    assert_eq!((&learned.w, &learned.inputs), (&expected.w, &expected.inputs));
}

#[test]
fn a_mapped_network_that_changes_is_an_error_whatever_is_in_it() {
    let bench = Bench::new();
    bench.run("network generate er -n 1100 --edges 2400 --seed 3 -o net.txt -q").fine();
    bench.run("network convert net.txt -o net.egr -q").fine();
    let (whole, path) = (bench.bytes("net.egr"), bench.path("net.egr"));
    let words = "network learn net.egr -k 6 -r 4 --steps 600 --memory 400K -o m";
    let garbage = vec![0xff; whole.len()];
    let disturbances: [&dyn Fn(); 3] = [
        &|| overwrite(&path, &garbage),
        &|| File::options().write(true).open(&path).unwrap().set_len(0).unwrap(),
        &|| File::options().write(true).open(&path).unwrap().set_len(4096).unwrap(),
    ];
    for disturb in disturbances {
        bench.put("net.egr", &whole);
        let done = disturbed(&bench, words, disturb);
        refused(&done, "net.egr: ");
        assert!(!done.stderr.contains("panicked"), "{}", done.stderr);
        assert_eq!(bench.files(), ["net.egr", "net.txt"]);
    }
    bench.put("net.egr", &whole);
    bench.run(&format!("{words} -q")).fine();
    let expected = bench.model("m");
    let other = bench.path("other");
    disturbed(&bench, words, || {
        fs::write(&other, &garbage).unwrap();
        fs::rename(&other, &path).unwrap();
    })
    .fine();
    assert_eq!((&bench.model("m").w, &bench.model("m").inputs), (&expected.w, &expected.inputs));
}

#[test]
fn names_in_files_do_not_steer_the_terminal() {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(4, 20));
    bench.run("factor x.npy -r 2 -o m -q").fine();
    let mut model = bench.model("m");
    model.version = "1\u{1b}[2J\u{9b}31m".into();
    model.inputs[0].name = "x\u{1b}]0;title\u{7}".into();
    model.save(&bench.path("m")).unwrap();
    let done = bench.run("model show m").fine();
    let told = String::from_utf8(done.stdout).unwrap() + &done.stderr;
    assert!(told.contains("\\u{1b}[2J"), "{told}");
    assert!(!told.contains(|c: char| c.is_control() && c != '\n'), "{told:?}");
}

#[test]
fn threads_are_bounded_whoever_asks_for_them() {
    let bench = Bench::new();
    let with = |words: &str, name: &str, value: &str| -> Done {
        bench.command(words).env(name, value).stdin(Stdio::null()).output().unwrap().into()
    };
    for name in ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"] {
        refused(
            &with("network info @karate", name, "1000000"),
            &format!("{name} is 1000000, but 1024 is the most"),
        );
        with("network info @karate -j 1", name, "1000000").fine();
        with("network info @karate", name, "2").fine();
    }
    refused(&bench.run("network info @karate -j 1000000"), "1024 is the most");
}

#[test]
fn a_limit_of_file_sizes_is_as_a_full_disk() {
    let bench = Bench::new();
    let ergodict = assert_cmd::cargo::cargo_bin!("ergodict");
    let limited = |words: &str| -> Done {
        let script = format!("ulimit -f 16; exec '{}' {words}", ergodict.display());
        Command::new("sh").args(["-c", &script]).current_dir(bench.path("")).output().unwrap().into()
    };
    let done = limited("network generate er -n 3000 --edges 30000 -o big.txt");
    refused(&done, "big.txt: is too large: larger files are not allowed here");
    let done = limited("spins simulate --size 64 --updates 40000 --every 1000 -o s.npy");
    refused(&done, "s.npy: is too large");
    assert_eq!(bench.files(), [""; 0]);
}
