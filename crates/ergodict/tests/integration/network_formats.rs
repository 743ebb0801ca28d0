//! Networks in Matrix Market, scipy and `.egr` files: what is written is read, what is damaged is reported.

use ergodict::data::{
    Build, Conversion, Edge, Loops, Network, NodeIds, ReadDecisions, ReadOptions, convert_network,
    parse_network, read_network, seal_json, write_network,
};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn keep() -> ReadOptions {
    ReadOptions { loops: Loops::Keep, ..ReadOptions::default() }
}

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
fn words(text: &str, options: &ReadOptions) -> Network {
    parse_network(text.as_bytes(), options).unwrap().0
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
            let (found, decisions) = read_network(&path, &keep()).unwrap();
            // What a matrix cannot hold is reported when it is written.
            let lost = network.is_directed() && is_symmetric(&network) && name != "x.egr";
            if lost {
                prop_assert!(saved.lost.unwrap().contains("undirected"));
                prop_assert!(!found.is_directed());
                let options = ReadOptions { directed: Some(true), ..keep() };
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

    /// Lists to `.egr` in little memory and in much, stopped at every step or not: the same file.
    #[test]
    fn conversion_of_lists_does_not_depend_on_memory_or_interruptions(
        lines in prop::collection::vec((0_i64..40, 0_i64..40, 0_u8..9), 1..300),
        kind in 0..5,
        weighted: bool,
        both: bool,
        options in options(),
        packed in 0..3_usize,
    ) {
        let name = |v: i64| match kind {
            0 => v.to_string(),
            1 => (v * 100_000_007).to_string(),
            2 => (v * 100_000_000_007 - 5).to_string(),
            _ => (v * 3).to_string(),
        };
        let line = |u: i64, v: i64, w: u8| {
            let weight = if weighted { format!(" {}", f64::from(w) / 3.0) } else { String::new() };
            format!("{} {}{weight}\n", name(u), name(v))
        };
        // Comments fill up blocks of text, of which there are several however little memory there is.
        let comment = format!("#{}\n", "-".repeat(50_000));
        let mut list = String::new();
        for some in lines.chunks(40) {
            list += &comment;
            for &(u, v, w) in some {
                list += &line(u, v, w);
                list += if both { line(v, u, w) } else { String::new() }.as_str();
            }
        }
        // Integers until the last line, which has words.
        if kind == 4 {
            list += if weighted { "a 007 2\n" } else { "a 007\n" };
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(["x.txt", "x.txt.gz", "x.txt.zst"][packed]);
        write_packed(&path, &list);
        convert_in_all_ways(&path, &options)?;
    }

    /// The same of matrices.
    #[test]
    fn conversion_of_matrices_does_not_depend_on_memory_or_interruptions(
        n in 1_u32..30,
        entries in prop::collection::vec((0_u32..30, 0_u32..30, 0_u8..9), 0..200),
        pattern: bool,
        symmetric: bool,
        both: bool,
        options in options(),
        format in 0..6_usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut entries: Vec<Edge> =
            entries.iter().map(|&(u, v, w)| (u % n, v % n, f64::from(w) / 3.0)).collect();
        if both {
            let turned: Vec<Edge> = entries.iter().filter(|e| e.0 != e.1).map(|&(u, v, w)| (v, u, w)).collect();
            entries.extend(turned);
        }
        let path = folder.path().join(["x.mtx", "x.mtx.gz", "x.mtx.zst", "x.npz", "x.egr", "x.egr.gz"][format]);
        if format < 3 {
            let field = if pattern { "pattern" } else { "real" };
            let kind = if symmetric { "symmetric" } else { "general" };
            let mut text = format!("%%MatrixMarket matrix coordinate {field} {kind}\n{n} {n} {}\n", entries.len());
            for (u, v, w) in entries {
                let weight = if pattern { String::new() } else { format!(" {w}") };
                let _ = writeln!(text, "{} {}{weight}\n%{}", u + 1, v + 1, "-".repeat(2000));
            }
            write_packed(&path, &text);
        } else {
            let build = Build { directed: !symmetric, loops: Loops::Keep };
            let network = Network::build(NodeIds::numbered(n as usize), &entries, !pattern, build).unwrap().0;
            let plain = folder.path().join(["x.npz", "x.egr"][usize::from(format > 3)]);
            write_network(&plain, &network).unwrap();
            if format == 5 {
                write_packed_bytes(&path, &std::fs::read(&plain).unwrap());
            }
        }
        convert_in_all_ways(&path, &options)?;
    }
}

/// Sums that are taken in another order round differently, and give edges no direction however much memory there is.
#[test]
fn conversion_takes_matrices_that_are_symmetric_up_to_rounding_as_undirected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.mtx");
    let (up, down) = (0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1);
    assert_ne!(up, down);
    let text = format!("%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 {up}\n2 1 {down}\n3 3 1\n");
    std::fs::write(&path, text).unwrap();
    for directed in [None, Some(false), Some(true)] {
        let options = ReadOptions { directed, ..ReadOptions::default() };
        assert_eq!(read_network(&path, &options).unwrap().0.is_directed(), directed == Some(true));
        convert_in_all_ways(&path, &options).unwrap();
    }
}

fn options() -> impl Strategy<Value = ReadOptions> {
    let weighted = prop_oneof![3 => Just(None), 1 => Just(Some(false)), 1 => Just(Some(true))];
    (any::<Option<bool>>(), weighted, any::<bool>()).prop_map(|(directed, weighted, keep)| ReadOptions {
        directed,
        weighted,
        loops: if keep { Loops::Keep } else { Loops::Drop },
        ..ReadOptions::default()
    })
}

fn write_packed(path: &Path, text: &str) {
    write_packed_bytes(path, text.as_bytes());
}

/// Compressed where the name says so.
fn write_packed_bytes(path: &Path, bytes: &[u8]) {
    let packed = match path.extension().and_then(|e| e.to_str()) {
        Some("gz") => {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(bytes).unwrap();
            gzip.finish().unwrap()
        }
        Some("zst") => zstd::encode_all(bytes, 1).unwrap(),
        _ => bytes.to_vec(),
    };
    std::fs::write(path, packed).unwrap();
}

/// Converts with much memory and with hardly any, and with a stop after the first step, then after two more, and so on; it
/// is what reading and writing gives each time.
fn convert_in_all_ways(path: &Path, options: &ReadOptions) -> Result<(), TestCaseError> {
    let folder = path.parent().unwrap();
    let (whole, out) = (folder.join("whole.egr"), folder.join("out.egr"));
    let read = read_network(path, options).map_err(|error| error.to_string());
    let expected = read.map(|(network, decisions)| {
        write_network(&whole, &network).unwrap();
        (decisions, std::fs::read(&whole).unwrap())
    });
    let result = |made: ergodict::Result<Option<ReadDecisions>>| {
        made.map(|decisions| (decisions.unwrap(), std::fs::read(&out).unwrap())).map_err(|e| e.to_string())
    };
    for budget in [0, 1 << 24] {
        prop_assert_eq!(&result(convert_network(path, options, &out, budget, &mut |_| true)), &expected);
        let _ = std::fs::remove_file(&out);
    }
    let conversion = Conversion { memory: 0, keep: true, resume: true };
    for steps in 1.. {
        let mut left = steps;
        let made = conversion.run(path, options, &out, &mut |_| {
            left -= 1;
            left > 0
        });
        if !matches!(made, Ok(None)) {
            prop_assert_eq!(&result(made), &expected);
            break;
        }
        prop_assert!(!out.exists());
    }
    prop_assert!(!Conversion::folder(&out).exists());
    Ok(())
}

/// What was kept is gone on from only where it belongs, and is not believed.
#[test]
fn leftovers_of_conversions_are_reported_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let (text, out) = (folder.path().join("x.txt"), folder.path().join("x.egr"));
    let mut list = String::new();
    for i in 0..40_000_u64 {
        let _ = writeln!(list, "{} {}", i * 7919 % 4001, i * i % 3989);
    }
    std::fs::write(&text, &list).unwrap();
    let options = ReadOptions::default();
    convert_network(&text, &options, &out, 1 << 24, &mut |_| true).unwrap();
    let expected = std::fs::read(&out).unwrap();
    let left = Conversion::folder(&out);
    let keep = Conversion { memory: 1 << 16, keep: true, resume: false };
    let go_on = Conversion { resume: true, ..keep };
    let stopped = |conversion: Conversion, most: u32| {
        let mut steps = 0;
        let made = conversion.run(&text, &options, &out, &mut |_| {
            steps += 1;
            steps < most
        });
        (made.map(|made| made.is_some()).map_err(|e| e.to_string()), steps)
    };
    assert_eq!(stopped(keep, 3).0, Ok(false));
    assert!(left.join("runs.jsonl").exists() && std::fs::read(left.join("forward")).unwrap().len() > 10_000);
    // Without being asked nothing is gone on from, nor thrown away.
    assert!(stopped(keep, 99).0.unwrap_err().contains("continue from it (resume=true)"));
    let other = ReadOptions { directed: Some(true), ..options.clone() };
    let message = go_on.run(&text, &other, &out, &mut |_| true).unwrap_err().to_string();
    assert!(message.contains("x.egr.converting: is of a conversion with other flags"), "{message}");
    // A byte that differs, a file that is cut off, a line that is not whole.
    for damage in 0..4 {
        let (forward, runs) = (left.join("forward"), left.join("runs.jsonl"));
        if damage > 0 {
            assert_eq!(stopped(go_on, 3).0, Ok(false));
        }
        let mut bytes = std::fs::read(&forward).unwrap();
        let lines = std::fs::read(&runs).unwrap();
        let middle = bytes.len() / 2;
        match damage {
            1 => bytes[middle] ^= 1,
            2 => bytes.truncate(middle),
            3 => std::fs::write(&runs, &lines[..lines.len() - 9]).unwrap(),
            _ => {}
        }
        std::fs::write(&forward, bytes).unwrap();
        assert_eq!(stopped(go_on, 9999).0, Ok(true));
        assert!(std::fs::read(&out).unwrap() == expected && !left.exists(), "{damage}");
    }
    // Another file.
    assert_eq!(stopped(keep, 3).0, Ok(false));
    std::fs::write(&text, "1 2\n").unwrap();
    let message = go_on.run(&text, &options, &out, &mut |_| true).unwrap_err().to_string();
    assert!(message.contains("another input"), "{message}");
    // What is no text, and what is no folder.
    std::fs::write(left.join("runs.jsonl"), b"\xff\xfe\n").unwrap();
    let message = stopped(go_on, 99).0.unwrap_err();
    assert!(message.contains("delete the folder to start over"), "{message}");
    std::fs::remove_dir_all(&left).unwrap();
    std::fs::write(&left, "").unwrap();
    for conversion in [keep, go_on] {
        let message = stopped(conversion, 99).0.unwrap_err();
        assert!(
            message.contains("x.egr.converting: is no folder") && !message.contains("--resume"),
            "{message}"
        );
    }
}

