//! The page of an approval as the model describes it.
//!
//! A model is not trusted: these are types, not a judgement of what is
//! inside them.

use super::word::{ArtifactKind, FieldType};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a model wants an approval page to look like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UiTemplate {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability_hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact_kind: Option<ArtifactKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_artifact_on_approve: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_text_attachment: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_location_attachment: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_photo_attachment: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_audio_attachment: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_file_attachment: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_accept: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub middle_html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub middle_css: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub middle_script: Option<String>,
    /// A script of the model's own that says what is given back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approve_script: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approve_label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reject_label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note_label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note_placeholder: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<TemplateField>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<TemplateStyle>,
}

/// One field of an approval page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateField {
    pub id: String,
    pub label: String,
    #[serde(rename = "type")]
    pub kind: FieldType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub helper_text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<TemplateOption>>,
    /// What a browser may fill in by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autocomplete: Option<String>,
    /// The key of its value in what is given back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_key: Option<String>,
}

/// One thing to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateOption {
    pub label: String,
    pub value: String,
}

/// Colours and letters of an approval page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TemplateStyle {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brand_color: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_css: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub font_family: Option<String>,
}

impl UiTemplate {
    /// Reads what a model sent, key by key: a key that is unknown or has a value of
    /// the wrong type is left out and named in the second part.
    pub fn read(sent: &Map<String, Value>) -> (Self, Vec<String>) {
        let mut template = Self::default();
        let mut left_out = Vec::new();
        for (key, value) in sent {
            if value.is_null() {
                continue;
            }
            match template.with(key, value) {
                Some(with) => template = with,
                None => left_out.push(key.clone()),
            }
        }
        (template, left_out)
    }

    fn with(&self, key: &str, value: &Value) -> Option<Self> {
        let alone = Value::Object(Map::from_iter([(key.to_owned(), value.clone())]));
        let read: Self = serde_json::from_value(alone.clone()).ok()?;
        // An unknown key reads as a template without any key.
        if read == Self::default() {
            return None;
        }
        let mut all = to_object(self)?;
        all.extend(to_object(&read)?);
        from_object(all)
    }
}

fn to_object<T: Serialize>(value: &T) -> Option<Map<String, Value>> {
    match serde_json::to_value(value).ok()? {
        Value::Object(keys) => Some(keys),
        _ => None,
    }
}

fn from_object<T: DeserializeOwned>(keys: Map<String, Value>) -> Option<T> {
    serde_json::from_value(Value::Object(keys)).ok()
}
