//! Minibatches of a network window by window, with what is seen at each: how far the network changed, and what became of the dictionary and the chains.
//!
//! A run goes like this, where [`WindowSource::between`] does all that happens between two windows:
//!
//! ```text
//! loop {
//!     source.between(factoriser)?;            // closes a window that is over, opens the next
//!     if !source.fill(&mut x)? { break }      // all windows are over
//!     factoriser.step(&x)?;
//! }
//! ```
//!
//! One window is in memory at a time, and one more while it is compared with the next.

use super::{Drawn, OverTime, WindowRecord, change};
use crate::chain::Watched;
use crate::chain::diagnostics::Acceptance;
use crate::data::{Network, Times, differences};
use crate::factor::Factoriser;
use crate::linalg::{Mat, Scalar};
use crate::patch::{Moved, NetworkForm, NetworkPoint, NetworkStream, Watching};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Windows whose chains are watched for how they mix; of more, the first.
const WATCHED: usize = 64;

/// A network at one time.
///
/// ```
/// use ergodict::{chain::{ExactSampler, Motif}, data::Network, dictionary::Window};
/// use std::sync::Arc;
/// let network = Arc::new(Network::simple(3, &[(0, 1), (1, 2)])?);
/// let sampler = ExactSampler::new(network.clone(), &Motif::chain(3)?)?;
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
    pub drawn: std::result::Result<Drawn, String>,
}

/// A network at several times, each made when it is asked for.
///
/// ```
/// use ergodict::{data::Network, dictionary::{Series, Window}};
/// /// Stars that grow by a leaf each day, each made when it is asked for.
/// struct Growing;
/// impl Series for Growing {
///     fn len(&self) -> usize {
///         7
///     }
///     fn open(&mut self, at: usize) -> ergodict::Result<Window> {
///         let edges: Vec<(u32, u32)> = (1..=at as u32 + 2).map(|leaf| (0, leaf)).collect();
///         let network = Network::simple(at + 3, &edges)?.into();
///         Ok(Window { name: format!("day {at}"), span: None, network, drawn: Err("not sampled".to_owned()) })
///     }
/// }
/// assert_eq!((Growing.len(), Growing.open(6)?.network.edges()), (7, 8));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub trait Series: Send + Sync {
    /// Number of windows.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The window at a place. Asked again, it must be the same.
    ///
    /// # Errors
    /// Whatever stands against it, but for windows that are too small: those are passed over.
    fn open(&mut self, at: usize) -> Result<Window>;
}

impl Series for Vec<Window> {
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

/// How a run goes through windows.
///
/// ```
/// use ergodict::dictionary::{OverTimeOptions, SCORE_PATCHES};
/// use ergodict::{chain::Motif, data::Times, patch::{NetworkForm, Watching}};
/// let options = OverTimeOptions {
///     steps: 20,
///     watching: Watching { batch: 50, ..Watching::default() },
///     patches: SCORE_PATCHES,
///     times: Times::Numbers,
///     form: NetworkForm::new(&Motif::chain(5)?, false, false),
///     seed: 0,
/// };
/// assert_eq!(options.form.features(), Some(25));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OverTimeOptions {
    /// Minibatches of each window.
    pub steps: u64,
    /// How chains are watched.
    pub watching: Watching,
    /// Fresh patches of a window that errors and the change score are from.
    pub patches: usize,
    /// What times are, for who tells them.
    pub times: Times,
    /// What a patch is.
    pub form: NetworkForm,
    /// The seed of all chains.
    pub seed: u64,
}

/// Where a run through windows is, but for what it has kept of them.
///
/// ```
/// use ergodict::{dictionary::WindowPoint, patch::{Moved, NetworkPoint}};
/// let stream = NetworkPoint { passed: 2, moved: Moved::default(), chains: vec![] };
/// let point = WindowPoint { window: 2, end: 300, stream, came_with: None };
/// let json = serde_json::to_string(&point).unwrap();
/// assert_eq!(serde_json::from_str::<WindowPoint>(&json).unwrap(), point); // as checkpoints have it
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WindowPoint {
    /// The window.
    pub window: usize,
    /// The minibatch that it ends before.
    pub end: u64,
    /// Where its chains are.
    pub stream: NetworkPoint,
    /// Squared errors of the dictionary that came to it, batch by batch: on the window, and on the one before; none of the first.
    #[serde(default)]
    pub came_with: Option<(Vec<f64>, Vec<f64>)>,
}

