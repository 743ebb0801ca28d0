//! The reports of a reconstructed image, and of a denoised one.

use crate::maps::off;
use crate::model::{facts, gallery};
use ergodict::data::Image;
use ergodict::model::Model;
use ergodict::patch::PatchKind;
use ergodict::reconstruct::{Denoised, Reconstruction, psnr, relative_error};
use ergodict_report::words::number;
use ergodict_report::{Figure, Picture, PictureError, Pictures, Reduction, Report, Shade};
use serde::Serialize;

/// Most pixels along a side of a picture.
const LONGEST_SIDE: usize = 480;

/// An error of this size, where white is 1, gets the full color.
const FULL_ERROR: f64 = 0.25;

/// The noise that was removed from an image.
#[derive(Clone, Copy)]
pub struct NoiseLevel {
    /// Its standard deviation.
    pub sigma: f64,
    /// Whether that was estimated.
    pub estimated: bool,
}

impl NoiseLevel {
    /// Where the standard deviation is from.
    pub fn how(self) -> &'static str {
        if self.estimated { "estimated" } else { "given" }
    }
}

/// An image and its reconstruction.
#[derive(Clone, Copy)]
pub struct Outcome<'a> {
    /// The image.
    pub image: &'a Image,
    /// Its reconstruction.
    pub reconstruction: &'a Reconstruction,
    /// The image without noise.
    pub reference: Option<&'a Image>,
    /// Pixels between neighboring patches.
    pub stride: usize,
    /// The noise to remove, if any.
    pub noise: Option<NoiseLevel>,
}

/// The difference of two images.
#[derive(Serialize)]
pub struct Distance {
    /// 10 log₁₀(1 / mean (X̂ − X)²) from the image, before clipping and rounding; `null` where they are the same (it is infinite then)
    pub psnr: f64,
    /// ‖X̂ − X‖ / ‖X‖ from the image, before clipping and rounding
    pub relative_error: f64,
}

impl Distance {
    /// Of pixels from others.
    pub fn between(a: &[f64], b: &[f64]) -> Self {
        Self { psnr: psnr(a, b, 1.0), relative_error: relative_error(a, b) }
    }

    /// In words.
    pub fn words(&self) -> String {
        format!("PSNR {:.2} dB, relative error {}", self.psnr, number(self.relative_error))
    }
}

/// The report of a reconstructed image; `command` makes it again.
///
/// # Errors
/// Images or atoms that cannot be drawn.
pub fn of_reconstruction(
    model: &Model,
    patch: PatchKind,
    done: &Outcome<'_>,
    lambda: f64,
    command: &str,
) -> Result<Report, PictureError> {
    let ((rows, cols), atoms_used) = (done.image.shape(), model.w.cols());
    let mut distance = Distance::between(&done.reconstruction.values, &done.image.to_f64()).words();
    if let Some(against) = against_reference(done) {
        distance = format!("{distance}. {against}");
    }
    let what = format!(
        "An image of {cols}×{rows} pixels reconstructed from {atoms_used} atoms, with λ = {}",
        number(lambda)
    );
    let report = Report::new("Reconstruction of an image")
        .lead(format!("{what}. {distance}."))
        .numbers(numbers(done, atoms_used))
        .figure(pictures("Reconstruction and error".into(), done, patch, lambda)?)
        .gallery(&gallery(model))?
        .facts(&run_details(model, done.stride, lambda))
        .code("Reproduce", command);
    Ok(report)
}

/// The page of an image that was denoised, by atoms `learned` from it or given; `command` makes it again.
///
/// # Errors
/// Images or atoms that cannot be drawn.
pub fn of_denoising(
    result: &Denoised,
    done: &Outcome<'_>,
    learned: bool,
    command: &str,
) -> Result<Report, PictureError> {
    let ((rows, cols), model) = (done.image.shape(), &result.model);
    let how = done.noise.map_or("given", NoiseLevel::how);
    let noise =
        format!("noise of σ = {:.4} ({how}; white is 1) in an image of {cols}×{rows} pixels", result.sigma);
    let lead = match against_reference(done) {
        Some(against) => format!("{against}: {noise}."),
        None => format!("Removed {noise}."),
    };
    let source =
        if learned { "learned from patches of the noisy image itself" } else { "of the given model" };
    let lead = format!(
        "{lead} A patch uses {:.1} of {} atoms on average, {source}.",
        result.mean_atoms,
        model.w.cols()
    );
    let report = Report::new("Denoised image").lead(lead).numbers(numbers(done, model.w.cols()));
    let Some(patch) = model.patch else { return Ok(report) };
    let facts = [
        ("σ", format!("{:.4} ({how})", result.sigma)),
        ("patch", format!("{}×{}", patch.window.rows, patch.window.cols)),
        ("stride", result.stride.to_string()),
        ("atoms of a patch, mean", format!("{:.2}", result.mean_atoms)),
        ("patches left unchanged", format!("{:.1} %", 100.0 * result.kept)),
    ];
    let facts: Vec<_> =
        facts.into_iter().chain(learned.then(|| self::facts(model)).into_iter().flatten()).collect();
    Ok(report
        .figure(pictures("Before and after".into(), done, patch, 0.0)?)
        .details(None)
        .gallery(&gallery(model))?
        .facts(&facts)
        .code("Reproduce", command))
}

