//! Whether two machines round alike: what products and codes of fixed numbers come to, in a word.
//!
//! Instruction sets add up in different orders, and blocks of products depend on the sizes of caches: bits may differ between machines
//! of different kinds. Only the numbers themselves are conclusive, so a minibatch of the shape at hand is coded.

use crate::factor::{FactorSettings, Factorizer};
use crate::linalg::{Isa, Mat, Scalar};
use crate::{Error, Result};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Columns of the trial at most: codes are found in chunks of 128, so that this is as good as more.
const COLUMNS: usize = 256;

/// What was found before, by what was asked.
static KNOWN: Mutex<Option<HashMap<String, String>>> = Mutex::new(None);

/// A word such as `x86_64 avx512 5f0c…` for how patches of `features` numbers are coded here, in minibatches of `batch`. Machines with the same word
/// give the same bytes, as far as one minibatch can show.
///
/// ```
/// use ergodict::{factor::FactorSettings, run::arithmetic};
/// let word = arithmetic::<f64>(&FactorSettings::new(4), 25, 100)?;
/// assert_eq!(word, arithmetic::<f64>(&FactorSettings::new(4), 25, 100)?);
/// assert!(word.starts_with(std::env::consts::ARCH), "{word}");
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for parameters out of range.
pub fn arithmetic<T: Scalar>(parameters: &FactorSettings, features: usize, batch: usize) -> Result<String> {
    let columns = batch.clamp(1, COLUMNS);
    let asked = serde_json::to_string(&(parameters, T::NAME, features, columns))
        .map_err(|e| Error::parameter("the set of parameters", e, "files cannot hold it"))?;
    let known =
        |known: &mut Option<HashMap<String, String>>| known.get_or_insert_default().get(&asked).cloned();
    if let Some(word) = known(&mut KNOWN.lock().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(word);
    }
    let word = tried::<T>(parameters, features, columns)?;
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    all.get_or_insert_default().insert(asked, word.clone());
    Ok(word)
}

/// Machines that would not give the same bytes.
pub(crate) fn other_arithmetic(here: &str, there: &str) -> Error {
    let expected = format!(
        "it is {there} where the run is led: bits would differ. Use processors of one kind, or set ERGODICT_SIMD=avx2 (or scalar) everywhere"
    );
    Error::parameter("the arithmetic of this machine", here, expected)
}

/// Codes a made-up minibatch and hashes what comes out.
fn tried<T: Scalar>(parameters: &FactorSettings, features: usize, columns: usize) -> Result<String> {
    // No two neighbors are alike, about one in three is 0 as in patches, and nothing is a short binary fraction.
    let number = |i: usize, j: usize, step: usize| {
        let x = (i * 31 + j * step) % 101;
        if x.is_multiple_of(3) { 0.0 } else { x as f64 / 101.0 }
    };
    let w = Mat::<T>::from_fn(features, parameters.atoms, |i, j| T::from_f64(number(i, j, 47)));
    let x = Mat::<T>::from_fn(features, columns, |i, j| T::from_f64(number(i, j, 23)));
    let mut factorizer = Factorizer::from_dictionary(parameters.clone(), w.as_ref())?;
    let (found, _, loss) = factorizer.statistics_told(&x)?;
    let mut hash = blake3::Hasher::new();
    let mut put = |x: f64| {
        hash.update(&x.to_bits().to_le_bytes());
    };
    found.a.padded().iter().chain(found.b_transposed.padded()).for_each(|&x| put(x));
    put(found.r);
    put(loss);
    let word = hash.finalize().to_hex();
    Ok(format!("{} {} {}", std::env::consts::ARCH, Isa::detect().name(), &word[..16]))
}
