//! Convergence diagnostics of chains: words, tables and curves of reports.

use ergodict::chain::MixingReport;
use ergodict::chain::diagnostics::{LEAST_ESS, Mixing, R_HAT_LIMIT, autocorrelation, bartlett_errors};
use ergodict_report::words::measured;
use ergodict_report::{Check, Figure, LineChart, Series, Table};

/// Lags of autocorrelation functions.
const LAGS: usize = 100;

/// A row of the table.
fn row(one: &MixingReport) -> Vec<String> {
    let number = |x: Option<f64>, digits: usize| x.map_or("–".to_owned(), |x| format!("{x:.digits$}"));
    vec![
        one.name(),
        one.chains.to_string(),
        one.values.to_string(),
        one.mean.map_or("–".to_owned(), |mean| measured(mean, one.error.unwrap_or(f64::NAN))),
        number(one.autocorrelation_time, 1),
        number(one.ess_bulk.or(one.effective_sample_size), 0),
        number(one.ess_tail, 0),
        one.r_hat(3, "–"),
    ]
}

/// Standard errors on each side of a confidence band.
const BAND: f64 = 1.96;

/// An autocorrelation function at multiples of `lag`, with the confidence band of no memory around 0.
fn autocorrelation_series(name: String, lag: u64, curve: &[f64], errors: &[f64]) -> Series {
    let at = |k: usize| k as f64 * lag as f64;
    let points: Vec<(f64, f64)> = curve.iter().enumerate().map(|(k, rho)| (at(k), *rho)).collect();
    let band = errors.iter().enumerate().skip(1).map(|(k, error)| (at(k), -BAND * error, BAND * error));
    Series::new(name, points).band(band.collect::<Vec<_>>())
}

/// The autocorrelation function of an observable along chains, up to lag 100; none where there is none.
pub fn autocorrelation_of(name: &str, series: &[&[f64]]) -> Option<Series> {
    let curve = autocorrelation(series, LAGS);
    let values = series.len() * series.iter().map(|one| one.len()).min().unwrap_or(0);
    let errors = bartlett_errors(&curve, values);
    (curve.len() > 1).then(|| autocorrelation_series(name.to_owned(), 1, &curve, &errors))
}

const TABLE: &str = "
    Mean with Monte-Carlo standard error; autocorrelation time in states of the chain; bulk and tail effective sample size over all chains;
    rank-normalized split R̂. R̂ near 1 and high ESS: chains agree. In long runs mean, error and R̂ are of evenly spaced values.";

/// The table of diagnostics, with the verdict in words, and the effective number of minibatches along each chain.
pub fn table(all: &[MixingReport], worth: impl IntoIterator<Item = String>, what: &str) -> Table {
    let worth: Vec<String> = worth.into_iter().collect();
    let mut verdict = verdict(all);
    if !worth.is_empty() {
        verdict = format!("{verdict} By the longest autocorrelation time, {}.", worth.join("; "));
    }
    let head =
        ["observable", "chains", "values", "mean", "autocorrelation time", "bulk ESS", "tail ESS", "R̂"];
    Table {
        title: "Convergence diagnostics".into(),
        head: head.map(str::to_owned).to_vec(),
        rows: all.iter().map(row).collect(),
        words: format!("{what}\n\n{TABLE} {verdict}"),
    }
}

/// The badge: whether the diagnostics speak against convergence; none where they are not known.
pub fn check(all: &[MixingReport]) -> Option<Check> {
    let known = || all.iter().filter(|one| one.verdict().is_some());
    let is_ok = known().all(|one| one.verdict() == Some(true));
    known().next()?;
    let words = if is_ok {
        format!("R̂ at most {R_HAT_LIMIT}, ESS at least {LEAST_ESS} per chain")
    } else {
        let r_hat = known().filter_map(|one| one.r_hat).fold(f64::NEG_INFINITY, f64::max);
        let r_hat = if r_hat.is_finite() { format!(" (R̂ up to {r_hat:.2})") } else { String::new() };
        format!("chains not converged{r_hat}; run longer")
    };
    Some(Check { is_ok, words })
}

/// The badge of diagnostics of single observables.
pub fn check_of<'a>(all: impl IntoIterator<Item = &'a Mixing>, chains: usize) -> Check {
    match warning(all, chains) {
        Some(words) => Check { is_ok: false, words: format!("{words}; run longer") },
        None => Check { is_ok: true, words: "no diagnostic speaks against convergence".into() },
    }
}

/// The diagnostics in words.
fn verdict(all: &[MixingReport]) -> String {
    let mut said = Vec::new();
    if all.iter().any(|one| one.verdict() == Some(false)) {
        said.push(format!(
            "Not converged: R̂ is above {R_HAT_LIMIT}, or ESS below {LEAST_ESS} per chain. Run longer, or thin more."
        ));
    } else if all.iter().any(|one| one.verdict().is_some()) {
        said.push(format!(
            "R̂ is at most {R_HAT_LIMIT}, and ESS at least {LEAST_ESS} per chain: no diagnostic speaks against convergence."
        ));
    }
    if all.iter().any(|one| one.r_hat.is_none() && one.verdict() == Some(false)) {
        said.push("An infinite R̂ means that chains are stuck at different values.".to_owned());
    }
    if all.iter().any(|one| one.constant) {
        said.push("Constant values are inconclusive: a stuck chain has them, too.".to_owned());
    }
    if all.iter().any(|one| one.verdict().is_none() && !one.constant) {
        said.push("Where R̂ is missing, there are too few values to judge convergence.".to_owned());
    }
    said.join(" ")
}

