//! Every format is written by hand and read back through `MatrixStream`.

use crate::data::{Batch, MatrixFormat, MatrixStream, NpyWriter, StreamOptions, write_npy};
use crate::linalg::{Mat, Scalar};
use crate::{Error, Result};
use proptest::prelude::*;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

// ---------------------------------------------------------------- help

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn put(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn open(path: &Path) -> Result<MatrixStream> {
    MatrixStream::open(path, &StreamOptions::default())
}

/// All samples that are left, in batches of these sizes by turns.
fn rest<T: Scalar>(stream: &mut MatrixStream, sizes: &[usize]) -> Result<Vec<Vec<T>>> {
    let (mut batch, mut samples) = (Batch::new(), Vec::new());
    for size in sizes.iter().cycle() {
        let (position, before) = (stream.position(), samples.len());
        let n = stream.next_batch::<T>(*size, &mut batch)?;
        let x = batch.as_mat_ref();
        assert_eq!((x.rows(), x.cols(), batch.first_sample()), (stream.features(), n, position));
        samples.extend((0..n).map(|j| x.col(j).to_vec()));
        assert_eq!(stream.position(), position + (samples.len() - before) as u64);
        if n == 0 {
            break;
        }
    }
    Ok(samples)
}

fn all(path: &Path) -> Result<Vec<Vec<f64>>> {
    rest(&mut open(path)?, &[3])
}

fn problem(path: &Path) -> String {
    let error = all(path).unwrap_err();
    let message = error.to_string();
    assert!(message.contains(&*path.file_name().unwrap().to_string_lossy()), "no path in: {message}");
    message
}

/// Unlike `==`, takes NaN for equal to NaN.
fn same<T: Scalar>(a: &[Vec<T>], b: &[Vec<T>]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| a == b || (a.to_f64().is_nan() && b.to_f64().is_nan()))
        })
}

/// Every way through a stream of `expected` gives the same samples.
fn check_ways(path: &Path, options: &StreamOptions, expected: &[Vec<f64>]) {
    let n = expected.len() as u64;
    let mut stream = MatrixStream::open(path, options).unwrap();
    assert!(stream.samples().is_none_or(|samples| samples == n));
    for sizes in [&[1][..], &[2, 5, 1], &[1000]] {
        assert!(same(&rest(&mut stream, sizes).unwrap(), expected), "{sizes:?}");
        stream.rewind().unwrap();
    }
    let single: Vec<Vec<f32>> = expected.iter().map(|s| s.iter().map(|x| *x as f32).collect()).collect();
    assert!(same(&rest(&mut stream, &[3]).unwrap(), &single));
    for start in [n, 0, n / 2, n / 2 + 1, 1, n - 1] {
        stream.seek(start).unwrap();
        assert_eq!(stream.position(), start);
        assert!(same(&rest(&mut stream, &[2]).unwrap(), &expected[start as usize..]), "from {start}");
    }
    let message = stream.seek(n + 1).unwrap_err().to_string();
    assert!(message.contains(&format!("there are only {n} samples")), "{message}");
    // A failed seek does not spoil the next one.
    stream.seek(1).unwrap();
    assert!(same(&rest(&mut stream, &[4]).unwrap(), &expected[1..]));

    let mut batch = Batch::<f64>::new();
    if stream.supports_random_access() {
        let indices = [n - 1, 0, n / 2, 0];
        stream.read_samples(&indices, &mut batch).unwrap();
        let found: Vec<_> = (0..4).map(|j| batch.as_mat_ref().col(j).to_vec()).collect();
        let wanted: Vec<_> = indices.iter().map(|i| expected[*i as usize].clone()).collect();
        assert!(same(&found, &wanted));
        assert!(stream.read_samples(&[n], &mut batch).unwrap_err().to_string().contains("there are only"));
    } else {
        assert!(stream.read_samples(&[0], &mut batch).unwrap_err().to_string().contains("only in order"));
        assert!(stream.view::<f64>(0, 1).is_none());
    }
    assert!(stream.next_batch(0, &mut batch).unwrap_err().to_string().contains("at least 1"));
}

fn npy(version: u8, descr: &str, fortran: bool, shape: &str, numbers: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    let start = if version == 1 { 10 } else { 12 };
    while (start + text.len() + 1) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    if version == 1 {
        bytes.extend((text.len() as u16).to_le_bytes());
    } else {
        bytes.extend((text.len() as u32).to_le_bytes());
    }
    bytes.extend(text.as_bytes());
    bytes.extend(numbers);
    bytes
}

