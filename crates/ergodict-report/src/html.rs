//! The report page: one HTML file that opens from disk and asks nothing of the network.

use crate::cards;
use crate::error::PictureError;
use crate::frames::Frames;
use crate::gallery::Gallery;
use crate::pixels::base64;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Value, context};
use sha2::{Digest, Sha256};

const TEMPLATE: &str = include_str!("../templates/report.html");
const STYLE: &str = include_str!("../templates/report.css");
const SCRIPT: &str = include_str!("../templates/report.js");

/// Letters of a cell from which on its column keeps some width on narrow screens, rather than growing tall.
const LONG: usize = 24;

/// Figures from which on a page without sections has a table of contents.
const MANY: usize = 6;

/// A picture with the words that explain it.
///
/// ```
/// use ergodict_report::{Figure, LineChart, Report, Series};
/// let chart = LineChart { series: vec![Series::new("loss", [(1.0, 4.0), (2.0, 3.0)])], ..LineChart::default() };
/// let figure = Figure { title: "Loss".into(), svg: chart.svg(), words: "It falls.".into() };
/// let page = Report::new("A run").figure(figure).render();
/// assert!(page.contains("It falls.") && page.contains("<svg"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Heading above the picture.
    pub title: String,
    /// The picture; inserted as it is, so it must come from this crate or an equally trusted hand.
    pub svg: String,
    /// What the picture shows and how to read it. Blank lines part paragraphs.
    pub words: String,
}

/// A table with the words that explain it.
///
/// ```
/// use ergodict_report::{Report, Table};
/// let table = Table {
///     title: "Methods".into(),
///     head: vec!["method".into(), "AUC".into()],
///     rows: vec![vec!["<ours>".into(), "0.9".into()]],
///     words: String::new(),
/// };
/// assert!(Report::new("A run").table(table).render().contains("&lt;ours&gt;")); // text is escaped
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Heading above the table.
    pub title: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// The rows; cells that read as numbers are set flush right.
    pub rows: Vec<Vec<String>>,
    /// What the table shows and how to read it. Blank lines part paragraphs.
    pub words: String,
}

/// A report, built from top to bottom.
///
/// ```
/// use ergodict_report::Report;
///
/// let page = Report::new("A walk on Karate").facts(&[("seed", "7")]).code("Again", "ergodict demo").render();
/// assert!(page.starts_with("<!DOCTYPE html>"));
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    title: String,
    lead: String,
    blocks: Vec<Value>,
    /// Level and title of the heading of each block.
    headings: Vec<(u8, String)>,
    /// The section that has begun, so that figures and tables are headed one level lower.
    section: Option<String>,
    /// Titles and pictures of all figures.
    figures: Vec<(String, String)>,
}

