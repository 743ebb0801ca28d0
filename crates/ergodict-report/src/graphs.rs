//! The atoms of a network as a grid of small graphs.
//!
//! An atom of k·k entries is the weighted adjacency matrix of k nodes, which the motif numbers. Matrices show where an
//! entry is, graphs what the entries make together: a clique, a hub, a plain path. Each atom is scaled by its own largest
//! entry; compare shapes, not heights, across atoms.

use std::fmt::Write;

use crate::error::{PictureError, check};
use crate::layout::layout;
use crate::svg::Px;
use crate::tiles::{Tiles, columns};

/// Colors of the edges of the motif and of all others; the page's style sheet brightens their classes on dark screens.
const ON_MOTIF: &str = r##"class="c1" stroke="#0072B2""##;
const OFF_MOTIF: &str = r##"class="c2" stroke="#D55E00""##;

/// Fill of the nodes: white numbers are read on it, and it is seen on light and on dark pages.
const NODE: &str = "#0072B2";

/// Entries below this part of the largest are left out by default.
const THRESHOLD: f64 = 0.1;

/// Widest panel, height over width of all, and the smallest nodes that have room for a number.
const WIDEST: f64 = 193.0;
const ASPECT: f64 = 0.85;
const NUMBERED: f64 = 5.0;
const SMALLEST: f64 = 1.6;

/// The panel of [`AtomGraphs::sketch`].
pub(crate) const SKETCH: (f64, f64) = (400.0, 340.0);

/// Steps of weight that are distinguishable.
const LEVELS: u32 = 20;

/// Atoms whose entries (a, b) and (b, a) differ by more than this part of the largest are drawn with arrows.
const DIRECTED: f64 = 0.05;

/// Atoms of a network drawn as graphs.
///
/// Edges of the motif are blue and the others orange, wider and stronger where the entry is larger; nodes are numbered
/// along the motif where there is room (and show their number on hover), and node 1, the pivot, has a ring. Where an
/// atom is not symmetric, a line shows the larger of the two entries and has an arrowhead in each direction whose
/// entry is at least half of that.
///
/// ```
/// use ergodict_report::AtomGraphs;
///
/// let triangle = vec![0.0, 1.0, 0.5, 1.0, 0.0, 1.0, 0.5, 1.0, 0.0];
/// let svg = AtomGraphs::new(&[triangle], 3, &[(0, 1), (1, 2)]).labels(["64 %"]).svg()?;
/// assert!(svg.contains(">64 %</text>"));
/// # Ok::<(), ergodict_report::PictureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AtomGraphs<'a> {
    /// The atoms, each k × k, row by row; entry (a, b) is the weight of the edge from a to b.
    pub atoms: &'a [Vec<f64>],
    /// Number of nodes.
    pub k: usize,
    /// The edges of the motif, by nodes counted from 0.
    pub chain: &'a [(usize, usize)],
    /// A word below each atom, for instance its dominance; atoms beyond the end of the list have none.
    pub labels: Vec<String>,
    /// Atoms in a row; by default the grid is about as wide as high.
    pub columns: Option<usize>,
    /// Entries below this part of the largest entry of their atom are left out.
    pub threshold: f64,
}

impl<'a> AtomGraphs<'a> {
    /// Graphs without labels, of entries from a tenth of the largest on.
    pub fn new(atoms: &'a [Vec<f64>], k: usize, chain: &'a [(usize, usize)]) -> Self {
        Self { atoms, k, chain, labels: Vec::new(), columns: None, threshold: THRESHOLD }
    }

    /// The same graphs with a word below each.
    pub fn labels<L: Into<String>>(mut self, labels: impl IntoIterator<Item = L>) -> Self {
        self.labels = labels.into_iter().map(Into::into).collect();
        self
    }

    /// The grid as an SVG element, one panel for each atom, in the given order.
    ///
    /// # Errors
    /// [`PictureError::Empty`] without atoms or nodes, [`PictureError::Shape`] when an atom has not k² entries,
    /// [`PictureError::Entry`] when an entry is negative or not finite, [`PictureError::Node`] when the motif has an edge
    /// to a node that is none of the k, [`PictureError::Scale`] when the threshold is not between 0 and 1.
    pub fn svg(&self) -> Result<String, PictureError> {
        self.check()?;
        let count = self.atoms.len();
        let labels = &self.labels[..self.labels.len().min(count)];
        let tiles = Tiles::pictures(count, Some(columns(count, self.columns)), labels, ASPECT, WIDEST);
        let what = if count == 1 { "atom as a graph" } else { "atoms as graphs" };
        let mut svg = tiles.open(&format!("{count} {what} of {} nodes", self.k));
        for (i, atom) in self.atoms.iter().enumerate() {
            tiles.begin(&mut svg, i);
            let (w, h) = (Px(tiles.width), Px(tiles.height));
            let _ = writeln!(
                svg,
                r#"<rect width="{w}" height="{h}" rx="3" fill="none" stroke="currentColor" stroke-opacity="0.2"/>"#
            );
            self.panel(&mut svg, atom, (tiles.width, tiles.height));
            tiles.end(&mut svg, i);
        }
        svg.push_str("</svg>");
        Ok(svg)
    }

