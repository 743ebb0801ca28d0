//! `ergodict evaluate`: edge scores compared with ground truth.

mod summary;

use crate::args::Common;
use crate::reports::{self, ReportArgs};
use crate::summary::emit;
use crate::{PROBLEM, input, output, paths, progress::say, rerun};
use anyhow::{Context, Result, bail};
use ergodict::data::{PairTable, digest};
use ergodict_pages::evaluation::{Evaluation, ScoreTable, Truth};
use serde_json::json;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use summary::{areas, summarize};

/// The column of probabilities.
const PROBABILITY: &str = "probability";

/// Pairs whose truth is known.
struct Labeled {
    pairs: Vec<(String, String)>,
    truth: Truth,
}

/// The probability of each labeled pair, where a table has them.
type Probabilities = Option<Vec<Option<f64>>>;

const HELP: &str = "\
Example:
  ergodict network corrupt @karate --add 0.5 -o observed.txt --truth truth.tsv
  ergodict network denoise observed.txt -o scores.tsv
  ergodict evaluate scores.tsv truth.tsv

Several methods:
  ergodict evaluate ensemble.tsv adamic-adar.tsv ndr.tsv truth.tsv --report methods.html

Fail if scores have become worse, in a script:
  ergodict evaluate scores.tsv truth.tsv --at-least 0.9 -q";

/// Evaluate edge scores against ground truth: AUC with confidence intervals, average precision, precision at n, calibration
///
/// AUC is the share of pairs (one true, one false) in which the true one has the higher score; ties count half. AP is the average precision. P@20 is the
/// share of true pairs among the 20 highest scores, F@20 the share of false ones among the 20 lowest; equal scores count by the mean over their orders.
/// TPR and FPR are the shares of true and of false pairs at or above the threshold where they differ most. Where SCORES has a
/// column `probability`, ECE is its expected calibration error on the labeled pairs, which holds for other pairs only if the same share
/// of them is true.
///
/// A pair of LABELS that SCORES does not have, or has no score for, ranks below all others; how many there are is printed.
#[derive(clap::Args)]
#[command(after_long_help = HELP, override_usage = "ergodict evaluate [OPTIONS] <SCORES>... <LABELS>")]
pub(crate) struct Args {
    /// Tables of scores, `u v score` a line, as `network denoise` and `network reconstruct` write them; then the table of labels, `u
    /// v label` a line with 1 for true and 0 for false, as `network corrupt --truth` writes it
    #[arg(value_name = "SCORES… LABELS", required = true, num_args = 2..)]
    files: Vec<PathBuf>,
    /// The column of the scores, by its name [default: score, weight, or the third]
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// Distinguish the pairs (u, v) and (v, u)
    #[arg(long)]
    directed: bool,
    /// Confidence level of intervals
    #[arg(long, value_name = "P", default_value_t = 0.95, allow_negative_numbers = true)]
    confidence: f64,
    /// Fail, with exit code 1, unless every AUC is at least this
    #[arg(long, value_name = "AUC", allow_negative_numbers = true)]
    at_least: Option<f64>,
    #[command(flatten)]
    reports: ReportArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let started = Instant::now();
    let (labels, scores) = args.check(common)?;
    let labeled = args.labels(labels)?;
    let mut outcomes = Vec::new();
    for path in scores {
        let (scores, probabilities) = args.scores(path, &labeled)?;
        let missing = scores.iter().filter(|score| **score == f64::NEG_INFINITY).count() as u64;
        if missing > 0 && !common.quiet {
            let (name, all) = (input::name(path), labeled.pairs.len());
            say(&format!("{name}: has no score for {missing} of {all} pairs, which rank last"));
        }
        outcomes.push(ScoreTable { name: input::name(path), scores, probabilities, missing });
    }
    let outcome = Evaluation::measure(&labeled.truth, &outcomes, args.confidence)?;
    args.reports.write(|| {
        let files: Vec<String> = args.files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let mut facts = vec![
            ("pairs", labeled.pairs.len().to_string()),
            ("true", labeled.truth.labels.iter().filter(|label| **label).count().to_string()),
            ("confidence", args.confidence.to_string()),
        ];
        for path in args.files.iter().filter(|path| !output::is_standard(path)) {
            facts.push(("input", format!("{} {}", input::name(path), digest(path)?)));
        }
        facts.push(("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))));
        facts.push(("time", format!("{:.2} s", started.elapsed().as_secs_f64())));
        let config =
            json!({ "column": args.column, "directed": args.directed, "confidence": args.confidence });
        let command = rerun::command("evaluate", &config, &files, "--report methods.html");
        Ok(outcome.page(&input::name(labels), &facts, Some(&command)))
    })?;
    emit(&summarize(&outcome, labels, args.reports.lines()), common)?;
    let least = args.at_least.unwrap_or(f64::NEG_INFINITY);
    if let Some((name, area)) = areas(&outcome).find(|(_, area)| *area < least) {
        say(&format!("ergodict: {name} has AUC {area:.4}, less than --at-least {least}"));
        return Ok(ExitCode::from(PROBLEM));
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn check(&self, common: &Common) -> Result<(&PathBuf, &[PathBuf])> {
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            bail!("--confidence is {}, but it must be between 0 and 1, as 0.95 is", self.confidence);
        }
        if self.at_least.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
            bail!("--at-least is an AUC, but {} is not between 0 and 1", self.at_least.unwrap_or(f64::NAN));
        }
        let Some((labels, scores)) = self.files.split_last().filter(|(_, scores)| !scores.is_empty()) else {
            bail!("at least two files are needed: scores, and labels last");
        };
        if self.files.iter().filter(|path| output::is_standard(path)).count() > 1 {
            bail!("standard input holds one table, but - is given more than once");
        }
        let mut inputs: Vec<paths::NamedPath<'_>> = scores.iter().map(|path| ("SCORES", &**path)).collect();
        inputs.push(("LABELS", labels));
        let outputs: Vec<paths::NamedPath<'_>> = self.reports.outputs().collect();
        paths::check(common, &inputs, &outputs)?;
        reports::probe(&outputs)?;
        Ok((labels, scores))
    }

    /// A pair under the name that both tables know it by.
    fn key<'a>(&self, (u, v): (&'a str, &'a str)) -> (&'a str, &'a str) {
        if self.directed || u <= v { (u, v) } else { (v, u) }
    }

