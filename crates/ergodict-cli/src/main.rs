//! The `ergodict` command line.
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
mod maps;
mod marks;
mod memory;
mod mixing;
mod model;
mod network;
mod output;
mod page;
mod paper;
mod paths;
mod progress;
mod runs;
mod saving;
mod scheme;
mod showing;
mod spins;
mod tracked;
mod transform;
mod watched;

use args::{Cli, Verb};
use clap::Parser;
use std::process::ExitCode;

/// Bad usage or bad input.
const BAD_INPUT: u8 = 2;
/// Stopped by the user.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let arguments = config::expand(std::env::args_os().collect());
    let done = arguments.and_then(|arguments| match Cli::try_parse_from(arguments) {
        Ok(cli) => run(cli),
        Err(refusal) => args::explain(&refusal),
    });
    done.unwrap_or_else(|error| {
        if output::is_broken_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        progress::say(&format!("ergodict: error: {}", output::one_line(&error)));
        ExitCode::from(BAD_INPUT)
    })
}

fn run(Cli { common, verb }: Cli) -> anyhow::Result<ExitCode> {
    common.start_threads()?;
    match verb {
        Verb::Factor(args) => factor::run(&args, &common),
        Verb::Transform(args) => transform::run(&args, &common),
        Verb::Image(args) => image::run(&args, &common),
        Verb::Spins(args) => spins::run(&args, &common),
        Verb::Network(args) => network::run(&args, &common),
        Verb::Evaluate(args) => evaluate::run(&args, &common),
        Verb::Paper(args) => paper::run(&args, &common),
        Verb::Model(args) => model::run(args, &common),
        Verb::Demo(args) => demo::run(args, &common),
    }
}
