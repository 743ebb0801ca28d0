//! `ergodict spins`: simulate spin systems, learn dictionaries from their trajectories, rebuild configurations.

mod learn;
mod page;
mod source;
mod system;

use crate::args::Common;
use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

/// Simulate spin systems, learn from their trajectories, rebuild configurations
#[derive(clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one")]
enum Verb {
    Learn(learn::Args),
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    match &args.verb {
        Verb::Learn(args) => learn::run(args, common),
    }
}
