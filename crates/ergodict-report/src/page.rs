//! The HTML of the report page, in page order.

use crate::cards::{Card, Cards, Key};
use crate::frames::Image;
use crate::html::Check;
use crate::script::{DIGEST, script};

const STYLE: &str = include_str!("../assets/report.css");

/// Pictures from which on a page without sections has a table of contents.
const MANY: usize = 6;

/// Cards from which on they are drawn smaller.
const MANY_CARDS: usize = 65;

/// Columns from which on a table is set smaller.
const MANY_COLUMNS: usize = 7;

/// Rows from which on a table may be broken between pages in print.
const MANY_ROWS: usize = 26;

/// A part of the page under a heading of its own.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Level of the heading.
    pub(crate) level: u8,
    pub(crate) title: String,
    /// Paragraphs that explain the content; facts and code have none.
    pub(crate) words: Vec<String>,
    pub(crate) content: Content,
}

/// What stands below the heading of a block.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// Names and values.
    Facts(Vec<(String, String)>),
    /// Nothing: the blocks that follow are what it holds.
    Section,
    /// A folded part: the blocks that follow, up to a section or commands.
    Details(Option<Check>),
    /// An SVG picture.
    Figure(String),
    /// Atoms.
    Gallery(Cards),
    /// Pictures in the order of time.
    Frames(Vec<Image>),
    /// Rows of equal length.
    Table { head: Vec<Cell>, rows: Vec<Vec<Cell>> },
    /// Commands.
    Code(String),
}

/// A cell of a table.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) text: String,
    /// Its style, often none.
    pub(crate) class: &'static str,
}

/// The whole page.
///
/// It promises to ask nothing of the network and to run no script but its own; by the Content-Security-Policy, the browser
/// holds it to that.
pub(crate) fn render_page(
    title: &str,
    lead: &[String],
    numbers: &[(String, String)],
    blocks: &[Block],
) -> String {
    let title = escape(title);
    let script = script();
    let lead = join(lead, |paragraph| format!("<p class=\"lead\">{}</p>\n", escape(paragraph)));
    let contents = render_contents(blocks);
    let numbers = render_numbers(numbers);
    let warning = render_warning(blocks);
    let blocks = render_blocks(blocks);
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="ergodict">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{DIGEST}'">
<title>{title}</title>
<style>
{STYLE}
</style>
</head>
<body>
<main>
<header>
<h1>{title}</h1>
{numbers}{warning}{lead}</header>
{contents}{blocks}<footer>Made by ergodict. This page is one file and needs no network.</footer>
</main>
<script>{script}</script>
</body>
</html>"#
    )
}

/// All blocks, those of a folded part inside it.
fn render_blocks(blocks: &[Block]) -> String {
    let (mut html, mut folded) = (String::new(), false);
    for (i, block) in blocks.iter().enumerate() {
        let ends = matches!(block.content, Content::Section | Content::Code(_) | Content::Details(_));
        if folded && ends {
            html.push_str("</details>\n");
            folded = false;
        }
        html.push_str(&render_block(&anchor(i), block));
        folded |= matches!(block.content, Content::Details(_));
    }
    html + if folded { "</details>\n" } else { "" }
}

/// The numbers at the top.
fn render_numbers(numbers: &[(String, String)]) -> String {
    if numbers.is_empty() {
        return String::new();
    }
    let numbers = join(numbers, |(value, what)| {
        format!("<div><dd>{}</dd><dt>{}</dt></div>\n", escape(value), escape(what))
    });
    format!("<dl class=\"numbers\">\n{numbers}</dl>\n")
}

/// What diagnostics speak against, which is not left to the folded parts alone.
fn render_warning(blocks: &[Block]) -> String {
    let failed = blocks.iter().filter_map(|block| match &block.content {
        Content::Details(Some(check)) if !check.is_ok => Some(check.words.as_str()),
        _ => None,
    });
    let words = failed.collect::<Vec<_>>().join(". ");
    if words.is_empty() {
        return String::new();
    }
    format!("<p class=\"warning\">{}</p>\n", render_check(&Check { is_ok: false, words }))
}

/// Links to the blocks that long pages list at their head: the sections, with what stands before them, or else all.
fn render_contents(blocks: &[Block]) -> String {
    let is_picture = |c: &Content| matches!(c, Content::Figure(_) | Content::Gallery(_) | Content::Frames(_));
    let sections = blocks.iter().any(|b| matches!(b.content, Content::Section));
    let pictures = blocks.iter().filter(|b| is_picture(&b.content)).count();
    let listed: Vec<(usize, &Block)> = blocks.iter().enumerate().filter(|(_, b)| b.level == 2).collect();
    // Two links would stand above what they lead to.
    if (!sections && pictures < MANY) || listed.len() <= 2 {
        return String::new();
    }
    let links = join(listed, |(i, block)| {
        format!("<li><a href=\"#{}\">{}</a></li>\n", anchor(i), escape(&block.title))
    });
    format!(
        r#"<nav class="contents" aria-label="Contents">
<ol>
{links}</ol>
</nav>
"#
    )
}

