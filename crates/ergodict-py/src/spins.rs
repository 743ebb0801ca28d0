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
use ergodict::data::{Frame, read_edge_list};
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
type Place<'py> = (u64, u64, Option<(u64, u64)>, u64, Bound<'py, PyAny>);

/// The values of a configuration: spins and labels, or angles and other real numbers.
#[derive(FromPyObject)]
pub(crate) enum FrameArray<'py> {
    /// Whole numbers.
    Whole(PyReadonlyArray1<'py, i8>),
    /// Real numbers.
    Real(PyReadonlyArray1<'py, f64>),
}

impl FrameArray<'_> {
    pub(crate) fn frame(&self) -> PyResult<Frame<'_>> {
        Ok(match self {
            Self::Whole(spins) => spins.as_slice()?.into(),
            Self::Real(values) => values.as_slice()?.into(),
        })
    }
}

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

    /// Values of labels, 0 for −1 and 1, −1 for 0 and 1, −2 for angles.
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

    /// Makes a number of updates of single sites, rounded up to whole steps.
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
    fn spins<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match self.walk.frame() {
            Frame::Whole(spins) => PyArray1::from_slice(py, &spins).into_any(),
            Frame::Real(values) => PyArray1::from_slice(py, &values).into_any(),
        }
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
        spins: FrameArray<'_>,
    ) -> PyResult<()> {
        let state = spins.frame()?.to_bytes();
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
        #[pyo3(from_py_with = crate::list::list)] names: Vec<String>,
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
            chains: vec![self.walk.frame()],
            acceptance: rate.map(|a| a.rate()),
            exact_energy: self
                .settings
                .exact_torus(self.temperature)
                .map(|exact| exact.0)
                .filter(|_| self.plain),
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
        let window = Window { rows, cols, boundary };
        let (alphabet, place) = (self.walk.alphabet(), (self.seed, self.id, self.word));
        let frame = self.walk.frame();
        let (features, patches, word) =
            cut_frame::<T>(py, &frame, (high, wide), alphabet, values, window, count, place)?;
        self.word = word;
        Ok((features, patches.into_pyarray(py).into_any()))
    }
}

/// Persistent chains of a restricted Boltzmann machine.
#[pyclass(module = "ergodict._ergodict")]
pub(crate) struct PersistentChains(ergodict::chain::PersistentChains);

#[pymethods]
impl PersistentChains {
    #[new]
    #[pyo3(signature = (system, size, temperature, seed, count, *, weights=None))]
    fn start(
        py: Python<'_>,
        system: &Bound<'_, PyDict>,
        size: (usize, usize),
        temperature: f64,
        seed: u64,
        count: usize,
        weights: Option<Weights<'_>>,
    ) -> PyResult<Self> {
        let settings = SystemSettings { size: Some(Shape(size.0, size.1)), ..settings(system)? };
        let data =
            SystemData { weights: weights.as_ref().map(machine).transpose()?, ..SystemData::default() };
        short(py, || settings.persistent_chains(data, temperature, seed, count)).map(Self)
    }

    /// Takes `steps` steps with every chain.
    fn advance(&mut self, py: Python<'_>, steps: u64) -> PyResult<()> {
        let chains = &mut self.0;
        long(py, None, None, |watch| {
            // A step takes a millisecond for 64 chains of 784 and 500 units.
            let mut left = steps;
            while left > 0 && !watch.stopped() {
                let piece = left.min(16);
                chains.advance(piece);
                left -= piece;
            }
            Ok(())
        })
    }

    /// The visible units, chain by chain.
    fn states<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        PyArray1::from_slice(py, self.0.states())
    }

    /// Puts all chains into other states.
    fn set_states(&mut self, states: PyReadonlyArray1<'_, i8>) -> PyResult<()> {
        self.0.set_states(states.as_slice()?).map_err(to_py_err)
    }
}

/// Patches of a configuration at places from the stream (seed, id, word): the numbers of each, all of them, and where the stream is then.
#[expect(clippy::too_many_arguments, reason = "chains and trajectories call it")]
fn cut_frame<T: Scalar>(
    py: Python<'_>,
    frame: &Frame<'_>,
    shape: (usize, usize),
    alphabet: Alphabet,
    values: SpinValues,
    window: Window,
    count: usize,
    (seed, id, word): (u64, u64, u64),
) -> PyResult<(usize, Vec<T>, u64)> {
    let encoding = Encoding::new(values, alphabet).map_err(to_py_err)?;
    window.corners(shape).map_err(to_py_err)?;
    let features = window.features(encoding.channels());
    reserve(features as u128 * count as u128 * 2 * size_of::<T>() as u128, "patches")?;
    let borders = (values == SpinValues::Borders).then(|| Lattice::new(shape.0, shape.1, window.boundary));
    let borders = borders.transpose().map_err(to_py_err)?;
    let mut cutter = SpinCutter::new(window, encoding, borders, seed, id);
    cutter.seek(word);
    short(py, move || {
        let mut x = Mat::<T>::zeros(0, 0);
        cutter.cut(frame, shape, count, &mut x)?;
        Ok((features, columns(&x), cutter.word()))
    })
}

/// Patches of a frame of a trajectory, as `ergodict spins learn --trajectory` cuts them: the numbers of each, all of them, and where the stream is then.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one place calls it")]
pub(crate) fn cut_patches<'py>(
    py: Python<'py>,
    spins: FrameArray<'py>,
    shape: (usize, usize),
    periodic: bool,
    labels: i32,
    values: &str,
    patch: (usize, usize),
    count: usize,
    single: bool,
    seed: u64,
    word: u64,
) -> PyResult<(usize, Bound<'py, PyAny>, u64)> {
    let values: SpinValues = values.parse().map_err(to_py_err)?;
    let window = Window { rows: patch.0, cols: patch.1, boundary: boundary(periodic) };
    let (frame, alphabet) = (spins.frame()?, alphabet(labels));
    if frame.len() != shape.0.saturating_mul(shape.1) || frame.is_real() != alphabet.is_real() {
        return Err(PyValueError::new_err("the frame is another than was said"));
    }
    let place = (seed, 0, word);
    if single {
        let (features, cut, word) =
            cut_frame::<f32>(py, &frame, shape, alphabet, values, window, count, place)?;
        return Ok((features, cut.into_pyarray(py).into_any(), word));
    }
    let (features, cut, word) = cut_frame::<f64>(py, &frame, shape, alphabet, values, window, count, place)?;
    Ok((features, cut.into_pyarray(py).into_any(), word))
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
    reserve(weights.len() as u128 * 24, "the weights of the machine")?;
    let (b, c) = (visible_bias.as_slice()?.to_vec(), hidden_bias.as_slice()?.to_vec());
    Ok((Mat::from_fn(visible, *hidden, |i, j| weights[i * hidden + j]), b, c))
}

/// The alphabet of `SpinChain.labels`.
pub(crate) fn alphabet(labels: i32) -> Alphabet {
    match labels {
        0 => Alphabet::PlusMinus,
        -1 => Alphabet::ZeroOne,
        -2 => Alphabet::Angle,
        -3 => Alphabet::Real,
        labels => Alphabet::Labels(u8::try_from(labels).unwrap_or(0)),
    }
}

/// The other way.
pub(crate) fn labels(alphabet: Alphabet) -> i32 {
    match alphabet {
        Alphabet::PlusMinus => 0,
        Alphabet::ZeroOne => -1,
        Alphabet::Labels(labels) => i32::from(labels),
        Alphabet::Angle => -2,
        Alphabet::Real => -3,
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
