//! The step `msrv`: what users build compiles with the oldest Rust that Cargo.toml names.

use super::show;
use crate::place::{command, root, stdout, target};
use anyhow::{Context, Result};
use std::process::Command;

/// Checks every package but the developer's own with that toolchain of rustup; without it, says that nothing was checked.
pub(super) fn check() -> Result<()> {
    let oldest =
        declared(&std::fs::read_to_string(root().join("Cargo.toml")).context("cannot read Cargo.toml")?)?;
    let installed = stdout(Command::new("rustup").args(["toolchain", "list"])).unwrap_or_default();
    let Some(toolchain) = find(&installed, &oldest) else {
        println!(
            "SKIPPED: Rust {oldest} is not installed, and nothing was compiled with it (rustup toolchain install {oldest})"
        );
        return Ok(());
    };
    let mut check = command("rustup");
    check.args(["run", toolchain, "cargo", "check", "--locked", "--workspace", "--exclude", "xtask"]);
    // Another compiler has other files: next to those of the usual one they do not replace them.
    check.arg("--target-dir").arg(target()?.join("msrv"));
    for name in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"] {
        check.env_remove(name);
    }
    show(&mut check)
}

/// `rust-version` of the workspace.
fn declared(manifest: &str) -> Result<String> {
    let manifest: toml::Table = manifest.parse().context("Cargo.toml is not TOML")?;
    let package = manifest.get("workspace").and_then(|workspace| workspace.get("package"));
    let version = package.and_then(|package| package.get("rust-version")).and_then(toml::Value::as_str);
    Ok(version.context("Cargo.toml has no rust-version in [workspace.package]")?.to_owned())
}

/// The toolchain of that version in the list of rustup: `1.89` is also `1.89.0-x86_64-unknown-linux-gnu`, and not `1.8` or `1.890`.
fn find<'a>(installed: &'a str, version: &str) -> Option<&'a str> {
    let names = installed.lines().filter_map(|line| line.split_whitespace().next());
    let rest = |name: &&str| {
        name.strip_prefix(version).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
    };
    names.into_iter().find(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_toolchain_is_found_by_its_version() {
        let list = "stable-x86_64-unknown-linux-gnu (active, default)\n1.890.0-x86_64-unknown-linux-gnu\n1.89.0-x86_64-unknown-linux-gnu\n";
        assert_eq!(find(list, "1.89"), Some("1.89.0-x86_64-unknown-linux-gnu"));
        assert_eq!(find("1.89-aarch64-apple-darwin\n", "1.89"), Some("1.89-aarch64-apple-darwin"));
        assert_eq!((find(list, "1.8"), find("", "1.89")), (None, None));
    }

    #[test]
    fn the_version_is_that_of_the_workspace() {
        let own = declared(&std::fs::read_to_string(root().join("Cargo.toml")).unwrap()).unwrap();
        assert!(own.starts_with("1."), "{own}");
        assert!(declared("[workspace]\n").is_err());
    }
}
