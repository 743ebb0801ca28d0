//! Networks: made from arrays and files, and given back as arrays.

use crate::aligned::{column, view};
use crate::error::{keyword, to_py_err};
use crate::network_model::input_digest;
use crate::scheme::word;
use crate::value::to_python;
use crate::work::{long, short};
use ergodict::data::{
    Doubt, EdgeList, Loops, NodeIds, ReadDecisions, ReadOptions, Rows, TableColumns, TableForm, TableLabels,
    TableOptions, TimeColumn, TimedColumns, WeightSettings, Weights, embedded, embedded_names, read_network,
    write_network,
};
use ergodict::model::Input;
use ergodict::{Error, Note, memory};
use ergodict_pages::info::NetworkPage;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Bytes that a node takes while a network is made: where its row starts, and its place while rows are filled.
const PER_NODE: u64 = 16;

/// A network of numbered nodes, with names where they are integers or words; other objects that stand for nodes are kept in Python.
#[pyclass(frozen, module = "ergodict._ergodict")]
pub(crate) struct Network {
    /// What every sampler and estimator takes.
    pub(crate) inner: Arc<ergodict::data::Network>,
    /// What was decided when it was made.
    decisions: Option<String>,
    /// What may not be as it was meant.
    warnings: Vec<String>,
    /// Whether it was made with weights, also if all of them are 1.
    with_weights: bool,
    /// Edges that were listed again.
    repeated: u64,
    /// Edges of weight 0, which were left out.
    zeros: u64,
    /// The file, or the embedded network, that it was read from.
    source: Option<Input>,
}

impl From<ergodict::data::Network> for Network {
    fn from(network: ergodict::data::Network) -> Self {
        Arc::new(network).into()
    }
}

impl From<Arc<ergodict::data::Network>> for Network {
    fn from(inner: Arc<ergodict::data::Network>) -> Self {
        let with_weights = inner.is_weighted();
        Self {
            inner,
            decisions: None,
            warnings: Vec::new(),
            with_weights,
            repeated: 0,
            zeros: 0,
            source: None,
        }
    }
}

/// Both ends and the weight of each edge.
type Edges<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);
/// Starts of rows, neighbors, and weights unless all are 1.
type Csr<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u32>>, Option<Bound<'py, PyArray1<f64>>>);

/// How edges are taken.
pub(crate) fn options(directed: Option<bool>, weighted: Option<bool>, loops: bool) -> ReadOptions {
    let loops = if loops { Loops::Keep } else { Loops::Drop };
    ReadOptions { directed, weighted, loops, ..ReadOptions::default() }
}

/// A word of a setting, such as `yes`, or a refusal that names the setting.
fn choice<T: serde::de::DeserializeOwned + Default>(
    name: &str,
    value: Option<String>,
    words: &str,
) -> PyResult<T> {
    let Some(value) = value else { return Ok(T::default()) };
    let wrong = || PyValueError::new_err(format!("{name} is {value:?}, but it must be {words}"));
    serde_json::from_value(serde_json::Value::String(value.clone())).map_err(|_| wrong())
}

/// How a table is read, as Python says it.
pub(crate) fn table_options(
    format: Option<String>,
    header: Option<String>,
    source: Option<String>,
    target: Option<String>,
    weight: Option<String>,
) -> PyResult<TableOptions> {
    let form = choice("format", format, "\"auto\", \"edges\" or \"adjacency\"")?;
    let header = choice("header", header, "\"auto\", \"yes\" or \"no\"")?;
    Ok(TableOptions { form, header, source, target, weight })
}

/// Both ends, the weight and the direction of edges; warnings; and, of the other columns, that of times.
type TableLayout = (usize, usize, Option<usize>, Option<usize>, Vec<String>, Option<usize>);

/// The warnings of a table whose columns have names, where weights are used or not.
fn table_notes(
    found: &TableColumns,
    names: &[String],
    rows: &[Vec<String>],
    options: &TableOptions,
    weighted: bool,
) -> Vec<Note> {
    let doubts = found.doubts(names, rows, options);
    doubts.iter().filter(|doubt| weighted || !doubt.is_of_weights()).map(Doubt::note).collect()
}

