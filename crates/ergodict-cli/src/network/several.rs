//! Several networks, read and made ready for the same motif.

use super::reading::{self, Opened, Reading};
use super::sampling::{Chosen, Sampling};
use super::source::Drawn;
use crate::args::Common;
use crate::progress::say;
use crate::{input, output};
use anyhow::{Context, Result, bail};
use ergodict::chain::{Motif, SamplerKind};
use ergodict::data::digest;
use ergodict::dictionary::Input;
use std::path::PathBuf;

/// Networks with a sampler in each.
pub(super) struct Networks {
    pub(super) drawn: Vec<Drawn>,
    pub(super) names: Vec<String>,
    /// The networks, then the motif, if it is a file.
    pub(super) inputs: Vec<Input>,
    pub(super) kind: SamplerKind,
    pub(super) motif: Motif,
}

/// Refuses standard input given twice.
pub(super) fn check(nets: &[PathBuf]) -> Result<()> {
    if nets.iter().filter(|path| output::is_standard(path)).count() > 1 {
        bail!("standard input holds one network, but - is given more than once");
    }
    Ok(())
}

impl Networks {
    /// Reads the networks and builds their samplers.
    pub(super) fn open(
        nets: &[PathBuf],
        reading: &Reading,
        sampling: &Sampling,
        motif: &Motif,
        common: &Common,
    ) -> Result<Self> {
        let mut all: Option<Self> = None;
        for net in nets {
            let opened = reading.open(net, common.quiet)?;
            let given = reading::input(&opened);
            let Opened { network, name, .. } = opened;
            let chosen = sampling.choose(network, motif, common.seed);
            let Chosen { network, kind, sampler, notes } = chosen.with_context(|| name.clone())?;
            if !common.quiet {
                notes.iter().for_each(|note| say(&format!("{name}: {note}")));
            }
            let networks = all.get_or_insert_with(|| Self {
                drawn: Vec::new(),
                names: Vec::new(),
                inputs: Vec::new(),
                kind,
                motif: sampler.motif().clone(),
            });
            if networks.kind != kind {
                let first = networks.kind;
                bail!(
                    "{name}: {kind} would be used here and {first} before: say one --sampler for all networks"
                );
            }
            networks.drawn.push((network, sampler));
            networks.names.push(name);
            networks.inputs.push(given);
        }
        let Some(mut all) = all else { bail!("no network is given") };
        if let Some((_, path)) = sampling.files() {
            all.inputs.push(Input { name: input::name(path), digest: digest(path)? });
        }
        Ok(all)
    }
}
