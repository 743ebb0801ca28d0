//! `ergodict network`: look at networks, convert, make and corrupt them, sample homomorphisms, learn latent motifs.

mod compare;
mod convert;
mod corrupt;
mod denoise;
mod fetch;
mod generate;
mod info;
mod info_time;
pub(crate) mod learn;
mod list;
mod opened;
pub(crate) mod reading;
mod reconstruct;
mod sample;
mod timing;

use crate::args::Common;
use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

/// Inspect, convert and generate networks; learn latent motifs; find false and missing edges; compare
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
    Fetch(fetch::Args),
    Convert(convert::Args),
    Generate(generate::Args),
    Corrupt(corrupt::Args),
    Sample(sample::Args),
    Learn(learn::Args),
    Reconstruct(reconstruct::Args),
    Compare(compare::Args),
    Denoise(denoise::Args),
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    match &args.verb {
        Verb::Info(args) => info::run(args, common),
        Verb::List(args) => list::run(args, common),
        Verb::Fetch(args) => fetch::run(args, common),
        Verb::Convert(args) => convert::run(args, common),
        Verb::Generate(args) => generate::run(args, common),
        Verb::Corrupt(args) => corrupt::run(args, common),
        Verb::Sample(args) => sample::run(args, common),
        Verb::Learn(args) => learn::run(args, common),
        Verb::Reconstruct(args) => reconstruct::run(args, common),
        Verb::Compare(args) => compare::run(args, common),
        Verb::Denoise(args) => denoise::run(args, common),
    }
}
