//! The report of a reconstructed spin configuration.

use crate::maps::{encoded_shade, error_shade, off, shown};
use crate::model::{facts, gallery};
use ergodict::data::Frame;
use ergodict::model::Model;
use ergodict::patch::Encoding;
use ergodict::reconstruct::relative_error;
use ergodict_report::words::number;
use ergodict_report::{Figure, Picture, PictureError, Pictures, Report};

const WORDS: &str = "
    Overlapping patches are averaged. In the error map, darker sites have larger errors. Errors along borders of clusters are usual; whole regions with errors have
    patterns without matching atoms.";

/// A configuration and its reconstruction.
#[derive(Clone, Copy)]
pub struct Outcome<'a> {
    /// The spins, row by row.
    pub spins: &'a Frame<'a>,
    /// Rows and columns.
    pub shape: (usize, usize),
    /// The number that encodes a spin.
    pub encoding: &'a Encoding,
    /// The reconstruction, the channels of a site together.
    pub reconstruction: &'a [f64],
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
    let &Outcome { spins, shape, encoding, reconstruction } = done;
    let truth = encoding.numbers(spins);
    let (error, right) = (relative_error(reconstruction, &truth), encoding.agreement(reconstruction, spins));
    let map = off(reconstruction, &truth, encoding.channels());
    let (given, again) = (shown(&truth, encoding), shown(reconstruction, encoding));
    let shade = encoded_shade(encoding, &given);
    let heat = error_shade(encoding, &truth);
    let items = vec![
        (Picture::new(&given, shape, shade), "configuration".to_owned()),
        (Picture::new(&again, shape, shade), "reconstruction".to_owned()),
        (Picture::new(&map, shape, heat), "error".to_owned()),
    ];
    let svg = Pictures { items, columns: Some(3) }.svg()?;
    let lead = format!(
        "A configuration of {}×{} sites reconstructed from {} atoms: relative error {}{}.",
        shape.0,
        shape.1,
        model.w.cols(),
        number(error),
        // Of real numbers none is right or wrong.
        if right.is_nan() { String::new() } else { format!(", {:.1} % of the sites correct", 100.0 * right) },
    );
    let run: Vec<(&str, String)> = more.iter().cloned().chain(facts(model)).collect();
    let mut numbers = vec![(number(error), "relative error".to_owned())];
    if !right.is_nan() {
        numbers.insert(0, (format!("{:.1} %", 100.0 * right), "of sites correct".to_owned()));
    }
    numbers.push((model.w.cols().to_string(), "atoms".to_owned()));
    let report = Report::new("Reconstruction of a configuration")
        .lead(lead)
        .numbers(numbers)
        .figure(Figure { title: "Reconstruction and error".into(), svg, words: WORDS.into() })
        .gallery(&gallery(model))?
        .facts(&run)
        .code("Reproduce", command);
    Ok(report)
}
