//! `ergodict network generate`: random networks.

mod rewired;

use super::reading;
use crate::args::{Common, Size, count};
use crate::summary::{Summary, emit};
use crate::{memory, output, paths, reports};
use anyhow::{Context, Result, bail};
use clap::Subcommand;
use ergodict::data::generate::{
    BarabasiAlbert, BlockModel, Configuration, Density, ErdosRenyi, Generator, Multiple, RMat, WattsStrogatz,
};
use ergodict::data::{NetworkFormat, ReadSettings, check_network_name, write_network_with_note};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Bytes that a node and an edge take while a network is made: with 10⁶ nodes and 10⁷ edges the peak was 268 MB for ba and ws, 281 MB for
/// rmat, 180 MB for er, against 276 MB by these.
const PER_NODE: f64 = 16.0;
const PER_EDGE: f64 = 26.0;

const HELP: &str = "\
Example:
  ergodict network generate er --nodes 1000 --edges 5000 -o er.txt
  ergodict network generate sbm --sizes 50,50,100 --within 0.2 --between 0.01 -o blocks.egr --seed 7
  ergodict network generate rewired @karate -o same-degrees.txt";

/// Generate a random network
#[derive(clap::Args)]
#[command(after_long_help = HELP, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    model: Kind,
}

/// Models with parameters, and copies of networks.
#[derive(Subcommand)]
enum Kind {
    #[command(flatten)]
    Model(Model),
    Rewired(rewired::Args),
}

/// The models.
#[derive(Subcommand)]
enum Model {
    Er(Er),
    Ba(Ba),
    Ws(Ws),
    Sbm(Sbm),
    Configuration(Config),
    Rmat(Rmat),
}

/// The file to write.
#[derive(clap::Args)]
struct Out {
    #[arg(short, long, value_name = "NET", help = format!("The network to write: {} (which cannot keep isolated nodes)", NetworkFormat::WRITTEN))]
    out: PathBuf,
}

/// The memory of models whose edges are drawn one by one.
#[derive(clap::Args)]
struct MemoryArgs {
    /// Memory to make the network in, such as 2G or 500M, a number alone in mebibytes; a larger one is sorted on disk, next to the
    /// output [default: 1G]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    memory: Option<Size>,
}

impl MemoryArgs {
    fn bytes(&self) -> usize {
        self.memory.map_or(1 << 30, Size::bytes)
    }
}

/// Erdős–Rényi: every pair with the same probability, or a given number of edges
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  ergodict network generate er --nodes 1000 --probability 0.01 -o er.txt"
)]
struct Er {
    /// Nodes
    #[arg(short, long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    nodes: u64,
    /// Edges: that many pairs, all sets of them as probable
    #[arg(short, long, value_name = "M", value_parser = count, allow_negative_numbers = true)]
    #[arg(conflicts_with = "probability")]
    edges: Option<u64>,
    /// Probability of every pair
    #[arg(short, long, value_name = "P", allow_negative_numbers = true)]
    probability: Option<f64>,
    /// Edges have a direction
    #[arg(long)]
    directed: bool,
    #[command(flatten)]
    drawn: MemoryArgs,
    #[command(flatten)]
    out: Out,
}

/// Barabási–Albert: every new node joins nodes in proportion to their degrees
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  ergodict network generate ba --nodes 10000 --joins 3 -o ba.txt")]
struct Ba {
    /// Nodes
    #[arg(short, long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    nodes: u64,
    /// Edges that each new node brings
    #[arg(short = 'm', long, value_name = "M", value_parser = count, allow_negative_numbers = true)]
    joins: u64,
    #[command(flatten)]
    out: Out,
}

/// Watts–Strogatz: a ring in which every node has the same number of neighbors, with edges rewired at random
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  ergodict network generate ws --nodes 1000 --neighbors 10 --rewired 0.1 -o ws.txt"
)]
struct Ws {
    /// Nodes
    #[arg(short, long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    nodes: u64,
    /// Neighbors of every node in the ring, an even number
    #[arg(long, value_name = "K", value_parser = count, allow_negative_numbers = true)]
    #[arg(alias = "neighbours")]
    neighbors: u64,
    /// Probability that an edge is rewired
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    rewired: f64,
    #[command(flatten)]
    out: Out,
}

