//! Numbers with their errors, one after the other: points with bars.

use std::fmt::Write;

use crate::axis::{Axis, Ticks, place};
use crate::frame::{AXIS_STROKE, Frame, WIDTH, empty_height, nothing, x_label, y_label};
use crate::svg::{Px, escape, open};

const HEIGHT: f64 = 240.0;
const LINE: f64 = 22.0;

/// A number with its error.
///
/// ```
/// use ergodict_report::intervals::{Interval, IntervalChart};
/// let point = Interval { x: 1.0, value: 0.5, half: 0.1, label: "0.5 ± 0.1".into(), tick: "May".into(), ..Interval::default() };
/// let svg = IntervalChart { points: vec![point], ..IntervalChart::default() }.svg();
/// assert!(svg.contains("0.5 ± 0.1") && svg.contains(">May</text>"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interval {
    /// Where it stands.
    pub x: f64,
    /// The number.
    pub value: f64,
    /// How far its bar reaches up and down.
    pub half: f64,
    /// Its hover text.
    pub label: String,
    /// Whether it has the second color.
    pub marked: bool,
    /// A range that is shaded behind it.
    pub band: Option<(f64, f64)>,
    /// What its tick on the horizontal axis says. Without any, ticks are at round numbers.
    pub tick: String,
}

/// Points with bars over a common axis, and the level at which they would rest.
///
/// Those that are not finite are left out; a bar that is not finite is not drawn.
///
/// ```
/// use ergodict_report::intervals::{Interval, IntervalChart};
///
/// let one = Interval { x: 1.0, value: 0.5, half: 0.1, label: "Monday".into(), ..Interval::default() };
/// let chart = IntervalChart { rest: Some(0.0), points: vec![one], ..IntervalChart::default() };
/// assert!(chart.svg().contains("<title>Monday</title>"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntervalChart {
    /// What runs along the horizontal axis.
    pub x_label: String,
    /// What the numbers are.
    pub y_label: String,
    /// A level that is drawn as a dashed line.
    pub rest: Option<f64>,
    /// The numbers, from left to right.
    pub points: Vec<Interval>,
}

