//! Weights where they are used only when asked for, and the scales that they may be put on.

use super::{Network, Section};
use crate::{Error, Hint, Note, Result};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Largest weight over the median, above which weights count as strongly skewed: a walk then hardly leaves a few edges.
const SKEWED: f64 = 10.0;

/// The scale of weights.
///
/// ```
/// use ergodict::data::{Build, Network, NodeIds, WeightScale};
/// let edges = [(0, 1, 2.0), (1, 2, 6.0), (2, 3, 14.0)];
/// let network = Network::build(NodeIds::numbered(4), &edges, true, Build::default())?.0;
/// assert_eq!(network.clone().rescaled(WeightScale::Log).weight(2, 3), 3.0); // log₂(1 + 14/2)
/// assert_eq!(network.rescaled(WeightScale::Rank).weight(1, 2), 2.0 / 3.0);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum WeightScale {
    /// As they are
    #[default]
    Linear,
    /// log₂(1 + w/w₀), where w₀ is the smallest weight
    Log,
    /// Rank among all edges, from 0 to 1; ties share their mean
    Rank,
}

/// Settings of weights in learning, comparing and reconstructing, where they are ignored by default.
///
/// ```
/// use ergodict::data::{WeightSettings, embedded};
/// let (network, note) = WeightSettings::default().apply(false, embedded("lesmis")?);
/// assert!(!network.is_weighted() && note.is_some());
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "Reading"))]
pub struct WeightSettings {
    /// Scale of the weights: linear, log (log₂(1 + w/smallest)) or rank (from 0 to 1)
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_enum,
            value_name = "linear|log|rank",
            default_value = "linear",
            hide_possible_values = true,
            hide_short_help = true
        )
    )]
    pub weights: WeightScale,
}

impl WeightSettings {
    /// Checks that weights are used where they are put on a scale.
    ///
    /// # Errors
    /// [`Error::Parameter`] where they are not.
    pub(crate) fn check(self, weighted: bool) -> Result<()> {
        if weighted || self.weights == WeightScale::Linear {
            return Ok(());
        }
        Err(Error::parameter("weights", "on another scale", "weights are ignored here: set weighted as well"))
    }

    /// The network that is learned from, where weights are used or not, and what a user should know of its weights.
    pub fn apply(self, weighted: bool, network: Network) -> (Network, Option<Note>) {
        if !network.is_weighted() {
            return (network, None);
        }
        if !weighted {
            let hint = Hint { setting: "weighted", value: "true".into() };
            return (network.unweighted(), Some(Note::hinting("weights are ignored ({} uses them)", hint)));
        }
        let note = network.weight_skew().filter(|skew| *skew > SKEWED && self.weights == WeightScale::Linear);
        let note = note.map(|skew| {
            let text = format!(
                "weights are strongly skewed (the largest is {skew:.0} times the median), so that walks stay on few edges: {{}} evens them out"
            );
            Note::hinting(text, Hint { setting: "weights", value: "rank".into() })
        });
        (network.rescaled(self.weights), note)
    }
}

impl Network {
    /// What a user should know where weights are used without being asked for, as in sampling; none without weights.
    ///
    /// ```
    /// let note = ergodict::data::embedded("lesmis")?.weights_note().unwrap();
    /// assert_eq!(
    ///     note.spelled(&|hint| format!("--{}", hint.setting)),
    ///     "weights are used: a walk takes an edge in proportion to its weight (--unweighted ignores them)"
    /// );
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    pub fn weights_note(&self) -> Option<Note> {
        let text = "weights are used: a walk takes an edge in proportion to its weight ({} ignores them)";
        let hint = Hint { setting: "unweighted", value: "true".into() };
        self.is_weighted().then(|| Note::hinting(text, hint))
    }

