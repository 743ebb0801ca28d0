//! The command line: the verbs, and the flags they share. Help and `--config` are made from it.

use crate::BAD_INPUT;
use anyhow::{Result, anyhow, bail};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Dictionaries of interpretable atoms, learned online from dependent data.
#[derive(Parser)]
#[command(name = "ergodict", version, args_override_self = true, disable_help_subcommand = true)]
#[command(max_term_width = 110, subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "Start with `ergodict demo`; `ergodict VERB --help` shows defaults and an example.")]
pub(crate) struct Cli {
    /// What every verb knows.
    #[command(flatten)]
    pub(crate) common: Common,
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// One file per noun.
#[derive(Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one")]
pub(crate) enum Verb {
    Factor(crate::factor::Args),
    Transform(crate::transform::Args),
    Image(crate::image::Args),
    Spins(crate::spins::Args),
    Network(crate::network::Args),
    Evaluate(crate::evaluate::Args),
    Paper(crate::paper::Args),
    Report(crate::report::Args),
    Model(crate::model::Args),
    Demo(crate::demo::Args),
}

/// What every verb knows.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// The seed; the same one gives the same bytes
    #[arg(long, global = true, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Threads to use, which never changes results [default: all cores]
    #[arg(short = 'j', long, global = true, value_name = "N", allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
    /// Say nothing but errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Say more
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Print a summary as JSON on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Flags from a TOML file, or those a model was learned with; the command line overrides them
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

impl Common {
    /// Starts the threads that all work shares.
    pub(crate) fn start_threads(&self) -> Result<()> {
        if self.threads == Some(0) {
            bail!("--threads is 0, but at least one is needed (leave it out to use all cores)");
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0));
        pool.build_global().map_err(|e| anyhow!("the threads cannot be started: {e}"))
    }
}

/// A whole number, also as `5e6`.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    let whole = |x: &f64| x.fract() == 0.0 && (0.0..=9e15).contains(x);
    match (text.parse(), text.parse::<f64>()) {
        (Ok(count), _) => Ok(count),
        (_, Ok(x)) if whole(&x) => Ok(x as u64),
        _ => Err("expected a whole number, for instance 5000000 or 5e6".into()),
    }
}

/// What to write where a value stands apart from a flag that takes it only by `=`.
fn joined(refusal: &clap::Error, arguments: impl Iterator<Item = String>) -> Option<String> {
    let Some(ContextValue::String(value)) = refusal.get(ContextKind::InvalidArg) else { return None };
    let arguments: Vec<String> = arguments.collect();
    let at = arguments.iter().position(|argument| argument == value)?;
    let flag = arguments.get(at.checked_sub(1)?)?;
    ["--denoise", "--fixed", "--colour", "--shuffle", "--missing"]
        .contains(&&**flag)
        .then(|| format!("; a value of {flag} is written {flag}={value}"))
}

/// What clap has to say instead of running: help and version as they are, refusals as an error of one line.
pub(crate) fn explain(refusal: &clap::Error) -> Result<ExitCode> {
    if !refusal.use_stderr() || refusal.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        refusal.print()?;
        return Ok(if refusal.use_stderr() { ExitCode::from(BAD_INPUT) } else { ExitCode::SUCCESS });
    }
    let text = refusal.render().to_string();
    let words = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts = text.split("\n\n").map(words);
    let parts = parts.filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more information"));
    let line = parts.collect::<Vec<_>>().join("; ");
    let line = line.strip_prefix("error: ").unwrap_or(&line);
    bail!("{line}{}", joined(refusal, std::env::args()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn counts_are_whole_numbers_however_they_are_written() {
        assert_eq!((count("12"), count("5e6"), count("1.5e3")), (Ok(12), Ok(5_000_000), Ok(1500)));
        assert_eq!(count("18446744073709551615"), Ok(u64::MAX));
        for bad in ["-1", "0.5", "1e30", "nan", "x", ""] {
            assert!(count(bad).is_err(), "{bad}");
        }
    }
}
