//! Tables of pairs, notes, configurations, records.

use crate::records::Records;
use crate::support::as_file;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use ergodict::data::{PairTable, read_note};
use ergodict::settings::NetworkSettings;
use ergodict_terminal::Common;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

/// Tables of pairs as text.
pub(crate) fn pairs(bytes: &[u8]) {
    as_file(bytes, ".tsv", |path| {
        let Ok(table) = PairTable::read(path) else { return };
        assert!(!table.is_empty());
        for row in 0..table.len() {
            let _ = table.pair(row);
        }
        let _ = table.numbers(2);
    });
}

/// The note in any output.
pub(crate) fn note(bytes: &[u8]) {
    as_file(bytes, "", |path| {
        let _ = read_note(path);
    });
}

/// A command line with the flags of one command, which takes less time to make than that of the program.
static COMMAND: LazyLock<Command> = LazyLock::new(|| {
    let file = Arg::new("out").long("out").value_parser(clap::value_parser!(PathBuf));
    let named = Arg::new("observables").long("observables").action(clap::ArgAction::Append);
    let learn = NetworkSettings::augment_args(Command::new("learn").arg(file).arg(named));
    Common::augment_args(Command::new("ergodict").subcommand(Command::new("network").subcommand(learn)))
});

/// What was parsed, of which nothing is used.
struct Nothing;

impl FromArgMatches for Nothing {
    fn from_arg_matches(_: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self)
    }
    fn update_from_arg_matches(&mut self, _: &ArgMatches) -> Result<(), clap::Error> {
        Ok(())
    }
}

/// Configurations: TOML, JSON, models and notes, as flags of a command. It prints the flags, or an error.
pub(crate) fn config(bytes: &[u8]) {
    as_file(bytes, ".toml", |path| {
        let mut arguments: Vec<OsString> =
            ["ergodict", "network", "learn", "--show-config"].map(Into::into).into();
        arguments.extend(["--config".into(), path.into()]);
        let _ = ergodict_terminal::run(&COMMAND, arguments, |Nothing| Ok(ExitCode::SUCCESS));
    });
}

/// What experiments recorded.
pub(crate) fn records(bytes: &[u8]) {
    as_file(bytes, ".jsonl", |path| {
        let _ = Records::open(path.to_owned());
    });
}
