//! `ergodict network fetch`, from a server on this machine.

use crate::bench::{Bench, Done};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// Serves files by their paths until the process ends; one that is none is promised and never comes. Paths of requests are recorded.
fn serve(files: Vec<(String, Option<Vec<u8>>)>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let files: HashMap<String, Option<Vec<u8>>> = files.into_iter().collect();
    let (told, requests) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (files, told) = (files.clone(), told.clone());
            // A client that waits for a file that never comes does not block others.
            std::thread::spawn(move || {
                let mut stream = stream.unwrap();
                let lines = BufReader::new(&stream).lines().map_while(Result::ok);
                let request: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
                let path = request[0].split(' ').nth(1).unwrap().to_owned();
                let head = |length: usize| format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
                let answer = match files.get(&path) {
                    Some(Some(file)) => [head(file.len()).into_bytes(), file.clone()].concat(),
                    Some(None) => [head(1 << 20).into_bytes(), vec![b'1'; 1000]].concat(),
                    None => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
                };
                stream.write_all(&answer).unwrap();
                told.send(path.clone()).ok();
                if files.get(&path).is_some_and(Option::is_none) {
                    std::thread::sleep(Duration::from_secs(50));
                }
            });
        }
    });
    (address, requests)
}

/// An address without a listener: it was free a moment ago.
fn closed() -> String {
    format!("http://{}", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap())
}

fn refused(bench: &Bench, words: &str) -> String {
    let done = bench.run(words);
    assert_eq!((done.code, done.stderr.lines().count()), (Some(2), 1), "{words}: {}", done.stderr);
    done.stderr
}

fn text(done: Done) -> String {
    String::from_utf8(done.fine().stdout).unwrap()
}

