//! The report of a simulation of a spin system: configurations, traces and convergence diagnostics.

use crate::recorded::RecordedSettings;
use crate::{maps, mixing, rerun};
use ergodict::chain::Alphabet;
use ergodict::chain::diagnostics::Mixing;
use ergodict::data::Frame;
use ergodict_report::words::{count, grouped, measured};
use ergodict_report::{Figure, LineChart, Picture, PictureError, Pictures, Report, Series};
use serde_json::Value;

const SERIES: &str = "
    The observable of every kept configuration, a line for each chain. A converged chain fluctuates about its mean; a trend means that a longer
    burn-in is needed.";

/// A quantity that was measured.
pub struct SimulatedQuantity<'a> {
    /// Its name.
    pub name: String,
    /// What is known of it over all chains.
    pub mixing: Mixing,
    /// The values of each chain whose mean it is.
    pub series: &'a [Vec<f64>],
    /// Whether the values are those of single configurations: functions of several means have no course over time.
    pub is_mean: bool,
}

/// What the page shows.
pub struct SimulationPage<'a> {
    /// Rows and columns.
    pub shape: (usize, usize),
    /// The values of a spin.
    pub alphabet: Alphabet,
    /// Updates of single sites between kept configurations.
    pub every: u64,
    /// Updates of all chains.
    pub updates: u64,
    /// The temperature.
    pub temperature: f64,
    /// The last configuration of each chain, row by row; at least one.
    pub chains: Vec<Frame<'a>>,
    /// What was measured.
    pub observables: Vec<SimulatedQuantity<'a>>,
    /// The share of accepted proposals, of chains that make them.
    pub acceptance: Option<f64>,
    /// The exact energy per site of the torus, where it is known.
    pub exact_energy: Option<f64>,
    /// The settings, by their keys.
    pub config: &'a Value,
    /// Whether a command with these settings gives the same.
    pub is_repeatable: bool,
    /// Time that it took.
    pub seconds: f64,
}

impl SimulationPage<'_> {
    /// The numbers at the top: observables, and the exact energy where it is known.
    fn numbers(&self) -> Vec<(String, String)> {
        let one = |one: &SimulatedQuantity<'_>| {
            let exact = self.exact_energy.filter(|_| one.name == "energy");
            let exact = exact.map_or_else(String::new, |exact| format!(" (exact {exact:.4})"));
            (measured(one.mixing.mean, one.mixing.error), format!("{}{exact}", one.name))
        };
        self.observables.iter().take(3).map(one).collect()
    }

    /// Why the chains may not have converged, if so.
    fn warning(&self) -> Option<String> {
        let failed = mixing::warning(self.observables.iter().map(|one| &one.mixing), self.chains.len());
        let means = self.observables.iter().filter(|one| one.is_mean);
        let same = mixing::never_changed(means.map(|one| (one.name.clone(), &one.mixing)));
        failed.into_iter().chain(same).reduce(|a, b| format!("{a}; {b}"))
    }

    /// The page.
    ///
    /// # Errors
    /// Configurations that cannot be drawn.
    pub fn report(&self) -> Result<Report, PictureError> {
        let (rows, cols) = self.shape;
        let model = self.config.as_object().map(|config| RecordedSettings::new(config).spin_model());
        let model = model.unwrap_or("spin system");
        let lead = format!(
            "{} of the {model} on {rows}×{cols} sites at T = {}: {} updates of single sites, a \
             configuration kept every {}.",
            count(self.chains.len(), "chain", "chains"),
            self.temperature,
            grouped(self.updates),
            grouped(self.every)
        );
        let mut report = Report::new(format!("Simulation of the {model}")).lead(lead).numbers(self.numbers());
        let frames: Vec<Vec<f64>> = self.chains.iter().take(4).map(Frame::to_numbers).collect();
        let one = frames.len() == 1;
        let name = |i: usize| if one { String::new() } else { format!("chain {i}") };
        let items = frames
            .iter()
            .enumerate()
            .map(|(i, frame)| (Picture::new(frame, self.shape, maps::shade(self.alphabet, frame)), name(i)));
        let svg = Pictures { items: items.collect(), columns: Some(frames.len().clamp(1, 2)) }.svg()?;
        let words = maps::shade_words(self.alphabet);
        report = report.figure(Figure { title: "Last configuration".into(), svg, words: words.into() });
        for SimulatedQuantity { name: observable, series, .. } in
            self.observables.iter().filter(|one| one.is_mean)
        {
            let series = series.iter().enumerate().map(|(c, values)| {
                let points = values.iter().enumerate();
                let x = |k: usize| (k + 1) as f64 * self.every as f64;
                Series::new(name(c), points.map(|(k, v)| (x(k), *v)).collect::<Vec<_>>())
            });
            let chart = LineChart {
                x_label: "updates of single sites, after the burn-in".into(),
                y_label: observable.clone(),
                series: series.collect(),
                ..LineChart::default()
            };
            let title = format!("Trace: {observable}");
            report = report.figure(Figure { title, svg: chart.svg(), words: SERIES.into() });
        }
        let warning = self.warning().map(|why| why + "; run longer, or use a burn-in");
        report = report.details(Some(mixing::check_of(warning)));
        let curves = self.observables.iter().map(|one| {
            let series: Vec<&[f64]> = one.series.iter().map(|values| &**values).collect();
            mixing::autocorrelation_of(&one.name, &series)
        });
        let curves: Vec<Series> = curves.flatten().collect();
        if !curves.is_empty() {
            report = report.figure(mixing::autocorrelations(curves, "kept configurations"));
        }
        let exact = self.exact_energy.map_or_else(String::new, |exact| {
            format!("\n\nThe exact energy per site of the torus is {exact:.4} (Kaufman).")
        });
        let rows = self.observables.iter().map(|one| (one.name.clone(), &one.mixing));
        report = report.table(mixing::diagnostics_table(rows, &exact));
        let mut run: Vec<(String, String)> = Vec::new();
        if let Some(config) = self.config.as_object() {
            let text = |v: &serde_json::Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
            let given = config.iter().filter(|(_, value)| !value.is_null());
            run.extend(given.map(|(key, value)| (key.clone(), text(value))));
        }
        if let Some(rate) = self.acceptance {
            run.push(if self.config["update"].is_string() {
                ("changed".into(), format!("{:.2} % of the sites by a step, on average", 100.0 * rate))
            } else {
                ("accepted".into(), format!("{:.2} % of the proposals", 100.0 * rate))
            });
        }
        run.push(("version".into(), format!("ergodict {}", env!("CARGO_PKG_VERSION"))));
        run.push(("time".into(), format!("{:.2} s", self.seconds)));
        let report = report.facts(&run);
        if !self.is_repeatable {
            return Ok(report);
        }
        let command = rerun::command("spins simulate", self.config, &[], "-o trajectory.npy");
        Ok(report.code("Reproduce", command))
    }
}
