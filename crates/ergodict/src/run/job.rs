//! Work in slices: several jobs side by side, with progress, interruption and a checkpoint.
//!
//! Jobs are independent of each other and of the number of threads; all advance for a short while, then progress is reported and the
//! checkpoint saved, and so on until all are finished.

use super::checkpoint::{Checkpoint, Resumable, Sections};
use crate::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long jobs advance before they meet: short enough for a bar that moves, long against what meeting costs.
const SLICE: Duration = Duration::from_millis(200);

/// A request to stop, which any thread can make and look at; clones are the same request.
///
/// ```
/// use ergodict::run::Stop;
/// let stop = Stop::default();
/// assert!(!stop.is_asked());
/// stop.clone().ask();
/// assert!(stop.is_asked());
/// // One that comes by itself, for tests.
/// let third = Stop::after(3);
/// third.count(2);
/// assert!(!third.is_asked());
/// third.count(1);
/// assert!(third.is_asked());
/// ```
#[derive(Clone, Debug)]
pub struct Stop(Arc<Request>);

#[derive(Debug)]
struct Request {
    asked: AtomicBool,
    /// Steps until it comes by itself.
    left: Option<AtomicU64>,
}

impl Default for Stop {
    fn default() -> Self {
        Self(Arc::new(Request { asked: AtomicBool::new(false), left: None }))
    }
}

impl Stop {
    /// A request that is made when `steps` steps are counted.
    pub fn after(steps: u64) -> Self {
        Self(Arc::new(Request { asked: AtomicBool::new(steps == 0), left: Some(AtomicU64::new(steps)) }))
    }

    /// Asks to stop.
    pub fn ask(&self) {
        self.0.asked.store(true, Ordering::Relaxed);
    }

    /// Whether someone asked.
    pub fn is_asked(&self) -> bool {
        self.0.asked.load(Ordering::Relaxed)
    }

    /// Counts steps that were done.
    pub fn count(&self, steps: u64) {
        let Some(left) = &self.0.left else { return };
        let before =
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| Some(n.saturating_sub(steps)));
        if before.is_ok_and(|before| before <= steps) {
            self.ask();
        }
    }
}

/// How a job stands.
///
/// ```
/// use ergodict::run::{Status, Stop, drive};
/// // Without a job all is done.
/// assert_eq!(drive(&mut [], None, &Stop::default(), &mut ())?, Status::Finished);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// There is more to do.
    Running,
    /// Stopped because it was asked to; there is more to do.
    Stopped,
    /// All is done.
    Finished,
}

/// Work that advances in slices and can be saved between them.
///
/// See [`drive`] for an example that asserts something.
///
/// ```
/// use ergodict::run::Job;
/// fn percent(job: &dyn Job) -> Option<u64> {
///     let (done, total) = job.done();
///     Some(100 * done / total?)
/// }
/// # assert_eq!(size_of_val(&percent), 0);
/// ```
pub trait Job: Resumable + Send {
    /// How much is done, and of how much.
    fn done(&self) -> (u64, Option<u64>);

    /// Advances for about `slice`, at least one step, or until asked to stop, and counts its steps with `stop`. A job that is finished
    /// stays so, also when asked to stop. Afterwards it can be saved.
    ///
    /// # Errors
    /// Those of the job; it cannot advance then.
    fn advance(&mut self, slice: Duration, stop: &Stop) -> Result<Status>;