const CURVE: &str = "
    Autocorrelation by lag. Within the pale band it is not distinguishable from 0 (95 %, Bartlett). Still high at the right end? Run longer.";

/// The autocorrelation functions; none where there are none.
pub fn curve(all: &[MixingReport], of: &str) -> Option<Figure> {
    let drawn: Vec<&MixingReport> = all.iter().filter(|one| one.autocorrelation.len() > 1).take(8).collect();
    if drawn.is_empty() {
        return None;
    }
    let name = |one: &MixingReport| if all.len() > 1 { one.name() } else { String::new() };
    let series = drawn.iter().map(|one| {
        let lag = if one.lag == 0 { one.every } else { one.lag };
        autocorrelation_series(name(one), lag, &one.autocorrelation, &one.autocorrelation_error)
    });
    Some(autocorrelations(series.collect(), of))
}

/// The figure of autocorrelation functions that are known already.
pub fn autocorrelations(series: Vec<Series>, of: &str) -> Figure {
    let points = series.iter().flat_map(|one| &one.points).map(|point| point.1);
    let least = points.chain(series.iter().flat_map(|one| &one.band).map(|edge| edge.1)).fold(-0.1, f64::min);
    let chart = LineChart {
        x_label: format!("{of} apart"),
        y_label: "autocorrelation".into(),
        y_range: Some((least, 1.0)),
        series,
        ..LineChart::default()
    };
    Figure { title: "Autocorrelation".into(), svg: chart.svg(), words: CURVE.into() }
}

/// Why chains have not converged; none where nothing seen speaks against it.
pub fn warning<'a>(all: impl IntoIterator<Item = &'a Mixing>, chains: usize) -> Option<String> {
    let failed: Vec<&Mixing> =
        all.into_iter().filter(|mixing| mixing.converged(chains) == Some(false)).collect();
    let r_hat = failed.iter().map(|mixing| mixing.r_hat).fold(f64::NEG_INFINITY, f64::max);
    let ess = failed.iter().map(|mixing| mixing.ess_bulk.min(mixing.ess_tail)).fold(f64::INFINITY, f64::min);
    if failed.is_empty() {
        None
    } else if r_hat > R_HAT_LIMIT {
        Some(format!("not converged (R̂ {r_hat:.3}, ESS {ess:.0})"))
    } else {
        Some(format!("too few effective draws (ESS {ess:.0}, {:.0} needed)", LEAST_ESS * chains as f64))
    }
}

const DIAGNOSTICS: &str = "
    Mean over all chains with its Monte-Carlo standard error, bulk and tail effective sample size, and rank-normalized split R̂.";

