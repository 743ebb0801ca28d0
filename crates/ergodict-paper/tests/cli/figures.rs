//! `ergodict-paper figure-image` and `figure-ising`, quick: their numbers within what chance allows, and nothing done twice.

use crate::bench::Bench;
use serde_json::Value;

fn numbers(of: &Value) -> Vec<f64> {
    of.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len() as f64
}

/// The mean of independent numbers, and its standard error.
fn spread(of: &[f64]) -> (f64, f64) {
    let (mean, n) = (mean(of), of.len() as f64);
    let squares: f64 = of.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

/// Records without what is measured by clocks, and the digest of it.
pub(crate) fn untimed(records: &[u8]) -> Vec<Value> {
    let untimed = |line: &str| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        ["digest", "seconds", "cpu_seconds"].iter().for_each(|key| record[key] = Value::Null);
        record
    };
    str::from_utf8(records).unwrap().lines().map(untimed).collect()
}

/// Stops a run of a figure half-way, continues, and compares its records with those of the run in `whole` that was left alone; `left` of them
/// were there after the stop.
#[cfg(debug_assertions)] // only then tests can stop a run
fn goes_on(bench: &Bench, verb: &str, whole: &str, left: usize) {
    let told = bench.stopped_after(&format!("{verb} --quick -o stopped"), 50).stderr;
    assert!(told.contains("the same command continues"), "{told}");
    let records = bench.path("stopped/records.jsonl");
    let done = if records.exists() { untimed(&std::fs::read(records).unwrap()) } else { Vec::new() };
    assert_eq!(done.iter().filter(|record| record["experiment"] == verb).count(), left);
    bench.run(&format!("{verb} --quick -o stopped -q")).fine();
    let [stopped, whole] = ["stopped", whole].map(|folder| bench.bytes(&format!("{folder}/records.jsonl")));
    assert!(untimed(&stopped) == untimed(&whole), "digests of models are in the records");
}

/// Runs a figure again where it has run, with a number of records.
fn is_not_done_twice(bench: &Bench, verb: &str, folder: &str, units: usize) {
    let (records, page) = (format!("{folder}/records.jsonl"), format!("{folder}/{verb}.html"));
    let first = (bench.bytes(&records), bench.bytes(&page));
    assert_eq!(untimed(&first.0).len(), units, "{verb}");
    bench.run(&format!("{verb} --quick -o {folder} -q")).fine();
    assert!((bench.bytes(&records), bench.bytes(&page)) == first, "{verb} was done twice");
}

#[test]
fn patches_along_a_walk_are_behind_at_first_and_hardly_in_the_end() {
    let bench = Bench::new();
    let (mut early, mut end) = (Vec::new(), Vec::new());
    for seed in [0, 100] {
        let words = format!("figure-image --quick -o {seed} --seed {seed} --json -q");
        let summary = bench.run(&words).fine().json();
        let runs = summary["runs"].as_array().unwrap();
        let of = |sampling: &str, t: &Value, what: &str| -> Vec<f64> {
            let runs = runs.iter().filter(|run| run["sampling"] == sampling);
            let marks = runs.flat_map(|run| run["marks"].as_array().unwrap()).filter(|mark| mark["t"] == *t);
            marks.map(|mark| mark[what].as_f64().unwrap()).collect()
        };
        for (t, behind) in [(&summary["early"], &mut early), (&summary["steps"], &mut end)] {
            let (walk, iid) = (of("walk", t, "held_out"), of("independent", t, "held_out"));
            assert_eq!((walk.len(), iid.len()), (4, 4), "repetitions");
            behind.extend(walk.iter().zip(&iid).map(|(walk, iid)| walk / iid - 1.0));
        }
        let seen = ["walk", "independent"].map(|sampling| mean(&of(sampling, &summary["early"], "pixels")));
        // Independent patches leave a pixel out with probability (1 − 64/9216)^1000 = 0.0009; 1000 steps of a walk go about 32 pixels far.
        assert!(seen[0] < 0.5 && seen[1] > 0.99, "seed {seed}: {seen:?}");
        let told = &summary["walk_behind"]["end"];
        assert!((told["mean"].as_f64().unwrap() - mean(&end[end.len() - 4..])).abs() < 0.01, "{told}");
    }
    let (early, end) = (spread(&early), spread(&end));
    assert!(early.0 > 3.0 * early.1, "{early:?}");
    assert!(end.0.abs() < 0.02 + 3.0 * end.1 && end.0 < early.0 / 2.0, "{early:?} {end:?}");

    // A run has 100 minibatches, of which 50 are none that has ended.
    #[cfg(debug_assertions)]
    goes_on(&bench, "figure-image", "0", 0);
    is_not_done_twice(&bench, "figure-image", "0", 8);
    // Another picture is another run.
    bench.put_image("own.png", (40, 50), |i, j| ((i / 5 + j / 7) % 2) as f32);
    bench.run("figure-image --quick --image own.png -o 0 -q").fine();
    assert_eq!(untimed(&bench.bytes("0/records.jsonl")).len(), 16);
    let page = String::from_utf8(bench.bytes("0/figure-image.html")).unwrap();
    assert!(page.contains("own.png") && page.contains("40×50"), "the page is of the other picture");
}

