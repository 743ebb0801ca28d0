//! What the values of a column are.

/// Of one column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Empty,
    Integers,
    Numbers,
    Words,
}

impl Kind {
    pub(super) fn from_column<T: AsRef<str>>(rows: &[Vec<T>], at: usize) -> Self {
        let values =
            || rows.iter().filter_map(|row| row.get(at)).map(AsRef::as_ref).filter(|value| !value.is_empty());
        if values().next().is_none() {
            Self::Empty
        } else if values().all(is_digits) {
            Self::Integers
        } else if values().all(|value| value.parse::<f64>().is_ok()) {
            Self::Numbers
        } else {
            Self::Words
        }
    }
}

/// Whether a value is an integer however long it is, also with leading zeros, as postal codes have them.
fn is_digits(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether values of these kinds can be both ends of edges.
pub(super) fn are_ids(one: Kind, two: Kind) -> bool {
    matches!(
        (one, two),
        (Kind::Empty, _) | (_, Kind::Empty) | (Kind::Integers, Kind::Integers) | (Kind::Words, Kind::Words)
    )
}
