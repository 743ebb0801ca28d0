//! Files of images: read from PNG, JPEG, PNM and TIFF, written as PNG; a codec each is next to this file.
//!
//! | in the file | here |
//! |---|---|
//! | 8 or 16 bits a channel | divided by 255 or 65535, so that 16 bits keep their precision in `f32` |
//! | 32-bit floats (TIFF) | as they are, clipped to [0, 1] |
//! | color, when gray is wanted | Rec. 709 luma `0.2126 R + 0.7152 G + 0.0722 B` of the stored values |
//! | gray, when color is wanted | three equal channels |
//! | alpha `a` | blended over white, `a·c + 1 − a` |
//! | an orientation tag | obeyed |

use super::pixels::{Pixels, Problem};
use super::{Image, MOST_PIXELS, jpeg, png, pnm, tiff};
use crate::data::open::is_standard;
use crate::data::{InputFile, write_atomic};
use crate::{Error, Result};
use std::io::{self, Read};
use std::path::Path;

/// What was expected where a file is something else.
const EXPECTED: &str = "expected an image as PNG, JPEG, PNM or TIFF";

/// Most bytes of an image file.
const MOST_BYTES: u64 = 1 << 30;

/// What was found in an image file, and what was decided about it.
///
/// ```
/// use ergodict::data::Image;
/// let path = std::env::temp_dir().join(format!("ergodict-notes-{}.png", std::process::id()));
/// Image::new((1, 2), 3, vec![0.5; 6])?.save(&path)?;
/// let (_, notes) = Image::open(&path, false)?; // a color image, asked for as gray
/// assert!(notes.digest.starts_with("blake3:") && notes.notes.len() > 1, "{notes}");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImageNotes {
    /// `blake3:` and the hash of the file's bytes.
    pub digest: String,
    /// In the order of printing; sizes are width × height, as those of images are everywhere.
    pub notes: Vec<String>,
}

/// One line.
impl std::fmt::Display for ImageNotes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.notes.join(", "))
    }
}

