//! Missing edges, ranked: a tenth of the edges is hidden, none of them in a random spanning tree, and all non-edges of what is left are
//! scored. The first twenty and hundred of the list, its average precision and AUC, and how far probabilities are from shares.

use crate::clock::cpu_seconds;
use crate::inputs;
use anyhow::{Context, Result, bail};
use ergodict::data::corrupt::{AddModel, Amount, Kind, add, remove};
use ergodict::data::generate::{BarabasiAlbert, BlockModel, Density, ErdosRenyi, Generator, WattsStrogatz};
use ergodict::data::{Network, embedded};
use ergodict::denoise::ensemble::NoiseModel;
use ergodict::denoise::roc::Ranked;
use ergodict::denoise::splits::Negatives;
use ergodict::denoise::{Candidates, Denoiser, Progress, order};
use ergodict::rng::{Purpose, shuffle, stream};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

const USAGE: &str = "missing [--networks a,b] [--methods a,b] [--seeds 0,1] [--false | --renamed]; a network is @NAME, a file in $ERGODICT_DATA, \
FILE:N for N nodes around one of its nodes, er, ws, ba, sbm or geometric; --false asks for false edges instead, --renamed \
compares lists of copies of the network whose nodes are renamed, one for each seed";

/// Those that settings may be chosen by.
const NETWORKS: &str = "@lesmis,quaker-edges.csv,asoiaf-all-edges.csv,fb100_Caltech36.txt.gz,arxiv.txt.gz:1500,ppi_pathways.txt.gz:1500,\
facebook.txt.gz:1500,ws,sbm";
const METHODS: &str = "ensemble,resource-allocation,adamic-adar,common-neighbors,ra-l3";

/// Means over seeds: precision of the first 20 and 100, average precision, AUC against all non-edges and against degree-matched ones,
/// error of calibration, the same among the first hundred, CPU seconds.
const COLUMNS: &str = "| network | method | precision@20 | @100 | average precision | AUC | degree-matched | calibration error | first 100: predicted, true | CPU s |";

/// Prints the table.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
    let (mut networks, mut methods, mut seeds) = (list(NETWORKS), list(METHODS), vec![0, 1, 2]);
    let (mut is_false, mut is_renamed) = (false, false);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if let "--false" | "--renamed" = argument.as_str() {
            *(if argument == "--false" { &mut is_false } else { &mut is_renamed }) = true;
            continue;
        }
        let value = rest.next().with_context(|| format!("{argument} needs a value; {USAGE}"))?;
        match argument.as_str() {
            "--networks" => networks = list(value),
            "--methods" => methods = list(value),
            "--seeds" => seeds = list(value).iter().map(|seed| seed.parse()).collect::<Result<_, _>>()?,
            _ => bail!("{argument} is no option; {USAGE}"),
        }
    }
    if is_renamed {
        return renamed(&networks, &methods, &seeds);
    }
    println!("{COLUMNS}\n|---|---|---|---|---|---|---|---|---|---|");
    for name in &networks {
        let network = open(name)?;
        for method in &methods {
            let rows: Vec<[f64; 9]> = seeds
                .iter()
                .map(|&seed| {
                    if is_false {
                        false_edges(&network, method, seed)
                    } else {
                        missing(&network, method, seed)
                    }
                })
                .collect::<Result<_>>()?;
            let mean = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64;
            let [p20, p100, ap, auc, matched, error, predicted, truth, cpu] = std::array::from_fn(mean);
            println!(
                "| {name} {}/{} | {method} | {p20:.3} | {p100:.3} | {ap:.3} | {auc:.4} | {matched:.4} | {error:.4} | {predicted:.2}, {truth:.2} | {cpu:.2} |",
                network.nodes(),
                network.edges()
            );
        }
    }
    Ok(())
}

/// The largest component of a simple network.
fn open(name: &str) -> Result<Network> {
    let generated = |model: Generator| model.generate(7);
    let network = match name {
        "er" => generated(ErdosRenyi::new(400, Density::Edges(2400), false)?.into()),
        "ws" => generated(WattsStrogatz::new(400, 8, 0.1)?.into()),
        "ba" => generated(BarabasiAlbert::new(400, 3)?.into()),
        "sbm" => {
            let probability = |a: usize| (0..6).map(|b| if a == b { 0.15 } else { 0.01 }).collect();
            generated(BlockModel::new(vec![50; 6], (0..6).map(probability).collect())?.into())
        }
        "geometric" => geometric(400, 0.075)?,
        _ if name.starts_with('@') => embedded(name)?,
        _ => match name.split_once(':') {
            Some((file, nodes)) => ball(&inputs::open(file)?.to_simple(), nodes.parse()?)?,
            None => inputs::open(name)?,
        },
    };
    Ok(network.to_simple().largest_component())
}

