//! Constraint sets for the dictionary: their projections, and how they are named.
//!
//! | paper | here |
//! |---|---|
//! | convex `C` | [`ConvexSet`] |
//! | `C = C_1 ⊔ … ⊔ C_m` (A2) | [`DictionarySet::Union`] |
//! | `Π_S` | [`ColumnSet::project`], [`ConvexSet::project`] |

use crate::linalg::{Mat, Scalar};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A function that moves a point.
pub(crate) type Move = dyn Fn(&mut [f64]) + Send + Sync;

/// A projection given by the program that uses us.
///
/// ```
/// use ergodict::factor::{ColumnSet, sets::Projection};
/// use std::sync::Arc;
/// // Atoms whose entries sum to zero.
/// let centered = Projection {
///     name: "centered".to_owned(),
///     project: Arc::new(|x| {
///         let mean = x.iter().sum::<f64>() / x.len() as f64;
///         x.iter_mut().for_each(|x| *x -= mean);
///     }),
/// };
/// let mut atom = [1.0, 2.0, 6.0];
/// ColumnSet::User(centered).project(&mut atom);
/// assert_eq!(atom, [-2.0, -1.0, 3.0]);
/// ```
#[derive(Clone)]
pub struct Projection {
    /// What to call it in model files and messages.
    pub name: String,
    /// Maps a point to the nearest one of the set. For [`ColumnSet::User`] the point is one atom; for
    /// [`ConvexSet::User`] it is the whole dictionary, atom after atom.
    pub project: Arc<Move>,
}

impl std::fmt::Debug for Projection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Projection({})", self.name)
    }
}

/// A convex set that every atom must lie in by itself.
///
/// ```
/// use ergodict::factor::ColumnSet;
/// let mut atom = [3.0, 4.0, -5.0];
/// ColumnSet::NonnegBall { radius: 1.0 }.project(&mut atom);
/// assert!((atom[0] - 0.6f64).abs() < 1e-12 && atom[2] == 0.0);
/// let mut atom = [0.5, 0.7, -1.0];
/// ColumnSet::Simplex { sum: 1.0 }.project(&mut atom);
/// assert!((atom.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ColumnSet {
    /// `x ≥ 0` and `‖x‖ ≤ radius`: the default, with radius 1.
    NonnegBall {
        /// The largest norm of an atom.
        radius: f64,
    },
    /// `‖x‖ ≤ radius`.
    Ball {
        /// The largest norm of an atom.
        radius: f64,
    },
    /// `x ≥ 0` and `Σ x = sum`.
    Simplex {
        /// The sum of an atom's entries.
        sum: f64,
    },
    /// `lower ≤ x ≤ upper`.
    Box {
        /// The smallest entry.
        lower: f64,
        /// The largest entry.
        upper: f64,
    },
    /// `Σ |x| ≤ radius`.
    L1Ball {
        /// The largest sum of magnitudes.
        radius: f64,
    },
    /// No constraint. The theorem asks for a bounded set; pair it with `κ₁ > 0`.
    Free,
    /// A set given by its projection.
    User(Projection),
}

/// The set of a size.
type Make = fn(f64) -> ColumnSet;

/// The sets of atoms that text names, and what each is for a size.
const NAMED: [(&str, Make); 6] = [
    ("nonneg-ball", |radius| ColumnSet::NonnegBall { radius }),
    ("ball", |radius| ColumnSet::Ball { radius }),
    ("simplex", |sum| ColumnSet::Simplex { sum }),
    ("box", |upper| ColumnSet::Box { lower: 0.0, upper }),
    ("l1-ball", |radius| ColumnSet::L1Ball { radius }),
    ("free", |_| ColumnSet::Free),
];

impl Default for ColumnSet {
    fn default() -> Self {
        Self::NonnegBall { radius: 1.0 }
    }
}

