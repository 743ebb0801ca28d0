//! Networks in time, and the windows that settings ask for.

use super::reading;
use crate::progress::{Progress, say};
use crate::{input, output};
use anyhow::{Context, Result, bail};
use ergodict::data::{
    Doubt, ReadSettings, TimeOptions, TimedDecisions, Times, WindowOptions, WindowSettings, Windows, digest,
    read_timed,
};
use ergodict::model::Input;
use ergodict::{Error, Note};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of edges with times, cut into windows.
pub(super) struct Timed {
    pub(super) windows: Arc<Windows>,
    pub(super) decisions: TimedDecisions,
    pub(super) name: String,
    pub(super) input: Option<Input>,
}

/// Checks what does not need the file.
pub(super) fn check(settings: &WindowSettings, nets: &[PathBuf]) -> Result<()> {
    if settings.timestamps.is_none() {
        return Ok(());
    }
    if let [_, _, ..] = nets {
        bail!(
            "--timestamps reads one file of rows with times, but {} are given (--snapshots learns from several)",
            nets.len()
        );
    }
    if let Some(name) = nets.first().and_then(|net| reading::embedded_name(net)) {
        bail!("{name} has no times: --timestamps needs a file whose rows have some");
    }
    Ok(settings.check()?)
}

/// Reads the file, and reports the decisions in a line.
pub(super) fn open(
    settings: &WindowSettings,
    path: &Path,
    reading: &ReadSettings,
    quiet: bool,
) -> Result<Timed> {
    let column = settings.timestamps.clone().unwrap_or_default();
    let read = reading.options();
    let options = TimeOptions { column, read: read.clone() };
    let name = input::name(path);
    let (rows, decisions, input) = Progress::reading(quiet, path, || {
        let (rows, decisions) = reading::explained(path, read_timed(path, &options))?;
        let from_file = !output::is_standard(path) && path.is_file();
        let given = from_file.then(|| Ok::<_, Error>(Input { name: name.clone(), digest: digest(path)? }));
        anyhow::Ok((rows, decisions, given.transpose()?))
    })?;
    if !quiet {
        say(&format!("{name}: {decisions}"));
        let notes: Vec<Note> = decisions.doubts.iter().map(Doubt::note).collect();
        output::spelled(&notes).iter().for_each(|note| say(&format!("{name}: {note}")));
    }
    let options = WindowOptions {
        cut: settings.cut(&rows).with_context(|| name.clone())?,
        cumulative: settings.cumulative,
        directed: decisions.directed,
        weighted: read.weighted,
        loops: read.loops,
    };
    let windows = Windows::new(Arc::new(rows), options).with_context(|| name.clone())?;
    if !quiet {
        let edges = match (windows.options().cumulative, decisions.removals > 0) {
            (true, true) => "edges stay until a row removes them",
            (true, false) => "edges stay once they have come",
            (false, _) => "edges are those with a row in the window",
        };
        let (from, to) = windows.span(0);
        let long = long(to - from, decisions.times);
        let count = windows.len();
        let plural = if count == 1 { "" } else { "s" };
        say(&format!("{name}: {count} window{plural} of {long}, {edges}"));
    }
    Ok(Timed { windows: Arc::new(windows), decisions, name, input })
}

/// A length of time in words: `7 days`, `12.5`.
pub(super) fn long(length: f64, times: Times) -> String {
    if times == Times::Numbers {
        return format!("length {}", (length * 1e6).round() / 1e6);
    }
    let units = [("day", 86_400.0), ("hour", 3600.0), ("minute", 60.0), ("second", 1.0)];
    let (unit, seconds) =
        units.into_iter().find(|(_, seconds)| length >= *seconds).unwrap_or(("second", 1.0));
    let number = (length / seconds * 100.0).round() / 100.0;
    format!("{number} {unit}{}", if number == 1.0 { "" } else { "s" })
}
