//! What memory costs on a mapped network: opening the file, reads at random places of it that wait for each other, steps of a bare walk.

use crate::clock::median_ms;
use anyhow::{Context, Result};
use ergodict::data::{Network, ReadOptions, read_network};
use ergodict::rng::{Purpose, below, stream};
use serde_json::json;
use std::ffi::CString;
use std::hint::black_box;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Instant;

/// Reads, and steps, in one timing.
const COUNT: usize = 2_000_000;

/// Prints what was found as a line of JSON. Started by another process that has taken the file out of the page cache.
pub(super) fn run(path: &Path) -> Result<()> {
    let open = || -> Result<(Network, f64)> {
        let started = Instant::now();
        let (network, _) = read_network(path, &ReadOptions::default())?;
        Ok((network, 1e3 * started.elapsed().as_secs_f64()))
    };
    let (_, cold) = open()?;
    let (network, warm) = open()?;
    println!(
        "{}",
        json!({ "open_cold_ms": cold, "open_warm_ms": warm, "nodes": network.nodes(), "edges": network.edges(),
            "bytes": std::fs::metadata(path)?.len(), "read_ns": random_reads(path)?, "step_ns": walk(&network) })
    );
    Ok(())
}

/// Nanoseconds of a read at a random place of the mapped file, each place known only when the read before it is done.
fn random_reads(path: &Path) -> Result<f64> {
    // SAFETY: the file is one that this benchmark wrote, and no one changes it.
    let map = unsafe { memmap2::Mmap::map(&std::fs::File::open(path)?)? };
    // Every page is there before the clock starts.
    black_box(map.iter().step_by(4096).fold(0u8, |sum, byte| sum.wrapping_add(*byte)));
    let (mut state, length) = (1u64, map.len() as u64);
    let ms = median_ms(9, || {
        for _ in 0..COUNT {
            let at = (u128::from(state) * u128::from(length)) >> 64;
            // A step of a linear congruential generator that the byte goes into: the next place waits for it.
            let byte = u64::from(map[at as usize]);
            state = (state ^ byte)
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
        }
    });
    black_box(state);
    Ok(1e6 * ms / COUNT as f64)
}

/// Nanoseconds of a step of one plain random walk: the bounds of a row, and a random entry of it.
fn walk(network: &Network) -> f64 {
    let rows = network.rows();
    // Every page of the rows is there before the clock starts.
    let ends = (0..network.nodes())
        .fold(0u64, |sum, u| sum + u64::from(rows.neighbors(u).first().copied().unwrap_or(0)));
    black_box(ends);
    let Some(mut u) = (0..network.nodes()).find(|&u| rows.degree(u) > 0) else { return f64::NAN };
    let mut rng = stream(1, Purpose::Chain, 0);
    let ms = median_ms(9, || {
        for _ in 0..COUNT {
            let row = rows.neighbors(u);
            u = row[below(&mut rng, row.len() as u64) as usize] as usize;
        }
    });
    black_box(u);
    1e6 * ms / COUNT as f64
}

/// Takes a file out of the page cache, as far as the system agrees.
pub(super) fn forget(path: &Path) -> Result<()> {
    let file = std::fs::File::open(path)?;
    // Pages that are not written yet would stay.
    file.sync_all()?;
    // SAFETY: a call about a descriptor that is open; it changes no memory of this process.
    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
    Ok(())
}

/// The bytes that are free where a folder is, if the system tells.
pub(super) fn free_bytes(folder: &Path) -> Option<u64> {
    let path = CString::new(folder.as_os_str().as_bytes()).context("a path without zeros").ok()?;
    // SAFETY: a structure of numbers, for which zeros are a value.
    let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path ends with a zero, and the place for the answer is valid.
    let status = unsafe { libc::statvfs(path.as_ptr(), &raw mut found) };
    (status == 0).then_some(found.f_bavail * found.f_frsize)
}
