//! One line of an edge list, split into its fields.

use std::borrow::Cow;

/// What stands between the fields of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Separator {
    /// Blanks and tabs, any number of them, and at most one comma or semicolon among them.
    Mixed,
    /// This byte alone; fields may hold blanks.
    Only(u8),
}

impl Separator {
    /// Whether this byte ends a field that is not quoted.
    pub(super) fn ends_field(self, byte: u8) -> bool {
        match self {
            Self::Mixed => matches!(byte, b' ' | b'\t' | b',' | b';'),
            Self::Only(only) => byte == only,
        }
    }

    /// Whether this byte separates nothing where fields begin and end.
    fn is_blank(self, byte: u8) -> bool {
        byte == b' ' || (byte == b'\t' && self != Self::Only(b'\t'))
    }

    /// As a message names it.
    pub(in super::super) fn name(self) -> &'static str {
        match self {
            Self::Mixed => "blanks, tabs, commas or semicolons",
            Self::Only(b'\t') => "tabs",
            Self::Only(b';') => "semicolons",
            Self::Only(b'|') => "bars",
            Self::Only(_) => "commas",
        }
    }
}

/// The text of a line without its end, or nothing where it is blank, a comment, or what a database draws around a table.
pub(in super::super) fn content(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text = line.trim_ascii_start();
    let skipped = match text {
        [] | [b'#' | b'%', ..] | [b'/', b'/', ..] => true,
        [b'-' | b'=' | b'+' | b'|' | b':', ..] => is_ruler(text),
        [b'(' | b'0'..=b'9', ..] => is_footer(text.trim_ascii_end()),
        // Excel's separator.
        [b's' | b'S', ..] => text.len() <= 6 && text[..text.len().min(4)].eq_ignore_ascii_case(b"sep="),
        _ => false,
    };
    (!skipped).then_some(line)
}

/// Whether a line is drawn below the names of columns, as in `---+---`.
fn is_ruler(text: &[u8]) -> bool {
    let drawn = |byte: &u8| matches!(byte, b'-' | b'=' | b'+' | b'|' | b':' | b' ' | b'\t');
    text.windows(2).any(|two| two == b"--" || two == b"==") && text.iter().all(drawn)
}

/// Whether a line is the number of rows above it, `(2 rows)` or `2 rows in set (0.00 sec)`.
fn is_footer(text: &[u8]) -> bool {
    let inner = text.strip_prefix(b"(").and_then(|text| text.strip_suffix(b")")).unwrap_or(text);
    let digits = inner.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let words = &inner[digits..];
    let bracketed = inner.len() < text.len();
    digits > 0
        && if bracketed {
            [&b" row"[..], b" rows", b" rows affected", b" row affected"].contains(&words)
        } else {
            words.starts_with(b" row") && words.windows(8).any(|set| set == b" in set ")
        }
}

/// Takes the attributes `{…}` off the end of a line, as networkx writes them.
pub(super) fn attributes(line: &str) -> (&str, Option<&str>) {
    let trimmed = line.trim_ascii_end();
    if trimmed.ends_with('}') {
        let begins = |&(at, _): &(usize, &str)| {
            at > 0 && matches!(trimmed.as_bytes()[at - 1], b' ' | b'\t' | b',' | b';')
        };
        if let Some((at, _)) = trimmed.match_indices('{').find(begins) {
            let before = trimmed[..at].trim_ascii_end();
            let before = before.strip_suffix([',', ';']).unwrap_or(before);
            return (before, Some(&trimmed[at..]));
        }
    }
    (line, None)
}

/// The weight among attributes such as `{'weight': 0.5}`, as it stands there.
pub(super) fn attribute_weight(attributes: &str) -> Option<&str> {
    let key = |quote: char| {
        let key = format!("{quote}weight{quote}:");
        attributes.find(&key).map(|at| at + key.len())
    };
    let value = &attributes[key('\'').or_else(|| key('"'))?..];
    Some(value[..value.find([',', '}']).unwrap_or(value.len())].trim())
}

