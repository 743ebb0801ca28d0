//! Ctrl-C: the first asks the run to stop after its step, the second leaves at once.

use crate::INTERRUPTED;
use anyhow::{Context, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static ASKED: AtomicBool = AtomicBool::new(false);
static LISTENING: AtomicBool = AtomicBool::new(false);

/// A second signal so soon is the same wish: `timeout` signals a process and then its group.
const SAME: Duration = Duration::from_millis(500);

/// Begins to listen, once.
pub(crate) fn listen() -> Result<()> {
    if LISTENING.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    let mut first: Option<Instant> = None;
    let heard = move || {
        ASKED.store(true, Ordering::SeqCst);
        if first.get_or_insert_with(Instant::now).elapsed() > SAME {
            std::process::exit(i32::from(INTERRUPTED));
        }
    };
    ctrlc::set_handler(heard).context("Ctrl-C cannot be listened to")
}

/// Whether a test wants the run to stop as Ctrl-C would after this many steps, which it says in
/// `ERGODICT_STOP_AFTER_STEPS`. Release builds do not look.
pub(crate) fn due(steps: u64) -> bool {
    let most = || std::env::var("ERGODICT_STOP_AFTER_STEPS").ok()?.parse().ok();
    cfg!(debug_assertions) && most().is_some_and(|most: u64| steps >= most)
}

/// Whether the run was asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
