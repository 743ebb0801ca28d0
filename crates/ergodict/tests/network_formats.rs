//! Networks in Matrix Market, scipy and `.egr` files: what is written is read, what is damaged is told.

use ergodict::data::{
    Build, Edge, Loops, Network, NodeIds, ReadOptions, convert_network, parse_network, read_network,
    write_network,
};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const KEEP: ReadOptions = ReadOptions { directed: None, weighted: None, loops: Loops::Keep };

fn here(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder)
}

/// The same edges, weights and direction, whatever the nodes are called.
fn same_matrix(one: &Network, two: &Network) -> bool {
    let entries = |network: &Network| -> Vec<Vec<(u32, f64)>> {
        (0..network.nodes()).map(|u| network.rows().entries(u).collect()).collect()
    };
    one.is_directed() == two.is_directed() && one.loops() == two.loops() && entries(one) == entries(two)
}

fn is_symmetric(network: &Network) -> bool {
    let (rows, incoming) = (network.rows(), network.incoming());
    (0..network.nodes()).all(|u| rows.entries(u).eq(incoming.entries(u)))
}

/// Words as ids can only be had from text.
fn words(text: &str, options: ReadOptions) -> Network {
    parse_network(text.as_bytes(), &options).unwrap().0
}

fn network() -> impl Strategy<Value = Network> {
    let weight = || prop_oneof![Just(1.0), 0.01..9.0, Just(0.1), Just(1e-300), Just(7e22)];
    let edges = move |n: u32| prop::collection::vec((0..n, 0..n, weight()), 0..60);
    (1_u32..20, any::<bool>(), any::<bool>(), any::<bool>())
        .prop_flat_map(move |(n, directed, weighted, keep)| (Just((n, directed, weighted, keep)), edges(n)))
        .prop_map(|((n, directed, weighted, keep), edges)| {
            let loops = if keep { Loops::Keep } else { Loops::Drop };
            let (ids, build) = (NodeIds::numbered(n as usize), Build { directed, loops });
            Network::build(ids, &edges, weighted, build).unwrap().0
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_written_is_read(network in network()) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["x.egr", "x.npz", "x.mtx", "x.mtx.gz", "x.mtx.zst"] {
            let path = folder.path().join(name);
            let saved = write_network(&path, &network).unwrap();
            let (found, decisions) = read_network(&path, &KEEP).unwrap();
            // What a matrix cannot tell is told when it is written.
            let lost = network.is_directed() && is_symmetric(&network) && name != "x.egr";
            if lost {
                prop_assert!(saved.lost.unwrap().contains("undirected"));
                prop_assert!(!found.is_directed());
                let options = ReadOptions { directed: Some(true), ..KEEP };
                prop_assert!(same_matrix(&read_network(&path, &options).unwrap().0, &network));
                continue;
            }
            prop_assert!(same_matrix(&found, &network), "{name}: {decisions}");
            if name.starts_with("x.mtx") {
                prop_assert_eq!(found.ids().name(network.nodes() - 1), network.nodes().to_string());
                prop_assert!(saved.lost.unwrap().starts_with("nodes 0 to "));
            } else {
                prop_assert_eq!(found.ids(), network.ids());
                prop_assert_eq!(saved.lost, None);
            }
        }
    }

    /// Text to `.egr` in little memory and in much: the same file.
    #[test]
    fn conversion_does_not_depend_on_memory(
        lines in prop::collection::vec((-5_i32..40, 0_i32..40, 0_u8..9), 1..300),
        weighted: bool,
        word: bool,
        directed: Option<bool>,
        keep: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (text, whole) = (folder.path().join("x.txt"), folder.path().join("whole.egr"));
        let line = |(u, v, w): &(i32, i32, u8)| {
            if weighted { format!("{u} {v} {}\n", f64::from(*w) / 3.0) } else { format!("{u} {v}\n") }
        };
        let mut list: String = lines.iter().map(line).collect();
        if word {
            list += if weighted { "a 007 2\n" } else { "a 007\n" };
        }
        std::fs::write(&text, &list).unwrap();
        let loops = if keep { Loops::Keep } else { Loops::Drop };
        let options = ReadOptions { directed, weighted: None, loops };
        let (network, decisions) = read_network(&text, &options).unwrap();
        write_network(&whole, &network).unwrap();
        for budget in [0, 1 << 13] {
            let out = folder.path().join("parts.egr");
            let found = convert_network(&text, &options, &out, budget, &mut |_| true).unwrap().unwrap();
            prop_assert_eq!(&found, &decisions);
            prop_assert!(std::fs::read(&out).unwrap() == std::fs::read(&whole).unwrap(), "{}", budget);
        }
        let (again, _) = read_network(&whole, &options).unwrap();
        prop_assert_eq!(again, network);
    }
}

#[test]
fn names_survive_where_the_format_has_room_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let network = words("a,b c\nb c,\u{e9}t\u{e9}\n", ReadOptions::default());
    let path = |name: &str| folder.path().join(name);
    for name in ["x.egr", "x.txt", "x.csv.gz", "plain", "x.edges.zst"] {
        assert_eq!(write_network(&path(name), &network).unwrap().lost, None);
        assert_eq!(read_network(&path(name), &KEEP).unwrap().0, network, "{name}");
    }
    assert_eq!(&std::fs::read(path("x.csv.gz")).unwrap()[..2], b"\x1f\x8b");
    assert_eq!(&std::fs::read(path("x.edges.zst")).unwrap()[..4], b"\x28\xb5\x2f\xfd");
    for (name, first, last) in [("x.mtx", 1, 3), ("x.npz", 0, 2)] {
        let lost = write_network(&path(name), &network).unwrap().lost.unwrap();
        assert!(
            lost.starts_with(&format!("nodes a to \u{e9}t\u{e9} are called {first} to {last}")),
            "{lost}"
        );
        assert!(same_matrix(&read_network(&path(name), &KEEP).unwrap().0, &network));
    }
    // Matrix Market counts from 1, which such names already do.
    let network = words("1 2\n2 3\n", ReadOptions::default());
    assert_eq!(write_network(&path("y.mtx"), &network).unwrap().lost, None);
    assert_eq!(read_network(&path("y.mtx"), &KEEP).unwrap().0, network);
    let alone = Network::simple(4, &[(0, 1)]).unwrap();
    let lost = write_network(&path("alone.txt"), &alone).unwrap().lost.unwrap();
    assert_eq!(lost, "2 nodes without edges are not in an edge list");
    for name in ["x.egr.gz", "x.npz.zst"] {
        let message = write_network(&path(name), &network).unwrap_err().to_string();
        assert!(message.contains("cannot be written") && !path(name).exists(), "{message}");
    }
}

