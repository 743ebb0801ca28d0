//! The result of a command: an object for `--json`, lines and text for people.

use crate::args::Common;
use crate::progress::say;
use crate::text::table;
use crate::{output, resolved, verbose};
use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

/// A summary. Its fields are the keys of the object; `docs/json.md` is generated from their doc comments, by the test `json`.
pub(crate) trait Summary: Serialize {
    /// Names the set of keys: `ergodict.VERB/1`.
    const SCHEMA: &'static str;

    /// The finding in a sentence, before the lines.
    fn finding(&self) -> Option<String> {
        None
    }

    /// Findings, notes on data, warnings and files for standard error, unless `--quiet`: pairs of a name and a text, in this order.
    fn lines(&self) -> Vec<(&str, String)> {
        Vec::new()
    }

    /// The same of the optimizer, the sampler and times, with `--verbose`; printed after the lines.
    fn details(&self) -> Vec<(&str, String)> {
        Vec::new()
    }

    /// What standard output has without `--json`.
    fn text(&self) -> String {
        String::new()
    }

    /// Every flag that decides the result.
    fn config(&self) -> Value {
        resolved::config()
    }
}

/// An object as it is printed.
#[derive(Serialize)]
struct Object<'a, S> {
    schema: &'static str,
    config: Value,
    #[serde(flatten)]
    summary: &'a S,
}

/// Prints a summary: the only place that knows of `--json` and `--quiet`.
pub(crate) fn emit<S: Summary>(summary: &S, common: &Common) -> Result<()> {
    let mut lines = if common.quiet { Vec::new() } else { summary.lines() };
    if verbose::on() {
        lines.extend(summary.details());
    }
    if let Some(finding) = summary.finding().filter(|_| !common.quiet) {
        say(&finding);
    }
    if !lines.is_empty() {
        say(&table(&lines));
    }
    if common.json {
        let object = Object { schema: S::SCHEMA, config: summary.config(), summary };
        // By way of a value, which sorts keys and turns numbers that are not finite into null.
        output::print(&format!("{:#}\n", serde_json::to_value(object)?))
    } else {
        output::print(&summary.text())
    }
}
