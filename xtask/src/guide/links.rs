//! Whether the links of pages lead anywhere, and whether every picture is shown.

use super::markdown::{Link, Page};
use super::reference::FOLDERS;
use anyhow::{Result, bail};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The largest picture: a page with several of them should still open at once.
const LARGEST: u64 = 150_000;

/// Checks all links of all pages, which are those below `root` that may be linked to with an anchor; how many there are.
pub(super) fn check(root: &Path, pages: &[Page]) -> Result<usize> {
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    let mut count = 0;
    for page in pages {
        for link in &page.links {
            count += 1;
            match follow(root, pages, page, link) {
                Ok(Some(path)) => drop(seen.insert(path)),
                Ok(None) => {}
                Err(problem) => {
                    wrong.push(format!("{}:{}: {} {problem}", page.path.display(), link.line, link.target));
                }
            }
        }
    }
    for file in std::fs::read_dir(root.join("docs/images"))? {
        let file = file?;
        let path = Path::new("docs/images").join(file.file_name());
        if !seen.contains(&path) {
            wrong.push(format!("{}: no page shows it", path.display()));
        }
        if file.metadata()?.len() > LARGEST {
            wrong.push(format!("{}: is larger than {} kB", path.display(), LARGEST / 1000));
        }
    }
    let summary: BTreeSet<PathBuf> = pages
        .iter()
        .filter(|page| page.path == Path::new("docs/SUMMARY.md"))
        .flat_map(|page| page.links.iter().map(|link| Path::new("docs").join(&link.target)))
        .collect();
    for page in pages.iter().filter(|page| page.path.starts_with("docs")) {
        if !page.path.ends_with("SUMMARY.md") && !summary.contains(&page.path) {
            wrong.push(format!("{}: is not in docs/SUMMARY.md", page.path.display()));
        }
    }
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(count)
}

/// The file that a link leads to, none where it leads out of the repository.
fn follow(root: &Path, pages: &[Page], page: &Page, link: &Link) -> Result<Option<PathBuf>, String> {
    let target = link.target.as_str();
    if let Some((scheme, rest)) = target.split_once("://") {
        let host = rest.split('/').next().unwrap_or_default();
        return match scheme {
            // No network in the tests: only that it is an address.
            "https" | "http" if host.contains('.') && target.is_ascii() => Ok(None),
            _ => Err("is no address".to_owned()),
        };
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() {
        page.path.clone()
    } else {
        let folder = page.path.parent().unwrap_or(Path::new(""));
        within(&folder.join(file)).ok_or("leads out of the repository")?
    };
    if FOLDERS.iter().any(|folder| path.starts_with(folder)) {
        // Checked in the book.
        return Ok(None);
    }
    if !root.join(&path).exists() {
        return Err("is not there".to_owned());
    }
    if !anchor.is_empty() {
        let anchors = pages.iter().find(|other| other.path == path).map(|other| &other.anchors);
        let anchors = anchors.ok_or("is a heading of a file that is no page of the guide")?;
        if !anchors.iter().any(|known| known == anchor) {
            return Err(format!("is no heading of {}: they are {}", path.display(), anchors.join(", ")));
        }
    }
    Ok(Some(path))
}

/// A path without `.` and `..`; none where it leads above where it began.
pub(super) fn within(path: &Path) -> Option<PathBuf> {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !whole.pop() {
                    return None;
                }
            }
            Component::Normal(name) => whole.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Scratch;

    /// What is wrong with a page `docs/a.md` next to `docs/b.md`, `README.md` and the picture `docs/images/p.svg`.
    fn problems(name: &str, text: &str, picture: usize) -> String {
        let folder = Scratch::new(name).unwrap();
        let images = folder.0.join("docs/images");
        std::fs::create_dir_all(&images).unwrap();
        std::fs::write(images.join("p.svg"), vec![b' '; picture]).unwrap();
        let files = [
            ("docs/a.md", text),
            ("docs/b.md", "# Here\n![p](images/p.svg)\n"),
            ("docs/SUMMARY.md", "[a](a.md) [b](b.md)"),
            ("README.md", "# Top\n"),
        ];
        let pages = files.map(|(path, text)| {
            std::fs::write(folder.0.join(path), text).unwrap();
            Page::parse(path.into(), text)
        });
        check(&folder.0, &pages).map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn links_must_lead_somewhere() {
        let good = "# A\n[b](b.md#here) [top](../README.md#top) [a](#a) [web](https://x.org/y) [d](.)\n";
        assert_eq!(problems("links-good", good, 1), "");
        for (number, (bad, why)) in [
            ("[x](c.md)", "docs/a.md:1: c.md is not there"),
            ("\n[x](b.md#there)", "docs/a.md:2: b.md#there is no heading of docs/b.md: they are here"),
            ("[x](#here)", "docs/a.md:1: #here is no heading of docs/a.md: they are "),
            ("[x](../../etc/passwd)", "docs/a.md:1: ../../etc/passwd leads out of the repository"),
            ("[x](https://nowhere)", "docs/a.md:1: https://nowhere is no address"),
            ("![x](images/q.svg)", "docs/a.md:1: images/q.svg is not there"),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(problems(&format!("links-{number}"), bad, 1), why);
        }
    }

    #[test]
    fn pictures_are_shown_and_small() {
        assert_eq!(problems("links-large", "", 150_001), "docs/images/p.svg: is larger than 150 kB");
        let folder = Scratch::new("links-unused").unwrap();
        std::fs::create_dir_all(folder.0.join("docs/images")).unwrap();
        std::fs::write(folder.0.join("docs/images/q.svg"), "").unwrap();
        let page = [Page::parse("docs/a.md".into(), "")];
        let error = check(&folder.0, &page).unwrap_err().to_string();
        assert_eq!(error, "docs/images/q.svg: no page shows it\ndocs/a.md: is not in docs/SUMMARY.md");
    }
}
