//! The model file: nothing is lost on the way to disk and back, and no file, however damaged, is believed or panics.

use ergodict::Error;
use ergodict::factor::{FactorSettings, Factorizer, Normalize, UnusedAtoms};
use ergodict::linalg::{Mat, Scalar};
use ergodict::model::{HistoryPoint, Input, Model};
use ergodict::rng::{Purpose, stream, uniform};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const FEATURES: usize = 7;

fn minibatch<T: Scalar>(id: u64) -> Mat<T> {
    let mut rng = stream(1, Purpose::Synthetic, id);
    Mat::from_fn(FEATURES, 5 + id as usize % 3, |_, _| T::from_f64(uniform(&mut rng)))
}

fn learned<T: Scalar>(parameters: FactorSettings, steps: std::ops::Range<u64>) -> Factorizer<T> {
    let mut factorizer = Factorizer::random(parameters, FEATURES, 3).unwrap();
    for id in steps {
        factorizer.step(minibatch::<T>(id).as_ref()).unwrap();
    }
    factorizer
}

/// Parameters in which nothing is as by default.
fn unusual() -> FactorSettings {
    FactorSettings {
        lambda: 0.1 + 0.2,
        kappa1: 1e-3,
        kappa2: 1.0 / 3.0,
        schedule: "power:0.8".parse().unwrap(),
        code: Some("box:2.5".parse().unwrap()),
        dictionary: Some("ball".parse().unwrap()),
        normalize: Normalize::PerColumn,
        unused: UnusedAtoms::Reseed,
        tolerance: 1e-7,
        dictionary_tolerance: 1e-5,
        dictionary_sweeps: Some(11),
        ..FactorSettings::new(4)
    }
}

fn described<T: Scalar>(factorizer: &Factorizer<T>) -> Model {
    let mut model = Model::from_factorizer(factorizer, "factor", u64::MAX);
    model.inputs = vec![Input { name: "a \"quoted\" näme.npy".into(), digest: "blake3:00ff".into() }];
    model.feature_names = Some((0..FEATURES).map(|i| format!("feature {i}, ünits\n")).collect());
    model.history.push(HistoryPoint { t: 1, samples: 5, loss: 0.1 + 0.2, surrogate: 1e-300 });
    let run =
        json!({ "command": "factor", "config": { "lambda": 0.1 + 0.2, "shuffle": true }, "other": [1] });
    model.provenance = run.into();
    model
}

fn bits<T: Scalar>(m: &Mat<T>) -> Vec<u64> {
    (0..m.cols()).flat_map(|j| m.col(j).iter().map(|x| x.to_f64().to_bits()).collect::<Vec<_>>()).collect()
}

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    (folder, path)
}

fn comes_back_whole<T: Scalar>() {
    let (_folder, path) = place();
    for parameters in [FactorSettings::new(3), unusual()] {
        let factorizer = learned::<T>(parameters, 0..6);
        let model = described(&factorizer);
        model.save(&path).unwrap();
        let back = Model::load(&path).unwrap();
        assert_eq!(back, model);
        assert_eq!(bits(&back.w.cast::<T>()), bits(factorizer.dictionary()), "W");
        assert_eq!(bits(&back.aggregates.a), bits(&factorizer.aggregates().a), "A");
        assert_eq!(bits(&back.aggregates.b_transposed), bits(&factorizer.aggregates().b_transposed), "B");
        assert_eq!(back.aggregates.r.to_bits(), factorizer.aggregates().r.to_bits(), "r");
        let first = std::fs::read(&path).unwrap();
        back.save(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), first, "the same model gives the same bytes");
    }
}

#[test]
fn everything_comes_back_bit_for_bit() {
    comes_back_whole::<f64>();
    comes_back_whole::<f32>();
}

