//! `ergodict paper table-denoising`: the paper's Table 1 with every row measured on the same pairs.

use super::cases::{Data, Read};
use crate::args::Common;
use crate::progress::say;
use crate::{interrupt, output};
use anyhow::{Context, Result, bail};
use ergodict::Error;
use ergodict::data::corrupt::{AddModel, Amount, Corrupted, Kind, add, remove};
use ergodict::data::digest;
use ergodict::denoise::ensemble::{Assumed, Noise};
use ergodict::denoise::roc::Ranked;
use ergodict::denoise::{Denoising, Method, Progress};
use ergodict_report::{Figure, Report, Series, Table};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// The share of edges that are added or removed.
const SHARE: f64 = 0.5;
/// Points of a curve that are kept.
const CURVE: usize = 120;
/// Methods whose curves are drawn.
const DRAWN: [&str; 6] =
    ["ensemble", "motif-codes", "ndr-off-chain", "ndr", "resource-allocation", "deepwalk"];

const WORDS: &str = "
    AUC with ties at ½, a higher score meaning a true edge, never flipped; a pair that was never seen scores 0 and is not dropped. −50 %: half of the
    edges are removed, a random spanning tree stays; removed edges against as many non-edges, uniform ones and (after the stroke) ones whose ends are drawn by
    degree. +50 %: half as many non-edges are added; true edges against added ones, all of them observed. Means over the seeds.";

const PRINTED: &str = "
    The printed numbers are for −50 % and do not say which class is positive, how pairs that were never visited count, or how often the experiment was
    repeated. The rows of Spectral, DeepWalk, LINE and node2vec are copied there from the node2vec paper, whose removal and negatives are others. The
    authors' later code integrates the convex hull of the curve, drops unvisited pairs from the curve of NDR alone, and turns its direction for −50 %.
    On +50 % the paper's mean over all entries cannot work: a false edge is seen almost only on the walk itself, where every reconstruction is near 1; that
    is what the row ndr shows, and what ndr-off-chain mends. The protein network is another release than the paper's.";

/// What the paper prints for a method: Facebook, Homo sapiens, arXiv.
const TABLE_1: [(&str, [f64; 3]); 5] = [
    ("spectral", [0.619, 0.492, 0.574]),
    ("deepwalk", [0.968, 0.744, 0.934]),
    ("line", [0.949, 0.725, 0.890]),
    ("node2vec", [0.968, 0.772, 0.934]),
    ("ndr", [0.907, 0.861, 0.934]),
];

/// The paper's Table 1: AUC of denoising ±50 % noise, ours in all modes, heuristics and embeddings, beside the printed numbers
///
/// What is measured goes to a table in the folder at once, so that a second call does only what is missing.
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  ergodict paper table-denoising --data networks -o paper\n  ergodict paper table-denoising --quick -o paper"
)]
pub(crate) struct Args {
    #[command(flatten)]
    data: Data,
    /// How many corruptions of each network, with seeds from --seed on
    #[arg(long, value_name = "N", default_value_t = 2, allow_negative_numbers = true)]
    seeds: u64,
    /// Only these methods, as `network denoise --method` names them
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    methods: Vec<Method>,
}

