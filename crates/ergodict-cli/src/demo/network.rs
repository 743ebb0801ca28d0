//! A network: its latent motifs, the network rebuilt from them, and false edges found among its own.

use crate::network::page_learn;
use anyhow::Result;
use ergodict::chain::rng::ids;
use ergodict::chain::{Motif, MotifWalker, SamplerKind, Samplers};
use ergodict::data::corrupt::{AddModel, Amount, add};
use ergodict::data::embedded;
use ergodict::denoise::ensemble::Assumed;
use ergodict::denoise::roc::Ranked;
use ergodict::denoise::{Denoising, Method, Progress};
use ergodict::dictionary::{Model, NetworkLearning};
use ergodict::patch::NetworkForm;
use ergodict::reconstruct::network::{Accuracy, NetworkReconstruction, Reconstructor, Targets};
use ergodict_report::{Figure, LineChart, Series};
use serde_json::{Value, json};
use std::sync::Arc;

const NAME: &str = "@lesmis";
const NODES: usize = 10;
const ATOMS: usize = 9;
const SAMPLES: u64 = 20_000;
/// The threshold above which a pair is called an edge.
const THRESHOLD: f64 = 0.5;
/// False edges that are added, as a share of the true ones.
const NOISE: f64 = 0.5;

/// What was learned.
pub(super) struct NetworkRun {
    pub(super) model: Model,
    accuracy: Accuracy,
    nodes: usize,
    /// Edges, and false ones added.
    edges: (u64, u64),
    /// How well false edges are told from true ones.
    ranked: Ranked,
}

impl NetworkRun {
    /// Learns, rebuilds and denoises.
    pub(super) fn new(seed: u64) -> Result<Self> {
        let network = Arc::new(embedded(NAME)?.unweighted());
        let motif = Motif::chain(NODES)?;
        let sampler = Samplers::default().build(SamplerKind::Exact, &network, &motif, seed)?;
        let drawn = (Arc::clone(&network), Arc::clone(&sampler));
        let learned = NetworkLearning::new(ATOMS).learn::<f64>(&[drawn], seed)?;
        let mut model = Model::of(&learned, "network", seed);
        model.network = Some(NetworkForm::new(&motif, false, false));
        let parameters = NetworkReconstruction::default();
        let w = learned.dictionary();
        let mut rebuilt = Reconstructor::<f32>::new(w, &network, &motif, &parameters, Targets::All)?;
        rebuilt.absorb(&mut [MotifWalker::new(sampler, seed, ids::REBUILDING, 0, 1)?], SAMPLES)?;
        let accuracy = Accuracy::of(rebuilt.sums(), &network, THRESHOLD, 0.0)?;
        let noisy = add(&network, Amount::Fraction(NOISE), AddModel::ErdosRenyi, seed)?;
        let pairs: Vec<(u32, u32)> = noisy.truth.iter().map(|&(u, v, _)| (u, v)).collect();
        let labels: Vec<bool> = noisy.truth.iter().map(|pair| pair.2.label()).collect();
        let denoising = Denoising { method: Method::Ensemble, assumed: Assumed::Added, seed };
        let scored = denoising.scores(&Arc::new(noisy.observed), &pairs, &mut Progress::none())?;
        let ranked = Ranked::new(&scored.scores, &labels)?;
        let (nodes, edges) = (network.nodes(), (network.edges(), noisy.changed));
        Ok(Self { model, accuracy, nodes, edges, ranked })
    }

    /// The flags with which `ergodict network learn` does the same.
    pub(super) fn flags() -> String {
        format!("{NAME} --unweighted -k {NODES} -r {ATOMS}")
    }

    pub(super) fn account(&self) -> String {
        let dominance = self.model.dominance();
        let first: Vec<String> =
            dominance.1.iter().take(3).map(|&atom| format!("{:.3}", dominance.0[atom])).collect();
        format!(
            "{} characters of a novel, who meet: {} edges. {ATOMS} atoms of paths of {NODES} nodes, dominance {}, ….\n\
             Rebuilt from {SAMPLES} paths: Jaccard accuracy {:.3}, {:.0} % of the edges seen.\n\
             {} false edges put among them are told from true ones with an AUC of {:.3}.",
            self.nodes,
            self.edges.0,
            first.join(", "),
            self.accuracy.jaccard.unwrap_or(f64::NAN),
            100.0 * self.accuracy.edge_coverage.unwrap_or(0.0),
            self.edges.1,
            self.ranked.auc()
        )
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "edges": self.edges.0,
            "atoms": ATOMS,
            "jaccard": self.accuracy.jaccard.unwrap_or(f64::NAN),
            "edge_coverage": self.accuracy.edge_coverage,
            "false_edges": self.edges.1,
            "denoising_auc": self.ranked.auc(),
        })
    }

    pub(super) fn figures(&self) -> Result<Vec<Figure>> {
        let mut figures = page_learn::atoms(&self.model)?;
        let points = self
            .ranked
            .curve()
            .iter()
            .map(|p| (p.false_positive_rate, p.true_positive_rate))
            .collect::<Vec<_>>();
        let chart = LineChart {
            x_label: "false edges taken for true".into(),
            y_label: "true edges kept".into(),
            y_range: Some((0.0, 1.0)),
            square: true,
            series: vec![Series::new(format!("ensemble {:.3}", self.ranked.auc()), points)],
            ..LineChart::default()
        };
        figures.push(Figure { title: "False edges found".into(), svg: chart.svg(), words: FOUND.into() });
        Ok(figures)
    }
}

const FOUND: &str = "
    Half as many false edges as true ones were put into the network, and each edge is scored by its surroundings, with nothing but the
    noisy network to go by. For every threshold: the share of true edges kept against the share of false ones taken for true; the diagonal is
    chance.";
