//! Networks in time: edges with times, the windows they are cut into, and a network that changes.

use crate::aligned::column;
use crate::error::{keyword, to_py_err};
use crate::network::{Network, numbered, options, pairs, table_options, too_many, whole};
use crate::work::short;
use ergodict::Result;
use ergodict::data::{
    Build, Change, Duration, EdgeList, Loops, NodeIds, ReadOptions, TimeColumn, TimeOptions, Times,
    WindowCut, WindowOptions, parse_moment, read_timed,
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A network whose edges come and go; nodes are called by text, as files have them.
#[pyclass(module = "ergodict._ergodict")]
pub(crate) struct ChangingNetwork {
    inner: ergodict::data::ChangingNetwork,
}

#[pymethods]
impl ChangingNetwork {
    /// A network as it is, or one without nodes.
    #[new]
    #[pyo3(signature = (network=None, directed=false, loops=false))]
    fn new(
        py: Python<'_>,
        network: Option<PyRef<'_, Network>>,
        directed: bool,
        loops: bool,
    ) -> PyResult<Self> {
        let loops = if loops { Loops::Keep } else { Loops::Drop };
        let network = network.map(|network| Arc::clone(&network.inner));
        let inner = short(py, || {
            Ok(match network {
                Some(network) => ergodict::data::ChangingNetwork::from_network(network, loops),
                None => ergodict::data::ChangingNetwork::new(Build { directed, loops }),
            })
        })?;
        Ok(Self { inner })
    }

    /// Inserts edges, or removes those that `removes` says: all of them, or none where one cannot be. Without weights they are 1.
    #[pyo3(signature = (u, v, weights=None, removes=None))]
    fn apply(
        &mut self,
        py: Python<'_>,
        #[pyo3(from_py_with = crate::list::list)] u: Vec<String>,
        #[pyo3(from_py_with = crate::list::list)] v: Vec<String>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        removes: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<()> {
        let weights = weights.as_ref().map(column).transpose()?;
        let removes = removes.as_ref().map(column).transpose()?;
        let lengths = [Some(v.len()), weights.as_ref().map(Vec::len), removes.as_ref().map(Vec::len)];
        if lengths.into_iter().flatten().any(|length| length != u.len()) {
            return Err(PyValueError::new_err("edges, weights and removals must be as many"));
        }
        let change = |at: usize| match &removes {
            Some(removes) if removes[at] => Change::remove(&*u[at], &*v[at]),
            _ => Change::insert(&*u[at], &*v[at], weights.as_ref().map_or(1.0, |weights| weights[at])),
        };
        let batch: Vec<Change<'_>> = (0..u.len()).map(change).collect();
        let inner = &mut self.inner;
        short(py, || inner.apply(&batch))
    }

    /// The network as it is now.
    fn snapshot(&mut self, py: Python<'_>) -> Network {
        let inner = &mut self.inner;
        py.detach(|| inner.snapshot()).into()
    }

    /// How many changes there were.
    #[getter]
    fn version(&self) -> u64 {
        self.inner.version()
    }

    /// Number of nodes.
    #[getter]
    fn n_nodes(&self) -> usize {
        self.inner.nodes()
    }

    /// Whether edges have directions.
    #[getter]
    fn is_directed(&self) -> bool {
        self.inner.is_directed()
    }

    /// The weight of an edge, 0 where there is none.
    fn weight(&self, u: &str, v: &str) -> f64 {
        self.inner.weight(u, v)
    }
}

/// Edges with times, in the order of time.
#[pyclass(frozen, module = "ergodict._ergodict")]
pub(crate) struct TimedEdges {
    pub(crate) inner: Arc<ergodict::data::TimedEdges>,
    /// What was decided when a file was read, whether it said that edges have directions, and warnings.
    decisions: Option<(String, bool, Vec<String>)>,
}

impl TimedEdges {
    fn build(
        py: Python<'_>,
        nodes: impl FnOnce() -> Result<(NodeIds, Vec<(u32, u32)>)> + Send,
        rest: &Rest<'_, '_>,
    ) -> PyResult<Self> {
        let times = column(rest.times)?;
        let weights = rest.weights.map(column).transpose()?;
        let removes = rest.removes.map(column).transpose()?;
        let kind = if rest.dates { Times::Dates } else { Times::Numbers };
        let made = whole(py, move || {
            let (ids, ends) = nodes()?;
            ergodict::data::TimedEdges::with(ids, ends, times, weights, removes, kind)
        })?;
        Ok(Self { inner: Arc::new(made), decisions: None })
    }
}

/// Ends, weights and removals.
type Columns<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
    Option<Bound<'py, PyArray1<f64>>>,
    Option<Bound<'py, PyArray1<bool>>>,
);

