//! `cargo xtask wheel`: the wheel, built in release mode, and the sdist, both as an index would take them, and the whole suite of tests against the
//! wheel in a clean environment.

use crate::place::{Scratch, command, copy_tree, name, root, stdout, succeed, target};
use crate::python::{Environment, build, requirements};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What must be in a wheel besides the extension module, by how its path ends.
const WANTED: [&str; 5] = [
    "ergodict/__init__.py",
    STUBS,
    "ergodict/py.typed",
    ".dist-info/licenses/LICENSE-MIT",
    ".dist-info/licenses/LICENSE-APACHE",
];

const STUBS: &str = "ergodict/_ergodict.pyi";

/// What must be in an sdist, by how its path ends: all that a build needs.
const NEEDED: [&str; 7] = [
    "/pyproject.toml",
    "/PKG-INFO",
    "/Cargo.lock",
    "/LICENSE-MIT",
    "/LICENSE-APACHE",
    "/crates/ergodict/src/lib.rs",
    "/python/ergodict/__init__.py",
];

/// What the tests read, copied outside the repository, where the source tree cannot be imported by mistake.
const PROOF: [&str; 7] = [
    "python/tests",
    "gallery",
    "benchsuite/choosing",
    "docs/notebooks",
    "docs/python.md",
    "README.md",
    "pyproject.toml",
];

pub(crate) fn run(arguments: &[String]) -> Result<bool> {
    let quick = match arguments {
        [] => false,
        [word] if word == "--quick" => true,
        [word, ..] => bail!("no option `{word}`: cargo xtask wheel takes only --quick"),
    };
    let profile = if quick { "dev" } else { "release" };
    let wheel = make(profile)?;
    publishable(&wheel)?;
    let size = std::fs::metadata(&wheel)?.len() as f64 / 1e6;
    let file = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    println!("{file}: {size:.1} MB");
    if !file.contains("-abi3-") {
        bail!("{file} is for one version of Python only: an abi3 wheel was expected");
    }

    let clean = Environment::empty(target()?.join("python/clean"))?;
    // First what it depends on, so that the wheel itself comes from the file and nowhere else.
    clean.install(&requirements()?.run)?;
    let mut pip = command(&clean.python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]).arg(&wheel);
    println!("$ {}", name(&pip));
    succeed(&mut pip)?;
    let listing = stdout(command(&clean.python).args(["-m", "zipfile", "-l"]).arg(&wheel))?;
    check(&names(&listing))?;

    if quick {
        let imported = "import ergodict; print('imported', ergodict.__version__, 'from', ergodict.__file__)";
        let mut import = command(&clean.python);
        succeed(import.args(["-c", imported]).current_dir(std::env::temp_dir()).env_remove("PYTHONPATH"))?;
        println!("its tests were not run, and it is not optimized: cargo xtask wheel does both");
        return Ok(true);
    }
    clean.install(&requirements()?.test)?;
    // The command line, for the comparisons with it.
    let program = build()?.program;
    let scratch = Scratch::new("wheel")?;
    for part in PROOF {
        copy_tree(&root().join(part), &scratch.0.join(part))?;
    }
    let mut tests = command(&clean.python);
    tests.args(["-m", "pytest", "-n", "2", "--quiet"]).current_dir(&scratch.0);
    tests.env_remove("PYTHONPATH").env("ERGODICT_CLI", program).env("CI", "true");
    println!("$ {}", name(&tests));
    succeed(&mut tests)?;
    println!("{} ({size:.1} MB) passes its tests in a clean environment", wheel.display());
    Ok(true)
}

/// Builds the wheel with the maturin that pyproject.toml asks for.
pub(crate) fn make(profile: &str) -> Result<PathBuf> {
    maturin(&["build", "--profile", profile, "--locked"], "whl")
}

/// What a command of maturin makes.
fn maturin(words: &[&str], extension: &str) -> Result<PathBuf> {
    let tools = Environment::with("build", &requirements()?.build)?;
    let folder = target()?.join("wheels");
    let mut maturin = command(&tools.python);
    maturin.args(["-m", "maturin"]).args(words).arg("--out").arg(&folder);
    println!("$ {}", name(&maturin));
    succeed(&mut maturin)?;
    newest(&folder, extension)
}

