//! Trajectories are written, interrupted, resumed, published and read back.

use crate::Error;
use crate::chain::{Alphabet, Boundary};
use crate::data::{Frame, Trajectory, TrajectoryWriter, write_npy};
use crate::factor::{FactorSettings, Factorizer};
use crate::linalg::{Mat, MatRef};
use crate::patch::{Encoding, SpinGrid, SpinValues, Window};
use crate::reconstruct::Overlap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

// ---------------------------------------------------------------- help

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Frame `t` of 3×5 sites, every value of `i8` among them.
fn frame(t: u64) -> Vec<i8> {
    (0..15).map(|site| (t * 37 + site * 11) as i8).collect()
}

fn all(path: &Path) -> crate::Result<Vec<Vec<i8>>> {
    let (mut trajectory, mut frame, mut frames) = (Trajectory::open(path)?, Vec::new(), Vec::new());
    while trajectory.next_frame(&mut frame)? {
        frames.push(frame.clone());
    }
    assert_eq!(trajectory.len(), frames.len() as u64);
    Ok(frames)
}

fn npy(folder: &tempfile::TempDir, name: &str, descr: &str, shape: &str, numbers: &[u8]) -> PathBuf {
    let dictionary = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(dictionary.len() as u16).to_le_bytes());
    bytes.extend_from_slice(dictionary.as_bytes());
    bytes.extend_from_slice(numbers);
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn problem(path: &Path) -> String {
    let message = all(path).unwrap_err().to_string();
    assert!(message.contains(&*path.file_name().unwrap().to_string_lossy()), "no path in: {message}");
    message
}

fn names(folder: &tempfile::TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

// ---------------------------------------------------------------- round trips

#[test]
fn frames_come_back_in_order_and_by_index() {
    let folder = scratch();
    let path = folder.path().join("t.npy");
    let mut out = TrajectoryWriter::create(&path, (3, 5)).unwrap();
    (0..40).for_each(|t| out.write(&frame(t)).unwrap());
    assert!(!path.exists(), "seen before it is whole");
    out.finish().unwrap();
    assert_eq!(all(&path).unwrap(), (0..40).map(frame).collect::<Vec<_>>());
    let mut trajectory = Trajectory::open(&path).unwrap();
    assert_eq!((trajectory.len(), trajectory.shape()), (40, (3, 5)));
    let mut read = Vec::new();
    for index in [39, 0, 17] {
        trajectory.read_frame(index, &mut read).unwrap();
        assert_eq!(read, frame(index));
    }
    assert!(trajectory.next_frame(&mut read).unwrap());
    assert_eq!((read, trajectory.position()), (frame(18), 19));
    let message = trajectory.read_frame(40, &mut Vec::new()).unwrap_err().to_string();
    assert!(message.contains("40 frames"), "{message}");
    assert!(trajectory.digest().unwrap().starts_with("blake3:"));
    // The first number stands at a multiple of 64 bytes, the shape is as numpy writes it.
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes.len() % 64, 40 * 15 % 64);
    assert!(
        String::from_utf8_lossy(&bytes[..128])
            .contains("'descr': '|i1', 'fortran_order': False, 'shape': (40, 3, 5)")
    );
}

#[test]
fn compressed_trajectories_are_read_in_order_and_by_index() {
    let folder = scratch();
    let plain = folder.path().join("t.npy");
    let mut out = TrajectoryWriter::create(&plain, (3, 5)).unwrap();
    (0..9).for_each(|t| out.write(&frame(t)).unwrap());
    out.finish().unwrap();
    let bytes = fs::read(&plain).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&bytes).unwrap();
    for (name, bytes) in
        [("t.gz", gzip.finish().unwrap()), ("t.zst", zstd::stream::encode_all(&bytes[..], 1).unwrap())]
    {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        assert_eq!(all(&path).unwrap(), (0..9).map(frame).collect::<Vec<_>>());
        let (mut trajectory, mut read) = (Trajectory::open(&path).unwrap(), Vec::new());
        for index in [6, 2, 8] {
            trajectory.read_frame(index, &mut read).unwrap();
            assert_eq!(read, frame(index));
        }
    }
}

#[test]
fn an_empty_trajectory_has_a_shape_and_no_frame() {
    let folder = scratch();
    let path = folder.path().join("t.npy");
    TrajectoryWriter::create(&path, (3, 5)).unwrap().finish().unwrap();
    let mut trajectory = Trajectory::open(&path).unwrap();
    assert_eq!((trajectory.len(), trajectory.is_empty(), trajectory.shape()), (0, true, (3, 5)));
    assert!(!trajectory.next_frame(&mut Vec::new()).unwrap());
    assert!(trajectory.read_frame(0, &mut Vec::new()).is_err());
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let folder = scratch();
    let mut out = TrajectoryWriter::create(&folder.path().join("t.npy"), (3, 5)).unwrap();
    out.write(&frame(0)).unwrap();
    drop(out);
    assert!(names(&folder).is_empty());
}

// ---------------------------------------------------------------- interrupted and resumed

