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

/// A difference of shares and its standard error: `+5.0 ± 0.5 points`, with more digits where the error needs them.
pub fn points(difference: ValueWithError) -> String {
    let decimals = decimals(difference);
    let value = format!("{:+.decimals$}", 100.0 * difference.value);
    let is_zero = value.trim_start_matches(['+', '-', '0', '.']).is_empty();
    let value = if is_zero { &value[1..] } else { &value };
    format!("{value} ± {:.decimals$} points", 100.0 * difference.standard_error)
}

/// Decimals of a percentage: one, or as many as its error needs to be above zero.
fn decimals(difference: ValueWithError) -> usize {
    let error = 100.0 * difference.standard_error;
    (1..6).find(|&decimals| error >= 0.5 * 0.1_f64.powi(decimals)).map_or(1, |decimals| decimals as usize)
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
    let shuffled = if network.weighted { ", whose weights are shuffled" } else { "" };
    let copies = count(explained.copies, "rewired copy", "rewired copies") + shuffled;
    let degrees = if network.bipartite { "node degrees and the two sides" } else { "node degrees" };
    let name = &network.name;
    let Some(least) = explained.least_beyond_degrees() else {
        return Some(format!(
            "Structure beyond {degrees} cannot be tested in {name}: atoms explain the same of all {copies}"
        ));
    };
    Some(if gain.value > least {
        format!("Structure beyond {degrees}: {figures} compared with {copies}")
    } else if gain.value < -least {
        format!(
            "No structure detected beyond {degrees} in {name}: atoms gain less on it than on {copies} ({figures})"
        )
    } else {
        format!(
            "No structure detected beyond {degrees} in {name}: {figures} compared with {copies}, where {:.*} would count",
            decimals(gain),
            100.0 * least
        )
    })
}

/// What samples of a motif are called.
pub fn samples(motif: &str) -> &'static str {
    if motif == "path" { "walks" } else { "samples" }
}

/// How much of the networks walks see, a line each; of several by their names.
pub fn coverage(model: &Model, networks: &[NetworkReport]) -> Vec<String> {
    let samples =
        if model.network.as_ref().is_none_or(|form| form.motif == "path") { "Walks" } else { "Samples" };
    let mut lines: Vec<String> = Vec::new();
    for network in networks {
        let Some(nodes) = network.effective_nodes else { continue };
        let of = if networks.len() > 1 { format!(" in {}", network.name) } else { String::new() };
        let line =
            format!("{samples} cover the equivalent of {nodes:.0} of {} nodes{of}", grouped(network.nodes));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn network(gain: f64, standard_error: f64, weighted: bool) -> NetworkReport {
        let share = |value| ValueWithError { value, standard_error: 0.01 };
        let explained = Explained {
            atoms: share(0.8),
            mean_patch: share(0.7),
            rewired: Some(share(0.75)),
            rewired_gain: Some(0.001),
            beyond_degrees: Some(ValueWithError { value: gain, standard_error }),
            copies: 3,
        };
        NetworkReport { name: "@net".to_owned(), weighted, explained: Some(explained), ..Default::default() }
    }

    /// The limit for three copies is 2.920 standard errors.
    #[test]
    fn a_gain_counts_from_a_number_of_standard_errors_on() {
        let sentence = |gain, error, weighted| {
            let network = network(gain, error, weighted);
            beyond_degrees(&network.explained.unwrap(), &network).unwrap()
        };
        assert_eq!(
            sentence(0.0293, 0.01, false),
            "Structure beyond node degrees: +2.9 ± 1.0 points compared with 3 rewired copies"
        );
        assert_eq!(
            sentence(0.0291, 0.01, true),
            "No structure detected beyond node degrees in @net: +2.9 ± 1.0 points compared with 3 rewired copies, whose weights are shuffled, \
             where 2.9 would count"
        );
        assert_eq!(
            sentence(-0.0293, 0.01, false),
            "No structure detected beyond node degrees in @net: atoms gain less on it than on 3 rewired copies (-2.9 ± 1.0 points)"
        );
        // Copies that agree to the last digits, as of a star, test nothing, whatever the gain.
        for gain in [-1e-16, 0.0, 0.2] {
            assert!(
                sentence(gain, 1e-17, false)
                    .starts_with("Structure beyond node degrees cannot be tested in @net")
            );
        }
    }

    #[test]
    fn points_have_the_digits_of_their_error() {
        let points = |value, standard_error| points(ValueWithError { value, standard_error });
        assert_eq!(points(0.0501, 0.0049), "+5.0 ± 0.5 points");
        assert_eq!(points(0.000_21, 0.000_12), "+0.02 ± 0.01 points");
        assert_eq!(points(-1e-9, 0.001), "0.0 ± 0.1 points");
        assert_eq!(points(0.2, 0.0), "+20.0 ± 0.0 points");
    }
}
