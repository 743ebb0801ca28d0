//! Rounds are steps of the scheme, whoever runs them, and their bytes come back or are refused.

use super::*;
use crate::chain::{Motif, SampledNetwork, SamplerBuilder, SamplerKind};
use crate::data::embedded;
use crate::factor::Factorizer;
use crate::linalg::Scalar;
use crate::patch::BatchPlan;
use crate::run::{NetworkLearning, Resumable, RoundSource, Run, RunPlan, Sections, Stop};
use proptest::prelude::*;
use std::sync::Arc;

impl RoundLearning {
    /// Learns here, chain after chain: what runs on many machines must equal, bit for bit.
    pub(crate) fn learn<T: Scalar>(&self, drawn: &SampledNetwork, seed: u64) -> Result<Factorizer<T>> {
        let source = RoundSource::new(self.clone(), "", drawn, SamplerKind::Exact, seed)?;
        let plan = RunPlan::new("distributed learn", self.parameters.clone(), seed);
        let first = Factorizer::random(self.parameters.clone(), source.context().features(), seed)?;
        let mut run = Run::<T>::new(plan, Box::new(source), Some(first))?;
        run.run(None, &Stop::default())?;
        run.into_dictionary()
    }
}

fn drawn(name: &str, kind: SamplerKind, k: usize) -> SampledNetwork {
    let network = Arc::new(embedded(name).unwrap());
    let sampler = SamplerBuilder::default().build(kind, &network, &Motif::path(k).unwrap(), 3).unwrap();
    (network, sampler)
}

fn small() -> RoundLearning {
    RoundLearning { rounds: 4, chains: 3, minibatches: 2, batch: 21, burn_in: 5, ..RoundLearning::new(4) }
}

/// A run at its beginning.
fn rounds<T: Scalar>(
    learning: RoundLearning,
    drawn: &SampledNetwork,
    random: bool,
    seed: u64,
) -> Result<Run<T>> {
    let plan = RunPlan::new("rounds", learning.parameters.clone(), seed);
    let source = RoundSource::<T>::new(learning, "", drawn, SamplerKind::Exact, seed)?;
    let first = || Factorizer::random(plan.parameters.clone(), source.context().features(), seed);
    let first = random.then(first).transpose()?;
    Run::new(plan, Box::new(source), first)
}

/// Every task and outcome goes through bytes, tasks are run last chain first and one of them twice, and the run is stopped after two rounds.
fn by_bytes<T: Scalar>(learning: &RoundLearning, drawn: &SampledNetwork, seed: u64) -> Run<T> {
    let start = || rounds::<T>(learning.clone(), drawn, true, seed).unwrap();
    let mut run = start();
    while run.source().made() < learning.rounds {
        let tasks: Vec<Vec<u8>> = run.tasks().unwrap().iter().map(|task| task.to_bytes().unwrap()).collect();
        let mut outcomes: Vec<Vec<u8>> = Vec::new();
        for bytes in tasks.iter().rev() {
            // Another process has a place of its own.
            let again = || {
                let elsewhere = TaskContext::new(drawn);
                RoundTask::from_bytes(bytes).unwrap().run(&elsewhere, &|| false).unwrap().to_bytes().unwrap()
            };
            let found = again();
            assert_eq!(found, again());
            outcomes.push(found);
        }
        let outcomes = outcomes.iter().rev().map(|bytes| RoundOutcome::from_bytes(bytes).unwrap()).collect();
        run.absorb(outcomes).unwrap();
        if run.source().made() == 2 {
            let mut state = Sections::default();
            run.save(&mut state).unwrap();
            run = start();
            run.restore(&state).unwrap();
        }
    }
    run
}

