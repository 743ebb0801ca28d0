//! Shares of a whole over time: bands on top of each other.

use std::fmt::Write;

use crate::axis::{Axis, Ticks, significant};
use crate::frame::{Frame, WIDTH, empty_height, nothing, x_label, y_label};
use crate::svg::{Px, escape, fit, open, text_width};

const HEIGHT: f64 = 260.0;
const LINE: f64 = 22.0;
const SWATCH: f64 = 14.0;

/// The colors of the line charts; the page's style sheet brightens the classes on dark pages.
const PALETTE: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];

/// One band.
///
/// ```
/// use ergodict_report::bands::{Band, BandChart};
/// let band = Band { name: "atom 1".into(), heights: vec![0.2, 0.7] };
/// let svg = BandChart { xs: vec![1.0, 2.0], bands: vec![band], ..BandChart::default() }.svg();
/// assert!(svg.contains("atom 1"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    /// Its name in the legend.
    pub name: String,
    /// How high it is at each place; what is missing, negative or not finite is 0.
    pub heights: Vec<f64>,
}

/// Bands on top of each other, the first at the bottom.
///
/// ```
/// use ergodict_report::bands::{Band, BandChart};
///
/// let bands = vec![Band { name: "a".into(), heights: vec![0.2, 0.7] }, Band { name: "b".into(), heights: vec![0.8, 0.3] }];
/// let chart = BandChart { xs: vec![1.0, 2.0], bands, ..BandChart::default() };
/// assert!(chart.svg().contains("<title>b: 0.8 to 0.3</title>"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BandChart {
    /// What runs along the horizontal axis.
    pub x_label: String,
    /// What the heights are.
    pub y_label: String,
    /// The places, ascending.
    pub xs: Vec<f64>,
    /// Labels of the places on the horizontal axis; without any, ticks are at round numbers.
    pub ticks: Vec<String>,
    /// The bands.
    pub bands: Vec<Band>,
    /// Whether the last band is all that has no band of its own, and is gray.
    pub last_is_rest: bool,
}

