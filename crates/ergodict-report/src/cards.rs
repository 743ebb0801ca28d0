//! The cards of a gallery and the data its script enlarges them from.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::axis::{minus, significant};
use crate::error::PictureError;
use crate::gallery::{Atom, Example, Form, Gallery};
use crate::graphs::{AtomGraphs, SKETCH};
use crate::packed::{packed, packed_places};
use crate::pixels::{Pixels, base64};
use crate::profiles;
use crate::shade::{Color, any_negative};

/// Letters that the entries of all atoms may take at 16 bits, and at 8; with more they are left out, and the enlarged
/// atoms show no values. A page of usual size is 2 MB at most.
const FINE: usize = 300_000;
const COARSE: usize = 1_000_000;

/// The lightest edge of an example next to the heaviest, as it is drawn.
const FAINTEST: f64 = 0.25;

/// Lines that the small graphs of all cards may have, about 14 letters each, and the fewest and the most of one card.
const LINES: usize = 16_000;
const LINES_OF_CARD: (usize, usize) = (40, 400);

/// A gallery as the page shows it.
#[derive(Clone, Debug)]
pub(crate) struct Cards {
    pub(crate) all: Vec<Card>,
    /// Names of the scores.
    pub(crate) scores: Vec<String>,
    /// Whether the cards stand in descending order of the first score.
    pub(crate) descending: bool,
    /// Whether the atoms are drawn as graphs too.
    pub(crate) graphs: bool,
    /// Whether there are nodes to find atoms by.
    pub(crate) nodes: bool,
    /// What colors mean.
    pub(crate) key: Vec<Key>,
    /// What the script enlarges cards from, as JSON that holds no `<`.
    pub(crate) data: String,
}

/// What a color of atoms means.
#[derive(Clone, Debug)]
pub(crate) enum Key {
    /// Lines of graphs of this class.
    Line { class: &'static str, words: &'static str },
    /// A scale of this class, and what its ends are.
    Scale { class: &'static str, low: &'static str, high: &'static str },
    /// In words.
    Words(&'static str),
}

/// An atom as the page shows it.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub(crate) name: String,
    /// Name and score, for those who do not see the card.
    pub(crate) label: String,
    /// The first score, or nothing.
    pub(crate) score: String,
    /// The first score in percent of the best.
    pub(crate) part: Option<String>,
    /// The graph or profile as SVG, or nothing.
    pub(crate) sketch: String,
    /// The matrix as a data URI.
    pub(crate) matrix: Option<String>,
    /// Width over height of the matrix.
    pub(crate) aspect: String,
}

impl Cards {
    /// The cards of a gallery.
    ///
    /// # Errors
    /// An atom or an example does not fit the form of the gallery.
    pub(crate) fn new(gallery: &Gallery) -> Result<Self, PictureError> {
        let drawing = Drawing::from_gallery(gallery);
        let best = gallery.atoms.iter().filter_map(first).filter(|s| s.is_finite()).fold(0.0, f64::max);
        let percent = |score: f64| format!("{:.1}", 100.0 * (score / best).clamp(0.0, 1.0));
        let (mut cards, mut data) = (Vec::new(), Vec::new());
        for (i, atom) in gallery.atoms.iter().enumerate() {
            let mut entry = drawing.data(atom)?;
            let mut sketch = drawing.profile(atom);
            if drawing.graphs {
                let (graph, places) = drawing.network(&drawing.atoms).sketch(i, drawing.lines())?;
                sketch = graph;
                entry.insert("p".into(), json!(packed_places(&places, SKETCH)));
            }
            let score = first(atom).map(written);
            let name = called(&atom.name);
            let mut label = name.clone();
            if let (Some(title), Some(score)) = (gallery.scores.first(), &score) {
                let _ = write!(label, ", {title} {score}");
            }
            cards.push(Card {
                name,
                label,
                score: score.unwrap_or_default(),
                part: first(atom).filter(|_| best > 0.0).map(percent),
                sketch,
                matrix: drawing.uri(&atom.values, drawing.signed)?,
                aspect: drawing.aspect(),
            });
            data.push(Value::Object(entry));
        }
        let descending = gallery.atoms.windows(2).all(|pair| first(&pair[0]) >= first(&pair[1]));
        let (rows, cols) = drawing.shape();
        let data = json!({
            "rows": rows, "cols": cols, "channels": drawing.channels(), "scores": gallery.scores,
            "graphs": drawing.graphs, "motif": drawing.motif(), "atoms": data, "size": [SKETCH.0, SKETCH.1],
            "profile": gallery.form == Form::Profile, "signed": drawing.signed,
        });
        Ok(Self {
            all: cards,
            scores: gallery.scores.clone(),
            descending: descending && !gallery.scores.is_empty(),
            graphs: drawing.graphs,
            key: drawing.key(),
            nodes: gallery.atoms.iter().any(|a| a.examples.iter().any(|e| !e.nodes.is_empty())),
            // Nothing inside may end the element that holds it.
            data: data.to_string().replace('<', "\\u003c"),
        })
    }
}

fn first(atom: &Atom) -> Option<f64> {
    atom.scores.first().copied()
}

/// A bare number says what it counts.
pub(crate) fn called(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    if bare { format!("atom {name}") } else { name.to_owned() }
}

/// A score with as many digits as one compares.
fn written(score: f64) -> String {
    match score {
        s if s.abs() < 1000.0 && s.fract() != 0.0 && s.abs() >= 1e-3 => minus(&format!("{s:.3}")),
        // To three digits, and not more.
        s if s.abs() < 1e-3 => significant(format!("{s:.2e}").parse().unwrap_or(s)),
        s => significant(s),
    }
}

/// What all atoms of a gallery share.
struct Drawing<'a> {
    gallery: &'a Gallery,
    atoms: Vec<Vec<f64>>,
    /// Whether the atoms are drawn as graphs too.
    graphs: bool,
    signed: bool,
    /// Bits of an entry, or none when there are too many entries.
    bits: Option<u8>,
}