    /// What [`Job::done`] counts; `%` are thousandths.
    fn unit(&self) -> &'static str {
        "samples"
    }

    /// Figures of the moment, in few words.
    fn text(&self) -> String {
        String::new()
    }

    /// Lines to report, each once.
    fn news(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Where progress is reported. All of it is optional; `()` reports nothing.
///
/// ```
/// use ergodict::run::Progress;
/// #[derive(Default)]
/// struct Last(u64);
/// impl Progress for Last {
///     fn update(&mut self, _unit: &'static str, done: u64, _total: Option<u64>, _text: &dyn Fn() -> String) {
///         self.0 = done;
///     }
/// }
/// let mut last = Last::default();
/// last.update("samples", 5, None, &String::new);
/// assert_eq!(last.0, 5);
/// ```
pub trait Progress {
    /// Before the first slice: how much was done before.
    fn start(&mut self, _unit: &'static str, _done: u64, _total: Option<u64>) {}

    /// After each slice: how much is done, of how much if that is known, and more on request.
    fn update(&mut self, _unit: &'static str, _done: u64, _total: Option<u64>, _text: &dyn Fn() -> String) {}

    /// A line of its own.
    fn news(&mut self, _line: &str) {}

    /// A checkpoint could not be written; the run continues and tries again after `interval`.
    fn save_failed(&mut self, _error: &Error, _interval: Duration) {}
}

impl Progress for () {}

/// Advances all jobs until they are finished, or until asked to stop, and saves them to the checkpoint from time to time and at the end:
/// [`Status::Finished`] or [`Status::Stopped`].
///
/// ```
/// use ergodict::run::{Job, Resumable, Sections, Status, Stop, drive};
/// use std::time::Duration;
/// struct Count(u64);
/// # impl Resumable for Count {
/// #     fn save(&self, to: &mut Sections) -> ergodict::Result<()> { to.put_json("count", &self.0) }
/// #     fn restore(&mut self, from: &Sections) -> ergodict::Result<()> { from.json("count").map(|n| self.0 = n) }
/// # }
/// impl Job for Count {
///     fn done(&self) -> (u64, Option<u64>) {
///         (self.0, Some(100))
///     }
///     fn advance(&mut self, _slice: Duration, stop: &Stop) -> ergodict::Result<Status> {
///         while self.0 < 100 {
///             if stop.is_asked() {
///                 return Ok(Status::Stopped);
///             }
///             self.0 += 1;
///             stop.count(1);
///         }
///         Ok(Status::Finished)
///     }
/// }
/// let mut count = Count(0);
/// assert_eq!(drive(&mut [&mut count], None, &Stop::after(30), &mut ())?, Status::Stopped);
/// assert_eq!(count.0, 30);
/// assert_eq!(drive(&mut [&mut count], None, &Stop::default(), &mut ())?, Status::Finished);
/// assert_eq!(count.0, 100);
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// Those of the jobs; [`Error::NotSaved`] when it was asked to stop and the state could not be saved. A checkpoint that cannot be written
/// on the way is no error: there may be room again by the next time.
pub fn drive(
    jobs: &mut [&mut dyn Job],
    mut checkpoint: Option<&mut Checkpoint>,
    stop: &Stop,
    progress: &mut dyn Progress,
) -> Result<Status> {
    if let Some(path) = checkpoint.as_ref().filter(|checkpoint| !checkpoint.is_locked()).map(|c| c.path()) {
        let path = path.display();
        progress.news(&format!(
            "{path}: this file system has no locks: nothing keeps another process from using the same checkpoint"
        ));
    }
    let interval = checkpoint.as_ref().map_or(Duration::MAX, |checkpoint| checkpoint.interval());
    let (slice, mut slices, mut saved) = (SLICE.min(interval), Slices::default(), Instant::now());
    let mut finished = vec![false; jobs.len()];
    if let Some(job) = jobs.first() {
        let (done, total) = amounts(jobs);
        progress.start(job.unit(), done, total);
    }
    while finished.contains(&false) {
        let running = jobs.iter_mut().zip(&mut finished).filter(|(_, finished)| !**finished);
        slices.run(running.collect(), |(job, finished)| {
            **finished = job.advance(slice, stop)? == Status::Finished;
            Ok(())
        })?;
        jobs.iter_mut().flat_map(|job| job.news()).for_each(|line| progress.news(&line));
        report(jobs, &finished, progress);
        let stopped = finished.contains(&false) && stop.is_asked();
        if let Some(checkpoint) = checkpoint.as_mut().filter(|_| stopped || saved.elapsed() >= interval) {
            match save_jobs(jobs, checkpoint) {
                Err(error @ Error::Changed { .. }) => return Err(error),
                Err(error) if stopped => return Err(Error::NotSaved(Box::new(error))),
                Err(error) => progress.save_failed(&error, interval),
                Ok(()) => {}
            }
            saved = Instant::now();
        }
        if stopped {
            return Ok(Status::Stopped);
        }
    }
    // What was done is not lost if the outputs cannot be written.
    if let Some(checkpoint) = checkpoint
        && let Err(error) = save_jobs(jobs, checkpoint)
    {
        progress.save_failed(&error, interval);
    }
    Ok(Status::Finished)
}

/// How much of all jobs is done, and of how much.
fn amounts(jobs: &[&mut dyn Job]) -> (u64, Option<u64>) {
    let done = jobs.iter().map(|job| job.done().0).fold(0, u64::saturating_add);
    (done, jobs.iter().map(|job| job.done().1).try_fold(0, |all: u64, n| Some(all.saturating_add(n?))))
}

/// A figure of the moment in few letters.
pub(crate) fn figure(x: f64) -> String {
    match x.abs() {
        size if (1e-3..1e5).contains(&size) || size == 0.0 => format!("{x:.3}"),
        _ => format!("{x:.2e}"),
    }
}

/// Reports how far all jobs are, in the words of the one that takes longest.
fn report(jobs: &[&mut dyn Job], finished: &[bool], progress: &mut dyn Progress) {
    let slowest = jobs.iter().zip(finished).max_by_key(|(job, finished)| (!**finished, job.done().1));
    let Some((slowest, _)) = slowest else { return };
    let going = finished.iter().filter(|finished| !**finished).count();
    let (done, total) = amounts(jobs);
    progress.update(slowest.unit(), done, total, &|| match jobs.len() {
        1 => slowest.text(),
        _ if slowest.text().is_empty() => format!("{going} runs going on"),
        _ => format!("{}, {going} runs going on", slowest.text()),
    });
}

/// What is before the names of the sections of a job.
fn prefix(job: usize) -> String {
    format!("{job}/")
}

/// Saves all jobs to one checkpoint, as [`drive`] does; they must not have failed.
///
/// ```
/// use ergodict::run::{Checkpoint, Identity, restore_jobs, save_jobs};
/// let path = std::env::temp_dir().join(format!("ergodict-save-jobs-{}", std::process::id()));
/// let settings = serde_json::json!({});
/// let run = Identity { command: "example".into(), settings, inputs: Vec::new(), seed: 0 };
/// let (mut checkpoint, _) = Checkpoint::open(&path, false, &run)?;
/// save_jobs(&[], &mut checkpoint)?;
/// drop(checkpoint);
/// let (checkpoint, sections) = Checkpoint::open(&path, true, &run)?;
/// restore_jobs(&mut [], 0, &sections.unwrap())?;
/// assert!(path.exists());
/// checkpoint.remove()?;
/// assert!(!path.exists());
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`Checkpoint::save`] and [`Resumable::save`].
pub fn save_jobs(jobs: &[&mut dyn Job], checkpoint: &mut Checkpoint) -> Result<()> {
    let mut sections = checkpoint.sections();
    for (at, job) in jobs.iter().enumerate() {
        let mut own = checkpoint.sections();
        job.save(&mut own)?;
        sections.put_all(&prefix(at), own);
    }
    // Jobs that begin when others have finished stay where they were.
    for at in jobs.len().. {
        let own = checkpoint.found().all(&prefix(at));
        if own.is_empty() {
            break;
        }
        sections.put_all(&prefix(at), own);
    }
    checkpoint.save(&sections)
}

/// Returns all jobs to where [`save_jobs`] or [`drive`] saved them, but for the first `known`, which stay as they are; those that were not
/// there yet stay at their beginning.
///
/// ```
/// use ergodict::run::{Sections, restore_jobs};
/// assert!(restore_jobs(&mut [], 0, &Sections::default()).is_ok());
/// ```
///
/// # Errors
/// As [`Resumable::restore`].
pub fn restore_jobs(jobs: &mut [&mut dyn Job], known: usize, from: &Sections) -> Result<()> {
    let saved = jobs.iter_mut().enumerate().skip(known).map(|(at, job)| (job, from.all(&prefix(at))));
    saved.filter(|(_, own)| !own.is_empty()).try_for_each(|(job, own)| job.restore(&own))
}

/// Threads for jobs side by side, each with its own: a thread that waits for the codes of one job must not take up another job
/// meanwhile, whose time would count as time of the first.
#[derive(Default)]
pub(super) struct Slices {
    pools: Vec<ThreadPool>,
}

impl Slices {
    /// A slice of each job, as many at once as there are threads.
    pub(super) fn run<J: Send>(
        &mut self,
        jobs: Vec<J>,
        slice: impl Fn(&mut J) -> Result<()> + Sync,
    ) -> Result<()> {
        let threads = rayon::current_num_threads();
        let workers = jobs.len().min(threads);
        if workers <= 1 {
            return jobs.into_iter().try_for_each(|mut job| slice(&mut job));
        }
        if self.pools.len() != workers {
            let size = |at| threads / workers + usize::from(at < threads % workers);
            let pools = (0..workers).map(|at| ThreadPoolBuilder::new().num_threads(size(at)).build());
            let failed = |e: rayon::ThreadPoolBuildError| {
                Error::parameter("the number of threads", threads, format!("they cannot be started: {e}"))
            };
            self.pools = pools.collect::<std::result::Result<_, _>>().map_err(failed)?;
        }
        let queue = Mutex::new(jobs.into_iter());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = |pool: &ThreadPool| -> Result<()> {
            while let Some(mut job) = next() {
                pool.install(|| slice(&mut job))?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let all: Vec<_> = self.pools.iter().map(|pool| scope.spawn(|| work(pool))).collect();
            all.into_iter().try_for_each(|one| one.join().unwrap_or_else(|p| std::panic::resume_unwind(p)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Identity;

    #[test]
    #[expect(clippy::mut_mut, reason = "a job may itself be a reference")]
    fn a_thread_that_waits_takes_up_no_other_job() {
        use std::cell::Cell;
        thread_local!(static BUSY: Cell<bool> = const { Cell::new(false) });
        for threads in [1, 2, 3, 8] {
            let mut jobs = vec![0_u32; 40];
            let slice = |job: &mut &mut u32| {
                assert!(!BUSY.replace(true), "a job within a job");
                rayon::scope(|scope| {
                    for n in 0..12 {
                        scope.spawn(move |_| std::thread::sleep(Duration::from_micros(50 + 37 * n % 400)));
                    }
                });
                BUSY.set(false);
                **job += 1;
                Ok(())
            };
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut slices = Slices::default();
            for round in 1..=3 {
                pool.install(|| slices.run(jobs.iter_mut().collect(), slice)).unwrap();
                assert_eq!(jobs, [round; 40]);
            }
            // Fewer jobs have more threads each, and an error is reported.
            pool.install(|| slices.run(jobs.iter_mut().take(2).collect(), slice)).unwrap();
            let failed = pool.install(|| slices.run(jobs.iter_mut().collect(), |_| Err(Error::Interrupted)));
            assert!(failed.is_err());
        }
    }

    struct Count {
        at: u64,
        total: u64,
    }

    impl Resumable for Count {
        fn save(&self, to: &mut Sections) -> Result<()> {
            to.put_u64s("at", [self.at]);
            Ok(())
        }
        fn restore(&mut self, from: &Sections) -> Result<()> {
            self.at = from.u64s("at")?[0];
            Ok(())
        }
    }

    impl Job for Count {
        fn done(&self) -> (u64, Option<u64>) {
            (self.at, Some(self.total))
        }
        fn advance(&mut self, slice: Duration, stop: &Stop) -> Result<Status> {
            let started = Instant::now();
            while self.at < self.total {
                if stop.is_asked() {
                    return Ok(Status::Stopped);
                }
                self.at += 1;
                stop.count(1);
                if started.elapsed() >= slice {
                    return Ok(Status::Running);
                }
            }
            Ok(Status::Finished)
        }
    }

    #[derive(Default)]
    struct Heard {
        last: (u64, Option<u64>),
        failed: u64,
    }

    impl Progress for Heard {
        fn update(&mut self, _: &'static str, done: u64, total: Option<u64>, text: &dyn Fn() -> String) {
            assert!(text().contains("runs going on"));
            self.last = (done, total);
        }
        fn save_failed(&mut self, _: &Error, _: Duration) {
            self.failed += 1;
        }
    }

    fn identity() -> Identity {
        Identity { command: "test".into(), settings: serde_json::json!({}), inputs: Vec::new(), seed: 0 }
    }

    #[test]
    fn jobs_share_a_checkpoint_and_continue_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let new = || [Count { at: 0, total: 10 }, Count { at: 0, total: 2000 }];
        let (mut checkpoint, _) = Checkpoint::open(&path, false, &identity()).unwrap();
        checkpoint.set_interval(Duration::ZERO);
        let ([mut a, mut b], mut heard) = (new(), Heard::default());
        let jobs: &mut [&mut dyn Job] = &mut [&mut a, &mut b];
        let status = drive(jobs, Some(&mut checkpoint), &Stop::after(500), &mut heard).unwrap();
        assert_eq!((status, heard.last.1), (Status::Stopped, Some(2010)));
        assert!(heard.last.0 >= 500 && heard.last.0 < 2010);
        drop(checkpoint);
        let (mut checkpoint, sections) = Checkpoint::open(&path, true, &identity()).unwrap();
        let [mut c, mut d] = new();
        let jobs: &mut [&mut dyn Job] = &mut [&mut c, &mut d];
        restore_jobs(jobs, 0, &sections.unwrap()).unwrap();
        assert_eq!(jobs.iter().map(|job| job.done().0).sum::<u64>(), heard.last.0);
        let status = drive(jobs, Some(&mut checkpoint), &Stop::default(), &mut heard).unwrap();
        assert_eq!((status, heard.last, heard.failed), (Status::Finished, (2010, Some(2010)), 0));
        checkpoint.remove().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_checkpoint_that_cannot_be_written_does_not_end_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let within = folder.path().join("gone");
        std::fs::create_dir(&within).unwrap();
        let (mut checkpoint, _) = Checkpoint::open(&within.join("state"), false, &identity()).unwrap();
        checkpoint.set_interval(Duration::ZERO);
        std::fs::remove_dir_all(&within).unwrap();
        let (mut a, mut b, mut heard) =
            (Count { at: 0, total: 5 }, Count { at: 0, total: 50 }, Heard::default());
        let jobs: &mut [&mut dyn Job] = &mut [&mut a, &mut b];
        let status = drive(jobs, Some(&mut checkpoint), &Stop::default(), &mut heard).unwrap();
        assert_eq!((status, heard.last.0), (Status::Finished, 55));
        assert!(heard.failed > 1);
        // One that stops must not seem to be saved.
        b.at = 0;
        let jobs: &mut [&mut dyn Job] = &mut [&mut a, &mut b];
        let stopped = drive(jobs, Some(&mut checkpoint), &Stop::after(1), &mut heard).unwrap_err();
        assert!(matches!(stopped, Error::NotSaved(_)), "{stopped}");
    }
}
