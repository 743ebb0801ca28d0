//! Reading batch after batch allocates nothing once the buffer has its size.

use crate::counting::allocations;
use ergodict::data::{Batch, BatchSettings, MatrixBatches, MatrixStream, StreamOptions};
use std::io::Write;

#[test]
fn steady_state_allocates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let text = "17,3.25,-1e-3\n".repeat(5000);
    let csv = folder.path().join("x.csv");
    std::fs::write(&csv, &text).unwrap();
    let npy = folder.path().join("x.npy");
    let x = ergodict::linalg::Mat::<f32>::from_fn(3, 5000, |i, j| (i + j) as f32);
    ergodict::data::write_npy(&npy, x.as_ref()).unwrap();
    let packed = folder.path().join("y.npy");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&std::fs::read(&npy).unwrap()).unwrap();
    std::fs::write(&packed, encoder.finish().unwrap()).unwrap();

    for path in [&csv, &npy, &packed] {
        let mut stream = MatrixStream::open(path, &StreamOptions::default()).unwrap();
        let mut batch = Batch::<f64>::new();
        for _ in 0..5 {
            assert_eq!(stream.next_batch(100, &mut batch).unwrap(), 100);
        }
        let before = allocations();
        for _ in 0..40 {
            assert_eq!(stream.next_batch(100, &mut batch).unwrap(), 100);
        }
        assert_eq!(allocations() - before, 0, "{}", path.display());
    }

    for path in [&csv, &npy, &packed] {
        for (shuffle, holdout) in [(false, 0.0), (true, 0.0), (false, 0.2), (true, 0.2)] {
            let stream = MatrixStream::open(path, &StreamOptions::default()).unwrap();
            let options = BatchSettings { batch: 50, shuffle, holdout, ..BatchSettings::default() };
            let mut feed = MatrixBatches::<f64>::new(stream, options).unwrap();
            for _ in 0..5 {
                feed.next_minibatch().unwrap();
            }
            let before = allocations();
            for _ in 0..70 {
                assert_eq!(feed.next_minibatch().unwrap().unwrap().cols(), 50);
            }
            let allocated = allocations() - before;
            assert_eq!(allocated, 0, "{} {options:?}", path.display());
        }
    }
}
