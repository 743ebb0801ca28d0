//! Small pictures side by side with a label below each.

use std::fmt::Write;

use crate::error::PictureError;
use crate::pixels::{Pixels, base64};
use crate::svg::{FONT, PHONE_FONT, Px, escape, fit, open, text_width, wrap};

const GAP: f64 = 10.0;
/// Width of the widest row of tiles, in user units: that of the charts.
pub(crate) const WIDTH: f64 = 600.0;
/// Widest and narrowest tile of a grid of atoms.
pub(crate) const WIDEST: f64 = 128.0;
const NARROWEST: f64 = 30.0;
/// Most room for the names of rows.
const WIDEST_NAME: f64 = 160.0;
/// Lines a label may take.
const LINES: usize = 4;
const LINE: f64 = PHONE_FONT + 2.0;

/// Atoms in a row: as asked, else between a square and a two-to-one grid with the fewest empty places.
pub(crate) fn columns(atoms: usize, asked: Option<usize>) -> usize {
    let root = |n: usize| (n as f64).sqrt().ceil() as usize;
    let empty = |c: &usize| atoms.div_ceil(*c) * c - atoms;
    let default = || (root(atoms)..=root(2 * atoms)).rev().min_by_key(empty).unwrap_or(1);
    asked.unwrap_or_else(default).clamp(1, atoms)
}

/// Where the small pictures stand.
pub(crate) struct Tiles<'a> {
    class: &'static str,
    labels: &'a [String],
    count: usize,
    columns: usize,
    pub(crate) width: f64,
    pub(crate) height: f64,
    below: f64,
    /// Names of the rows and columns, and the room that they take.
    rows: &'a [String],
    cols: &'a [String],
    left: f64,
    top: f64,
    /// Room below all tiles.
    pub(crate) foot: f64,
}

impl<'a> Tiles<'a> {
    /// Tiles for the `count` atoms of a dictionary, all of the given `aspect` (height over width), which stays between
    /// 1/8 and 8.
    pub(crate) fn atoms(
        count: usize,
        asked: Option<usize>,
        labels: Option<&'a [String]>,
        aspect: f64,
    ) -> Self {
        let columns = columns(count, asked);
        let width = ((WIDTH + GAP) / columns as f64 - GAP).clamp(NARROWEST, WIDEST);
        let labels = labels.map(|l| &l[..l.len().min(count)]);
        Self::new("atom", labels, count, columns, width, width * aspect.clamp(0.125, 8.0))
    }

    /// Tiles for `count` pictures that fill the width of the page, at most four in a row, and are never more than
    /// `widest` wide nor higher than the page is wide.
    pub(crate) fn pictures(
        count: usize,
        asked: Option<usize>,
        labels: &'a [String],
        aspect: f64,
        widest: f64,
    ) -> Self {
        let columns =
            asked.unwrap_or_else(|| count.div_ceil(count.div_ceil(4).max(1))).clamp(1, count.max(1));
        let room = ((WIDTH + GAP) / columns as f64 - GAP).max(NARROWEST);
        let width = room.min(widest).min(WIDTH / aspect).max(NARROWEST);
        let labels = labels.iter().any(|l| !l.is_empty()).then_some(labels);
        Self::new("picture", labels, count, columns, width, width * aspect)
    }

    fn new(
        class: &'static str,
        labels: Option<&'a [String]>,
        count: usize,
        columns: usize,
        width: f64,
        height: f64,
    ) -> Self {
        let lines =
            |l: &'a [String]| l.iter().map(|l| wrap(l, width + GAP, LINES).len()).max().unwrap_or(1).max(1);
        let below = labels.map_or(0.0, |l| LINE * lines(l) as f64 + 5.0);
        let labels = labels.unwrap_or_default();
        let (rows, cols) = (Default::default(), Default::default());
        Self {
            class,
            labels,
            count,
            columns,
            width,
            height,
            below,
            rows,
            cols,
            left: 0.0,
            top: 0.0,
            foot: 0.0,
        }
    }

    /// The same with names at the left of the rows and above the columns.
    pub(crate) fn named(mut self, rows: &'a [String], cols: &'a [String]) -> Self {
        let aspect = self.height / self.width;
        self.left = rows.iter().map(|name| text_width(name) + 8.0).fold(0.0, f64::max).min(WIDEST_NAME);
        self.top = if cols.is_empty() { 0.0 } else { LINE + 4.0 };
        self.width = self.width.min((WIDTH + GAP - self.left) / self.columns as f64 - GAP).max(NARROWEST);
        (self.height, self.rows, self.cols) = (self.width * aspect, rows, cols);
        self
    }

