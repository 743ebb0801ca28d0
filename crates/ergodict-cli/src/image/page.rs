//! The reports of dictionaries learned from images, and of rebuilt images.

use super::reconstruct::Distance;
use crate::interrupt;
use crate::maps::off;
use crate::page::{self, facts, gallery};
use crate::progress::Progress;
use anyhow::Result;
use ergodict::data::Image;
use ergodict::linalg::Scalar;
use ergodict::model::Model;
use ergodict::patch::PatchKind;
use ergodict::reconstruct::{Overlap, Reconstruction, with_lambda};
use ergodict_report::{Figure, Picture, Pictures, Reduction, Report, Shade};
use std::time::Duration;

/// Most images that are rebuilt for a report.
const MOST_IMAGES: usize = 4;

/// Most patches coded for a report, over all its images.
const MOST_PATCHES: usize = 60_000;

/// Most pixels along a side of a picture.
const LONGEST_SIDE: usize = 480;

/// An error of this size, where white is 1, gets the full color.
const FULL_ERROR: f64 = 0.25;

/// The noise an image was freed of.
#[derive(Clone, Copy)]
pub(super) struct Freed {
    /// Its standard deviation.
    pub(super) sigma: f64,
    /// Whether that was estimated.
    pub(super) estimated: bool,
}

impl Freed {
    /// Where the standard deviation is from.
    pub(super) fn how(self) -> &'static str {
        if self.estimated { "estimated" } else { "given" }
    }
}

/// An image and what became of it.
#[derive(Clone, Copy)]
pub(super) struct Outcome<'a> {
    pub(super) image: &'a Image,
    pub(super) rebuilt: &'a Reconstruction,
    /// The image without noise.
    pub(super) reference: Option<&'a Image>,
    pub(super) stride: usize,
    /// The noise, if it was to be taken away.
    pub(super) freed: Option<Freed>,
}

/// The page of a dictionary, with the images it was learned from rebuilt by it.
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
    let Some(patch) = model.patch else { return page::of_model(model, &[time]).map(Some) };
    let first = (patch.window.rows.min(patch.window.cols) / 4).max(1);
    let most = MOST_PATCHES / images.len().clamp(1, MOST_IMAGES);
    for (image, name) in images.iter().zip(names).take(MOST_IMAGES) {
        let mut factorizer = with_lambda(&factorizer, 0.0)?;
        let overlap = Overlap::spread(patch.window, image.shape(), first, most)?;
        let stride = overlap.stride;
        let mut progress: Option<Progress> = None;
        let rebuilt = overlap.reconstruct(&mut factorizer, image, &mut |done, all| {
            let progress =
                progress.get_or_insert_with(|| Progress::with_unit("patches", quiet, Some(all), 0));
            progress.update(done, || format!("rebuilding {name} for the report"));
            !interrupt::asked()
        });
        if let Some(progress) = &progress {
            progress.finish();
        }
        let Some(rebuilt) = rebuilt? else { return Ok(None) };
        let done = Outcome { image, rebuilt: &rebuilt, reference: None, stride, freed: None };
        figures.push(pictures(format!("{} rebuilt", page::short(name)), &done, patch, 0.0)?);
    }
    page::with(model, &[time], |report| Ok(figures.into_iter().fold(report, Report::figure))).map(Some)
}

/// The page of an image rebuilt, or freed of noise.
pub(super) fn of_reconstruction(
    model: &Model,
    patch: PatchKind,
    done: &Outcome<'_>,
    lambda: f64,
    command: &str,
) -> Result<Report> {
    let ((rows, cols), atoms_used) = (done.image.shape(), model.w.cols());
    let given = done.image.to_f64();
    let mut distance = Distance::between(&done.rebuilt.values, &given).words();
    if let Some(reference) = done.reference {
        let clean = reference.to_f64();
        let before = Distance::between(&given, &clean);
        let after = Distance::between(&done.rebuilt.values, &clean);
        let against = format!(
            "Against the reference, PSNR {:.2} dB before → {:.2} dB after, relative error {:.4} → {:.4}",
            before.psnr, after.psnr, before.relative_error, after.relative_error
        );
        distance = match done.freed {
            Some(_) => format!("{against}. From the noisy image it is {distance}"),
            None => format!("From the image, {distance}. {against}"),
        };
    } else if done.freed.is_some() {
        distance = format!(
            "{distance}, which is the distance from the noisy image and no measure of success: for that, give the image \
             without noise by --reference"
        );
    }
    let (title, what) = match done.freed {
        Some(freed) => (
            "An image freed of noise",
            format!(
                "Noise of σ = {:.4} ({}; white is 1) taken from an image of {cols}×{rows} pixels by {atoms_used} atoms, with \
                 λ = {lambda:.4}",
                freed.sigma,
                freed.how()
            ),
        ),
        None => (
            "An image rebuilt from atoms",
            format!("An image of {cols}×{rows} pixels rebuilt from {atoms_used} atoms, with λ = {lambda:.4}"),
        ),
    };
    Ok(Report::new(title)
        .lead(format!("{what}. {distance}."))
        .figure(pictures("The image".into(), done, patch, lambda)?)
        .gallery(&gallery(model))?
        .facts(&rebuilding(model, done.stride, lambda))
        .code("Run it again", command))
}

