//! Data: where matrices come from, and how files are written.
//!
//! A matrix on disk has one sample a row; it is streamed in minibatches by [`MatrixStream`] and never loaded
//! whole. Files are written whole or not at all, by [`write_atomic`] and [`NpyWriter`].

mod batch;
mod feed;
mod npy;
mod npy_header;
mod npy_write;
pub(crate) mod npz;
mod npz_write;
mod open;
#[cfg(feature = "parquet")]
mod parquet;
mod stream;
mod text;
mod write;

pub use batch::Batch;
pub use feed::{Cursor, Feed, FeedOptions, WINDOW_BYTES, WINDOW_SAMPLES};
pub use npy_write::{NpyWriter, write_npy};
pub use npz_write::NpzWriter;
pub use open::{Input, open};
pub use stream::{MatrixFormat, MatrixStream, StreamOptions};
pub use write::write_atomic;
