//! Runs the commands that README.md shows.
//!
//! A fenced block whose info string is `console` is a session: lines that begin with `$ ` are commands,
//! continued where they end in a backslash; the other lines illustrate the output and are not compared.
//! Every block is one shell, and all run in order in one temporary folder, so that a later block may use the
//! files of an earlier one. `console no-run` marks a block that is only to be read.

use crate::place::{Scratch, cargo, command, root, succeed, target};
use anyhow::{Context, Result, bail};
use std::process::{Command, Stdio};

pub(super) fn run() -> Result<()> {
    let text = std::fs::read_to_string(root().join("README.md")).context("cannot read README.md")?;
    let sessions = sessions(&text);
    let count: usize = sessions.iter().map(|session| session.commands.len()).sum();
    if count == 0 {
        bail!("README.md has no command to run: mark its sessions ```console and their commands with `$ `");
    }
    // What the tests were built with has the program too; a release build of everything would take minutes more.
    succeed(&mut cargo("test --workspace --no-run --quiet"))?;

    let folder = Scratch::new("readme")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(target()?.join("debug")).chain(std::env::split_paths(&path)))?;
    for session in &sessions {
        println!("README.md:{}", session.line);
        for command in &session.commands {
            println!("  $ {command}");
        }
        play(session, command("bash").current_dir(&folder.0).env("PATH", &path))?;
    }
    println!("{count} commands ran");
    Ok(())
}

/// The commands of one block, and the line of the file the block begins at.
#[derive(Debug, PartialEq)]
struct Session {
    line: usize,
    commands: Vec<String>,
}

fn sessions(markdown: &str) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    let mut fence: Option<(String, bool)> = None;
    let mut continued = false;
    for (number, line) in (1..).zip(markdown.lines()) {
        let text = line.trim_start();
        let ticks = text.chars().take_while(|c| *c == '`').count();
        match &fence {
            None if ticks >= 3 => {
                let words: Vec<&str> = text[ticks..].split_whitespace().collect();
                let runs = words == ["console"];
                if runs {
                    sessions.push(Session { line: number, commands: Vec::new() });
                }
                (fence, continued) = (Some(("`".repeat(ticks), runs)), false);
            }
            Some((open, _)) if text.starts_with(open.as_str()) && text.trim().chars().all(|c| c == '`') => {
                fence = None;
            }
            Some((_, true)) => {
                let commands = &mut sessions.last_mut().expect("pushed when the fence opened").commands;
                if continued {
                    let last = commands.last_mut().expect("a command was continued");
                    last.push('\n');
                    last.push_str(text.strip_prefix("> ").unwrap_or(line));
                } else if let Some(command) = text.strip_prefix("$ ") {
                    commands.push(command.to_owned());
                } else {
                    continue;
                }
                continued = text.ends_with('\\');
            }
            _ => {}
        }
    }
    sessions
}

/// Runs a session in the given shell; on failure, shows its output and names the command that failed.
fn play(session: &Session, shell: &mut Command) -> Result<()> {
    let script =
        session.commands.iter().fold("set -eo pipefail; exec 2>&1\n".to_owned(), |script, command| {
            // Echoed first, so that the captured output reads as the README does and ends at the failure.
            format!("{script}printf '$ %s\\n' '{}'\n{command}\n", command.replace('\'', r"'\''"))
        });
    let output = shell.arg("-c").arg(script).stdin(Stdio::null()).output().context("cannot start bash")?;
    if !output.status.success() {
        let seen = String::from_utf8_lossy(&output.stdout);
        let line = session.line;
        bail!("{}\nREADME.md:{line}: the last command shown failed ({})", seen.trim_end(), output.status);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_console_blocks_are_sessions() {
        let text = "# x\n```console\n$ one\nout\n$ two \\\n>   more\nout\n```\n```sh\n$ no\n```\n\
                    ```console no-run\n$ no\n```\n````console\n```\n$ three\n````\n";
        let expected = [
            Session { line: 2, commands: vec!["one".into(), "two \\\n  more".into()] },
            Session { line: 15, commands: vec!["three".into()] },
        ];
        assert_eq!(sessions(text), expected);
    }

    #[test]
    fn a_session_is_one_shell_that_stops_at_the_first_failure() {
        let session = |commands: &[&str]| Session {
            line: 7,
            commands: commands.iter().map(ToString::to_string).collect(),
        };
        play(&session(&["x='a b'", "test \"$x\" = 'a b'"]), &mut Command::new("bash")).unwrap();
        let error = play(&session(&["echo it\\'s", "false | cat", "echo never"]), &mut Command::new("bash"));
        let message = error.unwrap_err().to_string();
        assert!(message.starts_with("$ echo it\\'s\nit's\n$ false | cat\nREADME.md:7:"), "{message}");
        assert!(!message.contains("never"), "{message}");
    }
}
