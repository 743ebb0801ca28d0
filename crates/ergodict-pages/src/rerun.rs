//! The command line that gives a run again, from the configuration that its output keeps.

use crate::shell::{quoted, typed};
use serde_json::Value;

/// Columns of a line of the command, as far as words allow.
const WIDTH: usize = 90;

/// The flags of all commands, a line each: command (none for those of all), name, letter, what follows it, default. Written by `cargo xtask
/// generate` from the definitions of the command line, which Python is built without; a test of the command line finds it stale.
pub const FLAGS: &str = include_str!("flags.tsv");

/// A flag of the command line.
struct Flag<'a> {
    key: &'a str,
    short: &'a str,
    kind: &'a str,
    default: &'a str,
}

/// The lines of a command in the list.
fn lines(command: &str) -> impl Iterator<Item = &'static str> {
    FLAGS.lines().filter(move |line| line.split('\t').next() == Some(command))
}

/// The flags of a command, those of all commands last.
fn flags(command: &str) -> Vec<Flag<'static>> {
    let row = |line: &'static str| {
        let mut cells = line.split('\t').skip(1);
        let mut next = || cells.next().unwrap_or_default();
        Flag { key: next(), short: next(), kind: next(), default: next() }
    };
    lines(command).chain(lines("")).map(row).collect()
}

/// `ergodict network learn @karate -r 9 --seed 1 -o atoms.safetensors`: the flags that are not at their defaults. `inputs` and `rest` are written as
/// they are.
pub fn command(command: &str, config: &Value, inputs: &[String], rest: &str) -> String {
    let (flags, known) = (flags(command), lines(command).next().is_some());
    let mut words = vec![typed(command)];
    words.extend(inputs.iter().map(|input| quoted(input)));
    if let Some(config) = config.as_object() {
        for (key, value) in config {
            match flags.iter().find(|flag| flag.key == key) {
                Some(flag) => words.extend(flag.spelled(value)),
                // Of another program, whose flags are not known here.
                None if !known => {
                    let kind = if value.is_boolean() { "switch" } else { "value" };
                    words.extend(Flag { key, short: "", kind, default: "" }.spelled(value));
                }
                None => {}
            }
        }
    }
    words.extend((!rest.is_empty()).then(|| rest.to_owned()));
    wrapped(&words)
}

impl Flag<'_> {
    /// With its value, unless that is what it is without it.
    fn spelled(&self, value: &Value) -> Option<String> {
        let key = self.key;
        let name = if self.short.is_empty() { format!("--{key}") } else { format!("-{}", self.short) };
        let text = match value {
            Value::Null | Value::Object(_) => return None,
            Value::Bool(on) if self.kind == "switch" => return (*on && key != "f64").then_some(name),
            Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(","),
            value => plain(value),
        };
        let number = |text: &str| text.parse::<f64>().ok();
        let is_default =
            self.default == text || number(self.default).is_some_and(|x| Some(x) == number(&text));
        if text.is_empty() || is_default {
            return None;
        }
        let equals = self.kind == "=" || text.starts_with('-');
        let name = if equals { format!("--{key}=") } else { format!("{name} ") };
        Some(format!("{name}{}", quoted(&text)))
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Words on lines continued by a backslash.
fn wrapped(words: &[String]) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in words {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > WIDTH {
            text.push_str(" \\\n   ");
            column = 3;
        }
        text.push_str(if text.is_empty() { "" } else { " " });
        text.push_str(word);
        column += width + 1;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn defaults_are_left_out_and_names_are_quoted() {
        let config = json!({
            "atoms": 7, "k": 6, "lambda": 1.0, "motif": "star", "injective": true, "f64": true, "steps": 100, "seed": 3,
            "fixed": null, "unknown": 7,
        });
        let inputs = ["my net.txt".to_owned(), "@karate".to_owned()];
        let found = command("network learn", &config, &inputs, "-o a.safetensors").replace(" \\\n   ", "");
        assert!(found.starts_with("ergodict network learn 'my net.txt' @karate "), "{found}");
        assert!(found.ends_with("-o a.safetensors"), "{found}");
        for flag in [" -k 6", " -r 7", " --motif star", " --injective", " --seed 3"] {
            assert!(found.contains(flag), "{flag}: {found}");
        }
        for other in ["steps", "lambda", "f64", "unknown", "fixed"] {
            assert!(!found.contains(other), "{other}: {found}");
        }
    }

    #[test]
    fn another_program_has_flags_of_its_own() {
        let config = json!({ "quick": true, "data": "my nets", "seed": 0 });
        let found = command("paper figure-ndl", &config, &[], "-o p");
        assert_eq!(found, "ergodict-paper figure-ndl --data 'my nets' --quick -o p");
    }

    #[test]
    fn long_commands_go_on_after_a_backslash() {
        let words: Vec<String> = (0..40).map(|i| format!("--flag-{i} {i}")).collect();
        let text = wrapped(&words);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH + 2) && text.lines().count() > 3);
        assert_eq!(text.replace(" \\\n   ", ""), words.join(" "));
    }
}
