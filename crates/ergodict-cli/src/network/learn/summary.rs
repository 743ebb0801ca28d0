//! The summary of network dictionary learning.

use crate::learning::{LearnedModel, first_dominances};
use crate::output;
use crate::recorded::RecordedSettings;
use crate::summary::Summary;
use ergodict::chain::diagnostics::Acceptance;
use ergodict::chain::{MixingReport, SamplerKind};
use ergodict::model::{
    AtomShape, Explained, Input, Model, NetworkReport, NullBand, Results, ValueWithError, WindowRecord,
};
use ergodict::patch::{ChainTransfer, NetworkForm};
use ergodict_pages::network::times;
use ergodict_pages::{finding, windows};
use ergodict_report::words::{grouped, number};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// Networks that have lines of their own.
const LISTED: usize = 3;

/// A finished run.
pub(in crate::network) struct Learned<'a> {
    pub(in crate::network) out: &'a Path,
    /// The networks.
    pub(in crate::network) names: &'a [String],
    /// What was learned from: `@karate`, `3 networks`.
    pub(in crate::network) from: String,
    pub(in crate::network) model: &'a Model,
    pub(in crate::network) results: &'a Results,
    pub(in crate::network) kind: SamplerKind,
    /// Whether motif samples are independent of each other.
    pub(in crate::network) independent: bool,
    pub(in crate::network) acceptance: Acceptance,
    pub(in crate::network) transfer: ChainTransfer,
    pub(in crate::network) set_up: Duration,
    pub(in crate::network) sampling: Duration,
    pub(in crate::network) learning: Duration,
    /// Looking for examples.
    pub(in crate::network) looking: Duration,
    pub(in crate::network) time: Duration,
    pub(in crate::network) resumed: Option<u64>,
}

impl Learned<'_> {
    /// `chains of 21 nodes`.
    pub(in crate::network) fn motif(&self) -> String {
        let form = self.model.network.as_ref();
        form.map_or(String::new(), |form| format!("{} of {} nodes", form.motif, form.k))
    }

    pub(in crate::network) fn acceptance(&self) -> String {
        let rate = 100.0 * self.acceptance.rate();
        let rate = if self.independent || rate.is_nan() {
            String::new()
        } else {
            format!(", {rate:.1} % of proposals accepted")
        };
        let independent = if self.independent { ", independent draws" } else { "" };
        let injective =
            if RecordedSettings::new(&self.model.provenance.config).injective { ", injective" } else { "" };
        format!("{}{injective}{independent}{rate}", self.kind)
    }

    /// Where the time went, in words.
    pub(in crate::network) fn timings(&self) -> Vec<(&'static str, String)> {
        let [all, set_up, sampling, learning, looking] =
            [self.time, self.set_up, self.sampling, self.learning, self.looking].map(|t| t.as_secs_f64());
        let text = format!(
            "{all:.2} s: reading and set-up {set_up:.3}, patches {sampling:.3}, learning {learning:.3}, examples {looking:.3}"
        );
        vec![("time", text)]
    }

    /// The summary of it.
    pub(in crate::network) fn summary(&self, shown: Vec<(&'static str, String)>) -> NetworkLearnSummary<'_> {
        let learned = LearnedModel::new(self.out, self.model, self.results, self.resumed);
        let chain = self.model.provenance.chain.as_ref();
        let windows = self.model.over_time.as_ref().map(|over_time| &over_time.windows);
        NetworkLearnSummary {
            networks: self.names,
            motif: self.model.network.as_ref(),
            sampler: self.kind,
            acceptance: self.acceptance.rate(),
            chains_went_on: self.transfer.continued,
            chains_restarted: self.transfer.restarted,
            order: learned.order.clone(),
            learned,
            seconds: self.time.as_secs_f64(),
            set_up_seconds: self.set_up.as_secs_f64(),
            patch_seconds: self.sampling.as_secs_f64(),
            learning_seconds: self.learning.as_secs_f64(),
            example_seconds: self.looking.as_secs_f64(),
            coverage: self.model.provenance.networks.iter().map(NetworkFinding::new).collect(),
            shapes: self.model.shapes(),
            mixing: chain.map_or(&[], |chain| &chain.mixing),
            null_permutations: self.model.over_time.as_ref().map(|over_time| over_time.permutations),
            windows: windows.map(|all| (1..).zip(all).map(|(at, one)| WindowSummary::new(at, one)).collect()),
            of: self,
            shown,
        }
    }
}

/// `ergodict network learn`; its samples are patches
#[derive(Serialize)]
pub(in crate::network) struct NetworkLearnSummary<'a> {
    /// Names of the networks
    networks: &'a [String],
    /// Motif
    motif: Option<&'a NetworkForm>,
    /// Sampler of the walks, or of other motif samples
    sampler: SamplerKind,
    /// Share of accepted proposals; `null` where there are none
    acceptance: f64,
    /// With `--snapshots` and `--timestamps`: how often a chain continued in the next network
    chains_went_on: u64,
    /// How often it had to restart
    chains_restarted: u64,
    #[serde(flatten)]
    learned: LearnedModel<'a>,
    /// Atoms from the most dominant on
    order: Vec<usize>,
    /// Time of all
    seconds: f64,
    /// Time before the first patch
    set_up_seconds: f64,
    /// Time for sampling and cutting patches
    patch_seconds: f64,
    /// Time for learning
    learning_seconds: f64,
    /// Time for finding examples
    example_seconds: f64,
    /// Name, effective nodes and explained shares of each network
    coverage: Vec<NetworkFinding<'a>>,
    /// Shape of each atom, in the order of the columns of W; only for the path motif
    #[serde(skip_serializing_if = "Option::is_none")]
    shapes: Option<Vec<AtomShape>>,
    /// How well the chains mixed, one for each observable and network
    mixing: &'a [MixingReport],
    /// Permutations of times that changes were tested against; 0 where they were not; only with `--snapshots` and `--timestamps`
    #[serde(skip_serializing_if = "Option::is_none")]
    null_permutations: Option<u64>,
    /// Windows, in their order; only with `--snapshots` and `--timestamps`
    #[serde(skip_serializing_if = "Option::is_none")]
    windows: Option<Vec<WindowSummary<'a>>>,
    #[serde(skip)]
    of: &'a Learned<'a>,
    #[serde(skip)]
    shown: Vec<(&'static str, String)>,
}

/// Coverage and explained share of a network.
#[derive(Serialize)]
struct NetworkFinding<'a> {
    /// Name of the network
    name: &'a str,
    /// Nodes that walks cover, as if all were visited equally often: 1/Σp², with p the share of walk positions on each node
    effective_nodes: Option<f64>,
    /// Shares of fresh walks that are explained by the atoms, by the mean patch and by atoms of rewired copies; only without `--snapshots` and `--timestamps`
    explained: Option<Explained>,
}

