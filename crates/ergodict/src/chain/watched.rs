//! What chains are watched by while a dictionary is learned from them, and how well they mix by that.

use super::Trace;
use super::diagnostics::{LEAST_CONSTANT, LEAST_ESS, Mixing, R_HAT_LIMIT, autocorrelation, bartlett_errors};
use serde::{Deserialize, Serialize};

/// Values that all traces of a run keep together: enough for a run of the paper's size to keep all, few enough for a checkpoint. Longer runs keep
/// this number of first values as well.
const MOST_VALUES: usize = 1 << 14;
/// Fewest values of a trace, however many there are.
const FEWEST: usize = 16;
/// What is watched along a walk over images.
pub(crate) const MEAN_PIXEL: &str = "mean of the patch";
/// What is watched along a chain on a lattice, but not in a trajectory from a file.
pub(crate) const SITE_ENERGY: &str = "energy per site";
/// Lags of an autocorrelation function, in values.
const LAGS: usize = 100;
/// Fewest values of a chain that are evaluated, as for [`Mixing::from_series`].
const TELLING: usize = 4;
/// An autocorrelation time is taken from a stretch that is longer by these factors, of all chains together and of each chain: otherwise
/// memory may be longer than what the stretch can see. Rules of thumb, not measured.
const LONGER: (f64, f64) = (50.0, 8.0);

/// The series of one observable along the chains of one network or lattice.
///
/// ```
/// use ergodict::chain::TraceSet;
/// let mut watched = TraceSet::new("energy", "", 2, 1);
/// for i in 0..500 {
///     for (c, trace) in watched.traces.iter_mut().enumerate() {
///         trace.push_with(|| f64::from((i + 100 * c as i32) * 7919 % 1009));
///     }
/// }
/// let mixed = watched.mixed().expect("there are values");
/// assert!(mixed.chains == 2 && mixed.values == 500 && mixed.verdict() == Some(true));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TraceSet {
    /// The observable, in words.
    pub observable: String,
    /// Where the chains are, such as the name of a network; empty where that goes without saying.
    pub of: String,
    /// One for each chain.
    pub traces: Vec<Trace>,
}

impl TraceSet {
    /// Nothing seen yet; `share` is how many such there are in the run.
    pub fn new(observable: impl Into<String>, of: impl Into<String>, chains: usize, share: usize) -> Self {
        let most = (MOST_VALUES / (chains * share).max(1)).max(FEWEST);
        Self { observable: observable.into(), of: of.into(), traces: vec![Trace::new(most); chains] }
    }

    /// How well it mixes; none where nothing was seen.
    ///
    /// The mean, its error and R̂ are of values from all of the run, one in `every`. An autocorrelation time shorter than `every` cannot be seen in
    /// them, so it is taken from the first values in a row; from the others only where memory is too long for those.
    pub fn mixed(&self) -> Option<MixingReport> {
        // Chains of minibatches of unequal shares may be at different strides: all are brought to the largest.
        let every = self.traces.iter().map(Trace::stride).max()?;
        let values = self.traces.iter().map(Trace::seen).min()?;
        let thinned = |trace: &Trace| -> Vec<f64> {
            trace.values().iter().copied().step_by((every / trace.stride()) as usize).collect()
        };
        let spread: Vec<Vec<f64>> = self.traces.iter().map(thinned).collect();
        let kept = spread.iter().map(Vec::len).min().filter(|n| *n > 0)?;
        let stretch: Vec<&[f64]> = self.traces.iter().map(Trace::stretch).collect();
        let whole = Mixing::from_series(&spread);
        let constant = kept >= TELLING && unchanging(&spread) && unchanging(&stretch);
        let (lag, time) = if every == 1 {
            (1, whole.autocorrelation_time)
        } else if let Some(time) = short_memory(&stretch) {
            (1, time)
        } else {
            (every, whole.autocorrelation_time * every as f64)
        };
        let (curve, of) = if lag == 1 {
            (autocorrelation(&stretch, LAGS), stretch.iter().map(|one| one.len()).min().unwrap_or(0))
        } else {
            (autocorrelation(&spread, LAGS), kept)
        };
        let errors = bartlett_errors(&curve, of * self.traces.len());
        let known = |x: f64| (x.is_finite() && !constant).then_some(x);
        let size = self.traces.len() as f64 * values as f64 / time;
        // What was thinned has less than it had: its own ESS is that of the values kept.
        let share = size / whole.effective_sample_size;
        let enough = size.min(whole.ess_bulk * share).min(whole.ess_tail * share)
            >= LEAST_ESS * self.traces.len() as f64;
        let short = |x: &f64| (x * 1e5).round() / 1e5;
        Some(MixingReport {
            observable: self.observable.clone(),
            of: self.of.clone(),
            chains: self.traces.len(),
            values,
            every,
            mean: Some(whole.mean).filter(|mean| mean.is_finite()),
            error: known(whole.error),
            autocorrelation_time: known(time),
            effective_sample_size: known(size),
            ess_bulk: known(whole.ess_bulk * share),
            ess_tail: known(whole.ess_tail * share),
            r_hat: known(whole.r_hat),
            mixed: (!whole.r_hat.is_nan() && !constant).then_some(whole.r_hat <= R_HAT_LIMIT && enough),
            constant,
            lag,
            autocorrelation: curve.iter().map(short).collect(),
            autocorrelation_error: errors.iter().map(short).collect(),
        })
    }
}

