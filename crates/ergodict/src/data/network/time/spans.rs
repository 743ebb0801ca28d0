//! When windows begin and end.
//!
//! Times and lengths are decimals where they come from, and windows are cut in those: `3 · 0.1` is `0.3` here, the same number that a row of that time has,
//! and not the `0.30000000000000004` of binary arithmetic, which would put the row into the window before.

use super::windows::{MOST_WINDOWS, WindowCut};
use crate::{Error, Result};

/// Spans of windows from the first time to the last; where one ends and the next begins is the same number.
pub(super) fn spans(cut: WindowCut, first: f64, last: f64) -> Result<Vec<(f64, f64)>> {
    let length = last - first;
    if !length.is_finite() {
        return Err(Error::parameter("the span of times", length, "it must be a finite number"));
    }
    let too_many = |windows: f64, way_out: &str| {
        let expected = format!("at most {MOST_WINDOWS} are possible: {way_out}");
        Error::parameter("the number of windows", windows, expected)
    };
    match cut {
        WindowCut::Into(0) => Err(Error::parameter("the number of windows", 0, "at least one is needed")),
        WindowCut::Into(windows) if windows > MOST_WINDOWS => Err(too_many(windows as f64, "cut into fewer")),
        WindowCut::Into(_) if length == 0.0 => Ok(vec![(first, last)]),
        WindowCut::Into(windows) => {
            let mut edges: Vec<f64> = (0..windows).map(|at| share(first, last, at, windows)).collect();
            edges.push(last);
            // Some edges are exact and some rounded: of two within a rounding the later is not before the other.
            for at in 1..edges.len() {
                edges[at] = edges[at].max(edges[at - 1]);
            }
            Ok(edges.windows(2).map(|pair| (pair[0], pair[1])).collect())
        }
        WindowCut::Every { window, stride } => {
            for (name, value) in [("the length of a window", window), ("the stride of windows", stride)] {
                if !(value > 0.0 && value.is_finite()) {
                    return Err(Error::parameter(name, value, "it must be a number above 0"));
                }
                if first + value == first {
                    let expected = format!("it is too short for times such as {first}");
                    return Err(Error::parameter(name, value, expected));
                }
            }
            let refused = |windows| Err(too_many(windows, "take longer ones, or a longer stride"));
            let needed = ((length - window) / stride).floor() + 1.0;
            let windows = (length / stride).floor().min(needed.max(0.0)) + 1.0;
            if windows.is_nan() || windows > MOST_WINDOWS as f64 {
                return refused(windows);
            }
            let decimals = alike([first, stride, window]);
            let begin = |at: usize| plus(decimals, at, false).unwrap_or(first + at as f64 * stride);
            let end = |at: usize| match plus(decimals, at, true) {
                Some(end) => end,
                None if window == stride => begin(at + 1),
                None => begin(at) + window,
            };
            // Until the last time is in a window, or no other could hold it.
            let mut spans = vec![(begin(0), end(0))];
            while spans[spans.len() - 1].1 <= last && begin(spans.len()) <= last {
                if spans.len() == MOST_WINDOWS {
                    return refused(windows + 1.0);
                }
                spans.push((begin(spans.len()), end(spans.len())));
            }
            Ok(spans)
        }
    }
}

/// The shortest decimal that is read as this number: an integer and the power of ten it is to be multiplied with.
fn decimal(number: f64) -> Option<(i128, i32)> {
    let text = format!("{number:e}");
    let (digits, power) = text.split_once('e')?;
    let power: i32 = power.parse().ok()?;
    let places = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    Some((digits.replace('.', "").parse().ok()?, power - i32::try_from(places).ok()?))
}

/// Decimals as integers over one power of ten; none where they are too far from each other for that.
fn alike<const N: usize>(numbers: [f64; N]) -> Option<([i128; N], i32)> {
    let (mut integers, mut powers) = ([0; N], [0; N]);
    for (at, number) in numbers.into_iter().enumerate() {
        (integers[at], powers[at]) = decimal(number)?;
    }
    let least = powers.into_iter().min()?;
    for (integer, power) in integers.iter_mut().zip(powers) {
        *integer = integer.checked_mul(10_i128.checked_pow(u32::try_from(power - least).ok()?)?)?;
    }
    Some((integers, least))
}

/// The number nearest to a decimal.
fn nearest(integer: i128, power: i32) -> Option<f64> {
    format!("{integer}e{power}").parse().ok()
}

/// `first + at · stride`, and a window more where the end is asked for, out of all three.
fn plus(decimals: Option<([i128; 3], i32)>, at: usize, end: bool) -> Option<f64> {
    let ([first, stride, window], power) = decimals?;
    let later = stride.checked_mul(i128::try_from(at).ok()?)?;
    nearest(first.checked_add(later)?.checked_add(if end { window } else { 0 })?, power)
}

