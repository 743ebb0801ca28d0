//! `-v`: what is read, and at the end how long it took and how much memory.

use crate::args::Common;
use crate::progress::say;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Whether to say more; `-q` goes before `-v`.
pub(crate) fn on() -> bool {
    VERBOSE.load(Ordering::Relaxed)
}

/// Says a line if it is asked for.
pub(crate) fn say_more(line: impl FnOnce() -> String) {
    if on() {
        say(&line());
    }
}

/// Does the work of a command, and says what it took if that is asked for.
pub(crate) fn around<T>(common: &Common, work: impl FnOnce() -> T) -> T {
    VERBOSE.store(common.verbose && !common.quiet, Ordering::Relaxed);
    let started = Instant::now();
    let done = work();
    say_more(|| {
        let memory = peak()
            .map_or_else(String::new, |bytes| format!(", at most {} of memory", crate::memory::bytes(bytes)));
        let threads = rayon::current_num_threads();
        let threads = crate::page::count(threads, "thread", "threads");
        format!(
            "ergodict {}: {:.2} s, {threads}{memory}",
            env!("CARGO_PKG_VERSION"),
            started.elapsed().as_secs_f64()
        )
    });
    done
}

/// The most memory this process had, in bytes, where the system tells.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
