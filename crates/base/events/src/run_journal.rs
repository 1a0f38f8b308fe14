//! Where an event log stores what it collects. How that is stored is not known here.

use crate::{Event, RemovedJournals};
use std::fmt::Debug;
use std::io;
use std::path::Path;

/// The place of all journals.
pub trait Journals: Debug + Send + Sync {
    /// Begins the journal of a run, and tells what was removed to make room for it.
    ///
    /// # Errors
    /// What the system says.
    fn begin(&self, command_id: &str, now_ms: u64) -> io::Result<(Box<dyn RunJournal>, RemovedJournals)>;
}

/// The journal of a run under way.
pub trait RunJournal: Debug + Send {
    /// Where it is.
    fn folder(&self) -> &Path;

    /// How many lines it has.
    fn lines(&self) -> u64;

    /// Writes a line.
    ///
    /// # Errors
    /// What the system says.
    fn record(&mut self, at_us: u64, event: &Event) -> io::Result<()>;

    /// Keeps a tree: its name, and whether there is room for it.
    ///
    /// # Errors
    /// What the system says.
    fn tree(&mut self, dump: &str) -> io::Result<(String, bool)>;

    /// Keeps a picture: its name, if there is room for it.
    ///
    /// # Errors
    /// What the system says.
    fn picture(&mut self, png: &[u8]) -> io::Result<Option<String>>;
}
