//! `cargo xtask peers networks reconstruct`: network dictionary learning and reconstruction next to ndlearn and the project's targets.

use super::networks::{Sides, lines, publish, short};
use super::table::load;
use super::{number, single_threaded};
use crate::place::{command, root, stdout};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write as _;

/// Seconds or megabytes: what the project set as its bar, and what it hopes for.
#[derive(Clone, Copy)]
struct Target {
    accept: f64,
    chase: Option<f64>,
}

/// Milliseconds of one learning, with the set-up of the sampler.
const LEARNING: Target = Target { accept: 40.0, chase: Some(27.0) };

/// Runs the peer, then ours; prints the table and writes it under `benchsuite/runs`.
pub(super) fn run(sides: &Sides, arguments: &[String]) -> Result<()> {
    let before = load();
    eprintln!("learning and reconstruction: ndlearn, half a minute …");
    let mut peer = single_threaded(&sides.python);
    // It draws from sets of strings, whose order is another in every process unless this is set.
    peer.env("PYTHONHASHSEED", "0");
    let theirs = stdout(peer.arg("benchsuite/peers/reconstruct.py").arg("--json").args(arguments))?;
    let mut raw = theirs.clone();
    for what in ["learning", "reconstruct"] {
        eprintln!("ours, {what} …");
        // Both choose their number of threads themselves.
        raw += &stdout(command(root().join(&sides.benchsuite)).args([what, "--json"]))?;
    }
    let ours = lines(raw.strip_prefix(&theirs).unwrap_or(&raw));
    let tables = tables(&ours, &lines(&theirs))?;
    publish("reconstruct", "Network learning and reconstruction beside ndlearn", &before, &tables, &raw)
}

/// Most wall seconds of a reconstruction. They were set for all pairs of Facebook.
fn seconds(row: &Value) -> Option<Target> {
    match (row["network"].as_str()?, row["what"].as_str()?, row["threads"].as_u64()?) {
        ("facebook", "plain", 1) => Some(Target { accept: 0.55, chase: Some(0.38) }),
        ("facebook", "plain", 2) => Some(Target { accept: 0.30, chase: Some(0.22) }),
        _ => None,
    }
}

/// Most megabytes of the process that reconstructs.
fn memory(row: &Value) -> Target {
    let accept = match (row["network"].as_str(), row["what"].as_str()) {
        (Some("facebook"), _) => 200.0,
        (_, Some("edges")) => 300.0,
        _ => 2000.0,
    };
    Target { accept, chase: None }
}

impl Target {
    fn verdict(self, value: f64) -> &'static str {
        match self.chase {
            Some(chase) if value <= chase => "chased",
            _ if value <= self.accept => "accepted",
            _ => "**missed**",
        }
    }

    fn cells(this: Option<Self>, value: f64) -> String {
        let Some(this) = this else { return "| – | – | – ".into() };
        let chase = this.chase.map_or("–".into(), |chase| chase.to_string());
        format!("| {} | {chase} | {} ", this.accept, this.verdict(value))
    }
}

