//! What sampling came to, in words and as JSON.

use super::reading::kind;
use super::recording::Recording;
use crate::mixing::{self, MIXED};
use crate::words::table;
use ergodict::chain::diagnostics::{Acceptance, Mixing};
use ergodict::chain::{Density, MotifSampler, SamplerKind, Tally};
use ergodict::data::Network;
use ergodict::patch::Measures;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What sampling came to.
#[expect(clippy::struct_excessive_bools, reason = "they are facts that have nothing to do with each other")]
pub(super) struct Sampled {
    /// The network.
    pub(super) name: String,
    pub(super) nodes: usize,
    pub(super) edges: u64,
    /// Directed or not, weighted or not.
    pub(super) what: String,
    pub(super) motif: String,
    pub(super) k: usize,
    pub(super) kind: SamplerKind,
    pub(super) independent: bool,
    pub(super) injective: bool,
    pub(super) tree: bool,
    /// Whether every chain has left its first homomorphism.
    pub(super) moved: bool,
    /// Homomorphisms of each chain.
    pub(super) kept: Vec<u64>,
    pub(super) acceptance: Acceptance,
    /// Observables and how well they mix.
    pub(super) mixing: Vec<(String, Mixing)>,
    pub(super) conditional: Option<Mixing>,
    pub(super) density: Option<Density>,
    /// Row by row.
    pub(super) macc: Option<Vec<f64>>,
    pub(super) out: Option<PathBuf>,
    pub(super) patches_out: Option<PathBuf>,
    pub(super) every: u64,
    pub(super) config: Value,
    /// Seconds before the first homomorphism, and from there to the last.
    pub(super) set_up: f64,
    pub(super) seconds: f64,
    /// Homomorphisms drawn in this run.
    pub(super) drawn: u64,
    pub(super) resumed: bool,
    pub(super) notes: Vec<String>,
    /// What was decided while the network was read.
    pub(super) decisions: Option<String>,
    /// Of the file.
    pub(super) digest: Option<String>,
}

impl Sampled {
    pub(super) fn new(
        name: String,
        network: &Network,
        sampler: &dyn MotifSampler,
        kind_of_sampler: SamplerKind,
        recordings: &[Recording],
        measures: &Measures,
        density: Option<Density>,
    ) -> Self {
        let mut acceptance = Acceptance::default();
        recordings.iter().for_each(|recording| acceptance.add(recording.acceptance()));
        let series_of = |i: usize| recordings.iter().map(move |r| r.measured().series[i].as_slice());
        let mixing_of = |i: usize| Mixing::of(&series_of(i).collect::<Vec<_>>());
        let scalars = measures.scalars.len();
        let mut macc: Option<ergodict::chain::Macc> = None;
        for part in recordings.iter().filter_map(|recording| recording.measured().macc.as_ref()) {
            match &mut macc {
                Some(sum) => sum.merge(part),
                none => *none = Some(part.clone()),
            }
        }
        Self {
            name,
            nodes: network.nodes(),
            edges: network.edges(),
            what: kind(network),
            motif: sampler.motif().name().to_owned(),
            k: sampler.motif().k(),
            kind: kind_of_sampler,
            independent: sampler.is_independent(),
            injective: false,
            tree: sampler.motif().tree().is_some(),
            moved: recordings.iter().all(|recording| recording.measured().moved),
            kept: recordings.iter().map(Recording::kept).collect(),
            acceptance,
            mixing: measures.scalars.iter().enumerate().map(|(i, o)| (o.to_string(), mixing_of(i))).collect(),
            conditional: measures.conditional.is_some().then(|| mixing_of(scalars)),
            density,
            macc: macc.map(|macc| measures.coefficients(&macc)),
            out: None,
            patches_out: None,
            every: 1,
            config: Value::Null,
            set_up: 0.0,
            seconds: 0.0,
            drawn: 0,
            resumed: false,
            notes: Vec::new(),
            decisions: None,
            digest: None,
        }
    }

    /// Homomorphisms in all.
    pub(super) fn count(&self) -> u64 {
        self.kept.iter().sum()
    }

    /// The share of accepted proposals, for samplers that reject any.
    pub(super) fn rate(&self) -> Option<f64> {
        let never = self.kind == SamplerKind::Glauber || self.kind == SamplerKind::Exact && self.tree;
        (self.acceptance.proposed > 0 && (!never || self.injective)).then(|| self.acceptance.rate())
    }

    /// Whether a chain has never moved, although there were many chances.
    fn is_stuck(&self) -> bool {
        !self.moved && !self.independent && self.kept.iter().all(|&kept| kept >= 100)
    }

    /// What is known of an observable as JSON. A single chain whose steps depend on each other cannot tell whether it has
    /// mixed, and neither can one that never moves.
    fn observable(&self, name: &str, mixing: &Mixing) -> Value {
        let mut value = mixing::json(name, mixing);
        if self.is_stuck() {
            value["mixed"] = json!(false);
        } else if self.kept.len() == 1 && !self.independent && value["mixed"] == true {
            value["mixed"] = Value::Null;
        }
        value
    }

