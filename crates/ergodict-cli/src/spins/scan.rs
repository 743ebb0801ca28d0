//! `ergodict spins scan`: a spin system at many temperatures.

use super::system::System;
use crate::args::Common;
use crate::checkpoints::CheckpointArgs;
use crate::driver::Driver;
use crate::mixing::{self, MixingSummary};
use crate::progress::say;
use crate::reports::{self, ReportArgs};
use crate::summary::{Summary, emit};
use crate::{interrupt, output, paths};
use anyhow::{Result, bail};
use ergodict::chain::Quantity;
use ergodict::run::{Identity, ScanPoint, ScanSettings, ScanTable, Status, TemperatureScan};
use ergodict_pages::scan::{ScanPage, scan_warning, temperature};
use ergodict_report::words::{count, measured};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
Examples:
  ergodict spins scan --size 32 --from 1.5 --to 3.5 --report scan.html
  ergodict spins scan --model potts --states 3 --size 32 --sweeps 5000
  ergodict spins scan --size 16 --update checkerboard --tempering -o scan.csv";

/// Estimate observables at many temperatures: energy, magnetization, susceptibility, specific heat, …
///
/// The update is swendsen-wang by default, or random where clusters cannot be updated.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Args {
    /// The table to write, by its name .csv, .tsv or .json; - is standard output, with commas
    ///
    /// A row for each temperature: every quantity with its error and, where it is known, its exact value; with --tempering the exchange rate.
    #[arg(short, long, value_name = "TABLE.csv")]
    out: Option<PathBuf>,
    #[command(flatten)]
    scan: ScanSettings,
    #[command(flatten)]
    system: System,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let system = args.system.with_update(args.scan.system(&args.system).update);
    args.check(common)?;
    let begin = |t: f64, id: u64| system.walk(t, common.seed, id);
    let mut scan = TemperatureScan::new(&args.scan, &system, common.seed, begin)?;
    let quantities = scan.quantities().to_vec();
    let config = args.scan.config(&system, &quantities, common.seed)?;
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
    if let Some(path) = &args.out {
        TableFormat::from_path(path)?.write(&ScanTable::new(&quantities, &points), path)?;
    }
    driver.remove()?;
    let chains = args.scan.chains() as usize;
    let summary_of = |point: &ScanPoint| TemperatureSummary {
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
        temperatures: points.iter().map(summary_of).collect(),
        seconds,
        resumed,
        labels: points.iter().map(|point| label(point, chains)).collect(),
        points: &points,
        quantities: &quantities,
        written: args
            .out
            .iter()
            .filter(|path| !output::is_standard(path))
            .map(|path| ("wrote", path.display().to_string()))
            .chain(args.reports.lines())
            .collect(),
        config,
    };
    emit(&summary, common)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn check(&self, common: &Common) -> Result<()> {
        self.checkpoints.check()?;
        self.out.iter().try_for_each(|path| TableFormat::from_path(path).map(|_| ()))?;
        let inputs = self.system.files();
        let checkpoint = self.checkpoints.checkpoint.as_deref().map(|path| ("--checkpoint", path));
        let out = self.out.as_deref().map(|path| ("-o", path));
        let outputs: Vec<paths::NamedPath<'_>> =
            out.into_iter().chain(checkpoint).chain(self.reports.outputs()).collect();
        paths::check(common, &inputs, &outputs)?;
        reports::probe(&outputs)
    }
}

/// A temperature in at most four decimals, with a star where chains have not converged.
fn label(point: &ScanPoint, chains: usize) -> String {
    let star = if mixing::warning(&point.estimates, chains).is_some() { "*" } else { "" };
    temperature(point.temperature) + star
}

/// How the table is written.
#[derive(Clone, Copy)]
enum TableFormat {
    Text(&'static str),
    Json,
}

impl TableFormat {
    /// By the name of the file.
    fn from_path(path: &Path) -> Result<Self> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        Ok(match extension.as_deref() {
            None if output::is_standard(path) => Self::Text(","),
            Some("csv") => Self::Text(","),
            Some("tsv") => Self::Text("\t"),
            Some("json") => Self::Json,
            _ => bail!(
                "{}: tables are written as .csv, .tsv or .json; use one of these endings",
                path.display()
            ),
        })
    }

    fn write(self, table: &ScanTable, path: &Path) -> Result<()> {
        let text = match self {
            Self::Text(separator) => table.to_text(separator),
            Self::Json => format!("{:#}\n", table.to_json()),
        };
        if output::is_standard(path) { output::print(&text) } else { output::write(path, &text) }
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
    /// Whether it was resumed from a checkpoint
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
    /// The names of the columns, and the cells of each row, `-1.4142 ± 0.0004` for every quantity; exact values stand next to the estimates.
    fn table(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let exchanges = self.points.iter().any(|point| point.exchange_rate.is_some());
        let has_exact =
            |quantity: Quantity| self.points.iter().any(|one| one.exact_value(quantity).is_some());
        let mut head = Vec::new();
        for quantity in self.quantities {
            head.push(quantity.to_string());
            head.extend(has_exact(*quantity).then(|| "exact".to_owned()));
        }
        head.extend(exchanges.then(|| "exchanges".to_owned()));
        let unknown = || "–".to_owned();
        let row = |point: &ScanPoint| {
            let mut row = Vec::new();
            for (quantity, one) in self.quantities.iter().zip(&point.estimates) {
                let known = (!one.mean.is_nan()).then(|| measured(one.mean, one.error));
                row.push(known.unwrap_or_else(unknown));
                let exact =
                    || point.exact_value(*quantity).map_or_else(unknown, |exact| format!("{exact:.4}"));
                row.extend(has_exact(*quantity).then(exact));
            }
            let rate = || point.exchange_rate.map_or_else(unknown, |rate| format!("{:.1} %", 100.0 * rate));
            row.extend(exchanges.then(rate));
            row
        };
        (head, self.points.iter().map(row).collect())
    }
}

impl Summary for ScanSummary<'_> {
    const SCHEMA: &'static str = "ergodict.spins-scan/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let (rows, cols) = self.shape;
        let mut lines = vec![(
            "scanned",
            format!(
                "{rows}×{cols} sites at {}, {} sweeps",
                count(self.points.len(), "temperature", "temperatures"),
                self.sweeps
            ),
        )];
        let (head, table) = self.table();
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
        if let Some(why) = scan_warning(self.points, self.chains) {
            lines.push(("warning", format!("{why}; increase --sweeps")));
        }
        if let Some(exact) = self.critical_temperature {
            let how = if self.config["model"] == "xy" { "by simulations" } else { "exact" };
            lines.push(("critical", format!("T = {exact:.4} on an infinite lattice ({how})")));
        }
        lines.extend(self.written.clone());
        lines
    }

    fn details(&self) -> Vec<(&str, String)> {
        vec![("time", format!("{:.2} s", self.seconds))]
    }

    fn config(&self) -> Value {
        self.config.clone()
    }
}
