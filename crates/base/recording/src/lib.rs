//! Recordings of what was done on a phone: their format, what a finger did,
//! and the execution that a recording becomes.
//!
//! This crate does no IO and does not know where a recording comes from.

mod compare;
mod compile;
mod doubt;
mod draft;
mod error;
mod event;
mod form;
mod gesture;
mod input;
pub mod limits;
mod read;
mod restless;
mod scribe;
mod selector;
mod session_id;
mod step_log;
mod suggest;
mod touched;
mod write;

pub use compare::{Likeness, ScreenComparison, compare};
pub use compile::{ActionSource, AppStart, CompiledRecording, compile};
pub use doubt::{Doubt, Unsure};
pub use error::{LineFault, RecordingReadError};
pub use event::{
    Click, ClickLength, Header, Maker, PressKey, RecordedAct, RecordedEvent, Recording, Scroll, Sides,
    TextChange, TextOmission, WindowChange,
};
pub use gesture::{Display, Fingers, Gesture};
pub use input::{Contact, InputEvent, Signal, TouchScreen};
pub use read::read;
pub use restless::{is_same_page, restless, without_words};
pub use scribe::{ScreenReading, Scribe, Steering};
pub use session_id::RecordingId;
pub use step_log::{LoggedStep, StepLog};
pub use suggest::{Basis, Suggestion, best_name, suggestions};
pub use touched::{focused_field, scrolled_element, touched_element};
pub use write::{event_line, header_line, snapshot};
