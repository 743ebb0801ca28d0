//! `ergodict spins scan`: a spin system at many temperatures.

use super::system::System;
use crate::args::Common;
use crate::checkpoints::CheckpointArgs;
use crate::driver::Driver;
use crate::mixing::{self, MixingSummary};
use crate::progress::say;
use crate::reports::{self, ReportArgs};
use crate::summary::{Summary, emit};
use crate::{interrupt, memory, paths};
use anyhow::Result;
use ergodict::chain::{Quantity, SystemKind, Update};
use ergodict::run::{Identity, ScanPoint, ScanSettings, Status, TemperatureScan};
use ergodict_pages::scan::ScanPage;
use serde::Serialize;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
Examples:
  ergodict spins scan --size 32 --from 1.5 --to 3.5 --report scan.html
  ergodict spins scan --model potts --states 3 --size 32 --sweeps 5000
  ergodict spins scan --size 16 --update checkerboard --tempering --json";

/// Estimate observables at many temperatures: energy, magnetization, susceptibility, specific heat, …
///
/// The update is swendsen-wang by default, or random where clusters cannot be updated.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    scan: ScanSettings,
    /// What to estimate: observables of `spins simulate`, susceptibility, specific-heat, binder, correlation-length
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = TemperatureScan::QUANTITIES)]
    #[arg(hide_short_help = true)]
    observables: Vec<Quantity>,
    #[command(flatten)]
    system: System,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let system = args.system.with_update(args.update());
    args.check(common)?;
    let temperatures = args.scan.temperatures(&system)?;
    let replicas = args.scan.chains().saturating_mul(temperatures.len() as u64);
    let series = args.scan.sweeps().saturating_mul(8 * 8);
    memory::check(
        system.memory()?.saturating_add(series).saturating_mul(replicas),
        &format!("{} chains at {} temperatures", args.scan.chains(), temperatures.len()),
        "lower --size, --chains, --temperatures or --sweeps",
    )?;
    let first = system.walk(temperatures[0], common.seed, 0)?;
    // What is asked for by default is left out where the system has none of it.
    let quantities = if args.observables == default_quantities() {
        TemperatureScan::available(&args.observables, &*first)
    } else {
        args.observables.clone()
    };
    let begin = |t: f64, id: u64| system.walk(t, common.seed, id);
    let mut scan = TemperatureScan::new(&args.scan, &system, &quantities, common.seed, begin)?;
    let config = args.config(&system, &quantities, common);
    interrupt::listen();
    let started = Instant::now();
    let inputs = if args.checkpoints.checkpoint.is_some() { system.inputs()? } else { Vec::new() };
    let command = "spins scan".into();
    let identity = Identity { command, settings: config.clone(), inputs, seed: common.seed };
    let mut driver = Driver::open(&args.checkpoints, common, &identity)?;
    let resumed = driver.restore(&mut scan.jobs())?;
    if resumed && !common.quiet {
        say(&format!("resumed after {} sweeps", scan.sweeps()));
    }
    if driver.drive(&mut scan.jobs())? == Status::Stopped {
        return Ok(driver.interrupted(&format!("{} sweeps", scan.sweeps())));
    }
    interrupt::waits_for("the report");
    let points = scan.points();
    let critical_temperature = system.critical_temperature();
    let seconds = started.elapsed().as_secs_f64();
    args.reports.write(|| {
        let page = ScanPage {
            shape: scan.shape(),
            chains: args.scan.chains() as usize,
            quantities: scan.quantities(),
            points: &points,
            critical_temperature,
            config: &config,
            is_repeatable: true,
            seconds,
        };
        Ok(page.report())
    })?;
    driver.remove()?;
    let chains = args.scan.chains() as usize;
    let temperature = |point: &ScanPoint| TemperatureSummary {
        temperature: point.temperature,
        observables: point
            .estimates
            .iter()
            .zip(&quantities)
            .map(|(one, quantity)| MixingSummary::new(&quantity.to_string(), one, chains, chains == 1))
            .collect(),
        exchange_rate: point.exchange_rate,
        exact_energy: point.exact.map(|exact| exact.0),
        exact_specific_heat: point.exact.map(|exact| exact.1),
    };
    let summary = ScanSummary {
        shape: scan.shape(),
        chains,
        sweeps: scan.sweeps(),
        critical_temperature,
        temperatures: points.iter().map(temperature).collect(),
        seconds,
        resumed,
        labels: points.iter().map(|point| point.temperature.to_string()).collect(),
        points: &points,
        quantities: &quantities,
        written: args.reports.lines(),
        config,
    };
    emit(&summary, common)?;
    Ok(ExitCode::SUCCESS)
}

fn default_quantities() -> Vec<Quantity> {
    TemperatureScan::QUANTITIES.split(',').filter_map(|name| name.parse().ok()).collect()
}

impl Args {
    /// The update that was chosen: clusters by default, where they can be updated.
    fn update(&self) -> Option<Update> {
        let kind = self.system.kind();
        if !kind.parameters().contains(&"update") {
            return self.system.update;
        }
        let clusters = kind == SystemKind::Ising || self.system.coupling() >= 0.0;
        Some(self.system.update.unwrap_or(if clusters { Update::SwendsenWang } else { Update::Random }))
    }

