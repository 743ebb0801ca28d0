//! The reports of networks: of their degrees, and of homomorphisms into them.

use super::info::Validity;
use super::sample::summary::{Sampled, density_words, rate_words};
use crate::{mixing, rerun};
use anyhow::Result;
use ergodict::chain::diagnostics::autocorrelation;
use ergodict::data::Summary;
use ergodict::model::NetworkReport;
use ergodict::patch::NetworkPatches;
use ergodict::run::MotifRecorder;
use ergodict_pages::network::degrees;
use ergodict_pages::text::short;
use ergodict_report::words::count;
use ergodict_report::{AtomGrid, Figure, LineChart, Picture, Pictures, Report, Series, Shade, Table};

/// Patches that are drawn.
const PATCHES: usize = 24;
/// Lags of autocorrelation functions.
const LAGS: usize = 100;
/// Most points of a curve: with more, the noise of single homomorphisms is all there is to see.
const POINTS: usize = 400;

const PATCHES_WORDS: &str = "
    Some of the homomorphisms x, spread evenly over all chains, as their k×k patches: the entry (i, j) is A(x(i), x(j)). The
    motif's own edges are always there; all else is what the network has between the nodes that the motif was laid on. These
    are the columns that a dictionary of the network is learned from.";

const MACC: &str = "
    The matrix of average clustering coefficients. Its entry (i, j) is the conditional density of the motif with an edge from
    i to j added: the mean of A(x(i), x(j)) over the homomorphisms, and 1 where the motif has that edge already.";

const SERIES: &str = "
    The observable over the homomorphisms, a line for each chain, averaged over stretches where there are many. A chain that
    has mixed wanders up and down about its mean.";

/// The page of a sample.
pub(super) fn of_sample(
    sampled: &Sampled,
    recorders: &[MotifRecorder],
    patches: &NetworkPatches,
) -> Result<Report> {
    let lead = format!(
        "{} homomorphisms of the {} motif of {} nodes into {}, which is {} and has {} nodes and {} edges: drawn by the {} \
         sampler, {}.",
        sampled.count(),
        sampled.motif,
        sampled.k,
        short(&sampled.name),
        sampled.what,
        sampled.nodes,
        sampled.edges,
        sampled.kind,
        if sampled.independent {
            "one independently of the other".to_owned()
        } else {
            format!("along {}", count(sampled.kept.len(), "chain", "chains"))
        },
    );
    let mut report = Report::new(format!("Homomorphisms into {}", short(&sampled.name))).lead(lead);
    let shown = some_patches(sampled, recorders, patches)?;
    if !shown.is_empty() {
        let svg = AtomGrid::new(&shown, (sampled.k, sampled.k)).svg()?;
        report = report.figure(Figure { title: "Patches".into(), svg, words: PATCHES_WORDS.into() });
    }
    if let Some(macc) = &sampled.macc {
        let high = macc.iter().fold(0.0f64, |m, v| m.max(*v)).max(f64::MIN_POSITIVE);
        let picture = Picture::new(macc, (sampled.k, sampled.k), Shade::Ink { low: 0.0, high });
        let svg =
            Pictures { items: vec![(picture, format!("black is {high:.3}"))], columns: Some(2) }.svg()?;
        report = report.figure(Figure { title: "Clustering".into(), svg, words: MACC.into() });
    }
    for (i, (name, _)) in sampled.mixing.iter().enumerate() {
        let series = recorders.iter().enumerate().map(|(c, recorder)| {
            let label = if recorders.len() > 1 { format!("chain {c}") } else { String::new() };
            Series::new(label, averaged(&recorder.measured().series[i]))
        });
        let chart = LineChart {
            x_label: "homomorphisms".into(),
            y_label: name.clone(),
            series: series.collect(),
            ..LineChart::default()
        };
        let title = format!("The {name} over time");
        let words = if i == 0 { SERIES } else { "" };
        report = report.figure(Figure { title, svg: chart.svg(), words: words.into() });
    }
    let curves = sampled.mixing.iter().enumerate().map(|(i, (name, _))| {
        let series: Vec<&[f64]> = recorders.iter().map(|r| r.measured().series[i].as_slice()).collect();
        let found = autocorrelation(&series, LAGS);
        let points: Vec<(f64, f64)> = found.iter().enumerate().map(|(lag, rho)| (lag as f64, *rho)).collect();
        Series::new(name.clone(), points)
    });
    let curves: Vec<Series> = curves.filter(|curve| curve.points.len() > 1).collect();
    if !curves.is_empty() {
        report = report.figure(mixing::autocorrelations(curves, "kept homomorphisms"));
    }
    let rows = sampled.mixing.iter().map(|(name, mixing)| (name.clone(), mixing));
    report = report.table(mixing::diagnostics_table(rows, &verdict(sampled)));
    let names = std::slice::from_ref(&sampled.name);
    let command = rerun::command("network sample", &sampled.config, names, "-o homomorphisms.npy");
    Ok(report.facts(&facts(sampled)).code("Run it again", command))
}

