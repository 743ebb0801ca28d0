//! Bad usage and bad input: exit code 2, one line that says what would be right, and no file left behind.

use crate::bench::{Bench, numbers};
use ergodict::linalg::Mat;

/// Runs a command that must be refused with one line holding all of `said`.
fn refused(bench: &Bench, words: &str, said: &[&str]) {
    let before = bench.files();
    let done = bench.run(words);
    assert_eq!(done.code, Some(2), "{words}: {}", done.stderr);
    assert!(done.stdout.is_empty(), "{words} wrote to standard output");
    let lines: Vec<&str> = done.stderr.lines().collect();
    assert!(matches!(lines[..], [line] if line.starts_with("ergodict: error: ")), "{words}: {}", done.stderr);
    for text in said {
        assert!(done.stderr.contains(text), "{words}: `{text}` is not in {}", done.stderr);
    }
    assert_eq!(bench.files(), before, "{words} left something behind");
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.put_npy("x.npy", &numbers(4, 30));
    bench
}

#[test]
fn missing_file() {
    refused(&bench(), "factor nothing.npy -r 2 -o m", &["nothing.npy: there is no such file", ".parquet"]);
}

#[test]
fn wrong_dtype() {
    let bench = bench();
    let mut bytes = bench.bytes("x.npy");
    let at = bytes.windows(3).position(|w| w == b"<f8").unwrap();
    bytes[at..at + 3].copy_from_slice(b"<c8");
    bench.put("complex.npy", &bytes);
    refused(&bench, "factor complex.npy -r 2 -o m", &["complex.npy", "c8", "expected"]);
    bench.put("words.csv", "a,b\n1,2\n3,word\n");
    refused(&bench, "factor words.csv -r 2 -o m", &["words.csv:3", "`word`", "expected a number"]);
    refused(&bench, "factor . -r 2 -o m", &[": "]);
}

#[test]
fn ragged_csv() {
    let bench = bench();
    bench.put("x.csv", "1,2,3\n4,5,6\n7,8\n");
    refused(&bench, "factor x.csv -r 2 -o m", &["x.csv:3", "2 fields", "3 are expected"]);
}

#[test]
fn truncated_npy() {
    let bench = bench();
    let npy = bench.bytes("x.npy");
    for keep in [3, 40, 130, npy.len() - 1] {
        bench.put("cut.npy", &npy[..keep]);
        refused(&bench, "factor cut.npy -r 2 -o m", &["cut.npy: "]);
        refused(&bench, "factor cut.npy -r 2 -o m --shuffle --holdout 0.1", &["cut.npy: "]);
    }
}

#[test]
fn empty_files() {
    let bench = bench();
    bench.put("empty.csv", "");
    refused(&bench, "factor empty.csv -r 2 -o m", &["empty.csv: is empty", "expected"]);
    bench.put("header.csv", "a,b\n");
    refused(&bench, "factor header.csv -r 2 -o m", &["header.csv: holds no sample", "expected"]);
    bench.put_npy("none.npy", &Mat::<f64>::zeros(3, 0));
    for flags in ["", "--shuffle", "--holdout 0.5"] {
        refused(&bench, &format!("factor none.npy -r 2 -o m {flags}"), &["none.npy: holds no sample"]);
    }
}

