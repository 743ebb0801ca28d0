//! The flags of networks in time, and the windows they ask for.

use super::reading::{self, Reading};
use super::sampling::Sampling;
use crate::args::Common;
use crate::progress::{Progress, say};
use crate::{input, output};
use anyhow::{Context, Result, bail};
use ergodict::Error;
use ergodict::chain::{Motif, SamplerKind};
use ergodict::data::{
    Cut, DEFAULT_WINDOWS, Duration, TimeColumn, TimeOptions, TimedDecisions, TimedEdges, Times,
    WindowOptions, Windows, digest, read_timed,
};
use ergodict::dictionary::{Input, SCORE_PATCHES, Series, Window};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The flags.
#[derive(clap::Args)]
#[command(next_help_heading = "Networks in time")]
pub(crate) struct Timing {
    /// Rows have a time (u v t, u v w t, or columns that a header names), and are cut into windows
    ///
    /// Times are numbers or dates such as 2004-05-01T12:30:00Z. =COLUMN is the number of their column, from 1, or its name in a
    /// header. Rows need not be in order. Where all weights are 1 or -1, or a column op has + and -, such rows remove their edge.
    #[arg(long, value_name = "COLUMN", num_args = 0..=1, require_equals = true, default_missing_value = "auto")]
    timestamps: Option<TimeColumn>,
    /// Length of a window: in the unit of the file, or with one: 45s, 30m, 12h, 7d, 2w, 1y
    #[arg(long, value_name = "LENGTH", requires = "timestamps", value_parser = length, hide_short_help = true)]
    window: Option<String>,
    /// From the beginning of a window to that of the next [default: the length of a window]
    #[arg(long, value_name = "LENGTH", requires = "window", value_parser = length, hide_short_help = true)]
    stride: Option<String>,
    /// So many windows of equal length, instead [default: 20]
    #[arg(
        long,
        value_name = "N",
        requires = "timestamps",
        conflicts_with = "window",
        hide_short_help = true,
        allow_negative_numbers = true
    )]
    windows: Option<usize>,
    /// Edges stay once they have come, instead of leaving with their window
    #[arg(long, requires = "timestamps", hide_short_help = true)]
    cumulative: bool,
}

