//! `ergodict network compare`: how well the latent motifs of each network fit the others.

mod summary;

use super::opened::{self, OpenedData};
use super::reading;
use crate::args::{Common, defaults};
use crate::checkpoints::CheckpointArgs;
use crate::driver::Driver;
use crate::progress::say;
use crate::reports::{self, ReportArgs};
use crate::summary::emit;
use crate::{interrupt, memory, output, paths};
use anyhow::{Result, bail};
use ergodict::chain::{SampledNetwork, Use};
use ergodict::reconstruct::network::{CompareSettings, Comparison, Measure, ReconstructionSettings};
use ergodict::run::{Identity, Status};
use ergodict::settings::Settings;
use ergodict_pages::comparison::ComparisonPage;
use ergodict_pages::shell::flag;
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use summary::Compared;

const HELP: &str = "\
Example:
  ergodict network compare @karate @lesmis @davis --unweighted --report compare.html
  ergodict network compare facebook.txt.gz arxiv.txt.gz ppi.txt.gz -o errors.tsv
  ergodict network compare facebook.txt.gz arxiv.txt.gz -k 21 -r 25 --measure jaccard";

const NODES: &str = "Nodes of the motif [default: 21, or those of the file]";

/// Compare networks by how well their latent motifs fit each other's walks
///
/// Rows are dictionaries, columns are networks: the relative error on walks that nothing was learned from. The distance of two networks is
/// ½(log₂ E(i,j)/E(j,j) + log₂ E(j,i)/E(i,i)), with a standard error over dictionaries and walks. The last row is a degree-preserving
/// rewiring of each column's network.
#[derive(clap::Args)]
#[command(
    after_long_help = HELP,
    mut_args(defaults::of_command::<CompareSettings>()),
    mut_arg("k", |arg| arg.help(NODES))
)]
pub(crate) struct Args {
    #[arg(required = true, num_args = 2.., value_name = "NET", help = reading::expected("Networks: "))]
    nets: Vec<PathBuf>,
    /// Where the matrix goes, as text with tabs [default: standard output]
    #[arg(short, long, value_name = "OUT.tsv")]
    out: Option<PathBuf>,
    #[command(flatten)]
    settings: CompareSettings,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    args.check(common)?;
    let mut settings = args.settings.clone().decided(common.seed);
    let motif = settings.sampling.motif()?;
    let opened = OpenedData::open(
        &args.nets,
        false,
        (&settings.reading, settings.weights),
        &settings.sampling,
        Use::Reconstruct,
        &motif,
        common,
    )?;
    let drawn = opened.data.drawn();
    if drawn.iter().any(|(network, _)| network.is_directed() != drawn[0].0.is_directed()) {
        bail!("some networks are directed and some are not: add --undirected or --directed");
    }
    settings.learning.factor.check(motif.k() * motif.k())?;
    args.check_memory(&drawn, motif.k() * motif.k())?;
    interrupt::listen();
    let (kind, motif) = opened.data.chosen()?;
    settings.sampling.record(motif, kind);
    let copies = settings.rewired.then(|| {
        Comparison::rewired_copies(&drawn, &settings.sampling, motif, common.seed, &interrupt::asked)
    });
    let (rewired, mut notes) = match copies.transpose()? {
        Some(copies) => ComparisonPage::yardsticks(copies, &opened.names, &flag),
        None => (vec![None; drawn.len()], Vec::new()),
    };
    notes.extend(ComparisonPage::densities(&drawn));
    if !common.quiet {
        notes.iter().for_each(|note| say(note));
    }
    crate::resolved::settle(&Value::Object(settings.config()));
    let config = crate::resolved::config();
    let command = "network compare".into();
    let inputs = opened.inputs.clone();
    let identity = Identity { command, settings: config.clone(), inputs, seed: common.seed };
    let mut driver = Driver::open(&args.checkpoints, common, &identity)?;
    let (plan, names) = (settings.comparison(), opened.names.clone());
    let mut job = Comparison::new(plan, drawn, rewired, names, common.seed);
    if driver.restore(&mut [&mut job])? && !common.quiet {
        say(&format!("resumed after {}", extent(&job)));
    }
    if driver.drive(&mut [&mut job])? == Status::Stopped {
        return Ok(driver.interrupted(&extent(&job)));
    }
    let compared = Compared(ComparisonPage {
        names: opened.names,
        outcome: job.outcome()?,
        kind,
        config,
        inputs: opened.inputs,
        notes,
        seconds: started.elapsed().as_secs_f64(),
    });
    args.write(&compared, common)?;
    driver.remove()?;
    Ok(ExitCode::SUCCESS)
}

