//! What the pictures of networks promise: well-formed SVG, escaped names, the same bytes twice, nothing invented.

use crate::reading::parsed;
use ergodict_report::{AtomGraphs, Heat, LineChart, PictureError, Series, Tree};
use roxmltree::{Document, Node};

const HOSTILE: &str = "</text><script>alert(\"1\")</script> & 'x' \u{1}";

fn path(k: usize) -> Vec<(usize, usize)> {
    (1..k).map(|b| (b - 1, b)).collect()
}

/// A symmetric atom from the entries of its upper half.
fn atom(k: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let entry = |a: usize, b: usize| if a == b { 0.0 } else { entry(a.min(b), a.max(b)) };
    (0..k * k).map(|e| entry(e / k, e % k)).collect()
}

fn texts(document: &Document<'_>) -> Vec<String> {
    let all = document.descendants().filter(|n| n.has_tag_name("text"));
    all.filter_map(|n| n.text()).map(str::to_owned).collect()
}

fn number(node: &Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

/// The ends of the lines of one panel drawn with the given class.
fn lines(document: &Document<'_>, panel: usize, class: &str) -> Vec<String> {
    let panels: Vec<Node<'_, '_>> =
        document.descendants().filter(|n| n.attribute("class") == Some("picture")).collect();
    let group = panels[panel].children().find(|n| n.attribute("class") == Some(class)).unwrap();
    let paths = group.descendants().filter_map(|n| n.attribute("d"));
    paths.flat_map(|d| d.split('M').skip(1).map(str::to_owned)).collect()
}

fn no_script(svg: &str) {
    let document = parsed(svg);
    assert!(document.descendants().all(|n| !n.has_tag_name("script")));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    assert!(!svg.contains(r#" id=""#), "ids of two pictures would collide on one page");
}

#[test]
fn motif_edges_and_others_are_distinguished() {
    let k = 6;
    // A path with a chord that counts and one that is left out, then a clique.
    let chords = |a: usize, b: usize| match (a, b) {
        (0, 3) => 1.5,
        (1, 4) => 0.15,
        _ if a + 1 == b => 2.0,
        _ => 0.0,
    };
    let atoms = [atom(k, chords), atom(k, |_, _| 3.0)];
    let chain = path(k);
    let svg = AtomGraphs::new(&atoms, k, &chain).labels(["<61 %>"]).svg().unwrap();
    no_script(&svg);
    let document = parsed(&svg);
    let counts = |panel: usize| [lines(&document, panel, "c1").len(), lines(&document, panel, "c2").len()];
    assert_eq!((counts(0), counts(1)), ([5, 1], [5, 10]));
    assert_eq!(document.descendants().filter(|n| n.attribute("class") == Some("pivot")).count(), 2);
    let written = texts(&document);
    assert_eq!(written.iter().filter(|t| *t == "1").count(), 2, "numbered from 1");
    assert_eq!(written.iter().filter(|t| *t == "6").count(), 2);
    assert!(written.contains(&"<61 %>".to_owned()));
    let fewer = AtomGraphs { threshold: 0.05, ..AtomGraphs::new(&atoms, k, &chain) }.svg().unwrap();
    assert_eq!(lines(&parsed(&fewer), 0, "c2").len(), 2);
}

#[test]
fn heavier_entries_are_wider_and_stronger() {
    let k = 4;
    let atoms = [atom(k, |a, b| {
        if (a, b) == (0, 2) {
            1.0
        } else if (a, b) == (0, 3) {
            0.4
        } else {
            0.0
        }
    })];
    let svg = AtomGraphs::new(&atoms, k, &path(k)).svg().unwrap();
    let document = parsed(&svg);
    let drawn: Vec<(f64, f64)> = document
        .descendants()
        .filter(|n| n.has_tag_name("path"))
        .map(|n| (number(&n, "stroke-width"), number(&n, "stroke-opacity")))
        .collect();
    assert_eq!(drawn.len(), 2);
    assert!(drawn[0].0 < drawn[1].0 && drawn[0].1 < drawn[1].1, "{drawn:?}");
}

#[test]
fn nodes_lie_inside_their_panels_and_the_bytes_are_the_same_twice() {
    let k = 21;
    let noise = |i: usize| move |a: usize, b: usize| ((a * 37 + b * 61 + i * 17) % 100) as f64 / 100.0;
    let mut atoms: Vec<Vec<f64>> = (0..21).map(|i| atom(k, noise(i))).collect();
    atoms.push(atom(k, |_, _| 1.0));
    atoms.push(atom(k, |a, b| f64::from(u8::from(a + 1 == b))));
    atoms.push(atom(k, |a, _| f64::from(u8::from(a == 0))));
    atoms.push(vec![0.0; k * k]);
    let chain = path(k);
    let graphs = AtomGraphs::new(&atoms, k, &chain).labels((0..25).map(|i| format!("{i} %")));
    let svg = graphs.svg().unwrap();
    assert_eq!(svg, graphs.svg().unwrap());
    no_script(&svg);
    let document = parsed(&svg);
    let panels: Vec<Node<'_, '_>> =
        document.descendants().filter(|n| n.attribute("class") == Some("picture")).collect();
    assert_eq!(panels.len(), 25);
    for panel in panels {
        let frame = panel.children().find(|n| n.has_tag_name("rect")).unwrap();
        let (width, height) = (number(&frame, "width"), number(&frame, "height"));
        let nodes: Vec<(f64, f64, f64)> = panel
            .descendants()
            .filter(|n| n.has_tag_name("circle") && n.attribute("class").is_none())
            .map(|n| (number(&n, "cx"), number(&n, "cy"), number(&n, "r")))
            .collect();
        assert_eq!(nodes.len(), k);
        for (x, y, r) in nodes {
            assert!(x >= r && x <= width - r && y >= r && y <= height - r, "({x}, {y}) ± {r}");
        }
    }
    assert!(svg.len() < 250_000, "{} bytes", svg.len());
}

#[test]
fn a_node_without_edges_stands_close() {
    let k = 10;
    let clique = atom(k, |_, b| if b < 9 { 1.0 } else { 0.05 });
    let svg = AtomGraphs::new(&[clique], k, &path(k)).svg().unwrap();
    let document = parsed(&svg);
    let circles =
        document.descendants().filter(|n| n.has_tag_name("circle") && n.attribute("class").is_none());
    // From the last node to the first.
    let x: Vec<f64> = circles.map(|n| number(&n, "cx")).collect();
    let width = |x: &[f64]| {
        let (lo, hi) = x.iter().fold((f64::MAX, f64::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v)));
        hi - lo
    };
    assert_eq!(x.len(), k);
    assert!(width(&x[1..]) > 0.5 * width(&x), "{x:?}");
}

#[test]
fn arrows_show_directions_only_where_there_are_any() {
    let k = 3;
    let heads = |atom: Vec<f64>| {
        let svg = AtomGraphs::new(&[atom], k, &path(k)).svg().unwrap();
        let all = lines(&parsed(&svg), 0, "c1");
        all.len() - 2
    };
    assert_eq!(heads(vec![0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]), 0, "symmetric");
    assert_eq!(heads(vec![0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), 2, "one way each");
    assert_eq!(heads(vec![0.0, 1.0, 0.0, 0.8, 0.0, 1.0, 0.0, 0.1, 0.0]), 3, "both ways, and one way");
    assert_eq!(heads(vec![0.0, 1.0, 0.0, 0.99, 0.0, 1.0, 0.0, 1.0, 0.0]), 0, "rounding is no direction");

    // The point of the head, its second place, lies at the node the arrow goes to.
    for (entry, to) in [(1, "2"), (2, "1")] {
        let mut atom = vec![0.0; 4];
        atom[entry] = 1.0;
        let svg = AtomGraphs::new(&[atom], 2, &path(2)).svg().unwrap();
        let document = parsed(&svg);
        let drawn = lines(&document, 0, "c1");
        assert_eq!(drawn.len(), 2);
        let tip: f64 = drawn[1].split('L').nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        let node = document.descendants().find(|n| n.has_tag_name("title") && n.text() == Some(to)).unwrap();
        let circle = node.parent().unwrap();
        let gap = (tip - number(&circle, "cx")).abs();
        assert!(gap < number(&circle, "r") + 2.0, "{gap} from node {to}");
    }
}

#[test]
fn graphs_of_one_node_or_none_and_of_what_is_no_number() {
    let single = AtomGraphs::new(&[vec![1.0]], 1, &[]).svg().unwrap();
    no_script(&single);
    assert_eq!(lines(&parsed(&single), 0, "c2").len(), 1, "a loop");
    no_script(&AtomGraphs::new(&[vec![0.0]], 1, &[]).svg().unwrap());
    no_script(&AtomGraphs::new(&[vec![0.0, 1.0, 1.0, 0.0]], 2, &path(2)).labels([HOSTILE]).svg().unwrap());
    let refused = |atoms: &[Vec<f64>], k: usize, chain: &[(usize, usize)]| {
        AtomGraphs::new(atoms, k, chain).svg().unwrap_err()
    };
    assert!(matches!(refused(&[], 3, &[]), PictureError::Empty { .. }));
    assert!(matches!(refused(&[vec![]], 0, &[]), PictureError::Empty { .. }));
    assert!(matches!(refused(&[vec![1.0; 5]], 2, &[]), PictureError::Shape { entries: 5, .. }));
    assert_eq!(refused(&[vec![1.0; 4]], 2, &[(0, 2)]), PictureError::Node { node: 2, nodes: 2 });
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        let error = refused(&[vec![0.0; 4], vec![0.0, bad, 0.0, 0.0]], 2, &[]);
        assert!(matches!(error, PictureError::Entry { picture: 1, entry: 1, .. }), "{error}");
    }
    let atoms = [vec![1.0]];
    let wrong = AtomGraphs { threshold: f64::NAN, ..AtomGraphs::new(&atoms, 1, &[]) };
    assert!(matches!(wrong.svg(), Err(PictureError::Scale { .. })));
}

#[test]
fn cells_have_their_values_and_colors() {
    let names = ["facebook", "ppi"];
    let heat = Heat {
        row_label: "atoms of".into(),
        col_label: "network".into(),
        ..Heat::new(names, names, [Some(0.98), Some(-0.0001), None, Some(1.0)])
    };
    let svg = heat.svg().unwrap();
    assert_eq!(svg, heat.svg().unwrap());
    no_script(&svg);
    let document = parsed(&svg);
    let written = texts(&document);
    assert_eq!(
        written,
        [
            "network", "atoms of", "facebook", "ppi", "facebook", "ppi", "0.980", "0.000", "–", "1.000",
            "0.000", "1.000"
        ]
    );
    let fills: Vec<&str> = document
        .descendants()
        .filter(|n| n.has_tag_name("rect"))
        .filter_map(|n| n.attribute("fill"))
        .collect();
    assert_eq!((fills[1], fills[2], fills[3]), ("#f4f8fb", "none", "#062a4a"));
    let titles: Vec<&str> =
        document.descendants().filter(|n| n.has_tag_name("title")).filter_map(|n| n.text()).collect();
    assert_eq!(titles[2], "ppi, facebook: missing");
    let wide = Heat { range: Some((0.0, 2.0)), ..heat }.svg().unwrap();
    assert_eq!(wide.matches("#4aa0d2").count(), 1, "the middle of the range");
}

#[test]
fn many_columns_stay_inside_and_their_values_on_hover() {
    let names = |n: usize| (0..n).map(|i| format!("network number {i}")).collect::<Vec<_>>();
    for n in [1, 2, 5, 14, 40] {
        let values: Vec<Option<f64>> = (0..n * n).map(|e| Some(e as f64 / (n * n) as f64)).collect();
        let svg = Heat::new(names(n), names(n), values).svg().unwrap();
        let document = parsed(&svg);
        let size: Vec<f64> = document
            .root_element()
            .attribute("viewBox")
            .unwrap()
            .split(' ')
            .map(|v| v.parse().unwrap())
            .collect();
        let cells: Vec<Node<'_, '_>> = document.descendants().filter(|n| n.has_tag_name("rect")).collect();
        assert_eq!(cells.len(), n * n + 6, "with the color scale");
        for cell in cells {
            assert!(number(&cell, "x") + number(&cell, "width") <= size[2]);
            assert!(number(&cell, "y") + number(&cell, "height") <= size[3]);
        }
        assert_eq!(document.descendants().filter(|n| n.has_tag_name("title")).count(), n * n);
        assert!(n > 14 || size[2] <= 602.0, "{n}: {size:?}");
    }
}

#[test]
fn matrices_that_cannot_be_drawn_are_refused() {
    let heat = |rows: usize, cols: usize, values: Vec<Option<f64>>| {
        Heat::new(vec!["r"; rows], vec!["c"; cols], values)
    };
    assert!(matches!(heat(0, 0, vec![]).svg(), Err(PictureError::Empty { .. })));
    assert!(matches!(heat(2, 0, vec![]).svg(), Err(PictureError::Empty { .. })));
    assert!(matches!(heat(2, 2, vec![None; 3]).svg(), Err(PictureError::Shape { entries: 3, .. })));
    for bad in [f64::NAN, f64::NEG_INFINITY] {
        let error = heat(1, 2, vec![None, Some(bad)]).svg().unwrap_err();
        assert!(matches!(error, PictureError::Entry { entry: 1, .. }), "{error}");
    }
    let range = |low: f64, high: f64| Heat { range: Some((low, high)), ..heat(1, 1, vec![Some(1.0)]) }.svg();
    assert!(range(1.0, 1.0).is_ok() && range(0.0, 2.0).is_ok());
    for (low, high) in [(2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert!(matches!(range(low, high), Err(PictureError::Scale { .. })));
    }
    no_script(&heat(2, 1, vec![None, None]).svg().unwrap());
    no_script(&heat(1, 2, vec![Some(f64::MIN), Some(f64::MAX)]).svg().unwrap());
    let hostile = Heat {
        row_label: HOSTILE.into(),
        col_label: HOSTILE.into(),
        ..Heat::new([HOSTILE], [HOSTILE], [Some(1.0)])
    };
    no_script(&hostile.svg().unwrap());
}

#[test]
fn merges_join_what_they_say_at_their_heights() {
    let tree = Tree {
        x_label: "distance".into(),
        ..Tree::new(["a", "b", "c", "d"], [(0, 2, 1.0), (4, 3, 2.0), (1, 5, 4.0)])
    };
    let svg = tree.svg().unwrap();
    assert_eq!(svg, tree.svg().unwrap());
    no_script(&svg);
    let document = parsed(&svg);
    let names: Vec<String> =
        texts(&document).into_iter().filter(|t| t.len() == 1 && t.chars().all(char::is_alphabetic)).collect();
    assert_eq!(names, ["b", "a", "c", "d"], "no two lines cross");
    let brackets: Vec<(f64, f64, f64)> = document
        .descendants()
        .filter(|n| n.parent().and_then(|p| p.attribute("class")) == Some("c1"))
        .filter_map(|n| n.attribute("d"))
        .filter(|d| d.contains('V'))
        .map(|d| {
            let (start, rest) = d[1..].split_once('H').unwrap();
            let (joint, rest) = rest.split_once('V').unwrap();
            let end = rest.split_once('H').unwrap().1;
            let first = start.split_once(' ').unwrap().0;
            (first.parse().unwrap(), joint.parse().unwrap(), end.parse().unwrap())
        })
        .collect();
    assert_eq!(brackets.len(), 3);
    let zero = brackets[0].0;
    let height = |x: f64| (x - zero) / (brackets[0].1 - zero);
    assert!((height(brackets[1].1) - 2.0).abs() < 0.01 && (height(brackets[2].1) - 4.0).abs() < 0.01);
    assert_eq!(
        (brackets[0].2, brackets[1].0, brackets[2].0, brackets[2].2),
        (zero, brackets[0].1, zero, brackets[1].1)
    );
}

#[test]
fn trees_of_one_leaf_or_of_equal_ones_and_trees_that_are_none() {
    no_script(&Tree::new([HOSTILE], []).svg().unwrap());
    no_script(&Tree::new(["a", "b", "c"], [(0, 1, 0.0), (2, 3, 0.0)]).svg().unwrap());
    no_script(&Tree::new(["a", "b"], [(0, 1, f64::MAX)]).svg().unwrap());
    let hostile = Tree { x_label: HOSTILE.into(), ..Tree::new([HOSTILE, "b"], [(0, 1, 1.0)]) };
    no_script(&hostile.svg().unwrap());
    assert!(matches!(Tree::default().svg(), Err(PictureError::Empty { .. })));
    for (merges, words) in [
        (vec![(0, 1, 1.0)], "3 leaves need 2 merges, but there are 1"),
        (vec![(0, 1, 1.0), (0, 2, 2.0)], "merge 1 joins 0, which was joined before"),
        (vec![(0, 1, 1.0), (2, 2, 2.0)], "merge 1 joins 2, which was joined before"),
        (vec![(0, 3, 1.0), (1, 2, 2.0)], "merge 0 joins 3, but there are only numbers below 3"),
        (vec![(0, 1, f64::NAN), (3, 2, 2.0)], "the height of merge 0 is NaN"),
        (vec![(0, 1, 1.0), (3, 2, -2.0)], "the height of merge 1 is -2"),
    ] {
        let error = Tree::new(["a", "b", "c"], merges).svg().unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}

fn roc(curves: usize) -> LineChart {
    let curve = |i: usize| {
        let points: Vec<(f64, f64)> =
            (0..=100).map(|k| f64::from(k) / 100.0).map(|x| (x, x.powf(0.05 + 0.05 * i as f64))).collect();
        Series::new(format!("method {i}, AUC 0.{}", 99 - i), points)
    };
    LineChart {
        y_range: Some((0.0, 1.0)),
        square: true,
        series: (0..curves).map(curve).collect(),
        ..LineChart::default()
    }
}

#[test]
fn roc_charts_are_square_with_a_diagonal() {
    let svg = roc(3).svg();
    no_script(&svg);
    let document = parsed(&svg);
    let diagonal = document.descendants().find(|n| n.attribute("class") == Some("diagonal")).unwrap();
    let ends: Vec<f64> =
        diagonal.attribute("d").unwrap()[1..].split([' ', 'L']).map(|v| v.parse().unwrap()).collect();
    assert!((ends[2] - ends[0] - (ends[1] - ends[3])).abs() < 0.21 && ends[2] - ends[0] > 400.0, "{ends:?}");
    let flat = LineChart { square: false, ..roc(3) }.svg();
    assert!(!flat.contains(r#"class="diagonal""#) && flat.len() < svg.len());
    let mixed = LineChart { log_x: true, ..roc(3) }.svg();
    assert!(!mixed.contains(r#"class="diagonal""#), "a curve on such axes");
    // Axes that have no value in common have no diagonal.
    let apart = LineChart { series: vec![Series::new("", [(5.0, 0.5), (6.0, 0.6)])], ..roc(0) }.svg();
    assert!(!apart.contains(r#"class="diagonal""#));
    no_script(&roc(0).svg());
}

#[test]
fn sixteen_curves_differ_in_color_or_dashes() {
    let svg = roc(16).svg();
    let document = parsed(&svg);
    let mut looks: Vec<(String, String)> = document
        .descendants()
        .filter(|n| n.attribute("class").is_some_and(|c| c.starts_with("swatch")))
        .map(|n| {
            let of = |name: &str| n.attribute(name).unwrap_or_default().to_owned();
            (of("stroke"), of("stroke-dasharray"))
        })
        .collect();
    assert_eq!(looks.len(), 16);
    looks.sort();
    looks.dedup();
    assert_eq!(looks.len(), 16);
    assert!(svg.contains("method 15, AUC 0.84"));
}
