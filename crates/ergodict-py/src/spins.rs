//! Spin systems under way: advanced, looked at, measured, cut into patches.

use crate::error::to_py_err;
use crate::memory::reserve;
use crate::page::write;
use crate::scheme::{from_map, plain};
use crate::work::{long, short};
use ergodict::chain::diagnostics::{
    Acceptance, Mixing, autocorrelation, bartlett_errors, quantile_with_error,
};
use ergodict::chain::{
    Alphabet, Boundary, ChainPoint, Lattice, Observable, SpinWalk, SystemData, SystemSettings, Thinning,
};
use ergodict::data::read_edge_list;
use ergodict::linalg::{Mat, Scalar};
use ergodict::patch::{Encoding, SpinCutter, SpinValues, Window};
use ergodict::text::Shape;
use ergodict_pages::simulation::{SimulatedQuantity, SimulationPage};
use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Map, json};
use std::path::PathBuf;

/// Updates of single sites that need no thread of their own, and before a signal is listened to: a few milliseconds.
const PIECE: u64 = 200_000;

/// A spin system under way.
#[pyclass(module = "ergodict._ergodict")]
pub(crate) struct SpinChain {
    walk: Box<dyn SpinWalk>,
    seed: u64,
    id: u64,
    /// Where the generator of the places of patches is.
    word: u64,
    temperature: f64,
    settings: SystemSettings,
    /// Whether the settings are all: no field, graph or weights came as arrays.
    plain: bool,
}

/// Where a chain is: steps, word of its generator, proposals accepted and made, word of the generator of patches, configuration.
type Place<'py> = (u64, u64, Option<(u64, u64)>, u64, Bound<'py, PyArray1<i8>>);

#[pymethods]
impl SpinChain {
    /// A system by its settings, at its start; a field that differs between sites, a graph and weights come as arrays.
    #[new]
    #[pyo3(signature = (system, size, temperature, seed, chain, *, field=None, graph=None, weights=None))]
    #[expect(clippy::too_many_arguments, reason = "given by name in Python")]
    fn start(
        py: Python<'_>,
        system: &Bound<'_, PyDict>,
        size: (usize, usize),
        temperature: f64,
        seed: u64,
        chain: u64,
        field: Option<PyReadonlyArray1<'_, f64>>,
        graph: Option<Graph<'_>>,
        weights: Option<Weights<'_>>,
    ) -> PyResult<Self> {
        let settings = SystemSettings { size: Some(Shape(size.0, size.1)), ..settings(system)? };
        if graph.is_none() && weights.is_none() {
            reserve(settings.memory().map_err(to_py_err)?.into(), "a system of this size")?;
        }
        let data = SystemData {
            field: field.map(|field| field.as_slice().map(<[f64]>::to_vec)).transpose()?,
            nodes: graph.as_ref().map_or(0, |graph| graph.0),
            edges: graph.as_ref().map(edges).transpose()?,
            weights: weights.as_ref().map(machine).transpose()?,
        };
        let plain = data.field.is_none() && data.edges.is_none() && data.weights.is_none();
        let walk = short(py, || settings.walk(data, temperature, seed, chain))?;
        Ok(Self { walk, seed, id: chain, word: 0, temperature, settings, plain })
    }

