//! Makes the peers ready to run: a copy of their folder, a Python environment, the data, our side built.

use crate::place::{cargo, command, root, succeed, target};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The two sides. Paths inside the repository are relative to its root, where every command runs.
pub(super) struct Peers {
    pub(super) folder: PathBuf,
    pub(super) python: PathBuf,
    pub(super) benchsuite: PathBuf,
}

/// With the data of the three cases.
pub(super) fn prepare() -> Result<Peers> {
    let peers = scripts()?;
    if !has_data(&root().join(&peers.folder).join("data")) {
        eprintln!("generating the data of the three cases …");
        succeed(command(root().join(&peers.python)).arg(peers.folder.join("bench_peers.py")).arg("data"))?;
    }
    Ok(peers)
}

/// Without data.
pub(super) fn scripts() -> Result<Peers> {
    let source = std::env::var_os("ERGODICT_PEERS").map_or(root().join("../shared/peers"), PathBuf::from);
    if !source.join("bench_peers.py").is_file() {
        bail!(
            "no bench_peers.py in {}: point ERGODICT_PEERS at the folder of the peer benchmarks, \
             or put it at ../shared/peers beside the repository",
            source.display()
        );
    }
    let target = target()?;
    let target = target.strip_prefix(root()).unwrap_or(&target);
    let folder = target.join("peers");
    copy(&source, &root().join(&folder))?;
    let python = environment(&folder)?;
    succeed(&mut cargo("build --locked --release --package benchsuite"))?;
    Ok(Peers { folder, python, benchsuite: target.join("release/benchsuite") })
}

/// The scripts only: the peers write next to themselves, and what an earlier run wrote stays.
fn copy(source: &Path, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for entry in std::fs::read_dir(source).with_context(|| format!("cannot read {}", source.display()))? {
        let file = entry?.path();
        if let (Some(name), Some("py" | "txt" | "md")) =
            (file.file_name(), file.extension().and_then(|e| e.to_str()))
        {
            std::fs::copy(&file, folder.join(name))
                .with_context(|| format!("cannot copy {}", file.display()))?;
        }
    }
    Ok(())
}

/// A virtual environment with the requirements in it. A copy of the list marks it as complete, so an
/// installation that broke off, or a list that changed, is made good by the next run.
pub(super) fn environment(folder: &Path) -> Result<PathBuf> {
    let venv = folder.join("venv");
    let python = venv.join("bin/python");
    let (wanted, installed) =
        (root().join(folder).join("requirements.txt"), root().join(&venv).join("installed.txt"));
    let list = std::fs::read(&wanted).context("the peers' folder has no requirements.txt")?;
    if std::fs::read(&installed).is_ok_and(|done| done == list) {
        return Ok(python);
    }
    eprintln!("setting up Python for the peers …");
    succeed(command("python3").args(["-m", "venv"]).arg(&venv))
        .context("cannot make a virtual environment (Debian: python3-venv)")?;
    succeed(
        command(root().join(&python))
            .args(["-m", "pip", "install", "--quiet", "-r"])
            .arg(folder.join("requirements.txt")),
    )?;
    std::fs::write(&installed, list)?;
    Ok(python)
}

fn has_data(folder: &Path) -> bool {
    let parts = ["train", "test", "W0"];
    ["a", "b", "c"]
        .iter()
        .all(|case| parts.iter().all(|part| folder.join(format!("{case}_{part}.npy")).is_file()))
}