/// What links to block `i`, counted from 0, lead to.
fn anchor(i: usize) -> String {
    format!("s{}", i + 1)
}

fn render_block(id: &str, block: &Block) -> String {
    let Block { level, title, words, content } = block;
    let heading = format!("<h{level} id=\"{id}\">{}</h{level}>", escape(title));
    match content {
        Content::Facts(facts) => render_facts(id, &heading, facts),
        Content::Section => {
            format!("<section class=\"part\">\n{heading}\n{}\n</section>\n", render_words(words))
        }
        Content::Details(check) => render_details(&heading, check.as_ref()),
        Content::Figure(svg) => render_figure(id, &heading, words, svg),
        Content::Gallery(cards) => render_gallery(id, &heading, words, cards),
        Content::Frames(images) => render_frames(id, &heading, words, images),
        Content::Table { head, rows } => render_table(id, &heading, words, head, rows),
        Content::Code(commands) => render_code(id, &heading, commands),
    }
}

/// The head of a folded part, which is left open.
fn render_details(heading: &str, check: Option<&Check>) -> String {
    // Warnings stand at the head of the page.
    let badge = check
        .filter(|check| check.is_ok)
        .map_or_else(String::new, |check| format!("\n{}", render_check(check)));
    format!("<details class=\"details\">\n<summary>{heading}{badge}</summary>\n")
}

/// A badge and its reason.
fn render_check(Check { is_ok, words }: &Check) -> String {
    let (class, mark) = if *is_ok { ("ok", "OK") } else { ("warn", "Warning") };
    format!("<span class=\"badge {class}\">{mark}</span> <span class=\"check\">{}</span>", escape(words))
}

fn render_words(words: &[String]) -> String {
    if words.is_empty() {
        return String::new();
    }
    format!("<div class=\"words\">\n{}</div>\n", render_paragraphs(words))
}

fn render_paragraphs(words: &[String]) -> String {
    join(words, |paragraph| format!("<p>{}</p>\n", escape(paragraph)))
}

fn render_facts(id: &str, heading: &str, facts: &[(String, String)]) -> String {
    let facts = join(facts, |(name, value)| {
        format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), escape(value))
    });
    format!(
        r#"<section class="block" aria-labelledby="{id}">
{heading}
<dl class="facts">
{facts}</dl>
</section>
"#
    )
}

fn render_figure(id: &str, heading: &str, words: &[String], svg: &str) -> String {
    let (class, caption) = if words.is_empty() {
        (" class=\"wordless\"", String::new())
    } else {
        ("", format!("<figcaption>\n{}</figcaption>\n", render_paragraphs(words)))
    };
    format!(
        r#"<section class="block">
{heading}
<figure aria-labelledby="{id}"{class}>
<div class="picture">
{svg}
</div>
{caption}</figure>
</section>
"#
    )
}

fn render_gallery(id: &str, heading: &str, words: &[String], gallery: &Cards) -> String {
    let (before, after) = words.split_at(words.len().min(1));
    let (before, after) = (render_words(before), render_words(after));
    let controls = render_controls(id, gallery);
    let many = if gallery.all.len() >= MANY_CARDS { " many" } else { "" };
    let cards = join(&gallery.all, render_card);
    let (data, key) = (&gallery.data, render_key(&gallery.key));
    format!(
        r#"<section class="block long gallery" data-gallery="{id}">
{heading}
{before}
<div class="controls" role="group" aria-labelledby="{id}">
{controls}</div>
{key}<ul class="cards{many}">
{cards}</ul>
{after}
<script type="application/json">{data}</script>
</section>
"#
    )
}

/// What colors mean.
fn render_key(key: &[Key]) -> String {
    if key.is_empty() {
        return String::new();
    }
    let entry = |one: &Key| match one {
        Key::Line { class, words } => {
            format!("<span class=\"of-graphs\"><i class=\"line {class}\"></i> {}</span>\n", escape(words))
        }
        Key::Scale { class, low, high } => format!(
            "<span class=\"of-matrices\"><span class=\"low\">{}</span> <i class=\"{class}\"></i> <span class=\"high\">{}</span></span>\n",
            escape(low),
            escape(high)
        ),
        Key::Words(words) => format!("<span>{}</span>\n", escape(words)),
    };
    format!("<p class=\"key\">\n{}</p>\n", join(key, entry))
}

