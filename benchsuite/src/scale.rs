//! The benchmark of scale: the command line, as a user runs it, on R-MAT networks from 10⁴ to 10⁸ edges.
//!
//! Each command is a process of its own (`child.rs`). The text of a network is put out of order first (`scramble.rs`), lines and ids,
//! so that neither sorting nor walking profits from the order it was generated in. What memory itself costs is measured in
//! `probe.rs`.

mod child;
mod probe;
mod scramble;

use anyhow::{Context, Result, bail};
use child::{Took, measure};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Scale and edge factor of R-MAT networks of a little more than 10⁴, 10⁵, … edges, found by trying: edges that are drawn twice
/// count once, which leaves out a third of the small ones and less of the large ones.
const SIZES: [(u64, u32, u32); 5] =
    [(10_000, 10, 16), (100_000, 13, 16), (1_000_000, 16, 18), (10_000_000, 19, 21), (100_000_000, 22, 26)];

/// Times that learning and reconstructing are run on each network, after one run with the file out of the page cache.
const REPEATS: usize = 3;

/// Bytes of disk for each edge at the most: the text in two orders, both `.egr`, and what sorting writes in addition to its output.
const DISK: u64 = 110;

const USAGE: &str = "usage: benchsuite scale --ergodict PROGRAM [--most EDGES] [--folder DIR]";

/// What `benchsuite scale` was asked for.
struct Options {
    /// The command line, optimized.
    ergodict: PathBuf,
    /// Networks of at most so many edges.
    most: u64,
    /// Where files are made and deleted again.
    folder: PathBuf,
}

/// Measures, and prints a line of JSON for each command; `scramble` and `probe` are parts that need a process of their own.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["scramble", from, to, scale] => {
            return scramble::run(Path::new(from), Path::new(to), scale.parse()?);
        }
        ["probe", file] => return probe::run(Path::new(file)),
        _ => {}
    }
    let options = parse(arguments)?;
    let folder = tempfile::Builder::new().prefix("ergodict-scale-").tempdir_in(&options.folder)?;
    let bench = Bench { ergodict: options.ergodict, folder: folder.path().to_owned() };
    let sizes = SIZES.iter().filter(|size| size.0 <= options.most);
    let needed = DISK * sizes.clone().map(|size| size.0).max().context("--most is less than 1e4")?;
    if let Some(free) = probe::free_bytes(folder.path()).filter(|free| *free < needed) {
        let (free, needed) = (free / 1_000_000, needed / 1_000_000);
        bail!("{}: {free} MB are free, but {needed} MB are needed (--folder)", options.folder.display());
    }
    bench.facebook()?;
    for &(edges, scale, factor) in sizes {
        bench.size(edges, scale, factor)?;
    }
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options { ergodict: PathBuf::new(), most: 100_000_000, folder: std::env::temp_dir() };
    let mut words = arguments.iter().filter(|word| *word != "--json");
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} needs a value\n{USAGE}"));
        match word.as_str() {
            "--ergodict" => options.ergodict = value()?.into(),
            // 1e8 is easier to read than its zeros.
            "--most" => options.most = value()?.parse::<f64>().context("--most takes a number")? as u64,
            "--folder" => options.folder = value()?.into(),
            other => bail!("no option `{other}`\n{USAGE}"),
        }
    }
    if !options.ergodict.is_file() {
        bail!("{}: no such program\n{USAGE}", options.ergodict.display());
    }
    options.ergodict = options.ergodict.canonicalize()?;
    Ok(options)
}

/// Where commands come from and files go.
struct Bench {
    ergodict: PathBuf,
    folder: PathBuf,
}

impl Bench {
    /// SNAP Facebook, which the others are compared with.
    fn facebook(&self) -> Result<()> {
        let data = crate::inputs::folder().join("facebook.txt.gz");
        if !data.is_file() {
            eprintln!(
                "WARNING: no facebook.txt.gz in ../shared/data or $ERGODICT_DATA: there will be no ratios"
            );
            return Ok(());
        }
        let file = self.path("facebook.egr");
        self.ergodict("network convert -q", [data.as_os_str(), "-o".as_ref(), file.as_ref()])?;
        self.network("facebook", "as published", 88_234, &file)?;
        Ok(std::fs::remove_file(file)?)
    }

    /// One R-MAT network: its files, then what is done with it, in the order it was generated in and out of order.
    fn size(&self, edges: u64, scale: u32, factor: u32) -> Result<()> {
        let name = format!("R-MAT {edges:.0e}");
        let generate = format!("network generate rmat -q --scale {scale} --edge-factor {factor} -o");
        let ordered = self.path("ordered.egr");
        let (took, _) = self.ergodict(&generate, [&ordered])?;
        tell("generate .egr", &name, edges, &took, json!({ "bytes": size_of(&ordered)? }));
        let text = self.path("ordered.txt");
        let (took, _) = self.ergodict(&generate, [&text])?;
        tell("generate text", &name, edges, &took, json!({ "bytes": size_of(&text)? }));
        self.network(&name, "generated", edges, &ordered)?;
        std::fs::remove_file(ordered)?;

        let scrambled = self.path("scrambled.txt");
        let scale = scale.to_string();
        let words: [&OsStr; 5] =
            ["scale".as_ref(), "scramble".as_ref(), text.as_ref(), scrambled.as_ref(), scale.as_ref()];
        measure(Command::new(std::env::current_exe()?).args(words))?;
        std::fs::remove_file(text)?;
        let file = self.path("scrambled.egr");
        let (took, _) = self.ergodict(
            "network convert -q --memory 2G",
            [scrambled.as_os_str(), "-o".as_ref(), file.as_ref()],
        )?;
        tell("convert", &name, edges, &took, json!({ "bytes": size_of(&file)? }));
        for (what, keys) in [("sort, numbers", "-k1,1n -k2,2n"), ("sort, bytes", "")] {
            self.sort(what, &name, edges, keys, &scrambled)?;
        }
        std::fs::remove_file(scrambled)?;
        self.network(&name, "scrambled", edges, &file)?;
        Ok(std::fs::remove_file(file)?)
    }

