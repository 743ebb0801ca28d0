//! Networks through files: what is written is read back, what is malformed is reported with its line, nothing panics.

use ergodict::Error;
use ergodict::data::{
    Build, EdgeList, Loops, Network, NodeIds, ReadDecisions, ReadOptions, Reason, Weights, parse_network,
    read_edge_list, read_network, write_edge_list,
};
use proptest::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};

fn parse(text: &str) -> (Network, ReadDecisions) {
    parse_network(text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn written(network: &Network) -> Vec<u8> {
    let mut text = Vec::new();
    write_edge_list(network, &mut text).unwrap();
    text
}

fn malformed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/malformed")
}

/// Every `x.txt` in the folder is refused with what is in `x.txt.message`.
#[test]
fn malformed_edge_lists_are_reported_with_their_line() {
    let mut tried = 0;
    for entry in std::fs::read_dir(malformed()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        let expected = std::fs::read_to_string(path.with_extension("txt.message")).unwrap();
        let error = read_network(&path, &ReadOptions::default()).map(|(_, decisions)| decisions.to_string());
        let message = error.unwrap_err().to_string();
        let told = message.strip_prefix(&path.display().to_string()).unwrap();
        assert_eq!(told, expected.trim_end(), "{}", path.display());
        tried += 1;
    }
    assert!(tried >= 30, "{tried} files");
}

/// Bytes of valid and malformed files are changed, removed and repeated; whatever comes out is a network or an error.
#[test]
fn flipped_bytes_never_panic() {
    let mut texts: Vec<Vec<u8>> = [
        "# undirected\n1 2\n2 3\n3 1\n",
        "source,target,weight\na,b,0.5\n\"b c\",d,2\n",
        "0 1 {'weight': 0.5}\n1 2 {'weight': 1, 'c': 'x'}\n",
        "\u{feff}-5;9223372036854775807;1e308\r\n7;8;1e308\r\n-5;9223372036854775807;1e308\r\n",
        "1\t2\n2\t3\n4294967295\t0\n00\t3\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    for entry in std::fs::read_dir(malformed()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        if bytes.len() < 1000 {
            texts.push(bytes);
        }
    }
    let mut state = 7u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let alphabet = b"\n\r \t,;\"'{}#%/-+.0123456789eaw\xff\xc3\x00:";
    for round in 0..6000 {
        let mut text = texts[round % texts.len()].clone();
        for _ in 0..=below(4) {
            let at = below(text.len() + 1);
            match below(4) {
                0 if at < text.len() => text[at] ^= 1 << below(8),
                1 if at < text.len() => drop(text.remove(at)),
                2 => text.extend_from_within(at..),
                _ => text.insert(at, alphabet[below(alphabet.len())]),
            }
        }
        let weighted = [None, Some(true), Some(false)][below(3)];
        let directed = [None, Some(true)][below(2)];
        let loops = [Loops::Drop, Loops::Keep][below(2)];
        match parse_network(&text, &ReadOptions { directed, weighted, loops, ..ReadOptions::default() }) {
            Ok((network, decisions)) => {
                assert!(network.each_edge().all(|(_, _, weight)| weight > 0.0 && weight.is_finite()));
                assert_eq!(decisions.to_string().lines().count(), 1);
            }
            Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        }
    }
}

/// A network of any kind without isolated nodes, with names out of `words` if there are any.
fn network(ids: &Names, edges: &[(usize, usize, f64)], directed: bool, weighted: bool) -> Network {
    // The public way to words is through text; the header must not be one of them.
    let mut text = String::from("source__\ttarget__\tweight\n");
    for &(u, v, weight) in edges {
        let name = |v: usize| match ids {
            Names::Integers(ids) => ids[v % ids.len()].to_string(),
            Names::Words(words) => format!("\"{}\"", words[v % words.len()].replace('"', "\"\"")),
        };
        text.push_str(&[name(u), name(v), weight.to_string()].join("\t"));
        text.push('\n');
    }
    let options = ReadOptions {
        directed: Some(directed),
        weighted: Some(weighted),
        loops: Loops::Keep,
        ..ReadOptions::default()
    };
    parse_network(text.as_bytes(), &options).unwrap().0
}

#[derive(Debug, Clone)]
enum Names {
    Integers(Vec<i64>),
    Words(Vec<String>),
}

fn names() -> impl Strategy<Value = Names> {
    let integer = prop_oneof![0i64..50, any::<i64>(), -5i64..5_000_000_000];
    let word = prop_oneof![
        "[ -~]{1,6}",
        "[a-c \t,;\"{}#%/é日']{1,5}",
        Just("source".to_owned()),
        Just("target".to_owned()),
        Just("source_".to_owned()),
        Just("weight".to_owned()),
        Just("1".to_owned()),
    ];
    prop_oneof![
        proptest::collection::vec(integer, 1..9).prop_map(Names::Integers),
        proptest::collection::vec(word, 1..9).prop_map(Names::Words),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        ids in names(),
        edges in proptest::collection::vec((0usize..9, 0usize..9, 1e-300f64..1e300), 1..40),
        directed: bool,
        weighted: bool,
    ) {
        let before = network(&ids, &edges, directed, weighted);
        let text = written(&before);
        // The direction is stated by the file.
        let options = ReadOptions { loops: Loops::Keep, ..ReadOptions::default() };
        let (after, decisions) = parse_network(&text, &options).unwrap();
        prop_assert!(before == after, "{}", String::from_utf8_lossy(&text));
        prop_assert_eq!(decisions.reason, Reason::Said);
        prop_assert_eq!(decisions.found.duplicates, 0);
    }
}

