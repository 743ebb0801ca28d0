//! Tasks and outcomes of rounds as bytes: `f32` dictionaries of tasks in that precision, all else in `f64`.

use super::frame::{Body, opened, put, sealed};
use super::task::{RoundChain, RoundOutcome, RoundTask};
use crate::Result;
use crate::factor::{FactorSettings, Statistics};
use crate::model::Precision;
use serde::{Deserialize, Serialize};

const TASK: [u8; 4] = *b"ERTK";
const OUTCOME: [u8; 4] = *b"ERTO";

#[derive(Serialize, Deserialize)]
struct TaskHeader {
    round: u64,
    chain: u64,
    state: RoundChain,
    seed: u64,
    burn_in: u64,
    every: u64,
    minibatches: u64,
    batch: usize,
    parameters: FactorSettings,
    precision: Precision,
    shape: (usize, usize),
    arithmetic: String,
}

#[derive(Serialize, Deserialize)]
struct OutcomeHeader {
    round: u64,
    chain: u64,
    state: RoundChain,
    shape: (usize, usize),
    minibatches: usize,
    columns: u64,
    capped: u64,
}

impl RoundTask {
    /// How it travels.
    ///
    /// # Errors
    /// [`Error::Format`](crate::Error::Format) for parameters that no file can hold.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let header = TaskHeader {
            round: self.round,
            chain: self.chain,
            state: self.state.clone(),
            seed: self.seed,
            burn_in: self.burn_in,
            every: self.every,
            minibatches: self.minibatches,
            batch: self.batch,
            parameters: self.parameters.clone(),
            precision: self.precision,
            shape: (self.w.rows(), self.w.cols()),
            arithmetic: self.arithmetic.clone(),
        };
        sealed(TASK, &header, |bytes| put(bytes, &self.w, self.precision))
    }

    /// Reads what [`RoundTask::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`Error::Format`](crate::Error::Format) for bytes that are damaged, or no task, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (header, body) = opened::<TaskHeader>(TASK, "a task of a round", bytes)?;
        let mut body = Body { bytes: body, what: "a task of a round" };
        let w = body.matrix(header.shape, header.precision)?;
        body.end()?;
        Ok(Self {
            round: header.round,
            chain: header.chain,
            state: header.state,
            seed: header.seed,
            burn_in: header.burn_in,
            every: header.every,
            minibatches: header.minibatches,
            batch: header.batch,
            parameters: header.parameters,
            precision: header.precision,
            w,
            arithmetic: header.arithmetic,
        })
    }
}

impl RoundOutcome {
    /// How it travels.
    ///
    /// # Errors
    /// [`Error::Format`](crate::Error::Format) for what no file can hold.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let Statistics { a, b_transposed: b, r, weight } = &self.statistics;
        let header = OutcomeHeader {
            round: self.round,
            chain: self.chain,
            state: self.state.clone(),
            shape: (b.rows(), b.cols()),
            minibatches: self.losses.len(),
            columns: *weight as u64,
            capped: self.capped,
        };
        sealed(OUTCOME, &header, |bytes| {
            put(bytes, a, Precision::F64);
            put(bytes, b, Precision::F64);
            self.losses.iter().chain([r]).for_each(|x| bytes.extend(x.to_le_bytes()));
        })
    }

    /// Reads what [`RoundOutcome::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`Error::Format`](crate::Error::Format) for bytes that are damaged, or no outcome, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (header, body) = opened::<OutcomeHeader>(OUTCOME, "an outcome of a round", bytes)?;
        let mut body = Body { bytes: body, what: "an outcome of a round" };
        let a = body.matrix((header.shape.1, header.shape.1), Precision::F64)?;
        let b_transposed = body.matrix(header.shape, Precision::F64)?;
        let losses = body.matrix((header.minibatches, 1), Precision::F64)?.col(0).to_vec();
        let r = body.matrix((1, 1), Precision::F64)?.get(0, 0);
        body.end()?;
        let statistics = Statistics { a, b_transposed, r, weight: header.columns as f64 };
        let OutcomeHeader { round, chain, state, capped, .. } = header;
        Ok(Self { round, chain, statistics, losses, capped, state })
    }
}