    /// Rows and columns in which the sites are drawn.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.walk.shape()
    }

    /// Updates of single sites in a step.
    #[getter]
    fn updates_per_step(&self) -> u64 {
        self.walk.updates_per_step()
    }

    /// Steps taken so far.
    #[getter]
    fn steps(&self) -> u64 {
        self.walk.taken()
    }

    /// Values of labels, 0 for −1 and 1, −1 for 0 and 1.
    #[getter]
    fn labels(&self) -> i32 {
        labels(self.walk.alphabet())
    }

    /// Whether the grid that patches are cut from is a torus; none without a grid.
    #[getter]
    fn periodic(&self) -> Option<bool> {
        self.walk.grid().map(|(.., boundary)| boundary == Boundary::Periodic)
    }

    /// Proposals accepted and made, for chains that make them.
    #[getter]
    fn acceptance(&self) -> Option<(u64, u64)> {
        self.walk.acceptance().map(|a| (a.accepted, a.proposed))
    }

    /// Takes so many updates of single sites, rounded up to whole steps.
    fn advance(&mut self, py: Python<'_>, updates: u64) -> PyResult<()> {
        let steps = updates.div_ceil(self.walk.updates_per_step().max(1));
        self.go_to(py, self.walk.taken().saturating_add(steps))
    }

    /// Goes on to the next state that is kept.
    fn next(&mut self, py: Python<'_>, every: u64, burn_in: u64) -> PyResult<()> {
        let rhythm = Thinning::of_updates(burn_in, every, self.walk.updates_per_step());
        self.go_to(py, rhythm.step_of(rhythm.kept(self.walk.taken())))
    }

    /// The configuration, row by row.
    fn spins<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        PyArray1::from_slice(py, self.walk.spins())
    }

    /// An observable of the configuration.
    fn measure(&self, py: Python<'_>, name: &str) -> PyResult<f64> {
        short(py, || self.walk.measure(name.parse::<Observable>()?))
    }

    /// Where the chain is, so that it can go on later.
    fn place<'py>(&self, py: Python<'py>) -> Place<'py> {
        let point = self.walk.point();
        let accepted = point.acceptance.map(|a| (a.accepted, a.proposed));
        (point.steps, point.word, accepted, self.word, self.spins(py))
    }

    /// Goes to where a chain of the same system and seed was.
    fn seek(
        &mut self,
        steps: u64,
        word: u64,
        acceptance: Option<(u64, u64)>,
        patch_word: u64,
        spins: PyReadonlyArray1<'_, i8>,
    ) -> PyResult<()> {
        let state = spins.as_slice()?.iter().map(|&s| s as u8).collect();
        let acceptance = acceptance.map(|(accepted, proposed)| Acceptance { accepted, proposed });
        self.walk.seek(&ChainPoint { steps, word, acceptance, state }).map_err(to_py_err)?;
        self.word = patch_word;
        Ok(())
    }

    /// Writes the page of states that were just taken and measured; `start` is how the chain began, where a word says it and nothing was taken
    /// before.
    #[expect(clippy::too_many_arguments, reason = "one place calls it")]
    fn report(
        &self,
        py: Python<'_>,
        path: PathBuf,
        names: Vec<String>,
        #[pyo3(from_py_with = crate::list::lists)] series: Vec<Vec<f64>>,
        every: u64,
        burn_in: u64,
        updates: u64,
        start: Option<&str>,
        seconds: f64,
    ) -> PyResult<()> {
        let of = self.walk.updates_per_step();
        let whole = Thinning::of_updates(burn_in, every, of).every.saturating_mul(of);
        let states = series.first().map_or(0, Vec::len) as u64;
        let mut config = json!({
            "temperature": self.temperature,
            "updates": states.saturating_mul(whole),
            "every": every,
            "burn-in": burn_in,
            "start": start,
            "chains": 1,
            "seed": self.seed,
            "observables": names.join(","),
        });
        for (key, value) in self.settings.config() {
            config[key] = value;
        }
        let rate = self.walk.acceptance().filter(|a| a.proposed > 0);
        let page = SimulationPage {
            shape: self.walk.shape(),
            alphabet: self.walk.alphabet(),
            every: whole,
            updates,
            temperature: self.temperature,
            observables: names
                .into_iter()
                .zip(&series)
                .map(|(name, one)| SimulatedQuantity {
                    name,
                    mixing: Mixing::from_series(&[one]),
                    series: std::slice::from_ref(one),
                    is_mean: true,
                })
                .collect(),
            chains: vec![self.walk.spins()],
            acceptance: rate.map(|a| a.rate()),
            exact_energy: self.settings.exact_energy(self.temperature).filter(|_| self.plain),
            config: &config,
            is_repeatable: self.plain && self.id == 0 && start.is_some(),
            seconds,
        };
        write(py, &path, page.report(), &[])
    }

    /// Patches at random places of the configuration, one after another, and the numbers of each.
    fn patches<'py>(
        &mut self,
        py: Python<'py>,
        rows: usize,
        cols: usize,
        values: &str,
        count: usize,
        single: bool,
    ) -> PyResult<(usize, Bound<'py, PyAny>)> {
        if single {
            self.cut::<f32>(py, (rows, cols), values, count)
        } else {
            self.cut::<f64>(py, (rows, cols), values, count)
        }
    }
}

