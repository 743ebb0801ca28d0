//! The short help of every verb, as it is printed. After a change: `TRYCMD=overwrite cargo test -p ergodict-cli help`.

use crate::bench::Bench;

#[test]
fn short_help() {
    trycmd::TestCases::new().case("tests/cli/help/*.trycmd");
}

#[test]
fn long_help_shows_defaults_and_an_example() {
    let bench = Bench::new();
    for verb in [
        "factor",
        "transform",
        "spins simulate",
        "spins learn",
        "spins reconstruct",
        "image learn",
        "image reconstruct",
        "network info",
        "network list",
        "network convert",
        "network generate",
        "network generate er",
        "network generate ba",
        "network generate ws",
        "network generate sbm",
        "network generate configuration",
        "network generate rmat",
        "network corrupt",
        "network sample",
        "network learn",
        "network reconstruct",
        "network compare",
        "network denoise",
        "evaluate",
        "paper table-denoising",
        "paper figure-ndl",
        "model show",
        "model export",
        "demo",
    ] {
        let done = bench.run(&format!("{verb} --help")).fine();
        let help = String::from_utf8(done.stdout).unwrap();
        assert!(help.contains("Example") && help.contains(&format!("ergodict {verb}")), "{verb}: {help}");
        assert!(!help.contains('\u{1b}') && done.stderr.is_empty());
    }
    let help = String::from_utf8(bench.run("factor --help").stdout).unwrap();
    for default in
        ["[default: balanced]", "[default: nonneg-ball]", "[default: fast]", "[default: 256]", "[default: 1]"]
    {
        assert!(help.contains(default), "{default} is not in {help}");
    }
}
