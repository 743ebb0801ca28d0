//! Moments and durations: numbers in the unit of a file, or dates and times of day of ISO 8601 in seconds since 1970 (UTC).

use super::TimedEdges;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::str::FromStr;

/// What the times of a file are.
///
/// ```
/// use ergodict::data::{TimeOptions, Times, parse_timed};
/// let kind = |text: &[u8]| Ok::<_, ergodict::Error>(parse_timed(text, &TimeOptions::default())?.0.kind());
/// assert_eq!((kind(b"a b 3\n")?, kind(b"a b 2004-05-01\n")?), (Times::Numbers, Times::Dates));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Times {
    /// Numbers, in whatever unit the file has.
    #[default]
    Numbers,
    /// Numbers that lie where seconds since 1970 of our days do: read as numbers, but shown as dates.
    Unix,
    /// Dates, as seconds since 1970.
    Dates,
}

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Seconds since 1970 that numbers are taken for if all are within: from March 1973 to June 2128.
pub(crate) const UNIX: std::ops::Range<f64> = 1e8..5e9;

impl Times {
    /// A moment in words: the number, or the date and, where it is not midnight, the time of day.
    ///
    /// ```
    /// use ergodict::data::Times;
    /// assert_eq!(Times::Numbers.show(12.5), "12.5");
    /// assert_eq!(Times::Dates.show(0.0), "1970-01-01");
    /// assert_eq!(Times::Unix.show(951_827_696.0), "2000-02-29T12:34:56");
    /// ```
    pub fn show(self, moment: f64) -> String {
        if self == Self::Numbers || !moment.is_finite() || moment.abs() > 1e13 {
            return number(moment);
        }
        // Thousandths of seconds are all that is shown: rounded before the day is split off, for they may be the next day's.
        let thousandths = (moment * 1000.0).round() as i64;
        let (days, thousandths) = (thousandths.div_euclid(86_400_000), thousandths.rem_euclid(86_400_000));
        let (year, month, day) = civil(days);
        let mut text = format!("{year:04}-{month:02}-{day:02}");
        if thousandths > 0 {
            let (seconds, rest) = (thousandths / 1000, thousandths % 1000);
            let _ = write!(text, "T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
            if rest > 0 {
                let _ = write!(text, ".{rest:03}");
            }
        }
        text
    }

    /// What numbers like these are.
    pub(super) fn of_numbers(times: &[f64]) -> Self {
        if !times.is_empty() && times.iter().all(|time| UNIX.contains(time)) {
            Self::Unix
        } else {
            Self::Numbers
        }
    }
}

/// A number in the fifteen digits that all numbers have, without the noise of arithmetic behind them; integers as they are.
fn number(number: f64) -> String {
    let rounded = format!("{number:.14e}").parse().unwrap_or(number);
    format!("{}", if number.fract() == 0.0 { number } else { rounded })
}

/// A length of time: a number in the unit of the file, or with a unit such as `7d`, in seconds.
///
/// ```
/// use ergodict::data::Duration;
/// assert_eq!("12h".parse::<Duration>()?.length, 43_200.0);
/// assert_eq!("2.5".parse::<Duration>()?, Duration { length: 2.5, in_seconds: false });
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Duration {
    /// How long it is; above 0.
    pub length: f64,
    /// Whether a unit was given, so that it is in seconds.
    pub in_seconds: bool,
}

impl Duration {
    /// The length in the unit that rows have their times in.
    ///
    /// ```
    /// use ergodict::data::{Duration, NodeIds, TimedEdges};
    /// let rows = |times| TimedEdges::new(NodeIds::numbered(3), vec![(0, 1), (1, 2)], times);
    /// let day: Duration = "1d".parse()?;
    /// assert_eq!(day.among(&rows(vec![1_082_040_961.0, 1_082_155_839.0])?)?, 86_400.0);
    /// assert!(day.among(&rows(vec![0.0, 20.0])?).is_err());
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for a length with a unit where times are numbers of an unknown unit.
    pub fn among(self, rows: &TimedEdges) -> Result<f64> {
        if !self.in_seconds || rows.kind() != Times::Numbers {
            return Ok(self.length);
        }
        let (from, to) = rows.span();
        // Fractions of seconds since 1970, as many systems count them.
        let finer = [("milliseconds", 1e3), ("microseconds", 1e6), ("nanoseconds", 1e9)];
        let finer =
            finer.into_iter().find(|(_, part)| UNIX.contains(&(from / part)) && UNIX.contains(&(to / part)));
        let (times, instead) = match finer {
            Some((unit, part)) => (
                format!("which look like {unit} since 1970"),
                format!(", here {}", number(self.length * part)),
            ),
            None => ("neither seconds since 1970 nor dates".into(), String::new()),
        };
        Err(Error::parameter(
            "the length of time",
            format!("{} seconds", number(self.length)),
            format!(
                "times are numbers from {} to {}, {times}, so that a length needs to be in their unit, a number alone{instead}",
                number(from),
                number(to)
            ),
        ))
    }
}

impl FromStr for Duration {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let trimmed = text.trim();
        let digits = trimmed.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let (number, unit) = match trimmed.parse::<f64>() {
            Ok(_) => (trimmed, ""),
            Err(_) => (digits.trim_end(), &trimmed[digits.len()..]),
        };
        let seconds = match unit {
            "" | "s" => Some(1.0),
            "m" | "min" => Some(60.0),
            "h" => Some(3600.0),
            "d" => Some(DAY),
            "w" => Some(7.0 * DAY),
            "y" => Some(365.2425 * DAY),
            _ => None,
        };
        let length = number.parse::<f64>().ok().zip(seconds).map(|(number, unit)| number * unit);
        match length.filter(|length| *length > 0.0 && length.is_finite()) {
            Some(length) => Ok(Self { length, in_seconds: !unit.is_empty() }),
            None => Err(Error::parameter(
                "the length of time",
                format!("`{trimmed}`"),
                "it must be a number above 0 in the unit of the file, or one with a unit: 45s, 30m, 12h, 7d, 2w, 1y",
            )),
        }
    }
}

