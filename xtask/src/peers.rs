//! `cargo xtask peers`: our factorization step next to SPAMS and scikit-learn, on the same minibatches.
//!
//! Both sides run on one thread, in alternation, from the same initial dictionary, each in its own process, and
//! time only their own loop. What counts is the ratio of the medians of CPU time, and that our dictionary
//! scores no worse on held-out data under one common exact coder.

mod graphs;
mod images;
mod missing;
pub(crate) mod networks;
mod python;
mod reconstruct;
mod setup;
mod shapes;
pub(crate) mod table;

use crate::place::{command, root, stdout};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use setup::Peers;
use std::path::PathBuf;
use table::{Comparison, Further, Run};

const USAGE: &str = "usage: cargo xtask peers [--cases a,b,c] [--repeats N] [--quick] [--python], cargo xtask peers --shapes [--random SEED] [--repeats N] [--rust], cargo xtask peers networks [samplers | reconstruct], cargo xtask peers missing [--quick], cargo xtask peers graphs [--quick], or cargo xtask peers images [--quick]";

/// Seconds after which a peer stops taking minibatches: the slowest, scikit-learn in case (a), needs about 45.
const BUDGET: &str = "60";

/// SPAMS fed one minibatch per call forgets at about this rate; ours and the reference are made to match.
const SCHEDULE: &str = "constant:0.5";
/// Slower forgetting gives better dictionaries on all three cases, at the same cost a step: scored once next to it.
const SLOWER: &str = "constant:0.3";
const REFERENCE: &str = "proto_hyb_wc50";

struct Options {
    cases: Vec<String>,
    repeats: usize,
    quick: bool,
    python: bool,
}

/// Measures, prints the table and writes it under `benchsuite/runs`.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    match arguments.split_first().map(|(word, rest)| (word.as_str(), rest)) {
        Some(("networks", rest)) => return networks::run(rest),
        Some(("missing", rest)) => return missing::run(rest),
        Some(("graphs", rest)) => return graphs::run(rest),
        Some(("images", rest)) => return images::run(rest),
        Some(("--shapes", rest)) => return shapes::run(rest),
        _ => {}
    }
    let options = parse(arguments)?;
    if options.python {
        return python::run(&options);
    }
    let peers = setup::prepare()?;
    let mut run = Run::begin();
    for case in &options.cases {
        let reference = run.keep("reference", case, "f64", peers.one(case, REFERENCE)?)?;
        let reference = number(&reference, "obj1")?;
        for precision in ["f64", "f32"] {
            let comparison = compare(&mut run, &peers, case, precision, options.repeats, reference)?;
            run.comparisons.push(comparison);
        }
        if !options.quick {
            for method in ["sk_mbdl_cd", "sk_mbnmf"] {
                eprintln!("case {case}: {method} …");
                let line = run.keep("further", case, "f64", peers.one(case, method)?)?;
                let minibatches = number(&line, "T")?;
                let cpu_ms = 1e3 * number(&line, "cpu")? / minibatches;
                run.further.push(Further {
                    case: case.clone(),
                    method,
                    cpu_ms,
                    minibatches,
                    obj1: number(&line, "obj1")?,
                });
            }
        }
    }
    run.end(&peers, options.repeats)?;
    Ok(true)
}

fn parse(arguments: &[String]) -> Result<Options> {
    let cases = ["a", "b", "c"].map(String::from).to_vec();
    let mut options = Options { cases, repeats: 7, quick: false, python: false };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} needs a value\n{USAGE}"));
        match word.as_str() {
            "--cases" => options.cases = value()?.split(',').map(String::from).collect(),
            "--repeats" => options.repeats = value()?.parse().context("--repeats takes a whole number")?,
            "--quick" => options.quick = true,
            "--python" => options.python = true,
            other => bail!("no option `{other}`\n{USAGE}"),
        }
    }
    if let Some(case) = options.cases.iter().find(|case| !["a", "b", "c"].contains(&case.as_str())) {
        bail!("no case `{case}`: the cases are a, b and c\n{USAGE}");
    }
    if options.repeats == 0 {
        bail!("--repeats must be at least 1");
    }
    Ok(options)
}

