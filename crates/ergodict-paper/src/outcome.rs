//! What an experiment has to show when it is done: figures, and what it says about the printed claims.

use super::place::Place;
use anyhow::Result;
use ergodict_report::{Report, Table};
use ergodict_terminal::progress::say;
use ergodict_terminal::{interrupt, output};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;
use std::process::ExitCode;

/// An experiment that was run.
pub(crate) trait Outcome {
    /// Its verb, which its page and its records are called after.
    fn verb(&self) -> &'static str;
    /// Its title in a report.
    fn title(&self) -> String;
    /// What was run: settings, in words, and how long it took.
    fn lead(&self) -> String;
    /// Adds its figures to a report.
    fn show(&self, report: Report) -> Result<Report>;
    /// What the paper says, and what came of it here; none without something printed to compare with.
    fn claims(&self) -> Vec<Claim>;
    /// The same for machines: the fields that its summary has next to the common ones.
    fn json(&self) -> Value;
    /// Processor time of all its pieces, whenever they were done.
    fn cpu_seconds(&self) -> f64;
}

/// Something that the paper says, next to what was found.
#[derive(Clone, Serialize)]
pub(crate) struct Claim {
    /// What it is about, and where it is said.
    pub(crate) about: String,
    pub(crate) printed: String,
    pub(crate) ours: String,
    pub(crate) verdict: Verdict,
    /// Why they differ, or how they were compared.
    pub(crate) why: String,
}

/// Whether what was found is what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    Agrees,
    Differs,
    /// Other data, another protocol, or a statement that has no number.
    NotComparable,
}

impl Verdict {
    /// Agrees exactly when `holds` does.
    pub(crate) fn agrees_if(holds: bool) -> Self {
        if holds { Self::Agrees } else { Self::Differs }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::NotComparable => "not comparable",
        })
    }
}

/// The claims of an experiment as a table of a report.
pub(crate) fn table(claims: &[Claim]) -> Table {
    let row = |claim: &Claim| {
        let Claim { about, printed, ours, verdict, why } = claim.clone();
        vec![about, printed, ours, verdict.to_string(), why]
    };
    let head = ["the paper on", "printed", "ours", "", "why, or how compared"].map(str::to_owned).to_vec();
    let words =
        "Computed from the numbers of this run; nothing in the column “ours” is written by hand.".to_owned();
    Table { title: "Compared with the paper".into(), head, rows: claims.iter().map(row).collect(), words }
}

/// Adds an experiment to a report, as a section, with its claims.
pub(crate) fn add(outcome: &dyn Outcome, report: Report) -> Result<Report> {
    with_claims(outcome, report.section(outcome.title(), outcome.lead()))
}

fn with_claims(outcome: &dyn Outcome, report: Report) -> Result<Report> {
    let (claims, report) = (outcome.claims(), outcome.show(report)?);
    Ok(if claims.is_empty() { report } else { report.table(table(&claims)) })
}

/// Writes the page of one experiment, named after its verb, and the summary where it is asked for; says so when it was interrupted.
pub(crate) fn present<T: Outcome>(measured: Option<T>, place: &Place<'_>) -> Result<ExitCode> {
    let Some(outcome) = measured else { return Ok(stopped(place)) };
    let report = Report::new(outcome.title()).lead(outcome.lead() + place.quick_words());
    let time = vec![("processor time".to_owned(), format!("{:.1} s", outcome.cpu_seconds()))];
    let report = with_claims(&outcome, report)?;
    let page = format!("{}.html", outcome.verb());
    finish(
        outcome.verb(),
        (&page, report, time),
        &outcome.claims(),
        (outcome.cpu_seconds(), outcome.json()),
        place,
    )
}

/// Writes a page with its facts, and the summary where it is asked for: what all have in it, and fields of its own.
pub(crate) fn finish(
    verb: &str,
    (name, report, times): (&str, Report, Vec<(String, String)>),
    claims: &[Claim],
    (cpu_seconds, own): (f64, Value),
    place: &Place<'_>,
) -> Result<ExitCode> {
    // Pictures that are made for the page are left out by an interruption: no page rather than half of one.
    if interrupt::asked() {
        return Ok(stopped(place));
    }
    let mut facts = vec![
        ("command".to_owned(), format!("ergodict-paper {verb}{}", if place.quick { " --quick" } else { "" })),
        ("seed".to_owned(), place.common.seed.to_string()),
        ("version".to_owned(), format!("ergodict {}", env!("CARGO_PKG_VERSION"))),
    ];
    facts.extend(times);
    let page = place.write(name, &report.facts(&facts))?;
    place.talk(&format!("wrote {}", page.display()));
    if place.common.json {
        let mut all = json!({
            "schema": format!("ergodict.paper-{verb}/1"),
            "version": env!("CARGO_PKG_VERSION"),
            "seed": place.common.seed,
            "quick": place.quick,
            "report": page,
            "records": place.records(),
            "cpu_seconds": cpu_seconds,
            "claims": claims,
            "config": ergodict_terminal::resolved::config(),
        });
        if let (Value::Object(all), Value::Object(own)) = (&mut all, own) {
            all.extend(own);
        }
        output::print(&format!("{all:#}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A table as Markdown.
pub(crate) fn as_markdown(head: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = line(head) + &line(&vec!["---".to_owned(); head.len()]);
    rows.iter().for_each(|row| text += &line(row));
    text
}

/// What is said when someone stopped it.
pub(crate) fn stopped(place: &Place<'_>) -> ExitCode {
    say(&format!(
        "ergodict-paper: interrupted; {} has what was done: the same command continues",
        place.records().display()
    ));
    interrupt::code()
}
