//! The step `browser`: the report pages in a headless chromium, which is installed where that is easy.

use super::{nextest, show};
use crate::place::{cargo, stdout};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::Command;

/// Where the tests look for a browser, in this order, after `$CHROMIUM`.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

pub(crate) fn run() -> Result<()> {
    if !found() {
        install()?;
    }
    // The whole workspace, as the other tests have it: of one package alone dependencies are built again, with fewer features. Here a
    // missing browser is a failure, not a reason to skip.
    let mut command = if nextest() {
        cargo("nextest run --workspace -E")
    } else {
        cargo("test --workspace --test browser")
    };
    if nextest() {
        command.arg("binary(browser)");
    }
    show(command.env("CI", "true"))
}

/// Whether there is a browser.
fn found() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::var_os("CHROMIUM").is_some()
        || std::env::split_paths(&path).any(|folder| NAMES.iter().any(|name| folder.join(name).is_file()))
}

/// Installs chromium, and letters for it to write with, where that takes no questions: as root, with apt-get.
fn install() -> Result<()> {
    let root = stdout(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !root || !Path::new("/usr/bin/apt-get").is_file() {
        bail!(
            "no {} on the path: install chromium (on Debian: apt-get install chromium), or name a browser in CHROMIUM",
            NAMES.join(", ")
        );
    }
    show(Command::new("apt-get").arg("update"))?;
    let words = ["install", "--yes", "--no-install-recommends", "chromium", "fonts-dejavu-core"];
    show(Command::new("apt-get").args(words).env("DEBIAN_FRONTEND", "noninteractive"))
}
