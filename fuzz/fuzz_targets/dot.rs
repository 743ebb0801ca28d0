//! Graphviz DOT. Begin with what pydot writes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ergodict_fuzz::network_with(b"graph {", bytes));
