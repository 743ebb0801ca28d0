//! What the pictures promise: well-formed SVG, escaped text, nothing invented where data are missing, right pixels.

use crate::reading::{base64_decoded, decoded, parsed};
use ergodict_report::{AtomGrid, AtomProfile, Color, LineChart, PictureError, Series, atoms_png};
use roxmltree::{Document, Node};

fn chart(log: bool, series: &[&[(f64, f64)]]) -> String {
    let series = series.iter().enumerate().map(|(i, p)| Series::new(format!("series {i}"), *p)).collect();
    let labels = ("iteration".to_owned(), "loss".to_owned());
    LineChart { x_label: labels.0, y_label: labels.1, log_x: log, log_y: log, series, ..LineChart::default() }
        .svg()
}

/// The lines of the series (not their dots), as path data.
fn lines(document: &Document<'_>) -> Vec<String> {
    let of_series = |n: &Node<'_, '_>| {
        n.parent().and_then(|p| p.attribute("class")).is_some_and(|c| c.starts_with("series"))
    };
    let paths = document.descendants().filter(|n| n.has_tag_name("path") && n.attribute("class").is_none());
    paths.filter(of_series).filter_map(|n| n.attribute("d")).map(str::to_owned).collect()
}

/// The points of absolute path data made of `M`, `L` and `h0`.
fn points(path: &str) -> Vec<(f64, f64)> {
    let pairs = path
        .split(['M', 'L'])
        .filter(|p| !p.is_empty())
        .map(|p| p.trim_end_matches("h0").split_once(' ').unwrap());
    pairs.map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap())).collect()
}

#[test]
fn any_points_give_a_well_formed_chart_inside_its_frame() {
    const NAN: f64 = f64::NAN;
    const INF: f64 = f64::INFINITY;
    let cases: [&[&[(f64, f64)]]; 13] = [
        &[],
        &[&[]],
        &[&[], &[(1.0, 2.0), (2.0, 3.0)]],
        &[&[(3.0, 4.0)]],
        &[&[(0.0, 0.0)]],
        &[&[(NAN, 1.0), (1.0, INF), (-INF, NAN)]],
        &[&[(1.0, 5.0), (2.0, 5.0), (3.0, 5.0)]],
        &[&[(1.0, 5.0), (1.0, 6.0)]],
        &[&[(f64::MIN, f64::MIN), (f64::MAX, f64::MAX)]],
        &[&[(1e-300, 1e300), (1e300, 1e-300)]],
        &[&[(5e-324, 5e-324), (1.0, f64::MAX)]],
        &[&[(-5.0, -3.0), (0.0, 0.0), (5.0, 1e-12)]],
        &[&[(1e9, 1.0), (1e9 + 1.0, 1.0 + 1e-9)]],
    ];
    for (case, log) in cases.iter().flat_map(|c| [(c, false), (c, true)]) {
        let svg = chart(log, case);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{case:?}, log {log}:\n{svg}");
        let document = parsed(&svg);
        let frame: Vec<f64> = document
            .root_element()
            .attribute("viewBox")
            .unwrap()
            .split(' ')
            .map(|v| v.parse().unwrap())
            .collect();
        for (x, y) in lines(&document).iter().flat_map(|l| points(l)) {
            assert!(
                (0.0..=frame[2]).contains(&x) && (0.0..=frame[3]).contains(&y),
                "({x}, {y}) in {case:?}, log {log}"
            );
        }
        for text in document.descendants().filter(|n| n.has_tag_name("text")) {
            let x: f64 = text.attribute("x").unwrap().parse().unwrap();
            assert!((0.0..=frame[2]).contains(&x), "{:?} at {x} in {case:?}, log {log}", text.text());
        }
    }
}

/// Places and gaps of the band and of the dashed line are those given, whatever else there is, and the axis holds them all.
#[test]
fn bands_and_expected_lines_follow_their_points() {
    let series = Series::new("mean", [(1.0, 2.0), (2.0, 2.0), (3.0, 2.0)])
        .band([(1.0, 1.0, 9.0), (2.0, f64::NAN, 5.0), (3.0, 2.0, 3.0)])
        .expected([(1.0, 2.0), (f64::NAN, 2.0), (3.0, 9.0)]);
    let svg = LineChart { series: vec![series.clone()], ..LineChart::default() }.svg();
    assert!(!svg.contains("NaN"), "{svg}");
    let document = parsed(&svg);
    let path = |class: &str| {
        let is = |n: &Node<'_, '_>| n.attribute("class").is_some_and(|c| c.split(' ').any(|c| c == class));
        points(document.descendants().find(is).unwrap().attribute("d").unwrap().trim_end_matches('Z'))
    };
    let (line, band, expected) = (points(&lines(&document)[0]), path("band"), path("expected"));
    // Up along the upper ends and back along the lower ones, without the place where one is missing.
    let x: Vec<f64> = band.iter().map(|p| p.0).collect();
    assert_eq!(x, [line[0].0, line[2].0, line[2].0, line[0].0]);
    assert_eq!(band[2].1, line[0].1);
    assert!(band[0].1 < band[1].1 && band[1].1 < line[0].1 && band[3].1 > line[0].1, "{band:?}");
    assert_eq!(expected, [line[0], (line[2].0, band[0].1)]);
    // Where the axis is given, both are kept inside.
    let cut = LineChart { y_range: Some((1.5, 4.0)), series: vec![series], ..LineChart::default() }.svg();
    assert!(parsed(&cut).descendants().filter(|n| n.has_tag_name("path")).count() > 3);
}

