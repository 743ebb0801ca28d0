//! `cargo xtask peers graphs`: whole graphs classified by our features of them and by those of karateclub.
//!
//! The work is that of `benchsuite/peers/graphs.py`; here its environment and our package are made ready, and the page is written.

use super::networks::{lines, packages, publish};
use super::setup::environment;
use super::single_threaded;
use super::table::load;
use crate::place::{command, root, succeed, target};
use crate::wheel;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

const SCRIPT: &str = "benchsuite/peers/graphs.py";
/// Installed by itself: its dependencies are those of `graphs.txt`.
const KARATECLUB: &str = "karateclub==1.3.3";

const PROTOCOL: &str = "\
Graphs of a collection have 60 nodes, less what is not in the largest component, and but for pieces of real networks as many edges in every class. Every method sees all graphs of a collection and no class. \
Cells: accuracy of logistic regression on standardized columns · of a random forest of 100 trees, in 10 folds, the mean over seeds, for each of which graphs are generated again; the best of a column in bold. `latent motifs` is \
`NetworkDictionary(rewired_copies=0).fit_transform(graphs)`, with settings as they are by default but for minibatches of a patch a graph or more; \
others are as karateclub has them by default. CPU time is that of making the rows, learning included, on one thread.\n";

/// Classifies, prints the table and writes it under `benchsuite/runs`. `--package FOLDER` measures the package in that folder instead of a wheel that is
/// built; other arguments go to the script.
pub(super) fn run(arguments: &[String]) -> Result<bool> {
    let (package, rest) = parse(arguments)?;
    let target = target()?;
    let folder = target.strip_prefix(root()).unwrap_or(&target).join("peers/graphs");
    std::fs::create_dir_all(root().join(&folder))
        .with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::copy(root().join("benchsuite/peers/graphs.txt"), root().join(&folder).join("requirements.txt"))?;
    let python = environment(&folder)?;
    let install = |what: &Path| {
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
        succeed(command(root().join(&python)).args(pip).arg(what))
    };
    install(Path::new(KARATECLUB))?;
    let mut script = single_threaded(&python);
    // gensim orders words by the hash of strings.
    script.env("PYTHONHASHSEED", "0").arg(SCRIPT);
    match &package {
        Some(folder) => drop(script.arg("--package").arg(folder)),
        None => install(&wheel::make("release")?)?,
    }
    let before = load();
    let output = script.args(&rest).stderr(Stdio::inherit()).output().context("cannot start Python")?;
    if !output.status.success() {
        bail!("{SCRIPT} failed ({})", output.status);
    }
    let raw = String::from_utf8_lossy(&output.stdout);
    let mut page = page(&lines(&raw))?;
    if package.is_some() {
        page = format!("- the package was named by `--package`: it need not be of the commit above\n{page}");
    }
    if rest.iter().any(|word| word == "--quick") {
        println!("{page}");
        return Ok(true);
    }
    let records: String = raw
        .lines()
        .filter(|line| !line.contains("\"page\""))
        .fold(String::new(), |text, line| text + line + "\n");
    publish("graphs", "Graph classification compared with karateclub", &before, &page, &records)?;
    Ok(true)
}

/// The folder of the package, where one is given, and what goes to the script.
pub(super) fn parse(arguments: &[String]) -> Result<(Option<PathBuf>, Vec<String>)> {
    let (mut package, mut rest, mut words) = (None, Vec::new(), arguments.iter());
    while let Some(word) = words.next() {
        if word == "--package" {
            // Commands run in the root of the repository, whatever folder the path was given in.
            let folder = std::path::absolute(words.next().context("--package needs a value")?)?;
            if !folder.join("ergodict").is_dir() {
                bail!("--package: there is no package ergodict in {}", folder.display());
            }
            package = Some(folder);
        } else {
            rest.push(word.clone());
        }
    }
    Ok((package, rest))
}

/// What was run, the protocol, and the table that the script made.
fn page(lines: &[Value]) -> Result<String> {
    let last = lines.last().context("the script printed nothing")?;
    let (about, table) = (&last["about"], last["page"].as_str().context("the script printed no table")?);
    let packages = packages(about)?;
    let mut text = format!(
        "- {} graphs of each class, seeds {}; {}\n",
        about["graphs"],
        about["seeds"].as_str().unwrap_or("?"),
        packages.join(", ")
    );
    for (name, reason) in about["failed"].as_object().into_iter().flatten() {
        writeln!(text, "- failed: {name} ({})", reason.as_str().unwrap_or("?"))?;
    }
    Ok(format!("{text}\n{PROTOCOL}\n{table}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_not_ours_goes_to_the_script() {
        let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        assert_eq!(parse(&words("--seeds 1 --quick")).unwrap(), (None, words("--seeds 1 --quick")));
        for bad in ["--package", "--package no-such-folder"] {
            assert!(parse(&words(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_page_names_what_failed() {
        let about = json!({ "packages": { "karateclub": "1" }, "failed": { "IGE": "no" }, "graphs": 5, "seeds": "1" });
        let text = page(&[json!({ "method": "x" }), json!({ "about": about, "page": "TABLE" })]).unwrap();
        for part in ["karateclub 1", "failed: IGE (no)", "5 graphs of each class, seeds 1", "TABLE"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(page(&[]).is_err() && page(&[json!({ "method": "x" })]).is_err());
    }
}
