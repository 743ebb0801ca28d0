//! Tables of pairs, notes, configurations, records.

use crate::records::Records;
use crate::support::as_file;
use ergodict::data::{PairTable, read_note};
use std::path::Path;

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

/// Configurations: TOML, JSON, models and notes, as flags of two commands. It prints the flags, or an error.
pub(crate) fn config(bytes: &[u8]) {
    let show = |path: &Path| {
        for words in [["network", "learn", "@karate"], ["spins", "simulate", "--size=4"]] {
            let mut arguments = vec!["ergodict".into()];
            arguments.extend(words.map(Into::into));
            arguments.extend(["--show-config".into(), "--config".into(), path.into()]);
            let _ = ergodict_cli::run(arguments);
        }
    };
    as_file(bytes, ".toml", show);
}

/// What experiments recorded.
pub(crate) fn records(bytes: &[u8]) {
    as_file(bytes, ".jsonl", |path| {
        let _ = Records::open(path.to_owned());
    });
}
