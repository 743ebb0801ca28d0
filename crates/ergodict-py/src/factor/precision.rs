//! The state of a factorizer in either precision: how it is made, and reached from Python.

use super::Factorizer;
use super::state::{Coding, State, code};
use crate::array::{Rows, Samples, fits, transposed};
use crate::error::to_py_err;
use crate::model::About;
use crate::sets::{Raised, projecting};
use crate::work::{Watch, long, short};
use ergodict::factor::code::CHUNK;
use ergodict::factor::{FactorSettings, Factorizer as Core, Init};
use ergodict::linalg::Scalar;
use numpy::{Element, PyArray2};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// How long to wait before looking again whether another thread is done with its step.
const WAIT: Duration = Duration::from_micros(200);

/// The state in its precision.
pub(crate) enum AnyState {
    /// 32 bits.
    F32(Mutex<State<f32>>),
    /// 64 bits.
    F64(Mutex<State<f64>>),
}

/// Evaluates `$body` with the state, in whatever precision it is.
macro_rules! dispatch {
    ($self:expr, $state:ident => $body:expr) => {
        match &$self.state {
            $crate::factor::AnyState::F32($state) => $body,
            $crate::factor::AnyState::F64($state) => $body,
        }
    };
}
pub(crate) use dispatch;

/// The state, once no other thread is in the middle of a step: waits without the interpreter's lock, which that step may need.
pub(crate) fn held<'a, T: Scalar>(
    py: Python<'_>,
    state: &'a Mutex<State<T>>,
) -> PyResult<MutexGuard<'a, State<T>>> {
    loop {
        match state.try_lock() {
            Ok(state) => return Ok(state),
            Err(TryLockError::Poisoned(state)) => return Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) if projecting() => {
                return Err(PyRuntimeError::new_err("a projection cannot use the estimator that calls it"));
            }
            Err(TryLockError::WouldBlock) => py.detach(|| std::thread::sleep(WAIT)),
        }
        py.check_signals()?;
    }
}

/// The samples of an array, which must be of the precision of the state.
pub(super) fn samples<'a, T: Scalar + Element>(x: &'a Bound<'_, PyAny>) -> PyResult<Samples<'a, T>> {
    let wrong = || {
        let name = if T::NAME == "f32" { "float32" } else { "float64" };
        PyTypeError::new_err(format!("expected an array (n, d) of {name}, or a CSR matrix of it"))
    };
    Samples::from_object(x)?.ok_or_else(wrong)
}

/// Codes an array; codes and losses.
pub(super) fn coded<'py, T: Scalar + Element>(
    this: &Factorizer,
    py: Python<'py>,
    state: &Mutex<State<T>>,
    x: &Samples<'_, T>,
    how: Coding,
    n_jobs: Option<i64>,
    progress: Option<&Bound<'py, PyAny>>,
    wanted: bool,
) -> PyResult<(Option<Bound<'py, PyArray2<T>>>, Vec<f64>)> {
    let atoms = held(py, state)?.run.plan().parameters.atoms;
    let n = x.len() as u64;
    // The codes, and the loss of each sample.
    let each = (if wanted { atoms as u64 * size_of::<T>() as u64 } else { 0 }) + size_of::<f64>() as u64;
    let what = format!("{n} codes of {atoms} atoms");
    fits(n.saturating_mul(each), &what, "code fewer samples at a time").map_err(to_py_err)?;
    let codes = wanted.then(|| PyArray2::<T>::zeros(py, [x.len(), atoms], false));
    let rows = codes.as_ref().map(Rows::from_array);
    let done = if x.len() <= CHUNK && progress.is_none() {
        short(py, || code(state, x, how, rows, &Watch::default()))
    } else {
        long(py, n_jobs, progress, |watch| code(state, x, how, rows, watch))
    };
    this.raised.check()?;
    Ok((codes, done?))
}

/// A state that has not learned anything.
pub(super) fn start<T: Scalar + Element>(
    p: FactorSettings,
    features: usize,
    init: &Bound<'_, PyAny>,
    seed: u64,
    raised_there: Option<Raised>,
) -> PyResult<State<T>> {
    let named = init.extract::<String>().ok().map(|name| Init::from(name).decided(p.code()));
    let factorizer = match named {
        Some(Init::Data) => None,
        Some(_) => Some(Core::random(p.clone(), features, seed).map_err(to_py_err)?),
        None => {
            let w = transposed(init.cast::<PyArray2<T>>()?)?;
            Some(Core::from_dictionary(p.clone(), w.as_ref()).map_err(to_py_err)?)
        }
    };
    State::new(factorizer, p, features, seed, raised_there).map_err(to_py_err)
}

/// What is locked stays usable after a panic.
pub(crate) fn about(factorizer: &Factorizer) -> MutexGuard<'_, About> {
    factorizer.about.lock().unwrap_or_else(PoisonError::into_inner)
}