/// A moment out of ISO 8601, as seconds since 1970 in UTC; none for what is no date. Dates without a time of day are
/// midnight, without an offset they are UTC.
///
/// ```
/// use ergodict::data::parse_moment;
/// assert_eq!(parse_moment("1970-01-02"), Some(86_400.0));
/// assert_eq!(parse_moment("1970-01-01T01:00:00.5+01:00"), Some(0.5));
/// assert_eq!(parse_moment("1970-13-01"), None);
/// ```
pub fn parse_moment(text: &str) -> Option<f64> {
    let text = text.trim();
    let (date, clock) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], Some(text[at + 1..].trim_start())),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let (year, month) = (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?);
    let day = parts.next().map_or(Some(1), |day| digits(day, 2))?;
    if parts.next().is_some() || !(1..=12).contains(&month) || day < 1 || day > days_of(year, month) {
        return None;
    }
    let midnight = days_since_1970(year, month, day) as f64 * DAY;
    clock.map_or(Some(midnight), |clock| Some(midnight + time_of_day(clock)?))
}

/// Seconds since midnight in UTC.
fn time_of_day(text: &str) -> Option<f64> {
    let zone = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(zone);
    let offset = match zone {
        "" | "Z" | "z" => 0.0,
        zone => {
            let sign = if zone.starts_with('-') { -1.0 } else { 1.0 };
            let zone = zone[1..].replace(':', "");
            let (hours, minutes) = match zone.len() {
                2 => (digits(&zone, 2)?, 0),
                4 => (digits(zone.get(..2)?, 2)?, digits(zone.get(2..)?, 2)?),
                _ => return None,
            };
            if hours > 23 || minutes > 59 {
                return None;
            }
            sign * (hours * 3600 + minutes * 60) as f64
        }
    };
    let mut parts = clock.trim_end().split(':');
    let (hours, minutes) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let seconds = match parts.next() {
        None => 0.0,
        Some(seconds) => {
            let (whole, fraction) = seconds.split_once(['.', ',']).unwrap_or((seconds, "0"));
            let fraction = fraction.bytes().all(|byte| byte.is_ascii_digit()).then_some(fraction)?;
            digits(whole, 2)? as f64 + format!("0.{fraction}").parse::<f64>().ok()?
        }
    };
    // A leap second is the first of the next minute.
    let possible = hours < 24 && minutes < 60 && seconds < 61.0 && parts.next().is_none();
    possible.then_some((hours * 3600 + minutes * 60) as f64 + seconds - offset)
}

/// Exactly this number of digits.
fn digits(text: &str, count: usize) -> Option<i64> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

fn days_of(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days before a year of the Gregorian calendar that begins in March, since March of the year 0.
fn days_before(year: i64) -> i64 {
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400)
}

/// Days from March of the year 0 to 1970.
const UNTIL_1970: i64 = 719_468;

/// Days before each month of a year that begins in March, so that leap days come last.
const BEFORE_MONTH: [i64; 12] = [0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337];

fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    days_before(year) + BEFORE_MONTH[month as usize] + day - 1 - UNTIL_1970
}

