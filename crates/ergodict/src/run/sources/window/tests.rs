//! Runs through windows: a change is seen where it is, nothing is seen where there is none, and a run that was stopped goes on.

use super::*;
use crate::chain::{Motif, SamplerBuilder, SamplerKind};
use crate::data::{NodeIds, TimedEdges, WindowCut, WindowOptions, Windows};
use crate::factor::FactorSettings;
use crate::patch::{BatchPlan, NetworkForm};
use crate::run::Trainer;

/// Nodes of the network.
const N: u32 = 40;

/// A ring lattice, where each node knows the next two, or cliques of five.
fn edges(blocks: bool) -> Vec<(u32, u32)> {
    if blocks {
        let within = |u: u32| (u + 1..5 * (u / 5 + 1)).map(move |v| (u, v));
        let bridges = (0..N / 5).map(|b| (5 * b, (5 * b + 7) % N));
        (0..N).flat_map(within).chain(bridges).collect()
    } else {
        (0..N).flat_map(|u| [(u, (u + 1) % N), (u, (u + 2) % N)]).collect()
    }
}

/// Windows of equal length that are a lattice until `switch`, and cliques from there on; one has no edge.
fn windows(count: u32, switch: u32, empty: Option<u32>) -> Windows {
    let (mut ends, mut times) = (Vec::new(), Vec::new());
    for window in (0..count).filter(|window| Some(*window) != empty) {
        for (at, edge) in edges(window >= switch).into_iter().enumerate() {
            ends.push(edge);
            times.push(f64::from(window) + at as f64 / 1000.0);
        }
    }
    let rows = TimedEdges::new(NodeIds::numbered(N as usize), ends, times).unwrap();
    let cut = WindowCut::Every { window: 1.0, stride: 1.0 };
    Windows::new(Arc::new(rows), WindowOptions { cut, ..WindowOptions::default() }).unwrap()
}

/// Windows with a sampler in each.
struct Sampled(Windows, SamplerKind);

impl WindowSeries for Sampled {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn open(&mut self, at: usize) -> Result<Window> {
        let network = Arc::new(self.0.network(at)?);
        let part = Arc::new(network.largest_component());
        let made = SamplerBuilder::default().build(self.1, &part, &Motif::path(6)?, 0);
        let drawn = made.map(|sampler| (part, sampler)).map_err(|error| error.to_string());
        Ok(Window { name: at.to_string(), span: Some(self.0.span(at)), network, drawn })
    }
}

fn plan(steps: u64, chains: usize) -> NetworkPlan {
    NetworkPlan {
        steps,
        batches: BatchPlan { batch: 40, chains, ..BatchPlan::default() },
        score_patches: 400,
        times: Times::Numbers,
        form: NetworkForm::new(&Motif::path(6).unwrap(), false, false),
        sampler: SamplerKind::Exact,
        title: None,
        seed: 3,
    }
}

fn source(windows: Windows, kind: SamplerKind, steps: u64, chains: usize) -> WindowSource<f64> {
    WindowSource::new(Box::new(Sampled(windows, kind)), plan(steps, chains)).unwrap()
}

fn start() -> Result<Factorizer<f64>> {
    Factorizer::random(FactorSettings { schedule: "constant:0.05".parse()?, ..FactorSettings::new(6) }, 36, 3)
}

/// Where it is.
fn point(source: &WindowSource<f64>) -> WindowPoint {
    let incoming_errors = source.incoming_errors.clone();
    WindowPoint { window: source.at, end: source.end, stream: source.stream.point(), incoming_errors }
}

/// Steps until there were `until` in all, or windows are over.
fn run(source: &mut WindowSource<f64>, tracked: &mut Trainer<f64>, until: u64) {
    while source.made() < until {
        source.prepare(tracked.factorizer.as_mut()).unwrap();
        let Next::Minibatch(x) = source.next(&Stop::default()).unwrap() else { break };
        tracked.step(x, None, None, start).unwrap();
    }
}

