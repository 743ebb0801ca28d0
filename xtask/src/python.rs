//! Virtual environments for the Python package, and its extension module where the interpreter finds it.

use crate::debian;
use crate::place::{command, name, root, stdout, succeed, target, workspace};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The oldest Python the package is for, as `requires-python` of pyproject.toml has it.
const OLDEST: (u32, u32) = (3, 10);

/// What pyproject.toml asks for.
#[derive(Debug, PartialEq)]
pub(crate) struct Requirements {
    /// To build: maturin.
    pub(crate) build: Vec<String>,
    /// To run.
    pub(crate) run: Vec<String>,
    /// To test.
    pub(crate) test: Vec<String>,
}

/// The lists of pyproject.toml, read here because the pip of a bare machine knows no dependency groups yet.
pub(crate) fn requirements() -> Result<Requirements> {
    parse(&std::fs::read_to_string(root().join("pyproject.toml")).context("cannot read pyproject.toml")?)
}

fn parse(text: &str) -> Result<Requirements> {
    let project: toml::Table = text.parse().context("pyproject.toml is not TOML")?;
    let list = |table: &str, key: &str| -> Result<Vec<String>> {
        let list = project.get(table).and_then(|table| table.get(key)).and_then(toml::Value::as_array);
        let list = list.with_context(|| format!("pyproject.toml has no list `{key}` in [{table}]"))?;
        let words = list.iter().map(|word| word.as_str().map(String::from)).collect::<Option<_>>();
        words
            .with_context(|| format!("`{key}` in [{table}] of pyproject.toml must be a list of requirements"))
    };
    Ok(Requirements {
        build: list("build-system", "requires")?,
        run: list("project", "dependencies")?,
        test: list("dependency-groups", "test")?,
    })
}

/// A virtual environment under `target/python`, by the path of its interpreter.
pub(crate) struct Environment {
    folder: PathBuf,
    pub(crate) python: PathBuf,
}

impl Environment {
    /// The environment of this name with these packages in it. A list of them marks it as complete, so that an installation that
    /// broke off, or a list that changed, is made good by the next run.
    pub(crate) fn with(name: &str, packages: &[String]) -> Result<Self> {
        let environment = Self::within(target()?.join("python").join(name));
        let stamp = environment.folder.join("installed.txt");
        let list = format!("{}\n{}\n{}", interpreter()?, packages.join("\n"), pinned()?.unwrap_or_default());
        if std::fs::read_to_string(&stamp).is_ok_and(|done| done == list) && environment.python.exists() {
            return Ok(environment);
        }
        environment.clear()?;
        environment.install(packages)?;
        std::fs::write(&stamp, list).with_context(|| format!("cannot write {}", stamp.display()))?;
        Ok(environment)
    }

    /// An environment in this folder with nothing in it.
    pub(crate) fn empty(folder: PathBuf) -> Result<Self> {
        interpreter()?;
        let environment = Self::within(folder);
        environment.clear()?;
        Ok(environment)
    }

    fn within(folder: PathBuf) -> Self {
        let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        Self { folder, python }
    }

    /// Makes it again, empty.
    fn clear(&self) -> Result<()> {
        let make = || stdout(command(PYTHON).args(["-m", "venv", "--clear"]).arg(&self.folder));
        // Debian has the module venv without ensurepip, which it needs, in every Python.
        let made = make().or_else(|error| {
            debian::install(
                &["python3", "python3-venv"],
                &format!("{error:#}\npython3 needs its modules venv and pip"),
            )?;
            make()
        });
        made.map(drop)
    }

    /// Installs packages, or wheels by their paths.
    pub(crate) fn install(&self, packages: &[String]) -> Result<()> {
        let words = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-compile",
            "--disable-pip-version-check",
            "--prefer-binary",
        ];
        let mut pip = command(&self.python);
        pip.args(words);
        if pinned()?.is_some() {
            pip.args(["--constraint", CONSTRAINTS]);
        }
        println!("$ pip install {}", packages.join(" "));
        succeed(pip.args(packages)).context("pip cannot install what pyproject.toml asks for")
    }

    /// Makes the package importable from the source tree, as `maturin develop` does, with the extension module that cargo built there.
    pub(crate) fn develop(&self, library: &Path) -> Result<()> {
        let package = root().join("python/ergodict");
        let ending = if cfg!(windows) { "pyd" } else { "abi3.so" };
        // By way of another name: a running interpreter may have the old one mapped.
        let (new, module) = (package.join("_ergodict.new"), package.join(format!("_ergodict.{ending}")));
        std::fs::copy(library, &new).with_context(|| format!("cannot copy {}", library.display()))?;
        std::fs::rename(&new, &module).with_context(|| format!("cannot write {}", module.display()))?;
        let site = "import sysconfig; print(sysconfig.get_path('purelib'))";
        let site = stdout(command(&self.python).args(["-c", site]))?;
        let link = Path::new(site.trim()).join("ergodict.pth");
        std::fs::write(&link, format!("{}\n", root().join("python").display()))
            .with_context(|| format!("cannot write {}", link.display()))
    }
}

