//! What clap refuses, as an error of one line: what is wrong, where, what to do.

use crate::nearest::{hint, nearest};
use crate::{BAD_INPUT, config};
use anyhow::{Result, bail};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use std::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;

/// Flags whose value stands behind `=` or not at all.
const JOINED: [&str; 5] = ["--denoise", "--fixed", "--color", "--shuffle", "--missing"];

/// What clap has to say instead of running: help and version as they are, refusals as an error of one line.
pub(crate) fn explain(refusal: &clap::Error, cli: &Command, arguments: &[OsString]) -> Result<ExitCode> {
    if !refusal.use_stderr() || refusal.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        refusal.print()?;
        return Ok(if refusal.use_stderr() { ExitCode::from(BAD_INPUT) } else { ExitCode::SUCCESS });
    }
    let words: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let found = config::innermost(cli, arguments);
    let (verb, name) = found.map_or((cli, cli.get_name().to_owned()), |(verb, name, _)| {
        (verb, format!("{} {name}", cli.get_name()))
    });
    bail!("{}", Refusal { of: refusal, cli, verb, name, words }.line())
}

struct Refusal<'a> {
    of: &'a clap::Error,
    cli: &'a Command,
    /// The innermost verb, and what it is called.
    verb: &'a Command,
    name: String,
    words: Vec<String>,
}

impl Refusal<'_> {
    fn line(&self) -> String {
        let (given, value) = (self.flag(ContextKind::InvalidArg), self.text(ContextKind::InvalidValue));
        match (self.of.kind(), given, value) {
            (ErrorKind::InvalidSubcommand, ..) => {
                let given = self.text(ContextKind::InvalidSubcommand).unwrap_or_default();
                unknown_command(self.cli, self.verb, &self.name, &given)
            }
            (ErrorKind::MissingSubcommand, ..) => format!("`{}` needs a command (see -h)", self.name),
            (ErrorKind::UnknownArgument, Some(given), _) => self.unknown(&given),
            (ErrorKind::MissingRequiredArgument, ..) => {
                let missing: Vec<String> = self.texts(ContextKind::InvalidArg);
                // What may be given several times is named twice.
                let once = |name: &String| {
                    name.split_once("> <").map_or(name.clone(), |(name, _)| format!("{name}>"))
                };
                let missing = missing.iter().map(once).collect::<Vec<_>>().join(" and ");
                format!("`{}` needs {missing} (see --help)", self.name)
            }
            (ErrorKind::ArgumentConflict, Some(one), _) => match self.flag(ContextKind::PriorArg) {
                Some(other) if other == one => format!("{one} is given twice"),
                Some(other) => format!("{one} and {other} cannot be combined"),
                None => format!("{one} cannot be combined with the other flags"),
            },
            (ErrorKind::InvalidValue, Some(flag), Some(value)) if value.is_empty() => {
                format!("{flag} needs a value{}", self.choices())
            }
            (ErrorKind::InvalidValue, Some(flag), Some(value)) => {
                let values = self.texts(ContextKind::ValidValue);
                format!("{flag} is {value}, but it must be {}{}", one_of(&values), hint(&value, &values))
            }
            (ErrorKind::ValueValidation, Some(flag), Some(value)) => {
                format!("{flag} is {value}{}", self.reason(&value))
            }
            (ErrorKind::TooManyValues, Some(flag), Some(value)) => {
                format!("{flag} takes no value, but {value} is given: leave it out")
            }
            (ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues, Some(given), _) => self.few(&given),
            (ErrorKind::NoEquals, Some(flag), _) => format!("a value of {flag} is written {flag}=VALUE"),
            _ => self.plain(),
        }
    }

    /// Fewer values than are needed.
    fn few(&self, given: &str) -> String {
        let number = |kind| match self.of.get(kind) {
            Some(ContextValue::Number(number)) => Some(*number),
            _ => None,
        };
        let exact = number(ContextKind::ExpectedNumValues);
        let bound = if exact.is_some() { "" } else { "at least " };
        let (Some(needed), Some(there)) =
            (exact.or_else(|| number(ContextKind::MinValues)), number(ContextKind::ActualNumValues))
        else {
            return self.plain();
        };
        if given.starts_with('-') {
            return format!("{given} needs {bound}{needed} values, got {there} (see --help)");
        }
        // What may be given several times is named twice.
        let name = given.split_once("> <").map_or_else(|| given.to_owned(), |(name, _)| format!("{name}>"));
        format!("`{}` needs {bound}{needed} {name}, got {there} (see --help)", self.name)
    }

    /// An unknown flag, or an unexpected argument.
    fn unknown(&self, given: &str) -> String {
        let name = &self.name;
        let before = self
            .words
            .iter()
            .position(|word| word == given)
            .and_then(|at| self.words.get(at.checked_sub(1)?));
        if let Some(flag) = before.filter(|flag| JOINED.contains(&&***flag)) {
            return format!(
                "unexpected argument '{given}' for `{name}`; a value of {flag} is written {flag}={given}"
            );
        }
        if !given.starts_with('-') {
            return format!("unexpected argument '{given}' for `{name}` (see --help)");
        }
        let longs = || self.cli.get_arguments().chain(self.verb.get_arguments()).filter_map(Arg::get_long);
        // Of `-steps`, clap reports the first letter alone.
        let word = self.words.iter().find(|word| word.starts_with(given)).map_or(given, |word| word);
        let bare = word.trim_start_matches('-').split('=').next().unwrap_or_default();
        if bare.parse::<f64>().is_ok() {
            return format!("unknown flag '{word}' of `{name}`; a file of that name is written ./{word}");
        }
        let near =
            nearest(bare, longs()).map_or_else(String::new, |long| format!("; did you mean '--{long}'?"));
        let shown = word.split('=').next().unwrap_or(word);
        format!("unknown flag '{shown}' of `{name}`{near} (see --help)")
    }

    /// What is wrong with a value, in our words where they are those of Rust.
    fn reason(&self, value: &str) -> String {
        let said = self.of.source().map(ToString::to_string).unwrap_or_default();
        let negative = value.starts_with('-');
        match said.as_str() {
            "invalid digit found in string" if negative => ", but it must be a nonnegative integer".into(),
            "invalid digit found in string" => ", but it must be an integer".into(),
            "invalid float literal" => ", but it must be a number".into(),
            "cannot parse integer from empty string" | "cannot parse float from empty string" => {
                "empty, but it must be a number".into()
            }
            said if said.starts_with("number too ") => ", which is out of range".into(),
            "" => ", which it cannot be".into(),
            said if said.starts_with("unknown variant") => {
                let right = said.split_once("expected ").map_or("", |(_, right)| right).replace('`', "");
                format!(", but it must be {right}{}", hint(value, right.split([' ', ','])))
            }
            // Ours say what was given themselves.
            said => match said
                .split_once(", but ")
                .filter(|(given, _)| given.trim_end_matches(['"', '`']).ends_with(value))
            {
                Some((_, right)) => {
                    let names = right.split([' ', ',', ':']).filter(|name| name.len() > 2 && *name != value);
                    format!(", but {right}{}", hint(value, names))
                }
                None => format!(": {said}"),
            },
        }
    }

    /// The values a flag takes, where they are known.
    fn choices(&self) -> String {
        let values = self.texts(ContextKind::ValidValue);
        if values.is_empty() { " (see --help)".to_owned() } else { format!(": {}", one_of(&values)) }
    }

    /// clap's words on one line, without usage.
    fn plain(&self) -> String {
        let text = self.of.render().to_string();
        let words = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
        let parts = text.split("\n\n").map(words);
        let parts =
            parts.filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more information"));
        let line = parts.collect::<Vec<_>>().join("; ");
        line.strip_prefix("error: ").unwrap_or(&line).to_owned()
    }

    fn texts(&self, kind: ContextKind) -> Vec<String> {
        match self.of.get(kind) {
            Some(ContextValue::String(text)) => vec![text.clone()],
            Some(ContextValue::Strings(texts)) => texts.clone(),
            _ => Vec::new(),
        }
    }

    fn text(&self, kind: ContextKind) -> Option<String> {
        self.texts(kind).into_iter().next()
    }

    /// The name of a flag or argument without the names of its values.
    fn flag(&self, kind: ContextKind) -> Option<String> {
        let text = self.text(kind)?;
        let end =
            if text.starts_with('-') { text.find([' ', '=', '[']).unwrap_or(text.len()) } else { text.len() };
        Some(text[..end].to_owned())
    }
}