/// Patches of a network, window by window.
///
/// ```
/// use ergodict::chain::{ExactSampler, Motif};
/// use ergodict::dictionary::{OverTimeOptions, Window, WindowSource};
/// use ergodict::factor::{Factoriser, Parameters};
/// use ergodict::{data::{Times, embedded}, linalg::Mat, patch::{NetworkForm, Watching}};
/// let (network, motif) = (std::sync::Arc::new(embedded("karate")?), Motif::chain(4)?);
/// let sampler = std::sync::Arc::new(ExactSampler::new(network.clone(), &motif)?);
/// let window = |name: &str| Window {
///     name: name.to_owned(),
///     span: None,
///     network: network.clone(),
///     drawn: Ok((network.clone(), sampler.clone())),
/// };
/// let form = NetworkForm::new(&motif, false, false);
/// let options =
///     OverTimeOptions { steps: 3, watching: Watching::default(), patches: 200, times: Times::Numbers, form, seed: 0 };
/// let mut source = WindowSource::new(Box::new(vec![window("Monday"), window("Tuesday")]), options)?;
/// let (mut learned, mut x) = (Factoriser::<f64>::random(Parameters::new(3), 16, 0)?, Mat::zeros(0, 0));
/// loop {
///     source.between(Some(&mut learned))?; // closes a window that is over, opens the next
///     if !source.fill(&mut x)? {
///         break;
///     }
///     learned.step(&x)?;
/// }
/// assert_eq!((source.made(), source.over_time().learned().count()), (6, 2));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct WindowSource {
    /// Windows of a run before this one.
    before: usize,
    /// Windows before those of the series that cannot be opened any more: those of a run before, and those that were forgotten since.
    gone: usize,
    series: Box<dyn Series>,
    /// Windows after those of the series, with their minibatches.
    more: Vec<(Window, u64)>,
    options: OverTimeOptions,
    stream: NetworkStream,
    /// The window that is learned from, and the network of the last that was opened.
    at: usize,
    drawn: Drawn,
    network: Arc<Network>,
    /// Fresh patches of the window, and of the one before that was learned from, for errors and the change score.
    fresh: Mat<f64>,
    fresh_before: Option<Mat<f64>>,
    /// See [`WindowPoint::came_with`].
    came_with: Option<(Vec<f64>, Vec<f64>)>,
    /// Minibatches made, and made when this window is over.
    made: u64,
    end: u64,
    watched: Vec<Watched>,
    over_time: OverTime,
}

impl WindowSource {
    /// Goes to the first window that can be learned from.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is none, or no patch to score by; those of [`Series::open`] and [`NetworkStream::new`].
    pub fn new(series: Box<dyn Series>, options: OverTimeOptions) -> Result<Self> {
        Self::after(series, options, 0, 0)
    }

