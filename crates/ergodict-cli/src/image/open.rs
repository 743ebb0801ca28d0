//! Images by file name, or the embedded one by its own.

use crate::input;
use crate::progress::say;
use anyhow::{Result, bail};
use ergodict::data::{Image, tessellation};
use ergodict::dictionary::Input;
use std::path::Path;

/// The embedded image: pixels a side.
const SIDE: usize = 240;

/// Opens an image; one line says what was decided about it, unless `quiet`.
pub(super) fn open(path: &Path, colour: bool, quiet: bool) -> Result<(Image, Input)> {
    let name = path.to_string_lossy();
    if let Some(embedded) = name.strip_prefix('@') {
        if embedded != "tessellation" {
            bail!("{name}: there is no embedded image of that name; there is @tessellation");
        }
        // The same image for every seed, as a file would be.
        let input = Input { name: name.clone().into_owned(), digest: format!("embedded:{embedded}") };
        return Ok((tessellation(SIDE, SIDE, colour, 0)?, input));
    }
    let (image, notes) = Image::open(path, colour)?;
    if !quiet {
        say(&format!("{}: {notes}", path.display()));
    }
    Ok((image, Input { name: input::name(path), digest: notes.digest }))
}
