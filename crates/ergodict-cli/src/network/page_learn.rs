//! The report of network dictionary learning.

use super::learned::Learned;
use crate::page::{dominance, facts, loss};
use anyhow::Result;
use ergodict::dictionary::Model;
use ergodict_report::{AtomGraphs, AtomGrid, Figure, Report};

/// Most atoms that are drawn.
const MOST_ATOMS: usize = 64;

const MATRICES: &str = "
    Each atom is a matrix: row and column a stand for node a of the motif, and dark entries for edges that patches made of this atom have.
    The two dark lines beside the diagonal of a chain are its own edges, which every patch has; what else is dark is what the network adds to
    them. Atoms are in the order of their dominance, the share they have in the patches, which is the number below. Each has its own scale.";

const GRAPHS: &str = "
    The same atoms drawn as graphs, nodes that are joined by strong edges close together. Edges of the motif itself are
    blue, all others orange; the wider, the stronger. Node 1, where the motif begins, has a ring. A random walk may come back to a node it has been at:
    places of the same node have the same edges, which shows as orange edges even where the network is a bare path; --injective leaves such walks out.
    Atoms that no patch uses are left out.";

/// The page.
pub(super) fn of_learning(learned: &Learned<'_>) -> Result<Report> {
    let (model, totals) = (learned.model, &learned.model.aggregates);
    let lead = format!(
        "{} latent motifs of {}, learned from {} patches in {} steps. A patch is what there is of the network among the nodes of \
         a random {}.",
        model.w.cols(),
        learned.from(),
        totals.samples,
        totals.t,
        learned.motif(),
    );
    let mut run = facts(model);
    run.insert(0, ("motif", learned.motif()));
    run.insert(1, ("sampler", learned.acceptance()));
    run.push(("time", format!("{:.2} s", learned.time.as_secs_f64())));
    let mut report = Report::new(format!("What {} is made of", learned.from())).lead(lead);
    for figure in atoms(model)? {
        report = report.figure(figure);
    }
    Ok(report.figure(loss(model)).table(dominance(model)).facts(&run))
}

/// The page of the static version.
pub(super) fn of_all(model: &Model, name: &str, homomorphisms: u64, seconds: f64) -> Result<Report> {
    let lead = format!(
        "{} latent motifs of {name}, learned from all {homomorphisms} homomorphisms at once, each by its probability.",
        model.w.cols()
    );
    let mut run = facts(model);
    run.push(("time", format!("{seconds:.2} s")));
    let report = Report::new(format!("What {name} is made of")).lead(lead);
    Ok(atoms(model)?
        .into_iter()
        .fold(report, Report::figure)
        .figure(loss(model))
        .table(dominance(model))
        .facts(&run))
}

/// The atoms of a network model, as graphs and as matrices.
pub(crate) fn atoms(model: &Model) -> Result<Vec<Figure>> {
    let (scores, order) = model.dominance();
    // Atoms that no patch uses are still as random as they began.
    let used = order.iter().take_while(|&&j| scores[j] > 0.0).count().max(1);
    let shown = &order[..used.min(MOST_ATOMS)];
    let atoms: Vec<Vec<f64>> = shown.iter().map(|&j| model.w.col(j).to_vec()).collect();
    let labels: Vec<String> = shown.iter().map(|&j| format!("{:.3}", scores[j])).collect();
    let Some(form) = &model.network else { return Ok(Vec::new()) };
    let matrices = AtomGrid { labels: Some(labels.clone()), ..AtomGrid::new(&atoms, (form.k, form.k)) };
    let mut figures = Vec::new();
    // Graphs have edges of positive weight; atoms of other sets are matrices alone.
    if atoms.iter().flatten().all(|entry| *entry >= 0.0) {
        let edges: Vec<(usize, usize)> = form.edges.iter().map(|&(i, j)| (i as usize, j as usize)).collect();
        let svg = AtomGraphs::new(&atoms, form.k, &edges).labels(labels).svg()?;
        figures.push(Figure { title: "Atoms as graphs".into(), svg, words: GRAPHS.into() });
    }
    figures.push(Figure { title: "Atoms as matrices".into(), svg: matrices.svg()?, words: MATRICES.into() });
    Ok(figures)
}
