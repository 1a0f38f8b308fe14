//! What a recording holds: a header, and events in order.
//!
//! Each type's fields are the keys of the format. What this program adds to the
//! Operator app's format is optional, and left at its default where it is not
//! well formed; a reader that does not know it reads the rest.

use crate::form::{is_default, key, lenient, present};
use clawperator_contract::{Direction, Key, Number};
use clawperator_ui::{Bounds, Point};
use serde::{Deserialize, Serialize};

pub(crate) const SCHEMA_VERSION: f64 = 1.0;
/// What the header's type says.
pub(crate) const HEADER_TYPE: &str = "recording_header";

/// Who made a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Maker {
    /// The Operator app, on the phone. Its format knows no key but back.
    #[default]
    Operator,
    /// This program, from outside the phone.
    Host,
}

/// The first line of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    pub session_id: String,
    /// When it began, in milliseconds since 1970.
    pub started_at: Number,
    /// The package that made it, or this program's name.
    pub operator_package: String,
    /// Who made it.
    #[serde(rename = "recorder", default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub maker: Maker,
    /// The package of the home screen, where the maker knows it.
    #[serde(rename = "launcherPackage")]
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub launcher: Option<String>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedEvent {
    /// When, in milliseconds since 1970.
    pub ts: Number,
    /// Its place in the recording.
    pub seq: Number,
    #[serde(flatten)]
    pub act: RecordedAct,
    /// The screen as it was then, as a dump.
    #[serde(default, deserialize_with = "lenient")]
    pub snapshot: Option<String>,
    /// Whether something had been done since the snapshot was taken.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub stale: bool,
    /// Where the screen changed by itself since the last event, each time.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub restless: Vec<String>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RecordedAct {
    /// Another window came to the front.
    WindowChange(WindowChange),
    Click(Click),
    Scroll(Scroll),
    /// A field's text is another.
    TextChange(TextChange),
    PressKey(PressKey),
}

/// Another window came to the front.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowChange {
    #[serde(rename = "packageName")]
    pub package: String,
    #[serde(default, deserialize_with = "lenient")]
    pub class_name: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub title: Option<String>,
    /// Whether it only shows how the recording ended.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub closing: bool,
}

/// Something was clicked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Click {
    #[serde(rename = "packageName")]
    pub package: String,
    #[serde(deserialize_with = "present")]
    pub resource_id: Option<String>,
    #[serde(deserialize_with = "present")]
    pub text: Option<String>,
    /// What a screen reader says of it.
    #[serde(deserialize_with = "present")]
    pub content_desc: Option<String>,
    pub bounds: Sides,
    /// How long.
    #[serde(rename = "clickType", default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub press: ClickLength,
    /// The point that was touched, where it is known.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub at: Option<Point>,
}

/// The sides of an element.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sides {
    pub left: Number,
    pub top: Number,
    pub right: Number,
    pub bottom: Number,
}

impl From<Bounds> for Sides {
    fn from(Bounds { left, top, right, bottom }: Bounds) -> Self {
        let [left, top, right, bottom] = [left, top, right, bottom].map(Number::from);
        Self { left, top, right, bottom }
    }
}

impl From<Sides> for Bounds {
    fn from(Sides { left, top, right, bottom }: Sides) -> Self {
        let [left, top, right, bottom] = [left, top, right, bottom].map(Number::as_pixel);
        Self { left, top, right, bottom }
    }
}

/// How long something was clicked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClickLength {
    #[default]
    #[serde(rename = "click")]
    Short,
    #[serde(rename = "long_click")]
    Long,
}

/// Something was scrolled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scroll {
    #[serde(rename = "packageName")]
    pub package: String,
    #[serde(deserialize_with = "present")]
    pub resource_id: Option<String>,
    /// How far it is scrolled to the right.
    pub scroll_x: Number,
    /// How far it is scrolled down.
    pub scroll_y: Number,
    /// How far it could be scrolled to the right.
    pub max_scroll_x: Number,
    /// How far it could be scrolled down.
    pub max_scroll_y: Number,
    /// Towards what, where it is known.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub direction: Option<Direction>,
    /// Where the container is, where it is known.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub container: Option<Bounds>,
    /// How far the finger went, as a share of the container.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub travel: Option<Number>,
}

/// A field's text is another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextChange {
    #[serde(rename = "packageName")]
    pub package: String,
    #[serde(deserialize_with = "present")]
    pub resource_id: Option<String>,
    /// The whole text; empty where it is not told.
    pub text: String,
    /// Where the field is, where it is known.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub field: Option<Bounds>,
    /// Why the text is not told, if it is not.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub untold: Option<TextOmission>,
    /// Whether a key of the keyboard ended the typing.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub submitted: bool,
    /// Whether no key of the keyboard was touched: the app changed the text, or it was pasted.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub untyped: bool,
}

/// Why a text is not in the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextOmission {
    Password,
    /// The screen was gone before it could be read.
    Unseen,
}

/// A key was pressed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PressKey {
    /// Which; none if it could not be told.
    #[serde(with = "key")]
    pub key: Option<Key>,
    /// Whether it was worked out from a gesture and its effect.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "is_default")]
    pub inferred: bool,
}

/// A recording: what its file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    pub header: Header,
    /// The events, in the order of their numbers.
    pub events: Vec<RecordedEvent>,
    /// What is odd about it.
    pub warnings: Vec<String>,
}

impl RecordedAct {
    /// Every type of an event, as it is written.
    pub(crate) const NAMES: [&str; 5] = ["window_change", "click", "scroll", "text_change", "press_key"];

    /// The event's type as it is written.
    pub fn name(&self) -> &'static str {
        match self {
            Self::WindowChange(_) => "window_change",
            Self::Click(_) => "click",
            Self::Scroll(_) => "scroll",
            Self::TextChange(_) => "text_change",
            Self::PressKey(_) => "press_key",
        }
    }
}