/// A field in quotation marks as word processors write them, `“a”`, `„a“` or `«a»`, that ends where a field does: what stands between the marks,
/// and the bytes with them.
fn typographic(text: &str, separator: Separator) -> Option<(&str, usize)> {
    if text.as_bytes().first().is_none_or(u8::is_ascii) {
        return None;
    }
    let (open, close) = TYPOGRAPHIC.iter().find(|(open, _)| text.starts_with(*open))?;
    let start = open.len_utf8();
    text[start..].match_indices(|c| close.contains(&c)).find_map(|(at, mark)| {
        let end = start + at + mark.len();
        // Where blanks do not separate, a name such as `“Al” Capone` goes on behind them.
        let blanks = |byte: &&u8| matches!(separator, Separator::Only(_)) && separator.is_blank(**byte);
        let next = text.as_bytes()[end..].iter().find(|byte| !blanks(byte)).copied();
        let ends =
            next.is_none_or(|byte| separator.ends_field(byte) || separator.is_blank(byte) || byte == b'\r');
        ends.then(|| (text[start..start + at].trim(), end))
    })
}

/// Quotation marks as word processors write them: what opens, and what closes.
///
/// ```
/// assert_eq!(ergodict::data::TYPOGRAPHIC[0], ('“', &['”'][..]));
/// ```
pub const TYPOGRAPHIC: [(char, &[char]); 3] =
    [('\u{201c}', &['\u{201d}']), ('\u{201e}', &['\u{201c}', '\u{201d}']), ('\u{ab}', &['\u{bb}'])];

/// Splits a line. A field that begins with `"` ends at the next one, and `""` in it means one.
pub(in super::super) fn split<'a>(
    line: &'a str,
    separator: Separator,
    fields: &mut Vec<Cow<'a, str>>,
) -> Result<(), &'static str> {
    fields.clear();
    let line = if separator == Separator::Only(b'|') { without_frame(line) } else { line };
    let bytes = line.as_bytes();
    let skip = |mut at: usize| {
        while at < bytes.len() && separator.is_blank(bytes[at]) {
            at += 1;
        }
        at
    };
    let mut at = skip(0);
    loop {
        let start = at;
        if bytes.get(at) == Some(&b'"') {
            let mut doubled = false;
            at += 1;
            loop {
                match (bytes.get(at), bytes.get(at + 1)) {
                    (Some(b'"'), Some(b'"')) => (doubled, at) = (true, at + 2),
                    (Some(b'"'), _) => break,
                    (Some(_), _) => at += 1,
                    (None, _) => return Err("has a quotation mark that is not closed"),
                }
            }
            let inner = &line[start + 1..at];
            fields.push(if doubled { inner.replace("\"\"", "\"").into() } else { inner.into() });
            at += 1;
            if bytes.get(at).is_some_and(|&byte| !separator.ends_field(byte) && !separator.is_blank(byte)) {
                return Err("has text right after a closing quotation mark");
            }
        } else if let Some((inner, length)) = typographic(&line[at..], separator) {
            fields.push(inner.into());
            at += length;
        } else {
            while at < bytes.len() && !separator.ends_field(bytes[at]) {
                at += 1;
            }
            fields.push(line[start..at].trim_end_matches([' ', '\t']).into());
        }
        let end = at;
        at = skip(at);
        if at == bytes.len() {
            return Ok(());
        }
        match separator {
            Separator::Mixed if matches!(bytes[at], b',' | b';') => at = skip(at + 1),
            Separator::Only(only) if bytes[at] == only => at = skip(at + 1),
            // Blanks did separate.
            Separator::Mixed if at > end => {}
            _ => return Err("has text right after a closing quotation mark"),
        }
    }
}

/// A line without the bars that Markdown and databases draw around it.
fn without_frame(line: &str) -> &str {
    let trimmed = line.trim_matches([' ', '\t']);
    trimmed.strip_prefix('|').and_then(|line| line.strip_suffix('|')).unwrap_or(trimmed)
}

