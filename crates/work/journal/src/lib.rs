//! Journals: the chained files of what happened in executions and runs of skills,
//! and the pages that show them.
//!
//! It knows files, events, contracts and UI trees. It does not know phones.

mod chain;
mod folder;
pub mod limits;
pub mod report;
mod skill_log;
mod stamp;
mod stored;
mod writer;

pub use chain::{Break, JournalEntry, Verdict};
pub use folder::{JournalError, JournalFolder, JournalPath};
pub use skill_log::{SkillLog, SkillLogSetup, SkillOutcome};
pub use stamp::iso_time;
pub use stored::{EMPTY, Flaw, Judgement, RunStart, StoredJournal};
