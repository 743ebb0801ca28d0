//! What bars and shaded bands promise: heights in proportion, steps on logarithmic axes, nothing invented.

use ergodict_report::{Bar, BarChart, LineChart, Series};
use roxmltree::Node;

#[allow(dead_code)] // these pictures have no pixels to decode
mod common;
use common::parsed;

fn bars(values: &[f64]) -> Vec<Bar> {
    let bar = |(i, &value): (usize, &f64)| Bar { from: i as f64 + 1.0, to: i as f64 + 2.0, value };
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
fn logarithmic_bars_are_steps() {
    let chart =
        BarChart { log_y: true, log_x: true, bars: bars(&[1000.0, 10.0, 0.0]), ..BarChart::default() };
    let svg = chart.svg();
    let document = parsed(&svg);
    let steps = document.descendants().filter(|n| n.attribute("stroke-width") == Some("2"));
    assert_eq!(steps.count(), 2, "zero has no place there");
    assert!(parsed(&BarChart::default().svg()).descendants().any(|n| n.text() == Some("nothing to draw")));
}

#[test]
fn bands_lie_around_their_line_and_axes_show_them_whole() {
    let line = Series::new("mean", [(0.0, 10.0), (1.0, 10.0)]).band([(0.0, 5.0, 20.0), (1.0, 5.0, 20.0)]);
    let svg = LineChart { series: vec![line], ..LineChart::default() }.svg();
    let document = parsed(&svg);
    let of = |class: &str| document.descendants().find(|n| n.attribute("class") == Some(class)).unwrap();
    let heights: Vec<f64> = of("band")
        .attribute("d")
        .unwrap()
        .trim_matches(|c| c == 'M' || c == 'Z')
        .split('L')
        .map(|point| point.split(' ').nth(1).unwrap().parse().unwrap())
        .collect();
    let frame: Vec<f64> =
        of("axis").attribute("data-frame").unwrap().split(' ').map(|v| v.parse().unwrap()).collect();
    let ends: Vec<f64> =
        of("axis").attribute("data-y").unwrap().split(' ').map(|v| v.parse().unwrap()).collect();
    // The axes say enough to read the values back from the picture.
    let value = |y: f64| ends[0] + (frame[3] - y) / (frame[3] - frame[2]) * (ends[1] - ends[0]);
    for (found, wanted) in heights.iter().zip([20.0, 20.0, 5.0, 5.0]) {
        assert!((value(*found) - wanted).abs() < 0.02, "{} for {wanted}", value(*found));
    }
}
