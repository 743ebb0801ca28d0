//! What is close to what: a tree of merges with the heights at which they happen.

use std::fmt::Write;

use crate::axis::{Axis, significant};
use crate::error::PictureError;
use crate::svg::{FONT, Px, escape, fit, open, text_width};

const WIDTH: f64 = 600.0;
const ROW: f64 = 26.0;
const WIDEST_NAME: f64 = 220.0;

/// A tree of merges, drawn from its leaves on the left to its root on the right.
///
/// The leaves are numbered from 0 in the order of their names; merge i makes number n + i, where n is the number of
/// leaves.
///
/// ```
/// use ergodict_report::Tree;
///
/// let tree = Tree::new(["cat", "dog", "oak"], [(0, 1, 0.2), (3, 2, 0.9)]);
/// assert!(tree.svg()?.contains(">oak</text>"));
/// # Ok::<(), ergodict_report::PictureError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// Names of the leaves.
    pub leaves: Vec<String>,
    /// The two that are joined and the height at which they are, from the first merge to the last.
    pub merges: Vec<(usize, usize, f64)>,
    /// What the heights are.
    pub x_label: String,
}

impl Tree {
    /// A tree from the names of its leaves and its merges.
    pub fn new<N: Into<String>>(
        leaves: impl IntoIterator<Item = N>,
        merges: impl Into<Vec<(usize, usize, f64)>>,
    ) -> Self {
        Self {
            leaves: leaves.into_iter().map(Into::into).collect(),
            merges: merges.into(),
            x_label: String::new(),
        }
    }

    /// The tree as an SVG element, 600 units wide.
    ///
    /// # Errors
    /// [`PictureError::Empty`] without leaves; [`PictureError::Tree`] unless the merges, one fewer than leaves, join each
    /// number but the last exactly once, at finite heights that are not negative.
    pub fn svg(&self) -> Result<String, PictureError> {
        self.check()?;
        let n = self.leaves.len();
        let left = self.leaves.iter().map(|l| text_width(l)).fold(0.0, f64::max).min(WIDEST_NAME) + 12.0;
        let bottom = ROW * n as f64 + 6.0;
        let height = bottom + if self.x_label.is_empty() { 28.0 } else { 50.0 };
        let highest = self.merges.iter().map(|m| m.2).fold(0.0, f64::max);
        let axis = Axis::between((0.0, highest.min(f64::MAX / 2.0) * 1.03), false).unwrap_or(Axis {
            lo: 0.0,
            hi: 1.0,
            log: false,
        });
        let ticks = axis.ticks_within(WIDTH - left);
        let right = WIDTH - (ticks.widest() / 2.0).max(14.0);
        let x = |unit: f64| left + unit * (right - left);

        let mut svg = open("tree", WIDTH, height, &format!("Tree of {n} leaves: {}", self.leaves.join(", ")));
        let (top, foot) = (Px(4.0), Px(bottom));
        let mut grid = String::new();
        let mut marks = format!("M{} {foot}H{}", Px(left), Px(right));
        for (at, _) in &ticks.major {
            let _ = write!(grid, "M{} {foot}V{top}", Px(x(*at)));
            let _ = write!(marks, "M{} {foot}v5", Px(x(*at)));
        }
        let _ = writeln!(
            svg,
            r#"<path class="grid" fill="none" stroke="currentColor" stroke-opacity="0.12" d="{grid}"/>
<path class="axis" fill="none" stroke="currentColor" stroke-opacity="0.55" d="{marks}"/>
<g class="ticks" text-anchor="middle">"#
        );
        for (at, label) in ticks.major.iter().filter(|t| !t.1.is_empty()) {
            let _ = writeln!(svg, r#"<text x="{}" y="{}">{label}</text>"#, Px(x(*at)), Px(bottom + 20.0));
        }
        svg.push_str("</g>\n");
        if !self.x_label.is_empty() {
            let (middle, base) = (Px(f64::midpoint(left, right)), Px(height - 6.0));
            let label = escape(&fit(&self.x_label, WIDTH));
            let _ = writeln!(
                svg,
                r#"<text class="label" x="{middle}" y="{base}" text-anchor="middle" fill-opacity="0.8">{label}</text>"#
            );
        }

        let mut places: Vec<(f64, f64)> = vec![(left, 0.0); n];
        svg.push_str("<g text-anchor=\"end\">\n");
        for (row, &leaf) in self.order().iter().enumerate() {
            let y = ROW * (row as f64 + 0.5) + 4.0;
            places[leaf].1 = y;
            let name = escape(&fit(&self.leaves[leaf], WIDEST_NAME));
            let _ =
                writeln!(svg, r#"<text x="{}" y="{}">{name}</text>"#, Px(left - 8.0), Px(y + 0.35 * FONT));
        }
        svg.push_str("</g>\n");
        let _ = writeln!(
            svg,
            r##"<g class="c1" stroke="#0072B2" fill="none" stroke-width="2" stroke-linejoin="round" stroke-linecap="round">"##
        );
        for &(a, b, at) in &self.merges {
            let ((xa, ya), (xb, yb)) = (places[a], places[b]);
            let joint = x(axis.unit(at));
            let _ = writeln!(
                svg,
                r#"<path d="M{} {}H{}V{}H{}"><title>{}</title></path>"#,
                Px(xa),
                Px(ya),
                Px(joint),
                Px(yb),
                Px(xb),
                significant(at)
            );
            places.push((joint, f64::midpoint(ya, yb)));
        }
        if let Some(&(x, y)) = places.last() {
            let _ = writeln!(svg, r#"<path d="M{} {}h10"/>"#, Px(x), Px(y));
        }
        svg.push_str("</g>\n</svg>");
        Ok(svg)
    }

    fn check(&self) -> Result<(), PictureError> {
        let (n, merges) = (self.leaves.len(), self.merges.len());
        if n == 0 {
            return Err(PictureError::Empty { pictures: 0, rows: 0, cols: 0 });
        }
        if merges + 1 != n {
            let problem = format!("{n} leaves need {} merges, but there are {merges}", n - 1);
            return Err(PictureError::Tree { problem });
        }
        let mut joined = vec![false; n + merges];
        for (i, &(a, b, height)) in self.merges.iter().enumerate() {
            let problem = if a >= n + i || b >= n + i {
                format!("merge {i} joins {}, but there are only numbers below {}", a.max(b), n + i)
            } else if a == b || joined[a] || joined[b] {
                format!("merge {i} joins {}, which was joined before", if joined[b] { b } else { a })
            } else if !(height.is_finite() && height >= 0.0) {
                format!("the height of merge {i} is {height}, but it must be a finite number from 0 on")
            } else {
                (joined[a], joined[b]) = (true, true);
                continue;
            };
            return Err(PictureError::Tree { problem });
        }
        Ok(())
    }

    /// The leaves from top to bottom, so that no two lines cross.
    fn order(&self) -> Vec<usize> {
        let n = self.leaves.len();
        let mut order = Vec::with_capacity(n);
        let mut left = vec![n + self.merges.len() - 1];
        while let Some(next) = left.pop() {
            if next < n {
                order.push(next);
            } else {
                let (a, b, _) = self.merges[next - n];
                left.extend([b, a]);
            }
        }
        order
    }
}
