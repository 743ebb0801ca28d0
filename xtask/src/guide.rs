//! `cargo xtask guide`: the guide in `docs/` and README.md: links, blocks, pictures, and the book with the references of Python and Rust.

mod blocks;
mod book;
mod links;
mod markdown;
pub(crate) mod mdbook;
mod play;
mod reference;
mod sessions;
mod shown;
mod tools;

use crate::place::root;
use anyhow::{Context, Result, bail};
use markdown::Page;
use std::fmt;
use std::path::{Path, PathBuf};
use tools::Tools;

/// Pages next to those of `docs/`.
const OTHERS: [&str; 3] = ["README.md", "CONTRIBUTING.md", "benchsuite/README.md"];

/// The crate whose documentation tests compile the Rust of the pages.
const DOCTESTS: &str = "crates/ergodict/src/lib.rs";

/// What of the guide is run; its links are always checked.
pub(crate) struct Choice {
    /// Every page, and the book.
    pub(crate) all: bool,
    /// The pages that show Python.
    pub(crate) python: bool,
    /// Those of these files that are pages.
    pub(crate) paths: Vec<PathBuf>,
    /// The book, built.
    pub(crate) book: bool,
}

impl Default for Choice {
    fn default() -> Self {
        Self { all: true, python: false, paths: Vec::new(), book: true }
    }
}

impl Choice {
    /// Links and nothing else.
    pub(crate) fn nothing() -> Self {
        Self { all: false, python: false, paths: Vec::new(), book: false }
    }

    fn includes(&self, page: &Page) -> bool {
        let python =
            || page.blocks.iter().any(|block| block.info == "python" || block.text.contains("python"));
        self.all || self.paths.contains(&page.path) || (self.python && python())
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self { all: true, .. } => "all pages",
            Self { python: true, .. } => "pages that show Python or have changed",
            _ => "links and pages that have changed",
        })?;
        f.write_str(if self.book && !self.all { ", and the book" } else { "" })
    }
}

/// `cargo xtask guide`: checks links, and runs the pages named and nothing else, or all of them and builds the book; `--book` runs none.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let (mut pictures, mut book, mut wanted) = (false, false, Vec::new());
    for argument in arguments {
        match argument.as_str() {
            "--pictures" => pictures = true,
            "--book" => book = true,
            flag if flag.starts_with('-') => bail!("no option `{flag}`: they are --pictures and --book"),
            page => wanted.push(PathBuf::from(page)),
        }
    }
    let pages = pages()?;
    if let Some(unknown) = wanted.iter().find(|path| !pages.iter().any(|page| page.path == **path)) {
        bail!("no page {}: pages are docs/*.md, {}", unknown.display(), OTHERS.join(", "));
    }
    let none = wanted.is_empty();
    let paths = if book { Vec::new() } else { wanted };
    let choice = Choice { all: none && !book, python: false, paths, book: none };
    perform(&pages, &choice, pictures)?;
    Ok(true)
}

/// The step `guide` of the tests.
pub(crate) fn step(choice: &Choice) -> Result<()> {
    perform(&pages()?, choice, false)
}

fn perform(pages: &[Page], choice: &Choice, pictures: bool) -> Result<()> {
    check(pages)?;
    let runs = |page: &&Page| choice.includes(page) && play::blocks(page, pictures).next().is_some();
    let some: Vec<&Page> = pages.iter().filter(runs).collect();
    if some.is_empty() && !choice.book {
        return Ok(());
    }
    let tools = Tools::new(pictures)?;
    play::all(&some, &tools, pictures)?;
    if choice.book {
        println!("{}", book::build(pages, &tools)?.display());
    }
    Ok(())
}

/// Checks what needs nothing to be run.
fn check(pages: &[Page]) -> Result<()> {
    let doctests =
        std::fs::read_to_string(root().join(DOCTESTS)).context("cannot read the crate's lib.rs")?;
    let count = blocks::count(pages, &doctests)?;
    let links = links::check(&root(), pages)?;
    println!(
        "{} pages, {links} links; {} blocks are run, {} are documentation tests, {} are excerpts, {} are no code",
        pages.len(),
        count.run,
        count.compiled,
        count.excerpts,
        count.data
    );
    Ok(())
}

fn pages() -> Result<Vec<Page>> {
    let root = root();
    let mut paths: Vec<PathBuf> = OTHERS.iter().map(PathBuf::from).collect();
    let mut chapters = Vec::new();
    for entry in std::fs::read_dir(root.join("docs")).context("cannot read docs")? {
        let path = Path::new("docs").join(entry?.file_name());
        if path.extension().is_some_and(|ending| ending == "md") {
            chapters.push(path);
        }
    }
    chapters.sort();
    paths.extend(chapters);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(root.join(&path));
        text.with_context(|| format!("cannot read {}", path.display())).map(|text| Page::parse(path, &text))
    };
    paths.into_iter().map(read).collect()
}
