//! Talk on standard error: a bar on a terminal, else a line every few seconds.

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Time between lines where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(5);

/// A line on standard error; that nobody reads it is no error.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// How far a run is.
pub(crate) struct Progress {
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
    Lines { last: Instant },
    Nothing,
}

impl Progress {
    /// Progress over `total` samples, if that is known, of which `before` are done.
    pub(crate) fn new(quiet: bool, total: Option<u64>, before: u64) -> Self {
        Self::of("samples", quiet, total, before)
    }

    /// Progress over things of another name.
    pub(crate) fn of(unit: &'static str, quiet: bool, total: Option<u64>, before: u64) -> Self {
        let plain =
            ["NO_COLOR", "CI"].iter().any(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty()))
                || std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let started = Instant::now();
        let shown = match (quiet, std::io::stderr().is_terminal() && !plain) {
            (true, _) => Shown::Nothing,
            (false, false) => Shown::Lines { last: started },
            (false, true) => Shown::Bar(bar(unit, total, before)),
        };
        Self { shown, unit, total, before, started }
    }

    /// Samples done so far, and what else there is to say; `words` is called only when it is shown.
    pub(crate) fn update(&mut self, samples: u64, words: impl FnOnce() -> String) {
        match &mut self.shown {
            Shown::Nothing => {}
            Shown::Bar(bar) => {
                bar.set_position(samples);
                // Words cost more than a position does.
                if samples == self.before || bar.elapsed().subsec_millis() % 200 < 100 {
                    bar.set_message(words());
                }
            }
            Shown::Lines { last } => {
                if last.elapsed() < BETWEEN_LINES {
                    return;
                }
                *last = Instant::now();
                let rate = (samples - self.before) as f64 / self.started.elapsed().as_secs_f64();
                let share = self.total.filter(|total| *total > 0).map_or_else(String::new, |total| {
                    let left = total.saturating_sub(samples) as f64 / rate.max(1e-9);
                    format!(" of {total} ({left:.0} s left)")
                });
                let words = words();
                let words = if words.is_empty() { words } else { format!(", {words}") };
                say(&format!("{samples}{share} {}, {rate:.0}/s{words}", self.unit));
            }
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }

    /// Time since the start of this run.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

fn bar(unit: &str, total: Option<u64>, before: u64) -> ProgressBar {
    let (bar, form) = match total {
        Some(total) => {
            (ProgressBar::new(total), "{bar:30} {human_pos}/{human_len} UNIT, {rate}, {eta} left, {msg}")
        }
        None => (ProgressBar::no_length(), "{spinner} {human_pos} UNIT, {rate}, {elapsed}, {msg}"),
    };
    bar.set_position(before);
    bar.reset_eta();
    let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let _ = write!(out, "{:.0}/s", state.per_sec());
    };
    let style =
        ProgressStyle::with_template(&form.replace("UNIT", unit)).map(|style| style.with_key("rate", rate));
    style.map_or(bar.clone(), |style| bar.with_style(style))
}
