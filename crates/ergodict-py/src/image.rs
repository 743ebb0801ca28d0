//! Images: read, seen as streams of patches, reconstructed and denoised; and configurations reconstructed.

use crate::error::to_py_err;
use crate::factor::Factorizer as Learner;
use crate::memory::reserve;
use crate::model::reconstructor;
use crate::scheme::word;
use crate::spins::{FrameArray, alphabet, boundary, columns, labels};
use crate::work::{Watch, long, short};
use ergodict::Error;
use ergodict::chain::{Boundary, ChainPoint, Lattice, Placement};
use ergodict::data::{Frame, Image};
use ergodict::factor::code::CodeSet;
use ergodict::factor::{DictionarySet, FactorSettings, Factorizer};
use ergodict::linalg::{Mat, MatRef, Scalar};
use ergodict::model::{Model, Precision};
use ergodict::patch::{self, Encoding, NumberGrid, PatchKind, SpinValues, Window, borders};
use ergodict::reconstruct::{self, DenoiseSettings, MOST_PATCHES, Overlap, Reconstruction, with_lambda};
use ergodict::settings::Settings;
use ergodict::text::Shape;
use ergodict_pages::image::{NoiseLevel, Outcome, of_denoising, of_reconstruction as of_image};
use ergodict_pages::{rerun, spins as spin_page};
use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;

/// Values row by row, rows, columns, channels.
type Pixels<'py> = (Bound<'py, PyArray1<f32>>, usize, usize, usize);

/// The same as it is given.
type PixelArray<'py> = (PyReadonlyArray1<'py, f32>, usize, usize, usize);

fn pixels(py: Python<'_>, image: Image) -> Pixels<'_> {
    let ((rows, cols), channels) = (image.shape(), image.channels());
    (image.values().to_vec().into_pyarray(py), rows, cols, channels)
}

fn image_of((values, rows, cols, channels): &PixelArray<'_>) -> PyResult<Image> {
    Image::new((*rows, *cols), *channels, values.as_slice()?.to_vec()).map_err(to_py_err)
}

/// Reads an image file; also what was decided about it, in words.
#[pyfunction]
pub(crate) fn read_image(py: Python<'_>, path: PathBuf, color: bool) -> PyResult<(Pixels<'_>, String)> {
    let (image, notes) = short(py, move || Image::open(&path, color))?;
    Ok((pixels(py, image), notes.to_string()))
}

/// An embedded image, such as ``@tessellation``.
#[pyfunction]
pub(crate) fn embedded_image<'py>(py: Python<'py>, name: &str, color: bool) -> PyResult<Pixels<'py>> {
    Ok(pixels(py, short(py, || ergodict::data::embedded_image(name, color))?))
}

/// The standard deviation of the noise in an image, estimated.
#[pyfunction]
pub(crate) fn noise_level(py: Python<'_>, image: PixelArray<'_>) -> PyResult<f64> {
    let image = image_of(&image)?;
    py.detach(|| reconstruct::noise_level(&image)).map_err(to_py_err)
}

/// PSNR, where white is 1, and relative error of a picture against another.
#[pyfunction]
pub(crate) fn picture_distance(
    a: PyReadonlyArray1<'_, f64>,
    b: PyReadonlyArray1<'_, f64>,
) -> PyResult<(f64, f64)> {
    let (a, b) = (a.as_slice()?, b.as_slice()?);
    Ok((reconstruct::psnr(a, b, 1.0), reconstruct::relative_error(a, b)))
}

/// The form of patches.
fn window((rows, cols): (usize, usize), periodic: bool) -> Window {
    Window { rows, cols, boundary: boundary(periodic) }
}

/// Minibatches of patches of images.
#[pyclass(module = "ergodict._ergodict")]
pub(crate) struct ImageStream {
    inner: patch::ImageStream,
}

#[pymethods]
impl ImageStream {
    #[new]
    fn new(
        #[pyo3(from_py_with = crate::list::list)] images: Vec<PixelArray<'_>>,
        patch: (usize, usize),
        periodic: bool,
        walk: bool,
        seed: u64,
        chain: u64,
    ) -> PyResult<Self> {
        let images = images.iter().map(image_of).collect::<PyResult<Vec<_>>>()?;
        let window = window(patch, periodic);
        let sampling = if walk { Placement::Walk } else { Placement::Iid };
        let inner = patch::ImageStream::new(images.into(), window, sampling, seed, chain);
        Ok(Self { inner: inner.map_err(to_py_err)? })
    }

    /// Numbers of a patch.
    #[getter]
    fn features(&self) -> usize {
        self.inner.features()
    }

