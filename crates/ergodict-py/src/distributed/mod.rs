//! What `ergodict.distributed` stands on: runs that are led here, and tasks that run anywhere.

mod checkpoint;
mod place;
mod rebuild;

pub(crate) use checkpoint::Checkpoint;
pub(crate) use place::TaskContext;
pub(crate) use rebuild::{Parts, SharePlace, model_motif, share_of, share_outcome, share_task};
