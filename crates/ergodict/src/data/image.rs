//! Images: read from PNG, JPEG, PNM and TIFF, written as PNG. The only file that names the image crate.
//!
//! | in the file | here |
//! |---|---|
//! | 8 or 16 bits a channel | divided by 255 or 65535, so that 16 bits keep their precision in `f32` |
//! | 32-bit floats (RGB TIFF) | as they are, clipped to [0, 1] |
//! | colour, when grey is wanted | Rec. 709 luma `0.2126 R + 0.7152 G + 0.0722 B` of the stored values |
//! | grey, when colour is wanted | three equal channels |
//! | alpha `a` | blended over white, `a·c + 1 − a` |
//! | an orientation tag | obeyed |

use super::open::is_standard;
use super::write_atomic;
use crate::{Error, Result};
use image::codecs::png::PngEncoder;
use image::metadata::Orientation;
use image::{
    ColorType, DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder, ImageError, ImageReader,
};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

/// What was expected where a file is something else.
const EXPECTED: &str = "expected an image as PNG, JPEG, PNM or TIFF";

/// Most pixels of an image: as colour they take 1.5 GiB. A small file can claim any size.
const MOST_PIXELS: u64 = 1 << 27;

/// Most bytes of an image file.
const MOST_BYTES: u64 = 1 << 30;

/// Most bytes a decoder may take.
const DECODER_BYTES: u64 = 1 << 31;

/// Rec. 709 luma, of the values as they are stored.
pub(crate) fn luma([r, g, b]: [f64; 3]) -> f64 {
    (0.2126 * r + 0.7152 * g + 0.0722 * b).clamp(0.0, 1.0)
}

/// A grey or colour image; black is 0, white is 1.
///
/// ```
/// use ergodict::data::Image;
/// let path = std::env::temp_dir().join(format!("ergodict-{}.png", std::process::id()));
/// Image::new((2, 3), 1, vec![0.0, 0.2, 0.4, 0.6, 0.8, 1.0])?.save(&path)?;
/// let (image, notes) = Image::open(&path, false)?;
/// assert_eq!((image.shape(), image.values()[1]), ((2, 3), 0.2));
/// assert_eq!(notes.to_string(), "PNG, 3×2 pixels, grey, 8 bit");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Image {
    shape: (usize, usize),
    channels: usize,
    values: Vec<f32>,
}

/// What was found in an image file, and what was decided about it.
///
/// ```
/// use ergodict::data::Image;
/// let path = std::env::temp_dir().join(format!("ergodict-notes-{}.png", std::process::id()));
/// Image::new((1, 2), 3, vec![0.5; 6])?.save(&path)?;
/// let (_, notes) = Image::open(&path, false)?; // a colour image, asked for as grey
/// assert!(notes.digest.starts_with("blake3:") && notes.notes.len() > 1, "{notes}");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImageNotes {
    /// `blake3:` and the hash of the file's bytes.
    pub digest: String,
    /// In the order in which they are told; sizes are width × height, as those of images are everywhere.
    pub notes: Vec<String>,
}

/// One line.
impl std::fmt::Display for ImageNotes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.notes.join(", "))
    }
}

impl Image {
    /// An image of `shape` (rows, columns) with 1 channel or 3, row by row, the channels of a pixel together. Values
    /// of files are in [0, 1]; those of a computation, such as added noise, may leave it.
    ///
    /// # Errors
    /// [`Error::Parameter`] for no pixels, too many, or other channels; [`Error::Shape`] for another number of values;
    /// [`Error::NotFinite`] (the sample is the pixel, the feature its channel).
    pub fn new(shape: (usize, usize), channels: usize, values: Vec<f32>) -> Result<Self> {
        let pixels = Self::check(shape.0, shape.1)?;
        if channels != 1 && channels != 3 {
            let expected = "it must be 1 for grey or 3 for red, green and blue";
            return Err(Error::parameter("the number of channels of an image", channels, expected));
        }
        let needed = pixels * channels;
        if values.len() != needed {
            let expected = format!("{needed} for {}×{} pixels of {channels}", shape.1, shape.0);
            return Err(Error::shape("the image", format!("{} values", values.len()), expected));
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            let (sample, feature) = ((at / channels) as u64, (at % channels) as u64);
            return Err(Error::NotFinite { sample, feature, value: f64::from(values[at]) });
        }
        Ok(Self { shape, channels, values })
    }

