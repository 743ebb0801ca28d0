//! Images by file name, or the embedded ones by their own.

use crate::input;
use crate::progress::say;
use anyhow::{Result, bail};
use ergodict::chain::rng::{Purpose, ids, normal, stream};
use ergodict::data::{Image, tessellation};
use ergodict::dictionary::Input;
use std::path::Path;

/// Pixels a side of the embedded images.
const SIDE: usize = 240;
/// Standard deviation of the noise on the noisy one, where white is 1.
const NOISE: f64 = 0.1;

/// Opens an image; one line says what was decided about it, unless `quiet`.
pub(super) fn open(path: &Path, colour: bool, quiet: bool) -> Result<(Image, Input)> {
    let name = path.to_string_lossy();
    if let Some(embedded) = name.strip_prefix('@') {
        let image = tessellation(SIDE, SIDE, colour, 0)?;
        let image = match embedded {
            "tessellation" => image,
            "tessellation-noisy" => noisy(&image)?,
            _ => bail!(
                "{name}: there is no embedded image of that name: they are @tessellation and @tessellation-noisy{}",
                crate::nearest::hint(&name, ["@tessellation", "@tessellation-noisy"])
            ),
        };
        // The same image for every seed, as a file would be.
        let input = Input { name: name.clone().into_owned(), digest: format!("embedded:{embedded}") };
        return Ok((image, input));
    }
    let (image, notes) = Image::open(path, colour)?;
    if !quiet {
        say(&format!("{}: {notes}", path.display()));
    }
    Ok((image, Input { name: input::name(path), digest: notes.digest }))
}

/// The image with independent normal noise on every value.
fn noisy(image: &Image) -> Result<Image> {
    let mut rng = stream(0, Purpose::Synthetic, ids::NOISE);
    let noisy = |v: &f32| v + (NOISE * normal(&mut rng)) as f32;
    Ok(Image::new(image.shape(), image.channels(), image.values().iter().map(noisy).collect())?)
}
