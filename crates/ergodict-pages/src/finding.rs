//! What learning found out about a network, in sentences with their yardsticks.

use ergodict::model::{Explained, Model, NetworkReport, ValueWithError};
use ergodict_report::words::{count, grouped};

/// Atoms in the terminal's table.
const ATOMS: usize = 5;

/// `80.1 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// How much the atoms explain, and whether that is beyond what degrees account for: first, if it is not.
pub fn learned(model: &Model, network: &NetworkReport) -> Vec<String> {
    let tested = network.explained.as_ref().and_then(|found| Some((found.is_beyond_degrees()?, found)));
    let mut lines: Vec<String> = explained(model, network).into_iter().collect();
    if let Some((is_beyond, found)) = tested
        && let Some(text) = beyond_degrees(found, network)
    {
        lines.insert(if is_beyond { lines.len() } else { 0 }, text);
    }
    lines
}

/// A difference of shares and its standard error: `+5.0 ± 0.5 points`.
pub fn points(difference: ValueWithError) -> String {
    format!("{:+.1} ± {:.1} points", 100.0 * difference.value, 100.0 * difference.standard_error)
}

/// How much the atoms explain, next to the mean patch and rewired copies.
fn explained(model: &Model, network: &NetworkReport) -> Option<String> {
    let (explained, form) = (network.explained.as_ref()?, model.network.as_ref()?);
    let atoms = count(model.w.cols(), "latent motif explains", "latent motifs explain");
    let walks = match &*form.motif {
        "path" => format!("{}-node walks", form.k),
        other => format!("samples of a {other} of {} nodes", form.k),
    };
    let rewired =
        explained.rewired.map(|rewired| format!("; atoms of rewired copies: {}", percent(rewired.value)));
    Some(format!(
        "{atoms} {} of {walks} in {} (mean patch alone: {}{})",
        percent(explained.atoms.value),
        network.name,
        percent(explained.mean_patch.value),
        rewired.unwrap_or_default(),
    ))
}

/// Whether that is more than the degrees of the nodes explain.
fn beyond_degrees(explained: &Explained, network: &NetworkReport) -> Option<String> {
    let gain = explained.beyond_degrees?;
    let figures = points(gain);
    let copies = count(explained.copies, "rewired copy", "rewired copies");
    let degrees = if network.bipartite { "node degrees and the two sides" } else { "node degrees" };
    let least = explained.least_beyond_degrees()?;
    Some(if explained.is_beyond_degrees()? {
        format!("Structure beyond {degrees}: {figures} compared with {copies}")
    } else if gain.value < -least {
        let shuffled = if network.weighted { ", whose weights are shuffled" } else { "" };
        format!(
            "Walks in {} vary more than {degrees} explain: {figures} compared with {copies}{shuffled}",
            network.name
        )
    } else {
        format!(
            "No structure detected beyond {degrees} in {}: {figures} compared with {copies}, where {:.1} would count",
            network.name,
            100.0 * least
        )
    })
}

/// How much of the networks walks see, a line each; of several by their names.
pub fn coverage(networks: &[NetworkReport]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for network in networks {
        let Some(nodes) = network.effective_nodes else { continue };
        let of = if networks.len() > 1 { format!(" in {}", network.name) } else { String::new() };
        let line =
            format!("Walks cover the equivalent of {nodes:.0} of {} nodes{of}", grouped(network.nodes));
        // A snapshot may be given twice.
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// The most dominant atoms with their shapes, a line each.
pub fn atoms(model: &Model) -> Vec<String> {
    let Some(shapes) = model.shapes() else { return Vec::new() };
    let (dominance, order) = model.dominance();
    let mut lines = vec!["  dominance  atom  shape".to_owned()];
    let row = |&atom: &usize| format!("  {:9.3}  {atom:4}  {}", dominance[atom], shapes[atom]);
    lines.extend(order.iter().take(ATOMS).map(row));
    if let Some(more) = order.len().checked_sub(ATOMS).filter(|more| *more > 0) {
        lines.push(format!("  … {more} more in the report"));
    }
    lines
}
