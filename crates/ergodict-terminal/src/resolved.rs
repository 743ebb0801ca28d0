//! The flags that a run was resolved to, defaults among them: what outputs keep of how they were made.

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use ergodict::data::{ascii_json, png_with_note, seal_json};
use ergodict_pages::shell::typed;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::any::TypeId;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// Files that are read by flags; all other files that flags name are written, and have no say in a result.
pub(crate) const READ: [&str; 9] =
    ["model", "pairs", "like", "reference", "data", "trajectory", "graph", "weights", "image"];
/// Flags without a say in a result.
const SILENT: [&str; 10] = [
    "threads",
    "quiet",
    "verbose",
    "json",
    "help",
    "version",
    "show-config",
    "resume",
    "checkpoint-every",
    "frames",
];

/// Flags of some commands, and of those below them, that notes leave out: the same bytes come of any memory.
const UNNOTED: [(&str, &str); 2] = [("network convert", "memory"), ("network generate", "memory")];

/// The run of this process.
static RUN: RwLock<Option<Resolved>> = RwLock::new(None);

/// A command and its flags.
#[derive(Clone)]
pub struct Resolved {
    /// Such as `network learn`.
    pub command: String,
    /// The long names of all its flags.
    known: Vec<String>,
    /// Those that have a say in the result, with their values.
    pub config: Map<String, Value>,
}

/// What outputs call a verb: `network learn`; of a program of its own, such as `ergodict-paper`, with its name: `paper all`.
pub(crate) fn qualified(program: &str, verb: &str) -> String {
    let own = program.strip_prefix("ergodict-").map_or_else(String::new, |own| format!("{own} "));
    format!("{own}{verb}")
}

