//! The few words of SVG that charts and atoms share: escaping, coordinates, widths of text.

use std::fmt;

/// Font size the pictures are drawn with, in user units.
pub(crate) const FONT: f64 = 13.0;

/// Font size `assets/report.css` gives to the same text on a phone; all room for text is computed with it.
pub(crate) const PHONE_FONT: f64 = 17.0;

/// Fonts of the text inside pictures.
pub(crate) const FONTS: &str =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// `text` for use in XML content and in double-quoted attributes; characters XML 1.0 forbids become U+FFFD.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// A coordinate with at most one decimal, `12` rather than `12.0`.
#[derive(Clone, Copy)]
pub(crate) struct Px(pub(crate) f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        let sign = if tenths < 0 { "-" } else { "" };
        match (tenths.abs() / 10, tenths.abs() % 10) {
            (whole, 0) => write!(f, "{sign}{whole}"),
            (whole, tenth) => write!(f, "{sign}{whole}.{tenth}"),
        }
    }
}

/// Width of a character in em: lower case in DejaVu Sans, the widest of the common system fonts.
const CHARACTER: f64 = 0.6;

/// Estimated width of `text` on a phone; numbers, which stand at the edge of charts, by the widths in DejaVu Sans.
pub(crate) fn text_width(text: &str) -> f64 {
    let em = |c: char| match c {
        '0'..='9' => 0.64,
        '×' | '−' | '+' | '=' => 0.84,
        _ => CHARACTER,
    };
    PHONE_FONT * text.chars().map(em).sum::<f64>()
}

/// `text` shortened with an ellipsis to what fits into `width` on a phone.
pub(crate) fn fit(text: &str, width: f64) -> String {
    let room = (width / (CHARACTER * PHONE_FONT)).max(1.0) as usize;
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(room - 1).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// The same of a name with numbers behind it, which are kept: `a long na… 0.821 (0.766–0.866)`.
pub(crate) fn fit_name(text: &str, width: f64) -> String {
    let digit = |at: &usize| text[at + 1..].starts_with(|c: char| c.is_ascii_digit());
    let Some(at) = text.match_indices(' ').map(|(at, _)| at).find(digit) else { return fit(text, width) };
    if text.chars().count() as f64 * CHARACTER * PHONE_FONT <= width {
        return text.to_owned();
    }
    format!("{}{}", fit(&text[..at], width - text_width(&text[at..])), &text[at..])
}

/// `text` broken between words into at most `lines` lines that fit into `width` on a phone where words allow it; the last
/// line takes what is left.
pub(crate) fn wrap(text: &str, width: f64, lines: usize) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    // Not at the no-break spaces inside numbers.
    for word in text.split_ascii_whitespace() {
        let full = all.len() == lines;
        match all.last_mut() {
            Some(last) if full || text_width(last) + text_width(word) + text_width(" ") <= width => {
                last.push(' ');
                last.push_str(word);
            }
            _ => all.push(word.to_owned()),
        }
    }
    all
}

/// The opening tag of a picture of the given size, with `label` as its accessible name.
pub(crate) fn open(class: &str, width: f64, height: f64, label: &str) -> String {
    let (w, h) = (Px(width), Px(height));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{class}\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" \
         height=\"{h}\" role=\"img\" aria-label=\"{}\" font-family=\"{FONTS}\" font-size=\"{FONT}\" \
         fill=\"currentColor\">\n",
        escape(label)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_markup_and_forbidden_characters() {
        assert_eq!(escape("a<b>&\"'\u{1}\n"), "a&lt;b&gt;&amp;&quot;&#39;\u{fffd} ");
    }

    #[test]
    fn coordinates_are_short() {
        let written: Vec<String> =
            [0.0, 12.04, -0.04, -0.06, 3.25].iter().map(|&v| Px(v).to_string()).collect();
        assert_eq!(written, ["0", "12", "0", "-0.1", "3.3"]);
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(fit("loss", 100.0), "loss");
        assert_eq!(fit("a long legend", 60.0), "a lo…");
        assert_eq!(fit_name("a-long-name 0.821 (0.766–0.866)", 300.0), "a-long-… 0.821 (0.766–0.866)");
        assert_eq!(fit_name("a 0.8", 300.0), "a 0.8");
        assert_eq!(wrap("T = 2.26, every 500 000", 162.0, 2), ["T = 2.26, every", "500 000"]);
        assert_eq!(wrap("every 500\u{a0}000 steps", 95.0, 3), ["every", "500\u{a0}000", "steps"]);
        assert_eq!(wrap("one word at a time", 1.0, 2), ["one", "word at a time"]);
        assert!(wrap(" ", 100.0, 2).is_empty());
    }
}
