//! `ergodict network convert` and `generate` beyond memory: what they take, and how they go on after an interruption.

use crate::bench::Bench;
use std::fmt::Write as _;
#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

/// Many edges between some nodes, as text.
fn list(edges: u64, nodes: u64) -> String {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % nodes
    };
    let mut list = String::new();
    for _ in 0..edges {
        let _ = writeln!(list, "{} {}", random(), random());
    }
    list
}

#[cfg(debug_assertions)] // only then tests can stop it
#[test]
fn an_interrupted_conversion_says_how_to_go_on_and_does() {
    let bench = Bench::new();
    bench.put("net.txt", list(200_000, 5000));
    bench.run("network convert net.txt -o whole.egr -q").fine();
    let words = "network convert net.txt -o net.egr --memory 1M";
    let done = bench.stopped_after(words, 30);
    assert_eq!(done.code, Some(130));
    let told = done.stderr;
    assert!(
        told.contains("the state is in net.egr.converting; continue with ") && told.contains("--resume"),
        "{told}"
    );
    assert!(bench.path("net.egr.converting/forward").exists() && !bench.path("net.egr").exists());
    let refused = bench.run(words);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("delete it, or continue from it (--resume)"), "{}", refused.stderr);
    // Also while rows are written.
    assert_eq!(bench.stopped_after(&format!("{words} --resume"), 50).code, Some(130));
    bench.run(&format!("{words} --resume -q")).fine();
    assert!(bench.bytes("net.egr") == bench.bytes("whole.egr"));
    assert!(!bench.path("net.egr.converting").exists());
    let fresh = bench.run(&format!("{words} --resume")).fine().stderr;
    assert!(fresh.contains("nothing to resume"), "{fresh}");
    for (words, told) in [
        ("network convert net.txt -o n.mtx --resume", "--resume is for"),
        ("network convert net.txt -o n.egr --memory 9K", "at least one mebibyte"),
        ("network convert net.txt -o n.egr --memory 9X", "2G, 500M or 64K"),
    ] {
        let done = bench.run(words);
        assert!(done.code == Some(2) && done.stderr.contains(told), "{}", done.stderr);
    }
}

/// Of a generated network as well, whatever the format.
#[test]
fn generating_beyond_memory_gives_the_same_bytes() {
    let bench = Bench::new();
    for (model, name) in [
        ("rmat --scale 12 --edge-factor 20", "a.egr"),
        ("rmat --scale 11 --edge-factor 30 --directed", "a.txt"),
        ("er --nodes 2000 --probability 0.03", "a.mtx"),
        ("sbm --sizes 900,900 --within 0.1 --between 0.02", "a.egr"),
    ] {
        let said =
            bench.run(&format!("network generate {model} -o {name} --seed 3 --memory 1G")).fine().stderr;
        let whole = bench.bytes(name);
        let streamed =
            bench.run(&format!("network generate {model} -o {name} --seed 3 --memory 1M")).fine().stderr;
        let strip = |text: &str| text.lines().next().unwrap().split(", in ").next().unwrap().to_owned();
        assert_eq!(strip(&said), strip(&streamed));
        assert!(whole == bench.bytes(name), "{model}");
    }
    bench.run("network convert a.egr -o b.txt --memory 1M -q").fine();
    let noted = String::from_utf8(bench.bytes("b.txt")).unwrap();
    let noted = noted.lines().next().unwrap();
    assert!(noted.contains("network convert") && !noted.contains("memory"), "{noted}");
}

/// Neither Ctrl-C nor `kill -9` leaves anything of a network that does not fit in memory.
#[cfg(target_os = "linux")]
#[test]
fn generating_leaves_nothing_when_it_is_stopped() {
    let bench = Bench::new();
    for (signal, code) in [("INT", Some(130)), ("KILL", None)] {
        // Many seconds, if it were not stopped.
        let words = "network generate rmat --scale 18 --edges 4e7 --memory 1M -o x.txt -q";
        let mut child = bench.command(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let files = std::path::PathBuf::from(format!("/proc/{}/fd", child.id()));
        // Runs are in files without names.
        let has_runs = || {
            let links =
                std::fs::read_dir(&files).unwrap().filter_map(|file| file.ok()?.path().read_link().ok());
            links.filter(|file| file.to_string_lossy().ends_with("(deleted)")).count() >= 2
        };
        while !has_runs() {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let id = child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), code, "{signal}");
        assert_eq!(bench.files(), [""; 0], "{signal}");
    }
}

/// The most anonymous memory that a command has at a time, in bytes, as seen by looking all the time.
#[cfg(target_os = "linux")]
fn peak(bench: &Bench, words: &str) -> u64 {
    let mut child = bench.command(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (status, mut most) = (format!("/proc/{}/status", child.id()), 0);
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let now = text
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:")?.trim().strip_suffix(" kB")?.parse().ok());
        most = most.max(now.unwrap_or(0_u64) << 10);
    }
    assert!(child.wait().unwrap().success(), "{words}");
    most
}

/// 10⁶ edges are 8 MB as arcs, and as much again in the other direction. Threads and the allocator take half a mebibyte more than
/// they are allowed to: 10.7 MiB were seen where the idle program takes 2.3.
#[cfg(target_os = "linux")]
#[test]
fn conversion_stays_within_its_memory() {
    let bench = Bench::new();
    bench.put("net.txt", list(1_000_000, 300_000));
    let idle = peak(&bench, "network info @karate -j 2 -q");
    let taken = peak(&bench, "network convert net.txt -o net.egr --memory 8M -j 2 -q");
    assert!(taken < idle + (9 << 20), "{taken} bytes, of which the program takes {idle}");
    bench.run("network convert net.txt -o whole.egr -q").fine();
    assert!(bench.bytes("net.egr") == bench.bytes("whole.egr"));
    let taken =
        peak(&bench, "network generate rmat --scale 16 --edge-factor 16 --memory 8M -j 2 -o r.egr -q");
    assert!(taken < idle + (9 << 20), "{taken} bytes, of which the program takes {idle}");
}
