//! A run as a file records it: a model, or the JSON summary that a command printed.

use anyhow::{Context, Result, bail};
use ergodict::data::read_whole;
use ergodict::model::{Input, Model, Provenance};
use ergodict_report::{Report, Table};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Most rows of a list in a summary that are shown.
const MOST_ROWS: usize = 100;

/// A run.
pub(super) struct Run {
    pub(super) file: PathBuf,
    /// What it is called on the page.
    pub(super) name: String,
    /// The command that was run, without `ergodict`.
    pub(super) command: String,
    /// What it learned, if it is a model.
    pub(super) model: Option<Model>,
    /// Every flag that had a say, the seed among them.
    pub(super) config: Map<String, Value>,
    /// Its numbers.
    pub(super) results: Vec<(String, Value)>,
    /// The summary, if it is one.
    pub(super) summary: Value,
    /// Keys of it that have a meaning here.
    pub(super) known: KnownKeys,
}

/// Keys that summaries share.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct KnownKeys {
    schema: String,
    version: Option<String>,
    config: Map<String, Value>,
    inputs: Vec<Input>,
    /// Of `ergodict evaluate`.
    pub(super) groups: Vec<Group>,
}

/// Tables of scores against one kind of false pairs.
#[derive(Deserialize)]
pub(super) struct Group {
    pub(super) negatives: String,
    pub(super) results: Vec<Curve>,
}

#[derive(Deserialize)]
pub(super) struct Curve {
    pub(super) scores: String,
    pub(super) auc: f64,
    pub(super) auc_interval: Option<(f64, f64)>,
    pub(super) roc: Vec<(f64, f64)>,
}

impl Run {
    /// Reads a model or a summary, distinguished by its content.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let bytes = read_whole(path)?;
        let at = path.display();
        let text = std::str::from_utf8(&bytes).ok().map(str::trim_start);
        match text {
            Some(text) if text.starts_with('{') => {
                let summary: Value = serde_json::from_str(text).with_context(|| at.to_string())?;
                Self::of_summary(path, summary)
            }
            Some("") => bail!("{at}: is empty: expected a model or the JSON summary of a run"),
            Some(text) if text.starts_with("<!DOCTYPE") || text.starts_with("<html") => {
                bail!("{at}: is an HTML report; expected the model or the JSON summary it was made from")
            }
            Some(_) => bail!(
                "{at}: is neither a model nor JSON: expected a model or what a command prints with --json"
            ),
            None if crate::output::is_standard(path) => {
                // Models are read by their files.
                let mut file = tempfile::NamedTempFile::new()?;
                std::io::Write::write_all(&mut file, &bytes)?;
                Ok(Self::of_model(path, Model::load(file.path()).context("standard input")?))
            }
            None => Ok(Self::of_model(path, Model::load(path)?)),
        }
    }

    fn of_model(path: &Path, model: Model) -> Self {
        let Provenance { command, config, results: reached, .. } = model.provenance.clone();
        let command = if command.is_empty() { model.kind.clone() } else { command };
        let mut config = config;
        config.entry("seed").or_insert_with(|| model.seed.into());
        let last = model.history.points.last();
        let mut results = vec![
            ("atoms".to_owned(), model.w.cols().into()),
            ("features".to_owned(), model.w.rows().into()),
            ("samples".to_owned(), model.aggregates.samples.into()),
            ("steps".to_owned(), model.aggregates.t.into()),
            ("last loss per sample".to_owned(), last.map_or(Value::Null, |point| point.loss.into())),
        ];
        if let Ok(Value::Object(of)) = serde_json::to_value(reached) {
            let numbers = of.iter().filter(|(key, value)| value.is_number() && *key != "loss_per_sample");
            results.extend(numbers.map(|(key, value)| (words(key), value.clone())));
        }
        let name = stem(path);
        Self {
            file: path.into(),
            name,
            command,
            config,
            results,
            model: Some(model),
            summary: Value::Null,
            known: KnownKeys::default(),
        }
    }

    fn of_summary(path: &Path, summary: Value) -> Result<Self> {
        let known = KnownKeys::deserialize(&summary).with_context(|| path.display().to_string())?;
        let schema = known.schema.strip_prefix("ergodict.");
        let Some(schema) = schema.and_then(|name| name.split('/').next()) else {
            bail!(
                "{}: has no `schema` of ergodict: expected what a command prints with --json",
                path.display()
            );
        };
        let command = ["network", "spins", "image", "model", "paper"]
            .iter()
            .find_map(|noun| Some(format!("{noun} {}", schema.strip_prefix(noun)?.strip_prefix('-')?)))
            .unwrap_or_else(|| schema.to_owned());
        let config = known.config.clone();
        let numbers = summary.as_object().into_iter().flatten().filter(|(_, value)| value.is_number());
        let results = numbers.map(|(key, value)| (words(key), value.clone())).collect();
        Ok(Self {
            file: path.into(),
            name: stem(path),
            command,
            model: None,
            config,
            results,
            summary,
            known,
        })
    }

    /// Files it was made from, with their digests.
    pub(super) fn inputs(&self) -> Vec<(String, String)> {
        let inputs = self.model.as_ref().map_or(&self.known.inputs, |model| &model.inputs);
        inputs.iter().map(|input| (input.name.clone(), input.digest.clone())).collect()
    }

    /// The version that made it, where it is known.
    pub(super) fn version(&self) -> Option<&str> {
        self.model.as_ref().map(|model| &*model.version).or(self.known.version.as_deref())
    }
}

