//! `python/ergodict/_settings.py`: names, defaults, signatures and numpydoc of the settings, from what the command line lists of them.

use super::MARK;
use super::spelling::{CLASSES, Class, SPELLINGS, Spelling};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write;

/// Columns of a line.
const WIDTH: usize = 140;
/// The commands that Python has the settings of.
const COMMANDS: [&str; 4] = ["factor", "network learn", "network reconstruct", "network compare"];
/// The other spelling of `f32`, which Python has one keyword for.
const DOUBLE: &str = "f64";

/// A setting as Python has it.
#[derive(Clone, PartialEq)]
struct Setting {
    key: String,
    name: String,
    annotation: String,
    kind: String,
    default: String,
    help: String,
    choices: Vec<String>,
}

impl Setting {
    fn new(command: &str, listed: &Value) -> Result<Self> {
        let text = |field: &str| listed[field].as_str().unwrap_or_default().to_owned();
        let (key, choices) = (text("key"), listed["choices"].as_array().map_or(&[][..], Vec::as_slice));
        let choices: Vec<String> =
            choices.iter().filter_map(|choice| Some(choice.as_str()?.to_owned())).collect();
        let own = |row: &&Spelling| row.key == key && (row.command == command || row.command.is_empty());
        let row = SPELLINGS.iter().find(own);
        let or = |own: fn(&Spelling) -> &str, other: String| match row.map(own) {
            Some(text) if !text.is_empty() => text.to_owned(),
            _ => other,
        };
        let half = if key == "lambda" { 0.5 } else { 1.0 };
        let (annotation, default) = match &listed["default"] {
            Value::Null => ("Any", "None".to_owned()),
            Value::Bool(on) => ("bool", if *on { "True" } else { "False" }.to_owned()),
            Value::Number(number) if number.is_f64() => {
                ("float", format!("{:?}", half * number.as_f64().unwrap_or_default()))
            }
            Value::Number(number) => ("int", number.to_string()),
            Value::String(word) => ("str", format!("{word:?}")),
            other => bail!("the default of {key} is {other}, which no setting has"),
        };
        let quoted: Vec<String> = choices.iter().map(|choice| format!("{choice:?}")).collect();
        let kind =
            if choices.is_empty() { annotation.to_owned() } else { format!("{{{}}}", quoted.join(", ")) };
        let help = text("help");
        let help = help.split(" [default").next().unwrap_or_default().to_owned();
        Ok(Self {
            name: or(|row| row.name, key.replace('-', "_")),
            annotation: or(|row| row.annotation, annotation.to_owned()),
            kind: or(|row| row.kind, kind),
            default: or(|row| row.default, default),
            help: or(|row| row.help, help),
            key,
            choices,
        })
    }

    /// A parameter that only Python has.
    fn own(row: &Spelling) -> Self {
        let text = |text: &str| text.to_owned();
        Self {
            key: String::new(),
            name: text(row.name),
            annotation: text(row.annotation),
            kind: text(row.kind),
            default: text(row.default),
            help: text(row.help),
            choices: Vec::new(),
        }
    }

    /// As an entry of a table.
    fn entry(&self) -> String {
        let choices: Vec<String> = self.choices.iter().map(|choice| format!("{choice:?}")).collect();
        let choices = if choices.is_empty() { String::new() } else { format!(", ({})", choices.join(", ")) };
        format!("{:?}: Setting({:?}, {}{choices})", self.name, self.key, self.default)
    }
}

/// The settings of a command, in its order.
fn settings(listing: &Value, command: &str) -> Result<Vec<Setting>> {
    let commands = listing["commands"].as_array().context("no commands are listed")?;
    let found = commands.iter().find(|one| one["command"] == command);
    let found = found.and_then(|one| one["settings"].as_array()).with_context(|| format!("no {command}"))?;
    found.iter().filter(|one| one["key"] != DOUBLE).map(|one| Setting::new(command, one)).collect()
}