fn spelled(notes: &[Note]) -> Vec<String> {
    notes.iter().map(|note| note.spelled(&keyword)).collect()
}

/// Which column of a table is which, by names and first rows, with warnings of what may not be as it was meant where no column is given; `weighted` is
/// whether weights are used. Where names were given by people (`named`), they must not be nodes.
#[pyfunction]
#[pyo3(signature = (names, rows, source=None, target=None, weight=None, named=true, weighted=true))]
pub(crate) fn table_columns(
    #[pyo3(from_py_with = crate::list::list)] names: Vec<String>,
    #[pyo3(from_py_with = crate::list::lists)] rows: Vec<Vec<String>>,
    source: Option<String>,
    target: Option<String>,
    weight: Option<String>,
    named: bool,
    weighted: bool,
) -> PyResult<TableLayout> {
    let open = named && [&source, &target, &weight].iter().all(|column| column.is_none());
    let options = TableOptions { source, target, weight, ..TableOptions::default() };
    let found = TableColumns::find(&names, &rows, &options)
        .and_then(|found| check_table(&found, &names, &rows, &options, named).map(|()| found));
    let found = found.map_err(|problem| PyValueError::new_err(format!("the table {problem}")))?;
    let mut notes = if named { table_notes(&found, &names, &rows, &options, weighted) } else { Vec::new() };
    if open && weighted && found.weight.is_none() {
        let unused: Vec<&str> = found.unused.iter().map(|&at| &*names[at]).collect();
        notes.extend(TableColumns::ignored(&unused));
    }
    let times = found.unused_times(&names, &rows, named);
    Ok((found.source, found.target, found.weight, found.direction, spelled(&notes), times))
}

/// Refuses a table whose names of columns (`named`: by people) are nodes, or stand below its first rows, unless both ends are given.
fn check_table(
    found: &TableColumns,
    names: &[String],
    rows: &[Vec<String>],
    options: &TableOptions,
    named: bool,
) -> Result<(), String> {
    if !named || options.source.is_some() && options.target.is_some() {
        return Ok(());
    }
    found.check_names(names, rows)?;
    TableColumns::check_title(names, rows)?;
    // A table whose first row was taken for names; names that are some say nothing of its rows.
    if TableColumns::check_syntax(rows).is_err() {
        let all: Vec<Vec<String>> = std::iter::once(names.to_vec()).chain(rows.iter().cloned()).collect();
        TableColumns::check_syntax(&all)?;
    }
    Ok(())
}

/// Both ends, the weight, the direction, the time and the operation of edges; and warnings.
type TimedLayout = (usize, usize, Option<usize>, Option<usize>, usize, Option<usize>, Vec<String>);

/// The same as [`table_columns`] of a table of edges with times.
#[pyfunction]
#[pyo3(signature = (names, rows, source=None, target=None, weight=None, time=None, named=true, weighted=true))]
pub(crate) fn timed_columns(
    #[pyo3(from_py_with = crate::list::list)] names: Vec<String>,
    #[pyo3(from_py_with = crate::list::lists)] rows: Vec<Vec<String>>,
    source: Option<String>,
    target: Option<String>,
    weight: Option<String>,
    time: Option<String>,
    named: bool,
    weighted: bool,
) -> PyResult<TimedLayout> {
    let options = TableOptions { source, target, weight, ..TableOptions::default() };
    let time = time.map_or(TimeColumn::Auto, TimeColumn::Name);
    let TimedColumns { edges, time, operation, .. } =
        TimedColumns::of_table("table".as_ref(), &names, &rows, &options, &time).map_err(to_py_err)?;
    check_table(&edges, &names, &rows, &options, named)
        .map_err(|problem| PyValueError::new_err(format!("the table {problem}")))?;
    let notes = if named { table_notes(&edges, &names, &rows, &options, weighted) } else { Vec::new() };
    Ok((edges.source, edges.target, edges.weight, edges.direction, time, operation, spelled(&notes)))
}

