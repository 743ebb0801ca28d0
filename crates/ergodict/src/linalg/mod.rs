//! Dense matrices, products and SIMD kernels: the only place that names the linear-algebra crates.

mod mat;
mod scalar;

pub use mat::{Mat, MatRef};
pub use scalar::Scalar;
