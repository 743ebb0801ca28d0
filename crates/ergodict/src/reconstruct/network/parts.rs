//! Tables of reconstructed pairs, whole or in parts by ranges of the first node: text with tabs, or parquet.

use super::replace::{Filling, LOCK, parent};
use crate::data::{Lines, NodeIds, sync_folder, write_atomic};
use crate::{Error, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What says of a folder that it is ours.
const SCHEMA: &str = "ergodict.pairs/1";
/// The list of parts. Who reads all parquet files of a folder leaves out names that begin so.
const INDEX: &str = "_index.json";

/// Rows of text that a thread makes at a time.
const ROWS: usize = 1 << 13;
/// How many rows ahead names are fetched: at 2.7 million nodes each was waited for, 67 ns.
const AHEAD: usize = 16;

/// Both nodes, the weight, the count.
pub type PairRow = (u32, u32, f64, u64);

/// How pairs are written.
///
/// ```
/// use ergodict::reconstruct::network::PairFormat;
/// assert_eq!(PairFormat::from_path("rebuilt.parquet".as_ref()), PairFormat::Parquet);
/// assert_eq!(PairFormat::from_path("rebuilt".as_ref()), PairFormat::Tsv);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairFormat {
    /// `u`, `v`, `weight`, `count` a line, with tabs between.
    Tsv,
    /// The same columns.
    Parquet,
}

/// One part of a table.
///
/// ```
/// use ergodict::reconstruct::network::PairPart;
/// let part = PairPart { file: "part-00000.tsv".to_owned(), first: Some("3".to_owned()), last: Some("9".to_owned()), pairs: 12 };
/// assert!(serde_json::to_string(&part).unwrap().contains("part-00000.tsv")); // as `_index.json` has it
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PairPart {
    /// Its file in the folder.
    pub file: String,
    /// The names of the least and the largest first node of its pairs; none where it has no pair.
    pub first: Option<String>,
    /// See `first`.
    pub last: Option<String>,
    /// How many pairs it has.
    pub pairs: u64,
}

impl PairFormat {
    /// By the name of a file: `.parquet`, or else text.
    pub fn from_path(path: &Path) -> Self {
        let parquet = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("parquet"));
        if parquet { Self::Parquet } else { Self::Tsv }
    }

    /// What names of such files end with.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
        }
    }
}

/// Writes a table, row by row or a group of rows at a time, and returns their number; `path` is for errors. A note of how it was made, JSON in
/// ASCII, goes into the metadata of parquet.
///
/// ```
/// use ergodict::data::NodeIds;
/// use ergodict::reconstruct::network::{PairFormat, write_pairs};
/// let (mut text, path) = (Vec::new(), std::path::Path::new("pairs.tsv"));
/// write_pairs([Ok((0, 1, 0.5, 12))].into_iter(), PairFormat::Tsv, &NodeIds::numbered(2), None, &mut text, path)?;
/// assert_eq!(text, b"u\tv\tweight\tcount\n0\t1\t0.5\t12\n");
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// Those of the rows, [`Error::Io`], and [`Error::Parameter`] for parquet where the library was built without it.
pub fn write_pairs(
    rows: impl Iterator<Item = Result<PairRow>>,
    format: PairFormat,
    ids: &NodeIds,
    note: Option<&str>,
    out: &mut (dyn Write + Send),
    path: &Path,
) -> Result<u64> {
    let (mut written, mut failed) = (0, None);
    // Nothing is taken after a row that failed.
    let take = |row| match row {
        Ok(row) => {
            written += 1;
            Some(row)
        }
        Err(error) => {
            failed = Some(error);
            None
        }
    };
    let mut rows = rows.map_while(take).fuse();
    match format {
        PairFormat::Tsv => {
            let mut put = || {
                out.write_all(b"u\tv\tweight\tcount\n")?;
                let (mut block, most) = (Vec::new(), ROWS * rayon::current_num_threads());
                loop {
                    block.clear();
                    block.extend(rows.by_ref().take(most));
                    if block.is_empty() {
                        return out.flush();
                    }
                    let texts: io::Result<Vec<_>> =
                        block.par_chunks(ROWS).map(|rows| lines_of(rows, ids)).collect();
                    texts?.iter().try_for_each(|text| out.write_all(text))?;
                }
            };
            put().map_err(Error::io(path))?;
        }
        #[cfg(feature = "parquet")]
        PairFormat::Parquet => {
            let mut out = out;
            crate::data::write_pairs_parquet(&mut rows, ids, note, &mut out, path)?;
        }
        #[cfg(not(feature = "parquet"))]
        PairFormat::Parquet => {
            let _ = note;
            return Err(Error::parameter("the format", "parquet", "this library was built without it"));
        }
    }
    drop(rows);
    failed.map_or(Ok(written), Err)
}

