//! Lines of code, tests and documentation. Blank lines and comments count as nothing.

use super::extension;
use std::collections::HashSet;
use std::path::Path;

/// Lines of a file, or of several.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(super) struct Lines {
    pub(super) files: usize,
    pub(super) code: usize,
    pub(super) tests: usize,
    pub(super) docs: usize,
}

impl Lines {
    pub(super) fn add(self, other: Self) -> Self {
        Self {
            files: self.files + other.files,
            code: self.code + other.code,
            tests: self.tests + other.tests,
            docs: self.docs + other.docs,
        }
    }
}

/// The files that a `#[cfg(test)] mod x;` names.
pub(super) fn test_modules(sources: &[(String, String)]) -> HashSet<String> {
    let mut found = HashSet::new();
    for (file, text) in sources.iter().filter(|(file, _)| extension(file) == "rs") {
        let mut after_cfg = false;
        for line in text.lines().map(str::trim) {
            if after_cfg
                && let Some(module) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'))
            {
                let path = Path::new(file);
                let (stem, folder) = (path.file_stem().unwrap_or_default(), path.parent().unwrap_or(path));
                let own = ["mod", "lib", "main"].iter().any(|name| stem == *name);
                let folder = if own { folder.to_path_buf() } else { folder.join(stem) };
                found.insert(folder.join(format!("{module}.rs")).to_string_lossy().into_owned());
                found.insert(folder.join(module).join("mod.rs").to_string_lossy().into_owned());
            }
            after_cfg = line == "#[cfg(test)]";
        }
    }
    found
}

/// The lines of a file; all of its code is tests where it is in a folder of tests, or a module that only tests have.
pub(super) fn count(file: &str, text: &str, only_tests: bool) -> Lines {
    let mut lines = if extension(file) == "rs" { rust(text) } else { python(text) };
    if only_tests || file.split('/').any(|part| part == "tests") {
        lines.tests += std::mem::take(&mut lines.code);
    }
    Lines { files: 1, ..lines }
}

fn rust(text: &str) -> Lines {
    let mut lines = Lines::default();
    // A module of tests ends with the brace that stands where its attribute stood.
    let mut tests_end: Option<String> = None;
    let mut pending: Option<String> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() {
        } else if trimmed.starts_with("///") || trimmed.starts_with("//!") {
            lines.docs += 1;
        } else if trimmed.starts_with("//") {
        } else if let Some(end) = &tests_end {
            lines.tests += 1;
            if line == end {
                tests_end = None;
            }
        } else if trimmed == "#[cfg(test)]" {
            pending = Some(format!("{}}}", &line[..line.len() - line.trim_start().len()]));
            lines.tests += 1;
        } else if let Some(end) = pending.take() {
            if trimmed.starts_with("#[") {
                pending = Some(end);
            } else if trimmed.ends_with('{') {
                tests_end = Some(end);
            }
            lines.tests += 1;
        } else {
            lines.code += 1;
        }
    }
    lines
}

fn python(text: &str) -> Lines {
    let mut lines = Lines::default();
    let mut quotes: Option<&str> = None;
    for line in text.lines().map(str::trim) {
        if let Some(end) = quotes {
            lines.docs += 1;
            if line.ends_with(end) {
                quotes = None;
            }
        } else if line.is_empty() || line.starts_with('#') {
        } else if let Some(mark) =
            ["\"\"\"", "'''"].into_iter().find(|mark| line.trim_start_matches(['r', 'f']).starts_with(mark))
        {
            lines.docs += 1;
            let rest = line.trim_start_matches(['r', 'f']);
            if rest.len() < 6 || !rest.ends_with(mark) {
                quotes = Some(mark);
            }
        } else {
            lines.code += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_tests_and_documentation_are_distinguished() {
        let source = "//! Doc.\nuse x;\n\n// Why.\n/// Doc.\nfn f() {\n}\n#[cfg(test)]\nmod tests {\n    fn g() {\n    }\n}\nfn h() {}\n";
        assert_eq!(count("src/a.rs", source, false), Lines { files: 1, code: 4, tests: 5, docs: 2 });
        assert_eq!(count("tests/a.rs", source, false), Lines { files: 1, code: 0, tests: 9, docs: 2 });
        let script = "\"\"\"Doc.\"\"\"\nimport x\n\ndef f():\n    \"\"\"Doc.\n\n    More.\n    \"\"\"\n    # Why.\n    return 1\n";
        assert_eq!(count("a.py", script, false), Lines { files: 1, code: 3, tests: 0, docs: 5 });
        let sources = [("src/a/mod.rs".to_owned(), "#[cfg(test)]\nmod tests;\nmod b;\n".to_owned())];
        assert!(
            test_modules(&sources).contains("src/a/tests.rs")
                && !test_modules(&sources).contains("src/a/b.rs")
        );
    }
}
