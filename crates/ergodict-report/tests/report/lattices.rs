//! What pictures, colors of atoms, sheets and GIF files promise: right pixels, small files, errors by name.

use crate::reading::{base64_decoded, decoded, parsed};
use ergodict_report::{
    AtomGrid, Color, GifError, GifWriter, Palette, Picture, PictureError, Pictures, Shade, atoms_png,
    frame_png,
};

const BLACK: [u8; 4] = [0, 0, 0, 255];
const WHITE: [u8; 4] = [255; 4];
const BLUE: [u8; 4] = [0x00, 0x72, 0xb2, 255];
const ORANGE: [u8; 4] = [0xd5, 0x5e, 0x00, 255];
const CLEAR: [u8; 4] = [0; 4];
const INK: Shade = Shade::Ink { low: -1.0, high: 1.0 };
const PHOTO: Shade = Shade::Photo { low: 0.0, high: 1.0 };

/// Bytes that do not compress.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..count).map(|_| next()).collect()
}

fn pixels(values: &[f64], shape: (usize, usize), shade: Shade) -> Vec<[u8; 4]> {
    let (width, height, pixels) = decoded(&Picture::new(values, shape, shade).png(1).unwrap());
    assert_eq!((height as usize, width as usize), shape);
    pixels
}

/// Type and depth of a PNG file.
fn stored(file: &[u8]) -> (png::ColorType, png::BitDepth) {
    let reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    (reader.info().color_type, reader.info().bit_depth)
}

#[test]
fn every_shade_gives_the_expected_pixels() {
    const NAN: f64 = f64::NAN;
    assert_eq!(pixels(&[-1.0, 1.0, NAN], (1, 3), INK), [WHITE, BLACK, CLEAR]);
    assert_eq!(pixels(&[0.0, 1.0, 7.0], (3, 1), PHOTO), [BLACK, WHITE, WHITE]);
    let signed = Shade::Signed { full: 2.0 };
    assert_eq!(pixels(&[-2.0, 0.0, 5.0, NAN], (2, 2), signed), [BLUE, WHITE, ORANGE, CLEAR]);
    let heat = pixels(&[0.0, 0.5, 1.0], (1, 3), Shade::Heat { full: 1.0 });
    assert_eq!(heat[0], WHITE);
    let light = |p: [u8; 4]| u32::from(p[0]) + u32::from(p[1]) + u32::from(p[2]);
    assert!(light(heat[0]) > light(heat[1]) && light(heat[1]) > light(heat[2]));
    assert_eq!(pixels(&[1.0, 0.0, 0.0, NAN, 0.0, 0.0], (1, 2), Shade::Rgb), [[255, 0, 0, 255], CLEAR]);
    assert_eq!(pixels(&[0.0, 1.0, 2.0, NAN], (1, 4), Shade::Labels), [WHITE, BLUE, ORANGE, CLEAR]);
}

#[test]
fn cells_are_squares() {
    let (width, height, pixels) = decoded(&Picture::new(&[-1.0, 1.0], (1, 2), INK).png(3).unwrap());
    assert_eq!((width, height), (6, 3));
    assert_eq!(pixels, [WHITE, WHITE, WHITE, BLACK, BLACK, BLACK].repeat(3));
    assert_eq!(decoded(&Picture::new(&[0.0], (1, 1), INK).png(0).unwrap()).0, 1);
}

