//! The page of a network dictionary, from what its model holds.

use crate::model::{halves, left_out, loss, made_of, shown, stationarity};
use crate::recorded::RecordedSettings;
use crate::shell::flag;
use crate::text::{list, short};
use crate::{finding, mixing, over_time};
use ergodict::model::Model;
use ergodict::model::{AtomExample, ChainReport, NetworkReport};
use ergodict::patch::NetworkForm;
use ergodict_report::bars::{Bar, BarChart};
use ergodict_report::gallery::{Atom, Example, Form, Gallery};
use ergodict_report::words::count;
use ergodict_report::{Figure, LineChart, PictureError, Report, Series};

/// Networks whose degrees are drawn.
const MOST_NETWORKS: usize = 6;

const ATOMS: &str = "
    Each card is a latent motif: a pattern of edges that the network's patches are made of, drawn as a graph or as a matrix. In the matrix, row and
    column a stand for node a of the motif, and dark entries for edges. The motif's own edges (of a chain the two dark lines beside the
    diagonal, and blue in the graphs) are in every patch; what else is dark, or orange, is what the network adds to them. Node 1, where the motif
    begins, has a ring; the wider a line, the stronger the edge.

    Dominance tells how strongly an atom is used: its share of all codes, in root mean square. The share off the motif tells how much of an atom is
    not the motif itself: near 0 is a bare path or star, near 1 a dense community or a hub.";

const REVISITS: &str = "
    A random walk may come back to a node it has been at: places of the same node have the same edges, which shows as orange edges even where the
    network is a bare path. --injective leaves such walks out.";

const EXAMPLES: &str = "
    Opened, a card shows the subgraphs of the network that this atom makes the largest share of, found among fresh random patches: how much of a patch's
    squared norm the atom explains. Where even these shares are small, other atoms make the rest of the patches, or a large λ keeps codes small, or no atom
    fits them well.";

const CHAIN: &str = "
    Patches come from a chain of homomorphisms, each made from the one before, so that neighboring patches are alike. How alike is seen from the number
    of pairs of places with an edge (or its weight) that a patch has besides those of the motif: all that there is to learn is there.";

const INDEPENDENT: &str = "
    Homomorphisms were drawn independently of each other, so that there is no chain that could mix badly: the autocorrelation time is 1 but for chance.
    The numbers are those of the pairs of places with an edge (or its weight) that a patch has besides those of the motif.";

const BARS: &str = "
    How many nodes have which number of neighbors: a bar for those with 1, with 2 or 3, with 4 to 7, and so on, each twice as many as the one before.
    Nodes without neighbors are left out. Bars that reach far to the right mean that there are hubs; bars in the middle alone, that all
    nodes are much the same.";

const DEGREES: &str = "
    How many nodes have which number of neighbors, on average over the degrees from one power of two to the next. Both axes are logarithmic; nodes
    without neighbors are left out. A straight line downwards means that a few hubs have most edges; a hump, that all nodes are
    much the same.";

/// The page but for what was run.
///
/// # Errors
/// Atoms that cannot be drawn.
pub fn of_model(model: &Model, form: &NetworkForm) -> Result<Report, PictureError> {
    let kept = &model.provenance;
    let names: Vec<String> = if kept.networks.is_empty() {
        model.inputs.iter().map(|input| short(&input.name)).collect()
    } else {
        kept.networks.iter().map(|network| short(&network.name)).collect()
    };
    let from = from(model, &names);
    let report = Report::new(made_of(&from, names.len() > 1)).lead(lead(model, form, &from));
    let mut report = over_time::add(report.gallery(&gallery_of(model, form))?, model, form)?;
    report = report.figure(loss(model));
    report = stationarity(model).into_iter().fold(report, Report::figure);
    if let Some(chain) = kept.chain.as_ref().filter(|chain| !chain.mixing.is_empty()) {
        let words = if chain.independent { INDEPENDENT.to_owned() } else { chain_words(chain) };
        report = report.table(mixing::table(&chain.mixing, chain.minibatch_words(), &words));
        report = mixing::curve(&chain.mixing, "patches").into_iter().fold(report, Report::figure);
    }
    if kept.networks.iter().any(|network| !network.degrees.is_empty()) {
        report = report.figure(degrees(&kept.networks));
    }
    Ok(report)
}

