//! How large a picture may be.

use anyhow::{Result, bail};

/// Most places of a picture, which has a pixel for each at least: that of the report crate.
const MOST_PLACES: u64 = 1 << 26;

/// Refuses, before the work, to draw for `flag` what has too many places.
pub(crate) fn drawable(flag: &str, (rows, cols): (usize, usize)) -> Result<()> {
    if (rows as u64).saturating_mul(cols as u64) > MOST_PLACES {
        bail!("{flag} would draw {rows}×{cols} pixels (at most 2²⁶); leave it out");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_not_drawn() {
        assert!(drawable("--report", (1 << 13, 1 << 13)).is_ok());
        assert!(drawable("--report", (1 << 13, (1 << 13) + 1)).is_err());
    }
}
