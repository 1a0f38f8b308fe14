//! What happened in an execution: the event type, the log that collects events,
//! the chained file that stores them, and the page that shows them.
//!
//! It knows files, contracts and UI trees. It does not know phones.

mod blank;
mod chain;
mod command_kind;
mod event;
mod event_log;
mod folder;
pub mod limits;
mod outcome;
pub mod private;
mod redacted;
pub mod report;
mod skill_log;
mod stamp;
mod stored;
mod stream;
mod writer;

pub use blank::{blank, cover, is_partly_black};
pub use chain::{Break, JournalEntry, Verdict, digest};
pub use command_kind::{CommandKind, Purpose};
pub use event::{
    Begin, Blind, Checkpoint, Choice, Command, End, Event, Full, Look, Moment, NotUnderstood, Picture,
    Removed, SkillBegin, SkillEnd, StepBegin, StepEnd, Touch, TouchKind, Wait,
};
pub use event_log::{
    Clock, EndedAct, EndedStep, EventLog, FORMAT, LogSetup, Pictures, RunPlace, StepRunner, Subscribers, Tap,
    micros,
};
pub use folder::{Folder, JournalError, JournalPath};
pub use redacted::{Redactions, execution as without_typed};
pub use skill_log::{SkillLog, SkillLogSetup, SkillOutcome};
pub use stamp::iso_time;
pub use stored::{EMPTY, Flaw, Judgement, Start, StoredJournal};
pub use stream::{EventStream, Received, RunEvent, Subscriber};
