//! What the weights in a column look like that is something else.

use super::unnamed::FEWEST;
use crate::data::network::edge_list::integer_of;
use std::collections::BTreeSet;

/// Ascending numbers from here on are rather times than weights, also where many of them are the same.
const LARGE: i64 = 1000;

/// Such as times.
pub(in super::super) fn odd_weights<T: AsRef<str>>(rows: &[Vec<T>], at: usize) -> Option<&'static str> {
    let read = |weight: &dyn Fn(&str) -> Option<i64>| -> Option<Vec<i64>> {
        rows.iter().map(|row| weight(row.get(at)?.as_ref())).collect()
    };
    let integers = read(&integer_of);
    let whole = integers.is_some();
    let seconds = |field: &str| Some(field.parse::<f64>().ok().filter(|x| x.is_finite())? as i64);
    let weights = integers.or_else(|| read(&seconds)).filter(|weights| weights.len() > 1)?;
    let all = |holds: &dyn Fn(i64) -> bool| weights.iter().all(|&weight| holds(weight));
    let numbered = |from: i64| weights.iter().zip(from..).all(|(&weight, at)| weight == at);
    let day = |weight: i64| {
        let (year, month, day) = (weight / 10_000, weight / 100 % 100, weight % 100);
        (1800..=2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)
    };
    // Edges in the order of their weights have small ones again and again.
    let distinct = || {
        let values: BTreeSet<i64> = weights.iter().copied().collect();
        2 * values.len() > weights.len() || values.len() > 2 && weights[0] >= LARGE
    };
    match () {
        () if weights.iter().all(|weight| *weight == weights[0]) => None,
        () if whole && all(&day) => Some("dates"),
        // Seconds and milliseconds since 1970, from 1973 to 2128.
        () if all(&|weight| (100_000_000..5_000_000_000).contains(&weight)) => Some("times (since 1970)"),
        () if all(&|weight| (100_000_000_000..5_000_000_000_000).contains(&weight)) => {
            Some("times (since 1970)")
        }
        // Other numbers with decimals are weights.
        () if !whole => None,
        () if all(&|weight| (1800..=2100).contains(&weight)) => Some("years"),
        () if weights.len() >= FEWEST && (numbered(0) || numbered(1)) => Some("numbers of rows"),
        () if weights.len() >= FEWEST && weights.is_sorted() && distinct() => Some("times (ascending)"),
        () => None,
    }
}

/// Whether all weights in a column could have points that separate thousands: `950` next to `1.016`, no `0.950`, and no column of three decimals.
pub(in super::super) fn is_thousands<T: AsRef<str>>(rows: &[Vec<T>], at: usize) -> bool {
    let weights = || rows.iter().filter_map(|row| row.get(at)).map(AsRef::as_ref);
    let digits = |text: &str, most: std::ops::RangeInclusive<usize>| {
        most.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let grouped = |weight: &str| match weight.split_once('.') {
        _ if weight.len() > 1 && weight.starts_with('0') => false,
        Some((thousands, rest)) => digits(thousands, 1..=3) && digits(rest, 3..=3),
        None => digits(weight, 1..=3),
    };
    let pointed = |weight: &str| weight.contains('.');
    weights().all(grouped) && weights().any(pointed) && !weights().all(pointed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_can_separate_thousands() {
        for (weights, expected) in [
            ("1.016 950 12.000", true),
            ("1.000 2.000", false),
            ("12.345 3.210", false),
            ("1.000 1.000", false),
            ("1.016 0.950", false),
            ("1.016 1.25", false),
            ("1 950", false),
            ("1.016 1950", false),
            ("1.016 0 950", true),
        ] {
            let rows: Vec<Vec<&str>> = weights.split(' ').map(|weight| vec!["1", "2", weight]).collect();
            assert_eq!(is_thousands(&rows, 2), expected, "{weights}");
        }
    }

    #[test]
    fn weights_that_are_something_else_are_noticed() {
        for (weights, expected) in [
            ("1999 2001 2004", Some("years")),
            ("20200101 20200102", Some("dates")),
            ("1262454010 1262454030", Some("times (since 1970)")),
            ("1 2 3 4 5 6 7 8", Some("numbers of rows")),
            ("20 20 40 40 60 80 80 100", Some("times (ascending)")),
            ("1 1 1 1 2 2 3 5", None),
            ("5000 5000 5000 5020 5020 5020 5040 5040", Some("times (ascending)")),
            ("20 20 40 40 60 80 80 20", None),
            ("20 40 60", None),
            ("1 2 3", None),
            ("2000 2000", None),
            ("1999 12", None),
            ("0.5 1999", None),
            ("1503435956.000247 1503435957.5", Some("times (since 1970)")),
            ("0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8", None),
        ] {
            let rows: Vec<Vec<&str>> = weights.split(' ').map(|weight| vec!["1", "2", weight]).collect();
            assert_eq!(odd_weights(&rows, 2), expected, "{weights}");
        }
    }
}
