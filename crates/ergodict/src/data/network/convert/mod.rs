//! Makes an `.egr` file of a network in any format, of more edges than fit in memory.
//!
//! | step | in memory | in files |
//! |---|---|---|
//! | edges are read; arcs `(u, v)` and `(v, u)` are sorted, a run at a time: `F`, `B` | integers that name nodes, a run | sorted runs |
//! | runs are merged, `F` and `B` read side by side: the rows | integers that name nodes | rows |
//! | sections are put together | | the result |
//!
//! Arcs are of the integers that the list has, which ascend as the nodes do; where names are words, or integers of 2³² and
//! more, nodes are numbered first, which takes their names in memory and the edges in one more file. The bytes are those of
//! [`Network::build`](super::Network::build) written whole: weights of the same arc are added in the order of the list,
//! then those of both directions.

mod folder;
pub(super) mod gather;
pub(super) mod labels;
mod list;
mod matrix;
mod names;
mod nodes;
pub(super) mod rows;
mod sort;
mod spool;
mod table;

use super::read::{self, NetworkFormat, ReadDecisions, ReadOptions};
use super::{EdgeCounts, adjacency_table, egr};
use crate::data::{Input, open, write_atomic};
use crate::error::Problem;
use crate::{Error, Result};
use folder::{Folder, Head};
use gather::{Converting, Task};
use list::of_list;
use matrix::{of_egr, of_matrix_market, of_npz};
use std::path::{Path, PathBuf};

/// How a network is made into an `.egr` file.
///
/// ```
/// use ergodict::data::{Conversion, ReadOptions};
/// let folder = std::env::temp_dir().join(format!("ergodict-conversion-{}", std::process::id()));
/// std::fs::create_dir(&folder).unwrap();
/// let (text, out) = (folder.join("a.txt"), folder.join("a.egr"));
/// std::fs::write(&text, "1 2\n2 3\n").unwrap();
/// let small = Conversion { memory: 1 << 20, ..Conversion::default() };
/// let decisions = small.run(&text, &ReadOptions::default(), &out, &mut |_| true)?;
/// assert!(decisions.is_some() && out.exists());
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conversion {
    /// Bytes of memory to take: arcs, text, buffers, and integers below 2³² that name nodes. Below 1 MiB it takes more than
    /// this. Other names take more: about 45 bytes a node for larger integers, 110 for a word of ten letters.
    pub memory: usize,
    /// Whether sorted runs are kept in the folder `OUT.converting` until all is done, so that a conversion that was stopped or killed
    /// can go on. Inputs that can be read only once keep nothing.
    pub keep: bool,
    /// Whether to go on from what such a conversion left, if it did.
    pub resume: bool,
}

impl Default for Conversion {
    /// A gibibyte; nothing is kept.
    fn default() -> Self {
        Self { memory: 1 << 30, keep: false, resume: false }
    }
}

impl Conversion {
    /// The folder that a conversion to `out` keeps what it has sorted in until it is done.
    pub fn folder(out: &Path) -> PathBuf {
        Folder::beside(out)
    }

