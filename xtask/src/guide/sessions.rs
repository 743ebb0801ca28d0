//! The commands of a session and what it shows of their output.
//!
//! Lines that begin with `$ ` are commands, continued where they end in a backslash; other lines are output.

/// What is printed before each command, so that its output can be separated from that of others.
const MARK: char = '\u{1e}';

/// A command, and the output that the page shows below it.
#[derive(Debug, PartialEq)]
pub(super) struct Command {
    pub(super) words: String,
    pub(super) shown: String,
}

pub(super) fn commands(session: &str) -> Vec<Command> {
    let mut commands: Vec<Command> = Vec::new();
    let mut continued = false;
    for line in session.lines() {
        let text = line.trim_start();
        match commands.last_mut() {
            Some(last) if continued => {
                last.words.push('\n');
                last.words.push_str(text.strip_prefix("> ").unwrap_or(line));
            }
            _ if text.starts_with("$ ") => {
                commands.push(Command { words: text["$ ".len()..].to_owned(), shown: String::new() });
            }
            Some(last) => {
                last.shown.push_str(line);
                last.shown.push('\n');
                continue;
            }
            None => continue,
        }
        continued = text.ends_with('\\');
    }
    commands
}

/// A script for bash that runs the commands up to the first that fails, each after its own words.
pub(super) fn script(commands: &[Command]) -> String {
    commands.iter().fold("set -eo pipefail; exec 2>&1\n".to_owned(), |script, Command { words, .. }| {
        format!("{script}printf '{MARK}$ %s\\n' '{}'\n{words}\n", words.replace('\'', r"'\''"))
    })
}

/// The output of each command in what the script printed.
pub(super) fn outputs<'a>(commands: &[Command], printed: &'a str) -> Vec<&'a str> {
    let parts = printed.split(MARK).skip(1).zip(commands);
    parts.map(|(part, command)| part.get("$ ".len() + command.words.len()..).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(session: &str) -> (bool, String) {
        let commands = commands(session);
        let output = std::process::Command::new("bash").arg("-c").arg(script(&commands)).output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    }

    #[test]
    fn commands_are_marked_and_may_go_on() {
        let of = |words: &str, shown: &str| Command { words: words.into(), shown: shown.into() };
        let expected = [of("one", "out\n"), of("two \\\n  more", "out\nmore\n"), of("three", "")];
        assert_eq!(commands("title\n$ one\nout\n$ two \\\n>   more\nout\nmore\n$ three\n"), expected);
    }

    #[test]
    fn a_session_is_one_shell_that_stops_at_the_first_failure() {
        assert!(run("$ x='a b'\n$ test \"$x\" = 'a b'\n").0);
        let (passed, printed) = run("$ echo it\\'s\n$ false | cat\n$ echo never\n");
        assert!(!passed);
        assert_eq!(printed, "\u{1e}$ echo it\\'s\nit's\n\u{1e}$ false | cat\n");
    }

    #[test]
    fn outputs_belong_to_their_commands() {
        let session = "$ echo a\n$ true \\\n  b\n$ echo c >&2\n";
        let (_, printed) = run(session);
        assert_eq!(outputs(&commands(session), &printed), ["\na\n", "\n", "\nc\n"]);
    }
}
