//! The report of a learned dictionary, from its model file.

use crate::finding::percent;
use crate::recorded::RecordedSettings;
use crate::text::{input, list, short};
use crate::{mixing, network, rerun};
use ergodict::factor::Schedule;
use ergodict::model::{GapPoint, Model, Precision, Provenance, Results};
use ergodict::patch::SpinValues;
use ergodict_report::gallery::{Atom, Form, Gallery};
use ergodict_report::words::{count, grouped, number};
use ergodict_report::{AtomGrid, Color, Figure, LineChart, PictureError, Report, Series};
use serde_json::Value;

/// Most atoms that are shown.
const MOST_ATOMS: usize = 128;

/// The report of any model, from what its file holds; `more` adds what only the run knows, such as its time.
///
/// # Errors
/// Atoms that cannot be drawn.
pub fn of_model(model: &Model, more: &[(&'static str, String)]) -> Result<Report, PictureError> {
    with(model, more, Ok)
}

/// The same with figures that a run adds, such as reconstructed images.
///
/// # Errors
/// Atoms that cannot be drawn, and those of `add`.
pub fn with<E: From<PictureError>>(
    model: &Model,
    more: &[(&'static str, String)],
    add: impl FnOnce(Report) -> Result<Report, E>,
) -> Result<Report, E> {
    let report = match &model.network {
        Some(form) => network::of_model(model, form)?,
        None => of_patches(model)?,
    };
    let mut known = facts(model);
    known.extend_from_slice(more);
    Ok(again(details(add(report)?, model).facts(&known), model))
}

/// Atoms and curves of a model that is not of a network.
fn of_patches(model: &Model) -> Result<Report, PictureError> {
    let r = model.w.cols();
    let totals = &model.aggregates;
    let source = source(model);
    let title =
        if model.patch.is_some() && model.kind != "image" { source } else { format!("Atoms of {source}") };
    let shown = gallery(model);
    let what = match (model.patch, model.kind.as_str()) {
        (Some(patch), "image") => {
            format!("atoms of {}×{} pixels, learned from", patch.window.rows, patch.window.cols)
        }
        (Some(patch), _) => {
            format!("atoms of {}×{} sites, learned from", patch.window.rows, patch.window.cols)
        }
        (None, _) => format!("atoms of {} features, learned from", model.w.rows()),
    };
    let samples = match (model.kind.as_str(), &*RecordedSettings::new(&model.provenance.config).sampling) {
        ("image", "walk") => "patches whose corner takes a random walk, one pixel at a time",
        ("image", _) => "patches at independent random positions",
        ("spins", _) => "patches at random positions of kept configurations",
        _ if repeats(model) => "samples (with repetitions)",
        _ => "samples",
    };
    let lead = format!("{r} {what} {} {samples}. {}", grouped(totals.samples), halves(model));
    Report::new(title).lead(lead).numbers(numbers(model)).gallery(&shown)
}

/// The folded part: loss, convergence, and the diagnostics of chains.
fn details(report: Report, model: &Model) -> Report {
    let chain = model.provenance.chain.as_ref().filter(|chain| !chain.mixing.is_empty());
    let mut report = report.details(mixing::check(chain)).figure(loss(model));
    report = stationarity(model).into_iter().fold(report, Report::figure);
    if let Some(chain) = chain {
        let (words, apart) = match model.kind.as_str() {
            "image" => (IMAGES.to_owned(), "patches"),
            "network" => (network::chain_words(chain), "patches"),
            _ => (SPINS.to_owned(), "kept configurations"),
        };
        report = report.table(mixing::table(
            &chain.mixing,
            chain.minibatch_words(),
            model.kind == "network",
            &words,
        ));
        report = mixing::curve(&chain.mixing, apart).into_iter().fold(report, Report::figure);
    }
    report
}

/// Whether samples were learned from in several epochs, each of which counts them again.
fn repeats(model: &Model) -> bool {
    RecordedSettings::new(&model.provenance.config).epochs.is_some_and(|epochs| epochs > 1)
}

/// The numbers at the top: the share that is explained, atoms, samples.
fn numbers(model: &Model) -> Vec<(String, String)> {
    let mut numbers = Vec::new();
    let measured =
        model.provenance.results.and_then(|found| Some((found.explained?, found.explained_by_mean?)));
    if let Some((by_atoms, by_mean)) = measured {
        let (of, mean) = if model.patch.is_some() {
            ("newly drawn patches", "mean patch")
        } else {
            ("the samples", "mean sample")
        };
        numbers.push((percent(by_atoms), format!("of {of} explained ({mean} alone: {})", percent(by_mean))));
    } else if let Some((share, is_exact)) = explained(model) {
        let bound = if is_exact { "" } else { "≥ " };
        numbers
            .push((format!("{bound}{:.0} %", (100.0 * share).floor()), "of the data explained".to_owned()));
    }
    let unused = model.provenance.results.as_ref().map_or(0, |results| results.unused_atoms);
    let atoms = if unused > 0 { format!("atoms, {unused} unused") } else { "atoms".to_owned() };
    numbers.push((model.w.cols().to_string(), atoms));
    let samples = match model.patch {
        Some(_) => "patches",
        None if repeats(model) => "samples, with repetitions",
        None => "samples",
    };
    numbers.push((grouped(model.aggregates.samples), samples.to_owned()));
    numbers
}

const SPINS: &str = "
    Minibatches are patches of consecutive configurations of one chain, so they are correlated. Energy and magnetization of each configuration show how strongly.";

const IMAGES: &str = "
    Patches follow a random walk over the image, one pixel at a time, so consecutive patches are correlated. The mean of each patch shows how strongly.";

/// The data that the atoms are of, in words.
pub fn source(model: &Model) -> String {
    let first = model.inputs.first().map(|input| short(&input.name));
    let settings = RecordedSettings::new(&model.provenance.config);
    let lattice = || {
        let temperature = settings.temperature.first().map(|t| format!(" at T = {t:?}"));
        format!("{}{}", capital(settings.spin_model()), temperature.unwrap_or_default())
    };
    match (model.kind.as_str(), &settings.trajectory) {
        ("spins", None) => lattice(),
        ("image", _) => {
            let images = model.inputs.iter().filter(|input| !settings.init.ends_with(&input.name));
            let names: Vec<String> = images.map(|input| short(&input.name)).collect();
            if names.is_empty() { "images".to_owned() } else { list(&names) }
        }
        _ => first.unwrap_or_else(|| "a matrix".into()),
    }
}

/// How unevenly atoms are used, and what they explain, in words.
pub fn halves(model: &Model) -> String {
    let (scores, order) = model.dominance();
    if scores.iter().all(|score| *score == 0.0) {
        return "No sample uses any of them: nothing was learned. The samples are zero, or λ is too large."
            .into();
    }
    let mut sum = 0.0;
    let half = order.iter().take_while(|&&k| {
        let before = sum;
        sum += scores[k];
        before < 0.5
    });
    let half = half.count();
    let used = scores.iter().filter(|score| **score > 0.0).count();
    let atoms = match half {
        _ if half >= used => String::new(),
        1 => "The most dominant atom has at least half of the usage (root mean square of codes). ".into(),
        _ => format!(
            "The {half} most dominant atoms have at least half of the usage (root mean square of codes). "
        ),
    };
    let is_measured = model.provenance.results.is_some_and(|results| results.explained.is_some());
    let explained = if is_measured { String::new() } else { explained_words(model) };
    format!("{atoms}{explained}").trim_end().to_owned()
}

/// A name with a capital letter.
fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The share of the sum of squares of the data that the atoms explain, and whether it is exact or a lower bound; none where it is not known.
///
/// `r` is `‖X‖² + p` and the surrogate `‖X − WH‖² + p`, with `p = λ‖H‖₁ + (κ₂/2)‖H‖²` (docs/maths.md, What is minimized). Of `p` the aggregates have the second part alone,
/// since `‖H‖² = tr A`; what is left of it makes the quotient of the two larger: a bound, which is exact without λ.
fn explained(model: &Model) -> Option<(f64, bool)> {
    let (totals, parameters) = (&model.aggregates, &model.parameters);
    // Missing entries were filled in, and are in both.
    let masked = RecordedSettings::new(&model.provenance.config).missing;
    let Results { surrogate_per_sample: surrogate, .. } = model.provenance.results.filter(|_| !masked)?;
    let squares: f64 = (0..totals.a.rows()).map(|k| totals.a.get(k, k)).sum();
    let ridge = totals.per_sample(parameters.kappa2 / 2.0 * squares);
    let left = (surrogate - ridge) / (totals.per_sample(totals.r) - ridge);
    (0.0..=1.0).contains(&left).then(|| (1.0 - left, parameters.effective_lambda() == 0.0))
}

/// The same in words; empty where it is not known.
fn explained_words(model: &Model) -> String {
    match explained(model) {
        None => String::new(),
        Some((share, true)) => {
            format!("The atoms explain {:.0} % of the data (of the sum of squares).", 100.0 * share)
        }
        // A bound is rounded downwards.
        Some((share, false)) => {
            format!(
                "The atoms explain at least {:.0} % of the data (of the sum of squares).",
                (100.0 * share).floor()
            )
        }
    }
}

/// The command that makes the model again.
fn again(report: Report, model: &Model) -> Report {
    let Provenance { command, config, networks, python, .. } = &model.provenance;
    // No command has what was in memory.
    let in_memory = model.kind != "spins"
        && model.inputs.is_empty()
        && !networks.iter().any(|network| network.name.starts_with('@'));
    if command.is_empty() || python.is_some() || in_memory {
        return report;
    }
    let inputs: Vec<String> = match model.kind.as_str() {
        "network" => networks.iter().map(|one| one.name.clone()).collect(),
        "spins" => Vec::new(),
        _ => {
            let init = RecordedSettings::new(config).init;
            let given = model.inputs.iter().filter(|input| init.is_empty() || !init.ends_with(&input.name));
            given.map(|input| input.name.clone()).collect()
        }
    };
    report.code(
        "Reproduce",
        rerun::command(command, &Value::Object(config.clone()), &inputs, "-o model.safetensors"),
    )
}

/// A report with the atoms of a model added.
///
/// # Errors
/// Atoms that cannot be drawn.
pub fn with_atoms(report: Report, model: &Model) -> Result<Report, PictureError> {
    report.gallery(&match &model.network {
        Some(form) => network::gallery_of(model, form),
        None => gallery(model),
    })
}

const LOSS: &str = "
    Loss per sample of each minibatch, before learning from it, and the surrogate, its weighted mean over all samples so far. Still falling at
    the right? Increase the number of steps. Noisy? Use larger minibatches.";

/// Run details and what came of it, as pairs of a name and a value.
pub fn facts(model: &Model) -> Vec<(&'static str, String)> {
    let p = &model.parameters;
    let mut facts = vec![
        ("atoms", p.atoms.to_string()),
        ("features", model.w.rows().to_string()),
        ("samples", model.aggregates.samples.to_string()),
        ("steps", model.aggregates.t.to_string()),
        ("λ, κ₁, κ₂", format!("{}, {}, {}", p.effective_lambda(), p.kappa1, p.kappa2)),
        ("schedule", p.schedule.to_string()),
        ("dictionary", p.dictionary().to_string()),
        ("code", p.code().to_string()),
        ("precision", if model.precision == Precision::F32 { "f32" } else { "f64" }.into()),
        ("seed", model.seed.to_string()),
        ("version", format!("ergodict {}", model.version)),
    ];
    let settings = RecordedSettings::new(&model.provenance.config);
    // Of minibatches that Python gave, the parameters of the estimator say nothing.
    if model.provenance.python.is_none() {
        facts.extend(settings.batch.map(|batch| ("batch", batch.to_string())));
        facts.extend(settings.epochs.map(|epochs| ("epochs, at most", epochs.to_string())));
        facts.extend(settings.shuffle.map(|shuffle| ("shuffle", shuffle.to_string())));
    }
    facts.extend(settings.holdout.map(|holdout| ("held out", format!("{holdout:?}"))));
    if let Some(results) = &model.provenance.results {
        facts.push(("loss per sample, last minibatch", number(results.loss_per_sample)));
        facts.push(("surrogate per sample", number(results.surrogate_per_sample)));
        let loss = results.held_out_loss_per_sample;
        facts.extend(loss.map(|loss| ("held-out loss per sample", number(loss))));
        facts.push(("stationarity gap", format!("{:.2e}", results.stationarity_gap)));
        facts.extend(results.smallest_eigenvalue.map(|value| ("λ_min(A)", format!("{value:.2e}"))));
        facts.push(("unused atoms", results.unused_atoms.to_string()));
        facts.push(("steps in which coding met its cap", results.capped_code_steps.to_string()));
        facts.push(("steps in which the update met its cap", results.capped_update_steps.to_string()));
    }
    facts.extend(model.inputs.iter().map(|one| ("input", input(one))));
    facts
}

/// The loss of a run over its samples.
pub fn loss(model: &Model) -> Figure {
    let points = &model.history.points;
    let loss: Vec<(f64, f64)> = points.iter().map(|p| (p.samples as f64, p.loss)).collect();
    let mean: Vec<(f64, f64)> = points.iter().map(|p| (p.samples as f64, p.surrogate)).collect();
    let wide = loss.len() > 2;
    let chart = LineChart {
        x_label: "samples seen".into(),
        y_label: "loss per sample".into(),
        log_x: wide,
        log_y: wide && mean.iter().chain(&loss).all(|p| p.1 > 0.0),
        series: vec![Series::new("minibatch", loss), Series::new("surrogate", mean)],
        ..LineChart::default()
    };
    Figure { title: "Loss".into(), svg: chart.svg(), words: LOSS.into() }
}

const CHANGE: &str = "
    Change of the dictionary in a step, and stationarity gap; both should fall.";

const GAP: &str = "
    The stationarity gap is the length of a projected gradient step of the surrogate. Updates stop at a tolerance, so it is not 0; it should not grow.";

/// How the change should fall, which depends on the weights of new minibatches.
fn convergence_words(schedule: &Schedule) -> String {
    let change = match schedule {
        Schedule::Constant { floor } => format!(
            "The weight of a new minibatch never falls below {floor} (schedule {schedule}), so the dictionary follows data that changes and need not converge."
        ),
        Schedule::List { .. } => "It should follow the given weights.".to_owned(),
        _ => format!(
            "The weight of a new minibatch is a straight line on these axes (schedule {schedule}); the change should fall at least as steeply. \
             A level change means that more or larger minibatches are needed."
        ),
    };
    format!("{CHANGE} {change}\n\n{GAP}")
}

/// How far from stationary the dictionary was, and how much it moved, over its samples; none for files that do not know.
pub fn stationarity(model: &Model) -> Option<Figure> {
    let gaps = &model.history.gaps;
    if gaps.len() < 2 {
        return None;
    }
    let curve = |of: &dyn Fn(&GapPoint) -> f64| -> Vec<(f64, f64)> {
        gaps.iter().map(|point| (point.samples as f64, of(point))).collect()
    };
    let (change, gap) = (curve(&|point| point.change), curve(&|point| point.gap));
    let chart = LineChart {
        x_label: "samples seen".into(),
        y_label: "Frobenius norm".into(),
        log_x: true,
        log_y: change.iter().chain(&gap).any(|p| p.1 > 0.0),
        series: vec![Series::new("change in a step", change), Series::new("stationarity gap", gap)],
        ..LineChart::default()
    };
    Some(Figure {
        title: "Convergence".into(),
        svg: chart.svg(),
        words: convergence_words(&model.parameters.schedule),
    })
}

/// The atoms that are shown, the most dominant first, with their dominance; those that nothing uses are still as random as they
/// began, and left out.
pub fn shown(model: &Model) -> Vec<(usize, f64)> {
    let (scores, order) = model.dominance();
    let used = order.iter().take_while(|&&j| scores[j] > 0.0).count().max(1);
    order.iter().take(used.min(MOST_ATOMS)).map(|&j| (j, scores[j])).collect()
}

/// Atoms that are not shown, in words.
pub fn left_out(model: &Model, shown: usize) -> String {
    let (scores, all) = (model.dominance().0, model.w.cols());
    let unused = scores.iter().filter(|score| **score == 0.0).count();
    let mut text = String::new();
    if unused > 0 && unused < all {
        let be = if unused == 1 { "is" } else { "are" };
        text = format!(" {} without use {be} left out.", count(unused, "atom", "atoms"));
    }
    if shown + unused < all {
        text = format!("{text} Of the others the {shown} most dominant are shown.");
    }
    text
}

/// The atoms as cards: pictures where they are patches, or have a shape, or are square; else profiles.
pub fn gallery(model: &Model) -> Gallery {
    let cards = shown(model);
    let atoms: Vec<Vec<f64>> = cards.iter().map(|&(k, _)| model.w.col(k).to_vec()).collect();
    let fits = |(rows, cols): &(usize, usize)| rows.checked_mul(*cols) == Some(model.w.rows());
    let shape = model.provenance.shape.filter(fits);
    let (form, words) = match grid(model, &atoms, shape) {
        Some(AtomGrid { shape, channels, color, .. }) => {
            (Form::Matrix { shape, channels, color }, format!("as a picture of {} × {}", shape.0, shape.1))
        }
        None => (Form::Profile, "entry by entry".to_owned()),
    };
    let words = format!(
        "Atoms, each {words} and on its own scale. Dominance: share of usage (root mean square of codes). Atoms are numbered from 0, as the \
         columns of W. Atoms that look like noise are hardly used, or the run was too short.{}",
        left_out(model, cards.len())
    );
    let sparsity = |values: &[f64]| {
        let most = values.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        values.iter().filter(|v| v.abs() > 0.01 * most).count() as f64 / values.len() as f64
    };
    let card = |((k, score), values): (&(usize, f64), Vec<f64>)| Atom {
        name: k.to_string(),
        scores: vec![*score, sparsity(&values)],
        values,
        examples: Vec::new(),
    };
    Gallery {
        title: "Atoms".into(),
        words,
        form,
        scores: ["dominance", "share of entries in use"].map(str::to_owned).to_vec(),
        atoms: cards.iter().zip(atoms).map(card).collect(),
    }
}

/// Atoms of a model as matrices, if they are any: in the given shape, as the patches they are, or as squares.
pub fn grid<'a>(model: &Model, atoms: &'a [Vec<f64>], shape: Option<(usize, usize)>) -> Option<AtomGrid<'a>> {
    let d = model.w.rows();
    if let (None, Some(patch)) = (shape, model.patch) {
        let plain = AtomGrid::new(atoms, (patch.window.rows, patch.window.cols));
        let color = match (patch.channels, patch.spins) {
            (1, Some(_)) => plain.color,
            (1, None) => Color::Photo,
            (_, None) => Color::Rgb,
            (_, Some((SpinValues::Vector, _))) => Color::Vectors,
            (_, Some(_)) => Color::Labels,
        };
        return Some(AtomGrid { channels: patch.channels, color, ..plain });
    }
    let side = d.isqrt();
    let shape = shape.or((side * side == d).then_some((side, side)))?;
    Some(AtomGrid::new(atoms, shape))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model whose atoms were used, with a surrogate of 3 and an `r` of 12 a sample.
    fn of_numbers(lambda: f64, kappa2: f64) -> Model {
        use ergodict::factor::{FactorSettings, Factorizer};
        use ergodict::linalg::Mat;
        let parameters = FactorSettings { lambda, kappa2, ..FactorSettings::new(3) };
        let w = Mat::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 0.0 });
        let mut learned: Factorizer<f64> = Factorizer::from_dictionary(parameters, w.as_ref()).unwrap();
        learned.step(&Mat::from_fn(3, 4, |i, j| (1 + i + j) as f64)).unwrap();
        let mut model = Model::from_factorizer(&learned, "matrix", 0);
        model.aggregates.a = Mat::from_fn(3, 3, |i, j| if i == j { [4.0, 1.0, 1.0][i] } else { 0.0 });
        (model.aggregates.r, model.aggregates.width) = (12.0, 1.0);
        model.provenance.results = Some(Results { surrogate_per_sample: 3.0, ..Results::default() });
        model
    }

    #[test]
    fn the_explained_share_is_without_the_penalty_of_codes() {
        assert!(halves(&of_numbers(0.0, 0.0)).contains("explain 75 % of the data"));
        // tr A is 6: of both, 1 is the penalty.
        assert!(halves(&of_numbers(0.0, 1.0 / 3.0)).contains("explain 82 % of the data"));
        // An unknown penalty makes it a bound.
        assert!(halves(&of_numbers(1.0, 1.0 / 3.0)).contains("explain at least 81 % of the data"));
        // √4 is as much as √1 + √1.
        assert!(
            halves(&of_numbers(0.0, 0.0))
                .starts_with("The most dominant atom has at least half of the usage")
        );
        let mut masked = of_numbers(0.0, 0.0);
        masked.provenance.config.insert("missing".to_owned(), true.into());
        assert!(!halves(&masked).contains("explain"));
    }

    #[test]
    fn models_without_recorded_settings_have_a_report() {
        let model = of_numbers(0.0, 0.0);
        assert!(model.provenance.config.is_empty() && !repeats(&model) && !numbers(&model).is_empty());
    }

    #[test]
    fn words_of_convergence_depend_on_the_schedule() {
        let words = |schedule: &str| convergence_words(&schedule.parse().unwrap());
        assert!(words("balanced").contains("straight line") && words("power:0.8").contains("power:0.8"));
        assert!(!words("constant:0.1").contains("straight line"));
        assert!(words("constant:0.1").contains("never falls below 0.1"));
    }
}
