//! What targets share: bytes as a file, checksums made right, a walk over a network.

use ergodict::data::{Loops, Network, ReadOptions, corrupt, read_network};
use std::path::Path;
use tempfile::TempDir;

thread_local!(static FOLDER: TempDir = tempfile::tempdir().expect("a temporary folder"));

/// A folder of this thread.
pub(crate) fn in_folder<R>(work: impl FnOnce(&Path) -> R) -> R {
    FOLDER.with(|folder| work(folder.path()))
}

/// Bytes in a file whose name ends so. Files are few and written again, which is fast.
pub(crate) fn as_file<R>(bytes: &[u8], suffix: &str, read: impl FnOnce(&Path) -> R) -> R {
    in_folder(|folder| {
        let path = folder.join(format!("input{suffix}"));
        std::fs::write(&path, bytes).expect("room for the input");
        read(&path)
    })
}

/// Bytes whose last 32 are the BLAKE3 of all before them.
pub(crate) fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut sealed = bytes[..bytes.len().saturating_sub(32)].to_vec();
    let digest = blake3::hash(&sealed);
    sealed.extend(digest.as_bytes());
    sealed
}

/// A model with the digest of what it is, where it has a place for one.
pub(crate) fn sealed_model(bytes: &[u8]) -> Vec<u8> {
    const BEFORE: &[u8] = br#""ergodict":"{\"digest\":\""#;
    let mut bytes = bytes.to_vec();
    let found = bytes.windows(BEFORE.len()).position(|window| window == BEFORE);
    if let Some(place) = found.and_then(|at| bytes.get_mut(at + BEFORE.len()..at + BEFORE.len() + 64)) {
        place.fill(b'0');
        let digest = blake3::hash(&bytes).to_hex();
        let at = found.unwrap_or_default() + BEFORE.len();
        bytes[at..at + 64].copy_from_slice(digest.as_bytes());
    }
    bytes
}

/// A file of sums with counts and checksums that fit its length.
pub(crate) fn sealed_sums(bytes: &[u8]) -> Vec<u8> {
    const MAGIC: &[u8] = b"EGSUMS1\n";
    let mut head = [0; 64];
    let given = bytes.len().min(64);
    head[..given].copy_from_slice(&bytes[..given]);
    head[..8].copy_from_slice(MAGIC);
    head[24..].fill(0);
    let flags = u64::from(head[16] & 3);
    head[16..24].copy_from_slice(&flags.to_le_bytes());
    let records = &bytes[given..];
    let records = &records[..records.len() / 24 * 24];
    let mut index = Vec::new();
    for block in records.chunks(24 * 4096) {
        let node = |at: usize| {
            u64::from(u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]]))
        };
        index.extend((node(0) << 32 | node(4)).to_le_bytes());
        index.extend(&blake3::hash(block).as_bytes()[..8]);
    }
    let mut foot = [0; 64];
    foot[..8].copy_from_slice(&(records.len() as u64 / 24).to_le_bytes());
    foot[8..16].copy_from_slice(&(index.len() as u64 / 16).to_le_bytes());
    let hash = blake3::Hasher::new().update(&head).update(&index).update(&foot[..16]).finalize();
    foot[16..48].copy_from_slice(hash.as_bytes());
    foot[56..].copy_from_slice(MAGIC);
    [&head[..], records, &index, &foot].concat()
}

/// Reads a file as a network, under several options, and walks over it. libFuzzer has each input read under one of them, which is three times as fast.
pub(crate) fn network_in(path: &Path, bytes: &[u8]) {
    let all = [(None, None), (Some(true), None), (Some(false), Some(false))];
    let one = bytes.iter().fold(0, |sum: usize, byte| sum + usize::from(*byte)) % all.len();
    let chosen = if cfg!(fuzzing) { &all[one..=one] } else { &all[..] };
    for &(directed, weighted) in chosen {
        let options = ReadOptions { directed, weighted, loops: Loops::Keep, ..ReadOptions::default() };
        if let Ok((network, decisions)) = read_network(path, &options) {
            let _ = decisions.to_string();
            walk(&network);
        }
    }
}

/// The same of bytes; what does not begin with `start` is put after it, so that all of them reach one reader.
pub(crate) fn network(start: &[u8], bytes: &[u8]) {
    let whole = if bytes.starts_with(start) { bytes.to_vec() } else { [start, bytes].concat() };
    as_file(&whole, "", |path| network_in(path, &whole));
}

/// Follows every index that a network holds.
pub(crate) fn walk(network: &Network) {
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
