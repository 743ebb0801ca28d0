//! `ergodict paper figure-ndl`: 25 atoms of each network at the paper's settings.

use super::cases::Data;
use crate::args::Common;
use crate::network::page_learn::gallery_of;
use crate::progress::say;
use crate::{interrupt, output};
use anyhow::Result;
use ergodict::chain::{Motif, SamplerKind, Samplers};
use ergodict::dictionary::{Model, NetworkLearning};
use ergodict::patch::NetworkForm;
use ergodict_report::Report;
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// The paper's settings.
const NODES: usize = 21;
const ATOMS: usize = 25;

/// The figure of latent motifs: 25 atoms of 21-chains of each network, with dominance scores
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  ergodict paper figure-ndl --data networks -o paper\n  ergodict paper figure-ndl --quick -o paper"
)]
pub(crate) struct Args {
    #[command(flatten)]
    data: Data,
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let networks = args.data.networks()?;
    args.data.start()?;
    interrupt::listen();
    let lead = "Latent motifs at the paper's settings: chains of 21 nodes, 25 atoms, 100 minibatches of 100 patches, λ = 1, w = 1/t. The paper \
                draws its patches by its chains; ours are independent exact draws of the same law.";
    let mut report = Report::new("The paper's figure of network dictionaries").lead(lead);
    let mut summary = Vec::new();
    for read in networks {
        if interrupt::asked() {
            say("ergodict: interrupted; the page is not written");
            return Ok(interrupt::code());
        }
        let started = Instant::now();
        let (network, motif) = (Arc::new(read.network), Motif::chain(NODES)?);
        let sampler = Samplers::default().build(SamplerKind::Exact, &network, &motif, common.seed)?;
        let learning = NetworkLearning::new(ATOMS);
        let learned = learning.learn::<f64>(&[(Arc::clone(&network), sampler)], common.seed)?;
        let seconds = started.elapsed().as_secs_f64();
        let mut model = Model::of(&learned, "network", common.seed);
        let form = NetworkForm::new(&motif, false, false);
        model.network = Some(form.clone());
        model.inputs = vec![read.input];
        model.run = json!({ "command": "paper figure-ndl", "config": crate::resolved::config() });
        let name = read.case.name.trim_start_matches('@');
        let path = args.data.out.join(format!("figure-ndl-{name}.safetensors"));
        model.save(&path)?;
        let title =
            read.case.printed.map_or(name.to_owned(), |printed| format!("{name} (the paper's {printed})"));
        let words =
            format!("{} nodes, {} edges; learned in {seconds:.2} s.", network.nodes(), network.edges());
        report = report.section(title, words);
        report = report.gallery(&gallery_of(&model, &form))?;
        let (scores, order) = model.dominance();
        let dominance: Vec<f64> = order.iter().map(|&atom| scores[atom]).collect();
        if !common.quiet {
            let first: Vec<String> = dominance.iter().take(5).map(|x| format!("{x:.3}")).collect();
            say(&format!("{name}: {seconds:.2} s, dominance {}, …", first.join(", ")));
        }
        summary.push(json!({ "network": name, "model": path, "seconds": seconds, "dominance": dominance }));
    }
    let facts =
        [("seed", common.seed.to_string()), ("version", format!("ergodict {}", env!("CARGO_PKG_VERSION")))];
    let page = args.data.out.join("figure-ndl.html");
    output::write(&page, &report.facts(&facts).render())?;
    if !common.quiet {
        say(&format!("wrote {}", page.display()));
    }
    if common.json {
        let all = json!({ "schema": "ergodict.paper-figure-ndl/1", "report": page, "networks": summary, "seed": common.seed, "config": crate::resolved::config() });
        output::print(&format!("{all:#}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}
