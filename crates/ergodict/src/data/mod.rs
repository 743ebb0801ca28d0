//! Data: where matrices come from, and how files are written.
//!
//! A matrix on disk has one sample a row; it is streamed in minibatches by [`MatrixStream`] and never loaded
//! whole. Images are read by [`Image`], trajectories of spins frame by frame by [`Trajectory`]. Files are written whole or not at all, by [`write_atomic`] and [`NpyWriter`].

mod batch;
mod feed;
#[cfg(feature = "fetch")]
pub mod fetch;
mod frame;
mod image;
mod inputs;
mod lines;
mod lock;
mod network;
mod note;
mod npy;
mod npy_header;
mod npy_write;
pub(crate) mod npz;
mod npz_write;
mod open;
mod order;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_seal;
#[cfg(feature = "parquet")]
mod parquet_write;
mod partial;
mod sealed_line;
mod stream;
mod tessellation;
mod text;
mod trajectory;
mod write;

pub use batch::Batch;
pub use feed::{MatrixBatches, not_finite_words};
pub use frame::{Frame, SiteValue};
pub use image::Image;
#[cfg(feature = "image")]
pub use image::ImageNotes;
pub(crate) use inputs::{InputFile, MappedFile, forget};
pub use inputs::{Reading, check_inputs, read_whole, watch_inputs};
#[cfg(unix)]
pub use inputs::{cover_cut_off, cut_off_input, watch_maps};
pub(crate) use lines::Lines;
pub(crate) use lock::Lock;
pub(crate) use network::Sides;
pub use network::{Adjacency, Build, Components, Edge, EdgeCounts, Loops, Network, NodeIds, Rows};
pub use network::{
    Appearances, Change, ChangingNetwork, DEFAULT_WINDOWS, Differences, Duration, TimeColumn, TimeOptions,
    TimedDecisions, TimedEdges, Times, WindowCut, WindowOptions, WindowSettings, Windows, differences,
    parse_moment, parse_timed, read_timed,
};
pub use network::{Conversion, Converting, convert_network};
pub use network::{DEFAULT_PROPOSALS, rewired, rewired_until};
pub use network::{DegreeBin, Embedded, Spread, Summary, corrupt, embedded, embedded_names, generate};
pub use network::{Doubt, EdgeList, PairTable, TYPOGRAPHIC, read_edge_list, write_edge_list, write_name};
pub use network::{Header, TableColumns, TableForm, TableLabels, TableOptions, TimedColumns};
pub use network::{
    NetworkFormat, ReadDecisions, ReadOptions, ReadSettings, Reason, Weights, parse_network, read_network,
};
pub(crate) use network::{Pairs, PermutedTimes, non_edges, pair_bits};
pub use network::{Saved, check_network_name, write_network, write_network_with_note};
pub use network::{WeightScale, WeightSettings};
pub use note::{ascii_json, open_note, png_with_note, read_note};
pub use npy_write::{NpyWriter, npy_header, write_npy};
pub use npz_write::NpzWriter;
pub use open::{Input, bytes_read, digest, digest_until, open};
pub use order::{BatchSettings, Cursor, SampleOrder, SampleRows};
#[cfg(feature = "parquet")]
pub(crate) use parquet_write::write_pairs_parquet;
pub use partial::remove_partials_and_exit;
#[cfg(unix)]
pub use partial::unlink_partials;
pub use sealed_line::{open_json, seal_json};
pub use stream::{MatrixFormat, MatrixStream, StreamOptions};
pub use tessellation::{EMBEDDED_IMAGES, embedded_image, tessellation};
pub use trajectory::{Trajectory, TrajectoryWriter};
pub use write::write_atomic;
pub(crate) use write::{is_ordinary, move_file, sync_folder};
