//! Line charts: points in, SVG out.
//!
//! The SVG is written here and by no chart crate. kuva 0.6, which was tried, draws well, but its pictures have no
//! `viewBox` (on a phone they are cut off), number their clip paths by what was drawn before, write `NaN` into paths
//! and thousands of points one by one, and an empty logarithmic chart panics where overflow is checked. plotters 0.3,
//! by its source, rounds to whole pixels and knows RGB only, so its charts cannot follow a dark page.

use std::fmt::Write;

use crate::svg::{FONT, Px, escape, fit, open, text_width};

const WIDTH: f64 = 600.0;
const PLOT_HEIGHT: f64 = 270.0;
const EMPTY_HEIGHT: f64 = 90.0;
const LINE: f64 = 22.0;
const SWATCH: f64 = 22.0;
const AXIS_STROKE: &str = r#"fill="none" stroke="currentColor" stroke-opacity="0.55""#;

/// Okabe & Ito's colour-blind-safe palette without yellow, which vanishes on white paper, and black, which vanishes on
/// dark pages; the page's style sheet brightens the classes `c1` … `c6` there.
const PALETTE: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];

/// Line styles, changed each time the palette has been used up.
const DASHES: [&str; 4] = ["", "7 4", "2 4", "9 4 2 4"];

/// A series with at most this many points shows each of them as a dot that tells its values on hover.
const DOTS: usize = 40;

/// One line of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend; a series without a name has no entry there.
    pub name: String,
    /// Points in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// A series from its name and points.
    pub fn new(name: impl Into<String>, points: impl Into<Vec<(f64, f64)>>) -> Self {
        Self { name: name.into(), points: points.into() }
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
    /// Ends of the vertical axis, so that several charts can be compared; what lies outside is cut off. By default, and
    /// where the ends are not finite, ascending and (on a logarithmic axis) positive, the axis shows all points.
    pub y_range: Option<(f64, f64)>,
    /// The lines, coloured in this order.
    pub series: Vec<Series>,
}

