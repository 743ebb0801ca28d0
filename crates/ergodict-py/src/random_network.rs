//! Random networks of known laws, and networks made worse.

use crate::error::to_py_err;
use crate::network::{Network, whole};
use crate::work::{long, short};
use ergodict::data::corrupt::{AddModel, Amount, add, remove};
use ergodict::data::generate::{
    BarabasiAlbert, BlockModel, Configuration, Density, ErdosRenyi, Generator, Multiple, RMat, WattsStrogatz,
};
use ergodict::data::rewired_until;
use ergodict::memory;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Bytes that a node and an edge take while a network is made: as measured for the command line (`network/generate.rs`).
const PER_NODE: f64 = 16.0;
const PER_EDGE: f64 = 26.0;
/// The probabilities of the quadrants of R-MAT, and edges drawn for each node, where nothing is said: those of Graph500.
const QUADRANTS: [f64; 4] = [0.57, 0.19, 0.19, 0.05];
const EDGE_FACTOR: u64 = 16;
/// Attempted swaps for each edge, as the command line has it.
const SWAPS: u32 = 20;

/// The parameters of a model, each of which is taken once.
struct Parameters<'a, 'py> {
    model: &'a str,
    left: Bound<'py, PyDict>,
}

impl<'py> Parameters<'_, 'py> {
    /// The parameter of that name, if it is given and not None.
    fn maybe<T>(&self, name: &str) -> PyResult<Option<T>>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        let Some(value) = self.left.get_item(name)? else { return Ok(None) };
        self.left.del_item(name)?;
        if value.is_none() {
            return Ok(None);
        }
        let found = value.extract::<T>().map_err(|error| {
            let error: PyErr = error.into();
            let words = format!("{name} is {value}, which it cannot be: {}", error.value(value.py()));
            // Numbers below zero or beyond all sizes are of the right kind.
            if error.is_instance_of::<pyo3::exceptions::PyOverflowError>(value.py()) {
                PyValueError::new_err(words)
            } else {
                PyTypeError::new_err(words)
            }
        })?;
        Ok(Some(found))
    }

    fn must<T>(&self, name: &str) -> PyResult<T>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        let model = self.model;
        self.maybe(name)?.ok_or_else(|| PyValueError::new_err(format!("{model} needs {name}")))
    }

    /// Refuses what the model does not have.
    fn end(&self) -> PyResult<()> {
        match self.left.keys().iter().next() {
            None => Ok(()),
            Some(name) => Err(PyTypeError::new_err(format!("{} has no parameter {name}", self.model))),
        }
    }
}

/// Refuses networks that do not fit into memory.
fn check_memory(nodes: f64, edges: f64) -> PyResult<()> {
    let needed = (nodes * PER_NODE + edges.max(0.0) * PER_EDGE).min(1e18) as u64;
    let what = format!("a network of {nodes:.3e} nodes and {edges:.3e} edges");
    memory::check(needed, &what, "ask for fewer").map_err(to_py_err)
}

/// A random network, as the command line makes it of the same model, parameters and seed.
#[pyfunction]
pub(crate) fn generate(
    py: Python<'_>,
    model: &str,
    parameters: &Bound<'_, PyDict>,
    seed: u64,
) -> PyResult<Network> {
    let given = Parameters { model, left: parameters.copy()? };
    let generator: Generator = match model {
        "er" => erdos_renyi(&given)?.into(),
        "ba" => {
            let (nodes, joins): (usize, usize) = (given.must("n")?, given.must("joins")?);
            check_memory(nodes as f64, nodes as f64 * joins as f64)?;
            BarabasiAlbert::new(nodes, joins).map_err(to_py_err)?.into()
        }
        "ws" => {
            let (nodes, neighbors): (usize, usize) = (given.must("n")?, given.must("neighbors")?);
            check_memory(nodes as f64, nodes as f64 * neighbors as f64 / 2.0)?;
            WattsStrogatz::new(nodes, neighbors, given.must("rewired")?).map_err(to_py_err)?.into()
        }
        "sbm" => blocks(&given)?.into(),
        "configuration" => configuration(py, &given)?.into(),
        "rmat" => {
            let scale: u32 = given.must("scale")?;
            let factor = given.maybe::<u64>("edge_factor")?.unwrap_or(EDGE_FACTOR);
            let quadrants: Vec<f64> = given.maybe("quadrants")?.unwrap_or_else(|| QUADRANTS.to_vec());
            let Ok(quadrants) = <[f64; 4]>::try_from(&quadrants[..]) else {
                let words = format!("quadrants has {} numbers, but it must have four", quadrants.len());
                return Err(PyValueError::new_err(words));
            };
            let directed = given.maybe("directed")?.unwrap_or(false);
            let model = RMat::new(scale, factor, quadrants, directed).map_err(to_py_err)?;
            let nodes = f64::from(scale).exp2();
            check_memory(nodes, nodes * factor as f64)?;
            model.into()
        }
        _ => {
            let words = format!("model is {model}, but it must be er, ba, ws, sbm, configuration or rmat");
            return Err(PyValueError::new_err(words));
        }
    };
    given.end()?;
    Ok(whole(py, || Ok(generator.generate(seed)))?.into())
}

