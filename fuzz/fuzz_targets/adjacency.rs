//! Adjacency matrices as tables.
#![no_main]

use ergodict::data::{ReadOptions, TableForm, TableOptions, parse_network};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let table = TableOptions { form: TableForm::Adjacency, ..TableOptions::default() };
    if let Ok((network, _)) = parse_network(bytes, &ReadOptions { table, ..ReadOptions::default() }) {
        ergodict_fuzz::walk(&network);
    }
});