#[test]
fn rounds_through_bytes_equal_rounds_at_home() {
    for kind in [SamplerKind::Exact, SamplerKind::PivotApprox, SamplerKind::Glauber] {
        let drawn = drawn("@lesmis", kind, 4);
        let learning = small();
        let home = learning.learn::<f64>(&drawn, 7).unwrap();
        let away = by_bytes::<f64>(&learning, &drawn, 7);
        let learned = away.trainer().learned().unwrap();
        assert_eq!(home.dictionary(), learned.dictionary(), "{kind}");
        assert_eq!(home.aggregates(), learned.aggregates(), "{kind}");
        assert_eq!(away.trainer().history().points.len(), 4);
        assert_eq!(away.source().stats().traces[0].traces[0].seen(), 4 * 2 * 21);
        let home = learning.learn::<f32>(&drawn, 7).unwrap();
        let away = by_bytes::<f32>(&learning, &drawn, 7);
        assert_eq!(home.dictionary(), away.trainer().learned().unwrap().dictionary(), "{kind}");
    }
}

#[test]
fn one_minibatch_of_each_chain_is_a_step_of_the_scheme() {
    let drawn = drawn("@karate", SamplerKind::Pivot, 5);
    let learning = RoundLearning { rounds: 6, minibatches: 1, every: 2, ..small() };
    let rounds = learning.learn::<f64>(&drawn, 1).unwrap();
    let watching = BatchPlan { batch: 63, chains: 3, burn_in: 5, every: 2, memory: None };
    let steps = NetworkLearning { steps: 6, watching, parameters: learning.parameters.clone() };
    let steps = steps.learn::<f64>(&[drawn], 1).unwrap();
    assert_eq!(rounds.aggregates().samples, steps.aggregates().samples);
    let difference = |one: &crate::linalg::Mat<f64>, two: &crate::linalg::Mat<f64>| {
        one.padded().iter().zip(two.padded()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    };
    assert!(difference(rounds.dictionary(), steps.dictionary()) < 1e-9);
    assert!(difference(&rounds.aggregates().a, &steps.aggregates().a) < 1e-7);
    assert!((rounds.surrogate() - steps.surrogate()).abs() < 1e-7 * steps.surrogate());
    // And minibatches are drawn one after the other: two of 10 columns are one of 20.
    let learn = |minibatches, batch| {
        RoundLearning { minibatches, batch, ..learning.clone() }
            .learn::<f64>(&self::drawn("@karate", SamplerKind::Pivot, 5), 1)
    };
    let (two, one) = (learn(2, 10).unwrap(), learn(1, 20).unwrap());
    assert!(difference(two.dictionary(), one.dictionary()) < 1e-9);
}

#[test]
fn losses_and_statistics_agree() {
    let drawn = drawn("@karate", SamplerKind::Exact, 5);
    let place = TaskContext::new(&drawn);
    let mut run = rounds::<f64>(small(), &drawn, false, 2).unwrap();
    let outcomes: Vec<RoundOutcome> =
        run.tasks().unwrap().iter().map(|task| task.run(&place, &|| false).unwrap()).collect();
    let losses: Vec<f64> = outcomes.iter().flat_map(|outcome| &outcome.losses).copied().collect();
    let losses = losses.iter().sum::<f64>() / f64::from(3 * 2 * 21);
    let report = run.absorb(outcomes).unwrap();
    assert!((report.loss_before - losses).abs() < 1e-9 * losses, "{} {losses}", report.loss_before);
    assert_eq!((report.samples, run.source().made()), (3 * 2 * 21, 1));
}

#[test]
fn what_cannot_be_is_refused() {
    let drawn = drawn("@karate", SamplerKind::Exact, 5);
    let place = TaskContext::new(&drawn);
    let new = |learning: RoundLearning| {
        rounds::<f64>(learning, &drawn, true, 2).map(|_| ()).unwrap_err().to_string()
    };
    assert!(new(RoundLearning { chains: 0, ..small() }).contains("chains"));
    assert!(new(RoundLearning { rounds: 0, ..small() }).contains("rounds"));
    let mut reseeding = small();
    reseeding.parameters.unused = crate::factor::UnusedAtoms::Reseed;
    assert!(new(reseeding).contains("keep"));
    let mut run = rounds::<f64>(small(), &drawn, true, 2).unwrap();
    let tasks = run.tasks().unwrap();
    let outcomes: Vec<RoundOutcome> = tasks.iter().map(|task| task.run(&place, &|| false).unwrap()).collect();
    let swapped = vec![outcomes[1].clone(), outcomes[0].clone(), outcomes[2].clone()];
    assert!(run.absorb(swapped).unwrap_err().to_string().contains("in their order"));
    assert!(run.absorb(outcomes[..2].to_vec()).is_err());
    run.absorb(outcomes.clone()).unwrap();
    assert!(run.absorb(outcomes).unwrap_err().to_string().contains("round 1"));
    // A machine that rounds otherwise, a network with other patches, and one who asks to stop.
    let other = RoundTask { arithmetic: "sparc 0123".into(), ..tasks[0].clone() };
    let said = other.run(&place, &|| false).unwrap_err().to_string();
    assert!(said.contains("sparc 0123") && said.contains("ERGODICT_SIMD"), "{said}");
    let larger = TaskContext::new(&self::drawn("@karate", SamplerKind::Exact, 6));
    assert!(tasks[0].run(&larger, &|| false).unwrap_err().to_string().contains("36 numbers"));
    assert!(matches!(tasks[0].run(&place, &|| true), Err(crate::Error::Interrupted)));
}

#[test]
fn every_damaged_byte_is_noticed() {
    let drawn = drawn("@kite", SamplerKind::Exact, 3);
    let place = TaskContext::new(&drawn);
    let run = rounds::<f32>(small(), &drawn, true, 2).unwrap();
    let task = run.tasks().unwrap().remove(1);
    let outcome = task.run(&place, &|| false).unwrap().to_bytes().unwrap();
    let task = task.to_bytes().unwrap();
    for at in 0..task.len() {
        let mut bytes = task.clone();
        bytes[at] ^= 4;
        assert!(RoundTask::from_bytes(&bytes).is_err(), "byte {at}");
        assert!(RoundTask::from_bytes(&task[..at]).is_err(), "{at} bytes");
    }
    for at in (0..outcome.len()).step_by(7) {
        let mut bytes = outcome.clone();
        bytes[at] ^= 128;
        assert!(RoundOutcome::from_bytes(&bytes).is_err(), "byte {at}");
    }
    assert!(RoundTask::from_bytes(&outcome).is_err() && RoundOutcome::from_bytes(&task).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn outcomes_come_back(d in 1usize..9, r in 1usize..6, losses in prop::collection::vec(any::<f64>(), 0..5), bits in any::<u64>()) {
        use crate::chain::{MotifPoint, Trace, diagnostics::Acceptance};
        let mut trace = Trace::new(8);
        losses.iter().filter(|x| x.is_finite()).for_each(|&x| trace.push_with(|| x));
        let point = MotifPoint { kept: bits, word: bits / 3, state: vec![1, 2], acceptance: Acceptance::default() };
        let number = |i: usize, j: usize| f64::from_bits(bits.rotate_left((i * 7 + j) as u32));
        let statistics = crate::factor::Statistics {
            a: crate::linalg::Mat::from_fn(r, r, number),
            b_transposed: crate::linalg::Mat::from_fn(d, r, number),
            r: number(3, 4),
            weight: (bits >> 40) as f64,
        };
        let state = RoundChain { point: Some(point), acceptance: Acceptance { accepted: 1, proposed: bits }, trace };
        let outcome = RoundOutcome { round: bits / 5, chain: 3, statistics, losses, capped: bits / 7, state };
        let bytes = outcome.to_bytes().unwrap();
        let back = RoundOutcome::from_bytes(&bytes).unwrap();
        // Not numbers are not equal to themselves, but their bytes are.
        prop_assert_eq!(back.to_bytes().unwrap(), bytes);
        prop_assert_eq!(&back.state, &outcome.state);
        prop_assert!(RoundTask::from_bytes(&back.to_bytes().unwrap()).is_err());
    }
}
