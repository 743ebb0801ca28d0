//! Weights of steps that are given before they are taken, and sums that overflow.

use super::Factorizer;
use crate::Error;
use crate::factor::{FactorSettings, Schedule};
use crate::linalg::Mat;

#[test]
fn weights_that_are_given_are_used_once_and_then_repeated() {
    let x = Mat::from_fn(4, 3, |i, j| ((i + 2 * j) % 5) as f64);
    let mut model = Factorizer::<f64>::random(FactorSettings::new(2), 4, 0).unwrap();
    let by_schedule = [1, 2].map(|t| model.parameters().schedule.weight(t));
    for weight in by_schedule {
        assert_eq!(model.step(&x).unwrap().weight, weight);
    }
    for (given, used) in [(Some(0.25), 0.25), (None, 0.25), (Some(1.0), 1.0), (Some(0.5), 0.5)] {
        if let Some(weight) = given {
            // One that is set again before it was used is another.
            model.next_weight(0.75).unwrap();
            model.next_weight(weight).unwrap();
        }
        assert_eq!(model.step(&x).unwrap().weight, used);
    }
    let Schedule::List { weights } = &model.parameters().schedule else { panic!("a list") };
    assert_eq!(weights[..3], [by_schedule[0], by_schedule[1], 0.25]);
    for weight in [0.0, -0.5, 1.0 + 1e-9, f64::NAN] {
        assert!(model.next_weight(weight).unwrap_err().to_string().contains("(0, 1]"), "{weight}");
    }
}

#[test]
fn sums_that_overflow_are_told_with_the_largest_code() {
    let largest = |error: Error| match error {
        Error::Overflow { largest, .. } => largest,
        error => panic!("{error}"),
    };
    // Squares that fit f64, and do not with the penalty of codes of a half.
    let size = 2f64.powi(510);
    let settings = FactorSettings { lambda: size, ..FactorSettings::new(1) };
    let mut model = Factorizer::from_dictionary(settings, Mat::from_fn(1, 1, |_, _| 1.0).as_ref()).unwrap();
    let found = largest(model.step(&Mat::from_fn(1, 3, |_, _| size)).unwrap_err());
    assert!((found - 0.5).abs() < 1e-9, "{found}");
}