/// The versions of packages that the tests are known to pass with.
const CONSTRAINTS: &str = "python/constraints.txt";

/// The list of these versions, where it is for the Python on the path: its first line says for which. Others take the newest.
fn pinned() -> Result<Option<String>> {
    let list = std::fs::read_to_string(root().join(CONSTRAINTS))
        .with_context(|| format!("cannot read {CONSTRAINTS}"))?;
    let version = interpreter()?;
    Ok(is_for(&list, &version).then_some(list))
}

/// Whether a list begins with `# Python` and the first two numbers of a version.
fn is_for(list: &str, version: &str) -> bool {
    let mut numbers = version.split('.');
    let (Some(major), Some(minor)) = (numbers.next(), numbers.next()) else { return false };
    list.lines().next() == Some(&format!("# Python {major}.{minor}"))
}

const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// The version of the interpreter on the path, which must be one the package is for.
fn interpreter() -> Result<String> {
    let ask = || stdout(command(PYTHON).args(["-c", "import sys; print(*sys.version_info[:3], sep='.')"]));
    let version = ask().or_else(|error| {
        debian::install(
            &["python3", "python3-venv"],
            &format!("{error:#}\nPython {}.{} or newer is needed", OLDEST.0, OLDEST.1),
        )?;
        ask()
    })?;
    let version = version.trim();
    let mut numbers = version.split('.').filter_map(|number| number.parse::<u32>().ok());
    if (numbers.next(), numbers.next()) < (Some(OLDEST.0), Some(OLDEST.1)) {
        bail!("{PYTHON} is Python {version}, but the package needs {}.{} or newer", OLDEST.0, OLDEST.1);
    }
    Ok(version.to_owned())
}

/// What cargo builds for the package and its tests, in the dev profile: the extension module and the program.
pub(crate) struct Built {
    pub(crate) library: PathBuf,
    pub(crate) program: PathBuf,
}

/// Builds both, and no test program. The examples are asked for because cargo then counts what tests depend on, and gives dependencies the
/// features that they have in tests; without, it would build the library and 20 crates below it a second time.
pub(crate) fn build() -> Result<Built> {
    let mut build = workspace("build", "--lib --bin ergodict --examples");
    println!("$ {}", name(&build));
    succeed(&mut build)?;
    let debug = target()?.join("debug");
    let library = match std::env::consts::OS {
        "windows" => "_ergodict.dll",
        "macos" => "lib_ergodict.dylib",
        _ => "lib_ergodict.so",
    };
    let program = format!("ergodict{}", std::env::consts::EXE_SUFFIX);
    Ok(Built { library: debug.join(library), program: debug.join(program) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_read_from_three_places() {
        let text = "[build-system]\nrequires = ['a<2']\n[project]\ndependencies = ['b', 'c>=1']\n[dependency-groups]\ntest = ['d']\n";
        let (build, run, test) = (vec!["a<2".into()], vec!["b".into(), "c>=1".into()], vec!["d".into()]);
        assert_eq!(parse(text).unwrap(), Requirements { build, run, test });
        for bad in ["", "[project", &text.replace("'d'", "1"), &text.replace("dependency-groups", "groups")] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn versions_are_pinned_for_one_python() {
        assert!(is_for("# Python 3.11\nnumpy==2.0\n", "3.11.7"));
        assert!(
            !is_for("# Python 3.11\n", "3.1.0")
                && !is_for("# Python 3.11\n", "3.12.1")
                && !is_for("", "3.11.7")
        );
    }

    #[test]
    fn those_of_this_repository_can_be_read() {
        let own = requirements().unwrap();
        assert!(own.build.iter().any(|word| word.starts_with("maturin")), "{own:?}");
        assert!(own.test.iter().any(|word| word.starts_with("pytest")), "{own:?}");
    }
}