fn run() -> Option<Resolved> {
    RUN.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Keeps what the command line came to.
pub(crate) fn keep(resolved: Resolved) {
    *RUN.write().unwrap_or_else(PoisonError::into_inner) = Some(resolved);
}

/// Adds what else was resolved on the way, such as the sampler that a network asked for.
pub fn settle(further: &Value) {
    let mut run = RUN.write().unwrap_or_else(PoisonError::into_inner);
    if let (Some(run), Value::Object(further)) = (&mut *run, further) {
        let further = further.iter().filter(|(_, value)| !value.is_null());
        run.config.extend(further.map(|(key, value)| (key.clone(), value.clone())));
    }
}

/// Adds settings to a configuration, without those that are left open.
pub fn add(config: &mut Value, settings: &impl Serialize) {
    if let (Value::Object(config), Ok(Value::Object(more))) = (config, serde_json::to_value(settings)) {
        config.extend(more.into_iter().filter(|(_, value)| !value.is_null()));
    }
}

/// Every flag that has a say in the result, with its value: what `--config` takes to give it again.
pub fn config() -> Value {
    run().map_or(Value::Null, |run| Value::Object(run.config))
}

/// Whether the verb has a flag of this long name.
pub(crate) fn has_flag(long: &str) -> bool {
    run().is_some_and(|run| run.known.iter().any(|known| known == long))
}

/// The note that outputs carry: its digest, version, command and flags, as JSON in ASCII.
pub fn note() -> Option<String> {
    run().map(|mut run| {
        for (command, flag) in UNNOTED {
            if run.command.starts_with(command) {
                run.config.remove(flag);
            }
        }
        let version = env!("CARGO_PKG_VERSION");
        let note = json!({ "version": version, "command": run.command, "config": run.config });
        seal_json(&ascii_json(&note.to_string()))
    })
}

/// A picture with the note in it: PNG as text, SVG as metadata, others as they are.
pub fn noted(picture: Vec<u8>) -> Vec<u8> {
    let Some(note) = note() else { return picture };
    let Ok(svg) = str::from_utf8(&picture) else { return png_with_note(picture, &note) };
    let Some(at) = svg.find("<svg").and_then(|from| Some(from + svg[from..].find('>')? + 1)) else {
        return picture;
    };
    let note = note.replace('&', "&amp;").replace('<', "&lt;");
    format!("{}<metadata>{note}</metadata>{}", &svg[..at], &svg[at..]).into_bytes()
}

/// The note in the metadata of an SVG picture, if it has one.
pub(crate) fn note_of_svg(bytes: &[u8]) -> Option<String> {
    let text = str::from_utf8(bytes).ok().filter(|text| text.contains("<svg"))?;
    let note = text.split_once("<metadata>")?.1.split_once("</metadata>")?.0;
    Some(note.replace("&lt;", "<").replace("&amp;", "&"))
}

impl Resolved {
    /// What a command line was parsed to.
    pub fn from_matches(cli: &Command, matches: &ArgMatches) -> Self {
        let (mut verb, mut matches, mut words) = (cli, matches, Vec::new());
        while let Some((name, inner)) = matches.subcommand() {
            let Some(next) = verb.find_subcommand(name) else { break };
            words.push(name);
            (verb, matches) = (next, inner);
        }
        let mut flags: Vec<&Arg> = verb.get_arguments().collect();
        let own: Vec<&str> = flags.iter().filter_map(|arg| arg.get_long()).collect();
        let shared =
            cli.get_arguments().filter(|arg| arg.get_long().is_some_and(|long| !own.contains(&long)));
        flags.extend(shared);
        let given = |arg: &Arg| source(matches, arg) == Some(ValueSource::CommandLine);
        let mut config = Map::new();
        for &arg in &flags {
            let Some(long) = arg.get_long().filter(|long| !SILENT.contains(long)) else { continue };
            if arg.get_value_parser().type_id() == TypeId::of::<PathBuf>() && !READ.contains(&long) {
                continue;
            }
            // A default that something given rules out is not among what was resolved.
            let excludes =
                |a: &Arg, b: &Arg| verb.get_arg_conflicts_with(a).iter().any(|c| c.get_id() == b.get_id());
            let ruled_out = |other: &&&Arg| given(other) && (excludes(arg, other) || excludes(other, arg));
            if !given(arg) && flags.iter().find(ruled_out).is_some() {
                continue;
            }
            if let Some(value) = value(matches, arg) {
                config.insert(long.to_owned(), value);
            }
        }
        let known = flags.iter().filter_map(|arg| arg.get_long().map(str::to_owned)).collect();
        Self { command: qualified(cli.get_name(), &words.join(" ")), known, config }
    }

    /// The flags as a TOML file that `--config` takes.
    pub fn toml(&self) -> anyhow::Result<String> {
        let flags = toml::to_string(&Value::Object(self.config.clone()))?;
        let command = typed(&self.command);
        let words = "--config FILE takes this; flags of the command line override it";
        Ok(format!("# {command}: {words}\n{flags}"))
    }
}

fn source(matches: &ArgMatches, arg: &Arg) -> Option<ValueSource> {
    let id = arg.get_id().as_str();
    matches.try_contains_id(id).ok().filter(|there| *there).and_then(|_| matches.value_source(id))
}

/// The value of a flag, if it has one.
fn value(matches: &ArgMatches, arg: &Arg) -> Option<Value> {
    source(matches, arg)?;
    let id = arg.get_id().as_str();
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        return matches.get_flag(id).then_some(Value::Bool(true));
    }
    let texts: Vec<String> = matches.get_raw(id)?.map(|value| value.to_string_lossy().into_owned()).collect();
    Some(match (&texts[..], arg.get_value_delimiter()) {
        ([], _) => Value::Bool(true),
        ([one], _) => plain(one),
        (several, Some(between)) => json!(several.join(&between.to_string())),
        (several, None) => several.iter().map(|one| plain(one)).collect(),
    })
}

/// A value as a number or a truth where it is written as JSON would write it, else as text.
fn plain(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let written = value.to_string();
    if (value.is_number() || value.is_boolean()) && written == text { value } else { json!(text) }
}

/// A file that a configuration names: where it is not found from here, the one next to the configuration.
pub(crate) fn beside(config: &Path, text: &str) -> Option<String> {
    let named = Path::new(text);
    let there = config.parent()?.join(named);
    (named.is_relative() && !named.exists() && there.exists()).then(|| there.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_carry_a_note() {
        let mut config = Map::new();
        config.insert("a".into(), json!("<&>"));
        keep(Resolved { command: "x".into(), known: Vec::new(), config });
        let svg = String::from_utf8(noted(b"<svg a=\"1\"><g/></svg>".to_vec())).unwrap();
        assert_eq!(note_of_svg(svg.as_bytes()), note());
        assert!(
            svg.starts_with("<svg a=\"1\"><metadata>{") && svg.ends_with("</metadata><g/></svg>"),
            "{svg}"
        );
    }
}
