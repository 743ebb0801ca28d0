//! What a run through windows kept, as part of a model file: two tensors and the rest as JSON.
//!
//! | tensor | shape | what |
//! |---|---|---|
//! | `W_over_time` | n×d×r, F32 | the dictionaries that are kept, of the windows that the header's `over_time.kept` lists |
//! | `dominance_over_time` | windows×r, F64 | shares of the atoms, window by window; zeros where nothing was learned from |

use super::OverTime;
use crate::linalg::Mat;
use safetensors::tensor::{Dtype, SafeTensors};

/// The tensors of a file, with their names, types and shapes.
pub(super) type Tensor = (&'static str, Dtype, Vec<usize>, Vec<u8>);

const DICTIONARIES: &str = "W_over_time";
const DOMINANCE: &str = "dominance_over_time";

/// The tensors that hold it, of dictionaries of `d` rows and `r` columns.
pub(super) fn tensors(over_time: &OverTime, d: usize, r: usize) -> Vec<Tensor> {
    let mut dictionaries = Vec::with_capacity(over_time.dictionaries.len() * d * r * 4);
    for w in &over_time.dictionaries {
        for i in 0..d {
            for j in 0..r {
                dictionaries.extend(w.get(i, j).to_le_bytes());
            }
        }
    }
    let mut dominance: Vec<u8> = Vec::with_capacity(over_time.windows.len() * r * 8);
    for window in &over_time.windows {
        for j in 0..r {
            dominance.extend(window.dominance.get(j).copied().unwrap_or(0.0).to_le_bytes());
        }
    }
    vec![
        (DICTIONARIES, Dtype::F32, vec![over_time.dictionaries.len(), d, r], dictionaries),
        (DOMINANCE, Dtype::F64, vec![over_time.windows.len(), r], dominance),
    ]
}

/// Reads the tensors into the structure of the header. An error is what is wrong.
pub(super) fn read(
    mut over_time: OverTime,
    tensors: &SafeTensors<'_>,
    d: usize,
    r: usize,
) -> Result<OverTime, String> {
    let bytes = |name: &str, dtype: Dtype, shape: &[usize]| {
        let tensor = tensors.tensor(name).map_err(|e| e.to_string())?;
        if tensor.dtype() != dtype || tensor.shape() != shape {
            return Err(format!(
                "tensor {name} is {:?} of {:?}: expected {dtype:?} of {shape:?}",
                tensor.dtype(),
                tensor.shape()
            ));
        }
        Ok(tensor.data().to_vec())
    };
    if over_time.kept.iter().any(|at| *at >= over_time.windows.len()) || over_time.stride == 0 {
        return Err("its windows disagree with each other".into());
    }
    let data = bytes(DICTIONARIES, Dtype::F32, &[over_time.kept.len(), d, r])?;
    let value =
        |at: usize| f32::from_le_bytes([data[4 * at], data[4 * at + 1], data[4 * at + 2], data[4 * at + 3]]);
    over_time.dictionaries =
        (0..over_time.kept.len()).map(|n| Mat::from_fn(d, r, |i, j| value((n * d + i) * r + j))).collect();
    let data = bytes(DOMINANCE, Dtype::F64, &[over_time.windows.len(), r])?;
    let rows = data.chunks_exact(8 * r.max(1));
    for (window, row) in
        over_time.windows.iter_mut().zip(rows).filter(|(window, _)| window.error_after.is_some())
    {
        let number = |eight: &[u8]| f64::from_le_bytes(eight.try_into().unwrap_or_default());
        window.dominance = row.chunks_exact(8).map(number).collect();
    }
    let finite =
        over_time.windows.iter().all(|window| window.dominance.iter().all(|share| share.is_finite()))
            && over_time.dictionaries.iter().all(|w| w.padded().iter().all(|x| x.is_finite()));
    if finite { Ok(over_time) } else { Err("its windows hold NaN or an infinity".into()) }
}