impl ColumnSet {
    /// Replaces an atom by the nearest one in the set.
    pub fn project<T: Scalar>(&self, x: &mut [T]) {
        match self {
            Self::NonnegBall { radius } => {
                for x in x.iter_mut() {
                    *x = x.at_least(T::ZERO);
                }
                shrink(x, *radius);
            }
            Self::Ball { radius } => shrink(x, *radius),
            Self::Box { lower, upper } => {
                let (lower, upper) = (T::from_f64(*lower), T::from_f64(*upper));
                for x in x.iter_mut() {
                    *x = x.at_least(lower).at_most(upper);
                }
            }
            Self::Free => {}
            Self::Simplex { sum } => in_f64(x, |x| project_simplex(x, *sum)),
            Self::L1Ball { radius } => in_f64(x, |x| project_l1_ball(x, *radius)),
            Self::User(projection) => in_f64(x, |x| (projection.project)(x)),
        }
    }

    fn check(&self) -> Result<()> {
        let (name, size) = match self {
            Self::NonnegBall { radius } | Self::Ball { radius } | Self::L1Ball { radius } => {
                ("the radius of the dictionary set", *radius)
            }
            Self::Simplex { sum } => ("the sum of the simplex", *sum),
            Self::Box { lower, upper } => ("the width of the box", upper - lower),
            Self::Free | Self::User(_) => return Ok(()),
        };
        if size.is_finite() && size > 0.0 {
            Ok(())
        } else {
            Err(Error::parameter(name, size, "it must be a positive number"))
        }
    }
}

/// A convex set of dictionaries.
///
/// ```
/// use ergodict::{factor::ConvexSet, linalg::Mat};
/// let near = ConvexSet::Near { center: Mat::zeros(2, 2), radius: 1.0, nonnegative: false };
/// let mut w = Mat::from_fn(2, 2, |i, j| if i == j { 3.0 } else { 0.0 });
/// assert!((near.distance(&w) - (18f64.sqrt() - 1.0)).abs() < 1e-12);
/// near.project(&mut w);
/// assert!(near.distance(&w) < 1e-12);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ConvexSet {
    /// Every atom in the same set: solved atom by atom, fast.
    Columns(ColumnSet),
    /// `‖W − center‖_F ≤ radius`, and `W ≥ 0` if asked for.
    Near {
        /// The center, d×r.
        center: Mat<f64>,
        /// The largest distance from it.
        radius: f64,
        /// Whether entries must be nonnegative too. The center must be so then.
        nonnegative: bool,
    },
    /// A set given by the projection of a whole dictionary.
    User(Projection),
}

impl ConvexSet {
    /// Replaces a dictionary by the nearest one in the set.
    pub fn project(&self, w: &mut Mat<f64>) {
        match self {
            Self::Columns(set) => {
                for j in 0..w.cols() {
                    set.project(w.col_mut(j));
                }
            }
            Self::Near { center, radius, nonnegative } => project_near(w, center, *radius, *nonnegative),
            Self::User(projection) => {
                let mut flat: Vec<f64> = (0..w.cols()).flat_map(|j| w.col(j).to_vec()).collect();
                (projection.project)(&mut flat);
                for j in 0..w.cols() {
                    let rows = w.rows();
                    w.col_mut(j).copy_from_slice(&flat[j * rows..][..rows]);
                }
            }
        }
    }

    /// `‖W − Π(W)‖_F`: zero inside the set.
    pub fn distance(&self, w: &Mat<f64>) -> f64 {
        let mut projected = w.clone();
        self.project(&mut projected);
        difference_norm(w, &projected)
    }

