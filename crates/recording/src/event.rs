//! What a recording holds: a header, and events in order.

use clawperator_contract::{Direction, Key, Number};
use clawperator_ui::Bounds;

/// The version of the format.
pub(crate) const SCHEMA_VERSION: f64 = 1.0;
/// What the header's type says.
pub(crate) const HEADER_TYPE: &str = "recording_header";

/// Who made a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// The Operator app, on the phone. Its format knows no key but back.
    Operator,
    /// This program, from outside the phone.
    Host,
}

/// The first line of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The recording's name.
    pub session_id: String,
    /// When it began, in milliseconds since 1970.
    pub started_at: Number,
    /// The package that made it, or this program's name.
    pub operator_package: String,
    /// Who made it.
    pub maker: Maker,
    /// The package of the home screen, where the maker knows it.
    pub launcher: Option<String>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When, in milliseconds since 1970.
    pub ts: Number,
    /// Its place in the recording.
    pub seq: Number,
    /// The screen as it was then, as a dump.
    pub snapshot: Option<String>,
    /// How well the snapshot shows what was acted on.
    pub sight: Sight,
    /// What happened.
    pub act: Act,
}

/// How well a snapshot shows what was acted on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sight {
    /// It is the screen that was acted on.
    #[default]
    Fresh,
    /// Something had been done since it was taken.
    Stale,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Another window came to the front.
    WindowChange(WindowChange),
    /// Something was clicked.
    Click(Click),
    /// Something was scrolled.
    Scroll(Scroll),
    /// A field's text is another.
    TextChange(TextChange),
    /// A key was pressed.
    PressKey(PressKey),
}

/// Another window came to the front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowChange {
    /// Whose it is.
    pub package: String,
    /// The class of the activity.
    pub class_name: Option<String>,
    /// The window's title.
    pub title: Option<String>,
    /// Whether it only shows how the recording ended.
    pub closing: bool,
}

/// Something was clicked.
#[derive(Clone, Debug, PartialEq)]
pub struct Click {
    /// Whose it is.
    pub package: String,
    /// Its resource id.
    pub resource_id: Option<String>,
    /// What it says.
    pub text: Option<String>,
    /// What a screen reader says of it.
    pub content_desc: Option<String>,
    /// Where it is: left, top, right, bottom.
    pub bounds: [Number; 4],
    /// How long.
    pub press: Press,
    /// The point that was touched, where it is known.
    pub at: Option<(i32, i32)>,
}

/// How long something was clicked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Press {
    /// As usual.
    #[default]
    Short,
    /// For long.
    Long,
}

/// Something was scrolled.
#[derive(Clone, Debug, PartialEq)]
pub struct Scroll {
    /// Whose it is.
    pub package: String,
    /// The container's resource id.
    pub resource_id: Option<String>,
    /// How far it is scrolled, and could be: x, y, the most of x, of y.
    pub offsets: [Number; 4],
    /// Towards what, where it is known.
    pub direction: Option<Direction>,
    /// Where the container is, where it is known.
    pub container: Option<Bounds>,
    /// How far the finger went, as a share of the container.
    pub travel: Option<Number>,
}

/// A field's text is another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextChange {
    /// Whose it is.
    pub package: String,
    /// The field's resource id.
    pub resource_id: Option<String>,
    /// The whole text; empty where it is not told.
    pub text: String,
    /// Where the field is, where it is known.
    pub field: Option<Bounds>,
    /// Why the text is not told, if it is not.
    pub untold: Option<Untold>,
    /// Whether a key of the keyboard ended the typing.
    pub submitted: bool,
}

/// Why a text is not in the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untold {
    /// It is a password's.
    Password,
    /// The screen was gone before it could be read.
    Unseen,
}

/// A key was pressed.
#[derive(Clone, Debug, PartialEq)]
pub struct PressKey {
    /// Which; none if it could not be told.
    pub key: Option<Key>,
    /// How it is known.
    pub by: KnownBy,
}

/// How a key is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KnownBy {
    /// The key itself was seen.
    #[default]
    Key,
    /// It was worked out from a finger's way and what came of it.
    Gesture,
}

/// A recording: what its file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The first line.
    pub header: Header,
    /// The events, in the order of their numbers.
    pub events: Vec<Event>,
    /// What is odd about it.
    pub warnings: Vec<String>,
}

impl Act {
    /// The event's type as it is written.
    #[must_use]
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
