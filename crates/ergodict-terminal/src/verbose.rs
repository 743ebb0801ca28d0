//! `-v`: what is read, and at the end how long it took and how much memory.

use crate::Common;
use crate::progress::say;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often memory is looked at: it takes some tens of microseconds.
const LOOK: Duration = Duration::from_millis(5);

static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Whether to print more; `-q` goes before `-v`.
pub fn on() -> bool {
    VERBOSE.load(Ordering::Relaxed)
}

/// Prints a line if verbose.
pub fn say_more(line: impl FnOnce() -> String) {
    if on() {
        say(&line());
    }
}

/// Does the work of a command, and prints time and memory if verbose.
pub fn around<T>(program: &str, common: &Common, work: impl FnOnce() -> T) -> T {
    VERBOSE.store(common.verbose && !common.quiet, Ordering::Relaxed);
    let started = Instant::now();
    let (done, anonymous) = watched(work);
    say_more(|| {
        let words = |bytes: Option<u64>, rest: &str| {
            bytes.map_or_else(String::new, |bytes| format!("{}{rest}", ergodict::memory::bytes(bytes)))
        };
        let memory = match peak() {
            None => String::new(),
            peak => format!(
                ", at most {}, {}",
                words(peak, " of memory"),
                words(anonymous, " of it without mapped files")
            ),
        };
        let threads = rayon::current_num_threads();
        let threads = ergodict_report::words::count(threads, "thread", "threads");
        format!(
            "{program} {}: {:.2} s, {threads}{memory}",
            env!("CARGO_PKG_VERSION"),
            started.elapsed().as_secs_f64()
        )
    });
    done
}

/// Does the work and, if verbose, samples the memory without mapped files: the system keeps no record of
/// the most.
fn watched<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    if !on() || status("RssAnon:").is_none() {
        return (work(), None);
    }
    let (over, most) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let looking = scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                most.fetch_max(status("RssAnon:").unwrap_or(0), Ordering::Relaxed);
                std::thread::park_timeout(LOOK);
            }
        });
        let done = Finally(|| {
            over.store(true, Ordering::Relaxed);
            looking.thread().unpark();
        });
        let result = work();
        most.fetch_max(status("RssAnon:").unwrap_or(0), Ordering::Relaxed);
        drop(done);
        (result, Some(most.load(Ordering::Relaxed)))
    })
}

/// Does something when it goes, also when the work panics: the scope waits for its thread.
struct Finally<F: Fn()>(F);

impl<F: Fn()> Drop for Finally<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// The most memory this process had, in bytes, where the system reports it.
fn peak() -> Option<u64> {
    status("VmHWM:")
}

/// A number of bytes that the system keeps of this process.
fn status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
