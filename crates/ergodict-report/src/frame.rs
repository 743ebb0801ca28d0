//! What charts with axes share: the rectangle they are drawn in, its grid, ticks and labels.

use std::fmt::Write;

use crate::axis::{Axis, Ticks};
use crate::svg::{FONT, Px, escape, fit};

/// Width of all charts, in user units.
pub(crate) const WIDTH: f64 = 600.0;
const EMPTY_HEIGHT: f64 = 90.0;

/// How axes are drawn.
pub(crate) const AXIS_STROKE: &str = r#"fill="none" stroke="currentColor" stroke-opacity="0.55""#;

/// The name of the horizontal axis at the foot of a chart of the given height, if it has one.
pub(crate) fn x_label(svg: &mut String, frame: &Frame, name: &str, height: f64) {
    if !name.is_empty() {
        let label = escape(&fit(name, WIDTH));
        let (x, y) = (Px(f64::midpoint(frame.left, frame.right)), Px(height - 6.0));
        let _ = writeln!(
            svg,
            r#"<text class="label" x="{x}" y="{y}" text-anchor="middle" fill-opacity="0.8">{label}</text>"#
        );
    }
}

/// The name of the vertical axis, if it has one, above the chart: it is read more easily there than turned by a right angle.
pub(crate) fn y_label(svg: &mut String, name: &str, baseline: f64) {
    if !name.is_empty() {
        let (y, label) = (Px(baseline), escape(&fit(name, WIDTH)));
        let _ = writeln!(svg, r#"<text class="label" x="0" y="{y}" fill-opacity="0.8">{label}</text>"#);
    }
}

/// The height below `top` of what [`nothing`] draws.
pub(crate) fn empty_height(top: f64) -> f64 {
    top + EMPTY_HEIGHT + 2.0
}

/// A frame that says that there is nothing to draw.
pub(crate) fn nothing(svg: &mut String, top: f64) {
    let (y, w, h) = (Px(top), Px(WIDTH - 2.0), Px(EMPTY_HEIGHT));
    let (middle, center) = (Px(WIDTH / 2.0), Px(top + EMPTY_HEIGHT / 2.0 + 5.0));
    let _ = writeln!(
        svg,
        r#"<rect x="1" y="{y}" width="{w}" height="{h}" {AXIS_STROKE}/>
<text x="{middle}" y="{center}" text-anchor="middle" fill-opacity="0.8">nothing to draw</text>"#
    );
    svg.push_str("</svg>");
}

/// The rectangle the lines are drawn in.
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

impl Frame {
    /// The frame of the given height below `top` that leaves room for the ticks of both axes, and these ticks.
    pub(crate) fn around(x_axis: &Axis, y_axis: &Axis, top: f64, height: f64) -> (Self, Ticks, Ticks) {
        let y_ticks = y_axis.ticks(6);
        let left = y_ticks.widest() + 12.0;
        let x_ticks = x_axis.ticks_within(WIDTH - left);
        let right = WIDTH - (x_ticks.widest() / 2.0).max(8.0);
        (Self { left, right, top, bottom: top + height }, x_ticks, y_ticks)
    }

    pub(crate) fn x(&self, unit: f64) -> f64 {
        self.left + unit * (self.right - self.left)
    }

    pub(crate) fn y(&self, unit: f64) -> f64 {
        self.bottom - unit * (self.bottom - self.top)
    }

    /// The part of the line of equal values that lies inside.
    pub(crate) fn diagonal(&self, svg: &mut String, x_axis: &Axis, y_axis: &Axis) {
        let (low, high) = (x_axis.lo.max(y_axis.lo), x_axis.hi.min(y_axis.hi));
        if low < high {
            let x = [low, high].map(|at| Px(self.x(x_axis.unit(at))));
            let y = [low, high].map(|at| Px(self.y(y_axis.unit(at))));
            let _ = writeln!(
                svg,
                r#"<path class="diagonal" {AXIS_STROKE} stroke-dasharray="4 4" d="M{} {}L{} {}"/>"#,
                x[0], y[0], x[1], y[1]
            );
        }
    }

    /// Whether height `y` lies inside, up to rounding.
    pub(crate) fn holds(&self, y: f64) -> bool {
        (self.top - 1e-6..=self.bottom + 1e-6).contains(&y)
    }

    /// The line through `pixels`, cut where it leaves the frame at the top or at the bottom; points outside are gaps.
    pub(crate) fn cut(&self, pixels: &[Option<(f64, f64)>]) -> Vec<Option<(f64, f64)>> {
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

    /// Grid lines, tick marks and tick labels. The axes carry where they begin and end, so that a script can show the
    /// values at a place.
    pub(crate) fn axes(&self, svg: &mut String, (x_axis, y_axis): (&Axis, &Axis), ticks: (&Ticks, &Ticks)) {
        let (x_ticks, y_ticks) = ticks;
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
        let ends = |axis: &Axis| format!("{:e} {:e} {}", axis.lo, axis.hi, u8::from(axis.log));
        let (x, y) = (ends(x_axis), ends(y_axis));
        let _ = writeln!(
            svg,
            r#"<path class="axis" data-frame="{left} {right} {top} {bottom}" data-x="{x}" data-y="{y}" {AXIS_STROKE} d="{marks}"/>"#
        );
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
