//! Configurations and images as one number a place: what stands there, and how far it is off.

use ergodict::patch::Encoding;

/// How far each place is from the truth: the largest difference over its channels.
pub fn off(values: &[f64], truth: &[f64], channels: usize) -> Vec<f64> {
    let one = |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    values.chunks_exact(channels).zip(truth.chunks_exact(channels)).map(one).collect()
}

/// What is drawn for each site of an encoded configuration: its number, or the nearest label where channels stand for
/// labels.
pub fn shown(values: &[f64], encoding: &Encoding) -> Vec<f64> {
    let channels = encoding.channels();
    let one = |v: &[f64]| if channels > 1 { f64::from(encoding.decode(v)) } else { v[0] };
    values.chunks_exact(channels).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ergodict::chain::Alphabet;
    use ergodict::patch::SpinValues;

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
    }
}
