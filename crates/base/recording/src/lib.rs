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

pub use compare::{Comparison, Likeness, compare};
pub use compile::{Compiled, CompiledStep, Start, compile};
pub use doubt::{Doubt, Unsure};
pub use error::{LineFault, ReadError};
pub use event::{
    Act, Click, Event, Header, Maker, Point, Press, PressKey, Recording, Scroll, Sides, TextChange, Untold,
    WindowChange,
};
pub use gesture::{Display, Fingers, Gesture};
pub use input::{Contact, InputEvent, Signal, SystemKey, TouchScreen};
pub use read::read;
pub use restless::{is_same_page, restless, without_words};
pub use scribe::{Scribe, Seen, Steering};
pub use session_id::SessionId;
pub use step_log::{LoggedStep, StepLog};
pub use suggest::{Basis, Suggestion, best_name, suggestions};
pub use touched::{focused_field, scrolled, touched};
pub use write::{event_line, header_line, snapshot};