/// SPAMS and ours in alternation, so that a change of load meets both.
fn compare(
    run: &mut Run,
    peers: &Peers,
    case: &str,
    precision: &'static str,
    repeats: usize,
    reference: f64,
) -> Result<Comparison> {
    let method = if precision == "f32" { "spams_stream_f32" } else { "spams_stream" };
    let (mut spams, mut ours, mut obj1_spams) = (Vec::new(), Vec::new(), f64::NAN);
    for repeat in 1..=repeats {
        let line = run.keep("spams", case, precision, peers.one(case, method)?)?;
        spams.push(1e3 * number(&line, "cpu")? / number(&line, "T")?);
        obj1_spams = number(&line, "obj1")?;
        let line = run.keep("ours", case, precision, peers.ours(case, precision, SCHEDULE)?)?;
        ours.push(1e3 * number(&line, "cpu")? / number(&line, "steps")?);
        line["isa"].as_str().unwrap_or("unknown").clone_into(&mut run.isa);
        let (theirs, our) = (spams[repeat - 1], ours[repeat - 1]);
        eprintln!(
            "case {case} {precision} {repeat}/{repeats}: SPAMS {theirs:.3} ms, ours {our:.3} ms, {:.2}×",
            theirs / our
        );
    }
    // The result is the same at every repeat: one score is enough.
    let obj1_ours = peers.score(case, precision)?;
    run.keep("score", case, precision, json!({ "obj1": obj1_ours, "schedule": SCHEDULE }))?;
    run.keep("ours", case, precision, peers.ours(case, precision, SLOWER)?)?;
    let obj1_slower = peers.score(case, precision)?;
    run.keep("score", case, precision, json!({ "obj1": obj1_slower, "schedule": SLOWER }))?;
    Ok(Comparison {
        case: case.to_owned(),
        precision,
        spams,
        ours,
        obj1_spams,
        obj1_reference: reference,
        obj1_ours,
        obj1_slower,
    })
}

impl Peers {
    /// One peer on one case: the JSON line it prints.
    fn one(&self, case: &str, method: &str) -> Result<Value> {
        let mut python = single_threaded(&self.python);
        let text =
            stdout(python.arg(self.folder.join("bench_peers.py")).args(["one", case, method, "1", BUDGET]))?;
        let line =
            last_json(&text).with_context(|| format!("{method} on case {case} printed no JSON line"))?;
        if let Some(error) = line.get("error") {
            bail!("{method} on case {case}: {error}");
        }
        Ok(line)
    }

    /// Our step on one case; its dictionary is left in a file for `score`.
    fn ours(&self, case: &str, precision: &str, schedule: &str) -> Result<Value> {
        let mut benchsuite = single_threaded(&self.benchsuite);
        benchsuite.arg("step").arg("--data").arg(self.folder.join("data"));
        // One sweep over the atoms a step, as SPAMS and the reference do.
        benchsuite.args(["--case", case, "--precision", precision, "--schedule", schedule, "--sweeps", "1"]);
        let text = stdout(benchsuite.arg("--out").arg(self.dictionary(case, precision)))?;
        last_json(&text).with_context(|| format!("benchsuite step on case {case} printed no JSON line"))
    }

    /// The held-out objective of the dictionary that `ours` left.
    fn score(&self, case: &str, precision: &str) -> Result<f64> {
        let mut python = single_threaded(&self.python);
        python
            .arg(self.folder.join("bench_peers.py"))
            .args(["eval", case])
            .arg(self.dictionary(case, precision));
        let text = stdout(&mut python)?;
        entry(&text, "obj1").with_context(|| format!("cannot read obj1 in what the scorer printed: {text}"))
    }

    fn dictionary(&self, case: &str, precision: &str) -> PathBuf {
        self.folder.join(format!("out_{case}_ergodict_{precision}.npy"))
    }
}

fn single_threaded(program: &std::path::Path) -> std::process::Command {
    let mut command = command(root().join(program));
    for variable in [
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "RAYON_NUM_THREADS",
    ] {
        command.env(variable, "1");
    }
    command
}

fn last_json(text: &str) -> Option<Value> {
    text.lines().rev().find_map(|line| serde_json::from_str(line).ok().filter(Value::is_object))
}

fn number(line: &Value, key: &str) -> Result<f64> {
    line[key].as_f64().with_context(|| format!("no number `{key}` in {line}"))
}

/// A number of a printed Python dictionary, plain or wrapped: `'obj1': 0.37` or `'obj1': np.float64(0.37)`.
fn entry(text: &str, key: &str) -> Option<f64> {
    let (_, rest) = text.split_once(&format!("'{key}':"))?;
    let value = rest.split([',', '}']).next()?;
    value.rsplit('(').next()?.trim().trim_end_matches(')').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_dictionaries_are_read_plain_or_wrapped() {
        let text = "b {'rel1': np.float64(0.28), 'obj1': np.float64(0.37), 'nnz1': 0.32, 'dead': 0}\n";
        assert_eq!(
            ["rel1", "obj1", "nnz1", "dead"].map(|key| entry(text, key)),
            [Some(0.28), Some(0.37), Some(0.32), Some(0.0)]
        );
        assert_eq!(entry(text, "rel0"), None);
    }

    #[test]
    fn the_last_json_object_counts() {
        assert_eq!(last_json("talk\n{\"cpu\": 1}\n{\"cpu\": 2.5}\n3\n"), Some(json!({ "cpu": 2.5 })));
        assert_eq!(last_json("nothing"), None);
    }

    #[test]
    fn options_are_checked() {
        let parse = |text: &str| parse(&text.split_whitespace().map(String::from).collect::<Vec<_>>());
        let options = parse("--cases c,a --repeats 3 --quick").unwrap();
        assert_eq!((options.cases, options.repeats, options.quick), (vec!["c".into(), "a".into()], 3, true));
        assert!(!options.python && parse("--python").unwrap().python);
        for bad in ["--cases d", "--repeats 0", "--repeats x", "--cases", "--fast"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
