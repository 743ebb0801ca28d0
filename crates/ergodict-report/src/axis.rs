//! Axes of charts: where values stand, at which round values the ticks, what they say.

use crate::svg::text_width;

/// The coordinate used on an axis: the value or its decimal logarithm, if there is one.
pub(crate) fn place(v: f64, log: bool) -> Option<f64> {
    let at = if log { v.log10() } else { v };
    (v.is_finite() && at.is_finite()).then_some(at)
}

/// An axis from `lo` to `hi`; both are decimal logarithms when `log`.
pub(crate) struct Axis {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
    pub(crate) log: bool,
}

/// Where the ticks of an axis stand, as parts of its length, and what the major ones say.
pub(crate) struct Ticks {
    pub(crate) major: Vec<(f64, String)>,
    minor: Vec<f64>,
}

impl Ticks {
    /// Width of the widest label.
    pub(crate) fn widest(&self) -> f64 {
        self.major.iter().map(|t| text_width(&t.1)).fold(0.0, f64::max)
    }

    /// Ticks with these labels, as many as have room on `width`.
    pub(crate) fn named(major: Vec<(f64, String)>, width: f64) -> Self {
        let mut ticks = Self { major, minor: Vec::new() };
        let every = (1..=ticks.major.len()).find(|every| {
            let labels =
                ticks.major.iter().step_by(*every).map(|(at, label)| (*at * width, text_width(label)));
            let labels: Vec<(f64, f64)> = labels.collect();
            labels.windows(2).all(|pair| pair[1].0 - pair[0].0 > f64::midpoint(pair[0].1, pair[1].1) + 6.0)
        });
        let mut at = 0;
        ticks.major.retain(|_| (at % every.unwrap_or(1) == 0, at += 1).0);
        ticks
    }

    /// Blanks labels that would touch their left neighbor on an axis of `width`; returns how many.
    fn blank_crowded(&mut self, width: f64) -> usize {
        let (mut end, mut blanked) = (f64::NEG_INFINITY, 0);
        for (at, label) in &mut self.major {
            let (middle, half) = (*at * width, text_width(label) / 2.0);
            if middle - half < end {
                label.clear();
                blanked += 1;
            } else {
                end = middle + half + 6.0;
            }
        }
        blanked
    }

    /// Place and length of each mark.
    pub(crate) fn marks(&self) -> impl Iterator<Item = (f64, u32)> {
        self.major.iter().map(|t| (t.0, 5)).chain(self.minor.iter().map(|&at| (at, 3)))
    }
}

