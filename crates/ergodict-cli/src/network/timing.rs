//! Networks in time, and the windows that settings ask for.

use super::reading;
use crate::args::Common;
use crate::progress::{Progress, say};
use crate::{input, output};
use anyhow::{Context, Result, bail};
use ergodict::chain::{Motif, SamplerKind, SamplingSettings, Use};
use ergodict::data::{
    Appearances, Network, ReadSettings, TimeOptions, TimedDecisions, Times, WindowOptions, WindowSettings,
    Windows, digest, read_timed,
};
use ergodict::{
    Error, Note,
    model::Input,
    run::{AppearanceMaker, Window, WindowMaker, WindowSeries},
};
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

/// Reads the file, and tells in a line what was decided.
pub(super) fn open(
    settings: &WindowSettings,
    path: &Path,
    reading: ReadSettings,
    quiet: bool,
) -> Result<Timed> {
    let column = settings.timestamps.clone().unwrap_or_default();
    let read = reading.options();
    let options = TimeOptions { column, read };
    let name = input::name(path);
    let (rows, decisions, input) = Progress::reading(quiet, path, || {
        let (rows, decisions) = reading::explained(path, read_timed(path, &options))?;
        let from_file = !output::is_standard(path) && path.is_file();
        let given = from_file.then(|| Ok::<_, Error>(Input { name: name.clone(), digest: digest(path)? }));
        anyhow::Ok((rows, decisions, given.transpose()?))
    })?;
    if !quiet {
        say(&format!("{name}: {decisions}"));
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

/// The windows of a file, each made when it is asked for.
pub(super) struct TimedSeries {
    windows: Arc<Windows>,
    /// With the sampler that all windows have.
    sampling: SamplingSettings,
    motif: Motif,
    seed: u64,
}

impl TimedSeries {
    /// Chooses the sampler by the first window that one can be made in, and opens that; none where there is no such window.
    pub(super) fn new(
        timed: &Timed,
        sampling: &SamplingSettings,
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
                        output::spelled(&notes)
                            .iter()
                            .for_each(|note| say(&format!("{}: {note}", window.name)));
                    }
                    series.sampling.sampler = Some(kind);
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
        let (part, _) = self.sampling.part(whole)?;
        match self.sampling.fits(Use::Learn, &part, &self.motif) {
            Err(error @ Error::Memory { .. }) => Err(in_window(error, &self.windows.name(at))),
            _ => Ok(()),
        }
    }

    fn made(&self, at: usize) -> ergodict::Result<(Window, Option<SamplerKind>, Vec<Note>)> {
        let called = (self.windows.name(at), Some(self.windows.span(at)));
        window(self.windows.network(at)?, called, &self.sampling, &self.motif, self.seed)
    }

    /// What makes windows of permuted times as these are made, or why times cannot be permuted.
    pub(super) fn null(&self) -> Null {
        if self.windows.rows().removes().is_some() {
            return Err("rows that remove edges have no times to permute");
        }
        let windows = Arc::clone(&self.windows);
        let appearances: AppearanceMaker = Box::new(move || Appearances::from_windows(&windows));
        Ok((appearances, maker(&self.sampling, &self.motif, self.seed)))
    }
}

/// What a test of changes is made of, or why there can be none.
pub(super) type Null = std::result::Result<(AppearanceMaker, WindowMaker), &'static str>;

/// A window of a network, its sampler, and what there is to say.
fn window(
    whole: Network,
    (name, span): (String, Option<(f64, f64)>),
    sampling: &SamplingSettings,
    motif: &Motif,
    seed: u64,
) -> ergodict::Result<(Window, Option<SamplerKind>, Vec<Note>)> {
    let network = Arc::new(whole.clone());
    if whole.edges() == 0 {
        let drawn = Err("has no edge".into());
        return Ok((Window { name, span, network, drawn }, None, Vec::new()));
    }
    let chosen = placed(sampling.choose(Use::Learn, whole, motif, seed));
    match chosen.map_err(|error| in_window(error, &name))? {
        Ok(chosen) => {
            let drawn = Ok((chosen.network, chosen.sampler));
            Ok((Window { name, span, network, drawn }, Some(chosen.kind), chosen.notes))
        }
        Err(reason) => Ok((Window { name, span, network, drawn: Err(reason) }, None, Vec::new())),
    }
}

/// Makes windows of permuted times, with the sampler that all have.
pub(super) fn maker(sampling: &SamplingSettings, motif: &Motif, seed: u64) -> WindowMaker {
    let (sampling, motif) = (sampling.clone(), motif.clone());
    Arc::new(move |network| Ok(window(network, ("permuted".to_owned(), None), &sampling, &motif, seed)?.0))
}

/// Says which window it is that needs more memory than there is.
fn in_window(error: Error, name: &str) -> Error {
    match error {
        Error::Memory { what, needed, available, way_out, hint } => {
            Error::Memory { what: format!("{what} in the window {name}"), needed, available, way_out, hint }
        }
        error => error,
    }
}

/// What came of choosing a sampler: that the network is not made for it is no error.
pub(super) fn placed<T>(chosen: ergodict::Result<T>) -> ergodict::Result<std::result::Result<T, String>> {
    match chosen {
        Ok(chosen) => Ok(Ok(chosen)),
        Err(error @ Error::Parameter { .. }) => Ok(Err(format!("has no room for the motif: {error}"))),
        Err(error) => Err(error),
    }
}

impl WindowSeries for TimedSeries {
    fn len(&self) -> usize {
        self.windows.len()
    }

    fn open(&mut self, at: usize) -> ergodict::Result<Window> {
        Ok(self.made(at)?.0)
    }
}
