//! What chains are watched by while a dictionary is learned from them, and how well they mix by that: in models and on pages.

use crate::mixing::MIXED;
use anyhow::{Result, bail};
use ergodict::chain::Trace;
use ergodict::chain::diagnostics::{Mixing, autocorrelation};
use ergodict_report::{Figure, LineChart, Series, Table};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Values that all traces of a run keep together: enough for a run of the paper's size to keep all, few enough for a checkpoint.
pub(crate) const MOST_VALUES: usize = 1 << 14;
/// Fewest values of a trace, however many there are.
const FEWEST: usize = 16;
/// Lags of an autocorrelation function, in values.
const LAGS: usize = 100;

/// The series of one observable along the chains of one network or lattice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Watched {
    /// The observable, in words.
    pub(crate) observable: String,
    /// Where the chains are, such as the name of a network; empty where that goes without saying.
    pub(crate) of: String,
    /// One for each chain.
    pub(crate) traces: Vec<Trace>,
}

impl Watched {
    /// Nothing seen yet; `share` is how many such there are in the run.
    pub(crate) fn new(
        observable: impl Into<String>,
        of: impl Into<String>,
        chains: usize,
        share: usize,
    ) -> Self {
        let most = (MOST_VALUES / (chains * share).max(1)).max(FEWEST);
        Self { observable: observable.into(), of: of.into(), traces: vec![Trace::new(most); chains] }
    }

    /// How well it mixes; none where nothing was seen.
    fn mixed(&self) -> Option<Mixed> {
        // Chains of minibatches of unequal shares may be at different strides: all are brought to the largest.
        let stride = self.traces.iter().map(Trace::stride).max()?;
        let thinned = |trace: &Trace| -> Vec<f64> {
            trace.values().iter().copied().step_by((stride / trace.stride()) as usize).collect()
        };
        let series: Vec<Vec<f64>> = self.traces.iter().map(thinned).collect();
        let values = series.iter().map(Vec::len).min().filter(|n| *n > 0)?;
        let mixing = Mixing::of(&series);
        let known = |x: f64| x.is_finite().then_some(x);
        let short = |x: &f64| (x * 1e5).round() / 1e5;
        Some(Mixed {
            observable: self.observable.clone(),
            of: self.of.clone(),
            chains: series.len(),
            values,
            every: stride,
            mean: known(mixing.mean),
            error: known(mixing.error),
            autocorrelation_time: known(mixing.autocorrelation_time * stride as f64),
            effective_sample_size: known(mixing.effective_sample_size),
            r_hat: known(mixing.r_hat),
            autocorrelation: autocorrelation(&series, LAGS).iter().map(short).collect(),
        })
    }
}

/// Goes on with what a checkpoint kept; one of an earlier version kept nothing.
pub(crate) fn go_on_watching(now: Option<&mut Vec<Watched>>, kept: &Value) -> Result<()> {
    let Some(now) = now.filter(|_| !kept.is_null()) else { return Ok(()) };
    let kept: Vec<Watched> = Deserialize::deserialize(kept)?;
    if kept.len() != now.len() || kept.iter().zip(&*now).any(|(a, b)| a.traces.len() != b.traces.len()) {
        bail!("it watched other chains");
    }
    *now = kept;
    Ok(())
}

/// How well all that was watched mixes.
pub(crate) fn mixed(watched: &[Watched]) -> Vec<Mixed> {
    watched.iter().filter_map(Watched::mixed).collect()
}

/// How well an observable mixes, as models keep it. What is not known (too few values, or values that never change) is null.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Mixed {
    pub(crate) observable: String,
    #[serde(default)]
    pub(crate) of: String,
    pub(crate) chains: usize,
    /// Values of each chain that were looked at, one in `every` of those learned from.
    pub(crate) values: usize,
    pub(crate) every: u64,
    pub(crate) mean: Option<f64>,
    pub(crate) error: Option<f64>,
    /// In places of the chain, whether looked at or not.
    pub(crate) autocorrelation_time: Option<f64>,
    /// Of the values that were looked at.
    pub(crate) effective_sample_size: Option<f64>,
    pub(crate) r_hat: Option<f64>,
    /// At lags 0, `every`, 2 `every`, …
    pub(crate) autocorrelation: Vec<f64>,
}

impl Mixed {
    /// `edges off the motif, karate`.
    pub(crate) fn name(&self) -> String {
        if self.of.is_empty() { self.observable.clone() } else { format!("{}, {}", self.observable, self.of) }
    }

    /// In words, as samplers tell it; the observable is the first.
    pub(crate) fn words(&self) -> String {
        let (Some(mean), Some(error)) = (self.mean, self.error) else {
            return format!("{}: too few to tell", self.name());
        };
        let (Some(time), Some(size)) = (self.autocorrelation_time, self.effective_sample_size) else {
            return format!("{} {mean:.4}", self.name());
        };
        let r_hat = self.r_hat.map_or("unknown".to_owned(), |r_hat| format!("{r_hat:.3}"));
        format!(
            "{} {mean:.4} ± {error:.4}; autocorrelation time {time:.1}, {size:.0} effective samples, R̂ {r_hat}",
            self.name()
        )
    }

