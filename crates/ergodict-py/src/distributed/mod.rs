//! What `ergodict.distributed` stands on: runs that are led here, and tasks that run anywhere.

mod learn;
mod place;
mod rebuild;

pub(crate) use learn::RoundLearner;
pub(crate) use place::RoundPlace;
pub(crate) use rebuild::{Parts, SharePlace, model_motif, share_of, share_task, share_told};