/// Whether all values are the same.
fn unchanging<S: AsRef<[f64]>>(series: &[S]) -> bool {
    let mut values = series.iter().flat_map(|one| one.as_ref().iter());
    let first = values.next();
    values.all(|value| Some(value) == first)
}

/// The autocorrelation time of values in a row, if it is short next to them.
fn short_memory(stretch: &[&[f64]]) -> Option<f64> {
    let each = stretch.iter().map(|one| one.len()).min().filter(|n| *n >= TELLING)?;
    // Chains that never move have an autocorrelation time of 1 by convention, which is no information.
    let time = Some(Mixing::from_series(stretch).autocorrelation_time).filter(|_| !unchanging(stretch))?;
    let all = (each * stretch.len()) as f64;
    (all >= LONGER.0 * time && each as f64 >= LONGER.1 * time).then_some(time)
}

/// How well all that was watched mixes; what was never measured is left out.
pub(crate) fn mixed(watched: &[TraceSet]) -> Vec<MixingReport> {
    watched.iter().filter_map(TraceSet::mixed).collect()
}

/// How well an observable mixes, as models keep it. What is not known (too few values, or values that never change) is null.
///
/// ```
/// use ergodict::chain::{TraceSet, diagnostics::R_HAT_LIMIT};
/// let mut stuck = TraceSet::new("energy", "50×50", 2, 1);
/// for i in 0..500 {
///     stuck.traces[0].push_with(|| f64::from(i * 7919 % 1009));
///     stuck.traces[1].push_with(|| 1e4 + f64::from(i * 7919 % 1009));
/// }
/// let mixed = stuck.mixed().expect("there are values");
/// assert!(mixed.r_hat.is_some_and(|r_hat| r_hat > R_HAT_LIMIT) && mixed.verdict() == Some(false));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MixingReport {
    /// Observable, in words: of network patches the edges, or the weight, off the motif; of lattices the energy per site (of files the mean over neighbors), the magnetization, and the shares of labels or the mean cosine and sine.
    pub observable: String,
    /// Network of the chains, where there are several; else empty.
    #[serde(default)]
    pub of: String,
    /// Number of chains.
    pub chains: usize,
    /// Values of each chain, the shortest where they differ.
    pub values: u64,
    /// The mean, its error and R̂ are of every n-th value: all in short runs, some thousands spread over long ones.
    pub every: u64,
    /// Mean over all chains.
    pub mean: Option<f64>,
    /// Monte-Carlo standard error of the mean; none, as the numbers below, where there are fewer than four values or they never changed.
    pub error: Option<f64>,
    /// Autocorrelation time, in values of the chain.
    pub autocorrelation_time: Option<f64>,
    /// Effective sample size of all chains: `chains` × `values` / `autocorrelation_time`.
    pub effective_sample_size: Option<f64>,
    /// Bulk effective sample size, of ranks.
    #[serde(default)]
    pub ess_bulk: Option<f64>,
    /// Tail effective sample size: the smaller one of the 5 % and 95 % quantiles.
    #[serde(default)]
    pub ess_tail: Option<f64>,
    /// Rank-normalized split R̂; none also where it is infinite, as for chains that stand still at different values.
    pub r_hat: Option<f64>,
    /// Whether R̂ ≤ 1.01 and there are at least 100 effective draws per chain, bulk and tail; false where R̂ is infinite.
    #[serde(default)]
    pub mixed: Option<bool>,
    /// Whether the values never changed.
    #[serde(default)]
    pub constant: bool,
    /// Values between the lags of `autocorrelation`; files of earlier versions have 0 for `every`.
    #[serde(default)]
    pub lag: u64,
    /// Autocorrelation function at lags 0, `lag`, 2 `lag`, …, at most 100 of them.
    pub autocorrelation: Vec<f64>,
    /// Bartlett's standard errors of `autocorrelation`, under no memory from that lag on.
    #[serde(default)]
    pub autocorrelation_error: Vec<f64>,
}

