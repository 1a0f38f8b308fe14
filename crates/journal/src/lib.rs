//! What happened in an execution: the event type, the log that collects events,
//! the chained file that stores them, and the page that shows them.
//!
//! It knows files, contracts and UI trees. It does not know phones.

mod chain;
mod event;
mod event_log;
mod folder;
mod hide;
pub mod limits;
pub mod private;
mod redact;
pub mod report;
mod run;
mod stamp;
mod stored;

pub use chain::{Break, Entry, Verdict, digest};
pub use event::{
    Begin, Blind, Choice, Command, End, Event, Full, LISTENING, Look, Moment, Picture, StepBegin, StepEnd,
    Touch, TouchKind, Wait,
};
pub use event_log::{Clock, EventLog, FORMAT, MAX_LINE, Pictures, micros};
pub use folder::{Folder, Found, JournalError};
pub use hide::{forms, hide};
pub use redact::{command as told_command, secret, untold};
pub use stamp::iso_time;
pub use stored::{EMPTY, Flaw, Judgement, StoredJournal};
