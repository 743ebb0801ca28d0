//! The report page of a learned dictionary.

use anyhow::Result;
use ergodict::dictionary::{Model, Precision};
use ergodict_report::{AtomGrid, AtomProfile, Colour, Figure, LineChart, Report, Series, Table};

/// Most atoms that are drawn and listed.
const MOST_ATOMS: usize = 64;

/// The page of a model of `ergodict factor`.
pub(crate) fn of_factor(model: &Model, shape: Option<(usize, usize)>) -> Result<Report> {
    let (d, r) = (model.w.rows(), model.w.cols());
    let totals = &model.aggregates;
    let lead = format!(
        "{r} atoms of {d} features, learned from {} samples in {} steps. They are shown in the order of their \
         dominance, the share they have in the reconstructions.",
        totals.samples, totals.t
    );
    Ok(Report::new(format!("{r} atoms of {}", model.inputs.first().map_or("a matrix", |i| i.name.as_str())))
        .lead(lead)
        .facts(&facts(model))
        .figure(loss(model))
        .figure(atoms(model, shape)?)
        .table(dominance(model)))
}

/// The page of any model, from what its file holds; `more` adds what only the run knows, such as its time.
pub(crate) fn of_model(model: &Model, more: &[(&'static str, String)]) -> Result<Report> {
    let mut known = facts(model);
    known.extend_from_slice(more);
    let name = model.inputs.first().map_or("a model", |input| input.name.as_str());
    let report = with_atoms(Report::new(format!("What {name} is made of")), model)?;
    Ok(report.figure(loss(model)).table(dominance(model)).facts(&known))
}

/// A report with the atoms of a model added.
pub(crate) fn with_atoms(report: Report, model: &Model) -> Result<Report> {
    let atoms = match model.network {
        Some(_) => crate::network::page_learn::atoms(model)?,
        None => vec![atoms(model, None)?],
    };
    Ok(atoms.into_iter().fold(report, Report::figure))
}

const LOSS: &str = "
    The loss of each minibatch before the dictionary learned from it, and the surrogate, which is the weighted mean of
    all losses seen so far; both per sample, lower is better.

    The loss of a minibatch is taken before the dictionary has learned from it, the surrogate after, so that it may begin
    lower; later it remembers what early dictionaries lost, and lies above. When both are flat, more samples will not
    help; when the loss is noisy, larger minibatches will.";

pub(crate) fn facts(model: &Model) -> Vec<(&'static str, String)> {
    let p = &model.parameters;
    let mut facts = vec![
        ("atoms", p.atoms.to_string()),
        ("features", model.w.rows().to_string()),
        ("samples", model.aggregates.samples.to_string()),
        ("steps", model.aggregates.t.to_string()),
        ("λ, κ₁, κ₂", format!("{}, {}, {}", p.lambda, p.kappa1, p.kappa2)),
        ("schedule", p.schedule.to_string()),
        ("dictionary", p.dictionary.to_string()),
        ("code", p.code.to_string()),
        ("precision", if model.precision == Precision::F32 { "f32" } else { "f64" }.into()),
        ("seed", model.seed.to_string()),
        ("version", format!("ergodict {}", model.version)),
    ];
    for (name, key) in
        [("batch", "batch"), ("epochs", "epochs"), ("shuffle", "shuffle"), ("held out", "holdout")]
    {
        let value = &model.run["config"][key];
        if !value.is_null() {
            facts.push((name, value.to_string()));
        }
    }
    for (name, key) in [
        ("held-out loss per sample", "held_out_loss_per_sample"),
        ("stationarity gap", "stationarity_gap"),
        ("λ_min(A)", "smallest_eigenvalue"),
        ("unused atoms", "unused_atoms"),
        ("steps in which coding met its cap", "capped_code_steps"),
        ("steps in which the update met its cap", "capped_update_steps"),
    ] {
        let value = &model.run["results"][key];
        if let Some(number) = value.as_f64() {
            facts.push((name, if value.is_f64() { format!("{number:.6e}") } else { value.to_string() }));
        }
    }
    facts.extend(model.inputs.iter().map(|input| ("input", format!("{} {}", input.name, input.digest))));
    facts
}

/// The loss of a run over its samples.
pub(crate) fn loss(model: &Model) -> Figure {
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

/// The atoms as pictures where they are patches, or have the given shape, or are square; else as profiles.
pub(crate) fn atoms(model: &Model, shape: Option<(usize, usize)>) -> Result<Figure> {
    let (scores, order) = model.dominance();
    let shown = &order[..order.len().min(MOST_ATOMS)];
    let atoms: Vec<Vec<f64>> = shown.iter().map(|&k| model.w.col(k).to_vec()).collect();
    let labels = Some(shown.iter().map(|&k| format!("{:.3}", scores[k])).collect());
    let (svg, form) = match grid(model, &atoms, shape) {
        Some(grid) => {
            let form = format!("as a picture of {} by {} places", grid.shape.0, grid.shape.1);
            (AtomGrid { labels, ..grid }.svg()?, form)
        }
        None => (AtomProfile { labels, ..AtomProfile::new(&atoms) }.svg()?, "entry by entry".into()),
    };
    let which = if shown.len() < order.len() {
        format!("The {} most dominant of {} atoms", shown.len(), order.len())
    } else {
        "The atoms".into()
    };
    let words = format!("{which}, each {form}; the number below is its dominance. Each has its own scale.");
    Ok(Figure { title: "Atoms".into(), svg, words })
}

/// Atoms of a model as matrices, if they are any: in the given shape, as the patches they are, or as squares.
pub(crate) fn grid<'a>(
    model: &Model,
    atoms: &'a [Vec<f64>],
    shape: Option<(usize, usize)>,
) -> Option<AtomGrid<'a>> {
    let d = model.w.rows();
    if let (None, Some(patch)) = (shape, model.patch) {
        let plain = AtomGrid::new(atoms, (patch.window.rows, patch.window.cols));
        let colour = match (patch.channels, patch.spins) {
            (1, Some(_)) => plain.colour,
            (1, None) => Colour::Photo,
            (_, None) => Colour::Rgb,
            (_, Some(_)) => Colour::Labels,
        };
        return Some(AtomGrid { channels: patch.channels, colour, ..plain });
    }
    let side = d.isqrt();
    let shape = shape.or((side * side == d).then_some((side, side)))?;
    Some(AtomGrid::new(atoms, shape))
}

/// `1 dictionary`, `12 dictionaries`.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

pub(crate) fn dominance(model: &Model) -> Table {
    let (scores, order) = model.dominance();
    let mut sum = 0.0;
    let rows = order.iter().take(MOST_ATOMS).enumerate().map(|(rank, &k)| {
        sum += scores[k];
        vec![(rank + 1).to_string(), k.to_string(), format!("{:.4}", scores[k]), format!("{sum:.4}")]
    });
    Table {
        title: "Dominance".into(),
        head: ["rank", "atom", "dominance", "sum"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
        words: "The share √A_kk / Σ √A_jj of each atom, and of all atoms up to it; atoms count from 0, as the columns \
                of W do."
            .into(),
    }
}
