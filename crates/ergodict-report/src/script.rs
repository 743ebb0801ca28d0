//! The script of the page, and the digest by which the browser knows it.

const SCRIPT: &str = include_str!("../assets/report.js");

/// SHA-256 of [`script`] in base 64: the browser runs the script with this digest and no other.
pub(crate) const DIGEST: &str = "lGprisxyh5LYcROb1i7yHSRCbhEUEFHJkHwEJRQebs4=";

/// Spaces and line ends that the language does not need, and that stand in no text of the script.
const IDLE: [&str; 32] = [
    " => ", " = ", " === ", " !== ", " && ", " || ", " ?? ", " ? ", " : ", " < ", " > ", " <= ", " >= ",
    " * ", " / ", " + ", " - ", " ** ", " % ", " += ", " >> ", " << ", "\n.", "{ ", " }", " {", " (", " [",
    ";\n", ",\n", "{\n", "\n}",
];

/// The script without indentation, lines that are comments, and what does nothing.
pub(crate) fn script() -> String {
    let lines = SCRIPT.lines().map(str::trim_start);
    let kept: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
    IDLE.iter().fold(kept.join("\n"), |text, idle| text.replace(idle, idle.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pixels::base64;
    use sha2::{Digest, Sha256};

    #[test]
    fn the_digest_is_that_of_the_script() {
        let digest = base64(&Sha256::digest(script().as_bytes()));
        assert_eq!(DIGEST, digest, "the script has changed: set DIGEST to \"{digest}\"");
    }
}