#[test]
fn numbers_out_of_range() {
    let bench = bench();
    for (flags, said) in [
        ("-r 0", ["number of atoms is 0", "at least one"]),
        ("-r -1", ["'-1'", "--atoms"]),
        ("-r 2 --seed -1", ["'-1'", "--seed"]),
        ("-r 2 --batch -1", ["'-1'", "--batch"]),
        ("-r 2 --checkpoint c --checkpoint-every -1", ["--checkpoint-every is -1", "at least 0"]),
        ("-r two", ["'two'", "--atoms"]),
        ("-r 2 --lambda -1", ["lambda is -1", "not negative"]),
        ("-r 2 --lambda=-1", ["lambda is -1", "not negative"]),
        ("-r 2 --lambda nan", ["lambda is NaN", "not negative"]),
        ("-r 2 --kappa1 -0.5", ["kappa1 is -0.5", "not negative"]),
        ("-r 2 --kappa2 inf", ["kappa2 is inf", "not negative"]),
        ("-r 2 --tolerance 0", ["tolerance is 0", "positive"]),
        ("-r 2 --schedule banana", ["banana", "balanced, linear, power:B"]),
        ("-r 2 --schedule power:2", ["exponent of the schedule is 2", "(0, 1]"]),
        ("-r 2 --dictionary sphere", ["sphere", "nonneg-ball"]),
        ("-r 2 --code box", ["box", "box:U"]),
        ("-r 2 --solver slow", ["`slow`", "`projected-gradient`"]),
        ("-r 2 --normalise max", ["`max`", "`per-column`"]),
        ("-r 2 --unused drop", ["`drop`", "`reseed`"]),
        ("-r 2 --batch 0", ["batch size is 0", "at least one"]),
        ("-r 2 --epochs 0", ["epochs is 0", "at least one"]),
        ("-r 2 --holdout 1", ["held out is 1", "below 1"]),
        ("-r 2 --holdout -0.1", ["held out is -0.1", "at least 0"]),
        ("-r 2 --threads 0", ["--threads is 0", "at least one"]),
        ("-r 2 --shape 3x3", ["3x3", "4 features"]),
        ("-r 2 --resume", ["--checkpoint", "required"]),
        ("-r 2 --lamda 3", ["'--lamda'", "'--lambda'"]),
        ("", ["--atoms <R>", "required"]),
    ] {
        refused(&bench, &format!("factor x.npy -o m {flags}"), &said);
    }
    refused(&bench, "factor x.npy -r 2", &["--out <MODEL>", "required"]);
    refused(&bench, "factorise x.npy", &["factorise", "'factor'"]);
}

#[test]
fn not_finite() {
    let bench = bench();
    let mut x = numbers(3, 20);
    x.col_mut(17)[1] = f64::NAN;
    bench.put_npy("nan.npy", &x);
    let said = ["nan.npy: row 17, column 1", "NaN", "--missing"];
    for flags in ["", "--shuffle --batch 3", "--batch 4 --seed 5 --holdout 0.2", "--init data", "--f32"] {
        refused(&bench, &format!("factor nan.npy -r 2 -o m {flags}"), &said);
    }
    bench.put("inf.csv", "a,b\n1,2\n\n3,inf\n");
    refused(&bench, "factor inf.csv -r 2 -o m", &["inf.csv:4: column 2 (`b`) is infinite", "finite"]);
    bench.put("hole.csv", "1,2\n3,\n");
    refused(&bench, "factor hole.csv -r 2 -o m", &["hole.csv:2: column 2 is NaN or missing", "--missing"]);
    bench.put("huge.csv", "1e200,2\n3,4\n");
    refused(&bench, "factor huge.csv -r 1 -o m", &["huge.csv: ", "rescale"]);
}

#[test]
fn places_that_cannot_be_written() {
    let bench = bench();
    let said = ["no/m: cannot be written", "directory `no` does not exist"];
    refused(&bench, "factor x.npy -r 2 -o no/m", &said);
    refused(&bench, "factor x.npy -r 2 -o m --report no/m", &said);
    refused(&bench, "factor x.npy -r 2 -o m --checkpoint no/m", &said);
    refused(&bench, "factor x.npy -r 2 -o .", &["is a directory", "expected the name of a file"]);
    refused(&bench, "factor x.npy -r 2 -o x.npy", &["x.npy: is the data", "another file"]);
    refused(&bench, "factor x.npy -r 2 -o - --json", &["standard output", "a file"]);
}