/// Nodes in the unit square, joined where they are near: a lattice of points that an irrational turn spreads.
fn geometric(nodes: usize, reach: f64) -> Result<Network> {
    let at = |i: usize| {
        let i = i as f64 + 1.0;
        (
            (i * 0.754_877_666_246_692_7 + (i * 12.9898).sin() * 0.1).rem_euclid(1.0),
            (i * 0.569_840_290_998_053_2 + (i * 78.233).sin() * 0.1).rem_euclid(1.0),
        )
    };
    let near = |a: usize, b: usize| (at(a).0 - at(b).0).hypot(at(a).1 - at(b).1) < reach;
    let pairs = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b)));
    let edges: Vec<(u32, u32)> =
        pairs.filter(|&(a, b)| near(a, b)).map(|(a, b)| (a as u32, b as u32)).collect();
    Ok(Network::simple(nodes, &edges)?)
}

/// So many nodes of a breadth-first search from the node in the middle of the list.
fn ball(network: &Network, nodes: usize) -> Result<Network> {
    let start = network.nodes() / 2;
    let (mut number, mut queue) = (HashMap::from([(start as u32, 0u32)]), VecDeque::from([start as u32]));
    while let Some(u) = queue.pop_front() {
        for &v in network.neighbors(u as usize) {
            let next = number.len() as u32;
            if number.len() < nodes && !number.contains_key(&v) {
                number.insert(v, next);
                queue.push_back(v);
            }
        }
    }
    let edges: Vec<(u32, u32)> =
        network.each_edge().filter_map(|(u, v, _)| Some((*number.get(&u)?, *number.get(&v)?))).collect();
    Ok(Network::simple(number.len(), &edges)?)
}

/// The mean over orders of ties of the share of true pairs among the first `count`.
fn precision(scores: &[f64], labels: &[bool], first: &[usize], count: usize) -> f64 {
    let count = count.min(first.len());
    let least = scores[first[count - 1]];
    let tied: Vec<usize> = first.iter().copied().filter(|&row| scores[row] == least).collect();
    let sure = first[..count].iter().filter(|&&row| scores[row] != least).collect::<Vec<_>>();
    let hits = sure.iter().filter(|&&&row| labels[row]).count() as f64;
    let among = tied.iter().filter(|&&row| labels[row]).count() as f64 / tied.len() as f64;
    (hits + among * (count - sure.len()) as f64) / count as f64
}

/// The expected error of calibration in ten bins of equal numbers of pairs, of the thousand pairs that come first, and of the first hundred what is
/// predicted and what is true.
fn calibration(probabilities: Option<&[f64]>, labels: &[bool], first: &[usize]) -> [f64; 3] {
    let Some(probabilities) = probabilities else { return [f64::NAN; 3] };
    let mean = |rows: &[usize]| {
        let n = rows.len() as f64;
        let predicted = rows.iter().map(|&row| probabilities[row]).sum::<f64>() / n;
        (predicted, rows.iter().filter(|&&row| labels[row]).count() as f64 / n)
    };
    let most = first.len().min(1000);
    let error = |rows: &[usize]| (mean(rows).0 - mean(rows).1).abs() * rows.len() as f64 / most as f64;
    let (predicted, truth) = mean(&first[..first.len().min(100)]);
    [first[..most].chunks(most.div_ceil(10)).map(error).sum(), predicted, truth]
}

fn missing(network: &Network, method: &str, seed: u64) -> Result<[f64; 9]> {
    let hidden = remove(network, Amount::Fraction(0.1), seed)?;
    let observed = Arc::new(hidden.observed);
    // Of networks with millions of pairs without an edge, those that the program would rank.
    let candidates = Candidates::new(&observed)?;
    let (all, pairs) = (candidates.is_all(), candidates.pairs);
    let labels: Vec<bool> =
        pairs.iter().map(|&(u, v)| network.weight(u as usize, v as usize) > 0.0).collect();
    let (denoiser, before) = (
        Denoiser {
            negatives: Negatives::All,
            ..Denoiser::new(method.parse()?, NoiseModel::Removed, 1000 + seed)
        },
        cpu_seconds(),
    );
    let found = denoiser.scores(&observed, &pairs, &mut Progress::none())?;
    let cpu = cpu_seconds() - before;
    let first = order(&found.scores, true);
    let ranked = Ranked::new(&found.scores, &labels)?;
    let [p20, p100] = [20, 100].map(|count| precision(&found.scores, &labels, &first, count));
    if !all {
        let [error, predicted, truth] = calibration(found.probabilities.as_deref(), &labels, &first);
        return Ok([p20, p100, f64::NAN, f64::NAN, f64::NAN, error, predicted, truth, cpu]);
    }
    let place: HashMap<(u32, u32), usize> = pairs.iter().copied().zip(0..).collect();
    let kept = hidden.truth.iter().filter(|pair| pair.2 != Kind::Uniform);
    let (scores, kinds): (Vec<f64>, Vec<bool>) =
        kept.map(|&(u, v, kind)| (found.scores[place[&(u, v)]], kind.label())).unzip();
    let matched = Ranked::new(&scores, &kinds)?.auc();
    let [error, predicted, truth] = calibration(found.probabilities.as_deref(), &labels, &first);
    Ok([p20, p100, ranked.average_precision(), ranked.auc(), matched, error, predicted, truth, cpu])
}

