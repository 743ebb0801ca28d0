//! Warnings: why a result may not be what it seems, from what a model knows of its run.

use super::{ChainReport, Model, NetworkReport, Results};
use crate::chain::{MEAN_PIXEL, MixingReport, SITE_ENERGY, SamplerKind};
use crate::{Hint, Note};

/// Networks that are warned of by name.
const NAMED: usize = 3;

/// Fewest independent minibatches that minibatches along a chain should be worth: a mean over 30 has a standard error of 18 % of the spread of one, and
/// so have the statistics that atoms are learned from. A rule of thumb, not measured.
const LEAST_MINIBATCHES: f64 = 30.0;
/// Memory in minibatches from which on it is the chain, and not the number of minibatches, that there is too little of.
const LONG_MEMORY: f64 = 2.0;

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
    /// That chains have not converged or mix too slowly for what was learned, or that it cannot be said of some; none of independent draws.
    pub fn warning(&self) -> Option<Note> {
        if self.independent {
            return None;
        }
        let of_network = !self.sampler.is_empty();
        let failed = self.mixing.iter().find(|one| one.verdict() == Some(false));
        if let Some(failed) = failed.filter(|_| of_network) {
            let text = format!("{}; increase {{}} or {{}}, or use another {{}}", failed.why_not());
            return Some(Note::naming(text, &["steps", "every", "sampler"]));
        }
        let first = self.mixing.first().map_or("", |one| &*one.observable);
        if !of_network
            && !first.is_empty()
            && first != MEAN_PIXEL
            && self.mixing.iter().all(MixingReport::is_stuck)
        {
            let words = self.minibatch_words().unwrap_or_default();
            return Some(
                format!("{words}: {first} never changed; all configurations may be the same").into(),
            );
        }
        if let (Some(made), Some(worth)) = (self.minibatches, self.effective_minibatches)
            && worth < LEAST_MINIBATCHES
            && made as f64 >= LONG_MEMORY * worth
        {
            let words = self.minibatch_words().unwrap_or_default();
            let text = format!("{words}, {LEAST_MINIBATCHES} are advised; ");
            // By what makes a chain longer: that of images has no thinning, that of lattices counts updates.
            return Some(match first {
                MEAN_PIXEL => Note::naming(text + "increase {} or {}", &["steps", "patches"]),
                SITE_ENERGY => Note::naming(text + "run longer, or increase {} or {}", &["burn-in", "every"]),
                _ if !of_network => (text + "use a longer trajectory").into(),
                _ => Note::naming(
                    text + "increase {} or {}, or use another {}",
                    &["steps", "every", "sampler"],
                ),
            });
        }
        // Of the first networks it is said next to their numbers.
        let unknown = of_network && self.mixing.iter().skip(NAMED).any(|one| one.verdict().is_none());
        let text =
            "convergence of the chain is unknown for some networks: values are too few, or never changed";
        unknown.then(|| text.to_owned().into())
    }
}

impl Results {
    /// That none of the atoms was used, if so.
    pub fn warning(&self, atoms: usize) -> Option<Note> {
        let text = "every code is zero, nothing was learned: the samples are zero, or {} is too large";
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
    /// assert_eq!(words, "every code is zero, nothing was learned: the samples are zero, or lambda is too large");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::TraceSet;
    use crate::rng::{Purpose, normal, stream};

    /// An autoregressive series of memory `(1 + φ)/(1 − φ)` along one chain of minibatches.
    fn chain(phi: f64, sampler: &str, each: usize, minibatches: u64) -> ChainReport {
        let (mut rng, mut x) = (stream(7, Purpose::Chain, 0), 0.0);
        let mut watched = TraceSet::new("energy per site", "", 1, 1);
        for _ in 0..minibatches * each as u64 {
            x = phi * x + (1.0 - phi * phi).sqrt() * normal(&mut rng);
            watched.traces[0].push_with(|| x);
        }
        let mixing = watched.mixed().into_iter().collect();
        let report = ChainReport { mixing, sampler: sampler.to_owned(), ..ChainReport::default() };
        report.with_minibatches(minibatches)
    }

    #[test]
    fn minibatches_are_worth_their_number_over_the_autocorrelation_time() {
        // τ = 9, of 6000 values with a relative standard error of √(6·9/6000) ≈ 0.095; four of these.
        let slow = chain(0.8, "", 1, 6000).effective_minibatches.unwrap();
        assert!((slow * 9.0 / 6000.0 - 1.0).abs() < 0.38, "{slow}");
        // A hundred values to a minibatch hide the memory of nine.
        let wide = chain(0.8, "", 100, 60);
        assert_eq!((wide.effective_minibatches, wide.warning()), (Some(60.0), None));
        assert_eq!(wide.minibatch_words().unwrap(), "60 minibatches are worth 60 independent ones");
    }

    #[test]
    fn memory_that_leaves_few_minibatches_is_warned_of() {
        let words = |report: &ChainReport| report.warning().map(|note| note.spelled(&ToString::to_string));
        let slow = words(&chain(0.98, "", 1, 300)).unwrap();
        assert!(
            slow.starts_with("300 minibatches are worth ") && slow.contains(", 30 are advised"),
            "{slow}"
        );
        assert!(slow.ends_with("run longer, or increase burn-in or every"), "{slow}");
        assert_eq!(words(&chain(0.0, "", 1, 300)), None);
        // Ten minibatches are few, but not because of the chain.
        assert_eq!(words(&chain(0.0, "", 100, 10)), None);
        let independent = ChainReport { independent: true, ..chain(0.98, "", 1, 300) };
        assert_eq!(words(&independent), None);
        // A file has no settings that make it longer.
        let file = ChainReport { mixing: Vec::new(), ..chain(0.98, "", 1, 300) };
        let mixing = chain(0.98, "", 1, 300).mixing.into_iter();
        let named = mixing.map(|one| MixingReport { observable: "magnetization".to_owned(), ..one });
        let file = words(&ChainReport { mixing: named.collect(), ..file }).unwrap();
        assert!(file.ends_with("30 are advised; use a longer trajectory"), "{file}");
        // Of values that never changed nothing is known, which is a warning where all are such.
        let mut still = TraceSet::new("magnetization", "", 1, 1);
        (0..50).for_each(|_| still.traces[0].push_with(|| 1.0));
        let still = ChainReport { mixing: still.mixed().into_iter().collect(), ..ChainReport::default() };
        let still = still.with_minibatches(50);
        assert_eq!((still.minibatches, still.effective_minibatches), (Some(50), None));
        assert!(words(&still).unwrap().contains("not known: magnetization never changed"));
        // A conserved density is not judged by.
        let mut moving = chain(0.0, "", 1, 300);
        moving.mixing.extend(still.mixing);
        let moving = moving.with_minibatches(300);
        assert!(moving.effective_minibatches.unwrap() > 200.0 && moving.warning().is_none());
    }
}
