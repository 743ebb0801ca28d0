//! Every target over its seeds and seeded mutations of them: no panic, whatever the bytes.

mod mutate;

use mutate::Mutator;
use std::fs;
use std::path::{Path, PathBuf};

/// Mutations of each target, where `ERGODICT_FUZZ_MUTATIONS` says nothing else.
const MUTATIONS: u64 = 1000;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = corpus().join(target);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// Shows the input of a target that panics.
struct Input<'a>(&'a [u8]);

impl Drop for Input<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the input: b\"{}\"", self.0.escape_ascii());
        }
    }
}

fn check(name: &str) {
    let (target, seeds) = (ergodict_fuzz::find(name).unwrap(), seeds(name));
    for seed in &seeds {
        let _input = Input(seed);
        target(seed);
    }
    let count = std::env::var("ERGODICT_FUZZ_MUTATIONS").ok().map_or(MUTATIONS, |n| n.parse().unwrap());
    let mut mutator = Mutator::new(name);
    for _ in 0..count {
        let bytes = mutator.mutate(&seeds);
        let _input = Input(&bytes);
        target(&bytes);
    }
}

macro_rules! tests {
    ($($name:ident),*) => {
        mod target {
            $(#[test]
            fn $name() {
                super::check(stringify!($name));
            })*
        }
    };
}
ergodict_fuzz::for_each_target!(tests);

#[test]
fn every_target_has_seeds_and_all_are_small() {
    let mut folders: Vec<String> = Vec::new();
    let mut bytes = 0;
    for folder in fs::read_dir(corpus()).unwrap() {
        let folder = folder.unwrap();
        folders.push(folder.file_name().into_string().unwrap());
        bytes +=
            fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().metadata().unwrap().len()).sum::<u64>();
    }
    folders.sort();
    assert_eq!(folders, ergodict_fuzz::names());
    assert!(bytes < 300_000, "{bytes} bytes of seeds");
}

/// What targets do with their seeds shows in what is accepted: a seed of an older format would be refused at once, and with it all mutations.
/// `ERGODICT_FUZZ_SEEDS=write` writes them anew.
#[test]
fn seeds_are_those_that_this_version_writes() {
    let folder = tempfile::tempdir().unwrap();
    let made = ergodict_fuzz::seeds::binary(folder.path()).unwrap();
    let write = std::env::var_os("ERGODICT_FUZZ_SEEDS").is_some();
    for (target, name, bytes) in made {
        assert!(ergodict_fuzz::find(target).is_some(), "no target {target}");
        let path = corpus().join(target).join(&name);
        if write {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &bytes).unwrap();
        }
        // Times and versions of processors differ; what a file begins with does not.
        let kept = fs::read(&path).unwrap_or_default();
        let start = bytes.len().min(8);
        assert_eq!(
            kept.get(..start),
            Some(&bytes[..start]),
            "{target}/{name}: ERGODICT_FUZZ_SEEDS=write writes it"
        );
    }
}
