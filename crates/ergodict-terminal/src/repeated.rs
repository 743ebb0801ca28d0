//! Options that are given twice on a command line, of which only the last would count.

use crate::config::{innermost, option};
use anyhow::{Result, bail};
use clap::{ArgAction, Command};
use std::collections::HashMap;
use std::ffi::OsString;

/// Refuses options of one value that are given twice. Those of a configuration file come later, and are overridden.
pub(crate) fn refuse(cli: &Command, arguments: &[OsString]) -> Result<()> {
    let Some((verb, ..)) = innermost(cli, arguments) else { return Ok(()) };
    let mut given: HashMap<&str, String> = HashMap::new();
    let mut words = arguments.iter().skip(1).take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        let Some((arg, value)) = word.to_str().and_then(|word| option(word, cli, verb)) else { continue };
        let value = match value {
            Some(value) => value.to_owned(),
            None if arg.is_require_equals_set() => continue,
            None => words.next().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default(),
        };
        if !matches!(arg.get_action(), ArgAction::Set) {
            continue;
        }
        if let Some(first) = given.insert(arg.get_id().as_str(), value.clone()) {
            let name = arg
                .get_long()
                .map_or_else(|| format!("-{}", arg.get_short().unwrap_or('?')), |long| format!("--{long}"));
            bail!("{name} is given twice: {first} and {value}");
        }
    }
    Ok(())
}
