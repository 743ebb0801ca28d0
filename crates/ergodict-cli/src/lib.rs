//! The `ergodict` command line: [`main`] is all that others see. A library, so that it is compiled while the one below it is still being
//! optimized; a program would wait.
//!
//! ```text
//!  arguments ──► config ──► args ──► one file per noun ──► stdout: data, stderr: talk, exit code
//! ```

mod again;
mod args;
mod config;
mod demo;
mod edge;
mod evaluate;
mod factor;
mod histogram;
mod image;
mod input;
mod interrupt;
mod learn;
mod manual;
mod maps;
mod marks;
mod memory;
mod mixing;
mod model;
mod nearest;
mod network;
mod output;
mod page;
mod paper;
mod paths;
mod progress;
mod report;
mod rescue;
mod resolved;
mod runs;
mod saving;
mod scheme;
mod sheet;
mod shell;
mod showing;
mod spins;
mod transform;
mod verbose;
mod watched;
mod words;

use args::{Cli, Verb};
use clap::FromArgMatches;
use std::ffi::OsString;
use std::process::ExitCode;

/// It ran, and found a problem that the user asked about.
const PROBLEM: u8 = 1;
/// Bad usage or bad input.
const BAD_INPUT: u8 = 2;

/// Runs the command that the arguments of this process ask for; its exit code.
pub fn main() -> ExitCode {
    let arguments = config::expand(std::env::args_os().collect());
    let done = arguments.and_then(|arguments| parse_and_run(&arguments));
    done.unwrap_or_else(|error| {
        if output::is_broken_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        progress::say(&format!("ergodict: error: {}{}", output::one_line(&error), rescue::advice(&error)));
        ExitCode::from(BAD_INPUT)
    })
}

fn parse_and_run(arguments: &[OsString]) -> anyhow::Result<ExitCode> {
    let cli = args::command();
    let parsed = cli
        .clone()
        .try_get_matches_from(arguments)
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, resolved::Resolved::of(&cli, &matches))));
    match parsed {
        Ok((cli, resolved)) if cli.common.show_config => {
            output::print(&resolved.toml()?)?;
            Ok(ExitCode::SUCCESS)
        }
        Ok((cli, resolved)) => {
            resolved::keep(resolved);
            let common = cli.common.clone();
            verbose::around(&common, || run(cli))
        }
        Err(refusal) => args::explain(&refusal, &cli, arguments),
    }
}

fn run(Cli { common, verb }: Cli) -> anyhow::Result<ExitCode> {
    interrupt::start()?;
    common.start_threads()?;
    perform(verb, &common)
}

/// One verb; the tour performs several.
fn perform(verb: Verb, common: &args::Common) -> anyhow::Result<ExitCode> {
    match verb {
        Verb::Factor(args) => factor::run(&args, common),
        Verb::Transform(args) => transform::run(&args, common),
        Verb::Image(args) => image::run(&args, common),
        Verb::Spins(args) => spins::run(&args, common),
        Verb::Network(args) => network::run(&args, common),
        Verb::Evaluate(args) => evaluate::run(&args, common),
        Verb::Paper(args) => paper::run(&args, common),
        Verb::Report(args) => report::run(&args, common),
        Verb::Model(args) => model::run(args, common),
        Verb::Demo(args) => demo::run(args, common),
        Verb::Completions(args) => manual::completions(&args),
        Verb::Man(args) => manual::man(&args, common),
    }
}
