//! The report page: one HTML file that opens from disk and asks nothing of the network.

use crate::cards::Cards;
use crate::error::PictureError;
use crate::frames::Frames;
use crate::gallery::Gallery;
use crate::page::{Block, Cell, Content, render_page};

/// Letters of a cell from which on its column keeps some width on narrow screens, rather than growing tall.
const LONG: usize = 24;

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

/// Whether diagnostics speak against a result, with the reason in a few words.
///
/// ```
/// use ergodict_report::{Check, Report};
///
/// let check = Check { is_ok: true, words: "R̂ at most 1.01".into() };
/// assert!(Report::new("A walk").details(Some(check)).facts(&[("seed", "7")]).render().contains("R̂ at most 1.01"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// No diagnostic speaks against the result.
    pub is_ok: bool,
    /// The reason, such as `R̂ at most 1.01`.
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
    /// Values, and what they are, for the top of the page.
    numbers: Vec<(String, String)>,
    blocks: Vec<Block>,
    /// Whether blocks go into a folded part.
    folded: bool,
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
            numbers: Vec::new(),
            blocks: Vec::new(),
            folded: false,
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

    /// Words before the opening words: a finding that only a run knows.
    pub fn finding(mut self, text: &str) -> Self {
        self.lead = format!("{text}\n\n{}", self.lead);
        self
    }

    /// The numbers that matter most, at the top: each a value and what it is. A later call replaces the earlier ones.
    ///
    /// ```
    /// use ergodict_report::Report;
    /// let page = Report::new("Motifs").numbers([("81 %".into(), "of walks explained".into())]).render();
    /// assert!(page.contains("81 %") && page.contains("of walks explained"));
    /// ```
    pub fn numbers(mut self, numbers: impl IntoIterator<Item = (String, String)>) -> Self {
        self.numbers = numbers.into_iter().collect();
        self
    }

    /// Begins a folded part, which ends at the next section or commands; a check stands next to its heading.
    pub fn details(mut self, check: Option<Check>) -> Self {
        self.folded = false;
        let mut report = self.block("Details", "", Content::Details(check));
        report.folded = true;
        report
    }

    /// Parameters, seed, digests, version and times, as pairs of name and value; folded.
    pub fn facts<N: AsRef<str>, V: AsRef<str>>(self, facts: &[(N, V)]) -> Self {
        let pair = |(name, value): &(N, V)| (name.as_ref().to_owned(), value.as_ref().to_owned());
        let facts = facts.iter().map(pair).collect();
        let report = if self.folded { self } else { self.details(None) };
        report.block("Run details", "", Content::Facts(facts))
    }

    /// A heading, with words that may be empty, for the figures and tables that follow, up to the next section.
    pub fn section(mut self, title: impl Into<String>, words: impl AsRef<str>) -> Self {
        let title: String = title.into();
        self.section = Some(title.clone());
        self.folded = false;
        self.block(title, words.as_ref(), Content::Section)
    }

    /// A picture with plain words next to it.
    pub fn figure(mut self, figure: Figure) -> Self {
        self.keep(&figure.title, &figure.svg);
        self.block(figure.title, &figure.words, Content::Figure(figure.svg))
    }

    /// Atoms to sort, filter and enlarge.
    ///
    /// # Errors
    /// Those of the pictures of atoms: no atom, or one that does not fit its form; and examples that do not.
    pub fn gallery(mut self, gallery: &Gallery) -> Result<Self, PictureError> {
        for figure in gallery.figures()? {
            self.keep(&figure.title, &figure.svg);
        }
        let cards = Cards::new(gallery)?;
        Ok(self.block(&gallery.title, &gallery.words, Content::Gallery(cards)))
    }

    /// A lattice or picture over time.
    ///
    /// # Errors
    /// Those of [`crate::Pictures::svg`]: no frame, or one that cannot be drawn.
    pub fn frames(mut self, frames: &Frames<'_>) -> Result<Self, PictureError> {
        self.keep(&frames.title, &frames.svg()?);
        let images = frames.images()?;
        Ok(self.block(&frames.title, &frames.words, Content::Frames(images)))
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
        let cells = |row: Vec<String>| -> Vec<Cell> {
            let padded = row.into_iter().chain(std::iter::repeat(String::new())).take(columns);
            padded.zip(&classes).map(|(text, &class)| Cell { text, class }).collect()
        };
        let head = cells(table.head);
        let rows = table.rows.into_iter().map(cells).collect();
        self.block(table.title, &table.words, Content::Table { head, rows })
    }

    /// Commands to copy.
    pub fn code(mut self, title: impl Into<String>, commands: impl Into<String>) -> Self {
        self.folded = false;
        let mut commands: String = commands.into();
        commands.truncate(commands.trim_end().len());
        self.block(title, "", Content::Code(commands))
    }

    /// The title, with that of its section before it, and the picture of each figure.
    pub fn figures(&self) -> &[(String, String)] {
        &self.figures
    }

    /// The page. All text is escaped; only the pictures go in as they are.
    pub fn render(&self) -> String {
        render_page(&self.title, &paragraphs(&self.lead), &self.numbers, &self.blocks)
    }

    /// Keeps a picture for [`Report::figures`].
    fn keep(&mut self, title: &str, svg: &str) {
        let title =
            self.section.as_ref().map_or_else(|| title.to_owned(), |section| format!("{section}: {title}"));
        self.figures.push((title, svg.to_owned()));
    }

    /// Appends a block, one level lower inside a section if it belongs to it.
    fn block(mut self, title: impl Into<String>, words: &str, content: Content) -> Self {
        let level = match content {
            Content::Section | Content::Code(_) => 2,
            _ => 2 + u8::from(self.section.is_some()) + u8::from(self.folded),
        };
        self.blocks.push(Block { level, title: title.into(), words: paragraphs(words), content });
        self
    }
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

/// Whether column `c` holds numbers: at least one cell, and nothing else but dashes.
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