    /// The next minibatch, of `patches` patches, one after another.
    fn next<'py>(&mut self, py: Python<'py>, patches: usize, single: bool) -> PyResult<Bound<'py, PyAny>> {
        if single { self.fill::<f32>(py, patches) } else { self.fill::<f64>(py, patches) }
    }

    /// Where the stream is: steps, word of its generator, positions.
    fn place(&self) -> (u64, u64, Vec<u8>) {
        let point = self.inner.point();
        (point.steps, point.word, point.state)
    }

    /// Goes to where a stream of the same images and seed was.
    fn seek(
        &mut self,
        steps: u64,
        word: u64,
        #[pyo3(from_py_with = crate::list::list)] state: Vec<u8>,
    ) -> PyResult<()> {
        self.inner.seek(&ChainPoint { steps, word, acceptance: None, state }).map_err(to_py_err)
    }
}

impl ImageStream {
    fn fill<'py, T: Scalar + Element>(
        &mut self,
        py: Python<'py>,
        patches: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let number = self.inner.features() as u128 * 2 * size_of::<T>() as u128;
        reserve((number + 24) * patches as u128, &format!("{patches} patches"))?;
        let inner = &mut self.inner;
        let values = short(py, || {
            let mut x = Mat::<T>::zeros(0, 0);
            inner.advance(patches);
            inner.copy(&mut x);
            Ok(columns(&x))
        })?;
        Ok(values.into_pyarray(py).into_any())
    }
}

/// A dictionary of patches, to reconstruct with.
#[pyclass(frozen, module = "ergodict._ergodict")]
pub(crate) struct PatchDictionary {
    model: Model,
    /// The parameters that it was learned with, as a page shows them.
    learned_with: FactorSettings,
}

/// What Python says of a page: where it goes, and what the model and the data are called.
type PageRequest = (PathBuf, String, String);

impl PatchDictionary {
    fn new_of(model: Model) -> Self {
        let learned_with = model.parameters.clone();
        Self { model, learned_with }
    }

    /// The model as pages show it.
    fn shown(&self) -> Model {
        Model { parameters: self.learned_with.clone(), ..self.model.clone() }
    }
}

/// Values of a reconstructed image, stride, patches coded.
type RebuiltImage<'py> = (Bound<'py, PyArray1<f64>>, usize, u64);

