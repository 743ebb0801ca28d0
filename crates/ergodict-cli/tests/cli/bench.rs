//! A bench to run commands on: a folder, some data, and what a command did.

use ergodict::data::{Image, NpzWriter, Trajectory, TrajectoryWriter, write_npy};
use ergodict::linalg::{Mat, Scalar};
use ergodict::model::Model;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) struct Bench {
    folder: tempfile::TempDir,
}

/// What a command did.
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Done {
    /// Refuses everything but success.
    pub(crate) fn fine(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.stdout).unwrap()
    }
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        let stderr = String::from_utf8(output.stderr).unwrap();
        Self { code: output.status.code(), stdout: output.stdout, stderr }
    }
}

/// The numbers every format is given: `n` samples of `d` features around a few patterns, d×n.
pub(crate) fn numbers(d: usize, n: usize) -> Mat<f64> {
    // A small generator of fixed numbers that are short in decimal.
    let mut state = 7u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) % 1000) as f64 / 1000.0
    };
    Mat::from_fn(d, n, |i, j| if (i + j) % 3 == 0 { 2.0 + next() } else { next() })
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn put_npy<T: Scalar>(&self, name: &str, x: &Mat<T>) {
        write_npy(&self.path(name), x.as_ref()).unwrap();
    }

    pub(crate) fn put_npz(&self, name: &str, x: &Mat<f64>) {
        let mut npz = NpzWriter::new();
        npz.array("X", x.as_ref());
        npz.save(&self.path(name)).unwrap();
    }

    /// A trajectory of `frames` configurations, `at(frame, row, column)`.
    pub(crate) fn put_spins(
        &self,
        name: &str,
        frames: usize,
        shape: (usize, usize),
        at: impl Fn(usize, usize, usize) -> i8,
    ) {
        let mut out = TrajectoryWriter::create(&self.path(name), shape).unwrap();
        for t in 0..frames {
            let sites = (0..shape.0 * shape.1).map(|i| at(t, i / shape.1, i % shape.1));
            out.write(&sites.collect::<Vec<_>>()).unwrap();
        }
        out.finish().unwrap();
    }

    /// The frames of a trajectory, and their shape.
    pub(crate) fn spins(&self, name: &str) -> (Vec<Vec<i8>>, (usize, usize)) {
        let mut trajectory = Trajectory::open(&self.path(name)).unwrap();
        let (mut frames, mut frame) = (Vec::new(), Vec::new());
        while trajectory.next_frame(&mut frame).unwrap() {
            frames.push(frame.clone());
        }
        (frames, trajectory.shape())
    }

    /// An image, `at(row, column, channel)`.
    pub(crate) fn put_image(
        &self,
        name: &str,
        shape: (usize, usize),
        channels: usize,
        at: impl Fn(usize, usize, usize) -> f32,
    ) {
        let count = shape.0 * shape.1 * channels;
        let value = |i: usize| at(i / channels / shape.1, i / channels % shape.1, i % channels);
        let image = Image::new(shape, channels, (0..count).map(value).collect()).unwrap();
        image.save(&self.path(name)).unwrap();
    }

    pub(crate) fn model(&self, name: &str) -> Model {
        Model::load(&self.path(name)).unwrap()
    }

    /// All files, hidden ones too.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// `ergodict` with these words, parted by spaces, in the folder.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("ergodict"));
        command.args(words.split_whitespace()).current_dir(self.folder.path());
        command.env_remove("ERGODICT_STOP_AFTER_STEPS");
        command
    }

    pub(crate) fn run(&self, words: &str) -> Done {
        self.command(words).stdin(Stdio::null()).output().unwrap().into()
    }

    /// The same, stopped as by Ctrl-C after some steps.
    #[cfg(debug_assertions)] // only then tests can set it
    pub(crate) fn stopped_after(&self, words: &str, steps: u64) -> Done {
        let mut command = self.command(words);
        command.env("ERGODICT_STOP_AFTER_STEPS", steps.to_string());
        let done: Done = command.stdin(Stdio::null()).output().unwrap().into();
        assert_eq!(done.code, Some(130), "{words}: {}", done.stderr);
        done
    }

    /// The same with standard input.
    pub(crate) fn run_with(&self, words: &str, input: &[u8]) -> Done {
        let mut command = self.command(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that refuses its flags does not read.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap().into()
    }
}

