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
    // Sums of squares beyond f64, of samples that the penalty leaves without a code.
    let settings = FactorSettings { lambda: 1e200, ..FactorSettings::new(2) };
    let mut model = Factorizer::<f64>::random(settings, 1, 0).unwrap();
    assert_eq!(largest(model.step(&Mat::from_fn(1, 100, |_, _| 1e153)).unwrap_err()), 0.0);
    // Codes whose squares are beyond f32, of an atom that is short, first or last.
    for short in [0, 1] {
        let settings = FactorSettings { lambda: 0.0, ..FactorSettings::new(2) };
        let size = |k: usize| if k == short { 2e-19 } else { 1.0 };
        let w = Mat::<f32>::from_fn(2, 2, |i, k| if i == k { size(k) } else { 0.0 });
        let mut model = Factorizer::<f32>::from_dictionary(settings, w.as_ref()).unwrap();
        let found = largest(model.step(&Mat::<f32>::from_fn(2, 64, |_, _| 1.0)).unwrap_err());
        assert!((found * 2e-19 - 1.0).abs() < 1e-3, "{found}");
    }
}
