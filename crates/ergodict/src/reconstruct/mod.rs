//! Reconstruction: a whole picture or configuration put together from its patches, each rebuilt from atoms.

mod overlap;

pub use overlap::{Overlap, Reconstruction, psnr, relative_error, with_lambda};
