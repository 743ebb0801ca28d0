//! Originals of our own, fetched from a server on this machine.

use super::content::{Content, write_list};
use super::server::{Answer, Server};
use super::{Fetch, Fetched, Fetching, Original, Part, original, originals};
use crate::data::{Network, embedded, read_network};
use crate::{Error, Result};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// The karate club as a publisher might have it: ids with gaps, comments, carriage returns, each edge in both directions, the last first, loops,
/// and a node with nothing but a loop.
fn published(network: &Network) -> Vec<u8> {
    let id = |v: u32| 7 * v + 3 + v * v;
    let mut text =
        "# Directed graph (each unordered pair of nodes is saved once)\r\n# FromNodeId\tToNodeId\r\n"
            .to_owned();
    let edges: Vec<_> = network.each_edge().collect();
    for (u, v, _) in edges.iter().rev() {
        write!(text, "{}\t{}\r\n{}\t{}\r\n", id(*v), id(*u), id(*u), id(*v)).unwrap();
    }
    write!(text, "{}\t{}\r\n5\t5\r\n", id(0), id(0)).unwrap();
    text.into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn list(network: &Network) -> Vec<u8> {
    let mut list = Vec::new();
    write_list(network, &mut list).unwrap();
    list
}

fn karate() -> Network {
    embedded("@karate").unwrap()
}

fn known(url: String, network: &Network) -> Original {
    Original {
        name: Cow::Borrowed("club"),
        description: "",
        citation: "",
        page: Cow::Borrowed("http://club.example/page"),
        url: Cow::Owned(url),
        bytes: None,
        sha256: None,
        part: Part::Whole,
        content: Content::from_network(&Network::simple(network.nodes(), &pairs(network)).unwrap()),
        of_the_paper: false,
    }
}

fn pairs(network: &Network) -> Vec<(u32, u32)> {
    network.each_edge().map(|(u, v, _)| (u, v)).collect()
}

/// Little patience, which is still much for a server on this machine.
fn fetch() -> Fetch {
    Fetch { patience: Duration::from_millis(400), ..Fetch::default() }
}

fn run(fetch: &Fetch, original: &Original) -> Result<Fetched> {
    fetch.run(original, &mut |_| true)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn the_catalog_is_sound() {
    assert!(
        originals()[..3].iter().all(|one| one.of_the_paper)
            && !originals()[3..].iter().any(|one| one.of_the_paper)
    );
    for one in originals() {
        assert_eq!(original(&one.name).unwrap(), one);
        assert!(
            one.url.starts_with("https://") && one.url.ends_with(&format!("/{}", one.file_name())),
            "{}",
            one.url
        );
        for digest in one.sha256.iter().chain([&one.content.sha256]) {
            assert!(
                digest.len() == 64
                    && digest.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
            );
        }
    }
    let message = original("facebok").unwrap_err().to_string();
    assert!(message.contains("there are facebook, arxiv, ppi_pathways, enron, twitter"), "{message}");
}

#[test]
fn an_original_becomes_the_canonical_list() {
    let karate = karate();
    let body = gzip(&published(&karate));
    let server = Server::new(&[("/data/club.txt.gz", Answer::File(body.clone()))]);
    let mut club = known(server.at("/data/club.txt.gz"), &karate);
    club.bytes = Some(body.len() as u64);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("club.txt.gz");
    let (network, fetched) = fetch().write(&club, &out, &mut |_| true).unwrap();
    let fetched = fetched.unwrap();
    assert_eq!((network.nodes(), network.edges()), (34, 78));
    assert_eq!((fetched.bytes, fetched.as_known, fetched.note), (body.len() as u64, true, None));
    // By numbers of its own, the list of edges is the one of the embedded network, in the same order.
    let mut text = String::new();
    std::io::Read::read_to_string(&mut crate::data::open(&out).unwrap(), &mut text).unwrap();
    let expected: Vec<String> = pairs(&karate).iter().map(|(u, v)| format!("{u} {v}")).collect();
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    let asked = server.requests.recv().unwrap();
    assert!(
        asked.to_lowercase().contains(concat!("user-agent: ergodict/", env!("CARGO_PKG_VERSION"))),
        "{asked}"
    );
    // Nothing else is left, and what is there is not fetched again.
    assert_eq!(names(folder.path()), ["club.txt.gz"]);
    assert!(fetch().write(&club, &out, &mut |_| true).unwrap().1.is_none());
    assert!(server.requests.try_recv().is_err());
    // A file with another network is no such thing.
    std::fs::write(&out, "0 1\n").unwrap();
    assert!(fetch().write(&club, &out, &mut |_| true).unwrap().1.is_some());
    // Other formats are known again too.
    for name in ["club.egr", "club.mtx", "club.npz", "club.txt"] {
        let out = folder.path().join(name);
        assert!(fetch().write(&club, &out, &mut |_| true).unwrap().1.is_some());
        assert!(fetch().write(&club, &out, &mut |_| true).unwrap().1.is_none(), "{name}");
        assert_eq!(read_network(&out, &crate::data::ReadOptions::default()).unwrap().0.edges(), 78);
    }
}

#[test]
fn the_largest_component_is_taken_where_that_is_the_network() {
    // Nodes 0 to 3 are a path, 4 and 5 an edge.
    let (all, path) =
        (Network::simple(6, &[(0, 1), (1, 2), (2, 3), (4, 5)]).unwrap(), [(0, 1), (1, 2), (2, 3)]);
    let server = Server::new(&[("/x", Answer::File(list(&all)))]);
    let mut original = known(server.at("/x"), &Network::simple(4, &path).unwrap());
    assert!(matches!(run(&fetch(), &original), Err(Error::NotAsKnown { .. })));
    original.part = Part::LargestComponent;
    assert_eq!(run(&fetch(), &original).unwrap().network.nodes(), 4);
}

#[test]
fn redirects_are_followed_and_lengths_are_optional() {
    let karate = karate();
    let plain = published(&karate);
    let server = Server::new(&[
        ("/old", Answer::Moved("/new".into())),
        ("/new", Answer::WithoutLength(plain.clone())),
        ("/round", Answer::Moved("/round".into())),
    ]);
    let fetched = run(&fetch(), &known(server.at("/old"), &karate)).unwrap();
    assert_eq!((fetched.bytes, fetched.from), (plain.len() as u64, server.at("/old")));
    let message = run(&fetch(), &known(server.at("/round"), &karate)).unwrap_err().to_string();
    assert!(message.contains("from address to address"), "{message}");
}

#[test]
fn what_goes_wrong_is_said_and_leaves_nothing() {
    let karate = karate();
    let body = gzip(&published(&karate));
    let html = b"<!doctype html><title>Please log in</title>".to_vec();
    let server = Server::new(&[
        ("/cut", Answer::Cut(body.clone(), 300)),
        ("/stalled", Answer::Stalled(body.clone(), 300)),
        ("/silent", Answer::Silent),
        // Truncated before: the stated length is that of the part.
        ("/part", Answer::File(body[..300].to_vec())),
        ("/html", Answer::File(html)),
        ("/other", Answer::File(b"0 1\n1 2\n".to_vec())),
    ]);
    // A port that was free a moment ago.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (length, sum) = (body.len(), known(String::new(), &karate).content.sha256);
    let cases = [
        (server.at("/cut"), format!("the connection broke after 300 of {length} bytes")),
        (server.at("/stalled"), format!("the server has stopped answering after 300 of {length} bytes")),
        (server.at("/silent"), "the server has stopped answering".into()),
        (server.at("/part"), "incomplete deflate stream".into()),
        (server.at("/html"), "is a web page (HTML)".into()),
        (server.at("/none"), "has no such file (status 404)".into()),
        (server.at("/other"), "it has 3 nodes, 2 edges and the SHA-256 ".into()),
        (server.at("/other"), format!("34 nodes, 78 edges and the SHA-256 {sum} are expected")),
        (format!("http://{gone}/x"), "the connection was refused".into()),
        ("ftp://127.0.0.1/x".into(), "expected http://, https:// or a file".into()),
        ("http://".into(), "expected http://… or https://…".into()),
    ];
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("club.txt");
    std::fs::write(&out, "old").unwrap();
    for (url, expected) in cases {
        let fetch = Fetch { keep: Some(folder.path().to_owned()), ..fetch() };
        let error = fetch.write(&known(url.clone(), &karate), &out, &mut |_| true).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(&expected), "{url}: {message}");
        assert!(message.starts_with(&url) && !message.contains(".partial"), "{message}");
        assert_eq!(
            (names(folder.path()), std::fs::read(&out).unwrap()),
            (vec!["club.txt".into()], b"old".to_vec())
        );
    }
}

#[test]
fn another_network_is_taken_only_unchecked() {
    let server = Server::new(&[("/x", Answer::File(b"5 6\n6 9\n".to_vec()))]);
    let original = known(server.at("/x"), &karate());
    let fetched = run(&Fetch { unchecked: true, ..fetch() }, &original).unwrap();
    assert_eq!((list(&fetched.network), fetched.as_known), (b"0 1\n1 2\n".to_vec(), false));
}

#[test]
fn the_same_network_in_another_file_is_noted() {
    let karate = karate();
    let server = Server::new(&[("/x", Answer::File(list(&karate)))]);
    let mut original = known(server.at("/x"), &karate);
    original.bytes = Some(7);
    let note = run(&fetch(), &original).unwrap().note.unwrap();
    assert!(note.contains("bytes, not 7"), "{note}");
    (original.bytes, original.sha256) = (None, Some("0".repeat(64).into()));
    let note = run(&fetch(), &original).unwrap().note.unwrap();
    assert!(note.contains("not 0000"), "{note}");
    // A mirror's file may be any.
    let mirrored = Fetch { from: Some(server.at("/x")), ..fetch() };
    assert_eq!(run(&mirrored, &original).unwrap().note, None);
}

#[test]
fn a_file_that_was_brought_by_hand_is_taken_and_stays() {
    let karate = karate();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("club.txt.gz");
    std::fs::write(&file, gzip(&published(&karate))).unwrap();
    let original = known("http://no.such.host.invalid/club.txt.gz".into(), &karate);
    // The file, or the folder that has it.
    for from in [&file, folder.path()] {
        let by_hand = Fetch { from: Some(from.display().to_string()), ..fetch() };
        let fetched = run(&by_hand, &original).unwrap();
        assert_eq!((fetched.network.edges(), Path::new(&fetched.from)), (78, &*file));
    }
    assert_eq!(names(folder.path()), ["club.txt.gz"]);
    let none = Fetch { from: Some(folder.path().join("no.gz").display().to_string()), ..fetch() };
    assert!(matches!(run(&none, &original), Err(Error::Io { .. })));
}

#[test]
fn the_original_is_kept_where_that_is_asked_for() {
    let karate = karate();
    let body = gzip(&published(&karate));
    let server = Server::new(&[("/club.txt.gz", Answer::File(body.clone()))]);
    let folder = tempfile::tempdir().unwrap();
    let fetch = Fetch { keep: Some(folder.path().to_owned()), ..fetch() };
    let (club, out) = (known(server.at("/club.txt.gz"), &karate), folder.path().join("net.txt"));
    // The network is there, but not the original; then both are.
    std::fs::write(&out, list(&karate)).unwrap();
    assert!(fetch.write(&club, &out, &mut |_| true).unwrap().1.is_some());
    assert!(fetch.write(&club, &out, &mut |_| true).unwrap().1.is_none());
    assert_eq!(names(folder.path()), ["club.txt.gz", "net.txt"]);
    assert_eq!(std::fs::read(folder.path().join("club.txt.gz")).unwrap(), body);
}

#[test]
fn who_asks_to_stop_is_heard_at_once() {
    let body = gzip(&published(&karate()));
    let length = body.len() as u64;
    let server = Server::new(&[("/stalled", Answer::Stalled(body, 300)), ("/silent", Answer::Silent)]);
    let patient = Fetch { patience: Duration::from_secs(20), ..Fetch::default() };
    let (started, mut last) = (Instant::now(), None);
    let stopped = patient.run(&known(server.at("/stalled"), &karate()), &mut |now| {
        last = Some(now);
        now.bytes < 300
    });
    assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
    assert_eq!(last, Some(Fetching { bytes: 300, total: Some(length) }));
    let stopped = patient.run(&known(server.at("/silent"), &karate()), &mut |_| false);
    assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
    assert!(started.elapsed() < patient.patience);
}
