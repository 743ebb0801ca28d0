//! The public networks that benchmarks read, where they are kept.

use anyhow::{Context, Result};
use ergodict::data::{Network, ReadOptions, read_network};
use std::path::PathBuf;

/// The network in a file of `$ERGODICT_DATA`, else of `../shared/data`.
pub(crate) fn open(name: &str) -> Result<Network> {
    let folder =
        std::env::var_os("ERGODICT_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let (network, _) = read_network(&folder.join(name), &ReadOptions::default())
        .with_context(|| format!("{name}: needed in ../shared/data or $ERGODICT_DATA"))?;
    Ok(network)
}