    /// The opening tag of the whole, with `label` as its accessible name.
    pub(crate) fn open(&self, label: &str) -> String {
        let (width, height) =
            (self.left + self.columns as f64 * (self.width + GAP), self.bottom(self.down()) + self.foot);
        // Three or four pictures in a row take the whole width of a page.
        let class =
            if self.class == "picture" && (3..=4).contains(&self.columns) { "atoms row" } else { "atoms" };
        let mut svg = open(class, width - GAP + 2.0, height - GAP + 2.0, label);
        for (row, name) in self.rows.iter().enumerate() {
            let y = self.bottom(row as f64) + self.height / 2.0 + 0.35 * FONT;
            let name = escape(&fit(name, self.left));
            let _ = writeln!(
                svg,
                r#"<text x="{}" y="{}" text-anchor="end">{name}</text>"#,
                Px(self.left - 8.0),
                Px(y)
            );
        }
        for (col, name) in self.cols.iter().enumerate() {
            let x = self.left + (self.width + GAP) * col as f64 + self.width / 2.0 + 1.0;
            let name = escape(&fit(name, self.width + GAP));
            let _ = writeln!(
                svg,
                r#"<text x="{}" y="{}" text-anchor="middle">{name}</text>"#,
                Px(x),
                Px(PHONE_FONT)
            );
        }
        svg
    }

    /// The number of rows.
    pub(crate) fn down(&self) -> f64 {
        self.count.div_ceil(self.columns) as f64
    }

    /// Where `rows` rows end.
    pub(crate) fn bottom(&self, rows: f64) -> f64 {
        self.top + rows * (self.height + self.below + GAP)
    }

    /// Opens the group of picture `i`.
    pub(crate) fn begin(&self, svg: &mut String, i: usize) {
        let (row, col) = ((i / self.columns) as f64, (i % self.columns) as f64);
        let (x, y) = (self.left + col * (self.width + GAP) + 1.0, self.bottom(row) + 1.0);
        let named = self.rows.get(i / self.columns).zip(self.cols.get(i % self.columns));
        let name = match (self.labels.get(i).map(String::as_str), named) {
            (_, Some((row, col))) => format!("{}, {}", escape(row), escape(col)),
            (None | Some(""), _) => format!("no. {}", i + 1),
            (Some(label), _) => format!("no. {}: {}", i + 1, escape(label)),
        };
        let _ = writeln!(
            svg,
            r#"<g class="{0}" data-{0}="{i}" transform="translate({1} {2})"><title>{name}</title>"#,
            self.class,
            Px(x),
            Px(y)
        );
    }

    /// Writes the label of picture `i` and closes its group.
    pub(crate) fn end(&self, svg: &mut String, i: usize) {
        if let Some(label) = self.labels.get(i) {
            for (k, line) in wrap(label, self.width + GAP, LINES).iter().enumerate() {
                let (x, y) = (Px(self.width / 2.0), Px(self.height + PHONE_FONT + 2.0 + LINE * k as f64));
                let line = escape(&fit(line, self.width + GAP));
                let _ = writeln!(svg, r#"<text x="{x}" y="{y}" text-anchor="middle">{line}</text>"#);
            }
        }
        svg.push_str("</g>\n");
    }
}

/// Writes `image`, stretched to `width` × `height` at (`x`, `y`), with a thin frame around it when `framed`. Where it is
/// much enlarged its pixels stay sharp; else the browser averages, for sharp pixels would differ in size.
pub(crate) fn embed(
    svg: &mut String,
    image: &Pixels,
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    framed: bool,
) -> Result<(), PictureError> {
    let file = image.png()?;
    let place = match (x, y) {
        (0.0, 0.0) => String::new(),
        _ => format!(r#"x="{}" y="{}" "#, Px(x), Px(y)),
    };
    let (w, h) = (Px(width), Px(height));
    let sharp = 2.0 * image.width() as f64 <= width;
    let style = if sharp { r#"style="image-rendering:pixelated" "# } else { "" };
    let _ = writeln!(
        svg,
        r#"<image {place}width="{w}" height="{h}" preserveAspectRatio="none" {style}href="data:image/png;base64,{}"/>"#,
        base64(&file)
    );
    if framed {
        let _ = writeln!(
            svg,
            r#"<rect {place}width="{w}" height="{h}" fill="none" stroke="currentColor" stroke-opacity="0.4"/>"#
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_grids_are_full_where_they_can_be() {
        let chosen: Vec<usize> = [1, 2, 9, 16, 25, 36, 7, 100].iter().map(|&n| columns(n, None)).collect();
        assert_eq!(chosen, [1, 2, 3, 4, 5, 9, 4, 10]);
        assert_eq!((columns(5, Some(0)), columns(5, Some(99))), (1, 5));
    }

    #[test]
    fn pictures_fill_the_width() {
        for (count, columns) in [(1, 1), (2, 2), (3, 3), (4, 4), (5, 3), (6, 3), (7, 4), (8, 4), (9, 3)] {
            let tiles = Tiles::pictures(count, None, &[], 1.0, f64::INFINITY);
            assert_eq!(tiles.columns, columns, "{count} pictures");
            assert!((tiles.width * columns as f64 + GAP * (columns - 1) as f64 - WIDTH).abs() < 1e-9);
        }
        let tall = Tiles::pictures(1, None, &[], 3.0, f64::INFINITY);
        assert_eq!((tall.width, tall.height), (200.0, 600.0));
        assert_eq!(Tiles::pictures(1, None, &[], 1.0, 450.0).width, 450.0);
    }
}
