//! What the page promises: one file, no request, escaped text, headings in order.

use crate::reading::base64_decoded;
use ergodict_report::gallery::{Atom, Example, Form};
use ergodict_report::{
    AtomGrid, Check, Color, Figure, Frames, Gallery, LineChart, Picture, Report, Series, Shade, Table,
};
use sha2::{Digest, Sha256};

const HOSTILE: &str = r#"<script src="https://example.org/x.js"></script> & <img src=x onerror=alert(1)>"#;

fn gallery(text: &str) -> Report {
    let example = Example {
        title: text.into(),
        nodes: vec![text.into(), "b".into(), text.into()],
        values: vec![0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0],
    };
    let atom = Atom {
        name: text.into(),
        values: vec![0.0, 0.7, 0.1, 0.7, 0.0, 0.5, 0.1, 0.5, 0.0],
        scores: vec![0.25, f64::NAN],
        examples: vec![example],
    };
    let network = Gallery {
        title: text.into(),
        words: text.into(),
        form: Form::Network { k: 3, motif: vec![(0, 1), (1, 2)] },
        scores: vec![text.into(), "other".into()],
        atoms: vec![atom.clone(), atom.clone()],
    };
    let color = Form::Matrix { shape: (1, 3), channels: 3, color: Color::Rgb };
    let profile = Gallery { form: Form::Profile, ..network.clone() };
    let picture = Picture::new(&[0.0, 1.0], (1, 2), Shade::Photo { low: 0.0, high: 1.0 });
    let frames = Frames { title: text.into(), words: text.into(), items: vec![(picture, text.into()); 2] };
    let report = Report::new(text).gallery(&network).unwrap();
    let report = report.gallery(&Gallery { form: color, ..network }).unwrap();
    report.gallery(&profile).unwrap().frames(&frames).unwrap()
}

fn page(text: &str) -> String {
    let loss = LineChart {
        title: text.into(),
        series: vec![Series::new(text, [(1.0, 2.0), (2.0, 1.0)])],
        ..LineChart::default()
    };
    let atoms = [vec![0.0, 1.0, 1.0, 0.0]];
    let grid = AtomGrid { labels: Some(vec![text.into()]), ..AtomGrid::new(&atoms, (2, 2)) };
    Report::new(text)
        .lead(text)
        .facts(&[(text, text)])
        .figure(Figure { title: text.into(), svg: loss.svg(), words: text.into() })
        .figure(Figure { title: "Atoms".into(), svg: grid.svg().unwrap(), words: String::new() })
        .table(Table {
            title: text.into(),
            head: vec![text.into()],
            rows: vec![vec![text.into(); 2]],
            words: text.into(),
        })
        .code(text, text)
        .render()
}