impl<'a> NetworkFinding<'a> {
    fn new(network: &'a NetworkReport) -> Self {
        let NetworkReport { name, effective_nodes, explained, .. } = network;
        Self { name, effective_nodes: *effective_nodes, explained: *explained }
    }
}

/// A window of time.
#[derive(Serialize)]
struct WindowSummary<'a> {
    /// Number of the window, from 1
    window: usize,
    /// Its span of time, or the name of the file
    name: &'a str,
    /// When it begins, with `--timestamps`: in the unit of the file, for dates in seconds since 1970
    from: Option<f64>,
    /// When it ends
    to: Option<f64>,
    /// Nodes of the whole window
    nodes: u64,
    /// Edges of the whole window
    edges: u64,
    /// Edges that the window before does not have; `null` for the first
    edges_came: Option<u64>,
    /// Edges of the window before that it does not have; `null` for the first
    edges_went: Option<u64>,
    /// Why nothing was learned from it, or `null`
    passed_over: Option<&'a str>,
    /// Minibatches
    steps: u64,
    /// Chains that continued into it
    chains_went_on: u64,
    /// Chains that had to restart
    chains_restarted: u64,
    /// Relative error of the dictionary before the window
    error_before: Option<ValueWithError>,
    /// Relative error of the dictionary after the window
    error_after: Option<ValueWithError>,
    /// [Change score](in-time.md#the-change-score)
    change: Option<ValueWithError>,
    /// Scores of permuted times: the smallest, the largest, the score beyond which the window is called changed, and the p-value adjusted for all windows; `null` where it was not tested
    null: Option<NullBand>,
    /// Whether it changed beyond its volume; `null` where it was not tested
    changed: Option<bool>,
    /// How strongly its patches use each atom, of sum 1; empty where nothing was learned
    dominance: &'a [f64],
}

impl<'a> WindowSummary<'a> {
    fn new(window: usize, one: &'a WindowRecord) -> Self {
        Self {
            window,
            name: &one.name,
            from: one.span.map(|span| span.0),
            to: one.span.map(|span| span.1),
            nodes: one.nodes,
            edges: one.edges,
            edges_came: one.differences.map(|differences| differences.came),
            edges_went: one.differences.map(|differences| differences.went),
            passed_over: one.passed_over.as_deref(),
            steps: one.steps,
            chains_went_on: one.moved.continued,
            chains_restarted: one.moved.restarted,
            error_before: one.error_before,
            error_after: one.error_after,
            change: one.change,
            null: one.null,
            changed: one.null.map(|null| null.changed()),
            dominance: &one.dominance,
        }
    }
}

