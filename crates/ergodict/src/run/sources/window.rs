//! Minibatches of a network window by window, with what is seen at each: how far the network changed, and what became of the dictionary and the chains.
//!
//! [`Source::prepare`] does all that happens between two windows: closes the one that is over, and opens the next.
//!
//! One window is in memory at a time, and one more while it is compared with the next.

use super::network::NetworkPlan;
use crate::chain::SampledNetwork;
use crate::chain::TraceSet;
use crate::data::{Network, Times, differences};
use crate::factor::Factorizer;
use crate::linalg::{Mat, Scalar};
use crate::model::{Model, OverTime, WindowRecord, change};
use crate::patch::{NetworkPoint, NetworkStream};
use crate::rng::ids;
use crate::run::{Form, Next, Resumable, Sections, Source, SourceStats, Stop, WindowStats};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Windows whose chains are watched for how they mix; of more, the first.
const WATCHED: usize = 64;

/// A network at one time.
///
/// ```
/// use ergodict::{chain::{ExactSampler, Motif}, data::Network, run::Window};
/// use std::sync::Arc;
/// let network = Arc::new(Network::simple(3, &[(0, 1), (1, 2)])?);
/// let sampler = ExactSampler::new(network.clone(), &Motif::path(3)?)?;
/// let drawn = Ok((network.clone(), Arc::new(sampler) as _));
/// let window = Window { name: "May".to_owned(), span: Some((0.0, 31.0)), network, drawn };
/// assert!(window.drawn.is_ok());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone)]
pub struct Window {
    /// What it is called.
    pub name: String,
    /// When it begins and ends, where that is known.
    pub span: Option<(f64, f64)>,
    /// All of it.
    pub network: Arc<Network>,
    /// The part that homomorphisms go into, and how they are drawn; or why none can be, so that it is passed over.
    pub drawn: std::result::Result<SampledNetwork, String>,
}

impl Window {
    /// Its name and what is sampled, where it can be learned from.
    pub(super) fn sampled(&self) -> Option<(String, SampledNetwork)> {
        Some((self.name.clone(), self.drawn.as_ref().ok()?.clone()))
    }
}

/// A network at several times, each made when it is asked for.
pub(in crate::run) trait WindowSeries: Send + Sync {
    /// Number of windows.
    fn len(&self) -> usize;

    /// The window at a place. Asked again, it must be the same.
    ///
    /// # Errors
    /// Whatever stands against it, but for windows that are too small: those are passed over.
    fn open(&mut self, at: usize) -> Result<Window>;

    /// Those that are in memory to the end.
    fn in_memory(&self) -> &[Window] {
        &[]
    }
}

impl WindowSeries for Vec<Window> {
    fn in_memory(&self) -> &[Window] {
        self
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn open(&mut self, at: usize) -> Result<Window> {
        match self.get(at) {
            Some(window) => Ok(window.clone()),
            None => Err(Error::parameter("the place of a window", at, format!("there are {}", self.len()))),
        }
    }
}

/// Where a run through windows is, but for what it has kept of them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct WindowPoint {
    /// The window.
    pub(super) window: usize,
    /// The minibatch that it ends before.
    pub(super) end: u64,
    /// Where its chains are.
    pub(super) stream: NetworkPoint,
    /// Squared errors of the dictionary that came to it, batch by batch: on the window, and on the one before; none of the first.
    pub(super) incoming_errors: Option<(Vec<f64>, Vec<f64>)>,
}

/// Patches of a network, window by window.
pub(in crate::run) struct WindowSource<T: Scalar> {
    /// Windows of a run before this one.
    before: usize,
    /// Windows before those of the series that cannot be opened any more: those of a run before, and those that were forgotten since.
    gone: usize,
    series: Box<dyn WindowSeries>,
    /// Windows after those of the series, with their minibatches.
    more: Vec<(Window, u64)>,
    plan: NetworkPlan,
    stream: NetworkStream,
    /// The window that is learned from, and the network of the last that was opened.
    at: usize,
    drawn: SampledNetwork,
    network: Arc<Network>,
    /// Fresh patches of the window, and of the one before that was learned from, for errors and the change score.
    fresh: Mat<f64>,
    fresh_before: Option<Mat<f64>>,
    /// See [`WindowPoint::incoming_errors`].
    incoming_errors: Option<(Vec<f64>, Vec<f64>)>,
    /// Minibatches made, and made when this window is over.
    made: u64,
    end: u64,
    pub(super) traces: Vec<TraceSet>,
    over_time: OverTime,
    x: Mat<T>,
    form: Form,
}

impl<T: Scalar> WindowSource<T> {
    /// Goes to the first window that can be learned from.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is none, or no patch to score by; those of [`WindowSeries::open`].
    pub(in crate::run) fn new(series: Box<dyn WindowSeries>, plan: NetworkPlan) -> Result<Self> {
        Self::after(series, plan, 0, 0)
    }

