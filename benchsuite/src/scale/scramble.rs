//! The same network with its lines in random order and its ids permuted: what sorting and walking are measured on.

use anyhow::{Context, Result};
use ergodict::rng::{Purpose, below, stream};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

/// Writes the edges of a list of pairs in another order, ids below 2^`scale` permuted. All edges are in memory at once, 8 bytes each.
pub(super) fn run(from: &Path, to: &Path, scale: u32) -> Result<()> {
    let mut input = BufReader::with_capacity(1 << 20, std::fs::File::open(from)?);
    let (mut edges, mut line) = (Vec::<(u32, u32)>::new(), String::new());
    while input.read_line(&mut line)? > 0 {
        if !line.starts_with('#') {
            let mut ids = line.split_whitespace().map(str::parse::<u32>);
            let (Some(Ok(u)), Some(Ok(v))) = (ids.next(), ids.next()) else {
                anyhow::bail!("{}: not a pair of ids: {line}", from.display());
            };
            edges.push((permuted(u, scale), permuted(v, scale)));
        }
        line.clear();
    }
    let mut rng = stream(8, Purpose::Synthetic, 0);
    for i in (1..edges.len()).rev() {
        edges.swap(i, below(&mut rng, i as u64 + 1) as usize);
        // Ends of an edge come in either order too.
        if below(&mut rng, 2) == 0 {
            let (u, v) = edges[i];
            edges[i] = (v, u);
        }
    }
    let out = std::fs::File::create(to).with_context(|| format!("cannot write {}", to.display()))?;
    let mut out = BufWriter::with_capacity(1 << 20, out);
    for (u, v) in edges {
        writeln!(out, "{u}\t{v}")?;
    }
    Ok(out.flush()?)
}

/// A permutation of the numbers below 2^`scale`: products with odd numbers, and the upper half of the bits mixed into the lower.
fn permuted(id: u32, scale: u32) -> u32 {
    let mask = u32::MAX >> (32 - scale);
    let mut x = id & mask;
    for factor in [0x9E37_79B1u32, 0x85EB_CA6B, 0xC2B2_AE35] {
        x = x.wrapping_mul(factor) & mask;
        x ^= x >> scale.div_ceil(2);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_permuted() {
        for scale in [1, 2, 7, 10] {
            let mut all: Vec<u32> = (0..1 << scale).map(|id| permuted(id, scale)).collect();
            assert!(scale < 7 || !all.is_sorted());
            all.sort_unstable();
            assert!(all.iter().copied().eq(0..1 << scale));
        }
    }

    #[test]
    fn every_edge_is_still_there() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&from, "# a comment\n0\t1\n1\t2\n2\t3\n3\t7\n").unwrap();
        run(&from, &to, 3).unwrap();
        let text = std::fs::read_to_string(&to).unwrap();
        let mut found: Vec<Vec<u32>> = text
            .lines()
            .map(|line| {
                let mut ids: Vec<u32> = line.split('\t').map(|id| id.parse().unwrap()).collect();
                ids.sort_unstable();
                ids
            })
            .collect();
        found.sort();
        let mut wanted: Vec<Vec<u32>> = [(0, 1), (1, 2), (2, 3), (3, 7)]
            .iter()
            .map(|&(u, v)| {
                let mut ids = vec![permuted(u, 3), permuted(v, 3)];
                ids.sort_unstable();
                ids
            })
            .collect();
        wanted.sort();
        assert_eq!(found, wanted);
    }
}