    /// The same, with `gone` windows before those of the series that cannot be opened any more, the first `before` of which are of a run before.
    /// What is known of them, [`WindowSource::seek`] or [`WindowSource::continued`] has to tell.
    ///
    /// # Errors
    /// As [`WindowSource::new`].
    pub fn after(
        mut series: Box<dyn Series>,
        options: OverTimeOptions,
        before: usize,
        gone: usize,
    ) -> Result<Self> {
        if options.patches < 2 {
            let expected = "an error needs at least two patches";
            return Err(Error::parameter(
                "the number of patches for the change score",
                options.patches,
                expected,
            ));
        }
        let mut over_time = OverTime::new(options.times);
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
            let stream = NetworkStream::new(std::slice::from_ref(&drawn), options.watching, options.seed)?;
            let fresh = draw(&drawn, &options, at)?;
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
                came_with: None,
                made: 0,
                end: options.steps,
                watched: Vec::new(),
                over_time,
                options,
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

    /// Closes the window that is over, if it is, and opens the next that can be learned from, if there is one. Has to be called before each
    /// [`WindowSource::fill`], with the dictionary as it is; does nothing within a window.
    ///
    /// # Errors
    /// Those of [`Series::open`], of [`NetworkStream::follow`] and of coding.
    pub fn between<T: Scalar>(&mut self, factoriser: Option<&mut Factoriser<T>>) -> Result<()> {
        let Some(factoriser) = factoriser.filter(|_| self.made >= self.end) else { return Ok(()) };
        let left = self.close(factoriser)?;
        while self.over_time.windows.len() < self.windows() {
            let at = self.over_time.windows.len();
            let (window, steps) = self.open(at)?;
            let mut record = record(&window, Some(&self.network), self.made);
            self.network = window.network;
            let Ok(drawn) = window.drawn else {
                self.over_time.windows.push(record);
                continue;
            };
            let fresh = draw(&drawn, &self.options, at)?;
            let seen = change::seen(factoriser, &fresh)?;
            record.error_before = Some(seen.error);
            // Nothing can go wrong below, so that what a failed opening leaves behind is a state to go on from.
            record.moved = self.stream.follow(&drawn.0, &drawn.1)?;
            self.came_with = Some((seen.off, left));
            self.fresh_before = Some(std::mem::replace(&mut self.fresh, fresh));
            self.over_time.windows.push(record);
            (self.at, self.drawn, self.end) = (at, drawn, self.made.saturating_add(steps));
            self.watch_window(&window.name);
            return Ok(());
        }
        Ok(())
    }

    /// Keeps what was learned from the window, and gives the squared errors of its dictionary on it.
    fn close<T: Scalar>(&mut self, factoriser: &mut Factoriser<T>) -> Result<Vec<f64>> {
        let seen = change::seen(factoriser, &self.fresh)?;
        let mut change = None;
        if let (Some((now, before)), Some(fresh)) = (&self.came_with, &self.fresh_before) {
            let back = change::seen(factoriser, fresh)?;
            change = change::score((now, &seen.off), (before, &back.off));
        }
        let record = &mut self.over_time.windows[self.at];
        record.steps = self.made - record.begin;
        (record.error_after, record.dominance, record.change) = (Some(seen.error), seen.dominance, change);
        self.over_time.keep(self.at, factoriser.dictionary());
        Ok(seen.off)
    }

    fn open(&mut self, at: usize) -> Result<(Window, u64)> {
        let Some(place) = at.checked_sub(self.gone) else {
            let expected = format!("the first {} cannot be opened any more", self.gone);
            return Err(Error::parameter("the place of a window", at, expected));
        };
        match self.more.get(place.wrapping_sub(self.series.len())) {
            Some((window, steps)) if place >= self.series.len() => Ok((window.clone(), *steps)),
            _ => Ok((self.series.open(place)?, self.options.steps)),
        }
    }

    /// The last window that was learned from before the one at a place, in this run.
    fn learned_before(windows: &[WindowRecord], at: usize, first: usize) -> Option<usize> {
        let known = windows.get(first..at)?;
        known.iter().rposition(|one| one.passed_over.is_none()).map(|place| first + place)
    }

    /// Makes this the rest of a run that was `made` minibatches long, with what that kept of its windows. Has to be called before all others.
    ///
    /// # Errors
    /// [`Error::Parameter`] when they are not as many as [`WindowSource::after`] was told.
    pub fn continued(&mut self, made: u64, kept: OverTime) -> Result<()> {
        if kept.windows.len() != self.before || self.gone != self.before || self.made > 0 {
            let expected = format!("there were {}", self.before);
            return Err(Error::parameter(
                "the number of windows of the run before",
                kept.windows.len(),
                expected,
            ));
        }
        let own = std::mem::replace(&mut self.over_time, kept);
        if self.over_time.windows.iter().all(|window| window.span.is_none()) {
            self.over_time.times = own.times;
        }
        let own = own.windows.into_iter().skip(self.before);
        self.over_time.windows.extend(own.map(|window| WindowRecord { begin: made, ..window }));
        (self.made, self.end) = (made, self.end.saturating_add(made));
        Ok(())
    }

    /// Forgets the networks of windows that nothing needs any more: those before the last one that was learned from before this one. Those of the
    /// series go together. Gives how many windows cannot be opened again.
    pub fn forget(&mut self) -> usize {
        let needed = Self::learned_before(&self.over_time.windows, self.at, self.before).unwrap_or(self.at);
        if let Some(more) = needed.checked_sub(self.gone + self.series.len()) {
            self.gone = needed;
            self.series = Box::new(Vec::<Window>::new());
            self.more.drain(..more);
        }
        self.gone
    }

    /// Says what times are.
    pub fn set_times(&mut self, times: Times) {
        self.over_time.times = times;
    }

    /// Fills the next minibatch of this window, if there is one.
    ///
    /// # Errors
    /// None yet.
    pub fn fill<T: Scalar>(&mut self, x: &mut Mat<T>) -> Result<bool> {
        if self.made >= self.end {
            return Ok(false);
        }
        self.stream.fill(x);
        self.watch(x);
        self.made += 1;
        Ok(true)
    }

    /// Begins to watch the chains of a window.
    fn watch_window(&mut self, name: &str) {
        if self.watched.len() < WATCHED {
            let form = &self.options.form;
            let observable = if form.weighted { "weight off the motif" } else { "edges off the motif" };
            let (chains, share) = (self.options.watching.chains, self.windows().min(WATCHED));
            self.watched.push(Watched::new(observable, name, chains, share));
        }
    }

    /// Looks at the patches of a minibatch, each for the chain it is of.
    fn watch<T: Scalar>(&mut self, x: &Mat<T>) {
        // Those beyond the first are not watched.
        let own = self.over_time.windows.iter().skip(self.before);
        let learned = own.filter(|window| window.passed_over.is_none()).count();
        let Some(watched) = self.watched.get_mut(learned - 1) else { return };
        let mut column = 0;
        for (trace, share) in watched.traces.iter_mut().zip(self.stream.shares()) {
            for j in column..column + share {
                trace.push_with(|| self.options.form.off_motif(x.col(j)));
            }
            column += share;
        }
    }

    /// Adds a window after all others, with so many minibatches.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a motif of another size.
    pub fn follow(&mut self, window: Window, steps: u64) -> Result<()> {
        if let Some(k) = window.drawn.as_ref().ok().map(|drawn| drawn.1.motif().k())
            && k != self.options.form.k
        {
            let expected = format!("it must have {} nodes as before", self.options.form.k);
            return Err(Error::parameter("the motif", k, expected));
        }
        self.more.push((window, steps));
        Ok(())
    }

    /// Makes `steps` minibatches more of the window that is learned from.
    pub fn go_on(&mut self, steps: u64) {
        self.end = self.end.saturating_add(steps);
    }

    /// Number of windows.
    pub fn windows(&self) -> usize {
        self.gone + self.series.len() + self.more.len()
    }

    /// The window that is learned from.
    pub fn window(&self) -> usize {
        self.at
    }

    /// The network that is learned from now, and how homomorphisms are drawn in it.
    pub fn drawn(&self) -> &Drawn {
        &self.drawn
    }

    /// What was kept of windows so far; the last may be under way.
    pub fn over_time(&self) -> &OverTime {
        &self.over_time
    }

    /// Minibatches made.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Minibatches in all, if no further window is passed over.
    pub fn minibatches(&self) -> u64 {
        let opened = self.over_time.windows.len() - self.gone;
        let series = self.series.len().saturating_sub(opened) as u64;
        let more = self.more.iter().skip(opened.saturating_sub(self.series.len())).map(|(_, steps)| *steps);
        let later = series.saturating_mul(self.options.steps);
        self.end.saturating_add(more.fold(later, u64::saturating_add))
    }

    /// Proposals accepted and made by all chains.
    pub fn acceptance(&self) -> Acceptance {
        self.stream.acceptance()
    }

    /// What became of chains from window to window.
    pub fn moved(&self) -> Moved {
        self.stream.moved()
    }

    /// What the chains were watched by, window by window.
    pub fn watched(&self) -> &[Watched] {
        &self.watched
    }

    /// The same, to go on with.
    pub fn watched_mut(&mut self) -> &mut Vec<Watched> {
        &mut self.watched
    }

    /// Where it is.
    pub fn point(&self) -> WindowPoint {
        let came_with = self.came_with.clone();
        WindowPoint { window: self.at, end: self.end, stream: self.stream.point(), came_with }
    }

    /// Goes to where a source of the same windows and seed was after `made` minibatches, with what that had kept.
    ///
    /// # Errors
    /// [`Error::Parameter`] when that is no window that can be learned from; those of [`Series::open`] and [`NetworkStream::seek`].
    pub fn seek(&mut self, made: u64, point: &WindowPoint, over_time: OverTime) -> Result<()> {
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
        self.stream =
            NetworkStream::new(std::slice::from_ref(&drawn), self.options.watching, self.options.seed)?;
        self.stream.seek(&point.stream)?;
        self.fresh = draw(&drawn, &self.options, point.window)?;
        self.fresh_before = match Self::learned_before(&over_time.windows, point.window, self.before) {
            Some(at) => Some(draw(&self.open(at)?.0.drawn.map_err(|_| further())?, &self.options, at)?),
            None => None,
        };
        self.came_with.clone_from(&point.came_with);
        // Of windows at the end that were passed over, the last is what the next is compared with.
        self.network =
            if opened - 1 == point.window { window.network } else { self.open(opened - 1)?.0.network };
        (self.at, self.drawn, self.made, self.end) = (point.window, drawn, made, point.end);
        self.over_time = over_time;
        self.watched.clear();
        let own = self.over_time.windows.iter().skip(self.before);
        let learned = own.filter(|window| window.passed_over.is_none());
        for name in learned.map(|window| window.name.clone()).collect::<Vec<_>>() {
            self.watch_window(&name);
        }
        Ok(())
    }
}

/// Fresh patches of a window.
fn draw(drawn: &Drawn, options: &OverTimeOptions, at: usize) -> Result<Mat<f64>> {
    change::draw(drawn, options.patches, options.watching, options.seed, at as u64)
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
