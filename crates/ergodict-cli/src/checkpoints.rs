//! The flags of checkpoints, and how to resume.

use crate::output;
use crate::shell::quoted;
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The flags.
#[derive(clap::Args)]
#[command(next_help_heading = "Checkpoints and reports")]
pub(crate) struct CheckpointArgs {
    /// Save the state to this file; deleted when the run is complete
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Seconds between checkpoints
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, requires = "checkpoint")]
    #[arg(hide_short_help = true, allow_negative_numbers = true)]
    checkpoint_every: f64,
    /// Continue from the checkpoint, if there is one
    #[arg(long, requires = "checkpoint")]
    pub(crate) resume: bool,
}

impl CheckpointArgs {
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
}

/// `in 30 s`.
pub(crate) fn next_time(every: Duration) -> String {
    match every.as_secs() {
        0 => "soon".into(),
        seconds => format!("in {seconds} s"),
    }
}

/// The message after an interruption; `after` is how far the run was, `others` how many checkpoints there are
/// besides the one that is named.
pub(crate) fn interrupted(after: &str, checkpoint: Option<&Path>, others: usize) -> String {
    match checkpoint {
        Some(path) => format!(
            "ergodict: interrupted after {after}; the state is in {}{}; continue with {}",
            path.display(),
            if others > 0 { format!(" and {others} more") } else { String::new() },
            resume_command(std::env::args_os())
        ),
        None => format!(
            "ergodict: interrupted after {after}; nothing was written (--checkpoint FILE would keep the state)"
        ),
    }
}

/// The command that resumes from the checkpoint, for a shell.
fn resume_command(arguments: impl Iterator<Item = OsString>) -> String {
    let mut words: Vec<String> = arguments.map(|word| quoted(&word.to_string_lossy())).collect();
    if !words.iter().any(|word| word == "--resume") {
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        words.insert(end, "--resume".into());
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> String {
        resume_command(words.iter().map(OsString::from))
    }

    #[test]
    fn the_command_can_be_pasted_into_a_shell() {
        assert_eq!(command(&["ergodict", "factor", "x.npy"]), "ergodict factor x.npy --resume");
        assert_eq!(command(&["e", "--resume", "x"]), "e --resume x");
        assert_eq!(command(&["e", "--", "-x"]), "e --resume -- -x");
        assert_eq!(command(&["e", "my file", "", "it's", "$x"]), r"e 'my file' '' 'it'\''s' '$x' --resume");
    }
}
