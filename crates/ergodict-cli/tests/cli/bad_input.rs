//! Bad usage and bad input: exit code 2, one line that says what would be right, and no file left behind.

use crate::bench::{Bench, numbers};
use ergodict::data::{Batch, MatrixStream, StreamOptions};
use ergodict::linalg::Mat;
use std::path::Path;

/// Runs a command that must be refused with one line holding all of `said`.
pub(crate) fn refused(bench: &Bench, words: &str, said: &[&str]) {
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
    refused(&bench(), "factor nothing.npy -r 2 -o m", &["nothing.npy: file not found", ".parquet"]);
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
    bench.run("factor x.npy -r 2 -o m -q").fine();
    bench.put_npy("none.npy", &Mat::<f64>::zeros(4, 0));
    let said = ["none.npy: holds no sample: expected at least one row"];
    refused(&bench, "transform m none.npy -o h.npy", &said);
}

#[test]
fn numbers_out_of_range() {
    let bench = bench();
    for (flags, said) in [
        ("-r 0", ["number of atoms is 0", "at least one"]),
        ("-r -1", ["is -1", "--atoms"]),
        ("-r 2 --seed -1", ["is -1", "--seed"]),
        ("-r 2 --batch -1", ["is -1", "--batch"]),
        ("-r 2 --checkpoint c --checkpoint-every -1", ["--checkpoint-every is -1", "at least 0"]),
        ("-r two", ["is two", "--atoms"]),
        ("-r 2 --lambda -1", ["lambda is -1", "not negative"]),
        ("-r 2 --lambda=-1", ["lambda is -1", "not negative"]),
        ("-r 2 --lambda nan", ["--lambda is nan", "expected a number, or auto"]),
        ("-r 2 --kappa1 -0.5", ["kappa1 is -0.5", "not negative"]),
        ("-r 2 --kappa2 inf", ["kappa2 is inf", "not negative"]),
        ("-r 2 --tolerance 0", ["tolerance is 0", "positive"]),
        ("-r 2 --schedule banana", ["banana", "balanced, linear, power:B"]),
        ("-r 2 --schedule power:2", ["exponent of the schedule is 2", "(0, 1]"]),
        ("-r 2 --dictionary sphere", ["sphere", "nonneg-ball"]),
        ("-r 2 --code box", ["box", "box:U"]),
        ("-r 2 --solver slow", ["is slow", "projected-gradient"]),
        ("-r 2 --normalize max", ["is max", "per-column"]),
        ("-r 2 --unused drop", ["is drop", "reseed"]),
        ("-r 2 --batch 0", ["--batch is 0", "at least one"]),
        ("-r 2 --epochs 0", ["--epochs is 0", "at least one"]),
        ("-r 2 --holdout 1", ["--holdout is 1", "below 1"]),
        ("-r 2 --holdout -0.1", ["--holdout is -0.1", "at least 0"]),
        ("-r 2 --threads 0", ["--threads is 0", "at least one"]),
        ("-r 2 --shape 3x3", ["3x3", "4 features"]),
        ("-r 2 --resume", ["--checkpoint", "needs"]),
        ("-r 2 --lamda 3", ["unknown flag", "did you mean '--lambda'?"]),
        ("", ["--atoms <R>", "needs"]),
    ] {
        refused(&bench, &format!("factor x.npy -o m {flags}"), &said);
    }
    refused(&bench, "factor x.npy -r 2", &["--out <MODEL>", "needs"]);
    refused(&bench, "factorize x.npy", &["factorize", "did you mean 'factor'?"]);
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
}

