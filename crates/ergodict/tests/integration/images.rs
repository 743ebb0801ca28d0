//! Images are read in every format, taken apart into patches, and put together again.

use ergodict::Error;
use ergodict::chain::Boundary;
use ergodict::data::{Image, ImageNotes, tessellation};
use ergodict::factor::{FactorSettings, Factorizer};
use ergodict::linalg::Mat;
use ergodict::patch::Window;
use ergodict::reconstruct::{
    DenoiseSettings, Overlap, Reconstruction, denoise, noise_level, psnr, relative_error, with_lambda,
};
use ergodict::rng::{Purpose, below, stream};
use ergodict::text::Shape;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Random;
use crate::pictures::{Format, Picture, shown, stored};

// ---------------------------------------------------------------- help

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The values that are to be read of samples of 8 bits.
fn values(samples: &[u8]) -> Vec<f32> {
    samples.iter().map(|v| (f64::from(*v) / 255.0) as f32).collect()
}

/// A file of these bytes, with a name that gives nothing away.
fn file(folder: &tempfile::TempDir, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join("picture.dat");
    fs::write(&path, bytes).unwrap();
    path
}

fn open(bytes: &[u8], color: impl Into<Option<bool>>) -> ergodict::Result<(Image, ImageNotes)> {
    let folder = scratch();
    Image::open(&file(&folder, bytes), color)
}

fn problem(bytes: &[u8]) -> String {
    let error = open(bytes, false).unwrap_err();
    assert!(matches!(error, Error::Format { .. }), "{error}");
    let message = error.to_string();
    assert!(message.contains("picture.dat") && !message.contains('\n'), "{message}");
    message
}

fn window(side: usize, boundary: Boundary) -> Window {
    Window { rows: side, cols: side, boundary }
}

fn whole(overlap: Overlap, factorizer: &mut Factorizer<f64>, image: &Image) -> Reconstruction {
    overlap.reconstruct(factorizer, image, &mut |_, _| true).unwrap().unwrap()
}

/// A dictionary that reproduces every patch.
fn identity(features: usize) -> Factorizer<f64> {
    let parameters = FactorSettings { lambda: 0.0, ..FactorSettings::new(features) };
    let w = Mat::from_fn(features, features, |i, j| if i == j { 1.0 } else { 0.0 });
    Factorizer::from_dictionary(parameters, w.as_ref()).unwrap()
}

fn noisy(image: &Image, sigma: f64, seed: u64) -> Image {
    let mut random = Random::new(seed);
    let values = image.values().iter().map(|v| v + (sigma * random.normal()) as f32).collect();
    Image::new(image.shape(), image.channels(), values).unwrap()
}

// ---------------------------------------------------------------- files

#[test]
fn eight_and_sixteen_bits_are_read_from_every_format() {
    let (rows, cols) = (7_u32, 5_u32);
    let gray8 = Picture::new(cols, rows, |x, y| [(x * 50 + y) as u8]);
    let gray16 = Picture::new(cols, rows, |x, y| [(x * 13000 + y * 7) as u16]);
    let rgb8 = Picture::new(cols, rows, |x, y| [(x * 50) as u8, (y * 30) as u8, 200]);
    let rgb16 = Picture::new(cols, rows, |x, y| [(x * 9001) as u16, (y * 777) as u16, 65535]);
    for format in [Format::Png, Format::Pnm, Format::Tiff] {
        let (image, notes) = open(&gray8.encoded(format), false).unwrap();
        let expected = values(&gray8.samples);
        assert_eq!((image.shape(), image.channels(), image.values()), ((7, 5), 1, &expected[..]));
        assert!(notes.to_string().ends_with("5×7 pixels, gray, 8 bit"), "{notes}");
        let (image, notes) = open(&gray16.encoded(format), false).unwrap();
        let back: Vec<u16> = image.values().iter().map(|v| (v * 65535.0).round() as u16).collect();
        assert_eq!(back, gray16.samples, "16 bits keep their precision");
        assert!(notes.to_string().contains("16 bit"), "{notes}");
        let (image, _) = open(&rgb8.encoded(format), true).unwrap();
        let expected = values(&rgb8.samples);
        assert_eq!((image.channels(), image.values()), (3, &expected[..]));
        let (image, _) = open(&rgb16.encoded(format), true).unwrap();
        let back: Vec<u16> = image.values().iter().map(|v| (v * 65535.0).round() as u16).collect();
        assert_eq!(back, rgb16.samples);
        let (image, notes) = open(&rgb8.encoded(format), false).unwrap();
        let [r, g, b] = *rgb8.pixel(1, 2) else { unreachable!() };
        let luma = (0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b)) / 255.0;
        assert!((f64::from(image.values()[2 * 5 + 1]) - luma).abs() < 1e-6);
        assert!(notes.to_string().contains("color turned to gray"), "{notes}");
        let (image, notes) = open(&gray8.encoded(format), true).unwrap();
        assert!(image.values().chunks(3).all(|c| c[0] == c[1] && c[1] == c[2]));
        assert!(notes.to_string().contains("gray taken as color"), "{notes}");
        let (image, notes) = open(&gray8.encoded(format), None).unwrap();
        assert!(image.channels() == 1 && !notes.to_string().contains("taken as"), "{notes}");
        assert_eq!(
            open(&rgb8.encoded(format), None).unwrap().0,
            open(&rgb8.encoded(format), true).unwrap().0
        );
    }
}

