//! How long work takes that child processes do: by the clock on the wall, and of processors.

use std::fmt;
use std::time::Instant;

/// Seconds that something took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spent {
    pub(crate) wall: f64,
    /// Of processors, by child processes that have ended; nothing where the system does not report it.
    pub(crate) cpu: Option<f64>,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:8.1} s", self.wall)?;
        self.cpu.map_or(Ok(()), |cpu| write!(f, " {cpu:8.1} s CPU"))
    }
}

/// Does something, and measures it.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Spent) {
    let (start, before) = (Instant::now(), children());
    let outcome = work();
    let cpu = before.zip(children()).map(|(before, after)| after - before);
    (outcome, Spent { wall: start.elapsed().as_secs_f64(), cpu })
}

/// Processor seconds of all child processes that were waited for, and of theirs.
fn children() -> Option<f64> {
    parse(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// Fields 16 and 17 of proc_pid_stat(5): user and system time of children, in ticks, of which Linux shows a hundred a second.
fn parse(stat: &str) -> Option<f64> {
    // The second field is the name of the program in parentheses, and may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some((ticks(16)? + ticks(17)?) as f64 / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_children_are_fields_16_and_17() {
        let stat = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 1111 2222 150 25 20 0 1 0";
        assert_eq!(parse(stat), Some(1.75));
        assert_eq!((parse("7 (a) S 1"), parse("")), (None, None));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_busy_child_is_seen() {
        let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        let (status, spent) = timed(|| std::process::Command::new("sh").args(["-c", busy]).status());
        assert!(status.unwrap().success() && spent.cpu.unwrap() > 0.0, "{spent:?}");
    }
}
