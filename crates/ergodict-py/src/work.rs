//! Work without the interpreter's lock: threads of our own, signals handled, progress reported.

use crate::error::to_py_err;
use ergodict::Error;
use ergodict::data::Reading;
use ergodict::factor::code::CHUNK;
use ergodict::run::{Checkpoint, Job, Progress, Status, Stop, drive};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

/// How often the interpreter is asked for signals, and progress is reported.
const PULSE: Duration = Duration::from_millis(50);

/// Progress of the work under way, and requests to it.
#[derive(Default)]
pub(crate) struct Watch {
    stop: Stop,
    done: AtomicU64,
    total: AtomicU64,
    /// A number worth showing, such as the loss, by its bits.
    figure: AtomicU64,
}

impl Watch {
    /// Whether to stop: Ctrl-C was pressed, or a progress function raised.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.is_asked()
    }

    /// The same, for runs.
    pub(crate) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Tells how far the work is.
    pub(crate) fn at(&self, done: u64, total: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Tells a number worth showing.
    pub(crate) fn figure(&self, figure: f64) {
        self.figure.store(figure.to_bits(), Ordering::Relaxed);
    }
}

impl Progress for &Watch {
    fn update(&mut self, _: &'static str, done: u64, total: Option<u64>, _: &dyn Fn() -> String) {
        self.at(done, total.unwrap_or(done));
    }
}

/// Drives a job to its end and shows its progress; a stop is an interruption.
pub(crate) fn driven(
    job: &mut dyn Job,
    checkpoint: Option<&mut Checkpoint>,
    watch: &Watch,
) -> ergodict::Result<()> {
    match drive(&mut [&mut *job], checkpoint, watch.stop(), &mut &*watch)? {
        Status::Stopped => Err(Error::Interrupted),
        _ => Ok(()),
    }
}

/// The number of threads that `n_jobs` means, as scikit-learn has it: none is 1, −1 all, −2 all but one.
pub(crate) fn threads(n_jobs: Option<i64>) -> PyResult<usize> {
    // Asked only where it matters: the answer is in files, which take longer to read than a small step.
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    match n_jobs {
        None => Ok(1),
        Some(0) => Err(PyValueError::new_err(
            "n_jobs is 0, but it must be a positive number of threads, -1 for all processors, or None",
        )),
        Some(jobs) if jobs > 0 => Ok(usize::try_from(jobs).unwrap_or(usize::MAX).min(1 << 10)),
        Some(jobs) => Ok(all().saturating_sub(jobs.unsigned_abs() as usize - 1).max(1)),
    }
}

/// Pools that rest, by their number of threads.
type Pools = HashMap<usize, Vec<ThreadPool>>;

/// Those of the process of this number. A child made by `fork` has none of its parent's threads and makes its own.
static RESTING: Mutex<Option<(u32, Pools)>> = Mutex::new(None);

/// Pools of a size that are kept for later. More work at once makes its own, and drops them.
const KEPT: usize = 4;

/// Threads for one piece of work alone: work that waits for other work, as a callback that uses the library does, never waits for its own
/// threads, and pieces of work of several Python threads do not wait for each other.
struct Threads {
    number: usize,
    pool: Option<ThreadPool>,
}

impl Threads {
    fn take(number: usize) -> PyResult<Self> {
        if let Some(pool) = with_resting(|pools| pools.get_mut(&number).and_then(Vec::pop)) {
            return Ok(Self { number, pool: Some(pool) });
        }
        let pool = ThreadPoolBuilder::new().num_threads(number).build();
        let wrong = |e| PyValueError::new_err(format!("{number} threads cannot be started: {e}"));
        Ok(Self { number, pool: Some(pool.map_err(wrong)?) })
    }

    /// Runs what `work` spawns on these threads, and `work` itself on this one. They are kept from call to call: starting one for each would cost as much as a small
    /// minibatch, and it would find no memory at hand.
    fn scope<'s>(&self, work: impl FnOnce(&rayon::Scope<'s>)) {
        if let Some(pool) = &self.pool {
            pool.in_place_scope(work);
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        let Some(pool) = self.pool.take() else { return };
        let left = with_resting(|pools| {
            let resting = pools.entry(self.number).or_default();
            if resting.len() < KEPT {
                resting.push(pool);
                return None;
            }
            Some(pool)
        });
        drop(left);
    }
}

