//! Dictionaries of interpretable atoms, learned online from *dependent* data.
//!
//! A Markov chain `Y_t` is observed as minibatches `X_t = φ(Y_t)`, and `X_t ≈ W H_t` is factorized
//! online: the method of Lyu, Needell and Balzano, *Online matrix factorization for Markovian data
//! and applications to Network Dictionary Learning*.
//!
//! The modules are listed in the order the data goes through them:
//!
//! ```text
//!  data ──► chain ──► patch ──────► factor ──► model ───► run ──────► reconstruct ────► denoise
//!  files    Y_t       X_t = φ(Y_t)  X_t ≈ W H  W, where   the        images, spins     false and
//!                                     │        it is      learning   and networks      missing
//!                                     │        from       loop       from their atoms  edges
//!                                   linalg  (products and SIMD kernels, under everything)
//! ```
//!
//! Where to begin: [`factor::Factorizer`] for samples of any kind, [`chain::Chain`] for a chain of one's own,
//! [`run::NetworkLearning`] for networks, [`reconstruct`] and [`denoise`] for what atoms are good for, [`model::Model`] for files.
//!
//! ```
//! use ergodict::factor::{Factorizer, FactorSettings};
//! use ergodict::linalg::MatRef;
//!
//! // Four samples of three features: numpy's (n, d) in C order is our d×n, column by column.
//! let samples = [1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 2.0, 0.0, 4.0, 0.0, 1.0, 0.0];
//! let x = MatRef::from_column_major(&samples, 3, 4)?;
//! let mut model = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0)?;
//! let seen = model.step(x)?;
//! assert!(seen.loss_before.is_finite() && model.dictionary().cols() == 2);
//! # Ok::<(), ergodict::Error>(())
//! ```
//!
//! Atoms of a network, its latent motifs, from random walks of five nodes:
//!
//! ```
//! use ergodict::chain::{ExactSampler, Motif};
//! use ergodict::{data::embedded, model::Model, run::NetworkLearning};
//!
//! let karate = std::sync::Arc::new(embedded("@karate")?);
//! let sampler = std::sync::Arc::new(ExactSampler::new(karate.clone(), &Motif::path(5)?)?);
//! let learned = NetworkLearning { steps: 50, ..NetworkLearning::new(9) }.learn::<f64>(&[(karate, sampler)], 0)?;
//! let (dominance, order) = Model::from_factorizer(&learned, "network", 0).dominance();
//! let first = learned.dictionary().col(order[0]); // the atom that is used most, 5×5 row by row
//! assert!(dominance[order[0]] > 1.0 / 9.0 && first[1] > first[0]);
//! # Ok::<(), ergodict::Error>(())
//! ```
//!
//! Samples are columns and features rows (`d×n`), the dictionary is `d×r`, codes are `r×n`. Everything is generic over `f32` and `f64` ([`linalg::Scalar`]).
//! Errors that input can cause are [`Error`]; the same seed gives the same bytes at any number of threads.
//!
//! No feature is on unless it is asked for:
//!
//! | feature | what it adds |
//! |---|---|
//! | `image` | `data::Image::open` (PNG, JPEG, PNM, TIFF), `save` and `png` (PNG) |
//! | `parquet` | `.parquet` files, as matrices and as tables of pairs |
//! | `clap` | settings as arguments of a command line |
//! | `fetch` | `data::fetch`: public networks from their publishers, by TLS |

pub mod chain;
#[cfg(test)]
#[path = "../tests/integration/common.rs"]
#[allow(dead_code, unreachable_patterns, reason = "shared with the tests of public items")]
mod common;
#[cfg(all(test, feature = "parquet"))]
mod damage_tests;
pub mod data;
pub mod denoise;
mod error;
pub mod factor;
pub mod linalg;
pub mod memory;
pub mod model;
mod note;
pub mod patch;
pub mod reconstruct;
pub mod rng;
pub mod run;
pub mod settings;
pub mod text;

#[cfg(test)]
extern crate self as ergodict;

pub use error::{Error, Hint, Result};
pub use note::Note;

/// The Rust of README.md and of the guide, as documentation tests; `cargo xtask guide` sees to it that no page with Rust is missing here.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../docs/own-chain.md")]
    mod own_chain {}
}
