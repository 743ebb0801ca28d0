//! `cargo xtask peers --shapes`: the factorization step on shapes of all sizes, from Rust and from Python, next to SPAMS.
//!
//! Data are planted sparse codes. All sides of a row run in alternation, each in its own process, and time what follows after their first steps.

use super::networks::publish;
use super::setup::{self, Peers};
use super::table::{load, median};
use super::{SCHEDULE, last_json, number, single_threaded};
use crate::place::{command, root, stdout, succeed};
use crate::wheel;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const USAGE: &str =
    "usage: cargo xtask peers --shapes [--only D-N-R-NONZEROS,…] [--random SEED] [--repeats N] [--rust]";
const SCRIPT: &str = "benchsuite/peers/shapes.py";
const PACKAGE: &str = "benchsuite/peers/package.py";

/// Features, samples of a minibatch, atoms, and atoms that a sample has.
const SHAPES: [&str; 15] = [
    "16-64-8-3",
    "64-256-64-4",
    "64-512-256-8",
    "32-4096-128-4",
    "100-1000-20-3",
    "256-256-32-12",
    "256-1024-512-4",
    "400-2000-100-30",
    "784-512-100-5",
    "1024-64-1024-4",
    "1600-256-400-6",
    "2000-200-50-3",
    "3000-32-16-3",
    "4096-64-64-4",
    "4096-256-1024-6",
];
/// Shapes that `--random` draws.
const DRAWN: usize = 20;
/// Sweeps of the dictionary update and the change at which they end: one as SPAMS does, and the defaults of the package.
const UPDATES: [(&str, &str, &str); 2] = [("one", "1", "0.01"), ("default", "auto", "0.01")];
/// The ratios to SPAMS that the project accepts, from Rust and from Python, and of Python to Rust.
const ACCEPTED: (f64, f64, f64) = (3.0, 2.8, 1.05);
/// The weights of the package's defaults: at the same cost a step, as what is learned depends on them more than on the solver.
const OWN_SCHEDULE: &str = "power:0.5";
/// Milliseconds of a step above which two threads are measured.
const LONG: f64 = 5.0;

struct Options {
    shapes: Vec<String>,
    random: Option<u64>,
    repeats: usize,
    python: bool,
}

/// One shape in one precision with one way of updating; milliseconds a step.
#[derive(Default)]
struct Row {
    case: String,
    precision: &'static str,
    sweeps: &'static str,
    spams: Vec<f64>,
    rust: Vec<f64>,
    partial_fit: Vec<f64>,
    /// With the first steps, which a fit cannot leave out: of `fit` and of Rust.
    fit: Vec<f64>,
    rust_all: Vec<f64>,
    /// Wall time of one and of two threads, and whether both left the same dictionary.
    threads: Option<(f64, f64, bool)>,
    /// What the products alone have in a step, in 10⁹ floating-point operations.
    operations: f64,
    /// Of SPAMS, ours with its weights, and ours with our own.
    objectives: [f64; 3],
}

pub(super) fn run(arguments: &[String]) -> Result<bool> {
    let options = parse(arguments)?;
    let peers = setup::scripts()?;
    if options.python {
        let pip = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--force-reinstall",
        ];
        succeed(command(root().join(&peers.python)).args(pip).arg(wheel::make("release")?))?;
    }
    let (before, mut raw, mut rows) = (load(), String::new(), Vec::new());
    for case in &options.shapes {
        let plan = Plan::new(case)?;
        let file = peers.folder.join("data").join(format!("{case}_W0.npy"));
        if !root().join(&file).is_file() {
            std::fs::create_dir_all(root().join(&peers.folder).join("data"))?;
            let minibatches = plan.minibatches.to_string();
            succeed(peers.shapes().arg("data").arg(peers.data()).args([case, &minibatches]))?;
        }
        for precision in ["f64", "f32"] {
            rows.extend(measure(&peers, &mut raw, &plan, precision, &options)?);
        }
    }
    let (file, title) = match options.random {
        Some(seed) => ("shapes-random", format!("Shapes drawn with seed {seed}, beside SPAMS")),
        None => ("shapes", "Shapes of all sizes, beside SPAMS".to_owned()),
    };
    publish(file, &title, &before, &tables(&rows, &options)?, &raw)?;
    Ok(true)
}

fn parse(arguments: &[String]) -> Result<Options> {
    let shapes = SHAPES.map(String::from).to_vec();
    let mut options = Options { shapes, random: None, repeats: 3, python: true };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} needs a value\n{USAGE}"));
        match word.as_str() {
            "--only" => options.shapes = value()?.split(',').map(String::from).collect(),
            "--random" => {
                let seed = value()?.parse().context("--random takes a whole number")?;
                (options.random, options.shapes) = (Some(seed), draw(seed));
            }
            "--repeats" => options.repeats = value()?.parse().context("--repeats takes a whole number")?,
            "--rust" => options.python = false,
            other => bail!("no option `{other}`\n{USAGE}"),
        }
    }
    if options.repeats == 0 {
        bail!("--repeats must be at least 1");
    }
    options.shapes.iter().try_for_each(|case| Plan::new(case).map(drop))?;
    Ok(options)
}