#[test]
fn networks_without_edges_or_nodes_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    for nodes in [0, 3] {
        let network = Network::simple(nodes, &[]).unwrap();
        for name in ["x.egr", "x.npz", "x.mtx"] {
            let path = folder.path().join(name);
            write_network(&path, &network).unwrap();
            assert!(same_matrix(&read_network(&path, &KEEP).unwrap().0, &network), "{nodes} {name}");
        }
    }
}

/// Files that scipy wrote, of the matrix in `tests/formats/README.md`.
#[test]
fn files_of_scipy_are_read() {
    let edges: [Edge; 4] = [(0, 1, 2.0), (1, 2, 3.0), (2, 2, 1.0), (0, 4, 5.0)];
    let matrix = |directed| {
        Network::build(NodeIds::numbered(5), &edges, true, Build { directed, loops: Loops::Keep }).unwrap().0
    };
    let mut files = 0;
    for entry in std::fs::read_dir(here("formats")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.extension().is_some_and(|e| e == "md") {
            continue;
        }
        let (found, decisions) = read_network(&path, &KEEP).unwrap();
        assert!(same_matrix(&found, &matrix(name.contains("directed"))), "{name}: {decisions}");
        files += 1;
    }
    assert_eq!(files, 12);
}

#[test]
fn malformed_files_are_told_as_they_should_be() {
    let (mut files, mut wrong) = (0, String::new());
    for entry in std::fs::read_dir(here("malformed")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if ![".mtx", ".npz", ".egr", ".mtx.gz"].iter().any(|end| name.ends_with(end)) {
            continue;
        }
        let expected = std::fs::read_to_string(path.with_file_name(format!("{name}.message"))).unwrap();
        let read = read_network(&path, &ReadOptions::default()).map(|(_, decisions)| decisions.to_string());
        let message = read.unwrap_err().to_string();
        let told = message.strip_prefix(&*path.to_string_lossy()).unwrap();
        if told != expected.trim_end() {
            let _ = write!(wrong, "{name}\n  found    {told}\n  expected {expected}");
        }
        files += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(files >= 50, "{files}");
}

/// Changed files are refused or read, and what is read can be walked; nothing panics.
#[test]
fn mutations_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let mut state = 11_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let edges: [Edge; 5] = [(0, 1, 0.5), (1, 2, 2.0), (2, 2, 1.0), (3, 0, 1e10), (1, 0, 4.0)];
    let build = Build { directed: true, loops: Loops::Keep };
    let directed = Network::build(NodeIds::numbered(5), &edges, true, build).unwrap().0;
    let named = words("a,b c\nb c,\u{e9}t\u{e9}\n", ReadOptions::default());
    let mut files: Vec<Vec<u8>> = Vec::new();
    for name in ["x.egr", "x.npz", "x.mtx"] {
        for network in [&directed, &named] {
            let path = folder.path().join(name);
            write_network(&path, network).unwrap();
            files.push(std::fs::read(&path).unwrap());
        }
    }
    files.push(std::fs::read(here("formats").join("csr_int64_compressed.npz")).unwrap());
    files.push(std::fs::read(here("formats").join("coo_array_directed.npz")).unwrap());
    files.push(b"%%MatrixMarket matrix array real symmetric\n3 3\n1\n0\n2.5\n1\n1\n0\n".to_vec());
    let (mut read, mut refused) = (0, 0);
    for file in &files {
        for _ in 0..250 {
            let mut bytes = file.clone();
            for _ in 0..=random(4) {
                let at = random(bytes.len());
                match random(6) {
                    0 => bytes[at] = random(256) as u8,
                    1 => bytes[at] ^= 1 << random(8),
                    2 => bytes.insert(at, b"0123456789 -.e%\n\xff"[random(17)]),
                    3 => drop(bytes.remove(at)),
                    4 if random(4) == 0 => bytes.truncate(at + 1),
                    _ => bytes[at] = b"0123456789 -.e%\n"[random(16)],
                }
                if bytes.is_empty() {
                    bytes.push(0);
                }
            }
            let path = folder.path().join("mutated");
            std::fs::write(&path, &bytes).unwrap();
            match read_network(&path, &KEEP) {
                Ok((network, _)) => {
                    read += 1;
                    let walked: usize = (0..network.nodes()).map(|u| network.rows().entries(u).count()).sum();
                    assert_eq!(walked as u64, network.stored());
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(read > 70 && refused > 700, "{read} read, {refused} refused");
}
