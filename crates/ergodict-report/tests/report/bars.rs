//! What bars promise: heights in proportion, labels of their own, nothing invented.

use crate::reading::parsed;
use ergodict_report::{Bar, BarChart};
use roxmltree::Node;

fn bars(values: &[f64]) -> Vec<Bar> {
    let bar = |(i, &value): (usize, &f64)| {
        let from = i as f64 + 1.0;
        Bar { from, to: from + 1.0, value, label: None }
    };
    values.iter().enumerate().map(bar).collect()
}

fn number(node: &Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

#[test]
fn bars_stand_on_zero() {
    let chart = BarChart { bars: bars(&[100.0, 104.0, f64::NAN, 52.0, -26.0]), ..BarChart::default() };
    let svg = chart.svg();
    let document = parsed(&svg);
    let rects: Vec<Node<'_, '_>> = document.descendants().filter(|n| n.has_tag_name("rect")).collect();
    let heights: Vec<f64> = rects.iter().map(|r| number(r, "height")).collect();
    assert_eq!(heights.len(), 4, "what is no number is left out");
    assert!((heights[2] / heights[1] - 0.5).abs() < 0.01 && (heights[3] / heights[1] - 0.25).abs() < 0.01);
    let base = number(&rects[1], "y") + heights[1];
    assert!((number(&rects[3], "y") - base).abs() < 0.2, "a negative bar hangs from zero");
    let titles: Vec<&str> =
        document.descendants().filter(|n| n.has_tag_name("title")).filter_map(|n| n.text()).collect();
    assert_eq!(titles[3], "5 to 6: −26");
}

#[test]
fn bars_without_a_place_are_left_out() {
    let drawn = |bars: Vec<Bar>| {
        let svg = BarChart { log_x: true, bars, ..BarChart::default() }.svg();
        parsed(&svg).descendants().filter(|n| n.has_tag_name("title")).count()
    };
    let from_zero = Bar { from: 0.0, to: 1.0, value: 3.0, label: None };
    let backwards = Bar { from: 2.0, to: 1.0, ..from_zero.clone() };
    assert_eq!(drawn([bars(&[1000.0, 0.0]), vec![from_zero, backwards]].concat()), 2);
    assert!(parsed(&BarChart::default().svg()).descendants().any(|n| n.text() == Some("nothing to draw")));
}

#[test]
fn bars_show_their_own_labels() {
    let label = Some("2 or 3 <b>".to_owned());
    let own = vec![Bar { from: 2.0, to: 4.0, value: 7.0, label }];
    let (x_label, y_label) = ("degree".to_owned(), "nodes".to_owned());
    let svg = BarChart { x_label, y_label, log_x: true, bars: own }.svg();
    let document = parsed(&svg);
    let title = document.descendants().find(|n| n.has_tag_name("title")).and_then(|n| n.text());
    assert_eq!(title, Some("2 or 3 <b>: 7"));
    let label = |n: &Node<'_, '_>| n.attribute("class") == Some("label");
    let labels: Vec<&str> = document.descendants().filter(label).filter_map(|n| n.text()).collect();
    assert_eq!(labels, ["degree", "nodes"], "each once");
}
