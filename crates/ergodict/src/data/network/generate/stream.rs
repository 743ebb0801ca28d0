//! Writes random networks that do not fit in memory: edges go to sorted runs as they are drawn.

use super::super::convert::gather::{Batch, Converting, Outcome, Plan, Task, convert};
use super::super::convert::labels::Labels;
use super::super::convert::rows::Meaning;
use super::super::{EdgeCounts, Loops, NodeIds, Saved, egr, save};
use super::Generator;
use crate::rng::{Purpose, ids, stream};
use crate::{Error, Result};
use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::sync_channel;

/// Edges that are handed over at a time.
const BATCH: usize = 1 << 13;

/// What was written of a random network.
///
/// ```
/// use ergodict::data::generate::{Generator, WattsStrogatz};
/// let path = std::env::temp_dir().join(format!("ergodict-generated-{}.txt", std::process::id()));
/// let written = Generator::from(WattsStrogatz::new(10, 4, 0.0)?).write(0, &path, 1 << 20, None)?;
/// assert_eq!((written.nodes, written.edges, written.saved.lost), (10, 20, None));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Generated {
    /// Number of nodes.
    pub nodes: u64,
    /// Number of edges.
    pub edges: u64,
    /// What the format could not keep.
    pub saved: Saved,
}

impl Generator {
    /// Whether edges are drawn one by one and forgotten, so that a network can be written that does not fit in memory.
    pub fn is_streamed(&self) -> bool {
        self.each_edge_is_known()
    }

    /// Writes the network of a seed in about `memory` bytes of memory, where edges are drawn one by one, and else
    /// in what their list takes too. The bytes are those of [`Generator::generate`] written by
    /// [`write_network_with_note`](crate::data::write_network_with_note), which states the format.
    ///
    /// # Errors
    /// As [`write_network`](crate::data::write_network).
    pub fn write(&self, seed: u64, path: &Path, memory: usize, note: Option<&str>) -> Result<Generated> {
        if save::is_egr(path)? {
            let made = self.write_egr(seed, path, None, memory)?;
            return Ok(Generated { nodes: made.nodes, edges: made.edges, saved: Saved::default() });
        }
        // Other formats are written out of a mapped file without a name, which is gone with the program however it ends.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = tempfile::tempfile_in(folder).map_err(Error::io(folder))?;
        let within = file.try_clone().map_err(Error::io(folder))?;
        let made = self.write_egr(seed, path, Some(within), memory)?;
        let network = egr::read_open(path, &file)?;
        let saved = save::write_network_with_note(path, &network, note)?;
        Ok(Generated { nodes: made.nodes, edges: made.edges, saved })
    }

    /// Into the file `within`, or else one that is called `out`.
    fn write_egr(&self, seed: u64, out: &Path, within: Option<File>, memory: usize) -> Result<Outcome> {
        let budget = memory;
        let meaning = Meaning::Edges { directed: self.is_directed() };
        let plan = Plan { meaning, loops: Loops::Drop, weighted: false, integers: false, budget };
        let mut progress = |_: Converting| true;
        let mut task = Task {
            input: out,
            out,
            within,
            keep: None,
            folder: None,
            found: EdgeCounts::default(),
            progress: &mut progress,
        };
        let size = (budget / 512).clamp(1 << 10, BATCH);
        std::thread::scope(|scope| {
            let (give, take) = sync_channel(2);
            scope.spawn(move || {
                let mut rng = stream(seed, Purpose::Synthetic, ids::NETWORK);
                let mut edges = Vec::with_capacity(size);
                let drawn = self.each_edge(&mut rng, |u, v| {
                    edges.push((u, v));
                    if edges.len() < size {
                        return ControlFlow::Continue(());
                    }
                    // Where the receiver is gone there was an error, which is reported there.
                    match give.send(std::mem::replace(&mut edges, Vec::with_capacity(size))) {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(_) => ControlFlow::Break(()),
                    }
                });
                if drawn.is_continue() {
                    let _ = give.send(edges);
                }
            });
            let mut next = || Ok(take.recv().ok().map(|ends| Batch { ends, weights: None }));
            convert(&mut task, plan, &mut next, |_| Labels::Ids(NodeIds::numbered(self.nodes())))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BlockModel, Density, ErdosRenyi, RMat, WattsStrogatz};
    use super::*;
    use crate::data::write_network;

    #[test]
    fn what_is_streamed_is_what_is_generated() {
        let folder = tempfile::tempdir().unwrap();
        let blocks = BlockModel::planted(vec![300, 50, 450], 0.1, 0.02).unwrap();
        let models: [Generator; 7] = [
            RMat::new(10, 150, RMat::GRAPH500, false).unwrap().into(),
            RMat::new(9, 20, RMat::GRAPH500, true).unwrap().into(),
            ErdosRenyi::new(800, Density::Probability(0.05), false).unwrap().into(),
            ErdosRenyi::new(300, Density::Probability(0.1), true).unwrap().into(),
            ErdosRenyi::new(300, Density::Edges(4000), false).unwrap().into(),
            WattsStrogatz::new(100, 6, 0.2).unwrap().into(),
            blocks.into(),
        ];
        for (at, model) in models.iter().enumerate() {
            assert_eq!(model.is_streamed(), !matches!(at, 4 | 5));
            let network = model.generate(at as u64);
            for name in ["x.egr", "x.txt", "x.mtx", "x.npz"] {
                let (whole, parts) = (folder.path().join(format!("whole-{name}")), folder.path().join(name));
                let saved = write_network(&whole, &network).unwrap();
                let made = model.write(at as u64, &parts, 0, None).unwrap();
                assert_eq!((made.nodes, made.edges), (network.nodes() as u64, network.edges()));
                assert_eq!(made.saved, saved);
                assert!(std::fs::read(&parts).unwrap() == std::fs::read(&whole).unwrap(), "{at} {name}");
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 8);
    }

    #[test]
    fn drawing_stops_on_request() {
        let models: [Generator; 5] = [
            RMat::new(10, 4, RMat::GRAPH500, false).unwrap().into(),
            ErdosRenyi::new(800, Density::Probability(0.05), true).unwrap().into(),
            ErdosRenyi::new(300, Density::Edges(4000), false).unwrap().into(),
            WattsStrogatz::new(100, 6, 0.2).unwrap().into(),
            // The third edge is in the first block, the eighth between blocks.
            BlockModel::planted(vec![4, 50, 50], 1.0, 0.5).unwrap().into(),
        ];
        for model in models {
            for most in [1, 3, 8] {
                let (mut rng, mut drawn) = (stream(0, Purpose::Synthetic, ids::NETWORK), 0);
                let stopped = model.each_edge(&mut rng, |_, _| {
                    drawn += 1;
                    if drawn < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                });
                assert!(stopped.is_break() && drawn == most, "{model:?}: {drawn}");
            }
        }
    }

    /// Drawing all of these edges would take minutes.
    #[test]
    fn an_error_of_the_writer_is_returned_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let model: Generator = RMat::new(20, 1 << 12, RMat::GRAPH500, false).unwrap().into();
        // Runs go to a folder that is not there.
        let told = model.write(0, &folder.path().join("none/x.egr"), 1 << 20, None);
        assert!(matches!(told, Err(Error::Io { .. })), "{told:?}");
    }
}
