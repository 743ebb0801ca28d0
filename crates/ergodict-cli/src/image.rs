//! `ergodict image`: learn dictionaries of patches from images, reconstruct images with them, remove noise.

mod denoise;
mod learn;
mod open;
mod page;
mod reconstruct;
mod result;

use crate::args::Common;
use anyhow::{Result, bail};
use clap::Subcommand;
use ergodict::model::Model;
use ergodict::patch::PatchKind;
use std::path::Path;
use std::process::ExitCode;

/// Learn dictionaries of patches from images; reconstruct and denoise images
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
    Denoise(denoise::Args),
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    match &args.verb {
        Verb::Learn(args) => learn::run(args, common),
        Verb::Denoise(args) => denoise::run(args, common),
        Verb::Reconstruct(args) => reconstruct::run(args, common),
    }
}

/// What the atoms of a model are patches of, if it is images.
fn patch_of(model: &Model, path: &Path) -> Result<PatchKind> {
    let Some(patch) = model.patch.filter(|patch| patch.spins.is_none()) else {
        bail!(
            "{}: its atoms are {}, not patches of images: learn such a dictionary with `ergodict image learn`",
            path.display(),
            if model.patch.is_some() {
                "patches of spin configurations"
            } else if model.network.is_some() {
                "patches of networks"
            } else {
                "plain samples"
            }
        );
    };
    Ok(patch)
}
