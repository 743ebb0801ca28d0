//! What a run through the windows of a network keeps of each: the dictionary, its dominance, and how far the network had changed.
//!
//! | symbol | here |
//! |---|---|
//! | `W_i`, the dictionary when window `i` was learned from | [`OverTime::dictionaries`] |
//! | `E(W, i)`, its relative error on window `i`, see [`super::change`] | [`WindowRecord::error_before`] of `W_{i−1}`, [`WindowRecord::error_after`] of `W_i` |
//! | the change score, see there | [`WindowRecord::change`] |
//! | what permuted times say of it, see [`super::null`] | [`WindowRecord::null`] |
//!
//! Windows that were passed over are not counted: the window before is the last one that was learned from.

use super::null::{self, NullBand};
use crate::Result;
use crate::data::{Differences, Times};
use crate::linalg::{Mat, Scalar};
use crate::patch::ChainTransfer;
use crate::run::Sections;
use serde::{Deserialize, Serialize};

/// Bytes of dictionaries that are kept. Beyond it every second is left out, so that a file of many windows stays small; a run of the paper's size
/// (k = 21, 25 atoms) takes 44 kB a window, and keeps the first 1522 all.
const MOST_BYTES: usize = 64 << 20;

/// The section of a checkpoint that has a dictionary.
fn dictionary(at: usize) -> String {
    format!("W-of-window-{at}")
}

/// A number with its standard error.
///
/// ```
/// use ergodict::model::ValueWithError;
/// let change = ValueWithError { value: 0.8, standard_error: 0.1 };
/// assert!(change.value > 5.0 * change.standard_error);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ValueWithError {
    /// The number.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// What is kept of a window.
///
/// With the relative error `E(W, i) = Σ ‖X_j − WH_j‖² / Σ ‖X_j‖²` on fresh patches of window i, and `W_i` the dictionary once it was learned from, the change score is
/// `c_i = log₂ E(W_{i−1}, i)/E(W_i, i) − log₂ E(W_{i−1}, i−1)/E(W_i, i−1)`: 0 while the network stays what it was.
///
/// ```
/// use ergodict::{data::Times, model::WindowRecord};
/// let record = WindowRecord { name: "May".to_owned(), passed_over: Some("no edges".to_owned()), ..Default::default() };
/// assert!(record.change.is_none() && record.steps == 0);
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct WindowRecord {
    /// The name of the window: its span of time, or that of the network.
    pub name: String,
    /// When it begins and ends, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<(f64, f64)>,
    /// Nodes of the whole network of the window.
    pub nodes: u64,
    /// Its edges.
    pub edges: u64,
    /// How they differ from those of the window before, learned from or not; none of the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differences: Option<Differences>,
    /// Why nothing was learned from it, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed_over: Option<String>,
    /// Minibatches before it.
    pub begin: u64,
    /// Minibatches that were learned from.
    pub steps: u64,
    /// What became of the chains when they came to it.
    pub moved: ChainTransfer,
    /// The relative error on it of the dictionary that was learned before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_before: Option<ValueWithError>,
    /// The relative error on it of the dictionary once it was learned from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_after: Option<ValueWithError>,
    /// The change score, in powers of two; none of the first that was learned from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ValueWithError>,
    /// What permuted times say of the score; none where there is no score, or where it was not tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null: Option<NullBand>,
    /// How strongly the patches of this window use each atom, of sum 1; empty where nothing was learned. Files hold it as a tensor.
    #[serde(skip)]
    pub dominance: Vec<f64>,
}

/// What is kept of all windows.
///
/// ```
/// use ergodict::model::{OverTime, ValueWithError, WindowRecord};
/// let window = |change: f64| WindowRecord {
///     steps: 10,
///     change: Some(ValueWithError { value: change, standard_error: 0.1 }),
///     dominance: vec![1.0],
///     ..WindowRecord::default()
/// };
/// let over_time = OverTime { windows: [0.1, 2.0, 0.2].map(window).into(), ..OverTime::default() };
/// assert_eq!(over_time.peak().map(|(at, _)| at), Some(1));
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct OverTime {
    /// What times are.
    #[serde(default)]
    pub times: Times,
    /// The windows in their order.
    pub windows: Vec<WindowRecord>,
    /// Permutations of times that change scores were tested against; 0 where they were not.
    #[serde(default)]
    pub permutations: u64,
    /// Why they were not, where there is something to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untested: Option<String>,
    /// Dictionaries are kept for one in this number of the windows that were learned from.
    pub stride: u64,
    /// The windows whose dictionaries are kept.
    pub kept: Vec<usize>,
    /// Their dictionaries, in single precision. Files hold them as a tensor.
    #[serde(skip)]
    pub dictionaries: Vec<Mat<f32>>,
}

impl std::fmt::Display for ValueWithError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // At least one digit of the error, where it is one. A value that rounds to zero has no sign.
        let decimals =
            (3..6).find(|&decimals| self.standard_error >= 0.5 * 0.1f64.powi(decimals)).unwrap_or(3);
        let scale = 10f64.powi(decimals);
        let value = (scale * self.value).round() / scale + 0.0;
        let decimals = decimals as usize;
        write!(f, "{value:.decimals$} ± {:.decimals$}", self.standard_error)
    }
}

impl OverTime {
    /// Windows at the beginning of which all is known.
    pub(crate) fn finished(&self) -> usize {
        let known = |window: &&WindowRecord| window.passed_over.is_some() || window.error_after.is_some();
        self.windows.iter().take_while(known).count()
    }

    /// Why one of `all` windows was skipped, if it was.
    pub(crate) fn skipped(&self, at: usize, all: usize) -> Option<String> {
        let window = &self.windows[at];
        let reason = window.passed_over.as_ref()?;
        Some(format!("window {} of {all} ({}): skipped: it {reason}", at + 1, window.name))
    }