impl<'a> Drawing<'a> {
    fn from_gallery(gallery: &'a Gallery) -> Self {
        let atoms: Vec<Vec<f64>> = gallery.atoms.iter().map(|atom| atom.values.clone()).collect();
        let signed = any_negative(&atoms);
        let network = matches!(gallery.form, Form::Network { .. });
        let graphs = network && atoms.iter().flatten().all(|v| v.is_finite() && *v >= 0.0);
        let letters = atoms.iter().map(Vec::len).sum::<usize>() * 4 / 3;
        let bits = if 2 * letters <= FINE { Some(16) } else { (letters <= COARSE).then_some(8) };
        Self { gallery, atoms, graphs, signed, bits }
    }

    fn shape(&self) -> (usize, usize) {
        match &self.gallery.form {
            Form::Matrix { shape, .. } => *shape,
            Form::Network { k, .. } => (*k, *k),
            Form::Profile => (1, self.atoms.iter().map(Vec::len).max().unwrap_or(0)),
        }
    }

    fn channels(&self) -> usize {
        if let Form::Matrix { channels, .. } = self.gallery.form { channels } else { 1 }
    }

    fn motif(&self) -> Vec<usize> {
        match &self.gallery.form {
            Form::Network { motif, .. } => motif.iter().flat_map(|&(a, b)| [a, b]).collect(),
            _ => Vec::new(),
        }
    }

    fn network<'n>(&'n self, atoms: &'n [Vec<f64>]) -> AtomGraphs<'n> {
        match &self.gallery.form {
            Form::Network { k, motif } => AtomGraphs::new(atoms, *k, motif),
            _ => AtomGraphs::new(atoms, 0, &[]),
        }
    }

    fn lines(&self) -> usize {
        (LINES / self.atoms.len().max(1)).clamp(LINES_OF_CARD.0, LINES_OF_CARD.1)
    }

    fn key(&self) -> Vec<Key> {
        let ink = Key::Scale { class: "ink", low: "0", high: "largest entry of each atom" };
        let both = |class| Key::Scale { class, low: "−", high: "+ largest absolute entry of each atom" };
        match &self.gallery.form {
            Form::Network { .. } if self.graphs => vec![
                Key::Line { class: "on", words: "edges of the sampled motif" },
                Key::Line { class: "added", words: "edges that the network adds; wider is stronger" },
                ink,
            ],
            Form::Network { .. } if self.signed => vec![both("signed")],
            Form::Network { .. } => vec![ink],
            Form::Matrix { color, .. } => vec![match color {
                Color::Gray => ink,
                Color::Signed => both("signed"),
                Color::Photo if self.signed => both("photo"),
                Color::Photo => Key::Scale { class: "photo", low: "0", high: "largest entry of each atom" },
                Color::Rgb if self.signed => {
                    Key::Words("Red, green and blue: gray is 0, full is the largest entry of each atom")
                }
                Color::Rgb => {
                    Key::Words("Red, green and blue: black is 0, full is the largest entry of each atom")
                }
                Color::Labels => Key::Words(
                    "Colors are labels: full is the largest weight of each atom, white is 0 or label 0",
                ),
                Color::Vectors => {
                    Key::Words("Colors are directions: full is the longest vector of each atom, white is 0")
                }
            }],
            Form::Profile => Vec::new(),
        }
    }