impl SpinChain {
    /// Goes to a step that is not in the past; when interrupted before, it can go on.
    fn go_to(&mut self, py: Python<'_>, step: u64) -> PyResult<()> {
        let walk = &mut self.walk;
        let of = walk.updates_per_step().max(1);
        let left = step.saturating_sub(walk.taken());
        if left.saturating_mul(of) <= PIECE {
            return short(py, || {
                walk.advance(left);
                Ok(())
            });
        }
        long(py, None, None, |watch| {
            let piece = (PIECE / of).max(1);
            while walk.taken() < step && !watch.stopped() {
                walk.advance((step - walk.taken()).min(piece));
            }
            Ok(())
        })
    }

    fn cut<'py, T: Scalar + Element>(
        &mut self,
        py: Python<'py>,
        (rows, cols): (usize, usize),
        values: &str,
        count: usize,
    ) -> PyResult<(usize, Bound<'py, PyAny>)> {
        let Some((high, wide, boundary)) = self.walk.grid() else {
            return Err(PyValueError::new_err("patches are cut from a lattice, and this system is on none"));
        };
        let values: SpinValues = values.parse().map_err(to_py_err)?;
        let encoding = Encoding::new(values, self.walk.alphabet()).map_err(to_py_err)?;
        let window = Window { rows, cols, boundary };
        window.corners((high, wide)).map_err(to_py_err)?;
        let features = window.features(encoding.channels());
        reserve(features as u128 * count as u128 * 2 * size_of::<T>() as u128, "so many patches")?;
        let borders = (values == SpinValues::Borders).then(|| Lattice::new(high, wide, boundary));
        let borders = borders.transpose().map_err(to_py_err)?;
        let mut cutter = SpinCutter::new(window, encoding, borders, self.seed, self.id);
        cutter.seek(self.word);
        let (walk, word) = (&self.walk, &mut self.word);
        let patches = short(py, move || {
            let mut x = Mat::<T>::zeros(0, 0);
            cutter.cut(walk.spins(), (high, wide), count, &mut x)?;
            *word = cutter.word();
            Ok(columns(&x))
        })?;
        Ok((features, patches.into_pyarray(py).into_any()))
    }
}

/// The numbers of a matrix, column by column.
pub(crate) fn columns<T: Scalar>(x: &Mat<T>) -> Vec<T> {
    let mut all = Vec::with_capacity(x.rows() * x.cols());
    (0..x.cols()).for_each(|j| all.extend_from_slice(x.col(j)));
    all
}

/// The settings that Python gives by their keywords.
pub(crate) fn settings<S: serde::de::DeserializeOwned>(given: &Bound<'_, PyDict>) -> PyResult<S> {
    let mut settings = Map::new();
    for (key, value) in given {
        let key = key.extract::<String>()?.replace('_', "-");
        let number = value.extract::<f64>();
        let value = match number {
            // Text, as the command line has it.
            Ok(field) if key == "field" => json!(field.to_string()),
            Ok(number) if !number.is_finite() => {
                let words = format!("the {key} is {number}, but it must be a finite number");
                return Err(PyValueError::new_err(words));
            }
            _ if value.is_instance_of::<PyList>() => json!(crate::list::list::<f64>(&value)?),
            _ => plain(&value)?,
        };
        if !value.is_null() {
            settings.insert(key, value);
        }
    }
    from_map(settings)
}

/// The number of nodes, both ends of each edge and its coupling.
pub(crate) type Graph<'py> =
    (usize, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>);

/// The edges of a graph of numbered nodes.
pub(crate) fn edges((nodes, us, vs, couplings): &Graph<'_>) -> PyResult<Vec<(u32, u32, f64)>> {
    let (us, vs, js) = (us.as_slice()?, vs.as_slice()?, couplings.as_slice()?);
    if us.len() != vs.len() || us.len() != js.len() {
        return Err(PyValueError::new_err("edges need two ends and a coupling each"));
    }
    reserve(*nodes as u128 * 32 + us.len() as u128 * 64, "a graph of this size")?;
    Ok(us.iter().zip(vs).zip(js).map(|((&u, &v), &j)| (u, v, j)).collect())
}

/// Weights row by row for each visible unit, and the biases of visible and hidden units.
type Weights<'py> =
    (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>, usize);