/// No byte of what a conversion keeps can change without being noticed, or redone.
#[test]
fn what_a_conversion_keeps_is_right_or_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let (text, out) = (folder.path().join("x.txt"), folder.path().join("x.egr"));
    let list: Vec<String> = (0..9000_u64).map(|i| format!("{} {}", i * 7919 % 401, i * i % 389)).collect();
    std::fs::write(&text, list.join("\n")).unwrap();
    let options = ReadOptions::default();
    convert_network(&text, &options, &out, 1 << 24, &mut |_| true).unwrap();
    let expected = std::fs::read(&out).unwrap();
    std::fs::remove_file(&out).unwrap();
    let left = Conversion::folder(&out);
    let keep = Conversion { memory: 1 << 16, keep: true, resume: false };
    let mut steps = 0;
    let stopped = keep.run(&text, &options, &out, &mut |_| {
        steps += 1;
        steps < 3
    });
    assert!(stopped.unwrap().is_none());
    let kept: Vec<_> = ["runs.jsonl", "forward", "backward"]
        .map(|name| (left.join(name), std::fs::read(left.join(name)).unwrap_or_default()))
        .into();
    assert!(String::from_utf8_lossy(&kept[0].1).lines().count() > 1);
    let go_on = Conversion { resume: true, ..keep };
    let (mut detected, mut harmless) = (0, 0);
    let mut look = |damaged: usize, bytes: &[u8], what: &str| {
        std::fs::create_dir_all(&left).unwrap();
        for (at, (path, whole)) in kept.iter().enumerate() {
            std::fs::write(path, if at == damaged { bytes } else { whole }).unwrap();
        }
        match go_on.run(&text, &options, &out, &mut |_| true) {
            Err(_) => detected += 1,
            Ok(made) => {
                assert!(made.is_some() && std::fs::read(&out).unwrap() == expected, "{what}");
                harmless += 1;
            }
        }
    };
    for (damaged, (_, whole)) in kept.iter().enumerate() {
        // All of the list, and some places of what it lists.
        let step = if damaged == 0 { 1 } else { (whole.len() / 20).max(1) };
        for at in (0..whole.len()).step_by(step) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            look(damaged, &bytes, &format!("byte {at} of file {damaged}"));
            look(damaged, &whole[..at], &format!("a cut at {at} of file {damaged}"));
        }
    }
    eprintln!("{detected} detected, {harmless} redone");
    assert!(detected > 0 && harmless > 0);
}