impl Summary for NetworkLearnSummary<'_> {
    const SCHEMA: &'static str = "ergodict.network-learn/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let LearnedModel { model, atoms, samples, .. } = self.learned;
        let networks = &self.of.model.provenance.networks;
        let mut findings: Vec<(&str, String)> = Vec::new();
        for network in networks.iter().take(LISTED) {
            findings.extend(finding::learned(self.of.model, network).into_iter().map(|text| ("", text)));
        }
        if !findings.is_empty() {
            findings.extend(finding::atoms(self.of.model).into_iter().map(|text| ("", text)));
        }
        let mut lines = self.of.model.over_time.as_ref().map_or_else(Vec::new, windows::words);
        if findings.is_empty() {
            let (from, motif) = (&self.of.from, self.of.motif());
            lines.push((
                "",
                format!(
                    "{atoms} latent motifs ({motif}) learned from {} patches of {from}",
                    grouped(samples)
                ),
            ));
        }
        lines.extend(findings);
        let listed = &networks[..networks.len().min(LISTED)];
        lines.extend(finding::coverage(self.of.model, listed).into_iter().map(|line| ("", line)));
        let sampler = self.sampler.to_string();
        lines.extend(
            networks
                .iter()
                .filter_map(|one| Some(("warning", output::in_flags(&one.warning(&sampler)?))))
                .take(LISTED),
        );
        lines.extend(self.learned.warnings());
        lines.push(("wrote", model.display().to_string()));
        lines.extend(self.shown.clone());
        lines
    }

    fn details(&self) -> Vec<(&str, String)> {
        let LearnedModel { atoms, samples, steps, dominance, order, .. } = &self.learned;
        let (from, motif) = (&self.of.from, self.of.motif());
        let learned = format!("{atoms} atoms from {samples} patches of {from} ({motif}) in {steps} steps");
        let mut lines = vec![("learned", learned), ("sampler", self.of.acceptance())];
        if self.of.model.over_time.is_some() {
            let text = format!(
                "continued in the next network {}, restarted {}",
                times(self.chains_went_on),
                times(self.chains_restarted)
            );
            lines.push(("chains", text));
        }
        let dependent = self.of.model.provenance.chain.as_ref().is_some_and(|chain| !chain.independent);
        let mixing = if dependent { self.mixing } else { &[] };
        lines.extend(mixing.iter().take(LISTED).map(|one| ("mixing", one.words())));
        lines.push(("dominance", first_dominances(dominance, order)));
        lines.extend(self.learned.details());
        lines.extend(self.of.timings());
        lines
    }

    fn config(&self) -> Value {
        Value::Object(self.of.model.provenance.config.clone())
    }
}

/// `ergodict network learn --static`
#[derive(Serialize)]
pub(in crate::network) struct StaticLearnSummary<'a> {
    /// Model file
    pub(in crate::network) model: &'a Path,
    /// Name of the network
    pub(in crate::network) network: &'a str,
    /// Files that were read
    pub(in crate::network) inputs: &'a [Input],
    /// Motif
    pub(in crate::network) motif: Option<&'a NetworkForm>,
    /// Number of atoms, r
    pub(in crate::network) atoms: usize,
    /// Homomorphisms of the motif, all of them
    pub(in crate::network) homomorphisms: u64,
    /// Different patches among them
    pub(in crate::network) patches: usize,
    /// Rounds of coding and updating
    pub(in crate::network) rounds: usize,
    /// Whether the loss converged
    pub(in crate::network) converged: bool,
    /// Mean loss over all homomorphisms, weighted by probability
    pub(in crate::network) loss: f64,
    /// Dominance of each atom, in the order of the columns of W
    pub(in crate::network) dominance: Vec<f64>,
    /// Atoms from the most dominant on
    pub(in crate::network) order: Vec<usize>,
    /// Time of all
    pub(in crate::network) seconds: f64,
    #[serde(skip)]
    pub(in crate::network) config: Value,
    #[serde(skip)]
    pub(in crate::network) shown: Vec<(&'static str, String)>,
}

impl Summary for StaticLearnSummary<'_> {
    const SCHEMA: &'static str = "ergodict.network-learn-static/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let Self { network, atoms, homomorphisms: all, patches, rounds, .. } = self;
        let motif = self.motif.map(|form| format!("{} of {} nodes", form.motif, form.k)).unwrap_or_default();
        let learned = format!(
            "{atoms} latent motifs of all {all} samples of a {motif} in {network} ({patches} distinct patches)"
        );
        let mut lines = vec![("", learned), ("dominance", first_dominances(&self.dominance, &self.order))];
        if !self.converged {
            lines.push(("warning", format!("the loss has not converged in {rounds} rounds")));
        }
        lines.push(("wrote", self.model.display().to_string()));
        lines.extend(self.shown.clone());
        lines
    }

    fn details(&self) -> Vec<(&str, String)> {
        vec![
            ("loss", format!("{} in {} rounds", number(self.loss), self.rounds)),
            ("time", format!("{:.2} s", self.seconds)),
        ]
    }

    fn config(&self) -> Value {
        self.config.clone()
    }
}
