//! Dense matrices, products and SIMD kernels: the only place that names the linear-algebra crates
//! (`products` for the kernels of products, `simd` for pulp).

pub(crate) mod eigen;
pub(crate) mod fft;
mod mat;
mod prefetch;
pub(crate) mod products;
mod scalar;
pub(crate) mod simd;
pub(crate) mod vectors;

pub use mat::{Mat, MatRef};
pub(crate) use prefetch::prefetch;
pub use scalar::Scalar;
pub use simd::Isa;