#[test]
fn names_survive_where_the_format_has_room_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let network = words("a,b c\nb c,\u{e9}t\u{e9}\n", &ReadOptions::default());
    let path = |name: &str| folder.path().join(name);
    for name in ["x.egr", "x.txt", "x.csv.gz", "plain", "x.edges.zst"] {
        assert_eq!(write_network(&path(name), &network).unwrap().lost, None);
        assert_eq!(read_network(&path(name), &keep()).unwrap().0, network, "{name}");
    }
    assert_eq!(&std::fs::read(path("x.csv.gz")).unwrap()[..2], b"\x1f\x8b");
    assert_eq!(&std::fs::read(path("x.edges.zst")).unwrap()[..4], b"\x28\xb5\x2f\xfd");
    for (name, first, last) in [("x.mtx", 1, 3), ("x.npz", 0, 2)] {
        let lost = write_network(&path(name), &network).unwrap().lost.unwrap();
        assert!(
            lost.starts_with(&format!("nodes a to \u{e9}t\u{e9} are called {first} to {last}")),
            "{lost}"
        );
        assert!(same_matrix(&read_network(&path(name), &keep()).unwrap().0, &network));
    }
    // Matrix Market counts from 1, which such names already do.
    let network = words("1 2\n2 3\n", &ReadOptions::default());
    assert_eq!(write_network(&path("y.mtx"), &network).unwrap().lost, None);
    assert_eq!(read_network(&path("y.mtx"), &keep()).unwrap().0, network);
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
            assert!(same_matrix(&read_network(&path, &keep()).unwrap().0, &network), "{nodes} {name}");
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
        let (found, decisions) = read_network(&path, &keep()).unwrap();
        assert!(same_matrix(&found, &matrix(name.contains("directed"))), "{name}: {decisions}");
        files += 1;
    }
    assert_eq!(files, 12);
}

