//! What the fuzz targets share: bytes as a file, and a walk over what was read.

use ergodict::data::{Loops, Network, ReadOptions, corrupt, read_network};
use std::io::Write;
use std::path::Path;

/// Puts bytes into a file for as long as `read` takes.
pub fn as_file(bytes: &[u8], suffix: &str, read: impl FnOnce(&Path)) {
    let mut file = tempfile::Builder::new().suffix(suffix).tempfile().expect("a temporary file");
    file.write_all(bytes).expect("room for it");
    read(file.path());
}

/// Reads bytes as a network, under every option, and walks over it.
pub fn network(bytes: &[u8]) {
    network_called("", bytes);
}

/// The same of a file whose name ends so.
pub fn network_called(suffix: &str, bytes: &[u8]) {
    as_file(bytes, suffix, |path| {
        for (directed, weighted) in [(None, None), (Some(true), None), (Some(false), Some(false))] {
            let options = ReadOptions { directed, weighted, loops: Loops::Keep, ..ReadOptions::default() };
            if let Ok((network, decisions)) = read_network(path, &options) {
                let _ = decisions.to_string();
                walk(&network);
            }
        }
    });
}

/// The same of bytes that begin as a format does, so that all of them reach its reader.
pub fn network_with(begin: &[u8], bytes: &[u8]) {
    let bytes = if bytes.starts_with(begin) { bytes.to_vec() } else { [begin, bytes].concat() };
    network(&bytes);
}

/// Follows every index that a network holds.
pub fn walk(network: &Network) {
    let mut stored = 0;
    for u in 0..network.nodes() {
        let name = network.ids().name(u);
        assert_eq!(network.ids().find(&name), Some(u));
        for (v, weight) in network.rows().entries(u) {
            assert!((v as usize) < network.nodes() && weight > 0.0 && weight.is_finite());
            assert!(network.incoming().entries(v as usize).any(|entry| entry == (u as u32, weight)));
            stored += 1;
        }
    }
    assert_eq!(stored, network.stored());
    let _ = network.components();
    let _ = corrupt::add(network, corrupt::Amount::Fraction(0.5), corrupt::AddModel::ErdosRenyi, 1);
}