/// What was learned from: `@karate`, `a, b and 2 more`, `7 snapshots (a to g)`.
fn from(model: &Model, names: &[String]) -> String {
    let settings = RecordedSettings::new(&model.provenance.config);
    if let Some(over_time) = model.over_time.as_ref().filter(|_| settings.timestamps.is_some()) {
        let windows = over_time.learned().count();
        let spans: Vec<(f64, f64)> = over_time.learned().filter_map(|(_, window)| window.span).collect();
        if let ([(from, _), ..], [.., (_, to)]) = (&spans[..], &spans[..]) {
            let (from, to) = (over_time.times.show(*from), over_time.times.show(*to));
            return format!("{} ({}, {from} to {to})", list(names), count(windows, "window", "windows"));
        }
    }
    match names {
        [first, .., last] if settings.snapshots => {
            format!("{} snapshots ({first} to {last})", names.len())
        }
        names => list(names),
    }
}

fn chain_words(chain: &ChainReport) -> String {
    let rate = chain.acceptance.map_or_else(String::new, |rate| {
        format!(" The {} sampler accepted {:.1} % of its proposals.", chain.sampler, 100.0 * rate)
    });
    let moved = if chain.continued + chain.restarted > 0 {
        format!(
            " From one snapshot to the next a chain went on {} and had to start again {}.",
            times(chain.continued),
            times(chain.restarted)
        )
    } else {
        String::new()
    };
    format!("{CHAIN}{rate}{moved}")
}

/// `once`, `12 times`.
pub fn times(n: u64) -> String {
    if n == 1 { "once".to_owned() } else { format!("{n} times") }
}

fn lead(model: &Model, form: &NetworkForm, from: &str) -> String {
    let (totals, kept) = (&model.aggregates, &model.provenance);
    let chain = kept.chain.as_ref();
    let how = match chain.and_then(|chain| chain.all) {
        Some(all) => format!("learned from all {all} homomorphisms at once, each by its probability"),
        None => format!("learned from {} patches in {} steps", totals.samples, totals.t),
    };
    let size = match &kept.networks[..] {
        [one] if model.over_time.is_some() => {
            format!(" (its last window has {} nodes and {} edges)", one.nodes, one.edges)
        }
        [one] => format!(" ({} nodes, {} edges)", one.nodes, one.edges),
        _ => String::new(),
    };
    let sampler = chain.map_or("", |chain| &chain.sampler);
    let mut found = String::new();
    for one in kept.networks.iter().take(MOST_NETWORKS) {
        let sentences = [
            finding::explained(model, one),
            one.explained.as_ref().and_then(finding::beyond_degrees),
            finding::coverage(one),
            one.warning(sampler).map(|note| format!("Warning: {}", note.spelled(&flag))),
        ];
        let sentences: Vec<String> = sentences.into_iter().flatten().collect();
        if !sentences.is_empty() {
            found = format!("{found}{}.\n\n", sentences.join(". "));
        }
    }
    let patch = format!(
        "A patch is what there is of the network among the nodes of a random {} of {} nodes",
        form.motif, form.k
    );
    let more = chain.and_then(|chain| match &chain.mixing[..] {
        [one] => one.mean.map(|mean| (mean, one.observable.as_str())),
        _ => None,
    });
    let more = more.map_or_else(String::new, |(mean, observable)| {
        // Walks that come back have places of the same node, and of the same edge.
        let revisits = !RecordedSettings::new(&kept.config).injective;
        let counted = if revisits { " (an edge that the walk comes back to counts again)" } else { "" };
        match observable {
            "edges off the motif" => {
                format!(": on average {mean:.1} edges besides those of the motif{counted}")
            }
            _ => format!(": on average a weight of {mean:.1} besides the edges of the motif{counted}"),
        }
    });
    format!(
        "{found}{} of {from}{size}, {how}. {patch}{more}.\n\n{}",
        count(model.w.cols(), "latent motif", "latent motifs"),
        halves(model)
    )
}