#[test]
fn nothing_is_asked_of_the_network() {
    let page = gallery("plain").render();
    for (at, _) in page.match_indices("http") {
        let allowed = [r#""http://www.w3.org/2000/svg""#, r#"<meta http-equiv="Content-Security-Policy""#];
        let found = allowed.iter().any(|a| a.find("http").is_some_and(|to| page[at - to..].starts_with(a)));
        assert!(found, "{}", &page[at - 7..at + 60]);
    }
    for reach in ["<link", "<iframe", "url(", "@import", "srcset", "fetch(", "import("] {
        assert!(!page.contains(reach), "the page contains {reach}");
    }
    for (at, _) in page.match_indices("src=") {
        assert!(page[at..].starts_with(r#"src="data:"#), "{}", &page[at..at + 40]);
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn texts_are_escaped_and_pictures_are_not() {
    let page = page(HOSTILE);
    assert_eq!(page.matches("<script").count(), 1, "the page's own");
    assert!(!page.contains("<img"));
    assert_eq!(page.matches("<svg ").count(), 2);
    assert_eq!(page.matches("<title>&lt;script").count(), 1);
    // Title (2), lead, fact (2), heading and words of figure and table (4), head and cells (3), code (2) are escaped
    // by the page, which writes a slash as &#x2f;; the texts inside the pictures are not.
    assert_eq!(page.matches("&lt;&#x2f;script&gt;").count(), 14);
}

#[test]
fn titles_and_words_of_sections_are_escaped() {
    let report = Report::new("T").section(HOSTILE, HOSTILE).section("Two", "").section("Three", "");
    let page = report.render();
    assert_eq!(page.matches("<script").count(), 1, "the page's own");
    assert_eq!(page.matches("&lt;&#x2f;script&gt;").count(), 3, "contents, heading and words");
}

#[test]
fn headings_are_in_order_and_elements_balance() {
    let page = page("plain");
    let headings: Vec<&str> = page
        .match_indices("<h")
        .map(|(at, _)| &page[at + 1..at + 3])
        .filter(|t| t.as_bytes()[1].is_ascii_digit())
        .collect();
    assert_eq!(headings, ["h1", "h2", "h3", "h3", "h3", "h3", "h2"]);
    for element in [
        "html",
        "head",
        "body",
        "main",
        "header",
        "section",
        "figure",
        "figcaption",
        "svg",
        "table",
        "thead",
        "tbody",
        "tr",
        "dl",
        "pre",
        "p",
        "div",
    ] {
        let opened =
            page.matches(&format!("<{element}>")).count() + page.matches(&format!("<{element} ")).count();
        assert_eq!(opened, page.matches(&format!("</{element}>")).count(), "{element}");
        assert!(opened > 0, "{element}");
    }
    assert!(page.contains(r#"<html lang="en">"#));
    assert_eq!(page.matches("<figure aria-labelledby=").count(), 2);
    let ids: Vec<&str> = page.split(r#" id=""#).skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(ids.iter().enumerate().all(|(i, id)| !ids[..i].contains(id)), "{ids:?}");
}

#[test]
fn blocks_stand_in_the_order_given() {
    let page = Report::new("T").code("first", "a && b\n").facts(&[("seed", "7")]).table(Table {
        title: "third".into(),
        head: vec!["name".into(), "AUC".into()],
        rows: vec![vec!["x".into(), "0.5".into()], vec!["y".into()]],
        words: String::new(),
    });
    let page = page.render();
    let places = ["first", "<code>a &amp;&amp; b</code>", "<dt>seed</dt><dd>7</dd>", "third"]
        .map(|s| page.find(s).unwrap());
    assert!(places.is_sorted());
    assert!(page.contains(r#"<th scope="col" class="number">AUC</th>"#));
    assert!(page.contains(r#"<tr><td>x</td><td class="number">0.5</td></tr>"#));
    assert!(page.contains(r#"<tr><td>y</td><td class="number"></td></tr>"#), "short rows are filled up");
    assert!(!page.contains(r#"class="lead""#));
}

#[test]
fn sections_head_the_figures_that_follow() {
    let figure = || Figure { title: "F".into(), svg: "<svg/>".into(), words: String::new() };
    let page = Report::new("T")
        .figure(figure())
        .section("One & only", "Cold.\n\nVery.")
        .figure(figure())
        .table(Table { title: "N".into(), ..Table::default() })
        .section("Two", "")
        .figure(figure())
        .code("Again", "x")
        .render();
    let headings: Vec<&str> = page.match_indices("<h").map(|(at, _)| &page[at + 1..at + 3]).collect();
    let headings: Vec<&str> = headings.into_iter().filter(|t| t.as_bytes()[1].is_ascii_digit()).collect();
    assert_eq!(headings, ["h1", "h2", "h2", "h3", "h3", "h2", "h3", "h2"]);
    assert!(
        page.contains("<h2 id=\"s2\">One &amp; only</h2>\n<div class=\"words\">\n<p>Cold.</p>\n<p>Very.</p>")
    );
    assert_eq!(page.matches("<h3").count(), page.matches("</h3>").count());
    assert_eq!(page.matches(r#"class="part""#).count(), 2);
}

#[test]
fn warnings_stand_once_at_the_head() {
    let check = |is_ok, words: &str| Some(Check { is_ok, words: words.into() });
    let facts = [("seed", "7")];
    let page = Report::new("T").details(check(false, "T = 1: stuck")).facts(&facts);
    let page = page.section("Two", "").details(check(true, "fine")).facts(&facts);
    let page = page.section("Three", "").details(check(false, "T = 3: slow")).facts(&facts).render();
    assert_eq!(page.matches("badge warn").count(), 1);
    assert!(page.contains("T = 1: stuck. T = 3: slow") && page.matches("badge ok").count() == 1);
}

#[test]
fn light_dark_phone_and_print_are_served() {
    let page = page("plain");
    for rule in ["prefers-color-scheme: dark", "@media print", "max-width: 34rem", "width=device-width"] {
        assert!(page.contains(rule), "{rule}");
    }
}

#[test]
fn the_policy_allows_only_our_script() {
    let page = gallery("plain").render();
    let script = page.rsplit("<script>").next().and_then(|rest| rest.split("</script>").next()).unwrap();
    let digest = page.split("script-src 'sha256-").nth(1).and_then(|rest| rest.split('\'').next()).unwrap();
    assert_eq!(base64_decoded(digest), Sha256::digest(script.as_bytes()).to_vec());
    let policy =
        page.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(!policy.split("script-src").nth(1).unwrap().contains("unsafe"));
    // A page with a gallery has its data and the script, and no third.
    assert_eq!(page.matches("<script").count(), 4);
    assert!(script.len() < 20_000, "the script has {} bytes", script.len());
}

#[test]
fn names_in_galleries_cannot_leave_their_place() {
    let page = gallery(HOSTILE).render();
    assert_eq!(page.matches("<script").count(), 4, "three galleries and the page's own");
    assert_eq!(page.matches("</script").count(), 4);
    assert!(!page.contains("<img src=x"));
    for data in page.split(r#"<script type="application/json">"#).skip(1) {
        let data: serde_json::Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
        assert_eq!(data["atoms"][0]["n"], HOSTILE);
        assert_eq!(data["atoms"][0]["s"], serde_json::json!([0.25, null]));
        assert_eq!(data["atoms"][1]["x"][0]["t"], HOSTILE);
    }
}

#[test]
fn one_atom_is_no_plural_and_examples_show_their_weights() {
    let example = Example {
        title: "E".into(),
        nodes: ["a", "b", "c"].map(str::to_owned).to_vec(),
        values: vec![0.0, 31.0, 0.0, 31.0, 0.0, 5.0, 0.0, 5.0, 0.0],
    };
    let atom = Atom {
        name: String::new(),
        values: vec![0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0],
        scores: vec![1.0],
        examples: vec![example],
    };
    let gallery = Gallery {
        title: "G".into(),
        words: String::new(),
        form: Form::Network { k: 3, motif: vec![(0, 1), (1, 2)] },
        scores: vec!["score".into()],
        atoms: vec![atom],
    };
    let page = Report::new("T").gallery(&gallery).unwrap().render();
    assert!(page.contains(r#"role="status">1 atom</p>"#));
    let data = page.split(r#"<script type="application/json">"#).nth(1).unwrap();
    let data: serde_json::Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
    assert_eq!(data["atoms"][0]["x"][0]["w"], serde_json::json!([31, 5]));
}

#[test]
fn galleries_are_kept_as_plain_figures_too() {
    let titles: Vec<String> = gallery("G").figures().iter().map(|f| f.0.clone()).collect();
    assert_eq!(titles, ["G as graphs", "G as matrices", "G", "G", "G"]);
    assert!(gallery("G").figures().iter().all(|f| f.1.starts_with("<svg ") && f.1.ends_with("</svg>")));
    let empty = Gallery {
        title: String::new(),
        words: String::new(),
        form: Form::Profile,
        scores: Vec::new(),
        atoms: Vec::new(),
    };
    assert!(Report::new("T").gallery(&empty).is_err());
}

#[test]
fn large_dictionaries_stay_small_on_the_page() {
    let k = 50;
    let atom = |i: usize| Atom {
        name: i.to_string(),
        // Dense, and no two entries alike: the worst case for compression.
        values: (0..k * k)
            .map(|e| f64::from(((e % k) * (e / k) * 7919 + i * 104_729) as u32 % 9973) / 9973.0)
            .collect(),
        scores: vec![i as f64],
        examples: Vec::new(),
    };
    let gallery = |atoms: usize| Gallery {
        title: "G".into(),
        words: String::new(),
        form: Form::Network { k, motif: (1..k).map(|b| (b - 1, b)).collect() },
        scores: vec!["score".into()],
        atoms: (0..atoms).map(atom).collect(),
    };
    let size = |atoms: usize| Report::new("T").gallery(&gallery(atoms)).unwrap().render().len();
    assert!(size(64) < 900_000, "{} bytes", size(64));
}

#[test]
fn long_pages_list_what_they_hold() {
    let figure = |i: usize| Figure { title: format!("F{i}"), svg: "<svg/>".into(), words: String::new() };
    let short = (0..5).map(figure).fold(Report::new("T"), Report::figure);
    assert!(!short.render().contains("<nav"));
    let long = short.figure(figure(5)).render();
    assert!(long.contains(r##"<li><a href="#s6">F5</a></li>"##));
    let parts = Report::new("T").section("One", "").figure(figure(0)).section("Two", "");
    assert!(!parts.render().contains("<nav"));
    let parts = parts.section("Three", "").render();
    let links: Vec<&str> = parts.split("<a href=").skip(1).filter_map(|l| l.split("</a>").next()).collect();
    assert_eq!(links, [r##""#s1">One"##, r##""#s3">Two"##, r##""#s4">Three"##]);
}

/// Relative luminance of an sRGB color (WCAG 2).
fn luminance(color: [f64; 3]) -> f64 {
    let linear = |c: f64| if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2])
}

fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn all_text_can_be_read_in_both_schemes() {
    let style = include_str!("../../assets/report.css");
    let schemes: Vec<&str> =
        style.split(":root {").skip(1).map(|rest| rest.split('}').next().unwrap()).collect();
    assert_eq!(schemes.len(), 3, "light, dark and print");
    let color = |scheme: &str, name: &str| -> [f64; 3] {
        // Print changes some of the light colors.
        let found = [scheme, schemes[0]].iter().find_map(|s| s.split(&format!("--{name}: #")).nth(1));
        let digits = found.unwrap().split(';').next().unwrap();
        let wide: String =
            if digits.len() == 3 { digits.chars().flat_map(|c| [c, c]).collect() } else { digits.into() };
        [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&wide[at..at + 2], 16).unwrap()) / 255.0)
    };
    for scheme in &schemes {
        let of = |name: &str| color(scheme, name);
        let pairs = ["ink", "soft", "accent"].iter().flat_map(|text| {
            ["paper", "panel", "raised"].map(|ground| (format!("{text} on {ground}"), of(text), of(ground)))
        });
        // Labels of axes let a fifth of the paper through, and words beside the pointer are paper on ink.
        let label = [0, 1, 2].map(|c| 0.8 * of("ink")[c] + 0.2 * of("paper")[c]);
        let more = [
            ("a chosen switch".to_owned(), of("on-accent"), of("accent")),
            ("labels of axes".to_owned(), label, of("paper")),
            ("words beside the pointer".to_owned(), of("paper"), of("ink")),
            ("numbers in nodes".to_owned(), [1.0; 3], [0.0, 114.0 / 255.0, 178.0 / 255.0]),
        ];
        for (what, text, ground) in pairs.chain(more) {
            let found = contrast(text, ground);
            assert!(found >= 4.5, "{what}: {found:.2} in {scheme}");
        }
        for edge in ["edge", "c1"] {
            let found = contrast(of(edge), of("paper"));
            assert!(found >= 3.0, "{edge} on paper: {found:.2} in {scheme}");
        }
    }
}
