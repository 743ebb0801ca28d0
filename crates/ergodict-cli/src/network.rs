//! `ergodict network`: look at networks, convert, make and corrupt them, sample homomorphisms of motifs.

mod convert;
mod corrupt;
mod generate;
mod info;
mod list;
mod page;
mod reading;
mod recording;
mod sample;
mod sampled;
mod samples;
mod sampling;

use crate::args::Common;
use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

/// Look at networks, convert, make and corrupt them, sample homomorphisms of motifs
#[derive(clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Info(info::Args),
    List(list::Args),
    Convert(convert::Args),
    Generate(generate::Args),
    Corrupt(corrupt::Args),
    Sample(sample::Args),
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    match &args.verb {
        Verb::Info(args) => info::run(args, common),
        Verb::List(args) => list::run(args, common),
        Verb::Convert(args) => convert::run(args, common),
        Verb::Generate(args) => generate::run(args, common),
        Verb::Corrupt(args) => corrupt::run(args, common),
        Verb::Sample(args) => sample::run(args, common),
    }
}
