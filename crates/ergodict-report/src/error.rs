//! Why a picture could not be drawn.

/// Why a picture, an atom or a frame could not be drawn; places and pictures are counted from 0.
///
/// ```
/// use ergodict_report::{AtomGrid, PictureError};
/// let error = AtomGrid::new(&[vec![1.0; 3]], (2, 2)).svg().unwrap_err();
/// assert!(matches!(error, PictureError::Shape { entries: 3, .. }));
/// assert!(error.to_string().contains("has 3 entries"), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// There is no picture, or one without entries.
    #[error("there is nothing to draw: {pictures} pictures of {rows} × {cols}")]
    Empty {
        /// Number of pictures, atoms or frames.
        pictures: usize,
        /// Rows of the shape.
        rows: usize,
        /// Columns of the shape.
        cols: usize,
    },
    /// A picture does not have the number of entries its shape needs.
    #[error("picture {picture} has {entries} entries, but a shape of {}", needs(*rows, *cols, *channels))]
    Shape {
        /// Position of the picture, atom or frame.
        picture: usize,
        /// Entries it has.
        entries: usize,
        /// Rows of the shape.
        rows: usize,
        /// Columns of the shape.
        cols: usize,
        /// Entries of one place.
        channels: usize,
    },
    /// The colors asked for need another number of channels.
    #[error("{channels} channels cannot be drawn this way: {needed}")]
    Channels {
        /// Channels there are.
        channels: usize,
        /// What the colors need.
        needed: &'static str,
    },
    /// An entry is none of the labels a palette has colors for.
    #[error("entry {entry} is {value}, but it must be {needed}")]
    Label {
        /// Place of the entry.
        entry: usize,
        /// The entry.
        value: f64,
        /// What it must be.
        needed: &'static str,
    },
    /// An entry of a picture cannot be drawn.
    #[error("entry {entry} of picture {picture} is {value}, but it must be {needed}")]
    Entry {
        /// Position of the picture or atom.
        picture: usize,
        /// Place of the entry.
        entry: usize,
        /// The entry.
        value: f64,
        /// What it must be.
        needed: &'static str,
    },
    /// An edge ends at a node there is not.
    #[error("an edge ends at node {node}, but there are {nodes} nodes, counted from 0")]
    Node {
        /// The node.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// The merges do not make one tree of all leaves.
    #[error("the tree cannot be drawn: {problem}")]
    Tree {
        /// What is wrong, and with which merge.
        problem: String,
    },
    /// The ends of the scale are not finite or in the wrong order.
    #[error("a scale from {low} to {high} cannot be drawn: the ends must be finite and in ascending order")]
    Scale {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// The picture would be larger than 2²⁶ pixels, or than its format allows.
    #[error("a picture of {width} × {height} pixels is too large; use smaller cells or fewer places")]
    TooLarge {
        /// Width in pixels.
        width: usize,
        /// Height in pixels.
        height: usize,
    },
}

/// A shape in words, with the number of entries it needs.
fn needs(rows: usize, cols: usize, channels: usize) -> String {
    let entries = rows.saturating_mul(cols).saturating_mul(channels);
    match channels {
        1 => format!("{rows} × {cols} needs {entries}"),
        _ => format!("{rows} × {cols} × {channels} needs {entries}"),
    }
}

/// Whether `entries` fill `shape` with `channels` for each place; `picture` names the offender.
pub(crate) fn check(
    picture: usize,
    entries: usize,
    shape: (usize, usize),
    channels: usize,
) -> Result<(), PictureError> {
    let (rows, cols) = shape;
    if rows == 0 || cols == 0 || channels == 0 {
        return Err(PictureError::Empty { pictures: 1, rows, cols });
    }
    let needed = rows.checked_mul(cols).and_then(|n| n.checked_mul(channels));
    if Some(entries) == needed {
        Ok(())
    } else {
        Err(PictureError::Shape { picture, entries, rows, cols, channels })
    }
}
