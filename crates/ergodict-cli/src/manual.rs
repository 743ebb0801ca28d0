//! `ergodict completions` and `ergodict man`: made from the same definitions as the help.

use crate::args::{Common, command};
use crate::nearest::hint;
use crate::progress::say;
use crate::{output, reports};
use anyhow::{Result, bail};
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man as Page;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const SYNOPSIS: &str = ".SH SYNOPSIS\n";

const COMPLETIONS_HELP: &str = "\
Example:
  ergodict completions bash > ~/.local/share/bash-completion/completions/ergodict
  ergodict completions zsh > ~/.zfunc/_ergodict
  ergodict completions fish > ~/.config/fish/completions/ergodict.fish

For this shell alone:
  source <(ergodict completions bash)";

const MAN_HELP: &str = "\
Example:
  ergodict man | man -l -
  ergodict man network learn | man -l -
  ergodict man -o ~/.local/share/man/man1";

/// Print a script that completes commands, flags and values in a shell
#[derive(clap::Args)]
#[command(after_long_help = COMPLETIONS_HELP)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Print the manual as a man page, that of all or of one command
#[derive(clap::Args)]
#[command(after_long_help = MAN_HELP)]
pub(crate) struct Man {
    /// The command, such as `network learn` [default: the page of all]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Write a page for every command into this folder, which is made where it is missing
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub(crate) fn completions(args: &Completions) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "ergodict", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man(args: &Man, common: &Common) -> Result<ExitCode> {
    let mut cli = command();
    cli.build();
    if let Some(folder) = &args.out {
        reports::probe_folder("-o", folder)?;
        std::fs::create_dir_all(folder).map_err(ergodict::Error::io(folder))?;
        let written = all(&cli, "ergodict", folder)?;
        if !common.quiet {
            say(&format!("wrote {written} pages to {}", folder.display()));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let (mut verb, mut name) = (&cli, "ergodict".to_owned());
    // One word as well as several: `man "network learn"`.
    for word in args.command.iter().flat_map(|words| words.split_whitespace()) {
        let Some(inner) = verb.find_subcommand(word) else {
            let names = verb.get_subcommands().map(Command::get_name);
            bail!("{word} is no command of `{}`{} (see -h)", name.replace('-', " "), hint(word, names));
        };
        name = format!("{name}-{}", inner.get_name());
        verb = inner;
    }
    output::print(&page(verb, &name)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of a command and of all commands within it; how many.
fn all(verb: &Command, name: &str, folder: &Path) -> Result<usize> {
    output::write(&folder.join(format!("{name}.1")), &page(verb, name)?)?;
    let mut written = 1;
    for inner in verb.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        written += all(inner, &format!("{name}-{}", inner.get_name()), folder)?;
    }
    Ok(written)
}

/// A man page. Examples stand on lines of their own, which the crate would run together.
fn page(verb: &Command, name: &str) -> Result<String> {
    let examples = verb.get_after_long_help().or(verb.get_after_help()).map(ToString::to_string);
    let mut verb = verb.clone().after_long_help(None::<&str>).after_help(None::<&str>);
    let usage = verb.render_usage().to_string();
    // A page has all flags.
    let verb = verb.mut_args(|arg| arg.hide_short_help(false));
    let page = Page::new(verb)
        .title(name)
        .section("1")
        .manual("ergodict")
        .source(concat!("ergodict ", env!("CARGO_PKG_VERSION")));
    let mut roff = Vec::new();
    page.render(&mut roff)?;
    let mut roff = String::from_utf8_lossy(&roff).into_owned();
    // All flags side by side, and none of their values, are no synopsis.
    if let (Some(at), Some(usage)) = (roff.find(SYNOPSIS), usage.strip_prefix("Usage: ")) {
        let from = at + SYNOPSIS.len();
        let to = roff[from..].find('\n').map_or(roff.len(), |end| from + end);
        roff.replace_range(from..to, &escaped(usage.trim()));
    }
    if let Some(examples) = examples {
        roff.push_str(".SH EXAMPLES\n.nf\n");
        for line in examples.lines() {
            let _ = writeln!(roff, "\\&{}", escaped(line));
        }
        roff.push_str(".fi\n");
    }
    Ok(roff)
}

/// A line as roff has it; after `\&` none begins a request.
fn escaped(line: &str) -> String {
    line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq").replace('`', "\\(ga")
}