/// The numbers at the top: PSNR, relative error, atoms.
fn numbers(done: &Outcome<'_>, atoms: usize) -> Vec<(String, String)> {
    let given = done.image.to_f64();
    let (truth, what) = match done.reference {
        Some(reference) => (reference.to_f64(), "against the reference"),
        None => (given.clone(), "against the image"),
    };
    let after = Distance::between(&done.reconstruction.values, &truth);
    let psnr = match done.reference {
        Some(_) => format!("{:.2} → {:.2} dB", Distance::between(&given, &truth).psnr, after.psnr),
        None => format!("{:.2} dB", after.psnr),
    };
    let mut numbers = Vec::new();
    if done.reference.is_some() || done.noise.is_none() {
        numbers.push((psnr, format!("PSNR {what}")));
    }
    if let Some(noise) = done.noise {
        numbers.push((format!("σ = {:.3}", noise.sigma), format!("noise ({})", noise.how())));
    } else {
        numbers.push((number(after.relative_error), format!("relative error {what}")));
    }
    numbers.push((atoms.to_string(), "atoms".to_owned()));
    numbers
}

/// PSNR and relative error before and after, against the reference.
fn against_reference(done: &Outcome<'_>) -> Option<String> {
    let clean = done.reference?.to_f64();
    let before = Distance::between(&done.image.to_f64(), &clean);
    let after = Distance::between(&done.reconstruction.values, &clean);
    Some(format!(
        "Against the reference, PSNR {:.2} → {:.2} dB, relative error {} → {}",
        before.psnr,
        after.psnr,
        number(before.relative_error),
        number(after.relative_error)
    ))
}

/// Run details: the flags of this run, then those that the atoms were learned with.
fn run_details(model: &Model, stride: usize, lambda: f64) -> Vec<(&'static str, String)> {
    let own = [("stride", stride.to_string()), ("λ of the reconstruction", number(lambda))];
    own.into_iter().chain(facts(model)).collect()
}

/// The image, its reconstruction and the error.
///
/// # Errors
/// Images that are too large to draw.
pub fn pictures(
    title: String,
    done: &Outcome<'_>,
    patch: PatchKind,
    lambda: f64,
) -> Result<Figure, PictureError> {
    let channels = patch.channels;
    let shade = if channels == 3 { Shade::Rgb } else { Shade::Photo { low: 0.0, high: 1.0 } };
    let (given, reconstruction) = (done.image.to_f64(), &done.reconstruction.values);
    let clean = done.reference.map(Image::to_f64);
    let truth = clean.as_deref().unwrap_or(&given);
    let decibels = Distance::between(reconstruction, truth).psnr;
    let smaller = Reduction::new(done.image.shape(), LONGEST_SIDE);
    let error = smaller.apply(&off(reconstruction, truth, channels), 1);
    let given = smaller.apply(&given, channels);
    let reconstruction = smaller.apply(reconstruction, channels);
    let clean = clean.map(|clean| smaller.apply(&clean, channels));
    let picture = |values| Picture { values, shape: smaller.shape, channels, shade };
    let (before, after) = match done.noise {
        Some(_) => ("noisy image", "denoised"),
        None => ("image", "reconstruction"),
    };
    let against = match (&clean, done.noise) {
        (Some(_), _) => " (reference)",
        (None, _) => "",
    };
    // The noisy image is no yardstick of what was denoised.
    let again = match (&clean, done.noise) {
        (None, Some(_)) => after.to_owned(),
        _ => format!("{after}: PSNR {decibels:.2} dB{against}"),
    };
    let mut items = vec![(picture(&given), before.to_owned()), (picture(&reconstruction), again)];
    if let Some(clean) = &clean {
        items.push((picture(clean), "reference".to_owned()));
    }
    let name = match (&clean, done.noise) {
        (Some(_), _) => "error against the reference",
        (None, Some(_)) => "removed",
        (None, None) => "error",
    };
    items.push((Picture::new(&error, smaller.shape, Shade::Heat { full: FULL_ERROR }), name.to_owned()));
    let columns = Some(if items.len() == 4 { 2 } else { 3 });
    let svg = Pictures { items, columns }.svg()?;
    Ok(Figure { title, svg, words: words(done, lambda, smaller.block) })
}

/// What the pictures show.
fn words(done: &Outcome<'_>, lambda: f64, block: usize) -> String {
    let how = match (done.noise, lambda > 0.0) {
        (Some(NoiseLevel { sigma, .. }), _) if sigma > 0.0 => {
            "Each patch, minus its mean, uses the fewest atoms that fit it to the noise level.".to_owned()
        }
        (Some(_), _) => "There is no noise to remove.".to_owned(),
        (None, true) => format!("Patches are reconstructed with λ = {}.", number(lambda)),
        (None, false) => "Patches are reconstructed without a penalty.".to_owned(),
    };
    let map = match (done.noise, done.reference) {
        (None, _) => "Dark in the error map: detail without matching atoms.",
        (Some(_), None) => "Outlines in the removed part are lost detail.",
        (Some(_), Some(_)) => "Dark in the error map: lost detail or remaining noise.",
    };
    let stride = match done.stride {
        1 => "Patches begin at every pixel (stride 1).".to_owned(),
        stride if done.noise.is_some() => format!("Patches begin {stride} pixels apart (stride {stride})."),
        stride => format!(
            "Patches begin {stride} pixels apart (stride {stride}). The command “ergodict image reconstruct --stride 1” averages \
             more of them, so its PSNR may differ slightly."
        ),
    };
    let size = match block {
        1 => String::new(),
        _ => format!(
            " Pictures are reduced, each dot the mean of {block}×{block} pixels; the PSNR is of the full size."
        ),
    };
    format!("{how} Overlapping patches are averaged. {map}\n\n{stride}{size}")
}
