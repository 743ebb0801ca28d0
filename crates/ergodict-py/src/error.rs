//! Errors of the library as exceptions of Python, in the same words.

use ergodict::data::not_finite_words;
use ergodict::{Error, Hint};
use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyValueError};

/// The exception for an error: `ValueError`, `OSError` (or what Python makes of its number, such as `FileNotFoundError`) or `KeyboardInterrupt`.
pub(crate) fn to_py_err(error: Error) -> PyErr {
    match error {
        Error::Interrupted => PyKeyboardInterrupt::new_err(()),
        Error::Io { path, source } => {
            let words = format!("{}: {source}", path.display());
            match source.raw_os_error() {
                // Of two arguments Python makes the subclass for the number.
                Some(number) => pyo3::exceptions::PyOSError::new_err((number, words)),
                None => pyo3::exceptions::PyOSError::new_err(words),
            }
        }
        Error::Busy { .. } => pyo3::exceptions::PyBlockingIOError::new_err(error.to_string()),
        Error::Fetch { .. } => pyo3::exceptions::PyOSError::new_err(error.to_string()),
        Error::NotAsKnown { .. } => {
            PyValueError::new_err(format!("{error}; unchecked=True takes it nevertheless"))
        }
        Error::Memory { .. } => PyMemoryError::new_err(error.spelled(&keyword)),
        Error::NotFinite { sample, feature, value } => {
            let hint = if value.is_nan() { " (missing=True leaves missing entries out)" } else { "" };
            PyValueError::new_err(not_finite_words(sample, feature, None, value, false) + hint)
        }
        other => PyValueError::new_err(other.spelled(&keyword)),
    }
}

/// A setting that an error names, as a keyword argument.
pub(crate) fn keyword(hint: &Hint) -> String {
    let name = match hint.setting {
        "unweighted" => return "weighted=False".to_owned(),
        "undirected" => return "directed=False".to_owned(),
        "timestamps" => "time".to_owned(),
        // It has half the value, as in scikit-learn.
        "lambda" => "alpha".to_owned(),
        name => name.replace('-', "_"),
    };
    match hint.value.as_str() {
        "" => name,
        "true" => format!("{name}=True"),
        number if number.parse::<f64>().is_ok() => format!("{name}={number}"),
        // What users have.
        "NAME" => format!("{name}=NAME"),
        // One of several.
        words => format!("{name}=\"{}\"", words.replace('|', "\" or \"")),
    }
}
