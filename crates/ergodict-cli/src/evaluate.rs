//! `ergodict evaluate`: how well scores of pairs tell true edges from false ones.

mod page;
mod summary;

use crate::args::Common;
use crate::reports::{self, ReportArgs};
use crate::summary::emit;
use crate::{PROBLEM, input, output, paths, progress::say, rerun};
use anyhow::{Context, Result, bail};
use ergodict::data::{PairTable, digest};
use serde_json::json;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use summary::{Labeled, Outcome};

const HELP: &str = "\
Example:
  ergodict network corrupt @karate --add 0.5 -o observed.txt --truth truth.tsv
  ergodict network denoise observed.txt -o scores.tsv
  ergodict evaluate scores.tsv truth.tsv

Several methods side by side:
  ergodict evaluate ensemble.tsv adamic-adar.tsv ndr.tsv truth.tsv --report methods.html

In a script that is to fail where scores have become worse:
  ergodict evaluate scores.tsv truth.tsv --at-least 0.9 -q";

/// Tell how well scores of pairs find the true ones: ROC curve, AUC, average precision, with confidence intervals
///
/// AUC is the share of pairs (one true, one false) in which the true one has the higher score; ties count half. A pair of
/// LABELS that SCORES does not have scores 0, and how many there are is told.
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
    /// The pair (u, v) is another than (v, u)
    #[arg(long)]
    directed: bool,
    /// The probability that an interval is to hold
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
        let (scores, missing) = args.scores(path, &labeled)?;
        if missing > 0 && !common.quiet {
            let (name, all) = (input::name(path), labeled.pairs.len());
            say(&format!("{name}: has no score for {missing} of {all} pairs, which score 0"));
        }
        outcomes.push((input::name(path), scores, missing));
    }
    let outcome = Outcome::measure(&labeled, &outcomes, args.confidence)?;
    args.reports.write(|| {
        let files: Vec<String> = args.files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let mut facts = vec![
            ("pairs", labeled.pairs.len().to_string()),
            ("true", labeled.labels.iter().filter(|label| **label).count().to_string()),
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
        Ok(outcome.page(&input::name(labels), &facts, &command))
    })?;
    emit(&outcome.summary(labels, args.reports.lines()), common)?;
    let least = args.at_least.unwrap_or(f64::NEG_INFINITY);
    if let Some((name, area)) = outcome.areas().find(|(_, area)| *area < least) {
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
            bail!(
                "{}: all labels are {all}: true and false pairs are needed to tell them apart",
                path.display()
            );
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
        Ok(Labeled { pairs: (0..table.len()).map(pair).collect(), labels, kinds })
    }

    /// A score for each labeled pair, and how many were not in the table.
    fn scores(&self, path: &Path, labeled: &Labeled) -> Result<(Vec<f64>, u64)> {
        let table = PairTable::read(path)?;
        let column = match &self.column {
            Some(name) => table.column(name).with_context(|| {
                let there = table.header().map_or("it has no header".into(), |names| names.join(", "));
                format!("{}: there is no column {name} ({there})", path.display())
            })?,
            None => table.column("score").or_else(|| table.column("weight")).unwrap_or(2),
        };
        let numbers = table.numbers(column)?;
        let mut known: HashMap<(&str, &str), f64> = HashMap::with_capacity(numbers.len());
        for (row, score) in numbers.into_iter().enumerate() {
            if let Some(before) = known.insert(self.key(table.pair(row)), score)
                && before.to_bits() != score.to_bits()
            {
                let (u, v) = table.pair(row);
                return Err(table
                    .refuse(row, format!("gives {u} {v} the score {score}, and {before} before"))
                    .into());
            }
        }
        let mut missing = 0;
        let scores = labeled.pairs.iter().map(|(u, v)| {
            let score = known.get(&(&**u, &**v));
            missing += u64::from(score.is_none());
            score.copied().unwrap_or(0.0)
        });
        let scores: Vec<f64> = scores.collect();
        if missing as usize == scores.len() {
            bail!(
                "{}: has none of the labeled pairs: are these scores of other pairs? (`network denoise --pairs LABELS` scores the labeled ones)",
                path.display()
            );
        }
        Ok((scores, missing))
    }
}