/// Refuses what is no length of time, and keeps it as it was given.
fn length(text: &str) -> Result<String, String> {
    text.parse::<Duration>().map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// A file of edges with times, cut into windows.
pub(super) struct Timed {
    pub(super) windows: Arc<Windows>,
    pub(super) decisions: TimedDecisions,
    pub(super) name: String,
    pub(super) input: Option<Input>,
}

impl Timing {
    /// Whether rows have times.
    pub(super) fn is_asked(&self) -> bool {
        self.timestamps.is_some()
    }

    /// Checks what does not need the file.
    pub(super) fn check(&self, nets: &[PathBuf]) -> Result<()> {
        if !self.is_asked() {
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
        if self.windows == Some(0) {
            bail!("--windows is 0, but at least one is needed");
        }
        Ok(())
    }

    fn cut(&self, rows: &TimedEdges) -> Result<Cut> {
        let length = |flag: &str, text: &str| {
            let length = text.parse::<Duration>().and_then(|duration| duration.among(rows));
            length.with_context(|| format!("{flag} {text}"))
        };
        Ok(match &self.window {
            Some(window) => {
                let window = length("--window", window)?;
                let stride = self.stride.as_deref().map_or(Ok(window), |text| length("--stride", text))?;
                Cut::Every { window, stride }
            }
            None => Cut::Into(self.windows.unwrap_or(DEFAULT_WINDOWS)),
        })
    }

    /// Reads the file, and tells in a line what was decided.
    pub(super) fn open(&self, path: &Path, reading: &Reading, quiet: bool) -> Result<Timed> {
        let column = self.timestamps.clone().unwrap_or_default();
        let read = reading.options();
        let options = TimeOptions { column, read };
        let name = input::name(path);
        let (rows, decisions, input) = Progress::reading(quiet, path, || {
            let (rows, decisions) = reading::explained(path, read_timed(path, &options))?;
            let from_file = !output::is_standard(path) && path.is_file();
            let given =
                from_file.then(|| Ok::<_, Error>(Input { name: name.clone(), digest: digest(path)? }));
            anyhow::Ok((rows, decisions, given.transpose()?))
        })?;
        if !quiet {
            say(&format!("{name}: {decisions}"));
        }
        let options = WindowOptions {
            cut: self.cut(&rows).with_context(|| name.clone())?,
            cumulative: self.cumulative,
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

    /// Every flag that has a say in the result, with its value.
    pub(super) fn config(&self, config: &mut Value) {
        let Some(column) = &self.timestamps else { return };
        config["timestamps"] = json!(column.to_string());
        match (&self.window, &self.stride) {
            (None, _) => config["windows"] = json!(self.windows.unwrap_or(DEFAULT_WINDOWS)),
            (Some(window), stride) => {
                config["window"] = json!(window);
                config["stride"] = json!(stride.as_ref().unwrap_or(window));
            }
        }
        if self.cumulative {
            config["cumulative"] = json!(true);
        }
    }
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

/// Patches that a change score is from, where nothing is said.
pub(super) const DEFAULT_SCORE: usize = SCORE_PATCHES;

/// The windows of a file, each made when it is asked for.
pub(super) struct TimedSeries {
    windows: Arc<Windows>,
    /// With the sampler that all windows have.
    sampling: Sampling,
    motif: Motif,
    seed: u64,
}

impl TimedSeries {
    /// Chooses the sampler by the first window that one can be made in, and opens that; none where there is no such window.
    pub(super) fn new(
        timed: &Timed,
        sampling: &Sampling,
        motif: &Motif,
        common: &Common,
    ) -> Result<(Self, SamplerKind, Window)> {
        let windows = Arc::clone(&timed.windows);
        let mut series =
            Self { windows, sampling: sampling.clone(), motif: motif.clone(), seed: common.seed };
        let mut why = String::new();
        for at in 0..series.windows.len() {
            let (window, kind, notes) = series.made(at)?;
            match (&window.drawn, kind) {
                (Ok(drawn), Some(kind)) => {
                    if !common.quiet {
                        notes.iter().for_each(|note| say(&format!("{}: {note}", window.name)));
                    }
                    series.sampling = sampling.clone().fixed(kind);
                    series.motif = drawn.1.motif().clone();
                    series.check_largest(at)?;
                    return Ok((series, kind, window));
                }
                (Err(reason), _) if why.is_empty() => why.clone_from(reason),
                _ => {}
            }
        }
        bail!("{}: no window can be learned from: the first {why}", timed.name)
    }

    /// Refuses a run before it begins if the window with the most nodes, where that comes after `opened`, would end it for want of memory.
    fn check_largest(&self, opened: usize) -> ergodict::Result<()> {
        let at = self.windows.largest();
        let whole = if at > opened { self.windows.network(at)? } else { return Ok(()) };
        // Whatever else stands against it is told when its turn comes.
        match self.sampling.check_memory(whole, &self.motif).map_err(anyhow::Error::downcast) {
            Err(Ok(error @ Error::Memory { .. })) => Err(in_window(error, &self.windows.name(at))),
            _ => Ok(()),
        }
    }

    fn made(&self, at: usize) -> ergodict::Result<(Window, Option<SamplerKind>, Vec<String>)> {
        let (name, span) = (self.windows.name(at), Some(self.windows.span(at)));
        let whole = self.windows.network(at)?;
        let network = Arc::new(whole.clone());
        let passed = |network, reason: String| {
            Ok((Window { name: self.windows.name(at), span, network, drawn: Err(reason) }, None, Vec::new()))
        };
        if whole.edges() == 0 {
            return passed(network, "has no edge".into());
        }
        let chosen = placed(self.sampling.choose(whole, &self.motif, self.seed));
        match chosen.map_err(|error| in_window(error, &name))? {
            Ok(chosen) => {
                let drawn = Ok((chosen.network, chosen.sampler));
                Ok((Window { name, span, network, drawn }, Some(chosen.kind), chosen.notes))
            }
            Err(reason) => passed(network, reason),
        }
    }
}

/// Says which window it is that needs more memory than there is.
fn in_window(error: Error, name: &str) -> Error {
    match error {
        Error::Memory { what, needed, available, way_out } => {
            Error::Memory { what: format!("{what} in the window {name}"), needed, available, way_out }
        }
        error => error,
    }
}

/// What came of choosing a sampler: that the network is not made for it is no error.
pub(super) fn placed<T>(chosen: Result<T>) -> ergodict::Result<std::result::Result<T, String>> {
    let error = match chosen {
        Ok(chosen) => return Ok(Ok(chosen)),
        Err(error) => error,
    };
    match error.downcast::<Error>() {
        Ok(error @ Error::Parameter { .. }) => Ok(Err(format!("has no room for the motif: {error}"))),
        Ok(error) => Err(error),
        Err(error) => Err(Error::format(Path::new("--sampler"), None, format!("{error:#}"))),
    }
}

impl Series for TimedSeries {
    fn len(&self) -> usize {
        self.windows.len()
    }

    fn open(&mut self, at: usize) -> ergodict::Result<Window> {
        Ok(self.made(at)?.0)
    }
}