/// Stochastic block model: the probability of a pair depends on the blocks of its nodes
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  ergodict network generate sbm --sizes 50,50 --within 0.2 --between 0.01 -o blocks.txt\n  \
    ergodict network generate sbm --sizes 30,70 --matrix '0.3,0.02;0.02,0.1' -o blocks.txt --labels labels.txt"
)]
struct Sbm {
    /// Nodes of each block
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = count, required = true)]
    sizes: Vec<u64>,
    /// Probability of pairs within a block
    #[arg(long, value_name = "P", requires = "between", allow_negative_numbers = true)]
    #[arg(conflicts_with = "matrix")]
    within: Option<f64>,
    /// Probability of pairs in different blocks
    #[arg(long, value_name = "P", requires = "within", allow_negative_numbers = true)]
    between: Option<f64>,
    /// All probabilities, row by row, such as 0.3,0.02;0.02,0.1
    #[arg(long, value_name = "P,P;P,P")]
    matrix: Option<String>,
    /// Also write the block of each node
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    #[command(flatten)]
    drawn: MemoryArgs,
    #[command(flatten)]
    out: Out,
}

/// Configuration model: given degrees, all else at random
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  ergodict network generate configuration --like @karate -o same-degrees.txt\n  \
    ergodict network generate configuration --degrees 3,3,2,2,2 -o small.txt"
)]
struct Config {
    /// The degrees
    #[arg(long, value_name = "D,D,…", value_delimiter = ',', value_parser = count)]
    #[arg(conflicts_with = "like")]
    degrees: Vec<u64>,
    /// A network whose degrees are taken
    #[arg(long, value_name = "NET")]
    like: Option<PathBuf>,
    /// Leave out loops and repeated edges, so that some degrees are smaller, instead of keeping all degrees
    #[arg(long)]
    erased: bool,
    /// Attempted swaps of two edges' ends for each edge, where no random pairing gives all degrees
    #[arg(long, value_name = "N", default_value_t = 20, hide_short_help = true)]
    swaps: u32,
    #[command(flatten)]
    out: Out,
}

/// R-MAT: edges that fall into quadrants of the matrix, again and again, with given probabilities
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  ergodict network generate rmat --scale 16 --edge-factor 16 -o rmat.egr"
)]
struct Rmat {
    /// There are 2^SCALE nodes
    #[arg(long, value_name = "SCALE", allow_negative_numbers = true)]
    scale: u32,
    /// Edges drawn for every node; those drawn twice count once
    #[arg(long, value_name = "M", default_value_t = 16, value_parser = count, allow_negative_numbers = true)]
    edge_factor: u64,
    /// Edges drawn in all, instead of --edge-factor
    #[arg(short, long, value_name = "M", value_parser = count, allow_negative_numbers = true)]
    #[arg(conflicts_with = "edge_factor")]
    edges: Option<u64>,
    /// Probabilities of the four quadrants
    #[arg(long, value_name = "A,B,C,D", value_delimiter = ',', default_value = "0.57,0.19,0.19,0.05")]
    quadrants: Vec<f64>,
    /// Edges have a direction
    #[arg(long)]
    directed: bool,
    #[command(flatten)]
    drawn: MemoryArgs,
    #[command(flatten)]
    out: Out,
}

/// How large the network is.
struct NetworkSize {
    nodes: u64,
    edges: u64,
}

/// Bytes that a network takes while it is made in memory.
fn needed(nodes: f64, edges: f64) -> u64 {
    (nodes * PER_NODE + edges * PER_EDGE).min(1e18) as u64
}

/// Refuses networks that do not fit.
fn fits(nodes: f64, edges: f64, way_out: &str) -> Result<()> {
    let what = format!("a network of {nodes:.3e} nodes and {edges:.3e} edges");
    memory::check(needed(nodes, edges), &what, way_out)
}