/// A warning that rows of a table repeat edges, next to times in a column of that name that nothing is made of.
#[pyfunction]
pub(crate) fn table_repeats(time: &str, rows: u64, directed: bool, weighted: bool) -> Option<String> {
    let note = TableColumns::repeated(time, rows, directed, weighted, "`TimedEdges`")?;
    Some(note.spelled(&keyword))
}

/// Whether a square table or array of numbers with these first rows is an adjacency matrix, and no list of edges; `names` are those of columns other than
/// 0, 1, 2 and so on, and `labeled` is whether rows have the same.
#[pyfunction]
#[pyo3(signature = (what, rows, names=None, labeled=false))]
pub(crate) fn is_adjacency(
    what: &str,
    rows: PyReadonlyArray2<'_, f64>,
    #[pyo3(from_py_with = crate::list::maybe_list)] names: Option<Vec<String>>,
    labeled: bool,
) -> PyResult<bool> {
    let rows: Vec<Vec<f64>> = view(&rows)?.rows().into_iter().map(|row| row.to_vec()).collect();
    let labels = match &names {
        Some(_) if labeled => TableLabels::Both,
        None if labeled || what == "array" => TableLabels::Array,
        Some(names) => TableLabels::Columns(names),
        None => TableLabels::None,
    };
    Ok(labels.form(Path::new(what), &rows).map_err(to_py_err)? == TableForm::Adjacency)
}

/// Of rows without names of columns: warnings of what they could be. `complete` is whether these are all rows, `weighted` whether weights are used.
#[pyfunction]
pub(crate) fn table_doubts(
    what: &str,
    #[pyo3(from_py_with = crate::list::lists)] rows: Vec<Vec<String>>,
    complete: bool,
    weighted: bool,
) -> PyResult<Vec<String>> {
    let doubts = Doubt::of_rows(Path::new(what), &rows, complete).map_err(to_py_err)?;
    let open = doubts.iter().filter(|doubt| weighted || !doubt.is_of_weights());
    Ok(open.map(|doubt| doubt.note().spelled(&keyword)).collect())
}

/// Whether the edges of a table have directions, by all values of a column of that name; each has to say it where that is required.
#[pyfunction]
pub(crate) fn table_direction(
    name: &str,
    #[pyo3(from_py_with = crate::list::list)] values: Vec<String>,
    required: bool,
) -> PyResult<bool> {
    TableColumns::directed(name, &values, required)
        .map_err(|problem| PyValueError::new_err(format!("the table {problem}")))
}

/// Work on a whole network, on all processors. A child made by `fork` has threads of its own.
pub(crate) fn whole<R: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> ergodict::Result<R> + Send,
) -> PyResult<R> {
    long(py, Some(-1), None, |_| work())
}

fn made((network, decisions): (ergodict::data::Network, ReadDecisions)) -> Network {
    Network {
        decisions: Some(decisions.to_string()),
        with_weights: matches!(decisions.weights, Weights::Used | Weights::Ones),
        repeated: decisions.found.duplicates,
        zeros: decisions.found.zeros,
        ..network.into()
    }
}

/// Ends as pairs.
pub(crate) fn pairs<T: Copy + numpy::Element>(
    u: &PyReadonlyArray1<'_, T>,
    v: &PyReadonlyArray1<'_, T>,
) -> PyResult<Vec<(T, T)>> {
    let (u, v) = (view(u)?, view(v)?);
    if u.len() != v.len() {
        return Err(PyValueError::new_err(format!(
            "there are {} first ends of edges, but {} second ends",
            u.len(),
            v.len()
        )));
    }
    Ok(u.iter().copied().zip(v.iter().copied()).collect())
}

fn numbers(weights: Option<&PyReadonlyArray1<'_, f64>>) -> PyResult<Option<Vec<f64>>> {
    weights.map(column).transpose()
}