#[test]
fn dictionaries_of_trajectories_do_better_on_other_chains_than_those_of_one_configuration() {
    let bench = Bench::new();
    let (mut better, mut energies, mut ordered) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..3 {
        let words = format!("figure-ising --quick -o {seed} --seed {seed} --json -q");
        let summary = bench.run(&words).fine().json();
        let at = |k: usize| &summary["temperatures"][k];
        let loss = |k: usize, of: usize| mean(&numbers(&at(k)["dictionaries"][of]["along"]));
        assert!(at(1)["dictionaries"][2]["every"].is_null(), "the last is of one configuration");
        better.push(loss(1, 2) - loss(1, 0));
        // The hot chain settles within a few of the 125 sweeps.
        let energy = numbers(&at(2)["energy"]);
        energies.push((energy[0] - at(2)["energy_exact"].as_f64().unwrap(), energy[1]));
        // The cold one orders; its loss is a part of that of the mean patch, the hot one's hardly less.
        ordered.push([0, 2].map(|k| loss(k, 0) / at(k)["mean_patch"]["along"].as_f64().unwrap()));
        let changed: Vec<f64> = (0..3).map(|k| at(k)["changed"][0][1].as_f64().unwrap()).collect();
        assert!(changed.is_sorted() && changed[0] > 0.0, "the hotter, the more moves: {changed:?}");
    }
    let (gain, error) = spread(&better);
    assert!(gain > error, "{better:?}");
    let (off, errors): (Vec<f64>, Vec<f64>) = energies.into_iter().unzip();
    let error = errors.iter().map(|e| e * e).sum::<f64>().sqrt() / errors.len() as f64;
    assert!(mean(&off).abs() < 5.0 * error, "energy off by {} ± {error}", mean(&off));
    assert!(ordered.iter().all(|[cold, hot]| *cold < 0.7 && *hot > 0.9), "{ordered:?}");

    // They are those of `spins learn`.
    let words = "spins learn --size 40 --updates 200000 --every 20000,1000 --temperature 2.26 --patch 8 --patches 100 -r 16 \
                 --fixed=200 --seed 2 -o s -q";
    bench.ergodict(words).fine();
    for run in ["every1000", "every20000", "fixed"] {
        let (ours, theirs) = (
            bench.model(&format!("2/figure-ising-T2.26-{run}.safetensors")),
            bench.model(&format!("s-{run}")),
        );
        assert!((ours.w, ours.aggregates) == (theirs.w, theirs.aggregates), "{run}");
    }

    // Only runs of the longer epoch, which have ten minibatches, end before the stop.
    #[cfg(debug_assertions)]
    goes_on(&bench, "figure-ising", "0", 2);
    is_not_done_twice(&bench, "figure-ising", "0", 12);
    // A model that was deleted is made again, and its record is the same but for the time.
    std::fs::remove_file(bench.path("0/figure-ising-T5-fixed.safetensors")).unwrap();
    bench.run("figure-ising --quick -o 0 -q").fine();
    let records = untimed(&bench.bytes("0/records.jsonl"));
    assert!(records.len() == 13 && records[12] == records[11]);
}

#[test]
fn pictures_that_cannot_be_cut_are_refused() {
    let bench = Bench::new();
    bench.put_image("small.png", (6, 40), |i, _| (i % 2) as f32);
    for (image, said) in [("small.png", "8×8"), ("nowhere.png", "nowhere.png"), ("@escher", "@tessellation")]
    {
        let done = bench.run(&format!("figure-image --quick --image {image} -o x -q"));
        assert_eq!(done.code, Some(2), "{}", done.stderr);
        assert!(done.stderr.contains(said) && done.stderr.lines().count() == 1, "{}", done.stderr);
        assert!(!bench.path("x").exists());
    }
}
