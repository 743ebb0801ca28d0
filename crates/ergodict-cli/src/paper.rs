//! `ergodict paper`: the paper's experiments run again, beside what it prints.

mod all;
mod cases;
mod convergence;
mod denoising;
mod figure_denoising;
mod figure_image;
mod figure_ising;
mod figure_ndl;
mod number;
mod outcome;
mod place;
mod records;
mod spread;
mod table_denoising;

use crate::args::Common;
use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

/// Run the paper's experiments again, and set the results beside the printed ones
#[derive(clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    All(all::Args),
    FigureImage(figure_image::Args),
    FigureIsing(figure_ising::Args),
    FigureNdl(figure_ndl::Args),
    FigureDenoising(figure_denoising::Args),
    TableDenoising(table_denoising::Args),
    Convergence(convergence::Args),
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    match &args.what {
        What::All(args) => all::run(args, common),
        What::FigureImage(args) => figure_image::run(args, common),
        What::FigureIsing(args) => figure_ising::run(args, common),
        What::FigureNdl(args) => figure_ndl::run(args, common),
        What::FigureDenoising(args) => figure_denoising::run(args, common),
        What::TableDenoising(args) => table_denoising::run(args, common),
        What::Convergence(args) => convergence::run(args, common),
    }
}
