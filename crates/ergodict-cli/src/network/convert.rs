//! `ergodict network convert`: a network in another format.

use super::reading::{self, Reading};
use crate::args::Common;
use crate::progress::{Progress, say};
use crate::tracked::table;
use crate::{INTERRUPTED, interrupt, memory, output, paths};
use anyhow::Result;
use ergodict::data::{convert_edge_list, write_network};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
The format to write is told by the name: .egr (ours, opened without reading it: a memory map), .mtx (MatrixMarket), .npz
(scipy), anything else is an edge list, compressed where the name ends in .gz or .zst.

Example:
  ergodict network convert edges.txt.gz -o network.egr
  ergodict network convert network.egr -o network.mtx";

/// Write a network in another format, such as .egr, which opens at once
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The network: an edge list, MatrixMarket, scipy .npz or .egr, - for standard input, or a name such as @karate
    #[arg(value_name = "NET")]
    net: PathBuf,
    /// The file to write: .egr, .mtx, .npz, or an edge list
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Memory for sorting an edge list on its way to .egr; what does not fit is sorted on disk, beside the output
    #[arg(long, value_name = "MIB", default_value_t = 1024, hide_short_help = true)]
    memory: u64,
    #[command(flatten)]
    reading: Reading,
}
