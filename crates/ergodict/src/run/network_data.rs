//! Networks to learn from, with the sampler that all of them have: side by side, snapshots of one that changes, or windows of edges with times.

use super::{
    AppearanceMaker, ChangeTest, FirstDictionary, NetworkPlan, NetworkSource, Run, RunPlan, Window,
    WindowMaker, WindowSeries, WindowSource,
};
use crate::chain::{Motif, SampledNetwork, SamplerKind, SamplingSettings, Use};
use crate::data::{Appearances, Network, Times, Windows};
use crate::linalg::Scalar;
use crate::patch::NetworkForm;
use crate::settings::NetworkSettings;
use crate::{Error, Note, Result};
use std::sync::Arc;

/// Networks to learn from.
///
/// ```
/// use ergodict::{chain::Use, data::embedded, factor::Factorizer, linalg::Mat};
/// use ergodict::{run::{NetworkData, RunPlan, Stop}, settings::NetworkSettings};
/// let mut settings = NetworkSettings { steps: 5, ..NetworkSettings::default() };
/// (settings.sampling.k, settings.learning.factor.atoms) = (Some(5), 3);
/// let motif = settings.sampling.motif()?;
/// let mut networks = NetworkData::new(&settings.sampling, Use::Learn, &motif, false, settings.seed);
/// for name in ["@karate", "@kite"] {
///     networks.push(name, None, embedded(name)?.into())?;
/// }
/// let (plan, factor) = (networks.plan(&settings)?, settings.learning.factor);
/// let start = factor.clone();
/// let first = Box::new(move |seed| Factorizer::<f64>::random(start.clone(), 25, seed).map(Some));
/// let mut run = networks.run(plan, RunPlan::new("network learn", factor, 0), first, 0, (0, 0))?;
/// run.run(None, &Stop::default())?;
/// assert_eq!(run.model()?.w.cols(), 3);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct NetworkData {
    sampling: SamplingSettings,
    usage: Use,
    motif: Motif,
    seed: u64,
    over_time: bool,
    /// The sampler that all have, and the motif as it has it.
    chosen: Option<(SamplerKind, Motif)>,
    notes: Vec<(String, Note)>,
    /// Networks in memory.
    networks: Vec<Window>,
    /// Edges with times, whose windows are made when they are asked for.
    timed: Option<Arc<Windows>>,
}

/// The sampler that was chosen, and what a user should know of it.
type Choice = (SamplerKind, Vec<Note>);

/// What a test of changes is made of, or why there can be none.
type Null = std::result::Result<(AppearanceMaker, WindowMaker), &'static str>;

impl Window {
    /// A network with the sampler that settings come to, and what was chosen. One without room for the motif is to be passed over.
    ///
    /// # Errors
    /// As [`SamplingSettings::choose_shared`], but for [`Error::Parameter`].
    pub fn open(
        name: &str,
        span: Option<(f64, f64)>,
        network: &Arc<Network>,
        sampling: &SamplingSettings,
        motif: &Motif,
        seed: u64,
    ) -> Result<(Self, Option<Choice>)> {
        let window = |drawn| Self { name: name.to_owned(), span, network: Arc::clone(network), drawn };
        match sampling.choose_shared(Use::Learn, network, motif, seed) {
            Ok(chosen) => {
                Ok((window(Ok((chosen.network, chosen.sampler))), Some((chosen.kind, chosen.notes))))
            }
            Err(error @ Error::Parameter { .. }) => {
                Ok((window(Err(format!("has no room for the motif: {error}"))), None))
            }
            Err(error) => Err(error),
        }
    }
}

impl NetworkData {
    /// No network yet; `over_time` says that they are snapshots of one that changes.
    pub fn new(sampling: &SamplingSettings, usage: Use, motif: &Motif, over_time: bool, seed: u64) -> Self {
        let (sampling, motif) = (sampling.clone(), motif.clone());
        let (notes, networks) = (Vec::new(), Vec::new());
        Self { sampling, usage, motif, seed, over_time, chosen: None, notes, networks, timed: None }
    }

