//! Matrix Market files; the banner is put before what does not begin with one.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if bytes.starts_with(b"%%MatrixMarket") {
        ergodict_fuzz::network(bytes);
        return;
    }
    for kind in ["coordinate real general", "coordinate pattern symmetric", "array integer symmetric"] {
        let mut file = format!("%%MatrixMarket matrix {kind}\n").into_bytes();
        file.extend_from_slice(bytes);
        ergodict_fuzz::network(&file);
    }
});