/// One measurement.
#[derive(Clone, Serialize, Deserialize)]
struct Measured {
    /// Digest of the program that measured it.
    program: String,
    network: String,
    digest: String,
    /// removed or added.
    noise: String,
    method: String,
    seed: u64,
    /// Removed edges against uniform non-edges, or true edges against added ones.
    auc: f64,
    /// Removed edges against non-edges by degree.
    degree: Option<f64>,
    seconds: f64,
    /// The ROC curve of `auc`.
    curve: Vec<(f64, f64)>,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    if args.seeds == 0 {
        bail!("--seeds is 0, but at least one is needed");
    }
    let networks = args.data.networks()?;
    args.data.start()?;
    interrupt::listen();
    let mut methods = if args.methods.is_empty() { Method::all() } else { args.methods.clone() };
    let mut named = Vec::new();
    methods.retain(|method| {
        let new = !named.contains(method);
        named.push(*method);
        new
    });
    let seeds = if args.data.quick { 1 } else { args.seeds };
    let mut kept = Kept::open(args.data.out.join("table-denoising.jsonl"))?;
    for read in &networks {
        for noise in [Noise::Removed, Noise::Added] {
            for seed in common.seed..common.seed.saturating_add(seeds) {
                let missing: Vec<Method> = methods
                    .iter()
                    .copied()
                    .filter(|method| kept.find(read, noise, *method, seed).is_none())
                    .collect();
                if missing.is_empty() {
                    continue;
                }
                let noisy = corrupted(read, noise, seed)?;
                for method in missing {
                    let Some(measured) = measure(read, noise, method, seed, &noisy, &kept.program)? else {
                        let place = kept.path.display();
                        say(&format!(
                            "ergodict: interrupted; {place} has what was measured: the same command goes on"
                        ));
                        return Ok(interrupt::code());
                    };
                    if !common.quiet {
                        let degree = measured.degree.map_or(String::new(), |auc| format!(" / {auc:.4}"));
                        say(&format!(
                            "{} {} seed {seed} {method}: {:.4}{degree} ({:.1} s)",
                            measured.network, measured.noise, measured.auc, measured.seconds
                        ));
                    }
                    kept.add(measured)?;
                }
            }
        }
    }
    let table = TableOf { first: common.seed, networks: &networks, methods: &methods, seeds, kept: &kept };
    let page = args.data.out.join("table-denoising.html");
    output::write(&page, &table.page().render())?;
    let text = table.text();
    let plain = args.data.out.join("table-denoising.md");
    output::write(&plain, &text)?;
    if common.json {
        let asked = |m: &&Measured| methods.iter().any(|method| method.to_string() == m.method);
        let cell = |m: &Measured| {
            json!({
                "network": m.network,
                "noise": m.noise,
                "method": m.method,
                "seed": m.seed,
                "auc": m.auc,
                "degree_matched_auc": m.degree,
                "seconds": m.seconds,
            })
        };
        let cells: Vec<_> = kept.all.iter().filter(asked).map(cell).collect();
        let schema = "ergodict.paper-table-denoising/1";
        let all = json!({ "schema": schema, "report": page, "table": plain, "measured": cells, "config": crate::resolved::config() });
        output::print(&format!("{all:#}\n"))?;
    } else {
        output::print(&text)?;
    }
    if !common.quiet {
        say(&format!("wrote {} and {}", page.display(), plain.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn corrupted(read: &Read, noise: Noise, seed: u64) -> Result<Corrupted> {
    let share = Amount::Fraction(SHARE);
    let noisy = match noise {
        Noise::Removed => remove(&read.network, share, seed),
        Noise::Added => add(&read.network, share, AddModel::ErdosRenyi, seed),
    };
    noisy.with_context(|| read.case.name)
}

/// A method on a corruption; none when somebody asked to stop.
fn measure(
    read: &Read,
    noise: Noise,
    method: Method,
    seed: u64,
    noisy: &Corrupted,
    program: &str,
) -> Result<Option<Measured>> {
    let observed = Arc::new(noisy.observed.clone());
    let pairs: Vec<(u32, u32)> = noisy.truth.iter().map(|&(u, v, _)| (u, v)).collect();
    let started = Instant::now();
    let assumed = match noise {
        Noise::Removed => Assumed::Removed,
        Noise::Added => Assumed::Added,
    };
    let denoising = Denoising { method, assumed, seed };
    let mut go_on = |_, _| !interrupt::asked();
    let scored = match denoising.scores(&observed, &pairs, &mut Progress::new(&mut go_on)) {
        Err(Error::Interrupted) => return Ok(None),
        scored => scored?,
    };
    let seconds = started.elapsed().as_secs_f64();
    let against = |left_out: Kind| {
        let rows = noisy.truth.iter().zip(&scored.scores).filter(|(pair, _)| pair.2 != left_out);
        let (labels, scores): (Vec<bool>, Vec<f64>) =
            rows.map(|(pair, score)| (pair.2.label(), *score)).unzip();
        Ranked::new(&scores, &labels)
    };
    let ranked = against(Kind::Degree)?;
    let degree = if noise == Noise::Removed { Some(against(Kind::Uniform)?.auc()) } else { None };
    let curve = ranked.thinned_curve(CURVE);
    let round = |x: f64| (x * 1e5).round() / 1e5;
    Ok(Some(Measured {
        program: program.to_owned(),
        network: read.case.name.to_owned(),
        digest: read.input.digest.clone(),
        noise: noise.word().to_owned(),
        method: method.to_string(),
        seed,
        auc: ranked.auc(),
        degree,
        seconds,
        curve: curve.iter().map(|p| (round(p.false_positive_rate), round(p.true_positive_rate))).collect(),
    }))
}

/// What was measured, in a file.
struct Kept {
    path: PathBuf,
    /// What another program measured is not kept: it may be another method.
    program: String,
    all: Vec<Measured>,
}

impl Kept {
    fn open(path: PathBuf) -> Result<Self> {
        let mut all = Vec::new();
        if path.exists() {
            let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
            for (line, row) in (1u64..).zip(text.lines()) {
                let problem = || {
                    Error::format(
                        &path,
                        Some(line),
                        "is no measurement of ours: delete the file to start again",
                    )
                };
                all.push(serde_json::from_str(row).map_err(|_| problem())?);
            }
        }
        let program = digest(&std::env::current_exe()?)?;
        all.retain(|measured: &Measured| measured.program == program);
        Ok(Self { path, program, all })
    }

    fn find(&self, read: &Read, noise: Noise, method: Method, seed: u64) -> Option<&Measured> {
        let (noise, method) = (noise.word(), method.to_string());
        let same = |m: &&Measured| {
            m.program == self.program
                && (&*m.network, &m.digest) == (read.case.name, &read.input.digest)
                && (&*m.noise, &m.method, m.seed) == (noise, &method, seed)
        };
        self.all.iter().find(same)
    }

    fn add(&mut self, measured: Measured) -> Result<()> {
        self.all.push(measured);
        let mut text = String::new();
        for measured in &self.all {
            let _ = writeln!(text, "{}", serde_json::to_string(measured)?);
        }
        output::write(&self.path, &text)
    }
}

/// The table.
struct TableOf<'a> {
    first: u64,
    networks: &'a [Read],
    methods: &'a [Method],
    seeds: u64,
    kept: &'a Kept,
}

impl TableOf<'_> {
    fn mean(
        &self,
        read: &Read,
        noise: Noise,
        method: Method,
        of: impl Fn(&Measured) -> Option<f64>,
    ) -> Option<f64> {
        let all = (self.first..self.first.saturating_add(self.seeds))
            .map(|seed| self.kept.find(read, noise, method, seed).and_then(&of));
        let all = all.collect::<Option<Vec<f64>>>()?;
        Some(all.iter().sum::<f64>() / all.len() as f64)
    }

    fn head(&self) -> Vec<String> {
        let mut head = vec!["method".to_owned()];
        for read in self.networks {
            let name = read.case.name.trim_start_matches('@');
            head.push(format!("{name} −50 %"));
            if read.case.printed.is_some() {
                head.push("printed".into());
            }
            head.push(format!("{name} +50 %"));
        }
        head.push("seconds".into());
        head
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let shown = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.4}"));
        let row = |&method: &Method| {
            let mut row = vec![method.to_string()];
            let mut seconds = 0.0;
            let mut printed =
                TABLE_1.iter().find(|(name, _)| *name == method.to_string()).map(|(_, of)| of.iter());
            for read in self.networks {
                let uniform = self.mean(read, Noise::Removed, method, |m| Some(m.auc));
                let degree = self.mean(read, Noise::Removed, method, |m| m.degree);
                row.push(format!("{} / {}", shown(uniform), shown(degree)));
                if read.case.printed.is_some() {
                    let number = printed.as_mut().and_then(Iterator::next);
                    row.push(number.map_or(String::new(), |number| format!("{number:.3}")));
                }
                row.push(shown(self.mean(read, Noise::Added, method, |m| Some(m.auc))));
                for noise in [Noise::Removed, Noise::Added] {
                    seconds += self.mean(read, noise, method, |m| Some(m.seconds)).unwrap_or(0.0);
                }
            }
            row.push(format!("{seconds:.1}"));
            row
        };
        self.methods.iter().map(row).collect()
    }

    /// As Markdown.
    fn text(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let head = self.head();
        let mut text = line(&head);
        text += &line(&vec!["---".to_owned(); head.len()]);
        self.rows().iter().for_each(|row| text += &line(row));
        text
    }

    fn page(&self) -> Report {
        let lead = format!(
            "Every number is measured here, on the same pairs for every method, with {}.",
            crate::page::count(self.seeds as usize, "seed", "seeds")
        );
        let mut report = Report::new("The paper's table of denoising").lead(lead);
        let words = format!("{}\n\n{}", WORDS.trim(), PRINTED.trim());
        report = report.table(Table { title: "AUC".into(), head: self.head(), rows: self.rows(), words });
        for read in self.networks {
            for noise in [Noise::Removed, Noise::Added] {
                let series =
                    self.methods.iter().filter(|method| DRAWN.contains(&&*method.to_string())).filter_map(
                        |&method| {
                            let measured = self.kept.find(read, noise, method, self.first)?;
                            Some(Series::new(format!("{method} {:.4}", measured.auc), measured.curve.clone()))
                        },
                    );
                let chart = crate::page::roc_chart(series.collect());
                let sign = if noise == Noise::Added { "+50 %" } else { "−50 %, uniform negatives" };
                let name = read.case.name.trim_start_matches('@');
                let words = "ROC curves of the first seed; the number is the area under each.".to_owned();
                report = report.figure(Figure { title: format!("{name}, {sign}"), svg: chart.svg(), words });
            }
        }
        report.facts(&[
            ("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))),
            ("seeds", self.seeds.to_string()),
        ])
    }
}
