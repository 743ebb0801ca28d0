//! The report of a dictionary learned from images, with the images reconstructed by it.

use crate::interrupt;
use crate::page;
use crate::progress::Progress;
use anyhow::Result;
use ergodict::data::Image;
use ergodict::linalg::Scalar;
use ergodict::model::Model;
use ergodict::reconstruct::{Overlap, with_lambda};
use ergodict_pages::image::{Outcome, pictures};
use ergodict_pages::text::short;
use ergodict_report::Report;
use std::time::Duration;

/// Most images that are reconstructed for a report.
const MOST_IMAGES: usize = 4;

/// Most patches coded for a report, over all its images.
const MOST_PATCHES: usize = 60_000;

/// The page of a dictionary, with the images it was learned from reconstructed by it.
///
/// None when interrupted meanwhile.
pub(super) fn of_learning<T: Scalar>(
    model: &Model,
    images: &[Image],
    time: Duration,
    quiet: bool,
) -> Result<Option<Report>> {
    let names: Vec<&str> = model.inputs.iter().map(|input| &*input.name).take(images.len()).collect();
    let mut figures = Vec::new();
    let factorizer = with_lambda(&model.factorizer::<T>()?, 0.0)?;
    let time = ("time", format!("{:.1} s", time.as_secs_f64()));
    let Some(patch) = model.patch else { return Ok(Some(page::of_model(model, &[time])?)) };
    let first = (patch.window.rows.min(patch.window.cols) / 4).max(1);
    let most = MOST_PATCHES / images.len().clamp(1, MOST_IMAGES);
    for (image, name) in images.iter().zip(names).take(MOST_IMAGES) {
        let mut factorizer = with_lambda(&factorizer, 0.0)?;
        let overlap = Overlap::spread(patch.window, image.shape(), first, most)?;
        let stride = overlap.stride;
        let mut progress: Option<Progress> = None;
        let reconstruction = overlap.reconstruct(&mut factorizer, image, &mut |done, all| {
            let progress =
                progress.get_or_insert_with(|| Progress::with_unit("patches", quiet, Some(all), 0));
            progress.update(done, || format!("reconstructing {name} for the report"));
            !interrupt::asked()
        });
        if let Some(progress) = &progress {
            progress.finish();
        }
        let Some(reconstruction) = reconstruction? else { return Ok(None) };
        let done = Outcome { image, reconstruction: &reconstruction, reference: None, stride, noise: None };
        figures.push(pictures(format!("Reconstruction of {}", short(name)), &done, patch, 0.0)?);
    }
    page::with(model, &[time], |report| Ok(figures.into_iter().fold(report, Report::figure))).map(Some)
}
