//! What took longest in a build, from the page that `cargo build --timings` writes.

use serde_json::{Deserializer, Value};

/// A unit of a build: a crate, its build script, or the run of that.
#[derive(Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) name: String,
    /// From when its compiler started until that ended, next to others.
    pub(super) seconds: f64,
}

/// What the list of units is assigned to in the script of the page.
const LIST: &str = "const UNIT_DATA = ";

/// The units that took longest, in that order; nothing if the page is not as expected: cargo promises no format.
pub(super) fn slowest(page: &str, most: usize) -> Option<Vec<Unit>> {
    let list = &page[page.find(LIST)? + LIST.len()..];
    // Whatever follows the list is none of it.
    let list: Vec<Value> = Deserializer::from_str(list).into_iter().next()?.ok()?;
    let mut units = list.iter().map(unit).collect::<Option<Vec<Unit>>>().filter(|units| !units.is_empty())?;
    units.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    units.truncate(most);
    Some(units)
}

fn unit(unit: &Value) -> Option<Unit> {
    // The target is empty for the library of a crate.
    let words = [unit["name"].as_str()?, unit["version"].as_str()?, unit["target"].as_str()?.trim()];
    Some(Unit { name: words.join(" ").trim_end().into(), seconds: unit["duration"].as_f64()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<script>\nDURATION = 3;\nconst UNIT_DATA = [\n  {\n    \"i\": 0,\n    \"name\": \"small\",\n    \"version\": \"1.0.0\",\n    \
        \"target\": \"\",\n    \"duration\": 0.5\n  },\n  { \"name\": \"large\", \"version\": \"0.2.0\", \"target\": \" large \\\"bin\\\"\", \"duration\": 9 },\n  \
        { \"name\": \"medium\", \"version\": \"1.0.0\", \"target\": \" build-script\", \"duration\": 1.25 }\n];\nconst CONCURRENCY_DATA = [];\n";

    #[test]
    fn units_come_slowest_first() {
        let units = slowest(PAGE, 2).unwrap();
        let named = |name: &str, seconds: f64| Unit { name: name.into(), seconds };
        assert_eq!(
            units,
            [named("large 0.2.0 large \"bin\"", 9.0), named("medium 1.0.0 build-script", 1.25)]
        );
        assert_eq!(slowest(PAGE, 9).unwrap()[2], named("small 1.0.0", 0.5));
    }

    #[test]
    fn a_page_of_another_format_gives_nothing() {
        for (from, to) in [("UNIT_DATA", "UNITS"), ("duration", "time"), ("[\n  {\n", "{\n"), ("];", "")] {
            assert_eq!(slowest(&PAGE.replace(from, to), 2), None, "{from}");
        }
        assert_eq!((slowest("", 2), slowest("const UNIT_DATA = [];", 2)), (None, None));
    }
}