#[test]
fn a_switch_is_seen_in_its_window_and_nowhere_else() {
    let mut source = source(windows(10, 6, Some(3)), SamplerKind::Exact, 20, 3);
    let mut tracked = Trainer::new(None);
    run(&mut source, &mut tracked, u64::MAX);
    let all = source.over_time();
    assert_eq!((source.made(), all.windows.len(), all.learned().count()), (180, 10, 9));
    assert_eq!(all.windows[3].passed_over.as_deref().map(str::is_empty), Some(false));
    // Nothing before the first, and the switch is far beyond all else.
    assert!(all.windows[0].change.is_none() && all.windows[3].change.is_none());
    let (at, peak) = all.peak().unwrap();
    assert_eq!(at, 6);
    assert!(peak.value > 10.0 * peak.standard_error && peak.value > 0.05, "{peak:?}");
    for (at, window) in all.windows.iter().enumerate().filter(|(at, _)| *at != 6) {
        if let Some(change) = window.change {
            // The same network again: beyond 6 standard errors from twenty batches is one in a hundred thousand.
            assert!(change.value.abs() < 6.0 * change.standard_error.max(1e-3), "{at}: {change:?}");
            assert!(change.value < peak.value / 5.0, "{at}: {change:?}");
        }
    }
    // The atoms became others there: the dictionary went further in that window than in those around it, and explains it better for it.
    let moved = |at: usize| {
        let place = all.kept.iter().position(|kept| *kept == at).unwrap();
        let (now, before) = (&all.dictionaries[place], &all.dictionaries[place - 1]);
        now.padded().iter().zip(before.padded()).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
    };
    let distances = [4, 5, 6, 7, 8, 9].map(moved);
    let others = distances.iter().enumerate().filter(|(n, _)| *n != 2).map(|(_, d)| *d).fold(0.0, f64::max);
    assert!(distances[2] > 1.5 * others, "{distances:?}");
    let (before, after) = (all.windows[6].error_before.unwrap(), all.windows[6].error_after.unwrap());
    // On the same patches, so that both standard errors together would be far too much; that of the score knows of it.
    assert!(after.value < before.value, "{before:?} {after:?}");
    let (came, went) = all.windows[6].differences.map(|d| (d.came, d.went)).unwrap();
    assert_eq!((all.windows[6].edges, all.windows[5].edges), (came + 80 - went, 80));
    assert_eq!(all.windows[5].differences.unwrap().came, 0);
    // All went in the empty window, and came back after it.
    assert_eq!(
        (all.windows[3].differences.unwrap().went, all.windows[4].differences.unwrap().came),
        (80, 80)
    );
    assert!(all.learned().all(|(_, window)| (window.dominance.iter().sum::<f64>() - 1.0).abs() < 1e-12));
    // The same network: chains go on. Another: some cannot.
    assert!(all.windows[1].moved.continued == 3 && all.windows[6].moved.restarted > 0);
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_same() {
    let fresh = || source(windows(5, 2, Some(2)), SamplerKind::Pivot, 4, 2);
    let (mut whole, mut learned) = (fresh(), Trainer::new(None));
    run(&mut whole, &mut learned, u64::MAX);
    let parameters = start().unwrap().parameters().clone();
    for stop in [1, 4, 5, 8, 9, 15, 16] {
        let (mut first, mut tracked) = (fresh(), Trainer::new(None));
        run(&mut first, &mut tracked, stop);
        let mut state = Sections::default();
        first.save(&mut state).unwrap();
        tracked.save(&mut state).unwrap();
        let (mut again, mut tracked) = (fresh(), Trainer::new(None));
        again.restore(&state).unwrap();
        tracked.restore(&parameters, &state).unwrap();
        assert_eq!((again.made(), again.over_time()), (stop, first.over_time()));
        run(&mut again, &mut tracked, u64::MAX);
        assert_eq!(again.over_time(), whole.over_time(), "after {stop}");
        assert_eq!(again.traces, whole.traces);
        assert_eq!(tracked.learned().unwrap().dictionary(), learned.learned().unwrap().dictionary());
    }
    let mut other = source(windows(2, 2, None), SamplerKind::Pivot, 4, 2);
    assert!(other.seek(15, &point(&whole), whole.over_time().clone()).is_err());
}

#[test]
fn a_state_that_contradicts_itself_is_refused() {
    let fresh = || source(windows(3, 1, None), SamplerKind::Pivot, 4, 2);
    let (mut first, mut tracked) = (fresh(), Trainer::new(None));
    run(&mut first, &mut tracked, 6);
    let (point, kept) = (point(&first), first.over_time().clone());
    let seek = |change: &dyn Fn(&mut WindowPoint, &mut OverTime)| {
        let (mut point, mut kept) = (point.clone(), kept.clone());
        change(&mut point, &mut kept);
        fresh().seek(6, &point, kept).map_err(|error| error.to_string())
    };
    assert_eq!(seek(&|_, _| ()), Ok(()));
    assert!(seek(&|_, kept| kept.windows[1].begin = 1_000_000_000).unwrap_err().contains("contradict"));
    assert!(seek(&|_, kept| kept.windows[1].passed_over = Some("x".into())).is_err());
    assert!(seek(&|_, kept| kept.kept.push(9)).is_err());
    assert!(seek(&|point, _| point.stream.passed = u64::MAX).unwrap_err().contains("fewer than"));
    assert!(seek(&|point, _| point.window = 7).is_err());
}

#[test]
fn a_window_that_cannot_be_opened_leaves_a_state_to_go_on_from() {
    /// Windows of which one cannot be opened.
    struct Broken(Sampled, usize);
    impl WindowSeries for Broken {
        fn len(&self) -> usize {
            self.0.len()
        }
        fn open(&mut self, at: usize) -> Result<Window> {
            if at == self.1 { Err(Error::Interrupted) } else { self.0.open(at) }
        }
    }
    let sampled = || Sampled(windows(5, 2, Some(2)), SamplerKind::Pivot);
    let (mut whole, mut learned) = (source(sampled().0, SamplerKind::Pivot, 4, 2), Trainer::new(None));
    run(&mut whole, &mut learned, u64::MAX);
    // The third window is passed over before the fourth fails.
    let mut broken = WindowSource::new(Box::new(Broken(sampled(), 3)), plan(4, 2)).unwrap();
    let mut tracked = Trainer::new(None);
    run(&mut broken, &mut tracked, 8);
    for _ in 0..2 {
        assert!(broken.prepare(tracked.factorizer.as_mut()).is_err());
    }
    let mut again = source(sampled().0, SamplerKind::Pivot, 4, 2);
    again.seek(8, &point(&broken), broken.over_time().clone()).unwrap();
    run(&mut again, &mut tracked, u64::MAX);
    assert_eq!(again.over_time(), whole.over_time());
    assert_eq!(tracked.learned().unwrap().dictionary(), learned.learned().unwrap().dictionary());
}

#[test]
fn windows_can_be_added_and_gone_on_with() {
    let mut later = Sampled(windows(2, 1, None), SamplerKind::Exact);
    let mut source = WindowSource::new(Box::new(vec![later.open(0).unwrap()]), plan(3, 1)).unwrap();
    let mut tracked = Trainer::new(None);
    run(&mut source, &mut tracked, u64::MAX);
    assert_eq!((source.made(), source.planned().unwrap()), (3, 3));
    source.extend(2).unwrap();
    run(&mut source, &mut tracked, u64::MAX);
    source.follow(later.open(1).unwrap(), 4, Times::Numbers).unwrap();
    assert_eq!(source.planned().unwrap(), 9);
    run(&mut source, &mut tracked, u64::MAX);
    let steps: Vec<u64> = source.over_time().windows.iter().map(|window| window.steps).collect();
    assert_eq!((steps, source.made()), (vec![5, 4], 9));
    assert!(source.over_time().windows[1].change.is_some());
}

#[test]
fn what_is_forgotten_is_not_needed() {
    let mut later = Sampled(windows(7, 4, Some(5)), SamplerKind::Pivot);
    let first = |later: &mut Sampled| Box::new(vec![later.open(0).unwrap()]);
    let mut all = WindowSource::new(first(&mut later), plan(3, 2)).unwrap();
    let mut few = WindowSource::new(first(&mut later), plan(3, 2)).unwrap();
    let (mut learned, mut again) = (Trainer::new(None), Trainer::new(None));
    run(&mut all, &mut learned, u64::MAX);
    run(&mut few, &mut again, u64::MAX);
    for at in 1..7 {
        for (source, tracked) in [(&mut all, &mut learned), (&mut few, &mut again)] {
            source.follow(later.open(at).unwrap(), 3, Times::Numbers).unwrap();
            run(source, tracked, u64::MAX);
        }
        // The one before stays; the sixth is passed over, and nothing can be forgotten for it.
        assert_eq!(few.forget(), [0, 1, 2, 3, 3, 4][at - 1], "after {at}");
        assert_eq!((few.planned(), few.windows()), (all.planned(), all.windows()));
        assert!(few.more.len() <= 3 && few.series.len() == usize::from(at == 1));
        assert_eq!(few.over_time(), all.over_time());
    }
    // Who has only the windows that are left goes on alike.
    let left = vec![later.open(4).unwrap(), later.open(5).unwrap(), later.open(6).unwrap()];
    let mut thawed = WindowSource::after(Box::new(left), plan(3, 2), 0, 4).unwrap();
    thawed.seek(few.made(), &point(&few), few.over_time().clone()).unwrap();
    thawed.traces.clone_from(&few.traces);
    assert!(thawed.open(3).is_err());
    for (source, tracked) in [(&mut all, &mut learned), (&mut thawed, &mut again)] {
        source.follow(later.open(0).unwrap(), 2, Times::Numbers).unwrap();
        run(source, tracked, u64::MAX);
    }
    assert_eq!((thawed.over_time(), &thawed.traces), (all.over_time(), &all.traces));
    assert_eq!(again.learned().unwrap().dictionary(), learned.learned().unwrap().dictionary());
}

#[test]
fn windows_of_a_run_before_stay() {
    let mut first = source(windows(3, 1, None), SamplerKind::Exact, 4, 1);
    let mut tracked = Trainer::new(None);
    run(&mut first, &mut tracked, u64::MAX);
    let mut later = Sampled(windows(3, 3, None), SamplerKind::Exact);
    let series: Vec<Window> = (0..2).map(|at| later.open(at).unwrap()).collect();
    let mut next = WindowSource::after(Box::new(series), plan(2, 1), 3, 3).unwrap();
    let mut model =
        tracked.finished("network", 3, serde_json::json!({}), &tracked.results().unwrap()).unwrap();
    model.over_time = Some(OverTime::default());
    assert!(next.continue_from(&model).is_err());
    model.over_time = Some(first.over_time().clone());
    next.continue_from(&model).unwrap();
    assert_eq!((next.made(), next.planned(), next.at), (12, Some(16), 3));
    run(&mut next, &mut tracked, u64::MAX);
    let kept = next.over_time();
    assert_eq!(kept.windows[..3], first.over_time().windows);
    let steps: Vec<(u64, u64)> = kept.windows.iter().map(|window| (window.begin, window.steps)).collect();
    assert_eq!(steps, [(0, 4), (4, 4), (8, 4), (12, 2), (14, 2)]);
    assert_eq!((&kept.kept[..], kept.dictionaries.len()), (&[0, 1, 2, 3, 4][..], 5));
    // There is no network to compare the first with, but there is one for the second.
    assert!(kept.windows[3].change.is_none() && kept.windows[4].change.is_some());
    assert_eq!(next.traces.len(), 2);
    assert_eq!(next.forget(), 3);
}

#[test]
fn without_a_window_to_learn_from_there_is_an_error() {
    let mut windows = vec![Sampled(windows(1, 1, None), SamplerKind::Exact).open(0).unwrap()];
    windows[0].drawn = Err("has no room".into());
    let refused = |windows: Vec<Window>| match WindowSource::<f64>::new(Box::new(windows), plan(1, 1)) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    assert!(refused(windows).contains("none can be learned from: has no room"));
    assert!(refused(Vec::new()).contains("at least one"));
}
