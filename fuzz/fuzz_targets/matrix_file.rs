//! Matrices as `.npy`, `.npz` and text, by content.
#![no_main]

use ergodict::data::{Batch, MatrixStream, StreamOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for suffix in [".npy", ".csv"] {
        ergodict_fuzz::as_file(bytes, suffix, |path| {
            let Ok(mut stream) = MatrixStream::open(path, &StreamOptions::default()) else { return };
            let mut batch = Batch::<f64>::default();
            while stream.next_batch(64, &mut batch).is_ok_and(|read| read > 0) {}
        });
    }
});
