//! Text for people.

/// Pairs of a name and a text, a line each; a text without a name begins its line.
pub(crate) fn table(lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(10);
    let line = |(name, text): &(&str, String)| match *name {
        "" => text.clone(),
        name => format!("{name:<width$} {text}"),
    };
    let lines: Vec<String> = lines.iter().map(line).collect();
    lines.join("\n")
}