impl Axis {
    /// The axis that shows all `places`, with the part `margin` of its length free at both ends; none without places.
    pub(crate) fn over(places: impl Iterator<Item = f64>, log: bool, margin: f64) -> Option<Self> {
        let (mut lo, mut hi) =
            places.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), at| (lo.min(at), hi.max(at)));
        if lo > hi {
            return None;
        }
        let size = lo.abs().max(hi.abs());
        // Below this the places differ by rounding only (and below 1e-290 ticks would be denormal).
        if hi - lo <= (1e-11 * size).max(1e-290) {
            let half = match (log, size) {
                (true, _) => 0.35,
                (false, s) if s > 1e-280 => 0.1 * s,
                (false, _) => 1.0,
            };
            (lo, hi) = (lo - half, hi + half);
        } else {
            let free = margin * hi - margin * lo;
            let positive = lo >= 0.0;
            (lo, hi) = (lo - free, hi + free);
            // Room for zero costs little and keeps proportions honest.
            if !log && positive && lo < 0.25 * hi {
                lo = 0.0;
            }
        }
        Some(Self { lo: lo.max(f64::MIN), hi: hi.min(f64::MAX), log })
    }

    /// The axis from half a unit before the first place to half a unit after the last; none without places.
    pub(crate) fn close(places: impl Iterator<Item = f64>) -> Option<Self> {
        let ends = places.fold(None, |ends, at| match ends {
            None => Some((at, at)),
            Some((lo, hi)) => Some((at.min(lo), at.max(hi))),
        });
        ends.map(|(lo, hi): (f64, f64)| Self { lo: lo - 0.5, hi: hi + 0.5, log: false })
    }

    /// The axis between two values, if they are in order and have a place on it.
    pub(crate) fn between((low, high): (f64, f64), log: bool) -> Option<Self> {
        let (lo, hi) = (place(low, log)?, place(high, log)?);
        // Closer ends differ by rounding only, as in `over`.
        (hi - lo > (1e-11 * lo.abs().max(hi.abs())).max(1e-290)).then_some(Self { lo, hi, log })
    }

    /// Where `at` lies between the ends, 0 to 1. Halved first: the whole length may exceed what `f64` can hold.
    pub(crate) fn unit(&self, at: f64) -> f64 {
        (at / 2.0 - self.lo / 2.0) / (self.hi / 2.0 - self.lo / 2.0)
    }

    /// As many ticks as have room for their labels side by side on `width`, six at most.
    pub(crate) fn ticks_within(&self, width: f64) -> Ticks {
        let mut best = self.ticks(6);
        let mut blanked = best.blank_crowded(width - best.widest() / 2.0);
        for wanted in (2..6).rev() {
            let mut fewer = self.ticks(wanted);
            let crowded = fewer.blank_crowded(width - fewer.widest() / 2.0);
            if crowded < blanked {
                (best, blanked) = (fewer, crowded);
            }
        }
        best
    }

    /// About `wanted` major ticks at round values.
    pub(crate) fn ticks(&self, wanted: i32) -> Ticks {
        if self.log {
            return self.log_ticks(wanted);
        }
        let major = round_values(self.lo, self.hi, wanted);
        Ticks {
            major: major.into_iter().map(|(v, label)| (self.unit(v), label)).collect(),
            minor: Vec::new(),
        }
    }

    fn log_ticks(&self, wanted: i32) -> Ticks {
        let (first, last) = ((self.lo - 1e-9).ceil() as i32, (self.hi + 1e-9).floor() as i32);
        let inside = |at: f64| at >= self.lo - 1e-9 && at <= self.hi + 1e-9;
        let all = |mantissas: &'static [i32], step: i32| -> Vec<(i32, i32)> {
            let decades = (first - 1..=last).filter(move |e| e % step == 0);
            let all = decades.flat_map(|e| mantissas.iter().map(move |&m| (m, e)));
            all.filter(|&(m, e)| inside(power(m, e))).collect()
        };
        let stride = ((last - first) / wanted + 1).max(1);
        let (major, minor) = if last - first >= 2 {
            let fine = if stride == 1 && last - first <= 8 {
                all(&[2, 3, 4, 5, 6, 7, 8, 9], 1)
            } else {
                all(&[1], 1)
            };
            (all(&[1], stride), fine)
        } else {
            (all(&[1, 2, 5], 1), all(&[3, 4, 6, 7, 8, 9], 1))
        };
        if major.len() < 2 {
            let value = |at: f64| 10f64.powf(at).min(f64::MAX);
            let values = round_values(value(self.lo), value(self.hi), wanted);
            let placed = values.into_iter().filter(|&(v, _)| v > 0.0);
            return Ticks {
                major: placed.map(|(v, label)| (self.unit(v.log10()), label)).collect(),
                minor: Vec::new(),
            };
        }
        let plain = major.iter().all(|&(_, e)| (-4..=5).contains(&e));
        let label = |(m, e): (i32, i32)| match (m, plain) {
            (_, true) => grouped(&format!("{:.*}", (-e).max(0) as usize, f64::from(m) * 10f64.powi(e))),
            (1, false) => format!("10{}", superscript(e)),
            (_, false) => format!("{m}×10{}", superscript(e)),
        };
        Ticks {
            major: major.iter().map(|&(m, e)| (self.unit(power(m, e)), label((m, e)))).collect(),
            minor: minor.iter().map(|&(m, e)| self.unit(power(m, e))).collect(),
        }
    }
}

/// log₁₀ of `m` · 10^`e`.
fn power(m: i32, e: i32) -> f64 {
    f64::from(m).log10() + f64::from(e)
}

/// Multiples of 1, 2 or 5 times a power of ten between `lo` and `hi`, about `wanted` of them, with their labels.
fn round_values(lo: f64, hi: f64, wanted: i32) -> Vec<(f64, String)> {
    let raw = hi / f64::from(wanted) - lo / f64::from(wanted);
    let mut exponent = raw.log10().floor() as i32;
    let factor = match raw / 10f64.powi(exponent) {
        r if r <= 1.0 => 1.0,
        r if r <= 2.0 => 2.0,
        r if r <= 5.0 => 5.0,
        _ => {
            exponent += 1;
            1.0
        }
    };
    let step = factor * 10f64.powi(exponent);
    let (first, last) = ((lo / step - 1e-6).ceil() as i64, (hi / step + 1e-6).floor() as i64);
    let size = lo.abs().max(hi.abs());
    let common = size.log10().floor() as i32;
    let label = |k: i64| -> String {
        let v = k as f64 * step;
        if k == 0 {
            "0".to_owned()
        } else if (1e-3..1e6).contains(&size) {
            grouped(&format!("{v:.*}", (-exponent).max(0) as usize))
        } else {
            let mantissa = format!("{:.*}", (common - exponent).max(0) as usize, v / 10f64.powi(common));
            format!("{}×10{}", minus(&mantissa), superscript(common))
        }
    };
    (first..=last).map(|k| (k as f64 * step, label(k))).collect()
}

/// `digits` with a true minus sign and narrow spaces between groups of three from 10 000 on.
fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("−", rest));
    let (whole, part) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = sign.to_owned();
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && whole.len() > 4 && (whole.len() - i) % 3 == 0 {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out + part
}

