//! `ergodict image`: learn dictionaries of patches from images, rebuild and denoise images with them.

mod learn;
mod open;
mod page;
mod reconstruct;

use crate::args::Common;
use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

/// Learn dictionaries of patches from images; rebuild and denoise images with them
#[derive(clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Learn(learn::Args),
    Reconstruct(reconstruct::Args),
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    match &args.verb {
        Verb::Learn(args) => learn::run(args, common),
        Verb::Reconstruct(args) => reconstruct::run(args, common),
    }
}