/// The lines of some rows.
fn lines_of(rows: &[PairRow], ids: &NodeIds) -> io::Result<Vec<u8>> {
    let mut text = Vec::with_capacity(48 * rows.len());
    let mut lines = Lines::new(&mut text);
    for (at, &(u, v, weight, count)) in rows.iter().enumerate() {
        if let Some(later) = rows.get(at + AHEAD) {
            ids.prefetch(later.1 as usize);
        }
        lines.node(ids, u as usize)?.text("\t").node(ids, v as usize)?;
        lines.text("\t").number(weight).text("\t").integer(count).end()?;
    }
    lines.finish()?;
    Ok(text)
}

/// A folder of parts that appears under its name when all is there.
///
/// ```
/// use ergodict::data::NodeIds;
/// use ergodict::reconstruct::network::{PairFormat, PartsFolder};
/// let folder = tempfile::tempdir().unwrap();
/// let (ids, out) = (NodeIds::numbered(9), folder.path().join("rebuilt"));
/// let rows = [(0, 1, 0.5, 2), (0, 7, 0.1, 3), (4, 5, 1.0, 1)];
/// let parts = PartsFolder::create(&out)?;
/// let written = parts.fill(rows.into_iter().map(Ok), 3, 2, PairFormat::Tsv, &ids, None)?;
/// parts.finish(&written, PairFormat::Tsv, None)?;
/// assert_eq!((written[0].pairs, written[1].first.as_deref()), (2, Some("4")));
/// assert!(out.join("part-00001.tsv").is_file() && out.join("_index.json").is_file());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Debug)]
pub struct PartsFolder {
    filling: Filling,
    target: PathBuf,
}

impl PartsFolder {
    /// Whether a folder can be written there: it is not yet, or it is empty, or it has parts that were written before, which go when new
    /// ones are finished.
    ///
    /// # Errors
    /// [`Error::Format`] for one that cannot.
    pub fn check(target: &Path) -> Result<()> {
        let bad = |problem: &str| Err(Error::format(target, None, problem));
        if target.is_file() {
            return bad("is a file: parts are written into a folder");
        }
        let parent = parent(target);
        if target.file_name().is_none() || !parent.is_dir() {
            let problem = format!("cannot be written: the directory `{}` does not exist", parent.display());
            return bad(&problem);
        }
        let Ok(entries) = fs::read_dir(target) else { return Ok(()) };
        let mut others =
            entries.filter_map(|entry| Some(entry.ok()?.file_name())).filter(|name| !is_ours(name));
        let ours =
            |text: String| serde_json::from_str::<Value>(&text).is_ok_and(|index| index["schema"] == SCHEMA);
        if others.next().is_some() {
            return bad("is a folder with other files in it: name another, or empty it");
        }
        let mark = |entry: std::io::Result<fs::DirEntry>| entry.is_ok_and(|entry| entry.file_name() == LOCK);
        let empty = fs::read_dir(target).is_ok_and(|mut entries| entries.all(mark));
        if empty || fs::read_to_string(target.join(INDEX)).is_ok_and(ours) {
            return Ok(());
        }
        bad("is a folder with files that are no parts of a table: name another, or empty it")
    }

    /// Begins a folder, and deletes what killed runs left of it.
    ///
    /// # Errors
    /// Those of [`PartsFolder::check`], and [`Error::Io`].
    pub fn create(target: &Path) -> Result<Self> {
        Self::check(target)?;
        let filling = Filling::create(target).map_err(Error::io(target))?;
        Ok(Self { filling, target: target.to_owned() })
    }

    /// Where parts are written until all are there.
    pub fn path(&self) -> &Path {
        self.filling.path()
    }

    /// Writes part `number` into a folder, which another process may have begun.
    ///
    /// # Errors
    /// Those of [`write_pairs`].
    pub fn write_part(
        folder: &Path,
        number: usize,
        rows: impl Iterator<Item = Result<PairRow>>,
        format: PairFormat,
        ids: &NodeIds,
        note: Option<&str>,
    ) -> Result<PairPart> {
        let file = format!("part-{number:05}.{}", format.extension());
        let path = folder.join(&file);
        let (mut ends, mut pairs) = (None, 0);
        let rows = rows.inspect(|row| {
            if let Ok(row) = row {
                ends = Some((ends.map_or(row.0, |ends: (u32, u32)| ends.0), row.0));
            }
        });
        write_atomic(&path, |out| {
            pairs = write_pairs(rows, format, ids, note, out, &path)?;
            Ok(())
        })?;
        let name = |v: u32| ids.name(v as usize).into_owned();
        let (first, last) = ends.map(|(first, last)| (name(first), name(last))).unzip();
        Ok(PairPart { file, first, last, pairs })
    }

    /// Writes rows, of which there are `total`, by ascending first node, into at most `parts` parts of about as many pairs; those of
    /// one first node stay together.
    ///
    /// # Errors
    /// Those of [`write_pairs`].
    pub fn fill(
        &self,
        rows: impl Iterator<Item = Result<PairRow>>,
        total: u64,
        parts: usize,
        format: PairFormat,
        ids: &NodeIds,
        note: Option<&str>,
    ) -> Result<Vec<PairPart>> {
        let (mut rows, mut written, mut taken) = (rows.peekable(), Vec::new(), 0);
        for number in 0..parts {
            let stop = (u128::from(total) * (number as u128 + 1) / parts as u128) as u64;
            let mut before: Option<u32> = None;
            let part = std::iter::from_fn(|| {
                if let Some(Ok(row)) = rows.peek() {
                    if taken >= stop && before.is_some_and(|before| before != row.0) && number + 1 < parts {
                        return None;
                    }
                    before = Some(row.0);
                    taken += 1;
                }
                rows.next()
            });
            written.push(Self::write_part(self.path(), number, part, format, ids, note)?);
            if rows.peek().is_none() {
                break;
            }
        }
        Ok(written)
    }