/// Shapes whose logarithms are uniform, none as costly as the largest of [`SHAPES`].
fn draw(seed: u64) -> Vec<String> {
    let mut state = seed;
    let mut below = |count: f64| {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / 2f64.powi(53) * count
    };
    let mut shapes = Vec::new();
    while shapes.len() < DRAWN {
        let [d, n, r] = [(16.0f64, 4096.0f64), (16.0, 2048.0), (8.0, 1024.0)]
            .map(|(least, most)| (least * (most / least).powf(below(1.0))) as usize);
        let case = format!("{d}-{n}-{r}-{}", 3 + below(6.0) as usize);
        if (d * r * (n + 4 * r)) as f64 <= 6e9 {
            shapes.push(case);
        }
    }
    shapes
}

/// How often a shape is stepped: fewer times where a step takes long.
struct Plan {
    case: String,
    d: usize,
    n: usize,
    r: usize,
    minibatches: usize,
    warm: usize,
    steps: usize,
}

impl Plan {
    fn new(case: &str) -> Result<Self> {
        let wrong = || format!("`{case}` is no shape D-N-R-NONZEROS of positive numbers\n{USAGE}");
        let numbers: Vec<usize> =
            case.split('-').map(str::parse).collect::<Result<_, _>>().with_context(wrong)?;
        let &[d, n, r, nonzeros] = numbers.as_slice() else { bail!(wrong()) };
        if numbers.contains(&0) || nonzeros > r {
            bail!(wrong());
        }
        let work = d * r * (n + 4 * r);
        let warm = if work > 1_000_000_000 { 15 } else { 60 };
        let steps = (4_000_000_000 / work).clamp(6, 200);
        Ok(Self {
            case: case.to_owned(),
            d,
            n,
            r,
            minibatches: (1usize << 23).div_ceil(d * n).min(80),
            warm,
            steps,
        })
    }

    /// 10⁹ operations of the products: correlations, the Gram matrix, and the residuals of each sweep.
    fn operations(&self, sweeps: f64) -> f64 {
        let [d, n, r] = [self.d, self.n, self.r].map(|x| x as f64);
        1e-9 * d * r * (2.0 * n + r * (1.0 + 2.0 * sweeps))
    }
}

/// All sides of a shape in alternation; a row for each way of updating.
fn measure(
    peers: &Peers,
    raw: &mut String,
    plan: &Plan,
    precision: &'static str,
    options: &Options,
) -> Result<Vec<Row>> {
    let case = &plan.case;
    let out = |side: &str| peers.folder.join(format!("out_{case}_{side}_{precision}.npy"));
    let mut keep = |side: &str, sweeps: &str, mut line: Value| -> Result<Value> {
        (line["side"], line["update"]) = (side.into(), sweeps.into());
        writeln!(raw, "{line}")?;
        Ok(line)
    };
    let mut rows: Vec<Row> = UPDATES
        .iter()
        .map(|&(sweeps, ..)| Row { case: case.clone(), precision, sweeps, ..Row::default() })
        .collect();
    for repeat in 1..=options.repeats {
        let line = keep("spams", "one", peers.spams(plan, precision, &out("spams"))?)?;
        let spams = number(&line, "cpu_ms")?;
        for (row, update) in rows.iter_mut().zip(&UPDATES) {
            row.spams.push(spams);
            let file = out(update.0);
            let line = keep("rust", update.0, peers.step(plan, precision, update, SCHEDULE, &file, "1")?)?;
            row.rust.push(number(&line, "cpu_ms")?);
            row.rust_all.push(number(&line, "cpu_ms_all")?);
            row.operations = plan.operations(number(&line, "sweeps")?);
            let wall = number(&line, "wall_ms")?;
            if options.python {
                for (method, times, key) in
                    [("partial_fit", &mut row.partial_fit, "cpu"), ("fit", &mut row.fit, "cpu_ms_all")]
                {
                    let line = peers.python_step(plan, precision, method, update.1, &out(method))?;
                    let line = keep(method, update.0, line)?;
                    let scale = if key == "cpu" { 1e3 / plan.steps as f64 } else { 1.0 };
                    times.push(scale * number(&line, key)?);
                }
            }
            if repeat == options.repeats {
                if median(&row.rust) > LONG {
                    let two = out("two");
                    let line = keep(
                        "two threads",
                        update.0,
                        peers.step(plan, precision, update, SCHEDULE, &two, "2")?,
                    )?;
                    let read = |path: &Path| std::fs::read(root().join(path));
                    row.threads = Some((wall, number(&line, "wall_ms")?, read(&two)? == read(&file)?));
                }
                let own = out("own");
                keep("own weights", update.0, peers.step(plan, precision, update, OWN_SCHEDULE, &own, "1")?)?;
                row.objectives = peers.objectives(case, [&out("spams"), &file, &own])?;
                let line =
                    serde_json::json!({ "case": case, "precision": precision, "objectives": row.objectives });
                keep("score", update.0, line)?;
            }
        }
        let ours =
            rows.iter().map(|row| format!("{:.3}", row.rust[repeat - 1])).collect::<Vec<_>>().join(" and ");
        eprintln!("{case} {precision} {repeat}/{}: SPAMS {spams:.3} ms, ours {ours} ms", options.repeats);
    }
    Ok(rows)
}

