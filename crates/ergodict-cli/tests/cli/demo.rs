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

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const MODELS: [&str; 6] = [
    "network.safetensors",
    "picture-iid.safetensors",
    "picture-walk.safetensors",
    "spins-T0.5.safetensors",
    "spins-T2.26.safetensors",
    "spins-T5.safetensors",
];

fn models(out: &Path) -> [Vec<u8>; 6] {
    MODELS.map(|name| std::fs::read(out.join(name)).unwrap())
}

/// Refuses a summary of a demo that did not find what it says it finds.
fn found(summary: &Value, seed: u64) {
    assert_eq!(summary["schema"], "ergodict.demo/1");
    let number = |of: &Value, key: &str| of[key].as_f64().unwrap();
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
        number(network, "auc") > 0.85 && number(network, "denoising_auc") > 0.85,
        "seed {seed}: {network}"
    );
}

#[test]
fn finds_what_it_says_whatever_the_seed_and_the_commands_it_ends_with_work() {
    let folder = TempDir::new().unwrap();
    for (out, seed) in [("out", 1), ("it's a place", 4)] {
        let summary = demo(folder.path(), out, seed);
        found(&summary, seed);
        let commands: Vec<&str> =
            summary["try_next"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
        assert_eq!(commands.len(), 3);
        for command in &commands {
            let shell = std::process::Command::new("sh")
                .args(["-c", command])
                .current_dir(folder.path())
                .output()
                .unwrap();
            assert!(shell.status.success(), "{command}: {}", String::from_utf8_lossy(&shell.stderr));
        }
        let there = names(&folder.path().join(out));
        for name in ["karate.html", "reconstruction.html", "reconstruction.tsv", "comparison.html"] {
            assert!(there.iter().any(|file| file == name), "{name} of {there:?}");
        }
        assert_eq!(summary["models"].as_array().unwrap().len(), MODELS.len());
    }
    let (one, other) = (models(&folder.path().join("out")), models(&folder.path().join("it's a place")));
    assert!(one.iter().zip(&other).all(|(one, other)| one != other), "another seed gives the same model");
}

#[test]
fn writes_its_files_and_nothing_else_and_the_same_seed_gives_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    let done = ergodict(folder.path()).arg("demo").assert().success();
    assert!(done.get_output().stdout.is_empty(), "without --json there is no data");
    let said = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert!(said.contains("Report: ergodict-demo/report.html"), "{said}");
    let out = folder.path().join("ergodict-demo");
    let mut expected = MODELS.map(str::to_owned).to_vec();
    expected.insert(3, "report.html".into());
    assert_eq!(names(&out), expected);

    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    for part in [
        "Network: Les Misérables",
        "Ising model",
        "Atoms at temperature 2.26",
        "Reconstruction",
        "Denoising: ROC curve",
        "Reproduce",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("NaN"), "a number is missing");

    let untimed = |page: &str| {
        let timed = |line: &&str| line.contains("<dt>time</dt>");
        assert_eq!(page.lines().filter(timed).count(), 1);
        page.lines().filter(|line| !timed(line)).collect::<Vec<_>>().join("\n")
    };
    let kept = models(&out);
    let quiet = ergodict(folder.path()).args(["demo", "-q", "-j", "1", "--seed", "0"]).assert().success();
    assert!(quiet.get_output().stderr.is_empty() && quiet.get_output().stdout.is_empty());
    assert!(models(&out) == kept, "models differ");
    let again = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(untimed(&again) == untimed(&page), "the report differs in more than times");
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
