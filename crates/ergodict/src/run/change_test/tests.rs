//! Calibration: how often data without a change are called changed, and how often planted changes are found.

use super::*;
use crate::chain::{Motif, SamplerKind, SamplingSettings, Use};
use crate::data::{NodeIds, TimedEdges, Times, WindowCut, WindowOptions, Windows};
use crate::factor::FactorSettings;
use crate::model::{Model, OverTime};
use crate::patch::{BatchPlan, NetworkForm};
use crate::rng::{ChaCha8Rng, below, shuffle, stream, uniform};

const NODES: u32 = 120;
const K: usize = 6;
const ATOMS: usize = 6;

type Rows = (Vec<(u32, u32)>, Vec<f64>);

fn random(seed: u64) -> ChaCha8Rng {
    stream(seed, Purpose::Synthetic, 99)
}

/// Everybody knows three neighbors on each side.
fn ring() -> Vec<(u32, u32)> {
    (0..NODES).flat_map(|u| (1..=3).map(move |step| (u, (u + step) % NODES))).collect()
}

/// Fifteen groups whose members all know each other, each with two who know one of the next.
fn cliques() -> Vec<(u32, u32)> {
    let inside = (0..NODES).flat_map(|u| (u + 1..NODES).map(move |v| (u, v))).filter(|(u, v)| u / 8 == v / 8);
    inside
        .chain((0..15).flat_map(|group| [0, 1].map(|who| (8 * group + who, (8 * group + 8 + who) % NODES))))
        .collect()
}

/// Six windows of edges and volumes, with a switch before the fourth.
fn switch(before: &[(u32, u32)], after: &[(u32, u32)], volumes: [usize; 6]) -> Vec<(Vec<(u32, u32)>, usize)> {
    volumes
        .iter()
        .enumerate()
        .map(|(at, volume)| (if at < 3 { before.to_vec() } else { after.to_vec() }, *volume))
        .collect()
}

/// A number of random edges for each window, each seen in a burst of up to three rows.
fn draw(windows: &[(Vec<(u32, u32)>, usize)], rng: &mut ChaCha8Rng) -> Rows {
    let (mut ends, mut times) = (Vec::new(), Vec::new());
    for (at, (edges, volume)) in windows.iter().enumerate() {
        let mut edges = edges.clone();
        shuffle(&mut edges, rng);
        for edge in edges.into_iter().take(*volume) {
            for _ in 0..=below(rng, 3) {
                ends.push(edge);
                times.push(at as f64 + 0.99 * uniform(rng));
            }
        }
    }
    // The span of all is the same whatever was drawn.
    ends.extend([(0, 1), (0, 1)]);
    times.extend([0.0, windows.len() as f64]);
    (ends, times)
}

fn run((ends, times): Rows, permutations: u64, seed: u64) -> Run<f64> {
    let cut = WindowCut::Into(times.iter().copied().fold(0.0, f64::max).max(1.0) as usize);
    let rows = TimedEdges::new(NodeIds::numbered(NODES as usize), ends, times).unwrap();
    let options = WindowOptions { cut, ..WindowOptions::default() };
    let windows = Arc::new(Windows::new(Arc::new(rows), options).unwrap());
    let motif = Motif::path(K).unwrap();
    let sampling = SamplingSettings { injective: true, ..SamplingSettings::default() };
    let shape = motif.clone();
    let window: WindowMaker = Arc::new(move |network| {
        let whole = Arc::new(network.clone());
        let drawn = match sampling.choose(Use::Learn, network, &shape, 0) {
            Ok(chosen) => Ok((chosen.network, chosen.sampler)),
            Err(error) => Err(error.to_string()),
        };
        Ok(Window { name: String::new(), span: None, network: whole, drawn })
    });
    let plan = NetworkPlan {
        steps: 20,
        batches: BatchPlan { batch: 50, ..BatchPlan::default() },
        score_patches: 500,
        times: Times::Numbers,
        form: NetworkForm::new(&motif, false, false),
        sampler: SamplerKind::Exact,
        title: None,
        seed,
    };
    let series: Vec<Window> =
        (0..windows.len()).map(|at| window(windows.network(at).unwrap()).unwrap()).collect();
    let source = WindowSource::new(Box::new(series), plan.clone()).unwrap();
    let settings = FactorSettings { schedule: "constant:0.1".parse().unwrap(), ..FactorSettings::new(ATOMS) };
    let run_plan = RunPlan::new("network learn", settings.clone(), seed);
    let first: FirstDictionary<f64> =
        Box::new(move |seed| Factorizer::random(settings.clone(), K * K, seed).map(Some));
    let start = first(seed).unwrap();
    let mut run = Run::new(run_plan, Box::new(source), start).unwrap();
    if permutations > 0 {
        let appearances: AppearanceMaker = Box::new(move || Appearances::from_windows(&windows));
        run.test_change(ChangeTest::new(permutations, appearances, window, plan, first));
    }
    run
}

fn finished(mut run: Run<f64>) -> Model {
    assert_eq!(run.run(None, &Stop::default()).unwrap(), Status::Finished);
    run.model().unwrap()
}

