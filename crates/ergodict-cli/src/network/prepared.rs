//! What is learned from, made ready: networks side by side, snapshots, or windows of rows with times.

use super::learn::Args;
use super::networks::Networks;
use super::reading;
use super::timing::{self, Null, TimedSeries};
use crate::args::Common;
use crate::input;
use anyhow::Result;
use ergodict::chain::{Motif, SampledNetwork, SamplerKind, SamplingSettings, Use};
use ergodict::data::{Appearances, Network, ReadSettings, Times, digest};
use ergodict::factor::Factorizer;
use ergodict::linalg::Scalar;
use ergodict::patch::NetworkForm;
use ergodict::settings::NetworkSettings;
use ergodict::{
    model::Input,
    run::{
        AppearanceMaker, ChangeTest, FirstDictionary, NetworkPlan, NetworkSource, Run, RunPlan, Window,
        WindowSeries, WindowSource,
    },
};
use std::sync::Arc;

/// Networks with samplers, and where patches come from.
pub(super) struct Prepared {
    /// What the networks are called.
    pub(super) names: Vec<String>,
    /// What was learned from: `@karate`, `a, b`, `3 snapshots (a to c)`.
    pub(super) from: String,
    pub(super) inputs: Vec<Input>,
    pub(super) kind: SamplerKind,
    pub(super) motif: Motif,
    pub(super) form: NetworkForm,
    series: Series,
}

/// Networks to learn from.
enum Series {
    /// Side by side.
    Beside(Vec<Window>),
    /// One over time, with what its times are, what it is called where only its windows have names, and what changes are tested against.
    OverTime(Box<dyn WindowSeries>, Times, Option<String>, Null),
}

impl Prepared {
    pub(super) fn open(args: &Args, motif: &Motif, common: &Common) -> Result<Self> {
        if args.settings.windows.timestamps.is_some() {
            Self::timed(args, motif, common)
        } else {
            Self::whole(args, motif, common)
        }
    }

    fn whole(args: &Args, motif: &Motif, common: &Common) -> Result<Self> {
        let settings = &args.settings;
        let Networks { drawn, names, inputs, kind, motif, windows } = Networks::open(
            &args.nets,
            settings.snapshots,
            (settings.reading, settings.weights),
            &settings.sampling,
            Use::Learn,
            motif,
            common,
        )?;
        let directed = drawn.iter().any(|(network, _)| network.is_directed());
        let weighted = drawn.iter().any(|(network, _)| network.is_weighted());
        let form = NetworkForm::new(&motif, directed, weighted);
        let from = match (&names[..], settings.snapshots) {
            ([one], _) => one.clone(),
            ([first, .., last], true) => format!("{} snapshots ({first} to {last})", names.len()),
            (all, _) => all.join(", "),
        };
        let beside = |(drawn, name): (&SampledNetwork, &String)| Window {
            name: name.clone(),
            span: None,
            network: Arc::clone(&drawn.0),
            drawn: Ok(drawn.clone()),
        };
        let series = if settings.snapshots {
            let sampling = SamplingSettings { sampler: Some(kind), ..settings.sampling.clone() };
            let all: Vec<Arc<Network>> = windows.iter().map(|window| Arc::clone(&window.network)).collect();
            let appearances: AppearanceMaker = Box::new(move || Some(Appearances::from_snapshots(&all)));
            let null = Ok((appearances, timing::maker(&sampling, &motif, common.seed)));
            Series::OverTime(Box::new(windows), Times::Numbers, None, null)
        } else {
            Series::Beside(drawn.iter().zip(&names).map(beside).collect())
        };
        Ok(Self { names, from, inputs, kind, motif, form, series })
    }

    fn timed(args: &Args, motif: &Motif, common: &Common) -> Result<Self> {
        let settings = &args.settings;
        let net = &args.nets[0];
        let reading = ReadSettings { unweighted: !settings.reading.weighted, ..settings.reading };
        let timed = timing::open(&settings.windows, net, reading, common.quiet)?;
        let (series, kind, first) = TimedSeries::new(&timed, &settings.sampling, motif, common)?;
        let windows = &timed.windows;
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
        if let Some(path) = settings.sampling.motif_file() {
            inputs.push(Input { name: input::name(path), digest: digest(path)? });
        }
        let names = vec![timed.name.clone()];
        let null = series.null();
        let series = Series::OverTime(Box::new(series), times, Some(timed.name), null);
        Ok(Self { names, from, inputs, kind, motif, form, series })
    }

    /// A run on it.
    pub(super) fn run<T: Scalar>(
        self,
        settings: &NetworkSettings,
        run: RunPlan,
        first: Option<Factorizer<T>>,
    ) -> ergodict::Result<Run<T>> {
        let plan = NetworkPlan {
            steps: settings.steps,
            batches: settings.plan(),
            score_patches: settings.score_patches,
            times: Times::Numbers,
            form: self.form,
            sampler: self.kind,
            title: None,
            seed: settings.seed,
        };
        match self.series {
            Series::Beside(networks) => Run::new(run, Box::new(NetworkSource::new(networks, plan)?), first),
            Series::OverTime(series, times, title, null) => {
                let plan = NetworkPlan { times, title, ..plan };
                let windows = series.len();
                let source = WindowSource::new(series, plan.clone())?;
                let mut run = Run::new(run, Box::new(source), first)?;
                match null {
                    Err(reason) => run.leave_untested(reason),
                    _ if settings.null_permutations == 0 => {
                        run.leave_untested("no permutations are asked for");
                    }
                    _ if windows < 2 => run.leave_untested("there is only one window"),
                    Ok((appearances, window)) => {
                        let (learning, d) = (settings.learning.clone(), plan.form.k * plan.form.k);
                        let first: FirstDictionary<T> = Box::new(move |seed| Ok(learning.start(d, seed)?.0));
                        let permutations = settings.null_permutations;
                        run.test_change(ChangeTest::new(permutations, appearances, window, plan, first));
                    }
                }
                Ok(run)
            }
        }
    }
}