    /// The same, with `gone` windows before those of the series that cannot be opened any more, the first `before` of which are of a run before.
    /// What is known of them comes from a checkpoint or from [`Source::continue_from`].
    ///
    /// # Errors
    /// As [`WindowSource::new`].
    pub(in crate::run) fn after(
        mut series: Box<dyn WindowSeries>,
        plan: NetworkPlan,
        before: usize,
        gone: usize,
    ) -> Result<Self> {
        if plan.score_patches < 2 {
            let expected = "an error needs at least two patches";
            return Err(Error::parameter(
                "the number of patches for the change score",
                plan.score_patches,
                expected,
            ));
        }
        let mut over_time = OverTime::new(plan.times);
        over_time.windows.resize(gone, WindowRecord::default());
        let mut last: Option<Arc<Network>> = None;
        let windows = series.len();
        for place in 0..windows {
            let at = gone + place;
            let window = series.open(place)?;
            over_time.windows.push(record(&window, last.as_deref(), 0));
            let Ok(drawn) = window.drawn else {
                last = Some(window.network);
                continue;
            };
            let stream = NetworkStream::new(std::slice::from_ref(&drawn), plan.batches, plan.seed)?;
            let fresh = draw(&drawn, &plan, at)?;
            let mut source = Self {
                before,
                gone,
                series,
                more: Vec::new(),
                stream,
                at,
                drawn,
                network: window.network,
                fresh,
                fresh_before: None,
                incoming_errors: None,
                made: 0,
                end: plan.steps,
                traces: Vec::new(),
                over_time,
                x: Mat::zeros(0, 0),
                form: Form::Network(plan.form.clone()),
                plan,
            };
            source.watch_window(&window.name);
            return Ok(source);
        }
        let why = over_time.windows.into_iter().find_map(|window| window.passed_over).unwrap_or_default();
        let expected = if windows == 0 {
            "at least one is needed".into()
        } else {
            format!("none can be learned from: {why}")
        };
        Err(Error::parameter("the number of windows", windows, expected))
    }

    /// Keeps no dictionaries of windows but the first.
    pub(in crate::run) fn keep_scores_alone(&mut self) {
        self.over_time.stride = 1 << 32;
    }

    /// Closes the window that is over, and opens the next that can be learned from, if there is one.
    fn go_to_next(&mut self, factorizer: &mut Factorizer<T>) -> Result<()> {
        let left = self.close(factorizer)?;
        while self.over_time.windows.len() < self.windows() {
            let at = self.over_time.windows.len();
            let (window, steps) = self.open(at)?;
            let mut record = record(&window, Some(&self.network), self.made);
            self.network = window.network;
            let Ok(drawn) = window.drawn else {
                self.over_time.windows.push(record);
                continue;
            };
            let fresh = draw(&drawn, &self.plan, at)?;
            let seen = change::seen(factorizer, &fresh)?;
            record.error_before = Some(seen.error);
            // Nothing can go wrong below, so that what a failed opening leaves behind is a state to go on from.
            record.moved = self.stream.follow(&drawn.0, &drawn.1)?;
            self.incoming_errors = Some((seen.off, left));
            self.fresh_before = Some(std::mem::replace(&mut self.fresh, fresh));
            self.over_time.windows.push(record);
            (self.at, self.drawn, self.end) = (at, drawn, self.made.saturating_add(steps));
            self.watch_window(&window.name);
            return Ok(());
        }
        Ok(())
    }

    /// Keeps what was learned from the window, and gives the squared errors of its dictionary on it.
    fn close(&mut self, factorizer: &mut Factorizer<T>) -> Result<Vec<f64>> {
        let seen = change::seen(factorizer, &self.fresh)?;
        let mut change = None;
        if let (Some((now, before)), Some(fresh)) = (&self.incoming_errors, &self.fresh_before) {
            let back = change::seen(factorizer, fresh)?;
            change = change::score((now, &seen.off), (before, &back.off));
        }
        let record = &mut self.over_time.windows[self.at];
        record.steps = self.made - record.begin;
        (record.error_after, record.dominance, record.change) = (Some(seen.error), seen.dominance, change);
        self.over_time.keep(self.at, factorizer.dictionary());
        Ok(seen.off)
    }

    fn open(&mut self, at: usize) -> Result<(Window, u64)> {
        let Some(place) = at.checked_sub(self.gone) else {
            let expected = format!("the first {} cannot be opened any more", self.gone);
            return Err(Error::parameter("the place of a window", at, expected));
        };
        match self.more.get(place.wrapping_sub(self.series.len())) {
            Some((window, steps)) if place >= self.series.len() => Ok((window.clone(), *steps)),
            _ => Ok((self.series.open(place)?, self.plan.steps)),
        }
    }

