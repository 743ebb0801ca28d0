//! The atoms of a dictionary as cards that one can sort, filter and enlarge, with the data that uses each most.

use crate::atoms::AtomGrid;
use crate::cards::called;
use crate::error::PictureError;
use crate::graphs::AtomGraphs;
use crate::html::Figure;
use crate::profiles::AtomProfile;
use crate::shade::Color;

/// How the entries of atoms are laid out.
///
/// ```
/// use ergodict_report::{Color, gallery::Form};
/// let image = Form::Matrix { shape: (8, 8), channels: 3, color: Color::Rgb };
/// let chain = Form::Network { k: 3, motif: vec![(0, 1), (1, 2)] };
/// assert_ne!(image, chain);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A picture of these numbers of rows and columns, as in [`AtomGrid`].
    Matrix {
        /// Rows and columns.
        shape: (usize, usize),
        /// Entries of one place.
        channels: usize,
        /// How entries become colors.
        color: Color,
    },
    /// The k × k matrix of a network's patch, drawn as a matrix and, where no entry is negative, as a graph.
    Network {
        /// Nodes of the motif.
        k: usize,
        /// Edges of the motif, by nodes counted from 0.
        motif: Vec<(usize, usize)>,
    },
    /// Entry by entry.
    Profile,
}

/// One atom.
///
/// ```
/// use ergodict_report::gallery::Atom;
/// let atom = Atom { name: "7".into(), values: vec![0.0, 1.0, 1.0, 0.0], scores: vec![0.4], ..Atom::default() };
/// assert!(atom.examples.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Atom {
    /// What it is called, for instance the number of its column.
    pub name: String,
    /// Its entries, row by row.
    pub values: Vec<f64>,
    /// Its scores, in the order of [`Gallery::scores`].
    pub scores: Vec<f64>,
    /// The data that uses it most, the most first; often empty.
    pub examples: Vec<Example>,
}

/// A piece of the data that uses an atom.
///
/// ```
/// use ergodict_report::gallery::Example;
/// let nodes = vec!["Ulm".into(), "Bonn".into()];
/// let example = Example { title: "80 % of its patch".into(), nodes, values: vec![0.0, 1.0, 1.0, 0.0] };
/// assert_eq!(example.values.len(), example.nodes.len().pow(2));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Example {
    /// What it is, in a few words: how much of it the atom makes.
    pub title: String,
    /// Names of its nodes, in the order of the motif, for patches of networks.
    pub nodes: Vec<String>,
    /// Its entries, as those of the atom.
    pub values: Vec<f64>,
}

/// Atoms to sort, filter and enlarge.
///
/// ```
/// use ergodict_report::{Gallery, Report, gallery::{Atom, Form}};
/// let atom = |name: &str, score| Atom { name: name.into(), values: vec![0.5; 4], scores: vec![score], ..Atom::default() };
/// let gallery = Gallery {
///     title: "Atoms".into(),
///     words: "The most used first.".into(),
///     form: Form::Network { k: 2, motif: vec![(0, 1)] },
///     scores: vec!["dominance".into()],
///     atoms: vec![atom("1", 0.7), atom("2", 0.3)],
/// };
/// let page = Report::new("Karate").gallery(&gallery)?.render();
/// assert!(page.contains("The most used first."));
/// # Ok::<(), ergodict_report::PictureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Gallery {
    /// Heading above the cards.
    pub title: String,
    /// What the cards show and how to read them. Blank lines part paragraphs.
    pub words: String,
    /// How the entries are laid out.
    pub form: Form,
    /// Names of the scores one can sort and filter by; the first is shown on the cards.
    pub scores: Vec<String>,
    /// The atoms, in the order in which they are shown at first.
    pub atoms: Vec<Atom>,
}

impl Gallery {
    /// The same as plain figures, for `.svg` files.
    pub(crate) fn figures(&self) -> Result<Vec<Figure>, PictureError> {
        let atoms: Vec<Vec<f64>> = self.atoms.iter().map(|atom| atom.values.clone()).collect();
        let named = matches!(self.form, Form::Network { .. });
        let first = |atom: &Atom| {
            let score = atom.scores.first().map_or(String::new(), |score| format!("{score:.3}"));
            match atom.name.split_once(": ") {
                _ if !named => score,
                Some((number, shape)) => format!("atom {number}, {score}: {shape}"),
                None => format!("{}, {score}", called(&atom.name)),
            }
        };
        let labels: Vec<String> = self.atoms.iter().map(first).collect();
        let figure = |title: &str, svg| Figure { title: title.into(), svg, words: String::new() };
        Ok(match &self.form {
            Form::Matrix { shape, channels, color } => {
                let plain = AtomGrid::new(&atoms, *shape);
                let grid = AtomGrid { labels: Some(labels), channels: *channels, color: *color, ..plain };
                vec![figure(&self.title, grid.svg()?)]
            }
            Form::Network { k, motif } => {
                let mut all = Vec::new();
                if atoms.iter().flatten().all(|entry| *entry >= 0.0) {
                    let svg = AtomGraphs::new(&atoms, *k, motif).labels(labels.clone()).svg()?;
                    all.push(figure(&format!("{} as graphs", self.title), svg));
                }
                let grid = AtomGrid { labels: Some(labels), ..AtomGrid::new(&atoms, (*k, *k)) };
                all.push(figure(&format!("{} as matrices", self.title), grid.svg()?));
                all
            }
            Form::Profile => {
                let profile = AtomProfile { labels: Some(labels), ..AtomProfile::new(&atoms) };
                vec![figure(&self.title, profile.svg()?)]
            }
        })
    }
}