/// The diagnostics as a table of a report, with a verdict.
pub fn diagnostics_table<'a>(rows: impl IntoIterator<Item = (String, &'a Mixing)>, verdict: &str) -> Table {
    let row = |(name, mixing): (String, &Mixing)| {
        vec![
            name,
            measured(mixing.mean, mixing.error),
            format!("{:.2}", mixing.autocorrelation_time),
            format!("{:.0}", mixing.ess_bulk),
            format!("{:.0}", mixing.ess_tail),
            format!("{:.4}", mixing.r_hat),
        ]
    };
    let head = ["observable", "mean", "autocorrelation time", "bulk ESS", "tail ESS", "R̂"];
    Table {
        title: "Convergence diagnostics".into(),
        head: head.map(str::to_owned).to_vec(),
        rows: rows.into_iter().map(row).collect(),
        words: format!(
            "{DIAGNOSTICS} Chains have converged where R̂ is at most {R_HAT_LIMIT} and each ESS at least {LEAST_ESS} per chain. {verdict}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ergodict::chain::{Trace, TraceSet};

    fn table_of(one: MixingReport) -> Table {
        table(&[one], None, "")
    }

    use ergodict::rng::{Purpose, stream, uniform};

    #[test]
    fn traces_at_different_strides_are_brought_together() {
        let mut watched = TraceSet::new("edges", "karate", 2, 1);
        watched.traces = vec![Trace::new(16), Trace::new(16)];
        // The first is 40 long and keeps every fourth, the second 30 long and keeps every second.
        for (trace, n) in watched.traces.iter_mut().zip([40u32, 30]) {
            (0..n).for_each(|i| trace.push_with(|| f64::from(i * 37 % 11)));
        }
        let mixed = watched.mixed().unwrap();
        assert_eq!((mixed.every, mixed.values, mixed.chains), (4, 30, 2));
        assert_eq!(mixed.autocorrelation.first(), Some(&1.0));
        assert!(TraceSet::new("edges", "", 3, 1).mixed().is_none());
    }

    #[test]
    fn what_is_not_known_is_null_and_comes_back() {
        let mut watched = TraceSet::new("edges", "", 1, 1);
        watched.traces[0].push_with(|| 2.0);
        let mixed = watched.mixed().unwrap();
        assert_eq!((mixed.mean, mixed.r_hat), (Some(2.0), None));
        let text = serde_json::to_string(&mixed).unwrap();
        assert_eq!(serde_json::from_str::<MixingReport>(&text).unwrap(), mixed);
        assert!(curve(std::slice::from_ref(&mixed), "patches").is_none());
        assert_eq!(mixed.words(), "edges: too few values");
        let told = table_of(mixed);
        assert!(
            told.rows[0][7] == "–"
                && told.words.contains("too few values")
                && !told.words.contains("speaks against")
        );
    }

    fn of_one(most: usize, values: impl Iterator<Item = f64>) -> TraceSet {
        let mut watched = TraceSet::new("edges", "", 1, 1);
        watched.traces = vec![Trace::new(most)];
        for (at, value) in values.enumerate() {
            watched.traces[0].push_with(|| value);
            if at % 7_777 == 0 {
                // As a run that is stopped and goes on.
                watched = serde_json::from_str(&serde_json::to_string(&watched).unwrap()).unwrap();
            }
        }
        watched
    }

    #[test]
    fn independent_draws_of_a_long_run_have_an_autocorrelation_time_of_one() {
        let mut rng = stream(5, Purpose::Chain, 0);
        let mixed = of_one(1 << 12, (0..100_000).map(|_| uniform(&mut rng))).mixed().unwrap();
        assert_eq!((mixed.every, mixed.lag, mixed.values), (32, 1, 100_000));
        let (time, size) = (mixed.autocorrelation_time.unwrap(), mixed.effective_sample_size.unwrap());
        // Six standard errors of √(6τ/n), see the tests of the diagnostics, with n = 4096.
        assert!((time - 1.0).abs() < 0.23, "{time}");
        assert!((size * time / 1e5 - 1.0).abs() < 1e-9, "{size}");
        assert_eq!((mixed.mixed, mixed.constant), (Some(true), false));
    }

    #[test]
    fn memory_too_long_for_a_stretch_is_seen_in_the_whole_run() {
        // An autocorrelation time of 1999, and a stretch of 256.
        let (mut rng, mut x) = (stream(6, Purpose::Chain, 0), 0.0);
        let values = (0..100_000).map(|_| {
            x = 0.999 * x + uniform(&mut rng) - 0.5;
            x
        });
        let mixed = of_one(256, values).mixed().unwrap();
        assert_eq!((mixed.every, mixed.lag), (512, 512));
        assert!(mixed.autocorrelation_time.unwrap() > 500.0, "{mixed:?}");
        let svg = curve(std::slice::from_ref(&mixed), "patches").unwrap().svg;
        assert!(svg.contains("band"), "{svg}");
    }

    #[test]
    fn chains_that_never_move_have_not_mixed_or_are_undecided() {
        let of = |values: [f64; 2]| {
            let mut watched = TraceSet::new("edges", "", 2, 1);
            for (trace, value) in watched.traces.iter_mut().zip(values) {
                (0..50).for_each(|_| trace.push_with(|| value));
            }
            let mixed = watched.mixed().unwrap();
            let text = serde_json::to_string(&mixed).unwrap();
            assert_eq!(serde_json::from_str::<MixingReport>(&text).unwrap(), mixed);
            mixed
        };
        let apart = of([1.0, 2.0]);
        assert_eq!((apart.r_hat, apart.mixed, apart.constant), (None, Some(false), false));
        assert!(apart.words().ends_with("R̂ infinite"), "{}", apart.words());
        let told = table_of(apart.clone());
        assert!(told.words.contains("Not converged") && told.rows[0][7] == "infinite");
        let still = of([3.0, 3.0]);
        assert_eq!((still.mean, still.mixed, still.constant), (Some(3.0), None, true));
        let unknown = [still.error, still.autocorrelation_time, still.effective_sample_size, still.r_hat];
        assert_eq!(unknown, [None; 4]);
        assert!(still.words().contains("convergence is unknown"), "{}", still.words());
        let told = table_of(still);
        assert!(told.words.contains("Constant values") && !told.words.contains("speaks against"));
        // What earlier versions wrote.
        let old = r#"{"observable": "edges", "chains": 1, "values": 9, "every": 2, "mean": 1.0, "error": 0.1,
            "autocorrelation_time": 2.0, "effective_sample_size": 9.0, "r_hat": 1.2, "autocorrelation": [1.0, 0.5]}"#;
        let old: MixingReport = serde_json::from_str(old).unwrap();
        assert_eq!(old.verdict(), Some(false));
        let drawn = autocorrelation_series(
            String::new(),
            old.every,
            &old.autocorrelation,
            &old.autocorrelation_error,
        );
        assert_eq!((drawn.points[1], drawn.band.len()), ((2.0, 0.5), 0));
    }
}
