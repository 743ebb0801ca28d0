//! The step `browser`: the report pages in a headless chromium, which is installed where that is easy.

use super::{nextest, show};
use crate::debian;
use crate::place::workspace;
use anyhow::Result;

/// How the names of these tests begin, in the test program `cli`.
pub(super) const PREFIX: &str = "browser::";

/// The same as a filter of nextest.
pub(super) const FILTER: &str = "(package(ergodict-cli) & test(/^browser::/))";

/// Where the tests look for a browser, in this order, after `$CHROMIUM`.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

pub(super) fn run() -> Result<()> {
    if !found() {
        // With letters for it to write with.
        let names = NAMES.join(", ");
        let missing = format!("no {names} on the path: install chromium, or name a browser in CHROMIUM");
        debian::install(&["chromium", "fonts-dejavu-core"], &missing)?;
    }
    // Of the test programs, only the one that these tests are in is built. Here a missing browser is a failure, not a reason to skip.
    let (command, arguments, tests) =
        if nextest() { ("nextest run", "--test cli -E", FILTER) } else { ("test", "--test cli", PREFIX) };
    show(workspace(command, arguments).arg(tests).env("CI", "true"))
}

/// Whether there is a browser.
fn found() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::var_os("CHROMIUM").is_some()
        || std::env::split_paths(&path).any(|folder| NAMES.iter().any(|name| folder.join(name).is_file()))
}
