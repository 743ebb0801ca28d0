//! The networks of the paper, from a folder of edge lists or, for the impatient, small embedded ones.

use super::place::Where;
use anyhow::{Result, bail};
use ergodict::data::{Network, ReadOptions, digest, embedded, read_network};
use ergodict::model::Input;
use std::path::{Path, PathBuf};

/// A network of the paper.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    /// What we call it, and its file without the extension.
    pub(crate) name: &'static str,
    /// What the paper calls it, if it has it.
    pub(crate) printed: Option<&'static str>,
}

/// Facebook, protein interactions, arXiv; the second stands in for another release of the same kind.
const CASES: [Case; 3] = [
    Case { name: "facebook", printed: Some("SNAP Facebook") },
    Case { name: "ppi_pathways", printed: Some("Homo sapiens PPI") },
    Case { name: "arxiv", printed: Some("arXiv ASTRO-PH") },
];

/// What `--quick` runs on.
const QUICK: [Case; 2] = [Case { name: "@lesmis", printed: None }, Case { name: "@karate", printed: None }];

/// Where networks come from.
#[derive(clap::Args)]
pub(crate) struct Data {
    /// The folder with facebook.txt.gz, ppi_pathways.txt.gz and arxiv.txt.gz
    #[arg(
        long = "data",
        id = "data",
        value_name = "DIR",
        required_unless_present = "quick",
        conflicts_with = "quick"
    )]
    folder: Option<PathBuf>,
}

/// A network that was read.
pub(crate) struct Read {
    pub(crate) case: Case,
    /// The largest component of the simple network.
    pub(crate) network: Network,
    pub(crate) input: Input,
}

impl Read {
    /// Its name without the mark of embedded ones.
    pub(crate) fn name(&self) -> &'static str {
        self.case.name.trim_start_matches('@')
    }

    /// Its name with the one in the paper.
    pub(crate) fn title(&self) -> String {
        let name = self.name();
        self.case.printed.map_or(name.to_owned(), |printed| format!("{name} (the paper's {printed})"))
    }
}

impl Data {
    /// The networks, which are all looked for before work begins.
    pub(crate) fn networks(&self, at: &Where) -> Result<Vec<Read>> {
        let mut all = Vec::new();
        let cases: &[Case] = if at.quick { &QUICK } else { &CASES };
        let paths = cases.iter().map(|case| self.path(case, at.quick)).collect::<Result<Vec<_>>>()?;
        for (case, path) in cases.iter().zip(paths) {
            let (network, name, digest) = if at.quick {
                // What is embedded is that of this version.
                let version = format!("ergodict {}", env!("CARGO_PKG_VERSION"));
                (embedded(case.name)?, case.name.to_owned(), version)
            } else {
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                (read_network(&path, &ReadOptions::default())?.0, name, digest(&path)?)
            };
            let network = network.to_simple().largest_component();
            all.push(Read { case: *case, network, input: Input { name, digest } });
        }
        Ok(all)
    }

    fn path(&self, case: &Case, quick: bool) -> Result<PathBuf> {
        if quick {
            return Ok(case.name.into());
        }
        let folder = self.folder.as_deref().unwrap_or(Path::new("."));
        let names =
            ["txt.gz", "txt", "txt.zst", "egr"].map(|ending| folder.join(format!("{}.{ending}", case.name)));
        match names.iter().find(|path| path.is_file()) {
            Some(path) => Ok(path.clone()),
            None => bail!(
                "{}: file not found; --data must name the folder that has it (`ergodict network fetch {}`, of a program built with `--features fetch`, \
                 downloads it)",
                names[0].display(),
                case.name
            ),
        }
    }
}
