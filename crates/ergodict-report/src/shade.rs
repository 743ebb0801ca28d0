//! Numbers to colors.
//!
//! All maps can be distinguished by color-blind readers: they run through lightness, or between Okabe & Ito's colors.
//! Entries that are not finite are transparent. Maps of more than one hue have at most 253 steps, so that with a ground
//! and the transparent color they fit the palette of a PNG file, a third of the bytes of RGB.

use crate::error::PictureError;

/// Ends of the diverging map.
const NEGATIVE: [u8; 3] = [0x00, 0x72, 0xb2];
const POSITIVE: [u8; 3] = [0xd5, 0x5e, 0x00];

/// Middle and end of the map of errors, which begins at white; each is darker than the last.
const HEAT: [[u8; 3]; 2] = [[0xe6, 0x8a, 0x1e], [0x66, 0x0a, 0x2a]];

const WHITE: [u8; 3] = [255; 3];

/// Colors of the labels 1, 2, …: Okabe & Ito's, with a dark gray for black.
const LABELS: [[u8; 3]; 8] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0xf0, 0xe4, 0x42],
    [0x40, 0x40, 0x40],
];

/// Colors of the directions right, up, left and down, between which all others lie: opposite ones differ in hue or in lightness.
const DIRECTIONS: [[u8; 3]; 4] =
    [[0xd5, 0x5e, 0x00], [0xf0, 0xe4, 0x42], [0x00, 0x72, 0xb2], [0x40, 0x40, 0x40]];

/// Directions that have a color of their own.
pub(crate) const OWN_DIRECTIONS: usize = 128;

/// Labels with a color of their own: white, the eight colors, their dark and their light versions.
pub(crate) const OWN_LABELS: usize = 1 + 3 * LABELS.len();

/// How entries become colors.
///
/// ```
/// use ergodict_report::{Picture, PictureError, Shade};
/// let picture = |values, shade| Picture::new(values, (1, 3), shade).png(1);
/// assert_eq!(&picture(&[0.0, 0.5, 1.0], Shade::Ink { low: 0.0, high: 1.0 })?[1..4], b"PNG");
/// // Labels are whole numbers from 0 on.
/// assert!(matches!(picture(&[0.0, 0.5, 1.0], Shade::Labels), Err(PictureError::Label { .. })));
/// # Ok::<(), ergodict_report::PictureError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shade {
    /// Ink on paper: `low` (and below) is white, `high` (and above) black. For atoms and spins; 1 channel.
    Ink {
        /// What is white.
        low: f64,
        /// What is black.
        high: f64,
    },
    /// A photograph: `low` (and below) is black, `high` (and above) white; 1 channel.
    Photo {
        /// What is black.
        low: f64,
        /// What is white.
        high: f64,
    },
    /// Blue below zero, white at zero, orange above; full at ±`full`; 1 channel.
    Signed {
        /// The distance from zero that gets the full color.
        full: f64,
    },
    /// White at zero (and below) over orange to dark red at `full`, for maps of errors; 1 channel.
    Heat {
        /// What gets the darkest color.
        full: f64,
    },
    /// Red, green and blue between 0 and 1; 3 channels.
    Rgb,
    /// Labels 0, 1, 2, …: 0 is white, and 24 colors follow in turn; 1 channel.
    Labels,
    /// Angles in radians: 0 is orange, π/2 yellow, π blue and −π/2 dark, with 128 colors around the circle; 1 channel.
    Angle,
}

impl Shade {
    /// The numbers with the first and the last color, where colors stand for numbers and are no photograph.
    pub(crate) fn ends(self) -> Option<(f64, f64)> {
        let ends = match self {
            Self::Ink { low, high } => (low, high),
            Self::Signed { full } => (-full, full),
            Self::Heat { full } => (0.0, full),
            _ => return None,
        };
        (ends.0 < ends.1).then_some(ends)
    }

