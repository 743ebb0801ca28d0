//! `cargo xtask bench`: the benchmarks of `benchsuite`, optimized.

use crate::{place, scale};
use anyhow::{Context, Result};

/// Runs benchsuite with the arguments as given; true if it succeeded.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    if let Some(("scale", rest)) = arguments.split_first().map(|(word, rest)| (word.as_str(), rest)) {
        return scale::run(rest);
    }
    let mut bench = place::cargo("run --locked --release --quiet --package benchsuite --");
    let status = bench.args(arguments).status().context("cannot start cargo")?;
    Ok(status.success())
}