#[pymethods]
impl Network {
    /// Reads a file of any format, or an embedded network such as ``@karate``.
    #[staticmethod]
    #[pyo3(signature = (path, directed=None, weighted=None, loops=false, format=None, header=None, source=None, target=None, weight=None, ids=false, verify=false))]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        directed: Option<bool>,
        weighted: Option<bool>,
        loops: bool,
        format: Option<String>,
        header: Option<String>,
        source: Option<String>,
        target: Option<String>,
        weight: Option<String>,
        ids: bool,
        verify: bool,
    ) -> PyResult<Self> {
        let table = table_options(format, header, source, target, weight)?;
        let options = ReadOptions { table, ids, verify, ..options(directed, weighted, loops) };
        match path.to_str().filter(|name| name.starts_with('@')) {
            None => {
                let (network, decisions) = whole(py, || read_network(&path, &options))?;
                let warnings =
                    decisions.warnings(&options).iter().map(|note| note.spelled(&keyword)).collect();
                let network = Self { warnings, ..made((network, decisions)) };
                // A pipe is read once.
                let name = path.file_name().filter(|_| path.is_file());
                let input = |name: &OsStr| {
                    let digest = input_digest(py, path.clone())?;
                    Ok::<_, PyErr>(Input { name: name.to_string_lossy().into_owned(), digest })
                };
                Ok(Self { source: name.map(input).transpose()?, ..network })
            }
            Some(name) => {
                let network = embedded(name).map_err(to_py_err)?;
                if directed == Some(true) || weighted == Some(true) && !network.is_weighted() {
                    let kind = if network.is_weighted() { "weighted" } else { "unweighted" };
                    let words = format!("{name} is undirected, {kind}: directed and weighted are for files");
                    return Err(PyValueError::new_err(words));
                }
                let network = if weighted == Some(false) { network.unweighted() } else { network };
                let source = Input { name: name.to_owned(), digest: input_digest(py, path.clone())? };
                Ok(Self { source: Some(source), ..network.into() })
            }
        }
    }

    /// The network of edges between nodes that are called by integers, and of nodes without edges.
    #[staticmethod]
    #[pyo3(signature = (u, v, weights=None, isolated=None, said=None, directed=None, weighted=None, loops=false))]
    fn of_integers(
        py: Python<'_>,
        u: PyReadonlyArray1<'_, i64>,
        v: PyReadonlyArray1<'_, i64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        isolated: Option<PyReadonlyArray1<'_, i64>>,
        said: Option<bool>,
        directed: Option<bool>,
        weighted: Option<bool>,
        loops: bool,
    ) -> PyResult<Self> {
        let (ends, weights) = (pairs(&u, &v)?, numbers(weights.as_ref())?);
        let isolated: Vec<i64> = isolated.as_ref().map(column).transpose()?.unwrap_or_default();
        let build = move || {
            let list = EdgeList::of_integers(ends, &isolated, weights, said).ok_or_else(too_many)?;
            ergodict::data::Network::of_edges(list, &options(directed, weighted, loops))
        };
        whole(py, build).map(made)
    }

    /// The network of edges between `n` nodes that are numbered already; `names` are words in the order of the numbers, integers, or none.
    #[staticmethod]
    #[pyo3(signature = (n, u, v, weights=None, names=None, said=None, directed=None, weighted=None, loops=false))]
    fn of_numbers(
        py: Python<'_>,
        n: usize,
        u: PyReadonlyArray1<'_, u32>,
        v: PyReadonlyArray1<'_, u32>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        #[pyo3(from_py_with = crate::list::maybe_list)] names: Option<Vec<String>>,
        said: Option<bool>,
        directed: Option<bool>,
        weighted: Option<bool>,
        loops: bool,
    ) -> PyResult<Self> {
        let (ends, weights) = (pairs(&u, &v)?, numbers(weights.as_ref())?);
        let build = move || {
            let list = EdgeList { ids: numbered(n, names)?, ends, weights, directed: said };
            ergodict::data::Network::of_edges(list, &options(directed, weighted, loops))
        };
        whole(py, build).map(made)
    }

    /// The network of a matrix, by its entries.
    #[staticmethod]
    #[pyo3(signature = (shape, rows, columns, entries, directed=None, weighted=None, loops=false))]
    fn of_matrix(
        py: Python<'_>,
        shape: (u64, u64),
        rows: PyReadonlyArray1<'_, u32>,
        columns: PyReadonlyArray1<'_, u32>,
        entries: Option<PyReadonlyArray1<'_, f64>>,
        directed: Option<bool>,
        weighted: Option<bool>,
        loops: bool,
    ) -> PyResult<Self> {
        let (ends, entries) = (pairs(&rows, &columns)?, numbers(entries.as_ref())?);
        if let Some(entries) = entries.as_ref().filter(|entries| entries.len() != ends.len()) {
            let words =
                format!("there are {} positions in the matrix, but {} entries", ends.len(), entries.len());
            return Err(PyValueError::new_err(words));
        }
        let options = options(directed, weighted, loops);
        whole(py, move || ergodict::data::Network::of_matrix(shape, ends, entries, &options)).map(made)
    }

    /// What was decided when it was made, in one line; None for embedded networks and for parts of others.
    #[getter]
    fn decisions(&self) -> Option<&str> {
        self.decisions.as_deref()
    }

    /// What may not be as it was meant, such as columns that could be weights.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Edges that were listed again when it was made.
    #[getter]
    fn repeated(&self) -> u64 {
        self.repeated
    }

    /// Edges of weight 0 that were left out when it was made.
    #[getter]
    fn zeros(&self) -> u64 {
        self.zeros
    }

    /// Whether it was made with weights, also if all of them are 1.
    #[getter]
    fn with_weights(&self) -> bool {
        self.with_weights
    }

    /// Name and digest of the file, or the embedded network, that it was read from; None for others and for parts.
    #[getter]
    fn source(&self) -> Option<(&str, &str)> {
        self.source.as_ref().map(|source| (&*source.name, &*source.digest))
    }

    /// Number of nodes.
    #[getter]
    fn n_nodes(&self) -> usize {
        self.inner.nodes()
    }

    /// Number of edges.
    #[getter]
    fn n_edges(&self) -> u64 {
        self.inner.edges()
    }

    /// Number of edges from a node to itself.
    #[getter]
    fn n_loops(&self) -> u64 {
        self.inner.loops()
    }

    /// Whether edges have directions.
    #[getter]
    fn is_directed(&self) -> bool {
        self.inner.is_directed()
    }

    /// Whether weights differ from 1.
    #[getter]
    fn is_weighted(&self) -> bool {
        self.inner.is_weighted()
    }

    /// What the simple network leaves out, in words; None where it is simple.
    fn lost_as_simple(&self) -> Option<String> {
        self.inner.lost_as_simple()
    }

    /// The names of the nodes in the order of their numbers: an array of integers, a list of words, or None where node v is called v.
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        names(py, self.inner.ids())
    }

    /// Both ends and the weight of each edge, once.
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Edges<'py>> {
        let count = self.inner.edges() as usize;
        let (mut us, mut vs, mut ws) =
            (Vec::with_capacity(count), Vec::with_capacity(count), Vec::with_capacity(count));
        short(py, || {
            for (u, v, w) in self.inner.each_edge() {
                us.push(u);
                vs.push(v);
                ws.push(w);
            }
            Ok(())
        })?;
        Ok((us.into_pyarray(py), vs.into_pyarray(py), ws.into_pyarray(py)))
    }

    /// The matrix by rows: where they start, neighbors, and weights unless all are 1.
    fn csr<'py>(&self, py: Python<'py>) -> PyResult<Csr<'py>> {
        let (rows, n) = (self.inner.rows(), self.inner.nodes());
        let mut starts = Vec::with_capacity(n + 1);
        let mut neighbors = Vec::with_capacity(self.inner.stored() as usize);
        let mut weights = self.inner.is_weighted().then(|| Vec::with_capacity(neighbors.capacity()));
        starts.push(0);
        short(py, || {
            for u in 0..n {
                neighbors.extend_from_slice(rows.neighbors(u));
                starts.push(neighbors.len() as i64);
                if let (Some(weights), Some(row)) = (&mut weights, rows.weights(u)) {
                    weights.extend_from_slice(row);
                }
            }
            Ok(())
        })?;
        Ok((starts.into_pyarray(py), neighbors.into_pyarray(py), weights.map(|w| w.into_pyarray(py))))
    }

    /// Numbers of neighbors, of edges that lead out or in.
    #[pyo3(signature = (incoming=false))]
    fn degrees<'py>(&self, py: Python<'py>, incoming: bool) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let degrees = |rows: &Rows| (0..rows.len()).map(|u| rows.degree(u) as i64).collect::<Vec<_>>();
        Ok(short(py, || Ok(degrees(self.rows(incoming))))?.into_pyarray(py))
    }

    /// Sums of weights, of edges that lead out or in.
    #[pyo3(signature = (incoming=false))]
    fn strengths<'py>(&self, py: Python<'py>, incoming: bool) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let strengths = |rows: &Rows| (0..rows.len()).map(|u| rows.strength(u)).collect::<Vec<_>>();
        Ok(short(py, || Ok(strengths(self.rows(incoming))))?.into_pyarray(py))
    }

    /// The neighbors of a node, ascending.
    #[pyo3(signature = (node, incoming=false))]
    fn neighbors<'py>(
        &self,
        py: Python<'py>,
        node: usize,
        incoming: bool,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        self.check(node)?;
        Ok(short(py, || Ok(self.rows(incoming).neighbors(node).to_vec()))?.into_pyarray(py))
    }

    /// The weight of the edge between two nodes, 0 where there is none.
    fn weight(&self, py: Python<'_>, u: usize, v: usize) -> PyResult<f64> {
        self.check(u)?;
        self.check(v)?;
        short(py, || Ok(self.inner.weight(u, v)))
    }

    /// The component of each node, by descending size.
    fn components<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let network = &self.inner;
        Ok(whole(py, || Ok(network.components().labels))?.into_pyarray(py))
    }

    /// The network of some nodes, whose numbers ascend, and all edges between them.
    fn part(&self, py: Python<'_>, nodes: PyReadonlyArray1<'_, u32>) -> PyResult<Self> {
        let nodes = column(&nodes)?;
        if !nodes.is_sorted_by(|a, b| a < b) {
            return Err(PyValueError::new_err("the numbers of nodes must ascend"));
        }
        if let Some(&last) = nodes.last() {
            self.check(last as usize)?;
        }
        let network = &self.inner;
        Ok(whole(py, || Ok(network.part(&nodes)))?.into())
    }

    /// The same without weights.
    fn unweighted(&self) -> Self {
        ergodict::data::Network::clone(&self.inner).unweighted().into()
    }

    /// What is learned from where weights are used or not, on a scale; and what there is to know of the weights.
    fn weighed(&self, weighted: bool, weights: &str) -> PyResult<(Self, Option<String>)> {
        let settings = WeightSettings { weights: word("weights", weights)? };
        let (network, note) = settings.apply(weighted, ergodict::data::Network::clone(&self.inner));
        Ok((network.into(), note.map(|note| note.spelled(&keyword))))
    }

    /// Sizes, degrees, weights, components and triangles.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let network = &self.inner;
        to_python(py, &whole(py, || Ok(network.summary()))?)
    }

    /// Writes the page of it; without a name it is called as its file is.
    fn report(&self, py: Python<'_>, path: PathBuf, name: Option<String>) -> PyResult<()> {
        let started = Instant::now();
        let embedded = |source: &&Input| source.name.starts_with('@');
        let called = name.or_else(|| Some(self.source.as_ref()?.name.clone()));
        let page = whole(py, || NetworkPage::new(called.as_deref().unwrap_or("network"), &self.inner))?;
        let page = NetworkPage {
            input: self.source.as_ref().filter(|source| !embedded(source)).cloned(),
            decisions: self.decisions.clone(),
            seconds: started.elapsed().as_secs_f64(),
            ..page
        };
        crate::page::write(py, &path, Ok(page.report()), page.input.as_slice())
    }

    /// Writes it in the format of the name; what the format could not keep is returned.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<Option<String>> {
        let network = &self.inner;
        Ok(whole(py, || write_network(&path, network))?.lost)
    }

    /// Whether nodes, names, edges and weights are the same.
    fn same(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        let (one, two) = (&self.inner, &other.inner);
        short(py, || Ok(one == two))
    }
}

