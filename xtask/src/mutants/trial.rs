//! Runs of a test program: which tests reach which change, and whether they notice it.

use super::Mutant;
use super::record::End;
use super::traces::Traces;
use crate::place::{Scratch, command, root, stdout};
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Address space of a test program in KiB: a change may ask for any amount.
const SPACE: u64 = 12 << 20;
/// Test programs at a time, each with one thread for tests.
const WORKERS: usize = 2;
/// Tests that take longer come after the others, for what those did not catch.
const QUICK: Duration = Duration::from_secs(1);
/// Tests that take longer are left out.
const LONGEST: Duration = Duration::from_secs(6);
/// How a program ends that has used up its CPU time.
const KILLED: &str = "signal: 9";
/// Tests that are run at once take about this long.
const BATCH: Duration = Duration::from_secs(4);

/// The most time that tests of a change take, of quick ones and then of the others: the nearest come first.
const MOST: Duration = Duration::from_secs(30);

/// A test, how long it takes and the numbers of the changes that it reaches.
struct Test<'a> {
    program: &'a Path,
    name: String,
    time: Duration,
    reaches: BTreeSet<u32>,
    /// What it means that it fails.
    caught: End,
}

/// Tests each change with the tests that reach it: the quick ones of the library, the quick integration tests, then the others.
pub(super) fn test(
    programs: &[PathBuf],
    chosen: &[Mutant],
    mut traces: Traces,
    limit: Option<Duration>,
    ended: impl FnMut(&Mutant, End) -> Result<()> + Send,
) -> Result<()> {
    let mut tests = Vec::new();
    // What no trace was looked at for waits for a run of its own.
    let unknown = traces.watch(chosen);
    for (program, caught) in programs.iter().zip([End::Caught, End::Integration]) {
        tests.extend(trace(program, caught, chosen, &mut traces)?);
    }
    let until = limit.map(|limit| Instant::now() + limit);
    let ended = Mutex::new(ended);
    let mut left: Vec<u32> = (1..=chosen.len() as u32).filter(|number| !unknown.contains(number)).collect();
    for slow in [false, true] {
        let survivors = Mutex::new(Vec::new());
        parallel(&left, |number| {
            if until.is_some_and(|until| Instant::now() > until) {
                return Ok(());
            }
            let mutant = &chosen[*number as usize - 1];
            let end = try_change(&nearest(&tests, *number, &mutant.file, slow), *number)?;
            if end == End::Survived {
                survivors.lock().unwrap().push(*number);
            }
            (ended.lock().unwrap())(mutant, end)
        })?;
        left = survivors.into_inner().unwrap();
        left.sort_unstable();
    }
    Ok(())
}

/// The tests that reach a change, of one program after the other: first those of its module, then those that take little time and reach few others.
fn nearest<'a, 'b>(tests: &'b [Test<'a>], number: u32, file: &str, slow: bool) -> Vec<&'b Test<'a>> {
    let module = file.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::") + "::";
    let reaching = tests.iter().filter(|test| test.reaches.contains(&number) && (test.time > QUICK) == slow);
    let mut reaching: Vec<&Test<'_>> = reaching.collect();
    reaching.sort_by_cached_key(|test| {
        let far = !test.name.starts_with(&module);
        (test.caught == End::Integration, far, test.time * test.reaches.len() as u32, &test.name)
    });
    let mut time = Duration::ZERO;
    reaching.retain(|test| {
        let fits = time + test.time <= MOST;
        time += if fits { test.time } else { Duration::ZERO };
        fits
    });
    reaching
}

/// Work on all of a list by a few threads; the first error.
fn parallel<T: Sync>(all: &[T], work: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    let next = AtomicUsize::new(0);
    let one = || {
        while let Some(item) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(item)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(one)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap())
    })
}

/// Runs each test of a program that was not seen yet by itself, without a change, and notes which changes it reaches.
fn trace<'a>(
    program: &'a Path,
    caught: End,
    chosen: &[Mutant],
    traces: &mut Traces,
) -> Result<Vec<Test<'a>>> {
    let list = stdout(command(program).args(["--list", "--format", "terse"]))?;
    let names: Vec<&str> = list.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    let new: Vec<&str> = names.iter().copied().filter(|name| traces.of(caught, name).is_none()).collect();
    println!("{} tests, {} of them new, each by itself", names.len(), new.len());
    let scratch = Scratch::new("mutants")?;
    let identities: Vec<u64> = chosen.iter().map(Mutant::identity).collect();
    let found = Mutex::new(Vec::new());
    parallel(&new, |name| {
        let notes = scratch.0.join(name.replace("::", "-"));
        let start = Instant::now();
        let end = run(program, &[name], 0, &notes, LONGEST)?;
        let time = start.elapsed();
        let trace = if end == End::Survived {
            let text = std::fs::read_to_string(&notes).unwrap_or_default();
            let numbers = text.lines().filter_map(|line| line.parse::<usize>().ok());
            Some((time, numbers.map(|number| identities[number - 1]).collect()))
        } else {
            let why = if end == End::TimedOut { "slow" } else { "fails without a change" };
            println!("left out ({why}): {name}");
            None
        };
        found.lock().unwrap().push((*name, trace));
        Ok(())
    })?;
    found.into_inner().unwrap().into_iter().for_each(|(name, trace)| traces.add(caught, name, trace));
    traces.write()?;
    let known = |name: &&str| {
        let (time, reached) = traces.of(caught, name)?.as_ref()?;
        let reaches = (1..).zip(&identities).filter(|(_, identity)| reached.contains(identity));
        let reaches = reaches.map(|(number, _)| number).collect();
        Some(Test { program, name: (*name).to_owned(), time: *time, reaches, caught })
    };
    Ok(names.iter().filter_map(known).collect())
}