impl LineChart {
    /// The chart as an SVG element, 600 units wide.
    pub fn svg(&self) -> String {
        let placed = |&(x, y): &(f64, f64)| Some((place(x, self.log_x)?, place(y, self.log_y)?));
        let drawable = || self.series.iter().flat_map(|s| &s.points).filter_map(placed);
        let x_axis = Axis::over(drawable().map(|p| p.0), self.log_x, 0.0);
        let fixed = self.y_range.and_then(|ends| Axis::between(ends, self.log_y));
        let cut = fixed.is_some();
        let y_axis = fixed.or_else(|| Axis::over(drawable().map(|p| p.1), self.log_y, 0.05));

        let (legend, legend_rows) = self.legend();
        let header =
            [!self.title.is_empty(), !self.y_label.is_empty()].iter().filter(|&&b| b).count() + legend_rows;
        let top = LINE * header as f64 + 10.0;
        let bottom = top + if x_axis.is_some() { PLOT_HEIGHT } else { EMPTY_HEIGHT };
        let footer = if self.x_label.is_empty() { 26.0 } else { 26.0 + LINE };
        let height = bottom + if x_axis.is_some() { footer } else { 2.0 };

        let mut svg = open("chart", WIDTH, height, &self.label());
        self.header(&mut svg, &legend, legend_rows);
        let (Some(x_axis), Some(y_axis)) = (x_axis, y_axis) else {
            let (y, w, h) = (Px(top), Px(WIDTH - 2.0), Px(EMPTY_HEIGHT));
            let (middle, centre) = (Px(WIDTH / 2.0), Px(top + EMPTY_HEIGHT / 2.0 + 5.0));
            let _ = writeln!(
                svg,
                r#"<rect class="axis" x="1" y="{y}" width="{w}" height="{h}" {AXIS_STROKE}/>
<text x="{middle}" y="{centre}" text-anchor="middle" fill-opacity="0.8">nothing to draw</text>"#
            );
            svg.push_str("</svg>");
            return svg;
        };
        let y_ticks = y_axis.ticks(6);
        let left = y_ticks.widest() + 12.0;
        let x_ticks = x_axis.ticks_within(WIDTH - left);
        let right = WIDTH - (x_ticks.widest() / 2.0).max(8.0);
        let frame = Frame { left, right, top, bottom };

        frame.axes(&mut svg, &x_ticks, &y_ticks);
        if !self.x_label.is_empty() {
            let label = escape(&fit(&self.x_label, WIDTH));
            let (x, y) = (Px(f64::midpoint(left, right)), Px(height - 6.0));
            let _ = writeln!(
                svg,
                r#"<text class="label" x="{x}" y="{y}" text-anchor="middle" fill-opacity="0.8">{label}</text>"#
            );
        }
        for (i, series) in self.series.iter().enumerate() {
            let mut pixels: Vec<Option<(f64, f64)>> = series
                .points
                .iter()
                .map(|p| placed(p).map(|(x, y)| (frame.x(x_axis.unit(x)), frame.y(y_axis.unit(y)))))
                .collect();
            let name = escape(&series.name);
            let _ = writeln!(svg, r#"<g {} data-name="{name}">"#, ink(i, "series"));
            if cut {
                line(&mut svg, &frame.cut(&pixels), i);
                pixels.iter_mut().for_each(|p| *p = p.filter(|&(_, y)| frame.holds(y)));
            } else {
                line(&mut svg, &pixels, i);
            }
            dots(&mut svg, &pixels, series);
            svg.push_str("</g>\n");
        }
        svg.push_str("</svg>");
        svg
    }

    /// What stands above the plot: title, legend and the name of the vertical axis, which is read more easily there than
    /// turned by a right angle.
    fn header(&self, svg: &mut String, legend: &str, legend_rows: usize) {
        let mut baseline = 16.0;
        if !self.title.is_empty() {
            let (y, title) = (Px(baseline), escape(&fit(&self.title, WIDTH)));
            let _ = writeln!(svg, r#"<text class="title" x="0" y="{y}" font-weight="600">{title}</text>"#);
            baseline += LINE;
        }
        if legend_rows > 0 {
            let _ = writeln!(svg, r#"<g class="legend" transform="translate(0 {})">"#, Px(baseline));
            svg.push_str(legend);
            svg.push_str("</g>\n");
            baseline += LINE * legend_rows as f64;
        }
        if !self.y_label.is_empty() {
            let (y, label) = (Px(baseline), escape(&fit(&self.y_label, WIDTH)));
            let _ = writeln!(svg, r#"<text class="label" x="0" y="{y}" fill-opacity="0.8">{label}</text>"#);
        }
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
            let name = fit(&series.name, WIDTH - SWATCH - 8.0);
            let width = SWATCH + 6.0 + text_width(&name) + 14.0;
            if x > 0.0 && x + width > WIDTH + 14.0 {
                (x, row) = (0.0, row + 1);
            }
            let (from, to, text) = (Px(x), Px(x + SWATCH), Px(x + SWATCH + 6.0));
            let (y, middle) = (Px(LINE * row as f64), Px(LINE * row as f64 - 4.5));
            let _ = writeln!(
                svg,
                r#"<g data-name="{}"><path {}{} fill="none" stroke-width="2.5" d="M{from} {middle}H{to}"/><text x="{text}" y="{y}">{}</text></g>"#,
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

/// The attributes that give an element the colour of series `i`, with `class` among its classes.
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

/// The points one can tell apart: of each stretch inside one pixel column the first, lowest, highest and last.
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

/// The coordinate used on an axis: the value or its decimal logarithm, if there is one.
fn place(v: f64, log: bool) -> Option<f64> {
    let at = if log { v.log10() } else { v };
    (v.is_finite() && at.is_finite()).then_some(at)
}

/// The rectangle the lines are drawn in.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    fn x(&self, unit: f64) -> f64 {
        self.left + unit * (self.right - self.left)
    }

    fn y(&self, unit: f64) -> f64 {
        self.bottom - unit * (self.bottom - self.top)
    }

    /// Whether height `y` lies inside, up to rounding.
    fn holds(&self, y: f64) -> bool {
        (self.top - 1e-6..=self.bottom + 1e-6).contains(&y)
    }

    /// The line through `pixels`, cut where it leaves the frame at the top or at the bottom; points outside are gaps.
    fn cut(&self, pixels: &[Option<(f64, f64)>]) -> Vec<Option<(f64, f64)>> {
        let mut kept = Vec::with_capacity(pixels.len());
        let mut before = None;
        for &point in pixels {
            if let (Some((x0, y0)), Some((x, y))) = (before, point) {
                let edges = if y0 < y { [self.top, self.bottom] } else { [self.bottom, self.top] };
                let crossings = edges.into_iter().map(|edge| ((edge - y0) / (y - y0), edge));
                let inside = crossings.filter(|&(part, _)| part > 0.0 && part < 1.0);
                kept.extend(inside.map(|(part, edge)| Some((x0 + part * (x - x0), edge))));
            }
            kept.push(point.filter(|&(_, y)| self.holds(y)));
            before = point;
        }
        kept
    }

    /// Grid lines, tick marks and tick labels.
    fn axes(&self, svg: &mut String, x_ticks: &Ticks, y_ticks: &Ticks) {
        let (left, right, top, bottom) = (Px(self.left), Px(self.right), Px(self.top), Px(self.bottom));
        let mut grid = String::new();
        for (at, _) in &x_ticks.major {
            let _ = write!(grid, "M{} {bottom}V{top}", Px(self.x(*at)));
        }
        for (at, _) in &y_ticks.major {
            let _ = write!(grid, "M{left} {}H{right}", Px(self.y(*at)));
        }
        let mut marks = format!("M{left} {top}V{bottom}H{right}");
        for (at, length) in x_ticks.marks() {
            let _ = write!(marks, "M{} {bottom}v{length}", Px(self.x(at)));
        }
        for (at, length) in y_ticks.marks() {
            let _ = write!(marks, "M{left} {}h-{length}", Px(self.y(at)));
        }
        let _ = writeln!(
            svg,
            r#"<path class="grid" fill="none" stroke="currentColor" stroke-opacity="0.12" d="{grid}"/>"#
        );
        let _ = writeln!(svg, r#"<path class="axis" {AXIS_STROKE} d="{marks}"/>"#);
        svg.push_str("<g class=\"ticks\" text-anchor=\"middle\">\n");
        for (at, label) in x_ticks.major.iter().filter(|t| !t.1.is_empty()) {
            let _ = writeln!(
                svg,
                r#"<text x="{}" y="{}">{label}</text>"#,
                Px(self.x(*at)),
                Px(self.bottom + 20.0)
            );
        }
        svg.push_str("</g>\n<g class=\"ticks\" text-anchor=\"end\">\n");
        for (at, label) in &y_ticks.major {
            let y = Px(self.y(*at) + 0.35 * FONT);
            let _ = writeln!(svg, r#"<text x="{}" y="{y}">{label}</text>"#, Px(self.left - 8.0));
        }
        svg.push_str("</g>\n");
    }
}

/// An axis from `lo` to `hi`; both are decimal logarithms when `log`.
struct Axis {
    lo: f64,
    hi: f64,
    log: bool,
}

/// Where the ticks of an axis stand, as parts of its length, and what the major ones say.
struct Ticks {
    major: Vec<(f64, String)>,
    minor: Vec<f64>,
}

impl Ticks {
    /// Width of the widest label.
    fn widest(&self) -> f64 {
        self.major.iter().map(|t| text_width(&t.1)).fold(0.0, f64::max)
    }

    /// Blanks labels that would touch their left neighbour on an axis of `width`; returns how many.
    fn blank_crowded(&mut self, width: f64) -> usize {
        let (mut end, mut blanked) = (f64::NEG_INFINITY, 0);
        for (at, label) in &mut self.major {
            let (middle, half) = (*at * width, text_width(label) / 2.0);
            if middle - half < end {
                label.clear();
                blanked += 1;
            } else {
                end = middle + half + 6.0;
            }
        }
        blanked
    }

    /// Place and length of each mark.
    fn marks(&self) -> impl Iterator<Item = (f64, u32)> {
        self.major.iter().map(|t| (t.0, 5)).chain(self.minor.iter().map(|&at| (at, 3)))
    }
}

impl Axis {
    /// The axis that shows all `places`, with the part `margin` of its length free at both ends; none without places.
    fn over(places: impl Iterator<Item = f64>, log: bool, margin: f64) -> Option<Self> {
        let (mut lo, mut hi) =
            places.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), at| (lo.min(at), hi.max(at)));
        if lo > hi {
            return None;
        }
        let size = lo.abs().max(hi.abs());
        // Below this the places differ by rounding only (and below 1e-290 ticks would be denormal).
        if hi - lo <= (1e-11 * size).max(1e-290) {
            let half = match (log, size) {
                (true, _) => 0.35,
                (false, s) if s > 1e-280 => 0.1 * s,
                (false, _) => 1.0,
            };
            (lo, hi) = (lo - half, hi + half);
        } else {
            let free = margin * hi - margin * lo;
            let positive = lo >= 0.0;
            (lo, hi) = (lo - free, hi + free);
            // Room for zero costs little and keeps proportions honest.
            if !log && positive && lo < 0.25 * hi {
                lo = 0.0;
            }
        }
        Some(Self { lo: lo.max(f64::MIN), hi: hi.min(f64::MAX), log })
    }

    /// The axis between two values, if they are in order and have a place on it.
    fn between((low, high): (f64, f64), log: bool) -> Option<Self> {
        let (lo, hi) = (place(low, log)?, place(high, log)?);
        // Closer ends differ by rounding only, as in `over`.
        (hi - lo > (1e-11 * lo.abs().max(hi.abs())).max(1e-290)).then_some(Self { lo, hi, log })
    }

    /// Where `at` lies between the ends, 0 to 1. Halved first: the whole length may exceed what `f64` can hold.
    fn unit(&self, at: f64) -> f64 {
        (at / 2.0 - self.lo / 2.0) / (self.hi / 2.0 - self.lo / 2.0)
    }

    /// As many ticks as have room for their labels side by side on `width`, six at most.
    fn ticks_within(&self, width: f64) -> Ticks {
        let mut best = self.ticks(6);
        let mut blanked = best.blank_crowded(width - best.widest() / 2.0);
        for wanted in (2..6).rev() {
            let mut fewer = self.ticks(wanted);
            let crowded = fewer.blank_crowded(width - fewer.widest() / 2.0);
            if crowded < blanked {
                (best, blanked) = (fewer, crowded);
            }
        }
        best
    }

    /// About `wanted` major ticks at round values.
    fn ticks(&self, wanted: i32) -> Ticks {
        if self.log {
            return self.log_ticks(wanted);
        }
        let major = round_values(self.lo, self.hi, wanted);
        Ticks {
            major: major.into_iter().map(|(v, label)| (self.unit(v), label)).collect(),
            minor: Vec::new(),
        }
    }

    fn log_ticks(&self, wanted: i32) -> Ticks {
        let (first, last) = ((self.lo - 1e-9).ceil() as i32, (self.hi + 1e-9).floor() as i32);
        let inside = |at: f64| at >= self.lo - 1e-9 && at <= self.hi + 1e-9;
        let all = |mantissas: &'static [i32], step: i32| -> Vec<(i32, i32)> {
            let decades = (first - 1..=last).filter(move |e| e % step == 0);
            let all = decades.flat_map(|e| mantissas.iter().map(move |&m| (m, e)));
            all.filter(|&(m, e)| inside(power(m, e))).collect()
        };
        let stride = ((last - first) / wanted + 1).max(1);
        let (major, minor) = if last - first >= 2 {
            let fine = if stride == 1 && last - first <= 8 {
                all(&[2, 3, 4, 5, 6, 7, 8, 9], 1)
            } else {
                all(&[1], 1)
            };
            (all(&[1], stride), fine)
        } else {
            (all(&[1, 2, 5], 1), all(&[3, 4, 6, 7, 8, 9], 1))
        };
        if major.len() < 2 {
            let value = |at: f64| 10f64.powf(at).min(f64::MAX);
            let values = round_values(value(self.lo), value(self.hi), wanted);
            let placed = values.into_iter().filter(|&(v, _)| v > 0.0);
            return Ticks {
                major: placed.map(|(v, label)| (self.unit(v.log10()), label)).collect(),
                minor: Vec::new(),
            };
        }
        let plain = major.iter().all(|&(_, e)| (-4..=5).contains(&e));
        let label = |(m, e): (i32, i32)| match (m, plain) {
            (_, true) => grouped(&format!("{:.*}", (-e).max(0) as usize, f64::from(m) * 10f64.powi(e))),
            (1, false) => format!("10{}", superscript(e)),
            (_, false) => format!("{m}×10{}", superscript(e)),
        };
        Ticks {
            major: major.iter().map(|&(m, e)| (self.unit(power(m, e)), label((m, e)))).collect(),
            minor: minor.iter().map(|&(m, e)| self.unit(power(m, e))).collect(),
        }
    }
}

/// log₁₀ of `m` · 10^`e`.
fn power(m: i32, e: i32) -> f64 {
    f64::from(m).log10() + f64::from(e)
}

/// Multiples of 1, 2 or 5 times a power of ten between `lo` and `hi`, about `wanted` of them, with their labels.
fn round_values(lo: f64, hi: f64, wanted: i32) -> Vec<(f64, String)> {
    let raw = hi / f64::from(wanted) - lo / f64::from(wanted);
    let mut exponent = raw.log10().floor() as i32;
    let factor = match raw / 10f64.powi(exponent) {
        r if r <= 1.0 => 1.0,
        r if r <= 2.0 => 2.0,
        r if r <= 5.0 => 5.0,
        _ => {
            exponent += 1;
            1.0
        }
    };
    let step = factor * 10f64.powi(exponent);
    let (first, last) = ((lo / step - 1e-6).ceil() as i64, (hi / step + 1e-6).floor() as i64);
    let size = lo.abs().max(hi.abs());
    let common = size.log10().floor() as i32;
    let label = |k: i64| -> String {
        let v = k as f64 * step;
        if k == 0 {
            "0".to_owned()
        } else if (1e-3..1e6).contains(&size) {
            grouped(&format!("{v:.*}", (-exponent).max(0) as usize))
        } else {
            let mantissa = format!("{:.*}", (common - exponent).max(0) as usize, v / 10f64.powi(common));
            format!("{}×10{}", minus(&mantissa), superscript(common))
        }
    };
    (first..=last).map(|k| (k as f64 * step, label(k))).collect()
}

/// `digits` with a true minus sign and narrow spaces between groups of three from 10 000 on.
fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("−", rest));
    let (whole, part) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = sign.to_owned();
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && whole.len() > 4 && (whole.len() - i) % 3 == 0 {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out + part
}

fn minus(number: &str) -> String {
    number.replace('-', "−")
}

fn superscript(e: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        c => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][c.to_digit(10).unwrap_or(0) as usize],
    };
    e.to_string().chars().map(raised).collect()
}

/// `v` with at most five significant digits, for hover texts.
fn significant(v: f64) -> String {
    if v != 0.0 && !(1e-3..1e6).contains(&v.abs()) {
        let written = format!("{v:.4e}");
        let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        return format!("{}×10{}", minus(mantissa), superscript(exponent.parse().unwrap_or(0)));
    }
    let whole = if v == 0.0 { 0 } else { v.abs().log10().floor() as i32 };
    let written = format!("{v:.*}", (4 - whole).max(0) as usize);
    let short =
        if written.contains('.') { written.trim_end_matches('0').trim_end_matches('.') } else { &written };
    grouped(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(lo: f64, hi: f64) -> Vec<String> {
        round_values(lo, hi, 5).into_iter().map(|t| t.1).collect()
    }

    fn log_labels(lo: f64, hi: f64) -> Vec<String> {
        let axis = Axis { lo: lo.log10(), hi: hi.log10(), log: true };
        axis.ticks(6).major.into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-3.0, 7.0), ["−2", "0", "2", "4", "6"]);
        assert_eq!(
            labels(0.0, 50_000.0),
            ["0", "10\u{202f}000", "20\u{202f}000", "30\u{202f}000", "40\u{202f}000", "50\u{202f}000"]
        );
        assert_eq!(labels(0.0, 4e9), ["0", "1×10⁹", "2×10⁹", "3×10⁹", "4×10⁹"]);
        assert_eq!(labels(-2e-7, 1e-7), ["−2×10⁻⁷", "−1×10⁻⁷", "0", "1×10⁻⁷"]);
        assert_eq!(labels(1.0001, 1.0003), ["1.00010", "1.00015", "1.00020", "1.00025", "1.00030"]);
    }

