//! scipy's archives. Begin with the files of `crates/ergodict/tests/formats`: checksums are hard to guess.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ergodict_fuzz::network(bytes));