#[test]
fn another_network_is_refused_with_both_values_unless_it_is_wanted() {
    let bench = Bench::new();
    let (server, _) = serve(vec![("/x".into(), Some(b"30 20\n20 10\n".to_vec()))]);
    bench.put("facebook.txt.gz", "old");
    let said = refused(&bench, &format!("network fetch facebook --from {server}/x --keep"));
    for words in ["it has 3 nodes, 2 edges", "4039 nodes, 88234 edges", "f41c026e", "--unchecked"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(
        (bench.files(), bench.bytes("facebook.txt.gz")),
        (vec!["facebook.txt.gz".to_owned()], b"old".to_vec())
    );
    let unchecked = format!("network fetch facebook --from {server}/x --unchecked");
    let done = bench.run(&format!("{unchecked} --keep -o net.txt")).fine();
    assert!(done.stderr.contains("warning") && done.stderr.contains("4039 nodes"), "{}", done.stderr);
    assert_eq!(bench.bytes("net.txt"), b"0 1\n1 2\n");
    assert_eq!(bench.bytes("facebook_combined.txt.gz"), b"30 20\n20 10\n");
    // Standard output, a folder, another format.
    assert_eq!(text(bench.run(&format!("{unchecked} -o - -q"))), "0 1\n1 2\n");
    std::fs::create_dir(bench.path("nets")).unwrap();
    bench.run(&format!("{unchecked} -o nets -q")).fine();
    bench.run(&format!("{unchecked} -o net.egr -q")).fine();
    for net in ["nets/facebook.txt.gz", "net.egr"] {
        let info = bench.run(&format!("network info {net} --json -q")).fine().json();
        assert_eq!((&info["summary"]["nodes"], &info["summary"]["edges"]), (&3.into(), &2.into()));
    }
    let summary = bench.run(&format!("{unchecked} -o net.txt --json -q")).fine().json();
    let one = &summary["networks"][0];
    assert_eq!((&one["as_known"], &one["bytes"], &one["nodes"]), (&false.into(), &12.into(), &3.into()));
}

#[test]
fn without_a_network_errors_say_what_to_do() {
    let bench = Bench::new();
    let closed = closed();
    let said = refused(&bench, &format!("network fetch arxiv --from {closed}/x -o it's.egr"));
    for words in [
        "the connection was refused",
        "by hand: download https://snap.stanford.edu/data/ca-AstroPh.txt.gz (elsewhere, if",
        r"run `ergodict network fetch arxiv --from ca-AstroPh.txt.gz -o 'it'\''s.egr'`",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let said = refused(&bench, &format!("network fetch --from {closed}"));
    assert!(
        said.contains("/facebook_combined.txt.gz: ")
            && said.contains("run `ergodict network fetch all --from .`"),
        "{said}"
    );
    assert!(said.contains("ca-AstroPh.txt.gz and ") && said.contains("PP-Pathways_ppi.csv.gz"), "{said}");
    assert!(bench.files().is_empty());
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_asked_for() {
    let bench = Bench::new();
    bench.put("x.txt", "1 2\n");
    for (words, expected) in [
        ("facebok", "there are facebook, arxiv, ppi_pathways, enron, twitter; did you mean 'facebook'?"),
        ("all --from x.txt", "expected the folder that has facebook_combined.txt.gz, ca-AstroPh.txt.gz, PP-"),
        ("all -o x.txt", "x.txt is a file: expected a folder"),
        ("enron -o email-Enron.txt.gz --keep", "are the same file"),
        ("enron --from x.txt -o x.txt", "are the same file, which would be overwritten"),
        ("enron -o net.egr.gz", "cannot be mapped"),
        ("enron -o no/net.txt", "the directory `no` does not exist"),
        ("enron --from no.gz", "no.gz: file not found"),
        ("enron --from ftp://127.0.0.1/x", "expected http://, https:// or a file"),
    ] {
        let said = refused(&bench, &format!("network fetch {words}"));
        assert!(said.contains(expected), "{words}: {said}");
    }
    assert_eq!(bench.files(), ["x.txt"]);
}

#[cfg(unix)]
#[test]
fn what_was_interrupted_leaves_nothing() {
    use std::process::{Command, Stdio};
    let bench = Bench::new();
    std::fs::create_dir(bench.path("tmp")).unwrap();
    let (server, requests) = serve(vec![("/x".into(), None)]);
    for keep in ["", "--keep"] {
        let mut command = bench.command(&format!("network fetch facebook --from {server}/x {keep}"));
        let child = command.env("TMPDIR", bench.path("tmp")).stderr(Stdio::piped()).spawn().unwrap();
        requests.recv_timeout(Duration::from_secs(60)).unwrap();
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(bench.files(), ["tmp"]);
        assert!(std::fs::read_dir(bench.path("tmp")).unwrap().next().is_none());
    }
}

/// Our copies of the networks, said loudly where they are not there.
fn copies() -> Option<PathBuf> {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = std::env::var_os("ERGODICT_DATA").map_or(beside, PathBuf::from);
    let there = folder.join("facebook.txt.gz").is_file();
    if !there {
        eprintln!("SKIPPED: {} has no networks; set ERGODICT_DATA", folder.display());
    }
    there.then_some(folder)
}

#[test]
fn the_networks_of_the_paper_are_known_again() {
    let Some(copies) = copies() else { return };
    let bench = Bench::new();
    let named = [
        ("facebook", "facebook_combined.txt.gz"),
        ("arxiv", "ca-AstroPh.txt.gz"),
        ("ppi_pathways", "PP-Pathways_ppi.csv.gz"),
    ];
    let copy = |name: &str| std::fs::read(copies.join(format!("{name}.txt.gz"))).unwrap();
    let files = named.iter().map(|(name, file)| (format!("/data/{file}"), Some(copy(name))));
    let (server, requests) = serve(files.collect());
    let done = bench.run(&format!("network fetch --from {server}/data/ -o nets --json")).fine();
    let summary = done.json();
    for ((name, _), one) in named.iter().zip(summary["networks"].as_array().unwrap()) {
        assert_eq!((&one["name"], &one["as_known"]), (&(*name).into(), &true.into()), "{one}");
        // By rank of ranks the list is the same, byte for byte.
        let unpacked = |bytes: &[u8]| {
            let mut text = Vec::new();
            flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut text).unwrap();
            text
        };
        assert!(unpacked(&bench.bytes(&format!("nets/{name}.txt.gz"))) == unpacked(&copy(name)), "{name}");
    }
    assert_eq!(requests.try_iter().count(), 3);
    // What is there is not asked for again, although the publisher is out of reach.
    let again = bench.run("network fetch facebook -o nets").fine();
    assert!(again.stderr.contains("has the network facebook already"), "{}", again.stderr);
    // The advice for those without a network is good.
    let said = refused(&bench, &format!("network fetch facebook --from {}/x -o here.txt", closed()));
    std::fs::copy(copies.join("facebook.txt.gz"), bench.path("facebook_combined.txt.gz")).unwrap();
    let advice = said.split('`').nth(1).unwrap().strip_prefix("ergodict ").unwrap();
    assert!(bench.run(advice).fine().stderr.contains("as it should"));
    assert_eq!(bench.bytes("here.txt").len(), 854_362);
}

/// Sends a byte now and then, without end.
fn trickle() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        let lines = BufReader::new(&stream).lines().map_while(Result::ok);
        assert!(lines.take_while(|line| !line.is_empty()).count() > 0);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n").unwrap();
        while stream.write_all(b"1").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    address
}

#[cfg(debug_assertions)] // only then tests can set how long to wait
#[test]
fn a_server_that_hardly_sends_anything_is_given_up() {
    let bench = Bench::new();
    let mut command = bench.command(&format!("network fetch facebook --from {}/x -o net.txt", trickle()));
    let done: Done = command.env("ERGODICT_RATED_MILLISECONDS", "500").output().unwrap().into();
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(done.stderr.contains("sends less than 100 bytes a second"), "{}", done.stderr);
    assert_eq!(bench.files(), [""; 0]);
}
