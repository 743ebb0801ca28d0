//! The one error type of the library: each variant carries what was wrong, where, and what would be right.

use std::path::{Path, PathBuf};

/// What the library returns.
///
/// ```
/// fn half(n: u64) -> ergodict::Result<u64> {
///     if n % 2 == 0 { Ok(n / 2) } else { Err(ergodict::Error::Interrupted) }
/// }
/// assert_eq!(half(6)?, 3);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub type Result<T> = std::result::Result<T, Error>;

/// A setting, by its key in configuration files, with the value that would help.
///
/// It reads as `key=value`; [`Error::spelled`] writes it as a front end does.
///
/// ```
/// let hint = ergodict::Hint { setting: "timestamps", value: "3".into() };
/// assert_eq!(hint.to_string(), "timestamps=3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The key.
    pub setting: &'static str,
    /// The value; `true` of a switch, and empty where only the setting is named.
    pub value: String,
}

impl std::fmt::Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.value.as_str() {
            "" => write!(f, "{}", self.setting),
            value => write!(f, "{}={value}", self.setting),
        }
    }
}

/// A problem of a file whose path and line are not known yet.
#[derive(Debug)]
pub(crate) struct Problem {
    text: String,
    hint: Option<Hint>,
}

impl Problem {
    /// With the setting that would help.
    pub(crate) fn hinting(text: impl Into<String>, setting: &'static str, value: impl Into<String>) -> Self {
        Self { text: text.into(), hint: Some(Hint { setting, value: value.into() }) }
    }

    /// The error, now that the place is known.
    pub(crate) fn at(self, path: &Path, line: Option<u64>) -> Error {
        Error::Format { path: path.to_owned(), line, problem: self.text, hint: self.hint }
    }
}

impl<T: Into<String>> From<T> for Problem {
    fn from(text: T) -> Self {
        Self { text: text.into(), hint: None }
    }
}

/// A problem of a file with its path, line and hint.
fn located(path: &Path, line: Option<u64>, problem: &str, hint: Option<String>) -> String {
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}: {problem}{}", path.display(), in_brackets(hint))
}

/// A hint at the end of a message.
fn in_brackets(hint: Option<String>) -> String {
    hint.map(|hint| format!(" ({hint})")).unwrap_or_default()
}

