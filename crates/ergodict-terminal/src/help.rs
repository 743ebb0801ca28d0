//! What follows for help from the definitions of all verbs.

use crate::progress::is_plain;
use clap::{ColorChoice, Command};

/// Columns of the narrowest terminals that are usual.
const WIDTH: usize = 80;

/// A program whose help says where there is more of it, with examples that fit on terminals.
pub fn complete(cli: Command) -> Command {
    let program = cli.get_name().to_owned();
    let cli = each(cli, &program);
    // Where `CI` is set, clap would style what a dumb terminal cannot show.
    if is_plain() { cli.color(ColorChoice::Never) } else { cli }
}

/// A verb, and all verbs within it; `typed` is the command line down to it.
fn each(mut verb: Command, typed: &str) -> Command {
    let more = verb.get_arguments().any(clap::Arg::is_hide_short_help_set);
    if more && verb.get_after_help().is_none() {
        verb = verb.after_help(format!("`{typed} --help` shows all flags, with examples."));
    }
    if let Some(long) = verb.get_after_long_help().map(ToString::to_string) {
        verb = verb.after_long_help(long.lines().map(continued).collect::<Vec<_>>().join("\n"));
    }
    let names: Vec<String> = verb.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    names
        .iter()
        .fold(verb, |verb, inner| verb.mut_subcommand(inner, |verb| each(verb, &format!("{typed} {inner}"))))
}

/// A command of an example on several lines, where it is too long for one, so that it can be copied whole.
fn continued(line: &str) -> String {
    let is_command = line.starts_with("  ergodict") && !line.ends_with('\\') && !line.contains('\'');
    if !is_command || line.chars().count() < WIDTH {
        return line.to_owned();
    }
    let mut lines = vec![String::from(" ")];
    for word in line.split_whitespace() {
        let now = lines.last_mut().filter(|now| now.chars().count() + word.chars().count() + 3 < WIDTH);
        match now {
            Some(now) => {
                now.push(' ');
                now.push_str(word);
            }
            None => lines.push(format!("    {word}")),
        }
    }
    lines.join(" \\\n")
}

#[cfg(test)]
mod tests {
    use super::continued;

    #[test]
    fn examples_are_commands_that_can_be_copied() {
        let long =
            "  ergodict network learn edges.txt.gz -k 21 -r 25 --sampler pivot-approx -o atoms.safetensors";
        let lines = continued(long);
        assert!(lines.lines().count() == 2 && lines.lines().all(|line| line.chars().count() < 80), "{lines}");
        let words =
            |text: &str| text.replace(" \\\n", " ").split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&lines), words(long));
        assert_eq!(continued("  ergodict demo"), "  ergodict demo");
    }
}