/// The error of a word that is not a command, with the commands it may stand for: of `verb`, which is typed `name`, or of other nouns.
pub fn unknown_command(cli: &Command, verb: &Command, name: &str, given: &str) -> String {
    let program = cli.get_name();
    let inside = name.strip_prefix(program).unwrap_or_default().trim_start();
    let typed = |verb: &str| if inside.is_empty() { verb.to_owned() } else { format!("{inside} {verb}") };
    let own = verb.get_subcommands().filter(|verb| !verb.is_hide_set()).map(Command::get_name);
    let nouns = of_nouns(cli, given);
    let is_exact = nouns.iter().any(|command| command.ends_with(&format!(" {given}")));
    let meant = match nearest(given, own) {
        // `compare` is less like `completions` than like itself.
        Some(near) if !is_exact => vec![typed(near)],
        _ => nouns,
    };
    let meant: Vec<String> = meant.iter().map(|command| format!("'{command}'")).collect();
    let hint = if meant.is_empty() { String::new() } else { format!("; did you mean {}?", one_of(&meant)) };
    format!("unknown command '{}'{hint} (see {name} -h)", typed(given))
}

/// Commands of nouns with this name, or with the nearest.
fn of_nouns(cli: &Command, given: &str) -> Vec<String> {
    let nouns = || cli.get_subcommands().filter(|noun| !noun.is_hide_set());
    let verbs = nouns().flat_map(Command::get_subcommands).map(Command::get_name);
    let Some(near) = nearest(given, verbs) else { return Vec::new() };
    let with = nouns().filter(|noun| noun.find_subcommand(near).is_some());
    with.map(|noun| format!("{} {near}", noun.get_name())).collect()
}

/// `a, b or c`.
fn one_of(values: &[String]) -> String {
    match values {
        [] => "something else (see --help)".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
