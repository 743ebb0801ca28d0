//! `ergodict-paper all`: every experiment of the paper, in one report.

use super::cases::Data;
use super::outcome::{Claim, Outcome, Verdict, add, as_markdown, finish, stopped, table};
use super::place::{Place, Where};
use super::{convergence, figure_denoising, figure_image, figure_ising, figure_ndl, table_denoising};
use anyhow::Result;
use ergodict_report::{Report, Table};
use ergodict_terminal::{Common, output};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Every experiment of the paper, in one report: DIR/report.html
///
/// DIR/claims.md compares the paper with the results. What was done is recorded in DIR/records.jsonl, so that a second call, or
/// one after an interruption, does only what is missing.
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  ergodict-paper all --data networks -o paper\n  ergodict-paper all --quick -o paper"
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
    Learning, run again by this program at their settings. The table compares each printed claim with the result; the sections
    that follow have the details.";

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    args.which.check()?;
    let networks = args.data.networks(&args.at)?;
    let picture = args.picture.ground(&args.at, common)?;
    let mut place = Place::open(&args.at, common)?;
    let mut outcomes: Vec<Box<dyn Outcome>> = Vec::new();
    macro_rules! experiment {
        ($verb:expr, $measured:expr) => {
            place.talk(&format!("{} ({} of 6):", $verb, outcomes.len() + 1));
            match $measured? {
                Some(outcome) => outcomes.push(Box::new(outcome)),
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
fn write(outcomes: &[Box<dyn Outcome>], place: &Place<'_>) -> Result<ExitCode> {
    let claims: Vec<Claim> = outcomes.iter().flat_map(|outcome| outcome.claims()).collect();
    let counts = summary(&claims);
    let beside = table(&claims);
    let text = place.folder.join("claims.md");
    output::write(&text, &format!("{counts}\n\n{}", as_markdown(&beside.head, &beside.rows)))?;
    let mut report = Report::new("The paper, run again").lead(LEAD.trim().to_owned() + place.quick_words());
    if !claims.is_empty() {
        report = report
            .section("Compared with the paper", &counts)
            .table(Table { title: "All claims".into(), ..beside });
    }
    for outcome in outcomes {
        report = add(&**outcome, report)?;
    }
    let times = outcomes.iter().map(|outcome| {
        (format!("processor time of {}", outcome.verb()), format!("{:.1} s", outcome.cpu_seconds()))
    });
    // The curves are of measurements that the table has too.
    let own = outcomes.iter().filter(|outcome| outcome.verb() != figure_denoising::VERB);
    let seconds = own.map(|outcome| outcome.cpu_seconds()).sum();
    let each = outcomes.iter().map(|outcome| (outcome.verb().to_owned(), outcome.json()));
    let own =
        json!({ "claims_table": text, "experiments": each.collect::<serde_json::Map<String, Value>>() });
    place.talk(&counts);
    finish("all", ("report.html", report, times.collect()), &claims, (seconds, own), place)
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
