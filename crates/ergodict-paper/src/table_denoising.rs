//! `ergodict-paper table-denoising`: the paper's Table 1 with every row measured on the same pairs.

use super::cases::{Data, Read};
use super::denoising::{Cells, PROTOCOL, Row};
use super::outcome::{Claim, Outcome, Verdict, as_markdown, present};
use super::place::{Place, Where};
use anyhow::{Result, bail};
use ergodict::denoise::ensemble::Noise;
use ergodict_report::{Report, Table};
use ergodict_terminal::Common;
use ergodict_terminal::output;
use serde_json::{Value, json};
use std::process::ExitCode;

/// The name of the page.
pub(crate) const VERB: &str = "table-denoising";

const PRINTED: &str = "
    The printed numbers are for −50 % and do not say which class is positive, how pairs that were never visited count, or how often the experiment was
    repeated. The rows of Spectral, DeepWalk, LINE and node2vec are copied there from the node2vec paper, whose removal and negatives are others. The
    authors' later code integrates the convex hull of the curve, drops unvisited pairs from the curve of NDR alone, and turns its direction for −50 %.
    On +50 % the paper's mean over all entries cannot work: a false edge is seen almost only on the walk itself, where every reconstruction is near 1; that
    is what the rows ndr and ndr-as-printed show, and what ndr-off-motif mends. The protein network is another release than the paper's.
    ndr-as-printed takes 200 000 walks; ndr continues until 95 % of the pairs were seen 20 times, 4 million walks at most.";

/// What the paper prints for a method: Facebook, Homo sapiens, arXiv.
const TABLE_1: [(&str, [f64; 3]); 5] = [
    ("spectral", [0.619, 0.492, 0.574]),
    ("deepwalk", [0.968, 0.744, 0.934]),
    ("line", [0.949, 0.725, 0.890]),
    ("node2vec", [0.968, 0.772, 0.934]),
    ("ndr-as-printed", [0.907, 0.861, 0.934]),
];
/// The order of its columns.
const COLUMNS: [&str; 3] = ["facebook", "ppi_pathways", "arxiv"];
/// How far an AUC may be from a printed one of three digits to agree with it: a little more than seeds differ by.
const CLOSE: f64 = 0.01;

/// The paper's Table 1: AUC of denoising ±50 % noise, ours in all modes, heuristics and embeddings, next to the printed numbers
///
/// What is measured is recorded in the folder at once, so that a second call does only what is missing.
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  ergodict-paper table-denoising --data networks -o paper\n  ergodict-paper table-denoising --quick -o paper"
)]
pub(crate) struct Args {
    #[command(flatten)]
    data: Data,
    #[command(flatten)]
    at: Where,
    #[command(flatten)]
    which: Which,
}

/// Which rows, and how often.
#[derive(clap::Args)]
pub(crate) struct Which {
    /// How many corruptions of each network, with seeds from --seed on
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    seeds: u64,
    /// Only these methods, as `network denoise --method` names them; ndr-as-printed is the paper's at its settings
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    methods: Vec<Row>,
}

impl Which {
    /// Refuses what cannot be run.
    pub(crate) fn check(&self) -> Result<()> {
        if self.seeds == 0 {
            bail!("--seeds is 0, but at least one is needed");
        }
        Ok(())
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let asked = if self.methods.is_empty() { Row::all() } else { self.methods.clone() };
        asked.into_iter().for_each(|row| {
            if !rows.contains(&row) {
                rows.push(row);
            }
        });
        rows
    }
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    args.which.check()?;
    let networks = args.data.networks(&args.at)?;
    let mut place = Place::open(&args.at, common)?;
    let measured = measure(&networks, &args.which, &mut place)?;
    if let (Some(table), false) = (&measured, common.json) {
        output::print(&table.text())?;
    }
    present(measured, &place)
}

/// Measures what is missing and writes the table as Markdown; none when interrupted.
pub(crate) fn measure(
    networks: &[Read],
    which: &Which,
    place: &mut Place<'_>,
) -> Result<Option<TableDenoising>> {
    let Some(cells) = Cells::measure(networks, &which.rows(), which.seeds, place)? else { return Ok(None) };
    let file = place.folder.join(format!("{VERB}.md"));
    let table = TableDenoising { cells, file };
    output::write(&table.file, &table.text())?;
    Ok(Some(table))
}

/// The table.
pub(crate) struct TableDenoising {
    cells: Cells,
    file: std::path::PathBuf,
}

