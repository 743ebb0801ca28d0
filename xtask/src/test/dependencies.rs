//! Licenses, bans and sources of deny.toml, checked against Cargo.lock without a network.

use crate::place::{cargo, root, stdout};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What deny.toml allows and forbids.
struct Policy {
    allow: BTreeSet<String>,
    /// Further licenses of single crates.
    exceptions: BTreeMap<String, BTreeSet<String>>,
    deny: BTreeSet<String>,
}

impl Policy {
    fn parse(text: &str) -> Result<Self> {
        let file: toml::Table = text.parse().context("deny.toml is not TOML")?;
        let list = |table: &str, key: &str| {
            let list = file.get(table).and_then(|table| table.get(key)).and_then(toml::Value::as_array);
            list.with_context(|| format!("deny.toml has no list `{key}` in [{table}]"))
        };
        let allow =
            list("licenses", "allow")?.iter().filter_map(|license| Some(license.as_str()?.to_owned()));
        let deny =
            list("bans", "deny")?.iter().filter_map(|ban| Some(ban.get("crate")?.as_str()?.to_owned()));
        let exception = |entry: &toml::Value| {
            let allow = entry.get("allow")?.as_array()?.iter();
            let allow = allow.filter_map(|license| Some(license.as_str()?.to_owned()));
            Some((entry.get("crate")?.as_str()?.to_owned(), allow.collect()))
        };
        let exceptions = list("licenses", "exceptions")?.iter().filter_map(exception);
        let strict = |table: &str, key: &str| {
            let value = file.get(table).and_then(|table| table.get(key)).and_then(toml::Value::as_str);
            if value == Some("deny") {
                return Ok(());
            }
            bail!("deny.toml must have `{key} = \"deny\"` in [{table}]: this check knows nothing else")
        };
        strict("bans", "wildcards")?;
        strict("sources", "unknown-registry")?;
        strict("sources", "unknown-git")?;
        Ok(Self { allow: allow.collect(), exceptions: exceptions.collect(), deny: deny.collect() })
    }

    /// The same with the licenses of one crate.
    fn for_crate(&self, name: &str) -> Self {
        let more = self.exceptions.get(name).into_iter().flatten();
        let allow = self.allow.iter().chain(more).cloned().collect();
        Self { allow, exceptions: BTreeMap::new(), deny: self.deny.clone() }
    }

    /// Whether an SPDX expression can be met: one of the alternatives of `OR` whose parts are all allowed. `/` is an old `OR`.
    fn allows(&self, expression: &str) -> bool {
        let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut rest = &words[..];
        self.any_of(&mut rest) == Some(true) && rest.is_empty()
    }

    fn any_of(&self, words: &mut &[&str]) -> Option<bool> {
        let mut allowed = self.all_of(words)?;
        while let ["OR", rest @ ..] = *words {
            *words = rest;
            allowed |= self.all_of(words)?;
        }
        Some(allowed)
    }

    fn all_of(&self, words: &mut &[&str]) -> Option<bool> {
        let mut allowed = self.one(words)?;
        while let ["AND", rest @ ..] = *words {
            *words = rest;
            allowed &= self.one(words)?;
        }
        Some(allowed)
    }

    fn one(&self, words: &mut &[&str]) -> Option<bool> {
        match *words {
            ["(", rest @ ..] => {
                *words = rest;
                let inner = self.any_of(words)?;
                let [")", rest @ ..] = *words else { return None };
                *words = rest;
                Some(inner)
            }
            [license, "WITH", exception, rest @ ..] => {
                *words = rest;
                Some(self.allow.contains(&format!("{license} WITH {exception}")))
            }
            [license, rest @ ..] => {
                *words = rest;
                Some(self.allow.contains(*license))
            }
            [] => None,
        }
    }

    /// What is wrong with a package of `cargo metadata`, if anything is.
    fn problem(&self, package: &Value) -> Option<String> {
        let text = |key: &str| package[key].as_str();
        let name = text("name").unwrap_or_default();
        let Some(source) = text("source") else {
            // A package of this workspace. What lies next to it needs no version to be the right one.
            let dependencies = package["dependencies"].as_array().into_iter().flatten();
            let mut wild = dependencies.filter(|one| one["req"] == "*" && one["path"].is_null());
            return wild.next().map(|one| format!("{name} takes any version of {}", one["name"]));
        };
        if !source.starts_with("registry+") {
            return Some(format!("{name} comes from {source}: only the registry is allowed"));
        }
        if self.deny.contains(name) {
            return Some(format!("{name} is banned"));
        }
        match text("license") {
            Some(license) if self.for_crate(name).allows(license) => None,
            license => Some(format!("{name} has the license {}", license.unwrap_or("(none)"))),
        }
    }
}