/// Values of a denoised image, σ, stride, patches coded, atoms of a patch in the mean, share of patches left unchanged, atoms one after another.
type DenoisedImage<'py> = (Bound<'py, PyArray1<f64>>, f64, usize, u64, f64, f64, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl PatchDictionary {
    /// Atoms one after another, of 64 bits, or of 32 bits to be calculated with in those.
    #[new]
    fn new(
        atoms: PyReadonlyArray1<'_, f64>,
        features: usize,
        single: bool,
        code: &str,
        solver: &str,
        kappa2: f64,
        tolerance: f64,
    ) -> PyResult<Self> {
        let atoms = atoms.as_slice()?;
        let count = atoms.len().checked_div(features).unwrap_or(0);
        let mut parameters = FactorSettings::new(count);
        parameters.code = Some(code.parse::<CodeSet>().map_err(to_py_err)?);
        parameters.dictionary = Some("free".parse::<DictionarySet>().map_err(to_py_err)?);
        parameters.solver = word("solver", solver)?;
        (parameters.kappa2, parameters.tolerance) = (kappa2, tolerance);
        let w = MatRef::from_column_major(atoms, features, count).map_err(to_py_err)?;
        let model = if single {
            let w = w.to_owned().cast::<f32>();
            Factorizer::from_dictionary(parameters, w.as_ref())
                .map(|f| Model::from_factorizer(&f, "factor", 0))
        } else {
            Factorizer::from_dictionary(parameters, w).map(|f| Model::from_factorizer(&f, "factor", 0))
        };
        Ok(Self::new_of(model.map_err(to_py_err)?))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self::new_of(short(py, move || Model::load(&path))?))
    }

    /// What an estimator has learned.
    #[staticmethod]
    fn from_learner(py: Python<'_>, learner: &Learner) -> PyResult<Self> {
        let (model, learned_with) = reconstructor(learner, py)?;
        Ok(Self { model, learned_with })
    }

    /// Number of atoms, and of their features.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.model.w.cols(), self.model.w.rows())
    }

    /// What the atoms are patches of, where the model file says: rows, columns, whether on a torus, channels.
    #[getter]
    fn patch(&self) -> Option<(usize, usize, bool, usize)> {
        let kind = self.model.patch?;
        let Window { rows, cols, boundary } = kind.window;
        Some((rows, cols, boundary == Boundary::Periodic, kind.channels))
    }

    /// For patches of spins: what the numbers stand for, and the alphabet as ``SpinChain.labels`` has it.
    #[getter]
    fn spins(&self) -> Option<(String, i32)> {
        let (values, alphabet) = self.model.patch?.spins?;
        Some((values.to_string(), labels(alphabet)))
    }

    /// Reconstructs an image, and writes the page of it where that is asked for.
    #[pyo3(signature = (image, patch, periodic, stride, penalty, n_jobs, progress, page=None))]
    fn image<'py>(
        &self,
        py: Python<'py>,
        image: PixelArray<'py>,
        patch: (usize, usize),
        periodic: bool,
        stride: Option<usize>,
        penalty: f64,
        n_jobs: Option<i64>,
        progress: Option<Bound<'py, PyAny>>,
        page: Option<PageRequest>,
    ) -> PyResult<RebuiltImage<'py>> {
        let image = image_of(&image)?;
        let window = window(patch, periodic);
        let overlap = match stride {
            Some(stride) => {
                let overlap = Overlap { window, stride };
                overlap.corners(image.shape()).map(|_| overlap)
            }
            None => Overlap::spread(window, image.shape(), 1, MOST_PATCHES),
        };
        let overlap = overlap.map_err(to_py_err)?;
        let work = Work { model: &self.model, overlap, lambda: penalty };
        let reconstruction = work.run(py, n_jobs, progress.as_ref(), &image)?;
        if let Some((path, model, name)) = page {
            let used = overlap.stride;
            let done = Outcome {
                image: &image,
                reconstruction: &reconstruction,
                reference: None,
                stride: used,
                noise: None,
            };
            let config = json!({ "stride": stride, "lambda": (penalty > 0.0).then_some(penalty) });
            let command =
                rerun::command("image reconstruct", &config, &[model, name], "-o reconstruction.png");
            let (channels, shown) = (image.channels(), self.shown());
            let kind = PatchKind { window, channels, spins: None };
            let report = of_image(&Model { patch: Some(kind), ..shown }, kind, &done, penalty, &command);
            crate::page::write(py, &path, report, &[])?;
        }
        Ok((reconstruction.values.into_pyarray(py), overlap.stride, reconstruction.patches))
    }

    /// Denoises an image with these atoms; see the function ``denoise_image``.
    #[pyo3(signature = (image, patch, settings, n_jobs, progress, page=None))]
    fn denoise<'py>(
        &self,
        py: Python<'py>,
        image: PixelArray<'py>,
        patch: (usize, usize),
        settings: NoiseSettings,
        n_jobs: Option<i64>,
        progress: Option<Bound<'py, PyAny>>,
        page: Option<PageRequest>,
    ) -> PyResult<DenoisedImage<'py>> {
        let settings = denoising(settings, patch, self.model.w.cols());
        denoise(
            py,
            &image_of(&image)?,
            Some(&self.model.w.cast()),
            &settings,
            n_jobs,
            progress.as_ref(),
            page,
        )
    }

    /// Reconstructs a configuration, and writes the page of it where that is asked for: the values, the numbers of a site, the patches coded and the share of sites that are right.
    #[pyo3(signature = (spins, shape, values, labels, patch, periodic, stride, penalty, n_jobs, progress, page=None))]
    fn configuration<'py>(
        &self,
        py: Python<'py>,
        spins: FrameArray<'py>,
        shape: (usize, usize),
        values: &str,
        labels: i32,
        patch: (usize, usize),
        periodic: bool,
        stride: usize,
        penalty: f64,
        n_jobs: Option<i64>,
        progress: Option<Bound<'py, PyAny>>,
        page: Option<PageRequest>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, usize, u64, f64)> {
        let window = window(patch, periodic);
        let overlap = Overlap { window, stride };
        overlap.corners(shape).map_err(to_py_err)?;
        let values: SpinValues = values.parse().map_err(to_py_err)?;
        let encoding = Encoding::new(values, alphabet(labels)).map_err(to_py_err)?;
        let mut spins = spins.frame()?;
        if spins.len() != shape.0.saturating_mul(shape.1) {
            return Err(PyValueError::new_err("the configuration has another shape than was said"));
        }
        if let (SpinValues::Borders, Frame::Whole(labels)) = (values, &spins) {
            let lattice = Lattice::new(shape.0, shape.1, window.boundary).map_err(to_py_err)?;
            spins = borders(lattice, labels).into();
        }
        encoding.check(&spins).map_err(to_py_err)?;
        let numbers = encoding.numbers(&spins);
        let grid = NumberGrid { numbers: &numbers, shape, channels: encoding.channels() };
        let work = Work { model: &self.model, overlap, lambda: penalty };
        let reconstruction = work.run(py, n_jobs, progress.as_ref(), &grid)?;
        let right = encoding.agreement(&reconstruction.values, &spins);
        if let Some((path, model, name)) = page {
            let config = json!({ "stride": stride, "lambda": penalty });
            let command =
                rerun::command("spins reconstruct", &config, &[model, name], "-o reconstruction.npy");
            let done = spin_page::Outcome {
                spins: &spins,
                shape,
                encoding: &encoding,
                reconstruction: &reconstruction.values,
            };
            let kind =
                PatchKind { window, channels: encoding.channels(), spins: Some((values, alphabet(labels))) };
            let (shown, more) = (
                Model { patch: Some(kind), ..self.shown() },
                [("frame", "0".to_owned()), ("stride", stride.to_string())],
            );
            let report = spin_page::of_reconstruction(&shown, &done, &more, &command);
            crate::page::write(py, &path, report, &[])?;
        }
        Ok((reconstruction.values.into_pyarray(py), encoding.channels(), reconstruction.patches, right))
    }
}

