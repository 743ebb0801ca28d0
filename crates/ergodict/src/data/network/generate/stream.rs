//! Writes random networks that do not fit in memory: edges go to sorted runs as they are drawn.

use super::super::external_gather::{Batch, Converting, Outcome, Plan, Task, convert};
use super::super::external_labels::Labels;
use super::super::external_rows::Meaning;
use super::super::{Found, Loops, NodeIds, ReadOptions, Saved, read_network, save};
use super::Generator;
use crate::chain::rng::{Purpose, ids, stream};
use crate::{Error, Result};
use std::path::Path;
use std::sync::mpsc::sync_channel;

/// Edges that are handed over at a time.
const BATCH: usize = 1 << 13;

/// What was written of a random network.
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
    /// [`write_network_with_note`](crate::data::write_network_with_note), which tells the format.
    ///
    /// # Errors
    /// As [`write_network`](crate::data::write_network).
    pub fn write(&self, seed: u64, path: &Path, memory: usize, note: Option<&str>) -> Result<Generated> {
        if save::is_egr(path)? {
            let made = self.write_egr(seed, path, memory)?;
            return Ok(Generated { nodes: made.nodes, edges: made.edges, saved: Saved::default() });
        }
        // Other formats are written out of a mapped file, whose name is gone as soon as it is open.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let named = tempfile::Builder::new().prefix(".ergodict-").suffix(".egr").tempfile_in(folder);
        let named = named.map_err(Error::io(folder))?.into_temp_path();
        let made = self.write_egr(seed, &named, memory)?;
        let (network, _) = read_network(&named, &ReadOptions::default())?;
        drop(named);
        let saved = save::write_network_with_note(path, &network, note)?;
        Ok(Generated { nodes: made.nodes, edges: made.edges, saved })
    }

    fn write_egr(&self, seed: u64, out: &Path, memory: usize) -> Result<Outcome> {
        let budget = memory;
        let meaning = Meaning::Edges { directed: self.is_directed() };
        let plan = Plan { meaning, loops: Loops::Drop, weighted: false, integers: false, budget };
        let mut progress = |_: Converting| true;
        let mut task = Task {
            input: out,
            out,
            keep: None,
            folder: None,
            found: Found::default(),
            progress: &mut progress,
        };
        let size = (budget / 512).min(BATCH).max(1 << 10);
        std::thread::scope(|scope| {
            let (give, take) = sync_channel(2);
            scope.spawn(move || {
                let mut rng = stream(seed, Purpose::Synthetic, ids::NETWORK);
                let mut edges = Vec::with_capacity(size);
                self.each_edge(&mut rng, |u, v| {
                    edges.push((u, v));
                    if edges.len() == size {
                        // Where nobody takes them any more there was an error, which is told there.
                        let _ = give.send(std::mem::replace(&mut edges, Vec::with_capacity(size)));
                    }
                });
                let _ = give.send(edges);
            });
            let mut next = || Ok(take.recv().ok().map(|ends| Batch { ends, weights: None }));
            convert(&mut task, plan, &mut next, |_| Labels::Given(NodeIds::numbered(self.nodes())))
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
}