    fn labels(&self, path: &Path) -> Result<Labeled> {
        let table = PairTable::read(path).with_context(|| "LABELS (the last file)")?;
        let column = table.column("label").unwrap_or(2);
        let numbers = table.numbers(column)?;
        let mut labels = Vec::with_capacity(numbers.len());
        for (row, number) in numbers.iter().enumerate() {
            if *number != 0.0 && *number != 1.0 {
                let found = table.field(row, column);
                return Err(table.refuse(row, format!("has the label {found}: expected 1 or 0")).into());
            }
            labels.push(*number == 1.0);
        }
        if labels.iter().all(|label| *label) || !labels.contains(&true) {
            let all = u8::from(labels[0]);
            bail!("{}: all labels are {all}: both true and false pairs are needed", path.display());
        }
        let pair = |row| {
            let (u, v) = self.key(table.pair(row));
            (u.to_owned(), v.to_owned())
        };
        let mut known: HashMap<(&str, &str), bool> = HashMap::with_capacity(labels.len());
        for (row, &label) in labels.iter().enumerate() {
            if known.insert(self.key(table.pair(row)), label).is_some_and(|before| before != label) {
                let (u, v) = table.pair(row);
                let problem = format!("labels {u} {v} {}, and {} before", u8::from(label), u8::from(!label));
                return Err(table.refuse(row, problem).into());
            }
        }
        let kinds = table.column("kind");
        let kinds =
            kinds.map(|column| (0..table.len()).map(|row| table.field(row, column).to_owned()).collect());
        Ok(Labeled { pairs: (0..table.len()).map(pair).collect(), truth: Truth { labels, kinds } })
    }

    /// A score for each labeled pair, lower than any where the table has none, and its probability where there is such a column.
    fn scores(&self, path: &Path, labeled: &Labeled) -> Result<(Vec<f64>, Probabilities)> {
        let table = PairTable::read(path)?;
        let column = match &self.column {
            Some(name) => table.column(name).with_context(|| {
                let there = table.header().map_or("it has no header".into(), |names| names.join(", "));
                format!("{}: column {name} not found ({there})", path.display())
            })?,
            None => table.column("score").or_else(|| table.column("weight")).unwrap_or(2),
        };
        let numbers = table.numbers_or_none(column)?;
        let mut known: HashMap<(&str, &str), usize> = HashMap::with_capacity(numbers.len());
        for (row, score) in numbers.iter().enumerate() {
            if let Some(before) = known.insert(self.key(table.pair(row)), row)
                && numbers[before].map(f64::to_bits) != score.map(f64::to_bits)
            {
                let (u, v) = table.pair(row);
                let word =
                    |score: Option<f64>| score.map_or("no score".to_owned(), |x| format!("the score {x}"));
                let problem = format!("gives {u} {v} {}, and {} before", word(*score), word(numbers[before]));
                return Err(table.refuse(row, problem).into());
            }
        }
        let rows: Vec<Option<usize>> =
            labeled.pairs.iter().map(|(u, v)| known.get(&(&**u, &**v)).copied()).collect();
        if rows.iter().all(Option::is_none) {
            bail!(
                "{}: has none of the labeled pairs: are these scores of other pairs? (`network denoise --pairs LABELS` scores the labeled ones)",
                path.display()
            );
        }
        let score = |row: &Option<usize>| row.and_then(|row| numbers[row]).unwrap_or(f64::NEG_INFINITY);
        let probabilities = match table.column(PROBABILITY) {
            None => None,
            Some(column) => {
                let all = table.numbers_or_none(column)?;
                if let Some(row) =
                    (0..all.len()).find(|&row| all[row].is_some_and(|p| !(0.0..=1.0).contains(&p)))
                {
                    let found = table.field(row, column);
                    return Err(table
                        .refuse(row, format!("has the probability {found}: expected 0 to 1"))
                        .into());
                }
                Some(rows.iter().map(|row| row.and_then(|row| all[row])).collect())
            }
        };
        Ok((rows.iter().map(score).collect(), probabilities))
    }
}
