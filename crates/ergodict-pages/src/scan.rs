//! The report of a temperature scan: a chart for each quantity, and a table.

use crate::recorded::RecordedSettings;
use crate::{mixing, rerun};
use ergodict::chain::Quantity;
use ergodict::run::ScanPoint;
use ergodict_report::words::{count, measured};
use ergodict_report::{Figure, LineChart, Report, Series, Table};
use serde_json::Value;

/// What the page shows.
pub struct ScanPage<'a> {
    /// Rows and columns.
    pub shape: (usize, usize),
    /// Chains at each temperature.
    pub chains: usize,
    /// The quantities.
    pub quantities: &'a [Quantity],
    /// What is known at each temperature.
    pub points: &'a [ScanPoint],
    /// The critical temperature of the infinite lattice, where it is known.
    pub critical_temperature: Option<f64>,
    /// The settings, by their keys.
    pub config: &'a Value,
    /// Whether a command with these settings gives the same.
    pub is_repeatable: bool,
    /// Time that it took.
    pub seconds: f64,
}

impl ScanPage<'_> {
    /// The page.
    pub fn report(&self) -> Report {
        let (rows, cols) = self.shape;
        let model = self.config.as_object().map(|config| RecordedSettings::new(config).spin_model());
        let model = model.unwrap_or("spin system");
        let critical = self.critical_temperature.map_or_else(String::new, |t| {
            format!(" The critical temperature of the infinite lattice is {t:.4}.")
        });
        let lead = format!(
            "{} at each of {} of the {model} on {rows}×{cols} sites.{critical}",
            count(self.chains, "chain", "chains"),
            count(self.points.len(), "temperature", "temperatures"),
        );
        let mut report =
            Report::new(format!("Temperature scan of the {model}")).lead(lead).numbers(self.numbers());
        for (at, quantity) in self.quantities.iter().enumerate() {
            report = report.figure(self.figure(at, *quantity));
        }
        let warning = scan_warning(self.points, self.chains).map(|why| why + "; run longer");
        report = report.table(self.table()).details(Some(mixing::check_of(warning)));
        let mut run: Vec<(String, String)> = Vec::new();
        if let Some(config) = self.config.as_object() {
            let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
            let given = config.iter().filter(|(_, value)| !value.is_null());
            run.extend(given.map(|(key, value)| (key.clone(), text(value))));
        }
        run.push(("version".into(), format!("ergodict {}", env!("CARGO_PKG_VERSION"))));
        run.push(("time".into(), format!("{:.2} s", self.seconds)));
        let report = report.facts(&run);
        if !self.is_repeatable {
            return report;
        }
        report.code("Reproduce", rerun::command("spins scan", self.config, &[], ""))
    }

    /// The temperature with the largest specific heat, or else susceptibility, and its distance from the next ones.
    fn peak(&self) -> Option<(String, String)> {
        let find = |name: &str| self.quantities.iter().position(|one| one.to_string() == name);
        let at = find("specific-heat").or_else(|| find("susceptibility"))?;
        let known = self.points.iter().enumerate().filter(|(_, point)| point.estimates[at].mean.is_finite());
        let (peak, point) =
            known.max_by(|(_, a), (_, b)| a.estimates[at].mean.total_cmp(&b.estimates[at].mean))?;
        let around = self.points[peak.saturating_sub(1)..].iter().take(3).map(|point| point.temperature);
        let steps = around.clone().zip(around.skip(1)).map(|(a, b)| b - a).reduce(f64::max)?;
        let what = format!(
            "temperature of the largest {}, grid spacing {}",
            label(self.quantities[at]),
            temperature(steps)
        );
        Some((temperature(point.temperature), what))
    }

    /// The numbers at the top: the measured peak, the critical temperature, temperatures, chains.
    fn numbers(&self) -> Vec<(String, String)> {
        let mut numbers: Vec<(String, String)> = self.peak().into_iter().collect();
        numbers.extend(
            self.critical_temperature
                .map(|t| (format!("{t:.4}"), "critical temperature (infinite lattice)".to_owned())),
        );
        numbers.push((self.points.len().to_string(), "temperatures".to_owned()));
        numbers.push((self.chains.to_string(), "chains per temperature".to_owned()));
        numbers
    }

    fn figure(&self, at: usize, quantity: Quantity) -> Figure {
        let estimates = self.points.iter().map(|point| (point.temperature, &point.estimates[at]));
        let known = estimates.filter(|(_, estimate)| estimate.mean.is_finite());
        let points: Vec<(f64, f64)> = known.clone().map(|(t, estimate)| (t, estimate.mean)).collect();
        let bars: Vec<(f64, f64, f64)> = known
            .filter(|(_, estimate)| estimate.error.is_finite())
            .map(|(t, estimate)| (t, estimate.mean - estimate.error, estimate.mean + estimate.error))
            .collect();
        let exact: Vec<(f64, f64)> = self
            .points
            .iter()
            .filter_map(|point| Some((point.temperature, point.exact_value(quantity)?)))
            .collect();
        let words = if exact.is_empty() {
            "Mean over all chains; bars are one standard error."
        } else {
            "Mean over all chains; bars are one standard error, the dashed line is exact (Kaufman)."
        };
        let mut series = Series::new(String::new(), points).bars(bars);
        series.expected = exact;
        let chart = LineChart {
            x_label: "temperature".into(),
            y_label: label(quantity),
            series: vec![series],
            ..LineChart::default()
        };
        Figure { title: title(quantity), svg: chart.svg(), words: words.into() }
    }

    fn table(&self) -> Table {
        let exchanges = self.points.iter().any(|point| point.exchange_rate.is_some());
        let mut head = vec!["temperature".to_owned()];
        head.extend(self.quantities.iter().map(|&quantity| label(quantity)));
        head.extend(exchanges.then(|| "exchanges with the next".to_owned()));
        let row = |point: &ScanPoint| {
            let mut row = vec![temperature(point.temperature)];
            row.extend(point.estimates.iter().map(|one| measured(one.mean, one.error)));
            row.extend(exchanges.then(|| {
                point.exchange_rate.map_or("–".to_owned(), |rate| format!("{:.1} %", 100.0 * rate))
            }));
            row
        };
        Table {
            title: "All temperatures".into(),
            head,
            rows: self.points.iter().map(row).collect(),
            words: "Means over all chains with Monte-Carlo standard errors.".into(),
        }
    }
}

/// A temperature in at most four decimals.
pub fn temperature(temperature: f64) -> String {
    ((1e4 * temperature).round() / 1e4).to_string()
}

/// Why chains have not converged, with the temperatures at which they have not; none where nothing speaks against it.
pub fn scan_warning(points: &[ScanPoint], chains: usize) -> Option<String> {
    let why = mixing::warning(points.iter().flat_map(|point| &point.estimates), chains)?;
    let failed = points.iter().filter(|point| mixing::warning(&point.estimates, chains).is_some());
    let temperatures: Vec<String> = failed.map(|point| temperature(point.temperature)).collect();
    Some(format!("{why} at T = {}", temperatures.join(", ")))
}

/// The name of a quantity in words.
fn label(quantity: Quantity) -> String {
    match quantity.to_string().as_str() {
        "abs-magnetization" => "absolute magnetization".to_owned(),
        "binder" => "Binder cumulant".to_owned(),
        name => name.replace('-', " "),
    }
}

/// The same as a title.
fn title(quantity: Quantity) -> String {
    let label = label(quantity);
    let mut letters = label.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
