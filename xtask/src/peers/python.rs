//! `cargo xtask peers --python`: `OnlineNMF` of the wheel next to the same step in Rust, SPAMS and scikit-learn, on the same minibatches.
//!
//! Each side runs on one thread, in its own process, in alternation, and times only its own loop.

use super::networks::publish;
use super::setup::{self, Peers};
use super::table::{load, median};
use super::{Options, SCHEDULE, last_json, number, single_threaded};
use crate::place::{command, root, stdout, succeed};
use crate::wheel;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

const SCRIPT: &str = "benchsuite/peers/package.py";
/// How much slower than Rust the project accepts Python to be, and what a call may cost beyond the step itself.
const ACCEPTED: (f64, f64) = (1.05, 5.0);
/// Minibatches of one sample in four dimensions, two atoms: `TINY` of the script.
const TINY: &str = "tiny";

/// CPU milliseconds per minibatch of each repeat.
#[derive(Default)]
struct Row {
    case: String,
    precision: &'static str,
    rust: Vec<f64>,
    partial_fit: Vec<f64>,
    fit: Vec<f64>,
    spams: Vec<f64>,
    /// Whether both ways of fitting left the very dictionary that Rust left.
    same: bool,
}

pub(super) fn run(options: &Options) -> Result<bool> {
    let peers = setup::prepare()?;
    let wheel = wheel::make("release")?;
    // Into the environment of the peers, which has numpy and scikit-learn already.
    let pip =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall"];
    succeed(command(root().join(&peers.python)).args(pip).arg(&wheel))?;
    succeed(command(root().join(&peers.python)).args([SCRIPT, TINY]).arg(peers.folder.join("data")))?;

    let before = load();
    let mut raw = String::new();
    let (mut rows, mut further) = (Vec::new(), Vec::new());
    for case in options.cases.iter().map(String::as_str).chain([TINY]) {
        for precision in ["f64", "f32"] {
            rows.push(measure(&peers, &mut raw, case, precision, options.repeats)?);
        }
        if case != TINY && !options.quick {
            eprintln!("case {case}: scikit-learn …");
            let line = kept(&mut raw, "scikit-learn", peers.one(case, "sk_mbdl_cd")?)?;
            further.push((case.to_owned(), 1e3 * number(&line, "cpu")? / number(&line, "T")?));
        }
    }
    let packages =
        std::fs::read_to_string(root().join(&peers.folder).join("requirements.txt")).unwrap_or_default();
    let packages = packages.split_whitespace().collect::<Vec<_>>().join(", ");
    let tables = format!("- peers: {packages}\n\n{}", tables(&rows, &further, options.repeats)?);
    publish("python", "The Python package beside Rust and its peers", &before, &tables, &raw)?;
    Ok(true)
}

/// All sides of one case in alternation, so that a change of load meets them all.
fn measure(
    peers: &Peers,
    raw: &mut String,
    case: &str,
    precision: &'static str,
    repeats: usize,
) -> Result<Row> {
    let mut row = Row { case: case.to_owned(), precision, same: true, ..Row::default() };
    let per_step =
        |line: &Value, steps: &str| Ok::<_, anyhow::Error>(1e3 * number(line, "cpu")? / number(line, steps)?);
    for repeat in 1..=repeats {
        let line = kept(raw, "rust", peers.ours(case, precision, SCHEDULE)?)?;
        row.rust.push(per_step(&line, "steps")?);
        for (method, times) in [("partial_fit", &mut row.partial_fit), ("fit", &mut row.fit)] {
            let out = peers.folder.join(format!("out_{case}_python_{precision}.npy"));
            let line = kept(raw, "python", peers.package(case, precision, method, &out)?)?;
            times.push(per_step(&line, "steps")?);
            row.same &= same(peers, &out, &peers.dictionary(case, precision))?;
        }
        if case != TINY {
            let method = if precision == "f32" { "spams_stream_f32" } else { "spams_stream" };
            let line = kept(raw, "spams", peers.one(case, method)?)?;
            row.spams.push(per_step(&line, "T")?);
        }
        let (rust, python) = (row.rust[repeat - 1], row.partial_fit[repeat - 1]);
        eprintln!(
            "case {case} {precision} {repeat}/{repeats}: Rust {rust:.4} ms, partial_fit {python:.4} ms"
        );
    }
    Ok(row)
}

/// Records a raw line, marked with whose it is, and hands it back.
fn kept(raw: &mut String, side: &str, mut line: Value) -> Result<Value> {
    line["side"] = json!(side);
    writeln!(raw, "{line}")?;
    Ok(line)
}

