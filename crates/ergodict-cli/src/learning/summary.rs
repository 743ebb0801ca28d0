//! What is told of every dictionary that was learned.

use crate::output;
use ergodict::model::{ChainReport, Input, Model, Results};
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

    /// What minibatches along a chain are worth, and what there is to warn of.
    pub(crate) fn chain_lines(&self) -> Vec<(&'static str, String)> {
        let Some(chain) = self.chain else { return Vec::new() };
        let warning = chain.warning().map(|note| output::in_flags(&note));
        // A warning of few begins with the same words.
        let is_warned = |words: &String| warning.as_ref().is_some_and(|text| text.starts_with(&**words));
        let words = chain.minibatch_words().filter(|words| !is_warned(words)).map(|words| ("chain", words));
        words.into_iter().chain(warning.map(|text| ("warning", text))).collect()
    }

    /// The results in words.
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        let results = self.results;
        let mut lines = self.chain_lines();
        lines.push((
            "loss",
            format!(
                "{:.6} per sample, surrogate {:.6}",
                results.loss_per_sample, results.surrogate_per_sample
            ),
        ));
        if let Some(loss) = results.held_out_loss_per_sample {
            lines.push(("held out", format!("{loss:.6} per sample over {}", results.held_out_samples)));
        }
        let eigenvalue =
            results.smallest_eigenvalue.map_or_else(String::new, |x| format!(", λ_min(A) {x:.3e}"));
        lines.push(("gap", format!("{:.3e} from stationary{eigenvalue}", results.stationarity_gap)));
        let unused = ergodict_report::words::count(results.unused_atoms, "atom", "atoms");
        lines.push((
            "dominance",
            format!("{}; {unused} unused", first_dominances(&self.dominance, &self.order)),
        ));
        lines.extend(results.warning(self.atoms).map(|note| ("warning", output::in_flags(&note))));
        let (code, update) = (results.capped_code_steps, results.capped_update_steps);
        // A few updates that end at their last sweep are usual; the next step goes on where they stopped.
        if code > 0 || 10 * update > self.steps {
            let caps = format!(
                "coding stopped before its tolerance in {code}, the dictionary update in {update} of {} steps",
                self.steps
            );
            lines.push(("caps", caps));
        }
        if results.reseeded > 0 {
            lines.push(("reseeded", format!("{} times an atom", results.reseeded)));
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