pub(crate) fn run(args: &Args, common: &Common) -> Result<ExitCode> {
    let model = match &args.model {
        Kind::Model(model) => model,
        Kind::Rewired(args) => return rewired::run(args, common),
    };
    let out = &model.out().out;
    let mut inputs: Vec<paths::NamedPath<'_>> = Vec::new();
    let mut outputs: Vec<paths::NamedPath<'_>> = vec![("-o", out)];
    match model {
        Model::Configuration(Config { like: Some(like), .. }) => {
            inputs.extend(reading::file(like).map(|(_, path)| ("--like", path)));
        }
        Model::Sbm(Sbm { labels: Some(labels), .. }) => outputs.push(("--labels", labels)),
        _ => {}
    }
    paths::check(common, &inputs, &outputs)?;
    check_network_name(out)?;
    reports::probe(&outputs)?;
    // Labels of blocks are made with the generator; of other models its own limits come first.
    if let Model::Sbm(sbm) = model {
        let nodes: f64 = sbm.sizes.iter().map(|&size| size as f64).sum();
        fits(nodes, 0.0, "ask for fewer")?;
    }
    let (generator, labels) = model.generator(common.quiet)?;
    if let Some(memory) =
        model.drawn().and_then(|drawn| drawn.memory).filter(|memory| memory.bytes() < 1 << 20)
    {
        bail!("--memory is {memory}, but at least one mebibyte is needed");
    }
    let drawn = model.drawn().filter(|_| generator.is_streamed());
    let started = Instant::now();
    let note = crate::resolved::note();
    let (made, lost) = match (drawn, model.expected()) {
        (Some(drawn), Some((nodes, edges))) if needed(nodes, edges) > drawn.bytes() as u64 => {
            let made = generator.write(common.seed, out, drawn.bytes(), note.as_deref())?;
            (NetworkSize { nodes: made.nodes, edges: made.edges }, made.saved.lost)
        }
        (_, expected) => {
            let fewer =
                if drawn.is_some() { "ask for fewer, or lower --memory SIZE" } else { "ask for fewer" };
            expected.map_or(Ok(()), |(nodes, edges)| fits(nodes, edges, fewer))?;
            let network = generator.generate(common.seed);
            let made = NetworkSize { nodes: network.nodes() as u64, edges: network.edges() };
            (made, write_network_with_note(out, &network, note.as_deref())?.lost)
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    if let (Model::Sbm(Sbm { labels: Some(path), .. }), Some(labels)) = (model, labels) {
        let mut text = String::from("node\tblock\n");
        for (node, label) in labels.iter().enumerate() {
            let _ = writeln!(text, "{node}\t{label}");
        }
        output::write(path, &text)?;
    }
    let summary = GenerateSummary {
        model: model.name(),
        nodes: made.nodes,
        edges: made.edges,
        directed: generator.is_directed(),
        out,
        lost,
        seconds,
        seed: common.seed,
    };
    emit(&summary, common)?;
    Ok(ExitCode::SUCCESS)
}

/// `ergodict network generate`
#[derive(Serialize)]
struct GenerateSummary<'a> {
    /// `er`, `ba`, `ws`, `sbm`, `configuration` or `rmat`
    model: &'static str,
    /// Number of nodes
    nodes: u64,
    /// Number of edges
    edges: u64,
    /// Whether edges have directions
    directed: bool,
    /// File that was written
    out: &'a Path,
    /// What its format cannot keep, as a sentence, or `null`
    lost: Option<String>,
    /// Time of generating and writing
    seconds: f64,
    #[serde(skip)]
    seed: u64,
}

impl Summary for GenerateSummary<'_> {
    const SCHEMA: &'static str = "ergodict.network-generate/1";

    fn lines(&self) -> Vec<(&str, String)> {
        let Self { nodes, edges, seconds, seed, .. } = self;
        let direction = if self.directed { "directed" } else { "undirected" };
        let made =
            format!("{nodes} nodes, {edges} edges, {direction}, unweighted, in {seconds:.2} s (seed {seed})");
        let mut lines = vec![("generated", made), ("wrote", self.out.display().to_string())];
        lines.extend(self.lost.iter().map(|lost| ("note", lost.clone())));
        lines
    }
}

impl Model {
    fn out(&self) -> &Out {
        match self {
            Self::Er(er) => &er.out,
            Self::Ba(ba) => &ba.out,
            Self::Ws(ws) => &ws.out,
            Self::Sbm(sbm) => &sbm.out,
            Self::Configuration(configuration) => &configuration.out,
            Self::Rmat(rmat) => &rmat.out,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Er(_) => "er",
            Self::Ba(_) => "ba",
            Self::Ws(_) => "ws",
            Self::Sbm(_) => "sbm",
            Self::Configuration(_) => "configuration",
            Self::Rmat(_) => "rmat",
        }
    }

    /// About how many nodes and edges there will be; none where a file says.
    fn expected(&self) -> Option<(f64, f64)> {
        let float = |n: u64| n as f64;
        Some(match self {
            Self::Er(er) => {
                let pairs = float(er.nodes).powi(2) / if er.directed { 1.0 } else { 2.0 };
                let edges = er.edges.map_or(er.probability.unwrap_or(0.0) * pairs, float);
                (float(er.nodes), edges)
            }
            Self::Ba(ba) => (float(ba.nodes), float(ba.nodes) * float(ba.joins)),
            Self::Ws(ws) => (float(ws.nodes), float(ws.nodes) * float(ws.neighbors) / 2.0),
            Self::Sbm(sbm) => {
                let nodes: f64 = sbm.sizes.iter().copied().map(float).sum();
                let within: f64 = sbm.sizes.iter().map(|&n| float(n).powi(2) / 2.0).sum();
                let between = nodes.powi(2) / 2.0 - within;
                let p = |given: Option<f64>| given.unwrap_or(0.0);
                let mut edges = p(sbm.within) * within + p(sbm.between) * between;
                // Errors of the matrix are those of the model.
                let matrix = sbm.matrix.as_deref().and_then(|matrix| rows(matrix).ok()).unwrap_or_default();
                for (row, &one) in matrix.iter().zip(&sbm.sizes) {
                    edges += row
                        .iter()
                        .zip(&sbm.sizes)
                        .map(|(p, &two)| p * float(one) * float(two) / 2.0)
                        .sum::<f64>();
                }
                (nodes, edges)
            }
            Self::Configuration(configuration) if configuration.like.is_none() => {
                let ends: f64 = configuration.degrees.iter().copied().map(float).sum();
                (configuration.degrees.len() as f64, ends / 2.0)
            }
            Self::Configuration(_) => return None,
            Self::Rmat(rmat) => {
                let nodes = f64::from(rmat.scale).exp2();
                (nodes, rmat.edges.map_or(nodes * float(rmat.edge_factor), float))
            }
        })
    }