fn f64s(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn i32s(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn i64s(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// 7 samples of 3 features, all different.
fn table() -> Vec<Vec<f64>> {
    (0..7).map(|i| (0..3).map(|j| f64::from(10 * i + j) + 0.5).collect()).collect()
}

fn table_npy() -> Vec<u8> {
    npy(1, "<f8", false, "(7, 3)", &f64s(&table().concat()))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// gzip in two members, as `cat a.gz b.gz` gives.
fn gzip_twice(bytes: &[u8]) -> Vec<u8> {
    let (a, b) = bytes.split_at(bytes.len() / 2);
    [gzip(a), gzip(b)].concat()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

fn archive(members: &[(&str, Vec<u8>)], deflate: bool) -> Vec<u8> {
    let method = if deflate { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored };
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(format!("{name}.npy"), options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

// ---------------------------------------------------------------- npy

#[test]
fn npy_of_every_version_and_way() {
    let folder = scratch();
    for version in [1, 2, 3] {
        let path = put(&folder, "x.npy", &npy(version, "<f8", false, "(7, 3)", &f64s(&table().concat())));
        check_ways(&path, &StreamOptions::default(), &table());
        let stream = open(&path).unwrap();
        assert_eq!((stream.format(), stream.supports_random_access()), (MatrixFormat::Npy, true));
        assert!(stream.feature_names().is_none());
    }
}

#[test]
fn npy_of_every_dtype_in_both_byte_orders() {
    let folder = scratch();
    macro_rules! check {
        ($t:ty, $code:literal, $numbers:expr) => {{
            let numbers: [$t; 6] = $numbers;
            #[allow(clippy::cast_lossless)]
            let expected: Vec<f64> = numbers.iter().map(|x| *x as f64).collect();
            let expected = [expected[..3].to_vec(), expected[3..].to_vec()];
            let little: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            let big: Vec<u8> = numbers.iter().flat_map(|x| x.to_be_bytes()).collect();
            for (order, bytes) in [("<", &little), (">", &big)] {
                let descr = format!("{order}{}", $code);
                let path = put(&folder, "x.npy", &npy(1, &descr, false, "(2, 3)", bytes));
                assert!(same(&all(&path).unwrap(), &expected), "{descr}");
            }
        }};
    }
    check!(f32, "f4", [0.0, -1.5, f32::MAX, f32::MIN_POSITIVE, f32::INFINITY, f32::NAN]);
    check!(f64, "f8", [0.0, -1.5, f64::MAX, 5e-324, f64::NEG_INFINITY, f64::NAN]);
    check!(i8, "i1", [0, 1, -1, i8::MAX, i8::MIN, 7]);
    check!(i16, "i2", [0, 1, -1, i16::MAX, i16::MIN, 7]);
    check!(i32, "i4", [0, 1, -1, i32::MAX, i32::MIN, 7]);
    check!(i64, "i8", [0, 1, -1, i64::MAX, i64::MIN, 1 << 53]);
    check!(u8, "u1", [0, 1, 2, u8::MAX, 128, 7]);
    check!(u16, "u2", [0, 1, 2, u16::MAX, 256, 7]);
    check!(u32, "u4", [0, 1, 2, u32::MAX, 65536, 7]);
    check!(u64, "u8", [0, 1, 2, u64::MAX, 1 << 53, 7]);
    let path = put(&folder, "b.npy", &npy(1, "|b1", false, "(2, 2)", &[0, 1, 1, 0]));
    assert_eq!(all(&path).unwrap(), [[0.0, 1.0], [1.0, 0.0]]);
}

#[test]
fn npy_in_fortran_order() {
    let folder = scratch();
    let t = table();
    let numbers: Vec<f64> = (0..3).flat_map(|j| t.iter().map(move |s| s[j]).collect::<Vec<_>>()).collect();
    let path = put(&folder, "f.npy", &npy(1, "<f8", true, "(7, 3)", &f64s(&numbers)));
    check_ways(&path, &StreamOptions::default(), &t);
    assert!(open(&path).unwrap().view::<f64>(0, 1).is_none());
    // One sample or one feature is the same in both orders, and can be streamed.
    let path = put(&folder, "one.npy.gz", &gzip(&npy(1, "<f8", true, "(1, 3)", &f64s(&[1.0, 2.0, 3.0]))));
    assert_eq!(all(&path).unwrap(), [[1.0, 2.0, 3.0]]);
    let path = put(&folder, "f.npy.gz", &gzip(&npy(1, "<f8", true, "(7, 3)", &f64s(&numbers))));
    assert!(problem(&path).contains("Fortran order"));
}

#[test]
fn npy_of_more_axes_is_flattened_as_reshape_does() {
    let folder = scratch();
    // X[i, a, b, c] with axes 2, 2, 3, 2 holds its C-order index.
    let expected: Vec<Vec<f64>> = (0..2).map(|i| (0..12).map(|f| f64::from(12 * i + f)).collect()).collect();
    let path = put(&folder, "c.npy", &npy(1, "<f8", false, "(2, 2, 3, 2)", &f64s(&expected.concat())));
    assert_eq!(all(&path).unwrap(), expected);
    let mut fortran = Vec::new();
    for c in 0..2 {
        for b in 0..3 {
            for a in 0..2 {
                for i in 0..2 {
                    fortran.push(f64::from(12 * i + 6 * a + 2 * b + c));
                }
            }
        }
    }
    let path = put(&folder, "f.npy", &npy(1, "<f8", true, "(2, 2, 3, 2)", &f64s(&fortran)));
    assert_eq!(all(&path).unwrap(), expected);
}

#[test]
fn npy_of_a_wrong_length_is_refused() {
    let folder = scratch();
    let whole = table_npy();
    let path = put(&folder, "short.npy", &whole[..whole.len() - 5]);
    let message = problem(&path);
    assert!(message.contains("needs 168 bytes after the header, found 163"), "{message}");
    let path = put(&folder, "short.npy.gz", &gzip(&whole[..whole.len() - 5]));
    assert!(problem(&path).contains("needs 168 bytes after the header, found 163"));
    let path = put(&folder, "long.npy", &[&whole[..], b"x"].concat());
    assert!(problem(&path).contains("needs 168 bytes after the header, found 169"));
    let path = put(&folder, "long.npy.zst", &zstd(&[&whole[..], b"x"].concat()));
    assert!(problem(&path).contains("something follows the 168 bytes"));
    // Seeking past all samples sees it too.
    assert!(open(&path).unwrap().seek(7).is_err());
    for length in 0..whole.len() {
        assert!(open(&put(&folder, "part.npy", &whole[..length])).is_err(), "{length} bytes");
    }
    let path = put(&folder, "part.npy.gz", &gzip(&whole)[..60]);
    assert!(matches!(all(&path), Err(Error::Io { .. })));
}

#[test]
fn npy_that_is_no_matrix_of_numbers_is_refused() {
    let folder = scratch();
    for (descr, shape, reason) in [
        ("<f8", "(21,)", "X.reshape(-1, 1)"),
        ("<f8", "()", "single number"),
        ("<f8", "(9223372036854775807, 9223372036854775807)", "more than any file holds"),
        ("<c16", "(2, 2)", "`<c16`"),
        ("|O", "(2, 2)", "`|O`"),
        ("<U3", "(2, 2)", "`<U3`"),
    ] {
        let bytes = npy(1, descr, false, shape, &[0; 168]);
        let message = problem(&put(&folder, "x.npy", &bytes));
        assert!(message.contains(reason), "{message}");
        assert!(problem(&put(&folder, "x.npy.gz", &gzip(&bytes))).contains(reason));
    }
}

#[test]
fn a_header_that_promises_too_much_reserves_nothing() {
    let folder = scratch();
    for shape in ["(1, 1000000000000000)", "(1000000000000000, 1)", "(3, 100000000000)"] {
        let path = put(&folder, "x.npy.gz", &gzip(&npy(1, "|i1", false, shape, &[0; 9])));
        let mut batch = Batch::<f64>::new();
        let result = open(&path).and_then(|mut s| s.next_batch(usize::MAX, &mut batch));
        assert!(result.is_err(), "{shape}");
    }
}

#[test]
fn empty_matrices_have_no_batches() {
    let folder = scratch();
    let path = put(&folder, "x.npy", &npy(1, "<f8", false, "(0, 3)", &[]));
    assert_eq!(all(&path).unwrap(), Vec::<Vec<f64>>::new());
    assert_eq!(open(&path).unwrap().view::<f64>(0, 0).unwrap().cols(), 0);
    let path = put(&folder, "x.csv", b"a,b,c\n");
    assert_eq!((open(&path).unwrap().features(), all(&path).unwrap().len()), (3, 0));
}

#[test]
fn views_share_the_file_and_need_the_same_type() {
    let folder = scratch();
    let path = put(&folder, "x.npy", &table_npy());
    let stream = open(&path).unwrap();
    let view = stream.view::<f64>(2, 5).unwrap();
    assert_eq!((view.rows(), view.cols(), view.col(2)), (3, 3, &table()[4][..]));
    assert!(stream.view::<f32>(2, 5).is_none());
    assert!(stream.view::<f64>(5, 8).is_none() && stream.view::<f64>(5, 4).is_none());
    let big: Vec<u8> = table().concat().iter().flat_map(|x| x.to_be_bytes()).collect();
    let path = put(&folder, "big.npy", &npy(1, ">f8", false, "(7, 3)", &big));
    assert!(open(&path).unwrap().view::<f64>(0, 1).is_none());
    // A header of an odd length leaves the numbers unaligned: no view, but readable.
    let mut odd = table_npy();
    odd.insert(127, b' ');
    odd[8] += 1;
    let path = put(&folder, "odd.npy", &odd);
    assert!(open(&path).unwrap().view::<f64>(0, 1).is_none());
    assert_eq!(all(&path).unwrap(), table());
}

/// Pages of the map are given back on the way, and reading goes on unharmed.
#[test]
fn a_file_larger_than_what_stays_resident_is_read_in_full() {
    let folder = scratch();
    let path = folder.path().join("large.npy");
    let (features, samples) = (1 << 10, 20_000_usize); // 160 MB
    let mut out = NpyWriter::<f64>::create(&path, features, None).unwrap();
    let mut block = Mat::<f64>::zeros(features, 1000);
    for from in (0..samples).step_by(1000) {
        for j in 0..1000 {
            block.col_mut(j).fill((from + j) as f64);
        }
        out.write(block.as_ref()).unwrap();
    }
    out.finish().unwrap();
    let mut stream = open(&path).unwrap();
    let mut batch = Batch::<f64>::new();
    let (mut seen, mut peak) = (0, 0);
    while stream.next_batch(500, &mut batch).unwrap() > 0 {
        for j in 0..batch.len() {
            let expected = (batch.first_sample() + j as u64) as f64;
            assert!(batch.as_mat_ref().col(j).iter().all(|x| *x == expected));
        }
        seen += batch.len();
        peak = peak.max(mapped_kilobytes(&path));
    }
    assert_eq!(seen, samples);
    for k in 0..40_u64 {
        let indices: Vec<u64> = (0..500).map(|i| (i * 7919 + k * 104_729) % samples as u64).collect();
        stream.read_samples(&indices, &mut batch).unwrap();
        assert!((0..500).all(|j| batch.as_mat_ref().get(9, j) == indices[j] as f64));
        peak = peak.max(mapped_kilobytes(&path));
    }
    assert!(peak < 100_000, "{peak} kB of the file were resident at once");
    #[cfg(target_os = "linux")]
    assert!(peak > 0);
}

/// How much of a mapped file is resident, where the system reports it.
fn mapped_kilobytes(path: &Path) -> u64 {
    let maps = fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    let mut lines = maps.lines().skip_while(|line| !line.ends_with(&*path.to_string_lossy()));
    let rss = lines.find(|line| line.starts_with("Rss:"));
    rss.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

// ---------------------------------------------------------------- writing npy

#[test]
fn a_writer_that_is_not_finished_leaves_nothing() {
    let folder = scratch();
    let path = folder.path().join("x.npy");
    let x = Mat::<f64>::from_fn(3, 2, |i, j| (i + j) as f64);
    let mut out = NpyWriter::create(&path, 3, Some(5)).unwrap();
    out.write(x.as_ref()).unwrap();
    assert!(out.write(Mat::<f64>::zeros(2, 1).as_ref()).unwrap_err().to_string().contains("3 numbers"));
    let message = out.finish().unwrap_err().to_string();
    assert!(message.contains("2 samples") && message.contains("5 samples"), "{message}");
    let mut out = NpyWriter::create(&path, 3, None).unwrap();
    out.write(x.as_ref()).unwrap();
    drop(out);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(
        write_npy(&folder.path().join("no/x.npy"), x.as_ref())
            .unwrap_err()
            .to_string()
            .contains("does not exist")
    );
}

// ---------------------------------------------------------------- npz

#[test]
fn npz_stored_and_deflated() {
    let folder = scratch();
    for deflate in [false, true] {
        let labels = npy(1, "<i8", false, "(7,)", &[0; 56]);
        let path = put(&folder, "x.npz", &archive(&[("y", labels), ("X", table_npy())], deflate));
        // X is the only matrix.
        check_ways(&path, &StreamOptions::default(), &table());
        let stream = open(&path).unwrap();
        assert_eq!((stream.format(), stream.supports_random_access()), (MatrixFormat::Npz, !deflate));
        let options = StreamOptions { member: Some("X".into()) };
        check_ways(&path, &options, &table());
        let mut colon = path.clone().into_os_string();
        colon.push(":X");
        assert_eq!(all(Path::new(&colon)).unwrap(), table());
        let y =
            MatrixStream::open(&path, &StreamOptions { member: Some("y".into()) }).unwrap_err().to_string();
        assert!(y.contains("x.npz:y: has shape (7,)"), "{y}");
        let z =
            MatrixStream::open(&path, &StreamOptions { member: Some("z".into()) }).unwrap_err().to_string();
        assert!(z.contains("no array `z`; it has `y`, `X`"), "{z}");
    }
}

#[test]
fn npz_that_leaves_a_choice_or_none() {
    let folder = scratch();
    let path = put(&folder, "two.npz", &archive(&[("A", table_npy()), ("B", table_npy())], true));
    let message = problem(&path);
    assert!(message.contains("`A`, `B`: add `:NAME` after the file, e.g. "), "{message}");
    assert!(message.ends_with("two.npz:A"), "{message}");
    let path = put(&folder, "none.npz", &archive(&[], true));
    assert!(problem(&path).contains("without arrays"));
    let vector = npy(1, "<f8", false, "(2,)", &[0; 16]);
    let path = put(&folder, "one.npz", &archive(&[("v", vector.clone())], false));
    assert!(open(&path).unwrap_err().to_string().contains("X.reshape(-1, 1)"));
    let path = put(&folder, "vectors.npz", &archive(&[("v", vector.clone()), ("w", vector)], false));
    assert!(problem(&path).contains("it has `v`, `w`"));
    let path = put(&folder, "x.npz.gz", &gzip(&archive(&[("A", table_npy())], true)));
    assert!(problem(&path).contains("compressed as a whole"));
    let path = put(&folder, "x.csv", b"1,2\n");
    let error = MatrixStream::open(&path, &StreamOptions { member: Some("X".into()) }).unwrap_err();
    assert!(error.to_string().contains("not a .npz archive"));
}

#[test]
fn npz_that_is_damaged_is_noticed() {
    let folder = scratch();
    for deflate in [false, true] {
        let short = table_npy();
        let path = put(&folder, "x.npz", &archive(&[("X", short[..short.len() - 8].to_vec())], deflate));
        let error = MatrixStream::open(&path, &StreamOptions { member: Some("X".into()) }).unwrap_err();
        assert!(error.to_string().contains("needs 168 bytes after the header, found 160"), "{error}");
    }
    let whole = archive(&[("X", table_npy())], true);
    let path = put(&folder, "cut.npz", &whole[..whole.len() / 2]);
    assert!(open(&path).is_err());
    // A flipped bit of the checksum in the central directory.
    let mut flipped = whole;
    let directory = flipped.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    flipped[directory + 16] ^= 1;
    assert!(problem(&put(&folder, "crc.npz", &flipped)).contains("checksum"));
}

/// Samples (0 5 0 -1), (0 0 0 0), (2 0 0 3), the last with one entry given as a sum.
fn csr(wide: bool, format: &str, deflate: bool) -> Vec<u8> {
    let integers = |x: &[i32]| {
        let (code, bytes) = if wide {
            ("<i8", i64s(&x.iter().map(|x| i64::from(*x)).collect::<Vec<_>>()))
        } else {
            ("<i4", i32s(x))
        };
        npy(1, code, false, &format!("({},)", x.len()), &bytes)
    };
    let members = [
        ("indices", integers(&[1, 3, 3, 0, 3])),
        ("indptr", integers(&[0, 2, 2, 5])),
        ("format", npy(1, "|S3", false, "()", format.as_bytes())),
        ("shape", npy(1, "<i8", false, "(2,)", &i64s(&[3, 4]))),
        ("data", npy(1, "<f8", false, "(5,)", &f64s(&[5.0, -1.0, 1.0, 2.0, 2.0]))),
    ];
    archive(&members, deflate)
}

#[test]
fn scipy_csr_is_streamed_as_dense_samples() {
    let folder = scratch();
    let expected = [vec![0.0, 5.0, 0.0, -1.0], vec![0.0; 4], vec![2.0, 0.0, 0.0, 3.0]];
    for (wide, deflate) in [(false, false), (true, true), (false, true)] {
        let path = put(&folder, "s.npz", &csr(wide, "csr", deflate));
        assert_eq!(open(&path).unwrap().format(), MatrixFormat::CsrNpz);
        check_ways(&path, &StreamOptions::default(), &expected);
    }
    let path = put(&folder, "s.npz", &csr(false, "csc", true));
    let message = problem(&path);
    assert!(message.contains("`csc`") && message.contains("X.tocsr()"), "{message}");
}

#[test]
fn scipy_csr_that_is_damaged_is_noticed() {
    let folder = scratch();
    let vector = |code: &str, n: usize, bytes: Vec<u8>| npy(1, code, false, &format!("({n},)"), &bytes);
    let build = |indices: &[i32], indptr: &[i32], shape: &[i64]| {
        let members = [
            ("indices", vector("<i4", indices.len(), i32s(indices))),
            ("indptr", vector("<i4", indptr.len(), i32s(indptr))),
            ("format", npy(1, "|S3", false, "()", b"csr")),
            ("shape", vector("<i8", shape.len(), i64s(shape))),
            ("data", vector("<f8", 2, f64s(&[1.0, 2.0]))),
        ];
        archive(&members, true)
    };
    assert_eq!(
        all(&put(&folder, "s.npz", &build(&[0, 3], &[0, 1, 2], &[2, 4]))).unwrap()[1],
        [0.0, 0.0, 0.0, 2.0]
    );
    for (indices, indptr, shape, reason) in [
        (&[0, 4][..], &[0, 1, 2][..], &[2, 4][..], "feature 4 in sample 1: expected 0 to 3"),
        (&[0, -1], &[0, 1, 2], &[2, 4], "feature -1"),
        (&[0, 3], &[1, 1, 2], &[2, 4], "begins with 1"),
        (&[0, 3], &[0, 2, 1], &[2, 4], "sample 1 ends at 1"),
        (&[0, 3], &[0, 1, 9], &[2, 4], "sample 1 ends at 9"),
        (&[0, 3], &[0, 1, -2], &[2, 4], "sample 1 ends at -2"),
        (&[0, 3], &[0, 1, 1], &[2, 4], "ends with 1: expected 2"),
        (&[0, 3], &[0, 1, 2], &[3, 4], "has 3 entries"),
        (&[0, 3], &[0, 1, 2], &[-3, 4], "[-3, 4]"),
        (&[0, 3], &[0, 1, 2], &[i64::MAX, i64::MAX], "has 3 entries"),
        (&[0], &[0, 1, 1], &[2, 4], "1 indices and 2 numbers"),
    ] {
        let path = put(&folder, "s.npz", &build(indices, indptr, shape));
        let message = all(&path).unwrap_err().to_string();
        assert!(message.contains(reason), "{message}");
    }
}

// ---------------------------------------------------------------- text

fn csv() -> String {
    let lines: Vec<String> = table().iter().map(|s| format!("{},{},{}\n", s[0], s[1], s[2])).collect();
    lines.concat()
}

#[test]
fn text_of_every_delimiter_and_way() {
    let folder = scratch();
    let header = format!("a,b,\"c, the \"\"last\"\"\"\n{}", csv());
    for (name, text) in [
        ("x.csv", csv()),
        ("h.csv", header.clone()),
        ("x.tsv", csv().replace(',', "\t")),
        ("x.txt", csv().replace(',', " ")),
        ("y.txt", csv().replace(',', "  \t ")),
        ("semicolon.csv", csv().replace(',', ";")),
        ("crlf.csv", header.replace('\n', "\r\n")),
        ("bom.csv", format!("\u{feff}{}", csv())),
        (
            "comments",
            format!("# made by hand\n\n  # more\n{}\n \n# end", csv().replace("\n30.5", "\n\n#x\n30.5")),
        ),
        ("no-end.csv", csv().trim_end().into()),
        ("quoted.csv", csv().replace("10.5", "\"10.5\"").replace("12.5", " \"12.5\" ")),
        ("spaces.csv", csv().replace(',', " , ")),
    ] {
        let path = put(&folder, name, text.as_bytes());
        check_ways(&path, &StreamOptions::default(), &table());
        let named = name == "h.csv" || name == "crlf.csv";
        let stream = open(&path).unwrap();
        assert_eq!(stream.feature_names().map(<[_]>::len), named.then_some(3), "{name}");
        assert_eq!((stream.samples(), stream.format()), (None, MatrixFormat::Text));
        if named {
            assert_eq!(stream.feature_names().unwrap(), ["a", "b", "c, the \"last\""]);
        }
    }
}

#[test]
fn numbers_of_columns_are_a_header_and_a_bad_cell_is_not() {
    let folder = scratch();
    let header = |text: &str| {
        let stream = open(&put(&folder, "x.csv", text.as_bytes()));
        stream.map(|stream| stream.feature_names().map(<[_]>::to_vec))
    };
    // As pandas writes columns without names; years, and what a spectrum is measured at.
    for text in [
        "0,1,2\n5,6,7\n",
        "id,0,1,2\n4,5,6,7\n",
        "year,2019,2020,2021\n1,2,3,4\n",
        "f,0.5,1.5,2.5\n1,2,3,4\n",
    ] {
        assert!(header(text).unwrap().is_some(), "{text}");
    }
    for text in ["0,1\n2,3\n", "0,1,3\n5,6,7\n", "1,2,3\n4,5,6\n", "4,NA,1\n1,2,3\n"] {
        assert_eq!(header(text).unwrap(), None, "{text}");
    }
    for (text, column) in [("ERR,4.5,4.2,4.9\n1,2,3,4\n", 1), ("1,9,?,3\n1,2,3,4\n", 3)] {
        let message = header(text).unwrap_err().to_string();
        assert!(message.contains(&format!(":1: column {column} holds `")), "{message}");
    }
}

#[test]
fn compressed_text_and_npy_are_recognized_by_content() {
    let folder = scratch();
    for (name, bytes) in [("x", csv().into_bytes()), ("y", table_npy())] {
        for packed in
            [gzip(&bytes), gzip_twice(&bytes), zstd(&bytes), [zstd(&bytes[..9]), zstd(&bytes[9..])].concat()]
        {
            check_ways(&put(&folder, name, &packed), &StreamOptions::default(), &table());
        }
    }
    // A name that lies.
    assert_eq!(all(&put(&folder, "x.csv.gz", csv().as_bytes())).unwrap(), table());
    assert_eq!(all(&put(&folder, "x.parquet", &table_npy())).unwrap(), table());
    let mut damaged = gzip(csv().repeat(1000).as_bytes());
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x55;
    assert!(all(&put(&folder, "damaged.csv.gz", &damaged)).is_err());
}

#[test]
fn missing_numbers_are_nan() {
    let folder = scratch();
    let nan = f64::NAN;
    let path = put(&folder, "x.csv", b"a,b,c\n1,,3\nNA,nan,NaN\n,,\n");
    check_ways(&path, &StreamOptions::default(), &[vec![1.0, nan, 3.0], vec![nan; 3], vec![nan; 3]]);
    let path = put(&folder, "x.tsv", b"1\t\t3\n\t\t\n");
    check_ways(&path, &StreamOptions::default(), &[vec![1.0, nan, 3.0], vec![nan; 3]]);
}

#[test]
fn text_errors_name_the_place() {
    let folder = scratch();
    for (text, place, reason) in [
        ("a,b\n1,2\n\n# c\n3\n", ":5: ", "has 1 fields, but 2 are expected, as on line 1"),
        ("1,2\n3,4,5\n", ":2: ", "has 3 fields, but 2 are expected"),
        ("1,2\n3,x,5\n", ":2: ", "has 3 fields, but 2 are expected"),
        ("a,b\n1,2\n3,x4\n", ":3: ", "column 2 (`b`) holds `x4`: expected a number"),
        ("1,2\n3,x4\n", ":2: ", "column 2 holds `x4`"),
        ("1,2\n3,\"4\n", ":2: ", "not closed"),
        ("1,2\n\"3\"4,5\n", ":2: ", "after a closing quote"),
        ("\n\0\u{1}\n", ":2: ", "not text"),
        ("# nothing\n\n", ": ", "holds no numbers"),
        ("", ": ", "is empty: expected a matrix as .npy"),
    ] {
        let message = problem(&put(&folder, "x.csv", text.as_bytes()));
        assert!(
            message.contains(&format!("x.csv{place}")) && message.contains(reason),
            "{text:?}: {message}"
        );
    }
    assert!(problem(&put(&folder, "x.csv.gz", &gzip(b""))).contains("is empty"));
    let long = format!("1\n{}\n", "z".repeat(10_000));
    assert!(problem(&put(&folder, "x.csv", long.as_bytes())).len() < 500);
    assert!(matches!(open(&folder.path().join("none.csv")), Err(Error::Io { .. })));
    assert!(matches!(open(folder.path()), Err(Error::Io { .. })));
}

#[test]
fn samples_before_an_error_can_be_read_again() {
    let folder = scratch();
    let path = put(&folder, "x.csv", b"1\n2\nx\n");
    let mut stream = open(&path).unwrap();
    let mut batch = Batch::<f64>::new();
    assert!(stream.next_batch(3, &mut batch).is_err());
    stream.seek(1).unwrap();
    assert_eq!(stream.next_batch(1, &mut batch).unwrap(), 1);
    assert_eq!(batch.as_mat_ref().get(0, 0), 2.0);
}

// ---------------------------------------------------------------- parquet

#[cfg(feature = "parquet")]
mod parquet_tables {
    use super::*;
    use parquet::data_type::{BoolType, DoubleType, FloatType, Int32Type, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    /// Two row groups of 4 and 3 rows, and an empty one between them.
    pub(super) fn numbers() -> Vec<u8> {
        let schema = "message m { required float f; optional double d; required int32 i; optional int64 l;
            required boolean b; required int32 u (UINT_32); }";
        let properties =
            WriterProperties::builder().set_compression(parquet::basic::Compression::SNAPPY).build();
        let mut bytes = Vec::new();
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
        for rows in [0..4, 4..4, 4..7_i32] {
            let mut group = writer.next_row_group().unwrap();
            macro_rules! column {
                ($t:ty, $values:expr, $levels:expr) => {{
                    let mut column = group.next_column().unwrap().unwrap();
                    column.typed::<$t>().write_batch(&$values, $levels, None).unwrap();
                    column.close().unwrap();
                }};
            }
            let all: Vec<i32> = rows.clone().collect();
            // d is null in even rows, l in row 5.
            let odd: Vec<f64> = rows.clone().filter(|r| r % 2 == 1).map(|r| f64::from(r) / 3.0).collect();
            let odd_levels: Vec<i16> = rows.clone().map(|r| (r % 2) as i16).collect();
            let five: Vec<i64> = rows.clone().filter(|r| *r != 5).map(|r| i64::from(r) << 40).collect();
            let five_levels: Vec<i16> = rows.clone().map(|r| i16::from(r != 5)).collect();
            column!(FloatType, all.iter().map(|r| *r as f32 + 0.25).collect::<Vec<_>>(), None);
            column!(DoubleType, odd, Some(&odd_levels));
            column!(Int32Type, all.iter().map(|r| -r).collect::<Vec<_>>(), None);
            column!(Int64Type, five, Some(&five_levels));
            column!(BoolType, all.iter().map(|r| r % 3 == 0).collect::<Vec<_>>(), None);
            column!(Int32Type, all.iter().map(|r| -1 - r).collect::<Vec<_>>(), None);
            group.close().unwrap();
        }
        writer.close().unwrap();
        bytes
    }

    #[test]
    fn numeric_columns_are_features_and_nulls_are_nan() {
        let folder = scratch();
        let expected: Vec<Vec<f64>> = (0..7)
            .map(|r| {
                let x = f64::from(r);
                let d = if r % 2 == 1 { x / 3.0 } else { f64::NAN };
                let l = if r == 5 { f64::NAN } else { x * 2_f64.powi(40) };
                vec![x + 0.25, d, -x, l, f64::from(u8::from(r % 3 == 0)), 4_294_967_295.0 - x]
            })
            .collect();
        let path = put(&folder, "x.parquet", &numbers());
        check_ways(&path, &StreamOptions::default(), &expected);
        let stream = open(&path).unwrap();
        assert_eq!(stream.feature_names().unwrap(), ["f", "d", "i", "l", "b", "u"]);
        assert_eq!((stream.format(), stream.samples()), (MatrixFormat::Parquet, Some(7)));
    }

    #[test]
    fn more_rows_than_are_decoded_at_a_time() {
        let folder = scratch();
        let schema = Arc::new(parse_message_type("message m { required double x; }").unwrap());
        let mut bytes = Vec::new();
        let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let numbers: Vec<f64> = (0..30_000).map(f64::from).collect();
        column.typed::<DoubleType>().write_batch(&numbers, None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
        let path = put(&folder, "x.parquet", &bytes);
        for size in [30_000, 9_999, 8192] {
            let read: Vec<Vec<f64>> = rest(&mut open(&path).unwrap(), &[size]).unwrap();
            assert_eq!(read.concat(), numbers);
        }
    }

    /// The crate's assertions about damaged files must come out as errors.
    #[test]
    fn any_damaged_byte_is_survived() {
        let folder = scratch();
        let whole = numbers();
        for index in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[index] = if index % 2 == 0 { 0xff } else { bytes[index] ^ 1 };
            read_anything(&put(&folder, "x.parquet", &bytes));
        }
    }

    #[test]
    fn other_columns_are_refused_by_name_and_type() {
        let folder = scratch();
        for (column, reason) in [
            ("required binary name (UTF8)", "column `name` holds BYTE_ARRAY"),
            ("required int32 day (DATE)", "column `day` holds INT32 as Date"),
            ("required int64 time (TIMESTAMP_MICROS)", "column `time` holds INT64 as"),
            ("required int32 price (DECIMAL(5, 2))", "column `price` holds INT32 as Decimal"),
            ("required int96 old", "column `old` holds INT96"),
            ("repeated double list", "column `list` holds lists of DOUBLE"),
        ] {
            let schema = format!("message m {{ required float x; {column}; }}");
            let mut bytes = Vec::new();
            let schema = Arc::new(parse_message_type(&schema).unwrap());
            SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap().close().unwrap();
            let message = problem(&put(&folder, "x.parquet", &bytes));
            assert!(message.contains(reason), "{message}");
        }
        let path = put(&folder, "x.parquet.gz", &gzip(&numbers()));
        assert!(problem(&path).contains("compressed as a whole"));
        assert!(problem(&put(&folder, "cut.parquet", &numbers()[..100])).contains("not a Parquet file"));
    }
}

// ---------------------------------------------------------------- digests, standard input

#[test]
fn digests_are_of_the_bytes_on_disk() {
    let folder = scratch();
    let bytes = gzip(csv().as_bytes());
    let mut stream = open(&put(&folder, "x.csv.gz", &bytes)).unwrap();
    let expected = format!("blake3:{}", blake3::hash(&bytes).to_hex());
    assert_eq!(stream.digest().unwrap(), expected);
    rest::<f64>(&mut stream, &[2]).unwrap();
    assert_eq!(stream.digest().unwrap(), expected);
}

/// Set for the tests that are run as a child, which do nothing otherwise.
const CHILD: &str = "ERGODICT_TEST_CHILD";

/// Runs one test of this file as a child with something on its standard input; gives its standard output.
fn child(test: &str, input: &[u8]) -> String {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture", "--test-threads", "1"])
        .env(CHILD, "1")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // In small pieces, as a pipe may give them.
    let mut stdin = child.stdin.take().unwrap();
    for piece in input.chunks(3) {
        stdin.write_all(piece).unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

#[test]
#[ignore = "run by standard_input_is_read_once"]
fn as_child_reads_standard_input() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let mut stream = open(Path::new("-")).unwrap();
    assert!(stream.digest().is_err());
    stream.rewind().unwrap(); // nothing was read yet
    stream.seek(1).unwrap();
    assert!(same(&rest::<f64>(&mut stream, &[2]).unwrap(), &table()[1..]));
    let message = stream.rewind().unwrap_err().to_string();
    assert_eq!(message, "-: standard input can be read only once: use a file");
    println!("digest {}", stream.digest().unwrap());
}

#[test]
fn standard_input_is_read_once() {
    for bytes in [
        csv().into_bytes(),
        gzip(csv().as_bytes()),
        table_npy(),
        gzip_twice(&table_npy()),
        zstd(&table_npy()),
    ] {
        let output = child("data::stream::tests::as_child_reads_standard_input", &bytes);
        assert!(output.contains(&format!("digest blake3:{}", blake3::hash(&bytes).to_hex())), "{output}");
    }
}

#[test]
#[ignore = "run by standard_output_receives_an_array"]
fn as_child_writes_standard_output() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let x = Mat::<f32>::from_fn(2, 3, |i, j| (10 * i + j) as f32);
    for samples in [Some(3), None] {
        let mut out = NpyWriter::create(Path::new("-"), 2, samples).unwrap();
        out.write(x.as_ref()).unwrap();
        out.finish().unwrap();
    }
}

#[test]
fn standard_output_receives_an_array() {
    let output = child("data::stream::tests::as_child_writes_standard_output", b"");
    let headers = output.matches("NUMPY").count();
    assert_eq!((headers, output.matches("'shape': (3, 2)").count()), (2, 2), "{output}");
}

// ---------------------------------------------------------------- properties

/// Opens and reads whatever it is; all that matters is that it returns.
fn read_anything(path: &Path) {
    if let Ok(mut stream) = open(path) {
        let mut batch = Batch::<f64>::new();
        while stream.next_batch(5, &mut batch).is_ok_and(|n| n > 0) {}
        let _ = stream.seek(2);
        let _ = stream.next_batch(5, &mut batch);
        let _ = stream.rewind();
        let _ = stream.view::<f64>(0, 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        text in "[-0-9a,;\t \"#\n\r.eEnNA+\u{e9}\u{0}]{0,200}",
        magic in prop_oneof![Just(&b""[..]), Just(&b"\x93NUMPY\x01\x00"[..]), Just(&b"PK\x03\x04"[..]), Just(&b"PAR1"[..]),
            Just(&b"\x1f\x8b\x08"[..]), Just(&b"\x28\xb5\x2f\xfd"[..])],
        name in prop_oneof![Just("x.csv"), Just("x.tsv"), Just("x.txt")],
    ) {
        let folder = scratch();
        read_anything(&put(&folder, name, &[magic, &bytes[..]].concat()));
        read_anything(&put(&folder, name, text.as_bytes()));
    }

    #[test]
    fn damaged_files_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>(), which in 0..6) {
        let mut bytes = match which {
            0 => table_npy(),
            1 => archive(&[("X", table_npy())], false),
            2 => archive(&[("X", table_npy())], true),
            3 => csr(true, "csr", false),
            4 => csr(false, "csr", true),
            #[cfg(feature = "parquet")]
            _ => parquet_tables::numbers(),
            #[cfg(not(feature = "parquet"))]
            _ => gzip(&table_npy()),
        };
        let index = at.index(bytes.len());
        bytes[index] = byte;
        let folder = scratch();
        read_anything(&put(&folder, "x", &bytes));
        bytes.truncate(cut.index(bytes.len()));
        read_anything(&put(&folder, "y", &bytes));
    }

    #[test]
    fn what_is_written_is_read_back(
        features in 1_usize..9,
        numbers in proptest::collection::vec(any::<f64>(), 0..80),
        sizes in proptest::collection::vec(1_usize..9, 1..4),
        known in any::<bool>(),
    ) {
        let folder = scratch();
        let samples = numbers.len() / features;
        let x = Mat::<f64>::from_fn(features, samples, |i, j| numbers[j * features + i]);
        let path = folder.path().join("x.npy");
        let mut out = NpyWriter::create(&path, features, known.then_some(samples as u64)).unwrap();
        for j in 0..samples {
            out.write(x.as_ref().columns(j, j + 1)).unwrap();
        }
        out.finish().unwrap();
        let expected: Vec<Vec<f64>> = (0..samples).map(|j| x.col(j).to_vec()).collect();
        let mut stream = open(&path).unwrap();
        prop_assert_eq!((stream.features(), stream.samples()), (features, Some(samples as u64)));
        prop_assert!(same(&rest(&mut stream, &sizes).unwrap(), &expected));
        let view = stream.view::<f64>(0, samples as u64).unwrap();
        prop_assert!((0..samples).all(|j| same(&[view.col(j).to_vec()], &expected[j..=j])));
        // The same in single precision, written at once.
        let y = x.cast::<f32>();
        write_npy(&path, y.as_ref()).unwrap();
        let expected: Vec<Vec<f32>> = (0..samples).map(|j| y.col(j).to_vec()).collect();
        prop_assert!(same(&rest(&mut open(&path).unwrap(), &sizes).unwrap(), &expected));
    }

    #[test]
    fn text_of_any_numbers_is_read_back(rows in proptest::collection::vec(proptest::array::uniform3(any::<f64>()), 1..20)) {
        let folder = scratch();
        let lines: Vec<String> = rows.iter().map(|r| format!("{:e},{:?},{}\n", r[0], r[1], r[2])).collect();
        let text = lines.concat();
        let expected: Vec<Vec<f64>> = rows.iter().map(|r| r.to_vec()).collect();
        prop_assert!(same(&all(&put(&folder, "x.csv", text.as_bytes())).unwrap(), &expected));
    }
}