    fn check(&self) -> Result<(), PictureError> {
        if self.atoms.is_empty() {
            return Err(PictureError::Empty { pictures: 0, rows: self.k, cols: self.k });
        }
        for (picture, atom) in self.atoms.iter().enumerate() {
            check(picture, atom.len(), (self.k, self.k), 1)?;
            if let Some(entry) = atom.iter().position(|v| !v.is_finite() || *v < 0.0) {
                let value = atom[entry];
                return Err(PictureError::Entry {
                    picture,
                    entry,
                    value,
                    needed: "a finite number from 0 on",
                });
            }
        }
        if let Some(&node) = self.chain.iter().flat_map(|(a, b)| [a, b]).find(|&&node| node >= self.k) {
            return Err(PictureError::Node { node, nodes: self.k });
        }
        if (0.0..=1.0).contains(&self.threshold) {
            Ok(())
        } else {
            Err(PictureError::Scale { low: self.threshold, high: 1.0 })
        }
    }

    fn panel(&self, svg: &mut String, atom: &[f64], size: (f64, f64)) {
        let (graph, edges) = self.drawn(atom, size);
        graph.edges(svg, OFF_MOTIF, &edges[0]);
        graph.edges(svg, ON_MOTIF, &edges[1]);
        graph.nodes(svg);
    }

    /// The places of the nodes and the edges off and on the motif.
    fn drawn(&self, atom: &[f64], (width, height): (f64, f64)) -> (Graph, [Vec<Edge>; 2]) {
        let k = self.k;
        let largest = atom.iter().copied().fold(0.0, f64::max);
        let part = |a: usize, b: usize| if largest > 0.0 { atom[a * k + b] / largest } else { 0.0 };
        let directed = (0..k).any(|a| (0..a).any(|b| (part(a, b) - part(b, a)).abs() > DIRECTED));
        let graph = Graph::new(self.places(part, (width, height)), (width, height));
        let mut edges = [const { Vec::new() }; 2];
        for (a, b) in (0..k).flat_map(|b| (0..=b).map(move |a| (a, b))) {
            let (there, back) = (part(a, b), part(b, a));
            let weight = there.max(back);
            if weight > 0.0 && weight >= self.threshold {
                let heads = (directed && there >= 0.5 * weight, directed && back >= 0.5 * weight);
                edges[usize::from(self.on_chain((a, b)))].push(Edge { ends: (a, b), weight, heads });
            }
        }
        (graph, edges)
    }

