//! `cargo xtask bench --compare`: instructions of eight kernels, counted by callgrind, next to those in the repository.
//!
//! Unlike times, counts hardly depend on what else the machine does. They do on the compiler and, where kernels are chosen at run time,
//! on the processor: callgrind knows no AVX-512, so they are those of AVX2.

use crate::place::{cargo, command, name, root, stdout, succeed, target};
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;

const FILE: &str = "benchsuite/instructions.tsv";
/// How often a kernel runs; its start-up and its data are taken off by a run without it.
const TIMES: u64 = 4;
/// Share by which a count may grow or shrink.
const TOLERANCE: f64 = 0.02;

/// Counts, prints the table, and with `--update` writes the file; true if no count has grown.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let update = match arguments {
        [] => false,
        [word] if word == "--update" => true,
        _ => bail!("usage: cargo xtask bench --compare [--update]"),
    };
    succeed(&mut cargo("build --locked --release --package benchsuite"))?;
    let program = target()?.join("release/benchsuite");
    let kept = std::fs::read_to_string(root().join(FILE)).unwrap_or_default();
    let kernels = stdout(command(&program).arg("count"))?;
    let (mut counts, mut fine) = (String::new(), true);
    println!("| kernel | instructions | in the repository | change |\n|---|---|---|---|");
    for kernel in kernels.lines() {
        let count = |times: u64| -> Result<u64> {
            let mut valgrind = command("valgrind");
            valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(&program);
            valgrind.args(["count", kernel, &times.to_string()]);
            let output = valgrind.output().context("cannot start valgrind (Debian: valgrind)")?;
            let talk = String::from_utf8_lossy(&output.stderr);
            collected(&talk).with_context(|| format!("{} counted nothing\n{talk}", name(&valgrind)))
        };
        let found = (count(TIMES)? - count(0)?) / TIMES;
        writeln!(counts, "{kernel}\t{found}")?;
        match earlier(&kept, kernel) {
            Some(before) => {
                let change = found as f64 / before as f64 - 1.0;
                let grown = change > TOLERANCE;
                fine &= !grown;
                let word = if grown { " **more**" } else { "" };
                println!("| {kernel} | {found} | {before} | {:+.1} %{word} |", 100.0 * change);
            }
            None => println!("| {kernel} | {found} | – | – |"),
        }
    }
    if update {
        std::fs::write(root().join(FILE), counts).with_context(|| format!("cannot write {FILE}"))?;
        println!("wrote {FILE}");
        return Ok(true);
    }
    if !fine {
        println!(
            "Some counts have grown by more than {:.0} %; if that is meant: --update",
            100.0 * TOLERANCE
        );
    }
    Ok(fine)
}

/// The count in what callgrind says at its end.
fn collected(talk: &str) -> Option<u64> {
    let line = talk.lines().find_map(|line| line.split_once("Collected :"))?.1;
    line.trim().parse().ok()
}

/// The count of a kernel in the file.
fn earlier(kept: &str, kernel: &str) -> Option<u64> {
    kept.lines().find_map(|line| line.split_once('\t').filter(|(name, _)| *name == kernel)?.1.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        assert_eq!(collected("==7== Events    : Ir\n==7== Collected : 123456\n==7==\n"), Some(123_456));
        assert_eq!(collected("==7== Collected : many\n"), None);
        assert_eq!(earlier("a\t12\nb\t34\n", "b"), Some(34));
        assert_eq!(earlier("ab\t12\n", "b"), None);
    }
}
