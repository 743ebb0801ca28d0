//! `.egr` files, as they are and with checksums made right, so that what follows them is reached.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    ergodict_fuzz::network(bytes);
    if bytes.len() >= 128 {
        let mut bytes = bytes.to_vec();
        bytes[..8].copy_from_slice(b"EGR1\x01\0\0\0");
        let digest = blake3::hash(&bytes[128..]);
        bytes[64..96].copy_from_slice(digest.as_bytes());
        let check = blake3::hash(&bytes[..96]);
        bytes[96..128].copy_from_slice(check.as_bytes());
        ergodict_fuzz::network(&bytes);
    }
});
