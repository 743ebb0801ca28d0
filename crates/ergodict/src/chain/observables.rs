//! SKELETON.
use super::SpinSystem;
use crate::Result;
/// SKELETON
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observable {
    /// Energy per site.
    Energy,
    /// Mean.
    Magnetisation,
    /// Share.
    LargestCluster,
}
impl Observable {
    /// SKELETON
    ///
    /// # Errors
    /// None.
    pub fn measure<S: SpinSystem>(&self, system: &S, state: &S::State) -> Result<f64> {
        Ok(system.energy(state))
    }
}
