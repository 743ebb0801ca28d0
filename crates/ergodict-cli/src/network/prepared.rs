//! What is learned from, made ready: networks side by side, snapshots, or windows of rows with times.

use super::learn::Args;
use super::reading;
use super::several::Networks;
use super::source::{Drawn, Patches};
use super::timing::TimedSeries;
use crate::args::Common;
use crate::input;
use anyhow::Result;
use ergodict::chain::{Motif, SamplerKind};
use ergodict::data::{Times, digest};
use ergodict::dictionary::{Input, NetworkSource, OverTimeOptions, Series, WindowSource};
use ergodict::patch::NetworkForm;

/// Networks with samplers, and where patches come from.
pub(super) struct Prepared {
    /// All that are in memory to the end: none of windows.
    pub(super) drawn: Vec<Drawn>,
    /// What they are called.
    pub(super) names: Vec<String>,
    /// What was learned from: `@karate`, `a, b`, `3 snapshots (a to c)`.
    pub(super) from: String,
    pub(super) inputs: Vec<Input>,
    pub(super) kind: SamplerKind,
    pub(super) motif: Motif,
    pub(super) form: NetworkForm,
    pub(super) independent: bool,
    /// The windows of one over time, and what their times are.
    series: Option<(Box<dyn Series>, Times)>,
}

impl Prepared {
    pub(super) fn open(args: &Args, motif: &Motif, common: &Common) -> Result<Self> {
        if args.timing.is_asked() {
            Self::timed(args, motif, common)
        } else {
            Self::whole(args, motif, common)
        }
    }

    fn whole(args: &Args, motif: &Motif, common: &Common) -> Result<Self> {
        let Networks { drawn, names, inputs, kind, motif, windows } =
            Networks::open(&args.nets, args.snapshots, &args.reading, &args.sampling, motif, common)?;
        let directed = drawn.iter().any(|(network, _)| network.is_directed());
        let weighted = drawn.iter().any(|(network, _)| network.is_weighted());
        let form = NetworkForm::new(&motif, directed, weighted);
        let from = match (&names[..], args.snapshots) {
            ([one], _) => one.clone(),
            ([first, .., last], true) => format!("{} snapshots ({first} to {last})", names.len()),
            (all, _) => all.join(", "),
        };
        let independent = drawn.iter().all(|(_, sampler)| sampler.is_independent());
        let series: Option<(Box<dyn Series>, Times)> =
            if args.snapshots { Some((Box::new(windows), Times::Numbers)) } else { None };
        Ok(Self { drawn, names, from, inputs, kind, motif, form, independent, series })
    }

    fn timed(args: &Args, motif: &Motif, common: &Common) -> Result<Self> {
        let net = &args.nets[0];
        let timed = args.timing.open(net, &args.reading, common.quiet)?;
        let (series, kind, first) = TimedSeries::new(&timed, &args.sampling, motif, common)?;
        let windows = &timed.windows;
        let independent = first.drawn.as_ref().is_ok_and(|drawn| drawn.1.is_independent());
        let motif = first.drawn.map_or_else(|_| motif.clone(), |drawn| drawn.1.motif().clone());
        let form = NetworkForm::new(&motif, timed.decisions.directed, windows.is_weighted());
        let times = timed.decisions.times;
        let (begin, end) = timed.decisions.span;
        let count = windows.len();
        let plural = if count == 1 { "" } else { "s" };
        let from = format!(
            "{count} window{plural} of {} ({} to {})",
            timed.name,
            times.show(begin),
            times.show(end)
        );
        let mut inputs = vec![timed.input.unwrap_or_else(|| reading::unnamed(&timed.name))];
        if let Some((_, path)) = args.sampling.files() {
            inputs.push(Input { name: input::name(path), digest: digest(path)? });
        }
        let names = vec![timed.name];
        let series: Option<(Box<dyn Series>, Times)> = Some((Box::new(series), times));
        Ok(Self { drawn: Vec::new(), names, from, inputs, kind, motif, form, independent, series })
    }

    /// Where patches come from.
    pub(super) fn patches(&mut self, args: &Args, seed: u64) -> Result<Patches> {
        let (steps, watching, form) = (args.steps, args.watching(), self.form.clone());
        let Some((series, times)) = self.series.take() else {
            let source = NetworkSource::new(&self.drawn, &self.names, steps, watching, form, seed)?;
            return Ok(Patches::Beside(Box::new(source)));
        };
        let options = OverTimeOptions { steps, watching, patches: args.score_patches, times, form, seed };
        Ok(Patches::OverTime(Box::new(WindowSource::new(series, options)?)))
    }
}