/// The module.
pub(super) fn module(listing: &Value) -> Result<String> {
    let mut text = format!(
        "\"\"\"Settings of the library by command and keyword, and the parameters of estimators. {MARK}\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from collections.abc import Callable\n\
         from typing import Any, NamedTuple, Optional, Union\n\n\
         from numpy.typing import ArrayLike\n\n\
         from ._learned import Schedule\n\
         from ._random import RandomState\n\
         from .sets import DictionarySet\n\n\n\
         class Setting(NamedTuple):\n    \
         \"\"\"A setting: its key in files, its default, and the words it may be.\"\"\"\n\n    \
         key: str\n    default: Any\n    choices: tuple[str, ...] = ()\n\n\n"
    );
    let all = COMMANDS.map(|command| settings(listing, command)).into_iter().collect::<Result<Vec<_>>>()?;
    let [factor, learn, rebuild, _] = &all[..] else { bail!("there are not as many commands") };
    let scheme = listing["scheme"].as_array().context("no scheme is listed")?;
    let scheme: Vec<&Setting> =
        factor.iter().filter(|setting| scheme.contains(&Value::from(setting.key.as_str()))).collect();
    table(&mut text, "SCHEME", "Settings of every run that learns.", &scheme);
    let shared: Vec<&Setting> = learn
        .iter()
        .filter(|one| rebuild.iter().any(|other| one.entry() == other.entry() && one.key != "seed"))
        .collect();
    table(&mut text, "SAMPLING", "Settings of every run that reads networks and samples motifs.", &shared);
    text.push_str("#: The settings of each command.\nSETTINGS: dict[str, dict[str, Setting]] = {\n");
    for (command, settings) in COMMANDS.iter().zip(&all) {
        let has = |group: &[&Setting]| group.iter().all(|one| settings.iter().any(|own| own.key == one.key));
        let mut entries = Vec::new();
        let mut known: Vec<&Setting> = Vec::new();
        for (name, group) in [("SCHEME", &scheme), ("SAMPLING", &shared)] {
            if has(group) {
                entries.push(format!("**{name}"));
                known.extend(group);
            }
        }
        let rest = settings.iter().filter(|one| !known.iter().any(|known| known.entry() == one.entry()));
        entries.extend(rest.map(Setting::entry));
        let _ = writeln!(text, "    {command:?}: {{\n{}    }},", wrapped(&entries, 8));
    }
    text.push_str("}\n");
    for class in &CLASSES {
        write_class(&mut text, class, &settings(listing, class.command)?)?;
    }
    Ok(text)
}

/// A table of settings by their keywords.
fn table(text: &mut String, name: &str, about: &str, settings: &[&Setting]) {
    let entries: Vec<String> = settings.iter().map(|setting| setting.entry()).collect();
    let _ = write!(text, "#: {about}\n{name}: dict[str, Setting] = {{\n{}}}\n", wrapped(&entries, 4));
}

/// A class whose constructor takes parameters and keeps them.
fn write_class(text: &mut String, class: &Class, settings: &[Setting]) -> Result<()> {
    let find = |key: &&str| settings.iter().find(|setting| setting.key == *key);
    let first = class.first.iter().map(|key| find(key).with_context(|| format!("there is no {key}")));
    let mut parameters = first.collect::<Result<Vec<_>>>()?;
    let listed = |setting: &&Setting| {
        let key = setting.key.as_str();
        !class.first.contains(&key) && !class.without.contains(&key)
    };
    parameters.extend(settings.iter().filter(listed));
    let own: Vec<Setting> = class.own.iter().map(Setting::own).collect();
    parameters.extend(&own);
    let _ = write!(
        text,
        "\n\nclass {}:\n    \"\"\"Parameters of ``ergodict {}``.\n\n    Parameters\n    ----------\n",
        class.name, class.command
    );
    for Setting { name, kind, default, help, .. } in &parameters {
        let _ = writeln!(text, "    {name} : {kind}, default={default}");
        let words: Vec<String> = sentence(help).split(' ').map(str::to_owned).collect();
        text.push_str(&filled(&words, 8));
    }
    text.push_str("    \"\"\"\n\n    def __init__(\n        self,\n");
    let argument = |one: &&Setting| format!("{}: {} = {}", one.name, one.annotation, one.default);
    let arguments: Vec<String> = parameters.iter().map(argument).collect();
    let (front, rest) = arguments.split_at(1);
    text.push_str(&wrapped(&[front, &["*".to_owned()], rest].concat(), 8));
    text.push_str("    ) -> None:\n");
    for Setting { name, .. } in &parameters {
        let _ = writeln!(text, "        self.{name} = {name}");
    }
    Ok(())
}

/// Help of the command line, which has no full stop, as a sentence.
fn sentence(help: &str) -> String {
    if help.ends_with('.') { help.to_owned() } else { format!("{help}.") }
}

/// Elements of a list in lines, each followed by a comma.
fn wrapped(elements: &[String], indent: usize) -> String {
    let elements: Vec<String> = elements.iter().map(|element| format!("{element},")).collect();
    filled(&elements, indent)
}

/// Words in lines that are as long as they may be.
fn filled(words: &[String], indent: usize) -> String {
    let (mut text, mut line) = (String::new(), String::new());
    for word in words {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(text, "{}{line}", " ".repeat(indent));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        let _ = writeln!(text, "{}{line}", " ".repeat(indent));
    }
    text
}