/// All measurements for machines.
pub(crate) fn cells_json(cells: &Cells) -> Vec<Value> {
    let one = |cell: &super::denoising::Cell| {
        json!({
            "network": cell.network,
            "noise": cell.noise.word(),
            "method": cell.row.to_string(),
            "seed": cell.seed,
            "auc": cell.done.outcome.auc,
            "degree_matched_auc": cell.done.outcome.degree,
            "seconds": cell.done.seconds,
            "cpu_seconds": cell.done.cpu_seconds,
        })
    };
    cells.all.iter().map(one).collect()
}

/// What the paper prints for a method and a network.
fn printed(row: Row, network: &str) -> Option<f64> {
    let (_, numbers) = TABLE_1.iter().find(|(name, _)| *name == row.to_string())?;
    COLUMNS.iter().position(|name| *name == network).map(|column| numbers[column])
}

impl TableDenoising {
    fn head(&self) -> Vec<String> {
        let mut head = vec!["method".to_owned()];
        for (name, is_printed) in &self.cells.networks {
            head.push(format!("{name} −50 %"));
            if *is_printed {
                head.push("printed".into());
            }
            head.push(format!("{name} +50 %"));
        }
        head.push("CPU s".into());
        head
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let shown = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.4}"));
        let row = |&row: &Row| {
            let mut cells = vec![row.to_string()];
            let mut seconds = 0.0;
            for (network, is_printed) in &self.cells.networks {
                let of = |noise| (*network, noise, row);
                let uniform = self.cells.mean(of(Noise::Removed), |done| Some(done.outcome.auc));
                let degree = self.cells.mean(of(Noise::Removed), |done| done.outcome.degree);
                cells.push(format!("{} / {}", shown(uniform), shown(degree)));
                if *is_printed {
                    cells.push(printed(row, network).map_or(String::new(), |number| format!("{number:.3}")));
                }
                cells.push(shown(self.cells.mean(of(Noise::Added), |done| Some(done.outcome.auc))));
                for noise in [Noise::Removed, Noise::Added] {
                    seconds += self.cells.mean(of(noise), |done| Some(done.cpu_seconds)).unwrap_or(0.0);
                }
            }
            cells.push(format!("{seconds:.1}"));
            cells
        };
        self.cells.rows.iter().map(row).collect()
    }

    /// As Markdown.
    fn text(&self) -> String {
        as_markdown(&self.head(), &self.rows())
    }
}

impl Outcome for TableDenoising {
    fn verb(&self) -> &'static str {
        VERB
    }

    fn title(&self) -> String {
        "Denoiser: Table 1".into()
    }

    fn lead(&self) -> String {
        let seeds = (self.cells.seeds.end - self.cells.seeds.start) as usize;
        format!(
            "Every number but the printed ones is measured here, on the same pairs for every method, with {}.",
            ergodict_report::words::count(seeds, "seed", "seeds")
        )
    }

    fn show(&self, report: Report) -> Result<Report> {
        let words = format!("{} Means over the seeds.\n\n{}", PROTOCOL.trim(), PRINTED.trim());
        Ok(report.table(Table { title: "AUC".into(), head: self.head(), rows: self.rows(), words }))
    }

    fn claims(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        for (network, _) in self.cells.networks.iter().filter(|(_, is_printed)| *is_printed) {
            for &row in &self.cells.rows {
                let Some(number) = printed(row, network) else { continue };
                let Some(ours) =
                    self.cells.mean((network, Noise::Removed, row), |done| Some(done.outcome.auc))
                else {
                    continue;
                };
                let other_data = *network == "ppi_pathways";
                let verdict = if other_data {
                    Verdict::NotComparable
                } else {
                    Verdict::agrees_if((ours - number).abs() < CLOSE)
                };
                let why = match (other_data, row) {
                    (true, _) => "another release of the protein network",
                    (_, Row::Printed) => "how the printed one counts pairs that no walk saw is not known",
                    _ => {
                        "the printed one is copied from the node2vec paper: other removal, other negatives, other classifier"
                    }
                };
                claims.push(Claim {
                    about: format!("{row}, {network} at −50 % (Table 1)"),
                    printed: format!("{number:.3}"),
                    ours: format!("{ours:.3}"),
                    verdict,
                    why: why.into(),
                });
            }
        }
        claims
    }

    fn json(&self) -> Value {
        json!({ "table": self.file, "measured": cells_json(&self.cells) })
    }

    fn cpu_seconds(&self) -> f64 {
        self.cells.cpu_seconds()
    }
}
