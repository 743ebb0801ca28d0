//! The page: what was run, curves next to what is exactly expected, and words on how to read them.

use super::setting::{ATOMS, KAPPA1, KAPPA2, LAMBDA, LAW, SIDE, STATES, pictures, shapes};
use super::summary::{CaseRecord, Curve, Losses, last};
use super::tables::{assumptions, cases, chains, signed, two_digits};
use super::{Case, Theorem};
use anyhow::Result;
use ergodict_report::{AtomGrid, Figure, LineChart, Report, Series};

/// How the curves are drawn, said once.
const READING: &str = "Lines are the root mean square over the runs, a pale band, where there is one, holds the middle half of \
                       them, and the dashed line is no fit: it is the exact standard deviation of fₜ(W) − f(W) for a dictionary \
                       W that does not depend on the sample, computed from the transition probabilities and the weights.";

/// Adds both sections.
pub(super) fn show(theorem: &Theorem, report: Report) -> Result<Report> {
    let mut report = report.section("Six pictures: the theorem and the exact result", lead(theorem));
    report = report.table(assumptions(theorem)).figure(seen(theorem)?).table(chains(theorem.size));
    for figure in [
        three_losses(theorem),
        weights(theorem),
        dependence(theorem),
        gradients(theorem),
        Some(gaps(theorem)),
        Some(old_codes(theorem)),
    ] {
        report = figure.into_iter().fold(report, Report::figure);
    }
    let words = format!(
        "At the end of {} runs: mean and standard error of f(W); the root mean square of f̂ − f, next to its exact expectation \
         of it, the standard deviation of fₜ − f at the last dictionaries; “ratio” is f̂ − f in that unit, run by run, root mean \
         square: chance explains up to {:.2} (χ², 0.9999), and what is more does not vanish. Exponents are fitted over the last \
         one and a half decades, the exact ones in the same way to the exact standard deviation.",
        theorem.size.runs,
        bound(theorem),
    );
    report = report.table(cases(theorem, "Cases in which the theorem holds", words, |case| {
        case.sound && case.breaks.is_none()
    }));
    report = report.section("When assumptions are broken", broken_lead());
    for figure in [broken(theorem), halves(theorem), forgetting(theorem), periodic(theorem)] {
        report = figure.into_iter().fold(report, Report::figure);
    }
    if let Some(figure) = half_atoms(theorem)? {
        report = report.figure(figure);
    }
    let words = "As above; but where the theorem does not hold, “ratio” is in units of what independent pictures with weights \
                 1/t would leave after as many minibatches. The exact standard deviation, which assumes no theorem, shows for each \
                 case where it stays.";
    Ok(report
        .table(cases(theorem, "Cases that break an assumption", words.into(), |case| case.breaks.is_some())))
}

fn bound(theorem: &Theorem) -> f64 {
    theorem.cases.first().map_or(f64::NAN, |(_, done)| done.outcome.bound())
}

fn lead(theorem: &Theorem) -> String {
    let size = theorem.size;
    let random = theorem.case("random-start").map_or(String::new(), |(_, seen)| {
        let (values, best) = values(seen);
        format!(
            "The theorem promises a critical point, not the best. All runs start near the shapes, but for one case that starts \
             anywhere: its {} runs end at {values} different expected losses, from {best:.3} up, and the losses close in on each \
             other there just the same.",
            size.runs
        )
    });
    format!(
        "A Markov chain on six pictures, shown one at a time, and {ATOMS} atoms to explain them. The transition probabilities \
         are known, so the stationary distribution π is, and with it the expected loss f(W) = Σ π(y) ℓ(y, W) and its gradient, for any \
         dictionary. The empirical loss fₜ needs only the weights with which each picture was seen so far. So f is never \
         estimated: what the runs are compared with is the truth.\n\n\
         λ = {LAMBDA}, κ₁ = {KAPPA1}, κ₂ = {KAPPA2}, so that (C1) and (C2) hold; nonnegative atoms of norm at most 1, \
         nonnegative codes. {} runs of {} steps of the chain, each with its own trajectory and its own first dictionary; the \
         first picture is drawn from π. The sticky chain shows the same picture again but for one step in {}, which draws from \
         π: its spectral gap is 1/{} and {:.0} pictures in a row say exactly as much as one independent one.\n\n{random}",
        size.runs,
        size.steps,
        size.stay,
        size.stay,
        size.memory(),
    )
}

