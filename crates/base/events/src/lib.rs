//! What happens in an execution: the event type, and the log that collects
//! events without secrets and hands them on.
//!
//! It knows contracts and UI trees. It knows neither files nor phones.

mod blank;
mod command_kind;
mod event;
mod event_log;
mod outcome;
mod redacted;
mod run_journal;
mod stream;

pub use blank::{Pixels, blank, cover, is_partly_black};
pub use command_kind::{CommandKind, CommandPurpose};
pub use event::{
    BeginEvent, Blind, CheckpointEvent, ChoiceEvent, CommandEvent, EndEvent, Event, Full, LookEvent,
    NotUnderstood, PictureEvent, PictureMoment, RemovedJournals, SkillBegin, SkillEnd, StepBegin, StepEnd,
    TouchEvent, TouchKind, Wait,
};
pub use event_log::{
    Clock, EndedAct, EndedStep, EventLog, FORMAT, LogSetup, Pictures, RunPlace, StepRunner, Subscribers, Tap,
    cut, digest, micros,
};
pub use redacted::{Redactions, execution as without_typed};
pub use run_journal::{Journals, RunJournal};
pub use stream::{EventStream, RunEvent, StreamItem, Subscriber};