#[test]
fn malformed_files_have_the_expected_errors() {
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

#[test]
fn matrices_report_duplicates_and_zeros() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.mtx");
    let ignore = ReadOptions { weighted: Some(false), ..keep() };
    // The banner in any case, after a mark of UTF-8; symmetric as a pattern but not with its weights.
    let general =
        "\u{feff}%%matrixmarket MATRIX coordinate real general\n3 3 5\n1 2 1\n1 2 2\n2 1 4\n3 1 0\n3 3 1\n";
    std::fs::write(&path, general).unwrap();
    for (options, directed, fate) in [(keep(), true, "added up"), (ignore.clone(), false, "united")] {
        let (network, decisions) = read_network(&path, &options).unwrap();
        assert_eq!(
            (network.is_directed(), network.weight(0, 1)),
            (directed, if directed { 3.0 } else { 1.0 })
        );
        let told = decisions.to_string();
        assert!(
            told.ends_with(&format!("1 loop kept, 1 duplicate {fate}, 1 zero weight left out")),
            "{told}"
        );
    }
    let symmetric = "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n2 1 1\n2 1 2\n3 1 0\n3 3 1\n";
    std::fs::write(&path, symmetric).unwrap();
    for (options, fate) in [(keep(), "added up"), (ignore, "united")] {
        let told = read_network(&path, &options).unwrap().1.to_string();
        assert!(told.ends_with(&format!("1 duplicate {fate}, 1 zero weight left out")), "{told}");
    }
    std::fs::write(&path, "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1e308\n1 2 1e308\n")
        .unwrap();
    let message = read_network(&path, &keep()).unwrap_err().to_string();
    assert!(message.contains("from 1 to 2"), "{message}");
}

