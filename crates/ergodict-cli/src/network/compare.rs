//! `ergodict network compare`: how well the latent motifs of each network rebuild the others.

use super::reading::{self, Reading};
use super::reconstruct::Which;
use super::sampling::Sampling;
use super::several::{self, Networks};
use crate::args::{Common, count};
use crate::page::short;
use crate::progress::{Progress, say};
use crate::scheme::Scheme;
use crate::showing::{self, Showing};
use crate::{INTERRUPTED, again, interrupt, output, paths};
use anyhow::{Result, bail};
use clap::ValueEnum;
use ergodict::chain::rng::ids;
use ergodict::chain::{MotifWalker, SamplerKind};
use ergodict::data::Network;
use ergodict::dictionary::{Input, NetworkLearning};
use ergodict::linalg::Mat;
use ergodict::patch::Watching;
use ergodict::reconstruct::network::{Accuracy, NetworkReconstruction, Reconstructor, Targets};
use ergodict::reconstruct::{Merge, average_linkage};
use ergodict_report::{Figure, Heat, Report, Tree};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Homomorphisms between two looks at whether to stop.
const BLOCK: u64 = 20_000;

const HELP: &str = "\
Example:
  ergodict network compare @karate @lesmis @florentine @kite --unweighted -k 10 -r 3 --report compare.html
  ergodict network compare facebook.txt.gz arxiv.txt.gz ppi.txt.gz -k 21 -r 25 -o matrix.tsv";

/// Which number says how well a network is rebuilt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Measure {
    /// Edges found, divided by all edges and all pairs called so
    Jaccard,
    /// Σ min(A, rebuilt) / Σ max(A, rebuilt)
    WeightedJaccard,
    /// How often an edge has a larger weight than another pair
    Auc,
}

/// Rebuild every network by the latent motifs of every other, and tell how well that goes
///
/// Row by row the networks whose atoms are used, column by column those that are rebuilt; the diagonal is each network by its own
/// atoms. Networks are close when the atoms of either rebuild the other nearly as well as its own do.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The networks: edge lists, MatrixMarket, scipy .npz or .egr, - for standard input, or names such as @karate
    #[arg(required = true, num_args = 2.., value_name = "NET")]
    nets: Vec<PathBuf>,
    /// Where the matrix goes, as text with tabs [default: standard output]
    #[arg(short, long, value_name = "OUT.tsv")]
    out: Option<PathBuf>,
    /// Minibatches that each dictionary is learned from, T
    #[arg(long, value_name = "T", default_value_t = 100, allow_negative_numbers = true)]
    steps: u64,
    /// Patches of a minibatch, N
    #[arg(long, value_name = "N", default_value_t = 100, allow_negative_numbers = true)]
    batch: usize,
    /// Homomorphisms of each reconstruction
    #[arg(long, value_name = "T", default_value_t = 200_000, value_parser = count, allow_negative_numbers = true)]
    samples: u64,
    /// What is measured: jaccard, weighted-jaccard or auc
    #[arg(long, value_enum, value_name = "WHAT", default_value = "jaccard", hide_possible_values = true)]
    measure: Measure,
    /// Which entries of patches count: plain (all, as in the paper) or off-chain (not those at edges of the motif itself, which any atoms
    /// rebuild)
    #[arg(
        long,
        value_enum,
        value_name = "plain|off-chain",
        default_value = "plain",
        hide_possible_values = true
    )]
    mode: Which,
    /// Pairs of a larger weight are called edges
    #[arg(long, value_name = "W", default_value_t = 0.5, allow_negative_numbers = true)]
    threshold: f64,
    #[command(flatten)]
    scheme: Scheme,
    #[command(flatten)]
    sampling: Sampling,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    showing: Showing,
}

