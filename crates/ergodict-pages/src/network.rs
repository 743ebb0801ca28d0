//! The report of a network dictionary, from its model.

use crate::model::{left_out, shown};
use crate::recorded::RecordedSettings;
use crate::shell::flag;
use crate::text::{list, short};
use crate::{finding, over_time, windows};
use ergodict::model::Model;
use ergodict::model::{AtomExample, ChainReport, Explained, NetworkReport, ValueWithError};
use ergodict::patch::NetworkForm;
use ergodict_report::bars::{Bar, BarChart};
use ergodict_report::gallery::{Atom, Example, Form, Gallery};
use ergodict_report::words::{count, grouped};
use ergodict_report::{Figure, LineChart, PictureError, Report, Series, Table};

/// Networks whose degrees are drawn.
const MOST_NETWORKS: usize = 6;

const ATOMS: &str = "
    Node 1, where the motif begins, has a ring. Click for real subgraphs.

    Dominance: share of usage (root mean square of codes). Share off the motif: near 0 for a bare path or star, near 1 for a dense community or a hub.
    In matrices, row and column a are node a of the motif, and the motif's own edges are next to the diagonal.";

const REVISITS: &str = "
    A walk may revisit nodes, which shows as orange edges even in a bare path. Injective sampling excludes such walks.";
const REPEATED: &str = "
    A sample may have a node twice, which shows as orange edges. Injective sampling excludes such samples.";

const EXAMPLES: &str = "
    An opened card shows subgraphs of the network with the largest share explained by the atom, among fresh random patches.";

const CHAIN: &str = "
    Motif samples form a Markov chain, so consecutive patches are correlated. The observable is the number (or weight) of a patch's edges off the motif.";

const INDEPENDENT: &str = "
    Samples were drawn independently of each other; the autocorrelation time is 1 within error. The observable is the number (or weight) of a
    patch's edges off the motif.";

const BARS: &str = "
    Number of nodes by degree: 1, 2 or 3, 4 to 7, and so on; isolated nodes are left out. Bars far to the right are hubs.";

const DEGREES: &str = "
    Number of nodes by degree, averaged between powers of two, on logarithmic axes; isolated nodes are left out. A straight line downwards: few hubs have most edges.";

/// The report without its folded part.
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
    let report = Report::new(format!("Latent motifs of {from}"))
        .lead(lead(model, form, &from))
        .numbers(numbers(model));
    let report = if kept.networks.len() > 1 { report.table(table(model, form)) } else { report };
    let mut report = over_time::add(report.gallery(&gallery_of(model, form))?, model, form)?;
    if kept.networks.iter().any(|network| !network.degrees.is_empty()) {
        let mut figure = degrees(&kept.networks);
        if let Some(of) = windows::last(model) {
            figure.words = format!("{} Of {of}.", figure.words.trim());
        }
        report = report.figure(figure);
    }
    Ok(report)
}

/// Networks without those that are there already: a snapshot may be given twice.
fn distinct(networks: &[NetworkReport]) -> Vec<&NetworkReport> {
    let same = |a: &NetworkReport, b: &NetworkReport| {
        (&a.name, a.nodes, a.edges, &a.degrees) == (&b.name, b.nodes, b.edges, &b.degrees)
    };
    let is_new = |at: usize| !networks[..at].iter().any(|one| same(one, &networks[at]));
    (0..networks.len()).filter(|&at| is_new(at)).map(|at| &networks[at]).collect()
}

