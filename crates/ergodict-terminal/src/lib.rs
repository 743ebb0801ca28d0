//! What the programs of ergodict share: from arguments to an exit code.
//!
//! ```text
//!  arguments ──► config ──► clap ──► a verb ──► stdout: data, stderr: messages, exit code
//!                             └────► refusal: an error of one line
//! ```

#![expect(clippy::missing_errors_doc, reason = "errors are lines for people, whose words say what is wrong")]

mod common;
mod config;
pub mod figures;
pub mod help;
mod inputs;
pub mod interrupt;
pub mod nearest;
pub mod output;
pub mod paths;
pub mod progress;
pub mod refusal;
mod repeated;
pub mod rescue;
pub mod resolved;
pub mod verbose;

pub use common::Common;

use clap::{Command, FromArgMatches};
use resolved::Resolved;
use std::ffi::OsString;
use std::process::ExitCode;

/// The exit code of bad usage or bad input.
pub const BAD_INPUT: u8 = 2;

/// Runs the command that arguments ask for, those of a process with its name; its exit code.
///
/// `cli` has the flags of [`Common`], and `perform` is called with what was parsed.
pub fn run<C: FromArgMatches>(
    cli: &Command,
    arguments: Vec<OsString>,
    perform: impl FnOnce(C) -> anyhow::Result<ExitCode>,
) -> ExitCode {
    let arguments = with_help(arguments);
    let arguments = repeated::refuse(cli, &arguments).and_then(|()| config::expand(cli, arguments));
    let done = arguments.and_then(|arguments| parse_and_run(cli, &arguments, perform));
    done.unwrap_or_else(|error| {
        if output::is_broken_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        let (line, advice) = (output::one_line(&error), rescue::advice(&error));
        progress::say(&format!("{}: error: {line}{advice}", cli.get_name()));
        ExitCode::from(BAD_INPUT)
    })
}

/// `ergodict help network learn` as `ergodict network learn --help`.
fn with_help(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_some_and(|word| word == "help") {
        arguments.remove(1);
        arguments.push("--help".into());
    }
    arguments
}

fn parse_and_run<C: FromArgMatches>(
    cli: &Command,
    arguments: &[OsString],
    perform: impl FnOnce(C) -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    let parsed = cli.clone().try_get_matches_from(arguments).and_then(|matches| {
        let common = Common::from_arg_matches(&matches)?;
        Ok((common, C::from_arg_matches(&matches)?, Resolved::from_matches(cli, &matches)))
    });
    match parsed {
        Ok((common, _, resolved)) if common.show_config => {
            output::print(&resolved.toml()?)?;
            Ok(ExitCode::SUCCESS)
        }
        Ok((common, verb, resolved)) => {
            resolved::keep(resolved);
            inputs::watch(cli.get_name());
            verbose::around(cli.get_name(), &common, || {
                interrupt::start(cli.get_name())?;
                common.start_threads()?;
                let code = perform(verb)?;
                // What was printed has no file that could be withheld.
                ergodict::data::check_inputs()?;
                Ok(code)
            })
        }
        Err(refusal) => refusal::explain(&refusal, cli, arguments),
    }
}
