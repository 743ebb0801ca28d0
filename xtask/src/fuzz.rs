//! `cargo xtask fuzz`: the fuzz targets with libFuzzer and the address sanitizer, and how far they came.

use crate::place::{cargo, command, name, root, stdout, succeed, target};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The only system that this was tried on; libFuzzer itself knows others.
const SYSTEM: &str = "x86_64-unknown-linux-gnu";
/// What cargo-fuzz gives the compiler: edges are counted, comparisons are seen, memory is watched.
const FLAGS: [&str; 8] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Zsanitizer=address",
    "--cfg",
    "fuzzing",
];
/// Seconds of a target, and with `--quick`.
const SECONDS: u64 = 600;
const QUICK: u64 = 60;
/// An input that takes longer than this, in seconds, or more memory than this, in MiB, counts as a crash.
const SLOWEST: u64 = 20;
const MEMORY: u64 = 2048;
/// The longest input in bytes: no seed is longer, and what is longer takes longer.
const LONGEST: u64 = 8192;
/// Memory is watched; where it was allocated is not noted, and few freed pieces are kept.
const SANITIZER: &str = "detect_leaks=0:malloc_context_size=1:quarantine_size_mb=8";

/// How a target ended.
struct Run {
    target: String,
    seconds: f64,
    executions: u64,
    /// Edges of the program that inputs reached, and what libFuzzer counts as features.
    edges: u64,
    features: u64,
    corpus: u64,
    peak: u64,
    /// The input that crashed it.
    crash: Option<PathBuf>,
}

/// Runs all targets, or those that are named; true if none crashed.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let (mut seconds, mut wanted) = (SECONDS, Vec::new());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--quick" => seconds = QUICK,
            "--seconds" => {
                let value = words.next().context("--seconds needs a number")?;
                seconds =
                    value.parse().with_context(|| format!("--seconds {value}: expected a whole number"))?;
            }
            word if word.starts_with('-') => bail!("no option `{word}`: there are --quick and --seconds N"),
            target => wanted.push(target.to_owned()),
        }
    }
    let all = targets()?;
    if let Some(unknown) = wanted.iter().find(|name| !all.contains(name)) {
        bail!("no target `{unknown}`: there are {}", all.join(", "));
    }
    let chosen = if wanted.is_empty() { all } else { wanted };

    let program = build()?;
    let work = target()?.join("fuzz/work");
    let date = stdout(command("date").arg("+%F"))?;
    let page = root().join(format!("benchsuite/runs/{}/fuzz.md", date.trim()));
    // Runs of one day add up.
    let earlier = std::fs::read_to_string(&page).unwrap_or_default();
    let mut rows: BTreeMap<String, Run> =
        earlier.lines().filter_map(Run::from_row).map(|run| (run.target.clone(), run)).collect();
    let mut done = Vec::new();
    for name in &chosen {
        let run = fuzz(&program, name, &work, seconds)?;
        println!("{}", run.row());
        done.push(run.crash.clone());
        let run = match rows.remove(name) {
            Some(before) => run.after(&before),
            None => run,
        };
        rows.insert(name.clone(), run);
        // After each, so that one that is interrupted is not lost.
        record(&page, &rows.values().collect::<Vec<_>>())?;
    }
    println!("{} has all targets", page.display());
    let crashes: Vec<PathBuf> = done.into_iter().flatten().collect();
    crashes.iter().for_each(|crash| println!("crashed: {}", crash.display()));
    Ok(crashes.is_empty())
}