fn goes_on_as_if_never_stopped<T: Scalar>() {
    let (_folder, path) = place();
    let simplex = FactorSettings {
        code: Some("simplex:1.5".parse().unwrap()),
        dictionary: Some("simplex".parse().unwrap()),
        schedule: "given:1,0.5,0.25".parse().unwrap(),
        ..FactorSettings::new(9)
    };
    for parameters in [FactorSettings::new(3), unusual(), simplex] {
        let mut whole = learned::<T>(parameters.clone(), 0..4);
        let stopped = learned::<T>(parameters, 0..4);
        Model::from_factorizer(&stopped, "factor", 3).save(&path).unwrap();
        drop(stopped);
        let mut resumed = Model::load(&path).unwrap().factorizer::<T>().unwrap();
        for id in 4..12 {
            let x = minibatch::<T>(id);
            assert_eq!(whole.step(x.as_ref()).unwrap(), resumed.step(x.as_ref()).unwrap(), "step {id}");
        }
        assert_eq!(bits(whole.dictionary()), bits(resumed.dictionary()));
        assert_eq!(whole.aggregates(), resumed.aggregates());
        assert_eq!(bits(whole.code()), bits(resumed.code()));
    }
}

#[test]
fn a_saved_run_goes_on_bit_for_bit() {
    goes_on_as_if_never_stopped::<f64>();
    goes_on_as_if_never_stopped::<f32>();
}

#[test]
fn the_tensors_are_as_documented() {
    let (_folder, path) = place();
    for narrow in [false, true] {
        let model = if narrow {
            Model::from_factorizer(&learned::<f32>(FactorSettings::new(3), 0..2), "factor", 0)
        } else {
            Model::from_factorizer(&learned::<f64>(FactorSettings::new(3), 0..2), "factor", 0)
        };
        model.save(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let file = SafeTensors::deserialize(&bytes).unwrap();
        let mut names = file.names();
        names.sort_unstable();
        assert_eq!(names, ["A", "B", "W"]);
        let shape = |name| (file.tensor(name).unwrap().dtype(), file.tensor(name).unwrap().shape().to_vec());
        let w_type = if narrow { Dtype::F32 } else { Dtype::F64 };
        assert_eq!(shape("W"), (w_type, vec![FEATURES, 3]));
        assert_eq!(shape("A"), (Dtype::F64, vec![3, 3]));
        assert_eq!(shape("B"), (Dtype::F64, vec![3, FEATURES]));
        // In C order: entry (1, 2) of B is element 1·d + 2.
        let b = file.tensor("B").unwrap();
        let entry = f64::from_le_bytes(b.data()[8 * (FEATURES + 2)..][..8].try_into().unwrap());
        assert_eq!(entry, model.aggregates.b_transposed.get(2, 1));
    }
}

fn refused(path: &Path, expected: &str) {
    match Model::load(path) {
        Err(error @ Error::Format { .. }) => {
            let text = error.to_string();
            assert!(text.starts_with(&path.display().to_string()), "{text}");
            assert!(text.contains(expected), "`{expected}` is not in: {text}");
            assert!(!text.contains('\n'), "one line: {text}");
        }
        other => panic!("expected a refusal with `{expected}`, found {other:?}"),
    }
}

fn saved() -> (TempDir, PathBuf, Vec<u8>) {
    let (folder, path) = place();
    described(&learned::<f64>(unusual(), 0..3)).save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (folder, path, bytes)
}

#[test]
fn a_truncated_file_is_refused_wherever_it_ends() {
    let (_folder, path, bytes) = saved();
    for keep in (0..bytes.len()).step_by(64).chain([1, 7, 8, 9, bytes.len() - 1]) {
        std::fs::write(&path, &bytes[..keep]).unwrap();
        refused(&path, "not a model file of ergodict");
    }
    let mut longer = bytes;
    longer.push(0);
    std::fs::write(&path, &longer).unwrap();
    refused(&path, "not a model file of ergodict");
}

#[test]
fn every_flipped_bit_is_refused() {
    let (_folder, path, bytes) = saved();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        let refused =
            Model::from_bytes(&damaged, &path, None).expect_err(&format!("bit {} of byte {at}", at % 8));
        assert!(matches!(refused, Error::Format { .. }) && !refused.to_string().contains('\n'), "{refused}");
    }
}