    /// Width over height of the picture on a card, within what a card can hold.
    fn aspect(&self) -> String {
        let (rows, cols) = self.shape();
        format!("{:.3}", (cols as f64 / rows.max(1) as f64).clamp(0.5, 2.5))
    }

    fn profile(&self, atom: &Atom) -> String {
        if self.gallery.form == Form::Profile {
            profiles::sketch(&atom.values, self.signed)
        } else {
            String::new()
        }
    }

    /// The picture of `values` as a data URI; profiles have none.
    fn uri(&self, values: &[f64], signed: bool) -> Result<Option<String>, PictureError> {
        let (color, channels) = match &self.gallery.form {
            Form::Matrix { color, channels, .. } => (*color, *channels),
            Form::Network { .. } => (if signed { Color::Signed } else { Color::Gray }, 1),
            Form::Profile => return Ok(None),
        };
        let colors = color.colors(values, channels, signed)?;
        let file = Pixels::from_colors(&colors, self.shape().1.max(1), 1)?.png()?;
        Ok(Some(format!("data:image/png;base64,{}", base64(&file))))
    }

    /// What the script needs of an atom, but the places of its nodes.
    fn data(&self, atom: &Atom) -> Result<Map<String, Value>, PictureError> {
        let mut entry = Map::new();
        entry.insert("n".into(), json!(called(&atom.name)));
        entry.insert("s".into(), json!(atom.scores));
        if let Some(bits) = self.bits {
            insert_values(&mut entry, &atom.values, bits);
        }
        let examples = atom.examples.iter().map(|e| self.example(e)).collect::<Result<Vec<_>, _>>()?;
        if !examples.is_empty() {
            entry.insert("x".into(), json!(examples));
        }
        Ok(entry)
    }

    /// An example: for networks a graph in which places of the same node are one, else a picture.
    fn example(&self, example: &Example) -> Result<Value, PictureError> {
        let mut entry = Map::new();
        entry.insert("t".into(), json!(example.title));
        let drawable = example.values.iter().all(|v| v.is_finite() && *v >= 0.0);
        match &self.gallery.form {
            Form::Network { k, motif } if drawable && example.nodes.len() == *k => {
                let merged = Merged::from_example(example, motif);
                let atoms = [all_seen(&merged.values)];
                let k = merged.names.len();
                let (_, places) = AtomGraphs::new(&atoms, k, &merged.motif).sketch(0, 0)?;
                entry.insert("n".into(), json!(merged.names));
                entry.insert("p".into(), json!(packed_places(&places, SKETCH)));
                let flat: Vec<usize> = merged.motif.iter().flat_map(|&(a, b)| [a, b]).collect();
                entry.insert("e".into(), json!(flat));
                // How strongly edges are drawn, and the weights they have.
                insert_values(&mut entry, &atoms[0], 8);
                entry.insert("w".into(), json!(weights(&merged.values, k)));
            }
            Form::Profile => insert_values(&mut entry, &example.values, 8),
            _ => {
                let (rows, cols) = self.shape();
                crate::error::check(0, example.values.len(), (rows, cols), self.channels())?;
                let signed = example.values.iter().any(|v| *v < 0.0);
                entry.insert("i".into(), json!(self.uri(&example.values, signed)?));
            }
        }
        Ok(Value::Object(entry))
    }
}

fn insert_values(entry: &mut Map<String, Value>, values: &[f64], bits: u8) {
    let packed = packed(values, bits);
    entry.insert("b".into(), json!(packed.bits));
    entry.insert("m".into(), json!(packed.scale));
    entry.insert("v".into(), json!(packed.text));
}

