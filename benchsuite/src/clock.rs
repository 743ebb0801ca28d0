//! CPU time of this process, which a loaded machine disturbs less than the clock on the wall.

/// Seconds of CPU time this process has used.
pub(crate) fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Runs `work` until half a second or `most` runs have gone by; returns the median CPU milliseconds of a run.
pub(crate) fn median_ms(most: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut times = Vec::new();
    let start = cpu_seconds();
    while times.len() < 5 || (times.len() < most && cpu_seconds() - start < 0.5) {
        let before = cpu_seconds();
        work();
        times.push(1e3 * (cpu_seconds() - before));
    }
    median(times)
}

/// The middle value; of an even number, the upper of the two.
pub(crate) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
