//! Every setting of the library has a flag of its name with its default, and every flag that decides a result is a setting.

use clap::Arg;
use ergodict::reconstruct::network::{CompareSettings, RebuildSettings};
use ergodict::settings::{ImageSettings, MatrixSettings, NetworkSettings, Settings, parse};
use serde_json::{Map, Value, json};

/// Flags of paths, output and checkpoints, which decide no result.
const OUTPUT: [&str; 11] = [
    "out",
    "model",
    "pairs",
    "checkpoint",
    "checkpoint-every",
    "resume",
    "report",
    "figures",
    "shape",
    "table",
    "help",
];
/// The seed is a flag of all commands.
const GLOBAL: [&str; 1] = ["seed"];
/// A number of atoms that has to be given has no default.
const REQUIRED: (&str, u64) = ("atoms", 0);

/// Whether a flag decides a result.
pub(super) fn is_setting(long: &str) -> bool {
    !OUTPUT.contains(&long)
}

/// Whether the settings have this key: no setting is an object, and an unknown key is passed over.
fn has<S: Settings>(key: &str) -> bool {
    serde_json::from_value::<S>(json!({ key: { "": [] } })).is_err()
}

fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn compare<S: Settings>() -> usize {
    let cli = super::command();
    let verb = S::COMMAND.split(' ').fold(&cli, |verb, word| verb.find_subcommand(word).unwrap());
    let flags: Map<String, Value> = verb
        .get_arguments()
        .filter_map(|arg| Some((arg.get_long()?, arg)))
        .filter(|(long, _)| is_setting(long))
        .map(|(long, arg)| (long.to_owned(), default(arg)))
        .collect();
    for (long, flag) in &flags {
        assert!(has::<S>(long), "{}: --{long} is no setting", S::COMMAND);
        assert!(!help(verb, long).is_empty(), "{}: --{long} has no help", S::COMMAND);
        // A TOML file takes the same key, and gives the same value.
        if !flag.is_null() {
            let text = as_text(flag);
            let read: S = [json!(text), serde_json::from_str(&text).unwrap_or(json!(text))]
                .into_iter()
                .find_map(|value| parse(Map::from_iter([(long.clone(), value)])).ok())
                .unwrap_or_else(|| panic!("{}: {long} = {text} is not read", S::COMMAND));
            assert_eq!(plain(&read), plain(&S::default()), "{}: {long} = {text}", S::COMMAND);
        }
    }
    for (key, value) in plain(&S::default()) {
        if GLOBAL.contains(&&*key) || (&*key, value.as_u64()) == (REQUIRED.0, Some(REQUIRED.1)) {
            continue;
        }
        let flag = flags.get(&key).unwrap_or_else(|| panic!("{}: {key} has no flag", S::COMMAND));
        let same = match (&value, flag) {
            (Value::Null | Value::Bool(false), Value::Null) => true,
            (value, flag) => {
                let (value, flag) = (as_text(value), as_text(flag));
                value == flag || value.parse::<f64>().is_ok_and(|x| flag.parse() == Ok(x))
            }
        };
        assert!(same, "{}: {key} is {value} by default, and --{key} is {flag}", S::COMMAND);
    }
    flags.len()
}

pub(super) fn plain<S: Settings>(settings: &S) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(map)) => map,
        other => panic!("{other:?}"),
    }
}

fn default(arg: &Arg) -> Value {
    match arg.get_default_values() {
        [one] if arg.get_action().takes_values() => json!(one.to_string_lossy()),
        _ => Value::Null,
    }
}

fn help(verb: &clap::Command, long: &str) -> String {
    let arg = verb.get_arguments().find(|arg| arg.get_long() == Some(long));
    arg.and_then(Arg::get_help).map(ToString::to_string).unwrap_or_default()
}

#[test]
fn settings_and_flags_are_the_same() {
    assert!(compare::<MatrixSettings>() > 15);
    assert!(compare::<ImageSettings>() > 15);
    assert!(compare::<NetworkSettings>() > 35);
    assert!(compare::<RebuildSettings>() > 20);
    assert!(compare::<CompareSettings>() > 35);
}
