//! How settings are written as text: counts such as `5e6`, sizes of memory such as `2G`, and types by their names.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A type in files by the text that [`FromStr`] reads and [`fmt::Display`] writes.
macro_rules! written_as_text {
    ($type:ty) => {
        impl From<$type> for String {
            fn from(value: $type) -> Self {
                value.to_string()
            }
        }

        #[allow(clippy::infallible_try_from, reason = "some of these types take any text")]
        impl TryFrom<String> for $type {
            type Error = <Self as std::str::FromStr>::Err;

            fn try_from(text: String) -> std::result::Result<Self, Self::Error> {
                text.parse()
            }
        }
    };
}
pub(crate) use written_as_text;

/// Reads a flag as [`FromStr`] does; help and completions list the names that its values begin with.
#[cfg(feature = "clap")]
pub(crate) fn named<T>(names: fn() -> Vec<&'static str>) -> impl clap::builder::TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    Named { names, value: std::marker::PhantomData }
}

#[cfg(feature = "clap")]
#[derive(Clone)]
struct Named<T> {
    names: fn() -> Vec<&'static str>,
    value: std::marker::PhantomData<T>,
}

#[cfg(feature = "clap")]
impl<T> clap::builder::TypedValueParser for Named<T>
where
    T: FromStr<Err: std::error::Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<T, clap::Error> {
        T::from_str.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(Into::into)))
    }
}

/// Whether a switch is left out of files.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub(crate) fn is_off(switch: &bool) -> bool {
    !switch
}

/// A whole number, also as `5e6`.
///
/// ```
/// use ergodict::text::count;
/// assert_eq!((count("12"), count("5e6")), (Ok(12), Ok(5_000_000)));
/// assert!(count("0.5").is_err());
/// ```
///
/// # Errors
/// What would be right, for text that is none.
pub fn count(text: &str) -> Result<u64, String> {
    let whole = |x: &f64| x.fract() == 0.0 && (0.0..=9e15).contains(x);
    match (text.parse(), text.parse::<f64>()) {
        (Ok(count), _) => Ok(count),
        (_, Ok(x)) if whole(&x) => Ok(x as u64),
        _ => Err("expected a whole number, for instance 5000000 or 5e6".into()),
    }
}

/// A [`count`] of what is held in memory.
///
/// ```
/// assert_eq!(ergodict::text::number("1e3"), Ok(1000));
/// ```
///
/// # Errors
/// As [`count`].
pub fn number(text: &str) -> Result<usize, String> {
    count(text).and_then(|n| usize::try_from(n).map_err(|_| "it is too large".into()))
}

/// Rows and columns: `8x12`, also `8×12`, or `8` for a square.
///
/// ```
/// use ergodict::text::Shape;
/// assert_eq!(("8".parse(), "8×12".parse()), (Ok(Shape(8, 8)), Ok(Shape(8, 12))));
/// assert_eq!(Shape(8, 12).to_string(), "8x12");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shape(pub usize, pub usize);

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(side) = text.parse() {
            return if side == 0 { Err("it must be at least 1".into()) } else { Ok(Self(side, side)) };
        }
        let sides = text.split_once(['x', 'X', '×']);
        let sides = sides.and_then(|(h, w)| Some((h.trim().parse().ok()?, w.trim().parse().ok()?)));
        let shape = sides.filter(|&(h, w)| h > 0 && w > 0).map(|(h, w)| Self(h, w));
        shape.ok_or_else(|| "expected HxW, for instance 8x8".to_owned())
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.0, self.1)
    }
}

written_as_text!(Shape);

/// Names less alike than this are not worth naming: `lern` and `learn` have 0.95, `y.csv` and `x.csv` 0.87, `color` and `cluster` 0.77.
const ALIKE: f64 = 0.8;

/// The name most like `given`, if any is like it.
///
/// ```
/// assert_eq!(ergodict::text::nearest("lern", ["demo", "learn"]), Some("learn"));
/// ```
pub fn nearest<T: AsRef<str>>(given: &str, names: impl IntoIterator<Item = T>) -> Option<T> {
    let given = given.to_lowercase();
    let alike = |name: &T| strsim::jaro_winkler(&given, &name.as_ref().to_lowercase());
    let near = names.into_iter().map(|name| (alike(&name), name));
    let near = near
        .filter(|(alike, _)| *alike > ALIKE)
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    near.map(|(_, name)| name)
}

/// Bytes of a mebibyte, the unit of numbers that have none.
const MEBIBYTE: u64 = 1 << 20;
/// Units and their bytes, all of them powers of 1024, as `sort -S` and most other tools with sizes of memory have it.
const UNITS: [(&str, u64); 5] = [("T", 1 << 40), ("G", 1 << 30), ("M", MEBIBYTE), ("K", 1 << 10), ("B", 1)];

/// Bytes of memory: `2G`, `500M`, `1.5GiB`, or mebibytes without a unit.
///
/// ```
/// use ergodict::text::Size;
/// assert_eq!("2G".parse::<Size>().map(Size::bytes), Ok(2 << 30));
/// assert_eq!("64".parse::<Size>(), "64M".parse());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(into = "Written", try_from = "Written")]
pub struct Size(u64);

/// In files: a number of mebibytes where it is a whole one, else text.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Mebibytes(u64),
    Text(String),
}

impl From<Size> for Written {
    fn from(size: Size) -> Self {
        if size.0.is_multiple_of(MEBIBYTE) {
            Self::Mebibytes(size.0 / MEBIBYTE)
        } else {
            Self::Text(size.to_string())
        }
    }
}

impl TryFrom<Written> for Size {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        match written {
            Written::Mebibytes(number) => number.to_string().parse(),
            Written::Text(text) => text.parse(),
        }
    }
}

impl Size {
    /// As many bytes; what this machine cannot count is all there is.
    pub fn bytes(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
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
    use serde_json::json;

    #[test]
    fn counts_are_whole_numbers_however_they_are_written() {
        assert_eq!((count("12"), count("5e6"), count("1.5e3")), (Ok(12), Ok(5_000_000), Ok(1500)));
        assert_eq!(count("18446744073709551615"), Ok(u64::MAX));
        for bad in ["-1", "0.5", "1e30", "nan", "x", ""] {
            assert!(count(bad).is_err(), "{bad}");
        }
    }

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
            let value = json!(size);
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            assert_eq!(text.parse(), Ok(size), "{value}");
            assert_eq!(serde_json::from_value::<Size>(value).unwrap(), size);
        }
        assert_eq!((Size(2 << 30).to_string(), json!(Size(2 << 30))), ("2G".to_owned(), json!(2048)));
    }
}
