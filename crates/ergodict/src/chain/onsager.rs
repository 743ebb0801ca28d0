//! Exact results on the two-dimensional Ising model (square lattice, J = 1, no field), in the limit of large lattices.
//!
//! | quantity | here | source |
//! |---|---|---|
//! | `T_c = 2/ln(1 + √2)` | [`critical_temperature`] | Kramers and Wannier 1941, Onsager 1944 |
//! | `u = −coth(2/T)·(1 + (2/π)(2tanh²(2/T) − 1)·K(k))`, `k = 2sinh(2/T)/cosh²(2/T)` | [`energy_per_site`] | Onsager 1944 |
//! | `m = (1 − sinh⁻⁴(2/T))^{1/8}` below `T_c`, 0 above | [`magnetization`] | Yang 1952 |

use std::f64::consts::SQRT_2;

/// The temperature of the transition, 2.269….
///
/// `T_c = 2/ln(1 + √2)`, with J = 1.
///
/// ```
/// use ergodict::chain::onsager::critical_temperature;
/// // At T_c, sinh(2/T) = 1.
/// assert!((f64::sinh(2.0 / critical_temperature()) - 1.0).abs() < 1e-12);
/// ```
pub fn critical_temperature() -> f64 {
    2.0 / (1.0 + SQRT_2).ln()
}

/// The mean energy of a site at a positive temperature, from −2 (cold) to 0 (hot); NaN for other temperatures.
///
/// ```
/// use ergodict::chain::onsager::{critical_temperature, energy_per_site};
/// assert!((energy_per_site(critical_temperature()) + f64::sqrt(2.0)).abs() < 1e-6);
/// ```
pub fn energy_per_site(temperature: f64) -> f64 {
    if temperature.is_nan() || temperature <= 0.0 {
        return f64::NAN;
    }
    let (t, sech) = ((2.0 / temperature).tanh(), 1.0 / (2.0 / temperature).cosh());
    if t == 0.0 {
        return 0.0;
    }
    // k = 2 sinh/cosh² = 2t·sech, and k' = √(1 − k²) = |2t² − 1|: the modulus is never needed, only its complement.
    // Both sides of it are computed from what is small there.
    let (complement, gap) =
        if t < 0.5 { (2.0 * t * t - 1.0, 2.0 * t * t) } else { (1.0 - 2.0 * sech * sech, 2.0 * sech * sech) };
    if complement == 0.0 {
        // K has a logarithmic pole, which the factor before it cancels.
        return -1.0 / t;
    }
    // K = (π/2)/mean. When hot, 1 − k'/mean is left of the bracket, and written as a difference of near equals.
    if complement > 0.0 {
        -(1.0 + complement / arithmetic_geometric_mean(complement, gap).0) / t
    } else {
        let (mean, above) = arithmetic_geometric_mean(-complement, if t < 0.5 { gap } else { 2.0 - gap });
        -above / (mean * t)
    }
}

/// The spontaneous magnetization of a site at a positive temperature: 1 when cold, 0 from the critical temperature
/// on; NaN for other temperatures.
///
/// `m = (1 − sinh(2/T)⁻⁴)^{1/8}` below the critical temperature.
///
/// ```
/// use ergodict::chain::onsager::magnetization;
/// assert!(magnetization(0.5) > 0.9999 && magnetization(2.3) == 0.0);
/// ```
pub fn magnetization(temperature: f64) -> f64 {
    if temperature.is_nan() || temperature <= 0.0 {
        return f64::NAN;
    }
    let sinh = (2.0 / temperature).sinh();
    if sinh <= 1.0 { 0.0 } else { (1.0 - sinh.powi(-4)).powf(0.125) }
}