    /// The memory of models whose edges may be drawn one by one.
    fn drawn(&self) -> Option<&MemoryArgs> {
        match self {
            Self::Er(er) => Some(&er.drawn),
            Self::Sbm(sbm) => Some(&sbm.drawn),
            Self::Rmat(rmat) => Some(&rmat.drawn),
            Self::Ba(_) | Self::Ws(_) | Self::Configuration(_) => None,
        }
    }

    /// The generator; for blocks, with the block of each node.
    fn generator(&self, quiet: bool) -> Result<(Generator, Option<Vec<u32>>)> {
        let generator = match self {
            Self::Er(er) => {
                let edges = match (er.edges, er.probability) {
                    (Some(edges), _) => Density::Edges(edges),
                    (_, Some(probability)) => Density::Probability(probability),
                    _ => bail!("--edges M or --probability P is required"),
                };
                ErdosRenyi::new(er.nodes as usize, edges, er.directed)?.into()
            }
            Self::Ba(ba) => BarabasiAlbert::new(ba.nodes as usize, ba.joins as usize)?.into(),
            Self::Ws(ws) => WattsStrogatz::new(ws.nodes as usize, ws.neighbors as usize, ws.rewired)?.into(),
            Self::Sbm(sbm) => {
                let sizes = sbm.sizes.iter().map(|&size| size as usize).collect();
                let blocks = match (&sbm.matrix, sbm.within, sbm.between) {
                    (Some(matrix), ..) => BlockModel::new(sizes, rows(matrix)?)?,
                    (_, Some(within), Some(between)) => BlockModel::planted(sizes, within, between)?,
                    _ => {
                        bail!("--within P and --between P, or --matrix, are required")
                    }
                };
                let labels = blocks.labels();
                return Ok((blocks.into(), Some(labels)));
            }
            Self::Configuration(configuration) => {
                let multiple = if configuration.erased {
                    Multiple::Erased
                } else {
                    Multiple::Exact { swaps: configuration.swaps }
                };
                if let Some(path) = &configuration.like {
                    let like = reading::open(&ReadSettings::default(), path, quiet)?;
                    Configuration::like(&like.network, multiple).with_context(|| like.name.clone())?.into()
                } else {
                    if configuration.degrees.is_empty() {
                        bail!("--degrees D,D,… or --like NET is required");
                    }
                    let large =
                        |&d: &u64| u32::try_from(d).with_context(|| format!("--degrees has {d}: too large"));
                    let degrees = configuration.degrees.iter().map(large).collect::<Result<_>>()?;
                    Configuration::new(degrees, multiple)?.into()
                }
            }
            Self::Rmat(rmat) => {
                let quadrants: [f64; 4] = match rmat.quadrants[..] {
                    [a, b, c, d] => [a, b, c, d],
                    _ => bail!("--quadrants has {} numbers, but it must have four", rmat.quadrants.len()),
                };
                match rmat.edges {
                    Some(edges) => RMat::of_draws(rmat.scale, edges, quadrants, rmat.directed)?,
                    None => RMat::new(rmat.scale, rmat.edge_factor, quadrants, rmat.directed)?,
                }
                .into()
            }
        };
        Ok((generator, None))
    }
}

/// A matrix written as `0.3,0.02;0.02,0.1`.
fn rows(text: &str) -> Result<Vec<Vec<f64>>> {
    let number = |field: &str| {
        let field = field.trim();
        field
            .parse()
            .with_context(|| format!("--matrix has `{field}`: expected numbers such as 0.3,0.02;0.02,0.1"))
    };
    text.split(';').map(|row| row.split(',').map(number).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn a_matrix_is_read_row_by_row() {
        assert_eq!(rows("0.3,0.02; 0.02,1").unwrap(), [[0.3, 0.02], [0.02, 1.0]]);
        assert!(rows("0.3,x").unwrap_err().to_string().contains("`x`"));
    }
}
