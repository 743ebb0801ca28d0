//! Spin systems under way: advanced, looked at, measured, cut into patches.

#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over")]

use crate::error::raised;
use crate::room::room;
use crate::work::{long, short};
use ergodict::chain::diagnostics::{Acceptance, Mixing, autocorrelation};
use ergodict::chain::rng::{Purpose, ids, stream};
use ergodict::chain::{
    Alphabet, Boundary, CellularPotts, CellularPottsParameters, ChainPoint, Checkerboard, Field, Ising,
    IsingGraph, Lattice, MOST_LABELS, Observable, Potts, Proposal, Rbm, Rhythm, SpinWalk, Walker,
};
use ergodict::data::read_edge_list;
use ergodict::linalg::{Mat, Scalar};
use ergodict::patch::{Encoding, SpinCutter, SpinValues, Window};
use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Updates of single sites that need no thread of their own, and before a signal is listened to: a few milliseconds.
const PIECE: u64 = 200_000;

/// Most cells: the medium is a label too.
const MOST_CELLS: usize = MOST_LABELS as usize - 1;

/// A spin system under way.
#[pyclass(module = "ergodict._ergodict")]
pub(crate) struct SpinChain {
    walk: Box<dyn SpinWalk>,
    seed: u64,
    id: u64,
    /// Where the generator of the places of patches is.
    word: u64,
}

/// Where a chain is: steps, word of its generator, proposals accepted and made, word of the generator of patches, configuration.
type Place<'py> = (u64, u64, Option<(u64, u64)>, u64, Bound<'py, PyArray1<i8>>);

#[pymethods]
impl SpinChain {
    /// The Ising model on a lattice.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "given by name in Python")]
    fn ising(
        py: Python<'_>,
        rows: usize,
        cols: usize,
        periodic: bool,
        temperature: f64,
        coupling: f64,
        field: f64,
        field_map: Option<PyReadonlyArray1<'_, f64>>,
        checkerboard: bool,
        seed: u64,
        chain: u64,
    ) -> PyResult<Self> {
        let lattice = lattice(rows, cols, periodic)?;
        let field = field_of(field, field_map)?;
        short(py, move || {
            let ising = Ising::new(lattice, temperature, coupling, field)?;
            Ok(if checkerboard {
                Self::new(Walker::new(Checkerboard::new(ising)?, seed, chain), seed, chain)
            } else {
                Self::new(Walker::new(ising, seed, chain), seed, chain)
            })
        })
    }

    /// The Ising model on a graph of numbered nodes.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "given by name in Python")]
    fn ising_graph(
        py: Python<'_>,
        nodes: usize,
        us: PyReadonlyArray1<'_, u32>,
        vs: PyReadonlyArray1<'_, u32>,
        couplings: PyReadonlyArray1<'_, f64>,
        temperature: f64,
        field: f64,
        field_map: Option<PyReadonlyArray1<'_, f64>>,
        seed: u64,
        chain: u64,
    ) -> PyResult<Self> {
        let (us, vs, js) = (us.as_slice()?, vs.as_slice()?, couplings.as_slice()?);
        if us.len() != vs.len() || us.len() != js.len() {
            return Err(PyValueError::new_err("edges need two ends and a coupling each"));
        }
        room(nodes as u128 * 32 + us.len() as u128 * 64, "a graph of this size")?;
        let edges: Vec<_> = us.iter().zip(vs).zip(js).map(|((&u, &v), &j)| (u, v, j)).collect();
        let field = field_of(field, field_map)?;
        short(py, move || {
            let ising = IsingGraph::new(nodes, &edges, temperature, &field)?;
            Ok(Self::new(Walker::new(ising, seed, chain), seed, chain))
        })
    }

    /// The Potts model.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "given by name in Python")]
    fn potts(
        py: Python<'_>,
        rows: usize,
        cols: usize,
        periodic: bool,
        states: usize,
        temperature: f64,
        coupling: f64,
        field: f64,
        seed: u64,
        chain: u64,
    ) -> PyResult<Self> {
        let lattice = lattice(rows, cols, periodic)?;
        short(py, move || {
            let potts = Potts::new(lattice, states, temperature, coupling, field)?;
            Ok(Self::new(Walker::new(potts, seed, chain), seed, chain))
        })
    }

