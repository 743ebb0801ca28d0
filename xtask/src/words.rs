//! `cargo xtask words`: words and forms in the texts that users read that have a plainer equivalent. It informs and never fails.

use crate::place::{command, root, stdout};
use anyhow::{Context, Result};

#[derive(Clone, Copy, PartialEq)]
enum Source {
    /// Pages of the guide, and README.md.
    Docs,
    /// Those that define the terms of mathematics.
    Mathematics,
    /// Help, errors and runs of the program, as the tests keep them.
    Snapshots,
    /// String literals of the programs, of reports and of the bindings.
    Literals,
    /// Docstrings of the Python package.
    Docstrings,
    /// Rust and Python of the library, whole: its names, and messages that name flags.
    Library,
}

/// Folders whose string literals are printed.
const PROGRAMS: [&str; 5] = [
    "crates/ergodict-cli/src/",
    "crates/ergodict-terminal/src/",
    "crates/ergodict-pages/src/",
    "crates/ergodict-paper/src/",
    "crates/ergodict-py/src/",
];

/// A pattern a line: phrases in lower case, at word boundaries but for a `*` at either end; behind `|` longer phrases in which they are fine.
const PATTERNS: &str = "\
told, tell, tells
flag says, file says, line says, note says, table says, flags say, lines say
unless told, unless said, unless it is told, where nothing is said
so many
nobody, somebody, who asks
rebuil*
come to rest, comes to rest, coming to rest
gap | stationarity gap, stationarity_gap, spectral gap
place, places | decimal places, in place, in its place, take place, takes place
page, pages | page cache, man page, web page, page patches, pages   =
tour, talk, glimpse, glimpses, magnet
go on, goes on, going on, went on, anew, afresh
beside, alike, made of
free of, freed of, frees of
is no command, is no flag, is no file, is no column
law, laws | power law, power-law
*homomorphism* | homomorphism density, maths.md#homomorphisms, uniform homomorphisms, homomorphismsampler
off the chain, off chain, off-chain*
*normalis*, *colour*, *neighbour*, *magnetis*, *factoris*, *optimisa*, *optimise*
head, heads | git head, $ head, | head
1 edges, 1 rows, 1 atoms, 1 pairs, 1 nodes, 1 windows, 1 steps, 1 samples";

const NAMES: &str = "struct told, struct drawn, struct kept, struct held, struct seen, struct mixed, fn of";

const OTHERS: [&str; 3] = ["five or more decimals", "flags in the library", "prose over 100 characters"];

/// Lists the hits, of all files or of those whose path starts with one of the arguments, then counts them.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let files = stdout(command("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]))?;
    let names = || PATTERNS.lines().chain([NAMES]).chain(OTHERS);
    let mut counts = vec![0; names().count()];
    let wanted = |file: &str| arguments.is_empty() || arguments.iter().any(|start| file.starts_with(start));
    for file in files.lines().filter(|file| wanted(file) && root().join(file).is_file()) {
        for source in sources(file) {
            let text = std::fs::read_to_string(root().join(file)).context(file.to_owned())?;
            for (number, line, hits) in lines(source, &text) {
                for (index, name) in names().enumerate().filter(|(index, _)| hits[*index] > 0) {
                    counts[index] += hits[index];
                    println!(
                        "{file}:{number}: {}: {}",
                        name.split([',', '|']).next().unwrap_or(name).trim(),
                        line.trim()
                    );
                }
            }
        }
    }
    println!();
    names().zip(&counts).for_each(|(name, count)| println!("{count:6}  {name}"));
    println!("{:6}  in all", counts.iter().sum::<usize>());
    Ok(true)
}

fn sources(file: &str) -> Vec<Source> {
    match file.rsplit('.').next().unwrap_or_default() {
        "md" if ["docs/maths.md", "docs/glossary.md"].contains(&file) => vec![Source::Mathematics],
        "md" if file == "README.md" || file.starts_with("docs/") => vec![Source::Docs],
        "trycmd" => vec![Source::Snapshots],
        _ if file.contains("tests") => Vec::new(),
        "rs" if PROGRAMS.iter().any(|folder| file.starts_with(folder)) => vec![Source::Literals],
        "rs" if file.starts_with("crates/ergodict/src/") => vec![Source::Library],
        "py" if file.starts_with("python/ergodict/") => vec![Source::Docstrings, Source::Library],
        _ => Vec::new(),
    }
}

/// The lines of a text that are of a source, whole or what of them is between quotes: number, text, hits of each pattern.
fn lines(source: Source, text: &str) -> Vec<(usize, String, Vec<usize>)> {
    let (mut inside, mut fenced, mut found) = (false, false, Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        fenced ^= line.trim_start().starts_with("```");
        let comment =
            matches!(source, Source::Literals | Source::Library) && line.trim_start().starts_with("//");
        let kept = match source {
            _ if comment || line.contains("language: ok") => continue,
            Source::Docs | Source::Mathematics => without_code(line),
            Source::Literals => {
                let kept = without_fields(&quoted(line, "\"", &mut inside));
                if is_name(kept.trim()) || line.contains("alias =") || line.contains("reason =") {
                    String::new()
                } else {
                    kept
                }
            }
            Source::Docstrings => {
                let kept = quoted(line, "\"\"\"", &mut inside);
                if is_code(&kept) { String::new() } else { without_code(&kept) }
            }
            _ => line.to_owned(),
        };
        let lower = kept.to_lowercase();
        let (library, defines) = (source == Source::Library, source == Source::Mathematics);
        let skipped = |pattern: &str| library || defines && pattern.starts_with("*homomorphism*");
        let mut hits: Vec<usize> = PATTERNS
            .lines()
            .map(|pattern| if skipped(pattern) { 0 } else { count(pattern, &lower) })
            .collect();
        let prose = defines || source == Source::Docs;
        let other = fenced || line.trim_start().starts_with(['|', '!', '<']) || line.contains("](http");
        hits.extend([
            if library { count(NAMES, &lower) } else { 0 },
            if source == Source::Snapshots && !is_data(line) { decimals(line) } else { 0 },
            usize::from(library && names_flag(line)),
            usize::from(prose && !other && line.chars().count() > 100),
        ]);
        let shown = if prose { line.to_owned() } else { kept };
        found.push((number, shown, hits));
    }
    found
}