/// What edges have besides their ends.
struct Rest<'a, 'py> {
    times: &'a PyReadonlyArray1<'py, f64>,
    weights: Option<&'a PyReadonlyArray1<'py, f64>>,
    removes: Option<&'a PyReadonlyArray1<'py, bool>>,
    dates: bool,
}

#[pymethods]
impl TimedEdges {
    /// Reads a time-stamped edge list; `time` is the name of the column of the times, or its number, counted from 1.
    #[staticmethod]
    #[pyo3(signature = (path, time=None, directed=None, weighted=None, format=None, header=None, source=None, target=None, weight=None))]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        time: Option<String>,
        directed: Option<bool>,
        weighted: Option<bool>,
        format: Option<String>,
        header: Option<String>,
        source: Option<String>,
        target: Option<String>,
        weight: Option<String>,
    ) -> PyResult<Self> {
        let column = time.map_or(TimeColumn::Auto, |text| match text.parse() {
            Ok(column) => column,
            Err(never) => match never {},
        });
        let table = table_options(format, header, source, target, weight)?;
        let read = ReadOptions { table, ..options(directed, weighted, false) };
        let options = TimeOptions { column, read };
        let (rows, decisions) = whole(py, move || read_timed(&path, &options))?;
        let warnings = decisions.doubts.iter().map(|doubt| doubt.note().spelled(&keyword)).collect();
        let decisions = Some((decisions.to_string(), decisions.directed, warnings));
        Ok(Self { inner: Arc::new(rows), decisions })
    }

    /// Of edges between nodes that are called by integers.
    #[staticmethod]
    #[pyo3(signature = (u, v, times, weights=None, removes=None, dates=false))]
    fn of_integers(
        py: Python<'_>,
        u: PyReadonlyArray1<'_, i64>,
        v: PyReadonlyArray1<'_, i64>,
        times: PyReadonlyArray1<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        removes: Option<PyReadonlyArray1<'_, bool>>,
        dates: bool,
    ) -> PyResult<Self> {
        let ends = pairs(&u, &v)?;
        let nodes = move || {
            let list = EdgeList::of_integers(ends, &[], None, None).ok_or_else(too_many)?;
            Ok((list.ids, list.ends))
        };
        let rest = Rest { times: &times, weights: weights.as_ref(), removes: removes.as_ref(), dates };
        Self::build(py, nodes, &rest)
    }

    /// Of edges between `n` nodes that are numbered already; `names` are words in the order of the numbers.
    #[staticmethod]
    #[pyo3(signature = (n, u, v, times, weights=None, removes=None, dates=false, names=None))]
    fn of_numbers(
        py: Python<'_>,
        n: usize,
        u: PyReadonlyArray1<'_, u32>,
        v: PyReadonlyArray1<'_, u32>,
        times: PyReadonlyArray1<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        removes: Option<PyReadonlyArray1<'_, bool>>,
        dates: bool,
        #[pyo3(from_py_with = crate::list::maybe_list)] names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let ends = pairs(&u, &v)?;
        let nodes = move || Ok((numbered(n, names)?, ends));
        let rest = Rest { times: &times, weights: weights.as_ref(), removes: removes.as_ref(), dates };
        Self::build(py, nodes, &rest)
    }

    /// Number of rows.
    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// What was decided when the file was read, in one line, whether edges have directions, and warnings; None of arrays.
    #[getter]
    fn decisions(&self) -> Option<(String, bool, Vec<String>)> {
        self.decisions.clone()
    }

    /// Number of nodes.
    #[getter]
    fn n_nodes(&self) -> usize {
        self.inner.ids().len()
    }

    /// The names of the nodes, as those of a network.
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        crate::network::names(py, self.inner.ids())
    }

    /// The time of each row.
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.inner.times().to_vec().into_pyarray(py)
    }

    /// Both ends of each row, by the numbers of nodes, and weights and removals where there are any.
    fn columns<'py>(&self, py: Python<'py>) -> Columns<'py> {
        let (u, v): (Vec<u32>, Vec<u32>) = self.inner.ends().iter().copied().unzip();
        (
            u.into_pyarray(py),
            v.into_pyarray(py),
            self.inner.weights().map(|weights| weights.to_vec().into_pyarray(py)),
            self.inner.removes().map(|removes| removes.to_vec().into_pyarray(py)),
        )
    }

    /// What times are: numbers, unix or dates.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.inner.kind() {
            Times::Numbers => "numbers",
            Times::Unix => "unix",
            Times::Dates => "dates",
        }
    }

    /// A moment in words.
    fn show(&self, moment: f64) -> String {
        self.inner.kind().show(moment)
    }
}

