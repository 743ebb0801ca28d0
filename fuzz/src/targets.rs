//! The targets.

mod arrays;
mod networks;
mod states;
mod texts;

pub(crate) use arrays::{image, matrix_file, parquet, rbm, trajectory};
pub(crate) use networks::{CONVERTED, WRITTEN, sorted};
pub(crate) use networks::{
    adjacency, conversion, dot, edge_list, egr, gexf, gml, graphml, json, mat, matrix_market, motif, pajek,
    sif, sparse_npz, timed,
};
pub(crate) use states::{checkpoint, job, model, share, sums, task};
pub(crate) use texts::{config, note, pairs, records};
