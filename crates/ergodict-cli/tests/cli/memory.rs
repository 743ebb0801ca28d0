//! Requests that no memory holds are refused before they start, with the figure and the way out; usual ones are not.

use crate::bench::{Bench, numbers};

fn bench() -> Bench {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(6, 50));
    bench.put_image("gray.png", (24, 30), 1, crate::image::stripes);
    bench
}

#[test]
fn hopeless_requests_are_refused_with_a_way_out() {
    let bench = bench();
    let before = bench.files();
    for (words, way_out) in [
        ("factor x.npy -r 1000000 -o m", "lower -r"),
        ("image learn gray.png -r 1000000 --patch 20 -o m", "lower -r"),
        ("image learn gray.png -r 10 --patch 20 --patches 100000000000 -o m", "--patches"),
        ("spins simulate --size 46340 --chains 2000 -o t.npy", "lower --size"),
        ("spins simulate --size 16 --updates 1e15 --every 1 -o t.npy", "raise --every"),
        ("spins learn --size 100 --patch 90 -r 1000000 -o m", "lower --size, -r"),
        ("network learn @karate -k 30 -r 1000000 -o m", "lower -k, -r"),
        ("network learn @karate -k 9 -r 9 --batch 100000000000 -o m", "--batch"),
        ("network sample @karate -k 4 --count 1e13", "lower --count"),
        ("network compare @karate @kite -k 30 -r 1000000", "lower -k, -r"),
    ] {
        let done = bench.run(&format!("{words} -q"));
        assert_eq!((done.code, done.stderr.lines().count()), (Some(2), 1), "{words}: {}", done.stderr);
        let told = done.stderr;
        assert!(told.contains("would take about") && told.contains("are available: "), "{words}: {told}");
        assert!(told.contains(way_out), "{words}: {told}");
        assert_eq!(bench.files(), before, "{words}");
    }
}

#[test]
fn usual_requests_are_not() {
    let bench = bench();
    for words in [
        "factor x.npy -r 500 -o m",
        "factor x.npy -r 5 --batch 100000000 -o m",
        "image learn gray.png -r 300 --patch 20 --steps 1 --patches 10 -o m",
        "spins simulate --size 500 --updates 1000 -o t.npy --every 1000",
        "network generate er -n 1e5 --edges 1e5 -o n.egr",
        "network denoise @lesmis --pairs non-edges --method jaccard -o s.tsv",
    ] {
        bench.run(&format!("{words} -q")).fine();
    }
    bench.run("transform m x.npy -o h.npy -q --batch 1000000000").code.unwrap();
}

#[cfg(debug_assertions)] // only then tests can set the available memory
#[test]
fn what_would_fit_elsewhere_is_refused_where_there_is_less() {
    let bench = bench();
    bench.put_npy("wide.npy", &numbers(400, 400));
    bench.run("factor wide.npy -r 200 --epochs 1 -o atoms -q").fine();
    bench.run("network generate er -n 3000 --edges 30000 -o net.txt -q").fine();
    bench.run("network learn net.txt -k 5 -r 4 --steps 3 -o net-atoms -q").fine();
    let before = bench.files();
    for (words, way_out) in [
        ("factor wide.npy -r 200 -o m", "lower -r or --batch"),
        ("transform atoms wide.npy -o h.npy", "lower --batch"),
        ("network generate er -n 10000 --edges 100000 -o n.egr", "ask for fewer"),
        ("network generate ba -n 10000 -m 10 -o n.egr", "ask for fewer"),
        ("network generate ws -n 10000 --neighbors 20 --rewired 0.1 -o n.egr", "ask for fewer"),
        ("network generate sbm --sizes 5000,5000 --within 0.01 --between 0.001 -o n.egr", "ask for fewer"),
        ("network generate rmat --scale 13 --edge-factor 12 -o n.egr", "ask for fewer"),
        ("network corrupt net.txt --add 0.5 -o n.egr", "lower --add"),
        ("network reconstruct net.txt --model net-atoms -o t.tsv", "lower --memory"),
        ("network compare net.txt @kite -k 5 -r 3 --measure jaccard", "compare smaller networks"),
        ("network denoise net.txt --method prone -o s.tsv", "score fewer --pairs"),
        ("network denoise net.txt --pairs non-edges --method jaccard -o s.tsv", "--pairs FILE"),
    ] {
        let mut command = bench.command(&format!("{words} -q"));
        let done = command.env("ERGODICT_AVAILABLE_BYTES", "2000000").output().unwrap();
        let told = String::from_utf8(done.stderr).unwrap();
        assert_eq!((done.status.code(), told.lines().count()), (Some(2), 1), "{words}: {told}");
        assert!(told.contains("but 1.9 MiB are available: ") && told.contains(way_out), "{words}: {told}");
        assert_eq!(bench.files(), before, "{words}");
    }
}