    /// The end of the output.
    pub(super) fn words(&self, more: Vec<(&'static str, String)>) -> String {
        let rate = self.drawn as f64 / self.seconds.max(1e-9);
        let rate = if rate >= 1e6 { format!("{:.1} million/s", rate / 1e6) } else { format!("{rate:.0}/s") };
        let mut lines = vec![(
            "sampled",
            format!(
                "{} homomorphisms of the {} motif of {} nodes, {} sampler, {:.2} s ({rate}; set-up {:.3} s)",
                self.count(),
                self.motif,
                self.k,
                self.kind,
                self.seconds,
                self.set_up
            ),
        )];
        lines.extend(self.mixing.iter().map(|(name, mixing)| (&**name, words(mixing))));
        if self.is_stuck() {
            let advice = "a chain never left its first homomorphism: there may be no other that single nodes lead to; use \
                          --sampler exact or rejection";
            lines.push(("warning", advice.to_owned()));
        } else if !self.independent && self.mixing.iter().any(|(_, mixing)| mixing.r_hat > MIXED) {
            let advice = "parts of the run disagree (R̂ is not near 1): a longer run, --every, or another --sampler is needed";
            lines.push(("warning", advice.to_owned()));
        }
        if let Some(rate) = self.rate() {
            let name = if self.injective { "injective" } else { "accepted" };
            lines.push((name, rate_words(rate)));
        }
        if let Some(density) = &self.density {
            let all = if self.injective { ", of all homomorphisms" } else { "" };
            lines.push(("density", format!("{}{all}", density_words(density))));
        }
        if let Some(mixing) = &self.conditional {
            lines.push(("conditional", format!("density {}", words(mixing))));
        }
        if let Some(macc) = &self.macc {
            lines.push((
                "macc",
                format!("{0}×{0}, mean {1:.5}", self.k, macc.iter().sum::<f64>() / macc.len() as f64),
            ));
            if self.k <= SMALL {
                lines
                    .extend(macc.chunks_exact(self.k).map(|row| {
                        ("", row.iter().map(|v| format!("{v:.4}")).collect::<Vec<_>>().join(" "))
                    }));
            }
        }
        lines.extend(self.out.iter().map(|out| ("wrote", out.display().to_string())));
        lines.extend(self.patches_out.iter().map(|out| ("patches", out.display().to_string())));
        lines.extend(more);
        table(&lines)
    }

    /// The summary.
    pub(super) fn json(&self) -> Value {
        let macc = self.macc.as_ref().map(|macc| macc.chunks_exact(self.k).collect::<Vec<_>>());
        json!({
            "schema": "ergodict.network-sample/1",
            "network": self.name,
            "digest": self.digest,
            "decisions": self.decisions,
            "nodes": self.nodes,
            "edges": self.edges,
            "motif": self.motif,
            "k": self.k,
            "sampler": self.kind.to_string(),
            "independent": self.independent,
            "count": self.count(),
            "chains": self.kept,
            "steps_between_samples": self.every,
            "acceptance": self.rate(),
            "observables": self.mixing.iter().map(|(name, m)| self.observable(name, m)).collect::<Vec<_>>(),
            "density": self.density.as_ref().map(|density| json!({
                "mean": density.value(),
                "log": density.log,
                "relative_error": density.relative_error,
                "exact": density.exact,
            })),
            "conditional_density": self.conditional.as_ref().map(|m| self.observable("conditional-density", m)),
            "macc": macc,
            "notes": self.notes,
            "out": self.out,
            "patches": self.patches_out,
            "set_up_seconds": self.set_up,
            "seconds": self.seconds,
            "resumed": self.resumed,
            "config": self.config,
        })
    }
}

/// Matrices of at most so many rows are printed.
const SMALL: usize = 12;

fn words(mixing: &Mixing) -> String {
    let Mixing { mean, error, autocorrelation_time, effective_sample_size, r_hat } = mixing;
    if autocorrelation_time.is_nan() {
        return format!("{mean:.5} (too few to tell how well it mixes)");
    }
    if *error == 0.0 {
        return format!("{mean:.5}, always");
    }
    format!(
        "{mean:.5} ± {error:.5}; autocorrelation time {autocorrelation_time:.1}, {effective_sample_size:.0} effective \
         samples, R̂ {r_hat:.3}"
    )
}

/// A share of proposals in words.
pub(super) fn rate_words(rate: f64) -> String {
    if rate < 1e-3 {
        format!("1 in {:.0} proposals", 1.0 / rate)
    } else {
        format!("{:.2} % of the proposals", 100.0 * rate)
    }
}

/// A density in words; small ones as a power of ten, which may be beyond the range of numbers.
pub(super) fn density_words(density: &Density) -> String {
    let value = density.log / std::f64::consts::LN_10;
    let size = if density.log == f64::NEG_INFINITY {
        "0".to_owned()
    } else if density.value() >= 1e-3 {
        format!("{:.6}", density.value())
    } else {
        format!("{:.6}e{}", 10f64.powf(value - value.floor()), value.floor())
    };
    let error = match density.relative_error {
        _ if density.exact => "exact".to_owned(),
        error if error.is_nan() => "no draw closed the motif: the error is not known".to_owned(),
        error => format!("± {:.2} %", 100.0 * error),
    };
    format!("{size} ({error})")
}