/// How far a comparison is.
fn extent(job: &Comparison) -> String {
    let count = |n: usize, one: &str, more: &str| format!("{n} {}", if n == 1 { one } else { more });
    let ((learned, dictionaries), (measured, cells)) = (job.learned(), job.measured());
    format!(
        "{learned} of {} and {measured} of {}",
        count(dictionaries, "dictionary", "dictionaries"),
        count(cells, "cell", "cells")
    )
}

impl Args {
    fn check(&self, common: &Common) -> Result<()> {
        self.checkpoints.check()?;
        self.settings.check()?;
        opened::check(&self.nets)?;
        if let Some(out) = &self.out {
            super::reconstruct::writer::Writer::check_text(out, "matrices")?;
        }
        let mut inputs: Vec<paths::NamedPath<'_>> =
            self.nets.iter().filter_map(|net| reading::file(net)).collect();
        inputs.extend(self.settings.sampling.motif_file().map(|path| ("--motif", path)));
        let mut outputs: Vec<paths::NamedPath<'_>> = self.out.iter().map(|path| ("-o", &**path)).collect();
        outputs.extend(self.checkpoints.checkpoint.as_deref().map(|path| ("--checkpoint", path)));
        outputs.extend(self.reports.outputs());
        if self.checkpoints.checkpoint.is_some() && self.nets.iter().any(|path| output::is_standard(path)) {
            bail!("NET is -, which cannot be read again to resume: --checkpoint needs a file");
        }
        paths::check(common, &inputs, &outputs)?;
        reports::probe(&outputs)
    }

    /// Refuses what does not fit: a dictionary being learned, or the sums of the largest network.
    fn check_memory(&self, drawn: &[SampledNetwork], d: usize) -> Result<()> {
        let largest = drawn.iter().map(|(network, _)| network.nodes() as u64).max().unwrap_or(0);
        let minibatch = (d as u64).saturating_mul(self.settings.batch as u64).saturating_mul(8);
        let learning = self
            .settings
            .learning
            .factor
            .memory::<f64>(d, self.settings.batch as u64)
            .saturating_add(minibatch);
        let sums = largest.saturating_mul(largest).saturating_mul(8);
        let sums = sums.min(ReconstructionSettings::default().memory as u64);
        let sums = if self.settings.measure == Measure::Error { 0 } else { sums };
        let rows = if self.settings.rewired { 2 } else { 1 } * drawn.len() * self.settings.seeds;
        let one = (d as u64).saturating_mul(self.settings.learning.factor.atoms as u64).saturating_mul(8);
        let dictionaries = one.saturating_mul(rows as u64);
        let what = format!("atoms of {d} numbers and sums of the pairs of {largest} nodes");
        memory::check(
            learning.max(sums).saturating_add(dictionaries),
            &what,
            "lower -k, -r or --batch, or compare smaller networks",
        )
    }

    fn write(&self, compared: &Compared, common: &Common) -> Result<()> {
        if let Some(out) = &self.out {
            output::write(out, &compared.table())?;
        }
        self.reports.write(|| Ok(compared.0.report()?))?;
        emit(&compared.summary(self.out.as_deref(), self.reports.lines()), common)
    }
}