impl BandChart {
    /// The chart as an SVG element, 600 units wide.
    pub fn svg(&self) -> String {
        let names: Vec<&str> = self.bands.iter().map(|band| band.name.as_str()).collect();
        let name = format!("Bands: {} against {}: {}", self.y_label, self.x_label, names.join(", "));
        let good = self.xs.iter().all(|x| x.is_finite()) && self.xs.is_sorted() && !self.bands.is_empty();
        let mut floor = vec![0.0; self.xs.len()];
        let mut layers: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for band in &self.bands {
            let height =
                |at: usize| band.heights.get(at).copied().filter(|h| h.is_finite()).unwrap_or(0.0).max(0.0);
            let ceiling: Vec<f64> = floor.iter().enumerate().map(|(at, below)| below + height(at)).collect();
            layers.push((std::mem::replace(&mut floor, ceiling.clone()), ceiling));
        }
        let ends = self.xs.first().zip(self.xs.last()).and_then(|(a, b)| Axis::between((*a, *b), false));
        let x_axis = ends.or_else(|| Axis::over(self.xs.iter().copied(), false, 0.0));
        let axes = (x_axis, Axis::over(floor.iter().copied().chain([0.0]), false, 0.0));
        let ((Some(x_axis), Some(y_axis)), true) = (axes, good) else {
            let mut svg = open("bands", WIDTH, empty_height(0.0), &name);
            nothing(&mut svg, 0.0);
            return svg;
        };
        let (legend, rows) = self.legend();
        let top = LINE * (rows + usize::from(!self.y_label.is_empty())) as f64 + 10.0;
        let (mut frame, mut x_ticks, y_ticks) = Frame::around(&x_axis, &y_axis, top, HEIGHT);
        if !self.ticks.is_empty() {
            let ticks = self.xs.iter().zip(&self.ticks).map(|(x, tick)| (x_axis.unit(*x), escape(tick)));
            x_ticks = Ticks::named(ticks.collect(), frame.right - frame.left);
            // Half of the first label is left of the axis, and type grows on phones.
            frame.left = frame.left.max(0.75 * x_ticks.widest());
            frame.right = WIDTH - (0.75 * x_ticks.widest()).max(8.0);
        }
        let height = frame.bottom + if self.x_label.is_empty() { 26.0 } else { 26.0 + LINE };
        let mut svg = open("bands", WIDTH, height, &name);
        let _ = writeln!(svg, r#"<g class="legend" transform="translate(0 16)">"#);
        svg.push_str(&legend);
        svg.push_str("</g>\n");
        y_label(&mut svg, &self.y_label, 16.0 + LINE * rows as f64);
        for (i, (band, (low, high))) in self.bands.iter().zip(&layers).enumerate() {
            let path = self.path(&frame, (&x_axis, &y_axis), low, high);
            let _ = writeln!(
                svg,
                r#"<path {} stroke="none" fill-opacity="0.85" d="{path}"><title>{}</title></path>"#,
                self.ink(i),
                escape(&summary(band))
            );
        }
        frame.axes(&mut svg, (&x_axis, &y_axis), (&x_ticks, &y_ticks));
        x_label(&mut svg, &frame, &self.x_label, height);
        svg.push_str("</svg>");
        svg
    }

    /// The area between two lines. One place alone is a bar of the whole width.
    fn path(&self, frame: &Frame, (x_axis, y_axis): (&Axis, &Axis), low: &[f64], high: &[f64]) -> String {
        let xs: Vec<f64> = match self.xs[..] {
            [_] => vec![frame.left, frame.right],
            _ => self.xs.iter().map(|x| frame.x(x_axis.unit(*x))).collect(),
        };
        let y = |line: &[f64], at: usize| frame.y(y_axis.unit(line[at.min(line.len() - 1)]));
        let mut path = String::new();
        for (at, x) in xs.iter().enumerate() {
            let _ = write!(path, "{}{} {}", if at == 0 { 'M' } else { 'L' }, Px(*x), Px(y(high, at)));
        }
        for (at, x) in xs.iter().enumerate().rev() {
            let _ = write!(path, "L{} {}", Px(*x), Px(y(low, at)));
        }
        path.push('Z');
        path
    }

    /// The class and color of a band.
    fn ink(&self, i: usize) -> String {
        if self.last_is_rest && i + 1 == self.bands.len() {
            return r##"class="rest" fill="#999999""##.to_owned();
        }
        let c = i % PALETTE.len();
        format!(r#"class="band f{}" fill="{}""#, c + 1, PALETTE[c])
    }

    /// The entries of the legend, flowing from left to right, and the number of rows they take.
    fn legend(&self) -> (String, usize) {
        let (mut svg, mut x, mut row) = (String::new(), 0.0, 0usize);
        for (i, band) in self.bands.iter().enumerate() {
            let name = fit(&band.name, WIDTH - SWATCH - 8.0);
            let width = SWATCH + 6.0 + text_width(&name) + 14.0;
            if x > 0.0 && x + width > WIDTH + 14.0 {
                (x, row) = (0.0, row + 1);
            }
            let (y, top) = (Px(LINE * row as f64), Px(LINE * row as f64 - SWATCH + 2.0));
            let (left, text, side) = (Px(x), Px(x + SWATCH + 6.0), Px(SWATCH));
            let _ = writeln!(
                svg,
                r#"<rect {} fill-opacity="0.85" x="{left}" y="{top}" width="{side}" height="{side}"/><text x="{text}" y="{y}">{}</text>"#,
                self.ink(i),
                escape(&name)
            );
            x += width;
        }
        (svg, row + 1)
    }
}

/// The hover text of a band: its first and last height.
fn summary(band: &Band) -> String {
    match band.heights[..] {
        [first, .., last] => format!("{}: {} to {}", band.name, significant(first), significant(last)),
        _ => band.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_stand_on_each_other_and_leave_out_what_is_no_number() {
        let band = |heights: &[f64]| Band { name: "b".into(), heights: heights.to_vec() };
        let chart = BandChart {
            xs: vec![1.0, 2.0, 3.0],
            bands: vec![band(&[0.5, f64::NAN, 0.5]), band(&[0.5])],
            last_is_rest: true,
            ..BandChart::default()
        };
        let svg = chart.svg();
        assert!(!svg.contains("NaN") && svg.contains("class=\"rest\""));
        assert!(BandChart::default().svg().contains("nothing to draw"));
        let one = BandChart { xs: vec![1.0], bands: vec![band(&[1.0])], ..BandChart::default() };
        assert!(!one.svg().contains("NaN"));
        let dates = vec!["2023-01-01".to_owned(), "2023-03-02".into(), "2023-05-01".into()];
        let dated = BandChart { ticks: dates, ..chart }.svg();
        assert!(dated.contains(">2023-01-01<") && dated.contains(">2023-05-01<"), "{dated}");
    }
}