/// Where share `at` of equal ones begins: a decimal, if it is one of not too many digits.
fn share(first: f64, last: f64, at: usize, shares: usize) -> f64 {
    /// Digits that a decimal may have more than both ends.
    const MORE: u32 = 9;
    let exact = || {
        let ([first, last], power) = alike([first, last])?;
        let (at, shares) = (i128::try_from(at).ok()?, i128::try_from(shares).ok()?);
        let whole = first.checked_mul(shares - at)?.checked_add(last.checked_mul(at)?)?;
        let whole = whole.checked_mul(10_i128.pow(MORE))?;
        (whole % shares == 0).then(|| nearest(whole / shares, power - MORE as i32))?
    };
    exact().unwrap_or_else(|| first + (last - first) * (at as f64 / shares as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows `first`, `first + step`, … as a file has them: written with this number of digits, and read.
    fn times(first: i64, step: i64, places: i32, count: i64) -> Vec<f64> {
        (0..count).map(|at| nearest((first + at * step).into(), -places).unwrap()).collect()
    }

    /// How many windows each time is in.
    fn memberships(spans: &[(f64, f64)], times: &[f64]) -> Vec<usize> {
        let within = |time: &f64| spans.iter().filter(|(from, to)| from <= time && time < to).count();
        times.iter().map(within).collect()
    }

    #[test]
    fn rows_a_window_apart_are_one_in_each() {
        for (step, places) in [(1, 1), (3, 1), (1, 2), (7, 3), (1, 9), (5, 0), (86_400, 0)] {
            for first in [0, 1, 3, -7, 300_208, 1_082_040_961] {
                for count in [1, 2, 21, 101, 1000] {
                    let times = times(first, step, places, count);
                    let window = nearest(step.into(), -places).unwrap();
                    let spans =
                        spans(WindowCut::Every { window, stride: window }, times[0], times[times.len() - 1])
                            .unwrap();
                    let begins: Vec<f64> = spans.iter().map(|span| span.0).collect();
                    assert_eq!(begins, times, "{first} {window}");
                    assert!(spans.windows(2).all(|pair| pair[0].1 == pair[1].0));
                    assert!(spans[spans.len() - 1].1 > times[times.len() - 1]);
                }
            }
        }
    }

    #[test]
    fn every_row_is_in_one_window_or_in_as_many_as_overlap() {
        let times = times(0, 1, 2, 1001);
        for (window, stride, expected) in
            [(0.1, 0.1, 1), (0.3, 0.3, 1), (0.01, 0.01, 1), (0.7, 0.7, 1), (0.6, 0.3, 2), (0.3, 0.1, 3)]
        {
            let spans = spans(WindowCut::Every { window, stride }, 0.0, 10.0).unwrap();
            // The first and the last lie in fewer.
            let all = memberships(&spans, &times);
            assert!(all[100..900].iter().all(|count| *count == expected), "{window} {stride}");
            assert!(all.iter().all(|count| (1..=expected).contains(count)), "{window} {stride}");
        }
        // Numbers that are no short decimals, and that are too far from each other for decimals.
        for (first, last, window) in
            [(1.0 / 3.0, 7.1, 1.0 / 7.0), (1e-300, 1.0, 0.001), (-1e300, 1e300, 3.7e296)]
        {
            let spans = spans(WindowCut::Every { window, stride: window }, first, last).unwrap();
            assert!(spans.windows(2).all(|pair| pair[0].1 == pair[1].0 && pair[0].0 < pair[0].1));
            assert_eq!(memberships(&spans, &[first, last]), [1, 1]);
        }
    }

    #[test]
    fn equal_shares_begin_at_decimals_where_they_can() {
        let spans_of = |windows, first, last| spans(WindowCut::Into(windows), first, last).unwrap();
        let begins: Vec<f64> = spans_of(100, 0.0, 10.0).iter().map(|span| span.0).collect();
        assert_eq!(begins, times(0, 1, 1, 100));
        assert_eq!(spans_of(4, 0.1, 0.2)[1], (0.125, 0.15));
        for (windows, first, last) in
            [(3, 0.0, 1.0), (7, -0.3, 1e10), (20, 1e15, 1e15 + 1.0), (2, 1e-300, 1e300)]
        {
            let spans = spans_of(windows, first, last);
            assert_eq!((spans.len(), spans[0].0, spans[windows - 1].1), (windows, first, last));
            assert!(spans.windows(2).all(|pair| pair[0].1 == pair[1].0 && pair[0].0 <= pair[0].1));
        }
    }
}
