//! Every setting with its key, default, choices and help, and every flag, for `cargo xtask generate`, which writes what Python and reports know of them.

use super::settings::{is_setting, plain};
use ergodict::factor::LearnSettings;
use ergodict::reconstruct::network::{CompareSettings, RebuildSettings};
use ergodict::settings::{ImageSettings, MatrixSettings, NetworkSettings, Settings};
use serde_json::{Value, json};

/// The settings of a command, in the order of its flags.
fn command<S: Settings>() -> Value {
    let cli = super::command();
    let verb = S::COMMAND.split(' ').fold(&cli, |verb, word| verb.find_subcommand(word).unwrap());
    let defaults = plain(&S::default());
    let globals = cli.get_arguments().filter(|arg| arg.get_long() == Some("seed"));
    let mut settings = Vec::new();
    for arg in verb.get_arguments().chain(globals) {
        let Some(key) = arg.get_long().filter(|long| is_setting(long)) else { continue };
        let switch = matches!(arg.get_action(), clap::ArgAction::SetTrue).then_some(Value::Bool(false));
        let value = defaults.get(key).cloned().or(switch);
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let choices = arg.get_possible_values();
        let choices: Vec<&str> = choices.iter().map(clap::builder::PossibleValue::get_name).collect();
        let choices = if arg.get_action().takes_values() { choices } else { Vec::new() };
        settings.push(json!({ "key": key, "default": value, "help": help, "choices": choices }));
    }
    json!({ "command": S::COMMAND, "settings": settings })
}

#[test]
fn settings_are_listed() {
    let commands = [
        command::<MatrixSettings>(),
        command::<ImageSettings>(),
        command::<NetworkSettings>(),
        command::<RebuildSettings>(),
        command::<CompareSettings>(),
    ];
    let scheme = serde_json::to_value(LearnSettings::default().decided(false)).unwrap();
    let scheme: Vec<&String> = scheme.as_object().unwrap().keys().collect();
    assert!(scheme.len() > 10 && commands.iter().all(|one| one["settings"].as_array().unwrap().len() > 15));
    if let Some(file) = std::env::var_os("ERGODICT_SETTINGS") {
        let listing = json!({ "scheme": scheme, "commands": commands });
        std::fs::write(file, listing.to_string()).unwrap();
    }
}

/// The flags of a verb and of those within it, a line each.
fn flags(verb: &clap::Command, name: &str, lines: &mut Vec<String>) {
    for arg in verb.get_arguments() {
        let Some(key) = arg.get_long() else { continue };
        let short = arg.get_short().map(String::from).unwrap_or_default();
        let kind = match arg.get_action() {
            clap::ArgAction::SetTrue | clap::ArgAction::Count => "switch",
            _ if arg.is_require_equals_set() => "=",
            _ => "value",
        };
        let default = match arg.get_default_values() {
            [one] => one.to_string_lossy().into_owned(),
            _ => String::new(),
        };
        lines.push([name, key, &short, kind, &default].join("\t"));
    }
    for inner in verb.get_subcommands() {
        let name = if name.is_empty() {
            inner.get_name().to_owned()
        } else {
            format!("{name} {}", inner.get_name())
        };
        flags(inner, &name, lines);
    }
}

#[test]
fn flags_are_listed() {
    let mut lines = Vec::new();
    flags(&super::command(), "", &mut lines);
    let text = lines.join("\n") + "\n";
    match std::env::var_os("ERGODICT_FLAGS") {
        Some(file) => std::fs::write(file, text).unwrap(),
        None => assert_eq!(ergodict_pages::rerun::FLAGS, text, "run `cargo xtask generate`"),
    }
}