/// What comparing came to.
struct Compared {
    names: Vec<String>,
    /// Row by row: the dictionary of the row's network on that of the column.
    accuracy: Vec<Accuracy>,
    merges: Vec<Merge>,
    measure: Measure,
    kind: SamplerKind,
    config: Value,
    inputs: Vec<Input>,
    seconds: f64,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    args.check(common)?;
    let motif = args.sampling.motif()?;
    let sampling = args.sampling.clone().for_rebuilding(&motif);
    let networks = Networks::open(&args.nets, &args.reading, &sampling, &motif, common)?;
    if networks.drawn.iter().any(|(network, _)| network.is_directed() != networks.drawn[0].0.is_directed()) {
        bail!("some networks are directed and some are not: add --undirected or --directed");
    }
    let parameters = args.scheme.parameters(&crate::scheme::defaults());
    parameters.check(motif.k() * motif.k())?;
    let mut config = args.scheme.config(&parameters)?;
    config["steps"] = json!(args.steps);
    config["batch"] = json!(args.batch);
    config["samples"] = json!(args.samples);
    config["measure"] = json!(args.measure.to_possible_value().map(|value| value.get_name().to_owned()));
    config["mode"] = json!(args.mode.name());
    config["threshold"] = json!(args.threshold);
    config["seed"] = json!(common.seed);
    sampling.config(&mut config, &networks.motif, networks.kind);
    args.reading.config(&mut config);
    interrupt::listen()?;
    let watching = Watching {
        batch: args.batch,
        chains: sampling.chains() as usize,
        burn_in: sampling.burn_in(),
        every: sampling.every(),
    };
    let learning = NetworkLearning { steps: args.steps, watching, parameters };
    let dictionaries = networks.drawn.iter().map(|drawn| {
        let drawn = std::slice::from_ref(drawn);
        Ok(if args.scheme.f32 {
            learning.learn::<f32>(drawn, common.seed)?.dictionary().cast()
        } else {
            learning.learn::<f64>(drawn, common.seed)?.dictionary().clone()
        })
    });
    let dictionaries = dictionaries.collect::<Result<Vec<_>>>()?;
    let n = networks.drawn.len();
    let total = args.samples.saturating_mul((n * n) as u64);
    let mut progress = Progress::of("homomorphisms", common.quiet, Some(total), 0);
    let mut accuracy = Vec::new();
    for (at, dictionary) in dictionaries.iter().enumerate() {
        for (other, (network, sampler)) in networks.drawn.iter().enumerate() {
            let done = args.samples * (at * n + other) as u64;
            let walkers =
                (0..sampling.chains()).map(|id| sampling.walker(sampler, common.seed, ids::REBUILDING + id));
            let mut walkers = walkers.collect::<Result<Vec<_>>>()?;
            let found = args.rebuild(dictionary, network, &networks.motif, &mut walkers, |taken| {
                progress
                    .update(done + taken, || format!("{} by {}", networks.names[other], networks.names[at]));
            })?;
            let Some(found) = found else {
                progress.finish();
                say("ergodict: interrupted; nothing was written");
                return Ok(ExitCode::from(INTERRUPTED));
            };
            accuracy.push(found);
        }
    }
    progress.finish();
    let mut compared = Compared {
        names: networks.names,
        accuracy,
        merges: Vec::new(),
        measure: args.measure,
        kind: networks.kind,
        config,
        inputs: networks.inputs,
        seconds: started.elapsed().as_secs_f64(),
    };
    if let Some(at) = (0..n * n).find(|at| compared.at(at / n, at % n).is_nan()) {
        bail!(
            "{}: has no {}, for it has no edge, or no pair without one: choose another --measure, or leave it out",
            compared.names[at % n],
            compared.measure()
        );
    }
    compared.merges = average_linkage(&compared.distances(), n)?;
    args.write(&compared, common)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn check(&self, common: &Common) -> Result<()> {
        self.sampling.check()?;
        several::check(&self.nets)?;
        for (name, value) in
            [("--steps", self.steps), ("--batch", self.batch as u64), ("--samples", self.samples)]
        {
            if value == 0 {
                bail!("{name} is 0, but at least one is needed");
            }
        }
        if let Some(out) = &self.out {
            super::rebuilt::Writer::check_text(out, "matrices")?;
        }
        if !self.threshold.is_finite() {
            bail!("--threshold is {}, but it must be a finite number", self.threshold);
        }
        let mut inputs: Vec<paths::Given<'_>> =
            self.nets.iter().filter_map(|net| reading::file(net)).collect();
        inputs.extend(self.sampling.files());
        if let Some(path) = self.scheme.file() {
            bail!("--init {}: each network has a dictionary of its own: use random or data", path.display());
        }
        let mut outputs: Vec<paths::Given<'_>> = self.out.iter().map(|path| ("-o", &**path)).collect();
        outputs.extend(self.showing.outputs());
        paths::check(common, &inputs, &outputs)?;
        showing::probe(&outputs)
    }