impl Report {
    /// An empty report with the given title.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            lead: String::new(),
            blocks: Vec::new(),
            headings: Vec::new(),
            section: None,
            figures: Vec::new(),
        }
    }

    /// Another title.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The opening words: what was found. Blank lines part paragraphs; a later call replaces the earlier words.
    pub fn lead(mut self, text: impl Into<String>) -> Self {
        self.lead = text.into();
        self
    }

    /// What was run: parameters, seed, digests, version, timing, as pairs of name and value.
    pub fn facts<N: AsRef<str>, V: AsRef<str>>(self, facts: &[(N, V)]) -> Self {
        let pair = |(name, value): &(N, V)| context! { name => name.as_ref(), value => value.as_ref() };
        self.headed(2, "What was run")
            .block(context! { kind => "facts", facts => facts.iter().map(pair).collect::<Vec<_>>() })
    }

    /// A heading, with words that may be empty, for the figures and tables that follow, up to the next section.
    pub fn section(mut self, title: impl Into<String>, words: impl AsRef<str>) -> Self {
        let title: String = title.into();
        self.section = Some(title.clone());
        self.headed(2, &title)
            .block(context! { kind => "section", title, words => paragraphs(words.as_ref()) })
    }

    /// A picture with plain words beside it.
    pub fn figure(mut self, figure: Figure) -> Self {
        let level = self.level();
        self.keep(&figure.title, &figure.svg);
        self.headed(level, &figure.title).block(context! {
            kind => "figure",
            level,
            title => figure.title,
            svg => Value::from_safe_string(figure.svg),
            words => paragraphs(&figure.words),
        })
    }

    /// Atoms to sort, filter and enlarge.
    ///
    /// # Errors
    /// Those of the pictures of atoms: no atom, or one that does not fit its form; and examples that do not.
    pub fn gallery(mut self, gallery: &Gallery) -> Result<Self, PictureError> {
        for figure in gallery.figures()? {
            self.keep(&figure.title, &figure.svg);
        }
        let level = self.level();
        Ok(self.headed(level, &gallery.title).block(context! {
            kind => "gallery",
            level,
            title => gallery.title.as_str(),
            words => paragraphs(&gallery.words),
            gallery => cards::block(gallery)?,
        }))
    }

    /// A lattice or picture over time.
    ///
    /// # Errors
    /// Those of [`crate::Pictures::svg`]: no frame, or one that cannot be drawn.
    pub fn frames(mut self, frames: &Frames<'_>) -> Result<Self, PictureError> {
        self.keep(&frames.title, &frames.svg()?);
        let level = self.level();
        Ok(self.headed(level, &frames.title).block(context! {
            kind => "frames",
            level,
            title => frames.title.as_str(),
            words => paragraphs(&frames.words),
            frames => frames.images()?,
        }))
    }

    /// A table with plain words above it.
    pub fn table(self, table: Table) -> Self {
        let columns = table.rows.iter().map(Vec::len).chain([table.head.len()]).max().unwrap_or(0);
        let longest =
            |c: usize| table.rows.iter().filter_map(|row| row.get(c)).map(|t| t.chars().count()).max();
        let class = |c: usize| match longest(c) {
            _ if is_numeric(&table.rows, c) => "number",
            Some(long) if long > LONG => "text",
            _ => "",
        };
        let classes: Vec<&str> = (0..columns).map(class).collect();
        let cells = |row: Vec<String>| -> Vec<Value> {
            let padded = row.into_iter().chain(std::iter::repeat(String::new())).take(columns);
            padded.zip(&classes).map(|(text, &class)| context! { text, class }).collect()
        };
        let level = self.level();
        self.headed(level, &table.title).block(context! {
            kind => "table",
            level,
            title => table.title,
            words => paragraphs(&table.words),
            head => cells(table.head),
            rows => table.rows.into_iter().map(cells).collect::<Vec<_>>(),
        })
    }

    /// Commands to copy.
    pub fn code(self, title: impl Into<String>, commands: impl Into<String>) -> Self {
        let (title, commands): (String, String) = (title.into(), commands.into());
        self.headed(2, &title).block(context! { kind => "code", title, commands => commands.trim_end() })
    }

    /// The title, with that of its section before it, and the picture of each figure.
    pub fn figures(&self) -> &[(String, String)] {
        &self.figures
    }

    /// The page. All text is escaped; only the pictures go in as they are.
    pub fn render(&self) -> String {
        // Nothing a caller hands over can make the embedded template fail: it only loops over and prints strings.
        self.fill(TEMPLATE).expect("the embedded template is valid")
    }

    fn fill(&self, template: &str) -> Result<String, minijinja::Error> {
        let script = lean(SCRIPT);
        let mut environment = Environment::new();
        environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.render_str(
            template,
            context! {
                title => self.title.as_str(),
                lead => paragraphs(&self.lead),
                blocks => self.blocks.clone(),
                contents => self.contents(),
                style => Value::from_safe_string(STYLE.to_owned()),
                // The browser runs the script with this digest and no other.
                digest => Value::from_safe_string(base64(&Sha256::digest(script.as_bytes()))),
                script => Value::from_safe_string(script),
            },
        )
    }

    /// Number and title of the blocks that long pages list at their head: the sections, with what stands before them, or
    /// else all.
    fn contents(&self) -> Vec<Value> {
        let sections = self.blocks.iter().any(|b| kind(b) == "section");
        let pictures =
            self.blocks.iter().filter(|b| ["figure", "gallery", "frames"].contains(&kind(b).as_str()));
        if !sections && pictures.count() < MANY {
            return Vec::new();
        }
        let listed = self.headings.iter().enumerate().filter(|(_, (level, _))| *level == 2);
        let listed: Vec<Value> = listed.map(|(i, (_, title))| context! { number => i + 1, title }).collect();
        // Two links would stand above what they lead to.
        if listed.len() > 2 { listed } else { Vec::new() }
    }

    /// Keeps a picture for [`Report::figures`].
    fn keep(&mut self, title: &str, svg: &str) {
        let title =
            self.section.as_ref().map_or_else(|| title.to_owned(), |section| format!("{section}: {title}"));
        self.figures.push((title, svg.to_owned()));
    }

    /// Notes the heading of the block that follows.
    fn headed(mut self, level: u8, title: &str) -> Self {
        self.headings.push((level, title.to_owned()));
        self
    }

    /// Level of the headings of figures and tables.
    fn level(&self) -> u8 {
        if self.section.is_some() { 3 } else { 2 }
    }

    fn block(mut self, block: Value) -> Self {
        self.blocks.push(block);
        self
    }
}