/// The targets: each has a folder of seeds, which a test sees to.
fn targets() -> Result<Vec<String>> {
    let folder = root().join("fuzz/corpus");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Builds the program, which has all targets. The sanitizer is a flag that the stable compiler takes only with `RUSTC_BOOTSTRAP`, which is set
/// for nothing else.
fn build() -> Result<PathBuf> {
    let folder = target()?.join("fuzz");
    let mut build = cargo(
        "build --locked --profile fuzz --package ergodict-fuzz --bin fuzz --features libfuzzer --target",
    );
    build.arg(SYSTEM).arg("--target-dir").arg(&folder);
    println!("$ {}", name(&build));
    build.env("RUSTC_BOOTSTRAP", "1").env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"));
    succeed(build.env("CARGO_INCREMENTAL", "0"))?;
    Ok(folder.join(SYSTEM).join("fuzz/fuzz"))
}

/// Runs a target. What it finds is added to `work`, from where the next run continues.
fn fuzz(program: &Path, target: &str, work: &Path, seconds: u64) -> Result<Run> {
    let (found, crashes) = (work.join("corpus").join(target), work.join("crashes").join(target));
    for folder in [&found, &crashes] {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let mut fuzz = command(program);
    fuzz.env("ERGODICT_FUZZ_TARGET", target).arg(&found).arg(root().join("fuzz/corpus").join(target));
    fuzz.arg(format!("-max_total_time={seconds}")).arg(format!("-timeout={SLOWEST}"));
    fuzz.arg(format!("-rss_limit_mb={MEMORY}")).arg(format!("-artifact_prefix={}/", crashes.display()));
    // What the target prints would drown the figures; libFuzzer keeps its own.
    fuzz.args(["-print_final_stats=1", "-close_fd_mask=3", "-detect_leaks=0", "-verbosity=1"]);
    fuzz.arg(format!("-max_len={LONGEST}")).env("ASAN_OPTIONS", SANITIZER);
    // Files in memory, where there is such a place.
    if Path::new("/dev/shm").is_dir() {
        fuzz.env("TMPDIR", "/dev/shm");
    }
    let start = Instant::now();
    let output = fuzz.output().with_context(|| format!("cannot start {}", name(&fuzz)))?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let path = work.join(format!("{target}.log"));
    std::fs::write(&path, &log).with_context(|| format!("cannot write {}", path.display()))?;
    let crash = log.lines().find_map(|line| line.split("Test unit written to ").nth(1)).map(PathBuf::from);
    if crash.is_none() && !output.status.success() {
        bail!(
            "{target} ended with {} without an input that crashes it: see {}",
            output.status,
            path.display()
        );
    }
    parse(target, &log, start.elapsed().as_secs_f64(), crash)
        .with_context(|| format!("{} has no figures of libFuzzer", path.display()))
}

/// The figures of a log of libFuzzer: its last line such as `#8192 pulse cov: 120 ft: 333 corp: 40/2Kb …` and its final statistics.
fn parse(target: &str, log: &str, seconds: f64, crash: Option<PathBuf>) -> Option<Run> {
    let last = log.lines().rev().find(|line| line.starts_with('#') && line.contains(" cov: "))?;
    let words: Vec<&str> = last.split_whitespace().collect();
    let number = |text: &str| text.split('/').next()?.trim_start_matches('#').parse::<u64>().ok();
    let after = |key: &str| number(words[words.iter().position(|word| *word == key)? + 1]);
    let stat = |key: &str| {
        let line = log.lines().rev().find(|line| line.starts_with(&format!("stat::{key}:")))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    Some(Run {
        target: target.to_owned(),
        seconds,
        executions: stat("number_of_executed_units").or_else(|| number(words[0]))?,
        edges: after("cov:")?,
        features: after("ft:")?,
        corpus: after("corp:")?,
        peak: stat("peak_rss_mb").unwrap_or(0),
        crash,
    })
}

const HEAD: &str = "| target | executions | s | exec/s | edges | features | inputs kept | peak MiB | |\n|---|---|---|---|---|---|---|---|---|\n";

impl Run {
    fn row(&self) -> String {
        let Self { target, seconds, executions, edges, features, corpus, peak, crash } = self;
        let rate = *executions as f64 / seconds.max(1e-9);
        let end = crash.as_ref().and_then(|path| path.file_name()).map(|file| file.to_string_lossy());
        let end = end.unwrap_or_default();
        format!(
            "| {target} | {executions} | {seconds:.0} | {rate:.0} | {edges} | {features} | {corpus} | {peak} | {end} |"
        )
    }
}

impl Run {
    /// What a row says.
    fn from_row(row: &str) -> Option<Self> {
        let cells: Vec<&str> = row.strip_prefix("| ")?.split('|').map(str::trim).collect();
        let &[target, executions, seconds, _, edges, features, corpus, peak, crash, _] = &cells[..] else {
            return None;
        };
        Some(Self {
            target: target.to_owned(),
            seconds: seconds.parse().ok()?,
            executions: executions.parse().ok()?,
            edges: edges.parse().ok()?,
            features: features.parse().ok()?,
            corpus: corpus.parse().ok()?,
            peak: peak.parse().ok()?,
            crash: (!crash.is_empty()).then(|| crash.into()),
        })
    }

    /// Both runs: what was found is that of the later one, which began with the inputs of the first.
    fn after(self, before: &Self) -> Self {
        Self {
            seconds: self.seconds + before.seconds,
            executions: self.executions + before.executions,
            peak: self.peak.max(before.peak),
            ..self
        }
    }
}

/// Writes the page of today.
fn record(page: &Path, done: &[&Run]) -> Result<()> {
    let total: u64 = done.iter().map(|run| run.executions).sum();
    let crashed = done.iter().filter(|run| run.crash.is_some()).count();
    let mut text = String::from(
        "# Fuzzing\n\n`cargo xtask fuzz`: libFuzzer with the address sanitizer, debug assertions and overflow checks on. ",
    );
    let _ = write!(
        text,
        "Edges are those of the whole program that inputs reached, libraries included.\nAn input that takes more than {SLOWEST} s or {MEMORY} MiB counts as a crash.\n\n{HEAD}"
    );
    for run in done {
        let _ = writeln!(text, "{}", run.row());
    }
    let _ = writeln!(text, "\n{total} executions of {} targets, {crashed} crashed.", done.len());
    if let Some(folder) = page.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(page, text).with_context(|| format!("cannot write {}", page.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "INFO: seed corpus: files: 3\n#3\tINITED cov: 1201 ft: 1500 corp: 3/90b exec/s: 0 rss: 60Mb\n\
        #4096\tpulse  cov: 1300 ft: 2100 corp: 40/2Kb lim: 90 exec/s: 1365 rss: 80Mb\n\
        stat::number_of_executed_units: 4100\nstat::peak_rss_mb:              81\n";

    #[test]
    fn figures_are_those_of_the_last_line_and_the_statistics() {
        let run = parse("egr", LOG, 2.0, None).unwrap();
        assert_eq!(run.row(), "| egr | 4100 | 2 | 2050 | 1300 | 2100 | 40 | 81 |  |");
        let crashed =
            parse("egr", LOG.split("stat::").next().unwrap(), 2.0, Some("a/crash-1".into())).unwrap();
        assert_eq!((crashed.executions, crashed.row().ends_with("| crash-1 |")), (4096, true));
        let read = Run::from_row(&crashed.row()).unwrap();
        assert_eq!(read.row(), crashed.row());
        assert_eq!(run.after(&read).row(), "| egr | 8196 | 4 | 2049 | 1300 | 2100 | 40 | 81 |  |");
        assert!(
            Run::from_row("| target | executions | s |").is_none() && Run::from_row("# Fuzzing").is_none()
        );
        assert!(parse("egr", "INFO: nothing ran\n", 2.0, None).is_none());
    }

    #[test]
    fn targets_are_the_folders_of_seeds() {
        let targets = targets().unwrap();
        assert!(targets.contains(&"edge_list".to_owned()) && targets.contains(&"model".to_owned()));
        assert!(run(&["nothing".into()]).unwrap_err().to_string().contains("no target `nothing`"));
        assert!(run(&["--slow".into()]).is_err() && run(&["--seconds".into(), "x".into()]).is_err());
    }
}