/// The first pairs that lists of renamed copies are compared by.
const FIRST: usize = 50;

/// How much lists depend on the names of nodes, and so on the labels that are drawn: of each two copies the share of the first pairs that both have, and the
/// correlation of the ranks of all pairs.
fn renamed(networks: &[String], methods: &[String], seeds: &[u64]) -> Result<()> {
    println!(
        "| network | method | first {FIRST} in common: mean | least | correlation of ranks: mean | least |\n|---|---|---|---|---|---|"
    );
    for name in networks {
        let network = open(name)?;
        let pairs = Candidates::new(&network)?.pairs;
        for method in methods {
            let orders: Vec<Vec<usize>> = seeds
                .iter()
                .map(|&seed| {
                    let mut names: Vec<u32> = (0..network.nodes() as u32).collect();
                    shuffle(&mut names, &mut stream(seed, Purpose::Synthetic, 0));
                    let rename = |(u, v): (u32, u32)| {
                        let (u, v) = (names[u as usize], names[v as usize]);
                        (u.min(v), u.max(v))
                    };
                    let edges: Vec<(u32, u32)> =
                        network.each_edge().map(|(u, v, _)| rename((u, v))).collect();
                    let copy = Arc::new(Network::simple(network.nodes(), &edges)?);
                    let asked: Vec<(u32, u32)> = pairs.iter().map(|&pair| rename(pair)).collect();
                    let denoiser = Denoiser {
                        negatives: Negatives::All,
                        ..Denoiser::new(method.parse()?, NoiseModel::Removed, 0)
                    };
                    Ok(order(&denoiser.scores(&copy, &asked, &mut Progress::none())?.scores, true))
                })
                .collect::<Result<_>>()?;
            let (mut common, mut correlations) = (Vec::new(), Vec::new());
            for (number, one) in orders.iter().enumerate() {
                for other in &orders[..number] {
                    let first: HashSet<usize> = other.iter().take(FIRST).copied().collect();
                    let both = one.iter().take(FIRST).filter(|row| first.contains(row)).count();
                    common.push(both as f64 / FIRST.min(pairs.len()) as f64);
                    correlations.push(correlation(one, other));
                }
            }
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
            println!(
                "| {name} {}/{} | {method} | {:.2} | {:.2} | {:.3} | {:.3} |",
                network.nodes(),
                network.edges(),
                mean(&common),
                least(&common),
                mean(&correlations),
                least(&correlations)
            );
        }
    }
    Ok(())
}

/// Spearman's correlation of two orders of the same rows.
fn correlation(one: &[usize], other: &[usize]) -> f64 {
    let mut place = vec![0; one.len()];
    other.iter().enumerate().for_each(|(at, &row)| place[row] = at);
    let squares: f64 = one.iter().enumerate().map(|(at, &row)| (at as f64 - place[row] as f64).powi(2)).sum();
    let n = one.len() as f64;
    1.0 - 6.0 * squares / (n * (n * n - 1.0))
}

/// The same of a tenth as many false edges as there are edges: the first are the most suspicious.
fn false_edges(network: &Network, method: &str, seed: u64) -> Result<[f64; 9]> {
    let noisy = add(network, Amount::Fraction(0.1), AddModel::ErdosRenyi, seed)?;
    let observed = Arc::new(noisy.observed);
    let (pairs, labels): (Vec<(u32, u32)>, Vec<bool>) =
        noisy.truth.iter().map(|&(u, v, kind)| ((u, v), !kind.label())).unzip();
    let (denoiser, before) = (Denoiser::new(method.parse()?, NoiseModel::Added, 1000 + seed), cpu_seconds());
    let found = denoiser.scores(&observed, &pairs, &mut Progress::none())?;
    let cpu = cpu_seconds() - before;
    let doubts: Vec<f64> = found.scores.iter().map(|score| -score).collect();
    let probabilities: Option<Vec<f64>> =
        found.probabilities.map(|all| all.iter().map(|p| 1.0 - p).collect());
    let first = order(&doubts, true);
    let ranked = Ranked::new(&doubts, &labels)?;
    let [p20, p100] = [20, 100].map(|count| precision(&doubts, &labels, &first, count));
    let [error, predicted, truth] = calibration(probabilities.as_deref(), &labels, &first);
    Ok([p20, p100, ranked.average_precision(), ranked.auc(), f64::NAN, error, predicted, truth, cpu])
}
