//! Whether a run fits into memory: refused before it starts, with the figure, instead of killed by the kernel later.

use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// Refuses work that needs more than is available; `what` says what needs it, `way_out` what would need less.
///
/// ```
/// use ergodict::{Error, memory};
/// memory::check(1 << 10, "a small table", "nothing less is needed")?;
/// let refused = memory::check(1 << 60, "a table of all pairs", "ask for fewer pairs");
/// assert!(cfg!(not(target_os = "linux")) || matches!(refused, Err(Error::Memory { .. })));
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Memory`].
pub fn check(needed: u64, what: &str, way_out: &str) -> Result<()> {
    check_within(needed, None, what, way_out)
}

/// The same where it was said how much there may be, which may still be more than is available.
///
/// ```
/// use ergodict::memory::check_within;
/// let refused = check_within(4096, Some(1024), "the table", "take fewer nodes").unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "the table would take about 4.0 KiB, but 1.0 KiB are available: take fewer nodes"
/// );
/// ```
///
/// # Errors
/// [`Error::Memory`].
pub fn check_within(needed: u64, within: Option<u64>, what: &str, way_out: &str) -> Result<()> {
    match within.into_iter().chain(available()).min() {
        Some(available) if needed > available => Err(Error::Memory {
            what: what.to_owned(),
            needed: bytes(needed),
            available: bytes(available),
            way_out: way_out.to_owned(),
            hint: None,
        }),
        _ => Ok(()),
    }
}

/// Whether this number of bytes is available, within the limit that was set.
///
/// ```
/// use ergodict::memory::fits;
/// assert!(fits(1000, Some(1024)) && !fits(2000, Some(1024)));
/// ```
pub fn fits(needed: u64, within: Option<u64>) -> bool {
    within.into_iter().chain(available()).min().is_none_or(|available| needed <= available)
}

/// Memory available without swapping, where the system reports it: what the machine has, or what a container or a unit may have of it.
fn available() -> Option<u64> {
    if let Some(bytes) = said() {
        return Some(bytes);
    }
    let info = std::fs::read_to_string("/proc/meminfo").ok();
    let machine = info.and_then(|info| {
        let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
    });
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok();
    let group = groups.and_then(|groups| of_groups(&groups, Path::new("/sys/fs/cgroup")));
    machine.into_iter().chain(group).min()
}

/// What a test wants to be available, which it says in `ERGODICT_AVAILABLE_BYTES`. Release builds do not look.
fn said() -> Option<u64> {
    if cfg!(debug_assertions) { std::env::var("ERGODICT_AVAILABLE_BYTES").ok()?.parse().ok() } else { None }
}

/// The least that the control groups of this process, as `/proc/self/cgroup` has them, and those around them leave.
fn of_groups(groups: &str, root: &Path) -> Option<u64> {
    let paths = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
        match controllers {
            "" => Some((root.to_owned(), path, ["memory.max", "memory.current", "inactive_file"])),
            of if of.split(',').any(|one| one == "memory") => {
                let names = ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"];
                Some((root.join("memory"), path, names))
            }
            _ => None,
        }
    });
    let left = paths.flat_map(|(root, path, names)| {
        // Inside a container the path may be one of the host, and what is mounted is the container's own group.
        let inner = root.join(path);
        let all: Vec<PathBuf> =
            inner.ancestors().take_while(|at| at.starts_with(&root)).map(Path::to_owned).collect();
        all.into_iter().filter_map(move |at| left_in(&at, names))
    });
    left.min()
}

/// What one group leaves: its limit without what is used and cannot be given back. None where there is no limit.
fn left_in(group: &Path, [limit, used, cached]: [&str; 3]) -> Option<u64> {
    let read = |name: &str| std::fs::read_to_string(group.join(name)).ok();
    let number = |text: String| text.trim().parse::<u64>().ok();
    let (limit, used) = (number(read(limit)?)?, number(read(used)?)?);
    let stat = read("memory.stat").unwrap_or_default();
    let cached = stat.lines().find_map(|line| line.strip_prefix(cached)?.trim().parse::<u64>().ok());
    // Version 1 says 2⁶³ or so where there is no limit.
    (limit < 1 << 60).then(|| limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
}

/// `3.2 GiB`.
///
/// Bytes in words, in the largest unit (powers of 1024) that leaves at least one.
///
/// ```
/// assert_eq!(ergodict::memory::bytes(3 << 30), "3.0 GiB");
/// ```
pub fn bytes(n: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let unit = (n.max(1).ilog2() / 10) as usize;
    let size = n as f64 / 1024f64.powi(unit as i32);
    if unit == 0 { format!("{n} bytes") } else { format!("{size:.1} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_group_counts() {
        let root = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let left = |groups: &str| of_groups(groups, root.path());
        assert_eq!(left("0::/a/b\n"), None);
        put("a/memory.max", "1000\n");
        put("a/memory.current", "400\n");
        put("a/b/memory.max", "max\n");
        put("a/b/memory.current", "400\n");
        assert_eq!(left("0::/a/b\n"), Some(600));
        put("a/memory.stat", "anon 1\ninactive_file 150\nactive_file 7\n");
        assert_eq!(left("0::/a/b\n"), Some(750));
        put("memory/c/memory.limit_in_bytes", "500\n");
        put("memory/c/memory.usage_in_bytes", "600\n");
        put("memory/memory.limit_in_bytes", "9223372036854771712\n");
        put("memory/memory.usage_in_bytes", "600\n");
        assert_eq!(left("3:cpu:/c\n2:memory:/c\n0::/\n"), Some(0));
        assert_eq!(left("3:cpu:/c\n"), None);
    }

    #[test]
    fn bytes_are_readable() {
        assert_eq!((&*bytes(0), &*bytes(1023)), ("0 bytes", "1023 bytes"));
        assert_eq!((&*bytes(1536), &*bytes(5 << 30), &*bytes(u64::MAX)), ("1.5 KiB", "5.0 GiB", "16.0 EiB"));
    }
}
