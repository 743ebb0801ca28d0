//! Bars over intervals: histograms, degree distributions.

use std::fmt::Write;

use crate::axis::{Axis, place, significant};
use crate::frame::{Frame, WIDTH, empty_height, labels, nothing};
use crate::svg::{Px, open};

const HEIGHT: f64 = 240.0;
const LINE: f64 = 22.0;

/// The bar over one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bar {
    /// Where the interval begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// How high the bar is.
    pub value: f64,
}

/// Bars over intervals of a common axis.
///
/// On a linear vertical axis bars are filled and stand on zero, so that their lengths can be compared. Lengths mean
/// nothing on a logarithmic axis: there only the tops are drawn, as steps. Bars that cannot be placed (not finite, or not
/// positive on a logarithmic axis) are left out.
///
/// ```
/// use ergodict_report::bars::{Bar, BarChart};
///
/// let bars = vec![Bar { from: 0.0, to: 1.0, value: 12.0 }, Bar { from: 1.0, to: 2.0, value: 5.0 }];
/// let chart = BarChart { x_label: "degree".into(), bars, ..BarChart::default() };
/// assert!(chart.svg().contains("0 to 1: 12"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarChart {
    /// What runs along the horizontal axis.
    pub x_label: String,
    /// What the heights are.
    pub y_label: String,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
    /// The bars.
    pub bars: Vec<Bar>,
}

impl BarChart {
    /// The chart as an SVG element, 600 units wide.
    pub fn svg(&self) -> String {
        let name = format!("Bars: {} against {}", self.y_label, self.x_label);
        let placed: Vec<(f64, f64, f64, Bar)> = self
            .bars
            .iter()
            .filter(|b| b.from < b.to)
            .filter_map(|b| {
                Some((place(b.from, self.log_x)?, place(b.to, self.log_x)?, place(b.value, self.log_y)?, *b))
            })
            .collect();
        let x_axis = Axis::over(placed.iter().flat_map(|b| [b.0, b.1]), self.log_x, 0.0);
        let heights = placed.iter().map(|b| b.2).chain((!self.log_y).then_some(0.0));
        let y_axis = Axis::over(heights, self.log_y, 0.05);
        let (Some(x_axis), Some(mut y_axis), false) = (x_axis, y_axis, placed.is_empty()) else {
            let mut svg = open("bars", WIDTH, empty_height(0.0), &name);
            nothing(&mut svg, 0.0);
            return svg;
        };
        if !self.log_y && placed.iter().all(|b| b.2 >= 0.0) {
            y_axis.lo = 0.0;
        }
        let top = if self.y_label.is_empty() { 10.0 } else { LINE + 10.0 };
        let (frame, x_ticks, y_ticks) = Frame::around(&x_axis, &y_axis, top, HEIGHT);
        let height = frame.bottom + if self.x_label.is_empty() { 26.0 } else { 26.0 + LINE };
        let mut svg = open("bars", WIDTH, height, &name);
        frame.axes(&mut svg, (&x_axis, &y_axis), (&x_ticks, &y_ticks));
        labels(&mut svg, &frame, (&self.x_label, &self.y_label), 16.0, height);
        let base = frame.y(if self.log_y { 0.0 } else { y_axis.unit(0.0) });
        let _ = writeln!(svg, r##"<g class="c1" fill="#0072B2" stroke="#0072B2">"##);
        for (from, to, value, bar) in &placed {
            let (left, right) = (frame.x(x_axis.unit(*from)), frame.x(x_axis.unit(*to)));
            let y = frame.y(y_axis.unit(*value));
            // A hair between neighbours, unless they are hairs themselves.
            let gap = if right - left > 4.0 { 1.0 } else { 0.0 };
            let (x, width) = (Px(left), Px((right - left - gap).max(0.5)));
            let (upper, tall) = (Px(y.min(base)), Px((y - base).abs().max(0.5)));
            let text =
                format!("{} to {}: {}", significant(bar.from), significant(bar.to), significant(bar.value));
            let drawn = if self.log_y {
                // All below the step answers to the pointer.
                format!(
                    r#"<rect x="{x}" y="{upper}" width="{width}" height="{tall}" fill-opacity="0.08" stroke="none"/><path d="M{x} {}h{width}" fill="none" stroke-width="2"/>"#,
                    Px(y)
                )
            } else {
                format!(r#"<rect x="{x}" y="{upper}" width="{width}" height="{tall}" stroke="none"/>"#)
            };
            let _ = writeln!(svg, r#"<g class="cell"><title>{text}</title>{drawn}</g>"#);
        }
        svg.push_str("</g>\n</svg>");
        svg
    }
}
