//! What sampling came to.

use crate::mixing::{self, MixingSummary, describe};
use crate::network::reading::kind;
use crate::summary::Summary;
use anyhow::Result;
use ergodict::chain::diagnostics::{Acceptance, Mixing};
use ergodict::chain::{Density, MotifSampler, SamplerKind, Tally};
use ergodict::data::Network;
use ergodict::patch::{Measures, NetworkPatches};
use ergodict::run::MotifRecorder;
use ergodict_pages::sample::{PATCHES, SamplePage, density_words, rate_words};
use ergodict_report::Report;
use ergodict_report::words::number;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What sampling came to.
#[expect(clippy::struct_excessive_bools, reason = "they are facts that have nothing to do with each other")]
pub(in crate::network) struct Sampled {
    /// The network.
    pub(in crate::network) name: String,
    pub(in crate::network) nodes: usize,
    pub(in crate::network) edges: u64,
    /// Directed or not, weighted or not.
    pub(in crate::network) what: String,
    pub(in crate::network) motif: String,
    pub(in crate::network) k: usize,
    pub(in crate::network) kind: SamplerKind,
    pub(in crate::network) independent: bool,
    pub(in crate::network) injective: bool,
    pub(in crate::network) tree: bool,
    /// Whether every chain has left its first homomorphism.
    pub(in crate::network) moved: bool,
    /// Homomorphisms of each chain.
    pub(in crate::network) kept: Vec<u64>,
    pub(in crate::network) acceptance: Acceptance,
    /// Observables and how well they mix.
    pub(in crate::network) mixing: Vec<(String, Mixing)>,
    pub(in crate::network) conditional: Option<Mixing>,
    pub(in crate::network) density: Option<Density>,
    /// Row by row.
    pub(in crate::network) macc: Option<Vec<f64>>,
    pub(in crate::network) out: Option<PathBuf>,
    pub(in crate::network) patches_out: Option<PathBuf>,
    pub(in crate::network) every: u64,
    pub(in crate::network) config: Value,
    /// Seconds before the first homomorphism, and from there to the last.
    pub(in crate::network) set_up: f64,
    pub(in crate::network) seconds: f64,
    /// Homomorphisms drawn in this run.
    pub(in crate::network) drawn: u64,
    pub(in crate::network) resumed: bool,
    pub(in crate::network) notes: Vec<String>,
    /// What was decided while the network was read.
    pub(in crate::network) decisions: Option<String>,
    /// Of the file.
    pub(in crate::network) digest: Option<String>,
}

impl Sampled {
    /// The page of it.
    pub(in crate::network) fn page(
        &self,
        recorders: &[MotifRecorder],
        patches: &NetworkPatches,
    ) -> Result<Report> {
        let page = SamplePage {
            name: self.name.clone(),
            what: self.what.clone(),
            nodes: self.nodes,
            edges: self.edges,
            motif: self.motif.clone(),
            k: self.k,
            kind: self.kind,
            independent: self.independent,
            kept: self.kept.clone(),
            rate: self.rate(),
            mixing: self.mixing.clone(),
            series: recorders.iter().map(|recorder| &*recorder.measured().series).collect(),
            patches: self.some_patches(recorders, patches)?,
            conditional: self.conditional,
            density: self.density,
            macc: self.macc.clone(),
            config: self.config.clone(),
            is_repeatable: true,
            digest: self.digest.clone(),
            notes: self.notes.clone(),
            set_up: self.set_up,
            seconds: self.seconds,
        };
        Ok(page.report()?)
    }

    /// Patches of homomorphisms spread over all.
    fn some_patches(&self, recorders: &[MotifRecorder], patches: &NetworkPatches) -> Result<Vec<Vec<f64>>> {
        let (k, apart) = (self.k, (self.count() / PATCHES as u64).max(1));
        let (mut at, mut shown) = (0u64, Vec::new());
        for recorder in recorders {
            recorder.each(|xs| {
                for x in xs.chunks_exact(k) {
                    if at.is_multiple_of(apart) && shown.len() < PATCHES {
                        let mut patch = vec![0.0; k * k];
                        patches.write(x, &mut patch);
                        shown.push(patch);
                    }
                    at += 1;
                }
                Ok::<(), ergodict::Error>(())
            })?;
        }
        Ok(shown)
    }

