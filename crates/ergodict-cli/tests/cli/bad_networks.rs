//! Bad networks, motifs and flags: one line that says what, where, and what would be right; exit code 2; nothing written.

use crate::bench::Bench;

/// Runs what must be refused.
pub(crate) fn refused(bench: &Bench, words: &str, said: &[&str]) {
    let before = bench.files();
    let done = bench.run(words);
    assert_eq!(done.code, Some(2), "{words}: {}", done.stderr);
    assert_eq!(done.stderr.lines().count(), 1, "{words}: {}", done.stderr);
    let error = done.stderr.trim_end();
    assert!(error.starts_with("ergodict: error: "), "{words}: {}", done.stderr);
    for part in said {
        assert!(error.contains(part), "{words}: `{part}` is not in {error}");
    }
    assert!(done.stdout.is_empty(), "{words}");
    assert_eq!(bench.files(), before, "{words}");
}

#[test]
fn files_that_are_no_network() {
    let bench = Bench::new();
    bench.put("empty.txt", "");
    bench.put("comments.txt", "# nothing\n% at all\n");
    bench.put("one.txt", "a b\nc\n");
    bench.put("weights.txt", "1 2 0.5\n2 3 -1\n");
    bench.put("nan.txt", "1 2 0.5\n2 3 nan\n");
    bench.put("wide.txt", "1 2 3 4\n2 3 4 5\n");
    bench.put("bytes.txt", [b'1', b' ', b'2', b'\n', 0xff, 0xfe, b' ', b'3', b'\n']);
    bench.put("bad.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 1\n1 2 0.5\n");
    bench.put("bad.egr", "EGR1 but not really");
    bench.put("net.graphml", "<?xml version='1.0' encoding='utf-8'?>\n<graphml></graphml>\n");
    bench.put("net.json", "{\"nodes\": []}\n");
    bench.put("net.gml", "graph [\n  node [\n");
    bench.put("net.net", "*Vertices x\n");
    bench.put("net.dot", "graph {\n a -> b }\n");
    bench.put("table.csv", "p,q,r\n1,2,3\n");
    for (file, said) in [
        ("empty.txt", &["empty.txt", "expected"][..]),
        ("comments.txt", &["comments.txt"]),
        ("one.txt", &["one.txt:2"]),
        ("weights.txt", &["weights.txt:2", "-1"]),
        ("nan.txt", &["nan.txt:2", "nan"]),
        ("wide.txt", &["wide.txt:1"]),
        ("bytes.txt", &["bytes.txt:2", "UTF-8"]),
        ("bad.mtx", &["bad.mtx", "square"]),
        ("bad.egr", &["bad.egr"]),
        ("net.graphml", &["net.graphml", "GraphML without a graph"]),
        ("net.json", &["net.json", "expected `nodes` with `links`"]),
        ("net.gml", &["net.gml:3", "cut off"]),
        ("net.net", &["net.net:1", "*Vertices 5"]),
        ("net.dot", &["net.dot:2", "expected -- in a graph"]),
        ("table.csv", &["table.csv:1", "`p`, `q`, `r`"]),
        ("missing.txt", &["missing.txt", "file not found", "@karate"]),
        ("@nowhere", &["nowhere", "karate"]),
    ] {
        refused(&bench, &format!("network info {file} -q"), said);
        refused(&bench, &format!("network sample {file} -k 3 -o x.tsv -q"), said);
        refused(&bench, &format!("network convert {file} -o x.egr -q"), said);
        refused(&bench, &format!("network corrupt {file} --add 0.5 -o x.txt -q"), said);
    }
    bench.put("plain.txt", "1 2\n2 3\n");
    refused(&bench, "network info plain.txt --weighted -q", &["plain.txt", "weight"]);
}

#[test]
fn motifs_without_homomorphisms() {
    let bench = Bench::new();
    bench.put("loops.txt", "1 1\n2 2\n");
    bench.put("path.txt", "1 2\n2 3\n3 4\n");
    bench.put("arcs.txt", "1 2\n3 2\n");
    for (words, said) in [
        ("sample loops.txt -k 3", &["the network has none"][..]),
        ("sample path.txt --motif complete -k 3", &["the network has none"]),
        ("sample path.txt --motif cycle -k 5", &["the network has none", "bipartite"]),
        ("sample arcs.txt --directed -k 3", &["the network has none"]),
        ("sample arcs.txt --directed -k 2 --sampler pivot", &["exact"]),
        ("sample path.txt --motif cycle -k 4 --sampler pivot", &["tree"]),
        ("sample path.txt -k 30 --sampler rejection", &["exact"]),
        ("sample path.txt -k 5 --injective", &["4"]),
    ] {
        refused(&bench, &format!("network {words} -q"), said);
    }
    // With loops kept, everything can be laid on a loop.
    bench.run("network sample loops.txt --loops -k 30 --count 10 -q").fine();
    // More nodes than the network has are no obstacle.
    bench.run("network sample path.txt -k 30 --count 10 -q").fine();
    for k in [1, 2] {
        bench.run(&format!("network sample path.txt -k {k} --count 10 -q")).fine();
    }
}