impl IntervalChart {
    /// The chart as an SVG element, 600 units wide.
    pub fn svg(&self) -> String {
        let name = format!("Numbers with errors: {} against {}", self.y_label, self.x_label);
        let placed: Vec<&Interval> = self
            .points
            .iter()
            .filter(|p| place(p.x, false).is_some() && place(p.value, false).is_some())
            .collect();
        let half = |p: &Interval| if p.half.is_finite() { p.half.abs() } else { 0.0 };
        let xs = placed.iter().map(|p| p.x);
        let band = |p: &Interval| p.band.filter(|(low, high)| low.is_finite() && high.is_finite());
        let bands = placed.iter().filter_map(|p| band(p)).flat_map(|(low, high)| [low, high]);
        let ys =
            placed.iter().flat_map(|p| [p.value - half(p), p.value + half(p)]).chain(self.rest).chain(bands);
        let named = placed.iter().any(|p| !p.tick.is_empty());
        let x_axis = if named { Axis::close(xs) } else { Axis::over(xs, false, 0.02) };
        let axes = (x_axis, Axis::over(ys, false, 0.05));
        let ((Some(x_axis), Some(y_axis)), false) = (axes, placed.is_empty()) else {
            let mut svg = open("intervals", WIDTH, empty_height(0.0), &name);
            nothing(&mut svg, 0.0);
            return svg;
        };
        let top = if self.y_label.is_empty() { 10.0 } else { LINE + 10.0 };
        let (mut frame, mut x_ticks, y_ticks) = Frame::around(&x_axis, &y_axis, top, HEIGHT);
        if named {
            let ticks = placed.iter().map(|p| (x_axis.unit(p.x), escape(&p.tick))).collect();
            x_ticks = Ticks::named(ticks, frame.right - frame.left);
            frame.right = WIDTH - (x_ticks.widest() / 2.0).max(8.0);
        }
        let height = frame.bottom + if self.x_label.is_empty() { 26.0 } else { 26.0 + LINE };
        let mut svg = open("intervals", WIDTH, height, &name);
        frame.axes(&mut svg, (&x_axis, &y_axis), (&x_ticks, &y_ticks));
        x_label(&mut svg, &frame, &self.x_label, height);
        y_label(&mut svg, &self.y_label, 16.0);
        if let Some(rest) = self.rest.filter(|rest| rest.is_finite()) {
            let (left, right, y) = (Px(frame.left), Px(frame.right), Px(frame.y(y_axis.unit(rest))));
            let _ = writeln!(svg, r#"<path {AXIS_STROKE} stroke-dasharray="4 4" d="M{left} {y}H{right}"/>"#);
        }
        // As wide as the points are apart, so that bands of neighbors touch.
        let gaps = placed.windows(2).map(|pair| (pair[1].x - pair[0].x).abs()).filter(|gap| *gap > 0.0);
        let gap =
            x_axis.unit(x_axis.lo + gaps.fold(f64::INFINITY, f64::min)).min(0.1) * (frame.right - frame.left);
        for point in &placed {
            let Some((low, high)) = band(point) else { continue };
            let x = frame.x(x_axis.unit(point.x));
            let (left, right) = ((x - gap / 2.0).max(frame.left), (x + gap / 2.0).min(frame.right));
            let (top, bottom) = (frame.y(y_axis.unit(high)), frame.y(y_axis.unit(low)));
            let _ = writeln!(
                svg,
                r#"<rect class="null" fill="currentColor" fill-opacity="0.14" x="{}" y="{}" width="{}" height="{}"/>"#,
                Px(left),
                Px(top),
                Px(right - left),
                Px((bottom - top).max(1.0))
            );
        }
        for point in placed {
            let (x, y) = (frame.x(x_axis.unit(point.x)), frame.y(y_axis.unit(point.value)));
            let ends =
                [point.value - half(point), point.value + half(point)].map(|at| frame.y(y_axis.unit(at)));
            let (class, color) = if point.marked { ("c2", "#D55E00") } else { ("c1", "#0072B2") };
            let (low, high, px, py) = (Px(ends[0]), Px(ends[1]), Px(x), Px(y));
            let _ = writeln!(
                svg,
                r#"<g class="{class}" stroke="{color}" fill="none" stroke-linecap="round"><title>{}</title><path stroke-width="1.5" d="M{px} {low}V{high}"/><path stroke-width="7" d="M{px} {py}h0"/></g>"#,
                escape(&point.label)
            );
        }
        svg.push_str("</svg>");
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_left_out() {
        let point = |x, value, half| Interval { x, value, half, ..Interval::default() };
        let chart = IntervalChart {
            points: vec![point(1.0, 0.0, 0.1), point(2.0, f64::NAN, 0.1), point(3.0, 1.0, f64::INFINITY)],
            ..IntervalChart::default()
        };
        let svg = chart.svg();
        assert_eq!(svg.matches("<title>").count(), 2);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(IntervalChart::default().svg().contains("nothing to draw"));
    }

    #[test]
    fn bands_are_shaded_and_ticks_have_names() {
        let point = |x: f64, band| Interval { x, band, tick: format!("day {x}"), ..Interval::default() };
        let points =
            vec![point(1.0, Some((-1.0, 2.0))), point(2.0, None), point(3.0, Some((0.0, f64::INFINITY)))];
        let svg = IntervalChart { points, ..IntervalChart::default() }.svg();
        assert_eq!(svg.matches(r#"class="null""#).count(), 1);
        assert!(svg.contains(">day 1</text>") && svg.contains(">day 3</text>"));
        // Names that would touch are left out.
        let crowd = (0..200).map(|x| point(f64::from(x), None)).collect();
        let svg = IntervalChart { points: crowd, ..IntervalChart::default() }.svg();
        assert!((5..20).contains(&svg.matches(">day ").count()));
    }
}
