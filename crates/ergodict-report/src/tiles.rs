//! Small pictures side by side with a label below each.

use std::fmt::Write;

use crate::error::PictureError;
use crate::pixels::{Pixels, base64};
use crate::svg::{PHONE_FONT, Px, escape, fit, open, wrap};

const GAP: f64 = 10.0;
/// Width of the widest row of tiles, in user units: that of the charts.
pub(crate) const WIDTH: f64 = 600.0;
/// Widest and narrowest tile of a grid of atoms.
pub(crate) const WIDEST: f64 = 128.0;
const NARROWEST: f64 = 30.0;
/// Lines a label may take.
const LINES: usize = 3;
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
        Self { class, labels: labels.unwrap_or_default(), count, columns, width, height, below }
    }

    /// The opening tag of the whole, with `label` as its accessible name.
    pub(crate) fn open(&self, label: &str) -> String {
        let rows = self.count.div_ceil(self.columns) as f64;
        let (width, height) =
            (self.columns as f64 * (self.width + GAP), rows * (self.height + self.below + GAP));
        // Three or four pictures in a row take the whole width of a page.
        let class =
            if self.class == "picture" && (3..=4).contains(&self.columns) { "atoms row" } else { "atoms" };
        open(class, width - GAP + 2.0, height - GAP + 2.0, label)
    }

    /// Opens the group of picture `i`.
    pub(crate) fn begin(&self, svg: &mut String, i: usize) {
        let (row, col) = ((i / self.columns) as f64, (i % self.columns) as f64);
        let (x, y) = (col * (self.width + GAP) + 1.0, row * (self.height + self.below + GAP) + 1.0);
        let name = match self.labels.get(i).map(String::as_str) {
            None | Some("") => format!("no. {}", i + 1),
            Some(label) => format!("no. {}: {}", i + 1, escape(label)),
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