    /// The color of each place of `values`, whose channels stand together.
    pub(crate) fn colors(self, values: &[f64], channels: usize) -> Result<Vec<[u8; 4]>, PictureError> {
        match (self, channels) {
            (Self::Rgb, 3) => {}
            (Self::Rgb, _) => return Err(PictureError::Channels { channels, needed: "RGB needs 3" }),
            (_, 1) => {}
            _ => return Err(PictureError::Channels { channels, needed: "all but RGB and labels need 1" }),
        }
        match self {
            Self::Ink { low, high } => gray(values, (low, high), (255.0, 0.0)),
            Self::Photo { low, high } => gray(values, (low, high), (0.0, 255.0)),
            Self::Signed { full } => {
                ordered(0.0, full)?;
                Ok(each(values, |v| {
                    let part = steps(part(v, full), 126.0);
                    mix(WHITE, if part < 0.0 { NEGATIVE } else { POSITIVE }, part.abs())
                }))
            }
            Self::Heat { full } => {
                ordered(0.0, full)?;
                Ok(each(values, |v| match 2.0 * steps(part(v, full).max(0.0), 252.0) {
                    twice if twice < 1.0 => mix(WHITE, HEAT[0], twice),
                    twice => mix(HEAT[0], HEAT[1], twice - 1.0),
                }))
            }
            Self::Angle => Ok(each(values, |v| direction(direction_index(v)))),
            Self::Rgb => Ok(values.chunks_exact(3).map(|v| rgb([v[0], v[1], v[2]])).collect()),
            Self::Labels => {
                let color = |(entry, &value): (usize, &f64)| match value {
                    v if !v.is_finite() => Ok([0; 4]),
                    v if v < 0.0 || v.fract() != 0.0 => {
                        Err(PictureError::Label { entry, value, needed: "a label: a whole number from 0" })
                    }
                    v => Ok(opaque(label(v as usize))),
                };
                values.iter().enumerate().map(color).collect()
            }
        }
    }
}

/// How the entries of atoms become colors; each atom is scaled by itself.
///
/// ```
/// use ergodict_report::Color;
/// assert_eq!(Color::for_atoms(&[vec![0.0, 1.0]]), Color::Gray);
/// assert_eq!(Color::for_atoms(&[vec![-0.5, 1.0]]), Color::Signed);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// White at zero and below, black at the largest entry of the atom; 1 channel.
    #[default]
    Gray,
    /// Blue below zero, white at zero, orange above; full at the largest absolute entry of the atom; 1 channel.
    Signed,
    /// As a photograph: zero is black and the largest entry of the atom white; where the dictionary has negative entries,
    /// zero is mid-gray and the largest absolute entry white or black; 1 channel.
    Photo,
    /// Red, green and blue; 3 channels. Where no entry of the dictionary is negative, zero is black and the largest entry
    /// of the atom full, as in a photograph; else zero is mid-gray, and the largest absolute entry is full or black.
    Rgb,
    /// Weights of the labels 0, 1, 2, …, one channel for each: the colors of [`Shade::Labels`] over white, mixed by the
    /// weights. The place with the largest sum of weights gets the full color; negative weights count as zero.
    Labels,
    /// Vectors of two components: the colors of [`Shade::Angle`] over white; the longest vector of the atom gets the full color; 2 channels.
    Vectors,
}

impl Color {
    /// [`Color::Signed`] when any entry is negative, else [`Color::Gray`].
    pub fn for_atoms(atoms: &[Vec<f64>]) -> Self {
        if any_negative(atoms) { Self::Signed } else { Self::Gray }
    }

    /// The color of each place of `atom`; `signed` when any atom of the dictionary has negative entries.
    pub(crate) fn colors(
        self,
        atom: &[f64],
        channels: usize,
        signed: bool,
    ) -> Result<Vec<[u8; 4]>, PictureError> {
        let full = largest(atom);
        match self {
            Self::Gray => {
                let high = atom.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
                Shade::Ink { low: 0.0, high }.colors(atom, channels)
            }
            Self::Signed => Shade::Signed { full }.colors(atom, channels),
            Self::Photo | Self::Rgb => {
                let shade = if self == Self::Rgb { Shade::Rgb } else { Shade::Photo { low: 0.0, high: 1.0 } };
                let lift = |&v: &f64| match (v.is_finite(), signed) {
                    (false, _) => v,
                    (true, false) => part(v, full),
                    (true, true) => 0.5 + 0.5 * part(v, full),
                };
                shade.colors(&atom.iter().map(lift).collect::<Vec<_>>(), channels)
            }
            Self::Vectors if channels != 2 => {
                Err(PictureError::Channels { channels, needed: "vectors need 2" })
            }
            Self::Vectors => {
                let full = atom.chunks_exact(2).map(|v| v[0].hypot(v[1])).filter(|v| v.is_finite());
                let full = full.fold(0.0, f64::max);
                let color = |v: &[f64]| match v[0].hypot(v[1]) {
                    length if length.is_finite() => {
                        let own = direction(direction_index(v[1].atan2(v[0])));
                        opaque(mix(WHITE, own, steps(part(length, full), 32.0)))
                    }
                    _ => [0; 4],
                };
                Ok(atom.chunks_exact(2).map(color).collect())
            }
            Self::Labels => {
                let places = || atom.chunks_exact(channels.max(1));
                let sum = |place: &[f64]| place.iter().map(|v| v.max(0.0)).sum::<f64>();
                let full = places().map(sum).filter(|w| w.is_finite()).fold(0.0, f64::max);
                Ok(places().map(|place| mixed(place, full)).collect())
            }
        }
    }
}