#[test]
fn files_use_the_smallest_form_and_keep_every_pixel() {
    use png::{BitDepth, ColorType};
    // Odd widths leave bits unused at the end of each row.
    let bytes = noise(61 * 67);
    let of = |f: &dyn Fn(u8) -> f64| bytes.iter().map(|&b| f(b)).collect::<Vec<f64>>();
    let colors = of(&|b| f64::from(b) / 255.0).repeat(3);
    let cases = [
        (of(&|b| f64::from(b % 2)), Shade::Labels, ColorType::Indexed, BitDepth::One),
        (of(&|b| f64::from(b % 4)), Shade::Labels, ColorType::Indexed, BitDepth::Two),
        (of(&|b| f64::from(b % 16)), Shade::Labels, ColorType::Indexed, BitDepth::Four),
        (of(&|b| f64::from(b) / 255.0), PHOTO, ColorType::Grayscale, BitDepth::Eight),
        (of(&|b| f64::from(b) - 128.0), Shade::Signed { full: 128.0 }, ColorType::Indexed, BitDepth::Eight),
        (colors, Shade::Rgb, ColorType::Rgb, BitDepth::Eight),
    ];
    for (values, shade, color, depth) in cases {
        let picture = Picture::new(&values, (61, 67), shade);
        let file = picture.png(1).unwrap();
        assert_eq!(stored(&file), (color, depth), "{shade:?}");
        let alone = |k: usize| {
            let place = &values[k * picture.channels..(k + 1) * picture.channels];
            pixels(place, (1, 1), shade)[0]
        };
        let all = decoded(&file).2;
        for k in (0..61 * 67).step_by(13) {
            assert_eq!(all[k], alone(k), "{shade:?} at {k}");
        }
    }
}

#[test]
fn pictures_stand_side_by_side_with_their_labels() {
    let (image, wide) = ([0.0, 0.5, 0.5, 1.0], [0.0; 8]);
    let pictures = Pictures::new(vec![
        (Picture::new(&image, (2, 2), PHOTO), "one & <two>".into()),
        (Picture::new(&wide, (2, 4), PHOTO), String::new()),
    ]);
    let svg = pictures.svg().unwrap();
    let document = parsed(&svg);
    let images: Vec<_> = document.descendants().filter(|n| n.has_tag_name("image")).collect();
    let number = |n: &roxmltree::Node<'_, '_>, name: &str| -> f64 {
        n.attribute(name).map_or(0.0, |v| v.parse().unwrap())
    };
    let file = base64_decoded(&images[0].attribute("href").unwrap()["data:image/png;base64,".len()..]);
    assert_eq!(decoded(&file).2, [BLACK, [128, 128, 128, 255], [128, 128, 128, 255], WHITE]);
    assert_eq!((number(&images[0], "width"), number(&images[0], "height")), (295.0, 295.0));
    assert_eq!((number(&images[1], "width"), number(&images[1], "height")), (295.0, 147.5));
    assert!((number(&images[1], "y") - 73.8).abs() < 0.1, "a flat picture stands in the middle of its tile");
    let texts: Vec<_> =
        document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect();
    assert_eq!(texts, ["one & <two>"]);
    assert!(document.root_element().attribute("viewBox").unwrap().starts_with("0 0 602 "));
    assert!(svg.contains("image-rendering:pixelated"));
}

#[test]
fn large_pictures_are_not_enlarged_and_lattices_are_small() {
    let spins: Vec<f64> = noise(1_000_000).iter().map(|b| f64::from(b % 2)).collect();
    let size = |n: usize| {
        let svg =
            Pictures::new(vec![(Picture::new(&spins[..n * n], (n, n), INK), String::new())]).svg().unwrap();
        let document = parsed(&svg);
        let image = document.descendants().find(|n| n.has_tag_name("image")).unwrap();
        (image.attribute("width").unwrap().to_owned(), svg.len())
    };
    assert_eq!(size(450).0, "450");
    assert_eq!(size(399).0, "600");
    assert_eq!(size(1000).0, "600");
    let mixed = Pictures {
        columns: Some(1),
        ..Pictures::new(vec![
            (Picture::new(&spins[..450 * 450], (450, 450), INK), String::new()),
            (Picture::new(&spins[..4], (2, 2), INK), String::new()),
        ])
    };
    let svg = mixed.svg().unwrap();
    let document = parsed(&svg);
    // The third is the scale.
    let images = document.descendants().filter(|n| n.has_tag_name("image")).take(2);
    assert_eq!(images.filter_map(|n| n.attribute("width")).collect::<Vec<_>>(), ["450", "600"]);
    // One bit for each spin, a third more in base 64, and the scale.
    assert!(size(200).1 < 8_500, "{}", size(200).1);
    assert!(size(1000).1 < 170_000, "{}", size(1000).1);
}