#[test]
fn a_shape_without_numbers_is_refused_at_once() {
    let (_folder, path, bytes) = saved();
    for shape in [[0, 1 << 60], [1 << 60, 0]] {
        for i in 0..3 {
            let mut parts = Parts::good(&bytes);
            (parts.tensors[i].2, parts.tensors[i].3) = (shape.to_vec(), Vec::new());
            parts.write(&path);
            assert!(std::fs::metadata(&path).unwrap().len() < 8192);
            refused(&path, "but has 0 bytes");
        }
    }
}

#[test]
fn a_damaged_file_never_panics() {
    let (_folder, path, bytes) = saved();
    let mut rng = stream(2, Purpose::Synthetic, 0);
    let mut at = |below: usize| (uniform(&mut rng) * below as f64) as usize;
    for _ in 0..3000 {
        let mut damaged = bytes.clone();
        for _ in 0..=at(3) {
            let place = at(damaged.len());
            damaged[place] = at(256) as u8;
        }
        std::fs::write(&path, sealed(damaged)).unwrap();
        // Some damage under a digest that is right is to numbers, and cannot be seen.
        if let Ok(model) = Model::load(&path) {
            let _ = model.dominance();
            let _ = model.factorizer::<f64>().map(|f| f.surrogate());
        }
    }
}

/// The bytes of a file with the right digest, where they have room for one.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let before = br#"{\"digest\":\""#;
    if let Some(at) = bytes.windows(before.len()).position(|window| window == before) {
        let start = at + before.len();
        bytes[start..start + 64].fill(b'0');
        let digest = blake3::hash(&bytes).to_hex();
        bytes[start..start + 64].copy_from_slice(digest.as_bytes());
    }
    bytes
}

/// The parts of a file, to be put together wrongly.
struct Parts {
    header: Option<String>,
    tensors: Vec<(&'static str, Dtype, Vec<usize>, Vec<u8>)>,
}

impl Parts {
    fn good(bytes: &[u8]) -> Self {
        let file = SafeTensors::deserialize(bytes).unwrap();
        let (_, metadata) = SafeTensors::read_metadata(bytes).unwrap();
        let tensor = |name| {
            let t = file.tensor(name).unwrap();
            (name, t.dtype(), t.shape().to_vec(), t.data().to_vec())
        };
        Self {
            header: metadata.metadata().as_ref().and_then(|m| m.get("ergodict")).cloned(),
            tensors: ["W", "A", "B"].map(tensor).to_vec(),
        }
    }

    fn write(&self, path: &Path) {
        let views = self
            .tensors
            .iter()
            .map(|(name, dtype, shape, data)| (*name, TensorView::new(*dtype, shape.clone(), data).unwrap()));
        let metadata = self.header.clone().map(|h| HashMap::from([("ergodict".to_owned(), h)]));
        std::fs::write(path, sealed(safetensors::serialize(views, metadata).unwrap())).unwrap();
    }