/// Year, month and day.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + UNTIL_1970;
    // A year has 365.2425 days on average: the guess is off by one at most.
    let mut year = (days as f64 / 365.2425).floor() as i64;
    while days_before(year + 1) <= days {
        year += 1;
    }
    while days_before(year) > days {
        year -= 1;
    }
    let of_year = days - days_before(year);
    let month = BEFORE_MONTH.iter().rposition(|before| *before <= of_year).unwrap_or(0);
    let day = of_year - BEFORE_MONTH[month] + 1;
    let month = month as i64;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_many_years_comes_back() {
        let mut day = days_since_1970(1890, 1, 1);
        for year in 1890..2110 {
            for month in 1..=12 {
                for of_month in 1..=days_of(year, month) {
                    assert_eq!(civil(day), (year, month, of_month));
                    let text = format!("{year:04}-{month:02}-{of_month:02}");
                    assert_eq!(parse_moment(&text), Some(day as f64 * DAY));
                    assert_eq!(Times::Dates.show(day as f64 * DAY), text);
                    day += 1;
                }
            }
        }
        assert_eq!(day, days_since_1970(2110, 1, 1));
        assert_eq!(days_since_1970(1970, 1, 1), 0);
    }

    #[test]
    fn times_of_day_and_offsets() {
        for (text, expected) in [
            ("1970-01-01T00:00", Some(0.0)),
            ("1970-01-01 00:00:01Z", Some(1.0)),
            ("1970-01-01T00:00:01.25", Some(1.25)),
            ("1970-01-01T00:00:00-0130", Some(5400.0)),
            ("1970-01-01T00:00:00+02", Some(-7200.0)),
            ("1969-12-31T23:59:60", Some(0.0)),
            ("1970-02", Some(31.0 * DAY)),
            ("2001-02-29", None),
            ("2000-02-30", None),
            ("1970-01-01T24:00", None),
            ("1970-01-01T00:60", None),
            ("1970-01-01T", None),
            ("1970-01-01T00", None),
            ("1970-01-01T00:00:1", None),
            ("1970-01-01T00:00:00+25:00", None),
            ("1970-1-1", None),
            ("70-01-01", None),
            ("1970", None),
            ("é970-01-01", None),
            ("", None),
        ] {
            assert_eq!(parse_moment(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_shown_is_a_moment_again() {
        for (moment, expected) in [
            (86_399.999_8, "1970-01-02"),
            (86_399.999_4, "1970-01-01T23:59:59.999"),
            (-0.0002, "1970-01-01"),
            (-0.25, "1969-12-31T23:59:59.750"),
            (951_827_696.125, "2000-02-29T12:34:56.125"),
            (1_082_073_599.999_7, "2004-04-16"),
        ] {
            let shown = Times::Dates.show(moment);
            assert_eq!(shown, expected);
            assert!((parse_moment(&shown).unwrap() - moment).abs() <= 0.000_5, "{shown}");
        }
        for (moment, expected) in [
            (300.207_999_999_999_97, "300.208"),
            (0.1 + 0.2, "0.3"),
            (-12.5, "-12.5"),
            (9_007_199_254_740_991.0, "9007199254740991"),
            (1e-7, "0.0000001"),
        ] {
            assert_eq!(Times::Numbers.show(moment), expected);
        }
    }

    #[test]
    fn units_need_times_that_have_one() {
        use crate::data::NodeIds;
        let among = |text: &str, times: [f64; 2], kind| {
            let rows =
                TimedEdges::with(NodeIds::numbered(3), vec![(0, 1), (1, 2)], times.into(), None, None, kind);
            text.parse::<Duration>().unwrap().among(&rows.unwrap())
        };
        assert_eq!(among("1d", [0.0, 1e7], Times::Dates).unwrap(), DAY);
        assert_eq!(among("1d", [1e9, 2e9], Times::Numbers).unwrap(), DAY);
        assert_eq!(among("20", [0.0, 20.0], Times::Numbers).unwrap(), 20.0);
        let told = among("20s", [0.0, 20.0], Times::Numbers).unwrap_err().to_string();
        assert!(told.contains("from 0 to 20, neither seconds since 1970 nor dates"), "{told}");
        let told = among("1d", [1.7e12, 1.72e12], Times::Numbers).unwrap_err().to_string();
        assert!(
            told.contains("look like milliseconds since 1970") && told.contains("here 86400000"),
            "{told}"
        );
    }

    #[test]
    fn durations() {
        for (text, length, in_seconds) in [
            ("7d", 604_800.0, true),
            ("30m", 1800.0, true),
            ("1e3", 1000.0, false),
            (" 2 w ", 1_209_600.0, true),
        ] {
            assert_eq!(text.parse::<Duration>().unwrap(), Duration { length, in_seconds }, "{text}");
        }
        for text in ["", "0", "-1", "d", "7 parsecs", "inf", "nan", "1e400", "7dd"] {
            assert!(text.parse::<Duration>().is_err(), "{text}");
        }
    }
}
