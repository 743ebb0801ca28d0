//! `cargo xtask bench scale`: the tables of what `benchsuite scale` measures, next to the project's targets.

use crate::peers::networks::{lines, publish, short};
use crate::peers::table::{load, median};
use crate::place::{cargo, command, root, stdout, succeed, target};
use anyhow::{Result, bail};
use serde_json::Value;
use std::fmt::Write as _;

/// Most megabytes of anonymous memory while a list of edges is converted: what `--memory 2G` allows.
const CONVERTING: f64 = 2.0 * 1024.0 * 1024.0 * 1024.0 / 1e6;
/// Most megabytes of anonymous memory while learning and reconstructing.
const WORKING: f64 = 500.0;
/// Most times that a homomorphism may cost what it costs on Facebook.
const RATIO: f64 = 4.0;

/// Builds both programs, measures, prints the page and writes it under `benchsuite/runs`.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    succeed(&mut cargo("build --locked --release --package benchsuite --package ergodict-cli"))?;
    let release = target()?.join("release");
    let before = load();
    let mut bench = command(root().join(release.join("benchsuite")));
    bench.arg("scale").arg("--ergodict").arg(release.join("ergodict")).args(arguments);
    bench.stderr(std::process::Stdio::inherit());
    let raw = stdout(&mut bench)?;
    let rows = Rows(lines(&raw));
    if rows.networks().is_empty() {
        bail!("nothing was measured");
    }
    publish("scale", "Networks from 10⁴ to 10⁸ edges", &before, &rows.page()?, &raw)?;
    Ok(true)
}

/// The lines that were printed.
struct Rows(Vec<Value>);

impl Rows {
    /// The networks, in the order they were measured in.
    fn networks(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.0.iter().filter_map(|row| row["network"].as_str()) {
            if names.last().is_none_or(|last| last != name) {
                names.push(name.into());
            }
        }
        names
    }