    /// The cellular Potts model; what is none has the library's default.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "given by name in Python")]
    fn cellular_potts(
        py: Python<'_>,
        rows: usize,
        cols: usize,
        periodic: bool,
        cells: usize,
        temperature: f64,
        #[pyo3(from_py_with = crate::list::maybe_list)] adhesion: Option<Vec<f64>>,
        volume: Option<f64>,
        volume_strength: Option<f64>,
        perimeter: Option<f64>,
        perimeter_strength: Option<f64>,
        any: bool,
        seed: u64,
        chain: u64,
    ) -> PyResult<Self> {
        let lattice = lattice(rows, cols, periodic)?;
        if cells == 0 || cells > MOST_CELLS {
            return Err(PyValueError::new_err(format!(
                "cells is {cells}, but it must be between 1 and {MOST_CELLS}"
            )));
        }
        let mut parameters = CellularPottsParameters::new(lattice, cells);
        parameters.temperature = temperature;
        if let Some(adhesion) = adhesion {
            parameters = parameters.with_adhesion(&adhesion).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "adhesion has {} numbers, but one type of cells needs 2, two need 5, three need 9: J01,J02,…,J11,J12,…",
                    adhesion.len()
                ))
            })?;
        }
        if let Some(volume) = volume {
            parameters = parameters.with_volume(volume);
        }
        parameters.volume_strength = volume_strength.unwrap_or(parameters.volume_strength);
        parameters.perimeter = perimeter.unwrap_or(parameters.perimeter);
        parameters.perimeter_strength = perimeter_strength.unwrap_or(parameters.perimeter_strength);
        parameters.proposal = if any { Proposal::Any } else { Proposal::Neighbour };
        short(py, move || {
            Ok(Self::new(Walker::new(CellularPotts::new(parameters)?, seed, chain), seed, chain))
        })
    }

    /// A restricted Boltzmann machine with these weights, row by row for each visible unit.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "given by name in Python")]
    fn rbm(
        py: Python<'_>,
        rows: usize,
        cols: usize,
        weights: PyReadonlyArray1<'_, f64>,
        visible_bias: PyReadonlyArray1<'_, f64>,
        hidden_bias: PyReadonlyArray1<'_, f64>,
        hidden: usize,
        temperature: f64,
        seed: u64,
        chain: u64,
    ) -> PyResult<Self> {
        let weights = weights.as_slice()?;
        let visible = weights.len().checked_div(hidden).unwrap_or(0);
        if visible * hidden != weights.len() {
            return Err(PyValueError::new_err("weights are not visible × hidden"));
        }
        room(weights.len() as u128 * 24, "a machine of so many weights")?;
        let (b, c) = (visible_bias.as_slice()?.to_vec(), hidden_bias.as_slice()?.to_vec());
        let weights = Mat::from_fn(visible, hidden, |i, j| weights[i * hidden + j]);
        short(py, move || {
            let rbm = Rbm::new(&weights, &b, &c, temperature, (rows, cols))?;
            Ok(Self::new(Walker::new(rbm, seed, chain), seed, chain))
        })
    }

    /// A restricted Boltzmann machine from a .npz file with W, b and c.
    #[staticmethod]
    fn rbm_file(
        py: Python<'_>,
        rows: usize,
        cols: usize,
        path: PathBuf,
        temperature: f64,
        seed: u64,
        chain: u64,
    ) -> PyResult<Self> {
        short(py, move || {
            let rbm = Rbm::open(&path, temperature, (rows, cols))?;
            Ok(Self::new(Walker::new(rbm, seed, chain), seed, chain))
        })
    }

    /// A restricted Boltzmann machine with random weights, which follow from the seed.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "given by name in Python")]
    fn rbm_random(
        py: Python<'_>,
        rows: usize,
        cols: usize,
        hidden: usize,
        scale: f64,
        temperature: f64,
        seed: u64,
        chain: u64,
    ) -> PyResult<Self> {
        if hidden == 0 {
            return Err(PyValueError::new_err("hidden is 0, but a machine needs at least one hidden unit"));
        }
        lattice(rows, cols, false)?;
        let weights = (rows as u128).saturating_mul(cols as u128).saturating_mul(hidden as u128);
        // More are refused by the library.
        room(weights.min(1 << 31) * 24, "a machine of so many units")?;
        short(py, move || {
            let mut rng = stream(seed, Purpose::Synthetic, ids::WEIGHTS);
            let rbm = Rbm::random((rows, cols), hidden, scale, temperature, &mut rng)?;
            Ok(Self::new(Walker::new(rbm, seed, chain), seed, chain))
        })
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
        match self.walk.alphabet() {
            Alphabet::PlusMinus => 0,
            Alphabet::ZeroOne => -1,
            Alphabet::Labels(labels) => i32::from(labels),
        }
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
        let rhythm = Rhythm::of_updates(burn_in, every, self.walk.updates_per_step());
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
        self.walk.seek(&ChainPoint { steps, word, acceptance, state }).map_err(raised)?;
        self.word = patch_word;
        Ok(())
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
    fn new(walk: impl SpinWalk + 'static, seed: u64, id: u64) -> Self {
        Self { walk: Box::new(walk), seed, id, word: 0 }
    }

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
        let values: SpinValues = values.parse().map_err(raised)?;
        let encoding = Encoding::new(values, self.walk.alphabet()).map_err(raised)?;
        let window = Window { rows, cols, boundary };
        window.corners((high, wide)).map_err(raised)?;
        let features = window.features(encoding.channels());
        room(features as u128 * count as u128 * 2 * size_of::<T>() as u128, "so many patches")?;
        let borders = (values == SpinValues::Borders).then(|| Lattice::new(high, wide, boundary));
        let borders = borders.transpose().map_err(raised)?;
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

/// A lattice for which there is room.
fn lattice(rows: usize, cols: usize, periodic: bool) -> PyResult<Lattice> {
    let lattice = Lattice::new(rows, cols, boundary(periodic)).map_err(raised)?;
    // The configuration, and copies of it to be looked at and saved.
    room(lattice.sites() as u128 * 4, "a lattice of this size")?;
    Ok(lattice)
}

/// The alphabet of `SpinChain.labels`.
pub(crate) fn alphabet(labels: i32) -> Alphabet {
    match labels {
        0 => Alphabet::PlusMinus,
        -1 => Alphabet::ZeroOne,
        labels => Alphabet::Labels(u8::try_from(labels).unwrap_or(0)),
    }
}

pub(crate) fn boundary(periodic: bool) -> Boundary {
    if periodic { Boundary::Periodic } else { Boundary::Free }
}

fn field_of(uniform: f64, map: Option<PyReadonlyArray1<'_, f64>>) -> PyResult<Field> {
    Ok(match map {
        Some(map) => Field::Map(map.as_slice()?.to_vec()),
        None => Field::Uniform(uniform),
    })
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

/// The autocorrelation function of several chains, up to a lag.
#[pyfunction]
pub(crate) fn series_autocorrelation(
    py: Python<'_>,
    #[pyo3(from_py_with = crate::list::lists)] chains: Vec<Vec<f64>>,
    lags: usize,
) -> Bound<'_, PyArray1<f64>> {
    py.detach(|| autocorrelation(&chains, lags)).into_pyarray(py)
}

/// Mean, its standard error, autocorrelation time, effective sample size and R̂ of a number along several chains.
#[pyfunction]
pub(crate) fn series_mixing(
    py: Python<'_>,
    #[pyo3(from_py_with = crate::list::lists)] chains: Vec<Vec<f64>>,
) -> (f64, f64, f64, f64, f64) {
    let Mixing { mean, error, autocorrelation_time, effective_sample_size, r_hat } =
        py.detach(|| Mixing::of(&chains));
    (mean, error, autocorrelation_time, effective_sample_size, r_hat)
}
