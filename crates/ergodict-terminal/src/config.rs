//! `--config`: a file of flags, put before the flags of the command line so that those override it.
//!
//! The file is TOML whose keys are the long names of flags, or any output that keeps the flags it was made with: what a run
//! was resolved to gives the same run again.

mod read;

use crate::nearest::nearest;
use crate::resolved;
use anyhow::{Context, Result, bail};
use clap::{Arg, ArgAction, Command};
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;

/// Flags that take a file or something else, and are not of the type of paths therefore.
const PERHAPS_FILES: [&str; 5] = ["motif", "conditional", "init", "start", "field"];

/// Whether a flag has this name, or had it before.
fn is_called(flag: &Arg, name: &str) -> bool {
    flag.get_long() == Some(name) || flag.get_all_aliases().is_some_and(|all| all.contains(&name))
}

/// The arguments with those of the configuration file among them.
pub(crate) fn expand(cli: &Command, mut arguments: Vec<OsString>) -> Result<Vec<OsString>> {
    let Some(path) = named(&arguments) else { return Ok(arguments) };
    let Some((verb, name, at)) = innermost(cli, &arguments) else { return Ok(arguments) };
    let table = read::table(&path, &resolved::qualified(cli.get_name(), &name))?;
    let flag = |key: &str| {
        let is_key = |a: &&Arg| is_called(a, key) && key != "config";
        let shared = cli.get_arguments().find(is_key).map(|flag| (flag, true));
        shared.or_else(|| verb.get_arguments().find(is_key).map(|flag| (flag, false)))
    };
    let given = |key: &str, short: Option<char>| {
        let mut words = arguments.iter().take_while(|a| *a != "--").filter_map(|a| a.to_str());
        words.any(|a| is_flag(a, key) || short.is_some_and(|c| a.starts_with(&format!("-{c}"))))
    };
    let excludes = |a: &Arg, b: &Arg| verb.get_arg_conflicts_with(a).iter().any(|c| c.get_id() == b.get_id());
    let (mut shared, mut own) = (Vec::new(), Vec::new());
    for (key, value) in &table {
        let Some((flag, for_all)) = flag(key) else {
            bail!("{}: {}", path.display(), unknown(key, cli, verb, &name))
        };
        if key == "init" && value.is_null() && !given(key, None) {
            bail!(
                "{}: its first dictionary was a matrix, which the file does not hold: give it with --init FILE",
                path.display()
            );
        }
        // A flag that may be given several times is overridden by any on the command line, not added to them.
        if matches!(flag.get_action(), ArgAction::Append) && given(key, flag.get_short()) {
            continue;
        }
        // So is one that another on the command line rules out.
        let ruled_out = |other: &Arg| {
            let there = other.get_long().is_some_and(|long| given(long, other.get_short()));
            there && other.get_id() != flag.get_id() && (excludes(flag, other) || excludes(other, flag))
        };
        if !for_all && verb.get_arguments().any(ruled_out) {
            continue;
        }
        let value = match value {
            Value::String(text) if resolved::READ.iter().chain(&PERHAPS_FILES).any(|file| file == key) => {
                resolved::beside(&path, text).map_or_else(|| value.clone(), Value::String)
            }
            value => value.clone(),
        };
        let flags = flags(key, &value, flag).with_context(|| path.display().to_string())?;
        let into = if for_all { &mut shared } else { &mut own };
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
pub(crate) fn innermost<'a>(
    cli: &'a Command,
    arguments: &[OsString],
) -> Option<(&'a Command, String, usize)> {
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
    option(word, cli, verb).is_some_and(|(arg, value)| value.is_none() && !arg.is_require_equals_set())
}

/// The option that a word is, with its value where the same word has it.
pub(crate) fn option<'a, 'b>(
    word: &'b str,
    cli: &'a Command,
    verb: &'a Command,
) -> Option<(&'a Arg, Option<&'b str>)> {
    let find = |is: &dyn Fn(&Arg) -> bool| {
        let takes_value = |arg: &&Arg| matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        let named = cli.get_arguments().chain(verb.get_arguments()).filter(|arg| !arg.is_positional());
        named.filter(takes_value).find(|arg| is(arg))
    };
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        return Some((find(&|arg| is_called(arg, name))?, value));
    }
    let letters = word.strip_prefix('-')?;
    // Of letters put together, the first that takes a value takes the rest, or the next word where there is none.
    letters.char_indices().find_map(|(at, c)| {
        let rest = &letters[at + c.len_utf8()..];
        let arg = find(&|arg| arg.get_short() == Some(c))?;
        Some((arg, Some(rest.strip_prefix('=').unwrap_or(rest)).filter(|rest| !rest.is_empty())))
    })
}

/// A key and its value as flags.
fn flags(key: &str, value: &Value, flag: &Arg) -> Result<Vec<String>> {
    let bare = matches!(flag.get_action(), ArgAction::SetTrue | ArgAction::Count);
    Ok(match value {
        Value::Bool(on) if bare => on.then(|| format!("--{key}")).into_iter().collect(),
        _ if bare => bail!("`{key}` is {value}: expected true or false"),
        Value::Null => Vec::new(),
        Value::Bool(true) if flag.get_num_args().is_some_and(|n| n.min_values() == 0) => {
            vec![format!("--{key}")]
        }
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
    let near = nearest(key, names).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    format!("unknown setting `{key}` of `{} {verb_name}`{near} (see --help)", cli.get_name())
}
