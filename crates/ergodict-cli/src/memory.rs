//! Whether a run fits into memory, as the library estimates it.

pub(crate) use ergodict::memory::bytes;

/// The same, where it was said how much there may be.
pub(crate) fn check_within(
    needed: u64,
    within: Option<u64>,
    what: &str,
    way_out: &str,
) -> anyhow::Result<()> {
    Ok(ergodict::memory::check_within(needed, within, what, way_out)?)
}

/// Refuses work that needs more than is available; `what` says what needs it, `way_out` what would need less.
pub(crate) fn check(needed: u64, what: &str, way_out: &str) -> anyhow::Result<()> {
    Ok(ergodict::memory::check(needed, what, way_out)?)
}
