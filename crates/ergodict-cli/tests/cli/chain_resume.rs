//! Interrupted runs on chains: what is resumed ends in the bytes of the run that was never interrupted.

#![cfg_attr(not(all(unix, debug_assertions)), allow(dead_code, unused_imports))]

use crate::bench::{Bench, over};
use crate::{image, spins};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A command whose outputs are named after `-o NAME`, and the files it writes next to `NAME`.
struct Case {
    words: String,
    suffixes: Vec<&'static str>,
    stops: Vec<u64>,
}

fn cases() -> Vec<Case> {
    let case = |words: String, suffixes: &[&'static str], stops: &[u64]| Case {
        words,
        suffixes: suffixes.to_vec(),
        stops: stops.to_vec(),
    };
    let simulate = "spins simulate --size 16 --updates 6000 --every 200 --burn-in 300";
    let learn = "spins learn --size 16 --updates 4000 --patch 4 --patches 30 -r 5";
    let runs = ["-T1-every300", "-T1-every500", "-T3-every300", "-T3-every500", "-T1-fixed", "-T3-fixed"];
    vec![
        case(simulate.into(), &[""], &[1, 7, 29]),
        case(format!("{simulate} --update checkerboard --boundary free"), &[""], &[3]),
        case(format!("{simulate} --model potts --update checkerboard"), &[""], &[3, 11]),
        case(
            format!("{simulate} --update wolff --observables energy,bond-cluster-mean,binder"),
            &[""],
            &[3, 11],
        ),
        case(format!("{simulate} --update swendsen-wang --model potts --field 0.1"), &[""], &[3]),
        case(format!("{simulate} --model cellular-potts --cells 4"), &[""], &[5]),
        case(
            format!("{simulate} --model xy --observables energy,vortices,helicity-modulus"),
            &[""],
            &[1, 12],
        ),
        case(format!("{simulate} --model xy --update wolff --temperature 0.5"), &[""], &[4]),
        case(format!("spins learn {} --model xy --update swendsen-wang", spins::SMALL), &[""], &[2]),
        case(format!("{simulate} --model rbm --hidden 5"), &[""], &[2]),
        case(format!("{simulate} --chains 3"), &["-chain0", "-chain1", "-chain2"], &[1, 40, 80]),
        case(format!("spins learn {}", spins::SMALL), &[""], &[1, 4, 9]),
        case(format!("spins learn {} --init data --f32 --model potts", spins::SMALL), &[""], &[1, 6]),
        case(
            format!("{learn} --temperature 1 --temperature 3 --every 300 --every 500 --fixed=9"),
            &runs,
            // 13 + 8 minibatches at each temperature, then 9 fixed ones: the last stop is among those.
            &[2, 20, 41],
        ),
        case(
            "spins learn --trajectory t.npy --patch 3 --patches 20 -r 4 --fixed=30".into(),
            &["", "-fixed"],
            &[3, 25],
        ),
        // Stops are seen after every 1024 homomorphisms of a chain.
        case("network sample @karate -k 5 --count 5000 --observables macc".into(), &[""], &[1, 3000]),
        case(
            "network sample @karate --sampler pivot --chains 3 --count 9000 --every 3".into(),
            &[""],
            &[1, 5000],
        ),
        case(
            "network sample @karate --motif cycle -k 4 --sampler glauber --count 4000 --burn-in 9".into(),
            &[""],
            &[2000],
        ),
        case(
            "network sample @karate -k 4 --injective --sampler pivot-approx --count 4000".into(),
            &[""],
            &[2000],
        ),
        case(format!("image learn gray.png color.png {}", image::SMALL), &[""], &[1, 5]),
        case(format!("image learn color.png --color --sampling walk {}", image::SMALL), &[""], &[1, 7]),
    ]
}

fn bench() -> Bench {
    let bench = image::bench();
    bench.put_spins("t.npy", 12, (12, 12), |t, i, j| if (t + i * j) % 3 == 0 { 1 } else { -1 });
    bench
}