    /// A network by one dictionary; none when somebody asked to stop.
    fn rebuild(
        &self,
        dictionary: &Mat<f64>,
        network: &Arc<Network>,
        motif: &ergodict::chain::Motif,
        walkers: &mut [MotifWalker],
        mut told: impl FnMut(u64),
    ) -> Result<Option<Accuracy>> {
        let parameters = NetworkReconstruction { mode: self.mode.mode(), ..NetworkReconstruction::default() };
        let mut rebuilt = Reconstructor::<f32>::new(dictionary, network, motif, &parameters, Targets::All)?;
        while rebuilt.taken() < self.samples {
            if interrupt::asked() {
                return Ok(None);
            }
            rebuilt.absorb(walkers, BLOCK.min(self.samples - rebuilt.taken()))?;
            told(rebuilt.taken());
        }
        Ok(Some(Accuracy::of(rebuilt.sums(), network, self.threshold, 0.0)?))
    }

    fn write(&self, compared: &Compared, common: &Common) -> Result<()> {
        if let Some(out) = &self.out {
            output::write(out, &compared.table())?;
        }
        self.showing.write(|| compared.page())?;
        if !common.quiet {
            say(&compared.words(self.out.as_deref(), self.showing.lines()));
        }
        if common.json {
            output::print(&format!("{:#}\n", compared.json()))?;
        } else if self.out.is_none() {
            output::print(&compared.table())?;
        }
        Ok(())
    }
}

impl Compared {
    fn value(&self, accuracy: &Accuracy) -> f64 {
        let value = match self.measure {
            Measure::Jaccard => accuracy.jaccard,
            Measure::WeightedJaccard => accuracy.weighted_jaccard,
            Measure::Auc => accuracy.auc,
        };
        value.unwrap_or(f64::NAN)
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.value(&self.accuracy[row * self.names.len() + column])
    }

    /// How much worse two networks are rebuilt by each other's atoms than by their own, on average; 0 where they are not worse.
    fn distances(&self) -> Vec<f64> {
        let n = self.names.len();
        let distance = |i: usize, j: usize| {
            let own = self.at(i, i) + self.at(j, j);
            let cross = self.at(i, j) + self.at(j, i);
            let distance = (own - cross) / 2.0;
            if i == j { 0.0 } else { distance.max(0.0) }
        };
        (0..n * n).map(|at| distance(at / n, at % n)).collect()
    }

    fn table(&self) -> String {
        let plain: Vec<String> = self.names.iter().map(|name| name.replace(['\t', '\n'], " ")).collect();
        let mut text = format!("dictionary\t{}\n", plain.join("\t"));
        for (row, name) in plain.iter().enumerate() {
            let cells = (0..self.names.len()).map(|column| format!("{:.6}", self.at(row, column)));
            let _ = writeln!(text, "{name}\t{}", cells.collect::<Vec<_>>().join("\t"));
        }
        text
    }

    fn measure(&self) -> String {
        self.measure.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
    }

