//! The page of a spin configuration that was rebuilt from atoms.

use crate::maps::{encoded_shade, error_shade, off, shown};
use crate::model::{facts, gallery};
use ergodict::data::Frame;
use ergodict::model::Model;
use ergodict::patch::Encoding;
use ergodict::reconstruct::relative_error;
use ergodict_report::{Figure, Picture, PictureError, Pictures, Report};

const WORDS: &str = "
    Patches are rebuilt from the atoms and averaged where they overlap. In the map of errors a site is the darker the more it is off. Errors along the
    borders of clusters are usual; whole regions that are off have patterns that the atoms do not know.";

/// A configuration and what became of it.
#[derive(Clone, Copy)]
pub struct Outcome<'a> {
    /// The spins, row by row.
    pub spins: &'a Frame<'a>,
    /// Rows and columns.
    pub shape: (usize, usize),
    /// What number stands for a spin.
    pub encoding: &'a Encoding,
    /// What was rebuilt, the channels of a site together.
    pub rebuilt: &'a [f64],
}

/// The page; `more` are facts of the run, and `command` makes it again.
///
/// # Errors
/// Configurations or atoms that cannot be drawn.
pub fn of_reconstruction(
    model: &Model,
    done: &Outcome<'_>,
    more: &[(&'static str, String)],
    command: &str,
) -> Result<Report, PictureError> {
    let &Outcome { spins, shape, encoding, rebuilt } = done;
    let truth = encoding.numbers(spins);
    let (error, right) = (relative_error(rebuilt, &truth), encoding.agreement(rebuilt, spins));
    let map = off(rebuilt, &truth, encoding.channels());
    let (given, again) = (shown(&truth, encoding), shown(rebuilt, encoding));
    let shade = encoded_shade(encoding, &given);
    let heat = error_shade(encoding, &truth);
    let items = vec![
        (Picture::new(&given, shape, shade), "the configuration".to_owned()),
        (Picture::new(&again, shape, shade), "rebuilt".to_owned()),
        (Picture::new(&map, shape, heat), "where it is off".to_owned()),
    ];
    let svg = Pictures { items, columns: Some(3) }.svg()?;
    let lead = format!(
        "A configuration of {}×{} sites rebuilt from {} atoms: relative error {error:.4}{}.",
        shape.0,
        shape.1,
        model.w.cols(),
        // Of real numbers none is right or wrong.
        if right.is_nan() { String::new() } else { format!(", {:.2} % of the sites right", 100.0 * right) },
    );
    let run: Vec<(&str, String)> = more.iter().cloned().chain(facts(model)).collect();
    let report = Report::new("A configuration rebuilt from atoms")
        .lead(lead)
        .figure(Figure { title: "The configuration".into(), svg, words: WORDS.into() })
        .gallery(&gallery(model))?
        .facts(&run)
        .code("Run it again", command);
    Ok(report)
}
