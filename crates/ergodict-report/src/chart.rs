//! Line charts: points in, SVG out.
//!
//! The SVG is written here and by no chart crate. kuva 0.6, which was tried, draws well, but its pictures have no
//! `viewBox` (on a phone they are cut off), number their clip paths by what was drawn before, write `NaN` into paths
//! and thousands of points one by one, and an empty logarithmic chart panics where overflow is checked. plotters 0.3,
//! by its source, rounds to whole pixels and knows RGB only, so its charts cannot follow a dark page.

use std::fmt::Write;

use crate::axis::{Axis, place, significant};
use crate::frame::{Frame, WIDTH, empty_height, nothing, x_label, y_label};
use crate::svg::{Px, escape, fit, fit_name, open, text_width};

const PLOT_HEIGHT: f64 = 270.0;
const LINE: f64 = 22.0;
const SWATCH: f64 = 22.0;
/// Half the width of the ends of an error bar.
const CAP: f64 = 4.0;

/// Okabe & Ito's color-blind-safe palette without yellow, which vanishes on white paper, and black, which vanishes on
/// dark pages; the page's style sheet brightens the classes `c1` … `c6` there.
const PALETTE: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];

/// Line styles, changed each time the palette has been used up.
const DASHES: [&str; 4] = ["", "7 4", "2 4", "9 4 2 4"];

/// A series with at most this many points shows each of them as a dot that shows its values on hover.
const DOTS: usize = 40;

/// Where a point is drawn.
type Place = (f64, f64);

/// One line of a chart.
///
/// ```
/// use ergodict_report::Series;
/// let loss = Series::new("loss", [(1.0, 4.0), (10.0, 2.0)]);
/// assert_eq!(loss.points[1], (10.0, 2.0));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend; a series without a name has no entry there.
    pub name: String,
    /// Points in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
    /// How far the values spread, as place, lower and upper end: a pale band behind the line.
    pub band: Vec<(f64, f64, f64)>,
    /// Errors of single values, as place, lower and upper end: vertical bars.
    pub bars: Vec<(f64, f64, f64)>,
    /// What the values should be, as a thin dashed line of the same color.
    pub expected: Vec<(f64, f64)>,
}

impl Series {
    /// A series from its name and points.
    pub fn new(name: impl Into<String>, points: impl Into<Vec<(f64, f64)>>) -> Self {
        Self { name: name.into(), points: points.into(), ..Self::default() }
    }

    /// The same with a band: place, lower and upper end of the spread.
    ///
    /// ```
    /// use ergodict_report::{LineChart, Series};
    ///
    /// let mean = Series::new("mean", [(1.0, 4.0), (2.0, 3.0)]).band([(1.0, 3.5, 4.5), (2.0, 2.8, 3.2)]);
    /// assert!(LineChart { series: vec![mean], ..LineChart::default() }.svg().contains("band"));
    /// ```
    #[must_use]
    pub fn band(mut self, band: impl Into<Vec<(f64, f64, f64)>>) -> Self {
        self.band = band.into();
        self
    }

    /// The same with error bars: place, lower and upper end of each.
    ///
    /// ```
    /// use ergodict_report::{LineChart, Series};
    ///
    /// let share = Series::new("share", [(0.2, 0.3), (0.8, 0.7)]).bars([(0.2, 0.1, 0.5), (0.8, 0.5, 0.9)]);
    /// assert!(LineChart { series: vec![share], ..LineChart::default() }.svg().contains("errors"));
    /// ```
    #[must_use]
    pub fn bars(mut self, bars: impl Into<Vec<(f64, f64, f64)>>) -> Self {
        self.bars = bars.into();
        self
    }

    /// The same next to what its values should be.
    ///
    /// ```
    /// use ergodict_report::{LineChart, Series};
    ///
    /// let error = Series::new("error", [(1.0, 1.1), (4.0, 0.6)]).expected([(1.0, 1.0), (4.0, 0.5)]);
    /// assert!(LineChart { series: vec![error], ..LineChart::default() }.svg().contains("expected"));
    /// ```
    #[must_use]
    pub fn expected(mut self, points: impl Into<Vec<(f64, f64)>>) -> Self {
        self.expected = points.into();
        self
    }

    /// All that is drawn of it.
    fn places(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let edges = self.band.iter().chain(&self.bars).flat_map(|&(x, low, high)| [(x, low), (x, high)]);
        self.points.iter().chain(&self.expected).copied().chain(edges)
    }
}

