//! Fuzz targets: each reads bytes that others wrote, and checks what a reader promises of what it accepts. `cargo test -p ergodict-fuzz` runs
//! them over the seeds in `corpus/` and mutations of those, `cargo xtask fuzz` with libFuzzer and a sanitizer.

#[expect(dead_code, reason = "the reader of records is compiled here, as no other crate can see it")]
#[path = "../../crates/ergodict-paper/src/records.rs"]
mod records;
pub mod seeds;
mod support;
mod targets;

/// Calls a macro with the names of all targets.
#[macro_export]
macro_rules! for_each_target {
    ($with:ident) => {
        $with! {
            adjacency, checkpoint, config, conversion, dot, edge_list, egr, gexf, gml, graphml, image, job, json, mat, matrix_file,
            matrix_market, model, motif, note, pairs, pajek, parquet, rbm, records, share, sif, sparse_npz, sums, task, timed, trajectory
        }
    };
}

macro_rules! table {
    ($($name:ident),*) => {
        const TARGETS: &[(&str, fn(&[u8]))] = &[$((stringify!($name), targets::$name)),*];
    };
}
for_each_target!(table);

/// The target of this name.
pub fn find(name: &str) -> Option<fn(&[u8])> {
    TARGETS.iter().find(|(other, _)| *other == name).map(|(_, target)| *target)
}

/// The names of all targets.
pub fn names() -> Vec<&'static str> {
    TARGETS.iter().map(|(name, _)| *name).collect()
}
