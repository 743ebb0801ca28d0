//! Scans against exact results, and parallel tempering on a system that can be enumerated.

use super::*;
use crate::chain::{SystemData, SystemKind, Update};
use crate::run::drive;

fn system(rows: usize, cols: usize, update: Update) -> SystemSettings {
    SystemSettings {
        size: Some(crate::text::Shape(rows, cols)),
        update: Some(update),
        ..SystemSettings::default()
    }
}

fn scan(settings: &ScanSettings, system: &SystemSettings, quantities: &str, seed: u64) -> TemperatureScan {
    let observables = quantities.split(',').map(|name| name.parse().unwrap()).collect();
    let settings = ScanSettings { observables, ..settings.clone() };
    let begin = |t, id| system.walk(SystemData::default(), t, seed, id);
    TemperatureScan::new(&settings, system, seed, begin).unwrap()
}

fn driven(settings: &ScanSettings, system: &SystemSettings, quantities: &str, seed: u64) -> TemperatureScan {
    let mut scan = scan(settings, system, quantities, seed);
    assert_eq!(drive(&mut scan.jobs(), None, &Stop::default(), &mut ()).unwrap(), Status::Finished);
    scan
}

/// Energy of a configuration of a 2×2 torus, whose bonds are double.
fn energy(code: usize) -> f64 {
    let spin = |v: usize| if code >> v & 1 == 1 { 1.0 } else { -1.0 };
    -2.0 * (spin(0) * spin(1) + spin(2) * spin(3) + spin(0) * spin(2) + spin(1) * spin(3))
}

#[test]
fn exchanges_keep_the_product_of_the_laws() {
    let temperatures = [1.5, 2.6, 4.0];
    let laws: Vec<Vec<f64>> = temperatures
        .iter()
        .map(|t| {
            let weights: Vec<f64> = (0..16).map(|code| (-energy(code) / t).exp()).collect();
            let sum: f64 = weights.iter().sum();
            weights.iter().map(|w| w / sum).collect()
        })
        .collect();
    // All 4096 states of three replicas; an exchange of one pair is reversible for the product law, and so keeps it.
    let law = |state: [usize; 3]| laws[0][state[0]] * laws[1][state[1]] * laws[2][state[2]];
    for index in 0..4096 {
        let state = [index & 15, index >> 4 & 15, index >> 8];
        for cold in 0..2 {
            let pair = (temperatures[cold], temperatures[cold + 1]);
            let mut swapped = state;
            swapped.swap(cold, cold + 1);
            let forth =
                law(state) * exchange_probability(pair, (energy(state[cold]), energy(state[cold + 1])));
            let back =
                law(swapped) * exchange_probability(pair, (energy(swapped[cold]), energy(swapped[cold + 1])));
            assert!((forth - back).abs() < 1e-16, "{state:?}");
        }
    }
}

#[test]
fn tempered_replicas_are_independent_and_have_their_laws() {
    let settings = ScanSettings {
        temperature: vec![1.5, 2.6, 4.0],
        sweeps: Some(1),
        burn_in: Some(0),
        chains: Some(1),
        tempering: true,
        ..ScanSettings::default()
    };
    let system = system(2, 2, Update::Random);
    let law = |t: f64| {
        let weights: Vec<f64> = (0..16).map(|code| (-energy(code) / t).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|w| w / sum).collect::<Vec<_>>()
    };
    let (cold, hot) = (law(1.5), law(4.0));
    let mut scan = scan(&settings, &system, "energy", 3);
    let ladder = &mut scan.ladders[0];
    // Every twentieth sweep: autocorrelations are below 1e-3 by then.
    let (draws, mut counts) = (20_000, vec![0.0; 256]);
    for _ in 0..draws {
        (0..20).for_each(|_| ladder.sweep().unwrap());
        let code = |walk: &dyn SpinWalk| -> usize {
            walk.frame().to_numbers().iter().enumerate().map(|(v, x)| usize::from(*x == 1.0) << v).sum()
        };
        counts[code(&*ladder.walks[0]) << 4 | code(&*ladder.walks[2])] += 1.0;
    }
    let (mut chi2, mut cells, mut rare) = (0.0, 0.0, (0.0, 0.0));
    for (at, count) in counts.iter().enumerate() {
        let expected = f64::from(draws) * cold[at >> 4] * hot[at & 15];
        if expected < 8.0 {
            rare = (rare.0 + count, rare.1 + expected);
        } else {
            chi2 += (count - expected).powi(2) / expected;
            cells += 1.0;
        }
    }
    if rare.1 >= 8.0 {
        chi2 += (rare.0 - rare.1).powi(2) / rare.1;
        cells += 1.0;
    }
    // The 0.9999 quantile, by Wilson and Hilferty.
    let a: f64 = 2.0 / (9.0 * (cells - 1.0));
    let limit = (cells - 1.0) * (1.0 - a + 3.719 * a.sqrt()).powi(3);
    assert!(chi2 < limit, "chi² {chi2} over {limit} for {cells} cells");
    assert!(
        ladder.exchanges.iter().all(|e| e.proposed > 100_000 && e.rate() > 0.2),
        "{:?}",
        ladder.exchanges
    );
}

#[test]
fn energies_and_specific_heats_are_those_of_the_finite_torus() {
    for (update, tempering) in
        [(Update::SwendsenWang, false), (Update::Wolff, false), (Update::Checkerboard, true)]
    {
        let settings = ScanSettings {
            temperature: vec![1.8, 2.269, 2.8],
            sweeps: Some(6000),
            tempering,
            ..ScanSettings::default()
        };
        let scan = driven(&settings, &system(12, 12, update), "energy,specific-heat", 5);
        for point in scan.points() {
            let exact = point.exact.unwrap();
            for (found, exact) in point.estimates.iter().zip([exact.0, exact.1]) {
                let z = (found.mean - exact) / found.error;
                assert!(z.abs() < 4.0, "{update:?} at {}: {} against {exact}", point.temperature, found.mean);
            }
            assert_eq!(point.exchange_rate.is_some(), tempering && point.temperature < 2.8);
        }
    }
}