/// Blocks of text end anywhere; faults are reported as when the list is read whole.
#[test]
fn faults_in_later_blocks_are_reported_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let (text, out) = (folder.path().join("x.txt"), folder.path().join("x.egr"));
    for (fault, words) in
        [("1 x y z", "4 fields"), ("1 2 -3", "weight -3"), ("1 2 x", "weight `x`"), ("1 2 1", "")]
    {
        for comments in [0, 1, 3, 9] {
            for length in [10, 60_000, 65_535] {
                let comment = format!("%{}\n", "c".repeat(length - 1));
                let list = format!("{0}u v weight\n{0}1 2 3\n{0}{fault}\n", comment.repeat(comments));
                std::fs::write(&text, list).unwrap();
                let whole =
                    read_network(&text, &keep()).map(|(_, decisions)| decisions).map_err(|e| e.to_string());
                let parts =
                    convert_network(&text, &keep(), &out, 0, &mut |_| true).map_err(|e| e.to_string());
                assert_eq!(parts, whole.clone().map(Some));
                if let Err(message) = whole {
                    let line = 3 * comments + 3;
                    assert!(
                        message.contains(&format!("x.txt:{line}: ")) && message.contains(words),
                        "{message}"
                    );
                }
            }
        }
    }
    let list = format!("{}1 2\n# {}\n2 3\n", "#\n".repeat(100_000), "c".repeat(70_000));
    std::fs::write(&text, list).unwrap();
    let whole = read_network(&text, &keep()).unwrap_err().to_string();
    assert!(whole.contains("x.txt:100002: is longer than"), "{whole}");
    assert_eq!(convert_network(&text, &keep(), &out, 0, &mut |_| true).unwrap_err().to_string(), whole);
}

/// The peak memory of this process, in KiB; none where the system does not report it.
fn high_water() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?.parse().ok()
}

/// A million edges are converted in a process of its own, which the same test is run in once more.
#[test]
fn conversion_takes_bounded_memory() {
    const TASK: &str = "ERGODICT_TEST_MEMORY";
    if let Some(task) = std::env::var_os(TASK) {
        let folder = PathBuf::from(std::env::var_os("ERGODICT_TEST_FOLDER").unwrap());
        let text = folder.join("x.txt");
        if task == "whole" {
            drop(read_network(&text, &keep()).unwrap());
        } else {
            convert_network(&text, &keep(), &folder.join("x.egr"), 8 << 20, &mut |_| true).unwrap().unwrap();
        }
        std::fs::write(folder.join(task), high_water().unwrap_or(0).to_string()).unwrap();
        return;
    }
    if high_water().is_none() {
        eprintln!("SKIPPED: this system does not report the peak memory of a process");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut list = String::new();
    let mut state = 5_u64;
    for _ in 0..1_000_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let _ = writeln!(list, "{} {}", (state >> 33) % 50_000, (state >> 11) % 50_000);
    }
    std::fs::write(folder.path().join("x.txt"), &list).unwrap();
    drop(list);
    let kib = |task: &str| -> u64 {
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "network_formats::conversion_takes_bounded_memory", "--test-threads=1"])
            .envs([(TASK, task.as_ref()), ("ERGODICT_TEST_FOLDER", folder.path().as_os_str())])
            .stdout(std::process::Stdio::null())
            .status();
        assert!(status.unwrap().success());
        std::fs::read_to_string(folder.path().join(task)).unwrap().parse().unwrap()
    };
    let (parts, whole) = (kib("parts"), kib("whole"));
    assert!(parts < 40 << 10, "{parts} KiB with a budget of 8 MiB");
    assert!(whole > parts + (8 << 10), "{whole} KiB whole, {parts} KiB in parts");
}

