//! Example changes as patches in `xtask/probes`: how many files a contributor edits by hand for each.

use crate::place::{command, stdout};
use anyhow::{Context, Result};
use std::path::Path;

/// The changes, and the files that each may touch.
const PROBES: [(&str, usize); 8] = [
    ("constraint-set", 2),
    ("spin-chain", 6),
    ("denoising-method", 4),
    ("flag", 3),
    ("report-section", 3),
    ("file-format", 6),
    ("default-sampler", 2),
    ("python-function", 5),
];

/// What a command writes, which does not count where a patch has it: `cargo xtask generate`, and the snapshot tests with `TRYCMD=overwrite` or
/// `UPDATE_DOCS=1`.
const GENERATED: [&str; 4] = [
    "python/ergodict/_settings.py",
    "crates/ergodict-cli/tests/cli/help/",
    "crates/ergodict-cli/tests/cli/errors/",
    "docs/json.md",
];

/// Prints the files that each patch touches; a patch that does not apply any more is named.
pub(super) fn print(folder: &Path) -> Result<()> {
    for (name, target) in PROBES {
        let touched = touched(folder, name)?;
        let now = touched.as_ref().map_or_else(|| "-".to_owned(), |touched| touched.by_hand.to_string());
        let generated = match touched.as_ref().map_or(0, |touched| touched.generated) {
            0 => String::new(),
            count => format!("  and {count} generated"),
        };
        let stale =
            if touched.is_some_and(|touched| !touched.applies) { "  (the patch does not apply)" } else { "" };
        println!("{name:66} {now:>6} {:>8}{generated}{stale}", format!("≤ {target}"));
    }
    Ok(())
}

/// The files that a patch touches.
struct Touched {
    by_hand: usize,
    generated: usize,
    /// Whether it still applies.
    applies: bool,
}

/// What a patch touches, if there is one.
fn touched(folder: &Path, name: &str) -> Result<Option<Touched>> {
    let patch = folder.join("xtask/probes").join(name).with_extension("patch");
    if !patch.is_file() {
        return Ok(None);
    }
    let git = |flag: &str| {
        let mut git = command("git");
        git.current_dir(folder).args(["apply", flag]).arg(&patch);
        git
    };
    let applies = git("--check").output().context("cannot start git")?.status.success();
    let files = stdout(&mut git("--numstat"))?;
    let paths: Vec<&str> = files.lines().filter_map(|line| line.rsplit('\t').next()).collect();
    let is_generated = |path: &&&str| GENERATED.iter().any(|own| path.starts_with(own));
    let generated = paths.iter().filter(is_generated).count();
    Ok(Some(Touched { by_hand: paths.len() - generated, generated, applies }))
}
