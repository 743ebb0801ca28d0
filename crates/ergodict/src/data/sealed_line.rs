//! Lines of JSON that are read again: the first entry of each is the digest of the rest.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What stands before the digest, and after it.
const BEFORE: &str = r#"{"digest":""#;
const AFTER: &str = r#"","#;

/// An object as JSON with its digest.
///
/// ```
/// use ergodict::data::{open_json, seal_json};
/// let line = seal_json(r#"{"seed":7}"#);
/// assert!(line.starts_with(r#"{"digest":""#) && line.ends_with(r#"","seed":7}"#));
/// assert_eq!(open_json(&line).as_deref(), Some(r#"{"seed":7}"#));
/// assert_eq!(open_json(&line.replace('7', "8")), None);
/// ```
pub fn seal_json(object: &str) -> String {
    let digest = blake3::hash(object.as_bytes()).to_hex();
    let rest = object.strip_prefix('{').unwrap_or(object);
    format!("{BEFORE}{digest}{AFTER}{rest}")
}

/// The object that [`seal_json`] was given; none where there is no digest, or a wrong one.
///
/// ```
/// assert_eq!(ergodict::data::open_json(r#"{"seed":7}"#), None);
/// ```
pub fn open_json(line: &str) -> Option<String> {
    let (digest, rest) = line.strip_prefix(BEFORE)?.split_once(AFTER)?;
    let object = format!("{{{rest}");
    (blake3::hash(object.as_bytes()).to_hex().as_str() == digest).then_some(object)
}

/// Whether JSON says what its digest is.
pub(crate) fn has_digest(line: &str) -> bool {
    line.starts_with(BEFORE)
}

/// A record as a line, without its end.
pub(crate) fn to_line(record: &impl Serialize) -> serde_json::Result<String> {
    Ok(seal_json(&serde_json::to_string(record)?))
}

/// The record of a whole line; none of a damaged one.
pub(crate) fn from_line<T: DeserializeOwned>(line: &str) -> Option<T> {
    serde_json::from_str(&open_json(line.strip_suffix('\n').unwrap_or(line))?).ok()
}
