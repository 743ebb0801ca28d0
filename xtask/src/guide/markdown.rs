//! What the checks need of a Markdown page: its fenced blocks, the anchors of its headings, its links.

use std::path::PathBuf;

/// One page, by its path from the root of the repository.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) path: PathBuf,
    pub(super) blocks: Vec<Block>,
    pub(super) anchors: Vec<String>,
    pub(super) links: Vec<Link>,
    pub(super) pictures: Vec<Picture>,
}

/// A fenced block: the line of its fence, the words behind the fence, and what is in it.
#[derive(Debug, PartialEq)]
pub(super) struct Block {
    pub(super) line: usize,
    pub(super) info: String,
    pub(super) text: String,
}

/// Where a link or an image points to.
#[derive(Debug, PartialEq)]
pub(super) struct Link {
    pub(super) line: usize,
    pub(super) target: String,
}

/// An image that the blocks of its page make: `<!-- picture: made -->` stands behind it.
#[derive(Debug, PartialEq)]
pub(super) struct Picture {
    pub(super) line: usize,
    /// The file, in the folder that the blocks run in.
    pub(super) made: String,
    /// The target of the image.
    pub(super) image: String,
}

impl Page {
    pub(super) fn parse(path: PathBuf, text: &str) -> Self {
        let (mut blocks, mut anchors): (Vec<Block>, Vec<String>) = (Vec::new(), Vec::new());
        let (mut fence, mut prose) = (None, String::new());
        for (number, line) in (1..).zip(text.lines()) {
            let words = line.trim_start();
            let ticks = words.chars().take_while(|c| *c == '`').count();
            match &fence {
                None if ticks >= 3 => {
                    let info = words[ticks..].trim().to_owned();
                    blocks.push(Block { line: number, info, text: String::new() });
                    fence = Some(ticks);
                }
                None => {
                    prose.push_str(line);
                    let level = line.chars().take_while(|c| *c == '#').count();
                    if (1..=6).contains(&level) && line[level..].starts_with(' ') {
                        let anchor = anchor(&line[level..]);
                        let earlier = anchors.iter().filter(|known| **known == anchor).count();
                        anchors.push(if earlier == 0 { anchor } else { format!("{anchor}-{earlier}") });
                    }
                }
                Some(open) if ticks >= *open && words.trim_end().len() == ticks => fence = None,
                Some(_) => {
                    if let Some(block) = blocks.last_mut() {
                        block.text.push_str(line);
                        block.text.push('\n');
                    }
                }
            }
            prose.push('\n');
        }
        let prose = without_code(&prose);
        let links = links(&prose);
        let pictures = pictures(&prose, &links);
        Self { path, blocks, anchors, links, pictures }
    }
}

/// The anchor that both mdBook and the usual hosts give a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The text with spans of code blanked, so that brackets in them are no links; lines stay where they are.
fn without_code(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('`') {
        plain.push_str(&rest[..start]);
        let ticks = rest[start..].chars().take_while(|c| *c == '`').count();
        let inner = &rest[start + ticks..];
        let fence = "`".repeat(ticks);
        // A span ends with as many ticks as it began with, in the same paragraph.
        let paragraph = inner.find("\n\n").unwrap_or(inner.len());
        match inner[..paragraph].find(&fence) {
            Some(end) => {
                plain.extend(inner[..end].chars().filter(|c| *c == '\n'));
                rest = &inner[end + ticks..];
            }
            None => rest = inner,
        }
    }
    plain.push_str(rest);
    plain
}

fn links(prose: &str) -> Vec<Link> {
    let mut found = Vec::new();
    for opening in ["](", "href=\"", "src=\"", "]: ", "<https://", "<http://"] {
        for (start, _) in prose.match_indices(opening) {
            // Of a reference only the definition, at the beginning of its line.
            if opening == "]: "
                && !prose[..start].rsplit('\n').next().is_some_and(|line| line.starts_with('['))
            {
                continue;
            }
            let from = if opening.starts_with('<') { start + 1 } else { start + opening.len() };
            let until = |c: char| c.is_whitespace() || matches!(c, ')' | '"' | '>');
            let target = prose[from..].split(until).next().unwrap_or_default();
            let line = prose[..start].matches('\n').count() + 1;
            found.push(Link { line, target: target.to_owned() });
        }
    }
    found.sort_by_key(|link| link.line);
    found
}

fn pictures(prose: &str, links: &[Link]) -> Vec<Picture> {
    let marked = (1..).zip(prose.lines()).filter_map(|(line, text)| {
        let (_, made) = text.split_once("<!-- picture:")?;
        let made = made.trim_end().strip_suffix("-->")?.trim().to_owned();
        let image = links.iter().find(|link| link.line == line).map(|link| link.target.clone());
        Some(Picture { line, made, image: image.unwrap_or_default() })
    });
    marked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        Page::parse(PathBuf::from("docs/x.md"), text)
    }

    #[test]
    fn blocks_have_their_words_and_their_line() {
        let page = page(
            "# x\n```console\n$ one\n```\n- item\n  ```python no-run\n  y\n  ```\n````text\n```\n````\n```\nz\n```\n",
        );
        let of = |line, info: &str, text: &str| Block { line, info: info.into(), text: text.into() };
        let expected = [
            of(2, "console", "$ one\n"),
            of(6, "python no-run", "  y\n"),
            of(9, "text", "```\n"),
            of(12, "", "z\n"),
        ];
        assert_eq!(page.blocks, expected);
    }

    #[test]
    fn anchors_are_those_of_headings_outside_of_blocks() {
        let page = page(
            "# A `.egr`, twice\n```sh\n# no\n```\n## Twice\n## Twice\n#no\n## λ and k — why\n### a_b-c!\n",
        );
        assert_eq!(page.anchors, ["a-egr-twice", "twice", "twice-1", "λ-and-k--why", "a_b-c"]);
    }

    #[test]
    fn links_are_found_wherever_they_stand() {
        let page = page(
            "[a](b.md#c) ![d](e.svg \"t\") `[no](no)`\n[two\nlines](f.md)\n\n<img src=\"g.png\">\n\
             [r]: h.md\n```text\n[no](no)\n```\n<https://i.org/j>\n",
        );
        let targets: Vec<_> = page.links.iter().map(|link| (link.line, link.target.as_str())).collect();
        let expected =
            [(1, "b.md#c"), (1, "e.svg"), (3, "f.md"), (5, "g.png"), (6, "h.md"), (10, "https://i.org/j")];
        assert_eq!(targets, expected);
    }

    #[test]
    fn what_makes_a_picture_stands_behind_it() {
        let page = page("text\n![a](images/a.svg) <!-- picture: figures/a.svg -->\n![b](images/b.svg)\n");
        let expected = Picture { line: 2, made: "figures/a.svg".into(), image: "images/a.svg".into() };
        assert_eq!(page.pictures, [expected]);
    }
}
