//! What is done after each step.

use crate::Result;
use crate::factor::{Factorizer, StepReport};
use crate::linalg::Scalar;

/// Looks at a run step by step.
///
/// ```
/// use ergodict::{Result, factor::{FactorSettings, Factorizer, StepReport}, linalg::Mat, run::Observer};
/// /// The loss of each minibatch.
/// struct Losses(Vec<f64>);
/// impl Observer<f64> for Losses {
///     fn step(&mut self, report: &StepReport, _: &mut Factorizer<f64>) -> Result<()> {
///         Ok(self.0.push(report.loss_before))
///     }
/// }
/// let (mut losses, mut learned) = (Losses(vec![]), Factorizer::random(FactorSettings::new(2), 3, 0)?);
/// let report = learned.step(&Mat::from_fn(3, 4, |i, j| (i + j) as f64))?;
/// losses.step(&report, &mut learned)?;
/// assert_eq!(losses.0.len(), 1);
/// # Ok::<(), ergodict::Error>(())
/// ```
pub trait Observer<T: Scalar>: Send {
    /// After a step.
    ///
    /// # Errors
    /// What ends the run.
    fn step(&mut self, report: &StepReport, dictionary: &mut Factorizer<T>) -> Result<()>;
}

impl<T: Scalar, F: FnMut(&StepReport, &mut Factorizer<T>) -> Result<()> + Send> Observer<T> for F {
    fn step(&mut self, report: &StepReport, dictionary: &mut Factorizer<T>) -> Result<()> {
        self(report, dictionary)
    }
}
