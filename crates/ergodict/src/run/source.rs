//! Where the minibatches of a run come from.

use super::{Resumable, Stop};
use crate::chain::diagnostics::Acceptance;
use crate::chain::{SampledNetwork, SamplerKind, TraceSet};
use crate::data::{Frame, Times};
use crate::factor::code::CodeReport;
use crate::factor::{Factorizer, Minibatch, Statistics};
use crate::linalg::{Mat, Scalar};
use crate::model::{Model, OverTime};
use crate::patch::{BatchPlan, ChainTransfer, NetworkForm, PatchKind};
use crate::run::{RoundOutcome, RoundTask, Window};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Who may go over to what a network became.
pub(super) const ONE_NETWORK: &str = "only a run on one network follows its changes";

/// What the atoms of a dictionary are.
///
/// ```
/// use ergodict::{chain::Motif, patch::NetworkForm, run::Form};
/// let form = Form::Network(NetworkForm::new(&Motif::path(4)?, false, false));
/// assert_eq!(form.features(), Some(16));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Form {
    /// Vectors of features, with their names where they have some.
    Samples {
        /// Numbers of a sample.
        features: usize,
        /// Their names.
        names: Option<Vec<String>>,
    },
    /// Patches of lattices and images.
    Patch(PatchKind),
    /// Patches of networks.
    Network(NetworkForm),
}

impl Form {
    /// Numbers of an atom; none where they are too many.
    pub fn features(&self) -> Option<usize> {
        match self {
            Self::Samples { features, .. } => Some(*features),
            Self::Patch(kind) => kind.features(),
            Self::Network(form) => form.features(),
        }
    }

    /// What model files call it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Samples { .. } => "factor",
            Self::Patch(PatchKind { spins: Some(_), .. }) => "spins",
            Self::Patch(_) => "image",
            Self::Network(_) => "network",
        }
    }

    /// Says in a model what its atoms are.
    pub(super) fn describe(&self, model: &mut Model) {
        match self {
            Self::Samples { names, .. } => model.feature_names.clone_from(names),
            Self::Patch(kind) => model.patch = Some(*kind),
            Self::Network(form) => model.network = Some(form.clone()),
        }
    }
}

/// What asking for a minibatch came to.
///
/// ```
/// use ergodict::{linalg::Mat, run::Next};
/// let x = Mat::<f64>::zeros(3, 5);
/// assert!(matches!(Next::Minibatch((&x).into()), Next::Minibatch(x) if x.cols() == 5));
/// ```
pub enum Next<'a, T: Scalar> {
    /// Here it is.
    Minibatch(Minibatch<'a, T>),
    /// Here it is, with how much each of its columns counts.
    Counted(Minibatch<'a, T>, &'a [f64]),
    /// Sums over columns that were coded already, with the current dictionary.
    Statistics(Box<Statistics>, CodeReport),
    /// There are no more.
    End,
    /// Someone asked to stop on the way to it; asking again goes on.
    Stopped,
}

/// What a source knows besides its minibatches. What does not apply is empty.
///
/// ```
/// let stats = ergodict::run::SourceStats::default();
/// assert!(stats.traces.is_empty() && stats.windows.is_none());
/// ```
#[derive(Default)]
pub struct SourceStats<'a> {
    /// How homomorphisms are drawn.
    pub sampler: Option<SamplerKind>,
    /// Whether each is drawn independently of the others.
    pub independent: bool,
    /// Proposals accepted and made by all chains.
    pub acceptance: Acceptance,
    /// What became of chains from window to window.
    pub transfer: ChainTransfer,
    /// Observables of the chains along the way.
    pub traces: &'a [TraceSet],
    /// Time spent in the chain, the rest of a source's time being spent on patches.
    pub time: Duration,
    /// The last configuration, of chains that have one.
    pub configuration: Option<Frame<'a>>,
    /// Some configurations that went by, with their numbers.
    pub frames: &'a [(u64, Frame<'static>)],
    /// What was kept of windows of time.
    pub windows: Option<WindowStats<'a>>,
    /// How chains fill minibatches of networks side by side.
    pub batches: Option<BatchPlan>,
    /// Learning from all homomorphisms.
    pub exhaustive: Option<ExhaustiveStats>,
}

