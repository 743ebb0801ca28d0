//! Exact results on the two-dimensional Ising model (square lattice, J = 1, no field), in the limit of large lattices and on finite tori.
//!
//! | quantity | here | source |
//! |---|---|---|
//! | `T_c = 2/ln(1 + √2)` | [`critical_temperature`] | Kramers and Wannier 1941, Onsager 1944 |
//! | `u = −coth(2/T)·(1 + (2/π)(2tanh²(2/T) − 1)·K(k))`, `k = 2sinh(2/T)/cosh²(2/T)` | [`energy_per_site`] | Onsager 1944 |
//! | `m = (1 − sinh⁻⁴(2/T))^{1/8}` below `T_c`, 0 above | [`magnetization`] | Yang 1952 |
//! | `Z` of an m×n torus: half of `(2 sinh 2K)^{mn/2}` times four products over `γ_0 … γ_{2n−1}` | [`torus`] | Kaufman 1949 |
//! | `u = −∂ ln Z/∂K /mn`, `c = K² ∂² ln Z/∂K² /mn`, `K = 1/T` | the same | Ferdinand and Fisher 1969 |

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

/// A number with its first and second derivative by K.
#[derive(Clone, Copy)]
struct Jet([f64; 3]);

impl Jet {
    /// A function of it, from the value and derivatives of that function at its value.
    fn map(self, [f, df, ddf]: [f64; 3]) -> Self {
        let Self([_, d, dd]) = self;
        Self([f, df * d, ddf * d * d + df * dd])
    }

    fn plus(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }

    fn times(self, scale: f64) -> Self {
        Self(self.0.map(|x| scale * x))
    }

    /// `ln(2 cosh x)`.
    fn ln_cosh(self) -> Self {
        let x = self.0[0];
        let tanh = x.tanh();
        self.map([x.abs() + (-2.0 * x.abs()).exp().ln_1p(), tanh, 1.0 - tanh * tanh])
    }

    /// `ln(2 sinh x)` of a positive x.
    fn ln_sinh(self) -> Self {
        let x = self.0[0];
        let coth = 1.0 / x.tanh();
        self.map([x + (-(-2.0 * x).exp_m1()).ln(), coth, 1.0 - coth * coth])
    }
}

