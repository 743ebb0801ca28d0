//! The step `package`: the crates that are published, packaged as cargo would upload them.

use super::show;
use crate::place::{cargo, stdout};
use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Packages all of them together, so that those that need each other are found without a registry. They are not built once more: the other
/// steps build the same files.
pub(super) fn check() -> Result<()> {
    let metadata: Value =
        serde_json::from_str(&stdout(&mut cargo("metadata --locked --format-version 1 --no-deps"))?)?;
    let published = published(&metadata)?;
    for name in &published {
        let files = stdout(&mut cargo(&format!("package --locked --allow-dirty --list --package {name}")))?;
        complete(name, &files)?;
    }
    let mut package = cargo("package --locked --offline --no-verify --allow-dirty --quiet");
    published.iter().for_each(|name| {
        package.args(["--package", name]);
    });
    show(&mut package)
}

/// The packages that may be published.
fn published(metadata: &Value) -> Result<Vec<String>> {
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let may = packages.iter().filter(|package| package["publish"].is_null());
    Ok(may.filter_map(|package| Some(package["name"].as_str()?.to_owned())).collect())
}

/// What a package must have, and what does not belong into it.
fn complete(name: &str, files: &str) -> Result<()> {
    let has = |wanted: &str| files.lines().any(|file| file == wanted);
    for wanted in ["Cargo.toml", "src/lib.rs", "LICENSE-MIT", "LICENSE-APACHE", "README.md"] {
        if !has(wanted) {
            bail!("the package {name} has no {wanted}");
        }
    }
    match files.lines().find(|file| file.starts_with("target/") || file.ends_with(".partial")) {
        Some(stray) => bail!("the package {name} has {stray}, which does not belong into it"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_are_not_published_are_left_out() {
        let metadata = serde_json::json!({"packages": [
            {"name": "a", "publish": null}, {"name": "b", "publish": []}, {"name": "c", "publish": null}]});
        assert_eq!(published(&metadata).unwrap(), ["a", "c"]);
        assert!(published(&Value::Null).is_err());
    }

    #[test]
    fn a_package_needs_its_licenses_and_nothing_else() {
        let whole = "Cargo.toml\nLICENSE-APACHE\nLICENSE-MIT\nREADME.md\nsrc/lib.rs\n";
        complete("a", whole).unwrap();
        for wanted in whole.lines() {
            assert!(complete("a", &whole.replace(wanted, "x")).is_err(), "{wanted}");
        }
        assert!(complete("a", &format!("{whole}target/x\n")).is_err());
    }
}
