//! What was measured, as a page: a table next to the targets, and tables of parts.

use crate::clock::Spent;
use serde_json::json;
use std::fmt::Write as _;

/// What a number counts.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    Minutes,
    Seconds,
    Megabytes,
    Crates,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Minutes => "min",
            Self::Seconds => "s",
            Self::Megabytes => "MB",
            Self::Crates => "crates",
        }
    }

    fn show(self, x: f64) -> String {
        match self {
            Self::Minutes => format!("{x:.2} min"),
            Self::Seconds | Self::Megabytes => format!("{x:.1} {}", self.name()),
            Self::Crates => format!("{x:.0}"),
        }
    }
}

/// A number next to what it should not exceed.
struct Row {
    what: String,
    found: f64,
    unit: Unit,
    most: Option<f64>,
}

impl Row {
    fn verdict(&self) -> &'static str {
        match self.most {
            Some(most) if self.found <= most => "within",
            Some(_) => "**over**",
            None => "",
        }
    }
}

/// What was measured so far.
#[derive(Default)]
pub(super) struct Page {
    rows: Vec<Row>,
    tables: String,
    notes: Vec<String>,
}

impl Page {
    /// A number, which may have a target.
    pub(super) fn row(&mut self, what: &str, found: f64, unit: Unit, most: Option<f64>) {
        self.rows.push(Row { what: what.into(), found, unit, most });
    }

    /// Minutes of processors, where the system says how many.
    pub(super) fn cpu(&mut self, what: &str, spent: Spent, most: Option<f64>) {
        match spent.cpu {
            Some(cpu) => self.row(&format!("{what}, CPU"), cpu / 60.0, Unit::Minutes, most),
            None => self.note(format!("{what}: this system does not say what child processes took")),
        }
    }

    /// A table of seconds under a heading, with as many columns as its heads say.
    pub(super) fn table(&mut self, title: &str, heads: &[&str], rows: &[(String, Vec<Option<f64>>)]) {
        let rule = vec!["---"; heads.len()].join("|");
        let _ = write!(self.tables, "\n## {title}\n\n| {} |\n|{rule}|\n", heads.join(" | "));
        for (name, seconds) in rows {
            let cells: Vec<String> =
                seconds.iter().map(|x| x.map_or("–".into(), |x| format!("{x:.1}"))).collect();
            let _ = writeln!(self.tables, "| {name} | {} |", cells.join(" | "));
        }
    }

    /// Something to know when reading it.
    pub(super) fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// The page in Markdown, without its title and the machine.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for note in &self.notes {
            let _ = writeln!(text, "- {note}");
        }
        text += "\n| what | found | at most | |\n|---|---|---|---|\n";
        for row in &self.rows {
            let most = row.most.map_or(String::new(), |most| row.unit.show(most));
            let _ = writeln!(
                text,
                "| {} | {} | {most} | {} |",
                row.what,
                row.unit.show(row.found),
                row.verdict()
            );
        }
        text + &self.tables
    }

    /// The rows as lines of JSON.
    pub(super) fn lines(&self) -> String {
        let mut text = String::new();
        for Row { what, found, unit, most } in &self.rows {
            let line = json!({ "what": what, "found": found, "unit": unit.name(), "most": most });
            let _ = writeln!(text, "{line}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        let mut page = Page::default();
        page.row("build, wall", 4.5, Unit::Minutes, Some(4.5));
        page.cpu("build", Spent { wall: 1.0, cpu: Some(486.0) }, Some(8.0));
        page.row("demo, wall", 3.21, Unit::Seconds, None);
        page.row("program", 25.04, Unit::Megabytes, Some(25.0));
        page.row("crates", 140.0, Unit::Crates, Some(140.0));
        page
    }

    #[test]
    fn numbers_are_next_to_their_targets() {
        let expected = "\n| what | found | at most | |\n|---|---|---|---|\n\
            | build, wall | 4.50 min | 4.50 min | within |\n\
            | build, CPU | 8.10 min | 8.00 min | **over** |\n\
            | demo, wall | 3.2 s |  |  |\n\
            | program | 25.0 MB | 25.0 MB | **over** |\n\
            | crates | 140 | 140 | within |\n";
        assert_eq!(page().text(), expected);
        let lines = page().lines();
        assert_eq!(lines.lines().count(), 5);
        assert!(
            lines.starts_with(r#"{"found":4.5,"most":4.5,"unit":"min","what":"build, wall"}"#),
            "{lines}"
        );
    }

    #[test]
    fn parts_have_tables_and_what_is_missing_is_noted() {
        let mut page = Page::default();
        page.cpu("tests", Spent { wall: 1.0, cpu: None }, Some(26.0));
        page.table("Steps", &["step", "s", "CPU s"], &[("unit".into(), vec![Some(61.25), None])]);
        let text = page.text();
        assert!(text.starts_with("- tests: this system does not say"), "{text}");
        assert!(
            text.ends_with("\n## Steps\n\n| step | s | CPU s |\n|---|---|---|\n| unit | 61.2 | – |\n"),
            "{text}"
        );
    }
}
