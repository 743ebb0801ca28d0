//! Numbers in the fields of a line.

/// An integer of at most seven digits, or up to 2³² − 1, without leading zeros, and what follows it.
#[inline]
pub(super) fn digits(text: &[u8]) -> Option<(u32, &[u8])> {
    let Some(eight) = text.first_chunk::<8>() else { return digits_one_by_one(text) };
    // Bytes become their digits; the highest bit of each byte that is none is set.
    let word = u64::from_le_bytes(*eight) ^ 0x3030_3030_3030_3030;
    let others =
        (word | (word & 0x7f7f_7f7f_7f7f_7f7f).wrapping_add(0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080;
    let length = (others.trailing_zeros() / 8) as usize;
    let first = word as u8;
    if length == 0 || (first == 0 && length > 1) {
        return None;
    }
    if length == 8 {
        return digits_one_by_one(text);
    }
    // Digits to the end, zeros before them; then neighbors are united: 2 × 4 digits, 4 × 2, 8 × 1.
    let word = word << (64 - 8 * length);
    let word = word.wrapping_mul(10).wrapping_add(word >> 8) & 0x00ff_00ff_00ff_00ff;
    let word = word.wrapping_mul(100).wrapping_add(word >> 16) & 0x0000_ffff_0000_ffff;
    let word = word.wrapping_mul(10_000).wrapping_add(word >> 32) & 0xffff_ffff;
    Some((word as u32, &text[length..]))
}

#[cold]
fn digits_one_by_one(text: &[u8]) -> Option<(u32, &[u8])> {
    let length = text.iter().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    if length == 0 || length > 10 || (text[0] == b'0' && length > 1) {
        return None;
    }
    let value = text[..length].iter().fold(0u64, |value, byte| value * 10 + u64::from(byte - b'0'));
    Some((u32::try_from(value).ok()?, &text[length..]))
}

/// A number such as `12` or `0.25`, and what follows it. At most 15 digits: then digits and power of ten are exact, and
/// their quotient is rounded once, as it should be.
#[inline]
pub(super) fn decimal(text: &[u8]) -> Option<(f64, &[u8])> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (mut value, mut digits, mut decimals, mut point) = (0u64, 0, 0, false);
    let mut rest = text;
    while let [byte, tail @ ..] = rest {
        match byte {
            b'0'..=b'9' => {
                value = value * 10 + u64::from(byte - b'0');
                digits += 1;
                decimals += usize::from(point);
                if digits > 15 {
                    return None;
                }
            }
            b'.' if !point => point = true,
            _ => break,
        }
        rest = tail;
    }
    (digits > 0).then(|| (value as f64 / POWERS[decimals], rest))
}

/// Whether a field is a number whose thousands are separated: by commas, or by several points.
pub(super) fn is_grouped(field: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    [',', '.'].iter().any(|separator| {
        let mut groups = field.split(*separator);
        let first =
            groups.next().is_some_and(|first| digits(first) && first.len() <= 3 && !first.starts_with('0'));
        let rest: Vec<&str> = groups.collect();
        first && !rest.is_empty() && rest.iter().all(|group| digits(group) && group.len() == 3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fast_digits_are_those_of_the_library(number: u64, shift in 0u32..64, tail in "[ ,\t\n.:/a-f]{1,9}") {
            let text = format!("{}{tail}", number >> shift);
            let expected = u32::try_from(number >> shift).ok().map(|number| (number, tail.as_bytes()));
            prop_assert_eq!(digits(text.as_bytes()), expected);
        }

        #[test]
        fn fast_decimals_are_those_of_the_library(text in "[0-9]{0,9}(\\.[0-9]{0,8})?") {
            if let Some((number, rest)) = decimal(text.as_bytes()) {
                prop_assert!(rest.is_empty());
                prop_assert_eq!(number, text.parse::<f64>().unwrap());
            }
        }

        #[test]
        fn any_bytes_are_digits_or_not(bytes: Vec<u8>) {
            let length = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match digits(&bytes) {
                Some((number, rest)) => {
                    prop_assert_eq!(number.to_string().into_bytes(), &bytes[..length]);
                    prop_assert_eq!(rest, &bytes[length..]);
                }
                None => prop_assert!(length == 0 || length > 9 || bytes[0] == b'0'),
            }
        }
    }

    #[test]
    fn leading_zeros_are_left_to_the_slow_way() {
        for text in ["00 1234567", "01\n", "4294967296 1", "99999999999 1", "-1 2 34567", "", "a"] {
            assert_eq!(digits(text.as_bytes()), None, "{text}");
        }
        assert_eq!(digits(b"0"), Some((0, &b""[..])));
        assert_eq!(digits(b"4294967295 12"), Some((u32::MAX, &b" 12"[..])));
        for text in ["", ".", "-1", "1234567890123456"] {
            assert_eq!(decimal(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn thousands_can_be_separated() {
        for (field, expected) in [
            ("1,016", true),
            ("1.016.000", true),
            ("12,345,678", true),
            ("0,016", false),
            ("1,5", false),
            ("1016", false),
            ("a,016", false),
        ] {
            assert_eq!(is_grouped(field), expected, "{field}");
        }
    }
}