fn erdos_renyi(given: &Parameters<'_, '_>) -> PyResult<ErdosRenyi> {
    let nodes: usize = given.must("n")?;
    let directed = given.maybe("directed")?.unwrap_or(false);
    let pairs = (nodes as f64).powi(2) / if directed { 1.0 } else { 2.0 };
    let (density, expected) = match (given.maybe::<u64>("edges")?, given.maybe::<f64>("probability")?) {
        (Some(edges), None) => (Density::Edges(edges), edges as f64),
        (None, Some(probability)) => (Density::Probability(probability), probability * pairs),
        (Some(_), Some(_)) => {
            return Err(PyValueError::new_err("edges and probability are given, but it must be one of them"));
        }
        _ => {
            let words = "how many edges is not said: give edges or probability";
            return Err(PyValueError::new_err(words));
        }
    };
    let model = ErdosRenyi::new(nodes, density, directed).map_err(to_py_err)?;
    check_memory(nodes as f64, expected)?;
    Ok(model)
}

fn blocks(given: &Parameters<'_, '_>) -> PyResult<BlockModel> {
    let sizes: Vec<usize> = given.must("sizes")?;
    let nodes: f64 = sizes.iter().map(|&size| size as f64).sum();
    check_memory(nodes, 0.0)?;
    let matrix: Option<Vec<Vec<f64>>> = given.maybe("matrix")?;
    match (matrix, given.maybe("within")?, given.maybe("between")?) {
        (Some(matrix), None, None) => BlockModel::new(sizes, matrix).map_err(to_py_err),
        (None, Some(within), Some(between)) => {
            let inside: f64 = sizes.iter().map(|&size| (size as f64).powi(2) / 2.0).sum();
            check_memory(nodes, within * inside + between * (nodes.powi(2) / 2.0 - inside))?;
            BlockModel::planted(sizes, within, between).map_err(to_py_err)
        }
        _ => Err(PyValueError::new_err("the probabilities are not said: give within and between, or matrix")),
    }
}

fn configuration(py: Python<'_>, given: &Parameters<'_, '_>) -> PyResult<Configuration> {
    let erased = given.maybe("erased")?.unwrap_or(false);
    let swaps = given.maybe("swaps")?.unwrap_or(SWAPS);
    let multiple = if erased { Multiple::Erased } else { Multiple::Exact { swaps } };
    let like: Option<PyRef<'_, Network>> = given.maybe("like")?;
    match (like, given.maybe::<Vec<u32>>("degrees")?) {
        (Some(like), None) => {
            let network = &like.inner;
            short(py, || Configuration::like(network, multiple))
        }
        (None, Some(degrees)) => Configuration::new(degrees, multiple).map_err(to_py_err),
        _ => Err(PyValueError::new_err("the degrees are not said: give degrees or like")),
    }
}

/// A random network with the degrees of another one, as the command line makes it of the same seed.
#[pyfunction]
pub(crate) fn rewire(py: Python<'_>, network: &Network, proposals: u64, seed: u64) -> PyResult<Network> {
    let inner = &network.inner;
    let copy = long(py, Some(1), None, |watch| rewired_until(inner, proposals, seed, &|| watch.stopped()))?;
    Ok(copy.into())
}

/// A network made worse, the ends of the pairs to score, their labels and kinds.
type Worse<'py> = (
    Network,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u8>>,
    Vec<&'static str>,
);

/// The network with a share of false edges added, or of true ones removed.
#[pyfunction]
pub(crate) fn corrupt<'py>(
    py: Python<'py>,
    network: &Network,
    added: Option<f64>,
    removed: Option<f64>,
    add_model: &str,
    seed: u64,
) -> PyResult<Worse<'py>> {
    let model = match add_model {
        "er" => AddModel::ErdosRenyi,
        "ws" => AddModel::WattsStrogatz,
        "ba" => AddModel::BarabasiAlbert,
        _ => {
            let words = format!("add_model is {add_model}, but it must be er, ws or ba");
            return Err(PyValueError::new_err(words));
        }
    };
    let inner = &network.inner;
    check_memory(inner.nodes() as f64, inner.edges() as f64 * (1.0 + added.unwrap_or(0.0)))?;
    let corrupted = whole(py, || match added {
        Some(share) => add(inner, Amount::Fraction(share), model, seed),
        None => remove(inner, Amount::Fraction(removed.unwrap_or(0.0)), seed),
    })?;
    let truth = &corrupted.truth;
    let u: Vec<u32> = truth.iter().map(|pair| pair.0).collect();
    let v: Vec<u32> = truth.iter().map(|pair| pair.1).collect();
    let labels: Vec<u8> = truth.iter().map(|pair| u8::from(pair.2.label())).collect();
    let kinds = truth.iter().map(|pair| pair.2.word()).collect();
    let arrays = (u.into_pyarray(py), v.into_pyarray(py), labels.into_pyarray(py));
    Ok((corrupted.observed.into(), arrays.0, arrays.1, arrays.2, kinds))
}