impl Peers {
    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn shapes(&self) -> std::process::Command {
        let mut python = single_threaded(&self.python);
        python.arg(SCRIPT);
        python
    }

    fn spams(&self, plan: &Plan, precision: &str, out: &Path) -> Result<Value> {
        let mut python = self.shapes();
        python.arg("spams").arg(self.data()).args([&plan.case, precision]);
        let text = stdout(python.args([plan.warm, plan.steps].map(|n| n.to_string())).arg(out))?;
        last_json(&text).with_context(|| format!("{SCRIPT} on {} printed no JSON line", plan.case))
    }

    fn step(
        &self,
        plan: &Plan,
        precision: &str,
        (_, sweeps, tolerance): &(&str, &str, &str),
        schedule: &str,
        out: &Path,
        threads: &str,
    ) -> Result<Value> {
        let mut benchsuite = single_threaded(&self.benchsuite);
        benchsuite.env("RAYON_NUM_THREADS", threads).args(["step", "--data"]).arg(self.data());
        benchsuite.args(["--case", &plan.case, "--precision", precision, "--schedule", schedule]);
        benchsuite.args(["--sweeps", sweeps, "--sweep-tolerance", tolerance]);
        benchsuite.args(["--warm", &plan.warm.to_string(), "--steps", &plan.steps.to_string()]);
        let text = stdout(benchsuite.arg("--out").arg(out))?;
        last_json(&text).with_context(|| format!("benchsuite step on {} printed no JSON line", plan.case))
    }

    fn python_step(
        &self,
        plan: &Plan,
        precision: &str,
        method: &str,
        sweeps: &str,
        out: &Path,
    ) -> Result<Value> {
        let mut python = single_threaded(&self.python);
        python.args([PACKAGE, "run"]).arg(self.data()).args([&plan.case, precision, method]).arg(out);
        let text = stdout(python.args([plan.warm, plan.steps].map(|n| n.to_string())).arg(sweeps))?;
        last_json(&text).with_context(|| format!("{PACKAGE} on {} printed no JSON line", plan.case))
    }

    /// The held-out objectives of dictionaries by the exact coder of the peers.
    fn objectives(&self, case: &str, files: [&Path; 3]) -> Result<[f64; 3]> {
        let mut python = self.shapes();
        let text = stdout(python.arg("score").arg(&self.folder).arg(self.data()).arg(case).args(files))?;
        let line = last_json(&text).context("the scorer printed no JSON line")?;
        let score = |at: usize| line["objectives"][at].as_f64().context("the scorer printed no objective");
        Ok([score(0)?, score(1)?, score(2)?])
    }
}

