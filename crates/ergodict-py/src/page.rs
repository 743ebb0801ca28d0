//! Reports: the pages that the command line writes, of results that Python holds.

use crate::work::short;
use ergodict::Error;
use ergodict::data::{digest, write_atomic};
use ergodict::model::Input;
use ergodict_pages::comparison::ComparisonPage;
use ergodict_pages::denoising::DenoisingPage;
use ergodict_report::{PictureError, Report};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::path::{Path, PathBuf};

/// What the page of a result is made of; a pickle has the page itself.
#[pyclass(frozen, module = "ergodict._ergodict")]
pub(crate) struct Page {
    content: Content,
    inputs: Vec<Input>,
}

enum Content {
    Denoising(Box<DenoisingPage>),
    Comparison(Box<ComparisonPage>),
    Html(String),
}

impl From<DenoisingPage> for Page {
    fn from(page: DenoisingPage) -> Self {
        Self { inputs: page.run.inputs.clone(), content: Content::Denoising(Box::new(page)) }
    }
}

impl From<ComparisonPage> for Page {
    fn from(page: ComparisonPage) -> Self {
        Self { inputs: page.inputs.clone(), content: Content::Comparison(Box::new(page)) }
    }
}

impl Page {
    fn html(&self) -> PyResult<String> {
        match &self.content {
            Content::Denoising(page) => Ok(page.report().render()),
            Content::Comparison(page) => page.report().map(|report| report.render()).map_err(undrawn),
            Content::Html(html) => Ok(html.clone()),
        }
    }
}

#[pymethods]
impl Page {
    /// Writes the page.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        write_html(py, &path, &self.html()?, &self.inputs)
    }

    /// Why the result may not be what it seems.
    fn warnings(&self) -> Vec<String> {
        match &self.content {
            Content::Denoising(page) => page.warnings(),
            _ => Vec::new(),
        }
    }

    /// For pickle and copy.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let inputs: Vec<(&str, &str)> = self.inputs.iter().map(|one| (&*one.name, &*one.digest)).collect();
        (py.get_type::<Self>().getattr("_restore")?, (self.html()?, inputs)).into_pyobject(py)
    }

    /// The other way.
    #[staticmethod]
    fn _restore(
        html: String,
        #[pyo3(from_py_with = crate::list::list)] inputs: Vec<(String, String)>,
    ) -> Self {
        let inputs = inputs.into_iter().map(|(name, digest)| Input { name, digest }).collect();
        Self { content: Content::Html(html), inputs }
    }
}

/// Pictures that cannot be drawn are values that cannot be shown.
pub(crate) fn undrawn(error: PictureError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Writes a page, whole or not at all, and not over a file that the result was made of.
pub(crate) fn write(
    py: Python<'_>,
    path: &Path,
    report: Result<Report, PictureError>,
    inputs: &[Input],
) -> PyResult<()> {
    write_html(py, path, &report.map_err(undrawn)?.render(), inputs)
}

fn write_html(py: Python<'_>, path: &Path, html: &str, inputs: &[Input]) -> PyResult<()> {
    if path.is_file()
        && !inputs.is_empty()
        && let Ok(own) = digest(path)
        && let Some(input) = inputs.iter().find(|input| input.digest == own)
    {
        let words = format!(
            "{}: is the file {} that was read, which would be overwritten: name another file",
            path.display(),
            input.name
        );
        return Err(PyValueError::new_err(words));
    }
    short(py, || write_atomic(path, |file| file.write_all(html.as_bytes()).map_err(Error::io(path))))
}

/// What Python says of the network of a result.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct NetworkLabel {
    pub(crate) name: String,
    pub(crate) digest: String,
    /// Ids of nodes, where the extension knows them by others.
    pub(crate) labels: Option<Vec<String>>,
}

impl NetworkLabel {
    pub(crate) fn input(&self) -> Vec<Input> {
        // What is in memory is no file.
        let some = !self.digest.is_empty();
        some.then(|| Input { name: self.name.clone(), digest: self.digest.clone() }).into_iter().collect()
    }
}