/// How many different expected losses runs end at, and the least. Runs at the same critical point differ by less than 2 %.
fn values(seen: &CaseRecord) -> (usize, f64) {
    let mut ends: Vec<f64> = seen.ends.iter().map(|end| end.expected).collect();
    ends.sort_by(f64::total_cmp);
    let apart = ends.windows(2).filter(|pair| pair[1] > 1.02 * pair[0]).count();
    (apart + usize::from(!ends.is_empty()), ends.first().copied().unwrap_or(f64::NAN))
}

fn seen(theorem: &Theorem) -> Result<Figure> {
    let pictures = pictures();
    let mut tiles: Vec<Vec<f64>> = (0..STATES).map(|y| pictures.col(y).to_vec()).collect();
    let mut labels: Vec<String> = LAW.iter().map(|p| format!("π = {p}")).collect();
    if let Some(losses) = theorem.case("sticky").and_then(|(_, seen)| seen.losses.first()) {
        tiles.extend(losses.atoms.clone());
        labels.extend((1..=ATOMS).map(|k| format!("atom {k}")));
    }
    let grid = AtomGrid { labels: Some(labels), columns: Some(ATOMS), ..AtomGrid::new(&tiles, (SIDE, SIDE)) };
    let words = "The six pictures with their probabilities, and the three atoms that the sticky chain taught. A shape each, with \
                 something of its own: an atom has to serve two pictures that differ, so no dictionary has loss zero, and the \
                 frequencies decide what an atom looks like.\n\n\
                 The first row of pictures is one half of the distribution, the second row the other: they matter when assumptions are \
                 broken.";
    Ok(Figure { title: "What is seen, and what is learned".into(), svg: grid.svg()?, words: words.into() })
}

/// A curve of a case, over steps of its chain.
fn line(case: &Case, seen: &CaseRecord, name: &str, curve: &Curve, exact: Option<&[f64]>) -> Series {
    let x = || seen.at.iter().map(|t| (t * case.keep) as f64);
    let pairs = |values: &[f64]| x().zip(values.iter().copied()).collect::<Vec<_>>();
    let band: Vec<(f64, f64, f64)> =
        x().zip(curve.low.iter().zip(&curve.high)).map(|(x, (low, high))| (x, *low, *high)).collect();
    Series::new(name, pairs(&curve.rms)).band(band).expected(exact.map(pairs).unwrap_or_default())
}

fn chart(y_label: &str, mut series: Vec<Series>) -> String {
    // More bands than three cannot be distinguished.
    if series.len() > 3 {
        series.iter_mut().for_each(|series| series.band.clear());
    }
    let chart = LineChart {
        x_label: "steps of the chain".into(),
        y_label: y_label.into(),
        log_x: true,
        log_y: true,
        series,
        ..LineChart::default()
    };
    chart.svg()
}

/// `|f̂ − f|` of some cases.
fn distances(theorem: &Theorem, keys: &[&str]) -> String {
    let found = keys.iter().filter_map(|key| theorem.case(key));
    let one = |(case, seen): (&Case, &CaseRecord)| {
        line(case, seen, &case.name, &seen.distance, Some(&seen.distance_exact))
    };
    chart("|surrogate − expected loss|", found.map(one).collect())
}

