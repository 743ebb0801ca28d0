//! How long work reports progress, and is asked to stop.

use crate::run::Sections;
use crate::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::{Mutex, PoisonError};

/// What is being done.
///
/// ```
/// assert_eq!(ergodict::denoise::Stage::Walks.word(), "walks");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Walks that reconstruct pairs.
    Walks,
    /// Features of pairs.
    Features,
    /// Embeddings of nodes.
    Embedding,
    /// Heads that are fitted.
    Heads,
}

impl Stage {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Walks => "walks",
            Self::Features => "features",
            Self::Embedding => "embedding",
            Self::Heads => "classifiers",
        }
    }
}

/// Where progress is reported, if anywhere: it gets the stage and the share of it that is done, and returns whether to continue.
///
/// ```
/// use ergodict::{Error, denoise::{Progress, Stage}};
/// let mut half = |_, done| done < 0.5;
/// let mut progress = Progress::new(&mut half);
/// assert!(progress.at(Stage::Heads, 0.2).is_ok());
/// assert!(matches!(progress.at(Stage::Heads, 0.6), Err(Error::Interrupted)));
/// ```
pub struct Progress<'a> {
    report: Option<&'a mut dyn FnMut(Stage, f64) -> bool>,
    /// What is done already, for a checkpoint.
    record: Option<&'a Mutex<Sections>>,
}

impl<'a> Progress<'a> {
    /// Tells this function.
    pub fn new(report: &'a mut dyn FnMut(Stage, f64) -> bool) -> Self {
        Self { report: Some(report), record: None }
    }

    /// The same, with a record of what is done already.
    pub(super) fn recorded(
        report: &'a mut dyn FnMut(Stage, f64) -> bool,
        record: &'a Mutex<Sections>,
    ) -> Self {
        Self { report: Some(report), record: Some(record) }
    }

    /// Reports nothing.
    pub fn none() -> Self {
        Self { report: None, record: None }
    }

    /// Tells how far a stage is.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when the answer is to stop.
    pub fn at(&mut self, stage: Stage, done: f64) -> Result<()> {
        let go_on = self.report.as_mut().is_none_or(|report| report(stage, done));
        if go_on { Ok(()) } else { Err(Error::Interrupted) }
    }

    /// What was found under this name before the run was interrupted.
    pub(super) fn recall<V: DeserializeOwned>(&self, name: &str) -> Result<Option<V>> {
        let Some(record) = self.record else { return Ok(None) };
        let record = record.lock().unwrap_or_else(PoisonError::into_inner);
        record.has(name).then(|| record.json(name)).transpose()
    }

    /// Notes what was found.
    pub(super) fn keep(&self, name: &str, found: &impl Serialize) -> Result<()> {
        let Some(record) = self.record else { return Ok(()) };
        record.lock().unwrap_or_else(PoisonError::into_inner).put_json(name, found)
    }

    /// The same, of several sections.
    pub(super) fn recall_all(&self, prefix: &str) -> Option<Sections> {
        Some(self.record?.lock().unwrap_or_else(PoisonError::into_inner).all(prefix))
    }

    /// Notes several sections.
    pub(super) fn keep_all(&self, prefix: &str, found: Sections) {
        if let Some(record) = self.record {
            record.lock().unwrap_or_else(PoisonError::into_inner).put_all(prefix, found);
        }
    }
}
