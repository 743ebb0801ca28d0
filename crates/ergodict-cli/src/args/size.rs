//! Sizes of memory on the command line: `2G`, `500M`, `1.5GiB`, or mebibytes without a unit.

use serde_json::{Value, json};
use std::fmt;
use std::str::FromStr;

/// Bytes of a mebibyte, the unit of numbers that have none.
const MEBIBYTE: u64 = 1 << 20;
/// Units and their bytes, all of them powers of 1024, as `sort -S` and most other tools that are told sizes of memory have it.
const UNITS: [(&str, u64); 5] = [("T", 1 << 40), ("G", 1 << 30), ("M", MEBIBYTE), ("K", 1 << 10), ("B", 1)];

/// Bytes of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size(u64);

impl Size {
    /// As many bytes; what this machine cannot count is all there is.
    pub(crate) fn bytes(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// As `--config` takes it: a number of mebibytes where it is a whole one, else text.
    pub(crate) fn value(self) -> Value {
        if self.0.is_multiple_of(MEBIBYTE) { json!(self.0 / MEBIBYTE) } else { json!(self.to_string()) }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |&&(_, bytes): &&(&str, u64)| self.0 > 0 && self.0.is_multiple_of(bytes);
        let (unit, bytes) = UNITS.iter().find(whole).unwrap_or(&UNITS[2]);
        write!(f, "{}{unit}", self.0 / bytes)
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected a size such as 2G, 500M or 64K; a number alone is mebibytes".to_owned();
        let end =
            text.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E')).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let unit = unit.to_ascii_uppercase();
        let bytes = match &*unit {
            "" => MEBIBYTE,
            // G, GB and GiB are the same.
            unit => {
                let letter = |letter: &str| {
                    let rest = unit.strip_prefix(letter);
                    rest.is_some_and(|rest| rest.is_empty() || (letter != "B" && matches!(rest, "B" | "IB")))
                };
                UNITS.iter().find(|(name, _)| letter(name)).map(|unit| unit.1).ok_or_else(expected)?
            }
        };
        let number = number.trim_end();
        if let Ok(whole) = number.parse::<u64>() {
            return whole.checked_mul(bytes).map(Self).ok_or_else(|| "it is too large".into());
        }
        let number: f64 = number.parse().map_err(|_| expected())?;
        let size = number * bytes as f64;
        // Beyond 2⁶³ there is no memory.
        match size {
            size if size.is_nan() || size < 0.0 => Err(expected()),
            size if size >= 63_f64.exp2() => Err("it is too large".into()),
            size => Ok(Self(size as u64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_and_numbers_alone_are_mebibytes() {
        for (text, bytes) in [
            ("1024", 1 << 30),
            ("0", 0),
            ("0.5", 1 << 19),
            ("1e3", 1000 << 20),
            ("2G", 2 << 30),
            ("2g", 2 << 30),
            ("2 GB", 2 << 30),
            ("1.5GiB", 3 << 29),
            ("500M", 500 << 20),
            ("64K", 64 << 10),
            ("64kib", 64 << 10),
            ("100b", 100),
            ("1T", 1 << 40),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for bad in
            ["", "G", "-1", "-2G", "2X", "2GG", "2BB", "2iB", "nan", "inf", "NaNG", "1e30", "99999999T"]
        {
            assert!(bad.parse::<Size>().is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_are_written_as_they_are_read() {
        for bytes in [0, 1, 100, 1 << 10, 1536 << 10, 3 << 20, 1 << 30, 3 << 29, 1 << 45] {
            let size = Size(bytes);
            assert_eq!(size.to_string().parse(), Ok(size), "{size}");
            let value = size.value();
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            assert_eq!(text.parse(), Ok(size), "{value}");
        }
        assert_eq!((Size(2 << 30).to_string(), Size(2 << 30).value()), ("2G".to_owned(), json!(2048)));
    }
}