    /// A small picture of atom `i` without numbers or arrows, made of few bytes, with at most `most` of the edges off the
    /// motif (the strongest); and the places of its nodes on [`SKETCH`].
    pub(crate) fn sketch(&self, i: usize, most: usize) -> Result<(String, Vec<[f64; 2]>), PictureError> {
        self.check()?;
        // Whole numbers on a panel twice as large are half as long as tenths.
        let (width, height) = SKETCH;
        let (graph, mut edges) = self.drawn(&self.atoms[i], (width / 2.0, height / 2.0));
        edges[0].sort_by(|a, b| b.weight.total_cmp(&a.weight));
        edges[0].truncate(most);
        let whole = |v: f64| (2.0 * v).round() as i64;
        let mut svg = format!(r#"<svg class="sketch" viewBox="0 0 {width} {height}" aria-hidden="true">"#);
        for (class, edges) in [("c2", &edges[0]), ("c1", &edges[1])] {
            let (mut level, faint) = (0, faintness(edges, self.k));
            let mut alike: Vec<(u32, &Edge)> =
                edges.iter().map(|e| ((e.weight * 10.0).round() as u32, e)).collect();
            alike.sort_by_key(|e| e.0);
            let _ = write!(svg, r#"<g class="{class}">"#);
            for (at, edge) in &alike {
                let (from, to) = (graph.places[edge.ends.0], graph.places[edge.ends.1]);
                if edge.ends.0 == edge.ends.1 {
                    continue;
                }
                if *at != level || svg.ends_with('>') {
                    let (stroke, opacity) = graph.stroke(f64::from(*at) / 10.0, faint);
                    svg.push_str(if svg.ends_with('>') { "" } else { r#""/>"# });
                    let _ = write!(
                        svg,
                        r#"<path stroke-width="{:.1}" stroke-opacity="{opacity:.2}" d=""#,
                        2.0 * stroke
                    );
                    level = *at;
                }
                let _ =
                    write!(svg, "M{} {}L{} {}", whole(from[0]), whole(from[1]), whole(to[0]), whole(to[1]));
            }
            svg.push_str(if svg.ends_with('>') { "</g>" } else { r#""/></g>"# });
        }
        let _ = write!(svg, r#"<path class="nodes" stroke-width="{}" d=""#, Px(4.0 * graph.radius));
        for p in &graph.places {
            let _ = write!(svg, "M{} {}h0", whole(p[0]), whole(p[1]));
        }
        let first = graph.places[0];
        let _ = write!(
            svg,
            r#""/><circle class="pivot" cx="{}" cy="{}" r="{}"/></svg>"#,
            whole(first[0]),
            whole(first[1]),
            Px(2.0 * (graph.radius + 1.7))
        );
        Ok((svg, graph.places.iter().map(|p| [2.0 * p[0], 2.0 * p[1]]).collect()))
    }

    fn on_chain(&self, (a, b): (usize, usize)) -> bool {
        self.chain.iter().any(|&e| e == (a, b) || e == (b, a))
    }

    /// Where the nodes stand on a panel. Only what is drawn pulls: an edge of the motif whose entry is left out would hold
    /// its nodes far apart.
    fn places(&self, part: impl Fn(usize, usize) -> f64, (width, height): (f64, f64)) -> Vec<[f64; 2]> {
        let k = self.k;
        let mut pull = vec![0.0; k * k];
        for (a, b) in (0..k).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let weight: f64 = part(a, b).max(part(b, a));
            let weight = if weight >= self.threshold { weight } else { 0.0 };
            (pull[a * k + b], pull[b * k + a]) = (weight, weight);
        }
        let mut places = layout(&pull, k);
        let loops = (0..k).any(|a| part(a, a) > 0.0 && part(a, a) >= self.threshold);
        let margin = 5.0 + radius(k, width) * if loops { 2.0 } else { 1.0 };
        let ends =
            |c: usize| places.iter().fold((f64::MAX, f64::MIN), |(lo, hi), p| (lo.min(p[c]), hi.max(p[c])));
        let (x, y) = (ends(0), ends(1));
        let scale = ((width - 2.0 * margin) / (x.1 - x.0)).min((height - 2.0 * margin) / (y.1 - y.0));
        // Small graphs need not fill the panel.
        let scale = scale.min(0.7 * width);
        let (left, top) = (f64::midpoint(x.0, x.1), f64::midpoint(y.0, y.1));
        for p in &mut places {
            *p = [width / 2.0 + scale * (p[0] - left), height / 2.0 + scale * (p[1] - top)];
        }
        places
    }
}

/// Radius of the nodes on panels of the given width, unless they stand closer.
fn radius(k: usize, width: f64) -> f64 {
    (0.17 * width / (k as f64).sqrt()).clamp(SMALLEST, 9.0)
}

/// How much fainter each of many lines is, or a clique would be one blot.
fn faintness(edges: &[Edge], k: usize) -> f64 {
    let many = edges.iter().map(|e| e.weight).sum::<f64>() / k as f64;
    many.max(1.0).powf(-0.4)
}

/// A line between two nodes, or a loop.
struct Edge {
    ends: (usize, usize),
    /// Part of the largest entry of the atom.
    weight: f64,
    /// Whether there are arrowheads at the second and at the first end.
    heads: (bool, bool),
}

/// Nodes on a panel.
struct Graph {
    places: Vec<[f64; 2]>,
    radius: f64,
    middle: [f64; 2],
}

impl Graph {
    fn new(places: Vec<[f64; 2]>, (width, height): (f64, f64)) -> Self {
        let apart = |a: usize, b: usize| (places[a][0] - places[b][0]).hypot(places[a][1] - places[b][1]);
        let nearest =
            |a: usize| (0..places.len()).filter(|&b| b != a).map(|b| apart(a, b)).fold(f64::MAX, f64::min);
        // Some nodes may overlap: two thirds stand farther from their nearest than this.
        let mut nearest: Vec<f64> = (0..places.len()).map(nearest).collect();
        nearest.sort_by(f64::total_cmp);
        let room = 0.4 * nearest[nearest.len() / 3];
        let radius = radius(places.len(), width).min(room).max(SMALLEST);
        Self { places, radius, middle: [width / 2.0, height / 2.0] }
    }

    /// Width and opacity of the line of an edge.
    fn stroke(&self, weight: f64, faint: f64) -> (f64, f64) {
        (0.3 + 1.1 * self.radius.sqrt() * weight * faint, (0.12 + 0.88 * weight) * faint.sqrt())
    }

    /// Edges of one color: a path for all of about the same weight, so that a page of many atoms stays small, and the
    /// strongest last, on top.
    fn edges(&self, svg: &mut String, ink: &str, edges: &[Edge]) {
        let faint = faintness(edges, self.places.len());
        let _ = writeln!(svg, r#"<g {ink} fill="none" stroke-linecap="round">"#);
        for level in 0..=LEVELS {
            let mut alike =
                edges.iter().filter(|e| (e.weight * f64::from(LEVELS)).round() as u32 == level).peekable();
            if alike.peek().is_none() {
                continue;
            }
            let weight = f64::from(level) / f64::from(LEVELS);
            let (stroke, opacity) = self.stroke(weight, faint);
            let _ = write!(svg, r#"<path stroke-width="{stroke:.2}" stroke-opacity="{opacity:.2}" d=""#);
            for edge in alike {
                match edge.ends {
                    (a, b) if a == b => self.turn_back(svg, a),
                    (a, b) => self.line(svg, a, b, edge.heads),
                }
            }
            let _ = writeln!(svg, r#""><title>{weight:.2}</title></path>"#);
        }
        svg.push_str("</g>\n");
    }

    fn line(&self, svg: &mut String, a: usize, b: usize, heads: (bool, bool)) {
        let (from, to) = (self.places[a], self.places[b]);
        let _ = write!(svg, "M{} {}L{} {}", Px(from[0]), Px(from[1]), Px(to[0]), Px(to[1]));
        for (head, tip, tail) in [(heads.0, to, from), (heads.1, from, to)] {
            let away = [tail[0] - tip[0], tail[1] - tip[1]];
            let length = away[0].hypot(away[1]);
            if !head || length < 2.0 * self.radius {
                continue;
            }
            let unit = [away[0] / length, away[1] / length];
            let (start, barb) = (self.radius + 1.0, (0.9 * self.radius).clamp(2.5, 5.0));
            let at = |along: f64, across: f64| {
                [tip[0] + along * unit[0] - across * unit[1], tip[1] + along * unit[1] + across * unit[0]]
            };
            let (point, up, down) =
                (at(start, 0.0), at(start + barb, 0.6 * barb), at(start + barb, -0.6 * barb));
            let _ = write!(
                svg,
                "M{} {}L{} {}L{} {}",
                Px(up[0]),
                Px(up[1]),
                Px(point[0]),
                Px(point[1]),
                Px(down[0]),
                Px(down[1])
            );
        }
    }

    /// A loop at node `a`, on the side away from the middle.
    fn turn_back(&self, svg: &mut String, a: usize) {
        let at = self.places[a];
        let away = [at[0] - self.middle[0], at[1] - self.middle[1]];
        let length = away[0].hypot(away[1]);
        let unit = if length > 1.0 { [away[0] / length, away[1] / length] } else { [0.0, -1.0] };
        let r = 0.7 * self.radius;
        let center = [at[0] + (self.radius + 0.4 * r) * unit[0], at[1] + (self.radius + 0.4 * r) * unit[1]];
        let _ = write!(
            svg,
            "M{} {}a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 -{} 0",
            Px(center[0] - r),
            Px(center[1]),
            Px(2.0 * r),
            Px(2.0 * r),
            r = Px(r)
        );
    }

    fn nodes(&self, svg: &mut String) {
        let (r, size) = (Px(self.radius), Px(1.3 * self.radius));
        let _ = writeln!(svg, r#"<g fill="{NODE}" text-anchor="middle" font-size="{size}">"#);
        // The first last, so that the pivot is never hidden.
        for (a, p) in self.places.iter().enumerate().rev() {
            let (x, y) = (Px(p[0]), Px(p[1]));
            if a == 0 {
                let ring = Px(self.radius + 1.7);
                let _ = writeln!(
                    svg,
                    r#"<circle class="pivot" cx="{x}" cy="{y}" r="{ring}" fill="none" stroke="currentColor" stroke-width="1.4"/>"#
                );
            }
            let _ = writeln!(svg, r#"<circle cx="{x}" cy="{y}" r="{r}"><title>{}</title></circle>"#, a + 1);
            if self.radius >= NUMBERED {
                let base = Px(p[1] + 0.46 * self.radius);
                let _ = writeln!(
                    svg,
                    r##"<text x="{x}" y="{base}" fill="#fff" pointer-events="none">{}</text>"##,
                    a + 1
                );
            }
        }
        svg.push_str("</g>\n");
    }
}