impl Image {
    /// Reads an image, as three channels if `color`, as one if not, and with `None` as it is stored, in gray where red, green and blue are
    /// the same at every pixel; `-` is standard input. The format is found by content. What was decided on the way is in the notes.
    ///
    /// ```
    /// use ergodict::data::Image;
    /// let path = std::env::temp_dir().join(format!("ergodict-{}.png", std::process::id()));
    /// Image::new((2, 3), 1, vec![0.0, 0.2, 0.4, 0.6, 0.8, 1.0])?.save(&path)?;
    /// let (image, notes) = Image::open(&path, false)?;
    /// assert_eq!((image.shape(), image.values()[1]), ((2, 3), 0.2));
    /// assert_eq!(notes.to_string(), "PNG, 3×2 pixels, gray, 8 bit");
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Format`] when the file is no image of a known format, is damaged, too large, or of a kind of pixels
    /// that is not supported; [`Error::Io`] when it cannot be read.
    pub fn open(path: &Path, color: impl Into<Option<bool>>) -> Result<(Self, ImageNotes)> {
        let bytes = read(path)?;
        let digest = format!("blake3:{}", blake3::hash(&bytes).to_hex());
        let bad = |problem: String| Error::format(path, None, problem);
        if bytes.is_empty() {
            return Err(bad(format!("is empty: {EXPECTED}")));
        }
        let Some((format, decode)) = codec(&bytes) else {
            return Err(bad(match foreign(&bytes) {
                Some(name) => format!("is of the format {name}: {EXPECTED}"),
                None => format!("is not an image of a known format: {EXPECTED}"),
            }));
        };
        let pixels = decode(&bytes).map_err(|problem| bad(sentence(format, &problem)))?;
        let turned = pixels.orientation != 1;
        let (image, mut decided) = pixels.convert(color.into()).map_err(bad)?;
        if turned {
            decided.push("turned as its orientation tag says".into());
        }
        let mut notes = vec![format.to_owned(), format!("{}×{} pixels", image.shape.1, image.shape.0)];
        notes.append(&mut decided);
        Ok((image, ImageNotes { digest, notes }))
    }

    /// Writes the image as PNG of 8 bits, whole or not at all; `-` is standard output. Values are rounded to the
    /// nearest of the 256 steps, those outside [0, 1] clipped.
    ///
    /// # Errors
    /// [`Error::Format`] unless the name ends in `.png`; as [`write_atomic`].
    pub fn save(&self, path: &Path) -> Result<()> {
        let png = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
        if !png && !is_standard(path) {
            return Err(Error::format(
                path,
                None,
                "cannot be written: images are PNG, expected a name in .png",
            ));
        }
        let png = self.png().map_err(|problem| Error::format(path, None, problem))?;
        write_atomic(path, |out| out.write_all(&png).map_err(Error::io(path)))
    }

    /// The image as a PNG file of 8 bits a channel, in memory.
    ///
    /// # Errors
    /// What is wrong, in words, for an image of a size that PNG does not have.
    pub fn png(&self) -> std::result::Result<Vec<u8>, String> {
        let bytes: Vec<u8> =
            self.values.iter().map(|v| (f64::from(*v).clamp(0.0, 1.0) * 255.0).round() as u8).collect();
        png::encode(&bytes, self.shape, self.channels)
            .map_err(|problem| format!("cannot be written as PNG: {problem}"))
    }
}

/// The bytes of a file or of standard input, as far as an image may be long.
fn read(path: &Path) -> Result<Vec<u8>> {
    let source: Box<dyn Read> =
        if is_standard(path) { Box::new(io::stdin()) } else { Box::new(InputFile::open(path)?) };
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(Error::io(path))?;
    if bytes.len() as u64 > MOST_BYTES {
        let problem =
            format!("has more than {MOST_BYTES} bytes, the most an image file may have: {EXPECTED}");
        return Err(Error::format(path, None, problem));
    }
    Ok(bytes)
}

/// What decodes the bytes of a file.
type Decode = fn(&[u8]) -> std::result::Result<Pixels, Problem>;

/// The format of a file that begins with these bytes, and its decoder.
fn codec(bytes: &[u8]) -> Option<(&'static str, Decode)> {
    Some(match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => ("PNG", png::decode),
        [0xff, 0xd8, 0xff, ..] => ("JPEG", jpeg::decode),
        [b'P', b'1'..=b'7', ..] => ("PNM", pnm::decode),
        [b'M', b'M', 0, b'*', ..] | [b'I', b'I', b'*', 0, ..] => ("TIFF", tiff::decode),
        _ => return None,
    })
}

/// The name of a format that is known and not read.
fn foreign(bytes: &[u8]) -> Option<&'static str> {
    Some(match bytes {
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "GIF",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "WebP",
        [0, 0, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f', ..] => "AVIF",
        [b'D', b'D', b'S', b' ', ..] => "DDS",
        [b'B', b'M', ..] => "BMP",
        [0, 0, 1, 0, ..] => "ICO",
        [0x76, 0x2f, 0x31, 1, ..] => "OpenEXR",
        [b'q', b'o', b'i', b'f', ..] => "QOI",
        _ if bytes.starts_with(b"#?RADIANCE") => "HDR",
        _ if bytes.starts_with(b"farbfeld") => "Farbfeld",
        _ => return None,
    })
}

/// What is wrong with a file of this format, in one line.
fn sentence(format: &str, problem: &Problem) -> String {
    let text = match problem {
        Problem::Size(width, height) => {
            return format!(
                "is a {format} file of {width}×{height} pixels: \
                 expected at least one pixel and at most {MOST_PIXELS}"
            );
        }
        Problem::WindowCut(what) => format!("is cut short ({what})"),
        Problem::Damaged(what) => format!("is damaged or cut short ({what})"),
        Problem::Memory(what) => format!("needs more memory than an image may ({what})"),
        Problem::Unsupported(what) => format!("has pixels of a kind that is not supported ({what})"),
    };
    format!("is a {format} file that {text}: {EXPECTED}").replace(['\n', '\r'], " ")
}
