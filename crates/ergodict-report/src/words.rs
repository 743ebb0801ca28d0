//! Words for numbers.

/// A number of things: `1 seed`, `2 seeds`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
