//! Defaults of flags that a command has from settings which others share.

use clap::Arg;
use ergodict::settings::Settings;
use serde_json::Value;

/// Gives flags the defaults of a command where those of the structs that it is composed of differ.
pub(crate) fn of_command<S: Settings>() -> impl FnMut(Arg) -> Arg {
    let own = serde_json::to_value(S::default()).unwrap_or_default();
    move |arg| {
        let value = arg.get_long().map_or(&Value::Null, |key| &own[key]);
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let differs = match arg.get_default_values() {
            [default] => {
                let default = default.to_string_lossy();
                default != text && !text.parse::<f64>().is_ok_and(|x| default.parse() == Ok(x))
            }
            // A number of atoms that has no default is 0.
            _ => arg.is_required_set() && value.as_u64() != Some(0),
        };
        let takes = arg.get_action().takes_values() && !value.is_null();
        if takes && differs { arg.required(false).default_value(text) } else { arg }
    }
}
