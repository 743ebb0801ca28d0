//! `ergodict spins`: simulate spin systems, scan temperatures, learn dictionaries from their trajectories, reconstruct configurations.

mod drawing;
mod learn;
mod page;
mod reconstruct;
mod scan;
mod simulate;
mod system;
mod values;
mod whole_steps;

use crate::args::Common;
use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

/// Simulate spin systems, learn from trajectories, reconstruct configurations
#[derive(clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one")]
enum Verb {
    Simulate(simulate::Args),
    Learn(learn::Args),
    Scan(scan::Args),
    Reconstruct(reconstruct::Args),
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    match &args.verb {
        Verb::Simulate(args) => simulate::run(args, common),
        Verb::Learn(args) => learn::run(args, common),
        Verb::Scan(args) => scan::run(args, common),
        Verb::Reconstruct(args) => reconstruct::run(args, common),
    }
}