/// What one sorts and filters the cards of a gallery with.
fn render_controls(id: &str, gallery: &Cards) -> String {
    let switch = if gallery.graphs {
        format!(
            r#"<fieldset class="switch"><legend>Show</legend>
<label><input type="radio" name="{id}-view" class="as-graphs" checked><span>graphs</span></label>
<label><input type="radio" name="{id}-view" class="as-matrices"><span>matrices</span></label>
</fieldset>
"#
        )
    } else {
        String::new()
    };
    let given = if gallery.descending { "" } else { "<option value=\"given\">order of the run</option>\n" };
    let scores = join(gallery.scores.iter().enumerate(), |(i, score)| {
        format!("<option value=\"{i}\">{}</option>\n", escape(score))
    });
    let count = gallery.all.len();
    let least = gallery.scores.first().map_or_else(String::new, |score| {
        let (score, last) = (escape(score), count.saturating_sub(1));
        format!(
            r#"<div class="control scripted"><label for="{id}-least">{score} at least <output></output></label>
<input id="{id}-least" class="least" type="range" min="0" max="{last}" value="0"></div>
"#
        )
    });
    let hint = if gallery.nodes { "number or node" } else { "number" };
    let plural = if count == 1 { "" } else { "s" };
    format!(
        r#"{switch}<div class="control scripted"><label for="{id}-sort">Sort by</label><span class="joined">
<select id="{id}-sort" class="sort">
{given}{scores}<option value="name">name</option>
</select>
<button type="button" class="direction" aria-label="Descending; press to reverse the order">↓</button></span></div>
{least}<div class="control scripted"><label for="{id}-find">Find</label>
<input id="{id}-find" class="find" type="search" autocomplete="off" spellcheck="false" placeholder="{hint}"></div>
<p class="remain scripted" role="status">{count} atom{plural}</p>
"#
    )
}

fn render_card(card: &Card) -> String {
    let (name, label, score) = (escape(&card.name), escape(&card.label), escape(&card.score));
    let (sketch, aspect) = (&card.sketch, &card.aspect);
    let matrix = card.matrix.as_ref().map_or_else(String::new, |uri| {
        let uri = escape(uri);
        format!("<img class=\"tile\" src=\"{uri}\" alt=\"\" style=\"aspect-ratio:{aspect}\">\n")
    });
    let bar = card.part.as_ref().map_or_else(String::new, |part| {
        format!("<span class=\"bar\"><i style=\"width:{part}%\"></i></span>\n")
    });
    format!(
        r#"<li><button type="button" class="card" aria-label="{label}">
{sketch}
{matrix}<span class="caption"><span>{name}</span><span class="score">{score}</span></span>
{bar}</button></li>
"#
    )
}

fn render_frames(id: &str, heading: &str, words: &[String], images: &[Image]) -> String {
    let words = render_words(words);
    let images = join(images, |Image { label, uri, width, height }| {
        let (label, uri) = (escape(label), escape(uri));
        format!(
            r#"<li><img src="{uri}" width="{width}" height="{height}" alt="{label}"><span>{label}</span></li>
"#
        )
    });
    format!(
        r#"<section class="block frames">
{heading}
{words}
<ol class="strip" aria-labelledby="{id}">
{images}</ol>
</section>
"#
    )
}

fn render_table(id: &str, heading: &str, words: &[String], head: &[Cell], rows: &[Vec<Cell>]) -> String {
    let words = render_words(words);
    let class = |cell: &Cell| match cell.class {
        "" => String::new(),
        class => format!(" class=\"{class}\""),
    };
    let head = join(head, |cell| format!("<th scope=\"col\"{}>{}</th>\n", class(cell), escape(&cell.text)));
    let long = if rows.len() >= MANY_ROWS { " long" } else { "" };
    let wide = if rows.first().is_some_and(|row| row.len() >= MANY_COLUMNS) { " class=\"wide\"" } else { "" };
    let rows = join(rows, |row| {
        let cells = join(row, |cell| format!("<td{}>{}</td>", class(cell), escape(&cell.text)));
        format!("<tr>{cells}</tr>\n")
    });
    format!(
        r#"<section class="block{long}">
{heading}
{words}
<div class="scroll" role="region" tabindex="0" aria-labelledby="{id}">
<table{wide}>
<thead><tr>
{head}</tr></thead>
<tbody>
{rows}</tbody>
</table>
</div>
</section>
"#
    )
}

fn render_code(id: &str, heading: &str, commands: &str) -> String {
    let commands = escape(commands);
    format!(
        r#"<section class="block">
{heading}
<pre tabindex="0" role="region" aria-labelledby="{id}"><code>{commands}</code></pre>
</section>
"#
    )
}

/// The HTML of all items, one after the other.
fn join<I: IntoIterator>(items: I, render: impl Fn(I::Item) -> String) -> String {
    items.into_iter().map(render).collect()
}

/// `text` for use between tags and in quoted attributes. Every text of a caller goes through here.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#x27;"),
            '/' => out.push_str("&#x2f;"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(
            escape("<a href='x'>\"&\"</a> é\n"),
            "&lt;a href=&#x27;x&#x27;&gt;&quot;&amp;&quot;&lt;&#x2f;a&gt; é\n"
        );
    }
}