#[test]
fn frames_of_another_size_are_refused() {
    let folder = scratch();
    let mut writer = TrajectoryWriter::create(&folder.path().join("t.npy"), (3, 5)).unwrap();
    let message = writer.write(&[0i8; 14]).unwrap_err().to_string();
    assert!(message.contains("14 sites") && message.contains("15 for 3×5"), "{message}");
    assert!(TrajectoryWriter::create(&folder.path().join("t.npy"), (4, 0)).is_err());
}

// ---------------------------------------------------------------- other people's arrays

#[test]
fn every_number_type_with_whole_values_is_read() {
    let folder = scratch();
    let values = [0_i8, 1, 127, -128, -1, 5];
    let bytes = |f: &dyn Fn(i8) -> Vec<u8>| values.iter().flat_map(|v| f(*v)).collect::<Vec<_>>();
    for (descr, numbers) in [
        ("|i1", bytes(&|v| vec![v as u8])),
        ("<i2", bytes(&|v| i16::from(v).to_le_bytes().to_vec())),
        (">i4", bytes(&|v| i32::from(v).to_be_bytes().to_vec())),
        ("<i8", bytes(&|v| i64::from(v).to_le_bytes().to_vec())),
        ("<f4", bytes(&|v| f32::from(v).to_le_bytes().to_vec())),
        (">f8", bytes(&|v| f64::from(v).to_be_bytes().to_vec())),
    ] {
        let path = npy(&folder, "t.npy", descr, "(2, 1, 3)", &numbers);
        assert_eq!(all(&path).unwrap(), [&values[..3], &values[3..]], "{descr}");
    }
    let path = npy(&folder, "b.npy", "|b1", "(1, 2, 2)", &[0, 1, 1, 0]);
    assert_eq!(all(&path).unwrap(), [[0, 1, 1, 0]]);
    let path = npy(&folder, "u.npy", "|u1", "(1, 2, 1)", &[127, 3]);
    assert_eq!(all(&path).unwrap(), [[127, 3]]);
}

#[test]
fn a_matrix_is_one_frame() {
    let folder = scratch();
    let path = npy(&folder, "t.npy", "|i1", "(2, 3)", &[1, 2, 3, 4, 5, 6]);
    assert_eq!(all(&path).unwrap(), [[1, 2, 3, 4, 5, 6]]);
    let mut trajectory = Trajectory::open(&path).unwrap();
    assert_eq!((trajectory.len(), trajectory.shape()), (1, (2, 3)));
    let mut read = Vec::new();
    trajectory.read_frame(0, &mut read).unwrap();
    trajectory.read_frame(0, &mut read).unwrap();
    assert_eq!((read.len(), trajectory.position()), (6, 1));
    // numpy's own writer of f64, through ours.
    write_npy(&path, MatRef::from_column_major(&[1.0, -1.0, 0.0, 3.0], 2, 2).unwrap()).unwrap();
    assert_eq!(all(&path).unwrap(), [[1, -1, 0, 3]]);
}

#[test]
fn values_that_are_no_spins_are_named_with_their_place() {
    let folder = scratch();
    let numbers: Vec<u8> = [0_i16, 1, 2, 3, 4, 300].iter().flat_map(|v| v.to_le_bytes()).collect();
    let message = problem(&npy(&folder, "t.npy", "<i2", "(3, 1, 2)", &numbers));
    assert!(message.contains("holds 300 in frame 2, row 0, column 1"), "{message}");
    for (value, text) in [(0.5_f64, "0.5"), (f64::NAN, "NaN"), (-129.0, "-129"), (f64::INFINITY, "inf")] {
        let numbers: Vec<u8> = [1.0, value].iter().flat_map(|v| v.to_le_bytes()).collect();
        let message = problem(&npy(&folder, "t.npy", "<f8", "(1, 2, 1)", &numbers));
        assert!(message.contains(&format!("holds {text} in frame 0, row 1, column 0")), "{message}");
    }
    let message = problem(&npy(&folder, "t.npy", "|u1", "(1, 1, 1)", &[128]));
    assert!(message.contains("holds 128"), "{message}");
}

#[test]
fn what_is_no_trajectory_is_one_clear_error() {
    let folder = scratch();
    for (descr, shape, numbers, words) in [
        ("|i1", "(6,)", &[0; 6][..], "shape (6,): expected a trajectory"),
        ("|i1", "()", &[0], "expected a trajectory"),
        ("|i1", "(1, 2, 3, 1)", &[0; 6], "(1, 2, 3, 1): expected a trajectory"),
        ("|i1", "(0, 3)", &[], "expected a trajectory"),
        ("|i1", "(2, 0, 3)", &[], "expected a trajectory"),
        ("|i1", "(2, 2, 3)", &[0; 11], "is truncated"),
        ("|i1", "(2, 2, 3)", &[0; 13], "is too long"),
        ("<c16", "(1, 1, 1)", &[0; 16], "complex numbers"),
        ("<U4", "(1, 1, 1)", &[0; 16], "strings"),
    ] {
        let message = problem(&npy(&folder, "t.npy", descr, shape, numbers));
        assert!(message.contains(words), "{shape}: {message}");
    }
    for (name, bytes) in [("t.csv", &b"1,2\n3,4\n"[..]), ("empty.npy", b""), ("words.npy", b"hello there")] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        problem(&path);
    }
    assert!(matches!(Trajectory::open(&folder.path().join("missing.npy")), Err(Error::Io { .. })));
}

