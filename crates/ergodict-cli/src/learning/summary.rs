//! The summary of a learned dictionary, which all commands that learn share.

use crate::output;
use ergodict::model::{ChainReport, Input, Model, Results};
use ergodict_report::words::{count, number};
use serde::Serialize;
use std::path::Path;

/// A dictionary that was learned.
#[derive(Serialize)]
pub(crate) struct LearnedModel<'a> {
    /// Model file
    pub(crate) model: &'a Path,
    /// Files that were learned from, then that of `--init`
    inputs: &'a [Input],
    /// Entries of an atom, d
    pub(crate) features: usize,
    /// Number of atoms, r
    pub(crate) atoms: usize,
    /// Minibatches learned from
    pub(crate) steps: u64,
    /// Samples learned from, over all epochs
    pub(crate) samples: u64,
    /// Step of the checkpoint it was resumed from, or `null`
    pub(crate) resumed_after_step: Option<u64>,
    /// Dominance √A_kk / Σ √A_jj of each atom, in the order of the columns of W
    pub(crate) dominance: Vec<f64>,
    /// Independent minibatches that those along a chain are worth, `steps` over the autocorrelation time in minibatches; `null` where minibatches are independent, or it is not known
    pub(crate) effective_minibatches: Option<f64>,
    #[serde(flatten)]
    pub(crate) results: &'a Results,
    #[serde(skip)]
    pub(crate) order: Vec<usize>,
    #[serde(skip)]
    chain: Option<&'a ChainReport>,
}

impl<'a> LearnedModel<'a> {
    pub(crate) fn new(file: &'a Path, model: &'a Model, results: &'a Results, resumed: Option<u64>) -> Self {
        let (dominance, order) = model.dominance();
        Self {
            model: file,
            inputs: &model.inputs,
            features: model.w.rows(),
            atoms: model.w.cols(),
            steps: model.aggregates.t,
            samples: model.aggregates.samples,
            resumed_after_step: resumed,
            dominance,
            effective_minibatches: model
                .provenance
                .chain
                .as_ref()
                .and_then(|chain| chain.effective_minibatches),
            results,
            order,
            chain: model.provenance.chain.as_ref(),
        }
    }

    /// What minibatches along a chain are worth, and the warning of too few.
    fn chain_lines(&self) -> Vec<(&'static str, String)> {
        let Some(chain) = self.chain else { return Vec::new() };
        let warning = chain.warning().map(|note| output::in_flags(&note));
        // A warning of few begins with the same words.
        let is_warned = |words: &String| warning.as_ref().is_some_and(|text| text.starts_with(&**words));
        let words = chain.minibatch_words().filter(|words| !is_warned(words)).map(|words| ("chain", words));
        words.into_iter().chain(warning.map(|text| ("warning", text))).collect()
    }

    /// The dominance of the first atoms, and warnings.
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        let unused = match self.results.unused_atoms {
            0 => "no unused atoms".to_owned(),
            n => format!("{} unused", count(n, "atom", "atoms")),
        };
        let mut lines =
            vec![("dominance", format!("{}; {unused}", first_dominances(&self.dominance, &self.order)))];
        lines.extend(self.warnings());
        lines
    }

    /// What minibatches along a chain are worth, and warnings.
    pub(crate) fn warnings(&self) -> Vec<(&'static str, String)> {
        let mut lines = self.chain_lines();
        if let Some(loss) = self.results.held_out_loss_per_sample {
            let samples = count(self.results.held_out_samples as usize, "sample", "samples");
            lines.insert(0, ("held out", format!("loss {} per sample over {samples}", number(loss))));
        }
        lines.extend(self.results.warning(self.atoms).map(|note| ("warning", output::in_flags(&note))));
        lines
    }

    /// Loss, stationarity and caps of the optimizer.
    pub(crate) fn details(&self) -> Vec<(&'static str, String)> {
        let results = self.results;
        let (loss, surrogate) = (number(results.loss_per_sample), number(results.surrogate_per_sample));
        let mut lines = vec![("loss", format!("{loss} per sample, surrogate {surrogate}"))];
        let eigenvalue =
            results.smallest_eigenvalue.map_or_else(String::new, |x| format!(", λ_min(A) {x:.2e}"));
        lines.push(("stationarity", format!("gap {:.2e}{eigenvalue}", results.stationarity_gap)));
        let (code, update) = (results.capped_code_steps, results.capped_update_steps);
        // A few updates that end at their last sweep are usual; the next step continues where they stopped.
        if code > 0 || 10 * update > self.steps {
            let caps = format!(
                "coding stopped before its tolerance in {code}, the dictionary update in {update} of {} steps",
                self.steps
            );
            lines.push(("caps", caps));
        }
        if results.reseeded > 0 {
            lines.push(("reseeded", format!("an atom {} times", results.reseeded)));
        }
        lines
    }
}

/// The dominance of the first atoms in words.
pub(crate) fn first_dominances(dominance: &[f64], order: &[usize]) -> String {
    let first: Vec<String> = order.iter().take(5).map(|&k| format!("{:.3}", dominance[k])).collect();
    let rest = if order.len() > first.len() { ", …" } else { "" };
    format!("{}{rest}", first.join(", "))
}