/// What was run: the flags of this run, then those that the atoms were learned with.
fn rebuilding(model: &Model, stride: usize, lambda: f64) -> Vec<(&'static str, String)> {
    let own = [("stride", stride.to_string()), ("λ of rebuilding", format!("{lambda:.4}"))];
    own.into_iter().chain(facts(model)).collect()
}

fn pictures(title: String, done: &Outcome<'_>, patch: PatchKind, lambda: f64) -> Result<Figure> {
    let channels = patch.channels;
    let shade = if channels == 3 { Shade::Rgb } else { Shade::Photo { low: 0.0, high: 1.0 } };
    let (given, rebuilt) = (done.image.to_f64(), &done.rebuilt.values);
    let clean = done.reference.map(Image::to_f64);
    let truth = clean.as_deref().unwrap_or(&given);
    let decibels = Distance::between(rebuilt, truth).psnr;
    let smaller = Reduction::new(done.image.shape(), LONGEST_SIDE);
    let error = smaller.apply(&off(rebuilt, truth, channels), 1);
    let given = smaller.apply(&given, channels);
    let rebuilt = smaller.apply(rebuilt, channels);
    let clean = clean.map(|clean| smaller.apply(&clean, channels));
    let picture = |values| Picture { values, shape: smaller.shape, channels, shade };
    let (before, after) = match done.freed {
        Some(_) => ("the noisy image", "freed of noise"),
        None => ("the image", "rebuilt"),
    };
    let whence = match (&clean, done.freed) {
        (Some(_), _) => " from the reference",
        (None, Some(_)) => " from the noisy image",
        (None, None) => "",
    };
    let mut items = vec![
        (picture(&given), before.to_owned()),
        (picture(&rebuilt), format!("{after}: PSNR {decibels:.2} dB{whence}")),
    ];
    if let Some(clean) = &clean {
        items.push((picture(clean), "the reference".to_owned()));
    }
    let name = match (&clean, done.freed) {
        (Some(_), _) => "error against the reference",
        (None, Some(_)) => "what was taken away",
        (None, None) => "error",
    };
    items.push((Picture::new(&error, smaller.shape, Shade::Heat { full: FULL_ERROR }), name.to_owned()));
    let columns = Some(if items.len() == 4 { 2 } else { 3 });
    let svg = Pictures { items, columns }.svg()?;
    Ok(Figure { title, svg, words: words(done, lambda, smaller.block) })
}

/// What the pictures show and how they were made.
fn words(done: &Outcome<'_>, lambda: f64, block: usize) -> String {
    let how = match (done.freed, lambda > 0.0) {
        (Some(Freed { sigma, .. }), true) => format!(
            "λ chooses the atoms of each patch, and their coefficients are then fitted without it. λ is such that what the \
             atoms leave out is as large as the noise, σ = {sigma:.4}."
        ),
        (Some(Freed { sigma, .. }), false) if sigma > 0.0 => format!(
            "Even without a penalty the atoms leave out more than the noise, σ = {sigma:.4}: λ is 0, and detail is lost with \
             the noise. More atoms, smaller ones or such of both signs would keep it."
        ),
        (Some(_), _) => "There is no noise to take away: λ is 0.".to_owned(),
        (None, true) => format!("Each patch is rebuilt from few atoms, as λ = {lambda:.4} asks for."),
        (None, false) => "Each patch is rebuilt from the atoms as closely as it goes.".to_owned(),
    };
    let map = match (done.freed, done.reference) {
        (None, _) => "What the error map shows dark is what the dictionary has no atoms for.",
        (Some(_), None) => "Outlines in what was taken away are detail that was lost with the noise.",
        (Some(_), Some(_)) => "What the error map shows dark is detail that was lost, or noise that is left.",
    };
    let stride = match done.stride {
        1 => "Patches begin at every pixel (stride 1).".to_owned(),
        stride => format!(
            "Patches begin {stride} pixels apart (stride {stride}). `ergodict image reconstruct --stride 1` takes the mean over \
             more of them, so its PSNR may differ slightly."
        ),
    };
    let size = match block {
        1 => String::new(),
        _ => format!(
            " The pictures are made smaller, each dot the mean of {block}×{block} pixels; the PSNR is that of the full size."
        ),
    };
    format!("{how} Where patches overlap the mean is taken. {map}\n\n{stride}{size}")
}
