//! `ergodict model`: what is shown is what is in the file, and every format gives the same numbers back.

use assert_cmd::Command;
use ergodict::data::{Batch, MatrixStream, StreamOptions};
use ergodict::factor::{FactorSettings, Factorizer};
use ergodict::linalg::{Mat, Scalar};
use ergodict::model::{HistoryPoint, Input, Model};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with a model in it.
struct Place {
    folder: TempDir,
    model: Model,
}

impl Place {
    /// A model of `atoms` atoms of `features` features after three steps.
    fn with<T: Scalar>(features: usize, atoms: usize, change: impl FnOnce(&mut Model)) -> Self {
        let mut factorizer = Factorizer::<T>::random(
            FactorSettings { lambda: 0.1, ..FactorSettings::new(atoms) },
            features,
            1,
        )
        .unwrap();
        for t in 0..3 {
            let entry = |i: usize, j: usize| T::from_f64(((i * 7 + j * 3 + t) % 5) as f64 / 3.0);
            factorizer.step(Mat::from_fn(features, 6, entry).as_ref()).unwrap();
        }
        let mut model = Model::from_factorizer(&factorizer, "factor", 1);
        change(&mut model);
        let folder = TempDir::new().unwrap();
        model.save(&folder.path().join("m.safetensors")).unwrap();
        Self { folder, model }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, words: &str) -> assert_cmd::assert::Assert {
        let mut command = Command::cargo_bin("ergodict").unwrap();
        command.current_dir(self.folder.path()).args(words.split(' ')).assert()
    }

    /// Runs a command that must be refused in one line with `said` in it, leaving nothing.
    fn refused(&self, words: &str, said: &[&str]) {
        let before = std::fs::read_dir(self.folder.path()).unwrap().count();
        let done = self.run(words).code(2);
        let stderr = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        assert_eq!(stderr.lines().count(), 1, "{words}: {stderr}");
        for text in said {
            assert!(stderr.contains(text), "{words}: `{text}` is not in {stderr}");
        }
        assert!(done.get_output().stdout.is_empty(), "{words}");
        assert_eq!(std::fs::read_dir(self.folder.path()).unwrap().count(), before, "{words} left something");
    }
}

