//! The page of an approval as the model describes it.
//!
//! A model is not trusted: these are types, not a judgement of what is inside them.

use super::word::{ArtifactKind, FieldType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a model wants an approval page to look like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UiTemplate {
    pub template_id: Option<String>,
    pub title: Option<String>,
    pub summary: Option<String>,
    pub capability_hint: Option<String>,
    pub artifact_kind: Option<ArtifactKind>,
    pub require_artifact_on_approve: Option<bool>,
    pub allow_text_attachment: Option<bool>,
    pub allow_location_attachment: Option<bool>,
    pub allow_photo_attachment: Option<bool>,
    pub allow_audio_attachment: Option<bool>,
    pub allow_file_attachment: Option<bool>,
    pub file_accept: Option<String>,
    pub middle_html: Option<String>,
    pub middle_css: Option<String>,
    pub middle_script: Option<String>,
    /// A script of the model's own that says what is given back.
    pub approve_script: Option<String>,
    pub approve_label: Option<String>,
    pub reject_label: Option<String>,
    pub note_label: Option<String>,
    pub note_placeholder: Option<String>,
    pub fields: Option<Vec<TemplateField>>,
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
        // An unknown key reads as a template without any key.
        let fits = |key: &str, value: &Value| {
            let alone = Value::Object(Map::from_iter([(key.to_owned(), value.clone())]));
            serde_json::from_value(alone).is_ok_and(|read: Self| read != Self::default())
        };
        let keys = sent.clone().into_iter().filter(|(_, value)| !value.is_null());
        let (good, bad): (Map<_, _>, Map<_, _>) = keys.partition(|(key, value)| fits(key, value));
        let template = serde_json::from_value(Value::Object(good)).unwrap_or_default();
        (template, bad.into_iter().map(|(key, _)| key).collect())
    }
}