fn with_resting<R>(change: impl FnOnce(&mut Pools) -> R) -> R {
    let mut resting = RESTING.lock().unwrap_or_else(PoisonError::into_inner);
    let here = std::process::id();
    if let Some(parents) = resting.take_if(|(process, _)| *process != here) {
        // Dropping them would wait for threads that are not there.
        std::mem::forget(parents);
    }
    change(&mut resting.get_or_insert_with(|| (here, Pools::new())).1)
}

/// Work whose result, error or panic is refused where a mapped file was changed or cut off: zeros, or what another process wrote, were read.
fn reading<R>(work: impl FnOnce() -> ergodict::Result<R>) -> ergodict::Result<R> {
    let reading = Reading::begin();
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    reading.check()?;
    done.unwrap_or_else(|problem| panic::resume_unwind(problem))
}

/// Panics that will be refused say nothing.
pub(crate) fn hush_refused_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if Reading::begin().check().is_ok() {
            before(panic);
        }
    }));
}

/// Work that may take long: done on threads of our own while other Python threads run. Signals are heard, and `progress`, if given, is called
/// with how much is done, the total and a figure (or None). When a signal or `progress` raises, the work is asked to stop and the exception is
/// raised once it has; what the work has changed by then stays.
pub(crate) fn long<R: Send>(
    py: Python<'_>,
    n_jobs: Option<i64>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> ergodict::Result<R> + Send,
) -> PyResult<R> {
    let threads = Threads::take(threads(n_jobs)?)?;
    let watch = Watch { figure: AtomicU64::new(f64::NAN.to_bits()), ..Watch::default() };
    let (mut raised_here, outcome) = (None, Mutex::new(None));
    let started = Reading::begin();
    threads.scope(|scope| {
        let (ended, end) = mpsc::channel::<()>();
        let (watched, place) = (&watch, &outcome);
        scope.spawn(move |_| {
            // Dropped when the work ends, also by a panic, which the scope goes on with.
            let _ended = ended;
            let done = reading(|| work(watched));
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        });
        let end = Mutex::new(end);
        loop {
            let wait = || match end.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PULSE) {
                Err(mpsc::RecvTimeoutError::Timeout) => true,
                Ok(()) | Err(mpsc::RecvTimeoutError::Disconnected) => false,
            };
            if !py.detach(wait) {
                break;
            }
            if started.check().is_err() {
                // What it reads may never come to an end.
                watch.stop.ask();
            }
            let heard = py.check_signals().and_then(|()| report(progress, &watch));
            if let Err(error) = heard
                && raised_here.is_none()
            {
                watch.stop.ask();
                raised_here = Some(error);
            }
        }
    });
    if let Some(error) = raised_here {
        return Err(error);
    }
    let outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    let value = outcome.ok_or_else(|| PyRuntimeError::new_err("the work ended without a result"))?;
    let value = value.map_err(to_py_err)?;
    report(progress, &watch)?;
    Ok(value)
}

fn report(progress: Option<&Bound<'_, PyAny>>, watch: &Watch) -> PyResult<()> {
    let Some(progress) = progress else { return Ok(()) };
    let figure = Some(f64::from_bits(watch.figure.load(Ordering::Relaxed))).filter(|x| !x.is_nan());
    progress
        .call1((watch.done.load(Ordering::Relaxed), watch.total.load(Ordering::Relaxed), figure))
        .map(drop)
}

/// One step from a minibatch of `samples`, which nothing interrupts: in this thread if one thread is wanted. Handing a step to another thread
/// costs more than a small step itself.
pub(crate) fn step<R: Send>(
    py: Python<'_>,
    n_jobs: Option<i64>,
    samples: usize,
    work: impl FnOnce() -> ergodict::Result<R> + Send,
) -> PyResult<R> {
    let in_place = (samples <= CHUNK || threads(n_jobs)? == 1) && SINGLE.with(|single| *single);
    if in_place { short(py, work) } else { long(py, n_jobs, None, |_| work()) }
}

thread_local! {
    /// Whether this thread is a pool of its own, so that parallel iterators run in it and start no others. That lasts as long as the thread.
    static SINGLE: bool = {
        let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        pool.map(std::mem::forget).is_ok()
    };
}

/// Work that is over in a blink, in this thread alone, while other Python threads run.
pub(crate) fn short<R: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> ergodict::Result<R> + Send,
) -> PyResult<R> {
    SINGLE.with(|_| ());
    py.detach(|| reading(work)).map_err(to_py_err)
}