/// As text with the delimiter, after a header if there is one.
/// The words of a command in which options of `more` replace those of `base`.
pub(crate) fn over(base: &str, more: &str) -> String {
    let name = |word: &str| word.split('=').next().unwrap_or_default().to_owned();
    let replaced: Vec<String> = more
        .split_whitespace()
        .filter(|word| word.starts_with("--") || *word == "-o" || *word == "-r")
        .map(name)
        .collect();
    let (mut words, mut skips) = (Vec::new(), false);
    for word in base.split_whitespace() {
        if word.starts_with('-') {
            skips = replaced.contains(&name(word));
        }
        if !skips {
            words.push(word);
        }
    }
    format!("{} {more}", words.join(" "))
}

pub(crate) fn text(x: &Mat<f64>, delimiter: &str, header: Option<&str>) -> String {
    let mut lines: Vec<String> = header.map(str::to_owned).into_iter().collect();
    for j in 0..x.cols() {
        let cells: Vec<String> = x.col(j).iter().map(ToString::to_string).collect();
        lines.push(cells.join(delimiter));
    }
    lines.join("\n") + "\n"
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn parquet(path: &Path, x: &Mat<f64>) {
    use parquet::data_type::DoubleType;
    use std::sync::Arc;
    let fields: Vec<String> = (0..x.rows()).map(|i| format!("required double f{i};")).collect();
    let fields = fields.join(" ");
    let schema = parquet::schema::parser::parse_message_type(&format!("message m {{ {fields} }}")).unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer =
        parquet::file::writer::SerializedFileWriter::new(file, Arc::new(schema), Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for i in 0..x.rows() {
        let values: Vec<f64> = (0..x.cols()).map(|j| x.get(i, j)).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&values, None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}

/// The header of a `.npy` file.
pub(crate) fn npy_header(bytes: &[u8]) -> &str {
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    std::str::from_utf8(&bytes[10..10 + length]).unwrap()
}

/// The numbers of a `.npy` file of float64.
pub(crate) fn npy_numbers(bytes: &[u8]) -> Vec<f64> {
    assert!(npy_header(bytes).contains("'<f8'"), "{}", npy_header(bytes));
    let start = 10 + npy_header(bytes).len();
    bytes[start..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
}

/// A `.npz` archive of arrays of one or two axes, as numpy's `savez` writes it.
pub(crate) fn npz(arrays: &[(&str, &[usize], Vec<f64>)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, shape, numbers) in arrays {
        let sides: Vec<String> = shape.iter().map(ToString::to_string).collect();
        let sides = sides.join(", ");
        let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({sides},), }}");
        let text = format!("{text:<117}\n");
        let mut npy = b"\x93NUMPY\x01\x00".to_vec();
        npy.extend((text.len() as u16).to_le_bytes());
        npy.extend(text.as_bytes());
        npy.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        let mut crc = flate2::Crc::new();
        crc.update(&npy);
        let (name, size, offset) = (format!("{name}.npy"), npy.len() as u32, archive.len() as u32);
        // Version, flags, method, time, date; checksum, sizes; length of the name, and of what follows it.
        let mut common = [20_u16, 0, 0, 0, 33].map(u16::to_le_bytes).concat();
        common.extend([crc.sum(), size, size].map(u32::to_le_bytes).concat());
        common.extend([name.len() as u16, 0].map(u16::to_le_bytes).concat());
        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(name.as_bytes());
        archive.extend(npy);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0_u8; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (count, start) = (arrays.len() as u16, archive.len() as u32);
    let length = directory.len() as u32;
    archive.extend(directory);
    archive.extend(b"PK\x05\x06");
    archive.extend([0, 0, count, count].map(u16::to_le_bytes).concat());
    archive.extend([length, start].map(u32::to_le_bytes).concat());
    archive.extend([0_u8; 2]);
    archive
}