    fn check(&self, d: usize, r: usize) -> Result<()> {
        match self {
            Self::Columns(set) => set.check(),
            Self::User(_) => Ok(()),
            Self::Near { center, radius, nonnegative } => {
                if (center.rows(), center.cols()) != (d, r) {
                    let found = format!("{}×{}", center.rows(), center.cols());
                    return Err(Error::shape("the center of a dictionary set", found, format!("{d}×{r}")));
                }
                if !(radius.is_finite() && *radius > 0.0) {
                    let expected = "it must be a positive number";
                    return Err(Error::parameter("the radius of a dictionary set", radius, expected));
                }
                let least = center.padded().iter().copied().fold(0.0, f64::min);
                if *nonnegative && least < 0.0 {
                    let expected = "a nonnegative set needs a nonnegative center";
                    return Err(Error::parameter("an entry of a center", least, expected));
                }
                Ok(())
            }
        }
    }
}

/// The set `C` that the dictionary must stay in.
///
/// ```
/// use ergodict::factor::{ConvexSet, DictionarySet};
/// use ergodict::linalg::Mat;
/// assert_eq!(DictionarySet::default().to_string(), "nonneg-ball");
/// let near = |x: f64| ConvexSet::Near { center: Mat::from_fn(1, 1, |_, _| x), radius: 1.0, nonnegative: false };
/// let union = DictionarySet::Union(vec![near(0.0), near(10.0)]);
/// assert_eq!(union.nearest(&Mat::from_fn(1, 1, |_, _| 8.0)), (1, 1.0));
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum DictionarySet {
    /// One convex set; the ellipsoid condition is redundant and never computed.
    Convex(ConvexSet),
    /// A disjoint union of convex sets, searched under the ellipsoid condition.
    Union(Vec<ConvexSet>),
}

impl Default for DictionarySet {
    fn default() -> Self {
        Self::NONNEGATIVE
    }
}

/// Equal as files would have them: sets given by a program are compared by name.
impl PartialEq for DictionarySet {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

crate::text::written_as_text!(DictionarySet);

impl From<ColumnSet> for DictionarySet {
    fn from(set: ColumnSet) -> Self {
        Self::Convex(ConvexSet::Columns(set))
    }
}

impl DictionarySet {
    /// Nonnegative atoms of norm at most 1.
    pub(crate) const NONNEGATIVE: Self =
        Self::Convex(ConvexSet::Columns(ColumnSet::NonnegBall { radius: 1.0 }));

    /// The names that text may give, each but `free` also with `:SIZE`.
    pub fn names() -> Vec<&'static str> {
        NAMED.iter().map(|(name, _)| *name).collect()
    }

    /// The convex pieces, one or several.
    pub(crate) fn pieces(&self) -> &[ConvexSet] {
        match self {
            Self::Convex(set) => std::slice::from_ref(set),
            Self::Union(sets) => sets,
        }
    }

    /// The index of the piece nearest to `W`, and its distance.
    pub fn nearest(&self, w: &Mat<f64>) -> (usize, f64) {
        let distances = self.pieces().iter().map(|set| set.distance(w));
        distances.enumerate().fold((0, f64::INFINITY), |best, (i, x)| if x < best.1 { (i, x) } else { best })
    }

    /// Replaces a dictionary by its projection onto the nearest piece; returns which one that was.
    pub fn project(&self, w: &mut Mat<f64>) -> usize {
        let (piece, _) = self.nearest(w);
        if let Some(set) = self.pieces().get(piece) {
            set.project(w);
        }
        piece
    }

    pub(super) fn check(&self, d: usize, r: usize) -> Result<()> {
        if self.pieces().is_empty() {
            return Err(Error::parameter("the union of dictionary sets", "empty", "it must have a member"));
        }
        self.pieces().iter().try_for_each(|set| set.check(d, r))
    }
}

/// How the names of sets begin that no name describes.
pub(crate) const PROGRAM_GIVEN: &str = "program-given";