    /// Windows of edges with times. The first that a sampler can be made in decides which one all have.
    ///
    /// # Errors
    /// [`Error::Parameter`] where no window can be learned from; [`Error::Memory`], also for the largest window; those of making windows.
    pub fn from_windows(
        windows: Arc<Windows>,
        sampling: &SamplingSettings,
        motif: &Motif,
        seed: u64,
    ) -> Result<Self> {
        let (sampling, motif) = (sampling.clone(), motif.clone());
        let mut series = TimedSeries { windows: Arc::clone(&windows), sampling, motif, seed };
        let mut why = String::new();
        for at in 0..windows.len() {
            match series.open_at(at)? {
                (Window { drawn: Ok(drawn), name, .. }, Some((kind, notes))) => {
                    (series.sampling.sampler, series.motif) = (Some(kind), drawn.1.motif().clone());
                    series.check_largest(at)?;
                    let mut data = Self::new(&series.sampling, Use::Learn, &series.motif, true, seed);
                    data.notes = notes.into_iter().map(|note| (name.clone(), note)).collect();
                    (data.chosen, data.timed) = (Some((kind, series.motif)), Some(windows));
                    return Ok(data);
                }
                (Window { drawn: Err(reason), .. }, _) if why.is_empty() => why = reason,
                _ => {}
            }
        }
        let expected = format!("no window can be learned from: the first {why}");
        Err(Error::parameter("the number of windows", windows.len(), expected))
    }

    /// Adds a network; whether it can be learned from. Of one over time, those without room for the motif are to be passed over.
    ///
    /// # Errors
    /// Those of making a sampler; [`Error::Parameter`] for another kind of sampler than the first network has.
    pub fn push(&mut self, name: &str, span: Option<(f64, f64)>, network: Arc<Network>) -> Result<bool> {
        let (window, chosen) = if self.over_time {
            Window::open(name, span, &network, &self.sampling, &self.motif, self.seed)?
        } else {
            let (sampling, usage, motif) = (&self.sampling, self.usage, &self.motif);
            // Of a network that is not shared, what is not sampled need not stay in memory.
            let (whole, chosen) = match Arc::try_unwrap(network) {
                Ok(network) => (None, sampling.choose(usage, network, motif, self.seed)?),
                Err(shared) => {
                    let chosen = sampling.choose_shared(usage, &shared, motif, self.seed)?;
                    (Some(shared), chosen)
                }
            };
            let network = whole.unwrap_or_else(|| Arc::clone(&chosen.network));
            let drawn = Ok((chosen.network, chosen.sampler));
            (Window { name: name.to_owned(), span, network, drawn }, Some((chosen.kind, chosen.notes)))
        };
        if let (Ok(drawn), Some((kind, notes))) = (&window.drawn, chosen) {
            let (first, _) = self.chosen.get_or_insert_with(|| (kind, drawn.1.motif().clone()));
            if *first != kind {
                let value = format!("{kind} here and {first} before");
                return Err(Error::parameter("sampler", value, "all networks need the same: choose one"));
            }
            self.notes.extend(notes.into_iter().map(|note| (name.to_owned(), note)));
        }
        let usable = window.drawn.is_ok();
        self.networks.push(window);
        Ok(usable)
    }

    /// What a user should know of samplers that were made since it was asked, with the names of networks.
    pub fn take_notes(&mut self) -> Vec<(String, Note)> {
        std::mem::take(&mut self.notes)
    }

    /// The sampler that all have, and the motif as it has it.
    ///
    /// # Errors
    /// [`Error::Parameter`] where there is no network, or none that can be learned from.
    pub fn chosen(&self) -> Result<(SamplerKind, &Motif)> {
        match (&self.chosen, self.networks.first()) {
            (Some((kind, motif)), _) => Ok((*kind, motif)),
            (None, Some(Window { name, drawn: Err(reason), .. })) => {
                Err(Error::parameter("the network", name, format!("it {reason}")))
            }
            _ => Err(Error::parameter("the number of networks", 0, "at least one is needed")),
        }
    }

    /// Networks with their samplers, of those in memory that can be learned from.
    pub fn drawn(&self) -> Vec<SampledNetwork> {
        self.networks.iter().filter_map(|window| window.drawn.clone().ok()).collect()
    }

    /// How they are learned from by these settings.
    ///
    /// # Errors
    /// As [`chosen`](Self::chosen).
    pub fn plan(&self, settings: &NetworkSettings) -> Result<NetworkPlan> {
        let (sampler, motif) = self.chosen()?;
        let (directed, weighted, times) = if let Some(windows) = &self.timed {
            (windows.options().directed, windows.is_weighted(), windows.rows().kind())
        } else {
            let any = |has: fn(&Network) -> bool| self.drawn().iter().any(|drawn| has(&drawn.0));
            (any(Network::is_directed), any(Network::is_weighted), Times::Numbers)
        };
        Ok(NetworkPlan {
            steps: settings.steps,
            batches: settings.plan(),
            score_patches: settings.score_patches,
            times,
            form: NetworkForm::new(motif, directed, weighted),
            sampler,
            title: None,
            seed: settings.seed,
        })
    }

