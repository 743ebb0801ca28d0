//! Motif files.
#![no_main]

use ergodict::chain::Motif;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    ergodict_fuzz::as_file(bytes, ".txt", |path| {
        if let Ok(motif) = Motif::read(path) {
            assert!(motif.edges().iter().all(|&(i, j)| (i.max(j) as usize) < motif.k() && i != j));
        }
    });
});