/// Spaces and line ends that the language does not need, and that stand in no text of the script.
const IDLE: [&str; 26] = [
    " => ", " = ", " === ", " !== ", " && ", " || ", " ?? ", " ? ", " : ", " < ", " > ", " <= ", " >= ",
    " * ", " / ", " + ", " - ", "{ ", " }", " {", " (", " [", ";\n", ",\n", "{\n", "\n}",
];

/// The script without indentation, lines that are comments, and what does nothing.
fn lean(text: &str) -> String {
    let lines = text.lines().map(str::trim_start);
    let kept: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
    IDLE.iter().fold(kept.join("\n"), |text, idle| text.replace(idle, idle.trim()))
}

fn kind(block: &Value) -> String {
    block.get_attr("kind").map(|kind| kind.to_string()).unwrap_or_default()
}

/// The paragraphs of `text`, parted by blank lines.
fn paragraphs(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in text.lines().map(str::trim) {
        match (line.is_empty(), all.last_mut()) {
            (false, Some(last)) => {
                last.push_str(if last.is_empty() { "" } else { " " });
                last.push_str(line);
            }
            _ => all.push(String::new()),
        }
    }
    all.retain(|p| !p.is_empty());
    all
}

/// Whether column `c` holds numbers: at least one cell, and nothing but dashes beside them.
fn is_numeric(rows: &[Vec<String>], c: usize) -> bool {
    let number = |cell: &str| {
        let rest = cell.trim_start_matches(['+', '-', '−', '±', '<', '>', '≈', '~', ' ']);
        rest.starts_with(|c: char| c.is_ascii_digit()) || ["NaN", "inf", "∞"].contains(&rest)
    };
    let cells = || rows.iter().filter_map(|row| row.get(c)).map(|cell| cell.trim());
    cells().any(number) && cells().all(|cell| number(cell) || ["", "-", "–", "—"].contains(&cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_part_paragraphs() {
        assert_eq!(paragraphs("one\n two\n\n\nthree\n"), ["one two", "three"]);
        assert!(paragraphs(" \n\n").is_empty());
    }

    #[test]
    fn columns_of_numbers_are_known() {
        let rows: Vec<Vec<String>> = [["cat", "0.91 ± 0.02", "–", "–"], ["2 dogs", "−3", "1e-4", ""]]
            .iter()
            .map(|r| r.iter().map(ToString::to_string).collect())
            .collect();
        assert_eq!([0, 1, 2, 3, 4].map(|c| is_numeric(&rows, c)), [false, true, true, false, false]);
    }
}
