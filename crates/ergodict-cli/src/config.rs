//! `--config`: a file of flags, put before the flags of the command line so that those override it.
//!
//! The file is TOML whose keys are the long names of flags, or a model file, or the JSON object that a model keeps of
//! its run: what a run was resolved to gives the same run again.

use crate::args::Cli;
use anyhow::{Context, Result, anyhow, bail};
use clap::{Arg, ArgAction, Command, CommandFactory};
use ergodict::dictionary::Model;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The arguments with those of the configuration file among them.
pub(crate) fn expand(mut arguments: Vec<OsString>) -> Result<Vec<OsString>> {
    let Some(path) = named(&arguments) else { return Ok(arguments) };
    let cli = Cli::command();
    let Some((verb, name, at)) = verb(&cli, &arguments) else { return Ok(arguments) };
    let table = read(&path, &name)?;
    let (mut shared, mut own) = (Vec::new(), Vec::new());
    for (key, value) in &table {
        let is_key = |a: &&Arg| a.get_long() == Some(key) && key != "config";
        let (flag, into) = match (cli.get_arguments().find(is_key), verb.get_arguments().find(is_key)) {
            (Some(flag), _) => (flag, &mut shared),
            (_, Some(flag)) => (flag, &mut own),
            _ => bail!("{}: {}", path.display(), unknown(key, &cli, verb, &name)),
        };
        // A flag that may be given several times is overridden by any on the command line, not added to them.
        let given = || arguments.iter().filter_map(|a| a.to_str()).any(|a| is_flag(a, key));
        if matches!(flag.get_action(), ArgAction::Append) && given() {
            continue;
        }
        let flags = flags(key, value, flag).with_context(|| path.display().to_string())?;
        into.extend(flags.into_iter().map(OsString::from));
    }
    arguments.splice(at..at, own);
    arguments.splice(1..1, shared);
    Ok(arguments)
}

/// The last file given by `--config`.
fn named(arguments: &[OsString]) -> Option<PathBuf> {
    let mut path = None;
    let flags = arguments.iter().take_while(|a| *a != "--");
    for (i, argument) in flags.enumerate() {
        if argument == "--config" {
            path = arguments.get(i + 1).map(PathBuf::from);
        } else if let Some(value) = argument.to_str().and_then(|a| a.strip_prefix("--config=")) {
            path = Some(value.into());
        }
    }
    path
}

/// Whether an argument is the long flag `key`, with or without its value.
fn is_flag(argument: &str, key: &str) -> bool {
    let flag = argument.strip_prefix("--").and_then(|flag| flag.strip_prefix(key));
    flag.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// The innermost verb that is named, its name with those of the nouns before it, and where its flags begin.
fn verb<'a>(cli: &'a Command, arguments: &[OsString]) -> Option<(&'a Command, String, usize)> {
    let mut found: Option<(&Command, String, usize)> = None;
    let mut words = arguments.iter().enumerate().skip(1);
    while let Some((i, word)) = words.next() {
        let within = found.as_ref().map_or(cli, |(verb, ..)| verb);
        match word.to_str() {
            Some("--") => break,
            Some(flag) if takes_next(flag, cli, within) => {
                words.next();
            }
            Some(name) => {
                if let Some(inner) = within.find_subcommand(name) {
                    let outer = found.map_or_else(String::new, |(_, outer, _)| outer + " ");
                    found = Some((inner, outer + inner.get_name(), i + 1));
                }
            }
            None => {}
        }
    }
    found
}

/// Whether a word is a flag whose value is the next word.
fn takes_next(word: &str, cli: &Command, verb: &Command) -> bool {
    let find = |is: &dyn Fn(&Arg) -> bool| {
        cli.get_arguments().chain(verb.get_arguments()).find(|arg| is(arg)).is_some_and(|arg| {
            matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) && !arg.is_require_equals_set()
        })
    };
    if let Some(long) = word.strip_prefix("--") {
        return find(&|arg| arg.get_long() == Some(long));
    }
    let Some(letters) = word.strip_prefix('-') else { return false };
    // Of letters put together, the first that takes a value takes the rest, or the next word where there is none.
    let valued = letters.char_indices().find(|&(_, c)| find(&|arg| arg.get_short() == Some(c)));
    valued.is_some_and(|(at, c)| at + c.len_utf8() == letters.len())
}

/// The table of the file, whichever form it has.
fn read(path: &Path, verb: &str) -> Result<Map<String, Value>> {
    let bytes = std::fs::read(path).map_err(ergodict::Error::io(path))?;
    // A safetensors file is the length of its header, in eight bytes, and the header, which is JSON.
    if bytes.get(8) == Some(&b'{') && bytes.iter().take(8).any(|b| *b == 0) {
        return of_run(path, verb, Model::load(path)?.run);
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| anyhow!("{}: is not text: expected a TOML file of flags or a model", path.display()))?;
    if text.trim_start().starts_with('{') {
        let value = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        return of_run(path, verb, value);
    }
    let table: toml::Table = toml::from_str(&text).map_err(|e| {
        let line = e.span().map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        let line = line.map_or_else(String::new, |line| format!(":{line}"));
        anyhow!("{}{line}: {}", path.display(), e.message())
    })?;
    match serde_json::to_value(table)? {
        Value::Object(table) => Ok(table),
        _ => Ok(Map::new()),
    }
}

/// The flags in what a model keeps of its run, or in a plain object of flags.
fn of_run(path: &Path, verb: &str, run: Value) -> Result<Map<String, Value>> {
    let Value::Object(mut run) = run else {
        bail!("{}: keeps no configuration: expected a model of `ergodict {verb}`", path.display());
    };
    let Some(Value::Object(config)) = run.remove("config") else { return Ok(run) };
    match run.get("command").and_then(Value::as_str) {
        Some(command) if command != verb => {
            bail!(
                "{}: is the configuration of `ergodict {command}`, not of `ergodict {verb}`",
                path.display()
            )
        }
        _ => Ok(config),
    }
}

/// A key and its value as flags.
fn flags(key: &str, value: &Value, flag: &Arg) -> Result<Vec<String>> {
    let bare = matches!(flag.get_action(), ArgAction::SetTrue | ArgAction::Count);
    Ok(match value {
        Value::Bool(on) if bare => on.then(|| format!("--{key}")).into_iter().collect(),
        _ if bare => bail!("`{key}` is {value}: expected true or false"),
        Value::Null => Vec::new(),
        Value::String(text) => vec![format!("--{key}={text}")],
        Value::Bool(_) | Value::Number(_) => vec![format!("--{key}={value}")],
        Value::Array(values) if matches!(flag.get_action(), ArgAction::Append) => {
            let each = values.iter().map(|value| flags(key, value, flag));
            each.collect::<Result<Vec<_>>>()?.concat()
        }
        Value::Array(_) | Value::Object(_) => bail!("`{key}` is {value}: expected one value"),
    })
}

/// What is wrong with a key, and the flag that is nearest to it.
fn unknown(key: &str, cli: &Command, verb: &Command, verb_name: &str) -> String {
    let names = cli.get_arguments().chain(verb.get_arguments()).filter_map(Arg::get_long);
    let names = names.filter(|name| !["config", "help", "version"].contains(name));
    let near = names.map(|name| (strsim::jaro_winkler(key, name), name)).max_by(|a, b| a.0.total_cmp(&b.0));
    let near = near.filter(|near| near.0 > 0.7);
    let near = near.map_or_else(String::new, |(_, name)| format!("; the nearest is `{name}`"));
    format!("`{key}` is no flag of `ergodict {verb_name}`{near} (see --help)")
}
