//! Ctrl-C and signals: the first asks the run to stop after its step, the second leaves at once.
//!
//! Commands that cannot stop half-way leave at the first one; what they were writing is deleted. SIGTERM and SIGHUP are as Ctrl-C, with
//! their own exit codes; a SIGHUP that is ignored, as under `nohup`, stays so.

use crate::progress::say;
use anyhow::{Context, Result};
use ergodict::data::remove_partials_and_exit;
use ergodict::run::Stop;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The exit code after Ctrl-C: 128 and the number of the signal, as shells have it.
const INTERRUPTED: u8 = 130;
/// A second signal so soon is the same wish: `timeout` signals a process and then its group.
const SAME: Duration = Duration::from_millis(100);
/// A run that has not stopped by then is said to be about to.
const PATIENCE: Duration = Duration::from_millis(700);

/// The exit code that was asked for; 0 before.
static ASKED: AtomicU8 = AtomicU8::new(0);
/// Whether the command looks from time to time whether it was asked to stop.
static LISTENING: AtomicBool = AtomicBool::new(false);
/// What a stop has to wait for.
static WAITS_FOR: Mutex<&str> = Mutex::new("the end of this step");

/// Begins to wait for signals, before anything else is done.
pub(crate) fn start(program: &str) -> Result<()> {
    let program = program.to_owned();
    let mut first: Option<Instant> = None;
    wait(move |code| {
        let again = first.is_some_and(|first| first.elapsed() > SAME);
        if again || !LISTENING.load(Ordering::SeqCst) {
            say(&format!("{program}: {}", if again { "left at once" } else { "interrupted" }));
            remove_partials_and_exit(i32::from(code));
        }
        if first.is_some() {
            return;
        }
        first = Some(Instant::now());
        ASKED.store(code, Ordering::SeqCst);
        stop().ask();
        // What comes of it does not matter: the run stops either way.
        let program = program.clone();
        let _ = std::thread::Builder::new().spawn(move || {
            std::thread::sleep(PATIENCE);
            let what = *WAITS_FOR.lock().unwrap_or_else(PoisonError::into_inner);
            say(&format!("{program}: about to stop, waiting for {what}; once more leaves at once"));
        });
    })
}

/// Calls `heard` with the exit code of each signal, from a thread of its own.
#[cfg(unix)]
fn wait(mut heard: impl FnMut(u8) + Send + 'static) -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    let mut wanted = vec![SIGINT, SIGTERM];
    if is_ignored(SIGHUP) == Some(false) {
        wanted.push(SIGHUP);
    }
    // A file that grows beyond a limit is an error of writing, as a full disk is.
    // SAFETY: the handler does nothing.
    let _ = unsafe { signal_hook::low_level::register(SIGXFSZ, || ()) };
    let mut signals = signal_hook::iterator::Signals::new(wanted).context("signals cannot be listened to")?;
    let listen = move || {
        for signal in signals.forever() {
            heard(128 + u8::try_from(signal).unwrap_or(2));
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(listen).context("threads cannot be started")?;
    Ok(())
}

/// The same, of Ctrl-C alone.
#[cfg(not(unix))]
fn wait(mut heard: impl FnMut(u8) + Send + 'static) -> Result<()> {
    ctrlc::set_handler(move || heard(INTERRUPTED)).context("Ctrl-C cannot be listened to")
}

/// Whether this process was started with a signal ignored, where the system reports it.
#[cfg(unix)]
fn is_ignored(signal: i32) -> Option<bool> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
    Some(mask >> (signal - 1) & 1 == 1)
}

/// From now on the command looks itself whether to stop.
pub fn listen() {
    LISTENING.store(true, Ordering::SeqCst);
}

/// Says what a stop would have to wait for from now on.
pub fn waits_for(what: &'static str) {
    *WAITS_FOR.lock().unwrap_or_else(PoisonError::into_inner) = what;
}

/// Whether a test wants the run to stop as Ctrl-C would after this many steps, which it says in
/// `ERGODICT_STOP_AFTER_STEPS`. Release builds do not look.
pub fn due(steps: u64) -> bool {
    let most = || std::env::var("ERGODICT_STOP_AFTER_STEPS").ok()?.parse().ok();
    cfg!(debug_assertions) && most().is_some_and(|most: u64| steps >= most)
}

/// The request to stop that signals make, and that tests make after a number of steps.
pub fn stop() -> &'static Stop {
    static STOP: OnceLock<Stop> = OnceLock::new();
    STOP.get_or_init(|| {
        let most = || std::env::var("ERGODICT_STOP_AFTER_STEPS").ok()?.parse().ok();
        let most = if cfg!(debug_assertions) { most() } else { None };
        most.map_or_else(Stop::default, Stop::after)
    })
}

/// Whether the run was asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed) != 0
}

/// The exit code of a run that was asked to stop, which depends on the signal.
pub fn code() -> ExitCode {
    ExitCode::from(match ASKED.load(Ordering::SeqCst) {
        0 => INTERRUPTED,
        code => code,
    })
}
