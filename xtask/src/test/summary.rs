//! How the steps ended and what they took: the lines at the end of `cargo xtask test`, written and read.

use crate::clock::Spent;
use std::fmt;

/// How a step ended.
#[derive(Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) name: String,
    pub(crate) passed: bool,
    pub(crate) spent: Spent,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:8} {} {}", self.name, if self.passed { "passed" } else { "FAILED" }, self.spent)
    }
}

impl Outcome {
    /// Reads the line of a step; nothing if the line is none.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, how, wall, cpu) = match words[..] {
            [name, how, wall, "s"] => (name, how, wall, None),
            [name, how, wall, "s", cpu, "s", "CPU"] => (name, how, wall, Some(cpu.parse().ok()?)),
            _ => return None,
        };
        let passed = match how {
            "passed" => true,
            "FAILED" => false,
            _ => return None,
        };
        Some(Self { name: name.into(), passed, spent: Spent { wall: wall.parse().ok()?, cpu } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
        for (passed, cpu) in [(true, Some(1234.5)), (false, None)] {
            let outcome = Outcome { name: "unit".into(), passed, spent: Spent { wall: 60.5, cpu } };
            assert_eq!(Outcome::parse(&outcome.to_string()), Some(outcome));
        }
        let line = "python   passed    310.2 s    401.0 s CPU";
        assert_eq!(Outcome::parse(line).unwrap().to_string(), line);
        for other in ["", "8 passed, 0 failed", "unit ran 1.0 s", "environment: 2.0 s", "a passed x s"] {
            assert_eq!(Outcome::parse(other), None, "{other}");
        }
    }
}
