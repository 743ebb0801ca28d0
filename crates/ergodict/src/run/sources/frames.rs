//! Some configurations of a trajectory that went by.

use crate::data::Frame;

/// Configurations that are kept.
const FRAMES: u64 = 8;
/// Sites of a configuration that is kept: larger ones would take much memory for small pictures.
const MOST_SITES: usize = 1 << 20;

/// A few configurations, spread evenly, each with its number. Those before a checkpoint that a run was resumed from are not known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FrameSample {
    pub(super) frames: Vec<(u64, Frame<'static>)>,
}

impl FrameSample {
    /// Keeps configuration `at` of `all`, counted from 0, if it is one of those.
    pub(super) fn keep(&mut self, at: u64, all: u64, spins: &Frame<'_>) {
        let shown = all.min(FRAMES);
        if shown == 0 || spins.len() > MOST_SITES {
            return;
        }
        // Frames are spaced evenly: the first and the last are among them.
        let place = |i: u64| if shown == 1 { all - 1 } else { (all - 1) * i / (shown - 1) };
        if (0..shown).any(|i| place(i) == at) && self.frames.last().is_none_or(|(last, _)| *last < at) {
            self.frames.push((at, spins.borrow().into_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_spread_from_the_first_to_the_last() {
        for (all, expected) in [
            (1, vec![0]),
            (3, vec![0, 1, 2]),
            (8, (0..8).collect()),
            (100, vec![0, 14, 28, 42, 56, 70, 84, 99]),
        ] {
            let mut sample = FrameSample::default();
            (0..all).for_each(|at| sample.keep(at, all, &vec![at as i8].into()));
            assert_eq!(sample.frames.iter().map(|(at, _)| *at).collect::<Vec<_>>(), expected);
        }
    }
}