#[test]
fn jpeg_is_read_within_its_loss() {
    let expected: Vec<f64> = values(&shown().samples).into_iter().map(f64::from).collect();
    for name in ["color.jpg", "progressive.jpg", "cmyk.jpg"] {
        let (image, notes) = open(&stored(name), true).unwrap();
        assert_eq!(notes.to_string(), "JPEG, 40×30 pixels, color, 8 bit");
        let quality = psnr(&image.to_f64(), &expected, 1.0);
        // From QUALITY at the encoder's quality of 90.
        assert!(quality > 30.0, "{name}: {quality}");
    }
}

#[test]
fn every_way_of_storing_is_read() {
    let expected = values(&shown().samples);
    for name in ["interlaced.png", "deflate.tif", "lzw.tif", "packbits.tif", "planes.tif", "turned.tif"] {
        let (image, notes) = open(&stored(name), true).unwrap();
        assert_eq!((image.shape(), image.values()), ((30, 40), &expected[..]), "{name}");
        assert_eq!(notes.to_string().contains("orientation"), name == "turned.tif", "{name}: {notes}");
    }
    let (image, _) = open(&stored("jpeg.tif"), false).unwrap();
    let gray = expected.iter().step_by(3);
    let error = image.values().iter().zip(gray).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(error < 0.05, "{error}");
    let (image, notes) = open(&stored("fax.tif"), false).unwrap();
    assert!(notes.to_string().ends_with("gray, 8 bit"), "{notes}");
    for (at, value) in image.values().iter().enumerate() {
        assert_eq!(*value, ((at / 40 / 8 + at % 40 / 8) % 2) as f32);
    }
}

#[test]
fn alpha_is_blended_over_white() {
    let blended = |c: f64, a: f64| (a * c + 1.0 - a) as f32;
    let gray = Picture::new(3, 1, |x, _| [[51_u8, 0], [51, 255], [51, 102]][x as usize]);
    let (image, notes) = open(&gray.encoded(Format::Png), false).unwrap();
    assert_eq!(image.values(), [1.0, 0.2, blended(0.2, 0.4)]);
    assert!(notes.to_string().ends_with("gray, 8 bit, alpha blended over white"), "{notes}");
    let color = Picture::new(2, 1, |x, _| [65535_u16, 0, 13107, [65535, 13107][x as usize]]);
    for format in [Format::Png, Format::Tiff] {
        let (image, notes) = open(&color.encoded(format), true).unwrap();
        assert_eq!(image.values()[..3], [1.0, 0.0, 0.2]);
        assert_eq!(image.values()[3..], [1.0, blended(0.0, 0.2), blended(0.2, 0.2)]);
        assert!(notes.to_string().contains("16 bit, alpha blended"), "{notes}");
    }
    let opaque = Picture::new(2, 2, |_, _| [10_u8, 20, 30, 255]);
    let (_, notes) = open(&opaque.encoded(Format::Png), true).unwrap();
    assert!(notes.to_string().contains("alpha dropped"), "{notes}");
}

/// A PNG by hand, of any kind of pixels and with any chunks.
fn png(width: u32, height: u32, bits: u8, kind: u8, more: &[(&[u8; 4], &[u8])], rows: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |name: &[u8; 4], data: &[u8]| {
        let mut crc = flate2::Crc::new();
        crc.update(name);
        crc.update(data);
        bytes.extend_from_slice(&(data.len() as u32).to_be_bytes());
        bytes.extend_from_slice(name);
        bytes.extend_from_slice(data);
        bytes.extend_from_slice(&crc.sum().to_be_bytes());
    };
    let mut head = [width.to_be_bytes(), height.to_be_bytes()].concat();
    head.extend_from_slice(&[bits, kind, 0, 0, 0]);
    chunk(b"IHDR", &head);
    more.iter().for_each(|(name, data)| chunk(name, data));
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut zlib, rows).unwrap();
    chunk(b"IDAT", &zlib.finish().unwrap());
    chunk(b"IEND", b"");
    bytes
}