#[cfg(debug_assertions)] // only then tests can stop the program
#[test]
fn stops_and_resumes_at_any_step() {
    for case in cases() {
        check(&bench(), case);
    }
}

/// Batches of 1024 patches are steps, and so are minibatches that a dictionary is learned from.
#[cfg(debug_assertions)] // only then tests can stop the program
#[test]
fn pictures_and_configurations_put_together_stop_and_resume_at_any_step() {
    let bench = Bench::new();
    bench.put_image("gray.png", (60, 60), 1, image::stripes);
    bench.put_image("color.png", (50, 50), 3, image::stripes);
    bench.put_spins("t.npy", 2, (50, 50), |t, i, j| if (t + i * j) % 3 == 0 { 1 } else { -1 });
    bench.run(&format!("image learn gray.png {} -o atoms -q", image::SMALL)).fine();
    bench.run(&format!("image learn color.png --color --f32 {} -o colors -q", image::SMALL)).fine();
    bench.run("spins learn --trajectory t.npy --patch 3 --patches 20 -r 4 -o spins -q").fine();
    let cases: [(&str, &[u64]); 5] = [
        ("image reconstruct atoms gray.png", &[1, 3]),
        ("image reconstruct colors color.png --lambda 0.1", &[2]),
        ("image denoise gray.png --sigma 0.1 --patch 4 -r 20", &[5, 34, 36]),
        ("image denoise color.png --sigma 0.1 --model colors", &[1, 2]),
        ("spins reconstruct spins t.npy --frame 0", &[1, 2]),
    ];
    for (words, stops) in cases {
        // The format is that of the name.
        let suffix = if words.starts_with("spins") { ".npy" } else { ".png" };
        check(&bench, Case { words: words.into(), suffixes: vec![suffix], stops: stops.to_vec() });
        std::fs::remove_file(bench.path(&format!("whole{suffix}"))).unwrap();
    }
    let run = "image reconstruct atoms gray.png -o m.png --checkpoint state";
    bench.stopped_after(run, 1);
    for (words, told) in [
        ("image reconstruct atoms gray.png -o m.png --lambda 0.2", "lambda"),
        ("image reconstruct atoms color.png -o m.png", "gray.png"),
        ("image denoise gray.png -o m.png", "image reconstruct"),
    ] {
        let done = bench.run(&format!("{words} --checkpoint state --resume -q"));
        assert!(done.code == Some(2) && done.stderr.contains(told), "{}", done.stderr);
    }
    let done = bench.run("image denoise - -o m.png --checkpoint state");
    assert!(done.code == Some(2) && done.stderr.contains("cannot be read again"), "{}", done.stderr);
}

#[cfg(debug_assertions)]
fn check(bench: &Bench, Case { words, suffixes, stops }: Case) {
    let before = bench.files();
    // Where a name has to end as its format does, `-o` gets all of it.
    let out = |name: &str| match &suffixes[..] {
        [one] if one.starts_with('.') => format!("{name}{one}"),
        _ => name.to_owned(),
    };
    bench.run(&format!("{words} -o {} -q", out("whole"))).fine();
    for stop in stops {
        let run = format!("{words} -o {} --checkpoint state --checkpoint-every 1000 -j 2", out("m"));
        let done = bench.stopped_after(&run, stop);
        let last = done.stderr.lines().last().unwrap().to_owned();
        assert!(last.contains("interrupted after") && last.contains("--resume"), "{words}: {last}");
        let named = last.split("the state is in ").nth(1).unwrap().split([';', ' ']).next().unwrap();
        assert!(bench.path(named).exists(), "{last}");
        assert!(suffixes.iter().all(|s| !bench.path(&format!("m{s}")).exists()), "{words}");
        let again = bench.run(&format!("{run} -q"));
        assert_eq!((again.code, again.stderr.lines().count()), (Some(2), 1), "{}", again.stderr);
        assert!(again.stderr.contains("use --resume"), "{}", again.stderr);
        bench.run(&format!("{run} --resume -q")).fine();
        for suffix in &suffixes {
            let (got, want) = (bench.bytes(&format!("m{suffix}")), bench.bytes(&format!("whole{suffix}")));
            assert!(got == want, "{words} stopped after {stop}: m{suffix}");
            std::fs::remove_file(bench.path(&format!("m{suffix}"))).unwrap();
        }
        let mut left = bench.files();
        left.retain(|name| !name.starts_with("whole") && !before.contains(name));
        assert!(left.is_empty(), "{words} leaves {left:?}");
    }
}

