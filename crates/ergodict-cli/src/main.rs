//! The `ergodict` command line.
fn main() {}
