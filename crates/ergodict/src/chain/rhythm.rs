//! When the states of a chain are kept: every τ-th step after the burn-in.

/// Which steps are kept: `burn_in + every`, `burn_in + 2·every`, …
///
/// ```
/// use ergodict::chain::Thinning;
/// let rhythm = Thinning::of_updates(100, 1_000, 1);
/// assert_eq!((rhythm.step_of(0), rhythm.step_of(1)), (1_100, 2_100));
/// assert_eq!((rhythm.kept(1_099), rhythm.kept(1_100)), (0, 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thinning {
    /// Steps before the first state that may be kept.
    pub burn_in: u64,
    /// Steps between kept states, τ; at least 1.
    pub every: u64,
}

impl Thinning {
    /// The same counted in updates of single sites, of which a step makes `of`: rounded up to whole steps.
    pub fn of_updates(burn_in: u64, every: u64, of: u64) -> Self {
        let of = of.max(1);
        Self { burn_in: burn_in.div_ceil(of), every: every.div_ceil(of).max(1) }
    }

    /// The step after which state `frame`, from 0, is kept.
    pub fn step_of(&self, frame: u64) -> u64 {
        self.burn_in.saturating_add(self.every.saturating_mul(frame.saturating_add(1)))
    }

    /// States kept among the first `steps` steps.
    pub fn kept(&self, steps: u64) -> u64 {
        steps.saturating_sub(self.burn_in) / self.every.max(1)
    }
}
