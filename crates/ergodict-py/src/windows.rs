//! The windows that learning over time goes through: snapshots that are given, or windows of edges with times, each made when it is asked for.

use crate::sampling::{Sampling, placed};
use ergodict::chain::SampledNetwork;
use ergodict::chain::{Motif, SamplerKind, Use};
use ergodict::data::{Appearances, Network, Windows};
use ergodict::run::{AppearanceMaker, Window, WindowMaker, WindowSeries};
use ergodict::{Error, Result};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// A window with the sampler that is asked for, or the one that fits; also which it is, and what there is to say.
pub(crate) fn window(
    network: &Arc<Network>,
    (name, span): (&str, Option<(f64, f64)>),
    sampling: &Sampling,
    motif: &Motif,
    kind: Option<SamplerKind>,
    seed: u64,
) -> Result<(Window, Option<SamplerKind>, Vec<String>)> {
    let made = |drawn| Window { name: name.to_owned(), span, network: Arc::clone(network), drawn };
    match sampling.choose(network, motif, Use::Learn, kind, seed) {
        Ok(ready) => Ok((made(Ok(ready.drawn)), Some(ready.kind), ready.notes)),
        // That there is no room for the motif is no error: the window is passed over.
        Err(error @ Error::Parameter { .. }) => {
            Ok((made(Err(format!("has no room for the motif: {error}"))), None, Vec::new()))
        }
        Err(error) => Err(error),
    }
}

/// Windows made ready: the sampler that all have, the motif as it sees it, and what there is to say.
pub(crate) struct Prepared {
    pub(crate) kind: SamplerKind,
    pub(crate) motif: Motif,
    pub(crate) notes: Vec<String>,
    /// Networks with samplers that stay in memory, in the order of their windows.
    pub(crate) drawn: Vec<SampledNetwork>,
    pub(crate) series: Box<dyn WindowSeries>,
    /// What changes are tested against, or why they cannot be.
    pub(crate) null: Null,
}

/// What a test of changes is made of, or why there can be none.
pub(crate) type Null = std::result::Result<(AppearanceMaker, WindowMaker), &'static str>;

/// Makes windows of permuted times, with the sampler that all have.
fn maker(sampling: &Sampling, motif: &Motif, kind: SamplerKind, seed: u64) -> WindowMaker {
    let (sampling, motif) = (sampling.clone(), motif.clone());
    Arc::new(move |network| {
        let called = ("permuted", None);
        Ok(window(&Arc::new(network), called, &sampling, &motif, Some(kind), seed)?.0)
    })
}

/// Snapshots that are given, with their names and, where they are known, their times.
pub(crate) fn snapshots(
    networks: &[Arc<Network>],
    names: &[(&str, Option<(f64, f64)>)],
    sampling: &Sampling,
    motif: &Motif,
    seed: u64,
) -> PyResult<Prepared> {
    let (mut windows, mut drawn, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let mut chosen: Option<(SamplerKind, Motif)> = None;
    for (network, &(name, span)) in networks.iter().zip(names) {
        let (window, kind, said) = window(network, (name, span), sampling, motif, None, seed)
            .map_err(|error| placed(name, error))?;
        if let (Ok(one), Some(kind)) = (&window.drawn, kind) {
            let (first, _) = chosen.get_or_insert_with(|| (kind, one.1.motif().clone()));
            if *first != kind {
                return Err(PyValueError::new_err(format!(
                    "{name}: {kind} would be used here and {first} before: say one sampler for all networks"
                )));
            }
            drawn.push(one.clone());
            notes.extend(said.iter().map(|note| format!("{name}: {note}")));
        }
        windows.push(window);
    }
    let Some((kind, motif)) = chosen else { return Err(PyValueError::new_err(none_of(&windows))) };
    let all: Vec<Arc<Network>> = networks.to_vec();
    let appearances: AppearanceMaker = Box::new(move || Some(Appearances::from_snapshots(&all)));
    let null = Ok((appearances, maker(sampling, &motif, kind, seed)));
    Ok(Prepared { kind, motif, notes, drawn, series: Box::new(windows), null })
}

/// Why none of some windows can be learned from.
fn none_of(windows: &[Window]) -> String {
    match windows.first().map(|window| (&window.name, &window.drawn)) {
        Some((name, Err(reason))) => format!("{name}: {reason}"),
        _ => "no network is given".into(),
    }
}

/// Windows of edges with times. The first that a sampler can be made in says which one all have.
pub(crate) fn timed(
    windows: &Arc<Windows>,
    sampling: &Sampling,
    motif: &Motif,
    seed: u64,
) -> PyResult<Prepared> {
    let mut series = Timed {
        windows: Arc::clone(windows),
        sampling: sampling.clone(),
        motif: motif.clone(),
        kind: None,
        seed,
    };
    let mut why: Option<String> = None;
    for at in 0..windows.len() {
        let (window, kind, notes) = series.made(at).map_err(|error| placed(&windows.name(at), error))?;
        match (window.drawn, kind) {
            (Ok(drawn), Some(kind)) => {
                series.kind = Some(kind);
                series.motif = drawn.1.motif().clone();
                let notes = notes.iter().map(|note| format!("{}: {note}", window.name)).collect();
                let motif = series.motif.clone();
                let null = if windows.rows().removes().is_some() {
                    Err("rows that remove edges have no times to permute")
                } else {
                    let rows = Arc::clone(windows);
                    let made: AppearanceMaker = Box::new(move || Appearances::from_windows(&rows));
                    Ok((made, maker(sampling, &motif, kind, seed)))
                };
                return Ok(Prepared {
                    kind,
                    motif,
                    notes,
                    drawn: Vec::new(),
                    series: Box::new(series),
                    null,
                });
            }
            (Err(reason), _) if why.is_none() => why = Some(reason),
            _ => {}
        }
    }
    let why = why.unwrap_or_default();
    Err(PyValueError::new_err(format!("no window can be learned from: the first {why}")))
}

/// Windows of edges with times, one in memory at a time.
struct Timed {
    windows: Arc<Windows>,
    sampling: Sampling,
    motif: Motif,
    kind: Option<SamplerKind>,
    seed: u64,
}

impl Timed {
    fn made(&self, at: usize) -> Result<(Window, Option<SamplerKind>, Vec<String>)> {
        let (name, span) = (self.windows.name(at), Some(self.windows.span(at)));
        let network = Arc::new(self.windows.network(at)?);
        if network.edges() == 0 {
            let drawn = Err("has no edge".into());
            return Ok((Window { name, span, network, drawn }, None, Vec::new()));
        }
        window(&network, (&name, span), &self.sampling, &self.motif, self.kind, self.seed)
    }
}

impl WindowSeries for Timed {
    fn len(&self) -> usize {
        self.windows.len()
    }

    fn open(&mut self, at: usize) -> Result<Window> {
        Ok(self.made(at)?.0)
    }
}