    /// The rows of one thing on one network, in one order unless it does not matter.
    fn select<'a>(
        &'a self,
        network: &'a str,
        what: &'a str,
        order: &'a str,
    ) -> impl Iterator<Item = &'a Value> {
        let same = move |row: &&Value| {
            row["network"] == network
                && row["what"] == what
                && (order.is_empty() || row["order"] == order)
                && row["cold"] != true
        };
        self.0.iter().filter(same)
    }

    /// The median of a figure over the rows; nothing where there is none.
    fn figure(
        &self,
        network: &str,
        what: &str,
        order: &str,
        figure: impl Fn(&Value) -> Option<f64>,
    ) -> Option<f64> {
        let all: Vec<f64> = self.select(network, what, order).filter_map(figure).collect();
        (!all.is_empty()).then(|| median(&all))
    }

    fn field(&self, network: &str, what: &str, order: &str, key: &str) -> Option<f64> {
        self.figure(network, what, order, |row| row[key].as_f64())
    }

    /// The most that any row of it had.
    fn most(&self, network: &str, what: &str, order: &str, key: &str) -> Option<f64> {
        self.select(network, what, order).filter_map(|row| row[key].as_f64()).reduce(f64::max)
    }

    fn page(&self) -> Result<String> {
        Ok([self.files()?, self.work()?, self.memory()?, self.targets()?].concat())
    }

    /// Files: made, converted, sorted.
    fn files(&self) -> Result<String> {
        let mut text = String::from(
            "## Files\n\n`network generate rmat` to `.egr` and to text; the text with its lines in random order and its ids permuted; \
             `network convert --memory 2G` of that, and `LC_ALL=C sort -S 2G` of the same file with as many threads, by numbers \
             (`-k1,1n -k2,2n`) and as bytes. Wall time; MB is the most anonymous memory that was seen, looked at every 10 ms. \
             Seconds in a row are those of one run.\n\n\
             | network | nodes | edges | text MB | .egr MB | generate .egr s | MB | generate text s | MB | convert s | CPU s | MB \
             | sort, numbers s | sort, bytes s | convert / numbers | convert / bytes |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        for network in self.networks() {
            let at = |what: &str, key: &str| self.field(&network, what, "", key);
            let Some(convert) = at("convert", "wall_s") else { continue };
            let (numbers, bytes) = (at("sort, numbers", "wall_s"), at("sort, bytes", "wall_s"));
            let probe = |key: &str| self.field(&network, "probe", "scrambled", key);
            let mega = |bytes: Option<f64>| cell(bytes.map(|bytes| bytes / 1e6));
            writeln!(
                text,
                "| {network} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                whole(probe("nodes")),
                whole(probe("edges")),
                mega(at("generate text", "bytes")),
                mega(at("convert", "bytes")),
                cell(at("generate .egr", "wall_s")),
                cell(at("generate .egr", "anonymous_mb")),
                cell(at("generate text", "wall_s")),
                cell(at("generate text", "anonymous_mb")),
                cell(Some(convert)),
                cell(at("convert", "cpu_s")),
                cell(at("convert", "anonymous_mb")),
                cell(numbers),
                cell(bytes),
                times(numbers.map(|sort| convert / sort)),
                times(bytes.map(|sort| convert / sort)),
            )?;
        }
        Ok(text)
    }

    /// What is done with networks: opened, learned from, reconstructed.
    fn work(&self) -> Result<String> {
        let mut text = String::from(
            "\n## Learning and rebuilding\n\n`.egr` of the scrambled text. `network learn -j 1 -k 21 -r 25 --sampler pivot-approx` \
             (100 minibatches of 100) and `network reconstruct -j 1 --samples 100000 --sampler pivot-approx --memory 400M`, one thread, medians of \
             three with the file in the page cache; *cold* is the run before, with the file taken out of it. A homomorphism costs its patch and its \
             share of the steps, or of rebuilding, without set-up and without writing; *ratio* is to Facebook. Anonymous memory is the most of the \
             three runs, and *file* that of mapped pages, which the page cache owns.\n\n\
             | network | opens ms, cold | warm | learn s, cold | warm | set-up s | patch µs | step µs | ratio | anonymous MB | file MB \
             | rebuild s | set-up s | writing s | homomorphism µs | ratio | anonymous MB | file MB | pairs |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        for network in self.networks() {
            let order = order(&network);
            let at = |what: &str, key: &str| self.field(&network, what, order, key);
            let cold = self
                .0
                .iter()
                .find(|row| row["network"] == *network && row["cold"] == true && row["order"] == order);
            writeln!(
                text,
                "| {network} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                cell(at("probe", "open_cold_ms")),
                cell(at("probe", "open_warm_ms")),
                cell(cold.and_then(|row| row["wall_s"].as_f64())),
                cell(at("learn", "wall_s")),
                cell(at("learn", "set_up_seconds")),
                cell(self.figure(&network, "learn", order, patch)),
                cell(self.figure(&network, "learn", order, |row| each(row, &["learning_seconds"]))),
                times(self.ratio(&network, "learn")),
                cell(self.most(&network, "learn", order, "anonymous_mb")),
                cell(self.most(&network, "learn", order, "file_mb")),
                cell(at("reconstruct", "wall_s")),
                cell(at("reconstruct", "set_up_seconds")),
                cell(at("reconstruct", "writing_seconds")),
                cell(self.figure(&network, "reconstruct", order, cost)),
                times(self.ratio(&network, "reconstruct")),
                cell(self.most(&network, "reconstruct", order, "anonymous_mb")),
                cell(self.most(&network, "reconstruct", order, "file_mb")),
                whole(at("reconstruct", "pairs_visited")),
            )?;
        }
        Ok(text)
    }

    /// What memory costs: reads that wait for each other, in addition to walks.
    fn memory(&self) -> Result<String> {
        let mut text = String::from(
            "\n## What memory costs\n\nA *read* is one byte at a random place of the mapped file, known only when the read before it is done. A *step* is \
             one of a plain random walk by itself: the bounds of a row and an entry of it, two reads that wait for each other. *reads a step* is by how much a \
             step is dearer than on the smallest network, in reads that are dearer by as much. A *patch* is a homomorphism of 21 nodes with \
             its patch, by `network learn`. *generated* and *scrambled* are the same network: the second has its nodes in random order, and \
             does the same work on other places of memory.\n\n\
             | network | MB | read ns | step ns, generated | scrambled | reads a step | patch µs, generated | scrambled | scrambled / generated |\n\
             |---|---|---|---|---|---|---|---|---|\n",
        );
        let scrambled = |network: &str, key: &str| self.field(network, "probe", order(network), key);
        let networks = self.networks();
        let first = networks.iter().find(|network| order(network) == "scrambled");
        for network in &networks {
            let (read, step) = (scrambled(network, "read_ns"), scrambled(network, "step_ns"));
            let dearer = |key: &str, now: Option<f64>| Some(now? - scrambled(first?, key)?);
            let reads = match (dearer("step_ns", step), dearer("read_ns", read)) {
                // Below a nanosecond the quotient is noise.
                (Some(step), Some(read)) if read > 1.0 && order(network) == "scrambled" => Some(step / read),
                _ => None,
            };
            let ordered = self.figure(network, "learn", "generated", patch);
            let patch = self.figure(network, "learn", order(network), patch);
            writeln!(
                text,
                "| {network} | {} | {} | {} | {} | {} | {} | {} | {} |",
                cell(scrambled(network, "bytes").map(|bytes| bytes / 1e6)),
                cell(read),
                cell(self.field(network, "probe", "generated", "step_ns")),
                cell(step),
                cell(reads),
                cell(ordered),
                cell(patch),
                times(patch.zip(ordered).map(|(patch, ordered)| patch / ordered)),
            )?;
        }
        Ok(text)
    }

    /// The project's bars, on the largest network.
    fn targets(&self) -> Result<String> {
        let networks = self.networks();
        let Some(network) = networks.last() else { return Ok(String::new()) };
        let mut text =
            format!("\n## Targets, {network}\n\n| what | found | at most | |\n|---|---|---|---|\n");
        let order = order(network);
        let anonymous = |what: &str, order: &str| self.most(network, what, order, "anonymous_mb");
        for (what, found, most, unit) in [
            ("anonymous memory, convert", anonymous("convert", ""), CONVERTING, " MB"),
            ("anonymous memory, learn", anonymous("learn", order), WORKING, " MB"),
            ("anonymous memory, reconstruct", anonymous("reconstruct", order), WORKING, " MB"),
            ("homomorphism to Facebook's, learn", self.ratio(network, "learn"), RATIO, "×"),
            ("homomorphism to Facebook's, reconstruct", self.ratio(network, "reconstruct"), RATIO, "×"),
        ] {
            let verdict = match found {
                Some(found) if found <= most => "accepted",
                Some(_) => "**missed**",
                None => "–",
            };
            let found = found.map_or("not measured".into(), |found| format!("{}{unit}", short(found)));
            writeln!(text, "| {what} | {found} | {}{unit} | {verdict} |", short(most))?;
        }
        Ok(text)
    }

    /// What a homomorphism costs, to what it costs on Facebook.
    fn ratio(&self, network: &str, what: &str) -> Option<f64> {
        let of = |network: &str| self.figure(network, what, order(network), cost);
        Some(of(network)? / of("facebook")?)
    }
}