/// What a run through windows of time knows.
///
/// ```
/// use ergodict::{model::OverTime, run::WindowStats};
/// let (over_time, count) = (OverTime::default(), 7);
/// let stats = WindowStats { over_time: &over_time, count, end: 100 };
/// assert!(stats.over_time.windows.len() <= stats.count);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WindowStats<'a> {
    /// What was kept of windows so far; the last may be under way.
    pub over_time: &'a OverTime,
    /// Windows in all.
    pub count: usize,
    /// The minibatch before which the window ends that is learned from.
    pub end: u64,
}

/// What learning from all homomorphisms came to.
///
/// ```
/// use ergodict::run::ExhaustiveStats;
/// let stats = ExhaustiveStats { homomorphisms: 12, patches: 2, rounds: 9, loss: 0.5, converged: true };
/// assert!(stats.patches as u64 <= stats.homomorphisms);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ExhaustiveStats {
    /// Homomorphisms in all.
    pub homomorphisms: u64,
    /// Different patches.
    pub patches: usize,
    /// Rounds taken.
    pub rounds: usize,
    /// The expected loss of the dictionary.
    pub loss: f64,
    /// Whether the loss came to rest before the most rounds.
    pub converged: bool,
}

/// Shares `1 − ‖X − WH‖²/‖X‖²` of the samples that are explained: by the atoms, codes as in learning, and by multiples of one atom, the mean.
///
/// ```
/// use ergodict::run::ExplainedShare;
/// let share = ExplainedShare { samples: Some(100), atoms: 0.9, mean: 0.6 };
/// assert!(share.atoms > share.mean);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExplainedShare {
    /// Samples, each counted once; unknown of a run that continues from a model.
    pub samples: Option<u64>,
    /// By the atoms.
    pub atoms: f64,
    /// By the mean sample alone.
    pub mean: f64,
}

/// Where minibatches come from.
///
/// [`Run`](super::Run) calls [`Source::prepare`] and then [`Source::next`] for each step. A source of one's own needs four functions,
/// and the two of [`Resumable`] to be put away.
///
/// ```
/// use ergodict::{Result, linalg::Mat, run::{Form, Next, Resumable, Sections, Source, Stop}};
/// /// The same minibatch again and again.
/// struct Same(Mat<f64>, u64, Form);
/// impl Resumable for Same {
///     fn save(&self, to: &mut Sections) -> Result<()> {
///         to.put_json("made", &self.1)
///     }
///     fn restore(&mut self, from: &Sections) -> Result<()> {
///         Ok(self.1 = from.json("made")?)
///     }
/// }
/// impl Source<f64> for Same {
///     fn form(&self) -> &Form {
///         &self.2
///     }
///     fn made(&self) -> u64 {
///         self.1
///     }
///     fn planned(&self) -> Option<u64> {
///         None
///     }
///     fn next(&mut self, _: &Stop) -> Result<Next<'_, f64>> {
///         self.1 += 1;
///         Ok(Next::Minibatch((&self.0).into()))
///     }
/// }
/// let same = Same(Mat::zeros(3, 2), 0, Form::Samples { features: 3, names: None });
/// assert_eq!((same.form().features(), same.planned()), (Some(3), None));
/// ```
pub trait Source<T: Scalar>: Resumable + Send {
    /// What its columns are.
    fn form(&self) -> &Form;

    /// Minibatches made.
    fn made(&self) -> u64;

    /// Minibatches in all, where that is known.
    fn planned(&self) -> Option<u64>;

    /// Columns of all of them, where that is known.
    fn samples(&self) -> Option<u64> {
        None
    }