/// A length of time: a number in the unit of the rows, or text such as `7d`.
fn length(text: &str, rows: &ergodict::data::TimedEdges) -> PyResult<f64> {
    text.parse::<Duration>().and_then(|duration| duration.among(rows)).map_err(to_py_err)
}

/// The windows of edges with times.
#[pyclass(frozen, module = "ergodict._ergodict")]
pub(crate) struct Windows {
    pub(crate) inner: Arc<ergodict::data::Windows>,
}

#[pymethods]
impl Windows {
    /// Cuts time into windows of a length, or into a number of windows.
    #[new]
    #[pyo3(signature = (rows, window=None, stride=None, windows=None, cumulative=false, directed=false, weighted=None, loops=false))]
    fn new(
        rows: PyRef<'_, TimedEdges>,
        window: Option<String>,
        stride: Option<String>,
        windows: Option<usize>,
        cumulative: bool,
        directed: bool,
        weighted: Option<bool>,
        loops: bool,
    ) -> PyResult<Self> {
        let window = window.map(|text| length(&text, &rows.inner)).transpose()?;
        let stride = stride.map(|text| length(&text, &rows.inner)).transpose()?;
        let cut = match (window, windows) {
            (Some(window), _) => WindowCut::Every { window, stride: stride.unwrap_or(window) },
            (None, Some(windows)) => WindowCut::Into(windows),
            (None, None) => WindowCut::default(),
        };
        let loops = if loops { Loops::Keep } else { Loops::Drop };
        let options = WindowOptions { cut, cumulative, directed, weighted, loops };
        let inner = ergodict::data::Windows::new(Arc::clone(&rows.inner), options).map_err(to_py_err)?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Number of windows.
    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// When a window begins and ends, and both in words.
    fn span(&self, at: usize) -> PyResult<(f64, f64, String)> {
        self.check(at)?;
        let (start, end) = self.inner.span(at);
        Ok((start, end, self.inner.name(at)))
    }

    /// The network of a window.
    fn network(&self, py: Python<'_>, at: usize) -> PyResult<Network> {
        self.check(at)?;
        Ok(whole(py, || self.inner.network(at))?.into())
    }
}

impl Windows {
    fn check(&self, at: usize) -> PyResult<()> {
        let windows = self.inner.len();
        if at < windows {
            return Ok(());
        }
        Err(PyIndexError::new_err(format!("there is no window {at}: there are {windows}")))
    }
}

/// Moments of ISO 8601 as seconds since 1970; NaN for text that is none.
#[pyfunction]
pub(crate) fn parse_moments(
    py: Python<'_>,
    #[pyo3(from_py_with = crate::list::list)] texts: Vec<String>,
) -> Bound<'_, PyArray1<f64>> {
    texts.iter().map(|text| parse_moment(text).unwrap_or(f64::NAN)).collect::<Vec<_>>().into_pyarray(py)
}
