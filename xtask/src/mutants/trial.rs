//! Runs of a test program, one for each change.

use super::Mutant;
use super::record::End;
use crate::place::root;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Address space of a test program in KiB: a change may ask for any amount.
const SPACE: u64 = 12 << 20;

/// A test program, and how long its tests take without a change.
struct Trial<'a> {
    program: &'a Path,
    usual: BTreeMap<Vec<String>, Duration>,
}

/// Runs the unit tests of each change, from those of its module to those of the library, and gives the numbers of those that survive.
pub(super) fn units(
    program: &Path,
    chosen: &[Mutant],
    until: Option<Instant>,
    mut ended: impl FnMut(&Mutant, End) -> Result<()>,
) -> Result<Vec<u32>> {
    let mut trial = Trial { program, usual: BTreeMap::new() };
    let mut left = Vec::new();
    for (number, mutant) in (1..).zip(chosen) {
        if until.is_some_and(|until| Instant::now() > until) {
            break;
        }
        let mut end = End::Survived;
        for tests in rounds(&mutant.file) {
            end = trial.run(&tests, number)?;
            if end != End::Survived {
                break;
            }
        }
        if end == End::Survived {
            left.push(number);
        }
        ended(mutant, end)?;
    }
    Ok(left)
}

/// Runs the integration tests of those that the unit tests left.
pub(super) fn integration(
    program: &Path,
    chosen: &[Mutant],
    left: &[u32],
    until: Option<Instant>,
    mut ended: impl FnMut(&Mutant, End) -> Result<()>,
) -> Result<()> {
    let mut trial = Trial { program, usual: BTreeMap::new() };
    for number in left {
        if until.is_some_and(|until| Instant::now() > until) {
            break;
        }
        let end = trial.run(&[], *number)?;
        let end = if end == End::Survived { end } else { End::Integration };
        ended(&chosen[*number as usize - 1], end)?;
    }
    Ok(())
}

/// The tests that are run for a change in a file, one round after the other: those of its module, its folder, its top folder, the library, each
/// without those that were run already. They are arguments of the test program.
fn rounds(file: &str) -> Vec<Vec<String>> {
    let module = file.trim_end_matches(".rs").trim_end_matches("/mod");
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let top = file.split('/').next().unwrap_or_default();
    let mut filters: Vec<String> = [module, folder, top].map(|path| path.replace('/', "::") + "::").into();
    filters.dedup();
    let mut rounds: Vec<Vec<String>> = Vec::new();
    for (done, filter) in filters.iter().map(Some).chain([None]).enumerate() {
        let skip = filters[..done].iter().flat_map(|filter| ["--skip".to_owned(), filter.clone()]);
        rounds.push(filter.cloned().into_iter().chain(skip).collect());
    }
    rounds
}

impl Trial<'_> {
    /// Runs tests with a change.
    fn run(&mut self, tests: &[String], number: u32) -> Result<End> {
        if !self.usual.contains_key(tests) {
            let start = Instant::now();
            if self.test(tests, 0, Duration::from_mins(30))? != End::Survived {
                bail!("the tests `{}` fail without any change", tests.join(" "));
            }
            self.usual.insert(tests.to_vec(), start.elapsed());
        }
        self.test(tests, number, self.usual[tests] * 10 + Duration::from_secs(10))
    }

    /// Runs tests with a change, to the first that fails; 0 is none.
    fn test(&self, tests: &[String], number: u32, limit: Duration) -> Result<End> {
        let mut child = Command::new("sh")
            .args(["-c", &format!("ulimit -v {SPACE}; exec \"$0\" \"$@\"")])
            .arg(self.program)
            .args(tests)
            .env("ERGODICT_MUTANT", number.to_string())
            // Property tests look for a smaller example of what failed, which is of no use here.
            .env("PROPTEST_MAX_SHRINK_ITERS", "0")
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
        let end = match failed.recv_timeout(limit) {
            Ok(()) => End::Caught,
            Err(RecvTimeoutError::Timeout) => End::TimedOut,
            // The program has ended.
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(if child.wait()?.success() { End::Survived } else { End::Caught });
            }
        };
        child.kill()?;
        child.wait()?;
        Ok(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_widen_and_do_not_repeat() {
        let rounds = |file| rounds(file).iter().map(|round| round.join(" ")).collect::<Vec<_>>();
        assert_eq!(
            rounds("factor/code/fast.rs"),
            [
                "factor::code::fast::",
                "factor::code:: --skip factor::code::fast::",
                "factor:: --skip factor::code::fast:: --skip factor::code::",
                "--skip factor::code::fast:: --skip factor::code:: --skip factor::",
            ]
        );
        assert_eq!(rounds("denoise/mod.rs"), ["denoise::", "--skip denoise::"]);
    }
}
