//! Packages of the system, installed where that takes no questions: on Debian, as root.

use crate::place::{name, stdout, succeed};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::Command;

/// Installs packages with apt-get as root; elsewhere an error that says what is missing and what would install it.
pub(crate) fn install(packages: &[&str], missing: &str) -> Result<()> {
    let root = stdout(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !root || !Path::new("/usr/bin/apt-get").is_file() {
        bail!("{missing} (on Debian: apt-get install {})", packages.join(" "));
    }
    let install = ["install", "--yes", "--no-install-recommends"];
    for words in [vec!["update"], install.iter().chain(packages).copied().collect()] {
        let mut apt = Command::new("apt-get");
        apt.args(words).env("DEBIAN_FRONTEND", "noninteractive");
        println!("$ {}", name(&apt));
        succeed(&mut apt)?;
    }
    Ok(())
}