/// Everything that can go wrong through input, never through a defect of ours.
///
/// ```
/// use ergodict::{Error, chain::Motif};
/// let error = Motif::cycle(2).unwrap_err();
/// assert!(matches!(error, Error::Parameter { .. }));
/// // Reads as help: what was wrong, and what would be right.
/// assert!(error.to_string().contains("but"), "{error}");
/// ```
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A parameter outside its range.
    #[error("{name} is {value}, but {expected}")]
    Parameter {
        /// The parameter, as the user knows it.
        name: &'static str,
        /// What was given.
        value: String,
        /// What would be right, as a sentence that continues "but …".
        expected: String,
    },
    /// Shapes that do not fit together.
    #[error("{what} is {found}, but {expected} is needed")]
    Shape {
        /// The matrix that does not fit.
        what: &'static str,
        /// Its shape.
        found: String,
        /// The shape that would fit.
        expected: String,
    },
    /// NaN or an infinity in the data. Row and column are those of the sample-by-feature table.
    #[error(
        "{value} at sample {sample}, feature {feature}: every entry must be a finite number (mark missing entries by a mask)"
    )]
    NotFinite {
        /// Index of the sample (column of X), from 0.
        sample: u64,
        /// Index of the feature (row of X), from 0.
        feature: u64,
        /// The value found.
        value: f64,
    },
    /// Finite input whose squares leave the range of the arithmetic.
    #[error("{what} overflows: rescale the data (largest entry {largest:e})")]
    Overflow {
        /// The quantity that overflowed.
        what: &'static str,
        /// The largest magnitude seen.
        largest: f64,
    },
    /// Finite input whose squares vanish in the arithmetic.
    #[error("{what} vanish: rescale the data (largest entry {largest:e})")]
    Underflow {
        /// The quantities that vanish.
        what: &'static str,
        /// The largest magnitude seen.
        largest: f64,
    },
    /// Work that needs more memory than there is.
    #[error("{what} would take about {needed}, but {available} are available: {way_out}{}", in_brackets(hint.as_ref().map(ToString::to_string)))]
    Memory {
        /// What needs it.
        what: String,
        /// How much, in words.
        needed: String,
        /// How much there is, in words.
        available: String,
        /// What would need less.
        way_out: String,
        /// The setting that would do so.
        hint: Option<Box<Hint>>,
    },
    /// Work that its caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A file that was written to, or cut off, while it was read.
    #[error("{}: {}", path.display(), Self::CHANGED)]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A checkpoint or an output that another process is writing.
    #[error("{}: is in use by another process: wait until it has ended, or choose another name", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A checkpoint in the place of a new one.
    #[error("{}: there is a checkpoint already: resume from it, or delete it", path.display())]
    Exists {
        /// The checkpoint.
        path: PathBuf,
    },
    /// A checkpoint of a run with other settings.
    #[error("{}: is of another run: {key} was {then} there and is {now} here; resume with the same settings", path.display())]
    OtherRun {
        /// The checkpoint.
        path: PathBuf,
        /// The setting that differs.
        key: String,
        /// Its value in the checkpoint.
        then: String,
        /// Its value now.
        now: String,
    },
    /// A run that was interrupted and whose state could not be saved.
    #[error("interrupted, and the state could not be saved: {0}")]
    NotSaved(Box<Error>),
    /// A file that cannot be understood.
    #[error("{}", located(path, *line, problem, hint.as_ref().map(ToString::to_string)))]
    Format {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1, where the format has lines.
        line: Option<u64>,
        /// What was found and what was expected.
        problem: String,
        /// The setting that would help.
        hint: Option<Hint>,
    },
    /// A file that cannot be had from a server.
    #[error("{from}: {problem}")]
    Fetch {
        /// Its address.
        from: String,
        /// What became of the request.
        problem: String,
    },
    /// A network that is not the one of its name.
    #[error(
        "{from}: is not the network `{name}` that is known: it has {found}, but {expected} are expected; it may be another file, or its \
         publisher has changed it, see {page}"
    )]
    NotAsKnown {
        /// The address or file it came from.
        from: String,
        /// Its name.
        name: String,
        /// What was found, in words.
        found: String,
        /// What is known, in words.
        expected: String,
        /// The publisher's page.
        page: String,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Its reason.
        source: std::io::Error,
    },
}

impl Error {
    /// What is said of a file that changed.
    pub(crate) const CHANGED: &str = "changed while it was read; run again when no process writes to it";

    #[allow(clippy::needless_pass_by_value)] // so that numbers and strings can be given alike
    pub(crate) fn parameter(name: &'static str, value: impl ToString, expected: impl Into<String>) -> Self {
        Self::Parameter { name, value: value.to_string(), expected: expected.into() }
    }

    pub(crate) fn shape(what: &'static str, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Shape { what, found: found.into(), expected: expected.into() }
    }

    /// A file of the wrong form; `problem` says what was found and what was expected.
    pub fn format(path: &Path, line: Option<u64>, problem: impl Into<String>) -> Self {
        Self::Format { path: path.to_owned(), line, problem: problem.into(), hint: None }
    }

    /// The message with the settings it names spelled as `spell` does: as a flag, as a keyword argument.
    ///
    /// ```
    /// use ergodict::{Error, Hint};
    /// let hint = Some(Hint { setting: "resume", value: "true".into() });
    /// let error = Error::Format { path: "a.egr".into(), line: None, problem: "is there".into(), hint };
    /// assert_eq!(error.to_string(), "a.egr: is there (resume=true)");
    /// assert_eq!(error.spelled(&|hint| format!("--{}", hint.setting)), "a.egr: is there (--resume)");
    /// ```
    pub fn spelled(&self, spell: &dyn Fn(&Hint) -> String) -> String {
        match self {
            Self::Format { path, line, problem, hint: Some(hint) } => {
                located(path, *line, problem, Some(spell(hint)))
            }
            Self::Memory { what, needed, available, way_out, hint: Some(hint) } => {
                let hint = in_brackets(Some(spell(hint)));
                format!("{what} would take about {needed}, but {available} are available: {way_out}{hint}")
            }
            other => other.to_string(),
        }
    }

    /// For `map_err` on file operations.
    pub fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