/// What was found in each of several networks.
fn table(model: &Model, form: &NetworkForm) -> Table {
    let networks = distinct(&model.provenance.networks);
    let explained = networks.iter().any(|one| one.explained.is_some());
    let rewired =
        networks.iter().any(|one| one.explained.as_ref().is_some_and(|e| e.beyond_degrees.is_some()));
    let dash = || "–".to_owned();
    let row = |one: &&NetworkReport| {
        let found = one.explained.as_ref();
        let percent = |value: Option<&ValueWithError>| value.map_or_else(dash, |v| finding::percent(v.value));
        let mut row = vec![short(&one.name), grouped(one.nodes), grouped(one.edges)];
        if explained {
            row.extend([percent(found.map(|f| &f.atoms)), percent(found.map(|f| &f.mean_patch))]);
        }
        if rewired {
            let gain = found
                .and_then(|f| f.beyond_degrees)
                .map_or_else(dash, |gain| finding::points(gain).replace(" points", ""));
            let is_beyond =
                found.and_then(Explained::is_beyond_degrees).map(|is| if is { "yes" } else { "no" });
            row.extend([percent(found.and_then(|f| f.rewired.as_ref())), gain]);
            row.push(is_beyond.map_or_else(dash, str::to_owned));
        }
        row.push(one.effective_nodes.map_or_else(dash, |nodes| format!("{nodes:.0}")));
        row
    };
    let mut head = vec!["network", "nodes", "edges"];
    head.extend(explained.then_some(["explained", "mean patch alone"]).into_iter().flatten());
    head.extend(
        rewired.then_some(["rewired copies", "gain in points", "beyond degrees"]).into_iter().flatten(),
    );
    head.push("effective nodes");
    let samples = finding::samples(&form.motif);
    let explained = if explained {
        format!("Explained: share of {samples} that the latent motifs explain. ")
    } else {
        String::new()
    };
    let rewired = if rewired {
        "Gain: compared with atoms of rewired copies, which have the same degrees; beyond degrees: whether it is larger than its error allows by chance. "
    } else {
        ""
    };
    Table {
        title: "Networks".into(),
        head: head.into_iter().map(str::to_owned).collect(),
        rows: networks.iter().map(row).collect(),
        words: format!("{explained}{rewired}Effective nodes: those that {samples} cover."),
    }
}

