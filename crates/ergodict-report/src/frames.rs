//! A lattice or picture over time: frames that the page plays, and shows in a row where nothing moves.

use crate::error::PictureError;
use crate::picture::{Picture, Pictures};
use crate::pixels::base64;

/// Pictures of the same thing at different times.
///
/// ```
/// use ergodict_report::{Frames, Picture, Report, Shade};
///
/// let (before, after) = ([1.0, -1.0], [1.0, 1.0]);
/// let shade = Shade::Ink { low: -1.0, high: 1.0 };
/// let frames = Frames {
///     title: "The lattice".into(),
///     words: String::new(),
///     items: vec![
///         (Picture::new(&before, (1, 2), shade), "step 0".into()),
///         (Picture::new(&after, (1, 2), shade), "step 1".into()),
///     ],
/// };
/// assert!(Report::new("Spins").frames(&frames)?.render().contains("step 1"));
/// # Ok::<(), ergodict_report::PictureError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frames<'a> {
    /// Heading above the frames.
    pub title: String,
    /// What they show and how to read them. Blank lines part paragraphs.
    pub words: String,
    /// The frames in the order of time, each with what to call it, such as its step.
    pub items: Vec<(Picture<'a>, String)>,
}

/// A frame as the page shows it.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) label: String,
    /// The picture as a data URI.
    pub(crate) uri: String,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Frames<'_> {
    /// The frames side by side, for an `.svg` file.
    pub(crate) fn svg(&self) -> Result<String, PictureError> {
        Pictures::new(self.items.clone()).svg()
    }

    /// The frames for the page.
    pub(crate) fn images(&self) -> Result<Vec<Image>, PictureError> {
        let image = |(picture, label): &(Picture<'_>, String)| {
            let uri = format!("data:image/png;base64,{}", base64(&picture.png(1)?));
            let (height, width) = picture.shape;
            Ok(Image { label: label.clone(), uri, width, height })
        };
        self.items.iter().map(image).collect()
    }
}
