//! Several networks, read and made ready for the same motif.

use super::reading::{self, OpenedNetwork};
use super::timing::placed;
use crate::args::Common;
use crate::progress::say;
use crate::{input, output};
use anyhow::{Context, Result, bail};
use ergodict::chain::{ChosenSampler, Motif, SampledNetwork, SamplerKind, SamplingSettings, Use};
use ergodict::data::{ReadSettings, WeightSettings, digest};
use ergodict::{model::Input, run::Window};
use std::path::PathBuf;
use std::sync::Arc;

/// Networks with a sampler in each.
pub(super) struct Networks {
    pub(super) drawn: Vec<SampledNetwork>,
    pub(super) names: Vec<String>,
    /// The networks, then the motif, if it is a file.
    pub(super) inputs: Vec<Input>,
    pub(super) kind: SamplerKind,
    pub(super) motif: Motif,
    /// The networks as windows of one that changes, where that is asked for: those without room for the motif are among them.
    pub(super) windows: Vec<Window>,
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
        snapshots: bool,
        (reading, weights): (ReadSettings, WeightSettings),
        sampling: &SamplingSettings,
        usage: Use,
        motif: &Motif,
        common: &Common,
    ) -> Result<Self> {
        let mut all: Option<Self> = None;
        let (mut windows, mut inputs) = (Vec::new(), Vec::new());
        for net in nets {
            let opened = reading::open_weighed(reading, (reading.weighted, weights), net, common.quiet)?;
            let given = reading::input(&opened);
            inputs.push(given);
            let OpenedNetwork { network, name, .. } = opened;
            let whole = snapshots.then(|| Arc::new(network.clone()));
            let mut chosen = sampling.choose(usage, network, motif, common.seed);
            if let Some(whole) = &whole {
                match placed(chosen).with_context(|| name.clone())? {
                    Ok(one) => chosen = Ok(one),
                    Err(reason) => {
                        let (network, drawn) = (Arc::clone(whole), Err(reason));
                        windows.push(Window { name, span: None, network, drawn });
                        continue;
                    }
                }
            }
            let ChosenSampler { network, kind, sampler, notes } = chosen.with_context(|| name.clone())?;
            if !common.quiet {
                output::spelled(&notes).iter().for_each(|note| say(&format!("{name}: {note}")));
            }
            let networks = all.get_or_insert_with(|| Self {
                drawn: Vec::new(),
                names: Vec::new(),
                inputs: Vec::new(),
                kind,
                motif: sampler.motif().clone(),
                windows: Vec::new(),
            });
            if networks.kind != kind {
                let first = networks.kind;
                bail!(
                    "{name}: {kind} would be used here and {first} before: say one --sampler for all networks"
                );
            }
            let drawn: SampledNetwork = (network, sampler);
            if let Some(whole) = whole {
                let drawn = drawn.clone();
                windows.push(Window { name: name.clone(), span: None, network: whole, drawn: Ok(drawn) });
            }
            networks.drawn.push(drawn);
            networks.names.push(name);
        }
        let Some(mut all) = all else {
            match windows.into_iter().next() {
                Some(Window { name, drawn: Err(reason), .. }) => bail!("{name}: {reason}"),
                _ => bail!("no network is given"),
            }
        };
        (all.inputs, all.windows) = (inputs, windows);
        if let Some(path) = sampling.motif_file() {
            all.inputs.push(Input { name: input::name(path), digest: digest(path)? });
        }
        Ok(all)
    }
}
