//! Public networks, fetched from their publishers.

use crate::error::to_py_err;
use crate::network::Network;
use crate::work::long;
use ergodict::Error;
use ergodict::data::fetch::{Fetch, original};
use pyo3::prelude::*;
use std::path::PathBuf;

/// The network of that name, from its file in a folder, which is fetched where it is missing.
#[pyfunction]
#[pyo3(signature = (name, folder, source=None, keep=false, unchecked=false, progress=None))]
pub(crate) fn fetch_network(
    py: Python<'_>,
    name: &str,
    folder: PathBuf,
    source: Option<String>,
    keep: bool,
    unchecked: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Network> {
    let original = original(name).map_err(to_py_err)?;
    let out = folder.join(format!("{}.txt.gz", original.name));
    let fetch = Fetch { from: source, unchecked, keep: keep.then_some(folder), ..Fetch::default() };
    let work = |watch: &crate::work::Watch| {
        let written = fetch.write(original, &out, &mut |now| {
            watch.at(now.bytes, now.total.unwrap_or(0));
            !watch.stopped()
        });
        written.map(|(network, _)| network).map_err(|error| match error {
            Error::Fetch { from, problem } => {
                let by_hand = format!("download {} (elsewhere, if there is no network here)", original.url);
                Error::Fetch {
                    from,
                    problem: format!("{problem}; by hand: {by_hand}, and name the file by source"),
                }
            }
            other => other,
        })
    };
    long(py, Some(-1), progress, work).map(Network::from)
}