    fn row(&self) -> Vec<String> {
        let number = |x: Option<f64>, digits: usize| x.map_or("–".to_owned(), |x| format!("{x:.digits$}"));
        vec![
            self.name(),
            self.chains.to_string(),
            self.values.to_string(),
            format!("{} ± {}", number(self.mean, 4), number(self.error, 4)),
            number(self.autocorrelation_time, 1),
            number(self.effective_sample_size, 0),
            number(self.r_hat, 3),
        ]
    }

    fn curve(&self) -> Vec<(f64, f64)> {
        let every = self.every as f64;
        self.autocorrelation.iter().enumerate().map(|(lag, rho)| (lag as f64 * every, *rho)).collect()
    }
}

const TABLE: &str = "
    Of the values that were looked at: how many there are in each chain; their mean, with the error that chance leaves it; the autocorrelation
    time, which is how many states are worth one independent draw; the effective sample size, which is how many independent draws
    would tell the mean as well; and split R̂, which is near 1 when all parts of all chains agree.";

/// The table of what was watched, with the verdict in words.
pub(crate) fn table(all: &[Mixed], what: &str) -> Table {
    let apart = all.iter().any(|one| one.r_hat.is_some_and(|r_hat| r_hat > MIXED));
    let verdict = if apart {
        format!(
            "Some R̂ is above {MIXED}: parts of the run disagree, and a longer run, or more steps between states, is needed."
        )
    } else {
        format!("No R̂ is above {MIXED}: nothing speaks against the chains having mixed.")
    };
    let head = ["observable", "chains", "values", "mean", "autocorrelation time", "effective samples", "R̂"];
    Table {
        title: "How well the chain mixes".into(),
        head: head.map(str::to_owned).to_vec(),
        rows: all.iter().map(Mixed::row).collect(),
        words: format!("{what}\n\n{TABLE} {verdict}"),
    }
}

const CURVE: &str = "
    How alike two states are that lie so many states apart on the chain: 1 is the same, 0 is as if drawn independently. The sooner a curve
    comes down to 0, the more the states are worth. A curve that stays up far to the right is bad: the chain was too short for what it
    remembers, and what was learned may be of one part of the data alone. Small waves about 0 are chance.";

/// The autocorrelation functions; none where there are none.
pub(crate) fn curve(all: &[Mixed], of: &str) -> Option<Figure> {
    let drawn: Vec<&Mixed> = all.iter().filter(|one| one.autocorrelation.len() > 1).take(8).collect();
    if drawn.is_empty() {
        return None;
    }
    let name = |one: &Mixed| if all.len() > 1 { one.name() } else { String::new() };
    let series = drawn.iter().map(|one| Series::new(name(one), one.curve()));
    Some(autocorrelations(series.collect(), of))
}

/// The figure of autocorrelation functions that are known already.
pub(crate) fn autocorrelations(series: Vec<Series>, of: &str) -> Figure {
    let least = series.iter().flat_map(|one| &one.points).map(|p| p.1).fold(-0.1, f64::min);
    let chart = LineChart {
        x_label: format!("{of} apart"),
        y_label: "autocorrelation".into(),
        y_range: Some((least, 1.0)),
        series,
        ..LineChart::default()
    };
    Figure { title: "Autocorrelation".into(), svg: chart.svg(), words: CURVE.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_at_different_strides_are_brought_together() {
        let mut watched = Watched::new("edges", "karate", 2, 1);
        watched.traces = vec![Trace::new(16), Trace::new(16)];
        // The first is 40 long and keeps every fourth, the second 30 long and keeps every second.
        for (trace, n) in watched.traces.iter_mut().zip([40u32, 30]) {
            (0..n).for_each(|i| trace.push_with(|| f64::from(i * 37 % 11)));
        }
        let mixed = watched.mixed().unwrap();
        assert_eq!((mixed.every, mixed.values, mixed.chains), (4, 8, 2));
        assert_eq!(mixed.autocorrelation.first(), Some(&1.0));
        assert!(Watched::new("edges", "", 3, 1).mixed().is_none());
    }

    #[test]
    fn what_is_not_known_is_null_and_comes_back() {
        let mut watched = Watched::new("edges", "", 1, 1);
        watched.traces[0].push_with(|| 2.0);
        let mixed = watched.mixed().unwrap();
        assert_eq!((mixed.mean, mixed.r_hat), (Some(2.0), None));
        let text = serde_json::to_string(&mixed).unwrap();
        assert_eq!(serde_json::from_str::<Mixed>(&text).unwrap(), mixed);
        assert!(curve(std::slice::from_ref(&mixed), "patches").is_none());
        assert_eq!(mixed.words(), "edges: too few to tell");
        assert_eq!(table(&[mixed], "").rows[0][6], "–");
    }
}
