//! How long work tells how far it is, and is asked to stop.

use crate::{Error, Result};

/// What is being done.
///
/// ```
/// assert_eq!(ergodict::denoise::Stage::Walks.word(), "walks");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Walks that rebuild pairs.
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
            Self::Heads => "heads",
        }
    }
}

/// Who is told of progress, if anybody: the stage, the share of it that is done, and whether to go on is the answer.
///
/// ```
/// use ergodict::{Error, denoise::{Progress, Stage}};
/// let mut half = |_, done| done < 0.5;
/// let mut progress = Progress::new(&mut half);
/// assert!(progress.at(Stage::Heads, 0.2).is_ok());
/// assert!(matches!(progress.at(Stage::Heads, 0.6), Err(Error::Interrupted)));
/// ```
pub struct Progress<'a>(Option<&'a mut dyn FnMut(Stage, f64) -> bool>);

impl<'a> Progress<'a> {
    /// Tells this function.
    pub fn new(told: &'a mut dyn FnMut(Stage, f64) -> bool) -> Self {
        Self(Some(told))
    }

    /// Tells nobody.
    pub fn none() -> Self {
        Self(None)
    }

    /// Tells how far a stage is.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when the answer is to stop.
    pub fn at(&mut self, stage: Stage, done: f64) -> Result<()> {
        let go_on = self.0.as_mut().is_none_or(|told| told(stage, done));
        if go_on { Ok(()) } else { Err(Error::Interrupted) }
    }
}