    /// The last window that was learned from before the one at a place, in this run.
    fn learned_before(windows: &[WindowRecord], at: usize, first: usize) -> Option<usize> {
        let known = windows.get(first..at)?;
        known.iter().rposition(|one| one.passed_over.is_none()).map(|place| first + place)
    }

    /// Begins to watch the chains of a window.
    fn watch_window(&mut self, name: &str) {
        if self.traces.len() < WATCHED {
            let observable = self.plan.observable();
            let (chains, share) = (self.plan.batches.chains, self.windows().min(WATCHED));
            self.traces.push(TraceSet::new(observable, name, chains, share));
        }
    }

    /// Looks at the patches of a minibatch, each for the chain it is of.
    fn watch(&mut self) {
        // Those beyond the first are not watched.
        let own = self.over_time.windows.iter().skip(self.before);
        let learned = own.filter(|window| window.passed_over.is_none()).count();
        let Some(set) = self.traces.get_mut(learned - 1) else { return };
        let mut column = 0;
        for (trace, share) in set.traces.iter_mut().zip(self.stream.shares()) {
            for j in column..column + share {
                trace.push_with(|| self.plan.form.off_motif(self.x.col(j)));
            }
            column += share;
        }
    }

    /// Number of windows.
    fn windows(&self) -> usize {
        self.gone + self.series.len() + self.more.len()
    }

    /// What was kept of windows so far; the last may be under way.
    pub(super) fn over_time(&self) -> &OverTime {
        &self.over_time
    }

    /// Goes to where a source of the same windows and seed was after `made` minibatches, with what that had kept.
    ///
    /// # Errors
    /// [`Error::Parameter`] when that is no window that can be learned from; those of [`WindowSeries::open`] and [`NetworkStream::seek`].
    pub(super) fn seek(&mut self, made: u64, point: &WindowPoint, over_time: OverTime) -> Result<()> {
        let further = || Error::parameter("the state", made, "it is further than the run goes");
        let opened = over_time.windows.len();
        if point.window >= opened || opened > self.windows() || made > point.end {
            return Err(further());
        }
        // Records of a damaged file must not be counted with.
        let record = &over_time.windows[point.window];
        let kept = over_time.kept.len() == over_time.dictionaries.len()
            && over_time.kept.iter().all(|at| *at < opened)
            && over_time.kept.is_sorted();
        if record.passed_over.is_some() || record.begin > made || !kept {
            let expected = "its windows contradict each other";
            return Err(Error::parameter("the state", made, expected));
        }
        let (window, _) = self.open(point.window)?;
        let drawn = window.drawn.map_err(|_| further())?;
        self.stream = NetworkStream::new(std::slice::from_ref(&drawn), self.plan.batches, self.plan.seed)?;
        self.stream.seek(&point.stream)?;
        self.fresh = draw(&drawn, &self.plan, point.window)?;
        self.fresh_before = match Self::learned_before(&over_time.windows, point.window, self.before) {
            Some(at) => Some(draw(&self.open(at)?.0.drawn.map_err(|_| further())?, &self.plan, at)?),
            None => None,
        };
        self.incoming_errors.clone_from(&point.incoming_errors);
        // Of windows at the end that were passed over, the last is what the next is compared with.
        self.network =
            if opened - 1 == point.window { window.network } else { self.open(opened - 1)?.0.network };
        (self.at, self.drawn, self.made, self.end) = (point.window, drawn, made, point.end);
        self.over_time = over_time;
        self.traces.clear();
        let own = self.over_time.windows.iter().skip(self.before);
        let learned = own.filter(|window| window.passed_over.is_none());
        for name in learned.map(|window| window.name.clone()).collect::<Vec<_>>() {
            self.watch_window(&name);
        }
        Ok(())
    }
}

impl<T: Scalar> Resumable for WindowSource<T> {
    fn save(&self, to: &mut Sections) -> Result<()> {
        let stream = self.stream.point();
        let incoming_errors = self.incoming_errors.clone();
        let point = WindowPoint { window: self.at, end: self.end, stream, incoming_errors };
        to.put_json("traces", &self.traces)?;
        to.put_json("window", &(self.made, point))?;
        self.over_time.save(to)
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        let (made, point): (u64, WindowPoint) = from.json("window")?;
        self.seek(made, &point, OverTime::restored(from)?)?;
        super::restore_traces(&mut self.traces, from)
    }
}

impl<T: Scalar> Source<T> for WindowSource<T> {
    fn form(&self) -> &Form {
        &self.form
    }

    fn made(&self) -> u64 {
        self.made
    }

