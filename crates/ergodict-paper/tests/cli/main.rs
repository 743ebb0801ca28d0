//! The paper's experiments, run as users run them.

mod bench;
mod convergence;
mod denoising;
mod figures;
mod killed;
mod program;