    pub(in crate::network) fn new(
        name: String,
        network: &Network,
        sampler: &dyn MotifSampler,
        kind_of_sampler: SamplerKind,
        recorders: &[MotifRecorder],
        measures: &Measures,
        density: Option<Density>,
    ) -> Self {
        let mut acceptance = Acceptance::default();
        recorders.iter().for_each(|recorder| acceptance.add(recorder.acceptance()));
        let series_of = |i: usize| recorders.iter().map(move |r| r.measured().series[i].as_slice());
        let mixing_of = |i: usize| Mixing::from_series(&series_of(i).collect::<Vec<_>>());
        let scalars = measures.scalars.len();
        let mut macc: Option<ergodict::chain::Macc> = None;
        for part in recorders.iter().filter_map(|recorder| recorder.measured().macc.as_ref()) {
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
            moved: recorders.iter().all(|recorder| recorder.measured().moved),
            kept: recorders.iter().map(MotifRecorder::kept).collect(),
            acceptance,
            mixing: measures.scalars.iter().enumerate().map(|(i, o)| (o.to_string(), mixing_of(i))).collect(),
            conditional: (measures.none_yet().series.len() > scalars).then(|| mixing_of(scalars)),
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

    /// Motif samples in all.
    pub(in crate::network) fn count(&self) -> u64 {
        self.kept.iter().sum()
    }

    /// The share of accepted proposals, for samplers that reject any.
    pub(in crate::network) fn rate(&self) -> Option<f64> {
        let never = self.kind == SamplerKind::Glauber || self.kind == SamplerKind::Exact && self.tree;
        (self.acceptance.proposed > 0 && (!never || self.injective)).then(|| self.acceptance.rate())
    }

    /// Whether a chain has never moved, although there were many chances.
    fn is_stuck(&self) -> bool {
        !self.moved && !self.independent && self.kept.iter().all(|&kept| kept >= 100)
    }

    /// What is known of an observable. A single chain whose steps depend on each other cannot show whether it has mixed, and
    /// neither can one that never moves.
    fn observable(&self, name: &str, mixing: &Mixing) -> MixingSummary {
        let mut summary =
            MixingSummary::new(name, mixing, self.kept.len(), self.kept.len() == 1 && !self.independent);
        if self.is_stuck() {
            summary.mixed = Some(false);
        }
        summary
    }

    fn lines(&self) -> Vec<(&str, String)> {
        let independent = if self.independent { ", independent" } else { "" };
        let mut lines = vec![(
            "",
            format!(
                "{} samples of a {} of {} nodes in {} ({} sampler{independent})",
                self.count(),
                self.motif,
                self.k,
                self.name,
                self.kind,
            ),
        )];
        // Independent samples that all have one value are no chain that is stuck.
        let words = |mixing: &Mixing| {
            let same = self.independent && mixing.error == 0.0;
            if same { format!("{}, the same in all samples", number(mixing.mean)) } else { describe(mixing) }
        };
        lines.extend(self.mixing.iter().map(|(name, mixing)| (&**name, words(mixing))));
        if self.is_stuck() {
            let advice = "a chain never left its first sample: moves of single nodes may lead to no other; use \
                          --sampler exact or rejection";
            lines.push(("warning", advice.to_owned()));
        } else if let Some(why) =
            mixing::warning(self.mixing.iter().map(|(_, mixing)| mixing), self.kept.len())
            && !self.independent
        {
            lines.push(("warning", format!("{why}; increase --count or --every, or use another --sampler")));
        }
        if let Some(density) = &self.density {
            let all = if self.injective { ", not restricted to distinct nodes" } else { "" };
            lines.push(("density", format!("{}{all}", density_words(density))));
        }
        if let Some(mixing) = &self.conditional {
            lines.push(("conditional", format!("density {}", describe(mixing))));
        }
        if let Some(macc) = &self.macc {
            lines.push((
                "macc",
                format!("{0}×{0}, mean {1:.3}", self.k, macc.iter().sum::<f64>() / macc.len() as f64),
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
        lines
    }

    /// The summary of it.
    pub(in crate::network) fn summary(&self, written: Vec<(&'static str, String)>) -> SampleSummary<'_> {
        let density = |density: &Density| DensitySummary {
            mean: density.value(),
            log: density.log,
            relative_error: density.relative_error,
            exact: density.exact,
        };
        SampleSummary {
            network: &self.name,
            digest: self.digest.as_deref(),
            decisions: self.decisions.as_deref(),
            nodes: self.nodes,
            edges: self.edges,
            motif: &self.motif,
            k: self.k,
            sampler: self.kind,
            independent: self.independent,
            count: self.count(),
            chains: &self.kept,
            steps_between_samples: self.every,
            acceptance: self.rate(),
            observables: self.mixing.iter().map(|(name, mixing)| self.observable(name, mixing)).collect(),
            density: self.density.as_ref().map(density),
            conditional_density: self.conditional.as_ref().map(|m| self.observable("conditional-density", m)),
            macc: self.macc.as_ref().map(|macc| macc.chunks_exact(self.k).collect()),
            notes: &self.notes,
            out: self.out.as_deref(),
            patches: self.patches_out.as_deref(),
            set_up_seconds: self.set_up,
            seconds: self.seconds,
            resumed: self.resumed,
            sampled: self,
            written,
        }
    }
}

/// `ergodict network sample`
#[derive(Serialize)]
pub(in crate::network) struct SampleSummary<'a> {
    /// File without folders, or `@name`
    network: &'a str,
    /// Digest of the file's bytes; `null` for embedded networks and standard input
    digest: Option<&'a str>,
    /// How the file was read, as one line; `null` for embedded networks
    decisions: Option<&'a str>,
    /// Nodes of what is sampled: the largest component by default
    nodes: usize,
    /// Its edges
    edges: u64,
    /// Name of the motif
    motif: &'a str,
    /// Nodes of the motif
    k: usize,
    /// Sampler
    sampler: SamplerKind,
    /// Whether its draws are independent
    independent: bool,
    /// Motif samples in all
    count: u64,
    /// Motif samples of each chain
    chains: &'a [u64],
    /// Steps from one sample to the next that is kept, `--every`
    steps_between_samples: u64,
    /// Share of accepted proposals of the pivot chains and of rejection, and of different nodes with `--injective`; else `null`
    acceptance: Option<f64>,
    /// Scalars of each sample: `patch-density` (share of edges among the pairs off the motif), `first-degree`, `distinct-nodes`
    observables: Vec<MixingSummary>,
    /// t(F, 𝒢); `null` when not asked for
    density: Option<DensitySummary>,
    /// t(H, 𝒢 | F); `null` when not asked for
    conditional_density: Option<MixingSummary>,
    /// Rows of the matrix of average clustering coefficients; `null` when not asked for
    macc: Option<Vec<&'a [f64]>>,
    /// Notes about the component and the sampler
    notes: &'a [String],
    /// File of the samples, or `null`
    out: Option<&'a Path>,
    /// File of the patches, or `null`
    patches: Option<&'a Path>,
    /// Time before the first sample
    set_up_seconds: f64,
    /// Time from the first sample to the last, in this run
    seconds: f64,
    /// Whether it was resumed from a checkpoint
    resumed: bool,
    #[serde(skip)]
    sampled: &'a Sampled,
    #[serde(skip)]
    written: Vec<(&'static str, String)>,
}

#[derive(Serialize)]
struct DensitySummary {
    /// The density
    mean: f64,
    /// Its natural logarithm
    log: f64,
    /// Standard error relative to the density
    relative_error: f64,
    /// Whether it was computed, not estimated
    exact: bool,
}

impl Summary for SampleSummary<'_> {
    const SCHEMA: &'static str = "ergodict.network-sample/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let mut lines = self.sampled.lines();
        lines.extend(self.written.clone());
        lines
    }

    fn details(&self) -> Vec<(&str, String)> {
        let Sampled { drawn, seconds, set_up, .. } = self.sampled;
        let rate = *drawn as f64 / seconds.max(1e-9);
        let mut lines =
            vec![("time", format!("{seconds:.2} s after a set-up of {set_up:.3} s, {rate:.2e} samples/s"))];
        if let Some(rate) = self.sampled.rate() {
            let name = if self.sampled.injective { "injective" } else { "accepted" };
            lines.push((name, rate_words(rate)));
        }
        lines
    }

    fn config(&self) -> Value {
        self.sampled.config.clone()
    }
}

/// Most rows of a matrix that is printed.
const SMALL: usize = 12;
