//! Drives jobs from the command line: progress on standard error, Ctrl-C, and the checkpoint that the flags ask for.

use crate::args::Common;
use crate::checkpoints::{self, CheckpointArgs};
use crate::progress::{self, say};
use crate::{interrupt, output};
use anyhow::{Result, bail};
use ergodict::Error;
use ergodict::run::{self, Checkpoint, Identity, Job, Sections, Spool, Status};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// A run with its checkpoint, which is locked from here on.
pub(crate) struct Driver {
    checkpoint: Option<Checkpoint>,
    saved: Option<Sections>,
    /// Jobs that know where they were.
    restored: usize,
    messages: Messages,
}

impl Driver {
    /// Opens the checkpoint, if one is asked for.
    pub(crate) fn open(checkpoints: &CheckpointArgs, common: &Common, identity: &Identity) -> Result<Self> {
        let (mut checkpoint, mut saved) = (None, None);
        if let Some(path) = &checkpoints.checkpoint {
            let (mut opened, found) = match Checkpoint::open(path, checkpoints.resume, identity) {
                Err(Error::Exists { path }) => bail!(
                    "{}: a checkpoint exists; use --resume to continue from it, or delete it",
                    path.display()
                ),
                opened => opened?,
            };
            if found.is_none() && checkpoints.resume && !common.quiet {
                say(&format!("{}: no checkpoint found; starting a new run", path.display()));
            }
            opened.set_interval(checkpoints.every());
            (checkpoint, saved) = (Some(opened), found);
        }
        let messages = Messages { quiet: common.quiet, shown: None, last: 0, missed: 0 };
        Ok(Self { checkpoint, saved, restored: 0, messages })
    }

    /// Drives one job to its end, from where a checkpoint has it: the driver, to be kept until all is written, or the exit code of what was
    /// interrupted.
    pub(crate) fn finished(
        checkpoints: &CheckpointArgs,
        common: &Common,
        identity: &Identity,
        job: &mut (dyn Job + '_),
    ) -> Result<std::result::Result<Self, ExitCode>> {
        interrupt::listen();
        let mut driver = Self::open(checkpoints, common, identity)?;
        let what = job.unit();
        if driver.restore(&mut [&mut *job])? && !common.quiet {
            say(&format!("resumed after {} {what}", job.done().0));
        }
        if driver.drive(&mut [&mut *job])? == Status::Stopped {
            return Ok(Err(driver.interrupted(&format!("{} {what}", job.done().0))));
        }
        Ok(Ok(driver))
    }

    /// A spool of the checkpoint, if there is one; it may have become the output `out`.
    pub(crate) fn spool(&mut self, name: &str, out: Option<&Path>) -> Result<Option<Spool>> {
        let spool = self.checkpoint.as_mut().map(|checkpoint| checkpoint.spool(name, out));
        Ok(spool.transpose()?)
    }

    /// Returns the jobs to where the checkpoint has them, but for those that it was called with before; whether there is one.
    pub(crate) fn restore(&mut self, jobs: &mut [&mut dyn Job]) -> Result<bool> {
        if let Some(saved) = &self.saved {
            run::restore_jobs(jobs, self.restored, saved)?;
        }
        self.restored = jobs.len();
        Ok(self.saved.is_some())
    }

    /// Whether there is a checkpoint.
    pub(crate) fn is_kept(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// Saves the jobs now, if there is a checkpoint: where they are.
    pub(crate) fn save(&mut self, jobs: &[&mut dyn Job]) -> Option<ergodict::Result<&Path>> {
        let checkpoint = self.checkpoint.as_mut()?;
        Some(run::save_jobs(jobs, checkpoint).map(|()| checkpoint.path()))
    }

    /// Advances the jobs until they are finished, or until interrupted.
    pub(crate) fn drive(&mut self, jobs: &mut [&mut dyn Job]) -> Result<Status> {
        let (checkpoint, stop) = (self.checkpoint.as_mut(), interrupt::stop());
        let status = run::drive(jobs, checkpoint, stop, &mut self.messages);
        self.messages.finish();
        Ok(status?)
    }

    /// Reports how far an interrupted run was and where its state is: the exit code.
    pub(crate) fn interrupted(&self, after: &str) -> ExitCode {
        say(&checkpoints::interrupted(after, self.checkpoint.as_ref().map(Checkpoint::path), 0));
        interrupt::code()
    }

    /// Deletes the checkpoint: everything is written.
    pub(crate) fn remove(self) -> Result<()> {
        match self.messages.missed {
            0 => {}
            1 => say("a checkpoint could not be written on the way; the results are not touched by that"),
            missed => say(&format!(
                "{missed} checkpoints could not be written on the way; the results are not touched by that"
            )),
        }
        self.checkpoint.map_or(Ok(()), |checkpoint| Ok(checkpoint.remove()?))
    }
}

/// Progress on standard error.
struct Messages {
    quiet: bool,
    /// The bar and what it counts.
    shown: Option<(&'static str, progress::Progress)>,
    /// What it was at.
    last: u64,
    /// Checkpoints that could not be written.
    missed: u64,
}

impl Messages {
    fn finish(&mut self) {
        if let Some((_, shown)) = self.shown.take() {
            shown.finish();
        }
    }
}

impl run::Progress for Messages {
    fn start(&mut self, unit: &'static str, done: u64, total: Option<u64>) {
        self.finish();
        self.shown = Some((unit, progress::Progress::with_unit(unit, self.quiet, total, done)));
    }

    fn update(&mut self, unit: &'static str, done: u64, total: Option<u64>, text: &dyn Fn() -> String) {
        // Another stage begins.
        if done < self.last || self.shown.as_ref().is_none_or(|(shown, _)| *shown != unit) {
            run::Progress::start(self, unit, done, total);
        }
        self.last = done;
        if let Some((_, shown)) = &mut self.shown {
            shown.update(done, text);
        }
    }

    fn news(&mut self, line: &str) {
        match &self.shown {
            Some((_, shown)) => shown.print(line),
            None if !self.quiet => say(line),
            None => {}
        }
    }

    fn save_failed(&mut self, error: &Error, interval: Duration) {
        self.missed += 1;
        // Once is enough where checkpoints are written all the time.
        if self.missed > 1 {
            return;
        }
        let when = checkpoints::next_time(interval);
        let error = output::one_line(&anyhow::anyhow!("{error}"));
        say(&format!(
            "ergodict: warning: {error}: the checkpoint could not be written; the run continues and tries again {when}"
        ));
    }
}
