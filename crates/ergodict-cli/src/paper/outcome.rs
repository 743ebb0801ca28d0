//! What an experiment has to show when it is done: figures, and what it says about the printed claims.

use super::place::Place;
use crate::output;
use anyhow::Result;
use ergodict_report::{Report, Table};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;
use std::process::ExitCode;

/// What a page says of a run that was quick.
pub(super) const QUICK: &str = "\n\n\
    This was a quick run: small data of our own, or fewer and shorter runs than the paper's. What the paper says cannot be judged by it, so that most \
    verdicts are “not comparable”; the last column has the rule by which they are made when --quick is left out.";

/// An experiment that was run.
pub(super) trait Outcome {
    /// Its title in a report.
    fn title(&self) -> String;
    /// What was run: settings, in words, and how long it took.
    fn lead(&self) -> String;
    /// Adds its figures to a report.
    fn show(&self, report: Report) -> Result<Report>;
    /// What the paper says, and what came of it here; none without something printed to compare with.
    fn claims(&self) -> Vec<Claim>;
    /// The same for machines: the fields that its summary has beside the common ones.
    fn json(&self) -> Value;
    /// Processor time of all its pieces, whenever they were done.
    fn cpu_seconds(&self) -> f64;
}

/// Something that the paper says, beside what was found.
#[derive(Clone, Serialize)]
pub(super) struct Claim {
    /// What it is about, and where it is said.
    pub(super) about: String,
    pub(super) printed: String,
    pub(super) ours: String,
    pub(super) verdict: Verdict,
    /// Why they differ, or how they were compared.
    pub(super) why: String,
}

/// Whether what was found is what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    Agrees,
    Differs,
    /// Other data, another protocol, or a statement that has no number.
    NotComparable,
}

impl Verdict {
    /// Agrees exactly when `holds` does.
    pub(super) fn of(holds: bool) -> Self {
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
pub(super) fn table(claims: &[Claim]) -> Table {
    let row = |claim: &Claim| {
        let Claim { about, printed, ours, verdict, why } = claim.clone();
        vec![about, printed, ours, verdict.to_string(), why]
    };
    let head = ["the paper on", "printed", "ours", "", "why, or how compared"].map(str::to_owned).to_vec();
    let words =
        "Computed from the numbers of this run; nothing in the column “ours” is written by hand.".to_owned();
    Table { title: "Beside the paper".into(), head, rows: claims.iter().map(row).collect(), words }
}

/// Adds an experiment to a report, as a section, with its claims.
pub(super) fn add(outcome: &dyn Outcome, report: Report) -> Result<Report> {
    with_claims(outcome, report.section(outcome.title(), outcome.lead()))
}

fn with_claims(outcome: &dyn Outcome, report: Report) -> Result<Report> {
    let (claims, report) = (outcome.claims(), outcome.show(report)?);
    Ok(if claims.is_empty() { report } else { report.table(table(&claims)) })
}

/// Writes the page of one experiment, named after its verb, and the summary where it is asked for.
pub(super) fn present(verb: &str, outcome: &dyn Outcome, place: &Place<'_>) -> Result<ExitCode> {
    let lead = format!("{}{}", outcome.lead(), if place.quick { QUICK } else { "" });
    let report = with_claims(outcome, Report::new(outcome.title()).lead(lead))?;
    let facts = [
        ("command", format!("ergodict paper {verb}{}", if place.quick { " --quick" } else { "" })),
        ("seed", place.common.seed.to_string()),
        ("version", format!("ergodict {}", env!("CARGO_PKG_VERSION"))),
        ("processor time", format!("{:.1} s", outcome.cpu_seconds())),
    ];
    // Pictures that are made for the page are left out by an interruption: no page rather than half of one.
    if crate::interrupt::asked() {
        return Ok(stopped(place));
    }
    let page = place.write(&format!("{verb}.html"), &report.facts(&facts))?;
    place.talk(&format!("wrote {}", page.display()));
    if place.common.json {
        let common = json!({
            "schema": format!("ergodict.paper-{verb}/1"),
            "version": env!("CARGO_PKG_VERSION"),
            "seed": place.common.seed,
            "quick": place.quick,
            "report": page,
            "records": place.records(),
            "cpu_seconds": outcome.cpu_seconds(),
            "claims": outcome.claims(),
            "config": crate::resolved::config(),
        });
        output::print(&format!("{:#}\n", merged(common, outcome.json())))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Both objects in one.
pub(super) fn merged(mut common: Value, own: Value) -> Value {
    if let (Value::Object(all), Value::Object(own)) = (&mut common, own) {
        all.extend(own);
    }
    common
}

/// What is said when somebody stopped it.
pub(super) fn stopped(place: &Place<'_>) -> ExitCode {
    crate::progress::say(&format!(
        "ergodict: interrupted; {} has what was done: the same command goes on",
        place.records().display()
    ));
    crate::interrupt::code()
}
