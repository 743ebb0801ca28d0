//! The help of every verb, short and long, runs of every verb, and the errors people meet, as they are printed. After a change:
//! `TRYCMD=overwrite cargo test -p ergodict-cli --test cli help`.

use crate::bench::Bench;

#[test]
fn short_help() {
    trycmd::TestCases::new().case("tests/cli/help/*.trycmd");
}

#[test]
fn long_help() {
    trycmd::TestCases::new().case("tests/cli/help/long/*.trycmd");
}

// These show what a program with every feature prints.
#[cfg(feature = "fetch")]
#[test]
fn runs() {
    trycmd::TestCases::new().case("tests/cli/runs/*.trycmd");
}

#[cfg(feature = "fetch")]
#[test]
fn errors() {
    trycmd::TestCases::new().case("tests/cli/errors/*.trycmd");
}

#[test]
fn the_docs_list_the_errors_of_the_snapshots() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let page = format!("{folder}/../../docs/errors.md");
    let mut docs = std::fs::read_to_string(&page).unwrap();
    let seen = std::fs::read_to_string(format!("{folder}/tests/cli/errors/errors.trycmd")).unwrap();
    if std::env::var("TRYCMD").is_ok_and(|how| how == "overwrite") {
        docs = with_errors(&docs, &seen);
        std::fs::write(&page, &docs).unwrap();
    }
    let rows: Vec<&str> = docs.lines().filter(|line| line.starts_with("| `ergodict ")).collect();
    let mut blocks = 0;
    for block in seen.split("```console\n").skip(1) {
        let (typed, said) = error(block);
        let row = |row: &&&str| row.starts_with(&format!("| `{typed}` | {said} |"));
        assert!(rows.iter().find(row).is_some(), "docs/errors.md does not have `{typed}`: {said}");
        blocks += 1;
    }
    assert_eq!(blocks, rows.len(), "docs/errors.md has errors that no snapshot has");
}

/// What was typed in a snapshot, and what the program said, as a table has it.
fn error(block: &str) -> (&str, String) {
    let said = block.lines().find_map(|line| line.strip_prefix("ergodict: error: ")).unwrap();
    let typed = block.lines().next().unwrap().trim_start_matches("$ ");
    (typed, said.replace('|', "\\|").replace('<', "\\<"))
}

/// The page with the errors of the snapshots in the rows of what was typed.
fn with_errors(docs: &str, seen: &str) -> String {
    let errors: Vec<(&str, String)> = seen.split("```console\n").skip(1).map(error).collect();
    let line = |line: &str| {
        let row = errors.iter().find(|(typed, _)| line.starts_with(&format!("| `{typed}` | ")));
        let help = line.trim_end_matches(" |").rsplit_once(" | ").map_or("", |(_, help)| help);
        row.map_or_else(|| line.to_owned(), |(typed, said)| format!("| `{typed}` | {said} | {help} |"))
    };
    docs.lines().map(|text| line(text) + "\n").collect()
}

/// Every verb, by its own definitions: the pages of the manual.
fn verbs() -> Vec<String> {
    let bench = Bench::new();
    bench.run("man -o pages -q").fine();
    let pages = std::fs::read_dir(bench.path("pages")).unwrap().map(|page| page.unwrap().file_name());
    let mut names: Vec<String> = pages.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    // Names of verbs have dashes of their own, so that those are asked for which parts are verbs.
    let words = |name: &String| {
        name.trim_end_matches(".1").trim_start_matches("ergodict").trim_start_matches('-').to_owned()
    };
    let dashed: Vec<String> = names.iter().map(words).filter(|name| !name.is_empty()).collect();
    let outer = |name: &str| {
        dashed
            .iter()
            .filter(|other| name.starts_with(&format!("{other}-")))
            .max_by_key(|other| other.len())
            .cloned()
    };
    let spaced = |name: &String| {
        let (mut rest, mut words) = (name.clone(), Vec::new());
        while let Some(noun) = outer(&rest) {
            words.push(rest[noun.len() + 1..].to_owned());
            rest = noun;
        }
        words.push(rest);
        words.reverse();
        words.join(" ")
    };
    dashed.iter().map(spaced).collect()
}

#[test]
fn every_verb_has_snapshots_and_short_help_is_short() {
    let bench = Bench::new();
    let read = |folder: &str| -> String {
        let folder = format!("{}/tests/cli/{folder}", env!("CARGO_MANIFEST_DIR"));
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        files.filter(|file| file.is_file()).map(|file| std::fs::read_to_string(file).unwrap()).collect()
    };
    let (short, long, runs) = (read("help"), read("help/long"), read("runs"));
    let verbs = verbs();
    assert!(verbs.len() > 30 && verbs.contains(&"network denoise".to_owned()), "{verbs:?}");
    for verb in &verbs {
        assert!(short.contains(&format!("$ ergodict {verb} -h\n")), "no snapshot of `ergodict {verb} -h`");
        assert!(
            long.contains(&format!("$ ergodict {verb} --help\n")),
            "no snapshot of `ergodict {verb} --help`"
        );
        let lines =
            String::from_utf8(bench.run(&format!("{verb} -h")).fine().stdout).unwrap().lines().count();
        assert!(lines <= 48, "ergodict {verb} -h has {lines} lines");
        let is_noun = verbs.iter().any(|other| other.starts_with(&format!("{verb} ")));
        // Tours and what prints files as long as books have tests of their own.
        let own = ["demo", "completions", "man", "report"].iter().any(|noun| verb.starts_with(noun));
        assert!(
            is_noun || own || runs.contains(&format!("$ ergodict {verb}")),
            "no snapshot of a run of {verb}"
        );
    }
}

#[test]
fn long_help_shows_defaults_and_an_example() {
    let bench = Bench::new();
    let verbs = verbs();
    let is_noun = |verb: &&String| verbs.iter().any(|other| other.starts_with(&format!("{verb} ")));
    for verb in verbs.iter().filter(|verb| !is_noun(verb)) {
        let done = bench.run(&format!("{verb} --help")).fine();
        let help = String::from_utf8(done.stdout).unwrap();
        assert!(help.contains("Example") && help.contains(&format!("ergodict {verb}")), "{verb}: {help}");
        assert!(!help.contains('\u{1b}') && done.stderr.is_empty());
    }
    let help = String::from_utf8(bench.run("factor --help").stdout).unwrap();
    for default in
        ["[default: auto]", "[default: nonneg-ball]", "[default: fast]", "[default: 64]", "[default: 200]"]
    {
        assert!(help.contains(default), "{default} is not in {help}");
    }
}

#[test]
fn the_paper_has_a_program_of_its_own() {
    let bench = Bench::new();
    for (words, typed) in [
        ("paper", "--help"),
        ("paper -h", "-h"),
        ("paper all --quick -o p --seed 3", "all --quick -o p --seed 3"),
    ] {
        let done = bench.run(words);
        let line = format!(
            "ergodict: error: the paper's experiments are a program of their own: cargo run --release -p ergodict-paper -- {typed}\n"
        );
        assert_eq!((done.code, done.stderr), (Some(2), line));
        assert!(done.stdout.is_empty() && bench.files().is_empty());
    }
    let help = String::from_utf8(bench.run("-h").fine().stdout).unwrap();
    assert!(!help.contains("paper"), "{help}");
}