#[test]
fn files_named_twice() {
    let bench = bench();
    bench.put_npz("x.npz", &numbers(4, 30));
    bench.put_npy("w.npy", &numbers(2, 4));
    bench.put("run.toml", "lambda = 0.5\n");
    bench.run("factor x.npy -r 2 -o m -q").fine();
    std::fs::create_dir(bench.path("sub")).unwrap();
    let before = ["x.npy", "x.npz", "w.npy", "run.toml", "m"].map(|name| bench.bytes(name));
    let factor = "factor x.npy -r 2";
    for (words, said) in [
        (format!("{factor} -o x.npy"), ["DATA x.npy and -o x.npy are the same file", "name another"]),
        (format!("{factor} -o sub/../x.npy"), ["DATA x.npy and -o sub/../x.npy are", "overwritten"]),
        (format!("{factor} -o n --report x.npy"), ["DATA x.npy and --report x.npy are", "overwritten"]),
        (
            format!("{factor} -o n --checkpoint x.npy"),
            ["DATA x.npy and --checkpoint x.npy are", "overwritten"],
        ),
        ("factor x.npz:X -r 2 -o x.npz".into(), ["DATA x.npz:X and -o x.npz are", "overwritten"]),
        (format!("{factor} --init w.npy -o w.npy"), ["--init w.npy and -o w.npy are", "overwritten"]),
        (
            format!("{factor} --init w.npy -o n --report w.npy"),
            ["--init w.npy and --report w.npy", "overwritten"],
        ),
        (
            format!("{factor} --init w.npy -o n --checkpoint ./w.npy --resume"),
            ["--init w.npy and --checkpoint ./w.npy", "overwritten"],
        ),
        (
            format!("{factor} --config run.toml -o run.toml"),
            ["--config run.toml and -o run.toml", "overwritten"],
        ),
        (format!("{factor} --config m -o m"), ["--config m and -o m", "overwritten"]),
        (format!("{factor} -o n --checkpoint n"), ["-o n and --checkpoint n are the same file", "two"]),
        (format!("{factor} -o n --checkpoint sub/../n"), ["-o n and --checkpoint sub/../n are", "two"]),
        (format!("{factor} -o n --report ./n"), ["-o n and --report ./n are the same file", "two"]),
        (format!("{factor} -o n --report p --checkpoint p"), ["--report p and --checkpoint p are", "two"]),
        (format!("{factor} -o - --json"), ["--json and -o - both write to standard output", "a file"]),
        (
            format!("{factor} -o - --report -"),
            ["-o - and --report - both write to standard output", "a file"],
        ),
        (format!("{factor} -o n --report - --json"), ["--json and --report - both write", "a file"]),
        (format!("{factor} -o n --checkpoint -"), ["--checkpoint is -", "a file"]),
        ("transform m x.npy -o x.npy".into(), ["DATA x.npy and -o x.npy are", "overwritten"]),
        ("transform m x.npz:X -o ./x.npz".into(), ["DATA x.npz:X and -o ./x.npz are", "overwritten"]),
        ("transform m x.npy -o m".into(), ["MODEL m and -o m are", "overwritten"]),
        ("transform m x.npy -o - --json".into(), ["--json and -o - both write", "a file"]),
        ("model export m -o m".into(), ["MODEL m and -o m are", "overwritten"]),
        ("model export m -o sub/../m --format npy".into(), ["MODEL m and -o sub/../m are", "overwritten"]),
        ("model export m -o - --format npy --json".into(), ["--json and -o - both write", "a file"]),
    ] {
        refused(&bench, &words, &said);
    }
    assert!(["x.npy", "x.npz", "w.npy", "run.toml", "m"].map(|name| bench.bytes(name)) == before);
    for name in ["report.html", "network.safetensors"] {
        bench.put(name, "seed = 1\n");
        let said = format!("--config {name} and -o ./{name}");
        refused(&bench, &format!("demo -o . --config {name}"), &[&said, "overwritten"]);
    }
    // A device takes everything.
    #[cfg(unix)]
    bench.run(&format!("{factor} -q -o /dev/null --report /dev/null")).fine();
}