/// Weights of edges that are there: of an atom weak edges may be left out, of the network none, however light next to others.
fn all_seen(values: &[f64]) -> Vec<f64> {
    let largest = values.iter().copied().fold(0.0, f64::max);
    values.iter().map(|&v| if v > 0.0 { FAINTEST + (1.0 - FAINTEST) * v / largest } else { 0.0 }).collect()
}

/// The weights of all pairs that have an edge, (0, 1), (0, 2), (1, 2), (0, 3), … in this order, to nine digits, of which the
/// script shows no more; the larger of both directions, as it is drawn. Where all are the same, one is kept.
fn weights(values: &[f64], k: usize) -> Vec<Value> {
    let pairs = (0..k).flat_map(|b| (0..b).map(move |a| (a, b)));
    let weights = pairs.map(|(a, b)| values[a * k + b].max(values[b * k + a])).filter(|&w| w > 0.0);
    let mut weights: Vec<f64> = weights.collect();
    if weights.windows(2).all(|pair| pair[0] == pair[1]) {
        weights.truncate(1);
    }
    let short = |w: f64| {
        let rounded: f64 = format!("{w:.8e}").parse().unwrap_or(w);
        // Whole numbers without `.0`.
        if rounded.fract() == 0.0 && rounded < 1e15 { json!(rounded as u64) } else { json!(rounded) }
    };
    weights.into_iter().map(short).collect()
}

/// A piece of a network with each node once.
struct Merged {
    names: Vec<String>,
    values: Vec<f64>,
    motif: Vec<(usize, usize)>,
}

impl Merged {
    fn from_example(example: &Example, motif: &[(usize, usize)]) -> Self {
        let mut names: Vec<String> = Vec::new();
        let place = |name: &String| {
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            })
        };
        let places: Vec<usize> = example.nodes.iter().map(place).collect();
        let (k, merged) = (places.len(), names.len());
        let mut values = vec![0.0; merged * merged];
        for (entry, &value) in example.values.iter().enumerate().take(k * k) {
            let at = &mut values[places[entry / k] * merged + places[entry % k]];
            *at = f64::max(*at, value);
        }
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for &(a, b) in motif.iter().filter(|(a, b)| (*a).max(*b) < k) {
            let (a, b) = (places[a].min(places[b]), places[a].max(places[b]));
            if a != b && !edges.contains(&(a, b)) {
                edges.push((a, b));
            }
        }
        Self { names, values, motif: edges }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_edges_of_examples_are_drawn() {
        assert_eq!(all_seen(&[0.0, 1e-6, 100.0]), [0.0, 0.25 + 0.75e-8, 1.0]);
        assert_eq!((all_seen(&[1.0, 0.0]), all_seen(&[0.0])), (vec![1.0, 0.0], vec![0.0]));
    }

    #[test]
    fn weights_of_examples_are_shown_as_they_are() {
        let values = [0.0, 31.0, 0.0, 5.0, 0.0, 1.0 / 3.0, 0.0, 0.25, 0.0];
        assert_eq!(json!(weights(&values, 3)).to_string(), "[31,0.333333333]");
        let equal = [0.0, 2.5, 2.5, 2.5, 0.0, 2.5, 2.5, 2.5, 0.0];
        assert_eq!(json!(weights(&equal, 3)).to_string(), "[2.5]");
        assert!(weights(&[0.0; 4], 2).is_empty() && weights(&[1.0], 1).is_empty());
    }

    #[test]
    fn places_of_one_node_are_one() {
        let example = Example {
            title: String::new(),
            nodes: ["a", "b", "a", "c"].map(str::to_owned).to_vec(),
            values: vec![0.0, 1.0, 0.0, 2.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 2.0, 2.0, 0.0, 2.0, 0.0],
        };
        let merged = Merged::from_example(&example, &[(0, 1), (1, 2), (2, 3)]);
        assert_eq!(merged.names, ["a", "b", "c"]);
        assert_eq!(merged.values, [0.0, 1.0, 2.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        assert_eq!(merged.motif, [(0, 1), (0, 2)]);
    }

    #[test]
    fn scores_are_short() {
        let texts: Vec<String> =
            [0.123_456, 12.0, -0.5, 1.0841e-5, 12_345.678, 0.0].iter().map(|&s| written(s)).collect();
        assert_eq!(texts, ["0.123", "12", "−0.500", "1.08×10⁻⁵", "12\u{202f}346", "0"]);
        assert_eq!((called("7"), called("x 7")), ("atom 7".into(), "x 7".into()));
    }
}
