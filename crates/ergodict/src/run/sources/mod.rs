//! Sources of minibatches, one file for each kind of data.

pub(super) mod exhaustive;
mod fixed;
mod frames;
pub(super) mod image;
pub(super) mod matrix;
pub(super) mod network;
pub(super) mod pushed;
pub(super) mod rounds;
pub(super) mod shares;
pub(super) mod spins;
mod trajectory;
pub(super) mod window;

use super::Sections;
use crate::Result;
use crate::chain::{ChainPoint, TraceSet};

/// Adds where a chain is, and where the generator of its patches is.
fn save_point(to: &mut Sections, point: &ChainPoint, word: u64) -> Result<()> {
    to.put("configuration", point.state.clone());
    to.put_json("chain", &(point, word))
}

/// What [`save_point`] added.
fn point(from: &Sections) -> Result<(ChainPoint, u64)> {
    let (point, word): (ChainPoint, u64) = from.json("chain")?;
    Ok((ChainPoint { state: from.bytes("configuration")?, ..point }, word))
}

/// Goes on with traces that a checkpoint has of the same chains.
fn restore_traces(now: &mut Vec<TraceSet>, from: &Sections) -> Result<()> {
    let then: Vec<TraceSet> = from.json("traces")?;
    if then.len() != now.len() || then.iter().zip(&*now).any(|(a, b)| a.traces.len() != b.traces.len()) {
        return Err(from.damaged("traces", "they are of other chains"));
    }
    *now = then;
    Ok(())
}
