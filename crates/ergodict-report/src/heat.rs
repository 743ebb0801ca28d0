//! A matrix with names at its sides and its values in colored cells.

use std::fmt::Write;

use crate::axis::minus;
use crate::error::{PictureError, check};
use crate::shade::mix;
use crate::svg::{FONT, PHONE_FONT, Px, escape, fit, open, text_width};

const WIDTH: f64 = 600.0;
const LINE: f64 = 22.0;
/// Widest name of a row and of a column.
const WIDEST_ROW: f64 = 160.0;
const WIDEST_COL: f64 = 140.0;
/// Narrowest and widest cell, and lowest and highest.
const CELL_WIDTH: (f64, f64) = (14.0, 96.0);
const CELL_HEIGHT: (f64, f64) = (22.0, 44.0);
/// Smallest type in which a value is printed.
const SMALLEST: f64 = 8.0;
/// Angle, cosine and sine of names that have no room side by side.
const SLANT: (f64, f64, f64) = (60.0, 0.5, 0.866);

/// Colors of the lowest, the middle and the highest value: each darker than the last, so that gray copies can be read.
const COLORS: [[u8; 3]; 3] = [[0xf4, 0xf8, 0xfb], [0x4a, 0xa0, 0xd2], [0x06, 0x2a, 0x4a]];

/// A matrix as colored cells, each with its value: darker is more.
///
/// Cells without a value are empty, with a dash. Where cells are too narrow the values are left to the hover text.
///
/// ```
/// use ergodict_report::Heat;
///
/// let heat = Heat::new(["facebook", "ppi"], ["facebook", "ppi"], [Some(0.98), Some(0.71), Some(0.64), None]);
/// assert!(heat.svg()?.contains(">0.980</text>"));
/// # Ok::<(), ergodict_report::PictureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns.
    pub cols: Vec<String>,
    /// The values, row by row; none where a cell is missing.
    pub values: Vec<Option<f64>>,
    /// What the rows are, above their names.
    pub row_label: String,
    /// What the columns are, above their names.
    pub col_label: String,
    /// The values that get the lightest and the darkest color; by default the lowest and the highest.
    pub range: Option<(f64, f64)>,
    /// Decimals of the values; narrow cells show fewer.
    pub digits: usize,
    /// Whether each column is colored from its own lowest to its own highest value, where only columns compare.
    pub by_column: bool,
    /// The least difference of the values with the lightest and the darkest color: smaller ones mean nothing, and do not show.
    pub least_span: f64,
}

/// Colors of the scale, and the width of each.
const SWATCHES: usize = 6;
const SWATCH: f64 = 22.0;

impl Heat {
    /// The matrix with three decimals, colored from its lowest to its highest value.
    pub fn new<R: Into<String>, C: Into<String>>(
        rows: impl IntoIterator<Item = R>,
        cols: impl IntoIterator<Item = C>,
        values: impl Into<Vec<Option<f64>>>,
    ) -> Self {
        Self {
            rows: rows.into_iter().map(Into::into).collect(),
            cols: cols.into_iter().map(Into::into).collect(),
            values: values.into(),
            row_label: String::new(),
            col_label: String::new(),
            range: None,
            digits: 3,
            by_column: false,
            least_span: 0.0,
        }
    }