/// The colors of the labels over white by their weights, of which `full` cover all of the white.
fn mixed(place: &[f64], full: f64) -> [u8; 4] {
    if place.iter().any(|v| !v.is_finite()) {
        return [0; 4];
    }
    let mut color = [255.0; 3];
    for (k, &weight) in place.iter().enumerate() {
        for (c, &target) in color.iter_mut().zip(&label(k)) {
            *c += part(weight, full).max(0.0) * (f64::from(target) - 255.0);
        }
    }
    opaque(color.map(|c: f64| c.round().clamp(0.0, 255.0) as u8))
}

/// The color of a label.
pub(crate) fn label(k: usize) -> [u8; 3] {
    let Some(k) = k.checked_sub(1) else { return WHITE };
    let color = LABELS[k % LABELS.len()];
    match k / LABELS.len() % 3 {
        0 => color,
        1 => mix(color, [0; 3], 0.45),
        _ => mix(color, WHITE, 0.55),
    }
}

/// The place of an angle among the directions that have a color.
pub(crate) fn direction_index(angle: f64) -> usize {
    let turns = (angle / std::f64::consts::TAU).rem_euclid(1.0);
    (turns * OWN_DIRECTIONS as f64).round() as usize % OWN_DIRECTIONS
}

/// The color of a direction.
pub(crate) fn direction(index: usize) -> [u8; 3] {
    let quarter = OWN_DIRECTIONS / DIRECTIONS.len();
    let (from, to) = (index / quarter, index / quarter + 1);
    mix(DIRECTIONS[from % 4], DIRECTIONS[to % 4], (index % quarter) as f64 / quarter as f64)
}

/// Whether any entry is negative.
pub(crate) fn any_negative(atoms: &[Vec<f64>]) -> bool {
    atoms.iter().flatten().any(|&v| v < 0.0)
}

/// The largest absolute value of the finite entries.
pub(crate) fn largest(atom: &[f64]) -> f64 {
    atom.iter().filter(|v| v.is_finite()).map(|v| v.abs()).fold(0.0, f64::max)
}

fn ordered(low: f64, high: f64) -> Result<(), PictureError> {
    let fine = low.is_finite() && high.is_finite() && low <= high;
    if fine { Ok(()) } else { Err(PictureError::Scale { low, high }) }
}

/// Grays between the `ends` for values from `low` to `high`; without any room between these, a step above them.
fn gray(values: &[f64], (low, high): (f64, f64), ends: (f64, f64)) -> Result<Vec<[u8; 4]>, PictureError> {
    ordered(low, high)?;
    // Halved, for the difference of two finite numbers may be infinite.
    let width = high / 2.0 - low / 2.0;
    let part = |v: f64| {
        if width > 0.0 {
            ((v / 2.0 - low / 2.0) / width).clamp(0.0, 1.0)
        } else {
            f64::from(u8::from(v > low))
        }
    };
    Ok(each(values, |v| [(ends.0 + part(v) * (ends.1 - ends.0)).round() as u8; 3]))
}

/// `v` as a part of `full`, between −1 and 1.
fn part(v: f64, full: f64) -> f64 {
    if full > 0.0 { (v / full).clamp(-1.0, 1.0) } else { 0.0 }
}

/// `part` rounded to a multiple of 1/`count`.
fn steps(part: f64, count: f64) -> f64 {
    (part * count).round() / count
}

fn each(values: &[f64], color: impl Fn(f64) -> [u8; 3]) -> Vec<[u8; 4]> {
    values.iter().map(|&v| if v.is_finite() { opaque(color(v)) } else { [0; 4] }).collect()
}

fn rgb(v: [f64; 3]) -> [u8; 4] {
    if v.iter().all(|c| c.is_finite()) {
        opaque(v.map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8))
    } else {
        [0; 4]
    }
}

fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, 255]
}

