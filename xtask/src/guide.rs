//! `cargo xtask guide`: the guide in `docs/` and README.md: links, blocks, pictures, the book.

mod blocks;
mod book;
mod links;
mod markdown;
pub(crate) mod mdbook;
mod play;
mod sessions;
mod shown;
mod tools;

use crate::place::root;
use anyhow::{Context, Result, bail};
use markdown::Page;
use std::path::{Path, PathBuf};
use tools::Tools;

/// Pages beside those of `docs/`.
const OTHERS: [&str; 3] = ["README.md", "CONTRIBUTING.md", "benchsuite/README.md"];

/// The crate whose documentation tests compile the Rust of the pages.
const DOCTESTS: &str = "crates/ergodict/src/lib.rs";

/// `cargo xtask guide`: checks links, and runs the pages named and nothing else, or all of them and builds the book; `--book` runs none.
pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let (mut pictures, mut book, mut wanted) = (false, false, Vec::new());
    for argument in arguments {
        match argument.as_str() {
            "--pictures" => pictures = true,
            "--book" => book = true,
            flag if flag.starts_with('-') => bail!("no option `{flag}`: they are --pictures and --book"),
            page => wanted.push(Path::new(page)),
        }
    }
    let pages = pages()?;
    if let Some(unknown) = wanted.iter().find(|path| !pages.iter().any(|page| page.path == **path)) {
        bail!("no page {}: pages are docs/*.md, {}", unknown.display(), OTHERS.join(", "));
    }
    check(&pages)?;
    if !book {
        let chosen = |page: &&Page| wanted.is_empty() || wanted.contains(&page.path.as_path());
        let some: Vec<&Page> = pages.iter().filter(chosen).collect();
        play::all(&some, &Tools::new(pictures)?, pictures)?;
    }
    if wanted.is_empty() {
        println!("{}", book::build(&pages)?.display());
    }
    Ok(true)
}

/// The step `guide` of the tests.
pub(crate) fn step() -> Result<()> {
    run(&[]).map(drop)
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
