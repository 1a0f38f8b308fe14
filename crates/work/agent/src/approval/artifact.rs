//! What a person gives when they approve: a text, a place, files, a login, a
//! card or a form. A model gets a description of it, never the values.

use clawperator_phone::Secret;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a person gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Artifact {
    /// A text for the field that has the focus.
    Text(Secret),
    Geo(GeoPoint),
    Image(GivenFile),
    Audio(GivenFile),
    File(GivenFile),
    Credentials {
        username: Secret,
        password: Secret,
    },
    PaymentCard(Vec<FormValue>),
    Form(Vec<FormValue>),
}

/// A place on Earth. It is private, so Debug does not show it.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeoPoint {
    pub lat: f64,
    pub lon: f64,
}

impl fmt::Debug for GeoPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Place")
    }
}

/// A file that a person gave.
#[derive(Clone, PartialEq, Eq)]
pub struct GivenFile {
    pub name: String,
    /// Its type, such as `image/png`.
    pub media_type: String,
    pub bytes: Vec<u8>,
}

impl fmt::Debug for GivenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GivenFile({}, {} bytes)", self.media_type, self.bytes.len())
    }
}

/// One value of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormValue {
    pub key: String,
    pub value: Secret,
}

/// What may be known of an artifact: a model, a log and the store get this.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// text, geo, image, audio, file, credentials, payment_card or form.
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub letters: Option<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
}

impl Artifact {
    /// Its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Geo(_) => "geo",
            Self::Image(_) => "image",
            Self::Audio(_) => "audio",
            Self::File(_) => "file",
            Self::Credentials { .. } => "credentials",
            Self::PaymentCard(_) => "payment_card",
            Self::Form(_) => "form",
        }
    }

    /// What may be known of it.
    pub fn describe(&self) -> Description {
        let mut about = Description { kind: self.kind().to_owned(), ..Description::default() };
        match self {
            Self::Text(text) => about.letters = Some(text.letters()),
            Self::Image(file) | Self::Audio(file) | Self::File(file) => {
                about.media_type = Some(file.media_type.clone());
                about.bytes = Some(file.bytes.len());
            }
            Self::Geo(_) | Self::Credentials { .. } | Self::PaymentCard(_) | Self::Form(_) => {
                about.fields = self.values().into_iter().map(|(key, _)| key.to_owned()).collect();
            }
        }
        about
    }

    /// Its secrets, by key.
    pub fn values(&self) -> Vec<(&str, &Secret)> {
        match self {
            Self::Text(text) => vec![("text", text)],
            Self::Credentials { username, password } => vec![("username", username), ("password", password)],
            Self::PaymentCard(values) | Self::Form(values) => {
                values.iter().map(|value| (value.key.as_str(), &value.value)).collect()
            }
            Self::Geo(_) | Self::Image(_) | Self::Audio(_) | Self::File(_) => Vec::new(),
        }
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if let Some(letters) = self.letters {
            write!(f, " of {letters} letters")?;
        }
        if !self.fields.is_empty() {
            write!(f, " with {}", self.fields.join(", "))?;
        }
        if let (Some(kind), Some(bytes)) = (&self.media_type, self.bytes) {
            write!(f, " ({kind}, {bytes} bytes)")?;
        }
        Ok(())
    }
}