fn three_losses(theorem: &Theorem) -> Option<Figure> {
    let (_, seen) = theorem.case("sticky")?;
    let losses = seen.losses.first()?;
    let line =
        |values: &[f64]| seen.at.iter().map(|t| *t as f64).zip(values.iter().copied()).collect::<Vec<_>>();
    let chart = LineChart {
        x_label: "steps of the chain".into(),
        y_label: "loss".into(),
        log_x: true,
        series: vec![
            Series::new("surrogate f̂ₜ(Wₜ)", line(&losses.surrogate)),
            Series::new("empirical fₜ(Wₜ)", line(&losses.empirical)),
            Series::new("expected f(Wₜ)", line(&losses.expected)),
        ],
        ..LineChart::default()
    };
    let words = format!(
        "One run of the sticky chain with weights 1/t. At first the chain shows one picture only: the dictionary learns it, the \
         surrogate and the empirical loss are low, and the expected loss, which knows all six, is high. It takes a few times \
         {:.0} steps until the sample represents the distribution. Then the three come together: that is part (ii) of the theorem.",
        theorem.size.memory()
    );
    Some(Figure { title: "Three losses close in on each other".into(), svg: chart.svg(), words })
}

fn weights(theorem: &Theorem) -> Option<Figure> {
    let keys = ["independent", "independent-forgetting", "sticky", "sticky-forgetting"];
    let (_, seen) = theorem.case("sticky-forgetting")?;
    let words = format!(
        "How far the surrogate is from the expected loss. {READING}\n\n\
         Balanced weights 1/t let it fall as t^−0.5. Weights t^−0.8 forget faster: the last t^0.8 pictures or so count, and it \
         falls as t^−0.4 (here {} ± {:.2} along the sticky chain). Both go to zero, as the theorem says for exponents above 3/4. \
         The runs lie on the exact line once the dictionary has settled; before, it is fitted to what was seen, and the \
         surrogate is too low by more than chance.",
        signed(seen.rate.fitted),
        seen.rate.error,
    );
    Some(Figure { title: "Balanced and forgetting weights".into(), svg: distances(theorem, &keys), words })
}

fn dependence(theorem: &Theorem) -> Option<Figure> {
    let keys = ["independent", "sticky", "sticky-subsampled"];
    let ((_, all), (_, few)) = (theorem.case("sticky")?, theorem.case("sticky-subsampled")?);
    let size = theorem.size;
    let cost = (size.kept_memory() * size.keep as f64 / size.memory()).sqrt();
    let words = format!(
        "The same distance for independent pictures, for the sticky chain, and for every {}th state of its same trajectories.\n\n\
         Dependence costs a factor of √{:.0} = {:.1} once and for all; the rate is the same. Subsampling gains nothing: the \
         states that it keeps are nearly independent (autocorrelation time {:.2}), but there are {} times fewer of them, and \
         their average has exactly {cost:.2} times the standard deviation of the average of all. At the end f̂ − f is {} with \
         all of them and {} with every {}th.",
        size.keep,
        size.memory(),
        size.memory().sqrt(),
        size.kept_memory(),
        size.keep,
        two_digits(last(&all.distance.rms)),
        two_digits(last(&few.distance.rms)),
        size.keep,
    );
    Some(Figure {
        title: "Dependence, with and without subsampling".into(),
        svg: distances(theorem, &keys),
        words,
    })
}

fn gradients(theorem: &Theorem) -> Option<Figure> {
    let keys = ["independent", "sticky", "sticky-forgetting"];
    let found = keys.iter().filter_map(|key| theorem.case(key));
    let one = |(case, seen): (&Case, &CaseRecord)| {
        line(case, seen, &case.name, &seen.gradient, Some(&seen.gradient_exact))
    };
    let (_, seen) = theorem.case("sticky")?;
    let words = format!(
        "Part (iii): the gradient of the expected loss, which learning never computes, and that of the surrogate, 2(WₜAₜ − Bₜᵀ), \
         become the same. Dashed: the exact root mean square of ‖∇fₜ(W) − ∇f(W)‖ for a fixed dictionary.\n\n\
         (C2) asks that Aₜ stay away from singular matrices: its smallest eigenvalue is at least {:.2} at the end of the runs of \
         the sticky chain, to which κ₁ = {KAPPA1} is added.",
        seen.smallest
    );
    Some(Figure {
        title: "The surrogate's gradient becomes the true one".into(),
        svg: chart("‖∇f(W) − ∇f̂(W)‖", found.map(one).collect()),
        words,
    })
}

