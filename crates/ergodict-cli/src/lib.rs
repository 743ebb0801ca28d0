//! The `ergodict` command line: [`main`] is all that others see. A library, so that it is compiled while the one below it is still being
//! optimized; a program would wait.
//!
//! ```text
//!  arguments ──► args ──► one file per noun ──► stdout: data, stderr: talk, exit code
//! ```

mod args;
mod checkpoints;
mod demo;
mod driver;
mod evaluate;
mod factor;
mod image;
mod input;
mod learning;
mod manual;
mod maps;
mod memory;
mod mixing;
mod model;
mod network;
mod paper;
mod report;
mod reports;
mod spins;
mod summary;
mod text;
mod transform;

use args::{Cli, Verb};
use ergodict_pages::{model as page, recorded, rerun, shell};
use ergodict_terminal::{interrupt, nearest, output, paths, progress, rescue, resolved, verbose};
use std::ffi::OsString;
use std::process::ExitCode;

/// It ran, and found a problem that the user asked about.
const PROBLEM: u8 = 1;

/// Runs the command that the arguments of this process ask for; its exit code.
pub fn main() -> ExitCode {
    run(std::env::args_os().collect())
}

/// The same of other arguments, the name of the program first.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    ergodict_terminal::run(&args::command(), arguments, |Cli { common, verb }| perform(verb, &common))
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
        Verb::Paper(args) => paper::run(&args),
        Verb::Report(args) => report::run(&args, common),
        Verb::Model(args) => model::run(args, common),
        Verb::Demo(args) => demo::run(args, common),
        Verb::Completions(args) => manual::completions(&args),
        Verb::Man(args) => manual::man(&args, common),
    }
}
