//! Chains that update many sites in a step: τ is rounded up to whole steps, with a note.

use crate::progress::say;
use anyhow::{Result, bail};

/// Updates between kept configurations, where a step makes several.
fn whole(every: u64, step: u64) -> u64 {
    every.div_ceil(step).saturating_mul(step)
}

/// Refuses two τ that are the same number of whole steps.
pub(super) fn check(all: &[u64], step: u64) -> Result<()> {
    for (i, every) in all.iter().enumerate() {
        let rounded = whole(*every, step);
        if let Some(other) = all[..i].iter().find(|other| whole(**other, step) == rounded) {
            bail!(
                "--every {other} and --every {every} are both {rounded} updates, as a step updates {step} sites: give \
                 one of them"
            );
        }
    }
    Ok(())
}

/// Tells which numbers of updates the τ are rounded up to, if any is.
pub(super) fn report(all: &[u64], step: u64) {
    if all.iter().any(|every| whole(*every, step) != *every) {
        let each: Vec<String> = all.iter().map(|every| whole(*every, step).to_string()).collect();
        let each = each.join(", ");
        say(&format!("a step updates {step} sites: configurations are kept every {each} updates"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_that_round_to_one_are_refused() {
        assert!(check(&[400, 500], 1).is_ok());
        assert!(check(&[400, 640, 641], 320).is_err());
        assert!(check(&[320, 321], 320).is_ok());
    }
}