    /// The matrix as an SVG element, at most 600 units wide unless it has very many columns.
    ///
    /// # Errors
    /// [`PictureError::Empty`] without rows or columns, [`PictureError::Shape`] when there is not one value for each cell,
    /// [`PictureError::Entry`] when a value is not finite (missing values are `None`), [`PictureError::Scale`] when the
    /// ends of the range are not finite or descend.
    pub fn svg(&self) -> Result<String, PictureError> {
        let (low, high) = self.check()?;
        let sides = self.sides();
        let (left, top, width, height) = (sides.left, sides.top, sides.cell.0, sides.cell.1);
        let (rows, cols) = (self.rows.len(), self.cols.len());
        let right = left + width * cols as f64 + sides.overhang;
        let label = (left + text_width(&self.col_label)).min(WIDTH);
        let bottom = top + height * rows as f64;
        let scale = self.scale((low, high), (left, bottom + 16.0));
        let right = right.max(left + SWATCHES as f64 * SWATCH + scale.1);
        let mut svg = open("heat", right.max(label) + 1.0, bottom + 16.0 + LINE, &self.name());
        self.names(&mut svg, &sides);

        let range = |col: usize| {
            let column = self.values.iter().skip(col).step_by(cols).flatten();
            column.fold((f64::MAX, f64::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v)))
        };
        let wide = |(low, high): (f64, f64)| (low, high.max(low + self.least_span));
        let ranges: Vec<(f64, f64)> =
            (0..cols).map(|col| wide(if self.by_column { range(col) } else { (low, high) })).collect();
        let (printed, size) = self.printed(width);
        // Type that has room on a phone grows there as all type does; smaller type stays as it is.
        let style = match size {
            size if size >= PHONE_FONT => String::new(),
            size => format!(r#" font-size="{}""#, Px(size.min(FONT))),
        };
        let _ = writeln!(svg, r#"<g class="ticks" text-anchor="middle" data-cols="{cols}"{style}>"#);
        for (entry, (&value, text)) in self.values.iter().zip(&printed).enumerate() {
            let (row, col) = (entry / cols, entry % cols);
            let (x, y) = (left + width * col as f64, top + height * row as f64);
            let names = format!("{}, {}", escape(&self.rows[row]), escape(&self.cols[col]));
            let place = format!(
                r#"x="{}" y="{}" width="{}" height="{}""#,
                Px(x + 0.5),
                Px(y + 0.5),
                Px(width - 1.0),
                Px(height - 1.0)
            );
            let (middle, base) = (Px(x + width / 2.0), Px(y + height / 2.0 + 0.35 * size.min(FONT)));
            if let (Some(value), Some(text)) = (value, text) {
                let (fill, ink) = colors(value, ranges[col].0, ranges[col].1);
                let full = written(value, self.digits);
                let _ = writeln!(
                    svg,
                    r#"<g class="cell"><title>{names}: {full}</title><rect {place} fill="{fill}"/>"#
                );
                if size >= SMALLEST {
                    let _ = writeln!(svg, r#"<text x="{middle}" y="{base}" fill="{ink}">{text}</text>"#);
                }
            } else {
                let _ = writeln!(
                    svg,
                    r#"<g class="cell"><title>{names}: missing</title><rect {place} fill="none" stroke="currentColor" stroke-opacity="0.2"/>
<text x="{middle}" y="{base}" fill-opacity="0.8">–</text>"#
                );
            }
            svg.push_str("</g>\n");
        }
        let _ = write!(svg, "</g>\n{}</svg>", scale.0);
        Ok(svg)
    }

    /// The color scale with its two ends, from a point on, and the width of their labels.
    fn scale(&self, (low, high): (f64, f64), (x, y): (f64, f64)) -> (String, f64) {
        let ends = if self.by_column {
            ["column minimum".to_owned(), "maximum".to_owned()]
        } else {
            [low, high.max(low + self.least_span)].map(|end| written(end, self.digits))
        };
        let mut svg = String::from("<g class=\"ticks scale\">\n");
        let room = text_width(&ends[0]) + 8.0;
        for swatch in 0..SWATCHES {
            let (fill, _) = colors(swatch as f64, 0.0, (SWATCHES - 1) as f64);
            let left = x + room + SWATCH * swatch as f64;
            let _ = writeln!(
                svg,
                r#"<rect x="{}" y="{}" width="{}" height="{}" fill="{fill}"/>"#,
                Px(left),
                Px(y),
                Px(SWATCH),
                Px(0.7 * FONT)
            );
        }
        let base = Px(y + 0.7 * FONT);
        let end = Px(x + room + SWATCH * SWATCHES as f64 + 8.0);
        let [low, high] = ends.map(|text| escape(&text));
        let _ = writeln!(svg, r#"<text x="{}" y="{base}">{low}</text>"#, Px(x));
        let _ = writeln!(svg, r#"<text x="{end}" y="{base}">{high}</text>"#);
        svg.push_str("</g>\n");
        // Type grows on phones.
        (svg, room + 8.0 + 1.6 * text_width(&high))
    }

    /// The ends of the range of colors.
    fn check(&self) -> Result<(f64, f64), PictureError> {
        check(0, self.values.len(), (self.rows.len(), self.cols.len()), 1)?;
        let broken = |v: &Option<f64>| v.is_some_and(|v| !v.is_finite());
        if let Some(entry) = self.values.iter().position(broken) {
            let value = self.values[entry].unwrap_or(f64::NAN);
            let needed = "a finite number, or none where a cell is missing";
            return Err(PictureError::Entry { picture: 0, entry, value, needed });
        }
        match self.range {
            None => Ok(self
                .values
                .iter()
                .flatten()
                .fold((f64::MAX, f64::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v)))),
            Some((low, high)) if low.is_finite() && high.is_finite() && low <= high => Ok((low, high)),
            Some((low, high)) => Err(PictureError::Scale { low, high }),
        }
    }

    /// The accessible name.
    fn name(&self) -> String {
        let mut name = format!("Matrix of {} by {} values", self.rows.len(), self.cols.len());
        let labels: Vec<&str> =
            [self.row_label.as_str(), &self.col_label].into_iter().filter(|l| !l.is_empty()).collect();
        if !labels.is_empty() {
            let _ = write!(name, ": {}", labels.join(" against "));
        }
        name
    }

    /// The values as they are printed in cells of the given width, and the size of their type: with fewer decimals, but
    /// two at least, where all of them have no room.
    fn printed(&self, width: f64) -> (Vec<Option<String>>, f64) {
        let mut digits = self.digits;
        loop {
            let texts: Vec<Option<String>> =
                self.values.iter().map(|v| v.map(|v| written(v, digits))).collect();
            let widest = texts.iter().flatten().map(|t| text_width(t)).fold(1.0, f64::max);
            let size = PHONE_FONT * (width - 4.0) / widest;
            if size >= SMALLEST || digits <= 2 {
                return (texts, size);
            }
            digits -= 1;
        }
    }

    /// Room for the names and the size of the cells.
    fn sides(&self) -> Sides {
        let widest =
            |names: &[String], most: f64| names.iter().map(|n| text_width(n)).fold(0.0, f64::max).min(most);
        let (row_name, col_name) = (widest(&self.rows, WIDEST_ROW), widest(&self.cols, WIDEST_COL));
        let left = row_name.max(text_width(&self.row_label).min(WIDEST_ROW)) + 10.0;
        let cols = self.cols.len() as f64;
        let cell = |room: f64| (room / cols).clamp(CELL_WIDTH.0, CELL_WIDTH.1);
        let level = cell(WIDTH - left);
        let slanted = col_name + 6.0 > level;
        let (width, overhang, names) = if slanted {
            // The last name hangs over by its length less half a cell.
            let overhang = (SLANT.1 * col_name - level / 2.0 + 12.0).max(0.0);
            (cell(WIDTH - left - overhang), overhang, SLANT.2 * col_name + 16.0)
        } else {
            (level, 0.0, if col_name > 0.0 { LINE } else { 4.0 })
        };
        let labels = if self.row_label.is_empty() && self.col_label.is_empty() { 0.0 } else { LINE };
        let height = (0.6 * width).clamp(CELL_HEIGHT.0, CELL_HEIGHT.1);
        Sides { left, top: labels + names, cell: (width, height), overhang, slanted }
    }

    fn names(&self, svg: &mut String, sides: &Sides) {
        let (left, top, (width, height)) = (sides.left, sides.top, sides.cell);
        if !self.col_label.is_empty() {
            let label = escape(&fit(&self.col_label, WIDTH - left));
            let _ = writeln!(
                svg,
                r#"<text class="label" x="{}" y="16" fill-opacity="0.8">{label}</text>"#,
                Px(left)
            );
        }
        if !self.row_label.is_empty() {
            let label = escape(&fit(&self.row_label, WIDEST_ROW));
            let (x, y) = (Px(left - 8.0), Px(if sides.slanted { top - 7.0 } else { 16.0 }));
            let _ = writeln!(
                svg,
                r#"<text class="label" x="{x}" y="{y}" text-anchor="end" fill-opacity="0.8">{label}</text>"#
            );
        }
        let anchor = if sides.slanted { "start" } else { "middle" };
        let _ = writeln!(svg, r#"<g text-anchor="{anchor}">"#);
        for (col, name) in self.cols.iter().enumerate() {
            let name = escape(&fit(name, if sides.slanted { WIDEST_COL } else { width }));
            let (x, y) = (Px(left + width * (col as f64 + 0.5)), Px(top - 7.0));
            let turned = if sides.slanted {
                format!(r#" transform="rotate(-{} {x} {y})""#, Px(SLANT.0))
            } else {
                String::new()
            };
            let _ = writeln!(svg, r#"<text x="{x}" y="{y}"{turned}>{name}</text>"#);
        }
        svg.push_str("</g>\n<g text-anchor=\"end\">\n");
        for (row, name) in self.rows.iter().enumerate() {
            let name = escape(&fit(name, WIDEST_ROW));
            let y = Px(top + height * (row as f64 + 0.5) + 0.35 * FONT);
            let _ = writeln!(svg, r#"<text x="{}" y="{y}">{name}</text>"#, Px(left - 8.0));
        }
        svg.push_str("</g>\n");
    }
}

/// `value` with a true minus sign, but none before zeros only.
fn written(value: f64, digits: usize) -> String {
    let text = format!("{value:.*}", digits.min(17));
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
        _ => minus(&text),
    }
}

/// Room around the cells.
struct Sides {
    left: f64,
    top: f64,
    cell: (f64, f64),
    /// How far the last slanted name hangs over.
    overhang: f64,
    slanted: bool,
}

/// The color of a cell and of the value on it.
fn colors(value: f64, low: f64, high: f64) -> (String, &'static str) {
    // Halved, for the difference of two finite numbers may be infinite.
    let length = high / 2.0 - low / 2.0;
    let part = if length > 0.0 { ((value / 2.0 - low / 2.0) / length).clamp(0.0, 1.0) } else { 0.5 };
    let [r, g, b] = match 2.0 * part {
        twice if twice < 1.0 => mix(COLORS[0], COLORS[1], twice),
        twice => mix(COLORS[1], COLORS[2], twice - 1.0),
    };
    let ink = if luminance([r, g, b]) > 0.179 { "#000" } else { "#fff" };
    (format!("#{r:02x}{g:02x}{b:02x}"), ink)
}

/// Relative luminance of an sRGB color, 0 to 1.
fn luminance(color: [u8; 3]) -> f64 {
    let linear = |c: u8| match f64::from(c) / 255.0 {
        c if c <= 0.040_45 => c / 12.92,
        c => ((c + 0.055) / 1.055).powf(2.4),
    };
    0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_can_be_read_on_their_cells() {
        for k in 0..=1000 {
            let (fill, ink) = colors(f64::from(k), 0.0, 1000.0);
            let channel = |at: usize| u8::from_str_radix(&fill[at..at + 2], 16).unwrap();
            let ground = luminance([channel(1), channel(3), channel(5)]);
            let contrast = if ink == "#fff" { 1.05 / (ground + 0.05) } else { (ground + 0.05) / 0.05 };
            // What the accessibility guidelines (WCAG 2, AA) ask of text.
            assert!(contrast >= 4.5, "{k}: {fill} {ink} {contrast}");
        }
    }

    #[test]
    fn differences_below_the_least_span_do_not_show() {
        let fills = |least_span: f64| -> Vec<String> {
            let values = [0.999_999, 1.0, 0.999_997, 0.8].map(Some);
            let heat = Heat { by_column: true, least_span, ..Heat::new(["a", "b"], ["c", "d"], values) };
            let svg = heat.svg().unwrap();
            let cells = svg.split("<g class=\"cell\">").skip(1);
            cells.map(|cell| cell.split("fill=\"").nth(1).unwrap()[..7].to_owned()).collect()
        };
        let (lightest, darkest) = ("#f4f8fb", "#062a4a");
        assert_eq!(fills(0.0), [darkest, darkest, lightest, lightest]);
        assert_eq!(fills(0.05), [lightest, darkest, lightest, lightest]);
    }

    #[test]
    fn darker_is_more() {
        let parts: Vec<f64> = (0..=100)
            .map(|k| {
                let fill = colors(f64::from(k), 0.0, 100.0).0;
                luminance([1, 3, 5].map(|at| u8::from_str_radix(&fill[at..at + 2], 16).unwrap()))
            })
            .collect();
        assert!(parts.windows(2).all(|p| p[1] < p[0]));
        assert_eq!(colors(5.0, 5.0, 5.0), colors(0.5, 0.0, 1.0));
        assert_eq!(colors(f64::MAX, f64::MIN, f64::MAX), colors(1.0, 0.0, 1.0));
        assert_eq!(
            (colors(-1.0, 0.0, 1.0), colors(2.0, 0.0, 1.0)),
            (colors(0.0, 0.0, 1.0), colors(1.0, 0.0, 1.0))
        );
    }
}
