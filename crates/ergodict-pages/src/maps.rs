//! Configurations and images as one number a place: what stands there, in which color, and how far it is off.

use ergodict::chain::Alphabet;
use ergodict::patch::{Encoding, SpinValues};
use ergodict_report::Shade;

/// How far each place is from the truth: the largest difference over its channels.
pub fn off(values: &[f64], truth: &[f64], channels: usize) -> Vec<f64> {
    let one = |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    values.chunks_exact(channels).zip(truth.chunks_exact(channels)).map(one).collect()
}

/// How far places of encoded configurations are [`off`]: full color is as much as the numbers that stand for spins are apart, or the real
/// numbers of the configuration.
pub fn error_shade(encoding: &Encoding, truth: &[f64]) -> Shade {
    let full = match encoding.values() {
        SpinValues::ZeroOne | SpinValues::Borders | SpinValues::OneHot => 1.0,
        SpinValues::Signed | SpinValues::Vector => 2.0,
        SpinValues::Real => {
            let (low, high) =
                truth.iter().fold((0.0_f64, 0.0_f64), |(low, high), x| (low.min(*x), high.max(*x)));
            high - low
        }
    };
    Shade::Heat { full }
}

/// How the values of configurations are drawn.
pub fn shade(alphabet: Alphabet, values: &[f64]) -> Shade {
    match alphabet {
        Alphabet::PlusMinus => Shade::Ink { low: -1.0, high: 1.0 },
        Alphabet::ZeroOne => Shade::Ink { low: 0.0, high: 1.0 },
        Alphabet::Labels(_) => Shade::Labels,
        Alphabet::Angle => Shade::Angle,
        Alphabet::Real => signed(values),
    }
}

/// How what is [`shown`] of encoded configurations is drawn.
pub fn encoded_shade(encoding: &Encoding, shown: &[f64]) -> Shade {
    match encoding.values() {
        SpinValues::ZeroOne | SpinValues::Borders => Shade::Ink { low: 0.0, high: 1.0 },
        SpinValues::Signed => Shade::Ink { low: -1.0, high: 1.0 },
        SpinValues::OneHot => Shade::Labels,
        SpinValues::Vector => Shade::Angle,
        SpinValues::Real => signed(shown),
    }
}

/// Colors for numbers of both signs.
fn signed(values: &[f64]) -> Shade {
    let largest = values.iter().filter(|v| v.is_finite()).map(|v| v.abs()).fold(0.0, f64::max);
    Shade::Signed { full: largest }
}

/// What the colors of [`shade`] mean.
pub fn shade_words(alphabet: Alphabet) -> &'static str {
    match alphabet {
        Alphabet::PlusMinus | Alphabet::ZeroOne => "Black is 1.",
        Alphabet::Labels(_) => "Every label has a color; label 0 is white.",
        Alphabet::Angle => {
            "Colors are directions: orange is to the right (0), yellow up (π/2), blue to the left (π), dark down (−π/2), and all others lie between. \
             Where all colors meet in a point is a vortex."
        }
        Alphabet::Real => "Orange is positive, blue negative, white zero.",
    }
}

/// What is drawn for each site of an encoded configuration: its number, the nearest label where channels stand for
/// labels, or the angle of a vector.
pub fn shown(values: &[f64], encoding: &Encoding) -> Vec<f64> {
    let channels = encoding.channels();
    let one = |v: &[f64]| match encoding.values() {
        SpinValues::Vector => v[1].atan2(v[0]),
        _ if channels > 1 => f64::from(encoding.decode(v)),
        _ => v[0],
    };
    values.chunks_exact(channels).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_off_by_its_worst_channel() {
        assert_eq!(off(&[0.0, 1.0, 0.5, 0.25], &[0.0, 0.0, 0.75, 0.25], 2), [1.0, 0.25]);
        assert_eq!(off(&[0.0, -1.0], &[1.0, 1.0], 1), [1.0, 2.0]);
    }

    #[test]
    fn labels_are_shown_as_the_nearest() {
        let labels = Encoding::new(SpinValues::OneHot, Alphabet::Labels(3)).unwrap();
        assert_eq!(shown(&[0.2, 0.1, 0.9, 0.6, 0.1, 0.2], &labels), [2.0, 0.0]);
        let spins = Encoding::new(SpinValues::Signed, Alphabet::PlusMinus).unwrap();
        assert_eq!(shown(&[0.2, -0.7], &spins), [0.2, -0.7]);
        let angles = Encoding::new(SpinValues::Vector, Alphabet::Angle).unwrap();
        assert_eq!(shown(&[0.5, 0.0, 0.0, -2.0], &angles), [0.0, -std::f64::consts::FRAC_PI_2]);
    }
}
