//! Settings of whole commands: what decides their results, without output paths, threads or verbosity.
//!
//! A setting is a field of a struct in the lowest module that uses it. Its doc comment is its help on the command line, its
//! `Default` the only default, its key that of configuration files and model headers.

mod image;
mod matrix;
mod network;

pub use image::ImageSettings;
pub use matrix::MatrixSettings;
pub use network::NetworkSettings;

use crate::{Error, Result, text};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Settings that decide the result of a command.
///
/// ```
/// use ergodict::settings::{NetworkSettings, Settings, parse};
/// let given = serde_json::json!({ "atoms": 9, "score-patches": 3 });
/// let settings: NetworkSettings = parse(given.as_object().unwrap().clone())?;
/// assert!(settings.check().unwrap_err().to_string().starts_with("score-patches is 3"));
/// # Ok::<(), ergodict::Error>(())
/// ```
pub trait Settings: Clone + Default + Serialize + DeserializeOwned {
    /// The command, such as `network learn`.
    const COMMAND: &'static str;

    /// Checks what does not need data.
    ///
    /// # Errors
    /// [`Error::Parameter`], naming the first that is out of range.
    fn check(&self) -> Result<()>;

    /// Every setting with its value, as files keep it: what is left open has no key.
    fn config(&self) -> Map<String, Value> {
        plain(self)
    }
}

/// The keys that have a value.
pub(crate) fn plain<S: Serialize>(settings: &S) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(map)) => map.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    }
}

/// Settings from keys and values; the others have the defaults of this command, and an unknown key is refused with the nearest name.
///
/// ```
/// use ergodict::settings::{MatrixSettings, parse};
/// let given = serde_json::json!({ "atoms": 9, "epochz": 3 });
/// let error = parse::<MatrixSettings>(given.as_object().unwrap().clone()).unwrap_err();
/// assert!(error.to_string().contains("epochs"), "{error}");
/// ```
///
/// # Errors
/// [`Error::Parameter`] for an unknown key, and for a value of the wrong type.
pub fn parse<S: Settings>(map: Map<String, Value>) -> Result<S> {
    for key in map.keys() {
        // No setting is an object: one that is known refuses it, one that is not is passed over.
        if serde_json::from_value::<S>(json!({ key: { "": [] } })).is_ok() {
            let known = serde_json::to_value(S::default()).unwrap_or_default();
            let names = known.as_object().into_iter().flat_map(Map::keys);
            let near = text::nearest(key, names);
            let near = near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
            return Err(Error::parameter(
                "a setting",
                key,
                format!("`{}` has none of that name{near}", S::COMMAND),
            ));
        }
        let one = Map::from_iter([(key.clone(), map[key].clone())]);
        if let Err(error) = serde_json::from_value::<S>(Value::Object(one)) {
            return Err(Error::parameter("a setting", format!("{key} = {}", map[key]), error.to_string()));
        }
    }
    // Fields of flattened structs would take the defaults of those structs, which a command may change.
    let mut all = plain(&S::default());
    all.extend(map);
    serde_json::from_value(Value::Object(all))
        .map_err(|error| Error::parameter("a setting", "of the wrong type", error.to_string()))
}

/// Refuses a number below the least that makes sense.
pub(crate) fn at_least(name: &'static str, value: u64, least: u64, expected: &str) -> Result<()> {
    if value < least { Err(Error::parameter(name, value, expected)) } else { Ok(()) }
}