fn text(done: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

/// A matrix file whole; a row of the file is a column.
fn read<T: Scalar>(path: &Path) -> Mat<T> {
    let mut stream = MatrixStream::open(path, &StreamOptions::default()).unwrap();
    let mut batch = Batch::<T>::new();
    stream.next_batch(10_000, &mut batch).unwrap();
    batch.as_mat_ref().to_owned()
}

fn bits<T: Scalar>(m: &Mat<T>) -> Vec<u64> {
    (0..m.cols()).flat_map(|j| m.col(j).iter().map(|x| x.to_f64().to_bits()).collect::<Vec<_>>()).collect()
}

#[test]
fn shows_what_is_in_the_file() {
    let place = Place::with::<f32>(9, 12, |model| {
        model.inputs = vec![Input { name: "x.npy".into(), digest: "blake3:abc".into() }];
        model.history.push(HistoryPoint { t: 3, samples: 18, loss: 0.25, surrogate: 0.5 });
    });
    let table = text(&place.run("model show m.safetensors").success());
    for part in [
        "9 features, 12 atoms, f32",
        "3 steps, 18 samples",
        "0.250 per sample, at step 3",
        "x.npy blake3:abc",
        "lambda 0.1",
        "top 10 of 12",
    ] {
        assert!(table.contains(part), "`{part}` is not in\n{table}");
    }
    assert_eq!(table.lines().rev().take_while(|l| !l.starts_with("atom")).count(), 10);
    let json: Value =
        serde_json::from_str(&text(&place.run("model show m.safetensors --json").success())).unwrap();
    assert_eq!(json["schema"], "ergodict.model/1");
    assert_eq!(json["kind"], "factor");
    assert_eq!((json["features"].as_u64(), json["atoms"].as_u64()), (Some(9), Some(12)));
    assert_eq!(json["precision"], "f32");
    assert_eq!(json["parameters"]["lambda"], 0.1);
    assert_eq!(json["inputs"][0]["digest"], "blake3:abc");
    assert_eq!(json["loss_per_sample"], 0.25);
    let (scores, order) = place.model.dominance();
    let shown: Vec<f64> = json["dominance"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert_eq!(shown, scores);
    assert_eq!(json["order"][0], order[0]);
    let surrogate = place.model.factorizer::<f64>().unwrap().surrogate() / 6.0;
    assert!((json["surrogate_per_sample"].as_f64().unwrap() / surrogate - 1.0).abs() < 1e-12);
}

#[test]
fn before_the_first_step_there_is_no_loss() {
    let started = Factorizer::<f64>::random(FactorSettings::new(3), 4, 1).unwrap();
    let place = Place::with::<f64>(4, 3, |model| *model = Model::from_factorizer(&started, "factor", 1));
    let table = text(&place.run("model show m.safetensors").success());
    assert!(!table.contains("NaN") && table.contains("surrogate         no step yet"), "{table}");
    assert!(table.contains("stationarity gap  no step yet"), "{table}");
    let json: Value =
        serde_json::from_str(&text(&place.run("model show --json m.safetensors").success())).unwrap();
    assert_eq!((&json["surrogate_per_sample"], &json["stationarity_gap"]), (&Value::Null, &Value::Null));
    assert_eq!(json["steps"], 0);
}

#[test]
fn counts_unused_atoms() {
    let place = Place::with::<f64>(4, 3, |model| {
        for k in 0..3 {
            model.aggregates.a.col_mut(1)[k] = 0.0;
            model.aggregates.a.col_mut(k)[1] = 0.0;
        }
    });
    assert!(text(&place.run("model show m.safetensors").success()).contains("1 of 3"));
    let json: Value =
        serde_json::from_str(&text(&place.run("model show --json m.safetensors").success())).unwrap();
    assert_eq!((&json["unused_atoms"], &json["unused"][0]), (&Value::from(1), &Value::from(1)));
}

fn round_trips<T: Scalar>() {
    let place = Place::with::<T>(9, 4, |_| {});
    let w = place.model.w.cast::<T>();
    for format in ["npy", "npz", "csv"] {
        let said = place.run(&format!("model export m.safetensors -o out.{format}")).success();
        assert!(said.get_output().stdout.is_empty());
        let file = if format == "npz" { "out.npz:W".to_owned() } else { format!("out.{format}") };
        assert_eq!(bits(&read::<T>(&place.path(&file)).transposed()), bits(&w), "{format} {}", T::NAME);
    }
    let a = read::<f64>(&place.path("out.npz:A"));
    assert_eq!(bits(&a.transposed()), bits(&place.model.aggregates.a));
    let b = read::<f64>(&place.path("out.npz:B"));
    assert_eq!(bits(&b), bits(&place.model.aggregates.b_transposed));
    let descr = format!("'<f{}'", size_of::<T>());
    let npy = std::fs::read(place.path("out.npy")).unwrap();
    assert!(String::from_utf8_lossy(&npy[..128]).contains(&descr), "{descr}");
    let first = std::fs::read(place.path("out.npz")).unwrap();
    place.run("model export m.safetensors -o out.npz").success();
    assert_eq!(std::fs::read(place.path("out.npz")).unwrap(), first, "no dates");
}

#[test]
fn numbers_come_back_from_every_format() {
    round_trips::<f64>();
    round_trips::<f32>();
}

#[test]
fn csv_names_features_and_atoms() {
    let plain = Place::with::<f64>(4, 2, |_| {});
    plain.run("model export m.safetensors -o w.csv").success();
    let csv = std::fs::read_to_string(plain.path("w.csv")).unwrap();
    assert!(csv.starts_with("atom0,atom1\n") && csv.lines().count() == 5, "{csv}");
    let named = Place::with::<f64>(4, 2, |model| {
        model.feature_names =
            Some(["plain", "with, comma", "a \"quote\"", "ünï"].map(str::to_owned).to_vec());
    });
    let csv = text(&named.run("model export m.safetensors -o - --format csv").success());
    let starts: Vec<&str> = csv.lines().map(|line| &line[..line.len().min(13)]).collect();
    assert_eq!(starts[0], "feature,atom0");
    assert!(
        csv.contains("\nplain,")
            && csv.contains("\n\"with, comma\",")
            && csv.contains("\n\"a \"\"quote\"\"\","),
        "{csv}"
    );
}

#[test]
fn draws_the_atoms() {
    let place = Place::with::<f64>(6, 4, |_| {});
    place.run("model export m.safetensors -o a.png --shape 2x3").success();
    let png = std::fs::read(place.path("a.png")).unwrap();
    assert_eq!(&png[1..4], b"PNG");
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert!(side(16) > side(20), "atoms are wider than high");
    place.run("model export m.safetensors -o a.svg --shape 3x2").success();
    let grid = std::fs::read_to_string(place.path("a.svg")).unwrap();
    assert_eq!((grid.matches("<image").count(), grid.matches("class=\"atom\"").count()), (4, 4));
    let (scores, order) = place.model.dominance();
    let at = |label: f64| grid.find(&format!(">{label:.3}</text>")).unwrap();
    assert!(at(scores[order[0]]) <= at(scores[order[3]]), "most dominant first");
    place.run("model export m.safetensors -o i.svg --order index").success();
    let profiles = std::fs::read_to_string(place.path("i.svg")).unwrap();
    assert!(!profiles.contains("<image") && profiles.contains("profiles"), "6 is no square");
    place
        .refused("model export m.safetensors -o b.png", &["6 features are no square", "--shape HxW", ".svg"]);
    place.refused("model export m.safetensors -o b.png --shape 2x2", &["6 entries", "2 × 2 needs 4"]);
    place.refused("model export m.safetensors -o b.png --shape 6", &["HxW"]);
    place.refused("model export m.safetensors -o b.csv --shape 2x3", &["--shape is for pictures"]);
    let square = Place::with::<f64>(9, 4, |_| {});
    square.run("model export m.safetensors -o a.PNG").success();
    square.run("model export m.safetensors -o a.svg").success();
    assert!(std::fs::read_to_string(square.path("a.svg")).unwrap().contains("3 by 3"));
}

#[test]
fn bad_requests_and_bad_files_are_refused_in_one_line() {
    let place = Place::with::<f64>(4, 2, |_| {});
    let possible = [".npz", ".npy", ".csv", ".png", ".svg"];
    for out in ["w.xlsx", "w", "-", "w.safetensors"] {
        place.refused(&format!("model export m.safetensors -o {out}"), &possible);
    }
    place.refused("model export m.safetensors", &["--out"]);
    place.refused("model export m.safetensors -o no/such/w.npz", &["no/such", "does not exist"]);
    let whole = std::fs::read(place.path("m.safetensors")).unwrap();
    for (name, bytes) in [("cut", &whole[..whole.len() / 2]), ("empty", &[]), ("text", b"a,b\n1,2\n")] {
        std::fs::write(place.path(name), bytes).unwrap();
        place.refused(&format!("model show {name}"), &[name, "not a model file of ergodict"]);
        place.refused(&format!("model export {name} -o w.npz"), &[name, "not a model file of ergodict"]);
    }
    place.refused("model show missing.safetensors", &["missing.safetensors"]);
    place.refused("model show .", &["."]);
}