/// A line chart of several series over common axes.
///
/// Points that cannot be placed (not finite, or not positive on a logarithmic axis) are left out, and the line has a
/// gap there. A chart without any point to place says so.
///
/// ```
/// use ergodict_report::{LineChart, Series};
///
/// let loss = Series::new("loss", [(1.0, 4.0), (10.0, 2.0), (100.0, 1.5)]);
/// let chart = LineChart { log_x: true, series: vec![loss], ..LineChart::default() };
/// assert!(chart.svg().starts_with("<svg"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineChart {
    /// Drawn above the chart; leave it empty where a heading of the page says the same.
    pub title: String,
    /// What runs along the horizontal axis.
    pub x_label: String,
    /// What runs along the vertical axis.
    pub y_label: String,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
    /// Ends of the horizontal axis, for data that have natural ones, such as probabilities. By default, and where points lie outside, the axis
    /// shows all points.
    pub x_range: Option<(f64, f64)>,
    /// Ends of the vertical axis, so that several charts can be compared; what lies outside is cut off. By default, and
    /// where the ends are not finite, ascending and (on a logarithmic axis) positive, the axis shows all points.
    pub y_range: Option<(f64, f64)>,
    /// Whether the plot is as high as it is wide, with the line of equal values on both axes behind the others: for rates
    /// against rates, where that line is what chance would give. A linear and a logarithmic axis have no such line.
    pub square: bool,
    /// The lines, colored in this order.
    pub series: Vec<Series>,
}

impl LineChart {
    /// ROC curves: rates against rates, from 0 to 1.
    pub fn roc(series: Vec<Series>) -> Self {
        Self {
            x_label: "false positive rate".into(),
            y_label: "true positive rate".into(),
            y_range: Some((0.0, 1.0)),
            square: true,
            series,
            ..Self::default()
        }
    }