    /// With an entry of the header changed.
    fn with(mut self, key: &str, value: Value) -> Self {
        let mut header: Value = serde_json::from_str(self.header.as_deref().unwrap()).unwrap();
        header[key] = value;
        // The digest comes first.
        let digest = header["digest"].take();
        header.as_object_mut().unwrap().remove("digest");
        self.header = Some(format!("{{\"digest\":{digest},{}", &header.to_string()[1..]));
        self
    }
}

#[test]
fn foreign_and_newer_files_are_refused() {
    let (_folder, path, bytes) = saved();
    Parts::good(&bytes).write(&path);
    assert!(Model::load(&path).is_ok(), "the parts themselves are fine");

    Parts { header: None, ..Parts::good(&bytes) }.write(&path);
    refused(&path, "no ergodict header");
    Parts { header: Some("{".into()), ..Parts::good(&bytes) }.write(&path);
    refused(&path, "its header has no format number");
    Parts::good(&bytes).with("format", json!(1)).write(&path);
    refused(&path, "format 1 is older than the one that this version of ergodict reads (2)");
    Parts::good(&bytes).with("format", json!(3)).write(&path);
    refused(&path, "format 3 is newer");
    Parts::good(&bytes).with("format", json!(u64::MAX)).write(&path);
    refused(&path, "is newer");
    Parts::good(&bytes).with("precision", json!("f16")).write(&path);
    refused(&path, "damaged header");
    Parts::good(&bytes).with("r", json!(null)).write(&path);
    refused(&path, "damaged header");
    for (name, text) in [("array.npy", "\u{93}NUMPY"), ("table.csv", "a,b\n1,2\n"), ("empty", "")] {
        let path = path.with_file_name(name);
        std::fs::write(&path, text).unwrap();
        refused(&path, "not a model file of ergodict");
    }
    let missing = path.with_file_name("missing.safetensors");
    assert!(matches!(Model::load(&missing), Err(Error::Io { .. })));
    assert!(matches!(Model::load(path.parent().unwrap()), Err(Error::Io { .. })));
}

#[test]
fn a_file_at_odds_with_itself_is_refused() {
    let (_folder, path, bytes) = saved();
    let (d, r) = (FEATURES, 4);
    for (i, name) in ["W", "A", "B"].into_iter().enumerate() {
        for bad in [f64::NAN, f64::INFINITY] {
            let mut parts = Parts::good(&bytes);
            parts.tensors[i].3[8 * 5..8 * 6].copy_from_slice(&bad.to_le_bytes());
            parts.write(&path);
            refused(&path, &format!("tensor {name} holds NaN or an infinity"));
        }
        let mut parts = Parts::good(&bytes);
        parts.tensors[i].1 = Dtype::I64;
        parts.write(&path);
        refused(&path, &format!("tensor {name} is I64: expected F32 or F64"));

        let mut parts = Parts::good(&bytes);
        parts.tensors[i].2 = vec![parts.tensors[i].2.iter().product()];
        parts.write(&path);
        refused(&path, &format!("tensor {name} has 1 axes: expected 2"));

        let mut parts = Parts::good(&bytes);
        parts.tensors.remove(i);
        parts.write(&path);
        refused(&path, "not a model file of ergodict");
    }
    let mut parts = Parts::good(&bytes);
    parts.tensors[2].2 = vec![d, r];
    parts.write(&path);
    refused(&path, "shapes disagree: W is 7×4, A 4×4, B 7×4");
    let mut parts = Parts::good(&bytes);
    parts.tensors[1].2 = vec![2, 8];
    parts.write(&path);
    refused(&path, "shapes disagree");
    let mut parts = Parts::good(&bytes);
    parts.tensors[0].2 = vec![0, 4];
    parts.tensors[0].3.clear();
    parts.write(&path);
    refused(&path, "tensor W is 0×4, but has 0 bytes");

    let header: Value = serde_json::from_str(Parts::good(&bytes).header.as_deref().unwrap()).unwrap();
    for (key, value, expected) in [
        ("atoms", json!(5), "shapes disagree"),
        ("lambda", json!(-1.0), "lambda is -1"),
        ("kappa1", json!(-1.0), "kappa1 is -1"),
        ("schedule", json!("banana"), "the schedule"),
        ("dictionary", json!("cube"), "cube"),
        ("code", json!("box:-1"), "the code set"),
        ("dictionary-sweeps", json!(0), "sweeps"),
    ] {
        let mut parameters = header["parameters"].clone();
        parameters[key] = value;
        Parts::good(&bytes).with("parameters", parameters).write(&path);
        refused(&path, expected);
    }
}

#[test]
fn a_file_that_cannot_be_written_leaves_nothing() {
    let (folder, _) = place();
    let model = Model::from_factorizer(&learned::<f64>(FactorSettings::new(2), 0..1), "factor", 0);
    assert!(model.save(&folder.path().join("no/such/folder.safetensors")).is_err());
    assert!(model.save(folder.path()).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
