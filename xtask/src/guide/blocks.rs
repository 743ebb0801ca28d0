//! What is done with a fenced block: run, run only where pictures are made, compiled as a documentation test, or read only.

use super::markdown::{Block, Page};
use anyhow::{Result, bail};

/// What a block is for, by the words behind its fence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A session in a shell.
    Console,
    /// The same, but too long for the tests: run by `cargo xtask guide --pictures`.
    Slow,
    /// Python, in the namespace of its page.
    Python,
    /// A documentation test of the crate.
    Rust,
    /// Code that is only to be read, and says so.
    Excerpt,
    /// No code: formats, drawings.
    Data,
}

/// Languages that nothing could run.
const DATA: [&str; 6] = ["text", "toml", "json", "bibtex", "csv", "tsv"];

impl Kind {
    pub(super) fn from_info(info: &str) -> Option<Self> {
        Some(match info {
            "console" => Self::Console,
            "console slow" => Self::Slow,
            "python" => Self::Python,
            "rust" | "rust,no_run" | "rust,should_panic" | "rust,compile_fail" => Self::Rust,
            "console no-run" | "python no-run" | "rust,ignore" => Self::Excerpt,
            data if DATA.contains(&data) => Self::Data,
            _ => return None,
        })
    }
}

/// How many blocks of which kind there are.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Count {
    pub(super) run: usize,
    pub(super) compiled: usize,
    pub(super) excerpts: usize,
    pub(super) data: usize,
}

/// Counts the blocks of all pages; an error that lists those of no known kind.
///
/// `doctests` is the source that includes pages as documentation tests: a page with Rust that it does not name would not be run.
pub(super) fn count(pages: &[Page], doctests: &str) -> Result<Count> {
    let (mut count, mut wrong) = (Count::default(), Vec::new());
    for page in pages {
        let name = page.path.display().to_string();
        let mut rust = false;
        for Block { line, info, .. } in &page.blocks {
            match Kind::from_info(info) {
                Some(Kind::Console | Kind::Python) => count.run += 1,
                Some(Kind::Rust) => {
                    count.compiled += 1;
                    rust = true;
                }
                Some(Kind::Slow | Kind::Excerpt) => count.excerpts += 1,
                Some(Kind::Data) => count.data += 1,
                None => wrong.push(format!("{name}:{line}: a block that is `{info}`")),
            }
        }
        if rust && !doctests.contains(&format!("/{name}\")")) {
            wrong.push(format!("{name}: has Rust, but is not among the documentation tests of the crate"));
        }
    }
    if !wrong.is_empty() {
        bail!(
            "{}\nblocks are console, python or rust, which are run; `console slow`, `console no-run`, `python no-run` or \
             `rust,ignore`, which are read; or {}",
            wrong.join("\n"),
            DATA.join(", ")
        );
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        Page::parse("docs/x.md".into(), text)
    }

    #[test]
    fn every_block_says_what_it_is() {
        let text =
            "```console\n```\n```console slow\n```\n```python\n```\n```python no-run\n```\n```text\n```\n";
        let expected = Count { run: 2, compiled: 0, excerpts: 2, data: 1 };
        assert_eq!(count(&[page(text)], "").unwrap(), expected);
        for bad in ["", "sh", "py", "console norun", "python slow", "rust, ignore"] {
            let error = count(&[page(&format!("a\n```{bad}\n```\n"))], "").unwrap_err().to_string();
            assert!(error.starts_with(&format!("docs/x.md:2: a block that is `{bad}`")), "{error}");
        }
    }

    #[test]
    fn rust_must_be_among_the_documentation_tests() {
        let page = [page("```rust\n```\n")];
        assert!(count(&page, "").is_err());
        assert_eq!(count(&page, "include_str!(\"../../../docs/x.md\")").unwrap().compiled, 1);
    }
}
