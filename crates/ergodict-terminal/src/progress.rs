//! Progress on standard error: a bar on a terminal, else a line every few seconds.

use crate::output::printable;
use ergodict::data::bytes_read;
use ergodict_report::words::grouped;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::fs::Metadata;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Time between lines where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(5);

/// Smaller files are read without a progress line.
const SMALL_FILE: u64 = 16 << 20;
/// Time between looks at how far the reading of a file is.
const LOOK: Duration = Duration::from_millis(500);

/// A line on standard error; a closed one is no error.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(line));
}

/// Whether a variable of the environment says something.
fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Whether codes of terminals are not wanted, or not understood.
pub fn is_plain() -> bool {
    is_set("NO_COLOR")
        || std::env::var_os("CLICOLOR").is_some_and(|value| value == "0")
        || std::env::var_os("TERM").is_none_or(|term| term == "dumb")
}

/// A live figure in few letters.
pub fn figure(x: f64) -> String {
    match x.abs() {
        size if (1e-3..1e5).contains(&size) || size == 0.0 => format!("{x:.3}"),
        _ => format!("{x:.2e}"),
    }
}

/// How far a run is.
pub struct Progress {
    shown: Shown,
    /// What is counted.
    unit: &'static str,
    total: Option<u64>,
    /// What was done before this run, which say nothing about its speed.
    before: u64,
    started: Instant,
}

enum Shown {
    Bar(ProgressBar),
    Lines { last: Instant, between: Duration },
    Nothing,
}

impl Progress {
    /// Progress over `total` samples, if that is known, of which `before` are done.
    pub fn new(quiet: bool, total: Option<u64>, before: u64) -> Self {
        Self::with_unit("samples", quiet, total, before)
    }

    /// Progress over things of another name; `bytes` and `%`, of thousandths, are shown as what they are.
    pub fn with_unit(unit: &'static str, quiet: bool, total: Option<u64>, before: u64) -> Self {
        let plain = is_plain() || is_set("CI");
        let started = Instant::now();
        let shown = match (quiet, std::io::stderr().is_terminal() && !plain) {
            (true, _) => Shown::Nothing,
            (false, false) => Shown::Lines { last: started, between: between_lines() },
            (false, true) => Shown::Bar(bar(unit, total, before)),
        };
        Self { shown, unit, total, before, started }
    }