    /// If no further window is passed over.
    fn planned(&self) -> Option<u64> {
        let opened = self.over_time.windows.len() - self.gone;
        let series = self.series.len().saturating_sub(opened) as u64;
        let more = self.more.iter().skip(opened.saturating_sub(self.series.len())).map(|(_, steps)| *steps);
        let later = series.saturating_mul(self.plan.steps);
        Some(self.end.saturating_add(more.fold(later, u64::saturating_add)))
    }

    fn samples(&self) -> Option<u64> {
        Some(self.planned()?.saturating_mul(self.plan.batches.batch as u64))
    }

    /// Of the window that is learned from.
    fn extend(&mut self, minibatches: u64) -> Result<()> {
        self.end = self.end.saturating_add(minibatches);
        Ok(())
    }

    fn prepare(&mut self, dictionary: Option<&mut Factorizer<T>>) -> Result<()> {
        match dictionary.filter(|_| self.made >= self.end) {
            Some(dictionary) => self.go_to_next(dictionary),
            None => Ok(()),
        }
    }

    fn next(&mut self, _: &Stop) -> Result<Next<'_, T>> {
        if self.made >= self.end {
            return Ok(Next::End);
        }
        self.stream.fill(&mut self.x);
        self.watch();
        self.made += 1;
        Ok(Next::Minibatch((&self.x).into()))
    }

    fn stats(&self) -> SourceStats<'_> {
        SourceStats {
            sampler: Some(self.plan.sampler),
            independent: self.drawn.1.is_independent(),
            acceptance: self.stream.acceptance(),
            transfer: self.stream.moved(),
            traces: &self.traces,
            windows: Some(WindowStats { over_time: &self.over_time, count: self.windows(), end: self.end }),
            ..SourceStats::default()
        }
    }

    fn networks(&self) -> Result<Vec<(String, SampledNetwork)>> {
        if let Some(title) = &self.plan.title {
            return Ok(vec![(title.clone(), self.drawn.clone())]);
        }
        let more = self.more.iter().map(|(window, _)| window);
        Ok(self.series.in_memory().iter().chain(more).filter_map(Window::sampled).collect())
    }

    fn follow(&mut self, next: Window, steps: u64, times: Times) -> Result<Option<Box<dyn Source<T>>>> {
        if let Some(k) = next.drawn.as_ref().ok().map(|drawn| drawn.1.motif().k())
            && k != self.plan.form.k
        {
            let expected = format!("it must have {} nodes as before", self.plan.form.k);
            return Err(Error::parameter("the motif", k, expected));
        }
        self.more.push((next, steps));
        self.over_time.times = times;
        Ok(None)
    }

    /// Windows come after those of the model.
    fn continue_from(&mut self, model: &Model) -> Result<()> {
        let Some(kept) = model.over_time.clone() else { return Ok(()) };
        if kept.windows.len() != self.before || self.gone != self.before || self.made > 0 {
            let expected = format!("there were {}", self.before);
            return Err(Error::parameter(
                "the number of windows of the run before",
                kept.windows.len(),
                expected,
            ));
        }
        let made = model.aggregates.t;
        let own = std::mem::replace(&mut self.over_time, kept);
        if self.over_time.windows.iter().all(|window| window.span.is_none()) {
            self.over_time.times = own.times;
        }
        let own = own.windows.into_iter().skip(self.before);
        self.over_time.windows.extend(own.map(|window| WindowRecord { begin: made, ..window }));
        (self.made, self.end) = (made, self.end.saturating_add(made));
        Ok(())
    }

    /// Those before the last one that was learned from before this one; those of the series go together.
    fn forget(&mut self) -> usize {
        let needed = Self::learned_before(&self.over_time.windows, self.at, self.before).unwrap_or(self.at);
        if let Some(more) = needed.checked_sub(self.gone + self.series.len()) {
            self.gone = needed;
            self.series = Box::new(Vec::<Window>::new());
            self.more.drain(..more);
        }
        self.gone
    }
}

/// Fresh patches of a window.
fn draw(drawn: &SampledNetwork, plan: &NetworkPlan, at: usize) -> Result<Mat<f64>> {
    change::draw(drawn, plan.score_patches, plan.batches, plan.seed, ids::SCORES + at as u64)
}

/// What there is to say of a window before anything is learned from it.
fn record(window: &Window, before: Option<&Network>, begin: u64) -> WindowRecord {
    WindowRecord {
        name: window.name.clone(),
        span: window.span,
        nodes: window.network.nodes() as u64,
        edges: window.network.edges(),
        differences: before.map(|before| differences(before, &window.network)),
        passed_over: window.drawn.as_ref().err().cloned(),
        begin,
        ..WindowRecord::default()
    }
}

#[cfg(test)]
mod tests;
