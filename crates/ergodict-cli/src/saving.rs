//! The flags of checkpoints, and whether a run may go on from one.

use crate::output;
use crate::progress::say;
use crate::shell::quoted;
use anyhow::{Result, bail};
use ergodict::dictionary::{Input, Model};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Checkpoints that could not be written.
static MISSED: AtomicU64 = AtomicU64::new(0);

/// The flags.
#[derive(clap::Args)]
#[command(next_help_heading = "Checkpoints and reports")]
pub(crate) struct Saving {
    /// Save the state here from time to time; deleted when all is written
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Seconds between checkpoints
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, requires = "checkpoint")]
    #[arg(hide_short_help = true, allow_negative_numbers = true)]
    checkpoint_every: f64,
    /// Go on from the checkpoint, if there is one
    #[arg(long, requires = "checkpoint")]
    pub(crate) resume: bool,
}

impl Saving {
    /// Checks what does not need the data.
    pub(crate) fn check(&self) -> Result<()> {
        if self.checkpoint_every.is_nan() || self.checkpoint_every < 0.0 {
            bail!("--checkpoint-every is {}, but it must be at least 0 seconds", self.checkpoint_every);
        }
        if self.checkpoint.as_deref().is_some_and(output::is_standard) {
            bail!("--checkpoint is -, but a state that can be resumed needs a file");
        }
        Ok(())
    }

    /// Time between checkpoints.
    pub(crate) fn every(&self) -> Duration {
        Duration::try_from_secs_f64(self.checkpoint_every).unwrap_or(Duration::MAX)
    }

    /// What came of saving the state: a run goes on without, for there may be room again by the next time, but one that stops here must not
    /// seem to be saved.
    pub(crate) fn tried(&self, saved: Result<()>, stopped: bool) -> Result<()> {
        let Err(error) = saved else { return Ok(()) };
        if stopped {
            return Err(error.context("interrupted, and the state could not be saved"));
        }
        // Once is enough where checkpoints are written all the time.
        if MISSED.fetch_add(1, Ordering::Relaxed) == 0 {
            let when = next_time(self.every());
            say(&format!(
                "ergodict: warning: {}: the checkpoint could not be written; the run goes on and tries again {when}",
                output::one_line(&error)
            ));
        }
        Ok(())
    }

    /// Whether the run is to go on from the checkpoint `path`. One that is there and not asked for is an error.
    pub(crate) fn goes_on(&self, path: &Path, quiet: bool) -> Result<bool> {
        match (path.exists(), self.resume) {
            (true, false) => bail!(
                "{}: there is a checkpoint already: add --resume to go on from it, or delete it",
                path.display()
            ),
            (false, true) if !quiet => {
                say(&format!("{}: there is no checkpoint yet; starting afresh", path.display()));
            }
            _ => {}
        }
        Ok(path.exists())
    }
}

/// `in 30 s`.
fn next_time(every: Duration) -> String {
    match every.as_secs() {
        0 => "soon".into(),
        seconds => format!("in {seconds} s"),
    }
}

/// What to say to somebody who interrupted a run; `after` tells how far it was, `others` how many checkpoints there are
/// besides the one that is named.
pub(crate) fn interrupted(after: &str, checkpoint: Option<&Path>, others: usize) -> String {
    match checkpoint {
        Some(path) => format!(
            "ergodict: interrupted after {after}; the state is in {}{}: go on with {}",
            path.display(),
            if others > 0 { format!(" and {others} more") } else { String::new() },
            again(std::env::args_os())
        ),
        None => format!(
            "ergodict: interrupted after {after}; nothing was written (add --checkpoint FILE to be able to go on another time)"
        ),
    }
}

/// The command that goes on from the checkpoint, for a shell.
fn again(arguments: impl Iterator<Item = OsString>) -> String {
    let mut words: Vec<String> = arguments.map(|word| quoted(&word.to_string_lossy())).collect();
    if !words.iter().any(|word| word == "--resume") {
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        words.insert(end, "--resume".into());
    }
    words.join(" ")
}

/// In what a checkpoint is of another run than the one with this configuration.
pub(crate) fn other_run(then: &Value, now: &Value) -> Option<String> {
    let (key, then, now) = difference(then, now)?;
    Some(format!("is of another run: {key} was {then} there and is {now} here; resume with the same flags"))
}

/// Deletes a checkpoint whose run is over.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match MISSED.swap(0, Ordering::Relaxed) {
        0 => {}
        1 => say("a checkpoint could not be written on the way; the results are not touched by that"),
        missed => {
            say(&format!(
                "{missed} checkpoints could not be written on the way; the results are not touched by that"
            ));
        }
    }
    if path.exists() {
        std::fs::remove_file(path).map_err(ergodict::Error::io(path))?;
    }
    Ok(())
}

/// Refuses a checkpoint of a run on other files.
pub(crate) fn same_inputs(path: &Path, then: &[Input], now: &[Input]) -> Result<()> {
    for (then, now) in then.iter().zip(now) {
        if then.digest != now.digest {
            bail!(
                "{}: is of other data: {} has changed since, or is another file than {}",
                path.display(),
                now.name,
                then.name
            );
        }
    }
    Ok(())
}

/// Loads a checkpoint of the run of this kind with this configuration and these inputs.
pub(crate) fn load(path: &Path, kind: &str, config: &Value, inputs: &[Input]) -> Result<Model> {
    let model = Model::load(path)?;
    let at = path.display();
    if model.cursor.is_none() && model.chain.is_none() {
        bail!("{at}: is a finished model, not a checkpoint: there is nothing to resume");
    }
    if model.kind == kind
        && let Some(difference) = other_run(&model.run["config"], config)
    {
        bail!("{at}: {difference}");
    }
    same_inputs(path, &model.inputs, inputs)?;
    if model.inputs.len() != inputs.len() || model.kind != kind {
        bail!("{at}: is a checkpoint of another kind of run ({})", model.kind);
    }
    Ok(model)
}

/// The first flag that differs, with its values.
fn difference(then: &Value, now: &Value) -> Option<(String, Value, Value)> {
    let keys = |value: &Value| value.as_object().map(|o| o.keys().cloned().collect()).unwrap_or_default();
    let mut all: Vec<String> = keys(then);
    all.extend(keys(now));
    let differs = |key: &&String| then.get(*key) != now.get(*key);
    let key = all.iter().find(differs)?;
    let value = |of: &Value| of.get(key).cloned().unwrap_or(Value::Null);
    Some((key.clone(), value(then), value(now)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again_of(words: &[&str]) -> String {
        again(words.iter().map(OsString::from))
    }

    #[test]
    fn the_command_can_be_pasted_into_a_shell() {
        assert_eq!(again_of(&["ergodict", "factor", "x.npy"]), "ergodict factor x.npy --resume");
        assert_eq!(again_of(&["e", "--resume", "x"]), "e --resume x");
        assert_eq!(again_of(&["e", "--", "-x"]), "e --resume -- -x");
        assert_eq!(again_of(&["e", "my file", "", "it's", "$x"]), r"e 'my file' '' 'it'\''s' '$x' --resume");
    }
}
