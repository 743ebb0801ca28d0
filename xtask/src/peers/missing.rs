//! `cargo xtask peers missing`: missing edges found by our program and by others, on the same pairs.
//!
//! The work is that of `benchsuite/peers/missing`; here its Python, graph-tool and our program are made ready, and the page is written.

use super::networks::{lines, packages, publish};
use super::setup::environment;
use super::single_threaded;
use super::table::load;
use crate::debian;
use crate::place::{cargo, command, root, stdout, succeed, target};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

const SCRIPT: &str = "benchsuite/peers/missing";

const PROTOCOL: &str = "\
Of the largest component of each network a share of the edges is hidden, none of them in a random spanning tree (`ergodict network corrupt`), and all non-edges of what \
is left are ranked: precision of the first 20 and 100, average precision; calibration error of the first 1000 pairs in bins of 100. AUC is of the hidden edges against \
as many non-edges, uniform and degree-matched, of the table of the truth. Ties count as their mean over orders. CPU seconds are of one thread; of our program with reading and writing, of the \
others without. `stacking` and the two of graph-tool are given the share that was hidden, for their probabilities; our program is not.\n";

/// What is ours to look at among the arguments; the others go to the script.
#[derive(Debug, Default, PartialEq)]
struct Options {
    /// The program to measure, instead of one that is built.
    binary: Option<PathBuf>,
    /// Ending of the name of the page, so that runs of one day do not replace each other.
    label: Option<String>,
    /// Nothing is scored.
    checks: bool,
    /// The page is only printed.
    quick: bool,
    rest: Vec<String>,
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "--binary" => options.binary = Some(value()?.into()),
            "--label" => options.label = Some(value()?.clone()),
            "--self-check" => options.checks = true,
            "--quick" => {
                options.quick = true;
                options.rest.push(word.clone());
            }
            _ => options.rest.push(word.clone()),
        }
    }
    let plain = |label: &String| label.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    if let Some(label) = options.label.as_ref().filter(|label| label.is_empty() || !plain(label)) {
        bail!("--label takes letters, digits and hyphens, not `{label}`");
    }
    if let Some(binary) = &mut options.binary {
        // Commands run in the root of the repository, whatever folder the path was given in.
        *binary = std::path::absolute(&*binary)?;
        if !binary.is_file() {
            bail!("--binary: there is no file {}", binary.display());
        }
    }
    Ok(options)
}

/// Scores, prints the tables and writes them under `benchsuite/runs`; with `--self-check` only tests the script.
pub(super) fn run(arguments: &[String]) -> Result<bool> {
    let options = parse(arguments)?;
    let target = target()?;
    let folder = target.strip_prefix(root()).unwrap_or(&target).join("peers/missing");
    std::fs::create_dir_all(root().join(&folder))
        .with_context(|| format!("cannot make {}", folder.display()))?;
    let list = "requirements.txt";
    std::fs::copy(root().join(SCRIPT).join(list), root().join(&folder).join(list))?;
    let python = environment(&folder)?;
    let graph_tool = graph_tool();
    let mut script = single_threaded(&python);
    // gensim orders words by the hash of strings.
    script.env("PYTHONHASHSEED", "0").arg(SCRIPT).args(["--graph-tool", &graph_tool]);
    if options.checks {
        return succeed(script.arg("--self-check")).map(|()| true);
    }
    let program = if let Some(program) = &options.binary {
        program.clone()
    } else {
        succeed(&mut cargo("build --locked --release --package ergodict-cli"))?;
        target.join(format!("release/ergodict{}", std::env::consts::EXE_SUFFIX))
    };
    let before = load();
    script.arg("--binary").arg(program).arg("--work").arg(folder).args(&options.rest);
    let output = script.stderr(Stdio::inherit()).output().context("cannot start Python")?;
    if !output.status.success() {
        bail!("{SCRIPT} failed ({})", output.status);
    }
    let raw = String::from_utf8_lossy(&output.stdout);
    let mut page = page(&lines(&raw))?;
    if options.binary.is_some() {
        page = format!("- the program was named by `--binary`: it need not be of the commit above\n{page}");
    }
    if options.quick {
        println!("{page}");
        return Ok(true);
    }
    let records: String = raw
        .lines()
        .filter(|line| !line.contains("\"page\""))
        .fold(String::new(), |text, line| text + line + "\n");
    let name = options.label.map_or("missing-peers".into(), |label| format!("missing-peers-{label}"));
    publish(&name, "Missing edges beside other methods", &before, &page, &records)?;
    Ok(true)
}

/// What was run, the protocol, and the tables that the script made.
fn page(lines: &[Value]) -> Result<String> {
    let last = lines.last().context("the script printed nothing")?;
    let (about, tables) = (&last["about"], last["page"].as_str().context("the script printed no tables")?);
    let packages = packages(about)?;
    let mut text = format!(
        "- scored by {}; peers: {}\n",
        about["program"].as_str().unwrap_or("unknown"),
        packages.join(", ")
    );
    for (name, reason) in about["left_out"].as_object().into_iter().flatten() {
        writeln!(text, "- left out: {name} ({})", reason.as_str().unwrap_or("?"))?;
    }
    if !packages.iter().any(|name| name.starts_with("graph-tool")) {
        text += "- **graph-tool was left out**: it could not be had\n";
    }
    if let Some(count) = about["skipped"].as_u64().filter(|&count| count > 0) {
        writeln!(text, "- cases (network, share, seed) not run for want of time (`--minutes`): {count}")?;
    }
    let deviation = about["deviation"].as_f64().unwrap_or(f64::NAN);
    writeln!(
        text,
        "- resource allocation and Adamic–Adar are those of networkx: largest difference {deviation:.1e}\n"
    )?;
    Ok(text + PROTOCOL + "\n" + tables)
}

/// A Python that has graph-tool, which is a package of the system; `none` where it cannot be had.
fn graph_tool() -> String {
    let find = || {
        ["python3", "/usr/bin/python3"].into_iter().find(|python| {
            stdout(command(python).args(["-W", "ignore", "-c", "import graph_tool.inference"])).is_ok()
        })
    };
    let found = find().or_else(|| {
        let installed = debian::install(&["python3-graph-tool"], "no Python here has graph-tool");
        if let Err(error) = installed {
            eprintln!("!!! {error:#}: its block models are left out");
        }
        find()
    });
    found.unwrap_or("none").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn what_is_not_ours_goes_to_the_script() {
        let options = parse(&words("--seeds 0,1 --label after --quick --networks karate")).unwrap();
        let rest = words("--seeds 0,1 --quick --networks karate");
        let wanted = Options { label: Some("after".into()), quick: true, rest, ..Options::default() };
        assert_eq!(options, wanted);
        assert!(parse(&words("--self-check")).unwrap().checks);
        for bad in ["--binary", "--binary no-such-file", "--label", "--label a/b"] {
            assert!(parse(&words(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_page_names_what_was_left_out() {
        let about = json!({ "program": "ergodict 1", "packages": { "networkx": "3" }, "left_out": { "ppi": "no file" }, "skipped": 2, "deviation": 0.0 });
        let text = page(&[json!({ "method": "l3" }), json!({ "about": about, "page": "TABLES" })]).unwrap();
        for part in [
            "ergodict 1",
            "networkx 3",
            "left out: ppi (no file)",
            "graph-tool was left out",
            "(`--minutes`): 2",
            "TABLES",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(page(&[]).is_err() && page(&[json!({ "method": "l3" })]).is_err());
    }
}