    /// Makes an `.egr` file of a network in a file of any format. The bytes are those that
    /// [`write_network`](super::write_network) makes of what [`read_network`](super::read_network) reads. Files next to `out`
    /// take about 24 bytes an edge, with weights 72, and 8 a node, directed 16; lists with names that are no integers below 2³² take 8
    /// more an edge, with weights 16, and where there are more runs than are merged at once, 16 or 32 more. Few edges take none.
    ///
    /// `progress` is called with how far it is; when it returns false the work stops and none is returned.
    ///
    /// # Errors
    /// As [`read_network`](super::read_network) and [`write_network`](super::write_network); [`Error::Format`] for what
    /// another conversion left where it is not to be gone on from, or cannot be.
    pub fn run(
        &self,
        path: &Path,
        options: &ReadOptions,
        out: &Path,
        progress: &mut dyn FnMut(Converting) -> bool,
    ) -> Result<Option<ReadDecisions>> {
        let mut input = open(path)?;
        let format = NetworkFormat::detect(path, &mut input, &options.table)?;
        let keep = if self.keep && !input.is_read_once() {
            Some(Head::from_file(path, format!("{options:?}"))?)
        } else {
            None
        };
        let left = Folder::beside(out);
        if keep.is_some() && !left.is_dir() && left.symlink_metadata().is_ok() {
            let problem =
                "is no folder, but what is sorted is kept in a folder of this name: rename or delete it";
            return Err(Error::format(&left, None, problem));
        }
        if keep.is_some() && !self.resume && left.exists() {
            let problem = "holds what an interrupted conversion has sorted: delete it, or continue from it";
            return Err(Problem::hinting(problem, "resume", "true").at(&left, None));
        }
        let folder = match &keep {
            Some(head) if self.resume => Folder::open(out, head)?,
            _ => None,
        };
        let mut task =
            Task { input: path, out, within: None, keep, folder, found: EdgeCounts::default(), progress };
        let budget = self.memory;
        let made = match format {
            NetworkFormat::MatrixMarket => of_matrix_market(&mut task, input, options, budget),
            NetworkFormat::SparseNpz => of_npz(&mut task, &input, options, budget),
            NetworkFormat::Egr => of_egr(&mut task, input, options, budget),
            format if format.is_graph_file() => whole(&mut task, input, options, budget),
            // What is in memory is in no file.
            _ => {
                if adjacency_table::recognize(path, &input.peek(adjacency_table::START)?, options)? {
                    whole(&mut task, input, options, budget)
                } else {
                    of_list(&mut task, input, options, budget)
                }
            }
        };
        match made {
            Err(Error::Interrupted) => Ok(None),
            // There may be room on the disk another time.
            Err(error @ Error::Io { .. }) => Err(error),
            done => {
                if let Some(folder) = task.folder {
                    folder.remove();
                }
                done.map(Some)
            }
        }
    }
}

/// A network of a format that is read whole, if its file is no larger than the memory.
fn whole(task: &mut Task<'_>, input: Input, options: &ReadOptions, budget: usize) -> Result<ReadDecisions> {
    let (path, out) = (task.input, task.out);
    let bytes = path.metadata().map_or(0, |file| file.len());
    if bytes > budget as u64 {
        let problem = format!(
            "has {bytes} bytes of a format that is converted in memory, of which {budget} bytes are to be used: expected more \
             memory, or an edge list, which takes any size"
        );
        return Err(Error::format(path, None, problem));
    }
    let (network, decisions) = read::read_input(path, input, options)?;
    task.report(Converting::Merging(network.stored(), network.stored()))?;
    write_atomic(out, |file| egr::write(&network, file).map_err(Error::io(out)))?;
    Ok(decisions)
}

/// As [`Conversion::run`] in about `budget` bytes of memory, of which nothing is kept when it is stopped. `progress` gets a
/// number of edges that were read and then of arcs that were put into rows.
///
/// ```
/// use ergodict::data::{ReadOptions, convert_network, read_network};
/// let folder = std::env::temp_dir().join(format!("ergodict-convert-{}", std::process::id()));
/// std::fs::create_dir(&folder).unwrap();
/// let (text, out) = (folder.join("a.txt"), folder.join("a.egr"));
/// std::fs::write(&text, "1 2\n2 3\n").unwrap();
/// convert_network(&text, &ReadOptions::default(), &out, 1 << 20, &mut |_| true)?;
/// assert_eq!(read_network(&out, &ReadOptions::default())?.0.edges(), 2);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`Conversion::run`].
pub fn convert_network(
    path: &Path,
    options: &ReadOptions,
    out: &Path,
    budget: usize,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<ReadDecisions>> {
    let mut read = 0;
    let mut counted = |now| {
        progress(match now {
            Converting::Reading(edges) => {
                read = edges;
                edges
            }
            Converting::Merging(arcs, _) => read + arcs,
        })
    };
    Conversion { memory: budget, ..Conversion::default() }.run(path, options, out, &mut counted)
}
