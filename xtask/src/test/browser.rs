//! The step `browser`: the report pages in a headless chromium, which is installed where that is easy.

use super::{nextest, show};
use crate::debian;
use crate::place::cargo;
use anyhow::Result;

/// Where the tests look for a browser, in this order, after `$CHROMIUM`.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

pub(crate) fn run() -> Result<()> {
    if !found() {
        // With letters for it to write with.
        let names = NAMES.join(", ");
        let missing = format!("no {names} on the path: install chromium, or name a browser in CHROMIUM");
        debian::install(&["chromium", "fonts-dejavu-core"], &missing)?;
    }
    // The whole workspace, as the other tests have it: of one package alone dependencies are built again, with fewer features. Here a
    // missing browser is a failure, not a reason to skip.
    let mut command = if nextest() {
        cargo("nextest run --workspace -E test(/^browser::/)")
    } else {
        cargo("test --workspace --test cli browser::")
    };
    show(command.env("CI", "true"))
}

/// Whether there is a browser.
fn found() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::var_os("CHROMIUM").is_some()
        || std::env::split_paths(&path).any(|folder| NAMES.iter().any(|name| folder.join(name).is_file()))
}