impl MixingReport {
    /// `edges off the motif, karate`.
    pub fn name(&self) -> String {
        if self.of.is_empty() { self.observable.clone() } else { format!("{}, {}", self.observable, self.of) }
    }

    /// Whether it has converged, as far as can be seen; none where that is not known. Files of earlier versions have R̂ alone.
    pub fn verdict(&self) -> Option<bool> {
        self.mixed.or(self.r_hat.map(|r_hat| r_hat <= R_HAT_LIMIT))
    }

    /// Whether it never changed over more than a few values, as in a stuck chain.
    pub fn is_stuck(&self) -> bool {
        self.constant && self.values >= LEAST_CONSTANT
    }

    /// Number of independent minibatches that those along these chains are worth: their number over the autocorrelation time in minibatches,
    /// which is at least 1; none where that time is not known.
    pub(crate) fn effective_minibatches(&self, minibatches: u64) -> Option<f64> {
        // Values of a chain in a minibatch: one configuration of a lattice, a share of the patches of a network.
        let each = self.values as f64 / minibatches as f64;
        let time = self.autocorrelation_time.filter(|_| each > 0.0)? / each;
        Some(minibatches as f64 / time.max(1.0))
    }

    /// Why it has not converged: `not converged (R̂ 1.200)`, or too few effective draws.
    pub fn why_not(&self) -> String {
        if self.r_hat.is_some_and(|r_hat| r_hat <= R_HAT_LIMIT) {
            let least = [self.effective_sample_size, self.ess_bulk, self.ess_tail].into_iter().flatten();
            let (least, needed) = (least.fold(f64::INFINITY, f64::min), LEAST_ESS * self.chains as f64);
            return format!("too few effective draws (ESS {least:.0}, {needed:.0} needed)");
        }
        format!("not converged (R̂ {})", self.r_hat(3, "unknown"))
    }

    /// R̂ with the digits it is printed with.
    pub fn r_hat(&self, digits: usize, unknown: &str) -> String {
        match (self.r_hat, self.mixed) {
            (Some(r_hat), _) => format!("{r_hat:.digits$}"),
            (None, Some(false)) => "infinite".to_owned(),
            (None, _) => unknown.to_owned(),
        }
    }

