//! What the commands that learn share: runs side by side, with progress, one checkpoint and Ctrl-C.

mod summary;

use crate::args::Common;
use crate::checkpoints::CheckpointArgs;
use crate::driver::Driver;
use crate::progress::say;
use crate::{interrupt, output};
use anyhow::Result;
use ergodict::Error;
use ergodict::linalg::Scalar;
use ergodict::run::{Identity, Job, Run, Status};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
pub(crate) use summary::{LearnedModel, first_dominances};

/// Runs, and the checkpoint they share.
pub(crate) struct Learning<T: Scalar> {
    pub(crate) runs: Vec<Run<T>>,
    driver: Driver,
    quiet: bool,
}

/// Runs as jobs.
fn jobs<T: Scalar>(runs: &mut [Run<T>]) -> Vec<&mut dyn Job> {
    runs.iter_mut().map(|run| run as &mut dyn Job).collect()
}

impl<T: Scalar> Learning<T> {
    /// Locks the checkpoint, and reads what it has.
    pub(crate) fn open(identity: &Identity, checkpoints: &CheckpointArgs, common: &Common) -> Result<Self> {
        let driver = Driver::open(checkpoints, common, identity)?;
        Ok(Self { runs: Vec::new(), driver, quiet: common.quiet })
    }

    /// Advances all runs until they are over, or until they are interrupted: the exit code then. What was learned is not thrown away
    /// when nothing but tests of it is interrupted, which [`Run::unfinished`] has, and no checkpoint keeps it.
    pub(crate) fn drive(&mut self) -> Result<Option<ExitCode>> {
        interrupt::listen();
        let new = self.steps() == 0;
        let resumed = self.driver.restore(&mut jobs(&mut self.runs))?;
        if resumed && new && self.steps() > 0 && !self.quiet {
            let samples: u64 = self.runs.iter().map(|run| run.trainer().samples()).sum();
            say(&format!("resumed after step {}, {samples} samples", self.steps()));
        }
        match self.driver.drive(&mut jobs(&mut self.runs)) {
            Ok(Status::Stopped) if self.driver.is_kept() || !self.runs.iter().all(Run::is_learned) => {
                Ok(Some(self.interrupted()))
            }
            Ok(_) => {
                interrupt::waits_for("the models and the report");
                Ok(None)
            }
            Err(error) => Err(self.rescued(error)),
        }
    }

    /// Steps of all runs.
    fn steps(&self) -> u64 {
        self.runs.iter().map(|run| run.trainer().steps()).sum()
    }

    /// Saves the state of runs that cannot continue, if they are between two minibatches, and reports where it is.
    fn rescued(&mut self, error: anyhow::Error) -> anyhow::Error {
        let steps = self.steps();
        let failed_to_save = matches!(error.downcast_ref(), Some(Error::NotSaved(_)));
        if steps == 0 || failed_to_save || !self.runs.iter().all(Run::is_whole) {
            return error;
        }
        let state = match self.driver.save(&jobs(&mut self.runs)) {
            None => "nothing was written (--checkpoint FILE would have kept the state)".into(),
            Some(Ok(path)) => format!("the state is in {}; --resume continues from it", path.display()),
            Some(Err(failed)) => {
                format!("the state could not be saved: {}", output::one_line(&failed.into()))
            }
        };
        error.context(format!("stopped after step {steps}; {state}"))
    }

    /// Reports how far interrupted runs were and where their state is.
    pub(crate) fn interrupted(&self) -> ExitCode {
        let tests = self.runs.iter().filter(|run| run.is_learned()).find_map(Run::unfinished);
        let tests = tests.map_or_else(String::new, |done| format!(" and {done}"));
        self.driver.interrupted(&format!("step {}{tests}", self.steps()))
    }

    /// Reports that a model was written without the share that its atoms explain, where that was interrupted: the exit code.
    pub(crate) fn exit_code(&self, out: &Path) -> ExitCode {
        if !self.runs.iter().any(Run::lacks_share) {
            return ExitCode::SUCCESS;
        }
        say(&format!(
            "ergodict: interrupted before the explained share was measured; {} was written without it (add --checkpoint FILE to be able to resume)",
            out.display()
        ));
        interrupt::code()
    }

    /// Deletes the checkpoint, for everything is written: the runs.
    pub(crate) fn close(self) -> Result<Vec<Run<T>>> {
        self.driver.remove()?;
        Ok(self.runs)
    }
}

/// `atoms.safetensors` and `T2.26` give `atoms-T2.26.safetensors`; an empty tag changes nothing.
pub(crate) fn tagged(path: &Path, tag: &str) -> PathBuf {
    if tag.is_empty() {
        return path.to_owned();
    }
    let mut name = OsString::from(path.file_stem().unwrap_or_default());
    name.push("-");
    name.push(tag);
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_go_before_the_extension() {
        for (path, tag, expected) in
            [("a/b.safetensors", "T2.26", "a/b-T2.26.safetensors"), ("b", "x", "b-x"), ("b.npy", "", "b.npy")]
        {
            assert_eq!(tagged(Path::new(path), tag), Path::new(expected));
        }
    }
}
