//! `ergodict demo`: it finds what it says, writes what it says, and the commands it ends with work.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

fn ergodict(within: &Path) -> Command {
    let mut command = Command::cargo_bin("ergodict").unwrap();
    command.current_dir(within);
    command
}

/// The demo's summary.
fn demo(within: &Path, out: &str, seed: u64) -> Value {
    let done =
        ergodict(within).args(["demo", "--json", "-o", out, "--seed", &seed.to_string()]).assert().success();
    serde_json::from_slice(&done.get_output().stdout).unwrap()
}

#[test]
fn finds_the_bars_whatever_the_seed() {
    let folder = TempDir::new().unwrap();
    for seed in 0..3 {
        let summary = demo(folder.path(), "out", seed);
        assert_eq!(summary["schema"], "ergodict.demo/1");
        let bars = &summary["bars"];
        assert!(bars["bars_found"].as_u64() >= Some(14), "seed {seed}: {bars}");
        let number = |of: &Value, key: &str| of[key].as_f64().unwrap();
        // Over 300 seeds the relative error had a root mean square of √(10τ/n) and a heavy tail; five of them.
        let tau = number(bars, "autocorrelation_time") / number(bars, "autocorrelation_time_exact");
        assert!((tau - 1.0).abs() < 5.0 * (10.0 * 34.0 / 50_000f64).sqrt(), "seed {seed}: τ off by {tau}");
        // Over 160 other seeds the two differed by 20 % at most.
        let ratio = number(bars, "surrogate") / number(bars, "expected_loss");
        assert!((ratio - 1.0).abs() < 0.3, "seed {seed}: {ratio}");
        assert!(number(bars, "stationarity_gap") < 0.02, "seed {seed}");
        // Energy of hot spins, which mix fast; five standard errors.
        let hot = &summary["ising"][2];
        let off = number(hot, "energy") - number(hot, "energy_exact");
        assert!(off.abs() < 5.0 * number(hot, "energy_error"), "seed {seed}: {hot}");
        // With seeds 0 to 16 the walk was at most 0.23 dB below the independent patches, which were above 17.8 dB.
        let picture = &summary["picture"];
        let (iid, walk) = (number(picture, "psnr_iid"), number(picture, "psnr_walk"));
        assert!(iid > 17.0 && walk > iid - 0.6, "seed {seed}: {picture}");
        let network = &summary["network"];
        assert!(
            number(network, "jaccard") > 0.8 && number(network, "denoising_auc") > 0.9,
            "seed {seed}: {network}"
        );
        // The alternating chain: |f̂ − f| = O(1/t).
        let two = &summary["two_pictures"];
        let distance = number(&two["surrogate_distance"], "alternating");
        assert!(distance < 300.0 / number(two, "steps"), "seed {seed}: {distance}");
    }
}

#[test]
fn writes_its_files_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let done = ergodict(folder.path()).arg("demo").assert().success();
    assert!(done.get_output().stdout.is_empty(), "without --json there is no data");
    let said = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert!(said.contains("The report: ergodict-demo/report.html"), "{said}");
    let out = folder.path().join("ergodict-demo");
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["bars.npy", "bars.safetensors", "report.html"]);

    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    let links = page.replace("http://www.w3.org/2000/svg", "");
    assert!(
        !links.contains("http:") && !links.contains("https:") && !links.contains("src="),
        "asks the network"
    );
    for part in [
        "What was seen",
        "What was found",
        "Learning",
        "Two pictures",
        "Ising: atoms at temperature 2.26",
        "Atoms from a random walk",
        "Atoms as graphs",
        "False edges found",
        "Four commands to try next",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("NaN"), "a number is missing");

    let quiet = ergodict(folder.path()).args(["demo", "-q"]).assert().success();
    assert!(quiet.get_output().stderr.is_empty() && quiet.get_output().stdout.is_empty());
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    let untimed = |out: &str| {
        let page = std::fs::read_to_string(folder.path().join(out).join("report.html")).unwrap();
        let timed = |line: &&str| line.contains("<dt>time</dt>");
        assert_eq!(page.lines().filter(timed).count(), 1);
        page.lines().filter(|line| !timed(line)).collect::<Vec<_>>().join("\n")
    };
    demo(folder.path(), "out", 5);
    let kept: Vec<Vec<u8>> = ["bars.npy", "bars.safetensors"]
        .map(|name| std::fs::read(folder.path().join("out").join(name)).unwrap())
        .to_vec();
    let page = untimed("out");
    ergodict(folder.path()).args(["demo", "-j", "1", "-o", "out", "--seed", "5"]).assert().success();
    for (name, before) in ["bars.npy", "bars.safetensors"].iter().zip(kept) {
        assert!(std::fs::read(folder.path().join("out").join(name)).unwrap() == before, "{name} differs");
    }
    assert!(untimed("out") == page, "the report differs in more than times");
    demo(folder.path(), "other", 6);
    assert!(
        std::fs::read(folder.path().join("out/bars.npy")).unwrap()
            != std::fs::read(folder.path().join("other/bars.npy")).unwrap()
    );
}

#[test]
fn the_commands_it_ends_with_work_and_the_first_one_learns_the_same_model() {
    let folder = TempDir::new().unwrap();
    for (out, seed) in [("out", 0), ("it's a place", 4)] {
        let summary = demo(folder.path(), out, seed);
        let commands: Vec<&str> =
            summary["try_next"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
        assert_eq!(commands.len(), 4);
        for command in &commands {
            let shell = std::process::Command::new("sh")
                .args(["-c", command])
                .current_dir(folder.path())
                .output()
                .unwrap();
            assert!(shell.status.success(), "{command}: {}", String::from_utf8_lossy(&shell.stderr));
        }
        let out = folder.path().join(out);
        for name in ["again", "ising", "picture", "network"] {
            assert!(out.join(name).with_extension("html").is_file(), "{name}");
        }
        let load = |name: &str| ergodict::dictionary::Model::load(&out.join(name)).unwrap();
        let (first, again) = (load("bars.safetensors"), load("again.safetensors"));
        assert_eq!(first.w, again.w);
        assert_eq!(first.aggregates, again.aggregates);
        assert_eq!(first.inputs, again.inputs, "name and digest of the data");
        assert_eq!(first.parameters, again.parameters);
        // The other two learn what the tour did, too: the same surrogate.
        let surrogate = |name: &str| {
            let model = load(name);
            model.run["results"]["surrogate_per_sample"].as_f64().unwrap()
        };
        for (i, temperature) in ["0.5", "2.26", "5"].iter().enumerate() {
            let told = summary["ising"][i]["surrogate"].as_f64().unwrap();
            let learned = surrogate(&format!("ising-T{temperature}.safetensors"));
            assert!((told / learned - 1.0).abs() < 1e-9, "T = {temperature}: {told} and {learned}");
        }
        assert!(load("picture.safetensors").patch.is_some());
    }
}

#[test]
fn a_place_that_is_no_folder_is_refused_in_one_line() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("file"), "kept").unwrap();
    for out in ["file", "-", "file/within"] {
        let done = ergodict(folder.path()).args(["demo", "-o", out]).assert().code(2);
        let said = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        assert_eq!(said.lines().count(), 1, "{out}: {said}");
    }
    assert_eq!(std::fs::read(folder.path().join("file")).unwrap(), b"kept");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
