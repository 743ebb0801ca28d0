//! Words for numbers.

/// A number of things: `1 seed`, `2 seeds`.
///
/// ```
/// use ergodict_report::words::count;
/// assert_eq!((count(1, "seed", "seeds"), count(2, "seed", "seeds")), ("1 seed".into(), "2 seeds".into()));
/// ```
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
