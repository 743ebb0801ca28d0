//! The networks of the paper, from a folder of edge lists or, for the impatient, small embedded ones.

use crate::network::reading::{Opened, Reading, input as input_of};
use anyhow::{Result, bail};
use ergodict::data::Network;
use ergodict::dictionary::Input;
use std::path::{Path, PathBuf};

/// A network of the paper.
#[derive(Clone, Copy)]
pub(super) struct Case {
    /// What we call it, and its file without the extension.
    pub(super) name: &'static str,
    /// What the paper calls it, if it has it.
    pub(super) printed: Option<&'static str>,
}

/// Facebook, protein interactions, arXiv; the second stands in for another release of the same kind.
const CASES: [Case; 3] = [
    Case { name: "facebook", printed: Some("SNAP Facebook") },
    Case { name: "ppi_pathways", printed: Some("Homo sapiens PPI") },
    Case { name: "arxiv", printed: Some("arXiv ASTRO-PH") },
];

/// What `--quick` runs on.
const QUICK: [Case; 2] = [Case { name: "@lesmis", printed: None }, Case { name: "@karate", printed: None }];

/// The flags.
#[derive(clap::Args)]
pub(super) struct Data {
    /// The folder with facebook.txt.gz, ppi_pathways.txt.gz and arxiv.txt.gz
    #[arg(long = "data", id = "data", value_name = "DIR", required_unless_present = "quick")]
    folder: Option<PathBuf>,
    /// Small embedded networks instead, and one seed: to see how it goes
    #[arg(long, conflicts_with = "data")]
    pub(super) quick: bool,
    /// The folder to write to, which is made where it is missing
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: PathBuf,
}

/// A network that was read.
pub(super) struct Read {
    pub(super) case: Case,
    pub(super) network: Network,
    pub(super) input: Input,
}

impl Data {
    /// Makes the folder.
    pub(super) fn start(&self) -> Result<()> {
        crate::showing::probe_folder("-o", &self.out)?;
        Ok(std::fs::create_dir_all(&self.out).map_err(ergodict::Error::io(&self.out))?)
    }

    /// The networks, which are all looked for before work begins.
    pub(super) fn networks(&self) -> Result<Vec<Read>> {
        let mut all = Vec::new();
        let cases: &[Case] = if self.quick { &QUICK } else { &CASES };
        for case in cases {
            let path = self.path(case)?;
            let opened = Reading::default().open(&path, true)?;
            let input = input_of(&opened);
            let Opened { network, .. } = opened;
            all.push(Read { case: *case, network: network.to_simple().largest_component(), input });
        }
        Ok(all)
    }

    fn path(&self, case: &Case) -> Result<PathBuf> {
        if self.quick {
            return Ok(case.name.into());
        }
        let folder = self.folder.as_deref().unwrap_or(Path::new("."));
        let names =
            ["txt.gz", "txt", "txt.zst", "egr"].map(|ending| folder.join(format!("{}.{ending}", case.name)));
        match names.iter().find(|path| path.is_file()) {
            Some(path) => Ok(path.clone()),
            None => bail!(
                "{}: there is no such file: --data must name the folder that has it",
                names[0].display()
            ),
        }
    }
}
