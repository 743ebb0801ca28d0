//! Commands, flags and words as a POSIX shell takes them.

use ergodict::Hint;
use std::path::Path;

/// How a verb is typed that outputs call so: `ergodict network learn`, `ergodict-paper figure-ndl`.
pub fn typed(command: &str) -> String {
    format!("ergodict{}{command}", if command.starts_with("paper ") { '-' } else { ' ' })
}

/// A setting that an error or a note of the library names, as a flag.
pub fn flag(hint: &Hint) -> String {
    match hint.value.as_str() {
        "true" | "" => format!("--{}", hint.setting),
        // Its value may be left out, so that the next word is not taken for it.
        value if hint.setting == "timestamps" => format!("--timestamps={value}"),
        value => format!("--{} {value}", hint.setting),
    }
}

/// A word as a shell takes it for one.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The same of a path, which is never taken for a flag.
pub fn path(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.starts_with('-') { quoted(&format!("./{text}")) } else { quoted(&text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_shell() {
        for (word, expected) in [
            ("a/b-1.npy", "a/b-1.npy"),
            ("it's a name", r"'it'\''s a name'"),
            ("-x", "./-x"),
            ("- x", "'./- x'"),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(path(Path::new(word)), expected);
        }
        assert_eq!((quoted("-x"), quoted("a;b")), ("-x".to_owned(), "'a;b'".to_owned()));
    }
}
