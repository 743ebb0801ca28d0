//! The book as people read it: built by mdBook, with the files of the repository that it links to next to it.

use super::links::within;
use super::markdown::Page;
use super::tools::Tools;
use super::{mdbook, reference};
use crate::place::{root, target};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Builds the book and the references of Python and Rust into `target/guide/docs`, and checks every link of its pages; where it begins.
pub(super) fn build(pages: &[Page], tools: &Tools) -> Result<PathBuf> {
    let site = target()?.join("guide");
    if site.exists() {
        std::fs::remove_dir_all(&site).with_context(|| format!("cannot remove {}", site.display()))?;
    }
    let book = site.join("docs");
    reference::mdbook(&mdbook::program()?, &book)?;
    reference::build(&book.join("api"), tools)?;
    for page in pages.iter().filter(|page| page.path.starts_with("docs")) {
        for link in &page.links {
            beside(&site, page, link.target.split('#').next().unwrap_or_default())?;
        }
    }
    check(&site)?;
    Ok(book.join("index.html"))
}

/// Puts a file outside of `docs` that a page links to where the same link leads from the book.
fn beside(site: &Path, page: &Page, target: &str) -> Result<()> {
    let folder = page.path.parent().unwrap_or(Path::new(""));
    let Some(path) = within(&folder.join(target)).filter(|path| !path.starts_with("docs")) else {
        return Ok(());
    };
    let (from, to) = (root().join(&path), site.join(&path));
    if target.is_empty() || target.contains("://") || !from.exists() || to.exists() {
        return Ok(());
    }
    let make = |folder: &Path| {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
    };
    if from.is_dir() {
        make(&to)?;
        let mut list = String::new();
        for entry in std::fs::read_dir(&from)? {
            let _ = writeln!(list, "{}", entry?.file_name().display());
        }
        return Ok(std::fs::write(to.join("index.html"), plain(&list))?);
    }
    make(to.parent().unwrap_or(site))?;
    std::fs::copy(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
    if path.extension().is_some_and(|ending| ending == "md") {
        // mdBook makes every link to Markdown one to a page.
        std::fs::write(to.with_extension("html"), plain(&std::fs::read_to_string(&from)?))?;
    }
    Ok(())
}

/// Text as a page.
fn plain(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    format!("<!DOCTYPE html><meta charset=\"utf-8\"><pre style=\"white-space: pre-wrap\">{text}</pre>\n")
}

/// Checks that what the pages of the book, in `docs` of the site, refer to is there.
fn check(site: &Path) -> Result<()> {
    let mut pages = BTreeMap::new();
    for folder in ["docs", "docs/commands"].map(Path::new).into_iter().filter(|path| site.join(path).is_dir())
    {
        for entry in std::fs::read_dir(site.join(folder))? {
            let name = entry?.file_name();
            let path = folder.join(&name);
            // The page for addresses that do not exist is made to be served from the root of a host.
            if path.extension().is_some_and(|ending| ending == "html") && name != "404.html" {
                let text = std::fs::read_to_string(site.join(&path))?;
                pages.insert(path, text);
            }
        }
    }
    let mut wrong = Vec::new();
    let mut count = 0;
    for (path, text) in &pages {
        for target in references(text) {
            count += 1;
            if let Some(problem) = broken(site, &pages, path, target) {
                wrong.push(format!("{}: {target} {problem}", path.display()));
            }
        }
    }
    if !wrong.is_empty() {
        wrong.dedup();
        bail!("the book has broken links:\n{}", wrong.join("\n"));
    }
    println!("{} pages of the book, all of their {count} references lead somewhere", pages.len());
    Ok(())
}

fn references(html: &str) -> impl Iterator<Item = &str> {
    ["href=\"", "src=\""].into_iter().flat_map(move |attribute| {
        let starts = html.match_indices(attribute);
        starts.filter_map(move |(start, _)| html[start + attribute.len()..].split('"').next())
    })
}

/// What is wrong with a reference, if anything; pages are by their paths in the site.
fn broken(site: &Path, pages: &BTreeMap<PathBuf, String>, page: &Path, target: &str) -> Option<&'static str> {
    if target.contains(':') {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = page.parent().unwrap_or(Path::new(""));
    let path = if file.is_empty() { Some(page.to_path_buf()) } else { within(&folder.join(file)) };
    let Some(path) = path.filter(|path| site.join(path).exists()) else {
        return Some("is not there");
    };
    // Other letters than those of English are escaped in addresses, and are compared in the sources.
    if anchor.is_empty() || anchor.contains('%') {
        return None;
    }
    let text = pages.get(&path)?;
    (!text.contains(&format!("id=\"{anchor}\""))).then_some("is no heading there")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Scratch;

    #[test]
    fn references_of_the_book_must_lead_somewhere() {
        let site = Scratch::new("book").unwrap();
        std::fs::create_dir(site.0.join("docs")).unwrap();
        std::fs::write(site.0.join("NOTES"), "").unwrap();
        let write = |text: &str| std::fs::write(site.0.join("docs/a.html"), text).unwrap();
        write(
            r##"<h1 id="top"><a href="#top"><a href="../NOTES"><a href="a.html#top"><img src="https://x.org/y">"##,
        );
        check(&site.0).unwrap();
        for bad in ["#no", "b.html", "a.html#no", "../../x", "images/c.svg"] {
            write(&format!("<a href=\"{bad}\">"));
            assert!(check(&site.0).is_err(), "{bad}");
        }
    }
}
