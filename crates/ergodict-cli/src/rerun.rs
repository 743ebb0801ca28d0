//! The command line that gives a run again, from the configuration that its output keeps.

use crate::args::Cli;
use crate::resolved::typed;
use crate::shell::quoted;
use clap::{Arg, ArgAction, Command, CommandFactory};
use serde_json::Value;

/// Columns of a line of the command, as far as words allow.
const WIDTH: usize = 90;

/// `ergodict network learn @karate -r 9 --seed 1 -o atoms.safetensors`: the flags that are not at their defaults. `inputs` and `rest` are written as
/// they are.
pub(crate) fn command(command: &str, config: &Value, inputs: &[String], rest: &str) -> String {
    let cli = Cli::command();
    let found = command.split(' ').try_fold(&cli, |within: &Command, word| within.find_subcommand(word));
    let mut words = vec![typed(command)];
    words.extend(inputs.iter().map(|input| quoted(input)));
    if let Some(config) = config.as_object() {
        for (key, value) in config {
            let is_key = |arg: &&Arg| arg.get_long() == Some(key);
            let mut known = found.into_iter().flat_map(Command::get_arguments).chain(cli.get_arguments());
            match known.find(is_key) {
                Some(arg) => words.extend(flag(arg, key, value)),
                // Of another program, whose flags are not known here.
                None if found.is_none() => words.extend(flag(&own(value), key, value)),
                None => {}
            }
        }
    }
    words.extend((!rest.is_empty()).then(|| rest.to_owned()));
    wrapped(&words)
}

/// A flag that takes such a value.
fn own(value: &Value) -> Arg {
    Arg::new("own").action(if value.is_boolean() { ArgAction::SetTrue } else { ArgAction::Set })
}

/// A flag with its value, unless that is what it is without it.
fn flag(arg: &Arg, key: &str, value: &Value) -> Option<String> {
    let bare = matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::Count);
    let name = arg.get_short().map_or_else(|| format!("--{key}"), |short| format!("-{short}"));
    let text = match value {
        Value::Null | Value::Object(_) => return None,
        Value::Bool(on) if bare => return (*on && key != "f64").then_some(name),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(","),
        value => plain(value),
    };
    let number = |text: &str| text.parse::<f64>().ok();
    let same = |default: &std::ffi::OsStr| {
        let default = default.to_string_lossy();
        default == text || number(&default).is_some_and(|x| Some(x) == number(&text))
    };
    if text.is_empty() || matches!(arg.get_default_values(), [default] if same(default)) {
        return None;
    }
    let equals = arg.is_require_equals_set() || text.starts_with('-');
    let name = if equals { format!("--{key}=") } else { format!("{name} ") };
    Some(format!("{name}{}", quoted(&text)))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Words on lines that go on after a backslash.
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