    /// Nothing yet.
    pub(crate) fn new(times: Times) -> Self {
        Self { times, stride: 1, ..Self::default() }
    }

    /// The windows that were learned from, to the end, with their places.
    pub fn learned(&self) -> impl DoubleEndedIterator<Item = (usize, &WindowRecord)> {
        self.windows.iter().enumerate().filter(|(_, window)| window.error_after.is_some())
    }

    /// The windows that have a change score, with their places.
    pub fn scored(&self) -> impl Iterator<Item = (usize, &WindowRecord, ValueWithError)> {
        self.windows.iter().enumerate().filter_map(|(at, window)| Some((at, window, window.change?)))
    }

    /// The windows that changed beyond their volume, with their places: the score is larger than permuted times explain.
    pub fn changed(&self) -> impl Iterator<Item = (usize, &WindowRecord)> {
        self.windows.iter().enumerate().filter(|(_, window)| window.null.is_some_and(|null| null.changed()))
    }

    /// The window that stands out most: of the smallest p-value, then of the largest score beyond its critical one; without a test, of the largest score less
    /// twice its standard error.
    pub fn peak(&self) -> Option<(usize, ValueWithError)> {
        let key = |window: &WindowRecord, change: ValueWithError| match window.null {
            Some(null) => (-null.p_value, change.value - null.critical),
            None => (-1.0, change.value - 2.0 * change.standard_error),
        };
        let compare = |a: (f64, f64), b: (f64, f64)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
        let scored = self.scored().map(|(at, window, change)| (at, key(window, change), change));
        let peak = scored.max_by(|a, b| compare(a.1, b.1).then(b.0.cmp(&a.0)))?;
        Some((peak.0, peak.2))
    }

    /// Compares the scores with those of runs through permuted times.
    pub(crate) fn test(&mut self, permuted: &[Vec<Option<f64>>]) {
        self.permutations = permuted.len() as u64;
        null::test(&mut self.windows, permuted);
    }

    /// Adds all of it to a checkpoint.
    pub(crate) fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("windows", self)?;
        to.put_json("dominance", &self.windows.iter().map(|window| &window.dominance).collect::<Vec<_>>())?;
        self.dictionaries.iter().zip(0..).for_each(|(w, at)| to.put_matrix(&dictionary(at), w));
        Ok(())
    }

    /// What [`OverTime::save`] added.
    pub(crate) fn restored(from: &Sections) -> Result<Self> {
        let mut kept: Self = from.json("windows")?;
        let dominance: Vec<Vec<f64>> = from.json("dominance")?;
        kept.windows.iter_mut().zip(dominance).for_each(|(window, shares)| window.dominance = shares);
        kept.dictionaries =
            (0..kept.kept.len()).map(|at| from.matrix(&dictionary(at))).collect::<Result<_>>()?;
        Ok(kept)
    }

    /// Keeps the dictionary of a window that was learned from, if it is its turn.
    pub(crate) fn keep<T: Scalar>(&mut self, window: usize, w: &Mat<T>) {
        let turn = |at: usize, stride: u64| {
            let before = self.windows[..at].iter().filter(|one| one.passed_over.is_none()).count() as u64;
            before.is_multiple_of(stride)
        };
        if self.kept.last() == Some(&window) {
            self.kept.pop();
            self.dictionaries.pop();
        }
        if !turn(window, self.stride) {
            return;
        }
        let bytes = w.rows() * w.cols() * size_of::<f32>();
        let mut stride = self.stride;
        let mut stays: Vec<bool> = vec![true; self.kept.len()];
        while (stays.iter().filter(|stays| **stays).count() + 1) * bytes > MOST_BYTES && stride < 1 << 32 {
            stride *= 2;
            stays = self.kept.iter().map(|at| turn(*at, stride)).collect();
        }
        let turned = turn(window, stride);
        let (mut at, mut also) = (0, 0);
        self.kept.retain(|_| (stays[at], at += 1).0);
        self.dictionaries.retain(|_| (stays[also], also += 1).0);
        self.stride = stride;
        if turned {
            self.kept.push(window);
            self.dictionaries.push(w.cast());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries_are_thinned_equally_whenever_a_run_is_stopped() {
        // A mebibyte each, so that 64 are kept.
        let w = |at: usize| Mat::<f32>::from_fn(1 << 9, 1 << 9, |_, _| at as f32);
        let mut all = OverTime::new(Times::Numbers);
        for at in 0..150 {
            let passed_over = (at % 10 == 3).then(|| "empty".to_owned());
            let passed = passed_over.is_some();
            all.windows.push(WindowRecord { passed_over, ..WindowRecord::default() });
            if !passed {
                all.keep(at, &w(at));
            }
        }
        assert_eq!((all.stride, all.kept.len()), (4, 34));
        assert!(all.kept.iter().zip(&all.dictionaries).all(|(at, w)| w.get(0, 0) == *at as f32));
        assert_eq!(all.kept[..3], [0, 5, 9]);
        let last = *all.kept.last().unwrap();
        all.keep(last, &w(7));
        assert_eq!((all.kept.len(), all.dictionaries[33].get(0, 0)), (34, 7.0));
    }

    #[test]
    fn the_peak_is_the_surest_change() {
        let mut all = OverTime::new(Times::Numbers);
        for (value, standard_error) in [(0.1, 0.1), (2.0, 1.0), (1.0, 0.1), (-3.0, 0.1)] {
            let change = Some(ValueWithError { value, standard_error });
            all.windows.push(WindowRecord { change, ..WindowRecord::default() });
        }
        assert_eq!(all.peak().unwrap().0, 2);
        assert_eq!(OverTime::default().peak(), None);
    }
}