/// Checks every package of Cargo.lock.
pub(super) fn check() -> Result<()> {
    let path = root().join("deny.toml");
    let policy = Policy::parse(&std::fs::read_to_string(&path).context("cannot read deny.toml")?)?;
    let metadata: Value =
        serde_json::from_str(&stdout(&mut cargo("metadata --locked --format-version 1 --all-features"))?)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let mut problems: Vec<String> = packages.iter().filter_map(|package| policy.problem(package)).collect();
    let sources: BTreeSet<&str> = packages.iter().filter_map(|package| package["source"].as_str()).collect();
    if sources.len() > 1 {
        problems.push(format!("there are {} registries: expected one", sources.len()));
    }
    if !problems.is_empty() {
        bail!("deny.toml allows no such dependency:\n{}", problems.join("\n"));
    }
    println!("{} packages", packages.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> Policy {
        Policy::parse(
            "[licenses]\nallow = ['MIT', 'ISC', 'A WITH e']\nexceptions = [{ crate = 'b', allow = ['NCSA'] }]\n\
             [bans]\nwildcards = 'deny'\ndeny = [{ crate = 'openssl-sys' }]\n\
             [sources]\nunknown-registry = 'deny'\nunknown-git = 'deny'\n",
        )
        .unwrap()
    }

    #[test]
    fn a_policy_that_is_not_checked_is_refused() {
        let own = std::fs::read_to_string(root().join("deny.toml")).unwrap();
        Policy::parse(&own).unwrap();
        for key in ["wildcards", "unknown-registry", "unknown-git"] {
            let lax = own.replace(&format!("{key} = \"deny\""), &format!("{key} = \"warn\""));
            assert!(lax != own && Policy::parse(&lax).is_err(), "{key}");
        }
        assert!(Policy::parse("[licenses]\nallow = []\n").is_err() && Policy::parse("[licenses").is_err());
    }

    #[test]
    fn expressions_are_allowed_where_one_alternative_is() {
        for (license, allowed) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0/MIT", true),
            ("MIT AND GPL-3.0", false),
            ("MIT AND ISC", true),
            ("(GPL-3.0 OR MIT) AND ISC", true),
            ("(GPL-3.0 OR MIT) AND GPL-2.0", false),
            ("A WITH e", true),
            ("A", false),
            ("", false),
            ("(MIT", false),
            ("MIT ISC", false),
        ] {
            assert_eq!(policy().allows(license), allowed, "{license}");
        }
    }

    #[test]
    fn packages_are_refused_by_source_name_and_license() {
        let package = |source: Value, name: &str, license: Value| serde_json::json!({"source": source, "name": name, "license": license});
        for (package, words) in [
            (package("git+x".into(), "a", "MIT".into()), Some("only the registry")),
            (package("registry+x".into(), "openssl-sys", "MIT".into()), Some("banned")),
            (package("registry+x".into(), "a", "GPL-3.0".into()), Some("GPL-3.0")),
            (package("registry+x".into(), "a", Value::Null), Some("(none)")),
            (package("registry+x".into(), "a", "MIT".into()), None),
            (package("registry+x".into(), "a", "MIT AND NCSA".into()), Some("NCSA")),
            (package("registry+x".into(), "b", "MIT AND NCSA".into()), None),
            (
                serde_json::json!({"name": "ours", "dependencies": [{"name": "a", "req": "*"}]}),
                Some("any version"),
            ),
            (
                serde_json::json!({"name": "ours", "dependencies": [{"name": "a", "req": "*", "path": "../a"}]}),
                None,
            ),
            (package(Value::Null, "ours", Value::Null), None),
        ] {
            let problem = policy().problem(&package);
            assert_eq!(problem.is_some(), words.is_some(), "{package}");
            assert!(words.is_none_or(|words| problem.unwrap().contains(words)), "{package}");
        }
    }
}