    /// A run on them, whose changes are tested against this many permutations of times. `gone` windows before these cannot be opened any more, the
    /// first `before` of which are of a run before: see [`Run::continue_from`].
    ///
    /// # Errors
    /// As [`chosen`](Self::chosen); those of the sources and of [`Run::new`].
    pub fn run<T: Scalar>(
        self,
        plan: NetworkPlan,
        run: RunPlan,
        first: FirstDictionary<T>,
        permutations: u64,
        (before, gone): (usize, usize),
    ) -> Result<Run<T>> {
        let start = first(run.seed)?;
        if !self.over_time {
            return Run::new(run, Box::new(NetworkSource::new(self.networks, plan)?), start);
        }
        let null = self.null()?;
        let series = self.series();
        let windows = series.len();
        let source = WindowSource::after(series, plan.clone(), before, gone)?;
        let mut run = Run::new(run, Box::new(source), start)?;
        match null {
            Err(reason) => run.leave_untested(reason),
            _ if permutations == 0 => run.leave_untested("no permutations are asked for"),
            _ if windows < 2 => run.leave_untested("there is only one window"),
            // Networks before these are not there any more.
            Ok(_) if gone > 0 => {}
            Ok((appearances, window)) => {
                run.test_change(ChangeTest::new(permutations, appearances, window, plan, first));
            }
        }
        Ok(run)
    }

    /// What makes windows of permuted times as these are made, or why times cannot be permuted.
    fn null(&self) -> Result<Null> {
        let (kind, motif) = self.chosen()?;
        let appearances: AppearanceMaker = match &self.timed {
            Some(windows) if windows.rows().removes().is_some() => {
                return Ok(Err("rows that remove edges have no times to permute"));
            }
            Some(windows) => {
                let windows = Arc::clone(windows);
                Box::new(move || Appearances::from_windows(&windows))
            }
            None => {
                let all: Vec<Arc<Network>> =
                    self.networks.iter().map(|window| Arc::clone(&window.network)).collect();
                Box::new(move || Some(Appearances::from_snapshots(&all)))
            }
        };
        let sampling = SamplingSettings { sampler: Some(kind), ..self.sampling.clone() };
        let (motif, seed) = (motif.clone(), self.seed);
        let window: WindowMaker = Arc::new(move |network| {
            Ok(Window::open("permuted", None, &Arc::new(network), &sampling, &motif, seed)?.0)
        });
        Ok(Ok((appearances, window)))
    }

    fn series(self) -> Box<dyn WindowSeries> {
        let Self { sampling, motif, seed, networks, timed, .. } = self;
        match timed {
            Some(windows) => Box::new(TimedSeries { windows, sampling, motif, seed }),
            None => Box::new(networks),
        }
    }
}

/// Windows of edges with times, one in memory at a time.
struct TimedSeries {
    windows: Arc<Windows>,
    sampling: SamplingSettings,
    motif: Motif,
    seed: u64,
}

impl TimedSeries {
    fn open_at(&self, at: usize) -> Result<(Window, Option<Choice>)> {
        let (name, span) = (self.windows.name(at), Some(self.windows.span(at)));
        let network = Arc::new(self.windows.network(at)?);
        if network.edges() == 0 {
            return Ok((Window { name, span, network, drawn: Err("has no edge".into()) }, None));
        }
        let opened = Window::open(&name, span, &network, &self.sampling, &self.motif, self.seed);
        opened.map_err(|error| in_window(error, &name))
    }

    /// Refuses a run before it begins if the window with the most nodes, where that comes after `opened`, would end it for want of memory.
    fn check_largest(&self, opened: usize) -> Result<()> {
        let at = self.windows.largest();
        let whole = if at > opened { self.windows.network(at)? } else { return Ok(()) };
        // Whatever else is wrong with it is reported when its turn comes.
        let (part, _) = self.sampling.part(whole)?;
        match self.sampling.fits(Use::Learn, &part, &self.motif) {
            Err(error @ Error::Memory { .. }) => Err(in_window(error, &self.windows.name(at))),
            _ => Ok(()),
        }
    }
}

impl WindowSeries for TimedSeries {
    fn len(&self) -> usize {
        self.windows.len()
    }

    fn open(&mut self, at: usize) -> Result<Window> {
        Ok(self.open_at(at)?.0)
    }
}

/// Names the window that needs more memory than there is.
fn in_window(error: Error, name: &str) -> Error {
    match error {
        Error::Memory { what, needed, available, way_out, hint } => {
            Error::Memory { what: format!("{what} in the window {name}"), needed, available, way_out, hint }
        }
        error => error,
    }
}