/// Whether an index would take the wheel and the sdist, and a build finds all it needs in the latter.
fn publishable(wheel: &Path) -> Result<()> {
    let sdist = maturin(&["sdist"], "gz")?;
    let twine = Environment::with("twine", &["twine".to_owned()])?;
    let mut check = command(&twine.python);
    check.args(["-m", "twine", "check", "--strict"]).arg(wheel).arg(&sdist);
    println!("$ {}", name(&check));
    succeed(&mut check)?;
    let listing = stdout(command(&twine.python).args(["-m", "tarfile", "-l"]).arg(&sdist))?;
    whole(&listing)?;
    println!("{} has {} files", sdist.display(), listing.lines().count());
    Ok(())
}

/// Whether the listing of an sdist has what a build needs.
fn whole(listing: &str) -> Result<()> {
    match NEEDED.iter().find(|ending| !listing.lines().any(|line| line.trim_end().ends_with(**ending))) {
        Some(missing) => bail!("the sdist has no {}", missing.trim_start_matches('/')),
        None => Ok(()),
    }
}

/// The file built last: those of earlier versions stay next to it.
fn newest(folder: &Path, extension: &str) -> Result<PathBuf> {
    let files = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let wheels = files.filter_map(|file| {
        let file = file.ok()?;
        let written = file.metadata().and_then(|facts| facts.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        let path = file.path();
        (path.extension()? == extension).then_some((written, path))
    });
    let newest =
        wheels.max().with_context(|| format!("maturin left no .{extension} in {}", folder.display()))?;
    Ok(newest.1)
}

/// The paths in a listing of `python -m zipfile -l`: a line of headings, then the path, the time and the size.
fn names(listing: &str) -> Vec<&str> {
    listing.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect()
}

fn check(names: &[&str]) -> Result<()> {
    let has = |ending: &str| names.iter().any(|name| name.ends_with(ending));
    if let Some(missing) = WANTED.iter().find(|ending| !has(ending)) {
        bail!("the wheel has no {missing}");
    }
    let modules = names.iter().filter(|name| name.contains("/_ergodict.") && **name != STUBS).count();
    if modules != 1 {
        bail!("the wheel has {modules} extension modules: one was expected");
    }
    if let Some(stray) = names.iter().find(|name| {
        !(name.starts_with("ergodict/") || name.contains(".dist-info/")) || name.contains("test")
    }) {
        bail!("the wheel has {stray}, which does not belong into it");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "File Name                 Modified             Size\n\
        ergodict/__init__.py                           2026-11-16 00:00:00          150\n\
        ergodict/_ergodict.pyi                         2026-11-16 00:00:00          150\n\
        ergodict/_ergodict.abi3.so                     2026-11-16 00:00:00          150\n\
        ergodict/py.typed                              2026-11-16 00:00:00            0\n\
        ergodict-0.1.0.dist-info/licenses/LICENSE-MIT  2026-11-16 00:00:00          150\n\
        ergodict-0.1.0.dist-info/licenses/LICENSE-APACHE 2026-11-16 00:00:00        150\n";

    #[test]
    fn an_sdist_holds_what_a_build_needs() {
        let listing: String = NEEDED.map(|file| format!("ergodict-0.1.0{file} ")).join("\n");
        whole(&listing).unwrap();
        for missing in NEEDED {
            assert!(whole(&listing.replace(missing, "/x")).is_err(), "{missing}");
        }
    }

    #[test]
    fn a_wheel_holds_what_it_must_and_nothing_else() {
        check(&names(LISTING)).unwrap();
        for gone in ["py.typed", "LICENSE-MIT", "_ergodict.abi3.so", "_ergodict.pyi"] {
            let rest: Vec<&str> = names(LISTING).into_iter().filter(|name| !name.ends_with(gone)).collect();
            assert!(check(&rest).is_err(), "{gone}");
        }
        for stray in ["python/tests/conftest.py", "ergodict/tests/test_x.py", "ergodict/_ergodict.cp311.so"] {
            let more: Vec<&str> = names(LISTING).into_iter().chain([stray]).collect();
            assert!(check(&more).is_err(), "{stray}");
        }
    }
}