/// The color `part` of the way.
pub(crate) fn mix(from: [u8; 3], to: [u8; 3], part: f64) -> [u8; 3] {
    let at = |k: usize| f64::from(from[k]) + part * (f64::from(to[k]) - f64::from(from[k]));
    std::array::from_fn(|k| at(k).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(shade: Shade, v: f64) -> [u8; 4] {
        shade.colors(&[v], 1).unwrap()[0]
    }

    #[test]
    fn shades_run_from_end_to_end() {
        let ink = Shade::Ink { low: 0.0, high: 2.0 };
        assert_eq!([-1.0, 0.0, 1.0, 2.0, 3.0].map(|v| one(ink, v)[0]), [255, 255, 128, 0, 0]);
        let photo = Shade::Photo { low: -1.0, high: 1.0 };
        assert_eq!([-2.0, -1.0, 0.0, 1.0, 9.0].map(|v| one(photo, v)[0]), [0, 0, 128, 255, 255]);
        let signed = Shade::Signed { full: 3.0 };
        assert_eq!([-3.0, 0.0, 9.0].map(|v| one(signed, v)), [NEGATIVE, WHITE, POSITIVE].map(opaque));
        let heat = Shade::Heat { full: 2.0 };
        assert_eq!([-1.0, 1.0, 2.0].map(|v| one(heat, v)), [WHITE, HEAT[0], HEAT[1]].map(opaque));
        assert_eq!(one(Shade::Heat { full: 0.0 }, 0.0), opaque(WHITE));
        for shade in [ink, photo, signed, heat, Shade::Labels, Shade::Angle] {
            assert_eq!([f64::NAN, f64::INFINITY].map(|v| one(shade, v)), [[0; 4]; 2], "{shade:?}");
        }
        let rgb = Shade::Rgb.colors(&[0.0, 2.0, 0.5, 0.0, f64::NAN, 0.0], 3).unwrap();
        assert_eq!(rgb, [[0, 255, 128, 255], [0; 4]]);
    }

    #[test]
    fn scales_without_width_or_order() {
        let flat = Shade::Ink { low: 1.0, high: 1.0 };
        assert_eq!([0.0, 1.0, 2.0].map(|v| one(flat, v)[0]), [255, 255, 0]);
        for shade in [
            Shade::Ink { low: 1.0, high: 0.0 },
            Shade::Photo { low: f64::NAN, high: 0.0 },
            Shade::Signed { full: -1.0 },
            Shade::Heat { full: f64::INFINITY },
        ] {
            assert!(matches!(shade.colors(&[0.0], 1), Err(PictureError::Scale { .. })), "{shade:?}");
        }
        let wide = Shade::Photo { low: f64::MIN, high: f64::MAX };
        assert_eq!([f64::MIN, 0.0, f64::MAX].map(|v| one(wide, v)[0]), [0, 128, 255]);
    }

    #[test]
    fn maps_with_hues_fit_a_palette() {
        for shade in [Shade::Signed { full: 1.0 }, Shade::Heat { full: 1.0 }] {
            let fine: Vec<f64> = (-9999..=9999).map(|k| f64::from(k) / 9999.0).collect();
            let mut colors = shade.colors(&fine, 1).unwrap();
            colors.sort_unstable();
            colors.dedup();
            assert!((200..=254).contains(&colors.len()), "{shade:?}: {}", colors.len());
        }
    }

    #[test]
    fn directions_go_around_the_circle() {
        use std::f64::consts::{FRAC_PI_2, PI, TAU};
        for (k, angle) in [0.0, FRAC_PI_2, PI, -FRAC_PI_2].into_iter().enumerate() {
            for turned in [angle, angle + TAU, angle - TAU] {
                assert_eq!(one(Shade::Angle, turned), opaque(DIRECTIONS[k]), "{turned}");
            }
        }
        let mut own: Vec<[u8; 3]> = (0..OWN_DIRECTIONS).map(direction).collect();
        own.sort_unstable();
        own.dedup();
        assert_eq!(own.len(), OWN_DIRECTIONS);
        let atom = [2.0, 0.0, 0.0, 0.0, 0.0, -1.0, f64::NAN, 0.0];
        let colors = Color::Vectors.colors(&atom, 2, true).unwrap();
        let half = opaque(mix(WHITE, DIRECTIONS[3], 0.5));
        assert_eq!(colors, [opaque(DIRECTIONS[0]), opaque(WHITE), half, [0; 4]]);
        assert!(Color::Vectors.colors(&atom, 1, true).is_err());
    }

    #[test]
    fn labels_have_colors_of_their_own() {
        let mut own: Vec<[u8; 3]> = (0..OWN_LABELS).map(label).collect();
        own.sort_unstable();
        own.dedup();
        assert_eq!((own.len(), label(0), label(OWN_LABELS)), (OWN_LABELS, WHITE, label(1)));
    }
}
