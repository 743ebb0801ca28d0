//! The command line: the verbs, and the flags they share. Help, completions, man pages and `--config` are made from it.

pub(crate) mod defaults;
#[cfg(test)]
mod listing;
#[cfg(test)]
mod settings;

use clap::{Command, CommandFactory, Parser, Subcommand};
pub(crate) use ergodict::text::{Size, count};
pub(crate) use ergodict_terminal::Common;
use std::fmt::Write;

const LONG: &str = "\
Example:
  ergodict demo
  ergodict network learn @lesmis -o lesmis.safetensors --report lesmis.html

`ergodict help COMMAND` is the same as `ergodict COMMAND --help`.

Data goes to standard output, messages to standard error. Exit codes: 0 success, 1 a check such as
--at-least failed, 2 bad usage or input, 130 interrupted.";

/// The commands as a newcomer needs them; what is not named stands under the last.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Start here", &["demo"]),
    ("Learn dictionaries", &["network", "spins", "image", "factor"]),
    ("Inspect and apply them", &["report", "model", "transform", "evaluate"]),
    ("More", &["completions", "man"]),
];

/// Learn recurring patterns of networks, spin systems, images and tables online
#[derive(Parser)]
#[command(name = "ergodict", version, args_override_self = true, disable_help_subcommand = true)]
#[command(max_term_width = 110, subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Start with `ergodict demo`. `ergodict help COMMAND` shows all flags, defaults and examples; `COMMAND -h` is short."
)]
#[command(after_long_help = LONG)]
pub(crate) struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub(crate) common: Common,
    /// The command.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// One file per noun.
#[derive(Subcommand)]
pub(crate) enum Verb {
    Demo(crate::demo::Args),
    Network(crate::network::Args),
    Spins(crate::spins::Args),
    Image(crate::image::Args),
    Factor(crate::factor::Args),
    Model(crate::model::Args),
    Transform(crate::transform::Args),
    Evaluate(crate::evaluate::Args),
    Paper(crate::paper::Args),
    Report(crate::report::Args),
    Completions(crate::manual::Completions),
    Man(crate::manual::Man),
}

/// The definitions, with what follows from all of them.
pub(crate) fn command() -> Command {
    let cli = ergodict_terminal::help::complete(Cli::command());
    let wide = cli.get_subcommands().map(|verb| verb.get_name().len()).max().unwrap_or(0);
    let style = *cli.get_styles().get_header();
    let heading = |title: &str| format!("{style}{title}:{style:#}");
    let mut listed = String::new();
    for (at, (title, names)) in GROUPS.iter().enumerate() {
        let others = cli.get_subcommands().filter(|verb| !verb.is_hide_set()).map(Command::get_name);
        let others = others
            .filter(|name| at + 1 == GROUPS.len() && !GROUPS.iter().any(|(_, names)| names.contains(name)));
        let _ = writeln!(listed, "{}", heading(title));
        for verb in names.iter().copied().chain(others).filter_map(|name| cli.find_subcommand(name)) {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            let about = about.split(':').next().unwrap_or_default();
            let _ = writeln!(listed, "  {:<wide$}  {about}", verb.get_name());
        }
        listed.push('\n');
    }
    let options = heading("Options");
    cli.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listed}{options}\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::command;
    use ergodict_terminal::resolved::Resolved;
    use serde_json::{Value, json};

    fn resolved(words: &str) -> Resolved {
        let cli = command();
        let matches = cli.clone().try_get_matches_from(words.split(' ')).unwrap();
        Resolved::from_matches(&cli, &matches)
    }

    #[test]
    fn flags_and_defaults_are_there_but_not_where_things_go() {
        let run = resolved("ergodict --seed 5 network corrupt @karate --remove 0.5 -o a --truth b -q -j 3");
        assert_eq!(run.command, "network corrupt");
        assert_eq!(
            Value::Object(run.config),
            json!({ "remove": 0.5, "format": "auto", "header": "auto", "seed": 5 })
        );
        let run = resolved("ergodict network corrupt @karate --add 1e-1 -o a");
        assert_eq!(
            Value::Object(run.config),
            json!({ "add": "1e-1", "add-model": "er", "format": "auto", "header": "auto", "seed": 0 })
        );
        let run = resolved("ergodict network generate sbm --sizes 3,4 --matrix 1;2 -o a");
        assert_eq!(run.command, "network generate sbm");
        assert_eq!(Value::Object(run.config), json!({ "sizes": "3,4", "matrix": "1;2", "seed": 0 }));
        let run = resolved("ergodict image denoise i --gray -o a.png --reference r.png");
        let config = json!({ "atoms": 256, "gray": true, "patch": "8x8", "reference": "r.png", "seed": 0 });
        assert_eq!(Value::Object(run.config), config);
        assert!(resolved("ergodict demo").toml().unwrap().contains("\nseed = 0\n"));
    }
}
