//! Whether a run fits into memory: told before it starts, with the figure, instead of by the kernel later.

use anyhow::{Result, bail};

/// Refuses work that needs more than is available; `what` says what needs it and what would need less.
pub(crate) fn check(needed: u64, what: &str) -> Result<()> {
    match available() {
        Some(available) if needed > available => {
            bail!("{what} would take about {}, but {} are available", bytes(needed), bytes(available))
        }
        _ => Ok(()),
    }
}

/// Memory that can be had without swapping, where the system tells.
fn available() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// `3.2 GiB`.
pub(crate) fn bytes(n: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let unit = (n.max(1).ilog2() / 10) as usize;
    let size = n as f64 / 1024f64.powi(unit as i32);
    if unit == 0 { format!("{n} bytes") } else { format!("{size:.1} {}", units[unit]) }
}
