//! The two number types that everything is generic over.

/// `f32` or `f64`.
pub trait Scalar: Copy + Send + Sync + 'static + PartialOrd + Default + std::fmt::Debug {
    /// Its name in files and messages: `f32` or `f64`.
    const NAME: &'static str;
    /// Machine epsilon, as `f64`.
    const EPSILON: f64;
    /// Rounds an `f64` to this type.
    fn from_f64(x: f64) -> Self;
    /// Widens to `f64`, exactly.
    fn to_f64(self) -> f64;
}

impl Scalar for f32 {
    const NAME: &'static str = "f32";
    const EPSILON: f64 = f32::EPSILON as f64;
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Scalar for f64 {
    const NAME: &'static str = "f64";
    const EPSILON: f64 = f64::EPSILON;
    fn from_f64(x: f64) -> Self {
        x
    }
    fn to_f64(self) -> f64 {
        self
    }
}