impl std::fmt::Display for DictionarySet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, size, usual) = match self {
            Self::Convex(ConvexSet::Columns(set)) => match set {
                ColumnSet::NonnegBall { radius } => ("nonneg-ball", *radius, 1.0),
                ColumnSet::Ball { radius } => ("ball", *radius, 1.0),
                ColumnSet::Simplex { sum } => ("simplex", *sum, 1.0),
                ColumnSet::L1Ball { radius } => ("l1-ball", *radius, 1.0),
                ColumnSet::Box { lower, upper } if *lower == 0.0 => ("box", *upper, 1.0),
                ColumnSet::Box { lower, upper } => return write!(f, "box:{lower}:{upper}"),
                ColumnSet::Free => return write!(f, "free"),
                ColumnSet::User(p) => return write!(f, "{PROGRAM_GIVEN} ({})", p.name),
            },
            Self::Convex(ConvexSet::User(p)) => return write!(f, "{PROGRAM_GIVEN} ({})", p.name),
            Self::Convex(ConvexSet::Near { radius, .. }) => {
                return write!(f, "{PROGRAM_GIVEN} (near a center, radius {radius})");
            }
            Self::Union(sets) => return write!(f, "{PROGRAM_GIVEN} (union of {} sets)", sets.len()),
        };
        if size == usual { write!(f, "{name}") } else { write!(f, "{name}:{size}") }
    }
}

impl std::str::FromStr for DictionarySet {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = || {
            let expected = format!("it must be one of {}, also with :SIZE", Self::names().join(", "));
            Error::parameter("the dictionary set", format!("\"{text}\""), expected)
        };
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let numbers: Vec<f64> = parts.map(|p| p.parse().map_err(|_| bad())).collect::<Result<_>>()?;
        let size = match numbers[..] {
            [] => 1.0,
            [size] => size,
            [lower, upper] if name == "box" => {
                let set = ColumnSet::Box { lower, upper };
                set.check()?;
                return Ok(set.into());
            }
            _ => return Err(bad()),
        };
        let (_, make) = NAMED.iter().find(|(known, _)| *known == name).ok_or_else(bad)?;
        let set = make(size);
        if matches!(set, ColumnSet::Free) && !numbers.is_empty() {
            return Err(bad());
        }
        set.check()?;
        Ok(set.into())
    }
}

/// `‖V − W‖_F`.
pub(super) fn difference_norm(v: &Mat<f64>, w: &Mat<f64>) -> f64 {
    v.padded().iter().zip(w.padded()).map(|(v, w)| (v - w) * (v - w)).sum::<f64>().sqrt()
}

fn in_f64<T: Scalar>(x: &mut [T], project: impl FnOnce(&mut [f64])) {
    let mut wide: Vec<f64> = x.iter().map(|x| x.to_f64()).collect();
    project(&mut wide);
    for (x, wide) in x.iter_mut().zip(wide) {
        *x = T::from_f64(wide);
    }
}

/// Scales a vector into the ball, in a way that neither overflows nor loses small entries.
fn shrink<T: Scalar>(x: &mut [T], radius: f64) {
    let largest = x.iter().fold(0.0f64, |a, x| a.max(x.to_f64().abs()));
    if largest == 0.0 {
        return;
    }
    let norm = largest * x.iter().map(|x| (x.to_f64() / largest).powi(2)).sum::<f64>().sqrt();
    if norm > radius {
        let factor = T::from_f64(radius / norm);
        for x in x.iter_mut() {
            *x *= factor;
        }
    }
}

/// Onto `{x ≥ 0, Σ x = sum}`: subtract the one number that makes the clipped sum right.
pub(crate) fn project_simplex(x: &mut [f64], sum: f64) {
    let mut falling = x.to_vec();
    falling.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut total, mut shift) = (0.0, 0.0);
    for (count, value) in (1..).zip(&falling) {
        total += value;
        let candidate = (total - sum) / f64::from(count);
        if *value <= candidate {
            break;
        }
        shift = candidate;
    }
    for x in x.iter_mut() {
        *x = (*x - shift).max(0.0);
    }
}

/// Onto `{Σ |x| ≤ radius}`.
fn project_l1_ball(x: &mut [f64], radius: f64) {
    if x.iter().map(|x| x.abs()).sum::<f64>() <= radius {
        return;
    }
    let mut magnitudes: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    project_simplex(&mut magnitudes, radius);
    for (x, magnitude) in x.iter_mut().zip(magnitudes) {
        *x = magnitude.copysign(*x);
    }
}