    fn words(&self, out: Option<&Path>, showing: Vec<(&'static str, String)>) -> String {
        let compared = format!(
            "{} networks by {} ({} homomorphisms each, {}) in {:.1} s",
            self.names.len(),
            self.measure(),
            self.config["samples"],
            self.kind,
            self.seconds
        );
        let mut lines = vec![("compared", compared)];
        let n = self.names.len();
        let coverage = self.accuracy.iter().filter_map(|accuracy| accuracy.edge_coverage).fold(1.0, f64::min);
        lines.push((
            "coverage",
            format!("at least {:.1} % of the edges of each network were seen", 100.0 * coverage),
        ));
        if let Some(first) = self.merges.first().filter(|first| first.a < n && first.b < n) {
            let closest = format!(
                "{} and {}, which lose {:.4} of accuracy by exchanging atoms (a gain counts as 0)",
                self.names[first.a], self.names[first.b], first.height
            );
            lines.push(("closest", closest));
        }
        lines.extend(out.map(|out| ("wrote", out.display().to_string())));
        lines.extend(showing);
        crate::tracked::table(&lines)
    }

    fn json(&self) -> Value {
        let n = self.names.len();
        let matrix: Vec<Vec<f64>> =
            (0..n).map(|row| (0..n).map(|column| self.at(row, column)).collect()).collect();
        let merges = self.merges.iter().map(|merge| json!([merge.a, merge.b, merge.height]));
        let coverage: Vec<Vec<Option<f64>>> =
            self.accuracy.chunks(n).map(|row| row.iter().map(|a| a.edge_coverage).collect()).collect();
        json!({
            "schema": "ergodict.network-compare/1",
            "networks": self.names,
            "inputs": self.inputs,
            "measure": self.measure(),
            "matrix": matrix,
            "edge_coverage": coverage,
            "merges": merges.collect::<Vec<_>>(),
            "sampler": self.kind.to_string(),
            "seconds": self.seconds,
            "config": self.config,
        })
    }

    fn page(&self) -> Result<Report> {
        let n = self.names.len();
        let names: Vec<String> = self.names.iter().map(|name| short(name)).collect();
        let values = (0..n * n).map(|at| Some(self.at(at / n, at % n)).filter(|x| x.is_finite()));
        let heat = Heat {
            row_label: "atoms of".into(),
            col_label: "rebuilt".into(),
            ..Heat::new(names.clone(), names.clone(), values.collect::<Vec<_>>())
        };
        let merges: Vec<(usize, usize, f64)> = self.merges.iter().map(|m| (m.a, m.b, m.height)).collect();
        let tree = Tree { x_label: "loss of accuracy".into(), ..Tree::new(names.clone(), merges) };
        let facts: Vec<(&str, String)> = [
            ("measure", self.measure()),
            ("mode", self.config["mode"].as_str().unwrap_or_default().to_owned()),
            (
                "motif",
                format!("{} of {} nodes", self.config["motif"].as_str().unwrap_or("motif"), self.config["k"]),
            ),
            ("atoms", self.config["atoms"].to_string()),
            ("homomorphisms", self.config["samples"].to_string()),
            ("seed", self.config["seed"].to_string()),
            ("time", format!("{:.1} s", self.seconds)),
            ("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))),
        ]
        .into_iter()
        .chain(self.inputs.iter().map(|input| ("input", format!("{} {}", input.name, input.digest))))
        .collect();
        let own = (0..n).map(|at| self.at(at, at)).sum::<f64>() / n as f64;
        let others = (0..n * n).filter(|at| at / n != at % n).map(|at| self.at(at / n, at % n));
        let others = others.sum::<f64>() / (n * n - n).max(1) as f64;
        let closest = self.merges.first().filter(|first| first.a < n && first.b < n);
        let closest = closest.map_or_else(String::new, |first| {
            format!(
                " {} and {} are the most alike: they lose {:.4} by exchanging atoms.",
                names[first.a], names[first.b], first.height
            )
        });
        let lead = format!(
            "{n} networks, each rebuilt by the latent motifs of every one of them. By its own atoms a network is rebuilt with {} {own:.4} on average, by those \
             of others with {others:.4}.{closest}",
            self.measure()
        );
        let heat = Figure {
            title: "Accuracy".into(),
            svg: heat.svg()?,
            words: "Rows: the network whose atoms are used. Columns: the network that is rebuilt. A row of high values has atoms that fit \
                    everywhere; a column of high values is a network that any atoms rebuild."
                .into(),
        };
        let tree = Figure {
            title: "Which are alike".into(),
            svg: tree.svg()?,
            words: "Networks joined far to the left rebuild each other nearly as well as themselves: the distance of two is the accuracy that is \
                    lost when they exchange atoms, on average, or 0 where exchanging gains; groups are joined by the mean over their pairs."
                .into(),
        };
        Ok(Report::new("Networks by each other's latent motifs")
            .lead(lead)
            .figure(heat)
            .figure(tree)
            .facts(&facts)
            .code(
                "Run it again",
                again::command("network compare", &self.config, &self.names, "--report compare.html"),
            ))
    }
}
