//! `ergodict paper all`: every experiment of the paper, in one report.

use super::cases::Data;
use super::outcome::{Claim, Outcome, QUICK, Verdict, add, stopped, table};
use super::place::{Place, Where};
use super::{convergence, figure_denoising, figure_image, figure_ising, figure_ndl, table_denoising};
use crate::args::Common;
use crate::output;
use anyhow::Result;
use ergodict_report::{Report, Table};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Every experiment of the paper, in one report: DIR/report.html
///
/// DIR/claims.md has what the paper prints beside what came out. What was done is recorded in DIR/records.jsonl, so that a second call, or
/// one after an interruption, does only what is missing.
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  ergodict paper all --data networks -o paper\n  ergodict paper all --quick -o paper"
)]
pub(crate) struct Args {
    #[command(flatten)]
    data: Data,
    #[command(flatten)]
    picture: figure_image::Picture,
    #[command(flatten)]
    at: Where,
    #[command(flatten)]
    which: table_denoising::Which,
}

const LEAD: &str = "
    The experiments of Lyu, Needell and Balzano, Online matrix factorization for Markovian data and applications to Network Dictionary
    Learning, run again by this program at their settings. The table says of each claim what is printed and what came out here; the sections
    that follow show how.";

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    args.which.check()?;
    let networks = args.data.networks(&args.at)?;
    let picture = args.picture.ground(&args.at, common)?;
    let mut place = Place::open(&args.at, common)?;
    let mut outcomes: Vec<(&str, Box<dyn Outcome>)> = Vec::new();
    // One after the other, the short ones first.
    macro_rules! experiment {
        ($verb:expr, $measured:expr) => {
            place.talk(&format!("{} ({} of 6):", $verb, outcomes.len() + 1));
            match $measured? {
                Some(outcome) => outcomes.push(($verb, Box::new(outcome))),
                None => return Ok(stopped(&place)),
            }
        };
    }
    experiment!(figure_image::VERB, figure_image::measure(picture, &mut place));
    experiment!(figure_ising::VERB, figure_ising::measure(&mut place));
    experiment!(figure_ndl::VERB, figure_ndl::measure(&networks, &mut place));
    experiment!(figure_denoising::VERB, figure_denoising::measure(&networks, &mut place));
    experiment!(table_denoising::VERB, table_denoising::measure(&networks, &args.which, &mut place));
    experiment!(convergence::VERB, convergence::measure(&mut place));
    write(&outcomes, &place)
}

/// The report of all, and the summary where it is asked for.
fn write(outcomes: &[(&str, Box<dyn Outcome>)], place: &Place<'_>) -> Result<ExitCode> {
    let claims: Vec<Claim> = outcomes.iter().flat_map(|(_, outcome)| outcome.claims()).collect();
    // The curves are of measurements that the table has too.
    let own = outcomes.iter().filter(|(verb, _)| *verb != figure_denoising::VERB);
    let seconds: f64 = own.map(|(_, outcome)| outcome.cpu_seconds()).sum();
    let mut report = Report::new("The paper, run again").lead(format!(
        "{}{}",
        LEAD.trim(),
        if place.quick { QUICK } else { "" }
    ));
    if !claims.is_empty() {
        report = report
            .section("Beside the paper", summary(&claims))
            .table(Table { title: "All claims".into(), ..table(&claims) });
    }
    for (_, outcome) in outcomes {
        report = add(&**outcome, report)?;
    }
    let mut facts = vec![
        ("command".to_owned(), format!("ergodict paper all{}", if place.quick { " --quick" } else { "" })),
        ("seed".to_owned(), place.common.seed.to_string()),
        ("version".to_owned(), format!("ergodict {}", env!("CARGO_PKG_VERSION"))),
    ];
    facts.extend(outcomes.iter().map(|(verb, outcome)| {
        (format!("processor time of {verb}"), format!("{:.1} s", outcome.cpu_seconds()))
    }));
    if crate::interrupt::asked() {
        return Ok(stopped(place));
    }
    let page = place.write("report.html", &report.facts(&facts))?;
    let text = place.folder.join("claims.md");
    output::write(&text, &as_markdown(&claims))?;
    place.talk(&format!("{}\nwrote {}", summary(&claims), page.display()));
    if place.common.json {
        let own = outcomes.iter().map(|(verb, outcome)| ((*verb).to_owned(), outcome.json()));
        let all = json!({
            "schema": "ergodict.paper-all/1",
            "version": env!("CARGO_PKG_VERSION"),
            "seed": place.common.seed,
            "quick": place.quick,
            "report": page,
            "claims_table": text,
            "records": place.records(),
            "cpu_seconds": seconds,
            "claims": claims,
            "experiments": own.collect::<serde_json::Map<String, Value>>(),
            "config": crate::resolved::config(),
        });
        output::print(&format!("{all:#}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The table of claims as Markdown.
fn as_markdown(claims: &[Claim]) -> String {
    let table = table(claims);
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = format!(
        "{}\n\n{}{}",
        summary(claims),
        line(&table.head),
        line(&vec!["---".into(); table.head.len()])
    );
    table.rows.iter().for_each(|row| text += &line(row));
    text
}

/// How many claims agree.
fn summary(claims: &[Claim]) -> String {
    if claims.is_empty() {
        return "Nothing here can be compared with what is printed: the data are others.".into();
    }
    let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    format!(
        "Of {} claims {} agree, {} differ, and {} cannot be compared.",
        claims.len(),
        count(Verdict::Agrees),
        count(Verdict::Differs),
        count(Verdict::NotComparable)
    )
}