    /// Times that all samples were given, of sources that go over them again.
    fn epochs(&self) -> u64 {
        0
    }

    /// Extends the plan by a number of minibatches.
    ///
    /// # Errors
    /// [`Error::Parameter`] where that cannot be.
    fn extend(&mut self, minibatches: u64) -> Result<()> {
        Err(Error::parameter("the number of minibatches to add", minibatches, "this run has no more"))
    }

    /// What is to be done between two minibatches, with the dictionary as it is: closes a window, opens the next. Called before each
    /// [`Source::next`]; an error leaves a state to go on from.
    ///
    /// # Errors
    /// Whatever stands against it.
    fn prepare(&mut self, _dictionary: Option<&mut Factorizer<T>>) -> Result<()> {
        Ok(())
    }

    /// The next minibatch.
    ///
    /// # Errors
    /// Whatever stands against it.
    fn next(&mut self, stop: &Stop) -> Result<Next<'_, T>>;

    /// An error about the minibatch at hand, with its place in the data.
    fn explain(&self, error: Error) -> Error {
        error
    }

    /// Columns that the first dictionary can be made of, where no minibatch has them.
    ///
    /// # Errors
    /// Those of making them.
    fn initial(&mut self) -> Result<Option<Mat<T>>> {
        Ok(None)
    }

    /// How much of its samples the dictionary explains, of sources that can go over them again.
    ///
    /// # Errors
    /// Those of making them; [`Error::Interrupted`](crate::Error::Interrupted) when `stop` is asked for.
    fn explained(&mut self, _dictionary: &mut Factorizer<T>, _stop: &Stop) -> Result<Option<ExplainedShare>> {
        Ok(None)
    }

    /// The digest of data that could be read only once, when all of it was read.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn digest(&self) -> Result<Option<String>> {
        Ok(None)
    }

    /// Samples held out, and their loss each, if there are any.
    ///
    /// # Errors
    /// Those of reading and of coding.
    fn held_out(&mut self, _dictionary: &mut Factorizer<T>, _stop: &Stop) -> Result<Option<(u64, f64)>> {
        Ok(None)
    }

    /// What it knows besides.
    fn stats(&self) -> SourceStats<'_> {
        SourceStats::default()
    }

    /// Networks to look for examples of atoms in, with their names.
    ///
    /// # Errors
    /// Those of making a sampler.
    fn networks(&self) -> Result<Vec<(String, SampledNetwork)>> {
        Ok(Vec::new())
    }

    /// Adds a window after all others, of a number of minibatches; the times of windows are of this kind. Gives the source that takes its
    /// place, where it becomes another.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a run that is not on one network.
    fn follow(&mut self, _next: Window, _steps: u64, _times: Times) -> Result<Option<Box<dyn Source<T>>>> {
        Err(Error::parameter("the number of networks", 0, ONE_NETWORK))
    }

    /// Makes this the rest of the run that a model is of.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a model of other windows.
    fn continue_from(&mut self, _model: &Model) -> Result<()> {
        Ok(())
    }

    /// Forgets networks that nothing needs any more; gives how many windows cannot be opened again.
    fn forget(&mut self) -> usize {
        0
    }

    /// The work of the next step, for other processes.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a run that is not in rounds.
    fn tasks(&self, _dictionary: &Factorizer<T>) -> Result<Vec<RoundTask>> {
        Err(Error::parameter("the run", "on minibatches", "only a run in rounds has tasks"))
    }

    /// Sums over what all chains found, in the order of the chains.
    ///
    /// # Errors
    /// [`Error::Shape`] for outcomes of another round; [`Error::Parameter`] for a run that is not in rounds.
    fn merge(&mut self, _outcomes: Vec<RoundOutcome>) -> Result<(Statistics, CodeReport)> {
        Err(Error::parameter("the run", "on minibatches", "only a run in rounds has tasks"))
    }
}
