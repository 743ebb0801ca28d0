//! `ergodict paper`: where the paper's experiments went.

use anyhow::{Result, bail};
use ergodict_pages::shell::quoted;
use std::process::ExitCode;

/// The paper's experiments, which are a program of their own
#[derive(clap::Args)]
#[command(hide = true, disable_help_flag = true)]
pub(crate) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let words: Vec<String> = args.words.iter().map(|word| quoted(word)).collect();
    let words = if words.is_empty() { "--help".to_owned() } else { words.join(" ") };
    bail!(
        "the paper's experiments are a program of their own: cargo run --release -p ergodict-paper -- {words}"
    )
}
