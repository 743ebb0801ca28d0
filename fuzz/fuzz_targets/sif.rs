//! Cytoscape's simple interaction format.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ergodict_fuzz::network_called(".sif", bytes));
