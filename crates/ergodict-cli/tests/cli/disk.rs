//! Full disks and read-only folders: one clear error, old files stay, nothing half is left, and what was computed is not lost.

#![cfg(target_os = "linux")]

use crate::bench::{Bench, Done, numbers};
use crate::image;
use std::process::{Command, Stdio};

/// Runs a shell script in a mount namespace of its own, in which `small` is a file system of 64 KiB and `fixed` one that cannot be
/// written; none where that is not allowed.
fn in_namespace(bench: &Bench, script: &str) -> Option<Done> {
    let ergodict = assert_cmd::cargo::cargo_bin!("ergodict");
    let mount = "mount --make-rprivate / && mkdir -p small fixed && mount -t tmpfs -o size=64k none small && \
                 mount -t tmpfs -o ro none fixed || exit 99";
    let script = format!("{mount}\nergodict() {{ '{}' \"$@\"; }}\n{script}", ergodict.display());
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script]).current_dir(bench.path("")).stdin(Stdio::null());
    let done: Done = command.output().ok()?.into();
    // Neither as root nor as another user everybody may do that: 1 is what unshare says itself.
    let refused = done.code == Some(99) || done.stderr.contains("unshare:");
    if refused {
        eprintln!("\n=== SKIPPED: file systems cannot be mounted here: {} ===\n", done.stderr.trim());
    }
    (!refused).then_some(done)
}

/// Commands with one output each that is larger than the small file system, `-o` being left out; and whether they take `--checkpoint`.
fn commands() -> Vec<(&'static str, bool)> {
    vec![
        ("factor x.npy -r 60 --batch 50", true),
        ("transform atoms x.npy", false),
        ("image learn gray.png -r 30 --patch 18 --patches 40 --steps 3", true),
        ("image reconstruct gray-atoms noise.png", false),
        ("spins simulate --size 64 --updates 40000 --every 1000", true),
        ("spins learn --size 32 --patch 18 -r 30 --patches 20 --updates 3000 --every 1000", true),
        ("spins reconstruct spin-atoms s.npy --stride 8", false),
        ("network generate er -n 3000 --edges 30000", false),
        ("network convert big.txt", false),
        ("network corrupt big.txt --remove 0.1", false),
        ("network sample @karate -k 6 --count 20000", true),
        ("network learn @karate -k 18 -r 30 --steps 3 --batch 10", true),
        ("network reconstruct big.txt --model net-atoms --samples 20000", true),
        ("network denoise big.txt --method jaccard", false),
        ("model export atoms", false),
    ]
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(400, 200));
    bench.put_image("gray.png", (30, 40), 1, image::stripes);
    let mut state = 1u32;
    let noise: Vec<f32> = (0..400 * 400)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 16_777_216.0
        })
        .collect();
    bench.put_image("noise.png", (400, 400), 1, |i, j, _| noise[400 * i + j]);
    bench.put_spins("s.npy", 1, (300, 300), |_, i, j| if i * j % 7 < 3 { 1 } else { -1 });
    bench.run("factor x.npy -r 40 -o atoms -q").fine();
    bench.run("image learn gray.png -r 3 --patch 4 --steps 2 -o gray-atoms -q").fine();
    bench.run("spins learn --trajectory s.npy --patch 16 -r 3 -o spin-atoms -q").fine();
    bench.run("network generate er -n 3000 --edges 30000 -o big.txt -q").fine();
    bench.run("network learn @karate -k 4 -r 4 --steps 5 -o net-atoms -q").fine();
    bench
}

/// The extension a command wants for its output.
fn named(words: &str) -> &'static str {
    match words.split(' ').take(2).collect::<Vec<_>>()[..] {
        ["transform", _] | ["spins", "simulate" | "reconstruct"] | ["network", "sample"] => "out.npy",
        ["image", "reconstruct"] => "out.png",
        ["model", _] => "out.csv",
        _ => "out.tsv",
    }
}

/// Where nothing can be mounted, this one is left.
#[test]
fn a_device_that_is_full_is_named() {
    let bench = bench();
    for (words, _) in commands() {
        let format = if words.starts_with("model") { " --format csv" } else { "" };
        let done = bench.run(&format!("{words}{format} -o /dev/full -q"));
        assert_eq!(done.code, Some(2), "{words}: {}", done.stderr);
        assert!(
            done.stderr.contains("/dev/full") && done.stderr.lines().count() == 1,
            "{words}: {}",
            done.stderr
        );
    }
}

#[test]
fn a_full_disk_leaves_old_files_and_what_was_computed() {
    let bench = bench();
    for (words, checkpoint) in commands() {
        let out = named(words);
        let saving = if checkpoint { "--checkpoint state" } else { "" };
        let script = format!(
            "echo old > small/{out}; ergodict {words} -o small/{out} {saving} -q; code=$?; cat small/{out}; ls -A small; exit $code"
        );
        let Some(done) = in_namespace(&bench, &script) else { return };
        let told = format!("{words}: {}", done.stderr);
        assert_eq!((done.code, done.stderr.lines().count()), (Some(2), 1), "{told}");
        assert!(done.stderr.contains(&format!("small/{out}")) && done.stderr.contains("make room"), "{told}");
        assert_eq!(String::from_utf8(done.stdout).unwrap(), format!("old\n{out}\n"), "{told}");
        assert_eq!(bench.path("state").exists(), checkpoint, "{told}");
        if checkpoint {
            assert!(done.stderr.contains("the state is in state"), "{told}");
            // Somewhere else there is room.
            let told = bench.run(&format!("{words} -o {out} {saving} --resume")).fine().stderr;
            assert!(told.contains("resumed after"), "{words}: {told}");
            assert!(!bench.path("state").exists() && bench.path(out).exists(), "{words}");
        }
    }
}