#[test]
fn resumed_scans_are_those_that_went_on() {
    let settings = ScanSettings {
        temperature: vec![2.0, 2.5],
        sweeps: Some(50),
        tempering: true,
        ..ScanSettings::default()
    };
    let ising = system(6, 6, Update::Wolff);
    let xy = SystemSettings { model: Some(SystemKind::Xy), ..ising.clone() };
    let all = SystemSettings { update: Some(Update::SwendsenWang), ..xy.clone() };
    for (system, quantities) in
        [(&ising, "energy,bond-cluster-mean,binder"), (&xy, "energy,vortices"), (&all, "energy,vortices")]
    {
        let whole = driven(&settings, system, quantities, 2);
        let mut first = scan(&settings, system, quantities, 2);
        drive(&mut first.jobs(), None, &Stop::after(40), &mut ()).unwrap();
        let mut second = scan(&settings, system, quantities, 2);
        for (from, to) in first.ladders.iter().zip(&mut second.ladders) {
            let mut sections = Sections::default();
            from.save(&mut sections).unwrap();
            to.restore(&sections).unwrap();
        }
        drive(&mut second.jobs(), None, &Stop::default(), &mut ()).unwrap();
        assert_eq!(whole.points(), second.points());
    }
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let ising = SystemSettings::default();
    let temperatures = |from, to, count| {
        let settings = ScanSettings { from, to, temperatures: count, ..ScanSettings::default() };
        settings.temperatures(&ising)
    };
    assert_eq!(temperatures(None, None, None).unwrap().len(), 21);
    assert!(temperatures(Some(3.0), Some(2.0), None).is_err());
    assert!(temperatures(Some(-1.0), Some(2.0), None).is_err());
    assert!(temperatures(Some(1.0), Some(2.0), Some(0)).is_err());
    assert!(temperatures(Some(1.0), Some(f64::NAN), None).is_err());
    let antiferromagnet = SystemSettings { coupling: Some(-1.0), ..SystemSettings::default() };
    assert!(ScanSettings::default().temperatures(&antiferromagnet).is_err());
    let cells = SystemSettings { model: Some(SystemKind::CellularPotts), ..SystemSettings::default() };
    let begin = |t, id| cells.walk(SystemData::default(), t, 0, id);
    let error = TemperatureScan::new(&ScanSettings::default(), &cells, 0, begin).err().unwrap();
    assert!(error.to_string().contains("cellular Potts"), "{error}");
}

#[test]
fn defaults_are_what_the_system_has_and_too_many_values_are_refused() {
    let names = |boundary| {
        let ising = SystemSettings { boundary: Some(boundary), ..system(4, 4, Update::Random) };
        let begin = |t, id| ising.walk(SystemData::default(), t, 0, id);
        let scan = TemperatureScan::new(&ScanSettings::default(), &ising, 0, begin).unwrap();
        scan.quantities().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let (torus, free) = (names(crate::chain::Boundary::Periodic), names(crate::chain::Boundary::Free));
    assert_eq!((torus.len(), free.len(), &*torus[5]), (6, 5, "correlation-length"));
    let many = ScanSettings { sweeps: Some(1 << 44), ..ScanSettings::default() };
    let ising = system(4, 4, Update::Random);
    let refused = TemperatureScan::new(&many, &ising, 0, |t, id| ising.walk(SystemData::default(), t, 0, id));
    assert!(cfg!(not(target_os = "linux")) || matches!(refused.err(), Some(Error::Memory { .. })));
    let update = |coupling, model| {
        let system = SystemSettings { model, coupling, ..SystemSettings::default() };
        ScanSettings::default().system(&system).update
    };
    assert_eq!(update(Some(-1.0), None), Some(Update::SwendsenWang));
    assert_eq!(update(Some(-1.0), Some(SystemKind::Potts)), Some(Update::Random));
    assert_eq!(update(None, Some(SystemKind::Rbm)), None);
}

#[test]
fn binder_cumulants_of_potts_models_cross_at_the_exact_critical_temperature() {
    // Below it the larger lattice is the more ordered one, above it the less ordered one. Five percent to either side are more than what the crossing of
    // lattices this small is off by.
    for states in 2..=5 {
        let potts = |side| SystemSettings {
            model: Some(SystemKind::Potts),
            states: Some(states),
            ..system(side, side, Update::SwendsenWang)
        };
        let critical = potts(8).critical_temperature().unwrap();
        let temperature = vec![0.95 * critical, 1.05 * critical];
        let settings = ScanSettings { temperature, sweeps: Some(6000), ..ScanSettings::default() };
        let binder = |side: usize| -> Vec<(f64, f64)> {
            let points = driven(&settings, &potts(side), "binder", 11).points();
            points.iter().map(|point| (point.estimates[0].mean, point.estimates[0].error)).collect()
        };
        let (small, large) = (binder(8), binder(16));
        for (at, sign) in [(0, 1.0), (1, -1.0)] {
            let error = small[at].1.hypot(large[at].1);
            // With these numbers of sweeps the differences are six errors and more.
            assert!(
                sign * (large[at].0 - small[at].0) > 2.0 * error,
                "{states} states: {small:?}, {large:?}"
            );
        }
    }
}