#[test]
fn colors_of_numbers_have_a_scale() {
    let (spins, error) = ([1.0, -1.0], [0.1, 0.3]);
    let texts = |items: &[(Shade, &[f64], &str)]| -> Vec<String> {
        let items = items
            .iter()
            .map(|(shade, values, label)| (Picture::new(values, (1, 2), *shade), (*label).to_owned()));
        let svg = Pictures::new(items.collect()).svg().unwrap();
        parsed(&svg)
            .descendants()
            .filter(|n| n.has_tag_name("text"))
            .filter_map(|n| n.text())
            .map(str::to_owned)
            .collect()
    };
    let heat = Shade::Heat { full: 0.25 };
    let all = texts(&[(INK, &spins, "spins"), (INK, &spins, "again"), (heat, &error, "error")]);
    assert_eq!(all, ["spins", "again", "error", "−1", "1", "error: 0", "≥ 0.25"]);
    assert_eq!(texts(&[(PHOTO, &error, "photograph")]), ["photograph"]);
    assert_eq!(texts(&[(Shade::Heat { full: 0.5 }, &error, "")]), ["0", "0.5"]);
}

#[test]
fn pictures_that_cannot_be_drawn_are_refused_by_name() {
    let values = [0.0; 6];
    let refused = |values: &[f64], shape, shade| Picture::new(values, shape, shade).png(1).unwrap_err();
    assert_eq!(
        refused(&values, (2, 2), PHOTO),
        PictureError::Shape { picture: 0, entries: 6, rows: 2, cols: 2, channels: 1 }
    );
    assert_eq!(
        refused(&values, (1, 3), Shade::Rgb).to_string(),
        "picture 0 has 6 entries, but a shape of 1 × 3 × 3 needs 9"
    );
    assert!(matches!(refused(&[], (0, 3), PHOTO), PictureError::Empty { .. }));
    assert!(matches!(refused(&values, (usize::MAX, 2), PHOTO), PictureError::Shape { .. }));
    let backwards = Shade::Photo { low: 1.0, high: 0.0 };
    assert_eq!(refused(&values, (2, 3), backwards), PictureError::Scale { low: 1.0, high: 0.0 });
    for label in [-1.0, 0.5] {
        let error = refused(&[0.0, label], (1, 2), Shade::Labels);
        assert!(matches!(error, PictureError::Label { entry: 1, value, .. } if value == label), "{error}");
    }
    let gray_with_two = Picture { channels: 2, ..Picture::new(&values, (1, 3), PHOTO) };
    assert!(matches!(gray_with_two.png(1), Err(PictureError::Channels { channels: 2, .. })));
    assert!(matches!(
        Picture::new(&values, (2, 3), PHOTO).png(usize::MAX),
        Err(PictureError::TooLarge { .. })
    ));
    assert!(matches!(Pictures::default().svg(), Err(PictureError::Empty { pictures: 0, .. })));
    let second = Pictures::new(vec![
        (Picture::new(&values, (2, 3), PHOTO), String::new()),
        (Picture::new(&values, (2, 2), PHOTO), String::new()),
    ]);
    assert!(matches!(second.svg(), Err(PictureError::Shape { picture: 1, .. })));
}

/// The pixels of the only atom of `grid`.
fn atom(grid: &AtomGrid<'_>) -> Vec<[u8; 4]> {
    let (width, _, pixels) = decoded(&atoms_png(grid, 1).unwrap());
    let (rows, cols) = grid.shape;
    (0..rows).flat_map(|r| pixels[(r + 2) * width as usize + 2..][..cols].to_vec()).collect()
}

