//! Minibatches of a matrix in a file.

use super::shares::explained_share;
use crate::data::{MatrixBatches, MatrixStream};
use crate::factor::{Factorizer, Mask, Minibatch};
use crate::linalg::{MatRef, Scalar};
use crate::run::{ExplainedShare, Form, Next, Resumable, Sections, Source, Stop};
use crate::{Error, Result};

/// The samples of a matrix, minibatch by minibatch.
///
/// ```
/// use ergodict::data::{BatchSettings, MatrixBatches, MatrixStream, StreamOptions};
/// use ergodict::run::{MatrixSource, Source};
/// # let path = std::env::temp_dir().join(format!("ergodict-matrix-source-{}.csv", std::process::id()));
/// std::fs::write(&path, "1,2\n3,4\n5,6\n").unwrap();
/// let stream = MatrixStream::open(&path, &StreamOptions::default())?;
/// let batches = MatrixBatches::<f64>::new(stream, BatchSettings { batch: 2, ..BatchSettings::default() })?;
/// let source = MatrixSource::new(batches, false);
/// assert_eq!((source.form().features(), source.made()), (Some(2), 0));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct MatrixSource<T: Scalar> {
    batches: MatrixBatches<T>,
    missing: bool,
    mask: Option<Mask>,
    made: u64,
    form: Form,
}

impl<T: Scalar> MatrixSource<T> {
    /// From the beginning; with `missing`, NaN and empty cells are missing entries, which are left out.
    pub fn new(batches: MatrixBatches<T>, missing: bool) -> Self {
        let stream = batches.stream();
        let names = stream.feature_names().map(<[String]>::to_vec);
        let form = Form::Samples { features: stream.features(), names };
        Self { batches, missing, mask: None, made: 0, form }
    }

    /// The matrix behind it.
    pub(crate) fn stream(&self) -> &MatrixStream {
        self.batches.stream()
    }
}

/// Which entries are there, when some are missing and that is allowed.
fn mask<T: Scalar>(x: MatRef<'_, T>, missing: bool) -> Option<Mask> {
    missing.then(|| Mask::not_nan(x)).filter(|mask| !mask.is_full())
}

/// The entries that are there.
fn observed<'a, T: Scalar>(x: MatRef<'a, T>, mask: Option<&'a Mask>) -> Minibatch<'a, T> {
    match mask {
        Some(observed) => Minibatch::Masked { values: x, observed },
        None => Minibatch::Dense(x),
    }
}

impl<T: Scalar> Resumable for MatrixSource<T> {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("cursor", &(self.batches.cursor(), self.made))
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        let cursor;
        (cursor, self.made) = from.json("cursor")?;
        self.batches.seek(cursor)
    }
}

impl<T: Scalar> Source<T> for MatrixSource<T> {
    fn form(&self) -> &Form {
        &self.form
    }

    fn made(&self) -> u64 {
        self.made
    }

    fn planned(&self) -> Option<u64> {
        let samples = self.batches.expected_samples()?;
        let options = self.batches.options();
        Some(samples.div_ceil(options.batch.max(1) as u64).saturating_mul(options.epochs))
    }

    fn epochs(&self) -> u64 {
        self.batches.cursor().epoch
    }

    fn samples(&self) -> Option<u64> {
        Some(self.batches.expected_samples()?.saturating_mul(self.batches.options().epochs))
    }

    fn next(&mut self, _: &Stop) -> Result<Next<'_, T>> {
        let Some(x) = self.batches.next_minibatch()? else { return Ok(Next::End) };
        self.made += 1;
        self.mask = mask(x, self.missing);
        Ok(Next::Minibatch(observed(x, self.mask.as_ref())))
    }

    fn explain(&self, error: Error) -> Error {
        match error {
            Error::Overflow { .. } => Error::format(self.stream().path(), None, error.to_string()),
            other => self.batches.explain(other),
        }
    }

    fn held_out(&mut self, dictionary: &mut Factorizer<T>, _: &Stop) -> Result<Option<(u64, f64)>> {
        let (mut loss, missing) = (0.0, self.missing);
        let count = self.batches.for_each_batch(true, |x| {
            let mask = mask(x, missing);
            loss += dictionary.loss(observed(x, mask.as_ref()))?;
            Ok(())
        })?;
        Ok((count > 0).then(|| (count, loss / count as f64)))
    }

    /// Twice over the samples: their mean, then what it and the atoms leave.
    fn explained(&mut self, dictionary: &mut Factorizer<T>, stop: &Stop) -> Result<Option<ExplainedShare>> {
        if self.stream().is_read_once() || self.batches.options().epochs == 1 {
            return Ok(None);
        }
        let Self { batches, missing, .. } = self;
        explained_share(dictionary, stop, |see| {
            batches.for_each_batch(false, |x| {
                let mask = mask(x, *missing);
                see(observed(x, mask.as_ref()))
            })
        })
    }

    fn digest(&self) -> Result<Option<String>> {
        let stream = self.batches.stream();
        stream.is_read_once().then(|| stream.digest()).transpose()
    }
}