    /// The chart as an SVG element, 600 units wide.
    pub fn svg(&self) -> String {
        let placed = |&(x, y): &(f64, f64)| Some((place(x, self.log_x)?, place(y, self.log_y)?));
        let drawable = || self.series.iter().flat_map(Series::places).filter_map(|p| placed(&p));
        let ends =
            self.x_range.into_iter().flat_map(|(from, to)| [place(from, self.log_x), place(to, self.log_x)]);
        let drawn = drawable().next().is_some();
        let x_axis =
            Axis::over(drawable().map(|p| p.0).chain(ends.flatten().filter(|_| drawn)), self.log_x, 0.0);
        let fixed = self.y_range.and_then(|ends| Axis::between(ends, self.log_y));
        let cut = fixed.is_some();
        let y_axis = fixed.or_else(|| Axis::over(drawable().map(|p| p.1), self.log_y, 0.05));

        let (legend, legend_rows) = self.legend();
        let header =
            [!self.title.is_empty(), !self.y_label.is_empty()].iter().filter(|&&b| b).count() + legend_rows;
        let top = LINE * header as f64 + 10.0;
        let (Some(x_axis), Some(y_axis)) = (x_axis, y_axis) else {
            let mut svg = open("chart", WIDTH, empty_height(top), &self.label());
            self.header(&mut svg, &legend, legend_rows);
            nothing(&mut svg, top);
            return svg;
        };
        let (mut frame, x_ticks, y_ticks) = Frame::around(&x_axis, &y_axis, top, PLOT_HEIGHT);
        if self.square {
            frame.bottom = top + frame.right - frame.left;
        }
        let height = frame.bottom + if self.x_label.is_empty() { 26.0 } else { 26.0 + LINE };

        let mut svg = open("chart", WIDTH, height, &self.label());
        self.header(&mut svg, &legend, legend_rows);
        frame.axes(&mut svg, (&x_axis, &y_axis), (&x_ticks, &y_ticks));
        x_label(&mut svg, &frame, &self.x_label, height);
        if self.square && self.log_x == self.log_y {
            frame.diagonal(&mut svg, &x_axis, &y_axis);
        }
        for (i, series) in self.series.iter().enumerate() {
            let pixel =
                |p: &(f64, f64)| placed(p).map(|(x, y)| (frame.x(x_axis.unit(x)), frame.y(y_axis.unit(y))));
            let mut pixels: Vec<Option<(f64, f64)>> = series.points.iter().map(pixel).collect();
            let name = escape(&series.name);
            let _ = writeln!(svg, r#"<g {} data-series="{i}" data-name="{name}">"#, ink(i, "series"));
            if cut {
                line(&mut svg, &frame.cut(&pixels), i);
                pixels.iter_mut().for_each(|p| *p = p.filter(|&(_, y)| frame.holds(y)));
            } else {
                line(&mut svg, &pixels, i);
            }
            dots(&mut svg, &pixels, series);
            // After the line, by which the page's script knows the values of a series.
            let inside = |p: (f64, f64)| (p.0, p.1.clamp(frame.top, frame.bottom));
            let edge = |p: (f64, f64)| pixel(&p).map(inside);
            let band = series.band.iter().filter_map(|&(x, low, high)| edge((x, low)).zip(edge((x, high))));
            spread(&mut svg, &band.collect::<Vec<_>>(), i);
            let bars = series.bars.iter().filter_map(|&(x, low, high)| edge((x, low)).zip(edge((x, high))));
            errors(&mut svg, bars);
            let expected: Vec<_> = series.expected.iter().map(pixel).collect();
            dashed(&mut svg, &if cut { frame.cut(&expected) } else { expected });
            svg.push_str("</g>\n");
        }
        svg.push_str("</svg>");
        svg
    }

    /// What stands above the plot: title, legend and the name of the vertical axis.
    fn header(&self, svg: &mut String, legend: &str, legend_rows: usize) {
        let mut baseline = 16.0;
        if !self.title.is_empty() {
            let (y, title) = (Px(baseline), escape(&fit(&self.title, WIDTH)));
            let _ = writeln!(svg, r#"<text class="title" x="0" y="{y}" font-weight="600">{title}</text>"#);
            baseline += LINE;
        }
        if legend_rows > 0 {
            let _ = writeln!(
                svg,
                r#"<g class="legend" data-height="{}" transform="translate(0 {})">"#,
                Px(LINE * legend_rows as f64),
                Px(baseline)
            );
            svg.push_str(legend);
            svg.push_str("</g>\n");
            baseline += LINE * legend_rows as f64;
        }
        y_label(svg, &self.y_label, baseline);
    }

    /// The accessible name: what the chart shows, in words.
    fn label(&self) -> String {
        let axes = match (self.y_label.as_str(), self.x_label.as_str()) {
            ("", "") => String::new(),
            (y, "") => y.to_owned(),
            ("", x) => format!("against {x}"),
            (y, x) => format!("{y} against {x}"),
        };
        let names: Vec<&str> =
            self.series.iter().map(|s| s.name.as_str()).filter(|n| !n.is_empty()).collect();
        let parts = ["Line chart".to_owned(), self.title.clone(), axes, names.join(", ")];
        parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(": ")
    }

    /// The entries of the legend, flowing from left to right, and the number of rows they take.
    fn legend(&self) -> (String, usize) {
        let (mut svg, mut x, mut row) = (String::new(), 0.0, 0usize);
        for (i, series) in self.series.iter().enumerate().filter(|(_, s)| !s.name.is_empty()) {
            let name = fit_name(&series.name, WIDTH - SWATCH - 8.0);
            let width = SWATCH + 6.0 + text_width(&name) + 14.0;
            if x > 0.0 && x + width > WIDTH + 14.0 {
                (x, row) = (0.0, row + 1);
            }
            let (from, to, text) = (Px(x), Px(x + SWATCH), Px(x + SWATCH + 6.0));
            let (y, middle) = (Px(LINE * row as f64), Px(LINE * row as f64 - 4.5));
            let _ = writeln!(
                svg,
                r#"<g data-series="{i}" data-name="{}"><path {}{} fill="none" stroke-width="2.5" d="M{from} {middle}H{to}"/><text x="{text}" y="{y}">{}</text></g>"#,
                escape(&series.name),
                ink(i, "swatch"),
                dash(i),
                escape(&name)
            );
            x += width;
        }
        let rows = if svg.is_empty() { 0 } else { row + 1 };
        (svg, rows)
    }
}

/// The attributes that give an element the color of series `i`, with `class` among its classes.
fn ink(i: usize, class: &str) -> String {
    let c = i % PALETTE.len();
    format!(r#"class="{class} c{}" stroke="{}""#, c + 1, PALETTE[c])
}

/// The dash attribute of series `i`, empty for a full line.
fn dash(i: usize) -> String {
    match DASHES[i / PALETTE.len() % DASHES.len()] {
        "" => String::new(),
        pattern => format!(r#" stroke-dasharray="{pattern}""#),
    }
}

/// One path through the points, with gaps where there are none.
fn line(svg: &mut String, pixels: &[Option<(f64, f64)>], i: usize) {
    let mut path = String::new();
    let mut last_dot = None;
    for run in pixels.split(Option::is_none) {
        let run: Vec<(f64, f64)> = run.iter().copied().flatten().collect();
        // A point between two gaps has no line; a round cap makes it a dot, once for each pixel.
        if let [(x, y)] = run[..] {
            if last_dot.replace((x.floor(), y.floor())) != Some((x.floor(), y.floor())) {
                let _ = write!(path, "M{} {}h0", Px(x), Px(y));
            }
            continue;
        }
        for (k, (x, y)) in thin(&run).into_iter().enumerate() {
            let _ = write!(path, "{}{} {}", if k == 0 { 'M' } else { 'L' }, Px(x), Px(y));
        }
    }
    if !path.is_empty() {
        let dash = dash(i);
        let _ = writeln!(
            svg,
            r#"<path fill="none" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"{dash} d="{path}"/>"#
        );
    }
}

/// The band between lower and upper ends, in the color of series `i`.
fn spread(svg: &mut String, band: &[(Place, Place)], i: usize) {
    if band.is_empty() {
        return;
    }
    let c = i % PALETTE.len();
    let around = band.iter().map(|ends| ends.1).chain(band.iter().rev().map(|ends| ends.0));
    let mut path = String::new();
    for (k, (x, y)) in around.enumerate() {
        let _ = write!(path, "{}{} {}", if k == 0 { 'M' } else { 'L' }, Px(x), Px(y));
    }
    let _ = writeln!(
        svg,
        r#"<path class="band f{}" fill="{}" fill-opacity="0.16" stroke="none" d="{path}Z"/>"#,
        c + 1,
        PALETTE[c]
    );
}

/// Vertical bars with caps, of the color around them.
fn errors(svg: &mut String, bars: impl Iterator<Item = (Place, Place)>) {
    let mut path = String::new();
    for ((x, low), (_, high)) in bars {
        let (left, right, x, low, high) = (Px(x - CAP), Px(x + CAP), Px(x), Px(low), Px(high));
        let _ = write!(path, "M{left} {low}H{right}M{x} {low}V{high}M{left} {high}H{right}");
    }
    if !path.is_empty() {
        let _ = writeln!(svg, r#"<path class="errors" fill="none" stroke-width="1.2" d="{path}"/>"#);
    }
}

/// A thin dashed line of the color around it.
fn dashed(svg: &mut String, pixels: &[Option<(f64, f64)>]) {
    let mut path = String::new();
    for run in pixels.split(Option::is_none) {
        for (k, (x, y)) in run.iter().copied().flatten().enumerate() {
            let _ = write!(path, "{}{} {}", if k == 0 { 'M' } else { 'L' }, Px(x), Px(y));
        }
    }
    if !path.is_empty() {
        let _ = writeln!(
            svg,
            r#"<path class="expected" fill="none" stroke-width="1.5" stroke-dasharray="5 4" d="{path}"/>"#
        );
    }
}

/// The points that can be distinguished: of each stretch inside one pixel column the first, lowest, highest and last.
fn thin(run: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    for column in run.chunk_by(|a, b| a.0.floor() == b.0.floor()) {
        let by_height = |a: &usize, b: &usize| column[*a].1.total_cmp(&column[*b].1);
        let lowest = (0..column.len()).max_by(by_height).unwrap_or(0);
        let highest = (0..column.len()).min_by(by_height).unwrap_or(0);
        let mut keep = [0, lowest, highest, column.len() - 1];
        keep.sort_unstable();
        kept.extend(
            keep.iter()
                .enumerate()
                .filter(|&(k, at)| k == 0 || keep[k - 1] != *at)
                .map(|(_, &at)| column[at]),
        );
    }
    kept
}

/// Dots with the values as hover text, for series short enough.
fn dots(svg: &mut String, pixels: &[Option<(f64, f64)>], series: &Series) {
    if series.points.len() > DOTS {
        return;
    }
    for (pixel, &(x, y)) in pixels.iter().zip(&series.points) {
        if let Some((px, py)) = *pixel {
            let (px, py, x, y) = (Px(px), Px(py), significant(x), significant(y));
            let _ = writeln!(
                svg,
                r#"<path class="dot" fill="none" stroke-width="6" stroke-linecap="round" d="M{px} {py}h0"><title>{x}, {y}</title></path>"#
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_extremes() {
        let noisy: Vec<(f64, f64)> =
            (0..10_000).map(|i| (f64::from(i) / 100.0, f64::from(i * 7919 % 1000))).collect();
        let kept = thin(&noisy);
        assert!(kept.len() <= 400 && kept.len() > 300);
        assert_eq!((kept[0], kept[kept.len() - 1]), (noisy[0], noisy[9999]));
        assert!(kept.iter().any(|p| p.1 == 999.0) && kept.iter().any(|p| p.1 == 0.0));
        assert!(kept.is_sorted_by(|a, b| a.0 <= b.0));
    }
}
