//! Whether a session prints what its page shows: the same words, and numbers that agree but for times and rounding.

/// How far a number may be from the one that is shown, as a share of it or absolutely: processors round differently.
const SHARE: f64 = 0.05;
const LEAST: f64 = 0.005;

/// What a number is not compared before: it depends on the machine.
const UNITS: [&str; 12] =
    ["s", "ms", "µs", "ns", "min", "million", "MB", "kB", "MiB", "KiB", "GB", "thousand"];

/// Looks for every line that is shown, in order, among those that were printed; the first that is not there, if any.
///
/// What is shown may leave lines out, and a line `…` may say so; a line that ends with `…` is the beginning of one that was printed.
pub(super) fn missing<'a>(shown: &'a str, printed: &str) -> Option<&'a str> {
    let mut rest = printed.lines();
    let wanted = shown.lines().filter(|line| !matches!(line.trim(), "" | "…" | "..."));
    wanted.into_iter().find(|line| !rest.any(|printed| alike(line, printed)))
}

/// A word, or a number with whether it is compared.
#[derive(Debug, PartialEq)]
enum Token<'a> {
    Word(&'a str),
    Number(f64, bool),
}

fn alike(shown: &str, printed: &str) -> bool {
    let start = shown.trim_end().strip_suffix('…');
    let (shown, printed) = (tokens(start.unwrap_or(shown)), tokens(printed));
    (shown.len() == printed.len() || (start.is_some() && shown.len() < printed.len()))
        && shown.iter().zip(&printed).all(|(one, other)| match (one, other) {
            (Token::Word(one), Token::Word(other)) => one == other,
            (Token::Number(one, compared), Token::Number(other, _)) => {
                !compared || (one - other).abs() <= LEAST.max(SHARE * one.abs().max(other.abs()))
            }
            _ => false,
        })
}

fn tokens(line: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = line.trim();
    while let Some(first) = rest.chars().next() {
        let end = if first.is_ascii_digit() {
            number(rest)
        } else {
            rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len())
        };
        let (token, after) = rest.split_at(end);
        if first.is_ascii_digit() {
            // Whole words: the `s` of `3 samples` is no unit.
            let next = after.trim_start_matches([' ', '–']);
            let (word, rate) = next.split_at(next.find(|c: char| !c.is_alphabetic()).unwrap_or(next.len()));
            let timed = UNITS.contains(&word) || rate.starts_with("/s") || next.starts_with("a second");
            found.push(Token::Number(token.parse().unwrap_or(f64::NAN), !timed));
        } else {
            found.extend(token.split_whitespace().map(Token::Word));
        }
        rest = after;
    }
    found
}

/// The length of the number at the start: digits, a point between digits, an exponent.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if digits(end + 1 + sign) > end + 1 + sign {
            end = digits(end + 1 + sign);
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_must_be_those_printed() {
        let printed = "read  34 nodes\nloss 12.345 ± 0.02, density 2.58e-8\nmade in 3.21 s (2.2 million/s)\n9 samples/s\n";
        for good in [
            "read 34 nodes",
            "loss 12.4 ± 0.02, density 2.6e-8",
            "made in 99 s (7 million/s)",
            "made in 99 s (7 million/s)\n4 samples/s",
            "read 34 nodes\n…\nmade in 3 s (2 million/s)",
            "loss 12.4 …",
            "",
        ] {
            assert_eq!(missing(good, printed), None, "{good}");
        }
        for bad in [
            "read 40 nodes",
            "read 34 edges",
            "loss 14 ± 0.02, density 2.6e-8",
            "read 34",
            "read 34 nodes, all",
        ] {
            assert_eq!(missing(bad, printed), Some(bad));
        }
    }

    #[test]
    fn lines_come_in_order() {
        assert_eq!(missing("b\na", "a\nb\n"), Some("a"));
        assert_eq!(missing("a\na", "a\nb\n"), Some("a"));
    }

    #[test]
    fn a_unit_is_a_whole_word() {
        assert_eq!(missing("3 samples", "9 samples"), Some("3 samples"));
        assert_eq!(missing("0.04 s.", "9 s."), None);
    }
}