#[test]
fn atoms_come_in_color() {
    let rgb = |atoms: &[Vec<f64>]| {
        atom(&AtomGrid { channels: 3, color: Color::Rgb, ..AtomGrid::new(atoms, (1, 2)) })
    };
    assert_eq!(rgb(&[vec![4.0, 2.0, 0.0, 0.0, 0.0, 0.0]]), [[255, 128, 0, 255], BLACK]);
    assert_eq!(rgb(&[vec![-4.0, 4.0, 2.0, 0.0, 0.0, f64::NAN]]), [[0, 255, 191, 255], CLEAR]);
    assert_eq!(rgb(&[vec![-4.0, 4.0, 2.0, 0.0, 0.0, 0.0]])[1], [128, 128, 128, 255]);

    let labels = |atom_: Vec<f64>| {
        atom(&AtomGrid { channels: 3, color: Color::Labels, ..AtomGrid::new(&[atom_], (2, 2)) })
    };
    let mixed = labels(vec![2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 1.0, 0.0]);
    assert_eq!(mixed, [WHITE, BLUE, ORANGE, [128, 185, 217, 255]]);
    let odd = labels(vec![0.0, 1.0, 1.0, 0.0, -1.0, 0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0, 2.0]);
    assert_eq!(odd, [[107, 104, 89, 255], WHITE, CLEAR, ORANGE]);
    assert_eq!(labels(vec![0.0; 12]), [WHITE; 4]);

    let atoms = [vec![1.0; 12]];
    for color in [Color::Gray, Color::Signed, Color::Rgb] {
        let grid = AtomGrid { channels: 2, color, ..AtomGrid::new(&atoms, (2, 3)) };
        assert!(matches!(grid.svg(), Err(PictureError::Channels { channels: 2, .. })), "{color:?}");
    }
    assert!(matches!(
        AtomGrid { channels: 0, ..AtomGrid::new(&atoms, (2, 3)) }.sheet(),
        Err(PictureError::Empty { .. })
    ));
}

#[test]
fn a_sheet_is_one_small_image() {
    let bytes = noise(100 * 400);
    let atoms: Vec<Vec<f64>> = bytes.chunks(400).map(|c| c.iter().map(|&b| f64::from(b)).collect()).collect();
    let signed: Vec<Vec<f64>> = atoms.iter().map(|a| a.iter().map(|v| v - 128.0).collect()).collect();
    for atoms in [&atoms, &signed] {
        let svg = AtomGrid::new(atoms, (20, 20)).sheet().unwrap();
        let document = parsed(&svg);
        let images: Vec<_> = document.descendants().filter_map(|n| n.attribute("href")).collect();
        assert_eq!(images.len(), 1);
        let (width, height, pixels) = decoded(&base64_decoded(&images[0][22..]));
        assert_eq!((width, height), (211, 211), "a gap of one pixel around each atom");
        assert_ne!(pixels[212], pixels[0]);
        assert!(document.root_element().attribute("viewBox").unwrap().starts_with("0 0 600 600"));
        // Noise is the worst case: twelve sheets stay below a megabyte.
        assert!(12 * svg.len() < 1_000_000, "{} bytes", svg.len());
    }
    let small = AtomGrid::new(&[vec![0.0, 1.0]], (1, 2)).sheet().unwrap();
    assert!(small.contains(r#"viewBox="0 0 144 "#), "{small}");
}

#[test]
fn frames_are_pictures() {
    let (width, _, pixels) = decoded(&frame_png(&[1, -1, 0, 1], (2, 2), Palette::BlackWhite, 2).unwrap());
    let at = |x: usize, y: usize| pixels[y * width as usize + x];
    assert_eq!([at(0, 0), at(3, 1), at(1, 3), at(2, 2)], [BLACK, WHITE, WHITE, BLACK]);
    assert_eq!(decoded(&frame_png(&[0, 1, 2], (1, 3), Palette::Labels, 1).unwrap()).2, [WHITE, BLUE, ORANGE]);
    for (frame, palette) in
        [([0, 2], Palette::BlackWhite), ([0, -2], Palette::BlackWhite), ([0, -1], Palette::Labels)]
    {
        let error = frame_png(&frame, (1, 2), palette, 1).unwrap_err();
        assert!(matches!(error, PictureError::Label { entry: 1, .. }), "{error}");
    }
    assert_eq!(
        frame_png(&[0, 2], (1, 2), Palette::BlackWhite, 1).unwrap_err().to_string(),
        "entry 1 is 2, but it must be a spin: −1, 0 or 1"
    );
}

/// Delay and RGBA pixels.
type Frame = (u16, Vec<[u8; 4]>);

/// Width, height, repetition and frames.
fn gif_frames(file: &[u8]) -> (u16, u16, gif::Repeat, Vec<Frame>) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(file).unwrap();
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        frames.push((frame.delay, frame.buffer.chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]]).collect()));
    }
    (decoder.width(), decoder.height(), decoder.repeat(), frames)
}