/// What was learned from: `@karate`, `a, b and 2 more`, `7 snapshots (a to g)`.
fn from(model: &Model, names: &[String]) -> String {
    let settings = RecordedSettings::new(&model.provenance.config);
    if let Some(over_time) = model.over_time.as_ref().filter(|_| settings.timestamps.is_some()) {
        let windows = over_time.learned().count();
        let spans: Vec<(f64, f64)> = over_time.learned().filter_map(|(_, window)| window.span).collect();
        if let ([(from, until), ..], [.., (_, to)]) = (&spans[..], &spans[..]) {
            let show = |moment: &f64| windows::moment(over_time.times, *moment, until - from);
            let (from, to) = (show(from), show(to));
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

/// The numbers at the top: explained share, structure beyond degrees, coverage; of windows those that changed.
fn numbers(model: &Model) -> Vec<(String, String)> {
    let mut numbers = Vec::new();
    let samples = model.network.as_ref().map_or("walks", |form| finding::samples(&form.motif));
    if let Some(over_time) = &model.over_time {
        let tested = over_time.scored().filter(|(_, window, _)| window.null.is_some()).count();
        if tested > 0 {
            let changed = over_time.changed().count();
            numbers.push((format!("{changed} of {tested}"), "windows changed beyond volume".to_owned()));
        }
        numbers.push((over_time.learned().count().to_string(), "windows".to_owned()));
    }
    if let [one] = &model.provenance.networks[..] {
        if let Some(explained) = &one.explained {
            let mean = finding::percent(explained.mean_patch.value);
            let share = finding::percent(explained.atoms.value);
            numbers.push((share, format!("of {samples} explained (mean patch alone: {mean})")));
            if let (Some(gain), Some(is_beyond)) = (explained.beyond_degrees, explained.is_beyond_degrees()) {
                let words = "compared with rewired copies";
                let words =
                    if is_beyond { words.to_owned() } else { format!("{words}: no structure detected") };
                numbers.insert(if is_beyond { numbers.len() } else { 0 }, (finding::points(gain), words));
            }
        }
        if let Some(nodes) = one.effective_nodes {
            let of = windows::last(model).map_or_else(String::new, |of| format!(" of {of}"));
            numbers.push((
                format!("{nodes:.0} of {}", grouped(one.nodes)),
                format!("nodes{of} covered by {samples} (effective)"),
            ));
        }
    } else {
        numbers.push((model.provenance.networks.len().to_string(), "networks".to_owned()));
        numbers.push((grouped(model.aggregates.samples), "patches".to_owned()));
    }
    if numbers.len() < 3 {
        numbers.push((model.w.cols().to_string(), "latent motifs".to_owned()));
    }
    numbers
}

/// What samples of the motif are, and how the chain moved.
pub(crate) fn chain_words(chain: &ChainReport) -> String {
    if chain.independent {
        return INDEPENDENT.to_owned();
    }
    let rate = chain.acceptance.map_or_else(String::new, |rate| {
        format!(" The {} sampler accepted {:.1} % of its proposals.", chain.sampler, 100.0 * rate)
    });
    let moved = if chain.continued + chain.restarted > 0 {
        format!(
            " In the next network chains continued {} and restarted {}.",
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
        Some(all) => format!("learned from all {all} motif samples, weighted by probability"),
        None => format!("learned from {} patches", grouped(totals.samples)),
    };
    let size = match &kept.networks[..] {
        [one] => {
            let size = format!("{} nodes and {} edges", grouped(one.nodes), grouped(one.edges));
            windows::last(model).map_or_else(|| format!(" ({size})"), |of| format!(" ({of} has {size})"))
        }
        _ => String::new(),
    };
    let sampler = chain.map_or("", |chain| &chain.sampler);
    let changes = model.over_time.as_ref().filter(|all| !all.windows.is_empty());
    let mut found = changes.map_or_else(String::new, |all| format!("{}.\n\n", windows::finding(all)));
    let first = &kept.networks[..kept.networks.len().min(MOST_NETWORKS)];
    let of = windows::last(model).map_or_else(String::new, |of| format!(" of {of}"));
    let several = first.len() > 1;
    for one in first {
        // Of several a table has them.
        let mut sentences = if several { Vec::new() } else { finding::learned(model, one) };
        let coverage = finding::coverage(model, std::slice::from_ref(one));
        sentences.extend(coverage.into_iter().filter(|_| !several).map(|line| line + &of));
        sentences.extend(one.warning(sampler).map(|note| format!("Warning: {}", note.spelled(&flag))));
        if !sentences.is_empty() {
            found = format!("{found}{}.\n\n", sentences.join(". "));
        }
    }
    let tested: Vec<bool> =
        kept.networks.iter().filter_map(|one| one.explained.as_ref()?.is_beyond_degrees()).collect();
    if several && !tested.is_empty() {
        let beyond = tested.iter().filter(|is_beyond| **is_beyond).count();
        found = format!(
            "{found}Structure beyond node degrees detected in {beyond} of {} networks.\n\n",
            tested.len()
        );
    }
    if let Some(note) = kept.results.and_then(|results| results.warning(model.w.cols())) {
        found = format!("{found}Warning: {}.\n\n", note.spelled(&flag));
    }
    let motif = match &*form.motif {
        "path" if !RecordedSettings::new(&kept.config).injective => "walk",
        other => other,
    };
    let patch = format!("A patch is the subgraph on the nodes of a random {motif} of {} nodes", form.k);
    format!(
        "{found}{} of {from}{size}, {how}. {patch}.",
        count(model.w.cols(), "latent motif", "latent motifs"),
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
    let revisits = match &*form.motif {
        _ if RecordedSettings::new(&kept.config).injective => "",
        "path" => REVISITS,
        _ => REPEATED,
    };
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
        return Figure { title: "Degree distribution".into(), svg, words: BARS.into() };
    }
    let networks = distinct(networks);
    let series = networks
        .iter()
        .take(MOST_NETWORKS)
        .map(|network| Series::new(short(&network.name), density(&network.degrees)));
    let chart = LineChart {
        x_label: "degree".into(),
        y_label: "nodes of this degree".into(),
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
    Figure { title: "Degree distribution".into(), svg: chart.svg(), words: format!("{DEGREES}{cut}") }
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
        let form = NetworkForm::new(&Motif::path(3).unwrap(), false, false);
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