fn gaps(theorem: &Theorem) -> Figure {
    let keys = ["independent", "sticky", "sticky-forgetting", "sticky-subsampled", "reducible"];
    let found = keys.iter().filter_map(|key| theorem.case(key));
    let one = |(case, seen): (&Case, &CaseRecord)| line(case, seen, &case.name, &seen.gap, None);
    let words = "How far a step of projected gradient descent on the expected loss would still move the dictionary: zero exactly \
                 at critical points. The theorem says that Wₜ comes to the set of these, and the stationarity gap falls.\n\n\
                 For contrast the chain that never leaves its half (below): its dictionary converges too, to a critical \
                 point of the loss of that half, which is none of the expected loss.";
    Figure {
        title: "Nothing left to improve".into(),
        svg: chart("stationarity gap of the expected loss", found.map(one).collect()),
        words: words.into(),
    }
}

fn old_codes(theorem: &Theorem) -> Figure {
    let keys = ["independent", "independent-forgetting", "sticky", "summable"];
    let found: Vec<(&Case, &CaseRecord)> = keys.iter().filter_map(|key| theorem.case(key)).collect();
    let lines =
        found.iter().map(|(case, seen)| line(case, seen, &case.name, &seen.old_codes, None)).collect();
    let words = "The surrogate keeps the codes that were best when each picture was seen; the empirical loss codes all of them \
                 again. The difference is what old codes cost, never below zero. As the dictionary settles it vanishes about as \
                 fast as its square distance from the limit, 1/t: much faster than chance does, so that f̂ − f is nearly all fₜ \
                 − f.\n\n\
                 Under weights t^−2 the first codes are never forgotten, and what they cost stays.";
    Figure {
        title: "What old codes cost".into(),
        svg: chart("surrogate − empirical loss", lines),
        words: words.into(),
    }
}

fn broken_lead() -> String {
    "The same pictures and the same distribution π, with one assumption taken away at a time. What remains in the end is what the exact \
     standard deviation says: it does not ask for any assumption."
        .into()
}

fn broken(theorem: &Theorem) -> Option<Figure> {
    let keys = ["independent", "reducible", "summable", "constant-0.2"];
    let ((_, apart), (_, summable)) = (theorem.case("reducible")?, theorem.case("summable")?);
    let words = format!(
        "Independent pictures with weights 1/t, where all assumptions hold, next to three that break an assumption. {READING}\n\n\
         A reducible chain, (M1): two halves that never meet. The surrogate converges to the loss of the half that the chain is \
         in, and is off by {:.1} for ever.\n\n\
         Summable weights, Σ wₜ < ∞: with wₜ = t^−2 the first picture keeps half of all weight for ever, since Π (1 − t^−2) = \
         1/2. Learning freezes before it has forgotten where it began; {:.1} stays.\n\n\
         Constant weights, (M2): the last 1/c pictures count, however long one waits.",
        last(&apart.distance.rms),
        last(&summable.distance.rms),
    );
    Some(Figure { title: "What does not close in".into(), svg: distances(theorem, &keys), words })
}

fn halves(theorem: &Theorem) -> Option<Figure> {
    let (_, seen) = theorem.case("reducible")?;
    let line =
        |values: &[f64]| seen.at.iter().map(|t| *t as f64).zip(values.iter().copied()).collect::<Vec<_>>();
    let mut runs: Vec<&Losses> = seen.losses.iter().collect();
    runs.sort_by_key(|losses| losses.half);
    let series = runs.into_iter().flat_map(|losses| {
        [
            Series::new(format!("surrogate, {}", half_name(losses)), line(&losses.surrogate)),
            Series::new(format!("expected, {}", half_name(losses)), line(&losses.expected)),
        ]
    });
    let chart = LineChart {
        x_label: "steps of the chain".into(),
        y_label: "loss".into(),
        log_x: true,
        series: series.collect(),
        ..LineChart::default()
    };
    let words = "Two runs of the reducible chain that start in different halves. Each surrogate converges, to the loss of its \
                 half, and each expected loss does, but not to the same: where one starts is never forgotten. Any mixture of the \
                 halves is a stationary distribution, so there is no one expected loss to speak of; here it is that of π.";
    Some(Figure {
        title: "Where it starts decides where it ends".into(),
        svg: chart.svg(),
        words: words.into(),
    })
}