/// Runs tests with a change, in batches, to the first that fails.
fn try_change(tests: &[&Test<'_>], number: u32) -> Result<End> {
    for batch in batches(tests) {
        let time: Duration = batch.iter().map(|test| test.time).sum();
        let names: Vec<&str> = batch.iter().map(|test| test.name.as_str()).collect();
        let limit = time * 5 + Duration::from_secs(3);
        let end = run(batch[0].program, &names, number, Path::new(""), limit)?;
        if end != End::Survived {
            return Ok(if end == End::Caught { batch[0].caught } else { end });
        }
    }
    Ok(End::Survived)
}

/// Tests of one program in groups that take about as long as [`BATCH`].
fn batches<'a, 'b>(tests: &'a [&'b Test<'b>]) -> Vec<&'a [&'b Test<'b>]> {
    let (mut batches, mut start, mut time) = (Vec::new(), 0, Duration::ZERO);
    for (at, test) in tests.iter().enumerate() {
        if at > start && (time + test.time > BATCH || test.program != tests[start].program) {
            batches.push(&tests[start..at]);
            (start, time) = (at, Duration::ZERO);
        }
        time += test.time;
    }
    if start < tests.len() {
        batches.push(&tests[start..]);
    }
    batches
}

/// Runs tests with a change, to the first that fails; 0 is none, and the changes that are reached are then noted. The limit is of CPU time, so that
/// a busy machine changes nothing; of other time they may take five times as much.
fn run(program: &Path, tests: &[&str], number: u32, notes: &Path, limit: Duration) -> Result<End> {
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {SPACE} -t {}; exec \"$0\" \"$@\"", limit.as_secs() + 1)])
        .arg(program)
        .args(["--exact", "--test-threads", "1"])
        .args(tests)
        .env("ERGODICT_MUTANT", number.to_string())
        .env("ERGODICT_REACHED", notes)
        // Property tests look for a smaller example of what failed and keep it, which is of no use here.
        .env("PROPTEST_MAX_SHRINK_ITERS", "0")
        .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1")
        .env("RUST_BACKTRACE", "0")
        .current_dir(root().join("crates/ergodict"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start the tests")?;
    let out = BufReader::new(child.stdout.take().context("the tests have no output")?);
    let (send, failed) = channel();
    std::thread::spawn(move || {
        for line in out.lines() {
            if line.is_ok_and(|line| line.ends_with("... FAILED")) {
                let _ = send.send(());
            }
        }
    });
    let end = match failed.recv_timeout(limit * 5) {
        Ok(()) => End::Caught,
        Err(RecvTimeoutError::Timeout) => End::TimedOut,
        // The program has ended.
        Err(RecvTimeoutError::Disconnected) => {
            let status = child.wait()?;
            return Ok(match status.to_string() {
                end if end.starts_with(KILLED) => End::TimedOut,
                _ if status.success() => End::Survived,
                _ => End::Caught,
            });
        }
    };
    child.kill()?;
    child.wait()?;
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_all_tests_in_order() {
        let test = |(program, seconds)| Test {
            program: Path::new(program),
            name: String::new(),
            time: Duration::from_secs(seconds),
            reaches: BTreeSet::new(),
            caught: End::Caught,
        };
        let tests =
            [("a", 1), ("a", 1), ("a", 2), ("a", 2), ("a", 3), ("a", 9), ("a", 1), ("b", 1)].map(test);
        let tests: Vec<&Test<'_>> = tests.iter().collect();
        let lengths: Vec<usize> = batches(&tests).iter().map(|batch| batch.len()).collect();
        assert_eq!(lengths, [3, 1, 1, 1, 1, 1]);
        assert!(batches(&[]).is_empty());
    }

    #[test]
    fn the_nearest_tests_come_first_as_long_as_there_is_time() {
        let test = |name: &str, millis, reaches: &[u32], caught| Test {
            program: Path::new("a"),
            name: name.to_owned(),
            time: Duration::from_millis(millis),
            reaches: reaches.iter().copied().collect(),
            caught,
        };
        let tests = [
            test("whole", 10, &[1], End::Integration),
            test("b::long", 900, &[1, 2, 3], End::Caught),
            test("b::other", 10, &[2], End::Caught),
            test("b::short", 10, &[1, 2], End::Caught),
            test("a::b::own", 900, &[1, 2, 3], End::Caught),
            test("a::b::slow", 29_900, &[1], End::Caught),
            test("slow", 2000, &[1], End::Caught),
        ];
        let names = |slow| -> Vec<&str> {
            nearest(&tests, 1, "a/b.rs", slow).iter().map(|test| test.name.as_str()).collect()
        };
        assert_eq!(names(false), ["a::b::own", "b::short", "b::long", "whole"]);
        assert_eq!(names(true), ["a::b::slow"]);
    }

    #[test]
    fn all_of_a_list_is_worked_on_and_errors_are_seen() {
        let sum = AtomicUsize::new(0);
        let add = |number: &usize| {
            sum.fetch_add(*number, Ordering::Relaxed);
            Ok(())
        };
        parallel(&[1, 2, 3, 4], add).unwrap();
        assert_eq!(sum.into_inner(), 10);
        assert!(
            parallel(&[1, 2, 3], |number| if *number == 2 { anyhow::bail!("two") } else { Ok(()) }).is_err()
        );
    }
}
