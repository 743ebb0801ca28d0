//! How the steps ended and what they took: the lines at the end of `cargo xtask test`.

use crate::clock::Spent;
use std::fmt;

/// How a step ended.
pub(super) struct Outcome {
    pub(super) name: String,
    pub(super) passed: bool,
    pub(super) spent: Spent,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:8} {} {}", self.name, if self.passed { "passed" } else { "FAILED" }, self.spent)
    }
}
