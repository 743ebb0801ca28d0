//! Frames: the values at the sites of a configuration, row by row, which are small whole numbers or real numbers.

use std::borrow::Cow;

/// A frame of a trajectory.
///
/// ```
/// use ergodict::data::Frame;
/// let frame = Frame::from(&[0.5, -0.25][..]);
/// assert_eq!((frame.len(), frame.is_real()), (2, true));
/// assert_eq!(Frame::from(&[1i8, -1][..]).to_numbers(), [1.0, -1.0]);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum Frame<'a> {
    /// Spins, units or labels.
    Whole(Cow<'a, [i8]>),
    /// Angles, or the values of a field.
    Real(Cow<'a, [f64]>),
}

impl Default for Frame<'_> {
    /// No sites.
    fn default() -> Self {
        Self::Whole(Cow::Borrowed(&[]))
    }
}

impl<'a, V: SiteValue> From<&'a [V]> for Frame<'a> {
    fn from(values: &'a [V]) -> Self {
        V::frame(Cow::Borrowed(values))
    }
}

impl<V: SiteValue> From<Vec<V>> for Frame<'static> {
    fn from(values: Vec<V>) -> Self {
        V::frame(Cow::Owned(values))
    }
}

impl Frame<'_> {
    /// Number of sites.
    pub fn len(&self) -> usize {
        match self {
            Self::Whole(values) => values.len(),
            Self::Real(values) => values.len(),
        }
    }

    /// Whether there is no site.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the values are real numbers.
    pub fn is_real(&self) -> bool {
        matches!(self, Self::Real(_))
    }

    /// The values as numbers.
    pub fn to_numbers(&self) -> Vec<f64> {
        match self {
            Self::Whole(values) => values.iter().map(|value| f64::from(*value)).collect(),
            Self::Real(values) => values.to_vec(),
        }
    }

    /// The same frame, borrowed.
    pub fn borrow(&self) -> Frame<'_> {
        match self {
            Self::Whole(values) => Frame::Whole(Cow::Borrowed(values)),
            Self::Real(values) => Frame::Real(Cow::Borrowed(values)),
        }
    }

    /// The same frame with values of its own.
    pub fn into_owned(self) -> Frame<'static> {
        match self {
            Self::Whole(values) => values.into_owned().into(),
            Self::Real(values) => values.into_owned().into(),
        }
    }

    /// The values as `.npy` files and checkpoints have them.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Whole(values) => values.iter().map(|value| *value as u8).collect(),
            Self::Real(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        }
    }

    /// What a `.npy` header says of the values.
    pub(crate) fn descr(&self) -> &'static str {
        if self.is_real() { f64::DESCR } else { i8::DESCR }
    }
}

/// A value at a site: `i8` or `f64`.
///
/// ```
/// use ergodict::data::SiteValue;
/// assert_eq!(f64::from_bytes(&1.5f64.to_le_bytes()), Some(vec![1.5]));
/// assert_eq!(f64::from_bytes(&[0; 9]), None);
/// ```
pub trait SiteValue: Copy + PartialEq + Send + Sync + std::fmt::Debug + 'static {
    /// What a `.npy` header says of it.
    const DESCR: &'static str;

    /// A frame of such values.
    fn frame(values: Cow<'_, [Self]>) -> Frame<'_>;

    /// Values from their bytes; none where there are not enough for the last one.
    fn from_bytes(bytes: &[u8]) -> Option<Vec<Self>>;
}

impl SiteValue for i8 {
    const DESCR: &'static str = "|i1";

    fn frame(values: Cow<'_, [i8]>) -> Frame<'_> {
        Frame::Whole(values)
    }

    fn from_bytes(bytes: &[u8]) -> Option<Vec<i8>> {
        Some(bytes.iter().map(|&byte| byte as i8).collect())
    }
}

impl SiteValue for f64 {
    const DESCR: &'static str = "<f8";

    fn frame(values: Cow<'_, [f64]>) -> Frame<'_> {
        Frame::Real(values)
    }

    fn from_bytes(bytes: &[u8]) -> Option<Vec<f64>> {
        let (values, rest) = bytes.as_chunks::<8>();
        rest.is_empty().then(|| values.iter().map(|eight| f64::from_le_bytes(*eight)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_both_ways() {
        let (whole, real) = (vec![-128i8, 0, 127], vec![0.1, -f64::MIN_POSITIVE, 1e300]);
        assert_eq!(i8::from_bytes(&Frame::from(&*whole).to_bytes()), Some(whole));
        assert_eq!(f64::from_bytes(&Frame::from(&*real).to_bytes()), Some(real));
    }
}