/// The weights of a machine with these many hidden units.
fn machine(
    (weights, visible_bias, hidden_bias, hidden): &Weights<'_>,
) -> PyResult<(Mat<f64>, Vec<f64>, Vec<f64>)> {
    let weights = weights.as_slice()?;
    let visible = weights.len().checked_div(*hidden).unwrap_or(0);
    if visible * hidden != weights.len() {
        return Err(PyValueError::new_err("weights are not visible × hidden"));
    }
    reserve(weights.len() as u128 * 24, "a machine of so many weights")?;
    let (b, c) = (visible_bias.as_slice()?.to_vec(), hidden_bias.as_slice()?.to_vec());
    Ok((Mat::from_fn(visible, *hidden, |i, j| weights[i * hidden + j]), b, c))
}

/// The alphabet of `SpinChain.labels`.
pub(crate) fn alphabet(labels: i32) -> Alphabet {
    match labels {
        0 => Alphabet::PlusMinus,
        -1 => Alphabet::ZeroOne,
        labels => Alphabet::Labels(u8::try_from(labels).unwrap_or(0)),
    }
}

/// The other way.
pub(crate) fn labels(alphabet: Alphabet) -> i32 {
    match alphabet {
        Alphabet::PlusMinus => 0,
        Alphabet::ZeroOne => -1,
        Alphabet::Labels(labels) => i32::from(labels),
    }
}

pub(crate) fn boundary(periodic: bool) -> Boundary {
    if periodic { Boundary::Periodic } else { Boundary::Free }
}

/// The number of nodes, both ends of each edge, and the weights, if there are any.
type Edges<'py> =
    (usize, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Option<Bound<'py, PyArray1<f64>>>);

/// An edge list as the command line reads it.
#[pyfunction]
pub(crate) fn read_edges(py: Python<'_>, path: PathBuf) -> PyResult<Edges<'_>> {
    let list = short(py, move || read_edge_list(&path))?;
    let (us, vs): (Vec<u32>, Vec<u32>) = list.ends.into_iter().unzip();
    let weights = list.weights.map(|weights| weights.into_pyarray(py));
    Ok((list.ids.len(), us.into_pyarray(py), vs.into_pyarray(py), weights))
}

/// The autocorrelation function of several chains, up to a lag, and its standard errors by Bartlett.
#[pyfunction]
pub(crate) fn series_autocorrelation(
    py: Python<'_>,
    #[pyo3(from_py_with = crate::list::lists)] chains: Vec<Vec<f64>>,
    lags: usize,
) -> (Bound<'_, PyArray1<f64>>, Bound<'_, PyArray1<f64>>) {
    let (found, errors) = py.detach(|| {
        let found = autocorrelation(&chains, lags);
        let values = chains.len() * chains.iter().map(Vec::len).min().unwrap_or(0);
        let errors = bartlett_errors(&found, values);
        (found, errors)
    });
    (found.into_pyarray(py), errors.into_pyarray(py))
}

/// Convergence diagnostics of a number along several chains.
#[pyfunction]
pub(crate) fn series_mixing(
    py: Python<'_>,
    #[pyo3(from_py_with = crate::list::lists)] chains: Vec<Vec<f64>>,
) -> PyResult<Bound<'_, PyDict>> {
    let mixing = py.detach(|| Mixing::from_series(&chains));
    let dict = PyDict::new(py);
    for (key, value) in [
        ("mean", mixing.mean),
        ("sd", mixing.sd),
        ("mcse_mean", mixing.error),
        ("mcse_sd", mixing.sd_error),
        ("ess_mean", mixing.effective_sample_size),
        ("ess_bulk", mixing.ess_bulk),
        ("ess_tail", mixing.ess_tail),
        ("r_hat", mixing.r_hat),
        ("autocorrelation_time", mixing.autocorrelation_time),
    ] {
        dict.set_item(key, value)?;
    }
    dict.set_item("converged", mixing.converged(chains.len()))?;
    Ok(dict)
}

/// A quantile of a number along several chains, with its Monte-Carlo standard error.
#[pyfunction]
pub(crate) fn series_quantile(
    py: Python<'_>,
    #[pyo3(from_py_with = crate::list::lists)] chains: Vec<Vec<f64>>,
    p: f64,
) -> (f64, f64) {
    py.detach(|| quantile_with_error(&chains, p))
}