/// What of a line is between quotes, which may have been opened before it.
fn quoted(line: &str, quote: &str, inside: &mut bool) -> String {
    let line = line.replace("\\\"", "'").replace("'\"'", "' '");
    let mut kept = String::new();
    for (index, part) in line.split(quote).enumerate() {
        *inside ^= index > 0;
        if *inside {
            kept += part;
            kept += " ";
        }
    }
    kept
}

/// A line without what is between backticks: names and values of the interface, which are as they are.
fn without_code(line: &str) -> String {
    line.replace("``", "`").split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// A format without the names of what is put into it.
fn without_fields(text: &str) -> String {
    let mut parts = text.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + part.split_once('}').map_or(part, |(_, rest)| rest))
}

/// Whether a line of a docstring is an example, or names a parameter and its type.
fn is_code(line: &str) -> bool {
    let line = line.trim_start();
    let named = line.split_once(" : ").is_some_and(|(names, _)| names.split(", ").all(is_name));
    line.starts_with(">>>") || line.starts_with("...") || named
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a line is of a table or of settings for programs, or a default as the program parses it.
fn is_data(line: &str) -> bool {
    line.contains('\t') || line.contains(" = \"") || line.contains("[default: ")
}

/// How often a pattern is in a line.
fn count(pattern: &str, line: &str) -> usize {
    let (phrases, fine) = pattern.split_once(" | ").unwrap_or((pattern, ""));
    let within = |phrase: &str, at: usize| {
        line.match_indices(phrase).any(|(from, _)| (from..from + phrase.len()).contains(&at))
    };
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let hits = |phrase: &str| {
        let word = phrase.trim_matches('*');
        let bounded = |at: usize| {
            (phrase.starts_with('*') || !letter(line[..at].chars().next_back()))
                && (phrase.ends_with('*') || !letter(line[at + word.len()..].chars().next()))
        };
        let fine = |at: usize| fine.split(", ").any(|fine| within(fine, at));
        line.match_indices(word).filter(|(at, _)| bounded(*at) && !fine(*at)).count()
    };
    phrases.split(", ").map(hits).sum()
}

/// Numbers with five or more digits behind the point.
fn decimals(line: &str) -> usize {
    let long = |part: &&str| {
        part.split_once('.').is_some_and(|(_, digits)| digits.len() > 4 && !digits.contains('.'))
    };
    line.split(|c: char| !c.is_ascii_digit() && c != '.').filter(long).count()
}

/// Whether text between quotes has a flag of the command line.
fn names_flag(line: &str) -> bool {
    // A docstring on one line is no message.
    let text = without_code(&quoted(&line.replace("\"\"\"", "`"), "\"", &mut false));
    text.match_indices("--").any(|(at, _)| text[at + 2..].starts_with(|c: char| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(source: Source, text: &str) -> usize {
        lines(source, text).iter().flat_map(|(_, _, hits)| hits).sum()
    }

    #[test]
    fn phrases_are_whole_words_outside_of_what_is_fine() {
        let long = "é".repeat(101);
        for (line, expected) in [
            (&long[2..], 0),
            (&long, 1),
            (&format!("| {long}"), 0),
            ("The flag says so, as Told.", 2),
            ("told <!-- language: ok -->", 0),
            ("a stationarity gap, the gap, gaps", 1),
            ("rebuilds what was rebuilt", 2),
            ("neighbours replaced in place, two places", 2),
            ("21 edges, 1 edges", 1),
            ("`ndr-off-motif` is off the chain", 1),
            ("the `page` of `heads`, a page", 1),
            ("plain text", 0),
        ] {
            assert_eq!(hits(Source::Docs, line), expected, "{line}");
        }
    }

    #[test]
    fn sources_differ() {
        assert_eq!(hits(Source::Snapshots, "loss 24011.211189, 0.1234, 1.2.3"), 1);
        assert_eq!(hits(Source::Snapshots, "a\t0.123456\ntolerance = \"0.000001\" [default: 0.000001]"), 0);
        assert_eq!(hits(Source::Docs, "loss 24011.211189"), 0);
        assert_eq!((hits(Source::Docs, "homomorphisms"), hits(Source::Mathematics, "homomorphisms")), (1, 0));
        assert_eq!(hits(Source::Library, "pub(crate) struct Told {"), 1);
        assert_eq!(hits(Source::Library, "bail!(\"use --steps\"); n--x"), 1);
        let literals = "// \"told\"\nlet told = \"a \\\"b\\\n  is told {told}\"; told(\n\"told\")\n";
        assert_eq!(hits(Source::Literals, literals), 1);
        assert_eq!(hits(Source::Docstrings, "told()\n\"\"\"One\n\ntells.\"\"\"\ntold(3)\n"), 1);
        assert_eq!(hits(Source::Docstrings, "\"\"\"One\n>>> page\npage, heads : list\na page\"\"\""), 1);
        assert_eq!(hits(Source::Library, "\"\"\"As ``x --steps``.\"\"\""), 0);
    }
}