    /// Shows how many bytes of the file `path` are read while `work` reads it, if that takes long.
    pub fn reading<R>(quiet: bool, path: &Path, work: impl FnOnce() -> R) -> R {
        let before = bytes_read();
        let total = path.metadata().ok().filter(Metadata::is_file).map(|meta| meta.len());
        if quiet || total.is_some_and(|total| total < SMALL_FILE) {
            return work();
        }
        let (over, ended) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut shown: Option<Self> = None;
                while ended.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
                    let bytes = bytes_read() - before;
                    // The digest is taken in a second reading.
                    let at = total.map_or(bytes, |total| bytes.min(total));
                    let progress = shown.get_or_insert_with(|| Self::with_unit("bytes", quiet, total, at));
                    progress.update(at, || format!("reading {}", path.display()));
                }
                shown.iter().for_each(Self::finish);
            });
            let done = work();
            drop(over);
            done
        })
    }

    /// Samples done so far, and what else there is to say; `words` is called only when it is shown.
    pub fn update(&mut self, samples: u64, words: impl FnOnce() -> String) {
        match &mut self.shown {
            Shown::Nothing => {}
            Shown::Bar(bar) => {
                bar.set_position(samples);
                // Words cost more than a position does.
                if samples == self.before || bar.elapsed().subsec_millis() % 200 < 100 {
                    bar.set_message(printable(&after_comma(words())).into_owned());
                }
            }
            Shown::Lines { last, between } => {
                if last.elapsed() < *between {
                    return;
                }
                *last = Instant::now();
                let done = samples.saturating_sub(self.before) as f64;
                let rate = done / self.started.elapsed().as_secs_f64().max(1e-9);
                say(&line(self.unit, samples, self.total, rate, words()));
            }
        }
    }

    /// A line of its own, above the bar.
    pub fn print(&self, line: &str) {
        match &self.shown {
            Shown::Nothing => {}
            Shown::Bar(bar) => bar.suspend(|| say(line)),
            Shown::Lines { .. } => say(line),
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }

    /// Time since the start of this run.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// Time between lines; a test may want it shorter, which it says in `ERGODICT_SECONDS_BETWEEN_LINES`. Release builds do not look.
fn between_lines() -> Duration {
    let asked = || std::env::var("ERGODICT_SECONDS_BETWEEN_LINES").ok()?.parse().ok();
    let asked = if cfg!(debug_assertions) { asked() } else { None };
    asked.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(BETWEEN_LINES)
}

/// A line of progress where there is no bar.
fn line(unit: &str, done: u64, total: Option<u64>, rate: f64, words: String) -> String {
    let amount = |n: u64| amount(unit, n);
    let total = total.filter(|total| *total > 0);
    let of = total.filter(|_| unit != "%").map_or_else(String::new, |total| format!(" of {}", amount(total)));
    let named = if unit == "bytes" { String::new() } else { format!(" {unit}") };
    let fast = if unit == "%" { String::new() } else { format!(", {}", speed(unit, rate)) };
    // Before the first step there is no speed to estimate the rest.
    let left = total.filter(|_| rate > 0.0).map_or_else(String::new, |total| {
        format!(", {} left", time(total.saturating_sub(done) as f64 / rate))
    });
    format!("{}{of}{named}{fast}{left}{}", amount(done), after_comma(words))
}

fn after_comma(words: String) -> String {
    if words.is_empty() { words } else { format!(", {words}") }
}

/// A number of things of a unit.
fn amount(unit: &str, n: u64) -> String {
    match unit {
        "bytes" => ergodict::memory::bytes(n),
        "%" => format!("{:.1}", n as f64 / 10.0),
        _ => grouped(n),
    }
}

/// `12.3 k/s`; of bytes, `1.2 MiB/s`.
fn speed(unit: &str, rate: f64) -> String {
    if unit == "bytes" {
        return format!("{}/s", ergodict::memory::bytes(rate.max(0.0) as u64));
    }
    let (scale, name) = match rate {
        r if r >= 1e9 => (1e9, " G"),
        r if r >= 1e6 => (1e6, " M"),
        r if r >= 1e3 => (1e3, " k"),
        _ => (1.0, ""),
    };
    let shown = rate / scale;
    let digits = usize::from(shown < 100.0 && (scale > 1.0 || shown.fract() != 0.0));
    format!("{shown:.digits$}{name}/s")
}

/// `8 s`, `1:23`, `2:05:00`, `3 days`.
fn time(seconds: f64) -> String {
    let s = seconds.clamp(0.0, 1e12).round() as u64;
    match s {
        0..60 => format!("{s} s"),
        60..3600 => format!("{}:{:02}", s / 60, s % 60),
        3600..172_800 => format!("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60),
        _ => format!("{} days", s / 86400),
    }
}

fn bar(unit: &'static str, total: Option<u64>, before: u64) -> ProgressBar {
    let (bar, form) = match total {
        Some(total) if unit == "%" => (ProgressBar::new(total), "{bar:12} {at} %, {left} left{wide_msg}"),
        Some(total) => (ProgressBar::new(total), "{bar:12} {at} of {all}, {rate}, {left} left{wide_msg}"),
        None => (ProgressBar::no_length(), "{spinner} {at}, {rate}, {elapsed}{wide_msg}"),
    };
    bar.set_position(before);
    bar.reset_eta();
    let named = if unit == "bytes" || unit == "%" { String::new() } else { format!(" {unit}") };
    let at = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let named = if state.len().is_none() { &*named } else { "" };
        let _ = write!(out, "{}{named}", amount(unit, state.pos()));
    };
    let named = if unit == "bytes" || unit == "%" { String::new() } else { format!(" {unit}") };
    let all = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let _ = write!(out, "{}{named}", amount(unit, state.len().unwrap_or(0)));
    };
    let rate = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let _ = out.write_str(&speed(unit, state.per_sec()));
    };
    let left = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let _ = out.write_str(&time(state.eta().as_secs_f64()));
    };
    let style = ProgressStyle::with_template(form).map(|style| {
        style.with_key("at", at).with_key("all", all).with_key("rate", rate).with_key("left", left)
    });
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_figures_are_short() {
        let short = [18.197_36, 0.0, 2.5e-7, 123_456.7, f64::NAN].map(figure);
        assert_eq!(short, ["18.197", "0.000", "2.50e-7", "1.23e5", "NaN"]);
    }

    #[test]
    fn speeds_and_times_are_readable() {
        let speeds = [0.0, 0.25, 7.0, 12_345.0, 123_456.0, 2.5e6, 3e9].map(|rate| speed("samples", rate));
        assert_eq!(speeds, ["0/s", "0.2/s", "7/s", "12.3 k/s", "123 k/s", "2.5 M/s", "3.0 G/s"]);
        assert_eq!(speed("bytes", 1_572_864.0), "1.5 MiB/s");
        let times = [0.0, 59.4, 83.0, 120.0, 7384.0, 3e5, f64::INFINITY, f64::NAN].map(time);
        assert_eq!(times, ["0 s", "59 s", "1:23", "2:00", "2:03:04", "3 days", "11574074 days", "0 s"]);
    }

    #[test]
    fn lines_report_progress_and_remaining_time() {
        let words = || "surrogate 1.5".to_owned();
        assert_eq!(
            line("samples", 20_000, Some(100_000), 1000.0, words()),
            "20,000 of 100,000 samples, 1.0 k/s, 1:20 left, surrogate 1.5"
        );
        assert_eq!(line("arcs", 2000, None, 100.0, String::new()), "2000 arcs, 100/s");
        assert_eq!(line("%", 125, Some(1000), 12.5, words()), "12.5 %, 1:10 left, surrogate 1.5");
        assert_eq!(
            line("bytes", 1 << 20, Some(1 << 21), 1e9, String::new()),
            "1.0 MiB of 2.0 MiB, 953.7 MiB/s, 0 s left"
        );
        assert_eq!(line("samples", 0, Some(10), 0.0, String::new()), "0 of 10 samples, 0/s");
    }
}
