//! How many crates `cargo tree` shows.

use std::collections::BTreeSet;

/// The number of crates by name and version in what `cargo tree --prefix none` prints, where each is as often as something depends on it.
pub(super) fn count(tree: &str) -> usize {
    // Behind the version, in parentheses: a path, that it is a macro, that it was shown before.
    let crates = tree.lines().map(|line| line.split(" (").next().unwrap_or_default().trim());
    crates.filter(|name| !name.is_empty()).collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_counts_once_a_version() {
        let tree = "own v0.1.0 (/somewhere/own)\na v1.0.0\nb v2.0.0 (proc-macro)\na v1.0.0 (*)\n\na v2.0.0\nb v2.0.0 (proc-macro) (*)\n";
        assert_eq!(count(tree), 4);
        assert_eq!(count(""), 0);
    }
}
