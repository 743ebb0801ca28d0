//! Matrices, pictures, trajectories, weights.

use crate::support::as_file;
use ergodict::chain::{SystemData, SystemKind, SystemSettings};
use ergodict::data::{Batch, Image, MatrixStream, PairTable, StreamOptions, Trajectory};
use ergodict::text::Shape;
use std::path::Path;

/// Reads a matrix to its end.
fn matrix(path: &Path) {
    let Ok(mut stream) = MatrixStream::open(path, &StreamOptions::default()) else { return };
    let mut batch = Batch::<f64>::default();
    while stream.next_batch(64, &mut batch).is_ok_and(|read| read > 0) {}
}

/// Matrices as `.npy`, `.npz` and text, by content.
pub(crate) fn matrix_file(bytes: &[u8]) {
    as_file(bytes, ".npy", matrix);
    as_file(bytes, ".csv", matrix);
}

/// Parquet files, as matrices and as tables of pairs.
pub(crate) fn parquet(bytes: &[u8]) {
    let whole = if bytes.starts_with(b"PAR1") { bytes.to_vec() } else { [b"PAR1", bytes].concat() };
    as_file(&whole, ".parquet", |path| {
        matrix(path);
        if let Ok(table) = PairTable::read(path) {
            assert!((0..table.len()).all(|row| table.pair(row).0.len() < whole.len() << 12));
        }
    });
}

/// Image files: PNG, JPEG, TIFF and PNM, as gray and as color.
pub(crate) fn image(bytes: &[u8]) {
    as_file(bytes, "", |path| {
        for color in [false, true] {
            if let Ok((image, notes)) = Image::open(path, color) {
                let (rows, columns) = image.shape();
                assert_eq!(image.values().len(), rows * columns * image.channels());
                assert!(image.values().iter().all(|value| (0.0..=1.0).contains(value)));
                assert!(!notes.to_string().is_empty());
            }
        }
    });
}

/// Trajectories of spins and of real numbers.
pub(crate) fn trajectory(bytes: &[u8]) {
    as_file(bytes, ".npy", |path| {
        let Ok(mut frames) = Trajectory::open(path) else { return };
        let (sites, mut whole) = (frames.shape().0.checked_mul(frames.shape().1), Vec::new());
        while frames.next_frame(&mut whole).is_ok_and(|more| more) {
            assert_eq!(Some(whole.len()), sites);
        }
        let Ok(mut frames) = Trajectory::open(path) else { return };
        let mut real = Vec::new();
        while frames.next_real_frame(&mut real).is_ok_and(|more| more) {
            assert!(Some(real.len()) == sites && real.iter().all(|value| value.is_finite()));
        }
        if let Some(last) = frames.len().checked_sub(1) {
            let _ = frames.frame(last, true);
        }
    });
}

/// Weights of restricted Boltzmann machines, two by two visible units, and a step with them.
pub(crate) fn rbm(bytes: &[u8]) {
    as_file(bytes, ".npz", |path| {
        let settings = SystemSettings {
            model: Some(SystemKind::Rbm),
            size: Some(Shape(2, 2)),
            weights: Some(path.to_owned()),
            ..SystemSettings::default()
        };
        if let Ok(mut walk) = settings.walk(SystemData::default(), 1.0, 0, 0) {
            walk.advance(3);
        }
    });
}