    fn check(&self, common: &Common) -> Result<()> {
        self.checkpoints.check()?;
        let inputs = self.system.files();
        let checkpoint = self.checkpoints.checkpoint.as_deref().map(|path| ("--checkpoint", path));
        let outputs: Vec<paths::NamedPath<'_>> =
            checkpoint.into_iter().chain(self.reports.outputs()).collect();
        paths::check(common, &inputs, &outputs)?;
        reports::probe(&outputs)
    }

    /// Every flag that has a say in the result, with its value.
    fn config(&self, system: &System, quantities: &[Quantity], common: &Common) -> Value {
        let mut config = json!(self.scan);
        if self.scan.temperature.is_empty()
            && let Ok(range) = self.scan.temperatures(system)
        {
            config["from"] = json!(range.first());
            config["to"] = json!(range.last());
            config["temperatures"] = json!(range.len());
        }
        config["sweeps"] = json!(self.scan.sweeps());
        config["burn-in"] = json!(self.scan.burn_in());
        config["chains"] = json!(self.scan.chains());
        config["seed"] = json!(common.seed);
        let names: Vec<String> = quantities.iter().map(ToString::to_string).collect();
        config["observables"] = json!(names.join(","));
        system.config(&mut config);
        config
    }
}

/// What is known at a temperature
#[derive(Serialize)]
struct TemperatureSummary {
    /// The temperature
    temperature: f64,
    /// Observables, in the order of `--observables`
    observables: Vec<MixingSummary>,
    /// Share of the exchanges with the next temperature that were accepted, with `--tempering`; else `null`
    exchange_rate: Option<f64>,
    /// Kaufman's energy per site of the same torus, for Ising ferromagnets without a field; else `null`
    exact_energy: Option<f64>,
    /// The same for the specific heat
    exact_specific_heat: Option<f64>,
}

/// `ergodict spins scan`
#[derive(Serialize)]
struct ScanSummary<'a> {
    /// Rows and columns of the sites
    shape: (usize, usize),
    /// Chains at each temperature
    chains: usize,
    /// Sweeps of all chains at all temperatures, the burn-in included
    sweeps: u64,
    /// Critical temperature of the infinite lattice, where it is known; else `null`
    critical_temperature: Option<f64>,
    /// Temperatures, ascending
    temperatures: Vec<TemperatureSummary>,
    /// Time of this run, without what was done before it was resumed
    seconds: f64,
    /// Whether it went on from a checkpoint
    resumed: bool,
    #[serde(skip)]
    labels: Vec<String>,
    #[serde(skip)]
    points: &'a [ScanPoint],
    #[serde(skip)]
    quantities: &'a [Quantity],
    #[serde(skip)]
    written: Vec<(&'static str, String)>,
    #[serde(skip)]
    config: Value,
}

impl ScanSummary<'_> {
    /// The cells of a row, `-1.41421 ± 0.00042` for every quantity.
    fn row(&self, point: &ScanPoint) -> Vec<String> {
        let value = |one: &ergodict::chain::diagnostics::Mixing| {
            if one.mean.is_nan() { "–".to_owned() } else { format!("{:.4} ± {:.4}", one.mean, one.error) }
        };
        let mut row: Vec<String> = point.estimates.iter().map(value).collect();
        if self.points.iter().any(|point| point.exchange_rate.is_some()) {
            row.push(point.exchange_rate.map_or("–".to_owned(), |rate| format!("{:.1} %", 100.0 * rate)));
        }
        row
    }
}

impl Summary for ScanSummary<'_> {
    const SCHEMA: &'static str = "ergodict.spins-scan/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let (rows, cols) = self.shape;
        let mut lines = vec![(
            "scanned",
            format!(
                "{rows}×{cols} sites at {} temperatures, {} sweeps in {:.2} s",
                self.points.len(),
                self.sweeps,
                self.seconds
            ),
        )];
        let mut head: Vec<String> = self.quantities.iter().map(ToString::to_string).collect();
        if self.points.iter().any(|point| point.exchange_rate.is_some()) {
            head.push("exchanges".to_owned());
        }
        let table: Vec<Vec<String>> = self.points.iter().map(|point| self.row(point)).collect();
        let width = |at: usize| {
            let cells = table.iter().chain([&head]).map(|row| row[at].chars().count());
            cells.max().unwrap_or(0)
        };
        let align = |row: &[String]| {
            let cells = row.iter().enumerate().map(|(at, cell)| format!("{cell:>0$}", width(at)));
            cells.collect::<Vec<_>>().join("  ")
        };
        lines.push(("T", align(&head)));
        lines.extend(self.labels.iter().zip(&table).map(|(label, row)| (&**label, align(row))));
        let all = self.points.iter().flat_map(|point| &point.estimates);
        if let Some(why) = mixing::warning(all, self.chains) {
            lines.push(("warning", format!("{why} at some temperature; increase --sweeps")));
        }
        if let Some(exact) = self.critical_temperature {
            lines.push(("critical", format!("T = {exact:.5} on an infinite lattice (exact)")));
        }
        lines.extend(self.written.clone());
        lines
    }

    fn config(&self) -> Value {
        self.config.clone()
    }
}