/// Whether the chains have mixed, and how many proposals were accepted, in words.
fn verdict(sampled: &Sampled) -> String {
    let failed = mixing::warning(sampled.mixing.iter().map(|(_, mixing)| mixing), sampled.kept.len());
    let mixed = if sampled.independent {
        "These were drawn independently of each other.".to_owned()
    } else if let Some(why) = failed {
        format!("These have {why}: a longer run, thinning (--every) or another sampler is needed.")
    } else if sampled.kept.len() == 1 {
        "Nothing speaks against this one, but a single chain cannot show whether it has seen everything: --chains 4 can.".to_owned()
    } else {
        "Nothing speaks against these.".to_owned()
    };
    let rate = sampled.rate().map_or_else(String::new, |rate| format!(" Accepted: {}.", rate_words(rate)));
    format!("{mixed}{rate}")
}

fn facts(sampled: &Sampled) -> Vec<(String, String)> {
    let mut facts: Vec<(String, String)> = Vec::new();
    if let Some(config) = sampled.config.as_object() {
        let text = |v: &serde_json::Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
        let given = config.iter().filter(|(_, value)| !value.is_null());
        facts.extend(given.map(|(key, value)| (key.clone(), text(value))));
    }
    if let Some(rate) = sampled.rate() {
        facts.push(("accepted".into(), rate_words(rate)));
    }
    if let Some(density) = &sampled.density {
        facts.push(("homomorphism density".into(), density_words(density)));
    }
    if let Some(mixing) = &sampled.conditional {
        facts.push(("conditional density".into(), format!("{:.6} ± {:.6}", mixing.mean, mixing.error)));
    }
    facts.extend(sampled.digest.iter().map(|digest| ("input".into(), format!("{} {digest}", sampled.name))));
    facts.extend(sampled.notes.iter().map(|note| ("note".to_owned(), note.clone())));
    facts.push(("version".into(), format!("ergodict {}", env!("CARGO_PKG_VERSION"))));
    facts
        .push(("time".into(), format!("{:.2} s after a set-up of {:.3} s", sampled.seconds, sampled.set_up)));
    facts
}

/// Patches of homomorphisms spread over all.
fn some_patches(
    sampled: &Sampled,
    recorders: &[MotifRecorder],
    patches: &NetworkPatches,
) -> Result<Vec<Vec<f64>>> {
    let (k, apart) = (sampled.k, (sampled.count() / PATCHES as u64).max(1));
    let (mut at, mut shown) = (0u64, Vec::new());
    for recorder in recorders {
        recorder.each(|xs| {
            for x in xs.chunks_exact(k) {
                if at.is_multiple_of(apart) && shown.len() < PATCHES {
                    let mut patch = vec![0.0; k * k];
                    patches.write(x, &mut patch);
                    shown.push(patch);
                }
                at += 1;
            }
            Ok::<(), ergodict::Error>(())
        })?;
    }
    Ok(shown)
}

/// A series over its places, averaged over stretches so that there are at most `POINTS`.
fn averaged(values: &[f64]) -> Vec<(f64, f64)> {
    let stretch = values.len().div_ceil(POINTS).max(1);
    let points = values.chunks(stretch).enumerate().map(|(i, part)| {
        let middle = i as f64 * stretch as f64 + (part.len() + 1) as f64 / 2.0;
        (middle, part.iter().sum::<f64>() / part.len() as f64)
    });
    points.collect()
}

/// The page of a network.
pub(super) fn of_network(
    name: &str,
    summary: &Summary,
    lines: &[(&str, String)],
    samplers: &[Validity],
    facts: &[(&str, String)],
    command: &str,
) -> Report {
    let mean = summary.degrees.as_ref().map_or_else(String::new, |degrees| {
        format!(" A node has {:.1} neighbors on average, and at most {}.", degrees.mean, degrees.max)
    });
    let closed = summary.transitivity.map_or_else(String::new, |closed| {
        format!(
            " Two neighbors of a node are neighbors of each other in {:.1} % of the cases (the transitivity): near 0 means a network of \
             trees, some tenths one of communities.",
            100.0 * closed
        )
    });
    let parts = if summary.components > 1 {
        format!(
            " It has {} components; the largest holds {:.1} % of the nodes, and homomorphisms go there unless --component all is given.",
            summary.components,
            100.0 * summary.largest_nodes as f64 / summary.nodes.max(1) as f64
        )
    } else {
        String::new()
    };
    let lead = format!("{} nodes and {} edges.{mean}{closed}{parts}", summary.nodes, summary.edges);
    let rows = samplers.iter().map(|one| {
        vec![one.kind.to_string(), if one.valid { "yes" } else { "no" }.into(), one.words.clone()]
    });
    let of = NetworkReport {
        name: name.to_owned(),
        nodes: summary.nodes,
        edges: summary.edges,
        directed: summary.directed,
        weighted: summary.weighted,
        degrees: summary.histogram.iter().map(|bin| (bin.from, bin.to, bin.nodes)).collect(),
        effective_nodes: None,
        explained: None,
    };
    Report::new(format!("The network {}", short(name)))
        .lead(lead)
        .table(Table {
            title: "What it is like".into(),
            head: ["what".to_owned(), String::new()].to_vec(),
            rows: lines.iter().map(|(name, words)| vec![(*name).to_owned(), words.clone()]).collect(),
            words: String::new(),
        })
        .figure(degrees(&[of]))
        .table(Table {
            title: "SamplerBuilder".into(),
            head: ["sampler", "valid", "what to know"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
            words: "Which samplers of homomorphisms can be used for chain motifs on the largest component."
                .into(),
        })
        .facts(facts)
        .code("What to try next", command)
}
