//! Where a run begins: its first dictionary.

use crate::data::{Batch, MatrixStream, StreamOptions};
use crate::factor::{Factorizer, Init, LearnSettings};
use crate::linalg::{Mat, Scalar};
use crate::model::{Input, Precision};
use crate::{Error, Result};
use std::path::Path;

impl LearnSettings {
    /// The precision of the arithmetic.
    pub(crate) fn precision(&self) -> Precision {
        if self.f32 { Precision::F32 } else { Precision::F64 }
    }

    /// The dictionary to start from, unless that takes data: none then. Also the file it came from.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a file that holds no matrix of `features` rows and a column for each atom.
    pub fn start<T: Scalar>(
        &self,
        features: usize,
        seed: u64,
    ) -> Result<(Option<Factorizer<T>>, Option<Input>)> {
        let init = self.init.clone().decided(self.factor.code());
        let path = match &init {
            Init::Random | Init::Auto => {
                return Ok((Some(Factorizer::random(self.factor.clone(), features, seed)?), None));
            }
            Init::Data | Init::Array => return Ok((None, None)),
            Init::File(path) => path,
        };
        let refused = |expected: String| Error::parameter("init", path.display(), expected);
        let (w, input) = matrix::<T>(path)
            .map_err(|error| refused(format!("it must be random, data or a matrix ({error})")))?;
        if (w.rows(), w.cols()) != (features, self.factor.atoms) {
            return Err(refused(format!(
                "it is {}×{}, and {features}×{} is needed: a row for each feature, a column for each atom",
                w.rows(),
                w.cols(),
                self.factor.atoms
            )));
        }
        let started = Factorizer::from_dictionary(self.factor.clone(), w.as_ref());
        let started = started.map_err(|error| refused(format!("it cannot be used ({error})")))?;
        Ok((Some(started), Some(input)))
    }
}

/// A whole matrix from a file, and what models keep of the file.
fn matrix<T: Scalar>(path: &Path) -> Result<(Mat<T>, Input)> {
    let mut stream = MatrixStream::open(path, &StreamOptions::default())?;
    let Ok(rows) = usize::try_from(stream.samples().unwrap_or(1 << 32)) else {
        return Err(Error::format(path, None, "is too large"));
    };
    let (mut batch, mut whole) = (Batch::new(), Vec::<Vec<T>>::new());
    while stream.next_batch(rows.clamp(1, 1024), &mut batch)? > 0 {
        let x = batch.as_mat_ref();
        whole.extend((0..x.cols()).map(|j| x.col(j).to_vec()));
    }
    if whole.is_empty() {
        return Err(Error::format(path, None, "holds no row"));
    }
    let w = Mat::from_fn(whole.len(), stream.features(), |i, j| whole[i][j]);
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok((w, Input { name, digest: stream.digest()? }))
}
