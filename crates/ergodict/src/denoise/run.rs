//! Denoising as a job: it works on a thread of its own, and a checkpoint has the stages that are whole.

use super::{Denoiser, Progress, Scores, Stage};
use crate::data::Network;
use crate::run::{Job, Resumable, Sections, Status, Stop};
use crate::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two looks at whether to stop.
const LOOK: Duration = Duration::from_millis(20);

/// Pairs of a network being scored.
///
/// ```
/// use ergodict::denoise::{Denoiser, DenoiseRun, ensemble::NoiseModel};
/// use ergodict::run::{Stop, drive};
/// let karate = std::sync::Arc::new(ergodict::data::embedded("karate")?);
/// let denoiser = Denoiser::new("adamic-adar".parse()?, NoiseModel::Removed, 0);
/// let mut run = DenoiseRun::new(denoiser, karate, vec![(0, 9), (11, 26)].into());
/// drive(&mut [&mut run], None, &Stop::default(), &mut ())?;
/// assert_eq!(run.scores().unwrap().scores.len(), 2);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct DenoiseRun {
    denoiser: Denoiser,
    network: Arc<Network>,
    pairs: Arc<[(u32, u32)]>,
    shared: Arc<Shared>,
    worker: Option<Receiver<Result<Scores>>>,
    /// Ends the worker.
    stop: Arc<AtomicBool>,
    scores: Option<Scores>,
}

/// What the worker and its owner both see.
struct Shared {
    record: Mutex<Sections>,
    /// The stages begun, and the share of the last that is done.
    at: Mutex<(Vec<Stage>, f64)>,
    /// Reports of progress that were not counted yet.
    steps: AtomicU64,
}

impl DenoiseRun {
    /// Nothing scored yet.
    pub fn new(denoiser: Denoiser, network: Arc<Network>, pairs: Arc<[(u32, u32)]>) -> Self {
        let shared = Shared {
            record: Mutex::new(Sections::default()),
            at: Mutex::new((Vec::new(), 0.0)),
            steps: AtomicU64::new(0),
        };
        let (shared, stop) = (Arc::new(shared), Arc::default());
        Self { denoiser, network, pairs, shared, worker: None, stop, scores: None }
    }

    /// The scores, once it is finished.
    pub fn scores(&self) -> Option<&Scores> {
        self.scores.as_ref()
    }

    fn at(&self) -> (Vec<Stage>, f64) {
        self.shared.at.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Starts a worker; one that was stopped before it stays so.
    fn start(&mut self) -> Receiver<Result<Scores>> {
        let (send, receive) = mpsc::channel();
        let (denoiser, network, pairs) = (self.denoiser, Arc::clone(&self.network), Arc::clone(&self.pairs));
        self.stop = Arc::default();
        let (shared, stop) = (Arc::clone(&self.shared), Arc::clone(&self.stop));
        std::thread::spawn(move || {
            let mut told = |stage, done| {
                let (stages, share) = &mut *shared.at.lock().unwrap_or_else(PoisonError::into_inner);
                *share = done;
                if stages.last() != Some(&stage) {
                    stages.push(stage);
                }
                shared.steps.fetch_add(1, Ordering::Relaxed);
                !stop.load(Ordering::Relaxed)
            };
            let mut progress = Progress::recorded(&mut told, &shared.record);
            // No one waits for it after an interruption.
            let _ = send.send(denoiser.scores(&network, &pairs, &mut progress));
        });
        receive
    }
}

impl Drop for DenoiseRun {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Resumable for DenoiseRun {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_all("", self.shared.record.lock().unwrap_or_else(PoisonError::into_inner).clone());
        Ok(())
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        *self.shared.record.lock().unwrap_or_else(PoisonError::into_inner) = from.clone();
        Ok(())
    }
}

impl Job for DenoiseRun {
    fn done(&self) -> (u64, Option<u64>) {
        let share = if self.scores.is_some() { 1.0 } else { self.at().1.clamp(0.0, 1.0) };
        ((share * 1000.0) as u64, Some(1000))
    }

    fn advance(&mut self, slice: Duration, stop: &Stop) -> Result<Status> {
        let started = Instant::now();
        while self.scores.is_none() {
            if stop.is_asked() {
                // The worker ends by itself: what it is at is not waited for.
                self.stop.store(true, Ordering::Relaxed);
                self.worker = None;
                return Ok(Status::Stopped);
            }
            let worker = match self.worker.take() {
                Some(worker) => worker,
                None => self.start(),
            };
            match worker.recv_timeout(LOOK) {
                Ok(scores) => self.scores = Some(scores?),
                Err(RecvTimeoutError::Timeout) => self.worker = Some(worker),
                // It panicked, and said so.
                Err(RecvTimeoutError::Disconnected) => return Err(Error::Interrupted),
            }
            stop.count(self.shared.steps.swap(0, Ordering::Relaxed));
            if self.scores.is_none() && started.elapsed() >= slice {
                return Ok(Status::Running);
            }
        }
        Ok(Status::Finished)
    }

    fn unit(&self) -> &'static str {
        "%"
    }

    fn text(&self) -> String {
        let (stages, _) = self.at();
        match stages.last() {
            Some(stage) if self.scores.is_none() => stage.word().to_owned(),
            _ => stages.iter().map(|stage| stage.word()).collect::<Vec<_>>().join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::embedded;
    use crate::denoise::ensemble::NoiseModel;

    #[test]
    fn a_run_advances_from_nothing_to_the_scores_of_the_method() {
        let karate = Arc::new(embedded("karate").unwrap());
        let pairs: Arc<[(u32, u32)]> = vec![(0, 9), (11, 26), (4, 33)].into();
        let denoiser = Denoiser::new("ensemble".parse().unwrap(), NoiseModel::Removed, 3);
        let mut run = DenoiseRun::new(denoiser, Arc::clone(&karate), Arc::clone(&pairs));
        assert_eq!((run.done(), run.scores().is_some(), run.unit()), ((0, Some(1000)), false, "%"));
        let mut slices = 0;
        while matches!(run.advance(Duration::ZERO, &Stop::default()).unwrap(), Status::Running) {
            assert!(run.scores().is_none() && run.done().0 <= 1000);
            slices += 1;
        }
        assert!(slices > 0);
        assert_eq!(run.done(), (1000, Some(1000)));
        let expected = denoiser.scores(&karate, &pairs, &mut Progress::none()).unwrap();
        assert_eq!(run.scores().unwrap().scores, expected.scores);
        assert!(run.text().contains(", "), "{}", run.text());
        // Each report of progress counts once.
        let mut reports = 0;
        let mut count = |_: Stage, _: f64| {
            reports += 1;
            true
        };
        denoiser.scores(&karate, &pairs, &mut Progress::new(&mut count)).unwrap();
        let mut run = DenoiseRun::new(denoiser, karate, pairs);
        let ended = run.advance(Duration::MAX, &Stop::after(reports + 1)).unwrap();
        assert!(matches!(ended, Status::Finished));
    }
}