/// The arithmetic-geometric mean of 1 and `b = 1 − gap`, `0 < b ≤ 1`, and by how much it is above `b`. The complete elliptic
/// integral of the first kind is `K = (π/2)/mean` where `b` is the complementary modulus.
fn arithmetic_geometric_mean(b: f64, gap: f64) -> (f64, f64) {
    let (mut a, mut b, mut gap, mut above) = (1.0f64, b, gap, gap);
    // The number of right digits doubles each time. The mean is b + gap less half of all gaps to come.
    while gap > 1e-17 * above {
        above -= gap / 2.0;
        let roots = a.sqrt() + b.sqrt();
        gap = gap * gap / (2.0 * roots * roots);
        (a, b) = (f64::midpoint(a, b), (a * b).sqrt());
    }
    (a, above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn elliptic_integral_is_the_integral() {
        let complete_elliptic = |b: f64| {
            let (mean, above) = arithmetic_geometric_mean(b, 1.0 - b);
            assert!((mean - b - above).abs() < 1e-15);
            FRAC_PI_2 / mean
        };
        assert_eq!(complete_elliptic(1.0), FRAC_PI_2);
        for complement in [0.9f64, 0.3, 0.05] {
            let k2 = 1.0 - complement * complement;
            // The integrand is periodic, so that the midpoint rule converges exponentially.
            let n = 2000;
            let integrand = |i: i32| {
                let sine = (FRAC_PI_2 * (f64::from(i) + 0.5) / f64::from(n)).sin();
                1.0 / (1.0 - k2 * sine * sine).sqrt()
            };
            let sum: f64 = (0..n).map(integrand).sum();
            let integral = FRAC_PI_2 * sum / f64::from(n);
            assert!((complete_elliptic(complement) / integral - 1.0).abs() < 1e-13, "{complement}");
        }
    }

    #[test]
    fn critical_point_is_self_dual_and_its_energy_is_minus_the_root_of_two() {
        let critical = critical_temperature();
        assert!((critical - 2.269_185_314_213_022).abs() < 1e-15);
        assert!(((2.0 / critical).sinh() - 1.0).abs() < 1e-15);
        // u has an infinite slope there: u − u_c goes as ε ln ε.
        assert!((energy_per_site(critical) + SQRT_2).abs() < 1e-13);
        for epsilon in [1e-4, 1e-6, 1e-8] {
            for temperature in [critical - epsilon, critical + epsilon] {
                assert!((energy_per_site(temperature) + SQRT_2).abs() < 2.0 * epsilon * -epsilon.ln());
            }
        }
    }

    #[test]
    fn hot_and_cold_limits_are_their_series() {
        // Hot: ln Z per site = ln 2 + 2 ln cosh β + v⁴ + 2v⁶ + 9v⁸/2 + 12v¹⁰ + …, v = tanh β (closed polygons), so
        // u = −2v − (1 − v²)(4v³ + 12v⁵ + 36v⁷ + 120v⁹ + …).
        for temperature in [12.0, 20.0, 50.0] {
            let v = (1.0f64 / temperature).tanh();
            let polygons = 4.0 * v.powi(3) + 12.0 * v.powi(5) + 36.0 * v.powi(7) + 120.0 * v.powi(9);
            let series = -2.0 * v - (1.0 - v * v) * polygons;
            let error = (energy_per_site(temperature) - series).abs();
            assert!(error < 500.0 * v.powi(11) + 1e-14, "{temperature}: {error}");
        }
        // Cold: one spin turned costs 8, a pair 12: u = −2 + 8x⁴ + 24x⁶ + 72x⁸ + 240x¹⁰ + …, x = e^{−2/T}, the dual
        // polygons; and m = 1 − 2x⁴ − 8x⁶ − 34x⁸ − 152x¹⁰ − ….
        for temperature in [0.5, 0.7, 0.8] {
            let x = (-2.0f64 / temperature).exp();
            let energy = -2.0 + 8.0 * x.powi(4) + 24.0 * x.powi(6) + 72.0 * x.powi(8) + 240.0 * x.powi(10);
            assert!((energy_per_site(temperature) - energy).abs() < 2000.0 * x.powi(12) + 1e-14);
            let m = 1.0 - 2.0 * x.powi(4) - 8.0 * x.powi(6) - 34.0 * x.powi(8) - 152.0 * x.powi(10);
            assert!((magnetization(temperature) - m).abs() < 2000.0 * x.powi(12) + 1e-14);
        }
        assert_eq!((energy_per_site(1e-3), magnetization(1e-3)), (-2.0, 1.0));
        assert_eq!((energy_per_site(1e-310), magnetization(1e-310)), (-2.0, 1.0));
        assert_eq!((energy_per_site(f64::INFINITY), magnetization(f64::INFINITY)), (0.0, 0.0));
        assert!((energy_per_site(1e9) + 2e-9).abs() < 1e-23);
    }

    #[test]
    fn energy_rises_and_magnetization_falls_with_the_temperature() {
        let temperatures: Vec<f64> = (1..400).map(|i| f64::from(i) * 0.0125).collect();
        for pair in temperatures.windows(2) {
            assert!(energy_per_site(pair[0]) <= energy_per_site(pair[1]) + 1e-15);
            assert!(magnetization(pair[0]) >= magnetization(pair[1]));
        }
        assert_eq!(magnetization(critical_temperature() + 1e-9), 0.0);
        assert!(magnetization(critical_temperature() - 1e-9) > 0.05);
        for bad in [0.0, -1.0, f64::NAN] {
            assert!(energy_per_site(bad).is_nan() && magnetization(bad).is_nan());
        }
    }
}
