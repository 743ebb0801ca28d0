//! Numbers that JSON has no word for, in records: infinite ones, such as the signal-to-noise ratio of a picture without noise, and none.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// A number, or the word for it where JSON has none.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Word(String),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
pub(crate) fn serialize<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    if number.is_finite() { to.serialize_f64(*number) } else { to.serialize_str(&number.to_string()) }
}

pub(crate) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<f64, D::Error> {
    match Written::deserialize(from)? {
        Written::Number(number) => Ok(number),
        Written::Word(word) => word.parse().map_err(|_| D::Error::custom("expected a number")),
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    struct One(#[serde(with = "super")] f64);

    #[test]
    fn any_number_is_read_back() {
        for number in [0.1, -3.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let value = serde_json::to_value(One(number)).unwrap();
            let One(again) = serde_json::from_value(value).unwrap();
            assert!(again == number || (again.is_nan() && number.is_nan()), "{number} came back as {again}");
        }
        assert!(serde_json::from_value::<One>(serde_json::json!("much")).is_err());
    }
}
