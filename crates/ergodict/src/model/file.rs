//! The model file: a `.safetensors` file with tensors `W`, `A`, `B` and a JSON header that says where they came from.
//!
//! | tensor | shape | what |
//! |---|---|---|
//! | `W` | d×r, F64 or F32 as learned | the dictionary, an atom a column |
//! | `A` | r×r, F64 | `A_t` |
//! | `B` | r×d, F64 | `B_t` |
//! | `W_over_time`, `dominance_over_time` | | in models of networks in time, see `over_time_file` |
//!
//! The header is the string `ergodict` of the file's metadata. Its first entry is the digest of the whole file, taken with zeros in its place;
//! nothing of a file is believed before it is found to be right. A model holds all that the next step needs, but for where its data was: that
//! is in a [`Checkpoint`](crate::run::Checkpoint).

use super::{AtomShape, History, OverTime, Provenance, over_time_file};
use crate::data::{read_whole, write_atomic};
use crate::factor::sets::PROGRAM_GIVEN;
use crate::factor::{Aggregates, DictionarySet, FactorSettings, Factorizer, diagnostics::dominance};
use crate::linalg::{Mat, Scalar};
use crate::patch::{NetworkForm, PatchKind};
use crate::{Error, Result};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// The version of the format, raised when old readers would misread a file.
const FORMAT: u32 = 2;
/// What stands before the digest in a file, and in its place when it is taken.
const BEFORE_DIGEST: &[u8] = br#""ergodict":"{\"digest\":\""#;
const NO_DIGEST: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The precision a model was learned in.
///
/// ```
/// use ergodict::{model::{Model, Precision}, factor::{Factorizer, FactorSettings}};
/// let learned = Factorizer::<f32>::random(FactorSettings::new(2), 3, 0)?;
/// assert_eq!(Model::from_factorizer(&learned, "factor", 0).precision, Precision::F32);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

/// A file that was learned from.
///
/// ```
/// use ergodict::{data::digest, model::Input};
/// let path = std::env::temp_dir().join(format!("ergodict-model-input-{}.csv", std::process::id()));
/// std::fs::write(&path, "1,2\n").unwrap();
/// let input = Input { name: "x.csv".to_owned(), digest: digest(&path)? };
/// assert!(input.digest.starts_with("blake3:"));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// Its name, without folders.
    pub name: String,
    /// Digest of its bytes.
    pub digest: String,
}

/// A learned dictionary with its provenance.
///
/// ```
/// use ergodict::{model::Model, factor::{Factorizer, FactorSettings}, linalg::Mat};
/// let x = Mat::from_fn(3, 4, |i, j| (1 + i * j) as f64);
/// let mut learned = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0)?;
/// learned.step(&x)?;
/// let path = std::env::temp_dir().join(format!("ergodict-model-{}.safetensors", std::process::id()));
/// Model::from_factorizer(&learned, "factor", 0).save(&path)?;
/// let mut resumed = Model::load(&path)?.factorizer::<f64>()?;
/// resumed.step(&x)?;
/// learned.step(&x)?;
/// assert_eq!(resumed.dictionary(), learned.dictionary()); // as if it had never been put away
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// What it was learned from: `factor` for plain matrices, `spins`, `image`, `network`.
    pub kind: String,
    /// Precision of the arithmetic.
    pub precision: Precision,
    /// Parameters, as in the file.
    pub parameters: FactorSettings,
    /// The seed of the run.
    pub seed: u64,
    /// Version of ergodict that wrote it.
    pub version: String,
    /// The files learned from.
    pub inputs: Vec<Input>,
    /// Names of the features, where the data had them.
    pub feature_names: Option<Vec<String>>,
    /// What the atoms are patches of, where they are patches.
    pub patch: Option<PatchKind>,
    /// What they are in networks, where they are patches of those.
    pub network: Option<NetworkForm>,
    /// Loss history.
    pub history: History,
    /// What was kept of each window, where a network was learned from over time.
    pub over_time: Option<OverTime>,
    /// What learned it, and from what.
    pub provenance: Provenance,
    /// The dictionary, d×r.
    pub w: Mat<f64>,
    /// `A_t`, `B_t`, `r_t`, `t`.
    pub aggregates: Aggregates,
}