/// Names that are the same are distinguished by their folders, or by numbers.
pub(super) fn named_apart(mut runs: Vec<Run>) -> Vec<Run> {
    let same =
        |runs: &[Run], i: usize| runs.iter().enumerate().any(|(j, run)| j != i && run.name == runs[i].name);
    let clash: Vec<usize> = (0..runs.len()).filter(|&i| same(&runs, i)).collect();
    for &i in &clash {
        runs[i].name = runs[i].file.display().to_string();
    }
    let clash: Vec<usize> = (0..runs.len()).filter(|&i| same(&runs, i)).collect();
    for (n, &i) in clash.iter().enumerate() {
        runs[i].name = format!("{} ({})", runs[i].name, n + 1);
    }
    runs
}

/// The page of a summary: its numbers, its lists as tables, and what was run.
pub(super) fn page(run: &Run) -> Report {
    let lead = format!("What ergodict {} came to, from the summary it printed.", run.command);
    let mut report = Report::new(format!("{}: {}", run.name, run.command)).lead(lead);
    let simple = |value: &&Value| !value.is_array() && !value.is_object() && !value.is_null();
    let top = run.summary.as_object().into_iter().flatten();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (key, value) in top.clone().filter(|(key, _)| !["schema", "config"].contains(&key.as_str())) {
        if simple(&value) {
            rows.push(vec![words(key), plain(value)]);
        }
        let within = value.as_object().into_iter().flatten().filter(|(_, value)| simple(value));
        rows.extend(
            within.map(|(inner, value)| vec![format!("{}: {}", words(key), words(inner)), plain(value)]),
        );
    }
    let head = vec!["what".to_owned(), "value".to_owned()];
    report = report.table(Table { title: "Results".into(), head, rows, words: String::new() });
    report = super::curves::roc(std::slice::from_ref(run)).into_iter().fold(report, Report::figure);
    for (key, value) in top {
        if let Some(table) = as_table(&words(key), value) {
            report = report.table(table);
        }
    }
    let mut facts: Vec<(String, String)> = vec![("command".into(), format!("ergodict {}", run.command))];
    facts.extend(
        run.config.iter().filter(|(_, v)| !v.is_null()).map(|(key, value)| (key.clone(), plain(value))),
    );
    facts.extend(run.inputs().into_iter().map(|(name, digest)| ("input".into(), format!("{name} {digest}"))));
    facts.extend(run.version().map(|version| ("version".into(), format!("ergodict {version}"))));
    report.facts(&facts)
}

/// A list of objects as a table of their simple values.
fn as_table(title: &str, value: &Value) -> Option<Table> {
    let items: Vec<&Map<String, Value>> =
        value.as_array()?.iter().map(Value::as_object).collect::<Option<_>>()?;
    let simple = |key: &&String| {
        items.iter().all(|item| !item.get(*key).is_some_and(|v| v.is_array() || v.is_object()))
    };
    let keys: Vec<&String> = items.first()?.keys().filter(simple).collect();
    let row = |item: &&Map<String, Value>| {
        keys.iter().map(|key| item.get(*key).map_or(String::new(), plain)).collect::<Vec<_>>()
    };
    let more = items.len().saturating_sub(MOST_ROWS);
    Some(Table {
        title: capital(title),
        head: keys.iter().map(|key| words(key)).collect(),
        rows: items.iter().take(MOST_ROWS).map(row).collect(),
        words: if more > 0 { format!("{more} more are in the file.") } else { String::new() },
    })
    .filter(|table| !table.head.is_empty())
}

/// The name of a file without its folders and extension.
fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| path.display().to_string(), |stem| stem.display().to_string())
}

/// `loss_per_sample` as people write it.
fn words(key: &str) -> String {
    key.replace('_', " ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A value as text: strings without quotes, numbers in six digits.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(x) if x != 0.0 && !(1e-4..1e7).contains(&x.abs()) => format!("{x:.4e}"),
            Some(x) => short(x),
            None => number.to_string(),
        },
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Six significant digits, without zeros at the end.
fn short(x: f64) -> String {
    let size = if x == 0.0 { 0.0 } else { x.abs().log10().floor() };
    let text = format!("{x:.*}", (5.0 - size).max(0.0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_short() {
        let written = [
            json!(0.1),
            json!(0.123_456_789),
            json!(1234.5),
            json!(0.000_456_789_1),
            json!(1e-9),
            json!(0.0),
            json!(7),
            json!(2e9),
        ]
        .map(|value| plain(&value));
        assert_eq!(written, ["0.1", "0.123457", "1234.5", "0.000456789", "1.0000e-9", "0", "7", "2.0000e9"]);
    }

    #[test]
    fn summaries_name_their_command() {
        let command = |schema: &str| {
            let summary = json!({ "schema": schema, "auc": 0.5 });
            Run::of_summary(Path::new("a/run.json"), summary).map(|run| (run.name, run.command))
        };
        for (schema, expected) in [
            ("ergodict.network-reconstruct/1", "network reconstruct"),
            ("ergodict.factor/1", "factor"),
            ("ergodict.paper-figure-ndl/1", "paper figure-ndl"),
        ] {
            assert_eq!(command(schema).unwrap(), ("run".to_owned(), expected.to_owned()));
        }
        assert!(command("other/1").is_err());
    }

    #[test]
    fn lists_of_objects_become_tables() {
        let table = as_table("groups", &json!([{ "a": 1, "b": [2] }, { "a": null, "b": [] }])).unwrap();
        assert_eq!(
            (table.head, table.rows),
            (vec!["a".to_owned()], vec![vec!["1".to_owned()], vec!["–".to_owned()]])
        );
        assert!(as_table("x", &json!([1, 2])).is_none() && as_table("x", &json!([])).is_none());
    }
}