    #[test]
    fn log_ticks_are_decades_or_finer() {
        assert_eq!(log_labels(1.0, 5000.0), ["1", "10", "100", "1000"]);
        assert_eq!(log_labels(0.9, 11.0), ["1", "2", "5", "10"]);
        assert_eq!(log_labels(1.1, 1.9), ["1.2", "1.4", "1.6", "1.8"]);
        assert_eq!(log_labels(1e-8, 1e-2), ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²"]);
        assert!(log_labels(1e-300, 1e300).len() < 9);
    }

    #[test]
    fn labels_side_by_side_do_not_touch() {
        for (lo, hi, log) in
            [(0.0, 8e9, false), (1.0, 1.000_008, false), (4.2, 6.9, true), (-9.0, -7.2, true)]
        {
            let axis = Axis { lo, hi, log };
            let ticks = axis.ticks_within(500.0);
            let labelled: Vec<&(f64, String)> = ticks.major.iter().filter(|t| !t.1.is_empty()).collect();
            assert!(labelled.len() >= 3, "{:?}", ticks.major);
            for pair in labelled.windows(2) {
                let room = (pair[1].0 - pair[0].0) * (500.0 - ticks.widest() / 2.0);
                let needed = f64::midpoint(text_width(&pair[0].1), text_width(&pair[1].1));
                assert!(room > needed, "{pair:?} has {room} of {needed}");
            }
        }
    }

    #[test]
    fn extreme_axes_have_ticks_inside() {
        for (lo, hi) in [(f64::MIN, f64::MAX), (0.0, 5e-324), (1e15, 1e15), (-1e-300, 1e-300), (0.0, 1e-285)]
        {
            let axis = Axis::over([lo, hi].into_iter(), false, 0.05).unwrap();
            let ticks = axis.ticks(6);
            assert!((2..20).contains(&ticks.major.len()), "{lo} to {hi}: {:?}", ticks.major);
            assert!(
                ticks.major.iter().all(|t| (-1e-3..=1.001).contains(&t.0)),
                "{lo} to {hi}: {:?}",
                ticks.major
            );
            assert!((0.0..=1.0).contains(&axis.unit(lo)) && (0.0..=1.0).contains(&axis.unit(hi)));
        }
        let log = Axis::over([f64::MAX.log10()].into_iter(), true, 0.05).unwrap();
        assert!(log.ticks(6).major.iter().all(|t| t.0.is_finite()));
    }

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

    #[test]
    fn hover_values_are_short() {
        let written: Vec<String> =
            [0.0, 1.0, 0.123_456_7, -12.5, 123_456.7, 1e-9, 2.5e7].iter().map(|&v| significant(v)).collect();
        assert_eq!(written, ["0", "1", "0.12346", "−12.5", "123\u{202f}457", "1×10⁻⁹", "2.5×10⁷"]);
    }
}