/// The windows that are called changed, from 0.
fn changed(rows: Rows, seed: u64) -> Vec<usize> {
    let over_time: OverTime = finished(run(rows, 20, seed)).over_time.unwrap();
    assert_eq!(over_time.permutations, 20);
    over_time.changed().map(|(at, _)| at).collect()
}

/// How many of forty repeats have any window that is called changed.
fn false_alarms(rows: impl Fn(&mut ChaCha8Rng) -> Rows) -> usize {
    (0..40).filter(|seed| !changed(rows(&mut random(*seed)), *seed).is_empty()).count()
}

/// With a chance of at most 1/21 each, more than this many of forty are less likely than 1 in 2000.
const MOST_ALARMS: usize = 7;

/// Windows of unequal volume.
const VOLUMES: [usize; 6] = [200, 340, 340, 250, 150, 220];

#[test]
fn a_network_that_only_changes_its_volume_is_rarely_called_changed() {
    let rows = |rng: &mut ChaCha8Rng| draw(&VOLUMES.map(|volume| (ring(), volume)), rng);
    let alarms = false_alarms(rows);
    assert!(alarms <= MOST_ALARMS, "{alarms} of 40");
}

#[test]
fn shuffled_times_are_rarely_called_changed() {
    // Half rings and half cliques, whose times are then shuffled among all rows.
    let rows = |rng: &mut ChaCha8Rng| {
        let (ends, mut times) = draw(&switch(&ring(), &cliques(), VOLUMES), rng);
        let last = times.len() - 2;
        shuffle(&mut times[..last], rng);
        (ends, times)
    };
    let alarms = false_alarms(rows);
    assert!(alarms <= MOST_ALARMS, "{alarms} of 40");
}

/// How many of eight repeats find a change in the fourth window.
fn power(windows: &[(Vec<(u32, u32)>, usize)]) -> usize {
    (0..8).filter(|seed| changed(draw(windows, &mut random(*seed)), *seed).contains(&3)).count()
}

#[test]
fn a_switch_from_a_ring_to_cliques_is_found() {
    let found = power(&switch(&ring(), &cliques(), [300; 6]));
    assert!(found >= 7, "{found} of 8");
}

#[test]
fn a_switch_is_found_while_the_volume_changes_with_it() {
    let found = power(&switch(&ring(), &cliques(), [200, 200, 200, 440, 440, 440]));
    assert!(found >= 7, "{found} of 8");
}

#[test]
fn a_change_of_half_of_the_network_is_found_in_some_repeats() {
    let half = NODES / 2;
    let low = cliques().into_iter().filter(|(u, v)| *u.max(v) < half);
    let mixed: Vec<(u32, u32)> = low.chain(ring().into_iter().filter(|(u, v)| *u.min(v) >= half)).collect();
    let found = power(&switch(&ring(), &mixed, [300; 6]));
    assert!(found >= 2, "{found} of 8");
}

#[test]
fn threads_and_interruptions_leave_every_byte_as_it_is() {
    let rows = || draw(&[(ring(), 300), (cliques(), 200), (ring(), 250)], &mut random(0));
    let whole = finished(run(rows(), 20, 5)).over_time.unwrap();
    assert!(whole.windows[1].null.is_some());
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            assert_eq!(finished(run(rows(), 20, 5)).over_time.unwrap(), whole, "{threads} threads");
            for steps in [3, 60, 61, 200, 1100] {
                let mut first = run(rows(), 20, 5);
                assert_eq!(first.run(None, &Stop::after(steps)).unwrap(), Status::Stopped);
                // Nothing is said before all permutations are over.
                assert_eq!(first.model().map_or(0, |model| model.over_time.unwrap().permutations), 0);
                let mut state = Sections::default();
                first.save(&mut state).unwrap();
                let state = Sections::from_bytes(&state.to_bytes().unwrap()).unwrap();
                let mut again = run(rows(), 20, 5);
                again.restore(&state).unwrap();
                assert_eq!(finished(again).over_time.unwrap(), whole, "after {steps} with {threads}");
            }
        });
    }
    // What was found stays in a state that is restored without the data to find it again.
    let mut over = run(rows(), 20, 5);
    over.run(None, &Stop::default()).unwrap();
    let mut state = Sections::default();
    over.save(&mut state).unwrap();
    let mut again = run(rows(), 0, 5);
    again.restore(&state).unwrap();
    assert_eq!(again.model().unwrap().over_time.unwrap(), whole);
    // The run itself is the same with and without a test.
    let (with, without) = (finished(run(rows(), 20, 5)), finished(run(rows(), 0, 5)));
    assert_eq!(with.w, without.w);
    assert_eq!(without.over_time.unwrap().changed().count(), 0);
}

#[test]
fn empty_windows_and_permutations_without_room_are_no_error() {
    // The second window is empty, the third a star: a path of five nodes has room in few permutations.
    let windows =
        [(ring(), 100), (Vec::new(), 0), ((1..30).map(|leaf| (0, leaf)).collect(), 25), (ring(), 200)];
    let over_time = finished(run(draw(&windows, &mut random(1)), 20, 0)).over_time.unwrap();
    assert_eq!(over_time.permutations, 20);
    assert!(over_time.windows[1].null.is_none() && over_time.windows[3].null.is_some());
}
