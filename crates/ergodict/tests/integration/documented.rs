//! Every public type, trait and function of the library and of its reports has an example that asserts something.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Public items without an example, and why.
const WITHOUT: [(&str, &str); 4] = [
    ("Op", "of the sealed `Scalar`, in a module that no user reaches"),
    ("Products", "of the sealed `Scalar`, in a module that no user reaches"),
    ("Lanes", "of the sealed `Scalar`, in a module that no user reaches"),
    ("remove_partials_and_exit", "ends the process, so that nothing could be asserted after it"),
];

/// The files of a folder and of the folders in it.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, into);
        } else if entry.extension().is_some_and(|end| end == "rs") {
            into.push(entry);
        }
    }
}

/// The name of the item that a line declares at the outermost level; `unreachable_pub` sees to it that what is `pub` is public.
fn declared(line: &str) -> Option<&str> {
    let mut words =
        line.strip_prefix("pub ")?.split(' ').skip_while(|word| matches!(*word, "const" | "unsafe"));
    let kind = words.next()?;
    let name = words.next()?.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    matches!(kind, "struct" | "enum" | "trait" | "fn").then_some(name)
}

/// The type whose methods follow: `Walker` of `impl<C: Chain> Walker<C> {`.
fn implemented(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?;
    let mut depth = 0;
    let after = rest.find(|c| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0 && c == ' '
    })?;
    rest[after + 1..].split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Whether a doc comment has an example that asserts something; blocks of another language are none.
fn has_example(doc: &[&str]) -> bool {
    let mut fences = doc.iter().enumerate().filter(|(_, line)| line.starts_with("```"));
    while let (Some((from, fence)), Some((to, _))) = (fences.next(), fences.next()) {
        if *fence == "```" && doc[from..to].iter().any(|line| line.contains("assert")) {
            return true;
        }
    }
    false
}

/// The items of a file, and those of them that have an example of their own or at a method.
fn scanned(text: &str) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let (mut items, mut shown, mut doc, mut of) = (BTreeSet::new(), BTreeSet::new(), Vec::new(), None);
    for line in text.lines() {
        let code = line.trim_start();
        if let Some(words) = code.strip_prefix("///") {
            doc.push(words.trim());
            continue;
        }
        of = if line.starts_with("impl") { implemented(line) } else { of };
        if let Some(name) = declared(line) {
            items.insert(name);
            shown.extend(has_example(&doc).then_some(name));
        } else if code.starts_with("pub fn ") && has_example(&doc) {
            shown.extend(of);
        }
        // Attributes stand between a comment and its item, also over several lines.
        let inside = line.starts_with("    ") && !code.starts_with("pub ") && code != "}";
        if !code.starts_with(['#', ')']) && !inside {
            doc.clear();
        }
    }
    (items, shown)
}

#[test]
fn public_items_have_examples() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&here.join("src"), &mut files);
    sources(&here.join("../ergodict-report/src"), &mut files);
    let (mut missing, mut seen, mut excused) = (Vec::new(), 0, BTreeSet::new());
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let (items, shown) = scanned(&text);
        seen += items.len();
        for name in items.difference(&shown) {
            match WITHOUT.iter().find(|(without, _)| without == name) {
                Some((name, _)) => _ = excused.insert(*name),
                None => missing.push(format!("{name} in {}", file.display())),
            }
        }
    }
    // Were the scan blind, it would find nothing missing.
    assert!(seen > 300, "only {seen} items were found");
    assert!(missing.is_empty(), "without an example that asserts something:\n{}", missing.join("\n"));
    assert_eq!(excused.len(), WITHOUT.len(), "an exception is no longer needed: {excused:?} are");
}

#[test]
fn the_scan_sees_what_is_missing() {
    let text = "/// One.\n///\n/// ```\n/// assert!(true);\n/// ```\n#[derive(Clone)]\npub struct One;\n\n/// Two.\npub struct Two;\n\n\
                impl<T> Two {\n    /// Makes.\n    ///\n    /// ```\n    /// assert!(true);\n    /// ```\n    pub fn new() {}\n}\n\n\
                /// Three.\n///\n/// ```text\n/// assert\n/// ```\npub fn three() {}\n\n/// ```\n/// let x = 1;\n/// ```\npub enum Four {}\n";
    let (items, shown) = scanned(text);
    assert_eq!(items, BTreeSet::from(["One", "Two", "three", "Four"]));
    assert_eq!(shown, BTreeSet::from(["One", "Two"]));
}

#[test]
fn messages_name_settings_and_no_flags_of_the_shell() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut found = Vec::new();
    for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
        let text = std::fs::read_to_string(file).unwrap();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let quoted = line.split('"').skip(1).step_by(2);
            let flag = |part: &str| {
                part.match_indices("--")
                    .any(|(at, _)| part[at + 2..].starts_with(|c: char| c.is_ascii_lowercase()))
            };
            if quoted.into_iter().any(flag) {
                found.push(format!("{}:{}: {line}", file.display(), at + 1));
            }
        }
    }
    assert!(found.is_empty(), "a front end spells settings, by `Hint`:\n{}", found.join("\n"));
}
