//! The reports of dictionaries learned from images, and of rebuilt images.

use super::reconstruct::Distance;
use crate::interrupt;
use crate::maps::off;
use crate::page::{atoms, dominance, facts, loss};
use anyhow::Result;
use ergodict::data::Image;
use ergodict::dictionary::Model;
use ergodict::linalg::Scalar;
use ergodict::patch::PatchKind;
use ergodict::reconstruct::{Overlap, Reconstruction, psnr, with_lambda};
use ergodict_report::{Figure, Picture, Pictures, Report, Shade};
use std::time::Duration;

/// Most images that are rebuilt for a report.
const MOST_IMAGES: usize = 4;

const REBUILT: &str = "
    Each patch is rebuilt from the atoms as closely as it goes, and where patches overlap the mean is taken. What the
    error map shows dark is what the dictionary has no atoms for.";

/// An error of this size, where white is 1, gets the full colour.
const FULL_ERROR: f64 = 0.25;

/// The page of a dictionary, with the images it was learned from rebuilt by it.
///
/// None when interrupted meanwhile.
pub(super) fn of_learning<T: Scalar>(
    model: &Model,
    images: &[Image],
    time: Duration,
) -> Result<Option<Report>> {
    let totals = &model.aggregates;
    let names: Vec<&str> = model.inputs.iter().map(|input| &*input.name).take(images.len()).collect();
    let how = if model.run["config"]["sampling"] == "walk" {
        "whose corner takes a random walk, one pixel at a time"
    } else {
        "at independent random places"
    };
    let lead = format!(
        "{} atoms learned from {} patches {how}, in {} steps. They are shown in the order of their dominance, the share \
         they have in the reconstructions.",
        model.w.cols(),
        totals.samples,
        totals.t
    );
    let mut report = Report::new(format!("{} atoms of {}", model.w.cols(), names.join(", ")))
        .lead(lead)
        .figure(atoms(model, None)?)
        .figure(loss(model));
    let factoriser = with_lambda(&model.factoriser::<T>()?, 0.0)?;
    let Some(patch) = model.patch else { return Ok(Some(report)) };
    for (image, name) in images.iter().zip(names).take(MOST_IMAGES) {
        let mut factoriser = with_lambda(&factoriser, 0.0)?;
        let stride = (patch.window.rows.min(patch.window.cols) / 4).max(1);
        let overlap = Overlap { window: patch.window, stride };
        let rebuilt = overlap.reconstruct(&mut factoriser, image, &mut |_, _| !interrupt::asked())?;
        let Some(rebuilt) = rebuilt else { return Ok(None) };
        report = report.figure(pictures(format!("{name} rebuilt"), image, &rebuilt, None, patch)?);
    }
    let mut run = facts(model);
    run.push(("time", format!("{:.1} s", time.as_secs_f64())));
    Ok(Some(report.table(dominance(model)).facts(&run)))
}

/// The page of a rebuilt image.
pub(super) fn of_reconstruction(
    model: &Model,
    image: &Image,
    rebuilt: &Reconstruction,
    reference: Option<&Image>,
    lambda: f64,
    distance: &Distance,
) -> Result<Report> {
    let lead = format!(
        "An image of {}×{} pixels rebuilt from {} atoms, with λ = {lambda:.4}: PSNR {:.2} dB, relative error {:.4}.",
        rebuilt.shape.0,
        rebuilt.shape.1,
        model.w.cols(),
        distance.psnr,
        distance.relative_error
    );
    let mut report = Report::new("An image rebuilt from atoms").lead(lead);
    if let Some(patch) = model.patch {
        report = report.figure(pictures("The image".into(), image, rebuilt, reference, patch)?);
    }
    Ok(report.figure(atoms(model, None)?).facts(&facts(model)))
}

fn pictures(
    title: String,
    image: &Image,
    rebuilt: &Reconstruction,
    reference: Option<&Image>,
    patch: PatchKind,
) -> Result<Figure> {
    let shape = image.shape();
    let channels = patch.channels;
    let shade = if channels == 3 { Shade::Rgb } else { Shade::Photo { low: 0.0, high: 1.0 } };
    let given = image.to_f64();
    let clean = reference.map(Image::to_f64);
    let truth = clean.as_deref().unwrap_or(&given);
    let error = off(&rebuilt.values, truth, channels);
    let whence = if reference.is_some() { " from the reference" } else { "" };
    let decibels = psnr(&rebuilt.values, truth, 1.0);
    let picture = |values| Picture { values, shape, channels, shade };
    let mut items = vec![
        (picture(&given), "the image".to_owned()),
        (picture(&rebuilt.values), format!("rebuilt: PSNR {decibels:.2} dB{whence}")),
    ];
    if let Some(clean) = &clean {
        items.push((picture(clean), "the reference".to_owned()));
    }
    let name = if clean.is_some() { "error against the reference" } else { "error" };
    items.push((Picture::new(&error, shape, Shade::Heat { full: FULL_ERROR }), name.to_owned()));
    let columns = Some(if items.len() == 4 { 2 } else { 3 });
    let svg = Pictures { items, columns }.svg()?;
    Ok(Figure { title, svg, words: REBUILT.into() })
}
