//! What is not certain about an execution that was made of a recording.

use clawperator_contract::{Number, text};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use std::fmt;

/// Something that is not certain.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// The event it is about.
    pub seq: Number,
    pub what: Unsure,
}

/// What is not certain.
#[derive(Clone, Debug, PartialEq)]
pub enum Unsure {
    /// Nothing names the element; the point is used.
    OnlyAPoint,
    /// So many elements fit the selector; the first is used.
    FirstOf(usize),
    /// The label may be another next time.
    LabelWithDigits(String),
    /// The element is not on the captured screen; what the event says is used.
    NotOnScreen,
    /// There is no captured screen to check the selector on.
    NoScreen,
    /// The screen was captured before something else was done.
    StaleScreen,
    /// The app changed between the screen and the touch; it is left out.
    TouchedUnknown,
    /// The recording began in the middle of this app.
    BeganInside(String),
    /// The app came to the front with nothing recorded that would explain it.
    CameByItself(String),
    /// A password was typed; it is neither in the recording nor here.
    PasswordLeftOut,
    /// A text was typed that was not captured.
    TextUnseen,
    /// A field was emptied, which no action does alone.
    TextEmptied,
    /// The field shows this text, and nothing tells that it was typed.
    MayBeHint(String),
    /// The text is too long for an action.
    TextTooLong,
    /// A key of the keyboard ended the typing, most likely enter.
    SubmittedByKeyboard,
    /// It is unknown which field was typed into.
    FieldUnknown,
    /// The direction of a scroll is not recorded; down is used.
    DirectionGuessed,
    /// Scrolling was left out because what was clicked next was in view.
    ScrollLeftOut,
    /// A finger's scroll and an action's do not go equally far.
    ScrollDistance,
    /// The key was worked out from a gesture.
    KeyFromGesture,
    /// A gesture could mean several things; it is left out.
    GestureUnknown,
    /// Nothing was done but to open apps.
    NothingDone,
    /// The screen after the last action was not captured.
    EndUnseen,
    /// A finger went over something that cannot be scrolled; it is left out.
    NothingScrolled,
}

impl fmt::Display for Unsure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::OnlyAPoint => {
                "the element has no name; the execution clicks its point, even if the element moves"
            }
            Self::FirstOf(count) => {
                return write!(f, "{count} elements fit the selector; the first is used");
            }
            Self::LabelWithDigits(label) => {
                let label = text::excerpt(label);
                return write!(f, "the label \"{label}\" has digits and may change");
            }
            Self::NotOnScreen => {
                "the element is not on the captured screen; the selector comes from the event"
            }
            Self::NoScreen => {
                "there is no captured screen, so it is unknown whether the selector fits one element"
            }
            Self::StaleScreen => "the screen was captured before the previous action",
            Self::TouchedUnknown => {
                "another app opened after the screen was captured, so it is unknown what was touched; the touch is \
                 left out"
            }
            Self::BeganInside(package) => {
                let package = text::excerpt(package);
                return write!(
                    f,
                    "the recording began inside {package}; the execution begins at the app's first screen"
                );
            }
            Self::CameByItself(package) => {
                let package = text::excerpt(package);
                return write!(f, "nothing recorded explains why {package} opened; the execution opens it");
            }
            Self::PasswordLeftOut => "a password was typed here; it was not recorded and is left out",
            Self::TextUnseen => "text was typed here that could not be read in time; it is left out",
            Self::TextEmptied => "the field was emptied, and no action does only that; it is left out",
            Self::MayBeHint(shown) => {
                let shown = text::excerpt(shown);
                return write!(
                    f,
                    "the field shows \"{shown}\", which may be its hint or come from the app; it is entered"
                );
            }
            Self::TextTooLong => "the text is too long for an action; it is left out",
            Self::SubmittedByKeyboard => "a key ended the typing; the execution presses enter",
            Self::FieldUnknown => "it is unknown which field was typed into; the text is left out",
            Self::DirectionGuessed => "the direction of the scroll is not recorded; down is used",
            Self::ScrollLeftOut => "the next target was already in view; the scroll is left out",
            Self::ScrollDistance => "a scroll may not go exactly as far as the finger did",
            Self::KeyFromGesture => "the key was inferred from a swipe and its effect",
            Self::GestureUnknown => {
                "a gesture was not understood: it came from the screen's edge, used several fingers, or its position \
                 is unknown; it is left out"
            }
            Self::NothingDone => "nothing was touched or typed inside an app; record it again with a touch",
            Self::EndUnseen => "the screen after the last action was not captured, so the end is unknown",
            Self::NothingScrolled => "the finger moved over something that cannot scroll; it is left out",
        };
        f.write_str(words)
    }
}

impl Serialize for Doubt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut doubt = serializer.serialize_struct("Doubt", 2)?;
        doubt.serialize_field("seq", &self.seq)?;
        doubt.serialize_field("message", &self.what.to_string())?;
        doubt.end()
    }
}
