//! mdBook, which the guide is built with: installed below the target folder where it is missing, next to other work if there is some.

use crate::place::{cargo, command, name, stdout, target};
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::Mutex;

/// The version that the guide is written for.
const VERSION: &str = "0.5.4";

/// An installation that was begun and not waited for yet.
static BEGUN: Mutex<Option<Child>> = Mutex::new(None);

struct Place {
    tools: PathBuf,
    program: PathBuf,
}

impl Place {
    fn new() -> Result<Self> {
        let tools = target()?.join("tools");
        let program = tools.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
        Ok(Self { tools, program })
    }

    fn installed(&self) -> bool {
        stdout(command(&self.program).arg("--version")).is_ok_and(|version| version.contains(VERSION))
    }

    /// What cargo says meanwhile.
    fn log(&self) -> PathBuf {
        self.tools.join("install.log")
    }

    fn begin(&self) -> Result<Child> {
        std::fs::create_dir_all(&self.tools)
            .with_context(|| format!("cannot make {}", self.tools.display()))?;
        // Unoptimized, without what serves and searches: it has one small book to build, and to compile it is what takes the time.
        let mut install = cargo("install --debug --locked --force --no-default-features mdbook --version");
        install.arg(VERSION).arg("--root").arg(&self.tools);
        install.env("CARGO_TARGET_DIR", self.tools.join("build")).env("CARGO_PROFILE_DEV_DEBUG", "0");
        let log = File::create(self.log())?;
        install.stdout(log.try_clone()?).stderr(log);
        println!("$ {}", name(&install));
        install.spawn().context("cannot start cargo")
    }
}

/// Begins to install it next to other work, where it is missing.
pub(crate) fn prepare() {
    // What goes wrong here is reported when it is needed.
    let begun = Place::new().ok().filter(|place| !place.installed()).and_then(|place| place.begin().ok());
    if let (Some(child), Ok(mut slot)) = (begun, BEGUN.lock()) {
        // With what other work leaves of the processors, where there is such a thing.
        let _ = Command::new("renice").args(["-n", "10", "-p"]).arg(child.id().to_string()).output();
        *slot = Some(child);
    }
}

/// Ends an installation that was begun and not needed after all.
pub(crate) fn abandon() {
    if let Some(mut child) = BEGUN.lock().ok().and_then(|mut slot| slot.take()) {
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// The program, installed where that is not done yet.
pub(super) fn program() -> Result<PathBuf> {
    let place = Place::new()?;
    let begun = BEGUN.lock().ok().and_then(|mut slot| slot.take());
    let child = match begun {
        None if place.installed() => return Ok(place.program),
        None => place.begin()?,
        Some(child) => child,
    };
    let mut child = child;
    if !child.wait().context("cannot wait for cargo")?.success() {
        let log = std::fs::read_to_string(place.log()).unwrap_or_default();
        bail!("mdBook {VERSION}, which the guide is built with, cannot be installed:\n{}", log.trim_end());
    }
    std::fs::remove_dir_all(place.tools.join("build")).context("cannot remove what mdBook was built in")?;
    Ok(place.program)
}