    /// Lists the parts, and gives the folder its name; `made` says how, if known.
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`PartsFolder::check`].
    pub fn finish(self, parts: &[PairPart], format: PairFormat, made: Option<&Value>) -> Result<()> {
        let Self { filling, target } = self;
        let mut index = json!({
            "schema": SCHEMA,
            "format": format,
            "columns": ["u", "v", "weight", "count"],
            "pairs": parts.iter().map(|part| part.pairs).sum::<u64>(),
            "parts": parts,
        });
        if let Some(made) = made {
            index["made"] = made.clone();
        }
        let path = filling.path().join(INDEX);
        write_atomic(&path, |out| writeln!(out, "{index:#}").map_err(Error::io(&path)))?;
        Self::check(&target)?;
        filling.put(&target).map_err(Error::io(&target))?;
        sync_folder(&target);
        Ok(())
    }
}

/// Whether a file of this name may be in a folder of parts.
fn is_ours(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    // A process that was killed may have left the lock.
    name == INDEX
        || name == LOCK
        || name.strip_prefix("part-").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<PairRow> {
        (0..40u32).flat_map(|u| (0..=u % 5).map(move |i| (u, u + i, f64::from(i) / 7.0, 3))).collect()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn parts_are_the_table_and_keep_first_nodes_together() {
        let folder = tempfile::tempdir().unwrap();
        let (ids, out) = (NodeIds::numbered(50), folder.path().join("parts"));
        let mut whole = Vec::new();
        write_pairs(rows().into_iter().map(Ok), PairFormat::Tsv, &ids, None, &mut whole, &out).unwrap();
        let head = b"u\tv\tweight\tcount\n".len();
        for count in [1, 3, 7, 50] {
            let parts = PartsFolder::create(&out).unwrap();
            let total = rows().len() as u64;
            let written =
                parts.fill(rows().into_iter().map(Ok), total, count, PairFormat::Tsv, &ids, None).unwrap();
            parts.finish(&written, PairFormat::Tsv, Some(&json!({"seed": 1}))).unwrap();
            assert!(written.len() <= count && (count > 7 || written.len() == count));
            let mut all = whole[..head].to_vec();
            for part in &written {
                all.extend(&fs::read(out.join(&part.file)).unwrap()[head..]);
            }
            assert_eq!(all, whole);
            let last = |part: &PairPart| part.last.clone().unwrap().parse::<u32>().unwrap();
            let first = |part: &PairPart| part.first.clone().unwrap().parse::<u32>().unwrap();
            assert!(written.windows(2).all(|two| last(&two[0]) < first(&two[1])));
            // What was there before is gone, and nothing else is left.
            assert_eq!(names(&out).len(), written.len() + 1);
            assert_eq!(names(folder.path()), ["parts"]);
            let index: Value = serde_json::from_slice(&fs::read(out.join(INDEX)).unwrap()).unwrap();
            assert_eq!((index["pairs"].as_u64(), index["made"]["seed"].as_u64()), (Some(total), Some(1)));
        }
    }

    #[test]
    fn what_fails_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let (ids, out) = (NodeIds::numbered(50), folder.path().join("parts"));
        let parts = PartsFolder::create(&out).unwrap();
        let bad = rows().into_iter().take(9).map(Ok).chain([Err(Error::format(&out, None, "stop"))]);
        assert!(
            parts.fill(bad, 200, 3, PairFormat::Tsv, &ids, None).unwrap_err().to_string().ends_with("stop")
        );
        drop(parts);
        assert!(names(folder.path()).is_empty());
        // Left over, and in use.
        fs::create_dir(folder.path().join(".parts.abcdef.partial")).unwrap();
        fs::write(folder.path().join(".parts.abcdef.partial/_lock"), "").unwrap();
        let busy = PartsFolder::create(&out).unwrap();
        let second = PartsFolder::create(&out).unwrap();
        assert_eq!(names(folder.path()).len(), 2);
        drop((busy, second));
        fs::create_dir(&out).unwrap();
        PartsFolder::check(&out).unwrap();
        fs::write(out.join(LOCK), "").unwrap();
        PartsFolder::check(&out).unwrap();
        fs::write(out.join("thesis.tex"), "years").unwrap();
        assert!(PartsFolder::create(&out).unwrap_err().to_string().contains("other files"));
        assert!(PartsFolder::check(&folder.path().join("no/where")).is_err());
        assert!(PartsFolder::check(&out.join("thesis.tex")).is_err());
    }
}