/// The order in which work is reported.
fn order(network: &str) -> &'static str {
    if network == "facebook" { "as published" } else { "scrambled" }
}

/// Microseconds that a homomorphism takes of some times.
fn each(row: &Value, keys: &[&str]) -> Option<f64> {
    let seconds = keys.iter().map(|key| row[*key].as_f64()).sum::<Option<f64>>()?;
    Some(1e6 * seconds / row["samples"].as_f64()?)
}

/// Microseconds of a homomorphism and its patch.
fn patch(row: &Value) -> Option<f64> {
    each(row, &["patch_seconds"])
}

/// Microseconds of a homomorphism, learned from or reconstructed by.
fn cost(row: &Value) -> Option<f64> {
    if row["what"] == "learn" {
        return each(row, &["patch_seconds", "learning_seconds"]);
    }
    // Of a reconstruction, set-up and writing are reported apart from it.
    each(row, &["seconds"])
}

fn cell(x: Option<f64>) -> String {
    x.map_or("–".into(), short)
}

fn times(x: Option<f64>) -> String {
    x.map_or("–".into(), |x| format!("{}×", short(x)))
}

fn whole(x: Option<f64>) -> String {
    x.map_or("–".into(), |x| format!("{x:.0}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn learn(network: &str, order: &str, cold: bool, patch: f64, anonymous: f64) -> Value {
        json!({ "what": "learn", "network": network, "order": order, "cold": cold, "wall_s": 2.0, "anonymous_mb": anonymous, "file_mb": 1.0,
            "patch_seconds": patch, "learning_seconds": 0.02, "set_up_seconds": 1.0, "samples": 10_000 })
    }

    #[test]
    fn costs_are_compared_with_facebook_and_the_targets() {
        let probe = |network: &str, order: &str, read: f64, step: f64| json!({ "what": "probe", "network": network, "order": order, "read_ns": read, "step_ns": step, "nodes": 9, "edges": 10, "bytes": 2e6 });
        let rebuild = |network: &str, order: &str, seconds: f64| {
            json!({ "what": "reconstruct", "network": network, "order": order, "seconds": seconds, "set_up_seconds": 1.0,
                "writing_seconds": 1.0, "samples": 100_000, "anonymous_mb": 501.0 })
        };
        let rows = Rows(vec![
            learn("facebook", "as published", true, 9.0, 9.0),
            learn("facebook", "as published", false, 0.02, 9.0),
            rebuild("facebook", "as published", 0.5),
            probe("small", "scrambled", 2.0, 6.0),
            json!({ "what": "convert", "network": "small", "wall_s": 3.0, "anonymous_mb": 100.0 }),
            json!({ "what": "sort, bytes", "network": "small", "wall_s": 2.0 }),
            learn("small", "scrambled", false, 0.02, 9.0),
            probe("large", "scrambled", 102.0, 206.0),
            json!({ "what": "convert", "network": "large", "wall_s": 3.0, "anonymous_mb": 2147.0 }),
            learn("large", "generated", false, 0.03, 600.0),
            learn("large", "scrambled", true, 0.9, 700.0),
            learn("large", "scrambled", false, 0.04, 400.0),
            learn("large", "scrambled", false, 0.06, 410.0),
            learn("large", "scrambled", false, 0.1, 420.0),
            rebuild("large", "scrambled", 2.5),
        ]);
        assert_eq!(rows.networks(), ["facebook", "small", "large"]);
        let page = rows.page().unwrap();
        for wanted in [
            "| small | 9 | 10 | – | – | – | – | – | – | 3.00 | – | 100 | – | 2.00 | – | 1.50× |",
            "| large | 2.00 | 102 | – | 206 | 2.00 | 3.00 | 6.00 | 2.00× |",
            "| anonymous memory, convert | 2147 MB | 2147 MB | accepted |",
            "| anonymous memory, learn | 420 MB | 500 MB | accepted |",
            "| anonymous memory, reconstruct | 501 MB | 500 MB | **missed** |",
            "| homomorphism to Facebook's, learn | 2.00× | 4.00× | accepted |",
            "| homomorphism to Facebook's, reconstruct | 5.00× | 4.00× | **missed** |",
        ] {
            assert!(page.contains(wanted), "no\n{wanted}\nin\n{page}");
        }
    }
}