/// The atoms as cards with their examples.
pub fn gallery_of(model: &Model, form: &NetworkForm) -> Gallery {
    let kept = &model.provenance;
    let several = kept.networks.len() > 1;
    let example = |one: &AtomExample| {
        let percent = (100.0 * one.share).round();
        let whose = kept.networks.get(one.network).filter(|_| several);
        let whose = whose.map_or_else(String::new, |network| format!(" in {}", short(&network.name)));
        let directed = kept.networks.get(one.network).map_or(form.directed, |network| network.directed);
        Example {
            title: format!("{percent} % of this subgraph{whose}"),
            nodes: one.nodes.clone(),
            values: one.patch(directed),
        }
    };
    let (cards, shapes) = (shown(model), model.shapes());
    let card = |&(k, score): &(usize, f64)| {
        let values = model.w.col(k).to_vec();
        let whole = kept.examples.get(k).into_iter().flatten().filter(|one| one.nodes.len() == form.k);
        Atom {
            name: shapes.as_ref().map_or_else(|| k.to_string(), |shapes| format!("{k}: {}", shapes[k])),
            scores: vec![score, off_motif(form, &values)],
            examples: whole.map(example).collect(),
            values,
        }
    };
    let revisits = if RecordedSettings::new(&kept.config).injective { "" } else { REVISITS };
    let examples = if kept.examples.is_empty() { "" } else { EXAMPLES };
    Gallery {
        title: "Latent motifs".into(),
        words: format!("{ATOMS}{}\n\n{examples}\n\n{revisits}", left_out(model, cards.len())),
        form: Form::Network {
            k: form.k,
            motif: form.edges.iter().map(|&(i, j)| (i as usize, j as usize)).collect(),
        },
        scores: ["dominance", "share off the motif"].map(str::to_owned).to_vec(),
        atoms: cards.iter().map(card).collect(),
    }
}

/// How much of an atom is not at the edges of the motif: of the sum of its entries, without their signs.
fn off_motif(form: &NetworkForm, values: &[f64]) -> f64 {
    let mut off: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    let all: f64 = off.iter().sum();
    for &(a, b) in &form.edges {
        let (a, b) = (a as usize, b as usize);
        off[a * form.k + b] = 0.0;
        if !form.directed {
            off[b * form.k + a] = 0.0;
        }
    }
    if all > 0.0 { off.iter().sum::<f64>() / all } else { 0.0 }
}

/// The degrees of networks.
pub fn degrees(networks: &[NetworkReport]) -> Figure {
    if let [one] = networks {
        let some = one.degrees.iter().filter(|(from, _, nodes)| *from > 0 && *nodes > 0);
        let bar = |&(from, to, nodes): &(u64, u64, u64)| Bar {
            from: from as f64,
            to: to.saturating_add(1) as f64,
            value: nodes as f64,
            label: Some(match to.saturating_sub(from) {
                0 => from.to_string(),
                1 => format!("{from} or {to}"),
                _ => format!("{from} to {to}"),
            }),
        };
        let bars = some.map(bar).collect();
        let (x_label, y_label) = ("degree".into(), "nodes".into());
        let svg = BarChart { x_label, y_label, log_x: true, bars }.svg();
        return Figure { title: "Degrees".into(), svg, words: BARS.into() };
    }
    let series = networks
        .iter()
        .take(MOST_NETWORKS)
        .map(|network| Series::new(short(&network.name), density(&network.degrees)));
    let chart = LineChart {
        x_label: "degree".into(),
        y_label: "nodes of that degree".into(),
        log_x: true,
        log_y: true,
        series: series.collect(),
        ..LineChart::default()
    };
    let cut = if networks.len() > MOST_NETWORKS {
        format!(" The first {MOST_NETWORKS} of {} networks are drawn.", networks.len())
    } else {
        String::new()
    };
    Figure { title: "Degrees".into(), svg: chart.svg(), words: format!("{DEGREES}{cut}") }
}

/// Nodes of a degree, averaged over bins.
pub fn density(bins: &[(u64, u64, u64)]) -> Vec<(f64, f64)> {
    let some = bins.iter().filter(|(from, _, nodes)| *from > 0 && *nodes > 0);
    let point = |&(from, to, nodes): &(u64, u64, u64)| {
        let (from, to) = (from as f64, to as f64);
        ((from * to).sqrt(), nodes as f64 / (to - from + 1.0))
    };
    some.map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ergodict::chain::Motif;

    #[test]
    fn the_share_off_the_motif_is_that_of_the_entries() {
        let form = NetworkForm::new(&Motif::chain(3).unwrap(), false, false);
        let path = [0.0, 0.5, 0.0, 0.5, 0.0, 0.5, 0.0, 0.5, 0.0];
        assert_eq!(off_motif(&form, &path), 0.0);
        let triangle = [0.0, 0.5, 0.5, 0.5, 0.0, 0.5, 0.5, 0.5, 0.0];
        assert!((off_motif(&form, &triangle) - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(off_motif(&form, &[0.0; 9]), 0.0);
        // An edge of the motif both ways, and a loop: one entry of five.
        let both = Motif::new(3, vec![(0, 1), (1, 0), (1, 2)]).unwrap();
        let looped = [-0.5, 0.5, 0.0, 0.5, 0.0, 0.5, 0.0, 0.5, 0.0];
        assert!((off_motif(&NetworkForm::new(&both, false, false), &looped) - 0.2).abs() < 1e-12);
    }
}
