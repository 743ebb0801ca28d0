//! Minibatches of network patches for learning, of networks side by side; [`WindowSource`] has one at several times.
//!
//! The off-motif entries that chains sample are recorded on the way, for convergence diagnostics.

use super::window::{Window, WindowPoint, WindowSource};
use crate::chain::{SampledNetwork, SamplerKind, TraceSet};
use crate::data::Times;
use crate::linalg::{Mat, Scalar};
use crate::patch::{BatchPlan, NetworkForm, NetworkPoint, NetworkStream};
use crate::run::source::ONE_NETWORK;
use crate::run::{Form, Next, Resumable, Sections, Source, SourceStats, Stop};
use crate::{Error, Result};

/// How patches of networks are learned from.
///
/// ```
/// use ergodict::{chain::{Motif, SamplerKind}, data::Times, settings::NetworkSettings};
/// use ergodict::{patch::{BatchPlan, NetworkForm}, run::NetworkPlan};
/// let plan = NetworkPlan {
///     steps: 20,
///     batches: BatchPlan { batch: 50, ..BatchPlan::default() },
///     score_patches: NetworkSettings::default().score_patches,
///     times: Times::Numbers,
///     form: NetworkForm::new(&Motif::path(5)?, false, false),
///     sampler: SamplerKind::Exact,
///     title: None,
///     seed: 0,
/// };
/// assert_eq!(plan.form.k, 5);
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NetworkPlan {
    /// Minibatches; of windows, those of each.
    pub steps: u64,
    /// How chains make minibatches.
    pub batches: BatchPlan,
    /// Fresh patches of a window that errors and the change score are from.
    pub score_patches: usize,
    /// What times are, for printing them.
    pub times: Times,
    /// What a patch is.
    pub form: NetworkForm,
    /// How homomorphisms are drawn.
    pub sampler: SamplerKind,
    /// The name of the data that windows are cut from: only the last of them is then reported on, by this name. Without one all networks in
    /// memory are, each by its own.
    pub title: Option<String>,
    /// The seed of all chains.
    pub seed: u64,
}

impl NetworkPlan {
    /// What chains are watched by.
    pub(super) fn observable(&self) -> &'static str {
        if self.form.weighted { "weight off the motif" } else { "edges off the motif" }
    }
}

/// Patches of networks side by side.
pub(in crate::run) struct NetworkSource<T: Scalar> {
    networks: Vec<Window>,
    stream: NetworkStream,
    plan: NetworkPlan,
    /// Minibatches made, and those to be made.
    made: u64,
    total: u64,
    /// What is off the motif, network by network.
    traces: Vec<TraceSet>,
    x: Mat<T>,
    form: Form,
}

impl<T: Scalar> NetworkSource<T> {
    /// Minibatches of all networks together.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a network without room for the motif, and for samplers of different motifs.
    pub(in crate::run) fn new(networks: Vec<Window>, plan: NetworkPlan) -> Result<Self> {
        let mut drawn: Vec<SampledNetwork> = Vec::with_capacity(networks.len());
        for network in &networks {
            let sampled = network.drawn.clone();
            drawn.push(sampled.map_err(|reason| Error::parameter("the network", &network.name, reason))?);
        }
        let several = networks.len() > 1;
        let watched = |network: &Window| {
            let name = if several { &*network.name } else { "" };
            TraceSet::new(plan.observable(), name, plan.batches.chains, networks.len())
        };
        let traces = networks.iter().map(watched).collect();
        let stream = NetworkStream::new(&drawn, plan.batches, plan.seed)?;
        let (total, form) = (plan.steps, Form::Network(plan.form.clone()));
        Ok(Self { networks, stream, plan, made: 0, total, traces, x: Mat::zeros(0, 0), form })
    }

    /// Looks at the patches of a minibatch, each for the chain it is of.
    fn watch(&mut self) {
        let each = self.plan.batches.chains;
        let mut column = 0;
        for (chain, share) in self.stream.shares().enumerate() {
            let trace = &mut self.traces[chain / each].traces[chain % each];
            for j in column..column + share {
                trace.push_with(|| self.plan.form.off_motif(self.x.col(j)));
            }
            column += share;
        }
    }
}

impl<T: Scalar> Resumable for NetworkSource<T> {
    fn save(&self, to: &mut Sections) -> Result<()> {
        to.put_json("traces", &self.traces)?;
        to.put_json("chains", &(self.made, self.total, self.stream.point()))
    }

    fn restore(&mut self, from: &Sections) -> Result<()> {
        let (made, total, point): (u64, u64, NetworkPoint) = from.json("chains")?;
        self.total = self.total.max(total);
        if made > self.total || point.passed > 0 {
            return Err(from.damaged("chains", "they are further than the run goes"));
        }
        self.stream.seek(&point)?;
        self.made = made;
        super::restore_traces(&mut self.traces, from)
    }
}

impl<T: Scalar> Source<T> for NetworkSource<T> {
    fn form(&self) -> &Form {
        &self.form
    }

    fn made(&self) -> u64 {
        self.made
    }

    fn planned(&self) -> Option<u64> {
        Some(self.total)
    }

    fn samples(&self) -> Option<u64> {
        Some(self.total.saturating_mul(self.plan.batches.batch as u64))
    }

    fn extend(&mut self, minibatches: u64) -> Result<()> {
        self.total = self.total.saturating_add(minibatches);
        Ok(())
    }

    fn next(&mut self, _: &Stop) -> Result<Next<'_, T>> {
        if self.made >= self.total {
            return Ok(Next::End);
        }
        self.stream.fill(&mut self.x);
        self.watch();
        self.made += 1;
        Ok(Next::Minibatch((&self.x).into()))
    }

    fn stats(&self) -> SourceStats<'_> {
        let independent = |one: &Window| one.drawn.as_ref().is_ok_and(|drawn| drawn.1.is_independent());
        SourceStats {
            sampler: Some(self.plan.sampler),
            independent: self.networks.iter().all(independent),
            acceptance: self.stream.acceptance(),
            traces: &self.traces,
            batches: Some(self.plan.batches),
            ..SourceStats::default()
        }
    }

    fn networks(&self) -> Result<Vec<(String, SampledNetwork)>> {
        Ok(self.networks.iter().filter_map(Window::sampled).collect())
    }

    fn follow(&mut self, next: Window, steps: u64, times: Times) -> Result<Option<Box<dyn Source<T>>>> {
        let [first] = &self.networks[..] else {
            return Err(Error::parameter("the number of networks", self.networks.len(), ONE_NETWORK));
        };
        let mut source = WindowSource::<T>::new(Box::new(vec![first.clone()]), self.plan.clone())?;
        let (end, stream) = (self.total, self.stream.point());
        let point = WindowPoint { window: 0, end, stream, incoming_errors: None };
        let kept = source.over_time().clone();
        source.seek(self.made, &point, kept)?;
        source.traces.clone_from(&self.traces);
        source.traces.iter_mut().for_each(|set| first.name.clone_into(&mut set.of));
        source.follow(next, steps, times)?;
        Ok(Some(Box::new(source)))
    }
}