fn tables(ours: &[Value], theirs: &[Value]) -> Result<String> {
    let peer = |what: &str| theirs.iter().find(|row| row["what"] == what);
    let name = theirs.first().and_then(|row| row["library"].as_str()).unwrap_or("ndlearn");
    let mut text = String::new();
    for row in theirs {
        let field = |key: &str| row[key].as_str().unwrap_or("?").to_owned();
        let each = 1e3 * number(row, "cpu_s")? / number(row, "count")?;
        writeln!(
            text,
            "- {name}, {}: {}; {each:.1} ms of CPU time for {}",
            field("what"),
            field("note"),
            field("unit")
        )?;
    }
    text += "\n## Learning\n\nSNAP Facebook, chain motif, k = 21, 25 atoms, 100 minibatches of 100 patches, λ = 1, one step a minibatch; one thread, \
             medians. The peer ran once, with the approximate pivot and in f64. The target is that of the CPU time with the set-up of \
             the sampler.\n\n";
    writeln!(
        text,
        "| sampler | precision | CPU ms | with set-up | wall ms with set-up | {name} CPU ms | ratio | accept | chase | target |\n\
         |---|---|---|---|---|---|---|---|---|---|"
    )?;
    for row in ours.iter().filter(|row| row["part"] == "learning") {
        let (sampler, precision) =
            (row["sampler"].as_str().unwrap_or("?"), row["precision"].as_str().unwrap_or("?"));
        let with = number(row, "cpu_ms_with_set_up")?;
        let (cpu, wall) = (number(row, "cpu_ms")?, number(row, "wall_ms_with_set_up")?);
        // Nothing of ndlearn draws from the exact law, so there is nothing to compare with.
        let peer = peer("learning").filter(|_| sampler == "pivot-approx");
        let (peer, ratio) =
            beside(peer.map(|peer| number(peer, "cpu_s")).transpose()?.map(|s| 1e3 * s), with);
        let target = Target::cells(Some(LEARNING), with);
        writeln!(
            text,
            "| {sampler} | {precision} | {cpu:.2} | {with:.2} | {wall:.2} | {peer} | {ratio} {target}|"
        )?;
    }
    let count = |key: &str| {
        let of = |row: &Value| row[key].as_u64().filter(|_| row["part"] == "reconstruction");
        ours.iter().find_map(of).with_context(|| format!("no reconstruction has `{key}`"))
    };
    let samples = count("samples")?;
    write!(
        text,
        "\n## Reconstruction\n\n{samples} homomorphisms of the approximate pivot, λ = 0, f32, medians of {}; largest component of each \
         network. *plain*: all pairs; *reversal*: the same with every atom reversed too, which {name} always does; \
         *off-motif*: without the entries of motif edges; *edges*: only the pairs that are edges. {name} is **scaled** from {} \
         homomorphisms to as many, and the ratio is of CPU times with one thread; the targets are of wall time. Memory is the peak of a process \
         that reads the network, learns and reconstructs.\n\n",
        count("repeats")?,
        peer("reconstruction").map_or("no".into(), |row| row["count"].to_string()),
    )?;
    writeln!(
        text,
        "| network | what | threads | wall s | best | CPU s | pairs | {name} CPU s, scaled | ratio | accept | chase | target \
         | peak MB | at most | target |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    )?;
    for row in ours.iter().filter(|row| row["part"] == "reconstruction") {
        let (network, what) = (row["network"].as_str().unwrap_or("?"), row["what"].as_str().unwrap_or("?"));
        let (wall, cpu) = (number(row, "seconds")?, number(row, "cpu_seconds")?);
        let same = row["threads"] == 1 && network == "facebook" && ["plain", "reversal"].contains(&what);
        let scaled = peer("reconstruction").filter(|_| same).map(|peer| -> Result<f64> {
            Ok(number(peer, "cpu_s")? / number(peer, "count")? * samples as f64)
        });
        let (peer, ratio) = beside(scaled.transpose()?, cpu);
        let target = Target::cells(seconds(row), wall);
        let at_most = memory(row);
        let (peak, verdict) = row["peak_mb"]
            .as_f64()
            .map_or(("not told".into(), "–"), |peak| (format!("{peak:.0}"), at_most.verdict(peak)));
        writeln!(
            text,
            "| {network} | {what} | {} | {wall:.3} | {:.3} | {cpu:.3} | {} | {peer} | {ratio} {target}| {peak} | {} | {verdict} |",
            row["threads"],
            number(row, "best_seconds")?,
            row["pairs"],
            at_most.accept,
        )?;
    }
    Ok(text)
}

/// The peer's figure and how many of ours go into it.
fn beside(peer: Option<f64>, ours: f64) -> (String, String) {
    peer.map_or(("–".into(), "–".into()), |peer| (short(peer), format!("{}×", short(peer / ours))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn learning(sampler: &str, ms: f64) -> Value {
        json!({"part": "learning", "network": "facebook", "sampler": sampler, "precision": "f64", "repeats": 7,
            "cpu_ms": ms - 1.0, "cpu_ms_with_set_up": ms, "wall_ms_with_set_up": ms, "set_up_ms": 1.0})
    }

    fn reconstruction(network: &str, what: &str, threads: u64, seconds: f64, peak: Option<f64>) -> Value {
        json!({"part": "reconstruction", "network": network, "what": what, "threads": threads, "samples": 200_000,
            "repeats": 7, "seconds": seconds, "best_seconds": seconds, "cpu_seconds": seconds, "pairs": 9, "peak_mb": peak})
    }

    #[test]
    fn ours_is_compared_with_the_peer_and_the_targets() {
        let theirs = [
            json!({"library": "slow 1", "what": "learning", "unit": "one", "count": 100, "cpu_s": 20.0, "note": ""}),
            json!({"library": "slow 1", "what": "reconstruction", "unit": "one", "count": 500, "cpu_s": 4.0, "note": ""}),
        ];
        let ours = [
            learning("pivot-approx", 25.0),
            learning("exact", 41.0),
            reconstruction("facebook", "plain", 1, 0.5, Some(150.0)),
            reconstruction("facebook", "plain", 2, 0.2, Some(201.0)),
            reconstruction("arxiv", "plain", 1, 3.0, Some(1999.0)),
            reconstruction("arxiv", "edges", 1, 3.0, None),
        ];
        let text = tables(&ours, &theirs).unwrap();
        for row in [
            "- slow 1, reconstruction: ; 8.0 ms of CPU time for one",
            "| pivot-approx | f64 | 24.00 | 25.00 | 25.00 | 20000 | 800× | 40 | 27 | chased |",
            "| exact | f64 | 40.00 | 41.00 | 41.00 | – | – | 40 | 27 | **missed** |",
            "| facebook | plain | 1 | 0.500 | 0.500 | 0.500 | 9 | 1600 | 3200× | 0.55 | 0.38 | accepted | 150 | 200 | accepted |",
            "| facebook | plain | 2 | 0.200 | 0.200 | 0.200 | 9 | – | – | 0.3 | 0.22 | chased | 201 | 200 | **missed** |",
            "| arxiv | plain | 1 | 3.000 | 3.000 | 3.000 | 9 | – | – | – | – | – | 1999 | 2000 | accepted |",
            "| arxiv | edges | 1 | 3.000 | 3.000 | 3.000 | 9 | – | – | – | – | – | not told | 300 | – |",
        ] {
            assert!(text.contains(row), "no\n{row}\nin\n{text}");
        }
    }
}