impl Network {
    fn rows(&self, incoming: bool) -> &Rows {
        if incoming { self.inner.incoming() } else { self.inner.rows() }
    }

    fn check(&self, node: usize) -> PyResult<()> {
        let n = self.inner.nodes();
        if node < n {
            return Ok(());
        }
        Err(PyValueError::new_err(format!("there is no node of number {node}: the network has {n} nodes")))
    }
}

fn wrong(name: &'static str, value: &dyn ToString, expected: &str) -> Error {
    Error::Parameter { name, value: value.to_string(), expected: expected.to_owned() }
}

pub(crate) fn too_many() -> Error {
    wrong("the number of nodes", &"too large", "it must be below 2³²")
}

/// Names as Python has them: an array of integers, a list of words, or None where node v is called v.
pub(crate) fn names<'py>(py: Python<'py>, ids: &NodeIds) -> PyResult<Option<Bound<'py, PyAny>>> {
    let n = ids.len();
    if ids.are_words() {
        let words = short(py, || Ok((0..n).map(|v| ids.name(v)).collect::<Vec<_>>()))?;
        return Ok(Some(PyList::new(py, words)?.into_any()));
    }
    let numbers = || (0..n).filter_map(|v| ids.integer(v)).collect::<Vec<i64>>();
    let numbers = short(py, || Ok((n > 0 && *ids != NodeIds::numbered(n)).then(numbers)))?;
    Ok(numbers.map(|numbers| numbers.into_pyarray(py).into_any()))
}