#[test]
fn gifs_hold_the_frames_and_loop() {
    let mut writer = GifWriter::new(Vec::new(), (1, 2), Palette::BlackWhite, 2, 125).unwrap();
    writer.frame(&[-1, 1]).unwrap();
    writer.frame(&[1, 0]).unwrap();
    let (width, height, repeat, frames) = gif_frames(&writer.finish().unwrap());
    assert_eq!((width, height, repeat), (4, 2, gif::Repeat::Infinite));
    assert_eq!(frames[0], (13, [WHITE, WHITE, BLACK, BLACK].repeat(2)));
    assert_eq!(frames[1], (13, [BLACK, BLACK, WHITE, WHITE].repeat(2)));

    let mut writer = GifWriter::new(Vec::new(), (1, 128), Palette::Labels, 1, 0).unwrap();
    let labels: Vec<i8> = (0..=127).collect();
    writer.frame(&labels).unwrap();
    let (_, _, _, frames) = gif_frames(&writer.finish().unwrap());
    assert_eq!(frames[0].0, 2);
    assert_eq!(frames[0].1, decoded(&frame_png(&labels, (1, 128), Palette::Labels, 1).unwrap()).2);

    let large = GifWriter::new(Vec::new(), (300, 500), Palette::BlackWhite, 8, 50).and_then(|mut w| {
        w.frame(&vec![1; 150_000])?;
        w.finish()
    });
    let (width, height, _, _) = gif_frames(&large.unwrap());
    assert_eq!((width, height), (500, 300));
}

#[test]
fn gifs_that_cannot_be_written_say_why() {
    let new = |shape| GifWriter::new(Vec::new(), shape, Palette::BlackWhite, 4, 100);
    assert!(matches!(new((0, 4)), Err(GifError::Picture(PictureError::Empty { .. }))));
    assert!(matches!(new((1, 70_000)), Err(GifError::Picture(PictureError::TooLarge { .. }))));
    assert!(matches!(new((usize::MAX, usize::MAX)), Err(GifError::Picture(PictureError::TooLarge { .. }))));
    let mut writer = new((2, 2)).unwrap();
    writer.frame(&[1; 4]).unwrap();
    let short = writer.frame(&[1; 3]).unwrap_err();
    assert!(
        matches!(short, GifError::Picture(PictureError::Shape { picture: 1, entries: 3, .. })),
        "{short}"
    );
    let odd = writer.frame(&[1, 1, 3, 1]).unwrap_err();
    assert!(matches!(odd, GifError::Picture(PictureError::Label { entry: 2, .. })), "{odd}");
    assert_eq!(gif_frames(&writer.finish().unwrap()).3.len(), 1, "refused frames leave no trace");
    assert!(matches!(new((2, 2)).unwrap().finish(), Err(GifError::Picture(PictureError::Empty { .. }))));
    let mut room = [0u8; 20];
    let full = GifWriter::new(&mut room[..], (2, 2), Palette::BlackWhite, 4, 100).err().unwrap();
    assert!(matches!(full, GifError::Io(_)), "{full}");
}