#[cfg(debug_assertions)] // only then tests can stop the program
#[test]
fn without_a_checkpoint_nothing_is_written() {
    for Case { words, stops, .. } in cases() {
        let bench = bench();
        let before = bench.files();
        let done = bench.stopped_after(&format!("{words} -o m --report page.html"), stops[0]);
        assert!(done.stderr.contains("nothing was written"), "{}", done.stderr);
        assert_eq!(bench.files(), before, "{words}");
    }
}

#[cfg(debug_assertions)] // only then tests can stop the program
#[test]
fn resumed_runs_print_the_same() {
    let bench = bench();
    let simulate = "spins simulate --size 16 --updates 6000 --every 200 --model cellular-potts --cells 4 --chains 2 \
                    --observables cluster,energy --json -q";
    let whole = bench.run(&format!("{simulate} -o w.npy")).fine().json();
    let run = format!("{simulate} -o m.npy --checkpoint state");
    bench.stopped_after(&run, 17);
    let resumed = bench.run(&format!("{run} --resume")).fine().json();
    assert_eq!(resumed["resumed"], true);
    for key in ["observables", "acceptance", "frames", "updates", "updates_between_frames"] {
        assert_eq!(resumed[key], whole[key], "{key}");
    }
    let run = format!("spins learn {} -o m --checkpoint state --json", spins::SMALL);
    bench.stopped_after(&run, 4);
    let resumed = bench.run(&format!("{run} --resume")).fine();
    assert!(resumed.stderr.contains("resumed after step 4"), "{}", resumed.stderr);
    assert_eq!(resumed.json()["runs"][0]["resumed_after_step"], 4);
}

