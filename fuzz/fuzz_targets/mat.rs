//! MATLAB's `.mat` files. Begin with one that scipy writes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ergodict_fuzz::network_with(b"MATLAB 5.0", bytes));