    /// The number of pixels, if an image may have so many.
    pub(crate) fn check(rows: usize, cols: usize) -> Result<usize> {
        let pixels = rows.checked_mul(cols).filter(|n| (1..=MOST_PIXELS).contains(&(*n as u64)));
        pixels.ok_or_else(|| {
            let expected = format!("it must have at least one pixel and at most {MOST_PIXELS}");
            Error::parameter("the image", format!("{cols}×{rows}"), expected)
        })
    }

    /// Reads an image, as three channels if `colour`, as one otherwise; `-` is standard input. The format is found by
    /// content. What was decided on the way is in the notes.
    ///
    /// # Errors
    /// [`Error::Format`] when the file is no image of a known format, is damaged, too large, or of a kind of pixels
    /// that is not supported; [`Error::Io`] when it cannot be read.
    pub fn open(path: &Path, colour: bool) -> Result<(Self, ImageNotes)> {
        let bytes = read(path)?;
        let digest = format!("blake3:{}", blake3::hash(&bytes).to_hex());
        let bad = |problem: String| Error::format(path, None, problem);
        if bytes.is_empty() {
            return Err(bad(format!("is empty: {EXPECTED}")));
        }
        let reader = ImageReader::new(Cursor::new(&bytes));
        let mut reader = reader.with_guessed_format().map_err(Error::io(path))?;
        let format = match reader.format() {
            Some(image::ImageFormat::Png) => "PNG",
            Some(image::ImageFormat::Jpeg) => "JPEG",
            Some(image::ImageFormat::Pnm) => "PNM",
            Some(image::ImageFormat::Tiff) => "TIFF",
            Some(other) => return Err(bad(format!("is of the format {other:?}: {EXPECTED}"))),
            None => return Err(bad(format!("is not an image of a known format: {EXPECTED}"))),
        };
        if format == "JPEG" && !jpeg_is_whole(&bytes) {
            return Err(bad(format!(
                "is a JPEG file that is cut short (it lacks the end marker): {EXPECTED}"
            )));
        }
        let mut limits = image::Limits::default();
        limits.max_alloc = Some(DECODER_BYTES);
        reader.limits(limits);
        let wrong = |e: ImageError| bad(format!("is a {format} file that {}: {EXPECTED}", reason(&e)));
        let mut decoder = reader.into_decoder().map_err(wrong)?;
        let (width, height) = decoder.dimensions();
        let pixels = u64::from(width) * u64::from(height);
        if pixels == 0 || pixels > MOST_PIXELS {
            let expected = format!("expected at least one pixel and at most {MOST_PIXELS}");
            return Err(bad(format!("is a {format} file of {width}×{height} pixels: {expected}")));
        }
        let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
        let mut decoded = DynamicImage::from_decoder(decoder).map_err(wrong)?;
        decoded.apply_orientation(orientation);
        let (image, mut decided) = convert(&decoded, colour).map_err(bad)?;
        if orientation != Orientation::NoTransforms {
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
        let kind = if self.channels == 1 { ExtendedColorType::L8 } else { ExtendedColorType::Rgb8 };
        let mut png = Vec::new();
        let (rows, columns) = (self.shape.0 as u32, self.shape.1 as u32);
        let written = PngEncoder::new(&mut png).write_image(&bytes, columns, rows, kind);
        written.map_err(|problem| format!("cannot be written as PNG: {problem}"))?;
        Ok(png)
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// 1 for grey, 3 for red, green and blue.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The values, row by row, the channels of a pixel together.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The values as `f64`, as measures of error take them.
    pub fn to_f64(&self) -> Vec<f64> {
        self.values.iter().map(|v| f64::from(*v)).collect()
    }
}

/// The bytes of a file or of standard input, as far as an image may be long.
fn read(path: &Path) -> Result<Vec<u8>> {
    let source: Box<dyn Read> = if is_standard(path) {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(Error::io(path))?)
    };
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(Error::io(path))?;
    if bytes.len() as u64 > MOST_BYTES {
        let problem =
            format!("has more than {MOST_BYTES} bytes, the most an image file may have: {EXPECTED}");
        return Err(Error::format(path, None, problem));
    }
    Ok(bytes)
}

/// Whether the markers of a JPEG file lead to that of its end. The decoder would fill up what is missing with grey and
/// say nothing. Markers inside segments, such as those of a thumbnail, do not count.
fn jpeg_is_whole(bytes: &[u8]) -> bool {
    let mut at = 2;
    while let Some(&[first, marker]) = bytes.get(at..at + 2) {
        at += match (first, marker) {
            (0xff, 0xd9) => return true,
            // Between markers there may be filling, and after the start of a scan its numbers, in which 0 follows 0xff.
            (0xff, 0x01..=0xcf | 0xda..=0xfe) => {
                let Some(&[high, low]) = bytes.get(at + 2..at + 4) else { return false };
                2 + usize::from(u16::from_be_bytes([high, low]))
            }
            (0xff, 0x00 | 0xd0..=0xd8) => 2,
            _ => 1,
        };
    }
    false
}

/// An error of a decoder as the end of a sentence, in one line.
fn reason(error: &ImageError) -> String {
    let text = error.to_string().replace(['\n', '\r'], " ");
    match error {
        ImageError::Unsupported(_) => format!("has pixels of a kind that is not supported ({text})"),
        ImageError::Limits(_) => format!("needs more memory than an image may ({text})"),
        _ => format!("is damaged or cut short ({text})"),
    }
}

/// The pixels as wanted, and what was decided.
fn convert(decoded: &DynamicImage, colour: bool) -> std::result::Result<(Image, Vec<String>), String> {
    let (shape, kind) = ((decoded.height() as usize, decoded.width() as usize), decoded.color());
    let stored = usize::from(kind.channel_count());
    let (alpha, colours) = (kind.has_alpha(), if kind.has_color() { 3 } else { 1 });
    let bits = match kind {
        ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8 => "8 bit",
        ColorType::L16 | ColorType::La16 | ColorType::Rgb16 | ColorType::Rgba16 => "16 bit",
        _ => "32-bit float",
    };
    let channels = if colour { 3 } else { 1 };
    let mut values = Vec::with_capacity(shape.0 * shape.1 * channels);
    let (mut clipped, mut broken, mut see_through) = (0_u64, 0_u64, false);
    let mut push = |pixel: &[f64]| {
        let mut given = [0.0; 4];
        for (to, &from) in given.iter_mut().zip(pixel) {
            broken += u64::from(!from.is_finite());
            clipped += u64::from(!(0.0..=1.0).contains(&from));
            *to = from.clamp(0.0, 1.0);
        }
        let opacity = if alpha { given[colours] } else { 1.0 };
        see_through |= opacity < 1.0;
        let over_white = |c: f64| opacity * c + (1.0 - opacity);
        match (colour, colours) {
            (false, 1) => values.push(over_white(given[0]) as f32),
            (false, _) => {
                values.push(over_white(luma([given[0], given[1], given[2]])) as f32);
            }
            (true, 1) => values.extend([over_white(given[0]) as f32; 3]),
            (true, _) => values.extend([given[0], given[1], given[2]].map(|c| over_white(c) as f32)),
        }
    };
    let mut pixel = [0.0; 4];
    macro_rules! pixels {
        ($samples:expr, $scale:expr) => {
            for stored_pixel in $samples.chunks_exact(stored) {
                pixel.iter_mut().zip(stored_pixel).for_each(|(to, from)| *to = f64::from(*from) / $scale);
                push(&pixel[..stored]);
            }
        };
    }
    match decoded {
        DynamicImage::ImageLuma8(i) => pixels!(i.as_raw(), 255.0),
        DynamicImage::ImageLumaA8(i) => pixels!(i.as_raw(), 255.0),
        DynamicImage::ImageRgb8(i) => pixels!(i.as_raw(), 255.0),
        DynamicImage::ImageRgba8(i) => pixels!(i.as_raw(), 255.0),
        DynamicImage::ImageLuma16(i) => pixels!(i.as_raw(), 65535.0),
        DynamicImage::ImageLumaA16(i) => pixels!(i.as_raw(), 65535.0),
        DynamicImage::ImageRgb16(i) => pixels!(i.as_raw(), 65535.0),
        DynamicImage::ImageRgba16(i) => pixels!(i.as_raw(), 65535.0),
        DynamicImage::ImageRgb32F(i) => pixels!(i.as_raw(), 1.0),
        DynamicImage::ImageRgba32F(i) => pixels!(i.as_raw(), 1.0),
        _ => return Err(format!("has pixels of the type {kind:?}, which is not supported: {EXPECTED}")),
    }
    if broken > 0 {
        return Err(format!("holds {broken} values that are not finite numbers"));
    }
    let mut notes = vec![if colours == 3 { "colour" } else { "grey" }.to_owned(), bits.to_owned()];
    match (colour, colours) {
        (false, 3) => notes.push("colour turned to grey".into()),
        (true, 1) => notes.push("grey taken as colour".into()),
        _ => {}
    }
    if see_through {
        notes.push("alpha blended over white".into());
    } else if alpha {
        notes.push("alpha dropped, as it is opaque everywhere".into());
    }
    if clipped > 0 {
        notes.push(format!("{clipped} values outside [0, 1] clipped"));
    }
    let image = Image::new(shape, channels, values).map_err(|e| e.to_string())?;
    Ok((image, notes))
}
