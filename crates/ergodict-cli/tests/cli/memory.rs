//! Requests that no memory holds are refused before they start, with the figure and the way out; usual ones are not.

use crate::bench::{Bench, numbers};

fn bench() -> Bench {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(6, 50));
    bench.put_image("grey.png", (24, 30), 1, crate::image::stripes);
    bench
}

#[test]
fn hopeless_requests_are_refused_with_a_way_out() {
    let bench = bench();
    let before = bench.files();
    for (words, way_out) in [
        ("factor x.npy -r 1000000 -o m", "lower -r"),
        ("image learn grey.png -r 1000000 --patch 20 -o m", "lower -r"),
        ("image learn grey.png -r 10 --patch 20 --patches 100000000000 -o m", "--patches"),
        ("spins simulate --size 46340 --chains 2000 -o t.npy", "lower --size"),
        ("spins simulate --size 16 --updates 1e15 --every 1 -o t.npy", "raise --every"),
        ("spins learn --size 100 --patch 90 -r 1000000 -o m", "lower --size, -r"),
        ("network learn @karate -k 30 -r 1000000 -o m", "lower -k, -r"),
        ("network learn @karate -k 9 -r 9 --batch 100000000000 -o m", "--batch"),
        ("network sample @karate -k 4 --count 1e13", "lower --count"),
        ("network compare @karate @kite -k 30 -r 1000000", "lower -k, -r"),
        ("network generate er -n 1e6 --edges 1e11 -o n.egr", "ask for fewer"),
        ("network generate er -n 1e9 -p 0.5 -o n.egr", "ask for fewer"),
        ("network generate ba -n 1e9 -m 1000 -o n.egr", "ask for fewer"),
        ("network generate ws -n 1e9 --neighbours 1000 --rewired 0.1 -o n.egr", "ask for fewer"),
        ("network generate sbm --sizes 1e6,1e6 --within 0.9 --between 0.1 -o n.egr", "ask for fewer"),
        ("network generate rmat --scale 31 --edge-factor 1000 -o n.egr", "ask for fewer"),
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
        "image learn grey.png -r 300 --patch 20 --steps 1 --patches 10 -o m",
        "spins simulate --size 500 --updates 1000 -o t.npy --every 1000",
        "network generate er -n 1e5 --edges 1e5 -o n.egr",
        "network denoise @lesmis --pairs non-edges --method jaccard -o s.tsv",
    ] {
        bench.run(&format!("{words} -q")).fine();
    }
    bench.run("transform m x.npy -o h.npy -q --batch 1000000000").code.unwrap();
}