/// Whether two files hold the same array, bit for bit.
fn same(peers: &Peers, one: &PathBuf, other: &PathBuf) -> Result<bool> {
    let script = "import sys, numpy; print(numpy.array_equal(*map(numpy.load, sys.argv[1:])))";
    let said = stdout(command(root().join(&peers.python)).args(["-c", script]).args([one, other]))?;
    Ok(said.trim() == "True")
}

impl Peers {
    /// The package on one case; its dictionary is left in a file.
    fn package(&self, case: &str, precision: &str, method: &str, out: &PathBuf) -> Result<Value> {
        let mut python = single_threaded(&self.python);
        python.args([SCRIPT, "run"]).arg(self.folder.join("data")).args([case, precision, method]).arg(out);
        let text = stdout(&mut python)?;
        last_json(&text).with_context(|| format!("{SCRIPT} on case {case} printed no JSON line"))
    }
}

fn tables(rows: &[Row], further: &[(String, f64)], repeats: usize) -> Result<String> {
    let mut text = format!(
        "CPU milliseconds per minibatch, one thread, medians of {repeats} alternating runs; weights max(1/t, 0.5), one sweep over the \
         atoms a step. Rust is `benchsuite step`; `partial_fit` is called once a minibatch, `fit` once with all of them. The \
         project accepts a ratio to Rust of {:.2}. Same: the dictionary is Rust's bit for bit.\n\n\
         | case | precision | Rust | partial_fit | ratio | fit | ratio | same | SPAMS | SPAMS / partial_fit |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
        ACCEPTED.0
    );
    let cases = || rows.iter().filter(|row| row.case != TINY);
    for row in cases() {
        let [rust, partial, fit, spams] =
            [&row.rust, &row.partial_fit, &row.fit, &row.spams].map(|times| median(times));
        writeln!(
            text,
            "| {} | {} | {rust:.3} | {partial:.3} | {:.3} | {fit:.3} | {:.3} | {} | {spams:.3} | {:.2}× |",
            row.case,
            row.precision,
            partial / rust,
            fit / rust,
            if row.same { "yes" } else { "NO" },
            spams / partial,
        )?;
    }
    let within = |times: fn(&Row) -> &Vec<f64>| {
        cases().filter(|row| median(times(row)) <= ACCEPTED.0 * median(&row.rust)).count()
    };
    let (partial, fit) = (within(|row| &row.partial_fit), within(|row| &row.fit));
    writeln!(
        text,
        "\nOf {} rows, `partial_fit` is within the accepted ratio in {partial}, `fit` in {fit}.",
        cases().count()
    )?;
    text += "\nThe cost of a call: minibatches of one sample, d = 4, 2 atoms.\n\n\
             | precision | Rust step µs | partial_fit µs | the call µs | accepted µs |\n|---|---|---|---|---|\n";
    for row in rows.iter().filter(|row| row.case == TINY) {
        let (rust, partial) = (1e3 * median(&row.rust), 1e3 * median(&row.partial_fit));
        writeln!(
            text,
            "| {} | {rust:.2} | {partial:.2} | {:.2} | {:.1} |",
            row.precision,
            partial - rust,
            ACCEPTED.1
        )?;
    }
    if !further.is_empty() {
        text += "\n| case | MiniBatchDictionaryLearning (cd, positive), f64, one run, ms | ratio to partial_fit |\n|---|---|---|\n";
    }
    for (case, ms) in further {
        let ours = rows.iter().find(|row| row.case == *case && row.precision == "f64");
        let ratio = ours.map_or(f64::NAN, |row| ms / median(&row.partial_fit));
        writeln!(text, "| {case} | {ms:.3} | {ratio:.1}× |")?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_per_case_and_the_cost_of_a_call() {
        let row = |case: &str, rust: f64, partial: f64| Row {
            case: case.into(),
            precision: "f64",
            rust: vec![rust],
            partial_fit: vec![partial],
            fit: vec![2.0 * rust],
            spams: vec![4.0 * partial],
            same: true,
        };
        let rows = [row("a", 10.0, 10.25), row(TINY, 0.001, 0.004)];
        let text = tables(&rows, &[("a".into(), 410.0)], 3).unwrap();
        assert!(
            text.contains("| a | f64 | 10.000 | 10.250 | 1.025 | 20.000 | 2.000 | yes | 41.000 | 4.00× |"),
            "{text}"
        );
        assert!(
            text.contains("Of 1 rows, `partial_fit` is within the accepted ratio in 1, `fit` in 0."),
            "{text}"
        );
        assert!(text.contains("| f64 | 1.00 | 4.00 | 3.00 | 5.0 |"), "{text}");
        assert!(text.contains("| a | 410.000 | 40.0× |"), "{text}");
    }
}