fn half_name(losses: &Losses) -> &'static str {
    if losses.half == 0 { "first half" } else { "second half" }
}

fn half_atoms(theorem: &Theorem) -> Result<Option<Figure>> {
    let (Some((_, whole)), Some((_, apart))) = (theorem.case("independent"), theorem.case("reducible"))
    else {
        return Ok(None);
    };
    let (mut tiles, mut labels) = (Vec::new(), Vec::new());
    let rows = whole.losses.iter().take(1).map(|losses| ("all", losses));
    let mut parts: Vec<&Losses> = apart.losses.iter().collect();
    parts.sort_by_key(|losses| losses.half);
    let parts = parts.into_iter().map(|losses| (half_name(losses), losses));
    for (name, losses) in rows.chain(parts) {
        tiles.extend(in_order(&losses.atoms));
        labels.extend((0..ATOMS).map(|_| name.to_owned()));
    }
    let grid = AtomGrid { labels: Some(labels), columns: Some(ATOMS), ..AtomGrid::new(&tiles, (SIDE, SIDE)) };
    let words = "Atoms learned from independent pictures of all six, and by two runs of the reducible chain: these know the \
                 pictures of their half by heart, and nothing of the other.";
    Ok(Some(Figure { title: "What each half teaches".into(), svg: grid.svg()?, words: words.into() }))
}

/// Atoms in the order of the shapes that they are nearest to.
fn in_order(atoms: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let shapes = shapes();
    let shape = |atom: &Vec<f64>| {
        let overlap = |k: usize| atom.iter().zip(shapes.col(k)).map(|(x, y)| x * y).sum::<f64>();
        (0..ATOMS).max_by(|&a, &b| overlap(a).total_cmp(&overlap(b))).unwrap_or(0)
    };
    let mut atoms = atoms.to_vec();
    atoms.sort_by_key(shape);
    atoms
}

fn forgetting(theorem: &Theorem) -> Option<Figure> {
    let keys = ["constant-0.2", "constant-0.02", "independent"];
    let ((_, fifth), (_, fiftieth)) = (theorem.case("constant-0.2")?, theorem.case("constant-0.02")?);
    let words = format!(
        "Weights that stop falling at c = 0.2 and at c = 0.02. The surrogate follows the recent past and stays as noisy as \
         an average of 2/c − 1 pictures: exactly √(c/(2 − c)) of the standard deviation of one picture's loss, which is {:.2} and {:.2} \
         of it. That is no fault where the distribution changes and the past should be forgotten; but no limit is reached: at the end f̂ \
         − f is {} and {}.",
        (0.2f64 / 1.8).sqrt(),
        (0.02f64 / 1.98).sqrt(),
        two_digits(last(&fifth.distance.rms)),
        two_digits(last(&fiftieth.distance.rms)),
    );
    Some(Figure { title: "Constant weights: a floor of noise".into(), svg: distances(theorem, &keys), words })
}

fn periodic(theorem: &Theorem) -> Option<Figure> {
    let (_, seen) = theorem.case("periodic")?;
    let words = format!(
        "The two halves in turn: irreducible, but with period 2. (M1) asks for an aperiodic chain, and (M2) for distributions that come \
         to π, which they never do: at even times the chain is in one half, at odd times in the other. Yet averages converge, \
         and so does everything here: f̂ − f falls as t to the {} ± {:.2}. The assumption is sufficient, not necessary.",
        signed(seen.rate.fitted),
        seen.rate.error,
    );
    let svg = distances(theorem, &["independent", "periodic"]);
    Some(Figure { title: "A periodic chain: more than the theorem promises".into(), svg, words })
}