#[test]
fn flags_out_of_range() {
    let bench = Bench::new();
    bench.put("claw.txt", "c a\nc b\nc d\n");
    bench.put("apart.txt", "a b\nc d\n");
    for (words, said) in [
        ("sample @karate -k 0", &["k is 0"][..]),
        ("sample @karate -k 100000", &["4096"]),
        ("sample @karate --motif cycle -k 2", &["3"]),
        ("sample @karate --motif nothing.txt", &["--motif", "path, star, cycle, complete"]),
        ("sample @karate --motif apart.txt", &["connected"]),
        ("sample @karate --motif claw.txt -k 5", &["-k is 5", "4 nodes"]),
        ("sample @karate --count 0", &["--count"]),
        ("sample @karate --count 2 --chains 3", &["--chains"]),
        ("sample @karate --chains 0", &["--chains"]),
        ("sample @karate --every 0", &["--every"]),
        ("sample @karate --sampler best", &["exact", "glauber"]),
        ("sample @karate --observables size", &["size"]),
        ("sample @karate -k 3 --observables conditional-density --conditional claw.txt", &["3"]),
        ("sample @karate --patches p.csv", &[".npy"]),
        ("sample @karate -o x.tsv.gz", &[".gz"]),
        ("sample @karate -o x.parquet", &[".parquet"]),
        ("sample @karate --motif complete -k 4 --observables conditional-density", &["--conditional"]),
        ("info @karate --weighted --unweighted", &["--unweighted"]),
        ("sample @karate --sampler pivot-approx --observables macc", &["pivot-approx", "exact"]),
        (
            "sample @karate -k 4 --observables conditional-density --conditional claw.txt -o claw.txt",
            &["same file"],
        ),
        ("corrupt @karate --remove 0.1 --add-model ws -o x.txt", &["--add-model"]),
        ("sample @karate -o x --patches x.npy --report x", &["same file"]),
        ("sample @karate -o no/such/folder/x.tsv", &["no/such/folder"]),
        ("sample @karate --directed", &["--directed"]),
        ("corrupt @karate -o x.txt", &["--add", "--remove"]),
        ("corrupt @karate --add -0.5 -o x.txt", &["-0.5"]),
        ("corrupt @karate --add 100 -o x.txt", &["pairs without an edge", "6.19"]),
        ("corrupt @karate --remove 0.9 -o x.txt", &["0.57"]),
        ("generate er --nodes 10 --probability 2 -o x.txt", &["2"]),
        ("generate er --nodes 10 --edges 100 -o x.txt", &["45"]),
        ("generate er --nodes 10 -o x.txt", &["--probability"]),
        ("generate ba --nodes 3 --joins 3 -o x.txt", &["3"]),
        ("generate ws --nodes 10 --neighbors 3 --rewired 0.1 -o x.txt", &["even"]),
        ("generate sbm --sizes 3,4 --matrix 0.1,0.2 -o x.txt", &["2"]),
        ("generate configuration --degrees 3,2,1 -o x.txt", &["at most 2 others"]),
        ("generate configuration --degrees 1,2,2 -o x.txt", &["even"]),
        ("generate configuration -o x.txt", &["--degrees", "--like"]),
        ("generate sbm --sizes 3,4 -o x.txt", &["--within", "--matrix"]),
        ("generate rmat --scale 40 -o x.txt", &["40"]),
        ("generate rewired none.txt -o x.txt", &["none.txt"]),
        ("generate rewired @karate --proposals 0 -o x.txt", &["@karate", "at least 1"]),
        ("generate rewired @karate --proposals -1 -o x.txt", &["--proposals", "-1"]),
        ("generate rewired @karate --directed -o x.txt", &["@karate"]),
        ("generate rewired -o x.txt", &["NET"]),
        ("generate rmat --scale 4 --quadrants 1,2 -o x.txt", &["four"]),
        ("convert @karate -o x.egr.gz", &["x.egr.gz"]),
    ] {
        refused(&bench, &format!("network {words} -q"), said);
    }
}

#[test]
fn the_input_is_never_overwritten() {
    let bench = Bench::new();
    bench.put("net.txt", "1 2\n2 3\n");
    for words in [
        "convert net.txt -o ./net.txt",
        "corrupt net.txt --add 1 -o net.txt",
        "sample net.txt -k 2 -o net.txt",
    ] {
        refused(&bench, &format!("network {words}"), &["same file"]);
    }
    assert_eq!(bench.bytes("net.txt"), b"1 2\n2 3\n");
}
