//! What is not certain about an execution that was made of a recording.

use clawperator_contract::{Number, text};
use serde::{Serialize, Serializer};

/// Something that is not certain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Doubt {
    /// The event it is about.
    pub seq: Number,
    #[serde(rename = "message", serialize_with = "in_words")]
    pub what: Unsure,
}

/// What is not certain; its words say what the execution does about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unsure {
    #[error("the element has no name; the execution clicks its point, even if the element moves")]
    OnlyAPoint,
    #[error("{0} elements fit the selector; the first is used")]
    FirstOf(usize),
    #[error("the label \"{}\" has digits and may change", text::excerpt(.0))]
    LabelWithDigits(String),
    #[error("the element is not on the captured screen; the selector comes from the event")]
    NotOnScreen,
    #[error("there is no captured screen, so it is unknown whether the selector fits one element")]
    NoScreen,
    #[error("the screen was captured before the previous action")]
    StaleScreen,
    #[error(
        "another app opened after the screen was captured, so it is unknown what was touched; the touch is left out"
    )]
    TouchedUnknown,
    #[error("the recording began inside {}; the execution begins at the app's first screen", text::excerpt(.0))]
    BeganInside(String),
    #[error("nothing recorded explains why {} opened; the execution opens it", text::excerpt(.0))]
    CameByItself(String),
    #[error("a password was typed here; it was not recorded and is left out")]
    PasswordLeftOut,
    #[error("text was typed here that could not be read in time; it is left out")]
    TextUnseen,
    #[error("the field was emptied, and no action does only that; it is left out")]
    TextEmptied,
    #[error("the field shows \"{}\", which may be its hint or come from the app; it is entered", text::excerpt(.0))]
    MayBeHint(String),
    #[error("the text is too long for an action; it is left out")]
    TextTooLong,
    /// Most likely it was enter.
    #[error("a key ended the typing; the execution presses enter")]
    SubmittedByKeyboard,
    #[error("it is unknown which field was typed into; the text is left out")]
    FieldUnknown,
    #[error("the direction of the scroll is not recorded; down is used")]
    DirectionGuessed,
    #[error("the next target was already in view; the scroll is left out")]
    ScrollLeftOut,
    #[error("a scroll may not go exactly as far as the finger did")]
    ScrollDistance,
    #[error("the key was inferred from a swipe and its effect")]
    KeyFromGesture,
    #[error(
        "a gesture was not understood: it came from the screen's edge, used several fingers, or its position is \
         unknown; it is left out"
    )]
    GestureUnknown,
    #[error("nothing was touched or typed inside an app; record it again with a touch")]
    NothingDone,
    #[error("the screen after the last action was not captured, so the end is unknown")]
    EndUnseen,
    #[error("the finger moved over something that cannot scroll; it is left out")]
    NothingScrolled,
}

fn in_words<S: Serializer>(what: &Unsure, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(what)
}