fn tables(rows: &[Row], options: &Options) -> Result<String> {
    let mut text = format!(
        "CPU milliseconds a step in its steady state, one thread, medians of {} alternating runs. A shape is features, samples of a \
         minibatch, atoms, and atoms of a planted sample; λ = 1, nonnegative, weights max(1/t, 0.5). SPAMS does one sweep over the atoms a \
         step; ours one, or by default up to five until the dictionary changes by 1 %, but one where a minibatch has fewer samples than atoms. Ratios are SPAMS / ours, of Rust and of \
         `partial_fit`; of `partial_fit` and `fit` also to Rust. GFLOP/s: what the products need, over all of the time. Two threads: wall time \
         of one over that of two, where a step takes more than {LONG} ms. Objectives are held-out, ours and ours / SPAMS, and ours / SPAMS \
         with weights t^−½, the default, at the same cost a step.\n\n\
         | shape | precision | sweeps | SPAMS | Rust | ratio | GFLOP/s | partial_fit ratio | / Rust | fit / Rust | two threads | objective | / SPAMS | own weights / SPAMS |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        options.repeats
    );
    for row in rows {
        let [spams, rust] = [&row.spams, &row.rust].map(|times| median(times));
        let python = if row.fit.is_empty() {
            "– | – | –".to_owned()
        } else {
            let (partial, fit) = (median(&row.partial_fit), median(&row.fit));
            format!("{:.2}× | {:.3} | {:.3}", spams / partial, partial / rust, fit / median(&row.rust_all))
        };
        let threads = row.threads.map_or("–".to_owned(), |(one, two, same)| {
            format!("{:.2}×{}", one / two, if same { "" } else { ", OTHER BYTES" })
        });
        writeln!(
            text,
            "| {} | {} | {} | {spams:.3} | {rust:.3} | {:.2}× | {:.0} | {python} | {threads} | {:.5} | {:.4} | {:.4} |",
            row.case,
            row.precision,
            row.sweeps,
            spams / rust,
            1e3 * row.operations / rust,
            row.objectives[1],
            row.objectives[1] / row.objectives[0],
            row.objectives[2] / row.objectives[0],
        )?;
    }
    for (sweeps, ..) in UPDATES {
        let of = || rows.iter().filter(|row| row.sweeps == sweeps);
        let ratio = |row: &&Row| median(&row.spams) / median(&row.rust);
        let Some(worst) = of().min_by(|a, b| ratio(a).total_cmp(&ratio(b))) else { continue };
        let best = of().map(|row| ratio(&row)).fold(0.0, f64::max);
        let count = |holds: &dyn Fn(&Row) -> bool| of().filter(|row| holds(row)).count();
        writeln!(
            text,
            "\nSweeps {sweeps}: the worst ratio is {:.2}× ({} {}), the best {best:.2}×. Of {} rows, {} reach {:.1}×, and the objective of {} is no worse \
             than that of SPAMS, with own weights of {}.",
            ratio(&worst),
            worst.case,
            worst.precision,
            of().count(),
            count(&|row| ratio(&row) >= ACCEPTED.0),
            ACCEPTED.0,
            count(&|row| row.objectives[0] * 1.00001 >= row.objectives[1]),
            count(&|row| row.objectives[0] * 1.00001 >= row.objectives[2]),
        )?;
        if options.python {
            writeln!(
                text,
                "From Python {} reach {:.1}×; `partial_fit` is within {:.2} of Rust in {}, `fit` in {}.",
                count(&|row| median(&row.spams) / median(&row.partial_fit) >= ACCEPTED.1),
                ACCEPTED.1,
                ACCEPTED.2,
                count(&|row| median(&row.partial_fit) <= ACCEPTED.2 * median(&row.rust)),
                count(&|row| median(&row.fit) <= ACCEPTED.2 * median(&row.rust_all)),
            )?;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn options_are_checked() {
        let options = parse(&words("--only 8-4-2-1 --repeats 2 --rust")).unwrap();
        assert_eq!((options.shapes, options.repeats, options.python), (vec!["8-4-2-1".into()], 2, false));
        for bad in
            ["--only 8-4-2", "--only 8-4-2-3", "--only 8-0-2-1", "--only a-b-c-d", "--repeats 0", "--fast"]
        {
            assert!(parse(&words(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn drawn_shapes_follow_from_the_seed() {
        let shapes = draw(1);
        assert!(shapes == draw(1) && shapes != draw(2));
        assert_eq!(shapes.len(), DRAWN);
        shapes.iter().for_each(|case| drop(Plan::new(case).unwrap()));
    }

    #[test]
    fn the_worst_row_is_named() {
        let row = |case: &str, rust: f64| Row {
            case: case.into(),
            precision: "f64",
            sweeps: "one",
            spams: vec![12.0],
            rust: vec![rust],
            partial_fit: vec![1.25 * rust],
            fit: vec![rust],
            rust_all: vec![rust],
            threads: Some((6.0, 3.0, true)),
            operations: 0.5,
            objectives: [0.5, 0.4, 0.6],
        };
        let options = Options { shapes: Vec::new(), random: None, repeats: 1, python: true };
        let text = tables(&[row("8-4-2-1", 3.0), row("9-4-2-1", 6.0)], &options).unwrap();
        assert!(
            text.contains("| 8-4-2-1 | f64 | one | 12.000 | 3.000 | 4.00× | 167 | 3.20× | 1.250 | 1.000 | 2.00× | 0.40000 | 0.8000 | 1.2000 |"),
            "{text}"
        );
        assert!(
            text.contains("the worst ratio is 2.00× (9-4-2-1 f64), the best 4.00×. Of 2 rows, 1 reach 3.0×"),
            "{text}"
        );
        assert!(
            text.contains("From Python 1 reach 2.8×; `partial_fit` is within 1.05 of Rust in 0, `fit` in 2."),
            "{text}"
        );
    }
}
