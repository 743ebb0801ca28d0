//! Warnings: why a result may not be what it seems, from what a model knows of its run.

use super::{ChainReport, Model, NetworkReport, Results};
use crate::chain::SamplerKind;
use crate::{Hint, Note};

/// Networks that are warned of by name.
const NAMED: usize = 3;

impl NetworkReport {
    /// That walks of this sampler hardly see the network, if so.
    pub fn warning(&self, sampler: &str) -> Option<Note> {
        if !self.is_hardly_seen() {
            return None;
        }
        let text = format!("most of {} is hardly seen", self.name);
        let wide =
            [SamplerKind::Walk, SamplerKind::PivotApprox].iter().any(|kind| kind.to_string() == sampler);
        if wide {
            return Some(text.into());
        }
        let hint = Hint { setting: "sampler", value: SamplerKind::Walk.to_string() };
        Some(Note::hinting(format!("{text}; {{}} sees more of it"), hint))
    }
}

impl ChainReport {
    /// That chains have not converged, or that it cannot be said of some; none of independent draws.
    pub fn warning(&self) -> Option<Note> {
        if self.independent || self.sampler.is_empty() {
            return None;
        }
        if let Some(failed) = self.mixing.iter().find(|one| one.verdict() == Some(false)) {
            let text = format!("{}; increase {{}} or {{}}, or use another {{}}", failed.why_not());
            return Some(Note::naming(text, &["steps", "every", "sampler"]));
        }
        // Of the first networks it is said beside their numbers.
        let unknown = self.mixing.iter().skip(NAMED).any(|one| one.verdict().is_none());
        let text = "of some networks it cannot be told whether the chain mixed: values are too few, or never changed";
        unknown.then(|| text.to_owned().into())
    }
}

impl Results {
    /// That none of so many atoms was used, if so.
    pub fn warning(&self, atoms: usize) -> Option<Note> {
        let text = "every code is zero, nothing was learned: lower {}";
        (self.unused_atoms == atoms).then(|| Note::naming(text, &["lambda"]))
    }
}

impl Model {
    /// Why what was learned may not be what it seems: networks that were hardly seen, chains that have not converged, atoms that nothing uses.
    ///
    /// ```
    /// use ergodict::{factor::{FactorSettings, Factorizer}, linalg::Mat, model::{Model, Results}};
    /// let learned = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0)?;
    /// let mut model = Model::from_factorizer(&learned, "factor", 0);
    /// model.provenance.results = Some(Results { unused_atoms: 2, ..Results::default() });
    /// let words = model.warnings()[0].spelled(&ToString::to_string);
    /// assert_eq!(words, "every code is zero, nothing was learned: lower lambda");
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    pub fn warnings(&self) -> Vec<Note> {
        let kept = &self.provenance;
        let sampler = kept.chain.as_ref().map_or("", |chain| &chain.sampler);
        let seen = kept.networks.iter().filter_map(|network| network.warning(sampler)).take(NAMED);
        let mixed = kept.chain.as_ref().and_then(ChainReport::warning);
        let used = kept.results.as_ref().and_then(|results| results.warning(self.w.cols()));
        seen.chain(mixed).chain(used).collect()
    }
}
