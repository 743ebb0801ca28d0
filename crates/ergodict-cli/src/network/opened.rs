//! The networks that dictionaries are learned from, opened: read, and with a sampler in each.

use super::reading::{self, OpenedNetwork};
use super::timing;
use crate::args::Common;
use crate::progress::say;
use crate::{input, output};
use anyhow::{Context, Result, bail};
use ergodict::chain::{Motif, SamplingSettings, Use};
use ergodict::data::{ReadSettings, WeightSettings, digest};
use ergodict::linalg::Scalar;
use ergodict::model::Input;
use ergodict::run::{FirstDictionary, NetworkData, NetworkPlan, Run, RunPlan};
use ergodict::settings::NetworkSettings;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Networks with samplers in them.
pub(super) struct OpenedData {
    pub(super) data: NetworkData,
    pub(super) names: Vec<String>,
    /// What was learned from: `@karate`, `a, b`, `3 snapshots (a to c)`.
    pub(super) from: String,
    /// The networks, then the motif, if it is a file.
    pub(super) inputs: Vec<Input>,
    /// The name of the data, where only its windows have names.
    title: Option<String>,
}

/// Refuses standard input given twice.
pub(super) fn check(nets: &[PathBuf]) -> Result<()> {
    if nets.iter().filter(|path| output::is_standard(path)).count() > 1 {
        bail!("standard input holds one network, but - is given more than once");
    }
    Ok(())
}

/// Tells what there is to know of samplers.
fn say_notes(data: &mut NetworkData, common: &Common) {
    for (name, note) in data.take_notes() {
        if !common.quiet {
            output::spelled(&[note]).iter().for_each(|note| say(&format!("{name}: {note}")));
        }
    }
}

/// The motif among inputs, if it is a file.
fn motif_input(sampling: &SamplingSettings) -> Result<Option<Input>> {
    let input = |path: &Path| Ok(Input { name: input::name(path), digest: digest(path)? });
    sampling.motif_file().map(input).transpose()
}

impl OpenedData {
    /// Reads networks and makes samplers in them.
    pub(super) fn open(
        nets: &[PathBuf],
        snapshots: bool,
        (reading, weights): (&ReadSettings, WeightSettings),
        sampling: &SamplingSettings,
        usage: Use,
        motif: &Motif,
        common: &Common,
    ) -> Result<Self> {
        let mut data = NetworkData::new(sampling, usage, motif, snapshots, common.seed);
        let (mut names, mut inputs) = (Vec::new(), Vec::new());
        for net in nets {
            let opened = reading::open_weighed(reading, (reading.weighted, weights), net, common.quiet)?;
            inputs.push(reading::input(&opened));
            let OpenedNetwork { network, name, .. } = opened;
            let usable = data.push(&name, None, Arc::new(network)).with_context(|| name.clone())?;
            say_notes(&mut data, common);
            names.extend(usable.then_some(name));
        }
        data.chosen()?;
        inputs.extend(motif_input(sampling)?);
        let from = match (&names[..], snapshots) {
            ([one], _) => one.clone(),
            ([first, .., last], true) => format!("{} snapshots ({first} to {last})", names.len()),
            (all, _) => all.join(", "),
        };
        Ok(Self { data, names, from, inputs, title: None })
    }

    /// What `network learn` learns from.
    pub(super) fn open_settings(
        nets: &[PathBuf],
        settings: &NetworkSettings,
        motif: &Motif,
        common: &Common,
    ) -> Result<Self> {
        let NetworkSettings { snapshots, sampling, .. } = settings;
        if settings.windows.timestamps.is_none() {
            let reading = (&settings.reading, settings.weights);
            return Self::open(nets, *snapshots, reading, sampling, Use::Learn, motif, common);
        }
        let reading = ReadSettings { unweighted: !settings.reading.weighted, ..settings.reading.clone() };
        let timed = timing::open(&settings.windows, &nets[0], &reading, common.quiet)?;
        let (windows, name, times) = (timed.windows, timed.name, timed.decisions.times);
        let mut data = NetworkData::from_windows(Arc::clone(&windows), sampling, motif, common.seed)
            .with_context(|| name.clone())?;
        say_notes(&mut data, common);
        let ((begin, end), count) = (timed.decisions.span, windows.len());
        let plural = if count == 1 { "" } else { "s" };
        let from = format!("{count} window{plural} of {name} ({} to {})", times.show(begin), times.show(end));
        let mut inputs = vec![timed.input.unwrap_or_else(|| reading::unnamed(&name))];
        inputs.extend(motif_input(sampling)?);
        Ok(Self { data, names: vec![name.clone()], from, inputs, title: Some(name) })
    }

    /// A run on them.
    pub(super) fn run<T: Scalar>(
        self,
        settings: &NetworkSettings,
        run: RunPlan,
        features: usize,
    ) -> ergodict::Result<Run<T>> {
        let plan = NetworkPlan { title: self.title, ..self.data.plan(settings)? };
        let learning = settings.learning.clone();
        let first: FirstDictionary<T> = Box::new(move |seed| Ok(learning.start(features, seed)?.0));
        self.data.run(plan, run, first, settings.null_permutations, (0, 0))
    }
}