/// The standard deviation of the noise, the stride and the seed.
type NoiseSettings = (Option<f64>, Option<usize>, u64);

fn denoising((sigma, stride, seed): NoiseSettings, patch: (usize, usize), atoms: usize) -> DenoiseSettings {
    DenoiseSettings { sigma, patch: Shape(patch.0, patch.1), atoms, stride, seed }
}

/// Denoises an image by atoms of its own patches, and writes the page of it where that is asked for.
#[pyfunction]
#[pyo3(signature = (image, patch, atoms, settings, n_jobs, progress, page=None))]
pub(crate) fn denoise_image<'py>(
    py: Python<'py>,
    image: PixelArray<'py>,
    patch: (usize, usize),
    atoms: usize,
    settings: NoiseSettings,
    n_jobs: Option<i64>,
    progress: Option<Bound<'py, PyAny>>,
    page: Option<PageRequest>,
) -> PyResult<DenoisedImage<'py>> {
    let settings = denoising(settings, patch, atoms);
    denoise(py, &image_of(&image)?, None, &settings, n_jobs, progress.as_ref(), page)
}

/// What both ways of denoising share.
fn denoise<'py>(
    py: Python<'py>,
    image: &Image,
    atoms: Option<&Mat<f32>>,
    settings: &DenoiseSettings,
    n_jobs: Option<i64>,
    progress: Option<&Bound<'py, PyAny>>,
    page: Option<PageRequest>,
) -> PyResult<DenoisedImage<'py>> {
    let done = long(py, n_jobs, progress, |watch| {
        let mut seen = |done, all| {
            watch.at(done, all);
            !watch.stopped()
        };
        reconstruct::denoise(image, atoms, settings, &mut seen)?.ok_or(Error::Interrupted)
    })?;
    if let Some((path, model, name)) = page {
        let noise = NoiseLevel { sigma: done.sigma, estimated: settings.sigma.is_none() };
        let stride = done.stride;
        let outcome =
            Outcome { image, reconstruction: &done.image, reference: None, stride, noise: Some(noise) };
        let mut config = settings.config();
        let mut rest = "-o denoised.png".to_owned();
        if atoms.is_some() {
            config.remove("patch");
            config.remove("atoms");
            rest = format!("--model {model} {rest}");
        }
        let command = rerun::command("image denoise", &serde_json::Value::Object(config), &[name], &rest);
        crate::page::write(py, &path, of_denoising(&done, &outcome, atoms.is_none(), &command), &[])?;
    }
    let atoms = columns(&done.model.w);
    let Reconstruction { values, patches, .. } = done.image;
    let values = values.into_pyarray(py);
    Ok((values, done.sigma, done.stride, patches, done.mean_atoms, done.kept, atoms.into_pyarray(py)))
}

/// How a grid is reconstructed.
struct Work<'a> {
    model: &'a Model,
    overlap: Overlap,
    lambda: f64,
}

impl Work<'_> {
    /// The grid reconstructed.
    fn run(
        &self,
        py: Python<'_>,
        n_jobs: Option<i64>,
        progress: Option<&Bound<'_, PyAny>>,
        grid: &(impl patch::Grid + Sync),
    ) -> PyResult<Reconstruction> {
        long(py, n_jobs, progress, |watch| match self.model.precision {
            Precision::F32 => self.rebuild::<f32>(grid, watch),
            Precision::F64 => self.rebuild::<f64>(grid, watch),
        })
    }

    fn rebuild<T: Scalar>(
        &self,
        grid: &(impl patch::Grid + Sync),
        watch: &Watch,
    ) -> ergodict::Result<Reconstruction> {
        let mut factorizer = with_lambda(&self.model.factorizer::<T>()?, self.lambda)?;
        let mut seen = |done, all| {
            watch.at(done, all);
            !watch.stopped()
        };
        self.overlap.reconstruct(&mut factorizer, grid, &mut seen)?.ok_or(Error::Interrupted)
    }
}