#[test]
fn first_dictionaries_that_do_not_fit() {
    let bench = bench();
    bench.put_npy("w.npy", &numbers(3, 4));
    refused(&bench, "factor x.npy -r 2 -o m --init w.npy", &["w.npy is 4×3", "4×2 is needed"]);
    refused(&bench, "factor x.npy -r 2 -o m --init no.npy", &["no.npy", "random, data or a matrix"]);
    let mut w = numbers(2, 4);
    w.col_mut(1)[0] = f64::NAN;
    bench.put_npy("nan.npy", &w);
    refused(&bench, "factor x.npy -r 2 -o m --init nan.npy", &["nan.npy", "finite"]);
}

#[test]
fn more_than_the_memory() {
    let bench = bench();
    bench.put_npy("wide.npy", &numbers(2000, 2));
    refused(
        &bench,
        "factor wide.npy -r 1000000 -o m",
        &["1000000 atoms of 2000 features", "TiB", "available"],
    );
    refused(&bench, "factor x.npy -r 9999999 -o m", &["9999999", "not supported"]);
    bench.run("factor x.npy -r 2 -o m -q --batch 9999999999").fine();
}

#[test]
fn standard_input_is_read_once() {
    let bench = bench();
    for flags in ["--epochs 2", "--holdout 0.5", "--checkpoint c"] {
        let done = bench.run_with(&format!("factor - -r 1 -o m {flags}"), b"1 2\n3 4\n");
        assert_eq!((done.code, done.stderr.lines().count()), (Some(2), 1), "{}", done.stderr);
        assert!(done.stderr.contains("read only once") && done.stderr.contains("a file"), "{}", done.stderr);
    }
    assert_eq!(bench.files(), ["x.npy"]);
}

#[test]
fn files_that_are_no_model() {
    let bench = bench();
    bench.put("garbage", [7; 100]);
    bench.put("nothing", "");
    bench.run("factor x.npy -r 2 -o m -q").fine();
    let model = bench.bytes("m");
    bench.put("cut", &model[..model.len() - 8]);
    for name in ["garbage", "nothing", "cut", "x.npy"] {
        refused(
            &bench,
            &format!("transform {name} x.npy -o h.npy"),
            &[name, "not a model file", ".safetensors"],
        );
    }
    refused(&bench, "transform no x.npy -o h.npy", &["no: "]);
    refused(
        &bench,
        "factor x.npy -r 2 -o m2 --checkpoint m --resume",
        &["m: is a finished model", "nothing to resume"],
    );
    refused(
        &bench,
        "factor x.npy -r 2 -o m2 --checkpoint garbage --resume",
        &["garbage: ", "not a model file"],
    );
}

#[test]
fn data_that_does_not_fit_the_model() {
    let bench = bench();
    bench.run("factor x.npy -r 2 -o m -q").fine();
    bench.put("narrow.csv", "1,2,3\n");
    refused(&bench, "transform m narrow.csv -o h.npy", &["narrow.csv: has 3 features", "samples of 4"]);
    bench.put("nan.csv", "1,2,3,4\n1,nan,3,4\n");
    refused(&bench, "transform m nan.csv -o h.npy", &["nan.csv:2: column 2 is NaN", "--missing"]);
    refused(&bench, "transform m x.npy -o no/h.npy", &["directory `no` does not exist"]);
    refused(&bench, "transform m nothing.npy -o h.npy", &["nothing.npy: there is no such file"]);
}

#[test]
fn configurations_that_are_wrong() {
    let bench = bench();
    for (toml, said) in [
        ("lamda = 1", ["run.toml: `lamda` is no flag", "nearest is `lambda`"]),
        ("config = \"x\"", ["`config` is no flag", "factor"]),
        ("lambda = [1, 2]", ["`lambda` is [1,2]", "one value"]),
        ("resume = 3", ["`resume` is 3", "true or false"]),
        ("lambda = \"much\"", ["'much'", "--lambda"]),
        ("lambda = -2", ["lambda is -2", "not negative"]),
        ("a = 1\nlambda = = 3", ["run.toml:2", ""]),
    ] {
        bench.put("run.toml", toml);
        refused(&bench, "factor x.npy -r 2 -o m --config run.toml", &said);
    }
    refused(&bench, "factor x.npy -r 2 -o m --config no.toml", &["no.toml: "]);
}