#[test]
fn palettes_and_single_bits_are_read() {
    let palette: (&[u8; 4], &[u8]) = (b"PLTE", &[255, 0, 0, 0, 51, 255]);
    let (image, _) = open(&png(2, 2, 8, 3, &[palette], &[0, 0, 1, 0, 1, 0]), true).unwrap();
    let (red, blue) = ([1.0, 0.0, 0.0], [0.0, 0.2, 1.0]);
    assert_eq!(image.values(), [red, blue, blue, red].concat());
    // The second color of the palette is transparent.
    let (image, notes) = open(&png(2, 1, 8, 3, &[palette, (b"tRNS", &[255, 0])], &[0, 0, 1]), true).unwrap();
    assert_eq!(image.values(), [red, [1.0; 3]].concat());
    assert!(notes.to_string().contains("alpha blended over white"), "{notes}");
    let (image, _) =
        open(&png(10, 2, 1, 0, &[], &[0, 0b1010_0000, 0b0100_0000, 0, 0xff, 0xff]), false).unwrap();
    let first = [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    assert_eq!(image.values(), [first, [1.0; 10]].concat());
    let (image, _) = open(b"P1\n3 2\n1 0 1\n0 1 0\n", false).unwrap();
    assert_eq!(image.values(), [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn floats_are_clipped_with_a_note() {
    let picture = Picture::new(2, 1, |x, _| [[-0.5_f32, 0.25, 1.5], [0.0, 1.0, 0.125]][x as usize]);
    let (image, notes) = open(&picture.encoded(Format::Tiff), true).unwrap();
    assert_eq!(image.values(), [0.0, 0.25, 1.0, 0.0, 1.0, 0.125]);
    assert!(notes.to_string().contains("32-bit float, 2 values outside [0, 1] clipped"), "{notes}");
    let gray = Picture::new(2, 1, |x, _| [[0.5_f32, 2.0][x as usize]]);
    let (image, notes) = open(&gray.encoded(Format::Tiff), false).unwrap();
    assert_eq!(image.values(), [0.5, 1.0]);
    assert!(notes.to_string().contains("gray, 32-bit float, 1 values outside"), "{notes}");
    let picture = Picture::new(2, 1, |_, _| [f32::NAN, 0.0, 0.0]);
    let message = problem(&picture.encoded(Format::Tiff));
    assert!(message.contains("2 values that are not finite"), "{message}");
}

#[test]
fn an_orientation_tag_is_obeyed() {
    // Each corner, where the tag puts it: seen from the top left, its right and its bottom.
    let (left, right, jpeg) = (|v: f32| v < 0.05, |v: f32| v > 0.85, stored("gray.jpg"));
    let png_pixels = [vec![0, 10, 20, 30], vec![0, 40, 50, 60]].concat();
    for (orientation, expected) in [
        (1_u16, [10, 20, 30, 40, 50, 60]),
        (2, [30, 20, 10, 60, 50, 40]),
        (3, [60, 50, 40, 30, 20, 10]),
        (4, [40, 50, 60, 10, 20, 30]),
        (5, [10, 40, 20, 50, 30, 60]),
        (6, [40, 10, 50, 20, 60, 30]),
        (7, [60, 30, 50, 20, 40, 10]),
        (8, [30, 60, 20, 50, 10, 40]),
        (9, [10, 20, 30, 40, 50, 60]),
    ] {
        for little in [true, false] {
            let exif = exif(orientation, little);
            let (image, notes) = open(&png(3, 2, 8, 0, &[(b"eXIf", &exif)], &png_pixels), false).unwrap();
            let shape = if (5..=8).contains(&orientation) { (3, 2) } else { (2, 3) };
            assert_eq!((image.shape(), image.values()), (shape, &values(&expected)[..]), "{orientation}");
            assert_eq!(notes.to_string().contains("orientation"), (2..=8).contains(&orientation), "{notes}");
        }
    }
    // In JPEG the block is in a segment after the start of the image: to be turned clockwise by a quarter.
    let exif = [b"Exif\0\0", &exif(6, true)[..]].concat();
    let length = (exif.len() as u16 + 2).to_be_bytes();
    let segment = [&[0xff, 0xe1, length[0], length[1]], &exif[..]].concat();
    let (image, notes) = open(&[&jpeg[..2], &segment, &jpeg[2..]].concat(), false).unwrap();
    assert_eq!(image.shape(), (40, 30));
    assert!(
        image.values()[..30].iter().all(|v| left(*v)) && image.values()[39 * 30..].iter().all(|v| right(*v))
    );
    assert!(notes.to_string().contains("orientation"), "{notes}");
}

/// A block of Exif with an orientation and nothing else.
fn exif(orientation: u16, little: bool) -> Vec<u8> {
    let short = |v: u16| if little { v.to_le_bytes() } else { v.to_be_bytes() };
    let long = |v: u32| if little { v.to_le_bytes() } else { v.to_be_bytes() };
    let head = if little { b"II*\0" } else { b"MM\0*" };
    let entry = [short(1), short(0x112), short(3)].concat();
    [&head[..], &long(8), &entry, &long(1), &short(orientation), &short(0), &long(0)].concat()
}

#[test]
fn text_and_bytes_of_pnm_are_read_with_comments_and_any_maximum() {
    for (file, expected) in [
        (&b"P2 # gray\n2 # wide\r1\n10\n0 # black\n5\n"[..], vec![0, 128]),
        (b"P2 2 1 10 0 11", vec![0, 255]),
        (b"P3\n1 1\n255\n1 2 3\n", vec![1, 2, 3]),
        (b"P4\n9 1\n\xa0\x7f", vec![0, 255, 0, 255, 255, 255, 255, 255, 255]),
        (b"P5 2 1 7\n\x00\x07", vec![0, 255]),
        (b"P1\n3 1\n10#c\n1", vec![0, 255, 0]),
        (
            b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\n# c\nENDHDR\n\x01\x02\x03",
            vec![1, 2, 3],
        ),
        (b"P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n\x00\x01", vec![0, 255]),
    ] {
        let (image, _) = open(file, expected.len() == 3 && file[1] != b'1').unwrap();
        assert_eq!(image.values(), values(&expected), "{}", file.escape_ascii());
    }
    let (image, notes) = open(b"P5 1 1 1000\n\x01\xf4", false).unwrap();
    assert!((image.values()[0] - 0.5).abs() < 1e-5 && notes.to_string().ends_with("16 bit"), "{notes}");
    for (file, words) in [
        (&b"P5 1 1 0\n\0"[..], "the maximum is 0"),
        (b"P5 1 1 65536\n\0\0", "more than 65535"),
        (b"P5 -1 1 255\n\0", "the width is not a number"),
        (b"P5 1 99999999999 255\n\0", "the height is too large"),
        (b"P5 1", "there is no height"),
        (b"P5 2 2 255\nabc", "3 of 4 samples"),
        (b"P2 2 1 255\n1 x", "the sample is not a number"),
        (b"P2 2 1 255\n1 256", "the sample 256 is too large"),
        (b"P1 2 1\n0 2", "0x32 is no bit"),
        (b"P7\nWIDTH 1\nWIDTH 1\n", "WIDTH is unknown or there twice"),
        (b"P7\nWIDTH 1\nENDHDR\n", "is missing"),
        (b"P7\nWIDTH 1\n", "the header has no end"),
    ] {
        let message = problem(file);
        assert!(message.contains("damaged or cut short") && message.contains(words), "{message}");
    }
}

#[test]
fn what_is_written_comes_back_and_the_digest_is_that_of_the_bytes() {
    let folder = scratch();
    let path = folder.path().join("out.PNG");
    for (channels, color) in [(1, false), (3, true)] {
        let values = (0..20 * channels).map(|k| k as f32 / 30.0 - 0.1).collect::<Vec<_>>();
        let image = Image::new((4, 5), channels, values).unwrap();
        image.save(&path).unwrap();
        let (back, notes) = Image::open(&path, color).unwrap();
        for (a, b) in image.values().iter().zip(back.values()) {
            assert!((a.clamp(0.0, 1.0) - b).abs() <= 0.5 / 255.0 + 1e-6, "{a} {b}");
        }
        assert_eq!(notes.digest, format!("blake3:{}", blake3::hash(&fs::read(&path).unwrap()).to_hex()));
    }
    let image = Image::new((1, 1), 1, vec![0.5]).unwrap();
    let message = image.save(&folder.path().join("out.jpg")).unwrap_err().to_string();
    assert!(message.contains("out.jpg") && message.contains(".png"), "{message}");
    assert!(image.save(&folder.path().join("no/such/out.png")).is_err());
}

#[test]
fn images_are_checked_when_made() {
    let refused = |shape, channels, values: &[f32]| Image::new(shape, channels, values.to_vec()).unwrap_err();
    assert!(matches!(refused((0, 3), 1, &[]), Error::Parameter { .. }));
    assert!(matches!(refused((usize::MAX, 3), 1, &[]), Error::Parameter { .. }));
    assert!(matches!(refused((1, 1), 2, &[0.0; 2]), Error::Parameter { .. }));
    assert!(matches!(refused((2, 2), 1, &[0.0; 3]), Error::Shape { .. }));
    let error = refused((1, 2), 3, &[0.0, 0.0, 0.0, 0.0, f32::NAN, 0.0]);
    assert!(matches!(error, Error::NotFinite { sample: 1, feature: 1, .. }));
}

/// A file of each format.
fn files() -> [(String, Vec<u8>); 4] {
    let written = [Format::Png, Format::Pnm, Format::Tiff]
        .map(|format| (format!("{format:?}"), shown().encoded(format)));
    let [png, pnm, tiff] = written;
    [png, pnm, tiff, ("Jpeg".into(), stored("color.jpg"))]
}

#[test]
fn files_cut_short_anywhere_are_one_clear_error_and_never_a_panic() {
    for (format, bytes) in files() {
        open(&bytes, true).unwrap();
        let step = (bytes.len() / 60).max(1);
        // A PNG without the last checksum is read: all pixels are there.
        let last = if format == "Png" { bytes.len() - 5 } else { bytes.len() - 1 };
        for length in (0..last).step_by(step).chain([last]) {
            let message = problem(&bytes[..length]);
            assert!(message.contains("PNG, JPEG, PNM or TIFF"), "{format} {length}: {message}");
        }
    }
}

#[test]
fn a_jpeg_with_fewer_bytes_than_its_size_needs_is_refused() {
    for name in ["gray.jpg", "color.jpg", "progressive.jpg"] {
        let mut bytes = stored(name);
        // Height and width in the head of the frame, whose marker is ff c0 or ff c2.
        let frame = bytes.windows(2).position(|pair| pair == [0xff, 0xc0] || pair == [0xff, 0xc2]).unwrap();
        assert_eq!(bytes[frame + 5..frame + 9], [0, 30, 0, 40], "{name}");
        bytes[frame + 5..frame + 9].copy_from_slice(&[0x1e, 0, 0x28, 0]);
        let message = problem(&bytes);
        assert!(message.contains("bytes are too few for 10240×7680 pixels"), "{message}");
    }
}

#[test]
fn garbage_is_one_clear_error_and_never_a_panic() {
    for bytes in
        [&b"hello, I am no image"[..], b"GIF89a\x01\0\x01\0", b"\x93NUMPY", b"P6 0 0 255\n", &[0; 100]]
    {
        let message = problem(bytes);
        assert!(message.contains("expected"), "{message}");
    }
    // Single bytes changed: what remains readable may be read, the rest is refused.
    let mut random = Random::new(5);
    for (_, bytes) in files() {
        for _ in 0..300 {
            let mut broken = bytes.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(broken.len());
                broken[at] = random.below(256) as u8;
            }
            match open(&broken, random.chance(0.5)) {
                Ok((image, _)) => assert!(image.values().iter().all(|v| (0.0..=1.0).contains(v))),
                Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
            }
        }
    }
    let missing = Image::open(Path::new("no such picture.png"), true);
    assert!(matches!(missing, Err(Error::Io { .. })));
}

#[test]
fn a_small_file_that_claims_to_be_huge_is_refused() {
    for bytes in [
        png(60_000, 60_000, 8, 2, &[], &[0; 100]),
        b"P6 100000 100000 255\n123".to_vec(),
        b"P2 4294967295 4294967295 255\n1".to_vec(),
    ] {
        let message = problem(&bytes);
        assert!(message.contains("pixels") || message.contains("memory"), "{message}");
    }
}

// ---------------------------------------------------------------- reconstruction

#[test]
fn a_dictionary_that_spans_everything_gives_the_image_back() {
    for (rows, cols, color) in [(17, 23, false), (12, 9, true), (5, 5, false)] {
        let image = tessellation(rows, cols, color, 1).unwrap();
        let channels = image.channels();
        for boundary in [Boundary::Free, Boundary::Periodic] {
            for (high, wide) in [(5, 5), (3, 4), (1, 1)] {
                let mut factorizer = identity(high * wide * channels);
                for stride in 1..=high.min(wide) {
                    let overlap = Overlap { window: Window { rows: high, cols: wide, boundary }, stride };
                    let rebuilt = whole(overlap, &mut factorizer, &image);
                    assert_eq!((rebuilt.shape, rebuilt.channels), ((rows, cols), channels));
                    let error = rebuilt.values.iter().zip(image.to_f64()).map(|(a, b)| (a - b).abs());
                    assert!(
                        error.fold(0.0, f64::max) < 1e-6,
                        "{rows}×{cols} {boundary:?} {high}×{wide} {stride}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_mean_over_patches_is_the_plain_mean_of_the_reconstructed_patches() {
    // An atom that is one at the first place of the patch only: each place is reconstructed by the patch that begins there
    // and is zero in all others.
    let image = tessellation(8, 10, false, 2).unwrap();
    let parameters = FactorSettings { lambda: 0.0, ..FactorSettings::new(1) };
    let atom = Mat::from_fn(6, 1, |i, _| if i == 0 { 1.0 } else { 0.0 });
    let mut factorizer = Factorizer::<f64>::from_dictionary(parameters, atom.as_ref()).unwrap();
    let window = Window { rows: 2, cols: 3, boundary: Boundary::Periodic };
    let rebuilt = whole(Overlap { window, stride: 1 }, &mut factorizer, &image);
    assert_eq!(rebuilt.patches, 80);
    for (a, b) in rebuilt.values.iter().zip(image.to_f64()) {
        assert!((a - b / 6.0).abs() < 1e-7);
    }
    // Inside free edges the first corner is covered by one patch, the last by none that begins there.
    let window = Window { boundary: Boundary::Free, ..window };
    let rebuilt = whole(Overlap { window, stride: 1 }, &mut factorizer, &image);
    assert_eq!(rebuilt.patches, 7 * 8);
    assert!((rebuilt.values[0] - image.to_f64()[0]).abs() < 1e-7 && rebuilt.values[79] == 0.0);
}

#[test]
fn a_constant_image_needs_one_atom() {
    let image = Image::new((9, 11), 3, vec![0.25; 9 * 11 * 3]).unwrap();
    let mut factorizer =
        Factorizer::<f64>::random(FactorSettings { lambda: 0.0, ..FactorSettings::new(2) }, 4 * 4 * 3, 0)
            .unwrap();
    let mut x = Mat::zeros(0, 0);
    let window = window(4, Boundary::Periodic);
    let mut rng = stream(0, Purpose::Patches, 0);
    for _ in 0..50 {
        window.sample(&image, 20, &mut rng, &mut x).unwrap();
        factorizer.step(x.as_ref()).unwrap();
    }
    let rebuilt = whole(Overlap { window, stride: 3 }, &mut factorizer, &image);
    assert!(relative_error(&rebuilt.values, &image.to_f64()) < 1e-3);
    let larger = Image::new((10, 11), 3, vec![0.25; 10 * 11 * 3]).unwrap();
    assert_eq!(noise_level(&larger).unwrap(), 0.0);
    let black = Image::new((9, 11), 3, vec![0.0; 9 * 11 * 3]).unwrap();
    let rebuilt = whole(Overlap { window, stride: 3 }, &mut factorizer, &black);
    assert_eq!(relative_error(&rebuilt.values, &black.to_f64()), 0.0);
    assert_eq!(psnr(&rebuilt.values, &black.to_f64(), 1.0), f64::INFINITY);
    assert_eq!(rebuilt.image().unwrap(), black);
}

#[test]
fn what_does_not_fit_is_refused() {
    let image = tessellation(6, 20, false, 0).unwrap();
    let mut factorizer = identity(49);
    let mut refuse = |rows, cols, stride, words: &str| {
        let overlap = Overlap { window: Window { rows, cols, boundary: Boundary::Free }, stride };
        let message = overlap.reconstruct(&mut factorizer, &image, &mut |_, _| true).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    };
    refuse(7, 7, 1, "the patch is 7×7, but at most 6×20");
    refuse(1, 49, 1, "at most 6×20");
    refuse(5, 5, 0, "the stride is 0");
    refuse(5, 5, 6, "the stride is 6, but it must be at least 1 and at most 5");
    refuse(5, 8, 6, "at most 5");
    refuse(5, 5, 2, "one of 49 numbers");
    for lambda in [-1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let text = with_lambda(&factorizer, lambda).err().unwrap().to_string();
        assert!(text.contains("not negative"), "{lambda}: {text}");
    }
    assert_eq!(with_lambda(&factorizer, 0.5).unwrap().parameters().lambda, 0.5);
}

#[test]
fn progress_is_reported_and_can_stop_the_work() {
    let image = tessellation(60, 60, false, 0).unwrap();
    let overlap = Overlap { window: window(4, Boundary::Periodic), stride: 1 };
    let mut told = Vec::new();
    let mut seen = |done, of| {
        told.push((done, of));
        true
    };
    overlap.reconstruct(&mut identity(16), &image, &mut seen).unwrap().unwrap();
    assert!(told.len() > 2 && told.is_sorted() && told.iter().all(|t| t.1 == 3600));
    assert_eq!(told.last(), Some(&(3600, 3600)));
    assert!(overlap.reconstruct(&mut identity(16), &image, &mut |_, _| false).unwrap().is_none());
}

/// Learns from patches at the positions of `place`, batch by batch.
fn learn(
    image: &Image,
    window: Window,
    parameters: FactorSettings,
    steps: usize,
    mut place: impl FnMut() -> (usize, usize),
) -> Factorizer<f64> {
    let features = window.features(image.channels());
    let mut x = Mat::zeros(features, 100);
    let mut factorizer = Factorizer::random(parameters, features, 0).unwrap();
    for _ in 0..steps {
        (0..100).for_each(|j| window.copy(image, place(), x.col_mut(j)));
        factorizer.step(x.as_ref()).unwrap();
    }
    factorizer
}

/// Relative errors of the reconstruction by dictionaries learned from independent places and from a walk.
fn iid_and_walk(seed: u64) -> (f64, f64) {
    let image = tessellation(96, 96, false, seed).unwrap();
    let window = window(8, Boundary::Periodic);
    let overlap = Overlap { window, stride: 4 };
    let parameters = FactorSettings { lambda: 0.1, ..FactorSettings::new(36) };
    let mut rng = stream(seed, Purpose::Chain, 0);
    let mut iid = learn(&image, window, parameters.clone(), 100, || {
        (below(&mut rng, 96) as usize, below(&mut rng, 96) as usize)
    });
    let mut at = (0, 0);
    let mut walk = learn(&image, window, parameters, 100, || {
        let (row, col) = at;
        at = match below(&mut rng, 4) {
            0 => ((row + 1) % 96, col),
            1 => ((row + 95) % 96, col),
            2 => (row, (col + 1) % 96),
            _ => (row, (col + 95) % 96),
        };
        at
    });
    let error =
        |factorizer: &mut _| relative_error(&whole(overlap, factorizer, &image).values, &image.to_f64());
    (error(&mut iid), error(&mut walk))
}

#[test]
fn a_walk_learns_nearly_as_well_as_independent_places() {
    let (iid, walk) = iid_and_walk(0);
    // Over 14 seeds the errors were 0.164 to 0.181, and their ratio 0.980 to 1.039.
    assert!(iid < 0.2 && walk < 1.1 * iid, "independent {iid}, walk {walk}");
}

#[test]
fn the_noise_level_is_met() {
    let flat = Image::new((128, 128), 1, vec![0.5; 128 * 128]).unwrap();
    for (seed, sigma) in [(0, 0.02), (1, 0.1), (2, 0.3)] {
        let level = noise_level(&noisy(&flat, sigma, seed)).unwrap();
        // Over 40 seeds it was 0.956 to 1.034 of the truth, with a standard deviation of 0.019.
        assert!((level / sigma - 1.0).abs() < 0.09, "{level} {sigma}");
    }
    for shape in [(9, 30), (30, 9), (1, 1)] {
        let small = Image::new(shape, 1, vec![0.5; shape.0 * shape.1]).unwrap();
        let text = noise_level(&small).unwrap_err().to_string();
        assert!(text.contains(&format!("{}×{}", shape.0, shape.1)) && text.contains("10×10"), "{text}");
    }
}

/// A frame of `width` pixels that is white whatever the noise.
fn overexposed(image: &Image, width: usize) -> Image {
    let (rows, cols) = image.shape();
    let inside = |at: usize, side: usize| (width..side - width).contains(&at);
    let values = image.values().iter().enumerate();
    let values = values.map(|(k, v)| if inside(k / cols, rows) && inside(k % cols, cols) { *v } else { 1.0 });
    Image::new((rows, cols), 1, values.collect()).unwrap()
}

#[test]
fn saturated_places_do_not_hide_the_noise() {
    let flat = Image::new((128, 128), 1, vec![0.5; 128 * 128]).unwrap();
    // 4, 10, 19 and 34 % of the image.
    for (seed, width) in [(0, 1), (1, 3), (2, 6), (3, 12)] {
        let level = noise_level(&overexposed(&noisy(&flat, 0.1, seed), width)).unwrap();
        assert!((level / 0.1 - 1.0).abs() < 0.09, "{level} with a frame of {width}");
    }
    // A drawing has none, though nothing is flat along its slanted edge.
    let mut drawing = vec![0.0_f32; 128 * 128];
    (0..128).for_each(|row| drawing[row * 128..][..row].fill(1.0));
    assert_eq!(noise_level(&Image::new((128, 128), 1, drawing).unwrap()).unwrap(), 0.0);
}

#[test]
fn clipping_does_not_hide_the_noise() {
    // A ramp from black to white: a third of it has noise that was cut off.
    let ramp =
        Image::new((128, 128), 1, (0..128 * 128).map(|at| (at % 128) as f32 / 127.0).collect()).unwrap();
    for (seed, sigma) in [(0, 0.05), (1, 0.1), (2, 0.2)] {
        let cut = noisy(&ramp, sigma, seed).values().iter().map(|v| v.clamp(0.0, 1.0)).collect();
        let level = noise_level(&Image::new((128, 128), 1, cut).unwrap()).unwrap();
        assert!((level / sigma - 1.0).abs() < 0.12, "{level} for {sigma}");
    }
}

fn done(
    image: &Image,
    atoms: Option<&Mat<f32>>,
    settings: &DenoiseSettings,
) -> ergodict::reconstruct::Denoised {
    denoise(image, atoms, settings, &mut |_, _| true).unwrap().unwrap()
}

#[test]
fn denoising_raises_the_psnr_in_gray_and_in_color() {
    for (color, gain) in [(false, 2.5), (true, 2.5)] {
        let clean = tessellation(96, 96, color, 0).unwrap();
        let dirty = noisy(&clean, 0.1, 0);
        let known = DenoiseSettings { sigma: Some(0.1), ..DenoiseSettings::default() };
        let against = |values: &[f64]| psnr(values, &clean.to_f64(), 1.0);
        let (before, after) = (against(&dirty.to_f64()), against(&done(&dirty, None, &known).image.values));
        assert!(after > before + gain, "{before} dB before, {after} dB after, color {color}");
    }
}

#[test]
fn each_patch_is_coded_down_to_the_noise_and_no_further() {
    // Under the single pixels as atoms the error is what is left out, and a constant image is its mean.
    let flat = Image::new((64, 64), 1, vec![0.5; 64 * 64]).unwrap();
    let dirty = noisy(&flat, 0.1, 1);
    let known = DenoiseSettings { sigma: Some(0.1), ..DenoiseSettings::default() };
    let found = done(&dirty, None, &known);
    assert!(found.mean_atoms < 1.0 && found.kept == 0.0, "{} atoms", found.mean_atoms);
    assert!(psnr(&found.image.values, &flat.to_f64(), 1.0) > 33.0);
    // Noise of σ under 0.05 is all detail, which few atoms do not describe.
    let less = done(&dirty, None, &DenoiseSettings { sigma: Some(0.05), ..known });
    assert!(less.mean_atoms > found.mean_atoms);
}

#[test]
fn an_image_without_noise_stays_nearly_as_it_is() {
    let clean = tessellation(64, 64, false, 2).unwrap();
    for (sigma, least) in [(0.0, f64::INFINITY), (1e-6, 100.0), (1e-3, 58.0), (0.01, 38.0)] {
        let settings = DenoiseSettings { sigma: Some(sigma), ..DenoiseSettings::default() };
        let found = done(&clean, None, &settings);
        let psnr = psnr(&found.image.values, &clean.to_f64(), 1.0);
        assert!(psnr >= least, "{psnr} dB for σ {sigma}");
    }
    let constant = Image::new((20, 30), 3, vec![0.25; 1800]).unwrap();
    let found = done(&constant, None, &DenoiseSettings::default());
    assert!(found.sigma == 0.0 && found.image.values.iter().all(|v| *v == 0.25));
}

#[test]
fn given_atoms_and_any_threads_give_the_same_bytes() {
    let dirty = noisy(&tessellation(60, 50, false, 1).unwrap(), 0.1, 3);
    let settings = DenoiseSettings { seed: 4, atoms: 100, patch: Shape(6, 5), ..DenoiseSettings::default() };
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| done(&dirty, None, &settings))
    };
    let (one, three) = (run(1), run(3));
    assert!(one.image == three.image && one.model.w == three.model.w);
    // The atoms that were learned, given: the same image but for the rounding of their means, which are taken out again.
    let again = done(&dirty, Some(&one.model.w.cast()), &settings);
    assert!(relative_error(&again.image.values, &one.image.values) < 1e-3);
    // With a mean, which patches do not have, as well.
    let shifted = Mat::from_fn(30, 100, |i, k| one.model.w.get(i, k) as f32 + 0.25);
    let again = done(&dirty, Some(&shifted), &settings);
    assert!(relative_error(&again.image.values, &one.image.values) < 1e-3);
}

#[test]
fn patches_a_pixel_wide_have_atoms_and_remove_noise() {
    let clean = tessellation(96, 96, false, 0).unwrap();
    let dirty = noisy(&clean, 0.1, 0);
    let against = |values: &[f64]| psnr(values, &clean.to_f64(), 1.0);
    for patch in [Shape(1, 12), Shape(12, 1)] {
        let found =
            done(&dirty, None, &DenoiseSettings { patch, sigma: Some(0.1), ..DenoiseSettings::default() });
        let zero = (0..found.model.w.cols()).filter(|&k| found.model.w.col(k).iter().all(|w| *w == 0.0));
        assert_eq!(zero.count(), 0, "{patch}");
        let (before, after) = (against(&dirty.to_f64()), against(&found.image.values));
        assert!(found.mean_atoms > 0.0 && after > before + 1.0, "{before} dB before, {after} after {patch}");
    }
}

#[test]
fn what_cannot_be_denoised_is_refused_and_work_can_be_stopped() {
    let image = tessellation(30, 30, false, 0).unwrap();
    let plain = DenoiseSettings::default();
    let refused = |settings: &DenoiseSettings, atoms: Option<&Mat<f32>>| {
        denoise(&image, atoms, settings, &mut |_, _| true).unwrap_err().to_string()
    };
    for sigma in [-1.0, f64::NAN, f64::INFINITY] {
        let text = refused(&DenoiseSettings { sigma: Some(sigma), ..plain.clone() }, None);
        assert!(text.contains("sigma is") && text.contains("not negative"), "{text}");
    }
    let text = refused(&DenoiseSettings { patch: Shape(31, 8), ..plain.clone() }, None);
    assert!(text.contains("31×8") && text.contains("30×30"), "{text}");
    assert!(refused(&DenoiseSettings { atoms: 0, ..plain.clone() }, None).contains("atoms"));
    assert!(refused(&DenoiseSettings { stride: Some(9), ..plain.clone() }, None).contains("stride"));
    assert!(refused(&plain, Some(&Mat::zeros(35, 3))).contains("35"));
    // Patches of a pixel have nothing but their mean.
    assert!(refused(&DenoiseSettings { patch: Shape(1, 1), ..plain.clone() }, None).contains("patch is 1"));
    let small = Image::new((9, 9), 1, vec![0.5; 81]).unwrap();
    let text = denoise(&small, None, &plain, &mut |_, _| true).unwrap_err().to_string();
    assert!(text.contains("9×9") && text.contains("sigma"), "{text}");
    done(&small, None, &DenoiseSettings { sigma: Some(0.1), ..plain.clone() });
    let mut calls = 0;
    let stopped = denoise(&image, None, &DenoiseSettings { sigma: Some(0.1), ..plain }, &mut |seen, all| {
        calls += 1;
        assert!(seen <= all);
        calls < 3
    });
    assert!(stopped.unwrap().is_none() && calls == 3);
}
