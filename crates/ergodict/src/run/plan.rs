//! What a run is, besides its data and its first dictionary.

use super::{Identity, StopRule, Yardstick};
use crate::factor::FactorSettings;
use crate::model::{Examples, Input};
use serde_json::{Value, json};

/// What a run is, besides its data and its first dictionary.
///
/// ```
/// use ergodict::{factor::FactorSettings, run::RunPlan};
/// let plan = RunPlan { settings: serde_json::json!({ "atoms": 9 }), ..RunPlan::new("factor", FactorSettings::new(9), 0) };
/// assert_eq!((plan.parameters.atoms, plan.inputs.len()), (9, 0));
/// ```
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// The command or the function that it was started by.
    pub command: String,
    /// Those of the online scheme.
    pub parameters: FactorSettings,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Every setting that has a say in the result, as `--config` takes it.
    pub settings: Value,
    /// The files that are learned from.
    pub inputs: Vec<Input>,
    /// How examples of atoms are looked for in networks.
    pub examples: Examples,
    /// How networks are compared with rewired copies of themselves, if they are.
    pub yardstick: Option<Yardstick>,
    /// When going over the data ends early, if it does.
    pub stopping: Option<StopRule>,
}

impl RunPlan {
    /// Without recorded settings, and without files.
    pub fn new(command: &str, parameters: FactorSettings, seed: u64) -> Self {
        let (settings, inputs, examples) = (json!({}), Vec::new(), Examples::default());
        let (yardstick, stopping) = (None, None);
        Self {
            command: command.to_owned(),
            parameters,
            seed,
            settings,
            inputs,
            examples,
            yardstick,
            stopping,
        }
    }

    /// What a checkpoint of it knows it by.
    pub fn identity(&self) -> Identity {
        let (command, settings, inputs) = (self.command.clone(), self.settings.clone(), self.inputs.clone());
        Identity { command, settings, inputs, seed: self.seed }
    }
}