    /// In words, the observable first.
    pub fn words(&self) -> String {
        if let (Some(mean), true) = (self.mean, self.constant) {
            let name = self.name();
            return format!("{name} {mean:.4}, never changed: convergence is unknown");
        }
        let (Some(mean), Some(error)) = (self.mean, self.error) else {
            return format!("{}: too few values", self.name());
        };
        let (Some(time), Some(size)) = (self.autocorrelation_time, self.effective_sample_size) else {
            return format!("{} {mean:.4}", self.name());
        };
        format!(
            "{} {mean:.4} ± {error:.4}; autocorrelation time {time:.1}, ESS {size:.0}, R̂ {}",
            self.name(),
            self.r_hat(3, "unknown")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two chains of values in mixed order, the second shifted.
    fn watched(values: i32, apart: f64) -> TraceSet {
        let mut watched = TraceSet::new("energy", "50×50", 2, 1);
        for i in 0..values {
            for (c, trace) in (0..).zip(&mut watched.traces) {
                trace.push_with(|| f64::from((i + 100 * c) * 7919 % 1009) + apart * f64::from(c));
            }
        }
        watched
    }

    #[test]
    fn reports_have_the_numbers_of_the_chains() {
        let all = watched(500, 0.0);
        let chains: Vec<&[f64]> = all.traces.iter().map(Trace::values).collect();
        let (expected, found) = (Mixing::from_series(&chains), all.mixed().unwrap());
        assert_eq!((found.chains, found.values, found.every, found.lag), (2, 500, 1, 1));
        assert_eq!(found.mean, Some(expected.mean));
        assert_eq!(found.error, Some(expected.error));
        assert_eq!(found.autocorrelation_time, Some(expected.autocorrelation_time));
        for (found, expected) in [
            (found.effective_sample_size, expected.effective_sample_size),
            (found.ess_bulk, expected.ess_bulk),
            (found.ess_tail, expected.ess_tail),
            (found.r_hat, expected.r_hat),
        ] {
            assert!((found.unwrap() / expected - 1.0).abs() < 1e-12);
        }
        assert!(found.verdict() == Some(true) && !found.constant && !found.is_stuck());
        let curve = autocorrelation(&chains, LAGS);
        assert_eq!((found.autocorrelation.len(), found.autocorrelation_error.len()), (LAGS + 1, LAGS + 1));
        for (found, expected) in found.autocorrelation.iter().zip(&curve) {
            assert!((found - expected).abs() <= 5.1e-6);
        }
        for (found, expected) in found.autocorrelation_error.iter().zip(bartlett_errors(&curve, 1000)) {
            assert!((found - expected).abs() <= 5.1e-6);
        }
        let time = expected.autocorrelation_time;
        assert!((found.effective_minibatches(50).unwrap() - 50.0 / (time / 10.0).max(1.0)).abs() < 1e-12);
        let many = 500.0 / time.max(1.0);
        assert!((found.effective_minibatches(500).unwrap() - many).abs() < 1e-9);
        assert_eq!(found.name(), "energy, 50×50");
        assert!(TraceSet::new("energy", "", 2, 1).mixed().is_none());
    }

    #[test]
    fn chains_that_are_apart_short_or_still_are_told_in_words() {
        let apart = watched(500, 1e4).mixed().unwrap();
        assert_eq!((apart.mixed, apart.verdict()), (Some(false), Some(false)));
        assert!(apart.why_not().starts_with("not converged (R̂ "), "{}", apart.why_not());
        assert_eq!(apart.r_hat(2, "?"), format!("{:.2}", apart.r_hat.unwrap()));
        let few = watched(40, 0.0).mixed().unwrap();
        assert_eq!(few.mixed, Some(false));
        let alike = MixingReport { r_hat: Some(R_HAT_LIMIT), ess_bulk: Some(55.4), ..few.clone() };
        assert_eq!(
            alike.why_not(),
            format!(
                "too few effective draws (ESS {:.0}, 200 needed)",
                55.4f64.min(alike.ess_tail.unwrap()).min(alike.effective_sample_size.unwrap())
            )
        );
        assert_eq!(MixingReport { mixed: None, ..alike.clone() }.verdict(), Some(true));
        assert_eq!(
            MixingReport { mixed: None, r_hat: Some(R_HAT_LIMIT + 1e-9), ..alike }.verdict(),
            Some(false)
        );
        let infinite = MixingReport { r_hat: None, ..few.clone() };
        assert_eq!(infinite.r_hat(3, "unknown"), "infinite");
        assert_eq!(MixingReport { mixed: None, ..infinite }.r_hat(3, "unknown"), "unknown");
        let still = |values: i32| {
            let mut still = TraceSet::new("energy", "", 2, 1);
            still.traces.iter_mut().for_each(|trace| (0..values).for_each(|_| trace.push_with(|| 2.5)));
            still.mixed().unwrap()
        };
        let stuck = still(8);
        assert!(stuck.constant && stuck.is_stuck() && stuck.verdict().is_none(), "{stuck:?}");
        assert_eq!((stuck.mean, stuck.error, stuck.autocorrelation_time), (Some(2.5), None, None));
        assert_eq!(stuck.words(), "energy 2.5000, never changed: convergence is unknown");
        assert!(still(7).constant && !still(7).is_stuck());
        assert!(still(4).constant && !still(3).constant);
        assert_eq!(still(3).words(), "energy: too few values");
        // Either chain alone still moves.
        let mut one = TraceSet::new("energy", "", 2, 1);
        one.traces[0] = Trace::new(100);
        (0..20).for_each(|i| one.traces[0].push_with(|| f64::from(i % 3)));
        (0..20).for_each(|_| one.traces[1].push_with(|| 1.0));
        assert!(!one.mixed().unwrap().constant);
    }

    #[test]
    fn traces_of_a_run_share_the_room_and_long_ones_are_thinned() {
        let most = |chains, share| {
            let mut set = TraceSet::new("energy", "", chains, share);
            let trace = &mut set.traces[0];
            let mut pushed = 0;
            while trace.stride() == 1 {
                trace.push_with(|| 0.0);
                pushed += 1;
            }
            pushed - 1
        };
        assert_eq!((most(4, 2), most(1, 1), most(1000, 1000)), (2048, MOST_VALUES, FEWEST));
        // A memory of one step is seen in the first values, whatever the stride.
        let mut long = TraceSet::new("energy", "", 2, 20);
        for i in 0..5000 {
            for (c, trace) in (0..).zip(&mut long.traces) {
                trace.push_with(|| f64::from((i + 100 * c) * 7919 % 1009));
            }
        }
        let found = long.mixed().unwrap();
        let stretch: Vec<&[f64]> = long.traces.iter().map(Trace::stretch).collect();
        assert!(found.every > 1 && found.lag == 1 && found.values == 5000);
        let time = Mixing::from_series(&stretch).autocorrelation_time;
        assert_eq!(found.autocorrelation_time, Some(time));
        assert!((found.effective_sample_size.unwrap() - 10_000.0 / time).abs() < 1e-9);
        assert_eq!(found.autocorrelation[1], (autocorrelation(&stretch, 1)[1] * 1e5).round() / 1e5);
    }
}
