//! What `ergodict.distributed` stands on: runs that are led here, and tasks that run anywhere.

mod learn;
mod place;

pub(crate) use learn::RoundLearner;
pub(crate) use place::RoundPlace;
