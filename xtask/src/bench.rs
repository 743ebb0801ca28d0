//! `cargo xtask bench`: the benchmarks of `benchsuite`, optimized.

use crate::{instructions, place, scale};
use anyhow::{Context, Result};

/// Runs benchsuite with the arguments as given; true if it succeeded.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    match arguments.split_first().map(|(word, rest)| (word.as_str(), rest)) {
        Some(("scale", rest)) => return scale::run(rest),
        Some(("--compare", rest)) => return instructions::run(rest),
        _ => {}
    }
    let mut bench = place::cargo("run --locked --release --quiet --package benchsuite --");
    let status = bench.args(arguments).status().context("cannot start cargo")?;
    Ok(status.success())
}