/// The mean energy and the specific heat of a site of an m×n torus, `(u, c)`, at a positive temperature; NaN for other temperatures and for
/// lattices without sites. A torus with a side of 1 or 2 has bonds of a site with itself, or two bonds between two sites.
///
/// ```
/// use ergodict::chain::onsager::{energy_per_site, torus};
/// let (energy, heat) = torus((64, 64), 3.0);
/// assert!((energy - energy_per_site(3.0)).abs() < 1e-9 && heat > 0.0);
/// ```
pub fn torus((rows, cols): (usize, usize), temperature: f64) -> (f64, f64) {
    if temperature.is_nan() || temperature <= 0.0 || rows * cols == 0 {
        return (f64::NAN, f64::NAN);
    }
    let (m, n, k) = (rows as f64, cols, 1.0 / temperature);
    // A turned spin has probability exp(−8K): nothing in double precision, where cubes of sinh 2K overflow soon after.
    if k > 100.0 {
        return (-2.0, 0.0);
    }
    let sites = (rows * cols) as f64;
    // γ_0 = 2K + ln tanh K has a sign; the others are positive: cosh γ_r = cosh 2K coth 2K − cos(πr/n).
    let (sinh, cosh) = ((2.0 * k).sinh(), (2.0 * k).cosh());
    let zero = Jet([2.0 * k + k.tanh().ln(), 2.0 + 2.0 / sinh, -4.0 * cosh / (sinh * sinh)]);
    // C = cosh² 2K / sinh 2K = sinh 2K + 1/sinh 2K, in terms of s = sinh 2K.
    let s = Jet([sinh, 2.0 * cosh, 4.0 * sinh]);
    let c = s.map([sinh + 1.0 / sinh, 1.0 - 1.0 / (sinh * sinh), 2.0 / (sinh * sinh * sinh)]);
    let gamma = |r: usize| {
        // x = cosh γ − 1 is what is small near the critical point: (s − 1)²/s + 2 sin²(πr/2n).
        let half = (std::f64::consts::PI * r as f64 / (2.0 * n as f64)).sin();
        let x = (sinh - 1.0).powi(2) / sinh + 2.0 * half * half;
        // γ = arcosh(1 + x), with derivative 1/√(x(2 + x)).
        let root = (x * (2.0 + x)).sqrt();
        c.map([(x + root).ln_1p(), 1.0 / root, -(1.0 + x) / (root * root * root)])
    };
    let nothing = Jet([0.0; 3]);
    let over = |parity: usize, of: fn(Jet) -> Jet| {
        let rest = (0..n).map(|i| 2 * i + parity).filter(|r| *r > 0);
        rest.map(|r| of(gamma(r).times(m / 2.0))).fold(nothing, Jet::plus)
    };
    let half = zero.times(m / 2.0);
    // The four products as logarithms, but for the factor of γ_0, which may vanish: that is the value next to each, over the exponential of |Mγ_0/2|.
    let scale = half.0[0].abs();
    let (up, down) = ((half.0[0] - scale).exp(), (-half.0[0] - scale).exp());
    let of_zero = |sign: f64| {
        let (f, df) = (up + sign * down, up - sign * down);
        Jet([f, df * half.0[1], f * half.0[1].powi(2) + df * half.0[2]])
    };
    let one = Jet([1.0, 0.0, 0.0]);
    let shift = |jet: Jet| Jet([jet.0[0] + scale, jet.0[1], jet.0[2]]);
    let products = [
        (over(1, Jet::ln_cosh), one),
        (over(1, Jet::ln_sinh), one),
        (shift(over(0, Jet::ln_cosh)), of_zero(1.0)),
        (shift(over(0, Jet::ln_sinh)), of_zero(-1.0)),
    ];
    let top = products.iter().map(|(log, _)| log.0[0]).fold(f64::NEG_INFINITY, f64::max);
    let mut sum = [0.0; 3];
    for (Jet([log, d, dd]), Jet([f, df, ddf])) in products {
        let weight = (log - top).exp();
        sum[0] += weight * f;
        sum[1] += weight * (f * d + df);
        sum[2] += weight * (f * (dd + d * d) + 2.0 * df * d + ddf);
    }
    let (first, second) = (sum[1] / sum[0], sum[2] / sum[0]);
    // ln (2 sinh 2K)^{mn/2} has the derivatives mn coth 2K and −2mn/sinh² 2K.
    let energy = -(first + sites * cosh / sinh) / sites;
    let heat = k * k * (second - first * first - 2.0 * sites / (sinh * sinh)) / sites;
    // Differences of large numbers: what is left of a heat of nothing may be below 0.
    (energy, heat.max(0.0))
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

    /// Energy and specific heat of a site by all configurations.
    fn enumerated(rows: usize, cols: usize, temperature: f64) -> (f64, f64) {
        let lattice = super::super::Lattice::new(rows, cols, super::super::Boundary::Periodic).unwrap();
        let bonds: Vec<_> = lattice.bonds().collect();
        let (mut z, mut first, mut second) = (0.0, 0.0, 0.0);
        for code in 0u32..1 << (rows * cols) {
            let agree = bonds.iter().filter(|(u, v)| (code >> u ^ code >> v) & 1 == 0).count() as f64;
            let energy = bonds.len() as f64 - 2.0 * agree;
            let weight = (-(energy + bonds.len() as f64) / temperature).exp();
            z += weight;
            first += weight * energy;
            second += weight * energy * energy;
        }
        let (mean, sites) = (first / z, (rows * cols) as f64);
        (mean / sites, (second / z - mean * mean) / (temperature * temperature * sites))
    }

    #[test]
    fn finite_tori_are_as_enumerated() {
        for (rows, cols) in [(2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (4, 3), (4, 4), (1, 4), (5, 1)] {
            for temperature in [0.9, 1.7, critical_temperature(), 2.4, 5.0] {
                let (energy, heat) = torus((rows, cols), temperature);
                let (u, c) = enumerated(rows, cols, temperature);
                assert!((energy - u).abs() < 1e-10, "{rows}×{cols} at {temperature}: {energy} {u}");
                assert!((heat - c).abs() < 1e-8, "{rows}×{cols} at {temperature}: {heat} {c}");
            }
        }
        assert!(torus((0, 3), 1.0).0.is_nan() && torus((3, 3), -1.0).1.is_nan());
    }

    #[test]
    fn tori_that_are_nearly_frozen_have_the_energy_of_the_ground_state() {
        for temperature in [0.02, 0.011, 0.01, 0.0099, 0.0075, 0.005, 0.001, 1e-300] {
            for size in [(8, 8), (2, 3), (64, 64)] {
                let (energy, heat) = torus(size, temperature);
                assert!(
                    (energy + 2.0).abs() < 1e-12 && heat.abs() < 1e-8,
                    "{size:?} {temperature}: {energy} {heat}"
                );
            }
        }
    }

    #[test]
    fn large_tori_are_as_the_infinite_lattice() {
        for temperature in [1.5, 2.0, 2.1, 2.5, 3.0, 6.0] {
            let (energy, heat) = torus((400, 400), temperature);
            assert!((energy - energy_per_site(temperature)).abs() < 1e-9, "{temperature}: {energy}");
            // The specific heat is the slope of the energy.
            let step = 1e-4;
            let slope =
                (energy_per_site(temperature + step) - energy_per_site(temperature - step)) / (2.0 * step);
            assert!((heat - slope).abs() < 1e-5, "{temperature}: {heat} {slope}");
        }
        let (energy, _) = torus((1000, 1000), critical_temperature());
        assert!((energy + SQRT_2).abs() < 1e-3);
    }
}
