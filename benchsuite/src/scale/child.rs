//! What another process takes: time, and memory of its own apart from that of files it has mapped.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the memory of the process is looked at. A peak that is shorter may be missed.
const EVERY: Duration = Duration::from_millis(10);

/// What a process took. Memory is in millions of bytes.
pub(super) struct Took {
    wall: f64,
    cpu: f64,
    /// The most resident memory of all kinds, as the kernel recorded it (`ru_maxrss`).
    peak: f64,
    /// The most anonymous memory that was seen (`RssAnon`).
    anonymous: f64,
    /// The most memory of mapped files that was seen (`RssFile`); it is the page cache's, and is given back when others need it.
    file: f64,
    minor_faults: i64,
    major_faults: i64,
}

impl Took {
    pub(super) fn json(&self) -> Value {
        json!({
            "wall_s": self.wall, "cpu_s": self.cpu, "peak_mb": self.peak, "anonymous_mb": self.anonymous,
            "file_mb": self.file, "minor_faults": self.minor_faults, "major_faults": self.major_faults,
        })
    }
}

/// Runs a command to its end: what it took, and what it printed on standard output. An error where it does not succeed.
pub(super) fn measure(command: &mut Command) -> Result<(Took, Vec<u8>)> {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let pid = child.id();
    let mut stdout = child.stdout.take().context("standard output is a pipe")?;
    let over = AtomicBool::new(false);
    let (mut out, mut status) = (Vec::new(), 0);
    // SAFETY: a structure of numbers, for which zeros are a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let (anonymous, file) = std::thread::scope(|scope| {
        let watch = scope.spawn(|| watch(pid, &over));
        let read = stdout.read_to_end(&mut out);
        // SAFETY: the process is a child that no one else waits for; both places are valid.
        let waited = unsafe { libc::wait4(pid.cast_signed(), &raw mut status, 0, &raw mut usage) };
        over.store(true, Ordering::Relaxed);
        let seen = watch.join().unwrap_or_default();
        if waited < 0 {
            return Err(std::io::Error::last_os_error());
        }
        read.map(|_| seen)
    })?;
    let wall = started.elapsed().as_secs_f64();
    if !libc::WIFEXITED(status) || libc::WEXITSTATUS(status) != 0 {
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
        bail!("{} {} failed (status {status:#x})", command.get_program().display(), words.join(" "));
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + 1e-6 * time.tv_usec as f64;
    let took = Took {
        wall,
        cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        peak: usage.ru_maxrss as f64 * 1024.0 / 1e6,
        anonymous,
        file,
        minor_faults: usage.ru_minflt,
        major_faults: usage.ru_majflt,
    };
    Ok((took, out))
}

/// The most anonymous memory and that of files, as long as the process is there.
fn watch(pid: u32, over: &AtomicBool) -> (f64, f64) {
    let path = format!("/proc/{pid}/status");
    let (mut anonymous, mut file) = (0.0f64, 0.0f64);
    while !over.load(Ordering::Relaxed) {
        if let Ok(status) = std::fs::read_to_string(&path) {
            anonymous = anonymous.max(megabytes(&status, "RssAnon:"));
            file = file.max(megabytes(&status, "RssFile:"));
        }
        std::thread::sleep(EVERY);
    }
    (anonymous, file)
}

/// A line of a status file, in millions of bytes; 0 where there is none.
fn megabytes(status: &str, key: &str) -> f64 {
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kibibytes.unwrap_or(0.0) * 1024.0 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_measured_and_its_failure_is_an_error() {
        let (took, out) = measure(Command::new("echo").arg("word")).unwrap();
        assert_eq!(out, b"word\n");
        assert!(took.wall > 0.0 && took.peak > 0.0, "{}", took.json());
        assert!(measure(&mut Command::new("false")).is_err());
        assert!(measure(&mut Command::new("no-such-program-at-all")).is_err());
    }

    #[test]
    fn lines_of_a_status_file_are_read() {
        let status = "Name:\tx\nRssAnon:\t    2000 kB\nRssFile:\t 1 kB\n";
        assert_eq!(megabytes(status, "RssAnon:"), 2.048);
        assert_eq!(megabytes(status, "RssShmem:"), 0.0);
    }
}