/// An integer in its only decimal form: no sign but a minus, no leading zero, within 64 bits.
pub(in crate::data::network) fn canonical(field: &str) -> Option<i64> {
    let digits = field.strip_prefix('-').unwrap_or(field).as_bytes();
    let negative_zero = field.len() != digits.len() && digits == b"0";
    let led_by_zero = digits.len() > 1 && digits[0] == b'0';
    if negative_zero || led_by_zero || !digits.first()?.is_ascii_digit() {
        return None;
    }
    field.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str, separator: Separator) -> Result<Vec<String>, &'static str> {
        let mut fields = Vec::new();
        split(line, separator, &mut fields)?;
        Ok(fields.into_iter().map(Cow::into_owned).collect())
    }

    #[test]
    fn fields_end_where_the_separator_says() {
        for (line, separator, expected) in [
            ("a b", Separator::Mixed, &["a", "b"][..]),
            ("  a\t ,  b ;c  ", Separator::Mixed, &["a", "b", "c"]),
            ("a,,b", Separator::Mixed, &["a", "", "b"]),
            ("a,b,", Separator::Mixed, &["a", "b", ""]),
            ("\"a b\" \"c,\"\"d\"", Separator::Mixed, &["a b", "c,\"d"]),
            ("New York, Boston ", Separator::Only(b','), &["New York", "Boston"]),
            ("\t a\tb c", Separator::Only(b'\t'), &["", "a", "b c"]),
            ("a\t", Separator::Only(b'\t'), &["a", ""]),
            ("\"a;b\" ; c", Separator::Only(b';'), &["a;b", "c"]),
            ("\u{201c}Anna B.\u{201d} \u{201e}Bo\u{201c}", Separator::Mixed, &["Anna B.", "Bo"]),
            (
                "\u{ab}New York, NY\u{bb} ,\u{201c}x\u{201d}y",
                Separator::Only(b','),
                &["New York, NY", "\u{201c}x\u{201d}y"],
            ),
            ("\u{201c}a,b", Separator::Only(b','), &["\u{201c}a", "b"]),
            ("it's \u{e9}t\u{e9}", Separator::Mixed, &["it's", "\u{e9}t\u{e9}"]),
        ] {
            assert_eq!(fields(line, separator).unwrap(), expected, "{line:?}");
        }
        assert!(fields("\"a b", Separator::Mixed).unwrap_err().contains("not closed"));
        assert!(fields("\"a\"b c", Separator::Mixed).unwrap_err().contains("right after"));
        assert!(fields("\"a\" b, c", Separator::Only(b',')).unwrap_err().contains("right after"));
    }

    #[test]
    fn what_is_drawn_around_tables_is_skipped() {
        for line in [
            "---+---",
            "|---|:---:|",
            "+----+",
            " ====== ===",
            "---",
            "(2 rows)",
            "(1 row)",
            "2 rows in set (0.00 sec)",
            "sep=;",
            "SEP=,",
            "# x",
            " % y",
            "// z",
            "",
            "(12 rows affected)",
        ] {
            assert_eq!(content(line.as_bytes()), None, "{line}");
        }
        for line in [
            "-1 -2",
            "1 2",
            "(2 nodes)",
            "(rows)",
            "12 rows",
            "2 rows",
            "separate sep=",
            "- -",
            "=",
            "seps a",
        ] {
            assert_eq!(content(line.as_bytes()), Some(line.as_bytes()), "{line}");
        }
        assert_eq!(fields(" | a b | c | ", Separator::Only(b'|')).unwrap(), ["a b", "c"]);
        assert_eq!(fields("a|b", Separator::Only(b'|')).unwrap(), ["a", "b"]);
    }

    #[test]
    fn attributes_of_networkx_are_found() {
        assert_eq!(attributes("0 1 {}"), ("0 1", Some("{}")));
        assert_eq!(attributes("0,1,{'a': 1, 'b': {}} "), ("0,1", Some("{'a': 1, 'b': {}}")));
        assert_eq!(attributes("a{b} c{d}"), ("a{b} c{d}", None));
        assert_eq!(attribute_weight("{'color': 'red', 'weight': -0.5}"), Some("-0.5"));
        assert_eq!(attribute_weight("{\"weight\":2}"), Some("2"));
        assert_eq!(attribute_weight("{'weights': 2}"), None);
    }

    #[test]
    fn only_one_way_of_writing_an_integer_is_an_integer() {
        for (field, expected) in [("0", Some(0)), ("-7", Some(-7)), ("9223372036854775807", Some(i64::MAX))] {
            assert_eq!(canonical(field), expected);
        }
        for field in ["", "-", "-0", "00", "01", "+1", "1.0", "9223372036854775808", "1e3", "٣"] {
            assert_eq!(canonical(field), None, "{field}");
        }
    }
}
