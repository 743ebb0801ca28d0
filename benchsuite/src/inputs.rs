//! The public networks that benchmarks read, where they are kept.

use anyhow::{Context, Result};
use ergodict::data::{Network, ReadOptions, read_network};
use std::path::PathBuf;

/// `$ERGODICT_DATA`, else `../shared/data`.
pub(crate) fn folder() -> PathBuf {
    std::env::var_os("ERGODICT_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from)
}

/// The network in a file of that folder.
pub(crate) fn open(name: &str) -> Result<Network> {
    let (network, _) = read_network(&folder().join(name), &ReadOptions::default())
        .with_context(|| format!("{name}: needed in ../shared/data or $ERGODICT_DATA"))?;
    Ok(network)
}
