//! The command line: the verbs, and the flags they share. Help, completions, man pages and `--config` are made from it.

mod refusal;
mod size;
mod verbs;

use anyhow::{Result, anyhow, bail};
use clap::{Command, CommandFactory, Parser, Subcommand};
pub(crate) use refusal::explain;
pub(crate) use size::Size;
use std::fmt::Write;
use std::path::PathBuf;

const LONG: &str = "\
Example:
  ergodict demo
  ergodict network learn @lesmis -k 10 -r 9 -o lesmis.safetensors --report lesmis.html

Data goes to standard output, talk to standard error. Exit codes: 0 done, 1 it ran and found a
problem that it was asked to look for, 2 bad usage or input, 130 stopped by Ctrl-C.";

/// Columns of the narrowest terminals that are usual.
const WIDTH: usize = 80;

/// The commands as a newcomer needs them; what is not named stands under the last.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Start here", &["demo"]),
    ("Learn dictionaries", &["network", "spins", "image", "factor"]),
    ("Use and look at them", &["report", "model", "transform", "evaluate"]),
    ("More", &["paper", "completions", "man"]),
];

/// Dictionaries of interpretable atoms, learned online from dependent data.
#[derive(Parser)]
#[command(name = "ergodict", version, args_override_self = true, disable_help_subcommand = true)]
#[command(max_term_width = 110, subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Start with `ergodict demo`. `ergodict COMMAND -h` is short, `--help` shows all flags, defaults and examples."
)]
#[command(after_long_help = LONG)]
pub(crate) struct Cli {
    /// What every verb knows.
    #[command(flatten)]
    pub(crate) common: Common,
    /// What to do.
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

/// What every verb knows.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Common options")]
#[expect(clippy::struct_excessive_bools, reason = "they are flags")]
pub(crate) struct Common {
    /// The seed; the same one gives the same bytes
    #[arg(long, global = true, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Threads to use, which never changes results [default: all cores]
    #[arg(short = 'j', long, global = true, value_name = "N", allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
    /// Say nothing but errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Say more: what is read, memory, timings
    #[arg(short, long, global = true, hide_short_help = true)]
    pub(crate) verbose: bool,
    /// Print a summary as JSON on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Flags from a TOML file or an earlier output; the command line overrides them
    ///
    /// Models, what --json printed, and most other outputs keep the flags they were made with (docs/formats.md), and give the
    /// same bytes again; inputs and -o stand on the command line.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print the flags as a TOML file for --config, defaults among them, and do nothing else
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) show_config: bool,
}

/// Most threads that can be asked for.
const MOST_THREADS: usize = 1024;

impl Common {
    /// Starts the threads that all work shares.
    pub(crate) fn start_threads(&self) -> Result<()> {
        if self.threads == Some(0) {
            bail!("--threads is 0, but at least one is needed (leave it out to use all cores)");
        }
        // More bring nothing on any machine there is, and a slip of the finger would bring this one down.
        if let Some(threads) = self.threads.filter(|threads| *threads > MOST_THREADS) {
            bail!("--threads is {threads}, but {MOST_THREADS} is the most (leave it out to use all cores)");
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0));
        pool.build_global().map_err(|e| anyhow!("the threads cannot be started: {e}"))
    }
}

/// The definitions, with what follows from all of them.
pub(crate) fn command() -> Command {
    let mut cli = each(Cli::command(), "ergodict");
    // Where `CI` is set, clap would style what a dumb terminal cannot show.
    if crate::progress::is_plain() {
        cli = cli.color(clap::ColorChoice::Never);
    }
    let wide = cli.get_subcommands().map(|verb| verb.get_name().len()).max().unwrap_or(0);
    let style = *cli.get_styles().get_header();
    let heading = |title: &str| format!("{style}{title}:{style:#}");
    let mut listed = String::new();
    for (at, (title, names)) in GROUPS.iter().enumerate() {
        let others = cli.get_subcommands().map(Command::get_name);
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

/// A verb whose short help says that there is more, whose examples fit on terminals, and all verbs within it.
fn each(verb: Command, name: &str) -> Command {
    let mut verb = verbs::suited(verb, name);
    let more = verb.get_arguments().any(clap::Arg::is_hide_short_help_set);
    if more && verb.get_after_help().is_none() {
        verb = verb.after_help(format!("`ergodict {name} --help` shows all flags, with examples."));
    }
    if let Some(long) = verb.get_after_long_help().map(ToString::to_string) {
        verb = verb.after_long_help(long.lines().map(continued).collect::<Vec<_>>().join("\n"));
    }
    let names: Vec<String> = verb.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    names.iter().fold(verb, |verb, inner| {
        let whole = if name == "ergodict" { inner.clone() } else { format!("{name} {inner}") };
        verb.mut_subcommand(inner, |verb| each(verb, &whole))
    })
}

/// A command of an example on several lines, where it is too long for one, so that it can be copied whole.
fn continued(line: &str) -> String {
    let is_command = line.starts_with("  ergodict ") && !line.ends_with('\\') && !line.contains('\'');
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

/// The same of what is held in memory.
pub(crate) fn number(text: &str) -> Result<usize, String> {
    count(text).and_then(|n| usize::try_from(n).map_err(|_| "it is too large".into()))
}

/// A whole number, also as `5e6`.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    let whole = |x: &f64| x.fract() == 0.0 && (0.0..=9e15).contains(x);
    match (text.parse(), text.parse::<f64>()) {
        (Ok(count), _) => Ok(count),
        (_, Ok(x)) if whole(&x) => Ok(x as u64),
        _ => Err("expected a whole number, for instance 5000000 or 5e6".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::{continued, count};

    #[test]
    fn counts_are_whole_numbers_however_they_are_written() {
        assert_eq!((count("12"), count("5e6"), count("1.5e3")), (Ok(12), Ok(5_000_000), Ok(1500)));
        assert_eq!(count("18446744073709551615"), Ok(u64::MAX));
        for bad in ["-1", "0.5", "1e30", "nan", "x", ""] {
            assert!(count(bad).is_err(), "{bad}");
        }
    }

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