/// The crate that reads Parquet checks much by assertions: what they say must not be seen.
#[test]
fn damaged_parquet() {
    let bench = bench();
    crate::bench::parquet(&bench.path("x.parquet"), &numbers(3, 20));
    let whole = bench.bytes("x.parquet");
    let read = |path: &Path| -> ergodict::Result<usize> {
        MatrixStream::open(path, &StreamOptions::default())?.next_batch(100, &mut Batch::<f64>::new())
    };
    // The changes of one byte that make the crate panic; tried here, where that is fast.
    let mut panics = Vec::new();
    for at in 4..whole.len() - 8 {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x80;
        bench.put("bad.parquet", &bytes);
        if read(&bench.path("bad.parquet")).is_err_and(|e| e.to_string().contains(PANICKED)) {
            panics.push(bytes);
        }
    }
    assert!(!panics.is_empty(), "no change made the crate panic: try others");
    for bytes in panics.iter().take(5) {
        bench.put("bad.parquet", bytes);
        refused(&bench, "factor bad.parquet -r 2 -o m", &["bad.parquet", PANICKED]);
    }
}

/// What is said where the crate that reads Parquet panics, and only there.
const PANICKED: &str = "cannot be decoded: the Parquet file is damaged";

#[test]
fn first_dictionaries_that_do_not_fit() {
    let bench = bench();
    bench.put_npy("w.npy", &numbers(3, 4));
    refused(
        &bench,
        "factor x.npy -r 2 -o m --init w.npy",
        &["--init is w.npy", "it is 4×3, and 4×2 is needed"],
    );
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
    let twice = "--epochs 1 without --holdout";
    for (flags, said) in [("--epochs 2", twice), ("--holdout 0.5", twice), ("--checkpoint c", "resumed")] {
        let done = bench.run_with(&format!("factor - -r 1 -o m {flags}"), b"1 2\n3 4\n");
        assert_eq!((done.code, done.stderr.lines().count()), (Some(2), 1), "{}", done.stderr);
        for text in ["read only once", "a file", said] {
            assert!(done.stderr.contains(text), "`{text}` is not in {}", done.stderr);
        }
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
    refused(&bench, "factor x.npy -r 2 -o m2 --checkpoint m --resume", &["m: is not a checkpoint"]);
    refused(
        &bench,
        "factor x.npy -r 2 -o m2 --checkpoint garbage --resume",
        &["garbage: is not a checkpoint"],
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
    refused(&bench, "transform m nothing.npy -o h.npy", &["nothing.npy: file not found"]);
}

#[test]
fn configurations_that_are_wrong() {
    let bench = bench();
    for (toml, said) in [
        ("lamda = 1", ["run.toml: unknown setting `lamda`", "did you mean `lambda`?"]),
        ("config = \"x\"", ["unknown setting `config`", "factor"]),
        ("lambda = [1, 2]", ["`lambda` is [1,2]", "one value"]),
        ("resume = 3", ["`resume` is 3", "true or false"]),
        ("lambda = \"much\"", ["is much", "--lambda"]),
        ("lambda = -2", ["lambda is -2", "not negative"]),
        ("a = 1\nlambda = = 3", ["run.toml:2", ""]),
    ] {
        bench.put("run.toml", toml);
        refused(&bench, "factor x.npy -r 2 -o m --config run.toml", &said);
    }
    refused(&bench, "factor x.npy -r 2 -o m --config no.toml", &["no.toml: "]);
}

#[test]
fn text_under_the_name_of_a_binary_format() {
    let bench = bench();
    for name in ["words.npy", "words.npz", "words.parquet"] {
        bench.put(name, "hello this is no matrix\n");
        refused(&bench, &format!("factor {name} -r 2 -o m"), &[name, "whatever its name"]);
    }
}

#[test]
fn codes_under_the_name_of_another_format() {
    let bench = bench();
    bench.run("factor x.npy -r 2 -o made -q --lambda 0.1").fine();
    refused(&bench, "transform made x.npy -o h.csv", &["codes are written as .npy, not .csv"]);
}
