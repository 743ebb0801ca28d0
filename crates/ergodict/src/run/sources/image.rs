//! Minibatches of image patches, as many as were asked for.

use super::shares::explained_share;
use crate::Result;
use crate::chain::{MEAN_PIXEL, TraceSet};
use crate::factor::Factorizer;
use crate::linalg::{Mat, Scalar};
use crate::patch::{ImageStream, PatchKind};
use crate::run::{ExplainedShare, Form, Next, Resumable, Sections, Source, SourceStats, Stop};
use std::time::{Duration, Instant};

/// Fresh patches that the mean is of, and as many that atoms and the mean explain, in whole minibatches.
const FRESH: usize = 2000;

/// Patches of one or several images.
///
/// ```
/// use ergodict::{chain::{Boundary, Placement}, data::embedded_image, patch::{ImageStream, PatchKind, Window}};
/// use ergodict::run::{ImageSource, Source};
/// let window = Window { rows: 3, cols: 3, boundary: Boundary::Periodic };
/// let image = embedded_image("@tessellation", false)?;
/// let stream = ImageStream::new([image].into(), window, Placement::Iid, 0, 0)?;
/// let kind = PatchKind { window, channels: 1, spins: None };
/// let source = ImageSource::<f64>::new(stream, kind, 50, 20);
/// assert_eq!((source.planned(), source.form().features()), (Some(20), Some(9)));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub struct ImageSource<T: Scalar> {
    stream: ImageStream,
    patches: usize,
    minibatches: u64,
    time: Duration,
    x: Mat<T>,
    form: Form,
    /// The mean of each patch along a walk; nothing of independent positions.
    traces: Vec<TraceSet>,
}

impl<T: Scalar> ImageSource<T> {
    /// A number of minibatches, with a number of patches each.
    pub fn new(stream: ImageStream, kind: PatchKind, patches: usize, minibatches: u64) -> Self {
        let form = Form::Patch(kind);
        let traces = if stream.is_walk() { vec![TraceSet::new(MEAN_PIXEL, "", 1, 1)] } else { Vec::new() };
        Self { stream, patches, minibatches, time: Duration::ZERO, x: Mat::zeros(0, 0), form, traces }
    }
}

impl<T: Scalar> Resumable for ImageSource<T> {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("traces", &self.traces)?;
        super::save_point(to, &self.stream.point(), 0)
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        self.stream.seek(&super::point(from)?.0)?;
        super::restore_traces(&mut self.traces, from)
    }
}

impl<T: Scalar> Source<T> for ImageSource<T> {
    fn form(&self) -> &Form {
        &self.form
    }

    fn made(&self) -> u64 {
        self.stream.steps() / self.patches.max(1) as u64
    }

    fn planned(&self) -> Option<u64> {
        Some(self.minibatches)
    }

    fn samples(&self) -> Option<u64> {
        Some(self.minibatches.saturating_mul(self.patches as u64))
    }

    fn next(&mut self, _: &Stop) -> Result<Next<'_, T>> {
        if self.stream.steps() >= self.minibatches.saturating_mul(self.patches as u64) {
            return Ok(Next::End);
        }
        let before = Instant::now();
        self.stream.advance(self.patches);
        self.time += before.elapsed();
        self.stream.copy(&mut self.x);
        for set in &mut self.traces {
            for j in 0..self.x.cols() {
                let patch = self.x.col(j);
                let sum = || patch.iter().map(|value| value.to_f64()).sum::<f64>();
                set.traces[0].push_with(|| sum() / patch.len() as f64);
            }
        }
        Ok(Next::Minibatch((&self.x).into()))
    }

    /// Of fresh patches, at independent positions.
    fn explained(&mut self, dictionary: &mut Factorizer<T>, stop: &Stop) -> Result<Option<ExplainedShare>> {
        let mut stream = self.stream.fresh()?;
        let patches = self.patches.clamp(1, FRESH);
        let batches = FRESH.div_ceil(patches);
        let mut x = Mat::zeros(0, 0);
        // Other patches for the mean than for the shares.
        explained_share(dictionary, stop, |see| {
            for _ in 0..batches {
                stream.advance(patches);
                stream.copy(&mut x);
                see((&x).into())?;
            }
            Ok((batches * patches) as u64)
        })
    }

    fn stats(&self) -> SourceStats<'_> {
        SourceStats { time: self.time, traces: &self.traces, ..SourceStats::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{Boundary, Placement};
    use crate::data::embedded_image;
    use crate::factor::FactorSettings;
    use crate::patch::Window;
    use crate::rng::ids;
    use std::sync::Arc;

    /// By the definition, from the same positions: the mean of the first half, and the shares of the second.
    #[test]
    fn the_explained_share_is_that_of_new_patches_at_independent_positions() {
        let window = Window { rows: 4, cols: 3, boundary: Boundary::Periodic };
        let images = Arc::from([embedded_image("@tessellation", false).unwrap()]);
        let stream = |placement, id| ImageStream::new(Arc::clone(&images), window, placement, 5, id).unwrap();
        let settings = FactorSettings { lambda: 0.3, ..FactorSettings::new(4) };
        let mut dictionary = Factorizer::<f64>::random(settings, 12, 1).unwrap();
        let kind = PatchKind { window, channels: 1, spins: None };
        let mut source = ImageSource::<f64>::new(stream(Placement::Walk, 0), kind, 500, 7);
        let found = source.explained(&mut dictionary, &Stop::default()).unwrap().unwrap();

        let (mut fresh, mut mean, mut x) =
            (stream(Placement::Iid, ids::YARDSTICK), vec![0.0; 12], Mat::zeros(0, 0));
        fresh.advance(FRESH);
        fresh.copy(&mut x);
        for j in 0..FRESH {
            mean.iter_mut().zip(x.col(j)).for_each(|(mean, x)| *mean += x);
        }
        let norm = mean.iter().map(|x| x * x).sum::<f64>().sqrt();
        fresh.advance(FRESH);
        fresh.copy(&mut x);
        dictionary.transform(&x).unwrap();
        let (w, h) = (dictionary.dictionary(), dictionary.code());
        let (mut all, mut left, mut left_by_mean) = (0.0, 0.0, 0.0);
        for j in 0..FRESH {
            let product: f64 = mean.iter().zip(x.col(j)).map(|(m, x)| m / norm * x).sum();
            let times = (product - 0.15).max(0.0);
            for i in 0..12 {
                let fitted: f64 = (0..4).map(|k| w.get(i, k) * h.get(k, j)).sum();
                all += x.get(i, j).powi(2);
                left += (x.get(i, j) - fitted).powi(2);
                left_by_mean += (x.get(i, j) - times * mean[i] / norm).powi(2);
            }
        }
        assert_eq!(found.samples, Some(FRESH as u64));
        assert!((found.atoms - (1.0 - left / all)).abs() < 1e-10, "{found:?}");
        assert!((found.mean - (1.0 - left_by_mean / all)).abs() < 1e-10, "{found:?}");
    }
}
