//! A network: its latent motifs, its reconstruction, and false edges.

use super::{perform, words};
use crate::args::Common;
use crate::page;
use anyhow::{Context, Result};
use ergodict::chain::{MotifWalker, SamplerBuilder, SamplerKind};
use ergodict::data::corrupt::{AddModel, Amount, add};
use ergodict::data::embedded;
use ergodict::denoise::ensemble::NoiseModel;
use ergodict::denoise::roc::Ranked;
use ergodict::denoise::{Denoiser, Method, Progress};
use ergodict::model::Model;
use ergodict::reconstruct::network::{Accuracy, Mode, ReconstructionSettings, Reconstructor, Targets};
use ergodict::rng::ids;
use ergodict_report::words::grouped;
use ergodict_report::{Figure, LineChart, Report, Series};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The model file.
pub(super) const FILE: &str = "network.safetensors";
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
    file: PathBuf,
    command: Vec<String>,
    model: Model,
    accuracy: Accuracy,
    /// Edges, and false ones added.
    edges: (u64, u64),
    /// Ranking of true edges above false ones.
    ranked: Ranked,
}

/// The result.
#[derive(Serialize)]
pub(super) struct NetworkResult {
    /// Edges of the network
    edges: u64,
    /// Atoms that were learned
    atoms: usize,
    /// AUC of the edges against all other pairs, off the walked path
    auc: Option<f64>,
    /// Share of the edges that were visited, off the walked path
    edge_coverage: Option<f64>,
    /// False edges that were added
    false_edges: u64,
    /// AUC of the true edges against the false ones
    denoising_auc: f64,
}

impl NetworkRun {
    /// Learns, reconstructs and denoises; none when interrupted.
    pub(super) fn new(dir: &Path, common: &Common) -> Result<Option<Self>> {
        let (seed, file) = (common.seed, dir.join(FILE));
        let command = format!("network learn {NAME} --unweighted -k {NODES} -r {ATOMS}");
        let command = words(&command, &[("-o", &file)], seed);
        if !perform(&command, common)? {
            return Ok(None);
        }
        let model = Model::load(&file)?;
        let network = Arc::new(embedded(NAME)?.unweighted());
        let motif = model.network.as_ref().context("a model of networks has a motif")?.motif()?;
        let sampler = SamplerBuilder::default().build(SamplerKind::Exact, &network, &motif, seed)?;
        // Off the walked path: at its own edges any atoms would be right.
        let parameters = ReconstructionSettings { mode: Mode::OffMotif, ..ReconstructionSettings::default() };
        let mut reconstruction =
            Reconstructor::<f32>::new(&model.w, &network, &motif, &parameters, Targets::All)?;
        reconstruction.absorb(&mut [MotifWalker::new(sampler, seed, ids::REBUILDING, 0, 1)?], SAMPLES)?;
        let accuracy = Accuracy::measure(reconstruction.sums(), &network, THRESHOLD, 0.0)?;
        let noisy = add(&network, Amount::Fraction(NOISE), AddModel::ErdosRenyi, seed)?;
        let pairs: Vec<(u32, u32)> = noisy.truth.iter().map(|&(u, v, _)| (u, v)).collect();
        let labels: Vec<bool> = noisy.truth.iter().map(|pair| pair.2.label()).collect();
        let denoising = Denoiser::new(Method::Ensemble, NoiseModel::Added, seed);
        let scored = denoising.scores(&Arc::new(noisy.observed), &pairs, &mut Progress::none())?;
        let ranked = Ranked::new(&scored.scores, &labels)?;
        let edges = (network.edges(), noisy.changed);
        Ok(Some(Self { file, command, model, accuracy, edges, ranked }))
    }

    pub(super) fn command(&self) -> Vec<String> {
        self.command.clone()
    }

    pub(super) fn files(&self) -> Vec<PathBuf> {
        vec![self.file.clone()]
    }

    pub(super) fn account(&self) -> String {
        format!(
            "{ATOMS} latent motifs from {} walks of {NODES} characters.\n\
             Off-motif reconstruction ranks edges above non-edges: AUC {:.3} (chance 0.5).\n\
             Denoising ranks true edges above {} added false edges: AUC {:.3}.",
            grouped(self.model.aggregates.samples),
            self.accuracy.auc.unwrap_or(f64::NAN),
            self.edges.1,
            self.ranked.auc()
        )
    }

    /// The number of this example at the top of the report.
    pub(super) fn number(&self) -> (String, String) {
        let auc = self.accuracy.auc.unwrap_or(f64::NAN);
        (format!("{auc:.3}"), "network: AUC of the off-motif reconstruction (chance 0.5)".to_owned())
    }

    pub(super) fn summary(&self) -> NetworkResult {
        NetworkResult {
            edges: self.edges.0,
            atoms: ATOMS,
            auc: self.accuracy.auc,
            edge_coverage: self.accuracy.edge_coverage,
            false_edges: self.edges.1,
            denoising_auc: self.ranked.auc(),
        }
    }

    pub(super) fn show(&self, report: Report) -> Result<Report> {
        let report =
            page::with_atoms(report.section("Network: Les Misérables", self.account()), &self.model)?;
        let points: Vec<(f64, f64)> =
            self.ranked.curve().iter().map(|p| (p.false_positive_rate, p.true_positive_rate)).collect();
        let chart = LineChart {
            x_label: "false edges taken for true".into(),
            y_label: "true edges kept".into(),
            ..LineChart::roc(vec![Series::new(format!("AUC {:.3}", self.ranked.auc()), points)])
        };
        Ok(report.figure(Figure {
            title: "Denoising: ROC curve".into(),
            svg: chart.svg(),
            words: FOUND.into(),
        }))
    }
}

const FOUND: &str = "
    False edges, half as many as true ones, were added; each edge is scored from the noisy network alone. For every threshold: the share
    of true edges kept against the share of false edges kept; the diagonal is chance.";