#[cfg(debug_assertions)] // only then tests can stop the program
#[test]
fn another_run_is_not_resumed() {
    let bench = bench();
    bench.put_npy("field.npy", &crate::bench::numbers(16, 16));
    let simulate =
        "spins simulate --size 16 --updates 6000 --every 200 --field field.npy -o m.npy --checkpoint s";
    let learn = format!("spins learn {} -o m --checkpoint l", spins::SMALL);
    let paint = format!("image learn gray.png {} -o m --checkpoint i", image::SMALL);
    for run in [simulate, &learn, &paint] {
        bench.stopped_after(run, 3);
    }
    bench.put("garbage", [7; 100]);
    bench.put("half", &bench.bytes("l")[..200]);
    let before = bench.files();
    let state = ["s", "l", "i"].map(|name| bench.bytes(name));
    for (words, said) in [
        (over(simulate, "--temperature 3"), "temperature was 2.26 there and is 3.0 here"),
        (over(simulate, "--seed 1"), "seed was 0 there and is 1 here"),
        (over(simulate, "--every 100"), "every was 200 there and is 100 here"),
        (over(simulate, "--chains 2"), "chains was 1 there and is 2 here"),
        (over(&learn, "--temperature 3"), "temperature was [2.26] there and is [3.0] here"),
        (over(&learn, "--patches 31"), "patches was 30 there and is 31 here"),
        (over(&learn, "--spins signed"), "code was \"nonneg\" there and is \"free\" here"),
        (over(&paint, "--steps 9"), "steps was 8 there and is 9 here"),
        (over(&paint, "--sampling walk"), "sampling was \"iid\" there and is \"walk\" here"),
        (paint.replace("gray.png", "color.png"), "is of other data: color.png"),
        (
            simulate.replace("-o m.npy --checkpoint s", "-o m.npy --checkpoint l"),
            "the command was spins learn there and is spins simulate here",
        ),
        (simulate.replace("--checkpoint s", "--checkpoint garbage"), "garbage: is not a checkpoint"),
        (
            learn.replace("--checkpoint l", "--checkpoint i"),
            "the command was image learn there and is spins learn here",
        ),
        (learn.replace("--checkpoint l", "--checkpoint s"), "the command was spins simulate there"),
        (learn.replace("--checkpoint l", "--checkpoint half"), "half: damaged checkpoint"),
        (paint.replace("--checkpoint i", "--checkpoint garbage"), "garbage: is not a checkpoint"),
        (paint.replace("--checkpoint i", "--checkpoint l"), "the command was spins learn there"),
    ] {
        let done = bench.run(&format!("{words} --resume -q"));
        assert_eq!((done.code, done.stderr.lines().count()), (Some(2), 1), "{words}: {}", done.stderr);
        assert!(done.stderr.contains(said), "{words}: {}", done.stderr);
    }
    assert!(state == ["s", "l", "i"].map(|name| bench.bytes(name)), "a refused checkpoint was touched");
    assert_eq!(bench.files(), before);
    bench.put_npy("field.npy", &crate::bench::numbers(4, 64));
    let done = bench.run(&format!("{simulate} --resume"));
    assert!(done.code == Some(2) && done.stderr.contains("field.npy has changed"), "{}", done.stderr);
}

/// Starts a run that saves its state whenever it can, waits for that, and kills it.
#[cfg(unix)]
fn kill(bench: &Bench, words: &str) {
    let mut command = bench.command(&format!("{words} --checkpoint state --checkpoint-every 0 -q"));
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while !bench.path("state").exists() && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "the run ended before it could be killed");
}

#[cfg(unix)]
#[test]
fn killed_runs_resume() {
    let bench = bench();
    let simulate = "spins simulate --size 16 --updates 400000 --every 200 --chains 2 -o";
    let learn = "spins learn --size 16 --updates 120000 --every 60 --patch 6 --patches 40 -r 6 -o";
    let paint = "image learn gray.png -r 9 --patch 5 --patches 40 --steps 2000 --sampling walk -o";
    for (run, names) in
        [(simulate, &["-chain0.npy", "-chain1.npy"][..]), (learn, &[".npy"]), (paint, &[".npy"])]
    {
        kill(&bench, &format!("{run} m.npy"));
        assert!(names.iter().all(|name| !bench.path(&format!("m{name}")).exists()), "{run}");
        bench.run(&format!("{run} m.npy --checkpoint state --resume -q")).fine();
        bench.run(&format!("{run} whole.npy -q")).fine();
        for name in names {
            let (got, want) = (bench.bytes(&format!("m{name}")), bench.bytes(&format!("whole{name}")));
            assert!(got == want, "{run} m{name}");
            std::fs::remove_file(bench.path(&format!("m{name}"))).unwrap();
        }
    }
}