/// `number` with a true minus sign.
pub(crate) fn minus(number: &str) -> String {
    number.replace('-', "−")
}

fn superscript(e: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        c => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][c.to_digit(10).unwrap_or(0) as usize],
    };
    e.to_string().chars().map(raised).collect()
}

/// `v` with at most five significant digits, for hover texts.
pub(crate) fn significant(v: f64) -> String {
    if v != 0.0 && !(1e-3..1e6).contains(&v.abs()) {
        let written = format!("{v:.4e}");
        let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        return format!("{}×10{}", minus(mantissa), superscript(exponent.parse().unwrap_or(0)));
    }
    let whole = if v == 0.0 { 0 } else { v.abs().log10().floor() as i32 };
    let written = format!("{v:.*}", (4 - whole).max(0) as usize);
    let short =
        if written.contains('.') { written.trim_end_matches('0').trim_end_matches('.') } else { &written };
    grouped(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(lo: f64, hi: f64) -> Vec<String> {
        round_values(lo, hi, 5).into_iter().map(|t| t.1).collect()
    }

    fn log_labels(lo: f64, hi: f64) -> Vec<String> {
        let axis = Axis { lo: lo.log10(), hi: hi.log10(), log: true };
        axis.ticks(6).major.into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-3.0, 7.0), ["−2", "0", "2", "4", "6"]);
        assert_eq!(
            labels(0.0, 50_000.0),
            ["0", "10\u{202f}000", "20\u{202f}000", "30\u{202f}000", "40\u{202f}000", "50\u{202f}000"]
        );
        assert_eq!(labels(0.0, 4e9), ["0", "1×10⁹", "2×10⁹", "3×10⁹", "4×10⁹"]);
        assert_eq!(labels(-2e-7, 1e-7), ["−2×10⁻⁷", "−1×10⁻⁷", "0", "1×10⁻⁷"]);
        assert_eq!(labels(1.0001, 1.0003), ["1.00010", "1.00015", "1.00020", "1.00025", "1.00030"]);
    }

    #[test]
    fn log_ticks_are_decades_or_finer() {
        assert_eq!(log_labels(1.0, 5000.0), ["1", "10", "100", "1000"]);
        assert_eq!(log_labels(0.9, 11.0), ["1", "2", "5", "10"]);
        assert_eq!(log_labels(1.1, 1.9), ["1.2", "1.4", "1.6", "1.8"]);
        assert_eq!(log_labels(1e-8, 1e-2), ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²"]);
        assert!(log_labels(1e-300, 1e300).len() < 9);
    }

    #[test]
    fn labels_side_by_side_do_not_touch() {
        for (lo, hi, log) in
            [(0.0, 8e9, false), (1.0, 1.000_008, false), (4.2, 6.9, true), (-9.0, -7.2, true)]
        {
            let axis = Axis { lo, hi, log };
            let ticks = axis.ticks_within(500.0);
            let labeled: Vec<&(f64, String)> = ticks.major.iter().filter(|t| !t.1.is_empty()).collect();
            assert!(labeled.len() >= 3, "{:?}", ticks.major);
            for pair in labeled.windows(2) {
                let room = (pair[1].0 - pair[0].0) * (500.0 - ticks.widest() / 2.0);
                let needed = f64::midpoint(text_width(&pair[0].1), text_width(&pair[1].1));
                assert!(room > needed, "{pair:?} has {room} of {needed}");
            }
        }
    }

    #[test]
    fn extreme_axes_have_ticks_inside() {
        for (lo, hi) in [(f64::MIN, f64::MAX), (0.0, 5e-324), (1e15, 1e15), (-1e-300, 1e-300), (0.0, 1e-285)]
        {
            let axis = Axis::over([lo, hi].into_iter(), false, 0.05).unwrap();
            let ticks = axis.ticks(6);
            assert!((2..20).contains(&ticks.major.len()), "{lo} to {hi}: {:?}", ticks.major);
            assert!(
                ticks.major.iter().all(|t| (-1e-3..=1.001).contains(&t.0)),
                "{lo} to {hi}: {:?}",
                ticks.major
            );
            assert!((0.0..=1.0).contains(&axis.unit(lo)) && (0.0..=1.0).contains(&axis.unit(hi)));
        }
        let log = Axis::over([f64::MAX.log10()].into_iter(), true, 0.05).unwrap();
        assert!(log.ticks(6).major.iter().all(|t| t.0.is_finite()));
    }

    #[test]
    fn hover_values_are_short() {
        let written: Vec<String> =
            [0.0, 1.0, 0.123_456_7, -12.5, 123_456.7, 1e-9, 2.5e7].iter().map(|&v| significant(v)).collect();
        assert_eq!(written, ["0", "1", "0.12346", "−12.5", "123\u{202f}457", "1×10⁻⁹", "2.5×10⁷"]);
    }
}
