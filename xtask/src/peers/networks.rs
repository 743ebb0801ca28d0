//! `cargo xtask peers networks`: our samplers and reader next to other libraries, on the same network, in one run; then `reconstruct.rs`.

use super::setup::environment;
use super::table::{impersonal, load, machine};
use super::{reconstruct, single_threaded};
use crate::place::{cargo, command, root, stdout, succeed, target};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The two sides. Paths inside the repository are relative to its root, where every command runs.
pub(super) struct Sides {
    pub(super) python: PathBuf,
    pub(super) benchsuite: PathBuf,
}

/// One part or both: samplers and readers, then learning and reconstruction. Further arguments go to the script of the part
/// that was named, else to that of the samplers.
pub(super) fn run(arguments: &[String]) -> Result<bool> {
    let (part, rest) = match arguments.split_first() {
        Some((word, rest)) if !word.starts_with('-') => (Some(word.as_str()), rest),
        _ => (None, arguments),
    };
    if let Some(other) = part.filter(|part| !["samplers", "reconstruct"].contains(part)) {
        bail!("no part `{other}`: the parts of `peers networks` are samplers and reconstruct");
    }
    let sides = prepare()?;
    if part != Some("reconstruct") {
        samplers(&sides, rest)?;
    }
    if part != Some("samplers") {
        reconstruct::run(&sides, if part.is_some() { rest } else { &[] })?;
    }
    Ok(true)
}

fn prepare() -> Result<Sides> {
    let target = target()?;
    let target = target.strip_prefix(root()).unwrap_or(&target).to_owned();
    let folder = target.join("peers/networks");
    std::fs::create_dir_all(root().join(&folder))
        .with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::copy(
        root().join("benchsuite/peers/networks.txt"),
        root().join(&folder).join("requirements.txt"),
    )?;
    let python = environment(&folder)?;
    succeed(&mut cargo("build --locked --release --package benchsuite"))?;
    Ok(Sides { python, benchsuite: target.join("release/benchsuite") })
}

/// Runs ours, the peers, and ours again; prints the table and writes it under `benchsuite/runs`.
fn samplers(sides: &Sides, arguments: &[String]) -> Result<()> {
    let before = load();
    let ours = |round: &str| {
        eprintln!("ours, {round} …");
        // SamplerBuilder run on one thread by themselves; reading is timed on one and on all.
        stdout(command(root().join(&sides.benchsuite)).args(["networks", "--json"])).map(|text| lines(&text))
    };
    let first = ours("before the peers")?;
    eprintln!("the peers …");
    let mut peers = single_threaded(&sides.python);
    let text = stdout(peers.arg("benchsuite/peers/networks.py").arg("--json").args(arguments))?;
    let second = ours("after the peers")?;
    let tables = tables(&[first.clone(), second.clone()], &lines(&text))?;
    let raw: String = first.iter().chain(&second).map(|line| format!("{line}\n")).chain([text]).collect();
    publish("networks", "Networks beside their peers", &before, &tables, &raw)
}

/// Prints a page and writes it and the raw lines under `benchsuite/runs/<date>`.
pub(crate) fn publish(file: &str, title: &str, load_before: &str, tables: &str, raw: &str) -> Result<()> {
    let date = stdout(command("date").arg("+%F"))?.trim().to_owned();
    let page = format!("# {title}, {date}\n\n{}\n{tables}", machine(load_before));
    println!("{page}");
    let runs = format!("benchsuite/runs/{date}");
    std::fs::create_dir_all(root().join(&runs)).with_context(|| format!("cannot make {runs}"))?;
    for (ending, text) in [("md", page.as_str()), ("jsonl", raw)] {
        let name = format!("{runs}/{file}.{ending}");
        std::fs::write(root().join(&name), impersonal(text))
            .with_context(|| format!("cannot write {name}"))?;
        eprintln!("wrote {name}");
    }
    Ok(())
}

pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).filter(Value::is_object).collect()
}

