//! A spin system at many temperatures.

use crate::error::to_py_err;
use crate::page::write;
use crate::spins::{Graph, edges, settings};
use crate::work::long;
use ergodict::Error;
use ergodict::chain::diagnostics::Mixing;
use ergodict::chain::{Quantity, SystemData, SystemSettings};
use ergodict::run::{ScanPoint, ScanSettings, Status, TemperatureScan, drive};
use ergodict::text::Shape;
use ergodict_pages::scan::{ScanPage, scan_warning};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::time::Instant;

/// Scans temperatures, and writes the page of it if a path is given: what is known, as arrays by temperature, and why chains have not converged.
#[pyfunction]
#[pyo3(signature = (system, size, scan, names, seed, n_jobs=None, *, field=None, graph=None, report=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "one place calls it")]
pub(crate) fn scan_temperatures<'py>(
    py: Python<'py>,
    system: &Bound<'py, PyDict>,
    size: (usize, usize),
    scan: &Bound<'py, PyDict>,
    names: Vec<String>,
    seed: u64,
    n_jobs: Option<i64>,
    field: Option<PyReadonlyArray1<'py, f64>>,
    graph: Option<Graph<'py>>,
    report: Option<PathBuf>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, Option<String>)> {
    let observables =
        names.iter().map(|name| name.parse()).collect::<Result<Vec<Quantity>, _>>().map_err(to_py_err)?;
    let scan = ScanSettings { observables, ..settings(scan)? };
    let system = SystemSettings { size: Some(Shape(size.0, size.1)), ..settings(system)? };
    let system = scan.system(&system);
    let data = SystemData {
        field: field.map(|field| field.as_slice().map(<[f64]>::to_vec)).transpose()?,
        nodes: graph.as_ref().map_or(0, |graph| graph.0),
        edges: graph.as_ref().map(edges).transpose()?,
        weights: None,
    };
    let is_repeatable = data.field.is_none() && data.edges.is_none();
    let begin = |t: f64, id: u64| system.walk(data.clone(), t, seed, id);
    let mut running = TemperatureScan::new(&scan, &system, seed, begin).map_err(to_py_err)?;
    let quantities = running.quantities().to_vec();
    let started = Instant::now();
    let chains = scan.chains() as usize;
    long(py, n_jobs, progress.as_ref(), |watch| {
        match drive(&mut running.jobs(), None, watch.stop(), &mut &*watch)? {
            Status::Stopped => Err(Error::Interrupted),
            _ => Ok(()),
        }
    })?;
    let mut points = running.points();
    if !is_repeatable {
        // Exact results are those of the lattice that the settings describe.
        points.iter_mut().for_each(|point| point.exact = None);
    }
    let critical = system.critical_temperature().filter(|_| is_repeatable);
    if let Some(path) = report {
        let config = scan.config(&system, &quantities, seed).map_err(to_py_err)?;
        let page = ScanPage {
            shape: running.shape(),
            chains,
            quantities: &quantities,
            points: &points,
            critical_temperature: critical,
            config: &config,
            is_repeatable,
            seconds: started.elapsed().as_secs_f64(),
        };
        write(py, &path, Ok(page.report()), &[])?;
    }
    let found = PyDict::new(py);
    let column =
        |of: &dyn Fn(&ScanPoint) -> f64| points.iter().map(of).collect::<Vec<f64>>().into_pyarray(py);
    found.set_item("temperature", column(&|point| point.temperature))?;
    let parts: [(&str, fn(&Mixing) -> f64); 4] = [
        ("mean", |one| one.mean),
        ("error", |one| one.error),
        ("r_hat", |one| one.r_hat),
        ("effective_sample_size", |one| one.effective_sample_size),
    ];
    for (part, of) in parts {
        let each = PyDict::new(py);
        for (at, quantity) in quantities.iter().enumerate() {
            each.set_item(quantity.to_string(), column(&|point| of(&point.estimates[at])))?;
        }
        found.set_item(part, each)?;
    }
    let nan = f64::NAN;
    found.set_item("exchange_rate", column(&|point| point.exchange_rate.unwrap_or(nan)))?;
    found.set_item("exact_energy", column(&|point| point.exact.map_or(nan, |exact| exact.0)))?;
    found.set_item("exact_specific_heat", column(&|point| point.exact.map_or(nan, |exact| exact.1)))?;
    found.set_item("critical_temperature", critical)?;
    let converged = points.iter().flat_map(|point| &point.estimates).map(|one| one.converged(chains));
    found.set_item("converged", converged.into_iter().all(|one| one == Some(true)))?;
    let warning = scan_warning(&points, chains);
    Ok((found, warning))
}
