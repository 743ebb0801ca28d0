//! `ergodict paper convergence`: the bars are found, and the surrogate tells the expected loss.

use crate::bench::Bench;
use serde_json::Value;

fn number(of: &Value, key: &str) -> f64 {
    of[key].as_f64().unwrap()
}

#[test]
fn finds_the_bars_whatever_the_seed() {
    let bench = Bench::new();
    for seed in 0..3 {
        let summary = bench.run(&format!("paper convergence -o out --seed {seed} --json -q")).fine().json();
        let bars = &summary["bars"];
        assert!(bars["bars_found"].as_u64() >= Some(14), "seed {seed}: {bars}");
        // Over 300 seeds the relative error had a root mean square of √(10τ/n) and a heavy tail; five of them.
        let tau = number(bars, "autocorrelation_time") / number(bars, "autocorrelation_time_exact");
        assert!((tau - 1.0).abs() < 5.0 * (10.0 * 34.0 / 50_000f64).sqrt(), "seed {seed}: τ off by {tau}");
        // Over 160 other seeds the two differed by 20 % at most.
        let ratio = number(bars, "surrogate") / number(bars, "expected_loss");
        assert!((ratio - 1.0).abs() < 0.3, "seed {seed}: {ratio}");
        assert!(number(bars, "stationarity_gap") < 0.02, "seed {seed}");
        // The alternating chain: |f̂ − f| = O(1/t).
        let two = &summary["two_pictures"];
        let distance = number(&two["surrogate_distance"], "alternating");
        assert!(distance < 300.0 / number(two, "steps"), "seed {seed}: {distance}");
    }
}

#[test]
fn the_configuration_of_the_bars_learns_them_again() {
    let bench = Bench::new();
    bench.run("paper convergence -o out --seed 4 -q").fine();
    bench.run("factor out/bars.npy --config out/bars.safetensors -o again.safetensors -q").fine();
    let (first, again) = (bench.model("out/bars.safetensors"), bench.model("again.safetensors"));
    assert_eq!((&first.w, &first.aggregates), (&again.w, &again.aggregates));
    assert_eq!((first.inputs, first.parameters), (again.inputs, again.parameters));
}