#[cfg(unix)]
fn press_ctrl_c(child: &std::process::Child) {
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// What is drawn when the work is done can take long, too.
#[cfg(unix)]
#[test]
fn ctrl_c_is_heard_while_pictures_are_made() {
    for (words, done, said, left) in [
        (
            "spins simulate --size 64 --updates 1000000 --every 100 -o done.npy --frames d.gif --checkpoint c",
            "done.npy",
            "the trajectory is written, but not all of --frames is drawn",
            &["c", "done.npy"][..],
        ),
        (
            "spins simulate --size 64 --updates 1000000 --every 100 -o done.npy --frames d",
            "d/frame-00000.png",
            "the trajectory is written, but not all of --frames is drawn",
            &["d", "done.npy"],
        ),
        (
            "image learn @tessellation -r 600 --patch 12 --patches 10 --steps 2 -o done --report p.html --checkpoint c",
            "done",
            "wrote done, but not the report",
            &["c", "done"],
        ),
    ] {
        let bench = Bench::new();
        let mut command = bench.command(words);
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let started = Instant::now();
        while !bench.path(done).exists() && started.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        // Until it is at the pictures.
        std::thread::sleep(Duration::from_millis(50));
        press_ctrl_c(&child);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{words}: {stderr}");
        assert!(stderr.contains(said), "{words}: {stderr}");
        // The checkpoint, if there is any, stays until all is drawn.
        assert_eq!(stderr.contains("--resume"), words.contains("--checkpoint"), "{words}: {stderr}");
        assert_eq!(bench.files(), left, "{words}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_is_heard_during_a_burn_in() {
    let bench = bench();
    for words in [
        "spins simulate --size 16 --burn-in 999999999999 -o m.npy",
        "spins learn --size 16 --burn-in 999999999999 --patch 4 -r 3 -o m",
    ] {
        let before = bench.files();
        let mut command = bench.command(words);
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(500));
        press_ctrl_c(&child);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{stderr}");
        assert!(stderr.contains("nothing was written"), "{stderr}");
        assert_eq!(bench.files(), before, "{words}");
    }
}

#[cfg(debug_assertions)] // only then tests can stop the program
#[test]
fn a_run_stopped_before_its_first_step_is_resumed() {
    let bench = bench();
    for words in [
        "spins learn --size 16 --burn-in 3000 --updates 4000 --every 400 --patch 4 --patches 30 -r 5",
        "spins simulate --size 16 --burn-in 3000 --updates 4000 --every 400",
    ] {
        bench.run(&format!("{words} -o whole -q")).fine();
        let before = bench.files();
        let done = bench.stopped_after(&format!("{words} -o m --checkpoint state"), 0);
        assert!(done.stderr.contains("the state is in state"), "{}", done.stderr);
        bench.run(&format!("{words} -o m --checkpoint state --resume -q")).fine();
        assert!(bench.bytes("m") == bench.bytes("whole"), "{words}");
        std::fs::remove_file(bench.path("m")).unwrap();
        assert_eq!(bench.files(), before, "{words}");
    }
}

#[cfg(debug_assertions)] // only then tests can stop the program
#[test]
fn fixed_runs_go_on_after_a_stop_before_them() {
    let bench = bench();
    let words = "spins learn --size 16 --updates 4000 --every 400 --patch 4 --patches 30 -r 5 --fixed=40 -o m --checkpoint state";
    bench.run(&words.replace("-o m --checkpoint state", "-o whole.safetensors -q")).fine();
    // Ten steps of the trajectory, then some of the fixed configuration; resumed and stopped at once, what they learned stays.
    bench.stopped_after(words, 25);
    bench.stopped_after(&format!("{words} --resume"), 0);
    let done = bench.run(&format!("{words} --resume --json")).fine();
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(text.contains("\"resumed_after_step\": 15"), "{text}");
    assert!(bench.bytes("m-fixed") == bench.bytes("whole-fixed.safetensors"));
}

#[cfg(unix)]
#[test]
fn a_burn_in_is_resumed() {
    let bench = bench();
    let words = "spins simulate --size 16 --burn-in 3e6 --updates 6000 --every 200 --chains 2";
    bench.run(&format!("{words} -o whole.npy -q")).fine();
    kill(&bench, &format!("{words} -o m.npy"));
    bench.run(&format!("{words} -o m.npy --checkpoint state --resume -q")).fine();
    for chain in ["-chain0.npy", "-chain1.npy"] {
        assert!(bench.bytes(&format!("m{chain}")) == bench.bytes(&format!("whole{chain}")), "{chain}");
    }
}
