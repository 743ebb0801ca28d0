//! The program `ergodict-paper`: the paper's experiments run again, next to what it prints. [`main`] is all that others see.

mod all;
mod baselines;
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
mod score;
mod sheet;
mod spread;
mod table_denoising;

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};
use ergodict_terminal::Common;
use std::process::ExitCode;

/// Run the paper's experiments again and compare the results with the printed ones
#[derive(Parser)]
#[command(name = "ergodict-paper", version, args_override_self = true, disable_help_subcommand = true)]
#[command(max_term_width = 110, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    common: Common,
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
    Score(score::Args),
}

/// Runs the experiment that the arguments of this process ask for; its exit code.
pub fn main() -> ExitCode {
    let cli = ergodict_terminal::help::complete(Cli::command());
    ergodict_terminal::run(&cli, std::env::args_os().collect(), |Cli { common, what }| {
        perform(&what, &common)
    })
}

fn perform(what: &What, common: &Common) -> Result<ExitCode> {
    match what {
        What::All(args) => all::run(args, common),
        What::FigureImage(args) => figure_image::run(args, common),
        What::FigureIsing(args) => figure_ising::run(args, common),
        What::FigureNdl(args) => figure_ndl::run(args, common),
        What::FigureDenoising(args) => figure_denoising::run(args, common),
        What::TableDenoising(args) => table_denoising::run(args, common),
        What::Convergence(args) => convergence::run(args, common),
        What::Score(args) => score::run(args, common),
    }
}
