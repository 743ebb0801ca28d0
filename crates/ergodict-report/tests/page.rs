//! What the page promises: one file, no request, escaped text, headings in order.

use ergodict_report::{AtomGrid, Figure, LineChart, Report, Series, Table};

const HOSTILE: &str = r#"<script src="https://example.org/x.js"></script> & <img src=x onerror=alert(1)>"#;

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
    let page = page("plain");
    for (at, _) in page.match_indices("http") {
        let allowed =
            [r#"xmlns="http://www.w3.org/2000/svg""#, r#"<meta http-equiv="Content-Security-Policy""#];
        let before = at - 7;
        assert!(
            allowed.iter().any(|a| page[before..].starts_with(a) || page[before + 1..].starts_with(a)),
            "{}",
            &page[before..at + 60]
        );
    }
    for reach in ["<script", "<link", "<iframe", "url(", "@import", "src=", "srcset"] {
        assert!(!page.contains(reach), "the page contains {reach}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn texts_are_escaped_and_pictures_are_not() {
    let page = page(HOSTILE);
    assert!(!page.contains("<script") && !page.contains("<img"));
    assert_eq!(page.matches("<svg ").count(), 2);
    assert_eq!(page.matches("<title>&lt;script").count(), 1);
    // Title (2), lead, fact (2), heading and words of figure and table (4), head and cells (3), code (2) go through the
    // template, which writes a slash as &#x2f;; the texts inside the pictures do not.
    assert_eq!(page.matches("&lt;&#x2f;script&gt;").count(), 14);
}

#[test]
fn headings_are_in_order_and_elements_balance() {
    let page = page("plain");
    let headings: Vec<&str> = page
        .match_indices("<h")
        .map(|(at, _)| &page[at + 1..at + 3])
        .filter(|t| t.as_bytes()[1].is_ascii_digit())
        .collect();
    assert_eq!(headings, ["h1", "h2", "h2", "h2", "h2", "h2"]);
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
    assert!(page.contains("<h2>One &amp; only</h2>\n<div class=\"words\">\n<p>Cold.</p>\n<p>Very.</p>"));
    assert_eq!(page.matches("<h3").count(), page.matches("</h3>").count());
    assert_eq!(page.matches(r#"class="part""#).count(), 2);
}

#[test]
fn light_dark_phone_and_print_are_served() {
    let page = page("plain");
    for rule in ["prefers-color-scheme: dark", "@media print", "max-width: 34rem", "width=device-width"] {
        assert!(page.contains(rule), "{rule}");
    }
}
