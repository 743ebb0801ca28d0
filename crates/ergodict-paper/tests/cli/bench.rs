//! A bench to run experiments on: a folder, and what a command did.

use ergodict::data::Image;
use ergodict::model::Model;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Output, Stdio};

/// The arguments that a process of this test takes as those of `ergodict`.
const WORDS: &str = "ERGODICT_PAPER_TEST_WORDS";

pub(crate) struct Bench {
    folder: tempfile::TempDir,
}

/// What a command did.
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Done {
    /// Refuses everything but success.
    pub(crate) fn fine(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.stdout).unwrap()
    }
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        let stderr = String::from_utf8(output.stderr).unwrap();
        Self { code: output.status.code(), stdout: output.stdout, stderr }
    }
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// A gray image, `at(row, column)`.
    pub(crate) fn put_image(&self, name: &str, shape: (usize, usize), at: impl Fn(usize, usize) -> f32) {
        let values = (0..shape.0 * shape.1).map(|i| at(i / shape.1, i % shape.1)).collect();
        Image::new(shape, 1, values).unwrap().save(&self.path(name)).unwrap();
    }

    pub(crate) fn model(&self, name: &str) -> Model {
        Model::load(&self.path(name)).unwrap()
    }

    /// `ergodict-paper` with these words, parted by spaces, in the folder.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("ergodict-paper"));
        command.args(words.split_whitespace()).current_dir(self.folder.path());
        command.env_remove("ERGODICT_STOP_AFTER_STEPS");
        command
    }

    pub(crate) fn run(&self, words: &str) -> Done {
        self.command(words).stdin(Stdio::null()).output().unwrap().into()
    }

    /// The same, stopped as by Ctrl-C after some steps.
    #[cfg(debug_assertions)] // only then tests can set it
    pub(crate) fn stopped_after(&self, words: &str, steps: u64) -> Done {
        let mut command = self.command(words);
        command.env("ERGODICT_STOP_AFTER_STEPS", steps.to_string());
        let done: Done = command.stdin(Stdio::null()).output().unwrap().into();
        assert_eq!(done.code, Some(130), "{words}: {}", done.stderr);
        done
    }

    /// `ergodict` with these words, which is no program of this package: a process of this test is it.
    pub(crate) fn ergodict(&self, words: &str) -> Done {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "bench::is_ergodict", "--nocapture"]).env(WORDS, words);
        let mut done: Done = command.current_dir(self.folder.path()).output().unwrap().into();
        // The harness writes lines of its own before a summary.
        let from = done.stdout.iter().position(|byte| *byte == b'{').unwrap_or(done.stdout.len());
        done.stdout.drain(..from);
        done
    }
}

#[test]
fn is_ergodict() {
    let Ok(words) = std::env::var(WORDS) else { return };
    let words = std::iter::once("ergodict").chain(words.split_whitespace()).map(Into::into).collect();
    std::process::exit(i32::from(ergodict_cli::run(words) != ExitCode::SUCCESS));
}
