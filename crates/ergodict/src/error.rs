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
    /// Work that needs more memory than there is.
    #[error("{what} would take about {needed}, but {available} are available: {way_out}")]
    Memory {
        /// What needs it.
        what: String,
        /// How much, in words.
        needed: String,
        /// How much there is, in words.
        available: String,
        /// What would need less.
        way_out: String,
    },
    /// Work that its caller asked to stop.
    #[error("stopped before the end, as was asked")]
    Interrupted,
    /// A file that cannot be understood.
    #[error("{}{}: {problem}", path.display(), line.map(|l| format!(":{l}")).unwrap_or_default())]
    Format {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1, where the format has lines.
        line: Option<u64>,
        /// What was found and what was expected.
        problem: String,
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
    #[allow(clippy::needless_pass_by_value)] // so that numbers and strings can be given alike
    pub(crate) fn parameter(name: &'static str, value: impl ToString, expected: impl Into<String>) -> Self {
        Self::Parameter { name, value: value.to_string(), expected: expected.into() }
    }

    pub(crate) fn shape(what: &'static str, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Shape { what, found: found.into(), expected: expected.into() }
    }

    /// A file of the wrong form; `problem` says what was found and what was expected.
    pub fn format(path: &Path, line: Option<u64>, problem: impl Into<String>) -> Self {
        Self::Format { path: path.to_owned(), line, problem: problem.into() }
    }

    /// For `map_err` on file operations.
    pub fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