/// The ids of `n` nodes that are numbered already, whose names, where they have any, are in that order.
pub(crate) fn numbered(n: usize, names: Option<Vec<String>>) -> ergodict::Result<NodeIds> {
    if n > u32::MAX as usize {
        return Err(too_many());
    }
    memory::check(n as u64 * PER_NODE, &format!("a network of {n} nodes"), "give fewer")?;
    let Some(names) = names else { return Ok(NodeIds::numbered(n)) };
    let ordered = NodeIds::in_order(&names).filter(|(order, _)| order.is_sorted());
    let Some((_, ids)) = ordered else {
        return Err(wrong("the list of names", &"not in order", "names must ascend and be different"));
    };
    if ids.len() != n {
        return Err(wrong("the number of names", &ids.len(), "there must be one for each node"));
    }
    Ok(ids)
}

/// The order in which nodes of these names are numbered, as places in the list; None where two are the same.
#[pyfunction]
pub(crate) fn order_of_names(
    py: Python<'_>,
    #[pyo3(from_py_with = crate::list::list)] names: Vec<String>,
) -> Option<Bound<'_, PyArray1<u32>>> {
    NodeIds::in_order(&names).map(|(order, _)| order.into_pyarray(py))
}

/// Name, nodes, edges, description and citation of each embedded network.
#[pyfunction]
pub(crate) fn embedded_networks() -> Vec<(String, usize, u64, &'static str, &'static str)> {
    let one =
        |e: &ergodict::data::Embedded| (format!("@{}", e.name), e.nodes, e.edges, e.description, e.citation);
    embedded_names().iter().map(one).collect()
}