/// Onto `{‖W − C‖ ≤ ρ}`, cut with `W ≥ 0` if asked for. With a multiplier `μ` on the ball the solution is
/// `max((v + μc)/(1 + μ), 0)`; its distance from `C` falls with `μ`, so bisect.
fn project_near(w: &mut Mat<f64>, center: &Mat<f64>, radius: f64, nonnegative: bool) {
    let at = |share: f64| -> Mat<f64> {
        // share = μ/(1 + μ) ∈ [0, 1).
        let mut out = w.clone();
        for (x, c) in out.padded_mut().iter_mut().zip(center.padded()) {
            *x += share * (c - *x);
            if nonnegative {
                *x = x.max(0.0);
            }
        }
        out
    };
    let plain = at(0.0);
    if difference_norm(&plain, center) <= radius {
        *w = plain;
        return;
    }
    if !nonnegative {
        // From the center outwards: from far away inwards the ball would be met only to the rounding of the way.
        let factor = radius / difference_norm(w, center);
        for (x, c) in w.padded_mut().iter_mut().zip(center.padded()) {
            *x = c + factor * (*x - c);
        }
        return;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if difference_norm(&at(middle), center) <= radius { high = middle } else { low = middle }
    }
    *w = at(high);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_as_they_are_written_and_sizes_are_positive() {
        for text in [
            "nonneg-ball",
            "nonneg-ball:2",
            "ball:0.5",
            "ball",
            "simplex",
            "simplex:3",
            "l1-ball:4",
            "box",
            "box:2",
            "box:-1:0.5",
            "free",
        ] {
            assert_eq!(text.parse::<DictionarySet>().unwrap().to_string(), text);
        }
        assert_eq!("box:0:2".parse::<DictionarySet>().unwrap().to_string(), "box:2");
        assert_eq!("ball:1".parse::<DictionarySet>().unwrap().to_string(), "ball");
        for text in [
            "",
            "bal",
            "ball:0",
            "ball:-1",
            "ball:inf",
            "ball:1:2",
            "box:1:1",
            "box:2:1",
            "box:0:1:2",
            "free:1",
            "l1-ball:x",
            "simplex:nan",
        ] {
            assert!(text.parse::<DictionarySet>().is_err(), "{text}");
        }
        let named = |set: ConvexSet| DictionarySet::Convex(set).to_string();
        let near = |radius, entry| {
            let center = Mat::from_fn(2, 3, |i, j| if i + j == 0 { entry } else { 1.0 });
            ConvexSet::Near { center, radius, nonnegative: entry <= 0.0 }
        };
        assert_eq!(named(near(0.5, 1.0)), "program-given (near a center, radius 0.5)");
        let union = DictionarySet::Union(vec![near(0.5, 1.0), near(2.0, 1.0)]);
        assert_eq!(union.to_string(), "program-given (union of 2 sets)");
        let check = |set: ConvexSet, d, r| DictionarySet::Convex(set).check(d, r).is_ok();
        assert!(check(near(0.5, 1.0), 2, 3) && check(near(0.5, 0.0), 2, 3));
        assert!(
            !check(near(0.5, 1.0), 3, 2) && !check(near(0.5, 1.0), 2, 2) && !check(near(0.5, -1e-9), 2, 3)
        );
        assert!(!check(near(0.0, 1.0), 2, 3) && !check(near(f64::INFINITY, 1.0), 2, 3));
        assert!(union.check(2, 3).is_ok() && union.check(2, 4).is_err());
        assert!(DictionarySet::Union(Vec::new()).check(2, 3).is_err());
    }

    #[test]
    fn projections_of_known_points_are_the_nearest() {
        let onto = |text: &str, x: &[f64]| {
            let Ok(DictionarySet::Convex(set)) = text.parse::<DictionarySet>() else { panic!("{text}") };
            let mut w = Mat::from_fn(x.len(), 1, |i, _| x[i]);
            set.project(&mut w);
            w.col(0).to_vec()
        };
        for (text, x, expected) in [
            ("nonneg-ball", [3.0, 4.0, -5.0], [0.6, 0.8, 0.0]),
            ("nonneg-ball", [0.6, 0.8, 0.0], [0.6, 0.8, 0.0]),
            ("nonneg-ball:10", [3.0, 4.0, -5.0], [3.0, 4.0, 0.0]),
            ("ball:2", [0.0, -4.0, 3.0], [0.0, -1.6, 1.2]),
            ("ball", [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
            ("box:-1:0.5", [-2.0, 0.25, 2.0], [-1.0, 0.25, 0.5]),
            ("free", [-2.0, 0.25, 2.0], [-2.0, 0.25, 2.0]),
            ("simplex", [1.0, 1.0, 1.0], [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]),
            ("simplex", [3.0, 2.5, 0.0], [0.75, 0.25, 0.0]),
            ("simplex:2", [0.0, 0.0, 9.0], [0.0, 0.0, 2.0]),
            ("simplex:2", [-1.0, 0.0, -3.0], [0.5, 1.5, 0.0]),
            ("l1-ball:2", [0.5, -1.0, 0.5], [0.5, -1.0, 0.5]),
            ("l1-ball:2", [0.0, -3.0, 2.5], [0.0, -1.25, 0.75]),
        ] {
            let found = onto(text, &x);
            let far = found.iter().zip(&expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(far < 1e-12, "{text}, {x:?}: {found:?}");
        }
        // Sizes whose squares are out of range.
        assert!((onto("ball", &[3e200, 4e200])[1] - 0.8).abs() < 1e-12);
        assert_eq!(onto("ball", &[3e-200, 4e-200]), [3e-200, 4e-200]);
        let near = |nonnegative| ConvexSet::Near {
            center: Mat::from_fn(2, 1, |_, _| 1.0),
            radius: 5.0,
            nonnegative,
        };
        let of = |set: &ConvexSet, x: [f64; 2]| {
            let mut w = Mat::from_fn(2, 1, |i, _| x[i]);
            set.project(&mut w);
            [w.get(0, 0), w.get(1, 0)]
        };
        assert_eq!(of(&near(false), [4.0, 5.0]), [4.0, 5.0]);
        let far = of(&near(false), [7.0, 9.0]);
        assert!((far[0] - 4.0).abs() < 1e-12 && (far[1] - 5.0).abs() < 1e-12, "{far:?}");
        assert_eq!(of(&near(true), [4.0, -5.0]), [4.0, 0.0]);
        let cut = of(&near(true), [-100.0, 100.0]);
        assert!(cut[0] == 0.0 && (cut[1] - 1.0 - 24f64.sqrt()).abs() < 1e-9, "{cut:?}");
        let w = Mat::from_fn(2, 1, |_, _| 7.0);
        assert!((near(false).distance(&w) - (72f64.sqrt() - 5.0)).abs() < 1e-12);
        // The first of pieces that are equally near.
        let one = |center: f64| ConvexSet::Near {
            center: Mat::from_fn(1, 1, |_, _| center),
            radius: 1.0,
            nonnegative: false,
        };
        let union = DictionarySet::Union(vec![one(0.0), one(10.0), one(20.0)]);
        for (x, piece, distance) in
            [(5.0, 0, 4.0), (5.5, 1, 3.5), (10.0, 1, 0.0), (15.0, 1, 4.0), (30.0, 2, 9.0)]
        {
            let mut w = Mat::from_fn(1, 1, |_, _| x);
            assert_eq!(union.nearest(&w), (piece, distance));
            assert_eq!(union.project(&mut w), piece);
            assert_eq!((w.get(0, 0) - x).abs(), distance);
        }
    }
}