#[test]
fn a_chart_without_points_says_so() {
    assert!(chart(false, &[&[(f64::NAN, 1.0)]]).contains("nothing to draw"));
    assert!(chart(true, &[&[(0.0, 1.0), (1.0, -2.0)]]).contains("nothing to draw"));
    assert!(!chart(false, &[&[(0.0, 1.0)]]).contains("nothing to draw"));
}

#[test]
fn missing_points_are_gaps() {
    let svg = chart(
        false,
        &[&[
            (0.0, 1.0),
            (1.0, 2.0),
            (2.0, f64::NAN),
            (3.0, 1.0),
            (4.0, f64::INFINITY),
            (5.0, 1.0),
            (6.0, 3.0),
        ]],
    );
    let drawn = lines(&parsed(&svg));
    assert_eq!(drawn.len(), 1);
    assert_eq!(
        (drawn[0].matches('M').count(), drawn[0].matches('L').count(), drawn[0].matches("h0").count()),
        (3, 2, 1)
    );
    assert_eq!(svg.matches(r#"class="dot""#).count(), 5);

    let log = chart(true, &[&[(0.0, 1.0), (1.0, 2.0), (2.0, 0.0), (3.0, 1.0), (4.0, 7.0)]]);
    assert_eq!(points(&lines(&parsed(&log))[0]).len(), 3);
}

#[test]
fn points_lie_where_the_axes_say() {
    let svg = chart(true, &[&[(1.0, 1.0), (10.0, 10.0), (1000.0, 1000.0)]]);
    let at = points(&lines(&parsed(&svg))[0]);
    let third = (at[1].0 - at[0].0) / (at[2].0 - at[0].0);
    assert!((third - 1.0 / 3.0).abs() < 1e-3, "one decade of three is at {third}");
    assert!(at[0].1 > at[1].1 && at[1].1 > at[2].1, "up is more");
}

#[test]
fn a_common_range_cuts_what_lies_outside() {
    let points = [(0.0, 1.0), (1.0, 3.0), (2.0, -1.0), (3.0, 1.0), (4.0, 9.0), (5.0, 9.0)];
    let drawn = |y_range, log_y| {
        let series = vec![Series::new("s", points)];
        let svg = LineChart { y_range, log_y, series, ..LineChart::default() }.svg();
        (lines(&parsed(&svg)).join(""), svg)
    };
    let (path, svg) = drawn(Some((0.0, 2.0)), false);
    let at = points_of_runs(&path);
    // In; out at the top and back; through to the bottom; in from there and out at the top.
    assert_eq!(at.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 3]);
    let (top, bottom) = (at[0][1].1, at[1][1].1);
    assert_eq!((at[1][0].1, at[2][0].1, at[2][2].1), (top, bottom, top));
    let middle = f64::midpoint(top, bottom);
    assert!((at[0][0].1 - middle).abs() < 0.11 && (at[2][1].1 - middle).abs() < 0.11);
    let unit = (at[2][1].0 - at[0][0].0) / 3.0;
    for (x, expected) in [(at[0][1].0, 0.5), (at[1][0].0, 1.25), (at[1][1].0, 1.75), (at[2][2].0, 3.125)] {
        assert!(((x - at[0][0].0) / unit - expected).abs() < 2e-3, "{x} is not at {expected}");
    }
    assert_eq!(svg.matches(r#"class="dot""#).count(), 2);
    assert!(svg.contains(">2.0</text>") || svg.contains(">2</text>"));
    let all = drawn(None, false).0;
    for unusable in [(2.0, 2.0), (3.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert_eq!(drawn(Some(unusable), false).0, all, "{unusable:?}");
    }
    assert_eq!(drawn(Some((0.0, 5.0)), true).0, drawn(None, true).0);
    assert_ne!(drawn(Some((0.1, 50.0)), true).0, drawn(None, true).0);
    let outside = drawn(Some((100.0, 200.0)), false).1;
    assert!(!outside.contains("nothing to draw") && !outside.contains("class=\"dot\""));
    assert!(!drawn(Some((0.0, 1e-300)), false).1.contains("NaN"));
}

/// The points of each unbroken run of path data.
fn points_of_runs(path: &str) -> Vec<Vec<(f64, f64)>> {
    path.split('M').filter(|p| !p.is_empty()).map(points).collect()
}

#[test]
fn short_series_next_to_long_ones_show_their_points() {
    let long: Vec<(f64, f64)> = (1..=500).map(|k| (f64::from(k) * 1e4, 1.0 / f64::from(k))).collect();
    let short: Vec<(f64, f64)> = (1..=10).map(|k| (f64::from(k) * 5e5, 2.0)).collect();
    for log in [false, true] {
        let svg = chart(log, &[&long, &short, &[(5e6, 3.0)]]);
        assert_eq!(svg.matches(r#"class="dot""#).count(), 11, "log {log}");
    }
}

#[test]
fn many_points_are_thinned_to_what_can_be_seen() {
    let noise: Vec<(f64, f64)> = (0..200_000).map(|i| (f64::from(i), f64::from(i * 7919 % 1009))).collect();
    let svg = chart(false, &[&noise]);
    assert!(svg.len() < 40_000, "{} bytes", svg.len());
    let at = points(&lines(&parsed(&svg))[0]);
    let (low, high) = at.iter().fold((f64::MIN, f64::MAX), |(lo, hi), p| (lo.max(p.1), hi.min(p.1)));
    assert!(low - high > 240.0, "the extremes are kept: {low}, {high}");
    assert!(!svg.contains(r#"class="dot""#));
}

#[test]
fn texts_of_charts_are_escaped() {
    let hostile = "</text><script>alert(\"1\")</script> & 'x' \u{1}";
    let chart = LineChart {
        title: hostile.into(),
        x_label: hostile.into(),
        y_label: hostile.into(),
        series: vec![Series::new(hostile, [(0.0, 1.0)])],
        ..LineChart::default()
    };
    let svg = chart.svg();
    let document = parsed(&svg);
    assert!(document.descendants().all(|n| !n.has_tag_name("script")));
    let title = document.descendants().find(|n| n.attribute("class") == Some("title")).unwrap();
    assert_eq!(title.text(), Some(hostile.replace('\u{1}', "\u{fffd}").as_str()));
    assert!(document.root_element().attribute("aria-label").unwrap().contains("</text><script>"));
}

#[test]
fn charts_take_the_color_of_the_page() {
    let svg = chart(false, &[&[(0.0, 1.0), (1.0, 2.0)], &[(0.0, 2.0), (1.0, 1.0)]]);
    let document = parsed(&svg);
    assert_eq!(document.root_element().attribute("fill"), Some("currentColor"));
    assert_eq!(document.root_element().attribute("role"), Some("img"));
    assert!(
        svg.contains(r##"class="series c1" stroke="#0072B2""##)
            && svg.contains(r##"class="series c2" stroke="#D55E00""##)
    );
    assert!(!svg.contains(r#" id=""#), "ids of two charts would collide on one page");
}

const BLACK: [u8; 4] = [0, 0, 0, 255];
const WHITE: [u8; 4] = [255; 4];

#[test]
fn each_atom_is_an_image_with_its_entries_as_pixels() {
    let atoms = [vec![0.0, 0.5, 1.0, 0.0, 0.0, 2.0], vec![0.0; 6]];
    let grid = AtomGrid { labels: Some(vec!["<0.7>".into()]), ..AtomGrid::new(&atoms, (2, 3)) };
    let svg = grid.svg().unwrap();
    let document = parsed(&svg);
    let images: Vec<&str> = document.descendants().filter_map(|n| n.attribute("href")).collect();
    let (width, height, pixels) =
        decoded(&base64_decoded(images[0].strip_prefix("data:image/png;base64,").unwrap()));
    assert_eq!((images.len(), width, height), (2, 3, 2));
    assert_eq!(pixels, [WHITE, [191, 191, 191, 255], [128, 128, 128, 255], WHITE, WHITE, BLACK]);
    assert!(decoded(&base64_decoded(&images[1][22..])).2.iter().all(|p| *p == WHITE));
    let texts: Vec<&str> =
        document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect();
    assert_eq!(texts, ["<0.7>"]);
    assert!(svg.contains("image-rendering:pixelated"));
}

#[test]
fn rows_and_columns_of_atoms_have_names() {
    let atoms = vec![vec![1.0; 4]; 6];
    let heads = (
        vec!["2024-02-07".to_owned(), "<b>".into()],
        ["atom 4", "atom 0", "atom 1"].map(str::to_owned).to_vec(),
    );
    let svg = AtomGrid { columns: Some(3), heads, ..AtomGrid::new(&atoms, (2, 2)) }.svg().unwrap();
    let document = parsed(&svg);
    let of = |tag: &str| -> Vec<String> {
        let found = document.descendants().filter(|n| n.has_tag_name(tag));
        found.filter_map(|n| n.text()).map(str::to_owned).collect()
    };
    assert_eq!(of("text"), ["2024-02-07", "<b>", "atom 4", "atom 0", "atom 1"]);
    assert_eq!(of("title")[4], "<b>, atom 0");
    let width: f64 = document.root_element().attribute("width").unwrap().parse().unwrap();
    assert!(width <= 600.0, "{width}");
}

#[test]
fn the_png_holds_the_whole_grid() {
    let atoms = [vec![1.0, 0.0], vec![0.0, 1.0], vec![1.0, f64::NAN]];
    let grid = AtomGrid { columns: Some(2), ..AtomGrid::new(&atoms, (2, 1)) };
    let (width, height, pixels) = decoded(&atoms_png(&grid, 3).unwrap());
    assert_eq!((width, height), (2 + 2 * (3 + 2), 2 + 2 * (6 + 2)));
    let at = |x: usize, y: usize| pixels[y * width as usize + x];
    let ground = at(0, 0);
    assert_eq!([at(2, 2), at(4, 4), at(2, 5), at(4, 7)], [BLACK, BLACK, WHITE, WHITE]);
    assert_eq!([at(7, 2), at(9, 7)], [WHITE, BLACK]);
    assert_eq!([at(2, 10), at(2, 13)], [BLACK, [0; 4]]);
    assert_eq!([at(5, 2), at(8, 12), at(11, 17)], [ground; 3]);
}

#[test]
fn negative_entries_turn_the_map_signed() {
    let atoms = [vec![-1.0, 1.0, 0.0, 0.5]];
    let grid = AtomGrid::new(&atoms, (2, 2));
    assert_eq!(grid.color, Color::Signed);
    let (width, _, pixels) = decoded(&atoms_png(&grid, 1).unwrap());
    let at = |x: usize, y: usize| pixels[(2 + y) * width as usize + 2 + x];
    assert_eq!(
        [at(0, 0), at(1, 0), at(0, 1), at(1, 1)],
        [[0, 0x72, 0xb2, 255], [0xd5, 0x5e, 0, 255], WHITE, [234, 175, 128, 255]]
    );
}

#[test]
fn atoms_that_do_not_fit_are_refused_with_the_reason() {
    let atoms = [vec![1.0; 4], vec![1.0; 5]];
    let refused = AtomGrid::new(&atoms, (2, 2)).svg().unwrap_err();
    assert_eq!(refused, PictureError::Shape { picture: 1, entries: 5, rows: 2, cols: 2, channels: 1 });
    assert_eq!(refused.to_string(), "picture 1 has 5 entries, but a shape of 2 × 2 needs 4");
    assert!(matches!(AtomGrid::new(&atoms, (usize::MAX, 2)).svg(), Err(PictureError::Shape { .. })));
    assert!(matches!(AtomGrid::new(&[], (2, 2)).svg(), Err(PictureError::Empty { .. })));
    assert!(matches!(AtomGrid::new(&[vec![]], (0, 3)).svg(), Err(PictureError::Empty { .. })));
    assert!(matches!(
        atoms_png(&AtomGrid::new(&atoms[..1], (2, 2)), usize::MAX),
        Err(PictureError::TooLarge { .. })
    ));
    assert!(matches!(AtomProfile::new(&[vec![]]).svg(), Err(PictureError::Empty { .. })));
}

#[test]
fn profiles_are_thinned_and_keep_peaks() {
    let mut long = vec![0.0; 100_000];
    long[54_321] = 3.0;
    let svg = AtomProfile::new(&[long, vec![f64::NAN, 1.0]]).svg().unwrap();
    assert!(svg.len() < 10_000 && !svg.contains("NaN"));
    let document = parsed(&svg);
    let first = document.descendants().find_map(|n| n.attribute("d")).unwrap();
    let heights: Vec<f64> =
        first.split('V').skip(1).map(|v| v.split(['H', 'Z']).next().unwrap().parse().unwrap()).collect();
    let (top, bottom) = heights.iter().fold((f64::MAX, f64::MIN), |(lo, hi), &h| (lo.min(h), hi.max(h)));
    assert!(top < 0.1 * bottom, "the peak reaches the top: {top} of {bottom}");
    assert!(!svg.contains(r#"class="negative""#));
    assert!(AtomProfile::new(&[vec![-1.0, 1.0]]).svg().unwrap().contains(r#"class="negative""#));
}
