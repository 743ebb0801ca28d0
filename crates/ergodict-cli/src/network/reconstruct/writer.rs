//! What reconstruction came to: the table of pairs, words and JSON.

use crate::interrupt;
use crate::summary::Summary;
use anyhow::{Result, bail};
use ergodict::Error;
use ergodict::chain::SamplerKind;
use ergodict::data::{NodeIds, write_atomic};
use ergodict::model::Input;
use ergodict::patch::NetworkForm;
use ergodict::reconstruct::network::{
    PairFormat, PairRow as Row, PairSum, PairSums, PartsFolder, write_pairs,
};
use ergodict_pages::reconstruction::ReconstructionPage;
use ergodict_report::words::count;
use serde::Serialize;
use serde_json::Value;
use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

/// Pairs between two looks at whether to stop.
const LOOK: u64 = 1 << 16;

/// Writes the table.
pub(in crate::network) struct Writer<'a> {
    /// Of the nodes that are written.
    pub(in crate::network) ids: &'a NodeIds,
    pub(in crate::network) sums: &'a PairSums,
    pub(in crate::network) alpha: f64,
    /// Only pairs of larger weight.
    pub(in crate::network) threshold: Option<f64>,
    /// Only these, in their order: as they are written, and as nodes of what was reconstructed, none outside of it.
    pub(in crate::network) asked: Option<Asked<'a>>,
}

/// Pairs as they are written, and as they were reconstructed.
type Asked<'a> = (&'a [(u32, u32)], &'a [Inside]);

/// A pair of what was reconstructed.
pub(in crate::network) type Inside = Option<(u32, u32)>;

impl Writer<'_> {
    /// Refuses names of other kinds of files.
    pub(in crate::network) fn check_name(out: &Path) -> Result<()> {
        refuse_names(out, "pairs are written as text with tabs or .parquet", &[])
    }

    /// The same for what is text alone.
    pub(in crate::network) fn check_text(out: &Path, what: &str) -> Result<()> {
        refuse_names(out, &format!("{what} are written as text with tabs"), &["parquet"])
    }

    fn weight(&self, sum: f64, count: u64) -> f64 {
        if count == 0 { 0.0 } else { sum / (count as f64 + self.alpha) }
    }

    fn rows(&self) -> Box<dyn Iterator<Item = Row> + '_> {
        let rows: Box<dyn Iterator<Item = Row> + '_> = match self.asked {
            Some((pairs, inside)) => Box::new(pairs.iter().zip(inside).map(|(&(u, v), inside)| {
                let visited = inside.map_or((0.0, 0), |(u, v)| self.sums.get(u, v));
                (u, v, self.weight(visited.0, visited.1), visited.1)
            })),
            None => Box::new(
                self.sums.iter().map(|PairSum { u, v, sum, count }| (u, v, self.weight(sum, count), count)),
            ),
        };
        Box::new(rows.filter(|row| self.threshold.is_none_or(|threshold| row.2 > threshold)))
    }

    /// Writes the file, or a folder of parts, whole or not at all: the number of pairs, or none when interrupted.
    pub(in crate::network) fn write(&self, out: &Path, parts: Option<usize>) -> Result<Option<u64>> {
        let (seen, stopped) = (Cell::new(0u64), Cell::new(false));
        let rows = self.rows().map(|row| {
            seen.set(seen.get() + 1);
            stopped.set(stopped.get() || seen.get().is_multiple_of(LOOK) && interrupt::asked());
            if stopped.get() { Err(Error::Interrupted) } else { Ok(row) }
        });
        let (format, note) = (PairFormat::from_path(out), crate::resolved::note());
        let written = match parts {
            None => {
                let mut written = 0;
                let done = write_atomic(out, |file| {
                    written = write_pairs(rows, format, self.ids, note.as_deref(), file, out)?;
                    Ok(())
                });
                done.map(|()| written)
            }
            Some(parts) => self.write_parts(rows, out, parts, format, note.as_deref()),
        };
        match written {
            Err(Error::Interrupted) => Ok(None),
            written => Ok(Some(written?)),
        }
    }

    fn write_parts(
        &self,
        rows: impl Iterator<Item = ergodict::Result<Row>>,
        out: &Path,
        parts: usize,
        format: PairFormat,
        note: Option<&str>,
    ) -> ergodict::Result<u64> {
        let folder = PartsFolder::create(out)?;
        let total = self.rows().count() as u64;
        let written = folder.fill(rows, total, parts, format, self.ids, note)?;
        let made = note.and_then(|note| serde_json::from_str(note).ok());
        folder.finish(&written, format, made.as_ref())?;
        Ok(written.iter().map(|part| part.pairs).sum())
    }
}

/// Refuses names of binary files, and of these.
fn refuse_names(out: &Path, written: &str, more: &[&str]) -> Result<()> {
    let other = out.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    let binary = ["gz", "zst", "npz", "npy", "json", "egr", "mtx", "html", "safetensors"];
    if binary.iter().chain(more).any(|name| *name == other) {
        bail!("{}: {written}, not .{other}: use one of these endings", out.display());
    }
    Ok(())
}