    /// The same with weights on another scale; as it is without weights.
    pub fn rescaled(mut self, scale: WeightScale) -> Self {
        let Some(weights) = &self.rows.weights else { return self };
        let rescaled: Vec<f64> = match scale {
            WeightScale::Linear => return self,
            WeightScale::Log => {
                let smallest = weights.iter().copied().fold(f64::INFINITY, f64::min);
                // Beyond the range of f64 a quotient is its logarithm but for nothing.
                let log = |weight: f64| match weight / smallest {
                    ratio if ratio.is_finite() => ratio.ln_1p() / std::f64::consts::LN_2,
                    _ => weight.log2() - smallest.log2(),
                };
                weights.iter().map(|&weight| log(weight)).collect()
            }
            WeightScale::Rank => {
                let mut sorted: Vec<f64> = self.each_edge().map(|(_, _, weight)| weight).collect();
                sorted.sort_unstable_by(f64::total_cmp);
                let rank = |weight: f64| {
                    let below = sorted.partition_point(|other| *other < weight);
                    let up_to = sorted.partition_point(|other| *other <= weight);
                    (below + up_to + 1) as f64 / 2.0 / sorted.len() as f64
                };
                weights.iter().map(|&weight| rank(weight)).collect()
            }
        };
        self.rows.weights = Some(Section::Owned(rescaled));
        self.incoming = OnceLock::new();
        self.known.origin = None;
        self
    }

    /// The largest weight over the median; none without weights.
    fn weight_skew(&self) -> Option<f64> {
        let mut weights = self.rows.weights.as_ref()?.to_vec();
        if weights.is_empty() {
            return None;
        }
        let middle = weights.len() / 2;
        let (_, median, above) = weights.select_nth_unstable_by(middle, f64::total_cmp);
        let largest = above.iter().copied().fold(*median, f64::max);
        Some(largest / *median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Build, NodeIds};

    fn network(weights: &[f64], directed: bool) -> Network {
        let edges: Vec<(u32, u32, f64)> = (0..).zip(weights).map(|(u, &w)| (u, u + 1, w)).collect();
        let build = Build { directed, ..Build::default() };
        Network::build(NodeIds::numbered(weights.len() + 1), &edges, true, build).unwrap().0
    }

    #[test]
    fn scales_keep_the_order_of_weights_and_ignore_their_unit() {
        for directed in [false, true] {
            for scale in [WeightScale::Log, WeightScale::Rank] {
                let (one, other) = ([3.0, 1.0, 5.0, 1.0, 80.0], [3e-9, 1e-9, 5e-9, 1e-9, 80e-9]);
                let [one, other] = [one, other].map(|weights| network(&weights, directed).rescaled(scale));
                let weights = |network: &Network| network.each_edge().map(|edge| edge.2).collect::<Vec<_>>();
                let (one, other) = (weights(&one), weights(&other));
                assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-12), "{one:?} {other:?}");
                assert!(one[1] == one[3] && one[3] < one[0] && one[0] < one[2] && one[2] < one[4], "{one:?}");
                assert!(one[4] < 10.0);
            }
        }
    }

    fn text(note: Option<Note>) -> String {
        note.map_or_else(String::new, |note| note.spelled(&|hint| hint.setting.to_owned()))
    }

    #[test]
    fn weights_are_ignored_used_or_warned_of() {
        let heavy = || network(&[1.0, 1.0, 2.0, 50.0], false);
        let (plain, note) = WeightSettings::default().apply(false, heavy());
        assert!(!plain.is_weighted() && text(note).contains("ignored"));
        let (used, note) = WeightSettings::default().apply(true, heavy());
        assert!(used == heavy() && text(note).contains("skewed"));
        let (used, note) = WeightSettings { weights: WeightScale::Rank }.apply(true, heavy());
        assert!(used.is_weighted() && note.is_none());
        let (used, note) = WeightSettings::default().apply(true, network(&[1.0, 2.0, 3.0], false));
        assert!(used.is_weighted() && note.is_none());
        let simple = Network::simple(3, &[(0, 1), (1, 2)]).unwrap();
        assert!(WeightSettings::default().apply(false, simple).1.is_none());
    }
}
