//! How single fields of a recording are read and written.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Reads a field that is left at its default where it is not well formed.
pub(crate) fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + DeserializeOwned,
{
    let value = Value::deserialize(deserializer)?;
    Ok(T::deserialize(value).unwrap_or_default())
}

/// Tells whether a field need not be written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Reads a field that may be `null`, but not missing.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}

/// A key by its word; a gesture that could be several keys has a word, too.
pub(crate) mod key {
    use clawperator_contract::Key;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    const UNKNOWN: &str = "unknown";

    pub(crate) fn serialize<S: Serializer>(value: &Option<Key>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.map_or(UNKNOWN, Key::word))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Key>, D::Error> {
        let word = String::deserialize(from)?;
        match Key::from_word(&word) {
            None if word != UNKNOWN => Err(D::Error::custom("an unknown key")),
            known => Ok(known),
        }
    }
}
