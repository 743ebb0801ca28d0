//! `ergodict completions` and `ergodict man`: made from the same definitions as the help.

use crate::args::{Common, command};
use crate::progress::say;
use crate::{output, reports};
use anyhow::{Result, bail};
use clap::Command;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use clap_mangen::Man as Page;
use ergodict::chain::SamplerKind;
use ergodict::data::{EMBEDDED_IMAGES, embedded_names};
use ergodict::denoise::Method;
use ergodict_terminal::refusal::unknown_command;
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

/// Print a shell script that completes commands, flags and values
#[derive(clap::Args)]
#[command(after_long_help = COMPLETIONS_HELP)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Print a man page, of the program or of one command
#[derive(clap::Args)]
#[command(after_long_help = MAN_HELP)]
pub(crate) struct Man {
    /// The command, such as `network learn` [default: the program]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Write a man page for every command into this folder, created if missing
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub(crate) fn completions(args: &Completions) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut with_values(command()), "ergodict", &mut script);
    output::print(&with_built_in(&String::from_utf8_lossy(&script), args.shell))?;
    Ok(ExitCode::SUCCESS)
}

/// A command whose flags offer the names of values that the library reads from text.
fn with_values(mut verb: Command) -> Command {
    let values = |flag: &str| -> Option<Vec<String>> {
        Some(match flag {
            "sampler" => SamplerKind::ALL.iter().map(ToString::to_string).collect(),
            "method" => Method::all().iter().map(ToString::to_string).collect(),
            "schedule" => ["auto", "balanced", "linear", "power:", "constant:"].map(str::to_owned).to_vec(),
            _ => return None,
        })
    };
    let flags: Vec<String> = verb.get_arguments().map(|arg| arg.get_id().to_string()).collect();
    for (flag, names) in flags.iter().filter_map(|flag| Some((flag, values(flag)?))) {
        verb = verb.mut_arg(flag, |arg| arg.value_parser(PossibleValuesParser::new(names)));
    }
    let inner: Vec<String> = verb.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    inner.iter().fold(verb, |verb, name| verb.mut_subcommand(name, with_values))
}

/// A script that also offers the names of built-in networks and images, where the shell lets it.
fn with_built_in(script: &str, shell: Shell) -> String {
    let networks: Vec<String> = embedded_names().iter().map(|one| format!("@{}", one.name)).collect();
    let (networks, images) = (networks.join(" "), EMBEDDED_IMAGES.join(" "));
    match shell {
        Shell::Bash => {
            let names = BASH_NAMES.replace("NETWORKS", &networks).replace("IMAGES", &images);
            let script = script.replacen("_ergodict() {", "_ergodict_commands() {", 1);
            format!("{names}\n{script}")
        }
        Shell::Zsh => {
            let offered = |line: &str| {
                let names =
                    if line.contains("such as @karate") { "_ergodict_networks" } else { "_ergodict_images" };
                let is_named = line.contains("such as @karate") || line.contains("@tessellation");
                match line.rsplit_once(":_files'").filter(|_| is_named && line.starts_with([':', '\'', '*']))
                {
                    Some((spec, end)) => format!("{spec}:{names}'{end}\n"),
                    None => format!("{line}\n"),
                }
            };
            let (first, rest) = script.split_once('\n').unwrap_or((script, ""));
            let names = ZSH_NAMES.replace("NETWORKS", &networks).replace("IMAGES", &images);
            format!("{first}\n{names}{}", rest.lines().map(offered).collect::<String>())
        }
        Shell::Fish => {
            let of = |noun, names| {
                format!(
                    "complete -c ergodict -n \"__fish_ergodict_using_subcommand {noun}\" -a \"{names}\"\n"
                )
            };
            format!("{script}{}{}", of("network", networks), of("image", images))
        }
        _ => script.to_owned(),
    }
}

/// `@` parts words in bash, so that what is offered begins after it.
const BASH_NAMES: &str = r#"_ergodict() {
    local word="${COMP_LINE:0:${COMP_POINT:-0}}" names=""
    word="${word##* }"
    case "${COMP_WORDS[1]}/${word}" in
        network/@*) names="NETWORKS" ;;
        image/@*) names="IMAGES" ;;
    esac
    if [[ -z "${names}" ]]; then
        _ergodict_commands "$@"
    elif [[ "${COMP_WORDBREAKS}" == *@* ]]; then
        COMPREPLY=( $(compgen -W "${names//@/}" -- "${word#@}") )
    else
        COMPREPLY=( $(compgen -W "${names}" -- "${word}") )
    fi
}
"#;

const ZSH_NAMES: &str = r"
_ergodict_networks() { _alternative 'files:file:_files' 'networks:built-in network:(NETWORKS)' }
_ergodict_images() { _alternative 'files:file:_files' 'images:built-in image:(IMAGES)' }
";

pub(crate) fn man(args: &Man, common: &Common) -> Result<ExitCode> {
    let mut cli = command();
    cli.build();
    if let Some(folder) = &args.out {
        reports::probe_folder("-o", folder)?;
        std::fs::create_dir_all(folder).map_err(ergodict::Error::io(folder))?;
        let written = all(&cli, "ergodict", folder)?;
        if !common.quiet {
            say(&format!("wrote {written} man pages to {}", folder.display()));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let (mut verb, mut name) = (&cli, "ergodict".to_owned());
    // One word as well as several: `man "network learn"`.
    for word in args.command.iter().flat_map(|words| words.split_whitespace()) {
        let Some(inner) = verb.find_subcommand(word) else {
            bail!("{}", unknown_command(&cli, verb, &name.replace('-', " "), word));
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
