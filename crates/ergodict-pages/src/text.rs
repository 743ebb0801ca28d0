//! Names and lists in words.

use ergodict::model::Input;

/// Most letters of a name in words and headings.
const LONGEST: usize = 40;

/// `a`, `a and b`, `a, b and 3 more`.
pub fn list(names: &[String]) -> String {
    match names {
        [] => "nothing".into(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [one, two, three] => format!("{one}, {two} and {three}"),
        [one, two, rest @ ..] => format!("{one}, {two} and {} more", rest.len()),
    }
}

/// The name of a file without the endings of its format, and not too long: `soc-epinions.txt.gz` is `soc-epinions`.
pub fn short(name: &str) -> String {
    let ends = [
        ".gz",
        ".zst",
        ".txt",
        ".tsv",
        ".csv",
        ".edges",
        ".edgelist",
        ".mtx",
        ".npz",
        ".npy",
        ".egr",
        ".parquet",
        ".png",
        ".jpg",
        ".jpeg",
        ".safetensors",
    ];
    let mut name = name;
    while let Some(rest) = ends.iter().find_map(|end| name.strip_suffix(end)).filter(|rest| !rest.is_empty())
    {
        name = rest;
    }
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    let kept: Vec<char> = name.chars().collect();
    let (start, end) = (&kept[..LONGEST - 13], &kept[kept.len() - 12..]);
    format!("{}…{}", start.iter().collect::<String>(), end.iter().collect::<String>())
}

/// An input with its digest; what is embedded has none.
pub fn input(input: &Input) -> String {
    if input.name.starts_with('@') {
        format!("{}, embedded in {}", input.name, input.digest)
    } else {
        format!("{} {}", input.name, input.digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_endings_and_their_middles() {
        for (name, expected) in [
            ("soc-epinions.txt.gz", "soc-epinions"),
            ("@karate", "@karate"),
            ("a.b.tsv", "a.b"),
            (".txt", ".txt"),
            ("x.png", "x"),
        ] {
            assert_eq!(short(name), expected);
        }
        let long = short(&"abcdefghij".repeat(9));
        assert_eq!(long.chars().count(), LONGEST);
        assert!(long.starts_with("abcdefghijabc") && long.contains('…') && long.ends_with("abcdefghij"));
    }

    #[test]
    fn lists_are_read_aloud() {
        let names: Vec<String> = (0..5).map(|i| i.to_string()).collect();
        let read: Vec<String> = (1..=5).map(|n| list(&names[..n])).collect();
        assert_eq!(read, ["0", "0 and 1", "0, 1 and 2", "0, 1 and 2 more", "0, 1 and 3 more"]);
    }
}