/// What of ours does the same as a row of a peer, on the network `facebook`.
fn same(what: &str, unit: &str) -> Option<&'static str> {
    let patch = unit.starts_with("one homomorphism and its");
    match () {
        () if what.starts_with("read ") => Some("read"),
        () if what.contains("exact") && patch => Some("pivot + patch bits"),
        () if patch => Some("pivot-approx + patch bits"),
        () if unit.starts_with("one homomorphism") || unit.starts_with("one walk") => Some("pivot-approx"),
        () if unit.starts_with("one update of one node, no patch") => Some("glauber updates"),
        () => None,
    }
}

fn tables(ours: &[Vec<Value>; 2], peers: &[Value]) -> Result<String> {
    let mut text = String::from(
        "One thread, CPU time; ours is the better of two rounds, before and after the peers. A patch of ours is the mask of its \
         pairs.\n\n| network | what | a second | µs each | set-up ms |\n|---|---|---|---|---|\n",
    );
    let best = |what: &str, network: &str| {
        let of = |lines: &Vec<Value>| {
            let row = lines.iter().find(|l| l["what"] == what && l["network"] == network)?;
            row["per_second"].as_f64()
        };
        ours.iter().filter_map(of).reduce(f64::max)
    };
    for row in &ours[0] {
        let (network, what) = (row["network"].as_str().unwrap_or("?"), row["what"].as_str().unwrap_or("?"));
        let set_up = row["set_up_ms"].as_f64().map_or_else(String::new, |ms| format!("{ms:.1}"));
        match best(what, network) {
            Some(rate) => {
                writeln!(text, "| {network} | {what} | {} | {:.3} | {set_up} |", short(rate), 1e6 / rate)?;
            }
            None => writeln!(
                text,
                "| {network} | {what} | {} | | {set_up} |",
                row["note"].as_str().unwrap_or("")
            )?,
        }
    }
    text += "\n| library | what | one unit | theirs a second | ours | ratio |\n|---|---|---|---|---|---|\n";
    for row in peers {
        let field = |key: &str| row[key].as_str().unwrap_or("?").to_owned();
        let (what, unit) = (field("what"), field("unit"));
        let (Some(theirs), Some(same)) = (row["per_second"].as_f64(), same(&what, &unit)) else { continue };
        let network = if same == "read" { "5 million pairs" } else { "facebook" };
        let Some(mine) = best(same, network) else { continue };
        writeln!(
            text,
            "| {} | {what} | {unit} | {} | {} ({same}) | {}× |",
            field("library"),
            short(theirs),
            short(mine),
            short(mine / theirs)
        )?;
    }
    for row in peers.iter().filter(|row| row.get("per_second").is_none()) {
        writeln!(text, "\n`{row}`")?;
    }
    Ok(text)
}

/// Three digits of a number.
pub(crate) fn short(x: f64) -> String {
    match x {
        x if x >= 1e6 => format!("{:.2} M", x / 1e6),
        x if x >= 100.0 => format!("{x:.0}"),
        x if x >= 1.0 => format!("{x:.2}"),
        x => format!("{x:.3}"),
    }
}

/// What a script says of the packages that it used: names with versions.
pub(super) fn packages(about: &Value) -> Result<Vec<String>> {
    let packages = about["packages"].as_object().context("the script names no packages")?;
    let each = packages.iter().map(|(name, version)| format!("{name} {}", version.as_str().unwrap_or("?")));
    Ok(each.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_are_compared_with_what_does_the_same() {
        let ours = |rate: f64| {
            vec![
                json!({"network": "facebook", "what": "pivot-approx + patch bits", "per_second": rate, "set_up_ms": 0.3}),
                json!({"network": "twitter", "what": "pivot-approx + patch bits", "per_second": 1.0}),
            ]
        };
        let peers = [json!({
            "library": "slow 1.0", "what": "approximate pivot", "unit": "one homomorphism and its 21×21 patch",
            "per_second": 400.0,
        })];
        let text = tables(&[ours(3e6), ours(2e6)], &peers).unwrap();
        assert!(
            text.contains(
                "| slow 1.0 | approximate pivot | one homomorphism and its 21×21 patch | 400 | 3.00 M"
            ),
            "{text}"
        );
        assert!(text.contains("| 7500× |"), "{text}");
        assert_eq!(same("load Facebook", "one edge of 88,234"), None);
    }
}