/// The header as it stands in the file.
#[derive(Serialize, Deserialize)]
struct Header {
    /// First, so that it is found.
    digest: String,
    format: u32,
    version: String,
    kind: String,
    precision: Precision,
    parameters: FactorSettings,
    seed: u64,
    inputs: Vec<Input>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feature_names: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    patch: Option<PatchKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    network: Option<NetworkForm>,
    steps: u64,
    samples: u64,
    r: f64,
    width: f64,
    history: History,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    over_time: Option<OverTime>,
    run: serde_json::Value,
}

impl Model {
    /// The state of a factorizer as a model of the given kind.
    pub fn from_factorizer<T: Scalar>(factorizer: &Factorizer<T>, kind: &str, seed: u64) -> Self {
        Self {
            kind: kind.to_owned(),
            precision: if T::NAME == "f32" { Precision::F32 } else { Precision::F64 },
            parameters: factorizer.parameters().clone(),
            seed,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            inputs: Vec::new(),
            feature_names: None,
            patch: None,
            network: None,
            history: History::default(),
            over_time: None,
            provenance: Provenance::default(),
            w: factorizer.dictionary().cast(),
            aggregates: factorizer.aggregates().clone(),
        }
    }

    /// A factorizer that goes on where the model stopped, bit for bit when `T` is the precision of the model.
    ///
    /// # Errors
    /// As [`Factorizer::resume`].
    pub fn factorizer<T: Scalar>(&self) -> Result<Factorizer<T>> {
        Factorizer::resume(self.parameters.clone(), self.w.cast(), self.aggregates.clone())
    }

