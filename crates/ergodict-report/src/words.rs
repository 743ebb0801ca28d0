//! Words for numbers.

/// A number of things: `1 seed`, `2 seeds`, `10,000 seeds`.
///
/// ```
/// use ergodict_report::words::count;
/// assert_eq!((count(1, "seed", "seeds"), count(2, "seed", "seeds")), ("1 seed".into(), "2 seeds".into()));
/// ```
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n as u64), if n == 1 { one } else { many })
}

/// A number in groups of three digits from five digits on: `1234`, `1,234,567`.
///
/// ```
/// use ergodict_report::words::grouped;
/// assert_eq!([1234, 12_345, 1_234_567].map(grouped), ["1234", "12,345", "1,234,567"]);
/// ```
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8_lossy(&groups.join(&b',')).into_owned()
}

/// A number in three significant digits: `0.00123`, `12.3`, `12345`, `1.20e-7`.
///
/// ```
/// use ergodict_report::words::number;
/// assert_eq!([0.001_234, 12.345, 12345.6, 1.2e-7, 0.0].map(number), ["0.00123", "12.3", "12346", "1.20e-7", "0"]);
/// ```
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    if !(1e-4..1e7).contains(&value.abs()) {
        return format!("{value:.2e}");
    }
    decimals(value, 2 - exponent(value))
}

/// A value with its standard error, which has two significant digits: `-1.114 ± 0.025`.
///
/// ```
/// use ergodict_report::words::measured;
/// assert_eq!(measured(-1.114_45, 0.024_82), "-1.114 ± 0.025");
/// assert_eq!((measured(14.5, 12.0), measured(0.5, f64::NAN)), ("14 ± 12".into(), "0.500".into()));
/// ```
pub fn measured(value: f64, error: f64) -> String {
    // Of values that are too few or all the same no error is known.
    if error.is_nan() || error == 0.0 {
        return number(value);
    }
    if !(error > 0.0 && error.is_finite() && value.is_finite()) {
        return format!("{} ± {}", number(value), number(error));
    }
    let places = 1 - exponent(error);
    if places > 8 {
        return format!("{value:.3e} ± {error:.1e}");
    }
    format!("{} ± {}", decimals(value, places), decimals(error, places))
}

/// The power of ten of the first digit.
fn exponent(value: f64) -> i32 {
    // As it is printed: 9.996 begins with 10.
    format!("{value:.2e}").split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0)
}

fn decimals(value: f64, places: i32) -> String {
    format!("{value:.*}", places.max(0).unsigned_abs() as usize)
}
