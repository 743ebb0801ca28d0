//! Images by file name, or the embedded ones by their own.

use crate::input;
use crate::progress::say;
use anyhow::{Result, anyhow};
use ergodict::data::{EMBEDDED_IMAGES, Image, embedded_image};
use ergodict::model::Input;
use std::path::Path;

/// Opens an image in color or in gray, or as it is stored; one line says what was decided about it, unless `quiet`.
pub(crate) fn open(path: &Path, color: impl Into<Option<bool>>, quiet: bool) -> Result<(Image, Input)> {
    let name = path.to_string_lossy();
    if let Some(embedded) = name.strip_prefix('@') {
        let hint = |e| anyhow!("{e}{}", crate::nearest::hint(&name, EMBEDDED_IMAGES));
        let color = color.into();
        let image = embedded_image(&name, color.unwrap_or(true)).map_err(hint)?;
        let image = if color.is_none() { image.without_equal_channels() } else { image };
        // The same image for every seed, as a file would be.
        let input = Input { name: name.clone().into_owned(), digest: format!("embedded:{embedded}") };
        return Ok((image, input));
    }
    let (image, notes) = Image::open(path, color)?;
    if !quiet {
        say(&format!("{}: {notes}", path.display()));
    }
    Ok((image, Input { name: input::name(path), digest: notes.digest }))
}
