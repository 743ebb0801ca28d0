//! The exact pieces against each other and against simulation, and cases that break the bound next to those that keep it.

use super::cases::all;
use super::setting::{LAW, STATES, parameters, pictures};
use super::*;
use ergodict::chain::Chain;
use ergodict::factor::diagnostics::{Window, expected_loss};
use ergodict::factor::{Factorizer, Schedule};
use ergodict::rng::{Purpose, stream};

#[test]
fn the_occupation_times_losses_is_the_empirical_loss() {
    let size = Size { steps: 60, ..Size::new(true) };
    let all = pictures();
    for schedule in [Schedule::Balanced, Schedule::Power { beta: 0.8 }] {
        let mut factorizer = Factorizer::<f64>::random(parameters(schedule), all.rows(), 3).unwrap();
        let (chain, mut rng) = (Movement::Sticky.chain(size).unwrap(), stream(3, Purpose::Chain, 0));
        let (mut state, mut occupation, mut window) = (0, [0.0; STATES], Window::new(60));
        for _ in 0..size.steps {
            let picture = all.as_ref().columns(state, state + 1);
            let step = factorizer.step(picture).unwrap();
            window.push(picture, step.weight);
            for (y, share) in occupation.iter_mut().enumerate() {
                *share += step.weight * (f64::from(u8::from(y == state)) - *share);
            }
            chain.step(&mut state, &mut rng);
        }
        factorizer.transform(all.as_ref()).unwrap();
        let from_law: f64 = occupation.iter().zip(factorizer.losses()).map(|(p, loss)| p * loss).sum();
        let directly = window.empirical_loss(&mut factorizer).unwrap();
        assert!((from_law - directly).abs() < 1e-9 * directly, "{from_law} and {directly}");
    }
}

#[test]
fn the_exact_expected_loss_is_what_monte_carlo_finds() {
    let all = pictures();
    let mut factorizer = Factorizer::<f64>::random(parameters(Schedule::Balanced), all.rows(), 4).unwrap();
    factorizer.step(all.as_ref()).unwrap();
    factorizer.transform(all.as_ref()).unwrap();
    let exact: f64 = LAW.iter().zip(factorizer.losses()).map(|(p, loss)| p * loss).sum();
    let (law, mut rng) =
        (Movement::Independent.chain(Size::new(true)).unwrap(), stream(4, Purpose::Chain, 0));
    let mut state = 0;
    let drawn: Vec<usize> = (0..4000)
        .map(|_| {
            law.step(&mut state, &mut rng);
            state
        })
        .collect();
    let found =
        expected_loss(&mut factorizer, drawn.iter().map(|&y| all.as_ref().columns(y, y + 1))).unwrap();
    assert!((found.mean - exact).abs() < 4.0 * found.standard_error, "{found:?} and {exact}");
}

#[test]
fn whole_cases_close_in_and_broken_ones_do_not() {
    let size = Size { steps: 4096, ..Size::new(true) };
    for case in all(size) {
        let seen = runs(&case, size, 11).unwrap();
        assert_eq!(closes_in(&case, &seen), case.sound, "{}: {}", case.key, seen.excess(!case.sound));
        assert!(
            seen.ends.iter().all(|end| end.surrogate >= end.empirical - 1e-9),
            "f̂ is under f_t: {}",
            case.key
        );
    }
}

#[test]
fn runs_are_the_same_at_any_number_of_threads() {
    let size = Size { steps: 128, runs: 3, ..Size::new(true) };
    let case = &all(size)[2];
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        serde_json::to_string(&pool.install(|| runs(case, size, 5).unwrap())).unwrap()
    };
    assert_eq!(with(1), with(2));
}