    /// The sort of the system on the text that was converted, with as much memory and as many threads.
    fn sort(&self, what: &str, name: &str, edges: u64, keys: &str, text: &Path) -> Result<()> {
        let sorted = self.path("sorted.txt");
        let mut sort = Command::new("sort");
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        sort.env("LC_ALL", "C").args(["-S", "2G", "--parallel", &cores.to_string()]);
        sort.args(keys.split_whitespace()).arg("-T").arg(&self.folder).arg("-o").arg(&sorted).arg(text);
        eprintln!("{name}: {what}");
        let (took, _) = measure(&mut sort)?;
        tell(what, name, edges, &took, json!({ "bytes": size_of(&sorted)? }));
        Ok(std::fs::remove_file(sorted)?)
    }

    /// What is done with a network in an `.egr` file: opened, walked on, learned from, reconstructed.
    fn network(&self, name: &str, order: &str, edges: u64, file: &Path) -> Result<()> {
        eprintln!("{name}, {order}: probe");
        probe::forget(file)?;
        let (took, out) = measure(Command::new(std::env::current_exe()?).args(["scale", "probe"]).arg(file))?;
        let probed = serde_json::from_slice(&out).context("a probe is one line of JSON")?;
        tell("probe", name, edges, &took, merged(json!({ "order": order }), probed));

        let model = self.path("model.safetensors");
        // One thread, as the cost of a homomorphism is asked for, not that of a second core.
        let learn = "network learn -q --json -j 1 -k 21 -r 25 --sampler pivot-approx -o";
        probe::forget(file)?;
        for run in 0..=REPEATS {
            let (took, out) = self.ergodict(learn, [&model, file])?;
            let more = json!({ "order": order, "cold": run == 0 });
            let fields = [
                "seconds",
                "set_up_seconds",
                "patch_seconds",
                "learning_seconds",
                "example_seconds",
                "samples",
            ];
            tell("learn", name, edges, &took, merged(more, picked(&out, &fields)?));
        }
        if order == "generated" {
            return Ok(());
        }
        let table = self.path("rebuilt.tsv");
        let rebuild = "network reconstruct -q --json -j 1 --samples 100000 --sampler pivot-approx --memory 400M --model";
        for _ in 0..REPEATS {
            let words: [&OsStr; 4] = [model.as_ref(), "-o".as_ref(), table.as_ref(), file.as_ref()];
            let (took, out) = self.ergodict(rebuild, words)?;
            let fields =
                ["seconds", "set_up_seconds", "writing_seconds", "samples", "pairs_visited", "edge_coverage"];
            let more = json!({ "order": order, "bytes": size_of(&table)? });
            tell("reconstruct", name, edges, &took, merged(more, picked(&out, &fields)?));
        }
        std::fs::remove_file(table)?;
        Ok(std::fs::remove_file(model)?)
    }

    /// Runs the command line: words, then paths.
    fn ergodict(
        &self,
        words: &str,
        paths: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Result<(Took, Vec<u8>)> {
        eprintln!("ergodict {words} …");
        measure(Command::new(&self.ergodict).args(words.split_whitespace()).args(paths))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Prints a line: what was run on which network, what it took, and what else is known of it.
fn tell(what: &str, network: &str, edges: u64, took: &Took, more: Value) {
    let line = json!({ "what": what, "network": network, "edges_wanted": edges });
    println!("{}", merged(merged(line, took.json()), more));
}

/// The fields of both objects.
fn merged(mut one: Value, other: Value) -> Value {
    if let (Value::Object(one), Value::Object(other)) = (&mut one, other) {
        one.extend(other);
    }
    one
}

/// Some fields of what a command printed as JSON, the times by a name that does not clash with those of the process.
fn picked(out: &[u8], fields: &[&str]) -> Result<Value> {
    let all: Value = serde_json::from_slice(out).context("--json prints JSON")?;
    let of = |field: &&str| ((*field).to_owned(), all.get(*field).cloned().unwrap_or(Value::Null));
    Ok(Value::Object(fields.iter().map(of).collect()))
}

fn size_of(file: &Path) -> Result<u64> {
    Ok(std::fs::metadata(file)?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_picked_and_merged() {
        let more = picked(b"{\"seconds\": 2.5, \"other\": 1}", &["seconds", "samples"]).unwrap();
        assert_eq!(merged(json!({ "a": 1 }), more), json!({ "a": 1, "seconds": 2.5, "samples": null }));
    }

    #[test]
    fn options_are_checked() {
        let parse = |text: &str| parse(&text.split_whitespace().map(String::from).collect::<Vec<_>>());
        for bad in ["", "--ergodict /nowhere/at/all", "--most", "--fast"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        let program = std::env::current_exe().unwrap();
        let options = parse(&format!("--ergodict {} --most 1e6", program.display())).unwrap();
        assert_eq!(options.most, 1_000_000);
    }
}