/// A finished reconstruction.
pub(in crate::network) struct Reconstruction<'a> {
    pub(in crate::network) out: &'a Path,
    pub(in crate::network) model: &'a Path,
    pub(in crate::network) kind: SamplerKind,
    /// What its page shows.
    pub(in crate::network) page: ReconstructionPage<'a>,
    /// Patches of the run that was resumed.
    pub(in crate::network) before: u64,
    /// Patches whose codes met the cap of the coder.
    pub(in crate::network) capped: u64,
    /// Pairs written.
    pub(in crate::network) written: u64,
    pub(in crate::network) set_up: Duration,
    pub(in crate::network) seconds: Duration,
    pub(in crate::network) writing: Duration,
}

impl Reconstruction<'_> {
    fn lines(&self) -> Vec<(&str, String)> {
        let mut lines = vec![("", self.page.finding())];
        lines.extend(self.page.measures());
        lines.push((
            "wrote",
            format!("{} ({})", self.out.display(), count(self.written as usize, "pair", "pairs")),
        ));
        lines
    }

    fn details(&self) -> Vec<(&str, String)> {
        let rate = (self.page.samples - self.before) as f64 / self.seconds.as_secs_f64();
        let patches = format!(
            "{} of a {} of {} nodes ({}), {rate:.0} per second; {} pairs",
            self.page.samples, self.page.form.motif, self.page.form.k, self.kind, self.page.accuracy.visited
        );
        let mut lines = vec![("patches", patches)];
        if self.capped > 0 {
            lines.push(("caps", format!("coding stopped before its tolerance for {} patches", self.capped)));
        }
        let [set_up, seconds, writing] =
            [self.set_up, self.seconds, self.writing].map(|time| time.as_secs_f64());
        let all = set_up + seconds + writing;
        let text = format!(
            "{all:.2} s: reading and set-up {set_up:.2}, reconstruction {seconds:.2}, writing {writing:.2}"
        );
        lines.push(("time", text));
        lines
    }

    /// The summary of it.
    pub(in crate::network) fn summary(
        &self,
        resumed: bool,
        shown: Vec<(&'static str, String)>,
    ) -> ReconstructSummary<'_> {
        let accuracy = &self.page.accuracy;
        ReconstructSummary {
            out: self.out,
            network: &self.page.network,
            model: self.model,
            inputs: &self.page.inputs,
            motif: self.page.form,
            sampler: self.kind,
            samples: self.page.samples,
            pairs_visited: accuracy.visited,
            pairs_written: self.written,
            edge_coverage: accuracy.edge_coverage,
            pair_coverage: accuracy.pair_coverage,
            jaccard: accuracy.jaccard,
            weighted_jaccard: accuracy.weighted_jaccard,
            auc: accuracy.auc,
            threshold: self.page.threshold,
            capped: self.capped,
            set_up_seconds: self.set_up.as_secs_f64(),
            seconds: self.seconds.as_secs_f64(),
            writing_seconds: self.writing.as_secs_f64(),
            resumed,
            reconstruction: self,
            shown,
        }
    }
}

/// `ergodict network reconstruct`
#[derive(Serialize)]
pub(in crate::network) struct ReconstructSummary<'a> {
    /// File of the pairs; with `--partitions` a folder whose `_index.json` has the schema `ergodict.pairs/1` ([formats.md](formats.md))
    out: &'a Path,
    /// File of the network without folders, or `@name`
    network: &'a str,
    /// Model file
    model: &'a Path,
    /// Files that were read
    inputs: &'a [Input],
    /// Motif of the model
    motif: &'a NetworkForm,
    /// Sampler
    sampler: SamplerKind,
    /// Motif samples
    samples: u64,
    /// Pairs of nodes that were visited
    pairs_visited: u64,
    /// Pairs that were written
    pairs_written: u64,
    /// Share of the edges that were visited; `null`, as the measures below, where there are none
    edge_coverage: Option<f64>,
    /// Share of the pairs that were visited
    pair_coverage: Option<f64>,
    /// Edges found, divided by all edges and all pairs of a weight above the threshold
    jaccard: Option<f64>,
    /// Σ min(A, X̂) / Σ max(A, X̂)
    weighted_jaccard: Option<f64>,
    /// How often an edge has a larger weight than another pair, ties counting half
    auc: Option<f64>,
    /// Weight above which a pair is called an edge
    threshold: f64,
    /// Patches whose coding stopped before its tolerance
    capped: u64,
    /// Time before the first sample
    set_up_seconds: f64,
    /// Time of the reconstruction
    seconds: f64,
    /// Time of measuring accuracy and writing
    writing_seconds: f64,
    /// Whether it was resumed from a checkpoint
    resumed: bool,
    #[serde(skip)]
    reconstruction: &'a Reconstruction<'a>,
    #[serde(skip)]
    shown: Vec<(&'static str, String)>,
}

impl Summary for ReconstructSummary<'_> {
    const SCHEMA: &'static str = "ergodict.network-reconstruct/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let mut lines = self.reconstruction.lines();
        lines.extend(self.shown.clone());
        lines
    }

    fn details(&self) -> Vec<(&str, String)> {
        self.reconstruction.details()
    }

    fn config(&self) -> Value {
        self.reconstruction.page.config.clone()
    }
}
