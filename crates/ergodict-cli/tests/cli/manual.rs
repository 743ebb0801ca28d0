//! `ergodict completions` in a real shell, and man pages that the system's own formatter takes without a warning.

use crate::bench::Bench;
use std::process::{Command, Stdio};

/// Whether a program is there; said loudly where it is not.
fn has(program: &str) -> bool {
    let there =
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        eprintln!(
            "SKIPPED: {program} is not installed, so that what it makes of our output was not looked at"
        );
        assert!(std::env::var_os("CI").is_none() || program != "bash", "bash is needed in CI");
    }
    there
}

/// What bash offers after these words, the last of which is being typed.
fn offered(bench: &Bench, words: &[&str]) -> Vec<String> {
    let script = format!(
        "source complete.bash; COMP_WORDS=({0}); COMP_CWORD={1}; COMP_LINE={0:?}; COMP_POINT=${{#COMP_LINE}}; \
         _ergodict ergodict \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        words.len() - 1
    );
    let mut bash = Command::new("bash");
    let done = bash.args(["--norc", "-c", &script]).current_dir(bench.path(".")).output().unwrap();
    assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_flags_and_values() {
    if !has("bash") {
        return;
    }
    let bench = Bench::new();
    let script = bench.run("completions bash").fine();
    assert!(script.stderr.is_empty());
    bench.put("complete.bash", &script.stdout);
    assert_eq!(offered(&bench, &["ergodict", "netw"]), ["network"]);
    assert_eq!(offered(&bench, &["ergodict", "network", "le"]), ["learn"]);
    assert_eq!(offered(&bench, &["ergodict", "network", "learn", "--stat"]), ["--static"]);
    assert_eq!(offered(&bench, &["ergodict", "spins", "simulate", "--model", "cell"]), ["cellular-potts"]);
    assert_eq!(offered(&bench, &["ergodict", "completions", "z"]), ["zsh"]);
    let of_flag = |flag, start| offered(&bench, &["ergodict", "network", "learn", flag, start]);
    assert_eq!(of_flag("--sampler", "pivot-"), ["pivot-approx"]);
    assert_eq!(of_flag("--schedule", "bal"), ["balanced"]);
    assert_eq!(offered(&bench, &["ergodict", "network", "denoise", "--method", "jac"]), ["jaccard"]);
    // `@` parts words, so that what is offered stands after it.
    assert_eq!(offered(&bench, &["ergodict", "network", "info", "@les"]), ["lesmis"]);
    assert_eq!(offered(&bench, &["ergodict", "image", "learn", "@"]), ["tessellation", "tessellation-noisy"]);
}

#[test]
fn help_is_a_command() {
    let bench = Bench::new();
    for (help, same) in
        [("help network learn", "network learn --help"), ("help", "--help"), ("help spins", "spins --help")]
    {
        assert_eq!(bench.run(help).fine().stdout, bench.run(same).fine().stdout, "{help}");
    }
    let done = bench.run("help netwrok");
    assert!(done.code == Some(2) && done.stderr.contains("did you mean 'network'?"), "{}", done.stderr);
}

#[test]
fn commands_are_found_across_nouns() {
    let bench = Bench::new();
    for (words, meant) in [
        ("denoise @karate", "'network denoise' or 'image denoise'?"),
        ("learn @karate -r 9", "'network learn', 'spins learn' or 'image learn'?"),
        ("compare a b", "'network compare'?"),
        ("network dennoise x", "'network denoise'?"),
    ] {
        let done = bench.run(words);
        assert!(
            done.code == Some(2) && done.stderr.contains(&format!("did you mean {meant}")),
            "{}",
            done.stderr
        );
    }
}

#[test]
fn every_shell_has_a_script() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = String::from_utf8(bench.run(&format!("completions {shell}")).fine().stdout).unwrap();
        for word in ["network", "reconstruct", "checkpoint"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let done = bench.run("completions bas");
    assert!(done.code == Some(2) && done.stderr.contains("did you mean 'bash'?"), "{}", done.stderr);
}

#[test]
fn man_pages_are_well_formed() {
    let bench = Bench::new();
    let top = String::from_utf8(bench.run("man").fine().stdout).unwrap();
    assert!(top.contains(".TH ergodict 1") && top.contains("ergodict demo"), "{top}");
    let learn = String::from_utf8(bench.run("man network learn").fine().stdout).unwrap();
    assert!(learn.contains(".TH ergodict-network-learn 1") && learn.contains(".SH EXAMPLES"), "{learn}");
    let done = bench.run("man network lern");
    assert!(done.code == Some(2) && done.stderr.contains("did you mean 'network learn'?"), "{}", done.stderr);
    let done = bench.run("man -o pages").fine();
    assert!(done.stderr.contains("pages"));
    let mut pages: Vec<_> =
        std::fs::read_dir(bench.path("pages")).unwrap().map(|page| page.unwrap().path()).collect();
    pages.sort();
    let names: Vec<_> = pages.iter().map(|page| page.file_name().unwrap().to_str().unwrap()).collect();
    for name in ["ergodict.1", "ergodict-network.1", "ergodict-network-generate-er.1", "ergodict-man.1"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    if has("groff") {
        let mut groff = Command::new("groff");
        let done = groff.args(["-ww", "-man", "-z", "-Kutf8", "-Tutf8"]).args(&pages).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() && said.is_empty(), "{said}");
    }
}