    /// Dominance of each atom, and the order in which to show them: most dominant first.
    pub fn dominance(&self) -> (Vec<f64>, Vec<usize>) {
        let scores = dominance(&self.aggregates.a);
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&i, &j| scores[j].total_cmp(&scores[i]).then(i.cmp(&j)));
        (scores, order)
    }

    /// The shape of each atom, in the order of the columns of W; none but for the path motif.
    pub fn shapes(&self) -> Option<Vec<AtomShape>> {
        let form = self.network.as_ref().filter(|form| form.motif == "path")?;
        let shape = |atom: usize| match self.aggregates.a.col(atom)[atom] {
            0.0 => AtomShape::Unused,
            _ => AtomShape::from_atom(self.w.col(atom), form.k),
        };
        Some((0..self.w.cols()).map(shape).collect())
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn save(&self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes(path)?;
        write_atomic(path, |file| file.write_all(&bytes).map_err(Error::io(path)))
    }

    /// The bytes of the file; `path` is what an error calls it.
    ///
    /// # Errors
    /// [`Error::Format`] for what no file can hold.
    pub fn to_bytes(&self, path: &Path) -> Result<Vec<u8>> {
        let (d, r) = (self.w.rows(), self.w.cols());
        let header = Header {
            digest: NO_DIGEST.to_owned(),
            format: FORMAT,
            version: self.version.clone(),
            kind: self.kind.clone(),
            precision: self.precision,
            parameters: self.parameters.clone(),
            seed: self.seed,
            inputs: self.inputs.clone(),
            feature_names: self.feature_names.clone(),
            patch: self.patch,
            network: self.network.clone(),
            steps: self.aggregates.t,
            samples: self.aggregates.samples,
            r: self.aggregates.r,
            width: self.aggregates.width,
            history: self.history.clone(),
            over_time: self.over_time.clone(),
            // As a value, whose keys are sorted.
            run: serde_json::to_value(&self.provenance)
                .map_err(|e| Error::format(path, None, e.to_string()))?,
        };
        let json = serde_json::to_string(&header).map_err(|e| Error::format(path, None, e.to_string()))?;
        let rows_of = |rows: usize, cols: usize, get: &dyn Fn(usize, usize) -> f64, narrow: bool| {
            let mut bytes = Vec::with_capacity(rows * cols * if narrow { 4 } else { 8 });
            for i in 0..rows {
                for j in 0..cols {
                    if narrow {
                        bytes.extend((get(i, j) as f32).to_le_bytes());
                    } else {
                        bytes.extend(get(i, j).to_le_bytes());
                    }
                }
            }
            bytes
        };
        let narrow = self.precision == Precision::F32;
        let w = rows_of(d, r, &|i, j| self.w.get(i, j), narrow);
        let a = rows_of(r, r, &|i, j| self.aggregates.a.get(i, j), false);
        let b = rows_of(r, d, &|i, j| self.aggregates.b_transposed.get(j, i), false);
        let over_time = self.over_time.as_ref().map(|kept| over_time_file::tensors(kept, d, r));
        let w_type = if narrow { Dtype::F32 } else { Dtype::F64 };
        let view = |dtype, shape: &[usize], data| TensorView::new(dtype, shape.to_vec(), data);
        view(w_type, &[d, r], &w)
            .and_then(|w| {
                let (a, b) = (view(Dtype::F64, &[r, r], &a)?, view(Dtype::F64, &[r, d], &b)?);
                let mut tensors = vec![("W", w), ("A", a), ("B", b)];
                for (name, dtype, shape, data) in over_time.iter().flatten() {
                    tensors.push((name, view(*dtype, shape, data)?));
                }
                Ok(tensors)
            })
            .and_then(|t| safetensors::serialize(t, Some(HashMap::from([("ergodict".to_owned(), json)]))))
            .map_err(|e| Error::format(path, None, e.to_string()))
            .map(sealed)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Format`] for a file that is damaged, foreign, of another format, or at odds with itself, or whose
    /// dictionary set was given by a program: see [`Model::load_with`].
    pub fn load(path: &Path) -> Result<Self> {
        Self::read(path, None)
    }

    /// Reads a model that was learned with a set which no name describes (a union, a ball around a center, a projection
    /// of the program's own), given the set again.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn load_with(path: &Path, set: DictionarySet) -> Result<Self> {
        Self::read(path, Some(set))
    }

    fn read(path: &Path, set: Option<DictionarySet>) -> Result<Self> {
        let bytes = read_whole(path)?;
        Self::from_bytes(&bytes, path, set)
    }

    /// Reads the bytes of a model file; `path` is what an error calls it. A set that no name describes is given again.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn from_bytes(bytes: &[u8], path: &Path, set: Option<DictionarySet>) -> Result<Self> {
        let bad = |problem: String| Error::format(path, None, problem);
        let foreign = |why: String| {
            bad(format!("not a model file of ergodict ({why}): expected .safetensors with tensors W, A, B"))
        };
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| foreign(e.to_string()))?;
        let json = metadata.metadata().as_ref().and_then(|m| m.get("ergodict"));
        let json = json.ok_or_else(|| foreign("no ergodict header".into()))?;
        let format = serde_json::from_str::<serde_json::Value>(json)
            .ok()
            .and_then(|v| v.get("format")?.as_u64())
            .ok_or_else(|| foreign("its header has no format number".into()))?;
        if format != u64::from(FORMAT) {
            let age = if format > u64::from(FORMAT) { "newer" } else { "older" };
            return Err(bad(format!(
                "format {format} is {age} than the one that this version of ergodict reads ({FORMAT})"
            )));
        }
        if !is_sealed(bytes) {
            return Err(bad("damaged: its contents do not match its digest".into()));
        }
        let mut json: serde_json::Value =
            serde_json::from_str(json).map_err(|e| bad(format!("damaged header: {e}")))?;
        if let Some(name) = json.pointer_mut("/parameters/dictionary") {
            if set.is_some() {
                *name = "free".into();
            } else if let Some(name) = name.as_str().filter(|name| name.starts_with(PROGRAM_GIVEN)) {
                let problem =
                    "its dictionary set can be opened only by the program that gave it (Model::load_with)";
                return Err(bad(format!("{problem}: {name}")));
            }
        }
        let mut header: Header =
            serde_json::from_value(json).map_err(|e| bad(format!("damaged header: {e}")))?;
        if let Some(set) = set {
            header.parameters.dictionary = Some(set);
        }
        let tensors = SafeTensors::deserialize(bytes).map_err(|e| foreign(e.to_string()))?;
        let matrix = |name: &str| -> Result<Mat<f64>> {
            let tensor = tensors.tensor(name).map_err(|e| foreign(e.to_string()))?;
            let &[rows, cols] = tensor.shape() else {
                return Err(bad(format!("tensor {name} has {} axes: expected 2", tensor.shape().len())));
            };
            let data = tensor.data();
            let value = |at: usize| match tensor.dtype() {
                Dtype::F32 => f64::from(f32::from_le_bytes(read(data, at))),
                _ => f64::from_le_bytes(read(data, at)),
            };
            if !matches!(tensor.dtype(), Dtype::F32 | Dtype::F64) {
                return Err(bad(format!("tensor {name} is {:?}: expected F32 or F64", tensor.dtype())));
            }
            // A matrix without numbers could have any number of columns.
            let numbers = rows.checked_mul(cols).filter(|&numbers| numbers > 0);
            let size = if tensor.dtype() == Dtype::F32 { 4 } else { 8 };
            if numbers.and_then(|numbers| numbers.checked_mul(size)) != Some(data.len()) {
                let length = data.len();
                return Err(bad(format!("tensor {name} is {rows}×{cols}, but has {length} bytes")));
            }
            let m = Mat::from_fn(rows, cols, |i, j| value(i * cols + j));
            if m.padded().iter().any(|x| !x.is_finite()) {
                return Err(bad(format!("tensor {name} holds NaN or an infinity")));
            }
            Ok(m)
        };
        let (w, a, b) = (matrix("W")?, matrix("A")?, matrix("B")?);
        let (d, r) = (w.rows(), w.cols());
        if (a.rows(), a.cols(), b.rows(), b.cols()) != (r, r, r, d) || header.parameters.atoms != r {
            return Err(bad(format!(
                "shapes disagree: W is {d}×{r}, A {}×{}, B {}×{}",
                a.rows(),
                a.cols(),
                b.rows(),
                b.cols()
            )));
        }
        header.parameters.check(d).map_err(|e| bad(e.to_string()))?;
        if let Some(form) = header.network.as_ref().filter(|form| form.features() != Some(d)) {
            return Err(bad(format!("its atoms have {d} entries, which are no patches of {} nodes", form.k)));
        }
        if let Some(patch) = header.patch.filter(|patch| patch.features() != Some(d)) {
            return Err(bad(format!("its atoms have {d} entries, which is no patch of {patch:?}")));
        }
        let over_time = header.over_time.map(|kept| over_time_file::read(kept, &tensors, d, r));
        let over_time = over_time.transpose().map_err(bad)?;
        Ok(Self {
            kind: header.kind,
            precision: header.precision,
            parameters: header.parameters,
            seed: header.seed,
            version: header.version,
            inputs: header.inputs,
            feature_names: header.feature_names,
            patch: header.patch,
            network: header.network,
            history: header.history,
            over_time,
            provenance: header.run.into(),
            w,
            aggregates: Aggregates {
                a,
                b_transposed: b.transposed(),
                r: header.r,
                t: header.steps,
                samples: header.samples,
                width: header.width,
            },
        })
    }
}

/// Where the digest stands in the bytes of a file.
fn digest_range(bytes: &[u8]) -> Option<Range<usize>> {
    let length = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
    let head = bytes.get(8..)?.get(..usize::try_from(length).ok()?)?;
    let at = head.windows(BEFORE_DIGEST.len()).position(|window| window == BEFORE_DIGEST)?;
    let start = 8 + at + BEFORE_DIGEST.len();
    (start + NO_DIGEST.len() <= 8 + head.len()).then_some(start..start + NO_DIGEST.len())
}

/// The digest of a file with zeros in the place of its digest.
fn digest_without(bytes: &[u8], range: &Range<usize>) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(&bytes[..range.start]).update(NO_DIGEST.as_bytes()).update(&bytes[range.end..]);
    hash.finalize().to_hex().to_string()
}

/// The bytes of a file with their digest.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(range) = digest_range(&bytes) {
        let digest = digest_without(&bytes, &range);
        bytes[range].copy_from_slice(digest.as_bytes());
    }
    bytes
}

/// Whether the digest of a file is right.
fn is_sealed(bytes: &[u8]) -> bool {
    digest_range(bytes).is_some_and(|range| bytes[range.clone()] == *digest_without(bytes, &range).as_bytes())
}

/// `N` bytes of element `at`.
fn read<const N: usize>(data: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&data[at * N..][..N]);
    bytes
}