#[test]
fn egr_files_keep_their_loops() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.egr");
    let network = words("a b 2\nb b 3\n", &keep());
    write_network(&path, &network).unwrap();
    for directed in [None, Some(true), Some(false)] {
        for weighted in [None, Some(false)] {
            let options = ReadOptions { directed, weighted, ..ReadOptions::default() };
            let (found, decisions) = read_network(&path, &options).unwrap();
            let weight = if weighted.is_none() { 3.0 } else { 1.0 };
            assert_eq!(
                (found.loops(), found.weight(1, 1), found.weight(1, 0)),
                (1, weight, if weight == 1.0 { 1.0 } else { 2.0 })
            );
            assert_eq!(found.is_directed(), directed == Some(true));
            assert!(decisions.to_string().contains("1 loop kept"), "{decisions}");
        }
    }
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
    let named = words("a,b c\nb c,\u{e9}t\u{e9}\n", &ReadOptions::default());
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
            match read_network(&path, &keep()) {
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

/// A list of runs whose digests are right but which no conversion of the input wrote: other nodes, another order, records that are cut.
#[test]
fn what_was_forged_in_a_folder_of_a_conversion_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (text, out) = (folder.path().join("x.txt"), folder.path().join("x.egr"));
    let list: Vec<String> = (0..9000_u64).map(|i| format!("{} {}", i * 7919 % 401, i * i % 389)).collect();
    std::fs::write(&text, list.join("\n")).unwrap();
    let (options, left) = (ReadOptions::default(), Conversion::folder(&out));
    let keep = Conversion { memory: 1 << 16, keep: true, resume: false };
    let mut steps = 0;
    let stopped = keep.run(&text, &options, &out, &mut |_| {
        steps += 1;
        steps < 3
    });
    assert!(stopped.unwrap().is_none());
    let runs = std::fs::read_to_string(left.join("runs.jsonl")).unwrap();
    let head = runs.lines().next().unwrap();
    let arcs = |keys: &[(u64, u64)]| -> Vec<u8> {
        keys.iter().flat_map(|(u, v)| (u << 32 | v).to_le_bytes()).collect()
    };
    let (unknown, far) = (arcs(&[(1, 500), (2, 500)]), arcs(&[(1, 2), (u64::from(u32::MAX), 70_000)]));
    let (unsorted, cut) = (arcs(&[(5, 2), (1, 2), (1, 3)]), arcs(&[(1, 2), (1, 3)])[..12].to_vec());
    for (bytes, edges) in [(unknown, 2), (far, 2), (unsorted, 3), (cut, 2), (arcs(&[(1, 2)]), 99_999)] {
        let digest = blake3::hash(&bytes).to_hex().to_string();
        let run = serde_json::json!({ "edges": edges, "end": bytes.len(), "digests": [digest, digest] });
        std::fs::create_dir_all(&left).unwrap();
        std::fs::write(left.join("runs.jsonl"), format!("{head}\n{}\n", seal_json(&run.to_string())))
            .unwrap();
        for name in ["forward", "backward"] {
            std::fs::write(left.join(name), &bytes).unwrap();
        }
        let made = Conversion { resume: true, ..keep }.run(&text, &options, &out, &mut |_| true);
        let message = made.unwrap_err().to_string();
        assert!(
            message.contains("x.egr.converting: has sorted edges that are not of this input"),
            "{message}"
        );
        assert!(!out.exists() && !left.exists());
    }
}