#[test]
fn errors_list_what_is_written_and_what_is_not() {
    let bench = bench();
    let run = "network learn @karate -k 6 -r 5 --steps 3 --batch 10 -o m --checkpoint state -q";
    // The first bytes of a page are more than is left.
    let fill = "dd if=/dev/zero of=small/fill bs=1k count=60 2> /dev/null";
    for (flags, missing) in
        [("--report small/r.html", "small/r.html"), ("--figures small/figures", "small/figures")]
    {
        let script = format!("{fill}; ergodict {run} {flags}; code=$?; ls -A small; exit $code");
        let Some(done) = in_namespace(&bench, &script) else { return };
        let told = done.stderr;
        assert_eq!((done.code, told.lines().count()), (Some(2), 1), "{told}");
        assert!(told.contains(missing) && told.contains("written: m"), "{told}");
        assert!(told.contains("the state is in state"), "{told}");
        assert!(bench.path("m").exists() && bench.path("state").exists());
        let left = String::from_utf8(done.stdout).unwrap();
        assert!(!left.contains("partial") && !left.contains("r.html"), "{left}");
        bench.run(&format!("{run} --report r.html --resume")).fine();
        std::fs::remove_file(bench.path("m")).unwrap();
    }
    // Two outputs, of which the second finds no room.
    let script =
        format!("{fill}; ergodict network corrupt @karate --add 0.3 -o o.txt --truth small/t.tsv -q");
    let script = script.replace("count=60", "count=64");
    let told = in_namespace(&bench, &script).unwrap();
    assert_eq!(told.code, Some(2), "{}", told.stderr);
}

#[test]
fn a_run_goes_on_without_its_checkpoint() {
    let bench = bench();
    bench.run("factor x.npy -r 9 --batch 20 -o whole -q").fine();
    for (words, name) in [
        ("factor x.npy -r 60 --batch 20 -o small-model", "factor"),
        (
            "spins learn --size 32 --patch 18 -r 30 --patches 20 --updates 9000 --every 1000 -o small-model",
            "spins",
        ),
        ("network reconstruct big.txt --model net-atoms --samples 50000 -o small-table", "reconstruct"),
        (
            "network compare @karate @kite -k 4 -r 3 --steps 5 --samples 30000 --unweighted -o small-table",
            "compare",
        ),
    ] {
        let fill =
            if name == "compare" { "dd if=/dev/zero of=small/fill bs=1k count=64 2> /dev/null;" } else { "" };
        // A place that is full after the probe: the probe itself is empty.
        let script = format!(
            "{fill} ergodict {words} --checkpoint small/state --checkpoint-every 0; code=$?; ls -A small; exit $code"
        );
        let Some(done) = in_namespace(&bench, &script) else { return };
        let told = done.stderr;
        assert_eq!(done.code, Some(0), "{words}: {told}");
        assert_eq!(told.matches("ergodict: warning: small/state").count(), 1, "{words}: {told}");
        assert!(told.contains("could not be written on the way"), "{words}: {told}");
        let left = String::from_utf8(done.stdout).unwrap();
        assert!(!left.contains("state"), "{words}: {left}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_work() {
    let bench = bench();
    for (words, checkpoint) in commands() {
        let out = named(words);
        let mut places = vec![format!("-o fixed/{out}"), format!("-o missing/{out}"), "-o small".into()];
        places.push(format!("-o {}{out}", "x".repeat(260)));
        if checkpoint {
            places.push(format!("-o {out} --checkpoint fixed/state"));
            places.push(format!("-o {out} --report fixed/r.html"));
            places.push(format!("-o {out} --figures fixed/figures"));
        }
        for place in places {
            let before = bench.files();
            // Work that would take hours is not begun.
            let script = format!("ergodict {words} {place} -q");
            let Some(done) = in_namespace(&bench, &script) else { return };
            let told = format!("{words} {place}: {}", done.stderr);
            assert_eq!((done.code, done.stderr.lines().count()), (Some(2), 1), "{told}");
            let name = place.rsplit(' ').next().unwrap();
            assert!(done.stderr.contains(name), "{told}");
            let after: Vec<String> =
                bench.files().into_iter().filter(|name| !["small", "fixed"].contains(&&**name)).collect();
            let before: Vec<String> =
                before.into_iter().filter(|name| !["small", "fixed"].contains(&&**name)).collect();
            assert_eq!(after, before, "{told}");
        }
    }
}

#[test]
fn a_pipe_that_closes_is_silent() {
    let bench = bench();
    for words in ["network convert big.txt -o -", "network generate er -n 3000 --edges 30000 -o -"] {
        let script = format!("ergodict {words} -q | head -c 10 > /dev/null");
        let Some(done) = in_namespace(&bench, &script) else { return };
        assert_eq!((done.code, &*done.stderr), (Some(0), ""), "{words}");
    }
}
