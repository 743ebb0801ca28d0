//! Edge lists from memory.
#![no_main]

use ergodict::data::{ReadOptions, parse_network};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok((network, _)) = parse_network(bytes, &ReadOptions::default()) {
        ergodict_fuzz::walk(&network);
    }
});
