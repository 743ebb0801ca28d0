//! `ergodict network compare`: what is given and what networks are called.

use crate::bad_networks::refused;
use crate::bench::Bench;

#[test]
fn one_network_is_too_few() {
    let bench = Bench::new();
    refused(
        &bench,
        "network compare @karate",
        &["`ergodict network compare` needs at least 2 <NET>, got 1 (see --help)"],
    );
}

#[test]
fn networks_have_one_name() {
    let bench = Bench::new();
    let ring = (0..12).map(|at| format!("{at},{}\n", (at + 1) % 12)).collect::<Vec<_>>().concat();
    bench.put("ring.csv", format!("source,target\n{ring}"));
    let done = bench.run(
        "network compare ring.csv @karate @kite -k 3 -r 2 --steps 3 --batch 20 --samples 200 --unweighted",
    );
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let table = String::from_utf8_lossy(&done.stdout);
    assert!(table.starts_with("dictionary\tring.csv\t"), "{table}");
    assert!(done.stderr.contains("ring.csv: @") && !done.stderr.contains("ring:"), "{}", done.stderr);
}