#[test]
fn compressed_files_and_plain_ones_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let text = (0..3000).map(|i| format!("{} {}", i % 97, i * i % 89)).collect::<Vec<_>>().join("\n");
    let plain = folder.path().join("plain");
    std::fs::write(&plain, &text).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    std::fs::write(folder.path().join("gzip"), gzip.finish().unwrap()).unwrap();
    std::fs::write(folder.path().join("zstd"), zstd::encode_all(text.as_bytes(), 1).unwrap()).unwrap();
    let (expected, _) = parse(&text);
    for name in ["plain", "gzip", "zstd"] {
        let (network, _) = read_network(&folder.path().join(name), &ReadOptions::default()).unwrap();
        assert!(network == expected, "{name}");
    }
    let list = read_edge_list(&plain).unwrap();
    assert_eq!((list.ends.len(), list.ids.len()), (3000, 97));
    assert!(matches!(
        read_network(&folder.path().join("none"), &ReadOptions::default()),
        Err(Error::Io { .. })
    ));
}

#[test]
fn what_was_decided_is_one_line() {
    for (text, options, expected) in [
        ("1 2\n", ReadOptions::default(), "edge list, undirected (assumed), without weights, integer ids"),
        (
            "a b 1\nb a 1\nb b 2\nb c 0\n",
            ReadOptions { directed: Some(true), loops: Loops::Keep, ..ReadOptions::default() },
            "edge list, directed (asked for), weights in the third column, words as ids; \
             1 loop kept, 1 zero weight left out",
        ),
        (
            "# Directed graph\n1 2 x\n1 2 y\n1 2 z\n",
            ReadOptions { weighted: Some(false), ..ReadOptions::default() },
            "edge list, directed (stated by the file), third column ignored, integer ids; 2 duplicates united",
        ),
        (
            "from to weight\n1 2 3\n2 1 4\n1 1 1\n3 3 1\n",
            ReadOptions::default(),
            "edge list, undirected (assumed), weights in the third column, integer ids; \
             header on line 1 skipped, 2 loops dropped, 1 duplicate added up",
        ),
        (
            "source,target,year\na,b,1999\n",
            ReadOptions::default(),
            "edge list, undirected (assumed), without weights, words as ids; \
             header on line 1 skipped, column `year` ignored",
        ),
    ] {
        let (_, decisions) = parse_network(text.as_bytes(), &options).unwrap();
        assert_eq!(decisions.to_string(), expected);
    }
    let wanted = ReadOptions { weighted: Some(true), ..ReadOptions::default() };
    let message = parse_network(b"1 2\n", &wanted).unwrap_err().to_string();
    assert_eq!(message, "edge list: has no weights, which are wanted: expected a third field on every line");
    let message = parse_network(b"source target year\n1 2 1999\n", &wanted).unwrap_err().to_string();
    assert_eq!(
        message,
        "edge list: has no weights, which are wanted: expected a column called weight, not `year`"
    );
}

#[test]
fn ignored_weights_do_not_drop_edges_but_loops_bring_nodes() {
    let options = ReadOptions { weighted: Some(false), ..ReadOptions::default() };
    let (network, decisions) = parse_network(b"1 2 0\n2 3 -5\n4 4 1\n", &options).unwrap();
    assert_eq!((network.nodes(), network.edges(), network.isolated()), (4, 2, 1));
    assert_eq!((decisions.weights, decisions.found.zeros), (Weights::Ignored, 0));
}

#[test]
fn isolated_nodes_are_counted_before_they_are_lost() {
    let network = Network::simple(5, &[(0, 1), (1, 3)]).unwrap();
    assert_eq!(network.isolated(), 2);
    assert_eq!(parse_network(&written(&network), &ReadOptions::default()).unwrap().0.nodes(), 3);
    let list = EdgeList { ids: NodeIds::numbered(3), ends: vec![(0, 1)], weights: None, directed: None };
    let build = Build { directed: true, loops: Loops::Drop };
    assert_eq!(Network::from_list(list, build).unwrap().0.isolated(), 1);
}

/// The networks of the benchmarks have the sizes that their page says.
#[test]
fn the_public_networks_are_read() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("ERGODICT_DATA").map_or(beside, PathBuf::from);
    for (name, nodes, edges) in [("facebook.txt.gz", 4039, 88_234), ("fb100_Caltech36.txt.gz", 769, 16_656)] {
        let path = folder.join(name);
        if !path.exists() {
            assert!(std::env::var_os("CI").is_none(), "{} is missing", path.display());
            eprintln!("SKIPPED: {} is missing", path.display());
            continue;
        }
        let (network, decisions) = read_network(&path, &ReadOptions::default()).unwrap();
        assert_eq!((network.nodes(), network.edges()), (nodes, edges), "{name}: {decisions}");
    }
}