#[test]
fn fortran_order_is_read_as_well() {
    let folder = scratch();
    let (frames, rows, cols) = (2, 2, 3);
    let mut numbers = vec![0; 12];
    for (t, i, j) in (0..12).map(|k| (k / 6, k / 3 % 2, k % 3)) {
        numbers[t + frames * (i + rows * j)] = (t * 6 + i * cols + j) as u8;
    }
    let path = npy(&folder, "t.npy", "|i1", "(2, 2, 3)", &numbers);
    let bytes = fs::read(&path).unwrap();
    let at = bytes.windows(5).position(|w| w == b"False").unwrap();
    let fortran = [&bytes[..at], &b"True "[..], &bytes[at + 5..]].concat();
    fs::write(&path, fortran).unwrap();
    assert_eq!(all(&path).unwrap(), [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]);
}

// ---------------------------------------------------------------- configurations from their patches

#[test]
fn a_configuration_is_recovered_from_its_reconstruction() {
    let spins: Vec<i8> = (0..7 * 9).map(|k| if k * k % 11 < 5 { 1 } else { -1 }).collect();
    let labels: Vec<i8> = (0..7 * 9).map(|k| (k * k % 11 % 3) as i8).collect();
    for (spins, values, alphabet, code) in [
        (&spins, SpinValues::ZeroOne, Alphabet::PlusMinus, "nonneg"),
        (&spins, SpinValues::Signed, Alphabet::PlusMinus, "free"),
        (&labels, SpinValues::OneHot, Alphabet::Labels(3), "nonneg"),
    ] {
        let encoding = Encoding::new(values, alphabet).unwrap();
        let grid = SpinGrid { spins, shape: (7, 9), encoding: &encoding };
        for boundary in [Boundary::Free, Boundary::Periodic] {
            let window = Window { rows: 3, cols: 2, boundary };
            let features = window.features(encoding.channels());
            // 0.45 of every value is lost to λ, and the spins can still be recovered.
            let mut parameters = FactorSettings { lambda: 0.9, ..FactorSettings::new(features) };
            parameters.code = Some(code.parse().unwrap());
            let w = Mat::from_fn(features, features, |i, j| f64::from(u8::from(i == j)));
            let mut factorizer = Factorizer::<f64>::from_dictionary(parameters, w.as_ref()).unwrap();
            let rebuilt = Overlap { window, stride: 2 };
            let rebuilt = rebuilt.reconstruct(&mut factorizer, &grid, &mut |_, _| true).unwrap().unwrap();
            assert_eq!(
                encoding.agreement(&rebuilt.values, &Frame::from(&**spins)),
                1.0,
                "{values} {boundary:?}"
            );
            let mut wrong = spins.clone();
            wrong[5] = if wrong[5] == 1 { encoding.decode(&vec![-1.0; encoding.channels()]) } else { 1 };
            assert!((encoding.agreement(&rebuilt.values, &wrong.into()) - 62.0 / 63.0).abs() < 1e-12);
        }
    }
}

#[test]
fn real_frames_are_kept_to_the_bit_and_bad_values_have_a_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("field.npy");
    let field = |t: usize| -> Vec<f64> { (0..6).map(|v| ((t * 6 + v) as f64).sin()).collect() };
    let mut out = TrajectoryWriter::create(&path, (2, 3)).unwrap();
    (0..4).for_each(|t| out.write(&field(t)).unwrap());
    assert!(out.write(&[0i8; 6]).unwrap_err().to_string().contains("all of real numbers"));
    out.finish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.windows(5).any(|five| five == b"'<f8'") && bytes.len() == 128 + 4 * 6 * 8);
    let mut trajectory = Trajectory::open(&path).unwrap();
    assert_eq!(trajectory.frame(3, true).unwrap(), Frame::from(field(3)));
    assert_eq!(trajectory.frame(0, true).unwrap(), Frame::from(field(0)));
    assert!(trajectory.frame(0, false).unwrap_err().to_string().contains("spins are whole numbers"));
    assert!(trajectory.frame(4, true).is_err());
    for bad in [f64::NAN, f64::INFINITY] {
        let mut out = TrajectoryWriter::create(&path, (2, 3)).unwrap();
        out.write(&field(0)).unwrap();
        out.write(&[0.5, 0.5, 0.5, 0.5, bad, 0.5]).unwrap();
        out.finish().unwrap();
        let mut trajectory = Trajectory::open(&path).unwrap();
        trajectory.frame(0, true).unwrap();
        let message = trajectory.frame(1, true).unwrap_err().to_string();
        assert!(message.contains("frame 1, row 1, column 1") && message.contains("finite"), "{message}");
    }
}
