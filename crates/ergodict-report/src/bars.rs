//! Bars over intervals: histograms, degree distributions.

use std::fmt::Write;

use crate::axis::{Axis, place, significant};
use crate::frame::{Frame, WIDTH, empty_height, nothing, x_label, y_label};
use crate::svg::{Px, escape, open};

const HEIGHT: f64 = 240.0;
const LINE: f64 = 22.0;

/// The bar over one interval.
///
/// ```
/// use ergodict_report::{Bar, BarChart};
/// let bar = Bar { from: 4.0, to: 8.0, value: 3.0, label: None };
/// let svg = BarChart { bars: vec![bar], ..BarChart::default() }.svg();
/// assert!(svg.contains("<title>"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// Where the interval begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// How high the bar is.
    pub value: f64,
    /// Hover text of the interval, for instance which whole numbers it holds; by default its two ends.
    pub label: Option<String>,
}

/// Bars over intervals of a common axis.
///
/// Bars stand on zero, so that their lengths can be compared. Those that cannot be placed (not finite, or not positive on a
/// logarithmic axis) are left out.
///
/// ```
/// use ergodict_report::bars::{Bar, BarChart};
///
/// let one = Bar { from: 1.0, to: 2.0, value: 12.0, label: Some("1".into()) };
/// let chart = BarChart { x_label: "degree".into(), bars: vec![one], ..BarChart::default() };
/// assert!(chart.svg().contains("<title>1: 12</title>"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarChart {
    /// What runs along the horizontal axis.
    pub x_label: String,
    /// What the heights are.
    pub y_label: String,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// The bars.
    pub bars: Vec<Bar>,
}

impl BarChart {
    /// The chart as an SVG element, 600 units wide.
    pub fn svg(&self) -> String {
        let name = format!("Bars: {} against {}", self.y_label, self.x_label);
        let ends = |b: &Bar| Some((place(b.from, self.log_x)?, place(b.to, self.log_x)?));
        let placed: Vec<(f64, f64, &Bar)> = self
            .bars
            .iter()
            .filter(|b| b.from < b.to && b.value.is_finite())
            .filter_map(|b| ends(b).map(|(from, to)| (from, to, b)))
            .collect();
        let x_axis = Axis::over(placed.iter().flat_map(|b| [b.0, b.1]), self.log_x, 0.0);
        let y_axis = Axis::over(placed.iter().map(|b| b.2.value).chain([0.0]), false, 0.05);
        let (Some(x_axis), Some(mut y_axis), false) = (x_axis, y_axis, placed.is_empty()) else {
            let mut svg = open("bars", WIDTH, empty_height(0.0), &name);
            nothing(&mut svg, 0.0);
            return svg;
        };
        if placed.iter().all(|b| b.2.value >= 0.0) {
            y_axis.lo = 0.0;
        }
        let top = if self.y_label.is_empty() { 10.0 } else { LINE + 10.0 };
        let (frame, x_ticks, y_ticks) = Frame::around(&x_axis, &y_axis, top, HEIGHT);
        let height = frame.bottom + if self.x_label.is_empty() { 26.0 } else { 26.0 + LINE };
        let mut svg = open("bars", WIDTH, height, &name);
        frame.axes(&mut svg, (&x_axis, &y_axis), (&x_ticks, &y_ticks));
        x_label(&mut svg, &frame, &self.x_label, height);
        y_label(&mut svg, &self.y_label, 16.0);
        let base = frame.y(y_axis.unit(0.0));
        let _ = writeln!(svg, r##"<g class="c1" fill="#0072B2" stroke="#0072B2">"##);
        for (from, to, bar) in &placed {
            let (left, right) = (frame.x(x_axis.unit(*from)), frame.x(x_axis.unit(*to)));
            let y = frame.y(y_axis.unit(bar.value));
            // A hair between neighbors, unless they are hairs themselves.
            let gap = if right - left > 4.0 { 1.0 } else { 0.0 };
            let (x, width) = (Px(left), Px((right - left - gap).max(0.5)));
            let (upper, tall) = (Px(y.min(base)), Px((y - base).abs().max(0.5)));
            let ends = || format!("{} to {}", significant(bar.from), significant(bar.to));
            let label = bar.label.as_deref().map_or_else(ends, escape);
            let value = significant(bar.value);
            let _ = writeln!(
                svg,
                r#"<g class="cell"><title>{label}: {value}</title><rect x="{x}" y="{upper}" width="{width}" height="{tall}" stroke="none"/></g>"#
            );
        }
        svg.push_str("</g>\n</svg>");
        svg
    }
}
