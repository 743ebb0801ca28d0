//! What a configuration is read from: TOML, a model, the JSON of a run, or the note in another output.

use crate::resolved;
use anyhow::{Context, Result, anyhow, bail};
use ergodict::data::{open_note, read_note, read_whole};
use ergodict::factor::FactorSettings;
use ergodict::model::{Model, Provenance};
use ergodict_pages::shell::typed;
use serde_json::{Map, Value};
use std::path::Path;

/// The table of the file, whichever form it has.
pub(crate) fn table(path: &Path, verb: &str) -> Result<Map<String, Value>> {
    let bytes = read_whole(path).context("--config")?;
    // A safetensors file is the length of its header, in eight bytes, and the header, which is JSON.
    if bytes.get(8) == Some(&b'{') && bytes.iter().take(8).any(|b| *b == 0) {
        let kept = Model::load(path)?.provenance;
        let run = if kept == Provenance::default() { Value::Null } else { serde_json::to_value(kept)? };
        return of_run(path, verb, run);
    }
    if bytes.trim_ascii_start().starts_with(b"{") {
        let run = serde_json::from_slice(&bytes).with_context(|| path.display().to_string())?;
        return of_run(path, verb, run);
    }
    let of_svg = || resolved::note_of_svg(&bytes).map(|note| open_note(path, note)).transpose();
    if let Some(note) = read_note(path)?.map_or_else(of_svg, |note| Ok(Some(note)))? {
        let run = serde_json::from_str(&note).with_context(|| format!("{}: its note", path.display()))?;
        return of_run(path, verb, run);
    }
    let nothing = || {
        anyhow!(
            "{}: says nothing of how it was made: expected a TOML file of flags, a model, what --json printed, or an output \
             that keeps its flags (docs/formats.md has which do)",
            path.display()
        )
    };
    let Some(text) = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')) else {
        return Err(nothing());
    };
    // Pages and tables are no slips in a TOML file.
    let is_toml = path.extension().is_none_or(|e| e.eq_ignore_ascii_case("toml"));
    let table: toml::Table = toml::from_str(&text).map_err(|e| {
        if !is_toml {
            return nothing();
        }
        let line = e.span().map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        let line = line.map_or_else(String::new, |line| format!(":{line}"));
        anyhow!("{}{line}: {}", path.display(), e.message())
    })?;
    match serde_json::to_value(table)? {
        Value::Object(table) => Ok(table),
        _ => Ok(Map::new()),
    }
}

/// The flags in what an output keeps of its run, or in a plain object of flags.
fn of_run(path: &Path, verb: &str, run: Value) -> Result<Map<String, Value>> {
    let at = path.display();
    let Value::Object(mut run) = run else {
        bail!("{at}: keeps no configuration: expected a model of `{}`", typed(verb));
    };
    let Some(config) = run.remove("config") else {
        if run.contains_key("command") || run.contains_key("schema") {
            bail!("{at}: keeps no configuration, as it was made by an older version");
        }
        return Ok(run);
    };
    let Value::Object(mut config) = config else { bail!("{at}: has a `config` that is no table of flags") };
    // Summaries are named by what printed them: `ergodict.network-learn/1`.
    let schema = run.get("schema").and_then(Value::as_str).and_then(|name| name.strip_prefix("ergodict."));
    let schema = schema.map(|name| name.split('/').next().unwrap_or(name).to_owned());
    let command = run.get("command").and_then(Value::as_str);
    let own = verb.replace(' ', "-");
    let other = match (command, &schema) {
        (Some(command), _) if command != verb => Some(command.to_owned()),
        // Some verbs have several summaries, and some summaries are of several verbs.
        (None, Some(schema)) if !own.starts_with(schema) && !schema.starts_with(&own) => {
            Some(schema.replacen('-', " ", 1))
        }
        _ => None,
    };
    if let Some(command) = other {
        bail!("{at}: is the configuration of `{}`, not of `{}`", typed(&command), typed(verb));
    }
    let scheme = serde_json::to_value(FactorSettings::default())?;
    // What is decided by the data by default need not be there.
    let is_there = |(key, value): (&String, &Value)| value.is_null() || config.contains_key(key);
    if scheme.as_object().is_some_and(|scheme| scheme.iter().all(is_there)) {
        // A first dictionary that a program gave as a matrix has no flag: it is missing, not the default.
        config.entry("init").or_insert(Value::Null);
    }
    Ok(config)
}
